"""Each rule of the Gemini API refuses what it must refuse, and nothing else."""

from __future__ import annotations

import pytest

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import gemini_rules as rules
from cenotaph.testing.conversations_gemini import generate

ASK = {"role": "user", "parts": [{"text": "go"}]}
SAID = {"role": "model", "parts": [{"text": "done"}]}
WORDS = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]


def call(name: JSON = "read", call_id: str | None = None, signature: str | None = None) -> JSON:
    part: dict[str, JSON] = {"functionCall": {"name": name, "args": {}}}
    if call_id is not None:
        part["functionCall"]["id"] = call_id
    return part if signature is None else {**part, "thoughtSignature": signature}


def answer(name: JSON = "read", call_id: str | None = None, body: JSON = None) -> JSON:
    held = {"name": name, "response": {"output": "ok"} if body is None else body}
    return {"functionResponse": held if call_id is None else {"id": call_id, **held}}


def model(*parts: JSON) -> JSON:
    return {"role": "model", "parts": list(parts)}


def user(*parts: JSON) -> JSON:
    return {"role": "user", "parts": list(parts)}


def found(breaches: list[Breach]) -> list[tuple[str, int]]:
    return [(breach.rule, breach.message) for breach in breaches]


def test_g1_refuses_a_call_that_follows_the_models_own_turn_or_nothing() -> None:
    check = rules.calls_follow_the_other_side
    assert found(check([model(call())])) == [("G1", 0)]
    assert found(check([ASK, SAID, model(call())])) == [("G1", 2)]
    assert found(check([ASK, SAID, model({"function_call": {"name": "read"}})])) == [("G1", 2)]
    assert found(check([model(call()), user(answer())])) == [("G1", 0)]


def test_g1_takes_calls_after_a_person_and_after_responses() -> None:
    check = rules.calls_follow_the_other_side
    assert check([ASK, model({"text": "I look."}, call()), user(answer()), model(call())]) == []
    assert check([ASK, model(call()), {"role": "function", "parts": [answer()]}, ASK, model(call())]) == []
    assert check([ASK, SAID, SAID]) == []


def test_g2_refuses_another_number_of_responses_and_responses_to_other_calls() -> None:
    check = rules.calls_answered_next
    assert found(check([ASK, model(call()), ASK])) == [("G2", 1)]
    assert found(check([ASK, model(call(), call()), user(answer())])) == [("G2", 1)]
    assert found(check([ASK, model(call()), user(answer(), answer())])) == [("G2", 1)]
    assert found(check([ASK, model(call("a")), user(answer("b"))])) == [("G2", 1)]
    assert found(check([ASK, model(call("a", "1"), call("a", "2")), user(answer("a", "1"), answer("a", "1"))])) == [
        ("G2", 1)
    ]


def test_g2_takes_any_order_names_where_one_side_has_no_ids_and_calls_at_the_end() -> None:
    check = rules.calls_answered_next
    assert check([ASK, model(call("a", "1"), call("a", "2")), user(answer("a", "2"), answer("a", "1"))]) == []
    assert check([ASK, model(call("a"), call("b")), user(answer("b", "x"), answer("a", "y"))]) == []
    assert check([ASK, model(call(), call())]) == []
    assert check([ASK, user(answer()), ASK]) == []


def test_g3_refuses_responses_apart_from_their_calls() -> None:
    check = rules.responses_follow_their_calls
    assert found(check([user(answer())])) == [("G3", 0)]
    assert found(check([ASK, model(call()), ASK, user(answer())])) == [("G3", 3)]
    assert found(check([ASK, SAID, user(answer())])) == [("G3", 2)]
    assert found(check([user(answer()), model(call())])) == [("G3", 0)]
    assert check([ASK, model(call()), user(answer())]) == check([model(call()), user(answer())]) == []


