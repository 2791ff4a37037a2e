"""Changes one thing at a time in a validator and asks whether its own tests see it.

    python benchmarks/mutants.py [MODULE...] [--jobs 2] [--seconds 60] [--list]

MODULE is a name of `VALIDATORS` (default: all). Each mutant is run in a fork with the module's tests alone, the
quickest first and without pytest, whose start takes longer than they do; it is killed if one of them fails or
they do not come back in time. Words that only a person reads (the notes of breaches,
docstrings), annotations and `__all__` are not changed. Prints each survivor with its line and what became of it,
then killed and total per module; the exit status is 1 if less than 95 % of a module's mutants were killed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import importlib
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "dialects")]
settings.register_profile(
    "mutants", deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile("mutants")
KILLED_MIN = 0.95

VALIDATORS: dict[str, tuple[str, ...]] = {
    "anthropic_rules": ("test_rules_anthropic",),
    "anthropic_compaction_rules": ("test_rules_anthropic_compaction",),
    "openai_rules": ("test_rules_openai",),
    "responses_rules": ("test_openai_responses_rules",),
    "gemini_rules": ("test_gemini_rules",),
    "bedrock_rules": ("test_bedrock_rules",),
    "pydantic_ai_rules": ("test_pydantic_ai_rules",),
    "langchain_rules": ("test_langchain_rules",),
}
"""Modules of `cenotaph.dialects`, with their tests in `tests/dialects`."""

BUILT_ON = {"anthropic_compaction_rules": ("anthropic_rules",)}
"""Modules that hold what a validator gave when they were loaded: they are loaded again."""

Change = Callable[[ast.AST], ast.AST | None]
"""Gives what stands in a node's place; None takes it away."""

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
SWAPPED = {"any": "all", "all": "any", "max": "min", "min": "max"}


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        line: Where in the source.
        before: The node as it was written.
        after: As it is now.
        number: Of the node, as `ast.walk` comes to it.
        change: What is done to it.
    """

    line: int
    before: str
    after: str
    number: int
    change: Change

    def applied(self, tree: ast.Module) -> ast.Module:
        """The module with the change in it."""
        whole = copy.deepcopy(tree)
        target = next(node for at, node in enumerate(ast.walk(whole)) if at == self.number)
        new = self.change(target)
        if new is not target:
            _put(whole, target, new)
        return ast.fix_missing_locations(whole)


# Which changes ------------------------------------------------------------------------------


def mutants_of(tree: ast.Module) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    silent = set(_silent(tree))
    found = []
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in silent:
            line = getattr(node, "lineno", getattr(getattr(node, "target", None), "lineno", 0))
            found += [Mutant(line, ast.unparse(node), _told(node, change), number, change) for change in _changes(node)]
    return sorted((mutant for mutant in found if mutant.before != mutant.after), key=lambda mutant: mutant.line)


def _told(node: ast.AST, change: Change) -> str:
    new = change(copy.deepcopy(node))
    return "nothing" if new is None else ast.unparse(ast.fix_missing_locations(new))


def _put(tree: ast.Module, old: ast.AST, new: ast.AST | None) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
                return
            if isinstance(value, list) and any(item is old for item in value):
                at = next(at for at, item in enumerate(value) if item is old)
                value[at : at + 1] = [] if new is None else [new]
                if not value and name == "body":
                    value.append(ast.Pass())
                return


def _silent(tree: ast.Module) -> Iterator[int]:
    """Nodes that only a person or a type checker reads."""
    for node in ast.walk(tree):
        for part in _unread(node):
            yield from (id(inner) for inner in ast.walk(part))


def _unread(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) and _is_words(node.value.value):
        yield node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Breach":
        yield from node.args[2:]
    if isinstance(node, ast.JoinedStr):
        yield node
    if isinstance(node, ast.Assign | ast.AnnAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if ast.unparse(target) in ("__all__", "note") or _is_alias(node.value):
            yield node
    for field in ("annotation", "returns"):
        told = getattr(node, field, None)
        if told is not None:
            yield told


def _is_words(value: ast.AST | None) -> bool:
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and " " in str(value.value))


def _is_alias(value: ast.AST | None) -> bool:
    """`Callable[...]`, `Literal[...]`, `tuple[...]`: a type by another name."""
    return isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and value.value.id in (
        "Callable", "Literal", "tuple", "Mapping"
    )  # fmt: skip


def _changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=[op]):
            yield from (_operator(new) for new in COMPARISONS[type(op)])
        case ast.BoolOp():
            yield _bool_op
            yield from (_without("values", at) for at in range(len(node.values)))
        case ast.UnaryOp(op=ast.Not()):
            yield lambda n: n.operand  # type: ignore[attr-defined]
        case ast.BinOp(op=op) if type(op) in ARITHMETIC:
            yield _arithmetic
        case ast.Constant(value=bool()):
            yield lambda n: ast.Constant(not n.value)  # type: ignore[attr-defined]
        case ast.Constant(value=int()):
            yield lambda n: ast.Constant(n.value + 1)  # type: ignore[attr-defined]
            yield lambda n: ast.Constant(n.value - 1)  # type: ignore[attr-defined]
        case ast.Constant(value=str()):
            yield lambda n: ast.Constant(n.value + "XX")  # type: ignore[attr-defined]
        case ast.If() | ast.IfExp():
            yield lambda n: _with(n, "test", ast.Constant(True))
            yield lambda n: _with(n, "test", ast.Constant(False))
        case ast.While():
            yield lambda n: _with(n, "test", ast.Constant(False))
        case ast.comprehension(ifs=ifs) if ifs:
            yield from (_without("ifs", at) for at in range(len(ifs)))
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield lambda n: _with(n, "value", ast.Constant(None))
            yield lambda n: _with(n, "value", ast.List([], ast.Load()))
        case ast.Expr() | ast.AugAssign():
            yield lambda n: ast.Pass()
        case ast.Continue():
            yield lambda n: ast.Break()
            yield lambda n: ast.Pass()
        case ast.Break():
            yield lambda n: ast.Pass()
        case ast.Slice():
            yield from (_without_bound(name) for name in ("lower", "upper") if getattr(node, name) is not None)
        case ast.Tuple(elts=elts, ctx=ast.Load()) | ast.Set(elts=elts) if len(elts) > 1:
            yield from (_without("elts", at) for at in range(len(elts)))
        case ast.Dict(keys=keys) if keys:
            yield from (_without_key(at) for at in range(len(keys)))
        case ast.Call(func=ast.Name(id=name)) if name in SWAPPED:
            yield lambda n: _with(n, "func", ast.Name(SWAPPED[n.func.id], ast.Load()))  # type: ignore[attr-defined]


def _with(node: ast.AST, field: str, value: ast.AST) -> ast.AST:
    setattr(node, field, value)
    return node


def _operator(new: type[ast.cmpop]) -> Change:
    def change(node: ast.AST) -> ast.AST:
        node.ops = [new()]  # type: ignore[attr-defined]
        return node

    return change


def _bool_op(node: ast.AST) -> ast.AST:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()  # type: ignore[attr-defined]
    return node


def _arithmetic(node: ast.AST) -> ast.AST:
    node.op = ARITHMETIC[type(node.op)]()  # type: ignore[attr-defined]
    return node


def _without(field: str, at: int) -> Change:
    def change(node: ast.AST) -> ast.AST:
        kept: list[ast.expr] = getattr(node, field)
        del kept[at]
        return kept[0] if field == "values" and len(kept) == 1 else node

    return change


def _without_key(at: int) -> Change:
    def change(node: ast.AST) -> ast.AST:
        del node.keys[at], node.values[at]  # type: ignore[attr-defined]
        return node

    return change


def _without_bound(name: str) -> Change:
    def change(node: ast.AST) -> ast.AST:
        setattr(node, name, None)
        return node

    return change


# Running them -------------------------------------------------------------------------------


Case = Callable[[], Any]


def cases_of(tests: ModuleType) -> list[Case]:
    """Every test of a module with each of its parameters, the quickest first."""
    cases = [case for name, test in vars(tests).items() if name.startswith("test_") for case in _cases(test)]
    return sorted(cases, key=_seconds)


def _cases(test: Callable[..., Any]) -> Iterator[Case]:
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    for chosen in itertools.product(*(mark.args[1] for mark in marks)):
        given: dict[str, Any] = {}
        for mark, value in zip(marks, chosen, strict=True):
            told = mark.args[0]
            names = [name.strip() for name in told.split(",")] if isinstance(told, str) else list(told)
            given.update(zip(names, value if len(names) > 1 else (value,), strict=True))
        yield functools.partial(test, **given)


def _seconds(case: Case) -> float:
    started = time.perf_counter()
    case()
    return time.perf_counter() - started


def survives(module: ModuleType, tree: ast.Module, cases: list[Case], seconds: int, mutant: Mutant) -> bool:
    """Whether the tests see nothing; they run in a child of their own."""
    child = os.fork()
    if child == 0:
        os._exit(_seen(module, tree, mutant, cases, seconds))
    return os.waitpid(child, 0)[1] == 0


def _seen(module: ModuleType, tree: ast.Module, mutant: Mutant, cases: list[Case], seconds: int) -> int:
    signal.alarm(seconds)
    try:
        exec(compile(mutant.applied(tree), str(module.__file__), "exec"), module.__dict__)
        for built in BUILT_ON.get(module.__name__.rpartition(".")[2], ()):
            importlib.reload(sys.modules[f"cenotaph.dialects.{built}"])
        for case in cases:
            case()
    except BaseException:  # noqa: BLE001 - whatever is raised is what kills it
        return 1
    return 0


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(VALIDATORS)}")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--seconds", type=int, default=60, help="a mutant whose tests take longer is killed")
    parser.add_argument("--list", action="store_true", help="show the mutants and run nothing")
    args = parser.parse_args(argv)
    low = False
    for name in args.modules or VALIDATORS:
        module = importlib.import_module(f"cenotaph.dialects.{name}")
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        mutants = mutants_of(tree)
        if args.list:
            print(*(_line(name, mutant) for mutant in mutants), sep="\n")
            continue
        cases = [case for test in VALIDATORS[name] for case in cases_of(importlib.import_module(test))]
        alive = functools.partial(survives, module, tree, cases, args.seconds)
        survivors = _survivors(alive, mutants, args.jobs)
        killed = len(mutants) - len(survivors)
        print(*(_line(name, mutant) for mutant in survivors), sep="\n")
        print(f"{name}: {killed} of {len(mutants)} killed ({killed / len(mutants):.1%})", flush=True)
        low = low or killed < KILLED_MIN * len(mutants)
    return 1 if low else 0


def _line(name: str, mutant: Mutant) -> str:
    def short(text: str) -> str:
        return " ".join(text.split())[:110]

    return f"  {name}:{mutant.line}: {short(mutant.before)}  ->  {short(mutant.after)}"


def _survivors(survives: Callable[[Mutant], bool], mutants: list[Mutant], jobs: int) -> list[Mutant]:
    """Shares the mutants out among children, which say by their numbers which survived."""
    pipes = []
    for job in range(jobs):
        out, into = os.pipe()
        if os.fork() == 0:
            alive = [str(n) for n in range(job, len(mutants), jobs) if survives(mutants[n])]
            os.write(into, " ".join(alive).encode())
            os._exit(0)
        os.close(into)
        pipes.append(out)
    numbers: list[int] = []
    for pipe in pipes:
        with os.fdopen(pipe, "rb") as told:
            numbers += map(int, told.read().split())
        os.wait()
    return [mutants[n] for n in sorted(numbers)]


if __name__ == "__main__":
    sys.exit(main())
