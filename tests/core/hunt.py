"""One transcript, compacted and looked at from every side: by the laws, by the provider, from outside.

Used by the suite on a few thousand transcripts and by `benchmarks/validity.py` on as many as wanted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, get_args

from cenotaph import BudgetExhausted, Policy, compact
from cenotaph.api import Result
from cenotaph.core.ids import JSON, verbatim_json
from cenotaph.core.model import Breach, Wire
from cenotaph.dialects import bedrock_rules, gemini_rules, langchain, responses_rules
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.anthropic_rules import Binding, thinking_breaches
from cenotaph.dialects.bedrock import BEDROCK_CONVERSE
from cenotaph.dialects.gemini import GEMINI
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.dialects.openai_responses import OPENAI_RESPONSES
from cenotaph.dialects.pydantic_ai import PYDANTIC_AI
from cenotaph.store.base import Store
from cenotaph.store.memory import MemoryStore
from cenotaph.testing import (
    conversations_bedrock,
    conversations_gemini,
    conversations_langchain,
    conversations_pydantic_ai,
    conversations_responses,
    strategies,
)
from independent_checker import Row, Stored, check, check_records

BINDINGS: tuple[Binding, ...] = get_args(Binding)
Messages = list[JSON]
Replayed = Callable[[Messages, Messages, Binding], Sequence[Breach]]


def _never_replayed(before: Messages, after: Messages, binding: Binding) -> Sequence[Breach]:
    return ()


@dataclass(frozen=True)
class Hunted:
    """A wire format, and how transcripts in it are made and looked at.

    Attributes:
        wire: The format.
        generate: From (seed, size, surrogates) to messages.
        tools: Profiles whose tools the generator calls.
        model: Decides the counter.
        replayed: Rules on two requests: what was signed goes back as it came.
        outside: The checker that trusts nothing of ours knows the format; else only its texts are compared.
    """

    wire: Wire
    generate: Callable[[int, int, bool], Messages]
    tools: tuple[str, ...]
    model: str
    replayed: Replayed = _never_replayed
    outside: bool = False


def _langchain(form: conversations_langchain.FormName) -> Hunted:
    def made(seed: int, size: int, surrogates: bool) -> Messages:
        return conversations_langchain.generate_langchain(form, seed, size)

    return Hunted(langchain.WIRES[form], made, ("generic",), "gpt-4o")


_ALL = (
    Hunted(
        ANTHROPIC,
        lambda seed, size, odd: strategies.generate("anthropic", seed, size, surrogates=odd),
        ("claude-code",),
        "claude-opus-4-5",
        thinking_breaches,
        outside=True,
    ),
    Hunted(
        OPENAI_CHAT,
        lambda seed, size, odd: strategies.generate("openai-chat", seed, size, surrogates=odd),
        ("generic",),
        "gpt-4o",
        outside=True,
    ),
    Hunted(
        OPENAI_RESPONSES,
        lambda seed, size, odd: conversations_responses.generate_items(seed, size, surrogates=odd),
        ("codex", "generic"),
        "gpt-5",
        lambda before, after, _: responses_rules.replay_breaches(before, after),
    ),
    Hunted(
        GEMINI,
        lambda seed, size, odd: conversations_gemini.generate(seed, size, surrogates=odd),
        ("generic",),
        "gemini-3-pro",
        lambda before, after, _: gemini_rules.signature_breaches(before, after),
    ),
    Hunted(
        BEDROCK_CONVERSE,
        lambda seed, size, odd: conversations_bedrock.generate(seed, size, surrogates=odd),
        ("generic",),
        "anthropic.claude-opus-4-5-20251101-v1:0",
        bedrock_rules.reasoning_breaches,
    ),
    Hunted(
        PYDANTIC_AI,
        lambda seed, size, odd: conversations_pydantic_ai.generate_pydantic_ai(seed, size),
        ("generic",),
        "gpt-4o",
    ),
    *map(_langchain, get_args(conversations_langchain.FormName)),
)
WIRES: dict[str, Hunted] = {hunted.wire.name: hunted for hunted in _ALL}


_GROWN_SHARE = 1 / 3
"""How many transcripts are also compacted as they grow."""


class KeyedStore(MemoryStore):
    """Every one has the same key, so that what two of them give can be compared to the byte."""

    def key(self) -> bytes:
        return b"k" * 32


@dataclass
class Tally:
    """What a hunt did."""

    transcripts: int = 0
    views: int = 0
    halts: int = 0
    unchanged: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    cuts_in_a_row: Counter[int] = field(default_factory=Counter)
    halts_by: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Finding:
    """Something that must never be: where, and what."""

    where: str
    what: str


def hunted(
    wire: str, seed: int, tally: Tally, *, size: int | None = None, surrogates: bool = False
) -> list[Finding]:
    """The findings of one generated transcript; policy, binding and target are drawn from the seed too.

    One in three is compacted three times as it grows, by a client that resends its history and by one
    that goes on from the view.
    """
    rng = Random(seed)
    messages = WIRES[wire].generate(seed, size if size is not None else 2 + rng.randrange(12), surrogates)
    drawn: dict[str, Any] = {
        "binding": rng.choice(BINDINGS),
        "drop_block": rng.random() < 0.5,
        "policy": rng.choice(("strict", "archive", "archive")),
        "share": rng.choice((0.95, 0.8, 0.6, 0.4, 0.2)),
    }
    found = examine(wire, messages, tally, rng, **drawn)
    if rng.random() < _GROWN_SHARE:
        found += grown(wire, messages, tally, rng, binding=drawn["binding"], drop_block=drawn["drop_block"])
    return [Finding(f"{wire} seed {seed} {drawn}", one.what) for one in found]


def examine(
    wire: str,
    messages: list[JSON],
    tally: Tally,
    rng: Random,
    *,
    binding: Binding,
    drop_block: bool,
    policy: str,
    share: float,
) -> list[Finding]:
    """Compacts once or twice and says what is wrong with it; an exception that is no halt is a finding."""
    tally.transcripts += 1
    before = verbatim_json(messages)
    store = MemoryStore()
    how: dict[str, Any] = {
        **_always(wire),
        "binding": binding,
        "drop_block": drop_block,
        "policy": Policy(policy),
        "store": store,
        "session": "s",
    }
    whole = compact(messages, to_tokens=1 << 40, **how)
    findings = [] if whole.messages is messages else [Finding("", "unchanged, and another object")]
    target = max(1, int(whole.tokens_before * share))
    try:
        done = compact(messages, to_tokens=target, **how)
    except BudgetExhausted as halt:
        findings += _of_halt(halt, target, whole.tokens_before)
        tally.halts += 1
        tally.halts_by[policy] += 1
    else:
        if done.changed:
            tally.views += 1
            tally.tokens_before += done.tokens_before
            tally.tokens_after += done.tokens_after
        else:
            tally.unchanged += 1
        # Where the provider drops what a cut invalidates, the newest message's reasoning may stay.
        bindings: tuple[Binding, ...] = (binding, "newest") if drop_block else (binding,)
        findings += _of_view(wire, messages, messages, done, target, bindings, store)
    if verbatim_json(messages) != before:
        findings.append(Finding("", "the caller's messages were changed"))
    return findings


def _always(wire: str) -> dict[str, Any]:
    """What every call for a wire is given."""
    hunted = WIRES[wire]
    dialect = "langchain" if wire.startswith("langchain") else wire
    return {"dialect": dialect, "tools": hunted.tools, "model": hunted.model}


def grown(
    wire: str, messages: list[JSON], tally: Tally, rng: Random, *, binding: Binding, drop_block: bool
) -> list[Finding]:
    """The same transcript while it grows: half of it, three quarters, all; a policy and a target each time."""
    resending, adopting = KeyedStore(), KeyedStore()
    how: dict[str, Any] = {
        **_always(wire), "session": "s", "binding": binding, "drop_block": drop_block,
    }
    bindings: tuple[Binding, ...] = (binding, "newest") if drop_block else (binding,)
    findings: list[Finding] = []
    shown: list[JSON] = []
    at = cuts = 0
    for end in sorted({max(1, len(messages) * share // 4) for share in (2, 3, 4)}):
        history, sent = messages[:end], [*shown, *messages[at:end]]
        how["policy"] = Policy(rng.choice(("strict", "archive", "archive")))
        size = compact(history, to_tokens=1 << 40, store=resending, **how).tokens_before
        target = max(1, int(size * rng.choice((0.9, 0.8, 0.7, 0.5))))
        try:
            done = compact(history, to_tokens=target, store=resending, **how)
        except BudgetExhausted as halt:
            findings += _of_halt(halt, target, size)
            findings += _halts_too(sent, target, adopting, how)
            shown, at = sent, end
            continue
        cuts += done.reason == ""
        tally.cuts_in_a_row[cuts] += done.reason == ""
        other = compact(sent, to_tokens=target, store=adopting, **how)
        if verbatim_json(list(other.messages)) != verbatim_json(list(done.messages)):
            findings.append(Finding("", f"a client that goes on from the view is shown another one after {end}"))
        findings += _of_view(wire, history, sent, done, target, bindings, resending)
        shown, at = list(done.messages), end
    return findings


def _halts_too(sent: list[JSON], target: int, store: Store, how: dict[str, Any]) -> list[Finding]:
    try:
        compact(sent, to_tokens=target, store=store, **how)
    except BudgetExhausted:
        return []
    return [Finding("", "a client that resends is halted, and one that goes on from the view is not")]


def _of_halt(halt: BudgetExhausted, target: int, size: int) -> list[Finding]:
    if not target < halt.reachable <= size:
        return [Finding("", f"halted at target {target} with {halt.reachable} of {size} reachable")]
    return [] if halt.ways_out else [Finding("", "a halt without a way out")]


def _of_view(
    wire: str,
    history: list[JSON],
    sent: list[JSON],
    done: Result,
    target: int,
    bindings: tuple[Binding, ...],
    store: Store,
) -> list[Finding]:
    """What is wrong with a view of `history`, where `sent` would have been sent without the cut."""
    view = list(done.messages)
    known = Counter(b.rule for b in WIRES[wire].wire.breaches(sent))
    broken = [b for b in WIRES[wire].wire.breaches(view) if not known[b.rule]]
    found = [WIRES[wire].replayed(sent, view, kind) for kind in bindings]
    broken += found[0] if all(found) else []
    problems = [f"{b.rule} at {b.message}: {b.note}" for b in broken]
    if done.tokens_after > target:
        problems.append(f"{done.tokens_after} tokens, {target} were the target")
    again = compact(view, to_tokens=1 << 40, **_always(wire), store=store, session="s")
    if again.tokens_before != done.tokens_after:
        problems.append(f"{done.tokens_after} tokens by the plan, {again.tokens_before} when counted anew")
    held = held_in(store)
    problems += check(history, view, stored=held) if WIRES[wire].outside else _lost(history, view, held)
    problems += check_records(held)
    return [Finding("", problem) for problem in problems]


def _lost(history: Messages, view: Messages, held: Stored) -> list[str]:
    """Lines that are neither in the view nor in the store, and lines in the view that nobody wrote and we did not."""
    before, after = _lines(history), _lines(view)
    stored = set().union(*(_lines(json.loads(data)) for data in held.objects.values()))
    lost = before - after - stored
    invented = {line for line in after - before if len(line) > _NAME_CHARS_MAX and not line.startswith(_OURS)}
    return [f"lost: {line[:80]!r}" for line in lost] + [f"invented: {line[:80]!r}" for line in invented]


_OURS = (
    *("[EVICTED:", "[CENOTAPH:", "[SUMMARY:"),
    *("system t", "developer t", "user t", "agent t", "pinned by the caller: "),
)


_NAME_CHARS_MAX = 16
"""Longest name of a role or a block type, which are texts to whoever knows no format."""


def _lines(value: JSON) -> set[str]:
    return {line for text in _texts(value) for line in text.split("\n")}


def _texts(value: JSON) -> Iterator[str]:
    """Every text of a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from _texts(child)
    elif isinstance(value, list):
        for child in value:
            yield from _texts(child)


def held_in(store: Store) -> Stored:
    """The session as the independent checker reads it."""
    rows = store.span_rows("s")
    return Stored(
        "s",
        store.key(),
        {handle: store.get("s", handle) or b"" for handle in store.objects("s")},
        store.records("s"),
        [],
        {row.span_id: row.handle for row in rows},
        [Row(r.span_id, r.handle, r.turn, r.exchange, r.kind, r.provenance) for r in rows],
    )
