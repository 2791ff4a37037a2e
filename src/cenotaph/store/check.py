"""Checking a store against what it promises: chains, pointers, and on request every byte.

What does not hold is a `Finding`, never an exception: a check that stops at the first defect hides
the second. What was pruned or erased on purpose is told apart from it: no promise is broken there.
Only a store that can't be asked at all (unreachable, locked, closed) raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol, TypeVar, runtime_checkable

from cenotaph.core.ids import HANDLE_PREFIX, JSON, hash_of, store_handle
from cenotaph.core.lineage import ancestors
from cenotaph.core.manifest import Manifest, is_manifest
from cenotaph.core.record import SCHEMA_VERSION, UNHASHED
from cenotaph.errors import StoreDamaged, StoreErased, StoreError, StorePruned, StoreVersionError, UnknownSession
from cenotaph.limits import store_handle_hex_chars
from cenotaph.store.base import Store

T = TypeVar("T")

record_schema_major: Final = int(SCHEMA_VERSION.partition(".")[0])
"""Records of this major are understood; of a newer one only the chain is checked."""

pointer_fields: Final = ("tombstones", "source_ref", "view_ref", "entries")
"""Fields of a record whose `cx:` pointers are a promise that the object is there."""

_pointer = re.compile(rf"(?<![\w:./%-]){re.escape(HANDLE_PREFIX)}[0-9a-f]{{{store_handle_hex_chars},}}(?!\w)")
"""A store handle that stands for itself, not a piece of a longer name such as `file:cx:...`."""


class FindingCode(StrEnum):
    """What can be wrong; the values are stable."""

    record_id = "record-id-mismatch"
    """A record's id is not the hash of its content: it was changed after it was written."""
    chain = "chain-broken"
    """A record does not follow the one before it: one was removed, added or moved."""
    seq = "seq-gap"
    """A record's number is not one more than the number before it."""
    record_version = "record-version"
    """A record's `schema_version` is missing, or of a major version that is not understood here."""
    pointer = "pointer-dangling"
    """A record names an object that its session does not hold."""
    object_damaged = "object-damaged"
    """An object's bytes are not the bytes that were written."""
    object_unreadable = "object-unreadable"
    """An object can't be decoded here: a newer version wrote it, or a package is missing."""
    handle = "handle-mismatch"
    """An object's handle is not the keyed hash of its bytes: it was put in by another hand."""
    span = "span-without-object"
    """A span row names an object that its session does not hold."""
    name = "handle-without-span"
    """A handle row names a span that its session has no row for."""
    manifest = "manifest-dangling"
    """A manifest names a span or another manifest that its session has no row for, or is none."""
    pruned = "object-pruned"
    """Removed on purpose, to save room: an object without bytes, or a record that needs it to be replayed."""
    erased = "object-erased"
    """Removed on purpose and for good: the same."""
    store = "store-damaged"
    """A part of the store can't be read, or the backend's own check failed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not hold.

    Attributes:
        code: A `FindingCode` value, or a code of the replay that was plugged in.
        session: The session it concerns; "" for the store as a whole.
        where: The record id, handle or span id it concerns; "" if it is none of these.
        note: What was expected and what was found.
    """

    code: str
    session: str
    where: str
    note: str

    def to_dict(self) -> dict[str, JSON]:
        return {"code": self.code, "session": self.session, "where": self.where, "note": self.note}


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was looked at and what was found.

    Attributes:
        url: The store.
        sessions: Names of the sessions that were checked.
        records: Records checked.
        objects: Objects decoded and hashed; 0 without `read_data`.
        data_bytes: Bytes of those objects.
        read_data: Whether the objects were read.
        findings: All that does not hold, in the order of sessions and records.
        removed: What was pruned or erased, and the records that can't be replayed for it. Objects are
            found with `read_data` only.
    """

    url: str
    sessions: tuple[str, ...]
    records: int
    objects: int
    data_bytes: int
    read_data: bool
    findings: tuple[Finding, ...]
    removed: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything that was looked at holds; what was removed on purpose broke no promise."""
        return not self.findings

    def to_dict(self) -> dict[str, JSON]:
        return {
            "store": self.url,
            "sessions": list(self.sessions),
            "records": self.records,
            "objects": self.objects,
            "data_bytes": self.data_bytes,
            "read_data": self.read_data,
            "ok": self.ok,
            "findings": [finding.to_dict() for finding in self.findings],
            "removed": [finding.to_dict() for finding in self.removed],
        }


Replay = Callable[[Store, str, Mapping[str, JSON]], list[Finding]]
"""Rebuilds what a record says it did, from the store alone: (store, session, record) -> findings.

Called once for each record whose major version is understood, in order. `StoreDamaged` and
`StoreVersionError` raised in it become findings, `StorePruned` and `StoreErased` are told apart."""


