"""A history put together from what the model was sent at one time and another.

Most clients keep no list of all that ever stood: they keep records from which a view is built, or one list
that is written over. What the dialects' readers give is the view at some point. A chain takes such views in
order. It recognises what stood before, by what the model reads of it, keeps what is new, and notes each
compaction with the view before it and the view after it. A message that stands in two views is one object.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from cenotaph.core.audit.model import Chronicle, Event, Mechanism
from cenotaph.core.ids import canonical_json
from cenotaph.core.model import Defect, Kind, Mark, Message, Part, Usage
from cenotaph.core.spans import value_at
from cenotaph.core.tombstone import Tombstone
from cenotaph.dialects.compactions.views import removed_parts

__all__ = ["Chain", "Matching", "is_summary", "points_back", "reading", "same_beginning", "unmarked"]

_TEXTLESS: Final = frozenset({Kind.media, Kind.other})


class Chain:
    """Views of one history in the making.

    Attributes:
        messages: Every message that ever stood, each once, in order.
        events: The compactions so far.
        usage: What the provider counted, by index in `messages`.
        shown: The present view.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.events: list[Event] = []
        self.usage: list[Usage] = []
        self.shown: tuple[Message, ...] = ()
        self._places: list[int] = []

    def show(self, view: Sequence[Message], usage: Iterable[Usage] = (), *, held: int = 0) -> None:
        """Takes in a view that came without a compaction.

        Args:
            view: What the model is sent now.
            usage: What the provider counted, by index in `view`.
            held: That many messages at its beginning are those of the present view, role by role, whatever they
                say: a client may write them anew for another model.
        """
        self._take(view, usage, held)

    def compact(
        self,
        mechanism: Mechanism,
        after: Sequence[Message],
        usage: Iterable[Usage] = (),
        *,
        replacement: Sequence[int] | None = None,
        opaque: bool = False,
        complete: bool = True,
        pointer: bool = False,
        trigger: str | None = None,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
        where: str = "",
        when: str = "",
        wire: str = "",
    ) -> Event:
        """Takes in a view that a compaction made of the present one.

        Args:
            mechanism: Whose it is.
            after: What the model is sent now, without anything that came later.
            usage: As for `show`.
            replacement: Indices in `after` of what stands for what was removed; None finds them: the summaries
                that are new in it, or, if none is marked as one, all that is new.
            opaque, complete, pointer, trigger, tokens_before, tokens_after, where, when, wire: As in `Event`;
                a tombstone of ours in what is new is a pointer as well.

        Returns:
            The event, which is also the last of `events`.
        """
        before = self.shown
        fresh = self._take(after, usage, 0)
        if replacement is None:
            told = [index for index in fresh if is_summary(self.shown[index])]
            replacement = told or fresh
        event = Event(
            mechanism=mechanism,
            at=len(self.messages),
            before=before,
            after=self.shown,
            removed=removed_parts(before, self.shown),
            replacement=tuple(replacement),
            opaque=opaque,
            complete=complete,
            trigger=trigger,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            pointer=pointer or any(points_back(self.shown[index]) for index in fresh),
            where=where,
            when=when,
            wire=wire,
        )
        self.events.append(event)
        return event

    def withdraw(self) -> None:
        """The newest event is none; what it brought stays in the history."""
        self.events.pop()

    def chronicle(
        self,
        dialect: str,
        wire: str,
        *,
        session: str | None = None,
        defects: Iterable[Defect] = (),
        records: int = 0,
    ) -> Chronicle:
        """The history as it stands; the arguments are as in `Chronicle`."""
        return Chronicle(
            dialect=dialect,
            wire=wire,
            session=session,
            messages=tuple(self.messages),
            events=tuple(self.events),
            usage=tuple(self.usage),
            defects=tuple(defects),
            records=records,
        )

    def _take(self, view: Sequence[Message], usage: Iterable[Usage], held: int) -> list[int]:
        """Makes a view the present one; the indices of what is new in it."""
        same = same_beginning(self.shown, view)
        if same < held and _roles(self.shown[:held]) == _roles(view[:held]):
            same = held
        places = self._places[:same]
        waiting = Matching(self.shown[same:], self._places[same:])
        fresh: list[int] = []
        for index in range(same, len(view)):
            place = waiting.find(view[index]) if same < len(self.shown) else None
            if place is None:
                place = len(self.messages)
                self.messages.append(view[index])
                fresh.append(index)
            places.append(place)
        known = [self.messages[place] for place in places]
        self.shown = tuple(old if _equal(old, new) else new for old, new in zip(known, view, strict=True))
        self._places = places
        new = set(fresh)
        counted = [replace(one, message=places[one.message]) for one in usage if one.message in new]
        self.usage += counted
        return fresh


