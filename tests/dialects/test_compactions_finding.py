"""Which finder is asked, what a cheap look may say, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from compaction_laws import json_lines, lawful

from cenotaph.core.audit.model import Mechanism
from cenotaph.dialects.compactions.finding import FINDERS, chronicle_of, may_hold
from cenotaph.dialects.compactions.moments import iso_of
from cenotaph.dialects.detect import DIALECTS, detect
from cenotaph.errors import DialectError, InputError

Record = dict[str, Any]
SHARED = Path(__file__).resolve().parents[3] / "shared"
OURS = ("gemini_cli", "openhands", "pi", "swe_agent", "mini_swe_agent", "generated", "openai_chat", "openai_responses")

PI: list[Record] = [
    {"type": "session", "id": "s", "timestamp": "t", "cwd": "/"},
    {"type": "message", "message": {"role": "user", "content": "a"}},
    {"type": "compaction", "summary": "S", "firstKeptEntryIndex": 1},
]
OPENHANDS: list[Record] = [
    {"id": 0, "source": "user", "action": "message", "args": {"content": "a"}},
    {"id": 1, "source": "agent", "action": "condensation", "args": {"forgotten_event_ids": [0]}},
]
CLINE: list[Record] = [{"ts": 1, "type": "say", "say": "task", "text": "a", "conversationHistoryDeletedRange": [2, 3]}]


def test_every_dialect_has_a_finder() -> None:
    assert set(DIALECTS) < set(FINDERS)


@pytest.mark.parametrize(
    ("value", "dialect", "mechanism"),
    [
        (PI, "pi", Mechanism.pi_compaction),
        (OPENHANDS, "openhands", Mechanism.openhands_condensation),
        (CLINE, "cline", Mechanism.cline_truncation),
    ],
)
def test_bytes_and_what_stands_in_them_are_read_alike(value: list[Record], dialect: str, mechanism: Mechanism) -> None:
    data = json.dumps(value).encode() if dialect == "cline" else json_lines(value)
    assert may_hold(data, dialect)
    for given in (value, data):
        for name in (None, dialect):
            assert [event.mechanism for event in lawful(chronicle_of(given, name)).events] == [mechanism]


@pytest.mark.parametrize(("value", "dialect"), [(PI[:2], "pi"), (OPENHANDS[:1], "openhands"), (CLINE[:0], "cline")])
def test_a_file_without_any_sign_holds_none(value: list[Record], dialect: str) -> None:
    assert not may_hold(json_lines(value), dialect)


def test_a_word_that_is_spelled_with_an_escape_is_seen() -> None:
    data = json_lines(PI).replace(b"compaction", b"c\\u006fmpaction")
    assert chronicle_of(data).events
    assert may_hold(data, "pi")


def test_a_trajectory_has_no_record_of_a_compaction_and_a_request_may_always_have_one() -> None:
    assert not may_hold(b'{"compaction": 1}', "swe-agent")
    assert may_hold(b"[]", "openai-chat")


def test_bytes_of_requests_are_read_too() -> None:
    request = {"model": "gpt-x", "messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]}
    longer = {**request, "messages": [request["messages"][1], {"role": "assistant", "content": "c"}]}
    assert lawful(chronicle_of(json.dumps(request).encode())).dialect == "openai-chat"
    assert len(chronicle_of(json_lines([request, longer])).events) == 1


@pytest.mark.parametrize("value", [{"no": "messages"}, [], 3, b"{}", [{"request": {"messages": [{"x": 1}]}}]])
def test_what_nobody_reads_is_refused(value: Any) -> None:
    with pytest.raises(InputError):
        chronicle_of(value)


def test_an_unknown_dialect_is_refused_by_name() -> None:
    for ask in (lambda: chronicle_of(PI, "nobody"), lambda: may_hold(b"", "nobody")):
        with pytest.raises(DialectError):
            ask()


@pytest.mark.parametrize(
    ("moment", "stamp"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ("2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
        *((odd, "") for odd in (None, True, -1, [], 10**18)),
    ],
)
def test_moments_are_written_as_time_stamps(moment: Any, stamp: str) -> None:
    assert iso_of(moment) == stamp


# Real sessions -----------------------------------------------------------------------------------


def real_files() -> Iterator[Path]:
    for folder in OURS:
        found = sorted((SHARED / "data" / folder).rglob("*")) if (SHARED / "data").is_dir() else []
        yield from (path for path in found if path.suffix in (".json", ".jsonl", ".traj"))


@pytest.mark.shared
def test_every_real_file_that_a_dialect_reads_has_a_lawful_history() -> None:
    found: dict[str, int] = {}
    read = 0
    for path in real_files():
        data = path.read_bytes()
        if not data:
            continue
        try:
            value: Any = data if path.suffix != ".json" else json.loads(data)
            history = lawful(chronicle_of(value))
        except (DialectError, InputError):
            with pytest.raises((DialectError, InputError)):
                detect(value).parse(value)
            continue
        read += 1
        if not may_hold(data, history.dialect):
            assert history.events == ()
        folder = path.relative_to(SHARED / "data").parts[0]
        found[folder] = found.get(folder, 0) + len(history.events)
    assert read > 60
    assert {folder: count for folder, count in found.items() if count} == {"pi": 2, "generated": 3}


@pytest.mark.shared
def test_every_recorded_compaction_is_found() -> None:
    yaml = pytest.importorskip("yaml")
    recordings = sorted((SHARED / "data").glob("*/pydantic+pydantic-ai/*compact*.yaml"))
    assert len(recordings) == 4
    for path in recordings:
        history = lawful(chronicle_of(yaml.safe_load(path.read_bytes())))
        (event,) = history.events
        assert event.complete
        assert event.removed
        assert event.tokens_before
        assert event.opaque is (history.wire == "openai-responses")
