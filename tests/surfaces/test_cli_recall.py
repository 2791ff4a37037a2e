"""`cenotaph rehydrate`, `verify` and `sessions`: asking a store, and never writing to it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from cli_transcripts import Command, digest, reads, write


@pytest.fixture
def store(cenotaph: Command, tmp_path: Path) -> str:
    """A store with one session, `run-1`."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    path = write(tmp_path / "in.json", reads())
    ran = cenotaph(
        "compact", path, "--to-tokens", "2500", "--tools", "generic", "--store", url, "--session", "run-1"
    )
    assert ran.status == 0
    return url


# rehydrate ----------------------------------------------------------------------------------


def test_an_original_goes_to_standard_output_and_talk_to_standard_error(
    cenotaph: Command, store: str
) -> None:
    ran = cenotaph("rehydrate", "file:src/f0.py", "--store", store, "--session", "run-1")
    assert (ran.status, ran.out.decode()) == (0, reads()[3]["content"])
    assert "[turn 1, tool" in ran.err


def test_json_gives_the_block_as_it_stood(cenotaph: Command, store: str) -> None:
    given = cenotaph("rehydrate", "file:src/f0.py", "--store", store, "--json").json
    assert given["spans"][0]["text"] == reads()[3]["content"]
    assert given["session"] == "run-1"
    assert given["found"] == 1


def test_every_original_of_a_handle_comes_with_all(cenotaph: Command, tmp_path: Path) -> None:
    messages = [*reads(), *reads()[2:6]]
    messages[-1] = {**messages[-1], "content": "another"}
    url = f"sqlite:///{tmp_path / 's.db'}"
    path = write(tmp_path / "in.json", messages)
    assert cenotaph("compact", path, "--to-tokens", "2500", "--tools", "generic", "--store", url).status == 0
    one = cenotaph("rehydrate", "file:src/f1.py", "--store", url)
    both = cenotaph("rehydrate", "file:src/f1.py", "--store", url, "--all")
    assert one.out == b"another"
    assert "--all" in one.err
    assert both.out.decode() == "another" + reads()[5]["content"]


def test_a_gap_exits_with_one_and_names_near_handles_as_hints(cenotaph: Command, store: str) -> None:
    ran = cenotaph("rehydrate", "file:src/f00.py", "--store", store, "--json")
    assert ran.status == 1
    assert ran.json["error"]["code"] == "gap"
    assert "file:src/f0.py" in ran.json["error"]["hints"]
    assert ran.err.startswith("cenotaph: gap: ")


def test_a_gap_prints_nothing_that_could_be_taken_for_an_original(cenotaph: Command, store: str) -> None:
    assert cenotaph("rehydrate", "file:nothing", "--store", store).out == b""


def test_handles_resolve_only_inside_their_session(cenotaph: Command, store: str) -> None:
    ran = cenotaph("rehydrate", "file:src/f0.py", "--store", store, "--session", "run-2")
    assert ran.status == 1
    assert "the store has no session 'run-2'; it has run-1" in ran.err


def test_with_several_sessions_one_must_be_named(cenotaph: Command, store: str, tmp_path: Path) -> None:
    path = write(tmp_path / "in.json", reads())
    cenotaph(
        "compact", path, "--to-tokens", "2500", "--tools", "generic", "--store", store, "--session", "run-2"
    )
    ran = cenotaph("rehydrate", "file:src/f0.py", "--store", store)
    assert ran.status == 2
    assert "run-1, run-2" in ran.err


@pytest.mark.parametrize("verb", [("rehydrate", "file:x"), ("verify",), ("sessions",)])
def test_asking_never_makes_a_store(cenotaph: Command, tmp_path: Path, verb: tuple[str, ...]) -> None:
    missing = tmp_path / "none.db"
    ran = cenotaph(*verb, "--store", f"sqlite:///{missing}")
    assert ran.status == 2
    assert "there is no store at" in ran.err
    assert not missing.exists()


# verify -------------------------------------------------------------------------------------


def test_a_store_that_holds_its_promises_is_clean(cenotaph: Command, store: str) -> None:
    ran = cenotaph("verify", "--store", store, "--read-data", "--json")
    assert (ran.status, ran.json["ok"], ran.json["records"]) == (0, True, 1)


def test_a_damaged_original_is_a_finding(cenotaph: Command, store: str) -> None:
    con = sqlite3.connect(store.removeprefix("sqlite:///"))
    con.execute("UPDATE objects SET body = zeroblob(length(body))")
    con.commit()
    con.close()
    assert cenotaph("verify", "--store", store).status == 0
    ran = cenotaph("verify", "--store", store, "--read-data")
    assert ran.status == 1
    assert "finding" in ran.out.decode()


def test_an_unknown_session_can_not_be_verified(cenotaph: Command, store: str) -> None:
    ran = cenotaph("verify", "--store", store, "--session", "nobody", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "unknown-session")


def test_what_is_no_store_can_not_be_verified(cenotaph: Command, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"no database at all")
    before = digest(path)
    assert cenotaph("verify", "--store", f"sqlite:///{path}").status == 2
    assert digest(path) == before


# sessions -----------------------------------------------------------------------------------


def test_sessions_lists_records_and_how_the_last_one_ended(cenotaph: Command, store: str) -> None:
    given = cenotaph("sessions", "--store", store, "--json").json["sessions"]
    assert [(item["session"], item["records"], item["status"]) for item in given] == [
        ("run-1", 1, "verified")
    ]
    assert "run-1" in cenotaph("sessions", "--store", store).out.decode()


def test_sessions_lists_claude_code_files_newest_first(
    cenotaph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    folder = tmp_path / "config" / "projects" / "-home-me-repo"
    folder.mkdir(parents=True)
    for name, age in (("old", 100), ("new", 200), ("agent-side", 300)):
        (folder / f"{name}.jsonl").write_text("{}\n")
        os.utime(folder / f"{name}.jsonl", (age, age))
    given = cenotaph("sessions", "--json").json
    assert [Path(item["path"]).stem for item in given["claude_code"]] == ["new", "old"]
    shown = cenotaph("sessions", "--limit", "1").out.decode()
    assert "-home-me-repo/new.jsonl" in shown
    assert "and 1 older" in shown


def test_without_any_store_or_session_there_is_nothing_to_list_and_nothing_is_made(
    cenotaph: Command, home: Path
) -> None:
    ran = cenotaph("sessions", "--json")
    assert (ran.status, ran.json) == (0, {"store": None, "sessions": [], "claude_code": []})
    assert list(home.iterdir()) == []
