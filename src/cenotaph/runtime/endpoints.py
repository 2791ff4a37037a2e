"""Endpoints that write a surrogate's text: OpenAI's chat completions and Anthropic's Messages API, over plain HTTP.

The standard library only, no vendor SDK. No key ever stands in an error, a record or a repr, and no
request follows a redirect to another host.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException, HTTPResponse
from typing import IO, Final
from urllib.parse import urlsplit

from cenotaph.core.ids import JSON
from cenotaph.core.surrogate import Reply, SummaryRequest
from cenotaph.errors import ConfigurationError, SummarizerError
from cenotaph.limits import summarizer_reply_bytes_max, summarizer_seconds_max, summarizer_window_tokens
from cenotaph.runtime.summarizers import anthropic_reply, openai_reply

__all__ = ["AnthropicSummarizer", "OpenAISummarizer"]


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
        return openai_reply(_post(url, headers, body, self.timeout_s), _host(url))

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
        return anthropic_reply(_post(url, headers, body, self.timeout_s), _host(url))

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
