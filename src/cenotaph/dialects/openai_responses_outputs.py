"""How a tool's output says how its command ended, in the forms that shells of this format write.

A result of this format has no field for failure. Command tools put it into the text: as a JSON object
with `metadata.exit_code`, or as a head of lines before `Output:`. Anything else is judged by its words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from cenotaph.dialects.outcomes import says_it_failed

__all__ = ["REFUSALS", "Ending", "ending_of", "has_failed"]

REFUSALS: Final = frozenset({"exec command rejected by user", "patch rejected by user"})
"""Whole outputs by which the Codex client says that a person refused the call (openai/codex, tool events)."""

_HEAD_LINES_MAX: Final = 8
_HEAD_CHARS_MAX: Final = 600
_EXITED: Final = re.compile(r"(?:Exit code:|Process exited with code) (-?\d{1,10})")
_RUNNING: Final = re.compile(r"Process running with session ID (\d{1,18})")
_HEAD_LINE: Final = re.compile(r"(?:Chunk ID|Wall time|Original token count|Total output lines): ")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended.

    Attributes:
        code: Its exit code; None if the output does not say.
        session: Id of the session in which it still runs; None if it does not.
    """

    code: int | None = None
    session: str | None = None


def ending_of(text: str) -> Ending:
    """What the head of a command's output, or its JSON envelope, says; nothing where it has neither."""
    if text.startswith("{"):
        return Ending(code=_code_in_json(text))
    for line in text[:_HEAD_CHARS_MAX].split("\n")[:_HEAD_LINES_MAX]:
        line = line.rstrip("\r")
        if exited := _EXITED.fullmatch(line):
            return Ending(code=int(exited[1]))
        if running := _RUNNING.fullmatch(line):
            return Ending(session=running[1])
        if not _HEAD_LINE.match(line):
            break
    return Ending()


def _code_in_json(text: str) -> int | None:
    if '"exit_code"' not in text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    metadata = value.get("metadata") if isinstance(value, dict) else None
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def has_failed(text: str) -> bool:
    """Whether the call failed: by its exit code if the output has one, else by the output's words."""
    ending = ending_of(text)
    if ending.code is not None:
        return ending.code != 0
    return ending.session is None and says_it_failed(text)
