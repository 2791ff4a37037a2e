"""What somebody else's compaction lost: one history or one pair of lists in, a report out.

    audit(before, after)       any two lists, or a list and a text that stands for it
    audit_history(value)       a session file's value: every compaction in it, and what happened afterwards
    audit_session(store, ...)  our own compactions, by the same code
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from cenotaph import limits
from cenotaph.api.reading import Tool, wire_named
from cenotaph.core.audit.aftermath import aftermath
from cenotaph.core.audit.judging import Audited, audited
from cenotaph.core.audit.model import Chronicle, Event, Mechanism, Ref
from cenotaph.core.audit.own import NO_PROMISES, Original, Promises, Recall, promises_in
from cenotaph.core.audit.report import Report
from cenotaph.core.audit.statements import turns_of
from cenotaph.core.ids import JSON, canonical_json
from cenotaph.core.model import Breach, Counter, Message, Part, Transcript
from cenotaph.core.readout import read
from cenotaph.core.rehydrate import resolve
from cenotaph.core.spans import build_structure
from cenotaph.core.tools import Tools
from cenotaph.dialects.compactions.finding import chronicle_of
from cenotaph.dialects.compactions.pairs import pair
from cenotaph.errors import ConfigurationError, IrreversibleCompactionError, UnknownSession
from cenotaph.runtime.engines import fast_loads
from cenotaph.runtime.replay import messages_before, messages_shown
from cenotaph.runtime.telemetry import Facts, observed
from cenotaph.store.base import Store
from cenotaph.store.opening import open_store

__all__ = ["Report", "audit", "audit_history", "audit_session"]


def audit(
    before: Any,
    after: Any,
    statements: Sequence[str] | None = None,
    store: str | Store | None = None,
    session: str | None = None,
    *,
    dialect: str | None = None,
) -> Report:
    """What became of what `before` says in `after`.

    Args:
        before: The messages before a compaction: a list or a request in any wire format.
        after: The messages after it, in the same format; or a string: the summary that stands for them.
        statements: Words to judge as a person's, in this order; None judges all authoritative ones that are gone.
        store: URL or store that is asked for what stands under tombstones; None asks nobody, and then what may
            stand under one is `unverifiable`.
        session: The session in that store; None is right where it holds one only.
        dialect: Name of the format; None detects it.

    Returns:
        The report; its `statements` are the judgements in order, its `findings` what a person should know,
        worst first.

    Raises:
        InputError: One of the two can't be read, or nothing in it was understood.
        StoreError: The store failed; never taken for a loss.
    """
    with observed("audit") as told:
        event = pair(before, after, dialect=dialect)
        promises = _promises(event, *_opened(store, session)) if store is not None else _unasked(event)
        judged = audited(
            event,
            promises=promises,
            statements=statements,
            span_ids=_span_ids(event),
            breaches=_new_breaches(event),
        )
        chronicle = Chronicle(event.wire, event.wire, session, event.before, (event,), records=len(event.before))
        return _told(Report("", chronicle, (judged,)), told)


def _told(report: Report, told: Facts) -> Report:
    found = len(report.findings)
    told |= {"outcome": "findings" if found else "clean", "findings": found}
    return report


def audit_history(
    value: JSON,
    *,
    name: str = "",
    dialect: str | None = None,
    tools: Iterable[Tool] = (),
    shares: bool = False,
) -> Report:
    """Every compaction in a session file, and what happened after each.

    Args:
        value: What the dialects read: a file's bytes or its JSON value.
        name: Where it lies, for the report.
        dialect: Name of the format; None detects it.
        tools: Declarations beside the dialect's own profile: what a call reads and writes.
        shares: Also say how much of each class was removed; costs a classification per compaction.

    Raises:
        InputError: It can't be read, or nothing in it was understood.
    """
    with observed("audit") as told:
        chronicle = chronicle_of(value, dialect, loads=fast_loads)
        return _told(report_on(chronicle, name, tools=tools, shares=shares), told)


def report_on(
    chronicle: Chronicle,
    name: str = "",
    *,
    tools: Iterable[Tool] = (),
    shares: bool = False,
    promises: Mapping[int, Promises] | None = None,
) -> Report:
    """The report on a history that was read already; `promises` by the number of a compaction, from 0."""
    declared = Tools.of(tools, profile=chronicle.dialect)
    turn_at = _turns_by_identity(chronicle)
    judged: list[Audited] = []
    previous: Event | None = None
    for number, event in enumerate(chronicle.events):
        known = NO_PROMISES if promises is None else promises.get(number, NO_PROMISES)
        if promises is None:
            known = _unasked(event)
        one = audited(
            event,
            number + 1,
            previous=previous,
            promises=known,
            turns=[turn_at.get(id(message)) for message in event.before],
            breaches=_new_breaches(event),
        )
        judged.append(replace(one, shares=_shares(event, declared)) if shares else one)
        previous = event
    later = aftermath(chronicle, declared, [one.lost for one in judged]) if chronicle.events else None
    return Report(name, chronicle, tuple(judged), later)


def audit_session(store: str | Store, session: str | None = None, *, shares: bool = False) -> Report:
    """Our own compactions of a session, judged like anybody's.

    Args:
        store: URL or store; only read.
        session: None is right where the store holds one only.
        shares: As for `audit_history`.

    Returns:
        One compaction per cut, the newest `audit_cuts_max` of them; each against the whole history before it.

    Raises:
        UnknownSession: The store does not hold it, or nothing was cut in it.
        StoreError: The store failed, or what a record promises is missing.
    """
    opened, name = _opened(store, session)
    records = [one for one in opened.records(name) if one.get("status") == "verified" and "source_ref" in one]
    if not records:
        raise UnknownSession(f"the session {name!r} holds no compaction.", session=name)
    events: list[Event] = []
    promises: dict[int, Promises] = {}
    history: tuple[Message, ...] = ()
    for number, record in enumerate(records[-limits.audit_cuts_max :]):
        whole = messages_before(opened, name, record)
        event = pair(whole, messages_shown(opened, name, record), dialect=_dialect_of(record))
        promises[number] = _promises(event, opened, name)
        history = event.before
        events.append(
            replace(
                event,
                mechanism=Mechanism.cenotaph,
                at=len(whole),
                tokens_before=record["tokens_before"],
                tokens_after=record["tokens_after"],
                where=f"record {record['record_id']}",
                when=str(record.get("at") or ""),
                pointer=True,
            )
        )
    wire = events[-1].wire
    chronicle = Chronicle(wire, wire, name, history, tuple(events), records=len(records))
    return report_on(chronicle, shares=shares, promises=promises)


# Parts --------------------------------------------------------------------------------------------


def _opened(store: str | Store, session: str | None) -> tuple[Store, str]:
    opened = open_store(store, existing=True) if isinstance(store, str) else store
    if session is not None:
        return opened, session
    known = opened.sessions()
    if len(known) != 1:
        raise ConfigurationError(
            f"the store holds {len(known)} sessions.", next_step="Name one with session=.", sessions=known[-10:]
        )
    return opened, known[0]


def _unasked(event: Event) -> Promises:
    """What the markers in a view promise, where there is no store to ask."""
    return promises_in(event.after, None, event.before)


def _promises(event: Event, store: Store, session: str) -> Promises:
    """What the markers in a view promise, and what of it the store keeps."""
    shown: set[bytes] | None = None

    def was_shown(message: Message) -> bool:
        nonlocal shown
        if shown is None:
            shown = {
                canonical_json(one)
                for record in store.records(session)[-limits.audit_cuts_max :]
                if record.get("status") == "verified" and "source_ref" in record
                for one in messages_shown(store, session, record)
            }
        return canonical_json(message.raw) in shown

    return promises_in(event.after, _recall(store, session), event.before, was_shown)


def _recall(store: Store, session: str) -> Recall:
    """All originals behind a handle of ours; a gap is none, a failing store raises."""

    def recall(handle: str) -> list[Original]:
        found: list[Original] = []
        cursor: str | None = None
        while True:
            try:
                page = resolve(handle, store, session, limit_chars=None, cursor=cursor)
            except IrreversibleCompactionError:
                return []
            found += [Original(one.text, one.handle or handle) for one in page]
            cursor = page[-1].cursor
            if cursor is None:
                return found

    return recall


def _dialect_of(record: Mapping[str, JSON]) -> str | None:
    named = record.get("engine", {}).get("dialect")
    return named if isinstance(named, str) else None


def _turns_by_identity(chronicle: Chronicle) -> dict[int, int]:
    """The turn in the whole history of each of its messages, by the identity of the object."""
    return dict(zip(map(id, chronicle.messages), turns_of(chronicle.messages), strict=True))


class _Quarter:
    """Characters through four: shares of a region need no better."""

    name = "quarter"
    basis = "estimated"

    def count(self, text: str) -> int:
        return len(text) // 4

    def media(self, part: Part) -> int:
        return 0


_QUARTER: Final[Counter] = _Quarter()


def _transcript(event: Event) -> Transcript:
    return Transcript(event.wire, event.wire, event.before)


def _span_ids(event: Event) -> dict[Ref, str]:
    """Id of the first span of each part."""
    structure = build_structure(_transcript(event), _QUARTER)
    found: dict[Ref, str] = {}
    for message, orders in structure.by_message.items():
        places = {id(part): at for at, part in enumerate(event.before[message].parts)} if message >= 0 else {}
        for order in orders:
            at = places.get(id(structure.spans[order].part))
            if at is not None:
                found.setdefault((message, at), structure.spans[order].id)
    return found


def _shares(event: Event, tools: Tools) -> dict[str, int]:
    """Estimated tokens of what was removed, by class."""
    if not event.wire:
        return {}
    removed = set(event.removed)
    readout = read(_transcript(event), wire_named(event.wire), _QUARTER, tools)
    shares: Tally[str] = Tally()
    for span, row in zip(readout.classified.spans, readout.classified.rows, strict=True):
        if span.message >= 0:
            parts = event.before[span.message].parts
            at = next((i for i, part in enumerate(parts) if part.path == span.part.path), -1)
            if (span.message, at) in removed:
                shares[row.cls.value] += span.tokens
    return dict(sorted(shares.items()))


def _new_breaches(event: Event) -> list[Breach]:
    """Rules of the provider that the view breaks afterwards and did not break before."""
    if not event.wire or not all(message.raw for message in event.after):
        return []
    wire = wire_named(event.wire)
    after = wire.breaches([message.raw for message in event.after])
    if not after:
        return []
    before = Tally(one.rule for one in wire.breaches([message.raw for message in event.before]))
    count = Tally(one.rule for one in after)
    return [one for one in after if count[one.rule] > before[one.rule]]


