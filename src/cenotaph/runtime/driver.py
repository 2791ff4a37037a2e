"""Carries out the effects that the core yields, one after the other, in the order given.

That order is the write order of the warrant: when an effect fails, the generator is closed and
nothing after it happens, so that no view exists whose originals are not durable.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar, assert_never

from cenotaph.core.effects import Answer, Effect, PutHandles, PutRecord, PutSpans, Summarize
from cenotaph.errors import SummarizerError
from cenotaph.runtime.summarizers import Summarizer
from cenotaph.store.base import Store

__all__ = ["drive"]

T = TypeVar("T")


def drive(steps: Generator[Effect, Answer, T], store: Store, session: str, summarizer: Summarizer | None = None) -> T:
    """Runs a compaction against a store and returns what it hands out.

    Args:
        steps: The compaction.
        store: Where it writes.
        session: Session name.
        summarizer: Who is asked for a surrogate's text; None is nobody.

    Raises:
        StoreError: An effect failed; nothing was compacted.
        CenotaphError: Whatever the compaction itself raises.
    """
    answer: Answer = None
    try:
        while True:
            effect = steps.send(answer)
            answer = None
            if isinstance(effect, Summarize):
                answer = _asked(effect, summarizer)
            else:
                _carry_out(effect, store, session)
            del effect  # what was written is not held while the next one is made
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        steps.close()


def _asked(effect: Summarize, summarizer: Summarizer | None) -> Answer:
    """The reply, or why there is none: a summarizer that fails changes nothing else."""
    if summarizer is None:
        return None
    try:
        return summarizer.summarize(effect.request)
    except SummarizerError as error:
        return error


def _carry_out(effect: PutSpans | PutHandles | PutRecord, store: Store, session: str) -> None:
    match effect:
        case PutSpans(objects, rows):
            store.put_spans(session, objects, rows)
        case PutHandles(rows):
            store.put_handles(session, rows)
        case PutRecord(record):
            store.put_record(session, record)
        case _:
            assert_never(effect)
