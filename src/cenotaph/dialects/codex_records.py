"""Records of a Codex session, reduced to what its view is made from.

A session is a rollout: JSON Lines of `{timestamp, type, payload}`, newer ones with an `ordinal`. Before
about version 0.40 the first line is the bare metadata and every other line a bare item. The order of
the file counts; neither timestamps nor ordinals are trusted for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect
from cenotaph.dialects import jsonl
from cenotaph.dialects.content import string_of
from cenotaph.dialects.openai_responses_items import KNOWN_TYPES, kind_of
from cenotaph.errors import DialectError, InputError

__all__ = ["COMPACTED", "ITEM", "Record", "looks_like_session", "read_records", "refuse_packed"]

Report = Callable[[Defect], None]

ITEM: Final = "response_item"
COMPACTED: Final = "compacted"

KNOWN_RECORDS: Final = frozenset(
    {
        COMPACTED,
        "event_msg",
        "inter_agent_communication_metadata",
        ITEM,
        "session_meta",
        "turn_context",
        "world_state",
    }
)
"""Record types that a client was seen to write; any other is kept, not shown, and reported."""

_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_LOOKED_AT_MAX: Final = 2_000
_BARE_META: Final = frozenset({"id", "timestamp"})
_BARE_META_SIGNS: Final = frozenset({"instructions", "git"})


@dataclass(frozen=True, slots=True)
class Record:
    """One record.

    Attributes:
        line: Line in the file, from 1; the place in the list, from 1, where there is no file.
        type: The record's type; that of a wrapped item for a bare one.
        payload: Its payload; never changed.
        timestamp: As written; "" if it has none.
    """

    line: int
    type: str
    payload: Mapping[str, JSON]
    timestamp: str = ""

    @property
    def kind(self) -> str:
        """The payload's own type: which event, which item."""
        kind = self.payload.get("type")
        return kind if isinstance(kind, str) else ""

    @property
    def where(self) -> str:
        return f"line {self.line}"


def refuse_packed(data: bytes) -> None:
    """Says how to unpack a rollout that the client has packed (`.jsonl.zst`, of sessions long not used).

    Raises:
        InputError: The data is a Zstandard frame.
    """
    if data.startswith(_ZSTD_MAGIC):
        raise InputError(
            "The input is packed with Zstandard; JSON Lines were expected.",
            next_step="Unpack it first: zstd -d rollout.jsonl.zst -o rollout.jsonl.",
            found="zstd",
        )


def read_records(value: JSON, report: Report, *, loads: jsonl.Loads | None = None) -> list[Record]:
    """All records of a rollout in file order.

    Args:
        value: File content as bytes, or a list of decoded records. Never changed.
        report: Takes what was odd and survived.
        loads: A faster decoder for the lines of a file; what is accepted and read stays the same.

    Raises:
        InputError: Nothing readable; packed; see `jsonl.read_values`.
        DialectError: The value is of another shape.
    """
    records: list[Record] = []
    unknown: dict[str, list[int]] = {}
    for line, item in _values(value, report, loads):
        record = _record(item, line)
        if record is None:
            report(Defect("not-a-record", f"line {line}", "neither a record nor an item; kept, not shown"))
            continue
        if record.type not in KNOWN_RECORDS:
            unknown.setdefault(record.type, []).append(line)
        records.append(record)
    for kind, lines in unknown.items():
        note = f"{len(lines)} record(s) of type {kind!r}; kept, not shown"
        report(Defect("unknown-record", f"line {lines[0]}", note))
    return records


def _values(value: JSON, report: Report, loads: jsonl.Loads | None = None) -> Iterator[tuple[int, JSON]]:
    if isinstance(value, bytes | bytearray):
        refuse_packed(bytes(value[: len(_ZSTD_MAGIC)]))
        yield from jsonl.read_values(bytes(value), report, loads=loads)
        return
    if not isinstance(value, list):
        raise DialectError(
            f"A {type(value).__name__} is no Codex session; bytes or a list of records was expected.",
            expected="codex",
        )
    for line, item in enumerate(value, 1):
        if isinstance(item, dict):
            jsonl.check_depth(item, f"record {line}")
        yield line, item


def _record(item: JSON, line: int) -> Record | None:
    if not isinstance(item, dict):
        return None
    kind, payload = item.get("type"), item.get("payload")
    if isinstance(kind, str) and isinstance(payload, dict):
        return Record(line, kind, payload, string_of(item.get("timestamp")) or "")
    if _is_bare_meta(item):
        return Record(line, "session_meta", item)
    if "record_type" in item:  # a bare rollout's own notes on the state of the client
        return Record(line, "world_state", item)
    return Record(line, ITEM, item) if kind_of(item) else None


def _is_bare_meta(item: Mapping[str, JSON]) -> bool:
    return item.keys() >= _BARE_META and bool(item.keys() & _BARE_META_SIGNS) and not kind_of(item)


# Recognising ---------------------------------------------------------------------------------


def looks_like_session(value: JSON) -> bool:
    """The value is shaped like a rollout; decided by its records, never by a name."""
    if isinstance(value, bytes | bytearray) and value[: len(_ZSTD_MAGIC)] == _ZSTD_MAGIC:
        return False
    if not isinstance(value, list | bytes | bytearray):
        return False
    try:
        return _looks_like(_values(value, _unheard))
    except InputError:
        # Not a refusal: a predicate only says whether this dialect reads it; `parse` names the line.
        return False


def _looks_like(values: Iterable[tuple[int, JSON]]) -> bool:
    """A wrapped record of this client, or the bare metadata and then nothing but bare items."""
    bare = False
    for seen, (_, item) in enumerate(values):
        if seen >= _LOOKED_AT_MAX:
            break
        if not isinstance(item, dict):
            return False
        if _is_wrapped(item):
            return True
        if seen == 0:
            bare = _is_bare_meta(item)
        if not bare:
            return False
        if seen and "record_type" not in item and kind_of(item) not in KNOWN_TYPES:
            return False
    return bare


def _is_wrapped(item: Mapping[str, JSON]) -> bool:
    """A record by its type and what its payload must hold."""
    payload = item.get("payload")
    kind = string_of(item.get("type"))
    if not isinstance(payload, dict) or kind not in KNOWN_RECORDS:
        return False
    wanted = {
        ITEM: bool(kind_of(payload)),
        "event_msg": isinstance(payload.get("type"), str),
        "session_meta": "id" in payload,
        "turn_context": "model" in payload or "cwd" in payload,
        COMPACTED: "message" in payload or "replacement_history" in payload,
        "world_state": "state" in payload,
    }
    return wanted.get(kind, False)


def _unheard(_: Defect) -> None:
    """A predicate reports nothing."""
