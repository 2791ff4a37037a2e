"""Hostile conversations of Pydantic AI: what the client and the providers behind it would take.

Each is a conversation of `strategies.transcripts("openai-chat")`, said in the client's words, with
what only this format has: signed thinking, tools that a provider runs, files, media deep in results,
results in several requests, denied and retried calls, instructions on every request, cache points.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

from cenotaph.core.ids import JSON
from cenotaph.testing.strategies import generate

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["generate_pydantic_ai", "pydantic_ai_conversations"]

_PIXEL = {"data": "iVBORw0KGgo=", "media_type": "image/png", "vendor_metadata": None, "kind": "binary"}
_PAGE = {"url": "https://example.com/a.pdf", "force_download": False, "kind": "document-url"}
_PICTURE = {"url": "https://example.com/a.png", "kind": "image-url", "media_type": "image/png"}
_OUTCOMES = ("success", "success", "success", "failed", "denied", "interrupted", "retried")


class _Teller:
    """Says a Chat-Completions conversation in this format, with choices of its own."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.instructions = "Be brief." if self.chance(40) else None
        self.told: list[JSON] = []
        self.waiting: list[JSON] = []
        self.tools: dict[str, str] = {}
        self.issued = 0

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def tell(self, messages: list[JSON]) -> list[JSON]:
        for message in messages:
            role = message["role"]
            if role == "assistant":
                self._send()
                self.told.append(self._response(message))
            elif role == "tool":
                self.waiting.append(self._result(message))
                if self.chance(15):
                    self._send()
            elif role == "user":
                self.waiting.append({"content": self._prompt(message["content"]), "part_kind": "user-prompt"})
            else:
                self.waiting.append({"content": message["content"], "part_kind": "system-prompt"})
        self._send()
        return self.told

    def _send(self) -> None:
        """What has been gathered becomes a request."""
        if not self.waiting:
            return
        asked = any(part["part_kind"] == "user-prompt" for part in self.waiting)  # so no call is open
        if asked and self.chance(8):
            self.waiting.append({"content": "Please call a tool.", "part_kind": "retry-prompt"})
        if self.chance(3):
            self.waiting.append({"instructions": [], "part_kind": "instruction-baseline"})
        request: dict[str, JSON] = {"parts": self.waiting, "kind": "request", "run_id": "r1"}
        if self.instructions is not None:
            request["instructions"] = self.instructions
        self.told.append(request)
        self.waiting = []

    def _prompt(self, content: JSON) -> JSON:
        if isinstance(content, str) and self.chance(70):
            return content
        texts = [content] if isinstance(content, str) else [block.get("text", "picture") for block in content]
        items: list[JSON] = [{"content": text, "kind": "text-content"} if self.chance(20) else text for text in texts]
        if self.chance(40):
            items.append({"kind": "cache-point", "ttl": "5m"})
        return [*items, *([dict(self.rng.choice((_PIXEL, _PAGE, _PICTURE)))] if self.chance(40) else [])]

    def _result(self, message: JSON) -> JSON:
        content = message["content"]
        text: JSON = content if isinstance(content, str) else content[0]["text"]
        tool = self.tools[message["tool_call_id"]]
        if self.chance(5):
            return {
                "content": text,
                "tool_name": tool,
                "tool_call_id": message["tool_call_id"],
                "part_kind": "retry-prompt",
            }
        if self.chance(10):
            text = {"rows": [text, 1, None], "shot": dict(_PIXEL)}
        elif self.chance(5):
            text = [text, dict(_PIXEL)]
        result = {
            "tool_name": tool,
            "content": text,
            "tool_call_id": message["tool_call_id"],
            "part_kind": "tool-return",
        }
        if self.chance(60):
            result["outcome"] = self.rng.choice(_OUTCOMES)
        return result

    def _response(self, message: JSON) -> JSON:
        parts: list[JSON] = []
        if "reasoning_content" in message:
            parts.append(self._thinking(message["reasoning_content"]))
        if self.chance(6):
            parts += self._native()
        for text in (message.get("content"), message.get("refusal")):
            if isinstance(text, list):
                parts += [{"content": block["text"], "id": None, "part_kind": "text"} for block in text]
            elif text:
                parts.append({"content": text, "part_kind": "text"})
        parts += [self._call(call) for call in message.get("tool_calls", [])]
        if self.chance(4):
            parts.append({"content": dict(_PIXEL), "part_kind": "file"})
        self.issued += 1
        usage = {"input_tokens": 0, "output_tokens": 0}
        return {"parts": parts, "usage": usage, "model_name": "gpt-5", "kind": "response", "run_id": f"r{self.issued}"}

    def _thinking(self, text: str) -> JSON:
        part: dict[str, JSON] = {"content": text, "part_kind": "thinking"}
        if self.chance(50):
            self.issued += 1
            part |= {"signature": f"EqQB{self.issued}", "provider_name": "anthropic"}
        return part

    def _native(self) -> list[JSON]:
        self.issued += 1
        same = {"tool_name": "web_search", "tool_call_id": f"srv_{self.issued}"}
        return [
            {**same, "args": {"query": "x"}, "part_kind": "builtin-tool-call"},
            {**same, "content": {"hits": [1, 2]}, "part_kind": "builtin-tool-return"},
        ]

    def _call(self, call: JSON) -> JSON:
        arguments = call["function"]["arguments"]
        self.tools[call["id"]] = call["function"]["name"]
        parsed = json.loads(arguments) if arguments.endswith("}") and self.chance(50) else arguments
        return {
            "tool_name": call["function"]["name"],
            "args": parsed,
            "tool_call_id": call["id"],
            "id": None,
            "part_kind": "tool-call",
        }


def _told(rng: Random, size: int) -> list[JSON]:
    return _Teller(rng).tell(generate("openai-chat", rng.randrange(1 << 30), size))


def generate_pydantic_ai(seed: int, size: int = 8) -> list[JSON]:
    """Messages that the client would take, however odd; the same for the same arguments.

    Args:
        seed: Any integer.
        size: About how many calls and turns; at most 300 calls stand in one turn.
    """
    return _told(Random(seed), size)


def pydantic_ai_conversations(*, size_max: int = 20) -> SearchStrategy[list[JSON]]:
    """A Hypothesis strategy of what `generate_pydantic_ai` makes; needs the `test` extra.

    Args:
        size_max: Largest `size` that is drawn.
    """
    from hypothesis import strategies as st

    return st.builds(_told, st.randoms(use_true_random=False), st.integers(min_value=0, max_value=size_max))
