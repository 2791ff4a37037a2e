"""Pydantic AI's message history, as its `ModelMessagesTypeAdapter` writes it.

A history is a list of requests and responses, each with parts. Results stand in the request after
their response, beside what a person says. `instructions` on a request are system text that the agent
puts in anew for each run; each request repeats them and only the newest are sent, so they are read
once, as text outside the messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach, Defect, Kind, Message, Part, Path, Provenance, Transcript, Usage
from cenotaph.core.pairing import pair
from cenotaph.dialects import pydantic_ai_rules
from cenotaph.dialects.content import string_of
from cenotaph.dialects.envelope import close_envelope, model_of, offered_tools, open_envelope, session_of
from cenotaph.dialects.pydantic_ai_parts import is_media, parts_of
from cenotaph.dialects.rule_text import found_by

_KINDS = ("request", "response")


class PydanticAIDialect:
    """Histories of Pydantic AI, bare or under `messages`; `emit(parse(x)) == x`."""

    name: str = "pydantic-ai"

    def recognise(self, value: JSON) -> bool:
        """Whether the value is a list of requests and responses with parts, or an object that holds one."""
        messages = value.get("messages") if isinstance(value, Mapping) else value
        return isinstance(messages, list | tuple) and bool(messages) and all(map(_is_message, messages))

    def parse(self, value: JSON) -> Transcript:
        """Reads a history; loses nothing of it.

        Args:
            value: A list of messages, or an object that holds one under `messages`.

        Returns:
            The transcript; what is odd in the input is in `defects`. `session` is the newest
            `conversation_id`.

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
            preamble=_instructions(raws, request),
            request=request,
            tool_names=names,
            tools_text=tools_text,
            model=model_of(request) or _newest(raws, "response", "model_name"),
            session=session_of(request) or _newest(raws, None, "conversation_id"),
            usage=tuple(_usage(raws)),
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
        return {"parts": [{"content": text, "part_kind": "user-prompt"}], "kind": "request"}

    def tidy(self, message: JSON) -> JSON | None:
        """What is left to send of a message after parts were cut out of it.

        Args:
            message: A message of this format; never mutated.

        Returns:
            The same object if it can be sent as it is, one without blank texts, empty prompts and
            cache points that lost what they marked if it has them, None if nothing is left or only
            reasoning.
        """
        if not isinstance(message, Mapping) or not isinstance(message.get("parts"), list):
            return message
        parts = message["parts"]
        kept = [tidied for tidied in map(_tidied, parts) if tidied is not None]
        if all(_kind_of(part) == "thinking" for part in kept):
            return None
        same = len(kept) == len(parts) and all(new is old for new, old in zip(kept, parts, strict=True))
        return message if same else {**message, "parts": kept}

    def stand_in(self, part: Part, line: str) -> tuple[Path, JSON]:
        """Content becomes the line; media become text: an item of a prompt, or a part of its own."""
        if part.path != part.block or part.kind not in (Kind.media, Kind.other, Kind.text):
            return part.path, line
        if len(part.block) > len(("parts", 0)):
            return part.block, line
        kind = "text" if part.provenance is Provenance.agent else "user-prompt"
        return part.block, {"content": line, "part_kind": kind}

    def join(self, first: JSON, second: JSON) -> JSON | None:
        """None: the client joins requests that follow one another itself."""
        return None

    def tool_definition(self, name: str, description: str, parameters: Mapping[str, JSON]) -> JSON:
        """A `ToolDefinition` of the client."""
        return {"name": name, "description": description, "parameters_json_schema": parameters}

    def exchange(
        self, call_id: str, tool: str, arguments: Mapping[str, JSON], text: str, media: Sequence[JSON] = ()
    ) -> list[JSON]:
        """A response with the call and a request with its result."""
        content: JSON = [text, *(block for block in media if self.holds(block))] if media else text
        call = {"tool_name": tool, "args": arguments, "tool_call_id": call_id, "part_kind": "tool-call"}
        result = {"tool_name": tool, "content": content, "tool_call_id": call_id, "part_kind": "tool-return"}
        return [{"parts": [call], "kind": "response"}, {"parts": [result], "kind": "request"}]

    def holds(self, block: JSON) -> bool:
        """Media items of a prompt may stand in a result as they are."""
        return is_media(block)

    def breaches(
        self, messages: Sequence[JSON], *, tools: bool | None = None, body: Mapping[str, JSON] | None = None
    ) -> list[Breach]:
        """Every rule that the messages break; `tools` changes nothing here."""
        return found_by(pydantic_ai_rules.checks(messages, body, tools=tools))

    def cut_breaches(self, before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
        """None: what is replayed is bound by the provider behind it, and checked in its own format."""
        return []


def _is_message(item: JSON) -> bool:
    if not isinstance(item, Mapping) or item.get("kind") not in _KINDS or "role" in item:
        return False
    parts = item.get("parts")
    return isinstance(parts, list) and all(_kind_of(part) is not None for part in parts)


def _kind_of(part: JSON) -> str | None:
    return string_of(part.get("part_kind")) if isinstance(part, Mapping) else None


def _read(raws: Sequence[JSON]) -> tuple[tuple[Message, ...], list[Defect]]:
    messages: list[Message] = []
    odd: list[Defect] = []
    for index, raw in enumerate(raws):
        if not isinstance(raw, Mapping):
            odd.append(Defect("not-a-message", f"message {index}", "not an object; kept as it is"))
            messages.append(Message(raw, "", ()))
            continue
        kind = string_of(raw.get("kind")) or ""
        if kind not in _KINDS:
            odd.append(Defect("unknown-role", f"message {index}", f"kind {kind!r}; never taken for a person"))
        messages.append(Message(raw, kind, parts_of(raw)))
    paired, unpaired = pair(messages)
    return paired, odd + unpaired


def _instructions(raws: Sequence[JSON], request: Mapping[str, JSON] | None) -> tuple[Part, ...]:
    """The instructions of the newest request that has some; all earlier ones are not sent any more."""
    for index in range(len(raws) - 1, -1, -1):
        raw = raws[index]
        text = raw.get("instructions") if isinstance(raw, Mapping) and raw.get("kind") == "request" else None
        if isinstance(text, str) and text:
            at: Path = (index, "instructions") if request is None else ("messages", index, "instructions")
            return (Part(Kind.text, Provenance.system, at, at, text),)
    return ()


def _newest(raws: Sequence[JSON], kind: str | None, key: str) -> str | None:
    """The newest non-empty value of a field, of messages of a kind or of all."""
    for raw in reversed(raws):
        if isinstance(raw, Mapping) and kind in (None, raw.get("kind")) and string_of(raw.get(key)) is not None:
            return string_of(raw.get(key))
    return None


def _usage(raws: Sequence[JSON]) -> list[Usage]:
    """What the provider counted; 0 is the client's word for unknown. Cached tokens are in the count."""
    found: list[Usage] = []
    for index, raw in enumerate(raws):
        usage = raw.get("usage") if isinstance(raw, Mapping) and raw.get("kind") == "response" else None
        if not isinstance(usage, Mapping):
            continue
        tokens = usage.get("input_tokens", usage.get("request_tokens"))
        if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0:
            found.append(Usage(index, tokens, string_of(raw.get("model_name"))))
    return found


def _tidied(part: JSON) -> JSON | None:
    """A part that can be sent, None if nothing of it is left."""
    kind = _kind_of(part)
    content = part.get("content") if isinstance(part, Mapping) else None
    if kind in ("text", "user-prompt") and isinstance(content, str):
        return part if content.strip() else None
    if kind != "user-prompt" or not isinstance(content, list):
        return part
    kept: list[JSON] = []
    for item in content:
        blank = isinstance(item, str) and not item.strip()
        stray = pydantic_ai_rules.is_cache_point(item) and (not kept or pydantic_ai_rules.is_cache_point(kept[-1]))
        if not blank and not stray:
            kept.append(item)
    if not kept:
        return None
    return part if len(kept) == len(content) else {**part, "content": kept}


PYDANTIC_AI = PydanticAIDialect()
