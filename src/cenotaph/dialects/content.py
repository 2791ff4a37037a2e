"""What a model reads of foreign content values: text, arguments, media."""

from __future__ import annotations

import json
from collections.abc import Mapping

from cenotaph.core.ids import JSON, verbatim_json
from cenotaph.core.model import Kind, Mark, Media, Part, Path, Provenance
from cenotaph.dialects.forms import is_harness
from cenotaph.dialects.media import media_of

MEDIA_BLOCKS: frozenset[str] = frozenset(
    {
        "image",
        "image_url",
        "input_image",
        "document",
        "file",
        "input_file",
        "input_audio",
        "audio",
        "video",
        "video_url",
        "container_upload",
    }
)
"""Block types that stand for media; what a model makes of them is not text."""

BACKGROUND_KEYS = ("run_in_background", "background")
"""Argument names by which a call says that it goes on after its result."""


def json_text(value: JSON) -> str:
    """A value as compact JSON text; a lone surrogate stands there as its escape."""
    return verbatim_json(value).decode("utf-8")


def content_text(content: JSON) -> tuple[str, int]:
    """The text of a content value, and how many media blocks stand in it.

    A block of an unknown type counts with its whole JSON, so that nothing is counted as free.
    """
    if content is None:
        return "", 0
    if isinstance(content, str):
        return content, 0
    if not isinstance(content, list):
        return json_text(content), 0
    texts: list[str] = []
    images = 0
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif not isinstance(block, Mapping):
            texts.append(json_text(block))
        elif isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif (plain := plain_document(block)) is not None:
            texts.append(plain)
        elif string_of(block.get("type")) in MEDIA_BLOCKS:
            images += 1
        else:
            texts.append(json_text(block))
    return "\n".join(texts), images


def plain_document(block: Mapping[str, JSON]) -> str | None:
    """The text of a document block whose source is plain text; None for every other block."""
    source = block.get("source")
    if block.get("type") == "document" and isinstance(source, Mapping) and source.get("type") == "text":
        data = source.get("data")
        return data if isinstance(data, str) else None
    return None


def role_of(message: JSON) -> str:
    """The role of a message; "" where it has none."""
    role = message.get("role") if isinstance(message, Mapping) else None
    return role if isinstance(role, str) else ""


def blocks_of(holder: JSON) -> list[Mapping[str, JSON]]:
    """The blocks in the content of a message or a result; none where its content is no list."""
    content = holder.get("content") if isinstance(holder, Mapping) else None
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []


def is_blank_text(block: JSON) -> bool:
    """Whether a block is text of nothing but white space."""
    if not isinstance(block, Mapping) or block.get("type") != "text":
        return False
    text = block.get("text")
    return not isinstance(text, str) or not text.strip()


def arguments_of(raw: JSON) -> tuple[str, Mapping[str, JSON] | None]:
    """Arguments as sent (text) and as parsed; None where they are not one JSON object."""
    if raw is None:
        return "", None
    if isinstance(raw, Mapping):
        return json_text(raw), raw
    if not isinstance(raw, str):
        return json_text(raw), None
    if not raw.lstrip().startswith("{"):
        return raw, None
    try:
        parsed = json.loads(raw)
    except (ValueError, RecursionError):
        return raw, None
    return raw, parsed if isinstance(parsed, dict) else None


def starts_background(args: Mapping[str, JSON] | None) -> bool:
    return args is not None and any(args.get(key) is True for key in BACKGROUND_KEYS)


def string_of(value: JSON) -> str | None:
    """The value if it is a string with something in it: an id or a name, else None."""
    return value if isinstance(value, str) and value else None


def pins_of(message: Mapping[str, JSON]) -> frozenset[Mark]:
    """The marks that a message's own pin gives to each of its parts."""
    return frozenset({Mark.pinned}) if message.get("pinned") is True else frozenset()


def text_part(text: str, voice: Provenance, block: Path, path: Path, extra: frozenset[Mark]) -> Part:
    """A text part; in the user's role it is the harness's only if a form fills the whole block."""
    if voice is Provenance.user and is_harness(text):
        voice = Provenance.harness
    return Part(Kind.text, voice, block, path, text, marks=extra)


def media_in(block: Mapping[str, JSON]) -> Media:
    """What is known of one block of `MEDIA_BLOCKS`, wherever its format puts its bytes."""
    kind = string_of(block.get("type")) or ""
    holder: JSON = block.get("source", block.get(kind, block))
    if isinstance(holder, str):  # an image by its URL alone
        holder = {"url": holder}
    if not isinstance(holder, Mapping):
        return media_of(_MIME_OF.get(kind))
    mime = string_of(holder.get("media_type")) or string_of(holder.get("mime_type"))
    if mime is None and string_of(holder.get("format")) is not None:
        mime = f"audio/{holder['format']}"
    data = next((holder[key] for key in _BYTES if isinstance(holder.get(key), str)), None)
    url = string_of(holder.get("url"))
    if data is None and url is not None and url.startswith("data:"):
        data = url
    if mime is None and data is None:
        mime = _MIME_OF.get(kind)
    return media_of(mime, data, detail=string_of(holder.get("detail")))


_BYTES = ("data", "file_data", "image_data")
_MIME_OF: Mapping[str, str] = {
    **dict.fromkeys(("image", "image_url", "input_image"), "image/*"),
    **dict.fromkeys(("document", "file", "input_file", "container_upload"), "application/pdf"),
    **dict.fromkeys(("input_audio", "audio"), "audio/*"),
    **dict.fromkeys(("video", "video_url"), "video/*"),
}


def media_of_content(content: JSON) -> tuple[Media, ...]:
    """What is known of each media block that `content_text` counts, in order."""
    if not isinstance(content, list):
        return ()
    blocks = [block for block in content if isinstance(block, Mapping) and not isinstance(block.get("text"), str)]
    return tuple(
        media_in(block)
        for block in blocks
        if plain_document(block) is None and string_of(block.get("type")) in MEDIA_BLOCKS
    )
