"""Apply: a plan becomes a view, together with the recipe that undoes it.

Apply trusts no plan, not even our own planner's. It refuses whatever the table of allowed actions
does not hold, writes the view with structural sharing (an untouched message is the object that came
in), and hands out nothing that a law forbids: the caller checks the laws on what it returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cenotaph.core.classify import Classified, Row, row_for
from cenotaph.core.ids import JSON, from_json
from cenotaph.core.joining import Standing, joined, standing_of
from cenotaph.core.lines import TOMBSTONES, LineKind, page_text
from cenotaph.core.model import Path, Provenance, Transcript, Wire
from cenotaph.core.plan import WHOLE_ROWS, Entry, Plan
from cenotaph.core.policy import LEAVING, Action, Policy, allowed
from cenotaph.core.spans import Span
from cenotaph.core.tombstone import PAGE_HEADER, Tombstone
from cenotaph.errors import CompactionInvariantError

__all__ = ["Left", "Place", "View", "apply_plan", "check_plan"]

_CUT: Final = object()


@dataclass(frozen=True, slots=True)
class Left:
    """One part of a changed message.

    Attributes:
        part: Number of the original's part that it is.
        line: A line of ours stands for the whole of it.
        own: (start, end) of the lines of ours in its text.
    """

    part: int
    line: bool = False
    own: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where one message of the view comes from.

    Attributes:
        original: Index of the original message; None for the page of this cut.
        changed: The message differs from the original.
        parts: The parts of a changed message, in order; empty if it is not changed.
    """

    original: int | None
    changed: bool
    parts: tuple[Left, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """What would be sent.

    Attributes:
        messages: In order, each with a place of its own.
        places: One per message.
        page: Text of the page of this cut; "" if it has none.
        own_lines: Every line of ours that stands in the place of a span, and what is left of older pages.
        sent: The messages as they are sent: the same, but for neighbours that the format has as one message.
        sizes: How many messages each sent one holds.
    """

    messages: tuple[JSON, ...]
    places: tuple[Place, ...]
    page: str
    own_lines: tuple[str, ...]
    sent: tuple[JSON, ...]
    sizes: tuple[int, ...]


def check_plan(classified: Classified, plan: Plan, policy: Policy) -> None:
    """Refuses a plan that breaks the table, leaves a span out, or names one twice.

    Raises:
        CompactionInvariantError: Names the law and the spans.
    """
    spans, entries = classified.spans, plan.entries
    named = [entry.order for entry in entries]
    if named != [span.order for span in spans] or [e.span_id for e in entries] != [s.id for s in spans]:
        raise CompactionInvariantError(
            f"the plan names {len(entries)} spans, the transcript has {len(spans)}: every span once, in order",
            laws=["L14"],
        )
    wrong = []
    for entry in entries:
        row = _row_of(classified, entry)
        if row is None:
            wrong.append(f"{entry.span_id}: row {entry.row} for a span of row {classified.rows[entry.order].id}")
        elif entry.shelf is not row.shelf:
            wrong.append(f"{entry.span_id}: shelf {entry.shelf.value} for row {row.id}")
        elif entry.action not in allowed(policy, entry.shelf):
            wrong.append(f"{entry.span_id}: {entry.action.value} is not allowed for {entry.row} ({entry.shelf.value})")
        leaves = entry.order in plan.lines or entry.order in plan.removed
        if leaves and entry.row == "sup" and not _still_covered(classified, plan, entry.order):
            wrong.append(f"{entry.span_id}: dropped as covered, but every read that covers it leaves too")
        if leaves and entry.action not in LEAVING:
            wrong.append(f"{entry.span_id}: it would leave under {entry.action.value}")
        if not leaves and entry.action in LEAVING:
            wrong.append(f"{entry.span_id}: it would stay under {entry.action.value}")
        if leaves and spans[entry.order].message < 0:
            wrong.append(f"{entry.span_id}: system text of the request can't leave")
    wrong += _broken_exchanges(classified, plan) + _silent(classified, plan)
    if wrong:
        raise CompactionInvariantError(
            "the plan breaks the table: " + "; ".join(wrong[:5]),
            laws=["L1"],
            protected=[e.span_id for e in entries if e.action not in LEAVING],
            breaches=len(wrong),
        )


def _row_of(classified: Classified, entry: Entry) -> Row | None:
    """The row that the entry names, if its span has it: a covered read has a second one."""
    fallback = classified.reading.fallback.get(entry.order)
    rows = [classified.rows[entry.order], *([] if fallback is None else [row_for(fallback)])]
    return next((row for row in rows if row.id == entry.row), None)


def _still_covered(classified: Classified, plan: Plan, order: int) -> bool:
    gone = plan.lines.keys() | plan.removed
    return any(covering not in gone for covering in classified.reading.covered_by.get(order, ()))


def _silent(classified: Classified, plan: Plan) -> list[str]:
    """What is removed is dropped, or one line of the page stands for it; text is never dropped without one."""
    wrong = []
    named: dict[int, int] = {}
    for line in plan.page:
        for order in line.members if line.kind in TOMBSTONES else ():
            named[order] = named.get(order, 0) + 1
    for order, entry in enumerate(plan.entries):
        span = classified.spans[order]
        spent = span.provenance is Provenance.compactor and not Tombstone.find(span.text)
        silent = spent or (entry.action is Action.drop and entry.row != "nar" and span.exchange < 0)
        lines = named.pop(order, 0)
        gone = order in plan.removed
        if gone and lines != 1 and not (silent and lines == 0):
            wrong.append(f"{entry.span_id}: {entry.action.value} leaves one line, and {lines} stand for it")
        elif not gone and lines and plan.lines.get(order, "").startswith(PAGE_HEADER):
            continue  # what is left of an older page
        elif not gone and lines:
            wrong.append(f"{entry.span_id}: a line of the page stands for it, and it stays")
    return wrong


def _broken_exchanges(classified: Classified, plan: Plan) -> list[str]:
    """A call leaves only with its whole exchange; a result that leaves alone leaves a line."""
    wrong = []
    folded = {order for line in plan.page if line.kind is LineKind.fold for order in line.members}
    for exchange in classified.structure.exchanges:
        gone = [order for order in exchange.members if order in plan.removed]
        if gone and len(gone) < len(exchange.members):
            ids = ", ".join(classified.spans[order].id for order in gone)
            wrong.append(f"{ids}: an exchange leaves whole, or its results leave a line each")
        elif gone and not folded.issuperset(gone) and not any(classified.rows[o].id in WHOLE_ROWS for o in gone):
            wrong.append(
                f"exchange {exchange.turn}.{exchange.n}: only writes, spent plans and what folds leave with their calls"
            )
        wrong += [
            f"{classified.spans[order].id}: arguments are never edited in place"
            for order in exchange.calls
            if order in plan.lines
        ]
    return wrong


@dataclass(slots=True)
class _Edits:
    """What happens to one message: values replaced, blocks cut, slices of texts replaced."""

    replaced: dict[Path, JSON]
    cut: set[Path]
    slices: dict[Path, list[tuple[int, int, str]]]


def _edits_of(
    classified: Classified, lines: Mapping[int, str], removed: frozenset[int], wire: Wire
) -> dict[int, _Edits]:
    by_message: dict[int, _Edits] = {}
    for order in sorted({*lines, *removed}):
        span = classified.spans[order]
        edits = by_message.setdefault(span.message, _Edits({}, set(), {}))
        line = lines.get(order)
        if span.start is not None and span.end is not None:
            edits.slices.setdefault(span.part.path, []).append((span.start, span.end, line or ""))
        elif line is None:
            edits.cut.update((span.part.block, *span.part.copies))
        else:
            path, value = wire.stand_in(span.part, line)
            edits.replaced[path] = value
    return by_message


@dataclass(slots=True)
class _Spot:
    """What happens at one place of a message, and below it."""

    below: dict[str | int, _Spot]
    cut: bool = False
    put: JSON = None
    puts: bool = False
    slices: list[tuple[int, int, str]] | None = None

    def at(self, path: Path) -> _Spot:
        spot = self
        for step in path:
            spot = spot.below.setdefault(step, _Spot({}))
        return spot


def _edit(value: JSON, edits: _Edits) -> Any:
    """A copy of the value with the edits done; only what lies on the way to an edit is copied."""
    root = _Spot({})
    for path in edits.cut:
        root.at(path).cut = True
    for path, put in edits.replaced.items():
        spot = root.at(path)
        spot.put, spot.puts = put, True
    for path, slices in edits.slices.items():
        root.at(path).slices = slices
    return _edited(value, root)


def _edited(value: JSON, spot: _Spot) -> Any:
    if spot.cut:
        return _CUT
    if spot.puts:
        return spot.put
    if spot.slices is not None:
        pieces, position = [], 0
        for start, end, line in sorted(spot.slices):
            pieces += [value[position:start], line]
            position = end
        return "".join([*pieces, value[position:]])
    if not spot.below:
        return value
    if isinstance(value, dict):
        told = {key: _edited(child, spot.below[key]) if key in spot.below else child for key, child in value.items()}
        return {key: child for key, child in told.items() if child is not _CUT}
    children = [_edited(child, spot.below[at]) if at in spot.below else child for at, child in enumerate(value)]
    return [child for child in children if child is not _CUT]


def apply_plan(transcript: Transcript, classified: Classified, plan: Plan, policy: Policy, wire: Wire) -> View:
    """Writes the view that the plan describes.

    Raises:
        CompactionInvariantError: The plan breaks the table; see `check_plan`.
    """
    check_plan(classified, plan, policy)
    page = page_text(plan.page_lines) if plan.page else ""
    edits = _edits_of(classified, plan.lines, plan.removed, wire)
    messages: list[JSON] = []
    places: list[Place] = []
    for index, message in enumerate((*transcript.messages, None)):
        if page and plan.page_at == index:
            messages.append(wire.page(page))
            places.append(Place(None, True))
        if message is None:
            break
        edited = _written(message.raw, edits.get(index), wire)
        if edited is not None:
            changed = edited is not message.raw
            messages.append(edited)
            places.append(Place(index, changed, _parts_left(classified, plan, index) if changed else ()))
    own_lines = tuple(plan.lines[order] for order in sorted(plan.lines))
    sent, sizes = joined(messages, _standings(transcript, classified, places), wire)
    return View(tuple(messages), tuple(places), page, own_lines, tuple(sent), tuple(sizes))


def _standings(transcript: Transcript, classified: Classified, places: Sequence[Place]) -> list[Standing]:
    origins = classified.structure.origins
    return [
        (-1, True)
        if place.original is None
        else standing_of(replace(transcript.messages[place.original], origin=origins[place.original]), 0)
        for place in places
    ]


def _parts_left(classified: Classified, plan: Plan, message: int) -> tuple[Left, ...]:
    """Which parts of a message are left, in order."""
    by_path: dict[Path, list[Span]] = {}
    for order in classified.structure.by_message.get(message, ()):
        by_path.setdefault(classified.spans[order].part.path, []).append(classified.spans[order])
    left = []
    for number, spans in enumerate(by_path.values()):
        if spans[0].start is None and spans[0].order in plan.lines:
            left.append(Left(number, line=True))
        elif spans[0].start is None:
            ours = spans[0].provenance is Provenance.compactor
            left += [] if spans[0].order in plan.removed else [Left(number, ours, spans[0].part.own)]
        else:
            pieces = [(_piece(span, plan), span) for span in spans]
            if "".join(text for text, _ in pieces).strip():
                left.append(Left(number, own=_own_ranges(pieces, plan)))
    return tuple(left)


def _piece(span: Span, plan: Plan) -> str:
    """What stands for one slice of a text."""
    if span.order in plan.lines:
        return plan.lines[span.order]
    return "" if span.order in plan.removed else span.text


def _own_ranges(pieces: Sequence[tuple[str, Span]], plan: Plan) -> tuple[tuple[int, int], ...]:
    ranges = []
    position = 0
    for text, span in pieces:
        ours = span.order in plan.lines or span.provenance is Provenance.compactor
        if ours and text:
            ranges.append((position, position + len(text)))
        position += len(text)
    return tuple(ranges)


def _written(raw: JSON, edits: _Edits | None, wire: Wire) -> JSON | None:
    if edits is None:
        return raw
    edited = _edit(raw, edits)
    return None if edited is _CUT else wire.tidy(edited)


# Undoing ------------------------------------------------------------------------------------


def make_recipe(view: View, apart: Sequence[list[JSON]]) -> list[list[JSON]]:
    """How the messages that came in are rebuilt from the view and the store.

    Args:
        view: The view.
        apart: Each original message as `take_apart` gives it.

    Returns:
        One step per original message: `["v", i]` (message i of what is sent is the original), or its
        parts.
    """
    unchanged: dict[int | None, int] = {}
    at = 0
    for index, size in enumerate(view.sizes):
        if size == 1 and not view.places[at].changed:
            unchanged[view.places[at].original] = index
        at += size
    return [["v", unchanged[i]] if i in unchanged else step for i, step in enumerate(apart)]


def take_apart(raw: JSON, spans: Sequence[Span], handle: Mapping[int, str]) -> list[JSON]:
    """A message as `["m", shell, slots]`: its contents taken out, and where each goes back.

    A slot is `[path, handle]` for a value, `[path, [handle, ...]]` for a text joined from slices.
    """
    slots: list[list[JSON]] = []
    joined: dict[Path, list[JSON]] = {}
    edits = _Edits({}, set(), {})
    for span in spans:
        edits.replaced[span.part.path] = None
        if span.start is None:
            slots.append([list(span.part.path), handle[span.order]])
        elif span.part.path in joined:
            joined[span.part.path].append(handle[span.order])
        else:
            joined[span.part.path] = [handle[span.order]]
            slots.append([list(span.part.path), joined[span.part.path]])
    return ["m", _edit(raw, edits), slots]


def put_together(step: Sequence[JSON], view: Sequence[JSON], contents: Mapping[str, bytes]) -> JSON:
    """The original message behind one step of a recipe.

    Raises:
        KeyError: A content is missing.
    """
    if step[0] == "v":
        return view[step[1]]
    _, shell, slots = step
    edits = _Edits({}, set(), {})
    for path, source in slots:
        if isinstance(source, list):
            edits.replaced[tuple(path)] = "".join(from_json(contents[handle]) for handle in source)
        else:
            edits.replaced[tuple(path)] = from_json(contents[source])
    return _edit(shell, edits)


def rebuilt(steps: Sequence[Sequence[JSON]], view: Sequence[JSON], contents: Mapping[str, bytes]) -> list[JSON]:
    """All original messages from a view and stored contents."""
    return [put_together(step, view, contents) for step in steps]


def same_bytes(one: JSON, other: JSON) -> bool:
    """Equal to the byte as JSON: key order, number form and all; `1`, `1.0` and `True` differ."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same_bytes(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_bytes, one, other))
    if isinstance(one, float):
        return repr(one) == repr(other)
    return bool(one == other)
