"""What a person typed while the agent ran: it stands in the view, and never inside an exchange."""

from __future__ import annotations

import pytest
from claude_code_session import Session, call, outline, parts, text

from cenotaph.core.model import Provenance


def running() -> Session:
    session = Session()
    session.human("Go")
    session.agent(call("c1"), call("c2"), message_id="m1")
    return session


def finish(session: Session) -> None:
    session.result("c1")
    session.result("c2")
    session.agent(text("Done."), message_id="m2")


def test_a_text_that_was_handed_to_the_running_turn_stands_behind_the_results() -> None:
    session = running()
    session.queue("enqueue", "Don't touch prod.")
    session.result("c1")
    session.queue("remove")
    session.result("c2")
    session.agent(text("Understood."), message_id="m2")
    transcript = session.parse()
    assert outline(transcript) == [
        "user: Go",
        "assistant: call(c1) call(c2)",
        "user: result(c1) result(c2)",
        "user: Don't touch prod.",
        "assistant: Understood.",
    ]
    assert transcript.messages[3].raw == {"role": "user", "content": "Don't touch prod."}
    assert transcript.messages[3].parts[0].provenance is Provenance.user


def test_a_text_whose_end_was_never_written_stands_where_it_was_typed() -> None:
    session = running()
    session.queue("enqueue", "Also fix the docs.")
    finish(session)
    assert outline(session.parse())[3:] == ["user: Also fix the docs.", "assistant: Done."]


def test_a_text_that_was_taken_back_is_not_shown_and_its_new_wording_is() -> None:
    session = running()
    session.queue("enqueue", "remove the comman")
    session.queue("popAll", "remove the comman")
    session.queue("enqueue", "remove the command")
    session.queue("remove")
    finish(session)
    assert [line for line in outline(session.parse()) if "remove" in line] == ["user: remove the command"]


def test_taking_back_names_each_text_by_whole_lines() -> None:
    session = running()
    for words in ("one", "two", "ne"):
        session.queue("enqueue", words)
    session.queue("popAll", "one\ntwo")
    finish(session)
    queued = [line for line in outline(session.parse()) if line in ("user: one", "user: two", "user: ne")]
    assert queued == ["user: ne"]


def test_taking_back_without_saying_what_cancels_nothing() -> None:
    session = running()
    session.queue("enqueue", "Also fix the docs.")
    session.queue("popAll")
    finish(session)
    assert "user: Also fix the docs." in outline(session.parse())


def test_a_text_that_begins_the_next_turn_is_shown_once() -> None:
    session = running()
    session.queue("enqueue", "Next question?")
    finish(session)
    session.queue("dequeue")
    session.human("Next question?")
    assert outline(session.parse()).count("user: Next question?") == 1


def test_several_texts_joined_into_the_next_turn_are_shown_once() -> None:
    session = running()
    session.queue("enqueue", "First.")
    session.queue("enqueue", "Second.")
    finish(session)
    session.queue("dequeue")
    session.queue("dequeue")
    session.human("First.\nSecond.")
    users = [line for line in outline(session.parse()) if "First" in line or "Second" in line]
    assert users == ["user: First.\nSecond."]


def test_a_slash_command_that_ran_in_the_next_turn_is_not_shown_again() -> None:
    session = running()
    session.queue("enqueue", "/review now")
    finish(session)
    session.queue("dequeue")
    session.human("<command-name>/review</command-name>\n<command-args>now</command-args>")
    assert "user: /review now" not in outline(session.parse())


def test_a_text_typed_twice_and_delivered_once_by_a_record_stays_once_more() -> None:
    session = running()
    session.queue("enqueue", "continue")
    session.queue("remove")
    session.queue("enqueue", "continue")
    finish(session)
    session.queue("dequeue")
    session.human("continue")
    assert outline(session.parse()).count("user: continue") == 2


def test_an_earlier_message_with_the_same_words_settles_nothing() -> None:
    session = Session()
    session.human("continue")
    session.agent(call("c1"), message_id="m1")
    session.queue("enqueue", "continue")
    session.result("c1")
    session.queue("remove")
    assert outline(session.parse()).count("user: continue") == 2


def test_a_delivery_without_a_queue_record_does_not_shift_the_others() -> None:
    session = running()
    session.queue("enqueue", "<task-notification><task-id>t</task-id></task-notification>")
    finish(session)
    session.human("<task-notification><task-id>t</task-id></task-notification>")
    session.agent(call("c3"), message_id="m3")
    session.queue("enqueue", "wait")
    session.result("c3")
    session.queue("remove")
    session.agent(text("Waiting."), message_id="m4")
    session.queue("enqueue", "go on")
    lines = outline(session.parse())
    assert lines[-3:] == ["user: wait", "assistant: Waiting.", "user: go on"]
    assert sum("task-notification" in line for line in lines) == 1


def test_a_queued_notification_is_machine_text_and_reports_its_end() -> None:
    session = running()
    note = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>"
    session.queue("enqueue", note)
    session.queue("remove")
    finish(session)
    part = next(part for part in parts(session.parse()) if part.text == note)
    assert part.provenance is Provenance.harness
    assert part.ended_ids == ("b1",)


def test_a_text_typed_while_the_compaction_ran_stands_behind_the_summary() -> None:
    session = running()
    finish(session)
    session.queue("enqueue", "And keep the API stable.")
    session.boundary()
    session.summary()
    session.agent(text("Going on."), message_id="m3")
    assert outline(session.parse()) == [
        "user: Summary of what was before.",
        "user: And keep the API stable.",
        "assistant: Going on.",
    ]
    assert session.parse().messages[1].parts[0].provenance is Provenance.user


def test_a_text_delivered_before_the_boundary_belongs_to_what_the_summary_replaces() -> None:
    session = running()
    session.queue("enqueue", "Use tabs.")
    session.queue("remove")
    finish(session)
    session.boundary()
    session.summary()
    assert outline(session.parse()) == ["user: Summary of what was before."]
    assert "user: Use tabs." in outline(session.parse("all"))


def test_a_text_queued_inside_a_rewound_branch_is_out_with_it() -> None:
    session = Session()
    fork = session.agent(text("Ready."), message_id="m1")
    session.human("Old")
    session.agent(call("c1"), message_id="m2")
    session.queue("enqueue", "only for the old branch")
    session.queue("remove")
    session.result("c1")
    session.human("New", parent=fork)
    assert outline(session.parse()) == ["assistant: Ready.", "user: New"]


@pytest.mark.parametrize(
    ("extra", "provenance"),
    [
        ({"commandMode": "prompt"}, Provenance.user),
        ({"commandMode": "prompt", "origin": {"kind": "human"}}, Provenance.user),
        ({"commandMode": "prompt", "origin": {"kind": "peer"}}, Provenance.harness),
        ({"commandMode": "task-notification"}, Provenance.harness),
        ({"isMeta": True}, Provenance.harness),
    ],
)
def test_a_queued_command_attachment_is_shown_once_and_told_apart_by_its_fields(
    extra: dict[str, object], provenance: Provenance
) -> None:
    session = running()
    session.queue("enqueue", "Stop at three.")
    session.queue("remove")
    session.add(
        "attachment", attachment={"type": "queued_command", "prompt": [text("Stop at three.")], **extra}
    )
    finish(session)
    found = [part for part in parts(session.parse()) if part.text == "Stop at three."]
    assert [part.provenance for part in found] == [provenance]
    assert outline(session.parse())[2] == "user: result(c1) result(c2)"
