"""The mini-swe-agent dialect: trajectories of mini-SWE-agent, read as what comes next.

Version 0 is a bare list of `{role, content}`; later ones are `{info, messages, trajectory_format}`,
whose messages may have calls, results and a field `extra` that is never sent. The view is in Chat
Completions form.

Without calls, the agent's message has one command in a fence and the next message, in a person's
role, is its output: `<returncode>` and `<output>`. By structure that is harness text. So is the last
message behind the command that ends a run: its output alone, without the form. All else in a person's
role is a person's: the task, and what somebody typed at the prompt. Errors of format come in a
person's role too and nothing but their words tells them apart, so they count as a person's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.content import content_text, string_of
from cenotaph.dialects.session_draft import HARNESS, PLAIN, Draft, settled
from cenotaph.dialects.session_input import (
    Report,
    decoded,
    is_whole,
    mapping_of,
    nothing_understood,
    peeked,
    records_of,
    refused,
)

__all__ = ["MINI_SWE_AGENT", "MiniSweAgent", "is_mini_list"]

_FORMAT: Final = "mini-swe-agent"
_FENCE = re.compile(r"^```(?:bash|mswea_bash_command)[ \t]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_OUTPUT = re.compile(r"\s*<returncode>-?\d+</returncode>\s*<(?:output|output_head|warning)>")
_OUTPUT_ENDS: Final = ("</output>", "</output_tail>")
_LAST_COMMANDS: Final = ("echo MINI_SWE_AGENT_FINAL_OUTPUT", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
_LIST_KEYS: Final = frozenset({"role", "content"})
_EXPECTED: Final = "a mini-SWE-agent trajectory: its list of messages, or an object with `trajectory_format`"


class MiniSweAgent:
    """Trajectories of mini-SWE-agent; the view is in Chat Completions form.

    Attributes:
        name: Name of the dialect.
        wire: Wire format of the view's messages.
    """

    name = "mini-swe-agent"
    wire = "openai-chat"

    def recognise(self, value: JSON) -> bool:
        """The value names this client's format, or is a list whose outputs answer fenced commands.

        Args:
            value: File content as bytes, or the decoded value.
        """
        content = peeked(value)
        return is_mini_list(content) or _is_named(content)

    def parse(self, value: JSON) -> Transcript:
        """The messages that the model would be sent next.

        Args:
            value: As for `recognise`. Never changed.

        Returns:
            The transcript; its `defects` name everything that was odd and survived.

        Raises:
            InputError: The file can't be read, or it holds no message.
            DialectError: The value has another shape.
        """
        defects: list[Defect] = []
        content = decoded(value, self.name, defects.append)
        messages = records_of(content["messages"] if _is_named(content) else content)
        if not messages:
            raise refused(self.name, content, _EXPECTED)
        drafts = _read(messages, defects.append)
        if not drafts:
            raise nothing_understood(self.name, (str(mapping_of(item).get("role")) for item in messages))
        return settled(drafts, dialect=self.name, wire=self.wire, source=value, defects=defects, model=_model(content))

    def emit(self, transcript: Transcript) -> JSON:
        """Exactly what came in: the same bytes, the same object.

        Args:
            transcript: Made by `parse`.
        """
        return transcript.source


def is_mini_list(value: JSON) -> bool:
    """Whether a list of role messages is a trajectory of version 0.

    It is if it begins with a system message, has no field but role and content, and an output in the
    client's form answers an agent message with one fenced command.
    """
    messages = records_of(value)
    if not messages or any(mapping_of(item).keys() != _LIST_KEYS for item in messages):
        return False
    if messages[0]["role"] != "system":
        return False
    return any(_answers_command(before, item) for before, item in pairwise(messages))


def _is_named(value: JSON) -> bool:
    held = mapping_of(value)
    return str(held.get("trajectory_format", "")).startswith(_FORMAT) and isinstance(held.get("messages"), list)


def _answers_command(before: Mapping[str, JSON], item: Mapping[str, JSON]) -> bool:
    """A message in the form of an output, right behind an agent message with one command."""
    if item.get("role") != "user":
        return False
    text = content_text(item.get("content"))[0]
    formed = bool(_OUTPUT.match(text)) and text.rstrip().endswith(_OUTPUT_ENDS)
    return formed and _command(before) is not None


def _command(message: Mapping[str, JSON]) -> str | None:
    """The one command of an agent message; None if it has none or several."""
    if message.get("role") != "assistant":
        return None
    found = _FENCE.findall(content_text(message.get("content"))[0])
    return found[0].strip() if len(found) == 1 else None


def _read(messages: Sequence[JSON], report: Report) -> list[Draft]:
    drafts: list[Draft] = []
    before: Mapping[str, JSON] = {}
    for index, item in enumerate(messages):
        role = string_of(mapping_of(item).get("role"))
        if role is None:
            report(Defect("unknown-record", f"message {index}", "no role message; kept, not shown"))
            continue
        if role == "exit":
            continue  # the run's own last word, which no model is sent
        ends_run = index == len(messages) - 1 and (_command(before) or "").startswith(_LAST_COMMANDS)
        is_output = role == "user" and (_is_measured(item) or _answers_command(before, item) or ends_run)
        raw = {key: value for key, value in item.items() if key != "extra"}
        drafts.append(Draft(raw if len(raw) < len(item) else item, HARNESS if is_output else PLAIN))
        before = item
    return drafts


def _is_measured(item: Mapping[str, JSON]) -> bool:
    """The client keeps the command's exit code beside the message."""
    return is_whole(mapping_of(item.get("extra")).get("returncode"))


def _model(content: JSON) -> str | None:
    config = mapping_of(mapping_of(mapping_of(content).get("info")).get("config"))
    return string_of(mapping_of(config.get("model")).get("model_name"))


MINI_SWE_AGENT = MiniSweAgent()
