"""Summarizers for tests: one that reads from a script, and a real server on this machine.

The server speaks OpenAI's chat completions and Anthropic's Messages API on one port, by the path of
the request. It answers from a script, in order, and keeps what it was sent.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final, cast

from cenotaph.core.ids import JSON
from cenotaph.core.surrogate import Finish, Reply, SummaryRequest
from cenotaph.limits import summarizer_window_tokens

__all__ = ["Answer", "LoopbackModel", "ScriptedSummarizer", "Sent", "copying"]

_HOST: Final = "127.0.0.1"

Scripted = str | Reply | Exception | Callable[[SummaryRequest], "str | Reply"]


def copying(request: SummaryRequest) -> str:
    """A faithful reply: the first line of each source, verbatim, with its handle."""
    firsts = ((source.text.strip().splitlines() or [""])[0].strip(" \t") for source in request.sources)
    pairs = zip(firsts, request.sources, strict=True)
    return "\n".join(f"{first} ({source.handle})" for first, source in pairs if first)


@dataclass(slots=True)
class ScriptedSummarizer:
    """Gives the replies of a script in order, the last one for ever; an exception is raised.

    Attributes:
        script: Texts, replies, exceptions, or functions of the request (`copying`).
        window_tokens: Most tokens of prompt and reply together.
        requests: What it was asked, in order.
    """

    script: list[Scripted]
    window_tokens: int = summarizer_window_tokens
    requests: list[SummaryRequest] = field(default_factory=list)

    def summarize(self, request: SummaryRequest) -> Reply:
        step = self.script[min(len(self.requests), len(self.script) - 1)]
        self.requests.append(request)
        if isinstance(step, Exception):
            raise step
        value = step(request) if callable(step) else step
        return Reply(value) if isinstance(value, str) else value

    def describe(self) -> dict[str, JSON]:
        return {"kind": "scripted", "host": None, "model": None}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server answers once.

    Attributes:
        text: Text of the model's message.
        finish: As in `Reply`; written as the wire of the request writes it.
        status: HTTP status.
        body: Bytes to send instead of a well-formed answer; None for one.
        headers: Further headers, e.g. `Location`.
        silent: Hold the connection open and answer nothing until the server stops.
    """

    text: str = ""
    finish: Finish = "stop"
    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """A request that the server took: its path, its headers in lower case, its JSON body."""

    path: str
    headers: Mapping[str, str]
    body: JSON


_OPENAI_FINISH: Final = {"stop": "stop", "length": "length", "tool": "tool_calls", "filtered": "content_filter"}
_ANTHROPIC_FINISH: Final = {"stop": "end_turn", "length": "max_tokens", "tool": "tool_use", "filtered": "refusal"}


def _well_formed(path: str, answer: Answer) -> JSON:
    if path.endswith("/messages"):
        return {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": answer.text}],
            "stop_reason": _ANTHROPIC_FINISH.get(answer.finish),
        }
    message = {"role": "assistant", "content": answer.text}
    choice = {"index": 0, "message": message, "finish_reason": _OPENAI_FINISH.get(answer.finish)}
    return {"object": "chat.completion", "choices": [choice]}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Iterable[Answer]) -> None:
        super().__init__((_HOST, 0), _Handler)
        self.script = list(script)
        self.sent: list[Sent] = []
        self.stopping = threading.Event()
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = cast(_Server, self.server)
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with server.lock:
            answer = server.script[min(len(server.sent), len(server.script) - 1)]
            server.sent.append(Sent(self.path, headers, json.loads(data) if data else None))
        if answer.silent:
            server.stopping.wait()
            return
        body = answer.body if answer.body is not None else json.dumps(_well_formed(self.path, answer)).encode()
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(body)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what was sent stands in `LoopbackModel.sent`."""


class LoopbackModel:
    """A model's endpoint on this machine, for the length of a `with`.

    Attributes:
        url: `http://127.0.0.1:<port>`; OpenAI's base is this and `/v1`.
        sent: The requests that it took, in order.
    """

    def __init__(self, *script: Answer) -> None:
        """Args:
        script: Answers in order; the last one is given for ever.
        """
        self._server = _Server(script or (Answer(),))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.url = f"http://{_HOST}:{self._server.server_address[1]}"

    @property
    def sent(self) -> list[Sent]:
        return self._server.sent

    def __enter__(self) -> LoopbackModel:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
