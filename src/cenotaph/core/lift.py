"""Lift: which words of text that leaves stay in the view, sentence by sentence.

Text leaves by the message: what one person's or the agent's message says is a unit. Its sentences are
kept whole and verbatim. Those that weigh (a rule, a number, a decision, a state: see `statements`) stay
while they fit; the others fill the room that is left. A question that a person's message answers weighs
as much as the answer. The ranking decides what goes first; it never decides alone that something goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.classify import Classified
from cenotaph.core.handles import INDEX_KINDS, extract
from cenotaph.core.lines import lift_line
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.spans import Span
from cenotaph.core.tombstone import looks_like_marker
from cenotaph.limits import short_request_chars_max

__all__ = ["Said", "Unit", "in_order", "units_of"]

AGENT_ROWS: Final = frozenset({"nar", "rep"})
HUMAN_ROWS: Final = frozenset({"usr", "pay"})
ANSWERED: Final = 6
"""The least grade of a question that a person answered, and of the answer."""

VOICES: Final = ("agent", "user")
"""Who speaks, in the order in which their text leaves."""


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence.

    Attributes:
        order: The span that it stands in.
        at: Its number in the unit.
        text: Verbatim, secrets by fingerprint.
        line: As it stands on a page.
        grade: How much it weighs; 0 is nothing. See `ranking`.
        asked: A person's message answers it.
        answers: It is the first sentence of a message that answers what the agent asked.
    """

    order: int
    at: int
    text: str
    line: str
    grade: int
    asked: bool = False
    answers: bool = False

    @property
    def ranked(self) -> bool:
        """It stays while there is any room for it."""
        return self.grade > 0


@dataclass(frozen=True, slots=True)
class Unit:
    """What one message says, and what leaves with it.

    Attributes:
        voice: "user" or "agent".
        message: Index of the message.
        turn: Its turn.
        members: Orders of the spans that leave: its text, and a person's payloads.
        said: Its sentences, in order.
    """

    voice: str
    message: int
    turn: int
    members: tuple[int, ...]
    said: tuple[Said, ...]


def units_of(
    classified: Classified, may_leave: Callable[[int], bool], words: Callable[[Span], list[tuple[str, int]]]
) -> list[tuple[Unit, ...]]:
    """What leaves together, in the order in which it leaves.

    What the agent said leaves before what a person said, each oldest first; but a text of the agent that a
    person answered leaves with the answer, and stays with it.

    Args:
        classified: The spans with their rows.
        may_leave: Whether policy and binding let a span go.
        words: The sentences of a text, secrets by fingerprint, each with its grade.
    """
    answers = _answers(classified)
    found: dict[str, dict[int, Unit]] = {voice: {} for voice in VOICES}
    held = _held_agent_message(classified)
    for message, orders in classified.structure.by_message.items():
        spans = [classified.spans[order] for order in orders]
        for voice in VOICES:
            members = _members(classified, spans, voice, may_leave)
            if members and not (voice == "agent" and spans[0].output == held):
                said = _said(classified, members, voice, answers, words)
                orders_ = tuple(span.order for span in members)
                found[voice][message] = Unit(voice, message, members[0].turn, orders_, said)
    asked_in = {classified.spans[a].message: classified.spans[q].message for a, q in answers.items()}
    told = [(unit,) for unit in found["agent"].values() if unit.message not in asked_in.values()]
    spoken: list[tuple[Unit, ...]] = []
    for message, unit in found["user"].items():
        question = asked_in.get(message)
        if question is None:
            spoken.append((unit,))
        elif question in found["agent"]:
            spoken.append((found["agent"][question], unit))
    return [*told, *spoken]


def _held_agent_message(classified: Classified) -> int:
    """The newest agent message, where its reasoning or its calls bind what it says, or nobody has answered it yet.

    What a person says next may lean on it. -1 if it may leave.
    """
    structure = classified.structure
    newest = structure.last_agent_message
    orders = structure.by_output.get(newest, ())
    reasoned = any(classified.spans[order].kind is Kind.reasoning for order in orders)
    answered = any(message > newest for message in structure.human_messages)
    return newest if reasoned or structure.loop_open or not answered else -1


def _members(classified: Classified, spans: Sequence[Span], voice: str, may_leave: Callable[[int], bool]) -> list[Span]:
    """The spans of a message that leave as one: text of one voice, and a person's payloads and what stands for them."""
    rows = HUMAN_ROWS if voice == "user" else AGENT_ROWS
    members = [s for s in spans if classified.rows[s.order].id in rows and may_leave(s.order)]
    if any(s.kind is Kind.text and not s.payload and looks_like_marker(s.text) for s in members):
        return []  # it speaks of markers: lifted it could pass for one, and unlifted it would be lost
    if not any(s.kind is Kind.text and not s.payload for s in members):
        return []
    texts = {span.part.path for span in members if span.start is not None}
    ours = [s for s in spans if s.provenance is Provenance.compactor and s.part.path in texts and s.start is not None]
    return sorted([*members, *ours], key=lambda span: span.order)


