"""The planner: (spans, budget, policy) -> a plan that names every span exactly once.

Pure and deterministic. It counts net: what stands in a span's place is subtracted from what its
leaving frees, and a span whose net gain is not positive stays. Moves are made per exchange, phase by
phase, and it stops once the target is met. If it can't be met the plan says so; it never degrades.
"""

from __future__ import annotations

import re
from collections import Counter as Multiset
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cenotaph.core.classify import Classified, Row, row_for
from cenotaph.core.fold import Fold, folds_of, statements_only
from cenotaph.core.ids import JSON
from cenotaph.core.lift import VOICES, Said, Unit, in_order, units_of
from cenotaph.core.lines import (
    LineKind,
    Namer,
    PageLine,
    Pointer,
    is_page,
    kind_of_line,
    page_lines,
    page_text,
    pin_line,
)
from cenotaph.core.model import Kind, Mark, Provenance
from cenotaph.core.policy import LEAVING, Action, Policy, Shelf, SpanClass, allowed
from cenotaph.core.ranking import PROHIBITED
from cenotaph.core.spans import Exchange, Span, Structure

__all__ = [
    "BINDINGS",
    "Entry",
    "Framing",
    "Limits",
    "Plan",
    "make_plan",
    "own_tokens",
    "tokens_now",
]

_ANY_HANDLE: Final = re.compile(r"(?:cx|hmac):[0-9a-f]{16}\b")
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

_FOLD_LINE: Final = f"[EVICTED:tombstones@t9:recover={_STAND_IN}]"
_TEXT_LINE: Final = f"[EVICTED:user_message@t9:recover={_STAND_IN}] 99 of 999 sentences here"
"""What such lines weigh, whatever they will say."""

_FOLD_SHARE: Final = 4
"""Folding comes before text leaves only if it frees this part of what is still to be freed."""

_GRADES: Final = (3, 5, 8, 12, PROHIBITED)
"""The grades that sentences of a person must have to stay, one after the other, where there is no room."""

_CHANGED_BY_MOVES: Final = (
    *("lines", "removed", "page", "spoken", "lifted", "net", "left", "said", "folded"),
    *("edited_from", "tokens", "own", "has_page", "given_up"),
)

