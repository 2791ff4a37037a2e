"""What the SQLite store removes is gone from its files; files of an older minor version open and go on."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from cenotaph.core.ids import store_handle
from cenotaph.errors import StoreErased, StoreError, StoreLocked
from cenotaph.store import schema
from cenotaph.store.check import verify_store
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.store_contract import content_of, put_object, record, span_row


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(path, lock_seconds=0.05)
    yield store
    store.close()


def secret(size: int) -> bytes:
    """Bytes that no compressor shortens, so that they stand in the file as they are."""
    return os.urandom(size)


def on_disk(path: Path, data: bytes) -> list[str]:
    """Files of the store that hold a piece of `data`; any 24 bytes of it are piece enough."""
    pieces = [data[at : at + 24] for at in range(0, len(data) - 23, 24)]
    files = sorted(path.parent.iterdir())
    return [file.name for file in files if any(piece in file.read_bytes() for piece in pieces)]


def put_many(store: SqliteStore, datas: list[bytes]) -> list[str]:
    handles = [store_handle(store.key(), "s", data) for data in datas]
    rows = [span_row(handle, f"span.{n}", n) for n, handle in enumerate(handles)]
    store.put_spans("s", dict(zip(handles, datas, strict=True)), rows)
    return handles


@pytest.mark.parametrize("size", [48, 100, 1_000, 5_000, 20_000, 300_000])
@pytest.mark.parametrize("reason", ["pruned", "erased"])
def test_removed_bytes_are_in_no_file_of_the_store(path: Path, store: SqliteStore, size: int, reason: str) -> None:
    datas = [secret(size) for _ in range(9)]
    handles = put_many(store, datas)
    gone = slice(2, 7)
    assert all(on_disk(path, data) for data in datas), "the check must be able to see what is there"
    assert store.erase("s", handles[gone], reason=reason) is True
    for data in datas[gone]:
        assert on_disk(path, data) == []
    for handle, data in zip(handles, datas, strict=True):
        if data not in datas[gone]:
            assert store.get("s", handle) == data
    assert store.self_check() == []


def test_bytes_of_many_writes_and_many_sizes_are_gone_one_by_one(path: Path, store: SqliteStore) -> None:
    datas = [secret(size) for size in (60, 3_000, 17_000, 90, 40_000, 700, 2_000, 64)]
    for data in datas:
        put_object(store, "s", data, span_id=data.hex()[:8])
    for data in datas[1:]:
        assert store.erase("s", [store_handle(store.key(), "s", data)], reason="erased")
        assert on_disk(path, data) == []
    assert store.get("s", store_handle(store.key(), "s", datas[0])) == datas[0]
    assert verify_store(store, read_data=True).ok


def test_where_a_reader_is_in_the_way_the_bytes_may_stand_in_the_log_and_the_store_says_so(
    path: Path, store: SqliteStore
) -> None:
    handle = put_object(store, "s", data := secret(5_000))
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM objects").fetchone()
    assert store.erase("s", [handle], reason="erased") is False
    with pytest.raises(StoreErased):
        store.get("s", handle)
    reader.execute("COMMIT")
    reader.close()
    assert store.erase("s", [handle], reason="erased") is True
    assert on_disk(path, data) == []


def test_a_removal_that_another_writer_holds_up_removes_nothing(path: Path, store: SqliteStore) -> None:
    handle = put_object(store, "s", b"data")
    before = content_of(store)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked):
        store.erase("s", [handle], reason="erased")
    writer.execute("ROLLBACK")
    writer.close()
    assert content_of(store) == before


def test_a_removal_is_all_or_nothing(path: Path, store: SqliteStore) -> None:
    handles = put_many(store, [secret(100) for _ in range(1_200)])
    with pytest.raises(StoreError):
        store.erase("s", [*handles, "cx:no"], reason="erased")
    assert all(store.get("s", handle) for handle in handles)


def test_another_process_sees_the_removal_and_does_not_bring_the_bytes_back(path: Path, store: SqliteStore) -> None:
    other = SqliteStore(path)
    handle = put_object(store, "s", b"data")
    assert other.get("s", handle) == b"data"
    store.erase("s", [handle], reason="erased")
    for call in (lambda: other.get("s", handle), lambda: put_object(other, "s", b"data")):
        with pytest.raises(StoreErased):
            call()
    other.close()


# Versions ---------------------------------------------------------------------------------------


def as_version(path: Path, number: int) -> None:
    """The file as that version would have left it, but for what may have been removed since 1.1."""
    with sqlite3.connect(path) as con:
        if number < 1_002:
            con.execute("DROP INDEX IF EXISTS spans_by_turn")
        con.execute(f"PRAGMA user_version = {number}")
    con.close()


def indices(path: Path) -> set[str]:
    con = sqlite3.connect(path)
    found = {name for (name,) in con.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    con.close()
    return found


def version(path: Path) -> int:
    con = sqlite3.connect(path)
    (number,) = con.execute("PRAGMA user_version").fetchone()
    con.close()
    return int(number)


@pytest.fixture
def old(path: Path) -> Path:
    """A file as version 1.0 left it: the same tables, and every object has its bytes."""
    store = SqliteStore(path)
    put_object(store, "s", b"first " * 50)
    store.put_record("s", record())
    store.close()
    as_version(path, 1_000)
    return path


@pytest.mark.parametrize("number", [1_000, 1_001])
def test_a_file_of_an_older_minor_version_opens_and_is_read_as_it_is(old: Path, number: int) -> None:
    as_version(old, number)
    store = SqliteStore(old)
    assert verify_store(store, read_data=True).objects == 1
    assert [row.span_id for row in store.span_rows("s", turn=1)] == ["span.0"]
    store.close()
    assert (version(old), "spans_by_turn" in indices(old)) == (number, False)


@pytest.mark.parametrize("number", [1_000, 1_001])
def test_the_first_spans_that_are_written_to_an_older_file_bring_it_up(old: Path, number: int) -> None:
    as_version(old, number)
    store = SqliteStore(old)
    put_object(store, "s", b"second", span_id="span.1")
    assert [row.span_id for row in store.span_rows("s", turn=1)] == ["span.0", "span.1"]
    assert verify_store(store, read_data=True).objects == 2
    store.close()
    assert (version(old), "spans_by_turn" in indices(old)) == (schema.version_number, True)


def test_a_refused_write_of_spans_leaves_an_older_file_as_it_was(old: Path) -> None:
    store = SqliteStore(old)
    with pytest.raises(StoreError):
        store.put_spans("s", {"cx:new": b"new"}, [span_row("cx:gone", "span.9")])
    store.close()
    assert (version(old), "spans_by_turn" in indices(old)) == (1_000, False)


def test_a_file_that_was_brought_up_has_what_a_new_one_has(old: Path, tmp_path: Path) -> None:
    store = SqliteStore(old)
    put_object(store, "s", b"second", span_id="span.1")
    store.close()
    SqliteStore(tmp_path / "new.db").close()
    assert (version(old), indices(old)) == (version(tmp_path / "new.db"), indices(tmp_path / "new.db"))


def test_asking_for_a_turn_costs_the_same_in_a_small_store_and_in_a_large_one(tmp_path: Path) -> None:
    """Counted in steps of SQLite's own machine, of which there are as many on every computer."""

    def steps(turns: int) -> int:
        store = SqliteStore(tmp_path / f"{turns}.db")
        rows = [span_row("cx:a", f"span.{n}", n, turn=n // 3) for n in range(3 * turns)]
        store.put_spans("s", {"cx:a": b"a"}, rows)
        taken = [0]
        assert store._link is not None
        store._link.con.set_progress_handler(lambda: taken.__setitem__(0, taken[0] + 1), 1)
        assert [row.position for row in store.span_rows("s", turn=turns // 2)] == [
            3 * (turns // 2) + n for n in range(3)
        ]
        store.close()
        return taken[0]

    assert steps(1_000) == steps(10)


@pytest.mark.parametrize(("before", "after"), [(1_000, schema.version_number), (1_007, 1_007)])
def test_the_first_removal_says_in_the_header_what_the_file_holds_now(old: Path, before: int, after: int) -> None:
    as_version(old, before)
    store = SqliteStore(old)
    handle = next(iter(store.objects("s")))
    store.erase("s", [handle], reason="pruned")
    report = verify_store(store, read_data=True)
    store.close()
    assert (report.ok, len(report.removed)) == (True, 1)
    assert version(old) == after


def test_a_refused_removal_leaves_the_version_as_it_was(old: Path) -> None:
    store = SqliteStore(old)
    with pytest.raises(StoreError):
        store.erase("s", ["cx:no"], reason="erased")
    store.close()
    assert version(old) == 1_000
