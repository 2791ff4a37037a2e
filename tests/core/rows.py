"""What each span of a transcript is, for tests: row ids by the words or the call that name a span."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cenotaph.api import ClassifiedSpan, classify

CODE = "claude-code"
"""Name of the tool profile that most tests use."""


def spans(messages: Any, *, tools: Iterable[Any] = (CODE,), **how: Any) -> list[ClassifiedSpan]:
    return classify(messages, tools=tools, **how)


def row_of(messages: Any, words: str, *, kind: str | None = None, **how: Any) -> str:
    """The row of the one span that holds `words`."""
    found = [s for s in spans(messages, **how) if words in s.text and kind in (None, s.kind)]
    assert len({s.row for s in found}) == 1, f"{words!r}: {[(s.kind, s.row, s.text[:40]) for s in found]}"
    return found[0].row


def rows(messages: Any, **how: Any) -> list[str]:
    return [span.row for span in spans(messages, **how)]
