"""A sentence laid over a statement word for word: where nearly all of it stands, what is left over says what changed.

The order is left aside, so that a sentence that was turned round is laid over as well. What is left over on both
sides is judged by its kind alone: an exact thing for another, a unit, a state, a word that softens. A plain word for
another plain word may be the same said otherwise: that nobody can tell here.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from dataclasses import dataclass
from typing import Final

from cenotaph.core.audit.model import Verdict
from cenotaph.core.audit.verdicts.reads import AROUND, DENYING, NAMES, known_form
from cenotaph.core.audit.verdicts.words import (
    CONDITIONS,
    OPPOSED_STATES,
    PERMITTING,
    SCOPE,
    SOFT,
    UNITS,
    word_set,
)
from cenotaph.core.statements import number_word, words

__all__ = ["Difference", "difference", "told_by"]

_TOKEN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\S+")
_LIGHT: Final = word_set("the a an of to that please also just and is are be been then so it its there , ; :")
_LEFT_MAX: Final = 3
"""Words left over on either side, where the rest is the same."""
_SHARE: Final = (3, 5)
"""Of the words of the longer side this share stands on both, or it is another sentence."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What two sentences have beside what they share.

    Attributes:
        gone: Words of the statement that the sentence has not, in their order.
        new: Words of the sentence that the statement has not, in their order.
        shared: How many words both have.
        named: One of those names something.
        inside: The sentence is a piece of the statement, word for word.
    """

    gone: tuple[str, ...]
    new: tuple[str, ...]
    shared: int
    named: bool
    inside: bool


def difference(statement: str, sentence: str) -> Difference:
    """What is left of either when what they share is taken away; light words aside."""
    here, there = _tokens(statement), _tokens(sentence)
    mine, theirs = Tally(here), Tally(there)
    both = mine & theirs
    inside = 0 < len(there) < len(here) and any(
        here[at : at + len(there)] == there for at in range(len(here) - len(there) + 1)
    )
    named = any(NAMES.fullmatch(word) and not _is_number(word) for word in both)
    return Difference(_left(here, both), _left(there, both), both.total(), named, inside)


def _tokens(text: str) -> list[str]:
    told = [chunk.strip(AROUND).rstrip("./。，") for chunk in _TOKEN.findall(known_form(text))]
    return [word for word in told if word and word not in _LIGHT]


def _left(told: list[str], both: Tally[str]) -> tuple[str, ...]:
    spare = Tally(both)
    found: list[str] = []
    for word in told:
        if spare[word] > 0:
            spare[word] -= 1
        else:
            found.append(word)
    return tuple(found)


def told_by(one: Difference) -> tuple[Verdict, str] | None:
    """The change that the words left over show; None if they show none, or if it is another sentence.

    A denial more or less is not told here: which way it turns a sentence hangs on where it stands.
    """
    if {*one.gone, *one.new} & DENYING or not one.gone:
        return None
    longer = one.shared + max(len(one.gone), len(one.new))
    if one.inside and one.shared > 1:
        return Verdict.weakened, f"{' '.join(one.gone)} is gone"
    brief = one.named and len(one.gone) == len(one.new) == 1
    nearly = one.shared * _SHARE[1] >= longer * _SHARE[0] and max(len(one.gone), len(one.new)) <= _LEFT_MAX
    if not nearly and not brief:
        return None
    for was in one.gone:
        for now in one.new:
            if _replaced(was, now):
                return Verdict.mutated, f"{was} became {now}"
    if set(one.new) & SOFT:
        return Verdict.weakened, f"{min(set(one.new) & SOFT)}: asked for less"
    if not one.new and _binds(one.gone):
        return Verdict.weakened, f"{' '.join(one.gone)} is gone"
    return None


def _replaced(was: str, now: str) -> bool:
    """One exact thing for another of its kind, one unit for another, or a state for its opposite."""
    if _is_number(was) or _is_number(now):
        return _is_number(was) and _is_number(now)
    if NAMES.fullmatch(was) and NAMES.fullmatch(now):
        return True
    if was in UNITS and now in UNITS:
        return UNITS[was] != UNITS[now]
    return OPPOSED_STATES.get(was, frozenset()) >= {now} or {was, now} in ({f"un{was}", was}, {f"un{now}", now})


def _is_number(word: str) -> bool:
    return number_word(word) or (any(map(str.isdigit, word)) and not any(map(str.isalpha, word)))


def _binds(gone: tuple[str, ...]) -> bool:
    """Words without which a statement says less: a condition, a limit of where it holds, an exact thing."""
    told = {word for chunk in gone for word in words(chunk)}
    exact = any(NAMES.fullmatch(chunk) or _is_number(chunk) for chunk in gone)
    return bool(told & (CONDITIONS | SCOPE | _LIMITING)) or exact or (bool(told - PERMITTING) and len(gone) > 1)


_LIMITING: Final = word_set(
    "exclusively solely strictly just alone written signed manual human always never twice both"
)
