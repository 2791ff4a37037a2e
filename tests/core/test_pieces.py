"""What is hashed, redacted or looked for in pieces gives what the whole would give, and nothing is read twice."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph import Policy, compact
from cenotaph.core import lines
from cenotaph.core.asking import aliases, path_of, spellings
from cenotaph.core.handles import Handle, every, secrets
from cenotaph.core.ids import canonical_json, canonical_pieces, hash_of, sha256_hex

_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters())
_JSON: st.SearchStrategy[Any] = st.recursive(
    _LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner), max_leaves=30
)


@given(_JSON | st.lists(_LEAVES, min_size=60, max_size=140) | st.dictionaries(st.text(max_size=3), st.lists(_LEAVES)))
def test_the_pieces_of_a_value_are_its_canonical_bytes(value: Any) -> None:
    assert b"".join(canonical_pieces(value)) == canonical_json(value)
    assert hash_of(value) == sha256_hex(canonical_json(value))


@pytest.mark.parametrize("items", [0, 1, 63, 64, 65, 128, 129, 1_000])
def test_a_list_of_any_length_is_hashed_as_a_whole(items: int) -> None:
    value = {"z": [{"kind": "path", "value": f"\ud800{n}"} for n in range(items)], "a": list(range(items)), "": {}}
    assert b"".join(canonical_pieces(value)) == canonical_json(value)
    assert all(len(piece) < 64 * 50 for piece in canonical_pieces(value)), "no piece is as large as the whole"


@given(st.data())
@pytest.mark.parametrize("place", range(len(secrets._MARKED)))
def test_whatever_a_pattern_of_secrets_matches_holds_one_of_its_words(place: int, data: st.DataObject) -> None:
    pattern, held = secrets._MARKED[place]
    match = re.search(pattern, " " + data.draw(st.from_regex(pattern)))
    if match is not None:
        assert any(word in secrets._folded(match.group()) for word in held)


@pytest.mark.parametrize(
    "said",
    [
        *("password=hunter22x", "PASSWORD: hunter22x", "pa\u017f\u017fword=hunter22x", "api_\u212aey=hunter22x"),
        *("to\u212aen: hunter22x", "se\u017fsion_id=hunter22x", "SESS\u0130ON_\u0130D=hunter22x"),
        *("the pass\u0077ord is hunter22x", "Bas\u0131c hunter22xhunter22x", "BAS\u0130C hunter22xhunter22x"),
        *("--pa\u017f\u017f hunter22x", "-U me:hunter22x", "--u\u017fer me:hunter22x"),
    ],
)
def test_a_name_in_any_case_or_letter_hides_its_value(said: str) -> None:
    assert "hunter22x" not in secrets.redacted(said, b"k")


_SEGMENTS = st.lists(st.sampled_from(["src", "a", ".", "..", "", ".github", "app.py", "b.c.d", "\u00e9"]), max_size=6)


@given(_SEGMENTS, st.sampled_from(["", "file:", "dir:"]), st.sampled_from(["", ":12", ":3-9", "#L4", "#L4-L9"]))
def test_a_path_has_one_spelling(segments: list[str], scheme: str, place: str) -> None:
    path = "/".join(segments)
    found = path_of(scheme + path + place)
    assert found is None or found == posixpath.normpath(path)
    assert found is not None or (not path if scheme else "/" not in path)


@given(st.text(st.sampled_from(list("ab/\\.:=# -~7L\u00e9\n")) | st.characters(), max_size=20))
def test_the_other_names_of_a_handle_are_its_spellings_without_itself(value: str) -> None:
    names = spellings(value)
    assert names[0] == value
    assert len(set(names)) == len(names)
    assert aliases("path", value) == tuple(name for name in names if name != value)


def test_equal_texts_that_leave_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()

    def counted(text: str) -> list[Handle]:
        read[text] += 1
        return every(text)

    monkeypatch.setattr(lines, "every", counted)
    body = "\n".join(f"worker {n} wrote build/part_{n}.log" for n in range(200))
    messages: list[Any] = [{"role": "user", "content": "Build it."}]
    for step in range(8):
        call = {"id": f"c{step}", "type": "function", "function": {"name": "make", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{step}", "content": body if step % 2 else f"{step} {body}"})
    messages += [{"role": "assistant", "content": "Built."}, {"role": "user", "content": "Go on."}]
    result = compact(messages, to_tokens=400, policy=Policy.archive("test"), store="memory://", dialect="openai-chat")
    assert result.record is not None
    assert {entry["action"] for entry in result.record.entries} != {"protect"}
    assert read[body] == 1, "four results say the same"
    assert set(read.values()) == {1}
    assert {"kind": "path", "value": "build/part_7.log"} in result.record.handles
