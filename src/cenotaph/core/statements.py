"""Sentences of a text, and the reasons why one ranks above another when room is short.

A sentence is cut out whole and verbatim, on one line. Where a full stop may or may not end one, it
does not: a unit of two sentences keeps both, half a sentence can say the opposite of the whole.

A reason says what kind of words a sentence holds, never how important it is. A sentence in a
language without a word list ranks for that alone, so that nothing is lost for being foreign.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from cenotaph.core.handles import extract
from cenotaph.core.wording import (
    ABBREVIATIONS,
    ABBREVIATIONS_BEFORE_NUMBER,
    CLAUSE_STARTERS,
    DENIERS,
    LANGUAGES,
    MARKS,
    NO_DUTY_AFTER_NOT,
    ORDINAL_LEADS,
    OTHER_NEGATION,
    PLAN_STATES,
    PRONOUNS_OF_REPORT,
    STATE_DENIERS,
)

__all__ = [
    "REASONS",
    "Polarity",
    "Sentence",
    "common",
    "denials",
    "polarity",
    "sentences",
    "states",
    "weights",
    "words",
]

REASONS: Final = (
    "negation",
    "modality",
    "number",
    "handle",
    "preference",
    "decision",
    "state",
    "outcome",
    "unknown_language",
)
"""All that `weights` may give."""

Polarity = Literal["must_not", "must", "may", "none"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: `text[start:end]`, verbatim, on one line, without white space around it.

    Attributes:
        start: First character.
        end: One past the last.
    """

    start: int
    end: int


# Sentences ----------------------------------------------------------------------------------------

_BREAK: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]++")
"""Line separators and control characters, a tab too: none of them may stand in a line of ours."""

