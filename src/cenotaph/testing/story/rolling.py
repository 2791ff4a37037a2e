"""What Cenotaph is compared with: a rolling summarizer, as agents ship it.

Above the trigger it replaces the oldest 30 % of the messages by a summary. The summary is scripted:
it says what such summaries were seen to say of this very material, where a prohibition became a
preference, `blocked` became `pending`, and exact values were left out. Each loss can be repaired on
its own, by which a test shows that a loss, and not the agent, causes the failure that follows it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from cenotaph.testing.story.transcript import CHECKSUM, ENV_LITERAL, PLAN, RULE, human

__all__ = ["LOSSES", "RollingSummary"]

LOSSES: Final = ("rule", "state", "literal", "checksum")
"""What the summary loses, by name."""

SHARE: Final = 0.30


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

    def __init__(
        self, trigger_tokens: int, sizes: Sequence[int] | None = None, *, repaired: Collection[str] = ()
    ) -> None:
        raise NotImplementedError
