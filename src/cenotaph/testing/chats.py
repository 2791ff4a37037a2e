"""Long conversations between a person and an assistant, with what the person stated marked.

Chats are where a person's own words are a third or more of the window: rules, limits and corrections stand
between anecdotes, pasted mails and small talk. `generate` makes one, the same for the same seed; it says
which sentences are *statements*, so that a compaction can be asked whether they still stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from cenotaph.testing.chat_phrases import IDENTIFIERS, LANGUAGES, WORLDS, Language
from cenotaph.testing.story import text

__all__ = ["KINDS", "Chat", "Statement", "as_anthropic", "chats", "detached", "generate", "stands", "texts"]

KINDS: Final = ("rule", "limit", "fact", "goal", "preference", "approval", "correction")
"""Kinds of statements."""

_WEIGHTS: Final = {"rule": 5, "limit": 4, "fact": 5, "goal": 2, "preference": 3, "approval": 4, "correction": 3}
_NAMES: Final = ("Dana", "Ines", "Maria", "Yuki", "Lea", "Carla", "Noor", "Elif", "Sofia", "Hanna", "Aiko", "Greta")
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_SLOT: Final = re.compile(r"\{(\w+)\}")
_GAP_TURNS_MIN: Final = 4
"""A correction comes at least so many turns after what it corrects."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a person that the rest of the conversation has to respect.

    Attributes:
        text: The sentence, verbatim as it stands in its message.
        kind: One of `KINDS`.
        language: ISO 639-1 code.
        turn: Number of the human message it stands in, from 1.
        request: The agent's question that an approval answers; None for all others.
        handle: An identifier in the text, None if it has none.
        corrects: Text of the earlier statement that a correction contradicts, else None.
    """

    text: str
    kind: str
    language: str
    turn: int
    request: str | None = None
    handle: str | None = None
    corrects: str | None = None


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation.

    Attributes:
        seed: What it was made from.
        language: ISO 639-1 code of most of it.
        messages: OpenAI chat messages, the first of the system, then person and agent in turn.
        statements: In the order in which they were made.
    """

    seed: int
    language: str
    messages: list[dict[str, Any]]
    statements: list[Statement]


def rough_tokens(words: str) -> float:
    """Tokens of a text by a rule of thumb: four characters of Latin script, one of any other."""
    wide = sum(character > "\u2fff" for character in words)
    return (len(words) - wide) / 4.2 + wide / 1.3


@dataclass(slots=True)
class _Turn:
    """What one turn is to hold: statements of the person, a question before it, a paste."""

    statements: list[Statement] = field(default_factory=list)
    approval: Statement | None = None
    paste_tokens: int = 0


