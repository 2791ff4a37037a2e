"""Spans: the smallest things that a plan acts on, with their place in turns and exchanges.

A dialect gives parts; here each becomes one span, except that a human's text is split at its
payloads. Calls are joined with their results, parallel calls and their results form one exchange,
and everything gets the number of its turn.
"""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cenotaph.core.ids import JSON, span_id, verbatim_json
from cenotaph.core.model import Counter, Kind, Message, Origin, Part, Path, Provenance, Transcript
from cenotaph.core.payloads import payload_ranges

__all__ = ["Exchange", "Span", "Structure", "build_structure", "value_at"]


@dataclass(frozen=True, slots=True)
class Span:
    """One span.

    Attributes:
        id: See `ids.span_id`.
        part: What the dialect said of it.
        message: Index of its message, -1 for system text outside the messages.
        order: Its place among all spans, from 0.
        start: First character of its slice of the block's text; None if it is the whole value.
        end: End of the slice, None likewise.
        payload: A structural part of a human message that is not speech.
        text: What the model reads of it.
        data: Verbatim JSON of its content: what a store keeps.
        tokens: By the counter of the compaction.
        turn: Number of its turn.
        exchange: Index into `Structure.exchanges`, -1 if it belongs to none.
        output: Index of the first message of the output that it is of: its own, but where items are messages.
    """

    id: str
    part: Part
    message: int
    order: int
    start: int | None
    end: int | None
    payload: bool
    text: str
    data: bytes
    tokens: int
    turn: int
    exchange: int
    output: int = -1

    @property
    def kind(self) -> Kind:
        return self.part.kind

    @property
    def provenance(self) -> Provenance:
        return self.part.provenance


@dataclass(frozen=True, slots=True)
class Exchange:
    """A parallel batch: all calls of one output of the model and their results.

    Attributes:
        turn: Turn of the calls.
        n: Number among the exchanges of its turn, from 1.
        message: Index of the agent message, the first if its items are messages.
        calls: Orders of the calls.
        results: For each call the orders of its results; more than one if interim results came.
        consumed: An agent item follows the last of them.
    """

    turn: int
    n: int
    message: int
    calls: tuple[int, ...]
    results: tuple[tuple[int, ...], ...]
    consumed: bool

    @property
    def members(self) -> tuple[int, ...]:
        return (*self.calls, *(order for group in self.results for order in group))


@dataclass(frozen=True, slots=True)
class Structure:
    """A transcript as spans and exchanges.

    Attributes:
        spans: In order; `spans[i].order == i`.
        exchanges: In order of their calls.
        call_of: Order of a result -> order of its call; an orphan result is absent.
        by_message: Message index -> orders of its spans.
        by_output: Index of the first message of an output -> orders of all its spans; a message that is no
            part of a longer output is one of its own.
        last_agent_message: Index of the first message of the agent's newest output, -1 if there is none.
        human_messages: Indices of messages in which a person speaks, in order.
        turns: Number of turns that a person began.
        origins: Where each message stands in the history; one more for what comes next.
    """

    spans: tuple[Span, ...]
    exchanges: tuple[Exchange, ...]
    call_of: dict[int, int]
    by_message: dict[int, tuple[int, ...]]
    by_output: dict[int, tuple[int, ...]]
    last_agent_message: int
    human_messages: tuple[int, ...]
    turns: int
    origins: tuple[Origin, ...] = ()

    @property
    def loop_open(self) -> bool:
        """The newest agent message made calls: the model is in the middle of a tool loop."""
        orders = self.by_output.get(self.last_agent_message, ())
        return any(self.spans[order].kind is Kind.call for order in orders)


def value_at(raw: JSON, path: Path) -> JSON:
    """The value at a path of a message."""
    for step in path:
        raw = raw[step]
    return raw


@dataclass(slots=True)
class _Batch:
    turn: int
    n: int
    message: int
    calls: list[int]
    results: dict[int, list[int]]


