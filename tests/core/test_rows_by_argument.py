"""Editors that read or write by an argument: each call is what that argument says, and nothing more."""

from __future__ import annotations

from typing import Any

import pytest
from rows import row_of

from cenotaph import ToolSpec
from talk import calls, returned, said

LONG = "A request that is long enough to stand for itself, so it leans on nothing that was said before. " * 3
EDITORS = [
    ("openhands", "str_replace_editor"),
    ("openhands", "file_editor"),
    ("openhands", "planning_file_editor"),
    ("swe-agent", "str_replace_editor"),
]
SHOWN = "Here is what it holds:\n     1\timport os"


def step(number: int, tool: str, output: str, **args: Any) -> list[Any]:
    return [calls((f"c{number}", tool, args)), returned(f"c{number}", output)]


def talked(tool: str, *done: tuple[str, dict[str, Any]]) -> list[Any]:
    """A request, the calls of one tool with their outputs, an answer, and the next request."""
    steps = [message for n, (output, args) in enumerate(done) for message in step(n, tool, output, **args)]
    return [said("user", "Go."), *steps, said("assistant", "That is done."), said("user", LONG)]


def view(output: str = SHOWN, path: str = "/repo/app.py", **more: Any) -> tuple[str, dict[str, Any]]:
    return output, {"command": "view", "path": path, **more}


def change(command: str, path: str = "/repo/app.py", **more: Any) -> tuple[str, dict[str, Any]]:
    return f"{command} was done", {"command": command, "path": path, **more}


CHANGES = [
    change("create", file_text="import os\n"),
    change("str_replace", old_str="os", new_str="sys"),
    change("insert", insert_line=1, new_str="import sys"),
    change("undo_edit"),
]


@pytest.mark.parametrize(("profile", "tool"), EDITORS)
def test_a_view_is_a_read_that_can_be_had_again(profile: str, tool: str) -> None:
    messages = talked(tool, view())
    assert row_of(messages, SHOWN, tools=[profile]) == "rec"


@pytest.mark.parametrize(("profile", "tool"), EDITORS)
@pytest.mark.parametrize("changed", CHANGES, ids=lambda done: done[1]["command"])
def test_a_change_is_a_write_and_what_was_seen_of_the_file_is_dead(profile: str, tool: str, changed: Any) -> None:
    messages = talked(tool, view(), view("another file", "/repo/b.py"), changed)
    assert row_of(messages, SHOWN, tools=[profile]) == "ded"
    assert row_of(messages, "another file", tools=[profile]) == "rec"
    assert row_of(messages, changed[0], kind="result", tools=[profile]) == "wrt"
    assert row_of(messages, f'"{changed[1]["command"]}"', kind="call", tools=[profile]) == "wrt"


@pytest.mark.parametrize(("profile", "tool"), EDITORS)
@pytest.mark.parametrize(
    "args",
    [
        {"path": "/repo/b.py"},
        {"command": "rename", "path": "/repo/b.py"},
        {"command": ["view"], "path": "/repo/b.py"},
        {"command": 1, "path": "/repo/b.py"},
        {"command": None, "path": "/repo/b.py"},
        {"command": "VIEW", "path": "/repo/b.py"},
    ],
    ids=["missing", "unknown", "a list", "a number", "null", "capitals"],
)
def test_without_a_known_command_the_call_is_one_shot_and_may_have_written_anything(
    profile: str, tool: str, args: Any
) -> None:
    messages = talked(tool, view(), ("some words came back", args))
    assert row_of(messages, "some words came back", tools=[profile]) == "one"
    assert row_of(messages, SHOWN, tools=[profile]) == "ded"


def test_arguments_that_cannot_be_read_fit_no_condition() -> None:
    torn = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "t", "type": "function", "function": {"name": "file_editor", "arguments": '{"command": "view", "pa'}}
    ]}  # fmt: skip
    messages = talked("file_editor", view())
    messages[3:3] = [torn, returned("t", "some words came back")]
    assert row_of(messages, "some words came back", tools=["openhands"]) == "one"
    assert row_of(messages, SHOWN, tools=["openhands"]) == "ded"


