"""The claude-code dialect: which messages the model would be sent next."""

from __future__ import annotations

import copy
import json
import tracemalloc
from typing import Any

import pytest
from claude_code_session import Session, call, codes, outline, parts, result_part, text

from cenotaph.core.model import Kind, Mark, Provenance, Usage
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.errors import ConfigurationError, DialectError, InputError

# Recognition ---------------------------------------------------------------------------------


def simple() -> Session:
    session = Session()
    session.human("Hello")
    session.agent(text("Hi"), message_id="m1")
    return session


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
    transcript = session.parse()
    assert outline(transcript) == ["user: Go", "assistant: Looking.", "assistant: call(c1)"]
    assert [message.raw["content"] for message in transcript.messages[1:]] == [
        [text("Looking.")],
        [call("c1")],
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


# Compaction ------------------------------------------------------------------------------------


def compacted(**metadata: Any) -> Session:
    session = Session()
    session.human("Never touch /etc/prod.", uuid="h0")
    session.agent(call("c1"), message_id="m1", uuid="a1", usage={"input_tokens": 10})
    session.result("c1", uuid="r1")
    session.agent(text("Done."), message_id="m2", uuid="a2", usage={"input_tokens": 20})
    session.boundary(**metadata)
    session.summary(uuid="sum")
    session.human("Go on", uuid="h1")
    session.agent(text("Going on."), message_id="m3", usage={"input_tokens": 30})
    return session


def test_the_view_begins_with_the_summary_of_the_last_boundary() -> None:
    transcript = compacted().parse()
    assert outline(transcript) == [
        "user: Summary of what was before.",
        "user: Go on",
        "assistant: Going on.",
    ]
    summary = parts(transcript)[0]
    assert summary.provenance is Provenance.foreign
    assert summary.marks == {Mark.summary}
    assert [use.input_tokens for use in transcript.usage] == [30]


def test_the_whole_history_marks_what_the_summary_replaces() -> None:
    transcript = compacted().parse("all")
    assert outline(transcript) == [
        "user: Never touch /etc/prod.",
        "assistant: call(c1)",
        "user: result(c1)",
        "assistant: Done.",
        "user: Summary of what was before.",
        "user: Go on",
        "assistant: Going on.",
    ]
    replaced = [Mark.summarized in part.marks for part in parts(transcript)]
    assert replaced == [True, True, True, True, False, False, False]
    assert parts(transcript)[4].provenance is Provenance.foreign
    assert [use.input_tokens for use in transcript.usage] == [10, 20]  # later requests held the summary only


def test_an_older_summary_is_itself_summarized_by_a_newer_one() -> None:
    session = compacted()
    session.boundary()
    session.summary("A second summary.")
    transcript = session.parse("all")
    old, new = (part for part in parts(transcript) if part.provenance is Provenance.foreign)
    assert old.marks == {Mark.summary, Mark.summarized}
    assert new.marks == {Mark.summary}
    assert outline(session.parse()) == ["user: A second summary."]


def test_records_between_the_boundary_and_its_summary_change_nothing() -> None:
    session = simple()
    session.boundary()
    session.add("attachment", attachment={"type": "task_reminder"})
    session.summary()
    assert outline(session.parse()) == ["user: Summary of what was before."]


def test_a_summary_without_a_boundary_begins_a_region_if_it_is_a_root() -> None:
    session = simple()
    session.summary(parent=None)
    session.human("Go on")
    assert outline(session.parse()) == ["user: Summary of what was before.", "user: Go on"]


def test_a_boundary_that_nothing_follows_does_not_empty_the_view() -> None:
    session = simple()
    session.boundary()
    transcript = session.parse()
    assert outline(transcript) == ["user: Hello", "assistant: Hi"]
    assert codes(transcript) == ["boundary-without-summary"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"preservedSegment": {"headUuid": "a1", "anchorUuid": "sum", "tailUuid": "a2"}},
        {"preservedMessages": {"anchorUuid": "sum", "uuids": ["a1", "r1", "a2"]}},
        {"preservedMessages": {"anchorUuid": "unknown", "uuids": ["a2", "r1", "a1"]}},
    ],
)
def test_what_the_boundary_preserves_stands_behind_its_anchor(metadata: Any) -> None:
    transcript = compacted(**metadata).parse()
    assert outline(transcript) == [
        "user: Summary of what was before.",
        "assistant: call(c1)",
        "user: result(c1)",
        "assistant: Done.",
        "user: Go on",
        "assistant: Going on.",
    ]
    assert [use.input_tokens for use in transcript.usage] == [30]  # counts from before the cut are stale
    everything = compacted(**metadata).parse("all")
    summarized = [part.text for part in parts(everything) if Mark.summarized in part.marks]
    assert summarized == ["Never touch /etc/prod."]


