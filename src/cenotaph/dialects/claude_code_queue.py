"""What a person typed while the agent was running, and what became of it.

The client queues such input and writes `queue-operation` records: `enqueue` with the text, then one
of three ends. Their meaning was measured on 59 operations in 10 of 44 real sessions:

- `dequeue` (no content): the turn was over and the text starts the next one. A `user` record with the
  same text follows within milliseconds (1 of 1), so the queue records add nothing.
- `remove` (no content): the text was handed to the *running* turn, right after the results of a tool
  batch. No user record holds it (0 of 25), and what the agent says next answers it ("The user is asking
  if ..."; even "The user sent a command `/config`"). It is a delivery, not a cancellation, and the text
  stands only here. Newer clients write an `attachment` of type `queued_command` beside it.
- `popAll` (with content): the person took the queue back into the input line, to edit or drop it; the
  agent never saw it (3 of 3; two came back edited, as another `enqueue`). It cancels what it names.

A delivery may also come without any end: one notification became a user record while no queue record
said so. So every user record settles the entry that has its text, whatever the queue says.

So a queued text is shown unless a `popAll` names exactly it, or a later user record or attachment
holds it. A `remove` that carries content was not seen; it counts as the delivery of that content. A
text whose end was never written is still waiting: it is shown where it was typed. Machine text
(notifications) takes the same road and is told apart by the table of forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cenotaph.core.ids import JSON
from cenotaph.dialects.claude_code_forms import is_command
from cenotaph.dialects.claude_code_records import Record

__all__ = ["Delivery", "deliveries", "queued_prompt"]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A queued text that stands in no other record.

    Attributes:
        at: Index of the record where it reached the agent, or where it was typed if it still waits.
        text: Verbatim.
        waiting: Nothing in the file says that it reached the agent.
    """

    at: int
    text: str
    waiting: bool


@dataclass(slots=True, eq=False)
class _Queued:
    """An enqueued text on its way; `at` is where it reached the agent, `by` the operation that says so."""

    text: str
    typed: int
    at: int | None = None
    by: str = ""


def deliveries(records: Sequence[Record]) -> list[Delivery]:
    """Every queued text that stands only in queue records, in order of its place.

    Args:
        records: All records of the file.
    """
    queue = _Queue()
    for record in records:
        if record.type == "queue-operation":
            queue.operate(record)
        elif queue.entries:
            for text in _said(record):
                queue.hear(text)
    found = [
        Delivery(entry.typed if entry.at is None else entry.at, entry.text, entry.at is None) for entry in queue.entries
    ]
    return sorted(found, key=lambda delivery: delivery.at)


class _Queue:
    """The queue as its records tell it; `entries` are the texts that no other record holds."""

    def __init__(self) -> None:
        self.entries: list[_Queued] = []
        self.begun: list[_Queued] = []
        """Taken by a `dequeue`, and the user record that begins their turn is not yet seen."""

    def operate(self, record: Record) -> None:
        text = record.content
        if record.operation == "enqueue":
            if text is not None and text.strip():
                self.entries.append(_Queued(text, record.index))
            return
        waiting = [entry for entry in self.entries if entry.at is None]
        if record.operation == "popAll" and text is not None:
            taken_back = [entry for entry in waiting if _names(text, entry.text)]
            self.entries = [entry for entry in self.entries if entry not in taken_back]
        elif record.operation in ("dequeue", "remove") and waiting:
            entry = next((e for e in waiting if e.text == text), waiting[0])
            entry.at, entry.by = record.index, record.operation
            if record.operation == "dequeue":
                self.begun.append(entry)

    def hear(self, said: str) -> None:
        """A record of its own brings `said` before the agent: the entry with that text is settled.

        One record settles one entry, so a text that was typed twice and brought once stays once.
        """
        same = [entry for entry in self.entries if entry.text.strip() == said]
        if same:
            self._settle(next((e for e in same if e.at is not None), same[0]))
            return
        for entry in [e for e in self.begun if _begins_with(said, e.text.strip())]:
            self._settle(entry)
        if not said.startswith("<"):  # a person's words: the turn that a `dequeue` announced has begun
            self.begun.clear()

    def _settle(self, entry: _Queued) -> None:
        self.entries = [e for e in self.entries if e is not entry]
        self.begun = [e for e in self.begun if e is not entry]


def _begins_with(said: str, text: str) -> bool:
    """A new turn may join several queued texts, and turns a slash command into its own group."""
    if _names(said, text):
        return True
    name = text.split(maxsplit=1)[0]
    return name.startswith("/") and is_command(said) and f"<command-name>{name}</command-name>" in said


def queued_prompt(attachment: Mapping[str, JSON]) -> JSON | None:
    """What a `queued_command` attachment puts before the agent: a string or blocks; else None."""
    if attachment.get("type") != "queued_command":
        return None
    prompt = attachment.get("prompt")
    return prompt if isinstance(prompt, str | list) and prompt else None


def _names(popped: str, text: str) -> bool:
    """The text taken back is the queued one, or whole lines of it: several are joined by newlines."""
    return f"\n{text.strip()}\n" in f"\n{popped.strip()}\n"


def _said(record: Record) -> list[str]:
    """The texts that a record of its own brings before the agent."""
    content: JSON = None
    if record.type == "user" and record.message is not None and not record.summary:
        content = record.message["content"]
    elif record.type == "attachment" and record.detail is not None:
        content = queued_prompt(record.detail)
    if isinstance(content, str):
        return [content.strip()]
    if not isinstance(content, list):
        return []
    blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
    texts = [block.get("text") for block in blocks]
    return [text.strip() for text in texts if isinstance(text, str)]
