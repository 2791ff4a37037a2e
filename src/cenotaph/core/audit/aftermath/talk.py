"""What a person said: the bans that they put, and what they said later that takes one back or leaves it in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.audit.aftermath.bans import Ban, Named, bans_in, changes, may_ban
from cenotaph.core.audit.aftermath.names import items_of
from cenotaph.core.audit.aftermath.reach import covers
from cenotaph.core.audit.calls.places import Roots, place_of
from cenotaph.core.audit.calls.words import Target
from cenotaph.core.audit.verdicts.words import CANCELLING, PERMITTING, READING, RULE_NOUNS, word_set
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance
from cenotaph.core.payloads import payload_ranges
from cenotaph.core.statements import sentences
from cenotaph.limits import audit_spoken_line_chars_max

__all__ = ["Doubt", "Said", "Standing", "spaced", "spoken", "standings", "talk"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A ban where a person put it.

    Attributes:
        ban: What it forbids.
        place: Index of the message, of the part, and where its sentence begins.
        texts: Its sentences, white space as one space.
    """

    ban: Ban
    place: tuple[int, int, int]
    texts: tuple[str, ...]


# What a person said ---------------------------------------------------------------------------------------


def spoken(messages: Sequence[Message]) -> Iterator[tuple[int, int, Part]]:
    for at, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if part.kind is Kind.text and part.provenance is Provenance.user and part.text:
                yield at, index, part


def standings(messages: Sequence[Message]) -> Iterator[Standing]:
    """The bans that a person put, in order, those in their refusals and answers too."""
    for at, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            seen: set[str] = set()
            for start, sentence, before in (
                one for offset, text in _told_in(part) for one in _candidates(text, offset)
            ):
                if sentence in seen:
                    continue
                seen.add(sentence)
                for ban in bans_in(sentence, before):
                    yield Standing(ban, (at, index, start), (spaced(sentence),))
                if sentence.endswith(":"):
                    yield from _of_list(part.text, (at, index, start), sentence)


_REFUSING: Final = "the user said:"
_ANSWERING: Final = re.compile(r"\"=\"([^\"]*+)\"")


def _told_in(part: Part) -> Iterator[tuple[int, str]]:
    """(start, text) of a person's own words in a part."""
    if part.kind is Kind.text and part.provenance is Provenance.user:
        yield 0, part.text
    elif part.kind is Kind.result and Mark.rejection in part.marks and _REFUSING in part.text:
        start = part.text.index(_REFUSING) + len(_REFUSING)
        yield start, part.text[start:]
    elif part.kind is Kind.result and Mark.answer in part.marks:
        yield from ((match.start(1), match[1]) for match in _ANSWERING.finditer(part.text))


def _candidates(text: str, offset: int) -> Iterator[tuple[int, str, str]]:
    """(start, sentence, the sentence before it) of each that may hold a ban, in order; what was pasted is left out."""
    fence, counted, end = 0, 0, -1
    pasted: list[tuple[int, int]] | None = None
    for found in sorted(may_ban(text)):
        if found < end:
            continue
        start = text.rfind("\n", 0, found) + 1
        end = text.find("\n", found)
        end = len(text) if end < 0 else end
        fence, counted = fence + text.count("```", counted, start), start
        if fence % 2 or end - start > audit_spoken_line_chars_max:
            continue
        pasted = payload_ranges(text, _roughly) if pasted is None else pasted
        if any(first <= start < last for first, last in pasted):
            continue
        before = text[max(0, text.rfind("\n", 0, max(0, start - 1)) + 1) : start].strip()[-audit_spoken_line_chars_max:]
        before = before[sentences(before)[-1].start :] if before else ""
        for one in sentences(text[start:end]):
            sentence = text[start + one.start : start + one.end]
            yield offset + start + one.start, sentence, before
            before = sentence


def _roughly(text: str) -> int:
    return len(text) // 4


_ENTRY: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?P<text>[^\n]{1,300})(?:\n|$)")
_ENTRIES_MAX: Final = 50


def _of_list(text: str, place: tuple[int, int, int], heading: str) -> Iterator[Standing]:
    """`Do not modify any of these:` and a list of names."""
    at = text.find("\n", place[2] + len(heading)) + 1
    for _ in range(_ENTRIES_MAX):
        entry = _ENTRY.match(text, at) if at else None
        if entry is None:
            return
        name = next((item for item in items_of(entry["text"])[:3] if item.names), None)
        if name is not None:
            shown = f"`{name.text}`"
            for ban in bans_in(f"{heading[:-1]} {shown}"):
                yield Standing(ban, (place[0], place[1], entry.start("text")), (spaced(heading), spaced(entry["text"])))
        at = entry.end()


def spaced(text: str) -> str:
    return " ".join(text.split())


# Whether it was taken back ---------------------------------------------------------------------------------------

