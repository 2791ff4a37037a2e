"""The types of the package `anthropic` take each request and each view of it."""

from __future__ import annotations

from typing import Any

import pytest
from strict_types import pydantic, strictly
from views import pairs, size_of

from cenotaph.testing import strategies

package = pytest.importorskip("anthropic.types.message_create_params", reason="needs the package anthropic")
beta = pytest.importorskip("anthropic.types.beta.message_create_params", reason="needs the package anthropic")
STABLE = strictly(package.MessageCreateParamsNonStreaming)
BETA = strictly(beta.MessageCreateParamsNonStreaming)


def request_of(seed: int) -> dict[str, Any]:
    """With the files that provider-run code wrote, which the package wants named though there are none."""
    body = strategies.generate_request("anthropic", seed, size_of(seed))
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "code_execution_tool_result":
                block["content"].setdefault("content", [])
    return body


@pytest.mark.parametrize("types", [STABLE, BETA], ids=["stable", "beta"])
def test_the_packages_types_take_each_request_and_what_is_left_of_it(types: Any) -> None:
    cuts = 0
    for _seed, request, left in pairs(request_of, tools=["claude-code"]):
        types.validate_python(request)
        if left is not None:
            types.validate_python(left)
            cuts += 1
    assert cuts > 40


BAD = {
    "a role that is none": {"role": "tool", "content": "hi"},
    "a block without its text": {"role": "user", "content": [{"type": "text"}]},
    "a block with a key of no block": {"role": "user", "content": [{"type": "text", "text": "hi", "span": "x"}]},
    "a result without its call": {"role": "user", "content": [{"type": "tool_result", "content": "done"}]},
    "a call whose input is text": {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "a", "name": "f", "input": "{}"}],
    },
    "thinking without its signature": {"role": "assistant", "content": [{"type": "thinking", "thinking": "so"}]},
    "a block of another provider": {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
    "a key of no message": {"role": "user", "content": "hi", "id": "m"},
}


@pytest.mark.parametrize("types", [STABLE, BETA], ids=["stable", "beta"])
@pytest.mark.parametrize("message", BAD.values(), ids=BAD)
def test_a_message_that_is_wrong_is_not_taken(message: Any, types: Any) -> None:
    good: dict[str, Any] = {
        "model": "claude-opus-4-5",
        "max_tokens": 1,
        "messages": [{"role": "user", "content": "hi"}],
    }
    types.validate_python(good)
    with pytest.raises(pydantic.ValidationError):
        types.validate_python({**good, "messages": [message]})
