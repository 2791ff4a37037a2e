"""Pairs of a conversation and what stands for it afterwards, with the verdict that each deserves.

A pair is made from a statement that binds and an *operator*: what a summary did to it. The operator, not a judge,
says which verdicts are right: a change of meaning is made by hand (`Wording`) or by another value in a slot, so the
label rests on what the words mean. `pairs` gives the same for the same seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import Any, Final, Literal

from cenotaph.core.audit.model import Passage, Statement, Verdict
from cenotaph.core.model import Provenance
from cenotaph.testing.audit_phrases import Phrases, Style, Wording
from cenotaph.testing.audit_phrases_held import HELD
from cenotaph.testing.audit_phrases_open import OPEN

__all__ = ["ACCUSING", "CERTIFYING", "KEEPING", "SETS", "Operator", "Pair", "asked", "pairs", "passages"]

SETS: Final[Mapping[str, Phrases]] = {"open": OPEN, "held": HELD}
"""The set that a judge may be written against, and the one that only tests it."""

CERTIFYING: Final = frozenset({Verdict.preserved, Verdict.paraphrased})
"""Verdicts that say: nothing is lost."""

ACCUSING: Final = frozenset({Verdict.weakened, Verdict.mutated, Verdict.contradicted, Verdict.dropped})
"""Verdicts that say: something is lost."""


class Operator(StrEnum):
    """What a summary did to a statement."""

    verbatim = "verbatim"
    reordered = "reordered"
    """The same words in another order."""
    moved = "moved"
    """Verbatim, in another section, order or message."""
    quoted = "quoted"
    """Verbatim, as words of the same speaker."""
    dressed = "dressed"
    """Verbatim, with emphasis, a bullet or line breaks."""
    synonym = "synonym"
    """The same in other words."""
    softened = "softened"
    negation_dropped = "negation_dropped"
    """The negation is gone, or one came: the opposite."""
    negation_moved = "negation_moved"
    number_changed = "number_changed"
    unit_changed = "unit_changed"
    path_changed = "path_changed"
    host_swapped = "host_swapped"
    handle_changed = "handle_changed"
    """A database, ticket, branch, region, version or flag is another."""
    person_swapped = "person_swapped"
    state_changed = "state_changed"
    scope_widened = "scope_widened"
    qualifier_dropped = "qualifier_dropped"
    attributed = "attributed"
    """Verbatim, as words of another speaker."""
    questioned = "questioned"
    cancelled = "cancelled"
    """Verbatim, in words that say it holds no longer."""
    excepted = "excepted"
    """Verbatim, with an exception that nobody made."""
    hidden = "hidden"
    """A character that cannot be seen, or that only looks the same, stands in a handle."""
    contradicted = "contradicted"
    """Verbatim, and its opposite elsewhere."""
    dropped = "dropped"
    distractor = "distractor"
    """Gone; a sentence with the same words or handles stands."""


KEEPING: Final = frozenset(
    {Operator.verbatim, Operator.reordered, Operator.moved, Operator.quoted, Operator.dressed, Operator.synonym}
)
"""Operators that leave the meaning as it was."""

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """A statement, and a conversation before and after a compaction.

    Attributes:
        statement: Verbatim as it stands in `before`, once.
        provenance: Who said it: user, system or developer.
        before: OpenAI chat messages.
        after: A summary, or OpenAI chat messages the first of which, after a system message that was kept, is it.
        operator: What was done.
        expected: Verdicts that are right.
        forbidden: Verdicts that are wrong beyond argument: a certification of what was changed, an accusation
            of what was kept.
        wording: The wording that it was made from.
        became: What stands in the place of the statement; "" for nothing.
    """

    statement: str
    provenance: Provenance
    before: list[Message]
    after: str | list[Message]
    operator: Operator
    expected: frozenset[Verdict]
    forbidden: frozenset[Verdict]
    wording: Wording
    became: str


def pairs(seed: int, count: int, which: Literal["open", "held"] = "open") -> Iterator[Pair]:
    """Gives `count` pairs, the operators in turn.

    Args:
        seed: The same seed gives the same pairs, and each pair depends on its number and the seed alone.
        count: How many.
        which: Name of the set of phrases (`SETS`).
    """
    order = tuple(Operator)
    for number in range(count):
        yield _pair(Random(f"audit pair {which} {seed} {number}"), order[number % len(order)], SETS[which])


def passages(pair: Pair) -> list[Passage]:
    """What is read afterwards: each message that did not stand before is a replacement that nobody signed."""
    if isinstance(pair.after, str):
        return [Passage(pair.after, Provenance.foreign)]
    found = []
    for place, message in enumerate(pair.after):
        kept = message in pair.before
        source = _PROVENANCE[message["role"]] if kept else Provenance.foreign
        found.append(Passage(message["content"], source, message=place, replacement=not kept))
    return found


def asked(pair: Pair) -> Statement:
    """The pair's statement as a judge is given it, with its place in `before`."""
    for place, message in enumerate(pair.before):
        start = message["content"].find(pair.statement)
        if start >= 0 and message["role"] == pair.provenance.value:
            end = start + len(pair.statement)
            return Statement(pair.statement, pair.provenance, ref=(place, 0), start=start, end=end)
    raise ValueError(f"the statement {pair.statement!r} stands in no message of its pair; make pairs with `pairs`")


