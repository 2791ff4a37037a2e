"""Apply trusts no plan: each way of breaking the table is refused, and what is allowed is done exactly."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from cuts import ARCHIVE, LOG, LONG, STRICT, after, contents_of, cut, everything, plan_of, readout_of, smallest

from cenotaph import Action, CompactionInvariantError, Policy
from cenotaph.core.apply import apply_plan, check_plan, put_together, same_bytes, take_apart
from cenotaph.core.ids import verbatim_json
from cenotaph.core.invariants import check_laws
from cenotaph.core.lines import LineKind, PageLine
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.plan import Entry, Plan
from cenotaph.core.policy import LEAVING, Shelf, allowed
from cenotaph.core.readout import Readout
from talk import agent, answer, call, calls, human, result, results, returned, said, text


@pytest.fixture
def valid() -> tuple[Readout, Plan]:
    readout = readout_of({"system": "Be brief.", "messages": everything()})
    plan = smallest(readout, policy=ARCHIVE)
    assert plan.page_lines
    assert plan.lines
    assert any(readout.classified.spans[o].kind is Kind.reasoning for o in plan.removed)
    assert any(readout.classified.spans[o].start is not None for o in plan.lines)
    check_plan(readout.classified, plan, ARCHIVE)
    return readout, plan


def refused(readout: Readout, plan: Plan, policy: Policy = ARCHIVE) -> CompactionInvariantError:
    with pytest.raises(CompactionInvariantError) as caught:
        check_plan(readout.classified, plan, policy)
    with pytest.raises(CompactionInvariantError):
        apply_plan(readout.transcript, readout.classified, plan, policy, readout.wire)
    return caught.value


def with_entry(plan: Plan, order: int, **changes: Any) -> Plan:
    entries = [replace(e, **changes) if e.order == order else e for e in plan.entries]
    return replace(plan, entries=tuple(entries))


def without(mapping: Any, order: int) -> Any:
    return {key: value for key, value in mapping.items() if key != order}


# Every span once, in order -------------------------------------------------------------------

NAMINGS: dict[str, Callable[[tuple[Entry, ...]], tuple[Entry, ...]]] = {
    "one span is left out at the end": lambda e: e[:-1],
    "one span is left out at the start": lambda e: e[1:],
    "no span is named": lambda e: (),
    "one span is named twice": lambda e: (*e, e[-1]),
    "two spans changed places": lambda e: (e[1], e[0], *e[2:]),
    "one span is named for another": lambda e: (e[0], replace(e[1], span_id=e[2].span_id), *e[2:]),
    "one order is another's": lambda e: (e[0], replace(e[1], order=e[2].order), *e[2:]),
}


@pytest.mark.parametrize("change", NAMINGS.values(), ids=NAMINGS)
def test_a_plan_names_every_span_once_and_in_order(
    change: Callable[[tuple[Entry, ...]], tuple[Entry, ...]], valid: tuple[Readout, Plan]
) -> None:
    readout, plan = valid
    assert refused(readout, replace(plan, entries=change(plan.entries))).laws == ["L14"]


# Actions, shelves, rows ----------------------------------------------------------------------


def test_every_action_that_the_table_does_not_hold_is_refused_for_every_span(
    valid: tuple[Readout, Plan],
) -> None:
    readout, plan = valid
    for policy in (STRICT, ARCHIVE):
        for entry in plan.entries:
            for action in set(Action) - allowed(policy, entry.shelf):
                error = refused(readout, with_entry(plan, entry.order, action=action), policy)
                assert error.laws == ["L1"]
                assert entry.span_id in str(error) or error.details["breaches"] > 5


def test_a_plan_made_for_archive_is_refused_under_strict(valid: tuple[Readout, Plan]) -> None:
    refused(*valid, STRICT)


def test_a_span_never_gets_another_row_or_another_shelf(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    for entry in plan.entries:
        refused(readout, with_entry(plan, entry.order, row="thk" if entry.row != "thk" else "one"))
        for shelf in set(Shelf) - {entry.shelf}:
            refused(readout, with_entry(plan, entry.order, shelf=shelf))


def covered_and_plan() -> tuple[Readout, int, Plan]:
    """A plan in which a covered read leaves and the read that covers it stays."""
    readout = readout_of(everything())
    plan = plan_of(readout, plan_of(readout, 10**9).tokens_before - 900)
    (covered,) = readout.classified.reading.covered_by
    assert covered in plan.lines
    check_plan(readout.classified, plan, STRICT)
    return readout, covered, plan


def test_a_covered_read_is_planned_as_covered_or_as_its_other_row_but_as_no_third_one() -> None:
    readout, covered, plan = covered_and_plan()
    assert plan.entries[covered].row == "sup"
    other = {"row": "ded", "shelf": Shelf.invalidated, "action": Action.evict_with_tombstone}
    check_plan(readout.classified, with_entry(plan, covered, **other), STRICT)
    for third in (
        {"row": "rec", "shelf": Shelf.live, "action": Action.evict},
        {"shelf": Shelf.live, "action": Action.evict},
    ):
        refused(readout, with_entry(plan, covered, **third), STRICT)


def test_a_covered_read_is_not_dropped_as_such_when_the_read_that_covers_it_leaves_too(
    valid: tuple[Readout, Plan],
) -> None:
    readout, plan = valid
    (covered,) = readout.classified.reading.covered_by
    assert plan.entries[covered].row == "ded"
    dropped = with_entry(plan, covered, row="sup", shelf=Shelf.disposable_drop, action=Action.drop)
    assert "every read that covers it leaves too" in str(refused(readout, dropped))


def test_a_read_whose_covering_read_left_in_an_earlier_cut_is_no_longer_covered() -> None:
    """It could not leave with the one that covered it; what covers nothing any more lets nothing be dropped."""
    messages = [
        *(human("Start."), agent(call("s", "Read", file_path="b.py")), result("s", "b" * 900)),
        *(agent(call("t", "Read", file_path="b.py")), result("t", "c" * 900), agent(text("Done.")), human(LONG)),
    ]
    pinned = readout_of(messages, pins=["b" * 900])
    first, _ = cut(pinned, plan_of(pinned, 0).tokens_after)
    assert "c" * 900 not in contents_of(first.view.messages)
    later = after(pinned, first, agent(text("Well.")), human(LONG))
    (read,) = (s.order for s in later.classified.spans if s.text == "b" * 900)
    assert later.classified.rows[read].id != "sup"
    plan = plan_of(later, 0)
    assert (plan.entries[read].row, plan.entries[read].action) == ("rec", Action.evict)


# What leaves is what the plan says -----------------------------------------------------------


def test_a_span_does_not_leave_under_an_action_that_keeps_it(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    for entry in plan.entries:
        if entry.action in LEAVING:
            error = refused(readout, with_entry(plan, entry.order, action=Action.keep))
            assert "would leave under keep" in str(error)


def test_a_span_does_not_stay_under_an_action_by_which_it_leaves(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    for order in plan.lines:
        refused(readout, replace(plan, lines=without(plan.lines, order)))
    for order in plan.removed:
        refused(readout, replace(plan, removed=plan.removed - {order}))


def test_a_span_that_the_plan_protects_is_never_removed_or_replaced(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    line = next(iter(plan.lines.values()))
    for entry in plan.entries:
        if entry.action not in LEAVING:
            assert refused(readout, replace(plan, removed=plan.removed | {entry.order}))
            assert refused(readout, replace(plan, lines={**plan.lines, entry.order: line}))


def test_a_refusal_names_what_is_protected(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    protected = [e.span_id for e in plan.entries if e.action not in LEAVING]
    assert refused(readout, replace(plan, removed=plan.removed | {plan.entries[-1].order})).protected == protected


def test_system_text_of_the_request_can_not_leave(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    assert readout.classified.spans[0].message == -1
    error = refused(readout, replace(plan, removed=plan.removed | {0}))
    assert "system text of the request" in str(error)


# Exchanges -----------------------------------------------------------------------------------


def exchange_that_left(readout: Readout, plan: Plan) -> tuple[int, ...]:
    return next(e.members for e in readout.classified.structure.exchanges if set(e.members) <= plan.removed)


def test_half_an_exchange_does_not_leave(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    for order in exchange_that_left(readout, plan):
        kept = with_entry(replace(plan, removed=plan.removed - {order}), order, action=Action.keep)
        assert "an exchange leaves whole" in str(refused(readout, kept))


def test_a_result_that_leaves_alone_leaves_a_line(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    for order in plan.lines:
        if readout.classified.spans[order].kind is Kind.result:
            silent = replace(plan, lines=without(plan.lines, order), removed=plan.removed | {order})
            assert "its results leave a line each" in str(refused(readout, silent))


def test_a_payload_that_leaves_leaves_a_line(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    (order,) = (o for o in plan.lines if readout.classified.spans[o].start is not None)
    silent = replace(plan, lines=without(plan.lines, order), removed=plan.removed | {order})
    assert "leaves one line, and 0 stand for it" in str(refused(readout, silent))


def test_arguments_are_never_edited_in_place(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    line = next(iter(plan.lines.values()))
    call_, answer_ = exchange_that_left(readout, plan)
    edited = replace(plan, removed=plan.removed - {call_, answer_}, lines={**plan.lines, call_: line, answer_: line})
    assert "never edited in place" in str(refused(readout, edited))


def test_only_writes_and_spent_plans_leave_with_their_calls(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    read = readout.classified.structure.exchanges[0].members
    whole = replace(plan, lines=without(plan.lines, read[1]), removed=plan.removed | set(read))
    for order in read:
        whole = with_entry(whole, order, action=Action.evict_with_tombstone)
    assert "only writes, spent plans and what folds leave with their calls" in str(refused(readout, whole))


def test_a_torn_exchange_is_seen_behind_exchanges_that_nothing_touches() -> None:
    readout, covered, plan = covered_and_plan()
    untouched = readout.classified.structure.exchanges[0]
    assert not set(untouched.members) & {*plan.lines, *plan.removed}
    later = readout.classified.structure.exchanges[2].results[0][0]
    assert later != covered
    torn = with_entry(replace(plan, removed=frozenset({later})), later, action=Action.evict)
    assert "an exchange leaves whole" in str(refused(readout, torn, STRICT))


@pytest.mark.parametrize("times", [0, 2])
def test_each_exchange_that_leaves_whole_has_one_line_on_the_page(times: int, valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    (line,) = plan.page
    error = refused(readout, replace(plan, page=(line,) * times))
    assert f"leaves one line, and {times} stand for it" in str(error)


def test_a_line_of_the_page_stands_for_nothing_that_stays(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    last = plan.entries[-1].order
    line = PageLine(LineKind.exchange, plan.page[0].text, (last,))
    error = refused(readout, replace(plan, page=(*plan.page, line)))
    assert "a line of the page stands for it, and it stays" in str(error)


def test_a_lift_does_not_stand_for_what_left(valid: tuple[Readout, Plan]) -> None:
    """Words of a text are no way to ask for it."""
    readout, plan = valid
    lifted = tuple(replace(line, kind=LineKind.lift) for line in plan.page)
    assert "leaves one line, and 0 stand for it" in str(refused(readout, replace(plan, page=lifted)))


def test_a_page_needs_something_that_left_to_it() -> None:
    readout = readout_of(everything())
    nothing = plan_of(readout, 10**9)
    write = next(e.members for e in readout.classified.structure.exchanges if e.n == 4)
    line = PageLine(LineKind.exchange, "[EVICTED:tool_exchange@t1.4:recover=NO] Write", write)
    refused(readout, replace(nothing, page=(line,), page_at=1))


def test_narration_is_never_dropped_without_a_line() -> None:
    readout = readout_of([human("Start."), agent(text("I look. " * 99), call("l", "LS")), result("l"), human(LONG)])
    plan = plan_of(readout, 10**9)
    (order,) = (e.order for e in plan.entries if e.row == "nar")
    silent = with_entry(replace(plan, removed=frozenset({order})), order, action=Action.drop)
    assert "drop leaves one line, and 0 stand for it" in str(refused(readout, silent, STRICT))


# Earlier compactions -------------------------------------------------------------------------


def test_what_an_earlier_cut_left_is_taken_over_to_the_byte_whatever_the_policy_is_now() -> None:
    readout = readout_of(everything())
    first, _ = cut(readout, plan_of(readout, 10**9).tokens_before // 2, policy=ARCHIVE)
    later = after(readout, first)
    nothing = plan_of(later, 10**9, policy=STRICT)
    view = apply_plan(later.transcript, later.classified, nothing, STRICT, later.wire)
    assert [a is b for a, b in zip(view.messages, first.view.messages, strict=True)] == [True] * len(view.messages)
    assert not any(place.changed for place in view.places)
    for entry in nothing.entries:
        if later.classified.spans[entry.order].provenance is Provenance.compactor:
            assert entry.action is Action.keep
            for action in set(Action) - {Action.keep, Action.evict_with_tombstone}:
                refused(later, with_entry(nothing, entry.order, action=action), STRICT)


def test_a_line_of_ours_does_not_leave_without_another_one_for_it() -> None:
    readout = readout_of(everything())
    first, _ = cut(readout, plan_of(readout, 10**9).tokens_before // 2, policy=ARCHIVE)
    later = after(readout, first)
    nothing = plan_of(later, 10**9)
    own = [s for s in later.classified.spans if s.provenance is Provenance.compactor]
    assert {s.kind for s in own} == {Kind.result, Kind.text}
    for span in own:
        silent = with_entry(
            replace(nothing, removed=frozenset({span.order})), span.order, action=Action.evict_with_tombstone
        )
        refused(later, silent, STRICT)


def test_a_page_of_a_later_cut_may_stand_before_an_earlier_one() -> None:
    """A pin kept the write from leaving; it was released before the second cut."""
    todo = {"old": [{"content": "o" * 2_000, "status": "pending"}], "new": [{"content": "n", "status": "pending"}]}
    messages = [
        *(human("Start."), agent(call("w", "Write", file_path="w", content="0" * 2_000)), result("w", "ok")),
        *(agent(call("l", "LS", path=".")), result("l", "x")),
        *(agent(call("p", "TodoWrite", todos=todo["old"])), result("p", "saved")),
        *(agent(call("q", "TodoWrite", todos=todo["new"])), result("q", "saved again")),
        *(agent(text("Done.")), human(LONG)),
    ]
    pinned = readout_of(messages, pins=["0" * 2_000])
    first, _ = cut(pinned, plan_of(pinned, 10**9).tokens_before - 1_500)
    assert [p.original for p in first.view.places].index(None) == 5
    second, _ = cut(after(pinned, first), first.tokens_after - 1_500)
    shown = [m["content"] for m in second.view.messages]
    assert "[EVICTED:tool_exchange@t1.1:" in shown[1]
    assert "[EVICTED:plan@t1.3:" in shown[4]
    assert shown[4] == first.view.page


def test_a_page_stands_before_the_words_behind_the_results_that_left() -> None:
    write = agent(call("w", "Write", file_path="a", content="c" * 2_000))
    spoken = results(answer("w", "ok"), text("And be quick about the rest of it, if you can."))
    readout = readout_of([human("Start."), write, spoken, agent(text("Done.")), human(LONG)])
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 1_500)
    shown = [str(m["content"]) for m in outcome.view.messages]
    assert shown[1].startswith("[CENOTAPH:")
    assert "And be quick" in shown[2]


def test_a_page_may_stand_behind_the_last_message() -> None:
    messages = [
        *(said("user", "Start."), calls(("a", "run", {"x": 1}))),
        calls(("w", "write_file", {"path": "a.py", "content": "c" * 3_000})),
        *(returned("w", "ok"), said("assistant", "Done."), returned("a", "late")),
    ]
    readout = readout_of(messages, wire="openai-chat", tools=["generic"])
    plan = smallest(readout)
    assert plan.page_at == len(messages)
    view = apply_plan(readout.transcript, readout.classified, plan, STRICT, readout.wire)
    assert view.messages[-1]["content"].startswith("[CENOTAPH:")
    assert (view.places[-1].original, view.places[-1].changed) == (None, True)


# What is written -----------------------------------------------------------------------------


def test_apply_never_changes_what_came_in_and_shares_what_it_did_not_touch(
    valid: tuple[Readout, Plan],
) -> None:
    readout, plan = valid
    before = copy.deepcopy(readout.transcript.request)
    view = apply_plan(readout.transcript, readout.classified, plan, ARCHIVE, readout.wire)
    assert readout.transcript.request == before
    touched = {readout.classified.spans[o].message for o in (*plan.lines, *plan.removed)}
    for place, message in zip(view.places, view.messages, strict=True):
        if place.original is not None:
            same = message is readout.transcript.messages[place.original].raw
            assert same is (place.original not in touched)
            assert place.changed is not same


def test_a_changed_message_shares_the_blocks_that_stay(valid: tuple[Readout, Plan]) -> None:
    readout, plan = valid
    view = apply_plan(readout.transcript, readout.classified, plan, ARCHIVE, readout.wire)
    spoken = view.messages[1]["content"]
    originals = readout.transcript.messages[1].raw["content"]
    assert [block is original for block, original in zip(spoken, originals[1:], strict=True)] == [True, True]


def test_a_message_of_which_nothing_is_left_is_gone() -> None:
    messages = [
        *(human("<system-reminder>" + "x" * 300 + "</system-reminder>"), human("Start.")),
        *(agent(text("Done.")), human(LONG)),
    ]
    readout = readout_of(messages)
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 50)
    assert list(outcome.view.messages) == messages[1:]


def test_a_picture_is_replaced_by_a_block_of_text() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    readout = readout_of([human(text("See."), picture), agent(text("Done.")), human(LONG)])
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 10, policy=ARCHIVE)
    block = outcome.view.messages[0]["content"][1]
    assert block["type"] == "text"
    assert block["text"].startswith("[EVICTED:media@t1:recover=cx:")


def test_several_payloads_of_one_text_are_each_replaced_in_their_place() -> None:
    words = f"One:\n```\n{LOG}\n```\nTwo:\n```\n{LOG[::-1]}\n```\nend"
    readout = readout_of([human(words), agent(text("Done.")), human(LONG)])
    outcome, _ = cut(readout, 1_200, policy=ARCHIVE)
    lines = outcome.view.messages[0]["content"].split("\n")
    assert [line[:22] for line in lines] == [
        "One:",
        "[EVICTED:user_payload@",
        "Two:",
        "[EVICTED:user_payload@",
        "end",
    ]
    assert lines[1] != lines[3]


def test_a_result_message_of_chat_keeps_all_its_other_fields() -> None:
    messages = [
        *(said("user", "Start."), calls(("r", "read_file", {"path": "a"}), content="I look.", x=1)),
        *(
            returned("r", "r" * 900, name="read_file", extra={"y": 2}),
            said("assistant", "Done."),
            said("user", LONG),
        ),
    ]
    readout = readout_of(messages, wire="openai-chat", tools=["generic"])
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 100)
    kept = outcome.view.messages[2]
    assert {**kept, "content": None} == {**messages[2], "content": None}
    assert kept["content"].startswith("[EVICTED:tool_result@t1.1:recover=file:a|cx:")


# Undoing -------------------------------------------------------------------------------------


def test_a_message_taken_apart_is_put_together_to_the_byte(valid: tuple[Readout, Plan]) -> None:
    readout, _ = valid
    structure = readout.classified.structure
    for index, message in enumerate(readout.transcript.messages):
        spans = [structure.spans[o] for o in structure.by_message[index]]
        names = {span.order: f"h{span.order}" for span in spans}
        step = json.loads(json.dumps(take_apart(message.raw, spans, names)))
        contents = {names[span.order]: span.data for span in spans}
        assert not any(span.text and json.dumps(span.text)[1:-1] in json.dumps(step[1]) for span in spans)
        assert verbatim_json(put_together(step, (), contents)) == verbatim_json(message.raw)
        for name in contents:
            with pytest.raises(KeyError, match=name):
                put_together(step, (), {k: v for k, v in contents.items() if k != name})


@pytest.mark.parametrize(
    "empty", [{"role": "assistant", "content": None}, {"role": "user", "content": "", "n": 1}, "x"]
)
def test_a_message_without_spans_is_its_own_shell(empty: Any) -> None:
    assert take_apart(empty, [], {}) == ["m", empty, []]
    assert put_together(["m", empty, []], (), {}) == empty


def test_equal_numbers_are_equal_to_the_byte() -> None:
    assert same_bytes({"a": [float("1.5")]}, {"a": [float("1.50")]})
    assert same_bytes([10**20], [10**20 + 0])


def test_a_step_that_names_the_view_gives_the_message_of_the_view() -> None:
    view = [{"a": 1}, {"b": 2}]
    assert put_together(["v", 1], view, {}) is view[1]


def different() -> Iterator[tuple[Any, Any]]:
    yield from [(1, 1.0), (1, True), (0, False), (1.0, True), ("1", 1), (None, False), ([], {}), (0.0, -0.0)]
    yield from [({"a": 1, "b": 2}, {"b": 2, "a": 1}), ({"a": 1}, {"a": 1.0}), ([1, 2], [2, 1]), ([1], [1, 1])]
    yield from [
        ({"a": [1]}, {"a": [True]}),
        ({"a": 1}, {}),
        ({}, {"a": 1}),
        ("a", "b"),
        (1, 2),
        ({"a": 1}, {"b": 1}),
    ]


@pytest.mark.parametrize(("one", "other"), list(different()))
def test_equal_to_the_byte_is_more_than_equal(one: Any, other: Any) -> None:
    assert not same_bytes(one, other)
    assert not same_bytes(other, one)
    assert not same_bytes([one], [other])
    assert same_bytes(one, copy.deepcopy(one))
    assert same_bytes({"x": [other]}, {"x": [copy.deepcopy(other)]})


@pytest.mark.parametrize(("field", "value"), [("seq", 0), ("is_draft", False), ("note", "")])
def test_a_field_that_is_falsy_is_still_a_field(field: str, value: object) -> None:
    messages = [
        *(said("user", "Start."), calls(("r", "read_file", {"path": "a"}), content="I look.")),
        returned("r", "r" * 900, name="read_file", **{field: value}),
        *(said("assistant", "Done."), said("user", LONG)),
    ]
    readout = readout_of(messages, wire="openai-chat", tools=["generic"])
    outcome, evidence = cut(readout, plan_of(readout, 10**9).tokens_before - 500)
    (at,) = [i for i, message in enumerate(outcome.view.messages) if message["role"] == "tool"]
    assert outcome.view.messages[at][field] == value
    lost = {key: kept for key, kept in outcome.view.messages[at].items() if key != field}
    shown = (*outcome.view.messages[:at], lost, *outcome.view.messages[at + 1 :])
    tampered = replace(evidence, view=replace(evidence.view, messages=shown))
    assert check_laws(tampered)["L11"]
