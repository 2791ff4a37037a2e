"""A client of each provider: a whole request around a generated conversation, and how it goes on from an answer.

A generated conversation is a transcript at rest: it may end at open calls or at the agent's words. What is
posted is what a client would post then: with the results of those calls, or with a person's next words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Protocol

from cenotaph.testing import conversations_bedrock, conversations_gemini, conversations_responses, strategies

BINDINGS: Final = ("none", "newest", "prefix")
_OLD_CLAUDE: Final = "claude-opus-4-5"
_NEW_CLAUDE: Final = "claude-opus-5-5"
_BETA: Final = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}
_DONE: Final = "done"
_WORDS: Final = "Go on, and tell me what is left to do before you change anything else."
_SYSTEM: Final = "You are careful. Never write outside of the checkout."
_TOOLS: Final = ("read_file", "write_file", "write_todos", "run")
_SCHEMA: Final = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it is posted.

    Attributes:
        path, headers, body: Of the POST; the headers without those that HTTP itself needs.
        model: Its name, where the body does not say it, else None.
        key: Where the body holds its messages.
    """

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    key: str
    model: str | None = None


class Asker(Protocol):
    """A client of one provider."""

    name: str
    tools: str
    """The profile of tool declarations that its conversations are read with."""

    def asked(self, seed: int, size: int, binding: str, drop_block: bool) -> Asked:
        """A generated conversation as a whole request, to a model with this binding of its reasoning."""

    def closing(self, messages: Sequence[Any]) -> list[Any]:
        """What has to be appended before the messages can be posted."""

    def said(self, answer: Any) -> list[Any]:
        """The messages of an answer, as the client keeps them."""

    def human(self) -> Any:
        """A person's next words."""


def _thinking(binding: str, drop_block: bool) -> dict[str, Any]:
    """The request's settings under which the binding holds; without any, reasoning is not looked at."""
    if binding == "none":
        return {}
    bound = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}} if drop_block else {}
    return {"thinking": {"type": "enabled", "budget_tokens": 1024, **bound}}


class AnthropicAsker:
    name, tools = "anthropic", "claude-code"

    def asked(self, seed: int, size: int, binding: str, drop_block: bool) -> Asked:
        body = strategies.generate_request("anthropic", seed, size)
        drops = drop_block and binding == "prefix"
        body |= {"model": _NEW_CLAUDE if binding == "prefix" else _OLD_CLAUDE, **_thinking(binding, drops)}
        return Asked("/v1/messages", _BETA if drops else {}, body, "messages")

    def closing(self, messages: Sequence[Any]) -> list[Any]:
        last = messages[-1]
        if last["role"] != "assistant":
            return []
        blocks = last["content"] if isinstance(last["content"], list) else []
        ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": one, "content": _DONE} for one in ids]
        return [{"role": "user", "content": results}] if results else [self.human()]

    def said(self, answer: Any) -> list[Any]:
        return [{"role": "assistant", "content": answer["content"]}]

    def human(self) -> Any:
        return {"role": "user", "content": _WORDS}


class ChatAsker:
    name, tools = "openai-chat", "generic"

    def asked(self, seed: int, size: int, binding: str, drop_block: bool) -> Asked:
        return Asked("/v1/chat/completions", {}, strategies.generate_request("openai-chat", seed, size), "messages")

    def closing(self, messages: Sequence[Any]) -> list[Any]:
        called = [call["id"] for message in messages for call in message.get("tool_calls", [])]
        given = {message.get("tool_call_id") for message in messages}
        return [{"role": "tool", "tool_call_id": one, "content": _DONE} for one in called if one not in given]

    def said(self, answer: Any) -> list[Any]:
        return [answer["choices"][0]["message"]]

    def human(self) -> Any:
        return {"role": "user", "content": _WORDS}


