"""Large answers come in pages and pieces that lose nothing; what was removed is told and never skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import Shelf

from cenotaph import rehydrate
from cenotaph.api.recall import rehydrate_pages
from cenotaph.core import rehydrate as under_test
from cenotaph.core.rehydrate import Rehydrated, cut_at
from cenotaph.errors import ConfigurationError, InvalidCursor, StoreErased, StorePruned, StoreUnavailable
from cenotaph.store.memory import MemoryStore
from cenotaph.store.sqlite import SqliteStore
from cenotaph.testing.faulty import FaultyStore

LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture(params=["sqlite", "memory"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    store = SqliteStore(tmp_path / "store.db") if request.param == "sqlite" else MemoryStore()
    yield Shelf(store)
    store.close()


def all_pages(shelf: Shelf, what: str, limit_chars: int | None) -> list[list[Rehydrated]]:
    return list(rehydrate_pages(what, store=shelf.store, session=shelf.session, limit_chars=limit_chars))


# Pieces ------------------------------------------------------------------------------------------

texts = st.lists(
    st.text(st.characters(codec="utf-8") | st.sampled_from("\n\r e\u0301\u200d\U0001f468\U0001f3fd漢"), max_size=30),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(texts, st.integers(1, 40))
def test_pages_hold_every_original_whole_and_in_order_and_never_more_than_the_limit(
    contents: list[str], limit: int
) -> None:
    shelf = Shelf(MemoryStore())
    for number, content in enumerate(contents):
        shelf.put(f"s{number}", content, "a.py", turn=number)
    pages = all_pages(shelf, "a.py", limit)
    whole = shelf.ask("a.py")
    assert [span.cursor for span in whole] == [None] * len(contents)
    together: dict[str, str] = {}
    for page in pages:
        assert sum(len(span.text) for span in page) <= limit
        assert [span.cursor for span in page[:-1]] == [None] * (len(page) - 1)
        for span in page:
            assert len(together.setdefault(span.span_id, "")) == span.start
            together[span.span_id] += span.text
            assert span.total_chars == len(contents[int(span.span_id[1:])])
            assert span.whole == (span.block is not None)
    assert [page[-1].cursor is None for page in pages] == [False] * (len(pages) - 1) + [True]
    assert list(together.items()) == [(span.span_id, span.text) for span in whole]


def test_a_piece_ends_at_a_line_end_if_it_holds_one(shelf: Shelf) -> None:
    shelf.put("a", LINES, "a.py")
    pages = all_pages(shelf, "a.py", 50)
    assert all(page[0].text.endswith("\n") for page in pages)
    assert "".join(page[0].text for page in pages) == LINES


@pytest.mark.parametrize(
    "character",
    [
        *("e\u0301", "e\u0301\u0323", "\r\n", "\ud83d\ude00"),
        *("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3fd"),
    ],
)
def test_a_cut_never_lies_inside_a_character_that_is_written_as_several(character: str) -> None:
    text = "xxxx" + character + "y"
    ends = {cut_at(text, 0, limit) for limit in range(4, len(text) + 1)}
    assert ends == {4, 4 + len(character), len(text)}


def test_a_character_longer_than_a_piece_is_cut_all_the_same() -> None:
    text = "a" + "\u0301" * 100
    assert [cut_at(text, 0, 10), cut_at(text, 10, 10)] == [10, 20]


@given(st.text(max_size=50), st.integers(0, 49), st.integers(1, 60))
def test_a_cut_goes_on_and_never_beyond_the_limit(text: str, start: int, limit: int) -> None:
    if start < len(text):
        assert start < cut_at(text, start, limit) <= min(len(text), start + limit)


def test_a_page_begins_a_large_original_and_never_ends_with_the_beginning_of_one(shelf: Shelf) -> None:
    shelf.put("large", "x" * 100, "a.py", turn=1)
    shelf.put("small", "y" * 10, "a.py", turn=2)
    pages = [[(span.span_id, len(span.text)) for span in page] for page in all_pages(shelf, "a.py", 40)]
    assert pages == [[("small", 10)], [("large", 40)], [("large", 40)], [("large", 20)]]


def test_media_are_never_cut(shelf: Shelf) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 500}}
    shelf.put("text", "words", "a.png", turn=2)
    shelf.put("image", image, "a.png", turn=1, kind="media")
    pages = all_pages(shelf, "a.png", 20)
    assert [[span.span_id for span in page] for page in pages] == [["text"], ["image"]]
    assert (pages[1][0].block, pages[1][0].media, pages[1][0].whole) == (image, True, True)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_is_a_number_from_one(shelf: Shelf, limit: int) -> None:
    shelf.put("a", "content", "a.py")
    with pytest.raises(ConfigurationError):
        shelf.ask("a.py", limit_chars=limit)


# Pages -------------------------------------------------------------------------------------------


def test_a_fold_of_thousands_comes_in_pages_also_without_a_limit(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(under_test, "rehydrate_spans_max", 100)
    for number in range(250):
        shelf.put(f"s{number}", f"text {number}", turn=number)
    fold = shelf.manifest([f"s{number}" for number in range(250)])
    pages = all_pages(shelf, fold, None)
    assert [len(page) for page in pages] == [100, 100, 50]
    assert [span.span_id for page in pages for span in page] == [f"s{number}" for number in reversed(range(250))]


def test_what_is_written_between_two_pages_moves_nothing(shelf: Shelf) -> None:
    for number in range(4):
        shelf.put(f"s{number}", f"text {number}", "a.py", turn=number)
    first = shelf.ask("a.py", limit_chars=12)
    shelf.put("newer", "newest text", "a.py", turn=9)
    rest = shelf.ask("a.py", cursor=first[-1].cursor)
    assert [span.span_id for span in [*first, *rest]] == ["s3", "s2", "s1", "s0"]


def test_a_cursor_is_bound_to_its_session_its_span_and_its_place(shelf: Shelf) -> None:
    shelf.put("a", LINES, "a.py", "b.py")
    shelf.put("c", LINES + "c", "c.py")
    cursor = shelf.ask("a.py", limit_chars=20)[-1].cursor
    assert cursor is not None
    assert shelf.ask("b.py", cursor=cursor)[0].start == 14, "another name of the same span goes on in it"
    other = Shelf(shelf.store, "other")
    other.put("a", LINES, "a.py")
    place, seal = cursor.split("-")
    tampered = [f"{int(place, 16) + 1:x}-{seal}", f"{place}-{'0' * 24}", f"{place}-{seal[::-1]}", f"{place}-{seal}0"]
    refused: list[Callable[[], object]] = [
        lambda: other.ask("a.py", cursor=cursor),
        lambda: shelf.ask("c.py", cursor=cursor),
        *(lambda forged=forged: shelf.ask("a.py", cursor=forged) for forged in [*tampered, "", "-", "x", "0-", "é-1"]),
    ]
    for call in refused:
        with pytest.raises(InvalidCursor) as raised:
            call()
        assert raised.value.code == "cursor"


def test_a_cursor_of_a_child_is_none_of_its_parent_also_inside_the_same_span(shelf: Shelf) -> None:
    shelf.put("a", LINES, "a.py")
    child = Shelf(shelf.store, "child")
    child.record(parent={"session": "s", "record_id": None})
    cursor = child.ask("a.py", limit_chars=20)[-1].cursor
    assert child.ask("a.py", cursor=cursor)[0].start == 14
    with pytest.raises(InvalidCursor):
        shelf.ask("a.py", cursor=cursor)


def test_a_cursor_of_one_store_is_none_of_another(tmp_path: Path) -> None:
    shelves = [Shelf(SqliteStore(tmp_path / f"{number}.db")) for number in range(2)]
    for shelf in shelves:
        shelf.put("a", LINES, "a.py")
    cursor = shelves[0].ask("a.py", limit_chars=20)[-1].cursor
    with pytest.raises(InvalidCursor):
        shelves[1].ask("a.py", cursor=cursor)


def test_an_answer_of_the_api_is_that_of_the_core(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 's.db'}"
    shelf = Shelf(SqliteStore(tmp_path / "s.db"))
    shelf.put("a", LINES, "a.py")
    first = rehydrate("a.py", store=url, session="s", limit_chars=20)
    assert first == shelf.ask("a.py", limit_chars=20)
    rest = rehydrate("a.py", store=url, session="s", cursor=first[-1].cursor)
    assert first[0].text + rest[0].text == LINES
    shelf.store.close()


# Removed -----------------------------------------------------------------------------------------

REASONS = [("pruned", StorePruned), ("erased", StoreErased)]


@pytest.mark.parametrize(("reason", "error"), REASONS)
def test_what_was_removed_is_an_error_of_its_own_that_names_what_is_still_there(
    shelf: Shelf, reason: str, error: type[StorePruned]
) -> None:
    for number in range(4):
        shelf.put(f"s{number}", f"text {number}", "a.py", turn=number)
    gone = [shelf.handles["s3"], shelf.handles["s1"]]
    shelf.store.erase("s", gone, reason=reason)
    for what in ("a.py", gone[0], "t3"):
        with pytest.raises(error) as raised:
            shelf.ask(what)
        assert (raised.value.details["handle"], raised.value.details["span_id"]) == (gone[0], "s3")
        assert raised.value.exit_status == 2
    with pytest.raises(error) as raised:
        shelf.ask("a.py")
    assert raised.value.details["available"] == [shelf.handles["s2"], shelf.handles["s0"]]
    for handle in raised.value.details["available"]:
        assert shelf.ask(handle)
    assert "text" not in str(raised.value)


@pytest.mark.parametrize(("reason", "error"), REASONS)
def test_a_page_ends_before_what_was_removed_and_the_next_one_tells_and_goes_on(
    shelf: Shelf, reason: str, error: type[StorePruned]
) -> None:
    for number in range(3):
        shelf.put(f"s{number}", f"text {number}", "a.py", turn=number)
    shelf.store.erase("s", [shelf.handles["s1"]], reason=reason)
    (newest,) = shelf.ask("a.py")
    assert newest.span_id == "s2"
    assert newest.cursor is not None
    with pytest.raises(error) as raised:
        shelf.ask("a.py", cursor=newest.cursor)
    (oldest,) = shelf.ask("a.py", cursor=raised.value.details["cursor"])
    assert (oldest.span_id, oldest.cursor) == ("s0", None)


def test_behind_the_last_removed_original_there_is_no_cursor(shelf: Shelf) -> None:
    shelf.store.erase("s", [shelf.put("a", "content", "a.py")], reason="erased")
    with pytest.raises(StoreErased) as raised:
        shelf.ask("a.py")
    assert (raised.value.details["cursor"], raised.value.details["available"]) == (None, [])


def test_a_manifest_that_was_removed_is_removed_and_no_gap(shelf: Shelf) -> None:
    shelf.put("a", "content")
    fold = shelf.manifest(["a"])
    shelf.store.erase("s", [fold], reason="pruned")
    with pytest.raises(StorePruned):
        shelf.ask(fold)


def test_a_page_that_the_store_fails_in_is_no_page(shelf: Shelf) -> None:
    for number in range(3):
        shelf.put(f"s{number}", f"text {number}", "a.py", turn=number)

    class Failing(FaultyStore):
        def get(self, session: str, handle: str) -> Any:
            if handle == shelf.handles["s1"]:
                raise StoreUnavailable("gone in between")
            return super().get(session, handle)

    with pytest.raises(StoreUnavailable):
        Shelf(Failing(shelf.store)).ask("a.py")
