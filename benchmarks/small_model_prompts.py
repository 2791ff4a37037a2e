"""The requests that are put to the small model."""

from __future__ import annotations

from typing import Any

from small_model_client import request_of
from small_model_transcripts import Case, told

TEMPERATURE = 0.7
"""Of summaries; questions are asked at 0."""

SUMMARY_SYSTEM = (
    "You summarize conversations of agents so that the agent can go on with its work from the summary alone."
)
SUMMARY_WISH = (
    "Summarize the conversation above. Keep the user's constraints, the open tasks with their status, and all "
    "identifiers verbatim. Write at most 180 words."
)


def raw_request(case: Case, seed: int) -> dict[str, Any]:
    """An ordinary compaction prompt: the whole conversation, then the wish, so that seeds share the beginning."""
    messages = [
        {"role": "system", "content": SUMMARY_SYSTEM},
        {"role": "user", "content": f"{told(case.messages)}\n\n---\n{SUMMARY_WISH}"},
    ]
    return request_of(messages, seed=seed, temperature=TEMPERATURE)


ANSWER_TOKENS = 40
"""Tokens that an answer to a question may have."""

_ANSWER = (
    "You answer questions about an agent's work from the context that you are given. Answer with the exact value and "
    "nothing else. If the value does not stand in the context, do not guess: reply NOT IN CONTEXT."
)
_WAY_BACK = (
    " In this context a marker [EVICTED:...:recover=HANDLE] or [SUMMARY:...:source=HANDLE] stands where text was taken "
    "out. If the value must have stood there, reply rehydrate(HANDLE), and you will be given that text."
)


def question_request(context: str, question: str, *, way_back: bool) -> dict[str, Any]:
    """One question, after the context, so that the questions of one context share the beginning.

    Args:
        context: What the agent still has of the conversation.
        question: The question.
        way_back: The context has markers that can be asked for, and the model is told so.
    """
    messages = [
        {"role": "system", "content": _ANSWER + (_WAY_BACK if way_back else "")},
        {"role": "user", "content": f"{context}\n\n---\nQuestion: {question}"},
    ]
    return request_of(messages, seed=1, temperature=0, max_tokens=ANSWER_TOKENS)


def summary_context(summary: str, case: Case) -> str:
    """What an agent has after an ordinary compaction: the summary, and the newest message of the person."""
    return f"SUMMARY OF THE CONVERSATION: {summary}\n{told(case.messages[-1:])}"