_VOICE_OFFSET: Final[Mapping[str, int]] = {"user": 0, "agent": 1 << 20}
"""Sentences of both voices may stand in one message."""


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
        own_max: Tokens that our own text may have, lifted words not counted; None for no bound.
        gain_min: A line of ours must free at least this many times its own tokens.
        fold: Old lines and exchanges may fold into one pointer.
        statements: What the caller pinned and no message says; it stands on the page of the cut.
        summarizer: Description of who is asked for a surrogate; None if nobody is.
        summary_window: Tokens that it can be shown, with its answer.
        rules_stay: Sentences that weigh stay in the view whatever the target.
        held: Indices of messages of which something must stay, if only a line.
    """

    policy: Policy
    target: int
    binding: str = "none"
    drop_block: bool = False
    lossless_only: bool = False
    mend_orphans: bool = True
    framing: Framing = NO_FRAMING
    other_tokens: int = 0
    own_max: int | None = None
    gain_min: int = 0
    fold: bool = False
    statements: tuple[str, ...] = ()
    summarizer: Mapping[str, JSON] | None = None
    summary_window: int = 0
    rules_stay: bool = False
    held: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Plan:
    """The decision about every span.

    Attributes:
        entries: One per span, in order.
        lines: Order of a span -> the line that stands in its place.
        removed: Orders of spans that leave without a line in their place.
        page: Lines of the new page; empty: no page.
        pointers: What its pointers to many things stand for.
        page_at: Index of the message before which the page stands; -1 without a page.
        tokens_before: Of the view as it would be sent without this plan.
        tokens_after: Of the view with it, by the plan's own account.
        first_changed: Index of the first message that changes, -1 if none does.
        target: What it was planned for.
        met: Whether `tokens_after` is within the target.
        blocked_by_binding: Signed reasoning of an open loop forbids the cut.
        own_before, own_after: Tokens of our own text in the view, lifted words not counted.
        rules: (how many of a person's weighing sentences that left stand on the page, how many there are).
        own_refused: Something stays only because our own text would outgrow its bound.
    """

    entries: tuple[Entry, ...]
    lines: Mapping[int, str]
    removed: frozenset[int]
    page: tuple[PageLine, ...]
    pointers: tuple[Pointer, ...]
    page_at: int
    tokens_before: int
    tokens_after: int
    first_changed: int
    target: int
    met: bool
    blocked_by_binding: bool = False
    own_before: int = 0
    own_after: int = 0
    own_refused: bool = False
    rules: tuple[int, int] = (0, 0)

    @property
    def page_lines(self) -> tuple[str, ...]:
        return tuple(line.text for line in self.page)

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
    def __init__(self, classified: Classified, namer: Namer, limits: Limits, count: Callable[[str], int]) -> None:
        self.c = classified
        self.spans = classified.spans
        self.namer = namer
        self.limits = limits
        self.count = count
        self.covers: dict[int, list[int]] = {}
        for covered, reads in classified.reading.covered_by.items():
            for order in reads:
                self.covers.setdefault(order, []).append(covered)
        self.bound = _bound_to_items(classified.structure)
        self.bound_with: dict[int, list[int]] = {}
        for thought, item in self.bound.items():
            self.bound_with.setdefault(item, []).append(thought)
        self.frozen_until = self._frozen_until()
        self.reasoning = self._bound_reasoning()
        self.lines: dict[int, str] = {}
        self.removed: set[int] = set()
        self.page: dict[tuple[int, ...], str] = {}
        self.folded: list[Fold] = []
        self.spoken: list[Unit] = []
        self.lifted: dict[tuple[int, int], tuple[Unit, Said]] = {}
        self.net: dict[int, int] = {}
        self.left = Multiset(span.message for span in classified.spans)
        self.said = Multiset(s.message for s in classified.spans if not self._droppable(s.order))
        self.edited_from = max(classified.structure.by_message, default=0) + 1
        self.tokens = self.tokens_before = tokens_now(classified, limits.framing, limits.other_tokens)
        self.own = self.own_before = own_tokens(classified, count)
        self.refused: list[_Move] = []
        self.given_up = 0
        self.run: list[tuple[Unit, ...]] = []
        self.has_page = False

    # Before any move -------------------------------------------------------------------------

    def _signed(self) -> list[Span]:
        return [s for s in self.spans if self._droppable(s.order) and Mark.signed in s.part.marks]

    def _droppable(self, order: int) -> bool:
        """Reasoning that may leave by itself."""
        return self._is_thought(order) and order not in self.bound

    def _is_thought(self, order: int) -> bool:
        return self.spans[order].kind is Kind.reasoning and self.c.rows[order].id == "thk"

    def _frozen_until(self) -> int:
        """Messages up to this index can't be changed; -1 if all can."""
        if self.limits.binding != "prefix" or self.limits.drop_block or not self.c.structure.loop_open:
            return -1
        newest = self.c.structure.last_agent_message
        if not any(s.output == newest for s in self._signed()):
            return -1
        return max(self.spans[order].message for order in self.c.structure.by_output[newest])

    def _bound_reasoning(self) -> list[Span]:
        """Signed reasoning that a change before it invalidates, the frozen newest message aside."""
        if self.limits.binding == "none":
            return []
        newest = self.c.structure.last_agent_message
        spared = newest if self.limits.binding == "newest" or self.c.structure.loop_open else -1
        return [s for s in self._signed() if s.output != spared]

    # Moves -----------------------------------------------------------------------------------

    def _may(self, order: int) -> bool:
        """The policy lets the span leave."""
        shelf = self.c.rows[order].shelf
        span = self.spans[order]
        if Mark.server in span.part.marks or span.message < 0 or span.message <= self.frozen_until:
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
            shelf = self.c.rows[span.order].shelf
            if span.order in whole or shelf not in _PHASE or not self._may(span.order):
                continue
            if span.kind is Kind.result:
                yield from self._result(span)
            elif span.kind is Kind.reasoning:
                if span.output != newest and span.order not in self.bound:
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
        if any(self.spans[order].provenance is Provenance.compactor for order in exchange.members):
            return None  # part of it has left already; the rest may fold
        if self._reasoning_stays(exchange.message) or self._is_held(exchange.members):
            return None
        plan = all(row.id == "plo" for row in rows)
        line = self.namer.whole(exchange, [self.spans[order] for order in exchange.members], plan=plan)
        return _Move(
            members=exchange.members,
            thoughts=self._thoughts_beside(exchange.message),
            line=None,
            page_line=line,
            gain=sum(self.spans[order].tokens for order in exchange.members) - self._on_page(line),
            phase=max(_PHASE[row.shelf] for row in rows if row.shelf in _PHASE),
            eager=plan or any(self.c.reading.facts[order].state == "dead" for order in exchange.members),
            message=exchange.message,
        )

    def _is_held(self, orders: Iterable[int]) -> bool:
        """A message of one of them must not go whole."""
        return bool(self.limits.held) and any(self.spans[order].message in self.limits.held for order in orders)

    def _reasoning_stays(self, message: int) -> bool:
        """Reasoning beside a call is pinned: no provider takes it alone, so its calls stay too."""
        spans = [self.spans[order] for order in self.c.structure.by_output[message]]
        return any(span.kind is Kind.reasoning and not self._is_thought(span.order) for span in spans)

    def _thoughts_beside(self, message: int) -> tuple[int, ...]:
        return tuple(order for order in self.c.structure.by_output[message] if self._droppable(order))

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
            eager=row.id in ("sup", "rel") or facts.state == "dead",
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
        """A payload, harness text, or what the caller released: a line in its place, unless it is dropped."""
        row = self.c.rows[span.order]
        if row.shelf is Shelf.disposable_drop:
            return self._drop(span)
        line = self.namer.in_place(span, None)
        gain = span.tokens - self.count(line)
        return _Move((span.order,), (), line, None, gain, _PHASE[row.shelf], row.id == "rel", span.message)

    def _drop(self, span: Span) -> _Move:
        return _Move((span.order,), (), None, None, span.tokens, 0, False, span.message)

    # Choosing --------------------------------------------------------------------------------

    @property
    def _met(self) -> bool:
        return self.tokens <= self.limits.target

    @property
    def _own_fits(self) -> bool:
        """Our own text is within its bound, or at least no more than it was."""
        return self.limits.own_max is None or self.own <= max(self.limits.own_max, self.own_before)

    def choose(self) -> None:
        if self._met:
            return
        if self.limits.statements:
            self._open_page()
            self.tokens += sum(self._on_page(pin_line(statement)) for statement in self.limits.statements)
        self._choose_moves()
        if not (self.lines or self.removed):
            self.tokens, self.own, self.has_page = self.tokens_before, self.own_before, False

    def _choose_moves(self) -> None:
        last: list[_Move] = []
        for move in sorted(self.moves(), key=lambda m: m.key):
            if self._met:
                break
            if move.phase == _UNCONSUMED:
                last.append(move)
            else:
                self._try(move)
        if self.refused:
            self._make_room()
        if not (self._met and self._own_fits):
            self._fold(worth=(self.tokens - self.limits.target) // _FOLD_SHARE if self._own_fits else 0)
        if not self._met and not self.limits.lossless_only:
            self._lift()
            self._fold(worth=0)
        for move in last:
            if self._met:
                break
            self._try(move)
        if not self._met and not self.limits.lossless_only and not self.limits.rules_stay:
            self._give_up()

    def _try(self, move: _Move) -> None:
        """Makes a move that frees tokens, if our own text has room for its line."""
        if any(order in self.net for order in move.members):
            return
        if self.limits.lossless_only and self._uncovers(move):
            return
        line = 0
        if move.line is not None:
            line = self.count(move.line)
        elif move.page_line is not None:
            line = self._on_page(move.page_line) + (0 if self.has_page else self._page_head())
        gain = move.gain - (self._page_head() if move.page_line is not None and not self.has_page else 0)
        if move.phase != _ORPHAN:
            if gain <= 0 or gain < self.limits.gain_min * line:
                return
            if self.limits.own_max is not None and line and self.own + line > self.limits.own_max:
                self.refused.append(move)
                return
        self._take(move)

    def _page_head(self) -> int:
        return self.count(page_text(())) + self.limits.framing.message

    def _open_page(self) -> None:
        """The first line of the page brings its header and its message."""
        if not self.has_page:
            self.has_page = True
            self.tokens += self._page_head()
            self.own += self._page_head()

    def _uncovers(self, move: _Move) -> bool:
        """The last read that covers a dropped one would leave, and without it that drop is not lossless."""
        for order in move.members:
            for covered in self.covers.get(order, ()):
                if covered not in self.net or row_for(self.c.reading.fallback[covered]).shelf is Shelf.live:
                    continue
                if all(other in self.net or other == order for other in self.c.reading.covered_by[covered]):
                    return True
        return False

    def _take(self, move: _Move) -> None:
        if move.line is not None:
            order = move.members[0]
            self._put(order, move.line)
        else:
            for order in move.members:
                self._leave(order)
        if move.page_line is not None:
            self._open_page()
            self.page[move.members] = move.page_line
            self.tokens += self._on_page(move.page_line)
            self.own += self._on_page(move.page_line)
            self.net[move.members[0]] -= self._on_page(move.page_line)
        for order in move.thoughts:
            self._leave(order)
        self._invalidate_reasoning(move.message)

    def _put(self, order: int, line: str, own: int | None = None) -> None:
        """A line stands where the span stood; `own` is what of it counts as our own text, None for all."""
        span = self.spans[order]
        freed = span.tokens - self.count(line)
        self.lines[order] = line
        self.net[order] = freed
        self.tokens -= freed
        self.own += (self.count(line) if own is None else own) - self._own_of(span)

    def _take_back(self, order: int) -> None:
        """What was put in the place of a span is not put there."""
        line = self.lines.pop(order, None)
        if line is not None:
            span = self.spans[order]
            self.tokens += span.tokens - self.count(line)
            self.own += self._own_of(span) - (self.count(page_text(())) if is_page(line) else self.count(line))

    def _own_of(self, span: Span) -> int:
        return own_of(span, self.count) if span.provenance is Provenance.compactor else 0

    def _leave(self, order: int) -> None:
        """Takes a span out, with what the provider adds to it, and to its message once that is empty."""
        if order in self.removed:
            return
        span, frame = self.spans[order], self.limits.framing
        line = self.lines.pop(order, None)
        if line is not None:
            self.tokens -= self.count(line)
            self.own -= self.count(line)
        else:
            self.tokens -= span.tokens
            self.own -= self._own_of(span)
        self.net[order] = span.tokens
        self.removed.add(order)
        self.left[span.message] -= 1
        self.tokens -= frame.of(span.kind) + (0 if self.left[span.message] else frame.message)
        if not self.left[span.message]:
            for thought in self.bound_with.get(span.message, ()):
                self._leave(thought)
        elif not self._droppable(order):
            self.said[span.message] -= 1
            if not self.said[span.message]:  # reasoning alone is no message
                for thought in self.c.structure.by_message[span.message]:
                    self._leave(thought)

    def _invalidate_reasoning(self, message: int) -> None:
        """A change drops whole every bound reasoning block after it."""
        if message >= self.edited_from:
            return
        self.edited_from = message
        for span in self.reasoning:
            if span.message >= message:
                self._leave(span.order)

    # Folding ---------------------------------------------------------------------------------

    def _make_room(self) -> None:
        """Our own text is at its bound: what has left folds, and then what was refused is tried again."""
        assert self.limits.own_max is not None
        room = self.limits.own_max // 2
        self._fold_while(lambda: self.own > room, [fold for fold in self._folds() if self._left_of(fold)])
        refused, self.refused = self.refused, []
        for move in refused:
            if self._met:
                return
            self._try(move)

    def _fold(self, worth: int) -> None:
        """Old lines and exchanges become one pointer until the target is met.

        Where earlier cuts left lines, at least half of what is left of such exchanges goes, so that it is
        seldom done.

        Args:
            worth: Tokens that it must be able to free; it rewrites what a prompt cache holds.
        """
        folds = self._folds()
        if (self._met and self._own_fits) or sum(max(0, self._gain_of(fold)) for fold in folds) <= worth:
            return
        to_do = sum(map(self._left_of, folds)) // 2 if self.own_before else 0
        standing = self.tokens
        self._fold_while(lambda: not (self._met and self._own_fits) or standing - self.tokens < to_do, folds)

    def _folds(self) -> list[Fold]:
        """What may fold and has not."""
        if not self.limits.fold:
            return []
        done = {fold.members for fold in self.folded}
        folds = folds_of(self.c, self._may)
        folds = [f for f in folds if f.message > self.frozen_until and (f.rest or not self._is_held(f.members))]
        return [f for f in folds if f.members not in done and self._gain_of(f) > 0]

    def _fold_while(self, needed: Callable[[], bool], folds: list[Fold]) -> None:
        if not needed() or sum(map(self._gain_of, folds)) <= self._fold_cost():
            return
        self._open_fold()
        for fold in folds:
            if not needed():
                break
            self._fold_one(fold)
        for members, line in list(self.page.items()):
            if self.spans[members[0]].exchange >= 0:
                self._close(members, line)
                self.folded.append(Fold(self.spans[members[0]].message, members, ()))

    def _fold_cost(self) -> int:
        """What the first thing that folds costs."""
        return 0 if self.folded else self._on_page(_FOLD_LINE) + (0 if self.has_page else self._page_head())

    def _open_fold(self) -> None:
        """The first thing that folds brings the line for all of them."""
        if not self.folded:
            self._open_page()
            self.tokens += self._on_page(_FOLD_LINE)
            self.own += self._on_page(_FOLD_LINE)

    def _left_of(self, fold: Fold) -> int:
        """Tokens of an exchange whose results have left: its calls, and the lines for them."""
        spans = [self.spans[order] for order in fold.members]
        ours = [s for s in spans if s.order in self.lines or s.provenance is Provenance.compactor]
        if len(ours) < sum(span.kind is not Kind.call for span in spans):
            return 0
        return sum(self.count(self.lines[s.order]) if s.order in self.lines else s.tokens for s in spans)

    def _gain_of(self, fold: Fold) -> int:
        standing = sum(
            self.count(self.lines[order]) if order in self.lines else self.spans[order].tokens
            for order in fold.members
            if order not in self.removed
        )
        return standing - (self.count(fold.rest) if fold.rest is not None else 0)

    def _fold_one(self, fold: Fold) -> None:
        if fold.members in self.page:
            self._close(fold.members, self.page[fold.members])
        if fold.rest is not None:
            self._put(fold.members[0], fold.rest, own=self.count(page_text(())))
        else:
            for order in fold.members:
                self._leave(order)
            if self.spans[fold.members[0]].kind is Kind.call:
                for order in self._thoughts_beside(fold.message):
                    self._leave(order)
        self._invalidate_reasoning(fold.message)
        self.folded.append(fold)

    def _close(self, members: tuple[int, ...], line: str) -> None:
        """Takes a line off the page."""
        del self.page[members]
        self.tokens -= self._on_page(line)
        self.own -= self._on_page(line)

    # Lifting ---------------------------------------------------------------------------------

    def _lift(self) -> None:
        """Text leaves as one run, the agent's before a person's, oldest first; what weighs in it is lifted."""
        run = units_of(self.c, self._may_speak, self.namer.words)
        dear = {voice for voice in VOICES if not self._pays([u for units in run for u in units if u.voice == voice])}
        run = self.run = [units for units in run if not any(unit.voice in dear for unit in units)]
        charges = 2 * self._on_page(_TEXT_LINE) + self._page_head()
        if sum(map(self._standing, run)) <= charges:
            return
        before = self._state()
        for units in run:
            if self._met:
                break
            if self._standing(units) > sum(self._on_page(s.line) for unit in units for s in unit.said if s.ranked):
                self._speak(units)
        if not self._met:
            self._shed(1)
        if not self._met and not self.limits.rules_stay:
            self._less(run)
        if self.tokens >= before["tokens"]:
            for name, value in before.items():
                setattr(self, name, value)
            return
        self._more()

    def _pays(self, units: Sequence[Unit]) -> bool:
        """What one voice said takes more than the line that would stand for it."""
        return self._standing(units) > self._on_page(_TEXT_LINE)

    def _state(self) -> dict[str, Any]:
        """Everything that a move changes, to go back to."""
        now = {name: getattr(self, name) for name in _CHANGED_BY_MOVES}
        return {name: value if isinstance(value, int) else value.copy() for name, value in now.items()}

    def _shed(self, least: int) -> None:
        """Older pages keep only statements of so high a grade; what was lifted just to use the room goes first."""
        folds = [fold for fold in statements_only(self.c, least) if self._frees(fold) > 0] if self.limits.fold else []
        if not self.folded and sum(map(self._frees, folds)) <= self._fold_cost():
            return
        for fold in folds:
            if self._met:
                return
            self._shorten(fold, given_up=least > 1)

    def _frees(self, fold: Fold) -> int:
        """Tokens that a page frees by becoming shorter; 0 where it can't be changed or has left."""
        (order,) = fold.members
        if order in self.removed or fold.message <= self.frozen_until:
            return 0
        standing = self.count(self.lines[order]) if order in self.lines else self.spans[order].tokens
        return standing - (0 if fold.rest is None else self.count(fold.rest))

    def _shorten(self, fold: Fold, *, given_up: bool) -> None:
        """An older page becomes what is left of it; `given_up`: statements are among what goes."""
        (order,) = fold.members
        if all(done.members != fold.members for done in self.folded):
            self._open_fold()
            self.folded.append(fold)
        before = len(page_lines(self.lines.get(order, self.spans[order].text)))
        self.given_up += before - len(page_lines(fold.rest or "")) if given_up else 0
        self._take_back(order)
        if fold.rest is None:
            self._leave(order)
        else:
            self._put(order, fold.rest, own=self.count(page_text(())))
        self._invalidate_reasoning(fold.message)

    def _may_speak(self, order: int) -> bool:
        return self._may(order) and order not in self.removed and not self._is_held([order])

    def _standing(self, units: Sequence[Unit]) -> int:
        """Tokens that the units have in the view now."""
        return sum(
            self.count(self.lines[order]) if order in self.lines else self.spans[order].tokens
            for unit in units
            for order in unit.members
            if order not in self.removed
        )

    def _speak(self, units: Sequence[Unit]) -> None:
        """What leaves together leaves, and what weighs in it goes to the page."""
        for unit in units:
            self._speak_one(unit)

    def _speak_one(self, unit: Unit) -> None:
        if all(one.voice != unit.voice for one in self.spoken):
            self._open_page()
            self.tokens += self._on_page(_TEXT_LINE)
            self.own += self._on_page(_TEXT_LINE)
        self.spoken.append(unit)
        for order in unit.members:
            self._leave(order)
        for said in unit.said:
            if said.ranked:
                self._show(unit, said)
        self._invalidate_reasoning(unit.message)

    def _show(self, unit: Unit, said: Said) -> None:
        self.lifted[_place(unit, said)] = (unit, said)
        self.tokens += self._on_page(said.line)

    def _less(self, run: Sequence[Sequence[Unit]]) -> None:
        """No run suffices with all that weighs: what the agent said of it leaves too, the lightest first."""
        taken = {(unit.voice, unit.message) for unit in self.spoken}
        for units in run:
            if any((unit.voice, unit.message) not in taken for unit in units):
                self._speak(units)
        self._unlift(run, human=False, below=PROHIBITED)

    def _give_up(self) -> None:
        """Nothing else is left to go: statements of a person, on older pages and of what leaves now alike."""
        for least in _GRADES:
            self._shed(least)
            self._unlift(self.run, human=True, below=least)
        if self._met:
            self._more()  # a long sentence that went leaves room for short ones that went before it

    def _unlift(self, run: Sequence[Sequence[Unit]], *, human: bool, below: int) -> None:
        """Takes lifted sentences of one side off the page, the lightest first, until the target is met.

        A question and its answer go together; a person's prohibitions stay.
        """
        together = self._together(run)

        def turn(place: tuple[int, int]) -> tuple[bool, int, tuple[int, int]]:
            pair = [self.lifted[place], *([self.lifted[together[place]]] if place in together else [])]
            return any(unit.voice == "user" for unit, _ in pair), max(said.grade for _, said in pair), place

        for side, weight, place in sorted(map(turn, self.lifted)):
            if self._met:
                return
            if place not in self.lifted or side is not human or (human and weight >= below):
                continue
            for one in {place, together.get(place, place)}:
                self.tokens -= self._on_page(self.lifted.pop(one)[1].line)

    def _together(self, run: Sequence[Sequence[Unit]]) -> dict[tuple[int, int], tuple[int, int]]:
        """Places of a question and of its answer, each way."""
        pairs: dict[tuple[int, int], tuple[int, int]] = {}
        for units in run:
            asked = [_place(unit, said) for unit in units for said in unit.said if said.asked and len(units) > 1]
            answers = [_place(unit, said) for unit in units for said in unit.said if said.answers]
            for one, other in zip(asked, answers, strict=False):
                if one in self.lifted and other in self.lifted:
                    pairs |= {one: other, other: one}
        return pairs

    def _to_summarize(self, said: Said) -> bool:
        """A surrogate will tell what does not weigh in the agent's narration."""
        return self.limits.summarizer is not None and self.c.rows[said.order].id == "nar"

    def _more(self) -> None:
        """The other sentences fill the room that is left, newest first."""
        said = [(unit, s) for unit in self.spoken for s in unit.said if not self._to_summarize(s)]
        for unit, s in sorted(said, key=lambda item: (item[0].message, item[1].at), reverse=True):
            place = _place(unit, s)
            if place not in self.lifted and self.tokens + self._on_page(s.line) <= self.limits.target:
                self._show(unit, s)

    # The plan --------------------------------------------------------------------------------

    def plan(self) -> Plan:
        self.choose()
        gone = sorted({*self.lines, *self.removed})
        first = min((self.spans[order].message for order in gone), default=-1)
        page, pointers = self._page()
        return Plan(
            entries=tuple(self._entry(span) for span in self.spans),
            lines=dict(self.lines),
            removed=frozenset(self.removed),
            page=page,
            pointers=pointers,
            page_at=self._page_at(page),
            tokens_before=self.tokens_before,
            tokens_after=self.tokens,
            first_changed=first,
            target=self.limits.target,
            met=self._met and self._own_fits,
            blocked_by_binding=self.frozen_until >= 0 and not self._met,
            own_before=self.own_before,
            own_after=self.own,
            own_refused=any(move.members[0] not in self.net for move in self.refused) or not self._own_fits,
            rules=self._rules(),
        )

    def _rules(self) -> tuple[int, int]:
        here = sum(unit.voice == "user" and said.ranked for unit, said in self.lifted.values())
        of = sum(unit.voice == "user" and said.ranked for unit in self.spoken for said in unit.said)
        return here, of + self.given_up

    def _page(self) -> tuple[tuple[PageLine, ...], tuple[Pointer, ...]]:
        """The lines of the page: pins, text that left with what is lifted of it, one pointer, exchanges."""
        lines: list[PageLine] = []
        pointers: list[Pointer] = []
        if self.lines or self.removed:
            lines += [PageLine(LineKind.pin, pin_line(statement)) for statement in self.limits.statements]
        for voice in reversed(VOICES):
            units = [unit for unit in self.spoken if unit.voice == voice]
            if units:
                lines.append(self._text_line(voice, units, pointers))
        shown = in_order([self.lifted[place] for place in sorted(self.lifted)])
        lines += [PageLine(LineKind.lift, said.line, (said.order,)) for _, said in shown]
        if self.folded:
            orders = sorted(order for fold in self.folded for order in fold.members)
            pointer = self._pointer(orders, [line for fold in self.folded for line in fold.lines])
            if pointer is not None:
                pointers.append(pointer)
                lines.append(PageLine(LineKind.fold, self.namer.fold_line(pointer), tuple(orders)))
        for members, text in sorted(self.page.items()):
            lines.append(PageLine(LineKind.exchange, text, members))
            pointer = self._pointer(list(members), ()) if len(members) > 1 else None
            pointers += [pointer] if pointer is not None else []
        return tuple(lines), tuple(pointers)

    def _text_line(self, voice: str, units: list[Unit], pointers: list[Pointer]) -> PageLine:
        """The tombstone of what one voice said; a single span is named itself."""
        orders = sorted(order for unit in units for order in unit.members)
        pointer = self._pointer(orders, ()) if len(orders) > 1 else None
        pointers += [pointer] if pointer is not None else []
        here = sum(unit.voice == voice for unit, _ in self.lifted.values())
        of = sum(len(unit.said) for unit in units)
        spans = [self.spans[order] for order in orders]
        return PageLine(LineKind.text, self.namer.text_line(voice, spans, pointer, here, of), tuple(orders))

    def _pointer(self, orders: list[int], older: Iterable[str]) -> Pointer | None:
        """The manifest of spans that leave, and of what our own lines among them point to."""
        spans = [self.spans[order] for order in orders]
        lines = [s.text for s in spans if s.provenance is Provenance.compactor and s.start is not None]
        others = [span for span in spans if span.provenance is not Provenance.compactor]
        return self.namer.pointer(others, [*older, *lines])

    def _page_at(self, page: tuple[PageLine, ...]) -> int:
        """The place of the first removed message, or the first after it where no exchange is open.

        What is left of an older page stands before it: what was said later is read later.
        """
        if not page:
            return -1
        structure = self.c.structure
        gone = [[order for order in line.members if order not in self.lines] for line in page]
        place = min((self._place_of(orders[0]) for orders in gone if orders), default=-1)
        if place < 0:
            shorter = [self.spans[order].message for line in page for order in line.members]
            place = shorter[0] + 1 if shorter else min(self.spans[o].message for o in (*self.lines, *self.removed))
        for exchange in structure.exchanges:
            if any(order in self.removed for order in exchange.calls):
                continue
            last = max((self.spans[o].message for group in exchange.results for o in group), default=exchange.message)
            if exchange.message < place <= last:
                place = last + 1
        return place

    def _place_of(self, order: int) -> int:
        """Where the first thing stood that a line stands for; an exchange stands where its results did."""
        first = self.spans[order]
        if first.exchange < 0 or first.kind is not Kind.call:
            return first.message
        results = self.c.structure.exchanges[first.exchange].results
        return min(self.spans[order].message for group in results for order in group)

    def _entry(self, span: Span) -> Entry:
        row = self.c.rows[span.order]
        if span.order not in self.net:
            stays = Action.keep if row.cls is not SpanClass.authoritative else Action.protect
            return Entry(span.id, span.order, row.id, row.shelf, stays if row.id != "own" else Action.keep, 0)
        row = self._row_of_leaving(span, row)
        return Entry(span.id, span.order, row.id, row.shelf, action_for(row.shelf), self.net[span.order])

    def _row_of_leaving(self, span: Span, row: Row) -> Row:
        """A covered read is planned as what it otherwise is if every read that covers it leaves too."""
        covering = self.c.reading.covered_by.get(span.order, ())
        if row.id != "sup" or any(order not in self.net for order in covering):
            return row
        return row_for(self.c.reading.fallback[span.order])


def _bound_to_items(structure: Structure) -> dict[int, int]:
    """Reasoning that is refused without the item after it, and that item's message; see `Mark.bound`."""
    bound: dict[int, int] = {}
    for orders in structure.by_output.values():
        item = -1
        for order in reversed(orders):
            span = structure.spans[order]
            if span.kind is not Kind.reasoning:
                item = span.message
            elif Mark.bound in span.part.marks and item >= 0:
                bound[order] = item
    return bound


def _place(unit: Unit, said: Said) -> tuple[int, int]:
    """Where a sentence stands among all that may be lifted."""
    return unit.message, said.at + _VOICE_OFFSET[unit.voice]


def action_for(shelf: Shelf) -> Action:
    """How a span of this shelf leaves."""
    if shelf in (Shelf.disposable_drop, Shelf.disposable_lift):
        return Action.drop
    return Action.evict if shelf is Shelf.live else Action.evict_with_tombstone


def own_of(span: Span, count: Callable[[str], int]) -> int:
    """Tokens of a span of ours, lifted words not counted."""
    if not is_page(span.text):
        return span.tokens
    lines = page_lines(span.text)
    return count(page_text([line for line in lines if kind_of_line(line) not in (LineKind.lift, LineKind.pin)]))


def own_tokens(classified: Classified, count: Callable[[str], int]) -> int:
    """Tokens of our own text in a view, lifted words not counted."""
    return sum(own_of(span, count) for span in classified.spans if span.provenance is Provenance.compactor)


def tokens_now(classified: Classified, frame: Framing, other: int) -> int:
    """Tokens of the messages as they are."""
    spans = classified.spans
    total = frame.request + other + sum(span.tokens + frame.of(span.kind) for span in spans)
    return total + frame.message * len({span.message for span in spans if span.message >= 0})


_STEPS_OF_GAIN: Final = (0, 4, 16)
"""How much a line of ours must free of its own tokens, where our own text is at its bound."""


def make_plan(classified: Classified, namer: Namer, limits: Limits, count: Callable[[str], int]) -> Plan:
    """Decides about every span.

    Args:
        classified: The transcript with a row for each span.
        namer: Writes the lines.
        limits: Policy, target and the frozen prefix.
        count: Tokens of a line.

    Returns:
        A plan; `met` is False if the target can't be reached with everything that may leave, and
        `own_refused` says whether that is for the bound of our own text.
    """
    plans: list[Plan] = []
    for step in _STEPS_OF_GAIN:
        weighed = replace(limits, gain_min=max(step, limits.gain_min))
        plan = _Planner(classified, namer, weighed, lambda line: count(_ANY_HANDLE.sub(_STAND_IN, line))).plan()
        plans.append(plan)
        if plan.met:
            return plan
        if not plan.own_refused:
            break
    best = min(plans, key=lambda plan: plan.tokens_after)
    return replace(best, own_refused=any(plan.own_refused for plan in plans))
