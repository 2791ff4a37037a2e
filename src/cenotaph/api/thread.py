"""Where a session stands: what the last cut left, and which messages came since.

A client may send its whole history each time, or a view with what came since. Both are known by what they
begin with, never by what they say of themselves; see `joint`. A history that differs before the last cut
is another one: it goes on as a child session of its own, from the last cut that it has in common with the
session, with the state after that cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from cenotaph.api.joint import Joint, joined_at
from cenotaph.api.told import (
    Log,
    Told,
    log_of,
    record_of,
    standing_cuts,
    standing_record,
    state_of,
    told_of,
)
from cenotaph.core.carried import Base, Carried, continued, from_state
from cenotaph.core.facts import Write
from cenotaph.core.ids import JSON, ListHash, hash_of
from cenotaph.core.lineage import records_of
from cenotaph.core.markers import Known, markers_of, resolve_markers
from cenotaph.core.model import Message, Transcript, Wire
from cenotaph.core.tombstone import looks_like_marker
from cenotaph.runtime.replay import messages_before
from cenotaph.store.base import Store

__all__ = ["Log", "Thread", "begun", "gone_on", "log_of", "resumed", "standing_cuts", "standing_record", "state_of"]

_FORK_HEX_CHARS: Final = 8
_NOTHING_KNOWN: Final = Known()
_NOTHING_LEFT_OUT: Final = Base()


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
        base: What of the history is not sent, because an older view is sent in its place.
        parent: Session and record from which the session was forked, with what was pinned and released there,
            until its own records say so.
        warnings: What a person should know.
        known: Without a cut that it goes on from: markers that standing ones put where they stand.
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
    base: Base = _NOTHING_LEFT_OUT

    @property
    def shown(self) -> list[JSON]:
        """What would be sent without a cut: the view as it was sent, and what came since."""
        if self.carried is None:
            return [message.raw for message in self.transcript.messages]
        fresh = self.transcript.messages[len(self.carried.messages) :]
        return [*self.carried.sent, *(message.raw for message in fresh)]

    @property
    def past(self) -> Sequence[Write] | None:
        """Writes that earlier cuts knew of; None if there was none."""
        return None if self.carried is None else self.carried.writes


def begun(transcript: Transcript, name: str, known: Known = _NOTHING_KNOWN) -> Thread:
    """A session without a cut that still stands; `known` are the markers in it that are ours."""
    source = ListHash()
    source.extend(message.raw for message in transcript.messages)
    marked = resolve_markers(transcript, known)
    marked = replace(marked, defects=tuple(dict.fromkeys(marked.defects)))
    return Thread(name, marked, None, source, Log(), None, adopted=False, known=known)


def resumed(transcript: Transcript, name: str, store: Store, wire: Wire) -> Thread:
    """The session as its store knows it, with what came in.

    What came in begins with the history or the view of a cut, of the session or of one of its forks. Where
    that is the newest cut it goes on there, else it is a fork that begins at that cut, with its state. What
    begins with none of them is begun anew: in a fork, if a cut stands.

    Raises:
        StoreError: The store failed, or holds no state where a record says so.
    """
    forks = [one for one in store.sessions() if one.startswith(f"{name}~")]
    family = [told_of(store, one) for one in (name, *forks)]
    raws = [message.raw for message in transcript.messages]
    joint = joined_at(raws, family, store)
    if joint is None:
        return _begun_anew(transcript, raws, family, store)
    thread = _gone_on_from(transcript, joint, store, wire)
    if joint.goes_on:
        return replace(thread, log=_log_in(family, joint.told))
    child = _fork_at(joint, family, store)
    warning = f"what is sent goes on from an earlier cut of {joint.told.name!r}, as session {child.name!r}"
    parent = _parent(joint.told, joint.cut.facts["record_id"], carried=True)
    return _as_fork(thread, child, parent, family, warning)


def _gone_on_from(transcript: Transcript, joint: Joint, store: Store, wire: Wire) -> Thread:
    """The thread with the state after the cut at which it joins the history."""
    name, facts, messages = joint.told.name, joint.cut.facts, transcript.messages
    history, shown = (None, messages[: joint.sent]) if joint.by_view else (messages, None)
    state = state_of(store, name, facts)
    carried = from_state(state, history, shown, wire, joint.source, facts["source_ref"], joint.base)
    standing = record_of(store, name, joint.cut)
    thread = _thread(name, transcript, carried, messages[joint.sent :], standing, adopted=joint.by_view)
    return replace(thread, base=joint.base)


def _fork_at(joint: Joint, family: Sequence[Told], store: Store) -> Told:
    """The fork in which a history goes on that leaves the session's own at an earlier cut.

    It may be there already without a cut of its own; had it one on this history, that would have been met.
    """
    assert joint.told.standing is not None
    before = messages_before(store, joint.told.name, joint.told.standing.facts)
    by_name = {told.name: told for told in family}
    names = (_child(joint.told.name, joint.history, before, again) for again in count())
    forks = (by_name.get(name, Told(name)) for name in names)
    return next(fork for fork in forks if fork.standing is None)


def _begun_anew(transcript: Transcript, raws: Sequence[JSON], family: Sequence[Told], store: Store) -> Thread:
    """The session if no cut of it stands, else the fork whose first messages differ as these do."""
    by_name = {told.name: told for told in family}
    told, passed = family[0], list[Told]()
    while told.standing is not None:
        passed.append(told)
        child = _child(told.name, raws, messages_before(store, told.name, told.standing.facts))
        told = by_name.get(child, Told(child))
    thread = begun(transcript, told.name, _known(transcript, passed, store))
    if not passed:
        return replace(thread, log=told.log)
    warning = f"what is sent differs before the last cut; it goes on as session {told.name!r}"
    parent = passed[-1]
    return _as_fork(thread, told, _parent(parent, parent.log.previous, carried=False), family, warning)


def _as_fork(thread: Thread, child: Told, parent: Mapping[str, JSON], family: Sequence[Told], warning: str) -> Thread:
    """The thread in a fork; the first record of the fork names the parent, if it has none yet."""
    thread = replace(thread, name=child.name, warnings=(f"history-diverged: {warning}",))
    if child.log.previous is not None:
        return replace(thread, log=_log_in(family, child))
    begun_as = replace(child, log=Log(pins=tuple(parent["pins"]), released=tuple(parent["released"])))
    return replace(thread, log=_log_in(family, replace(begun_as, parent=parent["session"])), parent=parent)


def _parent(told: Told, record_id: str | None, *, carried: bool) -> Mapping[str, JSON]:
    """What the first record of a fork says of the session that it was forked from.

    Pins and releases are those of now, whatever the record: a pin holds on every path.
    """
    pins, released = list(told.log.pins), list(told.log.released)
    return {"session": told.name, "record_id": record_id, "carried": carried, "pins": pins, "released": released}


def _log_in(family: Sequence[Told], told: Told) -> Log:
    """A session's log, with what is pinned in the sessions that it was forked from."""
    by_name = {one.name: one for one in family}
    above: list[Log] = []
    parent = told.parent
    while parent is not None and parent in by_name and len(above) < len(family):
        above.append(by_name[parent].log)
        parent = by_name[parent].parent
    return told.log.under(above)


