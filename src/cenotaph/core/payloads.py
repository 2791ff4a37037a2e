"""Which parts of a human's text are payload: quoted, attached or pasted matter, not speech.

Decided by form alone, and in doubt it is speech: a human's words are authoritative and a payload is
only evictable, so the cost of a wrong "speech" is tokens and that of a wrong "payload" is a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from cenotaph.limits import paste_lines_min, payload_tokens_min

__all__ = ["payload_ranges"]

_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
_ATTACHMENT = re.compile(
    r"^<(?P<tag>documents?|file|files|file_contents?|attachment|attachments|paste|pasted_text|logs?|stdout|stderr|diff)"
    r"(?:\s[^<>\n]*)?>[ \t]*\n.*?^</(?P=tag)>[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_MACHINE_LINE = re.compile(
    r"[ \t]*(?:"
    r"[{}\[\]();$@+=\\\"'<]"  # opens with punctuation that neither a sentence nor Markdown opens with
    r"|/(?=\S)"
    r"|\d{1,4}[-:/.]\d[\d:.,/TZ+-]*[\s|\]]"  # a date or a time
    r"|\d+[|:\t]\s"  # a line number
    r"|[\w.]+\(|[\w.]+\s?=\s?\S"  # code
    r"|(?:at|File|Traceback|ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b(?=.*[:\d(])"
    r"|\S+\.\w+:\d+"  # file:line
    r"|[^.!?]*[;{}]$"
    r")"
)
_SPEECH_LINE = re.compile(r"(?:[-*•#>|`]|\d{1,3}[.)])\s?")

_MACHINE_SHARE_MIN: Final = 0.8


def _pasted(text: str) -> Iterator[tuple[int, int]]:
    """Runs of lines of which nearly all look like a machine wrote them; blank lines don't end a run."""
    run_start, run_end, machine, lines = -1, 0, 0, 0
    position = 0
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        is_machine = bool(_MACHINE_LINE.match(body)) and not _SPEECH_LINE.match(body.lstrip())
        if run_start < 0 and is_machine:
            run_start, machine, lines = position, 0, 0
        if run_start >= 0 and body.strip():
            if is_machine:
                machine += 1
                run_end = position + len(line)
            lines += 1
            if machine < _MACHINE_SHARE_MIN * lines and lines - machine > 2:
                if machine >= paste_lines_min:
                    yield run_start, run_end
                run_start = -1
        position += len(line)
    if run_start >= 0 and machine >= paste_lines_min:
        yield run_start, run_end


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
    found: list[tuple[int, int]] = []
    for pattern in (_FENCE, _ATTACHMENT):
        found += [match.span() for match in pattern.finditer(text)]
    found += _pasted(text)
    chosen: list[tuple[int, int]] = []
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if chosen and start < chosen[-1][1]:
            continue
        if count(text[start:end]) > payload_tokens_min:
            chosen.append((start, end))
    return chosen