class _Writer:
    """Writes one chat; every choice comes from one generator of random numbers."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.dice = Random(f"chat {seed}")
        self.code = ("en", "en", "en", "en", "en", "en", "de", "fr", "es", "ja")[seed % 10]
        self.world = self.dice.choice(WORLDS)
        self.taken: set[str] = set()
        self.said: set[str] = set()
        total = self.dice.uniform(19_000, 52_000)
        self.turns = min(118, max(42, int(total / self.dice.uniform(330, 520))))
        self.agent_budget = total * (1 - (share := self.dice.uniform(0.36, 0.52)))
        self.human_budget = total * share
        self.plan = [_Turn() for _ in range(self.turns)]

    def chat(self) -> Chat:
        self._place_statements()
        self._place_pastes()
        messages: list[dict[str, Any]] = [{"role": "system", "content": self.world.system}]
        for number, turn in enumerate(self.plan):
            left = self.turns - number
            messages.append({"role": "user", "content": self._human(turn, self.human_budget / left)})
            self.human_budget -= rough_tokens(messages[-1]["content"])
            following = self.plan[number + 1] if left > 1 else None
            question = following.approval.request if following is not None and following.approval is not None else None
            messages.append({"role": "assistant", "content": self._agent(self.agent_budget / left, question)})
            self.agent_budget -= rough_tokens(messages[-1]["content"])
        messages.append({"role": "user", "content": self._fill(self.dice.choice(self._language().filler))[0]})
        made = [s for turn in self.plan for s in (*((turn.approval,) if turn.approval else ()), *turn.statements)]
        return Chat(self.seed, self.code, messages, made)

    # Statements ------------------------------------------------------------------------------

    def _language(self, code: str | None = None) -> Language:
        return LANGUAGES[code or self.code]

    def _place_statements(self) -> None:
        wanted = int(self.turns * self.dice.uniform(0.35, 0.6))
        for kind in self.dice.choices(list(_WEIGHTS), list(_WEIGHTS.values()), k=wanted):
            code = self.code if self.dice.random() < 0.9 else self.dice.choice(list(LANGUAGES))
            if kind == "approval":
                self._place_approval(code)
            elif kind == "correction":
                self._place_correction(code)
            else:
                turn = self._free_turn(1, self.turns)
                self._state(turn, kind, code, self._language(code).statements[kind])

    def _free_turn(self, first: int, last: int) -> int:
        """A turn, from 1, in which the person says more than yes or no."""
        free = [n for n in range(first, last + 1) if self.plan[n - 1].approval is None]
        return self.dice.choice(free)

    def _state(self, turn: int, kind: str, code: str, phrasings: tuple[str, ...]) -> None:
        made = self._unused(lambda: self._fill(self.dice.choice(phrasings), code))
        if made is not None:
            words, slots = made
            self.plan[turn - 1].statements.append(Statement(words, kind, code, turn, handle=_handle(slots, words)))

    def _place_correction(self, code: str) -> None:
        pair = self.dice.choice(self._language(code).pairs)
        made = self._unused(lambda: self._fill(pair.second, code, self._fill(pair.first, code)[1]))
        if made is None:
            return
        words, slots = made
        earlier = self._fill(pair.first, code, slots)[0]
        early = self._free_turn(1, self.turns - 2 * _GAP_TURNS_MIN)
        late = self._free_turn(early + _GAP_TURNS_MIN, self.turns)
        first = next((s for s in self._made() if s.text == earlier), None)
        if first is None:
            self.taken.add(earlier)
            first = Statement(earlier, pair.kind, code, early, handle=_handle(slots, earlier))
            self.plan[early - 1].statements.append(first)
        elif first.turn + _GAP_TURNS_MIN > late:
            return
        corrected = Statement(words, "correction", code, late, handle=_handle(slots, words), corrects=earlier)
        self.plan[late - 1].statements.append(corrected)

    def _made(self) -> Iterator[Statement]:
        """Every statement so far but the approvals."""
        return (statement for turn in self.plan for statement in turn.statements)

    def _place_approval(self, code: str) -> None:
        free = [
            n for n in range(2, self.turns + 1) if not self.plan[n - 1].statements and not self.plan[n - 1].approval
        ]
        made = self._unused(lambda: self._fill(self.dice.choice(self._language(code).requests), code))
        if not free or made is None:
            return
        turn = self.dice.choice(free)
        words = self._fill(self.dice.choice(self._language(code).consents), code)[0]
        self.plan[turn - 1].approval = Statement(words, "approval", code, turn, request=made[0])

    def _unused(self, make: Callable[[], tuple[str, dict[str, str]]]) -> tuple[str, dict[str, str]] | None:
        """A sentence that says nothing that was said already; None if the world is exhausted."""
        for _ in range(20):
            words, slots = make()
            if not any(words in other or other in words for other in self.taken):
                self.taken.add(words)
                return words, slots
        return None

    def _fill(
        self, phrase: str, code: str | None = None, slots: dict[str, str] | None = None
    ) -> tuple[str, dict[str, str]]:
        """The phrase with its slots filled, and with what."""
        used = {} if slots is None else slots

        def value(match: re.Match[str]) -> str:
            if match[1] not in used:
                used[match[1]] = self._slot(match[1], code, set(used.values()))
            return used[match[1]]

        words = _SLOT.sub(value, phrase)
        return words[:1].upper() + words[1:] if phrase[0] == "{" and not _is_identifier(phrase) else words, used

    def _slot(self, name: str, code: str | None, others: set[str]) -> str:
        dice, world, language = self.dice, self.world, self._language(code)
        pools: dict[str, tuple[str, ...]] = {
            "path": world.paths,
            "host": world.hosts,
            "table": world.tables,
            "name": _NAMES,
            "thing": language.things,
            "day": language.days,
            "weekday": _WEEKDAYS,
        }
        pool = pools.get(name.rstrip("2"))
        if pool is not None:
            return dice.choice([value for value in pool if value not in others])
        made = {
            "n": lambda: str(dice.randint(12, 990)),
            "small": lambda: str(dice.randint(2, 9)),
            "year": lambda: str(dice.randint(2009, 2024)),
            "money": lambda: f"{dice.randint(3, 95) * 100} €",
            "id": lambda: f"{world.series}-{dice.randint(1000, 9999)}",
            "version": lambda: f"v{dice.randint(1, 9)}.{dice.randint(0, 20)}.{dice.randint(0, 9)}",
        }[name.rstrip("2")]
        return _differing(made, others)

    # Messages --------------------------------------------------------------------------------

    def _place_pastes(self) -> None:
        """About half of what the person may write is pasted: small pieces, and some large ones."""
        budget = self.human_budget * self.dice.uniform(0.35, 0.6)
        free = [turn for turn in self.plan if turn.approval is None]
        while budget > 0 and free:
            turn = free.pop(self.dice.randrange(len(free)))
            large = self.dice.random() < 0.4
            turn.paste_tokens = self.dice.randint(650, 2_200) if large else self.dice.randint(60, 380)
            budget -= turn.paste_tokens
        self.human_budget = max(self.human_budget, 1.0)

    def _human(self, turn: _Turn, budget: float) -> str:
        if turn.approval is not None:
            words = turn.approval.text
            return words if self.dice.random() < 0.8 else f"{words}\n\n{self._talk(60)}"
        paragraphs = self._paragraphs(turn.statements, budget - turn.paste_tokens)
        if turn.paste_tokens:
            lead = self.dice.choice(self._language().leads)
            paragraphs.insert(self.dice.randint(0, len(paragraphs)), f"{lead}\n\n{self._paste(turn.paste_tokens)}")
        return "\n\n".join(paragraphs)

    def _paragraphs(self, statements: list[Statement], budget: float) -> list[str]:
        """Talk with the statements somewhere in it; three or more may come as a list."""
        if len(statements) > 2 and self.dice.random() < 0.5:
            listed = "\n".join(f"- {statement.text}" for statement in statements)
            return [self._talk(budget / 2), listed, self._talk(budget / 2)]
        sentences = self._sentences(max(budget, 20.0), self._language().filler)
        for statement in statements:
            sentences.insert(self.dice.randint(0, len(sentences)), statement.text)
        return self._laid_out(sentences)

    def _laid_out(self, sentences: list[str]) -> list[str]:
        """Sentences in paragraphs of two to seven."""
        found, at = [], 0
        while at < len(sentences):
            size = self.dice.randint(2, 7)
            found.append(self._language().joint.join(sentences[at : at + size]))
            at += size
        return found

    def _sentences(self, budget: float, phrases: tuple[str, ...]) -> list[str]:
        """Sentences for about so many tokens, at least one."""
        found: list[str] = []
        spent = 0.0
        while spent < budget * self.dice.uniform(0.6, 1.2) or not found:
            found.append(self._fresh(phrases))
            spent += rough_tokens(found[-1])
        return found

    def _fresh(self, phrases: tuple[str, ...]) -> str:
        """A sentence that did not stand in this chat before, as far as the phrases allow."""
        for _ in range(12):
            words = self._fill(self.dice.choice(phrases))[0]
            if self.dice.random() < 0.3:
                words = f"{words[:-1]} ({self._fill(self.dice.choice(self._language().asides))[0]}){words[-1]}"
            if words not in self.said:
                break
        self.said.add(words)
        return words

    def _talk(self, budget: float) -> str:
        return self._language().joint.join(self._sentences(budget, self._language().filler))

    def _agent(self, budget: float, question: str | None) -> str:
        share = self.dice.uniform(0.4, 1.6)
        parts = self._laid_out(self._sentences(budget * share, self._language().agent))
        form = self.dice.random()
        if form < 0.25:
            items = self._sentences(budget * 0.3, self._language().agent)
            parts.insert(1, "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1)))
        elif form < 0.4:
            parts.insert(1, f"```python\n{text.module(self._name(), 1)}```")
        if question is not None:
            parts.append(question)
        return "\n\n".join(parts)

    def _name(self) -> str:
        return f"part_{self.dice.randint(100, 999)}.py"

    def _paste(self, tokens: int) -> str:
        """Pasted matter of about so many tokens: fenced, or as it comes out of a mail."""
        form = self.dice.choice(("log", "mail", "table", "code", "json"))
        if form == "mail":
            lines = self._sentences(tokens, self._language().filler)
            head = f"From: {self.dice.choice(_NAMES)}\nSubject: Re: {self._slot('thing', None, set())}"
            return f"{head}\n\n{self._language().joint.join(lines)}"
        if form == "log":
            body = text.log(f"svc{self.dice.randint(10, 99)}", max(2, tokens // 50))
            return f"```\n{body}```" if self.dice.random() < 0.6 else body.rstrip("\n")
        if form == "code":
            return f"```python\n{text.module(self._name(), max(1, tokens // 190))}```"
        if form == "json":
            rows = [self._row(number) for number in range(max(1, tokens // 32))]
            return f"```json\n{json.dumps(rows, ensure_ascii=False, indent=1)}\n```"
        rows = [self._row(number) for number in range(max(2, tokens // 22))]
        table = "\n".join(",".join(map(str, row.values())) for row in rows)
        return f"```csv\n{','.join(rows[0])}\n{table}\n```"

    def _row(self, number: int) -> dict[str, Any]:
        dice = self.dice
        return {
            "row": number + 1,
            "name": dice.choice(_NAMES),
            "reference": f"{self.world.series}-{dice.randint(1000, 9999)}",
            "amount": round(dice.uniform(5, 900), 2),
            "done": dice.random() < 0.5,
        }


def _is_identifier(phrase: str) -> bool:
    """Whether the phrase begins with the slot of an identifier, which keeps its own spelling."""
    first = _SLOT.match(phrase)
    return first is not None and first[1] in IDENTIFIERS


def _differing(make: Callable[[], str], others: set[str]) -> str:
    while (value := make()) in others:
        pass
    return value


def _handle(slots: dict[str, str], words: str) -> str | None:
    """The first identifier that stands in the sentence."""
    return next((slots[name] for name in IDENTIFIERS if name in slots and slots[name] in words), None)


def generate(seed: int) -> Chat:
    """One conversation of 43 to 119 turns and 15,000 to 60,000 tokens, the same for the same seed."""
    return _Writer(seed).chat()


def chats(count: int = 200, first: int = 0) -> Iterator[Chat]:
    """So many conversations, of the seeds from `first` on."""
    return (generate(seed) for seed in range(first, first + count))


def as_anthropic(chat: Chat) -> dict[str, Any]:
    """The same conversation as a request of the Messages API: the system's text beside the messages."""
    system, *spoken = chat.messages
    return {"system": system["content"], "messages": [dict(message) for message in spoken]}


# What stands in a view -----------------------------------------------------------------------


def texts(messages: Iterable[Any]) -> Iterator[str]:
    """Every text of a chat that the model reads, in order; of chat messages or of the Messages API."""
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            yield content
        else:
            yield from (block["text"] for block in content or () if block.get("type") == "text")


def stands(statement: Statement, view: str) -> bool:
    """Whether a statement is in the text of a view, verbatim, behind what it answers or corrects."""
    before = statement.request or statement.corrects
    if before is None:
        return statement.text in view
    at = view.find(before)
    return at >= 0 and view.find(statement.text, at + len(before)) >= 0


def detached(chat: Chat, view: str) -> list[Statement]:
    """Approvals in the text of a view that seem to answer another question than their own.

    Between a question and its approval stands no other question that asks for leave.
    """
    requests = [statement.request for statement in chat.statements if statement.request is not None]
    found = []
    for statement in chat.statements:
        if statement.request is None or not stands(statement, view):
            continue
        at = view.find(statement.request) + len(statement.request)
        answer = view.find(statement.text, at)
        if any(0 <= view.find(request, at) < answer for request in requests):
            found.append(statement)
    return found
