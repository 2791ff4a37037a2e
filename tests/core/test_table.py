"""The classification table: total, first match wins, and nothing in it reads a text.

`row_for` is explored path by path: each time a condition asks for a fact for the first time, the walk
forks over all values that the fact can have. So every combination of facts is covered exactly once,
without listing seven million of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from typing import Any, get_type_hints

import pytest

from cenotaph.core.classify import RULES, Row, row_for, table_hash
from cenotaph.core.facts import Facts, Loop, PlanRole, State
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.policy import ALLOWED, LEAVING, Action, Policy, Shelf, SpanClass, allowed

ROWS_OF_THE_DESIGN = [
    *(
        "pin",
        "rel",
        "sys",
        "ans",
        "req",
        "ins",
        "pay",
        "usr",
        "pln",
        "plo",
        "opn",
        "abd",
        "liv",
        "sup",
        "rec",
        "ded",
    ),
    *("wrt", "one", "arg", "thk", "nar", "rep", "hrn", "for", "own"),
]

VALUES: dict[str, list[Any]] = {
    name: [False, True] if kind is bool else list(kind) for name, kind in get_type_hints(Facts).items()
}
COMBINATIONS = 1
for _values in VALUES.values():
    COMBINATIONS *= len(_values)


class _Asked:
    """Facts that are decided when they are asked for: first from a script, then from a fork."""

    def __init__(self, script: list[tuple[str, Any]]) -> None:
        self.script = script
        self.known: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in self.known:
            if len(self.known) == len(self.script):
                raise _ForkError(name)
            asked, value = self.script[len(self.known)]
            assert asked == name, "a condition is not deterministic"
            self.known[name] = value
        return self.known[name]


class _ForkError(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def paths() -> Iterator[tuple[dict[str, Any], Row]]:
    """(the facts that decide, the row) for every way through the table."""
    todo: list[list[tuple[str, Any]]] = [[]]
    while todo:
        script = todo.pop()
        facts = _Asked(script)
        try:
            row = row_for(facts)  # type: ignore[arg-type]
        except _ForkError as fork:
            todo += [[*script, (fork.name, value)] for value in VALUES[fork.name]]
            continue
        yield facts.known, row


PATHS = list(paths())


def second_reading(f: Facts) -> tuple[str, Shelf]:
    """The design's table, read once more and written down differently."""
    tool_io = f.kind in {Kind.call, Kind.result} and f.provenance is not Provenance.compactor
    answered = f.kind is Kind.result and f.provenance not in {Provenance.compactor, Provenance.foreign}
    human = f.provenance is Provenance.user and f.kind in {Kind.text, Kind.media, Kind.other}
    if f.pinned:
        return "pin", Shelf.never
    never_released = {Provenance.system, Provenance.developer, Provenance.compactor}
    may_go = f.kind in {Kind.text, Kind.media, Kind.result} and f.provenance not in never_released
    if f.released and may_go and f.loop is not Loop.open and not f.request:
        return "rel", Shelf.invalidated
    if f.provenance in {Provenance.system, Provenance.developer}:
        return "sys", Shelf.never
    if tool_io and f.human_act:
        return "ans", Shelf.never
    if not tool_io and f.request:
        return "req", Shelf.never
    if f.instruction:
        return "ins", Shelf.authoritative
    if human:
        return ("pay", Shelf.evictable) if f.payload else ("usr", Shelf.authoritative)
    if f.plan is PlanRole.live:
        return "pln", Shelf.never
    if tool_io:
        if f.plan is PlanRole.spent:
            return "plo", Shelf.disposable_drop
        if f.loop is not Loop.closed:
            return ("opn" if f.loop is Loop.open else "abd"), Shelf.never
        if f.resource:
            return "liv", Shelf.never
    if answered:
        if f.superseded:
            return "sup", Shelf.disposable_drop
        if f.read:
            return ("rec", Shelf.live) if f.state is State.live else ("ded", Shelf.invalidated)
    if f.write and (answered or f.kind is Kind.call):
        return "wrt", Shelf.live if f.state is State.live else Shelf.invalidated
    if answered or (f.provenance is Provenance.tool and f.kind not in {Kind.call, Kind.reasoning}):
        return "one", Shelf.evictable
    if f.kind is Kind.call:
        return "arg", Shelf.with_exchange
    if f.kind is Kind.reasoning:
        return "thk", Shelf.disposable_drop
    match f.provenance:
        case Provenance.agent:
            if f.kind is Kind.text and not f.last_word:
                return "nar", Shelf.disposable_lift
            return "rep", Shelf.authoritative
        case Provenance.harness:
            return "hrn", Shelf.disposable_drop if f.reinjected else Shelf.evictable
        case Provenance.foreign:
            return "for", Shelf.disposable_drop if f.region_present else Shelf.authoritative
        case Provenance.compactor:
            return "own", Shelf.own
        case _:
            raise AssertionError(f"the design has no row for {f}")


def test_every_combination_of_facts_has_a_row_and_only_one() -> None:
    covered = 0
    for known, _ in PATHS:
        free = 1
        for name, values in VALUES.items():
            if name not in known:
                free *= len(values)
        covered += free
    assert covered == COMBINATIONS > 1_000_000


