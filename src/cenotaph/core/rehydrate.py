"""Rehydrate: by handle, never by prose; what no handle resolves is a gap, which is reported.

Nothing here opens a native source: what comes back is the store's copy, as it was seen. `asking` reads
the question, `lookup` finds and orders the spans; here their bytes are read, a page at a time.
"""

from __future__ import annotations

import difflib
import hashlib
import heapq
import hmac
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cenotaph.core.apply import put_together
from cenotaph.core.asking import read_question
from cenotaph.core.effects import SpanRow
from cenotaph.core.ids import JSON, canonical_json, from_json, store_handle, verbatim_json
from cenotaph.core.lookup import Found, SpanSource, look_up
from cenotaph.core.promised import check_promises
from cenotaph.errors import (
    ConfigurationError,
    InvalidCursor,
    IrreversibleCompactionError,
    StoreDamaged,
    StoreErased,
    StoreError,
    StorePruned,
)
from cenotaph.limits import (
    hint_candidates_max,
    hint_words_max,
    hints_max,
    joined_chars_max,
    rehydrate_spans_max,
)

__all__ = ["Rehydrated", "SpanSource", "resolve", "resolve_messages"]

_CURSOR: Final = re.compile(r"([0-9a-f]{1,12})-([0-9a-f]{24})")
_MEDIA_TYPES: Final = frozenset(
    {"image", "image_url", "input_image", "input_audio", "audio", "document", "file", "input_file", "video"}
)
_WORD: Final = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Rehydrated:
    """One original, or a piece of one, as it was seen.

    Attributes:
        span_id: The span.
        text: What the model read of it; of a piece, the piece.
        block: The JSON block as it stood; for a part of a text, that part. None for a piece.
        turn: The turn in which it stood.
        provenance: Who wrote it.
        liveness: State of its native handle when it was recorded: live, dead, unknown, or
            "none" if it has none.
        handle: Store handle of the whole original.
        start: Characters of the original before `text`: 0 but for later pieces.
        total_chars: Characters of the whole original; more than `text` has if this is a piece.
        matched: How the question met it: "exact", "alias" (another spelling), "tail" (of a path).
        asked: The names in the question that lead to it. A name that no answer holds is a gap.
        cursor: Goes on behind this one; None unless it is the last of a page with more behind it.
        kind: What it is: text, call, result, reasoning, media, other; "" if nobody says.
    """

    span_id: str
    text: str
    block: JSON
    turn: int
    provenance: str
    liveness: str
    handle: str = ""
    start: int = 0
    total_chars: int = 0
    matched: str = "exact"
    asked: tuple[str, ...] = ()
    cursor: str | None = None
    kind: str = ""

    @property
    def whole(self) -> bool:
        """Whether this is all of the original."""
        return len(self.text) == self.total_chars

    @property
    def media(self) -> bool:
        """Whether its block is an image, a sound or a document, of which a model reads no text."""
        named = isinstance(self.block, Mapping) and self.block.get("type") in _MEDIA_TYPES
        return named or (self.kind == "media" and self.block is not None)


def _text_of(content: JSON) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [item.get("text", "") for item in content if isinstance(item, Mapping) and item.get("type") == "text"]
        if texts:
            return "\n".join(texts)
    if isinstance(content, Mapping):
        for key in ("text", "thinking"):
            if isinstance(content.get(key), str):
                return str(content[key])
        told = [*_texts_of(content.get("summary")), *_texts_of(content.get("content"))]
        if content.get("type") == "reasoning" and told:
            return "\n".join(told)
    return verbatim_json(content).decode("utf-8")


