"""Compactions in rollouts of Codex: `compacted` records with the history that takes the place of what was.

A local one has a readable summary in `message`; one by the provider has an encrypted item, which nobody here
can read. What was removed stays in the file, in the records before; the rollout is replayed once, and the view
before and after each such record is taken on the way. `context_compacted` events mirror them, and say nothing more.

- The region before the first one is not whole where the thread goes on from another one: it names its base
  (`history_base`), or was forked from a thread whose records are not among those that a fork copies.
- Tokens before it: the newest count of the region. Tokens after it: what the client estimates of the new history,
  a count without input; older versions write it before the record, newer ones behind it.
- A record that changes nothing is another copy of the one before it, and no compaction.

Source: codex-rs, core/src/compact.rs, compact_remote.rs and `recompute_token_usage`; rollouts of versions 0.40
to 0.94, fixtures of 0.146.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect
from cenotaph.dialects.codex import CODEX
from cenotaph.dialects.codex_records import COMPACTED, ITEM, Record, read_records
from cenotaph.dialects.codex_view import View, compactions
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.compactions.views import is_opaque
from cenotaph.dialects.jsonl import Loads
from cenotaph.dialects.openai_responses_items import is_agent_item, kind_of
from cenotaph.dialects.session_input import is_whole, mapping_of

__all__ = ["chronicle", "may_hold"]

_SIGN: Final = b"compact"
"""Stands in every file with a compaction: its record's type, or that of an item of the provider."""
_ESCAPED: Final = re.compile(rb"\\u00[4-7]")
_UNREAD: Final = "context_compaction"
"""A later name of the provider's item, which the items' reader does not know."""


def may_hold(data: bytes) -> bool:
    """Whether a file may hold a compaction, by its bytes; False is certain.

    Args:
        data: The whole file.
    """
    return _SIGN in data or _ESCAPED.search(data) is not None


def chronicle(value: JSON, *, loads: Loads | None = None) -> Chronicle:
    """A session with its compactions.

    Args:
        value: As `CODEX.parse` takes it.
        loads: A faster decoder for the lines of a file; what is accepted and read stays the same.

    Raises:
        InputError, DialectError: As `CODEX.parse`.
    """
    defects: list[Defect] = []
    records = read_records(value, defects.append, loads=loads)
    counts = iter(_counts(records))
    chain, session = Chain(), None
    whole = not _goes_on(takewhile(lambda record: record.type != COMPACTED, records))
    for record, before, after in compactions(records, defects.append):
        chain.show(before.messages, before.usage)
        session = after.session
        if record is not None:
            _compact(chain, record, after, next(counts), complete=whole)
            whole = True
    if not chain.messages:
        CODEX.parse(value)  # says what is wrong with it
    return chain.chronicle(CODEX.name, CODEX.wire, session=session, defects=defects, records=len(records))


def _compact(chain: Chain, record: Record, after: View, count: _Count, *, complete: bool) -> None:
    """Takes in one compaction, unless it changes nothing."""
    opaque = any(is_opaque([message]) or kind_of(message.raw) == _UNREAD for message in after.messages)
    event = chain.compact(
        Mechanism.codex_remote if opaque else Mechanism.codex_local,
        after.messages,
        opaque=opaque,
        complete=complete,
        tokens_before=count.before,
        tokens_after=count.after,
        where=record.where,
        when=record.timestamp,
        wire=CODEX.wire,
    )
    if not event.removed and not event.replacement:
        chain.withdraw()


def _goes_on(records: Iterable[Record]) -> bool:
    """Whether what a thread began with lies in another file; a fork's own copies name each thread they come from."""
    metas = [record.payload for record in records if record.type == "session_meta"]
    held = {meta["id"] for meta in metas if isinstance(meta.get("id"), str)}
    forks = {meta["forked_from_id"] for meta in metas if isinstance(meta.get("forked_from_id"), str)}
    return not forks <= held or any(isinstance(meta.get("history_base"), dict) for meta in metas)


@dataclass(slots=True)
class _Count:
    """Tokens before and after a compaction, as the client says; None where it does not."""

    before: int | None = None
    after: int | None = None


def _counts(records: Iterable[Record]) -> list[_Count]:
    """The counts of each compaction, in order."""
    found: list[_Count] = []
    counted: int | None = None
    estimate: int | None = None
    newest: _Count | None = None
    for record in records:
        if record.type == COMPACTED:
            newest = _Count(counted or _recorded(record), estimate)
            found.append(newest)
            counted = estimate = None
        elif record.type == ITEM and is_agent_item(record.payload):
            newest = estimate = None
        elif record.kind == "token_count":
            last = mapping_of(mapping_of(record.payload.get("info")).get("last_token_usage"))
            total = _positive(last.get("total_tokens"))
            if _positive(last.get("input_tokens")):
                newest, estimate, counted = None, None, total or _positive(last.get("input_tokens"))
            elif newest is not None:
                newest.after = total or newest.after
            else:
                estimate = total or estimate
    return found


def _recorded(record: Record) -> int | None:
    """What a newer client writes into the record itself: the input of its latest request."""
    latest = mapping_of(record.payload.get("latest_token_usage_record"))
    return _positive(mapping_of(latest.get("usage")).get("input_tokens"))


def _positive(value: JSON) -> int | None:
    return value if is_whole(value) and value > 0 else None
