"""One transcript, compacted and looked at from every side: by the laws, by the provider, from outside.

Used by the suite on a few thousand transcripts and by `benchmarks/validity.py` on as many as wanted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any, get_args

from cenotaph import BudgetExhausted, Policy, compact
from cenotaph.api import Result
from cenotaph.core.ids import JSON, verbatim_json
from cenotaph.dialects.anthropic import ANTHROPIC, AnthropicDialect
from cenotaph.dialects.anthropic_rules import Binding, thinking_breaches
from cenotaph.dialects.openai_chat import OPENAI_CHAT, OpenAIChatDialect
from cenotaph.store.base import Store
from cenotaph.store.memory import MemoryStore
from cenotaph.testing.strategies import Wire, generate
from independent_checker import Row, Stored, check, check_records

WIRES: tuple[Wire, ...] = get_args(Wire)
BINDINGS: tuple[Binding, ...] = get_args(Binding)
DIALECTS: dict[str, AnthropicDialect | OpenAIChatDialect] = {
    "anthropic": ANTHROPIC,
    "openai-chat": OPENAI_CHAT,
}
TOOLS = {"anthropic": ("claude-code",), "openai-chat": ("generic",)}
MODELS = {"anthropic": "claude-opus-4-5", "openai-chat": "gpt-4o"}


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
    wire: Wire, seed: int, tally: Tally, *, size: int | None = None, surrogates: bool = False
) -> list[Finding]:
    """The findings of one generated transcript; policy, binding and target are drawn from the seed too.

    One in three is compacted three times as it grows, by a client that resends its history and by one
    that goes on from the view.
    """
    rng = Random(seed)
    messages = generate(
        wire, seed, size if size is not None else 2 + rng.randrange(12), surrogates=surrogates
    )
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
    wire: Wire,
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
        "dialect": wire,
        "tools": TOOLS[wire],
        "model": MODELS[wire],
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


def grown(
    wire: Wire, messages: list[JSON], tally: Tally, rng: Random, *, binding: Binding, drop_block: bool
) -> list[Finding]:
    """The same transcript while it grows: half of it, three quarters, all; a policy and a target each time."""
    resending, adopting = KeyedStore(), KeyedStore()
    how: dict[str, Any] = {
        "dialect": wire, "tools": TOOLS[wire], "model": MODELS[wire], "session": "s",
        "binding": binding, "drop_block": drop_block,
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
    wire: Wire,
    history: list[JSON],
    sent: list[JSON],
    done: Result,
    target: int,
    bindings: tuple[Binding, ...],
    store: Store,
) -> list[Finding]:
    """What is wrong with a view of `history`, where `sent` would have been sent without the cut."""
    view = list(done.messages)
    known = Counter(b.rule for b in DIALECTS[wire].breaches(sent))
    broken = [b for b in DIALECTS[wire].breaches(view) if not known[b.rule]]
    if wire == "anthropic":
        found = [thinking_breaches(sent, view, kind) for kind in bindings]
        broken += found[0] if all(found) else []
    problems = [f"{b.rule} at {b.message}: {b.note}" for b in broken]
    if done.tokens_after > target:
        problems.append(f"{done.tokens_after} tokens, {target} were the target")
    again = compact(
        view, to_tokens=1 << 40, dialect=wire, model=MODELS[wire], tools=TOOLS[wire], store=store, session="s"
    )
    if again.tokens_before != done.tokens_after:
        problems.append(f"{done.tokens_after} tokens by the plan, {again.tokens_before} when counted anew")
    held = held_in(store)
    problems += check(history, view, stored=held) + check_records(held)
    return [Finding("", problem) for problem in problems]


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
