"""Whole requests around generated conversations, before and after a cut, for the types of the official packages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cenotaph import BudgetExhausted, Policy, compact
from cenotaph.errors import IndexBudgetExceeded
from cenotaph.store.memory import MemoryStore

SEEDS = range(60)
SHARES = (0.8, 0.6, 0.4, 0.2)
BINDINGS = ("none", "newest", "prefix")
POLICIES = ("archive", "strict")

Request = dict[str, Any]


def size_of(seed: int) -> int:
    """About how many calls and turns the conversation of a seed has."""
    return 2 + seed % 14


def cut(request: Request, seed: int, **how: Any) -> Request | None:
    """What is left of a request; as little as can be, where its target cannot be met; None if nothing can leave."""
    how |= {"policy": Policy(POLICIES[seed % 2]), "store": MemoryStore() if seed % 3 else None}
    how |= {"binding": BINDINGS[seed % len(BINDINGS)], "rehydrate": bool(seed % 3) and seed % 5 == 0}
    target = int(compact(request, to_tokens=1 << 40, **how).tokens_before * SHARES[seed % len(SHARES)])
    for _ in range(2):
        try:
            done = compact(request, to_tokens=target, **how)
        except BudgetExhausted as halt:
            target = halt.reachable
        except IndexBudgetExceeded:
            return None
        else:
            left: Request | None = done.request if done.changed else None
            return left
    return None


def pairs(made: Callable[[int], Request], **how: Any) -> Iterator[tuple[int, Request, Request | None]]:
    """(seed, a request, what is left of it) of every seed."""
    for seed in SEEDS:
        request = made(seed)
        yield seed, request, cut(request, seed, **how)
