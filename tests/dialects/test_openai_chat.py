"""The Chat Completions dialect: what is read, what is kept, what is left to send."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import given

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance, Usage
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.errors import DialectError
from cenotaph.testing.strategies import transcripts

REMINDER = "<system-reminder>No todos.</system-reminder>"


def read(*messages: JSON) -> tuple[Message, ...]:
    return OPENAI_CHAT.parse_messages(list(messages))


def parts_of(**fields: JSON) -> tuple[Part, ...]:
    return read(fields)[0].parts


def part_of(**fields: JSON) -> Part:
    (part,) = parts_of(**fields)
    return part


def call(call_id: str = "c1", name: str = "read", arguments: JSON = '{"path": "a"}') -> JSON:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def agent(*calls: JSON, content: JSON = None) -> JSON:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def tool(call_id: str = "c1", content: JSON = "ok", **fields: JSON) -> JSON:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **fields}


def codes(*messages: JSON) -> list[str]:
    return [defect.code for defect in OPENAI_CHAT.parse(list(messages)).defects]


def ids(messages: tuple[Message, ...]) -> list[str | None]:
    return [part.call_id for message in messages for part in message.parts]


def at(message: JSON, path: tuple[str | int, ...]) -> JSON:
    for step in path:
        message = message[step]
    return message


# Round trip ----------------------------------------------------------------------------------


@given(transcripts("openai-chat"))
def test_emit_gives_back_what_was_parsed_and_leaves_it_untouched(messages: list[JSON]) -> None:
    before = copy.deepcopy(messages)
    transcript = OPENAI_CHAT.parse(messages)
    assert OPENAI_CHAT.emit(transcript) is messages
    assert messages == before


@given(transcripts("openai-chat"))
def test_paths_lead_to_the_value_and_no_two_parts_share_a_block(messages: list[JSON]) -> None:
    for raw, message in zip(messages, OPENAI_CHAT.parse_messages(messages), strict=True):
        blocks = [part.block for part in message.parts]
        assert len(set(blocks)) == len(blocks)
        for part in message.parts:
            at(raw, part.path)
            at(raw, part.block)


@given(transcripts("openai-chat", surrogates=True))
def test_lone_surrogates_are_read_and_given_back(messages: list[JSON]) -> None:
    assert OPENAI_CHAT.emit(OPENAI_CHAT.parse(messages)) == messages


def test_a_log_comes_back_whole_with_exchanged_messages() -> None:
    log = {"messages": [{"role": "user", "content": "q"}], "cost": 1, "response": {"model": "m"}}
    transcript = OPENAI_CHAT.parse(log)
    assert OPENAI_CHAT.emit(transcript) is log
    assert OPENAI_CHAT.emit(replace(transcript, messages=())) == {**log, "messages": []}


# Parts ---------------------------------------------------------------------------------------


def test_string_content_is_one_part_and_empty_content_is_none() -> None:
    at_content = ("content",)
    text = Part(Kind.text, Provenance.user, at_content, at_content, "hi")
    assert parts_of(role="user", content="hi", name="summary") == (text,)
    assert parts_of(role="user", content="") == parts_of(role="assistant", content=None) == ()


def test_blocks_leave_whole_and_are_replaced_in_their_text() -> None:
    first, second, third = parts_of(
        role="assistant",
        content=[{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "no"}, {"type": "odd"}],
    )
    assert (first.block, first.path, first.text) == (("content", 0), ("content", 0, "text"), "a")
    assert (second.kind, second.path, second.text) == (Kind.text, ("content", 1, "refusal"), "no")
    assert (third.kind, third.path, third.text) == (Kind.other, ("content", 2), '{"type":"odd"}')


@pytest.mark.parametrize("name", ["image_url", "image", "input_image", "document", "input_audio", "file"])
def test_media_is_a_part_without_text(name: str) -> None:
    part = part_of(role="user", content=[{"type": name, name: {"url": "x"}}])
    assert (part.kind, part.text, part.path) == (Kind.media, "", ("content", 0))


def test_a_document_of_plain_text_is_read_as_text() -> None:
    part = part_of(role="user", content=[{"type": "document", "source": {"type": "text", "data": "long"}}])
    assert (part.kind, part.text, part.path) == (Kind.text, "long", ("content", 0, "source", "data"))


def test_odd_content_is_kept() -> None:
    first, second = parts_of(role="user", content=["bare", 7])
    assert (first.kind, first.text) == (Kind.text, "bare")
    assert (second.kind, second.text) == (Kind.other, "7")
    assert part_of(role="user", content={"a": 1}).text == '{"a":1}'


def test_a_call_is_its_arguments_string_and_their_values() -> None:
    part = part_of(**agent(call("c9")))
    assert (part.kind, part.provenance, part.call_id, part.tool) == (
        Kind.call,
        Provenance.agent,
        "c9",
        "read",
    )
    assert part.block == ("tool_calls", 0)
    assert part.path == ("tool_calls", 0, "function", "arguments")
    assert (part.text, part.args, part.marks) == ('{"path": "a"}', {"path": "a"}, frozenset())


@pytest.mark.parametrize("arguments", ["", "[1]", '{"torn": ', "plain", None, 7, '{"a": ' * 3_000])
def test_arguments_that_are_not_one_object_have_no_values(arguments: JSON) -> None:
    part = part_of(**agent(call(arguments=arguments)))
    assert part.args is None
    assert part.text == {None: "", 7: "7"}.get(arguments, arguments)


def test_custom_flat_and_foreign_calls_are_read_where_they_stand() -> None:
    custom = part_of(**agent({"id": "c", "type": "custom", "custom": {"name": "sh", "input": "ls"}}))
    assert (custom.tool, custom.path, custom.text) == ("sh", ("tool_calls", 0, "custom", "input"), "ls")
    flat = part_of(**agent({"id": "c", "name": "find", "arguments": {"q": 1}, "requestor": "assistant"}))
    assert (flat.tool, flat.path, flat.args) == ("find", ("tool_calls", 0, "arguments"), {"q": 1})
    assert flat.text == '{"q":1}'
    args = part_of(**agent({"id": "c", "name": "find", "args": {"q": 1}}))
    assert (args.path, args.args) == (("tool_calls", 0, "args"), {"q": 1})
    stray = part_of(**agent("c"))
    assert (stray.kind, stray.text) == (Kind.other, '"c"')


@pytest.mark.parametrize("key", ["run_in_background", "background"])
def test_a_call_goes_on_after_its_result_only_if_its_arguments_say_true(key: str) -> None:
    assert part_of(**agent(call(arguments=json.dumps({key: True})))).marks == frozenset({Mark.background})
    assert part_of(**agent(call(arguments=json.dumps({key: 1})))).marks == frozenset()


def test_a_result_is_its_whole_message() -> None:
    part = read(agent(call()), tool(name="read"))[1].parts[0]
    expected = Part(Kind.result, Provenance.tool, (), ("content",), "ok", call_id="c1", tool="read")
    assert part == expected
    image = {"type": "image_url", "image_url": {}}
    listed = part_of(**tool(content=[{"type": "text", "text": "a"}, image, {"type": "text", "text": "b"}]))
    assert (listed.text, listed.images, listed.path) == ("a\nb", 1, ("content",))


@pytest.mark.parametrize(
    "fields", [{"error": True}, {"error": {"m": 1}}, {"is_error": True}, {"status": "error"}]
)
def test_a_result_is_failed_by_a_field(fields: dict[str, JSON]) -> None:
    assert part_of(**tool(**fields)).failed


@pytest.mark.parametrize(
    "fields", [{}, {"error": None}, {"error": False}, {"is_error": "no"}, {"status": "success"}]
)
def test_a_field_that_says_nothing_bad_fails_no_result(fields: dict[str, JSON]) -> None:
    assert not part_of(**tool(content="exit code 0", **fields)).failed


@pytest.mark.parametrize(
    "said",
    [
        *("Error: ENOENT: no such file", "Traceback (most recent call last):", "permission denied", "ValueError: x"),
        *("Rejected: plan not changed", "exit code 1", "Failed to write", '{"ok": false}', '{"error": "no"}'),
    ],
)
def test_where_no_field_says_so_a_result_that_opens_with_failure_is_taken_for_failed(said: str) -> None:
    assert part_of(**tool(content=said)).failed


@pytest.mark.parametrize(
    "said", ["def f(): raise TypeE", "ok", "", "no errors found", '{"error": null}', "0 failed, 12 passed"]
)
def test_a_word_of_failure_elsewhere_fails_nothing(said: str) -> None:
    assert not part_of(**tool(content=said)).failed


def test_reasoning_beside_the_content_comes_first_and_leaves_by_its_key() -> None:
    first, second = parts_of(role="assistant", reasoning_content="hm", content="done")
    assert (first.kind, first.block, first.path) == (
        Kind.reasoning,
        ("reasoning_content",),
        ("reasoning_content",),
    )
    assert (first.text, first.marks, second.text) == ("hm", frozenset(), "done")
    assert parts_of(role="assistant", reasoning=None, reasoning_content="", content="x")[0].kind is Kind.text


def test_reasoning_with_a_signature_is_signed() -> None:
    detail = {"type": "reasoning.text", "text": "a", "signature": "s"}
    part = part_of(
        role="assistant", reasoning_details=[detail, {"type": "reasoning.summary", "summary": "b"}]
    )
    assert (part.text, part.marks) == ("a\nb", frozenset({Mark.signed}))
    blocks = [{"type": "thinking", "thinking": "t", "signature": ""}]
    assert part_of(role="assistant", thinking_blocks=blocks).marks == frozenset()
    inline = part_of(role="assistant", content=[{"type": "thinking", "thinking": "t", "signature": "s"}])
    assert (inline.kind, inline.path, inline.marks) == (
        Kind.reasoning,
        ("content", 0),
        frozenset({Mark.signed}),
    )


def test_refusal_and_audio_are_parts() -> None:
    first, second = parts_of(role="assistant", content=None, refusal="no", audio={"id": "a"})
    assert (first.kind, first.path, first.text) == (Kind.text, ("refusal",), "no")
    assert (second.kind, second.path) == (Kind.media, ("audio",))


def test_metadata_is_not_text_that_the_model_reads() -> None:
    assert part_of(role="assistant", content="x", response_metadata={"k": "v"}, usage={}, id="m").text == "x"


# Who wrote it --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "provenance"),
    [("user", "user"), ("assistant", "agent"), ("system", "system"), ("developer", "developer")],
)
def test_a_role_says_who_wrote_the_text(role: str, provenance: str) -> None:
    assert part_of(role=role, content="x").provenance == provenance


def test_harness_text_is_told_by_its_form_and_only_in_the_users_role() -> None:
    part = part_of(role="user", content=REMINDER)
    assert (part.provenance, part.marks) == (Provenance.harness, frozenset())
    assert part_of(role="user", content=REMINDER + " yes").provenance is Provenance.user
    assert part_of(role="system", content=REMINDER).provenance is Provenance.system


def test_an_unknown_role_is_kept_reported_and_never_taken_for_a_person() -> None:
    transcript = OPENAI_CHAT.parse([{"role": "human", "content": "yes"}, {"content": "no role"}, 7])
    assert [d.code for d in transcript.defects] == ["unknown-role", "unknown-role", "not-a-message"]
    assert [m.parts[0].provenance for m in transcript.messages[:2]] == [Provenance.harness] * 2
    assert transcript.messages[2].raw == 7


def test_a_pin_of_the_message_marks_its_parts() -> None:
    assert part_of(role="user", content="x", pinned=True).marks == frozenset({Mark.pinned})
    assert Mark.pinned in part_of(**tool(pinned=True)).marks
    assert part_of(role="user", content="x", pinned=1).marks == frozenset()


# Pairing -------------------------------------------------------------------------------------


def test_calls_and_results_pair_by_id_in_any_order() -> None:
    messages = read(agent(call("a"), call("b")), tool("b"), tool("a"))
    assert ids(messages) == ["a", "b", "b", "a"]


def test_without_ids_results_pair_by_order_and_made_up_names_stay_inside() -> None:
    bare = {"function": {"name": "read", "arguments": "{}"}}
    value = [agent(bare, bare), {"role": "tool", "content": "1"}, {"role": "tool", "content": "2"}]
    transcript = OPENAI_CHAT.parse(value)
    assert ids(transcript.messages) == ["#0.0", "#0.1", "#0.0", "#0.1"]
    assert [d.code for d in transcript.defects] == ["missing-id"] * 4
    assert "#0" not in json.dumps(OPENAI_CHAT.emit(transcript))


def test_a_result_without_id_takes_the_call_of_its_name_first() -> None:
    value = [agent(call("a", "x"), call("b", "y")), {"role": "tool", "name": "y", "content": "1"}]
    assert ids(read(*value)) == ["a", "b", "b"]
    value[1]["name"] = "z"
    assert ids(read(*value)) == ["a", "b", "a"]


def test_a_name_never_overrides_an_id() -> None:
    messages = read(agent(call("a", "x"), call("a", "y")), tool("a", name="y"))
    assert ids(messages) == ["a", "a#2", "a"]


def test_a_result_may_carry_the_call_id_as_its_own_id_or_in_a_list() -> None:
    flat = {"id": "t1", "name": "find", "arguments": {}}
    value = [agent(flat), {"role": "tool", "id": "t1", "content": "x", "requestor": "assistant"}]
    assert ids(read(*value)) == ["t1", "t1"]
    assert codes(*value) == []
    assert ids(read(agent(call("a")), {"role": "tool", "tool_call_ids": ["a"], "content": ""})) == ["a", "a"]


def test_an_id_that_no_call_has_numbers_the_message_and_pairs_nothing() -> None:
    value = [agent(call("a")), {"role": "tool", "id": "msg_1", "content": "x"}]
    assert ids(read(*value)) == ["a", "a"]
    assert codes(*value) == ["missing-id"]


def test_a_person_may_make_calls_of_their_own() -> None:
    made = {"role": "user", "content": None, "tool_calls": [{"id": "u", "name": "n", "arguments": {}}]}
    messages = read(made, {"role": "tool", "id": "u", "content": "x"})
    assert messages[0].parts[0].provenance is Provenance.user
    assert ids(messages) == ["u", "u"]


def test_the_legacy_function_call_pairs_by_place_without_a_defect() -> None:
    asked = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    transcript = OPENAI_CHAT.parse([asked, {"role": "function", "name": "f", "content": "x"}])
    part = transcript.messages[0].parts[0]
    assert (part.block, part.path) == (("function_call",), ("function_call", "arguments"))
    assert ids(transcript.messages) == ["#0.0", "#0.0"]
    assert transcript.defects == ()


def test_what_does_not_pair_is_reported() -> None:
    later = {"role": "user", "content": "x"}
    assert codes(tool("z")) == ["orphan-result"]
    assert codes({"role": "tool", "content": "x"}) == ["missing-id", "orphan-result"]
    assert codes(agent(call()), later) == ["unanswered-call"]
    assert codes(agent(call("a"), call("b")), tool("a")) == []
    assert codes(agent(call()), tool(), tool()) == ["duplicate-id"]
    assert codes(agent(call()), tool(), agent(call()), tool()) == ["duplicate-id"]


# The request around the messages -------------------------------------------------------------


def test_tools_model_and_session_come_from_the_request() -> None:
    tools = [{"type": "function", "function": {"name": "a"}}, {"type": "custom", "custom": {"name": "b"}}]
    body = {"model": "m", "tools": tools, "functions": [{"name": "c"}], "session_id": "s", "messages": []}
    transcript = OPENAI_CHAT.parse(body)
    assert transcript.tool_names == frozenset({"a", "b", "c"})
    assert transcript.tools_text == json.dumps(tools, separators=(",", ":")) + '[{"name":"c"}]'
    assert (transcript.model, transcript.session) == ("m", "s")
    silent = OPENAI_CHAT.parse({"tools": None, "session_id": "", "messages": []})
    assert (silent.tool_names, silent.tools_text, silent.model, silent.session) == (None, "", None, None)


def test_a_logged_response_counts_the_message_after_the_last() -> None:
    log = {
        "messages": [{"role": "user", "content": "q"}],
        "response": {"model": "m", "usage": {"prompt_tokens": 4812, "input_tokens": 1}},
    }
    transcript = OPENAI_CHAT.parse(log)
    assert transcript.usage == (Usage(1, 4812, "m"),)
    assert transcript.model == "m"


def test_what_holds_no_list_of_messages_is_refused_by_name() -> None:
    with pytest.raises(DialectError) as caught:
        OPENAI_CHAT.parse({"traj": []})
    assert caught.value.details["dialect"] == "openai-chat"
    assert "traj" in caught.value.details["seen"]


# Writing a view ------------------------------------------------------------------------------


@given(transcripts("openai-chat"))
def test_a_message_that_can_be_sent_is_tidy_already(messages: list[JSON]) -> None:
    assert all(OPENAI_CHAT.tidy(message) is message for message in messages)


def test_tidy_drops_empty_calls_and_blank_text_and_keeps_everything_else() -> None:
    blank = {"type": "text", "text": " "}
    text = {"type": "text", "text": "a"}
    before = {"role": "assistant", "content": [blank, text], "tool_calls": [], "x": 1}
    kept = copy.deepcopy(before)
    assert OPENAI_CHAT.tidy(before) == {"role": "assistant", "content": [text], "x": 1}
    assert before == kept
    assert OPENAI_CHAT.tidy(agent(call(), content=[blank])) == agent(call(), content=None)
    assert OPENAI_CHAT.tidy(tool(content=[blank])) == tool(content="")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": []},
        {"role": "assistant", "content": [{"type": "text", "text": ""}], "tool_calls": []},
        {"role": "assistant", "reasoning_content": "hm", "content": None},
        {"role": "user", "content": []},
        {"role": "user"},
        {"role": "tool", "tool_call_id": "a"},
    ],
)
def test_a_message_of_nothing_or_of_reasoning_alone_is_not_sent(message: JSON) -> None:
    assert OPENAI_CHAT.tidy(message) is None


@pytest.mark.parametrize(
    "message",
    [
        tool(content=""),
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "assistant", "content": None, "audio": {"id": "a"}},
        "no object",
    ],
)
def test_a_message_that_says_something_without_content_stays_the_same_object(message: JSON) -> None:
    assert OPENAI_CHAT.tidy(message) is message


def test_a_page_is_one_user_message_that_reads_as_its_text() -> None:
    page = OPENAI_CHAT.page("p")
    assert (page["role"], part_of(**page).text) == ("user", "p")
    assert OPENAI_CHAT.breaches([page]) == []


def test_breaches_of_the_dialect_are_those_of_its_rules() -> None:
    assert [breach.rule for breach in OPENAI_CHAT.breaches([tool("z")])] == ["O1"]
