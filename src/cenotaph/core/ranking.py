"""Ranking: of the sentences that weigh, which leave last when there is no room for all.

A grade adds up what structure shows: names of things, a rule or a permission, a wish or a decision, an
amount. An aside in brackets adds nothing, and a line of a log or of code, which is not spoken, counts
least. What somebody only tells of the past counts little more, unless it binds to this day: a rule, a
named thing and what was decided, agreed or meant keep their grade in any tense. A grade orders; that a
sentence weighs at all is said by `weights`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from cenotaph.core.handles import extract, extract_outer
from cenotaph.core.statements import common, number_word, polarity, weights, words
from cenotaph.core.wording import (
    ARTICLES,
    BINDING_STEMS,
    CLAUSE_STARTERS,
    CORRECTION_OPENINGS,
    CURRENCY_SIGNS,
    DEADLINE_LEADS,
    IMPERATIVES,
    LANGUAGES,
    NOW,
    TOLD,
)
from cenotaph.limits import grades_remembered_max

__all__ = ["MACHINE", "PROHIBITED", "amount", "grade", "told"]

_ASIDE: Final = re.compile(r"[ \t]*[(（][^()（）]{1,80}[)）]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ENDS: Final = (".", "!", "?", "。", "！", "？", "…")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")

_CODE_KINDS: Final = frozenset({"setting", "identifier", "time", "hash", "uuid"})
"""Kinds of handles that lines of logs and code are full of."""

_NAMES: Final = frozenset(
    {"path", "url", "endpoint", "host", "ip", "email", "uuid", "hash", "id", "version", "package", "setting", "error"}
)
"""Kinds of handles that name one thing."""

MACHINE: Final = 1
"""The grade of a line that nobody spoke."""

PROHIBITED: Final = 64
"""Added to the grade of a prohibition: above whatever the other points add up to."""

_RULE: Final = 3
_NAME: Final = 4
_WISH: Final = 3
_AMOUNT: Final = 2


@lru_cache(maxsize=grades_remembered_max)
def grade(sentence: str) -> int:
    """How late a sentence leaves: 0 if it does not weigh, `MACHINE` for a line of code, more for what binds.

    From `PROHIBITED` on it is a prohibition.
    """
    if not weights(sentence):
        return 0
    core = _ASIDE.sub("", sentence)
    core = core if _WORD.search(core) else sentence
    reasons = weights(core)
    kinds = {handle.kind for handle in extract(core)}
    if not reasons or _is_code(core, kinds):
        return MACHINE
    names, rule = bool(kinds & _NAMES), polarity(core) != "none"
    points = MACHINE + ("outcome" in reasons)
    points += _NAME if names else 0
    points += _RULE if rule else 0
    points += _AMOUNT if "number" in kinds or ("number" in reasons and amount(core)) else 0
    points += _AMOUNT if "unknown_language" in reasons else 0
    spoken = sum(reason in reasons for reason in ("modality", "negation", "number"))
    spoken += _WISH if reasons & {"preference", "decision"} else 0
    if _forbids(core, names):
        return PROHIBITED + points + spoken
    return points + spoken if names or rule or not spoken or not told(core) else points


def _forbids(sentence: str, names: bool) -> bool:
    """An explicit prohibition, or words that forbid something about a named thing; not one that is only told of."""
    explicit = any(handle.kind == "prohibition" for handle in extract_outer(sentence))
    return (explicit or (names and polarity(sentence) == "must_not")) and not told(sentence)


def _is_code(line: str, kinds: set[str]) -> bool:
    """Next to no word of any language that we know, no end of a sentence, and the handles of code."""
    if _UNSPACED.search(line) or line.rstrip("*_`\"')").endswith(_ENDS):
        return False
    spoken = sum(map(common, _WORD.findall(line)))
    return spoken < 2 and (bool(kinds & _CODE_KINDS) or (not kinds and "unknown_language" in weights(line)))


# Amounts ------------------------------------------------------------------------------------------

_UNITS: Final = frozenset(
    unit for language in LANGUAGES if language.spaced for unit in language.units.casefold().split()
)
_UNSPACED_UNITS: Final = sorted(
    {unit for language in LANGUAGES if not language.spaced for unit in language.units.split()}, key=len, reverse=True
)
_NUMERALS: Final = "\\d一二两三四五六七八九十百千万億亿半"
_SIGNED: Final = re.compile(
    rf"[{CURRENCY_SIGNS}]\s?\d|\d\s?[{CURRENCY_SIGNS}%٪％]"
    rf"|[{_NUMERALS}]\s?(?:[만억천백]\s?)?(?:{'|'.join(map(re.escape, _UNSPACED_UNITS))})"
)
_TOKEN: Final = re.compile(
    r"\d[\d.,'\u00a0]*|[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u064b-\u0652\u0900-\u0963\u200c\u200d'’])*"
)


def amount(sentence: str) -> bool:
    """Whether a sentence holds a number with a currency or a unit (`500 euros`, `zwei Wochen`), or a deadline.

    A deadline is a weekday or a month right behind a word such as `by` or `bis`, an article aside.
    """
    if _SIGNED.search(sentence):
        return True
    tokens = [token.casefold().replace("’", "'") for token in _TOKEN.findall(sentence)]
    leads = False
    for at, token in enumerate(tokens):
        following = tokens[at + 1 : at + 3]
        if (token[0].isdigit() or number_word(token)) and not _UNITS.isdisjoint(following):
            return True
        if leads and number_word(token):
            return True
        leads = token in DEADLINE_LEADS or (leads and token in ARTICLES)
    return False


# What is told of the past -------------------------------------------------------------------------

_BINDING: Final = tuple(BINDING_STEMS)
_PATTERNS: Final = tuple(re.compile(pattern, re.VERBOSE) for pattern in TOLD.values())
_CLAUSE: Final = re.compile(r"[,;:()–—]|\s-\s")


def told(sentence: str) -> bool:
    """Whether a sentence only tells what somebody did or what was, and binds nobody.

    It holds a past form with a person who speaks, nothing that says that something holds now, no order,
    no correction, and no word of those that bind in any tense (`decided`, `agreed`, `wanted`, `owned`).
    """
    folded = sentence.casefold().replace("’", "'").strip()
    if folded.startswith(CORRECTION_OPENINGS) or folded.endswith(("?", "？", "؟")):
        return False
    if any(token.startswith(_BINDING) for token in words(folded)) or _orders(folded):
        return False
    for pattern in _PATTERNS:
        rest, found = pattern.subn(" ", folded)  # `have` in `we have walked` says nothing of now
        if found:
            return NOW.isdisjoint(words(rest))
    return False


def _orders(folded: str) -> bool:
    """Whether a clause begins with a verb that tells somebody what to do."""
    for clause in _CLAUSE.split(folded):
        tokens = words(clause)
        while tokens and tokens[0] in CLAUSE_STARTERS:
            tokens = tokens[1:]
        if tokens and tokens[0] in IMPERATIVES:
            return True
    return False
