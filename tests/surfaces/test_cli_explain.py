"""`cenotaph explain` and `cenotaph tools`: what is shown is what the tables say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli_transcripts import Command, reads, session_bytes, write

import cenotaph as package
from cenotaph.core.classify import RULES
from cenotaph.core.tools import PROFILES, read_toml


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return write(tmp_path / "in.json", reads())


# explain ------------------------------------------------------------------------------------


def test_every_span_is_shown_with_class_row_and_words(cenotaph: Command, transcript: Path) -> None:
    given = cenotaph("explain", transcript, "--tools", "generic", "--json").json
    wanted = package.classify(reads(), tools=["generic"])
    assert [(s["id"], s["row"], s["class"], s["why"]) for s in given["spans"]] == [
        (s.id, s.row, s.cls.value, s.why) for s in wanted
    ]
    shown = cenotaph("explain", transcript, "--tools", "generic").out.decode()
    assert "read_file file:src/f0.py" in shown
    assert "asking again gives it back" in shown


def test_sums_of_rows_add_up(cenotaph: Command, transcript: Path) -> None:
    given = cenotaph("explain", transcript, "--json").json
    assert sum(row["tokens"] for row in given["rows"].values()) == sum(s["tokens"] for s in given["spans"])
    assert set(cenotaph("explain", transcript, "--json", "--rows").json) == set(given) - {"spans"}


def test_a_limit_shows_the_first_spans_and_says_how_many_are_left_out(
    cenotaph: Command, transcript: Path
) -> None:
    assert len(cenotaph("explain", transcript, "--json", "--limit", "3").json["spans"]) == 3
    assert "and 12 more" in cenotaph("explain", transcript, "--limit", "3").out.decode()


def test_text_of_a_transcript_does_nothing_to_a_terminal(cenotaph: Command, tmp_path: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202e reversed \x9b31m"
    messages = [*reads(), {"role": "user", "content": evil}]
    shown = cenotaph("explain", write(tmp_path / "in.json", messages)).out.decode()
    assert not any(char in shown for char in "\x1b\x07\u202e\x9b")
    assert "reversed" in shown


def test_the_table_shows_every_row_and_needs_no_file(cenotaph: Command) -> None:
    shown = " ".join(cenotaph("explain", "--table").out.decode().split())
    for row in RULES:
        assert f"{row.id} {row.shelf.value} {row.structure}: {row.why}" in shown
    assert [row["id"] for row in cenotaph("explain", "--table", "--json").json["rows"]] == [
        row.id for row in RULES
    ]


def test_explain_without_a_file_says_what_to_do(cenotaph: Command) -> None:
    ran = cenotaph("explain")
    assert ran.status == 2
    assert "--table" in ran.err


# tools --------------------------------------------------------------------------------------


def test_list_shows_every_declaration(cenotaph: Command) -> None:
    given = cenotaph("tools", "list", "--json").json["profiles"]
    assert {name: [spec["name"] for spec in specs] for name, specs in given.items()} == {
        name: list(dict.fromkeys(spec.name for spec in specs)) for name, specs in PROFILES.items()
    }
    shown = cenotaph("tools", "list", "generic").out.decode()
    assert all(spec.name in shown for spec in PROFILES["generic"])


def test_list_of_an_unknown_profile_names_those_that_exist(cenotaph: Command) -> None:
    ran = cenotaph("tools", "list", "no-such")
    assert ran.status == 2
    assert "generic" in ran.err


def test_a_draft_declares_nothing_until_its_marks_are_taken_off(cenotaph: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "in.json", reads(tool="peek"))
    draft = tmp_path / "T.toml"
    ran = cenotaph("tools", "suggest", path, "-o", draft)
    assert (ran.status, ran.out) == (0, b"")
    assert read_toml(draft.read_text()) == []
    kept = "\n".join(line.removeprefix("# ") for line in draft.read_text().splitlines() if line[:2] != "##")
    assert [(spec.name, spec.handle) for spec in read_toml(kept)] == [("peek", "file:{path}")]
    assert cenotaph("compact", path, "--to-tokens", "2500", "--tools", draft).status == 3


def test_a_folder_is_searched_and_what_is_no_transcript_is_left_out_by_name(
    cenotaph: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "many" / "deeper"
    folder.mkdir(parents=True)
    write(folder / "a.json", reads(tool="peek"))
    (folder / "b.jsonl").write_bytes(session_bytes())
    (folder / "c.json").write_text("{}")
    ran = cenotaph("tools", "suggest", tmp_path / "many", "--json")
    assert (ran.status, ran.json["files"]) == (0, 2)
    assert {tool["name"]: tool["declared"] for tool in ran.json["tools"]} == {"peek": False, "Read": True}
    assert f"{folder / 'c.json'}" in ran.err


def test_a_named_file_that_is_no_transcript_is_an_error(cenotaph: Command, tmp_path: Path) -> None:
    assert cenotaph("tools", "suggest", write(tmp_path / "x.json", {"a": 1})).status == 2
    (tmp_path / "empty").mkdir()
    assert cenotaph("tools", "suggest", tmp_path / "empty").status == 2


# The door -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "verb", ["", "compact", "explain", "rehydrate", "verify", "sessions", "tools", "tools suggest", "demo"]
)
def test_help_of_every_verb_exits_with_zero(cenotaph: Command, verb: str) -> None:
    ran = cenotaph(*verb.split(), "--help")
    assert ran.status == 0
    assert ran.out.startswith(b"usage: cenotaph")


def test_no_verb_and_an_unknown_one_exit_with_two(cenotaph: Command) -> None:
    assert cenotaph().status == 2
    ran = cenotaph("compress", "x", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "usage")


def test_nothing_heavy_is_imported_before_the_verb_is_known() -> None:
    script = (
        "import sys; from cenotaph.surfaces.cli.main import run; run(['--version']);"
        "heavy = {'rich', 'quicktok', 'sqlite3', 'cenotaph.api', 'tomllib'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
