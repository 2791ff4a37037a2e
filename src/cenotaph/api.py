"""The one door: everything that a caller, an adapter or the command line uses.

`compact` is one compaction of one list of messages; `Session` is the same for a client that sends
its growing history before each model call. Both raise before they lose anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cenotaph.core.classify import Classified
from cenotaph.core.handles import partition
from cenotaph.core.ids import JSON, hash_of
from cenotaph.core.markers import known_markers, resolve_markers
from cenotaph.core.model import Counter, Kind, Mark, Transcript, Wire
from cenotaph.core.plan import BINDINGS, Framing, Limits, Plan, Standing
from cenotaph.core.policy import Budget, Policy
from cenotaph.core.record import CompactionRecord
from cenotaph.core.rehydrate import Rehydrated, resolve
from cenotaph.core.report import protected_warning
from cenotaph.core.session import (
    Identity,
    Memo,
    Outcome,
    Readout,
    compaction,
    planned,
    reach,
    read,
    recounted,
    standing_view,
    total_tokens,
)
from cenotaph.core.spans import tokens_of
from cenotaph.core.tokens import CalibratedCounter, calibrate, message_framing
from cenotaph.core.tools import Tools, ToolSpec
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.dialects.detect import by_name, detect
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.errors import ConfigurationError
from cenotaph.runtime.counters import counter_for
from cenotaph.runtime.driver import drive
from cenotaph.runtime.occasion import occasion
from cenotaph.runtime.replay import replay
from cenotaph.store.base import Store
from cenotaph.store.check import VerifyReport, verify_store
from cenotaph.store.memory import MemoryStore
from cenotaph.store.opening import open_store

__all__ = ["ClassifiedSpan", "Result", "Session", "classify", "compact", "explain", "rehydrate", "verify"]

_WIRES: Mapping[str, Wire] = {"anthropic": ANTHROPIC, "openai-chat": OPENAI_CHAT}

Pin = str | re.Pattern[str]
Tool = ToolSpec | str | Mapping[str, JSON]


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


def _wire_of(transcript: Transcript) -> Wire:
    return _WIRES[transcript.wire]


def _parsed(messages: Any, dialect: str | None, region: str) -> Transcript:
    chosen = by_name(dialect) if dialect is not None else detect(messages)
    if region == "last":
        return chosen.parse(messages)
    if region != "all" or chosen is not CLAUDE_CODE:
        raise ConfigurationError(
            f"region={region!r} for {chosen.name}: `all` is for session files, which hold more than is sent"
        )
    return CLAUDE_CODE.parse(messages, region="all")


def _counter(transcript: Transcript, model: str | None) -> Memo:
    return Memo(counter_for(model=model or transcript.model, wire=transcript.wire))


def _calibrated(readout: Readout) -> Readout:
    """The readout with an estimate scaled by what the provider itself counted, if it did."""
    usage = readout.transcript.usage
    if not usage or readout.counter.basis == "exact":
        return readout
    spans = readout.classified.spans
    frame = readout.framing
    upto: list[int] = [0]
    position = 0
    for index in range(len(readout.transcript.messages)):
        tokens = frame.message
        while position < len(spans) and spans[position].message <= index:
            span = spans[position]
            tokens += span.tokens + frame.of(span.kind)
            position += 1
        upto.append(upto[-1] + tokens)
    calibration = calibrate([(upto[item.message], item.input_tokens) for item in usage if item.message < len(upto)])
    if not calibration.samples:
        return readout
    return recounted(readout, Memo(CalibratedCounter(readout.counter, calibration)))


def _read(
    transcript: Transcript, counter: Counter, tools: Iterable[Tool], pins: Iterable[Pin], keep: Iterable[str]
) -> Readout:
    declared = Tools.of(tools, profile=transcript.dialect)
    framing = Framing(*message_framing(transcript.wire))
    readout = read(transcript, _wire_of(transcript), counter, declared, framing, pins, keep)
    return _calibrated(readout)


def _binding(readout: Readout, binding: str | None, model: str | None) -> str:
    """How signed reasoning is bound: as said, else by the model's name; unknown is the strictest."""
    if binding is not None:
        if binding not in BINDINGS:
            raise ConfigurationError(f"binding={binding!r}: one of {', '.join(BINDINGS)}, or None")
        return binding
    signed = any(s.kind is Kind.reasoning and Mark.signed in s.part.marks for s in readout.classified.spans)
    return binding_of_model(model or readout.transcript.model) if signed else "none"


