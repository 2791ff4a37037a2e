"""One tree of errors; each is a contract: a code, an exit status, details and the next step.

Tests and callers rely on `code` and `details`, never on prose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

__all__ = [
    "AmbiguousHandle",
    "BudgetExhausted",
    "CenotaphError",
    "CompactionInvariantError",
    "ConfigurationError",
    "DialectError",
    "IndexBudgetExceeded",
    "InputError",
    "InvalidCursor",
    "InvalidTranscript",
    "IrreversibleCompactionError",
    "OutputError",
    "StoreConflict",
    "StoreDamaged",
    "StoreErased",
    "StoreError",
    "StoreLocked",
    "StorePruned",
    "StoreUnavailable",
    "StoreVersionError",
    "SummarizerError",
    "ToolSpecError",
    "UnknownSession",
]


class CenotaphError(Exception):
    """Everything this package raises on purpose.

    Attributes:
        code: Stable identifier of the kind of failure.
        exit_status: What the command line exits with.
        details: Facts for a program: JSON values only.
        next_step: One sentence that says what to do now; empty if there is nothing to do.
    """

    code: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 2

    def __init__(self, message: str, *, next_step: str = "", **details: Any) -> None:
        super().__init__(message if not next_step else f"{message} {next_step}")
        self.next_step = next_step
        self.details: Mapping[str, Any] = details


class ConfigurationError(CenotaphError, ValueError):
    """A parameter is missing or contradicts another one."""

    code = "configuration"


class ToolSpecError(ConfigurationError):
    """A tool declaration can't be read."""

    code = "tool-spec"


class InputError(CenotaphError):
    """The input can't be read: names the file, the line and what was expected there."""

    code = "input"


class DialectError(InputError):
    """No dialect recognises the input, or the named one does not."""

    code = "dialect"


class InvalidTranscript(InputError):
    """The input is readable, but no provider would take it and it can't be mended."""

    code = "invalid-transcript"


class OutputError(CenotaphError):
    """The result can't be written where it was asked for; what stood there is as it was."""

    code = "output"


class CompactionInvariantError(CenotaphError, RuntimeError):
    """A plan or a view breaks a law. Nothing was handed out.

    Attributes:
        target_tokens: Tokens that had to be reclaimed (`plan_compaction`), else None.
        reclaimed: Tokens that could be reclaimed, else None.
        protected: Ids of the spans that may not leave, in order.
        laws: Ids of the laws that do not hold.
    """

    code = "invariant"

    def __init__(
        self,
        message: str,
        *,
        target_tokens: int | None = None,
        reclaimed: int | None = None,
        protected: Sequence[Any] = (),
        laws: Sequence[str] = (),
        next_step: str = "",
        **details: Any,
    ) -> None:
        super().__init__(message, next_step=next_step, **details)
        self.target_tokens = target_tokens
        self.reclaimed = reclaimed
        self.protected = list(protected)
        self.laws = list(laws)


class BudgetExhausted(CompactionInvariantError):
    """The target can't be met without touching what may not be touched. Nothing was changed.

    Attributes:
        record: The `CompactionRecord` of the halt (`status == "halted"`).
        target: Tokens that the view was to have at most.
        reachable: Tokens that it would have with everything gone that the policy allows.
        ways_out: What a caller can do, one sentence each, the cheapest first.
        report: Sizes behind the halt: protected tokens by row, tools by weight, shares.
        standing: The messages as they stand: what earlier cuts left, with what came since. It may still
            fit the window. None where no transcript was at hand.
    """

    code = "budget-exhausted"
    exit_status = 3

    def __init__(
        self,
        message: str,
        *,
        record: Any = None,
        target: int,
        reachable: int,
        ways_out: Sequence[str] = (),
        report: Mapping[str, Any] | None = None,
        next_step: str = "",
        **details: Any,
    ) -> None:
        super().__init__(message, next_step=next_step, **details)
        self.record = record
        self.target = target
        self.reachable = reachable
        self.ways_out = list(ways_out)
        self.report: Mapping[str, Any] = report or {}
        self.standing: Any = None


class IndexBudgetExceeded(BudgetExhausted):
    """Our own text in the view would outgrow its bound; the compaction is refused."""

    code = "index-budget-exceeded"


class IrreversibleCompactionError(CenotaphError, LookupError):
    """No handle-resolvable span answers the question: a gap, which is reported, never filled.

    Attributes:
        hints: The nearest known handles. Hints to ask again with, never content.
    """

    code = "gap"
    exit_status = 1

    def __init__(self, message: str, *, hints: Sequence[str] = (), **details: Any) -> None:
        super().__init__(message, **details)
        self.hints = list(hints)


class StoreError(CenotaphError):
    """The store failed. Never a gap, and nothing was compacted."""

    code = "store"


class StoreUnavailable(StoreError):
    """The store can't be opened, read or written: missing, read-only, disk full, no permission."""

    code = "store-unavailable"


class StoreLocked(StoreUnavailable):
    """Another process holds the store longer than `store_lock_seconds_max`."""

    code = "store-locked"


class StoreDamaged(StoreError):
    """What the store holds is not what was written: a hash, a chain or a page does not match."""

    code = "store-damaged"


class StoreVersionError(StoreError):
    """The store was written by a newer major version."""

    code = "store-version"


class StoreConflict(StoreError):
    """Another writer appended to this session since it was read; plan again."""

    code = "store-conflict"


class UnknownSession(StoreError):
    """The store has no such session."""

    code = "unknown-session"


class StorePruned(StoreError):
    """The store held this original and its bytes were removed to save room; its handle and digest are still there."""

    code = "store-pruned"


class StoreErased(StoreError):
    """The store held this original and its bytes were removed on purpose; they can't be put there again."""

    code = "store-erased"


class AmbiguousHandle(IrreversibleCompactionError):
    """What was asked for is the beginning or the end of several known handles; `hints` names them."""

    code = "ambiguous"


class InvalidCursor(ConfigurationError):
    """A cursor that this question in this session did not give, or that was changed."""

    code = "cursor"


class SummarizerError(CenotaphError):
    """A summarizer gave no reply. The structural text stands; nothing else is lost.

    Attributes:
        reason: Stable: `timeout`, `refused` (no connection), `status` (an HTTP error), `redirect` (to another
            host), `too_large`, `not_json`, `shape`, `empty_choices`, `callable` (the caller's own function raised).
        host: Where the request went, with its port; None if it left no process. Never a credential.
        status: HTTP status; None if there was none.
    """

    code = "summarizer"

    def __init__(self, message: str, *, reason: str, host: str | None = None, status: int | None = None) -> None:
        super().__init__(message, reason=reason, host=host, status=status)
        self.reason = reason
        self.host = host
        self.status = status
