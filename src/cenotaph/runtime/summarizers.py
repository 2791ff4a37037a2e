"""Summarizers: who may be asked for a surrogate's text.

A summarizer takes a `SummaryRequest` and gives a `Reply`, or raises `SummarizerError` and nothing
else. What it gives is a proposal: the verifier judges it, and the structural text stands otherwise.
Endpoints that are reached over HTTP are in `endpoints`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, cast, runtime_checkable

from cenotaph.core.ids import JSON
from cenotaph.core.surrogate import Finish, Reply, SummaryRequest
from cenotaph.errors import ConfigurationError, SummarizerError
from cenotaph.limits import summarizer_window_tokens

__all__ = [
    "CallableSummarizer",
    "Reply",
    "Summarizer",
    "SummaryRequest",
    "anthropic_reply",
    "openai_reply",
    "summarizer_of",
]

SummaryFunction = Callable[[SummaryRequest], "str | Mapping[str, JSON] | Reply | None"]
"""A caller's own summarizer: see `CallableSummarizer`."""


@runtime_checkable
class Summarizer(Protocol):
    """Whatever writes a surrogate's text.

    Attributes:
        window_tokens: Most tokens of prompt and reply together.
    """

    @property
    def window_tokens(self) -> int: ...

    def summarize(self, request: SummaryRequest) -> Reply:
        """The reply.

        Raises:
            SummarizerError: There is none.
        """

    def describe(self) -> dict[str, JSON]:
        """For the record: `kind`, `host` (None if nothing leaves the process), `model`; no credential."""


def summarizer_of(value: Summarizer | SummaryFunction) -> Summarizer:
    """The summarizer that a caller means: one of ours, one of their own, or a function.

    Raises:
        ConfigurationError: It is neither, or a coroutine function, which nobody here awaits.
    """
    if isinstance(value, Summarizer) and not isinstance(value, type):
        return value
    if not callable(value) or isinstance(value, type):
        raise ConfigurationError(
            f"summarizer={value!r} can't summarize.",
            next_step="Give a function of a SummaryRequest, OpenAISummarizer(...) or AnthropicSummarizer(...).",
        )
    if inspect.iscoroutinefunction(value):
        raise ConfigurationError(
            "The summarizer is a coroutine function, and a compaction does not wait for one.",
            next_step="Give a plain function that returns the text.",
        )
    return CallableSummarizer(value)


@dataclass(frozen=True, slots=True)
class CallableSummarizer:
    """A function of the caller.

    It gets the `SummaryRequest` and returns the text; or a mapping with `text` and, if it did not end
    by itself, `finish` (`stop | length | tool | filtered | unknown`); or the answer of an OpenAI chat
    completion or of Anthropic's Messages API as a mapping; or a `Reply`; or None for nothing.

    Attributes:
        function: The function.
        window_tokens: Most tokens of prompt and reply together.
    """

    function: SummaryFunction
    window_tokens: int = summarizer_window_tokens

    def summarize(self, request: SummaryRequest) -> Reply:
        try:
            value = self.function(request)
        except SummarizerError:
            raise
        except Exception as error:
            raise SummarizerError(
                f"The summarizer function raised {type(error).__name__}.", reason="callable"
            ) from error
        return _reply_of(value)

    def describe(self) -> dict[str, JSON]:
        name = getattr(self.function, "__qualname__", type(self.function).__qualname__)
        return {"kind": "callable", "host": None, "model": name}


_FINISHES: Final[Mapping[str, Finish]] = {
    name: name for name in cast(tuple[Finish, ...], ("stop", "length", "tool", "filtered", "unknown"))
}


def _reply_of(value: object) -> Reply:
    if isinstance(value, Reply):
        return value
    if value is None or isinstance(value, str):
        return Reply(value or "")
    if isinstance(value, Mapping):
        if "choices" in value:
            return openai_reply(value, None)
        if "content" in value:
            return anthropic_reply(value, None)
        text, finish = value.get("text"), value.get("finish", "stop")
        if isinstance(text, str) and isinstance(finish, str) and finish in _FINISHES:
            return Reply(text, _FINISHES[finish])
    raise SummarizerError(
        f"The summarizer function returned {type(value).__name__}; expected text, None, or a mapping with 'text'.",
        reason="shape",
    )


# Answers ------------------------------------------------------------------------------------------

_OPENAI_FINISHES: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool",
    "function_call": "tool",
    "content_filter": "filtered",
}
_ANTHROPIC_FINISHES: Final[Mapping[str, Finish]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "filtered",
}


def misshapen(host: str | None, what: str, reason: str = "shape") -> SummarizerError:
    return SummarizerError(f"The answer of {host or 'the summarizer'} {what}.", reason=reason, host=host)


def openai_reply(answer: JSON, host: str | None) -> Reply:
    """The reply in a chat completion; several choices count as the first."""
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    if not isinstance(choices, Sequence) or isinstance(choices, str):
        raise misshapen(host, "has no list of choices")
    if not choices:
        raise misshapen(host, "has no choice", "empty_choices")
    message = choices[0].get("message") if isinstance(choices[0], Mapping) else None
    if not isinstance(message, Mapping):
        raise misshapen(host, "has a choice without a message")
    text = _text_of(message.get("content"), host)
    finish = _OPENAI_FINISHES.get(str(choices[0].get("finish_reason")), "unknown")
    if message.get("tool_calls") or message.get("function_call"):
        finish = "tool"
    elif message.get("refusal"):
        finish = "filtered"
    return Reply(text, finish, host)


def anthropic_reply(answer: JSON, host: str | None) -> Reply:
    """The reply in an answer of the Messages API."""
    content = answer.get("content") if isinstance(answer, Mapping) else None
    if not isinstance(content, Sequence) or isinstance(content, str):
        raise misshapen(host, "has no list of content")
    text = _text_of(content, host)
    finish = _ANTHROPIC_FINISHES.get(str(answer.get("stop_reason")), "unknown")
    called = any(isinstance(block, Mapping) and block.get("type") == "tool_use" for block in content)
    return Reply(text, "tool" if called else finish, host)


def _text_of(content: JSON, host: str | None) -> str:
    """The text of a content: a string, None, or blocks of which those of type text count."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, Sequence) or not all(isinstance(block, Mapping) for block in content):
        raise misshapen(host, "has content that is neither text nor blocks")
    texts = [block.get("text") for block in content if block.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise misshapen(host, "has a text block without text")
    return "".join(texts)
