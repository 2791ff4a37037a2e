"""What a provider rule says of itself: its docstring is the one place where it is told.

A rule is a function that gives the breaches of a request. Its docstring opens with its id and what it asks
for, and ends with where that was read (`Source: ...`). Whoever shows a rule reads it there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach

__all__ = ["Check", "RuleText", "asked", "found_by", "messages_in", "text_of"]

Check = tuple[Callable[..., Any], list[Breach]]
"""A rule that was asked, and what it found."""

_HEAD = re.compile(r"(?P<id>\S+)(?: on a cut)?: (?P<says>.*)")
_PARAGRAPH = re.compile(r"\n\s*\n")
_ARGUMENTS = "Args:"
_SOURCE = "Source: "


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule in words.

    Attributes:
        id: In the provider's rule table, e.g. `A1`.
        says: What it asks for; "" where Python was told to drop docstrings (`-OO`).
        note: What else is to be known of it: exceptions, and what is not decided here; "" if nothing.
        source: Where it was read; "" as for `says`.
    """

    id: str
    says: str
    note: str
    source: str


def text_of(rule: Callable[..., Any]) -> RuleText:
    """The words of a rule, from its docstring; the name of the function stands in for an id that is not there."""
    paragraphs = [" ".join(part.split()) for part in _PARAGRAPH.split(rule.__doc__ or "")]
    claim, _, source = "\n".join(part for part in paragraphs if not part.startswith(_ARGUMENTS)).partition(_SOURCE)
    says, _, note = claim.partition("\n")
    head = _HEAD.fullmatch(says.strip())
    if head is None:
        return RuleText(rule.__name__, "", "", "")
    return RuleText(head["id"], head["says"], " ".join(note.split()), " ".join(source.split()))


def asked(rules: Iterable[Callable[[Sequence[JSON]], list[Breach]]], messages: Sequence[JSON]) -> Iterator[Check]:
    """Each rule on messages with what it finds in these."""
    return ((rule, rule(messages)) for rule in rules)


def found_by(checks: Iterable[Check]) -> list[Breach]:
    """All breaches, rule by rule."""
    return [breach for _, breaches in checks for breach in breaches]


def messages_in(body: Mapping[str, JSON], key: str) -> Sequence[JSON] | None:
    """The messages of a request body; None if there is no list of them under the key."""
    messages = body.get(key)
    return messages if isinstance(messages, list | tuple) else None
