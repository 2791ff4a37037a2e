"""What stands around a list of role messages, and whose list it is.

Two wire formats use `{"role", "content"}` messages. Which one a value is in is decided by what only
one of them has, in this order; the first row that applies wins:

1. `tool_calls`, `function_call`, `tool_call_id` or the roles `tool` and `function`: openai-chat. The
   Messages API refuses each of them, while clients of openai-chat do pass foreign blocks along.
2. A block type or a body key of the Messages API (`tool_use`, `tool_result`, `thinking`, top-level
   `system`, tools with `input_schema`, ...): anthropic.
3. A `system` or `developer` message, or a block type of the Chat Completions API: openai-chat.
4. A body whose model is named `claude...` without a router's prefix: anthropic.
5. Nothing of all this (plain strings of user and assistant): openai-chat, the more widely spoken.

A list with anything in it that belongs to a third format is neither; nor is a client's own session
(`client_lists`), though its messages are those of a wire.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cenotaph.core.ids import JSON, verbatim_json
from cenotaph.core.model import Message, Transcript, Usage
from cenotaph.dialects.client_lists import of_a_client
from cenotaph.errors import DialectError
from cenotaph.limits import json_depth_max

MESSAGES_KEY = "messages"

_CHAT_KEYS = ("tool_calls", "function_call", "tool_call_id")
_CHAT_ROLES = frozenset({"tool", "function"})
_CHAT_HEAD_ROLES = frozenset({"system", "developer"})
_CHAT_BLOCKS = frozenset({"image_url", "input_audio", "file", "refusal"})
_ANTHROPIC_BLOCKS = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
        "compaction",
        "container_upload",
        "search_result",
        "image",
        "document",
    }
)
_ANTHROPIC_KEYS = (
    "system",
    "anthropic_version",
    "anthropic_beta",
    "context_management",
    "mcp_servers",
    "stop_sequences",
)
_FOREIGN_BLOCKS = frozenset({"input_text", "output_text", "input_image"})
_AI_SDK_BLOCKS = frozenset({"tool-call", "tool-result", "tool-approval-request", "tool-approval-response"})
_BODY_KEYS = ("content", "reasoning_content", "reasoning", "refusal", "audio", *_CHAT_KEYS)
_SESSION_KEYS = ("session_id", "conversation_id", "thread_id")


def wire_of(value: JSON) -> str | None:
    """The one wire format of `value`, or None: never both, so the order of asking is irrelevant.

    Args:
        value: A list of messages, or an object that holds one under `messages`.

    Returns:
        "openai-chat", "anthropic", or None if it is not a list of role messages of either.
    """
    body: Mapping[str, JSON] = {}
    messages = value
    if isinstance(value, Mapping):
        body = value
        messages = value.get(MESSAGES_KEY)
    if not isinstance(messages, list | tuple) or not all(_is_message(item) for item in messages):
        return None
    if of_a_client(value) or is_ai_sdk(value):
        return None
    blocks = {str(block.get("type")) for item in messages for block in _blocks_of(item)}
    if blocks & _FOREIGN_BLOCKS:
        return None
    if any(item["role"] in _CHAT_ROLES or any(item.get(key) for key in _CHAT_KEYS) for item in messages):
        return "openai-chat"
    if _speaks_anthropic(blocks, body):
        return "anthropic"
    if any(item.get("type") == "message" for item in messages):
        return None
    if blocks & _CHAT_BLOCKS or any(item["role"] in _CHAT_HEAD_ROLES for item in messages):
        return "openai-chat"
    model = body.get("model")
    return "anthropic" if isinstance(model, str) and model.startswith("claude") else "openai-chat"


def is_ai_sdk(value: JSON) -> bool:
    """Whether messages are the Vercel AI SDK's own: their parts, or reasoning as a part with its text.

    Args:
        value: As for `wire_of`.
    """
    messages = value.get(MESSAGES_KEY) if isinstance(value, Mapping) else value
    if not isinstance(messages, list | tuple):
        return False
    blocks = [block for item in messages if _is_message(item) for block in _blocks_of(item)]
    if any(str(block["type"]) in _AI_SDK_BLOCKS for block in blocks):
        return True
    thinks = any(block["type"] == "reasoning" and isinstance(block.get("text"), str) for block in blocks)
    return thinks and not any(item.get(key) for item in messages if _is_message(item) for key in _CHAT_KEYS)


def _is_message(item: JSON) -> bool:
    if not isinstance(item, Mapping) or not isinstance(item.get("role"), str):
        return False
    if not any(key in item for key in _BODY_KEYS):
        return False
    content = item.get("content")
    if isinstance(content, list):
        return all(isinstance(block, Mapping) and isinstance(block.get("type"), str) for block in content)
    return content is None or isinstance(content, str)


def _blocks_of(message: Mapping[str, JSON]) -> list[Mapping[str, JSON]]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _speaks_anthropic(blocks: set[str], body: Mapping[str, JSON]) -> bool:
    if blocks & _ANTHROPIC_BLOCKS or any(name.endswith("_tool_result") for name in blocks):
        return True
    if any(body.get(key) is not None for key in _ANTHROPIC_KEYS):
        return True
    tools = body.get("tools")
    if not isinstance(tools, list):
        return False
    return any(isinstance(tool, Mapping) and "input_schema" in tool for tool in tools)


def describe(value: JSON) -> str:
    """What a value is, in a few words for an error message; never its content."""
    if isinstance(value, Mapping):
        keys = ", ".join(sorted(str(key) for key in value)[:8]) or "none"
        if isinstance(value.get(MESSAGES_KEY), list):
            return f"an object with keys {keys}; messages is {describe(value[MESSAGES_KEY])}"
        return f"an object with keys {keys}"
    if isinstance(value, list | tuple):
        if not value:
            return "an empty list"
        odd = next((i for i, item in enumerate(value) if not _is_message(item)), None)
        if odd is None:
            return f"a list of {len(value)} messages"
        inner = value[odd]
        kind = describe(inner) if isinstance(inner, Mapping) else type(inner).__name__
        return f"a list of {len(value)} items whose item {odd} is {kind}"
    return f"a {type(value).__name__}"


def open_envelope(value: JSON, dialect: str) -> tuple[Sequence[JSON], Mapping[str, JSON] | None]:
    """The messages of a value and the object around them; refuses what holds no list of messages.

    Args:
        value: A list of messages, or an object that holds one under `messages`.
        dialect: Name for the error.

    Returns:
        The messages as they are, and the request object or None.

    Raises:
        DialectError: There is no list of messages, or it is nested deeper than `json_depth_max`.
    """
    request = value if isinstance(value, Mapping) else None
    messages = request.get(MESSAGES_KEY) if request is not None else value
    if not isinstance(messages, list | tuple):
        raise DialectError(
            f"{dialect} cannot read {describe(value)}.",
            next_step="Give a list of messages, or an object that holds one under `messages`.",
            dialect=dialect,
            seen=describe(value),
        )
    if not depth_within(value, json_depth_max):
        raise DialectError(
            f"{dialect} refuses JSON that is nested deeper than {json_depth_max} levels.",
            next_step="Store the deep value as a JSON string instead.",
            dialect=dialect,
            depth_max=json_depth_max,
        )
    return messages, request


def depth_within(value: JSON, levels: int) -> bool:
    """Whether containers nest at most `levels` deep; walks without recursion, so any input is safe."""
    layer = [value]
    for _ in range(levels + 1):
        below: list[JSON] = []
        for item in layer:
            if isinstance(item, Mapping):
                below.extend(x for x in item.values() if isinstance(x, Mapping | list | tuple))
            elif isinstance(item, list | tuple):
                below.extend(x for x in item if isinstance(x, Mapping | list | tuple))
        if not below:
            return True
        layer = below
    return False


def close_envelope(transcript: Transcript) -> JSON:
    """The value that a transcript came from, with its present messages in it.

    The object that came in is handed back as long as every message is still the one that came in.
    """
    raws = [message.raw for message in transcript.messages]
    request = transcript.request
    origin = transcript.source
    before = origin.get(transcript.messages_key) if isinstance(origin, Mapping) else origin
    if isinstance(before, list | tuple) and len(before) == len(raws):
        same = all(old is new for old, new in zip(before, raws, strict=True))
        if same and (not isinstance(origin, Mapping) or origin is request):
            return origin
    if isinstance(request, Mapping):
        return {**request, transcript.messages_key: raws}
    return raws


def offered_tools(request: Mapping[str, JSON] | None) -> tuple[frozenset[str] | None, str]:
    """Names of the tools that a request offers, and its definitions as JSON text.

    Names are None where the request does not list them all: no `tools` and no `functions`, or an
    entry without a name of its own (a whole MCP server).
    """
    if request is None:
        return None, ""
    lists = [request[key] for key in ("tools", "functions") if isinstance(request.get(key), list)]
    text = "".join(verbatim_json(tools).decode("utf-8") for tools in lists if tools)
    names = [_tool_name(tool) for tools in lists for tool in tools]
    if not lists or None in names:
        return None, text
    return frozenset(name for name in names if name is not None), text


def _tool_name(tool: JSON) -> str | None:
    if not isinstance(tool, Mapping):
        return None
    for holder in (tool.get("function"), tool.get("custom"), tool):
        if isinstance(holder, Mapping) and isinstance(holder.get("name"), str):
            return str(holder["name"])
    return None


def model_of(request: Mapping[str, JSON] | None) -> str | None:
    """The model that the request names, else the one that its logged response names."""
    if request is None:
        return None
    response = request.get("response")
    for holder in (request, response):
        if isinstance(holder, Mapping) and isinstance(holder.get("model"), str):
            return str(holder["model"])
    return None


def session_of(request: Mapping[str, JSON] | None) -> str | None:
    """The transcript's own id. `metadata.user_id` names a person and is never taken for one."""
    if request is None:
        return None
    for holder in (request, request.get("metadata")):
        if isinstance(holder, Mapping):
            for key in _SESSION_KEYS:
                if isinstance(holder.get(key), str) and holder[key]:
                    return str(holder[key])
    return None


