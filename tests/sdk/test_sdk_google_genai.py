"""The types of the package `google-genai` take each request and each view of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from strict_types import pydantic
from views import pairs, size_of

from cenotaph.testing import conversations_gemini

types = pytest.importorskip("google.genai.types", reason="needs the package google-genai")
SETTINGS = ("systemInstruction", "tools")


def request_of(seed: int) -> dict[str, Any]:
    tool = {"name": "read_file", "parameters": {"type": "OBJECT", "properties": {"path": {"type": "STRING"}}}}
    return {
        "systemInstruction": {"parts": [{"text": "You are careful."}]},
        "tools": [{"functionDeclarations": [tool]}],
        "generationConfig": {"maxOutputTokens": 64},
        "contents": conversations_gemini.generate(seed, size_of(seed)),
    }


def taken(request: dict[str, Any]) -> None:
    """The contents and the settings, as the client's own objects; it forbids what it does not know."""
    for content in request["contents"]:
        assert types.Content.model_validate_json(json.dumps(content)).parts
    settings = {**request["generationConfig"], **{key: request[key] for key in SETTINGS}}
    types.GenerateContentConfig.model_validate_json(json.dumps(settings))


def test_the_packages_types_take_each_request_and_what_is_left_of_it() -> None:
    cuts = 0
    for _seed, request, left in pairs(request_of, tools=["generic"], model="gemini-3-pro-preview"):
        taken(request)
        if left is not None:
            taken(left)
            cuts += 1
    assert cuts > 40


BAD: dict[str, Any] = {
    "a part with a key of no part": {"role": "user", "parts": [{"text": "hi", "span": "x"}]},
    "a content with a key of no content": {"role": "user", "parts": [], "content": "hi"},
    "a call whose arguments are text": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": "{}"}}]},
    "a response that is text": {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": "done"}}]},
    "a text that is a list": {"role": "user", "parts": [{"text": ["hi"]}]},
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_a_content_that_is_wrong_is_not_taken(content: Any) -> None:
    with pytest.raises(pydantic.ValidationError):
        taken({**request_of(0), "contents": [content]})


def test_a_setting_that_is_none_is_not_taken() -> None:
    with pytest.raises(pydantic.ValidationError):
        taken({**request_of(0), "generationConfig": {"maxTokens": 64}})
