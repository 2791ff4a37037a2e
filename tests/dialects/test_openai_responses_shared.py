"""Real requests and responses: what holds for made-up ones holds for these."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cenotaph.core.model import Kind
from cenotaph.dialects.detect import DIALECTS
from cenotaph.dialects.openai_responses import OPENAI_RESPONSES

yaml = pytest.importorskip("yaml", reason="reading the cassettes needs PyYAML")
pytestmark = pytest.mark.shared

SHARED = Path(__file__).resolve().parents[3] / "shared"
FILES = sorted((SHARED / "data" / "openai_responses").rglob("*")) + sorted(
    (SHARED / "data" / "generated").glob("openai_responses*.json")
)
OTHERS = [
    *sorted((SHARED / "data").rglob("*.json")),
    *sorted((SHARED / "data").rglob("*.jsonl")),
]


@pytest.fixture(autouse=True)
def _needs_shared() -> None:
    if not FILES:
        pytest.skip(f"no data under {SHARED}")


def _bodies(value: Any) -> Iterator[Any]:
    """Requests, responses and item lists, as a reader that shares no code with the dialect finds them."""
    if isinstance(value, list):
        if value and all(isinstance(item, dict) and item.get("type") in ("reasoning", "message") for item in value):
            yield value
    elif isinstance(value, dict):
        if value.get("input"):
            yield value
        if value.get("object") in ("response", "response.compaction") and isinstance(value.get("output"), list):
            yield value


def bodies() -> Iterator[tuple[str, Any]]:
    for path in FILES:
        if path.suffix == ".json":
            for body in _bodies(json.loads(path.read_text("utf-8"))):
                yield path.name, body
        elif path.suffix == ".yaml":
            for number, exchange in enumerate(yaml.safe_load(path.read_text("utf-8"))["interactions"]):
                for side in ("request", "response"):
                    held = exchange[side].get("parsed_body")
                    for body in _bodies(held):
                        yield f"{path.name} {number} {side}", body


def test_every_body_is_recognised_by_this_dialect_alone_and_comes_back_as_it_was() -> None:
    seen = 0
    for name, body in bodies():
        before = copy.deepcopy(body)
        assert [d.name for d in DIALECTS.values() if d.recognise(body)] == ["openai-responses"], name
        assert OPENAI_RESPONSES.emit(OPENAI_RESPONSES.parse(body)) is body, name
        assert body == before, name
        seen += 1
    assert seen > 50


def test_every_part_points_at_its_value_and_every_call_of_a_real_item_has_an_id() -> None:
    kinds: set[Kind] = set()
    for name, body in bodies():
        for message in OPENAI_RESPONSES.parse(body).messages:
            for part in message.parts:
                value: Any = message.raw
                for step in part.path:
                    value = value[step]
                kinds.add(part.kind)
                if part.kind in (Kind.call, Kind.result):
                    assert part.call_id, name
    assert kinds >= {Kind.text, Kind.call, Kind.result, Kind.reasoning, Kind.other}


def test_real_requests_break_no_rule_but_the_reasoning_of_an_output_that_was_cut_off() -> None:
    """An output that ended at its token limit may be reasoning alone; clients without storage sent it back."""
    for name, body in bodies():
        if isinstance(body, dict) and "input" in body and not body.get("previous_response_id"):
            transcript = OPENAI_RESPONSES.parse(body)
            broken = {breach.rule for breach in OPENAI_RESPONSES.breaches([m.raw for m in transcript.messages])}
            assert broken <= ({"O3"} if body.get("store") is False else set()), name


def test_no_transcript_of_another_format_is_recognised() -> None:
    for path in OTHERS:
        if path in FILES:
            continue
        try:
            lines = path.read_text("utf-8")
            value = json.loads(lines) if path.suffix == ".json" else [json.loads(x) for x in lines.split("\n") if x]
        except ValueError:
            continue
        if OPENAI_RESPONSES.recognise(value):
            others = [d.name for d in DIALECTS.values() if d.recognise(value)]
            assert others == ["openai-responses"], path
            assert "responses" in json.dumps(value)[:2_000] or any("call_id" in str(x) for x in value), path
