"""Whether a sentence may turn a statement of which a copy stands, in words that no table of opposites knows.

`The user is fine with butter after all` denies nothing and names nothing exactly; all that structure sees is that it
speaks of the same (a stem, a name, a number) and is no bare account: somebody with a say is in it, something has
changed since, something is allowed, another value or another state is given. Then nobody can tell, and the copy is not
called preserved. A sentence that only tells what was done or found leaves it as it is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from cenotaph.core.audit.verdicts.reads import NAMES, known_form, words_in
from cenotaph.core.audit.verdicts.texts import Index, Unit
from cenotaph.core.audit.verdicts.words import OPPOSED_STATES, UNITS, word_set
from cenotaph.core.model import Provenance
from cenotaph.core.statements import common, words

__all__ = ["may_turn", "touching"]

_STEM_CHARS: Final = 5
_CHARS_MIN: Final = 4
_BEFORE_A_STEM: Final = re.compile(r"^(?:un|re|de|dis|non|in|des|dés)(?=\w{4})")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")

_VOICES: Final = word_set("""
    user users user's client client's operator operator's developer developer's owner owner's boss teacher physician
    utilisateur l'utilisateur usuario usuaria nutzer nutzers nutzerin utente gebruiker usuário""")
_WITH_A_SAY: Final = _VOICES | word_set("""
    said wrote told asks wants wanted wish wishes wished decided decides decision agreed agree agrees
    accepted accepts approved approval approves consent consented blessing permission cleared
    announced lets overruled conceded caved waved granted go-ahead ok'd okayed
    dixit dit écrit accord accepte accepté décidé souhaite autorise autorisé
    dijo pidió aceptó acepta autorizó autoriza decidió quiere acuerdo según permitió
    sagte schrieb wunsch wünscht genehmigt genehmigte erlaubte entschied einverstanden möchte
    detto accetta autorizzato deciso vuole gezegd besloten disse aceitou""")
_REPORTING: Final = word_set("said wrote told asks announced dit dixit écrit dijo sagte schrieb detto gezegd disse")
"""Verbs that only bring in what somebody said: by themselves they settle nothing."""
_CHANGED: Final = word_set("""
    now anymore longer since afterwards meanwhile again instead too also exempt exempted exception exceptions skip
    skipped skipping waive waived scrap scrapped abolish abolished obsolete dropped lifted fell raised
    lowered reduced doubled halved extended shortened widened narrowed postponed cancelled
    canceled switched switch changed replaced moved updated reopened settled arrived despite regardless
    whatever however though although resume resumed reversed stopped gone expired mistake mistaken alarm
    joking joke wrong actually anyway nevertheless kicked half otherwise alone everything anything whenever
    whoever whichever please likes revised amended overridden superseded relaxed loosened suspended paused removed
    bounced owes misses deviating
    désormais finalement nouveau nouvelle reprennent annulé levée
    ahora nuevo nueva finalmente sino mandan ampliado cambió
    jetzt inzwischen vorgezogen verschoben aufgehoben geändert schon
    adesso più annullato nu gewijzigd agora""")
_CHANGES: Final = re.compile(
    r"\b(?:(?:put|pushed|called|switched|turned|taken|signed) (?:off|back|on|out)|any (?:more|longer)|no longer"
    r"|from now on|as of|back to|after all|in future|this time|once more|as well|new policy|ya no|nicht mehr|ab sofort"
    r"|ne\b[^.]{1,40}\bplus)\b",
    re.IGNORECASE,
)
_ALLOWED: Final = word_set("""
    may can could might allowed allow allows permit permits permitted fine ok okay enough sufficient tolerated welcome
    acceptable free yes mandatory optional voluntary needn't suggest peut peuvent puede pueden darf
    dürfen kann können può possono mag mogen pode podem soll sollen autorisée autorisé permis permitido erlaubt""")
_BINDING: Final = word_set("""
    must need needs needed should shall never none nothing nobody without nor neither except only isn't aren't
    don't doesn't won't can't cannot
    sans aucun jamais nunca nada kein keine nicht ohne nie senza mai niet geen zonder""")
_SIGNALS: Final = _WITH_A_SAY | _CHANGED | _ALLOWED | _BINDING
_DENIED: Final = re.compile(r"\b(?:not|no)\b(?!\.?\s*\d)", re.IGNORECASE)
"""A denial; `no. 7` is none."""
_MAY: Final = re.compile(r"(?<=\w )May\b|\bMay(?= \d)|(?<=\d )May\b")
"""A month."""
_STATES: Final = frozenset(OPPOSED_STATES) - word_set("on off up down open free active green red pending draft final")


def touching(statement: str, index: Index) -> list[Unit]:
    """The sentences of a person, of the system, or of what stands for the removed, that share a mark with it."""
    mine = _marks(statement)
    marked = _marked(index)
    marks = [mark for mark in (_TURN, *mine.stems, *mine.numbers, *mine.values) if _is_rare(mark, index)]
    found = {unit for mark in marks for unit in marked.get(mark, ())}
    return sorted(found, key=lambda unit: (unit.text.number, unit.at))


