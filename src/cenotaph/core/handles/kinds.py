"""The kinds of handles, and where a handle of each kind may stand."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["INDEX_KINDS", "KINDS", "LIFTED", "NARRATIVE", "STORE_ONLY", "Found", "Handle"]

INDEX_KINDS: Final = frozenset(
    {
        "path",
        "url",
        "endpoint",
        "host",
        "ip",
        "email",
        "uuid",
        "hash",
        "id",
        "version",
        "package",
        "setting",
        "number",
        "time",
        "error",
    }
)
"""What may stand on an index line: each names or states something that words cannot rebuild."""

STORE_ONLY: Final = frozenset({"identifier", "quote"})
"""Code identifiers and quoted literals: found and recorded, never an index line, for there are too many of them."""

LIFTED: Final = frozenset({"prohibition"})
"""Kept as a whole sentence: half of a prohibition can read as its opposite."""

KINDS: Final = INDEX_KINDS | STORE_ONLY | LIFTED
"""Every kind. `partition` adds `narrative` for the rest of a text."""

NARRATIVE: Final = "narrative"
"""What `partition` calls text that is no handle."""


class Handle(NamedTuple):
    """One handle in a text.

    Attributes:
        kind: One of `KINDS`.
        value: Verbatim: `text[start:end]`.
        start: First character.
        end: One past the last.
    """

    kind: str
    value: str
    start: int
    end: int


Found = tuple[str, int, int]
"""A handle without its value: kind, first character, one past the last, in the text at hand."""
