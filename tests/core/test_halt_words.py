"""What a halt says: why the view can't be smaller, and a size that it can have."""

from __future__ import annotations

from typing import Any

import pytest

from cenotaph import BudgetExhausted, Policy, compact
from cenotaph.core.ids import JSON
from cenotaph.store.memory import MemoryStore
from talk import agent, answer, call, human, result, results, text


def halted(messages: list[Any], target: int, policy: Policy) -> BudgetExhausted:
    with pytest.raises(BudgetExhausted) as caught:
        compact(messages, to_tokens=target, policy=policy, dialect="anthropic", store=MemoryStore(), session="s")
    return caught.value


def size(messages: list[Any]) -> int:
    return compact(messages, to_tokens=1 << 40, dialect="anthropic").tokens_before


@pytest.mark.parametrize("words", [1, 4, 16, 40, 64, 96])
def test_a_result_without_its_call_whose_line_is_no_smaller_is_a_halt_with_its_cause(words: int) -> None:
    """It would leave, since a provider refuses it; no reachable size is above the present one."""
    messages = [results(answer("gone", "word " * words))]
    now = size(messages)
    halt = halted(messages, max(1, min(now // 3, 20)), Policy.archive())
    assert halt.target < halt.reachable <= now
    assert halt.report["protected_by_row"] == {}
    expected = "nothing would be freed net" if halt.reachable == now else "nothing is protected"
    assert halt.report["cause"].startswith(expected)
    assert halt.report["cause"] in str(halt)
    assert halt.ways_out[0] == f"raise the budget: {halt.reachable:,} tokens are reachable"
    assert halt.record.to_dict()["reachable"] == halt.reachable


def test_both_causes_occur_in_what_stands_above() -> None:
    causes = {halted([results(answer("gone", "word " * n))], 2, Policy.archive()).report["cause"] for n in (4, 96)}
    assert len({cause.split(":")[0] for cause in causes}) == 2


def test_where_a_row_protects_what_stays_the_cause_names_the_weightiest() -> None:
    asked: list[JSON] = [human("Never touch /etc/prod. " * 40), agent(call("a", "Read", file_path="/a.py"))]
    messages = [*asked, result("a", "x = 1\n" * 10), agent(text("Done.")), human("Go on.")]
    halt = halted(messages, 20, Policy.strict())
    rows = halt.report["protected_by_row"]
    most = next(iter(rows))
    assert f"most in row {most} ({rows[most]:,})" in halt.report["cause"]
    assert f"{sum(rows.values()):,} tokens are protected" in str(halt)
