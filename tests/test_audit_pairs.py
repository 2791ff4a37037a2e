"""Before/after pairs: each says what it promises, and the judge certifies nothing that was changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from cenotaph.core.audit.model import Verdict
from cenotaph.core.audit.verdicts import judge
from cenotaph.testing.audit_pairs import (
    ACCUSING,
    CERTIFYING,
    KEEPING,
    SETS,
    Operator,
    Pair,
    asked,
    pairs,
    passages,
)
from cenotaph.testing.audit_phrases import Wording

COUNT = 2_000
WORDINGS_MIN = 60
UNVERIFIABLE_SHARE_MAX = 0.20
CERTIFIED_SHARE_MAX = {"opened": 0.0, "held": 0.001}
"""None is the aim. Of the set that the judge was not mended against one in two thousand is known to pass."""
SOURCE = Path(__file__).resolve().parents[1] / "src" / "cenotaph"

STANDING = frozenset({Operator.verbatim, Operator.moved, Operator.quoted, Operator.dressed})
"""Operators that leave a verbatim copy, which decides."""
COPYING = frozenset({Operator.attributed, Operator.cancelled, Operator.contradicted})
"""Operators that leave a verbatim copy, and turn it."""


@pytest.fixture(scope="module")
def opened() -> list[Pair]:
    return list(pairs(11, COUNT))


@pytest.fixture(scope="module")
def held() -> list[Pair]:
    return list(pairs(11, COUNT, "held"))


def squeezed(text: str) -> str:
    return " ".join(text.split())


def read_afterwards(pair: Pair) -> str:
    return squeezed("\n".join(passage.text for passage in passages(pair)))


def verdict_of(pair: Pair) -> Verdict:
    return judge([asked(pair)], passages(pair))[0].verdict


def words(text: str, language: str) -> Counter[str]:
    """Slots and words; single characters where a script puts no spaces."""
    word = r"[^\W_]" if language in ("ja", "zh") else r"[^\W_]+(?:['’-]\w+)*"
    return Counter(re.findall(rf"\{{\w+\}}|{word}", text.casefold()))


def changes(wording: Wording) -> dict[str, tuple[str, ...]]:
    names = ("reordered", "synonym", "softened", "affirmed", "turned", "widened", "bared", "asked", "opposed", "beside")
    return {name: getattr(wording, name) for name in names}


# The phrases ---------------------------------------------------------------------------------


def test_the_open_set_has_sixty_wordings_that_differ_in_more_than_their_slots() -> None:
    plain = {re.sub(r"\{\w+\}", "", wording.text).casefold() for wording in SETS["open"].wordings}
    assert len(plain) == len(SETS["open"].wordings) >= WORDINGS_MIN
    starts = {(wording.language, *wording.text.split()[:3]) for wording in SETS["open"].wordings}
    assert len(starts) >= WORDINGS_MIN - 5
    assert len({wording.language for wording in SETS["open"].wordings}) >= 5


def test_the_two_sets_share_no_wording_no_value_no_frame_and_no_style() -> None:
    for part in ("text", "frame", "value", "look"):
        first, second = (_all(name, part) for name in SETS)
        assert not first & second, part


def _all(name: str, part: str) -> set[str]:
    phrases = SETS[name]
    frames = phrases.frames
    return {
        "text": {text for w in phrases.wordings for form in ((w.text,), *changes(w).values()) for text in form},
        "frame": {*frames.quoted, *frames.attributed, *frames.cancelled, *frames.excepted, *frames.asked},
        "value": {value for pool in phrases.fillers.pools.values() for value in pool},
        "look": {style.layout for style in phrases.styles},
    }[part]


@pytest.mark.parametrize("name", SETS)
def test_no_change_of_a_wording_is_the_wording(name: str) -> None:
    for wording in SETS[name].wordings:
        for change, texts in changes(wording).items():
            assert len(set(texts)) == len(texts), wording.text
            assert all(squeezed(wording.text) not in squeezed(text) for text in texts), (change, wording.text)


@pytest.mark.parametrize("name", SETS)
def test_another_order_has_the_same_words_and_no_other(name: str) -> None:
    for wording in SETS[name].wordings:
        for text in wording.reordered:
            assert words(text, wording.language) == words(wording.text, wording.language), text


@pytest.mark.parametrize("name", SETS)
def test_a_wording_can_always_be_contradicted_and_has_something_beside_it(name: str) -> None:
    assert [wording.text for wording in SETS[name].wordings if not (wording.opposed and wording.beside)] == []


@pytest.mark.parametrize("name", SETS)
def test_no_value_stands_in_the_source_of_what_is_tested(name: str) -> None:
    sources = [path for path in SOURCE.rglob("*.py") if not path.name.startswith("audit_phrases_")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    pools = SETS[name].fillers.pools
    values = [value for kind, pool in pools.items() if kind not in ("n", "version") for value in pool]
    assert [value for value in values if value in text] == []


# The pairs -----------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_pairs_and_each_stands_alone() -> None:
    assert list(pairs(3, 80)) == list(pairs(3, 80))
    assert list(islice(pairs(3, 500), 80)) == list(pairs(3, 80))
    assert list(pairs(3, 80)) != list(pairs(4, 80))


@pytest.mark.parametrize("which", ["opened", "held"])
def test_every_operator_and_every_wording_comes_up(which: str, request: pytest.FixtureRequest) -> None:
    found: list[Pair] = request.getfixturevalue(which)
    assert {pair.operator for pair in found} == set(Operator)
    name = "open" if which == "opened" else "held"
    assert {pair.wording.text for pair in found} == {wording.text for wording in SETS[name].wordings}


@pytest.mark.parametrize("which", ["opened", "held"])
def test_a_statement_stands_in_one_message_before_once_and_no_slot_is_left_open(
    which: str, request: pytest.FixtureRequest
) -> None:
    found: list[Pair] = request.getfixturevalue(which)
    for pair in found:
        assert sum(message["content"].count(pair.statement) for message in pair.before) == 1, pair.statement
        statement = asked(pair)
        assert statement.ref is not None
        assert pair.before[statement.ref[0]]["content"][statement.start : statement.end] == pair.statement
        assert not re.search(r"\{[a-z]+\d?\}", pair.statement + read_afterwards(pair))


@pytest.mark.parametrize("which", ["opened", "held"])
def test_a_copy_stands_afterwards_exactly_where_the_operator_says_so(
    which: str, request: pytest.FixtureRequest
) -> None:
    found: list[Pair] = request.getfixturevalue(which)
    free = (Operator.excepted, Operator.questioned)
    for pair in found:
        if pair.operator not in free:
            stands = squeezed(pair.statement) in read_afterwards(pair)
            assert stands == (pair.operator in STANDING | COPYING), (pair.operator, pair.statement, pair.became)


@pytest.mark.parametrize("which", ["opened", "held"])
def test_what_became_of_a_statement_stands_afterwards_and_what_was_dropped_became_nothing(
    which: str, request: pytest.FixtureRequest
) -> None:
    found: list[Pair] = request.getfixturevalue(which)
    for pair in found:
        assert (pair.became == "") == (pair.operator is Operator.dropped)
        for text in pair.became.split(" … "):
            assert squeezed(text) in read_afterwards(pair)


@pytest.mark.parametrize("which", ["opened", "held"])
def test_a_kept_statement_may_not_be_accused_and_a_changed_one_not_certified(
    which: str, request: pytest.FixtureRequest
) -> None:
    found: list[Pair] = request.getfixturevalue(which)
    for pair in found:
        assert pair.expected
        assert not pair.expected & pair.forbidden
        assert pair.forbidden == (ACCUSING if pair.operator in KEEPING else CERTIFYING)


# The judge -----------------------------------------------------------------------------------


def wrongly_certified(found: list[Pair], told: Callable[[Pair], Verdict]) -> Counter[Operator]:
    return Counter(pair.operator for pair in found if told(pair) in CERTIFYING & pair.forbidden)


@pytest.mark.parametrize("which", ["opened", "held"])
def test_nothing_that_was_changed_or_dropped_is_certified(which: str, request: pytest.FixtureRequest) -> None:
    found: list[Pair] = request.getfixturevalue(which)
    assert wrongly_certified(found, verdict_of).total() <= CERTIFIED_SHARE_MAX[which] * len(found)


@pytest.mark.parametrize("verdict", sorted(CERTIFYING))
def test_a_judge_that_certifies_all_fails_on_every_operator_that_changes(verdict: Verdict, opened: list[Pair]) -> None:
    assert set(wrongly_certified(opened, lambda _: verdict)) == set(Operator) - KEEPING


@pytest.mark.parametrize("which", ["opened", "held"])
def test_a_fifth_at_most_of_what_stands_cannot_be_told(which: str, request: pytest.FixtureRequest) -> None:
    """Of the copies, wherever they stand, and of the same words in another order."""
    standing = {Operator.verbatim, Operator.reordered, Operator.moved}
    found: list[Pair] = request.getfixturevalue(which)
    verdicts = Counter(verdict_of(pair) for pair in found if pair.operator in standing)
    assert verdicts.total() >= len(standing) * (COUNT // len(Operator))
    assert verdicts[Verdict.unverifiable] <= UNVERIFIABLE_SHARE_MAX * verdicts.total()