class ResponsesAsker:
    name, tools = "openai-responses", "generic"

    def asked(self, seed: int, size: int, binding: str, drop_block: bool) -> Asked:
        return Asked("/v1/responses", {}, conversations_responses.generate_request(seed, size), "input")

    def closing(self, messages: Sequence[Any]) -> list[Any]:
        calls = [item for item in messages if item.get("type") in ("function_call", "custom_tool_call")]
        given = {item["call_id"] for item in messages if str(item.get("type")).endswith("_call_output")}
        return [
            {"type": f"{call['type']}_output", "call_id": call["call_id"], "output": _DONE}
            for call in calls
            if call["call_id"] not in given
        ]

    def said(self, answer: Any) -> list[Any]:
        return list(answer["output"])

    def human(self) -> Any:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": _WORDS}]}


class GeminiAsker:
    name, tools = "gemini", "generic"

    def asked(self, seed: int, size: int, binding: str, drop_block: bool) -> Asked:
        contents = conversations_gemini.generate(seed, size)
        parts = [part for content in contents for part in content["parts"]]
        signs = any("thoughtSignature" in part or "thought_signature" in part for part in parts)
        model = "gemini-3-pro-preview" if signs else "gemini-2.5-pro"
        body = {
            "systemInstruction": {"parts": [{"text": _SYSTEM}]},
            "tools": [{"functionDeclarations": [{"name": name, "parameters": _SCHEMA} for name in _TOOLS]}],
            "generationConfig": {"maxOutputTokens": 1024},
            "contents": contents,
        }
        return Asked(f"/v1beta/models/{model}:generateContent", {}, body, "contents", model)

    def closing(self, messages: Sequence[Any]) -> list[Any]:
        last = messages[-1]
        if last["role"] != "model":
            return []
        calls = [part.get("functionCall") or part.get("function_call") for part in last["parts"]]
        answers = [
            {"functionResponse": {key: call[key] for key in ("id", "name") if key in call} | {"response": {}}}
            for call in calls
            if call is not None
        ]
        return [{"role": "user", "parts": answers}] if answers else [self.human()]

    def said(self, answer: Any) -> list[Any]:
        return [answer["candidates"][0]["content"]]

    def human(self) -> Any:
        return {"role": "user", "parts": [{"text": _WORDS}]}


class BedrockAsker:
    name, tools = "bedrock-converse", "generic"

    def asked(self, seed: int, size: int, binding: str, drop_block: bool) -> Asked:
        model = f"anthropic.{_NEW_CLAUDE if binding == 'prefix' else _OLD_CLAUDE}-v1:0"
        tools = [{"toolSpec": {"name": name, "inputSchema": {"json": _SCHEMA}}} for name in _TOOLS]
        body = {
            "system": [{"text": _SYSTEM}],
            "toolConfig": {"tools": tools},
            "inferenceConfig": {"maxTokens": 1024},
            "messages": conversations_bedrock.generate(seed, size),
        }
        asked = _thinking(binding, drop_block and binding == "prefix")
        if asked:
            body["additionalModelRequestFields"] = asked
        return Asked(f"/model/{model}/converse", {}, body, "messages", model)

    def closing(self, messages: Sequence[Any]) -> list[Any]:
        last = messages[-1]
        if last["role"] != "assistant":
            return []
        ids = [block["toolUse"]["toolUseId"] for block in last["content"] if "toolUse" in block]
        results = [{"toolResult": {"toolUseId": one, "content": [{"text": _DONE}]}} for one in ids]
        return [{"role": "user", "content": results}] if results else [self.human()]

    def said(self, answer: Any) -> list[Any]:
        return [answer["output"]["message"]]

    def human(self) -> Any:
        return {"role": "user", "content": [{"text": _WORDS}]}


ASKERS: Final[tuple[Asker, ...]] = (
    AnthropicAsker(),
    ChatAsker(),
    ResponsesAsker(),
    GeminiAsker(),
    BedrockAsker(),
)


def with_messages(asked: Asked, body: dict[str, Any], more: Sequence[Any]) -> dict[str, Any]:
    """The body with further messages behind its own."""
    return {**body, asked.key: [*body[asked.key], *more]} if more else body


def drawn(seed: int, name: str) -> Random:
    """Choices for one conversation of one provider, the same for ever."""
    return Random(f"{name} {seed}")
