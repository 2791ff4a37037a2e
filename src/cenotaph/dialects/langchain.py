"""LangChain's messages, in each of its three serialisations, and LangGraph's state around them.

A list stays in the serialisation that it came in: there is one wire for each, and all of them read
every one. Calls may be written down several times; see `langchain_calls`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach, Defect, Kind, Message, Part, Path, Transcript, Usage
from cenotaph.core.pairing import pair
from cenotaph.dialects import langchain_rules
from cenotaph.dialects.content import is_blank_text, string_of
from cenotaph.dialects.envelope import close_envelope, model_of, offered_tools, open_envelope, session_of
from cenotaph.dialects.langchain_forms import TYPES, Form, body_of, form_of, type_of, with_body, written
from cenotaph.dialects.langchain_parts import REASONING_BLOCKS, is_media, parts_of
from cenotaph.dialects.rule_text import found_by

_STATE_KEY: Final = "values"
"""Where a snapshot of LangGraph's state holds its values, `messages` among them."""


class LangChainWire:
    """One serialisation of LangChain's messages."""

    def __init__(self, form: Form) -> None:
        """Make the wire.

        Args:
            form: What a page and an exchange of ours are written in.
        """
        self.form = form
        self.name: str = form.value

    def parse_messages(self, messages: Sequence[JSON]) -> tuple[Message, ...]:
        """The messages of a view, as `parse` would read them."""
        return _read(messages)[0]

    def page(self, text: str) -> JSON:
        return written(self.form, "human", {"content": text})

    def tidy(self, message: JSON) -> JSON | None:
        """What is left to send of a message after blocks were cut out of it.

        Args:
            message: A message of any serialisation; never mutated.

        Returns:
            The same object if it can be sent as it is; one with empty text for content that is gone,
            without blank texts and an empty list of raw calls if it has them; None if nothing is left
            or only reasoning.
        """
        body = body_of(message)
        if body is None:
            return message
        tidied = _with_content(_without_blanks(_without_empty_calls(body)))
        content = tidied["content"]
        thought = isinstance(content, list) and all(map(_is_reasoning, content))
        spoken = {**tidied, "content": ""} if thought else tidied
        if not langchain_rules.says_something(type_of(message), spoken):
            return None
        return message if tidied is body else with_body(message, tidied)

    def stand_in(self, part: Part, line: str) -> tuple[Path, JSON]:
        """A result's content becomes the line, a block of the content that is no text a text block."""
        if part.kind in (Kind.media, Kind.other) and part.path == part.block and len(part.block) > 1:
            in_list = isinstance(part.block[-1], int)
            return part.block, {"type": "text", "text": line} if in_list else line
        return part.path, line

    def join(self, first: JSON, second: JSON) -> JSON | None:
        """None: messages of one type may follow one another; adapters join them where a provider must have it."""
        return None

    def tool_definition(self, name: str, description: str, parameters: Mapping[str, JSON]) -> JSON:
        """As `bind_tools` takes it."""
        return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}

    def exchange(
        self, call_id: str, tool: str, arguments: Mapping[str, JSON], text: str, media: Sequence[JSON] = ()
    ) -> list[JSON]:
        """An `ai` message with the call and a `tool` message with its result."""
        held = [block for block in media if self.holds(block)]
        call = {"name": tool, "args": arguments, "id": call_id, "type": "tool_call"}
        content: JSON = [{"type": "text", "text": text}, *held] if held else text
        return [
            written(self.form, "ai", {"content": "", "tool_calls": [call]}),
            written(self.form, "tool", {"content": content, "name": tool, "tool_call_id": call_id}),
        ]

    def holds(self, block: JSON) -> bool:
        """A result's content may hold every media block."""
        return is_media(block)

    def breaches(
        self, messages: Sequence[JSON], *, tools: bool | None = None, body: Mapping[str, JSON] | None = None
    ) -> list[Breach]:
        """Every rule that the messages break; `tools` changes nothing here."""
        return found_by(langchain_rules.checks(messages, body, tools=tools))

    def cut_breaches(self, before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
        """None: what is replayed is bound by the provider behind it, and checked in its own format."""
        return []


class LangChainDialect:
    """Lists of LangChain messages, states and snapshots that hold one; `emit(parse(x)) == x`."""

    name: str = "langchain"

    def recognise(self, value: JSON) -> bool:
        """Whether the value is a list of messages in one serialisation, or holds one; see `_is_list`."""
        return _is_list(_messages_in(value))

    def parse(self, value: JSON) -> Transcript:
        """Reads a list, an object with `messages`, a snapshot of LangGraph's state or its history.

        Args:
            value: As said. Of a history (the newest snapshot first) the newest is read.

        Returns:
            The transcript; what is odd in the input is in `defects`. `wire` is the serialisation.

        Raises:
            DialectError: There is no list of messages, or it is nested too deep to walk.
        """
        request = value if isinstance(value, Mapping) and _STATE_KEY not in value else None
        found = _messages_in(value)
        raws, _ = open_envelope(value if found is None else found, self.name)
        open_envelope(raws if request is None else request, self.name)
        messages, defects = _read(raws)
        names, tools_text = offered_tools(request)
        form = next((form for form in map(form_of, raws) if form is not None), Form.typed)
        usage = tuple(_usage(raws))
        return Transcript(
            dialect=self.name,
            wire=form.value,
            messages=messages,
            request=request,
            tool_names=names,
            tools_text=tools_text,
            model=model_of(request) or next((item.model for item in reversed(usage) if item.model), None),
            session=session_of(request) or _thread_id(value),
            usage=usage,
            defects=tuple(defects),
            source=value,
        )

    def emit(self, transcript: Transcript) -> JSON:
        """The value in the shape it came in; the very object if no message was exchanged."""
        origin = transcript.source
        inner = _messages_in(origin)
        if transcript.request is not None or inner is origin or inner is None:
            return close_envelope(transcript)
        raws = [message.raw for message in transcript.messages]
        if len(raws) == len(inner) and all(old is new for old, new in zip(inner, raws, strict=True)):
            return origin
        newest = origin if isinstance(origin, Mapping) else origin[0]
        snapshot = {**newest, _STATE_KEY: {**newest[_STATE_KEY], transcript.messages_key: raws}}
        return snapshot if isinstance(origin, Mapping) else [snapshot, *origin[1:]]


# Around the messages -------------------------------------------------------------------------


def _messages_in(value: JSON) -> Sequence[JSON] | None:
    """The list of messages: the value itself, under `messages`, or in the newest snapshot of a state."""
    if isinstance(value, list | tuple):
        newest = value[0] if value else None
        return _messages_in(newest) if isinstance(newest, Mapping) and _is_snapshot(newest) else value
    if not isinstance(value, Mapping):
        return None
    holder = value[_STATE_KEY] if _is_snapshot(value) else value
    messages = holder.get("messages")
    return messages if isinstance(messages, list | tuple) else None


def _is_snapshot(value: Mapping[str, JSON]) -> bool:
    values = value.get(_STATE_KEY)
    return isinstance(values, Mapping) and isinstance(values.get("messages"), list) and "type" not in value


def _is_list(messages: Sequence[JSON] | None) -> bool:
    """Whether every item is a message in the form of the first, and one has what only LangChain writes.

    `chat` messages alone have a role as well and are left to the format of role messages.
    """
    if not messages:
        return False
    form = form_of(messages[0])
    if form is None or any(form_of(message) is not form for message in messages):
        return False
    if form is Form.constructor:
        return any(type_of(message) in TYPES for message in messages)
    if any(type_of(message) not in TYPES or body_of(message) is None for message in messages):
        return False
    if form is Form.typed:
        return all("content" in message["data"] for message in messages)
    own = any(type_of(message) in ("human", "ai", "remove") or "additional_kwargs" in message for message in messages)
    return own and not all(isinstance(message.get("role"), str) for message in messages)


def _thread_id(value: JSON) -> str | None:
    """The thread that a snapshot belongs to."""
    newest = value[0] if isinstance(value, list | tuple) and value else value
    for key in ("config", "configurable"):
        newest = newest.get(key) if isinstance(newest, Mapping) else None
    return string_of(newest.get("thread_id")) if isinstance(newest, Mapping) else None


def _usage(raws: Sequence[JSON]) -> list[Usage]:
    """What the provider counted; `input_tokens` is the sum of all kinds of input tokens."""
    found: list[Usage] = []
    for index, raw in enumerate(raws):
        body = body_of(raw) if type_of(raw) == "ai" else None
        usage = body.get("usage_metadata") if body is not None else None
        tokens = usage.get("input_tokens") if isinstance(usage, Mapping) else None
        if body is None or not isinstance(tokens, int) or isinstance(tokens, bool) or tokens <= 0:
            continue
        metadata = body.get("response_metadata")
        named = [metadata.get(key) for key in ("model_name", "model")] if isinstance(metadata, Mapping) else []
        found.append(Usage(index, tokens, next((name for name in named if isinstance(name, str)), None)))
    return found


# The messages --------------------------------------------------------------------------------


def _read(raws: Sequence[JSON]) -> tuple[tuple[Message, ...], list[Defect]]:
    messages: list[Message] = []
    odd: list[Defect] = []
    for index, raw in enumerate(raws):
        name = type_of(raw)
        if body_of(raw) is None:
            odd.append(Defect("not-a-message", f"message {index}", "in no serialisation of LangChain; kept as it is"))
        elif name not in TYPES:
            odd.append(Defect("unknown-role", f"message {index}", f"type {name!r}; never taken for a person"))
        elif name == "remove":
            note = "removes another message from the state; kept, and removed nothing here"
            odd.append(Defect("state-update", f"message {index}", note))
        messages.append(Message(raw, name, parts_of(raw) if isinstance(raw, Mapping) else ()))
    paired, unpaired = pair(messages)
    return paired, odd + unpaired


def _is_reasoning(block: JSON) -> bool:
    return isinstance(block, Mapping) and string_of(block.get("type")) in REASONING_BLOCKS


def _is_blank(block: JSON) -> bool:
    return not block.strip() if isinstance(block, str) else is_blank_text(block)


def _without_blanks(body: Mapping[str, JSON]) -> Mapping[str, JSON]:
    content = body.get("content")
    if not isinstance(content, list) or not any(map(_is_blank, content)):
        return body
    return {**body, "content": [block for block in content if not _is_blank(block)]}


def _with_content(body: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Content is a field that the constructor demands; a call and a result may go without text."""
    return {"content": "", **body} if body.get("content") is None else body


def _without_empty_calls(body: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """An empty list of raw calls would be sent as it is, and no provider takes it."""
    kwargs = body.get("additional_kwargs")
    if not isinstance(kwargs, Mapping) or kwargs.get("tool_calls") != []:
        return body
    return {**body, "additional_kwargs": {key: value for key, value in kwargs.items() if key != "tool_calls"}}


LANGCHAIN = LangChainDialect()

WIRES: Final[Mapping[str, LangChainWire]] = {form.value: LangChainWire(form) for form in Form}
"""One wire per serialisation, by name."""
