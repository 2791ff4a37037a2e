"""Compactions taken apart, for tests: what was read, what was decided, and the evidence of the laws.

Tokens are characters here, so that every sum in a test can be done by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from cenotaph.core.carried import Carried, continued
from cenotaph.core.ids import JSON
from cenotaph.core.invariants import Evidence, check_laws
from cenotaph.core.model import Mark, Part, Provenance, Transcript
from cenotaph.core.plan import Entry, Framing, Limits, Plan
from cenotaph.core.policy import LEAVING, Policy
from cenotaph.core.readout import Memo, Readout, read
from cenotaph.core.session import Identity, Outcome, compaction, planned
from cenotaph.core.tools import Tools, ToolSpec
from cenotaph.dialects.anthropic import ANTHROPIC, AnthropicDialect
from cenotaph.dialects.openai_chat import OPENAI_CHAT, OpenAIChatDialect
from cenotaph.runtime.driver import drive
from cenotaph.store.base import Store
from cenotaph.store.memory import MemoryStore
from talk import agent, call, human, result, text, thinking

KEY = b"k" * 32
NO_FRAMING = Framing()
LONG = "A request that is long enough to stand for itself, so it leans on nothing that was said before. " * 3
LOG = "\n".join(f"2026-03-01 10:00:{n % 60:02} ERROR worker[{n}]: connection reset" for n in range(120))
STRICT, ARCHIVE = Policy.strict(), Policy.archive()
DIALECTS: dict[str, AnthropicDialect | OpenAIChatDialect] = {
    "anthropic": ANTHROPIC,
    "openai-chat": OPENAI_CHAT,
}


class Characters:
    """A token is a character; a picture is a hundred."""

    name = "characters"
    basis = "exact"

    def count(self, text: str) -> int:
        return len(text)

    def media(self, part: Part) -> int:
        return 100


def readout_of(
    messages: Any,
    *,
    wire: str = "anthropic",
    tools: Iterable[ToolSpec | str] = ("claude-code",),
    framing: Framing = NO_FRAMING,
    pins: Iterable[str | re.Pattern[str]] = (),
) -> Readout:
    dialect = DIALECTS[wire]
    return read(_recurring(dialect.parse(messages)), dialect, Memo(Characters()), Tools.of(tools), framing, pins)


def _recurring(transcript: Transcript) -> Transcript:
    """Reminders marked as by a client that puts them in again on each turn; plain lists don't say so."""

    def marked(part: Part) -> Part:
        again = part.text.startswith("<system-reminder>") and part.provenance is Provenance.harness
        return replace(part, marks=part.marks | {Mark.reinjected}) if again else part

    messages = tuple(replace(m, parts=tuple(marked(part) for part in m.parts)) for m in transcript.messages)
    return replace(transcript, messages=messages)


def who(carried: Carried | None = None, *, stored: bool = True, key: bytes = KEY) -> Identity:
    return Identity(session="s", key=key, stored=stored, carried=carried)


def plan_of(
    readout: Readout,
    target: int,
    *,
    policy: Policy = STRICT,
    stored: bool = True,
    **limits: Any,
) -> Plan:
    return planned(readout, Limits(policy=policy, target=target, **limits), who(stored=stored))


def after(readout: Readout, outcome: Outcome, *fresh: Any) -> Readout:
    """What the next compaction reads: the view of the last one, with what came since."""
    messages = readout.wire.parse_messages(list(fresh))
    transcript = continued(readout.transcript, outcome.carried, messages)
    return read(transcript, readout.wire, readout.counter, readout.tools, readout.framing, past=outcome.carried.writes)


def smallest(readout: Readout, **how: Any) -> Plan:
    """The plan with everything gone that may leave."""
    return plan_of(readout, 0, **how)


def leaving(plan: Plan) -> list[Entry]:
    return [entry for entry in plan.entries if entry.action in LEAVING]


def texts_leaving(readout: Readout, plan: Plan) -> list[str]:
    return [readout.classified.spans[entry.order].text for entry in leaving(plan)]


def cut(
    readout: Readout,
    target: int,
    *,
    policy: Policy = STRICT,
    carried: Carried | None = None,
    store: Store | None = None,
    **limits: Any,
) -> tuple[Outcome, Evidence]:
    """A whole compaction into a store, a fresh one if None, and what the laws were shown of it."""
    seen: list[Evidence] = []

    def watching(evidence: Evidence) -> dict[str, list[str]]:
        seen.append(evidence)
        return check_laws(evidence)

    kept = MemoryStore() if store is None else store
    records = kept.records("s")
    identity = replace(who(carried), seq=len(records) + 1, previous=records[-1]["record_id"] if records else None)
    if carried is not None:
        source = carried.source.copy()
        source.extend(message.raw for message in readout.transcript.messages[len(carried.messages) :])
        identity = replace(identity, source=source)
    steps = compaction(readout, Limits(policy=policy, target=target, **limits), identity)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cenotaph.core.session.check_laws", watching)
        outcome = drive(steps, kept, "s")
    return outcome, seen[-1]


def contents_of(view: Iterable[JSON]) -> str:
    return "\n".join(str(message["content"]) for message in view)


def everything() -> list[Any]:
    """Every kind of thing that can leave, beside everything that can't."""
    return [
        human(f"Never touch /etc/prod/.\n```\n{LOG}\n```\nWhy?"),
        agent(thinking("hm " * 60, ""), text("I look."), call("r", "Read", file_path="a.py")),
        result("r", "a" * 900),
        agent(call("s", "Read", file_path="b.py"), call("b", "Bash", command="make")),
        {
            "role": "user",
            "content": [*result("s", "b" * 900)["content"], *result("b", "out " * 200)["content"]],
        },
        agent(call("t", "Read", file_path="b.py")),
        result("t", "c" * 900),
        agent(call("w", "Write", file_path="z.py", content="z" * 1_500)),
        result("w", "written"),
        agent(call("p", "TodoWrite", todos=[{"content": "step", "status": "pending"}])),
        result("p", "saved"),
        agent(call("q", "AskUserQuestion", question="may I?")),
        result("q", "yes, do it"),
        agent(text("Done.")),
        human(LONG),
    ]
