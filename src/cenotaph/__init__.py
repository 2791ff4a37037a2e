"""Cenotaph: safe context compaction for LLM agents.

What leaves an agent's context is named and can be had again; what is authoritative stays, verbatim;
where neither is possible the call raises.

    from cenotaph import Budget, compact

    result = compact(messages, budget=Budget(window=200_000))
    send(result.messages)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cenotaph.api.auditing import audit
    from cenotaph.api.compacting import Result, compact
    from cenotaph.api.reading import classify
    from cenotaph.api.recall import rehydrate, rehydrate_tool, verify
    from cenotaph.api.session import Session
    from cenotaph.core.model import Provenance
    from cenotaph.core.policy import Action, Budget, Policy, SpanClass
    from cenotaph.core.record import CompactionRecord
    from cenotaph.core.reference import plan_compaction
    from cenotaph.core.rehydrate import Rehydrated
    from cenotaph.core.tombstone import Tombstone
    from cenotaph.core.tools import ToolSpec
    from cenotaph.errors import (
        BudgetExhausted,
        CenotaphError,
        CompactionInvariantError,
        IndexBudgetExceeded,
        IrreversibleCompactionError,
    )
    from cenotaph.runtime.endpoints import AnthropicSummarizer, OpenAISummarizer
    from cenotaph.store.opening import open_store

__version__ = "0.1.0"

_HOME = {
    "Action": "core.policy",
    "AnthropicSummarizer": "runtime.endpoints",
    "Budget": "core.policy",
    "BudgetExhausted": "errors",
    "CenotaphError": "errors",
    "CompactionInvariantError": "errors",
    "CompactionRecord": "core.record",
    "IndexBudgetExceeded": "errors",
    "IrreversibleCompactionError": "errors",
    "OpenAISummarizer": "runtime.endpoints",
    "Policy": "core.policy",
    "Provenance": "core.model",
    "Rehydrated": "core.rehydrate",
    "Result": "api",
    "Session": "api",
    "SpanClass": "core.policy",
    "Tombstone": "core.tombstone",
    "ToolSpec": "core.tools",
    "audit": "api",
    "classify": "api",
    "compact": "api",
    "open_store": "store.opening",
    "plan_compaction": "core.reference",
    "rehydrate": "api",
    "rehydrate_tool": "api",
    "verify": "api",
}

__all__ = [
    "Action",
    "AnthropicSummarizer",
    "Budget",
    "BudgetExhausted",
    "CenotaphError",
    "CompactionInvariantError",
    "CompactionRecord",
    "IndexBudgetExceeded",
    "IrreversibleCompactionError",
    "OpenAISummarizer",
    "Policy",
    "Provenance",
    "Rehydrated",
    "Result",
    "Session",
    "SpanClass",
    "Tombstone",
    "ToolSpec",
    "audit",
    "classify",
    "compact",
    "open_store",
    "plan_compaction",
    "rehydrate",
    "rehydrate_tool",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first asked for; importing the package costs next to nothing."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'cenotaph' has no attribute {name!r}")
    value = getattr(import_module(f"cenotaph.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
