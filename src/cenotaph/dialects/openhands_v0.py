"""OpenHands V0: a trajectory of actions and observations, read as the messages that come next.

An event has either `action` and `args`, or `observation`, `content` and `extras`, and `cause` names
the action that it answers. A call and its result share `tool_call_metadata`, which embeds the whole
response of the model: the message and its calls are taken from there, as the client does. Where it
was trimmed away, the call is written from the action's own arguments, under the name that the client
gives to the tool; if no observation names such an action as its cause, its result is empty, as a null
observation is.

Not model text, and so not in the view: changes of the agent's state, null events, hidden ones,
`recall` actions, condensations themselves. A `recall` observation is the client's own text: what the
repository or a microagent instructs is marked as instruction, the rest is plain harness text. The
client's wording around it is not in the file; its fields are shown one block each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Mark, Path, Provenance
from cenotaph.dialects.content import json_text, string_of
from cenotaph.dialects.envelope import input_tokens_of
from cenotaph.dialects.openhands_view import (
    Assembly,
    Response,
    call_of,
    calls_in,
    command_text,
    image_blocks,
    result_draft,
    with_summary,
)
from cenotaph.dialects.session_draft import FOREIGN_SUMMARY, HARNESS, PLAIN, Draft, Voice
from cenotaph.dialects.session_input import Report, is_whole, mapping_of, text_of

__all__ = ["is_v0_event", "offered_by_v0", "read_v0"]

_SOURCES: Final = frozenset({"agent", "user", "environment"})
_SILENT_ACTIONS: Final = frozenset(
    {
        "condensation_request", "loop_recovery", "pause", "recall", "reject", "resume", "start", "stop",
    }
)  # fmt: skip
_SILENT_OBSERVATIONS: Final = frozenset({"loop_detection"})
_UNHEARD_ACTIONS: Final = frozenset({"change_agent_state", "null"})
_UNHEARD_OBSERVATIONS: Final = frozenset({"agent_state_changed", "null"})
"""Events that never enter the client's own history, so that a condensation does not count them."""
_REJECTED: Final = "user_rejected"
_TOOLS: Final[Mapping[str, str]] = {
    "browse": "web_read",
    "browse_interactive": "browser",
    "edit": "str_replace_editor",
    "read": "str_replace_editor",
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "task_tracking": "task_tracker",
}
"""What the client calls the tool of an action; any other has the action's own name."""
_INSTRUCTIONS: Final = (("repo_instructions", "REPOSITORY_INSTRUCTIONS"), ("conversation_instructions", "INSTRUCTIONS"))
_ENVIRONMENT: Final = (
    "repo_name", "repo_directory", "repo_branch", "runtime_hosts", "additional_agent_instructions", "date",
    "custom_secrets_descriptions", "working_dir",
)  # fmt: skip
_INSTRUCTION: Final = Voice(Provenance.harness, frozenset({Mark.instruction}))


@dataclass(frozen=True, slots=True)
class _Summary:
    """The newest summary, at its place among the events."""

    text: str


def is_v0_event(item: JSON) -> bool:
    """An action or an observation, by its own fields; a step that holds both is another client's."""
    if not isinstance(item, Mapping) or string_of(item.get("source")) not in _SOURCES:
        return False
    action, observation = item.get("action"), item.get("observation")
    if isinstance(action, str) and observation is None:
        return isinstance(item.get("args"), Mapping)
    return isinstance(observation, str) and action is None and ("extras" in item or "content" in item)


def offered_by_v0(events: Sequence[JSON]) -> JSON:
    """The tool definitions of the system action; None if there is none that lists them."""
    for event in events:
        if _name(event, "action") == "system":
            tools = _args(event).get("tools")
            return tools if isinstance(tools, list) else None
    return None


