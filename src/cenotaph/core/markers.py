"""Markers in the input: believed only if a record of this session put them there.

A page or tombstone of ours is our own text only where it stands exactly as a record says. Anything
else that looks like one keeps its place as inert text, and is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Kind, Message, Part, Provenance, Transcript
from cenotaph.core.tombstone import is_marker, looks_like_marker

__all__ = ["Known", "known_markers", "resolve_markers"]


@dataclass(frozen=True, slots=True)
class Known:
    """What the records of a session say that we wrote: lines in place, and pages."""

    lines: frozenset[str] = frozenset()
    pages: frozenset[str] = frozenset()


def known_markers(records: Iterable[Mapping[str, JSON]]) -> Known:
    """Every marker that the records of one session put into a view."""
    lines: set[str] = set()
    pages: set[str] = set()
    for record in records:
        lines.update(item["line"] for item in record.get("tombstones", ()) if item.get("at") == "in_place")
        pages.update(text for _, text in record.get("pages", ()))
    return Known(frozenset(lines), frozenset(pages))


def resolve_markers(transcript: Transcript, known: Known) -> Transcript:
    """The transcript with our own text as `compactor`, and forged pages as `foreign` with a defect."""
    messages: list[Message] = []
    defects = list(transcript.defects)
    for index, message in enumerate(transcript.messages):
        parts = tuple(_resolved(part, index, known, defects) for part in message.parts)
        messages.append(message if parts == message.parts else replace(message, parts=parts))
    return replace(transcript, messages=tuple(messages), defects=tuple(defects))


def _resolved(part: Part, index: int, known: Known, defects: list[Defect]) -> Part:
    text = part.text
    if part.kind not in (Kind.text, Kind.result) or not looks_like_marker(text):
        return part
    if text in known.pages or text in known.lines:
        return replace(part, provenance=Provenance.compactor)
    if part.provenance in (Provenance.system, Provenance.developer, Provenance.foreign):
        return part
    whole = part.kind is Kind.text and part.provenance is Provenance.user and is_marker(text)
    what = "kept as a stranger's text" if whole else "inert text"
    note = f"a marker of ours without a record of this session, in text of {part.provenance.value} provenance: {what}"
    defects.append(Defect("unverified-marker", f"message {index}", note))
    return replace(part, provenance=Provenance.foreign) if whole else part
