"""One compaction of one list of messages: nothing authoritative is lost, or the call raises."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from cenotaph.api.reading import Pin, Tool, binding_of, counter_of, parsed, read_out, wire_of
from cenotaph.api.recalling import asked_for, brought_back
from cenotaph.api.thread import Thread, begun, resumed
from cenotaph.core.effects import Answer, Effect
from cenotaph.core.findings import secrets_in, suspicious, unread_in
from cenotaph.core.ids import JSON, SPAN_ID, hash_of
from cenotaph.core.lines import LineKind, kind_of_line, page_lines, pin_line
from cenotaph.core.model import Counter, Provenance, Transcript
from cenotaph.core.plan import Entry, Limits, Plan
from cenotaph.core.policy import LEAVING, Budget, Policy
from cenotaph.core.readout import Readout, total_tokens
from cenotaph.core.record import CompactionRecord
from cenotaph.core.report import protected_warning
from cenotaph.core.session import Identity, Outcome, compaction, controlled, planned, reach
from cenotaph.core.spans import Span
from cenotaph.errors import BudgetExhausted, ConfigurationError
from cenotaph.limits import own_text_share, own_text_tokens_min, recall_share
from cenotaph.runtime.driver import drive
from cenotaph.runtime.occasion import occasion
from cenotaph.runtime.summarizers import Summarizer, SummaryFunction, summarizer_of
from cenotaph.runtime.telemetry import observed
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
class Proposal:
    """What a cut would do, for `on_plan`; nothing has been written.

    Attributes:
        tokens_before, tokens_after: Of what is sent, by the plan's own account.
        target: Tokens that were asked for.
        entries: One per span: what is done with it, under which row.
        spans: The spans, in the same order.
        page: Lines of the page that would stand in the view.
        first_changed: Index of the first message that would change.
    """

    tokens_before: int
    tokens_after: int
    target: int
    entries: tuple[Entry, ...]
    spans: tuple[Span, ...]
    page: tuple[str, ...]
    first_changed: int


OnPlan = Callable[[Proposal], bool | Iterable[Pin] | None]
"""False vetoes the cut; pins are kept in it, and it is planned anew; None or True lets it be."""

OnHalt = Callable[[BudgetExhausted], Mapping[str, Any] | None]
"""What is to be done about a halt: None raises it; else `to_tokens`, `budget`, `policy`, `release` (span ids
or texts that stand in them) or `handoff` (True), and it is tried once more."""


@dataclass(frozen=True, slots=True)
class How:
    """How a compaction is to be made.

    Attributes:
        policy: Strict or archive.
        budget, to_tokens: When to act and how far; one of the two.
        binding: How signed reasoning is bound; None asks the model's name.
        drop_block: The provider drops reasoning whose prefix changed.
        model: Its name, if the data does not say it.
        on_plan, on_halt: See `OnPlan` and `OnHalt`; None asks nobody.
        summarizer: Who writes a surrogate of the agent's narration; None is nobody.
        recall: Tokens that may bring back what the newest request names; 0 brings back nothing.
        handoff: As far as the policy goes, whatever the budget.
    """

    policy: Policy
    budget: Budget | None
    to_tokens: int | None
    binding: str | None
    drop_block: bool
    model: str | None = None
    on_plan: OnPlan | None = None
    on_halt: OnHalt | None = None
    summarizer: Summarizer | None = None
    recall: float = 0
    handoff: bool = False

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
    opening = [message.raw for message in transcript.messages[:1]]
    for message in transcript.messages[1:]:
        if transcript.messages[0].role in _STANDING_ROLES and len(opening) < 2 and message.role not in _STANDING_ROLES:
            opening.append(message.raw)  # one system text serves many conversations
    return hash_of(opening[0] if len(opening) == 1 else opening or None)[:16]


_STANDING_ROLES: Final = frozenset({"system", "developer"})


def _warnings(readout: Readout, limits: Limits, who: Identity, budget: Budget | None) -> tuple[str, ...]:
    found = [f"{defect.code} ({defect.where}): {defect.note}" for defect in readout.transcript.defects]
    found += suspicious(span for span in readout.classified.spans if span.message >= who.known)
    if limits.policy.name == "archive" and not who.stored:
        found.append("no store: what leaves for good has no handle in the view; pass store= to have it asked for")
    if budget is not None:
        early = protected_warning(readout.classified, limits.policy, budget.window, budget.protected_max)
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
    on_plan: OnPlan | None = None,
    on_halt: OnHalt | None = None,
    summarizer: Summarizer | SummaryFunction | None = None,
    rehydrate: bool | int = False,
) -> Result:
    """Nothing authoritative is lost, or the call raises.

    What an earlier cut of the same session in the same store took out stays out, byte for byte: the
    compaction goes on from there.

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
        session: Name; None takes the transcript's own id, else a hash of its first message, and of the first
            behind the system text.
        model: Model name, if the data does not say it: decides counter and binding.
        binding: How signed reasoning is bound: "none", "newest", "prefix"; None asks the model's name.
        drop_block: The provider drops reasoning whose prefix changed instead of refusing.
        region: "last" (what the model sees next) or "all" (a session file's whole history).
        actor: Who asks, for the record.
        on_plan: Sees each plan before anything is written; may veto it or pin; see `OnPlan`.
        on_halt: Sees each halt; may raise the budget, release or hand off; see `OnHalt`.
        summarizer: Writes a surrogate of the agent's narration that leaves: `OpenAISummarizer(...)`,
            `AnthropicSummarizer(...)`, or a function of a `SummaryRequest`. What it writes stands only if the
            verifier takes it; whatever goes wrong with it changes nothing else. It needs a store. None: nobody.
        rehydrate: What the newest request names by a handle and has left comes back behind it, as a call and
            result of the rehydrate tool, in this answer only. True: in at most a tenth of the target; a
            number: in so many tokens. The whole stays within the target.

    Raises:
        BudgetExhausted: The target can't be met; carries record, sizes and ways out.
        CompactionInvariantError: A law would break; nothing was changed.
        InputError, ConfigurationError, StoreError: Bad input, parameters or store; nothing was changed.
    """
    how = How(policy or Policy.strict(), budget, to_tokens, binding, drop_block, model, on_plan, on_halt)
    how = replace(
        how, summarizer=None if summarizer is None else summarizer_of(summarizer), recall=recall_of(rehydrate)
    )
    transcript = parsed(messages, dialect, region)
    name = session_name(session, transcript)
    opened, stored = opened_store(store)
    wire = wire_of(transcript)
    thread = resumed(transcript, name, opened, wire) if stored else begun(transcript, name)
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    pinned = (*thread.log.named, *pins_of(pins))
    reader = Reader(thread, counter_of(transcript, model), tuple(tools), pinned, keep, thread.log.released)
    who = identity_of(thread, opened, stored, occasion(actor, model or transcript.model))
    result, outcome = compacted(messages, reader, who, opened, how)
    if outcome is None and stored and is_unnamed_fork(thread):
        drive(fork_record(thread, who.occasion), opened, thread.name)
    return result


def is_unnamed_fork(thread: Thread) -> bool:
    """A fork that goes on from a cut, and no record says so yet: its pointers would resolve nowhere."""
    return thread.parent is not None and bool(thread.parent.get("carried"))


def fork_record(thread: Thread, occasion: Mapping[str, JSON]) -> Generator[Effect, Answer, CompactionRecord]:
    """The first record of a fork, where nothing is cut: it names the session whose view it goes on from."""
    assert thread.parent is not None
    told = {"fork": {key: thread.parent[key] for key in ("session", "record_id")}}
    return controlled(thread.name, thread.log.seq, thread.log.previous, told, occasion, thread.parent)


def recall_of(rehydrate: bool | int) -> float:
    """A share of the target below 1, else tokens.

    Raises:
        ConfigurationError: It is neither a yes or no nor a number of tokens.
    """
    if isinstance(rehydrate, bool):
        return recall_share if rehydrate else 0
    if not isinstance(rehydrate, int) or rehydrate < 1:
        raise ConfigurationError(f"rehydrate={rehydrate!r}: True, False, or tokens from 1")
    return rehydrate


def pins_of(pins: Iterable[Pin]) -> tuple[Pin, ...]:
    """A bare string is one pin."""
    return (pins,) if isinstance(pins, (str, re.Pattern)) else tuple(pins)


def texts_of(wishes: Iterable[str]) -> tuple[str, ...]:
    """A bare string is one wish."""
    return (wishes,) if isinstance(wishes, str) else tuple(wishes)


def identity_of(thread: Thread, store: Store, stored: bool, when: Mapping[str, JSON]) -> Identity:
    return Identity(
        session=thread.name,
        key=store.key(),
        stored=stored,
        seq=thread.log.seq,
        previous=thread.log.previous,
        carried=thread.carried,
        source=thread.source,
        parent=thread.parent,
        occasion=when,
    )


@dataclass(frozen=True, slots=True)
class Reader:
    """What is to be read, and with which tools, pins and wishes: a veto or a halt has it read anew."""

    thread: Thread
    counter: Counter
    tools: tuple[Tool, ...]
    pins: tuple[Pin, ...] = ()
    keep: tuple[str, ...] = ()
    released: Sequence[str] = ()

    def read(self) -> Readout:
        return read_out(
            self.thread.transcript,
            self.counter,
            self.tools,
            self.pins,
            self.keep,
            self.released,
            self.thread.past,
        )


def compacted(messages: Any, reader: Reader, who: Identity, store: Store, how: How) -> tuple[Result, Outcome | None]:
    """Decides whether a cut is due, and has it made.

    Returns:
        The result, and what a later cut of the same session must know; None if nothing changed.
    """
    with observed("compact", session=who.session, policy=how.policy.name) as told:
        result, outcome = _decided(messages, reader, who, store, how)
        told |= {
            "outcome": "nothing" if outcome is None else "cut",
            "tokens.before": result.tokens_before,
            "tokens.after": result.tokens_after,
        }
    return result, outcome


def _decided(messages: Any, reader: Reader, who: Identity, store: Store, how: How) -> tuple[Result, Outcome | None]:
    """As far as the caller's `on_halt` lets it."""
    try:
        return _once(messages, reader, who, store, how)
    except BudgetExhausted as halt:
        halt.standing = _standing(messages, reader)
        relief = None if how.on_halt is None else how.on_halt(halt)
        if relief is None:
            raise
        reader, how = _relieved(reader, how, relief, halt)
        halted = halt.record.record_id
        return _once(messages, reader, replace(who, seq=who.seq + 1, previous=halted), store, how)


def _standing(messages: Any, reader: Reader) -> Any:
    """What would be sent without a cut: the caller's own object if nothing ever left."""
    if reader.thread.carried is None or reader.thread.adopted:
        return messages
    return reader.thread.shown


_RELIEFS: Final = frozenset({"to_tokens", "budget", "policy", "release", "handoff"})


def _relieved(reader: Reader, how: How, relief: Mapping[str, Any], halt: BudgetExhausted) -> tuple[Reader, How]:
    """What is tried after a halt."""
    if not isinstance(relief, Mapping) or not relief or set(relief) - _RELIEFS:
        raise ConfigurationError(
            f"on_halt gave {relief!r}, which is no relief.",
            next_step=f"Give a mapping with some of {', '.join(sorted(_RELIEFS))}, or None to raise the halt.",
        )
    if relief.get("release"):
        reader = replace(reader, released=(*reader.released, *texts_of(relief["release"])))
    if relief.get("handoff"):
        policy = how.policy if how.policy.name == "archive" else Policy.archive(recall_by="on_halt")
        return reader, replace(how, policy=policy, handoff=True)
    changes = {key: relief[key] for key in ("to_tokens", "budget", "policy") if key in relief}
    if "to_tokens" in changes:
        changes.setdefault("budget", None)
    elif "budget" in changes:
        changes["to_tokens"] = None
    return reader, replace(how, **changes)


def _once(messages: Any, reader: Reader, who: Identity, store: Store, how: How) -> tuple[Result, Outcome | None]:
    readout = reader.read()
    how = replace(how, binding=binding_of(readout, how.binding, how.model))
    tokens = total_tokens(readout)
    limits = _limits(readout, reader, how, tokens)
    if how.handoff:
        limits = replace(limits, rules_stay=True)
        reached = reach(readout, limits, who)
        joins = len(reached.lines) + len(reached.page) + 1  # at each, a count may be off by a token
        limits = replace(limits, target=reached.tokens_after + joins)
        target: int | None = limits.target if limits.target < tokens else None
        gentle, reason = False, "nothing can leave"
    else:
        target, gentle, reason = _target(how.budget, how.to_tokens, tokens)
        limits = replace(limits, target=target or 0)
    warnings = (*reader.thread.warnings, *_warnings(readout, limits, who, how.budget))
    outcome: Outcome | None = None
    within = how.budget.target_tokens if how.to_tokens is None and how.budget is not None else how.to_tokens or tokens
    recall = int(how.recall if how.recall >= 1 else how.recall * within)
    handles = asked_for(readout) if recall and who.stored and how.binding == "none" else []
    if target is not None:
        spared = replace(limits, target=limits.target - recall)
        if handles and not gentle and planned(readout, spared, who).met:
            limits = spared
        readout, limits, reason = _agreed(reader, readout, limits, who, how, reason)
        if not reason.startswith(_VETO):
            cut = partial(_cut, readout=readout, who=who, store=store, summarizer=how.summarizer)
            outcome, reason = _attempt(readout, limits, who, cut, how.budget if gentle else None, tokens)
    if outcome is not None:
        gone = [readout.classified.spans[entry.order] for entry in outcome.plan.entries if entry.action in LEAVING]
        warnings = (*warnings, *secrets_in(gone, store.key()), *unread_in(readout.classified.structure, gone))
    if outcome is not None and outcome.plan.rules[0] < outcome.plan.rules[1]:
        here, of = outcome.plan.rules
        behind = f"statements-behind: {of - here} of {of} sentences of a person that weigh have no room on the page"
        warnings = (*warnings, f"{behind}; they come back by the tombstone, or by their turns")
    result = _result(messages, reader.thread, readout, outcome, tokens, reason, warnings, store)
    room = min(recall, max(within, result.tokens_after) - result.tokens_after)
    return (_with_recalled(result, handles, room) if handles else result), outcome


def _with_recalled(result: Result, handles: Sequence[str], room: int) -> Result:
    """The result with what the request names behind it."""
    readout = result.readout
    gone = set() if result.plan is None else {e.span_id for e in result.plan.entries if e.action in LEAVING}
    standing = frozenset(span.id for span in readout.classified.spans) - gone
    count = readout.counter.count
    messages, tokens, why = brought_back(
        handles, standing, result.messages, readout.wire, result.store, result.session, count, room
    )
    if not messages:
        return replace(result, warnings=(*result.warnings, why)) if why else result
    shown = [*result.messages, *messages]
    request = None if result.request is None else {**result.request, readout.transcript.messages_key: shown}
    return replace(result, messages=shown, request=request, changed=True, tokens_after=result.tokens_after + tokens)


def _limits(readout: Readout, reader: Reader, how: How, tokens: int) -> Limits:
    window = how.budget.window if how.budget is not None else tokens
    said = [pin for pin in reader.pins if isinstance(pin, str) and not SPAN_ID.fullmatch(pin)]
    missing = [pin for pin in said if not _stands(pin, readout.classified.spans)]
    return Limits(
        policy=how.policy,
        target=0,
        binding=how.binding or "none",
        drop_block=how.drop_block,
        own_max=max(int(window * own_text_share), own_text_tokens_min),
        fold=True,
        statements=tuple(dict.fromkeys(missing)),
        summarizer=None if how.summarizer is None else how.summarizer.describe(),
        summary_window=0 if how.summarizer is None else how.summarizer.window_tokens,
    )


_LASTING: Final = frozenset({LineKind.lift, LineKind.pin})


def _stands(pin: str, spans: Iterable[Span]) -> bool:
    """A span is it or holds it, and so stays; or a line of ours does that never folds."""
    line = pin_line(pin)
    for span in spans:
        if span.provenance is not Provenance.compactor:
            if pin in span.text or span.id == pin:
                return True
        elif any(pin in text or text == line for text in page_lines(span.text) if kind_of_line(text) in _LASTING):
            return True
    return False


_VETO: Final = "vetoed"
_PLANS_SHOWN_MAX: Final = 3


def _agreed(
    reader: Reader, readout: Readout, limits: Limits, who: Identity, how: How, reason: str
) -> tuple[Readout, Limits, str]:
    """What `on_plan` lets be: the reading with its pins; a reason that begins with `_VETO` if it lets nothing be."""
    for _ in range(_PLANS_SHOWN_MAX if how.on_plan is not None else 0):
        assert how.on_plan is not None
        plan = planned(readout, limits, who)
        if not plan.met:
            break  # the halt says what is the matter
        answer = how.on_plan(
            Proposal(
                plan.tokens_before,
                plan.tokens_after,
                limits.target,
                plan.entries,
                readout.classified.spans,
                plan.page_lines,
                plan.first_changed,
            )
        )
        if answer is None or answer is True:
            break
        if answer is False:
            return readout, limits, f"{_VETO} by on_plan"
        reader = replace(reader, pins=(*reader.pins, *pins_of(answer)))
        readout = reader.read()
    return readout, limits, reason


def _result(
    messages: Any,
    thread: Thread,
    readout: Readout,
    outcome: Outcome | None,
    tokens: int,
    reason: str,
    warnings: tuple[str, ...],
    store: Store,
) -> Result:
    """What is handed out: the new view, the one that stands, or the caller's own object."""
    request, key = readout.transcript.request, readout.transcript.messages_key
    stands = outcome is None and thread.carried is not None and not thread.adopted
    record: CompactionRecord | None = None
    if outcome is not None:
        shown: Any = list(outcome.view.sent)
        record = outcome.record
    elif stands and thread.carried is not None:
        shown = thread.shown
        record = CompactionRecord.from_dict(thread.standing) if thread.standing is not None else None
    elif request is not None and messages is request:
        shown = request[key]
    else:
        shown = readout.messages if isinstance(messages, (bytes, dict)) else messages  # bytes are not what is sent
    changed = outcome is not None or stands
    return Result(
        messages=shown,
        request={**request, key: shown} if changed and request is not None else request,
        record=record,
        tokens_before=tokens,
        tokens_after=outcome.tokens_after if outcome else tokens,
        counter=readout.counter.name,
        basis=readout.counter.basis,
        changed=changed,
        reason="" if outcome else reason,
        warnings=warnings,
        store=store,
        session=thread.name,
        readout=readout,
        plan=outcome.plan if outcome else None,
        _line=outcome.summary if outcome else f"what earlier cuts left stands: {reason}; {tokens:,} tokens",
    )


def _cut(limits: Limits, *, readout: Readout, who: Identity, store: Store, summarizer: Summarizer | None) -> Outcome:
    return drive(compaction(readout, limits, who), store, who.session, summarizer)


def _attempt(
    readout: Readout,
    limits: Limits,
    who: Identity,
    cut: Callable[[Limits], Outcome],
    gentle: Budget | None,
    tokens: int,
) -> tuple[Outcome | None, str]:
    """Cuts; a small reclaim takes lossless steps only, and none at all if they do not suffice but it fits."""
    if gentle is None:
        return cut(limits), ""
    careful = replace(limits, lossless_only=True, fold=False, summarizer=None)
    plan = planned(readout, careful, who)
    if plan.met:
        return cut(careful), ""
    if tokens + gentle.overhead <= gentle.window:
        return None, (
            f"a small reclaim ({tokens - limits.target:,} tokens, under {gentle.min_gain:.0%} of the window): lossless "
            f"steps reach {plan.tokens_after:,}, not {limits.target:,}, and the request still fits"
        )
    return cut(limits), ""
