"""Two sides that a caller lays side by side: any two lists of messages, a list and a text, two requests.

Both sides are read by the format's own reader. Role messages of plain text are the same in two formats; then
the side that shows which it is decides for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from cenotaph.core.audit.model import Event, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Part, Path, Provenance, Transcript
from cenotaph.dialects.compactions.chain import Chain, unmarked
from cenotaph.dialects.compactions.changes import take
from cenotaph.dialects.compactions.pydantic_ai import with_summaries
from cenotaph.dialects.compactions.views import is_opaque
from cenotaph.dialects.detect import Dialect, by_name, detect
from cenotaph.errors import InputError

__all__ = ["pair", "prefix_change"]

_ALIKE: Final = ("anthropic", "openai-chat")
"""Formats of role messages, which a list of plain texts cannot tell."""
_CHAT_SIGNS: Final = ("tool_calls", "function_call", "tool_call_id")


def pair(before: JSON, after: JSON, *, dialect: str | None = None, mechanism: Mechanism = Mechanism.pair) -> Event:
    """Two sides of a compaction, as its caller has them.

    Args:
        before: The messages before it, in any form that a dialect reads.
        after: Those after it, in the same format; or a string: the one text that stands for them all. An empty list
            is a compaction that left nothing.
        dialect: Name of the format of both; None detects it.
        mechanism: Whose compaction it is.

    Returns:
        The event; `at` is the number of messages before it.

    Raises:
        InputError: A side can't be read, or there is no message before the compaction.
        DialectError: No dialect reads a side.
    """
    if isinstance(after, str):
        shown = _dialect(before, dialect).parse(before)
        view: tuple[Message, ...] = (_foreign_text(after),)
        wire = ""
    else:
        first, second = _dialects(before, after, dialect)
        shown = first.parse(before)
        read = shown if after in ([], ()) else second.parse(after)
        view = () if after in ([], ()) else _messages(read)
        wire = shown.wire if shown.wire == read.wire else ""
    if not shown.messages:
        raise InputError(
            "The side before the compaction holds no message.", next_step="Give the messages that were compacted."
        )
    chain = Chain()
    chain.show(_messages(shown))
    event = chain.compact(mechanism, view, opaque=is_opaque(view), wire=wire)
    return replace(event, at=len(event.before))


def prefix_change(earlier: JSON, later: JSON, *, dialect: str | None = None) -> Event | None:
    """What was edited in silence between two requests of one conversation.

    Args:
        earlier: A request, or its list of messages.
        later: A later one of the same conversation.
        dialect: Name of the format of both; None detects it.

    Returns:
        The event, without what came after the edit; None if `later` begins with all messages of `earlier`, if
        only its end was spoken anew, or if nothing but reasoning and text of the machinery is gone.

    Raises:
        InputError: A side can't be read, or nothing in it was understood.
        DialectError: No dialect reads it.
    """
    first, second = _dialects(earlier, later, dialect)
    before, after = first.parse(earlier), second.parse(later)
    chain = Chain()
    chain.show(_messages(before))
    return take(chain, _messages(after), (), Mechanism.prefix_change, wire=after.wire)


def _messages(transcript: Transcript) -> tuple[Message, ...]:
    messages = unmarked(transcript.messages)
    return with_summaries(messages) if transcript.wire == "pydantic-ai" else messages


def _dialect(value: JSON, name: str | None) -> Dialect:
    return by_name(name) if name is not None else detect(value)


def _dialects(first: JSON, second: JSON, name: str | None) -> tuple[Dialect, Dialect]:
    """The dialects of both sides; where one of them is plain, that of the other."""
    one = _dialect(first, name)
    other = one if second in ([], ()) else _dialect(second, name)
    if one is other or {one.name, other.name} != set(_ALIKE):
        return one, other
    chat, anthropic = (first, other) if one.name == "openai-chat" else (second, one)
    return (one, other) if _is_chat(chat) else (anthropic, anthropic)


def _is_chat(value: JSON) -> bool:
    """Whether a list of role messages has what only Chat Completions have."""
    held = value.get("messages") if isinstance(value, Mapping) else value
    messages = [message for message in held or () if isinstance(message, Mapping)]
    return any(m.get("role") in ("tool", "function") or any(m.get(key) for key in _CHAT_SIGNS) for m in messages)


def _foreign_text(text: str) -> Message:
    """A text that stands for all that was said before it."""
    at: Path = ("content",)
    part = Part(Kind.text, Provenance.foreign, at, at, text, marks=frozenset({Mark.summary}))
    return Message({"role": "user", "content": text}, "user", (part,))
