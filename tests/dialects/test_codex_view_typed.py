"""What an event says that a person typed is theirs, also where it looks like a compaction's summary."""

from __future__ import annotations

from typing import Any

import pytest

from cenotaph.dialects.codex import CODEX
from cenotaph.dialects.codex_forms import SUMMARY_OPENING


def item(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def rollout(text: str, said: str, *, typed: bool) -> list[dict[str, Any]]:
    told = ("event_msg", {"type": "user_message", "message": text})
    compacted = ("compacted", {"message": said, "replacement_history": [item(text)]})
    records = [("session_meta", {"id": "s", "cwd": "/x"}), ("response_item", item(text)), told, compacted]
    kept = [one for one in records if typed or one is not told]
    return [{"timestamp": "t", "type": kind, "payload": payload} for kind, payload in kept]


@pytest.mark.parametrize(("text", "said"), [("never push", "never push"), (f"{SUMMARY_OPENING} and so on", "")])
@pytest.mark.parametrize(("typed", "voice"), [(True, "user"), (False, "foreign")])
def test_a_typed_text_is_no_summary(text: str, said: str, typed: bool, voice: str) -> None:
    (message,) = CODEX.parse(rollout(text, said, typed=typed)).messages
    assert [part.provenance.value for part in message.parts] == [voice]