def _marked(index: Index) -> dict[str, list[Unit]]:
    """The sentences by their marks; made once for an index."""
    if index.marked is None:
        index.marked = {}
        for text in index.texts:
            if text.passage.replacement or text.passage.provenance in _HEARD:
                for unit in text.units:
                    told = _marks(unit.words_of)
                    for mark in (*told.stems, *told.numbers, *told.values, *([_TURN] if told.turn else [])):
                        index.marked.setdefault(mark, []).append(unit)
    return index.marked


_RARE: Final = (4, 50)
"""A mark tells of two sentences that stand among at most so many with it: four, or one in fifty of all."""


def _is_rare(mark: str, index: Index) -> bool:
    sentences = sum(len(text.units) for text in index.texts)
    return len(_marked(index).get(mark, ())) <= max(_RARE[0], sentences // _RARE[1])


_TURN: Final = "\0"
"""The mark of a sentence in which somebody with a say tells what holds now."""
_HEARD: Final = frozenset(
    {Provenance.user, Provenance.system, Provenance.developer, Provenance.foreign, Provenance.compactor}
)


def may_turn(statement: str, sentence: str, index: Index) -> str | None:
    """Why a sentence that stands elsewhere may turn a statement; None if it does not touch it or only tells.

    Args:
        statement: Of which a copy stands.
        sentence: Another one.
        index: Where both stand: what many sentences there have in common shows nothing of two of them.
    """
    mine, theirs = _marks(statement), _marks(sentence)
    shared = {mark for mark in mine.stems & theirs.stems if _is_rare(mark, index)}
    other = _other_value(mine, theirs)
    if not shared and other is None and not any(_is_rare(one, index) for one in mine.numbers & theirs.numbers):
        return f"somebody has said what holds now: {min(theirs.turn)}" if theirs.turn else None
    if signal := theirs.signals - mine.words - _REPORTING:
        return f"it speaks of the same: {min(signal)}"
    if mine.words & _STATES and (said := theirs.words & _STATES - mine.words):
        return f"it speaks of the same: {min(said)}"
    if other is not None and shared:
        return f"it speaks of the same: {other}"
    return None


def _other_value(mine: _Marks, theirs: _Marks) -> str | None:
    """A number that stands beside the same word as one of the statement's, and is not among those."""
    for beside in mine.values.keys() & theirs.values.keys():
        if others := theirs.values[beside] - mine.numbers:
            return min(others)
    return None


class _Marks:
    """What two sentences are held against each other by."""

    def __init__(self, text: str) -> None:
        bare = known_form(text)
        told = words(bare)
        self.words = frozenset(told)
        self.signals = self.words & _SIGNALS | set(_CHANGES.findall(bare)) | set(_DENIED.findall(bare))
        if _MAY.search(text):
            self.signals -= {"may"}
        turned = self.signals - _VOICES - _REPORTING
        self.turn = turned if self.words & _VOICES else frozenset()
        self.values = _values(bare)
        self.numbers = frozenset(_NUMBER.findall(bare))
        self.stems = frozenset(_loose(word) for word in words_in(bare) if _says_something(word)) | _pairs(bare)


_CHUNK: Final = re.compile(r"[^\s|:=,;()]+")


def _values(text: str) -> dict[str, frozenset[str]]:
    """The numbers by the words that stand right before or behind them."""
    told = [chunk.strip(".\"'`") for chunk in _CHUNK.findall(text)]
    found: dict[str, set[str]] = {}
    for at, chunk in enumerate(told):
        if not chunk[:1].isdigit():
            continue
        for beside in (*told[max(0, at - 1) : at], *told[at + 1 : at + 2]):
            word = UNITS.get(beside, beside)
            if not word[:1].isdigit() and (len(word) > 2 or word in UNITS or not word.isalpha()) and not common(word):
                found.setdefault(_loose(word), set()).add(chunk)
    return {word: frozenset(numbers) for word, numbers in found.items()}


@lru_cache(maxsize=16_384)
def _marks(text: str) -> _Marks:
    return _Marks(text)


def _says_something(word: str) -> bool:
    return len(word) >= _CHARS_MIN and not common(word) and word not in UNITS and word not in _SIGNALS


@lru_cache(maxsize=65_536)
def _loose(word: str) -> str:
    """The beginning of a word without accents and without what turns it: `unmasked` and `masking` meet."""
    plain = "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))
    return _BEFORE_A_STEM.sub("", plain)[:_STEM_CHARS]


def _pairs(text: str) -> frozenset[str]:
    """Pairs of signs of a script without spaces, and names as they stand."""
    return frozenset(_CJK.findall(text)) | frozenset(NAMES.findall(text))
