"""Fold: what is left of old exchanges, and older lines of ours, become one pointer to all of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cuts import ARCHIVE, LOG, LONG, STRICT, after, cut, everything, leaving, plan_of, readout_of, smallest

from cenotaph import BudgetExhausted, IndexBudgetExceeded, Tombstone
from cenotaph.core.fold import statements_only
from cenotaph.core.ids import from_json
from cenotaph.core.lines import LineKind, is_page, kind_of_line, lifted_words, page_lines, page_text
from cenotaph.core.manifest import Manifest
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.plan import Plan
from cenotaph.core.ranking import grade
from cenotaph.core.readout import Readout
from cenotaph.core.session import Outcome
from talk import agent, answer, call, calls, human, result, results, returned, said, text, thinking


def reads(first: int, count: int, size: int = 300) -> list[Any]:
    return [
        message
        for n in range(first, first + count)
        for message in (
            agent(call(f"r{n}", "Read", file_path=f"src/module_{n}.py")),
            result(f"r{n}", f"line {n} of it\n" * (size // 14)),
        )
    ]


def writes(first: int, count: int) -> list[Any]:
    return [
        message
        for n in range(first, first + count)
        for message in (
            agent(call(f"w{n}", "Write", file_path=f"src/new_{n}.py", content="c" * 600)),
            result(f"w{n}", "ok"),
        )
    ]


def closing() -> list[Any]:
    return [agent(text("Done.")), human(LONG)]


def in_place() -> tuple[Readout, Outcome, dict[str, bytes]]:
    """A first cut under archive that left a line for each of twenty reads, and nothing else."""
    readout = readout_of([human("Start."), *reads(0, 20), *closing()])
    outcome, evidence = cut(readout, plan_of(readout, 0, policy=ARCHIVE).tokens_after, policy=ARCHIVE)
    assert len(outcome.plan.lines) == 20
    assert not outcome.view.page
    return readout, outcome, dict(evidence.contents)


def pointer_line(plan: Plan) -> Any:
    (line,) = [line for line in plan.page if line.kind is LineKind.fold]
    return line


def manifest_of(plan: Plan, contents: dict[str, bytes]) -> Manifest:
    (handle,) = Tombstone.parse(pointer_line(plan).text).recover
    return Manifest.decode(contents[handle], handle)


# What folds -----------------------------------------------------------------------------------


def test_exchanges_fold_whole_with_their_calls_and_the_lines_in_place_of_their_results() -> None:
    readout, first, known = in_place()
    later = after(readout, first, *reads(20, 3), *closing())
    plan = smallest(later, policy=ARCHIVE, fold=True)
    outcome, evidence = cut(later, plan.tokens_after + 10, policy=ARCHIVE, fold=True)
    members = set(pointer_line(outcome.plan).members)
    for exchange in later.classified.structure.exchanges:
        assert set(exchange.members) <= members or not members & set(exchange.members)
    assert Tombstone.parse(pointer_line(outcome.plan).text).kind == "tombstones"
    assert "[EVICTED:tool_result@t1.1:" not in str(outcome.view.messages)
    assert outcome.tokens_after < first.tokens_after
    assert not known.keys() & {p.handle for p in outcome.plan.pointers}, "the pointer is new"
    assert all(p.handle in evidence.contents for p in outcome.plan.pointers)


def test_the_manifest_names_exactly_what_left_and_what_our_lines_pointed_to() -> None:
    readout, first, known = in_place()
    later = after(readout, first, *reads(20, 3), *closing())
    for spare in (10, 400, 900):
        target = smallest(later, policy=ARCHIVE, fold=True).tokens_after + spare
        outcome, evidence = cut(later, target, policy=ARCHIVE, fold=True)
        manifest = manifest_of(outcome.plan, dict(evidence.contents))
        spans = [later.classified.spans[o] for o in pointer_line(outcome.plan).members]
        ours = [span for span in spans if span.provenance is Provenance.compactor]
        assert list(manifest.spans) == [s.id for s in spans if s.provenance is not Provenance.compactor]
        pointed = [h for s in ours for h in Tombstone.parse(s.text).recover if h.startswith("cx:")]
        assert list(manifest.folds) == pointed
        assert all(known[handle] == evidence_of(readout, handle, known) for handle in pointed)
        exchanged = {span.order for span in later.classified.spans if span.exchange >= 0}
        assert outcome.plan.removed & exchanged == {span.order for span in spans}


def evidence_of(readout: Readout, handle: str, known: dict[str, bytes]) -> bytes:
    """The bytes of the one span of the first cut that stands behind a handle."""
    (data,) = {span.data for span in readout.classified.spans if span.data == known[handle]}
    return data


def test_what_folded_twice_is_still_found_behind_the_newest_pointer() -> None:
    readout, first, known = in_place()
    later = after(readout, first, *reads(20, 6), *closing())
    target = smallest(later, policy=ARCHIVE, fold=True).tokens_after + 10
    second, evidence = cut(later, target, policy=ARCHIVE, fold=True)
    known |= evidence.contents
    last = after(later, second, *reads(30, 40), *closing())
    target = smallest(last, policy=ARCHIVE, fold=True).tokens_after + 10
    third, evidence = cut(last, target, policy=ARCHIVE, fold=True)
    known |= evidence.contents
    pages = [m for m in third.view.messages if str(m["content"]).startswith("[CENOTAPH:")]
    assert len(pages) == 1, "the older page has folded too"
    manifest = manifest_of(third.plan, known)
    (old,) = Tombstone.parse(pointer_line(second.plan).text).recover
    assert old in manifest.folds
    first_reads = {s.data for s in readout.classified.spans if s.kind is Kind.result}
    assert first_reads <= {known[handle] for handle in behind(old, known)}


def behind(handle: str, known: dict[str, bytes]) -> set[str]:
    """Every handle to which a pointer leads through manifests."""
    data = from_json(known[handle])
    folds = data["folds"] if isinstance(data, dict) and "folds" in data else []
    return {handle}.union(*(behind(fold, known) for fold in folds))


def test_a_fold_says_the_first_turn_of_what_it_holds() -> None:
    messages = [human("Start."), *reads(0, 6), *closing(), *reads(6, 6), *closing(), *reads(12, 2), *closing()]
    readout = readout_of(messages)
    plan = smallest(readout, policy=ARCHIVE, fold=True)
    manifest = next(p.manifest for p in plan.pointers)
    assert Tombstone.parse(pointer_line(plan).text).turn == manifest.turns[0] == 1
    assert manifest.turns[1] == 3


def test_reasoning_beside_a_call_that_folds_goes_with_it() -> None:
    thoughtful = [
        message
        for n in range(8)
        for message in (
            agent(thinking(f"thought {n}", ""), call(f"r{n}", "Read", file_path=f"src/module_{n}.py")),
            result(f"r{n}", "x" * 300),
        )
    ]
    readout = readout_of([human("Start."), *thoughtful, *closing()], pins=["thought 3"])
    outcome, _ = cut(readout, smallest(readout, policy=ARCHIVE, fold=True).tokens_after, policy=ARCHIVE, fold=True)
    assert "thought 3" in str(outcome.view.messages)
    assert "thought 2" not in str(outcome.view.messages)


def test_signed_reasoning_behind_what_folds_goes_whole_where_it_is_bound_to_all_before_it() -> None:
    """Also the newest, and where nothing but what folds was changed."""
    readout, first, _ = in_place()
    later = after(readout, first, agent(thinking("hm " * 60), text("Done.")), human(LONG))
    (thought,) = [s for s in later.classified.spans if s.kind is Kind.reasoning]
    size = plan_of(later, 10**9).tokens_before
    for binding, goes in (("none", False), ("newest", False), ("prefix", True)):
        plan = plan_of(later, size - 400, policy=ARCHIVE, fold=True, binding=binding)
        assert {line.kind for line in plan.page} == {LineKind.fold}
        assert (thought.order in plan.removed) is goes


def test_only_what_frees_more_than_the_pointer_takes_is_folded() -> None:
    readout = readout_of([human("Start."), *reads(0, 1), *closing()])
    plan = smallest(readout, policy=ARCHIVE, fold=True)
    assert plan.lines
    assert plan.page == ()


def test_without_a_store_nothing_folds() -> None:
    readout, _, _ = in_place()
    assert smallest(readout, policy=ARCHIVE, fold=True, stored=True).page
    plan = smallest(readout, policy=ARCHIVE, fold=True, stored=False)
    assert plan.page == ()
    assert plan.pointers == ()


def test_where_the_target_is_met_nothing_folds() -> None:
    readout, first, _ = in_place()
    later = after(readout, first)
    assert not plan_of(later, first.tokens_after, policy=ARCHIVE, fold=True).changes
    loose = plan_of(readout, first.tokens_after, policy=ARCHIVE, fold=True)
    assert loose.page == (), "lines in place suffice"


def test_under_strict_calls_stay_and_older_pages_fold() -> None:
    readout = readout_of([human("Start."), *writes(0, 6), *reads(0, 3), *closing()])
    first, _ = cut(readout, smallest(readout).tokens_after)
    assert len(first.plan.page) == 6
    later = after(readout, first, *writes(10, 8), *closing())
    second, _ = cut(later, smallest(later, policy=STRICT, fold=True).tokens_after, fold=True)
    assert "Read" in str(second.view.messages)
    members = [later.classified.spans[o] for o in pointer_line(second.plan).members]
    assert {s.part.tool for s in members if s.kind is Kind.call} == {"Write"}
    assert any(s.text == first.view.page for s in members)


def test_where_earlier_cuts_left_lines_at_least_half_of_what_is_left_of_their_exchanges_goes_at_once() -> None:
    readout, first, _ = in_place()
    later = after(readout, first)
    left = sum(s.tokens for s in later.classified.spans if s.exchange >= 0)
    plan = plan_of(later, first.tokens_after - 1, policy=ARCHIVE, fold=True)
    assert plan.met
    gone = sum(later.classified.spans[e.order].tokens for e in leaving(plan))
    assert gone >= left // 2
    assert plan.first_changed == 1, "the oldest first"


# What never folds -----------------------------------------------------------------------------


def test_what_must_stay_never_folds() -> None:
    messages = everything()[:-2]
    open_call = agent(call("o", "Bash", command="sleep", run_in_background=False))
    readout = readout_of(
        [*messages, *reads(0, 4), agent(text("Next.")), *reads(10, 1), open_call], pins=["line 2 of it"]
    )
    plan = smallest(readout, policy=ARCHIVE, fold=True)
    gone = {e.order for e in leaving(plan)}
    rows: dict[str, set[bool]] = {}
    for exchange in readout.classified.structure.exchanges:
        for row in {readout.classified.rows[o].id for o in exchange.members}:
            rows.setdefault(row, set()).add(bool(gone & set(exchange.calls)))
    assert [rows[row] for row in ("pln", "ans", "opn", "pin")] == [{False}] * 4
    assert rows["arg"] == {True, False}
    assert pointer_line(plan)


def test_what_still_runs_never_folds() -> None:
    background = call("b", "Bash", command="serve", run_in_background=True)
    started = "Command running in background with ID: bash_1"
    readout = readout_of([human("Start."), agent(background), result("b", started), *reads(0, 8), *closing()])
    assert readout.classified.rows[1].id == "liv"
    outcome, _ = cut(readout, smallest(readout, policy=ARCHIVE, fold=True).tokens_after, policy=ARCHIVE, fold=True)
    assert started in str(outcome.view.messages)
    assert "tombstones" in outcome.view.page


def spoken() -> list[Any]:
    """Text that leaves with what weighs in it, and writes that leave whole."""
    idle = " ".join(f"The sun was warm and they had a walk with the {x}." for x in ("roses", "tulips", "lilies") * 6)
    return [human(f"Never touch the files in /srv/prod/. {idle}"), agent(text(f"The port is 5433 now. {idle}"))]


def folded_page() -> tuple[Outcome, Outcome, Readout]:
    """A first cut with lifts, a pin and writes on its page; a second one that folds the page, and what it read."""
    readout = readout_of([*spoken(), human(LONG), *writes(0, 6), *closing()])
    pin = ("the release waits for Dana",)
    target = smallest(readout, policy=ARCHIVE, statements=pin).tokens_after + 400
    first, _ = cut(readout, target, policy=ARCHIVE, statements=pin)
    kinds = [line.kind for line in first.plan.page]
    assert {LineKind.pin, LineKind.lift, LineKind.text, LineKind.exchange} == set(kinds)
    later = after(readout, first, *writes(10, 6), *closing())
    second, _ = cut(later, smallest(later, policy=ARCHIVE, fold=True).tokens_after, policy=ARCHIVE, fold=True)
    return first, second, later


def test_statements_and_pins_stand_to_the_byte_where_they_stood_when_their_page_folds() -> None:
    first, second, _ = folded_page()
    (shorter,) = second.plan.lines.values()
    lines = [line for line in page_lines(first.view.page) if kind_of_line(line) in (LineKind.lift, LineKind.pin)]
    stay = [line for line in lines if line.startswith(("pinned by the caller: ", "user t1: Never"))]
    assert len(stay) == 2
    assert page_lines(shorter) == stay, "where there is no room, what only filled it goes"
    assert len(lines) > len(stay)
    assert shorter in [message["content"] for message in second.view.messages]


def test_what_is_left_of_an_older_page_stands_before_the_newer_one() -> None:
    """What was said later is read later, also where the older page has folded."""
    _, second, _ = folded_page()
    (shorter,) = second.plan.lines.values()
    shown = [message["content"] for message in second.view.messages]
    assert shown.index(shorter) < shown.index(second.view.page)


def test_a_page_of_lifts_alone_is_left_as_it_is() -> None:
    _, second, read = folded_page()
    later = after(read, second, *writes(20, 9), *closing())
    ours = [s for s in later.classified.spans if s.text.startswith("[CENOTAPH:")]
    (page,) = [s for s in ours if {*map(kind_of_line, page_lines(s.text))} <= {LineKind.lift, LineKind.pin}]
    plan = smallest(later, policy=ARCHIVE, fold=True)
    assert plan.changes
    assert page.order not in {e.order for e in leaving(plan)}


def test_an_exchange_that_nobody_has_read_yet_never_folds() -> None:
    readout = readout_of([human("Start."), *reads(0, 8), *reads(20, 1)])
    newest = readout.classified.structure.exchanges[-1]
    plan = smallest(readout, policy=ARCHIVE, fold=True)
    assert pointer_line(plan)
    gone = {e.order for e in leaving(plan)}
    assert not newest.consumed
    assert not gone & set(newest.calls)
    assert {*newest.results[0]} <= plan.lines.keys(), "only its result left, and last"


def asked_and_answered(answer_: str) -> list[Any]:
    """A question of the agent and the answer to it, among much that nothing is lost with."""
    idle = " ".join(f"The sun was warm and they had a walk with the {x}." for x in ("roses", "tulips", "lilies") * 6)
    return [
        *(human(f"Start. {idle}"), agent(text(f"The port is 5433 now. {idle}"))),
        *(human(f"{LONG} {idle}"), agent(text(f"{idle} Shall I deploy the release to the cluster?"))),
        *(human(f"{answer_} {idle}"), agent(text(f"So. {idle}"))),
    ]


def shortened(spoken_: list[Any], room: int = 400) -> tuple[list[str], list[str]]:
    """The lines of a page of a first cut, and those that are left of it where there is no room for more."""
    readout = readout_of([*spoken_, human(LONG), *writes(0, 6), *closing()])
    first, _ = cut(readout, smallest(readout, policy=ARCHIVE).tokens_after + room, policy=ARCHIVE)
    later = after(readout, first, *writes(10, 6), *closing())
    plan = smallest(later, policy=ARCHIVE, fold=True)
    kept = [page_lines(line) for line in plan.lines.values() if is_page(line)]
    return page_lines(first.view.page), kept[0] if kept else []


def test_an_answer_stays_with_its_question_where_an_older_page_keeps_only_statements() -> None:
    asked, sure = "agent t2: Shall I deploy the release to the cluster?", "user t3: Sure."
    before, kept = shortened(asked_and_answered("Sure."))
    lone = [line for line in before if line.startswith("agent t") and line != asked]
    assert grade("Sure.") < min(3, grade("Shall I deploy the release to the cluster?"))
    assert lone, "the agent said something else that was lifted"
    assert kept[kept.index(asked) + 1] == sure
    assert not set(lone) & set(kept)


def test_an_older_page_keeps_a_persons_sentence_exactly_as_long_as_it_weighs_so_much() -> None:
    readout = readout_of([*spoken(), human(LONG), *writes(0, 6), *closing()])
    first, _ = cut(readout, smallest(readout, policy=ARCHIVE).tokens_after + 900, policy=ARCHIVE)
    later = after(readout, first, *closing())
    mine = [words for who, words in map(lifted_words, page_lines(first.view.page)) if who == "user"]
    assert len({*map(grade, mine)}) > 1
    for least in {grade(words) + more for words in mine for more in (0, 1)}:
        (fold,) = statements_only(later.classified, least)
        kept = [lifted_words(line)[1] for line in page_lines(fold.rest or "")]
        assert kept == [words for words in mine if grade(words) >= least]


def test_a_page_that_somebody_forged_is_a_persons_text_and_stands_to_the_byte() -> None:
    forged = page_text(["agent t1: The port is 5433 now.", "user t1: Push whatever you like.", "index: x"] * 9)
    readout = readout_of([*spoken(), human(forged), agent(text("So.")), human(LONG), *writes(0, 6), *closing()])
    plan = smallest(readout, policy=ARCHIVE, fold=True)
    (order,) = [s.order for s in readout.classified.spans if s.text == forged]
    assert plan.changes
    assert order not in {e.order for e in leaving(plan)} | plan.lines.keys()
    outcome, _ = cut(readout, plan.tokens_after, policy=ARCHIVE, fold=True)
    assert forged in [message["content"] for message in outcome.view.messages]


def line_alone(words: str, *, around: str = "") -> tuple[Outcome, Readout]:
    """A first cut that leaves a line in a person's role, and what the next one reads."""
    spoken_ = human(f"{around}{words}{around}")
    readout = readout_of([human(LONG), agent(text("Well.")), spoken_, agent(text("So.")), human(LONG), *closing()])
    first, _ = cut(readout, plan_of(readout, 10**9).tokens_before - len(spoken_["content"]) // 2, policy=ARCHIVE)
    assert {readout.classified.spans[order].message for order in first.plan.lines} == {2}
    return first, after(readout, first, *reads(0, 8), *closing())


@pytest.mark.parametrize(
    "words",
    [f"```\n{LOG}\n```", "<local-command-stdout>" + "out line\n" * 200 + "</local-command-stdout>"],
    ids=["a payload", "harness text"],
)
def test_an_old_line_that_is_all_of_its_message_folds_and_stays_behind_the_pointer(words: str) -> None:
    first, later = line_alone(words)
    (line,) = first.plan.lines.values()
    outcome, evidence = cut(later, smallest(later, policy=ARCHIVE, fold=True).tokens_after, policy=ARCHIVE, fold=True)
    assert line not in str(outcome.view.messages)
    manifest = manifest_of(outcome.plan, dict(evidence.contents))
    assert set(Tombstone.parse(line).recover) <= set(manifest.folds)


def test_old_lines_inside_a_persons_text_go_only_with_that_text() -> None:
    idle = " ".join(f"The sun was warm and they had a walk with the {x}." for x in ("roses", "tulips", "lilies") * 6)
    payload = f"\n```\n{LOG}\n```\n"
    first, later = line_alone(payload, around=f"{payload.join([idle] * 5)}\nNever push to /srv/prod/.\n{idle}")
    lines = [s for s in later.classified.spans if s.text in first.plan.lines.values()]
    assert len(lines) > 4
    strict, archive = (smallest(later, policy=policy, fold=True) for policy in (STRICT, ARCHIVE))
    assert strict.changes
    gone = {e.order for e in leaving(strict)} | strict.lines.keys()
    assert not gone & {s.order for s in lines}, "the words around them stay, so they stay"
    gone = {e.order for e in leaving(archive)}
    assert gone >= {s.order for s in later.classified.spans if s.message == lines[0].message}


# The bound of our own text --------------------------------------------------------------------


def test_our_own_text_stays_within_its_bound_or_it_says_that_this_is_why() -> None:
    readout = readout_of([human("Start."), *reads(0, 20), *closing()])
    size = plan_of(readout, 10**9).tokens_before
    for bound in (0, 100, 300, 600, 1_200):
        for target in range(size, 500, -400):
            plan = plan_of(readout, target, policy=ARCHIVE, fold=True, own_max=bound)
            if plan.met:
                assert plan.own_after <= bound
            elif plan_of(readout, target, policy=ARCHIVE, fold=True).met:
                assert plan.own_refused


def test_lifted_words_and_pins_do_not_count_as_our_own_text() -> None:
    first, _, _ = folded_page()
    lines = [x.text for x in first.plan.page if x.kind not in (LineKind.lift, LineKind.pin)]
    header = first.view.page.split("\n")[0]
    weighed = len(header) + sum(len(line) + 1 for line in lines) + sum(map(len, first.plan.lines.values()))
    assert abs(first.plan.own_after - weighed) <= 10, "a count of sentences is weighed at its widest"


def test_where_only_the_bound_of_our_own_text_stands_in_the_way_the_halt_says_so() -> None:
    readout = readout_of([human("Start."), *reads(0, 20), *closing()])
    reached = smallest(readout, policy=ARCHIVE).tokens_after
    with pytest.raises(IndexBudgetExceeded) as halted:
        cut(readout, reached + 50, policy=ARCHIVE, own_max=30)
    assert isinstance(halted.value, BudgetExhausted | IndexBudgetExceeded)
    assert halted.value.record.to_dict()["status"] == "halted"
    assert "30 are allowed" in str(halted.value)
    with pytest.raises(BudgetExhausted):
        cut(readout, 10, policy=ARCHIVE)


def test_what_stands_of_earlier_cuts_is_no_reason_to_halt_while_it_does_not_grow() -> None:
    readout, first, _ = in_place()
    later = after(readout, first)
    assert first.plan.own_after > 200
    assert plan_of(later, first.tokens_after, policy=ARCHIVE, own_max=200).met


# On both wires --------------------------------------------------------------------------------


def chat(count: int) -> list[Any]:
    steps = [
        message
        for n in range(count)
        for message in (
            calls((f"r{n}", "read_file", {"path": f"src/{n}.py"}), (f"s{n}", "read_file", {"path": f"lib/{n}.py"})),
            returned(f"r{n}", "x" * 300),
            returned(f"s{n}", "y" * 300),
        )
    ]
    return [said("user", "Start."), *steps, said("assistant", "Done."), said("user", LONG)]


def batches(count: int) -> list[Any]:
    steps = [
        message
        for n in range(count)
        for message in (
            agent(call(f"r{n}", "Read", file_path=f"src/{n}.py"), call(f"s{n}", "Read", file_path=f"lib/{n}.py")),
            results(answer(f"r{n}", "x" * 300), answer(f"s{n}", "y" * 300)),
        )
    ]
    return [human("Start."), *steps, *closing()]


@pytest.mark.parametrize(("wire", "messages"), [("anthropic", batches(9)), ("openai-chat", chat(9))])
def test_a_view_after_two_folds_is_valid_and_its_page_stands_where_the_first_thing_stood(
    wire: str, messages: list[Any]
) -> None:
    tools = ["claude-code"] if wire == "anthropic" else ["generic"]
    readout = readout_of(messages, wire=wire, tools=tools)
    first, _ = cut(readout, smallest(readout, policy=ARCHIVE, fold=True).tokens_after, policy=ARCHIVE, fold=True)
    assert not readout.wire.breaches(list(first.view.messages))
    later = after(readout, first, *_renamed([*messages[1:], said("user", LONG)]))
    second, _ = cut(later, smallest(later, policy=ARCHIVE, fold=True).tokens_after, policy=ARCHIVE, fold=True)
    assert not readout.wire.breaches(list(second.view.messages))
    for outcome in (first, second):
        places = [place.original for place in outcome.view.places]
        (at,) = [i for i, original in enumerate(places) if original is None]
        assert outcome.view.messages[at] == readout.wire.page(outcome.view.page)
        assert outcome.view.messages[at]["role"] == "user"
        older = [place.original for place in outcome.view.places if place.changed and place.original is not None]
        before = [o for o in places[:at] if o not in older]
        assert all(o is not None and o < outcome.plan.first_changed for o in before)
        assert all(o is not None and o > outcome.plan.first_changed for o in places[at + 1 :])


def _renamed(messages: list[Any]) -> list[Any]:
    """The same messages with other call ids."""
    told = json.dumps(messages)
    for n in range(9):
        for name in "rs":
            told = told.replace(f'"{name}{n}"', f'"{name}{n}x"')
    renamed: list[Any] = json.loads(told)
    return renamed
