"""Real sessions of the imported clients: what holds for made-up ones holds for these."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from session_laws import Session, codes, read

from cenotaph.core.model import Kind, Mark, Provenance, Transcript
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.cline import CLINE
from cenotaph.dialects.detect import DIALECTS
from cenotaph.dialects.mini_swe_agent import MINI_SWE_AGENT
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.dialects.opencode import OPENCODE
from cenotaph.dialects.openhands import OPENHANDS
from cenotaph.dialects.pi import PI
from cenotaph.dialects.swe_agent import SWE_AGENT

pytestmark = pytest.mark.shared

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA = SHARED / "data"
FOLDERS: dict[str, Session] = {
    "openhands": OPENHANDS,
    "swe_agent": SWE_AGENT,
    "mini_swe_agent": MINI_SWE_AGENT,
    "pi": PI,
}
OURS: tuple[Session, ...] = (OPENHANDS, SWE_AGENT, MINI_SWE_AGENT, PI, OPENCODE, CLINE)
WIRES: dict[str, Any] = {wire.name: wire for wire in (ANTHROPIC, OPENAI_CHAT)}
BYTES_MAX = 8_000_000


@pytest.fixture(autouse=True)
def _needs_shared() -> None:
    if not DATA.is_dir():
        pytest.skip(f"no sessions under {SHARED}")


def files(folder: str) -> list[Path]:
    found = [path for path in sorted((DATA / folder).rglob("*")) if path.is_file()]
    return [path for path in found if path.suffix in (".json", ".jsonl", ".traj") and "base_state" not in path.name]


def sessions(folder: str, **how: Any) -> Iterator[tuple[Path, Transcript]]:
    paths = files(folder)
    assert paths, folder
    for path in paths:
        yield path, read(FOLDERS[folder], path.read_bytes(), **how)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_claimed_comes_back_and_says_something(folder: str) -> None:
    for path, transcript in sessions(folder):
        assert [d.name for d in OURS if d.recognise(path.read_bytes())] == [FOLDERS[folder].name], path
        assert any(part.text for message in transcript.messages for part in message.parts), path


@pytest.mark.parametrize("folder", ["openhands", "pi"])
def test_the_whole_history_comes_back_too(folder: str) -> None:
    for path, transcript in sessions(folder, region="all"):
        assert len(transcript.messages) >= len(FOLDERS[folder].parse(path.read_bytes()).messages)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_view_breaks_no_rule_of_its_provider_but_for_what_is_open(folder: str) -> None:
    for path, transcript in sessions(folder):
        breaches = WIRES[transcript.wire].breaches([m.raw for m in transcript.messages])
        last = max((i for i, m in enumerate(transcript.messages) if m.role == "assistant"), default=-1)
        assert [b for b in breaches if b.message < last] == [], path


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_result_has_its_call(folder: str) -> None:
    for path, transcript in sessions(folder):
        parts = [part for message in transcript.messages for part in message.parts]
        called = {part.call_id for part in parts if part.kind is Kind.call}
        assert {part.call_id for part in parts if part.kind is Kind.result} <= called, path
        assert set(codes(transcript)) <= {"orphan-result", "duplicate-id", "unsent-message"}, path


def test_of_a_whole_run_only_the_task_is_a_persons() -> None:
    for folder in ("swe_agent", "mini_swe_agent"):
        for path, transcript in sessions(folder):
            voices = [p.provenance for m in transcript.messages for p in m.parts if m.role == "user"]
            human = [v for v in voices if v is Provenance.user]
            assert len(human) == 1, path
            assert voices.index(Provenance.user) < 2, path


def test_the_compactions_of_a_session_are_one_summary_in_the_view_and_all_of_them_in_the_history() -> None:
    for path in files("pi"):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        summaries = [record["summary"] for record in records if record["type"] == "compaction"]
        for region, expected in (("last", summaries[-1:]), ("all", summaries)):
            transcript = read(PI, path.read_bytes(), region=region)
            foreign = [p.text for m in transcript.messages for p in m.parts if Mark.summary in p.marks]
            assert len(foreign) == len(expected)
            assert all(summary in text for summary, text in zip(expected, foreign, strict=True))


def test_storage_records_of_opencode_are_read_as_one_session() -> None:
    records = [json.loads(path.read_text()) for path in files("opencode")]
    for session in sorted({r["sessionID"] for r in records if "sessionID" in r}):
        own = [r for r in records if session in (r.get("sessionID"), r.get("id"))]
        assert OPENCODE.recognise(own) == any("role" in record for record in own)
        if any(record.get("type") in ("text", "tool") for record in own):
            assert read(OPENCODE, own).session == session


def test_no_file_of_another_client_is_claimed() -> None:
    other = [p for p in sorted(DATA.rglob("*.json*")) if p.relative_to(DATA).parts[0] not in (*FOLDERS, "opencode")]
    assert len(other) > 100
    for path in other:
        if path.stat().st_size > BYTES_MAX or "openclaw" in path.parts:  # openclaw writes pi's format
            continue
        assert [d.name for d in OURS if d.recognise(path.read_bytes())] == [], path


def test_of_the_cases_only_those_of_its_format_are_claimed() -> None:
    ours = {dialect.name for dialect in OURS} & DIALECTS.keys()
    for path in sorted((SHARED / "cases").glob("*.json")):
        case = json.loads(path.read_text())
        claimed = [name for name in ours if DIALECTS[name].recognise(case["messages"])]
        assert claimed == ([OPENHANDS.name] if case["format"] == "openhands_events" else []), path
