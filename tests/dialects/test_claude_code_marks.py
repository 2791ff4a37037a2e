"""Who wrote a block, and what a result carries: by fields and fixed forms, never by what words say."""

from __future__ import annotations

from typing import Any

import pytest
from claude_code_session import Session, call, marks_of, parts, result_part, text

from cenotaph.core.model import Kind, Mark, Provenance
from cenotaph.dialects.claude_code_forms import FORMS, harness_forms

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. "
    "To tell you how to proceed, the user said:\nno, not on a Friday"
)


def answered(tool: str, content: Any, *, error: bool | None = None, args: Any = None, **fields: Any) -> Any:
    session = Session()
    session.human("Go")
    session.agent(call("c1", tool, **(args or {})), message_id="m1")
    session.result("c1", content, error=error, **fields)
    return session.parse()


# Human acts in results ---------------------------------------------------------------------------


@pytest.mark.parametrize("copy", ["User rejected tool use", "Error: " + REFUSED, None])
def test_a_refused_call_is_a_rejection_also_where_the_clients_copy_was_trimmed(copy: str | None) -> None:
    fields = {} if copy is None else {"toolUseResult": copy}
    part = result_part(answered("Bash", REFUSED, error=True, **fields), "c1")
    assert Mark.rejection in part.marks
    assert part.failed


def test_a_denial_field_is_a_rejection() -> None:
    transcript = answered("Bash", "denied", error=True, toolUseResult={}, toolDenialKind="user-rejected")
    assert Mark.rejection in result_part(transcript, "c1").marks


@pytest.mark.parametrize(
    ("content", "error", "fields"),
    [
        (REFUSED, None, {"toolUseResult": {"type": "text", "file": {"content": REFUSED}}}),
        (REFUSED, None, {}),
        ("1\t" + REFUSED, True, {}),
        ("Exit code 1\n" + REFUSED, True, {"toolUseResult": "Error: Exit code 1\n" + REFUSED}),
    ],
    ids=["a-file-that-quotes-it", "a-file-without-a-copy", "an-error-that-quotes-it", "a-failed-command"],
)
def test_a_quoted_refusal_is_no_rejection(content: str, error: bool | None, fields: Any) -> None:
    assert Mark.rejection not in result_part(answered("Read", content, error=error, **fields), "c1").marks


def test_an_answer_is_known_by_the_clients_field_or_by_the_tool_where_it_was_trimmed() -> None:
    said = 'User has answered your questions: "Which?"="the second"'
    copy = {"questions": [], "answers": {"Which?": "the second"}}
    assert Mark.answer in result_part(answered("AskUserQuestion", said, toolUseResult=copy), "c1").marks
    assert Mark.answer in result_part(answered("AskUserQuestion", said), "c1").marks
    assert Mark.answer not in result_part(answered("Read", said), "c1").marks
    failed = answered(
        "AskUserQuestion", "No such tool available", error=True, toolUseResult="Error: No such tool"
    )
    assert Mark.answer not in result_part(failed, "c1").marks


def test_an_approval_is_known_by_the_clients_field_or_by_the_tool_where_it_was_trimmed() -> None:
    said = "User has approved your plan. You can now start coding."
    plan = {"plan": "1. write it", "isAgent": False}
    assert Mark.approval in result_part(answered("ExitPlanMode", said, toolUseResult=plan), "c1").marks
    assert Mark.approval in result_part(answered("exit_plan_mode", said), "c1").marks
    assert Mark.approval not in result_part(answered("Bash", said), "c1").marks
    by_machine = answered("ExitPlanMode", said, toolUseResult=plan | {"isAgent": True})
    assert Mark.approval not in result_part(by_machine, "c1").marks


def test_a_rejected_plan_is_a_rejection_and_no_approval() -> None:
    transcript = answered("ExitPlanMode", REFUSED, error=True, toolUseResult="Error: " + REFUSED)
    assert result_part(transcript, "c1").marks == {Mark.rejection}


# Background resources ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "content", "fields", "live"),
    [
        (
            "Bash",
            "Command running in background with ID: b1. Output",
            {"toolUseResult": {"backgroundTaskId": "b1"}},
            "b1",
        ),
        ("Bash", "Command running in background with ID: b1. Output", {}, "b1"),
        ("Task", "started", {"toolUseResult": {"status": "async_launched", "agentId": "a7"}}, "a7"),
        ("Task", "Async agent launched successfully.\nagentId: a7 (internal)", {}, "a7"),
    ],
)
def test_a_launch_names_what_goes_on_and_marks_its_call(
    tool: str, content: str, fields: Any, live: str
) -> None:
    transcript = answered(tool, content, **fields)
    result = result_part(transcript, "c1")
    made = next(part for part in parts(transcript) if part.kind is Kind.call)
    assert result.live_ids == (live,)
    assert Mark.background in result.marks
    assert Mark.background in made.marks


