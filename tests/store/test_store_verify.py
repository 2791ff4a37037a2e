"""`verify_store` finds each thing that can be wrong, names it by its code, and goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from cenotaph.core.effects import HandleRow
from cenotaph.core.ids import JSON, canonical_json, hash_of, store_handle
from cenotaph.core.manifest import Manifest
from cenotaph.errors import StoreDamaged, StoreUnavailable, StoreVersionError, UnknownSession
from cenotaph.store import schema
from cenotaph.store.base import Store
from cenotaph.store.check import Finding, FindingCode, VerifyReport, pointers_in, verify_store
from cenotaph.store.memory import MemoryStore
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.faulty import FaultyStore
from cenotaph.testing.store_contract import put_object, record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """Two sessions; `one` has two objects with names and three records, the first names an object."""
    store = SqliteStore(path)
    handle = put_object(store, "one", b"first " * 90)
    put_object(store, "one", b"second " * 90, span_id="span.1", position=1)
    store.put_handles("one", [HandleRow("file:a", "native", "span.0", "live")])
    first = record(tombstones=[f"[EVICTED:tool_result@t1.1:recover=file:a|{handle}]"])
    second = record(first)
    for made in (first, second, record(second)):
        store.put_record("one", made)
    store.put_record("two", record())
    yield store
    store.close()


def tamper(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as con:
        changed = con.execute(statement, values).rowcount
        assert changed != 0, "the statement that was to damage the store hit nothing"
    con.close()


def rewrite(path: Path, store: Store, session: str, number: int, change: Mapping[str, JSON]) -> str:
    """Changes fields of a stored record behind the store's back and leaves its id as it is."""
    old = store.records(session)[number]
    body = canonical_json({**old, **change}).decode()
    tamper(path, "UPDATE records SET body = ? WHERE record_id = ?", body, old["record_id"])
    return str(old["record_id"])


def codes(report: VerifyReport) -> list[str]:
    return [finding.code for finding in report.findings]


def test_a_sound_store_has_no_findings(store: Store) -> None:
    report = verify_store(store, read_data=True)
    assert report.ok
    assert report.to_dict() == {
        "store": store.url,
        "sessions": ["one", "two"],
        "records": 4,
        "objects": 2,
        "data_bytes": 90 * len(b"first second "),
        "read_data": True,
        "ok": True,
        "findings": [],
        "removed": [],
    }


@pytest.mark.parametrize(("reason", "code"), [("pruned", "object-pruned"), ("erased", "object-erased")])
def test_what_was_removed_on_purpose_is_told_and_is_no_damage(store: Store, reason: str, code: str) -> None:
    handle = next(iter(store.objects("one")))
    assert store.erase("one", [handle], reason=reason)
    report = verify_store(store, read_data=True)
    assert report.ok
    assert [(item.code, item.session, item.where) for item in report.removed] == [(code, "one", handle)]
    assert report.objects == 1
    assert report.to_dict()["removed"][0]["code"] == code


def test_a_record_whose_sources_were_removed_is_not_replayed_and_that_is_told(store: Store) -> None:
    handle = next(iter(store.objects("one")))
    store.erase("one", [handle], reason="erased")

    def replay(store: Store, session: str, record: Mapping[str, JSON]) -> list[Finding]:
        store.get("one", handle)
        return []

    report = verify_store(store, "one", replay=replay)
    assert report.ok
    assert [item.code for item in report.removed] == ["object-erased"] * report.records


def manifest(store: Store, spans: tuple[str, ...], folds: tuple[str, ...]) -> str:
    made = Manifest(spans, folds, (1, 2))
    handle = store_handle(store.key(), "one", made.encode())
    store.put_spans("one", {handle: made.encode()}, [made.row(handle, position=9)])
    return handle


def test_a_manifest_promises_that_what_it_names_is_there(store: Store) -> None:
    known = [row.span_id for row in store.span_rows("one")]
    sound = manifest(store, tuple(known), ())
    manifest(store, (), (sound, next(iter(store.objects("one")))))
    assert verify_store(store, "one", read_data=True).ok
    broken = manifest(store, (known[0], "nobody"), ("cx:0000000000000000",))
    found = verify_store(store, "one", read_data=True).findings
    assert [(item.code, item.where) for item in found] == [("manifest-dangling", broken)] * 2
    assert {name for name in ("nobody", "cx:0000000000000000") if any(name in item.note for item in found)} == {
        "nobody",
        "cx:0000000000000000",
    }


