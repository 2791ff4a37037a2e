"""What happened afterwards: what was paid twice, what failed, what was tried again, and what was done against a rule.

The agent's calls are walked once. Every figure has its numerator and its denominator, and each stands by the distance
from the compaction. Whose fault it is, no figure says: a call may fail after a compaction for any reason.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, pairwise
from typing import Final

from cenotaph.core.audit.aftermath.rules import against_rules
from cenotaph.core.audit.calls import Act, acts_in, command_of, file_of, only_reads, same_call, written_by
from cenotaph.core.audit.model import Chronicle, Code, Event, Finding, Judgement, Tier
from cenotaph.core.audit.statements import turns_of
from cenotaph.core.ids import JSON
from cenotaph.core.model import Mark
from cenotaph.core.tools import Tools
from cenotaph.limits import audit_window_calls

__all__ = ["After", "Aftermath", "Window", "aftermath"]

_SHOWN_CHARS: Final = 300
_READINGS_MAX: Final = 20
"""Readings of one thing that a further one is compared with, newest first."""
_NUMBERED: Final = re.compile(r"^[ \t]*\d+(?:→|\t|[:|] ?)", re.MULTILINE)
_TELLING_CHARS: Final = 8
"""A shorter line (`}`, `else:`) stands in any file."""
_BUCKETS: Final[Mapping[str, tuple[int, ...]]] = {
    "calls": (5, 20, 100),
    "turns": (1, 3, 10),
    "tokens": (5_000, 20_000, 100_000),
}
"""Upper ends of the distances by which outcomes are counted; what is farther is of the last bucket."""


@dataclass(frozen=True, slots=True)
class Window:
    """Outcomes of calls.

    Attributes:
        calls: How many were answered.
        failed: How many of them failed.
        rejected: How many of them a person refused.
    """

    calls: int = 0
    failed: int = 0
    rejected: int = 0

    @classmethod
    def of(cls, acts: Iterable[Act]) -> Window:
        """The outcomes of some calls; one without a result has none."""
        answered = [act for act in acts if act.answered]
        return cls(len(answered), sum(act.failed for act in answered), sum(act.rejected for act in answered))

    def __add__(self, other: Window) -> Window:
        return Window(self.calls + other.calls, self.failed + other.failed, self.rejected + other.rejected)

    def to_dict(self) -> dict[str, JSON]:
        """As JSON."""
        return {"calls": self.calls, "failed": self.failed, "rejected": self.rejected}


@dataclass(frozen=True, slots=True)
class After:
    """What followed one compaction, up to the next.

    Attributes:
        number: Of the compaction, from 1.
        before: The last calls before it, none from before the one before.
        at: The first calls after it.
        rest: All later ones.
        lost: How many statements it lost.
        read_again: Readings of what had been read before, which it or an earlier one had removed and the agent had
            not written since; of a part of a thing only where half of it or more had been read.
        read_again_tokens: Tokens of what stood there already in those readings, estimated.
        read_after_change: Readings of what had been read before, removed, and written by the agent since.
        first_trouble_calls: Calls until the first one that failed or was refused, that one too; None if none did.
        first_trouble_turns: Turns until then; 0 is the same turn; None likewise.
        first_trouble_tokens: Tokens of messages until then, estimated; None likewise.
        by_distance: "calls", "turns" or "tokens" -> outcomes of the calls up to 5, 20, 100 calls (1, 3, 10 turns;
            5,000, 20,000, 100,000 tokens) from it, each without those nearer, and of all beyond.
    """

    number: int
    before: Window
    at: Window
    rest: Window
    lost: int = 0
    read_again: int = 0
    read_again_tokens: int = 0
    read_after_change: int = 0
    first_trouble_calls: int | None = None
    first_trouble_turns: int | None = None
    first_trouble_tokens: int | None = None
    by_distance: Mapping[str, tuple[Window, ...]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, JSON]:
        """As JSON."""
        return {
            "number": self.number,
            "before": self.before.to_dict(),
            "at": self.at.to_dict(),
            "rest": self.rest.to_dict(),
            "lost": self.lost,
            "read_again": self.read_again,
            "read_again_tokens": self.read_again_tokens,
            "read_after_change": self.read_after_change,
            "first_trouble_calls": self.first_trouble_calls,
            "first_trouble_turns": self.first_trouble_turns,
            "first_trouble_tokens": self.first_trouble_tokens,
            "by_distance": _distances(self.by_distance),
        }


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What happened after the compactions of one history.

    Attributes:
        events: One per compaction.
        findings: Worst first.
    """

    events: tuple[After, ...]
    findings: tuple[Finding, ...]

    def outcomes(self, name: str) -> Window:
        """The sum of one window over all compactions: "before", "at" or "rest"."""
        return sum((getattr(one, name) for one in self.events), Window())

    def to_dict(self, written: Callable[[str], JSON]) -> JSON:
        """As JSON; `written` says how words of the transcript are written down."""
        sums = {
            name: [
                sum((one.by_distance[name][at] for one in self.events if name in one.by_distance), Window())
                for at in range(len(ends) + 1)
            ]
            for name, ends in _BUCKETS.items()
        }
        return {
            "read_again": sum(one.read_again for one in self.events),
            "read_again_tokens": sum(one.read_again_tokens for one in self.events),
            "read_after_change": sum(one.read_after_change for one in self.events),
            "outcomes": {name: self.outcomes(name).to_dict() for name in ("before", "at", "rest")},
            "by_distance": _distances(sums),
            "events": [one.to_dict() for one in self.events],
            "findings": [one.to_dict(written) for one in self.findings],
        }


