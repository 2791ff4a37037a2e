"""The calls of one LangChain message, each once, however often it is written down.

A call may stand in `tool_calls` (parsed), in `content` (as the provider returned it), in
`additional_kwargs.tool_calls` (raw) and in `tool_call_chunks`. The client sends it once. What says
the same again is a copy: it leaves with its call, since the constructor makes calls of whatever raw
ones it finds where `tool_calls` is empty, and an adapter sends the blocks in `content`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Path
from cenotaph.dialects.content import string_of

CALL_BLOCKS: Final[Mapping[str, tuple[str, str]]] = {
    "tool_use": ("id", "input"),
    "tool_call": ("id", "args"),
    "invalid_tool_call": ("id", "args"),
    "tool_call_chunk": ("id", "args"),
    "function_call": ("call_id", "arguments"),
    "custom_tool_call": ("call_id", "input"),
}
"""Content blocks that are calls of the client's tools: the keys of their id and of their arguments."""


@dataclass(slots=True)
class Call:
    """A call, where it stands, and what says the same again; all paths lead from the body.

    Attributes:
        block: What is removed when it leaves.
        path: Its arguments; the block itself where it has none.
        call_id: As written.
        tool: As written.
        arguments: As written: an object or text.
        copies: Other blocks that are the same call.
    """

    block: Path
    path: Path
    call_id: str | None
    tool: str | None
    arguments: JSON
    copies: list[Path] = field(default_factory=list)


def calls_of(body: Mapping[str, JSON]) -> list[Call]:
    """Every call of a message: those that the client lists, then what it would find elsewhere.

    Args:
        body: Of an `ai` message.
    """
    calls = list(_listed(body))
    calls += _unmatched(calls, list(_in_content(body)))
    raw = [*_raw(body), *_chunks(body)]
    if calls:
        # The constructor reads raw calls only where no other is left: what has no partner leaves with the first.
        calls[0].copies += [call.block for call in _unmatched(calls, raw)]
    else:
        calls += _unmatched(calls, list(_raw(body)))
        calls += _unmatched(calls, list(_chunks(body)))
    return [*calls, *_legacy(body)]


def _unmatched(calls: list[Call], found: list[Call]) -> list[Call]:
    """Hands each of `found` to the call that it is a copy of; gives back those that are copies of none."""
    waiting: dict[str, list[Call]] = {}
    for call in reversed(calls):
        if call.call_id is not None:
            waiting.setdefault(call.call_id, []).append(call)
    rest: list[Call] = []
    for one in found:
        partners = waiting.get(one.call_id or "")
        if partners:
            partners.pop().copies.append(one.block)
        else:
            rest.append(one)
    return rest


def _entries(holder: JSON, key: str, at: Path) -> Iterator[tuple[Mapping[str, JSON], Path]]:
    values = holder.get(key) if isinstance(holder, Mapping) else None
    for index, value in enumerate(values if isinstance(values, list) else []):
        if isinstance(value, Mapping):
            yield value, (*at, key, index)


def _call(holder: Mapping[str, JSON], at: Path, block: Path, call_id: JSON, key: str) -> Call:
    path = (*at, key) if key in holder else block
    return Call(block, path, string_of(call_id), string_of(holder.get("name")), holder.get(key))


def _listed(body: Mapping[str, JSON]) -> Iterator[Call]:
    for key in ("tool_calls", "invalid_tool_calls"):
        for value, at in _entries(body, key, ()):
            yield _call(value, at, at, value.get("id"), "args")


def _in_content(body: Mapping[str, JSON]) -> Iterator[Call]:
    for block, at in _entries(body, "content", ()):
        keys = CALL_BLOCKS.get(str(block.get("type")))
        if keys is not None:
            yield _call(block, at, at, block.get(keys[0]), keys[1])


def _raw(body: Mapping[str, JSON]) -> Iterator[Call]:
    for value, at in _entries(body.get("additional_kwargs"), "tool_calls", ("additional_kwargs",)):
        for key, arguments in (("function", "arguments"), ("custom", "input")):
            inner = value.get(key)
            if isinstance(inner, Mapping):
                yield _call(inner, (*at, key), at, value.get("id"), arguments)
                break
        else:
            yield _call(value, at, at, value.get("id"), "args")


def _chunks(body: Mapping[str, JSON]) -> Iterator[Call]:
    for value, at in _entries(body, "tool_call_chunks", ()):
        yield _call(value, at, at, value.get("id"), "args")


def _legacy(body: Mapping[str, JSON]) -> Iterator[Call]:
    """The one call of the older function format; it has no id."""
    kwargs = body.get("additional_kwargs")
    value = kwargs.get("function_call") if isinstance(kwargs, Mapping) else None
    if isinstance(value, Mapping):
        at: Path = ("additional_kwargs", "function_call")
        yield _call(value, at, at, None, "arguments")
