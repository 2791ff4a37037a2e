"""Truncations of Cline: silent, told by ranges in what was shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from compaction_laws import gone, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism, Tier
from cenotaph.dialects.compactions.cline import chronicle
from cenotaph.dialects.compactions.finding import chronicle_of
from cenotaph.errors import InputError

Record = dict[str, Any]
ENVIRONMENT = {"type": "text", "text": "<environment_details>\nnow\n</environment_details>"}


def history(count: int) -> list[Record]:
    """A task whose messages alternate, as the client keeps them."""
    messages = [{"role": "user", "content": [{"type": "text", "text": "<task>\nw0\n</task>"}, ENVIRONMENT]}]
    for number in range(1, count):
        role = "assistant" if number % 2 else "user"
        messages.append({"role": role, "content": [{"type": "text", "text": f"w{number}"}]})
    return messages


def shown(at: int, index: int, told: list[int] | None = None, say: str = "text", text: str = "shown") -> Record:
    item: Record = {"ts": 1_000 + at, "type": "say", "say": say, "text": text, "conversationHistoryIndex": index}
    return item if told is None else {**item, "conversationHistoryDeletedRange": told}


def test_both_files_together_show_what_a_range_took_out() -> None:
    ui = [shown(0, -1, say="task", text="w0"), shown(1, 0), shown(2, 8, [2, 5])]
    found = lawful(chronicle({"ui": ui, "api": history(12)}))
    (event,) = found.events
    assert event.mechanism is Mechanism.cline_truncation
    assert gone(event) == ["w2", "w3", "w4", "w5"]
    assert said(event.after)[-3:] == ["w6", "w7", "w8"]
    assert event.replacement == ()
    assert said(found.messages[event.at :]) == ["w9", "w10", "w11"]
    assert event.complete
    assert (event.where, event.when) == ("message 2 as shown, range 2 to 5", "1970-01-01T00:00:01.002Z")


def test_ranges_grow_and_each_takes_out_what_it_adds() -> None:
    ui = [shown(0, 8, [2, 3]), shown(1, 9, [2, 3]), shown(2, 14, [2, 9]), shown(3, 18, [2, 13])]
    found = lawful(chronicle({"ui": json.dumps(ui).encode(), "api": json.dumps(history(20)).encode()}))
    assert [gone(event) for event in found.events] == [
        ["w2", "w3"],
        [f"w{n}" for n in range(4, 10)],
        [f"w{n}" for n in range(10, 14)],
    ]


def test_a_shorter_range_is_a_return_to_an_earlier_point() -> None:
    ui = [shown(0, 8, [2, 5]), shown(1, 4, [2, 3]), shown(2, 9, [2, 7])]
    assert [gone(event) for event in lawful(chronicle({"ui": ui, "api": history(12)})).events] == [
        ["w2", "w3", "w4", "w5"],
        ["w4", "w5", "w6", "w7"],
    ]


def test_what_was_shown_alone_makes_losses_possible_only() -> None:
    ui = [
        shown(0, -1, say="task", text="keep the API stable"),
        shown(1, 0, text="I look"),
        shown(2, 2, say="user_feedback", text="and never push"),
        shown(3, 2, say="tool", text="{}"),
        shown(4, 6, text="much later"),
        shown(5, 8, [2, 5], text="after the cut"),
    ]
    found = lawful(chronicle(ui))
    (event,) = found.events
    assert event.tier is Tier.at_risk
    assert gone(event) == ["and never push"]
    assert said(found.messages[event.at :]) == ["after the cut"]
    assert found.wire == ""
    assert found.records == 5


def test_a_history_alone_does_not_say_that_anything_was_cut() -> None:
    assert lawful(chronicle(history(6))).events == ()


def test_a_summarisation_is_one_event_and_its_summary_stands_for_it() -> None:
    api = history(4)
    api += [
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "<summarize_task><context>S</context></summarize_task>"}],
        },
        {"role": "user", "content": [{"type": "text", "text": "[summarize_task] Result:\nSUM"}, ENVIRONMENT]},
        {"role": "assistant", "content": [{"type": "text", "text": "I go on"}]},
    ]
    ui = [shown(0, 3), shown(1, 3, [2, 3]), shown(2, 5, [2, 4])]
    (event,) = lawful(chronicle({"ui": ui, "api": api})).events
    assert gone(event)[:2] == ["w2", "w3"]
    assert stands_for_it(event)[0] == "[summarize_task] Result:\nSUM"


def test_detection_finds_all_three_forms() -> None:
    ui, api = [shown(0, -1, say="task", text="w0"), shown(1, 8, [2, 5])], history(12)
    assert len(chronicle_of({"ui": ui, "api": api}).events) == 1
    assert len(chronicle_of(ui).events) == 1
    assert chronicle_of(api).events == ()


def test_a_file_in_which_nobody_speaks_is_refused() -> None:
    with pytest.raises(InputError):
        chronicle([shown(0, 0, say="api_req_started", text="{}")])


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = {"ui": [shown(0, -1, say="task"), shown(1, 8, [2, 5]), shown(2, 9, [2, 7])], "api": history(12)}
    survives_damage("cline", value)
