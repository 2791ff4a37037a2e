"""One compaction, as pure steps: what is decided, what must be written, and in which order.

`compaction` decides, writes the view,
checks every law on it, and then *yields* what a driver must make durable: spans, then handles, then
the record. Only when the driver has carried out the last one does the generator return the view. If
the driver fails, it closes the generator: nothing was handed out and the caller's messages are as
they were.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cenotaph import limits
from cenotaph.core.apply import View, apply_plan, make_recipe, take_apart
from cenotaph.core.classify import Classified, classify_structure, table_hash
from cenotaph.core.effects import Effect, HandleRow, PutHandles, PutRecord, PutSpans, SpanRow
from cenotaph.core.facts import CALL_SCHEME, Pins, collect_facts, normal_handle
from cenotaph.core.handles import redacted
from cenotaph.core.ids import JSON, hash_of, store_handle, verbatim_json
from cenotaph.core.invariants import Evidence, check_laws, new_breaches
from cenotaph.core.lines import Namer
from cenotaph.core.model import Kind, Message, Provenance
from cenotaph.core.plan import Limits, Plan, Standing, make_plan
from cenotaph.core.policy import LEAVING, Policy
from cenotaph.core.readout import Readout, total_tokens
from cenotaph.core.record import CompactionRecord
from cenotaph.core.report import halt_report, kept_line, token_profile, ways_out
from cenotaph.core.spans import Span, Structure, build_structure, value_at
from cenotaph.core.tombstone import Tombstone
from cenotaph.errors import BudgetExhausted, CompactionInvariantError

__all__ = ["Identity", "Outcome", "compaction", "planned", "reach", "standing_view"]

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
        known: Handles that the store is known to hold already.
        standing: What earlier compactions put into the view.
        occasion: Fields of the record outside its hash: at, actor, model.
    """

    session: str
    key: bytes
    stored: bool
    seq: int = 1
    previous: str | None = None
    known: frozenset[str] = frozenset()
    standing: Standing = field(default_factory=Standing)
    occasion: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a compaction hands out.

    Attributes:
        view: The messages to send.
        record: Its warrant.
        plan: The decision.
        standing: What now stands in the view, for the next compaction.
        tokens_before, tokens_after: Of what is sent, by one counter.
        handles: Handles that the store holds now.
        summary: The one plain line.
    """

    view: View
    record: CompactionRecord
    plan: Plan
    standing: Standing
    tokens_before: int
    tokens_after: int
    handles: frozenset[str]
    summary: str


def _namer(readout: Readout, who: Identity) -> Namer:
    return Namer(readout.classified, key=who.key, session=who.session, stored=who.stored)


def planned(readout: Readout, limits_: Limits, who: Identity) -> Plan:
    """What would be decided; nothing is written."""
    limits_ = replace(limits_, framing=readout.framing, other_tokens=readout.other_tokens)
    return make_plan(readout.classified, _namer(readout, who), limits_, readout.counter.count, who.standing)


def reach(readout: Readout, limits_: Limits, who: Identity) -> Plan:
    """The plan with everything gone that the policy lets go."""
    return planned(readout, replace(limits_, target=-(1 << 62), lossless_only=False), who)


def standing_view(readout: Readout, standing: Standing) -> list[JSON]:
    """The messages with nothing but what earlier compactions put into the view."""
    nothing = Limits(Policy.strict(), target=1 << 62)
    namer = Namer(readout.classified, key=b"", session="", stored=False)
    plan = make_plan(readout.classified, namer, nothing, readout.counter.count, standing)
    view = apply_plan(readout.transcript, readout.classified, plan, Policy.strict(), readout.wire, standing)
    return list(view.messages)


def compaction(readout: Readout, limits_: Limits, who: Identity) -> Generator[Effect, None, Outcome]:
    """Decides, checks, and has everything written before it returns the view.

    Args:
        readout: What came in.
        limits_: Policy, target, binding.
        who: Session, key and what the store holds already.

    Yields:
        What a driver must make durable, in order.

    Raises:
        BudgetExhausted: The target can't be met; a record of the halt was yielded first.
        CompactionInvariantError: A law does not hold; nothing was yielded.
    """
    namer = _namer(readout, who)
    limits_ = replace(limits_, framing=readout.framing, other_tokens=readout.other_tokens)
    contents = {namer.handle(span): span.data for span in readout.classified.spans}
    limits_ = _mended(readout, limits_, who, namer)
    target = limits_.target
    seen: int | None = None
    for _ in range(limits.replans_max):
        plan = make_plan(
            readout.classified, namer, replace(limits_, target=target), readout.counter.count, who.standing
        )
        if not plan.met:
            # What was counted on a written view is truer than the plan's own account of its lines.
            reached = plan if seen is None else replace(plan, tokens_after=max(seen, plan.tokens_after))
            yield from _halt(readout, reached, limits_, who, namer)
        view = apply_plan(readout.transcript, readout.classified, plan, limits_.policy, readout.wire, who.standing)
        again = _read_view(readout, view)
        after = total_tokens(again)
        if after <= limits_.target:
            break
        seen = after
        target -= max(1, after - limits_.target)
    else:
        yield from _halt(readout, replace(plan, met=False, tokens_after=after), limits_, who, namer)
    fields = _decided(readout, plan, view, again, limits_, who, namer, contents, after)
    yield from _written(readout, plan, fields, who, namer, contents)
    record = CompactionRecord(fields)
    return Outcome(
        view=view,
        record=record,
        plan=plan,
        standing=_standing(readout, plan, view, who.standing),
        tokens_before=plan.tokens_before,
        tokens_after=after,
        handles=who.known | frozenset(contents) | {fields["source_ref"], fields["view_ref"]},
        summary=kept_line(readout.classified, plan, plan.tokens_before, after),
    )


def _mended(readout: Readout, limits_: Limits, who: Identity, namer: Namer) -> Limits:
    """Orphan results leave first only where the request is the better for it: in a garbled one they may not be."""
    structure = readout.classified.structure
    if all(span.order in structure.call_of for span in structure.spans if span.kind is Kind.result):
        return limits_
    plan = make_plan(readout.classified, namer, limits_, readout.counter.count, who.standing)
    view = apply_plan(readout.transcript, readout.classified, plan, limits_.policy, readout.wire, who.standing)
    return replace(limits_, mend_orphans=not new_breaches(readout.transcript, view, readout.wire))


def _read_view(readout: Readout, view: View) -> Readout:
    """The view, read anew: untouched messages as they were read, all others from their bytes."""
    rewritten = [m for m, place in zip(view.messages, view.places, strict=True) if place.changed]
    parsed = iter(readout.wire.parse_messages(rewritten))
    messages: list[Message] = []
    lines = set(view.own_lines)
    for place in view.places:
        if place.original is not None and not place.changed:
            messages.append(readout.transcript.messages[place.original])
            continue
        message = next(parsed)
        if place.original is None:
            parts = tuple(replace(part, provenance=Provenance.compactor) for part in message.parts)
        else:
            parts = tuple(
                replace(part, provenance=Provenance.compactor) if part.text in lines else part for part in message.parts
            )
        messages.append(replace(message, parts=parts))
    transcript = replace(readout.transcript, messages=tuple(messages))
    structure = build_structure(transcript, readout.counter, named=False)
    reading = collect_facts(structure, readout.tools, Pins(), transcript.tool_names)
    return replace(readout, transcript=transcript, classified=classify_structure(structure, reading))


def _decided(
    readout: Readout,
    plan: Plan,
    view: View,
    again: Readout,
    limits_: Limits,
    who: Identity,
    namer: Namer,
    contents: dict[str, bytes],
    after: int,
) -> dict[str, JSON]:
    """Checks every law and seals the record; adds the manifests to the contents."""
    classified = readout.classified
    handle_of = {span.order: namer.handle(span) for span in classified.spans}
    spans, by_message = classified.spans, classified.structure.by_message
    apart = [
        take_apart(message.raw, [spans[order] for order in by_message.get(index, ())], handle_of)
        for index, message in enumerate(readout.transcript.messages)
    ]
    handles = sorted(set(_named(classified, plan, namer, who.key)))
    evidence = Evidence(
        transcript=readout.transcript,
        classified=classified,
        plan=plan,
        replanned=lambda: make_plan(
            classified,
            namer,
            replace(limits_, target=_target_of(plan, limits_)),
            readout.counter.count,
            who.standing,
        ),
        view=view,
        view_messages=again.transcript.messages,
        view_plan=again.classified.reading.plan,
        policy=limits_.policy,
        target=limits_.target,
        tokens_after=after,
        steps=make_recipe(view, apart),
        contents=contents,
        key=who.key,
        session=who.session,
        wire=readout.wire,
        found=namer.found,
        record_handles=frozenset(value for _, value in handles),
        standing=who.standing,
    )
    broken = check_laws(evidence)
    failed = {law: notes for law, notes in broken.items() if notes}
    if failed:
        first = "; ".join(f"{law}: {notes[0]}" for law, notes in failed.items())
        raise CompactionInvariantError(
            f"the view breaks a law and was not handed out: {first}.",
            laws=list(failed),
            next_step="Nothing was changed. This is a defect: please report it with the transcript's structure.",
            notes={law: notes[:5] for law, notes in failed.items()},
        )
    own = sum(readout.counter.count(line) for line in view.own_lines)
    own += sum(readout.counter.count(text) for _, text in view.pages)
    contents.update(_manifests(view, who, apart))
    return _sealed(readout, plan, view, limits_, who, namer, after, own, handles, list(broken), contents)


def _named(classified: Classified, plan: Plan, namer: Namer, key: bytes) -> Iterable[tuple[str, str]]:
    """(kind, handle under redaction) of everything by which a span that left can be asked for."""
    for span in _leaving(classified, plan):
        yield from namer.names(span)
        native = classified.reading.handles.get(span.order)
        if native is not None and not native.startswith(CALL_SCHEME):
            yield "native", redacted(native, key)


def _target_of(plan: Plan, limits_: Limits) -> int:
    return min(limits_.target, plan.target)


def _leaving(classified: Classified, plan: Plan) -> Iterable[Span]:
    return (classified.spans[entry.order] for entry in plan.entries if entry.action in LEAVING)


def _manifests(view: View, who: Identity, apart: Sequence[list[JSON]]) -> dict[str, bytes]:
    """What the store needs to show the messages before and after again, contents by handle."""
    shown: list[JSON] = [
        ["s", place.original] if not place.changed else ["j", message]
        for place, message in zip(view.places, view.messages, strict=True)
    ]
    return {
        store_handle(who.key, who.session, data): data
        for data in (verbatim_json({"source": apart}), verbatim_json({"view": shown}))
    }


def _sealed(
    readout: Readout,
    plan: Plan,
    view: View,
    limits_: Limits,
    who: Identity,
    namer: Namer,
    after: int,
    own: int,
    handles: list[tuple[str, str]],
    laws: list[str],
    contents: Mapping[str, bytes],
) -> dict[str, JSON]:
    source_ref, view_ref = list(contents)[-2:]
    spans = readout.classified.spans
    tombstones: list[JSON] = [
        {"line": plan.lines[o], "span": spans[o].id, "at": "in_place"} for o in sorted(plan.lines)
    ]
    tombstones += [
        {"line": line, "span": spans[members[0]].id, "spans": [spans[o].id for o in members], "at": "page"}
        for line, members in zip(plan.page_lines, plan.page_members, strict=True)
    ]
    dropped = {namer.handle(spans[o]): spans[o].id for o in sorted(plan.removed)}
    body: dict[str, JSON] = {
        "session": who.session,
        "seq": who.seq,
        "previous": who.previous,
        "status": "verified",
        "semantics": "eviction" if not _foreign(readout) else "projection",
        "semantics_failed": ["a foreign summary stands in the view: its region is not stored"]
        if _foreign(readout)
        else [],
        "policy": limits_.policy.name,
        "recall_by": limits_.policy.recall_by,
        "engine": _engine(readout, limits_),
        "token_profile": token_profile(readout.classified, plan, own),
        "tokens_before": plan.tokens_before,
        "tokens_after": after,
        "target": limits_.target,
        "entries": _entries(plan),
        "surrogates": [],
        "handles": [{"kind": kind, "value": value} for kind, value in handles],
        "tombstones": tombstones,
        "removed": [{"span": span_id, "handle": handle} for handle, span_id in dropped.items()],
        "laws": [{"id": law, "holds": True} for law in laws],
        "cache": {
            "first_changed_message": plan.first_changed,
            "tokens_rewritten": _rewritten(readout, view, plan),
        },
        "source_sha256": hash_of(readout.messages),
        "view_sha256": hash_of(list(view.messages)),
        "source_ref": source_ref,
        "view_ref": view_ref,
        "pages": [[at, text] for at, text in view.pages],
    }
    return CompactionRecord.seal(body, who.occasion).to_dict()


def _foreign(readout: Readout) -> bool:
    return any(row.id == "for" for row in readout.classified.rows)


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
        "summarizer": None,
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
    return tokens - saved + sum(readout.counter.count(text) for _, text in view.pages)


def _written(
    readout: Readout,
    plan: Plan,
    fields: Mapping[str, JSON],
    who: Identity,
    namer: Namer,
    contents: Mapping[str, bytes],
) -> Generator[Effect, None, None]:
    """The write order: originals and what they were, then their names, then the record."""
    new = {handle: data for handle, data in contents.items() if handle not in who.known}
    yield PutSpans(new, tuple(_span_rows(readout, namer)))
    yield PutHandles(tuple(_handle_rows(readout, plan, who, namer)))
    yield PutRecord(fields)


def _span_rows(readout: Readout, namer: Namer) -> Iterable[SpanRow]:
    structure: Structure = readout.classified.structure
    for span in structure.spans:
        raw = readout.transcript.messages[span.message].raw if span.message >= 0 else readout.transcript.request
        shell, slot = _shell(raw, span)
        call = structure.call_of.get(span.order)
        tool = span.part.tool if call is None else structure.spans[call].part.tool
        yield SpanRow(
            span_id=span.id,
            handle=namer.handle(span),
            position=span.order,
            message=span.message,
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


def _handle_rows(readout: Readout, plan: Plan, who: Identity, namer: Namer) -> Iterable[HandleRow]:
    classified = readout.classified
    rows: dict[HandleRow, None] = {}
    for order, handle in classified.reading.handles.items():
        span = classified.spans[order]
        if span.kind is Kind.result and not classified.reading.facts[order].read:
            continue  # the acknowledgement of a write is not what stands at the handle; its call holds that
        if handle.startswith(CALL_SCHEME):
            continue
        state = classified.reading.facts[order].state.value
        rows[HandleRow(redacted(handle, who.key), "native", span.id, state)] = None
        rows[HandleRow(redacted(normal_handle(handle), who.key), "native", span.id, state)] = None
    for line, members in zip(plan.page_lines, plan.page_members, strict=True):
        for order in members:
            rows[HandleRow(Tombstone.find(line)[0].render(), "tombstone", classified.spans[order].id)] = None
    for span in _leaving(classified, plan):
        for kind, value in namer.names(span):
            rows[HandleRow(value, kind, span.id)] = None
    return rows


def _standing(readout: Readout, plan: Plan, view: View, before: Standing) -> Standing:
    spans = readout.classified.spans
    return Standing(
        lines={**before.lines, **{spans[order].id: line for order, line in plan.lines.items()}},
        removed=before.removed | {spans[order].id for order in plan.removed},
        pages=view.pages,
        actions={**before.actions, **{e.span_id: e.action for e in plan.entries if e.action in LEAVING}},
    )


def _halt(readout: Readout, plan: Plan, limits_: Limits, who: Identity, namer: Namer) -> Generator[Effect, None, None]:
    """Writes the record of a halt, then raises it with numbers and ways out."""
    report = halt_report(readout.classified, plan, plan.tokens_before)
    archive: int | None = None
    if limits_.policy.name == "strict":
        wider = replace(limits_, policy=Policy.archive(), lossless_only=False)
        archive = make_plan(readout.classified, namer, wider, readout.counter.count, who.standing).tokens_after
    ways = ways_out(plan, limits_.policy, readout.tools, report, archive, who.occasion.get("model"))
    body: dict[str, JSON] = {
        "session": who.session,
        "seq": who.seq,
        "previous": who.previous,
        "status": "halted",
        "semantics": "eviction",
        "policy": limits_.policy.name,
        "recall_by": limits_.policy.recall_by,
        "engine": _engine(readout, limits_),
        "token_profile": {
            "before": token_profile(readout.classified, plan, 0)["before"],
            "after": {},
            "own_text": 0,
        },
        "tokens_before": plan.tokens_before,
        "tokens_after": plan.tokens_before,
        "target": limits_.target,
        "reachable": plan.tokens_after,
        "entries": [],
        "surrogates": [],
        "handles": [],
        "tombstones": [],
        "laws": [],
        "source_sha256": hash_of(readout.messages),
        "view_sha256": hash_of(readout.messages),
        "report": report,
        "ways_out": ways,
    }
    record = CompactionRecord.seal(body, who.occasion)
    yield PutRecord(record.to_dict())
    shares = report["shares"]
    raise BudgetExhausted(
        f"budget-exhaustion: {limits_.target:,} tokens were the target, {plan.tokens_after:,} are reachable under "
        f"{limits_.policy.name} ({plan.tokens_before:,} now). Shares of the view: one-shot results "
        f"{shares['one_shot_results']:.1%}, arguments {shares['arguments']:.1%}, "
        f"human text {shares['human_text']:.1%}, agent text {shares['agent_text']:.1%}. Nothing was changed.",
        record=record,
        target=limits_.target,
        reachable=plan.tokens_after,
        ways_out=ways,
        report=report,
        next_step=f"Ways out: {'; '.join(ways[:3])}.",
        protected=[e.span_id for e in plan.entries if e.action not in LEAVING],
        archive_reaches=archive,
    )
