"""A store written by hand, for tests of the way back: spans, names and manifests without any compaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from cenotaph.core.asking import aliases
from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.handles import redacted
from cenotaph.core.ids import store_handle, verbatim_json
from cenotaph.core.manifest import Manifest
from cenotaph.core.record import record_id_of
from cenotaph.core.rehydrate import Rehydrated, resolve
from cenotaph.store.base import Store


@dataclass
class Shelf:
    """One session of a store; each `put` is newer than the one before.

    Attributes:
        store: Where it lies.
        session: Its name.
        handles: Store handle by span id.
    """

    store: Store
    session: str = "s"
    handles: dict[str, str] = field(default_factory=dict)

    def put(
        self,
        span_id: str,
        content: Any,
        *names: str,
        turn: int = 1,
        exchange: int = 1,
        native: str | None = None,
        **facts: Any,
    ) -> str:
        """Stores a span with the names that stand in it and the handle of its own; returns its store handle."""
        data = verbatim_json(content)
        handle = store_handle(self.store.key(), self.session, data)
        shown: dict[str, Any] = {"kind": "result", "provenance": "tool", "tool": "read", "shell": "null", "slot": "[]"}
        position = facts.pop("position", len(self.handles))
        row = SpanRow(
            span_id, handle, position, message=position, turn=turn, exchange=exchange, **{**shown, **facts}
        )
        self.store.put_spans(self.session, {handle: data}, [row])
        self.name(span_id, *names)
        if native is not None:
            self.name(span_id, native, kind="native", state=row.state)
        self.handles[span_id] = handle
        return handle

    def name(self, span_id: str, *names: str, kind: str = "path", state: str = "", aliased: bool = True) -> None:
        """Names of a span, each with its aliases, redacted as a compaction does it."""
        key = self.store.key()
        rows = [HandleRow(redacted(name, key), kind, span_id, state) for name in names]
        for name in names if aliased else ():
            other = kind if kind == "native" else "alias"
            rows += [HandleRow(redacted(alias, key), other, span_id, state) for alias in aliases(kind, name)]
        self.store.put_handles(self.session, rows)

    def manifest(self, spans: Iterable[str] = (), folds: Iterable[str] = (), position: int = 10_000) -> str:
        made = Manifest(tuple(spans), tuple(folds), (1, 9))
        handle = store_handle(self.store.key(), self.session, made.encode())
        self.store.put_spans(self.session, {handle: made.encode()}, [made.row(handle, position=position)])
        return handle

    def record(self, **fields: Any) -> str:
        """Appends a record with these fields; returns its id."""
        known = self.store.records(self.session)
        previous = known[-1]["record_id"] if known else None
        body = {"schema_version": "1.0", "seq": len(known) + 1, "previous": previous, **fields}
        record_id = record_id_of(body)
        self.store.put_record(self.session, {**body, "record_id": record_id})
        return record_id

    def ask(self, what: str, **how: Any) -> list[Rehydrated]:
        return resolve(what, self.store, self.session, **how)

    def ids(self, what: str, **how: Any) -> list[str]:
        """Span ids in the order in which they come."""
        return [span.span_id for span in self.ask(what, **how)]
