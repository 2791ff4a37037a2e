"""One compaction, as pure steps: what is decided, what must be written, and in which order.

`compaction` decides, writes the view,
checks every law on it, and then *yields* what a driver must make durable: spans, then handles, then
the record. Only when the driver has carried out the last one does the generator return the view. If
the driver fails, it closes the generator: nothing was handed out and the caller's messages are as
they were.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cenotaph import limits
from cenotaph.core.apply import View, apply_plan, make_recipe, take_apart
from cenotaph.core.asking import aliases
from cenotaph.core.carried import Carried, as_ours, remembered, to_state
from cenotaph.core.classify import classify_structure, table_hash
from cenotaph.core.effects import Answer, Effect, HandleRow, PutHandles, PutRecord, PutSpans, SpanRow
from cenotaph.core.facts import CALL_SCHEME, Pins, collect_facts, normal_handle
from cenotaph.core.ids import JSON, ListHash, hash_of, store_handle, verbatim_json
from cenotaph.core.invariants import Evidence, check_laws, new_breaches
from cenotaph.core.lines import TOMBSTONES, LineKind, Namer
from cenotaph.core.model import Kind, Mark, Message, Provenance
from cenotaph.core.plan import Limits, Plan, make_plan, own_tokens
from cenotaph.core.policy import LEAVING, Policy
from cenotaph.core.readout import Readout, total_tokens
from cenotaph.core.record import CompactionRecord
from cenotaph.core.report import halt_report, kept_line, reachable, token_profile, ways_out
from cenotaph.core.spans import Span, Structure, build_structure, value_at
from cenotaph.core.summary import Amendment, summarized
from cenotaph.core.tombstone import PAGE_HEADER, Tombstone
from cenotaph.errors import BudgetExhausted, CompactionInvariantError, IndexBudgetExceeded

__all__ = ["Identity", "Outcome", "compaction", "controlled", "deposit", "planned", "reach"]

ENGINE: Final = "cenotaph 0.1"


@dataclass(frozen=True, slots=True)
class Identity:
    """In whose name a compaction happens.

    Attributes:
        session: Session name.
        key: The store's key.
        stored: A store that outlives the call holds the originals.
        seq: Number of the record to write, from 1.
        previous: Id of the record before, None for the first.
        carried: The state after the last cut; what is read begins with its view. None before the first.
        source: Hash of the whole history; None if that is what is read.
        parent: The session and record that this session was forked from, None if it was not.
        occasion: Fields of the record outside its hash: at, actor, model.
    """

    session: str
    key: bytes
    stored: bool
    seq: int = 1
    previous: str | None = None
    carried: Carried | None = None
    source: ListHash | None = None
    parent: Mapping[str, JSON] | None = None
    occasion: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def known(self) -> int:
        """How many of the messages that are read stood in the last view."""
        return 0 if self.carried is None else len(self.carried.messages)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a compaction hands out.

    Attributes:
        view: The messages to send.
        record: Its warrant.
        plan: The decision.
        carried: What the next compaction starts from.
        tokens_before, tokens_after: Of what is sent, by one counter.
        summary: The one plain line.
    """

    view: View
    record: CompactionRecord
    plan: Plan
    carried: Carried
    tokens_before: int
    tokens_after: int
    summary: str


def _namer(readout: Readout, who: Identity) -> Namer:
    return Namer(readout.classified, key=who.key, session=who.session, stored=who.stored)


def planned(readout: Readout, limits_: Limits, who: Identity) -> Plan:
    """What would be decided; nothing is written."""
    return make_plan(readout.classified, _namer(readout, who), _set(limits_, readout, who), readout.counter.count)


def _set(limits_: Limits, readout: Readout, who: Identity) -> Limits:
    """The limits, with what only the reading and the store know."""
    return replace(
        limits_, framing=readout.framing, other_tokens=readout.other_tokens, fold=limits_.fold and who.stored
    )


