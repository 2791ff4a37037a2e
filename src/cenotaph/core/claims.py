"""What one sentence claims, as far as structure can tell: exact things, words that carry weight, a polarity.

The verifier compares the claim of a line with the claims of its source. Nothing here understands a
sentence; it names the parts of one that may not differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from cenotaph.core.handles import extract, extract_outer
from cenotaph.core.statements import Polarity, common, denials, number_word, polarity, sentences, states, weights, words

__all__ = ["Claim", "claim_of", "claims_of", "normal", "quotes_in", "stem"]

_SPACE: Final = re.compile(r"\s+")
_BULLET: Final = re.compile(r"(?:[-*+•·–—]|\(?\d{1,3}[.)])\s+(?:\[[ xX~/!-]\]\s+)?")
_EDGES: Final = "\"'`*_()[]{}<>«»“”„‘’‚「」『』,;:!?…。、，；：！？"
_INNER: Final = re.compile(r"(?<!\d)[,:]|[,:](?!\d)|[=;()\[\]{}<>\"'`|*]")
_CJK: Final = re.compile(
    "([\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\u3001-\u303f\uff00-\uffef]+)"
)
_NAME: Final = re.compile(r"[^\W\d_]*[A-ZÀ-ÖØ-ÞА-Я]")
_SYMBOLIC: Final = re.compile(r"\d|[_/\\@#=]|[a-z][A-Z]|\w\.\w|\w::\w|\w\(\)")
_UNIT: Final = re.compile(r"(?:%|[^\W\d_]{1,3})$")
_QUOTED: Final = re.compile(
    r"\"([^\"]{2,400})\"|“([^”]{2,400})”|„([^“”]{2,400})[“”]|«([^»]{2,400})»|「([^」]{2,400})」"
)
_ENDINGS: Final = tuple(
    "ingly ments ment ings ing ions ion ures ure ied ies ed es al ly er e y s".split()  # noqa: SIM905 (longest first)
)
_STEM_CHARS_MIN: Final = 3


def normal(text: str) -> str:
    """The text for comparison: white space as one space, no bullet before it, no full stop after it."""
    text = _SPACE.sub(" ", text).strip()
    bullet = _BULLET.match(text)
    return (text[bullet.end() :] if bullet else text).rstrip(".。 ")


def stem(word: str) -> str:
    """A word without its ending, so that `approved` and `approval` meet; never under three letters."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_CHARS_MIN:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _STEM_CHARS_MIN and word[-1] == word[-2] and word[-1] not in "aeiou" else word


class Claim:
    """One sentence, taken apart; each part is read when it is first asked for.

    Attributes:
        text: The sentence, verbatim.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def normal(self) -> str:
        """For comparison (`normal`)."""
        return normal(self.text)

    @cached_property
    def _chunks(self) -> list[str]:
        return _chunks(self.text)

    @cached_property
    def exact(self) -> tuple[tuple[str, str], ...]:
        """Handles, numbers and names in order: (kind, value) with kind `number` or `name`."""
        return tuple(_exact(self.text, self._chunks))

    @cached_property
    def values(self) -> dict[str, tuple[int, int]]:
        """Everything that an exact thing of another claim may be found as, with where it stands first and last."""
        return _values(self._chunks)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Folded words."""
        return tuple(words(self.text))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the words that say something."""
        return frozenset(_stems(list(self.words)))

    @cached_property
    def handles(self) -> frozenset[str]:
        """Handles and names that can be shared with another claim; no bare numbers."""
        return frozenset(_handle_form(one.value) for one in extract(self.text) if one.kind != "number")

    @cached_property
    def reasons(self) -> frozenset[str]:
        """Why it ranks (`statements.weights`)."""
        return weights(self.text)

    @cached_property
    def polarity(self) -> Polarity:
        """What it says may be done."""
        if any(handle.kind == "prohibition" for handle in extract_outer(self.text)):
            return "must_not"
        return polarity(self.text)

    @cached_property
    def states(self) -> frozenset[str]:
        """Plan states that it names."""
        return frozenset(state for _, _, state in states(self.text))

    @cached_property
    def denials(self) -> int:
        """How many words in it deny."""
        return denials(self.text)

    def holds_in_order(self, exact: Sequence[tuple[str, str]]) -> bool:
        """Whether every exact thing stands here, those of one kind in the same order."""
        last: dict[str, int] = {}
        for kind, value in exact:
            place = self.values.get(value)
            if place is None or place[1] < last.get(kind, -1):
                return False
            last[kind] = max(place[0], last.get(kind, -1))
        return True


def claims_of(text: str) -> list[Claim]:
    """The claim of each sentence of a text, in order."""
    return [claim_of(text[sentence.start : sentence.end]) for sentence in sentences(text)]


def claim_of(sentence: str) -> Claim:
    """The claim of one sentence, or of one line of several."""
    return Claim(sentence)


def quotes_in(text: str) -> list[str]:
    """The words between quotation marks, backticks and apostrophes aside."""
    return [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]


def _chunks(text: str) -> list[str]:
    """What stands between white space, and where a script without spaces meets another."""
    return unicodedata.normalize("NFC", _CJK.sub(r" \1 ", normal(text))).split()


def _form(value: str) -> str:
    """The value for comparison: no punctuation around it, no slash after it, no `./` before it."""
    value = value.strip(_EDGES).rstrip(".").strip(_EDGES)
    return _handle_form(value)


def _handle_form(value: str) -> str:
    value = value.removeprefix("./")
    return value.rstrip("/") or value


def _parts(chunk: str) -> list[str]:
    return [form for part in _INNER.split(chunk) if (form := _form(part))]


def _values(chunks: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Every form under which an exact thing may be named, with its first and last place."""
    places: dict[str, tuple[int, int]] = {}
    for at, chunk in enumerate(chunks):
        following = _form(chunks[at + 1]) if at + 1 < len(chunks) else ""
        forms = {_form(chunk), *_parts(chunk), _form(chunk) + following}
        forms |= {form.casefold() for form in forms} | {form.lstrip("#$€£~") for form in forms}
        for form in forms:
            first, _ = places.get(form, (at, at))
            places[form] = (first, at)
    return places


def _exact(sentence: str, chunks: Sequence[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    first = True
    for at, chunk in enumerate(chunks):
        form = _form(chunk)
        if not form:
            continue
        if _SYMBOLIC.search(form) or (form.startswith(("-", "~", ".")) and len(form) > 1):
            found.extend(_symbolic(chunk, chunks[at + 1 : at + 2]))
        elif _NAME.match(form) and (not first or (len(form) > 1 and form.isupper())):
            found.append(("name", form.casefold()))
        elif number_word(form):
            found.append(("number", form.casefold()))
        first = False
    return found


def _symbolic(chunk: str, following: Sequence[str]) -> list[tuple[str, str]]:
    form = _form(chunk)
    kind = "number" if not re.search(r"[^\W\d_]", form) else "name"
    unit = _form(following[0]) if following else ""
    if kind == "number" and _UNIT.match(unit) and not common(unit):
        return [(kind, form + unit)]
    parts = _parts(chunk)
    return [(kind, part) for part in parts if _SYMBOLIC.search(part)] if len(parts) > 1 else [(kind, form)]


def _stems(told: Sequence[str]) -> list[str]:
    found: list[str] = []
    for word in told:
        if _CJK.match(word):
            found.extend(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif len(word) >= _STEM_CHARS_MIN and not common(word):
            found.append(stem(word))
    return found
