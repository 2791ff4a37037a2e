"""Bedrock's Converse, as strict as rules B1 to B4 say.

What one body shows: B1, B2, and B4 (a body that asks for one of Anthropic's compaction mechanisms). What only
a memory shows: B3, that reasoning goes back as it was returned. For a model that binds its reasoning to all
that stood before it (rule A6, by the model's name in the path) B3 also means that nothing there changed, but
not where `additionalModelRequestFields` asks for `drop_block`. Without `thinking` in those fields reasoning is
not looked at.

Strict alternation (B1) is read as beginning with the user. `B0` is the shape of a body: known blocks, no blank
text, and `toolConfig` where tool blocks are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from handed_out import HandedOut, Turn
from loopback import Call, Refusal

_PATH: Final = re.compile(r"/model/(?P<model>[^/]+)/converse")
_BLOCKS: Final = frozenset(
    {"text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint"}
    | {"reasoningContent", "citationsContent", "searchResult"}
)
_RESULT_BLOCKS: Final = frozenset({"text", "json", "image", "document", "video", "searchResult"})
_OF_AGENT: Final = frozenset({"toolUse", "reasoningContent", "citationsContent"})
_BINDS: Final = re.compile(r"claude-(?:(?:fable|mythos)-5-[1-9]|(?:opus|sonnet|haiku)-5-[5-9])")
_COMPACTION: Final = frozenset({"compaction", "context_management"})


def _is_reasoning(block: Any) -> bool:
    return "reasoningContent" in block


def _calls(blocks: Sequence[Any]) -> set[str]:
    return {block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block}


def _turns(body: Any) -> list[Turn]:
    """Role and blocks of each message, without cache points."""
    return [(m["role"], [b for b in m["content"] if "cachePoint" not in b]) for m in body["messages"]]


def _head(body: Any) -> list[Any]:
    tools = (body.get("toolConfig") or {}).get("tools", [])
    return [part for part in (*body.get("system", []), *tools) if "cachePoint" not in part]


# The rules of one body -----------------------------------------------------------------------


def _shape(body: Any) -> Iterator[Refusal]:
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list) or not messages:
        yield Refusal("B0", "messages", "at least one message is required")
        return
    for at, message in enumerate(messages):
        where = f"messages.{at}"
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            yield Refusal("B0", where, "the role is user or assistant")
        elif not isinstance(message.get("content"), list) or not message["content"]:
            yield Refusal("B0", where, "the content field is empty, or no list")
        else:
            for place, block in enumerate(message["content"]):
                yield from _block_shape(block, message["role"], f"{where}.content.{place}")
    if not (body.get("toolConfig") or {}).get("tools") and not _plain(messages):
        yield Refusal("B0", "toolConfig", "must be defined where toolUse and toolResult blocks are used")


def _plain(messages: Sequence[Any]) -> bool:
    blocks = [b for m in messages if isinstance(m, dict) for b in m.get("content", []) if isinstance(b, dict)]
    return not any("toolUse" in block or "toolResult" in block for block in blocks)


def _block_shape(block: Any, role: str, where: str) -> Iterator[Refusal]:
    kinds = list(block) if isinstance(block, dict) else []
    if len(kinds) != 1 or kinds[0] not in _BLOCKS:
        yield Refusal("B0", where, f"one member of the union is set: {kinds}")
        return
    if kinds[0] in _OF_AGENT and role != "assistant":
        yield Refusal("B0", where, f"{kinds[0]} stands in assistant messages only")
    if kinds[0] == "text" and not block["text"].strip():
        yield Refusal("B0", where, "the text field is blank")
    if kinds[0] == "toolUse" and not isinstance(block["toolUse"].get("input"), dict):
        yield Refusal("B0", where, "the input of a call is an object")
    if kinds[0] == "toolResult":
        if role != "user":
            yield Refusal("B0", where, "toolResult stands in user messages only")
        for part in block["toolResult"]["content"]:
            if len(part) != 1 or not part.keys() & _RESULT_BLOCKS:
                yield Refusal("B0", where, f"one member of the union is set: {list(part)}")
            elif not part.get("text", "x").strip():
                yield Refusal("B0", where, "the text field is blank")


def _order(turns: Sequence[Turn]) -> Iterator[Refusal]:
    """B1 and B2."""
    for at, (role, blocks) in enumerate(turns):
        where = f"messages.{at}"
        if role != ("user", "assistant")[at % 2]:
            yield Refusal("B1", where, "roles alternate, beginning with the user")
        called = _calls(blocks)
        following = turns[at + 1][1] if at + 1 < len(turns) else []
        given = [b["toolResult"]["toolUseId"] for b in following if "toolResult" in b]
        lacking = [one for one in sorted(called) if given.count(one) != 1]
        if lacking:
            yield Refusal("B1", where, f"the results of a turn stand in the one next message, each once: {lacking}")
        own = [b["toolResult"]["toolUseId"] for b in blocks if "toolResult" in b]
        strays = [one for one in own if not at or one not in _calls(turns[at - 1][1])]
        if strays:
            yield Refusal("B2", where, f"toolResult ids that are no toolUse id of the previous turn: {strays}")


def _mechanisms(fields: Mapping[str, Any]) -> Iterator[Refusal]:
    asked = sorted(_COMPACTION & fields.keys())
    if asked:
        yield Refusal("B4", "additionalModelRequestFields", f"{asked}: compaction is not available through Converse")


# The endpoint --------------------------------------------------------------------------------


def _binding(call: Call) -> str:
    """none, newest, prefix, or drop."""
    thinking = call.body.get("additionalModelRequestFields", {}).get("thinking") or {"type": "disabled"}
    if thinking["type"] == "disabled":
        return "none"
    if not _BINDS.search(call.path):
        return "newest"
    drops = thinking.get("block_binding", {}).get("prefix_mismatch_behavior") == "drop_block"
    return "drop" if drops else "prefix"


class Bedrock:
    """`POST /model/{modelId}/converse`."""

    def serves(self, path: str) -> bool:
        return _PATH.fullmatch(path) is not None

    def memory(self) -> HandedOut:
        return HandedOut(_is_reasoning, _calls)

    def refusals(self, call: Call, memory: HandedOut) -> list[Refusal]:
        broken = list(_shape(call.body))
        if broken:
            return broken
        turns, binding = _turns(call.body), _binding(call)
        found = [*_order(turns), *_mechanisms(call.body.get("additionalModelRequestFields", {}))]
        if binding != "none":
            found += memory.unknown(turns, "B3")
        if binding in ("newest", "prefix"):
            found += memory.thawed(turns, "B3", may_strip=binding == "prefix")
        return found + (memory.moved(_head(call.body), turns, "B3") if binding == "prefix" else [])

    def answer(self, call: Call, memory: HandedOut, number: int) -> Any:
        turns, head = _turns(call.body), _head(call.body)
        memory.adopt(head, turns)
        blocks: list[Any] = [{"text": f"Answer {number}."}]
        if _binding(call) != "none":
            thought = {"text": f"Thought {number}.", "signature": f"signed-{number}"}
            blocks.insert(0, {"reasoningContent": {"reasoningText": thought}})
            memory.hand_out(head, turns, blocks)
        usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
        message = {"role": "assistant", "content": blocks}
        return {"output": {"message": message}, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}}

    def error(self, refusal: Refusal) -> tuple[Mapping[str, str], Any]:
        return {"x-amzn-ErrorType": "ValidationException"}, {"message": str(refusal)}
