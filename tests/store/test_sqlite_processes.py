"""Several processes on one file, processes that die, and processes that fork."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cenotaph.errors import StoreDamaged
from cenotaph.store.check import verify_store
from cenotaph.store.codec import Encoded, Encoder
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.store_contract import put_object

# Each program waits for a line on its standard input, so that all of them begin at once.
opener = """
import sys
from cenotaph.store.sqlite import SqliteStore
print("ready", flush=True); sys.stdin.readline()
print(SqliteStore(sys.argv[1]).key().hex(), flush=True)
"""

appender = """
import sys
from cenotaph.errors import StoreConflict
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.store_contract import record
store = SqliteStore(sys.argv[1])
newest = store.records("s")[-1:]
print("ready", flush=True); sys.stdin.readline()
try:
    store.put_record("s", record(newest[0] if newest else None, rival=sys.argv[2]))
    print("won", flush=True)
except StoreConflict:
    print("lost", flush=True)
"""

writer = """
import os, sys
from cenotaph.core.effects import HandleRow
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.store_contract import put_object, record
store = SqliteStore(sys.argv[1], lock_seconds=60)
session, rounds = sys.argv[2], int(sys.argv[3])
print("ready", flush=True); sys.stdin.readline()
newest = (store.records(session) or [None])[-1]
for _ in range(rounds):
    number = 1 if newest is None else newest["seq"] + 1
    name = f"span.{number}"
    handle = put_object(store, session, os.urandom(20_000), span_id=name, position=number)
    store.put_handles(session, [HandleRow(f"file:{number}", "native", name, "live")])
    newest = record(newest, tombstones=[f"[EVICTED:tool_result@t1:recover={handle}]"])
    store.put_record(session, newest)
    print(newest["record_id"], flush=True)
"""


def started(program: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def begin(processes: list[subprocess.Popen[str]]) -> None:
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


def answers(processes: list[subprocess.Popen[str]]) -> list[str]:
    begin(processes)
    said = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return said


def test_processes_that_make_the_store_at_once_agree_on_its_key(tmp_path: Path) -> None:
    for number in range(4):
        path = tmp_path / f"{number}.db"
        keys = set(answers([started(opener, path) for _ in range(8)]))
        assert len(keys) == 1
        store = SqliteStore(path)
        assert {store.key().hex() + "\n"} == keys
        store.close()


def test_of_processes_that_append_at_once_exactly_one_wins(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    SqliteStore(path).close()
    for number in range(1, 4):
        said = answers([started(appender, path, rival) for rival in range(4)])
        assert sorted(said) == ["lost\n"] * 3 + ["won\n"]
        store = SqliteStore(path)
        assert len(store.records("s")) == number
        assert verify_store(store).ok
        store.close()


def test_processes_write_their_sessions_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    sessions = [f"session {number}" for number in range(4)]
    said = answers([started(writer, path, session, 12) for session in sessions])
    store = SqliteStore(path)
    assert sorted(store.sessions()) == sessions
    for session, ids in zip(sessions, said, strict=True):
        assert [one["record_id"] for one in store.records(session)] == ids.split()
    report = verify_store(store, read_data=True)
    assert report.findings == ()
    assert (report.records, report.objects) == (48, 48)
    store.close()


@pytest.mark.parametrize("seed", range(6))
def test_a_killed_writer_leaves_the_old_state_or_the_new_one(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "store.db"
    chance = random.Random(seed)
    acknowledged: list[str] = []
    for _ in range(3):
        process = started(writer, path, "s", 10_000)
        begin([process])
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 25)):
            acknowledged.append(process.stdout.readline().strip())
        for _ in range(chance.randrange(20_000)):
            pass  # Lets the writer run on for a moment that differs each time; nothing depends on it.
        process.send_signal(signal.SIGKILL)
        with process:
            acknowledged += process.stdout.read().split()
        store = SqliteStore(path)
        found = [one["record_id"] for one in store.records("s")]
        # The last word may have been cut off between the commit and the print.
        assert found[: len(acknowledged)] == acknowledged
        assert len(found) - len(acknowledged) in (0, 1)
        assert verify_store(store, read_data=True).findings == ()
        store.close()
        acknowledged = found


class _Interloper(Encoder):
    """Lets another writer in at the moment between a store's look and its write."""

    def __init__(self, write: Callable[[], None]) -> None:
        super().__init__()
        self._intrude = write

    def encode(self, handle: str, data: bytes) -> Encoded:
        self._intrude()
        return super().encode(handle, data)


@pytest.mark.parametrize("same", [True, False])
def test_an_object_that_another_writer_put_in_between_stands_if_it_is_the_same(
    tmp_path: Path, same: bool
) -> None:
    store, other = (SqliteStore(tmp_path / "store.db") for _ in range(2))
    theirs = b"ours" if same else b"theirs"
    store._encoder = _Interloper(lambda: other.put_spans("s", {"cx:a": theirs}, []))
    if same:
        store.put_spans("s", {"cx:a": b"ours", "cx:b": b"more"}, [])
    else:
        with pytest.raises(StoreDamaged) as refusal:
            store.put_spans("s", {"cx:a": b"ours", "cx:b": b"more"}, [])
        assert refusal.value.details["handle"] == "cx:a"
    assert (store.get("s", "cx:a"), store.get("s", "cx:b")) == (theirs, b"more" if same else None)
    store.close()
    other.close()


def test_a_store_that_crosses_a_fork_works_on_both_sides(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    put_object(store, "parent", b"before", span_id="before")
    with store._reading() as connection:
        pass
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            put_object(store, "child", b"from the child", span_id="child")
            with store._reading() as own_connection:
                assert own_connection is not connection, "a connection must not be used across a fork"
            os.write(theirs, json.dumps(store.sessions()).encode())
            store.close()
            status = 0
        finally:
            os._exit(status)
    os.close(theirs)
    assert json.loads(os.read(ours, 1_000)) == ["parent", "child"]
    os.close(ours)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    put_object(store, "parent", b"after", span_id="after")
    assert store.sessions() == ["parent", "child"]
    assert verify_store(store, read_data=True).ok
    store.close()
