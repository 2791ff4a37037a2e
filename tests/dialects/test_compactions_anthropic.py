"""Compaction blocks of Anthropic's API, and results that its server cleared."""

from __future__ import annotations

import json
from typing import Any

from compaction_laws import gone, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism, Tier
from cenotaph.core.model import Mark
from cenotaph.dialects.compactions.anthropic import chronicle
from cenotaph.dialects.compactions.finding import chronicle_of

Record = dict[str, Any]


def human(text: str) -> Record:
    return {"role": "user", "content": text}


def agent(*blocks: Record | str) -> Record:
    told = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": "assistant", "content": told}


def block(content: str | None, **more: Any) -> Record:
    return {"type": "compaction", "content": content, **more}


def call(call_id: str, tool: str = "read") -> Record:
    return agent({"type": "tool_use", "id": call_id, "name": tool, "input": {}})


def result(call_id: str, text: str) -> Record:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": text}]}


TALK = [human("never push"), agent("ok"), human("go on")]


def test_a_block_cuts_off_all_before_it_in_its_own_message_too() -> None:
    found = lawful(chronicle([*TALK, agent("first", block("SUM"), "then"), human("next")]))
    (event,) = found.events
    assert event.mechanism is Mechanism.anthropic_compaction
    assert gone(event) == ["never push", "ok", "go on", "first"]
    assert stands_for_it(event) == ["SUM"]
    assert said(event.after) == ["SUM"]
    assert said(found.messages[event.at :]) == ["then", "next"]
    assert event.complete
    assert not event.opaque
    assert event.wire == "anthropic"


def test_a_block_without_content_failed_and_changes_nothing() -> None:
    assert lawful(chronicle([*TALK, agent(block(None), "then")])).events == ()


def test_blocks_chain_and_a_list_that_begins_with_one_shows_one_side() -> None:
    found = lawful(chronicle([agent(block("ONE")), human("next"), agent(block("TWO"), "then")]))
    first, second = found.events
    assert first.tier is Tier.at_risk
    assert first.removed == ()
    assert gone(second) == ["ONE", "next"]
    assert second.complete


def test_a_log_tells_of_the_tokens_and_finds_each_block_once() -> None:
    usage = {
        "input_tokens": 9,
        "iterations": [
            {"type": "compaction", "input_tokens": 100, "cache_creation_input_tokens": 50},
            {"type": "message", "input_tokens": 9},
        ],
    }
    told = {"role": "assistant", "content": agent(block("SUM"), "then")["content"], "usage": usage}
    body = {"model": "claude-x", "max_tokens": 5}
    log = [
        {"request": {**body, "messages": TALK}, "response": told},
        {"request": {**body, "messages": [*TALK, agent(block("SUM"), "then"), human("next")]}, "response": {}},
    ]
    found = lawful(chronicle_of(log))
    (event,) = found.events
    assert (event.tokens_before, event.tokens_after) == (150, 9)
    assert said(found.messages) == ["never push", "ok", "go on", "SUM", "then", "next"]


def test_kept_turns_behind_a_block_sent_first_are_kept() -> None:
    body = {"model": "claude-x", "max_tokens": 5}
    kept = [*TALK, agent("done"), human("and this")]
    log = [
        {**body, "messages": kept},
        {**body, "messages": [agent(block("SUM", signature="s")), *kept[3:], agent("fine"), human("next")]},
    ]
    (event,) = lawful(chronicle_of(log)).events
    assert event.mechanism is Mechanism.anthropic_compaction
    assert gone(event) == ["never push", "ok", "go on"]
    assert said(event.after) == ["SUM", "done", "and this"]


def test_results_that_the_server_cleared_are_removed_from_the_oldest_on() -> None:
    talk = [human("look"), call("a"), result("a", "one"), call("b", "keep"), result("b", "two")]
    talk += [call("c"), result("c", "3")]
    edits = [{"type": "clear_tool_uses_20250919", "exclude_tools": ["keep"]}]
    applied = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 1, "cleared_input_tokens": 40}
    request = {"model": "claude-x", "messages": talk, "context_management": {"edits": edits}}
    answer = {**agent("fine"), "usage": {"input_tokens": 10}, "context_management": {"applied_edits": [applied]}}
    more = [*talk, agent("fine"), human("next")]
    grown = {**answer, "context_management": {"applied_edits": [{**applied, "cleared_tool_uses": 2}]}}
    log = [
        {"request": request, "response": answer},
        {"request": {**request, "messages": more}, "response": {**answer, **agent("sure")}},
        {"request": {**request, "messages": [*more, agent("sure"), human("on")]}, "response": grown},
    ]
    found = lawful(chronicle_of(log))
    assert [gone(event) for event in found.events] == [["one"], ["3"]]
    first = found.events[0]
    assert first.mechanism is Mechanism.anthropic_clearing
    assert first.replacement == ()
    assert first.complete
    assert (first.tokens_before, first.tokens_after) == (50, 10)
    assert any(Mark.cleared in part.marks for message in first.after for part in message.parts)
    assert said(found.messages)[-5:] == ["fine", "next", "sure", "on", "fine"]
    assert said(found.messages)[:7] == ["look", "{}", "one", "{}", "two", "{}", "3"]


def test_more_results_cleared_than_there_are_makes_losses_possible_only() -> None:
    applied = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 5, "cleared_input_tokens": 40}
    value = {
        "model": "claude-x",
        "messages": [human("look"), call("a"), result("a", "one")],
        "response": {**agent("fine"), "context_management": {"applied_edits": [applied]}},
    }
    (event,) = lawful(chronicle_of(value)).events
    assert not event.complete


def test_a_recorded_stream_is_put_together() -> None:
    events = [
        {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 5}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "compaction", "content": None}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": "SUM"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "th"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "en"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
    ]
    stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    body = json.dumps({"model": "claude-x", "max_tokens": 5, "messages": TALK})
    recording = {"interactions": [{"request": {"body": body, "uri": "u"}, "response": {"body": {"string": stream}}}]}
    found = lawful(chronicle_of(recording))
    assert stands_for_it(found.events[0]) == ["SUM"]
    assert said(found.messages)[-1] == "then"


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = [*TALK, agent("first", block("SUM"), "then"), human("next")]
    survives_damage("anthropic", value)
