"""Each rule of Chat Completions refuses what it must refuse, and nothing else."""

from __future__ import annotations

import pytest

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import openai_rules as rules
from cenotaph.testing.strategies import generate, generate_request

USER = {"role": "user", "content": "go"}
SAID = {"role": "assistant", "content": "done"}
SYSTEM = {"role": "system", "content": "rules"}


def call(call_id: JSON = "c1", name: JSON = "read", arguments: JSON = "{}") -> JSON:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def agent(*calls: JSON) -> JSON:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def tool(call_id: JSON = "c1", content: JSON = "ok") -> JSON:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def function(name: str = "f") -> JSON:
    return {"role": "function", "name": name, "content": "x"}


LEGACY = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}


def found(breaches: list[Breach]) -> list[tuple[str, int]]:
    return [(breach.rule, breach.message) for breach in breaches]


def test_o1_refuses_a_call_without_its_tool_message_before_the_next_message() -> None:
    check = rules.calls_answered
    assert found(check([USER, agent(call()), USER])) == [("O1", 1)]
    assert found(check([agent(call()), USER, tool()])) == [("O1", 0)]
    assert found(check([agent(call("a"), call("b")), tool("a"), SAID])) == [("O1", 0)]
    assert found(check([agent(call("a"), call("b")), tool("a"), SYSTEM, tool("b"), SAID])) == [("O1", 0)]
    assert found(check([agent(call("a"), call("b")), SAID])) == [("O1", 0)] * 2
    assert found(check([agent(call("a")), tool("b"), SAID])) == [("O1", 0)]


def test_o1_takes_answers_in_any_order_and_calls_that_nothing_follows_yet() -> None:
    check = rules.calls_answered
    assert check([agent(call("a"), call("b")), tool("b"), tool("a"), SAID]) == []
    assert check([USER, agent(call("a"), call("b")), tool("b")]) == []
    assert check([USER, agent(call())]) == []
    assert check([{**agent(call()), "role": "user"}, USER]) == []


def test_o1_refuses_a_tool_message_that_answers_no_open_call() -> None:
    check = rules.results_have_calls
    assert found(check([tool()])) == [("O1", 0)]
    assert found(check([SYSTEM, USER, tool(), SAID])) == [("O1", 2)]
    assert found(check([agent(call()), tool(), tool()])) == [("O1", 2)]
    assert found(check([agent(call()), USER, tool()])) == [("O1", 2)]
    assert found(check([agent(call()), tool("b")])) == [("O1", 1)]
    assert found(check([agent(call(None)), tool(None)])) == [("O1", 1)]
    assert found(check([{**agent(call()), "role": "user"}, tool()])) == [("O1", 1)]
    assert check([agent(call("a"), call("b")), tool("b"), tool("a"), agent(call("a")), tool("a")]) == []
    assert check([agent(call("a"), call("a")), tool("a"), tool("a")]) == []


def test_o1_pairs_the_legacy_form_by_place_and_name() -> None:
    check = rules.function_results_have_calls
    assert check([USER, LEGACY, function()]) == check([USER, SAID]) == []
    assert found(check([function()])) == [("O1", 0)]
    assert found(check([LEGACY, function("g")])) == [("O1", 1)]
    assert found(check([LEGACY, USER, function()])) == [("O1", 2)]
    assert found(check([function(), LEGACY])) == [("O1", 0)]


def test_an_id_names_one_call_of_a_message() -> None:
    check = rules.call_ids_unique
    assert found(check([USER, agent(call(), call(), call("b"))])) == [("O-unique-id", 1)]
    assert check([agent(call()), tool(), agent(call()), tool()]) == []


@pytest.mark.parametrize(
    "bad",
    [
        call(None),
        call(""),
        call(7),
        call(name=""),
        call(name=None),
        call(name=7),
        call(arguments={"a": 1}),
        {"id": "c", "name": "flat", "arguments": "{}"},
        {"id": "c", "type": "custom", "custom": {"name": "sh", "input": 1}},
        "c1",
    ],
)
def test_a_call_has_an_id_a_name_and_string_arguments(bad: JSON) -> None:
    assert found(rules.calls_well_formed([USER, agent(call("ok"), bad)])) == [("O-call-shape", 1)]


