"""One sentence, read: its words and stems, what it names, what it denies, and the phrases that say the same."""

from __future__ import annotations

import re
from collections import Counter as Tally
from functools import cached_property, lru_cache
from typing import Final

from cenotaph.core.audit.verdicts.words import BOUNDS, CONDITIONS, DIRECTIONS, NEUTRAL, SCOPE, SOFT, SYNONYMS, word_set
from cenotaph.core.claims import claim_of, stem
from cenotaph.core.statements import common, words

__all__ = [
    "AROUND",
    "BULLET",
    "DENYING",
    "EMPHASIS",
    "ENGLISH",
    "HYPHENED",
    "LABEL",
    "NAMES",
    "QUOTES",
    "REPORTS",
    "Read",
    "canonical",
    "TURN_LABEL",
    "is_no_number",
    "known_form",
    "names_in",
    "spoken",
    "stem_of",
    "stems_of",
    "without_opening",
    "words_in",
]

EMPHASIS: Final = re.compile(r"(\*\*|__)(?=\S)|(?<=\S)(\*\*|__)|`++")


QUOTES: Final = str.maketrans("“”„«»’‘–—", '"""""\'\'--')


@lru_cache(maxsize=65_536)
def stem_of(word: str) -> str:
    found = stem(stem(word))
    return next((min(same) for same in _SYNONYM_STEMS if found in same), found)


_SYNONYM_STEMS: Final = tuple(frozenset(stem(stem(word)) for word in same) for same in SYNONYMS)


AROUND: Final = "`\"'()[]{}<>,;:!?*"


NAMES: Final = re.compile(r"(?<!\S)(?=\S*[/\\=@_\d])\S++|(?<![\w.])\w++(?:\.\w++)++")
"""Paths, settings, addresses, numbers: what has letters in it and is no word."""


def names_in(text: str) -> set[str]:
    """What names something in a text: paths, ids, dotted and hyphened names."""
    found = {chunk.strip(AROUND).rstrip("./") for chunk in NAMES.findall(text)}
    return found | (set(HYPHENED.findall(text)) - _PLAIN_HYPHENED)


def is_no_number(piece: str) -> bool:
    return any(map(str.isalpha, piece)) or piece.startswith("#") or piece.count(".") > 1


HYPHENED: Final = re.compile(r"(?<![\w-])[^\W\d_]{2,}+(?:-[^\W\d_]{2,}+)++")


_PLAIN_HYPHENED: Final = word_set(
    "read-only write-only byte-identical up-to-date follow-up one-off ad-hoc long-term short-term opt-in opt-out"
)


def words_in(text: str) -> list[str]:
    """The words of a text without what only names things."""
    return words(NAMES.sub(" ", text))


def stems_of(text: str) -> list[str]:
    """The stems of the words that say something, in order."""
    return [stem_of(word) for word in words_in(text) if len(word) > 2 and not common(word)]


BULLET: Final = re.compile(
    r"(?:[-*+•·]|\(?\d{1,3}[.)]|\((?:[a-z]|[ivx]{1,4})\)|#{1,6}|>)\s+(?:\[[ xX~/!-]\]\s+)?|\[[ xX~/!-]\]\s+"
)


LABEL: Final = re.compile(r"[^:.!?\n]{1,60}?:\s+(?=\S)")


_QUESTION: Final = re.compile(r"[?？]\s*[\"')\]*_`]*\s*$")


def spoken(text: str) -> str:
    """The words of a sentence without a bullet before them."""
    bullet = BULLET.match(text)
    return text[bullet.end() :] if bullet else text


_PHRASES: Final = tuple(
    (re.compile(rf"\b(?:{said})\b", re.IGNORECASE), meant)
    for said, meant in (
        (r"no more than|not more than|up to|a maximum of|(?:must|may|should) not exceed|not to exceed", "at most"),
        (r"no less than|no fewer than|not less than|a minimum of", "at least"),
        (r"under no circumstances|on no account|at no time|in no case|in no event|by no means", "never"),
        (r"(?:is|are) not (?:allowed|permitted) to|(?:is|are) forbidden to|(?:is|are) prohibited from", "must not"),
        (r"has to|have to|(?:is|are) required to|(?:is|are) obliged to", "must"),
        (r"(?:is|are) to be", "must be"),
        (r"prior to|ahead of", "before"),
        (r"as long as|so long as", "while"),
    )
)
"""Phrases that mean what shorter ones do: two sentences that differ in them alone say the same."""


_NEEDING: Final = re.compile(r"\bneeds? to\b", re.IGNORECASE)


_DENYING_WORD: Final = re.compile(r"\b(?:no|not|never|nobody|nothing|none|neither|nor)\b|n['’]t\b", re.IGNORECASE)


