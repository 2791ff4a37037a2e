"""What was done against a rule after a compaction: violations of a ban, and acts on a thing whose rule was lost.

A violation is certain only where a person's plain ban names the thing, nobody took the ban back, and the call's own
form shows the write and was carried out. All else that speaks for one is inferred, or nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from cenotaph.core.audit.aftermath.bans import Ban, Named, bans_in, changes
from cenotaph.core.audit.aftermath.names import Item, items_of
from cenotaph.core.audit.aftermath.reach import covers, is_act
from cenotaph.core.audit.aftermath.talk import Doubt, Said, Standing, spaced, spoken, standings, talk
from cenotaph.core.audit.calls import Act, Target, command_of, file_of, only_reads, written_by
from cenotaph.core.audit.calls.places import Roots
from cenotaph.core.audit.model import Chronicle, Code, Finding, Judgement, Tier, Verdict
from cenotaph.core.audit.verdicts.words import word_set
from cenotaph.core.statements import polarity, states
from cenotaph.core.wording import FIRST_PERSON
from cenotaph.limits import audit_handles_of_ban_max, audit_spoken_line_chars_max

__all__ = ["against_rules"]

_GONE: Final = frozenset({Verdict.dropped, Verdict.weakened, Verdict.mutated, Verdict.contradicted})


@dataclass(frozen=True, slots=True)
class _Hit:
    """A call that does what a ban forbids.

    Attributes:
        act: The call.
        target: What it writes to.
        standing: The ban.
        sure: Everything about it is certain.
        fate: What the compactions between the two did to the ban; None if it came through all of them.
        number: The compaction that did so, from 1; None likewise.
    """

    act: Act
    target: Target
    standing: Standing
    sure: bool
    fate: Verdict | None
    number: int | None

    @property
    def lost(self) -> bool:
        return self.fate in _GONE

    @property
    def rank(self) -> tuple[bool, bool, tuple[int, int, int]]:
        return self.sure, self.lost, self.standing.place


def against_rules(
    chronicle: Chronicle, acts: Sequence[Act], turns: Sequence[int], lost: Sequence[Sequence[Judgement]]
) -> Iterator[Finding]:
    """Violations, and acts on what a lost statement speaks of.

    Args:
        chronicle: The history.
        acts: Its calls, in order.
        turns: The turn of each message.
        lost: For each compaction the judgements of what it lost.
    """
    if not chronicle.events:
        return
    history = _History(chronicle, acts, lost)
    hits = history.violations()
    yield from _violations(hits, turns)
    yield from history.amnesia({hit.act.message: hit for hit in hits})


# The history --------------------------------------------------------------------------------------------------


class _History:
    """One history, with what is looked up in it more than once."""

    def __init__(self, chronicle: Chronicle, acts: Sequence[Act], lost: Sequence[Sequence[Judgement]]) -> None:
        self._messages = chronicle.messages
        self._acts = acts
        self._lost = lost
        self._starts = [event.at for event in chronicle.events]
        self._first = bisect_right([act.message for act in acts], self._starts[0] - 1)
        self._written: dict[int, tuple[Target, ...]] = {}
        self._doubts: dict[tuple[tuple[int, int, int], str, str, str, int], str] = {}

    @cached_property
    def _roots(self) -> Roots:
        declared = [file_of(act.reads) or file_of(act.writes) for act in self._acts]
        return Roots(
            [path for path in declared if path] + [one.name for one in self._all_targets if one.kind == "path"]
        )

    @cached_property
    def _all_targets(self) -> list[Target]:
        return [one for at in range(self._first, len(self._acts)) for one in self._targets(at)]

    @cached_property
    def _talk(self) -> list[Said]:
        return list(talk(self._messages))

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        return [said.place for said in self._talk]

    @cached_property
    def _standings(self) -> list[Standing]:
        return list(standings(self._messages))

    def _targets(self, at: int) -> tuple[Target, ...]:
        if at not in self._written:
            self._written[at] = written_by(self._acts[at])
        return self._written[at]

    def violations(self) -> list[_Hit]:
        """The best hit of each call that a ban forbids, in order."""
        if not self._standings:
            return []
        found: list[_Hit] = []
        for at in range(self._first, len(self._acts)):
            act = self._acts[at]
            if not act.rejected and self._targets(at):
                hits = [hit for one in self._targets(at) for hit in self._hits(act, one)]
                found += [max(hits, key=lambda hit: hit.rank)] if hits else []
        return found

    def _hits(self, act: Act, target: Target) -> Iterator[_Hit]:
        seen: set[str] = set()
        for standing in reversed(self._standings):
            if standing.place[0] >= act.message or standing.ban.text in seen:
                continue
            sure = self._breaks(standing.ban, target)
            if sure is None:
                continue
            seen.add(standing.ban.text)  # said again: what it was before does not count
            doubt = self._doubt(standing, target, act)
            if doubt == "lifted":
                continue
            number, fate = self._fate(standing, act)
            done = act.answered and not act.failed
            yield _Hit(act, target, standing, sure and done and not doubt, fate, number)

    def _doubt(self, standing: Standing, target: Target, act: Act) -> str:
        first = bisect_left(self._places, standing.place[:2])
        last = bisect_left(self._places, (act.message, 0))
        key = (standing.place, standing.ban.text, target.kind, target.name, last)
        if key not in self._doubts:
            self._doubts[key] = Doubt(standing, target, self._roots).after(self._talk[first:last])
        return self._doubts[key]

    def _breaks(self, ban: Ban, target: Target) -> bool | None:
        """Whether writing there is what the ban forbids: True for sure, False likely; None if not."""
        done = is_act(ban, target)
        if done is None:
            return None
        if any(covers(one, target, self._roots) is not None for one in ban.exempt):
            return None
        best: bool | None = None
        for named in ban.named:
            covered = covers(named, target, self._roots)
            if covered is not None:
                best = bool(best) or (covered and named.sure)
        return None if best is None else best and done and ban.plain and target.certain

    def _fate(self, standing: Standing, act: Act) -> tuple[int | None, Verdict | None]:
        """(compaction, verdict) of what the compactions between a ban and a call did to it; the worst of them."""
        unclear: tuple[int | None, Verdict | None] = (None, None)
        for number, start in enumerate(self._starts):
            if not standing.place[0] < start <= act.message or number >= len(self._lost):
                continue
            for one in self._lost[number]:
                if spaced(one.statement.text) in standing.texts:
                    if one.verdict in _GONE:
                        return number + 1, one.verdict
                    unclear = (number + 1, one.verdict)
        return unclear

    # Acts on what a lost statement speaks of

    def amnesia(self, known: Mapping[int, _Hit]) -> Iterator[Finding]:
        """Calls that act on a thing of which a lost statement speaks, with no look at it since; `known`: violations."""
        for number, told in enumerate(self._lost[: len(self._starts)]):
            for one in told:
                names = _spoken_of(one)
                if names:
                    yield from self._acts_on(number, one, names, known)

    def _acts_on(
        self, number: int, one: Judgement, names: Sequence[Item], known: Mapping[int, _Hit]
    ) -> Iterator[Finding]:
        start = self._starts[number]
        things = [Named(item.text, item.kind, item.noun) for item in names]
        for at in range(bisect_right([act.message for act in self._acts], start - 1), len(self._acts)):
            act = self._acts[at]
            if act.rejected or act.failed:
                continue
            target = self._acted_on(at, things)
            if target is None:
                if self._looks_at(act, things):
                    return
                continue
            hit = known.get(act.message)
            said = self._said_since(start, act.message, things)
            if not said and (hit is None or spaced(one.statement.text) not in hit.standing.texts):
                note = (
                    f"after compaction {number + 1} a call acts on what a lost statement speaks of, not looked at since"
                )
                shown = {"original": one.statement.text, "call": _shown(act), "handle": target}
                weight = 62 if polarity(one.statement.text) == "must_not" else 42
                data = {"compaction": number + 1, "verdict": one.verdict.value}
                yield Finding(Code.amnesia, Tier.inferred, weight, note, shown, message=act.message, data=data)
            return

    def _acted_on(self, at: int, things: Sequence[Named]) -> str | None:
        """What a call writes to, or the thing that its command names and does not only read; None if neither."""
        for target in self._targets(at):
            if target.how != "commit" and any(covers(one, target, self._roots) is not None for one in things):
                return target.name
        command = command_of(self._acts[at].call.args) if self._acts[at].opaque else None
        if command is None or only_reads(self._acts[at]):
            return None
        return next((one.text for one in things if _names(command, one.text)), None)

    def _looks_at(self, act: Act, things: Sequence[Named]) -> bool:
        path = file_of(act.reads)
        target = None if path is None else Target("path", path)
        seen = target is not None and any(covers(one, target, self._roots) is not None for one in things)
        return seen or any(_names(act.call.text, one.text) for one in things)

    def _said_since(self, start: int, end: int, things: Sequence[Named]) -> bool:
        """Whether a person spoke of it again."""
        return any(one.text in part.text for _, _, part in spoken(self._messages[start:end]) for one in things)


_REPORTING: Final = word_set("mention say tell discuss print show quote read open explain describe list")
_MODAL: Final = word_set("must always never only keep ask before until unless required stay remain")
_ORDERED: Final = re.compile(r"\W*(?:please |and |also )*(?:never|don['’]?t|do not|no|avoid|stop)\b", re.IGNORECASE)


def _spoken_of(one: Judgement) -> list[Item]:
    """The things that a lost statement speaks of, if it binds what may be done to them; empty if it does not."""
    text = one.statement.text
    if one.verdict not in _GONE or len(text) > audit_spoken_line_chars_max or not re.search(r"[/.~_`\"-]", text):
        return []
    names = [item for item in items_of(text) if item.kind == "path"]
    if not names:
        return []
    meaning = polarity(text)
    items = items_of(text)
    spoken = {item.text for item in items if item.kind == "word"}
    if spoken & _REPORTING:
        return []
    if any(state == "blocked" for _, _, state in states(text)):
        return names
    if meaning == "must_not":
        named = [Item(one.text, one.kind, one.noun) for ban in bans_in(text) for one in ban.named]
        return named or (names if _ORDERED.match(text) else [])
    orders = changes(items) and not spoken & _ASKING
    return names if meaning == "must" and spoken & _MODAL and not orders and not spoken & FIRST_PERSON else []


_ASKING: Final = word_set("ask before until unless only confirm approval")


def _names(text: str, name: str) -> bool:
    """Whether a text names a thing, and not a longer one."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or before in ("-", "_")) and not (after.isalnum() or after in ("-", "_")):
            return True
        at = text.find(name, at + 1)
    return False


