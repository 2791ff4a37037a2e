"""Tables and bars: they fit, they tell the truth, and they need no colour."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cenotaph.surfaces.cli.render import Share, bars, cells, clean, clip, clip_left, plain, table, wrapped

sizes = st.lists(st.integers(0, 200_000), min_size=1, max_size=5)


def drawn(parts: list[int], whole: int, width: int) -> str:
    shares = [Share("ABCDE"[i], f"part {i}", "", (size,)) for i, size in enumerate(parts)]
    return plain(bars(["now"], shares, whole=whole, width=width))


@given(sizes, st.integers(0, 500_000), st.integers(60, 140))
def test_a_bar_is_as_wide_as_its_room_and_shows_every_part_that_is_there(
    parts: list[int], free: int, width: int
) -> None:
    whole = sum(parts) + free
    first = drawn(parts, whole, width).splitlines()[0]
    assert cells(first) <= width
    inside = first[first.index("[") + 1 : first.index("]")]
    for i, size in enumerate(parts):
        assert ("ABCDE"[i] in inside) == (size > 0), (parts, whole)
    assert list(inside) == sorted(inside, key="ABCDE·".index)


@given(sizes, st.integers(0, 500_000))
def test_a_part_has_its_share_of_the_bar_to_within_two_cells_per_part(parts: list[int], free: int) -> None:
    whole = max(1, sum(parts) + free)
    first = drawn(parts, whole, 80).splitlines()[0]
    inside = first[first.index("[") + 1 : first.index("]")]
    for i, size in enumerate(parts):
        assert abs(inside.count("ABCDE"[i]) - len(inside) * size / whole) <= len(parts) + 1


def test_the_legend_gives_the_numbers_that_the_bars_show() -> None:
    text = drawn([1_000, 20], 2_000, 80)
    assert "A part 0  1,000" in text
    assert "· free      980" in text


@given(st.text(), st.integers(1, 40))
def test_a_clipped_text_fits(text: str, width: int) -> None:
    shown = clean(text)
    assert cells(clip(shown, width)) <= width
    assert cells(clip_left(shown, width)) <= width


@given(st.text())
def test_cleaned_text_is_one_line_without_controls(text: str) -> None:
    shown = clean(text)
    assert len(f"x{shown}x".splitlines()) == 1
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)


@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60)), min_size=1), st.integers(100, 140))
def test_a_table_with_a_column_that_gives_way_fits(rows: list[tuple[str, str]], width: int) -> None:
    clipped = [(clip(clean(a), 40), clean(b)) for a, b in rows]
    for row in plain(table(("one", "two"), clipped, width=width, flex=1)).splitlines():
        assert cells(row) <= width


@given(st.text(alphabet="ab ", max_size=200), st.integers(5, 40))
def test_wrapped_words_are_all_there_in_order(text: str, width: int) -> None:
    assert " ".join(wrapped(text, width)).split() == text.split()
