"""The openhands dialect, V1: typed events of the agent SDK."""

from __future__ import annotations

from typing import Any

import pytest
from session_laws import codes, lines, marks, outline, read

from cenotaph.dialects.detect import detect
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.dialects.openhands import OPENHANDS
from cenotaph.errors import InputError

Event = dict[str, Any]


def event(kind: str, name: str, source: str = "environment", **more: Any) -> Event:
    return {"kind": kind, "id": name, "timestamp": "t", "source": source, **more}


def text(words: str) -> Event:
    return {"type": "text", "text": words, "cache_prompt": False}


def system(words: str = "You are an agent.") -> Event:
    tools = [{"type": "function", "function": {"name": "terminal"}}]
    return event("SystemPromptEvent", "s", "agent", system_prompt=text(words), tools=tools)


def message(name: str, role: str, *words: str, source: str | None = None, **more: Any) -> Event:
    held = {"role": role, "content": [text(word) for word in words], **more.pop("held", {})}
    return event("MessageEvent", name, source or ("user" if role == "user" else "agent"), llm_message=held, **more)


def act(name: str, call_id: str, response: str = "", thought: str = "", **more: Any) -> Event:
    call = {"id": call_id, "name": "terminal", "arguments": '{"command": "ls"}', "origin": "completion"}
    return event(
        "ActionEvent",
        name,
        "agent",
        thought=[text(thought)] if thought else [],
        tool_name="terminal",
        tool_call_id=call_id,
        tool_call=call,
        llm_response_id=response or name,
        **more,
    )


def observe(name: str, call_id: str, words: str = "out", **fields: Any) -> Event:
    observation = {"content": [text(words)], "kind": "TerminalObservation", **fields}
    return event("ObservationEvent", name, tool_name="terminal", tool_call_id=call_id, observation=observation)


def simple() -> list[Event]:
    return [
        system(),
        event("ConversationStateUpdateEvent", "u1", key="llm_stream", value="Y"),
        message("m1", "user", "Fix it"),
        act("a1", "c1", thought="I look."),
        observe("o1", "c1", is_error=False, exit_code=0),
        message("m2", "assistant", "Done."),
    ]


def test_events_are_read_as_the_messages_that_come_next() -> None:
    transcript = read(OPENHANDS, simple())
    assert outline(transcript) == [
        "system text: You are an agent.",
        "user text: Fix it",
        "agent text: I look.",
        'agent call terminal: {"command": "ls"}',
        "tool result: out",
        "agent text: Done.",
    ]
    assert transcript.tool_names == frozenset({"terminal"})
    assert codes(transcript) == []


def test_a_file_of_lines_and_a_list_are_read_alike() -> None:
    data = lines(simple())
    assert detect(data) is detect(simple()) is OPENHANDS
    assert outline(read(OPENHANDS, data)) == outline(OPENHANDS.parse(simple()))


def test_a_torn_last_line_is_survived_and_reported() -> None:
    transcript = read(OPENHANDS, lines(simple()) + b'{"kind":"Mess')
    assert codes(transcript) == ["torn-line"]
    assert len(transcript.messages) == 5


def test_actions_of_one_response_are_one_message_even_if_their_results_come_between() -> None:
    events = [
        message("m1", "user", "Go"),
        act("a1", "c1", "r", "Both."),
        observe("o1", "c1", "one"),
        act("a2", "c2", "r"),
        observe("o2", "c2", "two"),
    ]
    transcript = read(OPENHANDS, events)
    assert [m.role for m in transcript.messages] == ["user", "assistant", "tool", "tool"]
    assert OPENAI_CHAT.breaches([m.raw for m in transcript.messages]) == []


def test_how_a_call_ended_comes_from_fields() -> None:
    made = [
        (observe("o", "c", "Error: it says so", is_error=False), False),
        (observe("o", "c", "fine", is_error=True), True),
        (observe("o", "c", "fine", exit_code=2), True),
        (observe("o", "c", "fine", exit_code=-1), False),
        (event("AgentErrorEvent", "o", "agent", error="fine", tool_name="terminal", tool_call_id="c"), True),
    ]
    for answer, failed in made:
        result = OPENHANDS.parse([act("a", "c"), answer]).messages[-1].parts[-1]
        assert result.failed is failed, answer


@pytest.mark.parametrize(("source", "found"), [("user", ["rejection"]), (None, ["rejection"]), ("hook", [])])
def test_a_persons_rejection_is_told_from_a_hooks(source: str | None, found: list[str]) -> None:
    more = {} if source is None else {"rejection_source": source}
    refusal = event(
        "UserRejectObservation", "o", tool_name="terminal", tool_call_id="c", rejection_reason="No.", **more
    )
    assert marks(read(OPENHANDS, [act("a", "c"), refusal]))[-1] == found