def canonical(text: str) -> str:
    for said, meant in _PHRASES:
        text = said.sub(meant, text)
    return text if _DENYING_WORD.search(text) else _NEEDING.sub("must", text)  # `need not` is no `must not`


class Read:
    """A claim with what else may differ in it; each part is read when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.claim = claim_of(canonical(text))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words, without what only names things."""
        return tuple(words_in(self.claim.text))

    @cached_property
    def _folded(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def question(self) -> bool:
        """It ends as one."""
        return _QUESTION.search(self.claim.text) is not None

    @cached_property
    def soft(self) -> frozenset[str]:
        """Words that ask for less than a duty."""
        return self._folded & SOFT

    @cached_property
    def scope(self) -> Tally[str]:
        """Words that say how far it reaches."""
        return Tally(word for word in self.words if word in SCOPE)

    @cached_property
    def bounds(self) -> frozenset[str]:
        """Words that make a number a limit."""
        return self._folded & BOUNDS

    @cached_property
    def conditions(self) -> frozenset[tuple[str, str, str]]:
        """What it hangs on."""
        return _followers(self.claim.text, CONDITIONS)

    @cached_property
    def directions(self) -> frozenset[tuple[str, str, str]]:
        """Words that point, with what they point to."""
        return _followers(self.claim.text, DIRECTIONS)

    @cached_property
    def content(self) -> Tally[str]:
        """The stems of the words that say something."""
        return Tally(stems_of(self.claim.text))

    @cached_property
    def denied(self) -> frozenset[str]:
        """What a denial stands before: stems and names."""
        return frozenset(after for word, after, _ in self.directions if word in DENYING and after)

    @property
    def values(self) -> frozenset[str]:
        return frozenset(value for _, value in self.claim.exact) | self.claim.handles


DENYING: Final = frozenset(("not", "no", "never", "nobody", "none", "nothing", "neither", "nor"))


_CHUNK: Final = re.compile(r"\S+")


_DIRECTION_STEMS: Final = frozenset(map(stem_of, DIRECTIONS))


_LIGHT: Final = word_set("the a an any to be ever of your our my their his her its")
"""Words that may stand between a word that points and what it points to."""


def _followers(text: str, of: frozenset[str]) -> frozenset[tuple[str, str, str]]:
    """(word, the next one, of a denial also the one after it in its clause); light words aside."""
    told: list[tuple[str, str, bool]] = []  # (word, what it is as a follower, whether its clause ends with it)
    for chunk in _CHUNK.findall(text):
        ends = chunk[-1] in ",;:.!?)"
        if NAMES.fullmatch(chunk):
            told.append(("", chunk.strip(AROUND).rstrip("./"), ends))
            continue
        for word in words(chunk):
            named = "not" if word.endswith("n't") or word in ("cannot", "dont", "cant") else word
            told.append((named, "" if word in _LIGHT else stem_of(word), False))
        if told:
            told[-1] = (*told[-1][:2], ends)
    found: set[tuple[str, str, str]] = set()
    following = ("", "")
    for word, content, ends in reversed(told):
        first, second = ("", "") if ends else following
        if word in of:
            bound = word in DENYING and second not in _DIRECTION_STEMS
            found.add((word, first, second if bound else ""))
        if content:
            following = (content, "" if ends else first)
    return frozenset(found)


_TOLD_WORDS_MIN: Final = 3
"""Fewer words behind a label are its value: `From: Ana` is no sentence."""


TURN_LABEL: Final = re.compile(r"(?:user|agent|system|developer|tool) t\d+: ")
"""How a line of ours names who said what follows."""


_FILLING: Final = NEUTRAL | word_set(
    "one more thing another btw ps oh well hi hello hey thanks thank so ok okay please"
)


def without_opening(text: str) -> str:
    """The words without an opening that says nothing: `One more thing:`."""
    ours = TURN_LABEL.match(text)
    if ours:
        return text[ours.end() :]
    opening = LABEL.match(text)
    if opening is None or not set(words(opening.group())) <= _FILLING:
        return text
    rest = text[opening.end() :]
    return rest if len(words(rest)) >= _TOLD_WORDS_MIN else text


ENGLISH: Final = word_set("the a an is are was were of to in and with for on has have had it its by at from as that be")


@lru_cache(maxsize=16_384)
def known_form(sentence: str) -> str:
    """A sentence as it is compared: evened, without a bullet, a label that says nothing, or a full stop."""
    bare = " ".join(EMPHASIS.sub("", spoken(sentence)).translate(QUOTES).split())
    return without_opening(bare).rstrip(".!。 ").casefold()


REPORTS: Final = word_set("""
    said says stated states suggested suggests suggest recommends recommended prefers preferred asked wants wanted
    decided decides mentioned mentions noted notes insists requires required requested told proposed proposes claims
    claimed warned warns according think thinks believes""")
