"""Compacted again and again: what was lifted stays, pins and plan stand, every pointer resolves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cenotaph import Budget, Policy, Session, rehydrate, verify
from cenotaph.testing.longrun import MODEL, PINNED, STYLES, Client, LongRun, Original, digest

WINDOW = 60_000
TURNS = 300
CUTS_MIN = 45
RESTART_EVERY = 9
SAMPLE_EVERY = 7


def opened(store: str, window: int = WINDOW) -> Callable[[], Session]:
    return lambda: Session(
        "long",
        store=store,
        budget=Budget(window=window),
        policy=Policy.archive("test"),
        tools=["claude-code"],
        pins=PINNED,
        dialect="anthropic",
        model=MODEL,
    )


def test_a_run_is_the_same_for_the_same_seed_and_never_states_a_thing_twice() -> None:
    one, other = LongRun(5, states=0.5), LongRun(5, states=0.5)
    assert list(one.steps(120)) == list(other.steps(120))
    assert len(set(one.statements)) == len(one.statements) > 30


def test_a_run_states_what_its_messages_say_and_plans_what_its_calls_say() -> None:
    run = LongRun(6)
    said, plans, originals = [], [], []
    for step in run.steps(80):
        originals += [original.sha256 for original in step.originals]
        for message in step.messages:
            if isinstance(message["content"], str):
                said.append(message["content"])
                continue
            for block in message["content"]:
                if block.get("name") == "TodoWrite":
                    plans.append(block["input"]["todos"])
                if block["type"] == "tool_result":
                    assert digest(block["content"]) in originals
    assert all(any(words in one for one in said) for words in run.statements)
    assert plans[-1] == run.plan
    assert any(step["status"] == "blocked" and step["note"] for plan in plans for step in plan)


class Forgetful:
    """A session that loses what it is told to lose; everything else it passes on."""

    def __init__(self, inner: Session, loses: str) -> None:
        self._inner, self._loses = inner, loses

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def view(self, messages: list[object]) -> list[object]:
        shown = list(self._inner.view(messages))
        return [message for message in shown if self._loses not in str(message)]


@pytest.mark.slow
@pytest.mark.parametrize(("loses", "complaint"), [(PINNED[0], "a pin is gone"), ("TodoWrite", "the plan is")])
def test_the_client_notices_what_a_view_has_lost(tmp_path: Path, loses: str, complaint: str) -> None:
    store = f"sqlite:///{tmp_path / 'lost.db'}"
    run = LongRun(2)
    client = Client(run, lambda: Forgetful(opened(store)(), loses), store, WINDOW)  # type: ignore[arg-type,return-value]
    for step in run.steps(25):
        client.step(step)
    assert client.cuts
    assert any(complaint in fault for fault in client.faults)


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_after_every_cut_of_a_growing_session_all_that_must_stand_stands(tmp_path: Path, style: str) -> None:
    """With the program started anew every few cuts; see `Client` for what is checked."""
    store = f"sqlite:///{tmp_path / 'rounds.db'}"
    run = LongRun(1)
    client = Client(run, opened(store), store, WINDOW, style)
    sampled: list[Original] = []
    for number, step in enumerate(run.steps(TURNS)):
        sampled += step.originals[:1] if number % SAMPLE_EVERY == 0 else ()
        if client.step(step) and client.cuts % RESTART_EVERY == 0:
            client.restart()
    assert client.faults == []
    assert client.halts == 0
    assert client.cuts >= CUTS_MIN
    assert len(client.lifted) > len(run.statements) / 2
    assert client.missing() == []
    assert verify(store, read_data=True).findings == ()
    assert [one for one in sampled if not comes_back(one, client, store)] == []


def comes_back(original: Original, client: Client, store: str) -> bool:
    """It stands in the view still, or its turn brings it, byte for byte."""
    for message in client.view:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if isinstance(block.get("content"), str) and digest(block["content"]) == original.sha256:
                return True
    found = rehydrate(f"t{original.turn}.{original.n}", store=store, session="long")
    return any(digest(one.text) == original.sha256 for one in found)
