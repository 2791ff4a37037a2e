"""Handles in text: the exact names by which a thing can be asked for again.

Paths (POSIX, Windows, relative, with a line number) and URLs. Each pattern starts at a token's edge
and takes what belongs to it possessively, so that hostile text costs no more than plain text. Text
that has no native handle of its own (a one-shot result, a payload) is read *widely*: ids, `NAME=value`
and `key: value` in it count too, since nothing else can name what it said.
"""

from __future__ import annotations

import hashlib
import hmac
import re
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

_EDGE: Final = r"(?<![\w/.~@:+%\\-])"
_LINE: Final = r"(?::\d+(?:[:-]\d+)?)?"

_URL: Final = re.compile(r"(?<![\w+.-])[A-Za-z][A-Za-z0-9+.-]{1,31}+://[^\s<>\"'`\\^{}|]+")
_WINDOWS: Final = re.compile(r"(?<!\w)[A-Za-z]:\\[^\s<>\"'`|*?:]+(?::\d+)?")
_POSIX: Final = re.compile(rf"{_EDGE}[\w.@+%~-]*+/(?!/)[\w./@+%~-]*+{_LINE}")
_FILE: Final = re.compile(rf"{_EDGE}[\w+-]++(?:\.[\w+-]+)*?\.(?:{_SUFFIXES})\b{_LINE}(?![\w/-]|\.\w)")

_ID: Final = re.compile(r"(?<![\w-])[A-Z]{2,10}-\d+(?![\w-])")
_ASSIGNED: Final = re.compile(r"(?<![\w.-])[A-Za-z_][\w.-]{0,80}+=(?:\"[^\"\n]{0,200}\"|[^\s\"',;)\]}]{1,200})")
_PAIR: Final = re.compile(
    r"(?<![\w./-])[A-Za-z_][\w.-]{0,40}+:[ \t]{1,8}(?:\d[\d.,]*+(?:[ \t]?(?:[A-Z]{2,4}|[a-z]{1,3}|%)(?!\w))?|[\w./+-]{1,80})"
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
    while end > start and text[end - 1] in _TRAILING:
        closing = text[end - 1]
        opening = {")": "(", "]": "[", "}": "{", ">": "<"}.get(closing)
        if opening and text.count(opening, start, end) >= text.count(closing, start, end):
            break
        end -= 1
    return end


def _found(text: str) -> Iterator[Handle]:
    if "://" in text:
        for match in _URL.finditer(text):
            end = _trimmed(text, *match.span())
            yield Handle("url", text[match.start() : end], match.start(), end)
    patterns = [_FILE]
    if "/" in text:
        patterns.append(_POSIX)
    if ":\\" in text:
        patterns.append(_WINDOWS)
    for pattern in patterns:
        for match in pattern.finditer(text):
            end = _trimmed(text, *match.span())
            value = text[match.start() : end]
            if value.strip("/.~%+@-"):
                yield Handle("path", value, match.start(), end)


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