def test_g4_refuses_an_unsigned_step_among_signed_ones_in_the_current_turn() -> None:
    check = rules.steps_signed_alike
    steps = [ASK, model(call(signature="s")), user(answer()), model(call()), user(answer())]
    assert found(check(steps)) == [("G4", 3)]
    assert found(check([ASK, model(call(), call(signature="s")), user(answer(), answer())])) == []
    assert found(check([*steps[:3], model(call(), call(signature="s")), user(answer(), answer())])) == [("G4", 3)]
    assert found(check(steps[1:])) == [("G4", 2)]
    assert found(check([*steps[:3], {"role": "user", "parts": []}, *steps[3:]])) == [("G4", 4)]


def test_g4_passes_over_earlier_turns_models_that_sign_nothing_and_what_carries_the_sentinel() -> None:
    check = rules.steps_signed_alike
    unsigned = [ASK, model(call()), user(answer())]
    assert check([user(call()), model(call(signature="s")), user(answer())]) == []
    signed = [model(call(signature="s"), call()), user(answer(), answer())]
    assert check([*unsigned, SAID, ASK, *signed]) == []
    assert check([*unsigned, *unsigned[1:]]) == []
    assert check([*unsigned, model(call(signature=rules.SENTINEL)), user(answer())]) == []
    assert check([ASK, *signed, model(call(signature=rules.SENTINEL)), user(answer())]) == []
    for word in WORDS:
        assert check([*unsigned, model(call(signature=word)), user(answer())]) == []


def test_g4_on_a_cut_knows_only_calls_as_they_were() -> None:
    before = [
        ASK,
        model(call("a", "1", "s")),
        user(answer("a", "1")),
        model(call("b", "2", "t")),
        user(answer("b", "2")),
    ]
    assert rules.signature_breaches(before, before) == []
    assert rules.signature_breaches(before, [ASK, *before[3:]]) == []
    own = [model(call("rehydrate", "9", rules.SENTINEL)), user(answer("rehydrate", "9"))]
    assert rules.signature_breaches(before, [*before, *own]) == []
    for changed in (call("a", "1"), call("a", "1", "t"), call("c", "1", "s")):
        assert found(rules.signature_breaches(before, [ASK, model(changed)])) == [("G4", 1)]


def test_g5_refuses_a_sentinel_on_what_is_no_call() -> None:
    check = rules.sentinels_on_calls
    for word in WORDS:
        assert found(check([ASK, model({"text": "done", "thoughtSignature": word})])) == [("G5", 1)]
        assert found(check([ASK, model({"text": "done", "thought_signature": word}, call())])) == [("G5", 1)]


def test_g5_takes_a_sentinel_on_a_call_and_signatures_of_models_anywhere() -> None:
    check = rules.sentinels_on_calls
    assert check([ASK, model(call(signature=rules.SENTINEL)), user(answer())]) == []
    assert check([ASK, model({"text": "done", "thoughtSignature": "s"})]) == []
    assert check([ASK, model({"text": rules.SENTINEL})]) == []


def test_g5_on_a_cut_refuses_a_sentinel_in_place_of_a_models_signature() -> None:
    check = rules.sentinel_breaches
    before = [ASK, model(call("a", "1", "s"), call("b", "2")), user(answer("a", "1"), answer("b", "2"))]
    for word in WORDS:
        assert found(check(before, [ASK, model(call("a", "1", word))])) == [("G5", 1)]
        assert check(before, [ASK, model(call("b", "2", word))]) == []
        assert check(before, [ASK, model(call("rehydrate", "9", word))]) == []
        assert check([ASK, model(call("a", "1", word))], [model(call("a", "1", word))]) == []
    assert check(before, before) == []
    assert check([ASK, model({"text": "x", "thoughtSignature": "s"})], [model({"text": "x"})]) == []


@pytest.mark.parametrize(("rule", "word"), [("G4", "t"), ("G5", WORDS[0])])
def test_every_rule_on_a_cut_is_among_those_on_cuts(rule: str, word: str) -> None:
    before, after = [ASK, model(call("a", "1", "s"))], [ASK, model(call("a", "1", word))]
    assert [found(check(before, after)) for check in rules.CUT_RULES].count([(rule, 1)]) == 1