def reach(readout: Readout, limits_: Limits, who: Identity) -> Plan:
    """The plan with everything gone that the policy lets go."""
    return planned(readout, replace(limits_, target=-(1 << 62), lossless_only=False), who)


def compaction(readout: Readout, limits_: Limits, who: Identity) -> Generator[Effect, Answer, Outcome]:
    """Decides, checks, and has everything written before it returns the view.

    Args:
        readout: What came in.
        limits_: Policy, target, binding.
        who: Session, key and what the store holds already.

    Yields:
        Perhaps a `Summarize`, which is answered; then what a driver must make durable, in order.

    Raises:
        BudgetExhausted: The target can't be met; what came in and a record of the halt were yielded first.
        IndexBudgetExceeded: Likewise, and only because our own text would outgrow its bound.
        CompactionInvariantError: A law does not hold; nothing was yielded.
    """
    namer = _namer(readout, who)
    limits_ = _mended(readout, _set(limits_, readout, who), namer)
    decided = _decided(readout, limits_, namer, _reserve(limits_)) if _reserve(limits_) else None
    if not isinstance(decided, _Decided):
        decided = _decided(readout, limits_, namer, 0)
    if isinstance(decided, Plan):
        yield from _halt(readout, decided, limits_, who, namer)
    assert isinstance(decided, _Decided)
    limits_ = replace(limits_, held=decided.held)
    amendment = Amendment()
    if limits_.summarizer is not None and who.stored and not limits_.lossless_only:
        room = limits_.target - decided.after
        count = readout.counter.count
        amendment = yield from summarized(readout.classified, decided.plan, limits_, namer, count, room)
        amended = _shown(readout, limits_, amendment.amended(decided.plan))
        decided = amended if amended.after <= limits_.target else decided
    written = _Written(readout, decided, amendment, limits_, who, namer)
    written.check()
    record = yield from written.effects()
    return Outcome(
        view=decided.view,
        record=record,
        plan=decided.plan,
        carried=written.carried,
        tokens_before=decided.plan.tokens_before,
        tokens_after=decided.after,
        summary=kept_line(readout.classified, decided.plan, decided.plan.tokens_before, decided.after),
    )


@dataclass(frozen=True, slots=True)
class _Decided:
    """A plan that meets its target, with the view that it gives.

    Attributes:
        plan: The decision.
        view: What would be sent.
        again: The view, read anew.
        after: Its tokens, counted anew.
        held: Messages that had to stay for the sake of what they stand between; see `Limits.held`.
    """

    plan: Plan
    view: View
    again: Readout
    after: int
    held: frozenset[int] = frozenset()


def _reserve(limits_: Limits) -> int:
    """Tokens that are left free for a surrogate."""
    if limits_.summarizer is None or limits_.lossless_only:
        return 0
    share = int(limits_.target * limits.surrogate_share)
    return min(limits.surrogate_tokens_max, max(limits.surrogate_tokens_min, share))


def _shown(readout: Readout, limits_: Limits, plan: Plan) -> _Decided:
    view = apply_plan(readout.transcript, readout.classified, plan, limits_.policy, readout.wire)
    again = _read_view(readout, view)
    return _Decided(plan, view, again, total_tokens(again))


def _decided(readout: Readout, limits_: Limits, namer: Namer, reserve: int) -> _Decided | Plan:
    """The plan whose view is within the target, less `reserve`; else the plan that says how far it goes."""
    wanted = target = limits_.target - reserve
    seen = 0
    for _ in range(limits.replans_max):
        plan = make_plan(readout.classified, namer, replace(limits_, target=target), readout.counter.count)
        between = _between_joined(readout, limits_, plan)
        if between - limits_.held:
            return _decided(readout, replace(limits_, held=limits_.held | between), namer, reserve)
        if not plan.met:
            # What is counted on a written view is truer than the plan's own account of its lines.
            return replace(plan, tokens_after=max(seen, plan.tokens_after, _shown(readout, limits_, plan).after))
        shown = _shown(readout, limits_, plan)
        if shown.after <= wanted:
            return replace(shown, held=limits_.held)
        seen = shown.after
        target -= max(1, shown.after - wanted)
    return replace(plan, met=False, tokens_after=shown.after)