class Matching:
    """Messages of a view that may stand in the next one: found by what they say, else by what names them.

    One with other results or other fields is the same message, edited.

    Args:
        messages: In order.
        places: What names each of them.
    """

    def __init__(self, messages: Sequence[Message], places: Sequence[int]) -> None:
        self._said: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        self._named: dict[tuple[str, ...], int] = {}
        self._taken: set[int] = set()
        for message, place in zip(messages, places, strict=True):
            self._said[reading(message)].append(place)
            named = _names(message)
            if named:
                self._named[named] = place

    def find(self, message: Message) -> int | None:
        """The place of the first one not found yet that says the same, else of that with its name; None if it's new."""
        places = self._said.get(reading(message), deque())
        while places:
            place = places.popleft()
            if place not in self._taken:
                self._taken.add(place)
                return place
        edited = self._named.get(_names(message))
        if edited is None or edited in self._taken:
            return None
        self._taken.add(edited)
        return edited


def same_beginning(first: Sequence[Message], second: Sequence[Message]) -> int:
    """How many messages two views have in common at their beginnings, by what the model reads of them."""
    for index, (one, other) in enumerate(zip(first, second, strict=False)):
        if one is not other and reading(one) != reading(other):
            return index
    return min(len(first), len(second))


def _equal(old: Message, new: Message) -> bool:
    """Whether a message says the same, reasoning as well: the object that stands in the history may stand for it."""
    return old is new or old.parts == new.parts or (reading(old) == reading(new) and _thoughts(old) == _thoughts(new))


def _thoughts(message: Message) -> list[str]:
    return [part.text for part in message.parts if part.kind is Kind.reasoning]


def _roles(messages: Sequence[Message]) -> list[str]:
    return [message.role for message in messages]


def is_summary(message: Message) -> bool:
    """Whether somebody else's summary stands in a message."""
    return any(Mark.summary in part.marks for part in message.parts)


def points_back(message: Message) -> bool:
    """Whether a tombstone of ours in a message names something by which the original comes back."""
    texts = (part.text for part in message.parts if "[EVICTED:" in part.text)
    return any(stone.recover for text in texts for stone in Tombstone.find(text))


def unmarked(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages without the mark that a later summary in the same list puts on what it replaced.

    A view before a compaction did not have it yet.
    """
    return tuple(
        replace(message, parts=tuple(map(_without_mark, message.parts)))
        if any(Mark.summarized in part.marks for part in message.parts)
        else message
        for message in messages
    )


def _without_mark(part: Part) -> Part:
    return replace(part, marks=part.marks - {Mark.summarized}) if Mark.summarized in part.marks else part


def reading(message: Message) -> Hashable:
    """What the model reads of a message, reasoning aside: that comes and goes with the provider and the turn.

    Who speaks is said by each part; the role of a result is another in each format.
    """
    told = tuple(
        (part.kind, part.provenance, _given_id(part), part.tool, part.text or _value(message, part))
        for part in message.parts
        if part.kind is not Kind.reasoning
    )
    return told if message.parts else canonical_json(message.raw)


def _value(message: Message, part: Part) -> bytes:
    """What stands there if it is no text."""
    return canonical_json(value_at(message.raw, part.block)) if part.kind in _TEXTLESS else b""


def _names(message: Message) -> tuple[str, ...]:
    """What names a message whatever it says: the calls that it answers, or the id of its item."""
    ids = (_given_id(part) for part in message.parts if part.kind is Kind.result)
    answered = tuple(call_id for call_id in ids if call_id is not None)
    item = message.raw.get("id") if isinstance(message.raw, Mapping) else None
    return answered or ((item,) if isinstance(item, str) and item else ())


def _given_id(part: Part) -> str | None:
    """The id of a call as its format has it; a name that was made up here is another in another view."""
    return None if part.call_id is None or part.call_id.startswith("#") else part.call_id
