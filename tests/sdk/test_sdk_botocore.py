"""The service model that `botocore` validates by takes each request of Converse and each view of it."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from views import pairs, size_of

from cenotaph.testing import conversations_bedrock

loaders = pytest.importorskip("botocore.loaders", reason="needs the package botocore")
model = pytest.importorskip("botocore.model")
validate = pytest.importorskip("botocore.validate")
SERVICE = "bedrock-runtime"
SHAPE = (
    model.ServiceModel(loaders.Loader().load_service_model(SERVICE, "service-2"), SERVICE)
    .operation_model("Converse")
    .input_shape
)
BYTES = frozenset({"bytes", "redactedContent"})


def request_of(seed: int) -> dict[str, Any]:
    schema = {"type": "object", "properties": {}}
    return {
        "system": [{"text": "You are careful."}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "read_file", "inputSchema": {"json": schema}}}]},
        "inferenceConfig": {"maxTokens": 64},
        "messages": conversations_bedrock.generate(seed, size_of(seed)),
    }


def as_the_client_holds_it(value: Any) -> Any:
    """Bytes as bytes: JSON has them in base64."""
    if isinstance(value, list):
        return [as_the_client_holds_it(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(inner) if key in BYTES and isinstance(inner, str) else as_the_client_holds_it(inner)
        for key, inner in value.items()
    }


def report(request: dict[str, Any]) -> str:
    """What is wrong with a request, "" if nothing is."""
    params = {"modelId": "anthropic.claude-opus-4-5-v1:0", **as_the_client_holds_it(request)}
    found: str = validate.ParamValidator().validate(params, SHAPE).generate_report()
    return found


def test_the_service_model_takes_each_request_and_what_is_left_of_it() -> None:
    cuts = 0
    for seed, request, left in pairs(request_of, tools=["generic"], model="anthropic.claude-opus-4-5-v1:0"):
        assert report(request) == "", seed
        if left is not None:
            assert report(left) == "", seed
            cuts += 1
    assert cuts > 40


BAD: dict[str, Any] = {
    "a key of no message": {"role": "user", "content": [{"text": "hi"}], "id": "m"},
    "no content": {"role": "user"},
    "content that is text": {"role": "user", "content": "hi"},
    "a block of two kinds": {"role": "user", "content": [{"text": "hi", "cachePoint": {"type": "default"}}]},
    "a block of no kind": {"role": "user", "content": [{"type": "text"}]},
    "a result without its call": {"role": "user", "content": [{"toolResult": {"content": []}}]},
    "a text that is a list": {"role": "user", "content": [{"text": ["hi"]}]},
    "bytes that are a list": {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": []}}}]},
}


@pytest.mark.parametrize("message", BAD.values(), ids=BAD)
def test_a_message_that_is_wrong_is_not_taken(message: Any) -> None:
    assert report({**request_of(0), "messages": [message]})