def test_a_row_that_says_manifest_of_what_is_none_is_a_finding(store: Store) -> None:
    data = b'"no manifest"'
    handle = store_handle(store.key(), "one", data)
    row = Manifest((), (), (0, 0)).row(handle, position=9)
    store.put_spans("one", {handle: data}, [row])
    found = verify_store(store, "one", read_data=True).findings
    assert [(item.code, item.where) for item in found] == [("manifest-dangling", handle)]


def test_one_session_can_be_checked_alone(path: Path, store: Store) -> None:
    rewrite(path, store, "two", 0, {"status": "forged"})
    assert verify_store(store, "one").ok
    assert codes(verify_store(store, "two")) == [FindingCode.record_id]


def test_an_unknown_session_is_refused(store: Store) -> None:
    with pytest.raises(UnknownSession) as refusal:
        verify_store(store, "three")
    assert refusal.value.details["session"] == "three"


def test_an_unreachable_store_is_no_finding(store: Store) -> None:
    with pytest.raises(StoreUnavailable):
        verify_store(FaultyStore(store, reads_fail=True))


# Chains ----------------------------------------------------------------------------------------


def test_a_changed_record_does_not_match_its_id(path: Path, store: Store) -> None:
    record_id = rewrite(path, store, "one", 1, {"status": "halted"})
    (finding,) = verify_store(store).findings
    assert (finding.code, finding.session, finding.where) == (FindingCode.record_id, "one", record_id)


def test_an_added_field_does_not_match_the_id(path: Path, store: Store) -> None:
    rewrite(path, store, "one", 1, {"surprise": 1})
    assert codes(verify_store(store)) == [FindingCode.record_id]


@pytest.mark.parametrize("name", ["at", "actor", "model", "sent"])
def test_what_the_world_adds_to_a_record_is_outside_its_id(path: Path, store: Store, name: str) -> None:
    rewrite(path, store, "one", 1, {name: "changed"})
    assert verify_store(store).ok


def test_the_fields_outside_the_id_can_be_named(path: Path, store: Store) -> None:
    rewrite(path, store, "one", 1, {"surprise": 1})
    assert verify_store(store, unhashed=frozenset({"surprise"})).ok


def test_a_removed_record_breaks_the_chain_and_leaves_a_gap(path: Path, store: Store) -> None:
    middle = store.records("one")[1]["record_id"]
    tamper(path, "DELETE FROM records WHERE record_id = ?", middle)
    assert codes(verify_store(store)) == [FindingCode.chain, FindingCode.seq]


def test_a_removed_first_record_breaks_the_chain(path: Path, store: Store) -> None:
    tamper(path, "DELETE FROM records WHERE record_id = ?", store.records("one")[0]["record_id"])
    assert codes(verify_store(store)) == [FindingCode.chain, FindingCode.seq]


def test_swapped_records_break_the_chain(path: Path, store: Store) -> None:
    ids = [one["record_id"] for one in store.records("one")]
    tamper(path, "UPDATE records SET id = -1 WHERE record_id = ?", ids[1])
    report = verify_store(store)
    assert set(codes(report)) == {FindingCode.chain, FindingCode.seq}


@pytest.mark.parametrize("seq", [7, 1, "2", None, True, 2.0])
def test_a_number_that_does_not_follow_is_a_finding_even_with_a_matching_id(seq: JSON) -> None:
    store = MemoryStore()
    first = record()
    store.put_record("s", first)
    second = {name: value for name, value in record(first).items() if name != "record_id"} | {"seq": seq}
    store.put_record("s", {"record_id": hash_of(second), **second})
    assert codes(verify_store(store)) == [FindingCode.seq]


