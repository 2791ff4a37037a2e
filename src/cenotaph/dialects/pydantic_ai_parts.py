"""What stands in one message of Pydantic AI: one reader per kind of part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeGuard

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Media, Part, Path, Provenance
from cenotaph.dialects.content import arguments_of, json_text, pins_of, starts_background, string_of, text_part
from cenotaph.dialects.media import media_of
from cenotaph.dialects.outcomes import says_it_failed

MEDIA_ITEMS: Final[Mapping[str, str]] = {
    "image-url": "image",
    "audio-url": "audio",
    "video-url": "video",
    "document-url": "document",
    "binary": "other",
    "uploaded-file": "document",
}
"""Kinds of content items that stand for media, and what they are where they give no media type."""

CACHE_POINT: Final = "cache-point"
"""A content item that marks where a provider's cache may end; the model reads nothing of it."""

_TEXT_ITEMS: Final = frozenset({"text-content", "structured-content"})
_SILENT_PARTS: Final = frozenset({"instruction-baseline"})
"""What the client keeps in the history for itself and never sends."""

_STATE_PARTS: Final = frozenset(
    {"instruction-delta", "tool-availability-delta", "capability-load-delta", "model-settings-delta"}
)
"""The operator's changes of instructions, tools and settings: they hold from there on, like system text."""

_STATEFUL_RETURNS: Final = frozenset({"tool-search", "capability-load"})
"""Kinds of tools whose results the client reads again from the history: other content there is refused."""

_FAILED: Final = frozenset({"failed", "denied", "interrupted", "retried"})

Reader = Callable[[Mapping[str, JSON], Path, frozenset[Mark]], list[Part]]


def parts_of(raw: Mapping[str, JSON]) -> tuple[Part, ...]:
    """The parts of one message, in order; a kind that is not known is kept as `other` with its whole JSON."""
    blocks = raw.get("parts")
    if not isinstance(blocks, list):
        return ()
    readers = _AGENT_READERS if raw.get("kind") == "response" else _REQUEST_READERS
    voice = Provenance.agent if raw.get("kind") == "response" else Provenance.harness
    metadata = raw.get("metadata")
    extra = pins_of(raw) | (pins_of(metadata) if isinstance(metadata, Mapping) else frozenset())
    found: list[Part] = []
    for index, block in enumerate(blocks):
        at: Path = ("parts", index)
        kind = string_of(block.get("part_kind")) if isinstance(block, Mapping) else None
        reader = readers.get(kind) if kind is not None else None
        if reader is not None:
            found.extend(reader(block, at, extra))
        elif kind not in _SILENT_PARTS:
            found.append(Part(Kind.other, voice, at, at, json_text(block), marks=extra))
    return tuple(found)


def is_result(block: JSON) -> bool:
    """Whether a part of a request answers a call.

    Source: `_is_tool_result_part` of pydantic_ai/messages.py: a `retry-prompt` does if it names a tool.
    """
    if not isinstance(block, Mapping):
        return False
    kind = block.get("part_kind")
    return kind == "tool-return" or (kind == "retry-prompt" and block.get("tool_name") is not None)


def is_media(item: JSON) -> TypeGuard[Mapping[str, JSON]]:
    """Whether a value inside content is a media item, as the client would rebuild it."""
    if not isinstance(item, Mapping) or string_of(item.get("kind")) not in MEDIA_ITEMS:
        return False
    return any(isinstance(item.get(key), str) for key in ("url", "data", "file_id"))


def media_item(item: Mapping[str, JSON]) -> Media:
    """What is known of a media item."""
    kind = string_of(item.get("kind")) or ""
    data = item.get("data")
    found = media_of(string_of(item.get("media_type")), data if isinstance(data, str) else None)
    return found if found.mime else replace(found, kind=MEDIA_ITEMS.get(kind, "other"))


# Content -------------------------------------------------------------------------------------


def _without_media(value: JSON, found: list[Media]) -> JSON:
    """The value with the name of each media item in its place: its bytes are no text that a model reads."""
    if is_media(value):
        found.append(media_item(value))
        return {"kind": value["kind"], "identifier": value.get("identifier")}
    if isinstance(value, Mapping):
        return {key: _without_media(child, found) for key, child in value.items()}
    if isinstance(value, list):
        return [_without_media(child, found) for child in value]
    return value


def _returned(content: JSON) -> tuple[str, tuple[Media, ...]]:
    """The text of a result's content, and the media in it however deep they stand."""
    if isinstance(content, str):
        return content, ()
    if content is None:
        return "", ()
    found: list[Media] = []
    stripped = _without_media(content, found)
    if is_media(content):
        return "", tuple(found)
    if isinstance(content, list) and all(isinstance(item, str) or is_media(item) for item in content):
        return "\n".join(item for item in content if isinstance(item, str)), tuple(found)
    return json_text(stripped), tuple(found)


def _inside(block: Mapping[str, JSON], at: Path, key: str) -> Path:
    return (*at, key) if key in block else at


def _said(block: Mapping[str, JSON], at: Path, voice: Provenance, extra: frozenset[Mark]) -> list[Part]:
    """Content that is text; anything else there is kept as `other`."""
    content = block.get("content")
    if isinstance(content, str):
        return [text_part(content, voice, at, (*at, "content"), extra)]
    return [Part(Kind.other, voice, at, _inside(block, at, "content"), json_text(content), marks=extra)]


# Requests ------------------------------------------------------------------------------------


