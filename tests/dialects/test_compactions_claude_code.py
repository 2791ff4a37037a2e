"""Compactions in sessions of Claude Code: what the model read before and after each, and what is not known."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from claude_code_session import Session, call, text
from compaction_laws import gone, json_lines, lawful, said, stands_for_it
from damaged import damaged

from cenotaph.core.audit.model import Chronicle, Code, Event, Mechanism, Tier
from cenotaph.core.audit.replacement import replacement_findings
from cenotaph.core.model import Kind, Mark, Provenance
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.dialects.claude_code_forms import CLEARED
from cenotaph.dialects.compactions.claude_code import chronicle, may_hold
from cenotaph.errors import DialectError, InputError

SHARED = Path(__file__).resolve().parents[3] / "shared"
SESSIONS = sorted((SHARED / "data" / "claude_code").rglob("*.json*"))


def work(session: Session, number: int) -> None:
    """One turn with a call and its result."""
    session.human(f"ask {number}")
    session.agent(
        call(f"c{number}", command=f"run {number}"),
        message_id=f"m{number}",
        usage={"input_tokens": 1_000 * number, "output_tokens": 1},
    )
    session.result(f"c{number}", f"output {number}")
    session.agent(text(f"done {number}"), message_id=f"n{number}")


def worked(turns: int = 2) -> Session:
    session = Session()
    for number in range(1, turns + 1):
        work(session, number)
    return session


def found(session: Session, **options: Any) -> Chronicle:
    return lawful(chronicle(session.bytes(), **options))


def only(session: Session) -> Event:
    (event,) = found(session).events
    return event


# Full compactions --------------------------------------------------------------------------------


def test_a_full_compaction_is_the_view_before_the_boundary_and_the_summary_after_it() -> None:
    session = worked()
    session.boundary(trigger="manual", preTokens=20, postTokens=7)
    session.summary("S")
    work(session, 3)
    history = found(session)
    (event,) = history.events
    assert event.mechanism is Mechanism.claude_code_full
    assert said(event.before) == [
        *("ask 1", '{"command":"run 1"}', "output 1", "done 1"),
        *("ask 2", '{"command":"run 2"}', "output 2", "done 2"),
    ]
    assert gone(event) == said(event.before)
    assert said(event.after) == stands_for_it(event) == ["S"]
    assert event.after[0].parts[0].provenance is Provenance.foreign
    assert said(history.messages[: event.at]) == [*said(event.before), "S"]
    assert said(history.messages[event.at :])[0] == "ask 3"
    assert (event.tokens_before, event.tokens_after, event.trigger) == (20, 7, "manual")
    assert (event.where, event.when, event.wire) == ("line 9", "2026-01-01T00:00:08.000Z", "anthropic")
    assert event.tier is Tier.proven
    assert [(usage.message, usage.input_tokens) for usage in history.usage] == [(1, 1_000), (5, 2_000), (10, 3_000)]
    assert (history.session, history.records) == ("s1", len(session.records))


def test_a_chain_of_compactions_is_one_event_each_and_a_summary_is_removed_by_the_next() -> None:
    session = Session()
    for number in range(1, 6):
        work(session, number)
        session.boundary(preTokens=10)
        session.summary(f"S{number}")
    events = found(session).events
    assert [gone(event)[0] for event in events] == ["ask 1", "S1", "S2", "S3", "S4"]
    assert [stands_for_it(event) for event in events] == [[f"S{number}"] for number in range(1, 6)]
    assert [event.at for event in events] == [5, 10, 15, 20, 25]


@pytest.mark.parametrize("form", ["messages", "segment"])
def test_what_a_boundary_preserves_is_not_removed(form: str) -> None:
    session = worked()
    kept = [str(record["uuid"]) for record in session.records[4:]]
    preserved: Any = {"preservedMessages": {"anchorUuid": "s", "uuids": kept}}
    if form == "segment":
        preserved = {"preservedSegment": {"headUuid": kept[0], "anchorUuid": "s", "tailUuid": kept[-1]}}
    session.boundary(**preserved)
    session.summary("S", uuid="s")
    event = only(session)
    assert gone(event) == ["ask 1", '{"command":"run 1"}', "output 1", "done 1"]
    assert said(event.after) == ["S", "ask 2", '{"command":"run 2"}', "output 2", "done 2"]
    assert stands_for_it(event) == ["S"]
    assert all(new is old for new, old in zip(event.after[1:], event.before[4:], strict=True))
    assert event.complete


def test_what_a_boundary_preserves_and_the_file_does_not_hold_makes_losses_possible_only() -> None:
    session = worked()
    session.boundary(preservedMessages={"anchorUuid": "s", "uuids": ["elsewhere"]})
    session.summary("S", uuid="s")
    assert only(session).tier is Tier.at_risk


def test_attachments_between_boundary_and_summary_are_no_summary() -> None:
    session = worked()
    session.boundary()
    session.add("attachment", attachment={"type": "date_change", "newDate": "d"})
    session.summary("S")
    session.human("go on")
    assert stands_for_it(only(session)) == ["S"]


def test_a_persons_words_between_boundary_and_summary_stand_after_it() -> None:
    session = worked()
    session.boundary()
    session.human("and never push")
    session.summary("S")
    event = only(session)
    assert said(event.after) == ["and never push", "S"]
    assert stands_for_it(event) == ["S"]


def test_turns_that_are_written_again_behind_the_summary_were_kept() -> None:
    session = worked()
    again = [dict(record) for record in session.records[4:]]
    session.boundary()
    session.summary("S")
    for number, record in enumerate(again):
        session.records.append({**record, "uuid": f"again{number}"})
    session.last = f"again{len(again) - 1}"
    work(session, 3)
    history = found(session)
    (event,) = history.events
    assert gone(event) == ["ask 1", '{"command":"run 1"}', "output 1", "done 1"]
    assert said(history.messages[event.at :])[0] == "ask 3"
    assert Counter(said(history.messages))["ask 2"] == 1


def test_the_same_words_said_anew_behind_the_summary_were_not_kept() -> None:
    session = worked(1)
    session.boundary()
    session.summary("S")
    session.human("ask 1")
    assert "ask 1" in gone(only(session))


def test_a_branch_that_was_rewound_was_not_compacted() -> None:
    session = worked(1)
    fork = session.last
    session.human("the wrong way")
    session.agent(text("done wrongly"), message_id="w")
    session.human("the right way", parent=fork)
    session.boundary()
    session.summary("S")
    event = only(session)
    assert "the right way" in gone(event)
    assert "the wrong way" not in said(event.before)


def test_a_sub_agents_records_are_not_of_the_conversation() -> None:
    session = worked(1)
    session.human("task of an agent", isSidechain=True)
    session.boundary()
    session.summary("S")
    assert "task of an agent" not in said(only(session).before)


def test_a_sub_agents_own_session_is_compacted_like_any() -> None:
    session = worked(1)
    session.boundary()
    session.summary("S")
    for record in session.records:
        record["isSidechain"] = True
    assert gone(only(session))[0] == "ask 1"


def test_a_boundary_that_nothing_follows_broke_off() -> None:
    session = worked()
    session.boundary()
    assert found(session).events == ()


def test_behind_a_boundary_without_its_summary_nothing_can_be_read() -> None:
    session = worked()
    session.boundary()
    work(session, 3)
    event = only(session)
    assert gone(event) == said(event.before) != []
    assert (event.after, event.replacement) == ((), ())
    assert event.opaque
    assert event.tier is Tier.at_risk


@pytest.mark.parametrize("content", ["", [], "  \n"])
def test_a_summary_that_says_nothing_stands_for_what_was_removed(content: Any) -> None:
    session = worked()
    session.boundary()
    session.summary(content)
    work(session, 3)
    event = only(session)
    assert len(event.replacement) == 1
    assert gone(event) == said(event.before)
    assert Code.summary_empty in {finding.code for finding in replacement_findings(event)}


def test_an_older_clients_summary_has_no_boundary() -> None:
    session = worked()
    session.summary("S", parent=None)
    work(session, 3)
    event = only(session)
    assert stands_for_it(event) == ["S"]
    assert gone(event) == said(event.before)
    assert (event.trigger, event.tokens_before) == (None, None)


# What is not known -------------------------------------------------------------------------------


def test_a_file_that_goes_on_from_another_one_does_not_hold_its_first_region() -> None:
    session = Session()
    session.last = "in another file"
    for number in (1, 2):
        work(session, number)
        session.boundary()
        session.summary("S")
    assert [event.complete for event in found(session).events] == [False, True]


@pytest.mark.parametrize("boundary", [True, False])
def test_a_file_that_begins_with_a_compaction_holds_nothing_of_what_it_removed(boundary: bool) -> None:
    session = Session()
    if boundary:
        session.boundary()
    session.summary("S", **({} if boundary else {"parent": None}))
    work(session, 1)
    event = only(session)
    assert (event.before, event.removed, stands_for_it(event)) == ((), (), ["S"])
    assert event.tier is Tier.at_risk


def test_a_region_of_which_the_client_counted_far_more_is_not_whole() -> None:
    session = worked()
    session.boundary(preTokens=150_000)
    session.summary("S")
    assert not only(session).complete


@pytest.mark.parametrize(
    ("summary", "pointer"),
    [
        ("If you need details, read the full transcript at: /home/a b/.claude/projects/x/s.jsonl", True),
        ("the conversation log is here: C:\\Users\\x\\s.jsonl", True),
        ("Edited the transcript reader.\nFiles: tests/data.jsonl", False),
        ("Read the full transcript at:\n/none", False),
        ("Edit events.jsonl", False),
    ],
)
def test_a_summary_points_back_where_it_names_the_file_of_the_transcript(summary: str, pointer: bool) -> None:
    session = worked()
    session.boundary()
    session.summary(summary)
    assert only(session).pointer is pointer


# Cleared results ---------------------------------------------------------------------------------


def cleared(session: Session, *ids: str, **metadata: Any) -> None:
    session.add(
        "system",
        subtype="microcompact_boundary",
        microcompactMetadata={"trigger": "auto", "compactedToolIds": list(ids), **metadata},
    )


def test_a_microcompaction_clears_the_results_that_it_names_and_their_originals_stay_in_the_history() -> None:
    session = worked()
    cleared(session, "c1", preTokens=900, tokensSaved=300)
    work(session, 3)
    history = found(session)
    (event,) = history.events
    assert event.mechanism is Mechanism.claude_code_micro
    assert gone(event) == ["output 1"]
    assert said(event.after) == [CLEARED if words == "output 1" else words for words in said(event.before)]
    assert "output 1" in said(history.messages)
    assert CLEARED not in said(history.messages)
    assert event.replacement == ()
    assert (event.tokens_before, event.tokens_after) == (900, 600)
    assert said(history.messages[event.at :])[0] == "ask 3"
    assert event.complete


def test_a_full_compaction_behind_a_microcompaction_removes_what_was_left() -> None:
    session = worked()
    cleared(session, "c1")
    session.boundary()
    session.summary("S")
    micro, full = found(session).events
    assert gone(micro) == ["output 1"]
    assert "output 1" not in said(full.before)
    assert CLEARED in gone(full)


def test_what_is_cleared_is_cleared_once() -> None:
    session = worked()
    cleared(session, "c1")
    cleared(session, "c1")
    cleared(session, "c1", "c2")
    assert [gone(event) for event in found(session).events] == [["output 1"], ["output 2"]]


def test_a_result_that_the_file_does_not_hold_makes_losses_possible_only() -> None:
    session = worked()
    cleared(session, "c1", "elsewhere")
    cleared(session, "nowhere")
    first, second = found(session).events
    assert gone(first) == ["output 1"]
    assert gone(second) == []
    assert first.tier is second.tier is Tier.at_risk


# Bytes -------------------------------------------------------------------------------------------


def test_a_file_without_a_sign_holds_none_and_an_escaped_letter_is_one() -> None:
    session = worked()
    assert not may_hold(session.bytes())
    session.boundary()
    session.summary("S")
    assert may_hold(session.bytes())
    spelled = session.bytes().replace(b"compact", b"c\\u006fmpact").replace(b"isCompact", b"is\\u0043ompact")
    assert chronicle(spelled).events
    assert may_hold(spelled)
    older = worked()
    older.summary("S", parent=None)
    assert may_hold(older.bytes())


def test_another_decoder_changes_nothing_that_is_read() -> None:
    session = worked()
    session.agent(call("big", number=2**70, small=2**63, point=1e300), message_id="b")
    session.result("big", "a lone \ud800 surrogate")
    session.boundary()
    session.summary("S")
    for loads in (orjson.loads, _refusing):
        assert chronicle(session.bytes(), loads=loads) == chronicle(session.bytes())
    assert any(str(2**70) in words for words in gone(only(session)))


def _refusing(line: bytes) -> Any:
    raise ValueError(len(line))


@pytest.mark.parametrize("line", [b'{"type": NaN,}', b"{", b"[" * 300 + b"]" * 300, b'{"a":' * 300 + b"1" + b"}" * 300])
def test_another_decoder_accepts_no_more_and_no_less(line: bytes) -> None:
    data = line + b"\n" + worked().bytes()
    messages = []
    for loads in (None, orjson.loads):
        with pytest.raises(InputError) as refusal:
            chronicle(data, loads=loads)
        messages.append(str(refusal.value))
    assert messages[0] == messages[1]


def test_a_torn_last_line_is_survived_with_another_decoder_too() -> None:
    session = worked()
    session.boundary()
    session.summary("S")
    data = session.bytes() + b'{"type":"user","message":{"role":"user","content":"half'
    histories = [lawful(chronicle(data, loads=loads)) for loads in (None, orjson.loads)]
    assert [len(history.events) for history in histories] == [1, 1]
    assert {defect.code for defect in histories[1].defects} == {"torn-line"}


def test_a_list_of_records_and_a_web_export_are_read_too() -> None:
    session = worked()
    session.boundary()
    session.summary("S")
    for value in (session.records, {"loglines": session.records}, json.dumps({"loglines": session.records}).encode()):
        assert len(lawful(chronicle(value)).events) == 1


@pytest.mark.parametrize("value", [b"{}", b'{"type":"summary","summary":"t","leafUuid":"x"}', [], 3])
def test_a_file_in_which_nobody_speaks_is_refused_as_by_its_dialect(value: Any) -> None:
    with pytest.raises((InputError, DialectError)) as refusal:
        chronicle(value)
    with pytest.raises(type(refusal.value)) as said_by_the_dialect:
        CLAUDE_CODE.parse(value)
    assert str(refusal.value) == str(said_by_the_dialect.value)


def test_damaged_sessions_are_lawful_or_refused() -> None:
    session = worked()
    cleared(session, "c1")
    session.boundary(preservedMessages={"anchorUuid": "s", "uuids": ["r5"]})
    session.summary("S", uuid="s")
    work(session, 3)
    for seed in range(300):
        try:
            history = lawful(chronicle(damaged([dict(record) for record in session.records], Random(seed))))
        except (InputError, DialectError):
            continue
        assert all(event.wire == "anthropic" for event in history.events)


@pytest.mark.parametrize("subtype", ["compact_boundary", "microcompact_boundary"])
def test_thousands_of_equal_records_are_no_compactions(subtype: str) -> None:
    session = worked(1)
    detail = {"trigger": "auto", "compactedToolIds": ["c1"]}
    same = {"type": "system", "subtype": subtype, "uuid": "b", "microcompactMetadata": detail}
    data = session.bytes() + json_lines([same]) * 10_000
    assert len(lawful(chronicle(data)).events) == (subtype == "microcompact_boundary")


def test_thousands_of_records_that_differ_at_one_place_and_time_are_each_kept() -> None:
    same = {"type": "user", "timestamp": "t", "parentUuid": None, "sessionId": "s"}
    records = [{**same, "uuid": f"u{n}", "message": {"role": "user", "content": f"{n}"}} for n in range(10_000)]
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None}
    summary = {**same, "uuid": "s", "parentUuid": "b", "isCompactSummary": True}
    data = json_lines([*records, boundary, {**summary, "message": {"role": "user", "content": "S"}}])
    (event,) = chronicle(data).events
    assert len(event.removed) == 10_000


# The dialect is the oracle -----------------------------------------------------------------------


def as_resumed(lines: list[bytes]) -> list[str]:
    """What the client would send, had the file ended here."""
    try:
        return [part.text for message in CLAUDE_CODE.parse(b"".join(lines)).messages for part in message.parts]
    except InputError:
        return []


def line_of(event: Event) -> int:
    return int(event.where.removeprefix("line "))


@pytest.mark.parametrize("seed", range(40))
def test_the_view_before_a_compaction_is_what_the_client_would_resume_there(seed: int) -> None:
    rng = Random(seed)
    session = Session()
    for number in range(1, 12):
        fork = session.last
        work(session, number)
        if rng.random() < 0.2:
            session.human(f"instead of {number}", parent=fork)
        if rng.random() < 0.2:
            cleared(session, f"c{rng.randint(1, number)}", f"c{number}")
        if rng.random() < 0.3:
            kept = [str(record["uuid"]) for record in session.records[-3:] if rng.random() < 0.5]
            session.boundary(preservedMessages={"anchorUuid": f"s{number}", "uuids": kept})
            if rng.random() < 0.8:
                session.summary(f"S{number}", uuid=f"s{number}")
    lines = session.bytes().splitlines(keepends=True)
    for event in found(session).events:
        assert said(event.before) == as_resumed(lines[: line_of(event) - 1])
        micro = event.mechanism is Mechanism.claude_code_micro
        if not event.opaque:
            assert said(event.after) == as_resumed(lines[: line_of(event) + (not micro)])


@pytest.mark.shared
def test_every_compaction_in_real_sessions_is_found() -> None:
    expected: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    for path in SESSIONS:
        data = path.read_bytes()
        try:
            history = lawful(chronicle(data, loads=orjson.loads))
        except InputError:
            with pytest.raises(InputError):
                CLAUDE_CODE.parse(data)
            continue
        counted.update(event.mechanism.value for event in history.events)
        assert not history.events or may_hold(data)
        if path.suffix == ".jsonl":
            for line in data.splitlines():
                expected[Mechanism.claude_code_full.value] += b'"subtype":"compact_boundary"' in line
                expected[Mechanism.claude_code_micro.value] += b'"subtype":"microcompact_boundary"' in line
        else:
            expected[Mechanism.claude_code_full.value] += data.count(b'"isCompactSummary": true')
        for event in history.events:
            assert event.when
            assert event.removed or not event.complete
    if not SESSIONS:
        pytest.skip(f"no sessions under {SHARED}")
    assert counted == expected
    assert counted[Mechanism.claude_code_full.value] >= 29


@pytest.mark.shared
def test_real_views_are_those_that_the_client_would_resume() -> None:
    checked = 0
    for path in SESSIONS:
        data = path.read_bytes()
        if not may_hold(data) or path.suffix != ".jsonl" or b'"isSidechain":true' in data:
            continue  # a beginning of sub-agents' records alone is another conversation
        lines = data.splitlines(keepends=True)
        for event in chronicle(data, loads=orjson.loads).events:
            checked += 1
            assert said(event.before) == as_resumed(lines[: line_of(event) - 1])
            ids = [
                p.call_id for m in event.before for p in m.parts if p.kind is Kind.call and Mark.server not in p.marks
            ]
            assert len(ids) == len(set(ids))
    if not SESSIONS:
        pytest.skip(f"no sessions under {SHARED}")
    assert checked >= 30
