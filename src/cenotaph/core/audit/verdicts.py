"""What became of a statement: held against every text that is read afterwards, by structure alone.

First the statement's own words are looked for. A copy counts only with what stands around it: who is said to
say it, what cancels it, what is added to it. Then whatever shares its things or its words is asked whether it
says the opposite. Where no copy stands, the sentence that is nearest decides, if structure shows what changed;
else nobody can tell. Nothing is called preserved or in other words unless each part of that was shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from cenotaph.core.audit.model import Evidence, Judgement, Passage, Statement, Verdict
from cenotaph.core.audit.verdict_words import (
    ADDED,
    BOUNDS,
    CANCELLING,
    CONDITIONS,
    DIRECTIONS,
    NEUTRAL,
    OTHERS,
    PERMITTING,
    READING,
    RULE_NOUNS,
    SCOPE,
    SOFT,
    SPEAKERS,
    SYNONYMS,
    word_set,
)
from cenotaph.core.claims import Claim, claim_of, stem
from cenotaph.core.model import Provenance
from cenotaph.core.statements import common, sentences, words
from cenotaph.core.tombstone import looks_like_marker
from cenotaph.core.wording import DENIERS as _DENIER_WORDS
from cenotaph.core.wording import IMPERATIVES

__all__ = ["judge"]

_GOOD: Final = (Verdict.preserved, Verdict.paraphrased)
_PRECEDENCE: Final = (Verdict.contradicted, Verdict.mutated, Verdict.weakened, Verdict.dropped)
_NEAR: Final = (2, 5)
"""A sentence that shares this share of a statement's words is about it, whatever else it names."""
_CLOSE: Final = (3, 5)
"""A sentence that shares this share of them tells the same, or what it tells was changed."""
_CANDIDATES_MAX: Final = 12
"""Sentences that are looked at closely for one statement, the nearest first."""
_FRAME_WORDS_MAX: Final = 12
"""More words before or after a copy are a statement of their own and no frame of it."""
_FOLLOWERS_MAX: Final = 2
"""Sentences after a copy in which it may be spoken of without its words."""


def judge(
    statements: Sequence[Statement], passages: Sequence[Passage], known: Collection[str] = ()
) -> list[Judgement]:
    """What became of each statement.

    Args:
        statements: In any order.
        passages: Every text that is read afterwards.
        known: Sentences that people and the system said before, their white space evened: where one of them
            stands, it is that one and no version of another.

    Returns:
        One judgement per statement, in their order. A statement of several sentences has the verdict of the
        worst of them, unless all of it stands verbatim.
    """
    index = _Index(passages, known)
    return [_judged(statement, index) for statement in statements]


# Texts ----------------------------------------------------------------------------------------------

_EMPHASIS: Final = re.compile(r"(\*\*|__)(?=\S)|(?<=\S)(\*\*|__)|`++")
_RUN: Final = re.compile(r"(?P<mark>(?:\*\*|__)(?=\S)|(?<=\S)(?:\*\*|__)|`+)|(?P<space>\s+)|(?P<told>[^\s*_`]+|[*_])")
_QUOTES: Final = str.maketrans("“”„«»’‘–—", "\"\"\"\"\"''--")
_OPENERS: Final = "\"'([{<*_-+•·#> \t\n"
_TIGHT: Final = re.compile(r"[\w/@:$%&=+~\\#-]")
_ENDS: Final = ".!?…。！？ \t\n\"')]}*_`;,:"


class _Text:
    """A passage with its white space and its marks evened out, and where each character of that stands in it."""

    def __init__(self, passage: Passage, number: int) -> None:
        self.passage = passage
        self.number = number
        self.plain, self.places = _evened(passage.text)

    @cached_property
    def units(self) -> list[_Unit]:
        """The sentences, in order."""
        text = self.passage.text
        return [_Unit(self, at, one.start, one.end) for at, one in enumerate(sentences(text))]

    def unit_at(self, place: int) -> int:
        """Index of the sentence that a place lies in, or of the next one."""
        low, high = 0, len(self.units)
        while low < high:
            middle = (low + high) // 2
            if self.units[middle].end <= place:
                low = middle + 1
            else:
                high = middle
        return min(low, len(self.units) - 1)

    def copies(self, wanted: str) -> Iterator[tuple[int, int]]:
        """(start, end) in the passage of each whole copy of evened words."""
        for first in {wanted, wanted[:1].swapcase() + wanted[1:]}:
            at = self.plain.find(first)
            while at >= 0:
                end = at + len(first)
                if _stands_alone(self.plain, at, end):
                    yield self.places[at], self.places[end - 1] + 1
                at = self.plain.find(first, at + 1)


def _evened(text: str) -> tuple[str, list[int]]:
    """The text with one space for each white space, without emphasis, quotation marks as one kind; and its places."""
    if text.isascii() and not _EMPHASIS.search(text) and "  " not in text and not re.search(r"[\t\n\r\f\v]", text):
        return text, list(range(len(text)))
    plain: list[str] = []
    places: list[int] = []
    spaced = False
    for found in _RUN.finditer(text.translate(_QUOTES)):
        if found.lastgroup == "mark":
            continue
        if found.lastgroup == "space":
            if not spaced:
                plain.append(" ")
                places.append(found.start())
            spaced = True
            continue
        plain.append(found.group())
        places.extend(range(found.start(), found.end()))
        spaced = False
    return "".join(plain), places


def _stands_alone(plain: str, start: int, end: int) -> bool:
    """Whether what stands there is no part of a longer word, path or number."""
    if start and (_TIGHT.match(plain[start - 1]) or plain[start - 1] in "~."):
        return False
    if end >= len(plain):
        return True
    after = plain[end : end + 2]
    if _TIGHT.match(after[0]) and _TIGHT.match(plain[end - 1]):
        return False
    return not (after[0] in ".,:" and len(after) > 1 and _TIGHT.match(after[1]) is not None)


