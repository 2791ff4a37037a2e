"""A client that goes on from an older view: where the session goes on, and what of the older cut stands there."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cenotaph import Policy, Session, Tombstone, compact, rehydrate, verify
from cenotaph.api.told import standing_record
from cenotaph.core.lines import is_page
from cenotaph.core.model import Provenance
from cenotaph.errors import ConfigurationError
from cenotaph.runtime.replay import messages_before
from cenotaph.store.base import Store
from cenotaph.store.memory import MemoryStore
from cenotaph.store.opening import open_store
from independent_checker import Stored, check_records
from talk import agent, call, calls, human, result, returned, said, text

Messages = list[Any]
RULE = "Nothing is ever pushed to the branch of another team."
"""What no message says."""

_POINTER = re.compile(r"(?<![\w:./%-])cx:[0-9a-f]{6,}")
TARGET = 2_600
"""Tokens; each turn has about 1,000, so there is a cut every other turn."""


def anthropic_turn(n: int, of: str) -> Messages:
    """A turn that reads, runs and answers; the words of each turn and of each `of` are its own."""
    return [
        human(f"Task {of}{n}: make part {n} work and never touch vendor/{n}, whatever the linter says of {of}."),
        agent(call(f"{of}{n}r", "Read", file_path=f"src/{of}/{n}.py")),
        result(f"{of}{n}r", f"source line {of} of part {n}\n" * 90),
        agent(call(f"{of}{n}b", "Bash", command=f"make {of}{n}")),
        result(f"{of}{n}b", f"output {of} of build {n}\n" * 40),
        agent(text(f"Part {of}{n} works.")),
    ]


def chat_turn(n: int, of: str) -> Messages:
    """The same in the words of Chat Completions."""
    return [
        said("user", f"Task {of}{n}: make part {n} work and never touch vendor/{n}, whatever the linter says of {of}."),
        calls((f"{of}{n}r", "read_file", {"path": f"src/{of}/{n}.py"})),
        returned(f"{of}{n}r", f"source line {of} of part {n}\n" * 90),
        calls((f"{of}{n}b", "run_command", {"command": f"make {of}{n}"})),
        returned(f"{of}{n}b", f"output {of} of build {n}\n" * 40),
        said("assistant", f"Part {of}{n} works."),
    ]


@dataclass(frozen=True)
class Wire:
    """How a client of one wire format talks, and how its session is opened."""

    turn: Callable[[int, str], Messages]
    how: dict[str, Any]

    def opened(self, store: str | Store, tokens: int = TARGET) -> Session:
        return Session("s", store=store, to_tokens=tokens, policy=Policy.archive("test"), **self.how)

    def turns(self, first: int, last: int, of: str = "a") -> Messages:
        return [message for n in range(first, last) for message in self.turn(n, of)]


WIRES = {
    "anthropic": Wire(anthropic_turn, {"dialect": "anthropic", "tools": ["claude-code"]}),
    "openai-chat": Wire(chat_turn, {"dialect": "openai-chat", "tools": ["generic"], "binding": "none"}),
}


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    return WIRES[request.param]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


def shown(view: Any) -> str:
    return json.dumps(list(view))


def pointers(view: Any) -> set[str]:
    return set(_POINTER.findall(shown(view)))


@dataclass
class Seen:
    """What a client was shown by one cut: the view, the history that it stands for, the record."""

    view: Messages
    history: Messages
    record_id: str


def seen_cuts(wire: Wire, url: str, cuts: int) -> list[Seen]:
    """A session of so many cuts, whose client always takes the newest view."""
    session, seen, sent, history = wire.opened(url), list[Seen](), list[Any](), list[Any]()
    session.pin(RULE)
    for n in range(40):
        turn = wire.turn(n, "a")
        sent, history = [*sent, *turn], [*history, *turn]
        sent = list(session.view(sent))
        assert session.last is not None
        if session.last.plan is not None:
            assert session.last.record is not None
            seen.append(Seen(copy.deepcopy(sent), copy.deepcopy(history), session.last.record.record_id))
            if len(seen) == cuts:
                return seen
    raise AssertionError(f"{len(seen)} cuts")


def check_whole(url: str, name: str, view: Any) -> None:
    """Every pointer of the view resolves in the session, and all that the store promises holds, by two checks."""
    assert pointers(view)
    for pointer in pointers(view):
        assert rehydrate(pointer, store=url, session=name)
    assert verify(url, read_data=True).findings == ()
    assert check_records(Stored.read(Path(url.removeprefix("sqlite:///")), name)) == []


BACK = (1, 2, 5)


@pytest.mark.parametrize("back", BACK)
@pytest.mark.parametrize("restarted", [True, False], ids=["restarted", "same process"])
def test_a_client_that_goes_back_to_an_older_view_goes_on_in_a_fork_that_begins_at_its_cut(
    wire: Wire, url: str, back: int, restarted: bool
) -> None:
    seen = seen_cuts(wire, url, 7)
    older = seen[-1 - back]
    session = wire.opened(url)
    if not restarted:
        session.view(seen[-1].view)
        assert session.name == "s"
    fresh = wire.turns(90, 92, "b")
    view = session.view([*copy.deepcopy(older.view), *fresh])
    assert re.fullmatch(r"s~[0-9a-f]{8}", session.name)
    assert session.last is not None
    assert any(w.startswith("history-diverged") and session.name in w for w in session.last.warnings)
    (record,) = session.records()
    assert (record.parent["session"], record.parent["record_id"]) == ("s", older.record_id)
    assert messages_before(session.store, session.name, record.to_dict()) == [*older.history, *fresh]
    assert RULE in shown(view)
    assert shown(view).count(RULE) == 1
    check_whole(url, session.name, view)


@pytest.mark.parametrize("back", BACK)
def test_what_a_fork_takes_out_later_names_turns_from_the_beginning_and_folds_what_its_parent_took_out(
    wire: Wire, url: str, back: int
) -> None:
    seen = seen_cuts(wire, url, 7)
    older = seen[-1 - back]
    session, sent = wire.opened(url), copy.deepcopy(older.view)
    spoken = sum(message["role"] == "user" and isinstance(message["content"], str) for message in older.history)
    for n in range(8):
        sent = list(session.view([*sent, *wire.turn(n, "b")]))
    records = session.records()
    assert len(records) > 2
    assert {record.parent["record_id"] for record in records[:1]} == {older.record_id}
    lines = [t for record in records for item in record.tombstones for t in Tombstone.find(item["line"])]
    assert max(line.turn for line in lines if line.kind != "tombstones") > spoken
    check_whole(url, session.name, sent)
    for n in range(min(4, spoken - 1)):
        found = rehydrate(f"src/a/{n}.py", store=url, session=session.name)
        assert any(f"source line a of part {n}" in one.text for one in found)


@pytest.mark.parametrize("back", BACK)
@pytest.mark.parametrize("grown", [0, 3], ids=["as it was", "grown since"])
def test_the_same_older_view_asked_again_takes_up_the_same_fork(wire: Wire, url: str, back: int, grown: int) -> None:
    seen = seen_cuts(wire, url, 7)
    older, fresh = seen[-1 - back], wire.turns(90, 92, "b")
    first = wire.opened(url)
    view = first.view([*copy.deepcopy(older.view), *fresh])
    sessions = first.store.sessions()
    for _ in range(3):
        again = wire.opened(url)
        later = wire.turns(95, 95 + grown, "c")
        shown_again = again.view([*copy.deepcopy(older.view), *copy.deepcopy(fresh), *later])
        assert again.name == first.name
        if not grown:
            assert shown(shown_again) == shown(view)
        assert again.store.sessions() == sessions
        check_whole(url, again.name, shown_again)


def test_each_way_on_from_one_older_view_is_a_fork_of_its_own(wire: Wire, url: str) -> None:
    older = seen_cuts(wire, url, 4)[1]
    names = []
    for of in ("b", "c", "d", "b", "c"):
        session = wire.opened(url)
        view = session.view([*copy.deepcopy(older.view), *wire.turns(90, 92, of)])
        names.append(session.name)
        assert session.records()[0].parent["record_id"] == older.record_id
        check_whole(url, session.name, view)
    assert names[:2] == names[3:]
    assert len(set(names)) == 3


def test_two_ways_on_that_begin_alike_are_two_forks(wire: Wire, url: str) -> None:
    older = seen_cuts(wire, url, 4)[1]
    ways = {"one": wire.turns(90, 92, "b"), "other": [*wire.turn(90, "b"), *wire.turn(91, "c")]}
    names: dict[str, str] = {}
    for way, fresh in [*ways.items(), *ways.items()]:
        session = wire.opened(url)
        session.view([*copy.deepcopy(older.view), *fresh])
        assert names.setdefault(way, session.name) == session.name
        (record,) = session.records()
        assert messages_before(session.store, session.name, record.to_dict()) == [*older.history, *fresh]
    assert names["one"] != names["other"]


def test_a_fork_is_forked_in_its_turn_and_reaches_all_that_left_before(wire: Wire, url: str) -> None:
    older = seen_cuts(wire, url, 4)[1]
    session, sent, seen = wire.opened(url), copy.deepcopy(older.view), list[Messages]()
    for n in range(8):
        sent = list(session.view([*sent, *wire.turn(n, "b")]))
        seen += [copy.deepcopy(sent)] if session.last is not None and session.last.plan is not None else []
    assert len(seen) > 2
    child = session.name
    for _ in range(2):
        again = wire.opened(url)
        view = again.view([*copy.deepcopy(seen[0]), *wire.turns(90, 92, "c")])
        assert again.name.startswith(f"{child}~")
        assert again.records()[0].parent["session"] == child
        check_whole(url, again.name, view)
        found = rehydrate("src/a/1.py", store=url, session=again.name)
        assert any("source line a of part 1" in one.text for one in found)


@pytest.mark.parametrize("back", BACK)
@pytest.mark.parametrize("restarted", [True, False], ids=["restarted", "same process"])
def test_an_older_view_with_all_that_came_since_is_the_same_history_and_no_fork(
    wire: Wire, url: str, back: int, restarted: bool
) -> None:
    seen = seen_cuts(wire, url, 7)
    older, newest = seen[-1 - back], seen[-1]
    since = newest.history[len(older.history) :]
    session = wire.opened(url)
    if not restarted:
        session.view(newest.view)
    assert shown(session.view([*copy.deepcopy(older.view), *since])) == shown(newest.view)
    assert (session.name, session.store.sessions()) == ("s", ["s"])
    assert session.last is not None
    assert not any(w.startswith("history-diverged") for w in session.last.warnings)


class Counting(MemoryStore):
    """A store in memory that counts how often it is asked for an object or for records."""

    asked = 0

    def get(self, session: str, handle: str) -> bytes | None:
        self.asked += 1
        return super().get(session, handle)

    def records(self, session: str, *, start: int = 0, count: int | None = None) -> list[dict[str, Any]]:
        self.asked += 1
        return super().records(session, start=start, count=count)


def test_a_client_that_takes_a_view_for_its_history_is_followed_through_every_later_cut(wire: Wire) -> None:
    """It took one view, and sends that with all that came since, whatever it is shown; the store is not asked."""
    store, sent, history = Counting(), list[Any](), list[Any]()
    first = wire.opened(store)
    for n in range(4):
        history += wire.turn(n, "a")
        sent = list(first.view(history))
    session, cuts = wire.opened(store), 0
    view: Any = session.view(sent)
    store.asked = 0
    objects = {id(message) for message in sent}
    for n in range(4, 14):
        turn = wire.turn(n, "a")
        objects |= {id(message) for message in turn}
        sent, history = [*sent, *turn], [*history, *turn]
        view = session.view(sent)
        assert session.last is not None
        cuts += session.last.plan is not None
        assert session.name == "s"
        sent_forms = {json.dumps(message) for message in sent}
        assert all(id(one) in objects for one in view if json.dumps(one) in sent_forms)
    assert cuts > 3
    assert store.asked == 0
    assert wire.opened(store).view(sent) == view
    record = standing_record(store.records("s"))
    assert record is not None
    before = messages_before(store, "s", record)
    assert history[: len(before)] == before


def test_a_client_may_change_from_its_old_view_to_the_newest_one_and_back(wire: Wire) -> None:
    store, history = MemoryStore(), list[Any]()
    session = wire.opened(store)
    for n in range(4):
        history += wire.turn(n, "a")
        view = list(session.view(history))
    old, session = view, wire.opened(store)
    since: Messages = []
    for n in range(4, 16):
        since += wire.turn(n, "a")
        sent = [[*old, *since], [*view, *wire.turn(n, "a")], [*history, *since]][n % 3]
        view = list(session.view(sent))
        assert (session.name, store.sessions()) == ("s", ["s"])
    records = store.records("s")
    assert len(records) > 5
    assert messages_before(store, "s", records[-1]) == [*history, *since]


# Undo ------------------------------------------------------------------------------------------


def test_an_older_view_after_an_undo_goes_on_where_it_still_stands(wire: Wire, url: str) -> None:
    seen = seen_cuts(wire, url, 4)
    session = wire.opened(url)
    session.view(seen[-1].view)
    session.undo()
    session.undo()
    view = session.view([*seen[1].view, *wire.turns(90, 92, "b")])
    assert (session.name, session.store.sessions()) == ("s", ["s"])
    check_whole(url, "s", view)


def test_a_view_whose_cut_was_taken_back_goes_on_in_a_fork_from_that_cut(wire: Wire, url: str) -> None:
    seen = seen_cuts(wire, url, 4)
    session = wire.opened(url)
    session.view(seen[-1].view)
    session.undo()
    fresh = wire.turns(90, 92, "b")
    names = set()
    for _ in range(2):
        again = wire.opened(url)
        view = again.view([*copy.deepcopy(seen[-1].view), *copy.deepcopy(fresh)])
        names.add(again.name)
        assert again.name != "s"
        assert again.records()[0].parent["record_id"] == seen[-1].record_id
        check_whole(url, again.name, view)
    assert len(names) == 1


def test_what_a_fork_has_cut_may_be_taken_back_and_is_cut_anew_in_the_fork(wire: Wire, url: str) -> None:
    seen = seen_cuts(wire, url, 4)
    older, fresh = seen[1], wire.turns(90, 92, "b")
    session = wire.opened(url)
    session.view([*copy.deepcopy(older.view), *fresh])
    child = session.name
    earlier = session.undo()
    assert earlier == [*older.history, *fresh]
    again = wire.opened(url)
    view = again.view([*earlier, *wire.turn(93, "b")])
    assert again.name == child
    assert [("undo" in r.to_dict().get("control", {})) for r in again.records()] == [False, True, False]
    check_whole(url, child, view)


def test_a_pin_in_a_fork_that_was_not_cut_yet_is_there_when_it_goes_on(wire: Wire, url: str) -> None:
    older = seen_cuts(wire, url, 4)[1]
    session = wire.opened(url, 10**9)
    sent = [*copy.deepcopy(older.view), *wire.turn(90, "b")]
    session.view(sent)
    session.pin("Only in this fork.")
    assert session.records()[0].parent["record_id"] == older.record_id
    again = wire.opened(url)
    view = again.view([*sent, *wire.turns(91, 93, "b")])
    assert again.name == session.name
    assert "Only in this fork." in shown(view)
    assert RULE in shown(view)
    check_whole(url, again.name, view)
    assert "Only in this fork." not in shown(wire.opened(url).view(seen_again(wire, url)))


def seen_again(wire: Wire, url: str) -> Messages:
    """The whole history of the session itself, grown by two turns."""
    store = open_store(url)
    record = standing_record(store.records("s"))
    assert record is not None
    return [*messages_before(store, "s", record), *wire.turns(40, 42)]


# Copies ----------------------------------------------------------------------------------------


def pages_at(view: Messages) -> list[int]:
    return [n for n, message in enumerate(view) if isinstance(message["content"], str) and is_page(message["content"])]


def believed_pages(session: Session) -> list[bool]:
    """For each page in what was read whether it is ours."""
    assert session.last is not None
    pages = [span for span in session.last.readout.classified.spans if is_page(span.text)]
    return [span.provenance is Provenance.compactor for span in pages]


def strange(session: Session) -> bool:
    assert session.last is not None
    return any(warning.startswith("unverified-marker") for warning in session.last.warnings)


@pytest.mark.parametrize("undone", [True, False], ids=["after an undo", "while it stands"])
@pytest.mark.parametrize("behind", [0, 1, 6])
def test_a_page_that_is_copied_to_another_place_is_not_ours(wire: Wire, url: str, undone: bool, behind: int) -> None:
    """Neither in the history of the session nor in another one that has nothing else of the view."""
    seen = seen_cuts(wire, url, 6)[-1]
    (at, *_) = pages_at(seen.view)
    session = wire.opened(url)
    session.view(seen.view)
    history = seen.history if not undone else session.undo()
    first = history if undone else [wire.turn(50, "x")[0], wire.turn(50, "x")[-1], *history]
    place = at + 1 + behind
    copied = [*first[:place], copy.deepcopy(seen.view[at]), *first[place:]]
    later = wire.opened(url, 10**9)
    later.view(copied)
    assert strange(later)
    assert believed_pages(later) == [False]


@pytest.mark.parametrize("undone", [True, False], ids=["after an undo", "while it stands"])
def test_a_page_behind_the_view_that_holds_it_is_a_copy(wire: Wire, url: str, undone: bool) -> None:
    seen = seen_cuts(wire, url, 6)[-1]
    (at, *_) = pages_at(seen.view)
    if undone:
        session = wire.opened(url)
        session.view(seen.view)
        session.undo()
    later = wire.opened(url, 10**9)
    later.view([*seen.view, *wire.turn(50, "x"), copy.deepcopy(seen.view[at])])
    assert strange(later)
    assert believed_pages(later) == [True] * len(pages_at(seen.view)) + [False]


def test_a_page_keeps_its_place_in_a_view_whose_system_text_was_changed(url: str) -> None:
    """So a client that brings its first message up to date loses nothing."""
    wire = WIRES["openai-chat"]
    session, sent = wire.opened(url), [said("system", "It is Monday.")]
    session.pin(RULE)
    for n in range(16):
        sent = list(session.view([*sent, *wire.turn(n, "a")]))
    assert pages_at(sent)
    changed = [said("system", "It is Tuesday."), *sent[1:], *wire.turn(50, "b")]
    later = wire.opened(url, 10**9)
    later.view(changed)
    assert not strange(later)
    assert believed_pages(later) == [True] * len(pages_at(changed))
    for pointer in pointers(changed):
        assert rehydrate(pointer, store=url, session="s")


# Any order -------------------------------------------------------------------------------------


class AnyOrder(RuleBasedStateMachine):
    """Turns, old views, restarts, undos and pins in any order; what a view stands for is never lost.

    For every view the client remembers the history that it stands for. Whatever it goes on from, what the
    store rebuilds of the cuts is the beginning of that history, and every pointer resolves.
    """

    wire: Wire

    def __init__(self) -> None:
        super().__init__()
        self.store: Store = MemoryStore()
        self.session = self.wire.opened(self.store)
        self.sent: Messages = []
        self.history: Messages = []
        self.views: list[tuple[Messages, Messages]] = []
        self.view: Messages = []
        self.shown_in = "s"
        self.number = 0
        self.pins: list[str] = []

    @rule(turns=st.integers(1, 3), adopts=st.booleans())
    def speak(self, turns: int, adopts: bool) -> None:
        for _ in range(turns):
            self.number += 1
            turn = self.wire.turn(self.number, "a")
            self.sent, self.history = [*self.sent, *turn], [*self.history, *turn]
            self.view, self.shown_in = list(self.session.view(self.sent)), self.session.name
            if self.session.last is not None and self.session.last.plan is not None:
                assert [pin for pin in self.pins if pin not in shown(self.view)] == []
            self.views.append((copy.deepcopy(self.view), copy.deepcopy(self.history)))
            if adopts:
                self.sent = self.view

    @precondition(lambda self: self.views)
    @rule(back=st.integers(0, 8), grown=st.booleans())
    def go_back(self, back: int, grown: bool) -> None:
        """To a view, perhaps with what came since as far as another one shows it."""
        view, history = self.views[max(0, len(self.views) - 1 - back)]
        later = next((h for _, h in reversed(self.views) if h[: len(history)] == history), history)
        self.sent, self.history = copy.deepcopy(view), copy.deepcopy(history)
        if grown:
            self.sent, self.history = [*self.sent, *copy.deepcopy(later[len(history) :])], copy.deepcopy(later)

    @rule()
    def restart(self) -> None:
        self.session = self.wire.opened(self.store)

    @precondition(lambda self: self.view)
    @rule()
    def undo(self) -> None:
        try:
            back = self.session.undo()
        except ConfigurationError:
            return
        self.sent = self.history = back

    @precondition(lambda self: self.view and self.session.last is not None and len(self.pins) < 3)
    @rule()
    def pin(self) -> None:
        if self.session.name == "s":
            self.pins.append(f"Pinned as number {len(self.pins)}.")
            self.session.pin(self.pins[-1])

    @invariant()
    def all_pointers_resolve(self) -> None:
        for pointer in pointers(self.view):
            assert rehydrate(pointer, store=self.store, session=self.shown_in)

    @invariant()
    def the_store_rebuilds_what_was_said(self) -> None:
        if self.session.last is not None and self.session.last.plan is not None:
            record = self.session.last.record
            assert record is not None
            before = messages_before(self.store, self.session.last.session, record.to_dict())
            known = [history for _, history in self.views if history[: len(before)] == before]
            assert known

    def teardown(self) -> None:
        assert verify(self.store, read_data=True).findings == ()


class AnyOrderAnthropic(AnyOrder):
    wire = WIRES["anthropic"]


class AnyOrderChat(AnyOrder):
    wire = WIRES["openai-chat"]


TestAnyOrderAnthropic = AnyOrderAnthropic.TestCase
TestAnyOrderChat = AnyOrderChat.TestCase
for case in (TestAnyOrderAnthropic, TestAnyOrderChat):
    case.settings = settings(max_examples=12, stateful_step_count=12, deadline=None)


def test_compact_takes_up_the_same_fork_as_a_session(wire: Wire, url: str) -> None:
    older = seen_cuts(wire, url, 4)[1]
    sent = [*copy.deepcopy(older.view), *wire.turns(90, 92, "b")]
    session = wire.opened(url)
    view = session.view(sent)
    how = {"to_tokens": TARGET, "policy": Policy.archive("test"), "store": url, "session": "s", **wire.how}
    assert shown(compact(copy.deepcopy(sent), **how).messages) == shown(view)
    assert compact(copy.deepcopy(sent), **how).session == session.name
