"""Each rule of the Messages API refuses what it must refuse, and nothing else."""

from __future__ import annotations

import pytest

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import anthropic_rules as rules
from cenotaph.dialects.rule_text import text_of
from cenotaph.limits import anthropic_body_bytes_max
from cenotaph.testing.strategies import generate, generate_request

CACHED: dict[str, JSON] = {"cache_control": {"type": "ephemeral"}}


def text(words: str = "words", **fields: JSON) -> JSON:
    return {"type": "text", "text": words, **fields}


def call(call_id: str = "t1", **fields: JSON) -> JSON:
    return {"type": "tool_use", "id": call_id, "name": "Read", "input": {}, **fields}


def result(call_id: str = "t1", content: JSON = "ok", **fields: JSON) -> JSON:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def server(call_id: str = "s1", name: str = "server_tool_use") -> JSON:
    return {"type": name, "id": call_id, "name": "search", "input": {}}


def served(call_id: str = "s1", name: str = "web_search_tool_result") -> JSON:
    return {"type": name, "tool_use_id": call_id, "content": []}


def scripted(call_id: str, caller: str) -> JSON:
    return call(call_id, caller={"type": "code_execution_20250825", "tool_id": caller})


def think(words: str = "hm") -> JSON:
    return {"type": "thinking", "thinking": words, "signature": "sig-" + words}


REDACTED: JSON = {"type": "redacted_thinking", "data": "x"}


def user(*blocks: JSON) -> JSON:
    return {"role": "user", "content": list(blocks) or "go"}


def agent(*blocks: JSON) -> JSON:
    return {"role": "assistant", "content": list(blocks) or "done"}


def found(breaches: list[Breach]) -> list[tuple[str, int]]:
    return [(breach.rule, breach.message) for breach in breaches]


# Calls and results ---------------------------------------------------------------------------


def test_a1_refuses_a_call_whose_result_is_not_in_the_very_next_message() -> None:
    check = rules.calls_answered_next
    assert found(check([user(), agent(call()), user(), user(result())])) == [("A1", 1)]
    assert found(check([agent(call(), call("t2")), user(result("t2"))])) == [("A1", 0)]
    assert found(check([agent(call()), agent(text()), user(result())])) == [("A1", 0)]
    assert found(check([agent(call()), {"role": "assistant", "content": [result()]}])) == [("A1", 0)]
    assert found(check([agent(call()), user(result(), result())])) == [("A1", 0)]


def test_a1_takes_answered_calls_in_any_order_and_calls_that_nothing_follows_yet() -> None:
    check = rules.calls_answered_next
    assert check([agent(call(), call("t2")), user(result("t2"), result())]) == []
    assert check([user(), agent(call())]) == []
    assert check([user(call()), user()]) == []
    assert check([]) == []


def test_a2_refuses_anything_before_a_result() -> None:
    check = rules.results_come_first
    assert found(check([user(text(), result())])) == [("A2", 0)]
    assert found(check([user(result(), text(), result("t2"))])) == [("A2", 0)]
    assert check([user(result(), result("t2"), text(), text())]) == []
    assert check([user(text(), text())]) == []


def test_a3_refuses_a_result_whose_call_is_not_in_the_message_before() -> None:
    check = rules.results_have_calls
    assert found(check([user(result())])) == [("A3", 0)]
    assert found(check([agent(call()), user(result()), user(result())])) == [("A3", 2)]
    assert found(check([agent(call("t2")), user(result(), result("t2"))])) == [("A3", 1)]
    assert found(check([user(call()), user(result())])) == [("A3", 1)]
    assert found(check([user(result()), agent(call())])) == [("A3", 0)]
    assert check([agent(call()), user(result())]) == []


def test_a4_refuses_tool_blocks_only_where_no_tools_are_known_to_be_declared() -> None:
    check = rules.tools_declared
    messages = [user(), agent(call()), user(result())]
    assert found(check(messages, False)) == [("A4", 1)]
    assert found(check(messages[2:], False)) == [("A4", 0)]
    assert check(messages, None) == check(messages, True) == []
    assert check([user(text()), agent(text())], False) == []


