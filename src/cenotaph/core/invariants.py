"""The laws, one small function each: used by apply, by read-back and as the tests' oracle.

A law takes the evidence of one compaction and returns what breaks it, in words; an empty list means
that it holds. None of them trusts the planner: each looks at what would be handed out.
"""

from __future__ import annotations

import re
from collections import Counter as Multiset
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from cenotaph.core.apply import View, rebuilt, same_bytes
from cenotaph.core.classify import Classified
from cenotaph.core.facts import CALL_SCHEME
from cenotaph.core.handles import INDEX_KINDS, extract
from cenotaph.core.ids import HANDLE_PREFIX, JSON, from_json, store_handle, verbatim_json
from cenotaph.core.joining import joined_messages
from cenotaph.core.lines import (
    SURROGATE_MARK,
    TOMBSTONES,
    LineKind,
    PageLine,
    Pointer,
    kind_of_line,
    page_lines,
    shown_tool,
)
from cenotaph.core.model import Kind, Message, Path, Provenance, Transcript, Wire
from cenotaph.core.plan import Plan
from cenotaph.core.plans import Fold
from cenotaph.core.policy import LEAVING, Action, Policy, allowed
from cenotaph.core.spans import Span, value_at
from cenotaph.core.statements import polarity, sentences
from cenotaph.core.surrogate import Surrogate, cited
from cenotaph.core.tombstone import PAGE_HEADER, Tombstone, decode_handle, encode_handle, looks_like_marker

