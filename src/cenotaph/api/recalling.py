"""What the newest request names and has left comes back for this call: as a call of the rehydrate tool and its result.

It stands behind the request and in this one answer only; nothing returns to the view by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cenotaph.core.handles import INDEX_KINDS, extract
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Provenance, Wire
from cenotaph.core.readout import Readout
from cenotaph.core.recalled import recall_exchange, recall_text, recall_within
from cenotaph.core.rehydrate import Rehydrated, resolve
from cenotaph.errors import BudgetExhausted, IrreversibleCompactionError, StoreErased, StorePruned
from cenotaph.limits import recall_spans_max, recall_tokens_min
from cenotaph.store.base import Store

__all__ = ["asked_for", "brought_back"]

_KINDS: Final = INDEX_KINDS - {"number", "time", "version"}
"""Kinds of handles that name one thing; a number in a request asks for nothing."""


def asked_for(readout: Readout) -> list[str]:
    """The handles in the newest request, if it is a person's and the last thing in the transcript."""
    spans = readout.classified.spans
    if not spans or spans[-1].provenance is not Provenance.user:
        return []
    newest = [s for s in spans if s.message == spans[-1].message and s.kind is Kind.text and not s.payload]
    found = [handle.value for span in newest for handle in extract(span.text) if handle.kind in _KINDS]
    return list(dict.fromkeys(found))


def brought_back(
    handles: Sequence[str],
    standing: frozenset[str],
    view: Sequence[JSON],
    wire: Wire,
    store: Store,
    session: str,
    count: Callable[[str], int],
    tokens_max: int,
) -> tuple[list[JSON], int, str]:
    """The call and the result that bring back what the handles name.

    Args:
        handles: What the request names.
        standing: Ids of spans that stand in the view: they need not come back.
        view: The messages that will be sent.
        wire: Their format.
        store, session: Where what left lies.
        count: Tokens of a text.
        tokens_max: Of both messages together.

    Returns:
        (two messages, or none; their tokens; why something was not brought back, "" if nothing was asked for).
    """
    if tokens_max < recall_tokens_min:
        return [], 0, "rehydrate: there is no room to bring anything back" if handles else ""
    wanted: dict[str, Rehydrated] = {}
    for handle in handles:
        try:
            found = resolve(handle, store, session)
        except (IrreversibleCompactionError, StorePruned, StoreErased):
            continue  # the request may speak of what is new; a gap is for whoever asks
        wanted.update({one.handle: one for one in found if one.span_id not in standing})
    if not wanted:
        return [], 0, ""
    what = " ".join(list(wanted)[:recall_spans_max])
    call_id = _fresh_id(view)
    head = count(what) + recall_tokens_min // 4  # the call, and what the provider adds to both messages
    try:
        page = recall_within(lambda chars: resolve(what, store, session, limit_chars=chars), tokens_max - head, count)
    except (BudgetExhausted, StorePruned, StoreErased) as error:
        return [], 0, f"rehydrate: nothing was brought back: {error}"
    exchange = recall_exchange(wire, page, call_id, what=what)
    before = {(b.rule, b.note) for b in wire.breaches(list(view))}
    if any((b.rule, b.note) not in before for b in wire.breaches([*view, *exchange])):
        return [], 0, "rehydrate: nothing was brought back: the provider would refuse a call there"
    return exchange, count(recall_text(page)) + head, ""


def _fresh_id(view: Sequence[JSON]) -> str:
    told = str(view)
    number = 1
    while f"rehydrate_{number}" in told:
        number += 1
    return f"rehydrate_{number}"
