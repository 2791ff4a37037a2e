"""One compaction of one list of messages: nothing authoritative is lost, or the call raises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from cenotaph.api.reading import Pin, Tool, binding_of, counter_of, parsed, read_out
from cenotaph.core.ids import hash_of
from cenotaph.core.markers import known_markers, resolve_markers
from cenotaph.core.model import Transcript
from cenotaph.core.plan import Limits, Plan
from cenotaph.core.policy import Budget, Policy
from cenotaph.core.readout import Readout, total_tokens
from cenotaph.core.record import CompactionRecord
from cenotaph.core.report import protected_warning
from cenotaph.core.session import Identity, Outcome, compaction, planned, reach
from cenotaph.errors import ConfigurationError
from cenotaph.runtime.driver import drive
from cenotaph.runtime.occasion import occasion
from cenotaph.store.base import Store
from cenotaph.store.memory import MemoryStore
from cenotaph.store.opening import open_store


@dataclass(frozen=True, slots=True)
class Result:
    """What one compaction gave.

    Attributes:
        messages: The messages to send; if nothing changed, the same object that came in.
        request: The whole request with them in place, if a request came in, else None.
        record: The warrant; None if nothing changed.
        tokens_before, tokens_after: Of what is sent, by `counter`.
        counter: Which counter, e.g. "o200k_base".
        basis: "exact" or "estimated".
        changed: Whether the messages differ from what came in.
        reason: Why nothing changed, "" if something did.
        warnings: What a person should know: one sentence each.
        store: The store that holds the originals.
        session: The session's name in it.
    """

    messages: Any
    request: Any
    record: CompactionRecord | None
    tokens_before: int
    tokens_after: int
    counter: str
    basis: str
    changed: bool
    reason: str
    warnings: tuple[str, ...]
    store: Store
    session: str
    readout: Readout = field(repr=False)
    plan: Plan | None = field(repr=False, default=None)
    _line: str = ""

    def summary(self) -> str:
        """One plain line: what was kept, what can be had again, and the tokens."""
        if not self.changed:
            return f"unchanged: {self.reason}; {self.tokens_before:,} tokens ({self.basis})"
        return f"{self._line} ({self.basis})"


@dataclass(frozen=True, slots=True)
class How:
    """How a compaction is to be made.

    Attributes:
        policy: Strict or archive.
        budget, to_tokens: When to act and how far; one of the two.
        binding: How signed reasoning is bound.
        drop_block: The provider drops reasoning whose prefix changed.
    """

    policy: Policy
    budget: Budget | None
    to_tokens: int | None
    binding: str
    drop_block: bool

    def __post_init__(self) -> None:
        if not isinstance(self.policy, Policy):
            raise ConfigurationError(f"policy={self.policy!r}: Policy.strict() or Policy.archive()")
        if self.budget is not None and not isinstance(self.budget, Budget):
            raise ConfigurationError(f"budget={self.budget!r}: Budget(window=...)")


def _target(budget: Budget | None, to_tokens: int | None, tokens: int) -> tuple[int | None, bool, str]:
    """(target or None, gentle, why nothing is to be done)."""
    if to_tokens is not None:
        if not isinstance(to_tokens, int) or isinstance(to_tokens, bool) or to_tokens <= 0:
            raise ConfigurationError(f"to_tokens={to_tokens!r}: tokens, a whole number above 0")
        if tokens <= to_tokens:
            return None, False, f"{tokens:,} tokens are within the {to_tokens:,} asked for"
        return to_tokens, False, ""
    if budget is None:
        raise ConfigurationError(
            "neither budget nor to_tokens was given.",
            next_step="Pass budget=Budget(window=...) or to_tokens=...",
        )
    if tokens + budget.overhead <= budget.trigger_tokens:
        return (
            None,
            False,
            (
                f"{tokens + budget.overhead:,} tokens are not above the trigger of {budget.trigger_tokens:,} "
                f"({budget.trigger:.0%} of {budget.window:,})"
            ),
        )
    reclaim = tokens - budget.target_tokens
    return budget.target_tokens, reclaim < budget.min_gain * budget.window, ""


def opened_store(store: str | Store | None) -> tuple[Store, bool]:
    if store is None:
        return MemoryStore(), False
    return (open_store(store), True) if isinstance(store, str) else (store, True)


def session_name(session: str | None, transcript: Transcript) -> str:
    if session is not None:
        if not isinstance(session, str) or not session:
            raise ConfigurationError(f"session={session!r}: a name, not empty")
        return session
    if transcript.session:
        return transcript.session
    first = transcript.messages[0].raw if transcript.messages else None
    return hash_of(first)[:16]


def _warnings(readout: Readout, limits: Limits, who: Identity, budget: Budget | None) -> tuple[str, ...]:
    found = [f"{defect.code} ({defect.where}): {defect.note}" for defect in readout.transcript.defects]
    if limits.policy.name == "archive" and not who.stored:
        found.append("no store: what leaves for good has no handle in the view; pass store= to have it asked for")
    if budget is not None:
        reached = reach(readout, limits, who)
        early = protected_warning(readout.classified, reached, limits.policy, budget.window, budget.protected_max)
        found += [early] if early else []
    return tuple(found)


def compact(
    messages: Any,
    *,
    budget: Budget | None = None,
    to_tokens: int | None = None,
    dialect: str | None = None,
    policy: Policy | None = None,
    tools: Iterable[Tool] = (),
    pins: Iterable[Pin] = (),
    keep: Iterable[str] = (),
    store: str | Store | None = None,
    session: str | None = None,
    model: str | None = None,
    binding: str | None = None,
    drop_block: bool = False,
    region: str = "last",
    actor: str = "api",
) -> Result:
    """Nothing authoritative is lost, or the call raises.

    Args:
        messages: A list of messages, a request with them, a session file's records, or its bytes.
        budget: Acts only above the trigger, and ends at the target or below.
        to_tokens: Acts whenever there are more, and ends there or below. One of the two is needed.
        dialect: Name of the format; None detects it from the data.
        policy: `Policy.strict()` if None.
        tools: `ToolSpec`s, mappings with the same keys, or names of profiles ("generic").
        pins: Text, patterns or span ids that stay whatever happens.
        keep: Wishes for this round: spans that share a handle (or else the words) with one stay.
        store: URL or store; None keeps the originals in memory, in `Result.store`, and no `cx:`
            handle stands in the view.
        session: Name; None takes the transcript's own id, else a hash of its first message.
        model: Model name, if the data does not say it: decides counter and binding.
        binding: How signed reasoning is bound: "none", "newest", "prefix"; None asks the model's name.
        drop_block: The provider drops reasoning whose prefix changed instead of refusing.
        region: "last" (what the model sees next) or "all" (a session file's whole history).
        actor: Who asks, for the record.

    Raises:
        BudgetExhausted: The target can't be met; carries record, sizes and ways out.
        CompactionInvariantError: A law would break; nothing was changed.
        InputError, ConfigurationError, StoreError: Bad input, parameters or store; nothing was changed.
    """
    how = How(policy or Policy.strict(), budget, to_tokens, "none", drop_block)
    transcript = parsed(messages, dialect, region)
    name = session_name(session, transcript)
    opened, stored = opened_store(store)
    records = opened.records(name) if stored else []
    transcript = resolve_markers(transcript, known_markers(records))
    readout = read_out(transcript, counter_of(transcript, model), tools, pins, keep)
    who = Identity(
        session=name,
        key=opened.key(),
        stored=stored,
        seq=len(records) + 1,
        previous=records[-1]["record_id"] if records else None,
        occasion=occasion(actor, model or transcript.model),
    )
    how = replace(how, binding=binding_of(readout, binding, model))
    return compacted(messages, readout, who, opened, how)[0]


def compacted(messages: Any, readout: Readout, who: Identity, store: Store, how: How) -> tuple[Result, Outcome | None]:
    """Decides whether a cut is due, and has it made.

    Returns:
        The result, and what a later cut of the same session must know; None if nothing changed.
    """
    tokens = total_tokens(readout, who.standing)
    target, gentle, reason = _target(how.budget, how.to_tokens, tokens)
    limits = Limits(policy=how.policy, target=target or 0, binding=how.binding, drop_block=how.drop_block)
    warnings = _warnings(readout, limits, who, how.budget)
    outcome: Outcome | None = None
    if target is not None:
        outcome, reason = _attempt(readout, limits, who, store, how.budget if gentle else None, tokens)
    request, key = readout.transcript.request, readout.transcript.messages_key
    if outcome is not None:
        shown: Any = list(outcome.view.messages)
        request = None if request is None else {**request, key: shown}
    elif request is not None and messages is request:
        shown = request[key]
    else:
        shown = (
            readout.messages if isinstance(messages, (bytes, dict)) else messages
        )  # bytes of a file are not what is sent
    result = Result(
        messages=shown,
        request=request,
        record=outcome.record if outcome else None,
        tokens_before=tokens,
        tokens_after=outcome.tokens_after if outcome else tokens,
        counter=readout.counter.name,
        basis=readout.counter.basis,
        changed=outcome is not None,
        reason="" if outcome else reason,
        warnings=warnings,
        store=store,
        session=who.session,
        readout=readout,
        plan=outcome.plan if outcome else None,
        _line=outcome.summary if outcome else "",
    )
    return result, outcome


def _attempt(
    readout: Readout, limits: Limits, who: Identity, store: Store, gentle: Budget | None, tokens: int
) -> tuple[Outcome | None, str]:
    """Cuts; a small reclaim takes lossless steps only, and none at all if they do not suffice but it fits."""
    if gentle is None:
        return drive(compaction(readout, limits, who), store, who.session), ""
    careful = replace(limits, lossless_only=True)
    plan = planned(readout, careful, who)
    if plan.met:
        return drive(compaction(readout, careful, who), store, who.session), ""
    if tokens + gentle.overhead <= gentle.window:
        return None, (
            f"a small reclaim ({tokens - limits.target:,} tokens, under {gentle.min_gain:.0%} of the window): lossless "
            f"steps reach {plan.tokens_after:,}, not {limits.target:,}, and the request still fits"
        )
    return drive(compaction(readout, limits, who), store, who.session), ""
