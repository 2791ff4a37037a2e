"""Compactions in LangChain's messages and LangGraph's state."""

from __future__ import annotations

from typing import Any

import pytest
from compaction_laws import gone, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism, Tier
from cenotaph.dialects.compactions.langchain import chronicle

Record = dict[str, Any]


def human(name: str, text: str, **kwargs: Any) -> Record:
    return {"type": "human", "content": text, "id": name, "additional_kwargs": kwargs}


def agent(name: str, text: str) -> Record:
    return {"type": "ai", "content": text, "id": name, "tool_calls": []}


def summary(name: str, text: str) -> Record:
    return human(name, text, lc_source="summarization")


def remove(name: str) -> Record:
    return {"type": "remove", "content": "", "id": name}


def checkpoint(number: int, messages: list[Record], **values: Any) -> Record:
    return {
        "values": {"messages": messages, **values},
        "config": {"configurable": {"thread_id": "t", "checkpoint_id": f"c{number}"}},
        "created_at": f"at{number}",
        "parent_config": None,
    }


TALK = [human("1", "never push"), agent("2", "ok"), human("3", "go on"), agent("4", "done")]


def test_an_older_checkpoint_holds_what_a_newer_one_lost() -> None:
    history = [
        checkpoint(3, [summary("s", "SUM"), *TALK[2:], human("5", "next")]),
        checkpoint(2, [summary("s", "SUM"), *TALK[2:]]),
        checkpoint(1, TALK),
        checkpoint(0, []),
    ]
    found = lawful(chronicle(history))
    (event,) = found.events
    assert event.mechanism is Mechanism.langchain_summary
    assert gone(event) == ["never push", "ok"]
    assert stands_for_it(event) == ["SUM"]
    assert (event.where, event.when, event.complete) == ("checkpoint c2", "at2", True)
    assert said(found.messages[event.at :]) == ["next"]


def test_a_checkpoint_that_lost_messages_without_a_summary_was_edited_in_silence() -> None:
    (event,) = lawful(chronicle([checkpoint(2, TALK[2:]), checkpoint(1, TALK)])).events
    assert event.mechanism is Mechanism.prefix_change
    assert gone(event) == ["never push", "ok"]
    assert event.replacement == ()


def test_a_history_that_only_grows_holds_no_event() -> None:
    assert lawful(chronicle([checkpoint(2, TALK), checkpoint(1, TALK[:2]), checkpoint(0, [])])).events == ()


def test_a_lone_list_with_a_summary_shows_one_side() -> None:
    (event,) = lawful(chronicle([summary("s", "SUM"), *TALK[2:]])).events
    assert event.tier is Tier.at_risk
    assert event.before == ()
    assert stands_for_it(event) == ["SUM"]
    assert event.at == 1


@pytest.mark.parametrize("path", ["/conversation_history/t.md", None])
def test_a_deep_agent_keeps_the_messages_and_says_where_it_wrote_them(path: str | None) -> None:
    told = {"cutoff_index": 2, "summary_message": summary("s", "SUM"), "file_path": path}
    (event,) = lawful(chronicle({"messages": TALK, "_summarization_event": told})).events
    assert gone(event) == ["never push", "ok"]
    assert said(event.after) == ["SUM", "go on", "done"]
    assert event.pointer is (path is not None)
    assert event.complete


def test_the_summaries_of_a_deep_agent_chain() -> None:
    first = {"cutoff_index": 2, "summary_message": summary("s", "SUM"), "file_path": None}
    second = {"cutoff_index": 4, "summary_message": summary("z", "TWO"), "file_path": None}
    longer = [*TALK, human("5", "next"), agent("6", "yes")]
    history = [
        checkpoint(3, longer, _summarization_event=second),
        checkpoint(2, longer, _summarization_event=first),
        checkpoint(1, TALK, _summarization_event=first),
        checkpoint(0, TALK),
    ]
    found = lawful(chronicle(history))
    assert [gone(event) for event in found.events] == [["never push", "ok"], ["SUM", "go on", "done"]]


def test_removing_all_leaves_what_follows() -> None:
    (event,) = lawful(chronicle([*TALK, remove("__remove_all__"), summary("s", "SUM"), TALK[3]])).events
    assert gone(event) == ["never push", "ok", "go on"]
    assert said(event.after) == ["SUM", "done"]


def test_removing_some_leaves_the_others() -> None:
    found = lawful(chronicle([*TALK, remove("1"), remove("2"), human("5", "next")]))
    (event,) = found.events
    assert event.mechanism is Mechanism.prefix_change
    assert gone(event) == ["never push", "ok"]
    assert said(found.messages[event.at :]) == ["next"]


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = [
        checkpoint(3, [summary("s", "SUM"), *TALK[2:], human("5", "next")]),
        checkpoint(1, TALK, _summarization_event={"cutoff_index": 2, "summary_message": summary("s", "SUM")}),
        checkpoint(0, [*TALK, remove("1"), human("6", "x")]),
    ]
    survives_damage("langchain", value)
