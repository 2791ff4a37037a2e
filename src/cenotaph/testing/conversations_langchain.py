"""Hostile conversations of LangChain, in each of its serialisations: what the providers behind it would take.

Each is a conversation of `strategies.transcripts("openai-chat")`, said in the client's words, with
what only this format has: one call written down two or three times, calls whose arguments don't
parse, signed reasoning in several shapes, tools that a provider runs, media in results, artifacts,
notices that a feature of the client put in, `chat` messages.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Literal

from cenotaph.core.ids import JSON
from cenotaph.dialects.langchain_forms import Form, written
from cenotaph.testing.strategies import generate

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

FormName = Literal["langchain", "langchain-dumpd", "langchain-flat"]

__all__ = ["FormName", "generate_langchain", "langchain_conversations"]

_PIXEL = "iVBORw0KGgo="
_IMAGES: tuple[JSON, ...] = (
    {"type": "image", "base64": _PIXEL, "mime_type": "image/png"},
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_PIXEL}", "detail": "low"}},
    {"type": "image", "source_type": "url", "url": "https://example.com/a.png"},
)
_COPIES: tuple[tuple[str, ...], ...] = ((), ("content",), ("raw",), ("content", "raw"), ("chunks",))


class _Teller:
    """Says a Chat-Completions conversation in this format, with choices of its own."""

    def __init__(self, rng: Random, form: Form) -> None:
        self.rng = rng
        self.form = form
        self.copies = rng.choice(_COPIES)
        self.issued = 0

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def tell(self, messages: list[JSON]) -> list[JSON]:
        return [self._message(message) for message in messages]

    def _message(self, message: JSON) -> JSON:
        role = message["role"]
        if role == "assistant":
            return self._agent(message)
        if role == "tool":
            return self._result(message)
        if role == "user":
            return self._person(message["content"])
        developer = {"additional_kwargs": {"__openai_role__": "developer"}} if role == "developer" else {}
        return self._written("system", {"content": message["content"], **developer})

    def _written(self, name: str, body: dict[str, JSON]) -> JSON:
        """With the fields that a dump has, or without those that it may leave out."""
        self.issued += 1
        whole: dict[str, JSON] = {
            "additional_kwargs": {},
            "response_metadata": {},
            "name": None,
            "id": f"m{self.issued}",
        }
        return written(self.form, name, {**whole, **body} if self.chance(70) else body)

    def _person(self, content: JSON) -> JSON:
        blocks = [block["text"] for block in content if "text" in block] if isinstance(content, list) else None
        if self.chance(3):
            return self._written("chat", {"content": "\n".join(blocks) if blocks else content, "role": "user"})
        if blocks is None and self.chance(75):
            notice = {"additional_kwargs": {"lc_source": "async_subagent"}} if self.chance(5) else {}
            return self._written("human", {"content": content, **notice})
        texts: list[JSON] = [{"type": "text", "text": text} for text in blocks or [content]]
        images = [dict(self.rng.choice(_IMAGES))] if self.chance(50) else []
        return self._written("human", {"content": [*texts, *images]})

    def _result(self, message: JSON) -> JSON:
        body = {"content": message["content"], "tool_call_id": message["tool_call_id"]}
        if self.chance(10):
            text = message["content"] if isinstance(message["content"], str) else message["content"][0]["text"]
            body["content"] = [{"type": "text", "text": text or "-"}, dict(self.rng.choice(_IMAGES))]
        if self.chance(60):
            body |= {"name": message.get("name"), "artifact": {"stdout": "whole"}, "status": "success"}
        elif self.chance(10):
            body["status"] = "error"
        return self._written("tool", body)

    def _agent(self, message: JSON) -> JSON:
        blocks: list[JSON] = []
        kwargs: dict[str, JSON] = {}
        if "reasoning_content" in message:
            self._think(message["reasoning_content"], blocks, kwargs)
        if self.chance(5):
            blocks += self._searched()
        text = message.get("content") or ""
        calls = message.get("tool_calls", [])
        body: dict[str, JSON] = {"content": text}
        if message.get("refusal"):
            kwargs["refusal"] = message["refusal"]
        if blocks or isinstance(text, list) or (calls and "content" in self.copies):
            body["content"] = [*blocks, *([{"type": "text", "text": text}] if isinstance(text, str) and text else [])]
            body["content"] += text if isinstance(text, list) else []
        self._list(calls, body, kwargs)
        return self._written("ai", {**body, "additional_kwargs": kwargs})

    def _think(self, text: str, blocks: list[JSON], kwargs: dict[str, JSON]) -> None:
        self.issued += 1
        shapes: tuple[JSON, ...] = (
            {"type": "thinking", "thinking": text, "signature": f"EqQB{self.issued}"},
            {"type": "reasoning", "reasoning": text},
            {"type": "reasoning", "reasoning": text, "extras": {"signature": f"EqQB{self.issued}"}},
            {"type": "reasoning_content", "reasoning_content": {"text": text, "signature": f"EqQB{self.issued}"}},
        )
        if self.chance(25):
            kwargs["reasoning_content"] = text
        else:
            blocks.append(self.rng.choice(shapes))

    def _searched(self) -> list[JSON]:
        self.issued += 1
        call_id = f"srv_{self.issued}"
        return [
            {"type": "server_tool_call", "id": call_id, "name": "web_search", "args": {"query": "x"}},
            {"type": "server_tool_result", "tool_call_id": call_id, "status": "success", "output": ["hit"]},
        ]

    def _list(self, calls: list[JSON], body: dict[str, JSON], kwargs: dict[str, JSON]) -> None:
        """The calls: parsed where they parse, and again wherever this conversation's adapter puts them."""
        good: list[JSON] = []
        torn: list[JSON] = []
        for call in calls:
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            if arguments.endswith("}"):
                good.append({"name": name, "args": json.loads(arguments), "id": call["id"], "type": "tool_call"})
            else:
                same = {"name": name, "args": arguments, "id": call["id"], "error": None}
                torn.append({**same, "type": "invalid_tool_call"})
        body |= {"tool_calls": good, "invalid_tool_calls": torn, "usage_metadata": None}
        if calls and "raw" in self.copies:
            kwargs["tool_calls"] = calls
        if good and "content" in self.copies:
            body["content"] += [
                {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]} for call in good
            ]
        if calls and "chunks" in self.copies:
            body["tool_call_chunks"] = [
                {"name": call["function"]["name"], "args": call["function"]["arguments"], "id": call["id"], "index": at}
                for at, call in enumerate(calls)
            ]


def _told(rng: Random, form: str, size: int) -> list[JSON]:
    return _Teller(rng, Form(form)).tell(generate("openai-chat", rng.randrange(1 << 30), size))


def generate_langchain(form: FormName, seed: int, size: int = 8) -> list[JSON]:
    """Messages that the client would take, however odd; the same for the same arguments.

    Args:
        form: The serialisation, by the name of its wire.
        seed: Any integer.
        size: About how many calls and turns; at most 300 calls stand in one turn.
    """
    return _told(Random(seed), form, size)


def langchain_conversations(form: FormName | None = None, *, size_max: int = 20) -> SearchStrategy[list[JSON]]:
    """A Hypothesis strategy of what `generate_langchain` makes; needs the `test` extra.

    Args:
        form: The serialisation; None draws one for each conversation.
        size_max: Largest `size` that is drawn.
    """
    from hypothesis import strategies as st

    forms = st.sampled_from([one.value for one in Form]) if form is None else st.just(form)
    return st.builds(_told, st.randoms(use_true_random=False), forms, st.integers(min_value=0, max_value=size_max))
