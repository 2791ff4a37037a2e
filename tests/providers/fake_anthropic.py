"""Anthropic's Messages API, as strict as its rules A1 to A15 say.

What one body shows: A1 to A4, A8, A10, A11, A13 to A15, and of A9 that the text of a compaction block is
not empty. What only a memory shows:

- A5 and A6: a replayed thinking block is held against what the conversation's first request held and what
  this server answered since. A request that asks for no thinking has its blocks ignored, as the API does.
  Which binding holds is read off the model: A6 names the families and versions that bind the prefix.
- A7 and A9: a compaction block that this server wrote stands for the messages of the request that asked for
  it; what is kept behind it is checked as if they still stood there.

What no request can break, because it says what the server does: A12 (defaults of clearing), the defaults
and the pause in A11, the lookback in A13. "Send it first" in A10 is no rule of a body either, since by A9
all before a compaction block is ignored.

`A0` is the shape of a body: known roles and block types with their fields, and no blank text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from handed_out import HandedOut, Turn
from loopback import Call, Refusal, canonical

BODY_BYTES_MAX: Final = 32 * 1024 * 1024
BREAKPOINTS_MAX: Final = 4
COMPACT_TRIGGER_TOKENS_MIN: Final = 50_000

_SUMMARY_BETA: Final = "compact-2026-09-04"
_EDIT_BETA: Final = "compact-2026-01-12"
_BINDING_BETA: Final = "thinking-binding-controls-2026-08-01"

_BLOCK_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source",),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id",),
    "server_tool_use": ("id", "name", "input"),
    "web_search_tool_result": ("tool_use_id", "content"),
    "code_execution_tool_result": ("tool_use_id", "content"),
    "compaction": ("content",),
}
_ROLES: Final = frozenset({"user", "assistant", "system"})
_OF_AGENT: Final = frozenset({"thinking", "redacted_thinking", "tool_use", "server_tool_use", "compaction"})
_TOOL_BLOCKS: Final = frozenset({"tool_use", "tool_result"})
_PRESERVED: Final = {"fable": (5, 1), "mythos": (5, 1), "opus": (5, 5), "sonnet": (5, 5), "haiku": (5, 5)}
_MODEL: Final = re.compile(r"claude-(?P<family>[a-z]+)-(?P<major>\d+)-(?P<minor>\d{1,2})(?!\d)")


# What stands where ---------------------------------------------------------------------------


def blocks_of(message: Any) -> list[Any]:
    """The blocks of a message; a plain string is one text."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _is_thinking(block: Any) -> bool:
    return block["type"] in ("thinking", "redacted_thinking")


def _calls(blocks: Sequence[Any]) -> set[str]:
    return {block["id"] for block in blocks if block["type"] == "tool_use"}


def _version(model: str) -> tuple[str, tuple[int, int]]:
    """(family, (major, minor)) of a model's name; ("", (0, 0)) if it is not read."""
    found = _MODEL.search(model)
    return (found["family"], (int(found["major"]), int(found["minor"]))) if found else ("", (0, 0))


def preserves(model: str) -> bool:
    """Whether A6 holds for the model: thinking is bound to all that stood before it."""
    family, version = _version(model)
    return family in _PRESERVED and version >= _PRESERVED[family]


def _boundary(messages: Sequence[Any]) -> tuple[int, int] | None:
    """(message, block) of the latest compaction block with a summary, before which all is ignored (A9)."""
    for at in reversed(range(len(messages))):
        blocks = blocks_of(messages[at])
        for place in reversed(range(len(blocks))):
            if blocks[place]["type"] == "compaction" and blocks[place]["content"] is not None:
                return at, place
    return None


def _turns(messages: Sequence[Any]) -> list[Turn]:
    """Role and blocks of each message that is read, without cache marks."""
    edge = _boundary(messages)
    if edge is None:
        return [(m["role"], [_unmarked(b) for b in blocks_of(m)]) for m in messages]
    at, place = edge
    first = [_unmarked(b) for b in blocks_of(messages[at])[place:]]
    return [(messages[at]["role"], first), *_turns(messages[at + 1 :])]