def _child(name: str, raws: Sequence[JSON], before: Sequence[JSON], again: int = 0) -> str:
    """The name of a fork: by the messages up to the first that differs, so that a later call finds it again.

    Args:
        name: The session that is forked.
        raws: The history that goes on in the fork.
        before: The session's own.
        again: How many forks that differ there were passed over, since each of them went on otherwise.
    """
    same = next((i for i, (one, other) in enumerate(zip(raws, before, strict=False)) if one != other), len(raws))
    return f"{name}~{hash_of([*raws[: same + 1], *([again] if again else [])])[:_FORK_HEX_CHARS]}"


def _known(transcript: Transcript, passed: Sequence[Told], store: Store) -> Known:
    """The markers in a history that begins with no cut: ours are those that a standing cut put at their place."""
    if not any(looks_like_marker(part.text) for message in transcript.messages for part in message.parts):
        return _NOTHING_KNOWN
    texts: set[str] = set()
    places: set[tuple[int, str]] = set()
    for told in passed:
        standing = {cut.at: cut for cut in told.cuts if not cut.undone}
        for at, record in enumerate(records_of(store, told.name)):
            if at in standing:
                texts |= markers_of(record)
                shown = enumerate(state_of(store, told.name, record)["view"])
                places |= {(index, hash_of(value)) for index, (kind, value) in shown if kind == "j"}
    return Known(frozenset(texts), frozenset(places))


def _thread(
    name: str,
    transcript: Transcript,
    carried: Carried,
    fresh: Sequence[Message],
    standing: Mapping[str, JSON] | None,
    *,
    adopted: bool,
) -> Thread:
    strangers = resolve_markers(replace(transcript, messages=tuple(fresh), defects=()), _NOTHING_KNOWN)
    defects = tuple(dict.fromkeys((*transcript.defects, *strangers.defects)))
    whole = continued(replace(transcript, defects=defects), carried, strangers.messages)
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
    gone = _thread(thread.name, thread.transcript, carried, fresh, thread.standing, adopted=adopted)
    return replace(gone, log=thread.log, parent=thread.parent)
