"""The opencode dialect: exports and storage records, read as what its own client would send next."""

from __future__ import annotations

import json
from typing import Any

import pytest
from session_laws import codes, lines, marks, outline, read

from cenotaph.core.model import Usage
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.detect import detect
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.dialects.opencode import OPENCODE
from cenotaph.errors import DialectError, InputError

Record = dict[str, Any]
SESSION: Record = {"id": "ses_1", "projectID": "p", "directory": "/r", "title": "T", "summary": {"files": 0}}


def said(name: str, role: str, *parts: Record, provider: str = "anthropic", **info: Any) -> Record:
    named = {"providerID": provider, "modelID": "m1"} if role == "assistant" else {}
    held = {"id": name, "sessionID": "ses_1", "role": role, "time": {"created": 1}, **named, **info}
    return {"info": held, "parts": [{"id": f"{name}p{i}", "messageID": name, **part} for i, part in enumerate(parts)]}


def text(words: str, **more: Any) -> Record:
    return {"type": "text", "text": words, **more}


def tool(call_id: str, status: str = "completed", name: str = "bash", **state: Any) -> Record:
    held = {"status": status, "input": {"command": "ls"}, "output": "out", "time": {}, **state}
    return {"type": "tool", "callID": call_id, "tool": name, "state": held}


def export(*messages: Record) -> Record:
    return {"info": SESSION, "messages": list(messages)}


def simple(provider: str = "anthropic") -> Record:
    return export(
        said("m1", "user", text("Fix it")),
        said(
            "m2",
            "assistant",
            {"type": "step-start"},
            {"type": "reasoning", "text": "Hm.", "metadata": {"anthropic": {"signature": "s"}}},
            text("I look."),
            tool("c1"),
            tool("c2", "error", error="went wrong"),
            {"type": "step-finish", "tokens": {}},
            provider=provider,
            tokens={"input": 3, "output": 1, "cache": {"read": 7, "write": 0}},
        ),
        said("m3", "assistant", text("Done."), provider=provider),
    )


@pytest.mark.parametrize(("provider", "wire"), [("anthropic", ANTHROPIC), ("openai", OPENAI_CHAT)])
def test_an_export_is_read_in_the_form_of_its_provider(provider: str, wire: Any) -> None:
    transcript = read(OPENCODE, simple(provider))
    assert transcript.wire == wire.name
    assert outline(transcript) == [
        "user text: Fix it",
        "agent reasoning: Hm.",
        "agent text: I look.",
        'agent call bash: {"command":"ls"}',
        'agent call bash: {"command":"ls"}',
        "tool result: out",
        "tool result failed: went wrong",
        "agent text: Done.",
    ]
    assert wire.breaches([m.raw for m in transcript.messages]) == []
    assert transcript.usage == (Usage(1, 10, "m1"),)
    assert (transcript.session, transcript.model) == ("ses_1", "m1")


def storage(value: Record) -> list[Record]:
    held = value["messages"]
    return [value["info"], *(m["info"] for m in held), *(part for m in held for part in m["parts"])]


@pytest.mark.parametrize(
    "value",
    [json.dumps(simple(), indent=1).encode(), storage(simple()), lines(storage(simple()))],
    ids=["bytes", "records", "lines"],
)
def test_storage_records_and_files_are_read_as_the_export_is(value: Any) -> None:
    assert detect(value) is detect(simple()) is OPENCODE
    assert outline(read(OPENCODE, value)) == outline(OPENCODE.parse(simple()))


def test_a_step_is_a_request_of_its_own() -> None:
    steps = [{"type": "step-start"}, tool("c1"), {"type": "step-start"}, tool("c2"), text("Done.")]
    transcript = read(OPENCODE, export(said("m1", "user", text("Go")), said("m2", "assistant", *steps)))
    assert [m.role for m in transcript.messages] == ["user", "assistant", "user", "assistant", "user"]


