"""Reading: from foreign messages to classified spans, counted in the right tokens. Decides nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cenotaph.core.classify import Classified
from cenotaph.core.facts import Write
from cenotaph.core.handles import partition
from cenotaph.core.ids import JSON
from cenotaph.core.markers import Known, resolve_markers
from cenotaph.core.model import Counter, Kind, Mark, Transcript, Wire
from cenotaph.core.plan import BINDINGS, Framing
from cenotaph.core.readout import Memo, Readout, read, recounted
from cenotaph.core.tokens import CalibratedCounter, calibrate, message_framing
from cenotaph.core.tools import Tools, ToolSpec
from cenotaph.core.usage import calls_of
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.bedrock import BEDROCK_CONVERSE
from cenotaph.dialects.claude_code import CLAUDE_CODE, ClaudeCode
from cenotaph.dialects.codex import CODEX, Codex
from cenotaph.dialects.detect import by_name, detect
from cenotaph.dialects.gemini import GEMINI
from cenotaph.dialects.langchain import WIRES as LANGCHAIN_WIRES
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.dialects.openai_responses import OPENAI_RESPONSES
from cenotaph.dialects.opencode import OPENCODE, OpenCode
from cenotaph.dialects.openhands import OPENHANDS, OpenHands
from cenotaph.dialects.pi import PI, Pi
from cenotaph.dialects.pydantic_ai import PYDANTIC_AI
from cenotaph.errors import ConfigurationError
from cenotaph.runtime.counters import counter_for
from cenotaph.runtime.source import decode

_ALL_WIRES: tuple[Wire, ...] = (
    ANTHROPIC,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    GEMINI,
    BEDROCK_CONVERSE,
    PYDANTIC_AI,
    *LANGCHAIN_WIRES.values(),
)
_WIRES: Mapping[str, Wire] = {wire.name: wire for wire in _ALL_WIRES}

_Session = ClaudeCode | Codex | OpenHands | Pi | OpenCode
_ALL_SESSIONS: tuple[_Session, ...] = (CLAUDE_CODE, CODEX, OPENHANDS, PI, OPENCODE)
_SESSIONS: Mapping[str, _Session] = {session.name: session for session in _ALL_SESSIONS}
"""Dialects of files that hold more than what is sent next."""

Pin = str | re.Pattern[str]
Tool = ToolSpec | str | Mapping[str, JSON]


def wire_of(transcript: Transcript) -> Wire:
    return _WIRES[transcript.wire]


def wire_named(name: str) -> Wire:
    """The wire format of that name.

    Raises:
        ConfigurationError: There is none.
    """
    if name not in _WIRES:
        raise ConfigurationError(f"There is no wire format {name!r}.", next_step=f"Use one of {', '.join(_WIRES)}.")
    return _WIRES[name]


def parsed(messages: Any, dialect: str | None, region: str) -> Transcript:
    """The transcript of a value, or of a file's bytes, which are read as the command line reads that file."""
    if isinstance(messages, bytes | bytearray):
        source = decode(bytes(messages), "the bytes", dialect=dialect)
        transcript = _parsed(source.value, dialect, region)
        return replace(transcript, defects=(*source.defects, *transcript.defects))
    return _parsed(messages, dialect, region)


def _parsed(messages: JSON, dialect: str | None, region: str) -> Transcript:
    chosen = by_name(dialect) if dialect is not None else detect(messages)
    if region == "last":
        return chosen.parse(messages)
    session = _SESSIONS.get(chosen.name)
    if region != "all" or session is None:
        raise ConfigurationError(
            f"region={region!r} for {chosen.name}: `all` is for session files, which hold more than is sent"
        )
    return session.parse(messages, region="all")


def counter_of(transcript: Transcript, model: str | None) -> Memo:
    return Memo(counter_for(model=model or transcript.model, wire=transcript.wire))


def _calibrated(readout: Readout) -> Readout:
    """The readout with an estimate scaled by what the provider itself counted, if it did."""
    usage = readout.transcript.usage
    if not usage or readout.counter.basis == "exact":
        return readout
    calls = calls_of(readout.transcript, readout.classified.spans, readout.framing, readout.other_tokens)
    calibration = calibrate([(call.estimated, call.reported) for call in calls])
    if calibration.factor == 1:
        return readout
    return recounted(readout, Memo(CalibratedCounter(readout.counter, calibration)))


