"""Items of the Responses API: what each type is made of, as a table.

An item is a message of its own, so its block is mostly the item itself. The API adds item types every
few months; what is not in the table is read by the shape that all of them share: a type that ends in
`_output` answers a call, one that ends in `_call` is one, by the client if it has a `call_id`, else by
the provider. What fits nothing is kept as it is and never leaves: another item may need it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Media, Part, Path, Provenance
from cenotaph.dialects.content import (
    arguments_of,
    content_text,
    json_text,
    pins_of,
    role_of,
    starts_background,
    string_of,
    text_part,
)
from cenotaph.dialects.media import media_of
from cenotaph.dialects.openai_responses_outputs import REFUSALS, has_failed

__all__ = [
    "COMPACTIONS",
    "KNOWN_TYPES",
    "ROLES",
    "TEXT_TYPES",
    "answers",
    "call_id_of",
    "is_agent_item",
    "is_client_call",
    "item_parts",
    "kind_of",
]

ROLES: Final[Mapping[str, Provenance]] = {
    "user": Provenance.user,
    "assistant": Provenance.agent,
    "system": Provenance.system,
    "developer": Provenance.developer,
}

TEXT_TYPES: Final = frozenset({"input_text", "output_text", "text"})

COMPACTIONS: Final = frozenset({"compaction", "compaction_summary", "context_compaction"})
"""Opaque summaries by the provider; Codex wrote them under the second name first, and under the third of late."""

_CALL_FIELDS: Final[Mapping[str, str]] = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "tool_search_call": "arguments",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
    "mcp_call": "arguments",
    "web_search_call": "action",
    "file_search_call": "queries",
    "code_interpreter_call": "code",
    "image_generation_call": "revised_prompt",
}
"""Call types and the field that holds what was asked for."""

_RESULT_FIELDS: Final = ("output", "outputs", "results", "result", "error", "status")
"""Where an item that the provider ran holds what came of it; the first that says something."""

_ANY_CALL_FIELD: Final = ("arguments", "input", "action", "operation", "code", "queries")

_FIXED_FORM: Final = frozenset({"computer_call_output", "tool_search_output"})
"""Results whose output has a form of its own, into which no line of text fits; of an unknown type nobody knows."""

_OTHER_TYPES: Final = frozenset(
    {"message", "agent_message", "reasoning", "item_reference", "mcp_list_tools", "mcp_approval_request"}
)
_ANSWER_TYPES: Final = frozenset(
    {
        "function_call_output",
        "custom_tool_call_output",
        "local_shell_call_output",
        "shell_call_output",
        "apply_patch_call_output",
        "computer_call_output",
        "tool_search_output",
        "mcp_approval_response",
    }
)
KNOWN_TYPES: Final = _CALL_FIELDS.keys() | _ANSWER_TYPES | _OTHER_TYPES | COMPACTIONS
"""Item types with a reading of their own; any other is read by its shape."""

_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w.+=-]+)*,")
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\r?$", re.MULTILINE)
_PATCH_OPENING: Final = "*** Begin Patch"

_SERVER: Final = frozenset({Mark.server})


# What an item is -----------------------------------------------------------------------------


def kind_of(item: JSON) -> str:
    """The type of an item; `message` for a role without a type, "" for what is neither."""
    if not isinstance(item, Mapping):
        return ""
    kind = item.get("type")
    if kind is None and isinstance(item.get("role"), str):
        return "message"
    return kind if isinstance(kind, str) else ""


def answers(item: JSON) -> bool:
    """The item answers a call that the client ran, or a request for its user's approval."""
    kind = kind_of(item)
    return kind in _ANSWER_TYPES or kind.endswith("_output")


def is_client_call(item: JSON) -> bool:
    """The item is a call that the client has to answer."""
    kind = kind_of(item)
    if kind in ("function_call", "custom_tool_call", "mcp_approval_request"):
        return True
    return kind.endswith("_call") and isinstance(item.get("call_id"), str)


def is_agent_item(item: JSON) -> bool:
    """The item is a piece of an output of the model."""
    kind = kind_of(item)
    if kind == "message":
        return bool(item.get("role") == "assistant")
    return kind in ("reasoning", "mcp_list_tools", "mcp_approval_request") or kind.endswith("_call")


def call_id_of(item: Mapping[str, JSON]) -> str | None:
    """The id by which a call and its answer name each other; None if the item has none."""
    kind = kind_of(item)
    if kind == "mcp_approval_request":
        return string_of(item.get("id"))
    if kind == "mcp_approval_response":
        return string_of(item.get("approval_request_id"))
    named = string_of(item.get("call_id"))
    if named is None and kind in ("local_shell_call", "local_shell_call_output"):
        return string_of(item.get("id"))
    return named


# Parts ---------------------------------------------------------------------------------------


