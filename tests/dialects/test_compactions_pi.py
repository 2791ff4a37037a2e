"""Compactions of pi: by entry, by index, on branches, one after the other."""

from __future__ import annotations

from typing import Any

import pytest
from compaction_laws import gone, json_lines, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism
from cenotaph.dialects.compactions.pi import chronicle
from cenotaph.dialects.pi import PI
from cenotaph.errors import DialectError, InputError

Record = dict[str, Any]
HEADER: Record = {"type": "session", "id": "s1", "timestamp": "t0", "cwd": "/r", "provider": "anthropic"}


def words(role: str, text: str) -> Record:
    more = {"provider": "anthropic", "model": "m1"} if role == "assistant" else {}
    return {"role": role, "content": [{"type": "text", "text": text}], **more}


def numbered(*entries: Record) -> list[Record]:
    """A session of version 1: a line of entries without names."""
    return [HEADER, *({"timestamp": f"t{at}", **entry} for at, entry in enumerate(entries, 1))]


def tree(*entries: tuple[str, str | None, Record]) -> list[Record]:
    """A session of version 2 from (id, parent, entry)."""
    named = [{"id": name, "parentId": parent, "timestamp": name, **entry} for name, parent, entry in entries]
    return [{**HEADER, "version": 3}, *named]


def human(text: str) -> Record:
    return {"type": "message", "message": words("user", text)}


def agent(text: str) -> Record:
    return {"type": "message", "message": words("assistant", text)}


def compaction(summary: str, **fields: Any) -> Record:
    return {"type": "compaction", "summary": summary, "tokensBefore": 900, **fields}


def test_an_index_counts_all_records_with_the_header() -> None:
    records = numbered(
        human("never touch prod"), agent("ok"), human("go on"), agent("done"), compaction("S1", firstKeptEntryIndex=3),
        human("and now?"),
    )  # fmt: skip
    (event,) = lawful(chronicle(records)).events
    assert event.mechanism is Mechanism.pi_compaction
    assert said(event.before) == ["never touch prod", "ok", "go on", "done"]
    assert gone(event) == ["never touch prod", "ok"]
    assert said(event.after) == ["<summary>\nS1\n</summary>", "go on", "done"]
    assert stands_for_it(event) == ["<summary>\nS1\n</summary>"]
    assert (event.tokens_before, event.where, event.when, event.wire) == (900, "entry 5", "t5", "anthropic")
    assert event.complete
    assert not event.opaque
    assert not event.pointer


def test_what_came_after_a_compaction_begins_at_its_place_in_the_history() -> None:
    records = numbered(human("a"), agent("b"), compaction("S", firstKeptEntryIndex=2), human("c"), agent("d"))
    found = lawful(chronicle(json_lines(records)))
    assert said(found.messages) == ["a", "b", "<summary>\nS\n</summary>", "c", "d"]
    assert said(found.messages[found.events[0].at :]) == ["c", "d"]


def test_each_of_a_chain_of_compactions_removes_the_summary_before_it() -> None:
    entries: list[Record] = []
    for number in range(1, 5):
        entries += [human(f"h{number}"), agent(f"a{number}")]
        entries.append(compaction(f"S{number}", firstKeptEntryIndex=len(entries)))
    found = lawful(chronicle(numbered(*entries, human("end"))))
    assert len(found.events) == 4
    for number, event in enumerate(found.events[1:], 2):
        assert gone(event) == [f"<summary>\nS{number - 1}\n</summary>", f"a{number - 1}", f"h{number}"]
        assert said(event.after) == [f"<summary>\nS{number}\n</summary>", f"a{number}"]
    assert len(found.messages) == 4 * 3 + 1


def test_views_are_those_of_the_dialect_itself() -> None:
    entries: list[Record] = []
    for number in range(1, 7):
        entries += [human(f"h{number}"), agent(f"a{number}"), human(f"i{number}"), agent(f"b{number}")]
        if number % 2 == 0:
            entries.append(compaction(f"S{number}", firstKeptEntryIndex=len(entries) - 1))
    records = numbered(*entries)
    for event in lawful(chronicle(records)).events:
        at = int(event.where.removeprefix("entry "))
        assert said(event.before) == said(PI.parse(records[:at]).messages)
        assert said(event.after) == said(PI.parse(records[: at + 1]).messages)


def test_a_kept_entry_is_found_by_its_name_and_a_compaction_of_a_left_branch_is_one() -> None:
    records = tree(
        ("1", None, human("rule")),
        ("2", "1", agent("ok")),
        ("3", "2", human("left branch")),
        ("4", "3", compaction("S", firstKeptEntryId="3")),
        ("5", "2", human("other branch")),
        ("6", "5", agent("fine")),
    )
    found = lawful(chronicle(records))
    (event,) = found.events
    assert gone(event) == ["rule", "ok"]
    assert said(event.after) == ["<summary>\nS\n</summary>", "left branch"]
    assert said(found.messages)[-2:] == ["other branch", "fine"]


def test_a_branch_summary_stands_for_the_branch_that_was_left() -> None:
    records = tree(
        ("1", None, human("rule")),
        ("2", "1", agent("ok")),
        ("3", "2", human("try this")),
        ("4", "3", agent("it failed")),
        ("5", "4", {"type": "label", "targetId": "4", "label": "x"}),
        ("6", "2", {"type": "branch_summary", "fromId": "2", "summary": "It was tried."}),
        ("7", "6", human("then that")),
    )
    (event,) = lawful(chronicle(records)).events
    assert event.trigger == "branch_summary"
    assert gone(event) == ["try this", "it failed"]
    assert stands_for_it(event) == ["<summary>\nIt was tried.\n</summary>"]


def test_a_parent_that_is_not_in_the_file_makes_losses_possible_only() -> None:
    records = tree(
        ("2", "nowhere", human("rule")), ("3", "2", agent("ok")), ("4", "3", compaction("S", firstKeptEntryId="3"))
    )
    (event,) = lawful(chronicle(records)).events
    assert not event.complete


def test_a_summary_by_an_extension_says_so() -> None:
    records = numbered(human("a"), agent("b"), compaction("S", firstKeptEntryIndex=2, fromHook=True))
    (event,) = lawful(chronicle(records)).events
    assert event.trigger == "hook"


def test_what_was_counted_is_told_once_and_at_its_message() -> None:
    counted = {**agent("b")}
    counted["message"] = {**counted["message"], "usage": {"input": 3, "cacheRead": 7}}
    later = {**agent("d")}
    later["message"] = {**later["message"], "usage": {"input": 5}}
    found = lawful(chronicle(numbered(human("a"), counted, compaction("S", firstKeptEntryIndex=2), human("c"), later)))
    assert [(found.messages[u.message].parts[0].text, u.input_tokens) for u in found.usage] == [("b", 10), ("d", 5)]


def test_a_loop_of_parents_ends() -> None:
    records = tree(("1", "2", human("a")), ("2", "1", agent("b")), ("3", "2", compaction("S", firstKeptEntryId="2")))
    lawful(chronicle(records))


@pytest.mark.parametrize(("value", "error"), [([HEADER], InputError), ([{"type": "x"}], DialectError)])
def test_a_file_of_which_nothing_was_understood_is_refused(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        chronicle(value)


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = [
        *numbered(human("a"), agent("b"), compaction("S", firstKeptEntryIndex=2), human("c")),
        {"type": "compaction", "summary": "T", "firstKeptEntryIndex": 4},
    ]
    survives_damage("pi", value)
