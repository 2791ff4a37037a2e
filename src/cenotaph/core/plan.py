"""The planner: (spans, budget, policy) -> a plan that names every span exactly once.

Pure and deterministic. It counts net: what stands in a span's place is subtracted from what its
leaving frees, and a span whose net gain is not positive stays. Moves are made per exchange, phase by
phase, and it stops once the target is met. If it can't be met the plan says so; it never degrades.
"""

from __future__ import annotations

import re
from collections import Counter as Multiset
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from cenotaph.core.classify import Classified, Row, row_for
from cenotaph.core.lines import Namer, page_text
from cenotaph.core.model import Kind, Mark, Provenance
from cenotaph.core.policy import LEAVING, Action, Policy, Shelf, SpanClass, allowed
from cenotaph.core.spans import Exchange, Span

__all__ = [
    "BINDINGS",
    "Entry",
    "Framing",
    "Limits",
    "Plan",
    "Standing",
    "make_plan",
    "tokens_now",
]

_ANY_HANDLE: Final = re.compile(r"cx:[0-9a-f]{16}\b")
_STAND_IN: Final = "cx:8f3a91c60d7be524"
"""Lines are weighed with one store handle for all, so that a plan does not hang on a store's key."""

BINDINGS: Final = ("none", "newest", "prefix")
"""How signed reasoning is bound to what stands before it."""

_PHASE: Final[Mapping[Shelf, int]] = {
    Shelf.disposable_drop: 0,
    Shelf.live: 1,
    Shelf.invalidated: 2,
    Shelf.evictable: 3,
}
WHOLE_ROWS: Final = frozenset({"wrt", "plo"})
"""Rows whose exchange may leave with its call; every other call stays byte for byte."""

_ORPHAN: Final = -1
"""Results without a call leave first, whatever they weigh: no provider takes them where they stand."""

_UNCONSUMED: Final = 4
"""Results that no agent item follows yet leave last."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the plan does with one span.

    Attributes:
        span_id: The span.
        order: Its place.
        row: Id of its row.
        shelf: How a span of the row may leave.
        action: What is done.
        net: Tokens freed by it, net of its own line; 0 if it stays.
    """

    span_id: str
    order: int
    row: str
    shelf: Shelf
    action: Action
    net: int


@dataclass(frozen=True, slots=True)
class Standing:
    """What earlier compactions of this session put into the view; it stays as it is.

    Attributes:
        lines: Span id -> the line that stands in its place.
        removed: Ids of spans that left without a line in their place.
        pages: (index of the original message before which it stands, text), oldest first.
        actions: Span id -> the action by which it left.
    """

    lines: Mapping[str, str] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()
    pages: tuple[tuple[int, str], ...] = ()
    actions: Mapping[str, Action] = field(default_factory=dict)

    def holds(self, span_id: str) -> bool:
        return span_id in self.lines or span_id in self.removed


NOTHING_STANDS: Final = Standing()
"""Before the first compaction of a session."""


@dataclass(frozen=True, slots=True)
class Framing:
    """Tokens that the provider adds and no text shows: per message, request, call and result."""

    message: int = 0
    request: int = 0
    call: int = 0
    result: int = 0

    def of(self, kind: Kind) -> int:
        """What a block of this kind has around its text."""
        if kind is Kind.call:
            return self.call
        return self.result if kind is Kind.result else 0