def test_the_first_content_is_not_the_models() -> None:
    assert found(rules.first_is_user([SAID])) == [("G-first-user", 0)]
    assert rules.first_is_user([ASK]) == rules.first_is_user([{"parts": [{"text": "q"}]}]) == []
    assert rules.first_is_user([]) == []


@pytest.mark.parametrize(
    "content", [{**ASK, "role": "assistant"}, {**ASK, "role": 3}, {**ASK, "role": ["user"]}, "text", None]
)
def test_an_unknown_role_is_refused(content: JSON) -> None:
    assert found(rules.roles_known([ASK, content])) == [("G-role", 1)]


def test_every_role_of_the_api_is_known() -> None:
    assert rules.roles_known([{"role": role, "parts": []} for role in ("user", "model", "function", "", None)]) == []
    assert rules.roles_known([{"parts": []}]) == []


@pytest.mark.parametrize("content", [{"role": "user", "parts": []}, {"role": "user"}, {"parts": "x"}, {"parts": None}])
def test_a_content_without_parts_is_refused(content: JSON) -> None:
    assert found(rules.parts_present([ASK, content])) == [("G-empty-parts", 1)]


def test_a_part_without_data_is_refused_and_unknown_data_is_data() -> None:
    check = rules.parts_hold_data
    for part in ({}, {"text": None}, {"thoughtSignature": "s"}, {"thought": True}):
        assert found(check([user(part)])) == [("G-empty-part", 0)]
    assert check([user({"text": ""}, {"futureData": {}}, {"text": "", "thoughtSignature": "s"})]) == []


def test_a_call_or_response_out_of_place_or_without_a_name_is_refused() -> None:
    check = rules.functions_well_formed
    for content in (user(call()), model(call("")), model({"functionCall": 3}), user({"functionResponse": "x"})):
        assert found(check([content])) == [("G-part-shape", 0)]
    for content in (model(answer()), user(answer(None)), user(answer(body="text")), user(answer(body=["x"]))):
        assert found(check([content])) == [("G-part-shape", 0)]
    assert check([model(call()), user(answer()), {"role": "function", "parts": [answer(body={})]}]) == []


@pytest.mark.parametrize(
    ("rule", "contents"),
    [
        ("G1", [ASK, SAID, model(call())]),
        ("G2", [ASK, model(call()), ASK]),
        ("G3", [user(answer())]),
        ("G4", [ASK, model(call(signature="s")), user(answer()), model(call()), user(answer())]),
        ("G5", [ASK, model({"text": "done", "thoughtSignature": WORDS[0]})]),
        ("G-first-user", [SAID]),
        ("G-role", [{"role": "ai", "parts": [{"text": "x"}]}]),
        ("G-empty-parts", [{"role": "user", "parts": []}]),
        ("G-empty-part", [user({})]),
        ("G-part-shape", [user(answer(None))]),
    ],
)
def test_every_rule_is_among_those_that_are_checked(rule: str, contents: list[JSON]) -> None:
    assert rule in {breach.rule for breach in rules.breaches(contents)}


@pytest.mark.parametrize("size", [0, 3, 12])
def test_what_is_generated_for_2000_seeds_breaks_no_rule(size: int) -> None:
    bad = {seed: breaches for seed in range(2_000) if (breaches := rules.breaches(generate(seed, size)))}
    assert bad == {}


def test_a_request_is_checked_by_its_contents() -> None:
    assert rules.request_breaches({"contents": [ASK, SAID], "tools": []}) == []
    assert found(rules.request_breaches({"contents": [SAID]})) == [("G-first-user", 0)]
    assert found(rules.request_breaches({"contents": "x"})) == found(rules.request_breaches({})) == [("G-role", -1)]
