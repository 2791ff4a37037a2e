"""What holds for every history with compactions, whoever made them."""

from __future__ import annotations

import json
from typing import Any

from cenotaph.core.audit.model import Chronicle, Event
from cenotaph.core.model import Mark, Message


def lawful(chronicle: Chronicle) -> Chronicle:
    """The chronicle, with the laws of all of them checked on the way."""
    held = {id(message) for message in chronicle.messages}
    assert len(held) == len(chronicle.messages), "a message stands in a history once"
    assert chronicle.records > 0
    places = [event.at for event in chronicle.events]
    assert all(0 <= at <= len(chronicle.messages) for at in places)
    assert places == sorted(places)
    assert all(0 <= usage.message < len(chronicle.messages) for usage in chronicle.usage)
    for event in chronicle.events:
        _lawful_event(event, held)
    return chronicle


def _lawful_event(event: Event, held: set[int]) -> None:
    kept = {id(part) for message in event.after for part in message.parts}
    assert list(event.removed) == sorted(set(event.removed))
    assert all(id(event.before[at].parts[part]) not in kept for at, part in event.removed)
    assert list(event.replacement) == sorted(set(event.replacement))
    before = {id(message) for message in event.before}
    assert all(id(event.after[at]) not in before for at in event.replacement)
    stray = [message for message in event.before if id(message) not in held]
    assert all(map(_was_cleared, stray)), "what a compaction removed stands in the history, as the same object"
    assert all(id(event.after[at]) in held for at in event.replacement)


def _was_cleared(message: Message) -> bool:
    """A part of it left in an earlier compaction: the history has it whole."""
    return any(Mark.cleared in part.marks for part in message.parts)


def said(messages: tuple[Message, ...]) -> list[str]:
    """The text of each part, in order."""
    return [part.text for message in messages for part in message.parts]


def gone(event: Event) -> list[str]:
    """The text of each part that was removed."""
    return [event.before[at].parts[part].text for at, part in event.removed]


def stands_for_it(event: Event) -> list[str]:
    """The text of each part of what stands for the removed."""
    return [part.text for at in event.replacement for part in event.after[at].parts]


def json_lines(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
