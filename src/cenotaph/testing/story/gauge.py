"""How many tokens messages have: the library's own count, one message at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cenotaph.core.plan import Framing
from cenotaph.core.spans import tokens_of
from cenotaph.core.tokens import message_framing
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.runtime.counters import counter_for

__all__ = ["Gauge"]


class Gauge:
    """Counts each message once; totals agree with what a compaction reports.

    Attributes:
        name: Of the counter.
        basis: "exact" or "estimated".
    """

    def __init__(self, model: str) -> None:
        self._counter = counter_for(model=model, wire=OPENAI_CHAT.name)
        self._frame = Framing(*message_framing(OPENAI_CHAT.name))
        self._known: dict[int, tuple[Mapping[str, Any], int]] = {}
        self.name = self._counter.name
        self.basis = self._counter.basis

    def tokens(self, message: Mapping[str, Any]) -> int:
        """Of one message, with its framing. Messages are not edited in place while a gauge lives."""
        known = self._known.get(id(message))
        if known is not None:
            return known[1]
        [parsed] = OPENAI_CHAT.parse_messages([message])
        tokens = self._frame.message
        for part in parsed.parts:
            tokens += tokens_of(part, part.text, self._counter) + self._frame.of(part.kind)
        self._known[id(message)] = (message, tokens)
        return tokens

    def total(self, messages: Sequence[Mapping[str, Any]]) -> int:
        """Of a whole request's messages."""
        return self._frame.request + sum(self.tokens(message) for message in messages)
