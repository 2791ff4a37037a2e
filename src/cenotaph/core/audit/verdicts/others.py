"""A statement of which no copy stands: what the sentences that come nearest make of it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter as Tally
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from cenotaph.core.audit.model import Evidence, Verdict
from cenotaph.core.audit.verdicts.against import doubted
from cenotaph.core.audit.verdicts.alignment import difference, same_in_order, same_turned_round, told_by
from cenotaph.core.audit.verdicts.opposed import CLOSE, names_same, opposes, other_state, tells_same, told_states
from cenotaph.core.audit.verdicts.reads import (
    AROUND,
    DENYING,
    ENGLISH,
    LABEL,
    NAMES,
    REPORTS,
    Read,
    canonical,
    known_form,
    names_in,
    spoken,
    stem_of,
)
from cenotaph.core.audit.verdicts.texts import HARMLESS, Asked, Found, Index, Unit, evidence_of, is_another
from cenotaph.core.audit.verdicts.words import (
    ADDED,
    CONDITIONS,
    DIRECTIONS,
    NEUTRAL,
    OTHERS,
    PERMITTING,
    SCOPE,
    SOFT,
    word_set,
)
from cenotaph.core.claims import Claim
from cenotaph.core.model import Provenance
from cenotaph.core.statements import words
from cenotaph.core.wording import DENIERS as _DENIER_WORDS
from cenotaph.core.wording import IMPERATIVES

__all__ = ["of_others"]

_NEAR: Final = (2, 5)
"""A sentence that shares this share of a statement's words is about it, whatever else it names."""


_CANDIDATES_MAX: Final = 12
"""Sentences that are looked at closely for one statement, the nearest first."""


def of_others(one: Asked, index: Index) -> Found:
    """What the sentences that come nearest say; `dropped` if none is about the statement."""
    found: list[tuple[Verdict, Evidence]] = []
    covered: set[tuple[int, int]] = set()
    for unit in _nearest(one, index):
        told = _compared(one, unit)
        if told is not None and not is_another(one, unit, index):
            found.append((told[0], unit.evidence(one.statement, told[1])))
            if told[0] is Verdict.paraphrased:
                covered.add((unit.text.number, unit.at))
    verdicts = {verdict for verdict, _ in found}
    if not verdicts:
        return Verdict.dropped, ()
    if Verdict.contradicted in verdicts:
        return Verdict.contradicted, evidence_of(found, Verdict.contradicted)
    if Verdict.paraphrased in verdicts:
        doubt = doubted(one, index, covered)
        if doubt is not None:
            return doubt[0], (doubt[1], *evidence_of(found, Verdict.paraphrased))
        return Verdict.paraphrased, evidence_of(found, Verdict.paraphrased)
    for verdict in (Verdict.mutated, Verdict.weakened, Verdict.unverifiable):
        if verdict in verdicts:
            return verdict, evidence_of(found, verdict)
    return Verdict.dropped, ()


def _nearest(one: Asked, index: Index) -> list[Unit]:
    """The sentences that may speak of it, the nearest first."""
    score: Tally[Unit] = Tally()
    for unit, count in index.sharing(one.stems).items():
        score[unit] += count
    for unit in index.naming(one.pieces):
        score[unit] += 2
    for unit in index.naming(piece for value in one.read.values for piece in _relatives(value)):
        score[unit] += 1
    ranked = sorted(score.items(), key=lambda pair: (-pair[1], pair[0].text.number, pair[0].at))
    return [unit for unit, _ in ranked[:_CANDIDATES_MAX]]


def _relatives(value: str) -> Iterator[str]:
    """What a thing that took its place may have in common with it: a folder above, the name of a setting."""
    if "/" in value.strip("/"):
        yield value.rstrip("/").rsplit("/", 1)[0]
    if "=" in value:
        yield value.split("=", 1)[0] + "="


