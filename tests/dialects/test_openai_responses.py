"""The Responses dialect: what is read of each item, what is kept, what is left to send."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance, Usage
from cenotaph.dialects.detect import DIALECTS, detect
from cenotaph.dialects.openai_responses import OPENAI_RESPONSES
from cenotaph.errors import DialectError
from cenotaph.testing.conversations_responses import generate_items, generate_request, responses_conversations
from cenotaph.testing.strategies import generate

ASK = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
SAY = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}
PIXEL = "data:image/png;base64,iVBORw0KGgo="
CONTEXT = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"
AGENTS = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nNever push.\n</INSTRUCTIONS>"


def read(*items: JSON) -> tuple[Message, ...]:
    return OPENAI_RESPONSES.parse_messages(list(items))


def parts_of(item: JSON) -> tuple[Part, ...]:
    return read(item)[0].parts


def part_of(item: JSON) -> Part:
    (part,) = parts_of(item)
    return part


def call(call_id: JSON = "c1", name: str = "read", arguments: JSON = '{"path": "a"}', **fields: JSON) -> JSON:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, **fields}


def output(call_id: JSON = "c1", value: JSON = "ok", kind: str = "function_call_output") -> JSON:
    return {"type": kind, "call_id": call_id, "output": value}


def thought(number: int = 1, **fields: JSON) -> JSON:
    return {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "gAAA", **fields}


def codes(*items: JSON) -> list[str]:
    return [defect.code for defect in OPENAI_RESPONSES.parse(list(items)).defects]


def at(message: JSON, path: tuple[str | int, ...]) -> JSON:
    for step in path:
        message = message[step]
    return message


# Round trip ----------------------------------------------------------------------------------


@given(responses_conversations(surrogates=True))
def test_emit_gives_back_what_was_parsed_and_leaves_it_untouched(items: list[JSON]) -> None:
    before = copy.deepcopy(items)
    assert OPENAI_RESPONSES.emit(OPENAI_RESPONSES.parse(items)) is items
    assert items == before


@given(responses_conversations())
def test_paths_lead_to_the_value_and_no_two_parts_share_a_block(items: list[JSON]) -> None:
    for raw, message in zip(items, read(*items), strict=True):
        assert message.raw is raw
        blocks = [part.block for part in message.parts]
        assert len(set(blocks)) == len(blocks)
        for part in message.parts:
            at(raw, part.path)
            at(raw, part.block)


_SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
_ANY = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))
_SENT = ("message", "function_call", "function_call_output", "reasoning", "compaction", "mcp_call", "x")
_NEWER = ("shell_call_output", "mcp_approval_response", "tool_search_output", "new_call", "new_output", "new")
_TYPES = st.sampled_from((*_SENT, *_NEWER))
_KEYS = ["role", "content", "call_id", "id", "name", "arguments", "output", "summary", "status", "approve", "tools"]


@given(st.lists(st.fixed_dictionaries({"type": _TYPES}, optional=dict.fromkeys(_KEYS, _ANY)) | _ANY, max_size=6))
def test_no_value_at_all_stops_the_reading_or_is_lost(items: list[JSON]) -> None:
    transcript = OPENAI_RESPONSES.parse(items)
    assert OPENAI_RESPONSES.emit(transcript) is items
    assert len(transcript.messages) == len(items)
    for message in transcript.messages:
        for part in message.parts:
            at(message.raw, part.path)
            at(message.raw, part.block)
        OPENAI_RESPONSES.tidy(message.raw)
    OPENAI_RESPONSES.breaches(items)


def test_a_request_with_text_for_input_is_one_message_of_a_person_and_comes_back_as_it_was() -> None:
    body = {"model": "gpt-5", "input": "hello", "instructions": "Be brief."}
    transcript = OPENAI_RESPONSES.parse(body)
    assert [part.text for part in transcript.messages[0].parts] == ["hello"]
    assert transcript.messages_key == "input"
    assert OPENAI_RESPONSES.emit(transcript) is body
    shorter = replace(transcript, messages=())
    assert OPENAI_RESPONSES.emit(shorter) == {**body, "input": []}


def test_a_changed_request_keeps_its_other_fields_in_their_order() -> None:
    body = {"x": 1, "input": [ASK, SAY], "model": "gpt-5", "y": {"z": 2.0}}
    transcript = OPENAI_RESPONSES.parse(body)
    emitted = OPENAI_RESPONSES.emit(replace(transcript, messages=transcript.messages[1:]))
    assert json.dumps(emitted) == json.dumps({**body, "input": [SAY]})


def test_what_is_around_the_items_is_read() -> None:
    body = {
        "model": "gpt-5",
        "instructions": "Be brief.",
        "conversation": {"id": "conv_7"},
        "tools": [{"type": "function", "name": "f", "parameters": {}}, {"type": "web_search"}],
        "input": [ASK],
        "response": {"model": "gpt-5-mini", "usage": {"input_tokens": 90, "output_tokens": 2}},
    }
    transcript = OPENAI_RESPONSES.parse(body)
    assert [(p.text, p.provenance, p.path) for p in transcript.preamble] == [
        ("Be brief.", Provenance.system, ("instructions",))
    ]
    assert transcript.tool_names == frozenset({"f", "web_search"})
    assert "web_search" in transcript.tools_text
    assert (transcript.model, transcript.session) == ("gpt-5", "conv_7")
    assert transcript.usage == (Usage(1, 90, "gpt-5-mini"),)


def test_a_whole_server_or_no_list_of_tools_means_that_they_are_not_known() -> None:
    server = {"type": "mcp", "server_label": "wiki", "server_url": "https://example.com"}
    assert OPENAI_RESPONSES.parse({"input": [ASK], "tools": [server]}).tool_names is None
    assert OPENAI_RESPONSES.parse({"input": [ASK]}).tool_names is None
    assert OPENAI_RESPONSES.parse({"input": [ASK], "tools": []}).tool_names == frozenset()


def test_a_compacted_response_is_read_under_output() -> None:
    made = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}
    value = {"object": "response.compaction", "output": [ASK, made]}
    transcript = OPENAI_RESPONSES.parse(value)
    assert transcript.messages_key == "output"
    assert OPENAI_RESPONSES.emit(transcript) is value


@pytest.mark.parametrize("value", [7, None, "text", {"messages": []}, {"input": 3}])
def test_what_holds_no_items_is_refused_by_name(value: JSON) -> None:
    with pytest.raises(DialectError) as caught:
        OPENAI_RESPONSES.parse(value)
    assert caught.value.details["dialect"] == "openai-responses"


def test_what_is_nested_too_deep_is_refused() -> None:
    deep: JSON = []
    for _ in range(3_000):
        deep = [deep]
    with pytest.raises(DialectError):
        OPENAI_RESPONSES.parse([{"type": "message", "role": "user", "content": deep}])


# Messages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "voice"),
    [
        ("user", Provenance.user),
        ("assistant", Provenance.agent),
        ("system", Provenance.system),
        ("developer", Provenance.developer),
        ("oracle", Provenance.harness),
    ],
)
def test_the_role_says_who_speaks_with_or_without_a_type(role: str, voice: Provenance) -> None:
    for item in ({"role": role, "content": "x"}, {"type": "message", "role": role, "content": ["x"]}):
        assert part_of(item).provenance is voice
    assert codes({"role": role, "content": "x"}) == (["unknown-role"] if role == "oracle" else [])


def test_each_block_is_a_part_with_its_own_place() -> None:
    known = [{"type": "input_text", "text": "t"}, {"type": "input_image", "image_url": PIXEL, "detail": "low"}]
    odd = [{"type": "hologram"}, 7, {"type": "input_text", "text": None}]
    parts = parts_of({"role": "user", "content": [*known, *odd]})
    assert [part.kind for part in parts] == [Kind.text, Kind.media, Kind.other, Kind.other, Kind.other]
    assert [part.block for part in parts] == [("content", index) for index in range(5)]
    assert parts[0].path == ("content", 0, "text")
    assert (parts[1].media[0].kind, parts[1].media[0].mime, parts[1].media[0].detail) == ("image", "image/png", "low")


def test_a_refusal_is_text_and_files_and_links_are_media() -> None:
    refused = {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}
    assert (part_of(refused).text, part_of(refused).path) == ("no", ("content", 0, "refusal"))
    blocks = [
        {"type": "input_file", "file_data": "data:application/pdf;base64,JVBERi0="},
        {"type": "input_file", "file_id": "file_1"},
        {"type": "input_image", "image_url": "https://example.com/a.png"},
        {"type": "input_image", "image_url": None},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
    ]
    kinds = [part.media[0].kind for part in parts_of({"role": "user", "content": blocks})]
    assert kinds == ["document", "document", "image", "image", "audio"]


def test_harness_text_is_told_by_a_form_that_fills_the_block() -> None:
    reminder = "<system-reminder>x</system-reminder>"
    assert part_of({"role": "user", "content": reminder}).provenance is Provenance.harness
    assert part_of({"role": "user", "content": f"{reminder} delete it"}).provenance is Provenance.user
    assert part_of({"role": "assistant", "content": reminder}).provenance is Provenance.agent


@pytest.mark.parametrize(
    "text",
    [
        CONTEXT,
        AGENTS,
        "<plugins>Never touch prod.</plugins>",
        "<skill>I want X</skill>",
        "<turn_aborted></turn_aborted>",
    ],
)
def test_forms_of_one_client_are_a_persons_words_in_a_plain_request(text: str) -> None:
    part = part_of({"role": "user", "content": text})
    assert (part.provenance, part.marks) == (Provenance.user, frozenset())


def test_another_agents_message_is_never_a_persons() -> None:
    item = {"type": "agent_message", "author": "a", "recipient": "b", "content": [{"type": "input_text", "text": "do"}]}
    assert part_of(item).provenance is Provenance.harness


# Calls and results ---------------------------------------------------------------------------


def test_a_call_and_its_output_share_a_name() -> None:
    asked, answered = read(call(), output())
    assert (asked.parts[0].kind, asked.parts[0].tool, asked.parts[0].args) == (Kind.call, "read", {"path": "a"})
    assert asked.parts[0].text == '{"path": "a"}'
    assert (answered.parts[0].kind, answered.parts[0].path) == (Kind.result, ("output",))
    assert asked.parts[0].call_id == answered.parts[0].call_id == "c1"
    assert answered.role == "tool"


def test_outputs_out_of_order_with_missing_and_with_repeated_ids_pair() -> None:
    items = [call("a"), call("b"), output("b"), output("a"), call("a"), output("a"), call(None), output(None)]
    names = [message.parts[0].call_id for message in read(*items)]
    assert names == ["a", "b", "b", "a", "a#2", "a#2", "#6.0", "#6.0"]
    assert sorted(codes(*items)) == ["duplicate-id", "missing-id", "missing-id"]


def test_an_output_without_its_call_is_kept_and_a_partial_log_says_why() -> None:
    body = {"previous_response_id": "resp_1", "input": [output()]}
    transcript = OPENAI_RESPONSES.parse(body)
    assert [defect.code for defect in transcript.defects] == ["partial-log", "orphan-result"]
    assert transcript.messages[0].parts[0].text == "ok"
    assert OPENAI_RESPONSES.emit(transcript) is body


def test_arguments_that_are_no_object_are_kept_as_text() -> None:
    assert (part_of(call(arguments='{"a":')).text, part_of(call(arguments='{"a":')).args) == ('{"a":', None)
    assert part_of(call(arguments={"a": 1})).args == {"a": 1}
    assert part_of(call(arguments=None)).text == ""


def test_a_free_form_call_has_its_input_and_a_patch_of_one_file_that_files_path() -> None:
    def patch(*paths: str) -> JSON:
        text = "*** Begin Patch\n" + "".join(f"*** Update File: {path}\n@@\n+x\n" for path in paths) + "*** End Patch"
        return {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": text}

    one, two = part_of(patch("a b.py")), part_of(patch("a.py", "b.py"))
    assert one.args is not None
    assert (one.args["path"], one.text) == ("a b.py", one.args["input"])
    assert two.args is not None
    assert "path" not in two.args
    said = part_of({"type": "custom_tool_call", "call_id": "c", "name": "t", "input": "*** Update File: a"})
    assert said.args == {"input": "*** Update File: a"}


@pytest.mark.parametrize(
    ("value", "text", "images"),
    [
        ("ok", "ok", 0),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": PIXEL}], "a", 1),
        ({"type": "input_text", "text": "a"}, "a", 0),
        ([], "", 0),
        (None, "", 0),
        ({"rows": 1}, '{"rows":1}', 0),
    ],
)
def test_an_output_is_text_or_blocks(value: JSON, text: str, images: int) -> None:
    part = part_of(output(value=value))
    assert (part.text, part.images, len(part.media)) == (text, images, images)


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nerror: none of it failed", False),
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nfine", True),
        ("Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 1\nOutput:\n", True),
        ("Chunk ID: a\r\nWall time: 1 seconds\r\nProcess exited with code 0\r\nOutput:\r\n", False),
        ('{"output":"error","metadata":{"exit_code":0}}', False),
        ('{"output":"fine","metadata":{"exit_code":1}}', True),
        ("Output of it\nExit code: 0\nerror", True),
        ("error: no such file", True),
        ("fine", False),
        ("exec command rejected by user", True),
    ],
)
def test_how_a_command_ended_is_read_from_its_head_or_envelope_else_from_its_words(text: str, failed: bool) -> None:
    assert part_of(output(value=text)).failed is failed


def test_a_refusal_by_a_person_is_marked_only_where_it_is_the_whole_output() -> None:
    assert Mark.rejection in part_of(output(value="exec command rejected by user")).marks
    assert Mark.rejection not in part_of(output(value="it said: exec command rejected by user")).marks


def test_a_command_session_runs_until_a_look_at_it_reports_its_end() -> None:
    running = "Chunk ID: a\nWall time: 1 seconds\nProcess running with session ID 42\nOutput:\n"
    ended = "Wall time: 1 seconds\nProcess exited with code 0\nOutput:\n"
    looks = call("b", "write_stdin", '{"session_id": 42}')
    items = [
        call("a", "exec_command", "{}"),
        output("a", running),
        looks,
        output("b", running),
        looks,
        output("b", ended),
    ]
    parts = [message.parts[0] for message in read(*items)]
    assert (parts[1].live_ids, Mark.background in parts[1].marks) == (("42",), True)
    assert (parts[3].live_ids, Mark.background in parts[3].marks) == (("42",), False)
    assert parts[5].ended_ids == ("42",)
    other = read(call("a", "cat", "{}"), output("a", running))
    assert other[1].parts[0].live_ids == ()


def test_a_persons_decision_on_a_servers_call_is_marked_by_its_field() -> None:
    asked = {"type": "mcp_approval_request", "id": "r1", "name": "delete", "server_label": "wiki", "arguments": "{}"}
    for approve, mark in ((True, Mark.approval), (False, Mark.rejection)):
        decided = {"type": "mcp_approval_response", "approval_request_id": "r1", "approve": approve, "reason": "no"}
        request, response = read(asked, decided)
        assert request.parts[0].call_id == response.parts[0].call_id == "r1"
        assert request.parts[0].tool == "mcp__wiki__delete"
        assert mark in response.parts[0].marks
        assert "no" in response.parts[0].text
        assert response.parts[0].provenance is Provenance.tool


@pytest.mark.parametrize(
    ("item", "tool", "text"),
    [
        ({"type": "web_search_call", "id": "w", "action": {"query": "x"}, "status": "completed"}, "web_search", ""),
        ({"type": "file_search_call", "id": "f", "queries": ["x"], "results": [{"text": "hit"}]}, "file_search", "hit"),
        ({"type": "code_interpreter_call", "id": "i", "code": "1", "outputs": None}, "code_interpreter", ""),
        (
            {"type": "mcp_call", "id": "m", "server_label": "s", "name": "read_file", "arguments": "{}", "output": "o"},
            "mcp__s__read_file",
            "o",
        ),
        ({"type": "image_generation_call", "id": "g", "result": "iVBORw0KGgo="}, "image_generation", ""),
        ({"type": "brand_new_call", "id": "n"}, "brand_new", ""),
    ],
)
def test_what_the_provider_ran_is_a_call_with_its_result_and_never_leaves(item: JSON, tool: str, text: str) -> None:
    asked, result = parts_of(item)
    assert (asked.kind, asked.tool, result.kind, result.text) == (Kind.call, tool, Kind.result, text)
    assert asked.call_id == result.call_id
    assert Mark.server in asked.marks & result.marks
    assert codes(item) == (["unknown-item"] if tool == "brand_new" else [])


def test_a_failed_call_of_the_providers_is_marked_failed() -> None:
    item = {"type": "mcp_call", "id": "m", "name": "f", "arguments": "{}", "output": None, "error": {"code": 500}}
    assert parts_of(item)[1].failed
    assert "500" in parts_of(item)[1].text


def test_shells_patches_and_screens_pair_with_their_outputs() -> None:
    shell = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}}
    ended = {"outcome": {"type": "exit", "exit_code": 0}, "stdout": "a\n", "stderr": ""}
    shown = {"type": "shell_call_output", "call_id": "s", "output": [ended]}
    local = {"type": "local_shell_call", "id": "lsh_1", "call_id": "l", "action": {"command": ["ls"]}}
    seen = {"type": "local_shell_call_output", "id": "lsh_1", "output": "a"}
    patch = {
        "type": "apply_patch_call",
        "call_id": "p",
        "operation": {"type": "update_file", "path": "a", "diff": "+x"},
    }
    done = {"type": "apply_patch_call_output", "call_id": "p", "status": "failed", "output": "fine"}
    click = {"type": "computer_call", "call_id": "k", "action": {"type": "click"}}
    screen = {"type": "computer_screenshot", "image_url": PIXEL}
    after = {"type": "computer_call_output", "call_id": "k", "output": screen}
    parts = [message.parts[0] for message in read(shell, shown, local, seen, patch, done, click, after)]
    assert [part.call_id for part in parts] == ["s", "s", "l", "l", "p", "p", "k", "k"]
    assert (parts[1].text, parts[1].path, parts[1].failed) == ("a\n", ("output", 0, "stdout"), False)
    assert (parts[4].args or {})["path"] == "a"
    assert parts[5].failed
    assert (parts[7].images, Mark.server in parts[7].marks) == (1, True)


def test_a_shells_output_without_a_place_for_a_line_stays() -> None:
    out = {"outcome": {"type": "exit", "exit_code": 0}, "stdout": "a", "stderr": "warned"}
    timed = {"outcome": {"type": "timeout"}, "stdout": "a", "stderr": ""}
    for entries in ([out], [timed, timed], [], [7]):
        part = part_of({"type": "shell_call_output", "call_id": "s", "output": entries})
        assert Mark.server in part.marks
    assert part_of({"type": "shell_call_output", "call_id": "s", "output": [timed]}).failed


def test_unknown_items_are_kept_and_never_cut() -> None:
    for item in ({"type": "hologram", "x": 1}, {"type": "item_reference", "id": "rs_1"}):
        part = part_of(item)
        assert (part.kind, part.block, Mark.server in part.marks) == (Kind.other, (), True)
    assert codes({"type": "hologram"}, {"type": "hologram"}) == ["unknown-item"]
    answered = part_of({"type": "hologram_call_output", "call_id": "h", "output": "x"})
    assert (answered.kind, Mark.server in answered.marks) == (Kind.result, True)
    assert codes(7, {}) == ["not-an-item", "not-an-item"]


# Outputs of the model, reasoning, compaction -------------------------------------------------


def test_a_run_of_agent_items_is_one_output() -> None:
    items = [ASK, thought(), SAY, call("a"), call("b"), output("b"), output("a"), SAY, ASK, SAY]
    assert [message.continues for message in read(*items)] == [
        *(False, False, True, True, True),
        *(False, False, False, False, False),
    ]


def test_reasoning_is_signed_by_its_content_and_bound_to_what_follows() -> None:
    summary = [{"type": "summary_text", "text": "s"}]
    first, second, third = (
        read(thought(summary=summary, content=[{"type": "reasoning_text", "text": "r"}]), call())[0],
        read(thought(encrypted_content=None), SAY)[0],
        read(thought(), ASK)[0],
    )
    assert (first.parts[0].kind, first.parts[0].text) == (Kind.reasoning, "s\nr")
    assert first.parts[0].marks == {Mark.signed, Mark.bound}
    assert second.parts[0].marks == {Mark.bound}
    assert third.parts[0].marks == {Mark.signed}
    assert codes(thought(), ASK) == codes(thought()) == ["dangling-reasoning"]


@pytest.mark.parametrize("kind", ["compaction", "compaction_summary"])
def test_an_opaque_compaction_stays_and_marks_what_it_replaced(kind: str) -> None:
    made = {"type": kind, "encrypted_content": "gAAA"}
    before, said, item, after = read(ASK, SAY, made, ASK)
    assert item.parts[0].provenance is Provenance.foreign
    assert item.parts[0].marks == {Mark.summary, Mark.server}
    assert before.parts[0].marks == said.parts[0].marks == {Mark.summarized}
    assert after.parts[0].marks == frozenset()


def test_messages_that_a_compaction_kept_were_not_replaced() -> None:
    made = {"type": "compaction", "encrypted_content": "gAAA"}
    kept, _, _ = read(ASK, made, SAY)
    assert kept.parts[0].marks == frozenset()


# Writing -------------------------------------------------------------------------------------


@given(responses_conversations())
def test_a_line_put_where_stand_in_says_reads_as_the_line(items: list[JSON]) -> None:
    line = "[EVICTED:tool_result@t1.1:recover=NO]"
    for message in read(*items):
        for part in message.parts:
            if part.kind not in (Kind.result, Kind.media, Kind.text) or Mark.server in part.marks:
                continue
            path, value = OPENAI_RESPONSES.stand_in(part, line)
            raw = copy.deepcopy(message.raw)
            at(raw, path[:-1])[path[-1]] = value
            again = read(raw)[0].parts[message.parts.index(part)]
            assert again.text == line
            assert again.kind is (Kind.text if part.kind is Kind.media else part.kind)


def test_tidy_leaves_what_can_be_sent() -> None:
    blank = {"type": "input_text", "text": " "}
    assert OPENAI_RESPONSES.tidy(ASK) is ASK
    assert OPENAI_RESPONSES.tidy({**ASK, "content": [blank, *ASK["content"]]}) == ASK
    for content in ([], [blank], "", None):
        assert OPENAI_RESPONSES.tidy({**ASK, "content": content}) is None
    for item in (call(), output(value=""), thought(), {"type": "hologram"}, 7):
        assert OPENAI_RESPONSES.tidy(item) is item


def test_a_page_an_exchange_and_a_tool_are_of_this_format() -> None:
    page = OPENAI_RESPONSES.page("x")
    assert part_of(page).text == "x"
    asked, answered = read(*OPENAI_RESPONSES.exchange("c", "rehydrate", {"what": "é"}, "found"))
    assert (asked.parts[0].args, answered.parts[0].text) == ({"what": "é"}, "found")
    picture = {"type": "input_image", "image_url": PIXEL}
    shown = OPENAI_RESPONSES.exchange("c", "rehydrate", {}, "found", [picture])
    assert read(*shown)[1].parts[0].images == 1
    assert OPENAI_RESPONSES.holds(picture)
    assert not OPENAI_RESPONSES.holds({"type": "image_url"})
    assert OPENAI_RESPONSES.breaches(shown) == OPENAI_RESPONSES.breaches([page]) == []
    tool = OPENAI_RESPONSES.tool_definition("f", "d", {"type": "object"})
    assert OPENAI_RESPONSES.parse({"input": [ASK], "tools": [tool]}).tool_names == frozenset({"f"})
    assert OPENAI_RESPONSES.join(ASK, ASK) is None


# Detection -----------------------------------------------------------------------------------

OURS = {
    "typed messages": [ASK, SAY],
    "a typed message with plain text": [{"type": "message", "role": "user", "content": "x"}],
    "blocks without types of items": [{"role": "user", "content": [{"type": "input_text", "text": "x"}]}],
    "calls among plain messages": [{"role": "user", "content": "x"}, call()],
    "reasoning": [thought()],
    "an unknown item beside known ones": [ASK, {"type": "hologram"}],
    "a compaction": [{"type": "compaction", "encrypted_content": "x"}],
    "a request of plain messages": {"model": "gpt-5", "input": [{"role": "user", "content": "x"}]},
    "a request of text": {"model": "gpt-5", "input": "x"},
    "a request of nothing new": {"previous_response_id": "resp_1", "input": []},
    "a response": {"object": "response", "output": [SAY]},
    "a compacted response": {"object": "response.compaction", "output": [ASK]},
}
NOT_OURS = {
    "nothing": None,
    "an empty list": [],
    "plain messages": [{"role": "user", "content": "x"}],
    "an embedding": {"model": "text-embedding-3-small", "input": "x", "encoding_format": "float"},
    "an embedding of several": {"model": "text-embedding-3-small", "input": ["x", "y"]},
    "speech": {"model": "tts-1", "input": "x", "voice": "alloy"},
    "text alone": {"input": "x"},
    "chat": {"model": "gpt-5", "messages": [{"role": "user", "content": "x"}]},
    "chat under another key": {"input": [{"role": "tool", "tool_call_id": "c", "content": "x"}]},
    "anthropic blocks": [{"type": "message", "role": "assistant", "content": [{"type": "tool_use", "id": "t"}]}],
    "a session": [{"type": "response_item", "payload": ASK}],
    "another session": [{"type": "user", "message": {"role": "user", "content": "x"}, "uuid": "u", "sessionId": "s"}],
    "a wrapped message": [{"type": "message", "id": "1", "message": {"role": "user", "content": "x"}}],
    "langchain": [{"type": "human", "content": "x"}, {"type": "ai", "content": "y"}],
    "a number among items": [ASK, 7],
    "gemini": [{"role": "user", "parts": [{"text": "x"}]}],
}


@pytest.mark.parametrize("name", OURS)
def test_each_of_these_is_recognised_by_this_dialect_alone(name: str) -> None:
    assert [dialect.name for dialect in DIALECTS.values() if dialect.recognise(OURS[name])] == ["openai-responses"]


@pytest.mark.parametrize("name", NOT_OURS)
def test_none_of_these_is_recognised(name: str) -> None:
    assert not OPENAI_RESPONSES.recognise(NOT_OURS[name])


def test_generated_requests_are_recognised_by_this_dialect_alone_and_those_of_other_wires_never() -> None:
    for seed in range(150):
        body = generate_request(seed)
        assert [d.name for d in DIALECTS.values() if d.recognise(body)] == ["openai-responses"]
        assert detect(body) is OPENAI_RESPONSES
        assert not OPENAI_RESPONSES.recognise(generate("anthropic", seed))
        assert not OPENAI_RESPONSES.recognise(generate("openai-chat", seed))


# The generator -------------------------------------------------------------------------------


def test_a_seed_gives_the_same_items_each_time_and_no_generated_request_breaks_a_rule() -> None:
    for seed in range(400):
        items = generate_items(seed, seed % 12)
        assert items == generate_items(seed, seed % 12)
        assert OPENAI_RESPONSES.breaches(items) == []
        assert json.loads(json.dumps(items)) == items


def test_what_the_generator_promises_occurs() -> None:
    seen: set[str] = set()
    for seed in range(300):
        messages = read(*generate_items(seed, 12))
        parts = [part for message in messages for part in message.parts]
        seen |= {mark.value for part in parts for mark in part.marks}
        seen |= {kind.value for kind in {part.kind for part in parts}}
        calls = [part.call_id for part in parts if part.kind is Kind.call and Mark.server not in part.marks]
        results = [part.call_id for part in parts if part.kind is Kind.result and Mark.server not in part.marks]
        seen |= {"open"} if len(calls) > len(results) else set()
        seen |= {"out of order"} if results != calls[: len(results)] else set()
        seen |= {"empty"} if any(part.kind is Kind.result and not part.text for part in parts) else set()
        seen |= {"huge"} if any(len(part.text) > 20_000 for part in parts) else set()
        seen |= {"image in an output"} if any(part.images for part in parts) else set()
    wanted = {"open", "out of order", "empty", "huge", "image in an output", "signed", "bound", "rejection", "approval"}
    assert seen >= wanted | {"background", "server", "summary", "summarized", "media", "reasoning"}
    assert max(sum(i.get("type") == "function_call" for i in generate_items(seed, 300)) for seed in range(12)) > 200
