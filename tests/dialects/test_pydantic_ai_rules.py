"""Each rule on a Pydantic AI history refuses what it must refuse, and nothing else."""

from __future__ import annotations

import pytest

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import pydantic_ai_rules as rules
from cenotaph.testing.conversations_pydantic_ai import generate_pydantic_ai


def request(*parts: JSON) -> JSON:
    return {"kind": "request", "parts": list(parts)}


def response(*parts: JSON) -> JSON:
    return {"kind": "response", "parts": list(parts)}


def call(call_id: str = "c1", **fields: JSON) -> JSON:
    return {"part_kind": "tool-call", "tool_name": "read", "tool_call_id": call_id, "args": {}, **fields}


def result(call_id: str = "c1", **fields: JSON) -> JSON:
    return {"part_kind": "tool-return", "tool_name": "read", "tool_call_id": call_id, "content": "ok", **fields}


def native(kind: str, call_id: str = "n1") -> JSON:
    return {"part_kind": f"builtin-tool-{kind}", "tool_name": "search", "tool_call_id": call_id, "content": 1}


PROMPT = {"part_kind": "user-prompt", "content": "go"}
TEXT = {"part_kind": "text", "content": "done"}
RETRY = {"part_kind": "retry-prompt", "content": "again", "tool_call_id": "c1"}
POINT = {"kind": "cache-point", "ttl": "5m"}


def found(breaches: list[Breach]) -> list[tuple[str, int]]:
    return [(breach.rule, breach.message) for breach in breaches]


def test_p1_refuses_a_call_without_a_result_before_the_next_response() -> None:
    check = rules.calls_answered
    assert found(check([request(PROMPT), response(call()), request(PROMPT), response(TEXT)])) == [("P1", 1)]
    assert found(check([response(call("a"), call("b")), request(result("a")), response(TEXT)])) == [("P1", 0)]
    assert found(check([response(call()), request(RETRY), response(TEXT)])) == [("P1", 0)]
    assert found(check([response(call()), response(TEXT), request(result())])) == [("P1", 0)]


def test_p1_takes_results_in_any_order_and_request_and_calls_that_are_open() -> None:
    check = rules.calls_answered
    calls = response(call("a"), call("b"))
    assert check([calls, request(result("b")), request(PROMPT, result("a")), response(TEXT)]) == []
    assert check([calls, request(result("b"))]) == check([calls]) == []
    assert check([response(call()), request({**RETRY, "tool_name": "read"}), response(TEXT)]) == []
    assert check([response(native("call")), response(TEXT)]) == []


def test_p2_refuses_a_result_without_an_open_call_of_the_response_before_it() -> None:
    check = rules.results_have_calls
    assert found(check([request(result())])) == [("P2", 0)]
    assert found(check([response(call()), request(result(), result())])) == [("P2", 1)]
    assert found(check([response(call()), request(result()), response(TEXT), request(result())])) == [("P2", 3)]
    assert found(check([response(call("a")), request({**RETRY, "tool_name": "read"})])) == [("P2", 1)]
    assert check([response(call("a"), call("a")), request(result("a"), result("a"))]) == []
    assert check([response(call()), request(result()), response(call()), request(result())]) == []
    assert check([request(RETRY)]) == []


def test_an_id_names_one_call_of_a_response() -> None:
    check = rules.call_ids_unique
    assert found(check([response(call(), call(), call("b"))])) == [("P-unique-id", 0)]
    assert check([response(call()), request(result()), response(call())]) == []
    assert check([request(call(), call())]) == []


def test_a_call_or_result_on_the_wrong_side_is_none() -> None:
    assert found(rules.calls_answered([response(call(), result()), response(TEXT)])) == [("P1", 0)]
    assert rules.results_have_calls([response(TEXT, result())]) == []


@pytest.mark.parametrize("part", ["x", None, 7, {"part_kind": ["text"]}, {}])
def test_an_odd_part_is_a_breach_and_never_an_exception(part: JSON) -> None:
    assert ("P-part", 1) in found(rules.breaches([request(PROMPT), response(part), request(PROMPT)]))


