"""Forms of machine text that the Codex client puts into messages of the user's role.

Each block of such a message is filled by one fragment between fixed markers (openai/codex, `core/context`).
A form counts only if it fills the whole block, and only in a session of this client: in a plain request
the same elements may be anybody's words.
"""

from __future__ import annotations

import re
from typing import Final

from cenotaph.dialects.forms import HARNESS_TAGS, is_harness

__all__ = ["SUMMARY_OPENING", "is_client_text", "is_image_label", "is_instruction_text"]

_CONTEXT_TAGS: Final = (
    "additional_context",
    "environment_context",
    "goal_context",
    "plugins",
    "recommended_plugins",
    "skill",
    "subagent_notification",
    "turn_aborted",
    "user_instructions",
    "user_shell_command",
)
_INSTRUCTION_TAGS: Final = ("user_instructions", "skill")
_AGENTS_OPENING: Final = "# AGENTS.md instructions for "
_AGENTS_CLOSING: Final = "</INSTRUCTIONS>"

_SOURCED: Final = re.compile(r'<(codex_internal_context|hook_prompt)(?: [a-z_]+="[^"<>]*")+>')
"""Elements that say in attributes where their text comes from."""

_WARNING: Final = re.compile(
    r"Warning: (?:"
    r"apply_patch was requested via [\w.-]+\. Use the apply_patch tool instead of exec_command\."
    r"|The maximum number of unified exec processes you can keep open is \d+ and you currently have \d+ processes"
    r" open\. Reuse older processes or close them to prevent automatic pruning of old processes\.?"
    r"|Your account was flagged for potentially high-risk cyber activity and this request was routed to [\w.-]+ as a"
    r" fallback\.[^\n]*"
    r")"
)
"""Warnings of the client to the model."""

_IMAGE_LABEL: Final = re.compile(r'<image(?: name=\[Image #\d+\](?: path="[^"]*")?)?>|</image>')

SUMMARY_OPENING: Final = "Another language model started to solve this problem and produced a summary"
"""How the client opens the message that carries the summary of its local compaction."""


def is_client_text(text: str) -> bool:
    """Whether a whole text block is made of such forms alone."""
    stripped = text.strip()
    return (
        _is_agents_file(stripped)
        or _is_sourced(stripped)
        or _WARNING.fullmatch(stripped) is not None
        or is_harness(stripped, (*HARNESS_TAGS, *_CONTEXT_TAGS))
    )


def is_instruction_text(text: str) -> bool:
    """Whether it is the content of an instruction file or a skill."""
    return _is_agents_file(text.strip()) or is_harness(text, _INSTRUCTION_TAGS)


def is_image_label(text: str) -> bool:
    """Whether a whole text block is the client's label before or behind a picture that a person attached."""
    return _IMAGE_LABEL.fullmatch(text.strip()) is not None


def _is_agents_file(text: str) -> bool:
    closing = text.find(_AGENTS_CLOSING)
    return text.startswith(_AGENTS_OPENING) and 0 < closing == len(text) - len(_AGENTS_CLOSING)


def _is_sourced(text: str) -> bool:
    opened = _SOURCED.match(text)
    if opened is None:
        return False
    closing = f"</{opened[1]}>"
    return text.find(closing, opened.end()) == len(text) - len(closing)