def test_a_view_without_a_path_has_no_handle() -> None:
    messages = talked("file_editor", ("some words came back", {"command": "view"}))
    assert row_of(messages, "some words came back", tools=["openhands"]) == "one"


# Coverage -----------------------------------------------------------------------------------


def whole(lines: int) -> str:
    return "\n".join(["Here is the whole:", *(f"{n:6}\tline" for n in range(1, lines + 1))])


@pytest.mark.parametrize(
    ("earlier", "later", "row"),
    [
        (view(), view(whole(9)), "sup"),
        (view(view_range=[2, 5]), view(whole(9), view_range=[2, 5]), "sup"),
        (view(view_range=[2, 5]), view(whole(9)), "sup"),
        (view(view_range=[2, 5]), view(whole(4)), "rec"),
        (view(view_range=[2, 9]), view(whole(9)), "rec"),
        (view(view_range=[2, -1]), view(whole(99)), "rec"),
        (view(view_range=[5, 2]), view(whole(99)), "rec"),
        (view(view_range=[2]), view(whole(99)), "rec"),
        (view(view_range=["2", "5"]), view(whole(99)), "rec"),
        (view(view_range=[True, 5]), view(whole(99)), "rec"),
        (view(view_range=[2, 5]), view(whole(9), view_range=[1, 9]), "rec"),
        (view(), view(whole(9), view_range=[1, 9]), "rec"),
        (view(), view(whole(9), "/repo/b.py"), "rec"),
        (view(concise="yes"), view(whole(99)), "rec"),
    ],
)
def test_a_range_is_covered_by_the_same_one_or_by_a_whole_that_reaches_past_its_end(
    earlier: Any, later: Any, row: str
) -> None:
    assert row_of(talked("file_editor", earlier, later), SHOWN, tools=["openhands"]) == row


def test_a_change_covers_nothing() -> None:
    messages = talked("file_editor", view(), change("create", file_text="x"))
    assert row_of(messages, SHOWN, tools=["openhands"]) == "ded"


def test_calls_that_differ_in_an_argument_of_the_condition_do_not_cover_each_other() -> None:
    peek = ToolSpec("peek", handle="file:{path}", repeatable=True, when={"how": ("text", "outline")})
    one = ("the text of it", {"how": "text", "path": "a", "limit": 2})
    for how, row in (("text", "sup"), ("outline", "rec")):
        messages = talked("peek", one, (whole(9), {"how": how, "path": "a"}))
        assert row_of(messages, "the text of it", tools=[peek]) == row


# Folders ------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["/repo", "/repo/", "/repo/src", "/"])
def test_a_listing_of_a_folder_is_no_longer_sure_after_a_change_below_it(folder: str) -> None:
    created = change("create", "/repo/src/deep/new.py", file_text="x")
    assert row_of(talked("file_editor", view("a listing", folder)), "a listing", tools=["openhands"]) == "rec"
    assert row_of(talked("file_editor", view("a listing", folder), created), "a listing", tools=["openhands"]) == "ded"


def test_a_change_elsewhere_leaves_the_listing_live() -> None:
    created = change("create", "/other/new.py", file_text="x")
    messages = talked("file_editor", view("a listing", "/repo"), created)
    assert row_of(messages, "a listing", tools=["openhands"]) == "rec"


# Plans --------------------------------------------------------------------------------------


def test_a_look_at_the_task_list_is_no_plan_call() -> None:
    tasks = [{"title": "one", "status": "todo"}, {"title": "two", "status": "done"}]
    messages = talked(
        "task_tracker", ("updated", {"command": "plan", "task_list": tasks}), ("seen", {"command": "view"})
    )
    assert row_of(messages, "updated", tools=["openhands"]) == "pln"
    assert row_of(messages, "seen", tools=["openhands"]) == "one"
