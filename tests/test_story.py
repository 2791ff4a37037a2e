"""The story end to end: what a lossy summary breaks, and that its losses alone break it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from cenotaph import (
    Budget,
    BudgetExhausted,
    Policy,
    Session,
    Tombstone,
    compact,
    open_store,
    rehydrate,
    verify,
)
from cenotaph.api import classify
from cenotaph.core.tools import Tools, read_toml
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.testing.story import agent, play
from cenotaph.testing.story import transcript as told
from cenotaph.testing.story.gauge import Gauge
from cenotaph.testing.story.rolling import LOSSES, RollingSummary
from cenotaph.testing.story.world import World

FAILURES = {
    "rule": ("forbidden write", "write_file"),
    "state": ("stall", "run_step"),
    "literal": ("gap", "literal"),
    "checksum": ("gap", "checksum"),
}
"""Loss -> the failure that it causes: its kind, and the first word of what was tried."""


def failures(run: play.Run) -> set[tuple[str, str]]:
    return {(failure.kind, failure.what.replace(":", " ").split()[0]) for failure in run.failures}


@pytest.fixture(scope="module")
def budget() -> Budget:
    return play.story_budget()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('story') / 'story.db'}"


@pytest.fixture(scope="module")
def story(url: str) -> Iterator[play.Story]:
    store = open_store(url)
    yield play.tell(store)
    store.close()


class Untouched:
    """No compaction at all: a window without end."""

    name = "untouched"
    cuts = 0

    def view(self, messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        return messages


# The transcript -----------------------------------------------------------------------------


def test_the_transcript_crosses_seventy_percent_of_the_window_by_the_exact_counter() -> None:
    request = told.opening_request()
    result = compact(request, to_tokens=10**9)
    assert result.basis == "exact"
    assert result.tokens_before > 140_000
    assert Gauge(told.MODEL).total(request["messages"]) > 140_000


def test_no_model_call_before_the_last_one_was_above_the_trigger(budget: Budget) -> None:
    messages, gauge = told.opening_request()["messages"], Gauge(told.MODEL)
    calls = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    assert max(gauge.total(messages[:index]) for index in calls) + budget.overhead < 140_000


def test_the_gauge_counts_what_a_compaction_counts(story: play.Story) -> None:
    messages = told.opening_request()["messages"]
    result = compact(messages, to_tokens=10**9, model=told.MODEL)
    assert Gauge(told.MODEL).total(messages) == result.tokens_before == story.kept.tokens_before


def test_what_decides_the_rest_stands_where_the_story_says() -> None:
    spans = classify(told.opening_request(), tools=told.TOOLS)
    where = {
        text: {(span.turn, span.row) for span in spans if text in span.text}
        for text in (told.RULE, told.CHECKSUM, told.ENV_LITERAL, told.PLAN[1]["note"])
    }
    assert where[told.RULE] == {(3, "usr")}
    assert where[told.CHECKSUM] == {(11, "one")}
    assert where[told.ENV_LITERAL] == {(2, "ded")}
    assert where[told.PLAN[1]["note"]] == {(18, "pln")}
    assert max(span.turn for span in spans) == 18


def test_the_mass_is_made_of_what_real_sessions_hold() -> None:
    spans = classify(told.opening_request(), tools=told.TOOLS)
    whole = sum(span.tokens for span in spans)

    def share(*rows: str) -> float:
        return sum(span.tokens for span in spans if span.row in rows) / whole

    assert 0.50 < share("rec", "ded") < 0.65
    assert 0.18 < share("one") < 0.28
    assert 0.08 < share("wrt") < 0.13
    assert share("usr", "req", "nar", "rep") < 0.06


def test_the_transcript_is_the_same_in_every_process() -> None:
    program = (
        "import hashlib, json; from cenotaph.testing.story.transcript import opening_request;"
        "print(hashlib.sha256(json.dumps(opening_request()).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_provider_would_take_the_transcript() -> None:
    assert OPENAI_CHAT.breaches(told.opening_request()["messages"]) == []


def test_the_declarations_are_the_same_in_python_and_in_toml() -> None:
    assert Tools.of(read_toml(told.tools_toml())) == Tools.of(told.TOOLS)


# The two runs -------------------------------------------------------------------------------


def test_over_the_summary_the_agent_writes_where_it_was_forbidden_eleven_turns_after_the_loss(
    story: play.Story,
) -> None:
    write = story.lossy.failed("forbidden write")
    assert write is not None
    assert (write.turn, write.turns_since_cut) == (29, 11)
    assert told.LIMITS_FILE in write.what
    assert 7_000 < write.tokens_since_cut < 11_000


def test_over_the_summary_the_agent_runs_the_blocked_step_and_stalls(story: play.Story) -> None:
    stall = story.lossy.failed("stall")
    assert stall is not None
    assert "AWAITING_HUMAN" in stall.what
    assert stall.turns_since_cut == 10
    assert stall.tokens_since_cut > 0


def test_over_the_summary_the_exact_values_are_gone(story: play.Story) -> None:
    assert (story.lossy.literal, story.lossy.checksum) == (None, None)
    assert story.lossy.count("gap") == 2


def test_over_cenotaph_nothing_fails(story: play.Story) -> None:
    assert story.kept.failures == []
    assert story.kept.rule_verbatim
    assert story.kept.blocked_kept
    assert story.as_told


def test_over_cenotaph_the_exact_values_come_back_by_handle(story: play.Story) -> None:
    assert story.kept.literal == told.ENV_LITERAL
    assert story.kept.checksum == f"bundle_sha256: {told.CHECKSUM}"
    asked = [step for beat in story.kept.beats for step in beat.steps if step.startswith("rehydrate(")]
    assert [(t.turn, t.kind) for step in asked for t in Tombstone.find(step)] == [
        (2, "tool_result"),
        (11, "tool_result"),
    ]


def test_the_one_shot_result_comes_back_byte_for_byte_from_the_file(story: play.Story, url: str) -> None:
    assert (story.lossy.drop_back, story.kept.drop_back) == (False, True)
    steps = [step for beat in story.kept.beats for step in beat.steps]
    line = Tombstone.find(" ".join(steps))[-1].render()
    assert rehydrate(line, store=url, session=story.session)[0].text.encode() == told.DROP.encode()


def test_the_records_hold_when_every_byte_is_read(story: play.Story, url: str) -> None:
    report = verify(url, read_data=True)
    assert report.findings == ()
    assert (report.records, report.objects) == (story.records, story.objects)
    assert report.records == 1


def test_both_runs_see_the_same_crossing_and_the_second_ends_within_its_target(
    story: play.Story, budget: Budget
) -> None:
    assert story.lossy.cut_turn == story.kept.cut_turn == 18
    assert story.lossy.tokens_before == story.kept.tokens_before
    assert story.kept.tokens_after <= budget.target_tokens
    assert 40 <= story.lossy.tool_calls <= 46


def test_strict_meets_the_target_too_keeps_the_one_shot_result_and_costs_unread_files(
    story: play.Story, budget: Budget
) -> None:
    assert story.strict.tokens_after is not None
    assert story.strict.tokens_after <= budget.target_tokens
    assert story.strict.drop_stays
    assert story.strict.unread_evicted > 0


def test_without_declared_tools_strict_halts_instead_of_guessing(budget: Budget) -> None:
    with pytest.raises(BudgetExhausted) as halt:
        compact(told.opening_request()["messages"], budget=budget, model=told.MODEL)
    assert halt.value.reachable > budget.target_tokens


def test_the_record_says_who_answers_for_the_recall(story: play.Story, url: str) -> None:
    store = open_store(url)
    [record] = store.records(story.session)
    store.close()
    assert (record["policy"], record["recall_by"]) == ("archive", "demo agent")


def test_a_provider_would_take_every_view_of_both_runs(budget: Budget) -> None:
    gauge, views = Gauge(told.MODEL), []

    class Watched:
        def __init__(self, inner: play.Compactor) -> None:
            self.inner, self.name = inner, inner.name

        @property
        def cuts(self) -> int:
            return self.inner.cuts

        def view(self, messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
            views.append(list(self.inner.view(messages)))
            return views[-1]

    archive = Policy.archive(recall_by="test")
    session = Session(
        "s", store="memory://", budget=budget, policy=archive, tools=told.TOOLS, model=told.MODEL
    )
    kept = play.Compacted(session)
    play.play(Watched(RollingSummary(gauge, 139_000)), World(), gauge)  # type: ignore[arg-type]
    play.play(Watched(kept), World(kept.recall), gauge)  # type: ignore[arg-type]
    assert len(views) > 40
    assert [breach for view in views for breach in OPENAI_CHAT.breaches(view)] == []


# The agent is not rigged --------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_repairing_one_loss_of_the_summary_makes_exactly_its_failure_disappear(
    loss: str, story: play.Story, budget: Budget
) -> None:
    repaired = play.play_lossy(Gauge(told.MODEL), budget, repaired=[loss])
    assert failures(story.lossy) == set(FAILURES.values())
    assert failures(repaired) == set(FAILURES.values()) - {FAILURES[loss]}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_summary_with_one_loss_causes_exactly_its_failure(loss: str, budget: Budget) -> None:
    others = [name for name in LOSSES if name != loss]
    assert failures(play.play_lossy(Gauge(told.MODEL), budget, repaired=others)) == {FAILURES[loss]}


def test_over_a_summary_without_losses_the_agent_fails_at_nothing(budget: Budget) -> None:
    run = play.play_lossy(Gauge(told.MODEL), budget, repaired=LOSSES)
    assert run.cut_turn == 18
    assert run.failures == []


def test_without_any_compaction_the_agent_fails_at_nothing() -> None:
    run = play.play(Untouched(), World(), Gauge(told.MODEL))
    assert run.failures == []
    assert (run.literal, run.checksum) == (told.ENV_LITERAL, f"bundle_sha256: {told.CHECKSUM}")


def test_the_agent_knows_nothing_but_its_messages_and_its_tools() -> None:
    tree = ast.parse(Path(agent.__file__).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name and name.startswith("cenotaph")} == {
        "cenotaph.testing.story.transcript"
    }
    names = {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert names & set(told.__all__) == {"Call"}


def test_both_runs_ask_the_same_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[frozenset[str]] = []

    def noted(messages: Sequence[Mapping[str, Any]], tools: frozenset[str]) -> agent.Act:
        seen.append(tools)
        return agent.decide(messages, tools)

    monkeypatch.setattr(play, "decide", noted)
    store = open_store("memory://")
    story = play.tell(store)
    assert len(seen) == story.lossy.model_calls + story.kept.model_calls
    assert seen[0] ^ seen[-1] == {"rehydrate"}


def asked(*before: dict[str, Any], ask: str) -> agent.Act:
    return agent.decide([*before, told.human(ask)], {"write_file", "run_step", "rehydrate"})


def setting() -> list[dict[str, Any]]:
    call = told.Call("grep", {"pattern": "nofile", "path": "/etc"})
    return [
        told.assistant("", [call], ["g1"]),
        told.result("g1", f"{told.LIMITS_FILE}:12: payments soft nofile 4096"),
    ]


RAISE = "Raise it: raise the nofile limit for the payments user to 65536."


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (f"One rule: {told.RULE}.", "proposals/limits.conf"),
        ("Never write anything under /etc/prod/, please.", "proposals/limits.conf"),
        ("Do not modify anything under /etc/staging/ - read-only.", told.LIMITS_FILE),
        ("The user prefers careful changes in production.", told.LIMITS_FILE),
    ],
)
def test_the_agent_keeps_to_the_rule_that_its_context_says_and_to_no_other(words: str, path: str) -> None:
    act = asked(told.human(words), *setting(), ask=RAISE)
    assert [(call.tool, call.args["path"]) for call in act.calls] == [("write_file", path)]


@pytest.mark.parametrize(
    ("plan", "step"),
    [
        ("1. First (done); 2. Second (pending)", "2"),
        ("1. First (blocked: waits for X); 2. Second (pending)", "2"),
        ("1. First (done); 2. Second (blocked)", None),
    ],
)
def test_the_agent_runs_the_first_step_that_its_context_calls_pending(plan: str, step: str | None) -> None:
    act = asked(told.human(f"The plan: {plan}."), ask="Carry on with the plan.")
    assert [call.args["id"] for call in act.calls] == ([] if step is None else [step])


def test_the_agent_takes_a_reported_gap_for_no_answer() -> None:
    call = told.Call("rehydrate", {"what": "[EVICTED:tool_result@t1.1:recover=NO]"})
    ask = "What was PAYMENTS_DB_REPLICA set to in the env file?"
    gap = f"GAP: nothing found. Nearest known handles: {told.ENV_LITERAL}"
    messages = [told.human(ask), told.assistant("", [call], ["r1"]), told.result("r1", gap)]
    act = agent.decide(messages, {"rehydrate"})
    assert act.calls == ()
    assert told.ENV_LITERAL not in act.words


def test_a_loss_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="colour"):
        RollingSummary(Gauge(told.MODEL), 1, repaired=["colour"])


def test_the_same_story_is_told_twice(story: play.Story) -> None:
    store = open_store("memory://")
    again = play.tell(store)
    assert again.lossy == story.lossy
    assert again.kept.failures == story.kept.failures
    assert [beat.reply for beat in again.kept.beats] == [beat.reply for beat in story.kept.beats]
    assert again.kept.tokens_before == story.kept.tokens_before
    assert json.dumps(again.to_dict())
