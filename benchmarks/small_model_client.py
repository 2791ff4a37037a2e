"""Asks a small model on this machine, and keeps every request with its reply so that it need not be asked twice.

A recording is one JSON line: `key` (SHA-256 of the request's canonical JSON), `request`, `reply`. Requests are OpenAI
chat completions with `cache_prompt` on: a server that keeps the last prompt reads a shared beginning only once, so
requests are put in an order in which neighbours share theirs. With a cache the text of a reply depends on that order;
what is measured is therefore always the recording, which can be judged again without the model.
"""

from __future__ import annotations

import hashlib
import json
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAX_TOKENS = 220
"""Tokens that a summary may have."""

TIMEOUT_S = 300
"""Seconds that one request may take."""


class NotRecordedError(LookupError):
    """A reply is needed that no recording holds, and no server was named."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply of the model.

    Attributes:
        text: What it wrote, "" if nothing.
        finish: "stop" or "length", in the server's words.
        seconds: Wall time of the request when it was made.
        prompt_tokens, cached_tokens, completion_tokens: As the server counted them.
    """

    text: str
    finish: str
    seconds: float
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int


def request_of(
    messages: Sequence[Mapping[str, Any]], *, seed: int, temperature: float, max_tokens: int = MAX_TOKENS
) -> dict[str, Any]:
    """The body of one chat completion."""
    return {
        "messages": [dict(message) for message in messages],
        "max_tokens": max_tokens,
        "temperature": temperature,
        "seed": seed,
        "cache_prompt": True,
    }


def key_of(request: Mapping[str, Any]) -> str:
    """SHA-256 of the request's canonical JSON."""
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Model:
    """A model behind its recordings.

    Attributes:
        recordings: A JSON lines file, made if it is missing and a server is named.
        url: The server's root, e.g. "http://127.0.0.1:18182"; None replays only.
        asked: Requests that went to the server.
        used: Every answer that was given out, from the server or the file.
    """

    recordings: Path
    url: str | None = None
    asked: int = 0
    used: list[Answer] = field(default_factory=list)
    _known: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.recordings.exists():
            if self.url is None:
                raise NotRecordedError(f"{self.recordings}: no such file, and no server to ask; pass --url")
            return
        for number, line in enumerate(self.recordings.read_text(encoding="utf-8").splitlines(), 1):
            row = json.loads(line)
            if row["key"] != key_of(row["request"]):
                raise ValueError(f"{self.recordings}:{number}: the key is not the hash of the request")
            self._known[row["key"]] = row["reply"]

    def ask(self, request: Mapping[str, Any]) -> Answer:
        """The recorded answer, else the server's, which is recorded before it is used.

        Raises:
            NotRecordedError: It is not recorded and there is no server.
            OSError: The server can't be reached.
        """
        key = key_of(request)
        reply = self._known.get(key)
        if reply is None:
            reply = self._fetch(key, request)
        answer = _answer(reply)
        self.used.append(answer)
        return answer

    def _fetch(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if self.url is None:
            raise NotRecordedError(f"{self.recordings}: request {key[:12]} has no recorded reply; pass --url to ask it")
        call = urllib.request.Request(
            f"{self.url}/v1/chat/completions",
            data=json.dumps(request).encode(),
            headers={"content-type": "application/json"},
        )
        started = time.perf_counter()
        with urllib.request.urlopen(call, timeout=TIMEOUT_S) as response:
            reply: dict[str, Any] = json.load(response)
        reply["seconds"] = round(time.perf_counter() - started, 2)
        self.asked += 1
        self._known[key] = reply
        with self.recordings.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "request": request, "reply": reply}, ensure_ascii=False) + "\n")
        return reply


def _answer(reply: Mapping[str, Any]) -> Answer:
    choice, usage = reply["choices"][0], reply["usage"]
    return Answer(
        text=choice["message"].get("content") or "",
        finish=choice["finish_reason"],
        seconds=reply["seconds"],
        prompt_tokens=usage["prompt_tokens"],
        cached_tokens=usage.get("prompt_tokens_details", {}).get("cached_tokens", 0),
        completion_tokens=usage["completion_tokens"],
    )
