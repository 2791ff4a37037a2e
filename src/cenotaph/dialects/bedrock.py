"""Bedrock's Converse: blocks told apart by their only key, strictly alternating roles.

Read is JSON as a log or a proxy holds it: bytes in it are base64 text. A live request of an SDK holds
raw bytes, which no JSON has; it is refused by name, and goes through once they are encoded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach, Defect, Kind, Mark, Media, Message, Part, Path, Provenance, Transcript, Usage
from cenotaph.core.pairing import pair
from cenotaph.dialects import bedrock_rules
from cenotaph.dialects.content import (
    arguments_of,
    blocks_of,
    json_text,
    pins_of,
    role_of,
    starts_background,
    string_of,
    text_part,
)
from cenotaph.dialects.envelope import MESSAGES_KEY, close_envelope, open_envelope, session_of
from cenotaph.dialects.media import media_of
from cenotaph.dialects.outcomes import says_it_failed
from cenotaph.dialects.rule_text import found_by
from cenotaph.errors import DialectError

ROLES: Mapping[str, Provenance] = {"user": Provenance.user, "assistant": Provenance.agent}

BLOCK_KEYS = frozenset(
    {
        "text",
        "image",
        "document",
        "video",
        "audio",
        "toolUse",
        "toolResult",
        "reasoningContent",
        "cachePoint",
        "guardContent",
        "citationsContent",
        "searchResult",
    }
)
"""What a block may hold, one of it; the names that this package knows."""

_MEDIA_KEYS = ("image", "document", "video", "audio")
_HELD_BY_RESULTS = ("image", "document", "video")
_DOCUMENT_MIMES: Mapping[str, str] = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "html": "text/html",
    "txt": "text/plain",
    "md": "text/markdown",
}


class BedrockDialect:
    """Converse requests and bare lists of their messages; `emit(parse(x)) == x`."""

    name: str = "bedrock-converse"

    def recognise(self, value: JSON) -> bool:
        """Whether the value is a list of messages of this format, or an object that holds one.

        No block has a `type`, by which every other format with `content` lists tells its blocks apart,
        and one block at least has a key of this API.
        """
        messages = value.get(MESSAGES_KEY) if isinstance(value, Mapping) else value
        if not isinstance(messages, list | tuple) or not all(map(_is_message, messages)):
            return False
        return any(BLOCK_KEYS & block.keys() for message in messages for block in message["content"])

    def parse(self, value: JSON) -> Transcript:
        """Reads a request body, a logged request or a bare list of messages; loses nothing of it.

        Args:
            value: A list of messages, or an object that holds one under `messages`.

        Returns:
            The transcript; what is odd in the input is in `defects`.

        Raises:
            DialectError: There is no list of messages, it is nested too deep to walk, or it holds raw bytes.
        """
        raws, request = open_envelope(value, self.name)
        messages, defects = _read(raws)
        names, tools_text = _offered_tools(request)
        model = string_of(request.get("modelId")) if request is not None else None
        return Transcript(
            dialect=self.name,
            wire=self.name,
            messages=messages,
            preamble=_preamble(request),
            request=request,
            tool_names=names,
            tools_text=tools_text,
            model=model,
            session=session_of(request),
            usage=_usage(request, len(messages), model),
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
        return {"role": "user", "content": [{"text": text}]}

    def tidy(self, message: JSON) -> JSON | None:
        """What is left to send of a message after blocks were cut out of it.

        Args:
            message: A message of this format; never mutated.

        Returns:
            The same object if it can be sent as it is, one without blank text blocks if it has them, None
            if nothing is left, or only reasoning or cache points.
        """
        if not isinstance(message, Mapping):
            return message
        content = message.get("content")
        if not isinstance(content, list):
            return None if content is None else message
        kept = [block for block in content if not (bedrock_rules.is_blank_text(block) and _is_text(block["text"]))]
        if all(bedrock_rules.is_reasoning(block) or _is_cache_point(block) for block in kept):
            return None
        return message if len(kept) == len(content) else {**message, "content": kept}

    def stand_in(self, part: Part, line: str) -> tuple[Path, JSON]:
        """A result keeps its id and status and holds the line alone; media and cited text become a text block."""
        if part.path[-1] == "content":
            return part.path, [{"text": line}]
        if part.path[-1] == "toolResult":
            return (*part.path, "content"), [{"text": line}]
        if part.kind is Kind.media or "citationsContent" in part.path:
            return part.block, {"text": line}
        return part.path, line

    def join(self, first: JSON, second: JSON) -> JSON | None:
        """Two messages of one role as one (B1); None for messages of two roles."""
        if not isinstance(first, Mapping) or not isinstance(second, Mapping) or role_of(first) != role_of(second):
            return None
        mine, theirs = first.get("content"), second.get("content")
        if not isinstance(mine, list) or not isinstance(theirs, list):
            return None
        beside = {key: value for key, value in second.items() if key not in first}
        return {**first, **beside, "content": [*mine, *theirs]}

    def tool_definition(self, name: str, description: str, parameters: Mapping[str, JSON]) -> JSON:
        """An entry of `toolConfig.tools`."""
        return {"toolSpec": {"name": name, "description": description, "inputSchema": {"json": dict(parameters)}}}

    def exchange(
        self, call_id: str, tool: str, arguments: Mapping[str, JSON], text: str, media: Sequence[JSON] = ()
    ) -> list[JSON]:
        """The call as an agent message, and its result with the media in it as a user message."""
        call = {"toolUseId": call_id, "name": tool, "input": dict(arguments)}
        result = {"toolUseId": call_id, "content": [{"text": text}, *media], "status": "success"}
        return [
            {"role": "assistant", "content": [{"toolUse": call}]},
            {"role": "user", "content": [{"toolResult": result}]},
        ]

    def holds(self, block: JSON) -> bool:
        """Images, documents and videos may stand in a result; sound may not."""
        return isinstance(block, Mapping) and any(isinstance(block.get(key), Mapping) for key in _HELD_BY_RESULTS)

    def breaches(
        self, messages: Sequence[JSON], *, tools: bool | None = None, body: Mapping[str, JSON] | None = None
    ) -> list[Breach]:
        """Every rule of Converse that the messages break; `tools` None means unknown."""
        return found_by(bedrock_rules.checks(messages, body, tools=tools))

    def cut_breaches(self, before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
        """Rule B3: reasoning as it came, and nothing before it changed where it is bound to that."""
        return bedrock_rules.cut_breaches(before, after, binding)


# The request ---------------------------------------------------------------------------------


def _is_message(item: JSON) -> bool:
    if not isinstance(item, Mapping) or role_of(item) not in ROLES or not isinstance(item.get("content"), list):
        return False
    return all(isinstance(block, Mapping) and "type" not in block for block in item["content"])


def _preamble(request: Mapping[str, JSON] | None) -> tuple[Part, ...]:
    """The request's system text; paths lead from the request."""
    system = request.get("system") if request is not None else None
    if not isinstance(system, list):
        return ()
    found: list[Part] = []
    for index, block in enumerate(system):
        at: Path = ("system", index)
        path = _text_path(block, at)
        if path is not None:
            text = block["text"] if path == (*at, "text") else block["guardContent"]["text"]["text"]
            found.append(Part(Kind.text, Provenance.system, at, path, text))
    return tuple(found)


