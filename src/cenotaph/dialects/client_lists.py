"""Lists of role messages that a client keeps as its session, told from those of a wire by structure.

Such a file is a list of messages of a wire with the client's own forms in it. One dialect owns it: the
client's, which knows who wrote what in a person's role. The wire's own reads it too, asked by name, but
never recognises it, so that the order of asking is irrelevant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.dialects.content import content_text
from cenotaph.dialects.forms import is_harness

__all__ = [
    "ENVIRONMENT",
    "answers_command",
    "command_of",
    "is_cline_history",
    "is_mini_list",
    "is_mini_run",
    "of_a_client",
]


def of_a_client(value: JSON) -> bool:
    """Whether a list of messages, or an object that holds one, is the session of a client with a dialect of its own.

    Args:
        value: A decoded value.
    """
    return is_mini_run(value) or is_mini_list(value) or is_cline_history(value)


def _messages(value: JSON) -> Sequence[JSON]:
    """The items of a list of objects; of anything else none."""
    held = value if isinstance(value, list | tuple) else ()
    return held if all(isinstance(item, Mapping) for item in held) else ()


# mini-SWE-agent -----------------------------------------------------------------------------

_FORMAT: Final = "mini-swe-agent"
_FENCE = re.compile(r"^```(?:bash|mswea_bash_command)[ \t]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_RETURNED = re.compile(r"\s*<returncode>-?\d+</returncode>\s*")
_OUTPUT_OPENINGS: Final = ("<output>", "<warning>")
_OUTPUT_CLOSINGS: Final = ("</output>", "</output_tail>")
_TIMED_OUT = re.compile(
    r"\s*The last command <command>.*</command> timed out and has been killed\.\n"
    r"The output of the command was:\n\s*<output>\n.*</output>\nPlease try another command[^\n]*\s*",
    re.DOTALL,
)
"""What the client says of a command that it killed, whole (mini-swe-agent, config/*.yaml: timeout_template)."""
_LIST_KEYS: Final = frozenset({"role", "content"})


def is_mini_run(value: JSON) -> bool:
    """Whether an object with messages names a format of mini-SWE-agent."""
    if not isinstance(value, Mapping):
        return False
    return str(value.get("trajectory_format", "")).startswith(_FORMAT) and isinstance(value.get("messages"), list)


def is_mini_list(value: JSON) -> bool:
    """Whether a list of role messages is a trajectory of mini-SWE-agent of version 0.

    It is if it begins with a system message, has no field but role and content, and an output in the
    client's form answers an agent message with one fenced command.
    """
    messages = _messages(value)
    if not messages or any(item.keys() != _LIST_KEYS for item in messages):
        return False
    if messages[0]["role"] != "system":
        return False
    return any(answers_command(before, item) for before, item in pairwise(messages))


def answers_command(before: Mapping[str, JSON], item: Mapping[str, JSON]) -> bool:
    """A message in the form of an output, right behind an agent message with one command."""
    if item.get("role") != "user":
        return False
    return command_of(before) is not None and _is_output(content_text(item.get("content"))[0])


def _is_output(text: str) -> bool:
    """The text begins and ends as the client begins and ends an output.

    What a command printed stands between, and may hold the client's own elements: whoever controls a file could
    otherwise end the output in it and speak as a person.
    """
    returned = _RETURNED.match(text)
    if returned is None:
        return _TIMED_OUT.fullmatch(text) is not None
    return text.startswith(_OUTPUT_OPENINGS, returned.end()) and text.rstrip().endswith(_OUTPUT_CLOSINGS)


def command_of(message: Mapping[str, JSON]) -> str | None:
    """The one command of an agent message; None if it has none or several."""
    if message.get("role") != "assistant":
        return None
    found = _FENCE.findall(content_text(message.get("content"))[0])
    return found[0].strip() if len(found) == 1 else None


# Cline --------------------------------------------------------------------------------------

ENVIRONMENT: Final = ("environment_details",)
"""The element that Cline writes anew at the end of each message in a person's role."""

_TASK: Final = "<task>"


def is_cline_history(value: JSON) -> bool:
    """Whether a list begins with a task of Cline and holds details of the environment, each alone in its block."""
    messages = _messages(value)
    if not messages or not all(isinstance(item.get("content"), list | str) for item in messages):
        return False
    first = _texts(messages[0])
    if messages[0].get("role") != "user" or not first or not first[0].lstrip().startswith(_TASK):
        return False
    asked = [item for item in messages if item.get("role") == "user"]
    return any(is_harness(text, ENVIRONMENT) for item in asked for text in _texts(item))


def _texts(message: Mapping[str, JSON]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    blocks = [block for block in content or () if isinstance(block, Mapping) and block.get("type") == "text"]
    return [block["text"] for block in blocks if isinstance(block.get("text"), str)]
