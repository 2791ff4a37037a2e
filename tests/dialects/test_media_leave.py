"""A picture leaves with one line in its place, in every format, and comes back to the byte."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

import pytest

from cenotaph import Policy, compact, rehydrate
from cenotaph.api import explain
from cenotaph.core.tombstone import Tombstone


def png(width: int, height: int) -> str:
    """A real picture of one colour, in base64."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = zlib.compress((b"\0" + b"\x7f" * width) * height)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return base64.b64encode(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    ).decode()


DATA = png(1024, 768)
ASK = "What is wrong on this screen? Answer in one line, and keep the ticket OPS-4412 in mind."
SAID = "The second button is cut off."
NEXT = "Good. Now write the report about everything that we found so far, please, and be brief. " * 3

CHAT_IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}
CLAUDE_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}


def _langchain(type_: str, content: Any) -> Any:
    return {"type": type_, "data": {"type": type_, "content": content}}


CONVERSATIONS: dict[str, list[Any]] = {
    "openai-chat": [
        {"role": "user", "content": [{"type": "text", "text": ASK}, CHAT_IMAGE]},
        {"role": "assistant", "content": SAID},
        {"role": "user", "content": NEXT},
    ],
    "anthropic": [
        {"role": "user", "content": [{"type": "text", "text": ASK}, CLAUDE_IMAGE]},
        {"role": "assistant", "content": SAID},
        {"role": "user", "content": NEXT},
    ],
    "openai-responses": [
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": ASK},
                {"type": "input_image", "image_url": f"data:image/png;base64,{DATA}", "detail": "auto"},
            ],
        },
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": NEXT}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": ASK}, {"inlineData": {"mimeType": "image/png", "data": DATA}}]},
        {"role": "model", "parts": [{"text": SAID}]},
        {"role": "user", "parts": [{"text": NEXT}]},
    ],
    "bedrock-converse": [
        {"role": "user", "content": [{"text": ASK}, {"image": {"format": "png", "source": {"bytes": DATA}}}]},
        {"role": "assistant", "content": [{"text": SAID}]},
        {"role": "user", "content": [{"text": NEXT}]},
    ],
    "pydantic-ai": [
        {
            "kind": "request",
            "parts": [
                {
                    "part_kind": "user-prompt",
                    "content": [ASK, {"kind": "binary", "media_type": "image/png", "data": DATA, "identifier": "a"}],
                }
            ],
        },
        {"kind": "response", "parts": [{"part_kind": "text", "content": SAID}]},
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": NEXT}]},
    ],
    "langchain": [
        _langchain("human", [{"type": "text", "text": ASK}, CHAT_IMAGE]),
        _langchain("ai", SAID),
        _langchain("human", NEXT),
    ],
}


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_picture_counts_by_its_size_and_leaves_with_a_line_and_comes_back(name: str) -> None:
    messages = CONVERSATIONS[name]
    readout = explain(messages, dialect=name, model="gpt-4o")
    (picture,) = [span for span in readout.classified.spans if span.kind.value == "media"]
    assert [(media.kind, media.width, media.height) for media in picture.part.media] == [("image", 1024, 768)]
    assert 500 < picture.tokens < 2_000, "765 by the provider's published example"

    before = compact(messages, dialect=name, model="gpt-4o", to_tokens=1 << 40).tokens_before
    done = compact(
        messages,
        dialect=name,
        model="gpt-4o",
        to_tokens=before - 300,
        policy=Policy.archive(),
        store="memory://",
        session="s",
    )
    shown = json.dumps(done.messages)
    assert DATA not in shown
    assert ASK in shown
    (stone,) = Tombstone.find(shown)
    assert stone.kind == "media"
    (back,) = rehydrate(stone.render(), store=done.store, session="s")
    assert DATA in json.dumps(back.block), "the block as it was sent"
    assert (back.provenance, back.kind, back.media) == ("user", "media", True)
    assert done.messages[1:] == messages[1:]
