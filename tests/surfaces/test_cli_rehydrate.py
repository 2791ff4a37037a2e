"""`cenotaph rehydrate` on a store written by hand: pieces, cursors, and what is no gap."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_transcripts import Command

from cenotaph.core.effects import HandleRow
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.store_contract import put_object

LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Two versions of one file; the older one is larger."""
    store = SqliteStore(tmp_path / "store.db")
    for turn, text in ((1, LINES), (2, "the newest\n")):
        data = '"' + text.replace("\n", "\\n") + '"'
        put_object(store, "run-1", data.encode(), span_id=f"s{turn}", turn=turn, position=turn, slot="[]", shell="null")
        store.put_handles("run-1", [HandleRow("file:src/app.py", "native", f"s{turn}", "dead")])
    store.close()
    return store.url


def handles(url: str) -> list[str]:
    store = SqliteStore(url.removeprefix("sqlite:///"))
    found = list(store.objects("run-1"))
    store.close()
    return found


def test_pieces_put_together_are_the_originals_and_talk_says_how_to_go_on(cenotaph: Command, url: str) -> None:
    asked = ("rehydrate", "src/app.py", "--store", url, "--limit-chars", "100")
    ran = cenotaph(*asked)
    out, rounds = ran.out, 1
    while "--cursor " in ran.err:
        ran = cenotaph(*asked, "--cursor", ran.err.split("--cursor ")[1].split()[0])
        assert (ran.status, len(ran.out) <= 100) == (0, True)
        out, rounds = out + ran.out, rounds + 1
    assert out.decode() == "the newest\n" + LINES
    assert rounds == 5
    assert f"to {len(LINES)} of {len(LINES)}]" in ran.err


def test_json_gives_pieces_their_place_and_their_cursor(cenotaph: Command, url: str) -> None:
    given = cenotaph("rehydrate", "t1", "--store", url, "--limit-chars", "50", "--json").json
    (span,) = given["spans"]
    assert (span["start"], span["total_chars"], span["block"]) == (0, len(LINES), None)
    assert LINES.startswith(span["text"])
    assert given["cursor"] == span["cursor"]
    rest = cenotaph("rehydrate", "t1", "--store", url, "--cursor", given["cursor"], "--json").json
    assert span["text"] + rest["spans"][0]["text"] == LINES
    assert (rest["cursor"], rest["spans"][0]["matched"], rest["spans"][0]["asked"]) == (None, "exact", ["t1"])


@pytest.mark.parametrize("what", ["./src/app.py:3", "/home/me/repo/src/app.py", "turn 2", "what of src/app.py ?"])
def test_the_newest_comes_by_every_way_to_ask(cenotaph: Command, url: str, what: str) -> None:
    ran = cenotaph("rehydrate", what, "--store", url)
    assert (ran.status, ran.out) == (0, b"the newest\n")
    assert ("found as the tail" in ran.err) == what.startswith("/home")


@pytest.mark.parametrize("reason", ["pruned", "erased"])
def test_what_was_removed_exits_with_two_and_says_what_is_left(cenotaph: Command, url: str, reason: str) -> None:
    old, new = handles(url)
    store = SqliteStore(url.removeprefix("sqlite:///"))
    store.erase("run-1", [new], reason=reason)
    store.close()
    ran = cenotaph("rehydrate", "src/app.py", "--store", url, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, f"store-{reason}")
    assert ran.json["error"]["details"]["available"] == [old]
    assert ran.err.startswith("cenotaph: error: ")
    assert cenotaph("rehydrate", old, "--store", url).out.decode() == LINES


def test_a_cursor_that_was_changed_exits_with_two(cenotaph: Command, url: str) -> None:
    ran = cenotaph("rehydrate", "src/app.py", "--store", url, "--cursor", "0-000000000000000000000000", "--json")
    assert (ran.status, ran.json["error"]["code"], ran.out[:1]) == (2, "cursor", b"{")


@pytest.mark.parametrize("limit", ["0", "-5", "many"])
def test_a_limit_is_a_number_from_one(cenotaph: Command, url: str, limit: str) -> None:
    assert cenotaph("rehydrate", "src/app.py", "--store", url, "--limit-chars", limit).status == 2


def test_the_tail_of_several_exits_with_one_and_names_them(cenotaph: Command, url: str) -> None:
    store = SqliteStore(url.removeprefix("sqlite:///"))
    store.put_handles("run-1", [HandleRow("lib/app.py", "path", "s1")])
    store.close()
    ran = cenotaph("rehydrate", "app.py", "--store", url, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (1, "ambiguous")
    assert set(ran.json["error"]["hints"]) == {"lib/app.py", "file:src/app.py"}
    assert ran.err.startswith("cenotaph: gap: ")


def test_verify_says_what_was_removed_on_purpose_and_finds_nothing(cenotaph: Command, url: str) -> None:
    store = SqliteStore(url.removeprefix("sqlite:///"))
    store.erase("run-1", handles(url)[:1], reason="pruned")
    store.erase("run-1", handles(url)[1:], reason="erased")
    store.close()
    ran = cenotaph("verify", "--store", url, "--read-data")
    assert (ran.status, "1 erased on purpose, 1 pruned on purpose" in ran.out.decode()) == (0, True)
