"""The store's contract. Every backend runs the same conformance suite against it.

Append-only: objects (original bytes, content-addressed inside their session), span rows that say
what an object was, handle rows that say by which names it can be asked for, and records. Write
order is the caller's duty and the driver's invariant: objects and span rows are durable before
handle rows, those before the record, and only then does anybody see a view.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.ids import JSON


class Store(Protocol):
    """Where originals live.

    Attributes:
        url: How to open it again: `sqlite:///path` or `memory://name`.
    """

    url: str

    def key(self) -> bytes:
        """The store's secret, 32 bytes, made once; handles and fingerprints are keyed with it."""

    def put_spans(self, session: str, objects: Mapping[str, bytes], rows: Iterable[SpanRow]) -> None:
        """Objects by handle and rows about spans. Idempotent; durable on return.

        Raises:
            StoreDamaged: An object of that handle exists with other bytes.
            StoreUnavailable, StoreLocked: Nothing of this call was written.
        """

    def put_handles(self, session: str, rows: Iterable[HandleRow]) -> None:
        """Names of spans that `put_spans` has already made durable. Idempotent; durable on return."""

    def put_record(self, session: str, record: Mapping[str, JSON]) -> None:
        """Appends a record; its `previous` must be the session's newest record id (None for the first).

        Raises:
            StoreConflict: Another record was appended meanwhile.
        """

    def get(self, session: str, handle: str) -> bytes | None:
        """The object's bytes, checked against its digest; None if this session never had it.

        Raises:
            StoreDamaged: The bytes don't match the digest that was kept with them, or can't be decoded.
        """

    def span_rows(
        self, session: str, *, handle: str | None = None, span_ids: Sequence[str] | None = None
    ) -> list[SpanRow]:
        """Rows of this session in order of position; filtered by store handle or by span ids."""

    def find(self, session: str, value: str) -> list[HandleRow]:
        """Handle rows whose value is exactly this."""

    def handle_values(self, session: str) -> list[str]:
        """All distinct handle values of the session, for hints."""

    def records(self, session: str) -> list[dict[str, JSON]]:
        """All records of the session, oldest first, unknown fields kept."""

    def sessions(self) -> list[str]:
        """Names of all sessions, oldest first."""

    def objects(self, session: str) -> Iterable[str]:
        """Handles of all objects of the session."""

    def close(self) -> None:
        """Releases the store; calling it twice is fine."""
