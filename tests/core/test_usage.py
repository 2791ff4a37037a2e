"""Laws of what is held against reported usage: no call sees itself or a later one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.model import Transcript, Usage
from cenotaph.core.plan import Framing
from cenotaph.core.spans import build_structure
from cenotaph.core.tokens import EstimatedCounter, Vocabulary, calibrate
from cenotaph.core.usage import Call, calls_of, errors_of
from cenotaph.dialects.anthropic import ANTHROPIC

FRAMING = Framing(message=3, request=5, call=7, result=11)
COUNTER = EstimatedCounter(Vocabulary.claude_3)


def transcript(reported: list[tuple[int, int]], turns: int = 12) -> Transcript:
    messages = []
    for turn in range(turns):
        messages += [
            {"role": "user", "content": f"Question {turn}: " + "why does the migration lock? " * 90},
            {"role": "assistant", "content": f"Answer {turn}: " + "because it rewrites the table. " * 60},
        ]
    usage = tuple(Usage(message, tokens) for message, tokens in reported)
    return Transcript("anthropic", "anthropic", ANTHROPIC.parse_messages(messages), usage=usage)


def calls(reported: list[tuple[int, int]], *, scaled: bool = True) -> tuple[Call, ...]:
    given_ = transcript(reported)
    return calls_of(given_, build_structure(given_, COUNTER).spans, FRAMING, 100, scaled=scaled)


def test_a_call_is_estimated_by_all_that_stands_before_it() -> None:
    first, second = calls([(1, 500), (3, 900)])
    question = COUNTER.count("Question 0: " + "why does the migration lock? " * 90)
    assert (first.message, first.reported, first.estimated) == (1, 500, 5 + 100 + 3 + question)
    assert second.estimated > first.estimated


counts = st.lists(st.integers(1, 10**6), min_size=2, max_size=12)


@given(counts, st.integers(1, 10**6))
def test_no_call_is_calibrated_by_itself_or_a_later_one(reported: list[int], other: int) -> None:
    numbered = [(2 * i + 1, tokens) for i, tokens in enumerate(reported)]
    seen = calls(numbered)
    assert seen[0].expected is None
    for index in range(1, len(numbered)):
        changed = [*numbered[:index], *((message, other) for message, _ in numbered[index:])]
        assert calls(changed)[index].expected == seen[index].expected
        before = [(call.estimated, call.reported) for call in seen[:index]]
        assert seen[index].expected == calibrate(before).of(seen[index].estimated)


def test_an_exact_counter_has_its_overhead_learned_and_is_never_scaled() -> None:
    steep = [(2 * i + 1, 20_000 + 2_000 * i) for i in range(12)]
    exact, estimated = calls(steep, scaled=False)[-1], calls(steep)[-1]
    assert exact.expected != estimated.expected
    assert exact.expected == exact.estimated + max(c.reported - c.estimated for c in calls(steep)[-11:-1])


@pytest.mark.parametrize("usage", [(99, 100), (-1, 100), (1, 0), (1, -5)])
def test_a_report_of_nothing_or_of_no_message_is_passed_over(usage: tuple[int, int]) -> None:
    assert calls([usage]) == ()


def test_errors_are_signed_shares_of_what_was_reported() -> None:
    found = errors_of([(80, 100), (94, 100), (96, 100), (100, 100), (150, 100)])
    assert found is not None
    assert (found.calls, found.under_share) == (5, 0.4)
    assert found.median == pytest.approx(-0.04)
    assert (found.p5, found.p95, found.worst_under) == pytest.approx((-0.2, 0.5, -0.2))
    above = errors_of([(130, 100)])
    assert above is not None
    assert (above.worst_under, above.under_share) == (0.0, 0.0)
    assert errors_of([]) is None