def test_a_providers_result_stands_after_its_call() -> None:
    check = rules.native_results_have_calls
    assert found(check([response(native("return"))])) == [("P-native", 0)]
    assert found(check([response(native("return"), native("call"))])) == [("P-native", 0)]
    assert found(check([response(native("call", "n1"), native("return", "n2"))])) == [("P-native", 0)]
    assert check([response(native("call"), native("return"))]) == []
    assert check([response(native("call")), request(PROMPT), response(native("return"))]) == []


@pytest.mark.parametrize("message", [None, 7, {}, {"kind": "note", "parts": []}, {"kind": "request"}])
def test_a_message_is_a_request_or_a_response_with_parts(message: JSON) -> None:
    assert found(rules.messages_known([request(PROMPT), message])) == [("P-kind", 1)]
    assert rules.messages_known([request(), response()]) == []


def test_a_part_is_of_a_kind_that_its_message_may_hold() -> None:
    check = rules.parts_known
    assert found(check([request(TEXT), response(PROMPT), request({"part_kind": "odd"}, "x")])) == [
        ("P-part", 0),
        ("P-part", 1),
        ("P-part", 2),
        ("P-part", 2),
    ]
    assert check([request(PROMPT, result(), RETRY), response(TEXT, call(), native("call"))]) == []
    assert found(check([{"kind": "note", "parts": [TEXT, PROMPT]}, request(TEXT)])) == [("P-part", 1)]
    assert check([{"kind": "request", "parts": "x"}]) == []


@pytest.mark.parametrize(
    "message",
    [
        request({**PROMPT, "content": None}),
        request({"part_kind": "system-prompt", "content": ["x"]}),
        request({key: value for key, value in result().items() if key != "content"}),
        request(result(tool_name=None)),
        response({**TEXT, "content": None}),
        response({"part_kind": "thinking"}),
        response(call(args=[1])),
        response(call(tool_name=3)),
        response({**native("call"), "tool_name": None}),
        response({**native("return"), "tool_name": None}),
        response({**native("call"), "args": 3}),
        response({key: value for key, value in native("return").items() if key != "content"}),
    ],
)
def test_a_part_has_the_fields_of_its_kind(message: JSON) -> None:
    assert found(rules.parts_well_formed([message])) == [("P-shape", 0)]


def test_content_of_a_result_may_be_any_value_and_arguments_text_or_nothing() -> None:
    contents: tuple[JSON, ...] = (None, 1, {}, [])
    for content in contents:
        assert rules.parts_well_formed([request(result(content=content))]) == []
    arguments: tuple[JSON, ...] = (None, "", "{torn", {})
    for args in arguments:
        assert rules.parts_well_formed([response(call(args=args))]) == []
    assert rules.parts_well_formed([response({**TEXT, "args": 3}, {"content": None})]) == []


@pytest.mark.parametrize("content", [[POINT], [POINT, "x"], ["x", POINT, POINT]])
def test_a_cache_point_follows_something(content: JSON) -> None:
    check = rules.cache_points_follow
    assert found(check([request({**PROMPT, "content": content})])) == [("P-cache-point", 0)]
    assert check([request({**PROMPT, "content": ["x", POINT, "y", POINT]}), request(PROMPT)]) == []
    assert check([request({**PROMPT, "content": None})]) == []


def test_every_rule_is_checked_and_no_generated_history_breaks_one() -> None:
    broken = [
        request(result(), {**PROMPT, "content": [POINT]}),
        response(call(), call(), native("return"), {"part_kind": "odd"}, {**TEXT, "content": 1}),
        response(),
        7,
    ]
    seen = {breach.rule for breach in rules.breaches(broken)}
    assert seen == {"P1", "P2", "P-unique-id", "P-native", "P-kind", "P-part", "P-shape", "P-cache-point"}
    for seed in range(150):
        assert rules.breaches(generate_pydantic_ai(seed)) == []


def test_a_holder_of_messages_is_checked_by_them() -> None:
    assert rules.request_breaches({"messages": [request(PROMPT), response(TEXT)]}) == []
    assert found(rules.request_breaches({"messages": [request(PROMPT), {"kind": "x"}]})) == [("P-kind", 1)]
    assert found(rules.request_breaches({"messages": "x"})) == found(rules.request_breaches({})) == [("P-kind", -1)]
