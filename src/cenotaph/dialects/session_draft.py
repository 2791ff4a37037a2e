"""Drafts: messages of a wire that a session dialect writes, with what only the session knows of them.

A session file says more than a request does: that a text in the user's role is a command's output,
that a call failed, that a summary replaces what stood before. The messages are read by the wire's own
reader, so that paths and blocks are those of any later reading; then the session's knowledge is laid
over the parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Kind, Mark, Message, Part, Path, Provenance, Transcript, Usage
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.openai_chat import OPENAI_CHAT

__all__ = ["FOREIGN_SUMMARY", "HARNESS", "Draft", "Voice", "settled"]


@dataclass(frozen=True, slots=True)
class Voice:
    """What a session knows of a part.

    Attributes:
        provenance: Who wrote it; None leaves it to the wire's reader.
        marks: Added to those that the reader found.
        failed: Of a result: whether the client marked it as failed; None leaves it to the reader.
    """

    provenance: Provenance | None = None
    marks: frozenset[Mark] = frozenset()
    failed: bool | None = None


PLAIN: Final = Voice()
HARNESS: Final = Voice(Provenance.harness)
FOREIGN_SUMMARY: Final = Voice(Provenance.foreign, frozenset({Mark.summary}))


@dataclass(frozen=True, slots=True)
class Draft:
    """One message of the view.

    Attributes:
        raw: As it is sent.
        voice: Of every part that `voices` does not name.
        voices: By `Part.block`.
        summarized: A summary in the same view replaces it.
        input_tokens: What the provider counted for the request that produced it; None if it does not say.
        model: Who produced it.
    """

    raw: Mapping[str, JSON]
    voice: Voice = PLAIN
    voices: Mapping[Path, Voice] = field(default_factory=dict)
    summarized: bool = False
    input_tokens: int | None = None
    model: str | None = None


class _Reader(Protocol):
    name: str

    def parse(self, value: JSON) -> Transcript: ...


_READERS: Final[Mapping[str, _Reader]] = {reader.name: reader for reader in (ANTHROPIC, OPENAI_CHAT)}


def settled(
    drafts: Sequence[Draft],
    *,
    dialect: str,
    wire: str,
    source: JSON,
    defects: Iterable[Defect] = (),
    model: str | None = None,
    session: str | None = None,
    tool_names: frozenset[str] | None = None,
    tools_text: str = "",
) -> Transcript:
    """The transcript of the drafts.

    Args:
        drafts: In order.
        dialect: Whose session it is.
        wire: "anthropic" or "openai-chat": the form of the drafts.
        source: What came in.
        defects: What the session's reader found.
        model: As in `Transcript`; None takes the newest of the drafts.
        session, tool_names, tools_text: As in `Transcript`.
    """
    read = _READERS[wire].parse([draft.raw for draft in drafts])
    messages = tuple(_laid_over(message, draft) for message, draft in zip(read.messages, drafts, strict=True))
    counted = [
        Usage(index, draft.input_tokens, draft.model)
        for index, draft in enumerate(drafts)
        if draft.input_tokens is not None and draft.input_tokens > 0
    ]
    return Transcript(
        dialect=dialect,
        wire=wire,
        messages=messages,
        tool_names=tool_names,
        tools_text=tools_text,
        model=model or next((draft.model for draft in reversed(drafts) if draft.model), None),
        session=session,
        usage=tuple(counted),
        defects=(*defects, *read.defects),
        source=source,
    )


def _laid_over(message: Message, draft: Draft) -> Message:
    if draft.voice is PLAIN and not draft.voices and not draft.summarized:
        return message
    return replace(message, parts=tuple(_voiced(part, draft) for part in message.parts))


def _voiced(part: Part, draft: Draft) -> Part:
    voice = draft.voices.get(part.block, draft.voice)
    marks = part.marks | voice.marks
    if draft.summarized and part.provenance is not Provenance.foreign and Mark.summary not in voice.marks:
        marks |= {Mark.summarized}
    failed = part.failed if voice.failed is None or part.kind is not Kind.result else voice.failed
    provenance = voice.provenance or part.provenance
    return replace(part, provenance=provenance, marks=marks, failed=failed)
