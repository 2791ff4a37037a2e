"""Replaying a record from the store alone: what came in, and what was shown, to the byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cenotaph import limits
from cenotaph.core.ids import HANDLE_PREFIX, JSON, from_json, hash_of
from cenotaph.core.lineage import ancestors
from cenotaph.core.rehydrate import resolve_messages
from cenotaph.core.tombstone import Tombstone
from cenotaph.errors import StoreDamaged
from cenotaph.store.base import Store
from cenotaph.store.check import Finding

__all__ = ["messages_before", "messages_shown", "replay"]


def _manifest(store: Store, line: Sequence[str], handle: str) -> tuple[JSON, Sequence[str]]:
    """The manifest, and the line from the session that holds it: a fork goes on from one of its parent's."""
    for at, session in enumerate(line):
        data = store.get(session, handle)
        if data is not None:
            return from_json(data), line[at:]
    raise StoreDamaged(f"the manifest {handle} of session {line[0]!r} is missing", handle=handle)


def messages_before(store: Store, session: str, record: Mapping[str, JSON]) -> list[JSON]:
    """The messages that came in: the whole history, of which each cut kept what was new.

    Args:
        store, session: Whose cut.
        record: Of the cut.

    Raises:
        StoreDamaged: A part is missing.
    """
    chain: list[tuple[JSON, str]] = []
    line: Sequence[str] = [session, *(one.session for one in ancestors(store, session))]
    handle: str | None = record["source_ref"]
    while handle is not None:
        manifest, line = _manifest(store, line, handle)
        chain.append((manifest, line[0]))
        handle = manifest.get("previous")
        if len(chain) > limits.chain_max:
            raise StoreDamaged(f"the history behind {record['source_ref']} does not end.", handle=record["source_ref"])
    return [message for part, holder in reversed(chain) for message in resolve_messages(part, store, holder)]


def messages_shown(store: Store, session: str, record: Mapping[str, JSON]) -> list[JSON]:
    """The messages that were handed out.

    Raises:
        StoreDamaged: A part is missing.
    """
    before = messages_before(store, session, record)
    shown = _manifest(store, [session], record["view_ref"])[0]["view"]
    return [before[value] if kind == "s" else value for kind, value in shown]


def replay(store: Store, session: str, record: Mapping[str, JSON]) -> list[Finding]:
    """What a record says and the store can't show. A halt handed nothing out, so it has nothing to show."""
    if record.get("status") != "verified" or "source_ref" not in record:
        return []
    where = str(record["record_id"])
    findings = []
    for name, rebuilt, wanted in (
        ("source", messages_before(store, session, record), record["source_sha256"]),
        ("view", messages_shown(store, session, record), record["view_sha256"]),
    ):
        if hash_of(rebuilt) != wanted:
            findings.append(
                Finding(
                    f"{name}-differs",
                    session,
                    where,
                    f"the {name} rebuilt from the store is not the recorded one",
                )
            )
    for item in record["tombstones"]:
        for tombstone in Tombstone.find(item["line"]):
            for handle in tombstone.recover:
                if handle.startswith(HANDLE_PREFIX) and not store.span_rows(session, handle=handle):
                    findings.append(Finding("tombstone-dangling", session, where, f"{handle} resolves to no span"))
    return findings