@pytest.mark.parametrize(
    ("version", "understood"),
    [
        ("1.0", True),
        ("1.9", True),
        (1, True),
        ("1", True),
        ("2.0", False),
        (2, False),
        ("x", False),
        (None, False),
    ],
)
def test_a_record_of_another_major_version_is_named(version: JSON, understood: bool) -> None:
    store = MemoryStore()
    store.put_record("s", record(schema_version=version))
    replayed: list[str] = []

    def replay(_: Store, session: str, __: Mapping[str, JSON]) -> list[Finding]:
        replayed.append(session)
        return []

    assert codes(verify_store(store, replay=replay)) == ([] if understood else [FindingCode.record_version])
    assert replayed == (["s"] if understood else [])


# Pointers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        {"tombstones": ["[EVICTED:tool_result@t1:recover=file:a|cx:00000000000000aa]"]},
        {"tombstones": [{"kind": "tool_result", "recover": ["file:a", "cx:00000000000000aa"]}]},
        {"source_ref": "cx:00000000000000aa"},
        {"view_ref": {"manifest": ["cx:00000000000000aa"]}},
        {"entries": [{"span": "a.0", "handle": "cx:00000000000000aa"}]},
    ],
    ids=["line", "tombstone", "source", "view", "entry"],
)
def test_a_pointer_to_nothing_is_a_finding(fields: dict[str, JSON]) -> None:
    store = MemoryStore()
    made = record(**fields)
    store.put_record("s", made)
    (finding,) = verify_store(store).findings
    assert (finding.code, finding.where) == (FindingCode.pointer, made["record_id"])
    assert "cx:00000000000000aa" in finding.note


def test_a_pointer_into_another_session_is_a_pointer_to_nothing() -> None:
    store = MemoryStore()
    handle = put_object(store, "other", b"data")
    store.put_record("s", record(source_ref=handle))
    assert codes(verify_store(store)) == [FindingCode.pointer]


def test_what_only_looks_like_a_pointer_is_not_followed() -> None:
    text = ["file:cx:00000000000000aa", "xcx:00000000000000aa", "cx:short", "cx:00000000000000aaz"]
    assert list(pointers_in({"recover": text})) == []
    store = MemoryStore()
    store.put_record("s", record(handles=["cx:00000000000000aa"], note="cx:00000000000000aa"))
    assert verify_store(store).ok


def test_pointers_come_in_order_from_any_depth() -> None:
    value: JSON = {
        "a": [{"b": "cx:0000000000000001"}, "see cx:0000000000000002."],
        "c": "[x=cx:0000000000000003|NO]",
    }
    deep: JSON = value
    for _ in range(5_000):
        deep = [deep]
    assert [pointer[-1] for pointer in pointers_in(deep)] == ["1", "2", "3"]


# Data ------------------------------------------------------------------------------------------


def handle_of(store: Store, data: bytes) -> str:
    return store_handle(store.key(), "one", data)


damages: dict[str, tuple[Callable[[Path, str], None], list[FindingCode]]] = {
    "other bytes": (
        lambda path, handle: tamper(
            path, "UPDATE objects SET body = zeroblob(length(body)) WHERE handle = ?", handle
        ),
        [FindingCode.object_damaged],
    ),
    "an unknown codec": (
        lambda path, handle: tamper(path, "UPDATE objects SET codec = 77 WHERE handle = ?", handle),
        [FindingCode.object_unreadable],
    ),
    "another name": (
        lambda path, handle: tamper(
            path, "UPDATE objects SET handle = 'cx:ffffffffffffffff' WHERE handle = ?", handle
        ),
        [FindingCode.handle, FindingCode.span],
    ),
    "no object": (
        lambda path, handle: tamper(path, "DELETE FROM objects WHERE handle = ?", handle),
        [FindingCode.span],
    ),
    "no span": (
        lambda path, handle: tamper(path, "DELETE FROM spans WHERE span_id = 'span.0'"),
        [FindingCode.name],
    ),
}


@pytest.mark.parametrize("what", damages)
def test_damage_is_found_when_data_is_read(path: Path, store: Store, what: str) -> None:
    damage, expected = damages[what]
    data = b"first " if what == "no span" else b"second "
    damage(path, handle_of(store, data * 90))
    assert verify_store(store).ok
    assert codes(verify_store(store, read_data=True)) == expected


