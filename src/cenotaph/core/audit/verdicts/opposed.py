"""Whether a sentence asserts the opposite of a statement."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from cenotaph.core.audit.model import Verdict
from cenotaph.core.audit.verdicts.reads import DENYING, Read, stem_of
from cenotaph.core.audit.verdicts.texts import Asked, Unit
from cenotaph.core.audit.verdicts.words import CANCELLING, PERMITTING, READING, RULE_NOUNS, word_set
from cenotaph.core.claims import Claim
from cenotaph.core.statements import words

__all__ = ["CLOSE", "PLANNING", "told_states", "names_same", "opposes", "other_state", "tells_same"]

CLOSE: Final = (3, 5)
"""A sentence that shares this share of them tells the same, or what it tells was changed."""


def opposes(one: Asked, unit: Unit, *, close: bool, stands: bool = True) -> tuple[Verdict, str] | None:
    """Whether a sentence asserts the opposite; `unverifiable` where it speaks against it and structure cannot tell.

    Args:
        one: A statement.
        unit: A sentence that may be about it.
        close: It stands right behind a copy, so that it may speak of it without its words.
        stands: A copy stands: another value beside it is a contradiction; without one it is a change.
    """
    said = unit.folded
    if close and _excepts(unit):
        return Verdict.weakened, "an exception is made"
    lifts = bool(said & CANCELLING - one.folded) or ("longer" in said and "no" in said) or "anymore" in said
    names, tells = names_same(one, unit), tells_same(one, unit)
    if lifts and _of_a_rule(unit) and (close or names):
        return Verdict.contradicted, "it is taken back"
    if not names and not tells:
        return None
    mine, theirs = one.read, unit.claim
    if theirs.question:
        return None  # it asks, and asserts nothing
    changed = _other_value(mine.claim, theirs.claim) if stands else None
    if changed:
        return Verdict.contradicted, changed
    if stands and other_state(mine.claim, theirs.claim):
        return (
            Verdict.contradicted,
            f"{told_states(mine.claim.states)} here, {told_states(theirs.claim.states)} there",
        )
    about = len(one.stems & unit.stems) * CLOSE[1] >= len(unit.stems) * CLOSE[0]
    other = _other_number(mine, theirs) if tells and about and stands else None
    if other:
        return Verdict.contradicted, other
    told = _opposite(mine, theirs, lifts) if one.binding or mine.claim.polarity == "may" else None
    if told is not None:
        return told
    if _turned(mine, theirs, tells=tells):
        return Verdict.contradicted, "it is turned round there"
    if lifts and tells:
        return Verdict.unverifiable, "something about it is taken back"
    return None


_LIFTED_WORDS_MAX: Final = 8


def _of_a_rule(unit: Unit) -> bool:
    """What is taken back is called a rule: `the freeze is lifted`, `ignore that restriction`; no `stale lock file`."""
    told = words(unit.words_of)
    for at, word in enumerate(told):
        if word not in RULE_NOUNS:
            continue
        behind = told[at + 1 : at + 1 + _LIFTED_WORDS_MAX]
        ahead = told[max(0, at - _LIFTED_WORDS_MAX) : at]
        if set(behind) & (CANCELLING | {"longer", "anymore"}):
            return True
        if set(ahead) & CANCELLING and set(ahead[-3:]) & _POINTING_OUT:
            return True
    return False


_POINTING_OUT: Final = word_set("the this that these those its their your my any all every no such")


def _turned(mine: Read, theirs: Read, *, tells: bool) -> bool:
    """The same words with a denial more or less, or with its things the other way round."""
    if tells and theirs.denied & set(mine.content) - mine.denied and not _same_denial(mine, theirs):
        return True
    told = set(theirs.content)
    inside = len(told & set(mine.content)) * 10 >= 7 * max(1, len(told))
    if tells and inside and (theirs.claim.denials - mine.claim.denials) % 2:
        return True
    return mine.content == theirs.content and mine.claim.denials == theirs.claim.denials and _swap(mine, theirs)


def _same_denial(mine: Read, theirs: Read) -> bool:
    """`no commit was made` and `commits weren't made` deny the same."""
    quantified = ["no" in {word for word, _, _ in told.directions} for told in (mine, theirs)]
    return mine.claim.denials == theirs.claim.denials == 1 and quantified[0] != quantified[1]


def _swap(mine: Read, theirs: Read) -> bool:
    """Two things that stand on either side of one word have changed places."""
    here = {word: after for word, after, _ in mine.directions}
    there = {word: after for word, after, _ in theirs.directions}
    moved = any(there.get(word, after) != after for word, after in here.items() if word in _RANKING)
    return moved and sorted(mine.claim.exact) == sorted(theirs.claim.exact)


_RANKING: Final = word_set("over instead than not before after never")
"""Words on whose two sides nothing may change places."""


_EXEMPTING: Final = re.compile(
    r"\s*(?:[-*+•]\s+)?(?:(?:the )?(?:only )?exceptions?\b|except\b|unless\b|but (?:not|only)\b|with the exception\b)"
    r"|\s*[(\[]\s*(?:(?:does|do) not|doesn't|not (?:for|on|in|to|when|if|during))\b"
    r"|\b(?:exempt(?:ed)?|excluded|excepted)\b"
    r"|\b(?:this|that|it|which|these|those|the (?:rule|restriction|limit|ban|constraint|requirement))\b[^.;]{0,40}?"
    r"\b(?:does not|doesn't|do not|don't|need not|is not|isn't|not)\b[^.;]{0,12}\b(?:hold|apply|bind|count|concern"
    r"|cover|affect|include)\b",
    re.IGNORECASE,
)


def _excepts(unit: Unit) -> bool:
    """A sentence right behind another that takes something out of it."""
    return _EXEMPTING.search(unit.words_of) is not None


_MOVED_ON: Final = {"blocked": frozenset({"pending", "in_progress", "done"}), "pending": frozenset({"done"})}


def other_state(mine: Claim, theirs: Claim) -> bool:
    """A step is said to be in a state that it was not in, and not in the one that it was in."""
    moved = ((state, after) for state, after in _MOVED_ON.items() if state in mine.states)
    return any(theirs.states & after and state not in theirs.states for state, after in moved)


def told_states(states: Iterable[str]) -> str:
    return " and ".join(sorted(states))


def names_same(one: Asked, unit: Unit) -> bool:
    """It names the same thing, one inside it, or one around it."""
    return any(_inside(a, b) or _inside(b, a) for a in one.pieces for b in unit.named) or any(
        piece in unit.words_of for piece in one.pieces
    )


def tells_same(one: Asked, unit: Unit) -> bool:
    """It speaks with most of the same words."""
    shared = len(one.stems & unit.stems)
    return shared >= max(1, min(2, len(one.stems))) and shared * CLOSE[1] >= len(one.stems) * CLOSE[0]


def _inside(inner: str, outer: str) -> bool:
    inner, outer = inner.rstrip("/"), outer.rstrip("/")
    return inner == outer or inner.startswith(outer + "/")


def _opposite(mine: Read, theirs: Read, lifts: bool) -> tuple[Verdict, str] | None:
    said = set(theirs.words)
    acts = (mine.denied or set(mine.content)) & set(theirs.content)
    reads = bool(said & READING) and not mine.denied & set(theirs.content)
    permits = bool(said & PERMITTING) or theirs.claim.polarity == "may"
    denied = bool(said & DENYING) or theirs.claim.denials > 0
    if mine.claim.polarity == "must_not":
        if lifts and not denied:
            return Verdict.contradicted, "it is taken back"
        if permits and not denied and _fulfils(mine, theirs):
            return Verdict.unverifiable, "what it waits for is said to be there"
        if permits and not denied:
            return None if reads else (Verdict.contradicted, "it is allowed there")
        if permits and mine.denied & theirs.denied:
            return None
        if permits and not reads:
            return Verdict.unverifiable, "it speaks of a leave"
        ordered = theirs.claim.polarity in ("none", "must") and not denied
        first = stem_of(theirs.words[0]) if theirs.words else ""
        if ordered and mine.denied and first in mine.denied:
            return Verdict.contradicted, "it is ordered there"
        if ordered and mine.denied & set(theirs.content) and said & PLANNING:
            return Verdict.contradicted, "it is planned there"
        return None
    if lifts and not denied:
        return Verdict.contradicted, "it is taken back"
    if theirs.denied & set(mine.content) - mine.denied:
        return Verdict.contradicted, "it is denied there"
    if said & _SKIPPING and acts:
        return Verdict.contradicted, "it is left out there"
    return None


def _fulfils(mine: Read, theirs: Read) -> bool:
    """The sentence says that what a statement waits for is there: an approval until which nothing may be done."""
    awaited = {after for word, after, _ in mine.conditions if word in ("until", "unless", "without", "before", "only")}
    still = {after for _, after, _ in theirs.conditions}
    return bool(awaited & set(theirs.content) - still)


PLANNING: Final = word_set("will should must need needs going plan plans next then now can")


_SKIPPING: Final = word_set("skip skips skipped skipping bypass omit omitted unnecessary")


_SETTING: Final = re.compile(r"^([\w.-]+)\s*=\s*(\S+)$")


def _other_value(mine: Claim, theirs: Claim) -> str | None:
    """`NAME=a` here and `NAME=b` there."""
    here, there = _settings(mine), _settings(theirs)
    for name, value in here.items():
        if name in there and there[name] != value:
            return f"{name} is {there[name]} there"
    return None


def _other_number(mine: Read, theirs: Read) -> str | None:
    """Most of the same words with another number, or with the one that is denied."""
    here = [value for kind, value in mine.claim.exact if kind == "number"]
    there = [value for kind, value in theirs.claim.exact if kind == "number"]
    said = [value for value in there if value in mine.denied and value not in theirs.denied]
    if said and not any(value in there for value in here if value not in mine.denied):
        return f"{said[0]} is said to be it there"
    gone = [value for value in here if value not in theirs.claim.values]
    new = [value for value in there if value not in mine.claim.values]
    if len(here) == len(there) == 1 and gone and new and not theirs.denied:
        return f"{gone[0]} here, {new[0]} there"
    return None


def _settings(claim: Claim) -> dict[str, str]:
    return {found[1]: found[2] for value in claim.handles if (found := _SETTING.match(value))}
