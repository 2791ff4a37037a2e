"""The Gemini API: contents made of parts, calls paired by name and order where they have no id.

Who wrote a part is told by the content's role, and by what stands beside it: media next to a function
response is what the tool gave (clients put a tool's pictures there), text next to one is a person's
steer, in doubt. A thought signature on a call is part of the call's block, which is kept byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach, Defect, Kind, Mark, Media, Message, Part, Path, Provenance, Transcript, Usage
from cenotaph.core.pairing import pair
from cenotaph.dialects import gemini_rules
from cenotaph.dialects.content import arguments_of, json_text, pins_of, role_of, starts_background, string_of, text_part
from cenotaph.dialects.envelope import close_envelope, depth_within, describe, model_of, session_of
from cenotaph.dialects.gemini_fields import (
    DATA_FIELDS,
    calls_in,
    data_keys,
    field_of,
    has_responses,
    key_of,
    parts_of,
    responses_in,
    signature_of,
)
from cenotaph.dialects.media import media_of
from cenotaph.dialects.outcomes import says_it_failed
from cenotaph.dialects.rule_text import found_by
from cenotaph.errors import DialectError
from cenotaph.limits import json_depth_max

CONTENTS_KEY = "contents"

ROLES: Mapping[str, Provenance] = {
    "user": Provenance.user,
    "model": Provenance.agent,
    "function": Provenance.tool,
    "system": Provenance.system,
    "": Provenance.user,
}
"""A content without a role is the user's, as the API reads it."""

CODE_TOOL = "code_execution"
"""Name of the tool behind code that the provider runs itself."""

_FOREIGN_KEYS = frozenset({"content", "kind", "type"})
"""Keys by which other formats with `parts` are told apart, in a message and in a part."""

_ANSWER_KEYS = ("output", "result", "error")
"""Where clients put a response that is one text; the API's reference names `output` and `error`."""

_MADE_UP = re.compile(r"#\d+\Z")


