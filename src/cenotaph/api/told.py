"""What a session's records tell: its cuts, those that were taken back among them, and its pins."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cenotaph.core.ids import JSON, from_json
from cenotaph.core.lineage import records_of
from cenotaph.core.record import check_version, record_id_of
from cenotaph.errors import StoreDamaged
from cenotaph.store.base import Store

__all__ = ["Cut", "Log", "Told", "log_of", "record_of", "standing_cuts", "standing_record", "state_of", "told_of"]

_CUT_FIELDS: Final = ("record_id", "source_ref", "view_ref", "source_sha256", "view_sha256")


@dataclass(frozen=True, slots=True)
class Log:
    """A session's records in short.

    Attributes:
        seq: Number of the next record.
        previous: Id of the newest, None before the first.
        pins: What callers pinned and did not unpin: texts, or `{"pattern", "flags"}`.
        released: What callers let go.
        unpinned: Pins that were taken back here.
    """

    seq: int = 1
    previous: str | None = None
    pins: tuple[JSON, ...] = ()
    released: tuple[str, ...] = ()
    unpinned: tuple[JSON, ...] = ()

    def under(self, above: Sequence[Log]) -> Log:
        """With what is pinned in the sessions that this one was forked from, unless it was unpinned here."""
        pins = list(self.pins)
        for log in above:
            pins += [pin for pin in log.pins if pin not in pins and pin not in self.unpinned]
        return replace(self, pins=tuple(pins))

    def after(self, record: Mapping[str, JSON]) -> Log:
        """With one record more; the first of a fork says what its parent had pinned and released."""
        control, parent = record.get("control", {}), record.get("parent", {})
        pins = [*self.pins, *(pin for pin in parent.get("pins", ()) if pin not in self.pins)]
        pins = [pin for pin in pins if pin not in control.get("unpin", ())]
        pins += [pin for pin in control.get("pin", ()) if pin not in pins]
        released = dict.fromkeys((*self.released, *parent.get("released", ()), *control.get("release", ())))
        for pin in control.get("pin", ()):
            released.pop(pin if isinstance(pin, str) else "", None)
        unpinned = (*self.unpinned, *control.get("unpin", ()))
        return Log(int(record["seq"]) + 1, str(record["record_id"]), tuple(pins), tuple(released), unpinned)

    @property
    def named(self) -> tuple[str | re.Pattern[str], ...]:
        """The pins as they were given."""
        return tuple(pin if isinstance(pin, str) else re.compile(pin["pattern"], pin["flags"]) for pin in self.pins)


@dataclass(frozen=True, slots=True)
class Cut:
    """One cut, in short.

    Attributes:
        at: How many records of its session stand before its own.
        facts: Of its record: id, references and hashes of history and view.
        undone: It was taken back.
    """

    at: int
    facts: Mapping[str, JSON]
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """What the records of a session tell.

    Attributes:
        name: The session.
        log: Pins, and where the next record goes.
        cuts: Oldest first, those that were taken back among them; one of schema 1.0 left no state to go on from.
        parent: The session from which it was forked, None if it was not.
    """

    name: str
    log: Log = Log()
    cuts: tuple[Cut, ...] = ()
    parent: str | None = None

    @property
    def standing(self) -> Cut | None:
        """The newest cut that no later undo took back, None if there is none."""
        return next((cut for cut in reversed(self.cuts) if not cut.undone), None)


def told_of(store: Store, name: str) -> Told:
    """What the records of a session tell, each of them read once and then let go.

    Raises:
        StoreDamaged, StoreVersionError: One is not as it was sealed, does not follow the one before it, or is of
            a version that is not understood.
    """
    log, cuts, parent = Log(), list[Cut](), None
    for at, record in enumerate(records_of(store, name)):
        _check_sound(record, log, name)
        parent = record.get("parent", {}).get("session") if at == 0 else parent
        log = log.after(record)
        if _takes_back(record):
            newest = next((n for n in range(len(cuts) - 1, -1, -1) if not cuts[n].undone), None)
            cuts = [replace(cut, undone=True) if n == newest else cut for n, cut in enumerate(cuts)]
        elif _is_cut(record):
            cuts.append(Cut(at, {field: record[field] for field in _CUT_FIELDS}))
    return Told(name, log, tuple(cuts), parent)


def _check_sound(record: Mapping[str, JSON], log: Log, name: str) -> None:
    check_version(record)
    if record_id_of(record) != record.get("record_id"):
        raise StoreDamaged(
            f"record {record.get('seq')!r} of session {name!r} is not what was written.",
            next_step="Run cenotaph verify; an earlier copy of the store still holds.",
        )
    if record.get("previous") != log.previous:
        raise StoreDamaged(
            f"record {record.get('seq')!r} of session {name!r} follows {record.get('previous')}, which is not the "
            f"record before it ({log.previous}).",
            next_step="Run cenotaph verify; an earlier copy of the store still holds.",
        )


def _takes_back(record: Mapping[str, JSON]) -> bool:
    return record.get("schema_version") != "1.0" and "undo" in record.get("control", {})


def _is_cut(record: Mapping[str, JSON]) -> bool:
    known = record.get("schema_version") != "1.0"
    return known and record.get("status") == "verified" and "view_ref" in record


def standing_cuts(records: Sequence[Mapping[str, JSON]]) -> list[Mapping[str, JSON]]:
    """The cuts that no later undo took back, oldest first; one of schema 1.0 left no state to go on from."""
    standing: list[Mapping[str, JSON]] = []
    for record in records:
        if _takes_back(record):
            standing = standing[:-1]
        elif _is_cut(record):
            standing.append(record)
    return standing


def standing_record(records: Sequence[Mapping[str, JSON]]) -> Mapping[str, JSON] | None:
    """The newest cut that no later undo took back, None if there is none."""
    standing = standing_cuts(records)
    return standing[-1] if standing else None


def log_of(records: Sequence[Mapping[str, JSON]]) -> Log:
    """What the next record of a session must know of those before it."""
    log = Log()
    for record in records:
        log = log.after(record)
    return log


def record_of(store: Store, name: str, cut: Cut) -> Mapping[str, JSON]:
    """The whole record of a cut.

    Raises:
        StoreDamaged: It is not there any more.
    """
    found = store.records(name, start=cut.at, count=1)
    if not found or found[0].get("record_id") != cut.facts["record_id"]:
        raise StoreDamaged(
            f"record {cut.facts['record_id']} of session {name!r} was there, and is not where it stood.",
            next_step="Run cenotaph verify.",
        )
    return found[0]


def state_of(store: Store, name: str, standing: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """What a cut left to the next, as the store keeps it; see `carried.to_state`.

    Args:
        store, name: Where.
        standing: The record of the cut, or its facts.

    Raises:
        StoreDamaged: The store does not hold it.
    """
    data = store.get(name, standing["view_ref"])
    if data is None:
        raise StoreDamaged(
            f"record {standing['record_id']} of session {name!r} names a state that the store does not hold.",
            next_step="Run cenotaph verify --read-data.",
            handle=standing["view_ref"],
        )
    state: Mapping[str, JSON] = from_json(data)
    return state