def _text_path(block: JSON, at: Path) -> Path | None:
    """Where the text of a text block or a guarded text stands; None for every other block."""
    if not isinstance(block, Mapping):
        return None
    if isinstance(block.get("text"), str):
        return (*at, "text")
    guarded = block.get("guardContent")
    inner = guarded.get("text") if isinstance(guarded, Mapping) else None
    if isinstance(inner, Mapping) and isinstance(inner.get("text"), str):
        return (*at, "guardContent", "text", "text")
    return None


def _offered_tools(request: Mapping[str, JSON] | None) -> tuple[frozenset[str] | None, str]:
    """Names of the client's tools, None where the request does not list them; and all tools as JSON text.

    A tool of the provider's own (`systemTool`) and a cache point have no name here and hide none.
    """
    config = request.get("toolConfig") if request is not None else None
    tools = config.get("tools") if isinstance(config, Mapping) else None
    if not isinstance(tools, list):
        return None, ""
    specs = [tool.get("toolSpec") for tool in tools if isinstance(tool, Mapping)]
    names = {string_of(spec.get("name")) for spec in specs if isinstance(spec, Mapping)}
    return frozenset(name for name in names if name is not None), json_text(tools)


def _usage(request: Mapping[str, JSON] | None, messages: int, model: str | None) -> tuple[Usage, ...]:
    """What a logged response says of its request, cached tokens included; it produced the message after the last."""
    response = request.get("response") if request is not None else None
    usage = response.get("usage") if isinstance(response, Mapping) else None
    if not isinstance(usage, Mapping) or not _is_count(usage.get("inputTokens")):
        return ()
    keys = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    return (Usage(messages, sum(int(usage[key]) for key in keys if _is_count(usage.get(key))), model),)


