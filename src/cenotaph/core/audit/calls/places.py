"""Where a path lies: whether what a call writes is, or lies in, what a text names.

Texts and calls name one place in many forms: quoted, with a slash at the end, with `..` in it, from the home, from
the project's root. What the forms show is sure; what hangs on where the project or the home lies is only likely.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cenotaph.core.audit.verdicts.words import word_set

__all__ = ["Place", "Roots", "place_of"]

_QUOTES: Final = "`'\"“”‘’"
_DRIVE: Final = re.compile(r"[A-Za-z]:(?=[\\/])")
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_LINE: Final = re.compile(r"(?::\d+){1,2}$|#L\d+.*$")
_HOME_VARIABLE: Final = re.compile(r"\$(?:HOME|\{HOME\})(?=/|$)")
_HOMES: Final = ("home", "Users")
_SYSTEM_FOLDERS: Final = word_set("""
    etc usr var home root opt tmp srv mnt bin sbin lib proc sys dev boot run media data private
    Users Library Applications Volumes System""")


@dataclass(frozen=True, slots=True)
class Place:
    """A path, taken apart.

    Attributes:
        anchor: "/" absolute, "~" from the home, "c:" from a drive, "s3:" in a store of that scheme, ".." from above the
            working folder, "" from the working folder.
        pieces: Its components, without `.`, and with `..` resolved.
    """

    anchor: str
    pieces: tuple[str, ...]

    @property
    def name(self) -> str:
        """The last component."""
        return self.pieces[-1] if self.pieces else ""


@lru_cache(maxsize=8_192)
def place_of(text: str) -> Place | None:
    """The place that a path names; None if it names none or hangs on a variable."""
    bare = _LINE.sub("", _HOME_VARIABLE.sub("~", text.strip().strip(_QUOTES)))
    scheme = _SCHEME.match(bare)
    if scheme is not None:
        bare = bare[scheme.end() :]
        anchor = "/" if scheme[1].lower() == "file" else f"{scheme[1].lower()}:"
    elif drive := _DRIVE.match(bare):
        anchor, bare = drive.group().lower(), bare[2:].replace("\\", "/")
    else:
        bare = bare if "/" in bare else bare.replace("\\", "/")
        anchor = "/" if bare.startswith("/") else "~" if bare.split("/", 1)[0] == "~" else ""
    pieces: list[str] = []
    for piece in bare.removeprefix("~" if anchor == "~" else "").split("/"):
        if piece == ".." and pieces:
            pieces.pop()
        elif piece == ".." and not anchor:
            anchor = ".."
        elif piece not in ("", ".", ".."):
            pieces.append(piece)
    while pieces and set(pieces[-1]) <= {"*"}:
        pieces.pop()
    if (not pieces and not anchor) or any("$" in piece for piece in pieces):
        return None
    return Place(anchor, tuple(pieces))


class Roots:
    """Where the project lies, by what a history's calls name.

    A folder is taken for the project's root if at least half of all absolute paths lie in it.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        """Args:
        paths: What the calls read and write; each counts once.
        """
        self._inside: Tally[tuple[str, ...]] = Tally()
        self._total = 0
        for place in {place for path in paths if (place := place_of(path)) is not None}:
            if place.anchor == "/":
                self._total += 1
                self._inside.update(place.pieces[:length] for length in range(1, len(place.pieces)))

    def holds(self, folder: Sequence[str]) -> bool:
        """Whether a folder may be the project's root."""
        return bool(folder) and 2 * self._inside[tuple(folder)] >= self._total

    def covers(self, outer: Place, inner: Place) -> bool | None:
        """Whether a place is another or lies in it.

        Args:
            outer: As a text names it.
            inner: As a call names it.

        Returns:
            True if their forms show it; False if it is likely, and hangs on the root, the home or the case of letters;
            None if it is not so, or nobody can tell.
        """
        if outer.anchor == inner.anchor:
            sure = _begins(inner.pieces, outer.pieces, folded=outer.anchor.endswith(":"))
            if sure is not None or outer.anchor not in ("", "/"):
                return sure
            if outer.anchor == "":
                return None if _position(inner.pieces, outer.pieces) is None else False
            return self._from_root(outer, inner)
        if outer.anchor in ("", "..") and inner.anchor in ("/", "~", ".."):
            at = _position(inner.pieces, outer.pieces)
            if at is None:
                return None
            return outer.anchor == "" and inner.anchor == "/" and self.holds(inner.pieces[:at])
        if {outer.anchor, inner.anchor} == {"/", "~"}:
            container, within = _from_home(outer), _from_home(inner)
            return None if container is None or within is None or _begins(within, container) is None else False
        if outer.anchor == "/" and inner.anchor == "":
            return self._from_root(outer, inner)
        return None

    def _from_root(self, outer: Place, inner: Place) -> bool | None:
        """`/src/legacy` may be meant from the project's root, where the machine has no such folder."""
        if len(outer.pieces) < 2 or outer.pieces[0] in _SYSTEM_FOLDERS:
            return None
        at = _position(inner.pieces, outer.pieces)
        return False if at is not None and (inner.anchor == "" or self.holds(inner.pieces[:at])) else None


def _from_home(place: Place) -> tuple[str, ...] | None:
    """The components below somebody's home; None if it does not lie in one."""
    if place.anchor == "~" or place.pieces[:1] == ("root",):
        return place.pieces[place.anchor == "/" :]
    return place.pieces[2:] if len(place.pieces) >= 2 and place.pieces[0] in _HOMES else None


def _begins(pieces: Sequence[str], start: Sequence[str], *, folded: bool = False) -> bool | None:
    """True if the pieces begin so; False if they do but for the case of letters, or by a pattern of the call's."""
    if len(pieces) < len(start):
        return None
    sure = True
    for here, wanted in zip(pieces, start, strict=False):
        if here == wanted or _fits(here, wanted):
            continue
        if here.casefold() != wanted.casefold() and not _fits(wanted, here):
            return None
        sure = sure and folded
    return sure


def _fits(piece: str, pattern: str) -> bool:
    """Whether a component is of a pattern; `*` is any characters, and nothing else has a meaning."""
    first, *rest = pattern.split("*")
    if not rest or not piece.startswith(first) or len(piece) < len(pattern) - len(rest):
        return False
    at = len(first)
    for literal in rest[:-1]:
        at = piece.find(literal, at)
        if at < 0:
            return False
        at += len(literal)
    return piece.endswith(rest[-1]) and at <= len(piece) - len(rest[-1])


def _position(pieces: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where the pieces of a path stand in another's, one after the other; the first place."""
    for at in range(len(pieces) - len(wanted) + 1):
        if wanted and _begins(pieces[at:], wanted) is True:
            return at
    return None