def _between_joined(readout: Readout, limits_: Limits, plan: Plan) -> frozenset[int]:
    """Messages whose leaving joins an older output to the newest one, which goes back as it was if it is signed."""
    structure = readout.classified.structure
    newest = structure.last_agent_message
    stays = (structure.spans[o] for o in structure.by_output.get(newest, ()) if o not in plan.removed)
    signed = any(span.kind is Kind.reasoning and Mark.signed in span.part.marks for span in stays)
    if not signed or limits_.binding == "none" or not (plan.removed or plan.page):
        return frozenset()
    view = apply_plan(readout.transcript, readout.classified, plan, limits_.policy, readout.wire)
    at = 0
    for size in view.sizes:
        joined = [place.original for place in view.places[at : at + size]]
        at += size
        if newest in joined[1:] and joined[joined.index(newest) - 1] is not None:
            before = joined[joined.index(newest) - 1]
            return frozenset(range((before or 0) + 1, newest))
    return frozenset()


def controlled(
    session: str,
    seq: int,
    previous: str | None,
    control: Mapping[str, JSON],
    occasion: Mapping[str, JSON],
    parent: Mapping[str, JSON] | None = None,
) -> Generator[Effect, Answer, CompactionRecord]:
    """Puts what a caller decided about a session into its records: a pin, a release, an undo.

    Args:
        session: Session name.
        seq, previous: As in `Identity`.
        control: What was decided, e.g. `{"pin": ["never touch /etc/prod"]}`.
        occasion, parent: As in `Identity`.
    """
    nothing = hash_of([])
    body: dict[str, JSON] = {
        "session": session,
        "seq": seq,
        "previous": previous,
        **({} if parent is None else {"parent": dict(parent)}),
        "status": "verified",
        "semantics": "eviction",
        "policy": None,
        "recall_by": None,
        "engine": {"version": ENGINE, "table": table_hash()},
        "token_profile": {"before": {}, "after": {}, "own_text": 0},
        "tokens_before": 0,
        "tokens_after": 0,
        "entries": [],
        "surrogates": [],
        "handles": [],
        "tombstones": [],
        "laws": [],
        "source_sha256": nothing,
        "view_sha256": nothing,
        "control": dict(control),
    }
    record = CompactionRecord.seal(body, occasion)
    yield PutRecord(record.to_dict())
    return record


def _mended(readout: Readout, limits_: Limits, namer: Namer) -> Limits:
    """Orphan results leave first only where the request is the better for it: in a garbled one they may not be."""
    structure = readout.classified.structure
    if all(span.order in structure.call_of for span in structure.spans if span.kind is Kind.result):
        return limits_
    plan = make_plan(readout.classified, namer, limits_, readout.counter.count)
    view = apply_plan(readout.transcript, readout.classified, plan, limits_.policy, readout.wire)
    return replace(limits_, mend_orphans=not new_breaches(readout.transcript, view, readout.wire))


def _read_view(readout: Readout, view: View) -> Readout:
    """The view, read anew: untouched messages as they were read, all others from their bytes."""
    rewritten = [m for m, place in zip(view.messages, view.places, strict=True) if place.changed]
    parsed = iter(readout.wire.parse_messages(rewritten))
    origins = readout.classified.structure.origins
    messages: list[Message] = []
    for at, place in enumerate(view.places):
        if place.original is None:
            following = next((p.original for p in view.places[at:] if p.original is not None), len(origins) - 1)
            messages.append(replace(as_ours(next(parsed)), origin=origins[following]))
            continue
        original = readout.transcript.messages[place.original]
        message = remembered(next(parsed), place.parts, original) if place.changed else original
        messages.append(replace(message, origin=origins[place.original]))
    transcript = replace(readout.transcript, messages=tuple(messages))
    structure = build_structure(transcript, readout.counter, named=False)
    reading = collect_facts(structure, readout.tools, Pins(), transcript.tool_names, readout.classified.reading.writes)
    return replace(readout, transcript=transcript, classified=classify_structure(structure, reading))


