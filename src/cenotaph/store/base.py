"""The store's contract. Every backend runs the same conformance suite against it.

Append-only but for `erase`: objects (original bytes, content-addressed inside their session), span rows that say
what an object was, handle rows that say by which names it can be asked for, and records. Write
order is the caller's duty and the driver's invariant: objects and span rows are durable before
handle rows, those before the record, and only then does anybody see a view.

Four laws hold for every method of every backend:

- A call that writes is all or nothing: when it raises, the store is as it was and stays usable.
- A call that writes is durable when it returns, and doing it again changes nothing.
- A session sees its own content only. One that was never written to is empty, not an error.
- A store may be used from several threads; a call of one thread is never seen half done by another.

`cenotaph.testing.store_contract.StoreContract` states them as tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.ids import JSON


class Store(Protocol):
    """Where originals live.

    Attributes:
        url: How to open it again: `sqlite:////absolute/path.db` or `memory://name`.
    """

    url: str

    def key(self) -> bytes:
        """The store's secret, 32 bytes, made once; handles and fingerprints are keyed with it."""

    def put_spans(self, session: str, objects: Mapping[str, bytes], rows: Iterable[SpanRow]) -> None:
        """Objects by handle and rows about spans. Idempotent; durable on return.

        Rows are a set: the same row again is one row; a row of the same span id with other facts
        stands beside the first. An object that was pruned is held again; one that was erased is not
        taken back.

        Raises:
            StoreDamaged: An object of that handle exists with other bytes.
            StoreErased: An object of that handle was erased.
            StoreError: An object is larger than `span_bytes_max`, or a row names an object that the
                session does not hold.
            StoreUnavailable: Nothing of this call was written.
            StoreLocked: The same, because another process holds the store.
        """

    def put_handles(self, session: str, rows: Iterable[HandleRow]) -> None:
        """Names of spans that `put_spans` has already made durable. Idempotent; durable on return.

        Raises:
            StoreError: A row names a span that the session does not hold.
        """

    def put_record(self, session: str, record: Mapping[str, JSON]) -> None:
        """Appends a record; its `previous` must be the session's newest record id (None for the first).

        The newest record once more, unchanged to the byte, is no conflict and changes nothing.

        Raises:
            StoreConflict: Another record was appended meanwhile.
            StoreError: The record has no `record_id` or no `previous`.
        """

    def get(self, session: str, handle: str) -> bytes | None:
        """The object's bytes, checked against its digest; None if this session never had it.

        Raises:
            StorePruned: Its bytes were removed to save room.
            StoreErased: Its bytes were removed on purpose.
            StoreDamaged: The bytes don't match the digest that was kept with them, or can't be decoded.
            StoreVersionError: They are encoded in a way that this installation can't read.
        """

    def erase(self, session: str, handles: Iterable[str], *, reason: str) -> bool:
        """Removes the bytes of objects; their handles, digests, sizes, rows and names stay. Idempotent.

        What has a copy elsewhere keeps that copy: other objects, shells of span rows, handle rows and
        records are left as they are, and no store reaches backups or what a disk keeps by itself.

        Args:
            session: Whose objects.
            handles: Which; one that is erased already stays so.
            reason: "pruned" (to save room: `put_spans` may bring it back) or "erased" (for good).

        Returns:
            True: no copy of the bytes is left in the store's own files. False: no reader gets them any
            more, but they may still stand in a log, because another reader or the disk was in the way;
            the same call again clears it.

        Raises:
            StoreError: The session does not hold one of them; nothing was removed.
            ConfigurationError: There is no such reason.
        """

    def span_rows(
        self,
        session: str,
        *,
        handle: str | None = None,
        span_ids: Sequence[str] | None = None,
        turn: int | None = None,
    ) -> list[SpanRow]:
        """Rows of this session in order of position, equal positions in order of writing.

        Args:
            session: Whose rows.
            handle: Only rows of this store handle; None for any.
            span_ids: Only rows of these spans; None for any, an empty sequence for none.
            turn: Only rows of this turn; None for any. Of several conditions all must hold.
        """

    def find(self, session: str, value: str) -> list[HandleRow]:
        """Handle rows whose value is exactly this, in order of writing."""

    def handle_values(self, session: str) -> list[str]:
        """All distinct handle values of the session in order of first writing, for hints."""

    def records(self, session: str, *, start: int = 0, count: int | None = None) -> list[dict[str, JSON]]:
        """Records of the session, oldest first, unknown fields kept.

        Args:
            session: Whose records.
            start: How many of the oldest are passed over.
            count: At most so many; None for all that are left.
        """

    def sessions(self) -> list[str]:
        """Names of all sessions that anything was written for, oldest first."""

    def objects(self, session: str) -> Iterable[str]:
        """Handles of all objects of the session, in order of writing; safe to write while iterating."""

    def close(self) -> None:
        """Releases the store; calling it twice is fine, any other call after it is `StoreUnavailable`."""
