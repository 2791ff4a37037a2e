"""What stands in one LangChain message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Media, Part, Path, Provenance
from cenotaph.dialects.content import (
    MEDIA_BLOCKS,
    arguments_of,
    content_text,
    json_text,
    pins_of,
    plain_document,
    starts_background,
    string_of,
    text_part,
)
from cenotaph.dialects.langchain_calls import Call, calls_of
from cenotaph.dialects.langchain_forms import body_of, body_path, type_of, voice_of
from cenotaph.dialects.media import media_of
from cenotaph.dialects.outcomes import says_it_failed

REASONING_BLOCKS: Final = frozenset({"reasoning", "thinking", "redacted_thinking", "reasoning_content"})

_REASONING_KEYS: Final = ("reasoning_content", "reasoning")
"""Where adapters put a model's reasoning beside its content, in `additional_kwargs`."""

_SIGNATURES: Final = ("signature", "encrypted_content", "data")
_SERVER_CALLS: Final = frozenset({"server_tool_call", "server_tool_use", "mcp_tool_use", "web_search_call"})
_ASKED_MEDIA: Final = "media"
"""The block type for media of Google's adapter."""

_MEDIA_KINDS: Final[Mapping[str, str]] = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "document": "document",
    "file": "document",
    "input_file": "document",
}
_SUMMARY_SOURCE: Final = "summarization"


def is_media(block: JSON) -> bool:
    """Whether a content block stands for media; a file or document of plain text is text."""
    if not isinstance(block, Mapping) or isinstance(block.get("text"), str) or plain_document(block) is not None:
        return False
    kind = string_of(block.get("type"))
    return kind in MEDIA_BLOCKS or kind == _ASKED_MEDIA


def media_block(block: Mapping[str, JSON]) -> Media:
    """What is known of a media block, in any of the shapes that adapters write."""
    kind = string_of(block.get("type")) or ""
    inner = [block.get(key) for key in (kind, "source", "file")]
    holders = [holder for holder in (block, *inner) if isinstance(holder, Mapping)]
    data = _first(holders, "base64", "data", "file_data")
    mime = _first(holders, "mime_type", "media_type")
    url = _first(holders, "url", "image_url")
    if data is None and url is not None and url.startswith("data:"):
        data = url
    if mime is None and data is not None and data.startswith("data:"):
        mime = string_of(data[len("data:") :].split(",", 1)[0].partition(";")[0])
    found = media_of(mime, data, detail=_first(holders, "detail"))
    return found if found.mime else replace(found, kind=_MEDIA_KINDS.get(kind, "other"))


def _first(holders: list[Mapping[str, JSON]], *keys: str) -> str | None:
    values = (string_of(holder.get(key)) for key in keys for holder in holders)
    return next((value for value in values if value is not None), None)


def parts_of(raw: JSON) -> tuple[Part, ...]:
    """The parts of one message, in the order in which they were produced.

    A message that only removes another from the client's state has none: it is never sent.
    """
    body = body_of(raw)
    if body is None:
        # An object of which only its writer knows what it says: no line of ours fits into its place.
        return (Part(Kind.other, Provenance.harness, (), (), json_text(raw), marks=frozenset({Mark.server})),)
    name, base = type_of(raw), body_path(raw)
    if name == "remove":
        return ()
    kwargs = body.get("additional_kwargs")
    kwargs = kwargs if isinstance(kwargs, Mapping) else {}
    extra = pins_of(body) | pins_of(kwargs)
    if name in ("tool", "function"):
        return (_result(body, base, extra),)
    voice = voice_of(raw)
    if name == "human" and isinstance(kwargs.get("lc_source"), str):
        voice, extra = _noticed(kwargs["lc_source"], extra)
    calls = calls_of(body) if voice is Provenance.agent else []
    return tuple(_Reader(base, voice, extra).read(body, kwargs, calls))


def _noticed(source: str, extra: frozenset[Mark]) -> tuple[Provenance, frozenset[Mark]]:
    """Whose text a human message is that a feature of the client put in: a summary, or a notice.

    Source: `add_notification_metadata` of langchain_core/messages/notification.py.
    """
    if source == _SUMMARY_SOURCE:
        return Provenance.foreign, extra | {Mark.summary}
    return Provenance.harness, extra


def _result(body: Mapping[str, JSON], base: Path, extra: frozenset[Mark]) -> Part:
    """A result message as a whole. `artifact` is the client's own and never sent."""
    content = body.get("content")
    blocks = content if isinstance(content, list) else []
    media = tuple(media_block(block) for block in blocks if is_media(block))
    text, _ = content_text([block for block in blocks if not is_media(block)] if blocks else content)
    return Part(
        Kind.result,
        Provenance.tool,
        (),
        (*base, "content") if "content" in body else base,
        text,
        call_id=string_of(body.get("tool_call_id")),
        tool=string_of(body.get("name")),
        failed=body.get("status") == "error" or says_it_failed(text),
        images=len(media),
        marks=extra,
        media=media,
    )


