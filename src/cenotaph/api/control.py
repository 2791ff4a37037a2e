"""What a person does about a session by hand: what stands in it, its last cut taken back, a hand-off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cenotaph.api.compacting import (
    How,
    Reader,
    Result,
    compacted,
    identity_of,
    opened_store,
    pins_of,
    session_name,
)
from cenotaph.api.reading import Pin, Tool, counter_of, parsed, wire_of
from cenotaph.api.thread import Log, log_of, resumed, standing_cuts, standing_record, state_of
from cenotaph.core.carried import from_state
from cenotaph.core.ids import JSON, ListHash, store_handle, verbatim_json
from cenotaph.core.lines import LineKind, kind_of_line, page_lines, pin_line
from cenotaph.core.model import Kind, Provenance, Transcript
from cenotaph.core.policy import Policy
from cenotaph.core.record import CompactionRecord
from cenotaph.core.session import controlled
from cenotaph.core.spans import Span, build_structure
from cenotaph.core.statements import sentences, weights
from cenotaph.dialects.detect import by_name
from cenotaph.errors import ConfigurationError
from cenotaph.runtime.driver import drive
from cenotaph.runtime.occasion import occasion
from cenotaph.runtime.replay import messages_before, messages_shown
from cenotaph.store.base import Store

__all__ = ["LastCut", "PinnedWords", "Rules", "Statement", "hand_off", "last_cut", "rules"]

TIERS: Final = ("system", "developer", "user", "agent")
"""Who speaks, in the order in which statements stand."""

_LIFTED: Final = re.compile(r"(user|agent) t(\d+): ")


# What stands --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PinnedWords:
    """One pin of a session.

    Attributes:
        what: Text, a span id, or the source of a pattern.
        regex: It is a pattern.
        flags: Flags of the pattern, as `re` numbers them; 0 for text.
        messages: Indices of the messages of the view that hold it, our page included. Empty if none
            does: text stands on our page from the next cut on; there may be no cut yet.
    """

    what: str
    regex: bool
    flags: int
    messages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that stands in the view.

    Attributes:
        tier: Who said it: one of `TIERS`.
        turn: Turn in which it was said.
        text: Its words as they stand there.
        message: Index of the message of the view that holds it.
        lifted: Its own message has left; it stands on our page.
    """

    tier: str
    turn: int
    text: str
    message: int
    lifted: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """What stands in a session.

    Attributes:
        session: Its name.
        pins: Oldest first.
        statements: Of the view of the last cut that stands: by tier, in each in the order in which they
            were said. Empty without such a cut.
        record_id: Of that cut; None if there is none.
    """

    session: str
    pins: tuple[PinnedWords, ...]
    statements: tuple[Statement, ...]
    record_id: str | None


def rules(store: Store, session: str) -> Rules:
    """What is pinned in a session, and every sentence that weighs of what its last view says.

    A sentence weighs by the word list of the lift: a rule, a number, a decision, a state, a handle. It
    only ranks; what it leaves out stands in the view as well.

    Raises:
        StoreError: The store can't be asked, or does not hold what its records name.
    """
    records = store.records(session)
    standing = standing_record(records)
    spans = () if standing is None else _spans_shown(store, session, standing)
    pins = tuple(_pinned(pin, spans) for pin in log_of(records).pins)
    found = [statement for span in spans for statement in _statements(span)]
    found.sort(key=lambda statement: (TIERS.index(statement.tier), statement.turn))
    return Rules(session, pins, tuple(found), None if standing is None else str(standing["record_id"]))


def _spans_shown(store: Store, session: str, standing: Mapping[str, JSON]) -> Sequence[Span]:
    """The spans of the view of a cut, each with the provenance that it was stored with."""
    dialect = by_name(standing["engine"]["dialect"])
    empty = Transcript(dialect.name, getattr(dialect, "wire", dialect.name), ())
    wire = wire_of(empty)
    shown = wire.parse_messages(messages_shown(store, session, standing))
    state = state_of(store, session, standing)
    carried = from_state(state, None, shown, wire, ListHash(), standing["source_ref"])
    transcript = replace(empty, messages=carried.messages)
    structure = build_structure(transcript, counter_of(transcript, None))
    key = store.key()
    known = {(row.message, row.handle): row.provenance for row in store.span_rows(session)}
    return [
        _as_known(span, known.get((structure.origins[span.message].index, store_handle(key, session, span.data))))
        for span in structure.spans
    ]


