"""Steps of the plan: which are named nowhere afterwards, and which stand in another state.

The plan is the fold of all calls of plan tools. What the replacement says of a step is read from the lines
that name it and from the heading above them; what was told of the step after the plan's last call counts too.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from cenotaph.core.audit.model import Code, Event, Finding, Ref, Tier
from cenotaph.core.claims import stem
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Message, Part
from cenotaph.core.plans import PlanCall, Step, fold_plan
from cenotaph.core.statements import sentences, states, words

__all__ = ["collapsed_steps"]

_UNFINISHED: Final = frozenset({"blocked", "in_progress", "pending"})
_BLOCKED: Final = frozenset({"blocked"})
_OVER: Final = frozenset({"done", "cancelled"})
_NAMED_SHARE: Final = (1, 2)
"""So many of the words of a step must stand somewhere for it not to be missed."""
_SPOKEN_SHARE: Final = (2, 3)
"""So many must stand in one line for the line to speak of the step."""
_EACH_MAX: Final = 20
_LISTS: Final = ("todos", "plan", "task_list", "items", "steps", "tasks")
_CHANGING: Final = re.compile(
    r"(?:task|todo)_?(?:create|update|add)|(?:create|update|add)_?(?:task|todo)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence, the heading above it, and where it stands."""

    text: str
    place: tuple[int, int, int, int]
    above: str

    @property
    def states(self) -> frozenset[str]:
        """The states that it names; a box that holds `!` is one."""
        return _states_in(self.text) | (_BLOCKED if _BLOCKED_BOX.match(self.text) else frozenset())

    @property
    def heading(self) -> frozenset[str]:
        """Those that the heading above it names."""
        return _states_in(self.above)


def _states_in(text: str) -> frozenset[str]:
    return frozenset(state for _, _, state in states(text))


_BLOCKED_BOX: Final = re.compile(r"(?:[-*+]|\d{1,4}[.)])[ \t]+\[!\]")


def collapsed_steps(event: Event, after_text: str) -> Iterator[Finding]:
    """What became of the steps of the plan that was removed.

    Args:
        event: A compaction.
        after_text: All that stands afterwards.
    """
    calls = list(_plan_calls(event.before))
    if not calls or event.opaque:
        return
    refs = {call.order: ref for ref, call in calls}
    fold = fold_plan(call for _, call in calls)
    gone = [refs[order] for order in fold.needed if refs[order] in set(event.removed)]
    if not gone:
        return
    last = max(gone)
    said = {stem(word) for word in words(after_text)}
    missed = [step for step in fold.steps if step.state in _UNFINISHED and not _is_named(step.label, said)]
    if missed:
        yield _unnamed(event, missed, sum(step.state in _UNFINISHED for step in fold.steps), last)
    yield from islice(_changed(event, [step for step in fold.steps if step not in missed], last), _EACH_MAX)


def _plan_calls(messages: Sequence[Message]) -> Iterator[tuple[Ref, PlanCall]]:
    results = {p.call_id: p.text for m in messages for p in m.parts if p.kind is Kind.result and p.call_id}
    order = 0
    for at, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if part.kind is Kind.call and _is_plan(part):
                yield (
                    (at, index),
                    PlanCall(order, part.tool or "", part.args, results.get(part.call_id or ""), part.failed),
                )
                order += 1


def _is_plan(part: Part) -> bool:
    if part.args is None:
        return False
    return any(_is_steps(part.args.get(key)) for key in _LISTS) or _CHANGING.search(part.tool or "") is not None


def _is_steps(value: JSON) -> bool:
    return isinstance(value, list)


def _is_named(label: str, said: set[str]) -> bool:
    told = [stem(word) for word in words(label) if len(word) > 3]
    return sum(word in said for word in told) * _NAMED_SHARE[1] >= len(told) * _NAMED_SHARE[0]


def _unnamed(event: Event, missed: Sequence[Step], of: int, ref: Ref) -> Finding:
    blocked = any(step.state == "blocked" for step in missed)
    note = f"{len(missed)} of {of} unfinished steps of the plan are named nowhere afterwards"
    shown = {"original": f"{missed[0].label} [{missed[0].words}]"}
    return Finding(Code.state_collapsed, event.tier, 70 if blocked else 35, note, shown, len(missed), ref)