_MAY_END: Final = re.compile(r"[.!?]\s+(?=\S)")


@dataclass(eq=False)
class _Unit:
    """One sentence of a passage."""

    text: _Text
    at: int
    start: int
    end: int
    fixed: str | None = field(default=None)

    @cached_property
    def words_of(self) -> str:
        return self.text.passage.text[self.start : self.end] if self.fixed is None else self.fixed

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(_stems_of(self.words_of))

    @cached_property
    def form(self) -> str:
        return _known_form(self.words_of)

    @cached_property
    def claim(self) -> _Read:
        return _Read(_without_opening(_spoken(self.words_of)))

    @cached_property
    def folded(self) -> frozenset[str]:
        return frozenset(_words_in(self.words_of))

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Chunks that look like the name of something."""
        return tuple(chunk.strip(_AROUND).rstrip("./") for chunk in _NAMES.findall(self.words_of))

    @cached_property
    def apart(self) -> list[_Unit]:
        """The sentence, and each part of it behind which a full stop may end one."""
        told = self.words_of
        cuts = [self.start, *(self.start + found.end() for found in _MAY_END.finditer(told)), self.end]
        parts = [_Unit(self.text, self.at, start, end) for start, end in pairwise(cuts)]
        return [self, *parts] if len(parts) > 1 and self.fixed is None else [self]

    def evidence(self, statement: Statement, note: str) -> Evidence:
        passage = self.text.passage
        return Evidence(_place(statement), (self.start, self.end), passage.message, passage.part, note)


class _Index:
    """All sentences of all passages, found by the stems and the things in them."""

    def __init__(self, passages: Sequence[Passage], known: Collection[str] = ()) -> None:
        self._known = known
        self.texts = [_Text(passage, number) for number, passage in enumerate(passages) if passage.text]

    @cached_property
    def known(self) -> frozenset[str]:
        """What was said before, as it is compared."""
        return frozenset(map(_known_form, self._known))

    @cached_property
    def by_stem(self) -> dict[str, list[_Unit]]:
        found: defaultdict[str, list[_Unit]] = defaultdict(list)
        for text in self.texts:
            for unit in text.units:
                if not looks_like_marker(unit.words_of):
                    for word in unit.stems:
                        found[word].append(unit)
        return found

    def sharing(self, stems: Iterable[str]) -> Tally[_Unit]:
        """Sentences that share stems, with how many."""
        tally: Tally[_Unit] = Tally()
        for word in stems:
            tally.update(self.by_stem.get(word, ()))
        return tally

    def naming(self, pieces: Iterable[str]) -> set[_Unit]:
        """Sentences in which one of these pieces of text stands."""
        found: set[_Unit] = set()
        for piece in pieces:
            for text in self.texts:
                if piece in text.passage.text:
                    found.update(unit for unit in text.units if piece in unit.words_of)
        return found


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    found = stem(stem(word))
    return next((min(same) for same in _SYNONYM_STEMS if found in same), found)


_SYNONYM_STEMS: Final = tuple(frozenset(stem(stem(word)) for word in same) for same in SYNONYMS)


_AROUND: Final = "`\"'()[]{}<>,;:!?*"
_NAMES: Final = re.compile(r"(?<!\S)(?=\S*[/\\=@_\d])\S++|(?<![\w.])\w++(?:\.\w++)++")
"""Paths, settings, addresses, numbers: what has letters in it and is no word."""


def _names_in(text: str) -> set[str]:
    """What names something in a text: paths, ids, dotted and hyphened names."""
    found = {chunk.strip(_AROUND).rstrip("./") for chunk in _NAMES.findall(text)}
    return found | (set(_HYPHENED.findall(text)) - _PLAIN_HYPHENED)


def _is_no_number(piece: str) -> bool:
    return any(map(str.isalpha, piece)) or piece.startswith("#") or piece.count(".") > 1


_HYPHENED: Final = re.compile(r"(?<![\w-])[^\W\d_]{2,}+(?:-[^\W\d_]{2,}+)++")
_PLAIN_HYPHENED: Final = word_set(
    "read-only write-only byte-identical up-to-date follow-up one-off ad-hoc long-term short-term opt-in opt-out"
)


def _words_in(text: str) -> list[str]:
    """The words of a text without what only names things."""
    return words(_NAMES.sub(" ", text))


def _stems_of(text: str) -> list[str]:
    """The stems of the words that say something, in order."""
    return [_stem(word) for word in _words_in(text) if len(word) > 2 and not common(word)]


# A sentence, read -----------------------------------------------------------------------------------

_BULLET: Final = re.compile(r"(?:[-*+•·]|\(?\d{1,3}[.)]|#{1,6}|>)\s+(?:\[[ xX~/!-]\]\s+)?")
_LABEL: Final = re.compile(r"[^:.!?\n]{1,60}?:\s+(?=\S)")
_ASKED: Final = re.compile(r"[\s\"')\]*_`.]*[?？]")
_QUESTION: Final = re.compile(r"[?？]\s*[\"')\]*_`]*\s*$")


def _spoken(text: str) -> str:
    """The words of a sentence without a bullet before them."""
    bullet = _BULLET.match(text)
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


def _canonical(text: str) -> str:
    for said, meant in _PHRASES:
        text = said.sub(meant, text)
    return text if _DENYING_WORD.search(text) else _NEEDING.sub("must", text)  # `need not` is no `must not`


class _Read:
    """A claim with what else may differ in it."""

    def __init__(self, text: str) -> None:
        claim = claim_of(_canonical(text))
        self.claim = claim
        self.words = tuple(_words_in(claim.text))
        folded = frozenset(self.words)
        self.question = _QUESTION.search(claim.text) is not None
        self.soft = folded & SOFT
        self.scope = Tally(word for word in self.words if word in SCOPE)
        self.bounds = folded & BOUNDS
        self.conditions = _followers(claim.text, CONDITIONS)
        self.directions = _followers(claim.text, DIRECTIONS)
        self.content = Tally(_stems_of(claim.text))

    @cached_property
    def denied(self) -> frozenset[str]:
        """What a denial stands before: stems and names."""
        return frozenset(after for word, after, _ in self.directions if word in _DENYING and after)

    @property
    def values(self) -> frozenset[str]:
        return frozenset(value for _, value in self.claim.exact) | self.claim.handles


_DENYING: Final = frozenset(("not", "no", "never", "nobody", "none", "nothing", "neither", "nor"))


_CHUNK: Final = re.compile(r"\S+")
_DIRECTION_STEMS: Final = frozenset(map(_stem, DIRECTIONS))
_LIGHT: Final = word_set("the a an any to be ever of your our my their his her its")
"""Words that may stand between a word that points and what it points to."""


def _followers(text: str, of: frozenset[str]) -> frozenset[tuple[str, str, str]]:
    """(word, the next one, of a denial also the one after it in its clause); light words aside."""
    told: list[tuple[str, str, bool]] = []  # (word, what it is as a follower, whether its clause ends with it)
    for chunk in _CHUNK.findall(text):
        ends = chunk[-1] in ",;:.!?)"
        if _NAMES.fullmatch(chunk):
            told.append(("", chunk.strip(_AROUND).rstrip("./"), ends))
            continue
        for word in words(chunk):
            named = "not" if word.endswith("n't") or word in ("cannot", "dont", "cant") else word
            told.append((named, "" if word in _LIGHT else _stem(word), False))
        if told:
            told[-1] = (*told[-1][:2], ends)
    found: set[tuple[str, str, str]] = set()
    following = ("", "")
    for word, content, ends in reversed(told):
        first, second = ("", "") if ends else following
        if word in of:
            bound = word in _DENYING and second not in _DIRECTION_STEMS
            found.add((word, first, second if bound else ""))
        if content:
            following = (content, "" if ends else first)
    return frozenset(found)


# Judging --------------------------------------------------------------------------------------------


def _place(statement: Statement) -> tuple[int, int]:
    return (statement.start, statement.end) if statement.ref is not None else (0, len(statement.text))


def _judged(statement: Statement, index: _Index) -> Judgement:
    parts = [statement.text[one.start : one.end] for one in sentences(statement.text)]
    parts = [part for part in parts if words(part)] or [statement.text]
    whole = _Statement(statement, statement.text)
    verdict, evidence = _of_copies(whole, index)
    if verdict is None and len(parts) > 1:
        verdict, evidence = _of_parts(statement, parts, index)
    elif verdict is None:
        verdict, evidence = _of_others(whole, index)
    return Judgement(statement, verdict, evidence or (Evidence(_place(statement)),))


_Found = tuple[Verdict, tuple[Evidence, ...]]


def _of_parts(statement: Statement, parts: Sequence[str], index: _Index) -> _Found:
    """The worst of what became of each sentence; some kept and some gone is less than all."""
    found: list[_Found] = []
    for part in parts:
        one = _Statement(statement, part)
        verdict, evidence = _of_copies(one, index)
        found.append((verdict, evidence) if verdict is not None else _of_others(one, index))
    verdicts = {verdict for verdict, _ in found}
    evidence = tuple(place for _, places in found for place in places)
    if verdicts <= set(_GOOD):
        return (max(verdicts, key=_GOOD.index), evidence)
    for verdict in _PRECEDENCE[:2]:
        if verdict in verdicts:
            return verdict, _first(found, verdict)
    if verdicts == {Verdict.dropped}:
        return Verdict.dropped, ()
    if Verdict.weakened in verdicts or (Verdict.dropped in verdicts and verdicts & set(_GOOD)):
        return Verdict.weakened, _first(found, Verdict.weakened) or evidence
    return Verdict.unverifiable, evidence


def _first(found: Sequence[_Found], verdict: Verdict) -> tuple[Evidence, ...]:
    return next((places for one, places in found if one is verdict), ())


_TOLD_WORDS_MIN: Final = 3
"""Fewer words behind a label are its value: `From: Ana` is no sentence."""
_TURN_LABEL: Final = re.compile(r"(?:user|agent|system|developer|tool) t\d+: ")
"""How a line of ours names who said what follows."""
_FILLING: Final = NEUTRAL | word_set(
    "one more thing another btw ps oh well hi hello hey thanks thank so ok okay please"
)


def _without_opening(text: str) -> str:
    """The words without an opening that says nothing: `One more thing:`."""
    ours = _TURN_LABEL.match(text)
    if ours:
        return text[ours.end() :]
    opening = _LABEL.match(text)
    if opening is None or not set(words(opening.group())) <= _FILLING:
        return text
    rest = text[opening.end() :]
    return rest if len(words(rest)) >= _TOLD_WORDS_MIN else text


class _Statement:
    """What is judged, read once."""

    def __init__(self, statement: Statement, text: str) -> None:
        self.statement = statement
        self.text = text
        self.provenance = statement.provenance
        bare = _evened(_spoken(text))[0].strip()
        self.bare = bare.rstrip(".!。 ").strip("\"' ") or bare
        self.core = _without_opening(self.bare)
        self.speakers = SPEAKERS.get(statement.provenance.value, frozenset())

    @cached_property
    def read(self) -> _Read:
        return _Read(_without_opening(_spoken(self.text)))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(_stems_of(_without_opening(_spoken(self.text))))

    @cached_property
    def pieces(self) -> frozenset[str]:
        """Texts by which a sentence may name what the statement names."""
        found = {value.rstrip("/") for value in self.read.claim.handles}
        found |= _names_in(self.text)
        return frozenset(piece for piece in found if len(piece) > 2 and _is_no_number(piece))

    @property
    def binding(self) -> bool:
        """It forbids or obliges."""
        return self.read.claim.polarity in ("must_not", "must")


# Copies ---------------------------------------------------------------------------------------------


def _of_copies(one: _Statement, index: _Index) -> tuple[Verdict | None, tuple[Evidence, ...]]:
    """What the copies of a statement's words say; None if no words of it stand whole."""
    found: list[tuple[Verdict, Evidence]] = []
    clean: list[tuple[_Text, int, int]] = []
    copies: list[tuple[_Text, int, int]] = []
    whole = Verdict.preserved
    for wanted in dict.fromkeys((one.bare, one.core)):
        for text in index.texts:
            for start, end in text.copies(wanted):
                if _is_another(one, text.units[text.unit_at(start)], index):
                    continue  # words of another statement that hold these
                verdict, note = _around(one, text, start, end)
                passage = text.passage
                place = Evidence(_place(one.statement), (start, end), passage.message, passage.part, note)
                found.append((verdict, place))
                copies.append((text, start, end))
                if verdict is Verdict.preserved:
                    clean.append((text, start, end))
        if found:
            whole = Verdict.preserved if wanted == one.bare else Verdict.paraphrased
            break
    if not found:
        return None, ()
    if places := _of(found, Verdict.contradicted):
        return Verdict.contradicted, places
    against = _against(one, index, clean, copies)
    if clean and against is not None:
        verdict, evidence = against
        return verdict, (evidence, *_of(found, Verdict.preserved))
    if clean:
        return whole, _of(found, Verdict.preserved)
    for verdict in (*_PRECEDENCE[:3], Verdict.unverifiable):
        if places := _of(found, verdict):
            return verdict, places
    return Verdict.unverifiable, ()


