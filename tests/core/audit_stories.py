"""Short histories for the tests of what happened after a compaction, told call by call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cenotaph.core.audit.model import Chronicle, Event, Evidence, Judgement, Mechanism, Statement, Verdict
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance
from cenotaph.core.statements import sentences


def _message(role: str, part: Part) -> Message:
    return Message({"role": role, "content": part.text}, role, (part,))


def _text(text: str, provenance: Provenance) -> Part:
    return Part(kind=Kind.text, provenance=provenance, block=(), path=("content",), text=text)


@dataclass
class Story:
    """A history that is written down as it happens; all before `compact` is removed by it.

    Attributes:
        messages: So far.
        events: The compactions so far.
    """

    messages: list[Message] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def says(self, text: str) -> Story:
        """A person speaks."""
        self.messages.append(_message("user", _text(text, Provenance.user)))
        return self

    def replies(self, text: str) -> Story:
        """The agent speaks."""
        self.messages.append(_message("assistant", _text(text, Provenance.agent)))
        return self

    def calls(
        self,
        tool: str,
        args: dict[str, JSON],
        result: str | None = "ok",
        *,
        failed: bool = False,
        marks: Sequence[Mark] = (),
    ) -> Story:
        """The agent calls a tool; `result` None: nothing came back."""
        name = f"call-{len(self.messages)}"
        call = Part(Kind.call, Provenance.agent, (), ("content",), str(args), call_id=name, tool=tool, args=args)
        self.messages.append(_message("assistant", call))
        if result is not None:
            answer = Part(
                Kind.result,
                Provenance.tool,
                (),
                ("content",),
                result,
                call_id=name,
                failed=failed,
                marks=frozenset(marks),
            )
            self.messages.append(_message("user", answer))
        return self

    def runs(self, command: str, result: str | None = "ok", *, failed: bool = False) -> Story:
        """The agent runs a command."""
        return self.calls("Bash", {"command": command}, result, failed=failed)

    def reads(self, path: str, text: str = "one\ntwo\nthree") -> Story:
        """The agent reads a file."""
        return self.calls("Read", {"file_path": path}, text)

    def edits(self, path: str) -> Story:
        """The agent changes a file."""
        return self.calls("Edit", {"file_path": path, "old_string": "a", "new_string": "b"})

    def compact(self, *, keep: int = 0) -> Story:
        """A compaction that removes all but the last `keep` messages of what stood since the last one."""
        start = self.events[-1].at if self.events else 0
        before = tuple(self.messages[start:])
        gone = before[: len(before) - keep]
        removed = tuple((at, part) for at, message in enumerate(gone) for part in range(len(message.parts)))
        self.events.append(Event(Mechanism.claude_code_full, len(self.messages), before, before[len(gone) :], removed))
        return self

    def ended(self) -> Chronicle:
        """The history."""
        return Chronicle("claude-code", "anthropic", None, tuple(self.messages), tuple(self.events))

    def lost(self, verdict: Verdict = Verdict.dropped) -> list[list[Judgement]]:
        """As if each compaction had lost every sentence that a person had said before it."""
        told: list[list[Judgement]] = []
        for event in self.events:
            told.append([])
            for message in event.before:
                for part in message.parts:
                    if part.provenance is Provenance.user and part.kind is Kind.text:
                        for one in sentences(part.text):
                            statement = Statement(part.text[one.start : one.end], Provenance.user)
                            told[-1].append(Judgement(statement, verdict, (Evidence((0, 1)),)))
        return told
