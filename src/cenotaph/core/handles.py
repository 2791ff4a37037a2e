"""Handles in text: the exact names by which a thing can be asked for again.

Paths (POSIX, Windows, relative, with a line number) and URLs, each found in one pass, so that
hostile text costs no more than plain text. Text
that has no native handle of its own (a one-shot result, a payload) is read *widely*: ids, `NAME=value`
and `key: value` in it count too, since nothing else can name what it said.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cenotaph.limits import handle_chars_max

__all__ = ["Handle", "extract", "fingerprint", "partition", "redacted"]

_SUFFIXES: Final = (
    "py|pyi|js|mjs|cjs|jsx|ts|tsx|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|sh|bash|zsh|fish|ps1|sql|md|rst|"
    "txt|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|xml|html?|css|scss|svg|png|jpe?g|gif|pdf|csv|tsv|log|db|sqlite|"
    "proto|tf|gradle|ipynb|mod|sum|patch|diff|parquet|pem|crt|service|tmpl"
)

_LINE: Final = r"(?::\d+(?:[:-]\d+)?)?"
_URL_REST: Final = re.compile(r"[^\s<>\"'`\\^{}|]+")
_WINDOWS: Final = re.compile(r":\\[^\s<>\"'`|*?:]+(?::\d+)?")
_SLASH_REST: Final = re.compile(rf"/(?!/)[\w./@+%~-]*+{_LINE}")
_SUFFIX: Final = re.compile(rf"\.(?:{_SUFFIXES})\b{_LINE}(?![\w/-]|\.\w)")
_SCHEME: Final = string.ascii_letters + string.digits + "+.-"
_TOKEN: Final = string.ascii_letters + string.digits + "_.@+%~-"

_ID: Final = re.compile(r"(?<![\w-])[A-Z]{2,10}-\d+(?![\w-])")
_ASSIGNED: Final = re.compile(r"(?<![\w.-])[A-Za-z_][\w.-]{0,80}+=(?:\"[^\"\n]{0,200}\"|[^\s\"',;)\]}]{1,200})")
_PAIR: Final = re.compile(
    r"(?<![\w./-])[A-Za-z_][\w.-]{0,40}+:[ \t]{1,8}"
    r"(?:\d[\d.,]*+(?:[ \t]?(?:[A-Z]{2,4}|[a-z]{1,3}|%)(?!\w))?|[\w./+-]{1,80})"
)

_TRAILING: Final = ".,;:!?)]}>'\"*_`"
_URL_SECRET: Final = re.compile(r"(?<=://)([^/\s:@]*):([^/\s@]+)@")
_SECRET: Final = re.compile(
    r"\b(?:AKIA[0-9A-Z]{12,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|sk-[A-Za-z0-9_-]{16,}|xox[abprs]-[\w-]{10,}"
    r"|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}|AIza[\w-]{30,}|glpat-[\w-]{15,})"
)


@dataclass(frozen=True, slots=True)
class Handle:
    """One handle in a text.

    Attributes:
        kind: `url` or `path`; read widely also `id`, `assignment`, `pair`.
        value: Verbatim.
        start: First character.
        end: One past the last.
    """

    kind: str
    value: str
    start: int
    end: int


def _trimmed(text: str, start: int, end: int) -> int:
    """The end without punctuation of the sentence around; a bracket that the value opened stays."""
    end = min(end, start + handle_chars_max + 1)
    while end > start and text[end - 1] in _TRAILING:
        closing = text[end - 1]
        opening = {")": "(", "]": "[", "}": "{", ">": "<"}.get(closing)
        if opening and text.count(opening, start, end) >= text.count(closing, start, end):
            break
        end -= 1
    return end


# A pattern that begins with a letter class is tried at every letter. These begin at what is rare, the
# separator, and look left from there; what was taken is never looked at again, so each is one pass.


def _left(text: str, at: int, floor: int, chars: str) -> int:
    """Where the token that ends before `at` begins, not before `floor`."""
    floor = max(floor, at - handle_chars_max)
    while True:
        start = floor + len(text[floor:at].rstrip(chars))
        if start == floor or not text[start - 1].isalnum() or chars is _SCHEME:
            return start
        at = start - 1  # a letter beyond ASCII is part of a name too


def _urls(text: str) -> Iterator[Handle]:
    done = 0
    at = text.find("://")
    while at >= 0:
        start = _left(text, at, done, _SCHEME)
        if at - start > 1 and text[start].isalpha() and (rest := _URL_REST.match(text, at + 3)):
            done = rest.end()
            end = _trimmed(text, start, done)
            if end > at + 3:
                yield Handle("url", text[start:end], start, end)
        at = text.find("://", max(done, at + 3))


def _slashed(text: str) -> Iterator[Handle]:
    done = 0
    at = text.find("/")
    while at >= 0:
        start = _left(text, at, done, _TOKEN)
        rest = _SLASH_REST.match(text, at)
        if rest is None:
            done = at + 2  # a doubled slash: a comment, or the middle of a URL
        else:
            end = _trimmed(text, start, rest.end())
            named = text[start:end].strip("/.~%+@-")
            if named and end > at and (start == 0 or text[start - 1] not in ":\\/"):
                yield Handle("path", text[start:end], start, end)
            done = rest.end()
        at = text.find("/", max(done, at + 1))


def _files(text: str) -> Iterator[Handle]:
    done = 0
    for match in _SUFFIX.finditer(text):
        start = _left(text, match.start(), done, _TOKEN)
        done = match.end()
        name = text[start : match.start()]
        if name.strip(".") and (start == 0 or text[start - 1] not in ":\\/"):
            yield Handle("path", text[start:done], start, done)


def _drives(text: str) -> Iterator[Handle]:
    for match in _WINDOWS.finditer(text):
        start = match.start() - 1
        if start >= 0 and text[start].isalpha() and (start == 0 or not text[start - 1].isalnum()):
            end = _trimmed(text, start, match.end())
            yield Handle("path", text[start:end], start, end)


def _found(text: str) -> Iterator[Handle]:
    yield from _urls(text)
    yield from _slashed(text)
    yield from _files(text)
    yield from _drives(text)


def _found_widely(text: str) -> Iterator[Handle]:
    for kind, pattern in (("id", _ID), ("assignment", _ASSIGNED), ("pair", _PAIR)):
        for match in pattern.finditer(text):
            end = _trimmed(text, *match.span())
            yield Handle(kind, text[match.start() : end], match.start(), end)


def extract(text: str, *, wide: bool = False) -> list[Handle]:
    """All handles of a text: ascending, disjoint, the one that begins first where two overlap."""
    chosen: list[Handle] = []
    found = [*_found(text), *(_found_widely(text) if wide else ())]
    for handle in sorted(found, key=lambda h: (h.start, -h.end)):
        if handle.end - handle.start > handle_chars_max or handle.end <= handle.start:
            continue
        if chosen and handle.start < chosen[-1].end:
            continue
        chosen.append(handle)
    return chosen


def partition(text: str) -> list[tuple[str, int, int]]:
    """The text as (kind, start, end), every character once; what is no handle is `narrative`."""
    parts: list[tuple[str, int, int]] = []
    position = 0
    for handle in extract(text):
        if handle.start > position:
            parts.append(("narrative", position, handle.start))
        parts.append((handle.kind, handle.start, handle.end))
        position = handle.end
    if position < len(text):
        parts.append(("narrative", position, len(text)))
    return parts


def fingerprint(value: str, key: bytes) -> str:
    """What stands for a secret: keyed, so that it can be compared and not guessed."""
    digest = hmac.new(key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
    return f"hmac:{digest[:16]}"


def redacted(value: str, key: bytes) -> str:
    """The handle with secret-shaped pieces as fingerprints; itself if it has none."""
    if "@" in value and "://" in value:
        value = _URL_SECRET.sub(lambda m: f"{m[1]}:{fingerprint(m[2], key)}@", value)
    return _SECRET.sub(lambda m: fingerprint(m.group(), key), value)
