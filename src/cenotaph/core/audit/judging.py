"""One compaction, judged: what became of each statement, and what a person should know of it.

Here the parts come together. Each asks its own question of an event and none knows the others: verdicts of
statements, what the replacement is, which handles and states are gone. What stands under a tombstone of ours
that a store keeps is not lost, so it is taken out before anything else looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from cenotaph.core.audit.losses import loss_findings
from cenotaph.core.audit.model import (
    Code,
    Event,
    Evidence,
    Finding,
    Judgement,
    Mechanism,
    Ref,
    Statement,
    Tier,
    Verdict,
)
from cenotaph.core.audit.own import NO_PROMISES, Promises
from cenotaph.core.audit.replacement import replacement_findings
from cenotaph.core.audit.statements import is_prose, passages_of, said_before, statements_in, statements_of, turns_of
from cenotaph.core.audit.verdicts import judge
from cenotaph.core.model import Breach, Provenance
from cenotaph.core.statements import polarity, states, weights, words
from cenotaph.core.tombstone import looks_like_marker

__all__ = ["Audited", "audited", "binds"]

_GOOD: Final = frozenset({Verdict.preserved, Verdict.paraphrased})

_CODE_OF: Final[Mapping[Verdict, Code]] = {
    Verdict.dropped: Code.constraint_dropped,
    Verdict.weakened: Code.constraint_softened,
    Verdict.mutated: Code.constraint_changed,
    Verdict.contradicted: Code.constraint_contradicted,
}
_WORSE: Final[Mapping[Verdict, int]] = {
    Verdict.contradicted: 12,
    Verdict.mutated: 8,
    Verdict.dropped: 5,
    Verdict.weakened: 3,
}
_WEIGHT_OF: Final[Mapping[str, int]] = {"must_not": 80, "must": 60, "may": 35, "none": 45}
"""Weight of a lost statement by what it says may be done; how it was lost is added (`_WORSE`)."""

_CONSTRAINING: Final = frozenset({"modality", "preference"})
_REQUESTING: Final = re.compile(
    r"\W*(?:so |and |also |then |ok |okay |please )*(?:can|could|would|will|should|do|did|is|are)\b\W*"
    r"(?:you|we|i|it|there|this|that)\b",
    re.IGNORECASE,
)
_DEONTIC: Final = re.compile(
    r"\b(?:must|never|always|only|do not|don't|dont|shouldn't|should|may not|not allowed|forbidden|prohibited|allowed"
    r"|off[- ]limits|read[- ]only|make sure|ensure|needs? to|have to|has to|required?|at (?:most|least)|no more than"
    r"|prefer\w*|instead of|rather than|avoid|without asking|unless|until|keep|use|stop|no)\b",
    re.IGNORECASE,
)
"""How an order, a ban or a leave is put; what lacks all of it tells how things are."""
_HAPPENED: Final = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none)\b[^.;:]{0,60}\b(?:was|were|had|did|came|happened)\b"
    r"|\b(?:was|were|did|had|has|have)(?:n't| not| never| no)\b",
    re.IGNORECASE,
)
_ORDERING: Final = re.compile(
    r"\b(?:must|shall|should|may not|can't|cannot|do not|don't|dont|always|only|make sure|ensure|needs? to|allowed"
    r"|forbidden|prohibited|required?|at (?:most|least)|unless|until|keep|use|avoid)\b",
    re.IGNORECASE,
)
_BECAME: Final[Mapping[Verdict, str]] = {
    Verdict.dropped: "stands nowhere afterwards",
    Verdict.weakened: "binds less afterwards",
    Verdict.mutated: "names another thing, value, state, scope or speaker afterwards",
    Verdict.contradicted: "is contradicted afterwards",
}
_KINDS_OF: Final[Mapping[str, str]] = {
    "must_not": "a prohibition",
    "must": "an obligation",
    "may": "a permission",
    "none": "a condition",
}


@dataclass(frozen=True, slots=True)
class Audited:
    """One compaction, judged.

    Attributes:
        number: From 1, in its history.
        event: The compaction.
        judgements: One per statement of what it removed, in order.
        findings: Worst first.
        kept: Kind of handle -> (how many stand verbatim afterwards, how many there were).
        turns: Turn of each message of `event.before` in the whole history; None where it is not known there.
        shares: Class -> tokens of what was removed, estimated; empty where nobody asked for it.
    """

    number: int
    event: Event
    judgements: tuple[Judgement, ...]
    findings: tuple[Finding, ...]
    kept: Mapping[str, tuple[int, int]]
    turns: Sequence[int | None] = ()
    shares: Mapping[str, int] = field(default_factory=dict)

    def turn_of(self, finding: Finding) -> int | None:
        """The turn of the history in which what a finding is about was said; None if it is about no place."""
        return self.turns[finding.ref[0]] if finding.ref is not None and self.turns else None

    @property
    def lost(self) -> tuple[Judgement, ...]:
        """What neither stands verbatim nor in other words, and what nobody can tell of."""
        return tuple(one for one in self.judgements if one.verdict not in _GOOD and one.recover is None)


def binds(statement: Statement) -> bool:
    """Whether a statement constrains: it forbids, obliges, permits, or puts a condition."""
    return _binding(statement.text)


@lru_cache(maxsize=16_384)
def _binding(text: str) -> bool:
    if not is_prose(text) or text.rstrip("\"'`*_) ").endswith("?") or _REQUESTING.match(text):
        return False  # data, or a question
    meaning = polarity(text)
    if text.isascii() and not _DEONTIC.search(text):
        return False
    if meaning == "must" and words(text)[:1] in (["we"], ["i"]):
        return False  # what somebody sets out to do, and no order
    if _HAPPENED.search(text) and not _ORDERING.search(text):
        return False  # `no commit was made`: what happened, and no ban
    return meaning != "none" or bool(weights(text) & _CONSTRAINING)


def audited(
    event: Event,
    number: int = 1,
    *,
    previous: Event | None = None,
    promises: Promises = NO_PROMISES,
    statements: Sequence[str] | None = None,
    span_ids: Mapping[Ref, str] | None = None,
    turns: Sequence[int | None] | None = None,
    breaches: Iterable[Breach] = (),
) -> Audited:
    """One compaction, judged.

    Args:
        event: The compaction.
        number: Its number in its history, from 1.
        previous: The compaction before it; None if it is the first.
        promises: What the markers of ours in `event.after` promise.
        statements: Words to judge as a person's; None judges all authoritative ones that were removed.
        span_ids: Ids of spans by part; None where nobody asks for them.
        turns: Turn of each message of `event.before` in the whole history; None where `before` begins it.
        breaches: Rules of the provider that `after` breaks and `before` did not.
    """
    place = turns_of(event.before) if turns is None else turns
    told = (
        statements_of(event, place, span_ids)
        if statements is None
        else statements_in(event.before, statements, place, span_ids)
    )
    judged = judge(told, passages_of(event), said_before(event))
    judgements = tuple(_within(event, promises.reconsidered(one)) for one in judged)
    open_event = _without_promised(event, promises)
    findings = [*_of_judgements(event, judgements), *_of_markers(event, promises), *_of_rules(event, breaches)]
    losses = loss_findings(open_event)
    if event.mechanism is not Mechanism.cenotaph:
        findings += replacement_findings(open_event, previous)
    findings += losses.findings
    ordered = sorted(findings, key=lambda one: (-one.weight, one.tier.value, one.code.value, one.ref or (0, 0)))
    return Audited(number, event, judgements, tuple(ordered), losses.kept, tuple(place))


def _without_promised(event: Event, promises: Promises) -> Event:
    """The event without what comes back by a handle that resolves, and without our own pages as a replacement."""
    if not promises.handles:
        return event
    marked = {at for at, one in enumerate(event.after) if any(looks_like_marker(part.text) for part in one.parts)}
    ours = promises.pages | (marked if promises.asked else set())
    rest = tuple(at for at in event.replacement if at not in ours)
    opaque = event.opaque or (bool(promises.pages) and not promises.asked)
    return replace(event, removed=promises.unpromised(event), replacement=rest, opaque=opaque, pointer=True)


def _within(event: Event, judgement: Judgement) -> Judgement:
    """The judgement, as far as anybody can see: behind an opaque replacement nothing is known to be gone."""
    if event.opaque and judgement.verdict is Verdict.dropped and judgement.recover is None:
        place = (judgement.statement.start, judgement.statement.end)
        note = "the replacement cannot be read"
        return replace(judgement, verdict=Verdict.unverifiable, evidence=(Evidence(place, note=note),))
    return judgement


def _of_judgements(event: Event, judgements: Sequence[Judgement]) -> Iterator[Finding]:
    plain: list[Judgement] = []
    hidden: list[Judgement] = []
    for one in judgements:
        if one.verdict in _GOOD or one.recover is not None or _said_before(event, one):
            continue
        if one.verdict is Verdict.unverifiable:
            if event.opaque and binds(one.statement):
                hidden.append(one)
        elif one.statement.provenance is Provenance.agent:
            yield _collapsed(event, one)
        elif binds(one.statement):
            yield _lost(event, one)
        else:
            plain.append(one)
    if plain:
        yield _lost_together(event, plain)
    if hidden:
        note = f"{len(hidden)} binding statements may be gone: the replacement cannot be read"
        yield Finding(
            Code.constraint_dropped,
            Tier.at_risk,
            30,
            note,
            {"original": hidden[0].statement.text},
            len(hidden),
            hidden[0].statement.ref,
        )


def _collapsed(event: Event, one: Judgement) -> Finding:
    """A step that waited, and that nothing says waits now."""
    blocked = any(state == "blocked" for _, _, state in states(one.statement.text))
    note = f"the state of a step that the agent told of{_turn(one.statement)} {_STATE_BECAME[one.verdict]}"
    shown, after = _sides(event, one)
    weight = (70 if blocked else 30) + _WORSE[one.verdict]
    return Finding(Code.state_collapsed, event.tier, weight, note, shown, 1, one.statement.ref, after)


_STATE_BECAME: Final[Mapping[Verdict, str]] = {
    Verdict.dropped: "stands nowhere afterwards",
    Verdict.weakened: "binds less afterwards",
    Verdict.mutated: "is another afterwards",
    Verdict.contradicted: "is contradicted afterwards",
}


def _said_before(event: Event, one: Judgement) -> bool:
    """What contradicts it was said by a person or the system after it, and is no work of the compaction."""
    if one.verdict is not Verdict.contradicted or not one.evidence:
        return False
    at = one.evidence[0].message
    return at is not None and at not in event.replacement


def _lost(event: Event, one: Judgement) -> Finding:
    statement = one.statement
    meaning = polarity(statement.text)
    spoken = statement.provenance.value if not statement.quoted else "a person's answer to the agent"
    note = f"{_KINDS_OF[meaning]} ({spoken}{_turn(statement)}) {_BECAME[one.verdict]}"
    shown, after = _sides(event, one)
    weight = _WEIGHT_OF[meaning] + _WORSE[one.verdict]
    return Finding(_CODE_OF[one.verdict], event.tier, weight, note, shown, 1, statement.ref, after)


def _sides(event: Event, one: Judgement) -> tuple[dict[str, str], tuple[int, int, int, int] | None]:
    """The words, what became of them, and where that stands."""
    shown = {"original": one.statement.text}
    decisive = one.evidence[0] if one.evidence else None
    if decisive is not None and decisive.note:
        shown["why"] = decisive.note
    if decisive is None or decisive.after is None or decisive.message is None:
        return shown, None
    after = (decisive.message, decisive.part or 0, *decisive.after)
    shown["became"] = event.after[after[0]].parts[after[1]].text[after[2] : after[3]]
    return shown, after


def _turn(statement: Statement) -> str:
    return "" if statement.turn is None else f", turn {statement.turn}"


def _lost_together(event: Event, plain: Sequence[Judgement]) -> Finding:
    first = plain[0].statement
    note = f"{len(plain)} further statements that bind nobody are gone or changed"
    return Finding(Code.statement_lost, event.tier, 10, note, {"original": first.text}, len(plain), first.ref)


def _of_markers(event: Event, promises: Promises) -> Iterator[Finding]:
    if promises.broken:
        note = f"{len(promises.broken)} handles in the view resolve to nothing in the store"
        shown = {"handle": promises.broken[0]}
        yield Finding(Code.no_back_pointer, Tier.proven, 70, note, shown, len(promises.broken))


def _of_rules(event: Event, breaches: Iterable[Breach]) -> Iterator[Finding]:
    found = list(breaches)
    if found:
        first = found[0]
        note = f"what is sent afterwards breaks rule {first.rule} of its provider"
        shown = {"why": first.note}
        yield Finding(Code.view_invalid, Tier.proven, 75, note, shown, len(found), data={"rule": first.rule})
