"""Many pieces of the same work on this machine's cores, as they get done."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from typing import TypeVar

__all__ = ["cores", "in_order_of_arrival"]

T = TypeVar("T")


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order_of_arrival(
    work: Callable[[str], T], names: Sequence[str], jobs: int, seconds: float | None = None
) -> Iterator[T]:
    """The result for each name, as it arrives.

    Args:
        work: Importable, and made of what can be sent to another process; it reports its own failures.
        names: What to work on, in the order in which it is begun.
        jobs: Processes; 1 works in this one.
        seconds: After this time nothing more is begun; None begins everything.

    Raises:
        BrokenProcessPool: A worker was killed.
    """
    ends = None if seconds is None else time.monotonic() + seconds
    if jobs <= 1 or len(names) <= 1:
        for name in names:
            if _over(ends):
                return
            yield work(name)
        return
    waiting = iter(names)
    with ProcessPoolExecutor(min(jobs, len(names)), mp_context=get_context("spawn")) as pool:
        running: set[Future[T]] = set()
        while True:
            while len(running) < 2 * jobs and not _over(ends):
                following = next(waiting, None)
                if following is None:
                    break
                running.add(pool.submit(work, following))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def _over(ends: float | None) -> bool:
    return ends is not None and time.monotonic() >= ends
