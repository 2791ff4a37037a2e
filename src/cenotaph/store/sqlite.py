"""The SQLite store, the default: one file, a write-ahead log, and one transaction per `put_*` call.

One connection serves all threads, one call at a time; other processes read beside it and take turns
at writing. After a fork the child opens a connection of its own, because one that crossed a fork
may corrupt the file. A write is refused when the file was removed or replaced under the store: it
would go to a file that nobody will find again.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, Final

from cenotaph import limits
from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.ids import JSON
from cenotaph.errors import StoreDamaged, StoreUnavailable
from cenotaph.store import refusals, sqlite_file
from cenotaph.store.codec import Codec, Encoded, Encoder, decode, decode_record, encode_record, removal

_names_per_query: Final = 500
"""Bound parameters in one `IN (...)`; the smallest limit of any SQLite build is 999."""

_key_bytes: Final = 32

_Bound = str | bytes | int | None

_insert_object: Final = f"""
    INSERT INTO objects (session, handle, codec, size, digest, body) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (session, handle) DO UPDATE SET codec = excluded.codec, body = excluded.body
    WHERE codec = {int(Codec.pruned)} AND digest = excluded.digest
"""
_erase_object: Final = f"""
    UPDATE objects SET codec = ?, body = x'' WHERE session = ? AND handle = ? AND codec != {int(Codec.erased)}
"""
_span_fields: Final = tuple(field.name for field in fields(SpanRow))
"""Columns of `spans`, taken from the row itself: a field that the schema lacks fails, it is never lost."""

_span_columns: Final = ", ".join(_span_fields)
_span_marks: Final = ", ".join(f"?{number}" for number in range(2, len(_span_fields) + 2))
_insert_span: Final = f"""
    INSERT INTO spans (session, {_span_columns}) SELECT ?1, {_span_marks}
    WHERE NOT EXISTS (
        SELECT 1 FROM spans WHERE session = ?1 AND span_id = ?{_span_fields.index("span_id") + 2}
        AND ({_span_columns}) IS ({_span_marks})
    )
"""
_insert_handle = """
    INSERT INTO handles (session, value, kind, span_id, state) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (session, value, kind, span_id, state) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class _Link:
    """A connection, and the process and file that it is good for."""

    pid: int
    lock: threading.RLock
    con: sqlite3.Connection
    identity: tuple[int, int]


_inherited: list[_Link] = []
"""Connections of a parent process. Held so that they are never closed here: closing is use."""


