"""Each test has a home and a state folder of its own; a command runs as a person would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_transcripts import Command, Ran

from cenotaph.surfaces.cli.main import run


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes seconds; part of every full run all the same")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    for name in ("CLAUDE_CONFIG_DIR", "CENOTAPH_TRACEBACK", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def cenotaph(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Runs a command in this process."""

    def command(*argv: object) -> Ran:
        capfdbinary.readouterr()
        status = run([str(word) for word in argv])
        seen = capfdbinary.readouterr()
        return Ran(status, seen.out, seen.err.decode())

    return command


@pytest.fixture
def process(home: Path) -> Command:
    """Runs a command in a process of its own."""

    def command(*argv: object, stdin: bytes | None = None, **options: Any) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "cenotaph.surfaces.cli.main", *map(str, argv)],
            input=stdin,
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            env={**os.environ, **options.pop("env", {})},
            timeout=120,
            check=False,
            **options,
        )
        return Ran(done.returncode, done.stdout or b"", done.stderr.decode())

    return command
