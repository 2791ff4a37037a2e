"""The file behind a SQLite store: making it, recognising it, and saying why it can't be used.

Nothing of a file that is not ours is ever changed: the header is read with plain file reads, and
SQLite opens the file only when that header is ours, or when the file is empty.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
import threading
import time
from collections import Counter
from typing import Final
from urllib.parse import quote

from cenotaph.errors import (
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreUnavailable,
    StoreVersionError,
)
from cenotaph.store import schema

_sqlite_version_min: Final = (3, 37, 0)
"""The first with STRICT tables."""

_magic: Final = b"SQLite format 3\x00"
_header_bytes: Final = 100
_user_version_at: Final = 60
_application_id_at: Final = 68

_opening: Final = threading.RLock()
_connected: Final[Counter[tuple[int, int]]] = Counter()
"""Connections of this process by the identity of their file.

Closing *any* descriptor of a file drops all locks that the process holds on it (POSIX; SQLite, "How To
Corrupt An SQLite Database File", section 2.2). So a file that this process is connected to is never
opened by plain reads: its header was looked at before the first connection.
"""

_file_mode: Final = 0o600
_folder_mode: Final = 0o700

_wal_bytes_kept: Final = 64 * 1024**2
"""After a large batch the write-ahead log is cut back to this, instead of staying at its peak."""


def connect(path: str, lock_seconds: float) -> sqlite3.Connection:
    """A connection to the store at `path`, which is made, 0600, if nothing is there.

    A missing folder is made too, but only the last one of the path: a longer missing path is more
    likely a slip than a wish.

    Args:
        path: Absolute.
        lock_seconds: How long a statement waits for another process.

    Raises:
        StoreUnavailable: The path can't be opened or written, or belongs to another program.
        StoreLocked: Another process holds it.
        StoreDamaged: It is no database, or a broken one.
        StoreVersionError: A newer major version wrote it.
    """
    if sqlite3.sqlite_version_info < _sqlite_version_min:
        raise StoreUnavailable(
            f"SQLite {sqlite3.sqlite_version} is too old for a store; 3.37 is the first that will do.",
            next_step="Use a Python built with a newer SQLite, or a `memory://` store.",
            path=path,
        )
    with _opening:
        try:
            _make_file(path)
            file = identity(path)
            if not _connected[file]:
                _refuse_strangers(path)
        except OSError as error:
            raise _unavailable(path, error) from error
        con = _opened(path, lock_seconds)
        _connected[file] += 1
    return con


def disconnect(con: sqlite3.Connection, file: tuple[int, int]) -> None:
    """Closes a connection of `connect` to the file with that identity."""
    with _opening:
        con.close()
        _connected[file] -= 1


def _opened(path: str, lock_seconds: float) -> sqlite3.Connection:
    try:
        con = sqlite3.connect(
            f"file:{quote(os.fsencode(path))}?mode=rw",
            uri=True,
            timeout=lock_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.DatabaseError as error:
        raise refusal(error, path) from error
    try:
        _prepare(con, path, lock_seconds)
    except BaseException as error:
        con.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise refusal(error, path) from error
        raise
    return con


def identity(path: str) -> tuple[int, int]:
    """Device and inode of the file that stands at `path` now.

    Raises:
        StoreUnavailable: None does.
    """
    try:
        found = os.stat(path)
    except OSError as error:
        raise _unavailable(path, error) from error
    return found.st_dev, found.st_ino


def _make_file(path: str) -> None:
    """Makes an empty file that only its owner may read; one that exists stays as it is."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        folder = os.path.dirname(path)
        if not os.path.isdir(folder):
            _make_folder(folder, path)
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _file_mode))
        except FileExistsError:
            return  # Another process made it in between; both then agree on one schema below.
    else:
        if not stat.S_ISREG(found.st_mode):
            what = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
            raise StoreUnavailable(f"{path} is {what}; a store is one file.", next_step="Name a file in it.", path=path)


def _make_folder(folder: str, path: str) -> None:
    above = os.path.dirname(folder)
    if not os.path.isdir(above):
        raise StoreUnavailable(
            f"Neither the folder {folder} nor {above} above it exists, so {path} was not made.",
            next_step="Make the folder first. In a URL an absolute path has four slashes: sqlite:////var/lib/agent.db.",
            path=path,
        )
    try:
        os.mkdir(folder, _folder_mode)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def _refuse_strangers(path: str) -> None:
    """Looks at the header with plain reads, so that even a lock file beside it is too much to leave."""
    with open(path, "rb") as file:
        header = file.read(_header_bytes)
    if not header:
        if os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal"):
            raise StoreDamaged(
                f"{path} is empty, but a write-ahead log stands beside it: the store was emptied.",
                next_step="Restore it from a copy. Both files were left as they are.",
                path=path,
            )
        return
    if not header.startswith(_magic) or len(header) < _header_bytes:
        if os.path.exists(f"{path}-journal"):
            return  # The power failed while the file was being made; SQLite rolls that back.
        raise StoreDamaged(
            f"{path} is not a SQLite database: another kind of file, or a store whose header is gone.",
            next_step="Choose another path, or restore the store from a copy. The file was left as it is.",
            path=path,
        )
    application = int.from_bytes(header[_application_id_at : _application_id_at + 4], "big")
    version = int.from_bytes(header[_user_version_at : _user_version_at + 4], "big")
    if application == schema.application_id:
        _require_version(version, path)
    else:
        raise _stranger(path)


