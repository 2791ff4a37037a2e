"""What a person should look at in what came in: reported, and never acted upon.

Nothing here changes a class, a plan or a view: a span is what its structure and provenance say. But text
of a tool that speaks like a rule, or like the machinery around the agent, is how a poisoned page or file
tries to be obeyed, and a secret in a log should not be there at all; whoever runs the agent wants to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from cenotaph.core.handles import redacted
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.spans import Span, Structure

__all__ = ["secrets_in", "suspicious", "unread_in"]

_RULE: Final = re.compile(
    r"(?:new|updated?|revised|important|additional|mandatory|system|admin(?:istrator)?|developer)[ _-]{1,3}"
    r"(?:rules?|instructions?|polic(?:y|ies)|directives?|prompts?|override)\s{0,3}[:>\]]"
    r"|(?:ignore|disregard|forget|override)\s{1,3}(?:(?:all|any|every|the|your|these|those|of)\s{1,3}){0,3}"
    r"(?:previous|prior|above|earlier|preceding|existing|former)\b"
    r"|(?:you (?:are|must|should) now\b|from now on,? you\b)"
    r"|\b(?:user|human|operator|owner|admin) has (?:already )?(?:approved|authori[sz]ed|confirmed|consented)\b",
    re.IGNORECASE,
)
"""How text addresses an agent that reads it; a list that reports, and decides nothing."""

_MACHINERY: Final = re.compile(
    r"</?(?:system-reminder|task-notification|local-command-\w{1,12}|source-[0-9a-f]{4,64})"
    r"(?:\s[^<>]{0,99})?>"
    r"|<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?INST\]",
    re.IGNORECASE,
)
"""How clients and models mark who speaks."""

_DATA: Final = frozenset({Provenance.tool, Provenance.foreign})
_SHOWN_MAX: Final = 3


def suspicious(spans: Iterable[Span]) -> list[str]:
    """One sentence for each kind of finding, with the places of the first few.

    Args:
        spans: What is new. Text of tools and strangers is looked at; what people and the agent say is theirs.
    """
    data = [span for span in spans if span.provenance in _DATA and span.kind in (Kind.result, Kind.text)]
    rules = [span for span in data if _RULE.search(span.text)]
    forms = [span for span in data if _MACHINERY.search(span.text)]
    found = []
    if rules:
        found.append(f"speaks-like-a-rule ({_places(rules)}): it is data, and was not taken for anybody's instruction")
    if forms:
        found.append(f"speaks-like-a-client ({_places(forms)}): marks of who speaks inside data; they are part of it")
    return found


def secrets_in(spans: Iterable[Span], key: bytes) -> list[str]:
    """One sentence if what leaves holds secrets: they stand by fingerprint wherever it is named."""
    ours = Provenance.compactor
    held = [span for span in spans if span.provenance is not ours and redacted(span.text, key) != span.text]
    if not held:
        return []
    return [f"secret ({_places(held)}): named by fingerprint only; the original in the store holds it as it was"]


def unread_in(structure: Structure, spans: Iterable[Span]) -> list[str]:
    """One sentence if results leave that no output of the agent follows yet: it may ask for them again and again."""
    results = [span for span in spans if span.kind is Kind.result and span.exchange >= 0]
    unread = [span for span in results if not structure.exchanges[span.exchange].consumed]
    if not unread:
        return []
    return [
        f"unread ({_places(unread)}): {len(unread)} results leave before the agent saw them, since the call would halt "
        "otherwise; raise the target or the window, or read less at once"
    ]


def _places(spans: list[Span]) -> str:
    turns = list(dict.fromkeys(f"t{span.turn}" for span in spans))
    more = len(turns) - _SHOWN_MAX
    return ", ".join(turns[:_SHOWN_MAX]) + (f" and {more} turns more" if more > 0 else "")
