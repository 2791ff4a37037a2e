"""Answers that were recorded as a stream of server-sent events, put together as one response.

Source: Anthropic's SDK, types/beta (`BetaRawContentBlockDelta`, `BetaRawMessageDeltaEvent`); OpenAI's SDK,
types/responses (`ResponseCompletedEvent`, which carries the whole response).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from cenotaph.core.ids import JSON
from cenotaph.dialects.session_input import is_whole, mapping_of

__all__ = ["streamed"]

_GROWING: Final[Mapping[str, tuple[str, str]]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("partial_json", "input"),
    "compaction_delta": ("content", "content"),
}
"""Kind of a delta -> its field, and the field of the block that grows by it."""
_ENDED: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


def streamed(text: str) -> JSON:
    """The response behind a recorded stream; None where it is none, or none that is known."""
    message: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    grown: dict[tuple[int, str], list[str]] = {}
    for event in _events(text):
        kind = event.get("type")
        if kind in _ENDED:
            return event.get("response")
        if kind == "message_start":
            message = dict(mapping_of(event.get("message")))
        elif kind == "content_block_start" and is_whole(event.get("index")):
            blocks[event["index"]] = dict(mapping_of(event.get("content_block")))
        elif kind == "content_block_delta" and event.get("index") in blocks:
            delta = mapping_of(event.get("delta"))
            told, field = _GROWING.get(str(delta.get("type")), ("", ""))
            if isinstance(delta.get(told), str):
                grown.setdefault((event["index"], field), []).append(delta[told])
        elif kind == "message_delta":
            message |= mapping_of(event.get("delta"))
            message["usage"] = {**mapping_of(message.get("usage")), **mapping_of(event.get("usage"))}
            message |= {key: event[key] for key in ("context_management",) if key in event}
    for (index, field), pieces in grown.items():
        whole = "".join(pieces)
        blocks[index][field] = _json(whole) if field == "input" else (blocks[index].get(field) or "") + whole
    return {**message, "content": [blocks[index] for index in sorted(blocks)]} if message else None


def _events(text: str) -> Iterator[Mapping[str, JSON]]:
    for line in text.splitlines():
        if line.startswith("data:"):
            event = _json(line.removeprefix("data:").strip())
            if isinstance(event, Mapping):
                yield event


def _json(text: str) -> JSON:
    """The value; the text itself where it is not JSON, so that nothing of it is lost."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
