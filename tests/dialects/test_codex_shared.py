"""Real rollouts: what holds for made-up ones holds for these."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cenotaph.core.model import Kind, Mark, Provenance, Transcript
from cenotaph.dialects.codex import CODEX
from cenotaph.dialects.detect import DIALECTS
from cenotaph.dialects.openai_responses import OPENAI_RESPONSES
from cenotaph.errors import InputError
from cenotaph.runtime.source import Shape, decode

pytestmark = pytest.mark.shared

SHARED = Path(__file__).resolve().parents[3] / "shared"
SESSIONS = sorted((SHARED / "data" / "codex").rglob("*.jsonl"))
OTHERS = [p for p in sorted((SHARED / "data").rglob("*.json*")) if "codex" not in p.parts]
CASES = sorted((SHARED / "cases").glob("*.json"))
FIXTURES = ("jazzyalex+agent-sessions", "wesm+agentsview")


@pytest.fixture(autouse=True)
def _needs_shared() -> None:
    if not SESSIONS:
        pytest.skip(f"no sessions under {SHARED}")


def records_of(path: Path) -> list[dict[str, Any]]:
    """The records as a reader that shares no code with the dialect sees them."""
    return [record for line in path.read_text("utf-8").split("\n") if line and (record := json.loads(line))]


def parsed(region: Any = "last") -> Iterator[tuple[Path, Transcript]]:
    for path in SESSIONS:
        kinds = {record.get("type") for record in records_of(path)}
        if not kinds & {"session_meta", "response_item"}:
            assert not CODEX.recognise(path.read_bytes())
        elif kinds & {"response_item", "compacted"}:
            yield path, CODEX.parse(path.read_bytes(), region=region)
        else:
            with pytest.raises(InputError):
                CODEX.parse(path.read_bytes())


def is_fixture(path: Path) -> bool:
    return any(name in path.parts for name in FIXTURES)


@pytest.mark.parametrize("region", ["last", "all"])
def test_every_rollout_is_recognised_alone_comes_back_and_points_at_its_values(region: str) -> None:
    seen = 0
    for path, transcript in parsed(region):
        data = path.read_bytes()
        assert [d.name for d in DIALECTS.values() if d.recognise(data)] == ["codex"], path
        assert CODEX.emit(CODEX.parse(data)) is data
        assert decode(data, path.name).shape is Shape.session
        for message in transcript.messages:
            for part in message.parts:
                value: Any = message.raw
                for step in part.path:
                    value = value[step]
        seen += 1
    assert seen >= 25


def test_the_items_of_a_rollout_without_compaction_are_the_view() -> None:
    for path, transcript in parsed():
        records = records_of(path)
        if not any(r.get("type") == "compacted" for r in records):
            items = [r["payload"] for r in records if r.get("type") == "response_item"]
            assert [m.raw for m in transcript.messages] == [i for i in items if i.get("type") != "ghost_snapshot"], path


def test_a_persons_texts_are_those_of_the_events_and_no_others() -> None:
    for path, transcript in parsed("all"):
        if is_fixture(path):
            continue
        mirrors = [
            record["payload"]["message"].strip()
            for record in records_of(path)
            if record["type"] == "event_msg" and record["payload"]["type"] == "user_message"
        ]
        parts = [part for message in transcript.messages for part in message.parts]
        spoken = [p.text.strip() for p in parts if p.provenance is Provenance.user and p.kind is Kind.text]
        assert spoken == mirrors, path


def test_real_views_have_no_defect_and_break_no_rule() -> None:
    for path, transcript in parsed():
        if not is_fixture(path):
            assert transcript.defects == (), path
            assert OPENAI_RESPONSES.breaches([message.raw for message in transcript.messages]) == [], path


def test_refusals_by_people_instructions_and_counts_are_found() -> None:
    parts = [part for _, transcript in parsed() for message in transcript.messages for part in message.parts]
    assert sum(Mark.rejection in part.marks for part in parts) == 13
    assert sum(Mark.instruction in part.marks for part in parts) >= 16
    for path, transcript in parsed():
        counts = [
            record["payload"]["info"]["last_token_usage"]["input_tokens"]
            for record in records_of(path)
            if record.get("type") == "event_msg"
            and record["payload"]["type"] == "token_count"
            and (record["payload"].get("info") or {}).get("last_token_usage")
        ]
        if not is_fixture(path):
            assert [usage.input_tokens for usage in transcript.usage] == sorted_runs(counts), path
            places = [usage.message for usage in transcript.usage]
            assert places == sorted(places), path
            for place in places:  # an interrupted request has no output
                before = transcript.messages[place - 1].role
                assert before not in ("assistant", ""), path


def sorted_runs(counts: list[int]) -> list[int]:
    """Counts without the second mention of each."""
    return [count for index, count in enumerate(counts) if index == 0 or count != counts[index - 1]]


def test_no_file_of_another_client_and_no_case_is_taken_for_a_rollout() -> None:
    for path in OTHERS:
        assert not CODEX.recognise(path.read_bytes()), path
    for path in CASES:
        assert not CODEX.recognise(json.loads(path.read_text("utf-8")).get("messages")), path
