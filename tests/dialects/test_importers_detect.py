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


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_detected(name: str) -> None:
    dialect, value = SAMPLES[name]
    assert detect(value).name == dialect


@pytest.mark.parametrize("name", SAMPLES)
def test_no_other_dialect_claims_it(name: str) -> None:
    dialect, value = SAMPLES[name]
    claimed = {other for other, reader in DIALECTS.items() if reader.recognise(value)}
    assert claimed == {dialect}


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ("openai-chat", "a list of fenced commands"),
        ("openai-chat", "a named format"),
        ("anthropic", "a task"),
        ("openai-chat", "a task"),
    ],
)
def test_the_wire_of_a_clients_list_reads_it_by_name_and_loses_nothing(wire: str, name: str) -> None:
    _, value = SAMPLES[name]
    assert not DIALECTS[wire].recognise(value)
    assert DIALECTS[wire].emit(DIALECTS[wire].parse(value)) == value


def test_a_list_that_lacks_one_of_the_clients_signs_is_a_wires() -> None:
    plain = [{**item, "name": "x"} for item in swe.mini()]
    assert detect(plain).name == "openai-chat"
    assert detect(swe.mini()[1:]).name == "openai-chat"
    assert detect({"messages": swe.mini()}).name == "openai-chat"
    untold = [item for item in cline.task() if "<task>" not in str(item)]
    assert detect(untold).name in ("openai-chat", "anthropic")