def _unmarked(value: Any) -> Any:
    """Without cache breakpoints, which move from call to call and are no content."""
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    if isinstance(value, dict):
        return {key: _unmarked(inner) for key, inner in value.items() if key != "cache_control"}
    return value


def _head(body: Any) -> list[Any]:
    """System and tools, without deferred ones."""
    tools = [tool for tool in body.get("tools", []) if not tool.get("defer_loading")]
    return [_unmarked(body.get("system")), _unmarked(tools)]


# The rules of one body -----------------------------------------------------------------------


def _shape(body: Any) -> Iterator[Refusal]:
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        yield Refusal("A0", "model", "a string is required")
        return
    if type(body.get("max_tokens")) is not int or body["max_tokens"] < 1:
        yield Refusal("A0", "max_tokens", "a whole number above 0 is required")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield Refusal("A0", "messages", "at least one message is required")
        return
    for at, message in enumerate(messages):
        yield from _message_shape(message, f"messages.{at}")


def _message_shape(message: Any, where: str) -> Iterator[Refusal]:
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        yield Refusal("A0", where, f"a message with one of the roles {sorted(_ROLES)} is required")
        return
    odd = message.keys() - {"role", "content"}
    if odd:
        yield Refusal("A0", where, f"extra inputs are not permitted: {sorted(odd)}")
    content = message.get("content")
    if isinstance(content, str):
        if not content.strip():
            yield Refusal("A0", where, "text content must be non-empty")
    elif not isinstance(content, list) or not content:
        yield Refusal("A0", where, "content is a string or a list of blocks, not empty")
    else:
        for place, block in enumerate(content):
            yield from _block_shape(block, message["role"], f"{where}.content.{place}")


def _block_shape(block: Any, role: str, where: str) -> Iterator[Refusal]:
    kind = str(block.get("type")) if isinstance(block, dict) else ""
    if kind not in _BLOCK_FIELDS:
        yield Refusal("A0", where, f"block type {kind!r} is not known")
        return
    missing = [name for name in _BLOCK_FIELDS[kind] if name not in block]
    if missing:
        yield Refusal("A0", where, f"{kind} without {missing}")
    elif kind == "text" and not (isinstance(block["text"], str) and block["text"].strip()):
        yield Refusal("A0", where, "text content blocks must be non-empty")
    elif kind == "tool_use" and not isinstance(block["input"], dict):
        yield Refusal("A0", where, "the input of a call is an object")
    elif kind == "compaction" and block["content"] == "":
        yield Refusal("A9", where, "content is text or null, not empty")
    if kind in _OF_AGENT and role != "assistant":
        yield Refusal("A0", where, f"{kind} stands in assistant messages only")
    if kind == "tool_result":
        if role != "user":
            yield Refusal("A0", where, "tool_result stands in user messages only")
        inner = block.get("content")
        for place, part in enumerate(inner if isinstance(inner, list) else []):
            yield from _block_shape(part, role, f"{where}.content.{place}")


def _pairing(turns: Sequence[Turn], rule_open: str) -> Iterator[Refusal]:
    """A1, A2, A3; a call that nothing answers at the end is refused as `rule_open`."""
    for at, (role, blocks) in enumerate(turns):
        where = f"messages.{at}"
        called = [b["id"] for b in blocks if b["type"] == "tool_use"]
        if called:
            following: Turn = turns[at + 1] if at + 1 < len(turns) else ("", [])
            given = [b["tool_use_id"] for b in following[1] if b["type"] == "tool_result"]
            lacking = [one for one in called if given.count(one) != 1 or following[0] != "user"]
            if lacking:
                note = f"`tool_use` ids without exactly one `tool_result` block in the next message: {lacking}"
                yield Refusal("A1" if following[0] else rule_open, where, note)
        kinds = [b["type"] == "tool_result" for b in blocks]
        if kinds != sorted(kinds, reverse=True):
            yield Refusal("A2", where, "`tool_result` blocks come first in their message")
        before = _calls(turns[at - 1][1]) if at and turns[at - 1][0] == "assistant" and role == "user" else set()
        strays = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result" and b["tool_use_id"] not in before]
        if strays:
            yield Refusal("A3", where, f"unexpected `tool_use_id` found in `tool_result` blocks: {strays}")


