"""Any JSON at any place of a sample of any format: a dialect reads it or refuses it by name, and never breaks."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import test_codex as codex
from hypothesis import given
from hypothesis import strategies as st
from test_detect_all import GENERATED, SAMPLES

from cenotaph.api.reading import wire_of
from cenotaph.core.readout import read
from cenotaph.core.tokens import EstimatedCounter, Vocabulary
from cenotaph.core.tools import Tools
from cenotaph.dialects.detect import DIALECTS
from cenotaph.errors import CenotaphError

TEXT = {"type": "text", "text": "Go."}
RICH: dict[str, Any] = {
    "Pydantic AI items": [
        {
            "kind": "request",
            "parts": [{"part_kind": "user-prompt", "content": ["x", {"kind": "image-url", "url": "u"}]}],
        },
        {"kind": "response", "parts": [{"part_kind": "text", "content": "x"}]},
    ],
    "OpenHands blocks": [
        {"id": "a", "kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [TEXT]}},
        {"id": "b", "kind": "MessageEvent", "source": "agent", "llm_message": {"role": "assistant", "content": [TEXT]}},
    ],
    "LangChain blocks": [
        {"type": "human", "content": [TEXT, {"type": "image_url", "image_url": {"url": "u"}}]},
        {"type": "ai", "content": [{"type": "reasoning", "reasoning": "x"}, TEXT]},
        {"type": "tool", "content": [TEXT], "tool_call_id": "1"},
    ],
    "a foreign object of LangChain": [
        {"lc": 1, "type": "constructor", "id": ["x", "HumanMessage"], "kwargs": {"content": "x", "type": "human"}},
        {"lc": 1, "type": "not_implemented", "id": ["x", "Mine"], "repr": "Mine()"},
    ],
    "a compacted Codex session": [
        codex.meta(),
        *codex.typed("Go."),
        *codex.ran(1),
        codex.compacted("", [codex.said("Go."), codex.OPAQUE]),
        codex.counted(9),
        codex.record("event_msg", type="thread_rolled_back", num_turns=1),
        *codex.typed("Go on."),
    ],
    **{f"generated: {name}": generate(3) for name, (_, generate) in GENERATED.items()},
}
"""What the samples of detection are too small to hold."""

VALUES = {name: value for name, (_, value) in SAMPLES.items() if value and not isinstance(value, bytes)} | RICH

COUNTER = EstimatedCounter(Vocabulary.unknown)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
NAMES = st.sampled_from(["type", "kind", "role", "text", "content", "id", "data", "x"])
ANY = st.recursive(
    LEAVES | st.sampled_from(["text", "user", "tool_result", "message", "function_call_output", "ai", "/x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=4,
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of every value in a value, however deep."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [place for key, child in inner for place in places(child, (*path, key))]
    return [path, *below] if path else below


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """A copy in which one to three values are something else."""
    whole = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        *steps, last = draw(st.sampled_from(places(whole)))
        holder = whole
        for step in steps:
            holder = holder[step]
        holder[last] = draw(ANY)
    return whole


def reads_or_refuses(name: str, value: Any) -> None:
    """Asks one dialect everything; only a named refusal may stop it."""
    dialect = DIALECTS[name]
    assert dialect.recognise(value) in (True, False)
    try:
        transcript = dialect.parse(value)
    except CenotaphError:
        return
    assert dialect.emit(transcript) == value
    wire = wire_of(transcript)
    read(transcript, wire, COUNTER, Tools.of())
    for message in transcript.messages:
        wire.tidy(message.raw)
    wire.breaches([message.raw for message in transcript.messages])


@pytest.mark.parametrize("sample", VALUES)
@given(data=st.data())
def test_any_json_at_any_place_is_read_or_refused_by_name(sample: str, data: st.DataObject) -> None:
    value = data.draw(changed(VALUES[sample]))
    before = copy.deepcopy(value)
    for dialect in DIALECTS:
        reads_or_refuses(dialect, value)
    assert value == before


@given(ANY | st.lists(ANY, max_size=3))
def test_any_json_at_all_is_read_or_refused_by_name(value: Any) -> None:
    for dialect in DIALECTS:
        reads_or_refuses(dialect, value)
