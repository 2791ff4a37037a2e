"""Policies, budgets and the table of what may be done with what.

`ALLOWED` is the doctrine: the planner chooses from it, and apply refuses whatever is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cenotaph.errors import ConfigurationError
from cenotaph.limits import min_gain_share, protected_share_max, target_share, trigger_share

__all__ = ["ALLOWED", "Action", "Budget", "Policy", "Shelf", "SpanClass", "allowed"]


class SpanClass(StrEnum):
    """What a span is to the task: decided by structure and provenance alone."""

    authoritative = "authoritative_in_context"
    recoverable = "recoverable"
    disposable = "disposable"


class Action(StrEnum):
    """What a plan does with a span."""

    keep = "keep"
    protect = "protect"
    drop = "drop"
    summarize = "summarize"
    evict = "evict"
    evict_with_tombstone = "evict_with_tombstone"


LEAVING: Final = frozenset({Action.drop, Action.summarize, Action.evict, Action.evict_with_tombstone})


class Shelf(StrEnum):
    """A class, with the distinction that decides how a span of it may leave."""

    disposable_drop = "disposable, dropped only"
    disposable_lift = "disposable, with lift"
    live = "recoverable, live"
    invalidated = "recoverable, invalidated"
    evictable = "authoritative, evictable"
    with_exchange = "authoritative, leaves only with its whole exchange"
    authoritative = "authoritative"
    never = "authoritative, never evicted"
    own = "our own text"

    @property
    def cls(self) -> SpanClass:
        if self in (Shelf.disposable_drop, Shelf.disposable_lift):
            return SpanClass.disposable
        if self in (Shelf.live, Shelf.invalidated):
            return SpanClass.recoverable
        return SpanClass.authoritative


@dataclass(frozen=True, slots=True)
class Policy:
    """How far a compaction may go. `strict` is law A to the letter and the default.

    Attributes:
        name: "strict" or "archive".
        recall_by: Who said that the agent can ask for what left (archive), else None.
    """

    name: str
    recall_by: str | None = None

    @classmethod
    def strict(cls) -> Policy:
        """Authoritative spans stay, or the call halts."""
        return cls("strict")

    @classmethod
    def archive(cls, recall_by: str = "caller") -> Policy:
        """Authoritative spans that are evictable may move to the store, each with a tombstone.

        Args:
            recall_by: Who answers for it that the agent can `rehydrate`; stands in the record.
        """
        return cls("archive", recall_by)

    def __post_init__(self) -> None:
        if self.name not in ("strict", "archive"):
            raise ConfigurationError(f"no policy is called {self.name!r}; there are strict and archive")


_STAY: Final = frozenset({Action.keep, Action.protect})

ALLOWED: Final[dict[tuple[str, Shelf], frozenset[Action]]] = {
    **{
        (policy, shelf): actions
        for policy in ("strict", "archive")
        for shelf, actions in {
            Shelf.disposable_drop: frozenset({Action.keep, Action.drop}),
            Shelf.disposable_lift: frozenset({Action.keep, Action.drop, Action.summarize}),
            Shelf.live: frozenset({Action.keep, Action.evict}),
            Shelf.invalidated: frozenset({Action.keep, Action.evict_with_tombstone}),
            Shelf.evictable: _STAY,
            Shelf.with_exchange: _STAY,
            Shelf.authoritative: _STAY,
            Shelf.never: _STAY,
            Shelf.own: frozenset({Action.keep, Action.evict_with_tombstone}),
        }.items()
    },
    ("archive", Shelf.evictable): _STAY | {Action.evict_with_tombstone},
    ("archive", Shelf.with_exchange): _STAY | {Action.evict_with_tombstone},
    ("archive", Shelf.authoritative): _STAY | {Action.evict_with_tombstone},
}
"""(policy, shelf) -> the actions that a plan may name. Our own lines may fold into one pointer, never their lifts."""


def allowed(policy: Policy, shelf: Shelf) -> frozenset[Action]:
    return ALLOWED[policy.name, shelf]


@dataclass(frozen=True, slots=True)
class Budget:
    """When to act and how far.

    Attributes:
        window: The model's context window in tokens.
        trigger: Share of the window above which a compaction acts.
        target: Share of the window at which it ends.
        overhead: Tokens of the request that are not in the messages (tools, system text elsewhere).
        min_gain: A reclaim below this share of the window takes lossless steps only.
        protected_max: Share of the window that spans which may not move can reach before a warning.

    Raises:
        ConfigurationError: A share or a size that can't be met; says which.
    """

    window: int
    trigger: float = trigger_share
    target: float = target_share
    overhead: int = 0
    min_gain: float = min_gain_share
    protected_max: float = protected_share_max

    def __post_init__(self) -> None:
        if not isinstance(self.window, int) or isinstance(self.window, bool) or self.window <= 0:
            raise ConfigurationError(f"window={self.window!r}: tokens, a whole number above 0")
        if not isinstance(self.overhead, int) or isinstance(self.overhead, bool) or self.overhead < 0:
            raise ConfigurationError(f"overhead={self.overhead!r}: tokens, a whole number from 0")
        for name in ("trigger", "target", "min_gain", "protected_max"):
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
                raise ConfigurationError(f"{name}={value!r}: a share of the window from 0 to 1")
        if not self.target < self.trigger:
            raise ConfigurationError(f"target={self.target} must lie below trigger={self.trigger}")
        if not self.protected_max < self.target:
            raise ConfigurationError(f"protected_max={self.protected_max} must lie below target={self.target}")

    @property
    def trigger_tokens(self) -> int:
        return int(self.window * self.trigger)

    @property
    def target_tokens(self) -> int:
        """Tokens that the messages may have after a compaction."""
        return int(self.window * self.target) - self.overhead
