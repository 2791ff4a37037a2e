"""Real sessions: what holds for made-up ones holds for these."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cenotaph.core.model import Kind, Mark, Provenance, Transcript
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.errors import InputError

pytestmark = pytest.mark.shared

SHARED = Path(__file__).resolve().parents[3] / "shared"
SESSIONS = sorted((SHARED / "data" / "claude_code").rglob("*.json*"))
OTHERS = [p for p in sorted((SHARED / "data").rglob("*.json*")) if "claude_code" not in p.parts]
CASES = sorted((SHARED / "cases").glob("*.json"))


@pytest.fixture(autouse=True)
def _needs_shared() -> None:
    if not SESSIONS:
        pytest.skip(f"no sessions under {SHARED}")


def parsed(region: Any) -> Iterator[tuple[Path, Transcript]]:
    for path in SESSIONS:
        data = path.read_bytes()
        types = {record.get("type") for record in records_of(path)}
        if types & {"user", "assistant"} or b'"loglines"' in data:
            yield path, CLAUDE_CODE.parse(data, region=region)
        else:
            with pytest.raises(InputError):
                CLAUDE_CODE.parse(data, region=region)


def records_of(path: Path) -> list[dict[str, Any]]:
    """The records as a reader that shares no code with the dialect sees them."""
    decoder, found = json.JSONDecoder(), list[dict[str, Any]]()
    if path.suffix == ".json":
        return found
    for line in path.read_text("utf-8").split("\n"):
        position = 0
        while position < len(line.rstrip()):
            value, position = decoder.raw_decode(line, position)
            if isinstance(value, dict):
                found.append(value)
    return found


def rule_breaks(transcript: Transcript) -> list[tuple[str, Any]]:
    """A1-A3 of the Messages API, by this checker's own reading of the messages."""
    broken: list[tuple[str, Any]] = []
    messages = [message.raw for message in transcript.messages]
    blocks = [m["content"] if isinstance(m["content"], list) else [] for m in messages]
    for index, here in enumerate(blocks):
        uses = [b["id"] for b in here if b.get("type") == "tool_use"]
        after = blocks[index + 1] if index + 1 < len(blocks) else []
        answers = [b["tool_use_id"] for b in after if b.get("type") == "tool_result"]
        broken += [("A1", use) for use in uses if answers.count(use) != 1]
        kinds = [b.get("type") == "tool_result" for b in here]
        if kinds != sorted(kinds, reverse=True):
            broken.append(("A2", index))
        before = blocks[index - 1] if index else []
        known = {b["id"] for b in before if b.get("type") == "tool_use"}
        results = [b["tool_use_id"] for b in here if b.get("type") == "tool_result"]
        broken += [("A3", result) for result in results if result not in known]
    return broken


@pytest.mark.parametrize("region", ["last", "all"])
def test_every_file_comes_back_byte_for_byte(region: Any) -> None:
    for path, transcript in parsed(region):
        assert CLAUDE_CODE.emit(transcript) == path.read_bytes()


@pytest.mark.parametrize("region", ["last", "all"])
def test_only_lost_lines_break_the_rules_of_the_api(region: Any) -> None:
    for path, transcript in parsed(region):
        if path.parent.name != "entireio+cli":
            continue
        answered = {p.call_id for m in transcript.messages for p in m.parts if p.kind is Kind.result}
        orphans = [d.note for d in transcript.defects if d.code == "orphan-result"]
        for rule, what in rule_breaks(transcript):
            lost_call = rule == "A3" and any(repr(what) in note for note in orphans)
            assert (rule == "A1" and what not in answered) or lost_call, (path, rule, what)


def test_every_human_text_of_the_file_stands_in_the_whole_history() -> None:
    for path, transcript in parsed("all"):
        if path.parent.name != "entireio+cli":
            continue
        assert not [d for d in transcript.defects if d.code in ("rewound-branch", "replayed-records")], path
        seen = {p.text for m in transcript.messages for p in m.parts if p.kind is Kind.text}
        for record in records_of(path):
            if record.get("type") == "user" and not record.get("isCompactSummary"):
                content = record["message"]["content"]
                texts = [content] if isinstance(content, str) else [b.get("text", "") for b in content]
                assert all(text in seen for text in texts if text.strip()), (path, record["uuid"])


def test_every_human_text_behind_the_last_boundary_stands_in_the_view() -> None:
    for path, transcript in parsed("last"):
        if path.parent.name != "entireio+cli":
            continue
        records = records_of(path)
        cut = max((i for i, r in enumerate(records) if r.get("subtype") == "compact_boundary"), default=0)
        seen = {p.text for m in transcript.messages for p in m.parts if p.kind is Kind.text}
        for record in records[cut:]:
            if record.get("type") == "user":
                content = record["message"]["content"]
                texts = [content] if isinstance(content, str) else [b.get("text", "") for b in content]
                assert all(text in seen for text in texts if text.strip()), (path, record["uuid"])


def test_every_queued_text_that_was_not_taken_back_stands_in_the_whole_history() -> None:
    for path, transcript in parsed("all"):
        if path.parent.name != "entireio+cli":
            continue
        seen = {p.text.strip() for m in transcript.messages for p in m.parts if p.kind is Kind.text}
        queue = [r for r in records_of(path) if r.get("type") == "queue-operation"]
        popped = {r.get("content") for r in queue if r["operation"] == "popAll"}
        for record in queue:
            if record["operation"] == "enqueue" and record["content"] not in popped:
                assert record["content"].strip() in seen, (path, record["content"])


def test_each_compaction_shows_as_one_foreign_summary_and_marks_what_it_replaced() -> None:
    for path, transcript in parsed("all"):
        if path.parent.name != "entireio+cli":
            continue
        summaries = [r for r in records_of(path) if r.get("isCompactSummary")]
        every = [part for message in transcript.messages for part in message.parts]
        foreign = [part for part in every if part.provenance is Provenance.foreign]
        assert len(foreign) == len(summaries)
        assert all(Mark.summary in part.marks for part in foreign)
        assert any(Mark.summarized in part.marks for part in every) == bool(summaries)


def test_sessions_of_other_clients_are_not_claimed() -> None:
    for path in OTHERS:
        data = path.read_bytes()
        assert not CLAUDE_CODE.recognise(data), path
        try:
            value = json.loads(data)
        except ValueError:
            continue
        assert not CLAUDE_CODE.recognise(value), path


def test_the_small_cases_are_recognised_by_structure_alone() -> None:
    for path in CASES:
        case = json.loads(path.read_text("utf-8"))
        assert CLAUDE_CODE.recognise(case["messages"]) == (case["format"] == "claude_code_jsonl"), path
