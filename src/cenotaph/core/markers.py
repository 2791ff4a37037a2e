"""Markers in the input: believed only if a record of this session put them there.

A page or tombstone of ours is our own text only where it stands exactly as a record says: in a message
that a cut wrote, at its place in the view. Anything else that looks like one, a copy of a page of ours
included, keeps its place as inert text, and is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cenotaph.core.ids import JSON, hash_of
from cenotaph.core.model import Defect, Kind, Message, Part, Provenance, Transcript
from cenotaph.core.tombstone import is_marker, looks_like_marker

__all__ = ["Known", "markers_of", "resolve_markers"]


@dataclass(frozen=True, slots=True)
class Known:
    """What we wrote, and where.

    Attributes:
        texts: Lines in place, and pages, as records have them.
        places: (index, hash) of each message that we wrote, in the view into which it was put.
    """

    texts: frozenset[str] = frozenset()
    places: frozenset[tuple[int, str]] = frozenset()


def markers_of(record: Mapping[str, JSON]) -> set[str]:
    """Every marker that a record put into a view."""
    lines = {item["line"] for item in record.get("tombstones", ()) if item.get("at") == "in_place"}
    return lines | {text for _, text in record.get("pages", ())}


def resolve_markers(transcript: Transcript, known: Known) -> Transcript:
    """The transcript with our own text as `compactor`, and forged pages as `foreign` with a defect."""
    messages: list[Message] = []
    defects = list(transcript.defects)
    for index, message in enumerate(transcript.messages):
        here = bool(known.places) and (index, hash_of(message.raw)) in known.places
        ours = known.texts if here else frozenset[str]()
        parts = tuple(_resolved(part, index, ours, defects) for part in message.parts)
        messages.append(message if parts == message.parts else replace(message, parts=parts))
    return replace(transcript, messages=tuple(messages), defects=tuple(defects))


def _resolved(part: Part, index: int, ours: frozenset[str], defects: list[Defect]) -> Part:
    text = part.text
    if part.kind not in (Kind.text, Kind.result) or not looks_like_marker(text):
        return part
    if text in ours:
        return replace(part, provenance=Provenance.compactor)
    if part.provenance in (Provenance.system, Provenance.developer, Provenance.foreign):
        return part
    whole = part.kind is Kind.text and part.provenance is Provenance.user and is_marker(text)
    what = "kept as a stranger's text" if whole else "inert text"
    note = f"a marker of ours without a record of this session, in text of {part.provenance.value} provenance: {what}"
    defects.append(Defect("unverified-marker", f"message {index}", note))
    return replace(part, provenance=Provenance.foreign) if whole else part
