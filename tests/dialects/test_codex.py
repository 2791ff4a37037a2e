"""The codex dialect: rollouts as the client writes them, read as what the model would be sent next."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Part, Provenance, Transcript, Usage
from cenotaph.core.tools import PROFILES, Tools
from cenotaph.dialects.codex import CODEX
from cenotaph.dialects.detect import DIALECTS
from cenotaph.errors import ConfigurationError, DialectError, InputError
from cenotaph.runtime.source import decode
from cenotaph.testing.conversations_responses import responses_conversations

META = {"id": "thread-1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w", "cli_version": "0.94.0"}
CONTEXT = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"
AGENTS = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nNever push.\n</INSTRUCTIONS>"
SUMMARY = "Another language model started to solve this problem and produced a summary of it.\nAll is done."

Record = dict[str, Any]


def record(kind: str, **payload: JSON) -> Record:
    return {"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload}


def meta(**fields: JSON) -> Record:
    return record("session_meta", **{**META, **fields})


def said(text: str, role: str = "user") -> JSON:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def item(value: JSON) -> Record:
    return {"timestamp": "t", "type": "response_item", "payload": value}


def typed(text: str) -> list[Record]:
    """What a person typed: the item and the event that mirrors it."""
    return [item(said(text)), record("event_msg", type="user_message", message=text, images=[])]


def agent(text: str) -> list[Record]:
    return [item(said(text, "assistant")), record("event_msg", type="agent_message", message=text)]


def ran(number: int, output: str = "Exit code: 0\nWall time: 0 seconds\nOutput:\nok") -> list[Record]:
    call_id = f"call_{number}"
    thought: JSON = {"type": "reasoning", "summary": [], "content": None, "encrypted_content": f"gAAA{number}"}
    arguments = '{"command":"ls"}'
    call = {"type": "function_call", "name": "shell_command", "arguments": arguments, "call_id": call_id}
    return [item(thought), item(call), item({"type": "function_call_output", "call_id": call_id, "output": output})]


def counted(tokens: int, total: int = 0) -> Record:
    last = {"input_tokens": tokens, "cached_input_tokens": 1, "output_tokens": 5}
    return record("event_msg", type="token_count", info={"last_token_usage": last, "total": total}, rate_limits={})


def compacted(message: str, history: JSON = None) -> Record:
    held = {} if history is None else {"replacement_history": history}
    return record("compacted", message=message, **held)


def lines(records: list[Record]) -> bytes:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records).encode()


def parse(*records: Record, region: Any = "last") -> Transcript:
    return CODEX.parse(list(records), region=region)


def parts(transcript: Transcript) -> list[Part]:
    return [part for message in transcript.messages for part in message.parts]


def texts(transcript: Transcript) -> list[str]:
    return [part.text for part in parts(transcript) if part.kind is Kind.text]


def voices(transcript: Transcript) -> list[tuple[str, Provenance]]:
    return [(part.text, part.provenance) for part in parts(transcript) if part.kind is Kind.text]


def codes(transcript: Transcript) -> list[str]:
    return [defect.code for defect in transcript.defects]


# Files ---------------------------------------------------------------------------------------


def test_a_rollout_is_read_and_comes_back_to_the_byte() -> None:
    data = lines([meta(), *typed("hi"), *ran(1), *agent("done")])
    for value in (data, [json.loads(line) for line in data.splitlines()]):
        transcript = CODEX.parse(value)
        assert CODEX.recognise(value)
        assert CODEX.emit(transcript) is value
        assert (transcript.wire, transcript.session) == ("openai-responses", "thread-1")
        assert texts(transcript) == ["hi", "done"]
        assert codes(transcript) == []


@given(responses_conversations(size_max=8))
def test_any_items_in_a_rollout_are_the_view_and_the_records_stay_as_they_were(items: list[JSON]) -> None:
    records = [meta(), *(item(value) for value in items)]
    before = copy.deepcopy(records)
    transcript = CODEX.parse(records)
    assert [message.raw for message in transcript.messages] == items
    assert CODEX.emit(transcript) is records
    assert records == before
    for message in transcript.messages:
        for part in message.parts:
            value: Any = message.raw
            for step in part.path:
                value = value[step]


_ANY = st.recursive(
    st.none() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "role", "content"]), inner),
)
_PAYLOAD = st.dictionaries(
    st.sampled_from(["type", "role", "content", "message", "replacement_history", "num_turns", "info", "item", "id"]),
    _ANY | st.sampled_from(["user_message", "thread_rolled_back", "token_count", "item_completed", "message", "user"]),
)
_TYPE = st.sampled_from(["response_item", "event_msg", "compacted", "turn_context", "session_meta", "x", None])


@given(st.lists(st.fixed_dictionaries({"type": _TYPE, "payload": _PAYLOAD | _ANY}), max_size=8), st.booleans())
def test_no_records_at_all_stop_the_reading(records: list[Record], everything: bool) -> None:
    whole = [*typed("hi"), *records]
    transcript = parse(*whole, region="all" if everything else "last") if _shows(whole, everything) else None
    assert transcript is None or CODEX.emit(transcript) == whole


def _shows(records: list[Record], everything: bool) -> bool:
    """Whether anything is left to show; where nothing is, the refusal says so."""
    try:
        parse(*records, region="all" if everything else "last")
    except InputError as error:
        return "response_item" not in str(error)
    return True


def test_a_bare_rollout_of_older_clients_is_read_the_same() -> None:
    state = {"record_type": "state", "record": 1}
    records = [{**META, "instructions": None}, state, said("hi"), said("done", "assistant")]
    for value in (records, lines(records)):
        assert [d.name for d in DIALECTS.values() if d.recognise(value)] == ["codex"]
        transcript = CODEX.parse(value)
        assert voices(transcript) == [("hi", Provenance.user), ("done", Provenance.agent)]
        assert (transcript.session, codes(transcript)) == ("thread-1", [])


def test_ordinals_unknown_records_and_records_of_no_message_are_kept_and_not_shown() -> None:
    numbered = [{**one, "ordinal": n} for n, one in enumerate([meta(), *typed("hi")])]
    odd = [
        record("hologram", x=1),
        record("hologram", x=2),
        record("world_state", state={}),
        record("turn_context", cwd="/"),
    ]
    transcript = parse(*numbered, *odd)
    assert texts(transcript) == ["hi"]
    assert [(d.code, d.where) for d in transcript.defects] == [("unknown-record", "line 4")]


def test_torn_and_glued_lines_are_survived_and_reported() -> None:
    data = lines([meta(), *typed("hi")]).replace(b"\n", b"", 1) + b'{"timestamp":"t","type":"respon'
    transcript = CODEX.parse(data)
    assert texts(transcript) == ["hi"]
    assert codes(transcript) == ["glued-objects", "torn-line"]


def test_a_damaged_line_in_the_middle_is_refused_by_its_number() -> None:
    with pytest.raises(InputError) as caught:
        CODEX.parse(lines([meta()]) + b"oops\n" + lines(typed("hi")))
    assert caught.value.details["line"] == 2


def test_a_packed_rollout_is_refused_with_the_way_to_unpack_it() -> None:
    packed = b"\x28\xb5\x2f\xfd\x04\x00"
    assert not CODEX.recognise(packed)
    for read in (CODEX.parse, lambda data: decode(data, "rollout.jsonl.zst")):
        with pytest.raises(InputError) as caught:
            read(packed)
        assert caught.value.details["found"] == "zstd"
        assert "zstd -d" in caught.value.next_step


def test_what_holds_no_item_is_refused_with_what_it_holds() -> None:
    with pytest.raises(InputError) as caught:
        parse(meta(), record("event_msg", type="turn.completed"))
    assert caught.value.details["types"] == ["event_msg", "session_meta"]
    with pytest.raises(DialectError):
        CODEX.parse({"messages": []})
    with pytest.raises(ConfigurationError):
        parse(*typed("hi"), region="some")


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        b"",
        [said("hi")],
        [{"role": "user", "content": "x"}],
        [record("unknown", type="message")],
        [record("response_item", x=1)],
        [{"type": "user", "message": {"role": "user", "content": "x"}, "uuid": "u", "sessionId": "s"}],
        [{**META, "instructions": None}, {"type": "hologram"}],
        [{**META, "instructions": None}, 7],
        {"messages": []},
    ],
)
def test_none_of_these_is_a_rollout(value: JSON) -> None:
    assert not CODEX.recognise(value)


@pytest.mark.parametrize("head", [meta(), *typed("x"), compacted(""), record("turn_context", cwd="/"), counted(1)])
def test_any_record_of_the_client_makes_a_rollout_and_no_other_dialect_takes_it(head: Record) -> None:
    for value in ([head], lines([head, *typed("hi")])):
        assert [d.name for d in DIALECTS.values() if d.recognise(value)] == ["codex"]


# Who typed what ------------------------------------------------------------------------------


def test_what_fills_a_form_of_the_client_and_no_event_mirrors_is_the_clients() -> None:
    warning = "Warning: apply_patch was requested via shell_command. Use the apply_patch tool instead of exec_command."
    transcript = parse(item(said(AGENTS)), item(said(CONTEXT)), *typed("hi"), item(said(warning)), *agent("ok"))
    assert voices(transcript) == [
        (AGENTS, Provenance.harness),
        (CONTEXT, Provenance.harness),
        ("hi", Provenance.user),
        (warning, Provenance.harness),
        ("ok", Provenance.agent),
    ]
    assert Mark.instruction in parts(transcript)[0].marks


def test_what_a_person_typed_is_theirs_even_in_the_form_of_the_client() -> None:
    transcript = parse(*typed(AGENTS), *typed(CONTEXT))
    assert [voice for _, voice in voices(transcript)] == [Provenance.user] * 2
    assert not parts(transcript)[0].marks


def test_without_any_event_an_unexplained_text_is_a_persons() -> None:
    transcript = parse(item(said(CONTEXT)), item(said("hi")))
    assert [voice for _, voice in voices(transcript)] == [Provenance.harness, Provenance.user]


@pytest.mark.parametrize(
    "text",
    [
        "Never touch prod. Now the second task.",
        "Warning: never touch prod.",
        "Warning: apply_patch was requested via me. Never do that.",
        f"{CONTEXT} Never touch prod.",
        "# Context from my IDE setup:\n\n- a.py\n\n## My request for Codex:\nNever touch prod.",
        '<codex_internal_context source="goal">x</codex_internal_context> Never touch prod.',
        "<codex_internal_context>Never touch prod.</codex_internal_context>",
    ],
)
def test_a_text_without_its_event_that_fills_no_form_is_a_persons_wherever_it_stands(text: str) -> None:
    """The file may end before the event, or hold it in words of its own."""
    first = [meta(), *typed("first"), *agent("done")]
    for records in ([*first, item(said(text))], [*first, item(said(text)), *agent("ok"), *typed("next")]):
        assert (text, Provenance.user) in voices(parse(*records))


@pytest.mark.parametrize(
    "text",
    [
        '<codex_internal_context source="goal">\nGo on.\n</codex_internal_context>',
        '<hook_prompt hook_run_id="1">Go on.</hook_prompt>',
        "<plugins>\na\n</plugins>\n",
        "<skill>\na\n</skill>",
    ],
)
def test_forms_of_the_client_are_machine_text_in_its_sessions(text: str) -> None:
    assert (text, Provenance.harness) in voices(parse(*typed("hi"), item(said(text))))


@pytest.mark.parametrize("sent", ["<environment_context>\r\nmine\r\n</environment_context>", f"{CONTEXT}\n\n"])
def test_line_ends_and_space_around_a_text_do_not_hide_its_event(sent: str) -> None:
    mirrored = sent.replace("\r\n", "\n").strip()
    transcript = parse(item(said(sent)), record("event_msg", type="user_message", message=mirrored))
    assert voices(transcript) == [(sent, Provenance.user)]


def pictured(*texts: str) -> JSON:
    blocks = [{"type": "input_text", "text": text} for text in ("<image name=[Image #1]>", "</image>", *texts)]
    blocks.insert(1, {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="})
    return {"type": "message", "role": "user", "content": blocks}


def test_the_labels_around_a_picture_are_of_whoever_attached_it() -> None:
    event = record("event_msg", type="user_message", message="Look at [Image #1]")
    mine = parse(item(pictured("Look at [Image #1]")), event)
    assert [part.provenance for part in parts(mine)] == [Provenance.user] * 4
    alone = parse(*typed("hi"), item(pictured()))
    assert [part.provenance for part in parts(alone)[1:]] == [Provenance.user] * 3
    clients = parse(*typed("hi"), item(pictured(CONTEXT)))
    assert [part.provenance for part in parts(clients)[1:]] == [Provenance.harness] * 4


def test_a_message_of_several_blocks_is_mirrored_as_one_text() -> None:
    blocks = [{"type": "input_text", "text": "look "}, {"type": "input_image", "image_url": "data:,"}]
    message = {"type": "message", "role": "user", "content": [*blocks, {"type": "input_text", "text": "here"}]}
    event = record("event_msg", type="user_message", message="look here")
    assert {part.provenance for part in parts(parse(item(message), event))} == {Provenance.user}
    blocks = [{"type": "input_text", "text": text} for text in (CONTEXT, AGENTS)]
    forms = item({"type": "message", "role": "user", "content": blocks})
    whole = record("event_msg", type="user_message", message=f"{CONTEXT}\n{AGENTS}")
    assert {part.provenance for part in parts(parse(forms, whole))} == {Provenance.user}
    assert {part.provenance for part in parts(parse(forms, *typed("else")))[:2]} == {Provenance.harness}


def test_newer_clients_mirror_a_message_as_a_completed_item() -> None:
    mirror = {"type": "UserMessage", "content": [{"type": "text", "text": CONTEXT}]}
    transcript = parse(item(said(CONTEXT)), item(said(AGENTS)), record("event_msg", type="item_completed", item=mirror))
    assert [voice for _, voice in voices(transcript)] == [Provenance.user, Provenance.harness]


# Compaction ----------------------------------------------------------------------------------

OPAQUE = {"type": "compaction", "encrypted_content": "gAAA"}
GHOST = {"type": "ghost_snapshot", "ghost_commit": {"id": "x"}}
BEFORE = [meta(), *typed("first"), *ran(1), *agent("found it"), *typed("second")]


def test_after_a_remote_compaction_the_view_is_its_history_and_what_follows() -> None:
    history = [said("first"), said("second"), OPAQUE, GHOST]
    transcript = parse(*BEFORE, compacted("", history), record("event_msg", type="context_compacted"), *ran(2))
    assert [message.raw for message in transcript.messages[:3]] == history[:3]
    assert voices(transcript) == [("first", Provenance.user), ("second", Provenance.user)]
    opaque = transcript.messages[2].parts[0]
    assert (opaque.provenance, opaque.marks) == (Provenance.foreign, frozenset({Mark.summary, Mark.server}))
    assert [part.kind for part in parts(transcript)[3:]] == [Kind.reasoning, Kind.call, Kind.result]


@pytest.mark.parametrize("said_in_full", [SUMMARY, "All is done."])
def test_a_local_compactions_summary_is_foreign_and_a_shortened_message_stays_a_persons(said_in_full: str) -> None:
    history = [said(AGENTS), said("fir...", "user"), said("second"), said(said_in_full)]
    transcript = parse(*BEFORE, compacted(said_in_full, history), *typed("third"))
    assert voices(transcript) == [
        (AGENTS, Provenance.harness),
        ("fir...", Provenance.user),
        ("second", Provenance.user),
        (said_in_full, Provenance.foreign),
        ("third", Provenance.user),
    ]
    assert Mark.summary in transcript.messages[3].parts[0].marks


def test_what_is_the_clients_before_a_compaction_is_the_clients_in_its_history() -> None:
    marker = said("<turn_aborted>x</turn_aborted>")
    transcript = parse(*BEFORE, item(marker), compacted("", [said("first"), marker, OPAQUE]))
    assert [voice for _, voice in voices(transcript)] == [Provenance.user, Provenance.harness]


def test_only_the_last_message_without_an_opaque_item_is_a_summary_and_only_as_the_record_says_it() -> None:
    doubt = f"{SUMMARY} I do not trust it. Never touch prod."
    kept = [
        compacted("", [said("first"), said(doubt), OPAQUE]),
        compacted(doubt, [said("first"), said(doubt), OPAQUE]),
        compacted(SUMMARY, [said(doubt), said(SUMMARY)]),
        compacted("", [said(doubt), said("second")]),
        compacted(SUMMARY, [said(doubt)]),
    ]
    for boundary in kept:
        assert (doubt, Provenance.user) in voices(parse(*BEFORE, boundary))
    assert voices(parse(*BEFORE, compacted("", [said("first"), said(SUMMARY)])))[-1] == (SUMMARY, Provenance.foreign)


def test_a_compaction_without_a_history_is_rebuilt_from_the_messages_and_says_so() -> None:
    transcript = parse(*BEFORE[:1], item(said(AGENTS)), *BEFORE[1:], compacted(SUMMARY), *typed("third"))
    assert texts(transcript) == [AGENTS, "first", "second", SUMMARY, "third"]
    assert codes(transcript) == ["rebuilt-history"]
    again = parse(*BEFORE, compacted(SUMMARY), *typed("third"), compacted(SUMMARY + " twice"))
    assert texts(again) == ["first", "second", "third", SUMMARY + " twice"]


def test_only_the_last_of_several_compactions_counts() -> None:
    first, second = compacted("", [said("first"), OPAQUE]), compacted("", [said("first"), said("second"), OPAQUE])
    transcript = parse(*BEFORE, first, *agent("more"), second)
    assert texts(transcript) == ["first", "second"]


def test_a_history_that_the_client_writes_again_is_shown_once() -> None:
    history = [said("first"), said("second"), OPAQUE]
    transcript = parse(*BEFORE, compacted("", history), *(item(value) for value in history), *agent("more"))
    assert texts(transcript) == ["first", "second", "more"]
    assert codes(transcript) == ["replayed-history"]


def test_what_a_person_says_again_after_a_compaction_is_not_taken_for_a_repetition() -> None:
    history = [said("first"), said("second"), OPAQUE]
    transcript = parse(*BEFORE, compacted("", history), *typed("first"), *agent("more"))
    assert texts(transcript) == ["first", "second", "first", "more"]
    alone = parse(*BEFORE, compacted("", [said("first")]), *typed("first"))
    assert texts(alone) == ["first", "first"]
    last = parse(*BEFORE, compacted("", history), *typed("first"))
    assert texts(last) == ["first", "second", "first"]


def test_the_whole_history_ignores_compactions_and_marks_what_they_replaced() -> None:
    history = [said("first"), said("second"), OPAQUE]
    transcript = parse(*BEFORE, compacted("", history), *ran(2), region="all")
    assert texts(transcript) == ["first", "found it", "second"]
    opaque = next(index for index, message in enumerate(transcript.messages) if message.raw == OPAQUE)
    marked = [Mark.summarized in part.marks for m in transcript.messages[:opaque] for part in m.parts]
    assert all(marked)
    assert len(marked) == 6
    assert not any(Mark.summarized in part.marks for m in transcript.messages[opaque:] for part in m.parts)
    readable = parse(*BEFORE, compacted(SUMMARY, [said("first"), said(SUMMARY)]), *ran(2), region="all")
    assert texts(readable) == ["first", "found it", "second", SUMMARY]


# Turns, forks, counts ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "left"), [(0, 3), (1, 2), (2, 1), (3, 0), (99, 0), (-1, 3), (True, 3), (None, 3), ("1", 3)]
)
def test_turns_that_were_rolled_back_are_out(turns: JSON, left: int) -> None:
    records = [meta(), item(said("rules", "developer"))]
    for n in range(3):
        records += [*typed(f"turn {n}"), *ran(n), *agent(f"did {n}"), item(said(CONTEXT))]
    transcript = parse(*records, record("event_msg", type="thread_rolled_back", num_turns=turns))
    assert [text for text in texts(transcript) if text.startswith("turn")] == [f"turn {n}" for n in range(left)]
    assert texts(transcript)[0] == "rules"


def test_an_interrupted_turn_keeps_its_marker_and_its_unanswered_call() -> None:
    marker = "<turn_aborted>\nThe user interrupted the previous turn.\n</turn_aborted>"
    aborted = record("event_msg", type="turn_aborted", reason="interrupted")
    transcript = parse(*typed("go"), *ran(1)[:2], item(said(marker)), aborted, *typed("why?"))
    assert voices(transcript)[1] == (marker, Provenance.harness)
    assert codes(transcript) == ["unanswered-call"]


def test_a_forks_first_metadata_is_its_own_and_a_missing_base_is_reported() -> None:
    fork = [meta(id="fork", forked_from_id="thread-1"), meta(), *typed("hi")]
    assert parse(*fork).session == "fork"
    assert codes(parse(*fork)) == []
    base = {"thread_id": "thread-0", "end_ordinal_exclusive": 7}
    transcript = parse(meta(history_base=base, history_mode="paginated"), *typed("hi"))
    assert codes(transcript) == ["partial-log"]
    assert "thread-0" in transcript.defects[0].note
    assert parse(*typed("hi")).session is None


def test_a_count_belongs_to_its_output_once_and_names_its_model() -> None:
    """Older clients write a count before the items of its output, newer ones behind them; both say it twice."""
    model = record("turn_context", cwd="/w", model="gpt-5.2-codex")
    early = record("event_msg", type="token_count", info=None)
    thought, call, output = ran(1)
    newer = [thought, call, counted(100, 1), output, counted(100, 1), *agent("ok"), counted(120, 2)]
    older = [counted(100, 1), thought, call, output, counted(100, 1), counted(120, 2), *agent("ok"), counted(120, 2)]
    for after in (newer, older):
        transcript = parse(meta(), model, *typed("hi"), early, *after)
        assert transcript.usage == (Usage(1, 100, "gpt-5.2-codex"), Usage(4, 120, "gpt-5.2-codex"))
        assert transcript.model == "gpt-5.2-codex"
        assert [transcript.messages[n].parts[0].kind for n in (1, 4)] == [Kind.reasoning, Kind.text]


def test_counts_of_requests_that_are_no_prefix_of_the_view_are_left_out() -> None:
    before = [*BEFORE[:3], counted(100, 1), *BEFORE[3:]]
    boundary = compacted("", [said("first"), OPAQUE])
    assert parse(*before, boundary, counted(0, 2)).usage == ()
    after = parse(*before, boundary, *agent("x"), counted(50, 3))
    assert after.usage == (Usage(2, 50, None),)
    everything = parse(*before, boundary, *agent("x"), counted(50, 3), region="all")
    assert [usage.input_tokens for usage in everything.usage] == [100]
    rolled = record("event_msg", type="thread_rolled_back", num_turns=2)
    assert parse(*before, rolled, *typed("anew")).usage == ()


def test_histories_that_are_rebuilt_and_rolled_back_in_turn_come_out_as_if_each_were_replayed_alone() -> None:
    rolled = record("event_msg", type="thread_rolled_back", num_turns=1)
    records = [*typed("a"), *ran(1), *agent("x"), compacted("s1"), *typed("b"), *agent("y"), rolled, *agent("z")]
    assert texts(parse(*records, compacted("s2"))) == ["a", "s2"]
    assert texts(parse(*records, *typed("c"), compacted("s2"), rolled, *typed("d"))) == ["a", "d"]
    assert texts(parse(*records, compacted("s2"), *typed("e"), compacted("s3"), *agent("w"))) == ["a", "e", "s3", "w"]
    everything = parse(*records, compacted("s2"), *typed("f"), region="all")
    assert texts(everything) == ["a", "x", "s1", "z", "s2", "f"]
    replaced = [Mark.summarized in message.parts[0].marks for message in everything.messages]
    assert replaced == [True] * (len(replaced) - 2) + [False] * 2


# Profile -------------------------------------------------------------------------------------


def test_the_profile_declares_plans_answers_and_patches_and_no_command_as_repeatable() -> None:
    tools = Tools.of(profile="codex")
    for name in ("shell", "shell_command", "exec_command", "write_stdin", "local_shell"):
        spec = tools.get(name)
        assert spec is not None
        assert (spec.repeatable, spec.writes_nothing, spec.writes_handle) == (False, False, None)
    assert [spec.name for spec in PROFILES["codex"] if spec.plan] == ["update_plan"]
    assert [spec.name for spec in PROFILES["codex"] if spec.answers_human] == ["request_user_input"]
    assert [spec.writes_handle for spec in PROFILES["codex"] if spec.name == "apply_patch"] == ["file:{path}"]
    assert {spec.name for spec in PROFILES["codex"] if spec.repeatable} == {
        *("read_file", "list_dir", "grep_files", "view_image"),
    }