class GeminiDialect:
    """`generateContent` requests and bare lists of contents; `emit(parse(x)) == x`."""

    name: str = "gemini"

    def recognise(self, value: JSON) -> bool:
        """Whether the value is a list of contents, or an object that holds one under `contents`.

        Each content has a list of `parts` (or none), and one part at least holds data of this API. What
        has a `type` or a `kind` is of another format.
        """
        contents = value.get(CONTENTS_KEY) if isinstance(value, Mapping) else value
        if not isinstance(contents, list | tuple) or not all(map(_is_content, contents)):
            return False
        return any(key_of(part, name) for content in contents for part in parts_of(content) for name in DATA_FIELDS)

    def parse(self, value: JSON) -> Transcript:
        """Reads a request body, a logged request or a bare list of contents; loses nothing of it.

        Args:
            value: A list of contents, or an object that holds one under `contents`.

        Returns:
            The transcript; what is odd in the input is in `defects`.

        Raises:
            DialectError: There is no list of contents, or it is nested too deep to walk.
        """
        contents, request = _opened(value)
        messages, defects = read_contents(contents)
        names, tools_text = _offered_tools(request)
        model = model_of(request) or string_of(field_of(_response_of(request), "modelVersion"))
        return Transcript(
            dialect=self.name,
            wire=self.name,
            messages=messages,
            preamble=tuple(_preamble(request)),
            request=request,
            messages_key=CONTENTS_KEY,
            tool_names=names,
            tools_text=tools_text,
            model=model,
            session=session_of(request),
            usage=_usage(request, len(messages), model),
            defects=tuple(defects),
            source=value,
        )

    def emit(self, transcript: Transcript) -> JSON:
        """The value in the shape it came in; the very object if no content was exchanged."""
        return close_envelope(transcript)

    def parse_messages(self, messages: Sequence[JSON]) -> tuple[Message, ...]:
        """The contents of a view, as `parse` would read them."""
        return read_contents(messages)[0]

    def page(self, text: str) -> JSON:
        return {"role": "user", "parts": [{"text": text}]}

    def tidy(self, message: JSON) -> JSON | None:
        """What is left to send of a content after parts were cut out of it.

        Args:
            message: A content; never mutated.

        Returns:
            The same object if it can be sent as it is, one without blank text if it has some, None if
            nothing is left or only reasoning.
        """
        if not isinstance(message, Mapping):
            return message
        parts = message.get("parts")
        if not isinstance(parts, list):
            return None if parts is None else message
        kept = [part for part in parts if not _is_blank(part)]
        if all(_is_thought(part) for part in kept):
            return None
        return message if len(kept) == len(parts) else {**message, "parts": kept}

    def stand_in(self, part: Part, line: str) -> tuple[Path, JSON]:
        """A response keeps its name and id and says the line; media and signed text become a text part."""
        if part.kind is Kind.media or Mark.signed in part.marks:
            return part.block, {"text": line}
        if part.path[-1] == "response":
            return part.path, {"output": line}
        if len(part.path) == len(part.block) + 1 and part.path[-1] in ("functionResponse", "function_response"):
            return part.path, _response(_given_id(part.call_id), part.tool, line)
        return part.path, line

    def join(self, first: JSON, second: JSON) -> JSON | None:
        """Two turns of one role as one content (G1), but a function-response turn with no other.

        Contents with responses hold nothing that the client did not put there: some models refuse
        other parts beside them (google-gemini/gemini-cli#16137), and none needs it, since a user's
        turn may follow a function-response turn.
        """
        if not isinstance(first, Mapping) or not isinstance(second, Mapping) or role_of(first) != role_of(second):
            return None
        if has_responses(first) != has_responses(second):
            return None
        mine, theirs = first.get("parts"), second.get("parts")
        if not isinstance(mine, list) or not isinstance(theirs, list):
            return None
        beside = {key: value for key, value in second.items() if key not in first}
        return {**first, **beside, "parts": [*mine, *theirs]}

    def tool_definition(self, name: str, description: str, parameters: Mapping[str, JSON]) -> JSON:
        """An entry of the request's `tools`; a JSON schema as it is has a field of its own in this API."""
        declared = {"name": name, "description": description, "parametersJsonSchema": dict(parameters)}
        return {"functionDeclarations": [declared]}

    def exchange(
        self, call_id: str, tool: str, arguments: Mapping[str, JSON], text: str, media: Sequence[JSON] = ()
    ) -> list[JSON]:
        """A call that says by the sentinel that no model made it (G5), and its response; media beside it."""
        call = {"id": call_id, "name": tool, "args": dict(arguments)}
        return [
            {"role": "model", "parts": [{"functionCall": call, "thoughtSignature": gemini_rules.SENTINEL}]},
            {"role": "user", "parts": [{"functionResponse": _response(call_id, tool, text)}, *media]},
        ]

    def holds(self, block: JSON) -> bool:
        """Media parts may stand beside a response."""
        return field_of(block, "inlineData") is not None or field_of(block, "fileData") is not None

    def breaches(
        self, messages: Sequence[JSON], *, tools: bool | None = None, body: Mapping[str, JSON] | None = None
    ) -> list[Breach]:
        """Every rule of the API that the contents break; `tools` changes nothing here."""
        return found_by(gemini_rules.checks(messages, body, tools=tools))

    def cut_breaches(self, before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
        """Rules G4 and G5 on a cut; signatures are bound to no prefix, so `binding` changes nothing."""
        return [breach for rule in gemini_rules.CUT_RULES for breach in rule(before, after)]


# The request ---------------------------------------------------------------------------------


def _is_content(item: JSON) -> bool:
    if not isinstance(item, Mapping) or _FOREIGN_KEYS & item.keys():
        return False
    if not isinstance(item.get("role", ""), str | None) or role_of(item) not in ROLES:
        return False
    parts = item.get("parts")
    if not isinstance(parts, list):
        return parts is None and "role" in item
    return all(isinstance(part, Mapping) and not part.keys() & {*_FOREIGN_KEYS, "part_kind"} for part in parts)


def _opened(value: JSON) -> tuple[Sequence[JSON], Mapping[str, JSON] | None]:
    request = value if isinstance(value, Mapping) else None
    contents = request.get(CONTENTS_KEY) if request is not None else value
    if not isinstance(contents, list | tuple):
        raise DialectError(
            f"gemini cannot read {describe(value)}.",
            next_step="Give a list of contents, or an object that holds one under `contents`.",
            dialect="gemini",
            seen=describe(value),
        )
    if not depth_within(value, json_depth_max):
        raise DialectError(
            f"gemini refuses JSON that is nested deeper than {json_depth_max} levels.",
            next_step="Store the deep value as a JSON string instead.",
            dialect="gemini",
            depth_max=json_depth_max,
        )
    return contents, request


def _holders(request: Mapping[str, JSON] | None) -> list[tuple[Path, Mapping[str, JSON]]]:
    """Where system text and tools may stand: beside the contents, or in an SDK's `config`."""
    if request is None:
        return []
    config = request.get("config")
    return [((), request), *([(("config",), config)] if isinstance(config, Mapping) else [])]


def _preamble(request: Mapping[str, JSON] | None) -> list[Part]:
    """The system instruction: a text, a content, or an SDK's list of texts and parts."""
    found: list[Part] = []
    for at, holder in _holders(request):
        key = key_of(holder, "systemInstruction")
        if key is not None:
            found.extend(_system(holder[key], (*at, key)))
    return found


def _system(value: JSON, at: Path) -> list[Part]:
    if isinstance(value, str):
        return [Part(Kind.text, Provenance.system, at, at, value)] if value else []
    if isinstance(value, Mapping):
        text = value.get("text")
        own = _system(text, (*at, "text")) if isinstance(text, str) else []
        return [*own, *_system(value.get("parts"), (*at, "parts"))]
    if isinstance(value, list):
        return [part for index, item in enumerate(value) for part in _system(item, (*at, index))]
    return []


def _offered_tools(request: Mapping[str, JSON] | None) -> tuple[frozenset[str] | None, str]:
    """Names of the declared functions, None where an entry declares none and is no object; and all as JSON text."""
    lists = [holder["tools"] for _, holder in _holders(request) if isinstance(holder.get("tools"), list)]
    text = "".join(json_text(tools) for tools in lists if tools)
    names: set[str | None] = set()
    for tool in (tool for tools in lists for tool in tools):
        declared = field_of(tool, "functionDeclarations") if isinstance(tool, Mapping) else [None]
        entries = declared if isinstance(declared, list) else []
        names.update(string_of(entry.get("name")) if isinstance(entry, Mapping) else None for entry in entries)
    if not lists or None in names:
        return None, text
    return frozenset(name for name in names if name is not None), text


def _response_of(request: Mapping[str, JSON] | None) -> JSON:
    return request.get("response") if request is not None else None


def _usage(request: Mapping[str, JSON] | None, messages: int, model: str | None) -> tuple[Usage, ...]:
    """What a logged response says of its request; it produced the message after the last one."""
    tokens = field_of(field_of(_response_of(request), "usageMetadata"), "promptTokenCount")
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 0:
        return ()
    return (Usage(messages, tokens, string_of(field_of(_response_of(request), "modelVersion")) or model),)


# Contents ------------------------------------------------------------------------------------


def read_contents(raws: Sequence[JSON]) -> tuple[tuple[Message, ...], list[Defect]]:
    """Contents as messages, and what is odd in them; a call without an id is none: the format has none."""
    messages: list[Message] = []
    odd: list[Defect] = []
    call_ids: set[str] = set()
    nameless = False
    for index, raw in enumerate(raws):
        if not isinstance(raw, Mapping):
            odd.append(Defect("not-a-message", f"message {index}", "not an object; kept as it is"))
            messages.append(Message(raw, "", ()))
            continue
        role = role_of(raw)
        if role not in ROLES:
            odd.append(Defect("unknown-role", f"message {index}", f"role {role!r}; never taken for a person"))
        parts = _parts(raw, ROLES.get(role, Provenance.harness))
        if calls := calls_in(raw):
            nameless = any(string_of(call.get("id")) is None for call in calls)
            call_ids.update(str(call["id"]) for call in calls if string_of(call.get("id")))
        elif nameless and responses_in(raw):
            parts = tuple(_by_order(part, call_ids) for part in parts)
        messages.append(Message(raw, role, parts))
    paired, unpaired = pair(messages)
    return paired, odd + [defect for defect in unpaired if defect.code != "missing-id"]


def _by_order(part: Part, call_ids: set[str]) -> Part:
    """A result that names an id which no call has, where calls have none: it is paired by name and order."""
    if part.kind is Kind.result and part.call_id is not None and part.call_id not in call_ids:
        return replace(part, call_id=None)
    return part


def _parts(raw: Mapping[str, JSON], voice: Provenance) -> tuple[Part, ...]:
    extra = pins_of(raw)
    parts = raw.get("parts")
    at: Path = ("parts",)
    if isinstance(parts, str):
        return (text_part(parts, voice, at, at, extra),) if parts else ()
    if parts is None:
        return ()
    if not isinstance(parts, list):
        return (Part(Kind.other, voice, at, at, json_text(parts), marks=extra),)
    read = [_part(part, ("parts", index), voice, extra) for index, part in enumerate(parts)]
    if voice is Provenance.user and has_responses(raw):
        read = [replace(part, provenance=Provenance.tool) if part.kind is Kind.media else part for part in read]
    return tuple(read)


def _part(raw: JSON, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    """One part for one part; data that is not known is kept as `other` with its whole JSON."""
    if isinstance(raw, str):
        return text_part(raw, voice, at, at, extra)
    if not isinstance(raw, Mapping):
        return Part(Kind.other, voice, at, at, json_text(raw), marks=extra)
    for name, reader in _READERS.items():
        key = key_of(raw, name)
        if key is not None and isinstance(raw[key], Mapping):
            return reader(raw, key, at, voice, extra)
    text = raw.get("text")
    if _is_thought(raw):
        marks = extra | {Mark.signed} if signature_of(raw) else extra
        return Part(Kind.reasoning, voice, at, at, text if isinstance(text, str) else "", marks=marks)
    if isinstance(text, str):
        marks = extra | {Mark.signed} if signature_of(raw) else extra
        return text_part(text, voice, at, (*at, "text"), marks)
    return Part(Kind.other, voice, at, at, json_text(raw), marks=extra)


def _is_thought(part: JSON) -> bool:
    """Whether a part is reasoning: a thought, or nothing but a signature (an empty text may carry one)."""
    if not isinstance(part, Mapping) or not data_keys(part) <= {"text"}:
        return False
    return part.get("thought") is True or (not part.get("text") and signature_of(part) is not None)


def _is_blank(part: JSON) -> bool:
    """Whether a part is text of nothing but white space, without a signature."""
    if isinstance(part, str):
        return not part.strip()
    if not isinstance(part, Mapping) or data_keys(part) != {"text"} or signature_of(part) is not None:
        return False
    text = part.get("text")
    return isinstance(text, str) and not text.strip()


def _call(raw: Mapping[str, JSON], key: str, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    call = raw[key]
    text, args = arguments_of(call.get("args"))
    marks = extra | {Mark.background} if starts_background(args) else extra
    if signature_of(raw) is not None:
        marks |= {Mark.signed}
    return Part(
        Kind.call,
        voice,
        at,
        (*at, key, "args") if "args" in call else (*at, key),
        text,
        call_id=string_of(call.get("id")),
        tool=string_of(call.get("name")),
        args=args,
        marks=marks,
    )


def _result(raw: Mapping[str, JSON], key: str, at: Path, _voice: Provenance, extra: frozenset[Mark]) -> Part:
    """A response: one text where it holds one, else its whole object; with media of its own it is one value."""
    holder = raw[key]
    response = holder.get("response")
    inside, text = _answer(response)
    media = tuple(media for part in parts_of(holder) if (media := _media_in(part)) is not None)
    whole = bool(media) or "response" not in holder
    return Part(
        Kind.result,
        Provenance.tool,
        at,
        (*at, key) if whole else (*at, key, "response", *inside),
        text,
        call_id=string_of(holder.get("id")),
        tool=string_of(holder.get("name")),
        failed=bool(field_of(response, "error")) or says_it_failed(text),
        images=len(media),
        media=media,
        marks=extra,
    )


def _answer(response: JSON) -> tuple[Path, str]:
    """Where the text of a response stands inside it, and the text; `()` is the response as a whole."""
    if response is None:
        return (), ""
    if isinstance(response, Mapping) and len(response) == 1:
        for key in _ANSWER_KEYS:
            if isinstance(response.get(key), str):
                return (key,), response[key]
    return (), json_text(response)


def _response(call_id: str | None, tool: str | None, line: str) -> JSON:
    named = {} if tool is None else {"name": tool}
    return {**({} if call_id is None else {"id": call_id}), **named, "response": {"output": line}}


def _given_id(call_id: str | None) -> str | None:
    """The id as the client gave it: pairing names what has none `#...` and numbers an id that is used again."""
    return None if call_id is None or call_id.startswith("#") else _MADE_UP.sub("", call_id)


def _code(raw: Mapping[str, JSON], key: str, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    """Code that the provider runs itself: a call of its own tool."""
    holder = raw[key]
    code = holder.get("code")
    held = isinstance(code, str)
    return Part(
        Kind.call,
        voice,
        at,
        (*at, key, "code") if held else (*at, key),
        code if held else json_text(holder),
        call_id=string_of(holder.get("id")),
        tool=CODE_TOOL,
        args=holder,
        marks=extra | {Mark.server},
    )


def _outcome(raw: Mapping[str, JSON], key: str, at: Path, _voice: Provenance, extra: frozenset[Mark]) -> Part:
    holder = raw[key]
    output = holder.get("output")
    held = isinstance(output, str)
    return Part(
        Kind.result,
        Provenance.tool,
        at,
        (*at, key, "output") if held else (*at, key),
        output if held else json_text(holder),
        call_id=string_of(holder.get("id")),
        tool=CODE_TOOL,
        failed=holder.get("outcome") not in ("OUTCOME_OK", "OUTCOME_UNSPECIFIED", None),
        marks=extra | {Mark.server},
    )


def _media(raw: Mapping[str, JSON], _key: str, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    known = _media_in(raw)
    return Part(Kind.media, voice, at, at, "", media=() if known is None else (known,), marks=extra)


def _media_in(part: Mapping[str, JSON]) -> Media | None:
    """What a part says of its media; None if it holds none."""
    resolution = field_of(part, "mediaResolution")
    level = resolution.get("level") if isinstance(resolution, Mapping) else resolution
    detail = level.removeprefix("MEDIA_RESOLUTION_").lower() if isinstance(level, str) else None
    for name in ("inlineData", "fileData"):
        holder = field_of(part, name)
        if isinstance(holder, Mapping):
            return media_of(string_of(field_of(holder, "mimeType")), string_of(holder.get("data")), detail=detail)
    return None


_Reader = Callable[[Mapping[str, JSON], str, Path, Provenance, frozenset[Mark]], Part]

_READERS: Mapping[str, _Reader] = {
    "functionCall": _call,
    "functionResponse": _result,
    "executableCode": _code,
    "codeExecutionResult": _outcome,
    "inlineData": _media,
    "fileData": _media,
}

GEMINI = GeminiDialect()
