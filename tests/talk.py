"""Small transcripts for tests, in the words of the Messages API and of Chat Completions."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def thinking(words: str, signature: str = "sig") -> Json:
    return {"type": "thinking", "thinking": words, "signature": signature}


def call(identity: str, tool: str, **arguments: Any) -> Json:
    return {"type": "tool_use", "id": identity, "name": tool, "input": arguments}


def image(data: str = "iVBORw0KGgo=") -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def human(*content: Any) -> Json:
    """A person's message: one string, or blocks."""
    if len(content) == 1 and isinstance(content[0], str):
        return {"role": "user", "content": content[0]}
    return {"role": "user", "content": list(content)}


def agent(*blocks: Any) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def answer(identity: str, content: Any = "ok", **fields: Any) -> Json:
    """One result block."""
    return {"type": "tool_result", "tool_use_id": identity, "content": content, **fields}


def result(identity: str, content: Any = "ok", **fields: Any) -> Json:
    """A message that holds one result."""
    return {"role": "user", "content": [answer(identity, content, **fields)]}


def results(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


# Chat Completions ----------------------------------------------------------------------------


def said(role: str, content: Any, **fields: Any) -> Json:
    return {"role": role, "content": content, **fields}


def calls(*named: tuple[str, str, Json], content: str | None = None, **fields: Any) -> Json:
    """An agent message with calls: (id, tool, arguments) each."""
    made = [
        {"id": identity, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        for identity, tool, arguments in named
    ]
    return {"role": "assistant", "content": content, "tool_calls": made, **fields}


def returned(identity: str, content: Any, **fields: Any) -> Json:
    return {"role": "tool", "tool_call_id": identity, "content": content, **fields}
