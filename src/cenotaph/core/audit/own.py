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
from cenotaph.core.tombstone import PAGE_HEADER, Tombstone, looks_like_marker

__all__ = ["NO_PROMISES", "Original", "Promises", "Recall", "is_page", "promises_in"]

_STORE_HANDLE: Final = re.compile(re.escape(HANDLE_PREFIX) + r"[0-9a-f]{16,64}")
_FOLDED: Final = "tombstones"
_PAGE_OPENING: Final = PAGE_HEADER.split(":", 1)[0] + ":"
_GAP: Final = "\0"
_STANDING: Final = frozenset({Verdict.preserved, Verdict.paraphrased, Verdict.contradicted})


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
        pages: Messages of the view that are made of lines of ours: what a record of the session says it showed,
            where a store was asked; else what only looks so.
        standing: All text of the view, without surplus white space.
    """

    tombstones: tuple[Tombstone, ...] = ()
    handles: tuple[str, ...] = ()
    asked: bool = False
    broken: tuple[str, ...] = ()
    originals: dict[str, str] = field(default_factory=dict)
    pages: frozenset[int] = frozenset()
    standing: str = ""

    def holds(self, part: Part) -> bool:
        """Whether all of a part comes back by some handle or stands: in one piece, or in those it was cut into."""
        wanted = _plain(part.text)
        if wanted in self.originals:
            return True
        pieces = sorted(self._pieces(wanted), key=len, reverse=True)
        for piece in pieces:
            wanted = wanted.replace(piece, _GAP)
        return bool(pieces) and all(rest.strip() in self.standing for rest in wanted.split(_GAP))

    def _pieces(self, wanted: str) -> list[str]:
        return [text for text in self.originals if text and len(text) < len(wanted) and text in wanted]

    def reconsidered(self, judgement: Judgement) -> Judgement:
        """The judgement, where what stands nowhere in its own words stands under a tombstone."""
        if judgement.verdict in _STANDING or not self.handles:
            return judgement
        statement = judgement.statement
        place = (statement.start, statement.end)
        handle = self._handle_of(statement.text)
        if handle is not None:
            note = f"under a tombstone; {handle} brings it back"
            return replace(judgement, verdict=Verdict.dropped, evidence=(Evidence(place, note=note),), recover=handle)
        if judgement.verdict is not Verdict.dropped or self.asked or not self._may_cover(statement.turn):
            return judgement
        note = "a marker stands for what left there; without its store nobody can say whether this is under it"
        return replace(judgement, verdict=Verdict.unverifiable, evidence=(Evidence(place, note=note),))

    def _handle_of(self, text: str) -> str | None:
        wanted = _plain(text)
        if wanted in self.originals:
            return self.originals[wanted]
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


def promises_in(
    after: Sequence[Message],
    recall: Recall | None,
    before: Sequence[Message] = (),
    shown: Callable[[Message], bool] | None = None,
) -> Promises:
    """What the lines of ours in a view promise.

    Args:
        after: The view.
        recall: Asks the store; None if there is none.
        before: What the view was made from: a marker that stood there already promises nothing here.
        shown: Whether a record of the session says that it showed a message; None if nobody knows.
    """
    looking = frozenset(at for at, message in enumerate(after) if any(is_page(part.text) for part in message.parts))
    pages = looking if shown is None else frozenset(at for at in looking if shown(after[at]))
    tombstones: list[Tombstone] = []
    handles: dict[str, None] = {}
    earlier = {handle for text in _marked(before) for handle in _STORE_HANDLE.findall(text)}
    for text in _marked(after):
        tombstones += [one for one in Tombstone.find(text) if any(h.startswith(HANDLE_PREFIX) for h in one.recover)]
        handles |= dict.fromkeys(handle for handle in _STORE_HANDLE.findall(text) if handle not in earlier)
    standing = _plain("\n".join(part.text for message in after for part in message.parts)) if handles else ""
    if recall is None:
        return Promises(tuple(tombstones), tuple(handles), pages=pages, standing=standing)
    originals: dict[str, str] = {}
    broken: list[str] = []
    for handle in handles:
        found = list(recall(handle))
        if not found:
            broken.append(handle)
        for original in found:
            originals.setdefault(_plain(original.text), original.handle)
    return Promises(tuple(tombstones), tuple(handles), True, tuple(broken), originals, pages, standing)


def is_page(text: str) -> bool:
    """Whether a text claims to be a page of ours."""
    return text.lstrip().startswith(_PAGE_OPENING)


def _marked(messages: Iterable[Message]) -> Iterable[str]:
    for message in messages:
        for part in message.parts:
            if "[" in part.text and looks_like_marker(part.text):
                yield part.text


def _plain(text: str) -> str:
    return " ".join(text.split())
