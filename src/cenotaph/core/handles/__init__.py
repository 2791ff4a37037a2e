"""Handles in text: the exact names by which a thing can be asked for again, and the exact facts that words lose.

One grammar for every text. A handle has a kind, a value that is verbatim in the text, and its place.

Overlap. There are three layers, so no handle is hidden by another one:

- *Inner* handles (`extract`) are disjoint and in order. Where two candidates overlap, the one that begins first wins,
  then the longer one. A setting (`LOG=/var/log/x`, `"port": 8443`) and an endpoint (`GET /v1/users`) stand whole here:
  the name without its value and the value without its name say nothing.
- *Outer* handles (`extract_outer`) are prohibitions and quoted literals. They are made of words and may hold inner
  handles: the path in "do not touch /etc/prod/" is found as a path too. A prohibition may hold a quotation. A quotation
  that is one inner handle and no more, or lies within one, is not named again.
- *Nested* handles (`nested`) lie inside the value of an inner one: the path of a setting, of an endpoint, and of a path
  with a line number. `every` gives all three layers.

`partition` covers each character once: inner handles by their kinds, then what an outer handle covers beside them
(`quote`, `prohibition`); the rest is `narrative`.

No handle crosses a line. The lines of a text that differ are split into chunks some hundreds at a time; equal lines of
one text, and equal chunks of all texts, are read once. A number is read with its neighbours only where one of them may
matter. Every pattern is possessive or bounded, so hostile text costs a bounded number of steps per character.

An engine (`Engine`) may look for the words that can begin a prohibition; it changes the speed and never the answer.
Chunks are dense (one in 25 characters of code), and there a call of another engine for each costs more than it saves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, compress
from typing import Final

from cenotaph.core.handles.kinds import INDEX_KINDS, KINDS, LIFTED, NARRATIVE, STORE_ONLY, Found, Handle
from cenotaph.core.handles.outer import MARKS, Engine, find_triggers, prohibitions, quotes
from cenotaph.core.handles.secrets import fingerprint, redacted
from cenotaph.core.handles.sentences import read_line, read_lines

__all__ = [
    "INDEX_KINDS",
    "KINDS",
    "LIFTED",
    "NARRATIVE",
    "STORE_ONLY",
    "Engine",
    "Handle",
    "every",
    "extract",
    "extract_outer",
    "fingerprint",
    "nested",
    "partition",
    "redacted",
]

_HAS_TARGET: Final = frozenset({"setting", "endpoint", "path"})


def extract(text: str, *, wide: bool = False) -> list[Handle]:
    """All inner handles of a text: ascending and disjoint.

    Args:
        text: Any text.
        wide: Without effect; there is one grammar.
    """
    handles: list[Handle] = []
    lines = text.split("\n")
    found = list(map(read_lines(lines).get, lines))
    make = tuple.__new__
    for base, line, here in compress(zip(_bases(lines), lines, found, strict=False), found):
        handles += [make(Handle, (kind, line[at:end], base + at, base + end)) for kind, at, end in here or ()]
    return handles


_Layers = tuple[list[Found], list[Found]]
"""Of a line: its inner handles, and its outer ones by start, the longer first; the places are those in the line."""


def _layers(lines: list[str], engine: Engine | None) -> dict[str, _Layers]:
    """The handles of each line that has any; equal lines are read once."""
    distinct = list(dict.fromkeys(lines))
    inner = read_lines(distinct)
    known: dict[str, _Layers] = {line: (found, []) for line, found in inner.items()}
    triggers = _by_line(distinct, engine)
    for number, line in enumerate(distinct):
        outer = list(prohibitions(line, triggers[number])) if number in triggers else []
        if not MARKS.isdisjoint(line):
            outer += _literals(line, inner.get(line, []))
        if outer:
            outer.sort(key=_place)
            known[line] = inner.get(line, []), outer
    return known


def _place(found: Found) -> tuple[int, int, str]:
    return found[1], -found[2], found[0]


def _by_line(lines: list[str], engine: Engine | None) -> dict[int, list[tuple[int, int]]]:
    """The words that can begin a prohibition by the number of the line, as places in it; all are looked for at once."""
    found: dict[int, list[tuple[int, int]]] = {}
    number, base, after = -1, 0, -1
    for start, end in find_triggers("\n".join(lines), engine):
        while start > after:
            number, base = number + 1, after + 1
            after = base + len(lines[number])
        found.setdefault(number, []).append((start - base, end - base))
    return found


def _literals(line: str, inner: list[Found]) -> Iterator[Found]:
    """The quotations that no inner handle already says."""
    at = 0
    for kind, start, end in quotes(line):
        while at < len(inner) and inner[at][2] <= start:
            at += 1
        if at < len(inner):
            _, first, last = inner[at]
            if first <= start < last and (first < start or last >= end):
                continue
        yield kind, start, end


def _bases(lines: list[str]) -> Iterator[int]:
    """Where each line begins in its text."""
    return accumulate((len(line) + 1 for line in lines), initial=0)


def _placed(found: list[Found], line: str, base: int) -> list[Handle]:
    make = tuple.__new__
    return [make(Handle, (kind, line[start:end], base + start, base + end)) for kind, start, end in found]


def extract_outer(text: str, *, engine: Engine | None = None) -> list[Handle]:
    """The prohibitions and quoted literals of a text, by start, the longer first; one of each kind may hold the other.

    Args:
        text: Any text.
        engine: Who looks for the words that can begin a prohibition; None for the standard library.
    """
    lines = text.split("\n")
    layers = _layers(lines, engine)
    return [
        handle
        for base, line in zip(_bases(lines), lines, strict=False)
        if line in layers
        for handle in _placed(layers[line][1], line, base)
    ]


def every(text: str, *, engine: Engine | None = None) -> list[Handle]:
    """The inner, outer and nested handles of a text, by start, the longer first.

    Args:
        text: Any text.
        engine: As for `extract_outer`.
    """
    lines = text.split("\n")
    layers = _layers(lines, engine)
    handles: list[Handle] = []
    for base, line in zip(_bases(lines), lines, strict=False):
        if (found := layers.get(line)) is None:
            continue
        inner = _placed(found[0], line, base)
        handles += inner
        for handle in inner:
            if handle.kind in _HAS_TARGET:
                handles += nested(handle)
        handles += _placed(found[1], line, base)
    handles.sort(key=lambda one: (one.start, -one.end, one.kind))
    return handles


def nested(handle: Handle) -> list[Handle]:
    """The handles inside an inner handle, at their places in the text; empty where the handle itself says it all.

    They are those of the value of a setting and of the target of an endpoint, and a path without its line number; and
    what lies in one of those in its turn (`"command": "LOG=/var/log/x"`), but no deeper.
    """
    inside = _inside(handle)
    return inside + [deeper for one in inside if one.kind in _HAS_TARGET for deeper in _inside(one)]


def _inside(handle: Handle) -> list[Handle]:
    value = handle.value
    if handle.kind == "setting":
        cut = _after_name(value)
    elif handle.kind == "endpoint":
        cut = value.index(" ") + 1
    elif handle.kind == "path" and (bare := _bare(value)) != value:
        return [Handle("path", bare, handle.start, handle.start + len(bare))]
    else:
        return []
    return [
        Handle(kind, value[cut + start : cut + end], handle.start + cut + start, handle.start + cut + end)
        for kind, start, end in read_line(value[cut:])
    ]


def _after_name(setting: str) -> int:
    """Where the value of a setting begins: behind the first sign that is not part of a quoted name."""
    name = setting.find('"', 1) if setting[0] == '"' else 0
    return 1 + min(at for sign in "=:" if (at := setting.find(sign, name)) > 0)


def _bare(path: str) -> str:
    """A path without `:line`, `#L10` or `::name`."""
    drive = 2 if path[1:2] == ":" else 0
    ends = [at for mark in (":", "#L") if (at := path.find(mark, drive)) > 0]
    return path[: min(ends)] if ends else path


def partition(text: str, *, engine: Engine | None = None) -> list[tuple[str, int, int]]:
    """The text as (kind, start, end), every character once; what is no handle is `narrative`.

    Args:
        text: Any text.
        engine: As for `extract_outer`.
    """
    lines = text.split("\n")
    layers = _layers(lines, engine)
    known = {line: _filled(_pieces(len(line), inner, outer)) for line, (inner, outer) in layers.items()}
    parts: list[Found] = []
    open_from = 0  # where the stretch of narrative that is still open begins
    for base, line in zip(_bases(lines), lines, strict=False):
        pieces = known.get(line)
        if pieces is None:
            continue
        if base + pieces[0][1] > open_from:
            parts.append((NARRATIVE, open_from, base + pieces[0][1]))
        parts += [(kind, base + start, base + end) for kind, start, end in pieces]
        open_from = base + pieces[-1][2]
    if open_from < len(text):
        parts.append((NARRATIVE, open_from, len(text)))
    return parts


def _filled(pieces: Iterable[Found]) -> list[Found]:
    """The handles of a line with the narrative between them, from the first to the last."""
    filled: list[Found] = []
    position = -1
    for piece in pieces:
        if 0 <= position < piece[1]:
            filled.append((NARRATIVE, position, piece[1]))
        filled.append(piece)
        position = piece[2]
    return filled


def _pieces(length: int, inner: list[Found], outer: list[Found]) -> Iterable[Found]:
    """What of a line is handles, in order: the inner ones, and between them what outer ones cover."""
    return _covering(length, inner, outer) if outer else inner


def _covering(length: int, inner: list[Found], outer: list[Found]) -> Iterator[Found]:
    position = at = 0
    for kind, start, end in [*inner, ("", length, length)]:
        while at < len(outer) and outer[at][2] <= position:
            at += 1
        if at < len(outer) and outer[at][1] < start:
            yield from _covered(position, start, outer, at)
        if kind:
            yield kind, start, end
        position = end


def _covered(start: int, end: int, outer: list[Found], at: int) -> Iterator[Found]:
    """The parts of a stretch without inner handles that outer handles cover, each by the one that begins last."""
    marks: list[tuple[int, bool, int, str]] = []
    while at < len(outer) and outer[at][1] < end:
        kind, first, last = outer[at]
        marks += [(max(start, first), True, first, kind), (min(end, last), False, first, kind)]
        at += 1
    marks.sort()
    standing: dict[str, int] = {}  # at most one of each kind, for those of a kind are disjoint
    position = start
    for place, opens, first, kind in marks:
        if place > position and standing:
            yield max(standing, key=lambda one: standing[one]), position, place
        position = max(position, place)
        if opens:
            standing[kind] = first
        else:
            standing.pop(kind, None)
