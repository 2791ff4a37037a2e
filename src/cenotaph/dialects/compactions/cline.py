"""Truncations of Cline: messages that leave a request in silence, without a summary and without an event.

What was cut stands in `ui_messages.json` alone: each of its messages carries the range of
`api_conversation_history.json` that was out of the request when it was written
(`conversationHistoryDeletedRange`, first and last index) and the number of the newest message of that
history (`conversationHistoryIndex`). A range that differs from the one before it is a truncation. The request
is then the first two messages and all behind the range.

Both files together, as `{"ui": ..., "api": ...}`, show both sides. `ui_messages.json` alone shows what a
person saw of the conversation, so that its losses are no more than possible. The history alone does not say
that anything was cut.

When Cline summarises (the tool `summarize_task`), it cuts all, then the two messages around the summary's
making as well; the summary is the result of that tool, in a person's role.

Source: cline, core/context/context-management/ContextManager.ts (`getNextTruncationRange`,
`applyContextHistoryUpdates`), core/task/message-state.ts (`addToClineMessages`),
core/task/tools/handlers/SummarizeTaskHandler.ts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cenotaph.core.audit.model import Chronicle, Event, Mechanism, Ref
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Kind, Mark, Message, Part, Provenance
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.cline import CLINE
from cenotaph.dialects.compactions.moments import iso_of
from cenotaph.dialects.content import string_of
from cenotaph.dialects.session_input import decoded, is_whole, mapping_of, nothing_understood, records_of, text_of

__all__ = ["SIGNS", "chronicle", "is_pair"]

SIGNS: Final = (b"conversationHistoryDeletedRange",)
"""It stands in every file that tells of a truncation."""

_KEPT: Final = 2
"""The first messages, which are never cut."""
_PERSON: Final = frozenset({"task", "user_feedback", "user_feedback_diff"})
"""What a person said, by the name under which it is shown."""
_AGENT: Final = frozenset({"text", "completion_result"})
_SUMMARISED = re.compile(r"\[(?:summarize_task|condense)\b[^\]]*\] Result:")
_SUMMARISING: Final = frozenset({"summarize_task", "condense"})


def is_pair(value: JSON) -> bool:
    """Whether a value holds both files of a task."""
    return isinstance(value, Mapping) and value.keys() == {"ui", "api"}


def chronicle(value: JSON) -> Chronicle:
    """A task with its truncations.

    Args:
        value: The content of `api_conversation_history.json`, that of `ui_messages.json`, or both as
            `{"ui": ..., "api": ...}`; each as bytes or decoded.

    Raises:
        InputError: A file can't be read, or nothing in it was understood.
        DialectError: The value has another shape.
    """
    defects: list[Defect] = []
    if is_pair(value):
        ui, api = value["ui"], value["api"]
    else:
        content = decoded(value, CLINE.name, defects.append)
        ui, api = (content, None) if _is_shown(content) else ((), content)
    shown = [mapping_of(item) for item in records_of(decoded(ui, CLINE.name, defects.append))]
    cuts = _in_order(_merged(_cuts(shown)))
    if api is None:
        return _told(shown, cuts, defects)
    whole = CLINE.parse(decoded(api, CLINE.name, defects.append))
    messages = _with_summaries(whole.messages)
    return Chronicle(
        dialect=CLINE.name,
        wire=CLINE.wire,
        session=whole.session,
        messages=messages,
        events=tuple(_event(messages, cut) for cut in cuts),
        usage=whole.usage,
        defects=(*defects, *whole.defects),
        records=len(whole.messages),
    )


# The ranges --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Cut:
    """A change of the range.

    Attributes:
        before: Last index that was out of the request before; `_KEPT - 1` if none was.
        after: Likewise afterwards.
        length: Messages of the history that stand then; None where no message says so.
        stood: Likewise of the request before it: a summary that was made meanwhile is not in it.
        place: Index of the first message that was shown under the new range.
        when: ISO time stamp of that message.
    """

    before: int
    after: int
    length: int | None
    stood: int | None
    place: int
    when: str


def _is_shown(content: JSON) -> bool:
    items = [mapping_of(item) for item in records_of(content)]
    return bool(items) and all(item.get("type") in ("say", "ask") and is_whole(item.get("ts")) for item in items)


def _cuts(shown: Sequence[Mapping[str, JSON]]) -> list[_Cut]:
    """Each change of the range to a longer one; a shorter one is a person's return to an earlier point."""
    found: list[_Cut] = []
    known = _KEPT - 1
    for place, item in enumerate(shown):
        told = records_of(item.get("conversationHistoryDeletedRange"))
        last = told[1] if len(told) == 2 and is_whole(told[1]) else _KEPT - 1
        if last > known:
            index = item.get("conversationHistoryIndex")
            length = index + 1 if is_whole(index) and index >= last else None
            found.append(_Cut(known, last, length, length, place, iso_of(item.get("ts"))))
        known = last
    return found


def _merged(cuts: Sequence[_Cut]) -> list[_Cut]:
    """The cuts, with the two steps of a summarisation as one: all that stood, then the making of the summary."""
    merged: list[_Cut] = []
    for cut in cuts:
        last = merged[-1] if merged else None
        whole = last is not None and last.length is not None and last.after >= last.length - 1
        if last is not None and whole and last.after == cut.before and cut.after - cut.before <= _KEPT:
            merged[-1] = replace(cut, before=last.before, stood=last.stood)
        else:
            merged.append(cut)
    return merged


