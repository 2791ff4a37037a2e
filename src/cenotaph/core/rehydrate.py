"""Rehydrate: by handle, never by prose; what no handle resolves is a gap, which is reported.

Nothing here opens a native source: what comes back is the store's copy, as it was seen.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cenotaph.core.apply import put_together
from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.facts import normal_handle
from cenotaph.core.handles import extract, redacted
from cenotaph.core.ids import HANDLE_PREFIX, JSON, from_json, verbatim_json
from cenotaph.core.model import Provenance
from cenotaph.core.tombstone import Tombstone
from cenotaph.errors import IrreversibleCompactionError, StoreDamaged
from cenotaph.limits import hints_max

__all__ = ["Rehydrated", "SpanSource", "resolve", "resolve_messages"]


class SpanSource(Protocol):
    """What rehydration needs of a store."""

    def key(self) -> bytes: ...
    def get(self, session: str, handle: str) -> bytes | None: ...
    def span_rows(
        self, session: str, *, handle: str | None = None, span_ids: Sequence[str] | None = None
    ) -> list[SpanRow]: ...
    def find(self, session: str, value: str) -> list[HandleRow]: ...
    def handle_values(self, session: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Rehydrated:
    """One original, as it was seen.

    Attributes:
        span_id: The span.
        text: What the model read of it.
        block: The JSON block as it stood; for a part of a text, that part.
        turn: The turn in which it stood.
        provenance: Who wrote it.
        liveness: State of its native handle when it was recorded: live, dead, unknown, or
            "none" if it has none.
    """

    span_id: str
    text: str
    block: JSON
    turn: int
    provenance: str
    liveness: str


def _text_of(content: JSON) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [item.get("text", "") for item in content if isinstance(item, Mapping) and item.get("type") == "text"]
        if texts:
            return "\n".join(texts)
    if isinstance(content, Mapping):
        for key in ("text", "thinking"):
            if isinstance(content.get(key), str):
                return str(content[key])
    return verbatim_json(content).decode("utf-8")


def _block_of(row: SpanRow, content: JSON, handle: str, data: bytes) -> JSON:
    slot = from_json(row.slot.encode())
    if not slot:
        return content
    return put_together(["m", from_json(row.shell.encode()), [[slot, handle]]], (), {handle: data})


def resolve(what: str, source: SpanSource, session: str) -> list[Rehydrated]:
    """The originals behind a store handle, a native handle, a tombstone, or the handles of a text.

    Args:
        what: One of them.
        source: The store.
        session: Handles resolve only inside their session.

    Returns:
        Verbatim originals, newest first, each once; a call before its own results.

    Raises:
        IrreversibleCompactionError: Nothing is found; carries the nearest known handles.
        StoreDamaged: A span is known but its bytes are not there, or are others.
    """
    rows: dict[str, SpanRow] = {}
    tombstones = Tombstone.find(what)
    for tombstone in tombstones:
        rows.update(_behind(tombstone, source, session))
    for candidate in () if tombstones else _candidates(what):
        for row in _rows_for(candidate, source, session):
            rows[row.span_id] = row
        if rows and candidate == what:
            break
    originals = [row for row in rows.values() if row.provenance != Provenance.compactor.value]
    if not originals:
        raise _gap(what, source, session)
    newest = sorted(originals, key=lambda row: (-row.turn, -row.exchange, _within(row)))
    return [_rehydrated(row, source, session) for row in newest]


def _within(row: SpanRow) -> int:
    """Newest first; inside one exchange the call before its result: an acknowledgement says little."""
    return row.position if row.exchange else -row.position


def _candidates(what: str) -> Iterable[str]:
    """What to ask for, in order: the words as they stand, then each handle in them."""
    yield what
    stripped = what.strip()
    if stripped != what:
        yield stripped
    for found in extract(what):
        yield found.value
        yield (found.value.rsplit(":", 1)[0] if found.kind == "path" and ":" in found.value[2:] else found.value)
    for word in what.split():
        if word.startswith(HANDLE_PREFIX):
            yield word.strip(".,;()[]")


def _rows_for(candidate: str, source: SpanSource, session: str) -> list[SpanRow]:
    if candidate.startswith(HANDLE_PREFIX):
        return source.span_rows(session, handle=candidate)
    if not candidate:
        return []
    names = dict.fromkeys(
        [candidate, normal_handle(candidate), f"file:{candidate}", normal_handle(f"file:{candidate}")]
    )
    found: dict[str, None] = {}
    for name in names:
        for row in source.find(session, redacted(name, source.key())):
            found[row.span_id] = None
    return source.span_rows(session, span_ids=list(found)) if found else []


def _behind(tombstone: Tombstone, source: SpanSource, session: str) -> dict[str, SpanRow]:
    """What a tombstone stands for: all spans of an exchange that left whole, else what its handles name.

    Where it names a store's handle only that is asked for: another version under the native one is not
    what stood here.
    """
    named = [row.span_id for row in source.find(session, tombstone.render())]
    rows = {row.span_id: row for row in source.span_rows(session, span_ids=named)} if named else {}
    stored = [handle for handle in tombstone.recover if handle.startswith(HANDLE_PREFIX)]
    for handle in stored or tombstone.recover:
        if rows:
            break
        found = _rows_for(handle, source, session)
        here = [row for row in found if row.turn == tombstone.turn and tombstone.n in (None, row.exchange)]
        rows = {row.span_id: row for row in here or found}
    return rows


def _rehydrated(row: SpanRow, source: SpanSource, session: str) -> Rehydrated:
    data = source.get(session, row.handle)
    if data is None:
        raise StoreDamaged(
            f"the store knows span {row.span_id} of session {session!r} but has no bytes under {row.handle}.",
            next_step="Run cenotaph verify --read-data.",
            handle=row.handle,
        )
    content = from_json(data)
    return Rehydrated(
        span_id=row.span_id,
        text=_text_of(content),
        block=_block_of(row, content, row.handle, data),
        turn=row.turn,
        provenance=row.provenance,
        liveness=row.state,
    )


def _gap(what: str, source: SpanSource, session: str) -> IrreversibleCompactionError:
    known = source.handle_values(session)
    near = difflib.get_close_matches(what, known, n=hints_max, cutoff=0.5) if len(known) < 50_000 else []
    tail = what.rstrip("/").rsplit("/", 1)[-1]
    near += [value for value in known if tail and tail in value and value not in near][: hints_max - len(near)]
    hints = f" Nearest known handles: {', '.join(near)}." if near else ""
    return IrreversibleCompactionError(
        f"no handle-resolvable span for {what[:200]!r} in session {session!r}: "
        f"report the gap, do not reconstruct.{hints}",
        hints=near,
        what=what,
        session=session,
    )


def resolve_messages(manifest: JSON, source: SpanSource, session: str) -> list[JSON]:
    """The original messages behind a record's `source_ref`.

    Raises:
        StoreDamaged: A content is missing.
    """
    steps = manifest["source"]
    wanted = {h for step in steps for _, s in step[2] for h in (s if isinstance(s, list) else [s])}
    contents: dict[str, bytes] = {}
    for handle in wanted:
        data = source.get(session, handle)
        if data is None:
            raise StoreDamaged(f"the bytes under {handle} are missing in session {session!r}", handle=handle)
        contents[handle] = data
    return [put_together(step, (), contents) for step in steps]