def _distances(by_distance: Mapping[str, Sequence[Window]]) -> dict[str, JSON]:
    """For each measure a list of outcomes with the distance up to which they lie; None is all beyond."""
    return {
        name: [{"up_to": end, **window.to_dict()} for end, window in zip((*_BUCKETS[name], None), windows, strict=True)]
        for name, windows in by_distance.items()
    }


def aftermath(
    chronicle: Chronicle,
    tools: Tools,
    lost: Sequence[Sequence[Judgement]] = (),
    count: Callable[[str], int] = lambda text: len(text) // 4,
) -> Aftermath:
    """What happened after each compaction.

    Args:
        chronicle: The history.
        tools: What a call reads and writes.
        lost: For each compaction, in order, the judgements of what neither stands verbatim nor in other words.
        count: Tokens of a text.
    """
    if not chronicle.events:
        return Aftermath((), ())
    walk = _Walk(chronicle, tools, lost, count)
    events = tuple(walk.after(number) for number in range(len(chronicle.events)))
    findings = [*walk.paid_twice(), *walk.failing_again()]
    findings += against_rules(chronicle, walk.acts, walk.turns, lost)
    return Aftermath(events, tuple(sorted(findings, key=lambda one: (-one.weight, one.message or 0))))


# The walk -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    """One reading of a thing.

    Attributes:
        order: Of the call.
        text: What it gave.
        gone: A compaction has removed it.
        changed: The agent wrote the thing since.
    """

    order: int
    text: str
    gone: bool = False
    changed: bool = False


@dataclass(slots=True)
class _Failure:
    """The last failure of one call.

    Attributes:
        order: Of the call.
        gone: A compaction has removed it.
    """

    order: int
    gone: bool = False


@dataclass(slots=True)
class _Again:
    """Second readings after one compaction: how many, of how many tokens, how many after a change; the dearest."""

    readings: int = 0
    tokens: int = 0
    changed: int = 0
    dearest: tuple[int, str, int] = (-1, "", 0)


class _Walk:
    """The calls of a history, walked once from its first to its last."""

    def __init__(
        self, chronicle: Chronicle, tools: Tools, lost: Sequence[Sequence[Judgement]], count: Callable[[str], int]
    ) -> None:
        messages = chronicle.messages
        self.acts = acts_in(messages, tools)
        self.turns = turns_of(messages)
        self._events = chronicle.events
        self._lost = lost
        self._count = count
        self._tokens = [
            0,
            *accumulate(sum(count(part.text) for part in message.parts if part.text) for message in messages),
        ]
        places = [act.message for act in self.acts]
        self._starts = [bisect_left(places, event.at) for event in chronicle.events] + [len(self.acts)]
        self._again = [_Again() for _ in chronicle.events]
        self._failed_again: dict[bytes, list[tuple[int, Act]]] = {}
        self._forward()

    def after(self, number: int) -> After:
        """The figures of one compaction."""
        start, end = self._starts[number], max(self._starts[number : number + 2])
        earlier = self._starts[number - 1] if number else 0
        later = self.acts[start:end]
        again = self._again[number]
        trouble = next((at for at, act in enumerate(later) if act.failed or act.rejected), None)
        _, turns, tokens = (None, None, None) if trouble is None else self._distance(number, trouble)
        return After(
            number=number + 1,
            before=Window.of(self.acts[max(earlier, start - audit_window_calls) : start]),
            at=Window.of(later[:audit_window_calls]),
            rest=Window.of(later[audit_window_calls:]),
            lost=len(self._lost[number]) if number < len(self._lost) else 0,
            read_again=again.readings,
            read_again_tokens=again.tokens,
            read_after_change=again.changed,
            first_trouble_calls=None if trouble is None else trouble + 1,
            first_trouble_turns=turns,
            first_trouble_tokens=tokens,
            by_distance=self._by_distance(number, later),
        )

    def _distance(self, number: int, at: int) -> tuple[int, int, int]:
        """(calls, turns, tokens) from a compaction to the call with that index after it."""
        start = self._events[number].at
        message = self.acts[self._starts[number] + at].message
        turns = self.turns[message] - self.turns[min(start, message)]
        return at + 1, turns, self._tokens[message] - self._tokens[min(start, message)]

    def _by_distance(self, number: int, later: Sequence[Act]) -> dict[str, tuple[Window, ...]]:
        buckets: dict[str, list[list[Act]]] = {
            name: [[] for _ in range(len(ends) + 1)] for name, ends in _BUCKETS.items()
        }
        for at, act in enumerate(later):
            for (name, ends), distance in zip(_BUCKETS.items(), self._distance(number, at), strict=True):
                buckets[name][bisect_left(ends, distance)].append(act)
        return {name: tuple(map(Window.of, parts)) for name, parts in buckets.items()}

    # What was paid twice and tried again

    def _forward(self) -> None:
        """Walks the calls with the compactions between them."""
        readings: dict[str, list[_Reading]] = {}
        failures: dict[bytes, _Failure] = {}
        for number, (start, end) in enumerate(pairwise([0, *self._starts])):
            if number:
                self._remove(self._events[number - 1], [*chain.from_iterable(readings.values()), *failures.values()])
            for order in range(start, max(start, end)):
                act = self.acts[order]
                if number:
                    self._try(act, order, number - 1, failures)
                self._read(act, order, number - 1, readings)
                if act.failed or act.rejected:
                    key = same_call(act)
                    known = failures.get(key)
                    failures[key] = _Failure(order, gone=known is not None and known.gone)

    def _remove(self, event: Event, known: Iterable[_Reading | _Failure]) -> None:
        """Marks what a compaction removed."""
        removed = {event.before[message].parts[part].call_id for message, part in event.removed}
        for one in known:
            name = self.acts[one.order].call.call_id
            if name is not None and name in removed:
                one.gone = True

    def _read(self, act: Act, order: int, number: int, readings: dict[str, list[_Reading]]) -> None:
        if act.failed or act.rejected:
            return
        for reading in readings.get(act.writes or "", ()):
            reading.changed = True
        if act.reads is None or not act.answered:
            return
        text = "\n".join(result.text for result in act.results if Mark.cleared not in result.marks)
        known = readings.setdefault(act.reads, [])
        if number >= 0 and any(reading.gone for reading in known):
            self._count_again(act, order, self._again[number], known, text)
        known[:] = [*(one for one in known[1 - _READINGS_MAX :] if not one.changed), _Reading(order, text)]

    def _count_again(self, act: Act, order: int, again: _Again, known: Sequence[_Reading], text: str) -> None:
        gone = [one for one in known if one.gone]
        shared = _shared([one for one in gone if not one.changed], [one for one in known if not one.gone], text)
        if shared is None or self._written_between(gone[0].order, order, act.reads):
            stale = [one for one in gone if one.changed or shared is not None]
            again.changed += bool(stale) and _about_the_same(stale, text)
            return
        tokens = self._count(shared)
        again.readings += 1
        again.tokens += tokens
        again.dearest = max(again.dearest, (tokens, act.reads or "", act.message))

    def _written_between(self, first: int, last: int, handle: str | None) -> bool:
        """Whether a command between two readings of a file wrote it, by its form."""
        path = file_of(handle)
        if path is None:
            return False
        name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        for act in self.acts[first + 1 : last]:
            if act.opaque and name in act.call.text and not act.rejected:
                targets = [one.name.rstrip("/") for one in written_by(act) if one.kind == "path"]
                if any(target == path or target.rsplit("/", 1)[-1] == name for target in targets):
                    return True
        return False

    def _try(self, act: Act, order: int, number: int, failures: Mapping[bytes, _Failure]) -> None:
        """Notes a call that had failed, which a compaction removed, and that was made again and failed again."""
        if not (act.failed or act.rejected) or not failures:
            return
        key = same_call(act)
        known = failures.get(key)
        if known is None or not known.gone or self.acts[known.order].rejected != act.rejected:
            return
        between = (one for one in self.acts[known.order + 1 : order] if one.tool == act.tool and not one.failed)
        if any(one.answered and not one.rejected and same_call(one) == key for one in between):
            return  # it went well in between
        if self._ended_alike(self.acts[known.order], act) or not self._changed_between(known.order, order):
            self._failed_again.setdefault(key, []).append((number, act))

    @staticmethod
    def _ended_alike(one: Act, other: Act) -> bool:
        return [result.text for result in one.results] == [result.text for result in other.results]

    def _changed_between(self, first: int, last: int) -> bool:
        """Whether the agent did anything in between that may make a difference: for that a test is run again."""
        done = (act for act in self.acts[first + 1 : last] if act.answered and not act.failed and not act.rejected)
        return any(act.writes is not None or (act.opaque and not only_reads(act)) for act in done)

    def paid_twice(self) -> Iterator[Finding]:
        """What was read again for nothing, in one line."""
        total = sum(one.readings for one in self._again)
        if total:
            tokens = sum(one.tokens for one in self._again)
            dearest = max(one.dearest for one in self._again)
            readings = "reading gave" if total == 1 else "readings gave"
            note = (
                f"{total:,} {readings} again what was read before and not changed: about {tokens:,} tokens paid twice"
            )
            shown = {"handle": dearest[1]}
            data: dict[str, JSON] = {"tokens": tokens, "after_change": sum(one.changed for one in self._again)}
            yield Finding(Code.read_again, Tier.proven, 15, note, shown, total, message=dearest[2], data=data)

    def failing_again(self) -> Iterator[Finding]:
        """The same call with the same arguments, failed before a compaction and failed again after it."""
        for made in self._failed_again.values():
            number, first = made[0]
            done = "that a person had refused" if first.rejected else "that had failed"
            again = "refused" if first.rejected else "failed"
            note = f"a call {done} before compaction {number + 1} was made again, and {again} again"
            shown = {"call": f"{first.tool} {command_of(first.call.args) or first.call.text}"[:_SHOWN_CHARS]}
            data: dict[str, JSON] = {"compaction": number + 1, "turn": self.turns[first.message]}
            weight = 45 if first.rejected else 35
            yield Finding(
                Code.failing_again, Tier.proven, weight, note, shown, len(made), message=first.message, data=data
            )


def _shared(gone: Sequence[_Reading], shown: Sequence[_Reading], now: str) -> str | None:
    """What of a reading stood in readings that are gone and in none that is shown; None if that is less than half."""
    if not gone:
        return None
    if not shown and any(one.text in (now, "") for one in gone):
        return now
    lines = now.split("\n")
    known = {line for one in gone for line in one.text.split("\n")}
    known.difference_update(line for one in shown for line in one.text.split("\n"))
    shared = [line for line in lines if line in known]
    return "\n".join(shared) if 2 * len(shared) >= len(lines) else None


def _about_the_same(before: Sequence[_Reading], now: str) -> bool:
    """Whether a reading is of the part of a thing that was read before, though lines of it moved or changed."""
    lines = [line for line in _bare_lines(now) if len(line) >= _TELLING_CHARS]
    known = {line for one in before for line in _bare_lines(one.text)}
    return 2 * sum(line in known for line in lines) >= len(lines)


def _bare_lines(text: str) -> list[str]:
    """The lines without the numbers that a client puts before them, and without white space around them."""
    return list(map(str.strip, _NUMBERED.sub("", text).split("\n")))
