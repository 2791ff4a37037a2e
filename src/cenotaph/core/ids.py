"""Canonical bytes, hashes and names: the one place where an identity is computed.

Two encodings exist on purpose. *Canonical* JSON (sorted keys) is what hashes are taken over;
*verbatim* JSON keeps the key order of the value that came in and is what a store keeps, so that
a rebuilt message is byte for byte the one that was taken away. Both are compact and UTF-8; a lone
surrogate, which UTF-8 can't carry, is written as its JSON escape.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from cenotaph.limits import store_handle_hex_chars

JSON = Any
"""Foreign JSON: the one place where `Any` may cross a module line."""

HANDLE_PREFIX = "cx:"

_ITEMS_TOGETHER = 64
"""Items of a list in one of `canonical_pieces`."""

SPAN_ID = re.compile(r"[0-9a-f]{20}\.\d+\.\d+\.\d+")
"""What `span_id` gives."""


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        pieces = (f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)
        return "".join(pieces).encode("utf-8")


def canonical_json(value: JSON) -> bytes:
    """The bytes that a hash is taken over: sorted keys, no spaces, UTF-8."""
    return _encode(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def verbatim_json(value: JSON) -> bytes:
    """The bytes that a store keeps: the value's own key order, no spaces, UTF-8."""
    return _encode(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def from_json(data: bytes) -> JSON:
    """The value behind `canonical_json` or `verbatim_json`."""
    return json.loads(data)


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical_pieces(value: JSON) -> Iterator[bytes]:
    """The bytes of `canonical_json`, some at a time: a large value is not held as text, pieces and bytes at once."""
    if isinstance(value, dict) and value and all(isinstance(key, str) for key in value):
        opening = b"{"
        for key in sorted(value):
            yield opening + canonical_json(key) + b":"
            yield from _items(value[key])
            opening = b","
        yield b"}"
    else:
        yield from _items(value)


def _items(value: JSON) -> Iterator[bytes]:
    if isinstance(value, list) and len(value) > _ITEMS_TOGETHER:
        opening = b"["
        for start in range(0, len(value), _ITEMS_TOGETHER):
            yield opening + canonical_json(value[start : start + _ITEMS_TOGETHER])[1:-1]
            opening = b","
        yield b"]"
    else:
        yield canonical_json(value)


def hash_of(value: JSON) -> str:
    """SHA-256 of the canonical JSON, 64 hex digits."""
    digest = hashlib.sha256()
    for piece in canonical_pieces(value):
        digest.update(piece)
    return digest.hexdigest()


def store_handle(key: bytes, session: str, data: bytes) -> str:
    """`cx:` and 16 hex digits: keyed, so that it can't be guessed, and bound to its session."""
    digest = hashlib.sha256()
    name = session.encode("utf-8", "surrogatepass")
    for part in (key, name):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    digest.update(data)
    return HANDLE_PREFIX + digest.hexdigest()[:store_handle_hex_chars]


class ListHash:
    """`hash_of` of a list that grows: what was taken in is never read again."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256(b"[")
        self.length = 0

    def extend(self, values: Iterable[JSON]) -> None:
        for value in values:
            if self.length:
                self._digest.update(b",")
            self._digest.update(canonical_json(value))
            self.length += 1

    def copy(self) -> ListHash:
        twin = ListHash()
        twin._digest, twin.length = self._digest.copy(), self.length
        return twin

    def hexdigest(self) -> str:
        """As `hash_of` gives it for the list so far."""
        whole = self._digest.copy()
        whole.update(b"]")
        return whole.hexdigest()


def span_id(kind: str, role: str, call_id: str | None, data: bytes, place: tuple[int, int, int]) -> str:
    """A span's name: equal content at another place differs in the place only.

    The place is (turn, exchanges of the turn so far, occurrence there): it stays what it is when spans
    before it leave, which a count over the whole transcript would not.
    """
    digest = hashlib.sha256(f"{kind}\0{role}\0{call_id or ''}\0".encode("utf-8", "surrogatepass"))
    digest.update(data)
    return f"{digest.hexdigest()[:20]}.{'.'.join(map(str, place))}"
