"""Which records of a session go on: regions, preserved and replayed turns, rewound branches."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from claude_code_session import Session, call, codes, outline, parts, result_part, simple, text

from cenotaph.core.model import Mark, Provenance
from cenotaph.dialects.claude_code import CLAUDE_CODE

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


def test_siblings_under_a_parent_that_is_not_in_the_file_are_no_fork_for_sure_and_stay() -> None:
    session = Session()
    session.human("Old", parent="lost")
    session.agent(text("Old answer."), message_id="m1")
    session.human("New", parent="lost")
    transcript = session.parse()
    assert outline(transcript) == ["user: Old", "assistant: Old answer.", "user: New"]
    assert codes(transcript) == ["missing-parent", "missing-parent"]


def test_a_parent_that_is_no_uuid_is_missing_and_makes_no_root() -> None:
    session = Session()
    session.human("NEVER touch prod")
    session.agent(text("Noted."), message_id="m1")
    session.human("Go on", parent=7)
    transcript = session.parse()
    assert outline(transcript) == ["user: NEVER touch prod", "assistant: Noted.", "user: Go on"]


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
