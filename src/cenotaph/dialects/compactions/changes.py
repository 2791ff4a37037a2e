"""Changes of what a model is sent, seen from two requests: what was edited, and what only came after.

A request that begins with all the messages of the one before it has grown. One that does not was edited by
somebody: messages are gone, or stand there otherwise. What was said behind the edited part is later and
belongs to no compaction. Where only the newest message differs, or the end is gone, somebody went back and
spoke anew; where only reasoning or text of the machinery around the agent is gone, nobody loses anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from cenotaph.core.audit.model import Event, Mechanism
from cenotaph.core.model import Kind, Message, Provenance, Usage
from cenotaph.dialects.compactions.chain import Chain, Matching, is_summary, same_beginning

__all__ = ["brings_summary", "changed_part", "is_loss", "take"]


def take(
    chain: Chain,
    later: Sequence[Message],
    usage: Sequence[Usage],
    mechanism: Mechanism,
    *,
    wire: str,
    where: str = "",
    when: str = "",
) -> Event | None:
    """Takes a view into a history that may have been edited since the present one.

    Args:
        chain: The history.
        later: What the model is sent now.
        usage: What the provider counted, by index in `later`.
        mechanism: Whose an edit is that brings a summary; any other is a change of prefix.
        wire, where, when: As in `Event`.

    Returns:
        The event, if somebody edited what was there.
    """
    count = changed_part(chain.shown, later) if chain.shown else None
    event = None
    if count is not None:
        summed_up = brings_summary(chain.shown, later[:count])
        event = chain.compact(
            mechanism if summed_up else Mechanism.prefix_change,
            later[:count],
            [one for one in usage if one.message < count],
            where=where,
            when=when,
            wire=wire,
        )
        if not summed_up and not is_loss(event):
            chain.withdraw()
            event = None
    chain.show(later, usage)
    return event


def changed_part(earlier: Sequence[Message], later: Sequence[Message]) -> int | None:
    """How many messages of a later request are the earlier one as somebody edited it; None if nobody did.

    What follows them in `later` came afterwards.
    """
    same = same_beginning(earlier, later)
    if same == len(earlier):
        return None
    matching = Matching(earlier[same:], range(same, len(earlier)))
    found = [matching.find(message) for message in later[same:]]
    kept = [same + at for at, place in enumerate(found) if place is not None]
    if kept and len(earlier) - 1 in found:
        return kept[-1] + 1
    start = kept[-1] + 1 if kept else same
    summaries = [at for at in range(start, len(later)) if is_summary(later[at])]
    if summaries:
        return summaries[-1] + 1
    if not kept and (same == len(later) or same == len(earlier) - 1):
        return None
    stands_for_it = start < len(later) and not _of_agent(later[start])
    return start + stands_for_it


def brings_summary(before: Sequence[Message], after: Sequence[Message]) -> bool:
    """Whether a summary stands after an edit that was not there before it."""
    known = [message for message in before if is_summary(message)]
    return any(is_summary(message) and not any(same_beginning([one], [message]) for one in known) for message in after)


def is_loss(event: Event) -> bool:
    """Whether an edit took away something that somebody said, asked or was told."""
    return any(_counts(event, message, part) for message, part in event.removed)


def _counts(event: Event, message: int, part: int) -> bool:
    gone = event.before[message].parts[part]
    return gone.kind is not Kind.reasoning and gone.provenance is not Provenance.harness


def _of_agent(message: Message) -> bool:
    return any(part.provenance is Provenance.agent for part in message.parts)
