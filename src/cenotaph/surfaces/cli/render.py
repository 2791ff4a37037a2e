"""Tables and pictures as lines of styled text: pure, so that what a person sees can be tested.

Colour only repeats what letters, words and numbers already say. Text that comes from a transcript is
passed through `clean` first: no escape sequence of a stranger ever reaches a terminal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = [
    "Line",
    "Share",
    "cells",
    "clean",
    "clip",
    "clip_left",
    "bars",
    "headed",
    "line",
    "plain",
    "table",
    "wrapped",
]

Line = tuple[tuple[str, str], ...]
"""Pieces of one line, each with its style; "" is no style."""

free_mark: Final = "·"
_gap: Final = "  "


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the window.

    Attributes:
        mark: One letter that stands for it in a bar.
        name: In words.
        style: Colour, which only repeats the letter.
        tokens: Its size in each bar.
    """

    mark: str
    name: str
    style: str
    tokens: tuple[int, ...]


def line(*pieces: str | tuple[str, str]) -> Line:
    """A line of pieces; a bare string has no style."""
    return tuple((piece, "") if isinstance(piece, str) else piece for piece in pieces)


def plain(lines: Sequence[Line]) -> str:
    """The lines without any style, each ended."""
    return "".join("".join(text for text, _ in pieces).rstrip() + "\n" for pieces in lines)


def clean(text: str) -> str:
    """Text of a stranger as one line that does nothing to a terminal: no controls, no hidden marks."""
    shown = " ".join(text.split())
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(_visible(char) for char in shown)


def _visible(char: str) -> str:
    return "\ufffd" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") else char


def cells(text: str) -> int:
    """Columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_width(char) for char in text)


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def clip(text: str, width: int) -> str:
    """The text in at most `width` columns; one that is cut ends in an ellipsis."""
    if cells(text) <= width:
        return text
    kept, used = [], 0
    for char in text:
        used += _width(char)
        if used > width - 1:
            break
        kept.append(char)
    return "".join(kept) + "…" if width > 0 else ""


def clip_left(text: str, width: int) -> str:
    """Likewise, with its end kept: what tells paths apart."""
    return text if cells(text) <= width else "…" + clip(text[::-1], width).rstrip("…")[::-1]


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Words in lines of at most `width` columns; a longer word has a line of its own."""
    lines: list[str] = []
    current = ""
    for word in text.split():
        longer = f"{current} {word}" if current else word
        if current and cells(indent) + cells(longer) > width:
            lines.append(indent + current)
            current = word
        else:
            current = longer
    return [*lines, indent + current] if current else lines


def headed(title: str) -> list[Line]:
    """A blank line and a heading."""
    return [(), ((title, "bold"),)]


def table(
    header: Sequence[str] | None,
    rows: Sequence[Sequence[str]],
    *,
    width: int,
    right: Collection[int] = (),
    flex: int | None = None,
    styles: Mapping[str, str] | None = None,
) -> list[Line]:
    """A table that fits.

    Args:
        header: Titles of the columns; None draws none.
        rows: Their cells, cleaned.
        width: Columns of the terminal.
        right: Columns set to the right: numbers.
        flex: The column that gives way, and is clipped, where the rest leaves it too little room.
        styles: Cell text -> style.
    """
    everything = [*rows] if header is None else [header, *rows]
    widths = [max(cells(row[i]) for row in everything) for i in range(len(everything[0]))]
    if flex is not None:
        spare = width - sum(widths) - len(_gap) * (len(widths) - 1)
        widths[flex] = max(min(widths[flex], widths[flex] + spare), min(widths[flex], 8))
    styles = styles or {}

    def cell(text: str, column: int) -> str:
        text = clip(text, widths[column])
        space = " " * (widths[column] - cells(text))
        return space + text if column in right else text + space

    drawn: list[Line] = []
    if header is not None:
        drawn.append(((_gap.join(cell(text, i) for i, text in enumerate(header)), "dim"),))
    for row in rows:
        pieces: list[tuple[str, str]] = []
        for i, text in enumerate(row):
            pieces.append((cell(text, i), styles.get(text, "")))
            pieces.append((_gap, ""))
        drawn.append(tuple(pieces[:-1]))
    return drawn