def _compared(one: Asked, unit: Unit) -> tuple[Verdict, str] | None:
    """What a sentence makes of a statement that stands nowhere verbatim; None if it is not about it."""
    shared = len(one.stems & unit.stems)
    named = names_same(one, unit)
    about = shared * _NEAR[1] >= max(1, len(one.stems)) * _NEAR[0] and shared >= min(2, len(one.stems))
    if not about and not named:
        soft_name = unit.folded & SOFT and any(piece.strip("/").split("/")[-1] in unit.words_of for piece in one.pieces)
        if soft_name and one.binding:
            return Verdict.weakened, "asked for less"
        return told_by(difference(one.text, unit.words_of)) if shared else None
    mine, theirs = one.read, unit.claim
    same = not theirs.question and any(same_turned_round(one.text, said.words_of) for said in unit.apart)
    if same and not _hides(unit.words_of, one.text):
        speaker = _told_by_another(one, unit)
        return (Verdict.paraphrased, "") if speaker is None else (Verdict.mutated, speaker)
    opposite = opposes(one, unit, close=False, stands=False)
    if opposite is not None:
        return opposite
    if theirs.question and not mine.question:
        if not about:
            return None
        asked = tells_same(one, unit)
        return (Verdict.weakened, "turned into a question") if asked else (Verdict.unverifiable, "asked about")
    speaker = _told_by_another(one, unit)
    if speaker and about:
        return Verdict.mutated, speaker
    laid_over = told_by(difference(one.text, unit.words_of))
    if laid_over is not None:
        return laid_over
    if not about:
        if theirs.soft - mine.soft and one.binding:
            return Verdict.weakened, "asked for less"
        return None
    return _difference(one, unit, mine, theirs, close=shared * CLOSE[1] >= len(one.stems) * CLOSE[0])


def _told_by_another(one: Asked, unit: Unit) -> str | None:
    passage = unit.text.passage
    if passage.provenance not in (one.provenance, Provenance.foreign, Provenance.compactor):
        return f"said by {passage.provenance.value}"
    told = words(spoken(unit.words_of))
    own = set(words(one.text)) | one.speakers | _FIRST
    for at, word in enumerate(told[:4]):
        if word in OTHERS and word not in own and set(told[at + 1 : at + 3]) & REPORTS:
            return None if set(told[:at]) & one.speakers else f"put down to another: {word}"
    return None


_FIRST: Final = word_set("i we my our")
"""Whoever wrote a summary; in one, these say nothing of who it was that spoke before."""


def _difference(one: Asked, unit: Unit, mine: Read, theirs: Read, *, close: bool) -> tuple[Verdict, str]:
    """What differs between a statement and the sentence that speaks of it.

    What is missing in a sentence shows a change only if nearly all the rest stands in it (`close`): a sentence
    that tells half of it may leave the other half to its neighbours.
    """
    was, now = mine.claim, theirs.claim
    dropped = mine.denied & set(theirs.content) - theirs.denied
    if dropped and not theirs.denied and not theirs.soft - mine.soft:
        return Verdict.contradicted, "the negation is gone"
    freed = was.polarity == "must_not" and now.polarity != "must_not" and not now.denials and not theirs.soft
    if freed and not mine.denied and close:
        return Verdict.contradicted, "the negation is gone"
    if mine.denied and theirs.denied and not mine.denied & theirs.denied and theirs.denied & set(mine.content):
        return Verdict.contradicted, "something else is denied"
    if now.polarity == "must_not" and not was.denials and theirs.denied & set(mine.content) and close:
        return Verdict.contradicted, "it is denied there"
    gone, new = _exchanged(mine, theirs)
    swapped = _swapped(gone, new)
    if swapped is not None and (close or "=" in swapped[0]):
        return Verdict.mutated, f"{swapped[0]} became {swapped[1]}"
    if was.states and was.states != now.states and (close or other_state(was, now)):
        return (
            Verdict.mutated,
            f"{told_states(was.states) or 'no state'} became {told_states(now.states) or 'no state'}",
        )
    if theirs.soft - mine.soft and (close or one.binding):
        return Verdict.weakened, f"{min(theirs.soft - mine.soft)}: asked for less"
    if freed and close:
        return Verdict.weakened, "what it forbids is not said"
    if not close:
        return Verdict.unverifiable, "a part of it stands in other words"
    lost = {word for word, _, _ in mine.conditions} - {word for word, _, _ in theirs.conditions}
    if lost:
        return Verdict.weakened, f"{min(lost)} ... is gone"
    added = {word for word, _, _ in theirs.conditions} - {word for word, _, _ in mine.conditions}
    if added & ADDED:
        return Verdict.weakened, f"{min(added & ADDED)} ... is added"
    if mine.bounds - theirs.bounds:
        return Verdict.weakened, f"{min(mine.bounds - theirs.bounds)} is gone"
    if gone:
        number = not any(sign.isalpha() for sign in gone[0])
        return (Verdict.weakened if number else Verdict.mutated), f"{gone[0]} is gone"
    if mine.scope != theirs.scope:
        return Verdict.mutated, "it reaches elsewhere"
    if was.polarity in ("must", "must_not") and now.polarity in ("may", "none"):
        return Verdict.weakened, "the duty is gone"
    if _same(one, unit, mine, theirs, new):
        return Verdict.paraphrased, ""
    return Verdict.unverifiable, "other words; structure cannot tell"