def test_preserved_messages_that_were_written_again_are_shown_once() -> None:
    session = compacted(preservedMessages={"anchorUuid": "sum", "uuids": ["a2"]})
    again = copy.deepcopy(session.records[3]) | {"uuid": "a2-again"}
    session.records.insert(6, again)
    assert outline(session.parse()) == [
        "user: Summary of what was before.",
        "assistant: Done.",
        "user: Go on",
        "assistant: Going on.",
    ]
    everything = session.parse("all")
    assert outline(everything).count("assistant: Done.") == 1
    done = next(part for part in parts(everything) if part.text == "Done.")
    assert Mark.summarized not in done.marks


def test_preserved_messages_that_are_nowhere_are_reported() -> None:
    assert codes(compacted(preservedMessages={"uuids": ["nowhere"]}).parse()) == ["preserved-missing"]
    segment = {"headUuid": "x", "anchorUuid": "sum", "tailUuid": "y"}
    assert codes(compacted(preservedSegment=segment).parse()) == ["preserved-missing"]


def test_a_microcompaction_shows_the_placeholder_that_the_client_sends() -> None:
    session = Session()
    session.human("Go")
    session.agent(call("c1"), call("c2"), message_id="m1", usage={"input_tokens": 10})
    session.result("c1", "a long listing")
    session.result("c2", "kept")
    session.agent(text("Seen."), message_id="m2", usage={"input_tokens": 20})
    session.add(
        "system",
        subtype="microcompact_boundary",
        microcompactMetadata={"compactedToolIds": ["c1", "unknown"]},
    )
    session.agent(text("On."), message_id="m3", usage={"input_tokens": 30})
    transcript = session.parse()
    cleared = result_part(transcript, "c1")
    assert (cleared.text, Mark.cleared in cleared.marks) == ("[Old tool result content cleared]", True)
    assert (result_part(transcript, "c2").text, Mark.cleared in result_part(transcript, "c2").marks) == (
        "kept",
        False,
    )
    assert transcript.messages[2].raw["content"][0]["content"] == cleared.text
    assert [use.input_tokens for use in transcript.usage] == [10, 30]  # 20 was counted with the listing in it
    assert result_part(session.parse("all"), "c1").text == "a long listing"
    assert CLAUDE_CODE.emit(transcript) == session.bytes()


# Branches ----------------------------------------------------------------------------------------


def test_a_rewound_branch_is_out_and_reported() -> None:
    session = Session()
    session.human("Start")
    fork = session.agent(text("Ready."), message_id="m1")
    session.human("The old question")
    session.agent(call("c1"), message_id="m2")
    session.result("c1")
    session.human("The new question", parent=fork)
    session.agent(text("Answer."), message_id="m3")
    transcript = session.parse()
    assert outline(transcript) == [
        "user: Start",
        "assistant: Ready.",
        "user: The new question",
        "assistant: Answer.",
    ]
    assert [(d.code, d.where) for d in transcript.defects] == [("rewound-branch", "line 3")]


def test_a_fork_is_seen_through_bookkeeping_records() -> None:
    session = Session()
    session.human("Start")
    fork = session.agent(text("Ready."), message_id="m1")
    session.add("system", subtype="turn_duration")
    session.human("The old question")
    session.add("progress", data={}, parent=fork)
    session.human("The new question")
    assert outline(session.parse())[2:] == ["user: The new question"]


def test_going_back_to_the_older_branch_takes_the_newer_one_out() -> None:
    session = Session()
    fork = session.agent(text("Ready."), message_id="m1")
    session.human("One")
    old = session.agent(text("Answer one."), message_id="m2")
    session.human("Two", parent=fork)
    session.human("More of one", parent=old)
    assert outline(session.parse()) == [
        "assistant: Ready.",
        "user: One",
        "assistant: Answer one.",
        "user: More of one",
    ]


def test_a_first_prompt_that_was_rewound_is_out_where_records_are_linked() -> None:
    session = Session()
    session.human("The old beginning")
    session.agent(text("Old."), message_id="m1")
    session.human("The new beginning", parent=None)
    session.agent(text("New."), message_id="m2")
    assert outline(session.parse()) == ["user: The new beginning", "assistant: New."]


def test_roots_are_no_fork_where_records_are_not_linked() -> None:
    session = Session()
    for words in ("One", "Two"):
        session.human(words, parent=None)
        session.agent(text("Fine."), parent=None)
    assert [line for line in outline(session.parse()) if line.startswith("user")] == [
        "user: One",
        "user: Two",
    ]