def item_parts(item: Mapping[str, JSON]) -> tuple[Part, ...]:
    """The parts of one item, with the call ids as the format has them."""
    kind = kind_of(item)
    extra = pins_of(item)
    if kind == "message":
        return tuple(_content(item, ROLES.get(role_of(item), Provenance.harness), extra))
    if kind == "agent_message":  # written by another agent, put in by the client
        return tuple(_content(item, Provenance.harness, extra))
    if kind == "reasoning":
        return (_reasoning(item, extra),)
    if kind in COMPACTIONS:
        return (Part(Kind.other, Provenance.foreign, (), (), "", marks=extra | _SERVER | {Mark.summary}),)
    if kind == "mcp_approval_response":
        return (_approval(item, extra),)
    if answers(item):
        return (_result(item, kind, extra),)
    if is_client_call(item):
        return (_call(item, kind, (), extra),)
    if kind.endswith("_call"):
        return _provider_run(item, kind, extra)
    voice = Provenance.agent if is_agent_item(item) else Provenance.harness
    return (Part(Kind.other, voice, (), (), json_text(item), marks=extra | _SERVER),)


def _content(item: Mapping[str, JSON], voice: Provenance, extra: frozenset[Mark]) -> Iterator[Part]:
    content = item.get("content")
    at: Path = ("content",)
    if isinstance(content, str):
        if content:
            yield text_part(content, voice, at, at, extra)
    elif isinstance(content, list):
        for index, block in enumerate(content):
            yield _block(block, ("content", index), voice, extra)
    elif content is not None:
        yield Part(Kind.other, voice, at, at, json_text(content), marks=extra)


def _block(block: JSON, at: Path, voice: Provenance, extra: frozenset[Mark]) -> Part:
    if isinstance(block, str):
        return text_part(block, voice, at, at, extra)
    if not isinstance(block, Mapping):
        return Part(Kind.other, voice, at, at, json_text(block), marks=extra)
    kind = string_of(block.get("type"))
    key = "refusal" if kind == "refusal" else "text"
    if (kind in TEXT_TYPES or kind == "refusal") and isinstance(block.get(key), str):
        return text_part(block[key], voice, at, (*at, key), extra)
    known = media_in(block)
    if known is not None:
        return Part(Kind.media, voice, at, at, "", marks=extra, media=(known,))
    return Part(Kind.other, voice, at, at, json_text(block), marks=extra)


def _reasoning(item: Mapping[str, JSON], extra: frozenset[Mark]) -> Part:
    texts = [
        block["text"]
        for key in ("summary", "content")
        for block in (item[key] if isinstance(item.get(key), list) else ())
        if isinstance(block, Mapping) and isinstance(block.get("text"), str)
    ]
    encrypted = string_of(item.get("encrypted_content"))
    marks = extra | {Mark.signed} if encrypted else extra
    hidden = _hidden_tokens(encrypted) if encrypted else 0
    return Part(Kind.reasoning, Provenance.agent, (), (), "\n".join(texts), marks=marks, hidden=hidden)


_ENVELOPE_BYTES: Final = 650
"""What an encrypted reasoning item holds beside its text."""