def _as_known(span: Span, provenance: str | None) -> Span:
    """A wire format does not say all that the client's own file said: a reminder looks like a person's text."""
    if provenance is None or span.provenance is Provenance.compactor:
        return span
    return replace(span, part=replace(span.part, provenance=Provenance(provenance)))


def _pinned(pin: JSON, spans: Sequence[Span]) -> PinnedWords:
    if isinstance(pin, str):
        line = pin_line(pin)
        held = [s for s in spans if s.id == pin or pin in s.text or line in s.text]
        return PinnedWords(pin, False, 0, _messages(held))
    pattern = re.compile(pin["pattern"], pin["flags"])
    held = [span for span in spans if pattern.search(span.text)]
    return PinnedWords(pin["pattern"], True, pin["flags"], _messages(held))


def _messages(spans: Iterable[Span]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(span.message for span in spans))


def _statements(span: Span) -> list[Statement]:
    if span.kind is not Kind.text or span.payload:
        return []
    if span.provenance is Provenance.compactor:
        return [_lifted(text, span) for text in page_lines(span.text) if kind_of_line(text) is LineKind.lift]
    tier = span.provenance.value
    if tier not in ("system", "developer", "user"):
        return []
    said = [span.text[part.start : part.end] for part in sentences(span.text)]
    return [Statement(tier, span.turn, words, span.message, False) for words in said if weights(words)]


def _lifted(text: str, span: Span) -> Statement:
    voice = _LIFTED.match(text)
    assert voice is not None
    return Statement(voice[1], int(voice[2]), text[voice.end() :], span.message, True)


# Taking back --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LastCut:
    """The last cut of a session that still stands, to be taken back.

    Attributes:
        session: The session.
        record: Of the cut.
        messages: As they came in to it, to the byte.
        earlier: How many cuts before it still stand.
    """

    session: str
    record: CompactionRecord
    messages: list[JSON]
    earlier: int
    _store: Store = field(repr=False)
    _log: Log = field(repr=False)

    @property
    def data(self) -> bytes:
        """The messages as one line of JSON, each with its own key order."""
        return verbatim_json(self.messages) + b"\n"

    def take_back(self, *, actor: str = "api") -> CompactionRecord:
        """Writes that the cut no longer stands, and returns the record of it.

        Raises:
            StoreConflict: Something was written to the session since the cut was read; it still stands.
            StoreError: Nothing was written.
        """
        control = {"undo": self.record.record_id}
        steps = controlled(self.session, self._log.seq, self._log.previous, control, occasion(actor, None))
        return drive(steps, self._store, self.session)


def last_cut(store: Store, session: str) -> LastCut:
    """The last cut of a session that no undo took back.

    Raises:
        ConfigurationError: There is none.
        StoreError: The messages can't be had from the store.
    """
    records = store.records(session)
    standing = standing_cuts(records)
    if not standing:
        raise ConfigurationError(
            f"no cut of session {session!r} stands in {store.url}, so there is none to take back.",
            next_step="`cenotaph sessions` lists what the store holds; a fork is a session of its own.",
        )
    messages = messages_before(store, session, standing[-1])
    record = CompactionRecord.from_dict(standing[-1])
    return LastCut(session, record, messages, len(standing) - 1, store, log_of(records))


# Handing off --------------------------------------------------------------------------------


def hand_off(
    messages: Any,
    *,
    store: str | Store,
    session: str | None = None,
    policy: Policy | None = None,
    tools: Iterable[Tool] = (),
    pins: Iterable[Pin] = (),
    dialect: str | None = None,
    model: str | None = None,
    binding: str | None = None,
    drop_block: bool = False,
    region: str = "last",
    actor: str = "api",
) -> Result:
    """The smallest view that loses nothing, for a fresh window; a cut of its session like any other.

    Args:
        policy: `Policy.archive()` if None.
        store, session, tools, pins, dialect, model, binding, drop_block, region, actor: As `compact`.

    Raises:
        As `compact`.
    """
    transcript = parsed(messages, dialect, region)
    opened, stored = opened_store(store)
    thread = resumed(transcript, session_name(session, transcript), opened, wire_of(transcript))
    pinned = (*thread.log.named, *pins_of(pins))
    reader = Reader(thread, counter_of(transcript, model), tuple(tools), pinned, (), thread.log.released)
    how = How(policy or Policy.archive(recall_by="handoff"), None, None, binding, drop_block, model, handoff=True)
    who = identity_of(thread, opened, stored, occasion(actor, model or transcript.model))
    return compacted(messages, reader, who, opened, how)[0]
