"""Which session a running graph is in, and the sessions that are open.

    thread "a" of a checkpointer                    session "a"
    a graph inside it, at the node `researcher`     session "a/researcher/<of its first message>"
    a run without a thread                          session "run/<id of its first message>"

`~`, `/` and `%` in the name of a thread are written as `%7E`, `%2F` and `%25`, so that no thread's name is that of
another's fork or of a graph inside another. Two instances of a graph inside one thread are told apart by the ids of
their first messages, which LangGraph makes unique; one that goes on with the same messages goes on in its session.
"""

from __future__ import annotations

import hashlib
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from langchain_core.messages import BaseMessage

from cenotaph import Budget, Session
from cenotaph.adapters.langchain_messages import Ledger
from cenotaph.api import way_in
from cenotaph.api.doctrine import Store
from cenotaph.api.reading import Tool
from cenotaph.errors import ConfigurationError, StoreConflict
from cenotaph.limits import open_conversations_max, overhead_step_share, store_conflict_tries_max

__all__ = ["Conversation", "Conversations", "Place", "Terms", "place_of", "session_of_thread"]

WAY: Final = "langchain"

_ESCAPES: Final = str.maketrans({"%": "%25", "~": "%7E", "/": "%2F"})
_DIGEST_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call runs.

    Attributes:
        session: Name of its session in the store.
        instance: The graph's own instance; two that run at the same time differ.
    """

    session: str
    instance: str


def session_of_thread(thread: object, namespace: str) -> str:
    """The session of a thread's own graph, not of graphs inside it."""
    name = str(thread).translate(_ESCAPES)
    return f"{namespace}/{name}" if namespace else name


def place_of(config: Mapping[str, Any], messages: Sequence[BaseMessage], namespace: str) -> Place:
    """Where a node or a tool runs.

    Args:
        config: The `RunnableConfig` of the node.
        messages: Of the graph's state.
        namespace: Put before the names of all sessions; "" for none.

    Raises:
        ConfigurationError: There is neither a thread nor a message that LangGraph gave an id.
    """
    configurable = config.get("configurable") or {}
    thread = configurable.get("thread_id")
    first = messages[0].id if messages else None
    root = session_of_thread(thread, namespace) if thread is not None else _of_run(first, namespace)
    inside = str(configurable.get("checkpoint_ns") or "").rpartition("|")[0]
    if not inside:
        return Place(root, root)
    path = "|".join(step.partition(":")[0] for step in inside.split("|") if not step.isdigit()).translate(_ESCAPES)
    own = hashlib.blake2b((first or inside).encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return Place(f"{root}/{path}/{own}", f"{root}/{inside}/{own}")


def _of_run(first: str | None, namespace: str) -> str:
    try:
        own = str(uuid.UUID(first or ""))
    except ValueError:
        raise ConfigurationError(
            "no thread, and no first message with an id of LangGraph's: two runs could share a session.",
            next_step='Invoke with {"configurable": {"thread_id": ...}}.',
        ) from None
    return f"{namespace}/run/{own}" if namespace else f"run/{own}"


@dataclass(frozen=True, slots=True)
class Terms:
    """On what a session is opened; it is opened again when they change.

    Attributes:
        model: Name of the model, None if it has none.
        budget: With what the request holds beside its messages as `overhead`.
        tools: Declarations.
    """

    model: str | None
    budget: Budget | None
    tools: tuple[Tool, ...]

    def still_met_by(self, now: Terms) -> bool:
        """Whether the session can go on: all is the same, but for a little less beside the messages."""
        if self.budget is None or now.budget is None:
            return self == now
        less = self.budget.overhead - now.budget.overhead
        same = replace(now, budget=replace(now.budget, overhead=self.budget.overhead))
        return self == same and 0 <= less <= 2 * _step(now.budget)

    def rounded(self) -> Terms:
        """With the overhead rounded up, so that a clock in the system text opens no new session each time."""
        if self.budget is None:
            return self
        step = _step(self.budget)
        return replace(self, budget=replace(self.budget, overhead=-(-self.budget.overhead // step) * step))


def _step(budget: Budget) -> int:
    return max(1, int(budget.window * overhead_step_share))


Opening = Callable[[str, Terms], Session]
"""Name and terms -> a session on the store."""


class Conversation:
    """One graph's messages and their session; one call at a time.

    Attributes:
        lock: Held while the session is used.
        session: As it was opened last; None before the first call.
    """

    def __init__(self, name: str, opening: Opening) -> None:
        self.lock = threading.RLock()
        self.session: Session | None = None
        self.ledger = Ledger()
        self._name, self._opening = name, opening
        self._terms: Terms | None = None

    def view(self, messages: Sequence[BaseMessage], terms: Terms) -> Sequence[BaseMessage]:
        """The messages to send in place of these; the same object if nothing ever left.

        Raises:
            BudgetExhausted: As `Session.view`; `standing` are messages of LangChain's.
            CenotaphError: Likewise.
        """
        with self.lock, way_in(WAY):
            plain = self.ledger.read(messages)
            if self.session is None or self._terms is None or not self._terms.still_met_by(terms):
                self._terms = terms.rounded()
                self.session = self._opening(self._name, self._terms)
            shown = _shown(self.session, plain)
            return messages if shown is plain else self.ledger.restored(shown)


def _shown(session: Session, plain: Sequence[Any]) -> Sequence[Any]:
    """The session's view; a cut that another process came before is planned anew on what that one left."""
    for _ in range(store_conflict_tries_max - 1):
        try:
            return session.view(plain)
        except StoreConflict:
            continue  # the session has forgotten where it stood, and asks the store
    return session.view(plain)


class Conversations:
    """The conversations that are open, of each graph that runs; the one that was used longest ago is closed first."""

    def __init__(self, store: Store, opening: Opening) -> None:
        self.store = store
        self._opening = opening
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Conversation] = OrderedDict()

    def at(self, place: Place) -> Conversation:
        """The conversation of a place, opened if it is not."""
        with self._lock:
            found = self._open.get(place.instance)
            if found is None:
                found = self._open[place.instance] = Conversation(place.session, self._opening)
            self._open.move_to_end(place.instance)
            while len(self._open) > open_conversations_max:
                self._open.popitem(last=False)
            return found