def _is_count(value: JSON) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


# Messages ------------------------------------------------------------------------------------


def _read(raws: Sequence[JSON]) -> tuple[tuple[Message, ...], list[Defect]]:
    messages: list[Message] = []
    odd: list[Defect] = []
    for index, raw in enumerate(raws):
        if not isinstance(raw, Mapping):
            odd.append(Defect("not-a-message", f"message {index}", "not an object; kept as it is"))
            messages.append(Message(raw, "", ()))
            continue
        role = role_of(raw)
        if role not in ROLES:
            odd.append(Defect("unknown-role", f"message {index}", f"role {role!r}; never taken for a person"))
        _refuse_bytes(raw, index)
        messages.append(Message(raw, role, tuple(_parts(raw, ROLES.get(role, Provenance.harness)))))
    paired, unpaired = pair(messages)
    return paired, odd + unpaired


def _refuse_bytes(raw: Mapping[str, JSON], index: int) -> None:
    """Raw bytes are no JSON: nothing could be counted, kept or hashed of them."""
    blocks = blocks_of(raw)
    blocks += [inner for result in bedrock_rules.held(raw, "toolResult") for inner in blocks_of(result)]
    for block in blocks:
        for kind, holder in block.items():
            if isinstance(holder, Mapping) and _holds_bytes(holder):
                raise DialectError(
                    f"bedrock-converse cannot read message {index}: its {kind} holds raw bytes, which are no JSON.",
                    next_step="Pass the request as JSON, with bytes as base64 text.",
                    dialect="bedrock-converse",
                    index=index,
                    block=kind,
                )


def _holds_bytes(holder: Mapping[str, JSON]) -> bool:
    source = holder.get("source")
    image = holder.get("image")
    if isinstance(image, Mapping):
        return _holds_bytes(image)
    values = (holder.get("redactedContent"), source.get("bytes") if isinstance(source, Mapping) else None)
    return any(isinstance(value, bytes | bytearray) for value in values)


def _parts(raw: Mapping[str, JSON], voice: Provenance) -> list[Part]:
    extra = pins_of(raw)
    content = raw.get("content")
    at: Path = ("content",)
    if isinstance(content, str):
        return [text_part(content, voice, at, at, extra)] if content else []
    if content is None:
        return []
    if not isinstance(content, list):
        return [Part(Kind.other, voice, at, at, json_text(content), marks=extra)]
    return [
        _block(block, ("content", index), voice, extra)
        for index, block in enumerate(content)
        if not _is_cache_point(block)
    ]


def _is_text(value: JSON) -> bool:
    """A value of another type where a text belongs is no blank text: nobody knows what it says."""
    return isinstance(value, str)


def _is_cache_point(block: JSON) -> bool:
    """A cache point says nothing to the model: it is no part, and stays where it stands."""
    return isinstance(block, Mapping) and block.keys() == {"cachePoint"}


