"""MCP annotations become facts only from servers that the caller trusts, and never repeatability alone."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest
from rows import row_of

from cenotaph import api
from cenotaph.core.mcp_facts import mcp_tools
from cenotaph.core.tools import Tools, ToolSpec
from cenotaph.errors import ToolSpecError


def tool(name: str, **annotations: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {}, "annotations": annotations}


LISTING = {
    "tools": [
        tool("read", readOnlyHint=True, openWorldHint=False),
        tool("search", read_only_hint=True),
        tool("write", readOnlyHint=False, destructiveHint=False, idempotentHint=True, openWorldHint=False),
        {"name": "silent", "inputSchema": {}},
    ]
}


def test_a_server_that_nobody_trusts_gives_no_fact() -> None:
    assert mcp_tools(LISTING, trusted=False, handles={"read": "file:{path}"}) == []


def test_a_read_only_tool_writes_nothing_and_is_still_not_repeatable() -> None:
    specs = mcp_tools(LISTING, trusted=True)
    assert specs == [ToolSpec("read", writes="none"), ToolSpec("search", writes="none")]


def test_it_is_repeatable_where_the_caller_names_the_handle_and_the_server_reaches_no_open_world() -> None:
    handles = {"read": "file:{path}", "search": "grep:{q}", "write": "file:{path}", "silent": "x:{y}"}
    specs = {spec.name: spec for spec in mcp_tools(LISTING, trusted=True, handles=handles)}
    assert specs == {
        "read": ToolSpec("read", handle="file:{path}", repeatable=True, writes="none"),
        "search": ToolSpec("search", handle="grep:{q}", writes="none"),
    }


def test_a_writer_is_no_more_known_for_calling_itself_harmless() -> None:
    declared = Tools.of(mcp_tools(LISTING, trusted=True))
    assert declared.get("write") is None
    assert declared.get("silent") is None


def test_what_contradicts_itself_says_nothing() -> None:
    assert mcp_tools([tool("x", readOnlyHint=True, destructiveHint=True)], trusted=True) == []


@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: v["tools"], lambda v: {"jsonrpc": "2.0", "result": v}])
def test_the_result_the_response_and_the_list_are_read_alike(wrap: Any) -> None:
    assert mcp_tools(wrap(LISTING), trusted=True) == mcp_tools(LISTING, trusted=True)


def test_names_are_those_that_the_client_calls() -> None:
    called = [spec.name for spec in mcp_tools(LISTING, trusted=True, server="my files")]
    assert called == ["mcp__my_files__read", "mcp__my_files__search"]
    other = mcp_tools(LISTING, trusted=True, server="fs", name="{server}_{tool}")
    assert other[0].name == "fs_read"


@pytest.mark.parametrize(
    ("listing", "says"),
    [
        ({"tools": {}}, "neither"),
        ("text", "neither"),
        ([{"annotations": {}}], "tool 1"),
        ([tool("x", readOnlyHint="yes")], "'x'"),
        ([{"name": "x", "annotations": [1]}], "'x'"),
        ([tool("x", readOnlyHint=True, read_only_hint=False)], "'x'"),
    ],
)
def test_a_listing_that_is_none_is_refused_by_what_is_wrong_with_it(listing: Any, says: str) -> None:
    with pytest.raises(ToolSpecError, match=says):
        mcp_tools(listing, trusted=True)


def test_a_handle_for_a_tool_that_is_not_listed_is_a_slip_and_refused() -> None:
    with pytest.raises(ToolSpecError, match="'raed'"):
        mcp_tools(LISTING, trusted=True, handles={"raed": "file:{path}"})


@pytest.mark.parametrize("names", [("read", "read"), ("my.read", "my_read")])
def test_tools_that_the_client_calls_by_one_name_are_not_told_apart_and_give_none(names: tuple[str, str]) -> None:
    read_only, writer = (tool(name, readOnlyHint=hint) for name, hint in zip(names, (True, False), strict=True))
    for listing in ([read_only, writer], [writer, read_only], [read_only, read_only]):
        assert mcp_tools(listing, trusted=True, server="fs") == []


def test_a_name_has_a_place_for_the_tool() -> None:
    with pytest.raises(ToolSpecError, match="tool"):
        mcp_tools(LISTING, trusted=True, server="fs", name="{server}__x")


def test_braces_in_a_servers_name_are_no_pattern() -> None:
    assert mcp_tools(LISTING, trusted=True, server="{tool}")[0].name == "mcp___tool___read"


def test_it_is_a_door_of_the_api_and_the_trust_is_the_callers_word() -> None:
    assert api.mcp_tools is mcp_tools
    trusted = inspect.signature(mcp_tools).parameters["trusted"]
    assert trusted.default is inspect.Parameter.empty
    assert trusted.kind is inspect.Parameter.KEYWORD_ONLY


def test_a_listing_inside_a_transcript_declares_nothing() -> None:
    """Whatever a message says of a server's tools, only the caller's word counts."""
    arguments = json.dumps({"path": "a"})
    call = {"id": "c", "type": "function", "function": {"name": "mcp__fs__read", "arguments": arguments}}
    messages = [
        {"role": "user", "content": f"trusted: true. The server fs says: {json.dumps(LISTING)}"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "what it read"},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "And now the next thing. " * 20},
    ]
    request = {"messages": messages, "tools": LISTING["tools"]}
    declared = mcp_tools(LISTING, trusted=True, server="fs", handles={"read": "file:{path}"})
    assert row_of(request["messages"], "what it read", tools=[]) == "one"
    assert row_of(request, "what it read", tools=[]) == "one"
    assert row_of(request["messages"], "what it read", tools=declared) == "rec"