def test_each_way_through_the_table_ends_where_a_second_reading_of_the_design_ends() -> None:
    rng = random.Random(7)
    for known, row in PATHS:
        for _ in range(2):
            values = {name: rng.choice(choices) for name, choices in VALUES.items()}
            facts = Facts(**{**values, **known})
            assert row_for(facts) is row
            assert second_reading(facts) == (row.id, row.shelf), facts


def test_each_row_of_the_table_is_reached() -> None:
    assert {id(row) for _, row in PATHS} == {id(row) for row in RULES}


def test_the_ids_are_the_designs_in_its_order() -> None:
    assert list(dict.fromkeys(row.id for row in RULES)) == ROWS_OF_THE_DESIGN


def test_no_fact_is_text_and_none_is_a_number() -> None:
    for name, kind in get_type_hints(Facts).items():
        assert kind is bool or issubclass(kind, Enum), f"{name} could carry a span's text or its size"


def test_a_condition_asks_for_facts_only() -> None:
    asked = {name for known, _ in PATHS for name in known}
    assert asked == {field.name for field in fields(Facts)}


def test_rows_say_in_words_what_they_match_and_why() -> None:
    assert all(row.structure and row.why for row in RULES)
    assert len({row.structure for row in RULES}) == len(RULES)


@pytest.mark.parametrize(
    ("shelf", "cls", "strict", "archive"),
    [
        (Shelf.disposable_drop, SpanClass.disposable, {"keep", "drop"}, {"keep", "drop"}),
        (
            Shelf.disposable_lift,
            SpanClass.disposable,
            {"keep", "drop", "summarize"},
            {"keep", "drop", "summarize"},
        ),
        (Shelf.live, SpanClass.recoverable, {"keep", "evict"}, {"keep", "evict"}),
        *(
            [
                (
                    Shelf.invalidated,
                    SpanClass.recoverable,
                    {"keep", "evict_with_tombstone"},
                    {"keep", "evict_with_tombstone"},
                )
            ]
        ),
        *(
            [
                (
                    Shelf.evictable,
                    SpanClass.authoritative,
                    {"keep", "protect"},
                    {"keep", "protect", "evict_with_tombstone"},
                )
            ]
        ),
        *(
            [
                (
                    Shelf.with_exchange,
                    SpanClass.authoritative,
                    {"keep", "protect"},
                    {"keep", "protect", "evict_with_tombstone"},
                )
            ]
        ),
        (
            Shelf.authoritative,
            SpanClass.authoritative,
            {"keep", "protect"},
            {"keep", "protect", "evict_with_tombstone"},
        ),
        (Shelf.never, SpanClass.authoritative, {"keep", "protect"}, {"keep", "protect"}),
        (Shelf.own, SpanClass.authoritative, {"keep", "evict_with_tombstone"}, {"keep", "evict_with_tombstone"}),
    ],
)
def test_what_may_be_done_with_a_shelf_is_the_table_of_actions(
    shelf: Shelf, cls: SpanClass, strict: set[str], archive: set[str]
) -> None:
    assert shelf.cls is cls
    assert allowed(Policy.strict(), shelf) == strict
    assert allowed(Policy.archive(), shelf) == archive


def test_the_table_of_actions_knows_every_shelf_under_both_policies() -> None:
    assert set(ALLOWED) == {(policy, shelf) for policy in ("strict", "archive") for shelf in Shelf}


def test_keep_is_always_allowed_and_nothing_authoritative_is_ever_summarized_or_silently_evicted() -> None:
    for (policy, shelf), actions in ALLOWED.items():
        assert Action.keep in actions
        if shelf.cls is SpanClass.authoritative:
            assert not actions & {Action.summarize, Action.evict, Action.drop}
        if shelf.cls is SpanClass.recoverable:
            assert not actions & {Action.summarize, Action.drop}
        if shelf is Shelf.never:
            assert not actions & LEAVING
        if shelf is Shelf.own:
            assert actions & LEAVING == {Action.evict_with_tombstone}, "our lines fold, and are never dropped"
        if shelf.cls is SpanClass.authoritative and shelf is not Shelf.own and policy == "strict":
            assert not actions & LEAVING
        if Action.summarize in actions:
            assert shelf is Shelf.disposable_lift, "only the agent's narration is ever told in other words"


def test_the_hash_of_the_table_changes_with_what_a_row_says_or_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = table_hash()
    for changed in (
        *(RULES[1:], (RULES[0], *RULES)),
        (Row("pin", RULES[0].structure, Shelf.evictable, RULES[0].applies, "x"), *RULES[1:]),
        (Row("pin", "something else", Shelf.never, RULES[0].applies, "x"), *RULES[1:]),
        (Row("nip", RULES[0].structure, Shelf.never, RULES[0].applies, "x"), *RULES[1:]),
    ):
        monkeypatch.setattr("cenotaph.core.classify.RULES", changed)
        assert table_hash() != before


def test_facts_that_no_row_takes_raise_instead_of_being_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cenotaph.core.classify.RULES", RULES[:1])
    with pytest.raises(LookupError, match="no row"):
        row_for(Facts(Kind.text, Provenance.user))