NO_FRAMING: Final = Framing()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a plan must keep to.

    Attributes:
        policy: Strict or archive.
        target: Tokens that the view may have.
        binding: One of `BINDINGS`.
        drop_block: The provider drops reasoning whose prefix changed instead of refusing.
        lossless_only: A small reclaim: only dropped duplicates, reasoning and live handles.
        mend_orphans: Results without a call may leave first.
        framing: What the provider adds to the texts.
        other_tokens: Tokens of the request that are no spans (tool definitions).
    """

    policy: Policy
    target: int
    binding: str = "none"
    drop_block: bool = False
    lossless_only: bool = False
    mend_orphans: bool = True
    framing: Framing = NO_FRAMING
    other_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The decision about every span.

    Attributes:
        entries: One per span, in order.
        lines: Order of a span -> the line that stands in its place.
        removed: Orders of spans that leave without a line in their place.
        page_lines: Lines of the new page, in transcript order; empty: no page.
        page_members: For each of them the orders of the spans that it stands for.
        page_at: Index of the message before which the page stands; -1 without a page.
        tokens_before: Of the view as it would be sent without this plan.
        tokens_after: Of the view with it, by the plan's own account.
        first_changed: Index of the first message that changes, -1 if none does.
        target: What it was planned for.
        met: Whether `tokens_after` is within the target.
        blocked_by_binding: Signed reasoning of an open loop forbids the cut.
    """

    entries: tuple[Entry, ...]
    lines: Mapping[int, str]
    removed: frozenset[int]
    page_lines: tuple[str, ...]
    page_members: tuple[tuple[int, ...], ...]
    page_at: int
    tokens_before: int
    tokens_after: int
    first_changed: int
    target: int
    met: bool
    blocked_by_binding: bool = False

    @property
    def changes(self) -> bool:
        return bool(self.lines or self.removed)


@dataclass(frozen=True, slots=True)
class _Move:
    """Spans that leave together.

    Attributes:
        members: Orders.
        thoughts: Orders of reasoning that goes with them, if it has not gone before.
        line: What stands in the place of the one member that has a place, else None.
        page_line: Line on the page, else None.
        gain: Tokens freed, the page's header aside.
        phase: See `_PHASE`.
        eager: Superseded or written over: first in its phase.
        message: Index of the first message that it changes.
    """

    members: tuple[int, ...]
    thoughts: tuple[int, ...]
    line: str | None
    page_line: str | None
    gain: int
    phase: int
    eager: bool
    message: int

    @property
    def key(self) -> tuple[int, bool, int, int]:
        return (self.phase, not self.eager, self.members[0], -self.gain)


