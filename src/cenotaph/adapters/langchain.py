"""LangChain, LangGraph and deepagents: the state holds the history whole, the model is sent a view of it.

    from cenotaph.adapters.langchain import CenotaphMiddleware

    agent = create_agent(model, tools, middleware=[CenotaphMiddleware(store="sqlite:///agent.db")])
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, Final

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest
    from langchain.tools import ToolRuntime
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage, SystemMessage
    from langchain_core.tools import BaseTool
    from langgraph.config import get_config
    from langgraph.errors import GraphBubbleUp
except ImportError as error:
    raise ImportError(f"LangChain is not installed ({error}): pip install 'cenotaph[langchain]'") from error

from cenotaph import Budget, BudgetExhausted, CenotaphError, Policy, Session, open_store
from cenotaph.adapters.langchain_threads import (
    WAY,
    Conversations,
    Place,
    Terms,
    place_of,
    session_of_thread,
)
from cenotaph.adapters.langchain_tools import declared, overhead_tokens, recall_tool
from cenotaph.api import way_in
from cenotaph.api.compacting import OnHalt, OnPlan
from cenotaph.api.doctrine import MemoryStore, Store
from cenotaph.api.reading import Pin, Tool
from cenotaph.errors import ConfigurationError, StoreError

__all__ = ["CenotaphMiddleware", "CompactedTwice"]

_MODEL_NAMES: Final = ("base_model_id", "model_name", "model", "model_id", "deployment_name")
"""Attributes under which the packages of providers keep a model's name, the most exact first."""

_SUMMARIZER: Final = "SummarizationMiddleware"
_WITHOUT_LIMIT: Final = 1 << 62


class CompactedTwice(UserWarning):
    """Another compactor is at work on the same messages: what it replaces, no session of ours has seen."""


class CenotaphMiddleware(AgentMiddleware[Any, Any, Any]):
    """Compacts what an agent's model is sent, before each call; the messages in the state are never changed.

    Nothing authoritative is lost, or the call raises. The agent gets the tool `rehydrate`, by which it asks for
    what left. Decisions and originals are in the store, under the thread's id as the session's name; a run that
    goes on in another process, on the same store and checkpointer, goes on with the same view, byte for byte.

    One instance may serve several agents, threads and subagents at once.
    """

    def __init__(
        self,
        *,
        store: str | Store | None = None,
        budget: Budget | None = None,
        policy: Policy | None = None,
        tools: Iterable[Tool] = (),
        pins: Iterable[Pin] = (),
        namespace: str = "",
        name: str = "CenotaphMiddleware",
        mode: str = "act",
        binding: str | None = None,
        drop_block: bool = False,
        on_plan: OnPlan | None = None,
        on_halt: OnHalt | None = None,
        **session: Any,
    ) -> None:
        """Opens the store.

        Args:
            store: URL or store. None keeps originals in memory for as long as this object lives; then a later
                process, which has the history whole, decides anew.
            budget: When to act and how far. None takes the window from the model's profile. What a request holds
                beside its messages (system text, tools, schemas) is measured at each call and added to `overhead`.
            policy: `Policy.strict()` if None. `Policy.archive("the agent has the rehydrate tool")` lets more leave.
            tools: Declarations, or names of profiles. A tool of the agent's that none of them names is declared by
                its own `metadata={"cenotaph": {...}}`; the tools of LangChain and deepagents themselves are known.
            pins: Texts and patterns that stay, in every thread.
            namespace: Put before the sessions' names: for two agents whose threads have the same ids in one store.
            name: Name of the middleware. "SummarizationMiddleware" takes the place of deepagents' own one.
            mode: "act", "observe" or "off", see `Session`.
            binding, drop_block, on_plan, on_halt: See `compact`.
            session: More parameters of `Session`: `summarizer`, `rehydrate`.

        Raises:
            ConfigurationError, StoreError: What was given can't be used.
        """
        super().__init__()
        self._name = name
        self._store: Store = MemoryStore() if store is None else open_store(store) if isinstance(store, str) else store
        self._budget, self._mode, self._namespace = budget, mode, namespace
        self._given = (tools,) if isinstance(tools, str) else tuple(tools)
        self._options = {
            "policy": policy,
            "pins": tuple(pins) if not isinstance(pins, str) else (pins,),
            "binding": binding,
            "drop_block": drop_block,
            "on_plan": on_plan,
            "on_halt": on_halt,
            **session,
        }
        self._conversations = Conversations(self._store, self._opened)
        self._seen: dict[str, BaseTool] = {}
        self._warned: set[str] = set()
        self.tools = [recall_tool(self._answer)]
        self._opened("cenotaph", Terms(None, Budget(window=1 << 20), declared((), self._given)))  # checks all at once

    @property
    def name(self) -> str:
        """What the middleware is called in the agent's graph."""
        return self._name
