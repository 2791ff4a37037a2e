"""Asking for what left: every spelling of a handle finds it, nothing else does, and the nearest comes first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import Shelf

from cenotaph.core.asking import aliases, is_tail, path_of, read_question, spellings
from cenotaph.core.handles import fingerprint
from cenotaph.core.manifest import Manifest
from cenotaph.core.tombstone import Tombstone
from cenotaph.errors import AmbiguousHandle, IrreversibleCompactionError, StoreDamaged, StoreError, StoreUnavailable
from cenotaph.store.memory import MemoryStore
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.faulty import FaultyStore


@pytest.fixture(params=["sqlite", "memory"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    store = SqliteStore(tmp_path / "store.db") if request.param == "sqlite" else MemoryStore()
    yield Shelf(store)
    store.close()


def gap(shelf: Shelf, what: str) -> IrreversibleCompactionError:
    with pytest.raises(IrreversibleCompactionError) as raised:
        shelf.ask(what)
    return raised.value


# Names ---------------------------------------------------------------------------------------

PATHS = [
    *("src/app.py", "./src/app.py", "src\\app.py", ".\\src\\app.py"),
    *("src//app.py", "src/./app.py", "src/x/../app.py"),
]
LINES = ["src/app.py:12", "src/app.py:12:5", "src/app.py:12-20", "src/app.py#L10", "src/app.py#L10-L20"]


@pytest.mark.parametrize("written", [*PATHS, *LINES, "file:src/app.py", "file:./src/app.py"])
@pytest.mark.parametrize("asked", [*PATHS, *LINES, "file:src/app.py", "`src/app.py`", '"src/app.py:3"', " src/app.py "])
def test_a_path_is_found_in_every_spelling(written: str, asked: str) -> None:
    shelf = Shelf(MemoryStore())
    kind = "native" if written.startswith("file:") else "path"
    shelf.put("a", "content")
    shelf.name("a", written, kind=kind)
    shelf.put("b", "another", "src/app.pyc", "lib/src/apps.py", "src/app")
    assert shelf.ids(asked) == ["a"]


@pytest.mark.parametrize("aliased", [True, False])
@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("https://Host.example/a/b?x=1#y", "https://host.example/a/b"),
        ("https://host.example/a/b", "https://host.example/a/b/"),
        ("https://host.example/a/b/", "https://host.example/a/b?page=2"),
        ("https://host.example", "https://host.example/"),
        ("PAYMENTS_DB_REPLICA=eu-west-2b", "PAYMENTS_DB_REPLICA"),
        ("--budget=500", "--budget"),
        ("retries: 3", "retries"),
        ("C:\\work\\app.py:3", "c:/work/app.py"),
        ("src/app.py:7", "./src/app.py"),
    ],
)
def test_a_handle_is_found_by_its_other_names_also_where_no_row_says_them(
    written: str, asked: str, aliased: bool
) -> None:
    shelf = Shelf(MemoryStore())
    shelf.put("a", "content")
    shelf.put("b", "another", "https://host.example/a", "PAYMENTS_DB", "other: 3")
    shelf.name("a", written, aliased=aliased)
    (found,) = shelf.ask(asked)
    assert (found.span_id, found.matched) == ("a", "alias")
    assert shelf.ask(written)[0].matched == "exact"


@pytest.mark.parametrize("value", ["OPS-4412", "do not touch anything under /etc/prod/", "v1.2.3", "10.0.0.1", "a@b.c"])
def test_any_handle_is_found_as_it_stands(shelf: Shelf, value: str) -> None:
    shelf.put("a", "content", value)
    assert shelf.ids(value) == ["a"]
    assert shelf.ids(f"  `{value}`  ") == ["a"]


@pytest.mark.parametrize("value", ["", "v1.2.3", "OPS-4412", "a b", "x", "://", "file:", "dir:", "=", ":", "\\", "/"])
def test_most_handles_have_no_other_name(value: str) -> None:
    assert aliases("id", value) == () or value in ("file:", "dir:", "\\", "/")


@pytest.mark.parametrize("kind", ["literal", "prohibition", "tombstone"])
def test_words_have_no_other_name(kind: str) -> None:
    assert aliases(kind, "do=not touch src/app.py:3") == ()
    assert aliases(kind, "src/app.py:3") == ()


@given(st.text(max_size=60))
def test_other_names_never_repeat_and_never_grow(value: str) -> None:
    names = aliases("path", value)
    assert value not in names
    assert len(set(names)) == len(names) <= 2
    assert all(0 < len(name) <= len(value) for name in names)


segments = st.lists(st.sampled_from(["a", "b", "src", "app.py", "my_app.py", "ä"]), min_size=1, max_size=5)


@given(segments, st.integers(0, 99), st.sampled_from(["", "./", "file:", "file:./", "x/../"]), st.booleans())
def test_two_spellings_of_one_path_have_a_name_in_common(parts: list[str], line: int, lead: str, back: bool) -> None:
    path = "/".join(["top", *parts])
    other = lead + path + (f":{line}" if line else "")
    other = other.replace("/", "\\") if back else other
    assert path_of(other) == path
    assert set(spellings(other)) & set(spellings(path))


@given(segments, segments)
def test_a_tail_is_one_of_whole_segments(head: list[str], tail: list[str]) -> None:
    short, long = "/".join(tail), "/".join([*head, *tail])
    assert is_tail(short, long)
    assert is_tail(long, short)
    assert is_tail(short, "/" + long)
    assert not is_tail(short, short)
    assert not is_tail("/" + short, "/" + long)
    assert not is_tail("x" + short, long)


# Tails ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("/home/me/repo/src/app.py", "src/app.py"),
        ("/home/me/repo/src/app.py:4", "./src/app.py"),
        ("src/app.py", "/home/me/repo/src/app.py"),
        ("file:src/app.py", "C:\\repo\\src\\app.py"),
        ("docs/guide.md", "guide.md"),
    ],
)
def test_a_path_answers_for_its_tail_and_says_so(shelf: Shelf, written: str, asked: str) -> None:
    shelf.put("a", "content", written)
    shelf.put("b", "another", "src/my_app.py", "src/other/app.pyx", "lib/my_guide.md")
    (found,) = shelf.ask(asked)
    assert (found.span_id, found.matched, found.asked) == ("a", "tail", (asked,))


def test_a_tail_of_several_paths_is_a_gap_that_names_them(shelf: Shelf) -> None:
    shelf.put("a", "content", "one/src/app.py")
    shelf.put("b", "another", "two/src/app.py")
    with pytest.raises(AmbiguousHandle) as raised:
        shelf.ask("src/app.py")
    assert set(raised.value.hints) == {"one/src/app.py", "two/src/app.py"}
    assert (raised.value.exit_status, raised.value.code) == (1, "ambiguous")
    assert shelf.ids("one/src/app.py") == ["a"]


def test_paths_that_are_tails_of_each_other_are_one(shelf: Shelf) -> None:
    shelf.put("a", "content", "src/app.py")
    shelf.put("b", "another", "/home/me/src/app.py", turn=2)
    assert shelf.ids("app.py") == ["b", "a"]


def test_the_longest_tail_of_what_was_asked_counts(shelf: Shelf) -> None:
    shelf.put("a", "content", "src/app.py")
    shelf.put("b", "another", "lib/src/app.py")
    assert shelf.ids("/home/me/lib/src/app.py") == ["b"]


def test_a_bare_file_name_never_answers_for_a_longer_path(shelf: Shelf) -> None:
    shelf.put("a", "content", "config.yaml")
    assert gap(shelf, "/etc/config.yaml").hints == ["config.yaml"]


def test_an_exact_path_is_never_widened_by_its_tails(shelf: Shelf) -> None:
    shelf.put("a", "content", "src/app.py")
    shelf.put("b", "another", "/home/me/src/app.py")
    assert shelf.ids("src/app.py") == ["a"]


# Store handles -------------------------------------------------------------------------------


def test_a_store_handle_is_found_whole_and_by_its_beginning(shelf: Shelf) -> None:
    handle = shelf.put("a", "content")
    for number in range(20):
        shelf.put(f"other{number}", f"another {number}")
    for asked in (handle, handle[:9], handle[:12], f"({handle[:10]})", f"see {handle}."):
        assert shelf.ids(asked) == ["a"]


@pytest.mark.parametrize("digits", [0, 1, 5])
def test_too_few_digits_are_no_handle(shelf: Shelf, digits: int) -> None:
    handle = shelf.put("a", "content")
    gap(shelf, handle[: 3 + digits])


def test_the_beginning_of_several_is_a_gap_that_names_them(shelf: Shelf) -> None:
    objects = {f"cx:abcdef{number:010d}": b'"x"' for number in range(2)}
    names = list(objects)
    shelf.put("seed", "x")
    rows = shelf.store.span_rows("s")
    shelf.store.put_spans("s", objects, [replace(rows[0], span_id=f"p{n}", handle=h) for n, h in enumerate(names)])
    with pytest.raises(AmbiguousHandle) as raised:
        shelf.ask("cx:abcdef")
    assert raised.value.hints == names
    with pytest.raises(StoreDamaged, match="other bytes"):  # whole, it is one name; these were made by hand
        shelf.ids(names[1])


def test_an_object_without_a_span_is_no_original(shelf: Shelf) -> None:
    shelf.store.put_spans("s", {"cx:abcdef0000000000": b'{"source":[]}'}, [])
    gap(shelf, "cx:abcdef0000000000")
    gap(shelf, "cx:abcdef")


# Lines of ours --------------------------------------------------------------------------------


def test_a_line_of_ours_asks_for_what_it_points_to_and_for_nothing_else(shelf: Shelf) -> None:
    old = shelf.put("old", "as it was", native="file:src/app.py", turn=4)
    new = shelf.put("new", "as it is", native="file:src/app.py", turn=9)
    manifest = shelf.manifest(["old"])
    for line in (
        f"path: src/app.py (t4, agent, {old})",
        f"  path: src/app.py (t4.1, tool, {old}) and more",
        f"literal: `see {new}` (t4, agent, {old})",
        f"[SUMMARY:work@t1-t4:source={old}] the agent read src/app.py",
        f"[SUMMARY:work@t1-t4:source={manifest}]\nread src/app.py ({new[:9]})",
        Tombstone("tool_result", 4, 1, ("file:src/app.py", old)).render(),
        Tombstone("tombstones", 1, None, (manifest,)).render(),
    ):
        assert shelf.ids(line) == ["old"], line
    assert shelf.ids("src/app.py") == ["new", "old"]


def test_several_lines_ask_for_all_that_they_point_to(shelf: Shelf) -> None:
    one, two = shelf.put("one", "1", turn=1), shelf.put("two", "2", turn=2)
    lines = ["[CENOTAPH:page: not from the user]", Tombstone("plan", 1, None, (one,)).render()]
    page = "\n".join([*lines, f"id: OPS-1 (t2, tool, {two})"])
    assert shelf.ids(page) == ["two", "one"]


def test_a_tombstone_is_first_its_own_name(shelf: Shelf) -> None:
    call = shelf.put("call", "arguments", kind="call", provenance="agent", turn=3, position=1)
    shelf.put("result", "answer", turn=3, position=2)
    line = Tombstone("tool_exchange", 3, 1, (call,)).render()
    assert shelf.ids(line) == ["call"]
    for span_id in ("call", "result"):
        shelf.name(span_id, line, kind="tombstone")
    assert shelf.ids(f"{line} read_file") == ["call", "result"]


def test_of_equal_content_a_tombstone_means_that_which_stood_there(shelf: Shelf) -> None:
    handle = shelf.put("first", "same", turn=2, native="file:a.py")
    shelf.put("second", "same", turn=5, native="file:a.py")
    assert shelf.ids(Tombstone("tool_result", 2, 1, (handle,)).render()) == ["first"]
    assert shelf.ids(Tombstone("tool_result", 5, 1, ("file:a.py",)).render()) == ["second"]
    assert shelf.ids(handle) == ["second", "first"]


@pytest.mark.parametrize("recover", [("cx:deadbeefdeadbeef",), ("file:a.py", "cx:deadbeefdeadbeef"), ()])
def test_a_line_whose_original_is_not_there_is_a_gap_and_no_other_version(
    shelf: Shelf, recover: tuple[str, ...]
) -> None:
    shelf.put("a", "content", "a.py", native="file:a.py")
    gap(shelf, Tombstone("tool_result", 1, 1, recover).render())
    gap(shelf, "path: a.py (t1, tool, cx:deadbeefdeadbeef)")
    gap(shelf, "[SUMMARY:work@t1-t2:source=cx:deadbeefdeadbeef] a.py")


# Manifests -----------------------------------------------------------------------------------


def test_a_pointer_stands_for_all_spans_and_for_the_folds_behind_it(shelf: Shelf) -> None:
    for number in range(6):
        shelf.put(f"s{number}", f"text {number}", turn=number)
    inner = shelf.manifest(["s0", "s1"])
    middle = shelf.manifest(["s2"], [inner])
    outer = shelf.manifest(["s4", "s3"], [middle, inner])
    assert shelf.ids(outer) == ["s4", "s3", "s2", "s1", "s0"]
    assert shelf.ids(inner) == ["s1", "s0"]


def test_a_fold_may_point_to_one_original(shelf: Shelf) -> None:
    one = shelf.put("one", "1")
    assert shelf.ids(shelf.manifest([], [one])) == ["one"]


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=6, max_size=6))
def test_pointers_in_a_circle_come_to_an_end_and_give_each_original_once(points: list[list[int]]) -> None:
    """Handles are hashes, so a true store has no circle; a damaged or forged one may."""
    shelf = Shelf(MemoryStore())
    handles = [f"cx:{number:016x}" for number in range(6)]
    for number, folds in enumerate(points):
        shelf.put(f"s{number}", f"text {number}", turn=number)
        made = Manifest((f"s{number}",), tuple(handles[fold] for fold in folds), (0, 9))
        shelf.store.put_spans("s", {handles[number]: made.encode()}, [])
    for number in range(6):
        made = Manifest((f"s{number}",), tuple(handles[fold] for fold in points[number]), (0, 9))
        shelf.store.put_spans("s", {}, [made.row(handles[number], position=100 + number)])
    reached, waiting = set(), [0]
    while waiting:
        number = waiting.pop()
        if number not in reached:
            reached.add(number)
            waiting += points[number]
    assert shelf.ids(handles[0]) == [f"s{number}" for number in sorted(reached, reverse=True)]


def test_a_tools_output_that_looks_like_a_manifest_is_content(shelf: Shelf) -> None:
    shelf.put("secret", "text")
    forged = {"spans": ["secret"], "folds": [], "turns": [0, 1]}
    for provenance, kind in (("tool", "manifest"), ("tool", "result"), ("user", "manifest")):
        shelf.put(f"{provenance} {kind}", forged, provenance=provenance, kind=kind)
    assert set(shelf.ids(shelf.handles["tool manifest"])) == {"tool manifest", "tool result", "user manifest"}


def test_our_own_text_is_no_original(shelf: Shelf) -> None:
    shelf.put("page", "[CENOTAPH:...]", "src/app.py", provenance="compactor", kind="text")
    gap(shelf, shelf.handles["page"])
    gap(shelf, "src/app.py")


@pytest.mark.parametrize(("spans", "folds"), [(["nobody"], []), ([], ["cx:0000000000000000"])])
def test_a_manifest_that_names_what_is_not_there_is_damage_and_no_gap(
    shelf: Shelf, spans: list[str], folds: list[str]
) -> None:
    shelf.put("a", "content")
    with pytest.raises(StoreDamaged) as raised:
        shelf.ask(shelf.manifest(["a", *spans], folds))
    assert raised.value.details["missing"] == (spans or folds)[0]


# Places and words ----------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ["t12", "T12", "turn 12", "Turn  12", " t12 "])
def test_a_turn_gives_all_that_stood_in_it(shelf: Shelf, asked: str) -> None:
    shelf.put("before", "0", turn=11)
    shelf.put("human", "1", turn=12, exchange=0, provenance="user", kind="text")
    shelf.put("call", "2", turn=12, exchange=1)
    shelf.put("result", "3", turn=12, exchange=1)
    shelf.put("second", "4", turn=12, exchange=2)
    shelf.put("ours", "5", turn=12, provenance="compactor")
    shelf.manifest(["before"])
    assert shelf.ids(asked) == ["second", "call", "result", "human"]


@pytest.mark.parametrize("asked", ["t3.2", "turn 3.2"])
def test_an_exchange_of_a_turn_is_found_by_its_number(shelf: Shelf, asked: str) -> None:
    for exchange in (1, 2, 3):
        shelf.put(f"e{exchange}", f"{exchange}", turn=3, exchange=exchange)
    assert shelf.ids(asked) == ["e2"]
    gap(shelf, "t3.4")
    gap(shelf, "t4")


def test_a_name_that_looks_like_a_turn_is_still_a_name(shelf: Shelf) -> None:
    shelf.put("a", "content", "t99")
    assert shelf.ids("t99") == ["a"]


def test_a_text_is_asked_by_its_handles_and_more_of_them_count_more(shelf: Shelf) -> None:
    shelf.put("both", "1", "src/a.py", "src/b.py", turn=1)
    shelf.put("one", "2", "src/a.py", turn=5)
    shelf.put("none", "3", "src/c.py", turn=9)
    found = shelf.ask("How do src/a.py and src/b.py differ?")
    assert [span.span_id for span in found] == ["both", "one"]
    assert set(found[0].asked) == {"src/a.py", "src/b.py"}
    assert found[1].asked == ("src/a.py",)


def test_words_of_the_shape_of_a_name_are_asked_for_too(shelf: Shelf) -> None:
    shelf.put("a", "content", "PAYMENTS_DB_REPLICA=eu-west-2b")
    shelf.put("b", "content", "what: 3", "the: 4")
    assert shelf.ids("what was the PAYMENTS_DB_REPLICA again?") == ["a"]


@pytest.mark.parametrize("what", ["", " ", "what was the plan?", "content", "as it was seen", "cx:", "t", "``", "|"])
def test_prose_resolves_nothing(shelf: Shelf, what: str) -> None:
    shelf.put("a", "content, as it was seen", "src/app.py", native="file:src/app.py")
    gap(shelf, what)


def test_a_question_is_redacted_as_names_are(shelf: Shelf) -> None:
    secret = "sk-" + "a1B2" * 8
    shelf.put("a", "content", f"API_KEY={secret}", f"https://me:{secret}@host.example/x")
    shelf.put("b", "another", secret)
    assert shelf.ids(secret) == ["b"]
    assert shelf.ids(fingerprint(secret, shelf.store.key())) == ["b"]
    assert shelf.ids(f"API_KEY={secret}") == ["a"]
    assert shelf.ids("API_KEY") == ["a"]
    assert shelf.ids(f"https://me:{secret}@host.example/x/") == ["a"]
    assert not any(secret in value for value in shelf.store.handle_values("s"))


# Order ---------------------------------------------------------------------------------------


def test_the_nearest_comes_first_each_rule_deciding_where_those_before_it_do_not(shelf: Shelf) -> None:
    shelf.put("mentioned by a tool", "1", "src/app.py", turn=9)
    shelf.put("mentioned by a person", "2", "src/app.py", turn=2, provenance="user", kind="text")
    shelf.put("its own, old", "3", native="file:src/app.py", turn=1, state="live")
    shelf.put("its own, new", "4", native="file:src/app.py", turn=3, state="dead")
    shelf.put("another spelling", "5", "src/app.py:12", turn=99)
    assert shelf.ids("src/app.py") == [
        "its own, new",
        "its own, old",
        "mentioned by a person",
        "mentioned by a tool",
        "another spelling",
    ]


def test_newest_first_and_liveness_only_told(shelf: Shelf) -> None:
    for turn, state in ((1, "live"), (2, "dead"), (3, "unknown")):
        shelf.put(f"s{turn}", f"{turn}", native="file:a.py", turn=turn, state=state)
    assert [(span.span_id, span.liveness) for span in shelf.ask("file:a.py")] == [
        ("s3", "unknown"),
        ("s2", "dead"),
        ("s1", "live"),
    ]


# Ancestors -----------------------------------------------------------------------------------


def fork(parent: Shelf, name: str, record_id: str | None, **fields: object) -> Shelf:
    child = Shelf(parent.store, name)
    child.record(parent={"session": parent.session, "record_id": record_id}, **fields)
    return child


def test_a_child_is_asked_first_and_then_its_ancestors(shelf: Shelf) -> None:
    shelf.put("grandparent", "1", "a.py", "b.py", "c.py")
    parent = fork(shelf, "parent", shelf.record())
    parent.put("parent", "2", "a.py", "b.py")
    child = fork(parent, "child", parent.record())
    child.put("child", "3", "a.py")
    assert [child.ids(what) for what in ("a.py", "b.py", "c.py")] == [["child"], ["parent"], ["grandparent"]]
    assert child.ids(shelf.handles["grandparent"]) == ["grandparent"]
    assert child.ids("what of b.py and c.py?") == ["parent", "grandparent"]
    gap(child, "d.py")
    gap(shelf, parent.handles["parent"])
    gap(Shelf(shelf.store, "stranger"), "a.py")


def test_what_the_parent_saw_after_the_fork_is_not_the_childs(shelf: Shelf) -> None:
    shelf.put("before", "1", "a.py")
    forked_at = shelf.record(entries=[{"span": "before"}])
    child = fork(shelf, "child", forked_at)
    shelf.put("after", "2", "a.py", turn=2)
    shelf.record(entries=[{"span": "before"}, {"span": "after"}])
    assert child.ids("a.py") == ["before"]
    assert shelf.ids("a.py") == ["after", "before"]


def test_sessions_that_name_each_other_as_parents_come_to_an_end(shelf: Shelf) -> None:
    one = Shelf(shelf.store, "one")
    other = Shelf(shelf.store, "other")
    one.record(parent={"session": "other", "record_id": None})
    other.record(parent={"session": "one", "record_id": None})
    other.put("a", "content", "a.py")
    assert one.ids("a.py") == ["a"]
    gap(one, "b.py")


def test_a_parent_without_the_record_of_the_fork_is_damage(shelf: Shelf) -> None:
    shelf.record()
    child = fork(shelf, "child", "f" * 64)
    with pytest.raises(StoreDamaged):
        child.ask("a.py")


@pytest.mark.parametrize("parent", [None, "s", {}, {"session": 3}, {"session": None}])
def test_a_parent_of_another_shape_is_none(shelf: Shelf, parent: object) -> None:
    child = Shelf(shelf.store, "child")
    child.record(parent=parent)
    gap(child, "a.py")


# Gaps and failures -------------------------------------------------------------------------------


def test_a_gap_names_near_handles_and_no_content(shelf: Shelf) -> None:
    for number in range(9):
        shelf.put(f"s{number}", "the content of it", f"src/app{number}.py")
    error = gap(shelf, "src/apq.py")
    assert error.hints
    assert set(error.hints) <= set(shelf.store.handle_values("s"))
    assert len(error.hints) <= 5
    assert "the content" not in str(error)
    assert error.details["what"] == "src/apq.py"


@pytest.mark.parametrize(
    "what", ["a.py", "t1", "cx:", "gone.py", "nothing here", "cx:abcdef", "[EVICTED:plan@t1:recover=NO]"]
)
def test_a_store_that_fails_is_never_a_gap(shelf: Shelf, what: str) -> None:
    handle = shelf.put("a", "content", "a.py")
    faulty = Shelf(FaultyStore(shelf.store, reads_fail=True))
    with pytest.raises(StoreUnavailable):
        faulty.ask(handle if what == "cx:" else what)


def test_damaged_bytes_are_never_a_gap_and_never_left_out(shelf: Shelf) -> None:
    shelf.put("new", "content", "a.py", turn=2)
    bad = shelf.put("old", "other content", "a.py", turn=1)
    with pytest.raises(StoreError) as raised:
        Shelf(FaultyStore(shelf.store, damaged=[bad])).ask("a.py")
    assert raised.value.code == "store-damaged"


def test_a_question_says_what_it_asks_for() -> None:
    assert read_question("t3.2").turn == (3, 2)
    assert read_question("[EVICTED:plan@t1:recover=cx:0123456789abcdef]").of_markers
    assert read_question("see cx:0123456789abcdef").stored == ("cx:0123456789abcdef",)
    assert not read_question("file:cx:0123456789abcdef").stored


def test_reasoning_that_is_an_item_of_its_own_comes_back_as_what_the_model_read(shelf: Shelf) -> None:
    said = [{"type": "summary_text", "text": "First the log."}, {"type": "summary_text", "text": "Then AGENTS.md."}]
    item = {"type": "reasoning", "id": "rs_1", "summary": said, "encrypted_content": "gAAA"}
    shelf.put("thought", item, "AGENTS.md", kind="reasoning", provenance="agent")
    (back,) = shelf.ask("AGENTS.md")
    assert back.text == "First the log.\nThen AGENTS.md."
    assert back.block == item