_PREFIX_BOUND = re.compile(r"(?:fable|mythos)-5-[1-9]|(?:opus|sonnet|haiku)-5-[5-9]|-[6-9](?:-|$)")
_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?\d")


def binding_of_model(model: str | None) -> str:
    """`prefix` for models whose reasoning is bound to all before it, and for unknown ones; else `newest`.

    Source: rule A6, the vendor's page on preserved thinking (Fable 5.1+, Mythos 5.1+, the 5.5 models).
    """
    name = (model or "").lower()
    if not _CLAUDE.search(name) or _PREFIX_BOUND.search(name):
        return "prefix"
    return "newest"


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


def _opened(store: str | Store | None) -> tuple[Store, bool]:
    if store is None:
        return MemoryStore(), False
    return (open_store(store), True) if isinstance(store, str) else (store, True)


def _name(session: str | None, transcript: Transcript) -> str:
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
    policy = policy or Policy.strict()
    kept = list(keep)
    transcript = _parsed(messages, dialect, region)
    name = _name(session, transcript)
    opened, stored = _opened(store)
    records = opened.records(name) if stored else []
    transcript = resolve_markers(transcript, known_markers(records))
    readout = _read(transcript, _counter(transcript, model), tools, pins, kept)
    who = Identity(
        session=name,
        key=opened.key(),
        stored=stored,
        seq=len(records) + 1,
        previous=records[-1]["record_id"] if records else None,
        occasion=occasion(actor, model or transcript.model),
    )
    return _compacted(
        messages,
        readout,
        who,
        opened,
        policy,
        budget,
        to_tokens,
        _binding(readout, binding, model),
        drop_block,
    )[0]


def _compacted(
    messages: Any,
    readout: Readout,
    who: Identity,
    store: Store,
    policy: Policy,
    budget: Budget | None,
    to_tokens: int | None,
    binding: str,
    drop_block: bool,
) -> tuple[Result, Outcome | None]:
    tokens = total_tokens(readout, who.standing)
    target, gentle, reason = _target(budget, to_tokens, tokens)
    limits = Limits(policy=policy, target=target or 0, binding=binding, drop_block=drop_block)
    warnings = _warnings(readout, limits, who, budget)
    outcome: Outcome | None = None
    if target is not None:
        outcome, reason = _attempt(readout, limits, who, store, budget if gentle else None, tokens)
    request = readout.transcript.request
    if outcome is None:
        shown = messages if request is None or messages is not request else request[readout.transcript.messages_key]
        if not isinstance(shown, list):
            shown = readout.messages  # a session file's bytes are not what is sent
        return (
            Result(
                messages=shown,
                request=request,
                record=None,
                tokens_before=tokens,
                tokens_after=tokens,
                counter=readout.counter.name,
                basis=readout.counter.basis,
                changed=False,
                reason=reason,
                warnings=warnings,
                store=store,
                session=who.session,
                readout=readout,
            ),
            None,
        )
    view = list(outcome.view.messages)
    return (
        Result(
            messages=view,
            request=None if request is None else {**request, readout.transcript.messages_key: view},
            record=outcome.record,
            tokens_before=outcome.tokens_before,
            tokens_after=outcome.tokens_after,
            counter=readout.counter.name,
            basis=readout.counter.basis,
            changed=True,
            reason="",
            warnings=warnings,
            store=store,
            session=who.session,
            readout=readout,
            plan=outcome.plan,
            _line=outcome.summary,
        ),
        outcome,
    )


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


def rehydrate(what: str, *, store: str | Store, session: str) -> list[Rehydrated]:
    """The verbatim originals behind a handle; a gap is raised, never filled.

    Args:
        what: A store handle (`cx:...`), a native handle (`file:src/app.py`), a tombstone, or a text
            whose handles are asked for.
        store: URL or store.
        session: Handles resolve only inside their session.

    Returns:
        Newest first, each original once.

    Raises:
        IrreversibleCompactionError: No handle resolves; `hints` names the nearest known ones.
        StoreError: The store failed; never reported as a gap.
    """
    opened = open_store(store) if isinstance(store, str) else store
    return resolve(what, opened, session)


def verify(store: str | Store, *, session: str | None = None, read_data: bool = False) -> VerifyReport:
    """Every promise of a store that does not hold is a finding.

    Args:
        store: URL or store; only read.
        session: One session; None checks all.
        read_data: Also decode and hash every original, and replay every record to the byte.

    Raises:
        StoreError: The store can't be asked at all.
    """
    opened = open_store(store) if isinstance(store, str) else store
    return verify_store(opened, session, read_data, replay=replay if read_data else None)