def test_a_last_root_prompt_takes_nothing_out_where_records_are_not_linked() -> None:
    session = Session()
    session.human("One", parent=None)
    session.agent(text("Fine."), parent=None)
    session.human("Two", parent=None)
    assert outline(session.parse()) == ["user: One", "assistant: Fine.", "user: Two"]


def test_only_a_prompt_begins_a_branch_that_takes_another_out() -> None:
    session = Session()
    fork = session.agent(text("Ready."), message_id="m1")
    session.human("Never push.")
    session.human("A note of the client", isMeta=True, parent=fork)
    session.agent(text("Noted."), message_id="m2")
    assert "user: Never push." in outline(session.parse())


def test_siblings_under_a_parent_that_is_not_in_the_file_are_a_fork_too() -> None:
    session = Session()
    session.human("Old", parent="lost")
    session.agent(text("Old answer."), message_id="m1")
    session.human("New", parent="lost")
    transcript = session.parse()
    assert outline(transcript) == ["user: New"]
    assert codes(transcript) == ["missing-parent", "missing-parent", "rewound-branch"]


def test_replayed_turns_are_shown_once() -> None:
    session = Session()
    session.human("Start", at=1)
    session.agent(text("Ready."), message_id="m1", at=2)
    session.human("Go", at=3)
    session.agent(call("c1"), message_id="m2", at=4)
    session.result("c1", at=5)
    first = copy.deepcopy(session.records)
    for record in first[2:]:
        session.records.append(record | {"uuid": record["uuid"] + "-again"})
    session.last = session.records[-1]["uuid"]
    session.agent(text("Done."), message_id="m3", at=6)
    transcript = session.parse()
    assert outline(transcript) == [
        "user: Start",
        "assistant: Ready.",
        "user: Go",
        "assistant: call(c1)",
        "user: result(c1)",
        "assistant: Done.",
    ]
    assert codes(transcript) == ["replayed-records"]


def test_equal_words_at_another_time_are_no_replay() -> None:
    session = Session()
    session.human("continue")
    session.agent(text("Working."), message_id="m1")
    session.human("continue")
    assert outline(session.parse()) == ["user: continue", "assistant: Working.", "user: continue"]


def test_the_same_uuid_twice_is_survived() -> None:
    session = simple()
    session.records.append(copy.deepcopy(session.records[0]))
    session.human("Other words", uuid="r0", parent="r1")
    transcript = session.parse()
    assert outline(transcript) == ["user: Hello", "assistant: Hi", "user: Other words"]
    assert codes(transcript) == ["duplicate-uuid", "duplicate-uuid"]


def test_a_missing_parent_is_survived_and_reported() -> None:
    session = Session()
    session.human("Start")
    session.agent(text("Ready."), message_id="m1", parent="never-written")
    session.human("Go")
    transcript = session.parse()
    assert outline(transcript) == ["user: Start", "assistant: Ready.", "user: Go"]
    assert [(d.code, d.where) for d in transcript.defects] == [("missing-parent", "line 2")]


ODD: list[Any] = [[], {}, [[1]], {"a": {}}, 5, True, None]


@pytest.mark.parametrize("odd", ODD)
def test_a_field_of_an_unexpected_type_never_stops_the_reading(odd: Any) -> None:
    session = compacted(
        preservedSegment={"headUuid": odd, "anchorUuid": odd, "tailUuid": odd},
        preservedMessages={"uuids": [odd]},
    )
    session.human([{"type": odd, "text": odd}, {"type": "tool_result", "tool_use_id": odd, "content": odd}])
    session.agent({"type": "tool_use", "id": odd, "name": odd, "input": odd}, usage={"input_tokens": odd})
    session.human("Words", origin={"kind": odd}, toolUseResult=odd, sourceToolUseID=odd, toolDenialKind=odd)
    session.add("attachment", attachment={"type": odd, "prompt": odd})
    session.add("attachment", attachment={"type": "queued_command", "prompt": [odd], "origin": {"kind": odd}})
    session.add("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": [odd]})
    session.records += [{"type": odd}, {"type": "queue-operation", "operation": odd, "content": odd}]
    transcript = session.parse()
    assert "user: Words" in outline(transcript)
    assert CLAUDE_CODE.emit(transcript) == session.bytes()


def test_circular_parents_end() -> None:
    session = Session()
    session.human("One", uuid="a", parent="b")
    session.human("Two", uuid="b", parent="a")
    session.human("Self", uuid="c", parent="c")
    assert outline(session.parse()) == ["user: One", "user: Two", "user: Self"]


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
