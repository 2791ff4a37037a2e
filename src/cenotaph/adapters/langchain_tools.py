"""What an agent's own tools say of themselves, what they cost, and the tool by which it asks for what left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final

from langchain.tools import ToolRuntime
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from cenotaph import ToolSpec, rehydrate_tool
from cenotaph.adapters.langchain_messages import plain_message
from cenotaph.api.counting import count_tokens
from cenotaph.api.reading import Tool
from cenotaph.errors import ToolSpecError

__all__ = ["Answer", "declared", "overhead_tokens", "recall_tool"]

_METADATA: Final = "cenotaph"
"""Key of a tool's `metadata` under which its declaration stands."""

_RECALL: Final[Mapping[str, Any]] = rehydrate_tool("langchain")["function"]

_ARGUMENTS: Final = _RECALL["parameters"]["properties"]
_What = Annotated[str, _ARGUMENTS["what"]["description"]]
_Cursor = Annotated[str | None, _ARGUMENTS["cursor"]["description"]]

_FILE: Final = "file:{file_path}"
_HOST_TOOLS: Final[Mapping[str, tuple[ToolSpec, ...]]] = {
    "deepagents.middleware.filesystem": (
        ToolSpec("ls", handle="dir:{path}", repeatable=True),
        ToolSpec("read_file", handle=_FILE, repeatable=True),
        ToolSpec("glob", handle="glob:{pattern}@{path?}", repeatable=True),
        ToolSpec("grep", handle="grep:{pattern}@{path?}", repeatable=True),
        ToolSpec("write_file", handle=_FILE, writes=_FILE),
        ToolSpec("edit_file", handle=_FILE, writes=_FILE),
        ToolSpec("delete", handle=_FILE, writes=_FILE),
    ),
    "langchain.agents.middleware.todo": (ToolSpec("write_todos", plan=True),),
}
"""Module -> what the tools that are defined in it do. A tool is known by the module of its function, never by its
name alone. `execute` and `task` may write anything, so nothing is said of them."""

Answer = Callable[[str, str | None, ToolRuntime], str]
"""What was asked for, the cursor or None, and where the call runs -> the tool's answer."""


def declared(tools: Iterable[BaseTool | Mapping[str, Any]], given: Sequence[Tool] = ()) -> tuple[Tool, ...]:
    """The declarations in force: what the caller gave, and of each other tool what it says itself.

    Args:
        tools: The agent's tools, in any order. One says what it does by `metadata={"cenotaph": {...}}`, with the
            keys of `ToolSpec` but for `name`; several declarations with `when` are a list of such objects.
        given: The caller's own; of a tool that is named here nothing else counts.

    Raises:
        ToolSpecError: A tool's metadata hold something else.
    """
    named = {_name_of(tool) for tool in given}
    found: list[Tool] = []
    if _RECALL["name"] not in named:
        found.append(ToolSpec(_RECALL["name"], repeatable=True))
    for tool in sorted((one for one in tools if isinstance(one, BaseTool)), key=lambda one: one.name):
        if tool.name not in named and tool.name != _RECALL["name"]:
            found += _own_words(tool)
    return (*found, *given)


def _name_of(tool: Tool) -> str | None:
    if isinstance(tool, ToolSpec):
        return tool.name
    return tool.get("name") if isinstance(tool, Mapping) else None


def _own_words(tool: BaseTool) -> list[Tool]:
    words = (tool.metadata or {}).get(_METADATA)
    if words is None:
        module = getattr(getattr(tool, "func", None) or getattr(tool, "coroutine", None), "__module__", None)
        return [spec for spec in _HOST_TOOLS.get(module or "", ()) if spec.name == tool.name]
    listed = words if isinstance(words, list | tuple) else [words]
    if not all(isinstance(one, Mapping) for one in listed):
        raise ToolSpecError(
            f"tool {tool.name!r}: metadata[{_METADATA!r}] = {words!r} is no declaration.",
            next_step='Write the keys of a ToolSpec, e.g. {"handle": "ticket:{id}", "repeatable": True}.',
        )
    return [{**one, "name": tool.name} for one in listed]


def overhead_tokens(
    system: SystemMessage | None,
    tools: Sequence[BaseTool | dict[str, Any]],
    response_format: Any,
    model: str | None,
) -> int:
    """Tokens of a request that are not in its messages: the system text, tools, and schemas of structured output."""
    schemas = [*map(_schema, tools), *_formats(response_format)]
    if system is None and not schemas:
        return 0
    messages = [] if system is None else [plain_message(system)]
    return count_tokens({"messages": messages, "tools": schemas}, dialect="langchain", model=model).tokens


def _schema(tool: BaseTool | dict[str, Any]) -> Mapping[str, Any]:
    """A tool as a model is told of it; one of the provider's own is told as it stands."""
    return tool if isinstance(tool, dict) else convert_to_openai_tool(tool)


def _formats(response_format: Any) -> list[Mapping[str, Any]]:
    """Schemas of structured output: of a strategy its own, else the one that is given."""
    if response_format is None:
        return []
    specs = getattr(response_format, "schema_specs", None) or [getattr(response_format, "schema_spec", None)]
    found = [spec.json_schema for spec in specs if spec is not None]
    if found:
        return found
    schema = getattr(response_format, "schema", response_format)
    return [schema if isinstance(schema, dict) else convert_to_openai_tool(schema)]


def recall_tool(answer: Answer) -> BaseTool:
    """The rehydrate tool; its asynchronous form asks the store in a thread."""

    def rehydrate(what: _What, runtime: ToolRuntime, cursor: _Cursor = None) -> str:
        return answer(what, cursor, runtime)

    async def arehydrate(what: _What, runtime: ToolRuntime, cursor: _Cursor = None) -> str:
        return await asyncio.to_thread(answer, what, cursor, runtime)

    return StructuredTool.from_function(
        func=rehydrate, coroutine=arehydrate, name=_RECALL["name"], description=_RECALL["description"]
    )
