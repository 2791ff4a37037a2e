"""Fields of Gemini's contents, in both spellings: the REST API writes camelCase, the SDKs also snake_case.

An SDK's dump writes each field that is not set as null, so null counts as absent everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cenotaph.core.ids import JSON

__all__ = [
    "DATA_FIELDS",
    "calls_in",
    "data_keys",
    "field_of",
    "has_responses",
    "key_of",
    "parts_of",
    "responses_in",
    "signature_of",
]

DATA_FIELDS = (
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "inlineData",
    "fileData",
    "text",
)
"""What a part may hold, one of it; the names that this package knows."""

_BESIDE = frozenset(
    {
        "thought",
        "thoughtSignature",
        "thought_signature",
        "videoMetadata",
        "video_metadata",
        "mediaResolution",
        "media_resolution",
    }
)
"""What may stand in a part beside its data."""

_CAPITAL = re.compile(r"[A-Z]")
_SNAKE = {name: _CAPITAL.sub(lambda found: f"_{found[0].lower()}", name) for name in DATA_FIELDS}
_SNAKE |= {
    "thoughtSignature": "thought_signature",
    "mimeType": "mime_type",
    "mediaResolution": "media_resolution",
    "systemInstruction": "system_instruction",
    "functionDeclarations": "function_declarations",
    "usageMetadata": "usage_metadata",
    "promptTokenCount": "prompt_token_count",
    "modelVersion": "model_version",
}


def key_of(holder: Mapping[str, JSON], name: str) -> str | None:
    """The key under which a field stands, camelCase first; None if it stands under neither or is null."""
    for key in (name, _SNAKE.get(name, name)):
        if holder.get(key) is not None:
            return key
    return None


def field_of(holder: JSON, name: str) -> JSON:
    """A field in either spelling; None if it is absent or null, or the holder is no object."""
    key = key_of(holder, name) if isinstance(holder, Mapping) else None
    return None if key is None else holder[key]


def parts_of(content: JSON) -> list[Mapping[str, JSON]]:
    """The parts of a content that are objects; none where `parts` is no list."""
    parts = content.get("parts") if isinstance(content, Mapping) else None
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []


def data_keys(part: Mapping[str, JSON]) -> set[str]:
    """The keys of a part under which data stands, known or not."""
    return {key for key, value in part.items() if value is not None and key not in _BESIDE}


def calls_in(content: JSON) -> list[Mapping[str, JSON]]:
    """The `functionCall` objects of a content, in order."""
    calls = (field_of(part, "functionCall") for part in parts_of(content))
    return [call for call in calls if isinstance(call, Mapping)]


def responses_in(content: JSON) -> list[Mapping[str, JSON]]:
    """The `functionResponse` objects of a content, in order."""
    responses = (field_of(part, "functionResponse") for part in parts_of(content))
    return [response for response in responses if isinstance(response, Mapping)]


def has_responses(content: JSON) -> bool:
    """Whether a content is a function-response turn."""
    return bool(responses_in(content))


def signature_of(part: JSON) -> str | None:
    """A part's thought signature; None if it has none."""
    signature = field_of(part, "thoughtSignature")
    return signature if isinstance(signature, str) and signature else None
