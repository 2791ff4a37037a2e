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

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[\w+#.-]*)[ \t]*")
_NEARLY_A_FENCE = re.compile(r"[ \t]*[`~]{2,}[ \t]*|.*(?:`{3,}|~{3,}).*", re.DOTALL)
_TAG = re.compile(
    r"<(?P<tag>documents?|files?|file_contents?|attachments?|paste|pasted_text|logs?|stdout|stderr|diff)"
    r"(?:\s[\w-]+=\"[^\"<>\s]*\")*\s*>\s*"
)
_DATE: Final = r"(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\d\d/\d\d/\d{2,4} |[A-Z][a-z]{2} [ \d]\d )"
_LOG_LINE = re.compile(
    rf"[ \t]*\[?{_DATE}\d\d:\d\d:\d\d[^\s]*[ \t]+[^\r\f\v\x85\u2028\u2029]+"  # a date and a time of day
    r"|[ \t]+at [\w.$<>/:-]+(?: \[as \w+\])?[ \t]?\([^()\s]*\)"  # a stack frame, and nothing else
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
        if not _NEARLY_A_FENCE.fullmatch(lines[index].body):
            continue
        closing = _FENCE.fullmatch(lines[index].body)
        if closing is None or closing["info"] or closing["marks"][0] != mark or len(closing["marks"]) < length:
            return len(lines)  # whether it was meant to close there is in doubt
        return index
    return len(lines)


def _attached(lines: list[_Line], at: int) -> int | None:
    """Index of the line that closes the tag which opens at `at`; None where that is not plain.

    A tag that opens again before it closes, or that closes with more text behind it, is not plain.
    """
    opening = _TAG.fullmatch(lines[at].body)
    if opening is None:
        return None
    tag = opening["tag"]
    again = re.compile(rf"<\s*/?\s*{tag}\b", re.IGNORECASE)
    for index in range(at + 1, len(lines)):
        body = lines[index].body
        if again.search(body):
            return index if body.strip() == f"</{tag}>" else len(lines)
    return len(lines)


def _logged(lines: list[_Line], at: int) -> int | None:
    """Index of the last line but one of the run of log lines that begins at `at`, if it is long enough.

    The last one stays: a person may have gone on typing behind it.
    """
    index = at
    while index < len(lines) and _LOG_LINE.fullmatch(lines[index].body):
        index += 1
    return index - 2 if index - at > paste_lines_min else None


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
