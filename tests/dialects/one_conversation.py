"""One conversation, written in every wire format: what it says is the same, how it says it is the format's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

JSON = Any


@dataclass(frozen=True)
class Call:
    """One call of a tool, and what came back."""

    id: str
    tool: str
    args: dict[str, JSON]
    output: str

    @property
    def arguments(self) -> str:
        return json.dumps(self.args, separators=(",", ":"))


@dataclass(frozen=True)
class Person:
    """What a person says."""

    text: str


@dataclass(frozen=True)
class Agent:
    """What the agent says and calls in one output; the results follow it."""

    text: str = ""
    calls: Sequence[Call] = field(default=())


Step = Person | Agent
Writer = Callable[[str, Sequence[Step]], JSON]


def openai_chat(system: str, steps: Sequence[Step]) -> JSON:
    messages: list[JSON] = [{"role": "system", "content": system}]
    for step in steps:
        if isinstance(step, Person):
            messages.append({"role": "user", "content": step.text})
            continue
        message: dict[str, JSON] = {"role": "assistant", "content": step.text or None}
        if step.calls:
            message["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.tool, "arguments": c.arguments}}
                for c in step.calls
            ]
        messages.append(message)
        messages += [{"role": "tool", "tool_call_id": c.id, "content": c.output} for c in step.calls]
    return messages


def anthropic(system: str, steps: Sequence[Step]) -> JSON:
    messages: list[JSON] = []
    for step in steps:
        if isinstance(step, Person):
            messages.append({"role": "user", "content": step.text})
            continue
        blocks: list[JSON] = [{"type": "text", "text": step.text}] if step.text else []
        blocks += [{"type": "tool_use", "id": c.id, "name": c.tool, "input": c.args} for c in step.calls]
        messages.append({"role": "assistant", "content": blocks})
        if step.calls:
            results = [{"type": "tool_result", "tool_use_id": c.id, "content": c.output} for c in step.calls]
            messages.append({"role": "user", "content": results})
    return {"system": system, "messages": messages}


def openai_responses(system: str, steps: Sequence[Step]) -> JSON:
    items: list[JSON] = []
    for step in steps:
        if isinstance(step, Person):
            items.append({"type": "message", "role": "user", "content": [{"type": "input_text", "text": step.text}]})
            continue
        if step.text:
            said = [{"type": "output_text", "text": step.text}]
            items.append({"type": "message", "role": "assistant", "content": said})
        items += [
            {"type": "function_call", "call_id": c.id, "name": c.tool, "arguments": c.arguments} for c in step.calls
        ]
        items += [{"type": "function_call_output", "call_id": c.id, "output": c.output} for c in step.calls]
    return {"instructions": system, "input": items}


def gemini(system: str, steps: Sequence[Step]) -> JSON:
    contents: list[JSON] = []
    for step in steps:
        if isinstance(step, Person):
            contents.append({"role": "user", "parts": [{"text": step.text}]})
            continue
        parts: list[JSON] = [{"text": step.text}] if step.text else []
        parts += [{"functionCall": {"id": c.id, "name": c.tool, "args": c.args}} for c in step.calls]
        contents.append({"role": "model", "parts": parts})
        if step.calls:
            answers = [
                {"functionResponse": {"id": c.id, "name": c.tool, "response": {"output": c.output}}}
                for c in step.calls
            ]
            contents.append({"role": "user", "parts": answers})
    return {"systemInstruction": {"parts": [{"text": system}]}, "contents": contents}


def bedrock_converse(system: str, steps: Sequence[Step]) -> JSON:
    messages: list[JSON] = []
    for step in steps:
        if isinstance(step, Person):
            messages.append({"role": "user", "content": [{"text": step.text}]})
            continue
        blocks: list[JSON] = [{"text": step.text}] if step.text else []
        blocks += [{"toolUse": {"toolUseId": c.id, "name": c.tool, "input": c.args}} for c in step.calls]
        messages.append({"role": "assistant", "content": blocks})
        if step.calls:
            results = [{"toolResult": {"toolUseId": c.id, "content": [{"text": c.output}]}} for c in step.calls]
            messages.append({"role": "user", "content": results})
    return {"system": [{"text": system}], "messages": messages}


def pydantic_ai(system: str, steps: Sequence[Step]) -> JSON:
    messages: list[JSON] = []
    parts: list[JSON] = [{"part_kind": "system-prompt", "content": system}]
    for step in steps:
        if isinstance(step, Person):
            parts.append({"part_kind": "user-prompt", "content": step.text})
            continue
        messages.append({"kind": "request", "parts": parts})
        said: list[JSON] = [{"part_kind": "text", "content": step.text}] if step.text else []
        said += [
            {"part_kind": "tool-call", "tool_name": c.tool, "args": c.arguments, "tool_call_id": c.id}
            for c in step.calls
        ]
        messages.append({"kind": "response", "parts": said})
        parts = [
            {"part_kind": "tool-return", "tool_name": c.tool, "content": c.output, "tool_call_id": c.id}
            for c in step.calls
        ]
    return [*messages, {"kind": "request", "parts": parts}] if parts else messages


def langchain_flat(system: str, steps: Sequence[Step]) -> JSON:
    messages: list[JSON] = [{"type": "system", "content": system}]
    for step in steps:
        if isinstance(step, Person):
            messages.append({"type": "human", "content": step.text})
            continue
        calls = [{"name": c.tool, "args": c.args, "id": c.id, "type": "tool_call"} for c in step.calls]
        messages.append({"type": "ai", "content": step.text, "tool_calls": calls})
        messages += [
            {"type": "tool", "content": c.output, "tool_call_id": c.id, "name": c.tool, "status": "success"}
            for c in step.calls
        ]
    return messages


def langchain_dict(system: str, steps: Sequence[Step]) -> JSON:
    return [{"type": message["type"], "data": message} for message in langchain_flat(system, steps)]


_CLASSES = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


def langchain_dumpd(system: str, steps: Sequence[Step]) -> JSON:
    return [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", _CLASSES[message["type"]]],
            "kwargs": message,
        }
        for message in langchain_flat(system, steps)
    ]


WRITERS: dict[str, Writer] = {
    "openai-chat": openai_chat,
    "anthropic": anthropic,
    "openai-responses": openai_responses,
    "gemini": gemini,
    "bedrock-converse": bedrock_converse,
    "pydantic-ai": pydantic_ai,
    "langchain": langchain_dict,
    "langchain-flat": langchain_flat,
    "langchain-dumpd": langchain_dumpd,
}
"""By wire format."""
