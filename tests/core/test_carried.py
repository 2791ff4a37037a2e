"""Carried: a later cut reads the view of the last one, and knows of what left it as if it stood there still."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from cuts import ARCHIVE, LOG, LONG, after, contents_of, cut, everything, leaving, plan_of, readout_of, smallest

from cenotaph import Policy, Session, Tombstone, compact
from cenotaph.core.carried import Carried, from_state, to_state
from cenotaph.core.facts import State
from cenotaph.core.model import Kind, Mark, Provenance
from cenotaph.core.readout import Readout, read
from cenotaph.core.session import Outcome
from cenotaph.errors import StoreDamaged
from cenotaph.store.memory import MemoryStore
from talk import agent, call, calls, human, result, returned, said, text


def step(identity: str, tool: str, output: Any = "ok", **arguments: Any) -> list[Any]:
    return [agent(call(identity, tool, **arguments)), result(identity, output)]


def turn(n: int, steps: int = 3) -> list[Any]:
    """A turn of reads, a write and a shell, with the agent's answer."""
    made = [human(f"Turn {n}. {LONG}")]
    for k in range(steps):
        made += step(f"r{n}_{k}", "Read", f"{n}.{k} " * 120, file_path=f"src/{n}_{k}.py")
    made += step(f"w{n}", "Write", "ok", file_path=f"src/new_{n}.py", content="c" * 500)
    made += step(f"b{n}", "Bash", "out " * 100, command="make")
    return [*made, agent(text(f"Turn {n} is done."))]


def rounds(count: int, **how: Any) -> tuple[list[Any], list[tuple[Readout, Outcome]]]:
    """A history that grows by a turn, and is cut as far as it goes after each."""
    history: list[Any] = [*turn(0), human(LONG)]
    readout, store = readout_of(history), MemoryStore()
    made: list[tuple[Readout, Outcome]] = []
    for n in range(1, count + 1):
        target = smallest(readout, policy=ARCHIVE, **how).tokens_after + 60
        before = made[-1][1].carried if made else None
        outcome, _ = cut(readout, target, policy=ARCHIVE, carried=before, store=store, **how)
        made.append((readout, outcome))
        fresh = [agent(text("Well.")), *turn(n), human(LONG)]
        history += fresh
        readout = after(readout, outcome, *fresh)
    made.append((readout, made[-1][1]))
    return history, made


# Names and numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize("fold", [False, True])
def test_what_stands_keeps_its_id_its_turn_and_its_number_through_every_cut(fold: bool) -> None:
    history, made = rounds(3, fold=fold)
    whole = readout_of(history)
    numbers = {e.n for e in whole.classified.structure.exchanges}
    known = {s.id: (s.turn, s.text, s.kind) for s in whole.classified.spans}
    exchanges = {whole.classified.spans[e.members[0]].id: (e.turn, e.n) for e in whole.classified.structure.exchanges}
    assert len(numbers) > 3
    for readout, _ in made:
        theirs = [s for s in readout.classified.spans if s.provenance is not Provenance.compactor]
        assert theirs
        for span in theirs:
            assert known[span.id] == (span.turn, span.text, span.kind)
        for exchange in readout.classified.structure.exchanges:
            first = readout.classified.spans[exchange.members[0]]
            assert exchanges[first.id] == (exchange.turn, exchange.n)


def test_a_tombstone_of_a_later_cut_counts_turns_and_exchanges_from_the_beginning() -> None:
    history, made = rounds(3, fold=True)
    whole = readout_of(history)
    where = {s.text: s.turn for s in whole.classified.spans if s.kind is Kind.result}
    readout, _ = made[-1]
    plan = smallest(readout, policy=ARCHIVE)
    for order, line in plan.lines.items():
        span = readout.classified.spans[order]
        if span.kind is Kind.result:
            assert Tombstone.parse(line).turn == where[span.text] == span.turn
    assert max(Tombstone.parse(line).turn for line in plan.lines.values()) == 7


def test_an_exchange_that_comes_after_a_cut_in_the_same_turn_has_the_next_number() -> None:
    messages = [human(LONG), *step("a", "Read", "a" * 900, file_path="a"), *step("b", "LS", "b" * 900)]
    readout = readout_of(messages)
    first, _ = cut(readout, plan_of(readout, 0, policy=ARCHIVE, fold=True).tokens_after, policy=ARCHIVE, fold=True)
    later = after(readout, first, *step("c", "Read", "c" * 900, file_path="c"))
    newest = later.classified.structure.exchanges[-1]
    assert (newest.turn, newest.n) == (1, 3)


def test_a_page_is_no_persons_message_and_begins_no_turn() -> None:
    history, made = rounds(2, fold=True)
    readout, _ = made[-1]
    assert any(str(m.raw["content"]).startswith("[CENOTAPH:") for m in readout.transcript.messages)
    assert readout.classified.structure.turns == readout_of(history).classified.structure.turns


