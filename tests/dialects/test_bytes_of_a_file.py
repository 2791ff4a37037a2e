"""The bytes of a file are read as the command line reads that file, whatever the format."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_detect_all import SAMPLES

from cenotaph import compact
from cenotaph.api.places import read_source
from cenotaph.api.reading import parsed
from cenotaph.core.model import Transcript
from cenotaph.errors import InputError

HEADER = {"sessionId": "s1", "projectHash": "p", "startTime": "2026-01-01T00:00:00Z", "kind": "main"}
GEMINI_LOG = [
    HEADER,
    {"id": "u1", "timestamp": "2026-01-01T00:00:01Z", "type": "user", "content": [{"text": "Go."}]},
    {"$set": {"lastUpdated": "2026-01-01T00:00:02Z"}},
    {"id": "a1", "timestamp": "2026-01-01T00:00:03Z", "type": "gemini", "content": "Done."},
    {"$set": {"lastUpdated": "2026-01-01T00:00:04Z"}},
]


def in_lines(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


FILES: dict[str, bytes] = {
    **{name: v if isinstance(v, bytes) else json.dumps(v, indent=1).encode() for name, (_, v) in SAMPLES.items()},
    **{f"{name}, in lines": in_lines(v) for name, (_, v) in SAMPLES.items() if isinstance(v, list) and v},
    "a Gemini CLI log with updates": in_lines(GEMINI_LOG),
    "a log with a torn line": in_lines(GEMINI_LOG) + b'{"id": "a2", "type": "gemi',
}


def of_file(path: Path) -> Transcript | None:
    """What the command line understands of a file; None where it refuses it."""
    try:
        source = read_source(str(path))
        transcript = parsed(source.value, None, "last")
    except InputError:
        return None
    return replace(transcript, defects=(*source.defects, *transcript.defects))


def of_bytes(data: bytes) -> Transcript | None:
    try:
        return parsed(data, None, "last")
    except InputError:
        return None


@pytest.mark.parametrize("name", FILES)
def test_bytes_are_understood_or_refused_as_the_file_that_holds_them(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(FILES[name])
    read = of_file(path)
    assert of_bytes(FILES[name]) == read
    assert read is not None or name in ("chat: an empty list", "gemini: a content without a role, in lines")


def test_a_log_with_updates_and_a_torn_line_is_compacted_and_says_so() -> None:
    done = compact(FILES["a log with a torn line"], to_tokens=1 << 30)
    assert [message["role"] for message in done.messages] == ["user", "model"]
    assert any("torn-line" in warning for warning in done.warnings)


@pytest.mark.parametrize("data", [b"", b"no JSON", b"[]", b"\xff\xfe"])
def test_bytes_that_hold_no_messages_are_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        compact(data, to_tokens=100)
