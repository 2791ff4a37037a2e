"""Two sides laid side by side, and edits that show between two requests."""

from __future__ import annotations

from typing import Any

import pytest
from compaction_laws import gone, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism
from cenotaph.core.model import Provenance
from cenotaph.core.tombstone import Tombstone
from cenotaph.dialects.compactions.finding import chronicle_of
from cenotaph.dialects.compactions.pairs import pair, prefix_change
from cenotaph.errors import DialectError, InputError

Record = dict[str, Any]


def human(text: str) -> Record:
    return {"role": "user", "content": text}


def agent(text: str) -> Record:
    return {"role": "assistant", "content": text}


def call(call_id: str, output: str) -> list[Record]:
    made = {"id": call_id, "type": "function", "function": {"name": "read", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "tool_call_id": call_id, "content": output},
    ]


def use(call_id: str, output: str) -> list[Record]:
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": call_id, "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": output}]},
    ]


SYSTEM: Record = {"role": "system", "content": "Be careful."}
TALK = [SYSTEM, human("never push"), agent("ok"), *call("c1", "a long output"), agent("done"), human("go on")]


# pair --------------------------------------------------------------------------------------------


def test_a_pair_of_lists_shows_what_is_gone_and_what_stands_for_it() -> None:
    event = pair(TALK, [SYSTEM, human("SUM"), *TALK[-2:]])
    assert event.mechanism is Mechanism.pair
    assert gone(event) == ["never push", "ok", "{}", "a long output"]
    assert stands_for_it(event) == ["SUM"]
    assert (event.at, event.wire, event.complete) == (len(TALK), "openai-chat", True)


def test_a_text_stands_for_all_and_is_nobodys_word() -> None:
    event = pair(TALK, "SUM")
    assert len(event.removed) == len(said(event.before))
    assert event.after[0].parts[0].provenance is Provenance.foreign
    assert stands_for_it(event) == ["SUM"]
    assert event.wire == ""


def test_a_blank_text_is_a_replacement_too_and_an_empty_list_is_none() -> None:
    assert stands_for_it(pair(TALK, "")) == [""]
    nothing = pair(TALK, [])
    assert nothing.after == ()
    assert nothing.replacement == ()
    assert len(nothing.removed) == len(said(nothing.before))


def test_what_only_moved_is_not_gone() -> None:
    assert pair(TALK, [SYSTEM, *TALK[5:], *TALK[1:5]]).removed == ()


def test_the_same_lists_lose_nothing() -> None:
    event = pair(TALK, list(TALK))
    assert event.removed == ()
    assert event.replacement == ()


def test_a_repeated_message_that_is_left_once_is_gone_once() -> None:
    twice = [human("yes"), agent("a"), human("yes"), agent("b")]
    assert sorted(gone(pair(twice, [human("yes"), agent("b")]))) == ["a", "yes"]


def test_plain_messages_are_of_the_format_of_the_other_side() -> None:
    before = [human("never push"), *use("t1", "out"), human("go on")]
    event = pair(before, [human("SUM"), human("go on")])
    assert event.wire == "anthropic"
    assert gone(event) == ["never push", "{}", "out"]
    assert pair([human("a"), agent("b")], [*use("t1", "out"), agent("b")]).wire == "anthropic"


def test_both_sides_keep_a_format_of_their_own() -> None:
    assert pair(TALK, [human("a"), *use("t1", "out")]).wire == ""


def test_a_tombstone_in_the_view_is_a_way_back() -> None:
    line = Tombstone("user_message", 1, recover=("cx:0123456789abcdef",)).render()
    assert pair(TALK, [SYSTEM, human(line), *TALK[-2:]]).pointer
    assert not pair(TALK, [SYSTEM, human(Tombstone("user_message", 1).render())]).pointer


def test_a_side_that_nobody_reads_is_refused() -> None:
    with pytest.raises(InputError):
        pair([], TALK)
    with pytest.raises(DialectError):
        pair(TALK, {"no": "messages"})