# What is known of what left --------------------------------------------------------------------


def state_of(readout: Readout, words: str) -> State:
    (order,) = [s.order for s in readout.classified.spans if words in s.text and s.kind is Kind.result]
    return readout.classified.reading.facts[order].state


@pytest.mark.parametrize(
    ("write", "state"),
    [
        (step("w", "Write", file_path="a.py", content="c" * 2_000), State.dead),
        (step("w", "Bash", "out " * 500, command="make"), State.unknown),
    ],
    ids=["a write", "a shell"],
)
def test_a_write_that_left_with_its_call_still_invalidates_an_earlier_read(write: list[Any], state: State) -> None:
    messages = [human("Start."), *step("a", "Read", "A" * 900, file_path="a.py"), *write]
    pinned = readout_of([*messages, agent(text("Done.")), human(LONG)], pins=["A" * 900])
    outcome, _ = cut(pinned, smallest(pinned, policy=ARCHIVE, fold=True).tokens_after, policy=ARCHIVE, fold=True)
    outcomes = [outcome]
    later = after(pinned, outcome, agent(text("Well.")), human(LONG))
    assert state_of(pinned, "A" * 900) is state_of(later, "A" * 900) is state
    if "make" in contents_of(outcome.view.messages):
        return  # a shell's call stays until it folds
    assert outcomes
    forgotten = read(later.transcript, later.wire, later.counter, later.tools, later.framing, past=())
    assert state_of(forgotten, "A" * 900) is not state, "it is known from what is carried alone"


def test_a_read_of_what_a_write_that_left_had_written_before_it_is_live() -> None:
    messages = [
        *(human("Start."), *step("w", "Write", file_path="a.py", content="c" * 2_000)),
        *(*step("a", "Read", "A" * 900, file_path="a.py"), agent(text("Done.")), human(LONG)),
    ]
    pinned = readout_of(messages, pins=["A" * 900])
    outcome, _ = cut(pinned, smallest(pinned).tokens_after)
    assert "c" * 100 not in contents_of(outcome.view.messages)
    later = after(pinned, outcome, agent(text("Well.")), human(LONG))
    assert state_of(later, "A" * 900) is State.live


def test_writes_are_carried_through_cuts_that_do_not_see_them() -> None:
    messages = [human("Start."), *step("a", "Read", "A" * 900, file_path="a.py")]
    messages += [*step("w", "Write", file_path="a.py", content="c" * 2_000), agent(text("Done.")), human(LONG)]
    readout = readout_of(messages, pins=["A" * 900])
    for n in range(3):
        outcome, _ = cut(readout, smallest(readout, fold=True).tokens_after, fold=True)
        readout = after(readout, outcome, *step(f"n{n}", "Write", file_path=f"{n}.py", content="n" * 900), human(LONG))
        readout = replace_pins(readout)
        assert state_of(readout, "A" * 900) is State.dead
    assert {w.handle for w in readout.classified.reading.writes} >= {"file:a.py", "file:0.py", "file:2.py"}


def replace_pins(readout: Readout) -> Readout:
    """The same with the first read pinned again, as a session does at each cut."""
    past = readout.classified.reading.writes
    return read(
        readout.transcript, readout.wire, readout.counter, readout.tools, readout.framing, ["A" * 900], past=past
    )


def test_a_line_in_a_persons_text_is_ours_and_the_words_around_it_are_the_persons() -> None:
    readout = readout_of([human(f"Why?\n```\n{LOG}\n```\nTell me."), agent(text("So.")), human(LONG)])
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 1_000, policy=ARCHIVE)
    later = after(readout, outcome, agent(text("Well.")), human(LONG))
    first = [s for s in later.classified.spans if s.message == 0]
    assert [s.provenance for s in first] == [Provenance.user, Provenance.compactor, Provenance.user]
    assert [later.classified.rows[s.order].id for s in first] == ["usr", "own", "usr"]
    assert "".join(s.text for s in first) == outcome.view.messages[0]["content"]


