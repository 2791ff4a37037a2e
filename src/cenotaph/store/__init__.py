"""Stores: where originals, their names and the records of compactions live."""

from cenotaph.store.base import Store
from cenotaph.store.opening import open_store

__all__ = ["Store", "open_store"]