def _exchanged(mine: Read, theirs: Read) -> tuple[list[str], list[str]]:
    """Exact things that are gone, and exact things that are new."""
    gone = [value for _, value in mine.claim.exact if value not in theirs.claim.values]
    new = [value for _, value in theirs.claim.exact if value not in mine.claim.values]
    gone += [value for value in sorted(mine.claim.handles - theirs.claim.handles) if value not in theirs.claim.text]
    new += [value for value in sorted(theirs.claim.handles - mine.claim.handles) if value not in mine.claim.text]
    if _with_digits(mine.claim.text) == _with_digits(theirs.claim.text):
        gone, new = ([one for one in told if not any(map(str.isdigit, one))] for told in (gone, new))
    return list(dict.fromkeys(gone)), list(dict.fromkeys(new))


def _with_digits(text: str) -> list[str]:
    """What has a digit in it, sorted: numbers, ids, dates."""
    return sorted(chunk.strip(AROUND).rstrip("./") for chunk in text.split() if any(map(str.isdigit, chunk)))


def _swapped(gone: Sequence[str], new: Sequence[str]) -> tuple[str, str] | None:
    """A thing that is gone and one of its kind that is new; None if there is no such pair."""
    for old in gone:
        for other in new:
            if _form(old) == _form(other):
                return old, other
    return None


def _form(value: str) -> str:
    """What kind of thing a value is, by its looks: a path, a setting, a number, an id, a dotted name, a word."""
    if "/" in value:
        return "path"
    if "=" in value:
        return "setting"
    if value.replace(".", "").replace(",", "").isdigit():
        return "number"
    if any(sign.isdigit() for sign in value):
        return "id"
    return "dotted" if "." in value or "_" in value else "word"


def _same(one: Asked, unit: Unit, mine: Read, theirs: Read, new: Sequence[str]) -> bool:
    """Every part of `in other words` is shown: the same words that say something, hanging on the same."""
    words_told = spoken(unit.words_of)
    prefix = LABEL.match(words_told)
    told = theirs
    if prefix and set(words(prefix.group())) <= NEUTRAL | one.speakers:
        told = Read(words_told[prefix.end() :])
    if _same_clauses(mine.claim.text, told.claim.text) and not _hides(unit.words_of, one.text):
        return True
    if names_in(mine.claim.text) != names_in(told.claim.text):
        return False
    alike = Tally(mine.words) == Tally(told.words)
    if new or mine.claim.denials != told.claim.denials or (mine.claim.polarity != told.claim.polarity and not alike):
        return False
    if _hides(unit.words_of, one.text):
        return False
    if not _is_english(mine) and not (alike and _denials_in(mine.claim.text) == _denials_in(told.claim.text)):
        return False
    if mine.directions != told.directions or mine.conditions != told.conditions or mine.denied != told.denied:
        return False
    extra = {word for word in told.words if word not in mine.words and _weighs(word)}
    missing = {word for word in mine.words if word not in told.words and _weighs(word)}
    if mine.content != told.content or extra or missing:
        return False
    if _every_word(mine) != _every_word(told):
        return False
    return _in_order(mine.claim, told.claim) and same_in_order(canonical(mine.claim.text), canonical(told.claim.text))