def _of(found: Sequence[tuple[Verdict, Evidence]], verdict: Verdict) -> tuple[Evidence, ...]:
    return tuple(evidence for one, evidence in found if one is verdict)


def _around(one: _Statement, text: _Text, start: int, end: int) -> tuple[Verdict, str]:
    """What the words around a copy make of it."""
    passage = text.passage
    if passage.provenance not in (one.provenance, Provenance.foreign, Provenance.compactor):
        return Verdict.mutated, f"said by {passage.provenance.value}"
    first, last = text.units[text.unit_at(start)], text.units[text.unit_at(end - 1)]
    if looks_like_marker(passage.text[first.start : last.end]):
        return Verdict.unverifiable, "inside a marker"
    before, after = passage.text[first.start : start], passage.text[end : _line_end(text, last)]
    if "~~" in before or "~~" in after:
        return Verdict.contradicted, "struck out"
    ours = _TURN_LABEL.fullmatch(before.strip() + " ")
    if ours is not None:
        speaker = before.split(" ", 1)[0]
        same = speaker == one.provenance.value
        return (Verdict.preserved, "") if same else (Verdict.mutated, f"put down to {speaker}")
    lead = _lead(text, first) if not _bare(before) or not _BULLET.match(before + "x") else ""
    verdict, note = _prefix(one, f"{lead} {before}".strip().rsplit(". ", 1)[-1])
    if verdict is Verdict.preserved:
        verdict, note = _suffix(one, after)
    if verdict is Verdict.preserved:
        verdict, note = _headed(one, text, first)
    return verdict, note


