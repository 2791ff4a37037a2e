"""Each rule of Converse refuses what it must refuse, and nothing else."""

from __future__ import annotations

import pytest

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import bedrock_rules as rules
from cenotaph.testing.conversations_bedrock import generate

ASK = {"role": "user", "content": [{"text": "go"}]}
SAID = {"role": "assistant", "content": [{"text": "done"}]}
POINT = {"cachePoint": {"type": "default"}}
TEXT = {"text": "x"}


def user(*blocks: JSON) -> JSON:
    return {"role": "user", "content": list(blocks)}


def agent(*blocks: JSON) -> JSON:
    return {"role": "assistant", "content": list(blocks)}


def call(call_id: str = "c1", **fields: JSON) -> JSON:
    return {"toolUse": {"toolUseId": call_id, "name": "read", "input": {}, **fields}}


def result(call_id: str = "c1", *blocks: JSON, **fields: JSON) -> JSON:
    return {"toolResult": {"toolUseId": call_id, "content": list(blocks) or [{"text": "ok"}], **fields}}


def thought(text: str = "hm", signature: str = "s") -> JSON:
    return {"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}}


def found(breaches: list[Breach]) -> list[tuple[str, int]]:
    return [(breach.rule, breach.message) for breach in breaches]


def test_b1_refuses_two_messages_of_one_role_in_a_row() -> None:
    assert found(rules.roles_alternate([ASK, ASK, SAID, SAID])) == [("B1", 1), ("B1", 3)]
    assert rules.roles_alternate([ASK, SAID, ASK]) == []


def test_b1_refuses_a_call_without_exactly_one_result_in_the_one_message_after_it() -> None:
    check = rules.calls_answered_next
    assert found(check([ASK, agent(call()), ASK])) == [("B1", 1)]
    assert found(check([ASK, agent(call("a"), call("b")), user(result("a")), user(result("b"))])) == [("B1", 1)]
    assert found(check([ASK, agent(call()), user(result(), result())])) == [("B1", 1)]
    assert found(check([ASK, agent(call("a")), user(result("b"))])) == [("B1", 1)]


def test_b1_takes_any_order_calls_at_the_end_and_calls_of_the_provider() -> None:
    check = rules.calls_answered_next
    assert check([ASK, agent(call("a"), call("b")), user(result("b"), result("a"), TEXT)]) == []
    assert check([ASK, agent(call())]) == []
    assert check([ASK, agent(call(type="server_tool_use"), TEXT), ASK]) == []
    assert check([user(call()), SAID]) == []


def test_b2_refuses_a_result_without_its_call_in_the_message_before() -> None:
    check = rules.results_have_calls
    assert found(check([user(result())])) == [("B2", 0)]
    assert found(check([ASK, agent(call("a")), user(result("a"), result("b"))])) == [("B2", 2)]
    assert found(check([ASK, agent(call()), user(result()), SAID, user(result())])) == [("B2", 4)]
    assert found(check([user(result()), agent(call())])) == [("B2", 0)]
    assert check([ASK, agent(call()), user(result())]) == []


def test_results_stand_first_and_a_cache_point_anywhere() -> None:
    check = rules.results_come_first
    assert found(check([user(TEXT, result())])) == [("B-results-first", 0)]
    assert check([user(result("a"), POINT, result("b"), TEXT, POINT)]) == []


def test_ids_are_unique_inside_a_message() -> None:
    assert found(rules.call_ids_unique([agent(call("a"), call("a"))])) == [("B-unique-id", 0)]
    assert rules.call_ids_unique([agent(call("a"), call("b")), agent(call("a"))]) == []


@pytest.mark.parametrize("messages", [[ASK, agent(call())], [user(result())]])
def test_tool_blocks_ask_for_a_tool_config_where_it_is_known_to_be_missing(messages: list[JSON]) -> None:
    assert {rule for rule, _ in found(rules.tools_declared(messages, False))} == {"B-tools"}
    assert rules.tools_declared(messages, True) == rules.tools_declared(messages, None) == []
    assert rules.tools_declared([ASK, SAID], False) == []


def test_the_first_message_is_the_users() -> None:
    assert found(rules.first_is_user([SAID])) == [("B-first-user", 0)]
    assert rules.first_is_user([ASK]) == rules.first_is_user([]) == []


@pytest.mark.parametrize("message", [{**ASK, "role": "system"}, {"content": []}, None, "text"])
def test_an_unknown_role_is_refused(message: JSON) -> None:
    assert found(rules.roles_known([ASK, message, SAID])) == [("B-role", 1)]


@pytest.mark.parametrize("message", [user(call()), user(thought(), TEXT), agent(result())])
def test_a_block_in_the_wrong_role_is_refused(message: JSON) -> None:
    assert found(rules.blocks_in_place([message])) == [("B-block-role", 0)]


def test_blocks_in_their_roles_and_results_of_the_provider_are_taken() -> None:
    served = result(type="web_search_result")
    assert rules.blocks_in_place([agent(thought(), call()), user(result(), TEXT), agent(served, TEXT)]) == []


@pytest.mark.parametrize("message", [user(), user(POINT), {"role": "user"}, {"role": "user", "content": "x"}])
def test_a_message_without_content_is_refused(message: JSON) -> None:
    assert found(rules.content_not_empty([ASK, message])) == [("B-empty-content", 1)]


def test_blank_text_is_refused_in_messages_and_results() -> None:
    check = rules.text_not_blank
    for message in (user({"text": ""}), user({"text": " \n"}), user({"text": None}), user(result("a", {"text": ""}))):
        assert found(check([message])) == [("B-empty-text", 0)]
    assert check([user(TEXT, result("a", {"json": {}}))]) == []


def test_a_failed_result_says_something() -> None:
    empty: JSON = {"toolResult": {"toolUseId": "a", "content": [], "status": "error"}}
    assert found(rules.errors_say_something([user(empty)])) == [("B-empty-error", 0)]
    assert rules.errors_say_something([user(result(status="error"))]) == []
    assert rules.errors_say_something([user({"toolResult": {**empty["toolResult"], "status": "success"}})]) == []


def test_reasoning_is_never_last() -> None:
    check = rules.reasoning_not_last
    assert found(check([agent(TEXT, thought())])) == [("B-final-reasoning", 0)]
    assert found(check([agent(thought(), POINT)])) == [("B-final-reasoning", 0)]
    assert check([agent(thought(), TEXT)]) == check([agent()]) == check([user(thought())]) == []


@pytest.mark.parametrize("odd", ["text", "reasoningContent", None, 7])
def test_what_is_no_object_is_neither_reasoning_nor_blank_text(odd: JSON) -> None:
    assert not rules.is_reasoning(odd)
    assert not rules.is_blank_text(odd)


@pytest.mark.parametrize(
    ("rule", "messages"),
    [
        ("B1", [ASK, ASK]),
        ("B1", [ASK, agent(call()), ASK]),
        ("B2", [user(result())]),
        ("B-results-first", [user(TEXT, result())]),
        ("B-unique-id", [agent(call(), call())]),
        ("B-tools", [ASK, agent(call())]),
        ("B-first-user", [SAID]),
        ("B-role", [{"role": "ai"}]),
        ("B-block-role", [user(call())]),
        ("B-empty-content", [user()]),
        ("B-empty-text", [user({"text": ""})]),
        ("B-empty-error", [user({"toolResult": {"status": "error"}})]),
        ("B-final-reasoning", [agent(thought())]),
    ],
)
def test_every_rule_is_among_those_that_are_checked(rule: str, messages: list[JSON]) -> None:
    assert rule in {breach.rule for breach in rules.breaches(messages, tools=False)}


@pytest.mark.parametrize("size", [0, 3, 12])
def test_what_is_generated_for_2000_seeds_breaks_no_rule(size: int) -> None:
    bad = {seed: breaches for seed in range(2_000) if (breaches := rules.breaches(generate(seed, size), tools=True))}
    assert bad == {}


# Before and after a compaction ---------------------------------------------------------------

FIRST = agent(thought("a", "1"), call("a"))
SECOND = agent(thought("b", "2"), call("b"))
LOOP = [ASK, FIRST, user(result("a")), SECOND, user(result("b"))]
BARE_FIRST = agent(call("a"))
BARE_SECOND = agent(call("b"))


@pytest.mark.parametrize("binding", ["none", "newest", "prefix"])
def test_b3_takes_what_did_not_change(binding: rules.Binding) -> None:
    assert rules.reasoning_breaches(LOOP, LOOP, binding) == []
    assert rules.reasoning_breaches([], [], binding) == []


@pytest.mark.parametrize("binding", ["none", "newest", "prefix"])
def test_b3_refuses_a_block_that_was_edited(binding: rules.Binding) -> None:
    for block in (thought("b", "3"), thought("c", "2"), {"reasoningContent": {"redactedContent": "x"}}):
        after = [*LOOP[:3], agent(block, call("b")), LOOP[4]]
        assert ("B3", 3) in found(rules.reasoning_breaches(LOOP, after, binding))


def test_b3_bound_to_the_newest_keeps_all_of_its_reasoning_and_lets_older_go() -> None:
    assert rules.reasoning_breaches(LOOP, [ASK, BARE_FIRST, *LOOP[2:]], "newest") == []
    assert found(rules.reasoning_breaches(LOOP, [*LOOP[:3], BARE_SECOND, LOOP[4]], "newest")) == [("B3", 3)]
    joined = [ASK, agent(thought("a", "1"), TEXT, *SECOND["content"]), LOOP[4]]
    assert rules.reasoning_breaches(LOOP, joined, "newest") == []
    assert found(rules.reasoning_breaches(LOOP, [ASK, agent(TEXT, call("b")), LOOP[4]], "newest")) == [("B3", 1)]


def test_b3_bound_to_the_newest_asks_nothing_once_it_left_or_was_never_there() -> None:
    check = rules.reasoning_breaches
    assert check(LOOP, [ASK, BARE_FIRST, LOOP[2]], "newest") == check(LOOP, [ASK], "newest") == []
    assert check([ASK], [ASK, agent(TEXT)], "newest") == []
    twice = [ASK, agent(thought("a", "1"), thought("b", "2"), TEXT)]
    assert check(twice, [ASK, agent(thought("a", "1"), {"text": "another"})], "newest") == []


def test_b3_bound_to_nothing_lets_any_reasoning_go() -> None:
    assert rules.reasoning_breaches(LOOP, [*LOOP[:3], BARE_SECOND, LOOP[4]], "none") == []
    assert rules.reasoning_breaches(LOOP, [ASK, BARE_FIRST, *LOOP[2:]], "none") == []


def test_b3_bound_to_all_before_it_lets_none_stand_behind_a_change() -> None:
    changed = [user({"text": "other"}), *LOOP[1:]]
    assert found(rules.reasoning_breaches(LOOP, changed, "prefix")) == [("B3", 1), ("B3", 3)]
    assert found(rules.reasoning_breaches(LOOP, [ASK, BARE_FIRST, *LOOP[2:]], "prefix")) == [("B3", 3)]
    bare = [ASK, BARE_FIRST, LOOP[2], BARE_SECOND, LOOP[4]]
    assert found(rules.reasoning_breaches(LOOP, bare, "prefix")) == [("B3", 3)], "the newest keeps its own"
    closed = [user({"text": "go on"})]
    assert rules.reasoning_breaches([*LOOP, *closed], [*bare, *closed], "prefix") == []
    assert rules.reasoning_breaches(LOOP, LOOP[:3], "prefix") == []
    assert rules.reasoning_breaches(LOOP[:3], [*LOOP[:3], agent(thought("a", "1"), TEXT)], "prefix") == []


# The request as a whole ----------------------------------------------------------------------

EDIT = {"context_management": {"edits": [{"type": "compact_20260112"}]}}


@pytest.mark.parametrize(
    "fields",
    [
        EDIT,
        {"compaction": {"type": "summarize"}},
        {"anthropic_beta": ["compact-2026-01-12"]},
        {"anthropic_beta": ["interleaved-thinking-2025-05-14", "compact-2026-09-04"]},
    ],
)
def test_b4_refuses_both_mechanisms_of_compaction_wherever_they_are_asked_for(fields: dict[str, JSON]) -> None:
    for body in ({"messages": [ASK], **fields}, {"messages": [ASK], "additionalModelRequestFields": fields}):
        assert found(rules.no_compaction_asked([ASK], body)) == [("B4", -1)]
        assert found(rules.request_breaches(body)) == [("B4", -1)]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"compaction": None, "context_management": None, "anthropic_beta": None},
        {"context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]}},
        {"context_management": {"edits": ["compact_20260112"]}},
        {"context_management": {"edits": "compact_20260112"}},
        {"context_management": ["compact_20260112"]},
        {"anthropic_beta": ["context-management-2025-06-27", 7]},
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    ],
)
def test_b4_takes_everything_else_that_the_model_itself_understands(fields: JSON) -> None:
    for body in ({"messages": [ASK], **fields}, {"messages": [ASK], "additionalModelRequestFields": fields}):
        assert rules.request_breaches(body) == []
    assert rules.request_breaches({"messages": [ASK], "additionalModelRequestFields": "compaction"}) == []


@pytest.mark.parametrize("key", ["toolConfig", "modelId", "inferenceConfig", "additionalModelRequestFields"])
def test_a_request_says_whether_it_declares_tools_and_a_bare_holder_of_messages_does_not(key: str) -> None:
    messages = [ASK, agent(call()), user(result())]
    assert found(rules.request_breaches({"messages": messages, key: {}})) == [("B-tools", 1)]
    declared = {"messages": messages, "toolConfig": {"tools": [{"toolSpec": {"name": "read"}}]}}
    assert rules.request_breaches({key: {}, **declared}) == []
    assert rules.request_breaches({"messages": messages, "session": "s"}) == []


def test_a_rule_that_cannot_be_asked_is_not_asked() -> None:
    assert rules.breaches([ASK, SAID]) == rules.breaches([ASK, agent(call())]) == []
    asked = [rule for rule, _ in rules.checks([ASK])]
    assert asked == list(rules.RULES)
    assert rules.tools_declared in [rule for rule, _ in rules.checks([ASK], tools=True)]


def test_a_request_without_messages_is_refused() -> None:
    assert found(rules.request_breaches({"messages": "x"})) == found(rules.request_breaches({})) == [("B-role", -1)]
