"""Which rules of its provider an input breaks, in words. Changes nothing and decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cenotaph.core.joining import joined_messages
from cenotaph.core.readout import Readout
from cenotaph.dialects.rule_books import BOOKS
from cenotaph.dialects.rule_text import RuleText, text_of

__all__ = ["BrokenRule", "RuleText", "RulesReport", "broken_rules"]


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One place where a rule is broken.

    Attributes:
        rule: The rule in words.
        message: Index of the message in the view; -1 for the request as a whole.
        note: What is wrong there.
    """

    rule: RuleText
    message: int
    note: str


@dataclass(frozen=True, slots=True)
class RulesReport:
    """What a provider would refuse of an input.

    Attributes:
        wire: Name of the wire format.
        looked_at: How many rules were asked: some can be asked only of a whole request.
        broken: Rule by rule, in the order of the messages; empty if the input breaks none.
    """

    wire: str
    looked_at: int
    broken: tuple[BrokenRule, ...]


def broken_rules(readout: Readout) -> RulesReport:
    """Asks every rule that the messages, and the request around them if there is one, can be asked."""
    transcript = readout.transcript
    tools = None if transcript.tool_names is None else bool(transcript.tool_names)
    body = transcript.request if isinstance(transcript.request, Mapping) else None
    messages, sizes = joined_messages(transcript.messages, readout.wire)
    firsts = [sum(sizes[:at]) for at in range(len(sizes))]
    asked = list(BOOKS[transcript.wire].checks(messages, body, tools=tools))
    broken = (
        BrokenRule(text_of(rule), firsts[breach.message] if breach.message >= 0 else -1, breach.note)
        for rule, breaches in asked
        for breach in breaches
    )
    return RulesReport(transcript.wire, len(asked), tuple(broken))
