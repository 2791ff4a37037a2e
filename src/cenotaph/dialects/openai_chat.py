"""The Chat Completions format: calls beside the content, results as messages of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach, Defect, Kind, Mark, Message, Part, Path, Provenance, Transcript
from cenotaph.core.pairing import pair
from cenotaph.dialects import openai_rules
from cenotaph.dialects.content import (
    MEDIA_BLOCKS,
    arguments_of,
    content_text,
    is_blank_text,
    json_text,
    media_in,
    media_of_content,
    pins_of,
    plain_document,
    starts_background,
    string_of,
    text_part,
)
from cenotaph.dialects.envelope import (
    close_envelope,
    model_of,
    offered_tools,
    open_envelope,
    reported_usage,
    session_of,
    wire_of,
)
from cenotaph.dialects.media import media_of
from cenotaph.dialects.outcomes import says_it_failed
from cenotaph.dialects.rule_text import found_by

ROLES: Mapping[str, Provenance] = {
    "system": Provenance.system,
    "developer": Provenance.developer,
    "user": Provenance.user,
    "assistant": Provenance.agent,
    "tool": Provenance.tool,
    "function": Provenance.tool,
}

REASONING_KEYS = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Where servers and routers put a model's reasoning beside its content."""

_SIGNATURE_KEYS = ("signature", "encrypted_content", "data")


