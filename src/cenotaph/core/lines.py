"""The lines that we write into a view: what a tombstone names, and in which order.

A live native handle is named first (the thing as it is now), then the store's (as it was seen); an
invalidated one is named after the store's, and only where its call leaves too or no store has the
copy; a dead one never. Without a store there is no `cx:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cenotaph.core.classify import Classified
from cenotaph.core.facts import CALL_SCHEME, State
from cenotaph.core.handles import STORE_ONLY, every, redacted
from cenotaph.core.ids import HANDLE_PREFIX, store_handle
from cenotaph.core.manifest import Manifest
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.ranking import grade
from cenotaph.core.spans import Exchange, Span
from cenotaph.core.statements import sentences
from cenotaph.core.tombstone import PAGE_HEADER, Tombstone, encode_handle
from cenotaph.limits import handle_chars_max

__all__ = [
    "SURROGATE_MARK",
    "TOMBSTONES",
    "LineKind",
    "Namer",
    "PageLine",
    "Pointer",
    "kind_of_line",
    "page_lines",
    "page_text",
]


class LineKind(StrEnum):
    """What a line of a page is."""

    exchange = "exchange"
    """The tombstone of one exchange, or of one result without a call."""
    text = "text"
    """The tombstone of messages whose lifted sentences stand below."""
    fold = "fold"
    """One pointer for many exchanges and older lines."""
    surrogate = "surrogate"
    """The header of a surrogate, or a line of its text."""
    entry = "index"
    """A handle of what was summarized, verbatim."""
    lift = "lift"
    """A whole sentence of a person or of the agent, verbatim."""
    pin = "pin"
    """What the caller pinned and no message says."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of the page of a cut.

    Attributes:
        kind: What it is.
        text: Without line breaks.
        members: Orders of the spans that it stands for; a lift: of the span that it was said in.
    """

    kind: LineKind
    text: str
    members: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pointer:
    """What stands for many things: a manifest, and the store handle under which it will lie.

    Attributes:
        handle: Store handle of the manifest's bytes.
        manifest: What it names.
    """

    handle: str
    manifest: Manifest


TOMBSTONES: Final = frozenset({LineKind.exchange, LineKind.text, LineKind.fold})
"""Lines that stand for spans: by them each can be asked for."""

_VOICED: Final = re.compile(r"(?:user|agent) t\d+: ")
SURROGATE_MARK: Final = "- "
"""Before each line of a surrogate on a page, so that its words can't pass for a lifted sentence or a pin."""

_PINNED: Final = "pinned by the caller: "


def pin_line(statement: str) -> str:
    """A pinned statement that no message of the view says."""
    shown = "".join(c if c.isprintable() else " " for c in statement)
    return _PINNED + " ".join(shown.split())


def lift_line(voice: str, turn: int, sentence: str) -> str:
    """A lifted sentence: whose, when, and then its own words."""
    return f"{voice} t{turn}: {sentence}"


def kind_of_line(line: str) -> LineKind:
    """What a line of a page of ours is; only ever asked of text that is known to be ours."""
    if _VOICED.match(line):
        return LineKind.lift
    if line.startswith(_PINNED):
        return LineKind.pin
    return LineKind.fold


def lifted_words(line: str) -> tuple[str, str]:
    """(who said it, the words) of a lifted line; two empty strings for any other line of ours."""
    found = _VOICED.match(line)
    return ("", "") if found is None else (line.split(" ", 1)[0], line[found.end() :])


def is_page(text: str) -> bool:
    """Whether a text that is known to be ours is a page; else it is a line in place."""
    return text.startswith(PAGE_HEADER)


def page_lines(text: str) -> list[str]:
    """The lines of a page of ours, its header aside."""
    return text.split("\n")[1:]


def page_text(lines: Sequence[str]) -> str:
    """Our message: a header that nobody can take for a person's words, then one line per thing."""
    return "\n".join((PAGE_HEADER, *lines))


def shown_tool(call: Span) -> str:
    """A tool's name as one word: whatever a foreign name holds, it can't speak on a page."""
    return encode_handle("_".join((call.part.tool or "?").split()))