def test_a_call_id_may_not_be_used_again() -> None:
    check = rules.call_ids_unique
    again = [agent(call()), user(result()), agent(call())]
    assert found(check(again)) == [("A-unique-id", 2)]
    assert found(check([agent(call(), call())])) == [("A-unique-id", 0)]
    assert found(check([agent(server("t1"), call())])) == [("A-unique-id", 0)]
    assert check([agent(call(), call("t2"), server())]) == []


@pytest.mark.parametrize("name", ["server_tool_use", "mcp_tool_use"])
def test_a_server_call_has_its_result_later_in_the_same_message(name: str) -> None:
    check = rules.server_calls_closed
    assert check([agent(server(name=name), served(), text()), user()]) == []
    assert found(check([agent(server(name=name), text()), user()])) == [("A-server-pair", 0)]
    assert found(check([agent(served(), server(name=name)), user()])) == [("A-server-pair", 0)] * 2
    assert found(check([agent(served(name="mcp_tool_result"), text())])) == [("A-server-pair", 0)]
    assert found(check([agent(server(name=name), served(), served())])) == [("A-server-pair", 0)]
    assert found(check([agent(server(name=name)), agent(served())])) == [
        ("A-server-pair", 0),
        ("A-server-pair", 1),
    ]


def test_a_server_block_in_a_users_message_opens_and_closes_nothing() -> None:
    assert rules.server_calls_closed([user(server(), text()), user()]) == []
    assert rules.server_calls_closed([user(served(), text()), user()]) == []


def test_a_paused_final_message_may_end_in_a_server_call() -> None:
    assert rules.server_calls_closed([user(), agent(server())]) == []


def test_a_clients_call_from_server_code_lets_its_result_come_in_a_later_message() -> None:
    check = rules.server_calls_closed
    opening = [agent(server(), scripted("t1", "s1")), user(result())]
    closing = agent(served(name="code_execution_tool_result"), text())
    assert check([*opening, closing]) == []
    assert check([*opening, agent(scripted("t2", "s1")), user(result("t2")), closing]) == []
    assert check(opening) == []
    assert found(check([*opening, agent(text()), user(text())])) == [("A-server-pair", 0)]
    assert found(check([opening[0], user(result(), text()), closing])) == [
        ("A-server-pair", 0),
        ("A-server-pair", 2),
    ]
    assert found(check([opening[0], user(), closing])) == [("A-server-pair", 0), ("A-server-pair", 2)]
    apart = [agent(call("t2")), user(result("t2"))]
    assert check([*opening, *apart, closing]) == []
    assert found(check([agent(server(), call(caller={"type": "direct"})), user(result())])) == [
        ("A-server-pair", 0)
    ]


def test_a_caller_must_stand_before_the_call_that_names_it() -> None:
    check = rules.callers_present
    assert check([agent(server(), scripted("t1", "s1")), user(result()), agent(scripted("t2", "s1"))]) == []
    assert found(check([agent(scripted("t1", "s1"))])) == [("A-caller", 0)]
    assert found(check([agent(scripted("t1", "s1")), user(result()), agent(server())])) == [("A-caller", 0)]
    assert check([agent(call(caller={"type": "direct"}))]) == []


# Shapes --------------------------------------------------------------------------------------


def test_the_first_message_is_a_users() -> None:
    assert found(rules.first_is_user([agent(), user()])) == [("A-first-user", 0)]
    assert rules.first_is_user([user(), agent()]) == rules.first_is_user([]) == []
    summary: JSON = {"type": "compaction", "content": "what was"}
    assert rules.first_is_user([agent(summary, text()), user()]) == []
    assert found(rules.first_is_user([agent(text()), user(), agent(summary)])) == [("A-first-user", 0)]


@pytest.mark.parametrize("message", [{"role": "tool", "content": "x"}, {"content": "x"}, "x", {"role": 1}])
def test_a_role_must_be_one_of_the_apis(message: JSON) -> None:
    assert found(rules.roles_known([user(), message])) == [("A-role", 1)]
    assert rules.roles_known([user(), agent(), {"role": "system", "content": "x"}]) == []


