"""The claude-code dialect: which messages the model would be sent next."""

from __future__ import annotations

import copy
import json
import tracemalloc
from typing import Any

import pytest
from claude_code_session import Session, call, codes, outline, parts, simple, text

from cenotaph.core.model import Kind, Provenance, Usage
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.errors import ConfigurationError, DialectError, InputError

# Recognition ---------------------------------------------------------------------------------


def test_a_session_is_recognised_as_bytes_as_records_and_as_a_web_export() -> None:
    records = simple().records
    assert CLAUDE_CODE.recognise(simple().bytes())
    assert CLAUDE_CODE.recognise(records)
    assert CLAUDE_CODE.recognise({"loglines": records})
    assert CLAUDE_CODE.recognise(json.dumps({"loglines": records}, indent=2).encode())


@pytest.mark.parametrize(
    "value",
    [
        [],
        [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": [text("Hi")]}],
        [{"type": "message", "role": "user", "content": "Hello"}],
        [{"type": "user", "uuid": "u", "message": {"role": "user", "parts": [{"text": "Hello"}]}}],
        [
            {"type": "system", "subtype": "notice", "uuid": "s"},
            {"type": "user", "uuid": "u", "message": {"role": "user", "parts": [{"text": "Hello"}]}},
        ],
        [{"type": "response_item", "payload": {}}],
        {"messages": [{"role": "user", "content": "Hello"}]},
        "text",
        None,
        b"",
        b"not json",
        b"\xff\xfe\x00",
    ],
)
def test_other_formats_are_not_claimed(value: Any) -> None:
    assert not CLAUDE_CODE.recognise(value)


def test_titles_before_the_first_message_do_not_hide_a_session() -> None:
    session = Session()
    session.records.append({"type": "summary", "summary": "A title", "leafUuid": "x"})
    session.human("Hello")
    assert CLAUDE_CODE.recognise(session.bytes())
    assert outline(session.parse()) == ["user: Hello"]


# Emit ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data,
        lambda data: data.rstrip(b"\n"),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data + b'{"type":"user","mess',
        lambda data: data.rstrip(b"\n") + b'{"type":"summary","summary":"glued","leafUuid":"x"}\n',
        lambda data: b"\xef\xbb\xbf" + data,
    ],
    ids=["plain", "no-newline", "crlf", "torn", "glued", "bom"],
)
def test_the_file_comes_back_byte_for_byte(change: Any) -> None:
    data = change(simple().bytes())
    assert CLAUDE_CODE.emit(CLAUDE_CODE.parse(data)) == data


def test_a_list_comes_back_as_the_same_list_and_unchanged() -> None:
    records = simple().records
    before = copy.deepcopy(records)
    assert CLAUDE_CODE.emit(CLAUDE_CODE.parse(records)) is records
    assert records == before


def test_messages_are_what_is_sent_and_share_the_blocks_of_the_file() -> None:
    session = Session()
    session.human("Hello")
    session.agent(text("Hi"), message_id="m1")
    transcript = CLAUDE_CODE.parse(session.records)
    assert [m.raw for m in transcript.messages] == [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": [text("Hi")]},
    ]
    assert transcript.messages[0].raw is session.records[0]["message"]
    assert (transcript.dialect, transcript.wire) == ("claude-code", "anthropic")
    assert (transcript.session, transcript.model) == ("s1", "claude-x")


# Refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "records",
    [
        [{"type": "summary", "summary": "A title", "leafUuid": "x"}],
        [{"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}],
        [{"type": "something-new"}],
        ["words", 42],
        [],
    ],
)
def test_a_file_of_which_nothing_was_understood_is_an_error_never_an_empty_view(records: list[Any]) -> None:
    with pytest.raises(InputError) as caught:
        CLAUDE_CODE.parse(records)
    assert caught.value.details["records"] == sum(isinstance(record, dict) for record in records)


def test_another_shape_and_another_region_are_refused() -> None:
    with pytest.raises(DialectError):
        CLAUDE_CODE.parse("words")
    with pytest.raises(ConfigurationError):
        CLAUDE_CODE.parse(simple().records, region="first")  # type: ignore[arg-type]


def test_deep_nesting_in_a_decoded_record_is_refused_too() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    session = simple()
    session.agent(call("c1", "Bash", command=deep))
    with pytest.raises(InputError):
        CLAUDE_CODE.parse(session.records)


# One message per API message -------------------------------------------------------------------


def test_lines_of_one_message_are_one_message_with_the_count_of_the_last_line() -> None:
    session = Session()
    session.human("Go")
    early = {"input_tokens": 3, "cache_read_input_tokens": 100, "output_tokens": 1}
    late = {"input_tokens": 3, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100}
    session.agent({"type": "thinking", "thinking": "hm", "signature": "s"}, message_id="m1", usage=early)
    session.agent(text("First I look."), message_id="m1", usage=early)
    session.agent(call("c1", command="ls"), message_id="m1", usage=late)
    session.result("c1")
    transcript = session.parse()
    assert outline(transcript) == [
        "user: Go",
        "assistant: reasoning First I look. call(c1)",
        "user: result(c1)",
    ]
    assert transcript.usage == (Usage(message=1, input_tokens=123, model="claude-x"),)


def test_results_of_a_parallel_batch_stand_in_one_message_right_behind_their_calls() -> None:
    session = Session()
    session.human("Go")
    first = session.agent(call("c1"), message_id="m1")
    second = session.agent(call("c2"), message_id="m1")
    session.result("c2", parent=second)
    session.result("c1", parent=first)
    session.agent(text("Done."), message_id="m2")
    assert outline(session.parse()) == [
        "user: Go",
        "assistant: call(c1) call(c2)",
        "user: result(c2) result(c1)",
        "assistant: Done.",
    ]


def test_results_that_come_between_the_lines_of_one_message_do_not_split_it() -> None:
    session = Session()
    session.human("Go")
    session.agent(call("c1"), message_id="m1")
    session.result("c1")
    session.agent(call("c2"), message_id="m1")
    session.result("c2")
    assert outline(session.parse())[1:] == ["assistant: call(c1) call(c2)", "user: result(c1) result(c2)"]


def test_a_piece_of_an_older_message_never_moves_behind_a_newer_ones_back() -> None:
    session = Session()
    session.agent(text("One."), message_id="m1")
    session.agent(text("Two."), message_id="m2")
    session.agent(text("More of one."), message_id="m1")
    transcript = session.parse()
    assert outline(transcript) == ["assistant: One.", "assistant: Two.", "assistant: More of one."]
    assert codes(transcript) == ["split-message"]


def test_text_that_stands_beside_results_comes_after_all_of_them() -> None:
    session = Session()
    session.human("Go")
    session.agent(call("c1"), call("c2"), message_id="m1")
    blocks = [text("Stop there."), {"type": "tool_result", "tool_use_id": "c1", "content": "one"}]
    session.human(blocks)
    session.result("c2")
    assert outline(session.parse())[2] == "user: result(c1) result(c2) Stop there."


def test_human_messages_in_a_row_stay_separate_messages_in_order() -> None:
    session = Session()
    session.human("One")
    session.human([text("Two"), text("Three")])
    assert outline(session.parse()) == ["user: One", "user: Two Three"]


def test_records_without_links_ids_and_times_are_read_in_file_order() -> None:
    records = [
        {"type": "user", "message": {"role": "user", "content": "Go"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [text("Look."), call("c1")]}},
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}],
            },
        },
        {"type": "user", "message": {"role": "user", "content": "More"}},
        {"type": "assistant", "message": {"role": "assistant", "content": "Fine."}},
    ]
    transcript = CLAUDE_CODE.parse(records)
    assert outline(transcript) == [
        "user: Go",
        "assistant: Look. call(c1)",
        "user: result(c1)",
        "user: More",
        "assistant: Fine.",
    ]
    assert not transcript.defects


def test_a_result_whose_call_was_lost_stands_where_it_is_and_is_reported() -> None:
    session = Session()
    session.human("Go")
    session.result("gone", "output")
    transcript = session.parse()
    assert outline(transcript) == ["user: Go", "user: result(gone)"]
    assert codes(transcript) == ["orphan-result"]


def test_a_second_answer_to_a_call_is_reported_and_only_an_equal_one_is_left_out() -> None:
    session = Session()
    session.agent(call("c1"), message_id="m1")
    session.result("c1", "one")
    session.result("c1", "one")
    session.result("c1", "two")
    transcript = session.parse()
    assert [part.text for part in parts(transcript) if part.kind is Kind.result] == ["one", "two"]
    assert codes(transcript) == ["duplicate-result", "duplicate-result"]


def test_unknown_blocks_stay_in_their_message() -> None:
    session = Session()
    session.human([{"type": "hologram", "data": 1}, {"type": "image", "source": {}}])
    kinds = [part.kind for part in parts(session.parse())]
    assert kinds == [Kind.other, Kind.media]