class _Written:
    """One compaction that is decided: what the laws see of it, what the store gets, and its record."""

    def __init__(
        self,
        readout: Readout,
        decided: _Decided,
        amendment: Amendment,
        limits_: Limits,
        who: Identity,
        namer: Namer,
    ) -> None:
        self.readout, self.amendment = readout, amendment
        self.plan, self.view, self.again, self.after = decided.plan, decided.view, decided.again, decided.after
        self.limits, self.who, self.namer = limits_, who, namer
        plan = self.plan
        self.spans = readout.classified.spans
        self.leaving = [self.spans[entry.order] for entry in plan.entries if entry.action in LEAVING]
        self.contents = {namer.handle(span): span.data for span in self.spans}
        self.contents.update({p.handle: p.manifest.encode() for p in plan.pointers})
        self.apart = _taken_apart(readout, namer)
        self.names = sorted(set(self._named()))
        self.source_ref = self._keep(_source_of(self.apart, who))
        self.carried = self._carried()
        self.view_ref = self._keep(to_state(self.carried))

    def _keep(self, value: JSON) -> str:
        data = verbatim_json(value)
        handle = store_handle(self.who.key, self.who.session, data)
        self.contents[handle] = data
        return handle

    def _named(self) -> Iterable[tuple[str, str]]:
        """(kind, handle under redaction) of everything by which a span that left can be asked for."""
        reading = self.readout.classified.reading
        for span in self.leaving:
            if span.provenance is Provenance.compactor:
                continue
            for pair in self.namer.found(span):
                shown = self.namer.alone(pair[1])
                yield pair if shown is pair[1] else (pair[0], shown)
            native = reading.handles.get(span.order)
            if native is not None and not native.startswith(CALL_SCHEME):
                yield "native", self.namer.alone(native)

    def _carried(self) -> Carried:
        """The state after this cut."""
        before, source = self.who.carried, self.who.source
        if source is None:
            source = ListHash()
            source.extend(self.readout.messages)
        origins = self.readout.classified.structure.origins
        kept: list[int | None] = []
        for place in self.view.places:
            if place.original is None or place.changed:
                kept.append(None)
            elif before is not None and place.original < len(before.kept):
                kept.append(before.kept[place.original])
            else:
                kept.append(origins[place.original].index)
        alone = [size == 1 for size in self.view.sizes for _ in range(size)]
        standing = {self.namer.handle(span) for span in self.spans if span.order not in self.plan.removed}
        return Carried(
            messages=self.again.transcript.messages,
            kept=tuple(index if by_itself else None for index, by_itself in zip(kept, alone, strict=True)),
            tail=origins[-1],
            writes=self.readout.classified.reading.writes,
            source=source,
            source_ref=self.source_ref,
            handles=frozenset(standing),
            sent=self.view.sent,
            sizes=self.view.sizes,
        )

    def check(self) -> None:
        """Checks every law.

        Raises:
            CompactionInvariantError: Names those that do not hold.
        """
        limits_ = replace(self.limits, target=self.plan.target)
        readout = self.readout
        broken = check_laws(
            Evidence(
                transcript=readout.transcript,
                classified=readout.classified,
                plan=self.plan,
                replanned=lambda: self._amended(
                    make_plan(readout.classified, self.namer, limits_, readout.counter.count)
                ),
                view=self.view,
                view_messages=self.again.transcript.messages,
                view_plan=self.again.classified.reading.plan,
                policy=self.limits.policy,
                target=self.limits.target,
                tokens_after=self.after,
                steps=make_recipe(self.view, self.apart),
                contents=self.contents,
                key=self.who.key,
                session=self.who.session,
                wire=readout.wire,
                found=self.namer.found,
                alone=self.namer.alone,
                record_handles=frozenset(value for _, value in self.names),
                redact=self.namer.redact,
                structural=self.amendment.structural,
                words=self.namer.words,
                binding=_binding_in_force(self.limits, self.readout),
            )
        )
        self.laws = list(broken)
        failed = {law: notes for law, notes in broken.items() if notes}
        if failed:
            first = "; ".join(f"{law}: {notes[0]}" for law, notes in failed.items())
            raise CompactionInvariantError(
                f"the view breaks a law and was not handed out: {first}.",
                laws=list(failed),
                next_step="Nothing was changed. This is a defect: please report it with the transcript's structure.",
                notes={law: notes[:5] for law, notes in failed.items()},
            )

    # The record ------------------------------------------------------------------------------

    def body(self) -> dict[str, JSON]:
        """The hashed part of the record."""
        plan, who = self.plan, self.who
        own = own_tokens(self.again.classified, self.readout.counter.count)
        removed = [self.spans[order] for order in sorted(plan.removed)]
        projections = self._projections()
        return {
            **_opening(self.readout, self.limits, who),
            "status": "verified",
            "semantics": "projection" if projections else "eviction",
            "semantics_failed": projections,
            "token_profile": token_profile(self.readout.classified, plan, own),
            "tokens_before": plan.tokens_before,
            "tokens_after": self.after,
            "target": self.limits.target,
            "entries": _entries(plan),
            "surrogates": [dict(told) for told in self.amendment.told],
            "handles": [{"kind": kind, "value": value} for kind, value in self.names],
            "tombstones": self._tombstones(),
            "removed": [{"span": span.id, "handle": self.namer.handle(span)} for span in removed],
            "laws": [{"id": law, "holds": True} for law in self.laws],
            "cache": {
                "first_changed_message": plan.first_changed,
                "tokens_rewritten": _rewritten(self.readout, self.view, plan),
            },
            "source_sha256": self.carried.source.hexdigest(),
            "view_sha256": hash_of(list(self.view.sent)),
            "source_ref": self.source_ref,
            "view_ref": self.view_ref,
            "pages": self._pages(),
        }

    def sent(self) -> dict[str, JSON]:
        """What was sent to which host."""
        return {"sent": [dict(one) for one in self.amendment.sent]} if self.amendment.sent else {}

    def _amended(self, plan: Plan) -> Plan:
        stands = any(line.kind is LineKind.surrogate for line in self.plan.page)
        return self.amendment.amended(plan) if stands else plan

    def _projections(self) -> list[str]:
        """Which condition of an eviction does not hold."""
        if any(row.id == "for" for row in self.readout.classified.rows):
            return ["a foreign summary stands in the view: its region is not stored"]
        return []

    def _tombstones(self) -> list[JSON]:
        found: list[JSON] = [
            {"line": line, "span": self.spans[o].id, "at": "in_place"}
            for o, line in sorted(self.plan.lines.items())
            if not line.startswith(PAGE_HEADER)
        ]
        for line in self.plan.page:
            if line.kind in TOMBSTONES:
                ids = [self.spans[order].id for order in line.members]
                found.append({"line": line.text, "span": ids[0], "spans": ids, "at": "page"})
        return found

    def _pages(self) -> list[JSON]:
        """Every page that this cut wrote: its own, and older ones that are shorter now."""
        shorter = [line for line in self.plan.lines.values() if line.startswith(PAGE_HEADER)]
        return [[self.plan.page_at, self.view.page]] * bool(self.view.page) + [[-1, text] for text in shorter]

    # The store -------------------------------------------------------------------------------

    def effects(self) -> Generator[Effect, Answer, CompactionRecord]:
        """The write order: originals and what they were, then their names, then the record, which is given back."""
        known = self.who.carried.handles if self.who.carried is not None else frozenset()
        new = {handle: data for handle, data in self.contents.items() if handle not in known}
        at = _position(self.carried.tail.index, 0)
        rows = [pointer.manifest.row(pointer.handle, position=at) for pointer in self.plan.pointers]
        yield PutSpans(new, (*_span_rows(self.readout, self.namer, self._told()), *rows))
        yield PutHandles(tuple(self._handle_rows()))
        self.namer.forget()  # the record is as large as what it names; it is made when nothing else is held for it
        record = CompactionRecord.seal(self.body(), {**self.who.occasion, **self.sent()})
        yield PutRecord(record.to_dict())
        return record

    def _told(self) -> list[Span]:
        """Spans that the store must know of: those that are new, and those that leave, as they leave."""
        known = self.who.known
        fresh = [span for span in self.spans if span.message >= known or (span.message < 0 and not known)]
        orders = sorted({span.order for span in (*fresh, *self.leaving)})
        return [self.spans[order] for order in orders if self.spans[order].provenance is not Provenance.compactor]

    def _handle_rows(self) -> Iterator[HandleRow]:
        """Each row once."""
        yield from dict.fromkeys(_native_rows(self.readout, self._told(), self.namer))
        for line in self.plan.page:
            for order in line.members if line.kind is LineKind.exchange else ():
                yield HandleRow(Tombstone.find(line.text)[0].render(), "tombstone", self.spans[order].id)
        for span in self.leaving:
            if span.provenance is not Provenance.compactor:
                yield from _index_rows(span, self.namer)


