"""Effects as values: what the pure core asks a driver to do, in the order in which it must happen.

The core yields these; a driver in `runtime` carries each out and resumes. When one fails the
generator is closed and nothing after it happens: that is the write order of the record's warrant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cenotaph.core.ids import JSON
from cenotaph.core.surrogate import Reply, SummaryRequest
from cenotaph.errors import SummarizerError


@dataclass(frozen=True, slots=True)
class SpanRow:
    """What a stored object was.

    Attributes:
        span_id: The span's name in plans and records.
        handle: Store handle of the object that holds the content (verbatim JSON of a value).
        position: Order in the transcript; later is newer.
        message: Index of the message at the time, -1 for system text outside the messages.
        turn: Turn number.
        exchange: The exchange's number in its turn, 0 if it belongs to none.
        kind: A `Kind` value.
        provenance: A `Provenance` value.
        tool: Tool name, None for spans of no tool.
        shell: Verbatim JSON of the block with its content taken out (null in its place).
        slot: JSON list: path inside the block where the content goes; `[]` if the content is the block.
        state: Of its native handle when it was stored: live, dead, unknown; "none" if it has none.
    """

    span_id: str
    handle: str
    position: int
    message: int
    turn: int
    exchange: int
    kind: str
    provenance: str
    tool: str | None
    shell: str
    slot: str
    state: str = "none"


@dataclass(frozen=True, slots=True)
class HandleRow:
    """A name by which a span can be asked for.

    Attributes:
        value: The handle verbatim, e.g. `file:src/app.py`, `src/app.py`, `https://...`.
        kind: `native`, `path`, `url`, ...
        span_id: The span that carries it.
        state: Liveness of a native handle when it was written: `live`, `dead`, `unknown`, or "".
    """

    value: str
    kind: str
    span_id: str
    state: str = ""


@dataclass(frozen=True, slots=True)
class PutSpans:
    objects: Mapping[str, bytes]
    rows: tuple[SpanRow, ...]


@dataclass(frozen=True, slots=True)
class PutHandles:
    rows: tuple[HandleRow, ...]


@dataclass(frozen=True, slots=True)
class PutRecord:
    record: Mapping[str, JSON]


@dataclass(frozen=True, slots=True)
class Summarize:
    """Asks for a surrogate's text; the driver answers with a `Reply`, a `SummarizerError`, or None for nobody."""

    request: SummaryRequest


Effect = PutSpans | PutHandles | PutRecord | Summarize

Answer = Reply | SummarizerError | None
"""What a driver sends back: to `Summarize` the reply or why there is none, to everything else None."""
