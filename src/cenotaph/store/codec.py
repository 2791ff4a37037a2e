"""How originals and records become bytes at rest, and how their truth is checked on the way back.

An object is compressed on its own, and three facts stay beside it: the codec, the length and the
SHA-256 of the original. So an object of any age decodes without knowing what wrote it, a changed
byte is never handed out, and the reader knows the size before it decompresses anything.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from cenotaph import limits
from cenotaph.core.ids import JSON, canonical_pieces, from_json
from cenotaph.errors import (
    ConfigurationError,
    StoreDamaged,
    StoreErased,
    StoreError,
    StorePruned,
    StoreVersionError,
)

_compress_bytes_min = 128
"""Below this a compressed frame is hardly ever smaller than what it holds."""

_zstd_level = 3
_zlib_level = 6


class Codec(IntEnum):
    """How an object's body is encoded. Numbers are for ever; a new codec takes a new one."""

    raw = 0
    zlib = 1
    zstd = 2
    pruned = 100
    """No bytes any more, to save room; the same bytes may be put there again."""
    erased = 101
    """No bytes any more, on purpose and for good."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """An object at rest.

    Attributes:
        codec: A `Codec` value, or one that a newer version wrote.
        size: Bytes of the original.
        digest: SHA-256 of the original, 32 bytes.
        body: The encoded bytes.
    """

    codec: int
    size: int
    digest: bytes
    body: bytes


@dataclass(frozen=True, slots=True)
class RecordText:
    """A record at rest, with the two fields that its place in the chain depends on.

    Attributes:
        record_id: Its own id.
        previous: Id of the record before it, None for a session's first.
        body: Canonical JSON of the whole record.
    """

    record_id: str
    previous: str | None
    body: str


def removal(reason: str) -> Codec:
    """What stands in the place of a codec once the bytes are removed.

    Raises:
        ConfigurationError: The reason is neither "pruned" nor "erased".
    """
    if reason not in (Codec.pruned.name, Codec.erased.name):
        raise ConfigurationError(f"reason={reason!r}: an object is removed because it is 'pruned' or 'erased'")
    return Codec[reason]


class Encoder:
    """Encodes objects with the best codec that is installed; not for use by two threads at once."""

    def __init__(self) -> None:
        self._codec, self._compress = _best_compressor()

    def encode(self, handle: str, data: bytes) -> Encoded:
        """The object as it is kept.

        Raises:
            StoreError: It is larger than `span_bytes_max`.
        """
        require_size(handle, data)
        size = len(data)
        digest = hashlib.sha256(data).digest()
        if size >= _compress_bytes_min:
            body = self._compress(data)
            if len(body) < size:
                return Encoded(self._codec, size, digest, body)
        return Encoded(Codec.raw, size, digest, bytes(data))


def require_size(handle: str, data: bytes) -> None:
    """An object that a store takes is at most `span_bytes_max` long.

    Raises:
        StoreError: It is longer.
    """
    if len(data) > limits.span_bytes_max:
        raise StoreError(
            f"Object {handle} has {len(data):,} bytes; a store takes at most {limits.span_bytes_max:,} per object.",
            next_step="Keep the span in the view, or cut it before it reaches the transcript.",
            handle=handle,
            bytes=len(data),
            bytes_max=limits.span_bytes_max,
        )


def _best_compressor() -> tuple[Codec, Callable[[bytes], bytes]]:
    # Imported here, not at the top: the pure-Python install works without it, and a command that
    # writes nothing does not pay for it.
    try:
        import zstandard
    except ImportError:
        return Codec.zlib, lambda data: zlib.compress(data, _zlib_level)
    return Codec.zstd, zstandard.ZstdCompressor(level=_zstd_level).compress


def decode(handle: str, encoded: Encoded) -> bytes:
    """The original bytes, or an error: what is returned has the digest that was kept.

    Args:
        handle: For the error only.
        encoded: As it was kept.

    Raises:
        StorePruned, StoreErased: Its bytes were removed.
        StoreDamaged: Anything about it is not as it was written.
        StoreVersionError: Its codec is unknown here, or needs a package that is not installed.
    """
    if not 0 <= encoded.size <= limits.span_bytes_max:
        raise _damaged(handle, f"claims an impossible size of {encoded.size:,} bytes")
    if encoded.codec in (Codec.pruned, Codec.erased):
        raise _removed(handle, encoded)
    data = _decoded_body(handle, encoded)
    if len(data) != encoded.size:
        raise _damaged(handle, f"has {len(data):,} bytes where {encoded.size:,} were written")
    if hashlib.sha256(data).digest() != encoded.digest:
        raise _damaged(handle, "does not have the digest that was kept with it")
    return data


def _decoded_body(handle: str, encoded: Encoded) -> bytes:
    if encoded.codec == Codec.raw:
        return encoded.body
    if encoded.codec == Codec.zlib:
        return _inflate(handle, encoded)
    if encoded.codec == Codec.zstd:
        return _unzstd(handle, encoded)
    raise StoreVersionError(
        f"Object {handle} is encoded with codec {encoded.codec}, which this version does not know.",
        next_step="Install the newest `cenotaph` to read it.",
        handle=handle,
        codec=encoded.codec,
        package="cenotaph",
    )


def _inflate(handle: str, encoded: Encoded) -> bytes:
    inflater = zlib.decompressobj()
    try:
        # One byte more than expected is enough to see that it is too long, and bounds the memory.
        data = inflater.decompress(encoded.body, encoded.size + 1)
    except zlib.error as error:
        raise _damaged(handle, f"does not decompress ({error})") from error
    if not inflater.eof or inflater.unused_data:
        raise _damaged(handle, "does not end where its compressed form says")
    return data


def _unzstd(handle: str, encoded: Encoded) -> bytes:
    try:
        import zstandard
    except ImportError as error:
        raise StoreVersionError(
            f"Object {handle} is compressed with zstd, and the package `zstandard` is not installed.",
            next_step="Run `pip install zstandard`.",
            handle=handle,
            codec=encoded.codec,
            package="zstandard",
        ) from error
    try:
        # A forged frame header must not choose how much memory is taken.
        if zstandard.frame_content_size(encoded.body) != encoded.size:
            raise _damaged(handle, "announces another size than the one kept with it")
        return zstandard.ZstdDecompressor().decompress(encoded.body, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise _damaged(handle, f"does not decompress ({error})") from error


def _removed(handle: str, encoded: Encoded) -> StoreError:
    if encoded.body:
        return _damaged(handle, f"is marked as {Codec(encoded.codec).name}, and has bytes")
    facts = {"handle": handle, "bytes": encoded.size, "sha256": encoded.digest.hex()}
    if encoded.codec == Codec.pruned:
        return StorePruned(
            f"Object {handle} ({encoded.size:,} bytes) was pruned: the store held it and removed it to save room.",
            next_step="Report that it is gone; never reconstruct it. Only a copy of the store has it.",
            **facts,
        )
    return StoreErased(
        f"Object {handle} ({encoded.size:,} bytes) was erased on purpose.",
        next_step="Report that it is gone; never reconstruct it.",
        **facts,
    )


def _damaged(handle: str, what: str) -> StoreDamaged:
    return StoreDamaged(
        f"Object {handle} {what}.",
        next_step="Restore the store from a copy; `cenotaph verify --read-data` lists all that is damaged.",
        handle=handle,
    )


def encode_record(record: Mapping[str, JSON]) -> RecordText:
    """The record as it is kept; only its place in the chain is looked at, never its content.

    Raises:
        StoreError: `record_id` or `previous` is missing or not of its type.
    """
    record_id = record.get("record_id")
    previous = record.get("previous", ...)
    if not isinstance(record_id, str) or not record_id:
        raise StoreError("A record needs a `record_id`: the text of its hash.", field="record_id")
    if previous is not None and not isinstance(previous, str):
        raise StoreError(
            f"Record {record_id} needs `previous`: the id of the record before it, or null.", field="previous"
        )
    return RecordText(record_id, previous, b"".join(canonical_pieces(dict(record))).decode("utf-8"))


def decode_record(session: str, text: str) -> dict[str, JSON]:
    """The record behind `encode_record`, unknown fields included.

    Raises:
        StoreDamaged: The text is not a JSON object.
    """
    try:
        record = from_json(text.encode("utf-8"))
    except ValueError as error:
        raise StoreDamaged(f"A record of session {session!r} is not JSON: {error}.", session=session) from error
    if not isinstance(record, dict):
        raise StoreDamaged(f"A record of session {session!r} is not a JSON object.", session=session)
    return record
