"""What holds for every history with compactions, whoever made them."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from damaged import damaged

from cenotaph.core.audit.model import Chronicle, Event
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Message
from cenotaph.dialects.compactions.finding import chronicle_of
from cenotaph.errors import InputError


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
        _lawful_event(event, chronicle.messages)
    return chronicle


def _lawful_event(event: Event, history: tuple[Message, ...]) -> None:
    held = {id(message) for message in history}
    answered = {part.call_id for message in history for part in message.parts if part.kind is Kind.result}
    kept = {id(part) for message in event.after for part in message.parts}
    assert list(event.removed) == sorted(set(event.removed))
    assert all(id(event.before[at].parts[part]) not in kept for at, part in event.removed)
    assert list(event.replacement) == sorted(set(event.replacement))
    before = {id(message) for message in event.before}
    assert all(id(event.after[at]) not in before for at in event.replacement)
    for message in event.before:
        edited = any(part.call_id in answered for part in message.parts)  # earlier: the history has it as it was
        assert id(message) in held or edited, "what a compaction removed stands in the history, as the same object"
    assert all(id(event.after[at]) in held for at in event.replacement)


def said(messages: tuple[Message, ...]) -> list[str]:
    """The text of each part, in order."""
    return [part.text for message in messages for part in message.parts]


def gone(event: Event) -> list[str]:
    """The text of each part that was removed."""
    return [event.before[at].parts[part].text for at, part in event.removed]


def stands_for_it(event: Event) -> list[str]:
    """The text of each part of what stands for the removed."""
    return [part.text for at in event.replacement for part in event.after[at].parts]


def survives_damage(name: str | None, value: JSON, times: int = 60) -> None:
    """However a value is torn, its history is lawful or it is refused by name."""
    for seed in range(times):
        torn = damaged([copy.deepcopy(value)], Random(seed))
        try:
            for one in torn:
                lawful(chronicle_of(one, name))
        except InputError:
            continue


def json_lines(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
