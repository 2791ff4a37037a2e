"""The generator makes what it promises: the same bytes for a seed, and every oddity it names."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from time import perf_counter
from typing import get_args

import pytest
from hypothesis import given

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Provenance
from cenotaph.dialects.anthropic import ANTHROPIC, AnthropicDialect
from cenotaph.dialects.detect import detect
from cenotaph.dialects.openai_chat import OPENAI_CHAT, OpenAIChatDialect
from cenotaph.testing.strategies import Wire, generate, generate_request, transcripts

WIRES: tuple[Wire, ...] = get_args(Wire)
SEEDS = range(400)
WIRE_OF: dict[str, AnthropicDialect | OpenAIChatDialect] = {
    "anthropic": ANTHROPIC,
    "openai-chat": OPENAI_CHAT,
}


def parsed(wire: Wire, seeds: range = SEEDS, size: int = 8) -> list[tuple[Message, ...]]:
    return [WIRE_OF[wire].parse_messages(generate(wire, seed, size)) for seed in seeds]


@pytest.mark.parametrize("wire", WIRES)
def test_a_seed_gives_the_same_messages_each_time_and_another_seed_others(wire: Wire) -> None:
    assert [generate(wire, seed) for seed in range(50)] == [generate(wire, seed) for seed in range(50)]
    assert len({json.dumps(generate(wire, seed)) for seed in range(50)}) > 45


@pytest.mark.parametrize("wire", WIRES)
def test_everything_is_plain_json(wire: Wire) -> None:
    for seed in range(100):
        body = generate_request(wire, seed, surrogates=True)
        assert json.loads(json.dumps(body)) == body


@pytest.mark.parametrize("wire", WIRES)
def test_2000_small_transcripts_take_about_a_second(wire: Wire) -> None:
    start = perf_counter()
    for seed in range(2_000):
        generate(wire, seed, 4)
    assert perf_counter() - start < 10, "ten times what it may take, for slow machines"


@pytest.mark.parametrize("wire", WIRES)
def test_no_generated_transcript_has_a_defect_and_each_is_detected(wire: Wire) -> None:
    for seed in SEEDS:
        body = generate_request(wire, seed)
        transcript = WIRE_OF[wire].parse(body)
        assert transcript.defects == ()
        assert detect(body).name == wire


@pytest.mark.parametrize("wire", WIRES)
def test_batches_duplicates_unknown_tools_and_empty_and_huge_results_all_occur(wire: Wire) -> None:
    offered = WIRE_OF[wire].parse(generate_request(wire, 0)).tool_names or frozenset()
    seen: Counter[str] = Counter()
    for messages in parsed(wire):
        parts = [part for message in messages for part in message.parts]
        calls = [part.call_id for part in parts if part.kind is Kind.call and Mark.server not in part.marks]
        results = [
            part.call_id for part in parts if part.kind is Kind.result and Mark.server not in part.marks
        ]
        texts = [part.text for part in parts if part.text]
        seen["results out of order"] += results != calls[: len(results)]
        seen["equal blocks"] += len(set(texts)) < len(texts)
        seen["an open call"] += len(calls) > len(results) and messages[-1].parts[-1].kind is Kind.call
        seen["results at the end"] += messages[-1].parts[-1].kind is Kind.result
        seen["batch"] += any(sum(p.kind is Kind.call for p in m.parts) > 1 for m in messages)
        for part in parts:
            seen["empty result"] += part.kind is Kind.result and not part.text
            seen["huge result"] += part.kind is Kind.result and len(part.text) > 20_000
            seen["media"] += part.kind is Kind.media
            seen["fence"] += part.provenance is Provenance.user and "```" in part.text
            seen["marker"] += "[EVICTED:" in part.text or "[CENOTAPH:" in part.text
            seen["reminder"] += part.provenance is Provenance.harness
            seen["background"] += Mark.background in part.marks
            seen["declared tool"] += part.kind is Kind.call and part.tool in offered
            seen["unknown tool"] += part.tool == "frobnicate"
            seen["reasoning"] += part.kind is Kind.reasoning
    wanted = {
        *(
            "results out of order",
            "equal blocks",
            "an open call",
            "results at the end",
            "batch",
            "empty result",
        ),
        *(
            "huge result",
            "media",
            "fence",
            "marker",
            "reminder",
            "background",
            "declared tool",
            "unknown tool",
        ),
        "reasoning",
    }
    assert {what for what in wanted if not seen[what]} == set()


def test_the_messages_api_also_sees_server_tools_callers_and_words_behind_results() -> None:
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        for message in generate("anthropic", seed):
            blocks = message["content"] if isinstance(message["content"], list) else []
            kinds = [block["type"] for block in blocks]
            seen.update(kinds)
            seen["caller"] += any("tool_id" in block.get("caller", {}) for block in blocks)
            seen["words behind results"] += "tool_result" in kinds and kinds[-1] == "text"
    wanted = {"server_tool_use", "web_search_tool_result", "code_execution_tool_result", "redacted_thinking"}
    assert wanted | {"caller", "words behind results", "document"} <= set(+seen)


def test_chat_also_sees_developers_refusals_and_torn_arguments() -> None:
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        for message in generate("openai-chat", seed):
            seen[message["role"]] += 1
            seen["refusal"] += "refusal" in message
            for call in message.get("tool_calls", []):
                seen["torn"] += not call["function"]["arguments"].endswith("}")
    assert {"system", "developer", "refusal", "torn"} <= set(+seen)


@pytest.mark.parametrize("wire", WIRES)
def test_one_turn_may_hold_300_calls(wire: Wire) -> None:
    longest = 0
    for messages in parsed(wire, range(20), 300):
        run = 0
        for message in messages:
            human = any(p.provenance is Provenance.user for p in message.parts)
            run = 0 if human else run + sum(part.kind is Kind.call for part in message.parts)
            longest = max(longest, run)
    assert longest > 100


@pytest.mark.parametrize("wire", WIRES)
def test_lone_surrogates_occur_only_where_they_are_asked_for(wire: Wire) -> None:
    def broken(surrogates: bool) -> bool:
        text = "".join(
            json.dumps(generate(wire, s, surrogates=surrogates), ensure_ascii=False) for s in SEEDS
        )
        return any("\ud800" <= character <= "\udfff" for character in text)

    assert broken(True)
    assert not broken(False)


@given(transcripts("anthropic"))
def test_what_hypothesis_draws_for_anthropic_breaks_no_rule(messages: list[JSON]) -> None:
    assert ANTHROPIC.breaches(messages) == []


@given(transcripts("openai-chat"))
def test_what_hypothesis_draws_for_chat_breaks_no_rule(messages: list[JSON]) -> None:
    assert OPENAI_CHAT.breaches(messages) == []


def test_generating_needs_no_hypothesis() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None; "
        "from cenotaph.testing.strategies import generate; print(len(generate('anthropic', 1)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
