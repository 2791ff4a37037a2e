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
    """What one session has written; the dictionaries with None values are ordered sets."""

    objects: dict[str, Encoded] = field(default_factory=dict)
    rows: dict[SpanRow, None] = field(default_factory=dict)
    span_ids: set[str] = field(default_factory=set)
    handles: dict[str, dict[HandleRow, None]] = field(default_factory=dict)
    records: list[RecordText] = field(default_factory=list)


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
            drawer.rows.update(dict.fromkeys(wanted))
            drawer.span_ids.update(row.span_id for row in wanted)

    def put_handles(self, session: str, rows: Iterable[HandleRow]) -> None:
        wanted = list(rows)
        with self._held() as cabinet:
            drawer = cabinet.drawers.get(session, _Drawer())
            missing = {row.span_id for row in wanted} - drawer.span_ids
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
                for row in drawer.rows
                if (handle is None or row.handle == handle)
                and (turn is None or row.turn == turn)
                and (wanted is None or row.span_id in wanted)
            ]
        return sorted(found, key=lambda row: row.position)

    def find(self, session: str, value: str) -> list[HandleRow]:
        with self._held() as cabinet:
            return list(cabinet.drawers.get(session, _Drawer()).handles.get(value, ()))

    def handle_values(self, session: str) -> list[str]:
        with self._held() as cabinet:
            return list(cabinet.drawers.get(session, _Drawer()).handles)

    def records(self, session: str) -> list[dict[str, JSON]]:
        with self._held() as cabinet:
            texts = list(cabinet.drawers.get(session, _Drawer()).records)
        return [decode_record(session, text.body) for text in texts]

    def sessions(self) -> list[str]:
        with self._held() as cabinet:
            return list(cabinet.drawers)

    def objects(self, session: str) -> list[str]:
        with self._held() as cabinet:
            return list(cabinet.drawers.get(session, _Drawer()).objects)

    def close(self) -> None:
        self._open = None
