"""Objects at rest: any age decodes, no changed byte gets out, and what can't be read says why."""

from __future__ import annotations

import hashlib
import random
import sys
import tracemalloc
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from cenotaph import limits
from cenotaph.errors import StoreDamaged, StoreErased, StoreError, StorePruned, StoreVersionError
from cenotaph.store.codec import Codec, Encoded, Encoder, decode, decode_record
from cenotaph.store.sqlite import SqliteStore

text = b"the same words again and again. " * 40


def without_zstandard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)


WITH_BYTES = [codec for codec in Codec if codec not in (Codec.pruned, Codec.erased)]


def encoded_by(codec: Codec, data: bytes) -> Encoded:
    body = {
        Codec.raw: lambda: data,
        Codec.zlib: lambda: zlib.compress(data),
        Codec.zstd: lambda: zstandard.compress(data),
    }[codec]()
    return Encoded(codec, len(data), hashlib.sha256(data).digest(), body)


@given(
    st.binary(max_size=4_000)
    | st.builds(lambda piece, n: piece * n, st.binary(max_size=9), st.integers(0, 999))
)
def test_decoding_gives_back_what_was_encoded(data: bytes) -> None:
    assert decode("cx:a", Encoder().encode("cx:a", data)) == data


@pytest.mark.parametrize("codec", WITH_BYTES)
def test_an_object_of_every_codec_decodes(codec: Codec) -> None:
    assert decode("cx:a", encoded_by(codec, text)) == text


def test_text_is_compressed_with_zstd() -> None:
    encoded = Encoder().encode("cx:a", text)
    assert encoded.codec is Codec.zstd
    assert len(encoded.body) < len(text) // 4


def test_without_zstandard_text_is_compressed_with_zlib(monkeypatch: pytest.MonkeyPatch) -> None:
    without_zstandard(monkeypatch)
    encoded = Encoder().encode("cx:a", text)
    assert encoded.codec is Codec.zlib
    assert decode("cx:a", encoded) == text


@pytest.mark.parametrize(
    "data", [b"", b"a" * 127, random.Random(1).randbytes(5_000)], ids=["empty", "tiny", "noise"]
)
def test_what_gains_nothing_is_kept_raw(data: bytes) -> None:
    encoded = Encoder().encode("cx:a", data)
    assert (encoded.codec, encoded.body) == (Codec.raw, data)


def test_a_store_written_with_zstd_names_the_package_when_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path / "s.db")
    store.put_spans("s", {"cx:a": text, "cx:tiny": b"tiny"}, [])
    store.close()
    without_zstandard(monkeypatch)
    again = SqliteStore(tmp_path / "s.db")
    assert again.get("s", "cx:tiny") == b"tiny"
    with pytest.raises(StoreVersionError) as refusal:
        again.get("s", "cx:a")
    assert refusal.value.details["package"] == "zstandard"
    again.put_spans("s", {"cx:a": text, "cx:b": text + b"!"}, [])
    assert again.get("s", "cx:b") == text + b"!"
    again.close()


def test_an_unknown_codec_names_this_package() -> None:
    with pytest.raises(StoreVersionError) as refusal:
        decode("cx:a", replace(encoded_by(Codec.zstd, text), codec=9))
    assert refusal.value.details == {"handle": "cx:a", "codec": 9, "package": "cenotaph"}


@pytest.mark.parametrize("codec", WITH_BYTES)
@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_a_flipped_bit_is_never_handed_out(codec: Codec, place: int, bit: int) -> None:
    encoded = encoded_by(codec, text)
    body = bytearray(encoded.body)
    body[place % len(body)] ^= 1 << bit
    assert outcome(replace(encoded, body=bytes(body))) in ("refused", text)


def outcome(encoded: Encoded) -> bytes | str:
    try:
        return decode("cx:a", encoded)
    except StoreDamaged:
        return "refused"


@pytest.mark.parametrize("codec", WITH_BYTES)
@pytest.mark.parametrize("change", ["cut", "longer", "empty", "size", "negative", "huge", "digest"])
def test_every_other_change_is_damage(codec: Codec, change: str) -> None:
    encoded = encoded_by(codec, text)
    changed = {
        "cut": replace(encoded, body=encoded.body[:-3]),
        "longer": replace(encoded, body=encoded.body + b"x"),
        "empty": replace(encoded, body=b""),
        "size": replace(encoded, size=encoded.size - 1),
        "negative": replace(encoded, size=-1),
        "huge": replace(encoded, size=limits.span_bytes_max + 1),
        "digest": replace(encoded, digest=b"\0" * 32),
    }[change]
    with pytest.raises(StoreDamaged) as refusal:
        decode("cx:a", changed)
    assert refusal.value.details["handle"] == "cx:a"


@pytest.mark.parametrize(("codec", "error"), [(Codec.pruned, StorePruned), (Codec.erased, StoreErased)])
def test_a_removed_object_says_that_it_is_and_names_what_is_still_known_of_it(
    codec: Codec, error: type[StoreError]
) -> None:
    whole = encoded_by(Codec.raw, text)
    with pytest.raises(error) as refusal:
        decode("cx:a", replace(whole, codec=codec, body=b""))
    assert refusal.value.details == {"handle": "cx:a", "bytes": len(text), "sha256": whole.digest.hex()}
    with pytest.raises(StoreDamaged):
        decode("cx:a", replace(whole, codec=codec))


@pytest.mark.parametrize("codec", [Codec.zlib, Codec.zstd])
def test_a_small_body_that_inflates_beyond_its_size_is_stopped_there(codec: Codec) -> None:
    bomb = encoded_by(codec, bytes(50_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(StoreDamaged):
            decode("cx:a", replace(bomb, size=1_000))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 1_000_000


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '"text"'])
def test_a_record_that_is_no_json_object_is_damage(body: str) -> None:
    with pytest.raises(StoreDamaged):
        decode_record("s", body)
