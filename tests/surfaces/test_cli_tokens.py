"""`cenotaph tokens`: what is counted is what a compaction goes by, and every error is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_transcripts import Command, lines, reads, session_bytes, write

from cenotaph import api
from cenotaph.api.counting import TEXT_CLASSES, count_tokens
from cenotaph.core.readout import total_tokens


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return write(tmp_path / "in.json", reads())


def with_usage(overhead: int, calls: int = 12) -> list[dict[str, Any]]:
    """Records of a session whose provider reported each request, with an overhead that the file does not hold."""
    records = [json.loads(record) for record in session_bytes(files=calls).splitlines()]
    agents = [record for record in records if record["type"] == "assistant"]
    for number, record in enumerate(agents):
        tokens = overhead + 900 * number
        record["message"] |= {"id": f"m{number}", "model": "claude-opus-4-5", "usage": {"input_tokens": tokens}}
    return records


def test_the_total_is_what_a_compaction_goes_by(cenotaph: Command, transcript: Path) -> None:
    given = cenotaph("tokens", transcript, "--json").json
    assert given["tokens"] == total_tokens(api.explain(reads()))
    records = with_usage(20_000)
    assert count_tokens(records).tokens == total_tokens(api.explain(records))


def test_every_token_is_in_one_class(cenotaph: Command, transcript: Path) -> None:
    given = cenotaph("tokens", transcript, "--json").json
    assert list(given["classes"]) == list(TEXT_CLASSES)
    assert sum(given["classes"].values()) == given["tokens"]
    assert {name for name, tokens in given["classes"].items() if not tokens} == {
        "tools", "client", "reasoning", "media",
    }  # fmt: skip


def test_classes_follow_structure_and_media_of_a_result_are_media() -> None:
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    request = {
        "model": "claude-opus-4-7",
        "system": "Review code.",
        "tools": [{"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "I should look.", "signature": "c2lnbmVk"},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "c0", "name": "look", "input": {"at": "a.png"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c0",
                        "content": [{"type": "text", "text": "Seen."}, image],
                    }
                ],
            },
        ],
    }
    found = count_tokens(request)
    assert all(found.by_class[name] for name in TEXT_CLASSES if name != "client")
    assert found.by_class["media"] == 2 * 4_784
    assert sum(found.by_class.values()) == found.tokens


def test_the_counter_and_its_basis_are_named(cenotaph: Command, transcript: Path) -> None:
    given = cenotaph("tokens", transcript, "--model", "gpt-4o", "--json").json
    named = [given[key] for key in ("counter", "basis", "model", "dialect")]
    assert named == ["o200k_base", "exact", "gpt-4o", "openai-chat"]
    shown = cenotaph("tokens", transcript).out.decode()
    assert "o200k_base (model not named)" in shown
    assert "nothing to hold the count against" in shown


def test_a_counter_can_be_named_and_one_that_does_not_exist_is_refused(cenotaph: Command, transcript: Path) -> None:
    given = cenotaph("tokens", transcript, "--model", "gpt-4o", "--counter", "claude-4.7", "--json").json
    assert (given["counter"], given["basis"]) == ("claude-4.7 estimate", "estimated")
    ran = cenotaph("tokens", transcript, "--counter", "abacus")
    assert ran.status == 2
    assert "claude-4.7" in ran.err


def test_errors_against_reported_usage_are_shown_before_and_after_calibration(
    cenotaph: Command, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(with_usage(20_000)))
    given = cenotaph("tokens", path, "--json").json
    before, after = given["usage"]["before"], given["usage"]["after"]
    assert (before["calls"], after["calls"]) == (13, 12)
    assert len(given["usage"]["calls"]) == 13
    assert before["under_share"] == 1.0
    assert before["worst_under"] < -0.5
    assert after["under_share"] == 0.0
    assert given["calibration"]["samples"] == 13
    assert given["expected"] >= given["usage"]["calls"][-1]["reported"]
    shown = cenotaph("tokens", path).out.decode()
    assert "calibrated by earlier calls" in shown
    assert "100.00%" in shown
    assert f"{given['expected']:,}" in shown


def test_a_jump_that_no_earlier_call_tells_of_is_an_under_count_and_said_so(cenotaph: Command, tmp_path: Path) -> None:
    records = with_usage(20_000)
    for record in records[15:]:
        if record["type"] == "assistant":
            record["message"]["usage"]["input_tokens"] += 30_000
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(records))
    after = cenotaph("tokens", path, "--json").json["usage"]["after"]
    assert after["under_share"] == pytest.approx(1 / 12)
    assert after["worst_under"] < -0.4


def test_one_reported_request_has_no_earlier_one_to_be_calibrated_by(cenotaph: Command, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(with_usage(20_000, calls=12)[:2]))
    usage = cenotaph("tokens", path, "--json").json["usage"]
    assert usage["before"]["calls"] == 1
    assert usage["after"] is None
    assert cenotaph("tokens", path).status == 0


def test_a_file_that_can_not_be_read_is_named(cenotaph: Command, tmp_path: Path) -> None:
    ran = cenotaph("tokens", write(tmp_path / "odd.json", {"colour": "blue"}))
    assert ran.status == 2
    assert "odd.json" in ran.err
    assert cenotaph("tokens", tmp_path / "none.json").status == 2


def test_an_earlier_region_is_for_session_files(cenotaph: Command, transcript: Path, tmp_path: Path) -> None:
    assert cenotaph("tokens", transcript, "--region", "all").status == 2
    path = tmp_path / "session.jsonl"
    path.write_bytes(session_bytes())
    assert cenotaph("tokens", path, "--region", "all").status == 0
