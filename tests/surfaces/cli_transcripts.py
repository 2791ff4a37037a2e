"""Small transcripts for the command line's tests, and how a command ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: bytes
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Ran]


def words(number: int, seed: str) -> str:
    """Text that no two seeds share, so that every result is a span of its own."""
    return " ".join(f"{seed}-line-{i} = some content of this file" for i in range(number))


def call(identity: str, tool: str, **arguments: Any) -> Json:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": identity, "type": "function", "function": function}],
    }


def result(identity: str, content: Any) -> Json:
    return {"role": "tool", "tool_call_id": identity, "content": content}


def reads(files: int = 6, size: int = 120, tool: str = "read_file") -> list[Json]:
    """A task in which an agent reads files one after the other and then answers."""
    messages: list[Json] = [
        {"role": "system", "content": "You review code. Never touch /etc/prod."},
        {"role": "user", "content": "Review every file under src and report what is wrong in each of them."},
    ]
    for i in range(files):
        messages += [call(f"c{i}", tool, path=f"src/f{i}.py"), result(f"c{i}", words(size, f"f{i}"))]
    return [*messages, {"role": "assistant", "content": "All files are read. src/f1.py has the defect."}]


def write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def lines(values: list[Json]) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def session_bytes(files: int = 4, size: int = 120) -> bytes:
    """A Claude Code session in which an agent reads files."""
    records: list[Json] = []

    def add(kind: str, role: str, content: Any) -> None:
        number = len(records)
        records.append(
            {
                "parentUuid": f"r{number - 1}" if number else None,
                "type": kind,
                "uuid": f"r{number}",
                "sessionId": "a-session",
                "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
                "message": {"role": role, "content": content},
            }
        )

    add("user", "user", "Review every file under src and report what is wrong in each of them.")
    for i in range(files):
        block = {"type": "tool_use", "id": f"c{i}", "name": "Read", "input": {"file_path": f"/src/f{i}.py"}}
        add("assistant", "assistant", [block])
        add(
            "user", "user", [{"type": "tool_result", "tool_use_id": f"c{i}", "content": words(size, f"f{i}")}]
        )
    add("assistant", "assistant", [{"type": "text", "text": "All files are read."}])
    return lines(records)
