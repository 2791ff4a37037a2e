"""Compactions in LangChain's messages and LangGraph's state.

The middleware that summarises puts a human message with `lc_source: summarization` in the place of what it
removed, by `RemoveMessage` of all and the messages that are left. The state that is left shows one side; the
checkpoints before it, the other ones of its history, hold what was removed. A list of updates that has the
`remove` messages still in it is read as the reducer reads it.

Deep agents keep the messages in their state and write `_summarization_event` beside them: what the model is
sent is its summary and the messages from `cutoff_index` on. Its `file_path` says where the messages before
that were written to, if that succeeded: a way back that can be followed.

Source: langchain, agents/middleware/summarization.py; langgraph, graph/message.py (`add_messages`); deepagents,
middleware/summarization.py (`SummarizationEvent`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, takewhile
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Message, Usage
from cenotaph.dialects.compactions.chain import Chain, is_summary
from cenotaph.dialects.compactions.changes import brings_summary, is_loss, take
from cenotaph.dialects.compactions.moments import iso_of
from cenotaph.dialects.content import string_of
from cenotaph.dialects.langchain import LANGCHAIN
from cenotaph.dialects.langchain import WIRES as LANGCHAIN_WIRES
from cenotaph.dialects.langchain_forms import body_of, type_of
from cenotaph.dialects.session_input import decoded, is_whole, mapping_of, records_of
from cenotaph.errors import DialectError

__all__ = ["chronicle"]

_EVENT: Final = "_summarization_event"
_ALL: Final = "__remove_all__"


def chronicle(value: JSON) -> Chronicle:
    """Messages, a state, or the history of a state with its compactions.

    Args:
        value: As `LANGCHAIN.parse` takes it, or bytes of it. The newest checkpoint of a history is first.

    Raises:
        InputError, DialectError: As `LANGCHAIN.parse`.
    """
    content = decoded(value, LANGCHAIN.name, lambda _: None)
    whole = LANGCHAIN.parse(content)
    chain = Chain()
    event: Mapping[str, JSON] = {}
    for state in _states(content):
        _follow(chain, state, event)
        event = state.event or event
    return chain.chronicle(
        LANGCHAIN.name, whole.wire, session=whole.session, defects=whole.defects, records=len(whole.messages)
    )


@dataclass(frozen=True, slots=True)
class _State:
    """What a state held at one time.

    Attributes:
        messages: As they stand in it.
        usage: What the provider counted, by index in `messages`.
        wire: Their serialisation.
        event: The newest summarisation of a deep agent; empty if there is none.
        where: For a person.
        when: ISO time stamp; "" if it has none.
    """

    messages: tuple[Message, ...]
    usage: tuple[Usage, ...]
    wire: str
    event: Mapping[str, JSON]
    where: str = ""
    when: str = ""


def _states(content: JSON) -> list[_State]:
    """The states in a value, the oldest first."""
    items = records_of(content)
    snapshots = bool(items) and all(isinstance(mapping_of(item).get("values"), Mapping) for item in items)
    return [state for item in (reversed(items) if snapshots else [content]) if (state := _state(item)) is not None]


def _state(item: JSON) -> _State | None:
    """None for a checkpoint without messages."""
    snapshot = mapping_of(item)
    values = snapshot["values"] if isinstance(snapshot.get("values"), Mapping) else snapshot
    try:
        read = LANGCHAIN.parse(item)
    except DialectError:  # a state before anything was said, or of a graph that keeps no messages
        return None
    named = mapping_of(mapping_of(snapshot.get("config")).get("configurable")).get("checkpoint_id")
    return _State(
        messages=read.messages,
        usage=read.usage,
        wire=read.wire,
        event=mapping_of(values.get(_EVENT)),
        where=f"checkpoint {named}" if isinstance(named, str) else "",
        when=iso_of(snapshot.get("created_at")),
    )


def _follow(chain: Chain, state: _State, event: Mapping[str, JSON]) -> None:
    """Takes a state into the history; `event` is the summarisation of the state before it."""
    first = next((at for at, message in enumerate(state.messages) if is_summary(message)), None)
    if state.event:
        _summarised(chain, state, event)
    elif any(map(_removes, state.messages)):
        _reduced(chain, state)
    elif chain.shown or first is None:
        take(
            chain,
            state.messages,
            state.usage,
            Mechanism.langchain_summary,
            wire=state.wire,
            where=state.where,
            when=state.when,
        )
    else:  # what it replaced is nowhere
        chain.show(*_sent(state, range(first)))
        _compact(chain, state, range(first + 1), complete=False)
        chain.show(state.messages, state.usage)


def _sent(
    state: _State, places: Iterable[int], lead: Sequence[Message] = ()
) -> tuple[tuple[Message, ...], list[Usage]]:
    """A view of a state, with what the provider counted for it.

    Args:
        state: A state.
        places: Which of its messages are sent.
        lead: What is sent before them.
    """
    held = list(places)
    index_of = {place: index for index, place in enumerate(held, len(lead))}
    counted = [replace(one, message=index_of[one.message]) for one in state.usage if one.message in index_of]
    return (*lead, *(state.messages[place] for place in held)), counted


def _compact(
    chain: Chain,
    state: _State,
    places: Iterable[int],
    lead: Sequence[Message] = (),
    *,
    complete: bool = True,
    pointer: bool = False,
) -> None:
    after, counted = _sent(state, places, lead)
    summed_up = brings_summary(chain.shown, after)
    event = chain.compact(
        Mechanism.langchain_summary if summed_up else Mechanism.prefix_change,
        after,
        counted,
        complete=complete,
        pointer=pointer,
        where=state.where,
        when=state.when,
        wire=state.wire,
    )
    if not summed_up and not is_loss(event):
        chain.withdraw()


# Deep agents -------------------------------------------------------------------------------------


def _summarised(chain: Chain, state: _State, before: Mapping[str, JSON]) -> None:
    start, lead = _cut(state, before)
    chain.show(*_sent(state, range(start, len(state.messages)), lead))
    if state.event != before:
        start, lead = _cut(state, state.event)
        pointer = string_of(state.event.get("file_path")) is not None
        _compact(chain, state, range(start, len(state.messages)), lead, pointer=pointer)


def _cut(state: _State, event: Mapping[str, JSON]) -> tuple[int, tuple[Message, ...]]:
    """Where what is sent of a state begins under a summarisation, and the summary before it."""
    cutoff, summary = event.get("cutoff_index"), event.get("summary_message")
    if not is_whole(cutoff) or cutoff < 0 or not isinstance(summary, Mapping):
        return 0, ()
    return cutoff, LANGCHAIN_WIRES[state.wire].parse_messages([summary])


# Updates -----------------------------------------------------------------------------------------


def _removes(message: Message) -> bool:
    return type_of(message.raw) == "remove"


def _id_of(message: Message) -> str | None:
    return string_of((body_of(message.raw) or {}).get("id"))


def _reduced(chain: Chain, state: _State) -> None:
    """A list of updates, as the reducer of a state reads it; where all is removed, what follows stands for it."""
    messages = state.messages
    runs = [list(run) for _, run in groupby(range(len(messages)), lambda place: _removes(messages[place]))]
    present: list[int] = []
    for run, following in pairwise([*runs, []]):
        if not _removes(messages[run[0]]):
            present += run
            continue
        chain.show(*_sent(state, present))
        ids = {_id_of(messages[place]) for place in run}
        present = [] if _ALL in ids else [place for place in present if _id_of(messages[place]) not in ids]
        told = takewhile(lambda place: is_summary(messages[place]), following)
        _compact(chain, state, [*present, *(following if _ALL in ids else told)])
    chain.show(*_sent(state, present))