def read_v0(events: Sequence[JSON], *, everything: bool, report: Report) -> list[Draft]:
    """The messages that these events stand for.

    Args:
        events: In order.
        everything: Ignore condensations: what one replaced is marked, its summary stays in its place.
        report: Takes what was odd and survived.
    """
    own: list[Mapping[str, JSON]] = []
    for index, event in enumerate(events):
        if is_v0_event(event):
            own.append(event)
        else:
            report(Defect("unknown-record", f"event {index}", "neither an action nor an observation; kept, not shown"))
    heard = [event for event in own if not _unheard(event)]
    condensations = [place for place, event in enumerate(heard) if _name(event, "action") == "condensation"]
    answering = [event for event in heard if "observation" in event]
    reader = _Reader(report, answered={_number(event.get("cause")) for event in answering} - {""})
    if everything:
        told = [heard[place] for place in condensations if _summary(heard[place]) is not None]
        reader.read(list(enumerate(heard)), summarized=_forgotten(told, heard))
        return reader.assembly.close()
    gone = _forgotten([heard[place] for place in condensations], heard) | set(condensations)
    gone |= {place for place, event in enumerate(heard) if _name(event, "action") == "condensation_request"}
    telling = [heard[p] for p in condensations if _offset(heard[p]) is not None and _summary(heard[p]) is not None]
    offset = _offset(telling[-1]) if telling else None
    summary = _Summary(_summary(telling[-1]) or "") if telling else None
    reader.counted_from = condensations[-1] if condensations else 0
    reader.read(with_summary(heard, gone, summary, offset), summarized=set())
    return reader.assembly.close()


