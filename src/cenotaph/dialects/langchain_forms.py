"""The three ways in which LangChain writes a message, and what is the same in all of them.

- `{"type", "data"}`: `messages_to_dict`;
- `{"lc": 1, "type": "constructor", "id": [..., class], "kwargs"}`: `dumpd`;
- the message's own fields: `model_dump`, LangGraph's state.

Behind this line a message is its *body*, the object with `content`, and the path to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Path, Provenance
from cenotaph.dialects.content import string_of


class Form(StrEnum):
    """A serialisation; the value is the name of its wire."""

    typed = "langchain"
    constructor = "langchain-dumpd"
    flat = "langchain-flat"


_BODY_KEYS: Final[Mapping[Form, Path]] = {Form.typed: ("data",), Form.constructor: ("kwargs",), Form.flat: ()}

_CLASSES: Final[Mapping[str, str]] = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
    "ChatMessage": "chat",
    "RemoveMessage": "remove",
}
_NAMESPACE: Final = ["langchain", "schema", "messages"]
_CHUNK: Final = "Chunk"

TYPES: Final = frozenset(_CLASSES.values())
"""Every type of message; a streamed chunk is of the type of what it is a chunk of."""

_VOICES: Final[Mapping[str, Provenance]] = {
    "human": Provenance.user,
    "ai": Provenance.agent,
    "system": Provenance.system,
    "tool": Provenance.tool,
    "function": Provenance.tool,
}
_CHAT_VOICES: Final[Mapping[str, Provenance]] = {
    "user": Provenance.user,
    "human": Provenance.user,
    "assistant": Provenance.agent,
    "ai": Provenance.agent,
    "system": Provenance.system,
    "developer": Provenance.developer,
}


def form_of(raw: JSON) -> Form | None:
    """The serialisation of one message; None if it is in none of them."""
    if not isinstance(raw, Mapping):
        return None
    if raw.get("lc") == 1 and isinstance(raw.get("id"), list):
        return Form.constructor
    if not isinstance(raw.get("type"), str):
        return None
    if isinstance(raw.get("data"), Mapping) and "content" not in raw:
        return Form.typed
    name = str(raw["type"])
    known = _CLASSES.get(name.removesuffix(_CHUNK), name) in TYPES  # its content may have been cut out
    return Form.flat if known or "content" in raw else None


def body_path(raw: JSON) -> Path:
    """Keys from a message to its body; `()` also where it is in no known form."""
    form = form_of(raw)
    return () if form is None else _BODY_KEYS[form]


def body_of(raw: JSON) -> Mapping[str, JSON] | None:
    """The object with the content; None if the value holds none, e.g. what `dumpd` could not write."""
    if form_of(raw) is None:
        return None
    body = raw
    for key in body_path(raw):
        body = body.get(key)
    return body if isinstance(body, Mapping) else None


def with_body(raw: Mapping[str, JSON], body: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """The message with another body."""
    path = body_path(raw)
    return {**raw, str(path[0]): body} if path else body


def type_of(raw: JSON) -> str:
    """`human`, `ai`, ...: as the outermost writer says it; "" where nobody does."""
    form = form_of(raw)
    if form is None:
        return ""
    if form is Form.constructor:
        path = raw["id"]
        name = string_of(path[-1]) if path else None
        return _CLASSES.get((name or "").removesuffix(_CHUNK), name or "")
    name = str(raw["type"])
    return _CLASSES.get(name.removesuffix(_CHUNK), name)


def voice_of(raw: JSON) -> Provenance:
    """Who speaks: by the type, for a `chat` message by its role; nobody unknown is taken for a person."""
    name = type_of(raw)
    body = body_of(raw) or {}
    if name == "chat":
        return _CHAT_VOICES.get(str(body.get("role")), Provenance.harness)
    kwargs = body.get("additional_kwargs")
    if name == "system" and isinstance(kwargs, Mapping) and kwargs.get("__openai_role__") == "developer":
        return Provenance.developer
    return _VOICES.get(name, Provenance.harness)


def written(form: Form, name: str, body: Mapping[str, JSON]) -> JSON:
    """A message of ours in a serialisation, with the fields that its constructor demands."""
    if form is Form.flat:
        return {**body, "type": name}
    if form is Form.typed:
        return {"type": name, "data": {**body, "type": name}}
    cls = next(cls for cls, type_name in _CLASSES.items() if type_name == name)
    return {"lc": 1, "type": "constructor", "id": [*_NAMESPACE, cls], "kwargs": {**body, "type": name}}
