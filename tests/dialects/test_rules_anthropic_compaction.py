"""The Messages API's rules on its own compaction and editing refuse what they must refuse, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import anthropic_compaction_rules as rules
from cenotaph.dialects.anthropic_rules import breaches, first_is_user, request_breaches

SIGNED: dict[str, JSON] = {"type": "compaction", "content": "what was", "signature": "s", "encrypted_content": "e"}
WRITTEN: dict[str, JSON] = {"type": "compaction", "content": "what was", "encrypted_content": "e"}
CALL: JSON = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
RESULT: JSON = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}


def text(words: str = "words") -> JSON:
    return {"type": "text", "text": words}


def think(words: str = "hm") -> JSON:
    return {"type": "thinking", "thinking": words, "signature": "sig-" + words}


def user(*blocks: JSON) -> JSON:
    return {"role": "user", "content": list(blocks) or "go"}


def agent(*blocks: JSON) -> JSON:
    return {"role": "assistant", "content": list(blocks) or "done"}


SYSTEM: JSON = {"role": "system", "content": "be brief"}


def body(*messages: JSON, **fields: Any) -> dict[str, JSON]:
    return {"model": "claude-sonnet-4-5", "messages": list(messages) or [user()], "tools": [{"name": "Read"}], **fields}


def edits(*listed: JSON, **fields: JSON) -> dict[str, JSON]:
    return body(context_management={"edits": list(listed)}, **fields)


def tokens(value: JSON) -> JSON:
    return {"type": "input_tokens", "value": value}


def uses(value: JSON) -> JSON:
    return {"type": "tool_uses", "value": value}


def found(breaches: list[Breach]) -> list[tuple[str, int]]:
    return [(breach.rule, breach.message) for breach in breaches]


# A9 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["", 7, ["x"]])
def test_a9_refuses_a_compaction_block_whose_content_is_neither_text_nor_null(content: JSON) -> None:
    block = {"type": "compaction", "content": content}
    assert found(rules.compaction_content([user(), agent(block)])) == [("A9", 1)]
    kept = [{"type": "compaction", "content": "s"}, {"type": "compaction", "content": None}, text("")]
    assert rules.compaction_content([agent(*kept)]) == []


@pytest.mark.parametrize("change", [{"content": "t"}, {"encrypted_content": "f"}, {"signature": None}, {"extra": 1}])
def test_a9_refuses_a_compaction_block_that_came_back_other_than_it_was(change: dict[str, JSON]) -> None:
    before = [user(), agent(SIGNED), user()]
    check = rules.compaction_blocks_unchanged
    assert check(before, before) == check(before, [user()]) == []
    assert found(check(before, [agent({**SIGNED, **change})])) == [("A9", 0)]
    assert found(check([user()], before)) == [("A9", 1)]
    assert check([user()], [agent(text())]) == []


@pytest.mark.parametrize(
    ("rule", "messages"),
    [
        ("A7", [agent(SIGNED), SYSTEM, agent(think(), text())]),
        ("A9", [user(), agent({"type": "compaction", "content": ""}), user()]),
        ("A10", [user(), agent(SIGNED), user()]),
    ],
)
def test_every_rule_on_messages_is_among_those_that_are_checked(rule: str, messages: list[JSON]) -> None:
    assert found(breaches(messages)) == [(rule, 1)]


# A10 -----------------------------------------------------------------------------------------


def test_a10_refuses_a_signed_summary_that_does_not_come_first() -> None:
    assert found(rules.summary_first([user(), agent(SIGNED), user()])) == [("A10", 1)]
    assert found(rules.summary_first([agent(text(), SIGNED), user()])) == [("A10", 0)]
    assert found(rules.summary_first([agent(SIGNED, SIGNED), user()])) == [("A10", 0)]


def test_a10_takes_a_signed_summary_at_the_front_and_one_of_a_threshold_anywhere() -> None:
    assert rules.summary_first([agent(SIGNED), user()]) == []
    assert rules.summary_first([user(), agent(text(), WRITTEN, text()), user()]) == []
    assert rules.summary_first([user(), agent({**WRITTEN, "signature": None})]) == []
    assert rules.summary_first([user(), agent({**think()})]) == []


def test_a_request_may_open_with_the_agents_summary_and_with_nothing_else_of_the_agents() -> None:
    assert breaches([agent(SIGNED), user()]) == []
    assert breaches([agent(WRITTEN, text()), user()]) == []
    assert found(first_is_user([agent(text(), WRITTEN)])) == [("A-first-user", 0)]
    assert found(first_is_user([{"role": "system", "content": [SIGNED]}])) == [("A-first-user", 0)]
    assert found(first_is_user([agent()])) == [("A-first-user", 0)]
    assert not rules.opens_with_summary(user(SIGNED))


@pytest.mark.parametrize("config", [{"type": "compact"}, {}, "summarize", []])
def test_a10_refuses_a_compaction_of_another_type(config: JSON) -> None:
    asked = body(compaction=config)
    assert found(rules.compaction_alone(asked["messages"], asked)) == [("A10", -1)]


def test_a10_refuses_a_compaction_beside_context_management() -> None:
    asked = body(compaction={"type": "summarize"}, context_management={"edits": []})
    assert found(rules.compaction_alone([user()], asked)) == [("A10", -1)]
    assert found(request_breaches(asked)) == [("A10", -1)]


def test_a10_takes_each_of_the_two_alone() -> None:
    check = rules.compaction_alone
    assert check([user()], body(compaction={"type": "summarize", "instructions": "short"})) == []
    assert check([user()], body(compaction={"type": "summarize"}, context_management=None)) == []
    assert check([user()], body(compaction=None, context_management={"edits": [{"type": "compact_20260112"}]})) == []
    assert check([user()], body()) == []


# A7 and A8 -----------------------------------------------------------------------------------


def test_a7_refuses_kept_reasoning_behind_a_system_message_that_follows_the_summary() -> None:
    check = rules.kept_turns_open
    assert found(check([agent(SIGNED), SYSTEM, agent(think(), text())])) == [("A7", 1)]
    assert found(breaches([agent(SIGNED), SYSTEM, agent(think(), text()), user()])) == [("A7", 1)]


def test_a7_takes_a_system_message_where_no_reasoning_was_kept_or_later_in_the_kept_turns() -> None:
    check = rules.kept_turns_open
    assert check([agent(SIGNED), SYSTEM, agent(text())]) == []
    assert check([agent(SIGNED), user(), SYSTEM, agent(think(), text())]) == []
    assert check([user(), SYSTEM, agent(think(), text())]) == []
    assert check([agent(SIGNED)]) == check([]) == []
    assert check([agent(WRITTEN, think(), text()), SYSTEM, user()]) == []


HISTORY = [user(), agent(think("a"), text()), user(text("next")), agent(think("b"), CALL), user(RESULT)]


def test_a7_takes_kept_turns_that_follow_the_summarised_ones_with_new_turns_behind_them() -> None:
    check = rules.kept_turns_valid
    assert check(HISTORY, [agent(SIGNED), *HISTORY[2:]]) == []
    assert check(HISTORY, [agent(SIGNED), *HISTORY[1:]]) == []
    assert check(HISTORY, [agent(SIGNED), *HISTORY[2:], agent(think("new"), text()), user()]) == []
    assert check(HISTORY, [agent(SIGNED), user(text("other"))]) == []
    assert check(HISTORY, [agent(SIGNED), HISTORY[2]]) == check([], [agent(SIGNED), user()]) == []
    told = [user(), agent(), user(text("next")), agent()]
    assert check(told, [agent(SIGNED), *told[2:]]) == []


def test_a7_speaks_only_of_what_stands_behind_a_summary() -> None:
    check = rules.kept_turns_valid
    assert check(HISTORY, HISTORY) == check(HISTORY, []) == []
    assert check(HISTORY, [user(), HISTORY[1]]) == []


def test_a7_refuses_reasoning_of_turns_that_were_changed_left_out_or_moved() -> None:
    check = rules.kept_turns_valid
    assert found(check(HISTORY, [agent(SIGNED), *HISTORY[3:4]])) == [("A7", 1)]
    assert found(check(HISTORY, [agent(SIGNED), user(text("edited")), *HISTORY[3:]])) == [("A7", 2)]
    assert found(check(HISTORY, [agent(SIGNED), user(), *HISTORY[2:]])) == [("A7", 3)]
    assert found(check(HISTORY, [agent(SIGNED), *HISTORY[2:], HISTORY[1], user()])) == [("A7", 2), ("A7", 4)]
    assert found(check(HISTORY[:4], [agent(SIGNED), *HISTORY[:4]])) == [("A7", 2), ("A7", 4)]


def test_a7_refuses_kept_turns_once_the_head_changed() -> None:
    assert found(rules.kept_turns_valid(HISTORY, [agent(SIGNED), *HISTORY[2:]], head_changed=True)) == [("A7", 2)]
    assert rules.kept_turns_valid(HISTORY, [agent(SIGNED), user()], head_changed=True) == []


def test_a7_refuses_a_first_kept_message_that_the_api_would_merge_with_the_last_summarised_one() -> None:
    check = rules.kept_turns_valid
    two = [user(), user(text("and")), agent(think("a"), text())]
    assert found(check(two, [agent(SIGNED), *two[1:]])) == [("A7", 2)]
    assert check(two, [agent(SIGNED), *two[2:]]) == []
    told = [user(), SYSTEM, agent(think("a"), text())]
    assert found(check(told, [agent(SIGNED), *told[1:]])) == [("A7", 2)]


def test_a8_refuses_a_compaction_request_that_ends_in_an_open_call() -> None:
    asked = body(user(), agent(CALL), compaction={"type": "summarize"})
    assert found(rules.compaction_closed(asked["messages"], asked)) == [("A8", 1)]
    assert found(request_breaches(asked)) == [("A8", 1)]


def test_a8_takes_closed_calls_open_calls_of_other_requests_and_a_final_agent_message() -> None:
    check = rules.compaction_closed
    asking = {"compaction": {"type": "summarize"}}
    assert check([user(), agent(CALL), user(RESULT)], asking) == []
    assert check([user(), agent(text())], asking) == []
    assert check([user(), agent(CALL)], {"compaction": None}) == check([user(), agent(CALL)], {}) == []
    assert check([], asking) == []


# A11 and A12 ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "field",
    [
        {"trigger": tokens(49_999)},
        {"trigger": tokens("150000")},
        {"trigger": tokens(True)},
        {"trigger": uses(60_000)},
        {"trigger": 60_000},
        {"trigger": {"type": "input_tokens"}},
        {"instructions": 7},
        {"pause_after_compaction": "yes"},
        {"pause_after_compaction": None},
    ],
)
def test_a11_refuses_settings_of_a_threshold(field: dict[str, JSON]) -> None:
    asked = edits({"type": "compact_20260112", **field})
    assert found(rules.threshold_settings([user()], asked)) == [("A11", -1)]
    assert found(request_breaches(asked)) == [("A11", -1)]


@pytest.mark.parametrize(
    "field",
    [
        {},
        {"trigger": None, "instructions": None},
        {"trigger": tokens(50_000), "instructions": "short", "pause_after_compaction": True},
    ],
)
def test_a11_takes_what_is_left_out_and_the_least_trigger(field: dict[str, JSON]) -> None:
    assert request_breaches(edits({"type": "compact_20260112", **field})) == []


@pytest.mark.parametrize(
    "field",
    [
        {"trigger": {"type": "turns", "value": 3}},
        {"trigger": tokens(-1)},
        {"keep": tokens(3)},
        {"keep": 3},
        {"keep": uses(True)},
        {"clear_at_least": uses(3)},
        {"exclude_tools": "Read"},
        {"exclude_tools": ["Read", 7]},
        {"clear_tool_inputs": 1},
        {"clear_tool_inputs": [7]},
    ],
)
def test_a12_refuses_settings_of_clearing(field: dict[str, JSON]) -> None:
    asked = edits({"type": "clear_tool_uses_20250919", **field})
    assert found(rules.clearing_settings([user()], asked)) == [("A12", -1)]
    assert found(request_breaches(asked)) == [("A12", -1)]


@pytest.mark.parametrize(
    "field",
    [
        {},
        {"trigger": tokens(0), "keep": uses(0), "clear_at_least": tokens(1), "exclude_tools": ["Read"]},
        {"trigger": uses(1), "exclude_tools": [], "clear_tool_inputs": False},
        {"clear_tool_inputs": ["Read"], "clear_at_least": None},
    ],
)
def test_a12_takes_what_is_left_out_and_every_unit_of_the_api(field: dict[str, JSON]) -> None:
    assert request_breaches(edits({"type": "clear_tool_uses_20250919", **field})) == []


def test_every_edit_of_a_type_is_looked_at_and_unknown_types_are_passed_over() -> None:
    bad = {"type": "clear_tool_uses_20250919", "keep": 3}
    later = {"type": "clear_everything_20270101", "keep": 3}
    assert found(request_breaches(edits(bad, later, {"type": "compact_20260112", "trigger": 1}, bad))) == [
        ("A11", -1),
        ("A12", -1),
        ("A12", -1),
    ]


def test_the_thinking_edit_stands_first() -> None:
    thinking, tools = {"type": "clear_thinking_20251015", "keep": "all"}, {"type": "clear_tool_uses_20250919"}
    assert found(request_breaches(edits(tools, thinking))) == [("A-edit-order", -1)]
    assert request_breaches(edits(thinking, tools)) == request_breaches(edits(thinking)) == []


@pytest.mark.parametrize("odd", [None, 7, {}, {"edits": None}, {"edits": 7}, {"edits": ["x", None]}])
def test_what_is_no_list_of_edits_is_passed_over(odd: JSON) -> None:
    assert request_breaches(body(context_management=odd)) == []


# Betas ---------------------------------------------------------------------------------------

MECHANISMS = [
    ("A10", {"compaction": {"type": "summarize"}}, "compact-2026-09-04"),
    ("A11", {"context_management": {"edits": [{"type": "compact_20260112"}]}}, "compact-2026-01-12"),
    ("A12", {"context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]}}, "context-management-2025-06-27"),
]


@pytest.mark.parametrize(("rule", "fields", "beta"), MECHANISMS)
@pytest.mark.parametrize("key", ["betas", "anthropic_beta"])
def test_a_mechanism_needs_its_beta_where_the_body_names_its_betas(
    rule: str, fields: dict[str, JSON], beta: str, key: str
) -> None:
    others: tuple[JSON, ...] = ([], ["files-api-2025-04-14"], "files-api-2025-04-14", [7])
    for named in others:
        assert found(request_breaches(body(**fields, **{key: named}))) == [(rule, -1)]
    with_it: tuple[JSON, ...] = ([beta], ["x", beta], f"x, {beta}", None)
    for named in with_it:
        assert request_breaches(body(**fields, **{key: named})) == []
    assert request_breaches(body(**{key: []})) == []
