"""A store that fails where a test wants it to, to prove that write order and refusals hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.ids import JSON
from cenotaph.errors import StoreDamaged, StoreUnavailable
from cenotaph.store.base import Store


class When(StrEnum):
    """On which side of the write the failure lies."""

    before = "before"
    """The write did not happen: a full disk, a lost connection."""
    after = "after"
    """The write is durable, and the caller does not learn it: a connection lost on the way back."""


class FaultyStore:
    """Passes everything on to another store, except that chosen calls fail.

    Attributes:
        url: That of the store behind it.
        writes: Names of the `put_*` and `erase` calls so far, failed ones included, in order.
    """

    def __init__(
        self,
        behind: Store,
        *,
        fail_at: int | None = None,
        when: When = When.before,
        for_ever: bool = False,
        reads_fail: bool = False,
        damaged: Iterable[str] = (),
        error: Callable[[], Exception] = lambda: StoreUnavailable("This store was told to fail."),
    ) -> None:
        """Wraps `behind`.

        Args:
            behind: The store that does the work.
            fail_at: Number of the `put_*` call that fails, from 1; None for none.
            when: Whether that call fails before or after it has done its work.
            for_ever: Whether all later `put_*` calls fail before they begin.
            reads_fail: Whether every call that reads fails.
            damaged: Handles for which `get` raises `StoreDamaged`.
            error: Makes the error that a failing call raises.
        """
        self.url = behind.url
        self.writes: list[str] = []
        self._behind = behind
        self._fail_at = fail_at
        self._when = when
        self._for_ever = for_ever
        self._reads_fail = reads_fail
        self._damaged = frozenset(damaged)
        self._error = error

    def _write(self, name: str, write: Callable[[], None]) -> None:
        self.writes.append(name)
        number = len(self.writes)
        chosen = number == self._fail_at
        past = self._for_ever and self._fail_at is not None and number > self._fail_at
        if past or (chosen and self._when is When.before):
            raise self._error()
        write()
        if chosen:
            raise self._error()

    def _read(self) -> Store:
        if self._reads_fail:
            raise self._error()
        return self._behind

    def put_spans(self, session: str, objects: Mapping[str, bytes], rows: Iterable[SpanRow]) -> None:
        self._write("put_spans", lambda: self._behind.put_spans(session, objects, rows))

    def put_handles(self, session: str, rows: Iterable[HandleRow]) -> None:
        self._write("put_handles", lambda: self._behind.put_handles(session, rows))

    def put_record(self, session: str, record: Mapping[str, JSON]) -> None:
        self._write("put_record", lambda: self._behind.put_record(session, record))

    def erase(self, session: str, handles: Iterable[str], *, reason: str) -> bool:
        done: list[bool] = []
        self._write("erase", lambda: done.append(self._behind.erase(session, handles, reason=reason)))
        return done[0]

    def key(self) -> bytes:
        return self._read().key()

    def get(self, session: str, handle: str) -> bytes | None:
        behind = self._read()
        if handle in self._damaged:
            raise StoreDamaged(f"Object {handle} was told to be damaged.", handle=handle)
        return behind.get(session, handle)

    def span_rows(
        self,
        session: str,
        *,
        handle: str | None = None,
        span_ids: Sequence[str] | None = None,
        turn: int | None = None,
    ) -> list[SpanRow]:
        return self._read().span_rows(session, handle=handle, span_ids=span_ids, turn=turn)

    def find(self, session: str, value: str) -> list[HandleRow]:
        return self._read().find(session, value)

    def handle_values(self, session: str) -> list[str]:
        return self._read().handle_values(session)

    def records(self, session: str, *, start: int = 0, count: int | None = None) -> list[dict[str, JSON]]:
        return self._read().records(session, start=start, count=count)

    def sessions(self) -> list[str]:
        return self._read().sessions()

    def objects(self, session: str) -> Iterable[str]:
        return self._read().objects(session)

    def close(self) -> None:
        self._behind.close()
