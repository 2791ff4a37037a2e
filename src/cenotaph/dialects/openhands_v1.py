"""OpenHands V1, the agent SDK: typed events, read as the messages that come next.

Each event has a `kind`. Those that reach a model are the system prompt, messages, actions (one call
each; those of one `llm_response_id` are one message), and what answers a call: an observation, an
error of the agent, a rejection. A condensation takes events out by their ids, a whole response at a
time, and puts its summary at `summary_offset` among what is left. State updates (the bulk of a file),
errors of the conversation and kinds that are not known are kept and not shown.

Some clients write a call and its result a second time as a message event: the message is then what
was sent, and the typed event says how the call ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Mark, Path, Provenance
from cenotaph.dialects.content import json_text, string_of
from cenotaph.dialects.openhands_view import (
    Assembly,
    Response,
    call_of,
    calls_in,
    chat_blocks,
    command_text,
    result_draft,
    with_summary,
)
from cenotaph.dialects.session_draft import FOREIGN_SUMMARY, HARNESS, PLAIN, Draft, Voice
from cenotaph.dialects.session_input import Report, is_whole, mapping_of, text_of

__all__ = ["is_v1_event", "model_of_v1", "offered_by_v1", "read_v1"]

_SENT: Final = frozenset(
    {
        "ActionEvent", "AgentErrorEvent", "CondensationSummaryEvent", "MessageEvent", "ObservationEvent",
        "SystemPromptEvent", "UserRejectObservation",
    }
)  # fmt: skip
"""Kinds that reach a model."""
_SILENT: Final = frozenset(
    {
        "Condensation", "CondensationRequest", "ConversationErrorEvent", "ConversationIterationLimitEvent",
        "ConversationStateUpdateEvent", "HookExecutionEvent", "LLMCompletionLogEvent", "PauseEvent",
        "StreamingDeltaEvent", "TokenEvent", "WarningEvent",
    }
)  # fmt: skip
_MARKS_OF_AN_EVENT: Final[Mapping[str, str]] = {
    "ActionEvent": "tool_call_id",
    "AgentErrorEvent": "error",
    "Condensation": "forgotten_event_ids",
    "ConversationStateUpdateEvent": "source",
    "MessageEvent": "llm_message",
    "ObservationEvent": "observation",
    "SystemPromptEvent": "system_prompt",
    "UserRejectObservation": "tool_call_id",
}
"""The field that, with its kind, makes an event this client's."""
_ERROR_HEAD: Final = "[An error occurred during execution.]\n"
Voices = Mapping[Path, Voice]
NO_VOICES: Final[Voices] = {}
_SKILL: Final = Voice(Provenance.harness, frozenset({Mark.instruction}))
_HEAD_KEYS: Final = ("reasoning_content", "thinking_blocks", "reasoning_details")


@dataclass(frozen=True, slots=True)
class _Summary:
    text: str


def is_v1_event(item: JSON) -> bool:
    """A typed event, by its kind and the field that goes with it."""
    if not isinstance(item, Mapping) or not isinstance(item.get("kind"), str):
        return False
    field = _MARKS_OF_AN_EVENT.get(item["kind"])
    return field is not None and field in item and "source" in item


def offered_by_v1(events: Sequence[JSON]) -> JSON:
    """The tool definitions of the newest system prompt; None if there is none that lists them."""
    for event in reversed(events):
        if _kind(event) == "SystemPromptEvent" and isinstance(event.get("tools"), list):
            return event["tools"]
    return None


def model_of_v1(events: Sequence[JSON]) -> str | None:
    """The newest model that a state update names; messages don't name theirs."""
    for event in reversed(events):
        if _kind(event) != "ConversationStateUpdateEvent":
            continue
        value = mapping_of(event.get("value"))
        if event.get("key") == "llm_request" and string_of(value.get("model")):
            return str(value["model"])
        metrics = mapping_of(value.get("usage_to_metrics")) if event.get("key") == "stats" else {}
        for usage in ("agent", "default"):
            name = string_of(mapping_of(metrics.get(usage)).get("model_name"))
            if name:
                return name
    return None