def _index_rows(span: Span, namer: Namer) -> Iterable[HandleRow]:
    """The rows by which a span that leaves is asked for, each once: its handles, and their other spellings."""
    alone = namer.alone
    rows: dict[tuple[str, str], None] = {}
    for kind, value in namer.found(span):
        shown = alone(value)
        rows[alone(shown), kind] = None
        for name in aliases(kind, shown):
            rows[alone(name), "alias"] = None
    return [HandleRow(name, kind, span.id) for name, kind in rows]


def _source_of(apart: Sequence[list[JSON]], who: Identity) -> dict[str, JSON]:
    """The manifest of everything that came in: what is new, and where the rest is."""
    previous = None if who.carried is None else who.carried.source_ref
    return {"source": list(apart[who.known :]), "previous": previous}


def _taken_apart(readout: Readout, namer: Namer) -> list[list[JSON]]:
    spans, by_message = readout.classified.spans, readout.classified.structure.by_message
    handle_of = {span.order: namer.handle(span) for span in spans}
    return [
        take_apart(message.raw, [spans[order] for order in by_message.get(index, ())], handle_of)
        for index, message in enumerate(readout.transcript.messages)
    ]


def _opening(readout: Readout, limits_: Limits, who: Identity) -> dict[str, JSON]:
    """The fields of every record."""
    return {
        "session": who.session,
        "seq": who.seq,
        "previous": who.previous,
        **({} if who.parent is None else {"parent": dict(who.parent)}),
        "policy": limits_.policy.name,
        "recall_by": limits_.policy.recall_by,
        "engine": _engine(readout, limits_),
    }


