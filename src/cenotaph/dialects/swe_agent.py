"""The swe-agent dialect: trajectories of SWE-agent (`.traj`), read as what comes next.

`history` is what the agent was sent (role, content, calls), with fields of the client beside it;
`trajectory` tells the same steps again and is not read. The view is in Chat Completions form: what the
client hands to its provider library. A result names its call in a list, `tool_call_ids`; the client
sends the first.

Older runs, and those of models without tools, have each command in the agent's text and its output as
a message in a person's role. By structure that is harness text, as any command's output in that role:
it answers an agent message with an `action`, or is of type `observation` behind one. The task itself is
the person-role text before the agent's first message. A demonstration (`is_demo`) was put in by the
client: nobody in it is a person.

The client's history processors leave old outputs out of a request without a trace in the file, so the
view is the history as it is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.content import arguments_of, string_of
from cenotaph.dialects.session_draft import HARNESS, PLAIN, Draft, Voice, settled
from cenotaph.dialects.session_input import (
    Report,
    decoded,
    mapping_of,
    nothing_understood,
    peeked,
    records_of,
    refused,
)

__all__ = ["SWE_AGENT", "SweAgent"]

_OWN_KEYS: Final = frozenset({"agent", "message_type", "is_demo", "thought", "action", "tool_call_ids"})
"""Fields of a history item that no request has."""
_SENT_KEYS: Final = ("tool_calls", "thinking_blocks", "cache_control")
_EXPECTED: Final = "a SWE-agent trajectory: an object with `history`"


class SweAgent:
    """Trajectories of SWE-agent; the view is in Chat Completions form.

    Attributes:
        name: Name of the dialect.
        wire: Wire format of the view's messages.
    """

    name = "swe-agent"
    wire = "openai-chat"

    def recognise(self, value: JSON) -> bool:
        """The value holds a `history` of role messages with a field of this client.

        Args:
            value: File content as bytes, or the decoded object.
        """
        history = _history(peeked(value))
        return (
            bool(history)
            and all("role" in mapping_of(item) and "content" in mapping_of(item) for item in history)
            and any(_OWN_KEYS & mapping_of(item).keys() for item in history)
        )

    def parse(self, value: JSON) -> Transcript:
        """The messages that the model would be sent next.

        Args:
            value: As for `recognise`. Never changed.

        Returns:
            The transcript; its `defects` name everything that was odd and survived.

        Raises:
            InputError: The file can't be read, or its history holds no message.
            DialectError: The value has another shape.
        """
        defects: list[Defect] = []
        content = decoded(value, self.name, defects.append)
        history = _history(content)
        if not history:
            raise refused(self.name, content, _EXPECTED)
        drafts = _read(history, defects.append)
        if not drafts:
            raise nothing_understood(self.name, (type(item).__name__ for item in history))
        return settled(drafts, dialect=self.name, wire=self.wire, source=value, defects=defects, model=_model(content))

    def emit(self, transcript: Transcript) -> JSON:
        """Exactly what came in: the same bytes, the same object.

        Args:
            transcript: Made by `parse`.
        """
        return transcript.source


def _history(content: JSON) -> Sequence[JSON]:
    return records_of(mapping_of(content).get("history"))


def _read(history: Sequence[JSON], report: Report) -> list[Draft]:
    drafts: list[Draft] = []
    acted: bool | None = None  # None before the agent's first message, then whether its newest had an action
    for index, item in enumerate(history):
        if not isinstance(item, Mapping):
            report(Defect("not-a-message", f"message {index}", "not an object; kept, not shown"))
            continue
        demo = item.get("is_demo") is True
        drafts.append(Draft(_sent(item, index, report), HARNESS if demo else _voice(item, acted)))
        if item.get("role") == "assistant" and not demo:
            acted = string_of(item.get("action")) is not None or bool(item.get("tool_calls"))
    return drafts


def _sent(item: Mapping[str, JSON], index: int, report: Report) -> Mapping[str, JSON]:
    """The message of the request; without the client's own fields."""
    raw = {"role": item.get("role"), "content": item.get("content")}
    if item.get("role") == "tool":
        ids = item.get("tool_call_ids")
        named = [name for name in ids if isinstance(name, str)] if isinstance(ids, list) else []
        if len(named) > 1:
            note = f"answers {len(named)} calls at once; sent for the first"
            report(Defect("several-calls", f"message {index}", note))
        call_id = named[0] if named else string_of(item.get("tool_call_id"))
        return raw if call_id is None else {**raw, "tool_call_id": call_id}
    return {**raw, **{key: item[key] for key in _SENT_KEYS if item.get(key)}}


def _voice(item: Mapping[str, JSON], acted: bool | None) -> Voice:
    """Who wrote a message in a person's role; one behind an agent message without an action is a person's."""
    if item.get("role") != "user" or acted is None:
        return PLAIN
    return HARNESS if acted or item.get("message_type") == "observation" else PLAIN


def _model(content: JSON) -> str | None:
    """The model that the replay configuration names; it is an object or JSON text."""
    config = arguments_of(mapping_of(content).get("replay_config"))[1]
    agent = mapping_of(mapping_of(config).get("agent"))
    return string_of(mapping_of(agent.get("model")).get("name"))


SWE_AGENT = SweAgent()
