"""Every backend keeps the store contract, in full."""

from pathlib import Path

from cenotaph.store.base import Store
from cenotaph.store.memory import MemoryStore
from cenotaph.store.opening import open_store
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.faulty import FaultyStore
from cenotaph.testing.store_contract import StoreContract


class TestSqliteStoreKeepsTheContract(StoreContract):
    def open(self, place: Path) -> Store:
        return SqliteStore(place / "store.db")


class TestMemoryStoreKeepsTheContract(StoreContract):
    def open(self, place: Path) -> Store:
        # `memory://` names have no slash; the place is unique to the test, so its name is too.
        return MemoryStore(str(place).replace("/", "_"))


class TestFaultyStoreThatNeverFailsKeepsTheContract(StoreContract):
    def open(self, place: Path) -> Store:
        return FaultyStore(open_store(f"sqlite:///{place / 'store.db'}"))
