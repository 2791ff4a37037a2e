"""`cenotaph compact`: what it writes, where, and in which shape."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_transcripts import Command, Json, digest, lines, reads, session_bytes, write

from cenotaph.surfaces.cli import compact as compact_verb

ENOUGH = ("--to-tokens", "2500", "--tools", "generic")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return write(tmp_path / "in.json", reads())


def store_of(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'store.db'}"


# Shape --------------------------------------------------------------------------------------


def test_a_list_of_messages_comes_out_as_a_list(cenotaph: Command, transcript: Path) -> None:
    ran = cenotaph("compact", transcript, *ENOUGH)
    assert ran.status == 0
    view = ran.json
    assert [message["role"] for message in view[:2]] == ["system", "user"]
    assert "[EVICTED:tool_result@t1" in json.dumps(view)


def test_a_request_comes_out_as_that_request_with_its_messages_replaced(
    cenotaph: Command, tmp_path: Path
) -> None:
    body = {"model": "gpt-4o", "temperature": 0.5, "messages": reads(), "unknown": {"kept": [1, None]}}
    ran = cenotaph("compact", write(tmp_path / "in.json", body), *ENOUGH)
    assert ran.status == 0
    assert {**ran.json, "messages": None} == {**body, "messages": None}
    assert list(ran.json) == list(body)
    assert ran.json["messages"] != body["messages"]


def test_one_message_per_line_comes_out_as_one_message_per_line(cenotaph: Command, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(lines(reads()))
    ran = cenotaph("compact", path, *ENOUGH)
    view = [json.loads(line) for line in ran.out.splitlines()]
    assert len(view) == len(reads())
    assert view[1] == reads()[1]


def test_a_session_file_comes_out_as_messages_and_is_not_edited(cenotaph: Command, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(session_bytes())
    before = digest(path)
    ran = cenotaph("compact", path, "--to-tokens", "2000")
    assert ran.status == 0
    assert list(ran.json) == ["messages"]
    assert ran.json["messages"][0]["role"] == "user"
    assert "session: a-session" in ran.err
    assert digest(path) == before


def test_a_session_file_within_the_budget_comes_out_as_it_would_be_sent(
    cenotaph: Command, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(session_bytes())
    ran = cenotaph("compact", path, "--to-tokens", "1m", "--json")
    assert ran.json["changed"] is False
    assert len(ran.json["messages"]) == 10


def test_an_unchanged_input_comes_out_byte_for_byte(cenotaph: Command, tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text(json.dumps(reads(), indent=3) + "\n\n")
    ran = cenotaph("compact", path, "--to-tokens", "1m")
    assert (ran.status, ran.out) == (0, path.read_bytes())
    assert "unchanged" in ran.err


@pytest.mark.parametrize(("indent", "spaced"), [(None, True), (2, True), ("\t", True)])
def test_a_view_keeps_the_indentation_of_its_input(
    cenotaph: Command, tmp_path: Path, indent: int | str | None, spaced: bool
) -> None:
    path = tmp_path / "in.json"
    path.write_text(json.dumps(reads(), indent=indent))
    ran = cenotaph("compact", path, *ENOUGH)
    assert ran.out.decode() == json.dumps(ran.json, indent=indent, ensure_ascii=False) + "\n"


def test_standard_input_is_read_where_the_file_is_a_dash(process: Command) -> None:
    ran = process("compact", "-", *ENOUGH, stdin=json.dumps(reads()).encode())
    assert ran.status == 0
    assert len(ran.json) == len(reads())


def test_a_lone_surrogate_survives_as_its_escape(cenotaph: Command, tmp_path: Path) -> None:
    messages = reads()
    messages[1]["content"] += " \udc80 end"
    ran = cenotaph("compact", write(tmp_path / "in.json", messages), *ENOUGH)
    assert ran.status == 0
    assert ran.json[1] == messages[1]


# Where it goes ------------------------------------------------------------------------------


def test_without_a_store_one_file_of_this_user_is_used_and_named(
    cenotaph: Command, transcript: Path, home: Path
) -> None:
    ran = cenotaph("compact", transcript, *ENOUGH)
    file = home / "state" / "cenotaph" / "store.db"
    assert f"sqlite:///{file}" in ran.err
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_out_takes_the_view_and_standard_output_stays_empty(
    cenotaph: Command, transcript: Path, tmp_path: Path
) -> None:
    out = tmp_path / "view.json"
    ran = cenotaph("compact", transcript, *ENOUGH, "-o", out)
    assert (ran.status, ran.out) == (0, b"")
    assert len(json.loads(out.read_bytes())) == len(reads())


def test_out_replaces_a_file_and_keeps_its_mode(cenotaph: Command, transcript: Path, tmp_path: Path) -> None:
    out = tmp_path / "view.json"
    out.write_text("old")
    out.chmod(0o640)
    assert cenotaph("compact", transcript, *ENOUGH, "-o", out).status == 0
    assert out.read_bytes() != b"old"
    assert out.stat().st_mode & 0o777 == 0o640


def test_out_through_a_link_writes_what_the_link_names(
    cenotaph: Command, transcript: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real.json")
    assert cenotaph("compact", transcript, *ENOUGH, "-o", tmp_path / "link").status == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real.json").exists()


@pytest.mark.parametrize("way", ["itself", "a link to it", "a hard link to it"])
def test_the_input_is_never_overwritten(
    cenotaph: Command, transcript: Path, tmp_path: Path, way: str
) -> None:
    out = tmp_path / "out"
    if way == "itself":
        out = transcript
    elif way == "a link to it":
        out.symlink_to(transcript)
    else:
        os.link(transcript, out)
    before = digest(transcript)
    ran = cenotaph("compact", transcript, *ENOUGH, "-o", out, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "output")
    assert digest(transcript) == before


def test_the_store_is_never_overwritten_by_a_view(
    cenotaph: Command, transcript: Path, tmp_path: Path
) -> None:
    cenotaph("compact", transcript, *ENOUGH, "--store", store_of(tmp_path))
    ran = cenotaph(
        "compact", transcript, *ENOUGH, "--store", store_of(tmp_path), "-o", tmp_path / "store.db", "--json"
    )
    assert (ran.status, ran.json["error"]["code"]) == (2, "output")
    assert cenotaph("verify", "--store", store_of(tmp_path), "--read-data").status == 0


# JSON ---------------------------------------------------------------------------------------

KEYS = {"messages", "record", "tokens_before", "tokens_after", "changed", "store", "session"}


def test_json_gives_exactly_the_documented_object(
    cenotaph: Command, transcript: Path, tmp_path: Path
) -> None:
    ran = cenotaph(
        "compact", transcript, *ENOUGH, "--json", "--store", store_of(tmp_path), "--session", "run-1"
    )
    given = ran.json
    assert set(given) == KEYS
    assert given["tokens_after"] <= 2500 < given["tokens_before"]
    assert given["record"]["status"] == "verified"
    assert (given["changed"], given["session"], given["store"]) == (True, "run-1", store_of(tmp_path))


def test_json_leaves_the_messages_out_where_a_file_takes_them(
    cenotaph: Command, transcript: Path, tmp_path: Path
) -> None:
    ran = cenotaph("compact", transcript, *ENOUGH, "--json", "-o", tmp_path / "view.json")
    assert set(ran.json) == KEYS - {"messages"}


def test_json_of_an_unchanged_input_has_no_record(cenotaph: Command, transcript: Path) -> None:
    ran = cenotaph("compact", transcript, "--to-tokens", "1m", "--json")
    assert (ran.json["record"], ran.json["changed"], ran.json["messages"]) == (None, False, reads())


# Halts --------------------------------------------------------------------------------------


def test_a_halt_exits_with_three_and_writes_no_view(
    cenotaph: Command, transcript: Path, tmp_path: Path
) -> None:
    out = tmp_path / "view.json"
    out.write_text("old")
    ran = cenotaph("compact", transcript, "--to-tokens", "10", "-o", out)
    assert (ran.status, ran.out, out.read_text()) == (3, b"", "old")
    assert "Ways out" in ran.err
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


def test_a_halt_as_json_says_what_is_reachable_and_the_ways_out(cenotaph: Command, transcript: Path) -> None:
    ran = cenotaph("compact", transcript, "--to-tokens", "10", "--json")
    assert ran.status == 3
    assert set(ran.json) == {"error", "target", "reachable", "ways_out"}
    assert ran.json["target"] == 10 < ran.json["reachable"]
    assert ran.json["error"]["code"] == "budget-exhausted"
    assert any("--policy archive" in way for way in ran.json["ways_out"])


def test_the_way_out_that_a_halt_names_is_one(cenotaph: Command, transcript: Path) -> None:
    reachable = cenotaph("compact", transcript, "--to-tokens", "10", "--json").json["reachable"]
    assert cenotaph("compact", transcript, "--to-tokens", reachable).status == 0


# Dry run ------------------------------------------------------------------------------------


def test_a_dry_run_writes_nothing_anywhere(
    cenotaph: Command, transcript: Path, tmp_path: Path, home: Path
) -> None:
    before = sorted(tmp_path.rglob("*"))
    ran = cenotaph("compact", transcript, *ENOUGH, "--dry-run", "-o", tmp_path / "view.json")
    assert ran.status == 0
    assert sorted(tmp_path.rglob("*")) == before


def test_a_dry_run_leaves_a_store_that_exists_as_it_is(
    cenotaph: Command, transcript: Path, tmp_path: Path
) -> None:
    cenotaph("compact", transcript, *ENOUGH, "--store", store_of(tmp_path))
    before = digest(tmp_path / "store.db")
    assert cenotaph("compact", transcript, *ENOUGH, "--dry-run", "--store", store_of(tmp_path)).status == 0
    assert digest(tmp_path / "store.db") == before


def test_a_dry_run_shows_what_the_run_then_does(cenotaph: Command, transcript: Path, tmp_path: Path) -> None:
    named = ("--json", "--store", store_of(tmp_path))
    cenotaph("compact", transcript, *ENOUGH, *named)
    planned = cenotaph("compact", transcript, *ENOUGH, *named, "--dry-run").json
    done = cenotaph("compact", transcript, *ENOUGH, *named).json
    assert planned["messages"] == done["messages"]
    assert planned["record"]["record_id"] == done["record"]["record_id"]


def test_a_plan_shows_rows_biggest_spans_and_the_price_in_cached_tokens(
    cenotaph: Command, transcript: Path
) -> None:
    shown = cenotaph("compact", transcript, *ENOUGH, "--dry-run").out.decode()
    assert re.search(r"^rec +result of a repeatable tool.* evict \d", shown, re.MULTILINE)
    assert "read_file file:src/f0.py" in shown
    assert re.search(r"first changed message: 3 of 15; [\d,]+ tokens", shown)


def test_a_dry_run_that_would_halt_halts(cenotaph: Command, transcript: Path, home: Path) -> None:
    assert cenotaph("compact", transcript, "--to-tokens", "10", "--dry-run").status == 3
    assert not (home / "state").exists()


# Parameters ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        ((), "configuration"),
        (("--to-tokens", "0"), "configuration"),
        (("--to-tokens", "-5"), "configuration"),
        (("--to-tokens", "many"), "usage"),
        (("--to-tokens", "1.5"), "usage"),
        (("--to-tokens", "100", "--window", "200"), "usage"),
        (("--to-tokens", "100", "--trigger", "0.8"), "configuration"),
        (("--window", "0"), "configuration"),
        (("--window", "1k", "--target", "0.9"), "configuration"),
        (("--to-tokens", "100", "--policy", "loose"), "usage"),
        (("--to-tokens", "100", "--dialect", "klingon"), "dialect"),
        (("--to-tokens", "100", "--tools", "no-such-thing"), "tool-spec"),
        (("--to-tokens", "100", "--region", "all"), "configuration"),
        (("--to-tokens", "100", "--store", "mongodb://x"), "configuration"),
        (("--to-tokens", "100", "--no-such-flag"), "usage"),
        (("--to-tok", "100"), "usage"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(
    cenotaph: Command, transcript: Path, argv: tuple[str, ...], code: str
) -> None:
    ran = cenotaph("compact", transcript, *argv, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, code)
    assert ran.err.startswith("cenotaph: error: ")


@pytest.mark.parametrize("size", ["2500", "2_500", "2,500", "2.5k"])
def test_sizes_are_read_as_people_write_them(cenotaph: Command, transcript: Path, size: str) -> None:
    ran = cenotaph("compact", transcript, "--to-tokens", size, "--tools", "generic", "--json")
    assert ran.json["record"]["target"] == 2500


def test_window_acts_above_the_trigger_and_ends_at_the_target(cenotaph: Command, transcript: Path) -> None:
    below = cenotaph("compact", transcript, "--window", "1m", "--tools", "generic", "--json").json
    above = cenotaph(
        *("compact", transcript, "--window", "8k", "--trigger", "60%", "--target", "0.4"),
        *("--tools", "generic", "--json"),
    ).json
    assert below["changed"] is False
    assert above["record"]["target"] == 3200 >= above["tokens_after"]


def test_a_pin_keeps_what_holds_it(cenotaph: Command, transcript: Path) -> None:
    view = cenotaph("compact", transcript, *ENOUGH, "--pin", "f0-line-3 ").json
    assert view[3] == reads()[3]
    assert cenotaph("compact", transcript, *ENOUGH, "--session", "other").json[3] != reads()[3]


def test_a_second_run_goes_on_from_the_first(cenotaph: Command, transcript: Path) -> None:
    first = cenotaph("compact", transcript, *ENOUGH)
    again = cenotaph("compact", transcript, *ENOUGH)
    assert again.json == first.json, "what left stays left, byte for byte"
    assert "what earlier cuts left stands" in again.err


def test_a_wish_keeps_what_holds_its_words(cenotaph: Command, transcript: Path) -> None:
    view = cenotaph("compact", transcript, *ENOUGH, "--keep", "f0-line-3 =").json
    assert view[3] == reads()[3]


def test_a_wish_keeps_what_was_read_by_its_handle(cenotaph: Command, transcript: Path) -> None:
    view = cenotaph("compact", transcript, *ENOUGH, "--keep", "we still need src/f0.py").json
    assert view[3] == reads()[3]


def test_declarations_come_from_a_file(cenotaph: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "in.json", reads(tool="peek"))
    tools = tmp_path / "tools.toml"
    tools.write_text('[[tool]]\nname = "peek"\nhandle = "file:{path}"\nrepeatable = true\n')
    assert cenotaph("compact", path, "--to-tokens", "2500", "--tools", tools).status == 0
    assert cenotaph("compact", path, "--to-tokens", "2500", "--session", "other").status == 3


def test_a_broken_declaration_names_file_table_and_key(
    cenotaph: Command, transcript: Path, tmp_path: Path
) -> None:
    tools = tmp_path / "tools.toml"
    tools.write_text('[[tool]]\nname = "a"\n[[tool]]\nname = "peek"\nhandel = "file:{path}"\n')
    ran = cenotaph("compact", transcript, "--to-tokens", "2500", "--tools", tools)
    assert ran.status == 2
    assert all(word in ran.err for word in (str(tools), "[[tool]] 2", "'handel'"))


# Streams ------------------------------------------------------------------------------------


def test_the_one_plain_line_is_said_after_each_compaction(cenotaph: Command, transcript: Path) -> None:
    ran = cenotaph("compact", transcript, *ENOUGH)
    assert re.search(
        r"^kept \d+ of \d+ rules, .*\d files recoverable; [\d,]+ -> [\d,]+ tokens", ran.err, re.M
    )


def test_no_escape_sequence_leaves_where_there_is_no_terminal(cenotaph: Command, transcript: Path) -> None:
    ran = cenotaph("compact", transcript, *ENOUGH, "--dry-run")
    assert b"\x1b" not in ran.out
    assert "\x1b" not in ran.err


def test_a_reader_that_leaves_early_is_no_error(transcript: Path, home: Path) -> None:
    script = (
        f"{sys.executable} -m cenotaph.surfaces.cli.main compact {transcript} --to-tokens 1m | head -c 10"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60, check=False)
    assert len(done.stdout) == 10
    assert b"Traceback" not in done.stderr
    assert b"error" not in done.stderr.lower()


def test_a_full_disk_on_standard_output_is_an_error(process: Command, transcript: Path) -> None:
    with open("/dev/full", "wb") as full:
        ran = process("compact", transcript, "--to-tokens", "1m", stdout=full)
    assert ran.status == 2
    assert "standard output can't be written" in ran.err


def test_an_interrupt_exits_with_130_and_leaves_no_half_file(
    cenotaph: Command, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compact_verb, "view_bytes", interrupted)
    out = tmp_path / "view.json"
    out.write_text("old")
    ran = cenotaph("compact", transcript, *ENOUGH, "-o", out)
    assert (ran.status, out.read_text()) == (130, "old")
    assert not list(tmp_path.glob("*.part"))


def test_ctrl_c_while_waiting_for_input_exits_with_130(home: Path) -> None:
    waiting = subprocess.Popen(
        [sys.executable, "-m", "cenotaph.surfaces.cli.main", "compact", "-", "--to-tokens", "9"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    for _ in range(100):  # until the interpreter is up: before that the signal is its own business
        time.sleep(0.05)
        state = Path(f"/proc/{waiting.pid}/wchan")
        if not state.exists() or "pipe" in state.read_text():
            break
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=30)
    assert waiting.returncode == 130
    assert b"Traceback" not in err


def test_an_internal_error_is_one_line_and_exits_with_two(
    cenotaph: Command, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("cenotaph.api.compact", broken)
    ran = cenotaph("compact", transcript, *ENOUGH)
    assert ran.status == 2
    assert "internal error (ZeroDivisionError: a defect); please report it" in ran.err
    assert "Traceback" not in ran.err
    monkeypatch.setenv("CENOTAPH_TRACEBACK", "1")
    assert "Traceback" in cenotaph("compact", transcript, *ENOUGH).err


# A whole round ------------------------------------------------------------------------------


def test_what_left_comes_back_byte_for_byte_and_the_store_verifies(cenotaph: Command, tmp_path: Path) -> None:
    messages: list[Json] = reads()
    messages[3]["content"] += "\nodd bytes: \r\n\t é 日本 \udc80\n"
    store = store_of(tmp_path)
    view = cenotaph("compact", write(tmp_path / "in.json", messages), *ENOUGH, "--store", store).json
    tombstone = view[3]["content"]
    assert tombstone.startswith("[EVICTED:tool_result@t1.1:recover=file:src/f0.py|cx:")
    wanted = messages[3]["content"].encode("utf-8", "surrogatepass")
    for what in (tombstone, "file:src/f0.py", re.findall(r"cx:[0-9a-f]+", tombstone)[0]):
        ran = cenotaph("rehydrate", what, "--store", store)
        assert (ran.status, ran.out) == (0, wanted), what
    assert cenotaph("verify", "--store", store, "--read-data").status == 0
