"""The surface: its names, its signatures, and what an import of it costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

import cenotaph

NAMES = {
    *("Action", "Budget", "BudgetExhausted", "CenotaphError", "CompactionInvariantError", "CompactionRecord"),
    *("IndexBudgetExceeded", "IrreversibleCompactionError", "Policy", "Provenance", "Rehydrated", "Result"),
    *("Session", "SpanClass", "Tombstone", "ToolSpec", "classify", "compact", "open_store"),
    *("plan_compaction", "rehydrate", "rehydrate_tool", "verify", "audit", "OpenAISummarizer", "AnthropicSummarizer"),
}

KEYWORDS_OF_COMPACT = {
    *("budget", "to_tokens", "dialect", "policy", "tools", "pins", "keep", "store", "session", "model"),
    *("binding", "drop_block", "region", "actor", "on_plan", "on_halt", "summarizer", "rehydrate"),
}

FIXED_BY_THE_DESIGN = {
    *("compact", "Session", "Policy", "Budget", "plan_compaction", "rehydrate", "CompactionRecord"),
    *("Tombstone", "SpanClass", "Action", "ToolSpec", "CenotaphError", "CompactionInvariantError"),
    *("BudgetExhausted", "IndexBudgetExceeded", "IrreversibleCompactionError"),
}


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_public_names_are_these_and_each_is_there() -> None:
    assert set(cenotaph.__all__) >= FIXED_BY_THE_DESIGN
    assert set(cenotaph.__all__) == NAMES
    assert all(getattr(cenotaph, name) is not None for name in cenotaph.__all__)
    assert set(cenotaph.__all__) <= set(dir(cenotaph))


def test_each_public_name_is_public_in_its_own_module_too() -> None:
    for name in cenotaph.__all__:
        module = import_module(getattr(cenotaph, name).__module__)
        assert name in getattr(module, "__all__", vars(module))


def test_a_name_that_is_not_public_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="no attribute 'summarise_everything'"):
        cenotaph.summarise_everything  # noqa: B018


def test_importing_the_package_loads_no_third_party_module_and_nothing_heavy() -> None:
    loaded = python(
        "import sys; before = set(sys.modules); import cenotaph; "
        "print('\\n'.join(sorted(set(sys.modules) - before)))"
    ).split()
    roots = {name.partition(".")[0] for name in loaded}
    assert roots - {"cenotaph"} <= set(sys.stdlib_module_names)
    assert not roots & {"asyncio", "socket", "ssl", "sqlite3", "logging", "http", "urllib", "ctypes"}
    assert not {name for name in loaded if name.startswith("cenotaph.")}


def test_compacting_in_memory_loads_neither_sqlite_nor_a_network_module() -> None:
    loaded = set(
        python(
            "import sys; import cenotaph; "
            "cenotaph.compact([{'role': 'user', 'content': 'hello'}], to_tokens=100, dialect='anthropic'); "
            "print('\\n'.join(sys.modules))"
        ).split()
    )
    assert not loaded & {"sqlite3", "socket", "ssl", "asyncio", "http.client", "urllib.request", "rich"}


def test_compact_takes_the_messages_and_otherwise_keywords_only() -> None:
    first, *rest = inspect.signature(cenotaph.compact).parameters.values()
    assert (first.name, first.default) == ("messages", inspect.Parameter.empty)
    assert {parameter.kind for parameter in rest} == {inspect.Parameter.KEYWORD_ONLY}
    assert {parameter.name for parameter in rest} >= KEYWORDS_OF_COMPACT
    assert all(parameter.default is not inspect.Parameter.empty for parameter in rest)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("plan_compaction", ["spans", "target_tokens"]),
        ("rehydrate", ["what", "store", "session", "limit_chars", "cursor"]),
        ("ToolSpec", ["name", "handle", "repeatable", "writes", "plan", "answers_human", "max_age", "when"]),
        ("Budget", ["window", "trigger", "target", "overhead", "min_gain", "protected_max"]),
        ("Tombstone", ["kind", "turn", "n", "recover"]),
    ],
)
def test_the_fixed_signatures_are_as_written(name: str, parameters: list[str]) -> None:
    assert list(inspect.signature(getattr(cenotaph, name)).parameters) == parameters


def test_the_defaults_of_a_budget_and_a_tool_are_the_designs() -> None:
    budget = cenotaph.Budget(window=200_000)
    shares = (budget.trigger, budget.target, budget.overhead, budget.min_gain, budget.protected_max)
    assert shares == (0.70, 0.45, 0, 0.10, 0.35)
    spec = cenotaph.ToolSpec("x")
    assert (spec.handle, spec.repeatable, spec.writes, spec.plan, spec.answers_human, spec.max_age) == (
        *(None, False, None, False, False, None),
    )


def test_classes_and_actions_are_strings_with_the_values_of_the_contract() -> None:
    assert [cls.value for cls in cenotaph.SpanClass] == [
        "authoritative_in_context",
        "recoverable",
        "disposable",
    ]
    assert {action.value for action in cenotaph.Action} == {
        *("keep", "protect", "drop", "summarize", "evict", "evict_with_tombstone"),
    }
    assert cenotaph.Action.evict == "evict"
    assert cenotaph.SpanClass.disposable == "disposable"


def test_the_error_tree_is_as_the_design_says() -> None:
    assert issubclass(cenotaph.CompactionInvariantError, RuntimeError)
    assert issubclass(cenotaph.BudgetExhausted, cenotaph.CompactionInvariantError)
    assert issubclass(cenotaph.IndexBudgetExceeded, cenotaph.CompactionInvariantError)
    for name in ("CompactionInvariantError", "IrreversibleCompactionError"):
        assert issubclass(getattr(cenotaph, name), cenotaph.CenotaphError)
    assert (cenotaph.BudgetExhausted.exit_status, cenotaph.IndexBudgetExceeded.exit_status) == (3, 3)
    assert cenotaph.IrreversibleCompactionError.exit_status == 1
    assert (cenotaph.CenotaphError.exit_status, cenotaph.CompactionInvariantError.exit_status) == (2, 2)


def test_a_session_has_the_methods_that_exist_so_far() -> None:
    assert {name for name in vars(cenotaph.Session) if not name.startswith("_")} >= {
        *("view", "rehydrate", "records"),
    }
