"""Gives each call and its result one name, and reports what does not pair.

Formats differ in how a result points at its call: by an id, by an id that is used twice, by
position, or not at all. Behind this line `Part.call_id` is unique per exchange. A made-up name
begins with `#`; it lives in the model only and never reaches emitted JSON.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cenotaph.core.model import Defect, Kind, Message, Part


@dataclass(slots=True)
class _Call:
    """A call, and whether its result came.

    Attributes:
        name: As the model has it.
        message: Index of its message.
        output: Index of the first message of the output that it is of.
        tool: None where the format names none.
    """

    name: str
    message: int
    output: int
    tool: str | None
    open: bool = True


class _Waiting:
    """Calls that may wait for a result, so that the next one is found at once, however many there are."""

    def __init__(self) -> None:
        self._outputs: list[tuple[int, deque[_Call], dict[str | None, deque[_Call]]]] = []

    def add(self, call: _Call) -> None:
        if not self._outputs or self._outputs[-1][0] != call.output:
            self._outputs.append((call.output, deque(), {}))
        _, calls, by_tool = self._outputs[-1]
        calls.append(call)
        by_tool.setdefault(call.tool, deque()).append(call)

    def first(self, tool: str | None) -> _Call | None:
        """The first open call of the newest output with one; of the tool, if it is named and has one there."""
        while self._outputs:
            _, calls, by_tool = self._outputs[-1]
            found = _front(calls)
            if found is None:
                self._outputs.pop()
                continue
            return found if tool is None else _front(by_tool.get(tool, deque())) or found
        return None


def _front(calls: deque[_Call]) -> _Call | None:
    while calls and not calls[0].open:
        calls.popleft()
    return calls[0] if calls else None


class _Pairing:
    """The state of one walk over a transcript, in order."""

    def __init__(self) -> None:
        self.calls: list[_Call] = []
        self.waiting = _Waiting()
        self.by_id: dict[str, _Waiting] = {}
        self.names: set[str] = set()
        self.again: dict[str, int] = {}
        self.defects: list[Defect] = []

    def unique(self, wanted: str) -> str:
        name, number = wanted, self.again.get(wanted, 1)
        while name in self.names:
            number += 1
            name = f"{wanted}#{number}"
        self.again[wanted] = number
        self.names.add(name)
        return name

    def report(self, code: str, message: int, note: str) -> None:
        self.defects.append(Defect(code, f"message {message}", note))

    def call(self, part: Part, message: int, output: int, number: int, by_format: bool) -> str:
        """Name of a call, which is open from now on."""
        raw = part.call_id
        if raw is None:
            if not by_format:
                self.report("missing-id", message, f"call of {part.tool!r} has no id; paired by order")
            name = self.unique(f"#{message}.{number}")
        else:
            if raw in self.names:
                self.report("duplicate-id", message, f"call id {raw!r} is used again; paired in order")
            name = self.unique(raw)
        call = _Call(name, message, output, part.tool)
        self.calls.append(call)
        self.waiting.add(call)
        if raw is not None:
            self.by_id.setdefault(raw, _Waiting()).add(call)
        return name

    def result(self, part: Part, message: int, number: int, by_format: bool) -> str:
        """Name of the call that a result answers, or a name of its own if there is none."""
        raw = part.call_id
        if raw is None and not by_format:
            self.report("missing-id", message, "result has no call id; paired by order")
        answered = self.waiting.first(part.tool) if raw is None else self.by_id.get(raw, _Waiting()).first(None)
        if answered is not None:
            answered.open = False
            return answered.name
        if raw is not None and raw in self.names:
            self.report("duplicate-id", message, f"a second result for call id {raw!r}; kept, unpaired")
        else:
            self.report("orphan-result", message, f"no open call for result {raw!r}; kept, unpaired")
        return self.unique(raw if raw is not None else f"#{message}.{number}")

    def close(self, messages: Sequence[Message]) -> None:
        """Reports calls that the conversation went on without; open ones at the end are no defect."""
        last = max((i for i, message in enumerate(messages) if _goes_on(message.parts)), default=-1)
        for call in self.calls:
            if call.open and call.message < last:
                self.report("unanswered-call", call.message, f"call {call.name!r} of {call.tool!r} has no result")


def _goes_on(parts: Iterable[Part]) -> bool:
    return any(part.kind is not Kind.result for part in parts)


def pair(messages: Sequence[Message]) -> tuple[tuple[Message, ...], list[Defect]]:
    """The messages with one name per exchange, and what does not pair.

    Args:
        messages: With `Part.call_id` as the format has it, None where it has none.

    Returns:
        The messages (the same objects where nothing had to be named) and the defects in order.
    """
    state = _Pairing()
    paired: list[Message] = []
    output = 0
    for index, message in enumerate(messages):
        output = output if message.continues else index
        parts: list[Part] = []
        changed = False
        number = 0
        for part in message.parts:
            if part.kind is Kind.call:
                name = state.call(part, index, output, number, part.block[:1] == ("function_call",))
                number += 1
            elif part.kind is Kind.result:
                name = state.result(part, index, number, message.role == "function")
                number += 1
            else:
                parts.append(part)
                continue
            changed = changed or name != part.call_id
            parts.append(part if name == part.call_id else replace(part, call_id=name))
        paired.append(replace(message, parts=tuple(parts)) if changed else message)
    state.close(messages)
    return tuple(paired), state.defects


_MADE_UP = re.compile(r"#\d+(?:\.\d+)?\Z")


def paired_anew(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Messages that were read in several pieces, with names as if they had been read at once.

    Names that were made up in one piece mean nothing in another: a call that came in one and its result
    that came in the next are paired here.
    """
    if not any(_MADE_UP.search(part.call_id) for m in messages for part in m.parts if part.call_id is not None):
        return tuple(messages)
    return pair([_unnamed(message) for message in messages])[0]


def _unnamed(message: Message) -> Message:
    parts = tuple(
        part if part.call_id is None else replace(part, call_id=_MADE_UP.sub("", part.call_id) or None)
        for part in message.parts
    )
    return message if parts == message.parts else replace(message, parts=parts)
