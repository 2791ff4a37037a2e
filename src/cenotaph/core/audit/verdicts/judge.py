"""What became of a statement: held against every text that is read afterwards, by structure alone.

First the statement's own words are looked for. A copy counts only with what stands around it: who is said to
say it, what cancels it, what is added to it. Then whatever shares its things or its words is asked whether it
says the opposite. Where no copy stands, the sentence that is nearest decides, if structure shows what changed;
else nobody can tell. Nothing is called preserved or in other words unless each part of that was shown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from cenotaph.core.audit.model import Evidence, Judgement, Passage, Statement, Verdict
from cenotaph.core.audit.verdicts.copies import of_copies
from cenotaph.core.audit.verdicts.others import of_others
from cenotaph.core.audit.verdicts.texts import PRECEDENCE, Asked, Found, Index, place_in
from cenotaph.core.statements import sentences, words

__all__ = ["judge"]

_GOOD: Final = (Verdict.preserved, Verdict.paraphrased)


def judge(statements: Sequence[Statement], passages: Sequence[Passage], known: Collection[str] = ()) -> list[Judgement]:
    """What became of each statement.

    Args:
        statements: In any order.
        passages: Every text that is read afterwards.
        known: Sentences that people and the system said before, their white space evened: where one of them
            stands, it is that one and no version of another.

    Returns:
        One judgement per statement, in their order. A statement of several sentences has the verdict of the
        worst of them, unless all of it stands verbatim.
    """
    index = Index(passages, known)
    return [_judged(statement, index) for statement in statements]


def _judged(statement: Statement, index: Index) -> Judgement:
    parts = [statement.text[one.start : one.end] for one in sentences(statement.text)]
    parts = [part for part in parts if words(part)] or [statement.text]
    whole = Asked(statement, statement.text)
    verdict, evidence = of_copies(whole, index)
    if verdict is None and len(parts) > 1:
        verdict, evidence = _of_parts(statement, parts, index)
    elif verdict is None:
        verdict, evidence = of_others(whole, index)
    return Judgement(statement, verdict, evidence or (Evidence(place_in(statement)),))


def _of_parts(statement: Statement, parts: Sequence[str], index: Index) -> Found:
    """The worst of what became of each sentence; some kept and some gone is less than all."""
    found: list[Found] = []
    for part in parts:
        one = Asked(statement, part)
        verdict, evidence = of_copies(one, index)
        found.append((verdict, evidence) if verdict is not None else of_others(one, index))
    verdicts = {verdict for verdict, _ in found}
    evidence = tuple(place for _, places in found for place in places)
    if verdicts <= set(_GOOD):
        return (max(verdicts, key=_GOOD.index), evidence)
    for verdict in PRECEDENCE[:2]:
        if verdict in verdicts:
            return verdict, _first(found, verdict)
    if verdicts == {Verdict.dropped}:
        return Verdict.dropped, ()
    if Verdict.weakened in verdicts or (Verdict.dropped in verdicts and verdicts & set(_GOOD)):
        return Verdict.weakened, _first(found, Verdict.weakened) or evidence
    return Verdict.unverifiable, evidence


def _first(found: Sequence[Found], verdict: Verdict) -> tuple[Evidence, ...]:
    return next((places for one, places in found if one is verdict), ())
