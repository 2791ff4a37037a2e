"""Condensations of OpenHands, of both generations."""

from __future__ import annotations

from typing import Any

import pytest
from compaction_laws import gone, json_lines, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism
from cenotaph.dialects.compactions.openhands import chronicle
from cenotaph.dialects.openhands import OPENHANDS

Record = dict[str, Any]


def old_said(number: int, source: str, text: str) -> Record:
    return {"id": number, "source": source, "timestamp": f"t{number}", "action": "message", "args": {"content": text}}


def old_condensation(number: int, **args: Any) -> Record:
    empty = {"forgotten_event_ids": None, "forgotten_events_start_id": None, "forgotten_events_end_id": None}
    args = {**empty, "summary": None, "summary_offset": None, **args}
    return {"id": number, "source": "agent", "timestamp": f"t{number}", "action": "condensation", "args": args}


def old_log(count: int) -> list[Record]:
    return [old_said(n, "agent" if n % 2 else "user", f"w{n}") for n in range(count)]


def new_said(name: str, source: str, text: str) -> Record:
    role = "user" if source == "user" else "assistant"
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"kind": "MessageEvent", "id": name, "source": source, "timestamp": name, "llm_message": message}


def new_condensation(name: str, forgotten: list[str], summary: str | None = None, offset: int | None = None) -> Record:
    return {
        "kind": "Condensation",
        "id": name,
        "source": "environment",
        "timestamp": name,
        "forgotten_event_ids": forgotten,
        "summary": summary,
        "summary_offset": offset,
        "llm_response_id": "r",
    }


def test_a_range_of_numbers_is_forgotten_and_the_summary_stands_at_its_offset() -> None:
    condensed = old_condensation(
        6, forgotten_events_start_id=1, forgotten_events_end_id=3, summary="SUM", summary_offset=1
    )
    events = [*old_log(6), condensed, old_said(7, "user", "later")]
    found = lawful(chronicle({"trajectory": events}))
    (event,) = found.events
    assert event.mechanism is Mechanism.openhands_condensation
    assert gone(event) == ["w1", "w2", "w3"]
    assert said(event.after) == ["w0", "SUM", "w4", "w5"]
    assert stands_for_it(event) == ["SUM"]
    assert (event.where, event.when, event.wire) == ("event 6", "t6", "openai-chat")
    assert said(found.messages[event.at :]) == ["later"]
    assert event.complete


def test_a_list_of_numbers_is_forgotten_without_a_summary() -> None:
    (event,) = lawful(chronicle([*old_log(5), old_condensation(5, forgotten_event_ids=[0, 2])])).events
    assert gone(event) == ["w0", "w2"]
    assert event.replacement == ()


def test_a_number_that_is_not_in_the_log_makes_losses_possible_only() -> None:
    (event,) = lawful(chronicle([*old_log(5), old_condensation(5, forgotten_event_ids=[0, 99])])).events
    assert not event.complete


@pytest.mark.parametrize("typed", [False, True])
def test_views_of_a_chain_are_those_of_the_dialect_itself(typed: bool) -> None:
    events: list[Record] = []
    present: list[int] = []
    for number in range(40):
        if number % 8 == 7:
            forgotten, present = present[1:5], [*present[:1], *present[5:]]
            if typed:
                events.append(new_condensation(f"e{number}", [f"e{n}" for n in forgotten], f"S{number}", 1))
            else:
                events.append(
                    old_condensation(number, forgotten_event_ids=forgotten, summary=f"S{number}", summary_offset=1)
                )
            continue
        present.append(number)
        source = "agent" if number % 2 else "user"
        text = f"w{number}"
        events.append(new_said(f"e{number}", source, text) if typed else old_said(number, source, text))
    found = lawful(chronicle(json_lines(events)))
    at = [place for place, event in enumerate(events) if "ondensation" in str(event.get("kind", event.get("action")))]
    assert len(found.events) == len(at) == 5
    for place, event in zip(at, found.events, strict=True):
        assert said(event.before) == said(OPENHANDS.parse(events[:place]).messages)
        assert said(event.after) == said(OPENHANDS.parse(events[: place + 1]).messages)


def test_a_summary_is_removed_by_the_next_condensation() -> None:
    first = new_condensation("c1", ["e0", "e1"], "S1", 0)
    second = new_condensation("c2", ["c1-summary", "e2"], "S2", 0)
    log = [new_said("e0", "user", "a"), new_said("e1", "agent", "b"), first, new_said("e2", "user", "c"), second]
    found = lawful(chronicle([*log, new_said("e3", "user", "d")]))
    assert gone(found.events[1]) == ["S1", "c"]
    assert all(event.complete for event in found.events)


def test_the_other_calls_of_a_response_go_with_one_of_them_and_stay_gone() -> None:
    def call(name: str, call_id: str) -> Record:
        made = {"id": call_id, "name": "run", "arguments": "{}"}
        return {
            "kind": "ActionEvent", "id": name, "source": "agent", "thought": [], "tool_name": "run",
            "tool_call_id": call_id, "tool_call": made, "llm_response_id": "r1",
        }  # fmt: skip

    def result(name: str, call_id: str) -> Record:
        shown = {"content": [{"type": "text", "text": f"out {call_id}"}]}
        return {
            "kind": "ObservationEvent", "id": name, "source": "environment", "observation": shown,
            "tool_call_id": call_id, "tool_name": "run", "action_id": "x",
        }  # fmt: skip

    log = [
        new_said("u", "user", "go"), call("a1", "c1"), call("a2", "c2"), result("o1", "c1"), result("o2", "c2"),
        new_condensation("k1", ["a1", "o1", "o2"], "S", 1), new_said("v", "user", "more"),
        new_condensation("k2", ["v"], "T", 1),
    ]  # fmt: skip
    found = lawful(chronicle(log))
    assert said(found.events[0].after) == ["go", "S"]
    assert said(found.events[1].before) == ["go", "S", "more"]


@pytest.mark.parametrize(
    ("asked", "trigger"),
    [
        ({"kind": "CondensationRequest", "id": "q", "source": "environment"}, "CondensationRequest"),
        ({"kind": "CondensationRequest", "id": "q", "source": "environment", "reason": "manual"}, "manual"),
    ],
)
def test_a_request_before_it_is_the_trigger(asked: Record, trigger: str) -> None:
    log = [new_said("e0", "user", "a"), new_said("e1", "agent", "b"), asked, new_condensation("c", ["e0"], "S", 0)]
    (event,) = lawful(chronicle(log)).events
    assert event.trigger == trigger


def test_a_hard_reset_forgets_all_behind_the_system_prompt() -> None:
    system = {
        "kind": "SystemPromptEvent", "id": "s", "source": "agent", "tools": [],
        "system_prompt": {"type": "text", "text": "rules"},
    }  # fmt: skip
    log = [
        system,
        *(new_said(f"e{n}", "user", f"w{n}") for n in range(3)),
        new_condensation("c", ["e0", "e1", "e2"], "S", 1),
    ]
    (event,) = lawful(chronicle(log)).events
    assert said(event.after) == ["rules", "S"]


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = [
        *old_log(6),
        old_condensation(6, forgotten_events_start_id=1, forgotten_events_end_id=3, summary="S", summary_offset=1),
        old_said(7, "user", "later"),
        old_condensation(8, forgotten_event_ids=[4, 5], summary="T", summary_offset=1),
    ]
    survives_damage("openhands", value)
