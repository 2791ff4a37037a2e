"""Each clause has an id and a proof that exists; where something is not as written, data says so."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from cenotaph.core.classify import RULES
from cenotaph.core.invariants import LAWS
from requirements import DIVERGENCES, REQUIREMENTS, Requirement

TESTS = Path(__file__).parent


@cache
def functions_of(path: str) -> frozenset[str]:
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def missing_proofs(requirement: Requirement) -> list[str]:
    split = [proof.split("::") for proof in requirement.proofs]
    return [f"{path}::{name}" for path, name in split if name not in functions_of(path)]


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda requirement: requirement.id)
def test_each_clause_is_proved_by_tests_that_exist(requirement: Requirement) -> None:
    assert requirement.proofs
    assert missing_proofs(requirement) == []


def test_the_check_sees_a_proof_that_is_not_there() -> None:
    assert missing_proofs(Requirement("x", "y", ("test_api.py::test_nothing_of_the_kind",)))


def test_ids_are_unique() -> None:
    assert [i for i, n in Counter(r.id for r in REQUIREMENTS).items() if n > 1] == []
    assert [i for i, n in Counter(d.id for d in DIVERGENCES).items() if n > 1] == []


def test_every_law_of_the_code_is_a_clause_and_the_other_way_round() -> None:
    assert {r.id for r in REQUIREMENTS if r.id[0] == "L"} == set(LAWS)


def test_every_row_of_the_table_is_a_clause_and_the_other_way_round() -> None:
    assert {r.id.removeprefix("row:") for r in REQUIREMENTS if r.id.startswith("row:")} == {
        row.id for row in RULES
    }


def test_a_divergence_says_what_happens_and_why() -> None:
    assert all(divergence.what and divergence.why for divergence in DIVERGENCES)
