"""Every Python block of the README and the documentation runs, and every block of commands names real ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            if match["language"] == language:
                line = text.count("\n", 0, match.start()) + 2
                found.append((f"{page.relative_to(ROOT)}:{line}", match["code"]))
    return found


@pytest.mark.parametrize("page", sorted({where.partition(":")[0] for where, _ in blocks("python")}))
def test_the_python_blocks_of_a_page_run_one_after_the_other(page: str) -> None:
    for where, code in blocks("python"):
        if where.startswith(f"{page}:"):
            exec(compile(code, where, "exec"), {"__name__": "docs"})


def test_there_are_blocks_to_run() -> None:
    assert len(blocks("python")) >= 4


def test_the_suite_that_ci_runs_is_the_one_the_readme_gives() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = [code[2:].strip() for _, code in blocks("console") if "pytest" in code]
    assert len(commands) == 1
    assert commands[0] in readme
    assert commands[0] in ci


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not broken
