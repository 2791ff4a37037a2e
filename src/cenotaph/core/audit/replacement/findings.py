"""The replacement itself: whether it is a summary at all, what it makes up, and what it does not point back to.

Each question has its own module; here they are asked in turn, with what can be seen of the view as a whole:
halves of exchanges, the newest request, a compaction right after another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from cenotaph.core.audit.model import Code, Event, Finding, Mechanism, Ref, Tier
from cenotaph.core.audit.replacement.claims import made_up
from cenotaph.core.audit.replacement.forms import no_summary
from cenotaph.core.audit.replacement.told import Told, rare_words, same_language
from cenotaph.core.claims import stem
from cenotaph.core.handles import extract
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance

__all__ = ["replacement_findings"]

_RAPID_CALLS: Final = 4


def replacement_findings(event: Event, previous: Event | None = None) -> list[Finding]:
    """What is wrong with what stands for the removed region.

    Args:
        event: A compaction.
        previous: The one before it in the same history; None if it is the first.
    """
    found = [*_rapid(event, previous), *_torn(event), *_request(event)]
    if event.opaque or not event.removed:
        return found
    if not event.replacement:
        return found + ([] if event.pointer or _clears(event) else [_no_pointer(event)])
    if not _is_text(event):
        return found
    told = Told(event)
    kinds = list(no_summary(told))
    found += kinds
    if all(kind.code is Code.summary_truncated for kind in kinds):
        found += made_up(told)
        found += _of_a_summary(told)
        if not event.pointer and not _POINTING.search(told.text):
            found.append(_no_pointer(event))
    return found


def _is_text(event: Event) -> bool:
    """What stands there is a text, be it empty, and not calls, results or media alone."""
    kinds = {part.kind for at in event.replacement for part in event.after[at].parts}
    return Kind.text in kinds or not kinds


def _clears(event: Event) -> bool:
    """Results were cleared in place: what stands there says so, and the call that brings them back stands beside it."""
    return event.mechanism in (Mechanism.claude_code_micro, Mechanism.opencode_prune, Mechanism.anthropic_clearing)


def _no_pointer(event: Event) -> Finding:
    note = "nothing that stands afterwards says where the originals are"
    return Finding(Code.no_back_pointer, event.tier, 8, note)


_POINTING: Final = re.compile(r"\bcx:[0-9a-f]{16}|\S\.jsonl?\b|full transcript|rehydrate", re.IGNORECASE)


def _of_a_summary(told: Told) -> Iterator[Finding]:
    """What it was made from was a summary already."""
    for ref, part in told.removed:
        if Mark.summary in part.marks or part.provenance is Provenance.foreign:
            note = "it was made from an earlier summary: what that had lost cannot be in it"
            yield Finding(Code.summary_of_summary, Tier.proven, 20, note, ref=ref)
            return


# The view -------------------------------------------------------------------------------------------


def _rapid(event: Event, previous: Event | None) -> Iterator[Finding]:
    """It came right after the one before."""
    if previous is None or event.mechanism is not previous.mechanism or _clears(event):
        return
    fresh = sum(1 for message in event.before[len(previous.after) :] if message.role == "assistant")
    agents = fresh if event.before[: len(previous.after)] == previous.after else event.at - previous.at
    if agents < _RAPID_CALLS:
        note = f"{agents} answers of the agent after the compaction before it"
        yield Finding(Code.recompacted_rapidly, Tier.proven, 30, note, data={"answers": agents})


def _torn(event: Event) -> Iterator[Finding]:
    """A call or a result whose other half was there before, and is not now."""
    for kind, other, name in ((Kind.call, Kind.result, "result"), (Kind.result, Kind.call, "call")):
        whole = _ids(event.before, Kind.call) & _ids(event.before, Kind.result)
        torn = (_ids(event.after, kind) - _ids(event.after, other)) & whole
        if torn:
            note = f"{len(torn)} exchanges stand without their {name}"
            yield Finding(Code.exchange_broken, Tier.proven, 74, note, count=len(torn))


def _ids(messages: Sequence[Message], kind: Kind) -> set[str]:
    return {
        part.call_id for message in messages for part in message.parts if part.kind is kind and part.call_id is not None
    }


def _request(event: Event) -> Iterator[Finding]:
    """The newest thing that a person asked for is not there, neither in its words nor by what it names.

    A `yes, do it` names nothing: what it answers is looked for in its place.
    """
    place = _newest(event)
    if place is None or event.opaque or place not in set(event.removed):
        return
    part = event.before[place[0]].parts[place[1]]
    after = " ".join("\n".join(p.text for m in event.after for p in m.parts).split()).casefold()
    if " ".join(part.text.split()).casefold() in after:
        return
    shown = {"original": part.text}
    note = "the newest request stands neither in its words nor by what it names"
    asked = part.text
    if not _names(asked):
        asked = _answered(event, place)
        note = "the newest request says yes to something that stands neither in its words nor by what it names"
        shown["answers"] = asked
        if len(_names(asked)) < _ANSWERED_WORDS_MIN:
            return
    if not _stands_by_names(asked, after):
        yield Finding(Code.request_lost, Tier.inferred, 65, note, shown, ref=place)


_ANSWERED_WORDS_MIN: Final = 3
_ANSWERED_CHARS_MAX: Final = 600


def _newest(event: Event) -> Ref | None:
    """Where the newest words of a person stand before; None if nobody spoke."""
    places = (
        (at, index)
        for at in range(len(event.before) - 1, -1, -1)
        for index in range(len(event.before[at].parts) - 1, -1, -1)
    )
    said = ((at, index) for at, index in places if _is_said(event.before[at].parts[index], Provenance.user))
    return next(said, None)


def _is_said(part: Part, provenance: Provenance) -> bool:
    return part.kind is Kind.text and part.provenance is provenance


def _answered(event: Event, place: Ref) -> str:
    """The end of what the agent said last before a place; "" if it said nothing there."""
    earlier = (part for message in reversed(event.before[: place[0]]) for part in reversed(message.parts))
    spoken = next((part for part in earlier if _is_said(part, Provenance.agent)), None)
    return "" if spoken is None else spoken.text[-_ANSWERED_CHARS_MAX:]


def _names(text: str) -> set[str]:
    """What a text can be known by: its handles, and the stems of its rare words."""
    handles = {one.value.casefold() for one in extract(text) if len(one.value) > 3}
    return handles | {stem(word) for word in rare_words(text, 3)}


def _stands_by_names(text: str, after: str) -> bool:
    """Whether a handle of a text or half of its rare words stand afterwards, or nobody can tell."""
    handles = [one.value.casefold() for one in extract(text) if len(one.value) > 3]
    if any(one in after for one in handles):
        return True
    rare = {stem(word) for word in rare_words(text, 3)}
    if rare and 2 * sum(word in after for word in rare) >= len(rare):
        return True
    return not handles and not same_language(text, after)
