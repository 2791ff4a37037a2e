"""Compactions in rollouts of Codex: what the model was sent before and after each, and what nobody can read."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from compaction_laws import gone, json_lines, lawful, said, stands_for_it
from damaged import damaged

from cenotaph.core.audit.model import Chronicle, Event, Mechanism, Tier
from cenotaph.core.model import Provenance
from cenotaph.dialects.codex import CODEX
from cenotaph.dialects.compactions.codex import chronicle, may_hold
from cenotaph.errors import DialectError, InputError

Record = dict[str, Any]
SHARED = Path(__file__).resolve().parents[3] / "shared"
ROLLOUTS = sorted((SHARED / "data" / "codex").rglob("*.jsonl"))
OPENING = "Another language model started to solve this problem and produced a summary of it."


def record(kind: str, **payload: Any) -> Record:
    return {"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload}


def meta(**fields: Any) -> Record:
    return record("session_meta", **{"id": "t1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w", **fields})


def message(text: str, role: str = "user") -> Record:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def item(value: Record) -> Record:
    return record("response_item", **value)


def asked(text: str) -> list[Record]:
    return [item(message(text)), record("event_msg", type="user_message", message=text)]


def ran(number: int) -> list[Record]:
    call = {"type": "function_call", "name": "shell", "arguments": f'{{"command":"run {number}"}}'}
    return [
        item({**call, "call_id": f"c{number}"}),
        item({"type": "function_call_output", "call_id": f"c{number}", "output": f"output {number}"}),
        item(message(f"done {number}", "assistant")),
    ]


def turn(number: int) -> list[Record]:
    return [*asked(f"ask {number}"), *ran(number)]


def counted(tokens: int, total: int) -> Record:
    last = {"input_tokens": tokens, "cached_input_tokens": 0, "output_tokens": total - tokens, "total_tokens": total}
    return record("event_msg", type="token_count", info={"last_token_usage": last, "n": total})


def estimated(total: int) -> Record:
    last = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "total_tokens": total}
    return record("event_msg", type="token_count", info={"last_token_usage": last})


def compacted(text: str = "", history: list[Record] | None = None, **fields: Any) -> list[Record]:
    held = {} if history is None else {"replacement_history": history}
    mirror = record("event_msg", type="context_compacted")
    return [record("compacted", message=text, **held, **fields), mirror]


def sealed(words: str = "gAAA") -> Record:
    return {"type": "compaction", "encrypted_content": words}


def found(*records: Record) -> Chronicle:
    return lawful(chronicle(json_lines([meta(), *records])))


def only(*records: Record) -> Event:
    (event,) = found(*records).events
    return event


# Both kinds --------------------------------------------------------------------------------------


def test_a_local_compaction_keeps_a_persons_messages_and_its_summary_stands_for_the_rest() -> None:
    history = [message("ask 1"), message(f"{OPENING}\nS")]
    whole = found(*turn(1), *compacted(f"{OPENING}\nS", history), *turn(2))
    (event,) = whole.events
    assert event.mechanism is Mechanism.codex_local
    assert said(event.before) == ["ask 1", '{"command":"run 1"}', "output 1", "done 1"]
    assert gone(event) == ['{"command":"run 1"}', "output 1", "done 1"]
    assert stands_for_it(event) == [f"{OPENING}\nS"]
    assert event.after[1].parts[0].provenance is Provenance.foreign
    assert event.after[0] is event.before[0]
    assert said(whole.messages[event.at :])[0] == "ask 2"
    assert (event.where, event.when, event.wire) == ("line 7", "2026-01-01T00:00:00.000Z", "openai-responses")
    assert event.tier is Tier.proven
    assert (whole.session, whole.records) == ("t1", 13)


def test_a_remote_compaction_is_opaque_and_what_it_kept_was_not_removed() -> None:
    event = only(*turn(1), *compacted("", [message("ask 1"), sealed()]), *turn(2))
    assert event.mechanism is Mechanism.codex_remote
    assert event.opaque
    assert event.tier is Tier.at_risk
    assert gone(event) == ['{"command":"run 1"}', "output 1", "done 1"]
    assert event.replacement == (1,)


@pytest.mark.parametrize("kind", ["compaction", "compaction_summary", "context_compaction"])
def test_the_providers_item_is_opaque_by_each_of_its_names(kind: str) -> None:
    event = only(*turn(1), *compacted("", [message("ask 1"), {**sealed(), "type": kind}]))
    assert (event.mechanism, event.opaque) == (Mechanism.codex_remote, True)


def test_an_older_record_without_a_history_rebuilds_it() -> None:
    event = only(*turn(1), *compacted(f"{OPENING}\nS"), *turn(2))
    assert gone(event) == ['{"command":"run 1"}', "output 1", "done 1"]
    assert said(event.after) == ["ask 1", f"{OPENING}\nS"]


def test_a_chain_of_compactions_is_one_event_each() -> None:
    records: list[Record] = []
    for number in range(1, 5):
        records += [*turn(number), *compacted("", [message(f"ask {number}"), sealed(f"{number}")])]
    events = found(*records).events
    assert [event.where for event in events] == ["line 7", "line 14", "line 21", "line 28"]
    assert [event.at for event in events] == [5, 10, 15, 20]
    assert [len(event.removed) for event in events] == [3, 5, 5, 5]


def test_the_mirror_and_a_second_copy_of_the_record_are_no_compactions() -> None:
    once = compacted("", [message("ask 1"), sealed()])
    assert len(found(*turn(1), *once, *once, once[1]).events) == 1


def test_a_history_that_is_written_again_item_by_item_stands_once() -> None:
    history = [message("ask 1"), sealed()]
    whole = found(*turn(1), *compacted("", history), *map(item, history), *turn(2))
    assert len(whole.messages) == 4 + 1 + 4


def test_a_turn_that_was_rolled_back_was_not_compacted() -> None:
    back = record("event_msg", type="thread_rolled_back", num_turns=1)
    event = only(*turn(1), *turn(2), back, *compacted("", [message("ask 1"), sealed()]))
    assert "ask 2" not in said(event.before)


def test_a_bare_rollout_of_an_older_client_can_hold_one() -> None:
    bare = [{"id": "t1", "timestamp": "t", "instructions": None}, message("ask 1"), message("done 1", "assistant")]
    (event,) = lawful(chronicle(json_lines([*bare, *compacted(f"{OPENING}\nS")]))).events
    assert gone(event) == ["done 1"]


# Counts ------------------------------------------------------------------------------------------


def test_tokens_are_those_of_the_region_and_the_clients_estimate_of_what_is_left() -> None:
    sealing = compacted("", [message("ask 1"), sealed("A")])
    older = [*turn(1), counted(90, 100), estimated(10), *sealing]
    newer = [*turn(2), counted(190, 200), *compacted("", [message("ask 1"), sealed("B")]), estimated(20)]
    uncounted = [*turn(3), *compacted("", [message("ask 1"), sealed("C")])]
    events = found(*older, *newer, *uncounted).events
    assert [(event.tokens_before, event.tokens_after) for event in events] == [(100, 10), (200, 20), (None, None)]


def test_a_count_that_came_later_is_not_of_the_compaction() -> None:
    event = only(*turn(1), *compacted("", [sealed()]), *turn(2), counted(30, 31), estimated(5))
    assert (event.tokens_before, event.tokens_after) == (None, None)


def test_a_newer_record_says_itself_what_was_counted() -> None:
    record_of = {"usage": {"input_tokens": 77, "total_tokens": 80}}
    assert only(*turn(1), *compacted("", [sealed()], latest_token_usage_record=record_of)).tokens_before == 77


def test_what_the_provider_counted_is_kept_of_both_sides() -> None:
    records = [*turn(1), counted(90, 100), *compacted("", [sealed()]), *turn(2), counted(40, 50)]
    assert [usage.input_tokens for usage in found(*records).usage] == [90, 40]


# What lies elsewhere -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heads", "complete"),
    [
        ([meta()], True),
        ([meta(history_base={"thread_id": "t0", "end_ordinal_exclusive": 9})], False),
        ([meta(forked_from_id="t0")], False),
        ([meta(forked_from_id="t0"), meta(id="t0")], True),
        ([meta(forked_from_id="t0"), meta(id="t0", history_base={"thread_id": "t"})], False),
        ([meta(history_base=None, forked_from_id=None)], True),
    ],
)
def test_a_thread_that_began_in_another_file_does_not_hold_its_first_region(
    heads: list[Record], complete: bool
) -> None:
    first, second = compacted("", [message("ask 1"), sealed("A")]), compacted("", [message("ask 1"), sealed("B")])
    events = lawful(chronicle([*heads, *turn(1), *first, *turn(2), *second])).events
    assert [event.complete for event in events] == [complete, True]


# Bytes -------------------------------------------------------------------------------------------


def test_a_file_without_the_sign_holds_none_and_an_escaped_letter_is_one() -> None:
    plain = json_lines([meta(), *turn(1)])
    assert not may_hold(plain)
    data = json_lines([meta(), *turn(1), *compacted("", [sealed()])])
    assert may_hold(data)
    spelled = data.replace(b"compact", b"\\u0063ompact")
    assert chronicle(spelled).events
    assert may_hold(spelled)


def test_another_decoder_changes_nothing_that_is_read() -> None:
    odd = item({"type": "tool_search_call", "call_id": "x", "arguments": {"limit": 2**70, "words": "lone \ud800"}})
    data = json_lines([meta(), *turn(1), odd, *compacted("", [message("ask 1"), sealed()]), *turn(2)])
    plain = chronicle(data)
    assert chronicle(data, loads=orjson.loads) == plain
    assert any(str(2**70) in words for words in said(plain.messages))


@pytest.mark.parametrize("value", [b"{}", json_lines([meta()]), [], 3, b"\x28\xb5\x2f\xfd"])
def test_a_rollout_without_an_item_is_refused_as_by_its_dialect(value: Any) -> None:
    with pytest.raises((InputError, DialectError)) as refusal:
        chronicle(value)
    with pytest.raises(type(refusal.value)) as said_by_the_dialect:
        CODEX.parse(value)
    assert str(refusal.value) == str(said_by_the_dialect.value)


def test_damaged_rollouts_are_lawful_or_refused() -> None:
    records = [meta(), *turn(1), counted(9, 10), *compacted("", [message("ask 1"), sealed()]), estimated(3), *turn(2)]
    for seed in range(300):
        try:
            lawful(chronicle(damaged(list(records), Random(seed))))
        except (InputError, DialectError):
            continue


def test_thousands_of_equal_records_are_one_compaction() -> None:
    data = json_lines([meta(), *turn(1)]) + json_lines(compacted(f"{OPENING}\nS")) * 10_000
    assert len(lawful(chronicle(data, loads=orjson.loads)).events) == 1


# The dialect is the oracle -----------------------------------------------------------------------


def line_of(event: Event) -> int:
    return int(event.where.removeprefix("line "))


def as_resumed(lines: list[bytes]) -> list[str]:
    """What the client would send, had the file ended here."""
    try:
        return said(CODEX.parse(b"".join(lines)).messages)
    except InputError:
        return []


@pytest.mark.parametrize("seed", range(40))
def test_the_views_around_a_compaction_are_what_the_client_would_resume_there(seed: int) -> None:
    rng = Random(seed)
    records = [meta()]
    for number in range(1, 15):
        records += turn(number)
        kind = rng.randrange(6)
        if kind == 0:
            records += compacted("", [message(f"ask {number}"), sealed(f"{number}")])
        elif kind == 1:
            records += compacted(f"{OPENING}\nS{number}")
        elif kind == 2:
            history = [message(f"ask {number}"), message(f"{OPENING}\nS{number}")]
            records += [*compacted(f"{OPENING}\nS{number}", history), *map(item, history)]
        elif kind == 3:
            records.append(record("event_msg", type="thread_rolled_back", num_turns=rng.randint(1, 3)))
    lines = json_lines(records).splitlines(keepends=True)
    events = lawful(chronicle(b"".join(lines))).events
    assert len(events) == sum(one["type"] == "compacted" for one in records)
    for event in events:
        assert said(event.before) == as_resumed(lines[: line_of(event) - 1])
        assert said(event.after) == as_resumed(lines[: line_of(event)])


@pytest.mark.shared
def test_every_compaction_in_real_rollouts_is_found() -> None:
    expected = counts = 0
    for path in ROLLOUTS:
        data = path.read_bytes()
        lines = data.splitlines(keepends=True)
        try:
            history = chronicle(data, loads=orjson.loads)
        except InputError:
            with pytest.raises(InputError):
                CODEX.parse(data)
            continue
        if b'"id":"[trimmed for fixture]"' not in data:
            lawful(history)  # items that share an id are one item, edited
        expected += sum(json.loads(line).get("type") == "compacted" for line in lines if line.strip())
        counts += len(history.events)
        assert not history.events or may_hold(data)
        for event in history.events:
            assert event.when
            assert said(event.before) == as_resumed(lines[: line_of(event) - 1])
            assert said(event.after) == as_resumed(lines[: line_of(event)])
    if not ROLLOUTS:
        pytest.skip(f"no rollouts under {SHARED}")
    assert counts == expected > 0
