"""Compactions in sessions of Claude Code: boundaries with a summary behind them, and cleared results.

Nothing is deleted from the file. At a `compact_boundary` the view begins anew: the summary, what the boundary
preserves, turns that were written again, and what came later. At a `microcompact_boundary` the results that it
names are cleared and stay where they were. The views before and after are those of two stretches of the file,
both read as the client would resume them; a stretch begins where the compaction before it left off, so a session
is read once, however often it was compacted.

- A boundary without any message behind it broke off, and is none.
- A boundary without a summary: the client writes one, so what stands for the removed can't be read.
- A region is not whole where the file goes on from another one: the first record that is linked hangs on one that
  the file does not hold (5 of 5 such files among 37 real ones began with 68,000 to 148,000 counted tokens, all
  others with 26,000 to 48,000). Nor is it where the client counted far more than the file holds of it, or where a
  boundary preserves what is not there.
- A summary that says where the transcript lies points back.

Source: real sessions of versions 2.0 to 2.1; the counts of `compactMetadata` against what stands in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Kind, Message
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.dialects.claude_code_branches import Log, cuts
from cenotaph.dialects.claude_code_parts import Calls, Origin, content_parts
from cenotaph.dialects.claude_code_queue import Delivery, deliveries
from cenotaph.dialects.claude_code_records import Record, read_records
from cenotaph.dialects.claude_code_view import View, assemble
from cenotaph.dialects.compactions.chain import Chain, is_summary
from cenotaph.dialects.jsonl import Loads
from cenotaph.dialects.session_input import is_whole, mapping_of, text_of
from cenotaph.limits import clearings_per_region_max

__all__ = ["chronicle", "may_hold"]

_SIGNS: Final = (b"compact_boundary", b"isCompactSummary")
"""One of them stands in every file with a compaction; `microcompact_boundary` ends in the first."""
_ESCAPED: Final = re.compile(rb"\\u00[4-7]")
_TRANSCRIPT: Final = re.compile(r"\.jsonl\b")
_NAMED: Final = re.compile(r"transcript|conversation")
_PATH_CHARS_MAX: Final = 1_000
_NAMED_CHARS_MAX: Final = 80
_CHARS_PER_TOKEN: Final = 4
_WHOLE_SHARE_MIN: Final = 0.15
"""What the file holds of a whole region is at least this share of what the client counted (a tenth lies below)."""


def may_hold(data: bytes) -> bool:
    """Whether a file may hold a compaction, by its bytes; False is certain.

    Args:
        data: The whole file.
    """
    return any(sign in data for sign in _SIGNS) or _ESCAPED.search(data) is not None


def chronicle(value: JSON, *, loads: Loads | None = None) -> Chronicle:
    """A session with its compactions.

    Args:
        value: As `CLAUDE_CODE.parse` takes it.
        loads: A faster decoder for the lines of a file; what is accepted and read stays the same.

    Raises:
        InputError, DialectError: As `CLAUDE_CODE.parse`.
    """
    defects: list[Defect] = []
    records = read_records(value, defects.append, loads=loads)
    session = _Session(Log(records, defects.append), deliveries(records))
    for cut in _cuts(session.log.chain):
        session.clear(cut) if cut.micro else session.compact(cut)
    last = assemble(session.log.newest(defects.append), session.queued, clear=True, report=defects.append)
    chain = session.chain
    if not last.messages and not chain.messages:
        CLAUDE_CODE.parse(value)  # says what is wrong with it
    chain.show(last.messages, last.usage)
    name = next((record.session for record in reversed(records) if record.is_message and record.session), None)
    defects += session.defects
    return chain.chronicle(CLAUDE_CODE.name, CLAUDE_CODE.wire, session=name, defects=defects, records=len(records))


@dataclass(frozen=True, slots=True)
class _Cut:
    """One compaction, by places in the chain of the conversation.

    Attributes:
        start: Where the region before it begins.
        at: Its boundary, or its summary if it has none.
        end: One past the last record of what stands right after it.
        summary: The summary's place; None if it has none.
        micro: It clears results.
    """

    start: int
    at: int
    end: int
    summary: int | None = None
    micro: bool = False


def _cuts(chain: Sequence[Record]) -> Iterator[_Cut]:
    """The compactions in file order."""
    start = 0
    places = set(cuts(chain))
    for at, until in pairwise(sorted({0, *places, len(chain)})):
        whole = _full(chain, start, at, until) if at in places else None
        if whole is not None:
            yield whole
            start = at
        for place in range(at, until):
            if chain[place].is_clearing:
                yield _Cut(start, place, place + 1, micro=True)


def _full(chain: Sequence[Record], start: int, at: int, until: int) -> _Cut | None:
    """The compaction at a boundary, or at a summary that has none; None if it broke off.

    Args:
        chain: The conversation.
        start: Where the region before it begins.
        at: Its place.
        until: Place of the next one.
    """
    if chain[at].is_summary:
        return _Cut(start, at, _end(chain, start, at, at, until), at)
    messages = [place for place in range(at, until) if chain[place].is_message]
    for place in messages:
        if chain[place].is_summary:
            return _Cut(start, at, _end(chain, start, at, place, until), place)
        if chain[place].type == "assistant":
            break
    return _Cut(start, at, at + 1) if messages else None


def _end(chain: Sequence[Record], start: int, at: int, summary: int, until: int) -> int:
    """One past what stands right after a compaction: turns of the region that are written again behind the summary.

    Such a record keeps its time stamp, so none is looked for where the next message is a later one.
    """
    end, stamp = summary + 1, chain[at].timestamp
    earlier: dict[tuple[str | None, str], list[Record]] = {}
    for place in range(end, until):
        record = chain[place]
        if not record.is_message:
            continue
        if stamp is None or record.timestamp is None or record.timestamp >= stamp:
            break
        if not earlier:
            for one in chain[start:at]:
                earlier.setdefault((one.timestamp, one.type), []).append(one)
        if not any(one.message == record.message for one in earlier.get((record.timestamp, record.type), ())):
            break
        end = place + 1
    return end


class _Session:
    """A session in the making: what the finder knows of its file, its history so far, and what was odd in it."""

    def __init__(self, log: Log, queued: Sequence[Delivery]) -> None:
        self.log = log
        self.queued = queued
        self.chain = Chain()
        self.defects: list[Defect] = []
        self._start = 0
        self._clearings = 0
        self._cleared: set[str] = set()

    def compact(self, cut: _Cut) -> None:
        """Takes in a full compaction."""
        boundary = self.log.chain[cut.at]
        detail = mapping_of(boundary.detail)
        missing: list[Defect] = []
        self._show(cut)
        after = self._view(cut.at, cut.end, missing.append)
        messages = after.messages
        if cut.summary is not None and not any(map(is_summary, messages)):
            messages = (_empty_summary(self.log.chain[cut.summary]), *messages)
        counted = _count(detail.get("preTokens"))
        goes_on = cut.start == 0 and self.log.goes_on
        kept = not any(defect.code == "preserved-missing" for defect in missing)
        event = self.chain.compact(
            Mechanism.claude_code_full,
            messages,
            replacement=() if cut.summary is None else None,
            opaque=cut.summary is None,
            complete=kept and not goes_on and _is_whole_region(self.chain.shown, counted),
            pointer=any(_points_back(part.text) for one in filter(is_summary, messages) for part in one.parts),
            trigger=text_of(detail.get("trigger")) or None,
            tokens_before=counted,
            tokens_after=_count(detail.get("postTokens")),
            where=boundary.where,
            when=boundary.timestamp or "",
            wire=CLAUDE_CODE.wire,
        )
        if event.complete and not event.removed and not event.replacement:
            self.chain.withdraw()  # the same summary written again

    def clear(self, cut: _Cut) -> None:
        """Takes in a microcompaction, if it clears what none before it in its region did."""
        boundary = self.log.chain[cut.at]
        detail = mapping_of(boundary.detail)
        if cut.start != self._start:
            self._start, self._clearings, self._cleared = cut.start, 0, set()
        results = _strings(detail.get("compactedToolIds"))
        fresh = (results | _strings(detail.get("clearedAttachmentUUIDs"))) - self._cleared
        if not fresh:
            return
        self._cleared |= fresh
        self._clearings += 1
        if self._clearings > clearings_per_region_max:
            note = f"one of more than {clearings_per_region_max} microcompactions since the last compaction; not told"
            self.defects.append(Defect("clearing-untold", boundary.where, note))
            return
        self._show(cut)
        shown = {part.call_id for message in self.chain.shown for part in message.parts if part.kind is Kind.result}
        found = not results.isdisjoint(shown)
        counted, saved = _count(detail.get("preTokens")), _count(detail.get("tokensSaved"))
        left = None if counted is None or saved is None else max(0, counted - saved)
        stated = _count(detail.get("postTokens"))
        self.chain.compact(
            Mechanism.claude_code_micro,
            self._view(cut.start, cut.end).messages if found else self.chain.shown,
            replacement=(),
            complete=results <= shown,
            trigger=text_of(detail.get("trigger")) or None,
            tokens_before=counted,
            tokens_after=left if stated is None else stated,
            where=boundary.where,
            when=boundary.timestamp or "",
            wire=CLAUDE_CODE.wire,
        )

    def _show(self, cut: _Cut) -> None:
        """Takes in what was sent up to a compaction."""
        before = self._view(cut.start, cut.at)
        self.chain.show(before.messages, before.usage)

    def _view(self, start: int, end: int, report: Callable[[Defect], None] = lambda _: None) -> View:
        return assemble(self.log.stretch(start, end, report), self.queued, clear=True, report=report)


def _empty_summary(record: Record) -> Message:
    """The message of a summary that says nothing, which no view shows."""
    raw: JSON = record.message
    content = raw["content"]
    blocks = content if isinstance(content, list) else [content]
    return Message(raw, "user", content_parts(content, [Origin(record)] * len(blocks), Calls()))


def _strings(value: JSON) -> set[str]:
    return {one for one in value if isinstance(one, str)} if isinstance(value, list) else set()


def _count(value: JSON) -> int | None:
    return value if is_whole(value) else None


def _points_back(summary: str) -> bool:
    """Whether a summary names the file of the transcript: `... the full transcript at: /path/of/it.jsonl`."""
    for found in _TRANSCRIPT.finditer(summary):
        said, colon, path = summary[max(0, found.start() - _PATH_CHARS_MAX) : found.start()].rpartition(": ")
        if colon and "\n" not in path and _NAMED.search(said.rpartition("\n")[2][-_NAMED_CHARS_MAX:]):
            return True
    return False


def _is_whole_region(shown: Sequence[Message], counted: int | None) -> bool:
    """Something stands in the file before a compaction, and not far less than what the client counted."""
    if not counted or not shown:
        return bool(shown)
    held = sum(len(part.text) for message in shown for part in message.parts)
    return held >= _WHOLE_SHARE_MIN * counted * _CHARS_PER_TOKEN
