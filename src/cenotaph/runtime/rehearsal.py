"""A store for a rehearsal: reads come from the real one, and no write ever arrives anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.ids import JSON
from cenotaph.store.base import Store

__all__ = ["Rehearsal"]


class Rehearsal:
    """What would be written is taken and forgotten; key and records are those of the real store.

    Attributes:
        url: Of the store that the real run would write to.
    """

    def __init__(self, base: Store, url: str) -> None:
        """Args: `base`: what is read; `url`: what the store is called, also if it does not exist yet."""
        self._base = base
        self.url = url

    def key(self) -> bytes:
        return self._base.key()

    def put_spans(self, session: str, objects: Mapping[str, bytes], rows: Iterable[SpanRow]) -> None:
        """Writes nothing."""

    def put_handles(self, session: str, rows: Iterable[HandleRow]) -> None:
        """Writes nothing."""

    def put_record(self, session: str, record: Mapping[str, JSON]) -> None:
        """Writes nothing."""

    def erase(self, session: str, handles: Iterable[str], *, reason: str) -> bool:
        """Erases nothing."""
        return True

    def get(self, session: str, handle: str) -> bytes | None:
        return self._base.get(session, handle)

    def span_rows(
        self,
        session: str,
        *,
        handle: str | None = None,
        span_ids: Sequence[str] | None = None,
        turn: int | None = None,
    ) -> list[SpanRow]:
        return self._base.span_rows(session, handle=handle, span_ids=span_ids, turn=turn)

    def find(self, session: str, value: str) -> list[HandleRow]:
        return self._base.find(session, value)

    def handle_values(self, session: str) -> list[str]:
        return self._base.handle_values(session)

    def records(self, session: str, *, start: int = 0, count: int | None = None) -> list[dict[str, JSON]]:
        return self._base.records(session, start=start, count=count)

    def sessions(self) -> list[str]:
        return self._base.sessions()

    def objects(self, session: str) -> Iterable[str]:
        return self._base.objects(session)

    def close(self) -> None:
        self._base.close()
