"""The store in memory: the contract without durability, for tests and for runs that need no file.

A named one lives as long as the process; a nameless one as long as somebody holds it.
"""

from __future__ import annotations

import hashlib
import itertools
import secrets
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.ids import JSON
from cenotaph.store import refusals
from cenotaph.store.codec import (
    Codec,
    Encoded,
    RecordText,
    decode,
    decode_record,
    encode_record,
    removal,
    require_size,
)


@dataclass(slots=True)
class _Drawer:
    """What one session has written; the dictionaries with None values are ordered sets, rows have their number."""

    objects: dict[str, Encoded] = field(default_factory=dict)
    rows: dict[SpanRow, int] = field(default_factory=dict)
    by_span: dict[str, list[SpanRow]] = field(default_factory=dict)
    by_handle: dict[str, list[SpanRow]] = field(default_factory=dict)
    by_turn: dict[int, list[SpanRow]] = field(default_factory=dict)
    handles: dict[str, dict[HandleRow, None]] = field(default_factory=dict)
    records: list[RecordText] = field(default_factory=list)

    def add(self, row: SpanRow) -> None:
        """A row that is there already stays where it is."""
        if row in self.rows:
            return
        self.rows[row] = len(self.rows)
        self.by_span.setdefault(row.span_id, []).append(row)
        self.by_handle.setdefault(row.handle, []).append(row)
        self.by_turn.setdefault(row.turn, []).append(row)

    def among(self, handle: str | None, span_ids: Sequence[str] | None, turn: int | None) -> Iterable[SpanRow]:
        """The rows that meet one of the conditions, the one that the fewest rows can be expected to meet."""
        if handle is not None:
            return self.by_handle.get(handle, ())
        if span_ids is not None:
            return [row for span_id in dict.fromkeys(span_ids) for row in self.by_span.get(span_id, ())]
        return self.rows if turn is None else self.by_turn.get(turn, ())