_BETWEEN_CLAUSES: Final = re.compile(r"[,;:]\s+|\s+(?:and|but|und|aber|et|mais|y|pero|e|ma|en|maar)\s+")


def _same_clauses(text: str, other: str) -> bool:
    """The same clauses, word for word, in another order; a clause that hangs on the one before it stays with it."""
    first, second = _clauses(text), _clauses(other)
    return len(first) > 1 and sorted(first) == sorted(second)


def _clauses(text: str) -> list[str]:
    bare = known_form(text)
    found = [clause.strip(" .!,;:") for clause in _BETWEEN_CLAUSES.split(bare)]
    found = [re.sub(r"^(?:and|but|und|aber|et|mais|y|pero|e|ma|en|maar)\s+", "", one) for one in found if one]
    hanging = any(set(words(one)) & _HANGING for one in found)
    return [bare] if hanging else found


_HANGING: Final = word_set("it this that they them these those not instead rather which who then also otherwise")
"""Words that point to a clause beside their own: such clauses say something else in another order."""


def _hides(text: str, original: str) -> bool:
    """A sign that nobody sees, or takes for another one, stands in a sentence and not in the statement."""
    odd = set(text) - set(original) - HARMLESS
    return any(not sign.isascii() or unicodedata.category(sign) == "Cc" for sign in odd)


def _is_english(read: Read) -> bool:
    """A language in whose other words we know our way; in all others only the order may differ."""
    return read.claim.text.isascii() and bool(set(read.words) & (ENGLISH | DIRECTIONS | IMPERATIVES))


_DENIERS: Final = frozenset(_DENIER_WORDS.replace("*", "").split()) | CONDITIONS


def _denials_in(text: str) -> Tally[tuple[str, str, str]]:
    """(the word before it, a denial or condition of any language, the word behind it), each within its clause."""
    found: Tally[tuple[str, str, str]] = Tally()
    for clause in re.split(r"[,;:.!?]+(?:\s|$)|[。，、；：]", text):
        told = [one for chunk in clause.split() for one in (words(chunk) if not NAMES.fullmatch(chunk) else [chunk])]
        for at, word in enumerate(told):
            if word in _DENIERS:
                before = told[at - 1] if at else ""
                after = told[at + 1] if at + 1 < len(told) else ""
                found[before if before not in _DENIERS else "", word, after] += 1
    return found


_FILLERS: Final = word_set("the a an of to that please also just and is are be been then so will it its there")
"""Words of which one more or less says nothing else."""


def _every_word(read: Read) -> Tally[str]:
    """All words but those that fill, whatever their form; a unit or a short name is one as well."""
    return Tally(stem_of(word) for word in read.words if word not in _FILLERS and word not in DENYING)


def _weighs(word: str) -> bool:
    """A word that has no content of its own and still may turn a sentence."""
    return word in SCOPE | CONDITIONS | SOFT | ADDED | PERMITTING | DIRECTIONS | OTHERS and word not in ("it", "this")


def _in_order(was: Claim, now: Claim) -> bool:
    """Exact things stand in one order, or each behind the word that it stood behind; one may open the sentence."""
    things = {value.casefold() for _, value in (*was.exact, *now.exact)}
    here, there = _leads(was, things), _leads(now, things)
    if here.keys() != there.keys():
        return False
    if list(here) == list(there):
        return True
    differ = [value for value in here if here[value] != there[value]]
    return len(differ) <= 1 and all("" in (here[value], there[value]) for value in differ)


def _leads(claim: Claim, things: Collection[str]) -> dict[str, str]:
    """Each of these things in its order, with the word before it in its clause; "" at the beginning of one."""
    told = claim.normal.casefold().split()
    found: dict[str, str] = {}
    for at, chunk in enumerate(told):
        bare = chunk.strip(AROUND).rstrip(".")
        for value in things:
            if value == bare or (value in chunk and not value.isalpha() and len(value) > 1):
                opens = not at or told[at - 1][-1:] in ",;:."
                found.setdefault(value, "" if opens else told[at - 1].strip(AROUND))
    return found