class _Reader:
    def __init__(self, report: Report, answered: set[int | str]) -> None:
        self.report = report
        self.assembly = Assembly(report)
        self.answered = answered
        self.agents_shown: set[str] = set()
        self.counted_from = 0
        self.counted = True
        self.replaced = False
        self.call_by_event: dict[int | str, str] = {}
        self.never_answered: list[tuple[str, str, bool]] = []

    def read(self, events: Sequence[tuple[int, JSON]], *, summarized: set[int]) -> None:
        """Reads (place, event) pairs; `summarized` are places of what a summary replaces."""
        for place, event in events:
            self._answer_the_unanswered()
            self.replaced = place in summarized
            self.counted = place >= self.counted_from
            if isinstance(event, _Summary):
                self.assembly.say(Draft({"role": "user", "content": event.text}, FOREIGN_SUMMARY))
            elif "action" in event:
                self._action(event)
            else:
                self._observation(event)

    def _say(self, role: str, content: JSON, voice: Voice = PLAIN) -> None:
        if content:
            raw = {"role": role, "content": content}
            self.assembly.say(Draft(raw, voice, summarized=self.replaced))

    # Actions -------------------------------------------------------------------------------------

    def _action(self, event: Mapping[str, JSON]) -> None:
        name, args = event["action"], _args(event)
        by_user = event.get("source") == "user"
        if name == "system":
            self._say("system", text_of(args.get("content")))
        elif name == "message":
            self._say("user" if by_user else "assistant", _spoken(args))
        elif name == "finish":
            self._say("user" if by_user else "assistant", _last_words(event, args))
        elif name == "condensation":
            self._say("user", _summary(event) or "", FOREIGN_SUMMARY)
        elif name in _SILENT_ACTIONS:
            return
        elif by_user:
            # The words are the client's; that the person did it is a fact, so it is kept as theirs.
            told = text_of(args.get("command")) or json_text(args)
            self._say("user", f"User executed the command:\n{told}" if name == "run" else told)
        else:
            self._call(event, args)

    def _answer_the_unanswered(self) -> None:
        """The conversation goes on, and nothing in the log answers these."""
        for call_id, where, replaced in self.never_answered:
            draft = result_draft(call_id, None, "", PLAIN, summarized=replaced)
            self.assembly.answer(call_id, draft, where)
        self.never_answered = []

    def _call(self, event: Mapping[str, JSON], args: Mapping[str, JSON]) -> None:
        metadata = mapping_of(event.get("tool_call_metadata"))
        response = mapping_of(metadata.get("model_response"))
        message = _first_message(response)
        made = calls_in(message.get("tool_calls"))
        call_id = string_of(metadata.get("tool_call_id")) or f"event-{event.get('id')}"
        self.call_by_event[_number(event.get("id"))] = call_id
        if call_id not in [str(call["id"]) for call in made]:
            name = string_of(metadata.get("function_name")) or _TOOLS.get(event["action"], event["action"])
            sent = {key: value for key, value in args.items() if key != "thought"}
            thought = text_of(args.get("thought"))
            message = {"role": "assistant", "content": thought or None}
            made = [call_of(call_id, name, json_text(sent))]
            key = call_id
        else:
            key = string_of(response.get("id")) or call_id
        head = {"role": "assistant", "content": message.get("content") or None}
        head |= {key_: message[key_] for key_ in ("reasoning_content", "thinking_blocks") if message.get(key_)}
        counted = input_tokens_of(response.get("usage")) if self.counted else None
        opened = Response(head, made, _where(event), self.replaced, counted, string_of(response.get("model")))
        self.assembly.respond(key, opened)
        if not metadata and _number(event.get("id")) not in self.answered:
            self.never_answered.append((call_id, _where(event), self.replaced))

    # Observations ----------------------------------------------------------------------------------

    def _observation(self, event: Mapping[str, JSON]) -> None:
        name = event["observation"]
        if name in _SILENT_OBSERVATIONS:
            return
        if name == "recall":
            self._recall(event)
            return
        metadata = mapping_of(event.get("tool_call_metadata"))
        call_id = string_of(metadata.get("tool_call_id")) or self.call_by_event.get(_number(event.get("cause")))
        voice = Voice(failed=_failed(event), marks=frozenset({Mark.rejection} if name == _REJECTED else ()))
        content = _observed(event)
        if call_id is None:
            told = f"\nObserved result of command executed by user:\n{content}" if name == "run" else content
            self._say("user", told, HARNESS)
            return
        tool = string_of(metadata.get("function_name"))
        draft = result_draft(call_id, tool, content, voice, summarized=self.replaced)
        self.assembly.answer(call_id, draft, _where(event))

    def _recall(self, event: Mapping[str, JSON]) -> None:
        extras = mapping_of(event.get("extras"))
        blocks: list[tuple[str, Voice]] = []
        environment = {key: extras[key] for key in _ENVIRONMENT if extras.get(key)}
        if environment:
            told = "\n".join(f"{key}: {_flat(value)}" for key, value in environment.items())
            blocks.append((f"<RUNTIME_INFORMATION>\n{told}\n</RUNTIME_INFORMATION>", HARNESS))
        for key, tag in _INSTRUCTIONS:
            text = text_of(extras.get(key))
            if text.strip():
                blocks.append((f"<{tag}>\n{text}\n</{tag}>", _INSTRUCTION))
        knowledge = extras.get("microagent_knowledge")
        for agent in knowledge if isinstance(knowledge, list) else ():
            name, text = text_of(mapping_of(agent).get("name")), text_of(mapping_of(agent).get("content"))
            if text and name not in self.agents_shown:
                blocks.append((f"<EXTRA_INFO>\n{text}\n</EXTRA_INFO>", _INSTRUCTION))
            self.agents_shown.add(name)
        if not blocks:
            return
        voices: dict[Path, Voice] = {("content", index): voice for index, (_, voice) in enumerate(blocks)}
        raw = {"role": "user", "content": [{"type": "text", "text": text} for text, _ in blocks]}
        self.assembly.say(Draft(raw, HARNESS, voices, summarized=self.replaced))


# Fields ------------------------------------------------------------------------------------------


def _unheard(event: Mapping[str, JSON]) -> bool:
    if event.get("action") in _UNHEARD_ACTIONS or event.get("observation") in _UNHEARD_OBSERVATIONS:
        return True
    return _args(event).get("hidden") is True or mapping_of(event.get("extras")).get("hidden") is True


