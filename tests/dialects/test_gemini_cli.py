"""Sessions of the Gemini CLI: what the model would be sent next, and what the client's fields say of it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Provenance, Usage
from cenotaph.core.spans import value_at
from cenotaph.dialects.detect import DIALECTS, detect
from cenotaph.dialects.gemini import GEMINI
from cenotaph.dialects.gemini_cli import GEMINI_CLI
from cenotaph.errors import DialectError, InputError
from cenotaph.runtime.source import read_source, view_bytes

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "gemini_cli"
HEADER = {"sessionId": "s-1", "projectHash": "ab", "startTime": "2026-01-01T00:00:00Z", "kind": "main"}
Record = dict[str, Any]


def person(text: JSON, record_id: str = "u") -> Record:
    return {"id": record_id, "timestamp": "t", "type": "user", "content": text}


def agent(content: JSON = "", *calls: JSON, record_id: str = "g", **fields: JSON) -> Record:
    record = {"id": record_id, "timestamp": "t", "type": "gemini", "content": content, **fields}
    return {**record, "toolCalls": list(calls)} if calls else record


def call(call_id: str = "c1", name: str = "read_file", result: JSON = "text", status: str = "success") -> Record:
    answer = {"functionResponse": {"id": call_id, "name": name, "response": {"output": result}}}
    asked = {"id": call_id, "name": name, "args": {"path": "a"}, "status": status}
    return asked if result is None else {**asked, "result": [answer], "resultDisplay": "shown to people"}


def document(*records: JSON) -> JSON:
    return {**HEADER, "messages": list(records)}


def log(*records: JSON) -> JSON:
    return [HEADER, *records]


def read(value: JSON) -> tuple[Message, ...]:
    return GEMINI_CLI.parse(value).messages


def said(value: JSON) -> list[tuple[str, list[str]]]:
    return [(message.role, [part.text for part in message.parts]) for message in read(value)]


def codes(value: JSON) -> list[str]:
    return [defect.code for defect in GEMINI_CLI.parse(value).defects]


# Whose value it is ---------------------------------------------------------------------------


@pytest.mark.parametrize("value", [document(person("q")), log(person("q")), log({"$set": {"summary": "x"}})])
def test_a_session_is_recognised_by_it_alone(value: JSON) -> None:
    assert [name for name in DIALECTS if DIALECTS[name].recognise(value)] == ["gemini-cli"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {**HEADER},
        {"sessionId": "s", "messages": []},
        [person("q")],
        [{**HEADER, "type": "user"}],
        [HEADER, 3],
        [{"role": "user", "parts": [{"text": "q"}]}],
        {"history": [{"role": "user", "parts": [{"text": "q"}]}], "meta": {}},
    ],
)
def test_what_is_no_session_is_not_and_is_refused_by_name(value: JSON) -> None:
    assert not GEMINI_CLI.recognise(value)
    with pytest.raises(DialectError) as caught:
        GEMINI_CLI.parse(value)
    assert caught.value.details["dialect"] == "gemini-cli"


@pytest.mark.parametrize("value", [document(), document({"id": "i", "type": "info", "content": "x"}), log()])
def test_a_session_of_which_nothing_is_sent_is_an_error_and_never_an_empty_view(value: JSON) -> None:
    with pytest.raises(InputError) as caught:
        GEMINI_CLI.parse(value)
    assert "user or gemini message" in str(caught.value)


# The view ------------------------------------------------------------------------------------


def test_a_call_and_its_result_are_two_contents_in_gemini_form() -> None:
    transcript = GEMINI_CLI.parse(document(person("q"), agent("I read.", call()), agent("done", record_id="g2")))
    assert [message.raw for message in transcript.messages] == [
        {"role": "user", "parts": [{"text": "q"}]},
        {
            "role": "model",
            "parts": [{"text": "I read."}, {"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a"}}}],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "text"}}}],
        },
        {"role": "model", "parts": [{"text": "done"}]},
    ]
    assert (transcript.dialect, transcript.wire, transcript.session) == ("gemini-cli", "gemini", "s-1")
    assert GEMINI.breaches([message.raw for message in transcript.messages]) == []


def test_content_is_a_text_a_part_or_a_list_of_both() -> None:
    for content in ("q", {"text": "q"}, [{"text": "q"}], ["q"]):
        assert said(document(person(content))) == [("user", ["q"])]
    assert said(document({"id": "m", "type": "model", "parts": [{"text": "a"}]})) == [("model", ["a"])]


def test_what_is_shown_to_people_only_is_not_in_the_view() -> None:
    notes = [{"id": kind, "type": kind, "content": "x"} for kind in ("info", "warning", "error")]
    thought = agent("", thoughts=[{"subject": "s", "description": "d"}])
    assert said(document(person("q"), *notes, thought)) == [("user", ["q"])]
    assert codes(document(person("q"), *notes)) == []


@pytest.mark.parametrize(
    "spoken",
    [
        "/etc/prod is read-only: never write there.",
        "/docs/readme.md is wrong",
        "/docs.md is wrong",
        "// TODO: never touch prod",
        "/frobnicate never",
        "? what does that mean",
    ],
)
def test_only_a_command_of_the_clients_own_list_is_one(spoken: str) -> None:
    assert said(document(person(spoken))) == [("user", [spoken])]
    assert codes(document(person(spoken))) == []


@pytest.mark.parametrize("typed", ["/compress", " /chat save x", "/help\nme", "?"])
def test_what_was_typed_to_the_client_itself_is_reported_and_not_sent(typed: str) -> None:
    value = document(person(typed), person("q", "u2"))
    assert said(value) == [("user", ["q"])]
    assert codes(value) == ["client-command"]


def test_two_records_of_the_agent_without_a_call_between_are_one_turn() -> None:
    value = document(person("q"), agent("a", record_id="1"), agent("b", call(), record_id="2"))
    assert [role for role, _ in said(value)] == ["user", "model", "user"]
    assert GEMINI.breaches([message.raw for message in read(value)]) == []


def test_calls_that_the_content_holds_already_are_not_doubled_nor_are_results_in_records_of_their_own() -> None:
    part = {"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a"}}, "thoughtSignature": "s"}
    answer = {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "text"}}}
    nameless = {"functionCall": {"name": "read_file", "args": {"path": "a"}}}
    for value in (
        document(person("q"), agent([part], call())),
        document(person("q"), agent([part], call()), person([answer], "u2")),
        document(person("q"), agent([nameless], call())),
    ):
        parts = [part for message in read(value) for part in message.parts]
        assert [part.kind for part in parts] == [Kind.text, Kind.call, Kind.result]


def test_a_result_that_is_a_text_is_answered_as_the_client_does() -> None:
    value = document(person("q"), agent("", {**call(), "result": "plain"}))
    assert read(value)[2].raw["parts"][0]["functionResponse"]["response"] == {"output": "plain"}


def test_a_call_without_id_or_result_is_kept_and_reported_once_the_session_went_on() -> None:
    open_call = {"name": "read_file", "args": {}, "status": "executing"}
    assert codes(document(person("q"), agent("", open_call))) == []
    assert codes(document(person("q"), agent("", open_call), person("and?", "u2"))) == ["unanswered-call"]


# What the client's fields say ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "failed", "marks"),
    [("success", False, set()), ("error", True, set()), ("cancelled", True, {Mark.rejection})],
)
def test_the_status_says_whether_a_call_failed_and_whether_a_person_refused_it(
    status: str, failed: bool, marks: set[Mark]
) -> None:
    shell = "Output: ok\nError: (none)\nExit Code: 0"
    part = read(document(person("q"), agent("", call(result=shell, status=status))))[2].parts[0]
    assert (part.failed, part.marks) == (failed, frozenset(marks))


def test_tokens_and_models_are_those_of_the_records() -> None:
    tokens = {"input": 100, "output": 5, "cached": 40, "total": 105}
    value = document(person("q"), agent("a", call(), tokens=tokens, model="gemini-3-pro"))
    transcript = GEMINI_CLI.parse(value)
    assert transcript.usage == (Usage(1, 100, "gemini-3-pro"),)
    assert transcript.model == "gemini-3-pro"


# The log -------------------------------------------------------------------------------------


def test_a_record_replaces_the_earlier_one_of_its_id_in_its_place() -> None:
    value = log(person("q"), agent("half"), person("and?", "u2"), agent("whole"))
    assert said(value) == [("user", ["q"]), ("model", ["whole"]), ("user", ["and?"])]


def test_a_rewind_takes_its_message_and_all_after_it_and_everything_where_the_id_is_unknown() -> None:
    value = log(person("q"), agent("a"), person("no", "u2"), {"$rewindTo": "u2"}, person("yes", "u3"))
    assert said(value) == [("user", ["q"]), ("model", ["a"]), ("user", ["yes"])]
    assert said(log(person("q"), {"$rewindTo": "zz"}, person("new", "u9"))) == [("user", ["new"])]


def test_a_set_of_messages_replaces_all_and_its_snapshot_is_a_foreign_summary() -> None:
    summary = "<state_snapshot>\n<goal>x</goal>\n</state_snapshot>"
    told = {"messages": [person(summary, "n1"), agent("Got it.", record_id="n2")], "sessionId": "s-2"}
    value = log(person("q"), agent("a"), {"$set": told}, person("go on", "u2"))
    transcript = GEMINI_CLI.parse(value)
    assert said(value) == [("user", [summary]), ("model", ["Got it."]), ("user", ["go on"])]
    first = transcript.messages[0].parts[0]
    assert (first.provenance, first.marks) == (Provenance.foreign, frozenset({Mark.summary}))
    assert transcript.session == "s-2"


def test_the_words_of_a_snapshot_alone_make_none() -> None:
    (part,) = read(log(person("<state_snapshot>x</state_snapshot>")))[0].parts
    assert part.provenance is Provenance.user


def test_another_set_only_tells_about_the_session_and_what_is_unknown_is_reported() -> None:
    assert said(log(person("q"), {"$set": {"summary": "x"}})) == [("user", ["q"])]
    value = log(person("q"), {"$patch": {}}, {"id": "x"}, {"id": "y", "type": "future", "content": "z"})
    assert codes(value) == ["unknown-record"] * 3


# Laws ----------------------------------------------------------------------------------------

STATES = st.sampled_from(["success", "error", "cancelled", "executing", None, 3])
IDS = st.sampled_from(["a", "b", "c", "", None])
CONTENTS = st.sampled_from(
    ["", "q", "/cmd", ["x", {"text": "y"}], {"text": "z"}, None, 3, [None], [{"functionCall": 3}]]
)
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "id": IDS,
        "name": st.sampled_from(["read_file", "run", None]),
        "args": st.sampled_from([{}, {"path": "a"}, None, "text"]),
        "status": STATES,
        "result": CONTENTS | st.just([{"functionResponse": {"id": "a", "name": "run", "response": {"output": "x"}}}]),
    },
)
RECORDS = st.one_of(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["user", "gemini", "model", "info", "future"])},
        optional={
            "id": IDS,
            "content": CONTENTS,
            "toolCalls": st.lists(CALLS | st.none(), max_size=3) | st.none(),
            "tokens": st.sampled_from([None, 3, {}, {"input": 7}, {"input": True}]),
            "thoughts": st.just([{}]),
        },
    ),
    st.sampled_from([{"$rewindTo": "a"}, {"$set": {}}, {"$set": {"messages": [{"id": "n", "type": "user"}, 3]}}, {}]),
    st.just(HEADER),
)


@given(st.lists(RECORDS, max_size=8), st.booleans())
def test_any_log_is_read_whole_or_refused_and_comes_back_as_it_was(records: list[JSON], as_document: bool) -> None:
    value = document(*records) if as_document else log(*records)
    before = copy.deepcopy(value)
    assert GEMINI_CLI.recognise(value)
    try:
        transcript = GEMINI_CLI.parse(value)
    except InputError:
        transcript = None
    assert value == before
    if transcript is None:
        return
    assert GEMINI_CLI.emit(transcript) is value
    for message in transcript.messages:
        for part in message.parts:
            value_at(message.raw, part.path)
    assert all(usage.message < len(transcript.messages) for usage in transcript.usage)
    assert [m.raw for m in GEMINI.parse_messages([m.raw for m in transcript.messages])]


@pytest.mark.shared
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no transcripts at {DATA}")
def test_shared_sessions_are_read_from_their_files_and_give_requests_that_the_api_takes() -> None:
    sessions = 0
    for path in sorted(file for file in DATA.rglob("*.json*") if file.name != "schema_drift.json"):
        source = read_source(str(path))
        assert detect(source.value) is GEMINI_CLI, path.name
        transcript = GEMINI_CLI.parse(source.value)
        assert GEMINI_CLI.emit(transcript) is source.value
        assert transcript.defects == ()
        view = [message.raw for message in transcript.messages]
        assert GEMINI.breaches(view) == [], path.name
        assert json.loads(view_bytes(source, transcript, view, changed=False)) == {"messages": view}
        sessions += 1
    assert sessions
