"""One conversation in every wire format is one conversation: the same spans, the same classes, the same plan."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from one_conversation import WRITERS, Agent, Call, Person, Step

from cenotaph import Policy, classify, compact
from cenotaph.api import explain
from cenotaph.core.policy import LEAVING
from cenotaph.store.memory import MemoryStore

SYSTEM = "You are an agent in a repository. Never push to main."
REFERENCE = "openai-chat"
_WORDS = "the quick survey of the north line shows a steady level and no ice near the inner harbour today"


def _output(rng: Random, words: int) -> str:
    return "\n".join(f"{n} " + " ".join(rng.sample(_WORDS.split(), k=12)) for n in range(words // 12))


def conversation(seed: int) -> list[Step]:
    """A few turns of reading, writing, running and planning, with parallel calls."""
    rng = Random(seed)
    steps: list[Step] = []
    number = 0

    def call(tool: str, args: dict[str, Any], words: int) -> Call:
        nonlocal number
        number += 1
        return Call(f"call_{number}", tool, args, _output(rng, words))

    for turn in range(3 + rng.randrange(3)):
        steps.append(Person(f"Turn {turn}: look at file {turn}. Do not touch /etc/prod/{turn}.yaml."))
        for step in range(2 + rng.randrange(3)):
            path = f"src/part_{rng.randrange(6)}.py"
            drawn = rng.randrange(5)
            if drawn == 0:
                calls = [call("write_file", {"path": path, "content": _output(rng, 300)}, 24)]
            elif drawn == 1:
                calls = [call("run", {"command": "make test"}, 500)]
            elif drawn == 2:
                states = [{"content": f"step {n}", "status": "pending"} for n in range(3)]
                calls = [call("write_todos", {"todos": states}, 12)]
            else:
                calls = [call("read_file", {"path": f"src/part_{n}.py"}, 600) for n in range(1 + drawn % 3)]
            steps.append(Agent(f"Step {turn}.{step}: next I look at {path}." if rng.random() < 0.6 else "", calls))
        steps.append(Agent(f"Turn {turn} is done: {turn} files are as they should be."))
    steps.append(Person("And now the next file, please. " * 10))
    return steps


def spans_of(value: Any) -> list[tuple[str, str, str, int, str]]:
    """What is said of each span; where the system text stands is the format's own matter."""
    return [
        (span.provenance, span.kind, span.row, span.turn, _neutral(span.kind, span.text))
        for span in classify(value, tools=["generic"], model="gpt-4o")
    ]


def _neutral(kind: str, text: str) -> str:
    """Arguments without the white space of whoever wrote them."""
    return json.dumps(json.loads(text), separators=(",", ":")) if kind == "call" else text


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("wire", [wire for wire in WRITERS if wire != REFERENCE])
def test_each_format_gives_the_same_spans_with_the_same_rows(wire: str, seed: int) -> None:
    steps = conversation(seed)
    assert spans_of(WRITERS[wire](SYSTEM, steps)) == spans_of(WRITERS[REFERENCE](SYSTEM, steps))


@pytest.mark.parametrize("policy", ["strict", "archive"])
@pytest.mark.parametrize("wire", WRITERS)
def test_the_wire_is_found_from_the_structure_alone(wire: str, policy: str) -> None:
    readout = explain(WRITERS[wire](SYSTEM, conversation(0)))
    assert readout.wire.name == wire


def leaving(value: Any, reclaim: int, policy: str) -> list[tuple[str, str]]:
    """(row, action) of every span that leaves so that `reclaim` tokens come free."""
    how: dict[str, Any] = {"tools": ["generic"], "model": "gpt-4o", "policy": Policy(policy)}
    before = compact(value, to_tokens=1 << 40, **how).tokens_before
    done = compact(value, to_tokens=before - reclaim, store=MemoryStore(), session="s", **how)
    assert done.plan is not None
    assert done.tokens_after <= before - reclaim
    return [(entry.row, entry.action.value) for entry in done.plan.entries if entry.action in LEAVING]


def reclaims(steps: Sequence[Step]) -> list[int]:
    """Amounts that fall into the middle of a large result, so that no format's own framing decides."""
    sizes = [len(call.output.split()) for step in steps if isinstance(step, Agent) for call in step.calls]
    return [sum(size for size in sizes if size > 200) * share // 100 for share in (20, 45)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("policy", ["strict", "archive"])
@pytest.mark.parametrize("wire", [wire for wire in WRITERS if wire != REFERENCE])
def test_each_format_gives_the_same_plan(wire: str, policy: str, seed: int) -> None:
    steps = conversation(seed)
    for reclaim in reclaims(steps):
        expected = leaving(WRITERS[REFERENCE](SYSTEM, steps), reclaim, policy)
        assert expected
        assert leaving(WRITERS[wire](SYSTEM, steps), reclaim, policy) == expected