# What is not sent ------------------------------------------------------------------------------


def test_what_the_client_writes_in_the_agents_role_is_no_model_output() -> None:
    session = simple()
    session.agent(text("No response requested."), model="<synthetic>")
    session.agent(text("API Error: 500"), isApiErrorMessage=True)
    assert outline(session.parse()) == ["user: Hello", "assistant: Hi"]
    assert session.parse().model == "claude-x"


def test_bookkeeping_records_are_not_in_the_view_and_unknown_ones_are_reported() -> None:
    session = simple()
    session.add("progress", data={"type": "bash_progress", "output": "x"})
    session.add("system", subtype="turn_duration", durationMs=5)
    session.add("attachment", attachment={"type": "todo_reminder", "content": []})
    session.records.append({"type": "pr-link", "prNumber": 1})
    session.records.append({"type": "from-the-future", "x": 1})
    session.records.append({"type": "from-the-future", "x": 2})
    transcript = session.parse()
    assert outline(transcript) == ["user: Hello", "assistant: Hi"]
    assert [(d.code, d.where) for d in transcript.defects] == [("unknown-record", "line 7")]


def test_blank_text_that_a_model_wrote_is_not_sent_back() -> None:
    session = Session()
    session.human("Go")
    session.agent(text("\n\n"), message_id="m1")
    session.agent(text("Looking."), message_id="m1")
    session.agent(text(" "), call("c1"))
    session.agent(text(" "), message_id="m2")
    session.agent({"type": "text", "text": 5})
    transcript = session.parse()
    assert [message.raw["content"] for message in transcript.messages] == [
        "Go",
        [text("Looking.")],
        [call("c1")],
        [{"type": "text", "text": 5}],
    ]


def test_what_only_a_person_sees_is_not_sent() -> None:
    session = simple()
    session.human("Shown in the transcript only", isVisibleInTranscriptOnly=True)
    assert outline(session.parse()) == ["user: Hello", "assistant: Hi"]


def test_sub_agents_are_not_in_the_view_unless_the_file_is_their_own() -> None:
    session = simple()
    session.human("Look for TODOs", isSidechain=True, parent=None)
    session.agent(text("Found two."), isSidechain=True)
    assert outline(session.parse()) == ["user: Hello", "assistant: Hi"]
    own = Session()
    own.human("Look for TODOs", isSidechain=True)
    own.agent(text("Found two."), isSidechain=True)
    assert outline(own.parse()) == ["user: Look for TODOs", "assistant: Found two."]
    assert codes(own.parse()) == ["sidechain-only"]


def test_a_sub_agents_compaction_is_not_the_sessions() -> None:
    session = simple()
    session.summary(isSidechain=True, parent=None)
    assert outline(session.parse()) == ["user: Hello", "assistant: Hi"]


def test_a_local_command_record_is_sent_as_the_client_sends_it() -> None:
    session = simple()
    session.add("system", subtype="local_command", content="<local-command-stdout>on</local-command-stdout>")
    assert parts(session.parse())[-1].provenance is Provenance.harness


@pytest.mark.parametrize("message", [None, "error", {}, {"role": "user"}, {"role": "user", "content": 5}])
def test_a_message_that_cannot_be_read_is_reported(message: Any) -> None:
    session = simple()
    session.add("user", message=message)
    transcript = session.parse()
    assert outline(transcript) == ["user: Hello", "assistant: Hi"]
    assert codes(transcript) == ["malformed-message"]


def test_values_that_are_no_records_and_empty_messages_are_reported() -> None:
    session = simple()
    session.human("")
    data = session.bytes() + b'"massive error"\n[1]\n'
    assert codes(CLAUDE_CODE.parse(data)) == ["not-a-record", "not-a-record", "empty-message"]


def test_the_clients_second_copies_of_output_do_not_stay_in_memory() -> None:
    session = simple()
    for number in range(200):
        session.agent(call(f"c{number}"), message_id=f"m{number + 2}")
        session.result(f"c{number}", toolUseResult={"originalFile": f"{number:05}" * 4_000})
        session.add("progress", data={"fullOutput": f"{number:05}" * 4_000})
    data = session.bytes()
    tracemalloc.start()
    try:
        transcript = CLAUDE_CODE.parse(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(transcript.messages) == 402
    assert peak < len(data) / 2
