"""Names: the spellings under which one handle is asked for, and how a question is read.

Nothing here knows a store. A name is worked out from the shape of a handle alone, the same way when a
row is written and when a question is asked, so that two spellings of one thing meet; what shares no
name with a stored handle does not answer for it.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Final

from cenotaph.core.handles import extract
from cenotaph.core.ids import HANDLE_PREFIX
from cenotaph.core.tombstone import Tombstone
from cenotaph.limits import asked_words_max, store_prefix_hex_chars_min

__all__ = ["Question", "aliases", "is_tail", "path_of", "read_question", "spellings"]

PATH_SCHEMES: Final = ("file:", "dir:")
"""Schemes of native handles whose rest is a path."""

_LINE: Final = re.compile(r"(?::\d+(?:[:-]\d+)*|#L\d+(?:-L?\d+)?)$")
_DRIVE: Final = re.compile(r"[A-Za-z]:(?=[\\/])")
_FILE_NAME: Final = re.compile(r"[^\s/\\:=]+\.[A-Za-z]\w{0,7}")
_URL: Final = re.compile(r"([A-Za-z][\w+.-]*://)([^/?#\s]+)([^?#\s]*)")
_NAMED: Final = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*)[ \t]*(?:=|:[ \t])")
_CX: Final = re.compile(rf"(?<![\w:./%-]){HANDLE_PREFIX}[0-9a-f]{{{store_prefix_hex_chars_min},}}(?!\w)")
_TURN: Final = re.compile(r"(?:t|turn[ \t]+)(\d{1,9})(?:\.(\d{1,9}))?", re.IGNORECASE)
_PAGE_LINE: Final = re.compile(
    rf"^[ \t]*[a-z_]+: \S.* \(t\d+(?:\.\d+)?, [a-z]+, ({HANDLE_PREFIX}[0-9a-f]+)\)", re.MULTILINE
)
_SUMMARY: Final = re.compile(r"\[SUMMARY:[a-z_]+@t\d+-t\d+:source=([^\]\s]+)\]")
_NAMELIKE: Final = re.compile(r"(?=.*[A-Z\d_./:=-])[\w./:=@#%+~-]{3,}")
_COMPOSED: Final = re.compile(r"[/\\.:=]")
"""What stands in every value that has another spelling: a URL, a path, or a name with its value."""
_SPACE: Final = re.compile(r"\s")
_QUOTES: Final = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb"
_AROUND: Final = _QUOTES + ".,;!?()[]{}<>"


# Names of a handle --------------------------------------------------------------------------


def path_of(handle: str) -> str | None:
    """The path in a handle in its one normal spelling, with forward slashes and without a line number.

    `file:./src\\app.py:12` and `src/app.py` give `src/app.py`; None if the handle is no path.
    """
    scheme = _scheme(handle)
    rest = handle[len(scheme) :]
    if not scheme and not _looks_like_path(rest):
        return None
    if _DRIVE.match(rest):
        rest = rest[:2].upper() + rest[2:]
    rest = _without_line(rest).replace("\\", "/")
    loose = rest.startswith(".") or rest.endswith("/") or "/." in rest or "//" in rest
    return (posixpath.normpath(rest) if loose else rest) or None


def _without_line(path: str) -> str:
    return _LINE.sub("", path) if ":" in path or "#" in path else path


def _scheme(handle: str) -> str:
    """The one of `PATH_SCHEMES` that it begins with, or nothing."""
    if not handle.startswith(PATH_SCHEMES):
        return ""
    return next(name for name in PATH_SCHEMES if handle.startswith(name))


def _looks_like_path(text: str) -> bool:
    if "=" in text or "://" in text or _SPACE.search(text):
        return False
    return "/" in text or "\\" in text or _FILE_NAME.match(_without_line(text)) is not None


def _url_of(handle: str) -> str | None:
    """A URL without query, fragment and closing slash, scheme and host in lower case; None for anything else."""
    found = _URL.match(handle) if "://" in handle else None
    return None if found is None else (found[1] + found[2]).lower() + found[3].rstrip("/")


def aliases(kind: str, value: str) -> tuple[str, ...]:
    """The further names under which a handle row is also written, so that it is found by any spelling.

    A path: its normal spelling, without a line number, and the same without `file:` or `dir:`. A URL:
    without query, fragment and closing slash. `NAME=value`, `--flag=value`, `key: value`: the name.

    Args:
        kind: Kind of the handle row. A `literal` or a `prohibition` is words, so it has no other name.
        value: The handle, before redaction. Each name must be redacted as the value is.

    Returns:
        Names other than `value`, without repetition; empty for most handles.
    """
    if kind in ("literal", "prohibition", "tombstone"):
        return ()
    return spellings(value)[1:]


def spellings(value: str) -> tuple[str, ...]:
    """`value`, then its other names; two spellings of one thing have a name in common."""
    if not _COMPOSED.search(value):
        return (value,)
    names = [value]
    url = _url_of(value)
    path = None if url else path_of(value)
    named = None if url else _NAMED.match(value)
    if url:
        names.append(url)
    elif path:
        names += [_scheme(value) + path, path]
    elif named and not value.startswith(PATH_SCHEMES):
        names.append(named[1])
    return tuple(dict.fromkeys(names))


def is_tail(one: str, other: str) -> bool:
    """One of two paths ends with the other by whole segments, and they are not the same.

    `app.py` and `src/app.py`, `src/app.py` and `/home/me/repo/src/app.py`; never `app.py` and `my_app.py`.
    Both in the spelling of `path_of`.
    """
    short, long = sorted((one, other), key=len)
    if short.startswith(("/", "~", "../")) or _DRIVE.match(short) or short in (".", ".."):
        return False  # it says where it begins
    return long.endswith("/" + short)


# Questions ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for.

    Attributes:
        text: The words, white space and quotation marks around them aside.
        tombstones: Tombstones in it. If there are any, they and other lines of ours alone are asked for.
        stored: Store handles, or beginnings of them, that it names: on page lines and in headers of
            surrogates if it has such, else anywhere in it.
        turn: (turn, exchange or None) of `t3.2` or `turn 3`; None if it is no place.
        named: Handles in its words, as they stand there.
    """

    text: str
    tombstones: tuple[Tombstone, ...]
    stored: tuple[str, ...]
    turn: tuple[int, int | None] | None
    named: tuple[str, ...]

    @property
    def of_markers(self) -> bool:
        """It quotes lines of ours: what they point to is asked for, and nothing else that they say."""
        return bool(self.tombstones or self.stored)


def read_question(what: str) -> Question:
    """What a question asks for, by its structure: lines of ours first, then a place, then handles."""
    text = what.strip().strip(_QUOTES).strip()
    tombstones = tuple(Tombstone.find(what))
    lines = [match[1] for match in _PAGE_LINE.finditer(what)]
    headers = [handle for match in _SUMMARY.finditer(what) for handle in match[1].split("|")]
    marked = [*lines, *headers]
    if tombstones or marked:
        return Question(text, tombstones, _distinct(marked), None, ())
    stored = _distinct(_CX.findall(what))
    place = _TURN.fullmatch(text)
    turn = (int(place[1]), None if place[2] is None else int(place[2])) if place else None
    return Question(text, (), stored, turn, _named(text))


def _named(text: str) -> tuple[str, ...]:
    """Handles by the grammar, and words of the shape of a name, which the grammar may not know alone."""
    found = [handle.value for handle in extract(text)]
    words = (word.strip(_AROUND) for word in text.split()[:asked_words_max])
    found += [word for word in words if _NAMELIKE.fullmatch(word)]
    return tuple(value for value in _distinct(found) if value != text)


def _distinct(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
