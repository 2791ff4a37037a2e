"""Words that bind, with what an unfaithful summary makes of them: sentences with slots, by language.

Each `Wording` is one way in which a person states a rule, a limit, a value, a state or a decision, with hand-written
changes of it: some say the same in other words, most do not. They are written from what the words mean, without
regard to any list by which this package tells one word from another.
A slot in braces is filled from `Fillers`; slots that end in a digit get another value of the same pool.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Fillers", "Frames", "Phrases", "Style", "Wording"]

Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to bind, and what becomes of it; an empty tuple: this change has no sense here.

    Attributes:
        language: ISO 639-1 code.
        kind: prohibition, obligation, limit, exclusive, condition, preference, state, value, decision or approval.
        text: The statement.
        reordered: The same words, all of them and no other, in another order.
        synonym: The same in other words: a verb or a noun by another of the same meaning.
        softened: It binds less: an order is a wish, a ban an advice.
        affirmed: The negation is gone, or one came, so the opposite stands.
        turned: The negation, or what is negated, stands at another clause.
        widened: It is about more (or other) things than was said.
        bared: A condition, a time or a limit on it is gone.
        asked: It is asked, not said.
        opposed: Asserts the opposite; stands elsewhere, beside a verbatim copy.
        beside: Has words or handles of it and says nothing of it.
    """

    language: str
    kind: str
    text: str
    reordered: Texts = ()
    synonym: Texts = ()
    softened: Texts = ()
    affirmed: Texts = ()
    turned: Texts = ()
    widened: Texts = ()
    bared: Texts = ()
    asked: Texts = ()
    opposed: Texts = ()
    beside: Texts = ()


@dataclass(frozen=True, slots=True)
class Fillers:
    """Pools of values by slot.

    Attributes:
        pools: Slot without its digit -> values that no other file of the project has.
        swaps: Slot of a closed set (a unit, a state) -> (value, what it is changed to).
    """

    pools: dict[str, Texts]
    swaps: dict[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Frames:
    """What stands around a copy; `{said}` is the copy, `{bare}` the copy without its full stop.

    Attributes:
        quoted: The same speaker is named; `{who}` is "user" or "system prompt".
        attributed: Another speaker is named.
        cancelled: The copy is said to hold no longer.
        excepted: An exception follows; only of what binds an act.
        asked: The copy stands in a question.
        dressed: Only looks are changed.
    """

    quoted: Texts
    attributed: Texts
    cancelled: Texts
    excepted: Texts
    asked: Texts
    dressed: Texts


@dataclass(frozen=True, slots=True)
class Style:
    """How a summary looks.

    Attributes:
        name: Short.
        layout: The whole, with `{goal}`, `{rules}`, `{facts}` and `{next}`.
        item: How one rule or fact stands, with `{line}`.
        joint: What stands between two of them.
        speaker: Whose words it says the rules are; "" if it does not say.
    """

    name: str
    layout: str
    item: str = "- {line}"
    joint: str = "\n"
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Phrases:
    """All that pairs are made of; two sets share none of it.

    Attributes:
        wordings: What binds, and its changes.
        fillers: Values of the slots.
        frames: What stands around a copy.
        styles: Looks of a summary.
        rules: Other things that were said, about other handles.
        facts: What was done.
        goals: What it is all about.
        nexts: What comes next; about no wording.
    """

    wordings: tuple[Wording, ...]
    fillers: Fillers
    frames: Frames
    styles: tuple[Style, ...]
    rules: Texts
    facts: Texts
    goals: Texts
    nexts: Texts
