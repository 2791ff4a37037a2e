"""Plans as a fold: what the steps of the agent's plan are now, and which calls say so.

A plan tool either *replaces* the plan (an argument holds a list of steps with states) or *changes*
it (it creates a step, or updates one by id). The fold of all calls gives the steps with their
states; a state keeps its own words, since `blocked: waits for approval of X` is not `pending`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from cenotaph.core.ids import JSON

__all__ = ["STATES", "Fold", "PlanCall", "Step", "checklist", "fold_plan", "state_of"]

STATES: Final = ("pending", "in_progress", "blocked", "done", "cancelled")

_WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("pending", "todo", "open", "not_started", "queued", "planned", "not started"), "pending"),
    **dict.fromkeys(("in_progress", "in progress", "doing", "active", "running", "started"), "in_progress"),
    **dict.fromkeys(("blocked", "waiting", "on_hold", "on hold", "needs_approval", "awaiting_approval"), "blocked"),
    **dict.fromkeys(("done", "completed", "complete", "finished", "closed", "resolved"), "done"),
    **dict.fromkeys(("cancelled", "canceled", "skipped", "deleted", "dropped", "abandoned"), "cancelled"),
}
_STATE_KEYS: Final = ("status", "state")
_LABEL_KEYS: Final = ("content", "step", "title", "subject", "task", "description", "name", "text")
_QUALIFIER_KEYS: Final = ("note", "notes", "reason", "blocked_by", "blockedBy", "blocked_on", "waiting_for")
_ID_KEYS: Final = ("taskId", "task_id", "id", "index", "step_id")
_NEW_ID = re.compile(r"(?:#|\bid[:=]?\s*)([\w-]+)", re.IGNORECASE)
_CHECKBOX = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[(?P<mark>[ xX~/!-])\][ \t]+(?P<label>.+)$", re.MULTILINE)
_MARKS: Final = {
    " ": "pending",
    "x": "done",
    "X": "done",
    "~": "in_progress",
    "/": "in_progress",
    "!": "blocked",
    "-": "cancelled",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a plan.

    Attributes:
        label: What is to be done, verbatim.
        state: One of `STATES`, or "unknown" if its words are none that are known.
        words: The state's own words with their qualifier, verbatim.
    """

    label: str
    state: str
    words: str


@dataclass(frozen=True, slots=True)
class PlanCall:
    """A call of a plan tool as the fold sees it; `order` is the caller's own key."""

    order: int
    tool: str
    args: Mapping[str, JSON] | None
    result: str | None
    failed: bool


@dataclass(frozen=True, slots=True)
class Fold:
    """The plan now.

    Attributes:
        steps: In the plan's order.
        needed: Orders of the calls that the plan rests on.
        spent: Orders of the calls that later ones replace.
    """

    steps: tuple[Step, ...]
    needed: frozenset[int]
    spent: frozenset[int]

    @property
    def done(self) -> int:
        return sum(step.state == "done" for step in self.steps)


def state_of(words: str) -> str:
    """The state that a plan's own word means; a qualifier after it does not change it."""
    text = words.strip().lower()
    if text in _WORDS:
        return _WORDS[text]
    head = re.split(r"[\s:(,-]", text, maxsplit=1)[0]
    return _WORDS.get(head, "unknown")


def _step(item: Mapping[str, JSON]) -> Step | None:
    status = next((item[key] for key in _STATE_KEYS if isinstance(item.get(key), str)), None)
    label = next((item[key] for key in _LABEL_KEYS if isinstance(item.get(key), str)), None)
    if status is None or label is None:
        return None
    qualifier = [f"{key}={item[key]}" for key in _QUALIFIER_KEYS if item.get(key) not in (None, "", [], {})]
    return Step(label, state_of(status), "; ".join([status, *qualifier]))


def _whole_plan(args: Mapping[str, JSON]) -> list[Step] | None:
    """The steps if the call replaces the plan, else None."""
    for value in args.values():
        if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
            steps = [step for item in value if (step := _step(item)) is not None]
            if value and len(steps) == len(value):
                return steps
            if not value and len(args) == 1:
                return []
    return None


@dataclass(slots=True)
class _Task:
    label: str
    words: str
    sources: dict[frozenset[str], int]


class _Changes:
    """Steps that are created and updated one at a time."""

    def __init__(self) -> None:
        self.tasks: dict[str, _Task] = {}
        self.others: set[int] = set()
        self.orders: set[int] = set()

    def take(self, call: PlanCall, args: Mapping[str, JSON]) -> None:
        self.orders.add(call.order)
        known = next((str(args[key]) for key in _ID_KEYS if isinstance(args.get(key), (str, int))), None)
        fields = frozenset(args) - set(_ID_KEYS)
        label = next((args[key] for key in _LABEL_KEYS if isinstance(args.get(key), str)), None)
        words = next((args[key] for key in _STATE_KEYS if isinstance(args.get(key), str)), None)
        if known is not None and known in self.tasks:
            task = self.tasks[known]
            task.sources = {keys: order for keys, order in task.sources.items() if not keys <= fields}
            task.sources[fields] = call.order
            task.label = label or task.label
            task.words = words or task.words
            return
        if label is None:
            self.others.add(call.order)
            return
        created = known or self._id_in(call.result) or f"?{call.order}"
        self.tasks[created] = _Task(label, words or "pending", {frozenset({"", *fields}): call.order})

    @staticmethod
    def _id_in(result: str | None) -> str | None:
        found = _NEW_ID.search(result or "")
        return found[1] if found else None

    @property
    def needed(self) -> set[int]:
        return self.others | {order for task in self.tasks.values() for order in task.sources.values()}


def fold_plan(calls: Iterable[PlanCall]) -> Fold:
    """What the plan is after all calls. Failed calls change nothing and are spent."""
    steps: list[Step] = []
    needed: set[int] = set()
    everything: set[int] = set()
    changes = _Changes()
    for call in calls:
        everything.add(call.order)
        if call.failed:
            continue
        if call.args is None:
            needed.add(call.order)  # it can't be read, so it can't be known to be spent
            continue
        whole = _whole_plan(call.args)
        if whole is not None:
            steps, needed, changes = whole, {call.order}, _Changes()
            continue
        changes.take(call, call.args)
    needed |= changes.needed
    steps += [Step(task.label, state_of(task.words), task.words) for task in changes.tasks.values()]
    return Fold(tuple(steps), frozenset(needed), frozenset(everything - needed))


def checklist(text: str) -> tuple[Step, ...]:
    """The steps of a checklist with boxes in a text; empty if it has fewer than two."""
    found = [
        Step(match["label"].strip(), _MARKS[match["mark"]], f"[{match['mark']}]") for match in _CHECKBOX.finditer(text)
    ]
    return tuple(found) if len(found) > 1 else ()
