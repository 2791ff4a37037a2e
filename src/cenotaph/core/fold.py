"""Fold: many old lines become one pointer.

An exchange whose results have all left still costs its calls and one line for each. It leaves whole
then, together with the lines of older pages, and one tombstone stands for all of them: a manifest in
the store names what it holds. Lifted sentences and pins never fold. Where there is no room for all that
was lifted, an older page keeps its statements: what a person said that weighs, an answer with its
question, and pins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cenotaph.core.classify import Classified
from cenotaph.core.lines import LineKind, is_page, kind_of_line, lifted_words, page_lines, page_text
from cenotaph.core.model import Kind, Mark, Provenance
from cenotaph.core.ranking import grade
from cenotaph.core.spans import Exchange, Span

__all__ = ["Fold", "folds_of", "statements_only"]


@dataclass(frozen=True, slots=True)
class Fold:
    """One thing that may fold: an exchange, a page of ours, or a line of ours in a message.

    Attributes:
        message: Index of its first message.
        members: Orders of the spans that leave.
        lines: Lines of ours among them; what they point to goes on being pointed to.
        rest: What stays of a page of ours (its lifts); None if nothing does.
    """

    message: int
    members: tuple[int, ...]
    lines: tuple[str, ...]
    rest: str | None = None


def folds_of(classified: Classified, may_leave: Callable[[int], bool]) -> list[Fold]:
    """Everything that may fold, oldest first; pages keep all that was lifted.

    Args:
        classified: The spans with their rows.
        may_leave: Whether policy and binding let a span go; our own text always may.
    """
    spans, structure = classified.spans, classified.structure
    found = [
        Fold(exchange.message, exchange.members, _own_lines([spans[order] for order in exchange.members]))
        for exchange in structure.exchanges
        if _folds(classified, exchange, may_leave)
    ]
    for span in spans:
        if span.provenance is Provenance.compactor and span.kind is Kind.text:
            fold = _page(span) if span.start is None else _line(classified, span)
            if fold is not None:
                found.append(fold)
    return sorted(found, key=lambda fold: (fold.message, fold.members))


def _folds(classified: Classified, exchange: Exchange, may_leave: Callable[[int], bool]) -> bool:
    """The exchange is closed, and each of its spans may leave, or is a line of ours already."""
    if not exchange.consumed or not all(exchange.results):
        return False
    beside = classified.structure.by_output[exchange.message]
    if any(classified.spans[o].kind is Kind.reasoning and classified.rows[o].id != "thk" for o in beside):
        return False  # no provider takes reasoning alone: pinned, it keeps its calls
    for order in exchange.members:
        span = classified.spans[order]
        if Mark.server in span.part.marks or not (span.provenance is Provenance.compactor or may_leave(order)):
            return False
    return True


def _own_lines(spans: list[Span]) -> tuple[str, ...]:
    return tuple(span.text for span in spans if span.provenance is Provenance.compactor)


def statements_only(classified: Classified, least: int) -> list[Fold]:
    """Older pages, oldest first, each with nothing left of it but statements of a grade of at least `least`."""
    pages = [s for s in classified.spans if s.provenance is Provenance.compactor and is_page(s.text)]
    return [_shortened(span, _statements(page_lines(span.text), least)) for span in pages if span.start is None]


def _page(span: Span) -> Fold | None:
    """A page, or a line that stands for a whole text: all of it but lifts and pins."""
    if not is_page(span.text):
        return Fold(span.message, (span.order,), (span.text,))
    lines = page_lines(span.text)
    stay = [line for line in lines if kind_of_line(line) in _LASTING]
    return None if len(stay) == len(lines) else _shortened(span, stay)


_LASTING: Final = frozenset({LineKind.lift, LineKind.pin})


def _shortened(span: Span, stay: list[str]) -> Fold:
    gone = tuple(line for line in page_lines(span.text) if kind_of_line(line) not in _LASTING)
    return Fold(span.message, (span.order,), gone, page_text(stay) if stay else None)


def _statements(lines: list[str], least: int) -> list[str]:
    """Pins, a person's sentences that weigh so much, and each answer with the question right before it."""
    stay = []
    for line, before, after in zip(lines, ["", *lines], [*lines[1:], ""], strict=False):
        speaker, words = lifted_words(line)
        if (
            kind_of_line(line) is LineKind.pin
            or (speaker == "user" and (grade(words) >= least or lifted_words(before)[0] == "agent"))
            or (speaker == "agent" and lifted_words(after)[0] == "user")
        ):
            stay.append(line)
    return stay


def _line(classified: Classified, span: Span) -> Fold | None:
    """A line inside a person's text goes when that text goes; alone in its message it may go now."""
    around = [classified.spans[o] for o in classified.structure.by_message[span.message]]
    alone = all(s.provenance is Provenance.compactor for s in around)
    return Fold(span.message, (span.order,), (span.text,)) if alone else None
