"""What may stand where: the core and the dialects are pure, and nothing swallows an error."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "cenotaph"
MODULES = sorted(SOURCE.rglob("*.py"))
PURE = sorted([*(SOURCE / "core").rglob("*.py"), *(SOURCE / "dialects").rglob("*.py")])

PURE_STDLIB = {
    *(
        "__future__",
        "binascii",
        "bisect",
        "collections",
        "collections.abc",
        "dataclasses",
        "difflib",
        "enum",
        "functools",
    ),
    *("hashlib", "heapq", "hmac", "itertools", "json", "math", "operator", "posixpath", "re", "statistics"),
    *("shlex", "string", "struct", "textwrap", "tomllib", "types", "typing", "unicodedata", "zlib"),
}
"""All that the core and the dialects may import beside this package: none of it reads the world."""

INSIDE = {
    "core": ("cenotaph.core", "cenotaph.limits", "cenotaph.errors", "cenotaph"),
    "dialects": ("cenotaph.dialects", "cenotaph.core", "cenotaph.limits", "cenotaph.errors"),
}

WORLD = {"open", "input", "print", "exec", "eval", "__import__", "globals", "breakpoint", "id"}
"""Builtins through which a pure module would reach the world, or depend on an address."""


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def impurities(tree: ast.AST, area: str) -> list[str]:
    found = []
    for line, name in imports_of(tree):
        ours = any(name == root or name.startswith(root + ".") for root in INSIDE[area] if root != "cenotaph")
        if not ours and name not in PURE_STDLIB and not (name == "cenotaph" and "cenotaph" in INSIDE[area]):
            found.append(f"line {line}: imports {name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WORLD:
            found.append(f"line {node.lineno}: calls {node.func.id}")
    return found


def silent_handlers(tree: ast.AST, *, outermost: bool = False) -> list[int]:
    """Handlers that do nothing, and handlers of everything that neither raise nor pass the error on.

    Args:
        tree: A module.
        outermost: It stands between this package and a person, so it may turn any error into words.
    """
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = (
            {"Exception", "BaseException"} if node.type is None else set(ast.unparse(node.type).split(", "))
        )
        passed_on = outermost and node.name in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        told = isinstance(node.body[-1], ast.Raise) or passed_on
        if (caught & {"Exception", "BaseException"} and not told) or all(map(_says_nothing, node.body)):
            found.append(node.lineno)
    return found


def _says_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_core_and_the_dialects_import_nothing_that_reads_the_world(path: Path) -> None:
    assert impurities(tree_of(path), path.relative_to(SOURCE).parts[0]) == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_swallows_an_error(path: Path) -> None:
    outermost = path.relative_to(SOURCE).parts[0] in ("surfaces", "adapters")
    assert silent_handlers(tree_of(path), outermost=outermost) == []


@pytest.mark.parametrize(
    "code",
    [
        *("import os", "from time import time", "import random", "from logging import getLogger"),
        *("import socket", "from pathlib import Path", "from datetime import datetime", "import sqlite3"),
        *("from cenotaph.store.base import Store", "from cenotaph import api", "open('x')", "print(1)"),
        *("import collections.abc, os.path", "from cenotaph.dialects.detect import detect"),
        "def f():\n    import uuid\n",
    ],
)
def test_the_check_of_purity_sees_what_it_is_for(code: str) -> None:
    assert impurities(ast.parse(code), "core") or code == "from cenotaph import api"
    if code != "from cenotaph.dialects.detect import detect":
        assert impurities(ast.parse(code), "dialects")


@pytest.mark.parametrize(
    "handler",
    [
        "except Exception:\n    pass",
        "except:\n    x = 1",
        "except OSError:\n    pass",
        "except OSError:\n    ...",
    ],
)
def test_the_check_of_handlers_sees_what_it_is_for(handler: str) -> None:
    for outermost in (False, True):
        assert silent_handlers(ast.parse(f"try:\n    x = 1\n{handler}\n"), outermost=outermost) == [3]


def test_only_the_outermost_layer_may_turn_any_error_into_words() -> None:
    tree = ast.parse("try:\n    x = 1\nexcept Exception as error:\n    x = say(error)\n")
    assert silent_handlers(tree) == [3]
    assert silent_handlers(tree, outermost=True) == []


def test_only_the_runtime_and_the_outside_read_the_clock_or_the_environment() -> None:
    sources = {"time", "datetime", "random", "logging", "getpass", "platform", "uuid"}
    readers = {
        (path.relative_to(SOURCE).parts[0], name.partition(".")[0])
        for path in MODULES
        for _, name in imports_of(tree_of(path))
        if name.partition(".")[0] in sources
    }
    outside = {area for area, _ in readers} - {"runtime", "surfaces", "adapters", "testing"}
    assert outside <= {"store"}
    assert {name for area, name in readers if area == "store"} <= {"time"}, "a store only waits for a lock"


def test_no_module_of_ours_imports_upwards() -> None:
    order = [
        "surfaces",
        "adapters",
        "testing",
        "api",
        "runtime",
        "store",
        "dialects",
        "core",
        "limits",
        "errors",
    ]
    below = {name: order[i:] for i, name in enumerate(order)}
    below |= {"adapters": below["adapters"], "store": ["store", "core", "limits", "errors"]}
    upward = []
    for path in MODULES:
        area = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if area not in below:
            continue
        for line, name in imports_of(tree_of(path)):
            target = name.split(".")[1] if name.startswith("cenotaph.") else ""
            if target and target not in below[area]:
                upward.append(f"{path.relative_to(SOURCE)}:{line} imports {name}")
    assert upward == []
