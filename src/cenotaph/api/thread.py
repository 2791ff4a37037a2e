"""Where a session stands: what the last cut left, and which messages came since.

A client may send its whole history each time, or the last view with what came since. Both are known by
what they begin with, never by what they say of themselves. A history that differs before the last cut
is another one: it goes on as a child session of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cenotaph.core.carried import Carried, continued, from_state
from cenotaph.core.facts import Write
from cenotaph.core.ids import JSON, ListHash, from_json, hash_of
from cenotaph.core.markers import Known, known_markers, resolve_markers
from cenotaph.core.model import Message, Transcript, Wire
from cenotaph.core.record import check_version, record_id_of
from cenotaph.errors import StoreDamaged
from cenotaph.runtime.replay import messages_before
from cenotaph.store.base import Store

__all__ = ["Log", "Thread", "begun", "gone_on", "log_of", "resumed", "standing_cuts", "standing_record", "state_of"]

_FORK_HEX_CHARS: Final = 8
_NOTHING_KNOWN: Final = Known()


@dataclass(frozen=True, slots=True)
class Log:
    """A session's records in short.

    Attributes:
        seq: Number of the next record.
        previous: Id of the newest, None before the first.
        pins: What callers pinned and did not unpin: texts, or `{"pattern", "flags"}`.
        released: What callers let go.
        unpinned: Pins that were taken back here.
    """

    seq: int = 1
    previous: str | None = None
    pins: tuple[JSON, ...] = ()
    released: tuple[str, ...] = ()
    unpinned: tuple[JSON, ...] = ()

    def under(self, above: Sequence[Log]) -> Log:
        """With what is pinned in the sessions that this one was forked from, unless it was unpinned here."""
        pins = list(self.pins)
        for log in above:
            pins += [pin for pin in log.pins if pin not in pins and pin not in self.unpinned]
        return replace(self, pins=tuple(pins))

    def after(self, record: Mapping[str, JSON]) -> Log:
        """With one record more; the first of a fork says what its parent had pinned and released."""
        control, parent = record.get("control", {}), record.get("parent", {})
        pins = [*self.pins, *(pin for pin in parent.get("pins", ()) if pin not in self.pins)]
        pins = [pin for pin in pins if pin not in control.get("unpin", ())]
        pins += [pin for pin in control.get("pin", ()) if pin not in pins]
        released = dict.fromkeys((*self.released, *parent.get("released", ()), *control.get("release", ())))
        for pin in control.get("pin", ()):
            released.pop(pin if isinstance(pin, str) else "", None)
        unpinned = (*self.unpinned, *control.get("unpin", ()))
        return Log(int(record["seq"]) + 1, str(record["record_id"]), tuple(pins), tuple(released), unpinned)

    @property
    def named(self) -> tuple[str | re.Pattern[str], ...]:
        """The pins as they were given."""
        return tuple(pin if isinstance(pin, str) else re.compile(pin["pattern"], pin["flags"]) for pin in self.pins)


@dataclass(frozen=True, slots=True)
class Thread:
    """A session at one call.

    Attributes:
        name: The session; a child's if the history that was given to it is another one.
        transcript: The view of the last cut with what came since; without a cut, what came in.
        carried: The state after the last cut, None before the first.
        source: Hash of the client's whole history.
        log: What the session's records say of pins, and by which number and id the next one goes on.
        standing: The record of the last cut that still stands, None if none does.
        adopted: What came in begins with the last view, so nothing of it has to be put in its place.
        parent: Session and record from which the session was forked, with what was pinned and released there,
            until its own records say so.
        warnings: What a person should know.
        known: Without a cut that stands: markers that earlier ones put into a view.
    """

    name: str
    transcript: Transcript
    carried: Carried | None
    source: ListHash
    log: Log
    standing: Mapping[str, JSON] | None
    adopted: bool
    parent: Mapping[str, JSON] | None = None
    warnings: tuple[str, ...] = ()
    known: Known = _NOTHING_KNOWN

    @property
    def past(self) -> Sequence[Write] | None:
        """Writes that earlier cuts knew of; None if there was none."""
        return None if self.carried is None else self.carried.writes


def standing_cuts(records: Sequence[Mapping[str, JSON]]) -> list[Mapping[str, JSON]]:
    """The cuts that no later undo took back, oldest first; one of schema 1.0 left no state to go on from."""
    standing: list[Mapping[str, JSON]] = []
    for record in records:
        if record.get("schema_version") == "1.0":
            continue
        if "undo" in record.get("control", {}):
            standing = standing[:-1]
        elif record.get("status") == "verified" and "view_ref" in record:
            standing.append(record)
    return standing


def standing_record(records: Sequence[Mapping[str, JSON]]) -> Mapping[str, JSON] | None:
    """The newest cut that no later undo took back, None if there is none."""
    standing = standing_cuts(records)
    return standing[-1] if standing else None


def log_of(records: Sequence[Mapping[str, JSON]]) -> Log:
    """What the next record of a session must know of those before it."""
    log = Log()
    for record in records:
        log = log.after(record)
    return log


def begun(transcript: Transcript, name: str, known: Known = _NOTHING_KNOWN) -> Thread:
    """A session without a cut that still stands; `known` are the markers in it that are ours."""
    source = ListHash()
    source.extend(message.raw for message in transcript.messages)
    marked = resolve_markers(transcript, known)
    marked = replace(marked, defects=tuple(dict.fromkeys(marked.defects)))
    return Thread(name, marked, None, source, Log(), None, adopted=False, known=known)


def resumed(transcript: Transcript, name: str, store: Store, wire: Wire) -> Thread:
    """The session as its store knows it, with what came in.

    Raises:
        StoreError: The store failed, or holds no state where a record says so.
    """
    warnings: tuple[str, ...] = ()
    parent: Mapping[str, JSON] | None = None
    ours: list[Mapping[str, JSON]] = []
    above: list[Log] = []
    while True:
        records = _sound(store.records(name), name)
        ours += records
        standing = standing_record(records)
        if standing is None:
            fresh = begun(transcript, name, known_markers(ours))
            if records or parent is None:
                return replace(fresh, log=log_of(records).under(above), warnings=warnings)
            log = Log(pins=tuple(parent["pins"]), released=tuple(parent["released"]))
            return replace(fresh, log=log, parent=parent, warnings=warnings)
        found = _taken_up(transcript, name, store, wire, standing)
        if found is not None:
            return replace(found, log=log_of(records).under(above), warnings=warnings)
        log = log_of(records)
        again = _fork_of(transcript, name, store, wire)
        if again is not None:
            return replace(again, log=again.log.under([*above, log]))
        above.append(log)
        parent = {
            "session": name,
            "record_id": standing["record_id"],
            "pins": list(log.pins),
            "released": list(log.released),
        }
        name = _child(transcript, name, store, standing)
        warnings = (f"history-diverged: what is sent differs before the last cut; it goes on as session {name!r}",)


def _sound(records: Sequence[Mapping[str, JSON]], name: str) -> Sequence[Mapping[str, JSON]]:
    """The records, each of a version that is understood and as it was sealed.

    Raises:
        StoreDamaged, StoreVersionError: One is not.
    """
    for record in records:
        check_version(record)
        if record_id_of(record) != record.get("record_id"):
            raise StoreDamaged(
                f"record {record.get('seq')!r} of session {name!r} is not what was written.",
                next_step="Run cenotaph verify; an earlier copy of the store still holds.",
            )
    return records


def _fork_of(transcript: Transcript, name: str, store: Store, wire: Wire) -> Thread | None:
    """The thread if what came in goes on from a fork of the session, whatever differs from the session itself."""
    for child in store.sessions():
        if not child.startswith(f"{name}~"):
            continue
        records = _sound(store.records(child), child)
        standing = standing_record(records)
        found = None if standing is None else _taken_up(transcript, child, store, wire, standing)
        if found is not None:
            return replace(found, log=log_of(records))
    return None


def _child(transcript: Transcript, name: str, store: Store, standing: Mapping[str, JSON]) -> str:
    """The name of the fork: by the first message that differs, so that a later call finds it again."""
    raws = [message.raw for message in transcript.messages]
    before = messages_before(store, name, standing)
    same = next((i for i, (one, other) in enumerate(zip(raws, before, strict=False)) if one != other), len(raws))
    return f"{name}~{hash_of(raws[: same + 1])[:_FORK_HEX_CHARS]}"


def _taken_up(
    transcript: Transcript, name: str, store: Store, wire: Wire, standing: Mapping[str, JSON]
) -> Thread | None:
    """The thread if what came in begins with the history or the view of the last cut, else None."""
    state = state_of(store, name, standing)
    history, shown = state["history"], len(state["view"])
    whole = ListHash()
    matches: dict[int, str] = {}
    for message in transcript.messages:
        whole.extend([message.raw])
        if whole.length in (history, shown):
            matches[whole.length] = whole.hexdigest()
    source_ref = standing["source_ref"]
    if matches.get(history) == standing["source_sha256"]:
        source = ListHash()
        source.extend(message.raw for message in transcript.messages[:history])
        carried = from_state(state, transcript.messages, None, wire, source, source_ref)
        return _thread(name, transcript, carried, transcript.messages[history:], whole, standing, adopted=False)
    if matches.get(shown) == standing["view_sha256"]:
        source = ListHash()
        source.extend(messages_before(store, name, standing))
        carried = from_state(state, None, transcript.messages[:shown], wire, source, source_ref)
        fresh = transcript.messages[shown:]
        return _thread(name, transcript, carried, fresh, None, standing, adopted=True)
    return None


def state_of(store: Store, name: str, standing: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """What a cut left to the next, as the store keeps it; see `carried.to_state`.

    Raises:
        StoreDamaged: The store does not hold it.
    """
    data = store.get(name, standing["view_ref"])
    if data is None:
        raise StoreDamaged(
            f"record {standing['record_id']} of session {name!r} names a state that the store does not hold.",
            next_step="Run cenotaph verify --read-data.",
            handle=standing["view_ref"],
        )
    state: Mapping[str, JSON] = from_json(data)
    return state


def _thread(
    name: str,
    transcript: Transcript,
    carried: Carried,
    fresh: Sequence[Message],
    source: ListHash | None,
    standing: Mapping[str, JSON] | None,
    *,
    adopted: bool,
) -> Thread:
    strangers = resolve_markers(replace(transcript, messages=tuple(fresh), defects=()), known_markers(()))
    defects = tuple(dict.fromkeys((*transcript.defects, *strangers.defects)))
    whole = continued(replace(transcript, defects=defects), carried, strangers.messages)
    if source is None:
        source = carried.source.copy()
        source.extend(message.raw for message in fresh)
    return Thread(name, whole, carried, source, Log(), standing, adopted)


def gone_on(thread: Thread, carried: Carried | None, fresh: Sequence[Message], *, adopted: bool) -> Thread:
    """The same session at a later call, in the same process.

    Args:
        thread: As it was.
        carried: The state after the last cut.
        fresh: What came since, read.
        adopted: See `Thread`.
    """
    if carried is None:
        again = begun(replace(thread.transcript, messages=tuple(fresh)), thread.name, thread.known)
        return replace(again, log=thread.log, parent=thread.parent)
    gone = _thread(thread.name, thread.transcript, carried, fresh, None, thread.standing, adopted=adopted)
    return replace(gone, log=thread.log)