@pytest.mark.parametrize("block", [call(), server(), server(name="mcp_tool_use"), served(), think(), REDACTED])
def test_what_an_agent_produced_stands_in_an_agents_message(block: JSON) -> None:
    assert found(rules.blocks_in_place([agent(block), user(block)])) == [("A-block-role", 1)]


def test_a_result_stands_in_a_users_message() -> None:
    assert found(rules.blocks_in_place([user(result()), agent(result())])) == [("A-block-role", 1)]
    assert rules.blocks_in_place([user(text()), agent(text())]) == []


@pytest.mark.parametrize("content", ["", " \n", None, []])
def test_only_a_final_agent_message_may_be_empty(content: JSON) -> None:
    empty = {"role": "assistant", "content": content}
    assert found(rules.content_not_empty([user(), empty, user()])) == [("A-empty-content", 1)]
    assert rules.content_not_empty([user(), empty]) == []
    assert found(rules.content_not_empty([{"role": "user", "content": content}])) == [("A-empty-content", 0)]
    assert rules.content_not_empty([user(), agent(text())]) == []


@pytest.mark.parametrize("words", ["", "  ", "\n"])
def test_no_text_block_is_blank(words: str) -> None:
    assert found(rules.text_not_blank([user(text()), agent(text(), text(words))])) == [("A-empty-text", 1)]


def test_no_text_block_inside_a_result_is_empty() -> None:
    assert found(rules.text_not_blank([user(result(content=[text(), text("")]))])) == [("A-empty-text", 0)]
    assert rules.text_not_blank([user(result(content=[{"type": "image", "text": ""}]))]) == []
    assert rules.text_not_blank([user(result(content=[text(" ")]), result(content=""), text())]) == []
    assert rules.text_not_blank([user({"type": "search_result", "content": [text("")]})]) == []


def test_an_agent_message_does_not_end_in_reasoning() -> None:
    check = rules.thinking_not_last
    assert found(check([user(), agent(text(), think())])) == [("A-final-thinking", 1)]
    assert found(check([agent({"type": "redacted_thinking", "data": "x"})])) == [("A-final-thinking", 0)]
    assert check([agent(think(), text()), agent(), user(think())]) == []


# The request as a whole ----------------------------------------------------------------------


def test_a13_refuses_a_fifth_cache_breakpoint_wherever_it_stands() -> None:
    check = rules.cache_breakpoints
    four = [
        user(text(**CACHED), result(**CACHED), text(cache_control=None)),
        agent(call(**CACHED), text(**CACHED)),
    ]
    assert check(four) == []
    assert found(check([*four, user(text(**CACHED))])) == [("A13", -1)]
    assert found(check([*four, user(result(content=[text(**CACHED)]))])) == [("A13", -1)]
    assert check([*four, user({"type": "search_result", "content": [text(**CACHED)]})]) == []
    assert check(four, {"system": "s", "tools": [{"name": "a"}], "cache_control": None}) == []
    assert found(check(four, {"system": [text(**CACHED)]})) == [("A13", -1)]
    assert found(check(four, {"tools": [{"name": "a", **CACHED}]})) == [("A13", -1)]
    assert found(check(four, CACHED)) == [("A13", -1)]


HOUR: dict[str, JSON] = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
MINUTES: dict[str, JSON] = {"cache_control": {"type": "ephemeral", "ttl": "5m"}}


def test_a13_refuses_an_hour_behind_five_minutes_from_tools_over_system_to_messages() -> None:
    check = rules.cache_lives_fall
    assert found(check([user(text(**CACHED), text(**HOUR))])) == [("A13", -1)]
    assert found(check([user(text(**MINUTES)), agent(text(**HOUR))])) == [("A13", -1)]
    assert found(check([user(text(**HOUR))], {"system": [text(**CACHED)]})) == [("A13", -1)]
    assert found(check([], {"system": [text(**HOUR)], "tools": [{"name": "a", **CACHED}]})) == [("A13", -1)]
    assert found(check([user(text(**CACHED))], HOUR)) == [("A13", -1)]
    assert found(check([user(result(content=[text(**CACHED)], **HOUR))])) == [("A13", -1)]


