"""What other compactors made of a conversation, as their bug reports tell it: the fakes refuse it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from loopback import CONVERSATION, Client, Response
from rounds import server

from cenotaph.api.reading import parsed, wire_of

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases"
KINDS = ("pairing", "provider_rejection")
PATHS = {
    "anthropic": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-2.5-pro:generateContent",
    "bedrock_converse": "/model/anthropic.claude-opus-4-5-v1:0/converse",
}
KEYS = {"openai_responses": "input", "gemini": "contents"}
MODELS = {"anthropic": "claude-opus-4-5", "openai_chat": "gpt-5", "openai_responses": "gpt-5"}
MORE: dict[str, dict[str, Any]] = {
    "anthropic": {
        "max_tokens": 64,
        "tools": [{"name": "any", "input_schema": {"type": "object"}}],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
    },
    "bedrock_converse": {"toolConfig": {"tools": [{"toolSpec": {"name": "any", "inputSchema": {"json": {}}}}]}},
}
pytestmark = pytest.mark.shared


def cases() -> list[Any]:
    """The reports with an output, of a format that a fake speaks, expanded."""
    if not SHARED.is_dir():
        return [{"id": "no cases beside the checkout"}]
    spec = importlib.util.spec_from_file_location("checklib", SHARED / "checklib.py")
    assert spec is not None
    assert spec.loader is not None
    library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    loaded = [library.load(path) for path in sorted(SHARED.glob("*.json"))]
    return [one for one in loaded if one["kind"] in KINDS and one["format"] in PATHS and "bad_output" in one]


def body_of(case: Any, messages: list[Any]) -> dict[str, Any]:
    model = {"model": MODELS[case["format"]]} if case["format"] in MODELS else {}
    return {**model, **MORE.get(case["format"], {}), KEYS.get(case["format"], "messages"): messages}


def own_history(case: Any) -> list[Any]:
    """The conversation without what a compactor's own request left in it."""
    compaction = [n for n, one in enumerate(case["messages"]) if one.get("origin") == "compaction"]
    gone = {place for n in compaction for place in (n, n + 1)}
    return [one for n, one in enumerate(case["messages"]) if n not in gone]


def refused(case: Any) -> Response:
    """What the fake says to the output, behind the conversation that it was made of."""
    with server() as loopback:
        client = Client(loopback.port)
        headers = {CONVERSATION: case["id"]}
        path = PATHS[case["format"]]
        if not case.get("input_malformed"):
            response = client.post(path, body_of(case, own_history(case)), headers)
            assert response.status == 200, response.text
        response = client.post(path, body_of(case, case["bad_output"]), headers)
        client.close()
    return response


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_an_output_that_its_provider_refused_is_refused(case: Any) -> None:
    assert refused(case).status == 400


BY_MEMORY = frozenset({"A5", "O3"})


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_the_librarys_own_rules_find_what_one_body_shows(case: Any) -> None:
    transcript = parsed(body_of(case, case["bad_output"]), None, "last")
    breaches = wire_of(transcript).breaches([message.raw for message in transcript.messages], tools=True)
    assert bool(breaches) == (refused(case).rule not in BY_MEMORY), breaches
