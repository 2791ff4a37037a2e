"""A hand-off covers all that a session has seen."""

from __future__ import annotations

from typing import Any

import pytest

from cenotaph import Policy, Session
from cenotaph.store.memory import MemoryStore


@pytest.mark.parametrize("cut_before", [False, True])
def test_a_hand_off_holds_what_came_since_the_history_was_read(cut_before: bool) -> None:
    """Calls with nothing to do read only what is new; a hand-off right after them still covers it all."""
    call = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "Fix the build."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "A line of a file.\n" * (2_000 if cut_before else 2)},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Good."},
    ]
    session = Session(
        "s", store=MemoryStore(), to_tokens=3_000, policy=Policy.archive("test"), tools=["generic"], model="gpt-4o"
    )
    shown = session.view(history)
    assert (shown is not history) == cut_before
    history += [{"role": "assistant", "content": "OK."}, {"role": "user", "content": "Never push to main. Cap: $500."}]
    session.view(history)
    handed = session.handoff()
    assert "Never push to main. Cap: $500." in str(handed)
    went_on = session.view([*handed, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "Go on."}])
    assert "Never push to main. Cap: $500." in str(went_on)
