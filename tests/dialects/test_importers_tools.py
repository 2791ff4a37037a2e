"""The tool profiles of imported clients, and compaction of their sessions through the public door."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cenotaph import Policy, compact
from cenotaph.core.tools import PROFILES
from cenotaph.dialects.detect import DIALECTS

EDITORS = ("str_replace_editor", "file_editor", "planning_file_editor")
SHELLS = ("bash", "execute_bash", "terminal", "execute_ipython_cell")
CLIENTS = ("openhands", "swe-agent", "mini-swe-agent")


def test_each_profile_is_the_default_of_the_dialect_of_its_name() -> None:
    assert set(CLIENTS) <= PROFILES.keys() & DIALECTS.keys()


@pytest.mark.parametrize("client", CLIENTS)
def test_what_runs_a_command_or_edits_by_argument_is_one_shot_and_may_have_written_anything(client: str) -> None:
    found = [spec for spec in PROFILES[client] if spec.name in (*EDITORS, *SHELLS)]
    assert found
    assert all(not spec.repeatable and spec.writes == "unknown" for spec in found)


@pytest.mark.parametrize("client", CLIENTS)
def test_only_what_names_its_place_is_repeatable_and_nothing_of_a_browser(client: str) -> None:
    for spec in PROFILES[client]:
        if spec.repeatable:
            assert spec.handle is not None
            assert "?" not in spec.handle
            assert not spec.name.startswith(("browser", "web"))


def searched(count: int, words: str) -> dict[str, Any]:
    """A SWE-agent session of as many searches."""
    history: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a programmer.", "agent": "main"},
        {"role": "user", "content": "Find it.", "agent": "main"},
    ]
    for n in range(count):
        arguments = json.dumps({"search_term": f"t{n}", "dir": "/src"})
        call = {"id": f"c{n}", "type": "function", "function": {"name": "search_dir", "arguments": arguments}}
        history.append({"role": "assistant", "content": "", "action": "search_dir", "tool_calls": [call]})
        history.append({"role": "tool", "content": f"{words} {n} " * 200, "tool_call_ids": [f"c{n}"]})
    history.append({"role": "assistant", "content": "Found.", "action": ""})
    return {"history": history}


def test_a_session_is_compacted_by_the_profile_of_its_client() -> None:
    value = searched(6, "match")
    before = compact(value, to_tokens=10**9).tokens_before
    result = compact(value, to_tokens=before // 2)
    assert result.changed
    assert result.tokens_after <= before // 2
    assert "grep:t0@/src" in json.dumps(result.messages)


def test_outputs_without_calls_leave_with_a_line_and_never_as_a_persons_words() -> None:
    history: list[dict[str, Any]] = [
        {"role": "system", "content": "You can interact with a computer."},
        {"role": "user", "content": "Please solve this issue: the build fails."},
    ]
    for n in range(6):
        history.append({"role": "assistant", "content": f"I look.\n\n```bash\ncat f{n}\n```"})
        output = f"<returncode>0</returncode>\n<output>\nline {n} of the file " + "x y " * 300 + "\n</output>"
        history.append({"role": "user", "content": output})
    history.append({"role": "assistant", "content": "Done."})
    before = compact(history, to_tokens=10**9).tokens_before
    result = compact(history, to_tokens=before // 2, policy=Policy.archive())
    assert result.changed
    shown = json.dumps(result.messages)
    assert "EVICTED:user_message" not in shown
    assert "EVICTED:user_payload" not in shown
    assert "the build fails" in shown
