"""What a surface shows of the doctrine: tables, policies, and the words of the model."""

from __future__ import annotations

from cenotaph.core.classify import RULES, Row
from cenotaph.core.ids import JSON
from cenotaph.core.mcp_facts import called_name, listed_names, mcp_tools
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.plan import Entry
from cenotaph.core.policy import ALLOWED, LEAVING, Action, Budget, Policy, Shelf, SpanClass, allowed
from cenotaph.core.readout import Readout
from cenotaph.core.rehydrate import Rehydrated
from cenotaph.core.spans import Span
from cenotaph.core.suggest import Observation, ToolUse, draft_toml, evidence, observe, weigh
from cenotaph.core.tools import PROFILES, Tools, ToolSpec, read_toml, write_toml
from cenotaph.store.base import Store
from cenotaph.store.check import VerifyReport
from cenotaph.store.memory import MemoryStore
from cenotaph.store.opening import open_store

__all__ = [
    "ALLOWED",
    "JSON",
    "LEAVING",
    "PROFILES",
    "RULES",
    "Action",
    "Budget",
    "Entry",
    "Kind",
    "MemoryStore",
    "Observation",
    "Policy",
    "Provenance",
    "Readout",
    "Rehydrated",
    "Row",
    "Shelf",
    "Span",
    "SpanClass",
    "Store",
    "ToolSpec",
    "ToolUse",
    "Tools",
    "VerifyReport",
    "allowed",
    "called_name",
    "draft_toml",
    "evidence",
    "listed_names",
    "mcp_tools",
    "observe",
    "open_store",
    "read_toml",
    "weigh",
    "write_toml",
]
