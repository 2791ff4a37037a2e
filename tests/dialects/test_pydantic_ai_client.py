"""Pydantic AI itself takes what is generated, what is cut and what is ours, and repairs none of it."""

from __future__ import annotations

import copy

import pytest

from cenotaph import Policy, compact
from cenotaph.core.ids import JSON
from cenotaph.dialects.detect import detect
from cenotaph.dialects.pydantic_ai import PYDANTIC_AI
from cenotaph.errors import BudgetExhausted
from cenotaph.testing.conversations_pydantic_ai import generate_pydantic_ai

messages_of_the_client = pytest.importorskip(
    "pydantic_ai.messages", reason="needs pydantic-ai-slim to ask the client itself"
)
ADAPTER = messages_of_the_client.ModelMessagesTypeAdapter


def loaded(messages: list[JSON]) -> list[JSON]:
    """The client's own objects."""
    found: list[JSON] = ADAPTER.validate_python(copy.deepcopy(messages))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_the_client_takes_what_is_generated_and_its_dump_reads_the_same(seed: int) -> None:
    messages = generate_pydantic_ai(seed)
    dumped = ADAPTER.dump_python(loaded(messages), mode="json")
    assert detect(dumped) is PYDANTIC_AI
    transcript = PYDANTIC_AI.parse(dumped)
    assert PYDANTIC_AI.emit(transcript) is dumped
    assert transcript.defects == ()
    before = [(p.kind, p.call_id) for m in PYDANTIC_AI.parse_messages(messages) for p in m.parts]
    assert [(p.kind, p.call_id) for m in transcript.messages for p in m.parts] == before


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("share", [0.7, 0.35])
def test_the_client_takes_what_is_left_and_has_nothing_to_repair(seed: int, share: float) -> None:
    messages = generate_pydantic_ai(seed, 14)
    tokens = compact(messages, to_tokens=10**9).tokens_before
    try:
        done = compact(messages, to_tokens=max(50, int(tokens * share)), policy=Policy.archive(), tools=["generic"])
    except BudgetExhausted:
        return
    left = loaded(list(done.messages))
    repair = getattr(messages_of_the_client, "repair_messages", None)
    if repair is None:
        pytest.skip("this version of the client repairs nothing in public")
    results = [p.tool_call_id for m in left for p in m.parts if p.part_kind == "tool-return"]
    mended = [
        p.tool_call_id
        for m in repair(left, repair_last_response=False)
        for p in m.parts
        if p.part_kind == "tool-return"
    ]
    assert mended == results


def test_the_client_takes_our_page_and_our_exchange() -> None:
    picture = {"data": "aGVsbG8=", "media_type": "image/png", "kind": "binary"}
    ours = [PYDANTIC_AI.page("p"), *PYDANTIC_AI.exchange("k", "recall", {"q": 1}, "found", [picture])]
    page, asked, told = loaded(ours)
    assert page.parts[0].content == "p"
    assert asked.parts[0].args == {"q": 1}
    assert told.parts[0].content[0] == "found"
    assert told.parts[0].content[1].media_type == "image/png"


def test_the_rules_know_every_kind_of_part_that_the_client_knows() -> None:
    schema = ADAPTER.json_schema(mode="serialization")["$defs"]
    known = {
        definition["properties"]["part_kind"]["const"]
        for definition in schema.values()
        if "const" in definition.get("properties", {}).get("part_kind", {})
    }
    inside = {"instruction", "instruction-digest"}  # what a baseline is made of
    for kind in known - inside:
        places = [{"kind": kind_of, "parts": [{"part_kind": kind}]} for kind_of in ("request", "response")]
        odd = [breach for place in places for breach in PYDANTIC_AI.breaches([place]) if breach.rule == "P-part"]
        assert len(odd) < 2, kind