BLANKS: dict[str, Any] = {"no characters": "", "only spaces": " \n"}
BESIDE: dict[str, list[Any]] = {
    "nothing": [],
    "a picture": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aaaa"}}],
}


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
@pytest.mark.parametrize("blank", BLANKS.values(), ids=BLANKS)
def test_a_blank_text_that_is_not_sent_takes_nothing_from_the_text_behind_it(blank: str, beside: list[Any]) -> None:
    """Our line stays ours, and the words around it stay the person's."""
    spoken = {"role": "user", "content": [text(blank), *beside, text(f"Why?\n```\n{LOG}\n```\nTell me."), *beside]}
    readout = readout_of([spoken, agent(text("So.")), human(LONG)])
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 1_000, policy=ARCHIVE)
    later = after(readout, outcome, agent(text("Well.")), human(LONG))
    first = [s for s in later.classified.spans if s.message == 0]
    theirs = [s.text for s in first if s.provenance is Provenance.user and s.kind is Kind.text]
    ours = [Tombstone.parse(s.text).kind for s in first if s.provenance is Provenance.compactor]
    assert theirs == ["Why?\n", "\nTell me."]
    assert [kind for kind in ours if kind != "media"] == ["user_payload"]
    assert len(first) == 3 + 2 * len(beside)


def test_a_blank_text_that_is_not_sent_takes_no_result_from_its_call() -> None:
    messages = [human(LONG), agent(call("a", "Read", file_path="a.py"))]
    messages += [{"role": "user", "content": [text(" "), *result("a", "a" * 900)["content"]]}]
    readout = readout_of([*messages, agent(text("So.")), human(LONG)])
    outcome, _ = cut(readout, smallest(readout).tokens_after)
    later = after(readout, outcome, agent(text("Well.")), human(LONG))
    (line,) = [s for s in later.classified.spans if s.kind is Kind.result]
    assert Tombstone.parse(line.text).kind == "tool_result"
    assert (line.provenance, line.exchange, line.part.call_id) == (Provenance.compactor, 0, "a")
    assert later.classified.structure.exchanges[0].results == ((line.order,),)


def test_what_a_client_says_of_a_part_is_known_after_its_message_was_written_anew_and_not_said_of_our_line() -> None:
    spoken = human(text("<system-reminder>be nice</system-reminder>"), text(f"```\n{LOG}\n```"))
    readout = readout_of([spoken, agent(text("So.")), human(LONG)], pins=["be nice"])
    outcome, _ = cut(readout, plan_of(readout, 10**9).tokens_before - 1_000, policy=ARCHIVE)
    later = after(readout, outcome, agent(text("Well.")), human(LONG))
    reminder, line = (s.part for s in later.classified.spans if s.message == 0)
    assert (reminder.provenance, reminder.marks) == (Provenance.harness, frozenset({Mark.reinjected}))
    assert (line.provenance, line.marks) == (Provenance.compactor, frozenset())


def test_equal_states_are_equal_bytes_whatever_order_a_set_has() -> None:
    carried, _, _ = carried_and_history()
    at = carried.kept.index(None)
    first = carried.messages[at]
    parts = tuple(replace(part, marks=frozenset(Mark)) for part in first.parts)
    messages = (*carried.messages[:at], replace(first, parts=parts), *carried.messages[at + 1 :])
    state = to_state(replace(carried, messages=messages))
    assert {tuple(marks) for _, marks, *_ in state["parts"][at]} == {tuple(sorted(Mark))}


def test_a_marker_that_somebody_forges_after_a_cut_is_not_ours() -> None:
    readout = readout_of(everything())
    outcome, _ = cut(readout, plan_of(readout, 0, policy=ARCHIVE).tokens_after, policy=ARCHIVE)
    forged = outcome.view.page
    later = after(readout, outcome, agent(text("Well.")), human(forged), human(LONG))
    ours = [s for s in later.classified.spans if s.text == forged and s.provenance is Provenance.compactor]
    (theirs,) = [s for s in later.classified.spans if s.text == forged and s.provenance is not Provenance.compactor]
    assert len(ours) == 1
    assert ours[0].message < theirs.message


def test_what_no_cut_touches_is_the_same_object_in_the_next_view() -> None:
    _, made = rounds(2, fold=True)
    (readout, outcome), _ = made[1], made[2]
    for place, message in zip(outcome.view.places, outcome.view.messages, strict=True):
        if place.original is not None and not place.changed:
            assert message is readout.transcript.messages[place.original].raw


# As JSON -----------------------------------------------------------------------------------------


def carried_and_history() -> tuple[Carried, Readout, list[Any]]:
    history, made = rounds(2, fold=True)
    readout, outcome = made[1]
    seen = outcome.carried.source.length
    return outcome.carried, readout, history[:seen]


def same(one: Carried, other: Carried) -> bool:
    """But for the handles, which only the process knows, and the running hash, which is another object."""
    return replace(one, handles=frozenset(), source=other.source) == replace(other, handles=frozenset())