def _line_end(text: _Text, last: _Unit) -> int:
    """Where the sentence of a copy ends: one that goes on after a quotation ends with it."""
    if last.at + 1 == len(text.units):
        return last.end
    following = text.units[last.at + 1]
    gap = text.passage.text[last.end : following.start]
    return following.end if "\n" not in gap and following.words_of[:1].islower() else last.end


def _bare(before: str) -> str:
    """What stands before a copy without bullets, brackets and quotation marks."""
    return _BULLET.sub("", before.strip()).strip(_OPENERS)


def _lead(text: _Text, first: _Unit) -> str:
    """The sentence before, if its line runs on into this one: a text that was wrapped."""
    if first.at == 0:
        return ""
    before = text.units[first.at - 1]
    gap = text.passage.text[before.end : first.start]
    told = before.words_of.rstrip()
    own = any(form.match(first.words_of) for form in (_BULLET, _TURN_LABEL)) or first.words_of[:1].isupper()
    runs_on = gap.count("\n") == 1 and told[-1:] not in ".!?:;。！？" and not own and not told.startswith("#")
    return told if runs_on else ""


def _prefix(one: _Statement, before: str) -> tuple[Verdict, str]:
    told = words(_bare(before))
    if not told:
        odd = any(not (sign.isascii() or sign in _HARMLESS or sign.isspace()) for sign in before) or "~" in before
        return (Verdict.unverifiable, "behind a sign") if odd else (Verdict.preserved, "")
    said = set(told)
    note = f"after: {before.strip()[-80:]}"
    others = said & OTHERS - one.speakers
    if len(told) > _FRAME_WORDS_MAX:
        return Verdict.unverifiable, note  # a sentence of its own: what it makes of the copy nobody can tell
    if said & CANCELLING or _denied_report(told):
        return Verdict.contradicted, f"taken back: {before.strip()[-80:]}"
    if others and not said & one.speakers:
        return Verdict.mutated, f"put down to another: {before.strip()[-80:]}"
    if said & ADDED or said & SOFT:
        return Verdict.weakened, f"bound by: {before.strip()[-80:]}"
    if said <= NEUTRAL | one.speakers and not others:
        return Verdict.preserved, ""
    return Verdict.unverifiable, note


def _denied_report(told: Sequence[str]) -> bool:
    """`did not say`, `never asked`, `no longer`, `not true that`."""
    folded = " ".join(told)
    return re.search(r"\b(?:no|not|never|nobody|none|nothing|\w+n't)\b", folded) is not None


