"""Compactions by Anthropic's own API: `compaction` blocks, and results of tools that it cleared.

A `compaction` block in an agent message holds a readable summary; what stands before it is not read any more
(the edit `compact_20260112`), or it is sent first (`compaction` on demand). One whose content is null is a
compaction that failed and changes nothing.

Clearing (`clear_tool_uses_20250919`) happens in the server: the client sends everything again, and the
response says in `context_management.applied_edits` how many results, from the oldest on, the model did not
read. Which placeholder it read instead is written nowhere, so that nothing stands for them here.

Source: Anthropic's SDK, types/beta: `BetaCompactionBlock`, `BetaCompactionIterationUsage`,
`BetaClearToolUses20250919Edit`, `BetaClearToolUses20250919EditResponse`; its page on context editing ("the
oldest tool results in chronological order").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Part
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.anthropic_blocks import of_type
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.compactions.inline import Form, follow, split_at, viewed
from cenotaph.dialects.envelope import input_tokens_of
from cenotaph.dialects.session_input import decoded, is_whole, mapping_of, records_of

__all__ = ["FORM", "chronicle", "clear", "facts_of"]

_CLEARING: Final = "clear_tool_uses_20250919"


def _cuts(block: JSON) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "compaction" and isinstance(block.get("content"), str)


def _pieces(raw: JSON) -> list[tuple[JSON, bool]]:
    return split_at(raw, "content", _cuts) if of_type(raw, "compaction") else [(raw, False)]


FORM: Final = Form(Mechanism.anthropic_compaction, ANTHROPIC.name, _pieces, ANTHROPIC.parse_messages)


def chronicle(value: JSON) -> Chronicle:
    """A list of messages or a request with its compactions.

    Args:
        value: As `ANTHROPIC.parse` takes it, or bytes of it; a logged request may have its response beside it.

    Raises:
        InputError, DialectError: As `ANTHROPIC.parse`.
    """
    content = decoded(value, ANTHROPIC.name, lambda _: None)
    whole = ANTHROPIC.parse(content)
    chain = Chain()
    view = viewed(FORM, whole.messages, (one for one in whole.usage if one.message < len(whole.messages)))
    follow(chain, FORM, view)
    request = mapping_of(content)
    clear(chain, request, mapping_of(request.get("response")))
    return chain.chronicle(
        ANTHROPIC.name, whole.wire, session=whole.session, defects=whole.defects, records=len(whole.messages)
    )


def facts_of(response: Mapping[str, JSON]) -> dict[str, Any]:
    """What a response says of the tokens of a compaction in it."""
    iterations = [mapping_of(one) for one in records_of(mapping_of(response.get("usage")).get("iterations"))]
    at = next((i for i, one in enumerate(iterations) if one.get("type") == "compaction"), None)
    if at is None:
        return {}
    after = next((one for one in iterations[at + 1 :] if one.get("type") == "message"), None)
    return {"tokens_before": input_tokens_of(iterations[at]), "tokens_after": input_tokens_of(after)}


def clear(
    chain: Chain, request: Mapping[str, JSON], response: Mapping[str, JSON], already: int = 0, **facts: Any
) -> int:
    """Takes in what a response says was cleared from the request that the history shows.

    Args:
        chain: The history, which shows the request.
        request: Its body.
        response: The answer to it.
        already: How many results had been cleared before it: they are no news.
        **facts: As `Chain.compact` takes them.

    Returns:
        How many results are cleared now.
    """
    edits = records_of(mapping_of(response.get("context_management")).get("applied_edits"))
    edit = next((mapping_of(one) for one in edits if mapping_of(one).get("type") == _CLEARING), {})
    count = edit.get("cleared_tool_uses")
    if not is_whole(count) or count <= already:
        return already
    shown = chain.shown
    spared = _spared(request)
    chain.show(_cleared(shown, spared, already))
    tokens, cut = input_tokens_of(response.get("usage")), edit.get("cleared_input_tokens")
    after = _cleared(shown, spared, count)
    there = sum(Mark.cleared in part.marks for message in after for part in message.parts)
    chain.compact(
        Mechanism.anthropic_clearing,
        after,
        replacement=(),
        complete=there == count,
        tokens_before=tokens + cut if tokens is not None and is_whole(cut) else None,
        tokens_after=tokens,
        wire=ANTHROPIC.name,
        **facts,
    )
    chain.show(shown)
    return count


def _spared(request: Mapping[str, JSON]) -> frozenset[str]:
    """Tools whose results are never cleared."""
    edits = [mapping_of(one) for one in records_of(mapping_of(request.get("context_management")).get("edits"))]
    named = [records_of(edit.get("exclude_tools")) for edit in edits if edit.get("type") == _CLEARING]
    return frozenset(name for names in named for name in names if isinstance(name, str))


def _cleared(messages: Sequence[Message], spared: frozenset[str], count: int) -> list[Message]:
    """The messages as the model reads them when that many results are cleared, from the oldest on."""
    tools = {part.call_id: part.tool for m in messages for part in m.parts if part.kind is Kind.call}
    cleared: list[Message] = []
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            own = part.kind is Kind.result and Mark.server not in part.marks and tools.get(part.call_id) not in spared
            if own and count > 0:
                count -= 1
                part = replace(part, text="", images=0, media=(), marks=part.marks | {Mark.cleared})
            parts.append(part)
        cleared.append(message if tuple(parts) == message.parts else replace(message, parts=tuple(parts)))
    return cleared
