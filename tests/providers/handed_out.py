"""What a server remembers of one conversation's signed reasoning: each block, and what stood before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopback import Refusal, canonical, digest

IsSigned = Callable[[Any], bool]
CallsOf = Callable[[Sequence[Any]], set[str]]
Turn = tuple[str, list[Any]]
"""A message as these rules see it: its role, and its blocks."""


def prefixes(head: Sequence[Any], turns: Sequence[Turn], signed: IsSigned) -> Iterator[tuple[int, str, str]]:
    """(message, the block, a name for all that stands before it) of every signed block."""
    before = digest(head)
    for at, (role, blocks) in enumerate(turns):
        for block in blocks:
            if signed(block):
                yield at, canonical(block), before
            before = digest([before, role, block])


@dataclass(slots=True)
class HandedOut:
    """Signed blocks that went out in one conversation.

    Attributes:
        signed: Whether a block is signed reasoning.
        calls_of: Ids of the calls among blocks.
        blocks: For each signed block every prefix under which it went out.
        returned: The agent's messages as they were returned, oldest first.
        begun: Whether a first request was accepted.
    """

    signed: IsSigned
    calls_of: CallsOf
    blocks: dict[str, set[str]] = field(default_factory=dict)
    returned: list[list[Any]] = field(default_factory=list)
    begun: bool = False

    def adopt(self, head: Sequence[Any], turns: Sequence[Turn]) -> None:
        """The first request is the history: its signed blocks count as handed out."""
        if self.begun:
            return
        self.begun = True
        self.returned = [blocks for role, blocks in turns if role == "assistant"]
        for _, block, before in prefixes(head, turns, self.signed):
            self.blocks.setdefault(block, set()).add(before)

    def hand_out(self, head: Sequence[Any], turns: Sequence[Turn], blocks: list[Any]) -> None:
        """An answer to these turns."""
        self.returned.append(blocks)
        for at, block, before in prefixes(head, [*turns, ("assistant", blocks)], self.signed):
            if at == len(turns):
                self.blocks.setdefault(block, set()).add(before)

    def unknown(self, turns: Sequence[Turn], rule: str) -> list[Refusal]:
        """A signed block is one that went out, to the byte."""
        if not self.begun:
            return []
        return [
            Refusal(rule, f"messages.{at}", "this reasoning was never returned in this form; it cannot be modified")
            for at, block, _ in prefixes([], turns, self.signed)
            if block not in self.blocks
        ]

    def moved(self, head: Sequence[Any], turns: Sequence[Turn], rule: str) -> list[Refusal]:
        """Nothing that stood before a signed block has changed."""
        if not self.begun:
            return []
        return [
            Refusal(rule, f"messages.{at}", "something before this reasoning changed since it was returned")
            for at, block, before in prefixes(head, turns, self.signed)
            if before not in self.blocks.get(block, ())
        ]

    def thawed(self, turns: Sequence[Turn], rule: str, *, may_strip: bool) -> list[Refusal]:
        """The latest agent message that was returned with reasoning goes back as it was.

        Args:
            turns: The request's messages.
            rule: Id to refuse under.
            may_strip: All of its reasoning may be gone, where no call of it is being answered.
        """
        at = next((n for n in reversed(range(len(turns))) if turns[n][0] == "assistant"), None)
        if at is None or not self.begun:
            return []
        blocks = turns[at][1]
        home = self._home(blocks)
        if home is None or not any(map(self.signed, home)) or canonical(blocks) == canonical(home):
            return []
        if may_strip and not any(map(self.signed, blocks)) and not (self.calls_of(blocks) and at == len(turns) - 2):
            return []
        return [Refusal(rule, f"messages.{at}", "the latest message with reasoning is not as it was returned")]

    def _home(self, blocks: Sequence[Any]) -> list[Any] | None:
        """The returned message that these blocks come from; None if from none."""
        ids, own = self.calls_of(blocks), {canonical(block) for block in blocks}
        bare = [canonical(block) for block in blocks if not self.signed(block)]
        returned: list[Any]
        for returned in reversed(self.returned):
            if ids & self.calls_of(returned) or own & {canonical(b) for b in returned if self.signed(b)}:
                return returned
            if bare and bare == [canonical(block) for block in returned if not self.signed(block)]:
                return returned
        return None
