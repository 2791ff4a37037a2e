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


LOCAL = {"type": "local_shell_call", "id": "lsh", "call_id": "l"}
LOCAL_OUTPUT = {"type": "local_shell_call_output", "id": "lsh", "output": "x"}


def found(breaches: list[Breach]) -> list[tuple[str, int]]:
    return [(breach.rule, breach.message) for breach in breaches]


def test_o2_refuses_a_call_that_the_conversation_went_on_without() -> None:
    check = rules.calls_answered
    assert found(check([ASK, call(), ASK])) == [("O2", 1)]
    assert found(check([call("a"), call("b"), output("b"), SAY])) == [("O2", 0)]
    assert found(check([call("a"), output("b"), SAY])) == [("O2", 0)]
    assert found(check([output("a"), call("a"), ASK])) == [("O2", 1)]
    assert found(check([call("a"), output("b"), call("b")])) == [("O2", 0)]
    assert found(check([call("a", id="fc"), {**output("b"), "id": "fc"}, SAY])) == [("O2", 0)]
    assert found(check([call("a"), call("b"), ASK])) == [("O2", 0), ("O2", 1)]
    for kind in ("custom_tool_call", "shell_call", "computer_call", "brand_new_call"):
        assert found(check([{"type": kind, "call_id": "c"}, ASK])) == [("O2", 0)]


def test_o2_takes_outputs_anywhere_after_their_calls_and_calls_that_nothing_follows_yet() -> None:
    check = rules.calls_answered
    assert check([call("a"), call("b"), SAY, output("a"), SAY, output("b"), ASK]) == []
    assert check([ASK, thought(), call("a"), call("b"), output("b")]) == check([ASK, call()]) == []
    assert check([{"type": "web_search_call", "id": "w"}, ASK]) == []
    assert check([LOCAL, LOCAL_OUTPUT, ASK]) == []
    assert check([{"type": "mcp_approval_request", "id": "r"}, ASK]) == check([call(None), ASK]) == []


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
    assert check([LOCAL, LOCAL_OUTPUT]) == []
    assert found(check([call("a", id="fc"), output("fc")])) == [("O2", 1)]
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
    assert rules.call_ids_unique([call(None), call(None)]) == []
    assert found(rules.item_ids_unique([{**SAY, "id": "m"}, {**SAY, "id": "m"}])) == [("O-unique-item", 1)]
    assert found(rules.item_ids_unique([SAY, {**SAY, "id": "m"}, {**SAY, "id": "m"}])) == [("O-unique-item", 2)]
    assert rules.item_ids_unique([{**SAY, "id": "m"}, {"type": "item_reference", "id": "m"}, SAY, SAY]) == []
    assert rules.item_ids_unique([LOCAL, LOCAL_OUTPUT, 7]) == []


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


def test_o3_on_a_cut_knows_items_by_their_ids_and_equal_ones_by_their_order() -> None:
    check = rules.reasoning_whole
    opening = [thought(1), SAY, ASK, SAY]
    assert check(opening, opening) == check(opening, [thought(1), SAY, SAY]) == []
    assert found(check(opening, [SAY, ASK, SAY])) == [("O3", 0)]
    assert found(check([thought(1), call(), output()], [thought(1), output()])) == [("O3", 0)]
    assert found(check(opening, [thought(1)])) == found(check(opening, [thought(1), ASK])) == [("O3", 0)]
    named = [thought(1), {**SAY, "id": "m1"}, thought(2), call("c", name="read"), ASK]
    shorter = [thought(1), {**SAY, "id": "m1", "content": "[cut]"}, thought(2), call("c", name="other"), ASK]
    assert check(named, shorter) == []
    assert found(check(named, [thought(1), {**SAY, "id": "m2"}, ASK])) == [("O3", 0)]
    assert found(check(named, [thought(1), call("c"), ASK])) == [("O3", 0), ("O3", 1)]


