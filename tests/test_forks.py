"""A fork is a session from its first view on, cut or not; and what stands is handed out as it was sent."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from cenotaph import BudgetExhausted, Policy, Session, compact, rehydrate, verify
from cenotaph.dialects.bedrock import BEDROCK_CONVERSE
from cenotaph.store.memory import MemoryStore


def turn(number: int) -> list[Any]:
    call = {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": "read_file", "arguments": json.dumps({"path": f"src/{number}.py"})},
    }
    return [
        {"role": "user", "content": f"Task {number}: never touch vendor/{number}."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": f"line of {number}\n" * 400},
        {"role": "assistant", "content": f"Part {number} works."},
    ]


HISTORY = [message for number in range(12) for message in turn(number)]


def session(store: MemoryStore, tokens: int = 1_800) -> Session:
    return Session("s", store=store, to_tokens=tokens, policy=Policy.archive(), tools=["generic"], model="gpt-4o")


def pointers(view: Any) -> list[str]:
    return re.findall(r"\[EVICTED:[^\]]*\]", json.dumps(list(view)))


def test_a_fork_that_cuts_only_later_keeps_pins_pointers_and_the_way_back() -> None:
    store = MemoryStore()
    ahead = session(store)
    for end in range(2, 8):
        ahead.view(HISTORY[: 4 * end])
    ahead.pin("never touch vendor/0")
    behind = session(store)
    for end in (3, 4, 5):
        view = behind.view(HISTORY[: 4 * end])
    assert behind.name != "s"
    assert store.records(behind.name)[0]["parent"]["session"] == "s"
    assert pointers(view)
    for line in pointers(view):
        assert behind.rehydrate(line)
    assert any("never touch vendor/0" in json.dumps(message) for message in view)
    other = session(store)
    other.view(HISTORY[:20])
    assert other.name == behind.name
    assert any("never touch vendor/0" in json.dumps(message) for message in other.view(HISTORY[:20]))
    behind.undo()
    assert verify(store, read_data=True).ok


def test_what_a_fork_shows_resolves_before_anything_is_cut_in_it() -> None:
    store = MemoryStore()
    first = session(store, 1_500)
    views = [list(first.view(HISTORY[: 4 * end])) for end in (1, 2, 3)]
    old = [*views[1], {"role": "user", "content": "Go on from here."}]
    later = session(store, 1_500)
    shown = later.view(old)
    assert later.name != "s"
    for line in pointers(shown):
        assert later.rehydrate(line)
    with_compact = compact(old, to_tokens=100_000, store=store, session="s", tools=["generic"], model="gpt-4o")
    assert with_compact.session == later.name, "the same fork"
    for line in pointers(with_compact.messages):
        assert rehydrate(line, store=store, session=with_compact.session)


def bedrock(number: int, words: str = "") -> list[Any]:
    call = {"toolUse": {"toolUseId": f"c{number}", "name": "read_file", "input": {"path": f"src/{number}.py"}}}
    result = {"toolResult": {"toolUseId": f"c{number}", "content": [{"text": f"line of {number}\n" * 400}]}}
    return [
        {"role": "user", "content": [{"text": f"Task {number}: never touch vendor/{number}. {words}"}]},
        {"role": "assistant", "content": [{"text": f"I read src/{number}.py and think about it."}, call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"text": f"Part {number} works, as far as I can see from here."}]},
    ]


@pytest.mark.parametrize("way", ["halt.standing", "handoff"])
def test_what_stands_is_handed_out_as_it_was_sent(way: str) -> None:
    live = Session(
        "s", store="memory://", to_tokens=900, policy=Policy.archive(), tools=["generic"], dialect="bedrock-converse"
    )
    history = [message for number in range(6) for message in bedrock(number)]
    history.append({"role": "user", "content": [{"text": "Go on."}]})
    view = list(live.view(history))
    assert any("[CENOTAPH" in json.dumps(message) for message in view)
    assert BEDROCK_CONVERSE.breaches(view) == []
    if way == "handoff":
        live.pin("never touch vendor/0")
        shown = live.handoff()
    else:
        more = [*history, *bedrock(6)[1:], {"role": "user", "content": [{"text": "never do it. " * 2_000}]}]
        with pytest.raises(BudgetExhausted) as halted:
            live.view(more)
        shown = halted.value.standing
        assert shown[: len(view)] == view
    assert BEDROCK_CONVERSE.breaches(shown) == []


def test_a_view_of_the_session_is_known_after_another_history_was_sent_that_was_never_cut() -> None:
    store = MemoryStore()
    live = session(store, 1_500)
    for end in (1, 2, 3):
        view = list(live.view(HISTORY[: 4 * end]))
    assert pointers(view)
    live.view([*HISTORY[:4], {"role": "user", "content": "Something else, in short."}])
    assert live.name != "s"
    shown = live.view([*view, *turn(9)])
    assert live.name == "s"
    for line in pointers(shown):
        assert live.rehydrate(line)
    assert live.last is not None
    assert not any("unverified-marker" in warning for warning in live.last.warnings)