def _forgotten(condensations: Sequence[Mapping[str, JSON]], events: Sequence[Mapping[str, JSON]]) -> set[int]:
    """Places of the events that condensations take out: by a list of their ids or by a range of them."""
    ids: set[int | str] = set()
    ranges: list[tuple[int, int]] = []
    for args in map(_args, condensations):
        listed = args.get("forgotten_event_ids")
        start, end = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
        if isinstance(listed, list):
            ids |= {_number(number) for number in listed} - {""}
        elif is_whole(start) and is_whole(end):
            ranges.append((start, end))
    return {
        place
        for place, number in enumerate(_number(event.get("id")) for event in events)
        if number in ids or (is_whole(number) and any(start <= number <= end for start, end in ranges))
    }


def _summary(condensation: Mapping[str, JSON]) -> str | None:
    summary = _args(condensation).get("summary")
    return summary if isinstance(summary, str) and summary.strip() else None


def _offset(condensation: Mapping[str, JSON]) -> int | None:
    offset = _args(condensation).get("summary_offset")
    return offset if is_whole(offset) and offset >= 0 else None


def _number(value: JSON) -> int | str:
    """What names an event; "" for what can't."""
    return value if isinstance(value, str) or is_whole(value) else ""


def _spoken(args: Mapping[str, JSON]) -> JSON:
    text, pictures = text_of(args.get("content")), image_blocks(args.get("image_urls"))
    if not pictures:
        return text
    return [*([{"type": "text", "text": text}] if text else []), *pictures]


def _last_words(event: Mapping[str, JSON], args: Mapping[str, JSON]) -> str:
    """What the agent said as it finished: its thought and the content of its response, each once."""
    response = mapping_of(mapping_of(event.get("tool_call_metadata")).get("model_response"))
    content = text_of(_first_message(response).get("content"))
    thought = text_of(args.get("thought"))
    said = list(dict.fromkeys(part for part in (thought, content) if part))
    return "\n".join(said) or text_of(args.get("final_thought"))


def _observed(event: Mapping[str, JSON]) -> str:
    """What the model reads of an observation."""
    name, content = event["observation"], text_of(event.get("content"))
    extras = mapping_of(event.get("extras"))
    if name == "run":
        return command_text(content, extras.get("metadata"))
    if name == "edit":
        return text_of(extras.get("formatted_output_and_error")) or content
    if name == "delegate":
        return text_of(mapping_of(extras.get("outputs")).get("content")) or content
    if name == "error":
        return f"{content}\n[Error occurred in processing last action]"
    if name == _REJECTED:
        return f"OBSERVATION:\n{content}\n[Last action has been rejected by the user]"
    return content


def _failed(event: Mapping[str, JSON]) -> bool | None:
    """By the event's own fields; None where it has none that says so."""
    if event["observation"] in ("error", _REJECTED):
        return True
    if isinstance(event.get("success"), bool):
        return event["success"] is False
    extras = mapping_of(event.get("extras"))
    for code in (mapping_of(extras.get("metadata")).get("exit_code"), extras.get("exit_code")):
        if is_whole(code):
            return code not in (0, -1)
    error = extras.get("error")
    return error if isinstance(error, bool) else None


def _first_message(response: Mapping[str, JSON]) -> Mapping[str, JSON]:
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return mapping_of(mapping_of(first).get("message"))


def _name(event: JSON, key: str) -> str | None:
    return string_of(event.get(key)) if isinstance(event, Mapping) else None


def _args(event: JSON) -> Mapping[str, JSON]:
    return mapping_of(event.get("args")) if isinstance(event, Mapping) else {}


def _flat(value: JSON) -> str:
    return value if isinstance(value, str) else json_text(value)


def _where(event: Mapping[str, JSON]) -> str:
    return f"event {event.get('id')}"
