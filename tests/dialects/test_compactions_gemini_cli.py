"""Compressions of the Gemini CLI: a history that was written anew."""

from __future__ import annotations

from typing import Any

from compaction_laws import gone, json_lines, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism
from cenotaph.core.model import Provenance
from cenotaph.dialects.compactions.gemini_cli import chronicle, may_hold

Record = dict[str, Any]
HEADER: Record = {"sessionId": "s", "projectHash": "h", "kind": "main"}
SNAPSHOT = "<state_snapshot>\nSUM\n</state_snapshot>"


def human(name: str, text: str) -> Record:
    return {"id": name, "timestamp": name, "type": "user", "content": [{"text": text}]}


def agent(name: str, text: str, **more: Any) -> Record:
    return {"id": name, "timestamp": name, "type": "gemini", "content": text, "model": "g", **more}


def call(name: str, output: str) -> Record:
    response = {"functionResponse": {"id": "c1", "name": "read", "response": {"output": output}}}
    made = {"id": "c1", "name": "read", "args": {"path": "a"}, "status": "success", "result": [response]}
    return agent(name, "", toolCalls=[made])


def anew(*messages: Record, **more: Any) -> Record:
    return {"$set": {"messages": list(messages), "lastUpdated": "t9", **more}}


TALK = [human("u1", "never push"), agent("a1", "ok"), human("u2", "go on"), agent("a2", "done")]


def test_a_history_that_begins_with_a_snapshot_was_compressed() -> None:
    log = [HEADER, *TALK, anew(human("x", SNAPSHOT), agent("y", "Got it."), *TALK[2:]), human("u3", "next")]
    found = lawful(chronicle(json_lines(log)))
    (event,) = found.events
    assert event.mechanism is Mechanism.gemini_cli_compress
    assert gone(event) == ["never push", "ok"]
    assert stands_for_it(event) == [SNAPSHOT]
    assert event.after[0].parts[0].provenance is Provenance.foreign
    assert (event.where, event.when, event.wire, event.complete) == ("record 6", "t9", "gemini", True)
    assert said(found.messages[event.at :]) == ["next"]


def test_compressions_chain() -> None:
    second = SNAPSHOT.replace("SUM", "TWO")
    log = [
        HEADER, *TALK, anew(human("x", SNAPSHOT), agent("y", "Got it.")), human("u3", "next"), agent("a3", "yes"),
        anew(human("z", second), agent("w", "Got it.")), human("u4", "last"),
    ]  # fmt: skip
    found = lawful(chronicle(log))
    assert [stands_for_it(event) for event in found.events] == [[SNAPSHOT], [second]]
    assert SNAPSHOT in gone(found.events[1])
    assert "next" in gone(found.events[1])


def test_a_masked_output_is_a_change_in_silence() -> None:
    log = [HEADER, human("u1", "look"), call("a1", "a long output"), anew(human("u1", "look"), call("a1", "[masked]"))]
    (event,) = lawful(chronicle(log)).events
    assert event.mechanism is Mechanism.prefix_change
    assert [text for text in gone(event) if "long output" in text]
    assert event.replacement == ()


def test_the_same_history_written_anew_and_one_without_its_end_are_no_events() -> None:
    assert lawful(chronicle([HEADER, *TALK, anew(*TALK)])).events == ()
    assert lawful(chronicle([HEADER, *TALK, anew(*TALK[:2]), human("u3", "otherwise")])).events == ()


def test_a_file_that_begins_with_a_snapshot_goes_on_after_a_compression() -> None:
    document = {**HEADER, "messages": [human("x", SNAPSHOT), agent("y", "Got it."), human("u", "next")]}
    (event,) = lawful(chronicle(document)).events
    assert not event.complete
    assert event.removed == ()
    assert stands_for_it(event) == [SNAPSHOT]


def test_words_about_a_snapshot_are_none() -> None:
    document = {**HEADER, "messages": [human("x", f"what is {SNAPSHOT}?"), agent("y", "a summary")]}
    assert lawful(chronicle(document)).events == ()


def test_the_look_at_the_bytes_is_never_wrong_about_a_file_with_a_compression() -> None:
    log = json_lines([HEADER, *TALK, anew(human("x", SNAPSHOT), agent("y", "Got it."))])
    assert may_hold(log)
    assert may_hold(log.replace(b"$set", b"\\u0024set"))
    assert not may_hold(json_lines([HEADER, *TALK, {"$set": {"lastUpdated": "t"}}]))


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = [
        HEADER,
        *TALK,
        call("q", "out"),
        anew(human("x", SNAPSHOT), agent("y", "Got it."), *TALK[2:]),
        human("u3", "next"),
    ]
    survives_damage("gemini-cli", value)
