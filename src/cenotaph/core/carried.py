"""What one cut leaves to the next: the view as it stands, and what is known of what left it.

A later compaction reads the view that the last one handed out, with what came since, and nothing
older: what left stays left, our lines and pages are taken over as they are, and the cost of a turn
does not grow with the history. What the view can't say stands here: where in the history each message
belongs, which parts of it are ours, and which writes have left with their calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Final

from cenotaph.core.apply import Left
from cenotaph.core.facts import Write
from cenotaph.core.ids import JSON, ListHash
from cenotaph.core.model import Mark, Message, Origin, Part, Provenance, Transcript, Wire
from cenotaph.core.pairing import paired_anew
from cenotaph.errors import StoreDamaged

__all__ = ["Base", "Carried", "as_ours", "continued", "from_state", "remembered", "to_state"]


@dataclass(frozen=True, slots=True)
class Base:
    """An older view that a client sends in the place of the beginning of its history, with all that came after it.

    Attributes:
        shown: Messages of this view; 0 for a client that sends its whole history.
        history: Messages of the history for which it stands.
        places: Of those that still stand in it: by their index in the history that in the view.
    """

    shown: int = 0
    history: int = 0
    places: Mapping[int, int] = field(default_factory=dict)

    def place(self, index: int) -> int:
        """Where in what is sent a message of the history stands.

        Raises:
            KeyError: It had left when the view was made.
        """
        return self.places[index] if index < self.history else self.length(index)

    def length(self, history: int) -> int:
        """How many messages are sent for so many of the history, which are not fewer than the view stands for."""
        return history - self.history + self.shown


_WHOLE_HISTORY: Final = Base()


@dataclass(frozen=True, slots=True)
class Carried:
    """The state of a session after a cut.

    Attributes:
        messages: The view, read, each message with its origin.
        kept: For each the index in the client's history if it is the client's own message and sent by itself,
            else None.
        tail: Where the next message stands in the history.
        writes: See `Reading.writes`.
        source: Hash of the client's history up to the cut; its length is the number of messages.
        source_ref: Store handle of the manifest that rebuilds this history; None without a store.
        handles: Store handles of what stands in the view and is in the store.
        sent: The view as it is sent: the messages, but for neighbours that the format has as one.
        sizes: How many messages each sent one holds.
    """

    messages: tuple[Message, ...]
    kept: tuple[int | None, ...]
    tail: Origin
    writes: tuple[Write, ...]
    source: ListHash
    source_ref: str | None
    handles: frozenset[str]
    sent: tuple[JSON, ...]
    sizes: tuple[int, ...]

    @property
    def kept_sent(self) -> list[int | None]:
        """For each sent message the index in the client's history if it is the client's own, else None."""
        firsts = accumulate(self.sizes, initial=0)
        return [self.kept[at] if size == 1 else None for at, size in zip(firsts, self.sizes, strict=False)]


def continued(transcript: Transcript, carried: Carried, fresh: Sequence[Message]) -> Transcript:
    """The view of the last cut with the messages that came since, as one transcript.

    Args:
        transcript: Read from the client's messages; everything but its messages is taken over.
        carried: The state after the last cut.
        fresh: What came since.
    """
    first = tuple(replace(message, origin=carried.tail) for message in fresh[:1])
    return replace(transcript, messages=paired_anew((*carried.messages, *first, *fresh[1:])))


def as_ours(message: Message) -> Message:
    """A page of ours, read."""
    return replace(message, parts=tuple(replace(part, provenance=Provenance.compactor) for part in message.parts))


def remembered(message: Message, left: Sequence[Left], original: Message) -> Message:
    """A message that was written anew, with what is known of its parts and no wire format says.

    Args:
        message: Read from its new bytes.
        left: What stands in it.
        original: As it was before.
    """
    waiting = list(left)
    parts: list[Part] = []
    for part in message.parts:
        while waiting and _unsent(waiting[0], part, original):
            waiting.pop(0)
        parts.append(_remembered(part, waiting.pop(0), original) if waiting else part)
    return replace(message, parts=tuple(parts), continues=original.continues)


def _unsent(left: Left, part: Part, original: Message) -> bool:
    """Nothing was left of it to send, a blank text for one: this part is another one."""
    source = original.parts[left.part]
    return not left.line and (source.kind is not part.kind or bool(part.text.strip() and not source.text.strip()))


def _remembered(part: Part, left: Left, original: Message) -> Part:
    source = original.parts[left.part]
    part = replace(
        part,
        provenance=Provenance.compactor if left.line else source.provenance,
        call_id=source.call_id,
        failed=source.failed,
        marks=frozenset() if left.line else source.marks,
        live_ids=() if left.line else source.live_ids,
        ended_ids=source.ended_ids,
    )
    return part if left.line else replace(part, own=left.own)


# As JSON ------------------------------------------------------------------------------------


def to_state(carried: Carried) -> dict[str, JSON]:
    """What a store keeps of it; the client's own messages are named by their place in the history."""
    told = list(zip(carried.messages, carried.kept, strict=True))
    sent = zip(carried.sent, carried.kept_sent, strict=True)
    members = dict(_members(carried))
    return {
        "view": [["j", raw] if kept is None else ["s", kept] for raw, kept in sent],
        **({"joined": members} if members else {}),
        "parts": [[_part_json(part) for part in m.parts] if kept is None else None for m, kept in told],
        "origins": [_origin_json(message.origin) for message in carried.messages],
        "continues": [index for index, message in enumerate(carried.messages) if message.continues],
        "tail": _origin_json(carried.tail),
        "writes": [[w.turn, w.n, w.handle, w.certain] for w in carried.writes],
        "history": carried.source.length,
    }