class _Planner:
    def __init__(
        self,
        classified: Classified,
        namer: Namer,
        limits: Limits,
        count: Callable[[str], int],
        standing: Standing,
    ) -> None:
        self.c = classified
        self.spans = classified.spans
        self.namer = namer
        self.limits = limits
        self.count = count
        self.standing = standing
        self.covers: dict[int, list[int]] = {}
        for covered, reads in classified.reading.covered_by.items():
            for order in reads:
                self.covers.setdefault(order, []).append(covered)
        self.frozen_until = self._frozen_until()
        self.reasoning = self._bound_reasoning()
        self.lines: dict[int, str] = {}
        self.removed: set[int] = set()
        self.page: list[tuple[tuple[int, ...], str]] = []
        self.net: dict[int, int] = {}
        self.left = _left_by_message(classified, standing)
        self.edited_from = max(classified.structure.by_message, default=0) + 1
        self.tokens = self.tokens_before = tokens_now(classified, limits.framing, limits.other_tokens, count, standing)

    # Before any move -------------------------------------------------------------------------

    def _signed(self) -> list[Span]:
        return [s for s in self.spans if self._droppable(s.order) and Mark.signed in s.part.marks]

    def _droppable(self, order: int) -> bool:
        return self.spans[order].kind is Kind.reasoning and self.c.rows[order].id == "thk"

    def _frozen_until(self) -> int:
        """Messages up to this index can't be changed; -1 if all can."""
        if self.limits.binding != "prefix" or self.limits.drop_block or not self.c.structure.loop_open:
            return -1
        newest = self.c.structure.last_agent_message
        return newest if any(s.message == newest for s in self._signed()) else -1

    def _bound_reasoning(self) -> list[Span]:
        """Signed reasoning that a change before it invalidates, the frozen newest message aside."""
        if self.limits.binding == "none":
            return []
        newest = self.c.structure.last_agent_message
        spared = newest if self.limits.binding == "newest" or self.c.structure.loop_open else -1
        return [s for s in self._signed() if s.message != spared and not self.standing.holds(s.id)]

    # Moves -----------------------------------------------------------------------------------

    def _may(self, order: int) -> bool:
        """The policy lets the span leave."""
        shelf = self.c.rows[order].shelf
        span = self.spans[order]
        if self.standing.holds(span.id) or Mark.server in span.part.marks or span.message < 0:
            return False
        if self.limits.lossless_only and shelf not in (Shelf.disposable_drop, Shelf.live):
            return False
        return bool(allowed(self.limits.policy, shelf) & LEAVING)

    def moves(self) -> Iterator[_Move]:
        whole: set[int] = set()
        for exchange in self.c.structure.exchanges:
            move = self._whole_exchange(exchange)
            if move is not None:
                whole.update(move.members)
                yield move
        newest = self.c.structure.last_agent_message
        for span in self.spans:
            if span.order in whole or not self._may(span.order):
                continue
            if span.kind is Kind.result:
                yield from self._result(span)
            elif span.kind is Kind.reasoning:
                if span.message != newest:
                    yield self._drop(span)
            elif span.kind is not Kind.call and not self._holds_an_end(span):
                yield self._text(span)

    def _holds_an_end(self, span: Span) -> bool:
        """It is all that stands before, or after, the agent's first or last word: a role that must stand there."""
        orders = self.c.structure.by_message[span.message]
        if any(self.c.rows[order].shelf is not Shelf.disposable_drop for order in orders):
            return False
        if orders[0] == 0 or self.spans[orders[0] - 1].message < 0:
            return self._voice(range(orders[-1] + 1, len(self.spans))) is Provenance.agent
        if orders[-1] == len(self.spans) - 1:
            return self._voice(range(orders[0] - 1, -1, -1)) is Provenance.agent
        return False

    def _voice(self, orders: Iterable[int]) -> Provenance | None:
        """Who speaks first there, aside from harness text that may be dropped as well."""
        for order in orders:
            span, dropped = self.spans[order], self.c.rows[order].shelf is Shelf.disposable_drop
            if span.provenance is not Provenance.harness or not dropped:
                return span.provenance
        return None

    def _whole_exchange(self, exchange: Exchange) -> _Move | None:
        """A write or a spent plan leaves with its call, but only with its whole batch."""
        rows = [self.c.rows[order] for order in exchange.members]
        if not exchange.consumed or not all(exchange.results):
            return None
        if not any(row.id in WHOLE_ROWS for row in rows) or not all(self._may(order) for order in exchange.members):
            return None
        plan = all(row.id == "plo" for row in rows)
        line = self.namer.whole(exchange, [self.spans[order] for order in exchange.members], plan=plan)
        return _Move(
            members=exchange.members,
            thoughts=tuple(
                order
                for order in self.c.structure.by_message[exchange.message]
                if self._droppable(order) and not self.standing.holds(self.spans[order].id)
            ),
            line=None,
            page_line=line,
            gain=sum(self.spans[order].tokens for order in exchange.members) - self._on_page(line),
            phase=max(_PHASE[row.shelf] for row in rows if row.shelf in _PHASE),
            eager=plan or any(self.c.reading.facts[order].state == "dead" for order in exchange.members),
            message=exchange.message,
        )

    def _result(self, span: Span) -> Iterator[_Move]:
        row = self.c.rows[span.order]
        exchange = self.c.structure.exchanges[span.exchange] if span.exchange >= 0 else None
        if exchange is None:
            if span.part.call_id is not None and self.limits.mend_orphans:
                yield self._orphan(span)
            return
        line = self.namer.in_place(span, exchange)
        facts = self.c.reading.facts[span.order]
        yield _Move(
            members=(span.order,),
            thoughts=(),
            line=line,
            page_line=None,
            gain=span.tokens - self.count(line),
            phase=_PHASE[row.shelf] if exchange.consumed else _UNCONSUMED,
            eager=row.id == "sup" or facts.state == "dead",
            message=span.message,
        )

    def _orphan(self, span: Span) -> _Move:
        """A result without a call: no provider takes it where it stands, so it leaves first, to the page."""
        line = self.namer.in_place(span, None)
        gain = span.tokens - self._on_page(line)
        return _Move((span.order,), (), None, line, gain, _ORPHAN, True, span.message)

    def _on_page(self, line: str) -> int:
        """Tokens of a line with the break that sets it off from the one before."""
        return self.count("\n" + line)

    def _text(self, span: Span) -> _Move:
        """A payload or harness text: a line in its place, unless it is dropped."""
        row = self.c.rows[span.order]
        if row.shelf is Shelf.disposable_drop:
            return self._drop(span)
        line = self.namer.in_place(span, None)
        gain = span.tokens - self.count(line)
        return _Move((span.order,), (), line, None, gain, _PHASE[row.shelf], False, span.message)

    def _drop(self, span: Span) -> _Move:
        return _Move((span.order,), (), None, None, span.tokens, 0, False, span.message)

    # Choosing --------------------------------------------------------------------------------

    def choose(self) -> None:
        header = self.count(page_text(())) + self.limits.framing.message
        for move in sorted(self.moves(), key=lambda m: m.key):
            if self.tokens <= self.limits.target:
                return
            if move.message <= self.frozen_until or any(order in self.net for order in move.members):
                continue
            if self.limits.lossless_only and self._uncovers(move):
                continue
            gain = move.gain - (header if move.page_line is not None and not self.page else 0)
            if gain > 0 or move.phase == _ORPHAN:
                self._take(move, gain)

    def _uncovers(self, move: _Move) -> bool:
        """The last read that covers a dropped one would leave, and without it that drop is not lossless."""
        for order in move.members:
            for covered in self.covers.get(order, ()):
                if covered not in self.net or row_for(self.c.reading.fallback[covered]).shelf is Shelf.live:
                    continue
                if all(other in self.net or other == order for other in self.c.reading.covered_by[covered]):
                    return True
        return False

    def _take(self, move: _Move, gain: int) -> None:
        self.tokens -= gain
        for order in move.members:
            self.net[order] = self.spans[order].tokens
            if move.line is None:
                self._remove(order)
        if move.line is not None:
            self.lines[move.members[0]] = move.line
            self.net[move.members[0]] = gain
        if move.page_line is not None:
            self.page.append((move.members, move.page_line))
            self.net[move.members[0]] -= self._on_page(move.page_line)
        for order in move.thoughts:
            self._forget(order)
        self._invalidate_reasoning(move.message)

    def _remove(self, order: int) -> None:
        """Takes a span out, with what the provider adds to it, and to its message once that is empty."""
        span, frame = self.spans[order], self.limits.framing
        self.removed.add(order)
        self.left[span.message] -= 1
        self.tokens -= frame.of(span.kind) + (0 if self.left[span.message] else frame.message)

    def _forget(self, order: int) -> None:
        """Drops one block of reasoning, once."""
        if order not in self.net:
            self.net[order] = self.spans[order].tokens
            self.tokens -= self.spans[order].tokens
            self._remove(order)

    def _invalidate_reasoning(self, message: int) -> None:
        """A change drops whole every bound reasoning block after it."""
        if message >= self.edited_from:
            return
        self.edited_from = message
        for span in self.reasoning:
            if span.message >= message:
                self._forget(span.order)

    # The plan --------------------------------------------------------------------------------

    def plan(self) -> Plan:
        self.choose()
        self.page.sort()
        gone = sorted({*self.lines, *self.removed})
        first = min((self.spans[order].message for order in gone), default=-1)
        return Plan(
            entries=tuple(self._entry(span) for span in self.spans),
            lines=dict(self.lines),
            removed=frozenset(self.removed),
            page_lines=tuple(line for _, line in self.page),
            page_members=tuple(members for members, _ in self.page),
            page_at=self._page_at(),
            tokens_before=self.tokens_before,
            tokens_after=self.tokens,
            first_changed=first,
            target=self.limits.target,
            met=self.tokens <= self.limits.target,
            blocked_by_binding=self.frozen_until >= 0 and self.tokens > self.limits.target,
        )

    def _page_at(self) -> int:
        """The place of the first removed message, or the first after it where no exchange is open."""
        if not self.page:
            return -1
        structure = self.c.structure
        first = self.spans[self.page[0][0][0]]
        if first.exchange < 0:
            place = first.message
        else:
            results = structure.exchanges[first.exchange].results
            place = min(self.spans[order].message for group in results for order in group)
        for exchange in structure.exchanges:
            if any(order in self.removed for order in exchange.calls):
                continue
            last = max((self.spans[o].message for group in exchange.results for o in group), default=exchange.message)
            if exchange.message < place <= last:
                place = last + 1
        return place

    def _entry(self, span: Span) -> Entry:
        row = self.c.rows[span.order]
        if span.id in self.standing.actions:
            return Entry(span.id, span.order, row.id, row.shelf, self.standing.actions[span.id], 0)
        if span.order not in self.net:
            stays = Action.keep if row.cls is not SpanClass.authoritative else Action.protect
            return Entry(span.id, span.order, row.id, row.shelf, stays if row.id != "own" else Action.keep, 0)
        row = self._row_of_leaving(span, row)
        return Entry(span.id, span.order, row.id, row.shelf, action_for(row.shelf), self.net[span.order])

    def _row_of_leaving(self, span: Span, row: Row) -> Row:
        """A covered read is planned as what it otherwise is if every read that covers it leaves too."""
        covering = self.c.reading.covered_by.get(span.order, ())
        stays = any(o not in self.net and not self.standing.holds(self.spans[o].id) for o in covering)
        if row.id != "sup" or stays:
            return row
        return row_for(self.c.reading.fallback[span.order])