def _suffix(one: _Statement, after: str) -> tuple[Verdict, str]:
    if _ASKED.match(after) and not one.read.question:
        return Verdict.weakened, "turned into a question"
    rest = after.strip(_ENDS + "([{-")
    told = words(rest)
    if not told:
        plain = all(sign.isdigit() or (sign.isascii() and not sign.isalnum()) or sign in _HARMLESS for sign in rest)
        return (Verdict.preserved, "") if plain and "~" not in after else (Verdict.unverifiable, "before a sign")
    said = set(told)
    note = f"before: {rest[:80]}"
    if len(told) > _FRAME_WORDS_MAX:
        return Verdict.unverifiable, note
    if said & CANCELLING or (said & _DENYING and said & {"longer", "anymore"}):
        return Verdict.contradicted, note
    if said & OTHERS - one.speakers and not said & one.speakers:
        attributed = bool(said & (_REPORTS | {"by"}))
        return (Verdict.mutated if attributed else Verdict.unverifiable), note
    if said & (ADDED | CONDITIONS | SOFT):
        return Verdict.weakened, note
    if said <= NEUTRAL | one.speakers:
        return Verdict.preserved, ""
    return Verdict.unverifiable, note


def _headed(one: _Statement, text: _Text, unit: _Unit) -> tuple[Verdict, str]:
    """What the heading, or the line that opens the list, says of what stands under it."""
    for at in range(unit.at - 1, -1, -1):
        told = text.units[at].words_of.strip()
        if not (told.endswith(":") or told.startswith("#") or (told.startswith("**") and told.endswith("**"))):
            continue
        said = set(words(told))
        note = f"under: {told[:80]}"
        if said & CANCELLING or _denied_report(words(told)):
            return Verdict.contradicted, note
        if said & OTHERS - one.speakers - _TITLES - _PEOPLE and not said & one.speakers:
            return Verdict.mutated, note
        if said & _QUESTIONING:
            return Verdict.weakened, note
        if said & _OVER:
            return Verdict.unverifiable, note
        break
    return Verdict.preserved, ""


_TITLES: Final = word_set("my our we i summary model file tool tools log documentation")
"""Words of headings that name no speaker."""
_PEOPLE: Final = word_set("user users human person developer system client customer owner operator")
"""Whom a list of rules may be put down to: a heading over it says what it is, not who said each."""
_OVER: Final = word_set("""
    dropped removed gone over ended closed resolved settled archived retired dead ruled shelved parked scrapped earlier
    previously once initially considered considering options alternatives ideas""")
"""Words of headings over what may hold no more."""
_QUESTIONING: Final = word_set("question questions optional suggestion suggestions idea ideas proposal proposals maybe")


# Against --------------------------------------------------------------------------------------------


def _against(
    one: _Statement,
    index: _Index,
    clean: Sequence[tuple[_Text, int, int]],
    copies: Sequence[tuple[_Text, int, int]],
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
        told = next(filter(None, (_opposes(one, said, close=close) for said in unit.apart)), None)
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
                or (not unit.folded & _ENGLISH and bool(_besides(one, unit)))
                or _may_say_otherwise(unit.claim, unit.folded)
            )
        )
        if told is None and loose:
            told = Verdict.unverifiable, "it speaks of the same, and may say otherwise"
        if told is not None and not _is_another(one, unit, index):
            verdict, note = told
            if verdict in (Verdict.contradicted, Verdict.weakened):
                return verdict, unit.evidence(one.statement, note)
            doubt = doubt or (verdict, unit.evidence(one.statement, note))
    return doubt


_POINTING: Final = word_set("""
    this that it these those which above former latter rule rules restriction restrictions constraint constraints limit
    ban requirement exception exceptions""")
_UNDOING: Final = word_set("""
    exception exceptions except exempt unless joke joking scratch forget withdrawn longer anymore aside barring however
    though although nevertheless mind back reconsidered changed""")


_TAG: Final = re.compile(r"</?[\w -]{1,40}/?>")


def _points(unit: _Unit) -> bool:
    """A sentence beside a copy that may speak of it: what it makes of it structure cannot tell."""
    told = _spoken(unit.words_of)
    if _TAG.fullmatch(told):
        return False
    return bool(set(words(told)[:2]) & _POINTING) or bool(unit.folded & _UNDOING)


def _on_one_line(index: _Index, number: int, at: int, clean: Sequence[tuple[_Text, int, int]]) -> bool:
    """A sentence stands on the line of a copy, or on the one right behind it without being a point of its own."""
    text = next((text for text in index.texts if text.number == number), None)
    if text is None or not 0 <= at < len(text.units):
        return False
    unit = text.units[at]
    for copied, start, end in clean:
        if copied is not text:
            continue
        gap = text.passage.text[end : unit.start] if unit.start >= end else text.passage.text[unit.end : start]
        if "\n" not in gap or (unit.start >= end and gap.count("\n") == 1 and not _BULLET.match(unit.words_of)):
            return True
    return False


def _near_enough(one: _Statement, unit: _Unit) -> bool:
    """It names the same thing, or speaks with half of the same words."""
    shared = len(one.stems & unit.stems)
    return _names(one, unit) or (shared >= 2 and shared * 2 >= len(one.stems))


def _is_anothers(one: _Statement, unit: _Unit) -> bool:
    """A line of ours that tells what somebody else said: it asserts nothing."""
    label = _TURN_LABEL.match(_spoken(unit.words_of))
    return label is not None and label.group().split(" ", 1)[0] != one.provenance.value


def _related(one: _Statement, index: _Index, near: set[tuple[int, int]]) -> Iterator[_Unit]:
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


