"""What all tests share: the `shared` marker and a few small transcripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from talk import agent, call, human, result, text

# A loaded machine generates slowly; that says nothing about a law.
settings.register_profile("laws", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("laws")

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test of real transcripts says why it does not run where there are none."""
    if item.get_closest_marker("shared") is not None and not SHARED.is_dir():
        pytest.skip(f"no transcripts beside the checkout: {SHARED} is missing")


@pytest.fixture
def reading_session() -> list[Any]:
    """Four turns: rules, a range and the whole of one file, a shell, an edit, an answer, a request."""
    return [
        human("Never touch /etc/prod/. Fix the parser in src/app.py."),
        agent(text("I read the head first."), call("c1", "Read", file_path="src/app.py", offset=1, limit=20)),
        result("c1", "head line\n" * 40),
        agent(call("c2", "Read", file_path="src/app.py")),
        result("c2", "whole line\n" * 300),
        agent(call("c3", "Bash", command="make test")),
        result("c3", "one test failed: test_parser\n" * 20),
        agent(call("c4", "Edit", file_path="src/app.py", old_string="a" * 400, new_string="b" * 400)),
        result("c4", "edited"),
        agent(text("The parser is fixed; the tests still have to run.")),
        human("Now the docs, please, and keep the tone of the README as it is."),
        agent(call("c5", "Read", file_path="docs/guide.md")),
        result("c5", "guide line\n" * 400),
        agent(text("The guide is up to date now.")),
        human("Thanks. Last: write the release note about the parser, a short one, for people who upgrade."),
    ]
