"""Real files: each ends in a view, a halt or a refusal that names it; none in an internal error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_transcripts import Command, digest

pytestmark = pytest.mark.shared

SHARED = Path(__file__).resolve().parents[3] / "shared"
FILES = [path for path in sorted((SHARED / "data").rglob("*.*")) if path.is_file()]


@pytest.fixture(autouse=True)
def _needs_shared() -> None:
    if not FILES:
        pytest.skip(f"no transcripts under {SHARED}")


@pytest.mark.slow
def test_every_real_file_ends_in_a_view_a_halt_or_a_refusal(cenotaph: Command, tmp_path: Path) -> None:
    ends = {0: 0, 2: 0, 3: 0}
    for path in FILES:
        ran = cenotaph("explain", path, "--json", "--rows")
        assert "internal error" not in ran.err, path
        if ran.status:
            assert (ran.status, str(path) in ran.err) == (2, True), (path, ran.err)
            continue
        tokens = sum(row["tokens"] for row in ran.json["rows"].values())
        before = digest(path)
        target = max(1, tokens * 6 // 10)
        store = f"sqlite:///{tmp_path / 'store.db'}"
        ran = cenotaph("compact", path, "--to-tokens", target, "--json", "--store", store, "--session", path)
        assert "internal error" not in ran.err, path
        assert ran.status in ends, (path, ran.err)
        ends[ran.status] += 1
        if ran.status == 0:
            assert json.loads(ran.out)["tokens_after"] <= target, path
        assert digest(path) == before
    assert ends[0], "no file could be compacted"
    assert cenotaph("verify", "--store", store, "--read-data").status == 0