def _opposes(one: _Statement, unit: _Unit, *, close: bool, stands: bool = True) -> tuple[Verdict, str] | None:
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
    lifts = bool(said & CANCELLING) or ("longer" in said and "no" in said) or "anymore" in said
    names, tells = _names(one, unit), _tells(one, unit)
    if lifts and said & RULE_NOUNS and (close or names):
        return Verdict.contradicted, "it is taken back"
    if not names and not tells:
        return None
    mine, theirs = one.read, unit.claim
    if theirs.question:
        return None  # it asks, and asserts nothing
    changed = _other_value(mine.claim, theirs.claim) if stands else None
    if changed:
        return Verdict.contradicted, changed
    if stands and _other_state(mine.claim, theirs.claim):
        return Verdict.contradicted, f"{_named(mine.claim.states)} here, {_named(theirs.claim.states)} there"
    about = len(one.stems & unit.stems) * _CLOSE[1] >= len(unit.stems) * _CLOSE[0]
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


def _turned(mine: _Read, theirs: _Read, *, tells: bool) -> bool:
    """The same words with a denial more or less, or with its things the other way round."""
    if tells and theirs.denied & set(mine.content) - mine.denied:
        return True
    told = set(theirs.content)
    inside = len(told & set(mine.content)) * 10 >= 7 * max(1, len(told))
    if tells and inside and (theirs.claim.denials - mine.claim.denials) % 2:
        return True
    return mine.content == theirs.content and mine.claim.denials == theirs.claim.denials and _swap(mine, theirs)


def _swap(mine: _Read, theirs: _Read) -> bool:
    """Two things that stand on either side of one word have changed places."""
    here = {word: after for word, after, _ in mine.directions}
    there = {word: after for word, after, _ in theirs.directions}
    moved = any(there.get(word, after) != after for word, after in here.items() if word in _RANKING)
    return moved and sorted(mine.claim.exact) == sorted(theirs.claim.exact)


_RANKING: Final = word_set("over instead than not before after never")
"""Words on whose two sides nothing may change places."""


_ENGLISH: Final = word_set(
    "the a an is are was were of to in and with for on has have had it its by at from as that be"
)
_OTHERWISE: Final = word_set("""
    other others too larger smaller more less longer shorter whether like often whenever wherever whatever
    anyone anybody everyone
    everybody somebody whoever unlimited unrestricted optional either rather instead otherwise also now again
    regardless irrespective ignore skip enough fine moved changed changes replaced replaces switched became becomes
    updated bumped migrated renamed turned lowered raised reset new wrong correct actually really truth fact default""")


_ORDER: Final = re.compile(r"[\W_]*([^\W\d_]{3,})\s+(?:the |all |any )?(\S+)")


def _commands(unit: _Unit) -> bool:
    """It opens with a word in its plain form and then names something: an order, whatever the verb."""
    found = _ORDER.match(_spoken(unit.words_of))
    if found is None or found[1].casefold().endswith(("ed", "ing")):
        return False
    named = _NAMES.fullmatch(found[2].strip("`.,;:!")) or _HYPHENED.fullmatch(found[2].strip("`.,;:!"))
    return named is not None and found[1].casefold() not in _ENGLISH | _CONNECTING


_CONNECTING: Final = word_set(
    "since after before when while because host service file folder branch table both neither"
)


def _besides(one: _Statement, unit: _Unit) -> frozenset[str]:
    """The stems that both have beside what only names things."""
    named = {_stem(word) for piece in one.pieces for word in words(piece)}
    return (one.stems & unit.stems) - named


def _retells(one: _Statement, unit: _Unit) -> bool:
    """It names the same things with the same verb or noun beside them: it may tell the same otherwise."""
    shared = _besides(one, unit)
    all_named = len(one.pieces) > 1 and all(piece in unit.words_of for piece in one.pieces)
    return _names(one, unit) and (len(shared) > 2 or (all_named and bool(shared)))


def _may_say_otherwise(theirs: _Read, said: frozenset[str]) -> bool:
    """Whether a sentence on the same thing is more than an account of what was done or seen.

    An account denies nothing, orders nothing, allows nothing and sets no condition.
    """
    if theirs.question:
        return False
    if theirs.claim.denials or theirs.claim.polarity != "none":
        return True
    first = theirs.words[0] if theirs.words else ""
    otherwise = PERMITTING | SOFT | ADDED | CANCELLING | _OTHERWISE | _PLANNING - {"now"}
    return first in IMPERATIVES or bool(said & otherwise)


_EXEMPTING: Final = re.compile(
    r"\s*(?:[-*+•]\s+)?(?:(?:the )?(?:only )?exceptions?\b|except\b|unless\b|but (?:not|only)\b|with the exception\b)"
    r"|\s*[(\[]\s*(?:(?:does|do) not|doesn't|not (?:for|on|in|to|when|if|during))\b"
    r"|\b(?:exempt(?:ed)?|excluded|excepted)\b"
    r"|\b(?:this|that|it|which|these|those|the (?:rule|restriction|limit|ban|constraint|requirement))\b[^.;]{0,40}?"
    r"\b(?:does not|doesn't|do not|don't|need not|is not|isn't|not)\b[^.;]{0,12}\b(?:hold|apply|bind|count|concern"
    r"|cover|affect|include)\b",
    re.IGNORECASE,
)


def _excepts(unit: _Unit) -> bool:
    """A sentence right behind another that takes something out of it."""
    return _EXEMPTING.search(unit.words_of) is not None


_MOVED_ON: Final = {"blocked": frozenset({"pending", "in_progress", "done"}), "pending": frozenset({"done"})}


def _other_state(mine: Claim, theirs: Claim) -> bool:
    """A step is said to be in a state that it was not in, and not in the one that it was in."""
    moved = ((state, after) for state, after in _MOVED_ON.items() if state in mine.states)
    return any(theirs.states & after and state not in theirs.states for state, after in moved)


