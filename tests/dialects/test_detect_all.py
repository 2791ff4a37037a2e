"""Exactly one dialect recognises each value of any format, so the order of asking is irrelevant."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import test_bedrock as bedrock
import test_codex as codex
import test_detect as wires
import test_gemini as gemini
import test_gemini_cli as gemini_cli
import test_importers_detect as clients
from claude_code_session import Session, text
from one_conversation import WRITERS
from test_one_conversation import SYSTEM, conversation

from cenotaph.dialects.detect import DIALECTS
from cenotaph.testing import (
    conversations_bedrock,
    conversations_gemini,
    conversations_langchain,
    conversations_pydantic_ai,
    conversations_responses,
    strategies,
)

SEEDS = range(40)


def claude_code_records() -> list[Any]:
    session = Session()
    session.human("Go.")
    session.agent(text("Done."))
    return session.records


def codex_records() -> list[Any]:
    return [codex.record("session_meta", **codex.META), *codex.typed("Go."), *codex.agent("Done."), *codex.ran(1)]


def lines(records: list[Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in records).encode()


GEMINI_RECORDS = (gemini_cli.person("Go."), gemini_cli.agent("", gemini_cli.call()), gemini_cli.agent("Done."))

SAMPLES: dict[str, tuple[str, Any]] = {
    **clients.SAMPLES,
    **{f"chat: {name}": ("openai-chat", value) for name, value in wires.CHAT.items()},
    **{f"anthropic: {name}": ("anthropic", value) for name, value in wires.ANTHROPIC_SHAPES.items()},
    **{f"bedrock: {name}": ("bedrock-converse", value) for name, value in bedrock.SHAPES.items()},
    **{f"gemini: {name}": ("gemini", value) for name, value in gemini.SHAPES.items()},
    "a Gemini CLI document": ("gemini-cli", gemini_cli.document(*GEMINI_RECORDS)),
    "a Gemini CLI log": ("gemini-cli", gemini_cli.log(*GEMINI_RECORDS)),
    "a Claude Code file": ("claude-code", lines(claude_code_records())),
    "Claude Code records": ("claude-code", claude_code_records()),
    "a Codex file": ("codex", lines(codex_records())),
    "Codex records": ("codex", codex_records()),
    **{
        f"one conversation: {wire}": (wire if wire in DIALECTS else "langchain", write(SYSTEM, conversation(1)))
        for wire, write in WRITERS.items()
    },
}

GENERATED: dict[str, tuple[str, Callable[[int], Any]]] = {
    "chat": ("openai-chat", lambda seed: strategies.generate("openai-chat", seed)),
    "a chat request": ("openai-chat", lambda seed: strategies.generate_request("openai-chat", seed)),
    "an anthropic request": ("anthropic", lambda seed: strategies.generate_request("anthropic", seed)),
    "bedrock": ("bedrock-converse", conversations_bedrock.generate),
    "gemini": ("gemini", conversations_gemini.generate),
    "langchain": ("langchain", lambda seed: conversations_langchain.generate_langchain("langchain", seed)),
    "langchain, flat": ("langchain", lambda seed: conversations_langchain.generate_langchain("langchain-flat", seed)),
    "langchain, dumpd": ("langchain", lambda seed: conversations_langchain.generate_langchain("langchain-dumpd", seed)),
    "pydantic-ai": ("pydantic-ai", conversations_pydantic_ai.generate_pydantic_ai),
    "responses": ("openai-responses", conversations_responses.generate_items),
    "a responses request": ("openai-responses", conversations_responses.generate_request),
}


def recognised(value: Any) -> list[str]:
    return [name for name, dialect in DIALECTS.items() if dialect.recognise(value)]


def test_there_is_a_sample_of_every_dialect() -> None:
    assert {dialect for dialect, _ in SAMPLES.values()} == set(DIALECTS)


@pytest.mark.parametrize("name", SAMPLES)
def test_exactly_one_dialect_recognises_a_sample(name: str) -> None:
    dialect, value = SAMPLES[name]
    assert recognised(value) == [dialect]


@pytest.mark.parametrize("name", GENERATED)
def test_exactly_one_dialect_recognises_a_generated_conversation(name: str) -> None:
    dialect, generate = GENERATED[name]
    found = {seed: recognised(generate(seed)) for seed in SEEDS}
    assert {seed: names for seed, names in found.items() if names != [dialect]} == {}


def test_a_bare_list_of_the_messages_api_is_one_of_two_wires() -> None:
    """Plain text alone does not tell them apart: then it is openai-chat, and never both."""
    found = [recognised(strategies.generate("anthropic", seed)) for seed in SEEDS]
    assert all(names in (["anthropic"], ["openai-chat"]) for names in found)
    assert found.count(["anthropic"]) > len(SEEDS) // 2
