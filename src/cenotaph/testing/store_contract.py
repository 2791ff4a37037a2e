"""The store contract as tests: a backend keeps it when a subclass of `StoreContract` passes in full.

    class TestMyStore(StoreContract):
        def open(self, place: Path) -> Store:
            return MyStore(place / "data")

Each test is one law of `cenotaph.store.base`. Nothing here knows a backend.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import pytest

from cenotaph import limits
from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.ids import JSON, canonical_json, hash_of, sha256_hex, store_handle
from cenotaph.core.record import record_id_of
from cenotaph.errors import (
    ConfigurationError,
    StoreConflict,
    StoreDamaged,
    StoreErased,
    StoreError,
    StorePruned,
    StoreUnavailable,
)
from cenotaph.store.base import Store
from cenotaph.store.check import verify_store

strange_texts = (
    "",
    " ",
    "0",
    "it's; DROP TABLE spans; --",
    "null\0byte",
    "line\nbreak",
    "Ünïcödé 漢字 🗿",
    "lone \ud800 surrogate",
    "\udfff",
    "x" * 5_000,
)
"""Names that must come back as they went in; foreign JSON can carry each of them."""


def span_row(handle: str, span_id: str = "span.0", position: int = 0, **facts: JSON) -> SpanRow:
    """A row about a tool result in turn 1, but for what is said otherwise."""
    row = SpanRow(
        span_id=span_id,
        handle=handle,
        position=position,
        message=position,
        turn=1,
        exchange=1,
        kind="result",
        provenance="tool",
        tool="read",
        shell='{"type":"tool_result","content":null}',
        slot='["content"]',
    )
    return replace(row, **facts)


def record(previous: Mapping[str, JSON] | None = None, **fields: JSON) -> dict[str, JSON]:
    """The record that follows `previous`, with its own id."""
    made: dict[str, JSON] = {
        "schema_version": "1.0",
        "seq": 1 if previous is None else previous["seq"] + 1,
        "previous": None if previous is None else previous["record_id"],
        "status": "verified",
        **fields,
    }
    return {"record_id": record_id_of(made), **made}


def put_object(store: Store, session: str, data: bytes, **facts: JSON) -> str:
    """Stores `data` with a row about it, under the handle that is its due."""
    handle = store_handle(store.key(), session, data)
    store.put_spans(session, {handle: data}, [span_row(handle, **facts)])
    return handle


def content_of(store: Store) -> JSON:
    """All that can be read of a store, for comparison before and after."""
    return {
        session: {
            "objects": {handle: _bytes_or_why_not(store, session, handle) for handle in store.objects(session)},
            "rows": store.span_rows(session),
            "handles": {value: store.find(session, value) for value in store.handle_values(session)},
            "records": store.records(session),
        }
        for session in store.sessions()
    }


def _bytes_or_why_not(store: Store, session: str, handle: str) -> bytes | str | None:
    try:
        return store.get(session, handle)
    except (StorePruned, StoreErased) as removed:
        return removed.code


class StoreContract:
    """Subclass it, name the subclass `Test...`, and say how a store is opened."""

    def open(self, place: Path) -> Store:
        """Opens the store at `place`: the same content each time for the same place."""
        raise NotImplementedError

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        return tmp_path

    @pytest.fixture
    def store(self, place: Path) -> Iterator[Store]:
        store = self.open(place)
        yield store
        store.close()

    # Key and opening ------------------------------------------------------------------------

    def test_the_key_has_32_bytes_and_stays(self, store: Store, place: Path) -> None:
        again = self.open(place)
        assert len(store.key()) == 32
        assert store.key() == store.key() == again.key()
        again.close()

    def test_two_stores_have_two_keys(self, store: Store, tmp_path_factory: pytest.TempPathFactory) -> None:
        other = self.open(tmp_path_factory.mktemp("other"))
        assert other.key() != store.key()
        other.close()

    def test_what_one_opener_wrote_another_reads(self, store: Store, place: Path) -> None:
        handle = put_object(store, "s", b"data")
        store.put_handles("s", [HandleRow("file:a", "native", "span.0", "live")])
        store.put_record("s", record())
        again = self.open(place)
        assert content_of(again) == content_of(store)
        assert again.get("s", handle) == b"data"
        again.close()

    def test_content_outlives_close(self, store: Store, place: Path) -> None:
        handle = put_object(store, "s", b"data")
        store.close()
        again = self.open(place)
        assert again.get("s", handle) == b"data"
        again.close()

    def test_closing_twice_is_fine_and_a_closed_store_says_so(self, store: Store) -> None:
        store.close()
        store.close()
        with pytest.raises(StoreUnavailable):
            store.sessions()
        with pytest.raises(StoreUnavailable):
            store.put_record("s", record())
        with pytest.raises(StoreUnavailable):
            store.erase("s", ["cx:a"], reason="erased")

    def test_an_unknown_session_is_empty_not_an_error(self, store: Store) -> None:
        assert store.get("nobody", "cx:0000000000000000") is None
        assert store.span_rows("nobody") == []
        assert store.find("nobody", "file:a") == []
        assert store.handle_values("nobody") == []
        assert store.records("nobody") == []
        assert list(store.objects("nobody")) == []
        assert store.sessions() == []

    # Objects --------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"\0",
            b"short",
            b"x" * 127,
            b"x" * 128,
            bytes(range(256)) * 40,
            "漢字🗿".encode() * 999,
            b"a" * 3_000_000,
        ],
        ids=["empty", "zero", "short", "127", "128", "binary", "text", "large"],
    )
    def test_bytes_come_back_as_they_went_in(self, store: Store, data: bytes) -> None:
        assert store.get("s", put_object(store, "s", data)) == data

    def test_incompressible_bytes_come_back_as_they_went_in(self, store: Store) -> None:
        data = b"".join(hash_of(number).encode()[:32] for number in range(500))
        assert store.get("s", put_object(store, "s", data)) == data

    def test_putting_the_same_again_changes_nothing(self, store: Store) -> None:
        put_object(store, "s", b"data")
        store.put_handles("s", [HandleRow("file:a", "native", "span.0", "live")])
        before = content_of(store)
        put_object(store, "s", b"data")
        store.put_handles("s", [HandleRow("file:a", "native", "span.0", "live")] * 2)
        assert content_of(store) == before

    def test_other_bytes_under_a_known_handle_are_refused_and_leave_no_trace(self, store: Store) -> None:
        handle = put_object(store, "s", b"data")
        before = content_of(store)
        with pytest.raises(StoreDamaged) as refusal:
            store.put_spans("s", {"cx:new": b"new", handle: b"forged"}, [span_row("cx:new", "span.1")])
        assert refusal.value.details["handle"] == handle
        assert content_of(store) == before

    def test_a_handle_resolves_inside_its_session_only(self, store: Store) -> None:
        handle = put_object(store, "one", b"data")
        put_object(store, "two", b"other")
        assert store.get("two", handle) is None
        assert store.span_rows("two", handle=handle) == []

    def test_the_same_handle_in_two_sessions_is_two_objects(self, store: Store) -> None:
        store.put_spans("one", {"cx:a": b"one"}, [])
        store.put_spans("two", {"cx:a": b"two"}, [])
        assert (store.get("one", "cx:a"), store.get("two", "cx:a")) == (b"one", b"two")

    def test_an_object_above_the_bound_is_refused_and_so_is_its_whole_call(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "span_bytes_max", 1_000)
        store.put_spans("s", {"cx:fits": b"x" * 1_000}, [])
        before = content_of(store)
        with pytest.raises(StoreError) as refusal:
            store.put_spans("s", {"cx:small": b"small", "cx:large": b"x" * 1_001}, [])
        assert refusal.value.details["handle"] == "cx:large"
        assert refusal.value.details["bytes_max"] == 1_000
        assert content_of(store) == before

    def test_many_objects_come_back_in_the_order_they_were_written(self, store: Store) -> None:
        objects = {f"cx:{number:016x}": b"%d" % number * 50 for number in reversed(range(2_500))}
        rows = [span_row(handle, f"span.{n}", n) for n, handle in enumerate(objects)]
        store.put_spans("s", objects, rows)
        assert list(store.objects("s")) == list(objects)
        assert store.span_rows("s", span_ids=[row.span_id for row in rows]) == rows
        assert all(store.get("s", handle) == data for handle, data in objects.items())

    def test_objects_may_be_written_while_they_are_listed(self, store: Store) -> None:
        store.put_spans("s", {"cx:a": b"a", "cx:b": b"b"}, [])
        for handle in store.objects("s"):
            store.put_spans("s", {handle + "x": b"more"}, [])
        assert list(store.objects("s")) == ["cx:a", "cx:b", "cx:ax", "cx:bx"]

    def test_an_empty_put_makes_no_session(self, store: Store) -> None:
        store.put_spans("s", {}, [])
        store.put_handles("s", [])
        assert store.sessions() == []

    # Span rows ------------------------------------------------------------------------------

    def test_rows_come_in_order_of_position_then_of_writing(self, store: Store) -> None:
        rows = [span_row("cx:a", name, position) for name, position in [("c", 7), ("a", 2), ("b", 7)]]
        store.put_spans("s", {"cx:a": b"a"}, rows)
        assert [row.span_id for row in store.span_rows("s")] == ["a", "c", "b"]
        assert [row.span_id for row in store.span_rows("s", span_ids=["b", "c"])] == ["c", "b"]

    def test_rows_are_found_by_handle_by_name_and_by_both(self, store: Store) -> None:
        store.put_spans(
            "s",
            {"cx:a": b"a", "cx:b": b"b"},
            [span_row("cx:a", "one"), span_row("cx:a", "two", 1), span_row("cx:b", "three", 2)],
        )
        found = {
            "handle": store.span_rows("s", handle="cx:a"),
            "names": store.span_rows("s", span_ids=["three", "one", "nobody", "one"]),
            "both": store.span_rows("s", handle="cx:a", span_ids=["two", "three"]),
            "no names": store.span_rows("s", span_ids=[]),
        }
        names = {question: [row.span_id for row in rows] for question, rows in found.items()}
        assert names == {
            "handle": ["one", "two"],
            "names": ["one", "three"],
            "both": ["two"],
            "no names": [],
        }

    def test_rows_are_found_by_turn_beside_every_other_condition(self, store: Store) -> None:
        rows = [span_row("cx:a", f"s{n}", n, turn=n // 2) for n in range(6)]
        store.put_spans("s", {"cx:a": b"a", "cx:b": b"b"}, [*rows, replace(rows[2], span_id="other", handle="cx:b")])
        assert [row.span_id for row in store.span_rows("s", turn=1)] == ["s2", "other", "s3"]
        assert [row.span_id for row in store.span_rows("s", turn=1, handle="cx:a")] == ["s2", "s3"]
        assert [row.span_id for row in store.span_rows("s", turn=1, span_ids=["s3", "s4"])] == ["s3"]
        assert store.span_rows("s", turn=9) == store.span_rows("nobody", turn=1) == []

    def test_rows_of_many_turns_are_found_by_turn_as_a_full_reading_finds_them(self, store: Store) -> None:
        rows = [span_row(f"cx:{n % 5}", f"s{n % 120}", n * 7 % 400, turn=n * n % 23) for n in range(400)]
        for start in range(0, len(rows), 90):
            store.put_spans("s", {f"cx:{n}": b"%d" % n for n in range(5)}, rows[start : start + 90])
        store.put_spans("other", {"cx:0": b"0"}, [span_row("cx:0", "elsewhere", turn=4)])
        whole, names = store.span_rows("s"), ["s3", "s119", "s7", "nobody", "s7"]
        assert len(whole) == 400
        for turn in range(25):
            here = [row for row in whole if row.turn == turn]
            assert store.span_rows("s", turn=turn) == here
            assert store.span_rows("s", turn=turn, handle="cx:2") == [row for row in here if row.handle == "cx:2"]
            assert store.span_rows("s", turn=turn, span_ids=names) == [row for row in here if row.span_id in names]

    def test_a_row_keeps_every_field(self, store: Store) -> None:
        row = SpanRow(**_distinct_values(SpanRow))
        store.put_spans("s", {row.handle: b"a"}, [row, toolless := replace(row, tool=None)])
        store.put_spans("s", {}, [row, toolless])
        assert store.span_rows("s") == [row, toolless]
        name = HandleRow(**_distinct_values(HandleRow) | {"span_id": row.span_id})
        store.put_handles("s", [name])
        assert store.find("s", name.value) == [name]

    @pytest.mark.parametrize("name", [field.name for field in fields(SpanRow) if field.name != "handle"])
    def test_rows_that_differ_in_one_field_are_two(self, store: Store, name: str) -> None:
        row = SpanRow(**_distinct_values(SpanRow))
        change: JSON = {name: 99 if isinstance(getattr(row, name), int) else "another"}
        other = replace(row, **change)
        store.put_spans("s", {row.handle: b"a"}, [row, other])
        assert len(store.span_rows("s")) == 2

    def test_other_facts_about_a_span_stand_beside_the_first(self, store: Store) -> None:
        first = span_row("cx:a", position=1)
        moved = replace(first, position=5)
        store.put_spans("s", {"cx:a": b"a"}, [first])
        store.put_spans("s", {}, [moved, first])
        assert store.span_rows("s") == [first, moved]

    def test_a_row_about_an_object_that_is_not_there_is_refused(self, store: Store) -> None:
        put_object(store, "other", b"data", span_id="x")
        before = content_of(store)
        with pytest.raises(StoreError) as refusal:
            store.put_spans("s", {"cx:a": b"a"}, [span_row("cx:a"), span_row("cx:gone", "span.1")])
        assert refusal.value.details["handles"] == ["cx:gone"]
        assert content_of(store) == before

    # Handles --------------------------------------------------------------------------------

    def test_a_name_is_found_by_its_exact_value_only(self, store: Store) -> None:
        put_object(store, "s", b"data")
        rows = [HandleRow(value, "path", "span.0") for value in ("src/App.py", "src/app.py", "src/app")]
        store.put_handles("s", rows)
        assert store.find("s", "src/app.py") == [rows[1]]
        assert store.find("s", "src/%") == []
        assert store.handle_values("s") == ["src/App.py", "src/app.py", "src/app"]

    def test_each_state_of_a_name_is_kept_in_order(self, store: Store) -> None:
        put_object(store, "s", b"data")
        live, dead = (HandleRow("file:a", "native", "span.0", state) for state in ("live", "dead"))
        store.put_handles("s", [live])
        store.put_handles("s", [dead])
        assert store.find("s", "file:a") == [live, dead]
        assert store.handle_values("s") == ["file:a"]

    def test_a_name_of_a_span_that_is_not_there_is_refused(self, store: Store) -> None:
        put_object(store, "s", b"data")
        with pytest.raises(StoreError) as refusal:
            store.put_handles("s", [HandleRow("a", "path", "span.0"), HandleRow("b", "path", "span.9")])
        assert refusal.value.details["span_ids"] == ["span.9"]
        assert store.handle_values("s") == []

    @pytest.mark.parametrize("text", strange_texts, ids=lambda text: repr(text)[:30])
    def test_any_text_is_a_name_and_comes_back_unchanged(self, store: Store, text: str) -> None:
        row = span_row("cx:a", f"span{text}", tool=text, shell=text, slot=text)
        name = HandleRow(text, "path", f"span{text}")
        store.put_spans(text, {"cx:a": b"a"}, [row])
        store.put_handles(text, [name])
        made = record(note=text)
        store.put_record(text, made)
        assert store.sessions() == [text]
        assert store.span_rows(text, span_ids=[f"span{text}"]) == [row]
        assert store.find(text, text) == [name]
        assert store.handle_values(text) == [text]
        assert canonical_json(store.records(text)) == canonical_json([made])

    @pytest.mark.parametrize("text", strange_texts, ids=lambda text: repr(text)[:30])
    def test_any_text_may_be_asked_for(self, store: Store, text: str) -> None:
        put_object(store, "s", b"data")
        assert store.get("s", text) is None
        assert store.get(text, text) is None
        assert store.find("s", text) == []
        assert store.span_rows("s", handle=text) == store.span_rows("s", span_ids=[text]) == []

    # Removal --------------------------------------------------------------------------------

    @pytest.mark.parametrize(("reason", "error"), [("pruned", StorePruned), ("erased", StoreErased)])
    def test_a_removed_object_has_no_bytes_and_keeps_all_else(
        self, store: Store, place: Path, reason: str, error: type[StoreError]
    ) -> None:
        handle, other = (put_object(store, "s", data, span_id=data.decode()) for data in (b"gone", b"kept"))
        store.put_handles("s", [HandleRow("file:a", "native", "gone")])
        before = content_of(store)
        assert store.erase("s", [handle], reason=reason)
        again = self.open(place)
        for one in (store, again):
            with pytest.raises(error) as refusal:
                one.get("s", handle)
            facts = refusal.value.details
            assert (facts["handle"], facts["bytes"]) == (handle, 4)
            assert facts["sha256"] == sha256_hex(b"gone")
            assert content_of(one) == {"s": before["s"] | {"objects": {handle: error.code, other: b"kept"}}}
        again.close()

    def test_removing_again_changes_nothing_and_what_was_erased_stays_so(self, store: Store) -> None:
        handle = put_object(store, "s", b"data")
        for reason in ("pruned", "pruned", "erased", "erased", "pruned"):
            assert store.erase("s", [handle], reason=reason)
        with pytest.raises(StoreErased):
            store.get("s", handle)

    def test_removing_what_is_not_there_removes_nothing(self, store: Store) -> None:
        handle = put_object(store, "s", b"data")
        put_object(store, "other", b"data of another session")
        before = content_of(store)
        for session, wanted in (("s", [handle, "cx:gone"]), ("other", [handle]), ("nobody", [handle])):
            with pytest.raises(StoreError) as refusal:
                store.erase(session, wanted, reason="erased")
            assert refusal.value.details["handles"] == [wanted[-1]]
        with pytest.raises(ConfigurationError):
            store.erase("s", [handle], reason="raw")
        assert store.erase("s", [], reason="erased")
        assert content_of(store) == before

    def test_removal_is_of_one_session(self, store: Store) -> None:
        for session in ("one", "two"):
            store.put_spans(session, {"cx:a": b"the same"}, [])
        store.erase("one", ["cx:a"], reason="erased")
        assert store.get("two", "cx:a") == b"the same"

    def test_a_pruned_object_may_come_again_and_only_with_its_own_bytes(self, store: Store) -> None:
        handle = put_object(store, "s", b"data" * 100)
        store.erase("s", [handle], reason="pruned")
        with pytest.raises(StoreDamaged):
            store.put_spans("s", {handle: b"other"}, [])
        put_object(store, "s", b"data" * 100)
        assert store.get("s", handle) == b"data" * 100
        assert list(store.objects("s")) == [handle]
        assert store.span_rows("s") == [span_row(handle)]

    def test_an_erased_object_is_not_taken_back_and_nor_is_what_comes_with_it(self, store: Store) -> None:
        handle = put_object(store, "s", b"data")
        store.erase("s", [handle], reason="erased")
        before = content_of(store)
        with pytest.raises(StoreErased) as refusal:
            store.put_spans("s", {"cx:new": b"new", handle: b"data"}, [span_row("cx:new", "span.1")])
        assert refusal.value.details["handles"] == [handle]
        assert content_of(store) == before
        store.put_spans("s", {}, [span_row(handle, "span.2")])
        assert [row.span_id for row in store.span_rows("s", handle=handle)] == ["span.0", "span.2"]

    def test_a_store_with_removed_objects_verifies_and_says_which(self, store: Store) -> None:
        handles = [put_object(store, "s", data, span_id=data.decode()) for data in (b"a", b"b", b"c")]
        store.erase("s", handles[:1], reason="pruned")
        store.erase("s", handles[1:2], reason="erased")
        report = verify_store(store, read_data=True)
        assert report.findings == ()
        removed = [(item.code, item.where) for item in report.removed]
        assert removed == [("object-pruned", handles[0]), ("object-erased", handles[1])]

    # Records --------------------------------------------------------------------------------

    def test_records_come_back_oldest_first_with_unknown_fields(self, store: Store) -> None:
        first = record(future={"nested": [1, 2.5, None, True, "ü"]})
        second = record(first, at="2031-01-01T00:00:00Z")
        store.put_record("s", first)
        store.put_record("s", second)
        assert store.records("s") == [first, second]

    def test_records_are_read_some_at_a_time(self, store: Store) -> None:
        made: list[dict[str, JSON]] = []
        for number in range(7):
            made.append(record(made[-1] if made else None, number=number))
            store.put_record("s", made[-1])
        store.put_record("other", record())
        for start in range(9):
            assert store.records("s", start=start) == made[start:]
            for count in (0, 1, 3, 9):
                assert store.records("s", start=start, count=count) == made[start : start + count]
        assert store.records("nobody", count=1) == []

    def test_the_newest_record_again_is_no_conflict(self, store: Store) -> None:
        first = record()
        second = record(first)
        for one in (first, first, second, second):
            store.put_record("s", one)
        assert store.records("s") == [first, second]

    def test_a_record_that_does_not_follow_the_newest_is_refused(self, store: Store) -> None:
        first = record()
        second = record(first)
        store.put_record("s", first)
        store.put_record("s", second)
        late = {
            "a rival of the first": record(rival=True),
            "a rival of the second": record(first, rival=True),
            "an old one again": first,
            "one after nobody": record({"record_id": "f" * 64, "seq": 2}),
            "the newest with another note": {**second, "at": "later"},
        }
        for what, one in late.items():
            with pytest.raises(StoreConflict) as refusal:
                store.put_record("s", one)
            assert refusal.value.details["newest"] == second["record_id"], what
        assert store.records("s") == [first, second]

    def test_a_refused_first_record_makes_no_session(self, store: Store) -> None:
        with pytest.raises(StoreConflict):
            store.put_record("s", record({"record_id": "f" * 64, "seq": 1}))
        assert store.sessions() == []

    @pytest.mark.parametrize("broken", [{}, {"record_id": "", "previous": None}, {"record_id": "a"}])
    def test_a_record_without_its_place_in_the_chain_is_refused(self, store: Store, broken: dict[str, JSON]) -> None:
        with pytest.raises(StoreError):
            store.put_record("s", broken)
        assert store.sessions() == []

    def test_what_json_cant_say_is_refused_before_anything_is_written(self, store: Store) -> None:
        with pytest.raises(TypeError):
            store.put_record("s", record() | {"at": object()})
        assert store.sessions() == []

    def test_a_record_is_a_copy(self, store: Store) -> None:
        made = record(entries=[1])
        store.put_record("s", made)
        made["entries"].append(2)
        store.records("s")[0]["entries"].append(3)
        assert store.records("s")[0]["entries"] == [1]

    def test_chains_of_two_sessions_do_not_touch(self, store: Store) -> None:
        for session in ("one", "two"):
            store.put_record(session, record(owner=session))
        assert store.sessions() == ["one", "two"]
        assert [len(store.records(session)) for session in ("one", "two")] == [1, 1]

    # Threads and the whole ------------------------------------------------------------------

    def test_of_threads_that_append_at_once_exactly_one_wins_each_round(self, store: Store) -> None:
        rounds, rivals = 10, 4
        barrier = threading.Barrier(rivals, timeout=60)
        outcomes: list[str] = []

        def append(rival: int) -> None:
            for _ in range(rounds):
                barrier.wait()
                newest = store.records("s")[-1:]
                barrier.wait()
                try:
                    store.put_record("s", record(newest[0] if newest else None, rival=rival))
                except StoreConflict:
                    outcomes.append("lost")
                else:
                    outcomes.append("won")

        _run_together([partial(append, rival) for rival in range(rivals)])
        assert (outcomes.count("won"), outcomes.count("lost")) == (rounds, rounds * (rivals - 1))
        assert verify_store(store).ok

    def test_threads_write_beside_each_other(self, store: Store) -> None:
        def write(session: str) -> None:
            for number in range(20):
                put_object(store, session, b"%d" % number * 100, span_id=f"span.{number}")

        sessions = [f"thread {number}" for number in range(4)]
        _run_together([partial(write, session) for session in sessions])
        assert sorted(store.sessions()) == sessions
        assert [len(list(store.objects(session))) for session in sessions] == [20] * 4
        assert verify_store(store, read_data=True).ok

    def test_closing_beside_running_calls_makes_the_next_ones_unavailable(self, store: Store) -> None:
        handle = put_object(store, "s", b"data" * 1_000)
        running = threading.Barrier(4, timeout=60)

        def read_until_closed() -> None:
            running.wait()
            with pytest.raises(StoreUnavailable):
                _read_for_ever(store, handle)

        def close() -> None:
            running.wait()
            store.close()

        _run_together([read_until_closed] * 3 + [close])

    def test_a_store_written_in_order_verifies_clean(self, store: Store) -> None:
        handle = put_object(store, "s", b"data" * 100)
        store.put_handles("s", [HandleRow("file:a", "native", "span.0", "live")])
        first = record(tombstones=[f"[EVICTED:tool_result@t1.1:recover=file:a|{handle}]"])
        store.put_record("s", first)
        store.put_record("s", record(first))
        report = verify_store(store, read_data=True)
        assert report.findings == ()
        assert (report.records, report.objects, report.data_bytes) == (2, 1, 400)


def _distinct_values(row: type[SpanRow] | type[HandleRow]) -> dict[str, JSON]:
    """A value for each field, also for fields that are added later, none like another or a default."""
    return {
        field.name: number if field.type == "int" else f"the {field.name}"
        for number, field in enumerate(fields(row), start=10)
    }


def _read_for_ever(store: Store, handle: str) -> None:
    while True:
        assert store.get("s", handle) == b"data" * 1_000


def _run_together(tasks: Sequence[Callable[[], None]]) -> None:
    """Runs each task on a thread of its own and raises what any of them raised."""
    with ThreadPoolExecutor(len(tasks)) as threads:
        for running in [threads.submit(task) for task in tasks]:
            running.result(timeout=60)
