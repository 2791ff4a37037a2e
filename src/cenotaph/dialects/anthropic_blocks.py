"""What stands in a message of the Messages API, as its rules look at it."""

from __future__ import annotations

from collections.abc import Mapping

from cenotaph.core.ids import JSON
from cenotaph.dialects.content import blocks_of, role_of, string_of

__all__ = ["call_ids", "is_thinking", "of_type", "result_ids"]


def of_type(message: JSON, *names: str) -> list[Mapping[str, JSON]]:
    """The blocks of a message that are of one of these types, in order."""
    return [block for block in blocks_of(message) if string_of(block.get("type")) in names]


def call_ids(message: JSON) -> list[JSON]:
    """The ids of an agent message's calls that the client runs; none in any other message."""
    if role_of(message) != "assistant":
        return []
    return [block.get("id") for block in of_type(message, "tool_use")]


def result_ids(message: JSON) -> list[JSON]:
    """The ids of the calls that a message's results answer."""
    return [block.get("tool_use_id") for block in of_type(message, "tool_result")]


def is_thinking(block: JSON) -> bool:
    """Whether a block is reasoning, readable or redacted."""
    return isinstance(block, Mapping) and string_of(block.get("type")) in ("thinking", "redacted_thinking")
