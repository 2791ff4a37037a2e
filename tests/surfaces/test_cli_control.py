"""`cenotaph pin`, `unpin`, `rules`, `undo` and `handoff`: a person's hand on a session."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from cli_transcripts import Command, Json, call, digest, lines, reads, result, session_bytes, words, write

RULE = "Nobody deploys on a Friday."


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
def here(url: str) -> tuple[str, ...]:
    return ("--store", url, "--session", "run-1")


def talked(rounds: int = 4) -> list[Json]:
    """A system prompt, and turns in which a person says rules between reads."""
    messages: list[Json] = [{"role": "system", "content": "You review code. Never touch /etc/prod."}]
    for n in range(rounds):
        messages += [
            {
                "role": "user",
                "content": f"Look at part {n}, please. Do not change vendor/{n} whatever the linter says.",
            },
            call(f"c{n}", "read_file", path=f"src/f{n}.py"),
            result(f"c{n}", words(120, f"f{n}")),
            {"role": "assistant", "content": f"Part {n} is fine; we decided to leave vendor/{n} alone."},
        ]
    return messages


@pytest.fixture
def cut(cenotaph: Command, tmp_path: Path, here: tuple[str, ...]) -> list[Json]:
    """The messages of `run-1`, cut once."""
    messages = talked()
    ran = _compact(cenotaph, write(tmp_path / "in.json", messages), here, "2500")
    assert ran.status == 0, ran.err
    return messages


def _compact(cenotaph: Command, path: Path, here: tuple[str, ...], tokens: str, policy: str = "strict") -> Any:
    return cenotaph("compact", path, "--to-tokens", tokens, "--tools", "generic", "--policy", policy, *here)


def records(cenotaph: Command, url: str) -> list[Any]:
    given: list[Any] = cenotaph("sessions", "--store", url, "--json").json["sessions"]
    return [(item["session"], item["records"]) for item in given]


# pin, unpin ---------------------------------------------------------------------------------


def test_a_pin_holds_from_the_next_cut_on_and_an_unpin_takes_it_back(
    cenotaph: Command, tmp_path: Path, url: str, here: tuple[str, ...]
) -> None:
    path = write(tmp_path / "in.json", talked())
    ran = cenotaph("pin", "f0-line-7 =", *here)
    assert (ran.status, ran.out) == (0, b"")
    assert "pinned: 'f0-line-7 ='" in ran.err
    assert "from the next cut on" in ran.err
    held = _compact(cenotaph, path, here, "4000")
    assert (held.status, "f0-line-7 =" in held.out.decode()) == (0, True)
    assert cenotaph("unpin", "f0-line-7 =", *here).status == 0
    assert "f0-line-7 =" not in _compact(cenotaph, path, here, "2500").out.decode()
    assert cenotaph("verify", "--store", url, "--read-data").status == 0


def test_words_that_no_message_says_stand_in_the_view(
    cenotaph: Command, tmp_path: Path, here: tuple[str, ...]
) -> None:
    cenotaph("pin", RULE, *here)
    view = _compact(cenotaph, write(tmp_path / "in.json", talked()), here, "2500").json
    (page,) = [message for message in view if str(message["content"]).startswith("[CENOTAPH:")]
    assert RULE in page["content"]
    assert page["role"] == "user"


def test_a_pattern_is_pinned_and_taken_back_as_a_pattern(
    cenotaph: Command, tmp_path: Path, here: tuple[str, ...]
) -> None:
    pattern = r"f[01]-line-7\b"
    assert cenotaph("pin", pattern, "--regex", *here).status == 0
    view = _compact(cenotaph, write(tmp_path / "in.json", talked()), here, "5500").out.decode()
    assert "f0-line-7 =" in view
    assert "f1-line-7 =" in view
    assert "f2-line-7 =" not in view
    as_words = cenotaph("unpin", pattern, *here, "--json")
    assert (as_words.status, as_words.json["error"]["code"]) == (2, "configuration")
    assert cenotaph("unpin", pattern, "--regex", *here, "--json").json["pins"] == []


def test_json_gives_every_pin_of_the_session(cenotaph: Command, url: str, here: tuple[str, ...]) -> None:
    cenotaph("pin", RULE, *here)
    given = cenotaph("pin", "a.c", "--regex", *here, "--json").json
    assert given == {
        "pins": [
            {"text": RULE, "messages": []},
            {"pattern": "a.c", "flags": re.compile("").flags, "messages": []},
        ],
        "store": url,
        "session": "run-1",
    }


def test_a_pin_that_stands_already_is_said_and_not_written_again(
    cenotaph: Command, url: str, here: tuple[str, ...]
) -> None:
    cenotaph("pin", RULE, *here)
    again = cenotaph("pin", RULE, *here)
    assert again.status == 0
    assert "was pinned already" in again.err
    assert records(cenotaph, url) == [("run-1", 1)]
    assert cenotaph("pin", RULE, "--regex", *here).status == 0, "as a pattern it is another pin"
    assert records(cenotaph, url) == [("run-1", 2)]


def test_a_pin_for_a_session_that_is_not_there_yet_says_that_it_is_new(
    cenotaph: Command, cut: list[Json], url: str
) -> None:
    ran = cenotaph("pin", RULE, "--store", url, "--session", "run-2")
    assert ran.status == 0
    assert "session 'run-2' is new" in ran.err
    known = cenotaph("pin", RULE, "--store", url, "--session", "run-1")
    assert "is new" not in known.err


def test_without_a_store_the_users_own_is_used(cenotaph: Command, home: Path) -> None:
    assert cenotaph("pin", RULE, "--session", "mine").status == 0
    assert (home / "state" / "cenotaph" / "store.db").is_file()
    assert cenotaph("rules", "--json").json["pins"] == [{"text": RULE, "messages": []}]


def test_what_is_not_pinned_can_not_be_taken_back_and_the_pins_are_named(
    cenotaph: Command, here: tuple[str, ...]
) -> None:
    cenotaph("pin", RULE, *here)
    ran = cenotaph("unpin", "Nobody deploys", *here, "--json")
    assert ran.status == 2
    assert ran.json["error"]["details"]["pins"] == [RULE]
    assert "'Nobody deploys' is not pinned in session 'run-1'" in ran.err
    assert RULE in ran.err


@pytest.mark.parametrize("verb", ["pin", "unpin"])
def test_no_words_and_no_pattern_are_refused(cenotaph: Command, cut: list[Json], url: str, verb: str) -> None:
    before = records(cenotaph, url)
    for argv, says in ((("  ",), "empty"), (("(a", "--regex"), "no regular expression")):
        ran = cenotaph(verb, *argv, "--store", url, "--session", "run-1", "--json")
        assert (ran.status, ran.json["error"]["code"]) == (2, "configuration")
        assert says in ran.err
    assert records(cenotaph, url) == before


# rules --------------------------------------------------------------------------------------


def test_rules_are_pins_then_statements_by_tier_in_the_order_in_which_they_were_said(
    cenotaph: Command, cut: list[Json], tmp_path: Path, url: str, here: tuple[str, ...]
) -> None:
    cenotaph("pin", "whatever the linter says", *here)
    cenotaph("pin", RULE, *here)
    given = cenotaph("rules", *here, "--json").json
    assert [list(pin.values()) for pin in given["pins"]] == [
        ["whatever the linter says", [1, 5, 9, 13]],
        [RULE, []],
    ]
    told = [(item["tier"], item["turn"], item["text"], item["message"]) for item in given["statements"]]
    assert told[0] == ("system", 0, "Never touch /etc/prod.", 0)
    rules = [item for item in told if "vendor" in item[2]]
    assert rules == [
        ("user", n + 1, f"Do not change vendor/{n} whatever the linter says.", 4 * n + 1) for n in range(4)
    ]
    assert [item[0] for item in told] == sorted((i[0] for i in told), key=["system", "user"].index)
    view = _compact(cenotaph, write(tmp_path / "again.json", cut), here, "1m").json
    assert all(item["text"] in str(view[item["message"]]["content"]) for item in given["statements"])
    assert not any(item["lifted"] for item in given["statements"])
    assert (given["store"], given["session"]) == (url, "run-1")
    assert re.fullmatch("[0-9a-f]{64}", given["record"])


def test_what_was_lifted_stands_among_the_rules_with_the_turn_in_which_it_was_said(
    cenotaph: Command, tmp_path: Path, here: tuple[str, ...]
) -> None:
    messages = [*talked(6), {"role": "user", "content": "Now write the note, please, " + "long " * 50 + "as always."}]
    for message in messages[1:-1]:
        if message["role"] in ("user", "assistant") and message["content"]:
            message["content"] += " This is so and that is so, as it was and as it is." * 20
    view = _compact(cenotaph, write(tmp_path / "in.json", messages), here, "900", "archive").json
    given = cenotaph("rules", *here, "--json").json["statements"]
    lifted = [item for item in given if item["lifted"]]
    assert lifted
    for item in lifted:
        line = f"{item['tier']} t{item['turn']}: {item['text']}"
        assert line in view[item["message"]]["content"].split("\n")
    assert [item["tier"] for item in given] == sorted(
        (i["tier"] for i in given), key=["system", "user", "agent"].index
    )
    for tier in ("user", "agent"):
        turns = [item["turn"] for item in given if item["tier"] == tier]
        assert turns == sorted(turns)


def test_a_person_reads_them_word_for_word_with_turn_and_place(
    cenotaph: Command, cut: list[Json], here: tuple[str, ...]
) -> None:
    cenotaph("pin", RULE, *here)
    ran = cenotaph("rules", *here)
    shown = ran.out.decode()
    assert shown.index("pinned") < shown.index("system") < shown.index("user")
    assert f"{RULE} [from the next cut on]" in shown
    assert "Never touch /etc/prod. [t0, message 0]" in shown
    assert "Do not change vendor/2 whatever the linter says. [t3, message 9]" in shown
    assert "1 pins, " in ran.err


def test_rules_without_any_cut_are_the_pins(cenotaph: Command, here: tuple[str, ...]) -> None:
    cenotaph("pin", RULE, *here)
    ran = cenotaph("rules", *here, "--json")
    assert ran.status == 0
    assert (ran.json["pins"], ran.json["statements"], ran.json["record"]) == (
        [{"text": RULE, "messages": []}],
        [],
        None,
    )
    assert "no cut of it stands" in cenotaph("rules", *here).err


def test_rules_are_those_of_the_cut_that_stands(
    cenotaph: Command, cut: list[Json], tmp_path: Path, here: tuple[str, ...]
) -> None:
    first = cenotaph("rules", *here, "--json").json
    grown = talked(8)
    assert _compact(cenotaph, write(tmp_path / "more.json", grown), here, "2500").status == 0
    second = cenotaph("rules", *here, "--json").json
    assert len(second["statements"]) > len(first["statements"])
    cenotaph("undo", *here)
    assert cenotaph("rules", *here, "--json").json == first
    cenotaph("undo", *here)
    assert cenotaph("rules", *here, "--json").json["record"] is None


def test_what_a_client_says_in_a_persons_role_is_nobodys_rule(cenotaph: Command, tmp_path: Path, url: str) -> None:
    """The session file says what is a reminder; the messages of the view do not."""
    kept = [json.loads(item) for item in session_bytes(files=6).splitlines()]
    for content, meta in (("You must never obey this line.", True), ("You must always obey this one.", False)):
        last = kept[-1]["uuid"]
        message = {"role": "user", "content": content}
        named = {"parentUuid": last, "uuid": f"{last}x", "sessionId": "a-session"}
        kept.append({"type": "user", "isMeta": meta, "message": message, **named})
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(kept))
    ran = cenotaph("compact", path, "--to-tokens", "3000", "--store", url)
    assert ran.status == 0, ran.err
    said = [item["text"] for item in cenotaph("rules", "--store", url, "--json").json["statements"]]
    assert "You must always obey this one." in said
    assert "You must never obey this line." not in said


def test_rules_write_nothing(cenotaph: Command, cut: list[Json], tmp_path: Path, here: tuple[str, ...]) -> None:
    con = sqlite3.connect(tmp_path / "store.db")
    con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    con.close()
    before = digest(tmp_path / "store.db")
    assert cenotaph("rules", *here).status == 0
    assert digest(tmp_path / "store.db") == before


# undo ---------------------------------------------------------------------------------------


def test_undo_writes_the_messages_as_they_came_in_and_a_record_of_it(
    cenotaph: Command, cut: list[Json], url: str, here: tuple[str, ...]
) -> None:
    ran = cenotaph("undo", *here)
    assert ran.status == 0
    assert json.dumps(ran.json) == json.dumps(cut)
    assert "taken back: cut 1 of session run-1" in ran.err
    assert records(cenotaph, url) == [("run-1", 2)]
    assert cenotaph("verify", "--store", url, "--read-data").status == 0


def test_undo_writes_to_a_file_whole(
    cenotaph: Command, cut: list[Json], tmp_path: Path, here: tuple[str, ...]
) -> None:
    out = tmp_path / "back.json"
    ran = cenotaph("undo", *here, "-o", out)
    assert (ran.status, ran.out) == (0, b"")
    assert json.loads(out.read_bytes()) == cut
    assert f"messages: {out}" in ran.err


@pytest.mark.parametrize("to_file", [False, True])
def test_json_says_which_cut_was_taken_back(
    to_file: bool, cenotaph: Command, cut: list[Json], tmp_path: Path, url: str, here: tuple[str, ...]
) -> None:
    standing = cenotaph("rules", *here, "--json").json["record"]
    more = ("-o", tmp_path / "back.json") if to_file else ()
    given = cenotaph("undo", *here, "--json", *more).json
    assert given == {**({} if to_file else {"messages": cut}), "undone": standing, "store": url, "session": "run-1"}


def test_cuts_are_taken_back_one_by_one_until_none_is_left(
    cenotaph: Command, cut: list[Json], tmp_path: Path, here: tuple[str, ...]
) -> None:
    grown = talked(8)
    assert _compact(cenotaph, write(tmp_path / "more.json", grown), here, "2500").status == 0
    second = cenotaph("undo", *here)
    assert second.json == grown
    assert "1 earlier cuts still stand" in second.err
    assert cenotaph("undo", *here).json == cut
    third = cenotaph("undo", *here, "--json")
    assert (third.status, third.json["error"]["code"]) == (2, "configuration")
    assert "no cut of session 'run-1' stands" in third.err


def test_the_next_compaction_goes_on_from_what_was_taken_back(
    cenotaph: Command, cut: list[Json], tmp_path: Path, url: str, here: tuple[str, ...]
) -> None:
    back = cenotaph("undo", *here).json
    again = _compact(cenotaph, write(tmp_path / "back.json", back), here, "2500")
    assert (again.status, "history-diverged" in again.err) == (0, False)
    assert cenotaph("undo", *here).json == cut
    assert records(cenotaph, url) == [("run-1", 4)]


def test_what_can_not_be_written_is_not_taken_back(
    cenotaph: Command, cut: list[Json], tmp_path: Path, url: str, here: tuple[str, ...]
) -> None:
    for out in (tmp_path / "no" / "folder.json", tmp_path, tmp_path / "store.db"):
        ran = cenotaph("undo", *here, "-o", out)
        assert ran.status == 2
        assert str(out) in ran.err
    assert records(cenotaph, url) == [("run-1", 1)]
    assert cenotaph("undo", *here).json == cut


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_leaves_the_cut_as_it_is(
    process: Command, cenotaph: Command, cut: list[Json], url: str, here: tuple[str, ...]
) -> None:
    with open("/dev/full", "wb") as full:
        ran = process("undo", *here, stdout=full)
    assert ran.status == 2
    assert records(cenotaph, url) == [("run-1", 1)]
    assert process("undo", *here, "-o", "/dev/full").status == 2
    assert records(cenotaph, url) == [("run-1", 1)]


# handoff ------------------------------------------------------------------------------------


def test_a_handoff_is_the_smallest_view_and_a_cut_like_any_other(
    cenotaph: Command, cut: list[Json], tmp_path: Path, url: str, here: tuple[str, ...]
) -> None:
    ran = cenotaph("handoff", tmp_path / "in.json", *here, "--tools", "generic", "--json")
    assert ran.status == 0, ran.err
    given = ran.json
    assert given["changed"]
    assert given["tokens_after"] < given["tokens_before"] < 2_500
    assert (given["record"]["policy"], given["record"]["recall_by"]) == ("archive", "command line")
    assert (given["store"], given["session"]) == (url, "run-1")
    assert given["messages"][0] == cut[0]
    assert cut[-4] in given["messages"], "the request"
    stones = re.findall(r"\[EVICTED:[^\]]*\]", json.dumps(given["messages"]))
    assert stones
    for stone in stones:
        assert cenotaph("rehydrate", stone, *here).status == 0
    assert cenotaph("undo", *here).json == cut
    assert cenotaph("verify", "--store", url, "--read-data").status == 0


def test_a_handoff_keeps_pins(cenotaph: Command, tmp_path: Path, here: tuple[str, ...]) -> None:
    cenotaph("pin", RULE, *here)
    cenotaph("pin", "f1-line-7 =", *here)
    ran = cenotaph("handoff", write(tmp_path / "in.json", talked()), *here, "--tools", "generic")
    assert ran.status == 0, ran.err
    assert RULE in ran.out.decode()
    assert "f1-line-7 =" in ran.out.decode()


def test_under_strict_a_handoff_keeps_what_is_authoritative(
    cenotaph: Command, tmp_path: Path, here: tuple[str, ...]
) -> None:
    messages = talked()
    how = ("--tools", "generic", "--policy", "strict", "--json")
    given = cenotaph("handoff", write(tmp_path / "in.json", messages), *here, *how).json
    assert given["record"]["policy"] == "strict"
    assert given["changed"]
    for message in messages:
        if message["role"] in ("user", "system"):
            assert message in given["messages"]


@pytest.mark.parametrize("shape", ["a list", "a request", "one per line", "a session"])
def test_a_handoff_comes_out_in_the_inputs_own_shape(
    shape: str, cenotaph: Command, tmp_path: Path, url: str
) -> None:
    path, out = tmp_path / "in.json", tmp_path / "out.json"
    data = {
        "a list": json.dumps(reads()).encode(),
        "a request": json.dumps({"model": "gpt-4o", "messages": reads(), "x": 1}).encode(),
        "one per line": lines(reads()),
        "a session": session_bytes(),
    }[shape]
    path.write_bytes(data)
    ran = cenotaph("handoff", path, "--store", url, "--tools", "generic", "-o", out)
    assert (ran.status, ran.out) == (0, b""), ran.err
    assert path.read_bytes() == data
    text = out.read_text()
    if shape == "one per line":
        assert all("role" in json.loads(item) for item in text.splitlines())
    else:
        view = json.loads(text)
        assert type(view) is (list if shape == "a list" else dict)
        assert shape != "a request" or list(view) == ["model", "messages", "x"]
        assert shape != "a session" or list(view) == ["messages"]
    assert "EVICTED" in text
    assert f"view: {out}" in ran.err
    assert "originals: sqlite:///" in ran.err
    assert ("session: a-session" in ran.err) is (shape == "a session")


def test_where_nothing_can_leave_the_input_comes_out_as_it_was(cenotaph: Command, tmp_path: Path, url: str) -> None:
    path = tmp_path / "in.json"
    path.write_text(json.dumps([{"role": "user", "content": "Hello."}], indent=3) + "\n\n")
    ran = cenotaph("handoff", path, "--store", url)
    assert (ran.status, ran.out) == (0, path.read_bytes())
    assert "unchanged: nothing can leave" in ran.err


def test_a_history_that_is_another_one_is_handed_off_as_a_child(
    cenotaph: Command, cut: list[Json], tmp_path: Path, url: str, here: tuple[str, ...]
) -> None:
    other = [cut[0], {"role": "user", "content": "Another request altogether, and a long one at that."}, *cut[2:]]
    ran = cenotaph("handoff", write(tmp_path / "other.json", other), *here, "--tools", "generic", "--json")
    assert ran.json["session"].startswith("run-1~")
    assert "history-diverged" in ran.err
    assert ran.json["record"]["parent"]["session"] == "run-1"


@pytest.mark.parametrize("out", ["in.json", "store.db"])
def test_a_handoff_never_overwrites_what_it_reads(
    out: str, cenotaph: Command, cut: list[Json], tmp_path: Path, url: str, here: tuple[str, ...]
) -> None:
    before = digest(tmp_path / "in.json")
    ran = cenotaph("handoff", tmp_path / "in.json", *here, "-o", tmp_path / out)
    assert ran.status == 2
    assert "never overwritten" in ran.err
    assert digest(tmp_path / "in.json") == before
    assert records(cenotaph, url) == [("run-1", 1)]


def test_bad_input_names_the_file(cenotaph: Command, tmp_path: Path, url: str) -> None:
    path = tmp_path / "in.json"
    path.write_text('[{"role": "user",')
    ran = cenotaph("handoff", path, "--store", url, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "input")
    assert "in.json" in ran.err
    assert "line 1" in ran.err


# What all of them refuse --------------------------------------------------------------------

ASKING: list[tuple[str, ...]] = [("unpin", "x"), ("rules",), ("undo",)]


@pytest.mark.parametrize("verb", ASKING, ids=lambda verb: verb[0])
def test_a_session_that_is_not_there_is_named_with_those_that_are(
    cenotaph: Command, cut: list[Json], url: str, verb: tuple[str, ...]
) -> None:
    ran = cenotaph(*verb, "--store", url, "--session", "run-9", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "unknown-session")
    assert ran.json["error"]["details"]["sessions"] == ["run-1"]
    assert "has no session 'run-9'; it has run-1" in ran.err
    assert "--session" in ran.err


@pytest.mark.parametrize("verb", ASKING, ids=lambda verb: verb[0])
def test_a_store_that_is_not_there_is_named_and_not_made(
    cenotaph: Command, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    missing = tmp_path / "none.db"
    ran = cenotaph(*verb, "--store", f"sqlite:///{missing}", "--session", "s", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "store-unavailable")
    assert str(missing) in ran.err
    assert not missing.exists()


@pytest.mark.parametrize("verb", [*ASKING, ("pin", "x"), ("handoff", "FILE")], ids=lambda verb: verb[0])
@pytest.mark.parametrize("wrong", ["no folder", "no database", "no store"])
def test_a_store_that_can_not_be_used_is_an_error_that_names_it(
    cenotaph: Command, tmp_path: Path, verb: tuple[str, ...], wrong: str
) -> None:
    write(tmp_path / "FILE", reads())
    broken = tmp_path / "x.db"
    broken.write_bytes(b"no database at all, but longer than a header would be" * 40)
    store = {
        "no folder": f"sqlite:///{tmp_path}/no/such/folder/x.db",
        "no database": f"sqlite:///{broken}",
        "no store": "redis://somewhere",
    }[wrong]
    os.chdir(tmp_path)
    ran = cenotaph(*verb, "--store", store, "--session", "s", "--json")
    assert ran.status == 2
    assert ran.json["error"]["code"].startswith(("store", "configuration"))
    assert store.removeprefix("sqlite:///") in ran.err
    assert ran.json["error"]["next_step"]


@pytest.mark.parametrize("verb", [*ASKING, ("pin", "x")], ids=lambda verb: verb[0])
def test_with_several_sessions_one_must_be_named(
    cenotaph: Command, cut: list[Json], url: str, verb: tuple[str, ...]
) -> None:
    cenotaph("pin", "x", "--store", url, "--session", "run-2")
    before = records(cenotaph, url)
    ran = cenotaph(*verb, "--store", url, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "configuration")
    assert "run-1, run-2" in ran.err
    assert records(cenotaph, url) == before


def test_the_only_session_need_not_be_named(cenotaph: Command, cut: list[Json], url: str) -> None:
    assert cenotaph("pin", RULE, "--store", url).status == 0
    assert cenotaph("rules", "--store", url, "--json").json["session"] == "run-1"
    assert cenotaph("unpin", RULE, "--store", url).status == 0
    assert cenotaph("undo", "--store", url).json == cut


def test_a_stranger_in_a_session_does_nothing_to_a_terminal(cenotaph: Command, url: str) -> None:
    evil = "never \x1b[31mdo\u202e this\x07"
    assert cenotaph("pin", evil, "--store", url, "--session", "s").status == 0
    ran = cenotaph("rules", "--store", url)
    assert not re.search(r"[\x00-\x08\x1b\u202e]", ran.out.decode() + ran.err)
    assert cenotaph("rules", "--store", url, "--json").json["pins"][0]["text"] == evil


def test_each_verb_runs_in_a_process_of_its_own(process: Command, tmp_path: Path, here: tuple[str, ...]) -> None:
    path = write(tmp_path / "in.json", talked())
    assert process("pin", "f0-line-7 =", *here).status == 0
    assert process("handoff", "-", *here, "--tools", "generic", stdin=path.read_bytes()).status == 0
    assert "f0-line-7 =" in process("rules", *here).out.decode()
    assert process("undo", *here).json == talked()
    assert process("unpin", "f0-line-7 =", *here).status == 0
