"""Each rule of the Responses API refuses what it must refuse, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import responses_rules as rules
from cenotaph.testing.conversations_responses import responses_conversations

ASK: dict[str, Any] = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
SAY: dict[str, Any] = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}
PLAIN = {"role": "user", "content": "q"}


def call(call_id: JSON = "c1", **fields: JSON) -> JSON:
    return {"type": "function_call", "call_id": call_id, "name": "read", "arguments": "{}", **fields}


def output(call_id: JSON = "c1", value: JSON = "ok") -> JSON:
    return {"type": "function_call_output", "call_id": call_id, "output": value}


def thought(number: int = 1) -> JSON:
    return {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "gAAA"}


def compaction(content: JSON = "gAAA") -> JSON:
    return {"type": "compaction", "encrypted_content": content}


def found(breaches: list[Breach]) -> list[tuple[str, int]]:
    return [(breach.rule, breach.message) for breach in breaches]


def test_o2_refuses_a_call_that_the_conversation_went_on_without() -> None:
    check = rules.calls_answered
    assert found(check([ASK, call(), ASK])) == [("O2", 1)]
    assert found(check([call("a"), call("b"), output("b"), SAY])) == [("O2", 0)]
    assert found(check([call("a"), output("b"), SAY])) == [("O2", 0)]
    assert found(check([output("a"), call("a"), ASK])) == [("O2", 1)]
    assert found(check([call("a"), output("b"), call("b")])) == [("O2", 0)]
    for kind in ("custom_tool_call", "shell_call", "computer_call", "brand_new_call"):
        assert found(check([{"type": kind, "call_id": "c"}, ASK])) == [("O2", 0)]


def test_o2_takes_outputs_anywhere_after_their_calls_and_calls_that_nothing_follows_yet() -> None:
    check = rules.calls_answered
    assert check([call("a"), call("b"), SAY, output("a"), SAY, output("b"), ASK]) == []
    assert check([ASK, thought(), call("a"), call("b"), output("b")]) == check([ASK, call()]) == []
    assert check([{"type": "web_search_call", "id": "w"}, ASK]) == []
    local = {"type": "local_shell_call", "id": "lsh", "call_id": "l"}
    assert check([local, {"type": "local_shell_call_output", "id": "lsh", "output": "x"}, ASK]) == []
    assert check([{"type": "mcp_approval_request", "id": "r"}, ASK]) == []


def test_o2_refuses_an_output_that_answers_no_open_call() -> None:
    check = rules.outputs_have_calls
    assert found(check([output()])) == [("O2", 0)]
    assert found(check([call(), output(), output()])) == [("O2", 2)]
    assert found(check([output(), call()])) == [("O2", 0)]
    assert found(check([call(None), output(None)])) == [("O2", 1)]
    decided = {"type": "mcp_approval_response", "approval_request_id": "r", "approve": True}
    assert found(check([decided])) == [("O2", 0)]
    assert check([{"type": "mcp_approval_request", "id": "r"}, decided]) == []
    assert check([call("a"), call("b"), SAY, output("b"), ASK, output("a")]) == []
    assert check([{"type": "tool_search_output", "call_id": None, "execution": "server", "tools": []}]) == []


def test_with_a_previous_response_outputs_may_answer_what_the_server_holds() -> None:
    body = {"input": [output()]}
    assert found(rules.request_breaches(body)) == [("O2", 0)]
    assert rules.request_breaches({**body, "previous_response_id": "resp_1"}) == []
    assert rules.request_breaches({**body, "conversation": "conv_1"}) == []
    assert found(rules.request_breaches({"input": [call(), ASK], "previous_response_id": "r"})) == [("O2", 0)]
    assert rules.request_breaches({"input": "text"}) == []
    assert found(rules.request_breaches({"model": "gpt-5"})) == [("O-item", -1)]


def test_a_call_id_names_one_call_and_an_item_id_one_item() -> None:
    assert found(rules.call_ids_unique([call(), output(), call(), call("b")])) == [("O-unique-call", 2)]
    assert rules.call_ids_unique([call(), output(), {"type": "web_search_call", "id": "c1"}]) == []
    assert found(rules.item_ids_unique([{**SAY, "id": "m"}, {**SAY, "id": "m"}])) == [("O-unique-item", 1)]
    assert rules.item_ids_unique([{**SAY, "id": "m"}, {"type": "item_reference", "id": "m"}, SAY, SAY]) == []


def test_o3_refuses_reasoning_without_the_item_that_followed_it() -> None:
    check = rules.reasoning_followed
    assert found(check([thought()])) == [("O3", 0)]
    assert found(check([ASK, thought(), ASK])) == found(check([ASK, thought(), output()])) == [("O3", 1)]
    assert found(check([thought(), compaction()])) == [("O3", 0)]
    assert check([thought(1), thought(2), call()]) == check([thought(), SAY]) == []
    assert check([thought(), {"type": "web_search_call", "id": "w"}]) == []


def test_o3_refuses_a_cut_between_reasoning_and_its_item_either_way() -> None:
    check = rules.replay_breaches
    before = [ASK, thought(1), call("a"), output("a"), thought(2), SAY, ASK]
    assert check(before, before) == []
    assert check(before, [ASK, thought(2), SAY, ASK]) == check(before, [ASK]) == []
    assert found(check(before, [ASK, call("a"), output("a"), ASK])) == [("O3", 1)]
    assert ("O3", 1) in found(check(before, [ASK, thought(1), thought(2), SAY, ASK]))
    assert found(check(before, [ASK, thought(1), ASK])) == [("O3", 1)]
    edited = {**thought(1), "summary": [{"type": "summary_text", "text": "s"}]}
    assert found(check(before, [ASK, edited, call("a"), output("a")])) == [("O3", 1)]


def test_o4_takes_compaction_items_only_whole_and_unchanged() -> None:
    assert found(rules.compaction_whole([ASK, compaction(None)])) == [("O4", 1)]
    assert found(rules.compaction_whole([compaction("")])) == [("O4", 0)]
    assert rules.compaction_whole([ASK, compaction(), {"type": "compaction_summary", "encrypted_content": "x"}]) == []
    assert found(rules.replay_breaches([compaction("a")], [compaction("b")])) == [("O4", 0)]
    assert rules.replay_breaches([ASK, compaction("a")], [compaction("a"), SAY]) == []


def test_o5_a_compacted_window_is_kept_messages_and_one_compaction_item() -> None:
    check = rules.compacted_window
    assert check([ASK, ASK, compaction()]) == []
    assert found(check([ASK, SAY, compaction()])) == [("O5", 1)]
    assert found(check([ASK, call(), compaction()])) == [("O5", 1)]
    assert found(check([ASK])) == [("O5", 0)]
    assert found(check([])) == [("O5", -1)]
    assert found(check([compaction(), ASK, compaction()])) == [("O5", 0)]
    assert rules.request_breaches({"object": "response.compaction", "output": [ASK, compaction()]}) == []
    assert found(rules.request_breaches({"object": "response.compaction", "output": None})) == [("O5", -1)]


def test_o6_a_compaction_item_goes_only_to_its_maker() -> None:
    assert rules.compaction_readable([ASK, compaction()], "openai", "openai") == []
    assert found(rules.compaction_readable([ASK, compaction()], "openai", "azure")) == [("O6", 1)]
    assert rules.compaction_readable([ASK], "openai", "azure") == []


@pytest.mark.parametrize("bad", [7, None, "x", {}, {"type": None}, {"type": 3}, []])
def test_an_item_has_a_type_or_a_role(bad: JSON) -> None:
    assert found(rules.items_typed([ASK, bad])) == [("O-item", 1)]
    assert rules.items_typed([ASK, PLAIN, {"type": "hologram"}]) == []


@pytest.mark.parametrize(
    "bad",
    [
        call(None),
        call(""),
        call(name=""),
        call(arguments={"a": 1}),
        call(arguments=None),
        {"type": "custom_tool_call", "call_id": "c", "name": "t"},
        output(None),
        output(value=None),
        output(value={"type": "input_text", "text": "x"}),
        output(value=[{"type": "output_text", "text": "x"}]),
        output(value=[7]),
    ],
)
def test_calls_and_outputs_have_their_fields(bad: JSON) -> None:
    assert found(rules.calls_well_formed([ASK, bad])) == [("O-call-shape", 1)]


def test_calls_and_outputs_in_every_allowed_form_are_taken() -> None:
    image = {"type": "input_image", "image_url": "https://example.com/a.png"}
    free = {"type": "custom_tool_call", "call_id": "c", "name": "t", "input": ""}
    assert (
        rules.calls_well_formed([call(arguments=""), output(value=""), output(value=[image]), output(value=[]), free])
        == []
    )


def test_messages_have_a_role_content_and_blocks_of_their_side() -> None:
    tool = {"type": "message", "role": "tool", "content": "x"}
    assert found(rules.roles_known([ASK, tool, {"type": "message", "role": ["user"]}])) == [
        ("O-role", 1),
        ("O-role", 2),
    ]
    assert rules.roles_known([PLAIN, SAY, {"role": "developer", "content": "x"}, call()]) == []
    empty: list[JSON] = [{**ASK, "content": None}, {**ASK, "content": []}, {**ASK, "content": 7}]
    assert found(rules.content_present([ASK, *empty])) == [("O-empty-content", n) for n in (1, 2, 3)]
    assert rules.content_present([PLAIN, {"role": "user", "content": ""}, call()]) == []
    crossed = [{**ASK, "role": "assistant"}, {**SAY, "role": "user"}, {**ASK, "content": [{"type": "text"}, 7]}]
    assert found(rules.blocks_in_place(crossed)) == [("O-block-role", n) for n in (0, 1, 2, 2)]
    assert rules.blocks_in_place([ASK, SAY, PLAIN, {"role": "assistant", "content": "x"}]) == []


def test_breaches_asks_every_rule() -> None:
    assert set(found(rules.breaches([7, thought(), output(), {"role": "tool"}, compaction("")]))) == {
        *(("O-item", 0), ("O3", 1), ("O2", 2), ("O-role", 3), ("O-empty-content", 3), ("O4", 4)),
    }


@given(responses_conversations())
def test_no_generated_conversation_breaks_a_rule(items: list[JSON]) -> None:
    assert rules.breaches(items) == []
    assert rules.replay_breaches(items, items) == []
