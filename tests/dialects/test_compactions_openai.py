"""Compaction items of OpenAI's API, in lists, logs, and sessions of its agents' SDK."""

from __future__ import annotations

from typing import Any

from compaction_laws import gone, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism, Tier
from cenotaph.dialects.compactions import openai_agents
from cenotaph.dialects.compactions.finding import chronicle_of
from cenotaph.dialects.compactions.openai import chronicle

Record = dict[str, Any]
SEALED: Record = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}


def human(text: str) -> Record:
    return {"role": "user", "content": text}


def agent(text: str) -> Record:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def call(call_id: str, output: str) -> list[Record]:
    return [
        {"type": "function_call", "call_id": call_id, "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": call_id, "output": output},
    ]


TALK = [human("never push"), agent("ok"), *call("c1", "out"), human("go on")]


def answer(name: str, *output: Record, **more: Any) -> Record:
    return {"object": "response", "id": name, "output": list(output), "usage": {"input_tokens": 7}, **more}


def compacted(name: str, *output: Record) -> Record:
    return answer(name, *output, object="response.compaction")


def test_an_item_replaces_all_before_it_and_nobody_can_read_it() -> None:
    found = lawful(chronicle([*TALK, SEALED, agent("then"), human("next")]))
    (event,) = found.events
    assert event.mechanism is Mechanism.openai_compaction
    assert gone(event) == ["never push", "ok", "{}", "out", "go on"]
    assert event.opaque
    assert event.complete
    assert event.tier is Tier.at_risk
    assert stands_for_it(event) == [""]
    assert said(found.messages[event.at :]) == ["then", "next"]


def test_what_the_compact_call_gives_back_keeps_what_people_said_and_shows_one_side() -> None:
    (event,) = lawful(chronicle([human("never push"), human("go on"), SEALED, agent("then")])).events
    assert event.removed == ()
    assert not event.complete
    assert said(event.after) == ["never push", "go on", ""]


def test_items_chain() -> None:
    second = {**SEALED, "id": "cmp_2", "encrypted_content": "gBBB"}
    found = lawful(chronicle([*TALK, SEALED, agent("then"), human("next"), second, agent("end")]))
    assert [stands_for_it(event) for event in found.events] == [[""], [""]]
    assert gone(found.events[1])[-2:] == ["then", "next"]
    assert found.events[1].before[0].raw == SEALED


def test_a_session_of_the_agents_sdk_is_read_alike_under_its_own_name() -> None:
    found = lawful(openai_agents.chronicle([human("never push"), SEALED]))
    assert found.dialect == openai_agents.NAME
    assert found.events[0].mechanism is Mechanism.openai_agents_session
    assert chronicle_of([human("never push"), SEALED], openai_agents.NAME).events == found.events


def test_a_log_with_the_compact_call_shows_both_sides() -> None:
    log = [
        {"request": {"model": "m", "input": TALK}, "response": answer("r1", agent("done"))},
        {
            "request": {"model": "m", "input": [*TALK, agent("done")]},
            "response": compacted("r2", human("never push"), human("go on"), SEALED),
        },
        {
            "request": {"model": "m", "input": [human("never push"), human("go on"), SEALED, human("next")]},
            "response": answer("r3", agent("fine")),
        },
    ]
    found = lawful(chronicle_of(log))
    (event,) = found.events
    assert gone(event) == ["ok", "{}", "out", "done"]
    assert said(event.after) == ["never push", "go on", ""]
    assert event.complete
    assert event.opaque
    assert event.tokens_before == 7
    assert said(found.messages[event.at :]) == ["next", "fine"]


def test_a_request_that_names_the_response_before_it_is_joined_to_it() -> None:
    log = [
        {"request": {"model": "m", "input": [human("never push")]}, "response": answer("r1", agent("ok"))},
        {
            "request": {"model": "m", "input": [], "previous_response_id": "r1"},
            "response": compacted("r2", human("never push"), SEALED),
        },
    ]
    (event,) = lawful(chronicle_of(log)).events
    assert said(event.before) == ["never push", "ok"]
    assert gone(event) == ["ok"]
    assert event.complete


def test_a_request_whose_beginning_is_on_the_server_makes_losses_possible_only() -> None:
    request = {"model": "m", "input": [agent("ok"), *call("c1", "out"), SEALED], "previous_response_id": "elsewhere"}
    (event,) = lawful(chronicle(request)).events
    assert not event.complete


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = [*TALK, SEALED, agent("then"), human("next"), SEALED]
    survives_damage("openai-responses", value)