def _allotted(sizes: Sequence[int], whole: int, width: int) -> list[int]:
    """Cells for each size of a bar: by share, none that is there without a cell, never more than the bar."""
    exact = [width * size / max(whole, 1) for size in sizes]
    given = [max(1, int(share)) if size > 0 else 0 for size, share in zip(sizes, exact, strict=True)]
    target = min(width, round(sum(exact)))
    order = sorted(range(len(sizes)), key=lambda i: exact[i] - given[i])
    while sum(given) > max(target, sum(size > 0 for size in sizes)):
        widest = max((i for i in order if given[i] > 1), key=lambda i: given[i] - exact[i], default=None)
        if widest is None:
            break
        given[widest] -= 1
    for i in reversed(order):
        if sum(given) < target and given[i]:
            given[i] += 1
    return given


def bars(
    labels: Sequence[str],
    shares: Sequence[Share],
    *,
    whole: int,
    width: int,
    marks: Sequence[tuple[str, int]] = (),
) -> list[Line]:
    """Bars of one scale under each other, with a legend in numbers.

    Args:
        labels: One per bar.
        shares: The parts, in order; what they leave of `whole` is free.
        whole: Tokens that a full bar stands for.
        width: Columns of the terminal.
        marks: (word, tokens): places on the scale to point at.
    """
    totals = [sum(share.tokens[bar] for share in shares) for bar in range(len(labels))]
    numbers = [f"{total:,}" for total in totals]
    lead, tail = max(map(len, labels)) + 1, max(map(len, numbers)) + 1
    room = max(10, min(width, 110) - lead - tail - 2)
    drawn: list[Line] = []
    for bar, label in enumerate(labels):
        given = _allotted([share.tokens[bar] for share in shares], whole, room)
        pieces: list[tuple[str, str]] = [(label.ljust(lead), ""), ("[", "dim")]
        pieces += [(share.mark * n, share.style) for share, n in zip(shares, given, strict=True) if n]
        pieces += [(free_mark * (room - sum(given)), "dim"), ("]", "dim"), (numbers[bar].rjust(tail), "bold")]
        drawn.append(tuple(pieces))
    pointers = [(word, round(room * tokens / max(whole, 1))) for word, tokens in marks if tokens <= whole]
    if pointers:
        drawn.append(_pointed(pointers, lead + 1))
    return [*drawn, (), *_legend(labels, shares, totals, whole)]


def _pointed(pointers: Sequence[tuple[str, int]], lead: int) -> Line:
    text = ""
    for word, at in sorted(pointers, key=lambda item: item[1]):
        column = lead + at
        start = column - len(word) - 1
        if start < len(text) + 1:
            continue
        text = text.ljust(start) + f"{word} ^"
    return ((text, "dim"),)


def _legend(labels: Sequence[str], shares: Sequence[Share], totals: Sequence[int], whole: int) -> list[Line]:
    free = [max(0, whole - total) for total in totals]
    shown = [share for share in shares if any(share.tokens)]
    rows = [(share.mark, share.name, share.style, share.tokens) for share in shown]
    if any(free):
        rows.append((free_mark, "free", "dim", tuple(free)))
    names = max(len(name) for _, name, _, _ in rows) if rows else 0
    size = max([len(f"{n:,}") for _, _, _, sizes in rows for n in sizes] + [len(label) for label in labels])
    head = " " * (names + 4) + "".join(_gap + label.rjust(size) for label in labels)
    drawn: list[Line] = [((head, "dim"),)]
    for mark, name, style, sizes in rows:
        numbers = "".join(_gap + f"{n:,}".rjust(size) for n in sizes)
        drawn.append((("  ", ""), (mark, style), (f" {name.ljust(names)}{numbers}", "")))
    return drawn
