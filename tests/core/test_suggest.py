"""Drafts of tool declarations: evidence, never a decision."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph import api
from cenotaph.core.suggest import Observation, ToolUse, draft_toml, observe, pairs_min, uncommented, weigh
from cenotaph.core.tools import Tools, ToolSpec, read_toml

NOTHING = Tools.of()


def seen(tool: str, args: dict[str, Any] | None, answer: str | None = "same", where: int = 0) -> Observation:
    return Observation(tool, args, answer, 10, where)


def use_of(*calls: Observation, tools: Tools = NOTHING) -> ToolUse:
    (use,) = weigh(calls, 100, tools)
    return use


def test_enough_equal_questions_with_equal_answers_propose_repeatable() -> None:
    question = seen("get_ticket", {"ticket_id": "T-1"})
    assert use_of(*[question] * (pairs_min + 1)).repeatable
    assert not use_of(*[question] * pairs_min).repeatable


def test_one_other_answer_is_enough_to_propose_nothing() -> None:
    question = {"ticket_id": "T-1"}
    calls = [seen("get_ticket", question)] * 5 + [seen("get_ticket", question, "other")]
    use = use_of(*calls)
    assert (use.pairs, use.equal, use.repeatable) == (5, 4, False)


def test_failed_calls_and_other_transcripts_are_no_evidence() -> None:
    question = {"ticket_id": "T-1"}
    assert use_of(*[seen("get_ticket", question, None)] * 9).pairs == 0
    assert use_of(*[seen("get_ticket", question, where=i) for i in range(9)]).pairs == 0


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("bash", {"path": "x"}),
        ("run_shell_command", {"path": "x"}),
        ("executeCommand", {"file": "x"}),
        ("workbench", {"command": "ls", "path": "x"}),
        ("notebook", {"code": "1", "path": "x"}),
    ],
)
def test_a_shell_is_never_drafted(tool: str, args: dict[str, Any]) -> None:
    use = use_of(*[seen(tool, args)] * 9)
    assert (use.shell, use.repeatable, use.handle) == (True, False, None)
    assert read_toml(uncommented(draft_toml([use], 1))) == []


@pytest.mark.parametrize(
    ("tool", "args"),
    [("web_fetch", {"id": "x"}), ("load", {"url": "https://x"}), ("update_order", {"order_id": "1"})],
)
def test_what_reaches_out_or_writes_is_never_drafted_as_repeatable(tool: str, args: dict[str, Any]) -> None:
    assert not use_of(*[seen(tool, args)] * 9).repeatable


@pytest.mark.parametrize(
    ("tool", "args", "handle"),
    [
        ("peek", {"path": "a.py", "limit": 3}, "file:{path}"),
        ("peek", {"directory": "src"}, "dir:{directory}"),
        ("getOrderDetails", {"order_id": "#W1"}, "get-order-details:{order_id}"),
        ("lookup", {"user_id": 7, "shop_id": 8}, "lookup:{shop_id}@{user_id}"),
        ("think", {"thought": "hm"}, None),
        ("peek", {"path": ["a", "b"]}, None),
        ("peek", {"path": "two\nlines"}, None),
        ("peek", None, None),
    ],
)
def test_a_handle_is_made_of_arguments_that_name_things(
    tool: str, args: dict[str, Any] | None, handle: str | None
) -> None:
    assert use_of(seen(tool, args)).handle == handle


def test_an_argument_that_one_call_lacks_is_no_handle() -> None:
    assert use_of(seen("peek", {"path": "a"}), seen("peek", {})).handle is None


def test_what_is_declared_is_not_drafted() -> None:
    use = use_of(seen("peek", {"path": "a"}), tools=Tools.of([ToolSpec("peek")]))
    assert use.declared
    assert "peek" not in draft_toml([use], 1)


def test_tools_are_weighed_by_their_share_of_all_tokens() -> None:
    uses = weigh([seen("a", {}), seen("b", {}), seen("b", {})], 100, NOTHING)
    assert [(use.name, use.calls, use.tokens, use.share) for use in uses] == [
        ("b", 2, 20, 0.2),
        ("a", 1, 10, 0.1),
    ]


names = st.text(st.characters(codec=None, exclude_categories=()), min_size=1, max_size=20)
values = st.text(max_size=5) | st.integers() | st.none() | st.lists(st.integers(), max_size=1)


@given(
    st.lists(st.tuples(names, st.dictionaries(names | st.sampled_from(["path", "id"]), values)), max_size=8)
)
def test_any_draft_declares_nothing_and_declares_something_valid_once_uncommented(
    calls: list[tuple[str, dict[str, Any]]],
) -> None:
    uses = weigh([seen(tool, args) for tool, args in calls for _ in range(5)], 100, NOTHING)
    draft = draft_toml(uses, 1)
    draft.encode()
    assert read_toml(draft) == []
    kept = read_toml(uncommented(draft))
    assert [spec.repeatable for spec in kept] == [u.repeatable for u in uses if u.handle and not u.shell]
    assert tomllib.loads(draft) == {}


def test_calls_are_observed_with_what_came_back() -> None:
    def call(identity: str, path: str) -> dict[str, Any]:
        function = {"name": "peek", "arguments": f'{{"path": "{path}"}}'}
        return {
            "role": "assistant",
            "tool_calls": [{"id": identity, "type": "function", "function": function}],
        }

    messages = [{"role": "user", "content": "go"}]
    for number, text in enumerate(["one", "one", "two"]):
        messages += [
            call(f"c{number}", "a.py"),
            {"role": "tool", "tool_call_id": f"c{number}", "content": text},
        ]
    messages.append(call("open", "a.py"))
    found = observe(api.explain(messages).classified.structure)
    assert [item.args for item in found] == [{"path": "a.py"}] * 4
    assert found[0].answer == found[1].answer != found[2].answer
    assert found[3].answer is None
    assert all(item.tokens > 0 for item in found)
