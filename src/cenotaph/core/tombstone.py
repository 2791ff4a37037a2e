"""The tombstone: one line that says what left, where it stood, and by what it comes back.

    [EVICTED:<kind>@t<turn>[.<n>]:recover=<handle[|handle]|NO>]

`turn` is the turn in which the span stood, `n` the number of its exchange in that turn, from 1.
A handle is native (`file:src/app.py`: the thing as it is now) or the store's (`cx:`: the thing as
it was seen). Exactly `%`, `|`, `]`, control characters and line separators are written as %XX over
their UTF-8 bytes, upper case, so that a line is always one line and always ends at its bracket.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["KINDS", "Tombstone", "decode_handle", "encode_handle", "is_marker", "looks_like_marker"]

KINDS: Final = (
    "tool_result",
    "tool_exchange",
    "user_message",
    "user_payload",
    "user_constraint",
    "agent_text",
    "harness_text",
    "media",
    "plan",
    "tombstones",
)
"""The kinds that we write; `Tombstone.parse` takes any."""

_LINE = re.compile(
    r"\[EVICTED:(?P<kind>[a-z_]+)@t(?P<turn>[0-9]+)(?:\.(?P<n>[0-9]+))?"
    r":recover=(?P<recover>[^\]\x00-\x1f\x7f-\x9f\u2028\u2029]+)\]"
)
_PAGE_LINE = re.compile(_LINE.pattern + r"(?: [\w.:-]+)*")
_ESCAPED = re.compile("[%|\\]\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ESCAPE = re.compile(r"(?:%[0-9A-F]{2})+")
_MARKER = re.compile(r"\[(?:EVICTED|SUMMARY|CENOTAPH):")
PAGE_HEADER: Final = "[CENOTAPH:page: not from the user] What left the context here; ask by handle."
_PAGE = re.compile(r"\[CENOTAPH:[^\n\]]*: not from the user\](?: What left the context here; ask by handle\.)?")
_SURROGATE = re.compile(r"\[SUMMARY:[a-z_]+@t[0-9]+-t[0-9]+:source=cx:[0-9a-f]+\]")


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass"))


def encode_handle(handle: str) -> str:
    """A handle as it stands in a tombstone."""
    return _ESCAPED.sub(_percent, handle)


def decode_handle(text: str) -> str:
    """The handle behind `encode_handle`; a sequence that is not UTF-8 stays as it is."""

    def undo(match: re.Match[str]) -> str:
        raw = bytes.fromhex(match.group().replace("%", ""))
        try:
            return raw.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return match.group()

    return _ESCAPE.sub(undo, text)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stands where something left.

    Attributes:
        kind: `[a-z_]+`; see `KINDS`.
        turn: Turn number, 0 before the first human message.
        n: Number of the exchange in its turn, from 1; None if it belongs to none.
        recover: Handles in the order in which to try them, decoded; empty means NO.
    """

    kind: str
    turn: int
    n: int | None = None
    recover: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z_]+", self.kind):
            raise ValueError(f"tombstone kind {self.kind!r} must be lower-case letters and underscores")
        if type(self.turn) is not int or (self.n is not None and type(self.n) is not int):
            raise ValueError(f"tombstone position t{self.turn!r}.{self.n!r}: whole numbers")
        if self.turn < 0 or (self.n is not None and self.n < 1):
            raise ValueError(f"tombstone position t{self.turn}.{self.n}: turns start at 0, exchanges at 1")
        if any(not handle or handle == "NO" for handle in self.recover):
            raise ValueError(f"tombstone handles {self.recover!r}: a handle is neither empty nor NO")

    def render(self) -> str:
        """The line. `Tombstone.parse(t.render()) == t` for every tombstone."""
        where = f"t{self.turn}" if self.n is None else f"t{self.turn}.{self.n}"
        recover = "|".join(encode_handle(handle) for handle in self.recover) or "NO"
        return f"[EVICTED:{self.kind}@{where}:recover={recover}]"

    @classmethod
    def parse(cls, line: str) -> Tombstone:
        """Reads one line, white space around it aside.

        Raises:
            ValueError: The line is not a tombstone.
        """
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise ValueError(f"not a tombstone: {line[:120]!r}")
        recover = match["recover"]
        handles = () if recover == "NO" else tuple(decode_handle(h) for h in recover.split("|"))
        n = match["n"]
        return cls(match["kind"], int(match["turn"]), None if n is None else int(n), handles)

    @classmethod
    def find(cls, text: str) -> list[Tombstone]:
        """Every tombstone that stands in the text, in order."""
        found = []
        for match in _LINE.finditer(text):
            try:
                found.append(cls.parse(match.group()))
            except ValueError:
                continue
        return found


def looks_like_marker(text: str) -> bool:
    """True if the text claims to be something that only we write."""
    return _MARKER.search(text) is not None


def is_marker(text: str) -> bool:
    """True if the whole text claims to be ours: a page, a surrogate, or nothing but tombstones."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if lines and (_PAGE.fullmatch(lines[0]) or _SURROGATE.fullmatch(lines[0])):
        lines = lines[1:]
        return all(_PAGE_LINE.fullmatch(line) for line in lines)
    return bool(lines) and all(_LINE.fullmatch(line) for line in lines)