def _system(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    return _said(block, at, Provenance.system, extra)


def _state(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    """An operator's change: its text if it has one, else what it says of tools and settings."""
    if isinstance(block.get("content"), str):
        return _said(block, at, Provenance.system, extra)
    return [Part(Kind.other, Provenance.system, at, at, json_text(block), marks=extra)]


def _prompt(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    """What a person asks: a text, or a list of texts and media."""
    content = block.get("content")
    if not isinstance(content, list):
        return _said(block, at, Provenance.user, extra)
    found: list[Part] = []
    for index, item in enumerate(content):
        place: Path = (*at, "content", index)
        if not (isinstance(item, Mapping) and item.get("kind") == CACHE_POINT):
            found.append(_item(item, place, extra))
    return found


def _item(item: JSON, at: Path, extra: frozenset[Mark]) -> Part:
    if isinstance(item, str):
        return text_part(item, Provenance.user, at, at, extra)
    if is_media(item):
        return Part(Kind.media, Provenance.user, at, at, "", marks=extra, media=(media_item(item),))
    if (
        isinstance(item, Mapping)
        and string_of(item.get("kind")) in _TEXT_ITEMS
        and isinstance(item.get("content"), str)
    ):
        return text_part(item["content"], Provenance.user, at, (*at, "content"), extra)
    return Part(Kind.other, Provenance.user, at, at, json_text(item), marks=extra)


def _return(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    """A result. Its outcome says if it failed; a tool that only words its failure ends in `success` too."""
    content = block.get("content")
    text, media = _returned(content)
    outcome = string_of(block.get("outcome"))
    marks = extra
    if outcome == "denied":
        marks |= {Mark.rejection}
    if string_of(block.get("tool_kind")) in _STATEFUL_RETURNS:
        marks |= {Mark.pinned}
    return [
        Part(
            Kind.result,
            Provenance.tool,
            at,
            _inside(block, at, "content"),
            text,
            call_id=string_of(block.get("tool_call_id")),
            tool=string_of(block.get("tool_name")),
            failed=outcome in _FAILED or says_it_failed(text),
            images=len(media),
            marks=marks,
            media=media,
        )
    ]


def _retry(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    """The client asks for another try: the failed result of a call, or words of its own without one."""
    if not is_result(block):
        return _said(block, at, Provenance.harness, extra)
    return [replace(part, failed=True) for part in _return(block, at, extra)]


def _feedback(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    return _said(block, at, Provenance.harness, extra)


def _summary(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    """A summary by a provider or by another compactor; without readable content it is opaque."""
    content = block.get("content")
    kind = Kind.text if isinstance(content, str) else Kind.other
    text = content if isinstance(content, str) else ""
    path = _inside(block, at, "content")
    return [Part(kind, Provenance.foreign, at, path, text, marks=extra | {Mark.summary})]


def _speech(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    """Something spoken: by its transcript if there is one, else as the recording."""
    voice = Provenance.agent if block.get("speaker") == "assistant" else Provenance.user
    transcript, audio = block.get("transcript"), block.get("audio")
    if isinstance(transcript, str):
        return [text_part(transcript, voice, at, (*at, "transcript"), extra)]
    if is_media(audio):
        return [Part(Kind.media, voice, at, at, "", marks=extra, media=(media_item(audio),))]
    return [Part(Kind.other, voice, at, at, json_text(block), marks=extra)]


# Responses -----------------------------------------------------------------------------------


def _text(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    return _said(block, at, Provenance.agent, extra)


def _thinking(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    """Reasoning; an item of the Responses API is bound to what it produced (rule O3)."""
    content = block.get("content")
    marks = extra
    if block.get("signature"):
        marks |= {Mark.signed}
    if (string_of(block.get("id")) or "").startswith("rs_"):
        marks |= {Mark.bound}
    return [Part(Kind.reasoning, Provenance.agent, at, at, content if isinstance(content, str) else "", marks=marks)]


def _call(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    text, args = arguments_of(block.get("args"))
    marks = extra | {Mark.background} if starts_background(args) else extra
    return [
        Part(
            Kind.call,
            Provenance.agent,
            at,
            _inside(block, at, "args"),
            text,
            call_id=string_of(block.get("tool_call_id")),
            tool=string_of(block.get("tool_name")),
            args=args,
            marks=marks,
        )
    ]


def _file(block: Mapping[str, JSON], at: Path, extra: frozenset[Mark]) -> list[Part]:
    content = block.get("content")
    media = (media_item(content),) if is_media(content) else ()
    return [Part(Kind.media, Provenance.agent, at, at, "", marks=extra, media=media)]


def _by_provider(reader: Reader) -> Reader:
    """The same for calls that the provider runs itself, whose results stand in the agent's own message."""
    return lambda block, at, extra: reader(block, at, extra | {Mark.server})


_REQUEST_READERS: Final[Mapping[str, Reader]] = {
    "system-prompt": _system,
    "user-prompt": _prompt,
    "tool-return": _return,
    "retry-prompt": _retry,
    "retry-feedback": _feedback,
    "compaction": _summary,
    "speech": _speech,
    **dict.fromkeys(_STATE_PARTS, _state),
}

_AGENT_READERS: Final[Mapping[str, Reader]] = {
    "text": _text,
    "thinking": _thinking,
    "tool-call": _call,
    "builtin-tool-call": _by_provider(_call),
    "builtin-tool-return": _by_provider(_return),
    "compaction": _summary,
    "file": _file,
    "speech": _speech,
}

REQUEST_PARTS: Final = frozenset(_REQUEST_READERS) | _SILENT_PARTS
"""Part kinds that a request may hold. Source: `ModelRequestPart` of pydantic_ai/messages.py."""

RESPONSE_PARTS: Final = frozenset(_AGENT_READERS)
"""Part kinds that a response may hold. Source: `ModelResponsePart`, likewise."""