def read_v1(events: Sequence[JSON], *, everything: bool, report: Report) -> list[Draft]:
    """The messages that these events stand for; the arguments are those of `read_v0`."""
    sent: list[Mapping[str, JSON]] = []
    condensations: list[Mapping[str, JSON]] = []
    unknown: dict[str, list[int]] = {}
    for index, event in enumerate(events):
        kind = _kind(event)
        if kind in _SENT or (everything and kind == "Condensation"):
            sent.append(event)
        elif kind not in _SILENT:
            unknown.setdefault(kind or "(no kind)", []).append(index)
        if kind == "Condensation":
            condensations.append(event)
    for kind, places in unknown.items():
        report(Defect("unknown-record", f"event {places[0]}", f"{len(places)} of kind {kind}; kept, not shown"))
    reader = _Reader(report, sent)
    if everything:
        told = [condensation for condensation in condensations if _summary(condensation)]
        return reader.read(list(enumerate(sent)), summarized=_forgotten(told, sent))
    newest = next((c for c in reversed(condensations) if _summary(c) and is_whole(c.get("summary_offset"))), None)
    summary = _Summary(_summary(newest)) if newest is not None else None
    offset = newest["summary_offset"] if newest is not None else None
    return reader.read(with_summary(sent, _forgotten(condensations, sent), summary, offset), summarized=set())


def _forgotten(condensations: Sequence[Mapping[str, JSON]], events: Sequence[Mapping[str, JSON]]) -> set[int]:
    """Places of the events that condensations take out; with one call of a response go all of its calls."""
    listed = [c.get("forgotten_event_ids") for c in condensations]
    ids = {name for names in listed if isinstance(names, list) for name in names if isinstance(name, str)}
    gone = {place for place, event in enumerate(events) if string_of(event.get("id")) in ids}
    responses = {_response_id(events[place]) for place in gone if _kind(events[place]) == "ActionEvent"} - {None}
    return gone | {
        place
        for place, event in enumerate(events)
        if _kind(event) == "ActionEvent" and _response_id(event) in responses
    }


class _Reader:
    def __init__(self, report: Report, events: Sequence[Mapping[str, JSON]]) -> None:
        self.report = report
        self.assembly = Assembly(report)
        self.replaced = False
        self.batches: dict[str, list[Mapping[str, JSON]]] = {}
        self.called_in_message: set[str] = set()
        self.answered_in_message: set[str] = set()
        self.outcome: dict[str, Voice] = {}

    def read(self, events: Sequence[tuple[int, JSON]], *, summarized: set[int]) -> list[Draft]:
        """Reads (place, event) pairs; `summarized` are places of what a summary replaces."""
        self._look_ahead([event for _, event in events])
        for place, event in events:
            self.replaced = place in summarized
            if isinstance(event, _Summary):
                self._say({"role": "user", "content": event.text}, FOREIGN_SUMMARY)
                continue
            kind, where = _kind(event), f"event {event.get('id')}"
            if kind == "SystemPromptEvent":
                self._system(event)
            elif kind == "MessageEvent":
                self._message(event, where)
            elif kind == "ActionEvent":
                self._action(event, where)
            elif kind in ("CondensationSummaryEvent", "Condensation"):
                self._say({"role": "user", "content": _summary(event)}, FOREIGN_SUMMARY)
            else:
                self._answer(event, where)
        return self.assembly.close()

    def _look_ahead(self, events: Sequence[JSON]) -> None:
        """Which actions are of one response, and which calls and results are also there as messages."""
        for event in events:
            if _kind(event) == "ActionEvent":
                key = _response_id(event) or str(event.get("tool_call_id"))
                self.batches.setdefault(key, []).append(event)
            elif _kind(event) == "MessageEvent":
                message = mapping_of(event.get("llm_message"))
                if message.get("role") == "tool":
                    self.answered_in_message.add(str(message.get("tool_call_id")))
                self.called_in_message.update(str(call["id"]) for call in calls_in(message.get("tool_calls")))

    def _say(self, raw: Mapping[str, JSON], voice: Voice = PLAIN, voices: Voices = NO_VOICES) -> None:
        if raw.get("content") or any(raw.get(key) for key in _HEAD_KEYS):
            self.assembly.say(Draft(raw, voice, voices, summarized=self.replaced))

    def _system(self, event: Mapping[str, JSON]) -> None:
        blocks = [block for block in (event.get("system_prompt"), event.get("dynamic_context")) if block]
        self._say({"role": "system", "content": chat_blocks(blocks)})

    def _message(self, event: Mapping[str, JSON], where: str) -> None:
        message = mapping_of(event.get("llm_message"))
        role, content = string_of(message.get("role")), message.get("content")
        if role == "tool":
            call_id = str(message.get("tool_call_id"))
            voice = self.outcome.get(call_id, PLAIN)
            self._answer_with(call_id, string_of(message.get("name")), chat_blocks(content), voice, where)
            return
        raw: dict[str, JSON] = {"role": role, "content": chat_blocks(content)}
        raw |= {key: message[key] for key in _HEAD_KEYS if message.get(key)}
        calls = calls_in(message.get("tool_calls"))
        if role == "assistant" and calls:
            head = {**raw, "content": raw["content"] or None}
            self.assembly.respond(where, Response(head, calls, where, self.replaced))
            return
        extended = event.get("extended_content")
        if not isinstance(extended, list) or not extended:
            self._say(raw, PLAIN if event.get("source") == "user" or role != "user" else HARNESS)
            return
        own = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
        blocks = chat_blocks([*own, *extended])
        if isinstance(blocks, str):  # a skill's text alone
            self._say({**raw, "content": blocks}, _SKILL)
            return
        first = len(blocks) - len(extended)
        voices: dict[Path, Voice] = {("content", index): _SKILL for index in range(first, len(blocks))}
        voice = PLAIN if event.get("source") == "user" or role != "user" else HARNESS
        self._say({**raw, "content": blocks}, voice, voices)

    def _action(self, event: Mapping[str, JSON], where: str) -> None:
        if str(event.get("tool_call_id")) in self.called_in_message:
            return
        key = _response_id(event) or str(event.get("tool_call_id"))
        batch = self.batches[key]
        calls = [call for action in batch if (call := _call_of(action)) is not None]
        if event is not batch[0] or not calls:
            return
        head: dict[str, JSON] = {"role": "assistant", "content": chat_blocks(event.get("thought")) or None}
        head |= {name: event[name] for name in _HEAD_KEYS if event.get(name)}
        self.assembly.respond(key, Response(head, calls, where, self.replaced))

    def _answer(self, event: Mapping[str, JSON], where: str) -> None:
        call_id = string_of(event.get("tool_call_id"))
        if call_id is None:
            self.report(Defect("missing-id", where, "an answer without the id of a call; kept, not shown"))
            return
        content, voice = _answered(event)
        if call_id in self.answered_in_message:
            self.outcome[call_id] = voice
            return
        self._answer_with(call_id, string_of(event.get("tool_name")), content, voice, where)

    def _answer_with(self, call_id: str, tool: str | None, content: JSON, voice: Voice, where: str) -> None:
        draft = result_draft(call_id, tool, content, voice, summarized=self.replaced)
        self.assembly.answer(call_id, draft, where)


