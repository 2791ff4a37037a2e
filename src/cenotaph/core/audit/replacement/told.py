"""A replacement and what it was made from, read once, and the words by which two texts are compared."""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from cenotaph.core.audit.model import Event
from cenotaph.core.claims import stem
from cenotaph.core.handles import extract
from cenotaph.core.model import Kind, Mark, Part, Provenance
from cenotaph.core.statements import common, sentences, words
from cenotaph.core.wording import LANGUAGES

__all__ = ["HUMAN", "SHORT_CHARS", "Told", "Unit", "rare_words", "same_language", "text_of"]

HUMAN: Final = frozenset({Provenance.user, Provenance.system, Provenance.developer})
SHORT_CHARS: Final = 400
"""A text shorter than this may be all machinery."""
_TELLING_SHARE_MIN: Final = 0.5
_TELLING_WORDS_MIN: Final = 2

Unit = tuple[str, int, int, int, int]
"""A sentence of the replacement: its words, message, part, start, end."""


def text_of(event: Event) -> str:
    """All the text that stands for what was removed."""
    return "\n".join(part.text for at in event.replacement for part in event.after[at].parts if part.kind is Kind.text)


class Told:
    """The replacement and what it was made from.

    Attributes:
        event: The compaction.
        text: All the text that stands for what was removed.
        own: The same without what the client says before and after every summary.
        bare: The same in one line, without the tags of a summary around it.
    """

    def __init__(self, event: Event) -> None:
        self.event = event
        self.text = text_of(event)
        self.own = _without_frame(self.text)
        self.bare = _unwrapped(" ".join(self.own.split()))

    @property
    def removed(self) -> Iterator[tuple[tuple[int, int], Part]]:
        for ref in self.event.removed:
            yield ref, self.event.before[ref[0]].parts[ref[1]]

    @cached_property
    def human(self) -> str:
        """All that people said before, their acts in results too; case folded, white space evened."""
        acts = {Mark.answer, Mark.approval, Mark.rejection}
        texts = [
            part.text
            for message in self.event.before
            for part in message.parts
            if (part.kind is Kind.text and part.provenance in HUMAN) or part.marks & acts
        ]
        return " ".join(" ".join(texts).casefold().split())

    @cached_property
    def human_words(self) -> set[str]:
        return set(words(self.human))

    @cached_property
    def before(self) -> str:
        """All that stood before, whoever said it; case folded, white space evened."""
        return " ".join("\n".join(p.text for m in self.event.before for p in m.parts).split()).casefold()

    @cached_property
    def spoken(self) -> str:
        """All that stood before but what tools gave back; case folded, white space evened."""
        texts = (p.text for m in self.event.before for p in m.parts if p.kind is not Kind.result or p.marks)
        return " ".join("\n".join(texts).split()).casefold()

    @cached_property
    def data(self) -> str:
        """What tools gave back of what was removed, without people's acts and failures; as `before`."""
        texts = (p.text for _, p in self.removed if p.kind is Kind.result and not p.marks and not p.failed)
        return " ".join("\n".join(texts).split()).casefold()

    @cached_property
    def handles(self) -> set[str]:
        return {one.value.casefold() for one in extract(self.own) if len(one.value) > 3}

    @cached_property
    def tells(self) -> bool:
        """Most of what it names, be it by a word, stands in what it was made from: it tells of that."""
        rare = rare_words(self.own, 4)
        standing = sum(one in self.before for one in self.handles) + sum(stem(one) in self.before for one in rare)
        total = len(self.handles) + len(rare)
        return standing >= max(_TELLING_WORDS_MIN, _TELLING_SHARE_MIN * total)

    @cached_property
    def units(self) -> list[Unit]:
        """(sentence, message, part, start, end) of the replacement."""
        return [
            (part.text[one.start : one.end], at, index, one.start, one.end)
            for at in self.event.replacement
            for index, part in enumerate(self.event.after[at].parts)
            if part.kind is Kind.text
            for one in sentences(part.text)
        ]


_LEAD: Final = re.compile(
    r"\s*(?:this session is (?:being )?continued from a previous conversation[^\n.:]{0,200}[.:]"
    r"|the (?:conversation is summari[sz]ed|summary) below[^\n.:]{0,120}[.:]"
    r"|another language model started to solve this problem[^\n]{0,600}:"
    r"|the conversation history before this point was compacted[^\n.:]{0,120}[.:]"
    r"|here(?:'s| is) (?:a|the|my) (?:[\w-]+ ){0,3}summary(?: of [\w ]{1,60})?(?: to date| so far| above)?:"
    r"|(?:conversation |context )?summary(?: so far| of [\w ]{1,40})?[:.](?=\s|$))",
    re.IGNORECASE,
)
"""What clients and their instructions have stand before every summary."""
_TAIL: Final = re.compile(
    r"^[ \t]*(?:if you need specific details from before compaction"
    r"|(?:please )?continue (?:the conversation from where|with the last task))",
    re.IGNORECASE | re.MULTILINE,
)
"""What they have stand behind it."""
_TAIL_CHARS_MAX: Final = 1_500


def _without_frame(text: str) -> str:
    start = 0
    while (lead := _LEAD.match(text, start)) is not None:
        start = lead.end()
    tail = _TAIL.search(text, max(start, len(text) - _TAIL_CHARS_MAX))
    return text[start : len(text) if tail is None else tail.start()]


_WRAPPING: Final = re.compile(r"</?(?:[\w-]*summary|context|conversation)>|^#{1,6} [\w ]{1,40}$", re.IGNORECASE)


def _unwrapped(text: str) -> str:
    """The text without the tags of a summary around it; "" if it is a heading and nothing else."""
    return _WRAPPING.sub(" ", text).strip()


def rare_words(text: str, longer_than: int) -> set[str]:
    """Words of a text that are common in no language; of scripts without spaces none, as no word can be told there."""
    return {word for word in words(text) if len(word) > longer_than and not common(word) and max(word) < _UNSPACED}


_UNSPACED: Final = "\u0e00"
"""Thai, Chinese, Japanese and Korean letters lie behind it."""


def same_language(one: str, other: str) -> bool:
    """Whether the words of two texts can be compared; True where nobody can tell the language of one."""
    first, second = _language(one), _language(other)
    return not first or not second or bool(first & second)


_LANGUAGE_CHARS: Final = 20_000
_COMMON_WORDS_MIN: Final = 3


def _language(text: str) -> set[str]:
    """The languages whose common words a text holds most of; empty if it holds too few."""
    told = words(text[:_LANGUAGE_CHARS])
    if 2 * sum(len(word) for word in told if max(word) >= _UNSPACED) > sum(map(len, told)):
        return {"unspaced"}
    tally = Tally(code for word in told for code in _COMMON.get(word, ()))
    most = max(tally.values(), default=0)
    return {code for code, count in tally.items() if count == most} if most >= _COMMON_WORDS_MIN else set()


def _common_words() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for word in language.common.split():
            found.setdefault(word, []).append(language.code)
    return found


_COMMON: Final = _common_words()
