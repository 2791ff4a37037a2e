"""The planner: what leaves, in which order, how far, and when it refuses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from cuts import (
    ARCHIVE,
    STRICT,
    Characters,
    after,
    contents_of,
    cut,
    everything,
    leaving,
    plan_of,
    readout_of,
    smallest,
    texts_leaving,
)

from cenotaph import Action, BudgetExhausted, CompactionInvariantError, SpanClass, Tombstone
from cenotaph.core.apply import check_plan
from cenotaph.core.lines import LineKind, PageLine, page_text
from cenotaph.core.model import Kind
from cenotaph.core.plan import BINDINGS, Framing
from cenotaph.core.policy import LEAVING, allowed
from cenotaph.core.readout import Memo
from talk import agent, answer, call, calls, human, image, result, results, returned, said, text, thinking

LONG = "A request that is long enough to stand for itself, so it leans on nothing that was said before. " * 3
READ, OLD, SHELL = "r" * 2_000, "o" * 1_500, "s" * 1_200


def step(identity: str, tool: str, output: Any = "ok", **arguments: Any) -> list[Any]:
    return [agent(call(identity, tool, **arguments)), result(identity, output)]


def session(*steps: Any, request: str = LONG) -> list[Any]:
    return [human("Start."), *steps, agent(text("Done.")), human(request)]


MIXED = session(
    *step("a", "Read", OLD, file_path="a.py"),
    *step("b", "Bash", SHELL, command="make"),
    *step("c", "Read", READ, file_path="c.py"),
    *step("d", "Read", "later " * 300, file_path="d.py"),
    *step("e", "Read", "later " * 300, file_path="d.py"),
)


# How much ------------------------------------------------------------------------------------


def test_the_size_before_is_the_sum_of_all_spans_and_of_the_framing() -> None:
    plain = readout_of(MIXED)
    assert plan_of(plain, 10**9).tokens_before == sum(span.tokens for span in plain.classified.spans)
    framed = readout_of(MIXED, framing=Framing(message=7, request=3, call=11, result=13))
    difference = 3 + 7 * len(MIXED) + 5 * 11 + 5 * 13
    assert plan_of(framed, 10**9).tokens_before == plan_of(plain, 10**9).tokens_before + difference


def test_tokens_after_is_what_the_view_weighs_when_it_is_counted_anew() -> None:
    for target in range(2_000, 9_000, 600):
        readout = readout_of(MIXED, framing=Framing(message=4, request=9, call=2, result=1))
        plan = plan_of(readout, target)
        outcome, _ = cut(readout, target)
        assert plan.met
        assert plan.tokens_after == outcome.tokens_after <= target


def test_nothing_leaves_while_the_target_is_met_already() -> None:
    readout = readout_of(MIXED)
    size = plan_of(readout, 10**9).tokens_before
    plan = plan_of(readout, size)
    assert not plan.changes
    assert (plan.met, plan.first_changed, plan.page_at) == (True, -1, -1)
    assert plan_of(readout, size - 1).changes


def test_it_stops_at_the_first_move_that_meets_the_target() -> None:
    readout = readout_of(MIXED)
    targets = range(plan_of(readout, 10**9).tokens_before, 1_700, -97)
    gone = [texts_leaving(readout, plan_of(readout, target)) for target in targets]
    for fewer, more in pairwise(gone):
        assert set(fewer) <= set(more), "a smaller target takes the same moves and then more"
    for target, texts in zip(targets, gone, strict=True):
        plan = plan_of(readout, target)
        if plan.met and texts:
            last = min(entry.net for entry in leaving(plan))
            assert plan.tokens_after + max(e.net for e in leaving(plan)) > target or last <= 0


def test_each_entry_says_what_its_leaving_frees_net_of_its_own_line() -> None:
    readout = readout_of(MIXED)
    plan = smallest(readout)
    for entry in plan.entries:
        line = plan.lines.get(entry.order)
        if entry.action not in LEAVING:
            assert entry.net == 0
        elif line is not None:
            assert entry.net == readout.classified.spans[entry.order].tokens - len(line)
    assert plan.tokens_before - plan.tokens_after == sum(entry.net for entry in plan.entries)


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_a_result_no_larger_than_its_tombstone_stays(extra: int) -> None:
    readout = readout_of(session(*step("a", "Read", "x" * 500, file_path="a.py")))
    (line,) = smallest(readout).lines.values()
    sized = readout_of(session(*step("a", "Read", "x" * (len(line) + extra), file_path="a.py")))
    assert bool(smallest(sized).lines) is (extra > 0)


def test_an_exchange_leaves_only_if_it_frees_more_than_its_line_and_the_page_around_it() -> None:
    def with_content(size: int) -> Any:
        return readout_of(session(*step("w", "Write", file_path="a.py", content="c" * size)))

    plan = smallest(with_content(2_000))
    exchange = [s for s in with_content(0).classified.spans if s.exchange == 0]
    fixed = sum(span.tokens for span in exchange)
    cost = len("\n" + plan.page_lines[0]) + len(page_text(()))
    assert smallest(with_content(cost - fixed)).page_lines == ()
    assert len(smallest(with_content(cost - fixed + 1)).page_lines) == 1


def test_the_header_of_the_page_is_paid_once() -> None:
    several = [s for n in range(4) for s in step(f"w{n}", "Write", file_path=f"{n}.py", content="c" * 900)]
    readout = readout_of(session(*several), framing=Framing(message=5, call=3, result=2))
    plan = smallest(readout)
    freed = sum(s.tokens for s in readout.classified.spans if s.exchange >= 0)
    frames = 8 * 5 + 4 * 3 + 4 * 2
    page = len(page_text(plan.page_lines)) + 5
    assert plan.page_at == 2
    assert plan.tokens_before - plan.tokens_after == freed + frames - page


# In which order ------------------------------------------------------------------------------


def order_of_leaving(messages: list[Any], *, policy: Any = ARCHIVE, **limits: Any) -> list[str]:
    """First letters of what leaves, in the order in which a shrinking target takes it."""
    readout = readout_of(messages)
    seen: list[str] = []
    size = plan_of(readout, 10**9).tokens_before
    for target in range(size, 0, -40):
        for words in texts_leaving(readout, plan_of(readout, target, policy=policy, **limits)):
            if words[:1] not in seen:
                seen.append(words[:1])
    return seen


def test_disposable_then_live_then_invalidated_then_evictable_then_text() -> None:
    messages = session(
        *step("a", "Bash", "S" * 900, command="x"),
        *step("b", "Read", "D" * 900, file_path="b.py"),
        *step("c", "Edit", "ok", file_path="b.py", old_string="q", new_string="z"),
        *step("d", "Read", "U" * 900, file_path="d.py"),
        *step("e", "Read", "L" * 900, file_path="d.py"),
        agent(thinking("T" * 900), text("N" * 900)),
    )
    assert order_of_leaving(messages) == ["U", "T", "L", "D", "S", "N"]


def test_an_invalidated_result_leaves_before_an_older_one_shot_result() -> None:
    messages = session(
        *step("a", "Bash", "S" * 900, command="x"),
        *step("b", "Read", "D" * 900, file_path="b.py"),
        *step("c", "Bash", "ok", command="x"),
    )
    assert order_of_leaving(messages) == ["D", "S"]


def test_what_was_written_over_leaves_before_what_was_merely_put_in_doubt() -> None:
    messages = session(
        *step("a", "Read", "A" * 900, file_path="a.py"),
        *step("b", "Read", "B" * 900, file_path="b.py"),
        *step("x", "Bash", "ok", command="x"),
        *step("c", "Edit", "ok", file_path="b.py", old_string="q", new_string="z"),
    )
    assert order_of_leaving(messages)[:2] == ["B", "A"]


def test_within_a_phase_the_oldest_leaves_first() -> None:
    reads = [s for n, c in enumerate("CAB") for s in step(f"r{n}", "Read", c * 900, file_path=f"{c}.py")]
    assert order_of_leaving(session(*reads)) == ["C", "A", "B"]


def test_a_batch_leaves_in_the_phase_of_its_most_valuable_member() -> None:
    messages = session(
        *batch(
            ("v", "Write", {"file_path": "v.py", "content": "V" * 900}, "ok"),
            ("w", "Write", {"file_path": "w.py", "content": "W" * 900}, "ok"),
        ),
        *step("u", "Write", file_path="v.py", content="u"),
        *step("l", "Read", "L" * 900, file_path="l.py"),
    )
    assert order_of_leaving(messages)[0] == "L"


def test_a_batch_of_which_one_file_was_written_over_goes_first_in_its_phase() -> None:
    messages = session(
        *step("r", "Read", "U" * 900, file_path="r.py"),
        *batch(
            ("v", "Write", {"file_path": "v.py", "content": "V" * 900}, "ok"),
            ("w", "Write", {"file_path": "w.py", "content": "W" * 900}, "ok"),
        ),
        *step("u", "Write", file_path="v.py", content="u"),
        *step("x", "Bash", "S", command="x"),
    )
    assert order_of_leaving(messages, policy=STRICT)[-1] == "U"


def test_a_payload_waits_its_turn_among_what_is_evictable() -> None:
    log = "\n".join(f"2026-03-01 10:00:{n % 60:02} ERROR worker[{n}]: reset" for n in range(120))
    messages = [
        *session(*step("a", "Bash", "S" * 900, command="x"))[:-1],
        *(human(f"Why?\n```\n{log}\n```\nTell me."), agent(text("So.")), human(LONG)),
    ]
    assert order_of_leaving(messages) == ["S", "`"]


def test_results_that_no_agent_item_follows_leave_last_and_only_if_needed() -> None:
    messages = [
        human(LONG),
        *step("a", "Bash", "S" * 900, command="x"),
        *step("c", "Read", "O" * 900, file_path="o.py"),
        *step("b", "Read", "F" * 900, file_path="f.py"),
    ]
    assert order_of_leaving(messages) == ["O", "S", "F"]
    assert order_of_leaving(messages, policy=STRICT) == ["O", "F"]


def test_even_a_written_over_result_stays_behind_the_evictable_ones_while_nobody_has_read_it() -> None:
    messages = [
        *(human(LONG), *step("a", "Bash", "S" * 900, command="x")),
        *batch(("f", "Read", {"file_path": "f"}, "F" * 900), ("w", "Write", {"file_path": "f", "content": "x"}, "ok")),
    ]
    assert order_of_leaving(messages) == ["S", "F"]


# What may not ---------------------------------------------------------------------------------


def test_strict_moves_nothing_authoritative_and_archive_only_what_is_evictable() -> None:
    messages = session(
        *step("a", "Bash", SHELL, command="x"), human(text("See."), image()), *step("b", "LS", "l" * 900)
    )
    readout = readout_of(messages)
    for policy in (STRICT, ARCHIVE):
        for entry in leaving(smallest(readout, policy=policy)):
            assert entry.action in allowed(policy, entry.shelf)
    assert SHELL not in texts_leaving(readout, smallest(readout))
    assert SHELL in texts_leaving(readout, smallest(readout, policy=ARCHIVE))
    assert "" in texts_leaving(readout, smallest(readout, policy=ARCHIVE)), "the picture"


def test_a_span_that_stays_is_protected_if_authoritative_and_kept_otherwise() -> None:
    plan = plan_of(readout_of(MIXED), 10**9)
    for entry in plan.entries:
        wanted = Action.protect if entry.shelf.cls is SpanClass.authoritative else Action.keep
        assert entry.action is wanted


def test_calls_stay_byte_for_byte_and_each_result_that_leaves_alone_becomes_one_line() -> None:
    readout = readout_of(MIXED)
    outcome, _ = cut(readout, 2_600)
    for before, shown in zip(MIXED, outcome.view.messages, strict=True):
        if before["role"] == "assistant":
            assert shown is before
        elif shown is not before:
            (block,) = shown["content"]
            assert Tombstone.parse(block["content"]).kind == "tool_result"
            assert "\n" not in block["content"]


def batch(*blocks: tuple[str, str, dict[str, Any], Any]) -> list[Any]:
    return [
        agent(*(call(i, tool, **arguments) for i, tool, arguments, _ in blocks)),
        results(*(answer(i, output) for i, _, _, output in blocks)),
    ]


BIG_WRITE: tuple[str, str, dict[str, Any], Any] = (
    "w",
    "Write",
    {"file_path": "a.py", "content": "c" * 3_000},
    "ok",
)


def test_a_write_leaves_with_its_call_as_one_line_on_the_page() -> None:
    readout = readout_of(session(*batch(BIG_WRITE)))
    plan = smallest(readout)
    assert len(plan.page_lines) == 1
    assert Tombstone.find(plan.page_lines[0])[0].kind == "tool_exchange"
    assert {readout.classified.spans[o].kind.value for o in plan.removed} == {"call", "result"}


@pytest.mark.parametrize(
    "neighbour",
    [
        ("p", "TodoWrite", {"todos": [{"content": "x", "status": "pending"}]}, "saved"),
        ("q", "AskUserQuestion", {"question": "may I?"}, "yes"),
        ("b", "Bash", {"command": "x"}, "output that is one-shot"),
    ],
    ids=["live plan", "answer", "one-shot"],
)
def test_a_batch_with_one_member_that_must_stay_keeps_all_its_calls(neighbour: Any) -> None:
    plan = smallest(readout_of(session(*batch(BIG_WRITE, neighbour))))
    assert plan.removed == frozenset()
    assert plan.page_lines == ()


def test_a_batch_whose_other_members_may_leave_leaves_whole() -> None:
    """Arguments of a read leave only under archive; those of a second write always."""
    reading = ("r", "Read", {"file_path": "z.py"}, "z" * 400)
    second = ("v", "Write", {"file_path": "v.py", "content": "v" * 300}, "ok")
    for other, policy, whole in ((reading, ARCHIVE, True), (reading, STRICT, False), (second, STRICT, True)):
        readout = readout_of(session(*batch(BIG_WRITE, other)))
        plan = smallest(readout, policy=policy)
        members = {s.order for s in readout.classified.spans if s.exchange == 0}
        assert plan.removed == (members if whole else set())
        assert len(plan.page_lines) == whole
        if whole:
            cut(readout, plan.tokens_after, policy=policy)


def test_an_exchange_that_still_waits_for_a_result_never_leaves() -> None:
    messages = [human(LONG), *step("w", "Write", file_path="a.py", content="c" * 3_000)]
    assert not smallest(readout_of(messages)).removed
    assert smallest(readout_of([*messages, agent(text("x"))])).removed


def test_a_spent_plan_leaves_whole_and_is_called_a_plan() -> None:
    def todo(identity: str, label: str) -> list[Any]:
        return step(identity, "TodoWrite", todos=[{"content": label * 400, "status": "pending"}])

    readout = readout_of(session(*todo("a", "old "), *todo("b", "new ")))
    plan = smallest(readout)
    assert [Tombstone.find(line)[0].kind for line in plan.page_lines] == ["plan"]
    assert all("new" not in words for words in texts_leaving(readout, plan))


def test_reasoning_of_a_whole_exchange_goes_with_it() -> None:
    messages = session(
        agent(thinking("t" * 50, ""), call("w", "Write", file_path="a.py", content="c" * 3_000)), result("w")
    )
    readout = readout_of(messages)
    plan = plan_of(readout, plan_of(readout, 10**9).tokens_before - 500, policy=STRICT)
    assert "t" * 50 in texts_leaving(readout, plan)


def test_reasoning_of_the_newest_agent_message_stays_and_older_reasoning_leaves_without_a_line() -> None:
    messages = [
        *(human(LONG), agent(thinking("old " * 50, ""), call("a", "LS", path=".")), result("a")),
        *(agent(thinking("new " * 50, ""), call("b", "LS", path=".")), result("b")),
    ]
    readout = readout_of(messages)
    plan = smallest(readout)
    assert texts_leaving(readout, plan) == ["old " * 50]
    assert not plan.lines


def test_provider_run_calls_and_results_stay() -> None:
    searched = [
        {"type": "server_tool_use", "id": "v", "name": "web_search", "input": {"query": "q"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "v",
            "content": [{"type": "x", "url": "u" * 3_000}],
        },
    ]
    readout = readout_of(session(agent(*searched, text("found"))))
    assert not smallest(readout, policy=ARCHIVE).changes


def test_system_text_outside_the_messages_stays_whatever_it_weighs() -> None:
    body = {"system": "S" * 5_000, "messages": MIXED}
    readout = readout_of(body)
    assert "S" * 5_000 not in texts_leaving(readout, smallest(readout, policy=ARCHIVE))


def test_a_reminder_is_dropped_without_a_line() -> None:
    reminder = "<system-reminder>" + "x" * 500 + "</system-reminder>"
    readout = readout_of([human(text(reminder), text("Start.")), agent(text("Done.")), human(LONG)])
    plan = smallest(readout)
    assert texts_leaving(readout, plan) == [reminder]
    assert not plan.lines
    assert not plan.page_lines


def test_a_payload_leaves_its_message_as_a_line_under_archive() -> None:
    log = "\n".join(f"2026-03-01 10:00:{n % 60:02} ERROR worker[{n}]: reset" for n in range(120))
    messages = [human(f"Why?\n```\n{log}\n```\nTell me."), agent(text("So.")), human(LONG)]
    readout = readout_of(messages)
    assert not smallest(readout).changes
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 1_000, policy=ARCHIVE)
    words = outcome.view.messages[0]["content"]
    assert words.startswith("Why?\n[EVICTED:user_payload@t1:recover=cx:")
    assert words.endswith("]\nTell me.")


# Covered reads -------------------------------------------------------------------------------


def test_a_covered_read_is_dropped_while_the_read_that_covers_it_stays() -> None:
    readout = readout_of(MIXED)
    plan = plan_of(readout, plan_of(readout, 10**9).tokens_before - 100)
    (entry,) = leaving(plan)
    assert (entry.row, entry.action) == ("sup", Action.drop)


def test_a_covered_read_is_planned_as_what_it_otherwise_is_once_the_covering_read_leaves_too() -> None:
    readout = readout_of(MIXED)
    entries = {e.order: e for e in smallest(readout).entries}
    (covered,) = readout.classified.reading.covered_by
    assert (entries[covered].row, entries[covered].action) == ("rec", Action.evict)
    changed = session(
        *step("a", "Read", OLD, file_path="a"), *step("b", "Read", OLD, file_path="a"), *step("c", "Bash")
    )
    readout = readout_of(changed)
    (covered,) = readout.classified.reading.covered_by
    entry = smallest(readout).entries[covered]
    assert (entry.row, entry.action) == ("ded", Action.evict_with_tombstone)


# A small reclaim -----------------------------------------------------------------------------


def test_lossless_steps_are_dropped_duplicates_reasoning_and_live_handles_only() -> None:
    messages = session(
        *step("a", "Read", "D" * 900, file_path="a.py"),
        *step("x", "Bash", "S" * 900, command="x"),
        agent(thinking("T" * 900, ""), text("N" * 900)),
        *step("d", "Read", "U" * 900, file_path="d.py"),
        *step("e", "Read", "L" * 900, file_path="d.py"),
    )
    readout = readout_of(messages)
    plan = smallest(readout, policy=ARCHIVE, lossless_only=True)
    assert {words[0] for words in texts_leaving(readout, plan)} == {"U", "T", "L"}
    assert {e.action for e in leaving(plan)} <= {Action.drop, Action.evict}


# Without a store ------------------------------------------------------------------------------


def test_without_a_store_no_store_handle_stands_in_any_line() -> None:
    readout = readout_of(MIXED)
    lines = smallest(readout, policy=ARCHIVE, stored=False).lines.values()
    assert lines
    assert not any("cx:" in line for line in lines)
    assert any(":recover=NO]" in line for line in lines), "a one-shot result"
    assert all("cx:" in line for line in smallest(readout, policy=ARCHIVE).lines.values())


# Earlier compactions -------------------------------------------------------------------------


def test_what_left_before_stays_left_and_counts_as_what_stands_in_its_place() -> None:
    readout = readout_of(MIXED)
    outcome, _ = cut(readout, 6_000)
    later = after(readout, outcome)
    again = plan_of(later, 10**9)
    assert again.tokens_before == again.tokens_after == outcome.tokens_after
    assert not again.changes
    assert {e.net for e in again.entries} == {0}, "nothing is freed twice"
    own = {e.order for e in again.entries if e.row == "own"}
    assert [later.classified.spans[o].text for o in sorted(own)] == list(outcome.view.own_lines)
    further = plan_of(later, 3_000)
    assert not own & {*further.lines, *further.removed}, "no span leaves twice"
    assert further.changes
    once = plan_of(readout, 3_000)
    gone = {e.span_id for e in leaving(outcome.plan)} | {e.span_id for e in leaving(further)}
    assert gone == {e.span_id for e in leaving(once)}, "two small cuts take what a large one takes"


def test_a_page_of_an_earlier_cut_counts_with_the_message_around_it() -> None:
    readout = readout_of(everything(), framing=Framing(message=17, call=3, result=2))
    outcome, _ = cut(readout, plan_of(readout, 0, policy=ARCHIVE).tokens_after, policy=ARCHIVE)
    assert outcome.view.page
    assert plan_of(after(readout, outcome), 10**9).tokens_before == outcome.tokens_after


def test_our_own_text_is_counted_the_same_before_a_cut_as_after_the_one_before() -> None:
    readout = readout_of(everything())
    outcome, _ = cut(readout, plan_of(readout, 0, policy=ARCHIVE).tokens_after, policy=ARCHIVE)
    later = plan_of(after(readout, outcome), 10**9)
    assert 0 < later.own_before == later.own_after == outcome.plan.own_after
    assert outcome.plan.own_before == 0
    assert outcome.plan.own_after == len(outcome.view.page) + sum(map(len, outcome.view.own_lines))


# The page -----------------------------------------------------------------------


def test_the_lines_of_a_page_stand_in_the_order_of_the_transcript_whatever_left_first() -> None:
    """The second write leaves first, since the file was written over."""
    messages = session(
        *step("a", "Write", file_path="a.py", content="a" * 900),
        *step("b", "Write", file_path="b.py", content="b" * 900),
        *step("c", "Write", file_path="b.py", content="c" * 900),
        *step("x", "Bash", "ok", command="x"),
    )
    readout = readout_of(messages)
    assert readout.classified.spans[3].text in texts_leaving(
        readout, plan_of(readout, plan_of(readout, 10**9).tokens_before - 100)
    )
    turns = [Tombstone.find(line)[0].n for line in smallest(readout).page_lines]
    assert turns == [1, 2, 3]


def test_the_page_stands_where_the_first_exchange_that_left_stood() -> None:
    write = step("w", "Write", file_path="a.py", content="c" * 3_000)
    messages = session(*step("l", "LS", "x", path="."), *write, *step("m", "LS", "x", path="."))
    readout = readout_of(messages)
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 2_000)
    assert [m["role"] for m in outcome.view.messages[:5]] == [
        "user",
        "assistant",
        "user",
        "user",
        "assistant",
    ]
    assert "[CENOTAPH:" in outcome.view.messages[3]["content"]


def test_the_page_never_stands_between_a_call_and_its_results_in_chat() -> None:
    messages = [
        said("user", "Start."),
        calls(("w", "write_file", {"path": "a.py", "content": "c" * 3_000})),
        *(returned("w", "ok"), calls(("r", "read_file", {"path": "b"}), ("q", "read_file", {"path": "c"}))),
        *(returned("r", "x"), returned("q", "y"), said("assistant", "Done."), said("user", LONG)),
    ]
    readout = readout_of(messages, wire="openai-chat", tools=["generic"])
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 2_000)
    assert [m["role"] for m in outcome.view.messages] == [
        "user",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "user",
    ]


def test_the_first_changed_message_is_the_first_that_is_not_the_same_object() -> None:
    readout = readout_of(MIXED)
    for target in (8_000, 6_000, 4_000, 2_600):
        outcome, _ = cut(readout, target)
        same = [a is b for a, b in zip(MIXED, outcome.view.messages, strict=True)]
        assert outcome.plan.first_changed == same.index(False)


# Signed reasoning ----------------------------------------------------------------------------


def thoughtful(count: int, *, closed: bool = False) -> list[Any]:
    """One turn of many calls; each agent message holds signed reasoning."""
    messages = [human(LONG)]
    for n in range(count):
        messages += [
            agent(thinking(f"thought {n} " * 6, f"s{n}"), call(f"c{n}", "Read", file_path=f"{n}.py")),
            result(f"c{n}", f"{n} " * 200),
        ]
    return [*messages, agent(text("Done.")), human(LONG)] if closed else messages


def view_of(messages: list[Any], target: int, **limits: Any) -> list[Any]:
    return list(cut(readout_of(messages), target, **limits)[0].view.messages)


def test_under_prefix_an_open_loop_is_not_cut_and_the_halt_names_the_way_out() -> None:
    messages = thoughtful(6)
    size = plan_of(readout_of(messages), 10**9).tokens_before
    with pytest.raises(BudgetExhausted) as halted:
        view_of(messages, size // 2, binding="prefix")
    assert "drop_block=True" in " ".join(halted.value.ways_out)
    assert halted.value.ways_out[0].startswith("name the model"), "an unknown model counts as the strictest kind"
    assert halted.value.ways_out[1].startswith("the newest agent message")
    view = view_of(messages, size // 2, binding="prefix", drop_block=True)
    assert "thought 5" in contents_of(view)


def test_under_prefix_what_stands_behind_the_newest_agent_message_may_still_leave() -> None:
    messages = thoughtful(3)
    messages[-1]["content"][0]["content"] = "z" * 3_000
    size = plan_of(readout_of(messages), 10**9).tokens_before
    view = view_of(messages, size - 2_500, binding="prefix")
    assert all(a is b for a, b in zip(messages[:-1], view, strict=False))
    assert "EVICTED" in contents_of(view[-1:])


def test_under_prefix_a_closed_loop_loses_all_reasoning_behind_the_first_change() -> None:
    messages = thoughtful(6, closed=True)
    size = plan_of(readout_of(messages), 10**9).tokens_before
    view = view_of(messages, size // 2, binding="prefix")
    assert "thought" not in contents_of(view)


def test_under_newest_only_the_newest_agent_messages_reasoning_is_spared() -> None:
    messages = thoughtful(6)
    size = plan_of(readout_of(messages), 10**9).tokens_before
    assert contents_of(view_of(messages, size // 2, binding="newest")).count("signature") == 1


def test_an_edit_drops_only_the_reasoning_behind_it() -> None:
    messages = [
        *(human("Start."), agent(thinking("before it", "s0"), call("p", "LS", path=".")), result("p", "x")),
        *thoughtful(3)[1:],
    ]
    readout = readout_of(messages, pins=["before it"])
    plan = plan_of(readout, plan_of(readout, 10**9).tokens_before - 100, binding="newest")
    gone = texts_leaving(readout, plan)
    assert "before it" not in gone
    assert plan.met


def test_under_a_binding_one_dropped_block_takes_all_later_ones_along() -> None:
    messages = thoughtful(6)
    readout = readout_of(messages)
    for binding, drop_block in (("newest", False), ("prefix", True)):
        target = plan_of(readout, 10**9).tokens_before - 10
        plan = plan_of(readout, target, binding=binding, drop_block=drop_block)
        assert {e.row for e in leaving(plan)} == {"thk"}
        assert len(leaving(plan)) == 5, "all but the newest agent message's"
        assert plan.tokens_before - plan.tokens_after == sum(e.net for e in leaving(plan))


def test_reasoning_in_the_same_message_as_a_dropped_block_goes_too() -> None:
    both = agent(thinking("one " * 50, "s1"), thinking("two " * 50, "s2"), call("a", "LS", path="."))
    readout = readout_of([human(LONG), both, result("a", "x"), *thoughtful(1)[1:]])
    plan = plan_of(readout, plan_of(readout, 10**9).tokens_before - 10, binding="newest")
    assert texts_leaving(readout, plan) == ["one " * 50, "two " * 50]


def test_only_a_cut_that_the_head_forbids_is_blocked_by_it() -> None:
    readout = readout_of(thoughtful(4))
    size = plan_of(readout, 10**9).tokens_before
    lowest = smallest(readout, binding="prefix")
    assert lowest.blocked_by_binding
    assert not plan_of(readout, lowest.tokens_after, binding="prefix").blocked_by_binding
    assert not plan_of(readout, size, binding="prefix").blocked_by_binding
    assert not smallest(readout, binding="newest").blocked_by_binding
    assert not smallest(readout, binding="prefix", drop_block=True).blocked_by_binding


def test_under_prefix_without_a_signed_head_even_the_first_message_can_be_cut() -> None:
    log = "\n".join(f"2026-03-01 10:00:{n % 60:02} ERROR worker[{n}]: reset" for n in range(120))
    messages = [human(f"Why?\n```\n{log}\n```\nTell me."), agent(text("So.")), human(LONG), *step("r", "LS", "x")]
    assert smallest(readout_of(messages), policy=ARCHIVE, binding="prefix").lines


def test_the_bindings_are_three() -> None:
    assert BINDINGS == ("none", "newest", "prefix")


def test_without_a_binding_signed_reasoning_leaves_like_any_other() -> None:
    messages = thoughtful(6)
    readout = readout_of(messages)
    plan = plan_of(readout, plan_of(readout, 10**9).tokens_before - 10)
    assert len(leaving(plan)) == 1


# Garbled input -------------------------------------------------------------------------------


def orphaned(words: str = "lost words") -> list[Any]:
    """A result whose call somebody else has cut away, before a read that could leave as well."""
    return [
        *(human("Start."), agent(text("I look.")), result("gone", words), agent(text("Well."))),
        *(*step("r", "Read", READ, file_path="r.py"), agent(text("Done.")), human(LONG)),
    ]


def test_a_result_without_a_call_leaves_first_whatever_it_weighs_and_to_the_page() -> None:
    readout = readout_of(orphaned())
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 100, policy=ARCHIVE)
    assert "lost words" not in contents_of(outcome.view.messages)
    (page,) = [m for m in outcome.view.messages if "[CENOTAPH:" in str(m["content"])]
    assert "[EVICTED:tool_result@t1:recover=cx:" in page["content"]
    assert outcome.view.messages.index(page) == 2, "where it stood"
    assert not readout.wire.breaches(outcome.view.messages)


def test_under_strict_a_result_without_a_call_stays_where_it_was() -> None:
    readout = readout_of(orphaned())
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 100)
    assert outcome.view.messages[2] is readout.transcript.messages[2].raw


def test_a_result_without_a_call_leaves_only_where_something_has_to() -> None:
    readout = readout_of(orphaned())
    assert not plan_of(readout, plan_of(readout, 10**9).tokens_before, policy=ARCHIVE).changes
    assert not plan_of(readout, 0, policy=ARCHIVE, mend_orphans=False).removed
    assert len(plan_of(readout, 0, policy=ARCHIVE).removed) == 1


def reminder(n: int = 0) -> str:
    return f"<system-reminder>{n}" + "x" * 300 + "</system-reminder>"


def dropped_from(messages: list[Any], **how: Any) -> list[int]:
    """Orders of what a cut to as little as possible drops; the view is sound or the cut would have raised."""
    readout = readout_of(messages, **how)
    plan = smallest(readout)
    if plan.changes:
        cut(readout, plan.tokens_after)
    return [entry.order for entry in leaving(plan)]


def test_the_first_and_the_last_message_stand_if_only_the_agent_would_be_left_at_that_end() -> None:
    r = [human(reminder(n)) for n in range(4)]
    hm, start, done, ask = agent(text("Hm.")), human("Start."), agent(text("Done.")), human(LONG)
    assert dropped_from([r[0], hm, ask]) == []
    assert dropped_from([r[0], start, done, ask]) == [0], "a person speaks next"
    assert dropped_from([r[0], r[1], hm, ask]) == [1], "one of two must stand"
    assert dropped_from([{"role": "user", "content": [text(reminder()), text(reminder(1))]}, hm, ask]) == []
    assert dropped_from([start, done, ask, done, r[0]]) == []
    assert dropped_from([start, done, ask, done, r[0], r[1]]) == [4]
    assert dropped_from([start, done, ask, done, human(text(reminder()), text(reminder(1)))]) == []
    assert dropped_from([start, done, ask, r[0]]) == [3], "a person has spoken last"
    assert dropped_from([start, done, r[0], ask]) == [2]
    assert dropped_from([start, done, r[0], done, ask]) == [2]
    output = human("<local-command-stdout>x</local-command-stdout>")
    assert dropped_from([r[0], output, hm, ask]) == [0], "other harness text stands and is in a person's role"


def test_system_text_outside_the_messages_is_no_message_that_could_stand_first() -> None:
    body = {"system": "Be brief.", "messages": [human(reminder()), agent(text("Hm.")), human(LONG)]}
    readout = readout_of(body)
    assert not smallest(readout).changes


def test_system_text_outside_the_messages_costs_no_message() -> None:
    with_system = readout_of({"system": "Be brief.", "messages": MIXED}, framing=Framing(message=9))
    bare = readout_of(MIXED, framing=Framing(message=9))
    assert plan_of(with_system, 10**9).tokens_before - plan_of(bare, 10**9).tokens_before == len("Be brief.")


def test_pinned_reasoning_is_neither_dropped_nor_taken_along() -> None:
    messages = session(
        agent(thinking("t" * 50, "s"), call("w", "Write", file_path="a.py", content="c" * 3_000)), result("w")
    )
    readout = readout_of(messages, pins=["t" * 50])
    for binding in ("none", "newest"):
        assert "t" * 50 not in texts_leaving(readout, smallest(readout, binding=binding))


# Sums and places, once more ------------------------------------------------------------------


def test_a_message_that_must_stay_for_its_neighbours_keeps_its_exchange_and_no_other() -> None:
    writes = [
        message
        for name in ("a", "b")
        for message in (agent(call(name, "Write", file_path=name, content=name * 900)), result(name))
    ]
    readout = readout_of([human("Start."), *writes, agent(text("So.")), human(LONG)])
    plans = [smallest(readout, held=frozenset(held)) for held in ((), (1,), (4,), (1, 3))]
    gone = [{readout.classified.spans[order].message for order in plan.removed} for plan in plans]
    assert gone == [{1, 2, 3, 4}, {3, 4}, {1, 2}, set()]


def test_a_write_beside_pinned_reasoning_keeps_its_call() -> None:
    """No provider takes reasoning alone."""
    write = call("w", "Write", file_path="z.py", content="z" * 1_500)
    for words, goes in (("hm hm", True), ("pinned", False)):
        messages = [human("Start."), agent(thinking(words), write), result("w"), agent(text("So.")), human(LONG)]
        readout = readout_of(messages, pins=["pinned"])
        outcome, _ = cut(readout, smallest(readout).tokens_after)
        assert ("z" * 1_500 not in str(outcome.view.messages)) is goes
        assert (words not in str(outcome.view.messages)) is goes


def test_the_requests_tools_are_counted_and_never_cut() -> None:
    body = {"messages": MIXED, "tools": [{"name": "Read", "description": "d" * 700, "input_schema": {}}]}
    bare, full = readout_of(MIXED), readout_of(body)
    assert full.other_tokens > 700
    assert plan_of(full, 10**9).tokens_before == plan_of(bare, 10**9).tokens_before + full.other_tokens
    assert smallest(full).tokens_after > full.other_tokens


def test_the_nets_of_all_that_left_are_what_was_freed_but_for_the_header_of_the_page() -> None:
    for messages in (everything(), orphaned("lost words " * 40)):
        readout = readout_of(messages)
        plan = smallest(readout, policy=ARCHIVE)
        assert plan.page_lines
        assert plan.tokens_before - plan.tokens_after == sum(e.net for e in plan.entries) - len(page_text(()))
        outcome, _ = cut(readout, plan.tokens_after, policy=ARCHIVE)
        assert outcome.tokens_after == plan.tokens_after


def test_a_whole_exchange_takes_its_reasoning_along_even_if_that_weighs_nothing() -> None:
    write = agent(thinking("", "sig"), call("w", "Write", file_path="a.py", content="c" * 3_000))
    readout = readout_of(session(write, result("w", "ok")))
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 2_000)
    reasoning = next(s for s in readout.classified.spans if s.kind.value == "reasoning")
    assert outcome.plan.entries[reasoning.order].action is Action.drop
    assert "sig" not in contents_of(outcome.view.messages)


def test_reasoning_right_behind_the_last_change_is_dropped_under_prefix() -> None:
    messages = [
        *(human(LONG), *step("r", "Read", READ, file_path="a.py"), agent(thinking("hm", "sig"), text("Done."))),
    ]
    readout = readout_of(messages)
    plan = plan_of(readout, plan_of(readout, 10**9).tokens_before - 100, binding="prefix")
    assert sorted(texts_leaving(readout, plan)) == ["hm", READ]
    kept = plan_of(readout, plan_of(readout, 10**9).tokens_before - 100, binding="newest")
    assert texts_leaving(readout, kept) == [READ]


def test_under_prefix_an_open_loop_without_signed_reasoning_at_its_head_can_be_cut() -> None:
    messages = [
        human(LONG),
        *(agent(thinking("old", "sig"), call("w", "Write", file_path="a.py", content="c" * 3_000)), result("w", "ok")),
        *step("r", "Read", "x", file_path="b.py"),
    ]
    plan = smallest(readout_of(messages), binding="prefix")
    assert len(plan.page_lines) == 1
    assert not plan.blocked_by_binding


def test_a_batch_is_called_a_plan_only_if_nothing_else_left_with_it() -> None:
    def todo(identity: str, label: str) -> tuple[str, str, dict[str, Any], Any]:
        return (identity, "TodoWrite", {"todos": [{"content": label * 50, "status": "pending"}]}, "saved")

    readout = readout_of(session(*batch(todo("p", "old "), BIG_WRITE), *batch(todo("q", "new "))))
    (line,) = smallest(readout).page_lines
    assert Tombstone.find(line)[0].kind == "tool_exchange"
    assert line.endswith(" TodoWrite Write")


def test_the_page_stands_behind_the_text_of_the_first_exchange_that_left() -> None:
    write = agent(text("I write it."), call("w", "Write", file_path="a.py", content="c" * 3_000))
    readout = readout_of(session(write, result("w", "ok")))
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 2_000)
    assert outcome.plan.page_at == 2
    assert "I write it." in contents_of(outcome.view.messages[1:2])
    assert "[CENOTAPH:" in outcome.view.messages[2]["content"]


def test_the_page_stands_at_the_first_result_of_several_messages() -> None:
    two = calls(
        ("v", "write_file", {"path": "v", "content": "c" * 900}), ("w", "write_file", {"path": "w", "content": "c"})
    )
    messages = [said("user", "Start."), two, returned("v", "ok"), returned("w", "ok"), said("assistant", "Done.")]
    plan = smallest(readout_of([*messages, said("user", LONG)], wire="openai-chat", tools=["generic"]))
    assert (len(plan.page_lines), plan.page_at) == (1, 2)


@pytest.mark.parametrize(
    ("order", "at"),
    [(["a", "w", "=w", "=a"], 5), (["w", "a", "=w", "=a"], 5), (["ab", "w", "=w", "=a", "=b"], 6)],
)
def test_the_page_moves_behind_whatever_is_still_open_where_it_would_stand(order: list[str], at: int) -> None:
    """Calls and results that cross, as no provider takes them but some clients log them."""
    write = ("w", "write_file", {"path": "a.py", "content": "c" * 3_000})
    messages = [said("user", "Start.")]
    for item in order:
        named = [(name, "run", {"x": 1}) for name in item if name in "ab"]
        messages.append(returned(item[1], "ok") if item[0] == "=" else calls(*([write] if item == "w" else named)))
    messages += [said("assistant", "Done."), said("user", LONG)]
    plan = smallest(readout_of(messages, wire="openai-chat", tools=["generic"]))
    assert (len(plan.page_lines), plan.page_at) == (1, at)


def test_a_read_is_still_covered_while_one_of_the_reads_that_cover_it_stays() -> None:
    messages = session(*(s for n in "abc" for s in step(n, "Read", n * 900, file_path="x.py")))
    readout = readout_of(messages)
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 1_000)
    assert [(e.row, e.action) for e in leaving(outcome.plan)] == [("sup", Action.drop)] * 2


def test_a_covered_read_that_weighs_less_than_a_line_stays_when_the_read_that_covers_it_leaves() -> None:
    messages = [human("Start."), agent(call("a", "Read", file_path="a.py")), result("a", "short")]
    messages += [agent(call("b", "Read", file_path="a.py")), result("b", "long " * 200)]
    readout = readout_of([*messages, agent(text("So.")), human(LONG)])
    covered, covering = (s.order for s in readout.classified.spans if s.kind is Kind.result)
    assert readout.classified.rows[covered].id == "sup"
    outcome, _ = cut(readout, smallest(readout).tokens_after)
    assert [*outcome.plan.lines] == [covering]
    assert outcome.view.messages[2] is messages[2]


def test_a_plan_by_which_a_read_leaves_with_its_call_is_refused_unless_it_folds() -> None:
    readout = readout_of(everything())
    plan = smallest(readout, policy=ARCHIVE)
    (order, line) = next((o, t) for o, t in plan.lines.items() if readout.classified.spans[o].kind is Kind.result)
    members = readout.classified.structure.exchanges[readout.classified.spans[order].exchange].members
    leaves = dict.fromkeys(members, Action.evict_with_tombstone)
    for kind, refused in ((LineKind.exchange, True), (LineKind.fold, False)):
        whole = replace(
            plan,
            lines={o: t for o, t in plan.lines.items() if o not in members},
            removed=plan.removed | {*members},
            page=(*plan.page, PageLine(kind, line, members)),
            entries=tuple(replace(e, action=leaves.get(e.order, e.action)) for e in plan.entries),
        )
        try:
            check_plan(readout.classified, whole, ARCHIVE)
            said_ = ""
        except CompactionInvariantError as error:
            said_ = str(error)
        assert ("leave with their calls" in said_) is refused


def test_lossless_steps_do_not_take_the_last_copy_of_what_can_not_be_had_again() -> None:
    def reads(*between: Any) -> list[Any]:
        return session(
            *step("a", "Read", "A" * 900, file_path="x"), *between, *step("b", "Read", "B" * 900, file_path="x")
        )

    edited = readout_of(reads(*step("e", "Edit", file_path="x", old_string="q", new_string="z")))
    assert texts_leaving(edited, smallest(edited, lossless_only=True)) == ["A" * 900]
    unchanged = readout_of(reads())
    assert len(texts_leaving(unchanged, smallest(unchanged, lossless_only=True))) == 2
    edit = step("e", "Edit", file_path="x", old_string="q", new_string="z")
    pinned = readout_of(reads(*edit), pins=["A" * 900])
    assert texts_leaving(pinned, smallest(pinned, lossless_only=True)) == ["B" * 900], "its last copy is pinned"
    again = readout_of(reads(*edit, *step("c", "Read", "C" * 900, file_path="x")))
    assert texts_leaving(again, smallest(again, lossless_only=True)) == ["A" * 900, "C" * 900], "the newest stays"
    other = readout_of([*reads(*edit)[:-2], *step("o", "Read", "O" * 900, file_path="o"), *reads()[-2:]])
    assert texts_leaving(other, smallest(other, lossless_only=True)) == ["A" * 900, "O" * 900], "others still leave"
    thrice = readout_of(reads(*step("p", "Read", "P" * 900, file_path="x"), *edit), pins=["A" * 900])
    assert texts_leaving(thrice, smallest(thrice, lossless_only=True)) == ["P" * 900], "one is pinned, the other not"


def test_a_result_of_an_exchange_that_leaves_whole_does_not_leave_before_it() -> None:
    messages = session(
        *batch(
            ("v", "Write", {"file_path": "v.py", "content": "v" * 900}, "ok"),
            ("w", "Write", {"file_path": "w.py", "content": "w" * 900}, "W" * 900),
        ),
        *step("u", "Write", file_path="v.py", content="u"),
    )
    plan = smallest(readout_of(messages))
    assert not plan.lines
    assert len(plan.page_lines) >= 1


def test_under_prefix_no_message_but_the_head_of_an_open_loop_is_spared() -> None:
    log = "\n".join(f"2026-03-01 10:00:{n % 60:02} ERROR worker[{n}]: reset" for n in range(120))
    messages = [human(f"Why?\n```\n{log}\n```\nTell me."), agent(thinking("", "sig"), text("So.")), human(LONG)]
    readout = readout_of(messages)
    target = plan_of(readout, 10**9).tokens_before - 1_000
    outcome, _ = cut(readout, target, policy=ARCHIVE, binding="prefix")
    assert "sig" not in contents_of(outcome.view.messages)


def test_lines_weigh_the_same_under_every_key_of_a_store() -> None:
    """A counter that finds one key's handles dearer decides as one that does not."""
    readout = readout_of(everything())
    dear = next(h for h in smallest(readout, policy=ARCHIVE).lines.values() if "cx:" in h)
    digits = Tombstone.parse(dear).recover[-1]

    class Partial(Characters):
        def count(self, text: str) -> int:
            return len(text) + 500 * text.count(digits)

    odd = replace(readout, counter=Memo(Partial()))
    assert smallest(odd, policy=ARCHIVE) == smallest(readout, policy=ARCHIVE)
