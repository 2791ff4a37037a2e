"""The tool profiles of imported clients, and compaction of their sessions through the public door."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cenotaph import Policy, classify, compact
from cenotaph.core.tools import PROFILES, Tools
from cenotaph.dialects.detect import DIALECTS

EDITORS = ("str_replace_editor", "file_editor", "planning_file_editor")
SHELLS = ("bash", "execute_bash", "terminal", "execute_ipython_cell", "run_shell_command")
CLIENTS = ("openhands", "swe-agent", "mini-swe-agent", "gemini-cli")


def test_each_profile_is_the_default_of_the_dialect_of_its_name() -> None:
    assert set(CLIENTS) <= PROFILES.keys() & DIALECTS.keys()


@pytest.mark.parametrize("client", CLIENTS)
def test_what_runs_a_command_is_one_shot_and_may_have_written_anything(client: str) -> None:
    found = [spec for spec in PROFILES[client] if spec.name in SHELLS]
    assert found
    assert all(not spec.repeatable and spec.writes == "unknown" and spec.when is None for spec in found)


@pytest.mark.parametrize("client", ["openhands", "swe-agent"])
def test_an_editor_reads_only_by_its_command_and_is_unknown_without_one(client: str) -> None:
    tools = Tools.of(profile=client)
    for name in {spec.name for spec in PROFILES[client]} & set(EDITORS):
        seen = tools.for_call(name, {"command": "view", "path": "a"})
        assert seen is not None
        assert seen.repeatable
        for args in ({}, {"command": "anything"}, {"command": 3}, None):
            spec = tools.for_call(name, args)
            assert spec is not None
            assert (spec.repeatable, spec.writes) == (False, "unknown")


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


def gemini_session(*calls: tuple[str, dict[str, Any], str]) -> dict[str, Any]:
    """A Gemini CLI session: each call with its output in one record."""
    records: list[dict[str, Any]] = [{"id": "u", "timestamp": "t", "type": "user", "content": "Go."}]
    for n, (name, args, output) in enumerate(calls):
        answer = {"functionResponse": {"id": f"c{n}", "name": name, "response": {"output": output}}}
        made = {"id": f"c{n}", "name": name, "args": args, "status": "success", "result": [answer]}
        records.append({"id": f"g{n}", "timestamp": "t", "type": "gemini", "content": "", "toolCalls": [made]})
    records.append({"id": "e", "timestamp": "t", "type": "gemini", "content": "Done."})
    records.append({"id": "n", "timestamp": "t", "type": "user", "content": "And now the next file, please. " * 10})
    return {"sessionId": "s", "projectHash": "p", "kind": "main", "startTime": "t", "messages": records}


@pytest.mark.parametrize("key", ["file_path", "absolute_path"])
def test_a_session_of_gemini_cli_has_its_own_profile(key: str) -> None:
    value = gemini_session(
        ("read_file", {key: "/r/a.py"}, "the first file"),
        ("read_file", {key: "/r/b.py"}, "the second file"),
        ("grep_search", {"pattern": "x", "dir_path": "/r"}, "the hits"),
        ("glob", {"pattern": "*.py"}, "the paths in the workspace"),
        ("replace", {"file_path": "/r/a.py", "old_string": "a", "new_string": "b"}, "it is changed"),
        ("write_todos", {"todos": [{"description": "one", "status": "pending"}]}, "the plan is kept"),
        ("ask_user", {"questions": []}, "the answer of a person"),
        ("save_memory", {"fact": "f"}, "it is remembered"),
    )
    rows = {span.text: span.row for span in classify(value) if span.kind == "result"}
    assert {text: row for text, row in rows.items() if "file" in text} == {
        "the first file": "ded",
        "the second file": "ded",
    }
    assert rows["the paths in the workspace"] == "one"
    assert rows["it is changed"] == "wrt"
    assert rows["the plan is kept"] == "pln"
    assert rows["the answer of a person"] == "ans"
    assert rows["it is remembered"] == "one"
    before = gemini_session(("read_file", {key: "/r/a.py"}, "the first file"))
    assert [span.row for span in classify(before) if span.kind == "result"] == ["rec"]
