"""Writes small Claude Code sessions for tests: each record hangs on the one before it."""

from __future__ import annotations

import json
from typing import Any

from cenotaph.core.model import Mark, Part, Transcript
from cenotaph.dialects.claude_code import CLAUDE_CODE, Region

Json = dict[str, Any]


class Session:
    """Records in file order; `at` seconds go into the timestamps."""

    def __init__(self) -> None:
        self.records: list[Json] = []
        self.last: str | None = None

    def add(self, kind: str, **fields: Any) -> str:
        """Appends a record; `parent` overrides the chain, `uuid` and `at` the running number."""
        number = len(self.records)
        uuid = fields.pop("uuid", f"r{number}")
        parent = fields.pop("parent", self.last)
        at = fields.pop("at", number)
        self.records.append(
            {
                "parentUuid": parent,
                "type": kind,
                "uuid": uuid,
                "sessionId": "s1",
                "timestamp": f"2026-01-01T00:00:{at:02}.000Z",
                **fields,
            }
        )
        self.last = uuid
        return str(uuid)

    def human(self, content: Any, **fields: Any) -> str:
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def agent(
        self, *blocks: Json, message_id: str | None = None, usage: Json | None = None, **fields: Any
    ) -> str:
        message: Json = {
            "role": "assistant",
            "model": fields.pop("model", "claude-x"),
            "content": list(blocks),
        }
        if message_id is not None:
            message["id"] = message_id
        if usage is not None:
            message["usage"] = usage
        return self.add("assistant", message=message, **fields)

    def result(
        self, call: str | None, content: Any = "ok", *, error: bool | None = None, **fields: Any
    ) -> str:
        block: Json = {"type": "tool_result", "tool_use_id": call, "content": content}
        if error is not None:
            block["is_error"] = error
        return self.add("user", message={"role": "user", "content": [block]}, **fields)

    def queue(self, operation: str, content: str | None = None) -> None:
        record = {"type": "queue-operation", "operation": operation, "sessionId": "s1", "timestamp": "t"}
        self.records.append(record if content is None else record | {"content": content})

    def boundary(self, **metadata: Any) -> str:
        return self.add(
            "system", subtype="compact_boundary", parent=None, compactMetadata={"trigger": "auto", **metadata}
        )

    def summary(self, text: str = "Summary of what was before.", **fields: Any) -> str:
        return self.human(text, isCompactSummary=True, isVisibleInTranscriptOnly=True, **fields)

    def bytes(self) -> bytes:
        return "".join(json.dumps(record) + "\n" for record in self.records).encode()

    def parse(self, region: Region = "last") -> Transcript:
        return CLAUDE_CODE.parse(self.bytes(), region=region)


def text(value: str) -> Json:
    return {"type": "text", "text": value}


def call(identity: str, tool: str = "Bash", **arguments: Any) -> Json:
    return {"type": "tool_use", "id": identity, "name": tool, "input": arguments}


def outline(transcript: Transcript) -> list[str]:
    """One line per message: role and what stands in it."""
    return [f"{message.role}: {' '.join(map(_short, message.parts))}" for message in transcript.messages]


def _short(part: Part) -> str:
    if part.kind.value in ("call", "result"):
        return f"{part.kind.value}({part.call_id})"
    return part.text if part.kind.value == "text" else part.kind.value


def codes(transcript: Transcript) -> list[str]:
    return [defect.code for defect in transcript.defects]


def parts(transcript: Transcript) -> list[Part]:
    return [part for message in transcript.messages for part in message.parts]


def result_part(transcript: Transcript, identity: str) -> Part:
    return next(p for p in parts(transcript) if p.kind.value == "result" and p.call_id == identity)


def marks_of(transcript: Transcript, words: str) -> frozenset[Mark]:
    return next(part.marks for part in parts(transcript) if words in part.text)


def simple() -> Session:
    session = Session()
    session.human("Hello")
    session.agent(text("Hi"), message_id="m1")
    return session