class OpenAIChatDialect:
    """Chat-Completions requests, bare lists of messages and logs of them; `emit(parse(x)) == x`."""

    name: str = "openai-chat"

    def recognise(self, value: JSON) -> bool:
        """Whether the value is a list or request of this format; see `envelope` for who wins a tie."""
        return wire_of(value) == self.name

    def parse(self, value: JSON) -> Transcript:
        """Reads a request body, a logged request or a bare list of messages; loses nothing of it.

        Args:
            value: A list of messages, or an object that holds one under `messages`.

        Returns:
            The transcript; what is odd in the input is in `defects`.

        Raises:
            DialectError: There is no list of messages, or it is nested too deep to walk.
        """
        raws, request = open_envelope(value, self.name)
        messages, defects = _read(raws)
        names, tools_text = offered_tools(request)
        return Transcript(
            dialect=self.name,
            wire=self.name,
            messages=messages,
            request=request,
            tool_names=names,
            tools_text=tools_text,
            model=model_of(request),
            session=session_of(request),
            usage=reported_usage(messages, request),
            defects=tuple(defects),
            source=value,
        )

    def emit(self, transcript: Transcript) -> JSON:
        """The value in the shape it came in; the very object if no message was exchanged."""
        return close_envelope(transcript)

    def parse_messages(self, messages: Sequence[JSON]) -> tuple[Message, ...]:
        """The messages of a view, as `parse` would read them."""
        return _read(messages)[0]

    def page(self, text: str) -> JSON:
        return {"role": "user", "content": text}

    def tidy(self, message: JSON) -> JSON | None:
        """What is left to send of a message after blocks were cut out of it.

        Args:
            message: A message of this format; never mutated.

        Returns:
            The same object if it can be sent as it is, one without empty `tool_calls` and blank
            text blocks if it has them, None if nothing is left or only reasoning.
        """
        if not isinstance(message, Mapping):
            return message
        tidied = dict(message)
        if tidied.get("tool_calls") == []:
            del tidied["tool_calls"]
        if tidied.get("role") == "assistant" and "content" not in tidied:
            tidied["content"] = None  # clients read the key, whether or not there is something in it
        content = tidied.get("content")
        if isinstance(content, list):
            kept = [block for block in content if not is_blank_text(block)]
            if len(kept) != len(content):
                tidied["content"] = kept
            if not kept:
                tidied["content"] = "" if message.get("role") in ("tool", "function") else None
        if not openai_rules.says_something(tidied):
            return None
        return message if tidied == message else tidied

    def stand_in(self, part: Part, line: str) -> tuple[Path, JSON]:
        """A result's content becomes the line, a media block a text block."""
        if part.kind is Kind.media and part.block[:1] == ("content",):
            return part.block, {"type": "text", "text": line}
        return part.path, line

    def join(self, first: JSON, second: JSON) -> JSON | None:
        """None: messages of one role may follow one another."""
        return None

    def tool_definition(self, name: str, description: str, parameters: Mapping[str, JSON]) -> JSON:
        return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}

    def exchange(
        self, call_id: str, tool: str, arguments: Mapping[str, JSON], text: str, media: Sequence[JSON] = ()
    ) -> list[JSON]:
        call = {"id": call_id, "type": "function", "function": {"name": tool, "arguments": json_text(arguments)}}
        return [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": text},
        ]

    def holds(self, block: JSON) -> bool:
        """False: a result of this format is text."""
        return False

    def breaches(
        self, messages: Sequence[JSON], *, tools: bool | None = None, body: Mapping[str, JSON] | None = None
    ) -> list[Breach]:
        """Every rule of Chat Completions that the messages break; `tools` changes nothing here."""
        return found_by(openai_rules.checks(messages, body, tools=tools))

    def cut_breaches(self, before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
        """None: nothing in this format is bound to what stood before it."""
        return []


def _read(raws: Sequence[JSON]) -> tuple[tuple[Message, ...], list[Defect]]:
    messages: list[Message] = []
    odd: list[Defect] = []
    call_ids: set[str] = set()
    for index, raw in enumerate(raws):
        if not isinstance(raw, Mapping):
            odd.append(Defect("not-a-message", f"message {index}", "not an object; kept as it is"))
            messages.append(Message(raw, "", ()))
            continue
        role = raw.get("role")
        role = role if isinstance(role, str) else ""
        if role not in ROLES:
            odd.append(Defect("unknown-role", f"message {index}", f"role {role!r}; never taken for a person"))
        voice = ROLES.get(role, Provenance.harness)
        parts = (_result(raw, call_ids),) if voice is Provenance.tool else _parts(raw, voice)
        call_ids.update(part.call_id for part in parts if part.kind is Kind.call and part.call_id)
        messages.append(Message(raw, role, parts))
    paired, unpaired = pair(messages)
    return paired, odd + unpaired


def _result(raw: Mapping[str, JSON], call_ids: set[str]) -> Part:
    """A result message as a whole: it leaves with its message, so its block is the message itself."""
    text, images = content_text(raw.get("content"))
    failed = bool(raw.get("error")) or raw.get("is_error") is True or raw.get("status") == "error"
    failed = failed or says_it_failed(text)
    return Part(
        Kind.result,
        Provenance.tool,
        (),
        ("content",) if "content" in raw else (),
        text,
        call_id=_answers(raw, call_ids),
        tool=string_of(raw.get("name")),
        failed=failed,
        images=images,
        media=media_of_content(raw.get("content")),
        marks=pins_of(raw),
    )


def _answers(raw: Mapping[str, JSON], call_ids: set[str]) -> str | None:
    """The call id that a result message names, wherever its writer put it.

    An `id` is taken for it only if a call before it has that id: elsewhere it numbers the message.
    """
    call_id = string_of(raw.get("tool_call_id"))
    if call_id is not None:
        return call_id
    several = raw.get("tool_call_ids")
    if isinstance(several, list) and len(several) == 1:
        return string_of(several[0])
    own = string_of(raw.get("id"))
    return own if own in call_ids else None


def _parts(raw: Mapping[str, JSON], voice: Provenance) -> tuple[Part, ...]:
    """Parts in the order in which they were produced: reasoning, content, calls."""
    extra = pins_of(raw)
    parts = [_reasoning(raw[key], (key,), voice, extra) for key in REASONING_KEYS if raw.get(key)]
    parts.extend(_content(raw.get("content"), voice, extra))
    refusal = raw.get("refusal")
    if isinstance(refusal, str) and refusal:
        parts.append(Part(Kind.text, voice, ("refusal",), ("refusal",), refusal, marks=extra))
    if raw.get("audio"):
        parts.append(Part(Kind.media, voice, ("audio",), ("audio",), "", marks=extra, media=(media_of("audio/*"),)))
    calls = raw.get("tool_calls")
    if isinstance(calls, list):
        parts.extend(_call(call, ("tool_calls", i), voice, extra) for i, call in enumerate(calls))
    legacy = raw.get("function_call")
    if isinstance(legacy, Mapping):
        parts.append(_called(legacy, "arguments", ("function_call",), ("function_call",), voice, extra))
    return tuple(parts)


def _content(content: JSON, voice: Provenance, extra: frozenset[Mark]) -> list[Part]:
    at: Path = ("content",)
    if isinstance(content, str):
        return [text_part(content, voice, at, at, extra)] if content else []
    if isinstance(content, list):
        return [_block(block, ("content", i), voice, extra) for i, block in enumerate(content)]
    return [] if content is None else [Part(Kind.other, voice, at, at, json_text(content), marks=extra)]


def _block(block: JSON, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    """One part for one block; a type that is not known is kept as `other` with its whole JSON."""
    if isinstance(block, str):
        return text_part(block, voice, at, at, extra)
    if not isinstance(block, Mapping):
        return Part(Kind.other, voice, at, at, json_text(block), marks=extra)
    kind = string_of(block.get("type"))
    if kind in ("thinking", "redacted_thinking", "reasoning"):
        return _reasoning(block, at, voice, extra)
    for key in ("text", "refusal"):
        if kind == key and isinstance(block.get(key), str):
            return text_part(block[key], voice, at, (*at, key), extra)
    plain = plain_document(block)
    if plain is not None:
        return Part(Kind.text, voice, at, (*at, "source", "data"), plain, marks=extra)
    if kind in MEDIA_BLOCKS:
        return Part(Kind.media, voice, at, at, "", marks=extra, media=(media_in(block),))
    return Part(Kind.other, voice, at, at, json_text(block), marks=extra)


def _reasoning(value: JSON, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    signed = any(_is_signed(item) for item in (value if isinstance(value, list) else [value]))
    marks = extra | {Mark.signed} if signed else extra
    return Part(Kind.reasoning, voice, at, at, _reasoning_text(value), marks=marks)


def _reasoning_text(value: JSON) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_reasoning_text(item) for item in value)
    if isinstance(value, Mapping):
        for key in ("thinking", "text", "summary", "data"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return json_text(value)


def _is_signed(value: JSON) -> bool:
    return isinstance(value, Mapping) and any(bool(value.get(key)) for key in _SIGNATURE_KEYS)


def _call(call: JSON, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    """A tool call: nested as the API has it, or flat as other writers of this format have it."""
    if not isinstance(call, Mapping):
        return Part(Kind.other, voice, at, at, json_text(call), marks=extra)
    call_id = string_of(call.get("id"))
    for key, field in (("function", "arguments"), ("custom", "input")):
        inner = call.get(key)
        if isinstance(inner, Mapping):
            return _called(inner, field, at, (*at, key), voice, extra, call_id)
    field = "args" if "args" in call and "arguments" not in call else "arguments"
    return _called(call, field, at, at, voice, extra, call_id)


def _called(
    holder: Mapping[str, JSON],
    field: str,
    block: Path,
    at: Path,
    voice: Provenance,
    extra: frozenset[Mark],
    call_id: str | None = None,
) -> Part:
    text, args = arguments_of(holder.get(field))
    marks = extra | {Mark.background} if starts_background(args) else extra
    tool = string_of(holder.get("name"))
    path = (*at, field) if field in holder else block
    return Part(Kind.call, voice, block, path, text, call_id=call_id, tool=tool, args=args, marks=marks)


OPENAI_CHAT = OpenAIChatDialect()
