"""OpenTelemetry, where the host program uses it: one span and one count per compaction, recall and audit.

Nothing is imported here: a program that has set up OpenTelemetry has loaded `opentelemetry` itself, and where
it has not, nothing happens. No word of a transcript is ever an attribute; sizes, names of policies and of ways
in, outcomes, and the session's name are.

    span                  attributes (`cenotaph.` before each)
    cenotaph.compact      way_in, session, policy, outcome, tokens.before, tokens.after
    cenotaph.rehydrate    way_in, session, outcome
    cenotaph.audit        way_in, outcome, findings

    counter                      unit            attributes
    cenotaph.compactions         {compaction}    way_in, outcome: cut, nothing, halt, error
    cenotaph.tokens.removed      {token}         way_in
    cenotaph.rehydrations        {rehydration}   way_in, outcome: found, gap, error
    cenotaph.audits              {audit}         way_in, outcome: clean, findings, error

`way_in` is "python" unless an adapter or a surface says which it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Final

from cenotaph.errors import BudgetExhausted, CenotaphError, IrreversibleCompactionError

__all__ = ["Facts", "observed", "way_in"]

_WAY: Final[ContextVar[str]] = ContextVar("cenotaph_way_in", default="python")
_COUNTERS: Final = {
    "compact": ("cenotaph.compactions", "{compaction}"),
    "rehydrate": ("cenotaph.rehydrations", "{rehydration}"),
    "audit": ("cenotaph.audits", "{audit}"),
}

Facts = dict[str, str | int | bool]
"""What a span tells, by attribute name without the prefix; `outcome` is counted too."""


@contextmanager
def way_in(name: str) -> Iterator[None]:
    """Whatever happens inside, in this thread or task, came in by that adapter or surface, e.g. "langchain"."""
    token = _WAY.set(name)
    try:
        yield
    finally:
        _WAY.reset(token)


@contextmanager
def observed(what: str, **facts: str | int | bool) -> Iterator[Facts]:
    """One operation as a span and a count; without OpenTelemetry only what happens inside.

    Args:
        what: "compact", "rehydrate" or "audit".
        facts: What is known before.

    Yields:
        The facts, to which what is known afterwards is added. Without an `outcome` it is "error", or by the
        error that passes: "halt" or "gap".
    """
    told: Facts = dict(facts)
    opened = sys.modules.get("opentelemetry")
    if opened is None:
        yield told
        return
    told["way_in"] = _WAY.get()
    from opentelemetry import trace

    with trace.get_tracer("cenotaph").start_as_current_span(f"cenotaph.{what}", record_exception=False) as span:
        try:
            yield told
        except BaseException as error:
            told["outcome"] = _outcome_of(error)
            told["error"] = error.code if isinstance(error, CenotaphError) else type(error).__name__
            raise
        finally:
            span.set_attributes({f"cenotaph.{name}": value for name, value in told.items()})
            _count(what, told)


def _outcome_of(error: BaseException) -> str:
    if isinstance(error, BudgetExhausted):
        return "halt"
    return "gap" if isinstance(error, IrreversibleCompactionError) else "error"


def _count(what: str, told: Facts) -> None:
    way, outcome = told["way_in"], told.get("outcome", "error")
    _counter(*_COUNTERS[what]).add(1, {"cenotaph.way_in": way, "cenotaph.outcome": outcome})
    removed = int(told.get("tokens.before", 0)) - int(told.get("tokens.after", 0))
    if what == "compact" and removed > 0:
        _counter("cenotaph.tokens.removed", "{token}").add(removed, {"cenotaph.way_in": way})


@cache
def _counter(name: str, unit: str) -> Any:
    from opentelemetry import metrics

    return metrics.get_meter("cenotaph").create_counter(name, unit)
