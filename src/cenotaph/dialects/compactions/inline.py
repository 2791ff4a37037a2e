"""Summaries that stand inside a list of messages and cut off what is before them.

A provider that compacts by itself leaves the whole list to its client and marks a place in it: a block of a
message, an item, a part. Behind that place the list goes on; before it nothing is read any more. Such a list
holds both sides of each of its compactions, and a list that begins with a summary holds one side only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cenotaph.core.audit.model import Event, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Message, Provenance, Usage
from cenotaph.dialects.compactions.chain import Chain, is_summary, same_beginning, unmarked
from cenotaph.dialects.compactions.changes import changed_part, take
from cenotaph.dialects.compactions.views import is_opaque

__all__ = ["Form", "View", "follow", "split_at", "viewed"]


@dataclass(frozen=True, slots=True)
class Form:
    """How a format marks the place of a summary.

    Attributes:
        mechanism: Whose compactions they are.
        wire: Name of the wire format.
        pieces: A message as the pieces that a summary inside it divides it into: (message, whether it is a summary).
        read: Messages of this wire format, from their JSON.
        keeps_people: What people said may stand before a summary and is kept with it, verbatim.
        marked: The messages with summaries as such that the format's reader does not know as one.
    """

    mechanism: Mechanism
    wire: str
    pieces: Callable[[JSON], list[tuple[JSON, bool]]]
    read: Callable[[Sequence[JSON]], tuple[Message, ...]]
    keeps_people: bool = False
    marked: Callable[[Sequence[Message]], tuple[Message, ...]] = tuple


@dataclass(frozen=True, slots=True)
class View:
    """A list of messages with its summaries as messages of their own.

    Attributes:
        messages: In order.
        summaries: Indices in `messages`.
        usage: What the provider counted, by index in `messages`.
    """

    messages: tuple[Message, ...]
    summaries: tuple[int, ...] = ()
    usage: tuple[Usage, ...] = field(default=())

    def since(self, start: int, end: int | None = None) -> tuple[tuple[Message, ...], list[Usage]]:
        """A stretch of the messages, and what was counted in it."""
        stretch = self.messages[start:end]
        inside = range(start, start + len(stretch))
        return stretch, [replace(one, message=one.message - start) for one in self.usage if one.message in inside]


def viewed(form: Form | None, messages: Sequence[Message], usage: Iterable[Usage] = ()) -> View:
    """Messages as a view; read anew only where a summary divides one of them.

    Args:
        form: None for a format in which no summary stands.
        messages: As the dialect reads them.
        usage: What the provider counted, by index in `messages`.
    """
    if form is None:
        return View(unmarked(messages), (), tuple(usage))
    messages = form.marked(messages)
    if not any(map(is_summary, messages)):
        return View(unmarked(messages), (), tuple(usage))
    pieces: list[tuple[JSON, bool]] = []
    last: list[int] = []  # place of the last piece of each message
    for message in messages:
        pieces += form.pieces(message.raw)
        last.append(len(pieces) - 1)
    whole = len(pieces) == len(messages)
    read = messages if whole else form.marked(form.read([raw for raw, _ in pieces]))
    counted = tuple(replace(one, message=last[one.message]) for one in usage if one.message < len(last))
    return View(unmarked(read), tuple(at for at, (_, cuts) in enumerate(pieces) if cuts), counted)


def follow(
    chain: Chain,
    form: Form | None,
    view: View,
    *,
    complete: bool = True,
    mechanism: Mechanism = Mechanism.prefix_change,
    **facts: Any,
) -> list[Event]:
    """Takes a list of messages into a history: its summaries, what was edited in silence, and what is new.

    Args:
        chain: The history so far.
        form: As for `viewed`.
        view: The list as it stands now.
        complete: What came before it is known.
        mechanism: Whose an edit is that brings a summary, where no form says so.
        **facts: Of the newest compaction in it, as `Chain.compact` takes them.

    Returns:
        The compactions that are new in it, in order.
    """
    found: list[Event] = []
    start = 0
    if form is not None:
        for at in view.summaries:
            if not _is_known(chain, view.messages[at]):
                newest = facts if at == view.summaries[-1] else {}
                found.append(_summed_up(chain, form, view, start, at, complete, newest))
            start = 0 if form.keeps_people and _only_people(view.messages[:at]) else at
    told = {key: str(facts[key]) for key in ("where", "when") if key in facts}
    wire = form.wire if form is not None else str(facts.get("wire", ""))
    messages, usage = view.since(start)
    owner = form.mechanism if form is not None else mechanism
    event = take(chain, messages, usage, owner, wire=wire, **told)
    return found if event is None else [*found, event]


def _summed_up(
    chain: Chain, form: Form, view: View, start: int, at: int, complete: bool, facts: Mapping[str, Any]
) -> Event:
    """One compaction: the stretch before its summary is what it removed, or the view before this list is."""
    before, usage = view.since(start, at)
    tells = not _only_people(before) if form.keeps_people else bool(before)
    after: Sequence[Message] = view.messages[at : at + 1]
    counted: list[Usage] = []
    if tells or not chain.shown:
        chain.show(before, usage)
        complete = complete and tells
        after = after if tells else (*before, *after)
    else:
        rest, usage = view.since(start)
        changed = max(changed_part(chain.shown, rest) or 0, at + 1 - start)
        after, counted = _first(rest, usage, changed)
    opaque = is_opaque(view.messages[at : at + 1])
    fixed: dict[str, Any] = {"complete": complete, "opaque": opaque, "wire": form.wire, **facts}
    return chain.compact(form.mechanism, after, counted, **fixed)


def split_at(raw: Mapping[str, JSON], key: str, cuts: Callable[[JSON], bool]) -> list[tuple[JSON, bool]]:
    """A message divided at the blocks that cut off what is before them, each of which becomes one piece.

    Args:
        raw: The message.
        key: Where its blocks stand.
        cuts: Whether a block does.
    """
    blocks = raw.get(key)
    if not isinstance(blocks, list) or not any(map(cuts, blocks)):
        return [(raw, False)]
    runs: list[tuple[list[JSON], bool]] = []
    for block in blocks:
        if cuts(block) or not runs or runs[-1][1]:
            runs.append(([block], cuts(block)))
        else:
            runs[-1][0].append(block)
    return [({**raw, key: run}, is_cut) for run, is_cut in runs]


def _first(messages: Sequence[Message], usage: Sequence[Usage], count: int) -> tuple[Sequence[Message], list[Usage]]:
    return messages[:count], [one for one in usage if one.message < count]


def _is_known(chain: Chain, summary: Message) -> bool:
    """Whether the history stands on this summary already."""
    return any(is_summary(message) and same_beginning([message], [summary]) for message in chain.shown)


def _only_people(messages: Sequence[Message]) -> bool:
    """Whether nothing of the agent or its tools stands among messages; true of none."""
    return not any(
        part.provenance in _AT_WORK or part.kind in (Kind.call, Kind.result)
        for message in messages
        for part in message.parts
    )


_AT_WORK: Final = frozenset({Provenance.agent, Provenance.tool})
