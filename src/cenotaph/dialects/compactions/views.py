"""Two views of one history: what of the one does not stand in the other."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Hashable, Iterable, Sequence

from cenotaph.core.audit.model import Ref
from cenotaph.core.model import Kind, Mark, Message, Part

__all__ = ["is_opaque", "removed_parts"]


def removed_parts(before: Sequence[Message], after: Sequence[Message]) -> tuple[Ref, ...]:
    """The parts of one view that are not in the other as they were, in order; linear in both.

    A message that is the same object stands there whole. Of any other a part stands there if an equal one does
    that no part before it has taken: of the same kind and call, with the same text.
    """
    same = {id(message) for message in after}
    standing = set(map(id, before))
    left = Tally(_told(part) for message in after if id(message) not in standing for part in message.parts)
    removed: list[Ref] = []
    for at, message in enumerate(before):
        if id(message) in same:
            continue
        for index, part in enumerate(message.parts):
            told = _told(part)
            if left[told] > 0:
                left[told] -= 1
            else:
                removed.append((at, index))
    return tuple(removed)


def is_opaque(messages: Iterable[Message]) -> bool:
    """Whether a summary that nobody can read stands in one of the messages."""
    return any(Mark.summary in part.marks and part.kind is Kind.other for one in messages for part in one.parts)


def _told(part: Part) -> Hashable:
    """What makes a part the same in another view; a call that was given a name here has another one there."""
    named = None if part.call_id is None or part.call_id.startswith("#") else part.call_id
    return part.kind, named, part.tool if part.kind is Kind.call else None, part.text