def _named(states: Iterable[str]) -> str:
    return " and ".join(sorted(states))


def _names(one: _Statement, unit: _Unit) -> bool:
    """It names the same thing, one inside it, or one around it."""
    return any(_inside(a, b) or _inside(b, a) for a in one.pieces for b in unit.named) or any(
        piece in unit.words_of for piece in one.pieces
    )


def _tells(one: _Statement, unit: _Unit) -> bool:
    """It speaks with most of the same words."""
    shared = len(one.stems & unit.stems)
    return shared >= max(1, min(2, len(one.stems))) and shared * _CLOSE[1] >= len(one.stems) * _CLOSE[0]


def _inside(inner: str, outer: str) -> bool:
    inner, outer = inner.rstrip("/"), outer.rstrip("/")
    return inner == outer or inner.startswith(outer + "/")


def _opposite(mine: _Read, theirs: _Read, lifts: bool) -> tuple[Verdict, str] | None:
    said = set(theirs.words)
    acts = (mine.denied or set(mine.content)) & set(theirs.content)
    reads = bool(said & READING) and not mine.denied & set(theirs.content)
    permits = bool(said & PERMITTING) or theirs.claim.polarity == "may"
    denied = bool(said & _DENYING) or theirs.claim.denials > 0
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
        first = _stem(theirs.words[0]) if theirs.words else ""
        if ordered and mine.denied and first in mine.denied:
            return Verdict.contradicted, "it is ordered there"
        if ordered and mine.denied & set(theirs.content) and said & _PLANNING:
            return Verdict.contradicted, "it is planned there"
        return None
    if lifts and not denied:
        return Verdict.contradicted, "it is taken back"
    if theirs.denied & set(mine.content) - mine.denied:
        return Verdict.contradicted, "it is denied there"
    if said & _SKIPPING and acts:
        return Verdict.contradicted, "it is left out there"
    return None


def _fulfils(mine: _Read, theirs: _Read) -> bool:
    """The sentence says that what a statement waits for is there: an approval until which nothing may be done."""
    awaited = {after for word, after, _ in mine.conditions if word in ("until", "unless", "without", "before", "only")}
    still = {after for _, after, _ in theirs.conditions}
    return bool(awaited & set(theirs.content) - still)


_PLANNING: Final = word_set("will should must need needs going plan plans next then now can")
_SKIPPING: Final = word_set("skip skips skipped skipping bypass omit omitted unnecessary")
_SETTING: Final = re.compile(r"^([\w.-]+)\s*=\s*(\S+)$")


def _other_value(mine: Claim, theirs: Claim) -> str | None:
    """`NAME=a` here and `NAME=b` there."""
    here, there = _settings(mine), _settings(theirs)
    for name, value in here.items():
        if name in there and there[name] != value:
            return f"{name} is {there[name]} there"
    return None


def _other_number(mine: _Read, theirs: _Read) -> str | None:
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


# No copy --------------------------------------------------------------------------------------------


def _of_others(one: _Statement, index: _Index) -> _Found:
    """What the sentences that come nearest say; `dropped` if none is about the statement."""
    found: list[tuple[Verdict, Evidence]] = []
    for unit in _nearest(one, index):
        told = _compared(one, unit)
        if told is not None and not _is_another(one, unit, index):
            found.append((told[0], unit.evidence(one.statement, told[1])))
    verdicts = {verdict for verdict, _ in found}
    if not verdicts:
        return Verdict.dropped, ()
    if Verdict.contradicted in verdicts:
        return Verdict.contradicted, _of(found, Verdict.contradicted)
    if Verdict.paraphrased in verdicts:
        return Verdict.paraphrased, _of(found, Verdict.paraphrased)
    for verdict in (Verdict.mutated, Verdict.weakened, Verdict.unverifiable):
        if verdict in verdicts:
            return verdict, _of(found, verdict)
    return Verdict.dropped, ()


def _known_form(sentence: str) -> str:
    """A sentence as it is compared: evened, without a bullet, a label that says nothing, or a full stop."""
    bare = " ".join(_EMPHASIS.sub("", _spoken(sentence)).translate(_QUOTES).split())
    return _without_opening(bare).rstrip(".!。 ").casefold()


def _is_another(one: _Statement, unit: _Unit, index: _Index) -> bool:
    """The sentence is a statement of its own that was said before."""
    told = unit.form
    return told in index.known and told != one.core.casefold()


def _nearest(one: _Statement, index: _Index) -> list[_Unit]:
    """The sentences that may speak of it, the nearest first."""
    score: Tally[_Unit] = Tally()
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


def _compared(one: _Statement, unit: _Unit) -> tuple[Verdict, str] | None:
    """What a sentence makes of a statement that stands nowhere verbatim; None if it is not about it."""
    shared = len(one.stems & unit.stems)
    named = _names(one, unit)
    about = shared * _NEAR[1] >= max(1, len(one.stems)) * _NEAR[0] and shared >= min(2, len(one.stems))
    if not about and not named:
        soft_name = unit.folded & SOFT and any(piece.strip("/").split("/")[-1] in unit.words_of for piece in one.pieces)
        return (Verdict.weakened, "asked for less") if soft_name and one.binding else None
    mine, theirs = one.read, unit.claim
    opposite = _opposes(one, unit, close=False, stands=False)
    if opposite is not None:
        return opposite
    speaker = _told_by_another(one, unit)
    if speaker and about:
        return Verdict.mutated, speaker
    if theirs.question and not mine.question:
        if not about:
            return None
        asked = _tells(one, unit)
        return (Verdict.weakened, "turned into a question") if asked else (Verdict.unverifiable, "asked about")
    if not about:
        if theirs.soft - mine.soft and one.binding:
            return Verdict.weakened, "asked for less"
        return None
    return _difference(one, unit, mine, theirs, close=shared * _CLOSE[1] >= len(one.stems) * _CLOSE[0])