def _said(
    classified: Classified,
    members: Sequence[Span],
    voice: str,
    answers: Mapping[int, int],
    words: Callable[[Span], list[tuple[str, int]]],
) -> tuple[Said, ...]:
    said: list[Said] = []
    told: set[str] = set()
    for span in members:
        if span.kind is not Kind.text or span.payload or span.provenance is Provenance.compactor:
            continue
        spoken = words(span)
        asked = _asked_at([sentence for sentence, _ in spoken]) if span.order in answers.values() else -1
        for index, (sentence, weight) in enumerate(spoken):
            if looks_like_marker(sentence) or sentence in told:
                continue  # what looks like a line of ours never stands among ours; nothing is said twice
            told.add(sentence)
            answering = index == 0 and _asked_something(classified, answers.get(span.order))
            said.append(
                Said(
                    order=span.order,
                    at=len(said),
                    text=sentence,
                    line=lift_line(voice, span.turn, sentence) + _as_of(classified, span, sentence, voice),
                    grade=max(weight, ANSWERED) if answering or index == asked else weight,
                    asked=index == asked,
                    answers=answering,
                )
            )
    return tuple(said)


def _as_of(classified: Classified, span: Span, sentence: str, voice: str) -> str:
    """What the agent said of a file that was written since says so."""
    if voice != "agent":
        return ""
    n = classified.structure.origins[span.message].n
    changed = [
        write
        for handle in extract(sentence)
        if handle.kind == "path" and (write := classified.reading.changed_since(handle.value, span.turn, n))
    ]
    if not changed:
        return ""
    return f" (as of t{span.turn}; source changed at t{max(write.turn for write in changed)})"


_QUESTION: Final = re.compile(r"[?？؟][\"')*_`]*(?:\s|\Z)")


def _asked_something(classified: Classified, order: int | None) -> bool:
    """The text holds a question; a remark that somebody went on from is none."""
    return order is not None and _QUESTION.search(classified.spans[order].text) is not None


def _asked_at(words: Sequence[str]) -> int:
    """The last question of a text; -1 if it asks nothing."""
    questions = [i for i, words_ in enumerate(words) if words_.rstrip(" *_`)\"'").endswith(("?", "？", "؟"))]
    return questions[-1] if questions else -1


def _answers(classified: Classified) -> dict[int, int]:
    """Order of a person's text -> order of the agent's text that it answers."""
    answers: dict[int, int] = {}
    last: Span | None = None
    for span in classified.spans:
        if span.provenance is Provenance.agent and span.kind is Kind.text:
            last = span
        elif span.provenance is Provenance.user and span.kind is Kind.text and not span.payload:
            if last is not None and (len(span.text) < short_request_chars_max or _asks(last.text)):
                answers[span.order] = last.order
            last = None
    return answers


def _asks(text: str) -> bool:
    return text.rstrip(" \n\t*_`)\"'").endswith(("?", "？", "؟"))


def in_order(said: Sequence[tuple[Unit, Said]]) -> list[tuple[Unit, Said]]:
    """How lifted sentences stand on a page: a person's first, then the agent's, each in transcript order.

    A question stands before the answer to it. An earlier statement of a person on a thing moves down to the
    latest one on the same thing, so that they stand together and the newest is read last; which of them
    holds is not decided.
    """
    agent = [(unit, s) for unit, s in said if unit.voice == "agent"]
    questions = [(unit, s) for unit, s in agent if s.asked]
    used: set[tuple[int, int]] = set()
    blocks: list[list[tuple[Unit, Said]]] = []
    for unit, s in said:
        if unit.voice != "user":
            continue
        block = [(unit, s)]
        before = [(u, q) for u, q in questions if u.message < unit.message and (u.message, q.at) not in used]
        if s.answers and before:
            used.add((before[-1][0].message, before[-1][1].at))
            block.insert(0, before[-1])
        blocks.append(block)
    shown = [pair for group in _together(blocks) for block in group for pair in block]
    return shown + [(unit, s) for unit, s in agent if (unit.message, s.at) not in used]


def _together(blocks: list[list[tuple[Unit, Said]]]) -> list[list[list[tuple[Unit, Said]]]]:
    """The blocks in groups that share a subject, each group where its last block stands."""
    group_of = list(range(len(blocks)))

    def root(at: int) -> int:
        while group_of[at] != at:
            group_of[at] = group_of[group_of[at]]
            at = group_of[at]
        return at

    last: dict[str, int] = {}
    for at, block in enumerate(blocks):
        for subject in _subjects(block[-1][1]):
            if subject in last:
                group_of[root(last[subject])] = root(at)
            last[subject] = at
    groups: dict[int, list[int]] = {}
    for at in range(len(blocks)):
        groups.setdefault(root(at), []).append(at)
    return [[blocks[at] for at in members] for members in sorted(groups.values(), key=lambda members: members[-1])]


def _subjects(said: Said) -> list[str]:
    """What a statement is about: the things that it names, without their values."""
    if not said.ranked:
        return []
    return [h.value.partition("=")[0] for h in extract(said.text) if h.kind in INDEX_KINDS]
