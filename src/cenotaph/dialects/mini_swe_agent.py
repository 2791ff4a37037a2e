"""The mini-swe-agent dialect: trajectories of mini-SWE-agent, read as what comes next.

Version 0 is a bare list of `{role, content}`; later ones are `{info, messages, trajectory_format}`,
whose messages may have calls, results and a field `extra` that is never sent. The view is in Chat
Completions form.

Without calls, the agent's message has one command in a fence and the next message, in a person's
role, is its output: it begins with `<returncode>` and ends with `</output>`, or it is what the client
says of a command that it killed. By structure that is harness text. So is the last message behind the
command that ends a run if it is the patch that such a command prints, without the form; a task that
somebody adds there is a person's. All else in a person's role is a person's too: the task, and what
somebody typed at the prompt. Errors of format come in a person's role as well and nothing but their
words tells them apart, so they count as a person's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.client_lists import answers_command, command_of, is_mini_list, is_mini_run
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

__all__ = ["MINI_SWE_AGENT", "MiniSweAgent"]

_LAST_COMMANDS: Final = ("echo MINI_SWE_AGENT_FINAL_OUTPUT", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
_PATCH = re.compile(
    r"diff --git [^\n]+\n(?:index |old mode |new file mode |deleted file mode |similarity |dissimilarity |rename "
    r"|copy |--- |\+\+\+ |Binary )"
)
"""A patch as git prints it: its second line is one of these."""
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
        return is_mini_list(content) or is_mini_run(content)

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
        messages = records_of(content["messages"] if is_mini_run(content) else content)
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
        ends_run = index == len(messages) - 1 and _is_submission(before, item)
        is_output = role == "user" and (_is_measured(item) or answers_command(before, item) or ends_run)
        raw = {key: value for key, value in item.items() if key != "extra"}
        drafts.append(Draft(raw if len(raw) < len(item) else item, HARNESS if is_output else PLAIN))
        before = item
    return drafts


def _is_submission(before: Mapping[str, JSON], item: Mapping[str, JSON]) -> bool:
    """The output of the command that ends a run: a patch, or nothing."""
    text = content_text(item.get("content"))[0].strip()
    ends = (command_of(before) or "").startswith(_LAST_COMMANDS)
    return ends and (not text or _PATCH.match(text) is not None)


def _is_measured(item: Mapping[str, JSON]) -> bool:
    """The client keeps the command's exit code beside the message."""
    return is_whole(mapping_of(item.get("extra")).get("returncode"))


def _model(content: JSON) -> str | None:
    config = mapping_of(mapping_of(mapping_of(content).get("info")).get("config"))
    return string_of(mapping_of(config.get("model")).get("model_name"))


MINI_SWE_AGENT = MiniSweAgent()