def action_for(shelf: Shelf) -> Action:
    """How a span of this shelf leaves."""
    if shelf is Shelf.disposable_drop:
        return Action.drop
    return Action.evict if shelf is Shelf.live else Action.evict_with_tombstone


def _left_by_message(classified: Classified, standing: Standing) -> Multiset[int]:
    """How many spans still stand in each message; a message of which none does is gone."""
    return Multiset(span.message for span in classified.spans if span.id not in standing.removed)


def tokens_now(
    classified: Classified,
    frame: Framing,
    other: int,
    count: Callable[[str], int],
    standing: Standing = NOTHING_STANDS,
) -> int:
    """Tokens of the messages as they would be sent now: what stands is counted, not what it replaced."""
    total = frame.request + other
    for span in classified.spans:
        if span.id in standing.lines:
            total += count(standing.lines[span.id])
        elif span.id in standing.removed:
            continue
        else:
            total += span.tokens
        total += frame.of(span.kind)
    total += sum(count(text) for _, text in standing.pages)
    messages = sum(message >= 0 for message in _left_by_message(classified, standing))
    return total + frame.message * (messages + len(standing.pages))


def make_plan(
    classified: Classified,
    namer: Namer,
    limits: Limits,
    count: Callable[[str], int],
    standing: Standing = NOTHING_STANDS,
) -> Plan:
    """Decides about every span.

    Args:
        classified: The transcript with a row for each span.
        namer: Writes the lines.
        limits: Policy, target and the frozen prefix.
        count: Tokens of a line.
        standing: What earlier compactions of this session put into the view.

    Returns:
        A plan; `met` is False if the target can't be reached with everything that may leave.
    """
    return _Planner(classified, namer, limits, lambda line: count(_ANY_HANDLE.sub(_STAND_IN, line)), standing).plan()
