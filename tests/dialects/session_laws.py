"""What holds for every session dialect, whatever it is given."""

from __future__ import annotations

import copy
import json
from typing import Any, Protocol

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Part, Transcript
from cenotaph.core.spans import value_at
from cenotaph.errors import DialectError, InputError


class Session(Protocol):
    name: str

    def recognise(self, value: JSON) -> bool: ...

    def parse(self, value: JSON) -> Transcript: ...

    def emit(self, transcript: Transcript) -> JSON: ...


def read(dialect: Session, value: JSON, **how: Any) -> Transcript:
    """The transcript, with the laws of every dialect checked on the way."""
    before = copy.deepcopy(value)
    transcript = dialect.parse(value, **how)
    assert dialect.emit(transcript) is value
    assert value == before
    assert transcript.dialect == dialect.name
    for message in transcript.messages:
        for part in message.parts:
            value_at(message.raw, part.block)
            held = value_at(message.raw, part.path)
            assert part.kind is not Kind.text or held == part.text
    return transcript


def survives(dialect: Session, value: JSON) -> Transcript | None:
    """The transcript; None where the dialect refuses by name that there is nothing in it."""
    try:
        return read(dialect, value)
    except (InputError, DialectError):
        return None


def outline(transcript: Transcript) -> list[str]:
    """One line per part: who, what, and the words."""
    return [line(part) for message in transcript.messages for part in message.parts]


def line(part: Part) -> str:
    failed = " failed" if part.failed else ""
    named = f" {part.tool}" if part.kind is Kind.call else ""
    return f"{part.provenance} {part.kind}{named}{failed}: {part.text}"


def marks(transcript: Transcript) -> list[list[str]]:
    return [sorted(part.marks) for message in transcript.messages for part in message.parts]


def codes(transcript: Transcript) -> list[str]:
    return [defect.code for defect in transcript.defects]


def lines(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
