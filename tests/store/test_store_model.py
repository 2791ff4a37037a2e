"""Any sequence of calls leaves the SQLite store with what the same calls leave in memory."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from cenotaph.core.effects import HandleRow
from cenotaph.errors import StoreError
from cenotaph.store.base import Store
from cenotaph.store.memory import MemoryStore
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.store_contract import content_of, record, span_row, strange_texts

few_texts = st.sampled_from(strange_texts[:4] + strange_texts[-3:-1])
handles = st.sampled_from(["cx:1", "cx:2", "cx:3"])
datas = st.sampled_from([b"", b"one", b"two" * 100])


class OneStoreIsLikeTheOther(RuleBasedStateMachine):
    """Objects, rows, names and records go into both; a refusal of one is a refusal of the other."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.file: Store = SqliteStore(self.folder / "store.db")
        self.memory: Store = MemoryStore()

    def both(self, call: Callable[[Store], object]) -> None:
        assert outcome(lambda: call(self.file)) == outcome(lambda: call(self.memory))

    @rule(
        session=few_texts,
        objects=st.dictionaries(handles, datas, max_size=3),
        about=st.lists(st.tuples(handles, few_texts, st.integers(-1, 3)), max_size=3),
    )
    def put_spans(self, session: str, objects: dict[str, bytes], about: list[tuple[str, str, int]]) -> None:
        rows = [span_row(handle, span_id, position) for handle, span_id, position in about]
        self.both(lambda store: store.put_spans(session, objects, rows))

    @rule(session=few_texts, names=st.lists(st.tuples(few_texts, few_texts, few_texts), max_size=3))
    def put_handles(self, session: str, names: list[tuple[str, str, str]]) -> None:
        rows = [HandleRow(value, "path", span_id, state) for value, span_id, state in names]
        self.both(lambda store: store.put_handles(session, rows))

    @rule(session=few_texts, back=st.integers(0, 2), note=few_texts)
    def put_record(self, session: str, back: int, note: str) -> None:
        known = self.memory.records(session)
        previous = known[-1 - back] if len(known) > back else None
        self.both(lambda store: store.put_record(session, record(previous, note=note)))

    @rule(session=few_texts, gone=st.lists(handles, max_size=2), reason=st.sampled_from(["pruned", "erased"]))
    def erase(self, session: str, gone: list[str], reason: str) -> None:
        self.both(lambda store: store.erase(session, gone, reason=reason))

    @rule()
    def open_again(self) -> None:
        self.file.close()
        self.file = SqliteStore(self.folder / "store.db")

    @invariant()
    def both_hold_the_same(self) -> None:
        assert content_of(self.file) == content_of(self.memory)
        assert self.file.sessions() == self.memory.sessions()

    def teardown(self) -> None:
        self.file.close()
        shutil.rmtree(self.folder)


def outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except StoreError as refusal:
        return refusal.code, dict(refusal.details)


TestOneStoreIsLikeTheOther = OneStoreIsLikeTheOther.TestCase
TestOneStoreIsLikeTheOther.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
