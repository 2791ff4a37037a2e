"""Compactions by OpenAI's own API: `compaction` items, which nobody but their maker can read.

In a list of items such an item replaces what stands before it. What `/responses/compact` gives back is
different: all that people said, verbatim, and then one item; what it replaced is elsewhere. A list in which
nothing but people's messages stands before the item is taken for that.

Source: developers.openai.com, guide on compaction; `CompactedResponse` of OpenAI's SDK.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Message
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.compactions.inline import Form, follow, viewed
from cenotaph.dialects.openai_responses import OPENAI_RESPONSES
from cenotaph.dialects.openai_responses_items import COMPACTIONS, kind_of
from cenotaph.dialects.session_input import decoded

__all__ = ["FORM", "SIGNS", "chronicle", "chronicle_as"]

SIGNS: Final = (b"compaction",)
"""It stands in every list of this format with a compaction."""


def _pieces(raw: JSON) -> list[tuple[JSON, bool]]:
    return [(raw, kind_of(raw) in COMPACTIONS)]


def _read(raws: Sequence[JSON]) -> tuple[Message, ...]:
    return OPENAI_RESPONSES.parse_messages(raws)


FORM: Final = Form(Mechanism.openai_compaction, OPENAI_RESPONSES.name, _pieces, _read, keeps_people=True)


def chronicle(value: JSON) -> Chronicle:
    """A list of items, a request or a response with its compactions.

    Args:
        value: As `OPENAI_RESPONSES.parse` takes it, or bytes of it.

    Raises:
        InputError, DialectError: As `OPENAI_RESPONSES.parse`.
    """
    return chronicle_as(FORM, value)


def chronicle_as(form: Form, value: JSON) -> Chronicle:
    """As `chronicle`, for compactions of a client that keeps such items."""
    content = decoded(value, OPENAI_RESPONSES.name, lambda _: None)
    whole = OPENAI_RESPONSES.parse(content)
    chain = Chain()
    known = not any(defect.code == "partial-log" for defect in whole.defects)
    view = viewed(form, whole.messages, (one for one in whole.usage if one.message < len(whole.messages)))
    follow(chain, form, view, complete=known)
    return chain.chronicle(
        OPENAI_RESPONSES.name, whole.wire, session=whole.session, defects=whole.defects, records=len(whole.messages)
    )
