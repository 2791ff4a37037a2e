"""What a compaction makes of Converse messages: valid, reasoning as it was, the page beside a person's words."""

from __future__ import annotations

import pytest

from cenotaph import Policy, Session, compact
from cenotaph.core.ids import JSON
from cenotaph.core.policy import Budget
from cenotaph.dialects.bedrock import BEDROCK_CONVERSE
from cenotaph.dialects.bedrock_rules import reasoning_breaches
from cenotaph.errors import BudgetExhausted, IndexBudgetExceeded
from cenotaph.testing.conversations_bedrock import generate

HALTS = (BudgetExhausted, IndexBudgetExceeded)
FILE = "def parse(line):\n    return line.split()\n" * 60


def user(*blocks: JSON) -> JSON:
    return {"role": "user", "content": list(blocks)}


def step(call_id: str, name: str, result: str, **arguments: JSON) -> list[JSON]:
    """A call and its result, which is one text."""
    call = {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}
    answer = {"toolResult": {"toolUseId": call_id, "content": [{"text": result}], "status": "success"}}
    return [{"role": "assistant", "content": [call]}, user(answer)]


def cut(messages: list[JSON], share: float, binding: str = "newest") -> list[JSON] | None:
    """The view at a share of the tokens that came in; None where the call halted."""
    tokens = compact(messages, to_tokens=10**9).tokens_before
    try:
        result = compact(
            messages,
            to_tokens=int(tokens * share),
            store="memory://",
            policy=Policy.archive(),
            tools=["generic"],
            binding=binding,
        )
    except HALTS:
        return None
    return list(result.messages)


@pytest.mark.parametrize("binding", ["none", "newest", "prefix"])
def test_every_generated_conversation_that_is_cut_stays_valid_with_its_reasoning_as_it_was(binding: str) -> None:
    cuts = 0
    for seed in range(100):
        messages = generate(seed, 4 + seed % 20)
        view = cut(messages, 0.3 + 0.1 * (seed % 5), binding)
        if view is not None:
            cuts += view != messages
            assert BEDROCK_CONVERSE.breaches(view, tools=True) == [], seed
            assert reasoning_breaches(messages, view, binding) == [], seed  # type: ignore[arg-type]
    assert cuts > 25


def test_a_result_that_left_is_a_line_under_its_own_id_and_status() -> None:
    messages = [
        user({"text": "Fix the parser."}),
        *step("c1", "read_file", FILE, path="src/a.py"),
        *step("c2", "read_file", FILE, path="src/b.py"),
        {"role": "assistant", "content": [{"text": "Which one?"}]},
        user({"text": "The second, please, and keep the tests as they are; tell me before anything is written."}),
    ]
    view = cut(messages, 0.4)
    assert view is not None
    assert view[1] is messages[1]
    result = view[2]["content"][0]["toolResult"]
    assert (result["toolUseId"], result["status"]) == ("c1", "success")
    assert result["content"][0]["text"].startswith("[EVICTED:tool_result@t1.1:")


def test_the_page_of_a_cut_is_a_block_of_the_persons_message_beside_it() -> None:
    messages = [
        user({"text": "Fix the parser."}),
        *step("c1", "write_file", "written", path="src/a.py", content=FILE),
        *step("c2", "run", "ok", command="make test"),
        {"role": "assistant", "content": [{"text": "Done."}]},
        user(
            {"text": "Now the docs, and keep the tone of the README as it is; ask me before you change its headings."}
        ),
    ]
    view = cut(messages, 0.5)
    assert view is not None
    assert [message["role"] for message in view] == ["user", "assistant", "user", "assistant", "user"]
    first, page = view[0]["content"]
    assert first is messages[0]["content"][0]
    assert page["text"].startswith("[CENOTAPH:")


def test_sessions_that_grow_are_valid_after_each_cut() -> None:
    cuts = 0
    budget = Budget(window=9_000, trigger=0.70, target=0.45)
    for seed in range(10):
        messages = generate(seed, 40)
        session = Session(
            f"s{seed}", store="memory://", budget=budget, policy=Policy.archive(), tools=["generic"], binding="newest"
        )
        for length in range(3, len(messages) + 1, 2):
            if BEDROCK_CONVERSE.breaches(messages[:length]):
                continue
            try:
                view = session.view(messages[:length])
            except HALTS:
                break
            cuts += session.last is not None and session.last.changed
            assert BEDROCK_CONVERSE.breaches(list(view)) == [], seed
    assert cuts > 10