def test_o3_on_a_cut_asks_nothing_of_what_was_new_or_apart_before() -> None:
    check = rules.reasoning_whole
    assert check([ASK, thought(1), ASK], [ASK, thought(1), SAY]) == []
    assert check([ASK, thought(1)], [thought(1), ASK]) == check([], [thought(1), SAY]) == []
    assert check([ASK, SAY, thought(1), SAY], [SAY]) == check([thought(1), SAY], []) == []
    assert check([thought(1), SAY], [7, "x", thought(1), SAY, None]) == []
    assert found(check([thought(1), SAY], [ASK, thought(1), ASK, SAY])) == [("O3", 1), ("O3", 3)]


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("O3", [thought(1), SAY], [thought(1)]),
        ("O3", [thought(1)], [{**thought(1), "encrypted_content": "other"}]),
        ("O4", [compaction("a")], [compaction("b")]),
        ("O4", [ASK, SAY], [SAY]),
    ],
)
def test_every_rule_on_a_cut_is_among_those_on_cuts(rule: str, before: list[JSON], after: list[JSON]) -> None:
    chain = {"previous_response_id": "resp_1"}
    asked = (rules.reasoning_whole, rules.reasoning_unchanged, rules.compaction_unchanged)
    seen = [found(check(before, after)) for check in asked] + [found(rules.chain_kept(before, after, chain))]
    assert any(broken and broken[0][0] == rule for broken in seen)
    assert set(rules.CUT_RULES) == {*asked, rules.chain_kept}


def test_o4_takes_compaction_items_only_whole_and_unchanged() -> None:
    assert found(rules.compaction_whole([ASK, compaction(None)])) == [("O4", 1)]
    assert found(rules.compaction_whole([compaction("")])) == [("O4", 0)]
    assert rules.compaction_whole([ASK, compaction(), {"type": "compaction_summary", "encrypted_content": "x"}]) == []
    assert found(rules.replay_breaches([compaction("a")], [compaction("b")])) == [("O4", 0)]
    assert rules.replay_breaches([ASK, compaction("a")], [compaction("a"), SAY]) == []


def test_o5_a_compacted_window_is_kept_messages_and_one_compaction_item() -> None:
    check = rules.compacted_window
    assert check([ASK, ASK, compaction()]) == []
    assert check([{**ASK, "role": "system"}, {**ASK, "role": "developer"}, compaction()]) == []
    assert found(check([ASK, SAY, compaction()])) == [("O5", 1)]
    assert found(check([ASK, {**call(), "role": "user"}, compaction()])) == [("O5", 1)]
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
        {"type": "custom_tool_call_output", "call_id": "c", "output": 7},
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
    inputs = [{"type": kind} for kind in ("input_text", "input_image", "input_file", "input_audio")]
    assert rules.blocks_in_place([{**ASK, "content": inputs}]) == []


def test_breaches_asks_every_rule() -> None:
    assert set(found(rules.breaches([7, thought(), output(), {"role": "tool"}, compaction("")]))) == {
        *(("O-item", 0), ("O3", 1), ("O2", 2), ("O-role", 3), ("O-empty-content", 3), ("O4", 4)),
    }


@pytest.mark.parametrize(
    ("rule", "items"),
    [
        ("O2", [call(), ASK]),
        ("O2", [output()]),
        ("O-unique-call", [call(), output(), call()]),
        ("O-unique-item", [{**SAY, "id": "m"}, {**SAY, "id": "m"}]),
        ("O3", [thought(), ASK]),
        ("O4", [compaction("")]),
        ("O-trigger", [{"type": "compaction_trigger"}, ASK]),
        ("O-item", [7]),
        ("O-call-shape", [call(name="")]),
        ("O-role", [{"role": "tool", "content": "x"}]),
        ("O-empty-content", [{**ASK, "content": []}]),
        ("O-block-role", [{**ASK, "role": "assistant"}]),
    ],
)
def test_every_rule_is_among_those_that_are_checked(rule: str, items: list[JSON]) -> None:
    assert rule in {breach.rule for breach in rules.breaches(items)}


@given(responses_conversations())
def test_no_generated_conversation_breaks_a_rule(items: list[JSON]) -> None:
    assert rules.breaches(items) == []
    assert rules.replay_breaches(items, items) == []


# What a request asks for ---------------------------------------------------------------------


