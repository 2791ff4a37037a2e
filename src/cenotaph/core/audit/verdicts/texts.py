"""What is searched: passages as sentences with their places, and a statement as it is asked for."""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final

from cenotaph.core.audit.model import Evidence, Passage, Statement, Verdict
from cenotaph.core.audit.verdicts.reads import (
    AROUND,
    EMPHASIS,
    NAMES,
    QUOTES,
    Read,
    is_no_number,
    known_form,
    names_in,
    spoken,
    stems_of,
    without_opening,
    words_in,
)
from cenotaph.core.audit.verdicts.words import SPEAKERS
from cenotaph.core.statements import sentences
from cenotaph.core.tombstone import looks_like_marker

__all__ = ["Asked", "Found", "HARMLESS", "Index", "PRECEDENCE", "Text", "Unit", "evidence_of", "is_another", "place_in"]

PRECEDENCE: Final = (Verdict.contradicted, Verdict.mutated, Verdict.weakened, Verdict.dropped)


_RUN: Final = re.compile(r"(?P<mark>(?:\*\*|__)(?=\S)|(?<=\S)(?:\*\*|__)|`+)|(?P<space>\s+)|(?P<told>[^\s*_`]+|[*_])")


_TIGHT: Final = re.compile(r"[\w/@:$%&=+~\\#-]")


class Text:
    """A passage with its white space and its marks evened out, and where each character of that stands in it."""

    def __init__(self, passage: Passage, number: int) -> None:
        self.passage = passage
        self.number = number
        self.plain, self.places = _evened(passage.text)

    @cached_property
    def units(self) -> list[Unit]:
        """The sentences, in order."""
        text = self.passage.text
        return [Unit(self, at, one.start, one.end) for at, one in enumerate(sentences(text))]

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
    if text.isascii() and not EMPHASIS.search(text) and "  " not in text and not re.search(r"[\t\n\r\f\v]", text):
        return text, list(range(len(text)))
    plain: list[str] = []
    places: list[int] = []
    spaced = False
    for found in _RUN.finditer(text.translate(QUOTES)):
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


_BLANK: Final = "thing_0"
_MAY_END: Final = re.compile(r"[.!?]\s+(?=\S)")


@dataclass(eq=False)
class Unit:
    """One sentence of a passage."""

    text: Text
    at: int
    start: int
    end: int
    fixed: str | None = field(default=None)

    @cached_property
    def words_of(self) -> str:
        return self.text.passage.text[self.start : self.end] if self.fixed is None else self.fixed

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stems_of(self.words_of))

    @cached_property
    def form(self) -> str:
        return known_form(self.words_of)

    @cached_property
    def claim(self) -> Read:
        return Read(without_opening(spoken(self.words_of)))

    @cached_property
    def folded(self) -> frozenset[str]:
        return frozenset(words_in(self.words_of))

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Chunks that look like the name of something."""
        return tuple(chunk.strip(AROUND).rstrip("./") for chunk in NAMES.findall(self.words_of))

    @cached_property
    def apart(self) -> list[Unit]:
        """The sentence, and each part of it behind which a full stop may end one."""
        told = self.words_of
        cuts = [self.start, *(self.start + found.end() for found in _MAY_END.finditer(told)), self.end]
        parts = [Unit(self.text, self.at, start, end) for start, end in pairwise(cuts)]
        return [self, *parts] if len(parts) > 1 and self.fixed is None else [self]

    def without(self, pieces: Collection[str]) -> Read:
        """The sentence with names blanked, the longest first, so that no word inside one counts as said."""
        told = without_opening(spoken(self.words_of))
        for piece in sorted(pieces, key=len, reverse=True):
            told = told.replace(piece, _BLANK)
        return Read(told)

    def evidence(self, statement: Statement, note: str) -> Evidence:
        passage = self.text.passage
        return Evidence(place_in(statement), (self.start, self.end), passage.message, passage.part, note)


class Index:
    """All sentences of all passages, found by the stems and the things in them."""

    def __init__(self, passages: Sequence[Passage], known: Collection[str] = ()) -> None:
        self._known = known
        self.marked: dict[str, list[Unit]] | None = None
        self.texts = [Text(passage, number) for number, passage in enumerate(passages) if passage.text]

    @cached_property
    def known(self) -> frozenset[str]:
        """What was said before, as it is compared."""
        return frozenset(map(known_form, self._known))

    @cached_property
    def by_stem(self) -> dict[str, list[Unit]]:
        found: defaultdict[str, list[Unit]] = defaultdict(list)
        for text in self.texts:
            for unit in text.units:
                if not looks_like_marker(unit.words_of):
                    for word in unit.stems:
                        found[word].append(unit)
        return found

    def sharing(self, stems: Iterable[str]) -> Tally[Unit]:
        """Sentences that share stems, with how many."""
        tally: Tally[Unit] = Tally()
        for word in stems:
            tally.update(self.by_stem.get(word, ()))
        return tally

    def naming(self, pieces: Iterable[str]) -> set[Unit]:
        """Sentences in which one of these pieces of text stands."""
        found: set[Unit] = set()
        for piece in pieces:
            for text in self.texts:
                if piece in text.passage.text:
                    found.update(unit for unit in text.units if piece in unit.words_of)
        return found


def place_in(statement: Statement) -> tuple[int, int]:
    return (statement.start, statement.end) if statement.ref is not None else (0, len(statement.text))


Found = tuple[Verdict, tuple[Evidence, ...]]


class Asked:
    """What is judged, read once."""

    def __init__(self, statement: Statement, text: str) -> None:
        self.statement = statement
        self.text = text
        self.provenance = statement.provenance
        bare = _evened(spoken(text))[0].strip()
        self.bare = bare.rstrip(".!。 ").strip("\"' ") or bare
        self.core = without_opening(self.bare)
        self.speakers = SPEAKERS.get(statement.provenance.value, frozenset())

    @cached_property
    def read(self) -> Read:
        return Read(without_opening(spoken(self.text)))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stems_of(without_opening(spoken(self.text))))

    @cached_property
    def pieces(self) -> frozenset[str]:
        """Texts by which a sentence may name what the statement names."""
        found = {value.rstrip("/") for value in self.read.claim.handles}
        found |= names_in(self.text)
        return frozenset(piece for piece in found if len(piece) > 2 and is_no_number(piece))

    @cached_property
    def folded(self) -> frozenset[str]:
        return frozenset(words_in(self.text))

    @property
    def binding(self) -> bool:
        """It forbids or obliges."""
        return self.read.claim.polarity in ("must_not", "must")


def evidence_of(found: Sequence[tuple[Verdict, Evidence]], verdict: Verdict) -> tuple[Evidence, ...]:
    return tuple(evidence for one, evidence in found if one is verdict)


def is_another(one: Asked, unit: Unit, index: Index) -> bool:
    """The sentence is a statement of its own that was said before."""
    told = unit.form
    return told in index.known and told != one.core.casefold()


HARMLESS: Final = frozenset("“”„«»’‘–—•·…\n\t")