_SPEECH, _PAYLOAD, _OWN = "speech", "payload", "own"
"""What a structural part of a text block is."""


def _slices(part: Part, counter: Counter) -> Iterator[tuple[int | None, int | None, str, str]]:
    """(start, end, what it is, text) for each structural part of a text block."""
    cuts = sorted([*((start, end, _OWN) for start, end in part.own), *_payloads(part, counter)])
    if not cuts:
        yield None, None, _SPEECH, part.text
        return
    position = 0
    for start, end, what in cuts:
        if position < start:
            yield position, start, _SPEECH, part.text[position:start]
        yield start, end, what, part.text[start:end]
        position = end
    if position < len(part.text):
        yield position, len(part.text), _SPEECH, part.text[position:]


def _payloads(part: Part, counter: Counter) -> Iterator[tuple[int, int, str]]:
    """The payloads of a person's text; what stands between two lines of ours is read on its own."""
    if not _is_speech(part):
        return
    position = 0
    for start, end in (*part.own, (len(part.text), len(part.text))):
        for first, last in payload_ranges(part.text[position:start], counter.count):
            yield position + first, position + last, _PAYLOAD
        position = end


def _is_speech(part: Part) -> bool:
    return part.provenance is Provenance.user and part.kind is Kind.text


def tokens_of(part: Part, text: str, counter: Counter) -> int:
    """Tokens that a part costs in the request, framing of its message aside."""
    if part.kind is Kind.media:
        return counter.media(part)
    tokens = counter.count(text) + part.hidden
    if part.kind is Kind.call:
        tokens += counter.count(part.tool or "")
    if part.images:
        tokens += counter.media(part)
    return tokens


