"""The gemini dialect: what is read, what is kept, what is left to send."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Media, Message, Part, Provenance, Usage, Wire
from cenotaph.core.spans import value_at
from cenotaph.dialects.detect import DIALECTS, detect
from cenotaph.dialects.gemini import GEMINI
from cenotaph.dialects.gemini_rules import SENTINEL
from cenotaph.errors import DialectError
from cenotaph.testing import conversations_bedrock, conversations_gemini, strategies
from cenotaph.testing.conversations_gemini import gemini_conversations

CASES = Path(__file__).parents[2].parent / "shared" / "cases"
ASK = {"role": "user", "parts": [{"text": "q"}]}
PIXEL = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
LINE = "[EVICTED:tool_result@t1.1:recover=NO]"


def user(*parts: JSON) -> JSON:
    return {"role": "user", "parts": list(parts)}


def model(*parts: JSON) -> JSON:
    return {"role": "model", "parts": list(parts)}


def call(name: str = "read", call_id: str | None = None, **args: JSON) -> JSON:
    named = {"name": name, "args": args}
    return {"functionCall": named if call_id is None else {"id": call_id, **named}}


def response(name: str = "read", call_id: str | None = None, **body: JSON) -> JSON:
    named = {"name": name, "response": body}
    return {"functionResponse": named if call_id is None else {"id": call_id, **named}}


def read(*contents: JSON) -> tuple[Message, ...]:
    return GEMINI.parse_messages(list(contents))


def part_of(part: JSON, role: str = "user") -> Part:
    (found,) = read({"role": role, "parts": [part]})[0].parts
    return found


def ids(messages: tuple[Message, ...]) -> list[str | None]:
    return [part.call_id for message in messages for part in message.parts if part.kind is not Kind.text]


def codes(*contents: JSON) -> list[str]:
    return [defect.code for defect in GEMINI.parse(list(contents)).defects]


# Whose value it is ---------------------------------------------------------------------------

SHAPES: dict[str, JSON] = {
    "contents": [ASK, model({"text": "a"})],
    "a body": {"contents": [ASK], "systemInstruction": {"parts": [{"text": "s"}]}},
    "a body of an SDK": {"model": "gemini-3-pro", "contents": [ASK], "config": {"system_instruction": "s"}},
    "a content without a role": [{"parts": [{"text": "q"}]}],
    "a content without parts": [ASK, {"role": "model"}],
    "calls alone": [model(call())],
    "an SDK's dump": [{"role": "user", "parts": [{"text": "q", "thought": None, "inline_data": None}]}],
    "an unknown part beside": [user({"text": "q"}, {"futureData": {}})],
    "the role function": [{"role": "function", "parts": [response(output="x")]}],
}

OTHERS: dict[str, JSON] = {
    "nothing": None,
    "no contents": [],
    "an empty body": {"contents": []},
    "contents that are text": {"contents": "q"},
    "parts of no known kind": [user({"futureData": {}})],
    "chat": [{"role": "user", "content": "q"}],
    "bedrock": [{"role": "user", "content": [{"text": "q"}]}],
    "typed parts": [{"role": "user", "parts": [{"type": "text", "text": "q"}]}],
    "parts with a kind": [{"role": "user", "parts": [{"kind": "text", "text": "q"}]}],
    "another kit's parts": [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]}],
    "a role of others": [{"role": "assistant", "parts": [{"text": "q"}]}],
    "both keys": [{"role": "user", "content": "q", "parts": [{"text": "q"}]}],
    "a number among contents": [ASK, 7],
}


@pytest.mark.parametrize("name", SHAPES)
def test_its_shapes_are_recognised_by_it_alone_and_come_back_as_the_same_object(name: str) -> None:
    value = SHAPES[name]
    assert [d for d in DIALECTS if DIALECTS[d].recognise(value)] == ["gemini"]
    assert GEMINI.emit(detect(value).parse(value)) is value


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_its_own_is_not_recognised(name: str) -> None:
    assert not GEMINI.recognise(OTHERS[name])


@pytest.mark.parametrize("seed", range(60))
def test_no_generated_conversation_is_of_two_dialects(seed: int) -> None:
    samples = {
        "gemini": conversations_gemini.generate(seed),
        "bedrock-converse": conversations_bedrock.generate(seed),
        "anthropic": strategies.generate_request("anthropic", seed),
        "openai-chat": strategies.generate_request("openai-chat", seed),
    }
    for name, value in samples.items():
        assert [d for d in DIALECTS if DIALECTS[d].recognise(value)] == [name]


def test_it_is_a_wire_that_the_core_can_write() -> None:
    wire: Wire = GEMINI
    assert wire.name == "gemini"


@pytest.mark.parametrize("value", [3, "contents", {"contents": "q"}, {"messages": []}, None])
def test_what_holds_no_contents_is_refused_by_name(value: JSON) -> None:
    with pytest.raises(DialectError) as caught:
        GEMINI.parse(value)
    assert caught.value.details["dialect"] == "gemini"
    assert "contents" in caught.value.next_step


def test_json_that_is_too_deep_is_refused_before_it_is_walked() -> None:
    deep: JSON = "x"
    for _ in range(3_000):
        deep = [deep]
    with pytest.raises(DialectError) as caught:
        GEMINI.parse([model(call(a=deep))])
    assert caught.value.details["depth_max"] == 200


# The request ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "path"),
    [
        ({"systemInstruction": {"parts": [{"text": "rules"}]}}, ("systemInstruction", "parts", 0, "text")),
        (
            {"system_instruction": {"role": "user", "parts": [{"text": "rules"}]}},
            ("system_instruction", "parts", 0, "text"),
        ),
        ({"systemInstruction": "rules"}, ("systemInstruction",)),
        ({"config": {"system_instruction": ["rules"]}}, ("config", "system_instruction", 0)),
        ({"systemInstruction": [{"text": "rules"}]}, ("systemInstruction", 0, "text")),
    ],
)
def test_system_text_is_found_in_every_form(system: dict[str, JSON], path: tuple[str | int, ...]) -> None:
    request = {**system, "contents": [ASK]}
    (part,) = GEMINI.parse(request).preamble
    assert (part.provenance, part.text, part.path) == (Provenance.system, "rules", path)
    assert value_at(request, path) == "rules"


def test_declared_functions_are_the_tools_in_both_spellings() -> None:
    tools = [
        {"functionDeclarations": [{"name": "a"}]},
        {"function_declarations": [{"name": "b"}]},
        {"googleSearch": {}},
    ]
    transcript = GEMINI.parse({"contents": [ASK], "tools": tools})
    assert transcript.tool_names == frozenset({"a", "b"})
    assert json.loads(transcript.tools_text) == tools
    assert GEMINI.parse({"contents": [ASK], "config": {"tools": tools}}).tool_names == frozenset({"a", "b"})


@pytest.mark.parametrize("tools", [None, "x", [3], [{"functionDeclarations": [{}]}]])
def test_tools_that_are_not_all_named_are_unknown(tools: JSON) -> None:
    assert GEMINI.parse({"contents": [ASK], "tools": tools}).tool_names is None


def test_a_logged_response_tells_the_model_and_what_was_counted() -> None:
    response = {"modelVersion": "gemini-3-pro", "usageMetadata": {"promptTokenCount": 12}}
    transcript = GEMINI.parse({"contents": [ASK], "response": response})
    assert transcript.model == "gemini-3-pro"
    assert transcript.usage == (Usage(1, 12, "gemini-3-pro"),)


def test_a_body_comes_back_whole_with_exchanged_contents() -> None:
    body = {"contents": [ASK], "generationConfig": {"temperature": 1.0}, "zzz": [None]}
    transcript = GEMINI.parse(body)
    assert transcript.messages_key == "contents"
    assert GEMINI.emit(replace(transcript, messages=())) == {**body, "contents": []}


# Parts ---------------------------------------------------------------------------------------


def test_text_is_whose_role_it_is_and_no_role_is_the_users() -> None:
    wrote = {
        "user": Provenance.user,
        "model": Provenance.agent,
        "function": Provenance.tool,
        "oracle": Provenance.harness,
    }
    assert {role: part_of({"text": "x"}, role).provenance for role in wrote} == wrote
    assert read({"parts": [{"text": "x"}]})[0].parts[0].provenance is Provenance.user
    assert codes({"role": "oracle", "parts": [{"text": "x"}]}) == ["unknown-role"]


def test_a_reminder_that_fills_a_part_is_the_harness() -> None:
    reminder = "<system-reminder>No todos.</system-reminder>"
    assert part_of({"text": reminder}).provenance is Provenance.harness
    assert part_of({"text": reminder + " do it"}).provenance is Provenance.user


@pytest.mark.parametrize("part", [{"text": "hm", "thought": True}, {"text": "hm", "thought": True, "text_": None}])
def test_a_thought_is_reasoning_and_leaves_whole(part: JSON) -> None:
    found = part_of(part, "model")
    assert (found.kind, found.text, found.path, found.marks) == (Kind.reasoning, "hm", ("parts", 0), frozenset())


@pytest.mark.parametrize("part", [{"text": "", "thoughtSignature": "s"}, {"thought_signature": "s"}])
def test_nothing_but_a_signature_is_signed_reasoning(part: JSON) -> None:
    found = part_of(part, "model")
    assert (found.kind, found.text, found.marks) == (Kind.reasoning, "", frozenset({Mark.signed}))


def test_unknown_data_is_kept_with_its_whole_json_even_with_a_signature() -> None:
    part = {"toolCall": {"id": "t"}, "thoughtSignature": "s"}
    found = part_of(part, "model")
    assert (found.kind, found.text, found.path) == (Kind.other, json.dumps(part, separators=(",", ":")), ("parts", 0))


@pytest.mark.parametrize("key", ["functionCall", "function_call"])
def test_a_call_is_its_arguments_in_both_spellings(key: str) -> None:
    found = part_of({key: {"name": "read", "args": {"path": "a"}, "id": "c"}, "text": None}, "model")
    assert (found.kind, found.tool, found.call_id, found.text) == (Kind.call, "read", "c", '{"path":"a"}')
    assert (found.args, found.block, found.path) == ({"path": "a"}, ("parts", 0), ("parts", 0, key, "args"))


def test_a_call_without_arguments_has_none_and_a_signature_marks_it() -> None:
    found = part_of({"functionCall": {"name": "now"}, "thoughtSignature": "s"}, "model")
    assert (found.text, found.args, found.path) == ("", None, ("parts", 0, "functionCall"))
    assert found.marks == {Mark.signed}
    assert Mark.background in part_of(call(background=True), "model").marks


@pytest.mark.parametrize(
    ("body", "text", "inside", "failed"),
    [
        ({"output": "fine"}, "fine", ("output",), False),
        ({"result": "fine"}, "fine", ("result",), False),
        ({"error": "no such file"}, "no such file", ("error",), True),
        ({"output": "fine", "exit_code": 0}, '{"output":"fine","exit_code":0}', (), False),
        ({"output": "x", "error": "y"}, '{"output":"x","error":"y"}', (), True),
        ({"lines": ["a"]}, '{"lines":["a"]}', (), False),
        ({"output": {"a": 1}}, '{"output":{"a":1}}', (), False),
        ({}, "{}", (), False),
    ],
)
def test_a_response_is_its_one_text_or_its_object(body: JSON, text: str, inside: tuple[str, ...], failed: bool) -> None:
    found = part_of(response(**body))
    assert (found.kind, found.provenance, found.tool) == (Kind.result, Provenance.tool, "read")
    assert (found.text, found.failed) == (text, failed)
    assert found.path == ("parts", 0, "functionResponse", "response", *inside)


def test_a_response_with_media_of_its_own_is_one_value_with_them() -> None:
    part = {"functionResponse": {"name": "shot", "response": {"output": "see"}, "parts": [PIXEL]}}
    found = part_of(part)
    assert (found.path, found.images, found.text) == (("parts", 0, "functionResponse"), 1, "see")
    assert found.media == (Media("image", "image/png", size=3),)


def test_media_are_parts_of_their_own_and_the_tools_beside_a_response() -> None:
    part = {"fileData": {"fileUri": "u", "mimeType": "video/mp4"}, "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"}}
    found = part_of(part)
    assert (found.kind, found.provenance, found.text) == (Kind.media, Provenance.user, "")
    assert found.media == (Media("video", "video/mp4", detail="low"),)
    _, beside, said = read(model(call()), user(response(output="x"), PIXEL, {"text": "and faster"}))[1].parts
    assert (beside.kind, beside.provenance) == (Kind.media, Provenance.tool)
    assert said.provenance is Provenance.user


def test_code_that_the_provider_ran_is_a_call_and_its_result() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "f()"}}
    ran, done = read(model(code, {"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "boom"}}))[0].parts
    assert (ran.kind, ran.text, ran.marks) == (Kind.call, "f()", frozenset({Mark.server}))
    assert (done.kind, done.text, done.failed, done.marks) == (Kind.result, "boom", True, frozenset({Mark.server}))
    assert ran.call_id == done.call_id


@pytest.mark.parametrize("parts", [7, {"text": "x"}, [3, None, []]])
def test_odd_parts_are_kept_and_no_error(parts: JSON) -> None:
    assert {part.kind for part in read({"role": "user", "parts": parts})[0].parts} == {Kind.other}
    assert codes({"role": "user", "parts": parts}) == []


# Pairing -------------------------------------------------------------------------------------


def test_calls_without_ids_are_paired_by_name_and_order_and_that_is_no_defect() -> None:
    messages = read(model(call("a"), call("b"), call("a")), user(response("b"), response("a"), response("a")))
    assert ids(messages) == ["#0.0", "#0.1", "#0.2", "#0.1", "#0.0", "#0.2"]
    assert codes(ASK, model(call("a")), user(response("a"))) == []


def test_results_with_ids_are_paired_by_them_in_any_order() -> None:
    contents = [model(call("a", "1"), call("a", "2")), user(response("a", "2"), response("a", "1"))]
    assert ids(read(*contents)) == ["1", "2", "2", "1"]


def test_an_id_that_only_the_response_has_does_not_hide_its_call() -> None:
    assert ids(read(model(call("a")), user(response("a", "client-7")))) == ["#0.0", "#0.0"]


def test_a_response_to_another_id_is_an_orphan() -> None:
    assert codes(ASK, model(call("a", "1")), user(response("a", "2"))) == ["orphan-result"]


def test_ids_used_twice_and_calls_nobody_answered_are_named() -> None:
    twice = [model(call("a", "1")), user(response("a", "1"))]
    assert ids(read(*twice, *twice)) == ["1", "1", "1#2", "1#2"]
    assert codes(ASK, *twice, *twice) == ["duplicate-id"]
    assert codes(ASK, model(call("a")), ASK) == ["unanswered-call"]
    assert codes(ASK, model(call("a"))) == []


# Writing -------------------------------------------------------------------------------------


def test_tidy_drops_blank_text_and_sends_no_reasoning_alone() -> None:
    signed = {"text": "", "thoughtSignature": "s"}
    thought = {"text": "hm", "thought": True}
    assert GEMINI.tidy(model({"text": " \n"}, {"text": "a"}, signed)) == model({"text": "a"}, signed)
    for rest in ([], [thought], [signed], [thought, {"text": ""}]):
        assert GEMINI.tidy(model(*rest)) is None
    whole = model(thought, call())
    assert GEMINI.tidy(whole) is whole
    assert GEMINI.tidy({"role": "model"}) is None


def test_neighbours_of_one_role_become_one_content() -> None:
    first, second = {**model({"text": "a"}), "x": 1}, {**model(call()), "y": 2}
    assert GEMINI.join(first, second) == {"role": "model", "parts": [{"text": "a"}, call()], "x": 1, "y": 2}
    assert GEMINI.join(ASK, GEMINI.page("p")) == user({"text": "q"}, {"text": "p"})


def test_a_turn_of_responses_is_joined_with_no_other() -> None:
    answers = user(response(output="x"))
    assert GEMINI.join(answers, GEMINI.page("p")) is None
    assert GEMINI.join(ASK, model({"text": "a"})) is None
    assert GEMINI.breaches([ASK, model(call()), answers, GEMINI.page("p"), model(call())]) == []


def test_an_exchange_of_ours_is_valid_in_an_open_loop_and_reads_as_a_call_and_its_result() -> None:
    signed = {**call("a", "1"), "thoughtSignature": "s"}
    loop = [ASK, model(signed), user(response("a", "1", output="x"))]
    exchange = GEMINI.exchange("own", "rehydrate", {"what": "cx:1"}, "the original", [PIXEL])
    assert GEMINI.breaches([*loop, *exchange]) == []
    assert exchange[0]["parts"][0]["thoughtSignature"] == SENTINEL
    (asked,), (got, picture) = (message.parts for message in read(*exchange))
    assert (asked.call_id, asked.args, got.call_id, got.text) == ("own", {"what": "cx:1"}, "own", "the original")
    assert picture.provenance is Provenance.tool
    assert GEMINI.holds(PIXEL)
    assert not GEMINI.holds({"image": {}})


def test_a_tool_is_offered_with_its_json_schema() -> None:
    schema = {"type": "object", "additionalProperties": False}
    tool = GEMINI.tool_definition("rehydrate", "brings back", schema)
    assert GEMINI.parse({"contents": [ASK], "tools": [tool]}).tool_names == frozenset({"rehydrate"})
    assert tool["functionDeclarations"][0]["parametersJsonSchema"] == schema


def with_line(raw: Any, part: Part) -> JSON:
    """The content with our line in the place of one part."""
    path, value = GEMINI.stand_in(part, LINE)
    raw = copy.deepcopy(raw)
    value_at(raw, path[:-1])[path[-1]] = value
    return raw


def test_a_result_that_left_keeps_its_name_and_id_for_its_call() -> None:
    inside = {"name": "shot", "response": {"output": "see"}, "parts": [PIXEL]}
    for call_id, answer in (("7", {"id": "7", **inside}), (None, inside)):
        contents = [ASK, model(call("shot", call_id)), user({"functionResponse": answer})]
        contents[2] = with_line(contents[2], read(*contents)[2].parts[0])
        assert GEMINI.breaches(contents) == []
        kept = {key: value for key, value in answer.items() if key in ("id", "name")}
        assert contents[2]["parts"][0]["functionResponse"] == {**kept, "response": {"output": LINE}}


# Laws ----------------------------------------------------------------------------------------


@given(gemini_conversations())
def test_generated_conversations_are_valid_lossless_and_without_defects(contents: list[JSON]) -> None:
    before = copy.deepcopy(contents)
    transcript = GEMINI.parse(contents)
    assert GEMINI.emit(transcript) is contents
    assert contents == before
    assert GEMINI.breaches(contents) == []
    assert transcript.defects == ()


@given(gemini_conversations(surrogates=True))
def test_lone_surrogates_are_read_and_given_back(contents: list[JSON]) -> None:
    assert GEMINI.emit(GEMINI.parse(contents)) == contents


@given(gemini_conversations(size_max=6))
def test_a_line_in_the_place_of_a_part_is_read_as_its_text_and_breaks_no_rule(contents: list[JSON]) -> None:
    for index, message in enumerate(GEMINI.parse_messages(contents)):
        for number, part in enumerate(message.parts):
            if part.kind not in (Kind.result, Kind.media, Kind.text) or Mark.server in part.marks:
                continue
            view = [*contents[:index], with_line(message.raw, part), *contents[index + 1 :]]
            found = GEMINI.parse_messages(view)[index].parts[number]
            assert found.text == LINE
            assert (found.kind is Kind.result) == (part.kind is Kind.result)
            assert found.images == 0
            assert GEMINI.breaches(view) == []


def test_one_turn_may_hold_300_calls() -> None:
    assert max(len(conversations_gemini.generate(seed, 300)) for seed in range(10)) > 200


ODD = st.sampled_from([None, 3, True, "", "x", [], {}, [None], {"text": 3}, {"text": ""}])
KEYS = st.sampled_from(
    [
        *("functionCall", "function_call", "functionResponse", "function_response", "inlineData", "file_data"),
        *("executableCode", "codeExecutionResult", "toolCall"),
    ]
)
HOLDERS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["a", "b", 3, None]),
        "id": st.sampled_from(["1", "2", "1#2", "", 3, None]),
        "args": ODD,
        "response": ODD | st.dictionaries(st.sampled_from(["output", "error", "k"]), ODD),
        "parts": ODD | st.just([PIXEL]),
        "output": ODD,
        "code": ODD,
        "mimeType": ODD,
    },
)
TEXTS: st.SearchStrategy[JSON] = st.builds(
    dict, text=st.text(max_size=5), thought=st.booleans(), thoughtSignature=st.sampled_from([None, "s", 3])
)
PARTS = st.lists(ODD | TEXTS | st.dictionaries(KEYS, ODD | HOLDERS, max_size=2), max_size=4)
HOSTILE = st.lists(
    st.one_of(
        ODD,
        st.fixed_dictionaries(
            {},
            optional={"role": st.sampled_from(["user", "model", "function", "oracle", None, 3]), "parts": PARTS | ODD},
        ),
    ),
    max_size=6,
)


@given(HOSTILE)
def test_whatever_stands_there_is_kept_and_judged_and_never_an_exception(contents: list[JSON]) -> None:
    before = copy.deepcopy(contents)
    transcript = GEMINI.parse(contents)
    assert GEMINI.emit(transcript) is contents
    assert GEMINI.parse({"contents": contents}).messages == transcript.messages
    for raw, message in zip(contents, transcript.messages, strict=True):
        blocks = [part.block for part in message.parts]
        assert len(set(blocks)) == len(blocks)
        for part in message.parts:
            value_at(raw, part.path)
            GEMINI.stand_in(part, LINE)
        GEMINI.tidy(raw)
    for first, second in pairwise(contents):
        GEMINI.join(first, second)
    GEMINI.breaches(contents)
    GEMINI.recognise(contents)
    assert contents == before


@pytest.mark.shared
@pytest.mark.skipif(not CASES.is_dir(), reason=f"no cases at {CASES}")
def test_every_shared_case_of_this_format_is_read_and_comes_back() -> None:
    read_cases = 0
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text())
        if case["format"] != "gemini":
            continue
        read_cases += 1
        contents = case["messages"]
        assert detect(contents) is GEMINI, path.name
        transcript = GEMINI.parse(contents)
        assert GEMINI.emit(transcript) is contents
        assert transcript.defects == ()
        assert GEMINI.breaches(contents) == []
        assert "bad_output" not in case or GEMINI.breaches(case["bad_output"])
    assert read_cases
