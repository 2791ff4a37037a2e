"""The line that stands for a span says whose it was: no tool, harness or stranger passes for a person."""

from __future__ import annotations

from typing import Any

import pytest
import test_detect_all as samples
import test_importers_swe as swe
from claude_code_session import Session, text

from cenotaph import Policy, api, compact
from cenotaph.core.lines import Namer
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.tombstone import KINDS, Tombstone

READABLE = {name: value for name, (_, value) in samples.SAMPLES.items() if name != "chat: an empty list"}


def kinds(value: Any) -> list[tuple[Provenance, Kind, str]]:
    """(provenance, kind of span, kind of its line) of every span that is no call."""
    classified = api.explain(value).classified
    namer = Namer(classified, key=b"k", session="s", stored=True)
    spans = [span for span in classified.spans if span.kind is not Kind.call]
    return [(s.provenance, s.kind, Tombstone.parse(namer.in_place(s, None)).kind) for s in spans]


@pytest.mark.parametrize("name", READABLE)
def test_only_a_persons_text_is_named_a_persons(name: str) -> None:
    for provenance, kind, line in kinds(READABLE[name]):
        assert line in KINDS
        if kind is Kind.result:
            assert line == "tool_result"
        assert not line.startswith("user_") or provenance is Provenance.user


def test_a_summary_that_somebody_elses_compaction_left_is_no_persons_message() -> None:
    session = Session()
    session.human("Go.")
    session.boundary()
    session.summary()
    session.agent(text("Done."))
    found = kinds(session.records)
    assert (Provenance.foreign, Kind.text, "harness_text") in found
    assert not any(line.startswith("user_") for _, _, line in found)


def test_an_output_in_a_persons_role_leaves_as_harness_text() -> None:
    messages = swe.mini()
    output = "<returncode>0</returncode>\n<output>\n" + "a line of it " * 400 + "\n</output>"
    long_run = [*messages, {"role": "assistant", "content": "I look.\n\n```bash\ncat f\n```"}]
    long_run += [{"role": "user", "content": output}, {"role": "assistant", "content": "Done."}]
    before = compact(long_run, to_tokens=10**9).tokens_before
    result = compact(long_run, to_tokens=before // 2, policy=Policy.archive())
    assert {line.kind for line in Tombstone.find(str(result.messages))} == {"harness_text"}