def _in_order(cuts: Sequence[_Cut]) -> list[_Cut]:
    """The cuts, none with more of the history before it than one that came later."""
    ordered: list[_Cut] = []
    limit: int | None = None
    for cut in reversed(cuts):
        if limit is not None and (cut.length is None or cut.length > limit):
            cut = replace(cut, length=limit)
        limit = cut.length
        ordered.append(cut)
    return ordered[::-1]


# Both files --------------------------------------------------------------------------------------


def _event(messages: Sequence[Message], cut: _Cut) -> Event:
    length = min(len(messages), cut.length or len(messages))
    stood = length if cut.stood is None else min(length, cut.stood)
    was, now = _request(stood, cut.before), _request(length, cut.after)
    before, after = tuple(messages[at] for at in was), tuple(messages[at] for at in now)
    kept = frozenset(now)
    return Event(
        mechanism=Mechanism.cline_truncation,
        at=length,
        before=before,
        after=after,
        removed=_parts_of(before, [place for place, at in enumerate(was) if at not in kept]),
        replacement=tuple(at for at, message in enumerate(after) if at >= _KEPT and _sums_up(message)),
        complete=cut.after < len(messages),
        where=f"message {cut.place} as shown, range {_KEPT} to {cut.after}",
        when=cut.when,
        wire=CLINE.wire,
    )


def _request(length: int, last: int) -> list[int]:
    """Indexes of the messages that are sent, of a history of that length without the range up to `last`."""
    return [at for at in range(length) if at < _KEPT or at > last]


def _parts_of(messages: Sequence[Message], places: Iterable[int]) -> tuple[Ref, ...]:
    return tuple((place, part) for place in places for part in range(len(messages[place].parts)))


def _with_summaries(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The history, with the results of summarisations as what they are."""
    tools = {part.call_id: part.tool for m in messages for part in m.parts if part.kind is Kind.call}
    return tuple(_as_summary(m, tools) if m.role == "user" else m for m in messages)


def _as_summary(message: Message, tools: Mapping[str | None, str | None]) -> Message:
    own = [
        (part.kind is Kind.result and tools.get(part.call_id) in _SUMMARISING) or bool(_SUMMARISED.match(part.text))
        for part in message.parts
    ]
    if not any(own):
        return message
    first = own.index(True)
    return replace(message, parts=tuple(_foreign(p) if at >= first else p for at, p in enumerate(message.parts)))


def _foreign(part: Part) -> Part:
    if part.kind is Kind.media or Mark.reinjected in part.marks:
        return part
    return replace(part, provenance=Provenance.foreign, marks=part.marks | {Mark.summary})


def _sums_up(message: Message) -> bool:
    return any(Mark.summary in part.marks for part in message.parts)


# What was shown alone ----------------------------------------------------------------------------


def _told(shown: Sequence[Mapping[str, JSON]], cuts: Sequence[_Cut], defects: Sequence[Defect]) -> Chronicle:
    """The task as a person saw it: what the model was sent beside that is not in the file."""
    spoken = [(place, raw) for place, item in enumerate(shown) if (raw := _spoken(item)) is not None]
    if not spoken:
        raise nothing_understood(CLINE.name, (str(item.get("say") or item.get("ask")) for item in shown))
    places = [place for place, _ in spoken]
    messages = ANTHROPIC.parse_messages([raw for _, raw in spoken])
    events = []
    for cut in cuts:
        length = bisect_left(places, cut.place)
        was = [at for at in range(length) if not _is_out(shown[places[at]], cut.before)]
        now = [at for at in range(length) if not _is_out(shown[places[at]], cut.after)]
        before, after = tuple(messages[at] for at in was), tuple(messages[at] for at in now)
        kept = frozenset(now)
        events.append(
            Event(
                mechanism=Mechanism.cline_truncation,
                at=length,
                before=before,
                after=after,
                removed=_parts_of(before, [place for place, at in enumerate(was) if at not in kept]),
                complete=False,
                where=f"message {cut.place} as shown, range {_KEPT} to {cut.after}",
                when=cut.when,
            )
        )
    return Chronicle(
        dialect=CLINE.name,
        wire="",
        session=None,
        messages=messages,
        events=tuple(events),
        defects=tuple(defects),
        records=len(messages),
    )


def _spoken(item: Mapping[str, JSON]) -> JSON:
    """What was shown as a person's or the agent's words, as a message; None for all else."""
    name, text = string_of(item.get("say")), text_of(item.get("text"))
    if not text.strip() or item.get("partial") is True:
        return None
    if name in _PERSON:
        return {"role": "user", "content": text}
    return {"role": "assistant", "content": text} if name in _AGENT else None


def _is_out(item: Mapping[str, JSON], last: int) -> bool:
    """Whether what was shown with a message has left the request for certain.

    It stands in the history one or two places behind the number that it carries: it is shown while its message
    is being made.
    """
    index = item.get("conversationHistoryIndex")
    return is_whole(index) and index >= _KEPT - 1 and index + 2 <= last
