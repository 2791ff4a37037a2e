"""The Messages API dialect: what is read, what is kept, what is left to send."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import given

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance, Usage
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.forms import HARNESS_TAGS
from cenotaph.errors import DialectError
from cenotaph.testing.strategies import transcripts

REMINDER = "<system-reminder>\nNo todos.\n</system-reminder>"
REFUSAL = "The user doesn't want to proceed with this tool use. The tool use was rejected."


def parts_of(*blocks: JSON, role: str = "user", **fields: JSON) -> tuple[Part, ...]:
    return ANTHROPIC.parse_messages([{"role": role, "content": list(blocks), **fields}])[0].parts


def part_of(block: JSON, role: str = "user") -> Part:
    (part,) = parts_of(block, role=role)
    return part


def call(call_id: str = "t1", name: str = "Read", /, **arguments: JSON) -> JSON:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str = "t1", content: JSON = "ok", **fields: JSON) -> JSON:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def user(*blocks: JSON) -> JSON:
    return {"role": "user", "content": list(blocks)}


def agent(*blocks: JSON) -> JSON:
    return {"role": "assistant", "content": list(blocks)}


def codes(*messages: JSON) -> list[str]:
    return [defect.code for defect in ANTHROPIC.parse(list(messages)).defects]


def at(message: JSON, path: tuple[str | int, ...]) -> JSON:
    for step in path:
        message = message[step]
    return message


# Round trip ----------------------------------------------------------------------------------


@given(transcripts("anthropic"))
def test_emit_gives_back_what_was_parsed_and_leaves_it_untouched(messages: list[JSON]) -> None:
    before = copy.deepcopy(messages)
    transcript = ANTHROPIC.parse(messages)
    assert ANTHROPIC.emit(transcript) is messages
    assert messages == before
    assert [message.raw for message in transcript.messages] == before


@given(transcripts("anthropic"))
def test_every_block_is_exactly_one_part_in_order_and_paths_lead_to_its_value(messages: list[JSON]) -> None:
    for raw, message in zip(messages, ANTHROPIC.parse_messages(messages), strict=True):
        content = raw["content"]
        blocks = [("content",)] if isinstance(content, str) else [("content", i) for i in range(len(content))]
        assert [part.block for part in message.parts] == blocks
        for part in message.parts:
            at(raw, part.path)


@given(transcripts("anthropic", surrogates=True))
def test_lone_surrogates_are_read_and_given_back(messages: list[JSON]) -> None:
    assert ANTHROPIC.emit(ANTHROPIC.parse(messages)) == messages


def test_a_request_comes_back_whole_with_its_unknown_fields() -> None:
    body = {"model": "m", "x": [1], "messages": [{"role": "user", "content": "hi", "y": 2}], "system": "s"}
    transcript = ANTHROPIC.parse(body)
    assert ANTHROPIC.emit(transcript) is body
    new = Message({"role": "user", "content": "bye"}, "user", ())
    assert ANTHROPIC.emit(replace(transcript, messages=(new,))) == {**body, "messages": [new.raw]}
    assert list(ANTHROPIC.emit(replace(transcript, messages=(new,)))) == list(body)


def test_a_list_with_an_exchanged_message_is_emitted_with_it() -> None:
    transcript = ANTHROPIC.parse([user({"type": "text", "text": "a"}), agent({"type": "text", "text": "b"})])
    assert ANTHROPIC.emit(replace(transcript, messages=transcript.messages[:1])) == [
        transcript.messages[0].raw
    ]


# Parts ---------------------------------------------------------------------------------------


def test_string_content_is_one_part_that_is_the_whole_content() -> None:
    (message,) = ANTHROPIC.parse_messages([{"role": "assistant", "content": "done"}])
    at_content = ("content",)
    assert message.parts == (Part(Kind.text, Provenance.agent, at_content, at_content, "done"),)
    assert message.role == "assistant"


@pytest.mark.parametrize("content", ["", None])
def test_empty_content_has_no_part(content: JSON) -> None:
    assert ANTHROPIC.parse_messages([{"role": "user", "content": content}])[0].parts == ()


def test_a_text_block_leaves_whole_and_is_replaced_in_its_text() -> None:
    expected = Part(Kind.text, Provenance.user, ("content", 0), ("content", 0, "text"), "hi")
    assert part_of({"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}) == expected


def test_a_call_is_its_arguments_as_json_and_as_values() -> None:
    part = part_of(call("t9", "Read", path="ü"), role="assistant")
    assert (part.kind, part.provenance, part.call_id, part.tool) == (
        Kind.call,
        Provenance.agent,
        "t9",
        "Read",
    )
    assert (part.block, part.path) == (("content", 0), ("content", 0, "input"))
    assert (part.text, part.args, part.marks) == ('{"path":"ü"}', {"path": "ü"}, frozenset())


@pytest.mark.parametrize("key", ["run_in_background", "background"])
def test_a_call_goes_on_after_its_result_only_if_its_arguments_say_true(key: str) -> None:
    assert part_of(call("t1", "Bash", **{key: True}), role="assistant").marks == frozenset({Mark.background})
    assert part_of(call(**{key: "yes"}), role="assistant").marks == frozenset()


def test_arguments_that_are_no_object_have_a_text_but_no_values() -> None:
    part = part_of({"type": "tool_use", "id": "t", "name": "n", "input": [1]}, role="assistant")
    assert (part.text, part.args) == ("[1]", None)


def test_a_result_is_the_joined_text_of_its_blocks_and_counts_its_media() -> None:
    image = {"type": "image", "source": {}}
    paper = {"type": "document", "source": {"type": "text", "data": "plain"}}
    content = [
        {"type": "text", "text": "a"},
        image,
        {"type": "text", "text": "b"},
        image,
        paper,
        {"type": "odd"},
    ]
    parts = ANTHROPIC.parse_messages([agent(call()), user(result(content=content))])[1].parts
    assert parts[0].text == 'a\nb\nplain\n{"type":"odd"}'
    assert (parts[0].kind, parts[0].provenance, parts[0].images) == (Kind.result, Provenance.tool, 2)
    assert (parts[0].block, parts[0].path) == (("content", 0), ("content", 0, "content"))
    assert (parts[0].call_id, parts[0].failed, parts[0].marks) == ("t1", False, frozenset())


def test_a_result_without_content_is_a_part_of_no_text() -> None:
    assert part_of({"type": "tool_result", "tool_use_id": "t"}).text == ""


def test_only_a_failed_result_that_opens_with_the_clients_sentence_is_a_persons_refusal() -> None:
    assert part_of(result(content=REFUSAL, is_error=True)).marks == frozenset({Mark.rejection})
    assert part_of(result(content=REFUSAL)).marks == frozenset()
    assert part_of(result(content="log: " + REFUSAL, is_error=True)).marks == frozenset()
    assert part_of(result(content=REFUSAL, is_error=True)).failed


def test_reasoning_is_whole_and_signed_where_it_has_a_signature() -> None:
    signed = part_of({"type": "thinking", "thinking": "hm", "signature": "s"}, role="assistant")
    assert (signed.kind, signed.block, signed.path) == (Kind.reasoning, ("content", 0), ("content", 0))
    assert (signed.text, signed.marks) == ("hm", frozenset({Mark.signed}))
    redacted = part_of({"type": "redacted_thinking", "data": "xx"}, role="assistant")
    assert (redacted.kind, redacted.text, redacted.marks) == (Kind.reasoning, "xx", frozenset({Mark.signed}))
    bare = part_of({"type": "thinking", "thinking": "hm", "signature": ""}, role="assistant")
    assert bare.marks == frozenset()


@pytest.mark.parametrize("prefix", ["server", "mcp"])
def test_a_call_that_the_provider_runs_stands_with_its_result_in_the_agents_message(prefix: str) -> None:
    asked = {"type": f"{prefix}_tool_use", "id": "s1", "name": "search", "input": {"q": "x"}}
    failed = {"type": "web_search_tool_result_error", "error_code": "e"}
    answer = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": failed}
    first, second = parts_of(asked, answer, role="assistant")
    assert (first.kind, first.marks, first.call_id) == (Kind.call, frozenset({Mark.server}), "s1")
    assert (second.kind, second.marks, second.call_id) == (Kind.result, frozenset({Mark.server}), "s1")
    assert (second.provenance, second.failed) == (Provenance.tool, True)
    assert second.path == ("content", 1, "content")
    assert json.loads(second.text) == failed


def test_a_server_result_is_failed_by_its_own_fields_only() -> None:
    good = {"type": "mcp_tool_result", "tool_use_id": "s", "content": [{"type": "text", "text": "error"}]}
    assert not part_of(good, role="assistant").failed
    assert part_of({**good, "is_error": True}, role="assistant").failed


def test_a_summary_by_the_apis_own_compaction_is_foreign() -> None:
    part = part_of({"type": "compaction", "content": "We did X."}, role="assistant")
    assert (part.kind, part.provenance, part.marks) == (
        Kind.text,
        Provenance.foreign,
        frozenset({Mark.summary}),
    )
    assert (part.block, part.path, part.text) == (("content", 0), ("content", 0, "content"), "We did X.")
    opaque = part_of({"type": "compaction", "content": None, "encrypted_content": "e"}, role="assistant")
    assert (opaque.kind, opaque.provenance, opaque.text) == (Kind.other, Provenance.foreign, "")


@pytest.mark.parametrize(
    "name", ["image", "document", "image_url", "input_audio", "file", "container_upload"]
)
def test_media_is_a_part_without_text(name: str) -> None:
    part = part_of({"type": name, "source": {"type": "base64", "data": "AAAA"}})
    assert (part.kind, part.text, part.path, part.images) == (Kind.media, "", ("content", 0), 0)


def test_a_document_of_plain_text_is_read_as_text_and_replaced_in_its_data() -> None:
    part = part_of({"type": "document", "source": {"type": "text", "data": "long"}})
    assert (part.kind, part.text, part.path) == (Kind.text, "long", ("content", 0, "source", "data"))


def test_a_block_of_unknown_type_is_kept_with_its_whole_json() -> None:
    part = part_of({"type": "hologram", "z": 1})
    assert (part.kind, part.text) == (Kind.other, '{"type":"hologram","z":1}')
    assert (part.block, part.path) == (("content", 0), ("content", 0))


def test_content_that_is_neither_text_nor_blocks_is_kept() -> None:
    (message,) = ANTHROPIC.parse_messages([{"role": "user", "content": {"a": 1}}])
    assert [(part.kind, part.text) for part in message.parts] == [(Kind.other, '{"a":1}')]


def test_blocks_that_are_no_objects_are_kept() -> None:
    first, second = parts_of("bare", 7)
    assert (first.kind, first.text, first.path) == (Kind.text, "bare", ("content", 0))
    assert (second.kind, second.text) == (Kind.other, "7")


# Who wrote it --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "provenance"),
    [("user", "user"), ("assistant", "agent"), ("system", "system"), ("developer", "developer")],
)
def test_a_role_says_who_wrote_the_text(role: str, provenance: str) -> None:
    assert part_of({"type": "text", "text": "x"}, role=role).provenance == provenance


def test_a_form_that_fills_the_block_is_the_harnesss_and_nobody_says_that_it_comes_again() -> None:
    part = part_of({"type": "text", "text": f" {REMINDER}\n{REMINDER}\n"})
    assert (part.provenance, part.marks) == (Provenance.harness, frozenset())


def test_forms_of_several_kinds_may_fill_one_block() -> None:
    note = "<task-notification>done</task-notification>"
    for text in (note, REMINDER + note, note + REMINDER):
        part = part_of({"type": "text", "text": text})
        assert (part.provenance, part.marks) == (Provenance.harness, frozenset())


@pytest.mark.parametrize(
    "text",
    [
        "please read " + REMINDER,
        REMINDER + " and go on",
        REMINDER + "yes, deploy" + REMINDER,
        "<system-reminder>never closed",
        "<system-reminder>a</system-reminder> yes </system-reminder>",
        "<unheard-of>x</unheard-of>",
        "",
        "   ",
    ],
)
def test_in_doubt_the_text_is_human(text: str) -> None:
    assert part_of({"type": "text", "text": text}).provenance is Provenance.user


@pytest.mark.parametrize("tag", HARNESS_TAGS)
def test_every_form_of_the_table_is_the_harnesss(tag: str) -> None:
    part = part_of({"type": "text", "text": f"<{tag}></{tag}>"})
    assert (part.provenance, part.marks) == (Provenance.harness, frozenset())


def test_a_form_in_the_agents_own_text_stays_the_agents() -> None:
    assert part_of({"type": "text", "text": REMINDER}, role="assistant").provenance is Provenance.agent


def test_an_unknown_role_is_kept_reported_and_never_taken_for_a_person() -> None:
    transcript = ANTHROPIC.parse([{"role": "oracle", "content": "yes, do it"}])
    (part,) = transcript.messages[0].parts
    assert (part.provenance, part.kind, part.text) == (Provenance.harness, Kind.text, "yes, do it")
    assert [defect.code for defect in transcript.defects] == ["unknown-role"]
    assert transcript.messages[0].role == "oracle"


def test_what_is_no_message_is_kept_and_reported() -> None:
    transcript = ANTHROPIC.parse(["stray", {"role": "user", "content": "hi"}])
    assert [(d.code, d.where) for d in transcript.defects] == [("not-a-message", "message 0")]
    assert transcript.messages[0] == Message("stray", "", ())
    assert ANTHROPIC.emit(transcript) == ["stray", {"role": "user", "content": "hi"}]


def test_a_pin_of_the_message_marks_each_of_its_parts() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": REMINDER}, result()]
    assert all(Mark.pinned in part.marks for part in parts_of(*blocks, pinned=True))
    assert not any(Mark.pinned in part.marks for part in parts_of(*blocks, pinned="no"))


# Pairing -------------------------------------------------------------------------------------


def test_an_open_last_call_is_no_defect_but_one_that_was_passed_over_is() -> None:
    assert codes(user(), agent(call())) == []
    assert codes(user(), agent(call(), call("t2")), user(result("t2"))) == []
    assert codes(agent(call()), {"role": "user", "content": "never mind"}) == ["unanswered-call"]
    assert codes(agent(call()), user(result()), {"role": "user", "content": "go on"}) == []
    spoken = user(result("t2"), {"type": "text", "text": "stop"})
    assert codes(agent(call(), call("t2")), spoken) == ["unanswered-call"]


def test_a_result_without_a_call_is_an_orphan_under_its_own_id() -> None:
    transcript = ANTHROPIC.parse([user(result("t7"))])
    assert [d.code for d in transcript.defects] == ["orphan-result"]
    assert transcript.messages[0].parts[0].call_id == "t7"


def test_an_id_that_is_used_again_pairs_in_order_and_names_each_exchange_once() -> None:
    raws = [agent(call()), user(result(content="1")), agent(call()), user(result(content="2"))]
    transcript = ANTHROPIC.parse(raws)
    ids = [part.call_id for message in transcript.messages for part in message.parts]
    assert ids == ["t1", "t1", "t1#2", "t1#2"]
    assert [d.code for d in transcript.defects] == ["duplicate-id"]
    assert ANTHROPIC.emit(transcript) is raws


def test_equal_ids_inside_one_batch_pair_in_order_of_occurrence() -> None:
    messages = ANTHROPIC.parse_messages([agent(call(), call()), user(result(), result())])
    assert [part.call_id for part in messages[0].parts] == ["t1", "t1#2"]
    assert [part.call_id for part in messages[1].parts] == ["t1", "t1#2"]


def test_a_reused_id_answers_the_newest_call_not_an_abandoned_one() -> None:
    messages = ANTHROPIC.parse_messages([agent(call()), user(), agent(call()), user(result())])
    assert messages[3].parts[0].call_id == messages[2].parts[0].call_id == "t1#2"


def test_a_second_result_of_one_call_is_reported_and_stays_unpaired() -> None:
    transcript = ANTHROPIC.parse([agent(call()), user(result(), result())])
    assert [part.call_id for part in transcript.messages[1].parts] == ["t1", "t1#2"]
    assert [d.code for d in transcript.defects] == ["duplicate-id"]


def test_a_made_up_name_never_meets_a_real_one() -> None:
    messages = ANTHROPIC.parse_messages([agent(call("t1#2"), call("t1"), call("t1"))])
    assert len({part.call_id for part in messages[0].parts}) == 3


def test_without_ids_results_pair_by_order() -> None:
    nameless_call = {"type": "tool_use", "name": "n", "input": {}}
    nameless_result = {"type": "tool_result", "content": "x"}
    transcript = ANTHROPIC.parse(
        [agent(nameless_call, nameless_call), user(nameless_result, nameless_result)]
    )
    ids = [[part.call_id for part in message.parts] for message in transcript.messages]
    assert ids == [["#0.0", "#0.1"], ["#0.0", "#0.1"]]
    assert [d.code for d in transcript.defects] == ["missing-id"] * 4
    assert "#0.0" not in json.dumps(ANTHROPIC.emit(transcript))


# The request around the messages -------------------------------------------------------------


def test_system_text_is_the_preamble_with_paths_from_the_request() -> None:
    body = {"system": "rules", "messages": []}
    (part,) = ANTHROPIC.parse(body).preamble
    assert (part.provenance, part.path, part.text) == (Provenance.system, ("system",), "rules")
    listed = {"system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "messages": []}
    first, second = ANTHROPIC.parse(listed).preamble
    assert (first.block, second.block, second.path) == (("system", 0), ("system", 1), ("system", 1, "text"))
    assert at(listed, second.path) == second.text == "b"
    assert ANTHROPIC.parse({"system": "", "messages": []}).preamble == ()
    assert ANTHROPIC.parse([]).preamble == ()


def test_tools_model_and_session_come_from_the_request() -> None:
    tools = [{"name": "Read", "input_schema": {}}, {"type": "web_search_20250305", "name": "web_search"}]
    body = {
        "model": "claude-x",
        "tools": tools,
        "metadata": {"user_id": "u", "session_id": "s"},
        "messages": [],
    }
    transcript = ANTHROPIC.parse(body)
    assert transcript.tool_names == frozenset({"Read", "web_search"})
    assert json.loads(transcript.tools_text) == tools
    assert (transcript.model, transcript.session) == ("claude-x", "s")
    assert transcript.request is body


def test_a_user_id_is_not_a_session_and_silence_is_not_an_empty_list() -> None:
    transcript = ANTHROPIC.parse({"metadata": {"user_id": "u"}, "messages": []})
    assert (transcript.session, transcript.tool_names, transcript.tools_text) == (None, None, "")
    assert ANTHROPIC.parse({"tools": [], "messages": []}).tool_names == frozenset()
    assert (
        ANTHROPIC.parse({"tools": [{"name": "a"}, {"type": "mcp_toolset"}], "messages": []}).tool_names
        is None
    )


def test_usage_adds_cached_tokens_and_belongs_to_the_message_that_it_produced() -> None:
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": 9,
    }
    answer = {"role": "assistant", "content": "a", "usage": usage, "model": "claude-x"}
    body = {
        "messages": [{"role": "user", "content": "q"}, answer],
        "response": {"usage": {"input_tokens": 5}},
    }
    assert ANTHROPIC.parse(body).usage == (Usage(1, 123, "claude-x"), Usage(2, 5, None))
    assert ANTHROPIC.parse([{**answer, "usage": {"output_tokens": 1}}]).usage == ()
    assert ANTHROPIC.parse([{**answer, "usage": {"input_tokens": True}}]).usage == ()
    assert ANTHROPIC.parse([{**answer, "role": "user"}]).usage == ()


@pytest.mark.parametrize("value", [None, 3, "text", {"messages": "x"}, {"model": "m"}])
def test_what_holds_no_list_of_messages_is_refused_by_name(value: JSON) -> None:
    with pytest.raises(DialectError) as caught:
        ANTHROPIC.parse(value)
    assert caught.value.details["dialect"] == "anthropic"
    assert caught.value.next_step


def test_json_that_is_nested_too_deep_is_refused_before_it_is_walked() -> None:
    deep: JSON = {}
    for _ in range(5_000):
        deep = {"d": deep}
    with pytest.raises(DialectError) as caught:
        ANTHROPIC.parse([agent({"type": "tool_use", "id": "t", "name": "n", "input": deep})])
    assert caught.value.details["depth_max"] == 200


# Writing a view ------------------------------------------------------------------------------


@given(transcripts("anthropic"))
def test_a_message_that_can_be_sent_is_tidy_already(messages: list[JSON]) -> None:
    assert all(ANTHROPIC.tidy(message) is message for message in messages)


def test_tidy_drops_blank_text_and_keeps_everything_else() -> None:
    blank = {"type": "text", "text": " \n"}
    before = {"role": "user", "content": [blank, result(), blank], "x": 1}
    kept = copy.deepcopy(before)
    assert ANTHROPIC.tidy(before) == {"role": "user", "content": [result()], "x": 1}
    assert before == kept


@pytest.mark.parametrize(
    "content",
    [
        [],
        "",
        "  ",
        None,
        [{"type": "text", "text": ""}],
        [{"type": "thinking", "thinking": "x", "signature": "s"}],
        [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": ""}],
    ],
)
def test_a_message_of_nothing_but_reasoning_or_blanks_is_not_sent(content: JSON) -> None:
    assert ANTHROPIC.tidy({"role": "assistant", "content": content}) is None


def test_a_page_is_one_user_message_that_reads_as_its_text() -> None:
    page = ANTHROPIC.page("[CENOTAPH:1: not from the user]")
    (message,) = ANTHROPIC.parse_messages([page])
    assert (message.role, message.parts[0].text) == ("user", "[CENOTAPH:1: not from the user]")
    assert ANTHROPIC.breaches([page]) == []


def test_breaches_of_the_dialect_are_those_of_its_rules() -> None:
    messages = [{"role": "user", "content": "x"}, agent(call()), user(result())]
    assert ANTHROPIC.breaches(messages) == ANTHROPIC.breaches(messages, tools=True) == []
    assert [breach.rule for breach in ANTHROPIC.breaches(messages, tools=False)] == ["A4"]
