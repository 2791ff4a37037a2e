"""Forms of machine text in the user's role of this format: the general ones and those of its best known client.

The Codex client puts its context into messages of the user's role, each block of which is filled by one
fragment between fixed markers (openai/codex, `context/`). A form counts only if it fills the whole
block. A person who pastes such a text loses no protection: instructions are authoritative as well.
"""

from __future__ import annotations

from typing import Final

from cenotaph.dialects.forms import HARNESS_TAGS, is_harness

__all__ = ["CONTEXT_TAGS", "SUMMARY_OPENING", "is_harness_text", "is_instruction_text"]

CONTEXT_TAGS: Final = (
    "environment_context",
    "user_instructions",
    "skill",
    "user_shell_command",
    "turn_aborted",
    "subagent_notification",
    "plugins",
)
"""Elements that the client writes; each fills its block."""

_INSTRUCTION_TAGS: Final = ("user_instructions", "skill")
_AGENTS_OPENING: Final = "# AGENTS.md instructions for "
_AGENTS_CLOSING: Final = "</INSTRUCTIONS>"

SUMMARY_OPENING: Final = "Another language model started to solve this problem and produced a summary"
"""How the client opens the message that carries the summary of its local compaction."""


def is_harness_text(text: str) -> bool:
    """Whether a whole text block is made of such forms alone."""
    return _is_agents_file(text) or is_harness(text, (*HARNESS_TAGS, *CONTEXT_TAGS))


def is_instruction_text(text: str) -> bool:
    """Whether it is the content of an instruction file or a skill."""
    return _is_agents_file(text) or is_harness(text, _INSTRUCTION_TAGS)


def _is_agents_file(text: str) -> bool:
    stripped = text.strip()
    closing = stripped.find(_AGENTS_CLOSING)
    return stripped.startswith(_AGENTS_OPENING) and 0 < closing == len(stripped) - len(_AGENTS_CLOSING)