def _members(carried: Carried) -> Iterator[tuple[str, JSON]]:
    """For each sent message that was joined, by its index: the messages that it holds."""
    at = 0
    for index, size in enumerate(carried.sizes):
        if size > 1:
            yield str(index), [message.raw for message in carried.messages[at : at + size]]
        at += size


def _origin_json(origin: Origin | None) -> JSON:
    return None if origin is None else [origin.index, origin.turn, origin.n, origin.after_human]


def _part_json(part: Part) -> JSON:
    """What no wire format says of a part."""
    own = [list(place) for place in part.own]
    live, ended = list(part.live_ids), list(part.ended_ids)
    return [part.provenance.value, sorted(part.marks), part.failed, live, ended, own, part.call_id]


def from_state(
    state: Mapping[str, JSON],
    history: Sequence[Message] | None,
    shown: Sequence[Message] | None,
    wire: Wire,
    source: ListHash,
    source_ref: str | None,
    base: Base = _WHOLE_HISTORY,
) -> Carried:
    """The state behind what a store kept.

    Args:
        state: As `to_state` gave it.
        history: The client's messages, read, if it sends its whole history; else None.
        shown: The view, read, if the client sends that; one of the two is given.
        wire: Its wire format.
        source: Hash of the history up to the cut.
        source_ref: Its manifest.
        base: What of the history is not sent, because an older view is sent in its place.

    Raises:
        StoreDamaged: It is no such state.
    """
    try:
        messages: list[Message] = []
        kept: list[int | None] = []
        sent: list[JSON] = []
        sizes: list[int] = []
        told = list(zip(state["parts"], state["origins"], strict=True))
        for index, (kind, value) in enumerate(state["view"]):
            if kind == "s":
                own = history[base.place(value)] if history is not None else (shown or ())[index]
                raw, group = own.raw, [own]
            else:
                raw = value if shown is None else shown[index].raw
                group = list(wire.parse_messages(state.get("joined", {}).get(str(index), [raw])))
            sent.append(raw)
            sizes.append(len(group))
            for message in group:
                parts, origin = told[len(messages)]
                message = message if kind == "s" else _reread(message, parts)
                messages.append(replace(message, origin=Origin(*origin)))
                kept.append(value if kind == "s" else None)
        if len(messages) != len(told):
            raise ValueError(f"{len(told)} messages are described, {len(messages)} stand there")
        for index in state.get("continues", ()):
            messages[index] = replace(messages[index], continues=True)
        writes = tuple(Write(*write) for write in state["writes"])
        tail = Origin(*state["tail"])
    except (KeyError, IndexError, TypeError, ValueError, StopIteration) as error:
        raise StoreDamaged(
            f"the state of the session can't be read ({error!r}); its history is behind {source_ref}.",
            next_step="Run cenotaph verify --read-data.",
        ) from error
    return Carried(
        messages=tuple(messages),
        kept=tuple(kept),
        tail=tail,
        writes=writes,
        source=source,
        source_ref=source_ref,
        handles=frozenset(),
        sent=tuple(sent),
        sizes=tuple(sizes),
    )


def _reread(message: Message, parts: Sequence[JSON]) -> Message:
    known = []
    for part, (provenance, marks, failed, live, ended, own, *name) in zip(message.parts, parts, strict=True):
        known.append(
            replace(
                part,
                call_id=name[0] if name else part.call_id,
                provenance=Provenance(provenance),
                marks=frozenset(map(Mark, marks)),
                failed=failed,
                live_ids=tuple(live),
                ended_ids=tuple(ended),
                own=tuple((start, end) for start, end in own),
            )
        )
    return replace(message, parts=tuple(known))