def _binding_in_force(limits_: Limits, readout: Readout) -> str:
    """How signed reasoning is bound in what is sent: in an open loop the provider may drop what is bound."""
    dropped = limits_.binding == "prefix" and limits_.drop_block and readout.classified.structure.loop_open
    return "newest" if dropped else limits_.binding


def _entries(plan: Plan) -> list[JSON]:
    return [
        {"span": e.span_id, "row": e.row, "class": e.shelf.cls.value, "action": e.action.value, "net": e.net}
        for e in plan.entries
    ]


def _engine(readout: Readout, limits_: Limits) -> dict[str, JSON]:
    return {
        "version": ENGINE,
        "table": table_hash(),
        "tools": hash_of(readout.tools.as_json()),
        "counter": readout.counter.name,
        "basis": readout.counter.basis,
        "summarizer": None if limits_.summarizer is None else dict(limits_.summarizer),
        "dialect": readout.transcript.dialect,
        "binding": limits_.binding,
        "drop_block": limits_.drop_block,
    }


def _rewritten(readout: Readout, view: View, plan: Plan) -> int:
    """Tokens after the first change: what a prompt cache has to read anew."""
    if plan.first_changed < 0:
        return 0
    spans = readout.classified.spans
    tokens = sum(s.tokens for s in spans if s.message >= plan.first_changed and s.order not in plan.removed)
    saved = sum(spans[o].tokens - readout.counter.count(line) for o, line in plan.lines.items())
    return tokens - saved + (readout.counter.count(view.page) if view.page else 0)


