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

from collections.abc import Iterator
from itertools import accumulate, compress, count
from typing import Final

from cenotaph.core.handles.kinds import INDEX_KINDS, KINDS, LIFTED, NARRATIVE, STORE_ONLY, Found, Handle
from cenotaph.core.handles.outer import Engine, find_triggers, prohibitions, quotes
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
    lengths = accumulate(map(len, lines), initial=0)
    for number, length, line, here in compress(zip(count(), lengths, lines, found), found):
        base = number + length
        handles += [make(Handle, (kind, line[at:end], base + at, base + end)) for kind, at, end in here or ()]
    return handles


class _Layers:
    """The inner and outer handles of the lines of one text; equal lines are read once."""

    def __init__(self, text: str, engine: Engine | None) -> None:
        self._text = text
        self._engine = engine
        self._known: dict[str, tuple[list[Found], list[Found]]] = {}

    def __iter__(self) -> Iterator[tuple[int, str, list[Found], list[Found]]]:
        """Of each line: its place in the text, the line, its inner handles, its outer ones (places in the line)."""
        triggers = None if self._engine is None else self._by_line()
        lines = self._text.split("\n")
        handles = read_lines(lines)
        base = 0
        for line in lines:
            known = self._known.get(line)
            if known is None:
                spans = find_triggers(line) if triggers is None else triggers.get(base, ())
                inner = handles.get(line, [])
                outer = [*prohibitions(line, spans), *_literals(line, inner)]
                outer.sort(key=lambda one: (one[1], -one[2], one[0]))
                known = self._known[line] = inner, outer
            yield base, line, *known
            base += len(line) + 1

    def _by_line(self) -> dict[int, list[tuple[int, int]]]:
        """What the engine finds in the whole text at once, by the place of the line, as places in the line."""
        lines: dict[int, list[tuple[int, int]]] = {}
        base, after = 0, -1
        for start, end in find_triggers(self._text, self._engine):
            if start > after:
                base = self._text.rfind("\n", 0, start) + 1
                after = self._text.find("\n", start)
                after = len(self._text) if after < 0 else after
            lines.setdefault(base, []).append((start - base, end - base))
        return lines


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


def _placed(found: list[Found], line: str, base: int) -> Iterator[Handle]:
    return (Handle(kind, line[start:end], base + start, base + end) for kind, start, end in found)


def extract_outer(text: str, *, engine: Engine | None = None) -> list[Handle]:
    """The prohibitions and quoted literals of a text, by start, the longer first; one of each kind may hold the other.

    Args:
        text: Any text.
        engine: Who looks for the words that can begin a prohibition; None for the standard library.
    """
    return [handle for base, line, _, outer in _Layers(text, engine) for handle in _placed(outer, line, base)]


def every(text: str, *, engine: Engine | None = None) -> list[Handle]:
    """The inner, outer and nested handles of a text, by start, the longer first.

    Args:
        text: Any text.
        engine: As for `extract_outer`.
    """
    handles: list[Handle] = []
    for base, line, inner, outer in _Layers(text, engine):
        for handle in _placed(inner, line, base):
            handles.append(handle)
            if handle.kind in _HAS_TARGET:
                handles.extend(nested(handle))
        handles.extend(_placed(outer, line, base))
    handles.sort(key=lambda one: (one.start, -one.end, one.kind))
    return handles


def nested(handle: Handle) -> list[Handle]:
    """The handles inside an inner handle, at their places in the text; empty where the handle itself says it all.

    They are those of the value of a setting and of the target of an endpoint, and a path without its line number.
    """
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
    parts: list[tuple[str, int, int]] = []
    narrative = 0  # where the stretch of narrative that is still open begins
    known: dict[str, list[Found]] = {}
    for base, line, inner, outer in _Layers(text, engine):
        pieces = known.get(line)
        if pieces is None:
            pieces = known[line] = list(_pieces(len(line), inner, outer))
        for kind, start, end in pieces:
            if base + start > narrative:
                parts.append((NARRATIVE, narrative, base + start))
            parts.append((kind, base + start, base + end))
            narrative = base + end
    if narrative < len(text):
        parts.append((NARRATIVE, narrative, len(text)))
    return parts


def _pieces(length: int, inner: list[Found], outer: list[Found]) -> Iterator[Found]:
    """What of a line is handles, in order: the inner ones, and between them what outer ones cover."""
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