def _hidden_tokens(encrypted: str) -> int:
    """Tokens of the reasoning inside: four bytes each of what base64 holds, less the envelope.

    Above the reported reasoning tokens in nine of ten groups of 723 requests of real sessions, by length; the
    provider leaves reasoning of earlier turns out, so this is the safe side.
    """
    return max(0, (len(encrypted) * 3 // 4 - _ENVELOPE_BYTES) // 4)


def _call(item: Mapping[str, JSON], kind: str, block: Path, extra: frozenset[Mark]) -> Part:
    named = _CALL_FIELDS.get(kind)
    field = named if named in item else next((key for key in _ANY_CALL_FIELD if key in item), None)
    text, args = arguments_of(item.get(field)) if field is not None else ("", None)
    if args is None and kind == "custom_tool_call" and text:
        args = _free_form(text)
    return Part(
        Kind.call,
        Provenance.agent,
        block,
        (field,) if field is not None else (),
        text,
        call_id=call_id_of(item),
        tool=_tool_of(item, kind),
        args=args,
        marks=extra | {Mark.background} if starts_background(args) else extra,
    )


def _free_form(text: str) -> Mapping[str, JSON]:
    """The one argument of a free-form tool; for a patch of exactly one file also that file's path."""
    args: dict[str, JSON] = {"input": text}
    if text.lstrip().startswith(_PATCH_OPENING):
        paths = _PATCHED.findall(text)
        if len(paths) == 1:
            args["path"] = paths[0]
    return args


def _tool_of(item: Mapping[str, JSON], kind: str) -> str | None:
    """The tool's name. One of an MCP server has its server's before it: nobody vouches for what it is called."""
    name = string_of(item.get("name"))
    if name is None:
        return None if kind in ("function_call", "custom_tool_call") else kind.removesuffix("_call")
    server = string_of(item.get("server_label"))
    if server is not None:
        return f"mcp__{server}__{name}"
    space = string_of(item.get("namespace"))
    if space is None:
        return name
    return f"{space}{name}" if space.endswith("__") else f"{space}.{name}"


def _provider_run(item: Mapping[str, JSON], kind: str, extra: frozenset[Mark]) -> tuple[Part, ...]:
    """A call that the provider ran, with its result in the same item; neither ever leaves."""
    call = _call(item, kind, (), extra | _SERVER)
    call_id = call.call_id or string_of(item.get("id"))
    field = next((key for key in _RESULT_FIELDS if item.get(key) and (key,) != call.path), "status")
    path: Path = (field,) if field in item else ()
    value = item.get(field)
    failed = bool(item.get("error")) or item.get("status") in ("failed", "incomplete")
    if kind == "image_generation_call":
        data = value if isinstance(value, str) and field == "result" else None
        shown = media_of("image/png", data)
        result = Part(Kind.result, Provenance.tool, path, path, "", call_id, failed=failed, images=1, media=(shown,))
    else:
        text, images = content_text(value if field != "status" else "")
        result = Part(Kind.result, Provenance.tool, path, path, text, call_id, failed=failed, images=images)
    return (
        replace(call, call_id=call_id, block=call.path),
        replace(result, marks=extra | _SERVER),
    )


def _result(item: Mapping[str, JSON], kind: str, extra: frozenset[Mark]) -> Part:
    output = item.get("output")
    if kind == "shell_call_output":
        return _shell_result(item, output, extra)
    shown = [output] if isinstance(output, Mapping) and "type" in output else output
    text, images = content_text(shown)
    media = tuple(known for block in (shown if isinstance(shown, list) else ()) if (known := media_in(block)))
    if kind == "computer_call_output":
        text, images = "", len(media)
    elif kind == "tool_search_output":
        text = json_text(item.get("tools"))
    marks = extra | {Mark.rejection} if text in REFUSALS else extra
    if kind in _FIXED_FORM or kind not in _ANSWER_TYPES:
        marks |= _SERVER
    failed = item.get("status") in ("failed", "incomplete") or has_failed(text)
    path: Path = ("output",) if "output" in item else ()
    return Part(
        Kind.result,
        Provenance.tool,
        (),
        path,
        text,
        call_id=call_id_of(item),
        tool=string_of(item.get("name")),
        failed=failed,
        images=images,
        marks=marks,
        media=media,
    )


def _shell_result(item: Mapping[str, JSON], output: JSON, extra: frozenset[Mark]) -> Part:
    """Output of the hosted shell's commands: a list of `{stdout, stderr, outcome}`.

    With one command that wrote nothing to stderr a line can stand for its stdout, and the outcome stays
    as it was. Any other has no place for a line that would leave the outcomes true, so it stays.
    """
    entries = [entry for entry in output if isinstance(entry, Mapping)] if isinstance(output, list) else []
    texts = [str(entry[key]) for entry in entries for key in ("stdout", "stderr") if entry.get(key)]
    outcomes = [entry.get("outcome") for entry in entries]
    failed = not entries or any(not isinstance(one, Mapping) or one.get("exit_code") != 0 for one in outcomes)
    alone = len(entries) == 1 == len(output) and not entries[0].get("stderr") and "stdout" in entries[0]
    path: Path = ("output", 0, "stdout") if alone else ("output",) if "output" in item else ()
    text = "\n".join(texts) if entries or output in (None, []) else json_text(output)
    marks = extra if alone else extra | _SERVER
    return Part(Kind.result, Provenance.tool, (), path, text, call_id_of(item), failed=failed, marks=marks)


def _approval(item: Mapping[str, JSON], extra: frozenset[Mark]) -> Part:
    """A person's decision on a call of an MCP server, by a field; its words are the reason, if one was given."""
    decided = Mark.approval if item.get("approve") is True else Mark.rejection
    said = {key: item[key] for key in ("approve", "reason") if item.get(key) is not None}
    return Part(
        Kind.result,
        Provenance.tool,
        (),
        (),
        json_text(said),
        call_id=call_id_of(item),
        marks=extra | _SERVER | {decided},
    )


# Media ---------------------------------------------------------------------------------------


def media_in(block: JSON) -> Media | None:
    """What is known of a media block; None for every other block."""
    if not isinstance(block, Mapping):
        return None
    kind = string_of(block.get("type"))
    if kind in ("input_image", "computer_screenshot"):
        url = block.get("image_url")
        url = url.get("url") if isinstance(url, Mapping) else url
        return _named(url, "image", string_of(block.get("detail")))
    if kind == "input_file":
        return _named(block.get("file_data"), "document")
    if kind == "input_audio":
        holder = block.get("input_audio")
        holder = holder if isinstance(holder, Mapping) else block
        form, data = string_of(holder.get("format")), string_of(holder.get("data"))
        return media_of(f"audio/{form or 'wav'}", data)
    return None


def _named(value: JSON, kind: str, detail: str | None = None) -> Media:
    """Media from a data URL, bare base64, or a link; `kind` is what the block's type says it is."""
    text = value if isinstance(value, str) else ""
    head = _DATA_URL.match(text)
    if head is not None:
        known = media_of(head[1], text[head.end() :], detail=detail)
    elif kind == "document" and text:
        known = media_of(None, text, detail=detail)
    else:
        known = media_of(None, detail=detail)
    return known if known.mime is not None else replace(known, kind=kind)
