"""A person's hand on a session: pins, releases, undo, hand-offs, hooks, forks, and what outlives a process."""

from __future__ import annotations

import copy
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cenotaph import (
    Budget,
    BudgetExhausted,
    IrreversibleCompactionError,
    Policy,
    Session,
    Tombstone,
    compact,
    open_store,
    verify,
)
from cenotaph.api.compacting import Proposal
from cenotaph.errors import ConfigurationError, StoreConflict
from independent_checker import Stored, check_records
from talk import agent, call, human, result, text

Messages = list[Any]
CODE: dict[str, Any] = {"tools": ["claude-code"], "dialect": "anthropic"}
TESTS = Path(__file__).parent

RULE = "Nobody deploys on a Friday, whatever the ticket says."
"""What no message says."""


def turns(first: int, last: int) -> Messages:
    """Turns that each read, run, write and answer; the words of each are its own."""
    messages: Messages = []
    for n in range(first, last):
        messages += [
            human(f"Task {n}: make part {n} work and leave vendor/{n} alone, whatever the linter says of it."),
            agent(text(f"I read part {n}."), call(f"{n}r", "Read", file_path=f"src/{n}.py")),
            result(f"{n}r", f"source line of part {n}\n" * 120),
            agent(call(f"{n}b", "Bash", command=f"make {n}")),
            result(f"{n}b", f"output of build {n}\n" * 40),
            agent(call(f"{n}w", "Write", file_path=f"out/{n}.py", content=f"written {n}\n" * 60)),
            result(f"{n}w", "written"),
            agent(text(f"Part {n} works; vendor/{n} is as it was.")),
        ]
    return messages


def size(messages: Messages) -> int:
    return compact(messages, to_tokens=10**9, **CODE).tokens_before


def shown(view: Any) -> str:
    return json.dumps(list(view))


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


@pytest.fixture
def messages() -> Messages:
    return turns(0, 4)


@pytest.fixture
def target(messages: Messages) -> int:
    """A cut to it takes reads and writes; a strict one can reach it."""
    return int(size(messages) * 0.6)


def acting(url: str, tokens: int, **how: Any) -> Session:
    return Session("s", store=url, to_tokens=tokens, **{**CODE, **how})


def holds(url: str) -> bool:
    """Everything that the store promises holds, by our own check and by one that trusts nothing of ours."""
    store = open_store(url, existing=True)
    try:
        assert verify(store, read_data=True).findings == ()
        file = Path(url.removeprefix("sqlite:///"))
        return all(check_records(Stored.read(file, name)) == [] for name in store.sessions())
    finally:
        store.close()


