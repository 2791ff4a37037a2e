"""Neighbours that a format sends as one message.

Some formats take no two messages of one role in a row. Inside, a view is always a list of messages as
they were before anything was joined: each keeps its place in the history, and a law can speak of it.
Only what is sent is joined, and only where two became neighbours because something between them left
or because one of them is a page of ours: what a client itself sent as neighbours stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from cenotaph.core.ids import JSON
from cenotaph.core.lines import is_page
from cenotaph.core.model import Kind, Message, Provenance, Wire

__all__ = ["Standing", "joined", "joined_messages", "standing_of"]

Standing = tuple[int, bool]
"""Where a message stands in the history (its index), and whether it is a page of ours."""


def standing_of(message: Message, index: int) -> Standing:
    """The standing of a message that has this index where it does not say otherwise."""
    ours = any(
        part.provenance is Provenance.compactor and part.kind is Kind.text and is_page(part.text)
        for part in message.parts
    )
    return (index if message.origin is None else message.origin.index), ours


def joined(raws: Sequence[JSON], standings: Sequence[Standing], wire: Wire) -> tuple[list[JSON], list[int]]:
    """What is sent of a view, and how many of its messages each one holds.

    Args:
        raws: The messages of the view.
        standings: One per message.
        wire: Their format.
    """
    sent: list[JSON] = []
    sizes: list[int] = []
    before: Standing | None = None
    for raw, standing in zip(raws, standings, strict=True):
        whole = None if before is None or _as_sent(before, standing) else wire.join(sent[-1], raw)
        if whole is None:
            sent.append(raw)
            sizes.append(1)
        else:
            sent[-1] = whole
            sizes[-1] += 1
        before = standing
    return sent, sizes


def _as_sent(first: Standing, second: Standing) -> bool:
    """The client itself sent them one after the other."""
    return not first[1] and not second[1] and second[0] == first[0] + 1


def joined_messages(messages: Sequence[Message], wire: Wire) -> tuple[list[JSON], list[int]]:
    """`joined` for messages that were read."""
    standings: list[Standing] = []
    index = -1
    for message in messages:
        standing = standing_of(message, index + 1)
        standings.append(standing)
        index = standing[0]
    return joined([message.raw for message in messages], standings, wire)