class SqliteStore:
    """Keeps the contract in one file; durable against a crash of the process and of the machine.

    Attributes:
        url: `sqlite:///` and the absolute path.
    """

    def __init__(self, path: str | os.PathLike[str], *, lock_seconds: float = limits.store_lock_seconds_max) -> None:
        """Opens the store at `path`, making it if nothing is there; see `sqlite_file.connect`.

        Args:
            path: Relative to the working folder of this moment, or absolute.
            lock_seconds: How long a call waits for another process before it raises `StoreLocked`.
        """
        self._path = os.path.abspath(path)
        self._lock_seconds = lock_seconds
        self.url = f"sqlite:///{self._path}"
        self._closed = False
        self._encoder = Encoder()
        self._link: _Link | None = None
        self._link = self._connected()

    # Connection -----------------------------------------------------------------------------

    def _connected(self) -> _Link:
        if self._closed:
            raise refusals.closed(self.url)
        link = self._link
        if link is not None and link.pid == os.getpid():
            return link
        if link is not None:
            _inherited.append(link)
            self._encoder = Encoder()
        con = sqlite_file.connect(self._path, self._lock_seconds)
        link = _Link(os.getpid(), threading.RLock(), con, sqlite_file.identity(self._path))
        self._link = link
        return link

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        while True:
            link = self._connected()
            with link.lock:
                if self._link is not link:
                    continue  # Another thread gave this connection up while we waited for it.
                try:
                    yield link.con
                except sqlite3.ProgrammingError:
                    raise  # Misuse of the module: our own mistake, not the file's.
                except sqlite3.DatabaseError as error:
                    raise sqlite_file.refusal(error, self._path) from error
                return

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """All that happens inside becomes durable together, or nothing of it happened."""
        with self._reading() as con:
            link = self._link
            if link is not None and sqlite_file.identity(self._path) != link.identity:
                raise StoreUnavailable(
                    f"The file {self._path} was replaced since it was opened; nothing was written.",
                    next_step="Open the store again.",
                    path=self._path,
                )
            con.execute("BEGIN IMMEDIATE")
            try:
                yield con
                con.execute("COMMIT")
            except BaseException:
                self._roll_back(con)
                raise

    def _roll_back(self, con: sqlite3.Connection) -> None:
        try:
            if con.in_transaction:
                con.execute("ROLLBACK")
        except sqlite3.Error:
            # Closing rolls back what could not be rolled back, and the next call starts afresh; the
            # error that led here is on its way to the caller.
            if self._link is not None:
                sqlite_file.disconnect(con, self._link.identity)
            self._link = None

    def close(self) -> None:
        self._closed = True
        link, self._link = self._link, None
        if link is None:
            return
        if link.pid != os.getpid():
            _inherited.append(link)
            return
        with link.lock:
            sqlite_file.disconnect(link.con, link.identity)

    # Writing --------------------------------------------------------------------------------

    def put_spans(self, session: str, objects: Mapping[str, bytes], rows: Iterable[SpanRow]) -> None:
        wanted = list(rows)
        if not objects and not wanted:
            return
        with self._reading() as con:
            known = _kept(con, _session_number(con, session), objects)
            digests = {handle: hashlib.sha256(objects[handle]).digest() for handle in objects if handle in known}
            _require_same(session, known, digests)
            # Compressed before the transaction begins: other processes wait for the disk only.
            fresh = {
                handle: self._encoder.encode(handle, data)
                for handle, data in objects.items()
                if handle not in known or known[handle].codec == Codec.pruned
            }
            with self._writing():
                sqlite_file.bring_up(con)
                number = _made_session_number(con, session)
                _insert_objects(con, session, number, fresh)
                strangers = {row.handle for row in wanted} - objects.keys()
                missing = strangers - _kept(con, number, strangers).keys()
                if missing:
                    raise refusals.missing_objects(session, missing)
                con.executemany(_insert_span, (_span_values(number, row) for row in wanted))

    def put_handles(self, session: str, rows: Iterable[HandleRow]) -> None:
        wanted = list(rows)
        if not wanted:
            return
        with self._writing() as con:
            number = _made_session_number(con, session)
            named = {row.span_id for row in wanted}
            missing = named - _span_ids(con, number, named)
            if missing:
                raise refusals.missing_spans(session, missing)
            con.executemany(
                _insert_handle,
                (
                    (number, _bound(row.value), _bound(row.kind), _bound(row.span_id), _bound(row.state))
                    for row in wanted
                ),
            )

    def put_record(self, session: str, record: Mapping[str, JSON]) -> None:
        text = encode_record(record)
        with self._writing() as con:
            number = _made_session_number(con, session)
            newest = con.execute(
                "SELECT record_id, body FROM records WHERE session = ? ORDER BY id DESC LIMIT 1", (number,)
            ).fetchone()
            newest_id, newest_body = (_text(newest[0]), newest[1]) if newest else (None, None)
            if not refusals.is_repeat(session, text, newest_id, newest_body):
                con.execute(
                    "INSERT INTO records (session, record_id, body) VALUES (?, ?, ?)",
                    (number, _bound(text.record_id), text.body),
                )

    def erase(self, session: str, handles: Iterable[str], *, reason: str) -> bool:
        """As the contract says. What is freed in the file is overwritten with zeros, and the log is emptied.

        Not overwritten: the blocks that the emptied log gives back to the file system, and what the disk,
        a snapshot or a backup keeps by itself.
        """
        codec, wanted = removal(reason), set(handles)
        if wanted:
            with self._writing() as con:
                number = _session_number(con, session)
                missing = wanted - _kept(con, number, wanted).keys()
                if missing:
                    raise refusals.nothing_to_erase(session, missing)
                con.executemany(_erase_object, ((int(codec), number, _bound(handle)) for handle in wanted))
                sqlite_file.bring_up(con)
        return self._emptied_log()

    def _emptied_log(self) -> bool:
        """Whether all that the log held is in the file now, and the log is empty."""
        try:
            with self._reading() as con:
                busy, *_ = con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except StoreUnavailable:
            return False  # Locked, or no room: what was removed stays removed, only the log is not empty yet.
        return not busy

    # Reading --------------------------------------------------------------------------------

    def key(self) -> bytes:
        with self._reading() as con:
            row = con.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()
        if row is None or not isinstance(row[0], bytes) or len(row[0]) != _key_bytes:
            raise StoreDamaged(
                f"The store {self._path} has lost its key: no handle in it can be checked.",
                next_step="Restore the store from a copy.",
                path=self._path,
            )
        return row[0]

    def get(self, session: str, handle: str) -> bytes | None:
        with self._reading() as con:
            row = con.execute(
                "SELECT codec, size, digest, body FROM objects"
                " WHERE session = (SELECT id FROM sessions WHERE name = ?) AND handle = ?",
                (_bound(session), _bound(handle)),
            ).fetchone()
        return None if row is None else decode(handle, Encoded(*row))

    def span_rows(
        self,
        session: str,
        *,
        handle: str | None = None,
        span_ids: Sequence[str] | None = None,
        turn: int | None = None,
    ) -> list[SpanRow]:
        query, bound = f"SELECT position, id, {_span_columns} FROM spans WHERE session = ?", list[_Bound]()
        if handle is not None:
            query, bound = f"{query} AND handle = ?", [*bound, _bound(handle)]
        if turn is not None:
            query, bound = f"{query} AND turn = ?", [*bound, turn]
        with self._reading() as con:
            number = _session_number(con, session)
            if span_ids is None:
                found = con.execute(query, (number, *bound)).fetchall()
            else:
                found = _among(con, f"{query} AND span_id", (number, *bound), set(span_ids))
        found.sort(key=lambda row: row[:2])
        return [_span_row(row[2:]) for row in found]

    def find(self, session: str, value: str) -> list[HandleRow]:
        with self._reading() as con:
            found = con.execute(
                "SELECT value, kind, span_id, state FROM handles WHERE session = ? AND value = ? ORDER BY id",
                (_session_number(con, session), _bound(value)),
            ).fetchall()
        return [HandleRow(*map(_text, row)) for row in found]

    def handle_values(self, session: str) -> list[str]:
        return self._strings(session, "SELECT value FROM handles WHERE session = ? GROUP BY value ORDER BY min(id)")

    def records(self, session: str, *, start: int = 0, count: int | None = None) -> list[dict[str, JSON]]:
        query = "SELECT body FROM records WHERE session = ? ORDER BY id LIMIT ? OFFSET ?"
        texts = self._strings(session, query, -1 if count is None else count, start)
        return [decode_record(session, text) for text in texts]

    def sessions(self) -> list[str]:
        with self._reading() as con:
            found = con.execute("SELECT name FROM sessions ORDER BY id").fetchall()
        return [_text(name) for (name,) in found]

    def objects(self, session: str) -> list[str]:
        return self._strings(session, "SELECT handle FROM objects WHERE session = ? ORDER BY id")

    def _strings(self, session: str, query: str, *bound: int) -> list[str]:
        with self._reading() as con:
            found = con.execute(query, (_session_number(con, session), *bound)).fetchall()
        return [_text(value) for (value,) in found]

    def self_check(self) -> list[str]:
        """What SQLite itself finds wrong with the file, one line each; an empty list is sound.

        It reads every page, and sees what reads by name can't: an index that has lost an entry
        would make a damaged object look like one that was never there; and a row whose session is gone.
        """
        with self._reading() as con:
            found = con.execute("PRAGMA integrity_check").fetchall()
            lost = con.execute('SELECT DISTINCT "table" FROM pragma_foreign_key_check').fetchall()
        lines = [line for (line,) in found if line != "ok"]
        return lines + [f"rows of table {table} belong to a session whose name is gone" for (table,) in lost]


