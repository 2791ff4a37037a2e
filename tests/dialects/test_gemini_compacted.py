"""What a compaction makes of Gemini contents: valid, every call as it was, the page beside a person's words."""

from __future__ import annotations

from cenotaph import Policy, Session, compact
from cenotaph.core.ids import JSON
from cenotaph.core.policy import Budget
from cenotaph.dialects.gemini import GEMINI
from cenotaph.dialects.gemini_rules import signature_breaches
from cenotaph.errors import BudgetExhausted, IndexBudgetExceeded
from cenotaph.testing.conversations_gemini import generate

HALTS = (BudgetExhausted, IndexBudgetExceeded)
FILE = "def parse(line):\n    return line.split()\n" * 60


def user(*parts: JSON) -> JSON:
    return {"role": "user", "parts": list(parts)}


def step(name: str, result: str, **args: JSON) -> list[JSON]:
    """A signed call and its response; the result is one text."""
    call = {"functionCall": {"name": name, "args": args}, "thoughtSignature": "c2lnbmVk"}
    response = {"functionResponse": {"name": name, "response": {"output": result}}}
    return [{"role": "model", "parts": [call]}, user(response)]


def cut(contents: list[JSON], share: float) -> list[JSON] | None:
    """The view at a share of the tokens that came in; None where the call halted."""
    tokens = compact(contents, to_tokens=10**9).tokens_before
    try:
        result = compact(
            contents,
            to_tokens=int(tokens * share),
            store="memory://",
            policy=Policy.archive(),
            tools=["generic"],
            binding="newest",
        )
    except HALTS:
        return None
    return list(result.messages)


def test_every_generated_conversation_that_is_cut_stays_valid_with_its_calls_as_they_were() -> None:
    cuts = 0
    for seed in range(150):
        contents = generate(seed, 4 + seed % 20)
        view = cut(contents, 0.3 + 0.1 * (seed % 5))
        if view is not None:
            cuts += view != contents
            assert GEMINI.breaches(view) == [], seed
            assert signature_breaches(contents, view) == [], seed
    assert cuts > 50


def test_a_result_that_left_is_a_line_under_its_own_name_and_its_call_is_the_same_object() -> None:
    contents = [
        user({"text": "Fix the parser."}),
        *step("read_file", FILE, path="src/a.py"),
        *step("read_file", FILE, path="src/b.py"),
        {"role": "model", "parts": [{"text": "Which one?"}]},
        user({"text": "The second, please, and keep the tests as they are; tell me before anything is written."}),
    ]
    view = cut(contents, 0.4)
    assert view is not None
    assert [content["parts"][0].get("functionCall") for content in view][1] is contents[1]["parts"][0]["functionCall"]
    body = view[2]["parts"][0]["functionResponse"]
    assert body["name"] == "read_file"
    assert body["response"]["output"].startswith("[EVICTED:tool_result@t1.1:")


def test_the_page_of_a_cut_is_a_part_of_the_persons_turn_beside_it() -> None:
    contents = [
        user({"text": "Fix the parser."}),
        *step("write_file", "written", path="src/a.py", content=FILE),
        *step("run", "ok", command="make test"),
        {"role": "model", "parts": [{"text": "Done."}]},
        user(
            {"text": "Now the docs, and keep the tone of the README as it is; ask me before you change its headings."}
        ),
    ]
    view = cut(contents, 0.5)
    assert view is not None
    assert [content["role"] for content in view] == ["user", "model", "user", "model", "user"]
    first, page = view[0]["parts"]
    assert first is contents[0]["parts"][0]
    assert page["text"].startswith("[CENOTAPH:")


def test_sessions_that_grow_are_valid_after_each_cut() -> None:
    cuts = 0
    budget = Budget(window=9_000, trigger=0.70, target=0.45)
    for seed in range(10):
        contents = generate(seed, 40)
        session = Session(
            f"s{seed}", store="memory://", budget=budget, policy=Policy.archive(), tools=["generic"], binding="newest"
        )
        for length in range(3, len(contents) + 1, 2):
            if GEMINI.breaches(contents[:length]):
                continue
            try:
                view = session.view(contents[:length])
            except HALTS:
                break
            cuts += session.last is not None and session.last.changed
            assert GEMINI.breaches(list(view)) == [], seed
    assert cuts > 10