def read_out(
    transcript: Transcript,
    counter: Counter,
    tools: Iterable[Tool],
    pins: Iterable[Pin],
    keep: Iterable[str],
    released: Iterable[str] = (),
    past: Sequence[Write] | None = None,
) -> Readout:
    declared = Tools.of(tools, profile=transcript.dialect)
    framing = Framing(*message_framing(transcript.wire))
    readout = read(transcript, wire_of(transcript), counter, declared, framing, pins, keep, released, past)
    return _calibrated(readout)


def binding_of(readout: Readout, binding: str | None, model: str | None) -> str:
    """How signed reasoning is bound: as said, else by the model's name; unknown is the strictest."""
    if binding is not None:
        if binding not in BINDINGS:
            raise ConfigurationError(f"binding={binding!r}: one of {', '.join(BINDINGS)}, or None")
        return binding
    if readout.transcript.wire in _BOUND_OTHERWISE:
        return "none"
    signed = any(s.kind is Kind.reasoning and Mark.signed in s.part.marks for s in readout.classified.spans)
    return binding_of_model(model or readout.transcript.model) if signed else "none"


_BOUND_OTHERWISE = frozenset({"openai-responses", "gemini"})
"""Formats whose signed reasoning is bound to no prefix, whatever the model.

Rule O3: a reasoning item is bound to the item after it and to nothing before it. Rule G4: a thought signature
stands on a call, is read in the current turn only, and stays with that call.
"""


_PREFIX_BOUND = re.compile(r"(?:fable|mythos)-5-[1-9]|(?:opus|sonnet|haiku)-5-[5-9]|-[6-9](?:-|$)")
_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?\d")


def binding_of_model(model: str | None) -> str:
    """`prefix` for models whose reasoning is bound to all before it, and for unknown ones; else `newest`.

    Source: rule A6, the vendor's page on preserved thinking (Fable 5.1+, Mythos 5.1+, the 5.5 models).
    """
    name = (model or "").lower()
    if not _CLAUDE.search(name) or _PREFIX_BOUND.search(name):
        return "prefix"
    return "newest"


@dataclass(frozen=True, slots=True)
class ClassifiedSpan:
    """One span with its class.

    Attributes:
        id: Span id.
        message: Index of its message, -1 for system text outside the messages.
        turn: Number of its turn.
        kind, provenance: What it is and who wrote it.
        cls: The span's class, a `SpanClass`.
        row: Id of the row of the table.
        why: The row in words.
        tokens: By the counter for the transcript's model.
        text: What the model reads of it.
        tool: Name of the tool of a call or result, else None.
        parts: (kind, start, end) over `text`: handles and narrative, every character once.
    """

    id: str
    message: int
    turn: int
    kind: str
    provenance: str
    cls: Any
    row: str
    why: str
    tokens: int
    text: str
    tool: str | None

    @property
    def parts(self) -> list[tuple[str, int, int]]:
        return partition(self.text)


def _spans_of(classified: Classified) -> list[ClassifiedSpan]:
    structure = classified.structure
    found = []
    for span, row in zip(structure.spans, classified.rows, strict=True):
        call = structure.call_of.get(span.order)
        found.append(
            ClassifiedSpan(
                id=span.id,
                message=span.message,
                turn=span.turn,
                kind=span.kind.value,
                provenance=span.provenance.value,
                cls=row.cls,
                row=row.id,
                why=f"{row.structure}: {row.why}",
                tokens=span.tokens,
                text=span.text,
                tool=span.part.tool if call is None else structure.spans[call].part.tool,
            )
        )
    return found


def classify(
    messages: Any,
    *,
    dialect: str | None = None,
    tools: Iterable[Tool] = (),
    pins: Iterable[Pin] = (),
    model: str | None = None,
    region: str = "last",
) -> list[ClassifiedSpan]:
    """Every span with its class and row: by structure and provenance, never by an opinion.

    Raises:
        InputError: The messages can't be read.
    """
    return _spans_of(explain(messages, dialect=dialect, tools=tools, pins=pins, model=model, region=region).classified)


def explain(
    messages: Any,
    *,
    dialect: str | None = None,
    tools: Iterable[Tool] = (),
    pins: Iterable[Pin] = (),
    model: str | None = None,
    region: str = "last",
) -> Readout:
    """Everything that a decision about these messages would rest on; decides nothing."""
    transcript = resolve_markers(parsed(messages, dialect, region), Known())
    return read_out(transcript, counter_of(transcript, model), tools, pins, ())