_SPANS_PER_MESSAGE: Final = 1 << 16
"""Room between the positions of two messages, so that a span keeps its own when others leave."""


def _position(message: int, at: int) -> int:
    return message * _SPANS_PER_MESSAGE + at


def _span_rows(readout: Readout, namer: Namer, told: Iterable[Span]) -> Iterable[SpanRow]:
    structure: Structure = readout.classified.structure
    places = {order: at for orders in structure.by_message.values() for at, order in enumerate(orders)}
    for span in told:
        raw = readout.transcript.messages[span.message].raw if span.message >= 0 else readout.transcript.around
        shell, slot = _shell(raw, span)
        call = structure.call_of.get(span.order)
        tool = span.part.tool if call is None else structure.spans[call].part.tool
        message = structure.origins[span.message].index if span.message >= 0 else -1
        yield SpanRow(
            span_id=span.id,
            handle=namer.handle(span),
            position=_position(message, places[span.order]),
            message=message,
            turn=span.turn,
            exchange=structure.exchanges[span.exchange].n if span.exchange >= 0 else 0,
            kind=span.kind.value,
            provenance=span.provenance.value,
            tool=tool,
            shell=shell,
            slot=slot,
            state=readout.classified.reading.facts[span.order].state.value,
        )


def _shell(raw: JSON, span: Span) -> tuple[str, str]:
    """The block around a span's content, and where in it the content goes."""
    slot = span.part.path[len(span.part.block) :]
    if span.start is not None or not slot:
        return "null", "[]"
    block = value_at(raw, span.part.block)
    if len(slot) == 1 and isinstance(block, dict):
        return verbatim_json({**block, slot[0]: None}).decode("utf-8"), f'["{slot[0]}"]'
    _, shell, _ = take_apart(block, [replace(span, part=replace(span.part, block=(), path=slot))], {span.order: ""})
    return verbatim_json(shell).decode("utf-8"), verbatim_json(list(slot)).decode("utf-8")


def _native_rows(readout: Readout, told: Iterable[Span], namer: Namer) -> Iterable[HandleRow]:
    """The handles by which a tool was asked, with their state."""
    reading = readout.classified.reading
    for span in told:
        handle = reading.handles.get(span.order)
        if handle is None or handle.startswith(CALL_SCHEME):
            continue
        if span.kind is Kind.result and not reading.facts[span.order].read:
            continue  # the acknowledgement of a write is not what stands at the handle; its call holds that
        state = reading.facts[span.order].state.value
        shown = namer.alone(handle)  # whole: a spelling of it may not look like a secret any more
        for name in (shown, normal_handle(shown), *aliases("native", shown)):
            yield HandleRow(namer.alone(name), "native", span.id, state)


