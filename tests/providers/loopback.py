"""A provider's endpoint on this machine that takes no request which breaks a rule of that provider.

Standard library only, and nothing of the package under test: what is refused here is refused by a second
reading of the providers' rules. A fake checks one body; for rules about what an earlier answer held it
keeps a memory per conversation, which a client names in the header `x-conversation`. The first request of
a conversation that is accepted is taken as its history: what is signed in it counts as handed out by this
server, with what stood before it. From then on nothing signed is believed but that and the server's own
answers. A request without the header is a conversation of its own.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import socket
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Protocol, cast

HOST: Final = "127.0.0.1"
CONVERSATION: Final = "x-conversation"


@dataclass(frozen=True, slots=True)
class Call:
    """One POST: its path, its headers in lower case, the bytes of its body, and the body itself."""

    path: str
    headers: Mapping[str, str]
    size: int
    body: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """A broken rule: its id, where in the body, and what is wrong there."""

    rule: str
    where: str
    note: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.where}: {self.note}"


@dataclass(frozen=True, slots=True)
class Response:
    """What came back: HTTP status, and the JSON body."""

    status: int
    body: Any

    @property
    def text(self) -> str:
        """The message of an error, whatever shape its provider gives it; "" for an answer."""
        if self.status == 200:
            return ""
        found: str = self.body["message"] if "message" in self.body else self.body["error"]["message"]
        return found

    @property
    def rule(self) -> str:
        """Id of the rule that was broken; "" for an answer."""
        return self.text.partition(":")[0]


class Provider(Protocol):
    """The rules of one endpoint, and what it says."""

    def serves(self, path: str) -> bool: ...

    def memory(self) -> Any:
        """An empty memory of one conversation."""

    def refusals(self, call: Call, memory: Any) -> list[Refusal]:
        """Every rule that the request breaks, the first one found first."""

    def answer(self, call: Call, memory: Any, number: int) -> Any:
        """A minimal answer to an accepted request, remembered; `number` is the server's count of answers."""

    def error(self, refusal: Refusal) -> tuple[Mapping[str, str], Any]:
        """Headers and body of a 400, in the provider's own shape, with the rule's id first in its message."""


def canonical(value: Any) -> str:
    """The same text for the same JSON value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(values: Iterable[Any]) -> str:
    """One name for a row of values."""
    return hashlib.sha256("\n".join(map(canonical, values)).encode()).hexdigest()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, providers: Iterable[Provider]) -> None:
        super().__init__((HOST, 0), _Handler)
        self.providers = list(providers)
        self.memories: dict[tuple[int, str], Any] = {}
        self.answers = 0
        self.lock = threading.Lock()

    def decide(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        """Status, headers and body for one request."""
        place = next((n for n, one in enumerate(self.providers) if one.serves(call.path)), None)
        if place is None:
            return 404, {}, {"message": f"path: {call.path} is no endpoint of this server"}
        provider = self.providers[place]
        name = call.headers.get(CONVERSATION)
        with self.lock:
            memory = self.memories.setdefault((place, name), provider.memory()) if name else provider.memory()
            broken = provider.refusals(call, memory)
            if broken:
                return (400, *provider.error(broken[0]))
            self.answers += 1
            return 200, {}, provider.answer(call, memory, self.answers)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(self.path, headers, len(data), json.loads(data))
        status, more, value = cast(_Server, self.server).decide(call)
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", "Content-Length": str(len(body)), **more}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the client sees what was refused."""


class Loopback:
    """The server, for the length of a `with`; `url` is `http://127.0.0.1:<port>`."""

    def __init__(self, *providers: Provider) -> None:
        self._server = _Server(providers)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.port: int = self._server.server_address[1]
        self.url = f"http://{HOST}:{self.port}"

    def __enter__(self) -> Loopback:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Client:
    """One connection that stays open; it posts JSON and says what came back."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=30)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, path: str, body: Any, headers: Mapping[str, str]) -> Response:
        self._connection.request("POST", path, json.dumps(body).encode(), {**headers})
        with self._connection.getresponse() as response:
            return Response(response.status, json.load(response))

    def close(self) -> None:
        self._connection.close()
