"""What the SQLite store refuses, and that neither the file nor the store suffers from a refusal."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from cenotaph.errors import StoreDamaged, StoreError, StoreLocked, StoreUnavailable, StoreVersionError
from cenotaph.store import schema
from cenotaph.store.check import verify_store
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.store_contract import content_of, put_object, record

nobody = 65534


def filled(path: Path, objects: int = 30) -> SqliteStore:
    store = SqliteStore(path)
    for number in range(objects):
        put_object(store, "s", os.urandom(3_000), span_id=f"span.{number}", position=number)
    store.put_record("s", record())
    return store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


# The file --------------------------------------------------------------------------------------


def test_the_file_and_its_companions_are_for_their_owner_only(path: Path) -> None:
    before = os.umask(0)
    try:
        store = filled(path)
    finally:
        os.umask(before)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    store.close()
    assert modes == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}


def test_the_header_says_whose_file_it_is_and_the_settings_are_the_measured_ones(path: Path) -> None:
    filled(path).close()
    with sqlite3.connect(path) as con:
        settings = {
            name: con.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("application_id", "user_version", "page_size", "journal_mode")
        }
        strict = {
            name: bool(flag)
            for _, name, *_, flag in con.execute("PRAGMA table_list")
            if name[:7] != "sqlite_"
        }
    con.close()
    assert settings == {
        "application_id": schema.application_id,
        "user_version": 1_002,
        "page_size": 16_384,
        "journal_mode": "wal",
    }
    assert strict == dict.fromkeys(("meta", "sessions", "objects", "spans", "handles", "records"), True)


def test_every_commit_waits_for_the_disk(path: Path) -> None:
    store = SqliteStore(path)
    with store._reading() as con:
        assert con.execute("PRAGMA synchronous").fetchone() == (2,)
    store.close()


def test_the_last_folder_of_the_path_is_made_for_its_owner_only(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "new" / "store.db").close()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_a_longer_missing_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable) as refusal:
        SqliteStore(tmp_path / "no" / "such" / "store.db")
    assert str(tmp_path / "no" / "such") in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    SqliteStore(path).close()
    assert path.stat().st_size > 0


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        SqliteStore(tmp_path)


def test_a_pipe_is_no_store_and_is_not_waited_for(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(StoreUnavailable):
        SqliteStore(path)


def test_a_file_in_the_place_of_the_folder_is_refused(path: Path) -> None:
    path.write_bytes(b"a file")
    with pytest.raises(StoreUnavailable):
        SqliteStore(path / "store.db")
    assert path.read_bytes() == b"a file"


# Strangers -------------------------------------------------------------------------------------


def foreign_database(path: Path, *, wal: bool) -> None:
    with sqlite3.connect(path) as con:
        con.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
        con.execute("CREATE TABLE theirs (x)")
        con.execute("INSERT INTO theirs VALUES (42)")
    con.close()


def left_behind(path: Path, make: str) -> None:
    """A database of a process that died: what it wrote last is in its log only."""
    folder = path.with_name("alive")
    folder.mkdir()
    con = sqlite3.connect(folder / path.name, isolation_level=None)
    con.execute("PRAGMA journal_mode = WAL")
    con.execute("CREATE TABLE theirs (x)")
    con.execute(make)
    con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    con.execute("INSERT INTO theirs VALUES (42)")
    for file in folder.iterdir():
        shutil.copy2(file, path.parent)
    con.close()
    shutil.rmtree(folder)


def newer_major(path: Path) -> None:
    filled(path).close()
    with sqlite3.connect(path) as con:
        con.execute("PRAGMA user_version = 2000")
        con.execute("DROP TABLE records")
    con.close()


strangers: dict[str, tuple[Callable[[Path], object], type[StoreError]]] = {
    "a foreign database": (lambda path: foreign_database(path, wal=False), StoreUnavailable),
    "a foreign database with a log": (lambda path: foreign_database(path, wal=True), StoreUnavailable),
    "a foreign database of a process that died": (
        lambda path: left_behind(path, "PRAGMA user_version = 3"),
        StoreUnavailable,
    ),
    "a text": (lambda path: path.write_text("Dear diary, " * 5_000), StoreDamaged),
    "a few bytes": (lambda path: path.write_bytes(b"abc"), StoreDamaged),
    "a header and nothing else": (lambda path: path.write_bytes(b"SQLite format 3\0"), StoreDamaged),
    "a newer major version": (newer_major, StoreVersionError),
}


@pytest.mark.parametrize("what", strangers)
def test_what_is_not_ours_is_refused_and_not_touched(path: Path, what: str) -> None:
    make, error = strangers[what]
    make(path)
    before = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in path.parent.iterdir()}
    with pytest.raises(error) as refusal:
        SqliteStore(path)
    assert refusal.value.details["path"] == str(path)
    after = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in path.parent.iterdir()}
    assert after == before


def test_a_newer_major_version_is_refused_by_name(path: Path) -> None:
    newer_major(path)
    with pytest.raises(StoreVersionError) as refusal:
        SqliteStore(path)
    assert (refusal.value.details["schema"], refusal.value.details["schema_major_max"]) == ("2.0", 1)


def test_a_newer_major_version_that_only_the_log_knows_is_refused_too(path: Path) -> None:
    filled(path).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 2000")
    other.commit()
    assert int.from_bytes(path.read_bytes()[60:64], "big") == 1_002
    with pytest.raises(StoreVersionError):
        SqliteStore(path)
    other.close()


def test_a_newer_minor_version_of_the_same_major_opens(path: Path) -> None:
    store = filled(path)
    before = content_of(store)
    store.close()
    with sqlite3.connect(path) as con:
        con.execute("PRAGMA user_version = 1007")
        con.execute("ALTER TABLE spans ADD COLUMN later TEXT")
        con.execute("CREATE TABLE later (x INTEGER) STRICT")
    con.close()
    again = SqliteStore(path)
    assert content_of(again) == before
    put_object(again, "s", b"more", span_id="more")
    again.close()
    with sqlite3.connect(path) as con:
        assert con.execute("PRAGMA user_version").fetchone() == (1_007,)
    con.close()


# Damage ----------------------------------------------------------------------------------------


def test_a_changed_object_is_damage_that_names_its_handle(path: Path) -> None:
    store = SqliteStore(path)
    handle = put_object(store, "s", b"word " * 500)
    put_object(store, "s", b"other", span_id="other")
    with sqlite3.connect(path) as con:
        con.execute("UPDATE objects SET body = zeroblob(length(body)) WHERE handle = ?", (handle,))
    con.close()
    with pytest.raises(StoreDamaged) as refusal:
        store.get("s", handle)
    assert refusal.value.details["handle"] == handle
    store.close()


@pytest.mark.parametrize("kept", [0.9, 0.5, 0.1, 0.02])
def test_a_file_that_was_cut_is_damage_and_never_a_gap(path: Path, kept: float) -> None:
    store = filled(path)
    handles = list(store.objects("s"))
    store.close()
    os.truncate(path, int(path.stat().st_size * kept))
    with pytest.raises(StoreDamaged):
        read_all(path, handles)


def read_all(path: Path, handles: list[str]) -> None:
    store = SqliteStore(path)
    for handle in handles:
        assert store.get("s", handle) is not None, "a lost object must not look like one never stored"


def test_a_lost_page_is_damage_and_never_a_gap(path: Path) -> None:
    store = filled(path)
    before = content_of(store)
    store.close()
    sound = path.read_bytes()
    outcomes = []
    for start in range(schema.page_bytes, len(sound), schema.page_bytes):
        path.write_bytes(sound[:start] + bytes(schema.page_bytes) + sound[start + schema.page_bytes :])
        with closing(SqliteStore(path)) as damaged:
            try:
                # Each object is asked for by name: a list of names could lose some along with the page.
                objects = {handle: damaged.get("s", handle) for handle in before["s"]["objects"]}
                outcomes.append((damaged.key(), content_of(damaged), objects))
            except StoreDamaged:
                continue
    assert all(content == before and objects == before["s"]["objects"] for _, content, objects in outcomes)
    assert len(outcomes) < len(sound) // schema.page_bytes // 2, "most pages hold something that is read"


@pytest.mark.parametrize("table", ["objects", "records", "sessions", "meta"])
def test_a_missing_table_is_damage(path: Path, table: str) -> None:
    filled(path).close()
    with sqlite3.connect(path) as con:
        con.execute(f"DROP TABLE {table}")
    con.close()
    store = SqliteStore(path)
    with pytest.raises(StoreDamaged):
        (store.key(), content_of(store))
    store.close()


def test_a_lost_key_is_damage(path: Path) -> None:
    store = SqliteStore(path)
    with sqlite3.connect(path) as con:
        con.execute("UPDATE meta SET value = x'00'")
    con.close()
    with pytest.raises(StoreDamaged):
        store.key()
    store.close()


def test_text_that_is_no_text_is_damage(path: Path) -> None:
    store = filled(path)
    with sqlite3.connect(path) as con:
        con.execute("UPDATE records SET body = CAST(x'ff' AS TEXT)")
    con.close()
    with pytest.raises(StoreDamaged):
        store.records("s")
    store.close()


# Room and access -------------------------------------------------------------------------------


@contextmanager
def file_bytes_at_most(limit: int) -> Iterator[None]:
    resource = pytest.importorskip("resource", reason="needs limits on the size of files")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_write_that_fails_at_any_byte_leaves_nothing_behind(path: Path) -> None:
    store = filled(path)
    before = content_of(store)
    objects = {f"cx:{number}": os.urandom(20_000) for number in range(8)}
    refusals = 0
    for limit in range(4_096, 4_000_000, 24_000):
        try:
            with file_bytes_at_most(limit):
                store.put_spans("s", objects, [])
        except StoreUnavailable:
            refusals += 1
            assert content_of(store) == before
        else:
            break
    assert refusals > 5
    assert all(store.get("s", handle) == data for handle, data in objects.items())
    assert store.self_check() == []
    store.close()


def test_a_store_that_may_not_grow_says_that_there_is_no_room_and_stays_usable(path: Path) -> None:
    store = filled(path)
    before = content_of(store)
    with store._reading() as con:
        pages = con.execute("PRAGMA page_count").fetchone()[0]
        con.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailable) as refusal:
        store.put_spans("s", {f"cx:{number}": os.urandom(50_000) for number in range(9)}, [])
    assert "no room" in str(refusal.value)
    assert content_of(store) == before
    with store._reading() as con:
        con.execute(f"PRAGMA max_page_count = {pages + 100}")
    put_object(store, "s", os.urandom(50_000), span_id="later")
    assert verify_store(store, read_data=True).ok
    store.close()


@contextmanager
def small_disk(tmp_path: Path, size: str) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    done = subprocess.run([mount, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True)
    if done.returncode != 0:
        pytest.skip("this machine does not let root mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_full_disk_refuses_the_write_and_keeps_the_store(tmp_path: Path) -> None:
    with small_disk(tmp_path, "1500k") as disk, closing(filled(disk / "store.db", objects=3)) as store:
        before = content_of(store)
        with pytest.raises(StoreUnavailable):
            store.put_spans("s", {f"cx:{number}": os.urandom(200_000) for number in range(9)}, [])
        assert content_of(store) == before
        put_object(store, "s", b"there is room for this", span_id="small")
        assert verify_store(store, read_data=True).ok
        fill(disk / "filler")
        with pytest.raises(StoreUnavailable):
            store.put_spans("s", {f"cx:{number}": os.urandom(200_000) for number in range(9)}, [])
        (disk / "filler").unlink()
        put_object(store, "s", b"and again", span_id="again")
        assert verify_store(store, read_data=True).ok


def test_a_disk_that_is_full_from_the_start_has_no_store(tmp_path: Path) -> None:
    with small_disk(tmp_path, "64k") as disk:
        fill(disk / "filler")
        with pytest.raises(StoreUnavailable):
            SqliteStore(disk / "store.db")
        (disk / "filler").unlink()


def fill(path: Path) -> None:
    with path.open("ab", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4_096):
            pass
    assert shutil.disk_usage(path).free < 4_096


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder without write access for this process; root steps down, since no mode binds it."""
    root = os.geteuid() == 0
    folder.chmod(0o555)
    for file in folder.iterdir():
        file.chmod(0o444)
    if root:
        os.seteuid(nobody)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user can reach: pytest's own lie below one that only its owner may enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_no_store_is_made_in_a_read_only_folder(open_folder: Path) -> None:
    with read_only(open_folder), pytest.raises(StoreUnavailable) as refusal:
        SqliteStore(open_folder / "store.db")
    assert refusal.value.details["errno"] == errno.EACCES
    assert list(open_folder.iterdir()) == []