@dataclass(frozen=True, slots=True)
class ClassifiedSpan:
    """One span with its class.

    Attributes:
        id: Span id.
        message: Index of its message, -1 for system text outside the messages.
        turn: Number of its turn.
        kind, provenance: What it is and who wrote it.
        cls: The span's class, a `SpanClass`.
        row: Id of the row of the table.
        why: The row in words.
        tokens: By the counter for the transcript's model.
        text: What the model reads of it.
        tool: Name of the tool of a call or result, else None.
        parts: (kind, start, end) over `text`: handles and narrative, every character once.
    """

    id: str
    message: int
    turn: int
    kind: str
    provenance: str
    cls: Any
    row: str
    why: str
    tokens: int
    text: str
    tool: str | None

    @property
    def parts(self) -> list[tuple[str, int, int]]:
        return partition(self.text)


def _spans_of(classified: Classified) -> list[ClassifiedSpan]:
    structure = classified.structure
    found = []
    for span, row in zip(structure.spans, classified.rows, strict=True):
        call = structure.call_of.get(span.order)
        found.append(
            ClassifiedSpan(
                id=span.id,
                message=span.message,
                turn=span.turn,
                kind=span.kind.value,
                provenance=span.provenance.value,
                cls=row.cls,
                row=row.id,
                why=f"{row.structure}: {row.why}",
                tokens=span.tokens,
                text=span.text,
                tool=span.part.tool if call is None else structure.spans[call].part.tool,
            )
        )
    return found


def classify(
    messages: Any,
    *,
    dialect: str | None = None,
    tools: Iterable[Tool] = (),
    pins: Iterable[Pin] = (),
    model: str | None = None,
    region: str = "last",
) -> list[ClassifiedSpan]:
    """Every span with its class and row: by structure and provenance, never by an opinion.

    Raises:
        InputError: The messages can't be read.
    """
    return _spans_of(explain(messages, dialect=dialect, tools=tools, pins=pins, model=model, region=region).classified)


def explain(
    messages: Any,
    *,
    dialect: str | None = None,
    tools: Iterable[Tool] = (),
    pins: Iterable[Pin] = (),
    model: str | None = None,
    region: str = "last",
) -> Readout:
    """Everything that a decision about these messages would rest on; decides nothing."""
    transcript = resolve_markers(_parsed(messages, dialect, region), known_markers(()))
    return _read(transcript, _counter(transcript, model), tools, pins, ())


