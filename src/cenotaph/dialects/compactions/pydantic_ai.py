"""Compactions in histories of Pydantic AI.

A `compaction` part in a response is a provider's own: readable from Anthropic, encrypted from OpenAI. The
window of the model begins at the part. In a request it is a summary that the application wrote, and the window
begins with that request. Older versions of the harness wrote the summary as a person's prompt, told apart by a
mark in the metadata of its content, which no model reads.

A history that a capability replaced shows one side only; both are seen in two histories, as in a log of calls.

Source: pydantic_ai/messages.py (`CompactionPart`, `post_compaction_window`); pydantic-ai-harness, compaction
(`SUMMARY_PREFIX`, `make_summary_part`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance
from cenotaph.core.spans import value_at
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.compactions.inline import Form, follow, split_at, viewed
from cenotaph.dialects.pydantic_ai import PYDANTIC_AI
from cenotaph.dialects.session_input import decoded, mapping_of, records_of

__all__ = ["FORM", "chronicle", "with_summaries"]

_MARK: Final = "pydantic-ai-harness.compaction.summary.v1"


def _pieces(raw: JSON) -> list[tuple[JSON, bool]]:
    """A request is no less than a summary in it: the client moves results in front of it."""
    message = mapping_of(raw)
    if message.get("kind") == "response":
        return split_at(message, "parts", _is_compaction)
    parts = records_of(message.get("parts"))
    return [(raw, any(_is_compaction(part) or _is_marked(part) for part in parts))]


def _is_compaction(part: JSON) -> bool:
    return mapping_of(part).get("part_kind") == "compaction"


def _is_marked(part: JSON) -> bool:
    return any(mapping_of(mapping_of(item).get("metadata")).get(_MARK) is True for item in _items(part))


def _items(part: JSON) -> Sequence[JSON]:
    return records_of(mapping_of(part).get("content"))


def chronicle(value: JSON) -> Chronicle:
    """A history with its compactions.

    Args:
        value: As `PYDANTIC_AI.parse` takes it, or bytes of it.

    Raises:
        InputError, DialectError: As `PYDANTIC_AI.parse`.
    """
    whole = PYDANTIC_AI.parse(decoded(value, PYDANTIC_AI.name, lambda _: None))
    chain = Chain()
    follow(chain, FORM, viewed(FORM, whole.messages, whole.usage))
    return chain.chronicle(
        PYDANTIC_AI.name, whole.wire, session=whole.session, defects=whole.defects, records=len(whole.messages)
    )


def with_summaries(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages, with a harness's marked prompt as the summary that it is."""
    return tuple(
        replace(message, parts=tuple(_as_told(message, part) for part in message.parts))
        if any(_is_marked(part) for part in records_of(mapping_of(message.raw).get("parts")))
        else message
        for message in messages
    )


def _as_told(message: Message, part: Part) -> Part:
    block = value_at(message.raw, part.block)
    if part.kind is not Kind.text or mapping_of(mapping_of(block).get("metadata")).get(_MARK) is not True:
        return part
    return replace(part, provenance=Provenance.foreign, marks=part.marks | {Mark.summary})


FORM: Final = Form(
    mechanism=Mechanism.pydantic_ai_summary,
    wire=PYDANTIC_AI.name,
    pieces=_pieces,
    read=PYDANTIC_AI.parse_messages,
    marked=with_summaries,
)