def test_calls_stand_in_an_agents_message_and_are_never_an_empty_list() -> None:
    check = rules.calls_well_formed
    custom = {"id": "c", "type": "custom", "custom": {"name": "sh", "input": "ls"}}
    assert check([agent(call(), custom), USER, {**SAID, "tool_calls": None}]) == []
    assert found(check([{**SAID, "tool_calls": []}])) == [("O-call-shape", 0)]
    assert found(check([{**SAID, "tool_calls": {"id": "c"}}])) == [("O-call-shape", 0)]
    assert found(check([{**USER, "tool_calls": [call()]}])) == [("O-call-shape", 0)]
    assert found(check([{**SAID, "tool_calls": []}, USER, agent("c1")])) == [("O-call-shape", 0), ("O-call-shape", 2)]


@pytest.mark.parametrize("content", [None, "", []])
def test_an_agents_message_says_something(content: JSON) -> None:
    empty = {"role": "assistant", "content": content, "reasoning_content": "hm"}
    assert found(rules.assistants_not_empty([USER, empty])) == [("O-empty-assistant", 1)]
    for key, value in {
        "tool_calls": [call()],
        "function_call": {"name": "f"},
        "refusal": "no",
        "audio": {"id": "a"},
    }.items():
        assert rules.assistants_not_empty([{**empty, key: value}]) == []
    assert rules.assistants_not_empty([SAID, {"role": "user", "content": content}]) == []


@pytest.mark.parametrize("role", ["tool", "function"])
def test_a_result_may_be_empty_text_but_not_nothing(role: str) -> None:
    assert rules.says_something({"role": role, "content": ""}) is True
    assert rules.says_something({"role": role, "content": None, "tool_calls": [call()]}) is False
    assert rules.says_something({"role": "user", "content": ""}) is False


@pytest.mark.parametrize("content", [None, [], {"a": 1}])
@pytest.mark.parametrize("role", ["user", "system", "developer", "tool", "function"])
def test_every_other_message_has_content(role: str, content: JSON) -> None:
    check = rules.content_present
    assert found(check([SAID, {"role": role, "content": content}])) == [("O-empty-content", 1)]
    assert check([{"role": role, "content": ""}]) == []
    assert check([{"role": role, "content": [{"type": "text", "text": "x"}]}]) == []
    assert check([{"role": "assistant", "content": None}]) == []


@pytest.mark.parametrize(
    "message", [{"role": "human", "content": "x"}, {"content": "x"}, "x", None, {"role": 3}]
)
def test_a_role_must_be_one_of_the_apis(message: JSON) -> None:
    assert found(rules.roles_known([SYSTEM, message])) == [("O-role", 1)]


def test_every_role_of_the_api_is_known() -> None:
    roles = ["system", "developer", "user", "assistant", "tool", "function"]
    assert rules.roles_known([{"role": role, "content": "x"} for role in roles]) == []


@pytest.mark.parametrize(
    ("rule", "messages"),
    [
        ("O1", [agent(call()), USER]),
        ("O1", [tool()]),
        ("O1", [function()]),
        ("O-unique-id", [agent(call(), call())]),
        ("O-call-shape", [{**SAID, "tool_calls": []}]),
        ("O-empty-assistant", [{"role": "assistant", "content": ""}]),
        ("O-empty-content", [{"role": "user", "content": None}]),
        ("O-role", [{"role": "ai", "content": "x"}]),
    ],
)
def test_every_rule_is_among_those_that_are_checked(rule: str, messages: list[JSON]) -> None:
    assert rule in {breach.rule for breach in rules.breaches(messages)}


@pytest.mark.parametrize(
    "odd",
    [
        *(None, 7, "x", [], {}, {"role": "tool"}),
        *({**SAID, "content": None, "tool_calls": calls} for calls in (3, ["c1", None])),
    ],
)
def test_an_odd_value_is_a_breach_and_never_an_exception(odd: JSON) -> None:
    assert rules.breaches([USER, odd, USER])


@pytest.mark.parametrize("size", [0, 3, 12])
def test_what_is_generated_for_2000_seeds_breaks_no_rule(size: int) -> None:
    bad = {seed: b for seed in range(2_000) if (b := rules.breaches(generate("openai-chat", seed, size)))}
    assert bad == {}


def test_a_generated_request_breaks_no_rule_even_with_300_calls() -> None:
    bodies = [generate_request("openai-chat", seed, 300) for seed in range(20)]
    assert [rules.breaches(body["messages"]) for body in bodies] == [[]] * 20
    assert max(len(body["messages"]) for body in bodies) > 300


def test_a_request_is_checked_by_its_messages() -> None:
    assert rules.request_breaches({"model": "gpt-5", "messages": [SYSTEM, USER, SAID]}) == []
    assert found(rules.request_breaches({"messages": [USER, agent(call()), USER]})) == [("O1", 1)]
    assert found(rules.request_breaches({"messages": "x"})) == found(rules.request_breaches({})) == [("O-role", -1)]
