"""From bytes to a value and back: what is read, what is refused, and the shape of what is written."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph import api, limits
from cenotaph.errors import DialectError, InputError, OutputError
from cenotaph.runtime import places
from cenotaph.runtime.out_file import reserved
from cenotaph.runtime.source import Shape, decode, named, read_source, view_bytes

MESSAGES = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "é\u2028 日本 \udc80"}]
RECORD = {
    "type": "user",
    "uuid": "a",
    "parentUuid": None,
    "sessionId": "s",
    "message": {"role": "user", "content": "hello"},
}


def encoded(value: Any, **style: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, **style).encode("utf-8", "backslashreplace")


def lines(values: list[Any]) -> bytes:
    return b"".join(encoded(value) + b"\n" for value in values)


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (encoded(MESSAGES), Shape.document),
        (encoded({"messages": MESSAGES}), Shape.document),
        (encoded({"messages": MESSAGES}, indent=2), Shape.document),
        (b"\xef\xbb\xbf" + encoded(MESSAGES), Shape.document),
        (lines(MESSAGES), Shape.lines),
        (b"\n\n" + lines(MESSAGES), Shape.lines),
        (lines(MESSAGES[:1]), Shape.lines),
        (lines(MESSAGES).replace(b"\n", b"\r\n"), Shape.lines),
        (lines([RECORD]), Shape.session),
    ],
)
def test_the_shape_is_told_by_structure(data: bytes, shape: Shape) -> None:
    assert decode(data, "in").shape is shape


def test_a_session_stays_bytes_for_its_dialect() -> None:
    assert decode(lines([RECORD]), "in").value == lines([RECORD])


def test_messages_are_decoded_alike_from_each_shape() -> None:
    for data in (encoded(MESSAGES), encoded(MESSAGES, indent=1), lines(MESSAGES)):
        assert decode(data, "in").value == MESSAGES


def written(data: bytes, *, changed: bool) -> bytes:
    source = decode(data, "in")
    transcript = api.explain(source.value).transcript
    return view_bytes(source, transcript, [m.raw for m in transcript.messages], changed=changed)


@pytest.mark.parametrize(
    "data",
    [
        encoded(MESSAGES) + b"\n",
        encoded(MESSAGES, indent=2) + b"\n",
        encoded(MESSAGES, indent="\t") + b"\n",
        encoded(MESSAGES, separators=(",", ":")) + b"\n",
        json.dumps([{"role": "user", "content": "é"}]).encode() + b"\n",
        encoded({"model": "gpt-4o", "messages": MESSAGES, "n": [1, {"x": None}]}) + b"\n",
        lines(MESSAGES),
    ],
)
def test_a_view_is_written_as_its_input_was(data: bytes) -> None:
    assert written(data, changed=True) == data
    assert written(data, changed=False) == data


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, st.text(), st.sampled_from([None, 2]))
def test_whatever_stands_in_a_request_comes_out_again(value: Any, text: str, indent: int | None) -> None:
    body = {"messages": [{"role": "user", "content": text or "x", "extra": value}], "more": value}
    out = written(json.dumps(body, indent=indent).encode(), changed=True)
    assert json.loads(out) == body


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_the_name_of_the_file(data: bytes) -> None:
    try:
        decode(data, "some-file")
    except InputError as error:
        assert str(error).startswith("some-file: ")  # noqa: PT017 - both ends are right, this one has a law


def test_an_error_inside_is_named_once_and_keeps_its_kind_and_facts() -> None:
    with pytest.raises(DialectError) as caught, named("outer"), named("in.json"):
        raise DialectError("nobody reads this.", next_step="Do that.", seen="x")
    assert str(caught.value) == "outer: in.json: nobody reads this. Do that."
    assert caught.value.details["seen"] == "x"
    with pytest.raises(InputError, match=r"^in.json: once"), named("in.json"), named("in.json"):
        raise InputError("once")


def test_standard_input_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "input_bytes_max", 10)
    monkeypatch.setattr("cenotaph.dialects.jsonl.input_bytes_max", 10)
    with pytest.raises(InputError) as caught:
        read_source("-", stdin=io.BytesIO(b"[" + b" " * 100 + b"]"))
    assert caught.value.details["bytes_max"] == 10


def test_a_file_over_the_bound_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "sparse.json"
    with open(path, "wb") as file:
        file.truncate(limits.input_bytes_max + 1)
    with pytest.raises(InputError) as caught:
        read_source(str(path))
    assert caught.value.details["bytes"] == limits.input_bytes_max + 1


# Output -------------------------------------------------------------------------------------


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with reserved(str(target)) as out:
        assert not target.exists()
        out.write(b"whole")
        assert target.read_bytes() == b"whole"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), reserved(str(target)):
        raise ZeroDivisionError
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("out", b"old")]


def test_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(OutputError), reserved(str(tmp_path)):
        pass


# Places -------------------------------------------------------------------------------------


def test_the_state_folder_follows_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert places.state_folder() == tmp_path / ".local/state/cenotaph"
    monkeypatch.setattr("sys.platform", "darwin")
    assert places.state_folder() == tmp_path / "Library/Application Support/cenotaph"
    monkeypatch.setenv("XDG_STATE_HOME", "relative/is/no/place")
    assert places.state_folder() == tmp_path / "Library/Application Support/cenotaph"


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("sqlite:////a/b.db", "/a/b.db"),
        ("sqlite:///b.db", "b.db"),
        ("b.db", "b.db"),
        ("memory://x", None),
        ("postgresql://h/d", None),
    ],
)
def test_the_file_of_a_store_is_told_from_its_url(url: str, file: str | None) -> None:
    assert places.store_file(url) == (None if file is None else Path(file))