_ASSENT: Final = re.compile(
    r"\W*(?:yes|yep|yeah|yup|y|ok|okay|sure|go ahead|go for it|do it|please do|approved?|lgtm|proceed|sounds good"
    r"|continue|agreed|confirmed|fine|correct|ja|oui|s[ií]|да|好|可以|是)\b",
    re.IGNORECASE,
)
_LEAVE: Final = re.compile(
    r"\b(?:you (?:may|can|could|should|are allowed|have (?:my )?permission)|feel free|go ahead|it'?s (?:ok|okay|fine)"
    r"|allowed to|permission to|i changed my mind|no longer|lift(?:ed|ing)?|instead of that)\b",
    re.IGNORECASE,
)
_ASSENT_CHARS_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class Said:
    """What a person said or decided.

    Attributes:
        place: Index of the message and of the part.
        text: Their words; "" for a decision on what the agent asked or planned.
        asked: What the agent had said or asked last.
    """

    place: tuple[int, int]
    text: str
    asked: str


def talk(messages: Sequence[Message]) -> Iterator[Said]:
    """What a person said and decided, in order."""
    asked = ""
    for at, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if _asks(part):
                asked = part.text
            elif part.kind is Kind.result and part.marks & {Mark.answer, Mark.approval}:
                yield Said((at, index), "", asked)
            elif part.kind is Kind.text and part.provenance is Provenance.user and part.text:
                yield Said((at, index), part.text, asked)


def _asks(part: Part) -> bool:
    """What an answer may answer: the agent's words, its question, its plan."""
    if part.kind is Kind.text:
        return part.provenance is Provenance.agent
    return part.kind is Kind.call and (part.tool in _ASKING_TOOLS or "uestion" in part.text[:30])


_ASKING_TOOLS: Final = word_set("AskUserQuestion ExitPlanMode exit_plan_mode ask_user request_user_input question")


class Doubt:
    """What a person said after a ban that bears on writing one thing."""

    def __init__(self, standing: Standing, target: Target, roots: Roots) -> None:
        self._standing = standing
        self._target = target
        self._roots = roots
        place = place_of(target.name) if target.kind == "path" else None
        self._key = target.name if place is None else place.name
        named = [one.text.strip("/").rsplit("/", 1)[-1] for one in standing.ban.named]
        pieces = [target.name] if place is None else place.pieces
        self._words = {word.casefold() for word in (*named, *pieces) if word}

    def after(self, talk: Sequence[Said]) -> str:
        """ "lifted": the ban no longer forbids it; "doubt": nobody can tell; "" if it stands.

        Args:
            talk: What a person said, from the ban's own part on.
        """
        state = ""
        for said in talk:
            if said.text:
                state = self._told(state, said)
            elif self._key and self._key in said.asked:
                state = state or "doubt"
        return state

    def _told(self, state: str, said: Said) -> str:
        own = said.place == self._standing.place[:2]
        text = said.text[self._standing.place[2] + len(self._standing.texts[-1]) :] if own else said.text
        agrees = not own and len(text) <= _ASSENT_CHARS_MAX and _ASSENT.match(text)
        if agrees and self._key and self._key in said.asked:
            return "lifted"
        for line in text.split("\n"):
            if len(line) <= audit_spoken_line_chars_max and (_LEAVE.search(line) or self._may_name(line)):
                for one in sentences(line):
                    state = self._weighed(state, line[one.start : one.end])
        return state

    def _may_name(self, line: str) -> bool:
        lowered = line.casefold()
        return any(word in lowered for word in self._words) or not CANCELLING.isdisjoint(lowered.split())

    def _weighed(self, state: str, sentence: str) -> str:
        items = items_of(sentence)
        words = {item.text for item in items if item.kind == "word"}
        named = [Named(item.text, item.kind, item.noun) for item in items if item.names]
        about = [one for one in named if covers(one, self._target, self._roots) is not None]
        leaves = _LEAVE.search(sentence) is not None
        if not about:
            vague = leaves and (changes(items) or bool(words & {"it", "that", "there"}))
            lifts = vague or bool(words & CANCELLING and words & RULE_NOUNS)
            return "doubt" if lifts and not named and not bans_in(sentence) else state
        if bans_in(sentence):
            return "" if state != "lifted" or not words & CANCELLING else state
        if not any(self._within(one) for one in about):
            return state or ("doubt" if changes(items) else "")
        if not changes(items) and words & READING:
            return state
        lifts = leaves or changes(items) or bool(words & (PERMITTING | CANCELLING))
        return "lifted" if lifts else state or "doubt"

    def _within(self, one: Named) -> bool:
        """What is spoken of lies in what is banned, or is it."""
        thing = Target(self._target.kind if one.kind == "name" else "path", one.text)
        return any(
            one.text.casefold() == named.text.casefold() or covers(named, thing, self._roots) is not None
            for named in self._standing.ban.named
        )