# Another state --------------------------------------------------------------------------------------


def _changed(event: Event, steps: Sequence[Step], last: Ref) -> Iterator[Finding]:
    """Steps that the replacement speaks of in another state."""
    told = _Lines(_lines(event.after, event.replacement))
    later = _Lines(_lines(event.before, range(last[0], len(event.before)), last))
    worked = _worked_after(event.before, last)
    for step in steps:
        spoken = told.of(step) if step.state in _UNFINISHED else []
        since = {state for line in later.of(step) for state in line.states} if spoken else set()
        found = _collapse(step, spoken, since, told)
        if found is None or (worked and step.state != "blocked"):
            continue
        line, became = found
        note = f"a step of the plan that was {step.state} stands as {became}"
        weight = 75 if step.state == "blocked" else 60
        shown = {"original": f"{step.label} [{step.words}]", "became": line.text}
        tier = Tier.inferred if worked and event.tier is Tier.proven else event.tier
        yield Finding(Code.state_collapsed, tier, weight, note, shown, 1, last, line.place)


def _worked_after(messages: Sequence[Message], last: Ref) -> bool:
    """The agent went on after a place: what was unfinished there may have been done since."""
    return any(
        part.kind is Kind.call and (at, index) > last
        for at in range(last[0], len(messages))
        for index, part in enumerate(messages[at].parts)
    )


def _collapse(step: Step, spoken: Sequence[_Line], since: set[str], told: _Lines) -> tuple[_Line, str] | None:
    """The line in which a step lost its state, and what it became; None if it did not."""
    own = [(line, line.states or line.heading) for line in spoken]
    found = frozenset(state for _, named in own for state in named)
    if not own or step.state in found or found & since:
        return None
    line, named = next(((line, named) for line, named in own if named), own[0])
    if step.state == "blocked":
        around = (one for line, _ in own for one in told.around(line))
        if not any("blocked" in one.states for one in around):
            return line, " and ".join(sorted(named)) or "a step like another"
    elif found and found <= _OVER:
        return line, " and ".join(sorted(found))
    return None


class _Lines:
    """Lines, found by the words of a step."""

    def __init__(self, lines: Iterable[_Line]) -> None:
        self.lines = list(lines)
        self.holding: dict[str, list[int]] = {}
        for at, line in enumerate(self.lines):
            for word in {stem(one) for one in words(line.text)}:
                self.holding.setdefault(word, []).append(at)

    def of(self, step: Step) -> list[_Line]:
        """The lines that speak of a step, without the states that are words of its label."""
        told = {stem(word) for word in words(step.label) if len(word) > 3}
        tally = Tally(at for word in told for at in self.holding.get(word, ()))
        enough = [at for at, count in tally.items() if count * _SPOKEN_SHARE[1] >= len(told) * _SPOKEN_SHARE[0]]
        return [self.lines[at] for at in sorted(enough)]

    def around(self, line: _Line) -> Sequence[_Line]:
        """A line with the one before and the one after it."""
        at = self.lines.index(line)
        return self.lines[max(0, at - 1) : at + 2]


def _lines(messages: Sequence[Message], indices: Iterable[int], after: Ref = (-1, -1)) -> Iterator[_Line]:
    """The sentences of texts, each under the nearest heading above it."""
    for at in indices:
        for index, part in enumerate(messages[at].parts):
            if part.kind is not Kind.text or (at, index) <= after:
                continue
            for start, end, above in _told(part.text):
                yield _Line(part.text[start:end], (at, index, start, end), above)


def _told(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, the heading above it) of each sentence of a text."""
    above = ""
    boxed: int | None = None
    for one in sentences(text):
        start = one.start if boxed is None else boxed
        told = text[start : one.end]
        boxed = start if told.endswith("[!]") else None  # a box, and no end of a sentence
        if told.startswith("#") or told.rstrip("* ").endswith(":"):
            above = told
        yield start, one.end, above
