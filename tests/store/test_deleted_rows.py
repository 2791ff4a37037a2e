"""Rows that somebody deleted from a store's tables are damage where a record names them, never a gap."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cenotaph import IrreversibleCompactionError, Policy, Session, Tombstone, rehydrate, verify
from cenotaph.errors import AmbiguousHandle, StoreDamaged
from cenotaph.store.opening import open_store
from talk import agent, call, human, result, text

TARGET = 2_600


def turn(n: int, of: str = "a") -> list[Any]:
    return [
        human(f"Task {n}: make part {n} work and leave vendor/{of}{n} alone, whatever the linter says."),
        agent(call(f"{of}{n}r", "Read", file_path=f"src/{of}/{n}.py")),
        result(f"{of}{n}r", f"source line {of} of part {n}; see docs/{of}/{n}.md\n" * 70),
        agent(text(f"Part {n} works.")),
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def url(path: Path) -> str:
    """A session of some cuts, the newest of which still shows lines for what left."""
    url = f"sqlite:///{path}"
    session, sent = opened(url), list[Any]()
    for n in range(9):
        sent = list(session.view([*sent, *turn(n)]))
    assert len(session.records()) > 2
    session.store.close()
    return url


def opened(url: str) -> Session:
    return Session(
        "s", store=url, to_tokens=TARGET, policy=Policy.archive("test"), tools=["claude-code"], dialect="anthropic"
    )


def delete(path: Path, statement: str, *values: Any) -> None:
    with sqlite3.connect(path) as con:
        assert con.execute(f"DELETE FROM {statement}", values).rowcount > 0
    con.close()


def questions(url: str) -> dict[str, str]:
    """One question of each kind for the reading of turn 2, which has left."""
    store = open_store(url)
    (line,) = {
        one.render()
        for record in store.records("s")
        for item in record["tombstones"]
        for one in Tombstone.find(item["line"])
        if (one.turn, one.n, item["at"]) == (2, 1, "in_place")
    }
    (row,) = [row for row in store.span_rows("s", turn=2) if row.kind == "result"]
    store.close()
    return {
        "its native handle": "file:src/a/1.py",
        "its path": "src/a/1.py",
        "another spelling": "./src/a/1.py:7",
        "a name that stands in it": "docs/a/1.md",
        "its tombstone": line,
        "its store handle": row.handle,
        "the beginning of its store handle": row.handle[:12],
        "its exchange": "t2.1",
        "its turn": "turn 2",
        "a sentence with its path": "What did src/a/1.py say?",
    }


QUESTIONS = (
    "its native handle",
    "its path",
    "another spelling",
    "a name that stands in it",
    "its tombstone",
    "its store handle",
    "the beginning of its store handle",
    "its exchange",
    "its turn",
    "a sentence with its path",
)
BY_NAME = {"its native handle", "its path", "another spelling", "a name that stands in it", "a sentence with its path"}


def outcome(what: str, url: str) -> str:
    try:
        found = rehydrate(what, store=url, session="s")
    except (StoreDamaged, IrreversibleCompactionError) as error:
        return error.code
    return "found" if any("source line a of part 1;" in one.text for one in found) else "other spans"


@pytest.mark.parametrize("kind", QUESTIONS)
def test_in_a_whole_store_each_question_is_answered(url: str, kind: str) -> None:
    assert outcome(questions(url)[kind], url) == "found"


@pytest.mark.parametrize("kind", QUESTIONS)
@pytest.mark.parametrize("table", ["spans", "handles", "objects", "spans, handles", "all"])
def test_what_a_record_names_is_damage_when_its_rows_are_deleted(url: str, path: Path, kind: str, table: str) -> None:
    what = questions(url)[kind]
    for one in ("spans", "handles", "objects") if table == "all" else table.split(", "):
        delete(path, one)
    by_rows_of_names = table == "handles" and kind not in BY_NAME
    assert outcome(what, url) == ("found" if by_rows_of_names else "store-damaged")


@pytest.mark.parametrize("kind", sorted(set(QUESTIONS) - {"its turn"}))
def test_one_span_that_lost_its_row_is_damage_beside_all_that_are_there(url: str, path: Path, kind: str) -> None:
    what = questions(url)[kind]
    delete(path, "spans WHERE turn = 2 AND exchange = 1")
    assert outcome(what, url) == "store-damaged"


def test_what_no_record_names_is_a_gap_in_a_damaged_store_too(url: str, path: Path) -> None:
    delete(path, "spans")
    delete(path, "handles")
    for what in ("src/none.py", "t99.1", "turn 99", "cx:0123456789abcdef", "[EVICTED:tool_result@t99.1:recover=NO]"):
        assert outcome(what, url) == "gap"


def test_nothing_that_a_record_of_a_whole_store_names_is_taken_for_damage(url: str) -> None:
    session, sent = opened(url), list[Any]()
    for n in range(40):
        sent = list(session.view([*sent, *turn(n)]))
    store = session.store
    named = {item["value"] for record in store.records(session.name) for item in record["handles"]}
    lines = {item["line"] for record in store.records(session.name) for item in record["tombstones"]}
    handles = {item["handle"] for record in store.records(session.name) for item in record["removed"]}
    own = {e["span"] for record in store.records(session.name) for e in record["entries"] if e["row"] == "own"}
    ours = {i["handle"] for record in store.records(session.name) for i in record["removed"] if i["span"] in own}
    assert min(len(named), len(lines), len(handles)) > 3
    for what in (*named, *lines, *handles):
        try:
            assert rehydrate(what, store=store, session=session.name)
        except AmbiguousHandle:
            continue
        except IrreversibleCompactionError:
            assert what in ours, "our own lines are no originals"


@pytest.mark.parametrize("table", ["meta", "sessions"])
def test_a_store_that_lost_its_key_or_a_sessions_name_says_so_to_every_question(
    url: str, path: Path, table: str
) -> None:
    asked = [*questions(url).values(), "src/none.py"]
    delete(path, table)
    assert {outcome(what, url) for what in asked} == {"store-damaged"}
    with pytest.raises(StoreDamaged):
        opened(url).view(turn(0))
    assert not verify(url, read_data=True).ok


def test_a_session_whose_name_is_gone_is_damage_beside_one_that_has_its_name(url: str, path: Path) -> None:
    other = Session("other", store=url, to_tokens=10**9, dialect="anthropic")
    other.view(turn(0))
    other.pin("A record.")
    delete(path, "sessions WHERE name = 's'")
    with pytest.raises(StoreDamaged):
        rehydrate("src/a/1.py", store=url, session="s")
    with pytest.raises(IrreversibleCompactionError):
        rehydrate("src/a/1.py", store=url, session="other")
    assert "store-damaged" in {finding.code for finding in verify(url, read_data=True).findings}


@pytest.mark.parametrize("which", [0, 1])
def test_a_record_that_was_deleted_from_the_middle_stops_the_session_and_originals_come_back(
    url: str, path: Path, which: int
) -> None:
    asked = questions(url)
    store = open_store(url)
    records = store.records("s")
    store.close()
    delete(path, "records WHERE record_id = ?", records[which]["record_id"])
    with pytest.raises(StoreDamaged):
        opened(url).view(turn(0))
    assert {outcome(what, url) for what in asked.values()} == {"found"}
    assert not verify(url).ok


@pytest.mark.parametrize("table", ["spans", "objects", "spans, handles"])
def test_rows_of_the_parent_that_were_deleted_are_damage_in_a_fork(url: str, path: Path, table: str) -> None:
    store = open_store(url)
    record = store.records("s")[0]
    assert record["status"] == "verified"
    store.close()
    session, sent = opened(url), list[Any]()
    for n in range(4):
        sent = [*sent, *turn(n)]
    for n in range(9):
        sent = list(session.view([*sent, *turn(n, "b")]))
    assert session.name != "s"
    assert any("of part 1;" in one.text for one in rehydrate("file:src/a/1.py", store=url, session=session.name))
    for one in table.split(", "):
        delete(path, f"{one} WHERE session = (SELECT id FROM sessions WHERE name = 's')")
    with pytest.raises(StoreDamaged):
        rehydrate("file:src/a/1.py", store=url, session=session.name)