def test_an_object_put_in_by_another_hand_is_found(store: Store) -> None:
    store.put_spans("one", {"cx:00000000000000aa": b"forged"}, [])
    (finding,) = verify_store(store, read_data=True).findings
    assert (finding.code, finding.where) == (FindingCode.handle, "cx:00000000000000aa")


def test_one_finding_does_not_hide_the_next(path: Path, store: Store) -> None:
    rewrite(path, store, "one", 0, {"status": "halted"})
    rewrite(path, store, "two", 0, {"status": "halted"})
    tamper(path, "UPDATE objects SET digest = zeroblob(32)")
    report = verify_store(store, read_data=True)
    assert codes(report) == [
        FindingCode.record_id,
        FindingCode.object_damaged,
        FindingCode.object_damaged,
        FindingCode.record_id,
    ]
    assert [finding.session for finding in report.findings] == ["one", "one", "one", "two"]


def test_records_that_cant_be_read_are_a_finding_and_the_next_session_is_checked(
    path: Path, store: Store
) -> None:
    tamper(path, "UPDATE records SET body = '{' WHERE session = 1")
    rewrite(path, store, "two", 0, {"status": "halted"})
    report = verify_store(store)
    assert [(finding.code, finding.session) for finding in report.findings] == [
        (FindingCode.store, "one"),
        (FindingCode.record_id, "two"),
    ]


def test_an_index_that_lost_an_entry_is_found(path: Path, store: SqliteStore) -> None:
    store.close()
    with sqlite3.connect(path) as con:
        con.execute("PRAGMA writable_schema = ON")
        con.execute("UPDATE sqlite_master SET sql = replace(sql, '(session, span_id)', '(session, kind)')")
    con.close()
    again = SqliteStore(path)
    assert FindingCode.store in codes(verify_store(again, read_data=True))
    again.close()


def test_no_lost_page_passes_unseen_and_none_stops_the_check(path: Path, store: SqliteStore) -> None:
    newest = None
    for number in range(40):
        data = hash_of(number).encode() * 40
        put_object(store, "three", data, span_id=f"span.{number}", position=number)
        newest = record(newest, noise=f"{number:05}" * 2_000)
        store.put_record("three", newest)
    store.close()
    sound = path.read_bytes()
    unseen = []
    for start in range(schema.page_bytes, len(sound), schema.page_bytes):
        path.write_bytes(sound[:start] + bytes(schema.page_bytes) + sound[start + schema.page_bytes :])
        damaged = SqliteStore(path)
        if verify_store(damaged, read_data=True).ok:
            unseen.append(start // schema.page_bytes)
        damaged.close()
    assert len(sound) > 20 * schema.page_bytes
    assert unseen == []


# Replay ----------------------------------------------------------------------------------------


def test_what_the_replay_finds_stands_among_the_findings(store: Store) -> None:
    asked: list[tuple[str, str]] = []

    def replay(given: Store, session: str, one: Mapping[str, JSON]) -> list[Finding]:
        assert given is store
        asked.append((session, one["record_id"]))
        return [Finding("view-mismatch", session, one["record_id"], "differs")] if session == "two" else []

    report = verify_store(store, replay=replay)
    assert asked == [(name, one["record_id"]) for name in ("one", "two") for one in store.records(name)]
    assert codes(report) == ["view-mismatch"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StoreDamaged("damaged"), FindingCode.object_damaged),
        (StoreVersionError("newer"), FindingCode.object_unreadable),
    ],
)
def test_what_a_replay_cant_read_is_a_finding(store: Store, error: Exception, code: FindingCode) -> None:
    def replay(_: Store, __: str, ___: Mapping[str, JSON]) -> list[Finding]:
        raise error

    assert codes(verify_store(store, "two", replay=replay)) == [code]


def test_a_mistake_in_a_replay_is_not_taken_for_a_finding(store: Store) -> None:
    def replay(_: Store, __: str, ___: Mapping[str, JSON]) -> list[Finding]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        verify_store(store, replay=replay)