_PROVENANCE: Final[Mapping[str, Provenance]] = {
    "system": Provenance.system,
    "developer": Provenance.developer,
    "user": Provenance.user,
    "assistant": Provenance.agent,
    "tool": Provenance.tool,
}

# What a statement becomes ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Fate:
    """What stands in the place of a statement.

    Attributes:
        said: What stands there; "" for nothing.
        expected: Verdicts that are right.
        also: What stands in another section besides.
        place: Section that `said` stands in.
    """

    said: str
    expected: frozenset[Verdict]
    also: str = ""
    place: Literal["rules", "facts", "next", "message"] = "rules"


_SLOT: Final = re.compile(r"\{([a-z]+)(\d?)\}")


@dataclass(slots=True)
class _Draw:
    """A wording with values in its slots."""

    dice: Random
    phrases: Phrases
    wording: Wording
    provenance: Provenance
    values: dict[str, str] = field(default_factory=dict)
    swapped: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        used: set[str] = set()
        texts = (self.wording.text, *self.wording.widened, *self.wording.opposed, *self.wording.beside)
        for name, digit in sorted({match for text in texts for match in _SLOT.findall(text)}):
            if name in self.phrases.fillers.swaps:
                self.values[name + digit], self.swapped[name + digit] = self.dice.choice(
                    self.phrases.fillers.swaps[name]
                )
                continue
            pool = [value for value in self.phrases.fillers.pools[name] if value not in used]
            self.values[name + digit] = self.dice.choice(pool)
            used.add(self.values[name + digit])

    @property
    def said(self) -> str:
        return self.render(self.wording.text)

    def render(self, text: str, **values: str) -> str:
        filled = self.values | values
        return _SLOT.sub(lambda match: filled[match[1] + match[2]], text)

    def slots(self, kinds: frozenset[str]) -> list[tuple[str, str]]:
        """Slots of the statement itself of these kinds: (name with digit, kind)."""
        found = _SLOT.findall(self.wording.text)
        return list(dict.fromkeys((name + digit, name) for name, digit in found if name in kinds))

    def forms(self) -> tuple[str, ...]:
        """The statement and its other orders, in which a slot can be changed."""
        return (self.wording.text, self.wording.text, *self.wording.reordered)


def _of(*verdicts: Verdict) -> frozenset[Verdict]:
    return frozenset(verdicts)


_MUTATED: Final = _of(Verdict.mutated)


