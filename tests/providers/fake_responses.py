"""OpenAI's Responses API, as strict as rules O2 to O6 say.

What one body shows: O2 (read both ways: every call has its output behind it, and every output its call
before it) and half of O3 (a reasoning item with nothing of the model's behind it). What only a memory shows:

- O3: which item was returned behind which reasoning item. An item is known by its id, or else its call id;
  one that has neither is known by its whole self as what follows, and never missed as what lacks its
  reasoning, since an equal text may have come without.
- O3, O4, O6: `encrypted_content` that this server neither got in the conversation's first request nor wrote
  is refused: of a reasoning item under O3, of a compaction item under O4 if its id is known, else under O6.
- `previous_response_id` names a response that was stored (O4).

What no body shows: whether a client that chains `previous_response_id` pruned before (the rest of O4), since
what it did not send again cannot be told from what it never had. O5 is about an answer: `/v1/responses/compact`
here gives all user messages and one compaction item.

`O0` is the shape of a body: known item types with their fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from loopback import Call, Refusal, canonical

_ITEM_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "message": ("role", "content"),
    "reasoning": ("summary",),
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("call_id", "output"),
    "custom_tool_call": ("call_id", "name", "input"),
    "custom_tool_call_output": ("call_id", "output"),
    "web_search_call": ("id", "status"),
    "mcp_call": ("id", "name", "server_label", "arguments"),
    "code_interpreter_call": ("id", "container_id"),
    "mcp_approval_request": ("id", "name", "server_label", "arguments"),
    "mcp_approval_response": ("approval_request_id", "approve"),
    "compaction": ("encrypted_content",),
}
_INPUTS: Final = frozenset({"input_text", "input_image", "input_file"})
_CONTENT: Final[Mapping[str, frozenset[str]]] = {
    "user": _INPUTS,
    "system": _INPUTS,
    "developer": _INPUTS,
    "assistant": frozenset({"output_text", "refusal"}),
}
_ANSWERED: Final = ("function_call", "custom_tool_call")
_NOT_THE_MODELS: Final = frozenset(
    {"function_call_output", "custom_tool_call_output", "mcp_approval_response", "compaction"}
)


def type_of(item: Any) -> str:
    """A message may go without its type."""
    found: str = item.get("type", "message" if "role" in item else "")
    return found


def _items(body: Any) -> list[Any]:
    return [{"role": "user", "content": body["input"]}] if isinstance(body["input"], str) else body["input"]


# The rules of one body -----------------------------------------------------------------------


def _shape(body: Any) -> Iterator[Refusal]:
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        yield Refusal("O0", "model", "a string is required")
    elif not isinstance(body.get("input"), str | list) or not body["input"]:
        yield Refusal("O0", "input", "a text or a list of items is required, not empty")
    else:
        for at, item in enumerate(_items(body)):
            yield from _item_shape(item, f"input[{at}]")


def _item_shape(item: Any, where: str) -> Iterator[Refusal]:
    kind = type_of(item) if isinstance(item, dict) else ""
    if kind not in _ITEM_FIELDS:
        yield Refusal("O0", where, f"item type {kind!r} is not known")
        return
    missing = [name for name in _ITEM_FIELDS[kind] if name not in item]
    if missing:
        yield Refusal("O0", where, f"{kind} without {missing}")
    elif kind == "message":
        content = item["content"]
        known = _CONTENT.get(item["role"])
        if known is None:
            yield Refusal("O0", where, f"role {item['role']!r}: one of {sorted(_CONTENT)}")
        elif not isinstance(content, str | list):
            yield Refusal("O0", where, "content is a string or a list")
        elif isinstance(content, list) and [part for part in content if part.get("type") not in known]:
            yield Refusal("O0", where, f"content of role {item['role']} is of {sorted(known)}")
    elif kind == "function_call" and not isinstance(item["arguments"], str):
        yield Refusal("O0", where, "arguments are text")


def _pairing(items: Sequence[Any], *, chained: bool) -> Iterator[Refusal]:
    """O2; the call of an output may stand in the response that the request goes on from."""
    seen: set[tuple[str, str]] = set()
    for at, item in enumerate(items):
        kind = type_of(item)
        if kind in _ANSWERED:
            seen.add((kind, item["call_id"]))
        call = (kind.removesuffix("_output"), item.get("call_id", ""))
        if kind.endswith("_call_output") and call not in seen and not chained:
            yield Refusal("O2", f"input[{at}]", f"no tool call found for function call output {call[1]}")
    given = {(type_of(item).removesuffix("_output"), item["call_id"]) for item in items if _is_output(item)}
    for kind, call_id in sorted(seen - given):
        yield Refusal("O2", "input", f"no tool output found for {kind} {call_id}")


def _is_output(item: Any) -> bool:
    return type_of(item) in ("function_call_output", "custom_tool_call_output")


def _of_model(item: Any) -> bool:
    kind = type_of(item)
    return item["role"] == "assistant" if kind == "message" else kind not in _NOT_THE_MODELS


def _alone(items: Sequence[Any]) -> Iterator[Refusal]:
    """O3, as far as one body shows it."""
    for at, item in enumerate(items):
        if type_of(item) == "reasoning" and not (at + 1 < len(items) and _of_model(items[at + 1])):
            yield Refusal("O3", f"input[{at}]", "a reasoning item without its required following item")


# What needs a memory -------------------------------------------------------------------------


@dataclass(slots=True)
class Memory:
    """One conversation.

    Attributes:
        begun: Whether a first request was accepted.
        sealed: Encrypted contents by the kind of their item.
        known: Ids of compaction items.
        behind: For each reasoning item, by its encrypted content, the item that came behind it.
        led: For each item with an id, the reasoning before it.
        stored: Ids of responses that were stored.
    """

    begun: bool = False
    sealed: set[tuple[str, str]] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    behind: dict[str, str] = field(default_factory=dict)
    led: dict[str, str] = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)

    def take(self, items: Sequence[Any]) -> None:
        """What is in these items counts as handed out."""
        for at, item in enumerate(items):
            sealed = item.get("encrypted_content")
            if sealed is not None:
                self.sealed.add((type_of(item), sealed))
            if type_of(item) == "compaction" and "id" in item:
                self.known.add(item["id"])
            if type_of(item) == "reasoning" and at + 1 < len(items):
                follower, own = items[at + 1], _name(item)
                self.behind[own] = _name(follower)
                if _has_id(follower):
                    self.led[_name(follower)] = own


def _has_id(item: Any) -> bool:
    return "id" in item or "call_id" in item


def _name(item: Any) -> str:
    return item.get("id") or item.get("call_id") or item.get("encrypted_content") or canonical(item)


def _remembered(body: Any, items: Sequence[Any], memory: Memory) -> Iterator[Refusal]:
    previous = body.get("previous_response_id")
    if previous is not None and previous not in memory.stored:
        yield Refusal("O4", "previous_response_id", f"no stored response {previous!r}")
    if not memory.begun:
        return
    for at, item in enumerate(items):
        where, kind = f"input[{at}]", type_of(item)
        sealed = item.get("encrypted_content")
        if sealed is not None and (kind, sealed) not in memory.sealed:
            rule = "O3" if kind == "reasoning" else "O4" if item.get("id") in memory.known else "O6"
            yield Refusal(rule, where, "this encrypted content was not written here, or was changed")
        follower = memory.behind.get(_name(item)) if kind == "reasoning" else None
        if follower is not None and (at + 1 == len(items) or _name(items[at + 1]) != follower):
            yield Refusal("O3", where, "a reasoning item without the item that it was returned with")
        leader = None if kind == "reasoning" or _is_output(item) else memory.led.get(_name(item))
        if leader is not None and (not at or _name(items[at - 1]) != leader):
            yield Refusal("O3", where, f"{kind} was returned with reasoning, and is sent without it")


# The endpoint --------------------------------------------------------------------------------

_COMPACT: Final = "/v1/responses/compact"


class Responses:
    """`POST /v1/responses` and `POST /v1/responses/compact`."""

    def serves(self, path: str) -> bool:
        return path in ("/v1/responses", _COMPACT)

    def memory(self) -> Memory:
        return Memory()

    def refusals(self, call: Call, memory: Memory) -> list[Refusal]:
        broken = list(_shape(call.body))
        if broken:
            return broken
        items = _items(call.body)
        chained = call.body.get("previous_response_id") is not None
        return [*_pairing(items, chained=chained), *_alone(items), *_remembered(call.body, items, memory)]

    def answer(self, call: Call, memory: Memory, number: int) -> Any:
        items = _items(call.body)
        if not memory.begun:
            memory.begun = True
            memory.take(items)
        said = {"id": f"resp_{number}", "created_at": 0, "model": call.body["model"], "status": "completed"}
        if call.path == _COMPACT:
            humans = [item for item in items if item.get("role") == "user"]
            item = {"type": "compaction", "id": f"cmp_answer_{number}", "encrypted_content": f"sealed-{number}"}
            memory.take([item])
            return {**said, "object": "response.compaction", "output": [*humans, item]}
        text = {"type": "output_text", "text": f"Answer {number}.", "annotations": []}
        message = {"type": "message", "role": "assistant", "status": "completed", "content": [text]}
        output = [
            {"type": "reasoning", "id": f"rs_answer_{number}", "summary": [], "encrypted_content": f"signed-{number}"},
            {**message, "id": f"msg_answer_{number}"},
        ]
        memory.take(output)
        if call.body.get("store", True):
            memory.stored.add(said["id"])
        return {**said, "object": "response", "output": output}

    def error(self, refusal: Refusal) -> tuple[Mapping[str, str], Any]:
        what = {"message": str(refusal), "type": "invalid_request_error", "param": refusal.where, "code": None}
        return {}, {"error": what}
