"""Which parts of a human's text are payload: quoted, attached or pasted matter, not speech.

Decided by form alone, and in doubt it is speech: a human's words are authoritative and a payload is
only evictable, so the cost of a wrong "speech" is tokens and that of a wrong "payload" is a rule. So
only closed fences, closed attachment tags, and unbroken runs of log lines or stack frames count. One
pass over the lines; no form looks back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from cenotaph.limits import paste_lines_min, payload_tokens_min

__all__ = ["payload_ranges"]

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<info>[^`\n]*)")
_TAG = re.compile(
    r"<(?P<tag>documents?|files?|file_contents?|attachments?|paste|pasted_text|logs?|stdout|stderr|diff)"
    r"(?:\s[^<>\n]*)?>\s*"
)
_TIME: Final = r"(?:\d{4}-\d\d-\d\d|\d\d/\d\d/\d{2,4}|[A-Z][a-z]{2} [ \d]\d|\d\d:\d\d:\d\d)"
_LOG_LINE = re.compile(
    rf"\s*\[?{_TIME}\S*\s+\S"  # begins with a date or a time
    r'|\s+at \S+\(.*\)|\s*File "[^"\n]+", line \d+'  # a stack frame
    r"|\[(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\]\s"
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without its end."""

    start: int
    end: int
    body: str


def _lines(text: str) -> list[_Line]:
    lines, position = [], 0
    for raw in text.split("\n"):
        lines.append(_Line(position, position + len(raw), raw.rstrip("\r")))
        position += len(raw) + 1
    return lines


def _fenced(lines: list[_Line], at: int) -> int | None:
    """Index of the line that closes the fence which opens at `at`; None if it opens none or stays open."""
    opening = _FENCE.fullmatch(lines[at].body)
    if opening is None:
        return None
    mark, length = opening["marks"][0], len(opening["marks"])
    for index in range(at + 1, len(lines)):
        if mark * length not in lines[index].body:
            continue
        closing = _FENCE.fullmatch(lines[index].body)
        plain = closing is not None and closing["marks"][0] == mark and not closing["info"].strip()
        return index if plain else len(lines)  # marks elsewhere: whether it is closed there is in doubt
    return len(lines)


def _attached(lines: list[_Line], at: int) -> int | None:
    """Index of the line that closes the tag which opens at `at`; None where that is not plain.

    A tag that opens again before it closes, or that closes with more text behind it, is not plain.
    """
    opening = _TAG.fullmatch(lines[at].body)
    if opening is None:
        return None
    tag = opening["tag"]
    for index in range(at + 1, len(lines)):
        body = lines[index].body
        if f"<{tag}" in body:
            return len(lines)
        if f"</{tag}" in body:
            return index if body.rstrip().endswith(f"</{tag}>") else len(lines)
    return len(lines)


def _logged(lines: list[_Line], at: int) -> int | None:
    """Index of the last line of the run of log lines that begins at `at`, if it is long enough."""
    index = at
    while index < len(lines) and _LOG_LINE.match(lines[index].body):
        index += 1
    return index - 1 if index - at >= paste_lines_min else None


def _candidates(text: str) -> Iterator[tuple[int, int]]:
    lines = _lines(text)
    open_forms = {_fenced, _attached}
    index = 0
    while index < len(lines):
        close: int | None = None
        for form in (_fenced, _attached, _logged):
            if form is not _logged and form not in open_forms:
                continue
            found = form(lines, index)
            if found is not None and found >= len(lines):
                open_forms.discard(form)  # it never closes: nothing after it can be told from what it holds
                continue
            if found is not None:
                close = found
                break
        if close is None:
            index += 1
            continue
        yield lines[index].start, lines[close].end
        index = close + 1


def payload_ranges(text: str, count: Callable[[str], int]) -> list[tuple[int, int]]:
    """Where the payloads of a human's text stand.

    Args:
        text: One text block.
        count: Tokens of a string.

    Returns:
        Half-open character ranges, ascending, disjoint; each of more than `payload_tokens_min` tokens.
    """
    if len(text) < payload_tokens_min:  # a token is at least a character
        return []
    return [(start, end) for start, end in _candidates(text) if count(text[start:end]) > payload_tokens_min]