def _written(name: str, *verdicts: Verdict) -> Callable[[_Draw], list[_Fate]]:
    """Hand-written forms of the wording."""

    def fates(draw: _Draw) -> list[_Fate]:
        return [_Fate(draw.render(text), _of(*verdicts)) for text in getattr(draw.wording, name)]

    return fates


def _framed(draw: _Draw, frames: tuple[str, ...], expected: frozenset[Verdict]) -> list[_Fate]:
    said = draw.said
    who = {"system": "system prompt"}.get(draw.provenance.value, draw.provenance.value)
    half = said.find(" ", len(said) // 2)
    shapes = {
        "said": said,
        "bare": said.rstrip(".。"),
        "who": who,
        "spaced": said.replace(" ", "  "),
        "unbroken": said.replace(" ", "\N{NO-BREAK SPACE}"),
        "broken": f"{said[:half]}\n    {said[half + 1 :]}" if half > 0 else said,
    }
    return [_Fate(re.sub(r"\{(\w+)\}", lambda match: shapes[match[1]], frame), expected) for frame in frames]


def _moved(draw: _Draw) -> list[_Fate]:
    return [_Fate(draw.said, _of(Verdict.preserved), place=place) for place in ("facts", "next", "message")]


_PATHS: Final = frozenset({"dir", "file"})
_HANDLES: Final = frozenset({"db", "ticket", "branch", "region", "version", "flag"})
_HIDING: Final = "\u200b\u200c\u2060\u00ad\u200e"
_LOOKALIKE: Final = {"a": "а", "e": "е", "o": "о", "c": "с", "p": "р", "-": "\u2011"}
_BINDING: Final = frozenset({"prohibition", "obligation", "limit", "exclusive", "condition"})


def _reslotted(*kinds: str, verdicts: frozenset[Verdict] = _MUTATED) -> Callable[[_Draw], list[_Fate]]:
    """The statement, or one of its other orders, with another value in one slot."""

    def fates(draw: _Draw) -> list[_Fate]:
        found = []
        for slot, kind in draw.slots(frozenset(kinds)):
            for near in _near(draw, slot, kind):
                found.append(_Fate(draw.render(draw.dice.choice(draw.forms()), **{slot: near}), verdicts))
        return found

    return fates


def _near(draw: _Draw, slot: str, kind: str) -> list[str]:
    """Other values that a careless writer puts there."""
    value = draw.values[slot]
    if kind in draw.phrases.fillers.swaps:
        return [draw.swapped[slot]]
    used = set(draw.values.values())
    others = [other for other in draw.phrases.fillers.pools[kind] if other not in used]
    near = [draw.dice.choice(others)]
    if kind == "n":
        near += [str(int(value) + 1), value + "0", value[::-1], str(int(value) - 5)]
    elif kind in _PATHS:
        folder, _, last = value.rpartition("/")
        near += [f"{folder}/{draw.dice.choice(others).rpartition('/')[2]}", folder, f"{folder}/old/{last}"]
        near += [f"{value}/tmp"] if kind == "dir" else [re.sub(r"\.\w+$", ".bak", value)]
    elif digits := list(re.finditer(r"\d", value)):
        at = draw.dice.choice(digits).start()
        near.append(f"{value[:at]}{(int(value[at]) + draw.dice.randint(1, 8)) % 10}{value[at + 1 :]}")
    return [other for other in near if other not in used]


def _hidden(draw: _Draw) -> list[_Fate]:
    found = []
    for slot, _ in draw.slots(_PATHS | _HANDLES | {"host"}):
        value = draw.values[slot]
        half = len(value) // 2
        spelled = [f"{value[:half]}{draw.dice.choice(_HIDING)}{value[half:]}"]
        spelled += [value.replace(seen, other, 1) for seen, other in _LOOKALIKE.items() if seen in value][:2]
        expected = _of(Verdict.mutated, Verdict.unverifiable)
        found += [_Fate(draw.render(draw.wording.text, **{slot: text}), expected) for text in spelled]
    return found


def _questioned(draw: _Draw) -> list[_Fate]:
    expected = _of(Verdict.weakened)
    return _written("asked", Verdict.weakened)(draw) * 2 + _framed(draw, draw.phrases.frames.asked, expected)


def _softened(draw: _Draw) -> list[_Fate]:
    """A fact that became a guess binds less; one that became a lesser fact is also another state."""
    told = draw.wording.kind in ("state", "decision", "approval")
    return _written("softened", Verdict.weakened, *([Verdict.mutated] if told else []))(draw)


def _excepted(draw: _Draw) -> list[_Fate]:
    if draw.wording.kind not in _BINDING:
        return []
    expected = _of(Verdict.weakened, Verdict.mutated, Verdict.contradicted)
    return _framed(draw, draw.phrases.frames.excepted, expected)


def _contradicted(draw: _Draw) -> list[_Fate]:
    return [_Fate(draw.said, _of(Verdict.contradicted), also=draw.render(text)) for text in draw.wording.opposed]


def _distracted(draw: _Draw) -> list[_Fate]:
    near = [_Fate(draw.render(text), _of(Verdict.dropped, Verdict.unverifiable)) for text in draw.wording.beside]
    other = _Draw(Random(draw.dice.random()), draw.phrases, draw.wording, draw.provenance)
    named = draw.slots(_PATHS | _HANDLES | {"host"})
    if named and all(other.values[slot] != draw.values[slot] for slot, _ in named):
        near.append(_Fate(other.said, _of(Verdict.dropped, Verdict.mutated)))
    return near


_MAKERS: Final[Mapping[Operator, Callable[[_Draw], list[_Fate]]]] = {
    Operator.verbatim: lambda draw: [_Fate(draw.said, _of(Verdict.preserved))],
    Operator.reordered: _written("reordered", Verdict.paraphrased),
    Operator.moved: _moved,
    Operator.quoted: lambda draw: _framed(draw, draw.phrases.frames.quoted, _of(Verdict.preserved)),
    Operator.dressed: lambda draw: _framed(draw, draw.phrases.frames.dressed, _of(Verdict.preserved)),
    Operator.synonym: _written("synonym", Verdict.paraphrased, Verdict.unverifiable),
    Operator.softened: _softened,
    Operator.negation_dropped: _written("affirmed", Verdict.contradicted),
    Operator.negation_moved: _written("turned", Verdict.contradicted, Verdict.mutated),
    Operator.number_changed: _reslotted("n"),
    Operator.unit_changed: _reslotted("size", "time", "per"),
    Operator.path_changed: _reslotted(*_PATHS),
    Operator.host_swapped: _reslotted("host"),
    Operator.handle_changed: _reslotted(*sorted(_HANDLES)),
    Operator.person_swapped: _reslotted("name"),
    Operator.state_changed: _reslotted("state", verdicts=_of(Verdict.mutated, Verdict.contradicted)),
    Operator.scope_widened: _written("widened", Verdict.mutated, Verdict.weakened),
    Operator.qualifier_dropped: _written("bared", Verdict.weakened, Verdict.mutated),
    Operator.attributed: lambda draw: _framed(draw, draw.phrases.frames.attributed, _MUTATED),
    Operator.questioned: _questioned,
    Operator.cancelled: lambda draw: _framed(
        draw, draw.phrases.frames.cancelled, _of(Verdict.contradicted, Verdict.mutated, Verdict.weakened)
    ),
    Operator.excepted: _excepted,
    Operator.hidden: _hidden,
    Operator.contradicted: _contradicted,
    Operator.dropped: lambda draw: [_Fate("", _of(Verdict.dropped))],
    Operator.distractor: _distracted,
}

# The conversation around it --------------------------------------------------------------------


def _pair(dice: Random, operator: Operator, phrases: Phrases) -> Pair:
    source = dice.choice((*(Provenance.user,) * 6, Provenance.system, Provenance.developer))
    for wording in dice.sample(phrases.wordings, len(phrases.wordings)):
        draw = _Draw(dice, phrases, wording, source)
        if fates := _MAKERS[operator](draw):
            break
    else:
        raise ValueError(f"no wording of the set can be {operator}; write one in its phrases")
    fate = dice.choice(fates)
    scene = _Scene.drawn(draw)
    beside = [] if operator in (Operator.dropped, Operator.distractor) else scene.beside[:1] * dice.randint(0, 1)
    return Pair(
        statement=draw.said,
        provenance=source,
        before=scene.before(),
        after=scene.after(fate, beside),
        operator=operator,
        expected=fate.expected,
        forbidden=ACCUSING if operator in KEEPING else CERTIFYING,
        wording=draw.wording,
        became=fate.said if not fate.also else f"{fate.said} … {fate.also}",
    )


@dataclass(slots=True)
class _Scene:
    """What else was said and done."""

    draw: _Draw
    style: Style
    goal: str
    next: str
    rules: list[str]
    facts: list[str]
    beside: list[str]

    @classmethod
    def drawn(cls, draw: _Draw) -> _Scene:
        dice, phrases = draw.dice, draw.phrases
        beside = [draw.render(text) for text in draw.wording.beside]
        dice.shuffle(beside)
        return cls(
            draw,
            style=dice.choice([style for style in phrases.styles if style.speaker in ("", draw.provenance.value)]),
            goal=dice.choice(phrases.goals),
            next=dice.choice(phrases.nexts),
            rules=dice.sample(phrases.rules, dice.randint(1, 3)),
            facts=dice.sample(phrases.facts, dice.randint(2, 4)),
            beside=beside,
        )

    def before(self) -> list[Message]:
        said, source = self.draw.said, self.draw.provenance
        words = [*self.rules, said] if source is Provenance.user else list(self.rules)
        self.draw.dice.shuffle(words)
        opening = [{"role": "system", "content": self._system(said if source is Provenance.system else "")}]
        if source is Provenance.developer:
            opening.append({"role": "developer", "content": f"For this deployment: {said}"})
        work = [{"role": "assistant", "content": fact} for fact in (*self.facts, *self.beside)]
        half = len(work) // 2
        return [
            *opening,
            {"role": "user", "content": self.goal},
            *work[:half],
            {"role": "user", "content": " ".join(words)},
            *work[half:],
            {"role": "user", "content": self.next},
        ]

    @staticmethod
    def _system(said: str) -> str:
        return f"You are a careful coding assistant. {said}".strip()

    def after(self, fate: _Fate, beside: list[str]) -> str | list[Message]:
        """What stands afterwards; beside the next step, a text comes after it, where no heading leads into it."""
        dice = self.draw.dice
        sections = {"rules": list(self.rules), "facts": [*self.facts, *beside], "next": [self.next]}
        apart = fate.place == "message"
        for text, place in ((fate.said, fate.place), (fate.also, dice.choice(("rules", "facts", "next")))):
            if text and place != "message":
                first = len(sections[place]) if place == "next" else 0
                sections[place].insert(dice.randint(first, len(sections[place])), text)
        summary = self._laid(sections)
        if not apart and dice.random() < 0.7:
            return summary
        kept = [{"role": "system", "content": self._system("")}] if self.draw.provenance is Provenance.user else []
        told = [{"role": "user", "content": summary}]
        if apart:
            told.append({"role": "user", "content": fate.said})
        return [*kept, *told, {"role": "user", "content": self.next}]

    def _laid(self, sections: dict[str, list[str]]) -> str:
        style = self.style
        listed = {
            name: style.joint.join(style.item.replace("{line}", line) for line in sections[name])
            for name in ("rules", "facts")
        }
        shapes = listed | {"goal": self.goal, "next": " ".join(sections["next"])}
        return re.sub(r"\{(goal|rules|facts|next)\}", lambda match: shapes[match[1]], style.layout)
