"""Compressions in session files of the Gemini CLI.

The client keeps no record that says "compressed". From 0.40 on it writes the whole history anew into its log,
`{"$set": {"messages": [...]}}`, when the history in memory was changed: by a compression, whose first message
is then a `<state_snapshot>` in a person's role, by the masking of outputs of tools, and by an abandoned turn. Before
that a compression changed what was in memory alone and left nothing in the file.

Such a writing is a compression if a snapshot came with it, and a change in silence if something of what stood
is gone or another without one. Where only the end is gone, nobody compressed anything. A file that begins with a
snapshot goes on after a compression of which nothing is there.

Source: gemini-cli, core/src/services/chatRecordingService.ts (`updateMessagesFromHistory`,
`loadConversationRecord`); its issue 21335 on what was not written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Kind, Mark, Message, Part, Provenance, Transcript
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.compactions.changes import take
from cenotaph.dialects.compactions.moments import iso_of
from cenotaph.dialects.gemini_cli import GEMINI_CLI
from cenotaph.dialects.session_input import decoded, mapping_of
from cenotaph.errors import InputError

__all__ = ["chronicle", "may_hold"]

_OPENING, _CLOSING = "<state_snapshot>", "</state_snapshot>"
_ESCAPED: Final = re.compile(rb"\\u00(?:24|[4-7])")
"""A letter, or `$`, that JSON may as well have written as itself."""


def may_hold(data: bytes) -> bool:
    """Whether a file may hold a compression: a history written anew, or a snapshot. False is certain."""
    rewritten = b"$set" in data and b"messages" in data
    return rewritten or b"state_snapshot" in data or _ESCAPED.search(data) is not None


def chronicle(value: JSON) -> Chronicle:
    """A session with its compressions.

    Args:
        value: A session document or the list of records of a log, as bytes or decoded.

    Raises:
        InputError, DialectError: As `GEMINI_CLI.parse`.
    """
    defects: list[Defect] = []
    content = decoded(value, GEMINI_CLI.name, defects.append)
    whole = GEMINI_CLI.parse(content)
    records = [content] if isinstance(content, Mapping) else list(content)
    chain = Chain()
    since = 1  # the first record that the present history is made of
    for at in range(1, len(records)):
        told = mapping_of(mapping_of(records[at]).get("$set"))
        if isinstance(told.get("messages"), list):
            _show(chain, _view([records[0], *records[since:at]]))
            after = _view([records[0], records[at]])
            if after is not None:
                when = iso_of(told.get("lastUpdated"))
                compress = Mechanism.gemini_cli_compress
                take(chain, after.messages, after.usage, compress, wire=whole.wire, where=f"record {at + 1}", when=when)
            since = at
    _show(chain, whole)
    return chain.chronicle(
        GEMINI_CLI.name,
        whole.wire,
        session=whole.session,
        defects=(*defects, *whole.defects),
        records=len(records),
    )


def _show(chain: Chain, view: Transcript | None) -> None:
    """A history as it grew; one that begins with a snapshot goes on after a compression that left no record."""
    if view is None:
        return
    first = view.messages[0]
    if chain.messages or not _is_snapshot(first):
        chain.show(view.messages, view.usage)
        return
    told = replace(first, parts=tuple(map(_as_summary, first.parts)))
    chain.compact(Mechanism.gemini_cli_compress, (told,), complete=False, where="message 1", wire=GEMINI_CLI.wire)
    chain.show((told, *view.messages[1:]), view.usage, held=1)


def _view(records: Sequence[JSON]) -> Transcript | None:
    """What the model is sent after these records; None where that is nothing."""
    try:
        return GEMINI_CLI.parse(list(records))
    except InputError:  # none of them is a message
        return None


def _is_snapshot(message: Message) -> bool:
    """A snapshot fills the whole message."""
    text = "".join(part.text for part in message.parts if part.kind is Kind.text).strip()
    return message.role == "user" and text.startswith(_OPENING) and text.endswith(_CLOSING)


def _as_summary(part: Part) -> Part:
    return replace(part, provenance=Provenance.foreign, marks=part.marks | {Mark.summary})