def elsewhere(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a process of its own; `words` are its arguments."""
    head = "import json, sys\nfrom test_control import *\nurl, *words = sys.argv[1:]\n"
    return subprocess.run(
        [sys.executable, "-c", head + code, *words],
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def answer(code: str, *words: str) -> Any:
    """What the code printed as JSON."""
    done = elsewhere(code, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# Pins ----------------------------------------------------------------------------------------

PATHS: dict[str, Callable[[str, Messages, int], Any]] = {
    "view": lambda url, messages, tokens: acting(url, tokens).view(messages),
    "compact": lambda url, messages, tokens: compact(
        messages, to_tokens=tokens, store=url, session="s", **CODE
    ).messages,
    "handoff": lambda url, messages, tokens: _handed_off(acting(url, 10**9), messages),
    "undo, then view": lambda url, messages, tokens: _again(acting(url, tokens), messages),
}


def _handed_off(session: Session, messages: Messages) -> Messages:
    session.view(messages)
    return session.handoff()


def _again(session: Session, messages: Messages) -> Any:
    session.view(messages)
    return session.view(session.undo())


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "pinned",
    ["output of build 1", "source line of part 1", "written 0"],
    ids=["a one-shot result", "a read", "a write"],
)
def test_a_pin_of_another_process_holds_on_every_path(
    path: str, pinned: str, url: str, messages: Messages, target: int
) -> None:
    unpinned = PATHS[path](url.replace("store.db", "other.db"), messages, target)
    answer("Session('s', store=url, mode='off').pin(words[0]); print('null')", url, pinned)
    view = PATHS[path](url, messages, target)
    whole = next(part for part in _leaves(messages) if pinned in part)
    assert whole in _leaves(view)
    assert "EVICTED" in shown(view)
    assert whole not in _leaves(unpinned) or "output of build" in pinned, "without the pin it would have left"
    assert holds(url)


def _leaves(value: Any) -> list[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [leaf for item in items for leaf in _leaves(item)]


@pytest.mark.parametrize("path", PATHS)
def test_words_that_no_message_says_stand_on_our_page_on_every_path(
    path: str, url: str, messages: Messages, target: int
) -> None:
    answer("Session('s', store=url, mode='off').pin(words[0]); print('null')", url, RULE)
    view = PATHS[path](url, messages, target)
    (page,) = [leaf for leaf in _leaves(view) if leaf.startswith("[CENOTAPH:")]
    assert [line for line in page.split("\n") if RULE in line] == [f"pinned by the caller: {RULE}"]


@pytest.mark.parametrize("said", [RULE, "No deploys\n  on a Friday.\n"], ids=["one line", "several lines"])
def test_words_that_no_message_says_stand_once_however_many_cuts_there_are(said: str, url: str, target: int) -> None:
    session = acting(url, target, policy=Policy.archive())
    session.pin(said)
    cuts = 0
    for last in range(4, 16, 2):
        view = session.view(turns(0, last))
        assert session.last is not None
        cuts += session.last.plan is not None
        assert shown(view).count("pinned by the caller: " + " ".join(said.split())) == 1
    assert cuts >= 3
    assert holds(url)


def test_a_pin_that_stands_only_in_a_name_of_what_left_is_said_on_our_page(url: str, target: int) -> None:
    session = acting(url, target, policy=Policy.archive())
    session.view(turns(0, 4))
    session.pin("src/0.py")
    for last in range(6, 16, 2):
        view = session.view(turns(0, last))
        assert "src/0.py" in shown(view)


def test_a_pattern_is_kept_with_its_flags_and_taken_back_by_an_equal_one(
    url: str, messages: Messages, target: int
) -> None:
    pattern = re.compile(r"OUTPUT OF build [12]\b", re.IGNORECASE)
    acting(url, target).pin(pattern)
    view = acting(url, target, policy=Policy.archive()).view(messages)
    assert "output of build 1" in shown(view)
    assert "output of build 2" in shown(view)
    acting(url, target).unpin(re.compile(r"OUTPUT OF build [12]\b", re.IGNORECASE))
    with pytest.raises(ConfigurationError):
        acting(url, target).unpin(pattern)


def test_what_is_no_longer_pinned_may_leave_from_the_next_cut_on(url: str, messages: Messages, target: int) -> None:
    session = acting(url, target)
    session.pin("source line of part 1")
    view = session.view(messages)
    assert "source line of part 1" in shown(view)
    session.unpin("source line of part 1")
    assert shown(session.view(messages)) == shown(view), "nothing moves before a cut"
    later = acting(url, target).view([*messages, *turns(4, 6)])
    assert "source line of part 1" not in shown(later)
    assert session.rehydrate("file:src/1.py")[0].text == "source line of part 1\n" * 120


@pytest.mark.parametrize("wrong", ["", "  \n", None, 5, re.compile(b"bytes")], ids=repr)
def test_what_is_neither_words_nor_a_pattern_is_no_pin(wrong: Any, url: str) -> None:
    session = acting(url, 10**6)
    for refuses in (session.pin, session.unpin):
        with pytest.raises(ConfigurationError):
            refuses(wrong)
    assert session.records() == []


def test_taking_back_what_is_not_pinned_is_an_error_that_names_it(url: str) -> None:
    session = acting(url, 10**6)
    session.pin("one")
    with pytest.raises(ConfigurationError, match="'two' is not pinned in session 's'"):
        session.unpin("two")
    session.unpin("one")
    with pytest.raises(ConfigurationError, match="'one'"):
        session.unpin("one")


def test_a_pin_before_the_first_view_holds_without_a_store_too(messages: Messages, target: int) -> None:
    session = Session("s", to_tokens=target, **CODE)
    session.pin("source line of part 1")
    assert "source line of part 1" in shown(session.view(messages))
    assert [record.seq for record in session.records()] == [1, 2]


def test_pins_of_the_constructor_are_not_kept_in_the_store(url: str, messages: Messages, target: int) -> None:
    first = acting(url, target, pins=["source line of part 1"]).view(messages)
    assert "source line of part 1" in shown(first)
    later = acting(url, target).view([*messages, *turns(4, 6)])
    assert "source line of part 1" not in shown(later)


# Releases ------------------------------------------------------------------------------------


def _left(session: Session) -> set[str]:
    return {entry["span"] for entry in session.records()[-1].entries if entry["action"].startswith(("evict", "drop"))}


@pytest.mark.parametrize("by", ["words", "span id"])
def test_a_release_lets_that_span_go_with_a_tombstone_and_only_that(by: str, url: str, messages: Messages) -> None:
    with pytest.raises(BudgetExhausted) as halted:
        compact(messages, to_tokens=1, store=url.replace("store.db", "third.db"), **CODE)
    tokens = halted.value.reachable
    strict = acting(url.replace("store.db", "other.db"), tokens)
    without = strict.view(messages)
    (span,) = [s.id for s in strict.last.readout.classified.spans if "output of build 1" in s.text]  # type: ignore[union-attr]
    assert span not in _left(strict)
    answer(
        "Session('s', store=url, mode='off').release(words[0]); print('null')",
        url,
        span if by == "span id" else "output of build 1",
    )
    session = acting(url, tokens - 50)
    view = session.view(messages)
    assert _left(session) - _left(strict) == {span}
    (gone,) = [i for i, leaf in enumerate(_leaves(without)) if leaf.startswith("output of build 1")]
    others = [leaf for leaf in _leaves(messages) if leaf.startswith("output of build") and "1" not in leaf]
    assert all(leaf in _leaves(view) for leaf in others)
    stone = Tombstone.parse(_leaves(view)[gone])
    assert (stone.kind, stone.turn, stone.n) == ("tool_result", 2, 2)
    assert session.rehydrate(stone.render())[0].text == "output of build 1\n" * 40
    assert holds(url)


def test_what_is_pinned_is_not_released_and_a_later_pin_takes_a_release_back(
    url: str, messages: Messages, target: int
) -> None:
    session = acting(url, target, policy=Policy.archive())
    session.release("output of build 1")
    session.pin("output of build 1")
    assert "output of build 1" in shown(session.view(messages))
    with pytest.raises(ConfigurationError, match="Unpin it first"):
        session.release("output of build 1")
    session.unpin("output of build 1")
    session.release("output of build 1")
    assert "output of build 1" not in shown(session.view([*messages, *turns(4, 6)]))


@pytest.mark.parametrize("wrong", ["", " ", None, ["a"]])
def test_a_release_names_something(wrong: Any, url: str) -> None:
    with pytest.raises(ConfigurationError, match="release"):
        acting(url, 10**6).release(wrong)


# Undo ----------------------------------------------------------------------------------------


def test_a_view_of_a_cut_that_was_taken_back_is_known_as_ours_at_every_later_call(
    url: str, messages: Messages, target: int
) -> None:
    session = acting(url, target)
    view = list(session.view(messages))
    session.undo()
    later = acting(url, 10**9)
    for end in (1, 2):
        grown = [*view, *turns(4, 6)[: 8 * end]]
        assert later.view(grown) is grown
        assert later.last is not None
        assert later.last.warnings == ()
    rows = [row.id for row in later.last.readout.classified.rows] if later.last is not None else []
    assert "own" in rows
    assert "for" not in rows


def test_undo_gives_what_came_in_to_the_byte_and_the_next_view_goes_on_from_there(
    url: str, messages: Messages, target: int
) -> None:
    messages[0]["unknown field"] = {"z": 1, "a": ["é", "\ud800", 1.0, None]}
    session = acting(url, target)
    before = json.dumps(messages)
    view = shown(session.view(messages))
    earlier = session.undo()
    assert json.dumps(earlier) == before
    grown = [*earlier, human("And the release note.")]
    again = session.view(grown)
    assert session.last is not None
    assert session.last.plan is not None, "it was cut anew"
    assert shown(again)[: len(view) // 2] == view[: len(view) // 2]
    assert [r.to_dict().get("control", {}).get("undo") for r in session.records()] == [
        None,
        session.records()[0].record_id,
        None,
    ]
    assert session.last.warnings == ()
    assert holds(url)


def test_undo_twice_takes_two_cuts_back_in_this_process_or_another(url: str, target: int) -> None:
    first, second = turns(0, 4), turns(0, 8)
    session = acting(url, target, policy=Policy.archive())
    session.view(first)
    between = shown(session.view(first))
    session.view(second)
    assert [record.seq for record in session.records()] == [1, 2]
    assert session.undo() == second
    grown = [*first, human("One more.")]
    assert shown(acting(url, 10**9).view(grown)) == shown([*json.loads(between), grown[-1]]), "the first cut stands"
    assert answer("print(json.dumps(Session('s', store=url, mode='off').undo()))", url) == first
    assert acting(url, 10**9).view(first) is first
    with pytest.raises(ConfigurationError, match="no cut of session 's' stands"):
        session.undo()
    assert holds(url)


def test_after_an_undo_the_session_waits_for_messages(url: str, messages: Messages, target: int) -> None:
    session = acting(url, target)
    session.view(messages)
    session.undo()
    with pytest.raises(ConfigurationError, match="seen no messages"):
        session.handoff()
    session.pin(RULE)
    assert RULE in shown(session.view(messages))


def test_what_an_undone_cut_took_out_can_still_be_asked_for(url: str, messages: Messages, target: int) -> None:
    session = acting(url, target)
    stones = Tombstone.find("\n".join(_leaves(session.view(messages))))
    session.undo()
    for stone in stones:
        assert session.rehydrate(stone.render())


def test_without_a_cut_there_is_nothing_to_take_back(url: str, messages: Messages) -> None:
    session = acting(url, 10**9)
    session.view(messages)
    with pytest.raises(ConfigurationError, match="no cut"):
        session.undo()
    halting = acting(url, 50)
    with pytest.raises(BudgetExhausted):
        halting.view(messages)
    with pytest.raises(ConfigurationError, match="no cut"):
        halting.undo()


# Hand-off ------------------------------------------------------------------------------------


def test_a_handoff_is_a_cut_after_which_the_session_goes_on(url: str, messages: Messages, target: int) -> None:
    session = acting(url, 10**9)
    session.view(messages)
    handed = session.handoff()
    assert session.last is not None
    assert session.last.tokens_after < target
    assert session.records()[-1].policy == "archive"
    assert session.records()[-1].recall_by == "handoff"
    grown = [*messages, human("And the release note.")]
    assert shown(session.view(grown)) == shown([*handed, grown[-1]]), "a client that resends its history"
    assert shown(acting(url, 10**9).view([*handed, grown[-1]])) == shown([*handed, grown[-1]]), "or adopts the view"
    assert session.undo() == messages
    assert holds(url)


def test_a_handoff_before_any_history_is_an_error(url: str) -> None:
    with pytest.raises(ConfigurationError, match="seen no messages"):
        acting(url, 10**9).handoff()


def test_a_handoff_is_the_way_out_of_a_halt(url: str, messages: Messages) -> None:
    session = acting(url, 50)
    with pytest.raises(BudgetExhausted):
        session.view(messages)
    assert len(shown(session.handoff())) < len(shown(messages)) / 4
    assert [record.status for record in session.records()] == ["halted", "verified"]
    assert holds(url)


def test_a_handoff_keeps_what_a_person_said_that_weighs(url: str, messages: Messages) -> None:
    view = _handed_off(acting(url, 10**9), messages)
    for n in range(4):
        assert f"leave vendor/{n} alone, whatever the linter says of it." in shown(view)


# on_plan -------------------------------------------------------------------------------------


def test_a_veto_leaves_everything_as_it_is_and_says_so(url: str, messages: Messages, target: int) -> None:
    seen: list[Proposal] = []
    session = acting(url, target, on_plan=lambda proposal: seen.append(proposal) or False)  # type: ignore[func-returns-value]
    assert session.view(messages) is messages
    assert session.last is not None
    assert (session.last.changed, session.last.record) == (False, None)
    assert session.last.reason.startswith("vetoed")
    assert session.records() == []
    (proposal,) = seen
    assert (proposal.target, proposal.tokens_before) == (target, size(messages))
    assert proposal.tokens_after <= target
    assert [entry.span_id for entry in proposal.entries] == [span.id for span in proposal.spans]
    assert proposal.first_changed == 2
    assert proposal.page


def test_a_veto_of_a_later_cut_leaves_what_earlier_cuts_left(url: str, messages: Messages, target: int) -> None:
    view = shown(acting(url, target).view(messages))
    session = acting(url, target, on_plan=lambda proposal: False)
    grown = [*messages, *turns(4, 6)]
    assert shown(session.view(grown)) == shown([*json.loads(view), *grown[len(messages) :]])
    assert len(session.records()) == 1


def test_a_hook_may_pin_and_sees_the_plan_anew(url: str, messages: Messages, target: int) -> None:
    plans: list[Proposal] = []

    def keeps_part_1(proposal: Proposal) -> list[str] | None:
        plans.append(proposal)
        return ["source line of part 1"] if len(plans) == 1 else None

    session = acting(url, target, on_plan=keeps_part_1)
    assert "source line of part 1" in shown(session.view(messages))
    assert len(plans) == 2
    (kept,) = [span.id for span in plans[0].spans if span.text.startswith("source line of part 1")]
    assert kept in _leaving(plans[0])
    assert kept not in _leaving(plans[1])
    assert "source line of part 1" not in shown(acting(url, target).view([*messages, *turns(4, 6)])), "for this cut"


def _leaving(proposal: Proposal) -> set[str]:
    return {entry.span_id for entry in proposal.entries if entry.action.value not in ("keep", "protect")}


@pytest.mark.parametrize("says", [None, True])
def test_a_hook_that_has_nothing_to_say_changes_nothing(
    says: bool | None, url: str, messages: Messages, target: int
) -> None:
    with_hook = acting(url, target, on_plan=lambda proposal: says).view(messages)
    assert with_hook != messages
    assert shown(acting(url, target).view(messages)) == shown(with_hook)


def test_a_hook_that_raises_has_written_nothing_and_the_session_goes_on(
    url: str, messages: Messages, target: int
) -> None:
    answers: list[BaseException | None] = [RuntimeError("not now"), None]

    def hook(proposal: Proposal) -> None:
        error = answers.pop(0)
        if error is not None:
            raise error

    session = acting(url, target, on_plan=hook)
    with pytest.raises(RuntimeError, match="not now"):
        session.view(messages)
    assert session.records() == []
    assert session.view(messages) != messages


# on_halt -------------------------------------------------------------------------------------

RELIEFS: dict[str, dict[str, Any]] = {
    "more tokens": {"to_tokens": 5_000},
    "a budget": {"budget": Budget(window=9_000, trigger=0.6, target=0.5)},
    "archive": {"policy": Policy.archive()},
    "a release": {"release": ["output of build"]},
    "a hand-off": {"handoff": True},
}


@pytest.fixture
def halting(messages: Messages) -> int:
    """Just below what strict reaches; archive and one release reach it."""
    with pytest.raises(BudgetExhausted) as halted:
        compact(messages, to_tokens=1, store=None, **CODE)
    return halted.value.reachable - 50


@pytest.mark.parametrize("relief", RELIEFS)
def test_a_halt_may_be_relieved_and_leaves_its_record_all_the_same(
    relief: str, url: str, messages: Messages, halting: int
) -> None:
    halts: list[BudgetExhausted] = []

    def relieves(halt: BudgetExhausted) -> Mapping[str, Any]:
        halts.append(halt)
        return RELIEFS[relief]

    session = acting(url, halting, on_halt=relieves)
    view = session.view(messages)
    (halt,) = halts
    assert halt.target == halting < halt.reachable
    assert halt.ways_out
    assert [record.status for record in session.records()] == ["halted", "verified"]
    assert shown(view) != shown(messages)
    session.pin(RULE)
    session.view([*messages, *turns(4, 6)])
    assert [record.seq for record in session.records()] == list(range(1, len(session.records()) + 1))
    assert holds(url)


def test_one_release_may_be_a_bare_string(url: str, messages: Messages, halting: int) -> None:
    session = acting(url, halting, on_halt=lambda halt: {"release": "output of build 1"})
    view = session.view(messages)
    assert "output of build 1" not in shown(view)
    for n in (0, 2, 3):
        assert f"output of build {n}" in shown(view)


def test_a_halt_that_the_relief_does_not_mend_is_raised_and_asked_of_once(url: str, messages: Messages) -> None:
    asked: list[int] = []

    def little(halt: BudgetExhausted) -> Mapping[str, Any]:
        asked.append(halt.target)
        return {"to_tokens": 60}

    session = acting(url, 50, on_halt=little)
    with pytest.raises(BudgetExhausted) as halted:
        session.view(messages)
    assert (asked, halted.value.target) == ([50], 60)
    with pytest.raises(BudgetExhausted):
        session.view(messages)
    assert [record.seq for record in session.records()] == [1, 2, 3, 4]
    assert holds(url)


def test_no_relief_raises_the_halt(url: str, messages: Messages) -> None:
    with pytest.raises(BudgetExhausted):
        acting(url, 50, on_halt=lambda halt: None).view(messages)


WRONG_RELIEFS: list[Any] = [
    True,
    {},
    "archive",
    {"more": 5},
    {"to_tokens": 0},
    {"to_tokens": "many"},
    {"budget": 5},
    {"policy": "archive"},
]


@pytest.mark.parametrize("wrong", WRONG_RELIEFS, ids=repr)
def test_what_is_no_relief_is_an_error_that_shows_it_and_the_session_goes_on(
    wrong: Any, url: str, messages: Messages, halting: int
) -> None:
    answers: list[Any] = [wrong, {"to_tokens": 5_000}]
    session = acting(url, halting, on_halt=lambda halt: answers.pop(0))
    with pytest.raises(ConfigurationError) as refused:
        session.view(messages)
    assert "on_halt" in str(refused.value) or next(iter(wrong)) in str(refused.value)
    assert [record.status for record in session.records()] == ["halted"]
    session.view(messages)
    assert [record.status for record in session.records()] == ["halted", "halted", "verified"]
    assert holds(url)


# keep, observe -------------------------------------------------------------------------------


@pytest.mark.parametrize("wish", ["src/1.py", ["src/1.py"], ["source line of part 1"]], ids=repr)
def test_a_wish_keeps_what_it_names_in_this_round_only(wish: Any, url: str, messages: Messages, target: int) -> None:
    session = acting(url, target)
    assert "source line of part 1" in shown(session.view(messages, keep=wish))
    assert "source line of part 1" not in shown(session.view([*messages, *turns(4, 6)]))


def test_observing_returns_every_history_as_it_is_and_writes_nothing(
    url: str, messages: Messages, target: int
) -> None:
    session = acting(url, target, mode="observe")
    for last in range(1, 6):
        history = turns(0, last)
        assert session.view(history) is history
        assert session.last is not None
        assert session.last.tokens_after <= max(target, session.last.tokens_before)
    assert session.last is not None
    assert session.last.changed
    assert session.last.tokens_after <= target
    assert session.store.sessions() == []
    halting = acting(url, 50, mode="observe")
    assert halting.view(messages) is messages
    assert halting.last is not None
    assert halting.last.reason.startswith("would halt")
    assert session.store.sessions() == []


def test_a_session_that_was_cut_may_be_observed(url: str, messages: Messages, target: int) -> None:
    acting(url, target).view(messages)
    before = [record.record_id for record in acting(url, target).records()]
    session = acting(url, target, mode="observe")
    for end in (0, 1, 2, 8, 9):
        history = [*messages, *turns(4, 6)[:end]]
        assert session.view(history) is history
    assert [record.record_id for record in session.records()] == before


# Forks ---------------------------------------------------------------------------------------


def edited(messages: Messages, n: int = 0) -> Messages:
    """The same history, with another request in turn `n`."""
    other = copy.deepcopy(messages)
    other[8 * n]["content"] = f"Task {n} is another one now: only look, and report what part {n} does."
    return other


def test_a_history_that_differs_before_the_last_cut_goes_on_as_a_child(
    url: str, messages: Messages, target: int
) -> None:
    session = acting(url, target)
    session.view(messages)
    view = session.view(edited(messages))
    assert session.last is not None
    assert re.fullmatch(r"s~[0-9a-f]{8}", session.name)
    assert any(w.startswith("history-diverged") and session.name in w for w in session.last.warnings)
    assert session.last.session == session.name
    assert "is another one now" in shown(view)
    first = session.records()[0]
    parent = acting(url, target).records()[0]
    assert (first.seq, first.previous) == (1, None)
    assert (first.parent["session"], first.parent["record_id"]) == ("s", parent.record_id)
    assert len(session.records()) == 1
    assert holds(url)


def test_a_child_reaches_what_its_parent_took_out_before_the_fork(url: str, target: int) -> None:
    session = acting(url, target, policy=Policy.archive())
    session.view(turns(0, 4))
    other = [human("Start anew, with nothing but the words of this one message in it."), *turns(6, 10)]
    session.view(other)
    assert session.name != "s"
    assert session.rehydrate("file:src/1.py")[0].text == "source line of part 1\n" * 120
    with pytest.raises(IrreversibleCompactionError):
        acting(url, target).rehydrate("file:src/6.py")


def test_a_fork_is_found_again_by_another_process_and_does_not_touch_its_parent(
    url: str, messages: Messages, target: int
) -> None:
    session = acting(url, target)
    parents = shown(session.view(messages))
    childs = shown(session.view(edited(messages)))
    code = (
        "messages = turns(0, 4)\n"
        "s = acting(url, int(words[0]))\n"
        "mine = shown(s.view(edited(messages))); child = s.name\n"
        "theirs = shown(s.view(messages)); print(json.dumps([mine, child, theirs, s.name]))"
    )
    assert answer(code, url, str(target)) == [childs, session.name, parents, "s"]
    store = open_store(url)
    assert sorted(store.sessions()) == sorted(["s", session.name])
    store.close()


def test_two_different_edits_are_two_children(url: str, messages: Messages, target: int) -> None:
    session = acting(url, target)
    session.view(messages)
    names = []
    for n in (0, 1):
        session.view(edited(messages, n))
        names.append(session.name)
    assert len({"s", *names}) == 3
    assert all(name.startswith("s~") and name.count("~") == 1 for name in names)


def test_a_child_that_was_never_cut_names_its_parent_once_it_is(url: str, messages: Messages, target: int) -> None:
    session = acting(url, target)
    session.view(messages)
    short = edited(messages)[:9]
    assert session.view(short) is short
    assert session.records() == []
    session.view(edited(turns(0, 6)))
    assert session.records()[0].parent["session"] == "s"


def test_pins_and_releases_of_the_parent_hold_in_the_child_also_after_a_restart(
    url: str, messages: Messages, target: int
) -> None:
    session = acting(url, target)
    session.pin(RULE)
    session.pin("source line of part 1")
    session.release("output of build 2")
    session.view(messages)
    child = shown(session.view(edited(messages)))
    assert RULE in child
    assert "source line of part 1" in child
    code = "s = acting(url, int(words[0])); print(json.dumps([shown(s.view(edited(turns(0, 6)))), s.name]))"
    later, name = answer(code, url, str(target))
    assert name == session.name
    assert "source line of part 1" in later
    assert later.count(RULE) == 1
    own = Session(session.name, store=url, mode="off")
    own.unpin(RULE)
    assert RULE in shown(acting(url, target).view(messages)), "the parent's own pins are as they were"


def test_a_pin_as_the_first_record_of_a_child_names_the_parent(url: str, messages: Messages, target: int) -> None:
    session = acting(url, target)
    session.view(messages)
    session.view(edited(messages)[:9])
    session.pin(RULE)
    assert session.records()[0].to_dict()["parent"]["session"] == "s"
    assert session.rehydrate("file:src/1.py")[0].text == "source line of part 1\n" * 120


# Several processes ---------------------------------------------------------------------------


def test_a_session_goes_on_in_another_process_with_the_same_bytes(url: str, messages: Messages, target: int) -> None:
    grown = [*messages, human("One more.")]
    here = acting(url, target)
    here.view(messages)
    view = shown(here.view(grown))
    code = "s = acting(url, int(words[0])); print(json.dumps(shown(s.view([*turns(0, 4), human('One more.')]))))"
    assert answer(code, url, str(target)) == view


def test_a_client_that_resends_and_one_that_adopts_see_the_same_bytes(tmp_path: Path, target: int) -> None:
    """Round after round, with cuts, each with a store of its own but the same key."""
    resends, adopts = (
        acting(f"sqlite:///{tmp_path}/{name}.db", target, policy=Policy.archive()) for name in ("a", "b")
    )
    adopts.store.key = resends.store.key  # type: ignore[method-assign]
    history: Messages = []
    held: Messages = []
    cuts = 0
    for n in range(12):
        history += turns(n, n + 1)
        held = [*held, *turns(n, n + 1)]
        held = list(adopts.view(held))
        assert shown(resends.view(history)) == shown(held), f"round {n}"
        assert resends.last is not None
        cuts += resends.last.plan is not None
    assert cuts >= 3
    assert adopts.undo() == resends.undo()


def test_of_two_writers_one_is_told_and_nothing_is_lost(url: str, messages: Messages, target: int) -> None:
    grown = [*messages, *turns(4, 7)]
    session = acting(url, target)
    session.view(messages)
    theirs = answer("print(json.dumps(shown(acting(url, int(words[0])).view(turns(0, 7)))))", url, str(target))
    before = copy.deepcopy(grown)
    with pytest.raises(StoreConflict):
        session.view(grown)
    assert grown == before
    assert shown(session.view(grown)) == theirs, "the next call goes on from what the other one wrote"
    later = [*grown, *turns(7, 10)]
    session.view(later)
    assert session.undo() == later
    assert holds(url)


@pytest.mark.parametrize("writes", ["pin", "release", "undo", "handoff"])
def test_whoever_writes_after_another_process_is_told_once(
    writes: str, url: str, messages: Messages, target: int
) -> None:
    session = acting(url, target)
    session.view(messages)
    answer("Session('s', store=url, mode='off').pin(words[0]); print('null')", url, RULE)
    act: dict[str, Callable[[], Any]] = {
        "pin": lambda: session.pin("x"),
        "release": lambda: session.release("x"),
        "undo": session.undo,
        "handoff": session.handoff,
    }
    if writes == "undo":
        assert session.undo() == messages, "it reads the records anew"
    else:
        with pytest.raises(StoreConflict):
            act[writes]()
        assert len(session.records()) == 2
        session.view(messages)
        act[writes]()
    assert RULE in shown(session.view([*messages, *turns(4, 7)]))
    assert holds(url)


KILLED = """
import os, signal
from cenotaph.testing.faulty import FaultyStore, When
from cenotaph.store.opening import open_store
tokens, number, when = int(words[0]), int(words[1]), When(words[2])
dies = lambda: os.kill(os.getpid(), signal.SIGKILL)
store = FaultyStore(open_store(url), fail_at=number, when=when, error=dies)
Session('s', store=store, to_tokens=tokens, **CODE).view(turns(0, int(words[3])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", [1, 2, 3], ids=["spans", "handles", "record"])
@pytest.mark.parametrize("cuts", [0, 1], ids=["the first cut", "a later cut"])
def test_a_process_killed_between_writes_leaves_a_usable_session(
    cuts: int, number: int, when: str, url: str, messages: Messages, target: int
) -> None:
    if cuts:
        acting(url, target).view(messages)
    grown = turns(0, 7) if cuts else messages
    killed = elsewhere(KILLED, url, str(target), str(number), when, str(len(grown) // 8))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    durable = number == 3 and when == "after"
    session = acting(url, target)
    assert len(session.records()) == cuts + durable
    assert holds(url)
    untouched = acting(url.replace("store.db", "other.db"), target)
    untouched.store.key = session.store.key  # type: ignore[method-assign]
    if cuts:
        untouched.view(messages)
    assert shown(session.view(grown)) == shown(untouched.view(grown))
    assert len(session.records()) == cuts + 1
    assert session.undo() == grown
    assert holds(url)
