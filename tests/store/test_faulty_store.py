"""The faulty store fails exactly where it was told, and no failure leaves a warrant without its sources."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cenotaph.core.effects import HandleRow
from cenotaph.core.ids import store_handle
from cenotaph.errors import StoreDamaged, StoreError, StoreUnavailable
from cenotaph.store.base import Store
from cenotaph.store.check import verify_store
from cenotaph.store.memory import MemoryStore
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.faulty import FaultyStore, When
from cenotaph.testing.store_contract import content_of, put_object, record, span_row


def two_compactions(store: Store) -> None:
    """Writes in the order of the invariant: spans, handles, record; twice. All of it is idempotent."""
    newest = None
    for number in range(2):
        data = f"result {number} ".encode() * 30
        handle = store_handle(store.key(), "s", data)
        name = f"span.{number}"
        store.put_spans("s", {handle: data}, [span_row(handle, name, number)])
        store.put_handles("s", [HandleRow(f"file:{number}", "native", name, "live")])
        newest = record(newest, source_ref=handle)
        if newest not in store.records("s"):
            store.put_record("s", newest)


def kinds() -> list[object]:
    return [
        pytest.param(lambda path: SqliteStore(path / "store.db"), id="sqlite"),
        pytest.param(lambda path: MemoryStore(), id="memory"),
    ]


@pytest.mark.parametrize("make", kinds())
@pytest.mark.parametrize("when", list(When))
@pytest.mark.parametrize("fail_at", range(1, 7))
def test_a_failure_at_any_write_leaves_a_store_that_verifies_and_can_go_on(
    make: Callable[..., Store], when: When, fail_at: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    behind = make(tmp_path_factory.mktemp("store"))
    faulty = FaultyStore(behind, fail_at=fail_at, when=when)
    with pytest.raises(StoreUnavailable):
        two_compactions(faulty)
    assert len(faulty.writes) == fail_at
    assert verify_store(behind, read_data=True).findings == ()
    written = fail_at if when is When.after else fail_at - 1
    assert len(behind.records("s")) == written // 3
    two_compactions(behind)
    assert verify_store(behind, read_data=True).findings == ()
    assert len(behind.records("s")) == 2
    behind.close()


def test_the_script_above_writes_six_times_so_that_every_write_is_covered() -> None:
    faulty = FaultyStore(MemoryStore())
    two_compactions(faulty)
    assert faulty.writes == ["put_spans", "put_handles", "put_record"] * 2


def test_a_failure_before_the_write_changes_nothing_and_one_after_it_changes_all() -> None:
    for when, expected in ((When.before, None), (When.after, b"data")):
        behind = MemoryStore()
        with pytest.raises(StoreUnavailable):
            put_object(FaultyStore(behind, fail_at=1, when=when), "s", b"data")
        assert behind.get("s", store_handle(behind.key(), "s", b"data")) == expected


@pytest.mark.parametrize(("for_ever", "later"), [(False, "written"), (True, "refused")])
def test_a_failure_is_for_once_or_for_ever(for_ever: bool, later: str) -> None:
    behind = MemoryStore()
    faulty = FaultyStore(behind, fail_at=1, for_ever=for_ever)
    outcomes = []
    for _ in range(2):
        try:
            put_object(faulty, "s", b"data")
        except StoreUnavailable:
            outcomes.append("refused")
        else:
            outcomes.append("written")
    assert outcomes == ["refused", later]


def test_reads_fail_when_they_are_told_to() -> None:
    faulty = FaultyStore(MemoryStore(), reads_fail=True)
    reads: list[Callable[[], object]] = [
        faulty.key,
        faulty.sessions,
        lambda: faulty.get("s", "cx:a"),
        lambda: faulty.span_rows("s"),
        lambda: faulty.find("s", "a"),
        lambda: faulty.handle_values("s"),
        lambda: faulty.records("s"),
        lambda: faulty.objects("s"),
    ]
    for read in reads:
        with pytest.raises(StoreUnavailable):
            read()


def test_chosen_objects_are_damaged_and_others_are_not() -> None:
    behind = MemoryStore()
    bad, good = (put_object(behind, "s", data, span_id=data.decode()) for data in (b"bad", b"good"))
    faulty = FaultyStore(behind, damaged=[bad])
    assert faulty.get("s", good) == b"good"
    with pytest.raises(StoreDamaged) as refusal:
        faulty.get("s", bad)
    assert refusal.value.details["handle"] == bad


def test_the_error_can_be_chosen() -> None:
    class Chosen(StoreError):
        pass

    before = content_of(behind := MemoryStore())
    with pytest.raises(Chosen):
        put_object(FaultyStore(behind, fail_at=1, error=lambda: Chosen("as told")), "s", b"data")
    assert content_of(behind) == before
