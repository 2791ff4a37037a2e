"""Compactions in sessions of the OpenAI Agents SDK.

A session is a list of items of the Responses API; `SQLiteSession` keeps each as the JSON in `message_data` of
its table `agent_messages`, in the order of `id`. `OpenAIResponsesCompactionSession` clears the session and
writes what `/responses/compact` gave back: what people said and one opaque item. What it replaced is in no
file any more, so every loss is possible and none can be shown.

Source: openai-agents-python, memory/openai_responses_compaction_session.py (`run_compaction`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.dialects.compactions import openai

__all__ = ["NAME", "SIGNS", "chronicle"]

NAME: Final = "openai-agents"
SIGNS: Final = openai.SIGNS
"""As for the items of the API."""

_FORM: Final = replace(openai.FORM, mechanism=Mechanism.openai_agents_session)


def chronicle(value: JSON) -> Chronicle:
    """The items of a session with its compactions.

    Args:
        value: The items, in order.

    Raises:
        InputError, DialectError: It is no list of items.
    """
    return replace(openai.chronicle_as(_FORM, value), dialect=NAME)