# Rows -------------------------------------------------------------------------------------------


def _bound(text: str) -> str | bytes:
    """What stands in the file for `text`; equal texts give equal values (see `schema`)."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def _span_values(number: int, row: SpanRow) -> tuple[_Bound, ...]:
    values = (getattr(row, name) for name in _span_fields)
    return number, *(_bound(value) if isinstance(value, str) else value for value in values)


def _span_row(columns: Sequence[Any]) -> SpanRow:
    """The row behind `_span_values`, its session taken off."""
    if bytes not in map(type, columns):
        return SpanRow(*columns)
    values: Iterable[Any] = (_text(value) if isinstance(value, bytes) else value for value in columns)
    return SpanRow(*values)


def _session_number(con: sqlite3.Connection, session: str) -> int | None:
    """The session's number; None if nothing was ever written for it.

    Raises:
        StoreDamaged: No session has the name, and there are records whose session has none.
    """
    row = con.execute("SELECT id FROM sessions WHERE name = ?", (_bound(session),)).fetchone()
    if row is not None:
        return int(row[0])
    nameless = con.execute(
        "SELECT session FROM records WHERE session NOT IN (SELECT id FROM sessions) LIMIT 1"
    ).fetchone()
    if nameless is not None:
        raise StoreDamaged(
            f"the store knows no session {session!r}, and holds records of session number {nameless[0]}, "
            "whose name is gone.",
            next_step="Restore the store from a copy.",
            session=session,
        )
    return None


def _made_session_number(con: sqlite3.Connection, session: str) -> int:
    number = _session_number(con, session)
    if number is not None:
        return number
    made = con.execute("INSERT INTO sessions (name) VALUES (?)", (_bound(session),)).lastrowid
    assert made is not None
    return made


def _among(
    con: sqlite3.Connection, query: str, before: tuple[_Bound, ...], names: Iterable[str]
) -> list[tuple[Any, ...]]:
    """All rows of `query IN (names)`, however many names there are."""
    found: list[tuple[Any, ...]] = []
    for batch in _batches([_bound(name) for name in names]):
        marks = ",".join("?" * len(batch))
        found += con.execute(f"{query} IN ({marks})", (*before, *batch)).fetchall()
    return found


def _batches(values: list[str | bytes]) -> Iterator[list[str | bytes]]:
    for start in range(0, len(values), _names_per_query):
        yield values[start : start + _names_per_query]


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is known of an object without reading it."""

    digest: bytes
    codec: int