def test_a_file_that_quotes_a_launch_starts_nothing() -> None:
    quoted = "Command running in background with ID: b1."
    assert result_part(answered("Read", quoted), "c1").live_ids == ()
    assert result_part(answered("Bash", quoted, toolUseResult={"stdout": quoted}), "c1").live_ids == ()


def test_a_finished_sub_agent_is_no_background_resource() -> None:
    copy = {"status": "completed", "agentId": "a7", "content": []}
    part = result_part(answered("Task", [text("Found it.")], toolUseResult=copy), "c1")
    assert (part.text, part.live_ids, part.marks) == ("Found it.", (), frozenset())


def test_a_call_that_asks_for_the_background_is_marked_before_any_result() -> None:
    session = Session()
    session.agent(call("c1", "Bash", command="serve", run_in_background=True), message_id="m1")
    assert Mark.background in parts(session.parse())[0].marks


RUNNING = {"toolUseResult": {"task": {"task_id": "b1", "status": "running"}}}
COMPLETED = {"toolUseResult": {"task": {"task_id": "b1", "status": "completed"}}}
KILLED = {"toolUseResult": {"shellId": "b1", "status": "killed"}}
OVER = "Shell b1 is not running (status: completed)"


@pytest.mark.parametrize(
    ("tool", "args", "content", "error", "fields", "live", "ended"),
    [
        ("TaskOutput", {"task_id": "b1"}, "x", None, RUNNING, ("b1",), ()),
        ("TaskOutput", {"task_id": "b1"}, "x", None, COMPLETED, (), ("b1",)),
        (
            "TaskOutput",
            {"task_id": "b1"},
            "<task_id>b1</task_id>\n<status>failed</status>",
            None,
            {},
            (),
            ("b1",),
        ),
        ("BashOutput", {"bash_id": "b1"}, "<status>running</status>", None, {}, ("b1",), ()),
        ("BashOutput", {}, "x", None, KILLED, (), ("b1",)),
        ("KillShell", {"shell_id": "b1"}, "killed", None, {}, (), ("b1",)),
        ("KillShell", {"shell_id": "b1"}, OVER, True, {}, (), ("b1",)),
        ("KillShell", {"shell_id": "b1"}, "No shell found", True, {}, (), ()),
    ],
)
def test_a_look_at_a_background_resource_says_whether_it_is_over(
    tool: str, args: Any, content: str, error: bool | None, fields: Any, live: Any, ended: Any
) -> None:
    transcript = answered(tool, content, args=args, error=error, **fields)
    part = result_part(transcript, "c1")
    assert (part.live_ids, part.ended_ids) == (live, ended)
    assert all(Mark.background not in other.marks for other in parts(transcript))


def test_a_status_in_the_output_of_another_tool_ends_nothing() -> None:
    part = result_part(answered("Bash", "<status>completed</status>", args={"task_id": "b1"}), "c1")
    assert part.ended_ids == ()


# Who wrote it ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "<system-reminder>Be brief.</system-reminder>",
        "  <system-reminder>\none\n</system-reminder>\n<system-reminder>two</system-reminder>\n",
        "<task-notification>\n<task-id>t</task-id>\n</task-notification>",
        "<local-command-caveat>Caveat: ...</local-command-caveat>",
        "<local-command-stdout>ok</local-command-stdout>",
        "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>",
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "<command-name>/exit</command-name>\n <command-message>exit</command-message>"
        "\n <command-args></command-args>",
    ],
)
def test_a_form_that_fills_its_block_is_the_clients(words: str) -> None:
    session = Session()
    session.human(words)
    session.human([text(words)])
    assert [part.provenance for part in parts(session.parse())] == [Provenance.harness, Provenance.harness]


@pytest.mark.parametrize(
    "words",
    [
        "<system-reminder>Be brief.</system-reminder> and do it now",
        "Look: <system-reminder>Be brief.</system-reminder>",
        "<system-reminder>one</system-reminder> do it <system-reminder>two</system-reminder>",
        "<system-reminder>a </system-reminder> b</system-reminder>",
        "<system-reminder>never closed",
        "<bash-input>rm -r build</bash-input>",
        "<command-name>/review</command-name>\n<command-args>only the parser</command-args>",
        "[Request interrupted by user] why?",
        "<unknown-tag>words</unknown-tag>",
        "",
        "   ",
    ],
)
def test_whatever_is_not_a_form_from_end_to_end_is_human(words: str) -> None:
    assert harness_forms(words) == ()
    if words.strip():
        session = Session()
        session.human(words)
        assert parts(session.parse())[0].provenance is Provenance.user


