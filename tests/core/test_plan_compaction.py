"""`plan_compaction`: the reference algorithm keeps to its contract, judged by a second reading of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cenotaph import Action, CompactionInvariantError, SpanClass, plan_compaction

CLASSES = ("authoritative_in_context", "recoverable", "disposable")
MISSING = object()


def span(
    identity: Any, cls: Any, tokens: int, handle_valid: Any = True, surrogate: Any = MISSING
) -> dict[str, Any]:
    made = {"id": identity, "cls": cls, "tokens": tokens, "handle_valid": handle_valid}
    return made if surrogate is MISSING else {**made, "surrogate_tokens": surrogate}


spans = st.lists(
    st.builds(
        span,
        st.sampled_from("abcdefgh"),
        st.sampled_from([*CLASSES, *SpanClass]),
        st.integers(0, 50),
        st.sampled_from([True, False, None]),
        st.one_of(st.just(MISSING), st.none(), st.integers(0, 60)),
    ),
    max_size=8,
)


def worth(one: Mapping[str, Any]) -> int:
    surrogate = one.get("surrogate_tokens")
    freed = one["tokens"] - (0 if surrogate is None else surrogate)
    return freed if freed > 0 else 0


ACTION_OF = {
    ("disposable", True): "summarize",
    ("disposable", False): "summarize",
    ("recoverable", True): "evict",
    ("recoverable", False): "evict_with_tombstone",
}


def oracle(given_spans: list[dict[str, Any]], target: int) -> list[tuple[Any, str]] | None:
    """The shortest prefix of (disposable as given, recoverable as given) that is worth the target."""
    ranked = [s for s in given_spans if str(s["cls"]) == "disposable"]
    ranked += [s for s in given_spans if str(s["cls"]) == "recoverable"]
    for length in range(len(ranked) + 1):
        if sum(map(worth, ranked[:length])) >= target:
            return [(s["id"], ACTION_OF[str(s["cls"]), bool(s["handle_valid"])]) for s in ranked[:length]]
    return None


@settings(max_examples=400)
@given(spans, st.integers(-5, 200))
def test_it_gives_the_shortest_prefix_that_is_worth_the_target_or_refuses(
    given_spans: list[dict[str, Any]], target: int
) -> None:
    expected = oracle(given_spans, target)
    if expected is not None:
        plan = plan_compaction(given_spans, target)
        assert plan == expected
        assert all(isinstance(action, Action) for _, action in plan)
        return
    with pytest.raises(CompactionInvariantError) as refused:
        plan_compaction(given_spans, target)
    error = refused.value
    protected = [s["id"] for s in given_spans if str(s["cls"]) == "authoritative_in_context"]
    assert error.target_tokens == target
    assert error.reclaimed == sum(worth(s) for s in given_spans if s["id"] and str(s["cls"]) in CLASSES[1:])
    assert error.protected == protected
    assert "budget-exhaustion" in str(error)
    assert all(repr(identity) in str(error) for identity in protected)


@given(spans, st.integers(-5, 200))
def test_a_generator_is_planned_like_the_list_it_yields(
    given_spans: list[dict[str, Any]], target: int
) -> None:
    def attempt(source: Any) -> Any:
        try:
            return plan_compaction(source, target)
        except CompactionInvariantError as error:
            return error.reclaimed, error.protected

    def one_by_one() -> Iterator[dict[str, Any]]:
        yield from given_spans

    assert attempt(one_by_one()) == attempt(given_spans) == attempt(tuple(given_spans))


@given(spans)
def test_its_input_is_not_changed(given_spans: list[dict[str, Any]]) -> None:
    before = [dict(s) for s in given_spans]
    plan_compaction(given_spans, 0)
    assert given_spans == before


@pytest.mark.parametrize("target", [0, -1, -10_000])
def test_a_target_of_nothing_gives_an_empty_plan(target: int) -> None:
    assert plan_compaction([span("a", "disposable", 10)], target) == []
    assert plan_compaction([], target) == []


def test_disposable_spans_go_first_and_both_groups_in_the_order_given() -> None:
    given_spans = [
        *(span("r1", "recoverable", 5), span("d1", "disposable", 5), span("r2", "recoverable", 5, False)),
        *(span("d2", "disposable", 5), span("a", "authoritative_in_context", 500)),
    ]
    assert plan_compaction(given_spans, 20) == [
        ("d1", Action.summarize),
        ("d2", Action.summarize),
        ("r1", Action.evict),
        ("r2", Action.evict_with_tombstone),
    ]


def test_it_stops_as_soon_as_the_target_is_met_and_not_before() -> None:
    given_spans = [span("a", "disposable", 10), span("b", "disposable", 10), span("c", "recoverable", 10)]
    assert [i for i, _ in plan_compaction(given_spans, 9)] == ["a"]
    assert [i for i, _ in plan_compaction(given_spans, 10)] == ["a"]
    assert [i for i, _ in plan_compaction(given_spans, 11)] == ["a", "b"]
    assert [i for i, _ in plan_compaction(given_spans, 30)] == ["a", "b", "c"]


def test_a_span_that_is_worth_nothing_is_planned_all_the_same() -> None:
    given_spans = [span("big surrogate", "disposable", 10, surrogate=40), span("b", "recoverable", 5)]
    assert plan_compaction(given_spans, 5) == [("big surrogate", Action.summarize), ("b", Action.evict)]


@pytest.mark.parametrize("valid", [None, False, 0, ""])
def test_a_handle_that_is_not_known_to_be_valid_is_invalid(valid: Any) -> None:
    assert plan_compaction([span("a", "recoverable", 5, valid)], 5) == [("a", Action.evict_with_tombstone)]


def test_a_span_without_the_key_handle_valid_counts_as_invalid() -> None:
    bare = {"id": "a", "cls": "recoverable", "tokens": 5}
    assert plan_compaction([bare], 5) == [("a", Action.evict_with_tombstone)]


@pytest.mark.parametrize("wrong", ["Disposable", "authoritative", "", None, 3, ["disposable"]])
def test_an_unknown_class_is_named_before_anything_is_planned(wrong: Any) -> None:
    given_spans = [span("fine", "disposable", 100), span("odd one", wrong, 10)]
    for target in (5, 0, -1, 10_000):
        with pytest.raises(ValueError) as refused:
            plan_compaction(given_spans, target)
        assert repr(wrong) in str(refused.value)
        assert "odd one" in str(refused.value)
        assert not isinstance(refused.value, CompactionInvariantError)


def test_a_span_without_a_class_is_refused_by_its_id() -> None:
    with pytest.raises(ValueError, match="'odd'"):
        plan_compaction([{"id": "odd", "tokens": 4}], 1)


def test_a_refusal_says_what_was_wanted_what_could_be_had_and_what_stays() -> None:
    given_spans = [
        *(span("rule-1", "authoritative_in_context", 50), span("a", "disposable", 10, surrogate=4)),
        *(span("b", "recoverable", 7), span("rule-2", SpanClass.authoritative, 30)),
    ]
    with pytest.raises(CompactionInvariantError) as refused:
        plan_compaction(iter(given_spans), 14)
    error = refused.value
    assert (error.target_tokens, error.reclaimed, error.protected) == (14, 13, ["rule-1", "rule-2"])
    assert isinstance(error, RuntimeError)
    for said in ("budget-exhaustion", "rule-1", "rule-2", "14", "13"):
        assert said in str(error)
    assert plan_compaction(given_spans, 13) == [("a", Action.summarize), ("b", Action.evict)]