@runtime_checkable
class SelfChecking(Protocol):
    """A backend that can check its own structure below the level of this contract."""

    def self_check(self) -> list[str]:
        """What is wrong, one line each; an empty list is sound."""


def verify_store(
    store: Store,
    session: str | None = None,
    read_data: bool = False,
    *,
    unhashed: frozenset[str] = UNHASHED,
    replay: Replay | None = None,
) -> VerifyReport:
    """Every promise of the store that does not hold is a finding; an empty list means they all do.

    Without `read_data` it costs one look-up per pointer; with it every object is decoded and hashed.

    Args:
        store: What to check; it is only read.
        session: Check this session only; None for all.
        read_data: Check also every object, every span row, every handle row and the backend itself.
        unhashed: Fields that a record's id does not cover; the id itself is always one of them.
        replay: Checks what only the core can: that a record's messages can be rebuilt.

    Raises:
        UnknownSession: The store has no session of that name.
        StoreUnavailable: It can't be asked; nothing is known about what it holds.
    """
    check = _Check(store, unhashed | {"record_id"}, replay)
    names = check.reading("", store.sessions) or []
    if session is not None:
        if session not in names and not check.findings:
            raise UnknownSession(
                f"The store {store.url} has no session {session!r}.",
                next_step="`cenotaph sessions` lists those it has.",
                session=session,
            )
        names = [session]
    if read_data and isinstance(store, SelfChecking):
        for line in check.reading("", store.self_check) or ():
            check.find(FindingCode.store, "", "", line)
    for name in names:
        check.chain(name)
        if read_data:
            check.data(name)
            check.rows(name)
    return VerifyReport(
        url=store.url,
        sessions=tuple(names),
        records=check.records,
        objects=check.objects,
        data_bytes=check.data_bytes,
        read_data=read_data,
        findings=tuple(check.findings),
        removed=tuple(check.removed),
    )