def _answered(event: Mapping[str, JSON]) -> tuple[JSON, Voice]:
    """What the model reads of an answer, and how the call ended by the event's own fields."""
    if _kind(event) == "AgentErrorEvent":
        return text_of(event.get("error")), Voice(failed=True)
    if _kind(event) == "UserRejectObservation":
        by_hook = event.get("rejection_source") == "hook"
        marks = frozenset() if by_hook else frozenset({Mark.rejection})
        return f"Action rejected: {text_of(event.get('rejection_reason'))}", Voice(marks=marks, failed=True)
    observation = mapping_of(event.get("observation"))
    content = chat_blocks(observation.get("content"))
    if content is None:
        # An older observation has other fields; what stood in them is counted, not guessed at.
        content = json_text({key: value for key, value in observation.items() if key != "kind"})
    if isinstance(content, str) and isinstance(observation.get("metadata"), Mapping):
        content = command_text(content, observation["metadata"])
    if isinstance(content, str) and observation.get("is_error") is True:
        content = _ERROR_HEAD + content
    extended = event.get("extended_content")
    if isinstance(extended, list) and extended:
        own = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        content = chat_blocks([*own, *extended])
    return content, Voice(failed=_failed(observation))


def _failed(observation: Mapping[str, JSON]) -> bool | None:
    """None where no field says so."""
    if observation.get("is_error") is True or observation.get("timeout") is True:
        return True
    for code in (observation.get("exit_code"), mapping_of(observation.get("metadata")).get("exit_code")):
        if is_whole(code):
            return code not in (0, -1)
    return False if observation.get("is_error") is False else None


def _call_of(event: Mapping[str, JSON]) -> Mapping[str, JSON] | None:
    """The call of an action, in Chat Completions form; from the action's own fields where it has no copy."""
    made = calls_in([event.get("tool_call")])
    if made:
        return made[0]
    call_id, name = string_of(event.get("tool_call_id")), string_of(event.get("tool_name"))
    if call_id is None or name is None:
        return None
    action = {key: value for key, value in mapping_of(event.get("action")).items() if key != "kind"}
    return call_of(call_id, name, json_text(action))


def _response_id(event: Mapping[str, JSON]) -> str | None:
    return string_of(event.get("llm_response_id"))


def _summary(event: Mapping[str, JSON]) -> str:
    summary = event.get("summary")
    return summary if isinstance(summary, str) and summary.strip() else ""


def _kind(event: JSON) -> str | None:
    return string_of(event.get("kind")) if isinstance(event, Mapping) else None