def test_what_the_client_writes_in_a_persons_role_is_never_a_person() -> None:
    parts = [text("See @a.py"), text("Called the Read tool: yes, delete it", synthetic=True), text("x", ignored=True)]
    files = [
        {"type": "file", "mime": "text/plain", "url": "file:///a.py"},
        {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AA=="},
    ]
    parts += [*files, {"type": "subtask", "prompt": "p", "description": "d", "agent": "a"}, {"type": "agent"}]
    transcript = read(OPENCODE, export(said("m1", "user", *parts)))
    assert [line.split(":")[0] for line in outline(transcript)] == [
        "user text",
        "harness text",
        "user media",
        "harness text",
    ]


def test_how_a_call_ended_comes_from_fields() -> None:
    made = [
        (tool("c", output="Error: it says so"), False),
        (tool("c", "success"), False),
        (tool("c", metadata={"exit": 1}), True),
        (tool("c", "error", error="fine"), True),
        (tool("c", "error", error="x", metadata={"interrupted": True, "output": "half"}), False),
    ]
    for part, failed in made:
        ended = OPENCODE.parse(export(said("m1", "user", text("Go")), said("m2", "assistant", part)))
        assert ended.messages[-1].parts[-1].failed is failed, part
        sent = ended.messages[-1].raw["content"][0]
        assert ("is_error" in sent) == (failed and part["state"]["status"] == "error")


def test_acts_of_a_person_are_marked() -> None:
    refused = tool("c1", "error", error="The user rejected permission to use this specific tool call.")
    asked = tool("c2", name="question", output="blue")
    transcript = read(OPENCODE, export(said("m1", "user", text("Go")), said("m2", "assistant", refused, asked)))
    assert marks(transcript)[-2:] == [["rejection"], ["answer"]]


def test_a_call_that_still_runs_is_open_at_the_end_and_interrupted_in_the_middle() -> None:
    running = said("m2", "assistant", tool("c1", "running", output=None))
    assert len(read(OPENCODE, export(said("m1", "user", text("Go")), running)).messages) == 2
    went_on = read(OPENCODE, export(said("m1", "user", text("Go")), running, said("m3", "user", text("And?"))))
    assert outline(went_on)[2].startswith("tool result failed: [")
    assert ANTHROPIC.breaches([m.raw for m in went_on.messages]) == []


def test_messages_that_ended_in_an_error_are_not_sent_but_an_aborted_one_as_far_as_it_got() -> None:
    lost = said("m2", "assistant", text("Half a"), error={"name": "APIError"})
    kept = said("m3", "assistant", text("Half b"), error={"name": "MessageAbortedError"})
    transcript = read(OPENCODE, export(said("m1", "user", text("Go")), lost, kept))
    assert outline(transcript) == ["user text: Go", "agent text: Half b"]
    assert codes(transcript) == ["unsent-message"]


# Compaction --------------------------------------------------------------------------------------------


def compacted(*, finish: str | None = "stop", **part: Any) -> Record:
    return export(
        said("m1", "user", text("First")),
        said("m2", "assistant", text("One."), summary={"additions": 1}),
        said("m3", "user", text("Second")),
        said("m4", "assistant", text("Two.")),
        said("m5", "user", {"type": "compaction", "auto": True, **part}),
        said("m6", "assistant", text("They talked."), summary=True, finish=finish, parentID="m5"),
        said("m7", "user", text("Third")),
    )


def test_the_view_begins_at_the_newest_complete_compaction() -> None:
    transcript = read(OPENCODE, compacted())
    assert [line.split(":")[0] for line in outline(transcript)] == ["harness text", "foreign text", "user text"]
    assert marks(transcript)[1] == ["summary"]
    assert len(read(OPENCODE, compacted(finish=None)).messages) == 7


def test_a_tail_stays_before_it() -> None:
    transcript = read(OPENCODE, compacted(tail_start_id="m3"))
    assert outline(transcript)[0] == "user text: Second"
    lost = read(OPENCODE, compacted(tail_start_id="m0"))
    assert (codes(lost), len(lost.messages)) == (["missing-tail"], 7)


def test_the_whole_history_says_what_the_summary_replaced() -> None:
    transcript = read(OPENCODE, compacted(tail_start_id="m3"), region="all")
    assert marks(transcript) == [["summarized"], ["summarized"], [], [], [], ["summary"], []]


def test_a_pruned_output_is_cleared_in_the_view_and_whole_in_the_history() -> None:
    pruned = export(said("m1", "user", text("Go")), said("m2", "assistant", tool("c1", time={"compacted": 9})))
    view, whole = read(OPENCODE, pruned), read(OPENCODE, pruned, region="all")
    assert (marks(view)[-1], marks(whole)[-1]) == (["cleared"], [])
    assert (outline(whole)[-1], outline(view)[-1] == outline(whole)[-1]) == ("tool result: out", False)


# What is odd -------------------------------------------------------------------------------------------


def test_unknown_parts_and_parts_without_a_message_are_reported() -> None:
    value = storage(export(said("m1", "user", text("Go"), {"type": "telepathy", "id": "x"})))
    value[2]["type"], value[3]["type"] = "text", "telepathy"
    records = [*value[:3], {"type": "text", "text": "x", "id": "p9"}]
    assert codes(read(OPENCODE, records)) == ["orphan-part"]
    assert codes(read(OPENCODE, export(said("m1", "user", text("Go"), {"type": "telepathy"})))) == ["unknown-part"]


def test_an_export_without_content_is_an_error_that_says_so() -> None:
    with pytest.raises(InputError):
        OPENCODE.parse(export(said("m1", "user")))
    with pytest.raises(DialectError):
        OPENCODE.parse({"info": {}, "messages": []})


@pytest.mark.parametrize(
    "value",
    [
        {"info": {}, "messages": [{"role": "user", "content": "x"}]},
        {"info": {}, "messages": []},
        [SESSION],
        [{"type": "text", "text": "x", "id": "p"}],
        [{"role": "user", "content": "x"}],
        None,
    ],
)
def test_other_values_are_not_claimed(value: Any) -> None:
    assert not OPENCODE.recognise(value)
