"""What Cenotaph is compared with: a rolling summarizer, as agents ship it.

Above the trigger it replaces the oldest 30 % of the messages by a summary. The summary is scripted:
it says what such summaries were seen to say of this very material, where a prohibition became a
preference, `blocked` became `pending`, and exact values were left out. Each loss can be repaired on
its own, by which a test shows that a loss, and not the agent, causes the failure that follows it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from cenotaph.testing.story.gauge import Gauge
from cenotaph.testing.story.transcript import CHECKSUM, ENV_LITERAL, PLAN, RULE, human

__all__ = ["LOSSES", "RollingSummary"]

LOSSES: Final = ("rule", "state", "literal", "checksum")
"""What the summary loses, by name."""

SHARE: Final = 0.30
"""Of the tokens that it sees, how many of the oldest it replaces."""


def _summary(repaired: Collection[str]) -> str:
    rule = f"The user's rule: {RULE}." if "rule" in repaired else "The user prefers careful changes in production."
    literal = f", with {ENV_LITERAL}" if "literal" in repaired else ""
    checksum = f" (bundle_sha256: {CHECKSUM})" if "checksum" in repaired else ""
    steps = []
    for step in PLAN:
        state = step["status"]
        if state == "blocked":
            state = f"blocked: {step['note']}" if "state" in repaired else "pending"
        steps.append(f"{step['id']}. {step['step']} ({state})")
    return "\n".join(
        [
            "Summary of the conversation so far:",
            f"- The team prepares the failover of the payments database. {rule}",
            f"- The pool now prefers a healthy standby, and its tests were rewritten{literal}.",
            f"- The release bundle was received and looked complete{checksum}.",
            f"- The plan has three steps: {'; '.join(steps)}.",
        ]
    )


class RollingSummary:
    """Replaces the oldest messages by a summary; what they said is gone.

    Attributes:
        name: For the report.
        cuts: How often it summarized.
    """

    name = "rolling summary"

    def __init__(self, gauge: Gauge, trigger_tokens: int, *, repaired: Collection[str] = ()) -> None:
        """Makes one for one session.

        Args:
            gauge: Counts messages.
            trigger_tokens: Above this it summarizes.
            repaired: Names of `LOSSES` that its summary does not make.

        Raises:
            ValueError: A name that is no loss.
        """
        unknown = sorted(set(repaired) - set(LOSSES))
        if unknown:
            raise ValueError(f"no loss is called {unknown[0]!r}; there are {', '.join(LOSSES)}")
        self.cuts = 0
        self._gauge = gauge
        self._trigger = trigger_tokens
        self._summary = human(_summary(frozenset(repaired)))
        self._gone = 1

    def view(self, messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The system message, the summary if there is one, and what was not summarized."""
        if self._gauge.total(self._shown(messages)) > self._trigger:
            self._gone = self._cut(messages)
            self.cuts += 1
        return self._shown(messages)

    def _shown(self, messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        summary = [self._summary] if self.cuts else []
        return [*messages[:1], *summary, *messages[self._gone :]]

    def _cut(self, messages: Sequence[Mapping[str, Any]]) -> int:
        """The message before which the oldest `SHARE` ends; never between a call and its result."""
        wanted = SHARE * self._gauge.total(self._shown(messages))
        at, passed = self._gone, 0
        while at < len(messages) and passed + self._gauge.tokens(messages[at]) <= wanted:
            passed += self._gauge.tokens(messages[at])
            at += 1
        while messages[at]["role"] == "tool":
            at -= 1
        return at