# prefix_change -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "later",
    [
        list(TALK),
        [*TALK, agent("yes"), human("more")],
        [*TALK[:-1], human("go on otherwise")],
        TALK[:-2],
    ],
    ids=["sent again", "grown", "newest spoken anew", "gone back"],
)
def test_growth_and_a_step_back_are_no_edits(later: list[Record]) -> None:
    assert prefix_change(TALK, later) is None


def test_what_left_in_silence_is_seen_and_what_came_later_is_not_a_part_of_it() -> None:
    event = prefix_change(TALK, [SYSTEM, *TALK[-2:], agent("fine"), human("next")])
    assert event is not None
    assert event.mechanism is Mechanism.prefix_change
    assert gone(event) == ["never push", "ok", "{}", "a long output"]
    assert said(event.after) == ["Be careful.", "done", "go on"]
    assert event.replacement == ()


def test_a_clipped_result_is_seen() -> None:
    later = [*TALK[:3], *call("c1", "a long [...]"), *TALK[5:], agent("fine")]
    event = prefix_change(TALK, later)
    assert event is not None
    assert gone(event) == ["a long output"]
    assert event.replacement == ()


def test_all_replaced_by_one_message_is_seen() -> None:
    event = prefix_change(TALK, [SYSTEM, human("SUM"), agent("fine"), human("next")])
    assert event is not None
    assert stands_for_it(event) == ["SUM"]
    assert said(event.after) == ["Be careful.", "SUM"]


def test_a_reminder_of_the_machinery_that_left_is_no_loss() -> None:
    reminder = human("<system-reminder>\nmind the list\n</system-reminder>")
    assert prefix_change([*TALK[:3], reminder, *TALK[3:]], [*TALK, agent("fine")]) is None


def test_reasoning_that_left_is_no_loss() -> None:
    def turn(*blocks: Record) -> Record:
        return {"role": "assistant", "content": [*blocks, {"type": "text", "text": "ok"}]}

    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    before = [human("a"), turn(thought), human("b")]
    assert prefix_change(before, [human("a"), turn(), human("b"), agent("c")], dialect="anthropic") is None


def test_moved_cache_marks_are_no_edit() -> None:
    def marked(text: str) -> Record:
        return {"role": "user", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]}

    before = [human("a"), agent("b"), marked("c")]
    assert prefix_change(before, [marked("a"), agent("b"), human("c"), agent("d")], dialect="anthropic") is None


# Logs --------------------------------------------------------------------------------------------


def test_a_log_has_one_event_per_edit() -> None:
    second = [SYSTEM, *TALK[-2:], agent("fine"), human("next")]
    third = [SYSTEM, *second[-2:], agent("end"), human("bye")]
    log = [{"model": "gpt-x", "messages": messages} for messages in (TALK[:3], TALK, second, second, third)]
    found = lawful(chronicle_of(log))
    assert [gone(event) for event in found.events] == [
        ["never push", "ok", "{}", "a long output"],
        ["done", "go on"],
    ]
    assert [event.where for event in found.events] == ["request 3", "request 5"]
    assert found.records == 5


def test_requests_of_another_conversation_are_said_to_be_so() -> None:
    title = [{"role": "system", "content": "You name chats."}, human("Name this chat")]
    log = [{"model": "gpt-x", "messages": messages} for messages in (TALK, title, [*TALK, agent("yes")])]
    found = lawful(chronicle_of(log))
    assert found.events == ()
    assert [defect.code for defect in found.defects] == ["other-conversation"]


def test_a_log_of_bare_lists_is_one() -> None:
    assert len(lawful(chronicle_of([TALK, [SYSTEM, *TALK[-2:]]])).events) == 1


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = [
        {"request": {"model": "gpt-x", "messages": TALK}, "response": {"choices": [{"message": agent("a")}]}},
        {"request": {"model": "gpt-x", "messages": [SYSTEM, *TALK[-2:]]}, "response": {"usage": {"prompt_tokens": 3}}},
    ]
    survives_damage(None, value)
