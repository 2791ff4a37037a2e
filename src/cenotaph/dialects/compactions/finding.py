"""Where a history was compacted, whoever compacted it: the finder of each dialect, and which one is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from cenotaph.core.audit.model import Chronicle
from cenotaph.core.ids import JSON
from cenotaph.dialects.compactions import (
    anthropic,
    claude_code,
    cline,
    codex,
    exchanges,
    gemini_cli,
    langchain,
    openai,
    openai_agents,
    opencode,
    openhands,
    pi,
    pydantic_ai,
)
from cenotaph.dialects.compactions.chain import unmarked
from cenotaph.dialects.detect import DIALECTS, by_name, detect
from cenotaph.dialects.jsonl import Loads
from cenotaph.dialects.session_input import decoded
from cenotaph.errors import DialectError, InputError

__all__ = ["FINDERS", "Finder", "chronicle_of", "may_hold"]

Finder = Callable[[JSON], Chronicle]
"""From a value, as its dialect takes it, to its history with the compactions in it."""


def _plain(name: str) -> Finder:
    """The finder of a format in which no compaction leaves a record: a history, and no event."""

    def chronicle(value: JSON) -> Chronicle:
        whole = by_name(name).parse(value)
        return Chronicle(
            dialect=name,
            wire=whole.wire,
            session=whole.session,
            messages=unmarked(whole.messages),
            events=(),
            usage=tuple(one for one in whole.usage if one.message < len(whole.messages)),
            defects=whole.defects,
            records=len(whole.messages),
        )

    return chronicle


_OWN: Final[Mapping[str, Finder]] = {
    "claude-code": claude_code.chronicle,
    "codex": codex.chronicle,
    "gemini-cli": gemini_cli.chronicle,
    "openhands": openhands.chronicle,
    "pi": pi.chronicle,
    "opencode": opencode.chronicle,
    "cline": cline.chronicle,
    "openai-responses": openai.chronicle,
    "pydantic-ai": pydantic_ai.chronicle,
    "langchain": langchain.chronicle,
    "anthropic": anthropic.chronicle,
    openai_agents.NAME: openai_agents.chronicle,
}

FINDERS: Final[Mapping[str, Finder]] = MappingProxyType({**{name: _plain(name) for name in DIALECTS}, **_OWN})
"""The finder of each dialect by its name, and that of the sessions of the OpenAI Agents SDK."""

_LONG: Final = MappingProxyType({"claude-code": claude_code.chronicle, "codex": codex.chronicle})
"""The finders of files that grow by a line with each step: a faster decoder may be handed to them."""

_LOGGED: Final = frozenset(
    {"anthropic", "bedrock-converse", "gemini", "openai-chat", "openai-responses", "pydantic-ai"}
)
"""Formats of requests: a value in one may be a log of calls."""

_SIGNS: Final[Mapping[str, tuple[bytes, ...]]] = {
    "openhands": openhands.SIGNS,
    "pi": pi.SIGNS,
    "opencode": opencode.SIGNS,
    "cline": cline.SIGNS,
    "swe-agent": (),
    "mini-swe-agent": (),
    openai_agents.NAME: openai_agents.SIGNS,
}
"""What stands in every file of a dialect with a compaction; without any there is none."""

_TESTS: Final[Mapping[str, Callable[[bytes], bool]]] = {
    "claude-code": claude_code.may_hold,
    "codex": codex.may_hold,
    "gemini-cli": gemini_cli.may_hold,
}

_ESCAPED: Final = re.compile(rb"\\u00[4-7]")
"""A letter that JSON may as well have written as itself: a word may be spelled with it."""


def chronicle_of(value: JSON, dialect: str | None = None, *, loads: Loads | None = None) -> Chronicle:
    """A history with the compactions in it.

    Args:
        value: What the dialects read: a file's bytes or its JSON value; a log of requests; both files of a task
            of Cline as `{"ui": ..., "api": ...}`.
        dialect: Name of the format; None detects it.
        loads: A faster decoder of JSON for the formats that are long; None is the standard library's.

    Raises:
        InputError: It can't be read, or nothing in it was understood.
        DialectError: No dialect reads it.
    """
    found = _found(value, dialect, loads)
    if not found.messages or not found.records:
        raise InputError(
            f"The {found.dialect} value holds no message.", next_step="Check that this is the session's own file."
        )
    return found


def may_hold(data: bytes, dialect: str) -> bool:
    """Whether a file may hold a compaction, by a cheap look at its bytes; False is certain.

    Args:
        data: The whole file.
        dialect: Name of its format.

    Raises:
        DialectError: There is no such dialect.
    """
    if dialect in _TESTS:
        return _TESTS[dialect](data)
    if dialect not in _SIGNS:
        by_name(dialect)  # says which there are
        return True  # a change between two requests shows in no word
    signs = _SIGNS[dialect]
    return any(sign in data for sign in signs) or (bool(signs) and _ESCAPED.search(data) is not None)


def _found(value: JSON, dialect: str | None, loads: Loads | None) -> Chronicle:
    if dialect is not None:
        return _finder(dialect, value, dialect, loads)
    if cline.is_pair(value):
        return cline.chronicle(value)
    try:
        name = detect(value).name
    except DialectError:
        content = _content(value)
        if exchanges.is_log(content):
            return exchanges.chronicle(content)
        name, value = detect(content).name, content
    return _finder(name, value, None, loads)


def _finder(name: str, value: JSON, asked: str | None, loads: Loads | None) -> Chronicle:
    """What the finder of a dialect, or a log of calls in it, gives."""
    if name not in FINDERS:
        by_name(name)  # says which there are
    if name in _LONG:
        return _LONG[name](value, loads=loads)
    if name not in _LOGGED:
        return FINDERS[name](value)
    content = _content(value)
    return exchanges.chronicle(content, asked) if exchanges.is_log(content) else FINDERS[name](content)


def _content(value: JSON) -> JSON:
    """The value behind bytes."""
    return decoded(value, "the audit", lambda _: None) if isinstance(value, bytes | bytearray) else value
