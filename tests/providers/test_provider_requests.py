"""Every provider's fake takes each whole request that a client posts, and what is left of it after a cut."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from askers import ASKERS, Asker
from bodies import CONVERSE, GEMINI_3, agent, asks, converse, person, reasons, responds, turn, words
from loopback import CONVERSATION, Client
from rounds import run, server

from cenotaph import BudgetExhausted, Policy, compact

COUNT = 200
BY_NAME = {asker.name: asker for asker in ASKERS}
SIGNED = ("anthropic", "bedrock-converse")


@pytest.mark.slow
@pytest.mark.parametrize("asker", ASKERS, ids=lambda asker: asker.name)
def test_no_provider_refuses_a_request_before_or_after_its_cut(asker: Asker) -> None:
    tally = run(asker, COUNT)
    assert tally.problems == []
    assert tally.posted == COUNT
    assert tally.tokens_after < 0.8 * tally.tokens_before
    bindings = {words.split()[1] for words in tally.by}
    assert bindings == {"none", "newest", "prefix"}
    assert {words.split()[0] for words in tally.by} == {"strict", "archive"}
    assert tally.halts < COUNT / 10


@pytest.mark.parametrize("name", SIGNED)
def test_a_cut_for_a_looser_binding_than_the_models_is_refused(name: str) -> None:
    def loosely(body: Any, **how: Any) -> Any:
        binding = "newest" if how["binding"] == "prefix" and not how["drop_block"] else how["binding"]
        return compact(body, **{**how, "binding": binding})

    refused = run(BY_NAME[name], 60, cut=loosely).problems
    assert refused
    assert {problem.split()[4] for problem in refused} == {"prefix"}
    assert {problem.split(": ")[2] for problem in refused} == {"A6" if name == "anthropic" else "B3"}


def _as_small_as_it_gets(body: dict[str, Any], **how: Any) -> dict[str, Any]:
    try:
        compact(body, to_tokens=1, policy=Policy.archive(), **how)
    except BudgetExhausted as halt:
        done: dict[str, Any] = compact(body, to_tokens=halt.reachable, policy=Policy.archive(), **how).request
        return done
    raise AssertionError("a request cannot be cut to one token")


def _statuses(path: str, *bodies: dict[str, Any]) -> list[int]:
    with server() as loopback:
        client = Client(loopback.port)
        found = [client.post(path, body, {CONVERSATION: "c"}).status for body in bodies]
        client.close()
    return found


def _written(call_id: str, *before: Any) -> list[Any]:
    """An exchange that a cut takes out whole, behind what the agent said."""
    call = {"toolUse": {"toolUseId": call_id, "name": "write_file", "input": {"path": call_id, "content": "x\n" * 999}}}
    answer = {"toolResult": {"toolUseId": call_id, "content": [{"text": "written"}]}}
    return [agent(*before, call), person(answer)]


def test_an_agents_text_is_not_joined_before_the_newest_reasoning() -> None:
    body = converse(
        person(words("Fix it.")),
        *_written("a"),
        *_written("b", words("It must never read /etc/prod.")),
        agent(reasons(1), words("Done.")),
        person(words("Now the guide.")),
        additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 1024}},
    )
    left = _as_small_as_it_gets(body, tools=["generic"], binding="newest", store="memory://")
    assert _statuses(CONVERSE, body, left) == [200, 200]


def test_a_signed_empty_part_does_not_halt_the_cut_of_the_text_before_it() -> None:
    signed = {"text": "", "thoughtSignature": "s0"}
    contents = [
        turn("user", words("Fix it.")),
        turn("model", words("All about the parser and its tests. " * 60), signed),
        turn("user", words("Now the guide, please, and keep the tone of it as it is. " * 8)),
        turn("model", asks("a", "s1")),
        turn("user", responds("a")),
    ]
    body = {"contents": contents}
    left = _as_small_as_it_gets(body, tools=["generic"], model="gemini-3-pro-preview")
    assert len(str(left)) < len(str(body))
    assert _statuses(GEMINI_3, body, left) == [200, 200]


CALLS = re.compile(r'"(tool_use|tool_calls|(function|custom_tool)_call|functionCall|toolUse)"')
RESULTS = re.compile(
    r'"(tool_result|tool_call_id|(function|custom_tool)_call_output|functionResponse|function_response|toolResult)"'
)


@pytest.mark.parametrize("asker", ASKERS, ids=lambda asker: asker.name)
@pytest.mark.parametrize("kind", [CALLS, RESULTS], ids=["calls", "results"])
def test_a_view_without_one_message_of_calls_or_results_is_refused(asker: Asker, kind: re.Pattern[str]) -> None:
    damaged = 0

    def damaging(body: dict[str, Any], **how: Any) -> Any:
        nonlocal damaged
        done = compact(body, **how)
        key = next(key for key in ("messages", "input", "contents") if key in body)
        found = [n for n, message in enumerate(done.request[key]) if kind.search(json.dumps(message))]
        if not done.changed or not found:
            return done
        damaged += 1
        left = [message for n, message in enumerate(done.request[key]) if n != found[0]]
        return replace(done, request={**done.request, key: left})

    tally = run(asker, 20, cut=damaging)
    assert len(tally.problems) == damaged > 5
    assert all(": compacted: " in problem for problem in tally.problems)