class Session:
    """A client's growing history, compacted the same way each time it is sent.

    What left stays left, byte for byte, until the next cut; messages that no cut touched are the
    client's own objects. Work per call is proportional to what is new.

    Attributes:
        name: Session name in the store.
        store: Where originals and records live.
        last: The `Result` of the newest `view`, None before the first.
    """

    def __init__(
        self,
        name: str,
        *,
        store: str | Store | None = None,
        budget: Budget | None = None,
        to_tokens: int | None = None,
        mode: str = "act",
        policy: Policy | None = None,
        tools: Iterable[Tool] = (),
        pins: Iterable[Pin] = (),
        dialect: str | None = None,
        model: str | None = None,
        binding: str | None = None,
        drop_block: bool = False,
    ) -> None:
        if mode not in ("act", "observe", "off"):
            raise ConfigurationError(f"mode={mode!r}: act, observe or off")
        if budget is None and to_tokens is None and mode != "off":
            raise ConfigurationError(
                "neither budget nor to_tokens was given.", next_step="Pass budget=Budget(window=...)."
            )
        self.name = _name(name, Transcript("", "", ()))
        self.store, self._stored = _opened(store)
        self.last: Result | None = None
        self._budget, self._to_tokens, self._mode = budget, to_tokens, mode
        self._policy = policy or Policy.strict()
        self._tools, self._pins = tuple(tools), tuple(pins)
        self._dialect, self._model = dialect, model
        self._binding, self._drop_block = binding, drop_block
        self._counter: Memo | None = None
        self._standing = Standing()
        self._handles: frozenset[str] = frozenset()
        self._seen: list[JSON] = []
        self._shown: list[JSON] = []
        self._tokens = 0
        self._read_at = 0

    def view(self, messages: Sequence[JSON]) -> Sequence[JSON]:
        """The messages to send in place of `messages`; the same object if nothing ever left.

        Raises:
            BudgetExhausted, CompactionInvariantError, InputError, StoreError: As `compact`.
        """
        if self._mode == "off":
            return messages
        new = self._new_part(messages)
        if new is not None and not self._due(new):
            return self._extended(messages, new)
        return self._whole(messages, diverged=new is None)

    def _new_part(self, messages: Sequence[JSON]) -> list[JSON] | None:
        """What was not there last time; None if the history before it is another one."""
        seen = len(self._seen)
        if not seen or len(messages) < seen or self.last is None or list(messages[:seen]) != self._seen:
            return None
        return list(messages[seen:])

    def _due(self, new: list[JSON]) -> bool:
        """Whether the new part takes the history over the trigger, or far enough to be read anew."""
        assert self._counter is not None
        assert self.last is not None
        self._grown = self._tokens + self._tokens_of(new)
        limit = self._to_tokens if self._to_tokens is not None else 0
        if self._budget is not None and self._to_tokens is None:
            limit = self._budget.trigger_tokens - self._budget.overhead
        return self._grown > limit or self._grown > self._read_at * 1.1 + 1_000

    def _tokens_of(self, new: list[JSON]) -> int:
        assert self._counter is not None
        assert self.last is not None
        wire = self.last.readout.wire
        frame = self.last.readout.framing
        total = 0
        for message in wire.parse_messages(new):
            total += frame.message
            for part in message.parts:
                total += frame.of(part.kind) + tokens_of(part, part.text, self._counter)
        return total

    def _extended(self, messages: Sequence[JSON], new: list[JSON]) -> Sequence[JSON]:
        assert self.last is not None
        self._tokens = self._grown
        self._seen += snapshot(new)
        untouched = not self._standing.actions
        self._shown = list(messages) if untouched else self._shown + new
        shown = messages if untouched else list(self._shown)
        self.last = replace(
            self.last,
            messages=shown,
            record=None,
            tokens_before=self._tokens,
            tokens_after=self._tokens,
            changed=False,
            reason=f"{self._tokens:,} tokens: nothing to do",
            plan=None,
        )
        return shown

    def _whole(self, messages: Sequence[JSON], *, diverged: bool) -> Sequence[JSON]:
        warnings: tuple[str, ...] = ()
        if diverged and self._seen:
            if self._standing.actions:
                warnings = ("history-diverged: what is sent differs before the last cut; this view starts afresh",)
            self._standing, self._handles = Standing(), frozenset()
        transcript = _parsed(messages, self._dialect, "last")
        records = self.store.records(self.name)
        transcript = resolve_markers(transcript, known_markers(records))
        if self._counter is None:
            self._counter = _counter(transcript, self._model)
        readout = _read(transcript, self._counter, self._tools, self._pins, ())
        who = Identity(
            session=self.name,
            key=self.store.key(),
            stored=self._stored,
            seq=len(records) + 1,
            previous=records[-1]["record_id"] if records else None,
            known=self._handles,
            standing=self._standing,
            occasion=occasion("session", self._model or transcript.model),
        )
        binding = _binding(readout, self._binding, self._model)
        result, outcome = _compacted(
            messages,
            readout,
            who,
            self.store,
            self._policy,
            self._budget,
            self._to_tokens,
            binding,
            self._drop_block,
        )
        result = replace(result, warnings=(*warnings, *result.warnings))
        if self._mode == "observe":
            self.last = result
            return messages
        return self._settle(messages, readout, result, outcome)

    def _settle(
        self, messages: Sequence[JSON], readout: Readout, result: Result, outcome: Outcome | None
    ) -> Sequence[JSON]:
        self._counter = readout.counter if isinstance(readout.counter, Memo) else Memo(readout.counter)
        self._seen = snapshot(list(messages))
        if outcome is not None:
            self._standing, self._handles = outcome.standing, outcome.handles
        elif self._standing.actions:
            result = replace(result, messages=standing_view(readout, self._standing))
        self._shown = list(result.messages)
        self._tokens = self._read_at = result.tokens_after
        self.last = result
        return result.messages  # type: ignore[no-any-return]

    def rehydrate(self, what: str) -> list[Rehydrated]:
        """See `rehydrate`."""
        return resolve(what, self.store, self.name)

    def records(self) -> list[CompactionRecord]:
        """Every record of this session, oldest first."""
        return [CompactionRecord.from_dict(fields) for fields in self.store.records(self.name)]


def snapshot(value: list[JSON]) -> list[JSON]:
    """A copy of the structure that shares the texts: a caller's later edit in place is seen as one."""
    return [_copied(item) for item in value]


def _copied(value: JSON) -> JSON:
    if isinstance(value, dict):
        return {key: _copied(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_copied(child) for child in value]
    return value
