"""Facts about the tools of an MCP server, from the annotations in its `tools/list` result.

Annotations are hints that the server gives of itself: "never make tool use decisions based on
annotations from untrusted servers" (MCP specification, ToolAnnotations). So an untrusted server gives
no fact at all, and its tools stay unknown: one-shot, and may have written anything.

A trusted one says of itself what it does not write. That does not make a tool repeatable: a read-only
clock gives something else each time. For that the caller names the handle under which the result can
be had again, and the server says that it reaches no open world (`openWorldHint` false; the default is
true). `destructiveHint` and `idempotentHint` speak of writers and change nothing here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.tools import ToolSpec
from cenotaph.errors import ToolSpecError

__all__ = ["MCP_NAME", "called_name", "listed_names", "mcp_tools"]

MCP_NAME: Final = "mcp__{server}__{tool}"
"""How Claude Code and its kin call a tool of a server."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_HINTS: Final[Mapping[str, tuple[str, ...]]] = {
    "read-only": ("readOnlyHint", "read_only_hint"),
    "destructive": ("destructiveHint", "destructive_hint"),
    "open-world": ("openWorldHint", "open_world_hint"),
}


def mcp_tools(
    listing: JSON,
    *,
    trusted: bool,
    server: str | None = None,
    name: str = MCP_NAME,
    handles: Mapping[str, str] | None = None,
    where: str = "the listing",
) -> list[ToolSpec]:
    """The declarations that a server's listing supports; fewer rather than one too many.

    Args:
        listing: The result of `tools/list`, the whole response around it, or the list of tools.
        trusted: The caller answers for what the server says of itself. Not trusted: no declaration.
        server: The server's name in the client; None where the client calls its tools by their own names.
        name: How the client calls a tool of a server; `{server}` and `{tool}` stand for the names.
        handles: Tool's own name -> handle template over its arguments, e.g. `{"read": "file:{path}"}`:
            where the caller says that the result can be had again. A tool that the server does not
            call read-only and closed gets none.
        where: What the listing is called in an error, e.g. its file.

    Returns:
        One declaration for each tool that the server calls read-only, in the listing's order. Tools that the
        client calls by one name give none: a call does not say which of them it means.

    Raises:
        ToolSpecError: The listing has another shape, a hint is neither true nor false or stands there
            twice and differs, a template is none, or one names a tool that the server does not list;
            `name` has no place for the tool.
    """
    own_names = listed_names(listing, where)
    missing = sorted(set(handles or ()) - set(own_names))
    if missing:
        raise ToolSpecError(
            f"handles names {', '.join(map(repr, missing))}, which the server does not list.",
            next_step=f"Its tools: {', '.join(sorted(own_names)) or 'none'}.",
        )
    called = [called_name(own, server, name) for own in own_names]
    times = Counter(called)
    declared = [
        _declared(tool, own, called_as, (handles or {}).get(own))
        for tool, own, called_as in zip(_listed(listing, where), own_names, called, strict=True)
    ]
    return [spec for spec in declared if spec is not None and times[spec.name] == 1] if trusted else []


def listed_names(listing: JSON, where: str = "the listing") -> list[str]:
    """The tools' own names, in the listing's order; see `mcp_tools`.

    Raises:
        ToolSpecError: The listing has another shape, or a tool has no name.
    """
    return [_name_of(tool, f"{where}, tool {number}") for number, tool in enumerate(_listed(listing, where), 1)]


def called_name(own: str, server: str | None, name: str = MCP_NAME) -> str:
    """How the client calls a tool; see `mcp_tools`.

    Raises:
        ToolSpecError: `name` has no place for the tool.
    """
    if server is None:
        return own
    if "{tool}" not in name:
        raise ToolSpecError(f"{name!r} has no {{tool}} in it.", next_step=f"Write e.g. {MCP_NAME}.")
    return name.replace("{server}", _plain(server)).replace("{tool}", _plain(own))


def _listed(listing: JSON, where: str) -> Sequence[Mapping[str, JSON]]:
    value = listing
    for key in ("result", "tools"):
        if isinstance(value, Mapping) and key in value:
            value = value[key]
    if not isinstance(value, list) or not all(isinstance(tool, Mapping) for tool in value):
        raise ToolSpecError(
            f"{where} is neither the result of tools/list nor a list of tools.",
            next_step="Pass what the server answered to tools/list.",
        )
    return value


def _name_of(tool: Mapping[str, JSON], where: str) -> str:
    own = tool.get("name")
    if not isinstance(own, str) or not own:
        raise ToolSpecError(f"{where}: it has no name")
    return own


def _declared(tool: Mapping[str, JSON], own: str, called: str, handle: str | None) -> ToolSpec | None:
    """None where the server does not call the tool read-only, or says in the same breath that it destroys."""
    closed = _hint(tool, own, "open-world") is False
    if _hint(tool, own, "read-only") is not True or _hint(tool, own, "destructive") is True:
        return None
    return ToolSpec(called, handle=handle, repeatable=closed and handle is not None, writes="none")


def _plain(name: str) -> str:
    """A name as clients write it into a tool's: nothing but letters, digits, `_` and `-`."""
    return _NOT_IN_NAMES.sub("_", name)


def _hint(tool: Mapping[str, JSON], own: str, which: str) -> bool | None:
    """What an annotation says; None where the server does not say it."""
    annotations = tool.get("annotations")
    if annotations is None:
        return None
    if not isinstance(annotations, Mapping):
        raise ToolSpecError(f"tool {own!r}: annotations must be an object, not {type(annotations).__name__}")
    said = {key: annotations[key] for key in _HINTS[which] if annotations.get(key) is not None}
    wrong = [key for key, value in said.items() if not isinstance(value, bool)]
    if wrong:
        raise ToolSpecError(f"tool {own!r}: {wrong[0]} must be true or false, not {said[wrong[0]]!r}")
    if len(set(said.values())) > 1:
        raise ToolSpecError(f"tool {own!r}: {' and '.join(said)} say different things")
    return next(iter(said.values()), None)
