"""Two views of one history: what of the one does not stand in the other."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Hashable, Iterable, Sequence

from cenotaph.core.audit.model import Ref
from cenotaph.core.ids import canonical_json
from cenotaph.core.model import Kind, Mark, Message, Part
from cenotaph.core.spans import value_at

__all__ = ["is_opaque", "removed_parts"]


def removed_parts(before: Sequence[Message], after: Sequence[Message]) -> tuple[Ref, ...]:
    """The parts of one view that are not in the other as they were, in order; linear in both.

    A part stands there if an equal one does that no part before it has taken: of the same kind and call, with
    the same text; where it has none, with the same content.
    """
    left = Tally(_told(message, part) for message in after for part in message.parts)
    removed: list[Ref] = []
    for at, message in enumerate(before):
        for index, part in enumerate(message.parts):
            told = _told(message, part)
            if left[told] > 0:
                left[told] -= 1
            else:
                removed.append((at, index))
    return tuple(removed)


def is_opaque(messages: Iterable[Message]) -> bool:
    """Whether a summary that nobody can read stands in one of the messages."""
    return any(Mark.summary in part.marks and part.kind is Kind.other for one in messages for part in one.parts)


def _told(message: Message, part: Part) -> Hashable:
    """What makes a part the same in another view; a call that was given a name here has another one there."""
    named = None if part.call_id is None or part.call_id.startswith("#") else part.call_id
    content = part.text or canonical_json(value_at(message.raw, part.block))
    return part.kind, named, part.tool if part.kind is Kind.call else None, content
