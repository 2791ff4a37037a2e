"""Bad input: a clear error or a right result, the right exit code, and nothing harmed."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_transcripts import Command, Json, call, digest, lines, reads, result, session_bytes, words, write

ENOUGH = ("--to-tokens", "2500", "--tools", "generic")

REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "blank": (b" \n\t\n", "blank"),
    "binary": (b"\x7fELF\x01\x00\x00\xff\xfe", "NUL byte"),
    "utf-16": (json.dumps(reads()).encode("utf-16"), "UTF-16"),
    "utf-16 without a mark": (json.dumps(reads()).encode("utf-16-le"), "NUL byte"),
    "latin-1": ('[{"role":"user","content":"caf\xe9"}]'.encode("latin-1"), "no UTF-8"),
    "prose": (b"hello, this is no JSON\n", "line 1, column 1"),
    "broken json": (b'[\n  {"role": "user", "content": "x"},\n  {"role": }\n]', "line 3, column 12"),
    "torn json": (b'[{"role": "user", "content": "x"}, {"role": "us', "line 1"),
    "deep": (b"[" * 100_000 + b"]" * 100_000, "deeper than"),
    "deep inside a message": (
        json.dumps([{"role": "user", "content": [{"type": "text", "text": "x", "extra": None}]}])
        .replace("null", "[" * 500 + "]" * 500)
        .encode(),
        "deeper than",
    ),
    "a number": (b"42", "int"),
    "an object of something else": (b'{"name": "x", "version": 3}', "name, version"),
    "a list of something else": (b'[{"a": 1}, 2]', "item 0"),
    "no message": (b"[]", "no message"),
    "a request without a message": (b'{"model": "gpt-4o", "messages": []}', "no message"),
    "a bad line among good ones": (lines(reads()[:2]) + b"oops\n" + lines(reads()[2:]), "Line 3"),
    "a session without a message": (
        b'{"type":"file-history-snapshot","messageId":"a","snapshot":{},"isSnapshotUpdate":false}\n',
        "session",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_input_that_can_not_be_understood_is_refused_by_name(
    cenotaph: Command, tmp_path: Path, home: Path, name: str
) -> None:
    data, said = REFUSED[name]
    path = tmp_path / "in.json"
    path.write_bytes(data)
    ran = cenotaph("compact", path, "--to-tokens", "5", "-o", tmp_path / "out.json")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(f"cenotaph: error: {path}: ")
    assert said in ran.err
    assert "internal error" not in ran.err
    assert path.read_bytes() == data
    assert not (tmp_path / "out.json").exists()
    assert not list(home.rglob("*.db"))
    assert cenotaph("explain", path).status == 2


def test_a_folder_is_refused(cenotaph: Command, tmp_path: Path) -> None:
    ran = cenotaph("compact", tmp_path, "--to-tokens", "5")
    assert ran.status == 2
    assert f"{tmp_path} is a folder" in ran.err


def test_a_missing_file_suggests_what_is_there(cenotaph: Command, tmp_path: Path) -> None:
    write(tmp_path / "transcript.json", reads())
    ran = cenotaph("compact", tmp_path / "transcipt.json", "--to-tokens", "5")
    assert ran.status == 2
    assert f"Did you mean {tmp_path / 'transcript.json'}?" in ran.err


def test_a_missing_folder_is_named(cenotaph: Command, tmp_path: Path) -> None:
    ran = cenotaph("compact", tmp_path / "none" / "x.json", "--to-tokens", "5")
    assert ran.status == 2
    assert f"nor does the folder {tmp_path / 'none'}" in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file, whatever its mode")
def test_an_unreadable_file_is_refused(cenotaph: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "in.json", reads())
    path.chmod(0)
    assert cenotaph("compact", path, "--to-tokens", "5").status == 2


@pytest.mark.slow
def test_a_line_of_300_megabytes_is_refused_within_bounded_memory(tmp_path: Path, process: Command) -> None:
    path = tmp_path / "huge.json"
    block = b"word " * 200_000
    with open(path, "wb") as file:
        file.write(b'[{"role":"user","content":"')
        for _ in range(300):
            file.write(block)
        file.write(b'"}]')
    limit = 1_200_000_000

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    ran = process("compact", path, "--to-tokens", "5", preexec_fn=bounded)
    assert ran.status == 2
    assert "line 1 has 300,000,0" in ran.err
    assert "MemoryError" not in ran.err


# Odd, and survived --------------------------------------------------------------------------


def test_a_torn_last_line_is_survived_and_reported(cenotaph: Command, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(lines(reads()) + b'{"role": "assistant", "conte')
    ran = cenotaph("compact", path, "--to-tokens", "1m")
    assert ran.status == 0
    assert "torn-line" in ran.err
    assert [json.loads(line) for line in ran.out.splitlines()] == reads()


def test_a_torn_last_line_of_a_session_is_survived_and_reported(cenotaph: Command, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(session_bytes()[:-40])
    ran = cenotaph("compact", path, "--to-tokens", "1500")
    assert ran.status == 0
    assert "torn-line" in ran.err


def test_a_byte_order_mark_is_no_obstacle(cenotaph: Command, tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(reads()).encode())
    assert len(cenotaph("compact", path, *ENOUGH).json) == len(reads())


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 4000}}

ODD: dict[str, list[Json]] = {
    "duplicate ids": [*reads(), call("c0", "read_file", path="src/f0.py"), result("c0", words(90, "again"))],
    "orphan result": [*reads()[:2], result("nobody", "lost"), *reads()[2:]],
    "call without result": [*reads(), call("open", "read_file", path="src/last.py")],
    "an older call without result": [
        reads()[0],
        reads()[1],
        call("old", "read_file", path="x"),
        *reads()[2:],
    ],
    "images": [
        reads()[0],
        {"role": "user", "content": [{"type": "text", "text": "see"}, IMAGE]},
        *reads()[1:],
    ],
    "no user message": [reads()[0], *reads()[2:]],
    "lone surrogates": [*reads(), {"role": "user", "content": "\ud800 and \udfff"}],
    "empty texts": [reads()[0], {"role": "user", "content": ""}, *reads()[1:]],
    "unknown role": [*reads(), {"role": "narrator", "content": "Meanwhile."}],
}


@pytest.mark.parametrize("name", ODD)
def test_odd_messages_end_in_a_view_a_halt_or_a_named_refusal(
    cenotaph: Command, tmp_path: Path, name: str
) -> None:
    path = write(tmp_path / "in.json", ODD[name])
    before = digest(path)
    ran = cenotaph("compact", path, *ENOUGH, "--json")
    assert ran.status in (0, 2, 3), ran.err
    assert "internal error" not in ran.err
    if ran.status == 0:
        assert ran.json["tokens_after"] <= 2500
    else:
        assert ran.json["error"]["message"]
    assert digest(path) == before


@pytest.mark.parametrize("name", ODD)
def test_odd_messages_within_the_budget_come_out_as_they_are(
    cenotaph: Command, tmp_path: Path, name: str
) -> None:
    path = write(tmp_path / "in.json", ODD[name])
    ran = cenotaph("compact", path, "--to-tokens", "1m")
    assert (ran.status, ran.out) == (0, path.read_bytes()), ran.err


@pytest.mark.parametrize("name", ODD)
def test_odd_messages_are_explained(cenotaph: Command, tmp_path: Path, name: str) -> None:
    ran = cenotaph("explain", write(tmp_path / "in.json", ODD[name]), "--json")
    assert ran.status == 0
    assert len(ran.json["spans"]) >= len(reads()) - 2


# Places that refuse -------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 128 kB; it is given read-only where a test remounts it."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", place], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {made.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def unharmed(cenotaph: Command, transcript: Path, *argv: Any) -> dict[str, Any]:
    """The error of a command that fails and leaves its input as it was."""
    before = digest(transcript)
    ran = cenotaph("compact", transcript, "--to-tokens", "9k", "--tools", "generic", "--json", *argv)
    assert ran.status == 2, ran.err
    assert "internal error" not in ran.err
    assert digest(transcript) == before
    error: dict[str, Any] = ran.json["error"]
    return error


@pytest.fixture
def large(tmp_path: Path) -> Path:
    return write(tmp_path / "in.json", reads(files=40, size=200))


def test_a_full_disk_for_the_view_leaves_no_half_file(
    cenotaph: Command, large: Path, small_disk: Path
) -> None:
    (small_disk / "view.json").write_text("old")
    (small_disk / "filler").write_bytes(b"x" * 110_000)
    error = unharmed(cenotaph, large, "-o", small_disk / "view.json")
    assert error["code"] == "output"
    assert "No space left" in error["message"]
    assert sorted(path.name for path in small_disk.iterdir()) == ["filler", "view.json"]
    assert (small_disk / "view.json").read_text() == "old"


def test_a_device_that_is_full_is_an_error(cenotaph: Command, large: Path) -> None:
    assert unharmed(cenotaph, large, "-o", "/dev/full")["code"] == "output"


def test_a_device_that_takes_everything_is_written_to_as_it_is(cenotaph: Command, large: Path) -> None:
    assert cenotaph("compact", large, "--to-tokens", "1m", "-o", "/dev/null").status == 0
    assert Path("/dev/null").is_char_device()


def test_a_full_disk_for_the_store_hands_out_nothing(
    cenotaph: Command, large: Path, small_disk: Path, tmp_path: Path
) -> None:
    url = f"sqlite:///{small_disk / 'store.db'}"
    error = unharmed(cenotaph, large, "--store", url, "-o", tmp_path / "view.json")
    assert error["code"] == "store-unavailable"
    assert not (tmp_path / "view.json").exists()


def test_a_read_only_place_for_the_view_is_refused_before_anything_is_stored(
    cenotaph: Command, large: Path, small_disk: Path, home: Path
) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert unharmed(cenotaph, large, "-o", small_disk / "view.json")["code"] == "output"
    assert not list(home.rglob("*.db"))


def test_a_read_only_place_for_the_store_is_refused(cenotaph: Command, large: Path, small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    error = unharmed(cenotaph, large, "--store", f"sqlite:///{small_disk / 'store.db'}")
    assert error["code"] == "store-unavailable"


def test_a_state_folder_that_can_not_be_made_is_refused(
    cenotaph: Command, large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    error = unharmed(cenotaph, large)
    assert error["code"] == "store-unavailable"
    assert "--store" in error["next_step"]


def test_a_missing_folder_for_the_view_is_named(cenotaph: Command, large: Path, tmp_path: Path) -> None:
    error = unharmed(cenotaph, large, "-o", tmp_path / "none" / "view.json")
    assert str(tmp_path / "none") in error["next_step"]


def test_a_store_that_another_process_holds_is_refused_and_unharmed(
    cenotaph: Command, large: Path, tmp_path: Path
) -> None:
    file = tmp_path / "store.db"
    url = f"sqlite:///{file}"
    assert cenotaph("compact", large, "--to-tokens", "9k", "--tools", "generic", "--store", url).status == 0
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        before = digest(file)
        error = unharmed(cenotaph, large, "--store", url, "--session", "other", "-o", tmp_path / "view.json")
        assert error["code"] == "store-locked"
        assert digest(file) == before
        assert not (tmp_path / "view.json").exists()
    finally:
        holder.close()
    assert cenotaph("verify", "--store", url, "--read-data").status == 0


def test_a_store_of_a_newer_release_is_refused_and_unharmed(
    cenotaph: Command, large: Path, tmp_path: Path
) -> None:
    file = tmp_path / "store.db"
    url = f"sqlite:///{file}"
    assert cenotaph("compact", large, "--to-tokens", "9k", "--tools", "generic", "--store", url).status == 0
    con = sqlite3.connect(file)
    con.execute("PRAGMA user_version = 9000")
    con.close()
    before = digest(file)
    assert unharmed(cenotaph, large, "--store", url)["code"] == "store-version"
    assert digest(file) == before


@pytest.mark.parametrize("content", [b"just text, no database", b"SQLite format 3\0" + b"\xff" * 200])
def test_a_file_that_is_no_store_is_refused_and_unharmed(
    cenotaph: Command, large: Path, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "store.db"
    file.write_bytes(content)
    assert unharmed(cenotaph, large, "--store", f"sqlite:///{file}")["code"].startswith("store")
    assert file.read_bytes() == content


def test_a_store_that_ends_with_the_command_is_refused(cenotaph: Command, large: Path) -> None:
    told = unharmed(cenotaph, large, "--store", "memory://x")
    assert "ends with this command" in told["message"]
