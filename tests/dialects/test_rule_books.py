"""Each provider rule says its id, what it asks for and where that was read; the books hold every rule."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pytest

from cenotaph.api.reading import _WIRES
from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import rule_books, rule_text
from cenotaph.dialects.rule_books import BOOKS

RULES = sorted({rule for book in BOOKS.values() for rule in (*book.request, *book.cut)}, key=lambda rule: rule.__name__)
MODULES = [held for name, held in inspect.getmembers(rule_books, inspect.ismodule) if name.endswith("_rules")]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}")
def test_a_rule_says_its_id_what_it_asks_for_and_its_source(rule: Callable[..., Any]) -> None:
    text = rule_text.text_of(rule)
    assert text.id != rule.__name__
    assert text.says.endswith((".", ".)"))
    assert len(text.source) > len("as O1")
    assert "Source:" not in text.says + text.note + text.source


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_every_rule_of_a_module_is_in_a_book_and_gives_breaches_of_its_own_id(module: ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))
    written = {node.name: _ids(node) for node in tree.body if isinstance(node, ast.FunctionDef) and _ids(node)}
    held = {rule.__name__: rule_text.text_of(rule).id for rule in RULES if rule.__module__ == module.__name__}
    for name, ids in written.items():
        if name in held:
            assert ids == {held[name]}, name
        elif not name.startswith("_"):
            # Front doors refuse a body without messages; O6 between two named providers is asked by its caller.
            assert name in ("request_breaches", "compaction_readable"), name


def _ids(function: ast.FunctionDef) -> set[str]:
    """The ids of the breaches that a function makes itself."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    made = [node.args[0] for node in calls if isinstance(node.func, ast.Name) and node.func.id == "Breach"]
    return {str(arg.value) for arg in made if isinstance(arg, ast.Constant)}


def test_each_wire_has_a_book() -> None:
    assert BOOKS.keys() == _WIRES.keys()


@pytest.mark.parametrize("wire", BOOKS)
@pytest.mark.parametrize("body", [None, {"model": "claude-opus-5", "modelId": "m", "tools": [], "messages": []}])
@pytest.mark.parametrize("tools", [None, True, False])
def test_only_rules_of_the_book_are_asked_and_each_once(
    wire: str, body: dict[str, JSON] | None, tools: bool | None
) -> None:
    book = BOOKS[wire]
    rules = [rule for rule, _ in book.checks([], body, tools=tools)]
    assert len(rules) == len(set(rules)) > 0
    assert set(rules) <= set(book.request)


@pytest.mark.parametrize("wire", BOOKS)
def test_a_whole_request_is_asked_every_rule_on_requests(wire: str) -> None:
    body = {"model": "claude-opus-5", "modelId": "m", "tools": [], "messages": []}
    made = {"object": "response.compaction"} if wire == "openai-responses" else body
    book = BOOKS[wire]
    asked = {rule for given in (body, made) for rule, _ in book.checks([], given)}
    assert asked == set(book.request)


def test_texts_come_in_the_order_of_the_book() -> None:
    book = BOOKS["gemini"]
    assert [text.id for text in book.texts()][:3] == ["G1", "G2", "G3"]
    assert [text.id for text in book.texts()][-2:] == ["G4", "G5"]


# Reading a docstring -------------------------------------------------------------------------


def test_a_docstring_is_read_as_id_claim_note_and_source_without_its_arguments() -> None:
    def rule(messages: Sequence[JSON]) -> list[Breach]:
        """X1: it
        holds. Source: a page.

        Args:
            messages: These.
        """
        return []

    def longer(messages: Sequence[JSON]) -> list[Breach]:
        """X-2 on a cut: it holds.

        Args:
            messages: These.

        But not: always.
        Source: two
        pages: here.
        """
        return []

    def silent(messages: Sequence[JSON]) -> list[Breach]:
        return []

    assert rule_text.text_of(rule) == rule_text.RuleText("X1", "it holds.", "", "a page.")
    assert rule_text.text_of(longer) == rule_text.RuleText("X-2", "it holds.", "But not: always.", "two pages: here.")
    assert rule_text.text_of(silent) == rule_text.RuleText("silent", "", "", "")


def test_breaches_come_rule_by_rule() -> None:
    one, two = Breach("X1", 3, ""), Breach("X2", 1, "")
    assert rule_text.found_by([(len, [one]), (max, []), (min, [two])]) == [one, two]
    assert rule_text.messages_in({"messages": [1], "input": (2,)}, "input") == (2,)
    assert rule_text.messages_in({"messages": "x"}, "messages") is None