_CLOSERS: Final = "\"'”’»›)\\]}*_`」』）】》〉"
_STOP: Final = re.compile(rf"[.!?…؟۔։።]++[{_CLOSERS}]*+|[。！？｡．।॥]++[{_CLOSERS}]*+")
_UNSPACED_STOPS: Final = frozenset("。！？｡．।॥")
_FENCE: Final = re.compile(r"(?:`{3,}|~{3,})")
_WHOLE_LINE: Final = re.compile(r"\||#{1,6}\s|\$ |>>> |%% ")
_CODE_ENDS: Final = (";", "{", "}", "},", ");")
_ITEM: Final = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]")
_DOTTED: Final = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_TOKEN_CHARS_MAX: Final = 40
_LONG_WORD_CHARS: Final = 4
"""A full stop after a word of at least this length ends a sentence before a small letter too."""


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order; every character that is no white space lies in exactly one.

    A line break, a control character or a tab always ends one. A list item, a heading, a table row
    and a line of code are sentences of their own; abbreviations, versions, paths, URLs and decimals
    never end one. Time is linear in the text.
    """
    found: list[Sentence] = []
    fenced = False
    position = 0
    for line_break in (*_BREAK.finditer(text), None):
        end = len(text) if line_break is None else line_break.start()
        start = _skip_space(text, position, end)
        if start < end:
            fence = _FENCE.match(text, start) is not None
            found.extend(_of_line(text, start, end, whole=fenced or fence))
            fenced ^= fence
        position = end if line_break is None else line_break.end()
    return found


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _skip_space_left(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _of_line(text: str, start: int, end: int, *, whole: bool) -> Iterator[Sentence]:
    end = _skip_space_left(text, start, end)
    if whole or _WHOLE_LINE.match(text, start) or text.endswith(_CODE_ENDS, start, end):
        yield Sentence(start, end)
        return
    first = start
    for stop in _STOP.finditer(text, start, end):
        if stop.end() >= end:
            break
        following = _skip_space(text, stop.end(), end)
        if _ends_here(text, first, stop, following, end):
            yield Sentence(first, stop.end())
            first = following
    if first < end:
        yield Sentence(first, end)


def _ends_here(text: str, first: int, stop: re.Match[str], following: int, end: int) -> bool:
    """Whether the sentence that began at `first` ends with this stop."""
    sign = text[stop.start()]
    if sign in _UNSPACED_STOPS:
        return True
    if following == stop.end():
        return False  # a stop inside a name, a number, a path
    small = text[following].islower()
    word = _word_before(text, first, stop.start())
    if sign != "." or stop.group().startswith(".."):
        return not small
    if not word or _ITEM.fullmatch(text, first, stop.start() + 1):
        return False
    lowered = word.lower()
    if lowered in ABBREVIATIONS or _DOTTED.fullmatch(word) or (len(word) == 1 and word.isalpha()):
        return False
    if lowered in ABBREVIATIONS_BEFORE_NUMBER and text[following].isdigit():
        return False
    if word.isdigit() and len(word) <= 2:
        before = _word_before(text, first, _skip_space_left(text, first, stop.start() - len(word)))
        if before.lower() in ORDINAL_LEADS:
            return False
    return not small or (len(word) >= _LONG_WORD_CHARS and word.isalpha())


def _word_before(text: str, first: int, at: int) -> str:
    """What stands between the white space or bracket before `at` and `at`; "" if that is too far."""
    start = max(first, at - _TOKEN_CHARS_MAX)
    return re.split(r"[\s(\[{\"'«“„]", text[start:at])[-1]


# Words --------------------------------------------------------------------------------------------

_MARKED: Final = "\u0300-\u036f\u064b-\u0652\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u200c\u200d"
"""What belongs to the letter before it: accents, vowel signs, joiners."""

_LETTERS: Final = rf"(?:[^\W\d_]|[{_MARKED}])++"
_WORD: Final = re.compile(rf"{_LETTERS}(?:'{_LETTERS})*+")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_UNKNOWN_LETTER: Final = re.compile(
    "(?![A-Za-z\u00aa-\u024f\u02b0-\u02ff\u1e00-\u1eff\u0400-\u04ff\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff"
    "\ufe70-\ufeff\u0900-\u097f\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
    "\uff00-\uffef])[^\\W\\d_]"
)
_FOREIGN_LETTER: Final = re.compile("[åøæłśćżźńęąğşıčřšžůőűđășțþðѓѕіїєґўјљњћџپچژگکیےہں]")
"""Letters of known scripts that no known language writes with."""

_APOSTROPHES: Final = str.maketrans("’ʼ＇", "'''")
_CLAUSE: Final = re.compile(r"[,;:()\[\]–—،、，；：]|\s-\s")
_COMMON_SHARE_MIN: Final = 6
"""A sentence is in a language if one word in this many is a common word of it."""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).translate(_APOSTROPHES).casefold()


def words(text: str) -> list[str]:
    """The words of a text, folded: letters and apostrophes, no digits."""
    return _WORD.findall(_folded(text))


def _parts(word: str) -> tuple[str, ...]:
    """The word and, where it holds an apostrophe, what stands before (with it) and after it."""
    head, mark, tail = word.partition("'")
    return (word, head + mark, tail) if mark else (word,)


class _Lexicon:
    """Named word lists, looked up in one pass over the words of a sentence."""

    def __init__(self, lists: Iterable[tuple[str, str, bool]]) -> None:
        """Args:
        lists: (name, entries, spaced) as in `core.wording`.
        """
        exact: dict[str, set[str]] = {}
        prefixes: dict[str, set[str]] = {}
        phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        anywhere: dict[str, list[str]] = {}
        for name, entries, spaced in lists:
            for entry in _folded(entries).split():
                rest = entry.replace("-", "_").split("_")
                if not spaced or not _WORD.match(entry):
                    anywhere.setdefault(name, []).append(entry.replace("_", " "))
                elif len(rest) > 1:
                    phrases.setdefault(rest[0], []).append((tuple(rest[1:]), name))
                elif entry.endswith("*"):
                    prefixes.setdefault(entry[:-1], set()).add(name)
                else:
                    exact.setdefault(entry, set()).add(name)
        self._exact = {word: frozenset(names) for word, names in exact.items()}
        self._prefixes = {word: frozenset(names) for word, names in prefixes.items()}
        self._lengths = sorted({len(prefix) for prefix in prefixes})
        self._phrases = {word: tuple(found) for word, found in phrases.items()}
        self._anywhere = {
            name: re.compile("|".join(map(re.escape, sorted(entries, key=len, reverse=True))))
            for name, entries in anywhere.items()
        }

    def of_word(self, word: str) -> frozenset[str]:
        """The lists that hold a folded word."""
        names: frozenset[str] = frozenset()
        for part in _parts(word):
            names |= self._exact.get(part, frozenset())
            for length in self._lengths:
                if length > len(part):
                    break
                names |= self._prefixes.get(part[:length], frozenset())
        return names

    def phrases_at(self, tokens: Sequence[str], at: int) -> Iterator[tuple[str, int]]:
        """(name, number of words) of each phrase that begins at a word."""
        for rest, name in self._phrases.get(tokens[at], ()):
            if len(tokens) - at > len(rest) and all(map(_same, rest, tokens[at + 1 : at + 1 + len(rest)])):
                yield name, len(rest) + 1

    def anywhere(self, folded: str) -> Iterator[tuple[str, int, int]]:
        """(name, start, end) of each entry that needs no space around it."""
        if folded.isascii():
            return  # no script that is written without spaces
        for name, pattern in self._anywhere.items():
            for match in pattern.finditer(folded):
                yield name, match.start(), match.end()

    def names(self, folded: str, tokens: Sequence[str]) -> set[str]:
        """All lists with an entry in the sentence."""
        found = {name for name, _, _ in self.anywhere(folded)}
        for at, token in enumerate(tokens):
            found |= self.of_word(token)
            found.update(name for name, _ in self.phrases_at(tokens, at))
        return found


def _same(entry: str, word: str) -> bool:
    return word.startswith(entry[:-1]) if entry.endswith("*") else word == entry


_RANKS: Final = ("negation", "modality", "preference", "decision", "state", "outcome")
_FIELDS: Final = (*_RANKS, "numbers")
_RANKING: Final = _Lexicon(
    [
        *((field, getattr(language, field), language.spaced) for language in LANGUAGES for field in _FIELDS),
        *((reason, mark, False) for mark, reason in MARKS.items()),
        ("negation", OTHER_NEGATION, True),
    ]
)
_COMMON: Final = _Lexicon((language.code, language.common, language.spaced) for language in LANGUAGES)
_POLARITY: Final = _Lexicon(
    [
        *(
            (field, getattr(language, field), language.spaced)
            for language in LANGUAGES
            for field in ("prohibition", "obligation", "permission")
        ),
        ("denial", DENIERS, True),
    ]
)
_STATES: Final = _Lexicon(
    (state, entry, _UNSPACED.search(entry) is None)
    for state, entries in PLAN_STATES.items()
    for entry in entries.split()
)
_INNOCENT: Final[Mapping[str, frozenset[str]]] = {
    language.code: frozenset(_folded(language.innocent).split()) for language in LANGUAGES
}


@lru_cache(maxsize=65_536)
def _facts(word: str) -> tuple[frozenset[str], frozenset[str]]:
    """(reasons, languages) of one word."""
    denied = frozenset({"negation"}) if word.endswith("n't") else frozenset()
    return _RANKING.of_word(word) | denied, _COMMON.of_word(word)


def _languages(folded: str, tokens: Sequence[str]) -> frozenset[str]:
    """The languages that a sentence may be in; empty if none that is known."""
    if _UNKNOWN_LETTER.search(folded) or _FOREIGN_LETTER.search(folded):
        return frozenset()
    counts: dict[str, int] = {}
    for token in tokens:
        for language in _facts(token)[1]:
            counts[language] = counts.get(language, 0) + 1
    best = max(counts.values(), default=0)
    known = {code for code, count in counts.items() if count == best and count * _COMMON_SHARE_MIN >= len(tokens)}
    if _UNSPACED.search(folded):
        known |= {name for name, _, _ in _COMMON.anywhere(folded)}
    return frozenset(known)


def weights(sentence: str) -> frozenset[str]:
    """The reasons why a sentence ranks, from `REASONS`; empty if it may go first.

    A sentence without any letter has no language to be unknown.
    """
    folded = _folded(sentence)
    tokens = _WORD.findall(folded)
    languages = _languages(folded, tokens)
    reasons: set[str] = set()
    if tokens and not languages:
        reasons.add("unknown_language")
    innocent = frozenset().union(*(_INNOCENT[code] for code in languages)) if len(languages) == 1 else frozenset()
    for at, token in enumerate(tokens):
        if token not in innocent:
            reasons |= _facts(token)[0]
        reasons.update(name for name, _ in _RANKING.phrases_at(tokens, at))
    reasons.update(name for name, _, _ in _RANKING.anywhere(folded))
    if "numbers" in reasons or any(map(str.isdecimal, folded)):
        reasons.add("number")
    if extract(sentence):
        reasons.add("handle")
    return frozenset(reasons - {"numbers"})


def common(word: str) -> bool:
    """Whether a word is a common one of some language that we know."""
    return bool(_facts(_folded(word))[1])


def denials(sentence: str) -> int:
    """How many words of a sentence deny something; for scripts without spaces, how many entries do."""
    folded = _folded(sentence)
    tokens = _WORD.findall(folded)
    spoken = [t for t in tokens if "denial" in _POLARITY.of_word(t) or t.endswith("n't") or t == "without"]
    return len(spoken) + len([name for name, _, _ in _RANKING.anywhere(folded) if name == "negation"])


def number_word(word: str) -> bool:
    """Whether a word is a number, a weekday or a month, from two on."""
    return "numbers" in _RANKING.of_word(_folded(word))


def ranked_word(word: str) -> frozenset[str]:
    """The reasons for which one word ranks."""
    return _facts(_folded(word))[0] - {"numbers"}


def polarity(sentence: str) -> Polarity:
    """What a sentence says may be done: the strictest reading that its words allow.

    `do not X` is a prohibition unless a pronoun of report stands before it (`I do not know`). In
    doubt a denial beside a permission or an obligation is a prohibition too: a word list cannot tell
    `must not` from `need not` in every language, and the safe side is the strict one.
    """
    folded = _folded(sentence)
    tokens = _WORD.findall(folded)
    names = _POLARITY.names(folded, tokens)
    spoken = {reading for at in range(len(tokens)) if (reading := _denied_verb(tokens, at)) is not None}
    denied = "denial" in names or any(token.endswith("n't") for token in tokens)
    if "prohibition" in names or "must_not" in spoken or _denial_first(folded) or _denied_infinitive(tokens, denied):
        return "must_not"
    if spoken:
        return "must" if "must" in spoken else "may"
    if denied and names & {"obligation", "permission"}:
        return "must_not"
    if "obligation" in names:
        return "must"
    return "may" if "permission" in names else "none"


def _denied_verb(tokens: Sequence[str], at: int) -> Polarity | None:
    """What an English `do not` or `cannot` at a word says; None if there is none, or it reports."""
    if tokens[at] in ("don't", "dont", "cannot", "can't", "cant"):
        after = at + 1
    elif tokens[at] in ("do", "can") and tokens[at + 1 : at + 2] == ["not"]:
        after = at + 2
    else:
        return None
    if at and tokens[at - 1] in PRONOUNS_OF_REPORT:
        return None
    verb = tokens[after] if after < len(tokens) else ""
    if verb == "forget":
        return "must"
    return "may" if verb in NO_DUTY_AFTER_NOT else "must_not"


def _denial_first(folded: str) -> bool:
    """Whether a clause begins with what denies: `no deploys on Friday`, `ne touche pas`, `не трогай`."""
    for clause in _CLAUSE.split(folded):
        tokens = _WORD.findall(clause)
        while tokens and tokens[0] in CLAUSE_STARTERS:
            tokens = tokens[1:]
        if len(tokens) < 2 or _denied_verb(tokens, 0) is not None or tokens[0] in ("neither", "nor"):
            continue
        if "denial" in _POLARITY.of_word(tokens[0]):
            return True
    return False


def _denied_infinitive(tokens: Sequence[str], denied: bool) -> bool:
    """German and Dutch command by the infinitive, last: `die Datei nicht ändern`."""
    if not denied or not tokens or not tokens[-1].endswith(("en", "eln", "ern")):
        return False
    return any(_facts(token)[1] & {"de", "nl"} for token in tokens)


# States of a plan ---------------------------------------------------------------------------------

_BOX: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+\[([ xX~/!-])\](?=[ \t])")
_BOXES: Final = {" ": "pending", "x": "done", "~": "in_progress", "/": "in_progress", "!": "blocked", "-": "cancelled"}
_QUALIFIER: Final = re.compile(r"[\"'`*_]*+[ \t]*+(?::[ \t]|(\()|(?:on|by|until|for|pending|auf|por|par|bis)[ \t])")
_QUALIFIER_END: Final = re.compile(r"[;|]|[.!?](?=\s|$)")
_QUALIFIER_CHARS_MAX: Final = 200


def states(text: str) -> list[tuple[int, int, str]]:
    """(start, end, state) of each plan state that a text names, in order; disjoint.

    The span holds the state's own words with their qualifier (`blocked: waits for approval of X`), so
    `text[start:end]` is verbatim. A box of a checklist is a state. What is denied is not one: `not
    done` is pending, `not blocked` is nothing.
    """
    found: list[tuple[int, int, str]] = []
    for sentence in sentences(text):
        found.extend(_states_of(text, sentence))
    return found


def _states_of(text: str, sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    marks = sorted({*_boxes(text, sentence), *_state_words(text, sentence)})
    limits = [sentence.end] * len(marks)
    for at in range(len(marks) - 1, 0, -1):
        following = marks[at][0]
        limits[at - 1] = following if text[following - 2 : following] in (", ", "; ") else limits[at]
    done = sentence.start
    for (start, end, state), limit in zip(marks, limits, strict=True):
        if start >= done:
            done = _with_qualifier(text, end, limit)
            yield start, done, state


def _boxes(text: str, sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    box = _BOX.match(text, sentence.start, sentence.end)
    if box:
        yield box.start(1) - 1, box.end(1) + 1, _BOXES[box[1].lower()]


def _state_words(text: str, sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    plain = text[sentence.start : sentence.end].translate(_APOSTROPHES)
    places = [(sentence.start + match.start(), sentence.start + match.end()) for match in _WORD.finditer(plain)]
    tokens = [_folded(text[start:end]) for start, end in places]
    for at, (start, _) in enumerate(places):
        named = [(name, 1) for name in _STATES.of_word(tokens[at])] + list(_STATES.phrases_at(tokens, at))
        for state, count in named:
            last = places[at + count - 1][1]
            if count > 1 and re.fullmatch(r"[^\W\d_' -]*+(?:[ _-]+[^\W\d_]++)*+", text[start:last]) is None:
                continue
            denied = bool(STATE_DENIERS & set(tokens[max(0, at - 2) : at]))
            if not denied:
                yield start, last, state
            elif state == "done":
                yield places[at - 1][0], last, "pending"
    for state, start, end in _STATES.anywhere(plain):
        yield sentence.start + start, sentence.start + end, state


def _with_qualifier(text: str, end: int, limit: int) -> int:
    """Where the state's words end with what qualifies them."""
    opened = _QUALIFIER.match(text, end, limit)
    if opened is None:
        return end
    limit = min(limit, opened.end() + _QUALIFIER_CHARS_MAX)
    if opened[1]:
        closing = text.find(")", opened.end(), limit)
        return closing + 1 if closing >= 0 else end
    stop = _QUALIFIER_END.search(text, opened.end(), limit)
    last = _skip_space_left(text, end, stop.start() if stop else limit)
    return max(end, last - text.endswith((",", ";"), end, last))
