"""Compactions of opencode: summaries with and without a tail, and outputs that were pruned."""

from __future__ import annotations

from typing import Any

from compaction_laws import gone, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism
from cenotaph.core.model import Mark
from cenotaph.dialects.compactions.opencode import chronicle
from cenotaph.dialects.opencode import OPENCODE

Record = dict[str, Any]


def message(name: str, role: str, created: int, parts: list[Record], **info: Any) -> Record:
    more = {"providerID": "anthropic", "modelID": "m", "finish": "stop"} if role == "assistant" else {}
    info = {"id": name, "sessionID": "s", "role": role, "time": {"created": created}, **more, **info}
    return {"info": info, "parts": parts}


def text(words: str) -> Record:
    return {"id": words, "type": "text", "text": words}


def tool(call_id: str, output: str, compacted: int | None = None) -> Record:
    time: Record = {"start": 1, "end": 2}
    if compacted is not None:
        time["compacted"] = compacted
    state = {"status": "completed", "input": {"path": "a"}, "output": output, "time": time}
    return {"id": call_id, "type": "tool", "tool": "read", "callID": call_id, "state": state}


def asked(name: str, created: int, tail: str | None = None, auto: bool = True) -> Record:
    part = {"id": f"p-{name}", "type": "compaction", "auto": auto}
    return message(name, "user", created, [part if tail is None else {**part, "tail_start_id": tail}])


def summary(name: str, created: int, parent: str, words: str, **info: Any) -> Record:
    return message(name, "assistant", created, [text(words)], parentID=parent, **{"summary": True, **info})


def export(*messages: Record) -> Record:
    return {"info": {"id": "s"}, "messages": list(messages)}


TALK = [
    message("u1", "user", 10, [text("never push")]),
    message("a1", "assistant", 11, [text("ok")], parentID="u1"),
    message("u2", "user", 20, [text("go on")]),
    message("a2", "assistant", 21, [text("done")], parentID="u2"),
]


def test_a_summary_replaces_all_before_it() -> None:
    later = message("u3", "user", 40, [text("next")])
    found = lawful(chronicle(export(*TALK, asked("c", 30), summary("z", 31, "c", "SUM"), later)))
    (event,) = found.events
    assert event.mechanism is Mechanism.opencode_compaction
    assert gone(event) == ["never push", "ok", "go on", "done"]
    assert stands_for_it(event) == ["SUM"]
    assert (event.trigger, event.where, event.when) == ("auto", "message c", "1970-01-01T00:00:00.030Z")
    assert said(found.messages[event.at :]) == ["next"]
    assert event.wire == "anthropic"


def test_the_tail_is_kept() -> None:
    (event,) = lawful(chronicle(export(*TALK, asked("c", 30, "u2", auto=False), summary("z", 31, "c", "SUM")))).events
    assert gone(event) == ["never push", "ok"]
    assert event.trigger == "manual"


def test_a_summary_of_changed_files_is_none_and_neither_is_one_that_failed() -> None:
    counted = message("a3", "assistant", 32, [text("x")], parentID="c", summary={"files": 3})
    failed = summary("z", 31, "c", "SUM", error={"name": "APIError"})
    assert chronicle(export(*TALK, asked("c", 30), counted)).events == ()
    assert chronicle(export(*TALK, asked("c", 30), failed)).events == ()


def test_views_of_a_chain_are_those_of_the_dialect_itself() -> None:
    messages: list[Record] = []
    for number in range(1, 5):
        messages += [
            message(f"u{number}", "user", 100 * number, [text(f"h{number}")]),
            message(f"a{number}", "assistant", 100 * number + 1, [text(f"a{number}")]),
            asked(f"c{number}", 100 * number + 2, f"a{number}"),
            summary(f"z{number}", 100 * number + 3, f"c{number}", f"S{number}"),
        ]
    found = lawful(chronicle(export(*messages)))
    assert len(found.events) == 4
    for number, event in enumerate(found.events):
        assert said(event.before) == said(OPENCODE.parse(export(*messages[: 4 * number + 2])).messages)
        assert said(event.after) == said(OPENCODE.parse(export(*messages[: 4 * number + 4])).messages)


def test_a_pruned_output_is_removed_and_nothing_stands_for_it() -> None:
    talk = [
        message("u1", "user", 10, [text("look")]),
        message("a1", "assistant", 11, [tool("c1", "old output", compacted=25)], parentID="u1"),
        message("u2", "user", 20, [text("again")]),
        message("a2", "assistant", 21, [tool("c2", "new output")], parentID="u2"),
        message("u3", "user", 30, [text("end")]),
    ]
    found = lawful(chronicle(export(*talk)))
    (event,) = found.events
    assert event.mechanism is Mechanism.opencode_prune
    assert gone(event) == ["old output"]
    assert event.replacement == ()
    assert [Mark.cleared in p.marks for m in event.after for p in m.parts if p.text.startswith("[Old")] == [True]
    assert event.when == "1970-01-01T00:00:00.025Z"
    assert said(found.messages) == ["look", '{"path":"a"}', "old output", "again", '{"path":"a"}', "new output", "end"]
    assert said(found.messages[event.at :]) == ["end"]


def test_two_prunings_are_two_events_each_with_its_own_outputs() -> None:
    talk = [
        message("u1", "user", 10, [text("look")]),
        message("a1", "assistant", 11, [tool("c1", "one", compacted=25), tool("c2", "two", compacted=45)]),
        message("u2", "user", 30, [text("more")]),
        message("a2", "assistant", 31, [tool("c3", "three", compacted=46)]),
        message("u3", "user", 50, [text("end")]),
    ]
    found = lawful(chronicle(export(*talk)))
    assert [gone(event) for event in found.events] == [["one"], ["two", "three"]]


def test_storage_records_are_read_as_an_export_is() -> None:
    messages = [*TALK, asked("c", 30), summary("z", 31, "c", "SUM")]
    records = [one["info"] for one in messages]
    records += [{**part, "messageID": one["info"]["id"], "sessionID": "s"} for one in messages for part in one["parts"]]
    (from_storage,) = lawful(chronicle(records)).events
    (from_export,) = lawful(chronicle(export(*messages))).events
    assert gone(from_storage) == gone(from_export)
    assert said(from_storage.after) == said(from_export.after)


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = export(
        *TALK,
        asked("c", 30, "u2"),
        summary("z", 31, "c", "SUM"),
        message("u9", "user", 40, [text("next")]),
        message("a9", "assistant", 41, [tool("c1", "out", compacted=45)]),
    )
    survives_damage("opencode", value)
