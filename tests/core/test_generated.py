"""Thousands of hostile transcripts: whatever comes in, a view is valid and sound, or the call halts."""

from __future__ import annotations

from random import Random
from typing import Any, get_args

import pytest
from hunt import WIRES, Finding, Tally, examine, grown, hunted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cenotaph.core.ids import JSON
from cenotaph.dialects.anthropic_rules import Binding
from cenotaph.testing.conversations_bedrock import bedrock_conversations
from cenotaph.testing.conversations_gemini import gemini_conversations
from cenotaph.testing.conversations_langchain import langchain_conversations
from cenotaph.testing.conversations_pydantic_ai import pydantic_ai_conversations
from cenotaph.testing.conversations_responses import responses_conversations
from cenotaph.testing.strategies import transcripts

PER_FORMAT = 2_000
SLICES = 8
SERIALISATIONS = sum(wire.startswith("langchain") for wire in WIRES)
DRAWN = {
    "anthropic": transcripts("anthropic"),
    "openai-chat": transcripts("openai-chat"),
    "openai-responses": responses_conversations(),
    "gemini": gemini_conversations(),
    "bedrock-converse": bedrock_conversations(),
    "pydantic-ai": pydantic_ai_conversations(),
    "langchain": langchain_conversations("langchain"),
    "langchain-dumpd": langchain_conversations("langchain-dumpd"),
    "langchain-flat": langchain_conversations("langchain-flat"),
}
ANY_WIRE = st.sampled_from(list(WIRES)).flatmap(lambda wire: st.tuples(st.just(wire), DRAWN[wire]))


def per_wire(wire: str) -> int:
    """How many transcripts: the serialisations of one format share them."""
    return -(-PER_FORMAT // SERIALISATIONS) if wire.startswith("langchain") else PER_FORMAT


@pytest.mark.parametrize("part", range(SLICES))
@pytest.mark.parametrize("wire", WIRES)
def test_every_generated_transcript_gives_a_sound_view_or_a_halt(wire: str, part: int) -> None:
    count = per_wire(wire)
    seeds = range(part * count // SLICES, (part + 1) * count // SLICES)
    tally = Tally()
    findings: list[Finding] = []
    for seed in seeds:
        findings += hunted(wire, seed, tally)
    assert findings == []
    assert tally.transcripts == len(seeds)
    assert tally.views > len(seeds) // 3, "too few cuts to mean anything"
    assert tally.halts > 0
    assert tally.cuts_in_a_row[2] > 0, "no transcript was cut twice as it grew"


@pytest.mark.parametrize("wire", WIRES)
def test_lone_surrogates_and_long_loops_are_no_exception(wire: str) -> None:
    tally = Tally()
    findings = [f for seed in range(6) for f in hunted(wire, seed, tally, size=120)]
    findings += [f for seed in range(60) for f in hunted(wire, seed, tally, surrogates=True)]
    assert findings == []


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(
    ANY_WIRE,
    st.sampled_from(get_args(Binding)),
    st.booleans(),
    st.sampled_from(["strict", "archive"]),
    st.floats(0.05, 0.95),
)
def test_what_hypothesis_draws_gives_a_sound_view_or_a_halt(
    drawn: tuple[str, list[JSON]], binding: Binding, drop_block: bool, policy: str, share: float
) -> None:
    wire, messages = drawn
    how: dict[str, Any] = {"binding": binding, "drop_block": drop_block, "policy": policy, "share": share}
    assert examine(wire, messages, Tally(), Random(1), **how) == []


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(
    ANY_WIRE,
    st.sampled_from(get_args(Binding)),
    st.booleans(),
    st.integers(0, 1 << 16),
)
def test_what_hypothesis_draws_and_grows_gives_sound_views_in_a_row_or_a_halt(
    drawn: tuple[str, list[JSON]], binding: Binding, drop_block: bool, seed: int
) -> None:
    """Up to three cuts under either policy, each by all laws and by the checker that trusts nothing of ours."""
    wire, messages = drawn
    assert grown(wire, messages, Tally(), Random(seed), binding=binding, drop_block=drop_block) == []
