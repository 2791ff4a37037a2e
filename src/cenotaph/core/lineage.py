"""Where a session comes from: the sessions that it was forked from, and their records up to the fork.

Records are read a few at a time: a session of thousands of turns has hundreds of them, and who asks for
one name needs none of them as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from cenotaph.core.ids import JSON
from cenotaph.errors import StoreDamaged
from cenotaph.limits import records_per_read_max

__all__ = ["Ancestor", "RecordSource", "ancestors", "known_records", "records_of"]


class RecordSource(Protocol):
    """What a line needs of a store; see `cenotaph.store.base`."""

    def records(self, session: str, *, start: int = 0, count: int | None = None) -> list[dict[str, JSON]]: ...


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A session from which another was forked.

    Attributes:
        session: Its name.
        forked_at: Id of the last of its records that the other one knows; None if it knows none.
        child: The other one.
    """

    session: str
    forked_at: str | None
    child: str


def records_of(source: RecordSource, session: str) -> Iterator[dict[str, JSON]]:
    """Every record of a session, oldest first, read a few at a time."""
    start = 0
    while records := source.records(session, start=start, count=records_per_read_max):
        yield from records
        start += len(records)


def ancestors(source: RecordSource, session: str) -> Iterator[Ancestor]:
    """The sessions that one was forked from, nearest first; the first record of a fork names its parent."""
    seen = {session}
    while records := source.records(session, count=1):
        parent = records[0].get("parent")
        if not isinstance(parent, Mapping) or parent.get("session") in seen:
            return
        name, forked_at = str(parent.get("session")), parent.get("record_id")
        yield Ancestor(name, forked_at if isinstance(forked_at, str) else None, session)
        seen.add(name)
        session = name


def known_records(source: RecordSource, ancestor: Ancestor) -> Iterator[dict[str, JSON]]:
    """The records of an ancestor that were there when it was forked, oldest first.

    Raises:
        StoreDamaged: The last of them is not there.
    """
    if ancestor.forked_at is None:
        return
    for record in records_of(source, ancestor.session):
        yield record
        if record.get("record_id") == ancestor.forked_at:
            return
    raise StoreDamaged(
        f"session {ancestor.child!r} was forked off session {ancestor.session!r} at record {ancestor.forked_at}, "
        "which is not there.",
        next_step="Run cenotaph verify.",
        session=ancestor.session,
        record_id=ancestor.forked_at,
    )
