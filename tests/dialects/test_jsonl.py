"""JSON Lines: what is read, what is survived and what is refused."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from cenotaph.core.model import Defect
from cenotaph.dialects.jsonl import check_depth, decode_document, read_values
from cenotaph.errors import InputError
from cenotaph.limits import json_depth_max


def read(data: bytes) -> tuple[list[tuple[int, object]], list[str]]:
    defects: list[Defect] = []
    values = list(read_values(data, defects.append))
    return values, [defect.code for defect in defects]


def nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


def test_each_value_comes_with_its_line_and_blank_lines_count() -> None:
    assert read(b'{"a":1}\n\n  \n{"b":2}\n') == ([(1, {"a": 1}), (4, {"b": 2})], [])


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1}\r\n{"b":2}\r\n',
        b'{"a":1}\n{"b":2}',
        b'\xef\xbb\xbf{"a":1}\n{"b":2}\n',
        b'{"a":1}\n{"b":2}\n\n \n',
    ],
    ids=["crlf", "no-newline-at-the-end", "byte-order-mark", "blank-tail"],
)
def test_line_ends_and_a_byte_order_mark_change_nothing(data: bytes) -> None:
    assert [value for _, value in read(data)[0]] == [{"a": 1}, {"b": 2}]


def test_glued_objects_are_all_read_and_reported_once() -> None:
    values, found = read(b'{"a":1}{"b":2} {"c":3}\n')
    assert values == [(1, {"a": 1}), (1, {"b": 2}), (1, {"c": 3})]
    assert found == ["glued-objects"]


@pytest.mark.parametrize(
    "tail", [b'{"b":', b'{"b": "half a str', b'{"b": 1', b'{"b": "\xe2\x82', b"{", b'{"b": tru']
)
def test_a_torn_last_line_is_survived_and_reported_once(tail: bytes) -> None:
    assert read(b'{"a":1}\n' + tail) == ([(1, {"a": 1})], ["torn-line"])
    assert read(b'{"a":1}\n' + tail + b"\n\n") == ([(1, {"a": 1})], ["torn-line"])


def test_a_bad_byte_in_a_last_line_that_is_closed_is_an_error_and_not_a_torn_line() -> None:
    with pytest.raises(InputError, match=r"[Ll]ine 2"):
        read(b'{"a":1}\n{"b":"never \xff push"}\n')


def test_what_is_whole_on_a_torn_line_is_read() -> None:
    assert read(b'{"a":1}{"b":')[0] == [(1, {"a": 1})]
    assert read(b'{"a":1}\xff') == ([(1, {"a": 1})], ["torn-line"])


@pytest.mark.parametrize("bad", [b'{"b":', b"plain words", b'{"b":1}]', b'{"b":"\xff"}', b"{'b': 1}"])
def test_a_bad_line_elsewhere_is_refused_with_its_number(bad: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read(b'{"a":1}\n' + bad + b'\n{"c":3}\n')
    assert caught.value.details["line"] == 2
    assert caught.value.details["expected"] == "json-object"
    assert caught.value.details["found"]


def test_a_last_line_that_is_no_object_at_all_is_not_taken_for_torn() -> None:
    with pytest.raises(InputError):
        read(b'{"a":1}\nplain words')


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "empty"),
        (b" \n\t\r\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"\xef\xbb\xbf \n", "empty"),
        ('{"a":1}'.encode("utf-16"), "utf-16"),
        ('{"a":1}'.encode("utf-16-le"), "nul-byte"),
        (b'{"a":1}\n\0\0\0', "nul-byte"),
    ],
)
def test_what_is_not_utf8_text_is_refused_by_name(data: bytes, found: str) -> None:
    with pytest.raises(InputError) as caught:
        read(data)
    assert caught.value.details["found"] == found


def test_a_nul_byte_is_refused_with_its_line() -> None:
    with pytest.raises(InputError) as caught:
        read(b'{"a":1}\n{"b":2}\n\0')
    assert caught.value.details["line"] == 3


@pytest.mark.parametrize("levels", [json_depth_max + 2, 900, 200_000])
def test_deep_nesting_is_refused_before_it_overflows(levels: int) -> None:
    with pytest.raises(InputError) as caught:
        read(nested(levels).encode() + b'\n{"a":1}\n')
    assert caught.value.details["depth_max"] == json_depth_max
    with pytest.raises(InputError):
        decode_document(nested(levels).encode())


def test_nesting_up_to_the_bound_is_read_and_brackets_in_strings_are_no_nesting() -> None:
    deep = json.loads(nested(json_depth_max))
    assert read(nested(json_depth_max).encode()) == ([(1, deep)], [])
    wordy = {"a": "[{" * 1_000}
    assert read(json.dumps(wordy).encode()) == ([(1, wordy)], [])


def test_a_shared_wide_value_is_no_deep_one() -> None:
    check_depth([[1]] * 5_000, "here")


def test_lone_surrogates_survive() -> None:
    assert read(b'{"a":"\\ud800"}\n')[0] == [(1, {"a": "\ud800"})]


def test_only_one_line_is_held_beside_the_file() -> None:
    line = b'{"a":"' + b"x" * 10_000 + b'"}\n'
    data = line * 500
    tracemalloc.start()
    try:
        for _ in read_values(data, lambda defect: None):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 * len(line)
