"""LangChain's messages as plain JSON, and back as the very objects that came in.

The plain form is that of `messages_to_dict`, without what a provider is never sent or what changes when a message
enters the state: ids (None before LangGraph's reducer), artifacts of tools, reported usage.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import BaseMessage, message_chunk_to_message, messages_from_dict
from langchain_core.messages.base import BaseMessageChunk

from cenotaph.errors import InputError

__all__ = ["Ledger", "plain_message"]

_SHARED: Final = ("content", "additional_kwargs", "name")
_OWN: Final[Mapping[str, tuple[str, ...]]] = {
    "ai": ("tool_calls", "invalid_tool_calls"),
    "AIMessageChunk": ("tool_calls", "invalid_tool_calls"),
    "tool": ("tool_call_id", "status"),
    "ToolMessageChunk": ("tool_call_id", "status"),
    "function": (),
    "chat": ("role",),
    "ChatMessageChunk": ("role",),
}
"""Type of message -> the fields that it has beside the shared ones and that a model is sent."""

_SCALARS: Final = (str, int, float, bool, type(None))


def plain_message(message: BaseMessage) -> dict[str, Any]:
    """One message as JSON.

    Args:
        message: Any message; never changed. What is no JSON beside its content (`additional_kwargs`) is named by its
            type; bytes in content are base64.

    Raises:
        InputError: Its content or the arguments of a call hold what no request can carry.
    """
    data: dict[str, Any] = {"type": message.type}
    for field in _fields_of(message):
        value = getattr(message, field)
        try:
            data[field] = _plain(value, strict=field != "additional_kwargs")
        except TypeError as error:
            raise InputError(
                f"a message of type {message.type!r} has in {field!r} {error}, which is no JSON.",
                next_step="Write it as text, or keep it in the message's artifact.",
                field=field,
            ) from None
    metadata = message.response_metadata
    data["response_metadata"] = {key: value for key, value in metadata.items() if isinstance(value, _SCALARS)}
    return {"type": message.type, "data": data}


def _fields_of(message: BaseMessage) -> tuple[str, ...]:
    return (*_SHARED, *_OWN.get(message.type, ()))


def _plain(value: Any, *, strict: bool) -> Any:
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(child, strict=strict) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(child, strict=strict) for child in value]
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii")
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if strict:
        raise TypeError(f"a {name}")
    return {"type": name}


@dataclass(frozen=True, slots=True)
class _Known:
    """A message, the values of its fields when it was read, and its plain form."""

    message: BaseMessage
    values: tuple[Any, ...]
    plain: dict[str, Any]

    def still_of(self, message: BaseMessage) -> bool:
        """Whether it is this message, and no field of it was set since."""
        if message is not self.message:
            return False
        fields = _fields_of(message)
        return all(getattr(message, field) is value for field, value in zip(fields, self.values, strict=True))


class Ledger:
    """The messages of one conversation, each with the one JSON value that stands for it.

    A message that comes again has the same JSON object, so that a session knows its history by identity, and a
    view's messages are the caller's own. Reading costs a comparison for each message, and the making of JSON only
    for those that are new.
    """

    def __init__(self) -> None:
        self._known: list[_Known] = []
        self.fresh: list[BaseMessage] = []
        """What the newest `read` had not seen at its place before."""

    def read(self, messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
        """The plain form of each message.

        Raises:
            InputError: As `plain_message`.
        """
        before = self._known
        self.fresh, known = [], list[_Known]()
        for index, message in enumerate(messages):
            there = before[index] if index < len(before) else None
            if there is None or not there.still_of(message):
                there = self._taken(message, there)
            known.append(there)
        self._known = known
        return [one.plain for one in known]

    def _taken(self, message: BaseMessage, there: _Known | None) -> _Known:
        plain = plain_message(message)
        if there is not None and there.plain == plain:
            plain = there.plain  # read from a checkpoint again
        else:
            self.fresh.append(message)
        return _Known(message, tuple(getattr(message, field) for field in _fields_of(message)), plain)

    def restored(self, view: Sequence[Mapping[str, Any]]) -> list[BaseMessage]:
        """The messages of a view of what was last read.

        Returns:
            For what no cut touched the very objects that were read; for what was changed a copy of the object with
            the changes, where its call tells which it was; else a new message.
        """
        own = {id(one.plain): one.message for one in self._known}
        if all(id(raw) in own for raw in view):
            return [own[id(raw)] for raw in view]
        by_call = {key: one for one in self._known for key in _call_keys(one.plain)}
        odd = [one for one in self._known if _holds_bytes(one.message.content)]
        return [own[id(raw)] if id(raw) in own else _rebuilt(raw, by_call, odd) for raw in view]


def _call_keys(plain: Mapping[str, Any]) -> list[tuple[str, str]]:
    """By what a message can be found again when it was changed: its kind and the ids of its calls."""
    data = plain["data"]
    if isinstance(data.get("tool_call_id"), str):
        return [("result", data["tool_call_id"])]
    calls = [*(data.get("tool_calls") or ()), *(data.get("invalid_tool_calls") or ())]
    return [("call", call["id"]) for call in calls if isinstance(call.get("id"), str)]


def _holds_bytes(content: Any) -> bool:
    if isinstance(content, bytes | bytearray):
        return True
    children = content.values() if isinstance(content, Mapping) else content if isinstance(content, list) else ()
    return any(_holds_bytes(child) for child in children)


def _rebuilt(
    raw: Mapping[str, Any], by_call: Mapping[tuple[str, str], _Known], odd: Sequence[_Known]
) -> BaseMessage:
    found = next((by_call[key] for key in _call_keys(raw) if key in by_call), None)
    found = found or next((one for one in odd if _shares_block(raw, one.plain)), None)
    if found is None or raw["type"] != found.plain["type"]:
        return messages_from_dict([dict(raw)])[0]
    message, plain = found.message, found.plain["data"]
    changes = {}
    for field in _fields_of(message):
        value = raw["data"].get(field, type(message).model_fields[field].get_default(call_default_factory=True))
        if value != plain[field]:
            changes[field] = _natural(value, plain[field], getattr(message, field))
    if isinstance(message, BaseMessageChunk):
        message = message_chunk_to_message(message)
    return message.model_copy(update=changes)


def _shares_block(raw: Mapping[str, Any], plain: Mapping[str, Any]) -> bool:
    blocks, others = raw["data"].get("content"), plain["data"]["content"]
    if raw["type"] != plain["type"] or not isinstance(blocks, list) or not isinstance(others, list):
        return False
    return any(isinstance(block, Mapping) and block in others for block in blocks)


def _natural(value: Any, plain: Any, own: Any) -> Any:
    """The value, with the message's own blocks (and the bytes in them) where they stand in it unchanged."""
    if not isinstance(value, list) or not isinstance(plain, list) or not isinstance(own, list):
        return value
    return [own[plain.index(item)] if item in plain else item for item in value]