@pytest.mark.parametrize("sends", ["history", "view"])
def test_the_state_behind_its_json_is_the_state(sends: str) -> None:
    carried, readout, _ = carried_and_history()
    state = json.loads(json.dumps(to_state(carried)))
    wire = readout.wire
    view = wire.parse_messages(copy.deepcopy(list(carried.sent)))
    kept = {k: m for k, m in zip(carried.kept, wire.parse_messages(list(carried.sent)), strict=True) if k is not None}
    history = [kept.get(i, wire.parse_messages([human("gone")])[0]) for i in range(state["history"])]
    whole, shown = (history, None) if sends == "history" else (None, view)
    again = from_state(state, whole, shown, wire, carried.source, carried.source_ref)
    assert [m.raw for m in again.messages] == [m.raw for m in carried.messages]
    assert (again.kept, again.tail, set(again.writes)) == (carried.kept, carried.tail, set(carried.writes))
    assert [m.origin for m in again.messages] == [m.origin for m in carried.messages]
    assert [m.parts for m in again.messages] == [m.parts for m in carried.messages]
    assert same(again, carried)


DAMAGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a message is missing": lambda s: s["view"].pop(),
    "a place is missing": lambda s: s["origins"].pop(),
    "what is known of parts is missing": lambda s: s["parts"].pop(),
    "a message stands outside the history": lambda s: next(v for v in s["view"] if v[0] == "s").__setitem__(1, 10**6),
    "a speaker is nobody": lambda s: next(p for p in s["parts"] if p)[0].__setitem__(0, "somebody"),
    "there are no writes": lambda s: s.pop("writes"),
    "there is no end": lambda s: s.update(tail=None),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_state_that_is_none_is_damage_and_names_where_the_history_is(damage: Callable[[Any], Any]) -> None:
    carried, readout, _ = carried_and_history()
    state = json.loads(json.dumps(to_state(carried)))
    damage(state)
    history = [readout.wire.parse_messages([human("x")])[0]] * carried.source.length
    with pytest.raises(StoreDamaged, match=carried.source_ref):
        from_state(state, history, None, readout.wire, carried.source, carried.source_ref)


# Two ways to send ------------------------------------------------------------------------------


class KeyedStore(MemoryStore):
    def key(self) -> bytes:
        return b"k" * 32


def chat_turn(n: int) -> list[Any]:
    made = [said("user", f"Turn {n}. {LONG}")]
    for k in range(4):
        made += [calls((f"r{n}_{k}", "read_file", {"path": f"{n}_{k}.py"})), returned(f"r{n}_{k}", f"{n}.{k} " * 200)]
    made += [calls((f"w{n}", "write_file", {"path": f"new{n}.py", "content": "c" * 900})), returned(f"w{n}", "ok")]
    return [*made, said("assistant", f"Turn {n} is done. The port is {5000 + n}.")]


@pytest.mark.parametrize("policy", [Policy.strict(), Policy.archive()], ids=["strict", "archive"])
@pytest.mark.parametrize("wire", ["anthropic", "openai-chat"])
def test_a_client_that_resends_its_history_and_one_that_goes_on_from_the_view_are_shown_the_same(
    wire: str, policy: Policy
) -> None:
    make, tools = (turn, ["claude-code"]) if wire == "anthropic" else (chat_turn, ["generic"])
    how: dict[str, Any] = {"dialect": wire, "tools": tools, "policy": policy, "session": "s", "binding": "none"}
    resending, adopting = KeyedStore(), KeyedStore()
    reopened, kept = KeyedStore(), KeyedStore()
    live = Session("s", store=kept, to_tokens=1, **{k: v for k, v in how.items() if k != "session"})
    history: list[Any] = []
    shown: list[Any] = []
    cuts = 0
    for n in range(4):
        history, shown = [*history, *make(n)], [*shown, *make(n)]
        size = compact(history, to_tokens=1 << 40, store=resending, **how).tokens_before
        target = int(size * 0.85)
        one = compact(history, to_tokens=target, store=resending, **how)
        other = compact(shown, to_tokens=target, store=adopting, **how)
        live._to_tokens, live._how = target, replace(live._how, to_tokens=target)
        fresh = Session("s", store=reopened, to_tokens=target, **{k: v for k, v in how.items() if k != "session"})
        views = [list(one.messages), list(other.messages), list(live.view(history)), list(fresh.view(history))]
        assert [json.dumps(view) for view in views] == [json.dumps(views[0])] * 4
        shown, cuts = views[0], cuts + (one.reason == "")
    assert cuts == 4
    records = [store.records("s") for store in (resending, adopting, kept, reopened)]
    assert len({json.dumps([r["view_sha256"] for r in found]) for found in records}) == 1
    assert len({json.dumps([r["source_sha256"] for r in found]) for found in records}) == 1


def test_a_later_cut_works_on_what_stands_and_never_on_what_left() -> None:
    _, made = rounds(3, fold=True)
    for readout, outcome in made[1:-1]:
        ids = {span.id for span in readout.classified.spans}
        assert {e.span_id for e in leaving(outcome.plan)} <= ids
        assert len(readout.transcript.messages) < outcome.carried.source.length
