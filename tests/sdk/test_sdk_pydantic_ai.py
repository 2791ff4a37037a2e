"""The types of the package `pydantic-ai-slim` take each view, and dump it with the parts that it has."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from views import pairs, size_of

from cenotaph.testing.conversations_pydantic_ai import generate_pydantic_ai

package = pytest.importorskip("pydantic_ai.messages", reason="needs the package pydantic-ai-slim")
pydantic = pytest.importorskip("pydantic")
ADAPTER = package.ModelMessagesTypeAdapter


def request_of(seed: int) -> dict[str, Any]:
    return {"messages": generate_pydantic_ai(seed, size_of(seed))}


def parts(messages: list[Any]) -> list[Any]:
    """Message kind and call id of each part, in order; the package reads some retries as returns."""
    return [(message["kind"], part.get("tool_call_id")) for message in messages for part in message["parts"]]


def test_the_packages_types_take_each_conversation_and_what_is_left_of_it() -> None:
    cuts = 0
    for _seed, request, left in pairs(request_of, tools=["generic"]):
        for body in (request, left):
            if body is not None:
                loaded = ADAPTER.validate_python(copy.deepcopy(body["messages"]))
                assert parts(ADAPTER.dump_python(loaded, mode="json")) == parts(body["messages"])
        cuts += left is not None
    assert cuts > 20


BAD: dict[str, Any] = {
    "a kind that is none": {"kind": "message", "parts": []},
    "a part that is none": {"kind": "request", "parts": [{"part_kind": "evicted", "content": "x"}]},
    "a return without its tool": {"kind": "request", "parts": [{"part_kind": "tool-return", "content": "done"}]},
    "a request with an agent's part": {"kind": "request", "parts": [{"part_kind": "text", "content": "hi"}]},
    "a person's part without content": {"kind": "request", "parts": [{"part_kind": "user-prompt"}]},
}


@pytest.mark.parametrize("message", BAD.values(), ids=BAD)
def test_a_message_that_is_wrong_is_not_taken(message: Any) -> None:
    ADAPTER.validate_python([{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]}])
    with pytest.raises(pydantic.ValidationError):
        ADAPTER.validate_python([message])