class _Reader:
    """Reads one message that is no result."""

    def __init__(self, base: Path, voice: Provenance, extra: frozenset[Mark]) -> None:
        self.base = base
        self.voice = voice
        self.extra = extra

    def read(self, body: Mapping[str, JSON], kwargs: Mapping[str, JSON], calls: list[Call]) -> list[Part]:
        parts = [
            self._reasoning(kwargs[key], (*self.base, "additional_kwargs", key))
            for key in _REASONING_KEYS
            if kwargs.get(key) and self.voice is Provenance.agent
        ]
        placed = {place: call.block for call in calls for place in (call.block, *call.copies)}
        waiting = {call.block: call for call in calls}
        parts += self._content(body.get("content"), placed, waiting)
        parts += [self._call(call) for call in waiting.values()]
        return parts + self._beside(kwargs)

    def _content(self, content: JSON, placed: Mapping[Path, Path], waiting: dict[Path, Call]) -> list[Part]:
        """The blocks of the content; a call is read where the first of its blocks stands."""
        at: Path = (*self.base, "content")
        if isinstance(content, str):
            return [text_part(content, self.voice, at, at, self.extra)] if content else []
        if not isinstance(content, list):
            return [] if content is None else [self._other(content, at, at)]
        parts: list[Part] = []
        for index, block in enumerate(content):
            place = placed.get(("content", index))
            if place is None:
                parts.append(self._block(block, (*at, index)))
            elif place in waiting:
                parts.append(self._call(waiting.pop(place)))
        return parts

    def _beside(self, kwargs: Mapping[str, JSON]) -> list[Part]:
        """What an adapter keeps beside the content: a refusal, the words of a recording."""
        at: Path = (*self.base, "additional_kwargs")
        parts: list[Part] = []
        refusal, audio = kwargs.get("refusal"), kwargs.get("audio")
        if isinstance(refusal, str) and refusal:
            parts.append(self._text(refusal, (*at, "refusal"), (*at, "refusal")))
        if isinstance(audio, Mapping) and isinstance(audio.get("transcript"), str):
            parts.append(self._text(audio["transcript"], (*at, "audio"), (*at, "audio", "transcript")))
        return parts

    def _text(self, text: str, block: Path, path: Path) -> Part:
        return text_part(text, self.voice, block, path, self.extra)

    def _other(self, value: JSON, block: Path, path: Path) -> Part:
        return Part(Kind.other, self.voice, block, path, json_text(value), marks=self.extra)

    def _block(self, block: JSON, at: Path) -> Part:
        """One part for one block; a type that is not known is kept as `other` with its whole JSON."""
        if isinstance(block, str):
            return self._text(block, at, at)
        if not isinstance(block, Mapping):
            return self._other(block, at, at)
        kind = string_of(block.get("type")) or ""
        if kind in REASONING_BLOCKS:
            return self._reasoning(block, at)
        if kind in _SERVER_CALLS:
            return self._server_call(block, at)
        if kind == "server_tool_result" or kind.endswith("_tool_result"):
            return self._server_result(block, at)
        if is_media(block):
            return Part(Kind.media, self.voice, at, at, "", marks=self.extra, media=(media_block(block),))
        plain = plain_document(block)
        if plain is not None:
            return self._text(plain, at, (*at, "source", "data"))
        for key in ("text", "refusal"):
            if isinstance(block.get(key), str):
                return self._text(block[key], at, (*at, key))
        return self._other(block, at, at)

    def _reasoning(self, value: JSON, at: Path) -> Part:
        """Reasoning; an item of the Responses API is bound to what it produced (rule O3)."""
        marks = self.extra
        holders = [value, value.get("extras"), value.get("reasoning_content")] if isinstance(value, Mapping) else []
        if any(isinstance(holder, Mapping) and any(map(holder.get, _SIGNATURES)) for holder in holders):
            marks |= {Mark.signed}
        if isinstance(value, Mapping) and (string_of(value.get("id")) or "").startswith("rs_"):
            marks |= {Mark.bound}
        return Part(Kind.reasoning, self.voice, at, at, _reasoning_text(value), marks=marks)

    def _call(self, call: Call) -> Part:
        text, args = arguments_of(call.arguments)
        marks = self.extra | {Mark.background} if starts_background(args) else self.extra
        return Part(
            Kind.call,
            self.voice,
            (*self.base, *call.block),
            (*self.base, *call.path),
            text,
            call_id=call.call_id,
            tool=call.tool,
            args=args,
            marks=marks,
            copies=tuple((*self.base, *copy) for copy in call.copies),
        )

    def _server_call(self, block: Mapping[str, JSON], at: Path) -> Part:
        key = next((key for key in ("args", "input", "action") if key in block), None)
        text, args = arguments_of(None if key is None else block[key])
        return Part(
            Kind.call,
            self.voice,
            at,
            at if key is None else (*at, key),
            text,
            call_id=string_of(block.get("id")),
            tool=string_of(block.get("name")),
            args=args,
            marks=self.extra | {Mark.server},
        )

    def _server_result(self, block: Mapping[str, JSON], at: Path) -> Part:
        key = next((key for key in ("output", "content") if key in block), None)
        text, images = content_text(None if key is None else block[key])
        return Part(
            Kind.result,
            Provenance.tool,
            at,
            at if key is None else (*at, key),
            text,
            call_id=string_of(block.get("tool_call_id")) or string_of(block.get("tool_use_id")),
            failed=block.get("status") == "error" or block.get("is_error") is True,
            images=images,
            marks=self.extra | {Mark.server},
        )


def _reasoning_text(value: JSON) -> str:
    """What a model reads of its reasoning: the text under whichever key the adapter uses."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_reasoning_text(item) for item in value)
    if not isinstance(value, Mapping):
        return json_text(value)
    for key in ("reasoning", "thinking", "text", "reasoning_content", "summary", "data"):
        inner = value.get(key)
        if isinstance(inner, str):
            return inner
        if isinstance(inner, Mapping | list) and inner:
            return _reasoning_text(inner)
    return ""
