"""Detection goes by structure, says who wins where two formats fit, and refuses by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cenotaph.core.ids import JSON
from cenotaph.core.model import Wire
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.detect import DIALECTS, Dialect, by_name, detect
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.errors import DialectError

SHARED = Path(__file__).parents[2].parent / "shared"

ASK = {"role": "user", "content": "q"}
SAY = {"role": "assistant", "content": "a"}
TEXTS = {"role": "user", "content": [{"type": "text", "text": "q"}]}


def blocks(*names: str, role: str = "user") -> JSON:
    return {"role": role, "content": [{"type": name} for name in names]}


CHAT = {
    "plain strings": [ASK, SAY],
    "an empty list": [],
    "text blocks alone": [TEXTS],
    "a system message": [{"role": "system", "content": "s"}, ASK],
    "a developer message": [{"role": "developer", "content": "s"}, TEXTS],
    "tool calls": [ASK, {"role": "assistant", "tool_calls": [{"id": "c"}]}],
    "a legacy call": [ASK, {"role": "assistant", "content": None, "function_call": {"name": "f"}}],
    "a tool message": [{"role": "tool", "content": "x"}],
    "calls beside foreign blocks": [blocks("tool_use", role="assistant"), {"role": "tool", "content": "x"}],
    "a picture by url": [blocks("text", "image_url")],
    "an unknown role": [{"role": "oracle", "content": "x"}, ASK],
    "a body": {
        "model": "gpt-5",
        "messages": [ASK],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    },
    "a router's log": {"messages": [TEXTS], "response": {"model": "litellm/claude"}, "cost": 1},
    "a router's model name": {"model": "anthropic/claude-opus-4-5", "messages": [ASK]},
    "calls under a system key": {"system": "s", "messages": [{"role": "tool", "content": "x"}]},
    "empty calls": [{"role": "assistant", "content": "a", "tool_calls": []}],
    "empty keys of the other": {"system": None, "messages": [ASK]},
}

ANTHROPIC_SHAPES = {
    "a call": [ASK, blocks("tool_use", role="assistant")],
    "a result": [blocks("tool_result", "text")],
    "reasoning": [ASK, blocks("thinking", "text", role="assistant")],
    "a server tool": [ASK, blocks("bash_code_execution_tool_result", role="assistant")],
    "a compaction": [blocks("compaction", role="assistant")],
    "a picture by source": [blocks("image")],
    "system text on top": {"system": "s", "messages": [ASK]},
    "a body key": {"messages": [ASK], "anthropic_version": "bedrock-2023-05-31"},
    "tools with a schema": {"messages": [ASK], "tools": [{"name": "f", "input_schema": {}}]},
    "a model's own name": {"model": "claude-opus-4-5", "messages": [ASK]},
    "responses kept as messages": [
        ASK,
        {"type": "message", "role": "assistant", "content": [{"type": "tool_use"}]},
    ],
    "a system message in the middle": [
        ASK,
        {"role": "system", "content": "s"},
        blocks("tool_use", role="assistant"),
    ],
}

NEITHER = {
    "nothing": None,
    "text": "[{}]",
    "an object without messages": {"traj": [ASK]},
    "messages that are no list": {"messages": {"role": "user"}},
    "a number among messages": [ASK, 7],
    "a message without a role": [{"content": "x"}],
    "a message without content": [{"role": "user"}],
    "another kit's blocks": [blocks("tool-call", role="assistant")],
}


@pytest.mark.parametrize("name", CHAT)
def test_chat_wins(name: str) -> None:
    assert detect(CHAT[name]) is OPENAI_CHAT
    assert not ANTHROPIC.recognise(CHAT[name])


@pytest.mark.parametrize("name", ANTHROPIC_SHAPES)
def test_anthropic_wins(name: str) -> None:
    assert detect(ANTHROPIC_SHAPES[name]) is ANTHROPIC
    assert not OPENAI_CHAT.recognise(ANTHROPIC_SHAPES[name])


@pytest.mark.parametrize("name", NEITHER)
def test_neither_wins_and_the_refusal_says_what_was_seen_and_what_is_accepted(name: str) -> None:
    assert not ANTHROPIC.recognise(NEITHER[name])
    assert not OPENAI_CHAT.recognise(NEITHER[name])
    with pytest.raises(DialectError) as caught:
        detect(NEITHER[name])
    assert caught.value.details["accepted"] == list(DIALECTS)
    assert caught.value.details["seen"] in str(caught.value)
    assert caught.value.next_step


THOUGHT = {"role": "assistant", "content": [{"type": "reasoning", "text": "I should check."}]}
AI_SDK = {
    "a call and its result": [ASK, blocks("tool-call", role="assistant"), blocks("tool-result", role="tool")],
    "a request": {"messages": [ASK, blocks("tool-call", role="assistant")]},
    "a question for approval": [ASK, blocks("tool-approval-request", role="assistant")],
    "reasoning that was left": [ASK, THOUGHT, SAY],
}


@pytest.mark.parametrize("name", AI_SDK)
def test_messages_of_the_vercel_ai_sdk_are_refused_by_name(name: str) -> None:
    with pytest.raises(DialectError, match="Vercel AI SDK") as caught:
        detect(AI_SDK[name])
    assert "request.body" in caught.value.next_step


def test_reasoning_that_a_client_of_chat_passes_along_makes_no_message_another_kits() -> None:
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    assert detect([ASK, {**THOUGHT, "tool_calls": calls}]) is OPENAI_CHAT
    assert detect([ASK, {"role": "assistant", "content": [{"type": "reasoning"}]}]) is OPENAI_CHAT


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (3, "a int"),
        ({"b": 1, "a": 2}, "an object with keys a, b"),
        ({}, "an object with keys none"),
        ([ASK, 7], "a list of 2 items whose item 1 is int"),
        (
            [{"secret-looking": "sk-123"}],
            "a list of 1 items whose item 0 is an object with keys secret-looking",
        ),
        (
            {"messages": [ASK, 3]},
            "an object with keys messages; messages is a list of 2 items whose item 1 is int",
        ),
        ([blocks("tool-call")], "a list of 1 messages"),
    ],
)
def test_the_refusal_names_structure_and_never_content(value: JSON, seen: str) -> None:
    with pytest.raises(DialectError) as caught:
        detect(value)
    assert caught.value.details["seen"] == seen


def test_plain_lists_are_read_by_either_if_it_is_named() -> None:
    for dialect in (ANTHROPIC, OPENAI_CHAT):
        assert [m.parts[0].text for m in dialect.parse([ASK, SAY]).messages] == ["q", "a"]


def test_every_dialect_is_found_under_its_own_name() -> None:
    assert {name: by_name(name).name for name in DIALECTS} == {name: name for name in DIALECTS}
    assert {"claude-code", "anthropic", "openai-chat"} <= set(DIALECTS)


def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(DialectError) as caught:
        by_name("openai")
    assert caught.value.details == {"dialect": "openai", "accepted": list(DIALECTS)}


def test_both_dialects_are_wires_that_the_core_can_write() -> None:
    wires: list[Wire] = [ANTHROPIC, OPENAI_CHAT]
    assert [wire.name for wire in wires] == ["anthropic", "openai-chat"]


def shared(pattern: str) -> list[Path]:
    return sorted(SHARED.glob(pattern)) if SHARED.is_dir() else []


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no transcripts at {SHARED}")
def test_every_shared_case_of_these_formats_comes_back_as_it_was() -> None:
    names: dict[str, Dialect] = {"openai_chat": OPENAI_CHAT, "anthropic": ANTHROPIC}
    read = 0
    for path in shared("cases/*.json"):
        case = json.loads(path.read_text())
        dialect = names.get(case["format"])
        if dialect is None:
            continue
        read += 1
        transcript = dialect.parse(case["messages"])
        assert dialect.emit(transcript) == case["messages"], path.name
        assert {d.code for d in transcript.defects} == set() or case.get("input_malformed"), path.name
        assert detect(case["messages"]).name in ("openai-chat", dialect.name), path.name
    assert read > 50


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no transcripts at {SHARED}")
def test_shared_chat_logs_are_detected_and_come_back_as_they_were() -> None:
    paths = shared("data/openai_chat/OpenHands+software-agent-sdk/*.json")
    assert paths
    for path in paths:
        value = json.loads(path.read_text())
        dialect = detect(value)
        assert dialect is OPENAI_CHAT, path.name
        transcript = dialect.parse(value)
        assert dialect.emit(transcript) == value
        assert any(part.text for message in transcript.messages for part in message.parts)
