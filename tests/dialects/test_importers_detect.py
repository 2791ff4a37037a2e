"""Each kind of session file is claimed by its own dialect, and by no other one."""

from __future__ import annotations

from typing import Any

import pytest
import test_importers_cline as cline
import test_importers_opencode as opencode
import test_importers_pi as pi
import test_importers_swe as swe
import test_openhands as v0
import test_openhands_sdk as v1
from session_laws import lines

from cenotaph.dialects.detect import DIALECTS, detect

SAMPLES: dict[str, tuple[str, Any]] = {
    "a trajectory": ("openhands", {"trajectory": v0.simple()}),
    "a list of its events": ("openhands", v0.simple()),
    "events of the SDK": ("openhands", v1.simple()),
    "events of the SDK as a file": ("openhands", lines(v1.simple())),
    "a run with calls": ("swe-agent", swe.with_calls()),
    "a run without calls": ("swe-agent", swe.without_calls()),
    "a list of fenced commands": ("mini-swe-agent", swe.mini()),
    "a named format": ("mini-swe-agent", {"messages": swe.mini(), "trajectory_format": "mini-swe-agent-1"}),
    "a pi session": ("pi", pi.simple()),
    "a tree of entries": ("pi", pi.named(pi.simple())),
    "a pi file": ("pi", lines(pi.simple())),
    "an export": ("opencode", opencode.simple()),
    "storage records": ("opencode", opencode.storage(opencode.simple())),
    "a task": ("cline", cline.task()),
}
OF_A_WIRE = {"mini-swe-agent": {"openai-chat"}, "cline": {"openai-chat", "anthropic"}}
"""Clients whose file is a list of messages of a wire: the wire's own dialect reads it too, asked by name."""


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_detected(name: str) -> None:
    dialect, value = SAMPLES[name]
    assert detect(value).name == dialect


@pytest.mark.parametrize("name", SAMPLES)
def test_no_other_dialect_claims_it(name: str) -> None:
    dialect, value = SAMPLES[name]
    claimed = {other for other, reader in DIALECTS.items() if reader.recognise(value)}
    assert claimed - OF_A_WIRE.get(dialect, set()) == {dialect}
