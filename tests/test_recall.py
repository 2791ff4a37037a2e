"""What left comes back by every path in it, and by handles where a summary's words find nothing."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cenotaph import Policy, compact
from cenotaph.testing.longrun import MODEL, LongRun

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"


def benchmark() -> ModuleType:
    """`benchmarks/recall.py`: the tests ask as the measurement does."""
    sys.path.insert(0, str(ROOT / "benchmarks"))  # where its own neighbours are
    spec = importlib.util.spec_from_file_location("recall_benchmark", ROOT / "benchmarks" / "recall.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


RECALL = benchmark()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('recall') / 'recall.db'}"


@pytest.fixture(scope="module")
def case(store: str) -> Any:
    """A made-up coding session at a quarter of its size, and what left it."""
    messages = [message for step in LongRun(3, states=0.1).steps(60) for message in step.messages]
    tokens = compact(messages, to_tokens=1 << 40, dialect="anthropic", model=MODEL).tokens_before
    result = compact(
        messages,
        to_tokens=tokens // 4,
        dialect="anthropic",
        model=MODEL,
        tools=["claude-code"],
        policy=Policy.archive("test"),
        store=store,
        session="made",
    )
    return RECALL.Case("made", "made", RECALL.left_of(result))


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        ("see src/app.py and /etc/prod/db.yaml.", {"src/app.py", "/etc/prod/db.yaml"}),
        ('{"p": "~/notes/a b.md"}', {"~/notes/a"}),
        ("and/or, he/she, 24/7, https://example.com/a/b.html", set()),
        ("./run/me.sh:12: error", {"./run/me.sh"}),
        ("/srv/src/app.py-31-    return", {"/srv/src/app.py"}),
        ("$HOME/x/me.sh, application/vnd.github+json, /srv/data/log/", {"/srv/data/log"}),
    ],
)
def test_the_measurement_reads_paths_by_an_expression_of_its_own(words: str, paths: set[str]) -> None:
    assert RECALL.paths_of([words])[0] == paths


def test_a_fact_in_a_summarys_words_has_lost_its_identifier() -> None:
    assert RECALL.clause("Fixed OPS-4412 in src/app.py, then ran it.") == "Fixed the ticket in the file"
    assert RECALL.clause("the limit of `max_retries` is 30 in region=eu-1") == "the limit of it is it in it"


@pytest.mark.slow
def test_every_path_in_what_left_brings_its_very_span_back(case: Any, store: str) -> None:
    tally, misses = RECALL.by_path([case], store)
    assert tally["asked"] > 100
    assert misses == []


@pytest.mark.slow
def test_a_fact_is_found_by_its_handle_and_not_by_the_words_of_a_summary(case: Any, store: str) -> None:
    questions = RECALL.facts_of(case)[:150]
    handles, words = RECALL.by_question(questions, store)
    assert len(questions) == 150
    assert handles.total() == len(questions)
    assert words.total() < len(questions) / 4


@pytest.mark.slow
@pytest.mark.shared
def test_every_path_that_left_real_sessions_brings_its_very_span_back(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'real.db'}"
    made, totals = RECALL.cases(SHARED / "claude_code", 0.25, store, 30)
    assert not [what for what in totals if "BROKEN" in what]
    tally, misses = RECALL.by_path(made, store)
    assert tally["asked"] > 500
    assert misses == []
