"""Harness forms: machine text in a person's role, told apart by a table and never by a guess.

A form counts only if it fills the whole block: the block is nothing but such elements and white
space. A reminder with a person's words before or after it stays human, and so does one whose
closing tag occurs inside it, because then nobody can say where the machine's text ends.
"""

from __future__ import annotations

from collections.abc import Sequence

HARNESS_TAGS: tuple[str, ...] = (
    "system-reminder",
    "task-notification",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "bash-stdout",
    "bash-stderr",
)
"""Elements that clients write into the user's role on their own account.

None is taken to come again on each turn: a plain list of messages does not say which client sends it.
"""


def is_harness(text: str, tags: Sequence[str] = HARNESS_TAGS) -> bool:
    """Whether a whole text block in the user's role is made of such elements alone."""
    at, end = _skip_space(text, 0), len(text.rstrip())
    if not text.startswith("<", at):
        return False
    while at < end:
        tag = next((tag for tag in tags if text.startswith(f"<{tag}>", at)), None)
        closed = -1 if tag is None else text.find(f"</{tag}>", at)
        if tag is None or closed < 0:
            return False
        at = _skip_space(text, closed + len(tag) + 3)
    return True


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