def _tools(body: Any, turns: Sequence[Turn]) -> Iterator[Refusal]:
    if not body.get("tools") and any(b["type"] in _TOOL_BLOCKS for _, blocks in turns for b in blocks):
        yield Refusal("A4", "tools", "`tools` is required where tool blocks are")


def _marks(value: Any) -> Iterator[Any]:
    """Cache breakpoints in their order within a value."""
    if isinstance(value, list):
        for item in value:
            yield from _marks(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("cache_control", "input"):
                yield from _marks(inner)
        if value.get("cache_control") is not None:
            yield value["cache_control"]


def _cache(body: Any) -> Iterator[Refusal]:
    marks = [mark for key in ("tools", "system", "messages") for mark in _marks(body.get(key))]
    slots = len(marks) + (body.get("cache_control") is not None)
    if slots > BREAKPOINTS_MAX:
        yield Refusal("A13", "cache_control", f"{slots} breakpoints; at most {BREAKPOINTS_MAX}")
    hours = [mark.get("ttl") == "1h" for mark in marks]
    if hours != sorted(hours, reverse=True):
        yield Refusal("A13", "cache_control", "a breakpoint of 1h stands before every one of 5m")


def _betas(call: Call) -> str:
    return call.headers.get("anthropic-beta", "")


def _server_side(call: Call) -> Iterator[Refusal]:
    """A10 and A11: the server's own compaction, asked for in the body."""
    body, betas = call.body, _betas(call)
    if "compaction" in body:
        if "context_management" in body:
            yield Refusal("A10", "compaction", "cannot be combined with context_management")
        if _SUMMARY_BETA not in betas:
            yield Refusal("A10", "compaction", f"needs the beta {_SUMMARY_BETA}")
    for edit in body.get("context_management", {}).get("edits", []):
        if edit["type"] == "compact_20260112":
            if _EDIT_BETA not in betas:
                yield Refusal("A11", "context_management", f"needs the beta {_EDIT_BETA}")
            if edit.get("trigger", {}).get("value", COMPACT_TRIGGER_TOKENS_MIN) < COMPACT_TRIGGER_TOKENS_MIN:
                yield Refusal("A11", "context_management", f"the trigger is at least {COMPACT_TRIGGER_TOKENS_MIN}")


def _end(body: Any, turns: Sequence[Turn]) -> Iterator[Refusal]:
    if turns[-1][0] != "user" and "compaction" not in body and _version(body["model"])[1] >= (4, 6):
        yield Refusal("A15", f"messages.{len(turns) - 1}", "the conversation must end with a user message")


# What needs a memory -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Summary:
    """What a compaction block that went out stands for."""

    turns: Sequence[Turn]
    head: list[Any]
    model: str


@dataclass(slots=True)
class Memory:
    """One conversation: the thinking that went out, and the compaction blocks."""

    thinking: HandedOut = field(default_factory=lambda: HandedOut(_is_thinking, _calls))
    summaries: dict[str, Summary | None] = field(default_factory=dict)


def _binding(call: Call) -> str:
    """none, newest, prefix, or drop: what the request's model and its thinking settings ask for."""
    thinking = call.body.get("thinking") or {"type": "disabled"}
    if thinking["type"] == "disabled":
        return "none"
    if not preserves(call.body["model"]):
        return "newest"
    drops = thinking.get("block_binding", {}).get("prefix_mismatch_behavior") == "drop_block"
    return "drop" if drops else "prefix"


def _remembered(call: Call, turns: Sequence[Turn], memory: Memory) -> Iterator[Refusal]:
    if "block_binding" in (call.body.get("thinking") or {}) and _BINDING_BETA not in _betas(call):
        yield Refusal("A6", "thinking", f"block_binding needs the beta {_BINDING_BETA}")
    yield from _summaries(turns, memory)
    binding = _binding(call)
    if binding == "none":
        return
    yield from memory.thinking.unknown(turns, "A5")
    if binding != "drop":
        yield from memory.thinking.thawed(turns, "A5", may_strip=binding == "prefix")
    if binding == "prefix":
        yield from _prefix(call.body, turns, memory)


def _summaries(turns: Sequence[Turn], memory: Memory) -> Iterator[Refusal]:
    for at, (_, blocks) in enumerate(turns):
        for block in blocks:
            if block["type"] == "compaction" and memory.thinking.begun and canonical(block) not in memory.summaries:
                yield Refusal("A9", f"messages.{at}", "this compaction block was not written here in this form")


def _prefix(body: Any, turns: Sequence[Turn], memory: Memory) -> Iterator[Refusal]:
    """A6, or A7 where a summary of ours stands for what was before."""
    summary, whole = _unfolded(turns, memory)
    if summary is None:
        yield from memory.thinking.moved(_head(body), whole, "A6")
        return
    kept = whole[len(summary.turns) :]
    if not any(_is_thinking(block) for _, blocks in kept for block in blocks):
        return
    if not preserves(summary.model):
        yield Refusal("A7", "messages.0", "the summary's model does not preserve thinking")
    if kept[0][0] in (summary.turns[-1][0], "system"):
        yield Refusal("A7", "messages.1", "the first kept message has the role of the last summarised one, or system")
    yield from memory.thinking.moved(_head(body), whole, "A7")


def _unfolded(turns: Sequence[Turn], memory: Memory) -> tuple[Summary | None, list[Turn]]:
    """The turns with those that a compaction block at their head stands for in its place."""
    role, blocks = turns[0]
    summary = memory.summaries.get(canonical(blocks[0])) if blocks[0]["type"] == "compaction" else None
    if summary is None:
        return None, list(turns)
    rest = [(role, blocks[1:])] if blocks[1:] else []
    return summary, [*summary.turns, *rest, *turns[1:]]


# The endpoint --------------------------------------------------------------------------------


class Anthropic:
    """`POST /v1/messages`."""

    def serves(self, path: str) -> bool:
        return path == "/v1/messages"

    def memory(self) -> Memory:
        return Memory()

    def refusals(self, call: Call, memory: Memory) -> list[Refusal]:
        if call.size > BODY_BYTES_MAX:
            return [Refusal("A14", "body", f"{call.size} bytes; at most {BODY_BYTES_MAX}")]
        broken = list(_shape(call.body))
        if broken:
            return broken
        turns = _turns(call.body["messages"])
        open_at_end = "A8" if "compaction" in call.body else "A1"
        return [
            *_pairing(turns, open_at_end),
            *_tools(call.body, turns),
            *_cache(call.body),
            *_server_side(call),
            *_end(call.body, turns),
            *_remembered(call, turns, memory),
        ]

    def answer(self, call: Call, memory: Memory, number: int) -> Any:
        turns, head = _turns(call.body["messages"]), _head(call.body)
        if not memory.thinking.begun:
            found = [b for _, blocks in turns for b in blocks if b["type"] == "compaction"]
            memory.summaries = {canonical(block): None for block in found}
        memory.thinking.adopt(head, turns)
        blocks: list[Any] = [{"type": "text", "text": f"Answer {number}."}]
        reason = "end_turn"
        if "compaction" in call.body:
            blocks = [{"type": "compaction", "content": f"Summary {number}.", "encrypted_content": f"sealed-{number}"}]
            memory.summaries[canonical(blocks[0])] = Summary(turns, head, call.body["model"])
            reason = "compaction"
        elif _binding(call) != "none":
            blocks.insert(0, {"type": "thinking", "thinking": f"Thought {number}.", "signature": f"signed-{number}"})
            memory.thinking.hand_out(head, _unfolded(turns, memory)[1], blocks)
        said = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": call.body["model"]}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return {**said, "content": blocks, "stop_reason": reason, "stop_sequence": None, "usage": usage}

    def error(self, refusal: Refusal) -> tuple[Mapping[str, str], Any]:
        return {}, {"type": "error", "error": {"type": "invalid_request_error", "message": str(refusal)}}
