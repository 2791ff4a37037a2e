"""What the records of a session promise: nothing that they name is a gap.

A question that finds nothing is compared with every record that the session can know of, its own and
those of its ancestors up to the fork. A record that names what is asked for, where the store has no row
of it, says that rows were lost: that is damage, and is told apart from what was never there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from cenotaph.core.asking import PATH_SCHEMES, Question, spellings
from cenotaph.core.handles import redacted
from cenotaph.core.ids import HANDLE_PREFIX, JSON
from cenotaph.core.lineage import RecordSource, ancestors, known_records, records_of
from cenotaph.core.tombstone import Tombstone
from cenotaph.errors import StoreDamaged

__all__ = ["check_promises"]

_OWN_ROW: Final = "own"
"""Row of what we wrote ourselves; see `classify.RULES`."""

_FOLD: Final = "tombstones"
"""Kind of a tombstone that stands for many others; its turn is that of the first of them."""


def check_promises(question: Question, source: RecordSource, session: str, key: bytes) -> None:
    """Nothing if no record names what is asked for.

    Args:
        question: It found nothing.
        source, session: The store and the session that was asked.
        key: The store's key.

    Raises:
        StoreDamaged: A record names it.
    """
    asked = _Asked.of(question, key)
    own = ((session, record) for record in records_of(source, session))
    above = ((one.session, record) for one in ancestors(source, session) for record in known_records(source, one))
    for holder, record in chain(own, above):
        name = next(asked.named_in(record), None)
        if name is not None:
            raise StoreDamaged(
                f"record {record.get('seq')!r} of session {holder!r} names {name!r}, and the store has no row of it "
                "any more.",
                next_step="Run cenotaph verify --read-data; restore the store from a copy.",
                session=holder,
                record_id=record.get("record_id"),
                missing=name,
            )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question asks for, in the forms in which records name it.

    Attributes:
        lines: Tombstones.
        stored: Store handles, or beginnings of them.
        names: Other handles under redaction, in every spelling.
        place: (turn, exchange or None); None if it asks for no place.
    """

    lines: frozenset[str]
    stored: tuple[str, ...]
    names: frozenset[str]
    place: tuple[int, int | None] | None

    @classmethod
    def of(cls, question: Question, key: bytes) -> _Asked:
        recover = [handle for tombstone in question.tombstones for handle in _asked_by(tombstone)]
        stored = (*question.stored, *(handle for handle in recover if handle.startswith(HANDLE_PREFIX)))
        told = [handle for handle in recover if not handle.startswith(HANDLE_PREFIX)]
        if not question.of_markers:
            told += [question.text, *question.named]
        names = frozenset(redacted(name, key) for one in told if one for name in _every_spelling(one))
        return cls(frozenset(one.render() for one in question.tombstones), stored, names, question.turn)

    def named_in(self, record: Mapping[str, JSON]) -> Iterator[str]:
        """What of it a record names."""
        for line in self._lines(record):
            if line in self.lines:
                yield line
        for tombstone in _tombstones(record) if self.place or self.stored else ():
            if self._here(tombstone):
                yield tombstone.render()
            yield from filter(self._is_stored, tombstone.recover)
        if self.stored:
            yield from filter(self._is_stored, _removed(record))
        if self.names:
            values = (item.get("value") for item in record.get("handles", ()))
            yield from (value for value in values if value in self.names)

    def _lines(self, record: Mapping[str, JSON]) -> Iterable[str]:
        return (one.render() for one in _tombstones(record)) if self.lines else ()

    def _here(self, tombstone: Tombstone) -> bool:
        if self.place is None or tombstone.kind == _FOLD:
            return False
        turn, exchange = self.place
        return tombstone.turn == turn and exchange in (None, tombstone.n)

    def _is_stored(self, handle: str) -> bool:
        return handle.startswith(HANDLE_PREFIX) and handle.startswith(self.stored)


def _asked_by(tombstone: Tombstone) -> Sequence[str]:
    """Where it names a store handle only that is asked for; see `lookup`."""
    return [handle for handle in tombstone.recover if handle.startswith(HANDLE_PREFIX)] or tombstone.recover


def _tombstones(record: Mapping[str, JSON]) -> Iterator[Tombstone]:
    for item in record.get("tombstones", ()):
        yield from Tombstone.find(str(item.get("line")))


def _removed(record: Mapping[str, JSON]) -> Iterator[str]:
    """Store handles of the originals that a cut took out; lines of ours went with them, and have no rows."""
    own = {entry.get("span") for entry in record.get("entries", ()) if entry.get("row") == _OWN_ROW}
    return (str(item.get("handle")) for item in record.get("removed", ()) if item.get("span") not in own)


def _every_spelling(name: str) -> Iterator[str]:
    for value in spellings(name):
        yield value
        yield from (scheme + value for scheme in PATH_SCHEMES)