def _prepare(con: sqlite3.Connection, path: str, lock_seconds: float) -> None:
    con.execute("PRAGMA synchronous = FULL")
    con.execute("PRAGMA trusted_schema = OFF")
    con.execute("PRAGMA cell_size_check = ON")
    # What is removed is overwritten with zeros; a store that only grows never pays for it.
    con.execute("PRAGMA secure_delete = ON")
    if not _is_store(con, path):
        _create(con, path)
    _use_log(con, path, lock_seconds)
    con.execute(f"PRAGMA journal_size_limit = {_wal_bytes_kept}")


def _is_store(con: sqlite3.Connection, path: str) -> bool:
    """Whether the header, with what the write-ahead log adds to it, is ours and of a version we read."""
    if _answer(con, "PRAGMA application_id") != schema.application_id:
        return False
    version = _answer(con, "PRAGMA user_version")
    assert isinstance(version, int)
    _require_version(version, path)
    return True


def _create(con: sqlite3.Connection, path: str) -> None:
    """Schema, header and key in one transaction: whoever comes second finds all of it or none."""
    con.execute(f"PRAGMA page_size = {schema.page_bytes}")
    con.execute("BEGIN EXCLUSIVE")
    # Only now can nobody else create it between two of our looks.
    if _is_store(con, path):
        con.execute("ROLLBACK")
        return
    if _answer(con, "SELECT count(*) FROM sqlite_master") != 0:
        raise _stranger(path)
    for statement in schema.statements:
        con.execute(statement)
    con.execute("INSERT INTO meta (name, value) VALUES ('key', ?)", (secrets.token_bytes(32),))
    con.execute(f"PRAGMA application_id = {schema.application_id}")
    con.execute(f"PRAGMA user_version = {schema.version_number}")
    con.execute("COMMIT")


def bring_up(con: sqlite3.Connection) -> None:
    """Gives a file of an older minor version what it lacks, and says so in its header; never lowers it.

    Within the transaction of the write that needs it: all of it happens, or nothing.
    """
    number = _answer(con, "PRAGMA user_version")
    assert isinstance(number, int)
    if number >= schema.version_number:
        return
    for minor, statements in schema.additions.items():
        for statement in statements if number < minor else ():
            con.execute(statement)
    con.execute(f"PRAGMA user_version = {schema.version_number}")


def _use_log(con: sqlite3.Connection, path: str, lock_seconds: float) -> None:
    """Switches the file to a write-ahead log, which the first of several openers does for all.

    SQLite does not wait when two want this at once: one of them is told at once that the file is
    locked. So it waits here, by asking for the lock that the other one holds.
    """
    deadline = time.monotonic() + lock_seconds
    while _answer(con, "PRAGMA journal_mode") != "wal":
        try:
            mode = _answer(con, "PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            con.execute("BEGIN EXCLUSIVE")
            con.execute("ROLLBACK")
            continue
        if mode != "wal":
            raise StoreUnavailable(
                f"{path} can't use a write-ahead log (SQLite stayed at {mode!r}): its file system lacks what"
                " that needs.",
                next_step="Put the store on a local disk.",
                path=path,
            )


def _answer(con: sqlite3.Connection, query: str) -> int | str:
    row = con.execute(query).fetchone()
    value: int | str = row[0]
    return value


def _require_version(number: int, path: str) -> None:
    if schema.major_of(number) > schema.major:
        raise StoreVersionError(
            f"{path} has store schema {schema.name_of(number)}; this version reads {schema.major}.x.",
            next_step="Install a newer `cenotaph` to open it. The file was left as it is.",
            path=path,
            schema=schema.name_of(number),
            schema_major_max=schema.major,
        )
    if schema.major_of(number) < schema.major:
        raise StoreDamaged(
            f"{path} claims store schema {schema.name_of(number)}, which never was.",
            next_step="Restore the store from a copy.",
            path=path,
        )


def _stranger(path: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"{path} is a SQLite database of another program.",
        next_step="Choose another path. The file was left as it is.",
        path=path,
    )


def _unavailable(path: str, error: OSError) -> StoreUnavailable:
    return StoreUnavailable(
        f"The store {path} can't be used: {error.strerror or error}.",
        next_step="Check that the path exists and that this user may write there.",
        path=path,
        errno=error.errno,
    )


def refusal(error: sqlite3.DatabaseError, path: str) -> StoreError:
    """What SQLite's error means for a caller: wait, make room, give access, or restore a copy."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLocked(
            f"Another process holds the store {path}; nothing was written.",
            next_step="Try again, or find out who keeps a transaction open on it.",
            path=path,
        )
    if primary == sqlite3.SQLITE_FULL:
        return StoreUnavailable(
            f"There is no room left for the store {path}; nothing was written.",
            next_step="Free some disk space and try again.",
            path=path,
        )
    if primary == sqlite3.SQLITE_READONLY:
        return StoreUnavailable(
            f"The store {path} is read-only: the file, its folder or its file system can't be written.",
            next_step="Give write access, or copy the store to a place that has it.",
            path=path,
        )
    if code != sqlite3.SQLITE_IOERR_SHORT_READ and primary in (
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
    ):
        return StoreUnavailable(
            f"The store {path} can't be read or written ({error}); nothing was written.",
            next_step="Check the disk, its free space and the access rights of the file and its folder.",
            path=path,
        )
    return StoreDamaged(
        f"The store {path} is damaged ({error}).",
        next_step="Stop writing to it and restore a copy; `cenotaph verify --read-data` says what is left.",
        path=path,
    )
