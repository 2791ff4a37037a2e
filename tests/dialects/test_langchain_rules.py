"""Each rule on LangChain messages refuses what it must refuse, and nothing else."""

from __future__ import annotations

import pytest

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import langchain_rules as rules
from cenotaph.dialects.langchain_forms import Form, written
from cenotaph.testing.conversations_langchain import FormName, generate_langchain

FORMS: tuple[FormName, ...] = ("langchain", "langchain-dumpd", "langchain-flat")


def message(kind: str, /, content: JSON = "x", **fields: JSON) -> JSON:
    return written(Form.flat, kind, {"content": content, **fields})


def call(call_id: JSON = "c1", name: JSON = "read", args: JSON = None) -> JSON:
    return {"name": name, "args": {} if args is None else args, "id": call_id}


def agent(*calls: JSON, **fields: JSON) -> JSON:
    return message("ai", "", tool_calls=list(calls), **fields)


def tool(call_id: JSON = "c1") -> JSON:
    return message("tool", "ok", tool_call_id=call_id)


HUMAN = message("human")
SAID = message("ai", "done")
LEGACY = message("ai", "", additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}})


CONSTRUCTED = [{"lc": 1, "id": ["a", name]} for name in ("Note", "AIMessage", "ToolMessage", "FunctionMessage")]


def found(breaches: list[Breach]) -> list[tuple[str, int]]:
    return [(breach.rule, breach.message) for breach in breaches]


def test_l1_refuses_a_call_without_its_result_before_another_message() -> None:
    check = rules.calls_answered
    assert found(check([agent(call()), HUMAN])) == [("L1", 0)]
    assert found(check([agent(call("a"), call("b")), tool("a"), SAID])) == [("L1", 0)]
    assert found(check([agent(call()), HUMAN, tool()])) == [("L1", 0)]


def test_l1_counts_a_call_wherever_it_stands_and_once() -> None:
    check = rules.calls_answered
    block = {"type": "tool_use", "id": "a", "name": "read", "input": {}}
    assert found(check([message("ai", [block]), HUMAN])) == [("L1", 0)]
    assert found(check([agent(call("a"), content_blocks=[]), HUMAN])) == [("L1", 0)]
    twice = message("ai", [block], tool_calls=[call("a")])
    assert found(check([twice, HUMAN])) == [("L1", 0)]
    assert check([twice, tool("a"), HUMAN]) == []
    torn = message("ai", "", tool_calls=[], invalid_tool_calls=[{"name": "f", "args": "{", "id": "z", "error": None}])
    assert found(check([torn, HUMAN])) == [("L1", 0)]
    assert check([torn, tool("z"), HUMAN]) == []


def test_l1_takes_results_in_any_order_and_calls_that_are_open() -> None:
    check = rules.calls_answered
    assert check([agent(call("a"), call("b")), tool("b"), tool("a"), SAID]) == []
    assert check([agent(call("a"), call("b")), tool("b")]) == check([agent(call())]) == []


def test_l2_refuses_a_result_that_answers_no_open_call() -> None:
    check = rules.results_have_calls
    assert found(check([tool()])) == [("L2", 0)]
    assert found(check([agent(call()), tool(), tool()])) == [("L2", 2)]
    assert found(check([agent(call()), HUMAN, tool()])) == [("L2", 2)]
    assert check([agent(call("a"), call("b")), tool("b"), tool("a")]) == []


def test_l2_pairs_the_older_format_by_place_and_name() -> None:
    check = rules.function_results_have_calls
    assert found(check([message("function", name="f")])) == [("L2", 0)]
    assert found(check([LEGACY, message("function", name="g")])) == [("L2", 1)]
    assert found(check([{**LEGACY, "type": "human"}, message("function", name="f")])) == [("L2", 1)]
    assert check([LEGACY, message("function", name="f")]) == []
    assert rules.calls_answered([LEGACY, message("function", name="f"), HUMAN]) == []


def test_an_id_names_one_call_of_a_message() -> None:
    check = rules.call_ids_unique
    assert found(check([agent(call(), call(), call("b"))])) == [("L-unique-id", 0)]
    assert check([agent(call(), additional_kwargs={"tool_calls": [{"id": "c1", "function": {"name": "read"}}]})]) == []


@pytest.mark.parametrize("odd", [None, 7, {}, {"content": "x"}, message("oracle"), *CONSTRUCTED])
def test_a_message_is_of_a_known_type(odd: JSON) -> None:
    assert found(rules.messages_known([HUMAN, odd])) == [("L-type", 1)]
    kinds = ["human", "ai", "system", "tool", "function", "chat", "remove", "AIMessageChunk"]
    assert rules.messages_known([message(kind) for kind in kinds]) == []
    assert rules.breaches([odd])


