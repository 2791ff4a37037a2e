"""Pages that are made of the code are up to date with it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["cli.md", "table.md"])
def test_a_made_page_is_what_the_code_makes(generate: ModuleType, name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == generate.pages()[name], "run python docs/generate.py"


def test_the_page_has_every_verb(generate: ModuleType) -> None:
    from cenotaph.surfaces.cli.parsers import HOME

    page = generate.cli_page()
    for verb in HOME:
        assert f"\n## {verb}" in page
