"""The Responses format: each item is a message, and an output of the model is a run of items.

What a value is goes by its structure: the key `input` (or `output` of a response object), item types
and block types that no other format has. An `input` that is a string is one user message.

A request with `previous_response_id` or `conversation` is only the newest piece of what the model is
sent: the server holds the rest. That is a defect `partial-log`; outputs that answer calls which stand
on the server are kept, unpaired, as results of their own, and only what stands here is counted and cut.

The API reads nothing that stands before the newest `compaction` item, where that item replaced agent
items: those are marked `summarized`. What `/responses/compact` returns is user messages and then one
such item; there the messages before it were kept, not replaced. The item itself is opaque, readable
only by its maker (O4, O6), and never leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach, Defect, Kind, Mark, Message, Part, Path, Provenance, Transcript
from cenotaph.core.pairing import pair
from cenotaph.dialects import responses_rules
from cenotaph.dialects.content import blocks_of, json_text, role_of, string_of
from cenotaph.dialects.envelope import (
    close_envelope,
    depth_within,
    describe,
    model_of,
    offered_tools,
    reported_usage,
    session_of,
    wire_of,
)
from cenotaph.dialects.openai_responses_items import (
    COMPACTIONS,
    KNOWN_TYPES,
    ROLES,
    TEXT_TYPES,
    answers,
    is_agent_item,
    item_parts,
    kind_of,
)
from cenotaph.dialects.openai_responses_outputs import ending_of
from cenotaph.dialects.rule_text import found_by
from cenotaph.errors import DialectError
from cenotaph.limits import json_depth_max

__all__ = ["OPENAI_RESPONSES", "OpenAIResponsesDialect", "read_items"]

_BLOCK_SIGNS: Final = frozenset({"input_text", "output_text", "input_image", "input_file"})
_BODY_SIGNS: Final = frozenset(
    {
        "background",
        "context_management",
        "conversation",
        "include",
        "max_output_tokens",
        "max_tool_calls",
        "parallel_tool_calls",
        "previous_response_id",
        "prompt",
        "reasoning",
        "store",
        "text",
        "tool_choice",
        "tools",
        "truncation",
    }
)
_OTHER_ENDPOINTS: Final = ("dimensions", "encoding_format", "voice")
"""Keys of requests to other endpoints (embeddings, speech) whose `input` is text as well."""
_RESPONSE_OBJECTS: Final = ("response", "response.compaction")
_SESSION_TOOLS: Final = frozenset({"exec_command", "write_stdin"})


class OpenAIResponsesDialect:
    """Requests to the Responses API, responses of it, and bare lists of items; `emit(parse(x)) == x`."""

    name: str = "openai-responses"

    def recognise(self, value: JSON) -> bool:
        """Whether the value is a list of items, a request or a response of this format."""
        if isinstance(value, Mapping):
            key = _key_of(value)
            if key is None or "messages" in value:
                return False
            held = value[key]
            if isinstance(held, str) or held == []:
                return _is_request(value)
            return isinstance(held, list | tuple) and _are_items(held) and wire_of(_as_list(held)) in (None, _PLAIN)
        if not isinstance(value, list | tuple) or not value or not _are_items(value):
            return False
        return wire_of(_as_list(value)) is None and any(_is_sign(item) for item in value)

    def parse(self, value: JSON) -> Transcript:
        """Reads a request body, a logged request or response, or a bare list of items; loses nothing of it.

        Args:
            value: A list of items; an object that holds one, or a string, under `input`; a response
                object with `output`.

        Returns:
            The transcript; what is odd in the input is in `defects`.

        Raises:
            DialectError: There are no items, or they are nested too deep to walk.
        """
        raws, request, key = _open(value)
        messages, defects = _read(raws)
        _, tools_text = offered_tools(request)
        return Transcript(
            dialect=self.name,
            wire=self.name,
            messages=messages,
            preamble=_preamble(request),
            request=request,
            messages_key=key,
            tool_names=_offered(request),
            tools_text=tools_text,
            model=model_of(request),
            session=_session_of(request),
            usage=reported_usage(messages, request),
            defects=(*_partial(request), *defects),
            source=value,
        )

    def emit(self, transcript: Transcript) -> JSON:
        """The value in the shape it came in; the very object if no item was exchanged."""
        origin = transcript.source
        held = origin.get(transcript.messages_key) if isinstance(origin, Mapping) else None
        if isinstance(held, str) and [message.raw for message in transcript.messages] == [_from_text(held)]:
            return origin
        return close_envelope(transcript)

    def parse_messages(self, messages: Sequence[JSON]) -> tuple[Message, ...]:
        """The items of a view, as `parse` would read them."""
        return _read(messages)[0]

    def page(self, text: str) -> JSON:
        return _from_text(text)

    def tidy(self, message: JSON) -> JSON | None:
        """What is left to send of a message item after blocks were cut out of it; any other item as it is.

        Args:
            message: An item; never mutated.

        Returns:
            The same object if it can be sent as it is, one without blank text blocks if it has them,
            None if nothing is left to say.
        """
        if kind_of(message) not in ("message", "agent_message"):
            return message
        content = message.get("content")
        if isinstance(content, str):
            return message if content.strip() else None
        if not isinstance(content, list):
            return None if content is None else message
        kept = [block for block in content if not _is_blank(block)]
        if not kept:
            return None
        return message if len(kept) == len(content) else {**message, "content": kept}

    def stand_in(self, part: Part, line: str) -> tuple[Path, JSON]:
        """A result's output becomes the line; a media block a text block of its speaker."""
        if part.kind is Kind.media:
            kind = "output_text" if part.provenance is Provenance.agent else "input_text"
            return part.block, {"type": kind, "text": line}
        return part.path, line

    def join(self, first: JSON, second: JSON) -> JSON | None:
        """None: items of one role may follow one another."""
        return None

    def tool_definition(self, name: str, description: str, parameters: Mapping[str, JSON]) -> JSON:
        return {"type": "function", "name": name, "description": description, "parameters": parameters}

    def exchange(
        self, call_id: str, tool: str, arguments: Mapping[str, JSON], text: str, media: Sequence[JSON] = ()
    ) -> list[JSON]:
        output: JSON = [{"type": "input_text", "text": text}, *media] if media else text
        return [
            {"type": "function_call", "call_id": call_id, "name": tool, "arguments": json_text(arguments)},
            {"type": "function_call_output", "call_id": call_id, "output": output},
        ]

    def holds(self, block: JSON) -> bool:
        return isinstance(block, Mapping) and string_of(block.get("type")) in ("input_image", "input_file")

    def breaches(
        self, messages: Sequence[JSON], *, tools: bool | None = None, body: Mapping[str, JSON] | None = None
    ) -> list[Breach]:
        """Every rule of the Responses API that the items break; `tools` changes nothing here."""
        return found_by(responses_rules.checks(messages, body, tools=tools))

    def cut_breaches(self, before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
        """Rules O3 and O4 on replayed items; reasoning is bound to its item only, whatever `binding` says."""
        return responses_rules.replay_breaches(before, after)


# Around the items ----------------------------------------------------------------------------

_PLAIN: Final = "openai-chat"
"""What `wire_of` calls a list that no format can be told from; under `input` it is this format's."""


def _as_list(items: Sequence[JSON]) -> JSON:
    return items if isinstance(items, list) else list(items)


def _key_of(value: Mapping[str, JSON]) -> str | None:
    """The key under which an object holds its items; None if it is no request and no response."""
    if isinstance(value.get("input"), str | list | tuple):
        return "input"
    if value.get("object") in _RESPONSE_OBJECTS and isinstance(value.get("output"), list | tuple):
        return "output"
    return None


def _is_request(value: Mapping[str, JSON]) -> bool:
    """A body whose items say nothing: it has a key of this API, or a model and no key of another endpoint."""
    if any(value.get(key) is not None for key in _BODY_SIGNS):
        return True
    return isinstance(value.get("model"), str) and not any(key in value for key in _OTHER_ENDPOINTS)


def _are_items(items: Sequence[JSON]) -> bool:
    return all(kind_of(item) and not _is_foreign(item) for item in items) and (
        any(_is_sign(item) or kind_of(item) == "message" for item in items)
    )


def _is_foreign(item: Mapping[str, JSON]) -> bool:
    """A line of some client's log, which has the item or message inside it, or a message of another format."""
    if any(isinstance(item.get(key), Mapping) for key in ("payload", "message", "data")):
        return True
    return item.get("role") in ("tool", "function") or any(item.get(key) for key in ("tool_calls", "tool_call_id"))


def _is_sign(item: JSON) -> bool:
    """An item that no other format has: by its type and the fields that go with it, or by its blocks."""
    kind = kind_of(item)
    if kind == "message":
        typed = item.get("type") == "message" and isinstance(item.get("role"), str) and "content" in item
        return typed or any(string_of(block.get("type")) in _BLOCK_SIGNS for block in blocks_of(item))
    if kind == "reasoning":
        return "summary" in item or "encrypted_content" in item
    if kind in COMPACTIONS:
        return "encrypted_content" in item
    if kind == "item_reference":
        return "id" in item
    return kind in KNOWN_TYPES and any(key in item for key in ("call_id", "id", "approval_request_id"))


def _open(value: JSON) -> tuple[Sequence[JSON], Mapping[str, JSON] | None, str]:
    """The items of a value, the object around them, and the key under which it holds them."""
    request = value if isinstance(value, Mapping) else None
    key = "input" if request is None else _key_of(request) or "input"
    items = value if request is None else request.get(key)
    if isinstance(items, str) and request is not None:
        items = [_from_text(items)]
    if not isinstance(items, list | tuple):
        raise DialectError(
            f"openai-responses cannot read {describe(value)}.",
            next_step="Give a list of items, a request body with `input`, or a response with `output`.",
            dialect="openai-responses",
            seen=describe(value),
        )
    if not depth_within(value, json_depth_max):
        raise DialectError(
            f"openai-responses refuses JSON that is nested deeper than {json_depth_max} levels.",
            next_step="Store the deep value as a JSON string instead.",
            dialect="openai-responses",
            depth_max=json_depth_max,
        )
    return items, request, key


def _from_text(text: str) -> JSON:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def _preamble(request: Mapping[str, JSON] | None) -> tuple[Part, ...]:
    """The request's `instructions`; the path leads from the request."""
    held = request.get("instructions") if request is not None else None
    if not held:
        return ()
    at: Path = ("instructions",)
    kind = Kind.text if isinstance(held, str) else Kind.other
    text = held if isinstance(held, str) else json_text(held)
    return (Part(kind, Provenance.system, at, at, text),)


def _offered(request: Mapping[str, JSON] | None) -> frozenset[str] | None:
    """Names of the tools that a request offers; None if it lists none, or a whole server's without names."""
    tools = request.get("tools") if request is not None else None
    if not isinstance(tools, list):
        return None
    names: set[str] = set()
    for tool in tools:
        kind = string_of(tool.get("type")) if isinstance(tool, Mapping) else None
        name = string_of(tool.get("name")) if isinstance(tool, Mapping) else None
        if kind in ("mcp", "namespace", "tool_search") or (kind is None and name is None):
            return None
        names.add(str(name or kind))
    return frozenset(names)


def _session_of(request: Mapping[str, JSON] | None) -> str | None:
    conversation = request.get("conversation") if request is not None else None
    if isinstance(conversation, Mapping):
        conversation = conversation.get("id")
    return string_of(conversation) or session_of(request)


def _partial(request: Mapping[str, JSON] | None) -> list[Defect]:
    """Says so where the server holds what came before: it can be neither read nor cut here."""
    if request is None or "input" not in request:
        return []
    for key in ("previous_response_id", "conversation"):
        if request.get(key):
            note = f"`{key}` is given: the server holds what came before; only what stands here is read and cut"
            return [Defect("partial-log", "request", note)]
    return []


def _is_blank(block: JSON) -> bool:
    if not isinstance(block, Mapping) or string_of(block.get("type")) not in TEXT_TYPES:
        return False
    text = block.get("text")
    return isinstance(text, str) and not text.strip()


# Items ---------------------------------------------------------------------------------------


def read_items(items: Sequence[JSON]) -> tuple[tuple[Message, ...], list[Defect]]:
    """One message per item, and what was odd; see `OpenAIResponsesDialect.parse`."""
    return _read(items)


def _read(raws: Sequence[JSON]) -> tuple[tuple[Message, ...], list[Defect]]:
    odd: list[Defect] = []
    messages: list[Message] = []
    replaced = _replaced_before(raws)
    aliases: dict[str, str] = {}
    unknown: dict[str, int] = {}
    for index, raw in enumerate(raws):
        kind = kind_of(raw)
        if not kind:
            odd.append(Defect("not-an-item", f"message {index}", "neither a type nor a role; kept as it is"))
            messages.append(Message(raw, "", ()))
            continue
        if kind not in KNOWN_TYPES:
            unknown.setdefault(kind, index)
        if kind == "message" and role_of(raw) not in ROLES:
            note = f"role {raw.get('role')!r}; never taken for a person"
            odd.append(Defect("unknown-role", f"message {index}", note))
        parts = _alias(item_parts(raw), raw, kind, aliases)
        if kind == "reasoning":
            parts = _bound(parts, raws, index, odd)
        if index < replaced:
            parts = tuple(replace(part, marks=part.marks | {Mark.summarized}) for part in parts)
        continues = index > 0 and is_agent_item(raw) and is_agent_item(raws[index - 1])
        messages.append(Message(raw, _role_of(raw, kind), parts, continues=continues))
    for kind, index in unknown.items():
        odd.append(Defect("unknown-item", f"message {index}", f"item type {kind!r}; kept, never cut"))
    paired, unpaired = pair(messages)
    return _with_sessions(paired), odd + unpaired


def _role_of(raw: Mapping[str, JSON], kind: str) -> str:
    if kind == "message":
        return role_of(raw)
    if answers(raw):
        return "tool"
    return "assistant" if is_agent_item(raw) else ""


def _replaced_before(raws: Sequence[JSON]) -> int:
    """Index of the newest compaction item if it replaced agent items that stand here; else 0."""
    newest = next((i for i in range(len(raws) - 1, -1, -1) if kind_of(raws[i]) in COMPACTIONS), 0)
    replaced = any(is_agent_item(raw) or answers(raw) for raw in raws[:newest])
    return newest if replaced else 0


def _bound(parts: tuple[Part, ...], raws: Sequence[JSON], index: int, odd: list[Defect]) -> tuple[Part, ...]:
    """Reasoning is bound to the item of its output that follows it (O3)."""
    if index + 1 < len(raws) and is_agent_item(raws[index + 1]):
        return tuple(replace(part, marks=part.marks | {Mark.bound}) for part in parts)
    odd.append(Defect("dangling-reasoning", f"message {index}", "no item of its output follows; kept as it is"))
    return parts


def _alias(parts: tuple[Part, ...], raw: Mapping[str, JSON], kind: str, aliases: dict[str, str]) -> tuple[Part, ...]:
    """An output of the local shell may name its call by the item's id instead of the call's."""
    if kind == "local_shell_call" and parts[0].call_id is not None:
        aliases[str(raw.get("id"))] = parts[0].call_id
    if kind == "local_shell_call_output":
        return tuple(replace(part, call_id=aliases.get(str(part.call_id), part.call_id)) for part in parts)
    return parts


def _with_sessions(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Marks what command sessions leave running: the client's output names the session, a later one its end."""
    calls: dict[str | None, Part] = {}
    marked: list[Message] = []
    for message in messages:
        parts = message.parts
        if len(parts) == 1 and parts[0].kind is Kind.call:
            calls[parts[0].call_id] = parts[0]
        elif len(parts) == 1 and parts[0].kind is Kind.result:
            call = calls.get(parts[0].call_id)
            if call is not None and call.tool in _SESSION_TOOLS:
                parts = (_session_part(parts[0], call),)
        marked.append(message if parts is message.parts else replace(message, parts=parts))
    return tuple(marked)


def _session_part(part: Part, call: Part) -> Part:
    ending = ending_of(part.text)
    asked = (call.args or {}).get("session_id")
    if ending.session is not None:
        starts = frozenset({Mark.background}) if call.tool == "exec_command" else frozenset[Mark]()
        return replace(part, live_ids=(ending.session,), marks=part.marks | starts)
    if ending.code is not None and isinstance(asked, str | int):
        return replace(part, ended_ids=(str(asked),))
    return part


OPENAI_RESPONSES = OpenAIResponsesDialect()
