"""Harness forms: machine text in a person's role, told apart by a table and never by a guess.

A form counts only if it fills the whole block: the block is nothing but such elements and white
space. A reminder with a person's words before or after it stays human, and so does one whose
closing tag occurs inside it, because then nobody can say where the machine's text ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cenotaph.core.model import Mark


@dataclass(frozen=True, slots=True)
class Form:
    """One element that a client writes into the user's role on its own account.

    Attributes:
        tag: Name of the element; it opens with `<tag>` and ends with `</tag>`.
        reinjected: The client writes it again on each turn, so a dropped copy comes back.
    """

    tag: str
    reinjected: bool


HARNESS_FORMS: tuple[Form, ...] = (
    Form("system-reminder", reinjected=True),
    Form("task-notification", reinjected=False),
    Form("local-command-caveat", reinjected=False),
    Form("local-command-stdout", reinjected=False),
    Form("local-command-stderr", reinjected=False),
    Form("bash-stdout", reinjected=False),
    Form("bash-stderr", reinjected=False),
)


def harness_marks(text: str, forms: Sequence[Form] = HARNESS_FORMS) -> frozenset[Mark] | None:
    """The marks of a block that is harness text as a whole; None if any of it may be a person's.

    Args:
        text: A whole text block in the user's role.
        forms: The table to go by.

    Returns:
        `{Mark.reinjected}` if every element comes back on each turn, the empty set if the block is
        harness text that does not, None if the block is not made of forms alone.
    """
    rest = text.strip()
    if not rest.startswith("<"):
        return None
    reinjected = True
    while rest:
        form = next((form for form in forms if rest.startswith(f"<{form.tag}>")), None)
        if form is None:
            return None
        closing = f"</{form.tag}>"
        end = rest.find(closing)
        if end < 0:
            return None
        reinjected = reinjected and form.reinjected
        rest = rest[end + len(closing) :].lstrip()
    return frozenset({Mark.reinjected}) if reinjected else frozenset()
