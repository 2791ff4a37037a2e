"""Carries out the effects that the core yields, one after the other, in the order given.

That order is the write order of the warrant: when an effect fails, the generator is closed and
nothing after it happens, so that no view exists whose originals are not durable.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar, assert_never

from cenotaph.core.effects import Effect, PutHandles, PutRecord, PutSpans
from cenotaph.store.base import Store

__all__ = ["drive"]

T = TypeVar("T")


def drive(steps: Generator[Effect, None, T], store: Store, session: str) -> T:
    """Runs a compaction against a store and returns what it hands out.

    Raises:
        StoreError: An effect failed; nothing was compacted.
        CenotaphError: Whatever the compaction itself raises.
    """
    try:
        while True:
            _carry_out(next(steps), store, session)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        steps.close()


def _carry_out(effect: Effect, store: Store, session: str) -> None:
    match effect:
        case PutSpans(objects, rows):
            store.put_spans(session, objects, rows)
        case PutHandles(rows):
            store.put_handles(session, rows)
        case PutRecord(record):
            store.put_record(session, record)
        case _:
            assert_never(effect)
