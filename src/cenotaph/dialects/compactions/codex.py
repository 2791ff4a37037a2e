"""Compactions in rollouts of Codex: `compacted` records with the history that takes the place of what was.

A local one has a readable summary in `message`; one by the provider has an encrypted item, which nobody here
can read. What was removed stays in the file, in the records before. A rollout may go on from another thread:
then what came before lies in that thread's file, and the region is not whole.

Source: codex-rs, core/src/compact.rs and compact_remote.rs; real rollouts of versions 0.40 to 0.94.
"""

from __future__ import annotations

import re
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect
from cenotaph.dialects.codex import CODEX
from cenotaph.dialects.codex_records import Record, read_records
from cenotaph.dialects.codex_view import View, assemble
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.compactions.moments import iso_of
from cenotaph.dialects.compactions.views import is_opaque

__all__ = ["chronicle", "may_hold"]

_COMPACTED: Final = "compacted"
_SIGN: Final = b"compact"
"""Stands in every file with a compaction: its record's type, or that of an item of the provider."""
_ESCAPED: Final = re.compile(rb"\\u00[4-7]")


def may_hold(data: bytes) -> bool:
    """Whether a file may hold a compaction, by its bytes; False is certain.

    Args:
        data: The whole file.
    """
    return _SIGN in data or _ESCAPED.search(data) is not None


def chronicle(value: JSON) -> Chronicle:
    """A session with its compactions.

    Args:
        value: As `CODEX.parse` takes it.

    Raises:
        InputError, DialectError: As `CODEX.parse`.
    """
    defects: list[Defect] = []
    records = read_records(value, defects.append)
    partial = any(_goes_on(record) for record in records)
    chain = Chain()
    for at, record in enumerate(records):
        if record.type == _COMPACTED:
            before = _view(records[:at])
            chain.show(before.messages, before.usage)
            _compact(chain, record, _view(records[: at + 1]), complete=not partial)
    last = _view(records, defects)
    if not last.messages and not chain.messages:
        CODEX.parse(value)  # says what is wrong with it
    chain.show(last.messages, last.usage)
    return chain.chronicle(CODEX.name, CODEX.wire, session=last.session, defects=defects, records=len(records))


def _goes_on(record: Record) -> bool:
    """A thread that began in another file."""
    return record.type == "session_meta" and any(record.payload.get(key) for key in ("history_base", "forked_from_id"))


def _view(records: list[Record], defects: list[Defect] | None = None) -> View:
    return assemble(records, everything=False, report=(lambda _: None) if defects is None else defects.append)


def _compact(chain: Chain, record: Record, after: View, *, complete: bool) -> None:
    counted = chain.usage[-1].input_tokens if chain.usage else None
    opaque = is_opaque(after.messages)
    chain.compact(
        Mechanism.codex_remote if opaque else Mechanism.codex_local,
        after.messages,
        after.usage,
        opaque=opaque,
        complete=complete,
        tokens_before=counted,
        where=record.where,
        when=iso_of(record.payload.get("timestamp")),
        wire=CODEX.wire,
    )
