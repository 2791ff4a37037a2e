"""Signed reasoning under every binding, with an end at every call of a turn of three hundred."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from cuts import ARCHIVE, cut, plan_of, readout_of

from cenotaph import BudgetExhausted
from cenotaph.dialects.anthropic_rules import Binding, breaches, thinking_breaches
from talk import agent, answer, call, human, results, text, thinking

TOOLS = ("Read", "Edit", "Bash", "Read")


def turn(calls: int) -> list[Any]:
    """Batches of one to three calls, each message with signed reasoning, all in one turn."""
    messages = [
        human("Make the whole suite pass, and do not touch anything under vendor/ while you are at it.")
    ]
    made = 0
    while made < calls:
        width = min(1 + made % 3, calls - made)
        batch = [(made + n, TOOLS[(made + n) % len(TOOLS)]) for n in range(width)]
        thought = thinking(f"Next I look at number {made}. " * 3, f"sig{made}")
        asked = [call(f"c{n}", tool, **arguments(tool, n)) for n, tool in batch]
        messages.append(agent(thought, *asked))
        messages.append(results(*(answer(f"c{n}", f"line of {n}\n" * 30) for n, _ in batch)))
        made += width
    return messages


def arguments(tool: str, n: int) -> dict[str, Any]:
    if tool == "Bash":
        return {"command": f"make part{n}"}
    path = {"file_path": f"src/{n % 40}.py"}
    return path if tool == "Read" else {**path, "old_string": "a" * 60, "new_string": "b" * 60}


WHOLE = turn(300)
BINDINGS: tuple[Binding, ...] = get_args(Binding)


def cut_or_halt(messages: list[Any], binding: Binding, drop_block: bool) -> BudgetExhausted | list[Any]:
    """The view at three fifths of the size, or the halt; the view breaks no rule on replayed reasoning."""
    readout = readout_of(messages)
    target = plan_of(readout, 10**9).tokens_before * 6 // 10
    try:
        outcome, _ = cut(readout, target, policy=ARCHIVE, binding=binding, drop_block=drop_block)
    except BudgetExhausted as halt:
        return halt
    view = list(outcome.view.messages)
    assert not breaches(view)
    checked_as: Binding = "newest" if drop_block and binding == "prefix" else binding
    assert thinking_breaches(messages, view, checked_as) == []
    return view


def check(end: int, binding: Binding, drop_block: bool) -> bool:
    """Whether the turn could be cut at that end; where it can't, the halt says what would help."""
    done = cut_or_halt(WHOLE[:end], binding, drop_block)
    frozen = binding == "prefix" and not drop_block
    if isinstance(done, list):
        return True
    assert frozen is any("drop_block=True" in way for way in done.ways_out)
    assert frozen or end < 8, "only a very short history can't be cut"
    return False


@pytest.mark.parametrize("drop_block", [False, True])
@pytest.mark.parametrize("binding", BINDINGS)
def test_a_cut_at_every_boundary_of_a_turn_is_valid_or_names_the_way_out(
    binding: Binding, drop_block: bool
) -> None:
    could = [check(end, binding, drop_block) for end in range(2, 80)]
    assert could.count(True) > 60 if binding != "prefix" or drop_block else could.count(False) > 60


@pytest.mark.parametrize("drop_block", [False, True])
@pytest.mark.parametrize("binding", BINDINGS)
def test_so_is_a_cut_anywhere_in_three_hundred_calls(binding: Binding, drop_block: bool) -> None:
    ends = [*range(80, len(WHOLE) - 4, 53), *range(len(WHOLE) - 4, len(WHOLE) + 1)]
    could = [check(end, binding, drop_block) for end in ends]
    assert any(could) is (binding != "prefix" or drop_block)


def test_under_prefix_the_same_turn_can_be_cut_once_it_has_ended() -> None:
    closed = [*WHOLE, agent(text("Everything passes.")), human("Good. Now the release note.")]
    view = cut_or_halt(closed, "prefix", False)
    assert isinstance(view, list)
    assert thinking_breaches(closed, view, "prefix") == []