class Namer:
    """Names spans for tombstones.

    Args:
        classified: The spans.
        key: The store's key.
        session: Session name.
        stored: Whether a store that outlives the call holds the originals.
    """

    def __init__(self, classified: Classified, *, key: bytes, session: str, stored: bool) -> None:
        self._classified = classified
        self._key = key
        self._session = session
        self._stored = stored
        self._handles: dict[int, str] = {}
        self._found: dict[tuple[str, bool], tuple[tuple[str, str], ...]] = {}
        self._alone: dict[str, str] = {}
        self._words: dict[int, list[tuple[str, int]]] = {}

    def found(self, span: Span) -> tuple[tuple[str, str], ...]:
        """(kind, value) of the handles in a span's text under redaction, each once, in the order of the text.

        Equal texts are read once. What a tool can be asked for again by a handle of its own is full of code
        identifiers and literals that name nothing outside it: there they are left out.
        """
        asked = span.text, span.order in self._classified.reading.handles
        known = self._found.get(asked)
        if known is None:
            handles = every(self.redact(span.text))  # what is part of a secret would not be known for one alone
            without = STORE_ONLY if asked[1] else ()
            pairs = dict.fromkeys((kind, value) for kind, value, _, _ in handles if kind not in without)
            known = self._found[asked] = tuple(pairs)
        return known

    def alone(self, handle: str) -> str:
        """A handle under redaction by itself, as the record and the store name it; worked out once for equal ones."""
        known = self._alone.get(handle)
        if known is None:
            shown = redacted(handle, self._key)
            known = self._alone[handle] = handle if shown == handle else shown
        return known

    def words(self, span: Span) -> list[tuple[str, int]]:
        """(sentence under redaction, its grade) of a text, in order; worked out once."""
        known = self._words.get(span.order)
        if known is None:
            shown = self.redact(span.text)  # as a whole: a secret may run over several lines
            told = [shown[s.start : s.end] for s in sentences(shown)]
            known = self._words[span.order] = [(sentence, grade(sentence)) for sentence in told]
        return known

    def forget(self) -> None:
        """Drops what was read of texts, which a cut that is written needs no more; asked again, it is read again."""
        self._found.clear()
        self._alone.clear()
        self._words.clear()

    def redact(self, text: str) -> str:
        """The text with a fingerprint in the place of each secret."""
        return redacted(text, self._key)

    def handle(self, span: Span) -> str:
        """The store handle of a span's content."""
        known = self._handles.get(span.order)
        if known is None:
            known = self._handles[span.order] = store_handle(self._key, self._session, span.data)
        return known

    def native(self, span: Span) -> tuple[str, State] | None:
        """The span's native handle, if it has one that may be named."""
        handle = self._classified.reading.handles.get(span.order)
        facts = self._classified.reading.facts[span.order]
        if handle is None or facts.state is State.dead or len(handle) > handle_chars_max:
            return None
        if handle.startswith(CALL_SCHEME) or not handle.isprintable() or redacted(handle, self._key) != handle:
            return None  # a secret, or what a reader could not see, stays in the store
        return handle, facts.state

    def recover(self, *spans: Span) -> tuple[str, ...]:
        """Handles to try in order, without repetition."""
        live: list[str] = []
        store: list[str] = []
        unsure: list[str] = []
        for span in spans:
            native = self.native(span)
            if native is not None:
                (live if native[1] is State.live else unsure).append(native[0])
            if self._stored:
                store.append(self.handle(span))
        return tuple(dict.fromkeys([*live, *store, *([] if self._stored else unsure)]))

    def in_place(self, span: Span, exchange: Exchange | None) -> str:
        """The line that stands where a result, a payload or a media block stood."""
        if span.kind is Kind.media:
            kind = "media"
        elif span.kind is Kind.result or span.provenance is Provenance.tool:
            kind = "tool_result"
        elif span.provenance is Provenance.agent:
            kind = "agent_text"
        elif span.provenance is Provenance.user:
            kind = "user_payload" if span.payload else "user_message"
        else:
            kind = "harness_text"  # machine text, whoever made it: never a person's
        n = exchange.n if exchange is not None else None
        return Tombstone(kind, span.turn, n, self.recover(span)).render()

    def whole(self, exchange: Exchange, members: Sequence[Span], *, plan: bool) -> str:
        """The page's line for an exchange that left with its calls.

        It names a manifest of all its spans for the store, and the native handles of all.
        """
        calls = [span for span in members if span.kind is Kind.call]
        pointer = self.pointer(members)
        live: list[str] = []
        unsure: list[str] = []
        for span in members:
            native = self.native(span)
            if native is not None:
                (live if native[1] is State.live else unsure).append(native[0])
        store = [] if pointer is None else [pointer.handle]
        recover = tuple(dict.fromkeys([*live, *store, *unsure]))
        line = Tombstone("plan" if plan else "tool_exchange", exchange.turn, exchange.n, recover)
        tools = " ".join(dict.fromkeys(map(shown_tool, calls)))
        return f"{line.render()} {tools}"

    def text_line(self, voice: str, spans: Sequence[Span], pointer: Pointer | None, here: int, of: int) -> str:
        """The page's line for text that left: where it is, and how many of its sentences stand below."""
        kind = "user_message" if voice == "user" else "agent_text"
        recover = self.recover(spans[0]) if pointer is None else (pointer.handle,)
        line = Tombstone(kind, min(span.turn for span in spans), None, recover if self._stored else ())
        return f"{line.render()} {here} of {of} sentences here"

    def fold_line(self, pointer: Pointer) -> str:
        """One pointer for everything that the manifest names."""
        return Tombstone("tombstones", pointer.manifest.turns[0], None, (pointer.handle,)).render()

    def pointer(self, spans: Sequence[Span], older: Iterable[str] = ()) -> Pointer | None:
        """What stands for many spans, and for what the lines `older` point to; None without a store or for nothing."""
        if not self._stored:
            return None
        marks = [mark for line in older for mark in Tombstone.find(line)]
        folds = dict.fromkeys(h for mark in marks for h in mark.recover if h.startswith(HANDLE_PREFIX))
        turns = [span.turn for span in spans] + [mark.turn for mark in marks]
        if not turns:
            return None  # a page of nothing but lifted sentences: older pointers stand for their sources
        manifest = Manifest(tuple(span.id for span in spans), tuple(folds), (min(turns), max(turns)))
        return Pointer(store_handle(self._key, self._session, manifest.encode()), manifest)
