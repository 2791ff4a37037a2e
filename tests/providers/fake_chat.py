"""OpenAI's Chat Completions, as strict as rule O1 says.

One body shows all of it: O1 is about the order of messages, and nothing in this format is signed. `O0` is
the shape of a body: known roles, calls with id, name and arguments, content where a role needs it. Fields
of a message beyond these are let be, since servers of this format read further ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from loopback import Call, Refusal

_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})
_PARTS: Final = frozenset({"text", "image_url", "input_audio", "file", "refusal"})


def _shape(body: Any) -> Iterator[Refusal]:
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        yield Refusal("O0", "model", "a string is required")
    elif not isinstance(body.get("messages"), list) or not body["messages"]:
        yield Refusal("O0", "messages", "at least one message is required")
    else:
        for at, message in enumerate(body["messages"]):
            yield from _message_shape(message, f"messages[{at}]")


def _message_shape(message: Any, where: str) -> Iterator[Refusal]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        yield Refusal("O0", where, f"role {role!r}: one of {sorted(_ROLES)}")
        return
    content = message.get("content")
    bare = role == "assistant" and ("tool_calls" in message or message.get("refusal") is not None)
    if content is None and not bare:
        yield Refusal("O0", where, "content is required")
    if content is not None and not isinstance(content, str | list):
        yield Refusal("O0", where, "content is a string or a list of parts")
    if isinstance(content, list):
        odd = [part for part in content if not isinstance(part, dict) or part.get("type") not in _PARTS]
        if odd or not content:
            yield Refusal("O0", where, f"a list of known parts, not empty: {odd}")
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        yield Refusal("O0", where, "a tool message needs tool_call_id")
    if "tool_calls" in message:
        yield from _calls_shape(message["tool_calls"], role, where)


def _calls_shape(calls: Any, role: str, where: str) -> Iterator[Refusal]:
    if role != "assistant" or not isinstance(calls, list) or not calls:
        yield Refusal("O0", where, "tool_calls is a list, not empty, of an assistant message")
        return
    for call in calls:
        named = call.get(call.get("type"), {})
        said = named.get("arguments") if call.get("type") == "function" else named.get("input")
        if not isinstance(call.get("id"), str) or not isinstance(named.get("name"), str) or not isinstance(said, str):
            yield Refusal("O0", where, f"a call needs id, type, name and arguments as text: {call}")


def _pairing(messages: Sequence[Any]) -> Iterator[Refusal]:
    waiting: list[str] = []
    for at, message in enumerate(messages):
        where = f"messages[{at}]"
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                yield Refusal("O1", where, "a tool message answers one call of the assistant message before it, once")
            else:
                waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            yield Refusal("O1", where, f"tool_call_ids without a tool message before any other: {waiting}")
        waiting = [call["id"] for call in message.get("tool_calls", [])]
    if waiting:
        yield Refusal("O1", "messages", f"tool_call_ids did not have response messages: {waiting}")


class Chat:
    """`POST /v1/chat/completions`."""

    def serves(self, path: str) -> bool:
        return path == "/v1/chat/completions"

    def memory(self) -> None:
        return None

    def refusals(self, call: Call, memory: None) -> list[Refusal]:
        return list(_shape(call.body)) or list(_pairing(call.body["messages"]))

    def answer(self, call: Call, memory: None, number: int) -> Any:
        message = {"role": "assistant", "content": f"Answer {number}.", "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        said = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 0, "model": call.body["model"]}
        return {**said, "choices": [choice]}

    def error(self, refusal: Refusal) -> tuple[Mapping[str, str], Any]:
        what = {"message": str(refusal), "type": "invalid_request_error", "param": refusal.where, "code": None}
        return {}, {"error": what}
