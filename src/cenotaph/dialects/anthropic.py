"""The Messages API of Anthropic: content blocks, results in the user's role, system text outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach, Defect, Kind, Mark, Message, Part, Path, Provenance, Transcript
from cenotaph.core.pairing import pair
from cenotaph.dialects import anthropic_rules
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
from cenotaph.dialects.outcomes import says_it_failed
from cenotaph.dialects.rule_text import found_by

ROLES: Mapping[str, Provenance] = {
    "user": Provenance.user,
    "assistant": Provenance.agent,
    "system": Provenance.system,
    "developer": Provenance.developer,
}

REFUSAL_OPENING = "The user doesn't want to proceed with this tool use."
"""How Claude Code words a person's refusal of a call; it counts only on a result marked as error."""


class AnthropicDialect:
    """Messages-API requests and bare lists of their messages; `emit(parse(x)) == x`."""

    name: str = "anthropic"

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
            preamble=_preamble(request),
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
            The same object if it can be sent as it is, one without blank text blocks if it has
            them, None if nothing is left or only reasoning, which the API refuses on its own.
        """
        if not isinstance(message, Mapping):
            return message
        content = message.get("content")
        if isinstance(content, str):
            return message if content.strip() else None
        if not isinstance(content, list):
            return None if content is None else message
        kept = [block for block in content if not is_blank_text(block)]
        if all(anthropic_rules.is_thinking(block) for block in kept):
            return None
        return message if len(kept) == len(content) else {**message, "content": kept}

    def stand_in(self, part: Part, line: str) -> tuple[Path, JSON]:
        """A result's content becomes the line, a media block a text block."""
        if part.kind is Kind.media:
            return part.block, {"type": "text", "text": line}
        return part.path, line

    def join(self, first: JSON, second: JSON) -> JSON | None:
        """None: the API itself joins messages of one role."""
        return None

    def tool_definition(self, name: str, description: str, parameters: Mapping[str, JSON]) -> JSON:
        return {"name": name, "description": description, "input_schema": parameters}

    def exchange(
        self, call_id: str, tool: str, arguments: Mapping[str, JSON], text: str, media: Sequence[JSON] = ()
    ) -> list[JSON]:
        content = [{"type": "text", "text": text}, *media]
        return [
            {"role": "assistant", "content": [{"type": "tool_use", "id": call_id, "name": tool, "input": arguments}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": content}]},
        ]

    def holds(self, block: JSON) -> bool:
        return isinstance(block, Mapping) and block.get("type") in ("image", "document")

    def breaches(
        self, messages: Sequence[JSON], *, tools: bool | None = None, body: Mapping[str, JSON] | None = None
    ) -> list[Breach]:
        """Every rule of the Messages API that the messages break; `tools` None means unknown."""
        return found_by(anthropic_rules.checks(messages, body, tools=tools))

    def cut_breaches(self, before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
        """Rules A5, A6, A7 and A9 on a cut."""
        return anthropic_rules.cut_breaches(before, after, binding)


def _preamble(request: Mapping[str, JSON] | None) -> tuple[Part, ...]:
    """The request's top-level system text; paths lead from the request."""
    system = request.get("system") if request is not None else None
    if isinstance(system, str):
        at: Path = ("system",)
        return (Part(Kind.text, Provenance.system, at, at, system),) if system else ()
    if not isinstance(system, list):
        return ()
    return tuple(
        Part(Kind.text, Provenance.system, ("system", i), ("system", i, "text"), block["text"])
        for i, block in enumerate(system)
        if isinstance(block, Mapping) and isinstance(block.get("text"), str)
    )


def _read(raws: Sequence[JSON]) -> tuple[tuple[Message, ...], list[Defect]]:
    messages: list[Message] = []
    odd: list[Defect] = []
    for index, raw in enumerate(raws):
        if not isinstance(raw, Mapping):
            odd.append(Defect("not-a-message", f"message {index}", "not an object; kept as it is"))
            messages.append(Message(raw, "", ()))
            continue
        role = raw.get("role")
        role = role if isinstance(role, str) else ""
        if role not in ROLES:
            odd.append(Defect("unknown-role", f"message {index}", f"role {role!r}; never taken for a person"))
        messages.append(Message(raw, role, _parts(raw, ROLES.get(role, Provenance.harness))))
    paired, unpaired = pair(messages)
    return paired, odd + unpaired


def _parts(raw: Mapping[str, JSON], voice: Provenance) -> tuple[Part, ...]:
    extra = pins_of(raw)
    content = raw.get("content")
    if isinstance(content, str):
        at: Path = ("content",)
        return (text_part(content, voice, at, at, extra),) if content else ()
    if content is None:
        return ()
    if not isinstance(content, list):
        return (Part(Kind.other, voice, ("content",), ("content",), json_text(content), marks=extra),)
    return tuple(_block(block, ("content", i), voice, extra) for i, block in enumerate(content))


def _block(block: JSON, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    """One part for one block; a type that is not known is kept as `other` with its whole JSON."""
    if isinstance(block, str):
        return text_part(block, voice, at, at, extra)
    if not isinstance(block, Mapping):
        return Part(Kind.other, voice, at, at, json_text(block), marks=extra)
    name = string_of(block.get("type"))
    if name == "text" and isinstance(block.get("text"), str):
        return text_part(block["text"], voice, at, (*at, "text"), extra)
    reader = _READERS.get(name) if isinstance(name, str) else None
    if reader is not None:
        return reader(block, at, voice, extra)
    if isinstance(name, str) and name.endswith("_tool_result"):
        return _server_result(block, at, voice, extra)
    if name in MEDIA_BLOCKS:
        return Part(Kind.media, voice, at, at, "", marks=extra, media=(media_in(block),))
    return Part(Kind.other, voice, at, at, json_text(block), marks=extra)


def _inside(block: Mapping[str, JSON], at: Path, key: str) -> Path:
    """Where a block's content stands; the block itself where it has none."""
    return (*at, key) if key in block else at


def _call(block: Mapping[str, JSON], at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    text, args = arguments_of(block.get("input"))
    marks = extra
    if block.get("type") != "tool_use":
        marks |= {Mark.server}
    if starts_background(args):
        marks |= {Mark.background}
    tool = string_of(block.get("name"))
    call_id = string_of(block.get("id"))
    return Part(
        Kind.call,
        voice,
        at,
        _inside(block, at, "input"),
        text,
        call_id=call_id,
        tool=tool,
        args=args,
        marks=marks,
    )


def _result(block: Mapping[str, JSON], at: Path, _voice: Provenance, extra: frozenset[Mark]) -> Part:
    text, images = content_text(block.get("content"))
    flagged = block.get("is_error") is True
    failed = flagged or (block.get("is_error") is None and says_it_failed(text))
    marks = extra
    if flagged and text.startswith(REFUSAL_OPENING):
        marks |= {Mark.rejection}
    call_id = string_of(block.get("tool_use_id"))
    path = _inside(block, at, "content")
    return Part(
        Kind.result,
        Provenance.tool,
        at,
        path,
        text,
        call_id=call_id,
        failed=failed,
        images=images,
        media=media_of_content(block.get("content")),
        marks=marks,
    )


def _server_result(block: Mapping[str, JSON], at: Path, _voice: Provenance, extra: frozenset[Mark]) -> Part:
    content = block.get("content")
    text, images = content_text(content)
    error = isinstance(content, Mapping) and str(content.get("type", "")).endswith("_error")
    return Part(
        Kind.result,
        Provenance.tool,
        at,
        _inside(block, at, "content"),
        text,
        call_id=string_of(block.get("tool_use_id")),
        failed=error or block.get("is_error") is True,
        images=images,
        media=media_of_content(content),
        marks=extra | {Mark.server},
    )


def _thinking(block: Mapping[str, JSON], at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    text = block.get("thinking", block.get("data"))
    signed = block.get("type") == "redacted_thinking" or bool(block.get("signature"))
    marks = extra | {Mark.signed} if signed else extra
    return Part(Kind.reasoning, voice, at, at, text if isinstance(text, str) else "", marks=marks)


def _compaction(block: Mapping[str, JSON], at: Path, _voice: Provenance, extra: frozenset[Mark]) -> Part:
    """A summary by the API's own compaction; without readable content it is opaque."""
    content = block.get("content")
    kind = Kind.text if isinstance(content, str) else Kind.other
    text = content if isinstance(content, str) else ""
    return Part(kind, Provenance.foreign, at, _inside(block, at, "content"), text, marks=extra | {Mark.summary})


def _document(block: Mapping[str, JSON], at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    """Media, unless its source is plain text: that is read as text and must be counted as such."""
    plain = plain_document(block)
    if plain is None:
        return Part(Kind.media, voice, at, at, "", marks=extra, media=(media_in(block),))
    return Part(Kind.text, voice, at, (*at, "source", "data"), plain, marks=extra)


_Reader = Callable[[Mapping[str, JSON], Path, Provenance, frozenset[Mark]], Part]

_READERS: Mapping[str, _Reader] = {
    "tool_use": _call,
    "server_tool_use": _call,
    "mcp_tool_use": _call,
    "tool_result": _result,
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "compaction": _compaction,
    "document": _document,
}

ANTHROPIC = AnthropicDialect()
