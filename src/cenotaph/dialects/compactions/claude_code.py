"""Compactions in sessions of Claude Code: boundaries with a summary behind them, and cleared results.

Nothing is deleted from the file. At a `compact_boundary` the view begins anew: the summary, what the boundary
preserves, and what came later. At a `microcompact_boundary` the results that it names are cleared and stay
where they were. The view before each is that of all records up to it, the view after it that of all up to its
summary, both read as the client would resume them.

A summary that says where the transcript lies points back. A region is not whole where the client counted far
more than the file holds of it: a session that was resumed from another file.

Source: real sessions of versions 2.0 to 2.1; the counts of `compactMetadata` against what stands in the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Message
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.dialects.claude_code_branches import select
from cenotaph.dialects.claude_code_queue import Delivery, deliveries
from cenotaph.dialects.claude_code_records import Record, read_records
from cenotaph.dialects.claude_code_view import View, assemble
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.session_input import is_whole

__all__ = ["chronicle", "may_hold"]

_SIGNS: Final = (b"compact_boundary", b"isCompactSummary")
"""One of them stands in every file with a compaction; `microcompact_boundary` ends in the first."""
_ESCAPED: Final = re.compile(rb"\\u00[4-7]")
_POINTER: Final = re.compile(r"(?:transcript|conversation)[^\n]{0,80}:\s*\S+\.jsonl\b")
_CHARS_PER_TOKEN: Final = 4
_WHOLE_SHARE_MIN: Final = 0.15
"""What the file holds of a whole region is at least this share of what the client counted (a tenth lies below)."""


def may_hold(data: bytes) -> bool:
    """Whether a file may hold a compaction, by its bytes; False is certain.

    Args:
        data: The whole file.
    """
    return any(sign in data for sign in _SIGNS) or _ESCAPED.search(data) is not None


def chronicle(value: JSON) -> Chronicle:
    """A session with its compactions.

    Args:
        value: As `CLAUDE_CODE.parse` takes it.

    Raises:
        InputError, DialectError: As `CLAUDE_CODE.parse`.
    """
    defects: list[Defect] = []
    records = read_records(value, defects.append)
    queued = deliveries(records)
    chain = Chain()
    for cut, end in _cuts(records):
        before = _view(records[:cut], queued)
        chain.show(before.messages, before.usage)
        _compact(chain, records[cut], _view(records[:end], queued))
    last = _view(records, queued, defects)
    if not last.messages and not chain.messages:
        return _nothing(value)
    chain.show(last.messages, last.usage)
    session = next((record.session for record in reversed(records) if record.is_message and record.session), None)
    return chain.chronicle(CLAUDE_CODE.name, CLAUDE_CODE.wire, session=session, defects=defects, records=len(records))


def _nothing(value: JSON) -> Chronicle:
    """Says what is wrong with a file without a message, as its dialect does."""
    CLAUDE_CODE.parse(value)
    return Chronicle(CLAUDE_CODE.name, CLAUDE_CODE.wire, None, (), ())


def _cuts(records: Sequence[Record]) -> list[tuple[int, int]]:
    """(place of each compaction, one past the last record that is of it), in file order."""
    main = [not record.sidechain for record in records]
    found: list[tuple[int, int]] = []
    boundary: int | None = None
    for at, record in enumerate(records):
        if not main[at]:
            continue
        if record.subtype == "microcompact_boundary":
            found.append((at, at + 1))
        elif record.is_boundary:
            found += [] if boundary is None else [(boundary, boundary + 1)]
            boundary = at
        elif record.is_summary and (boundary is not None or record.parent is None):
            found.append((at if boundary is None else boundary, at + 1))
            boundary = None
        elif record.is_message and not record.meta and boundary is not None:
            found.append((boundary, boundary + 1))  # nothing stands for what it removed
            boundary = None
    return sorted(found)


def _view(records: Sequence[Record], queued: Sequence[Delivery], defects: list[Defect] | None = None) -> View:
    report = (lambda _: None) if defects is None else defects.append
    return assemble(select(records, everything=False, report=report), queued, clear=True, report=report)


def _compact(chain: Chain, boundary: Record, after: View) -> None:
    detail: Mapping[str, JSON] = boundary.detail or {}
    micro = boundary.subtype == "microcompact_boundary"
    before = _count(detail.get("preTokens"))
    tokens = _count(detail.get("postTokens"))
    if micro and before is not None and tokens is None:
        saved = _count(detail.get("tokensSaved"))
        tokens = None if saved is None else max(0, before - saved)
    trigger = detail.get("trigger")
    chain.compact(
        Mechanism.claude_code_micro if micro else Mechanism.claude_code_full,
        after.messages,
        after.usage,
        replacement=() if micro else None,
        complete=micro or _is_whole_region(chain.shown, before),
        pointer=any(_POINTER.search(part.text) for message in after.messages[:1] for part in message.parts),
        trigger=trigger if isinstance(trigger, str) else None,
        tokens_before=before,
        tokens_after=tokens,
        where=boundary.where,
        when=boundary.timestamp or "",
        wire=CLAUDE_CODE.wire,
    )


def _count(value: JSON) -> int | None:
    return value if is_whole(value) else None


def _is_whole_region(shown: Sequence[Message], counted: int | None) -> bool:
    """What the file holds before a compaction is not far less than what the client counted."""
    if not counted:
        return True
    held = sum(len(part.text) for message in shown for part in message.parts)
    return held >= _WHOLE_SHARE_MIN * counted * _CHARS_PER_TOKEN