class _Builder:
    """Walks the parts once; everything about place is decided here."""

    def __init__(self, transcript: Transcript, counter: Counter, *, named: bool) -> None:
        self.transcript = transcript
        self.named = named
        self.counter = counter
        self.spans: list[Span] = []
        self.seen: Multiset[tuple[str, str, str | None, bytes, int, int]] = Multiset()
        self.batches: list[_Batch] = []
        self.call_of: dict[int, int] = {}
        self.open_calls: dict[str, list[int]] = {}
        self.answered: dict[str, int] = {}
        self.by_message: dict[int, list[int]] = {}
        self.by_output: dict[int, list[int]] = {}
        self.output = -1
        self.turn = 0
        self.in_turn = 0
        self.after_human = False
        self.batch_of: dict[int, int] = {}
        self.origins: list[Origin] = []

    def add(self, part: Part, message: int, raw: JSON) -> None:
        self._advance_turn(part)
        value = value_at(raw, part.path) if self.named else None
        for start, end, what, text in _slices(part, self.counter):
            order = len(self.spans)
            said = part if what is not _OWN else replace(part, provenance=Provenance.compactor)
            data = verbatim_json(value if start is None else text) if self.named else b""
            exchange = self._place(part, order)
            self.spans.append(
                Span(
                    id=self._name(said, data) if self.named else "",
                    part=said,
                    message=message,
                    order=order,
                    start=start,
                    end=end,
                    payload=what is _PAYLOAD or (part.kind is Kind.media and part.provenance is Provenance.user),
                    text=text,
                    data=data,
                    tokens=tokens_of(part, text, self.counter),
                    turn=self.turn if exchange < 0 else self.batches[exchange].turn,
                    exchange=exchange,
                    output=self.output,
                )
            )
            self.by_message.setdefault(message, []).append(order)
            self.by_output.setdefault(self.output, []).append(order)

    def _name(self, part: Part, data: bytes) -> str:
        identity = (part.kind.value, part.provenance.value, part.call_id, data, self.turn, self.in_turn)
        occurrence = self.seen[identity]
        self.seen[identity] = occurrence + 1
        return span_id(identity[0], identity[1], part.call_id, data, (self.turn, self.in_turn, occurrence))

    def begin(self, index: int, message: Message) -> None:
        """Takes the numbering up where the history has it: what stood before may have left."""
        voiced = message.continues and self.spans and self.spans[-1].provenance is Provenance.agent
        if not voiced:
            self.output = index
        if message.origin is not None:
            self.turn, self.in_turn = message.origin.turn, message.origin.n
            self.after_human = message.origin.after_human
        self.origins.append(Origin(len(self.origins), self.turn, self.in_turn, self.after_human))

    def _advance_turn(self, part: Part) -> None:
        human = part.provenance is Provenance.user and part.kind in (Kind.text, Kind.media)
        if human and not self.after_human:
            self.turn += 1
            self.in_turn = 0
        if human:
            self.after_human = True
        elif part.provenance in (Provenance.agent, Provenance.tool):
            self.after_human = False

    def _place(self, part: Part, order: int) -> int:
        """The exchange that a call or result belongs to, -1 for anything else and for orphans."""
        if part.kind is Kind.call:
            if not self.batches or self.batches[-1].message != self.output:
                self.in_turn += 1
                self.batches.append(_Batch(self.turn, self.in_turn, self.output, [], {}))
            index = len(self.batches) - 1
            self.batches[index].calls.append(order)
            self.batches[index].results[order] = []
            self.batch_of[order] = index
            if part.call_id is not None:
                self.open_calls.setdefault(part.call_id, []).append(order)
            return index
        if part.kind is Kind.result and part.call_id is not None:
            waiting = self.open_calls.get(part.call_id)
            call = waiting.pop(0) if waiting else self.answered.get(part.call_id)
            if call is None:
                return -1
            self.answered[part.call_id] = call
            self.call_of[order] = call
            self.batches[self.batch_of[call]].results[call].append(order)
            return self.batch_of[call]
        return -1

    def structure(self) -> Structure:
        agent_orders = [s.order for s in self.spans if s.provenance is Provenance.agent]
        last_agent = agent_orders[-1] if agent_orders else -1
        exchanges = tuple(
            Exchange(
                turn=batch.turn,
                n=batch.n,
                message=batch.message,
                calls=tuple(batch.calls),
                results=tuple(tuple(batch.results[call]) for call in batch.calls),
                consumed=max((o for r in batch.results.values() for o in r), default=len(self.spans)) < last_agent,
            )
            for batch in self.batches
        )
        human = sorted({s.message for s in self.spans if _is_speech(s.part)})
        return Structure(
            spans=tuple(self.spans),
            exchanges=exchanges,
            call_of=self.call_of,
            by_message={message: tuple(orders) for message, orders in self.by_message.items()},
            by_output={output: tuple(orders) for output, orders in self.by_output.items()},
            last_agent_message=self.spans[last_agent].output if last_agent >= 0 else -1,
            human_messages=tuple(human),
            turns=self.turn,
            origins=tuple(self._numbered()),
        )

    def _numbered(self) -> Iterator[Origin]:
        """Where each message stands in the history, and what would come next."""
        index = -1
        for message, found in zip(self.transcript.messages, self.origins, strict=True):
            index = index + 1 if message.origin is None else message.origin.index
            yield replace(found, index=index)
        yield Origin(index + 1, self.turn, self.in_turn, self.after_human)


def build_structure(transcript: Transcript, counter: Counter, *, named: bool = True) -> Structure:
    """Spans and exchanges of a transcript; every part becomes at least one span, in order.

    Args:
        transcript: What is read.
        counter: Counts each span.
        named: Whether spans get their ids and contents; a view that is only counted needs neither.
    """
    builder = _Builder(transcript, counter, named=named)
    for part in transcript.preamble:
        builder.add(part, -1, transcript.around)
    for index, message in enumerate(transcript.messages):
        builder.begin(index, message)
        for part in message.parts:
            builder.add(part, index, message.raw)
    return builder.structure()


def human_text(structure: Structure, message: int) -> str:
    """All that a person says in one message."""
    spans: Sequence[Span] = [structure.spans[order] for order in structure.by_message.get(message, ())]
    return "\n".join(span.text for span in spans if _is_speech(span.part))