def deposit(readout: Readout, who: Identity) -> Generator[Effect, Answer, None]:
    """Puts every span into a store with all by which it can be asked for; nothing is cut, and no record says so.

    For a history that another client keeps: what its compactions lost is still in the file.
    """
    namer = Namer(readout.classified, key=who.key, session=who.session, stored=True)
    spans = readout.classified.spans
    yield PutSpans({namer.handle(span): span.data for span in spans}, tuple(_span_rows(readout, namer, spans)))
    named = (row for span in spans for row in _index_rows(span, namer))
    yield PutHandles(tuple(dict.fromkeys((*_native_rows(readout, spans, namer), *named))))


def _halt(
    readout: Readout, plan: Plan, limits_: Limits, who: Identity, namer: Namer
) -> Generator[Effect, Answer, None]:
    """Writes the record of a halt, then raises it with numbers and ways out."""
    report = halt_report(readout.classified, plan, plan.tokens_before)
    archive: int | None = None
    if limits_.policy.name == "strict":
        wider = replace(limits_, policy=Policy.archive(), lossless_only=False)
        archive = reachable(make_plan(readout.classified, namer, wider, readout.counter.count))
    ways = ways_out(plan, limits_.policy, readout.tools, report, archive, who.occasion.get("model"))
    apart = _taken_apart(readout, namer)
    contents = {namer.handle(span): span.data for span in readout.classified.spans}
    source = verbatim_json(_source_of(apart, who))
    checkpoint = store_handle(who.key, who.session, source)
    contents[checkpoint] = source
    body: dict[str, JSON] = {
        **_opening(readout, limits_, who),
        "status": "halted",
        "semantics": "eviction",
        "token_profile": {
            "before": token_profile(readout.classified, plan, 0)["before"],
            "after": {},
            "own_text": plan.own_before,
        },
        "tokens_before": plan.tokens_before,
        "tokens_after": plan.tokens_before,
        "target": limits_.target,
        "reachable": reachable(plan),
        "entries": [],
        "surrogates": [],
        "handles": [],
        "tombstones": [],
        "laws": [],
        "source_sha256": hash_of(readout.messages) if who.source is None else who.source.hexdigest(),
        "view_sha256": hash_of(readout.messages),
        "checkpoint": checkpoint,
        "report": report,
        "ways_out": ways,
    }
    record = CompactionRecord.seal(body, who.occasion)
    told = [s for s in readout.classified.spans if s.provenance is not Provenance.compactor]
    known = who.carried.handles if who.carried is not None else frozenset()
    yield PutSpans(
        {handle: data for handle, data in contents.items() if handle not in known},
        tuple(_span_rows(readout, namer, told)),
    )
    yield PutHandles(tuple(dict.fromkeys(_native_rows(readout, told, namer))))
    yield PutRecord(record.to_dict())
    shares = report["shares"]
    unbounded = replace(limits_, own_max=None)
    only_own = plan.own_refused and make_plan(readout.classified, namer, unbounded, readout.counter.count).met
    kind = IndexBudgetExceeded if only_own else BudgetExhausted
    own = (
        f" Our own text would have {plan.own_after:,} tokens, {limits_.own_max:,} are allowed."
        if plan.own_refused and limits_.own_max is not None
        else ""
    )
    raise kind(
        f"budget-exhaustion: {limits_.target:,} tokens were the target, {reachable(plan):,} are reachable under "
        f"{limits_.policy.name} ({plan.tokens_before:,} now): {report['cause']}. Shares of the view: one-shot results "
        f"{shares['one_shot_results']:.1%}, arguments {shares['arguments']:.1%}, "
        f"human text {shares['human_text']:.1%}, agent text {shares['agent_text']:.1%}.{own} Nothing was changed.",
        record=record,
        target=limits_.target,
        reachable=reachable(plan),
        ways_out=ways,
        report=report,
        next_step=f"Ways out: {'; '.join(ways[:3])}.",
        protected=[e.span_id for e in plan.entries if e.action not in LEAVING],
        archive_reaches=archive,
    )