def _block(block: JSON, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    """One part for one block; a key that is not known is kept as `other` with its whole JSON."""
    if isinstance(block, str):
        return text_part(block, voice, at, at, extra)
    if not isinstance(block, Mapping):
        return Part(Kind.other, voice, at, at, json_text(block), marks=extra)
    path = _text_path(block, at)
    if path is not None:
        text = block["text"] if path == (*at, "text") else block["guardContent"]["text"]["text"]
        return text_part(text, voice, at, path, extra)
    for name, reader in _READERS.items():
        if isinstance(block.get(name), Mapping):
            return reader(block[name], at, voice, extra)
    plain = _plain_text(block)
    if plain is not None:
        return Part(Kind.text, voice, at, (*at, "document", "source", "text"), plain, marks=extra)
    media = _media_in(block)
    if media is not None:
        return Part(Kind.media, voice, at, at, "", media=(media,), marks=extra)
    return Part(Kind.other, voice, at, at, json_text(block), marks=extra)


def _call(call: Mapping[str, JSON], at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    text, args = arguments_of(call.get("input"))
    marks = extra if bedrock_rules.is_client_tool(call) else extra | {Mark.server}
    if starts_background(args):
        marks |= {Mark.background}
    return Part(
        Kind.call,
        voice,
        at,
        (*at, "toolUse", "input") if "input" in call else (*at, "toolUse"),
        text,
        call_id=string_of(call.get("toolUseId")),
        tool=string_of(call.get("name")),
        args=args,
        marks=marks,
    )


def _result(result: Mapping[str, JSON], at: Path, _voice: Provenance, extra: frozenset[Mark]) -> Part:
    """A result, one text where it holds one; its status says whether it failed, its words only where it has none."""
    content = result.get("content")
    blocks = content if isinstance(content, list) else [] if content is None else [content]
    path: Path = (*at, "toolResult", "content") if "content" in result else (*at, "toolResult")
    if blocks is content and len(blocks) == 1 and _is_plain(blocks[0]):
        path = (*path, 0, "text")
    media = tuple(found for block in blocks if _plain_text(block) is None and (found := _media_in(block)) is not None)
    text = "\n".join(said for block in blocks if (said := _said(block)) is not None)
    status = result.get("status")
    return Part(
        Kind.result,
        Provenance.tool,
        at,
        path,
        text,
        call_id=string_of(result.get("toolUseId")),
        failed=status == "error" if isinstance(status, str) else says_it_failed(text),
        images=len(media),
        media=media,
        marks=extra if bedrock_rules.is_client_tool(result) else extra | {Mark.server},
    )


def _is_plain(block: JSON) -> bool:
    """Whether a block is one text and nothing else."""
    return isinstance(block, Mapping) and block.keys() == {"text"} and isinstance(block["text"], str)


def _said(block: JSON) -> str | None:
    """The text of one block inside a result; None for media. What is not known counts with its whole JSON."""
    if isinstance(block, str):
        return block
    if isinstance(block, Mapping):
        if isinstance(block.get("text"), str):
            return str(block["text"])
        if "json" in block:
            return json_text(block["json"])
        plain = _plain_text(block)
        if plain is not None:
            return plain
        if _media_in(block) is not None:
            return None
    return json_text(block)


def _reasoning(value: Mapping[str, JSON], at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    readable = value.get("reasoningText")
    text = readable.get("text") if isinstance(readable, Mapping) else value.get("redactedContent")
    signed = "redactedContent" in value or (isinstance(readable, Mapping) and bool(readable.get("signature")))
    marks = extra | {Mark.signed} if signed else extra
    return Part(Kind.reasoning, voice, at, at, text if isinstance(text, str) else "", marks=marks)


def _cited(value: Mapping[str, JSON], at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    """Text with citations: it leaves as a whole, so that no citation stands without its words."""
    inner = value.get("content")
    pieces = [piece for piece in inner if isinstance(piece, Mapping)] if isinstance(inner, list) else []
    texts = [piece["text"] for piece in pieces if isinstance(piece.get("text"), str)]
    path: Path = (*at, "citationsContent")
    if len(texts) == 1 and len(pieces) == 1 and isinstance(inner, list) and len(inner) == 1:
        return Part(Kind.text, voice, at, (*path, "content", 0, "text"), texts[0], marks=extra)
    return Part(Kind.other, voice, at, path, "".join(texts) or json_text(value), marks=extra)


def _plain_text(block: JSON) -> str | None:
    """The text of a document whose source is plain text; None for every other block."""
    document = block.get("document") if isinstance(block, Mapping) else None
    source = document.get("source") if isinstance(document, Mapping) else None
    text = source.get("text") if isinstance(source, Mapping) else None
    return text if isinstance(text, str) else None


def _media_in(block: JSON) -> Media | None:
    """What a block says of its media; None if it holds none. A guarded image is one."""
    if not isinstance(block, Mapping):
        return None
    guarded = block.get("guardContent")
    if isinstance(guarded, Mapping) and isinstance(guarded.get("image"), Mapping):
        return _media_of("image", guarded["image"])
    for name in _MEDIA_KEYS:
        if isinstance(block.get(name), Mapping):
            return _media_of(name, block[name])
    return None


def _media_of(name: str, holder: Mapping[str, JSON]) -> Media:
    form = string_of(holder.get("format"))
    source = holder.get("source")
    data = string_of(source.get("bytes")) if isinstance(source, Mapping) else None
    if name == "document":
        mime = _DOCUMENT_MIMES.get(form or "", "application/octet-stream")
    else:
        mime = f"{name}/{form or '*'}"
    return media_of(mime, data)


_Reader = Callable[[Mapping[str, JSON], Path, Provenance, frozenset[Mark]], Part]

_READERS: Mapping[str, _Reader] = {
    "toolUse": _call,
    "toolResult": _result,
    "reasoningContent": _reasoning,
    "citationsContent": _cited,
}

BEDROCK_CONVERSE = BedrockDialect()