def test_a13_takes_an_hour_before_five_minutes_and_any_number_of_one_kind() -> None:
    check = rules.cache_lives_fall
    assert check([user(text(**HOUR), text(**HOUR), text(**CACHED), text(**MINUTES))], CACHED) == []
    assert check([user(text(**CACHED))], {"system": [text(**HOUR)], "tools": [{"name": "a", **HOUR}]}) == []
    assert check([user(result(content=[text(**HOUR)], **CACHED))], {"cache_control": None}) == []
    assert check([user(text(cache_control="odd"), text(**HOUR))]) == check([]) == []


def test_a14_refuses_a_body_of_more_than_32_megabytes_and_counts_bytes_not_characters() -> None:
    frame = len('{"messages":[{"role":"user","content":""}]}')
    full = [user()]
    full[0]["content"] = "x" * (anthropic_body_bytes_max - frame)
    assert rules.body_size(full) == []
    full[0]["content"] += "x"
    assert found(rules.body_size(full)) == [("A14", -1)]
    full[0]["content"] = "ü" * (anthropic_body_bytes_max // 2)
    assert found(rules.body_size(full)) == [("A14", -1)]
    assert found(rules.body_size([], {"system": "x" * anthropic_body_bytes_max})) == [("A14", -1)]


def test_a15_asks_for_a_user_at_the_end_only_of_models_without_prefill() -> None:
    assert found(rules.ends_in_user([user(), agent()])) == [("A15", 1)]
    assert found(rules.ends_in_user([])) == [("A15", -1)]
    assert found(rules.breaches([user(), agent()], prefill=False)) == [("A15", 1)]
    assert rules.breaches([user(), agent()]) == []
    assert rules.breaches([user()], prefill=False) == []


@pytest.mark.parametrize(
    "model",
    ["claude-opus-4-6", "claude-sonnet-4-10", "claude-opus-5", "claude-fable-5-1", "us.anthropic.claude-opus-4-7-v1:0"],
)
def test_a15_holds_for_a_request_to_a_model_that_takes_no_prefill(model: str) -> None:
    body = {"model": model, "messages": [user(), agent()]}
    assert found(rules.request_breaches(body)) == [("A15", 1)]
    assert rules.request_breaches(body, prefill=True) == []
    assert rules.request_breaches({**body, "messages": [user(), agent(), user()]}) == []
    assert rules.request_breaches({**body, "compaction": {"type": "summarize"}}) == []


@pytest.mark.parametrize(
    "model",
    ["claude-opus-4-5-20251101", "claude-opus-4-20250514", "claude-3-7-sonnet-20250219", "claude-x", "other", None, 7],
)
def test_a15_is_not_asked_of_older_models_and_of_names_that_do_not_say(model: JSON) -> None:
    assert rules.request_breaches({"model": model, "messages": [user(), agent()]}) == []


def test_a_bare_holder_of_messages_declares_nothing_about_tools() -> None:
    messages = [user(), agent(call()), user(result())]
    assert rules.request_breaches({"messages": messages, "session_id": "s"}) == []
    for key in ("model", "max_tokens", "tools"):
        assert found(rules.request_breaches({"messages": messages, key: None})) == [("A4", 1)]


def test_what_is_known_of_tools_is_asked_and_what_is_not_known_is_not() -> None:
    messages = [user(), agent(call()), user(result())]
    assert found(rules.breaches(messages, tools=False)) == [("A4", 1)]
    assert rules.breaches(messages, tools=True) == rules.breaches(messages) == []
    assert [rule for rule, _ in rules.checks(messages)] == [*rules.RULES, *rules.WHOLE_RULES]


def test_a_request_is_also_checked_for_what_it_asks_of_the_api() -> None:
    body = {"messages": [user()], "compaction": {"type": "summarize"}, "context_management": {"edits": []}}
    assert found(rules.request_breaches(body)) == [("A10", -1)]


def test_a_request_is_checked_with_its_tools_and_all_its_breakpoints() -> None:
    body = {"messages": [user(), agent(call()), user(result(**CACHED))], "tools": [{"name": "Read"}]}
    assert rules.request_breaches(body) == []
    assert found(rules.request_breaches({**body, "tools": []})) == [("A4", 1)]
    five = [{"name": str(n), **CACHED} for n in range(4)]
    assert found(rules.request_breaches({**body, "tools": five})) == [("A13", -1)]
    assert found(rules.request_breaches({"messages": [user(), agent()]}, prefill=False)) == [("A15", 1)]
    assert found(rules.request_breaches({"messages": "x"})) == [("A-role", -1)]


@pytest.mark.parametrize(
    ("rule", "messages"),
    [
        ("A1", [user(), agent(call()), user()]),
        ("A2", [user(), agent(call()), user(text(), result())]),
        ("A3", [user(), user(result())]),
        ("A9", [user(), agent({"type": "compaction", "content": ""}), user()]),
        ("A13", [user(*[text(**CACHED)] * 5)]),
        ("A13", [user(text(**CACHED), text(**HOUR))]),
        ("A14", [user(text("x" * anthropic_body_bytes_max))]),
        ("A-unique-id", [user(), agent(call(), call()), user(result())]),
        ("A-server-pair", [user(), agent(server(), text()), user()]),
        ("A-caller", [user(), agent(scripted("t1", "s1"))]),
        ("A-first-user", [agent()]),
        ("A-role", [user(), {"role": "tool", "content": "x"}]),
        ("A-block-role", [user(think(), text())]),
        ("A-empty-content", [user(), agent(), {"role": "user", "content": ""}]),
        ("A-empty-text", [user(text(""))]),
        ("A-final-thinking", [user(), agent(think())]),
    ],
)
def test_every_rule_is_among_those_that_are_checked(rule: str, messages: list[JSON]) -> None:
    assert rule in {breach.rule for breach in rules.breaches(messages)}


@pytest.mark.parametrize(
    "odd", [None, 7, "x", [], {}, {"role": "user"}, {"role": "user", "content": [None, 3]}]
)
def test_an_odd_value_is_a_breach_and_never_an_exception(odd: JSON) -> None:
    assert rules.breaches([user(), odd, user()]) or odd == {"role": "user", "content": [None, 3]}


@pytest.mark.parametrize("size", [0, 3, 12])
def test_what_is_generated_for_2000_seeds_breaks_no_rule(size: int) -> None:
    bad = {
        seed: b
        for seed in range(2_000)
        if (b := rules.breaches(generate("anthropic", seed, size), tools=True))
    }
    assert bad == {}


def test_a_generated_request_breaks_no_rule_even_with_300_calls() -> None:
    bodies = [generate_request("anthropic", seed, 300) for seed in range(20)]
    assert [rules.request_breaches(body) for body in bodies] == [[]] * 20
    assert max(sum(len(m["content"]) > 0 for m in body["messages"]) for body in bodies) > 200


# Before and after a cut ----------------------------------------------------------------------

HISTORY = [
    user(),
    agent(think("1"), call("a")),
    user(result("a", content="long")),
    agent(think("2"), think("3"), call("b")),
    user(result("b")),
]
CLOSED = [*HISTORY[:3], agent(think("2"), text()), user()]
CUT = user(result("a", content="[EVICTED:tool_result@t1.1:recover=NO]"))


@pytest.mark.parametrize("binding", ["none", "newest", "prefix"])
def test_what_was_not_cut_breaks_no_rule_on_reasoning(binding: rules.Binding) -> None:
    assert rules.thinking_breaches(HISTORY, HISTORY, binding) == []
    assert rules.thinking_breaches(CLOSED, CLOSED, binding) == []
    assert rules.thinking_breaches([], [], binding) == []


@pytest.mark.parametrize("binding", ["none", "newest"])
def test_under_newest_the_newest_agent_message_keeps_its_reasoning_and_the_rest_may_go(
    binding: rules.Binding,
) -> None:
    after = [HISTORY[0], agent(call("a")), CUT, *HISTORY[3:]]
    assert rules.thinking_breaches(HISTORY, after, binding) == []


@pytest.mark.parametrize(
    "blocks",
    [
        [call("b")],
        [think("2"), call("b")],
        [think("3"), think("2"), call("b")],
        [think("1"), think("2"), think("3"), call("b")],
        [think("1"), call("b")],
    ],
)
def test_a5_refuses_reasoning_of_the_newest_agent_message_that_is_not_as_returned(blocks: list[JSON]) -> None:
    after = [*HISTORY[:3], agent(*blocks), HISTORY[4]]
    assert found(rules.thinking_breaches(HISTORY, after, "newest")) == [("A5", 3)]
    assert rules.thinking_breaches(HISTORY, after, "none") == []


def test_a5_holds_under_newest_when_the_loop_is_closed_too() -> None:
    after = [*CLOSED[:2], CUT, agent(text()), user()]
    assert found(rules.thinking_breaches(CLOSED, after, "newest")) == [("A5", 3)]


@pytest.mark.parametrize("binding", ["none", "newest", "prefix"])
def test_a_reasoning_block_is_whole_or_gone_under_every_binding(binding: rules.Binding) -> None:
    edited = {**think("1"), "thinking": "shorter"}
    after = [HISTORY[0], agent(edited, call("a")), *HISTORY[2:]]
    assert ("A5", 1) in found(rules.thinking_breaches(HISTORY, after, binding))


def test_a_newest_agent_message_that_left_whole_modified_nothing() -> None:
    assert rules.thinking_breaches(HISTORY, [*HISTORY[:3]], "newest") == []
    assert rules.thinking_breaches(HISTORY, [user(), agent(call("a")), HISTORY[2]], "newest") == []
    assert rules.thinking_breaches(HISTORY, [user()], "newest") == []
    assert rules.thinking_breaches(HISTORY[:1], HISTORY[:1], "newest") == []


def test_a_message_that_became_the_newest_has_its_reasoning_whole_or_not_at_all() -> None:
    history = [user(), agent(think("1"), think("2"), call("a")), user(result("a")), agent(text()), user()]
    after = [user(), agent(think("2"), call("a")), user(result("a"))]
    assert found(rules.thinking_breaches(history, after, "newest")) == [("A5", 1)]


def test_a6_refuses_every_reasoning_block_after_the_first_change() -> None:
    after = [*HISTORY[:2], CUT, *HISTORY[3:]]
    assert found(rules.thinking_breaches(HISTORY, after, "prefix")) == [("A6", 3)]
    first = [user(text("other")), *HISTORY[1:]]
    assert found(rules.thinking_breaches(HISTORY, first, "prefix")) == [("A6", 1), ("A6", 3)]
    gone = [HISTORY[0], *HISTORY[3:]]
    assert found(rules.thinking_breaches(HISTORY, gone, "prefix")) == [("A6", 1)]


def test_a6_keeps_reasoning_before_the_first_change_even_inside_the_changed_message() -> None:
    history = [user(), agent(think("1"), text("a"), text("b")), user()]
    assert rules.thinking_breaches(history, [user(), agent(think("1"), text("a")), user()], "prefix") == []
    assert (
        rules.thinking_breaches(history, [user(), agent(think("1"), text("c"), text("b")), user()], "prefix")
        == []
    )
    mixed = [user(), agent(text("a"), think("1"), text("b"), think("2"), text("c")), user()]
    kept = [user(), agent(text("a"), think("1"), text("x"), think("2"), text("c")), user()]
    assert found(rules.thinking_breaches(mixed, kept, "prefix")) == [("A6", 1)]


def test_under_prefix_a_closed_loop_drops_all_reasoning_after_the_change_and_an_open_one_cannot() -> None:
    closed = [*CLOSED[:2], CUT, agent(text()), user()]
    assert rules.thinking_breaches(CLOSED, closed, "prefix") == []
    open_loop = [*HISTORY[:2], CUT, agent(call("b")), HISTORY[4]]
    assert found(rules.thinking_breaches(HISTORY, open_loop, "prefix")) == [("A5", 3)]
    person = [*HISTORY[:4], user(result("b"), text("wait"))]
    assert rules.thinking_breaches(person, [*open_loop[:4], person[4]], "prefix") == []
    spoken = [*HISTORY, user()]
    assert rules.thinking_breaches(spoken, [*open_loop, user()], "prefix") == []


def test_under_prefix_nothing_may_drop_reasoning_where_nothing_changed_before_it() -> None:
    changed_head = [*HISTORY[:3], agent(think("2"), think("3"), call("b")), HISTORY[4]]
    assert found(rules.thinking_breaches(HISTORY, changed_head, "prefix", head_changed=True)) == [
        ("A6", 1),
        ("A6", 3),
    ]
    bare = [user(), agent(text()), user()]
    assert rules.thinking_breaches(bare, bare, "prefix", head_changed=True) == []
    dropped = [user(), agent(text("answer")), user()]
    signed = [user(), agent(think("1"), text("answer")), user()]
    assert rules.thinking_breaches(signed, dropped, "prefix", head_changed=True) == []


def test_under_prefix_a_shorter_or_longer_tail_changes_nothing_before_it() -> None:
    assert rules.thinking_breaches(HISTORY, HISTORY[:3], "prefix") == []
    assert rules.thinking_breaches(HISTORY, [*HISTORY, agent(text()), user()], "prefix") == []


def test_a_conversation_that_opens_with_the_agent_is_checked_from_its_first_block() -> None:
    opened = [agent(think("0"), text()), user()]
    assert found(rules.thinking_breaches(opened, opened, "prefix", head_changed=True)) == [("A6", 0)]
    assert found(rules.thinking_breaches(opened, [agent(text()), user()], "newest")) == [("A5", 0)]


def test_without_an_agent_message_on_one_side_nothing_of_one_was_modified() -> None:
    assert rules.thinking_breaches(HISTORY, [], "newest") == []
    assert rules.thinking_breaches([], [user(), agent(text())], "newest") == []
    assert rules.thinking_breaches([], [user()], "newest") == []


def test_a_newest_agent_message_is_known_by_any_block_that_it_kept() -> None:
    history = [user(), agent(think(), text("long"), call("a")), user(result("a"))]
    after = [user(), agent(text("[EVICTED:agent_text@t1:recover=NO]"), call("a")), user(result("a"))]
    assert found(rules.thinking_breaches(history, after, "newest")) == [("A5", 1)]


def test_a_newest_agent_message_is_not_known_by_reasoning_alone() -> None:
    before = [user(), agent(think("a"), text("one")), user(), agent(think("a"), think("b"), call())]
    assert rules.thinking_breaches(before, [user(), agent(think("a"), text("two"))], "newest") == []
    opened = [agent(think("a"), text())]
    assert rules.thinking_breaches(opened, [agent(text("two"))], "newest") == []


def test_under_prefix_a_closed_loop_drops_all_of_its_reasoning_and_not_a_part() -> None:
    before = [user(), agent(think("a"), think("b"), text()), user()]
    part = [user(text("other")), agent(think("b"), text()), user()]
    assert ("A5", 1) in found(rules.thinking_breaches(before, part, "prefix"))
    assert rules.thinking_breaches(before, [part[0], agent(text()), user()], "prefix") == []
    assert rules.thinking_breaches(before[:2], [part[0], agent(text())], "prefix") == []


def test_a6_counts_from_the_very_block_that_changed_and_from_the_start_of_later_messages() -> None:
    check = rules.thinking_breaches
    opened = [agent(think("a"), text()), user()]
    for whole in (opened, opened[:1]):
        assert found(check(whole, whole, "prefix", head_changed=True)) == [("A6", 0)]
    before = [user(), agent(text("one"), text("two")), user(), agent(think("a"), text())]
    after = [user(), agent(text("one"), text("2")), user(), agent(think("a"), text())]
    assert found(check(before, after, "prefix")) == [("A6", 3)]
    longer = [user(), agent(text("one"), text("two"), think("a"), text()), user(), agent(text())]
    assert ("A6", 1) in found(check(before, longer, "prefix"))


def test_cuts_are_asked_by_every_rule_on_replayed_blocks() -> None:
    assert [text_of(rule).id for rule in rules.CUT_RULES] == ["A5", "A5", "A6", "A7", "A9"]
