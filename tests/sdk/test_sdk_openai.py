"""The types of the package `openai` take each request and each view of it, in both of its formats."""

from __future__ import annotations

from typing import Any

import pytest
from strict_types import pydantic, strictly
from views import pairs, size_of

from cenotaph.testing import conversations_responses, strategies

chat = pytest.importorskip("openai.types.chat.completion_create_params", reason="needs the package openai")
responses = pytest.importorskip("openai.types.responses.response_create_params", reason="needs the package openai")
CHAT = strictly(chat.CompletionCreateParamsNonStreaming)
RESPONSES = strictly(responses.ResponseCreateParamsNonStreaming)


def chat_request(seed: int) -> dict[str, Any]:
    """Without what other servers of the format read beside it: reasoning as text, and a tool message's name."""
    body = strategies.generate_request("openai-chat", seed, size_of(seed))
    for message in body["messages"]:
        message.pop("reasoning_content", None)
        if message["role"] == "tool":
            message.pop("name", None)
    return body


def responses_request(seed: int) -> dict[str, Any]:
    """With an id on each item that the package wants one of, and without the state that Codex writes on a patch."""
    body = conversations_responses.generate_request(seed, size_of(seed))
    for number, item in enumerate(body["input"]):
        if item.get("type") == "reasoning" or item.get("role") == "assistant":
            item.setdefault("id", f"item_{number}")
        if item.get("type") == "custom_tool_call":
            item.pop("status", None)
    for tool in body["tools"]:
        tool["strict"] = False
    return body


@pytest.mark.parametrize(
    ("made", "types"), [(chat_request, CHAT), (responses_request, RESPONSES)], ids=["chat", "responses"]
)
def test_the_packages_types_take_each_request_and_what_is_left_of_it(made: Any, types: Any) -> None:
    cuts = 0
    for _seed, request, left in pairs(made, tools=["generic"]):
        types.validate_python(request)
        if left is not None:
            types.validate_python(left)
            cuts += 1
    assert cuts > 40


BAD_CHAT = {
    "a key of no message": {"role": "user", "content": "hi", "provenance": "user"},
    "a role that is none": {"role": "human", "content": "hi"},
    "a tool message without its call": {"role": "tool", "content": "done"},
    "a block of another provider": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]},
    "a call whose arguments are an object": {
        "role": "assistant",
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": {}}}],
    },
}
BAD_ITEMS = {
    "an item of no type": {"type": "tool_result", "call_id": "a"},
    "an output of nothing": {"type": "function_call_output", "call_id": "a"},
    "a call without its call id": {"type": "function_call", "name": "f", "arguments": "{}"},
    "reasoning without its summary": {"type": "reasoning", "id": "rs", "encrypted_content": "x"},
    "a message with a key of no message": {"role": "user", "content": "hi", "turn": 3},
    "an agent's message with a part for people": {
        "type": "message",
        "id": "m",
        "status": "completed",
        "role": "assistant",
        "content": [{"type": "input_audio", "text": "hi"}],
    },
}


@pytest.mark.parametrize("message", BAD_CHAT.values(), ids=BAD_CHAT)
def test_a_chat_message_that_is_wrong_is_not_taken(message: Any) -> None:
    good = {"model": "gpt-5", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}
    CHAT.validate_python(good)
    with pytest.raises(pydantic.ValidationError):
        CHAT.validate_python({**good, "messages": [*good["messages"], message]})


@pytest.mark.parametrize("item", BAD_ITEMS.values(), ids=BAD_ITEMS)
def test_an_item_that_is_wrong_is_not_taken(item: Any) -> None:
    good = {"model": "gpt-5", "input": [{"role": "user", "content": "hi"}]}
    RESPONSES.validate_python(good)
    with pytest.raises(pydantic.ValidationError):
        RESPONSES.validate_python({**good, "input": [*good["input"], item]})