def _told_by_another(one: _Statement, unit: _Unit) -> str | None:
    passage = unit.text.passage
    if passage.provenance not in (one.provenance, Provenance.foreign, Provenance.compactor):
        return f"said by {passage.provenance.value}"
    told = words(_spoken(unit.words_of))
    own = set(words(one.text)) | one.speakers | _FIRST
    for at, word in enumerate(told[:4]):
        if word in OTHERS and word not in own and set(told[at + 1 : at + 3]) & _REPORTS:
            return None if set(told[:at]) & one.speakers else f"put down to another: {word}"
    return None


_FIRST: Final = word_set("i we my our")
"""Whoever wrote a summary; in one, these say nothing of who it was that spoke before."""
_REPORTS: Final = word_set("""
    said says stated states suggested suggests suggest recommends recommended prefers preferred asked wants wanted
    decided decides mentioned mentions noted notes insists requires required requested told proposed proposes claims
    claimed warned warns according think thinks believes""")


def _difference(one: _Statement, unit: _Unit, mine: _Read, theirs: _Read, *, close: bool) -> tuple[Verdict, str]:
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
    if was.states and was.states != now.states and (close or _other_state(was, now)):
        return Verdict.mutated, f"{_named(was.states) or 'no state'} became {_named(now.states) or 'no state'}"
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


def _exchanged(mine: _Read, theirs: _Read) -> tuple[list[str], list[str]]:
    """Exact things that are gone, and exact things that are new."""
    gone = [value for _, value in mine.claim.exact if value not in theirs.claim.values]
    new = [value for _, value in theirs.claim.exact if value not in mine.claim.values]
    gone += [value for value in sorted(mine.claim.handles - theirs.claim.handles) if value not in theirs.claim.text]
    new += [value for value in sorted(theirs.claim.handles - mine.claim.handles) if value not in mine.claim.text]
    return list(dict.fromkeys(gone)), list(dict.fromkeys(new))


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


def _same(one: _Statement, unit: _Unit, mine: _Read, theirs: _Read, new: Sequence[str]) -> bool:
    """Every part of `in other words` is shown: the same words that say something, hanging on the same."""
    spoken = _spoken(unit.words_of)
    prefix = _LABEL.match(spoken)
    told = theirs
    if prefix and set(words(prefix.group())) <= NEUTRAL | one.speakers:
        told = _Read(spoken[prefix.end() :])
    if _same_clauses(mine.claim.text, told.claim.text) and not _hides(unit.words_of, one.text):
        return True
    if _names_in(mine.claim.text) != _names_in(told.claim.text):
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
    return _in_order(mine.claim, told.claim)


_HARMLESS: Final = frozenset("“”„«»’‘–—•·…\n\t")
_BETWEEN_CLAUSES: Final = re.compile(r"[,;:]\s+|\s+(?:and|but|und|aber|et|mais|y|pero|e|ma|en|maar)\s+")


def _same_clauses(text: str, other: str) -> bool:
    """The same clauses, word for word, in another order; a clause that hangs on the one before it stays with it."""
    first, second = _clauses(text), _clauses(other)
    return len(first) > 1 and sorted(first) == sorted(second)


def _clauses(text: str) -> list[str]:
    bare = _known_form(text)
    found = [clause.strip(" .!,;:") for clause in _BETWEEN_CLAUSES.split(bare)]
    found = [re.sub(r"^(?:and|but|und|aber|et|mais|y|pero|e|ma|en|maar)\s+", "", one) for one in found if one]
    hanging = any(set(words(one)) & _HANGING for one in found)
    return [bare] if hanging else found


_HANGING: Final = word_set("it this that they them these those not instead rather which who then also otherwise")
"""Words that point to a clause beside their own: such clauses say something else in another order."""


def _hides(text: str, original: str) -> bool:
    """A sign that nobody sees, or takes for another one, stands in a sentence and not in the statement."""
    odd = set(text) - set(original) - _HARMLESS
    return any(not sign.isascii() or unicodedata.category(sign) == "Cc" for sign in odd)


def _is_english(read: _Read) -> bool:
    """A language in whose other words we know our way; in all others only the order may differ."""
    return read.claim.text.isascii() and bool(set(read.words) & (_ENGLISH | DIRECTIONS | IMPERATIVES))


_DENIERS: Final = frozenset(_DENIER_WORDS.replace("*", "").split()) | CONDITIONS


def _denials_in(text: str) -> Tally[tuple[str, str, str]]:
    """(the word before it, a denial or condition of any language, the word behind it), each within its clause."""
    found: Tally[tuple[str, str, str]] = Tally()
    for clause in re.split(r"[,;:.!?]+(?:\s|$)|[。，、；：]", text):
        told = [one for chunk in clause.split() for one in (words(chunk) if not _NAMES.fullmatch(chunk) else [chunk])]
        for at, word in enumerate(told):
            if word in _DENIERS:
                before = told[at - 1] if at else ""
                after = told[at + 1] if at + 1 < len(told) else ""
                found[before if before not in _DENIERS else "", word, after] += 1
    return found


_FILLERS: Final = word_set("the a an of to that please also just and is are be been then so will it its there")
"""Words of which one more or less says nothing else."""


def _every_word(read: _Read) -> Tally[str]:
    """All words but those that fill, whatever their form; a unit or a short name is one as well."""
    return Tally(_stem(word) for word in read.words if word not in _FILLERS and word not in _DENYING)


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
        bare = chunk.strip(_AROUND).rstrip(".")
        for value in things:
            if value == bare or (value in chunk and not value.isalpha() and len(value) > 1):
                opens = not at or told[at - 1][-1:] in ",;:."
                found.setdefault(value, "" if opens else told[at - 1].strip(_AROUND))
    return found
