"""What the demo shows, on terminals of two widths, to a pipe and to a program."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from pathlib import Path

import pytest

from cenotaph import open_store
from cenotaph.surfaces.cli import demo, main
from cenotaph.surfaces.cli.render import cells, plain
from cenotaph.testing.story import transcript as told
from cenotaph.testing.story.play import Story, tell


@pytest.fixture(scope="module")
def story() -> Story:
    store = open_store("memory://")
    return tell(store)


def text_of(story: Story, columns: int, *, keeps: bool = False) -> str:
    return plain(demo.story_lines(story, columns, keeps=keeps))


def sides(text: str) -> tuple[str, str]:
    """The words of the left column and those of the right one."""
    rows = [row.partition(" |") for row in text.splitlines() if " |" in row]
    return " ".join(" ".join(row[0] for row in rows).split()), " ".join(
        " ".join(row[2] for row in rows).split()
    )


@pytest.mark.parametrize("columns", [72, 80, 120, 300])
def test_every_line_fits_the_terminal(story: Story, columns: int) -> None:
    lines = text_of(story, columns).splitlines()
    assert max(cells(text) for text in lines) <= min(columns, 120)


@pytest.mark.parametrize("columns", [80, 120])
def test_both_runs_stand_side_by_side(story: Story, columns: int) -> None:
    left, right = sides(text_of(story, columns))
    assert "write_file(/etc/prod/limits.conf)" in left
    assert "write_file(proposals/limits.conf)" in right
    assert "2 pending" in left
    assert f"2 blocked: {told.PLAN[1]['note']}" in right


@pytest.mark.parametrize("columns", [80, 120])
def test_each_failure_says_how_many_turns_and_tokens_after_the_loss_it_shows(
    story: Story, columns: int
) -> None:
    left, right = sides(text_of(story, columns))
    assert len(story.lossy.failures) == 4
    for failure in story.lossy.failures:
        far = f"{failure.turns_since_cut} turns and {failure.tokens_since_cut:,} tokens after the loss"
        assert f"{failure.kind.upper()}, {far}" in left
    assert "after the loss" not in right


def test_nothing_of_a_long_value_is_lost_at_eighty_columns(story: Story) -> None:
    right = "".join(line.partition(" | ")[2].strip() for line in text_of(story, 80).splitlines())
    assert told.CHECKSUM in right


def test_the_verdict_says_yes_only_where_it_was_checked(story: Story) -> None:
    rows = re.findall(r"^(the .+?|step .+?)  +(NO|yes) +(NO|yes)$", text_of(story, 120), re.MULTILINE)
    assert len(rows) == 5
    assert {(left, right) for _, left, right in rows} == {("NO", "yes")}


def test_a_pipe_gets_no_colour(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["demo"]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "Verdict" in shown


def test_a_program_gets_the_numbers(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main.run(["demo", "--json"]) == 0
    given = json.loads(capfdbinary.readouterr().out)
    assert given["as_told"] is True
    assert given["store"] is None
    assert given["findings"] == 0
    assert {failure["kind"] for failure in given["lossy"]["failures"]} == {"forbidden write", "stall", "gap"}
    assert given["kept"]["failures"] == []
    assert given["kept"]["tokens_before"] > 140_000 > 90_000 > given["kept"]["tokens_after"]


def test_a_named_store_is_kept_and_a_second_demo_does_not_touch_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path / 'demo.db'}"
    assert demo.run(Namespace(json=False, store=url)) == 0
    assert f"--store {url} --session demo" in capsys.readouterr().out
    assert demo.run(Namespace(json=False, store=url)) == 0
    assert "--session demo-2" in capsys.readouterr().out
    assert main.run(["verify", "--store", url, "--read-data"]) == 0
    store = open_store(url)
    assert store.sessions() == ["demo", "demo-2"]
    store.close()


def test_the_command_that_the_demo_names_gives_the_one_shot_result_back_byte_for_byte(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main.run(["demo", "--store", f"sqlite:///{tmp_path / 'demo.db'}"]) == 0
    shown = capfdbinary.readouterr().out.decode()
    [command] = [row.split() for row in shown.splitlines() if row.startswith("  cenotaph rehydrate cx:")]
    assert main.run(command[1:]) == 0
    assert capfdbinary.readouterr().out == told.DROP.encode()


@pytest.mark.parametrize("policy", ["strict", "archive"])
def test_the_transcript_that_it_writes_can_be_compacted_as_it_says(
    policy: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path, view = tmp_path / "demo.json", tmp_path / "view.json"
    assert main.run(["demo", "--write", str(path)]) == 0
    said = capfdbinary.readouterr().err.decode()
    tools = tmp_path / "demo.tools.toml"
    assert f"cenotaph compact {path} --window 200k --tools {tools}" in said
    assert json.loads(path.read_text()) == told.opening_request()
    store = f"sqlite:///{tmp_path / 'compact.db'}"
    size = ["--window", "200k", "--tools", str(tools), "--policy", policy, "--store", store, "-o", str(view)]
    assert main.run(["compact", str(path), *size]) == 0
    shown = json.loads(view.read_text())["messages"]
    assert any(told.RULE in (message["content"] or "") for message in shown)
    contents = "\n".join(message["content"] or "" for message in shown)
    assert (told.CHECKSUM in contents) == (policy == "strict")


def test_without_declarations_the_transcript_halts_and_says_what_to_declare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "demo.json"
    assert main.run(["demo", "--write", str(path)]) == 0
    store = f"sqlite:///{tmp_path / 'compact.db'}"
    assert main.run(["compact", str(path), "--window", "200k", "--store", store]) == 3
    assert "read_file" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_refused_before_anything_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["demo", "--write", str(tmp_path / "missing" / "demo.json")]) == 2
    assert "Make the folder" in capsys.readouterr().err
    assert list(tmp_path.rglob("demo*")) == []
