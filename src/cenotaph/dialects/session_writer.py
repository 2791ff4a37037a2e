"""Writes what a client keeps in a form of its own as messages of the wire that it speaks.

Clients that talk to many providers keep one neutral history and write it anew for each of them. What
is written here is what they send: reasoning with its signature where the provider takes it back,
results right behind their calls, media in a message of its own where a result can't hold it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Path
from cenotaph.dialects.content import json_text
from cenotaph.dialects.session_draft import HARNESS, PLAIN, Draft, Voice

__all__ = ["Call", "Picture", "Result", "Text", "Thought", "Writer"]

_PICTURES_OF_RESULT: Final = "Attached from the tool result:"


@dataclass(frozen=True, slots=True)
class Text:
    """Words, and what the session knows of them."""

    text: str
    voice: Voice = PLAIN


@dataclass(frozen=True, slots=True)
class Thought:
    """Reasoning; `signature` "" where it has none, `opaque` where only the provider can read it."""

    text: str
    signature: str = ""
    opaque: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call; `arguments` is the object or the text that was sent."""

    call_id: str
    tool: str
    arguments: JSON


@dataclass(frozen=True, slots=True)
class Picture:
    """Media by its data (base64) or by an address; exactly one of them is not ""."""

    mime: str
    data: str = ""
    url: str = ""
    voice: Voice = PLAIN


@dataclass(frozen=True, slots=True)
class Result:
    """What answers a call.

    Attributes:
        call_id: Of the call.
        text: What the model reads.
        failed: The call did not succeed, by the client's fields.
        pictures: Media in it.
        voice: What else the session knows.
        flagged: Whether the request marks it as an error; None: as `failed`.
    """

    call_id: str
    text: str
    failed: bool
    pictures: tuple[Picture, ...] = ()
    voice: Voice = PLAIN
    flagged: bool | None = None


Block = Text | Thought | Call | Picture


class Writer:
    """Drafts in one wire.

    Args:
        wire: "anthropic" or "openai-chat".
    """

    def __init__(self, wire: str) -> None:
        self.wire = wire
        self.drafts: list[Draft] = []

    def speak(self, blocks: Sequence[Block], *, summarized: bool = False) -> None:
        """A message in a person's role, one content block for each block."""
        content: list[JSON] = []
        voices: dict[Path, Voice] = {}
        for block in blocks:
            if isinstance(block, Text) and block.text.strip():
                voices["content", len(content)] = block.voice
                content.append({"type": "text", "text": block.text})
            elif isinstance(block, Picture):
                voices["content", len(content)] = block.voice
                content.append(self._picture(block))
        if content:
            self.drafts.append(Draft({"role": "user", "content": content}, PLAIN, voices, summarized))

    def act(
        self,
        blocks: Sequence[Block],
        *,
        voice: Voice = PLAIN,
        summarized: bool = False,
        input_tokens: int | None = None,
        model: str | None = None,
    ) -> bool:
        """A message of the agent; False if nothing of it can be sent."""
        raw = self._agent_blocks(blocks) if self.wire == "anthropic" else self._agent_fields(blocks)
        if raw is None:
            return False
        self.drafts.append(Draft(raw, voice, {}, summarized, input_tokens, model))
        return True

    def answer(self, results: Sequence[Result], *, summarized: bool = False) -> None:
        """What answers the calls of the agent's message before it, in the order given."""
        if not results:
            return
        if self.wire == "anthropic":
            voices: dict[Path, Voice] = {
                ("content", index): Voice(result.voice.provenance, result.voice.marks, result.failed)
                for index, result in enumerate(results)
            }
            content = [self._result_block(result) for result in results]
            self.drafts.append(Draft({"role": "user", "content": content}, PLAIN, voices, summarized))
            return
        for result in results:
            raw = {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
            voice = Voice(result.voice.provenance, result.voice.marks, result.failed)
            self.drafts.append(Draft(raw, voice, {}, summarized))
        pictures = [Picture(p.mime, p.data, p.url, HARNESS) for result in results for p in result.pictures]
        if pictures:
            self.speak([Text(_PICTURES_OF_RESULT, HARNESS), *pictures], summarized=summarized)

    # Anthropic -------------------------------------------------------------------------------------

    def _agent_blocks(self, blocks: Sequence[Block]) -> Mapping[str, JSON] | None:
        content: list[JSON] = []
        for block in blocks:
            if isinstance(block, Text) and block.text.strip():
                content.append({"type": "text", "text": block.text})
            elif isinstance(block, Thought) and block.opaque:
                content.append({"type": "redacted_thinking", "data": block.signature})
            elif isinstance(block, Thought) and block.signature:
                content.append({"type": "thinking", "thinking": block.text, "signature": block.signature})
            elif isinstance(block, Thought) and block.text.strip():
                # The API refuses reasoning without its signature: clients send it as text.
                content.append({"type": "text", "text": block.text})
            elif isinstance(block, Call):
                content.append({"type": "tool_use", "id": block.call_id, "name": block.tool, "input": block.arguments})
        return {"role": "assistant", "content": content} if content else None

    def _result_block(self, result: Result) -> JSON:
        content: JSON = result.text
        if result.pictures:
            text = [{"type": "text", "text": result.text}] if result.text.strip() else []
            content = [*text, *(self._picture(picture) for picture in result.pictures)]
        block = {"type": "tool_result", "tool_use_id": result.call_id, "content": content}
        flagged = result.failed if result.flagged is None else result.flagged
        return {**block, "is_error": True} if flagged else block

    # Chat Completions ------------------------------------------------------------------------------

    def _agent_fields(self, blocks: Sequence[Block]) -> Mapping[str, JSON] | None:
        raw: dict[str, JSON] = {"role": "assistant"}
        texts: list[JSON] = [{"type": "text", "text": b.text} for b in blocks if isinstance(b, Text) and b.text.strip()]
        thoughts = [b.text for b in blocks if isinstance(b, Thought) and b.text.strip()]
        calls = [b for b in blocks if isinstance(b, Call)]
        if thoughts:
            raw["reasoning_content"] = "\n".join(thoughts)
        raw["content"] = texts[0]["text"] if len(texts) == 1 else texts or None
        if calls:
            raw["tool_calls"] = [
                {
                    "id": call.call_id,
                    "type": "function",
                    "function": {
                        "name": call.tool,
                        "arguments": call.arguments if isinstance(call.arguments, str) else json_text(call.arguments),
                    },
                }
                for call in calls
            ]
        return raw if texts or calls else None

    def _picture(self, picture: Picture) -> JSON:
        if self.wire == "anthropic":
            source: JSON = {"type": "url", "url": picture.url}
            if picture.data:
                source = {"type": "base64", "media_type": picture.mime, "data": picture.data}
            return {"type": "image" if picture.mime.startswith("image/") else "document", "source": source}
        url = f"data:{picture.mime};base64,{picture.data}" if picture.data else picture.url
        return {"type": "image_url", "image_url": {"url": url}}