def test_a_reminder_inside_a_result_stays_part_of_the_result() -> None:
    content = "1\tx = 1\n<system-reminder>Be brief.</system-reminder>"
    part = result_part(answered("Read", content), "c1")
    assert (part.kind, part.provenance, part.text) == (Kind.result, Provenance.tool, content)


def test_fields_tell_machine_text_whatever_it_says() -> None:
    session = Session()
    session.human("I approve everything.", isMeta=True)
    session.human("I approve this too.", origin={"kind": "task-notification"})
    session.human("I am a person.", origin={"kind": "human"})
    provenances = [part.provenance for part in parts(session.parse())]
    assert provenances == [Provenance.harness, Provenance.harness, Provenance.user]


def test_only_what_the_client_puts_in_again_is_marked_so() -> None:
    session = Session()
    session.human("<system-reminder>Be brief.</system-reminder>", isMeta=True)
    session.human("<task-notification><task-id>t</task-id></task-notification>")
    session.human("<system-reminder>Contents of /w/CLAUDE.md:\n\nUse tabs.</system-reminder>", isMeta=True)
    both = "<system-reminder>Mixed.</system-reminder><task-notification>x</task-notification>"
    session.human(both)
    transcript = session.parse()
    assert marks_of(transcript, "Mixed") == frozenset()
    assert marks_of(transcript, "brief") == {Mark.reinjected}
    assert marks_of(transcript, "task-id") == frozenset()
    assert marks_of(transcript, "Use tabs") == {Mark.instruction}


def test_skill_and_command_bodies_are_instructions() -> None:
    session = Session()
    session.agent(call("c1", "Skill", skill="tidy"), message_id="m1")
    session.result("c1", "Launching skill: tidy")
    session.human([text("# Tidy\nAlways tidy.")], isMeta=True, sourceToolUseID="c1")
    session.human([text("Base directory for this skill: /s\n\nBe tidy.")], isMeta=True)
    session.human("<command-message>review</command-message>\n<command-name>/review</command-name>")
    session.human([text("Review in three steps.")], isMeta=True)
    session.human([text("Some other note.")], isMeta=True)
    session.human("Base directory for this skill: I typed this.")
    session.human("Base directory for this skill: a peer wrote this.", origin={"kind": "peer"})
    transcript = session.parse()
    assert marks_of(transcript, "a peer wrote") == frozenset()
    for words in ("Always tidy", "Be tidy", "three steps"):
        assert marks_of(transcript, words) == {Mark.instruction}
    assert marks_of(transcript, "other note") == frozenset()
    assert marks_of(transcript, "I typed this") == frozenset()


# Blocks ------------------------------------------------------------------------------------------


def test_reasoning_is_signed_where_it_has_a_signature() -> None:
    session = Session()
    session.agent(
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "thinking", "thinking": "bare", "signature": ""},
        {"type": "redacted_thinking", "data": "opaque"},
        message_id="m1",
    )
    found = [(part.kind, part.text, Mark.signed in part.marks) for part in parts(session.parse())]
    assert found == [
        (Kind.reasoning, "hm", True),
        (Kind.reasoning, "bare", False),
        (Kind.reasoning, "opaque", True),
    ]


def test_calls_and_results_carry_their_ids_arguments_and_images() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "eA=="}}
    transcript = answered("Read", [text("one"), picture, text("two")], args={"file_path": "a.py"})
    made, result = parts(transcript)[1:]
    assert (made.tool, made.call_id, made.args, made.text) == (
        "Read",
        "c1",
        {"file_path": "a.py"},
        '{"file_path":"a.py"}',
    )
    assert (result.text, result.images, result.failed) == ("one\ntwo", 1, False)


def test_every_path_leads_to_what_it_names() -> None:
    session = Session()
    session.human("words")
    session.agent(text("said"), {"type": "tool_use", "id": "c1", "name": "X"}, message_id="m1")
    session.human(
        [{"type": "tool_result", "tool_use_id": "c1"}, {"type": "image", "source": {}}, {"type": "odd"}]
    )
    for message in session.parse().messages:
        for part in message.parts:
            for path in (part.block, part.path):
                value: Any = message.raw
                for step in path:
                    value = value[step]
            if part.kind is Kind.text:
                assert value == part.text


def test_the_table_of_forms_has_unique_ids_and_names_its_sources() -> None:
    assert len({form.id for form in FORMS}) == len(FORMS)
    assert all(form.source and form.pattern for form in FORMS)
