"""Summarizers: who may be asked for a surrogate's text. The standard library only, no vendor SDK.

A summarizer takes a `SummaryRequest` and gives a `Reply`, or raises `SummarizerError` and nothing
else. What it gives is a proposal: the verifier judges it, and the structural text stands otherwise.
No key ever stands in an error, a record or a repr, and no request follows a redirect to another host.
"""

from __future__ import annotations

import inspect
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException, HTTPResponse
from typing import IO, Final, Protocol, cast, runtime_checkable
from urllib.parse import urlsplit

from cenotaph.core.ids import JSON
from cenotaph.core.surrogate import Finish, Reply, SummaryRequest
from cenotaph.errors import ConfigurationError, SummarizerError
from cenotaph.limits import summarizer_reply_bytes_max, summarizer_seconds_max, summarizer_window_tokens

__all__ = [
    "AnthropicSummarizer",
    "CallableSummarizer",
    "OpenAISummarizer",
    "Reply",
    "Summarizer",
    "SummaryRequest",
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
            return _openai_reply(value, None)
        if "content" in value:
            return _anthropic_reply(value, None)
        text, finish = value.get("text"), value.get("finish", "stop")
        if isinstance(text, str) and isinstance(finish, str) and finish in _FINISHES:
            return Reply(text, _FINISHES[finish])
    raise SummarizerError(
        f"The summarizer function returned {type(value).__name__}; expected text, None, or a mapping with 'text'.",
        reason="shape",
    )


# Endpoints ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenAISummarizer:
    """An endpoint that speaks OpenAI's chat completions.

    Attributes:
        base_url: Up to and with the version, e.g. `http://127.0.0.1:8080/v1`.
        model: Sent as it is.
        api_key: Sent as a bearer token; None for none. Only over https, or to this machine.
        timeout_s: Seconds until it counts as silent.
        window_tokens: Most tokens of prompt and reply together.
        limit_field: Name of the field for the most tokens of a reply (`max_completion_tokens` at some).
        extra: Further fields of the request body, e.g. `{"seed": 1}`.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = summarizer_seconds_max
    window_tokens: int = summarizer_window_tokens
    limit_field: str = "max_tokens"
    extra: Mapping[str, JSON] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        _check_endpoint(self.base_url, self.api_key)

    def summarize(self, request: SummaryRequest) -> Reply:
        body = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            self.limit_field: request.max_tokens,
            "temperature": 0,
            "stream": False,
            **self.extra,
        }
        headers = {} if self.api_key is None else {"Authorization": f"Bearer {self.api_key}"}
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        return _openai_reply(_post(url, headers, body, self.timeout_s), _host(url))

    def describe(self) -> dict[str, JSON]:
        return {"kind": "openai", "host": _host(self.base_url), "model": self.model}


@dataclass(frozen=True, slots=True)
class AnthropicSummarizer:
    """An endpoint that speaks Anthropic's Messages API.

    Attributes:
        base_url: Without the version, e.g. `https://api.anthropic.com`.
        model: Sent as it is.
        api_key: Sent as `x-api-key`; None for none. Only over https, or to this machine.
        timeout_s: Seconds until it counts as silent.
        window_tokens: Most tokens of prompt and reply together.
        extra: Further fields of the request body.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = summarizer_seconds_max
    window_tokens: int = summarizer_window_tokens
    extra: Mapping[str, JSON] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        _check_endpoint(self.base_url, self.api_key)

    def summarize(self, request: SummaryRequest) -> Reply:
        body = {
            "model": self.model,
            "system": request.system,
            "messages": [{"role": "user", "content": request.prompt}],
            "max_tokens": request.max_tokens,
            **self.extra,
        }
        headers = {"anthropic-version": _ANTHROPIC_VERSION}
        if self.api_key is not None:
            headers["x-api-key"] = self.api_key
        url = f"{self.base_url.rstrip('/')}/v1/messages"
        return _anthropic_reply(_post(url, headers, body, self.timeout_s), _host(url))

    def describe(self) -> dict[str, JSON]:
        return {"kind": "anthropic", "host": _host(self.base_url), "model": self.model}


_ANTHROPIC_VERSION: Final = "2023-06-01"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_REDIRECTS_MAX: Final = 3
_READ_BYTES: Final = 65_536


def _host(url: str) -> str:
    """Host and port, without anything before an `@`."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _check_endpoint(base_url: str, api_key: str | None) -> None:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(
            "base_url is no address of an endpoint.", next_step="Give one that begins with http:// or https://."
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ConfigurationError(
            f"base_url of {_host(base_url)} carries a credential, a query or a fragment.",
            next_step="Give the key as api_key.",
        )
    if api_key is not None and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise ConfigurationError(
            f"A key would go to {_host(base_url)} in the clear.", next_step="Use https://, or leave api_key out."
        )
    if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
        raise ConfigurationError("api_key holds characters that no header may hold.", next_step="Check the key.")


class _SameHostOnly(urllib.request.HTTPRedirectHandler):
    """Follows a redirect with the same request to the same origin; refuses any other."""

    max_redirections = _REDIRECTS_MAX

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request:
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if (old.scheme, old.netloc) != (new.scheme, new.netloc):
            raise SummarizerError(
                f"{_host(req.full_url)} redirects to another host, {_host(newurl)}; the request was not sent there.",
                reason="redirect",
                host=_host(req.full_url),
                status=code,
            )
        return urllib.request.Request(newurl, data=req.data, headers=dict(req.header_items()), method="POST")

    http_error_307 = urllib.request.HTTPRedirectHandler.http_error_302
    http_error_308 = urllib.request.HTTPRedirectHandler.http_error_302


def _post(url: str, headers: Mapping[str, str], body: Mapping[str, JSON], timeout_s: float) -> JSON:
    """The JSON value that the endpoint answers with.

    Raises:
        SummarizerError: With the reason; the message never holds what was sent or answered.
    """
    host = _host(url)
    request = urllib.request.Request(
        url,
        data=json.dumps(body).encode("ascii"),
        headers={"Content-Type": "application/json", "Accept": "application/json", **headers},
        method="POST",
    )
    deadline = time.monotonic() + timeout_s
    opener = urllib.request.build_opener(_SameHostOnly())
    try:
        with opener.open(request, timeout=timeout_s) as response:
            data = _read(response, deadline, host)
    except SummarizerError:
        raise
    except urllib.error.HTTPError as error:
        error.close()
        raise SummarizerError(
            f"{host} answered with HTTP status {error.code}.", reason="status", host=host, status=error.code
        ) from None
    except (OSError, HTTPException) as error:
        raise _unreachable(error, host, timeout_s) from None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise SummarizerError(
            f"{host} answered {len(data)} bytes that are no JSON.", reason="not_json", host=host
        ) from None


def _read(response: HTTPResponse, deadline: float, host: str) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(_READ_BYTES):
        size += len(piece)
        if size > summarizer_reply_bytes_max:
            raise SummarizerError(
                f"{host} answered more than {summarizer_reply_bytes_max} bytes.", reason="too_large", host=host
            )
        if time.monotonic() > deadline:
            raise TimeoutError
        pieces.append(piece)
    return b"".join(pieces)


def _unreachable(error: OSError | HTTPException, host: str, timeout_s: float) -> SummarizerError:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return SummarizerError(f"{host} did not answer within {timeout_s:g} seconds.", reason="timeout", host=host)
    name = type(cause).__name__ if isinstance(cause, BaseException) else "an error"
    return SummarizerError(f"{host} could not be asked: {name}.", reason="refused", host=host)


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


def _misshapen(host: str | None, what: str, reason: str = "shape") -> SummarizerError:
    return SummarizerError(f"The answer of {host or 'the summarizer'} {what}.", reason=reason, host=host)


def _openai_reply(answer: JSON, host: str | None) -> Reply:
    """The reply in a chat completion; several choices count as the first."""
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    if not isinstance(choices, Sequence) or isinstance(choices, str):
        raise _misshapen(host, "has no list of choices")
    if not choices:
        raise _misshapen(host, "has no choice", "empty_choices")
    message = choices[0].get("message") if isinstance(choices[0], Mapping) else None
    if not isinstance(message, Mapping):
        raise _misshapen(host, "has a choice without a message")
    text = _text_of(message.get("content"), host)
    finish = _OPENAI_FINISHES.get(str(choices[0].get("finish_reason")), "unknown")
    if message.get("tool_calls") or message.get("function_call"):
        finish = "tool"
    elif message.get("refusal"):
        finish = "filtered"
    return Reply(text, finish, host)


def _anthropic_reply(answer: JSON, host: str | None) -> Reply:
    """The reply in an answer of the Messages API."""
    content = answer.get("content") if isinstance(answer, Mapping) else None
    if not isinstance(content, Sequence) or isinstance(content, str):
        raise _misshapen(host, "has no list of content")
    text = _text_of(content, host)
    finish = _ANTHROPIC_FINISHES.get(str(answer.get("stop_reason")), "unknown")
    called = any(isinstance(block, Mapping) and block.get("type") == "tool_use" for block in content)
    return Reply(text, "tool" if called else finish, host)


def _text_of(content: JSON, host: str | None) -> str:
    """The text of a content: a string, None, or blocks of which those of type text count."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, Sequence) or not all(isinstance(block, Mapping) for block in content):
        raise _misshapen(host, "has content that is neither text nor blocks")
    texts = [block.get("text") for block in content if block.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise _misshapen(host, "has a text block without text")
    return "".join(texts)
