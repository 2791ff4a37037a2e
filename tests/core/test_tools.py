"""Declarations of tools: conditions on arguments, which one holds for a call, and how they are written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.ids import canonical_json
from cenotaph.core.tools import PROFILES, Tools, ToolSpec, read_toml, write_toml
from cenotaph.errors import ToolSpecError

VIEW = ToolSpec("editor", handle="file:{path}", repeatable=True, when={"command": "view"})
CHANGE = ToolSpec("editor", writes="file:{path}", when={"command": ("create", "insert")})
OTHERWISE = ToolSpec("editor", writes="none")


# Which one holds ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "holds"),
    [
        ({"command": "view", "path": "a"}, VIEW),
        ({"command": "create"}, CHANGE),
        ({"command": "insert"}, CHANGE),
        ({"command": "undo"}, OTHERWISE),
        ({"command": "View"}, OTHERWISE),
        ({"command": ["view"]}, OTHERWISE),
        ({"command": None}, OTHERWISE),
        ({"path": "view"}, OTHERWISE),
        ({}, OTHERWISE),
        (None, OTHERWISE),
    ],
)
def test_the_first_whose_condition_fits_holds_else_the_one_without(args: Any, holds: ToolSpec) -> None:
    for order in ([VIEW, CHANGE, OTHERWISE], [OTHERWISE, VIEW, CHANGE]):
        assert Tools.of(order).for_call("editor", args) == holds


def test_where_nothing_fits_the_tool_is_unknown() -> None:
    tools = Tools.of([VIEW])
    assert tools.for_call("editor", {"command": "create"}) is None
    assert tools.for_call("editor", None) is None
    assert tools.for_call(None, {"command": "view"}) is None
    assert tools.get("editor") is None
    assert tools.declares("editor")
    assert not tools.declares("other")


def test_every_argument_of_a_condition_has_to_fit() -> None:
    both = ToolSpec("db", writes="none", when={"mode": "read", "scope": ("a", "b")})
    tools = Tools.of([both])
    assert tools.for_call("db", {"mode": "read", "scope": "b", "more": 1}) == both
    assert tools.for_call("db", {"mode": "read"}) is None
    assert tools.for_call("db", {"mode": "write", "scope": "a"}) is None


def test_of_two_conditions_that_fit_the_first_holds() -> None:
    wide = ToolSpec("editor", writes="none", when={"command": ("view", "show")})
    assert Tools.of([VIEW, wide]).for_call("editor", {"command": "view"}) == VIEW
    assert Tools.of([wide, VIEW]).for_call("editor", {"command": "view"}) == wide


# Joining ------------------------------------------------------------------------------------


def test_a_caller_who_declares_a_tool_anew_is_not_left_with_half_of_a_profiles_declarations() -> None:
    mine = ToolSpec("file_editor", writes="unknown")
    for tools in (Tools.of([mine], profile="openhands"), Tools.of(["openhands", mine])):
        assert tools.for_call("file_editor", {"command": "view", "path": "a"}) == mine
    assert Tools.of([mine, "openhands"]).for_call("file_editor", {"command": "view", "path": "a"}) != mine


def test_within_one_group_the_later_declaration_for_the_same_calls_holds() -> None:
    later = ToolSpec("editor", writes="none", when={"command": ("view",)})
    tools = Tools.of([VIEW, CHANGE, later])
    assert tools.for_call("editor", {"command": "view"}) == later
    assert tools.for_call("editor", {"command": "create"}) == CHANGE


# Hashing and writing ------------------------------------------------------------------------


def test_a_condition_is_the_same_however_it_is_written() -> None:
    spellings: list[Any] = [
        {"command": ("insert", "create")},
        {"command": ["create", "insert", "create"]},
    ]
    specs = {CHANGE, *(ToolSpec("editor", writes="file:{path}", when=spelling) for spelling in spellings)}
    assert len(specs) == 1
    assert len({canonical_json(spec.as_json()) for spec in specs}) == 1


def test_a_condition_cannot_be_changed_from_outside() -> None:
    given_ = {"command": "view"}
    spec = ToolSpec("editor", when=given_)
    given_["command"] = "create"
    assert spec.holds_for({"command": "view"})
    with pytest.raises(TypeError):
        spec.when["command"] = ("create",)  # type: ignore[index]


def test_a_declaration_without_a_condition_is_hashed_as_before_there_were_any() -> None:
    keys = {"name", "handle", "repeatable", "writes", "plan", "answers_human", "max_age"}
    (plain,) = Tools.of([ToolSpec("read", handle="file:{path}", repeatable=True)]).as_json()
    assert set(plain) == keys
    assert set(VIEW.as_json()) == {*keys, "when"}


def test_declarations_are_listed_by_name_and_those_of_one_tool_in_the_order_in_which_they_are_asked() -> None:
    one = Tools.of([ToolSpec("z"), VIEW, CHANGE, ToolSpec("a")]).as_json()
    other = Tools.of([ToolSpec("a"), VIEW, CHANGE, ToolSpec("z")]).as_json()
    assert one == other
    assert one != Tools.of([ToolSpec("a"), CHANGE, VIEW, ToolSpec("z")]).as_json()
    assert [spec["name"] for spec in one] == ["a", "editor", "editor", "z"]


names = st.text(min_size=1, max_size=8).filter(lambda name: not any("\ud800" <= c <= "\udfff" for c in name))
conditions = st.dictionaries(names, st.lists(names, min_size=1, max_size=3), min_size=1, max_size=3)
specs = st.builds(
    ToolSpec,
    names,
    handle=st.sampled_from([None, "file:{path}", 'grep:{a|b}@{c?} "quoted"\\ \x00']),
    repeatable=st.booleans(),
    writes=st.sampled_from([None, "none", "unknown", "file:{path}"]),
    plan=st.booleans(),
    answers_human=st.booleans(),
    max_age=st.none() | st.integers(0, 9),
    when=st.none() | conditions,
)


@given(st.lists(specs, max_size=6))
def test_what_is_written_as_toml_is_read_as_the_same_declarations(given_: list[ToolSpec]) -> None:
    assert read_toml(write_toml(given_)) == given_


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_can_be_written_and_read(profile: str) -> None:
    assert read_toml(write_toml(PROFILES[profile])) == list(PROFILES[profile])


def test_a_condition_stands_in_toml_as_a_table() -> None:
    text = '[[tool]]\nname = "e"\nwrites = "none"\nwhen = { command = "view", mode = ["a", "b"] }\n'
    (spec,) = read_toml(text)
    assert spec == ToolSpec("e", writes="none", when={"command": "view", "mode": ("a", "b")})
    assert write_toml([spec]) == text


# Refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "says"),
    [
        ({}, "when"),
        ("view", "when"),
        (["command"], "when"),
        ({"command": 3}, "when.command"),
        ({"command": True}, "when.command"),
        ({"command": []}, "when.command"),
        ({"command": ["view", 3]}, "when.command"),
        ({"command": {"is": "view"}}, "when.command"),
        ({3: "view"}, "when.3"),
    ],
)
def test_a_condition_that_names_no_argument_or_no_value_is_refused_by_its_key(when: Any, says: str) -> None:
    with pytest.raises(ToolSpecError) as caught:
        ToolSpec("editor", when=when)
    assert "'editor'" in str(caught.value)
    assert says in str(caught.value)


def test_an_error_in_a_file_names_the_file_and_the_tool() -> None:
    with pytest.raises(ToolSpecError, match=r"'e'.*when\.command"):
        read_toml('[[tool]]\nname = "e"\nwhen = { command = 3 }\n', where="T.toml")