def pointers_in(value: JSON) -> Iterator[str]:
    """Every store handle that a string anywhere in `value` names, in order, repeats included."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield from _pointer.findall(one)
        elif isinstance(one, Mapping):
            waiting.extend(reversed(list(one.values())))
        elif isinstance(one, list | tuple):
            waiting.extend(reversed(one))


@dataclass(slots=True)
class _Check:
    """One run: what it asks, what it has counted and what it has found."""

    store: Store
    unhashed: frozenset[str]
    replay: Replay | None
    records: int = 0
    objects: int = 0
    data_bytes: int = 0
    findings: list[Finding] = field(default_factory=list)
    removed: list[Finding] = field(default_factory=list)

    def find(self, code: str, session: str, where: str, note: str) -> None:
        self.findings.append(Finding(str(code), session, where, note))

    def gone(self, session: str, where: str, error: StoreError) -> None:
        code = FindingCode.pruned if isinstance(error, StorePruned) else FindingCode.erased
        self.removed.append(Finding(code.value, session, where, str(error)))

    def reading(self, session: str, read: Callable[[], T]) -> T | None:
        """The answer, or None and a finding if that part of the store is damaged."""
        try:
            return read()
        except StoreDamaged as error:
            self.find(FindingCode.store, session, "", str(error))
            return None

    def chain(self, session: str) -> None:
        """Ids, links and numbers of a session's records, then what each of them names."""
        records = self.reading(session, lambda: self.store.records(session)) or []
        handles = frozenset(self.reading(session, lambda: list(self.store.objects(session))) or ())
        before: Mapping[str, JSON] | None = None
        for record in records:
            self.records += 1
            self._link(session, record, before)
            self._pointers(session, record, handles)
            if self._understood(session, record) and self.replay is not None:
                self._replayed(session, record, self.replay)
            before = record

    def _link(self, session: str, record: Mapping[str, JSON], before: Mapping[str, JSON] | None) -> None:
        record_id = _id_of(record)
        computed = hash_of({name: value for name, value in record.items() if name not in self.unhashed})
        if computed != record_id:
            note = f"its content hashes to {computed}"
            self.find(FindingCode.record_id, session, record_id, note)
        expected = None if before is None else before.get("record_id")
        if record.get("previous") != expected:
            stated = record.get("previous")
            note = f"says that it follows {stated or 'nothing'}, and follows {expected or 'nothing'}"
            self.find(FindingCode.chain, session, record_id, note)
        seq = record.get("seq")
        if not _is_int(seq):
            self.find(FindingCode.seq, session, record_id, f"its number is {seq!r}, not an integer")
        elif before is None:
            if seq != 1:
                self.find(FindingCode.seq, session, record_id, f"the first record has number {seq}, not 1")
        elif _is_int(before.get("seq")) and seq != before["seq"] + 1:
            self.find(FindingCode.seq, session, record_id, f"number {seq} follows number {before['seq']}")

    def _understood(self, session: str, record: Mapping[str, JSON]) -> bool:
        stated = record.get("schema_version")
        found = _major(stated)
        if found == record_schema_major:
            return True
        note = f"schema version {stated!r}; {record_schema_major}.x is what is read here"
        self.find(FindingCode.record_version, session, _id_of(record), note)
        return False

    def _pointers(self, session: str, record: Mapping[str, JSON], handles: frozenset[str]) -> None:
        for name in pointer_fields:
            for pointer in dict.fromkeys(pointers_in(record.get(name))):
                if pointer not in handles:
                    note = f"`{name}` names {pointer}, which the session does not hold"
                    self.find(FindingCode.pointer, session, _id_of(record), note)

    def _replayed(self, session: str, record: Mapping[str, JSON], replay: Replay) -> None:
        try:
            self.findings.extend(replay(self.store, session, record))
        except (StorePruned, StoreErased) as error:
            self.gone(session, _id_of(record), error)
        except StoreDamaged as error:
            self.find(FindingCode.object_damaged, session, _id_of(record), str(error))
        except StoreVersionError as error:
            self.find(FindingCode.object_unreadable, session, _id_of(record), str(error))

    def data(self, session: str) -> None:
        """Every object decodes, and its name is the keyed hash of what it decodes to."""
        key = self.reading(session, self.store.key)
        for handle in self.reading(session, lambda: list(self.store.objects(session))) or ():
            try:
                data = self.store.get(session, handle)
            except (StorePruned, StoreErased) as error:
                self.gone(session, handle, error)
                continue
            except StoreDamaged as error:
                self.find(FindingCode.object_damaged, session, handle, str(error))
                continue
            except StoreVersionError as error:
                self.find(FindingCode.object_unreadable, session, handle, str(error))
                continue
            if data is None:
                self.find(FindingCode.object_damaged, session, handle, "is listed, and can't be found by name")
                continue
            self.objects += 1
            self.data_bytes += len(data)
            if key is not None and store_handle(key, session, data) != handle:
                note = f"its bytes belong to {store_handle(key, session, data)}"
                self.find(FindingCode.handle, session, handle, note)

    def rows(self, session: str) -> None:
        """Every span row has its object, and every handle row its span."""
        handles = frozenset(self.reading(session, lambda: list(self.store.objects(session))) or ())
        rows = self.reading(session, lambda: self.store.span_rows(session)) or []
        for row in rows:
            if row.handle not in handles:
                note = f"names object {row.handle}, which the session does not hold"
                self.find(FindingCode.span, session, row.span_id, note)
        known = {row.span_id for row in rows}
        known_handles = {row.handle for row in rows}
        for handle in dict.fromkeys(row.handle for row in rows if is_manifest(row)):
            if handle in handles:
                self._manifest(session, handle, known | known_handles)
        for value in self.reading(session, lambda: self.store.handle_values(session)) or ():
            for name in self._names(session, value):
                if name not in known:
                    self.find(FindingCode.name, session, name, f"{value!r} names this span, which has no row")

    def _manifest(self, session: str, handle: str, known: Set[str]) -> None:
        """A manifest names what the session has; an unreadable one was found with the objects."""
        try:
            data = self.store.get(session, handle)
            manifest = None if data is None else Manifest.decode(data, handle)
        except (StorePruned, StoreErased, StoreVersionError):
            return
        except StoreDamaged as error:
            self.find(FindingCode.manifest, session, handle, str(error))
            return
        for name in (*manifest.spans, *manifest.folds) if manifest else ():
            if name not in known and not self._above(session, name):
                self.find(FindingCode.manifest, session, handle, f"names {name}, which has no row")

    def _above(self, session: str, name: str) -> bool:
        """Whether a session that this one was forked from has a row of a span, or of what lies under a handle."""
        rows = self.store.span_rows
        for one in self.reading(session, lambda: list(ancestors(self.store, session))) or ():
            above = one.session
            if rows(above, handle=name) if name.startswith(HANDLE_PREFIX) else rows(above, span_ids=[name]):
                return True
        return False

    def _names(self, session: str, value: str) -> list[str]:
        rows = self.reading(session, lambda: self.store.find(session, value)) or []
        return [row.span_id for row in rows]


def _id_of(record: Mapping[str, JSON]) -> str:
    return str(record.get("record_id", ""))


def _is_int(value: JSON) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _major(version: JSON) -> int | None:
    """The major number of `1`, `"1"` or `"1.4"`; None for anything else."""
    if _is_int(version):
        return int(version)
    if isinstance(version, str) and version.partition(".")[0].isdecimal():
        return int(version.partition(".")[0])
    return None
