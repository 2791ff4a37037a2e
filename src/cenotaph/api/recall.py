"""The way back: originals by handle, and whether a store holds what it promises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from cenotaph.api.reading import counter_of, read_out, wire_named
from cenotaph.core.ids import JSON
from cenotaph.core.model import Transcript
from cenotaph.core.recalled import TOOL_NAME, tool_definition
from cenotaph.core.rehydrate import Rehydrated, resolve
from cenotaph.core.session import Identity, deposit
from cenotaph.dialects.compactions.finding import chronicle_of
from cenotaph.errors import IrreversibleCompactionError
from cenotaph.limits import hints_max
from cenotaph.runtime.driver import drive
from cenotaph.runtime.replay import replay
from cenotaph.runtime.telemetry import observed
from cenotaph.store.base import Store
from cenotaph.store.check import VerifyReport, verify_store
from cenotaph.store.memory import MemoryStore
from cenotaph.store.opening import open_store

_UNNAMED: Final = "history"


def rehydrate(
    what: str,
    *,
    store: str | Store,
    session: str,
    limit_chars: int | None = None,
    cursor: str | None = None,
) -> list[Rehydrated]:
    """The verbatim originals behind a handle; a gap is raised, never filled.

    Args:
        what: A store handle (`cx:...`, or at least its first 6 digits), a native handle
            (`file:src/app.py`), any other handle as it stands or in another spelling, a tombstone or
            another line of ours, a place (`t12`, `t3.2`, `turn 12`), or a text whose handles are asked for.
        store: URL or store.
        session: Handles resolve only inside their session; what it does not know, its ancestors are asked.
        limit_chars: Characters of one answer, from 1: large originals come in pieces. None for any number.
        cursor: `cursor` of the last original of the answer before, with the same question; None to begin.

    Returns:
        What the question names most closely comes first, then newest first, each original once. The last
        one's `cursor` is None unless there is more: because of `limit_chars`, because more than
        `rehydrate_spans_max` originals are named, or because the next one was removed from the store.

    Raises:
        IrreversibleCompactionError: No handle resolves; `hints` names the nearest known ones.
        AmbiguousHandle: A gap too: what was asked for is the beginning or the tail of several.
        ConfigurationError: The limit is none, or (`InvalidCursor`) the cursor is not of this question.
        StorePruned, StoreErased: The original was there and was removed. Never reported as a gap.
        StoreError: The store failed; never reported as a gap.
    """
    with observed("rehydrate", session=session) as told:
        found = _found(what, store, session, limit_chars, cursor)
        told["outcome"] = "found"
    return found


def _found(
    what: str, store: str | Store, session: str, limit_chars: int | None, cursor: str | None
) -> list[Rehydrated]:
    """What the store answers; a gap names the sessions that it does have, where it has not this one."""
    opened = open_store(store, existing=True) if isinstance(store, str) else store
    try:
        return resolve(what, opened, session, limit_chars=limit_chars, cursor=cursor)
    except IrreversibleCompactionError as gap:
        known = opened.sessions()
        if session in known or not known:
            raise
        told = ", ".join(map(repr, known[-hints_max:]))
        raise type(gap)(
            f"{gap} The store has no session {session!r}; its newest are {told}.", hints=gap.hints, **gap.details
        ) from None


def rehydrate_pages(
    what: str, *, store: str | Store, session: str, limit_chars: int | None = None
) -> Iterator[list[Rehydrated]]:
    """Every page of `rehydrate`, one after the other; the next one is read when it is asked for.

    Raises:
        As `rehydrate`, at the page where it happens.
    """
    opened = open_store(store, existing=True) if isinstance(store, str) else store
    cursor: str | None = None
    while True:
        page = resolve(what, opened, session, limit_chars=limit_chars, cursor=cursor)
        yield page
        cursor = page[-1].cursor
        if cursor is None:
            return


def rehydrate_from(
    what: str, history: Any, *, dialect: str | None = None, limit_chars: int | None = None, cursor: str | None = None
) -> list[Rehydrated]:
    """The verbatim originals behind a handle in a session file of another client, whatever it compacted since.

    Args:
        what: As for `rehydrate`; turns are those of the whole history.
        history: What the dialects read: a file's bytes or its JSON value. Never changed.
        dialect: Name of the format; None detects it.
        limit_chars, cursor: As for `rehydrate`; the cursor is good for the same history only.

    Raises:
        InputError: The history can't be read.
        IrreversibleCompactionError: Nothing in it is known under the handle.
    """
    chronicle = chronicle_of(history, dialect)
    transcript = Transcript(chronicle.dialect, chronicle.wire, chronicle.messages, session=chronicle.session)
    readout = read_out(transcript, counter_of(transcript, None), (), (), ())
    store = MemoryStore()
    name = chronicle.session or _UNNAMED
    drive(deposit(readout, Identity(name, store.key(), stored=True)), store, name)
    return resolve(what, store, name, limit_chars=limit_chars, cursor=cursor)


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


def rehydrate_tool(dialect: str, name: str = TOOL_NAME) -> JSON:
    """The definition of the tool by which an agent asks for what left, as a request of that format offers it.

    Args:
        dialect: A format of requests, e.g. "anthropic", "openai-responses", "gemini", "bedrock-converse".
        name: What the tool is called there. Its arguments are `what` and, to go on reading, `cursor`.

    Returns:
        One entry for the request's list of tools.

    Raises:
        ConfigurationError: No such format.
    """
    return tool_definition(wire_named(dialect), name)