def test_what_the_client_adds_to_a_message_is_not_the_persons() -> None:
    events = [
        message("m1", "user", "Use git", extended_content=[text("Never force-push.")]),
        message("m2", "user", "A hook speaks.", source="environment"),
    ]
    transcript = read(OPENHANDS, events)
    assert outline(transcript) == [
        "user text: Use git",
        "harness text: Never force-push.",
        "harness text: A hook speaks.",
    ]
    assert marks(transcript) == [[], ["instruction"], []]


def test_a_result_that_is_there_twice_is_shown_as_it_was_sent_and_ended_as_the_event_says() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    events = [
        message("m1", "user", "Go"),
        message("m2", "assistant", held={"tool_calls": [call]}),
        act("a1", "c1"),
        event("AgentErrorEvent", "e1", "agent", error="gone wrong", tool_name="terminal", tool_call_id="c1"),
        message("m3", "tool", "as it was sent", source="environment", held={"tool_call_id": "c1", "name": "terminal"}),
    ]
    transcript = read(OPENHANDS, events)
    assert outline(transcript)[1:] == ["agent call terminal: {}", "tool result failed: as it was sent"]
    assert codes(transcript) == []


def test_reasoning_and_pictures_are_kept() -> None:
    picture = {"type": "image", "image_urls": ["data:image/png;base64,AA==", "https://x/y.png"]}
    seen = message("m", "user", "See")
    seen["llm_message"]["content"].append(picture)
    events = [seen, act("a", "c", reasoning_content="I think."), observe("o", "c")]
    assert outline(read(OPENHANDS, events))[:4] == [
        "user text: See",
        "user media: ",
        "user media: ",
        "agent reasoning: I think.",
    ]


# Condensation ---------------------------------------------------------------------------------------


def condensed() -> list[Event]:
    batch = [act("a1", "c1", "r", "Both."), act("a2", "c2", "r"), observe("o1", "c1"), observe("o2", "c2")]
    forgotten = event("Condensation", "k", forgotten_event_ids=["a1", "o1", "o2"], summary="They looked.")
    forgotten["summary_offset"] = 2
    last = [act("a3", "c3"), observe("o3", "c3", "three")]
    return [system(), message("m1", "user", "Go"), *batch, event("CondensationRequest", "q"), forgotten, *last]


def test_with_one_call_of_a_response_all_of_it_is_forgotten() -> None:
    transcript = read(OPENHANDS, condensed())
    assert outline(transcript) == [
        "system text: You are an agent.",
        "user text: Go",
        "foreign text: They looked.",
        'agent call terminal: {"command": "ls"}',
        "tool result: three",
    ]
    assert codes(transcript) == []


def test_the_whole_history_ignores_it_and_says_what_it_replaced() -> None:
    transcript = read(OPENHANDS, condensed(), region="all")
    assert [mark for mark in marks(transcript) if mark] == [["summarized"]] * 5 + [["summary"]]
    assert len(transcript.messages) == 8


# What is odd ------------------------------------------------------------------------------------------


def test_unknown_kinds_are_kept_and_reported_once_per_kind() -> None:
    odd = [event("TelepathyEvent", f"t{n}", thought="x") for n in range(3)]
    transcript = read(OPENHANDS, [*simple(), *odd])
    assert codes(transcript) == ["unknown-record"]
    assert outline(transcript) == outline(OPENHANDS.parse(simple()))


def test_an_error_of_the_conversation_answers_no_call() -> None:
    events = [*simple(), act("a9", "c9"), event("ConversationErrorEvent", "x", detail="d", code="c")]
    assert outline(read(OPENHANDS, events))[-1].startswith("agent call")
    went_on = read(OPENHANDS, [*events, message("m9", "user", "And?")])
    assert codes(went_on) == ["unanswered-call"]
    assert OPENAI_CHAT.breaches([m.raw for m in went_on.messages]) == []


def test_state_updates_alone_are_an_error_that_says_so() -> None:
    with pytest.raises(InputError) as caught:
        OPENHANDS.parse([event("ConversationStateUpdateEvent", "u")])
    assert caught.value.details == {"records": 1, "types": ["ConversationStateUpdateEvent"]}


def test_a_turn_of_three_hundred_calls_is_read_whole() -> None:
    calls = [act(f"a{n}", f"c{n}", "r") for n in range(300)]
    answers = [observe(f"o{n}", f"c{n}", str(n)) for n in reversed(range(300))]
    transcript = read(OPENHANDS, [message("m", "user", "Go"), *calls, *answers])
    assert [m.role for m in transcript.messages] == ["user", "assistant", *["tool"] * 300]
    assert [p.text for m in transcript.messages[2:] for p in m.parts] == [str(n) for n in range(300)]