def test_a_store_in_a_read_only_folder_is_unavailable_and_whole_afterwards(open_folder: Path) -> None:
    store = filled(open_folder / "store.db")
    before = content_of(store)
    store.close()
    with read_only(open_folder), pytest.raises(StoreUnavailable):
        put_object(SqliteStore(open_folder / "store.db"), "s", b"more", span_id="more")
    (open_folder / "store.db").chmod(0o600)
    again = SqliteStore(open_folder / "store.db")
    assert content_of(again) == before
    again.close()


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_write_to_a_file_that_is_gone_is_refused(path: Path, how: str) -> None:
    store = filled(path)
    path.rename(path.with_name("moved.db"))
    if how == "replaced":
        path.touch()
    with pytest.raises(StoreUnavailable):
        put_object(store, "s", b"lost", span_id="lost")
    store.close()


# Other processes -------------------------------------------------------------------------------

lock_and_wait = """
import sqlite3, sys
con = sqlite3.connect(sys.argv[1], isolation_level=None)
con.execute(sys.argv[2])
con.execute("SELECT count(*) FROM objects").fetchone()
print("locked", flush=True)
sys.stdin.read()
con.execute("ROLLBACK")
"""


@contextmanager
def locked_by_another_process(path: Path) -> Iterator[None]:
    holder = subprocess.Popen(
        [sys.executable, "-c", lock_and_wait, path, "BEGIN IMMEDIATE"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        try:
            yield
        finally:
            holder.communicate("", timeout=60)


def test_a_store_that_another_process_holds_is_locked_for_writers_and_open_for_readers(path: Path) -> None:
    filled(path).close()
    store = SqliteStore(path, lock_seconds=0.05)
    before = content_of(store)
    with locked_by_another_process(path):
        for write in (
            lambda: put_object(store, "s", b"more", span_id="more"),
            lambda: store.put_record("s", record(store.records("s")[-1])),
        ):
            with pytest.raises(StoreLocked):
                write()
        assert content_of(store) == before
    put_object(store, "s", b"more", span_id="more")
    assert verify_store(store, read_data=True).ok
    store.close()