def test_a_compaction_trigger_is_the_last_item() -> None:
    trigger = {"type": "compaction_trigger"}
    assert found(rules.trigger_last([ASK, trigger, SAY])) == [("O-trigger", 1)]
    assert found(rules.breaches([trigger, ASK])) == [("O-trigger", 0)]
    assert rules.trigger_last([ASK, trigger]) == rules.trigger_last([]) == []


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-5", "google/gemini-3-pro", "~/x"])
def test_o6_refuses_a_compaction_item_in_a_request_to_another_vendors_model(model: str) -> None:
    body = {"model": model, "input": [ASK, compaction()]}
    assert found(rules.compaction_at_home(body["input"], body)) == [("O6", 1)]
    assert found(rules.request_breaches(body)) == [("O6", 1)]
    assert rules.request_breaches({"model": model, "input": [ASK]}) == []


@pytest.mark.parametrize("model", ["openai/gpt-5.6", "azure/gpt-5", "gpt-5", "my-deployment", "ft:gpt-5:acme", None, 7])
def test_o6_takes_one_where_the_model_is_openais_or_does_not_say_whose_it_is(model: JSON) -> None:
    assert rules.request_breaches({"model": model, "input": [ASK, compaction()]}) == []


@pytest.mark.parametrize(
    "management",
    [
        "auto",
        {"type": "compaction"},
        [{"type": "truncation"}],
        ["compaction"],
        [{"type": "compaction", "compact_threshold": "100000"}],
        [{"type": "compaction", "compact_threshold": True}],
    ],
)
def test_o4_refuses_settings_that_are_no_compaction(management: JSON) -> None:
    assert found(rules.request_breaches({"input": [ASK], "context_management": management})) == [("O4", -1)]


@pytest.mark.parametrize(
    "management", [None, [], [{"type": "compaction"}], [{"type": "compaction", "compact_threshold": 9}]]
)
def test_o4_takes_compactions_with_and_without_a_threshold(management: JSON) -> None:
    assert rules.request_breaches({"input": [ASK], "context_management": management}) == []


def test_o4_refuses_a_compaction_item_that_the_server_holds_already() -> None:
    items = [compaction(), ASK]
    assert found(rules.request_breaches({"input": items, "previous_response_id": "resp_1"})) == [("O4", 0)]
    assert rules.request_breaches({"input": items, "previous_response_id": None}) == []
    assert rules.request_breaches({"input": [ASK], "previous_response_id": "resp_1"}) == []


def test_o4_on_a_cut_refuses_to_prune_a_chain() -> None:
    check = rules.chain_kept
    chain = {"previous_response_id": "resp_1"}
    assert found(check([ASK, output("c0")], [output("c0")], chain)) == [("O4", -1)]
    assert check([ASK, output("c0")], [ASK, output("c0"), SAY], chain) == []
    assert check([ASK, output("c0")], [output("c0")], {}) == []


def test_a_request_is_checked_by_its_items_and_a_response_of_compact_by_its_output() -> None:
    assert rules.request_breaches({"input": "hello"}) == rules.request_breaches({"input": [ASK]}) == []
    assert found(rules.request_breaches({"input": 7})) == found(rules.request_breaches({})) == [("O-item", -1)]
    assert found(rules.request_breaches({"input": [SAY, output("c9")]})) == [("O2", 1)]
    assert found(rules.request_breaches({"input": "x", "context_management": 7})) == [("O4", -1)]
    assert found(rules.request_breaches({"object": "response", "output": [thought()]})) == [("O3", 0)]
    assert found(rules.request_breaches({"object": "response", "input": [ASK]})) == [("O-item", -1)]
    made = {"object": "response.compaction"}
    assert rules.request_breaches({**made, "output": [ASK, compaction()]}) == []
    assert found(rules.request_breaches({**made, "output": [ASK]})) == [("O5", 0)]
    assert found(rules.request_breaches({**made, "output": 7})) == [("O5", -1)]
    assert found(rules.request_breaches({**made, "input": "x"})) == [("O5", -1)]
    assert rules.request_breaches({**made, "input": "x", "output": [ASK, compaction()]}) == []
