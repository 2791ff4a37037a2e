"""A coding agent that goes on for thousands of turns, and a client that checks what it is shown.

`LongRun` writes the session, the same for the same seed: a person's words, tool calls with results of natural
sizes, plans whose steps become blocked and done. It keeps hashes of what it wrote, not the text. `Client` sends
it to a `Session` before each model call, in either of the two ways in which clients do, and notes what does not
hold of the views that come back.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from cenotaph.api.recall import rehydrate
from cenotaph.api.session import Session
from cenotaph.errors import BudgetExhausted, CenotaphError, IndexBudgetExceeded
from cenotaph.testing.story import text

__all__ = ["MODEL", "PINNED", "STYLES", "Client", "LongRun", "Step", "digest"]

MODEL: Final = "claude-sonnet-4-5"
STYLES: Final = ("history", "view")
"""What a client sends: its whole history each time, or the last view with what came since."""

PINNED: Final = (
    "Nothing under deploy/prod/ is changed without a signed change request.",
    "Die Kundendaten bleiben auf db-7.internal.example.",
)
"""Sentences of the first turns that the caller pins."""

_OWN_SHARE_MAX: Final = 0.03
_OWN_TOKENS_MIN: Final = 1_000
_POINTER: Final = re.compile(r"(?<![\w:./%-])cx:[0-9a-f]{6,}")
_NUDGES: Final = ("Go on.", "Next.", "Carry on, please.", "And then?", "OK.", "Keep going.", "Fine so far.")
_TASKS: Final = (
    "Look at {path} next.",
    "There is something odd in {path}, please find out what.",
    "Could you tidy up {path}?",
    "The tests for {path} take too long.",
)
_STATEMENTS: Final = (
    "Never push to the branch release-{n}.",
    "The cap for job J-{n} is {m} MB.",
    "Ticket OPS-{n} belongs to {name}.",
    "Leave {path} alone until OPS-{n} is closed.",
    "I would rather have the module for J-{n} small than fast.",
    "In the end J-{n} has to run without anybody watching.",
    "Für J-{n} gilt weiterhin der Stand vom Mai.",
    "No retries for J-{n}, it sends mail.",
)
_NAMES: Final = ("Dana", "Ines", "Maria", "Yuki", "Lea", "Noor")
_THOUGHTS: Final = (
    "I read {path} to see where the value comes from.",
    "The failure points to {path}, so I look there first.",
    "Before I change anything I check who calls it.",
    "Let me run the tests again.",
)
_ANSWERS: Final = (
    "The change in {path} is small: one comparison was the wrong way round.",
    "All {m} tests pass now, except for the two that were red before.",
    "I decided to keep the old name, because OPS-{n} refers to it.",
    "The log shows {m} retries within a minute, all from the same worker.",
    "Nothing else in the module had to be touched.",
    "What is left is the cleanup of the fixtures.",
)
_CHORES: Final = ("Read the callers", "Fix the comparison", "Extend the tests", "Update the notes", "Measure again")


def digest(words: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(words.encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True)
class Original:
    """A tool result that was written: where it stands, and its hash.

    Attributes:
        turn, n: Turn from 1, and number of the exchange in it, from 1.
        sha256: Of its text.
    """

    turn: int
    n: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Step:
    """What came since the last model call, up to the next one.

    Attributes:
        messages: In the form of the Messages API; the last one is a person's or a result.
        turn: Number of the turn, from 1.
        originals: Tool results among them.
    """

    messages: list[dict[str, Any]]
    turn: int
    originals: tuple[Original, ...] = ()


class LongRun:
    """A session as it goes on.

    Args:
        seed: Decides everything.
        talk: Share of the turns in which the person says more than a nudge.
        states: Share of the turns in which the person states something.
        exchanges: Most tool exchanges of a turn.

    Attributes:
        statements: What the person stated so far, in order.
        plan: The todos of the plan as they are now.
        turn: Turns so far.
    """

    def __init__(self, seed: int, *, talk: float = 0.5, states: float = 0.2, exchanges: int = 5) -> None:
        self.statements: list[str] = []
        self.plan: list[dict[str, str]] = []
        self.turn = 0
        self._dice = Random(f"long run {seed}")
        self._talk, self._states, self._exchanges = talk, states, exchanges
        self._paths = [f"src/{text.Dice(str(n)).hex(3)}/part_{n}.py" for n in range(240)]
        self._calls = 0
        self._corrected: list[tuple[int, int]] = []
        self._last_words: str | None = None

    def steps(self, turns: int) -> Iterator[Step]:
        """So many further turns, a step for each model call."""
        for _ in range(turns):
            self.turn += 1
            opening = self._human()
            said = [] if self._last_words is None else [_agent(_text(self._last_words))]
            yield Step([*said, {"role": "user", "content": opening}], self.turn)
            for n in range(1, self._dice.randint(1, self._exchanges) + 1):
                yield self._exchange(n)
            self._last_words = " ".join(self._say(self._dice.choice(_ANSWERS)) for _ in range(self._dice.randint(1, 4)))

    def _say(self, phrase: str, number: int | None = None) -> str:
        dice = self._dice
        return phrase.format(
            path=dice.choice(self._paths),
            n=dice.randint(1_000, 99_999) if number is None else number,
            m=dice.randint(12, 990),
            name=dice.choice(_NAMES),
        )

    def _human(self) -> str:
        """One message of the person; the pinned sentences come in the first two turns."""
        sentences = []
        if self.turn <= len(PINNED):
            sentences.append(PINNED[self.turn - 1])
        if self._dice.random() < self._talk:
            sentences.append(self._say(self._dice.choice(_TASKS)))
        if self._dice.random() < self._states:
            sentences.append(self._statement())
        return " ".join(sentences or [self._dice.choice(_NUDGES)])

    def _statement(self) -> str:
        """A statement that did not stand before; one in four contradicts an earlier cap."""
        if self._corrected and self._dice.random() < 0.25:
            number, cap = self._corrected.pop(self._dice.randrange(len(self._corrected)))
            words = f"Correction: the cap for job J-{number} is {cap + self._dice.randint(1, 400)} MB."
        else:
            number = 100_000 + len(self.statements)
            words = self._say(self._dice.choice(_STATEMENTS), number)
            cap_of = re.search(r"cap for job J-\d+ is (\d+) MB", words)
            if cap_of is not None:
                self._corrected.append((number, int(cap_of[1])))
        self.statements.append(words)
        return words

    def _exchange(self, n: int) -> Step:
        """One agent message with calls, and the message with their results."""
        plans = n == 1 and (not self.plan or self._dice.random() < 0.15)
        made = [self._planned()] if plans else [self._worked() for _ in range(self._dice.choice((1, 1, 1, 2, 3)))]
        calls, results, originals = [], [], []
        for tool, arguments, answer in made:
            self._calls += 1
            identity = f"toolu_{self._calls:06d}"
            calls.append({"type": "tool_use", "id": identity, "name": tool, "input": arguments})
            results.append({"type": "tool_result", "tool_use_id": identity, "content": answer})
            originals.append(Original(self.turn, n, digest(answer)))
        words = f"Step {self._calls}: {self._say(self._dice.choice(_THOUGHTS))}"  # none twice: a view may hold it alone
        thought = [_text(words)] if self._dice.random() < 0.4 else []
        return Step([_agent(*thought, *calls), {"role": "user", "content": results}], self.turn, tuple(originals))

    def _worked(self) -> tuple[str, dict[str, Any], str]:
        """A call of one of the tools with what it gave."""
        dice, path = self._dice, self._dice.choice(self._paths)
        tool = dice.choices(("Read", "Grep", "Bash", "Edit"), (9, 4, 5, 5))[0]
        if tool == "Read":
            body = text.module(f"{path} as of {self._calls}", dice.choice((1, 2, 2, 4, 7, 12)))
            return tool, {"file_path": path}, body
        if tool == "Grep":
            pattern = f"find_{dice.randint(1, 400)}"
            return (
                tool,
                {"pattern": pattern, "path": "src"},
                text.matches(pattern, f"src/{self._calls}", dice.randint(2, 25)),
            )
        if tool == "Bash":
            log = text.log(f"run-{self._calls}", dice.choice((2, 4, 8, 15, 30)))
            return tool, {"command": f"make test-{dice.randint(1, 90)}"}, f"{log}exit status {dice.randint(0, 2)}"
        old, new = (
            text.module(f"{path} old {self._calls}", 1)[200:900],
            text.module(f"{path} new {self._calls}", 1)[200:900],
        )
        return tool, {"file_path": path, "old_string": old, "new_string": new}, f"The file {path} has been updated."

    def _planned(self) -> tuple[str, dict[str, Any], str]:
        """The plan, brought forward by a step: pending, in progress, blocked for an approval, completed."""
        if not any(step["status"] != "completed" for step in self.plan):
            number = self._dice.randint(1_000, 99_999)
            self.plan = [{"content": f"{chore} for OPS-{number}", "status": "pending"} for chore in _CHORES]
        at = next(index for index, step in enumerate(self.plan) if step["status"] != "completed")
        after = {"pending": ("in_progress",), "in_progress": ("completed", "blocked"), "blocked": ("completed",)}
        status = self._dice.choice(after[self.plan[at]["status"]])
        step = {"content": self.plan[at]["content"], "status": status}
        if status == "blocked":
            step["note"] = (
                f"waits for approval of CHG-{self._dice.randint(1_000, 9_999)} by {self._dice.choice(_NAMES)}"
            )
        self.plan = [*self.plan[:at], step, *self.plan[at + 1 :]]
        return "TodoWrite", {"todos": self.plan}, "Todos have been modified successfully."


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def _agent(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def _canonical(message: Any) -> str:
    return json.dumps(message, ensure_ascii=False, sort_keys=True)


def _strings(value: Any) -> Iterator[str]:
    """Every text in a message, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from _strings(child)
    elif isinstance(value, list):
        for child in value:
            yield from _strings(child)