__all__ = ["LAWS", "Evidence", "check_laws"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a compaction would hand out, beside what came in.

    Attributes:
        transcript: What came in.
        classified: Its spans with their rows.
        plan: The decision.
        replanned: Decides again, for the law of determinism.
        view: What would be sent.
        view_messages: The view's messages, read anew.
        view_plan: The fold of the agent's plan as the view shows it.
        policy: The policy in force.
        target: Tokens that the view may have; None if there was no target.
        tokens_after: Of the view, counted anew by the counter that counted before.
        steps: The recipe that undoes the view.
        contents: Handle -> bytes: what the store is to hold.
        key: The store's key.
        session: Session name.
        wire: The wire format.
        found: (kind, value) of the handles in a span's text.
        alone: A handle as the record names it, under redaction; told once for equal ones.
        record_handles: Every handle that the record names.
        redact: Puts a fingerprint in the place of each secret.
        structural: Lines of a surrogate that were made from exchanges alone.
        words: The sentences of a text under redaction, with their grades; told once for each text.
        binding: How signed reasoning is bound in this request.
    """

    transcript: Transcript
    classified: Classified
    plan: Plan
    replanned: Callable[[], Plan]
    view: View
    view_messages: tuple[Message, ...]
    view_plan: Fold
    policy: Policy
    target: int | None
    tokens_after: int
    steps: list[list[JSON]]
    contents: Mapping[str, bytes]
    key: bytes
    session: str
    wire: Wire
    found: Callable[[Span], Sequence[tuple[str, str]]]
    alone: Callable[[str], str]
    record_handles: frozenset[str]
    redact: Callable[[str], str]
    words: Callable[[Span], list[tuple[str, int]]]
    structural: frozenset[str] = frozenset()
    binding: str = "none"

    @property
    def leaving(self) -> Iterator[Span]:
        for entry in self.plan.entries:
            if entry.action in LEAVING:
                yield self.classified.spans[entry.order]


def _view_index(e: Evidence) -> dict[int, int]:
    return {place.original: index for index, place in enumerate(e.view.places) if place.original is not None}


def l1_authoritative_text_stands(e: Evidence) -> list[str]:
    """Each span that stays stands byte for byte where it stood; each that left did so as allowed."""
    broken = [
        f"{entry.span_id}: {entry.action.value} is not allowed for {entry.shelf.value}"
        for entry in e.plan.entries
        if entry.action not in allowed(e.policy, entry.shelf)
    ]
    where = _view_index(e)
    for index, message in enumerate(e.transcript.messages):
        at = where.get(index)
        if at is not None and e.view.messages[at] is message.raw:
            continue
        expected = _expected_contents(e, index, message)
        found = [] if at is None else _contents(e.view_messages[at])
        if [c for c in expected if not _blank(c)] != [c for c in found if not _blank(c)]:
            broken.append(f"message {index}: what should stand there does not, or something else does")
    return broken + _unsent(e)


def _unsent(e: Evidence) -> list[str]:
    """What is sent is the view: each message itself, or joined with its neighbours, with all that they hold."""
    view = e.view
    if len(view.sizes) != len(view.sent) or sum(view.sizes) != len(view.messages):
        return [f"{len(view.sent)} messages are sent for {sum(view.sizes)}; the view has {len(view.messages)}"]
    broken = []
    at = 0
    for sent, size in zip(view.sent, view.sizes, strict=True):
        members, read = view.messages[at : at + size], e.view_messages[at : at + size]
        at += size
        if size == 1 and sent is members[0]:
            continue
        whole = chain.from_iterable(map(_contents, e.wire.parse_messages([sent])))
        if size == 1 or [*whole] != [*chain.from_iterable(map(_contents, read))]:
            broken.append(f"messages {at - size} to {at - 1} of the view are sent as something else")
    return broken


def _blank(content: bytes) -> bool:
    """An empty text, or a text block without one: it says nothing, and no provider takes it."""
    value = from_json(content)
    if isinstance(value, dict) and value.get("type") == "text":
        value = value.get("text")
        return not (isinstance(value, str) and value.strip())
    return isinstance(value, str) and not value.strip()


def _contents(message: Message) -> list[bytes]:
    return [verbatim_json(value_at(message.raw, part.path)) for part in message.parts]


def _expected_contents(e: Evidence, index: int, message: Message) -> list[bytes]:
    """The contents of a message after the plan, worked out from entries and lines alone."""
    expected: list[bytes] = []
    texts: dict[Path, list[str]] = {}
    orders = e.classified.structure.by_message.get(index, ())
    for order in orders:
        span = e.classified.spans[order]
        line = e.plan.lines.get(order)
        removed = order in e.plan.removed
        if span.start is not None:
            path = span.part.path
            texts.setdefault(path, []).append(line if line is not None else "" if removed else span.text)
            if span.end == len(span.part.text):
                joined = "".join(texts[path])
                if joined.strip():
                    expected.append(verbatim_json(joined))
        elif line is not None:
            expected.append(verbatim_json(line))
        elif not removed:
            expected.append(verbatim_json(value_at(message.raw, span.part.path)))
    return expected


def l2_pointers_resolve(e: Evidence) -> list[str]:
    """Every `cx:` pointer in the view resolves to bytes with that hash."""
    broken = []
    for handle in _named_handles(e):
        if not handle.startswith(HANDLE_PREFIX):
            continue
        data = e.contents.get(handle)
        if data is None:
            broken.append(f"{handle}: nothing is stored under it")
        elif store_handle(e.key, e.session, data) != handle:
            broken.append(f"{handle}: other bytes are stored under it")
    return broken


def _our_lines(e: Evidence) -> Iterator[str]:
    """The lines that this cut wrote, which name what left in it."""
    yield from (line for line in e.view.own_lines if not line.startswith(PAGE_HEADER))
    yield from (line.text for line in e.plan.page if line.kind in TOMBSTONES)


def _named_handles(e: Evidence) -> Iterator[str]:
    for line in _our_lines(e):
        for tombstone in Tombstone.find(line):
            yield from tombstone.recover


def l3_handles_are_recorded(e: Evidence) -> list[str]:
    """Each handle of a span that left stands in the record, under redaction."""
    broken = []
    for span in e.leaving:
        if span.provenance is Provenance.compactor:
            continue  # what our own lines name is recorded where it left
        names = [value for _, value in e.found(span)]
        native = e.classified.reading.handles.get(span.order, CALL_SCHEME)
        if not native.startswith(CALL_SCHEME):
            names.append(native)
        missing = sum(e.alone(name) not in e.record_handles for name in names)
        if missing:
            broken.append(f"{span.id}: {missing} of {len(names)} handles are not in the record")
    return broken + _unsaid(e)


def _unsaid(e: Evidence) -> list[str]:
    """Each handle of an index kind of a summarized span stands on the page, and each prohibition is lifted whole."""
    page = "\n".join(line.text for line in e.plan.page)
    lifted = "\n".join(line.text for line in e.plan.page if line.kind is LineKind.lift)
    broken = []
    for entry in e.plan.entries:
        if entry.action is not Action.summarize:
            continue
        text = e.redact(e.classified.spans[entry.order].text)
        lost = [h.value for h in extract(text) if h.kind in INDEX_KINDS and encode_handle(h.value) not in page]
        lost = [value for value in lost if value not in page]
        if lost:
            broken.append(f"{entry.span_id}: summarized, and nothing carries {lost[0]!r} ({len(lost)} such)")
        for place in sentences(text):
            sentence = text[place.start : place.end]
            if polarity(sentence) == "must_not" and sentence not in lifted:
                broken.append(f"{entry.span_id}: a prohibition in it is not lifted: {sentence[:80]!r}")
    return broken


def l4_view_is_valid(e: Evidence) -> list[str]:
    """The view breaks no rule of its provider that the input did not break, and the cut none on what is replayed."""
    before = joined_messages(e.transcript.messages, e.wire)[0]
    cut = e.wire.cut_breaches(before, e.view.sent, e.binding)
    return new_breaches(e.transcript, e.view, e.wire) + [f"{b.rule} at message {b.message}: {b.note}" for b in cut]


def new_breaches(transcript: Transcript, view: View, wire: Wire) -> list[str]:
    """Rules that the view breaks more often than the input did."""
    tools = None if transcript.tool_names is None else bool(transcript.tool_names)
    body = transcript.request if isinstance(transcript.request, Mapping) else None
    came_in = wire.breaches(joined_messages(transcript.messages, wire)[0], tools=tools, body=body)
    before = Multiset(b.rule for b in came_in)
    after = wire.breaches(view.sent, tools=tools, body=body)
    count = Multiset(b.rule for b in after)
    return [f"{b.rule} at message {b.message}: {b.note}" for b in after if count[b.rule] > before[b.rule]]


def l5_target_is_met(e: Evidence) -> list[str]:
    """The view, counted anew, is within the target."""
    if e.target is None or e.tokens_after <= e.target:
        return []
    return [f"{e.tokens_after} tokens stand in the view, {e.target} were the target"]


def l6_input_is_rebuilt(e: Evidence) -> list[str]:
    """The messages that came in are rebuilt, byte for byte, from the view and what is stored."""
    try:
        messages = rebuilt(e.steps, e.view.sent, e.contents)
    except (KeyError, IndexError, TypeError) as error:
        return [f"the messages can't be rebuilt: {error!r}"]
    originals = [message.raw for message in e.transcript.messages]
    if len(messages) != len(originals):
        return [f"{len(messages)} messages are rebuilt, {len(originals)} came in"]
    return [
        f"message {i} differs when rebuilt"
        for i, (one, other) in enumerate(zip(messages, originals, strict=True))
        if not same_bytes(one, other)
    ]


def l7_plan_is_deterministic(e: Evidence) -> list[str]:
    """Planning again decides the same."""
    return [] if e.replanned() == e.plan else ["the same input was planned differently"]


def l8_order_is_kept(e: Evidence) -> list[str]:
    """What stays stands in the order in which it stood, and nothing stands twice."""
    originals = [place.original for place in e.view.places if place.original is not None]
    return [] if originals == sorted(set(originals)) else ["messages of the view are out of order"]


def l9_nothing_is_invented(e: Evidence) -> list[str]:
    """Every handle that we name belongs to spans that left, or to a manifest of such spans."""
    known = {e.classified.reading.handles.get(span.order) for span in e.leaving}
    known |= {store_handle(e.key, e.session, span.data) for span in e.leaving}
    left = {span.id for span in e.leaving}
    for pointer in e.plan.pointers:
        strangers = set(pointer.manifest.spans) - left
        if not strangers and set(pointer.manifest.folds) <= _pointed_to(e) and _is_exact(e, pointer):
            known.add(pointer.handle)
    broken = [f"{handle}: no span that left has it" for handle in _named_handles(e) if handle not in known]
    return broken + _foreign_handles(e, known)


def _is_exact(e: Evidence, pointer: Pointer) -> bool:
    """Its manifest leaves out nothing that the lines with it stand for; a line of ours stands for what it points to."""
    bearing = [x for x in e.plan.page if x.kind in TOMBSTONES and pointer.handle in _recovered(x.text)]
    spans = [e.classified.spans[order] for line in bearing for order in line.members]
    ids = {span.id for span in spans if span.provenance is not Provenance.compactor}
    older = {handle for s in spans if s.provenance is Provenance.compactor for handle in _recovered(_what_left(e, s))}
    folds = {handle for handle in older if handle.startswith(HANDLE_PREFIX)}
    return ids <= set(pointer.manifest.spans) and folds <= set(pointer.manifest.folds)


def _recovered(text: str) -> set[str]:
    return {handle for mark in Tombstone.find(text) for handle in mark.recover}


def _what_left(e: Evidence, span: Span) -> str:
    """The lines of ours in a span that no longer stand there."""
    stays = set(page_lines(e.plan.lines.get(span.order, "")))
    return "\n".join(line for line in span.text.split("\n") if line not in stays)


def _foreign_handles(e: Evidence, known: set[str | None]) -> list[str]:
    """A surrogate's pointer is known, and each of its lines names nothing that its own source lacks."""
    broken = []
    for line in e.plan.page:
        if line.kind is not LineKind.surrogate or line.text in e.structural:
            continue
        if line.text.startswith("["):
            header = Surrogate.parse(line.text)
            broken += [] if header.source in known else [f"{header.source}: a surrogate without its source"]
            continue
        statement, short = cited(line.text.removeprefix(SURROGATE_MARK)) or ("", "")
        spans = [e.classified.spans[order] for order in line.members]
        sources = [s for s in spans if store_handle(e.key, e.session, s.data).startswith(short)]
        text = e.redact(sources[0].text) if len(sources) == 1 else None
        if text is None:
            broken.append(f"a line of a surrogate has no source: {line.text[:80]!r}")
        elif foreign := [h.value for h in extract(statement) if h.kind in INDEX_KINDS and h.value not in text]:
            broken.append(f"{foreign[0]!r} stands in a surrogate, and not in its source")
    return broken


def _pointed_to(e: Evidence) -> set[str]:
    """What our own older lines that left pointed to."""
    return {handle for s in e.leaving if s.provenance is Provenance.compactor for handle in _recovered(s.text)}


def l10_untouched_is_the_same_object(e: Evidence) -> list[str]:
    """A message that no entry touches is the object that came in."""
    touched = {e.classified.spans[order].message for order in (*e.plan.lines, *e.plan.removed)}
    return [
        f"message {place.original} was rewritten for nothing"
        for place, message in zip(e.view.places, e.view.messages, strict=True)
        if place.original is not None
        and place.original not in touched
        and message is not e.transcript.messages[place.original].raw
    ]


def l11_unknown_fields_are_kept(e: Evidence) -> list[str]:
    """A message that was changed keeps every field that no entry names."""
    broken = []
    for place, message in zip(e.view.places, e.view.messages, strict=True):
        if place.original is None or not place.changed:
            continue
        original = e.transcript.messages[place.original]
        touched = {path[0] for part in original.parts for path in (part.block or part.path, *part.copies)}
        lost = [
            key
            for key, value in original.raw.items()
            if key not in touched
            and (key not in message or not same_bytes(message[key], value))
            # An empty list of blocks or calls says nothing, and no provider takes it.
            and not (value == [] and message.get(key) in (None, ""))
        ]
        if lost:
            broken.append(f"message {place.original}: {', '.join(map(repr, lost))} changed or lost")
    return broken


def l12_plan_states_are_unchanged(e: Evidence) -> list[str]:
    """The agent's plan, folded from the view, has the steps and states that it had."""
    before, after = e.classified.reading.plan.steps, e.view_plan.steps
    return [] if before == after else [f"the plan had {len(before)} steps; the view shows it otherwise: {after}"]


def l13_no_false_speaker(e: Evidence) -> list[str]:
    """Our text is marked as ours, and what it says was said so: no tool's, harness's or stranger's words.

    A page holds tombstones with tool names or counts, whole sentences of the people and the agent whose
    text left, under their own names, and what the caller pinned.
    """
    broken = []
    if e.view.page and e.view.page != "\n".join((PAGE_HEADER, *e.plan.page_lines)):
        broken.append("the page is not what the plan says")
    for line in e.plan.page:
        wrong = _PAGE_RULES[line.kind](e, line)
        if wrong:
            broken.append(f"{wrong}: {line.text[:80]!r}")
    for order, text in e.plan.lines.items():
        span = e.classified.spans[order]
        if text.startswith(PAGE_HEADER):
            kept = set(page_lines(span.text)) if span.provenance is Provenance.compactor else set()
            if not kept.issuperset(page_lines(text)):
                broken.append(f"an older page says something new: {text[:80]!r}")
            continue
        try:
            kind = Tombstone.parse(text).kind
        except ValueError:
            broken.append(f"a line of ours is no tombstone: {text[:80]!r}")
            continue
        if kind.startswith("user_") and span.provenance is not Provenance.user:
            broken.append(f"a line names as a person's what is none's: {text[:80]!r}")
    return broken


def _exchange_line(e: Evidence, line: PageLine) -> str:
    tools = {shown_tool(e.classified.spans[o]) for o in line.members if e.classified.spans[o].kind is Kind.call}
    found = Tombstone.find(line.text)
    if len(found) != 1 or not line.text.startswith(found[0].render()):
        return "a page holds more than tombstones"
    rest = line.text.removeprefix(found[0].render())
    return "" if set(rest.split()) <= tools else "a page holds words behind a tombstone"


def _text_tombstone(e: Evidence, line: PageLine) -> str:
    """The counts behind it are true: so many sentences of that voice stand on the page."""
    found = Tombstone.find(line.text)
    if len(found) != 1 or not line.text.startswith(found[0].render()):
        return "a page holds more than tombstones"
    here = sum(one.kind is LineKind.lift and one.members[0] in line.members for one in e.plan.page)
    rest = line.text.removeprefix(found[0].render())
    counts = re.fullmatch(r" (\d+) of (\d+) sentences here", rest)
    if counts is None or int(counts[1]) != here or here > int(counts[2]):
        return "a page miscounts what it holds"
    return ""


def _fold_line(e: Evidence, line: PageLine) -> str:
    found = Tombstone.find(line.text)
    return "" if [line.text] == [one.render() for one in found if one.kind == "tombstones"] else "no pointer to a fold"


def _lifted_line(e: Evidence, line: PageLine) -> str:
    """The words stand in a span that left, and whoever is named said them there."""
    span = e.classified.spans[line.members[0]]
    voice = "user" if span.provenance is Provenance.user else "agent"
    if span.provenance not in (Provenance.user, Provenance.agent) or span.kind is not Kind.text:
        return "lifted words of a speaker that has no voice"
    if e.plan.entries[span.order].action not in LEAVING:
        return "lifted words of a text that stays"
    words = line.text.removeprefix(f"{voice} t{span.turn}: ")
    words = re.sub(r" \(as of t\d+; source changed at t\d+\)$", "", words) if voice == "agent" else words
    stands = words != line.text and any(sentence == words for sentence, _ in e.words(span))
    return "" if stands and not looks_like_marker(words) else "lifted words that are no whole sentence of the text"


def _surrogate_line(e: Evidence, line: PageLine) -> str:
    if any(e.plan.entries[order].action is not Action.summarize for order in line.members):
        return "a surrogate of a text that was not summarized"
    if line.text.startswith("["):
        return "" if looks_like_marker(line.text) else "a surrogate has no header"
    bare = not line.text.startswith(SURROGATE_MARK)
    return "a line of a surrogate may pass for another" if bare or looks_like_marker(line.text) else ""


def _index_entry(e: Evidence, line: PageLine) -> str:
    """The handle stands in the span that the line names."""
    span = e.classified.spans[line.members[0]]
    found = _INDEX_ENTRY.fullmatch(line.text)
    if found is None or found["kind"] not in INDEX_KINDS:
        return "an index line that is none"
    where = (int(found["turn"]), found["by"]) == (span.turn, span.provenance.value)
    source = store_handle(e.key, e.session, span.data).startswith(found["source"])
    stands = decode_handle(found["value"]) in e.redact(span.text)
    return "" if where and source and stands else "an index line names what its source lacks"


_INDEX_ENTRY: Final = re.compile(
    r"(?P<kind>[a-z]+): (?P<value>.+) \(t(?P<turn>\d+), (?P<by>[a-z]+), (?P<source>cx:[0-9a-f]{6,})\)"
)


def _pin_line(e: Evidence, line: PageLine) -> str:
    if kind_of_line(line.text) is not LineKind.pin:
        return "a pin does not say that it is one"
    return "" if "\n" not in line.text else "a pin has more than one line"


_PAGE_RULES: Final[dict[LineKind, Callable[[Evidence, PageLine], str]]] = {
    LineKind.exchange: _exchange_line,
    LineKind.text: _text_tombstone,
    LineKind.fold: _fold_line,
    LineKind.lift: _lifted_line,
    LineKind.surrogate: _surrogate_line,
    LineKind.entry: _index_entry,
    LineKind.pin: _pin_line,
}


def l14_every_span_is_named_once(e: Evidence) -> list[str]:
    """The plan names each span exactly once, in order."""
    named = [entry.span_id for entry in e.plan.entries]
    return [] if named == [span.id for span in e.classified.spans] else ["the plan and the spans differ"]


def l15_pins_stand(e: Evidence) -> list[str]:
    """Each pinned span stands in the view."""
    return [
        f"{entry.span_id}: pinned, and it would leave"
        for entry in e.plan.entries
        if e.classified.reading.facts[entry.order].pinned
        and (entry.action in LEAVING or entry.order in e.plan.lines or entry.order in e.plan.removed)
    ]


LAWS: Final[dict[str, Callable[[Evidence], list[str]]]] = {
    "L1": l1_authoritative_text_stands,
    "L2": l2_pointers_resolve,
    "L3": l3_handles_are_recorded,
    "L4": l4_view_is_valid,
    "L5": l5_target_is_met,
    "L6": l6_input_is_rebuilt,
    "L7": l7_plan_is_deterministic,
    "L8": l8_order_is_kept,
    "L9": l9_nothing_is_invented,
    "L10": l10_untouched_is_the_same_object,
    "L11": l11_unknown_fields_are_kept,
    "L12": l12_plan_states_are_unchanged,
    "L13": l13_no_false_speaker,
    "L14": l14_every_span_is_named_once,
    "L15": l15_pins_stand,
}


def check_laws(evidence: Evidence) -> dict[str, list[str]]:
    """What breaks each law; an empty list where it holds."""
    return {law: check(evidence) for law, check in LAWS.items()}