def _kept(con: sqlite3.Connection, number: int | None, handles: Iterable[str]) -> dict[str, _Kept]:
    """By handle, those objects that the session already holds, with or without their bytes."""
    if number is None:
        return {}
    query = "SELECT handle, digest, codec FROM objects WHERE session = ? AND handle"
    return {_text(handle): _Kept(digest, codec) for handle, digest, codec in _among(con, query, (number,), handles)}


def _span_ids(con: sqlite3.Connection, number: int, span_ids: Iterable[str]) -> set[str]:
    """Those of `span_ids` that the session has rows for."""
    query = "SELECT DISTINCT span_id FROM spans WHERE session = ? AND span_id"
    return {_text(span_id) for (span_id,) in _among(con, query, (number,), span_ids)}


def _require_same(session: str, known: Mapping[str, _Kept], digests: Mapping[str, bytes]) -> None:
    """What is held already has the digest of what comes, and was not erased."""
    for handle, digest in digests.items():
        if handle in known and known[handle].digest != digest:
            raise refusals.other_bytes(session, handle)
    erased = [handle for handle, kept in known.items() if kept.codec == Codec.erased]
    if erased:
        raise refusals.erased(session, erased)


def _insert_objects(con: sqlite3.Connection, session: str, number: int, fresh: Mapping[str, Encoded]) -> None:
    inserted = con.executemany(
        _insert_object,
        ((number, _bound(handle), int(one.codec), one.size, one.digest, one.body) for handle, one in fresh.items()),
    ).rowcount
    if inserted == len(fresh):
        return
    # Another process put some of them since we looked: theirs stand, if they are the same.
    _require_same(session, _kept(con, number, fresh), {handle: one.digest for handle, one in fresh.items()})
