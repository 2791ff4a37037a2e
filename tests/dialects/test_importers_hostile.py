"""Session dialects on what no client should write: nothing is fatal, nothing changed, no request broken."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_laws import Session, survives

from cenotaph.core.model import Kind, Provenance
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.cline import CLINE
from cenotaph.dialects.detect import DIALECTS
from cenotaph.dialects.mini_swe_agent import MINI_SWE_AGENT
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.dialects.opencode import OPENCODE
from cenotaph.dialects.openhands import OPENHANDS
from cenotaph.dialects.pi import PI
from cenotaph.dialects.swe_agent import SWE_AGENT

WIRES: dict[str, Any] = {wire.name: wire for wire in (ANTHROPIC, OPENAI_CHAT)}

scraps = st.sampled_from(["", " ", "a.py", "yes, delete it", "\ud800", "\r\b", "<returncode>0</returncode>"])
odd = st.one_of(st.none(), st.booleans(), st.integers(-2, 3), scraps, st.just([]), st.just({}), st.just([{"type": 1}]))
ids = st.sampled_from(["c1", "c2", "c3", "c4"])
few = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 7])


def broken(record: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """A record; now and then a field of it, or of what it holds, is missing or something else."""

    @st.composite
    def one(draw: st.DrawFn) -> dict[str, Any]:
        value = draw(record)
        if not draw(st.integers(0, 3)) and value:
            key = draw(st.sampled_from(sorted(value)))
            inner = value[key]
            if isinstance(inner, dict) and inner and draw(st.booleans()):
                below = draw(st.sampled_from(sorted(inner)))
                value = {**value, key: {**inner, below: draw(odd)}}
            elif draw(st.booleans()):
                value = {**value, key: draw(odd)}
            else:
                value = {k: v for k, v in value.items() if k != key}
        return value

    return one()


# OpenHands ------------------------------------------------------------------------------------------


@st.composite
def v0_events(draw: st.DrawFn) -> dict[str, Any]:
    call_id = draw(ids)
    call = {"id": call_id, "type": "function", "function": {"name": "execute_bash", "arguments": draw(scraps)}}
    several = [call, {**call, "id": "c9"}] if draw(st.booleans()) else [call]
    message = {"role": "assistant", "content": draw(scraps), "tool_calls": several}
    metadata = {
        "function_name": "execute_bash",
        "tool_call_id": call_id,
        "model_response": {"id": call_id, "choices": [{"message": message}], "usage": {"prompt_tokens": 3}},
    }
    event: dict[str, Any] = {"id": draw(few), "source": draw(st.sampled_from(["agent", "user", "environment"]))}
    if draw(st.booleans()):
        names = ["run", "message", "finish", "system", "recall", "condensation", "think", "null", "novel"]
        args: dict[str, Any] = {"content": draw(scraps), "thought": draw(scraps), "command": draw(scraps)}
        args |= {"forgotten_event_ids": draw(st.lists(few, max_size=4)), "summary": draw(scraps), "summary_offset": 1}
        event |= {"action": draw(st.sampled_from(names)), "args": args}
    else:
        names = ["run", "edit", "error", "user_rejected", "recall", "agent_state_changed", "null", "novel"]
        extras = {"metadata": {"exit_code": draw(few)}, "repo_instructions": draw(scraps)}
        event |= {"observation": draw(st.sampled_from(names)), "content": draw(scraps), "cause": draw(few)}
        event |= {"extras": extras}
    return {**event, "tool_call_metadata": metadata} if draw(st.booleans()) else event


@st.composite
def v1_events(draw: st.DrawFn) -> dict[str, Any]:
    call_id = draw(ids)
    words = {"type": "text", "text": draw(scraps)}
    call = {"id": call_id, "name": "terminal", "arguments": "{}"}
    held = {"role": draw(st.sampled_from(["user", "assistant", "tool"])), "content": [words]}
    held |= {"tool_calls": [call]} if draw(st.booleans()) else {"tool_call_id": call_id}
    bodies: dict[str, dict[str, Any]] = {
        "SystemPromptEvent": {"system_prompt": words, "tools": []},
        "MessageEvent": {"llm_message": held, "extended_content": draw(st.sampled_from([[], [words]]))},
        "ActionEvent": {"thought": [words], "tool_name": "t", "tool_call_id": call_id, "tool_call": call},
        "ObservationEvent": {"tool_name": "t", "tool_call_id": call_id, "observation": {"content": [words]}},
        "AgentErrorEvent": {"tool_name": "t", "tool_call_id": call_id, "error": draw(scraps)},
        "UserRejectObservation": {"tool_name": "t", "tool_call_id": call_id, "rejection_reason": draw(scraps)},
        "Condensation": {"forgotten_event_ids": [draw(ids)], "summary": draw(scraps), "summary_offset": draw(few)},
        "NovelEvent": {},
    }
    kind = draw(st.sampled_from(sorted(bodies)))
    more = {"llm_response_id": draw(st.sampled_from(["r1", "r2"]))} if kind == "ActionEvent" else {}
    source = draw(st.sampled_from(["agent", "user", "environment"]))
    return {"kind": kind, "id": draw(ids), "source": source, **bodies[kind], **more}


# SWE-agent and mini-SWE-agent -------------------------------------------------------------------------


@st.composite
def history_items(draw: st.DrawFn) -> dict[str, Any]:
    role = draw(st.sampled_from(["system", "user", "assistant", "tool", "exit", "oracle"]))
    item: dict[str, Any] = {"role": role, "content": draw(scraps), "agent": "main"}
    if role == "assistant" and draw(st.booleans()):
        call = {"id": draw(ids), "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        item |= {"tool_calls": [call], "action": "ls", "thought": ""}
    if role == "tool":
        item |= {"tool_call_ids": draw(st.lists(ids, max_size=2)), "tool_call_id": draw(ids)}
    if draw(st.booleans()):
        item |= {"is_demo": True, "extra": {"returncode": draw(few)}}
    return item


# pi, opencode, cline ------------------------------------------------------------------------------------


@st.composite
def pi_entries(draw: st.DrawFn) -> dict[str, Any]:
    call_id = draw(ids)
    words = {"type": "text", "text": draw(scraps)}
    picture = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    thought = {"type": "thinking", "thinking": draw(scraps), "thinkingSignature": draw(scraps)}
    call = {"type": "toolCall", "id": call_id, "name": "read", "arguments": {}}
    agent = {"role": "assistant", "content": draw(st.permutations([words, thought, call])), "provider": "anthropic"}
    messages = [
        {"role": "user", "content": [words, picture]},
        {**agent, "model": draw(st.sampled_from(["m1", "m2"])), "stopReason": draw(st.sampled_from(["stop", "error"]))},
        {"role": "toolResult", "toolCallId": call_id, "content": [words, picture], "isError": draw(st.booleans())},
        {"role": "bashExecution", "command": "ls", "output": draw(scraps)},
    ]
    entries = [{"type": "message", "message": message} for message in messages]
    kept = {"firstKeptEntryIndex": draw(few), "firstKeptEntryId": draw(ids)}
    entries += [{"type": "compaction", "summary": draw(scraps), **kept}, {"type": "novel"}]
    entry = draw(st.sampled_from(entries))
    return {**entry, "id": draw(ids), "parentId": draw(st.one_of(st.none(), ids))} if draw(st.booleans()) else entry


@st.composite
def opencode_messages(draw: st.DrawFn) -> dict[str, Any]:
    state = {"status": draw(st.sampled_from(["pending", "running", "completed", "error", "novel"])), "input": {}}
    state |= {"output": draw(scraps), "error": draw(scraps), "time": {"compacted": draw(few)}}
    parts = [
        {"type": "text", "text": draw(scraps), "synthetic": draw(st.booleans())},
        {"type": "tool", "callID": draw(ids), "tool": "bash", "state": state},
        {"type": "reasoning", "text": draw(scraps)},
        {"type": "step-start"},
        {"type": "file", "mime": "image/png", "url": draw(scraps)},
        {"type": "compaction", "tail_start_id": draw(ids)},
        {"type": "novel"},
    ]
    info: dict[str, Any] = {"id": draw(ids), "sessionID": "s", "role": draw(st.sampled_from(["user", "assistant"]))}
    info |= {"providerID": draw(st.sampled_from(["anthropic", "openai"])), "summary": draw(st.booleans())}
    info |= {"parentID": draw(ids), "finish": "stop"}
    return {"info": info, "parts": draw(st.lists(broken(st.sampled_from(parts)), max_size=6))}


@st.composite
def cline_messages(draw: st.DrawFn) -> dict[str, Any]:
    blocks = [
        {"type": "text", "text": draw(scraps)},
        {"type": "text", "text": "[read_file for 'a'] Result:"},
        {"type": "text", "text": "<environment_details>\n</environment_details>"},
        {"type": "tool_use", "id": draw(ids), "name": "x", "input": {}},
        {"type": "tool_result", "tool_use_id": draw(ids), "content": draw(scraps)},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
    ]
    role = draw(st.sampled_from(["user", "assistant"]))
    return {"role": role, "content": draw(st.lists(broken(st.sampled_from(blocks)), max_size=5)), "ts": 1}


HEADER = {"type": "session", "id": "s", "timestamp": "t"}
VALUES: dict[str, tuple[Session, st.SearchStrategy[Any]]] = {
    "openhands v0": (OPENHANDS, st.lists(broken(v0_events()), max_size=12)),
    "openhands v1": (OPENHANDS, st.lists(broken(v1_events()), max_size=12)),
    "swe-agent": (SWE_AGENT, st.builds(lambda h: {"history": h}, st.lists(broken(history_items()), max_size=12))),
    "mini-swe-agent": (
        MINI_SWE_AGENT,
        st.builds(
            lambda m: {"messages": m, "trajectory_format": "mini-swe-agent-1"},
            st.lists(broken(history_items()), max_size=12),
        ),
    ),
    "pi": (PI, st.builds(lambda e: [HEADER, *e], st.lists(broken(pi_entries()), max_size=12))),
    "opencode": (
        OPENCODE,
        st.builds(lambda m: {"info": {}, "messages": m}, st.lists(broken(opencode_messages()), max_size=8)),
    ),
    "cline": (CLINE, st.lists(broken(cline_messages()), max_size=8)),
}
CLIENT_WRITTEN = ("openhands v0", "openhands v1", "pi", "opencode")
"""Formats whose messages are put together here: then their calls and results must pair."""


@pytest.mark.parametrize("name", VALUES)
@given(data=st.data())
def test_nothing_is_fatal_and_what_came_in_comes_back(name: str, data: st.DataObject) -> None:
    dialect, values = VALUES[name]
    value = data.draw(values)
    survives(dialect, value)
    assert dialect.recognise(value) in (True, False)


@pytest.mark.parametrize("name", CLIENT_WRITTEN)
@given(data=st.data())
def test_calls_and_results_of_a_view_pair_whatever_the_log_holds(name: str, data: st.DataObject) -> None:
    dialect, values = VALUES[name]
    transcript = survives(dialect, data.draw(values))
    if transcript is None:
        return
    wire = WIRES[transcript.wire]
    broken_rules = {breach.rule for breach in wire.breaches([m.raw for m in transcript.messages])}
    parts = [part for message in transcript.messages for part in message.parts]
    open_calls = {p.call_id for p in parts if p.kind is Kind.call} - {p.call_id for p in parts if p.kind is Kind.result}
    repeated = any(defect.code == "duplicate-id" for defect in transcript.defects)
    assert repeated or open_calls or not broken_rules & {"A1", "A2", "A3", "O1"}


@pytest.mark.parametrize("name", ["swe-agent", "mini-swe-agent", "openhands v0", "opencode"])
@given(data=st.data())
def test_no_output_of_a_command_is_a_persons_word(name: str, data: st.DataObject) -> None:
    """What stands in the role of a tool is never a person's, whatever stands around it."""
    dialect, values = VALUES[name]
    transcript = survives(dialect, data.draw(values))
    for message in transcript.messages if transcript is not None else ():
        if message.role == "tool":
            assert Provenance.user not in {part.provenance for part in message.parts}


@pytest.mark.parametrize("name", VALUES)
@given(data=st.data())
def test_no_other_dialect_of_session_files_claims_it(name: str, data: st.DataObject) -> None:
    dialect, values = VALUES[name]
    value = data.draw(values)
    ours = {session.name for session, _ in VALUES.values()}
    claimed = {other for other in ours & DIALECTS.keys() if DIALECTS[other].recognise(value)}
    assert claimed <= {dialect.name}
