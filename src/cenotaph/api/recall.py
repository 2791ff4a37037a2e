"""The way back: originals by handle, and whether a store holds what it promises."""

from __future__ import annotations

from cenotaph.core.rehydrate import Rehydrated, resolve
from cenotaph.runtime.replay import replay
from cenotaph.store.base import Store
from cenotaph.store.check import VerifyReport, verify_store
from cenotaph.store.opening import open_store


def rehydrate(what: str, *, store: str | Store, session: str) -> list[Rehydrated]:
    """The verbatim originals behind a handle; a gap is raised, never filled.

    Args:
        what: A store handle (`cx:...`), a native handle (`file:src/app.py`), a tombstone, or a text
            whose handles are asked for.
        store: URL or store.
        session: Handles resolve only inside their session.

    Returns:
        Newest first, each original once.

    Raises:
        IrreversibleCompactionError: No handle resolves; `hints` names the nearest known ones.
        StoreError: The store failed; never reported as a gap.
    """
    opened = open_store(store, existing=True) if isinstance(store, str) else store
    return resolve(what, opened, session)


def verify(store: str | Store, *, session: str | None = None, read_data: bool = False) -> VerifyReport:
    """Every promise of a store that does not hold is a finding.

    Args:
        store: URL or store; only read.
        session: One session; None checks all.
        read_data: Also decode and hash every original, and replay every record to the byte.

    Raises:
        StoreError: The store can't be asked at all.
    """
    opened = open_store(store, existing=True) if isinstance(store, str) else store
    return verify_store(opened, session, read_data, replay=replay if read_data else None)
