"""Compactions in sessions of opencode: summaries, and outputs of tools that were pruned.

A compaction is a person-role message with a `compaction` part, answered by an agent message whose `summary`
is true (an object there only counts changed files) and that ended without an error; what stands from
`tail_start_id` on is kept. Pruning sets `state.time.compacted` on a tool part: the output stays in the
file, the model reads a placeholder. It leaves no other record, so parts that were pruned between the same
two messages are one event.

Source: opencode, session/compaction.ts (`processCompaction`, `prune`), session/message-v2.ts
(`filterCompacted`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.compactions.moments import iso_of
from cenotaph.dialects.content import string_of
from cenotaph.dialects.opencode import OPENCODE
from cenotaph.dialects.session_input import decoded, mapping_of, records_of, text_of
from cenotaph.errors import InputError

__all__ = ["SIGNS", "chronicle"]

SIGNS: Final = (b"compaction", b"compacted")
"""One of them stands in every file with a compaction."""

Said = Mapping[str, JSON]
"""A message with its parts, as an export holds it: `info` and `parts`."""


def chronicle(value: JSON) -> Chronicle:
    """A session with its compactions.

    Args:
        value: As `OPENCODE.parse` takes it.

    Raises:
        InputError, DialectError: As `OPENCODE.parse`.
    """
    defects: list[Defect] = []
    content = decoded(value, OPENCODE.name, defects.append)
    whole = OPENCODE.parse(content)
    said = _exported(content)
    chain = Chain()
    pruned = _prunings(said)
    summaries = _summaries(said)
    start = 0  # where what the present view is made of begins
    for at in sorted({*pruned, *summaries}):
        if at in pruned:
            first, moment = pruned[at]
            _show(chain, _view(said[start:at], first - 1))
            _compact(chain, Mechanism.opencode_prune, _view(said[start:at], moment), moment=moment)
        if at in summaries:
            asked = summaries[at]
            moment = _created(said[at])
            _show(chain, _view(said[start:asked], moment))
            _compact(chain, Mechanism.opencode_compaction, _view(said[start : at + 1], moment), said[asked])
            start = _tail(said, asked, start)
    chain.show(whole.messages, whole.usage, held=len(chain.shown))
    return chain.chronicle(
        OPENCODE.name, whole.wire, session=whole.session, defects=(*defects, *whole.defects), records=len(said)
    )


def _show(chain: Chain, view: Transcript | None) -> None:
    if view is not None:
        chain.show(view.messages, view.usage, held=len(chain.shown))


def _compact(
    chain: Chain, mechanism: Mechanism, after: Transcript | None, asked: Said | None = None, moment: int = 0
) -> None:
    info = mapping_of(asked["info"]) if asked is not None else {}
    part = _compaction(asked) if asked is not None else {}
    auto = part.get("auto")
    chain.compact(
        mechanism,
        () if after is None else after.messages,
        () if after is None else after.usage,
        replacement=() if asked is None else None,
        trigger=None if not isinstance(auto, bool) else "auto" if auto else "manual",
        where="" if asked is None else f"message {info.get('id')}",
        when=iso_of(moment if asked is None else mapping_of(info.get("time")).get("created")),
        wire="" if after is None else after.wire,
    )


# The records -------------------------------------------------------------------------------------


def _exported(content: JSON) -> list[Said]:
    """The messages in the form of an export; what is none is left out, as the reader does and says."""
    if isinstance(content, Mapping):
        held = [mapping_of(item) for item in records_of(content.get("messages"))]
        return [item for item in held if _is_info(item.get("info")) and isinstance(item.get("parts"), list)]
    records = [mapping_of(item) for item in records_of(content)]
    parts: defaultdict[str, list[JSON]] = defaultdict(list)
    for record in records:
        if "role" not in record and isinstance(record.get("messageID"), str):
            parts[record["messageID"]].append(record)
    return [{"info": info, "parts": parts[text_of(info.get("id"))]} for info in records if _is_info(info)]


def _is_info(item: JSON) -> bool:
    info = mapping_of(item)
    return info.get("role") in ("user", "assistant") and string_of(info.get("sessionID")) is not None and "id" in info


def _parts(said: Said) -> list[Mapping[str, JSON]]:
    return [mapping_of(part) for part in records_of(said["parts"])]


def _created(said: Said) -> int:
    """When a message was begun, in milliseconds; 0 where it does not say."""
    created = mapping_of(mapping_of(said["info"]).get("time")).get("created")
    return int(created) if isinstance(created, int | float) else 0


# Summaries ---------------------------------------------------------------------------------------


def _compaction(said: Said) -> Mapping[str, JSON]:
    return next((part for part in _parts(said) if part.get("type") == "compaction"), {})


def _summaries(said: Sequence[Said]) -> dict[int, int]:
    """Place of each summary that is complete -> place of the message that asked for it."""
    asked = {
        text_of(mapping_of(one["info"]).get("id")): at
        for at, one in enumerate(said)
        if mapping_of(one["info"]).get("role") == "user" and _compaction(one)
    }
    found: dict[int, int] = {}
    for at, one in enumerate(said):
        info = mapping_of(one["info"])
        complete = info.get("summary") is True and info.get("finish") and not info.get("error")
        parent = asked.get(text_of(info.get("parentID")))
        if info.get("role") == "assistant" and complete and parent is not None and parent < at:
            found[at] = parent
    return found


def _tail(said: Sequence[Said], asked: int, start: int) -> int:
    """Where what a compaction keeps begins; where it names a place that is not there, the client keeps all."""
    tail = string_of(_compaction(said[asked]).get("tail_start_id"))
    if tail is None:
        return asked
    return next((at for at in range(start, asked) if mapping_of(said[at]["info"]).get("id") == tail), start)


# Pruning -----------------------------------------------------------------------------------------


def _compacted(part: Mapping[str, JSON]) -> int | None:
    """When the output of a tool part was pruned; None if it was not."""
    moment = mapping_of(mapping_of(part.get("state")).get("time")).get("compacted")
    return int(moment) if isinstance(moment, int | float) and moment else None


def _prunings(said: Sequence[Said]) -> dict[int, tuple[int, int]]:
    """Number of the messages that stood at a pruning -> when it began and ended."""
    begun = list(accumulate(map(_created, said), max))
    found: dict[int, tuple[int, int]] = {}
    for place, one in enumerate(said):
        for moment in filter(None, map(_compacted, _parts(one))):
            at = max(bisect_right(begun, moment), place + 1)
            first, last = found.get(at, (moment, moment))
            found[at] = (min(first, moment), max(last, moment))
    return found


def _view(said: Sequence[Said], moment: int) -> Transcript | None:
    """What the model was sent of these messages at a moment, before later prunings; None where that is nothing."""
    if not said:
        return None
    try:
        return OPENCODE.parse({"info": {}, "messages": [_as_of(one, moment) for one in said]})
    except InputError:  # none of them is sent
        return None


def _as_of(said: Said, limit: int) -> Said:
    """The message as it stood: without the marks of later prunings."""
    if all((_compacted(part) or 0) <= limit for part in _parts(said)):
        return said
    return {**said, "parts": [_unpruned(part) if (_compacted(part) or 0) > limit else part for part in _parts(said)]}


def _unpruned(part: Mapping[str, JSON]) -> Mapping[str, JSON]:
    state = mapping_of(part.get("state"))
    time = {key: value for key, value in mapping_of(state.get("time")).items() if key != "compacted"}
    return {**part, "state": {**state, "time": time}}
