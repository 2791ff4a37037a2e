"""Manifests: what one pointer stands for when it stands for many spans.

A manifest is an object of the store like any other, with a row that only the compactor writes. A
tool's output that looks like one has a row of its tool, so it is content and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cenotaph.core.effects import SpanRow
from cenotaph.core.ids import HANDLE_PREFIX, JSON, from_json, sha256_hex, verbatim_json
from cenotaph.core.model import Provenance
from cenotaph.errors import StoreDamaged

__all__ = ["MANIFEST_KIND", "Manifest", "is_manifest"]

MANIFEST_KIND: Final = "manifest"
"""`SpanRow.kind` of a manifest; no `Kind` of a transcript has this value."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a pointer stands for.

    Attributes:
        spans: Span ids, in the order of the transcript.
        folds: Store handles of other manifests, or of single originals, that stand behind this one.
        turns: First and last turn.
    """

    spans: tuple[str, ...]
    folds: tuple[str, ...]
    turns: tuple[int, int]

    def encode(self) -> bytes:
        """The object's bytes. `Manifest.decode(m.encode(), handle) == m` for every manifest."""
        return verbatim_json({"spans": list(self.spans), "folds": list(self.folds), "turns": list(self.turns)})

    @classmethod
    def decode(cls, data: bytes, handle: str) -> Manifest:
        """Reads an object whose row says that it is a manifest; unknown fields are passed over.

        Args:
            data: The object.
            handle: For the error only.

        Raises:
            StoreDamaged: It is none.
        """
        try:
            value = from_json(data)
        except ValueError as error:
            raise _no_manifest(handle) from error
        fields = value if isinstance(value, Mapping) else {}
        spans, folds = _texts(fields.get("spans")), _texts(fields.get("folds"))
        turns = fields.get("turns")
        if spans is None or folds is None or not all(fold.startswith(HANDLE_PREFIX) for fold in folds):
            raise _no_manifest(handle)
        if not isinstance(turns, list) or len(turns) != 2 or any(type(turn) is not int for turn in turns):
            raise _no_manifest(handle)
        return cls(spans, folds, (turns[0], turns[1]))

    def row(self, handle: str, *, position: int) -> SpanRow:
        """The row under which the store holds it at `handle`."""
        return SpanRow(
            span_id=f"m.{sha256_hex(self.encode())[:20]}",
            handle=handle,
            position=position,
            message=-1,
            turn=self.turns[0],
            exchange=0,
            kind=MANIFEST_KIND,
            provenance=Provenance.compactor.value,
            tool=None,
            shell="null",
            slot="[]",
        )


def is_manifest(row: SpanRow) -> bool:
    """By who wrote the row, never by what the object says."""
    return row.kind == MANIFEST_KIND and row.provenance == Provenance.compactor.value


def _texts(value: JSON) -> tuple[str, ...] | None:
    """A list of texts as a tuple; None if it is anything else."""
    return tuple(value) if isinstance(value, list) and all(isinstance(item, str) for item in value) else None


def _no_manifest(handle: str) -> StoreDamaged:
    return StoreDamaged(
        f"{handle} is recorded as a manifest, and its object is none.",
        next_step="Run cenotaph verify --read-data.",
        handle=handle,
    )
