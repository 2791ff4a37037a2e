"""Condensations in event logs of OpenHands, of both generations.

V0: an action `condensation` names the events that it forgets, by a list of ids or by the first and the last
of a range. V1: an event `Condensation` lists ids; the other calls of a response go with one of them, and a
hard reset forgets all behind the system prompt. Either has a `summary` and the `summary_offset` at which it
stands among what is left. The forgotten events stay in the log.

A request for a condensation before it is the trigger, with its `reason` where it has one.

Source: OpenHands, memory/view.py (`View.from_events`); software-agent-sdk, event/condenser.py
(`Condensation`, `CondensationRequest`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.compactions.moments import iso_of
from cenotaph.dialects.content import string_of
from cenotaph.dialects.openhands import OPENHANDS
from cenotaph.dialects.session_input import decoded, is_whole, mapping_of, records_of
from cenotaph.errors import InputError

__all__ = ["SIGNS", "chronicle"]

SIGNS: Final = (b"condensation", b"Condensation")
"""One of them stands in every file with a compaction."""

_HOLDERS: Final = ("trajectory", "history", "events")
_STATE_UPDATE: Final = "ConversationStateUpdateEvent"
"""The bulk of a log of V1; no model reads any of it."""
_SUMMARY_EVENT: Final = "-summary"
"""What the id of a condensation has behind it where its summary is meant, which is no event of the log."""
Event = Mapping[str, JSON]


def chronicle(value: JSON) -> Chronicle:
    """A log with its condensations.

    Args:
        value: As `OPENHANDS.parse` takes it.

    Raises:
        InputError, DialectError: As `OPENHANDS.parse`.
    """
    defects: list[Defect] = []
    content = decoded(value, OPENHANDS.name, defects.append)
    view = _view(content)
    whole = view or OPENHANDS.parse(content, region="all")
    events = _events(content)
    here = frozenset(number for event in events if isinstance(number := mapping_of(event).get("id"), str | int))
    chain = Chain()
    present: list[JSON] = []  # the events that the next view is made of
    asked: str | None = None
    for event in events:
        known = mapping_of(event)
        asked = _request(known) or asked
        if not _is_condensation(known):
            present += [] if known.get("kind") == _STATE_UPDATE else [event]
            continue
        _show(chain, _view(present))
        forgotten = _forgotten(known, present)
        after = _view([*present, event])
        chain.compact(
            Mechanism.openhands_condensation,
            () if after is None else after.messages,
            () if after is None else after.usage,
            complete=_all_here(known, here),
            trigger=asked,
            where=f"event {known.get('id')}",
            when=iso_of(known.get("timestamp")),
            wire=OPENHANDS.wire,
        )
        replaced = _fields(known).get("summary") is not None
        present = [
            other
            for place, other in enumerate(present)
            if place not in forgotten and not (replaced and _is_condensation(mapping_of(other)))
        ]
        present.append(event)
        asked = None
    _show(chain, view)
    return chain.chronicle(
        OPENHANDS.name,
        whole.wire,
        session=whole.session,
        defects=(*defects, *whole.defects),
        records=len(events),
    )


def _show(chain: Chain, view: Transcript | None) -> None:
    if view is not None:
        chain.show(view.messages, view.usage)


def _view(events: JSON) -> Transcript | None:
    """What the model is sent of these events; None where that is nothing."""
    if not events:
        return None
    try:
        return OPENHANDS.parse(events)
    except InputError:  # none of them is a message, or all were forgotten
        return None


def _events(content: JSON) -> Sequence[JSON]:
    if isinstance(content, Mapping):
        return next((records_of(content[key]) for key in _HOLDERS if records_of(content.get(key))), ())
    return records_of(content)


def _is_condensation(event: Event) -> bool:
    return event.get("action") == "condensation" or event.get("kind") == "Condensation"


def _request(event: Event) -> str | None:
    """What asked for a condensation, by the event that does; None for any other."""
    if event.get("action") == "condensation_request":
        return "condensation_request"
    if event.get("kind") == "CondensationRequest":
        return string_of(event.get("reason")) or "CondensationRequest"
    return None


def _fields(condensation: Event) -> Event:
    """Where a condensation says what it does."""
    return mapping_of(condensation.get("args")) if "action" in condensation else condensation


def _forgotten(condensation: Event, events: Sequence[JSON]) -> set[int]:
    """The places of the events that a condensation takes out: they are read no more."""
    ids, (start, end) = _listed(condensation), _range(condensation)
    gone: set[int] = set()
    for place, event in enumerate(events):
        number = mapping_of(event).get("id")
        in_range = is_whole(number) and start is not None and end is not None and start <= number <= end
        if in_range or (isinstance(number, str | int) and number in ids):
            gone.add(place)
    answered = {_response_of(events[place]) for place in gone} - {None}
    return gone | {place for place, event in enumerate(events) if _response_of(event) in answered}


def _response_of(event: JSON) -> str | None:
    """The response that an action of V1 is a call of."""
    known = mapping_of(event)
    return string_of(known.get("llm_response_id")) if known.get("kind") == "ActionEvent" else None


def _listed(condensation: Event) -> frozenset[str | int]:
    listed = records_of(_fields(condensation).get("forgotten_event_ids"))
    return frozenset(number for number in listed if isinstance(number, str | int))


def _range(condensation: Event) -> tuple[int | None, int | None]:
    """First and last id; a list of ids goes before it."""
    fields = _fields(condensation)
    if isinstance(fields.get("forgotten_event_ids"), list):
        return None, None
    start, end = fields.get("forgotten_events_start_id"), fields.get("forgotten_events_end_id")
    return (start, end) if is_whole(start) and is_whole(end) else (None, None)


def _all_here(condensation: Event, here: frozenset[str | int]) -> bool:
    """Whether what a condensation forgets stands in the log: each id of a list, the first of a range.

    Numbers inside a range may be missing: the client gives some to events that it does not keep.
    """
    start, _ = _range(condensation)
    missing = _listed(condensation) - here
    known = all(isinstance(name, str) and name.removesuffix(_SUMMARY_EVENT) in here for name in missing)
    return known and (start is None or start in here)