def input_tokens_of(usage: JSON) -> int | None:
    """Prompt tokens including cached ones; None if the object does not say.

    `prompt_tokens` (Chat Completions) already includes cached tokens; `input_tokens` (Messages)
    counts only what was neither read from the cache nor written to it.
    """
    if not isinstance(usage, Mapping):
        return None
    if _is_count(usage.get("prompt_tokens")):
        return int(usage["prompt_tokens"])
    if not _is_count(usage.get("input_tokens")):
        return None
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(int(usage[key]) for key in keys if _is_count(usage.get(key)))


def _is_count(value: JSON) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def reported_usage(messages: Sequence[Message], request: Mapping[str, JSON] | None) -> tuple[Usage, ...]:
    """What the provider counted, for each agent message that says so and for a logged response.

    A response beside the request produced the message after the last one: its index is the length.
    """
    found: list[Usage] = []
    for index, message in enumerate(messages):
        if message.role != "assistant" or not isinstance(message.raw, Mapping):
            continue
        tokens = input_tokens_of(message.raw.get("usage"))
        if tokens is not None:
            model = message.raw.get("model")
            found.append(Usage(index, tokens, model if isinstance(model, str) else None))
    response = request.get("response") if request is not None else None
    if isinstance(response, Mapping):
        tokens = input_tokens_of(response.get("usage"))
        if tokens is not None:
            found.append(Usage(len(messages), tokens, model_of({"model": response.get("model")})))
    return tuple(found)