# Findings ---------------------------------------------------------------------------------------------------------

_SHOWN_CHARS: Final = 300


def _shown(act: Act) -> str:
    return act.shown[:_SHOWN_CHARS]


def _violations(hits: Sequence[_Hit], turns: Sequence[int]) -> Iterator[Finding]:
    """One finding for each ban and thing; those beyond the first things of a ban are counted in one line."""
    groups: dict[tuple[str, bool], dict[str, list[_Hit]]] = {}
    for hit in hits:
        by_name = groups.setdefault((hit.standing.ban.text, hit.sure), {})
        key = hit.target.name if hit.target.name in by_name or len(by_name) < audit_handles_of_ban_max else ""
        by_name.setdefault(key, []).append(hit)
    for by_name in groups.values():
        for same in by_name.values():
            yield _violation(same, turns)


def _violation(hits: Sequence[_Hit], turns: Sequence[int]) -> Finding:
    hit = max(hits, key=lambda one: one.lost)
    said = turns[hit.standing.place[0]]
    done = "writes to" if hit.act.answered and not hit.act.failed else "tried to write to"
    sure = "" if hit.sure else "what may be "
    if hit.lost:
        fate = f"which compaction {hit.number} had lost ({hit.fate.value if hit.fate else ''})"
    elif hit.fate is not None:
        fate = f"of which nobody can tell whether compaction {hit.number} kept it"
    else:
        fate = "which no compaction had lost"
    note = f"a call {done} {sure}what a person's prohibition (turn {said}) names, {fate}"
    return Finding(
        Code.violation,
        Tier.proven if hit.sure else Tier.inferred,
        (100 if hit.lost else 90) if hit.sure else (58 if hit.lost else 48),
        note,
        {"original": hit.standing.ban.text, "call": _shown(hit.act), "handle": hit.target.name},
        len(hits),
        message=hits[0].act.message,
        data={
            "turn": turns[hits[0].act.message],
            "said_in_turn": said,
            "lost": hit.lost,
            "verdict": None if hit.fate is None else hit.fate.value,
            "compaction": hit.number,
        },
    )