def _texts_of(blocks: JSON) -> list[str]:
    """The texts of a list of text blocks; none of anything else."""
    named = [block.get("text") for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []
    return [text for text in named if isinstance(text, str)]


def _block_of(row: SpanRow, content: JSON, handle: str, data: bytes) -> JSON:
    slot = from_json(row.slot.encode())
    if not slot:
        return content
    return put_together(["m", from_json(row.shell.encode()), [[slot, handle]]], (), {handle: data})


def resolve(
    what: str,
    source: SpanSource,
    session: str,
    *,
    limit_chars: int | None = None,
    cursor: str | None = None,
) -> list[Rehydrated]:
    """The originals behind a store handle, a native handle, a marker, a place, or the handles of a text.

    A page holds whole originals while they fit; the first one that fits no page of that size comes in
    pieces, each cut at a line end if it has one, and all pieces together are the original. Media are
    never cut: one that fits no page is a page of its own. An original that was pruned or erased ends the
    page before it; a page can't begin with it.

    Args:
        what: One of them; see `asking`.
        source: The store.
        session: Handles resolve only inside their session and its ancestors.
        limit_chars: Characters of one page, from 1; None for any number. In no case more than
            `rehydrate_spans_max` originals.
        cursor: Of the page before, for the same question; None for the first page.

    Returns:
        Verbatim originals in the order of `lookup`, newest first, each once; the last one's `cursor` says
        whether there is more. Never empty.

    Raises:
        IrreversibleCompactionError: Nothing is found; carries the nearest known handles.
        AmbiguousHandle: What was asked for is the beginning or the tail of several.
        InvalidCursor: It is no place in what this question finds in this session.
        StorePruned, StoreErased: The next original was removed; `details["cursor"]` goes on behind it, and
            `details["available"]` are store handles of some that are still there.
        StoreDamaged: A span is known but its bytes are not there, or are others; or nothing is found of what
            a record of the session names.
    """
    if limit_chars is not None and limit_chars < 1:
        raise ConfigurationError(f"limit_chars={limit_chars}: a number of characters, from 1; None for any number")
    question = read_question(what)
    found = look_up(question, source, session)
    if not found:
        check_promises(question, source, session, source.key())
        raise _gap(what, source, session)
    seals = _Seals(source.key(), session)
    at, offset = (0, 0) if cursor is None else seals.place(cursor, found)
    return _page(found, at, offset, source, seals, limit_chars)


def _page(
    found: Sequence[Found], at: int, offset: int, source: SpanSource, seals: _Seals, limit_chars: int | None
) -> list[Rehydrated]:
    page: list[Rehydrated] = []
    room = limit_chars
    for index in range(at, min(len(found), at + rehydrate_spans_max)):
        try:
            original = _rehydrated(found[index], source)
        except (StorePruned, StoreErased) as error:
            if page:
                return _ends(page, seals.cursor(found[index], 0))
            raise _removed(error, found, index, source, seals) from error
        text = original.text[offset:] if offset else original.text
        if room is not None and len(text) > room:
            if page:
                return _ends(page, seals.cursor(found[index], 0))
            if original.media:
                page, room = [original], 0
                continue
            end = cut_at(original.text, offset, room)
            piece = replace(original, text=original.text[offset:end], start=offset, block=None)
            return _ends([piece], seals.cursor(found[index], end))
        page.append(replace(original, text=text, start=offset, block=None) if offset else original)
        room = None if room is None else room - len(text)
        offset = 0
    behind = at + len(page)
    return page if behind == len(found) else _ends(page, seals.cursor(found[behind], 0))


def _ends(page: list[Rehydrated], cursor: str) -> list[Rehydrated]:
    return [*page[:-1], replace(page[-1], cursor=cursor)]


def cut_at(text: str, start: int, limit_chars: int) -> int:
    """Where a piece of at most so many characters ends: behind a line if there is one, never inside a character.

    Always beyond `start`. A character that is written as several (a letter and its marks, joined
    emoji, a carriage return and its line feed) stays whole unless it alone is longer than a piece.
    """
    end = start + limit_chars
    if end >= len(text):
        return len(text)
    line_end = text.rfind("\n", start, end)
    if line_end >= 0:
        return line_end + 1
    for cut in range(end, max(start, end - joined_chars_max), -1):
        if not _joined(text[cut - 1], text[cut]):
            return cut
    return end


def _joined(before: str, after: str) -> bool:
    if before == "\u200d" or after == "\u200d" or (before == "\r" and after == "\n"):
        return True
    halves = "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
    return halves or "\U0001f3fb" <= after <= "\U0001f3ff" or unicodedata.category(after).startswith("M")


@dataclass(frozen=True, slots=True)
class _Seals:
    """Makes cursors and finds the place that one names: a seal over session, span and place, made with the key."""

    key: bytes
    session: str

    def cursor(self, found: Found, offset: int) -> str:
        return f"{offset:x}-{self._seal(found, offset)}"

    def _seal(self, found: Found, offset: int) -> str:
        facts = ["cursor", self.session, found.session, found.row.span_id, found.row.handle, offset]
        return hmac.new(self.key, canonical_json(facts), hashlib.sha256).hexdigest()[:24]

    def place(self, cursor: str, found: Sequence[Found]) -> tuple[int, int]:
        """(index, characters before) of the place that the cursor names."""
        parts = _CURSOR.fullmatch(cursor.strip())
        if parts is not None:
            offset = int(parts[1], 16)
            for index, item in enumerate(found):
                if hmac.compare_digest(self._seal(item, offset), parts[2]):
                    return index, offset
        raise InvalidCursor(
            f"cursor {cursor[:80]!r} is no place in what this question finds in session {self.session!r}.",
            next_step="Give it unchanged, with the question and the session that it came from; or ask without it.",
            session=self.session,
        )


def _rehydrated(found: Found, source: SpanSource) -> Rehydrated:
    row = found.row
    data = source.get(found.session, row.handle)
    if data is None:
        raise StoreDamaged(
            f"the store knows span {row.span_id} of session {found.session!r} but has no bytes under {row.handle}.",
            next_step="Run cenotaph verify --read-data.",
            handle=row.handle,
        )
    if store_handle(source.key(), found.session, data) != row.handle:
        raise StoreDamaged(
            f"other bytes lie under {row.handle} of session {found.session!r}.",
            next_step="Run cenotaph verify --read-data.",
            handle=row.handle,
        )
    content = from_json(data)
    text = _text_of(content)
    return Rehydrated(
        span_id=row.span_id,
        text=text,
        block=_block_of(row, content, row.handle, data),
        turn=row.turn,
        provenance=row.provenance,
        liveness=row.state,
        handle=row.handle,
        total_chars=len(text),
        matched=found.match.name,
        asked=found.asked,
        kind=row.kind,
    )


def _removed(
    error: StorePruned | StoreErased, found: Sequence[Found], index: int, source: SpanSource, seals: _Seals
) -> StoreError:
    """The removal of one original, with the way to those that are still there."""
    available: list[str] = []
    for other in found[index + 1 : index + 1 + rehydrate_spans_max]:
        if len(available) == hints_max:
            break
        if _is_there(other, source):
            available.append(other.row.handle)
    behind = found[index + 1] if index + 1 < len(found) else None
    row = found[index].row
    return type(error)(
        f"{error}" + (f" Still there: {', '.join(available)}." if available else ""),
        **{
            **error.details,
            "span_id": row.span_id,
            "available": available,
            "cursor": None if behind is None else seals.cursor(behind, 0),
        },
    )


def _is_there(found: Found, source: SpanSource) -> bool:
    try:
        return source.get(found.session, found.row.handle) is not None
    except (StorePruned, StoreErased):
        return False


def _gap(what: str, source: SpanSource, session: str) -> IrreversibleCompactionError:
    known = source.handle_values(session)
    near = _near(what.strip(), known)
    hints = f" Nearest known handles: {', '.join(near)}." if near else ""
    return IrreversibleCompactionError(
        f"no handle-resolvable span for {what[:200]!r} in session {session!r}: "
        f"report the gap, do not reconstruct.{hints}",
        hints=near,
        what=what,
        session=session,
    )


def _near(what: str, known: Sequence[str]) -> list[str]:
    """Stored names that look like the question: those with most of its words, compared by their letters."""
    words = set(_WORD.findall(what.lower())[:hint_words_max])
    shared = ((sum(word in value.lower() for word in words), at) for at, value in enumerate(known))
    best = heapq.nlargest(hint_candidates_max, (found for found in shared if found[0]))
    pool = [known[at] for _, at in best] or known[-hint_candidates_max:]
    near = difflib.get_close_matches(what, pool, n=hints_max, cutoff=0.5)
    tail = what.rstrip("/").rsplit("/", 1)[-1]
    near += [value for value in known if tail and tail in value and value not in near][: hints_max - len(near)]
    return near


def resolve_messages(manifest: JSON, source: SpanSource, session: str) -> list[JSON]:
    """The original messages behind a record's `source_ref`.

    Raises:
        StoreDamaged: A content is missing.
    """
    steps = manifest["source"]
    wanted = {h for step in steps for _, s in step[2] for h in (s if isinstance(s, list) else [s])}
    contents: dict[str, bytes] = {}
    for handle in wanted:
        data = source.get(session, handle)
        if data is None:
            raise StoreDamaged(f"the bytes under {handle} are missing in session {session!r}", handle=handle)
        contents[handle] = data
    return [put_together(step, (), contents) for step in steps]