def _todos(messages: Sequence[Any]) -> Any:
    """The plan that the newest plan call of a view sets; None if there is none."""
    for message in reversed(messages):
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_use" and block["name"] == "TodoWrite":
                return block["input"]["todos"]
    return None


@dataclass
class Client:
    """Sends a long run to a session, and notes what does not hold.

    Attributes:
        run: What is sent.
        open_session: Makes a session object anew, on the same store and under the same name.
        store: URL of the store.
        window: Tokens of the model's window.
        style: One of `STYLES`.
        checks: Whether views are checked; without, they are only taken.
        cuts, halts: How many there were.
        calls: Calls of `view`.
        lifted: Statements that once stood in a view without their message, in order.
        faults: Sentences about what does not hold.
    """

    run: LongRun
    open_session: Callable[[], Session]
    store: str
    window: int
    style: str = "history"
    checks: bool = True
    cuts: int = 0
    halts: int = 0
    calls: int = 0
    lifted: dict[str, None] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    sent: list[Any] = field(default_factory=list)
    view: Sequence[Any] = ()

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"style={self.style!r}: one of {', '.join(STYLES)}")
        self.session = self.open_session()
        self._digests: set[str] = set()
        self._before: list[str] = []
        self._records: set[str] = set()

    def restart(self) -> None:
        """The program ends and starts again: a session object that knows nothing but the store."""
        self.session = self.open_session()

    def step(self, step: Step) -> bool:
        """One model call.

        Returns:
            Whether a cut was made.
        """
        self._digests.update(original.sha256 for original in step.originals)
        if self.style == "history":
            self.sent += step.messages
        else:
            self.sent = [*self.view, *step.messages]
        self.calls += 1
        try:
            shown = self.session.view(self.sent)
        except (BudgetExhausted, IndexBudgetExceeded) as halt:
            self.halts += 1
            self._fault(f"{type(halt).__name__}: {str(halt)[:200]}")
            self.view, self._before = self.sent, []
            return False
        record = None if self.session.last is None else self.session.last.record
        cut = record is not None and record.record_id not in self._records
        if record is not None:
            self._records.add(record.record_id)
        self.cuts += cut
        self.view = shown
        if self.checks:
            self._check(shown, cut=cut)
        return cut

    def _fault(self, words: str) -> None:
        self.faults.append(f"turn {self.run.turn}, cut {self.cuts}, {self.style}: {words}")

    def _check(self, view: Sequence[Any], *, cut: bool) -> None:
        forms = [_canonical(message) for message in view]
        if not cut and forms[: len(self._before)] != self._before:
            self._fault("the prefix changed without a cut")
        self._before = forms
        own_objects = {id(message) for message in self.sent}
        sent_forms = {_canonical(message) for message in self.sent}
        if any(form in sent_forms and id(m) not in own_objects for form, m in zip(forms, view, strict=True)):
            self._fault("an untouched message is another object")
        if cut:
            self._check_cut(view)

    def _check_cut(self, view: Sequence[Any]) -> None:
        shown = "\n".join(words for message in view for words in _strings(message))
        untouched = {id(message) for message in self.sent}
        spoken = "\n".join(w for m in view if id(m) in untouched for w in _strings(m))
        for words in self.lifted:
            if words not in shown:
                self._fault(f"was lifted and is gone: {words!r}")
        self.lifted.update(dict.fromkeys(w for w in self.run.statements if w in shown and w not in spoken))
        for words in PINNED[: self.run.turn]:
            if words not in shown:
                self._fault(f"a pin is gone: {words!r}")
        if self.run.plan and _todos(view) != self.run.plan:
            self._fault(f"the plan is {self.run.plan}, shown is {_todos(view)}")
        self._check_own_text()
        for pointer in sorted(set(_POINTER.findall(shown))):
            self._check_pointer(pointer)

    def _check_own_text(self) -> None:
        assert self.session.last is not None
        own = self.session.last.record.token_profile["own_text"] if self.session.last.record else 0
        bound = max(self.window * _OWN_SHARE_MAX, _OWN_TOKENS_MIN)
        if own > bound:
            self._fault(f"own text is {own} tokens, above {bound:.0f}")

    def _check_pointer(self, pointer: str) -> None:
        """It resolves, and what it brings of a tool is what a tool gave."""
        try:
            found = rehydrate(pointer, store=self.store, session=self.session.name)
        except CenotaphError as error:
            self._fault(f"{pointer} does not resolve: {type(error).__name__}: {str(error)[:120]}")
            return
        results = [one for one in found if one.provenance == "tool"]
        if not found or not all(digest(one.text) in self._digests for one in results):
            self._fault(f"{pointer} brings what was never written")

    def missing(self) -> list[str]:
        """Statements that stand nowhere in the last view."""
        shown = "\n".join(words for message in self.view for words in _strings(message))
        return [words for words in self.run.statements if words not in shown]
