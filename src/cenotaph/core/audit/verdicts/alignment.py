"""A sentence laid over a statement word for word: where nearly all of it stands, what is left over says what changed.

The order is left aside, so that a sentence that was turned round is laid over as well. What is left over on both
sides is judged by its kind alone: an exact thing for another, a unit, a state, a word that softens. A plain word for
another plain word may be the same said otherwise: that nobody can tell here.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cenotaph.core.audit.model import Verdict
from cenotaph.core.audit.verdicts.reads import AROUND, DENYING, HYPHENED, NAMES, known_form, stem_of
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

__all__ = ["Difference", "difference", "same_in_order", "same_turned_round", "told_by"]

_OPENERS: Final = CONDITIONS | word_set("""
    in on at for from to since till with by during under within inside per of about against through via into onto
    over as below above beyond behind between among near exclusively because instead rather according regarding
    bei beim in im auf an am mit von vom zu zur zum für nach vor unter über gegen durch während wegen aus
    dans sur à au aux pour par avec sous chez vers en de pendant
    con en por para desde hasta sobre hacia durante según
    per da nel nella sul sulla con su di durante
    op aan met naar van bij voor tijdens uit zolang sinds seit sobald solange depuis desde
    em no na por para com sob durante""")
"""Words that open a part of a sentence which may as well stand before the rest."""
_HANGING: Final = DENYING | word_set("""
    the a an and or but nor not only just der die das ein eine und oder nicht nur le la les un une et ou ne pas
    el los las y o no solo sólo il lo gli e non een het en of niet os as um uma não só""")
"""Words behind which no part of a sentence ends."""
_ORDERED: Final = word_set("then first second respectively afterwards finally it they them this that these those one")
"""Words that hang on the order of what is told."""
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


@lru_cache(maxsize=16_384)
def _tokens(text: str) -> tuple[str, ...]:
    told = [chunk.strip(AROUND).rstrip("./。，") for chunk in _TOKEN.findall(known_form(text))]
    return tuple(word for word in told if word and word not in _LIGHT)


def _left(told: tuple[str, ...], both: Tally[str]) -> tuple[str, ...]:
    spare = Tally(both)
    found: list[str] = []
    for word in told:
        if spare[word] > 0:
            spare[word] -= 1
        else:
            found.append(word)
    return tuple(found)


def same_turned_round(statement: str, sentence: str) -> bool:
    """Whether a sentence is the statement, word for word, with two of its parts the other way round.

    Either a part that a preposition or a condition opens stands before the rest instead of behind it, or two parts
    on the sides of an `and` or `or` have changed places.
    """
    here, there = _all_tokens(statement), _all_tokens(sentence)
    return _turned_round(here, there) or _clauses_moved(statement, sentence)


_CLAUSE: Final = re.compile(r"\s*[;；]\s*|[.!。]\s+|:\s+|,\s+(?=(?:and|but|und|aber|et|mais|y|pero|e|ma|en|maar)\s)")
_LINKING: Final = re.compile(r"^(?:and|but|so|und|aber|et|mais|y|pero|e|ma|en|maar)\s+")
_ON_THE_ONE_BEFORE: Final = word_set("""
    then otherwise else afterwards therefore thus hence dann sonst danach ensuite sinon luego entonces""")
"""A clause with one of these says what it says by the clause before it."""


def _clauses_moved(statement: str, sentence: str) -> bool:
    """The same clauses, each word for word or turned round in itself, in another order."""
    here, there = _clauses_of(statement), _clauses_of(sentence)
    if not 1 < len(here) == len(there) <= _CLAUSES_MAX:
        return False
    if _ON_THE_ONE_BEFORE & {word for clause in here for word, _ in clause}:
        return False
    left = list(there)
    for clause in here:
        told = [word for word, _ in clause]
        same = next((one for one in left if [word for word, _ in one] == told or _turned_round(clause, one)), None)
        if same is None:
            return False
        left.remove(same)
    return True


_CLAUSES_MAX: Final = 8


def _clauses_of(text: str) -> list[list[tuple[str, bool]]]:
    told = (_LINKING.sub("", part.strip(" ,-—–")) for part in _CLAUSE.split(known_form(text)))
    return [tokens for part in told if (tokens := _all_tokens(part))]


def same_in_order(statement: str, sentence: str) -> bool:
    """Whether both have the same words in the same order, or two parts turned round: forms, synonyms, fillers aside."""
    here, there = _all_tokens(statement), _all_tokens(sentence)
    here = [(_formed(word), ends) for word, ends in here if word not in _FILLING]
    there = [(_formed(word), ends) for word, ends in there if word not in _FILLING]
    return [word for word, _ in here] == [word for word, _ in there] or _turned_round(here, there)


_FILLING: Final = word_set("the a an that please also just is are be been will")


def _formed(word: str) -> str:
    plain = word.isalpha() and word not in _OPENERS | _HANGING
    return stem_of(word) if plain else word


def _turned_round(here: list[tuple[str, bool]], there: list[tuple[str, bool]]) -> bool:
    mine, theirs = [word for word, _ in here], [word for word, _ in there]
    if mine == theirs or sorted(mine) != sorted(theirs):
        return False
    if _rotated(here, there) or _rotated(there, here) or _conjuncts_swapped(mine, theirs):
        return True
    finite = {*mine} & _FINITE
    if len(finite) != 1 or mine.count(verb := finite.pop()) != 1:
        return False
    here, there = ([one for one in told if one[0] != verb] for told in (here, there))
    return here == there or _rotated(here, there) or _rotated(there, here)


_FINITE: Final = word_set("""
    is are was were may must can shall should will muss müssen darf dürfen soll sollen kann können ist sind wird mag
    moet mogen zal""")
"""A verb that changes its place with what stands before it: `nach X darf nur Y`, `only through X is Y`."""


@lru_cache(maxsize=16_384)
def _all_tokens(text: str) -> list[tuple[str, bool]]:
    """(word, whether a comma stands behind it)."""
    told = [(chunk.strip(AROUND).rstrip("./。，"), chunk[-1] in ",，、;") for chunk in _TOKEN.findall(known_form(text))]
    return [(word, ends) for word, ends in told if word and word not in _POLITE]


_POLITE: Final = word_set("please bitte")
_ADVERBS: Final = word_set("first always today tomorrow tonight daily weekly monthly immer zuerst toujours siempre")
"""Single words that may stand before a sentence as well as in it."""


def _rotated(told: list[tuple[str, bool]], other: list[tuple[str, bool]]) -> bool:
    """A part of one that a preposition or a condition opens stands before all the rest, or behind it, in the other."""
    mine, theirs = [word for word, _ in told], [word for word, _ in other]
    for begin, word in enumerate(mine):
        focused = word in _FOCUSING and mine[begin + 1 : begin + 2] and mine[begin + 1] in _OPENERS
        if begin and mine[begin - 1] in _HANGING:
            continue
        if word in _ADVERBS and [word, *mine[:begin], *mine[begin + 1 :]] == theirs:
            return True
        if word not in _OPENERS and not focused:
            continue
        if {*mine[:begin], *mine[begin + 1 :]} & _FOCUSING:
            continue
        for end in range(begin + 2, len(mine) + 1):
            part, rest = mine[begin:end], mine[:begin] + mine[end:]
            closed = end == len(mine) or told[end - 1][1] or mine[end] in _OPENERS | {"-"}
            if begin and part + rest == theirs and (closed or other[len(part) - 1][1]):
                return True
            if closed and end < len(mine) and rest + part == theirs:
                return True
    return False


_FOCUSING: Final = word_set("only just even nur bloß solo sólo seulement alleen soltanto apenas só")
"""Words that speak of what stands beside them, wherever that moves."""


_JOINING: Final = word_set("and or nor und oder et ou")


def _conjuncts_swapped(mine: list[str], theirs: list[str]) -> bool:
    neither = mine.count("neither") == mine.count("nor") == 1
    binding = {*mine} & (_ORDERED | DENYING | CONDITIONS | SOFT)
    if binding - ({"neither", "nor"} if neither else set()):
        return False
    for at, word in enumerate(mine):
        if word not in _JOINING:
            continue
        for begin in range(at - 1, -1, -1):
            for end in range(at + 2, len(mine) + 1):
                swapped = [*mine[:begin], *mine[at + 1 : end], word, *mine[begin:at], *mine[end:]]
                if swapped == theirs:
                    return True
    return False


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
    if _is_name(was) and _is_name(now):
        return True
    if was in UNITS and now in UNITS:
        return UNITS[was] != UNITS[now]
    return OPPOSED_STATES.get(was, frozenset()) >= {now} or {was, now} in ({f"un{was}", was}, {f"un{now}", now})


def _is_number(word: str) -> bool:
    return number_word(word) or (any(map(str.isdigit, word)) and not any(map(str.isalpha, word)))


def _is_name(word: str) -> bool:
    return NAMES.fullmatch(word) is not None or HYPHENED.fullmatch(word) is not None or word.startswith("--")


def _binds(gone: tuple[str, ...]) -> bool:
    """Words without which a statement says less: a condition, a limit of where it holds, an exact thing."""
    told = {word for chunk in gone for word in words(chunk)}
    exact = any(NAMES.fullmatch(chunk) or _is_number(chunk) for chunk in gone)
    return bool(told & (CONDITIONS | SCOPE | _LIMITING)) or exact or (bool(told - PERMITTING) and len(gone) > 1)


_LIMITING: Final = word_set(
    "exclusively solely strictly just alone written signed manual human always never twice both"
)