def test_all_messages_are_in_one_serialisation() -> None:
    check = rules.one_form
    forms = [written(form, "human", {"content": "x"}) for form in Form]
    assert found(check(forms)) == [("L-form", 1), ("L-form", 2)]
    assert check([forms[0], forms[0]]) == check([]) == []


def test_a_removal_is_never_sent() -> None:
    assert found(rules.no_removals([HUMAN, message("remove", "", id="m1")])) == [("L-remove", 1)]
    assert rules.no_removals([HUMAN, SAID]) == []


@pytest.mark.parametrize(
    "odd",
    [
        message("human", None),
        message("human", {"a": 1}),
        message("ai", ["x", 7]),
        message("tool", "ok"),
        message("tool", "ok", tool_call_id=""),
        message("chat", "x"),
        agent({"name": "f", "id": "c"}),
        agent(call(args="{}")),
        agent(call(name=None)),
        agent("c1"),
        message("ai", "", tool_calls={"id": "c"}),
        message("ai", "", tool_calls=3),
        message("ai", "", invalid_tool_calls=[{"name": "f", "id": "c"}]),
    ],
)
def test_a_message_has_the_fields_of_its_type(odd: JSON) -> None:
    assert found(rules.bodies_well_formed([odd])) == [("L-shape", 0)]


def test_fields_that_the_client_itself_leaves_out_or_empty_are_no_breach() -> None:
    fine = [
        HUMAN,
        message("ai", [], tool_calls=None),
        message("ai", "", invalid_tool_calls=[{"name": None, "args": None, "id": None, "error": None}]),
        message("chat", "x", role="critic"),
        message("human", "x", tool_calls=3),
        tool(),
    ]
    assert rules.bodies_well_formed(fine) == []


def test_both_lists_of_calls_are_looked_at() -> None:
    torn = message("ai", "", tool_calls=3, invalid_tool_calls=[{"name": "f", "id": "c"}])
    assert found(rules.bodies_well_formed([torn])) == [("L-shape", 0)] * 2


@pytest.mark.parametrize("kind", ["human", "ai", "system"])
def test_a_message_that_is_no_result_says_something(kind: str) -> None:
    assert found(rules.something_said([message(kind, ""), message(kind, [])])) == [("L-empty", 0), ("L-empty", 1)]
    assert rules.something_said([message(kind)]) == []


def test_a_call_a_refusal_a_recording_and_a_result_say_something_without_content() -> None:
    kwargs: tuple[JSON, ...] = ({"refusal": "no"}, {"audio": {"id": "a"}}, {"tool_calls": [{"id": "c", "name": "f"}]})
    said = [message("ai", "", additional_kwargs=one) for one in kwargs]
    assert rules.something_said([*said, agent(call()), message("tool", "", tool_call_id="c"), LEGACY]) == []
    assert rules.something_said([message("chat", "", role="critic"), message("function", "", name="f")]) == []
    assert found(rules.something_said([message("ai", "", additional_kwargs={"other": 1})])) == [("L-empty", 0)]


@pytest.mark.parametrize("kind", ["tool", "function", "remove"])
def test_a_result_or_a_removal_may_be_empty_and_what_nobody_can_read_counts_as_said(kind: str) -> None:
    assert rules.says_something(kind, {"content": ""}) is True
    assert rules.says_something("human", None) is True
    assert rules.says_something("human", {"content": ""}) is False


@pytest.mark.parametrize(
    ("rule", "messages"),
    [
        ("L1", [agent(call()), HUMAN]),
        ("L2", [tool()]),
        ("L2", [message("function", name="f")]),
        ("L-unique-id", [agent(call(), call())]),
    ],
)
def test_every_rule_on_calls_is_among_those_that_are_checked(rule: str, messages: list[JSON]) -> None:
    assert {breach.rule for breach in rules.breaches(messages)} == {rule}


def test_every_rule_is_checked_and_no_generated_list_breaks_one() -> None:
    broken = [
        tool(),
        agent(call(), call()),
        message("human", ""),
        message("ai", [7]),
        message("remove", ""),
        {"type": "oracle", "data": {"content": "x"}},
    ]
    seen = {breach.rule for breach in rules.breaches(broken)}
    assert seen == {"L1", "L2", "L-unique-id", "L-type", "L-form", "L-remove", "L-shape", "L-empty"}
    for form in FORMS:
        for seed in range(60):
            assert rules.breaches(generate_langchain(form, seed)) == []


def test_a_holder_of_messages_is_checked_by_them() -> None:
    assert rules.request_breaches({"messages": [HUMAN, SAID]}) == []
    assert found(rules.request_breaches({"messages": [HUMAN, agent(call()), HUMAN]})) == [("L1", 1)]
    assert found(rules.request_breaches({"messages": "x"})) == found(rules.request_breaches({})) == [("L-type", -1)]
