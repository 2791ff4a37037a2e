"""What stands elsewhere against a statement of which a copy stands."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import Final

from cenotaph.core.audit.model import Evidence, Verdict
from cenotaph.core.audit.verdicts.doubt import may_turn, touching
from cenotaph.core.audit.verdicts.opposed import PLANNING, names_same, opposes
from cenotaph.core.audit.verdicts.reads import BULLET, ENGLISH, HYPHENED, NAMES, TURN_LABEL, Read, spoken, stem_of
from cenotaph.core.audit.verdicts.texts import Asked, Index, Text, Unit, is_another
from cenotaph.core.audit.verdicts.words import ADDED, CANCELLING, PERMITTING, SOFT, word_set
from cenotaph.core.statements import words
from cenotaph.core.wording import IMPERATIVES

__all__ = ["against", "doubted"]

_FOLLOWERS_MAX: Final = 2
"""Sentences after a copy in which it may be spoken of without its words."""


def against(
    one: Asked,
    index: Index,
    clean: Sequence[tuple[Text, int, int]],
    copies: Sequence[tuple[Text, int, int]],
) -> tuple[Verdict, Evidence] | None:
    """What stands elsewhere against a statement of which a copy stands; None if nothing does."""
    if not clean:
        return None
    doubt: tuple[Verdict, Evidence] | None = None
    covered = {
        (text.number, unit.at)
        for text, start, end in copies
        for unit in text.units[text.unit_at(start) : text.unit_at(end - 1) + 1]
    }
    near = {
        (text.number, text.unit_at(end - 1) + step) for text, _, end in clean for step in range(1, _FOLLOWERS_MAX + 1)
    }
    beside = near | {(text.number, text.unit_at(start) - 1) for text, start, _ in clean}
    beside = {(number, at) for number, at in beside if _on_one_line(index, number, at, clean)}
    for unit in _related(one, index, near | beside):
        if (unit.text.number, unit.at) in covered or _is_anothers(one, unit):
            continue
        close = (unit.text.number, unit.at) in near
        told = next(filter(None, (opposes(one, said, close=close) for said in unit.apart)), None)
        where = (unit.text.number, unit.at)
        undone = where in near | beside and not unit.named and unit.folded & CANCELLING
        if told is None and (undone or (where in beside and _points(unit))):
            told = Verdict.unverifiable, "it may speak of it"
        loose = (
            not unit.claim.question
            and _near_enough(one, unit)
            and (
                _commands(unit)
                or _retells(one, unit)
                or (not unit.folded & ENGLISH and bool(_besides(one, unit)))
                or _may_say_otherwise(unit.without(one.pieces))
            )
        )
        if told is None and loose:
            told = Verdict.unverifiable, "it speaks of the same, and may say otherwise"
        if told is not None and not is_another(one, unit, index):
            verdict, note = told
            if verdict in (Verdict.contradicted, Verdict.weakened):
                return verdict, unit.evidence(one.statement, note)
            doubt = doubt or (verdict, unit.evidence(one.statement, note))
    return doubt or doubted(one, index, covered)


def doubted(one: Asked, index: Index, covered: Container[tuple[int, int]]) -> tuple[Verdict, Evidence] | None:
    """A sentence that may turn it, though no table says so.

    Args:
        one: A statement that stands, verbatim or in another order.
        index: Where it stands.
        covered: (passage, sentence) of each place where it does.
    """
    for unit in touching(one.statement.text, index):
        if (unit.text.number, unit.at) in covered or unit.claim.question or _is_anothers(one, unit):
            continue
        note = may_turn(one.statement.text, unit.words_of, index)
        if note is None or is_another(one, unit, index):
            continue
        rest = _without_known(unit, index)
        if rest == unit.form or may_turn(one.statement.text, rest, index) is not None:
            return Verdict.unverifiable, unit.evidence(one.statement, note)
    return None


def _without_known(unit: Unit, index: Index) -> str:
    """The words around what was said before: `The user asked: ...` is that statement and no new one."""
    told = unit.form
    for known in index.known:
        if known in told and known.count(" ") >= _KNOWN_WORDS_MIN:
            told = told.replace(known, " ")
    return told


_KNOWN_WORDS_MIN: Final = 2
_POINTING: Final = word_set("""
    this that it these those which above former latter rule rules restriction restrictions constraint constraints limit
    ban requirement exception exceptions""")


_UNDOING: Final = word_set("""
    exception exceptions except exempt unless joke joking scratch forget withdrawn longer anymore aside barring however
    though although nevertheless mind back reconsidered changed""")


_TAG: Final = re.compile(r"</?[\w -]{1,40}/?>")


def _points(unit: Unit) -> bool:
    """A sentence beside a copy that may speak of it: what it makes of it structure cannot tell."""
    told = spoken(unit.words_of)
    if _TAG.fullmatch(told):
        return False
    return bool(set(words(told)[:2]) & _POINTING) or bool(unit.folded & _UNDOING)


def _on_one_line(index: Index, number: int, at: int, clean: Sequence[tuple[Text, int, int]]) -> bool:
    """A sentence stands on the line of a copy, or on the one right behind it without being a point of its own."""
    text = next((text for text in index.texts if text.number == number), None)
    if text is None or not 0 <= at < len(text.units):
        return False
    unit = text.units[at]
    for copied, start, end in clean:
        if copied is not text:
            continue
        gap = text.passage.text[end : unit.start] if unit.start >= end else text.passage.text[unit.end : start]
        if "\n" not in gap or (unit.start >= end and gap.count("\n") == 1 and not BULLET.match(unit.words_of)):
            return True
    return False


def _near_enough(one: Asked, unit: Unit) -> bool:
    """It names the same thing, or speaks with half of the same words."""
    shared = len(one.stems & unit.stems)
    return names_same(one, unit) or (shared >= 2 and shared * 2 >= len(one.stems))


def _is_anothers(one: Asked, unit: Unit) -> bool:
    """A line of ours that tells what somebody else said: it asserts nothing."""
    label = TURN_LABEL.match(spoken(unit.words_of))
    return label is not None and label.group().split(" ", 1)[0] != one.provenance.value


def _related(one: Asked, index: Index, near: set[tuple[int, int]]) -> Iterator[Unit]:
    """Sentences that share a thing or enough words, or stand right behind a copy."""
    told = index.naming(one.pieces)
    sharing = index.sharing(one.stems)
    for unit, count in sharing.items():
        if count >= 2 or len(one.stems) <= 2 or count * 2 >= len(one.stems):
            told.add(unit)
    for number, at in near:
        text = next(text for text in index.texts if text.number == number)
        if at < len(text.units):
            told.add(text.units[at])
    yield from sorted(told, key=lambda unit: (unit.text.number, unit.at))


_OTHERWISE: Final = word_set("""
    other others too more less longer shorter whether like often whenever wherever whatever
    anyone anybody everyone
    everybody somebody whoever unlimited unrestricted optional either rather instead otherwise also now again
    regardless irrespective ignore skip enough fine moved changed changes replaced replaces switched became becomes
    updated bumped migrated renamed turned lowered raised reset wrong correct actually really truth fact default""")


_ORDER: Final = re.compile(r"[\W_]*([^\W\d_]{3,})\s+(?:the |all |any )?(\S+)")


def _commands(unit: Unit) -> bool:
    """It opens with a word in its plain form and then names something: an order, whatever the verb."""
    found = _ORDER.match(spoken(unit.words_of))
    if found is None or found[1].casefold().endswith(("ed", "ing")):
        return False
    named = NAMES.fullmatch(found[2].strip("`.,;:!")) or HYPHENED.fullmatch(found[2].strip("`.,;:!"))
    return named is not None and found[1].casefold() not in ENGLISH | _CONNECTING


_CONNECTING: Final = word_set(
    "since after before when while because host service file folder branch table both neither"
)


def _besides(one: Asked, unit: Unit) -> frozenset[str]:
    """The stems that both have beside what only names things."""
    named = {stem_of(word) for piece in one.pieces for word in words(piece)}
    return (one.stems & unit.stems) - named


def _retells(one: Asked, unit: Unit) -> bool:
    """It names the same things with the same verb or noun beside them: it may tell the same otherwise."""
    shared = _besides(one, unit)
    apart = [piece for piece in one.pieces if not any(piece != other and piece in other for other in one.pieces)]
    all_named = len(apart) > 1 and all(piece in unit.words_of for piece in apart)
    return names_same(one, unit) and (len(shared) > 2 or (all_named and bool(shared)))


def _may_say_otherwise(theirs: Read) -> bool:
    """Whether a sentence on the same thing is more than an account of what was done or seen.

    An account denies nothing, orders nothing, allows nothing and sets no condition.
    """
    if theirs.claim.denials or theirs.claim.polarity != "none":
        return True
    first = theirs.words[0] if theirs.words else ""
    otherwise = PERMITTING | SOFT | ADDED | CANCELLING | _OTHERWISE | PLANNING - {"now"}
    return first in IMPERATIVES or bool(set(theirs.words) & otherwise)
