"""The lines that we write into a view: what a tombstone names, and in which order.

A live native handle is named first (the thing as it is now), then the store's (as it was seen); an
invalidated one is named after the store's, and only where its call leaves too or no store has the
copy; a dead one never. Without a store there is no `cx:`.
"""

from __future__ import annotations

from collections.abc import Sequence

from cenotaph.core.classify import Classified
from cenotaph.core.facts import CALL_SCHEME, State
from cenotaph.core.handles import Handle, extract, redacted
from cenotaph.core.ids import store_handle
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.spans import Exchange, Span
from cenotaph.core.tombstone import PAGE_HEADER, Tombstone, encode_handle
from cenotaph.limits import handle_chars_max

__all__ = ["Namer", "page_text"]


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
        self._found: dict[int, list[Handle]] = {}
        self._names: dict[int, list[tuple[str, str]]] = {}

    def found(self, span: Span) -> list[Handle]:
        """The handles that stand in a span's text; looked for once."""
        known = self._found.get(span.order)
        if known is None:
            nameless = span.order not in self._classified.reading.handles
            known = self._found[span.order] = extract(span.text, wide=nameless and span.kind is not Kind.call)
        return known

    def names(self, span: Span) -> list[tuple[str, str]]:
        """(kind, value under redaction) of the handles in a span's text; worked out once."""
        known = self._names.get(span.order)
        if known is None:
            known = [(handle.kind, redacted(handle.value, self._key)) for handle in self.found(span)]
            self._names[span.order] = known
        return known

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
        if span.kind is Kind.result:
            kind = "tool_result"
        elif span.kind is Kind.media:
            kind = "media"
        elif span.provenance is Provenance.harness:
            kind = "harness_text"
        else:
            kind = "user_payload"
        n = exchange.n if exchange is not None else None
        return Tombstone(kind, span.turn, n, self.recover(span)).render()

    def whole(self, exchange: Exchange, members: Sequence[Span], *, plan: bool) -> str:
        """The page's line for an exchange that left with its calls.

        It names the content of one call for the store, by which the whole exchange comes back, and the
        native handles of all.
        """
        calls = [span for span in members if span.kind is Kind.call]
        live: list[str] = []
        unsure: list[str] = []
        for span in members:
            native = self.native(span)
            if native is not None:
                (live if native[1] is State.live else unsure).append(native[0])
        store = [self.handle(calls[0])] if self._stored else []
        recover = tuple(dict.fromkeys([*live, *store, *unsure]))
        line = Tombstone("plan" if plan else "tool_exchange", exchange.turn, exchange.n, recover)
        tools = " ".join(dict.fromkeys(map(shown_tool, calls)))
        return f"{line.render()} {tools}"
