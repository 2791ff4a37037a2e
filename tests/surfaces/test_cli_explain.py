"""`cenotaph explain` and `cenotaph tools`: what is shown is what the tables say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_transcripts import Command, reads, session_bytes, write

import cenotaph as package
from cenotaph.core.classify import RULES
from cenotaph.core.tools import PROFILES, ToolSpec, read_toml


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


BROKEN = [
    {"role": "user", "content": "go"},
    *({"role": "tool", "tool_call_id": f"c{n}\x1b[2J", "content": "x"} for n in range(5)),
    {"role": "assistant", "content": ""},
]


def test_what_the_provider_would_refuse_is_shown_in_words_with_its_source(cenotaph: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "in.json", BROKEN)
    given = cenotaph("explain", path, "--json").json["provider_rules"]
    assert given["wire"] == "openai-chat"
    assert [(one["rule"], one["message"]) for one in given["broken"]] == [
        *(("O1", n) for n in range(1, 6)),
        ("O-empty-assistant", 6),
    ]
    assert all(one["says"] and one["source"] and one["note"] for one in given["broken"])
    assert not any("\x1b" in one["note"] for one in given["broken"])
    shown = cenotaph("explain", path, "--rows").out.decode()
    words = " ".join(shown.split())
    assert f"breaks 2 of {given['looked_at']} rules of openai-chat" in words
    for one in given["broken"]:
        assert f"{one['rule']} {one['says']} Source: {one['source']}" in words
    assert words.count("message 1: ") == words.count("message 3: ") == words.count("message 6: ") == 1
    assert "and 2 more" in words
    assert "\x1b" not in shown


def test_a_whole_request_is_asked_more_rules_than_its_messages(cenotaph: Command, tmp_path: Path) -> None:
    body = {
        "model": "claude-sonnet-4-5",
        "messages": [{"role": "user", "content": "go"}],
        "compaction": {"type": "summarize"},
        "context_management": {"edits": []},
    }
    whole = cenotaph("explain", write(tmp_path / "a.json", body), "--json").json["provider_rules"]
    bare = cenotaph("explain", write(tmp_path / "b.json", body["messages"]), "--json", "--dialect", "anthropic")
    assert [(one["rule"], one["message"]) for one in whole["broken"]] == [("A10", -1)]
    assert bare.json["provider_rules"]["broken"] == []
    assert whole["looked_at"] > bare.json["provider_rules"]["looked_at"] > 0
    assert "the request: " in cenotaph("explain", tmp_path / "a.json").out.decode()


def test_an_input_that_breaks_nothing_says_so_and_how_many_rules_were_looked_at(
    cenotaph: Command, transcript: Path
) -> None:
    given = cenotaph("explain", transcript, "--json", "--rows").json["provider_rules"]
    assert given["broken"] == []
    shown = cenotaph("explain", transcript).out.decode()
    assert f"breaks no rule of {given['wire']}: {given['looked_at']} were looked at" in shown


# tools --------------------------------------------------------------------------------------


def test_list_shows_every_declaration(cenotaph: Command) -> None:
    given = cenotaph("tools", "list", "--json").json["profiles"]
    assert {name: sorted(spec["name"] for spec in specs) for name, specs in given.items()} == {
        name: sorted(spec.name for spec in specs) for name, specs in PROFILES.items()
    }
    shown = cenotaph("tools", "list", "generic").out.decode()
    assert all(spec.name in shown for spec in PROFILES["generic"])


def test_list_shows_for_which_calls_a_declaration_holds(cenotaph: Command) -> None:
    given = cenotaph("tools", "list", "swe-agent", "--json").json["profiles"]["swe-agent"]
    assert [spec.get("when") for spec in given if spec["name"] == "str_replace_editor"] == [
        {"command": ["view"]},
        {"command": ["create", "insert", "str_replace", "undo_edit"]},
        None,
    ]
    shown = cenotaph("tools", "list", "swe-agent").out.decode()
    assert "str_replace_editor command=view" in shown


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


LISTING: dict[str, Any] = {
    "tools": [
        {"name": "read", "annotations": {"readOnlyHint": True, "openWorldHint": False}},
        {"name": "search", "annotations": {"readOnlyHint": True}},
        {"name": "put", "annotations": {"destructiveHint": False}},
    ]
}


def test_what_a_trusted_server_says_is_written_as_declarations(cenotaph: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "listing.json", {"jsonrpc": "2.0", "id": 1, "result": LISTING})
    how = ("tools", "mcp", path, "--server", "my fs", "--trusted", "--handle", "read=file:{path}")
    ran = cenotaph(*how)
    assert ran.status == 0
    wanted = [
        ToolSpec("mcp__my_fs__read", handle="file:{path}", repeatable=True, writes="none"),
        ToolSpec("mcp__my_fs__search", writes="none"),
    ]
    assert read_toml(ran.out.decode()) == wanted
    assert "2 of 3 tools" in ran.out.decode()
    assert cenotaph(*how, "--json").json == {
        "trusted": True,
        "listed": 3,
        "tools": [spec.as_json() for spec in wanted],
    }


def test_a_server_that_is_not_trusted_gives_comments_and_no_declaration(cenotaph: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "listing.json", LISTING)
    ran = cenotaph("tools", "mcp", path, "--handle", "read=file:{path}")
    assert ran.status == 0
    assert all(line.startswith("## ") for line in ran.out.decode().splitlines())
    assert "--trusted" in ran.out.decode()
    assert cenotaph("tools", "mcp", path, "--json").json == {"trusted": False, "listed": 3, "tools": []}


def test_a_handle_that_the_server_does_not_bear_out_is_named(cenotaph: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "listing.json", LISTING)
    ran = cenotaph("tools", "mcp", path, "--trusted", "--handle", "put=file:{path}", "--handle", "search=q:{q}")
    assert [spec.repeatable for spec in read_toml(ran.out.decode())] == [False, False]
    assert all(f"'{name}'" in ran.out.decode() for name in ("put", "search"))


@pytest.mark.parametrize(
    ("value", "flags", "says"),
    [
        ({"a": 1}, (), "listing.json"),
        ({"tools": [{"name": 3}]}, (), "tool 1"),
        (LISTING, ("--handle", "raed=file:{path}"), "'raed'"),
        (LISTING, ("--handle", "read"), "'read'"),
        (LISTING, ("--trusted", "--handle", "read=no template"), "'read'"),
        (LISTING, ("--server", "fs", "--name", "x"), "'x'"),
    ],
)
def test_what_is_no_listing_or_no_handle_is_refused_by_name(
    cenotaph: Command, tmp_path: Path, value: Any, flags: tuple[str, ...], says: str
) -> None:
    ran = cenotaph("tools", "mcp", write(tmp_path / "listing.json", value), *flags)
    assert (ran.status, ran.out) == (2, b"")
    assert says in ran.err


# The door -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "verb", ["", "compact", "explain", "rehydrate", "verify", "sessions", "tools", "tools suggest", "tools mcp", "demo"]
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
