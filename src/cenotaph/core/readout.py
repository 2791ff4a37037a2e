"""A transcript, read: everything that a decision rests on, and nothing decided."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cenotaph.core.classify import Classified, classify_structure
from cenotaph.core.facts import Pins, Write, collect_facts
from cenotaph.core.ids import JSON
from cenotaph.core.model import Counter, Part, Transcript, Wire
from cenotaph.core.plan import NO_FRAMING, Framing, tokens_now
from cenotaph.core.spans import build_structure, tokens_of
from cenotaph.core.tools import Tools

__all__ = ["Memo", "Readout", "read", "recounted", "total_tokens"]


class Memo:
    """A counter that counts each text once; a token count depends on nothing but the text."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._known: dict[str, int] = {}
        self.name = counter.name
        self.basis = counter.basis

    def count(self, text: str) -> int:
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._counter.count(text)
        return known

    def media(self, part: Part) -> int:
        return self._counter.media(part)


@dataclass(frozen=True, slots=True)
class Readout:
    """A transcript, read: everything that a decision rests on.

    Attributes:
        transcript: What came in.
        wire: Its wire format.
        classified: Spans with their rows.
        tools: Declarations in force.
        counter: What counted.
        framing: What the provider adds to the texts.
        other_tokens: Tokens of the request's tool definitions.
    """

    transcript: Transcript
    wire: Wire
    classified: Classified
    tools: Tools
    counter: Counter
    framing: Framing
    other_tokens: int

    @property
    def messages(self) -> list[JSON]:
        return [message.raw for message in self.transcript.messages]


def read(
    transcript: Transcript,
    wire: Wire,
    counter: Counter,
    tools: Tools,
    framing: Framing = NO_FRAMING,
    pins: Iterable[str | re.Pattern[str]] = (),
    keep: Iterable[str] = (),
    released: Iterable[str] = (),
    past: Sequence[Write] | None = None,
) -> Readout:
    """Spans, exchanges, facts and rows of a transcript; `past` are the writes that earlier cuts knew of."""
    structure = build_structure(transcript, counter)
    known = {span.id for span in structure.spans}
    named = Pins.of(pins, known, keep, released)
    reading = collect_facts(structure, tools, named, transcript.tool_names, past)
    return Readout(
        transcript=transcript,
        wire=wire,
        classified=classify_structure(structure, reading),
        tools=tools,
        counter=counter,
        framing=framing,
        other_tokens=counter.count(transcript.tools_text) if transcript.tools_text else 0,
    )


def total_tokens(readout: Readout) -> int:
    """Tokens of the messages as they are."""
    return tokens_now(readout.classified, readout.framing, readout.other_tokens)


def recounted(readout: Readout, counter: Counter) -> Readout:
    """The same readout in another counter's tokens; rows don't depend on counts."""
    structure = readout.classified.structure
    spans = tuple(replace(span, tokens=tokens_of(span.part, span.text, counter)) for span in structure.spans)
    classified = replace(readout.classified, structure=replace(structure, spans=spans))
    other = counter.count(readout.transcript.tools_text) if readout.transcript.tools_text else 0
    return replace(readout, classified=classified, counter=counter, other_tokens=other)
