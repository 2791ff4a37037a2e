"""Markers of ours in a view that is audited: what stands under them is not lost, if a store says so.

A tombstone is a promise. With the store that made it the promise is kept or broken, and an audit can say
which; without one nobody can tell, and nothing is concluded from it. A marker that no store knows proves
nothing, whoever wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cenotaph.core.audit.model import Event, Evidence, Judgement, Ref, Verdict
from cenotaph.core.ids import HANDLE_PREFIX
from cenotaph.core.model import Message, Part
from cenotaph.core.tombstone import Tombstone, is_marker, looks_like_marker

__all__ = ["NO_PROMISES", "Original", "Promises", "Recall", "own_pages", "promises_in"]

_STORE_HANDLE: Final = re.compile(re.escape(HANDLE_PREFIX) + r"[0-9a-f]{16,64}")
_FOLDED: Final = "tombstones"


@dataclass(frozen=True, slots=True)
class Original:
    """What a handle of ours brings back.

    Attributes:
        text: Verbatim.
        handle: The store handle.
    """

    text: str
    handle: str


Recall = Callable[[str], Iterable[Original]]
"""The originals behind a store handle; none where it does not resolve."""


@dataclass(frozen=True, slots=True)
class Promises:
    """What the markers in a view promise, and what of it is kept.

    Attributes:
        tombstones: Those that name a store handle.
        handles: Store handles in lines of ours, in order.
        asked: A store was asked.
        broken: Handles that the store does not resolve.
        originals: Text without surplus white space -> a handle that brings it back.
    """

    tombstones: tuple[Tombstone, ...] = ()
    handles: tuple[str, ...] = ()
    asked: bool = False
    broken: tuple[str, ...] = ()
    originals: dict[str, str] = field(default_factory=dict)

    def holds(self, part: Part) -> bool:
        """Whether the whole of a part comes back by some handle: in one piece, or in the pieces it was cut into."""
        wanted = _plain(part.text)
        if wanted in self.originals:
            return True
        for piece in sorted(self._pieces(wanted), key=len, reverse=True):
            wanted = wanted.replace(piece, " ")
        return bool(self.originals) and not wanted.strip()

    def _pieces(self, wanted: str) -> list[str]:
        return [text for text in self.originals if text and len(text) < len(wanted) and text in wanted]

    def reconsidered(self, judgement: Judgement) -> Judgement:
        """The judgement, where what was judged as dropped stands under a tombstone."""
        if judgement.verdict is not Verdict.dropped or not self.handles:
            return judgement
        statement = judgement.statement
        handle = self._handle_of(statement.text)
        if handle is not None:
            return replace(judgement, recover=handle)
        if self.asked or not self._may_cover(statement.turn):
            return judgement
        note = "a marker stands for what left there; without its store nobody can say whether this is under it"
        place = (statement.start, statement.end)
        return replace(judgement, verdict=Verdict.unverifiable, evidence=(Evidence(place, note=note),))

    def _handle_of(self, text: str) -> str | None:
        wanted = _plain(text)
        return next((handle for original, handle in self.originals.items() if wanted in original), None)

    def _may_cover(self, turn: int | None) -> bool:
        """A line may share its tombstone with later neighbours, so it may cover its own turn and any after it."""
        return any(turn is None or one.kind == _FOLDED or one.turn <= turn for one in self.tombstones)

    def unpromised(self, event: Event) -> tuple[Ref, ...]:
        """What was removed and comes back by no handle."""
        if not self.originals:
            return event.removed
        return tuple(ref for ref in event.removed if not self.holds(event.before[ref[0]].parts[ref[1]]))


NO_PROMISES: Final = Promises()
"""Of a view without a line of ours."""


def promises_in(after: Sequence[Message], recall: Recall | None) -> Promises:
    """What the lines of ours in a view promise.

    Args:
        after: The view.
        recall: Asks the store; None if there is none.
    """
    tombstones: list[Tombstone] = []
    handles: dict[str, None] = {}
    for text in _marked(after):
        tombstones += [one for one in Tombstone.find(text) if any(h.startswith(HANDLE_PREFIX) for h in one.recover)]
        handles |= dict.fromkeys(_STORE_HANDLE.findall(text))
    if recall is None:
        return Promises(tuple(tombstones), tuple(handles))
    originals: dict[str, str] = {}
    broken: list[str] = []
    for handle in handles:
        found = list(recall(handle))
        if not found:
            broken.append(handle)
        for original in found:
            originals.setdefault(_plain(original.text), original.handle)
    return Promises(tuple(tombstones), tuple(handles), True, tuple(broken), originals)


def own_pages(after: Sequence[Message]) -> set[int]:
    """The messages of a view that claim to be nothing but lines of ours."""
    return {at for at, message in enumerate(after) if any(is_marker(part.text) for part in message.parts)}


def _marked(messages: Iterable[Message]) -> Iterable[str]:
    for message in messages:
        for part in message.parts:
            if "[" in part.text and looks_like_marker(part.text):
                yield part.text


def _plain(text: str) -> str:
    return " ".join(text.split())
