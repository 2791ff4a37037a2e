"""The openhands dialect, V0: trajectories of actions and observations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from session_laws import codes, lines, marks, outline, read

from cenotaph.core.model import Usage
from cenotaph.dialects.detect import detect
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.dialects.openhands import OPENHANDS
from cenotaph.errors import ConfigurationError, DialectError, InputError

Event = dict[str, Any]


def action(number: int, name: str, source: str = "agent", *, call: Event | None = None, **args: Any) -> Event:
    event: Event = {"id": number, "timestamp": "t", "source": source, "message": "gloss", "action": name, "args": args}
    return event if call is None else {**event, "tool_call_metadata": call}


def observation(
    number: int, name: str, content: str = "", *, cause: int | None = None, call: Event | None = None, **more: Any
) -> Event:
    event: Event = {"id": number, "timestamp": "t", "source": "agent", "message": "", "observation": name}
    event |= {"content": content, "extras": {}, "cause": cause, **more}
    return event if call is None else {**event, "tool_call_metadata": call}


def metadata(call_id: str, *calls: tuple[str, str, str], said: str = "", response: str = "r") -> Event:
    """What both sides of an exchange carry: the whole response of the model."""
    made = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
    message = {"role": "assistant", "content": said, "tool_calls": made}
    names = {i: n for i, n, _ in calls}
    return {
        "function_name": names[call_id],
        "tool_call_id": call_id,
        "total_calls_in_response": len(calls),
        "model_response": {
            "id": response,
            "model": "claude-x",
            "choices": [{"message": message}],
            "usage": {"prompt_tokens": 100},
        },
    }


def run(number: int, call_id: str, command: str, output: str, code: int = 0, said: str = "") -> list[Event]:
    meta = metadata(call_id, (call_id, "execute_bash", json.dumps({"command": command})), said=said, response=call_id)
    extras = {"command": command, "metadata": {"exit_code": code}}
    return [
        action(number, "run", call=meta, command=command, thought=said),
        observation(number + 1, "run", output, cause=number, call=meta, extras=extras, success=code == 0),
    ]


def simple() -> list[Event]:
    return [
        action(0, "system", content="You are an agent.", tools=[{"type": "function", "function": {"name": "finish"}}]),
        action(1, "message", "user", content="Fix it"),
        observation(2, "agent_state_changed", extras={"agent_state": "running"}),
        *run(3, "c1", "ls", "a.py", said="I look."),
        observation(5, "null"),
        action(6, "message", content="Done."),
    ]


def test_a_trajectory_is_read_as_the_messages_that_come_next() -> None:
    transcript = read(OPENHANDS, simple())
    assert outline(transcript) == [
        "system text: You are an agent.",
        "user text: Fix it",
        "agent text: I look.",
        'agent call execute_bash: {"command": "ls"}',
        "tool result: a.py\n[Command finished with exit code 0]",
        "agent text: Done.",
    ]
    assert transcript.usage == (Usage(2, 100, "claude-x"),)
    assert transcript.model == "claude-x"
    assert transcript.tool_names == frozenset({"finish"})
    assert codes(transcript) == []


@pytest.mark.parametrize("hold", [lambda e: e, lambda e: {"trajectory": e}, lambda e: {"history": e, "instance_id": 1}])
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: json.dumps(v, indent=1).encode()])
def test_every_shape_of_a_log_gives_the_same_view(hold: Any, wrap: Any) -> None:
    value = wrap(hold(simple()))
    assert OPENHANDS.recognise(value)
    assert outline(read(OPENHANDS, value)) == outline(OPENHANDS.parse(simple()))


def test_a_parallel_batch_is_one_message_with_its_results_in_the_order_of_the_calls() -> None:
    calls = (("c1", "execute_bash", "{}"), ("c2", "think", "{}"))
    first, second = metadata("c1", *calls, said="Both."), metadata("c2", *calls, said="Both.")
    events = [
        action(0, "message", "user", content="Go"),
        action(1, "run", call=first),
        action(2, "think", call=second),
        observation(3, "think", "two", cause=2, call=second),
        observation(4, "run", "one", cause=1, call=first),
    ]
    transcript = read(OPENHANDS, events)
    assert [len(m.parts) for m in transcript.messages] == [1, 3, 1, 1]
    assert outline(transcript)[-2:] == ["tool result: one", "tool result: two"]


def test_how_a_call_ended_comes_from_fields() -> None:
    words = "no error here, exit code 0"
    made = [
        *run(0, "a", "false", words, code=1),
        *run(2, "b", "true", "Error: it says so"),
        *run(4, "c", "serve", "still running", code=-1),
    ]
    del made[-1]["success"]
    results = [line for line in outline(OPENHANDS.parse(made)) if "result" in line]
    assert [line.startswith("tool result failed") for line in results] == [True, False, False]


def test_a_rejection_is_a_persons_act_and_an_error_is_not() -> None:
    meta = metadata("c1", ("c1", "execute_bash", "{}"))
    again = metadata("c2", ("c2", "execute_bash", "{}"), response="r2")
    events = [
        action(0, "run", call=meta),
        observation(1, "user_rejected", "Not that.", cause=0, call=meta),
        action(2, "run", call=again),
        observation(3, "error", "No such tool.", cause=2, call=again),
    ]
    transcript = read(OPENHANDS, events)
    assert marks(transcript) == [[], ["rejection"], [], []]
    assert all(p.failed for m in transcript.messages for p in m.parts if p.kind == "result")


def test_without_the_models_response_a_call_is_written_from_its_action() -> None:
    trimmed = {"function_name": "execute_bash", "tool_call_id": "c1", "total_calls_in_response": 1}
    events = [
        action(0, "run", call=trimmed, command="ls", thought="I look."),
        observation(1, "run", "a.py", cause=0, call=trimmed),
        action(2, "read", path="a.py", thought=""),
        observation(3, "read", "text", cause=2),
    ]
    assert outline(read(OPENHANDS, events)) == [
        "agent text: I look.",
        'agent call execute_bash: {"command":"ls"}',
        "tool result: a.py",
        'agent call str_replace_editor: {"path":"a.py"}',
        "tool result: text",
    ]


def test_an_action_that_nothing_answers_has_an_empty_result_as_soon_as_the_log_goes_on() -> None:
    planned = action(1, "task_tracking", command="plan", task_list=[{"id": "1", "title": "t", "status": "todo"}])
    events = [action(0, "message", "user", content="Go"), planned]
    assert [line.split(":")[0] for line in outline(read(OPENHANDS, events))] == ["user text", "agent call task_tracker"]
    went_on = read(OPENHANDS, [*events, observation(2, "null", cause=1), action(3, "message", content="Done.")])
    assert outline(went_on)[2:] == ["tool result: ", "agent text: Done."]
    assert codes(went_on) == []


def test_what_the_client_recalls_is_never_a_person_and_instructs_only_where_a_field_says_so() -> None:
    knowledge = [{"name": "git", "trigger": "git", "content": "Never force-push."}]
    events = [
        action(0, "message", "user", content="Go"),
        action(1, "recall", "user", query="Go"),
        observation(2, "recall", extras={"repo_name": "r", "repo_instructions": "Use tabs."}),
        observation(3, "recall", extras={"microagent_knowledge": knowledge}),
        observation(4, "recall", extras={"microagent_knowledge": knowledge}),
        observation(5, "recall", extras={"microagent_knowledge": []}),
    ]
    transcript = read(OPENHANDS, events)
    voices = [part.provenance for message in transcript.messages[1:] for part in message.parts]
    assert set(voices) == {"harness"}
    assert marks(transcript) == [[], [], ["instruction"], ["instruction"]]
    assert "Never force-push." in outline(transcript)[-1]


def test_a_command_of_a_person_is_theirs_and_its_output_is_the_machines() -> None:
    events = [
        action(0, "run", "user", command="ls"),
        observation(1, "run", "a.py", cause=0, extras={"metadata": {"exit_code": 0}}),
    ]
    assert [line.split(":")[0] for line in outline(read(OPENHANDS, events))] == ["user text", "harness text"]


def test_finishing_is_the_agents_last_word() -> None:
    meta = metadata("c1", ("c1", "finish", "{}"), said="All done.")
    said = [action(0, "finish", call=meta, thought="All done."), action(1, "finish", final_thought="Bye.", thought="")]
    assert outline(read(OPENHANDS, said)) == ["agent text: All done.", "agent text: Bye."]


def test_pictures_of_a_person_stand_beside_their_words() -> None:
    event = action(0, "message", "user", content="See", image_urls=["data:image/png;base64,AA==", " "])
    assert outline(read(OPENHANDS, [event])) == ["user text: See", "user media: "]


# Condensation --------------------------------------------------------------------------------------


def condensed(**how: Any) -> list[Event]:
    return [
        action(0, "system", content="S"),
        action(1, "message", "user", content="Fix it"),
        *run(2, "c1", "ls", "one"),
        *run(4, "c2", "cat", "two"),
        action(6, "condensation", **how, summary="They looked.", summary_offset=2),
        *run(7, "c3", "make", "three"),
    ]


@pytest.mark.parametrize(
    "how", [{"forgotten_events_start_id": 2, "forgotten_events_end_id": 5}, {"forgotten_event_ids": [2, 3, 4, 5]}]
)
def test_the_view_has_the_summary_in_the_place_of_what_was_forgotten(how: Event) -> None:
    transcript = read(OPENHANDS, condensed(**how))
    assert outline(transcript)[:3] == ["system text: S", "user text: Fix it", "foreign text: They looked."]
    assert marks(transcript)[2] == ["summary"]
    assert sum("result" in line for line in outline(transcript)) == 1
    assert [usage.message for usage in transcript.usage] == [3]


def test_what_the_provider_counted_before_a_condensation_says_nothing_of_the_view_behind_it() -> None:
    kept = condensed(forgotten_event_ids=[4, 5])
    assert [usage.message for usage in read(OPENHANDS, kept).usage] == [5]
    assert [usage.message for usage in read(OPENHANDS, kept, region="all").usage] == [2, 4, 7]


def test_the_whole_history_ignores_it_and_says_what_it_replaced() -> None:
    how = {"forgotten_events_start_id": 2, "forgotten_events_end_id": 5}
    transcript = read(OPENHANDS, condensed(**how), region="all")
    assert sum("result" in line for line in outline(transcript)) == 3
    replaced = [line for line, mark in zip(outline(transcript), marks(transcript), strict=True) if "summarized" in mark]
    assert [line.split(":")[0] for line in replaced] == ["agent call execute_bash", "tool result"] * 2
    assert outline(transcript)[6] == "foreign text: They looked."


def test_forgetting_without_a_summary_leaves_nothing_in_the_place() -> None:
    events = condensed(forgotten_event_ids=[2, 3])
    events[6]["args"] |= {"summary": None, "summary_offset": None}
    assert "foreign" not in str(outline(read(OPENHANDS, events)))
    assert marks(OPENHANDS.parse(events, region="all"))[2] == []


def test_only_the_newest_summary_stands_in_the_view() -> None:
    events = condensed(forgotten_event_ids=[2, 3])
    events.append(action(9, "condensation", forgotten_event_ids=[4, 5], summary="And more.", summary_offset=2))
    assert [line for line in outline(read(OPENHANDS, events)) if "foreign" in line] == ["foreign text: And more."]
    every = outline(read(OPENHANDS, events, region="all"))
    assert [line for line in every if "foreign" in line] == ["foreign text: They looked.", "foreign text: And more."]


# What is odd -----------------------------------------------------------------------------------------


def test_a_call_that_nobody_answered_is_open_at_the_end_and_unsent_in_the_middle() -> None:
    unanswered = run(3, "c9", "sleep", "")[:1]
    at_the_end = read(OPENHANDS, [*simple()[:2], *unanswered])
    assert outline(at_the_end)[-1] == 'agent call execute_bash: {"command": "sleep"}'
    in_the_middle = read(OPENHANDS, [*unanswered, *simple()])
    assert codes(in_the_middle) == ["unanswered-call"]
    assert OPENAI_CHAT.breaches([m.raw for m in in_the_middle.messages]) == []


def test_results_without_calls_are_reported_and_an_unknown_action_is_a_call() -> None:
    lone = run(7, "c7", "ls", "lost")[1]
    lone["cause"] = None
    events = [*simple(), lone, action(9, "telepathy"), {"id": 10, "source": "agent", "novel": True}]
    transcript = read(OPENHANDS, events)
    assert sorted(codes(transcript)) == ["orphan-result", "unknown-record"]
    assert outline(transcript)[-1] == "agent call telepathy: {}"


def test_a_log_of_nothing_but_states_is_an_error_that_says_so() -> None:
    with pytest.raises(InputError) as caught:
        OPENHANDS.parse([observation(0, "agent_state_changed"), action(1, "change_agent_state")])
    assert caught.value.details["types"] == ["agent_state_changed", "change_agent_state"]


@pytest.mark.parametrize("value", [{}, {"trajectory": []}, [], 7, {"agent": {}, "id": "x"}])
def test_other_values_are_refused_by_what_they_are(value: Any) -> None:
    assert not OPENHANDS.recognise(value)
    with pytest.raises(DialectError):
        OPENHANDS.parse(value)


def test_an_unknown_region_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        OPENHANDS.parse(simple(), region="middle")  # type: ignore[arg-type]


def test_detection_tells_the_log_from_other_clients() -> None:
    assert detect(simple()) is OPENHANDS
    assert detect({"trajectory": simple()}) is OPENHANDS
    assert not OPENHANDS.recognise(lines([{"type": "session", "id": "x", "timestamp": "t"}]))
    step = {"action": "ls", "observation": "a.py", "response": "", "thought": "", "state": "{}"}
    assert not OPENHANDS.recognise({"trajectory": [step], "history": [{"role": "user", "content": "x", "agent": "m"}]})