@dataclass(slots=True, weakref_slot=True)
class _Cabinet:
    """The content behind all `MemoryStore`s of one name."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    drawers: dict[str, _Drawer] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)


_named: dict[str, _Cabinet] = {}
_nameless: weakref.WeakValueDictionary[str, _Cabinet] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)
_registry_lock = threading.Lock()


def _cabinet(name: str) -> tuple[str, _Cabinet]:
    with _registry_lock:
        if not name:
            name = f"~{next(_numbers)}"
            cabinet = _nameless[name] = _Cabinet()
            return name, cabinet
        kept = _nameless.get(name) or _named.get(name)
        if kept is None:
            kept = _named[name] = _Cabinet()
        return name, kept


class MemoryStore:
    """Keeps the contract for as long as the process lives; one lock serialises its threads.

    Attributes:
        url: `memory://name`; a nameless store gets a name of its own, good while it is held.
    """

    def __init__(self, name: str = "") -> None:
        """Opens the store of that name.

        Args:
            name: Shared by all stores of the process with the same one; "" for a fresh store.
        """
        name, cabinet = _cabinet(name)
        self.url = f"memory://{name}"
        self._open: _Cabinet | None = cabinet

    @contextmanager
    def _held(self) -> Iterator[_Cabinet]:
        cabinet = self._open
        if cabinet is None:
            raise refusals.closed(self.url)
        with cabinet.lock:
            yield cabinet

    def key(self) -> bytes:
        with self._held() as cabinet:
            return cabinet.key

    def put_spans(self, session: str, objects: Mapping[str, bytes], rows: Iterable[SpanRow]) -> None:
        wanted = list(rows)
        fresh: dict[str, Encoded] = {}
        erased: list[str] = []
        with self._held() as cabinet:
            known = cabinet.drawers.get(session, _Drawer())
            for handle, data in objects.items():
                require_size(handle, data)
                digest = hashlib.sha256(data).digest()
                kept = known.objects.get(handle)
                if kept is not None and kept.digest != digest:
                    raise refusals.other_bytes(session, handle)
                if kept is None or kept.codec == Codec.pruned:
                    fresh[handle] = Encoded(Codec.raw, len(data), digest, bytes(data))
                elif kept.codec == Codec.erased:
                    erased.append(handle)
            if erased:
                raise refusals.erased(session, erased)
            missing = {row.handle for row in wanted} - fresh.keys() - known.objects.keys()
            if missing:
                raise refusals.missing_objects(session, missing)
            if not objects and not wanted:
                return
            drawer = cabinet.drawers.setdefault(session, known)
            drawer.objects.update(fresh)
            for row in wanted:
                drawer.add(row)

    def put_handles(self, session: str, rows: Iterable[HandleRow]) -> None:
        wanted = list(rows)
        with self._held() as cabinet:
            drawer = cabinet.drawers.get(session, _Drawer())
            missing = {row.span_id for row in wanted} - drawer.by_span.keys()
            if missing:
                raise refusals.missing_spans(session, missing)
            for row in wanted:
                drawer.handles.setdefault(row.value, {})[row] = None

    def put_record(self, session: str, record: Mapping[str, JSON]) -> None:
        text = encode_record(record)
        with self._held() as cabinet:
            known = cabinet.drawers.get(session, _Drawer())
            newest = known.records[-1] if known.records else None
            newest_id, newest_body = (newest.record_id, newest.body) if newest else (None, None)
            if not refusals.is_repeat(session, text, newest_id, newest_body):
                cabinet.drawers.setdefault(session, known).records.append(text)

    def get(self, session: str, handle: str) -> bytes | None:
        with self._held() as cabinet:
            drawer = cabinet.drawers.get(session)
            encoded = drawer.objects.get(handle) if drawer else None
        return None if encoded is None else decode(handle, encoded)

    def erase(self, session: str, handles: Iterable[str], *, reason: str) -> bool:
        codec, wanted = removal(reason), set(handles)
        with self._held() as cabinet:
            objects = cabinet.drawers.get(session, _Drawer()).objects
            missing = wanted - objects.keys()
            if missing:
                raise refusals.nothing_to_erase(session, missing)
            for handle in wanted:
                if objects[handle].codec != Codec.erased:
                    objects[handle] = replace(objects[handle], codec=codec, body=b"")
        return True

    def span_rows(
        self,
        session: str,
        *,
        handle: str | None = None,
        span_ids: Sequence[str] | None = None,
        turn: int | None = None,
    ) -> list[SpanRow]:
        wanted = None if span_ids is None else frozenset(span_ids)
        with self._held() as cabinet:
            drawer = cabinet.drawers.get(session, _Drawer())
            found = [
                row
                for row in drawer.among(handle, span_ids, turn)
                if (handle is None or row.handle == handle)
                and (turn is None or row.turn == turn)
                and (wanted is None or row.span_id in wanted)
            ]
            return sorted(found, key=lambda row: (row.position, drawer.rows[row]))

    def find(self, session: str, value: str) -> list[HandleRow]:
        with self._held() as cabinet:
            return list(cabinet.drawers.get(session, _Drawer()).handles.get(value, ()))

    def handle_values(self, session: str) -> list[str]:
        with self._held() as cabinet:
            return list(cabinet.drawers.get(session, _Drawer()).handles)

    def records(self, session: str, *, start: int = 0, count: int | None = None) -> list[dict[str, JSON]]:
        with self._held() as cabinet:
            texts = cabinet.drawers.get(session, _Drawer()).records[start:]
        texts = texts if count is None else texts[:count]
        return [decode_record(session, text.body) for text in texts]

    def sessions(self) -> list[str]:
        with self._held() as cabinet:
            return list(cabinet.drawers)

    def objects(self, session: str) -> list[str]:
        with self._held() as cabinet:
            return list(cabinet.drawers.get(session, _Drawer()).objects)

    def close(self) -> None:
        self._open = None
