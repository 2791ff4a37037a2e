"""The handles of what was removed, by who named them, and what stands afterwards; read once.

What people and the agent named is read with the grammar of handles. What tools only listed is scanned for
paths, and the grammar is not run over it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from cenotaph.core.audit.calls import acts_in, written_by
from cenotaph.core.audit.model import Event, Ref
from cenotaph.core.handles import Handle, extract
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Part, Provenance
from cenotaph.core.payloads import payload_ranges
from cenotaph.core.tools import Tools

__all__ = ["AGENT", "CALLS", "PEOPLE", "WRITTEN", "Region", "is_missed"]

PEOPLE, WRITTEN, CALLS, AGENT = 4, 3, 2, 1
"""Who named a handle, the weightiest first: people, a call that writes it, another call, the agent's own words."""

_KINDS: Final = frozenset({"path", "url", "endpoint", "host", "ip", "uuid", "hash", "id", "version", "setting"})
"""Handles that are missed; plain numbers and times are judged with the statements that hold them."""
_ARG_CHARS_MAX: Final = 500
_PATH: Final = re.compile(r"(?<![\w/.:@-])(?:~|\.{1,2})?/?(?:[\w@+-][\w.@+-]*/)+[\w@+-][\w.@+-]*")
_HUMAN: Final = frozenset({Provenance.user, Provenance.system, Provenance.developer})
_CHARS_PER_TOKEN: Final = 4
_HASH_CHARS_MIN: Final = 7
"""The shortest beginning of a hash that is taken for the whole one, as git does."""
_UNTOLD: Final = Tools.of(())


class Region:
    """What was removed and what stands."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self.removed: list[tuple[Ref, Part]] = [(ref, event.before[ref[0]].parts[ref[1]]) for ref in event.removed]

    @cached_property
    def after_text(self) -> str:
        return "\n".join(part.text for message in self.event.after for part in message.parts)

    @cached_property
    def before_text(self) -> str:
        return "\n".join(part.text for message in self.event.before for part in message.parts)

    @cached_property
    def folded_texts(self) -> list[str]:
        """The texts before, case folded, one by one."""
        return [part.text.casefold() for message in self.event.before for part in message.parts if part.text]

    def stands_apart(self, root: str, number: str) -> bool:
        """Whether a word stands before, and in no text that the number stands in."""
        naming = [one for one in self.folded_texts if root in one]
        alone = re.compile(rf"(?<![\w.]){re.escape(number.casefold())}(?![\w])")
        return bool(naming) and not any(number.casefold() in one and alone.search(one) for one in naming)

    @cached_property
    def standing(self) -> frozenset[str]:
        """Paths that stand afterwards."""
        return frozenset(_paths(self.after_text))

    @cached_property
    def acted(self) -> dict[str, tuple[str, int, Ref]]:
        """Handle -> (kind, weight, where it stands first): what people and the agent named."""
        found: dict[str, tuple[str, int, Ref]] = {}
        for ref, part in self.removed:
            weight = _weight(part)
            for handle in _spoken(part) if weight else ():
                known = found.get(handle.value)
                if known is None or known[1] < weight:
                    found[handle.value] = (handle.kind, weight, ref)
        return found

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every path that stands in what was removed."""
        found: set[str] = set()
        for _, part in self.removed:
            if part.kind is not Kind.reasoning and "/" in part.text:
                found.update(_paths(part.text))
        return frozenset(found)

    def split(self) -> tuple[list[str], list[str]]:
        """The handles that stand afterwards verbatim, and those that do not."""
        kept: list[str] = []
        lost: list[str] = []
        for value in self.acted:
            (kept if value.rstrip("/") in self.after_text else lost).append(value)
        return kept, lost

    def stands_shorter(self, value: str) -> bool:
        """Whether a path stands afterwards without the folders above it, or a hash by its beginning."""
        kind = self.acted[value][0]
        if kind == "hash":
            return value[:_HASH_CHARS_MIN] in self.after_text
        pieces = [piece for piece in value.split("/") if piece not in ("", ".", "..", "~")]
        return kind == "path" and len(pieces) > 1 and self._ends_a_path(f"{pieces[-2]}/{pieces[-1]}")

    def _ends_a_path(self, name: str) -> bool:
        at = self.after_text.find(name)
        return at >= 0 and not self.after_text[at + len(name) : at + len(name) + 1].isalnum()

    @cached_property
    def written(self) -> frozenset[str]:
        """What the calls that were removed wrote to, as far as they show it."""
        gone = set(self.event.removed)
        acts = acts_in(self.event.before, _UNTOLD)
        return frozenset(target.name for act in acts if (act.message, act.part) in gone for target in written_by(act))

    def weight(self, value: str) -> int:
        """Who named a handle: one of the four."""
        weight = self.acted[value][1]
        return WRITTEN if weight == CALLS and value in self.written else weight


def _paths(text: str) -> Iterator[str]:
    """The paths of a text, without the full stop of a sentence that ends with one; no more than once per word."""
    for word in {word for word in text.split() if "/" in word}:
        for one in _PATH.findall(word):
            yield one.rstrip(".-")


def is_missed(handle: Handle) -> bool:
    """Whether a handle names a thing that an agent would miss: no device, no option of a command, no JSON field."""
    value = handle.value
    if handle.kind not in _KINDS or len(value) <= 3 or value.startswith(("-", '"', "'", "/dev/")):
        return False
    if handle.kind == "path":
        return "/" in value.strip("/") or value.startswith(("/", "~"))
    return handle.kind != "setting" or _SETTING.match(value) is not None


_SETTING: Final = re.compile(r"[A-Za-z_][\w.-]*(?:[ \t]*=[ \t]*|: )\S")


def _weight(part: Part) -> int:
    """Who names a handle that stands in a part; 0 where it only was shown."""
    if part.kind is Kind.call:
        return CALLS
    if part.kind is not Kind.text:
        return 0
    return PEOPLE if part.provenance in _HUMAN else AGENT if part.provenance is Provenance.agent else 0


def _spoken(part: Part) -> Iterator[Handle]:
    """The handles that a part names: of a call those of its short arguments, none that a person pasted."""
    if part.kind is Kind.call:
        for value in (part.args or {}).values():
            for text in _short(value):
                yield from filter(is_missed, extract(text))
        return
    pasted = payload_ranges(part.text, _tokens) if part.provenance in _HUMAN else []
    for handle in extract(part.text):
        if is_missed(handle) and not any(start <= handle.start < end for start, end in pasted):
            yield handle


def _tokens(text: str) -> int:
    return len(text) // _CHARS_PER_TOKEN


def _short(value: JSON) -> Iterator[str]:
    if isinstance(value, str) and len(value) <= _ARG_CHARS_MAX and "\n" not in value:
        yield value
    elif isinstance(value, list):
        for one in value[:20]:
            if isinstance(one, str) and len(one) <= _ARG_CHARS_MAX and "\n" not in one:
                yield one
