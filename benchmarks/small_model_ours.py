"""Compactions of the ten transcripts with the small model as summarizer, and what their views keep."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from small_model_client import MAX_TOKENS, Answer, Model, NotRecordedError, request_of
from small_model_prompts import TEMPERATURE
from small_model_rules import stands
from small_model_transcripts import CASES, IDENTIFIERS, TOOLS, Case, told

from cenotaph import IrreversibleCompactionError, Policy, compact, rehydrate
from cenotaph.core.ids import store_handle
from cenotaph.core.model import Provenance
from cenotaph.core.surrogate import Reply, Source, SummaryRequest, make_request, short_handles
from cenotaph.core.verifier import Verdict, judge
from cenotaph.runtime.counters import counter_for
from cenotaph.store.memory import MemoryStore

WINDOW = 6_144
"""Tokens that the model may be shown, with its answer."""

NARRATIONS = 4
"""Texts of the agent, after its first, that `narrated` shows to the model."""

TARGET = 0.5
"""Share of a transcript's tokens that the view may have."""


class FixedKeyStore(MemoryStore):
    """A memory store with a stated key: handles, and so the requests that name them, are the same in every run."""

    def key(self) -> bytes:
        return b"a key for measurements, no secret"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to the summarizer, as it was answered and judged.

    Attributes:
        case: Its transcript.
        seed: Of the run.
        request: What was asked.
        reply: What came back.
        verdict: The verifier's.
        count: Tokens of a text, by the compaction's counter.
    """

    case: Case
    seed: int
    request: SummaryRequest
    reply: Reply
    verdict: Verdict
    count: Any


@dataclass(frozen=True, slots=True)
class Run:
    """One compaction.

    Attributes:
        case: Its transcript.
        seed: The model's.
        result: What `compact` gave.
        store: The store behind it.
        asked: What was asked of the model.
    """

    case: Case
    seed: int
    result: Any
    store: FixedKeyStore
    asked: tuple[Asked, ...]

    @property
    def view(self) -> str:
        """The view as plain text."""
        return told(self.result.messages)


def run(model: Model, case: Case, seed: int) -> Run:
    """Compacts one transcript to `TARGET`, with the model as summarizer.

    Raises:
        NotRecordedError, OSError: The model could not be asked; a session by itself would take the structural text.
    """
    exchanges: list[tuple[SummaryRequest, Reply]] = []
    failed: list[Exception] = []

    def summarizer(request: SummaryRequest) -> Reply:
        try:
            reply = _reply(model.ask(_chat(request, seed)))
        except (NotRecordedError, OSError) as error:  # the session would go on with the structural text
            failed.append(error)
            raise
        exchanges.append((request, reply))
        return reply

    made = compacted(case, seed, summarizer)
    if failed:
        raise failed[0]
    count = made.result.readout.counter.count
    asked = tuple(
        Asked(case, seed, shown, reply, judge(reply, shown.sources, max_tokens=shown.max_tokens, count=count), count)
        for shown, reply in exchanges
    )
    return replace(made, asked=asked)


def compacted(case: Case, seed: int, summarizer: Any) -> Run:
    """Compacts one transcript to `TARGET`, with any summarizer."""
    store = FixedKeyStore()
    request = {"messages": list(case.messages), "tools": case.tools}
    how: dict[str, Any] = {"dialect": "openai-chat", "policy": Policy.archive(), "tools": TOOLS, "session": case.name}
    size = compact(request, to_tokens=1 << 40, **how).tokens_before
    result = compact(request, to_tokens=int(size * TARGET), store=store, summarizer=summarizer, **how)
    return Run(case, seed, result, store, ())


def narrated(model: Model, case: Case, seed: int) -> Asked:
    """The summarizer's own request over `NARRATIONS` texts of the agent, answered and judged.

    In a compaction only narration that leaves is shown, and only where there is room; here there is room for a reply as
    long as its sources, and every reply is a test of the verifier.
    """
    said = [message["content"] for message in case.messages if message["role"] == "assistant"][1 : NARRATIONS + 1]
    handles = [store_handle(FixedKeyStore().key(), case.name, text.encode()) for text in said]
    short = short_handles(handles)
    sources = [Source(short[h], 1, Provenance.agent, text) for h, text in zip(handles, said, strict=True)]
    count = counter_for(model=None, wire="openai-chat").count
    request = make_request(
        sources,
        nonce=case.name,
        window_tokens=WINDOW,
        max_tokens=MAX_TOKENS,
        count=count,
        redact=lambda text: text,
    )
    assert request is not None, "the window holds every transcript"
    reply = _reply(model.ask(_chat(request, seed)))
    verdict = judge(reply, request.sources, max_tokens=MAX_TOKENS, count=count)
    return Asked(case, seed, request, reply, verdict, count)


def replies(model: Model, seeds: Iterable[int], *, show: bool) -> None:
    """Prints what the verifier says of the model's replies, and of their lines."""
    seeds = list(seeds)
    codes: Counter[str] = Counter()
    total = Counter[str]()
    for case in CASES:
        for seed in seeds:
            asked = narrated(model, case, seed)
            bad = {rejection.line for rejection in asked.verdict.rejections}
            lines = sum(bool(line.strip()) for line in asked.reply.text.splitlines())
            total["replies"] += 1
            total["accepted"] += asked.verdict.accepted
            total["lines"] += lines
            total["sound"] += lines - len(bad - {None})
            codes.update({rejection.code.value for rejection in asked.verdict.rejections})
            if show:
                _show(asked)
    print(f"replies to the summarizer's request over {NARRATIONS} texts of the agent")
    print(f"  replies {total['replies']}, accepted {total['accepted']}; lines {total['lines']}, sound {total['sound']}")
    print("  replies by code (one may have several): " + ", ".join(f"{c} {n}" for c, n in codes.most_common()))


def runs(model: Model, seeds: Iterable[int]) -> Iterator[Run]:
    """All runs, transcript by transcript."""
    seeds = list(seeds)
    for case in CASES:
        for seed in seeds:
            yield run(model, case, seed)


def _chat(request: SummaryRequest, seed: int) -> dict[str, Any]:
    messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.prompt}]
    limit = min(MAX_TOKENS, request.max_tokens)
    return request_of(messages, seed=seed, temperature=TEMPERATURE, max_tokens=limit)


def _reply(answer: Answer) -> Reply:
    return Reply(answer.text, "stop" if answer.finish == "stop" else "length", "127.0.0.1")


def blocked_stands(view: str, case: Case) -> bool:
    """Whether the plan in the view says of the step, word for word, that it is blocked and on what it waits."""
    step = {"step": case.blocked, "status": "blocked", "note": f"waits for approval of {case.ticket}"}
    return json.dumps(step) in view


def comes_back(what: str, made: Run) -> bool:
    """Whether `rehydrate` gives an original that holds it."""
    try:
        found = rehydrate(what, store=made.store, session=made.result.session)
    except IrreversibleCompactionError:
        return False
    return any(stands(what, item.text) for item in found)


def ours(model: Model, seeds: Iterable[int], *, show: bool) -> bool:
    """Prints what the views keep and what the verifier said; whether anything was lost."""
    made = list(runs(model, seeds))
    total = Counter[str]()
    codes: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    print(f"compactions to {TARGET:.0%} with the model as summarizer")
    for one in made:
        view = one.view
        here = [value for value in one.case.identifiers if stands(value, view)]
        back = [value for value in one.case.identifiers if value not in here and comes_back(value, one)]
        lost.update(f"{one.case.name} {v}" for v in one.case.identifiers if v not in here and v not in back)
        total["prohibition"] += one.case.prohibition in view
        total["blocked"] += blocked_stands(view, one.case)
        total["in view"] += len(here)
        total["comes back"] += len(back)
        total["whole"] += len(here) + len(back) == IDENTIFIERS
        total["before"] += one.result.tokens_before
        total["after"] += one.result.tokens_after
        for asked in one.asked:
            total["asked"] += 1
            total["accepted"] += asked.verdict.accepted
            codes.update({rejection.code.value for rejection in asked.verdict.rejections})
            if show:
                _show(asked)
    count = len(made)
    wanted = count * IDENTIFIERS
    print(f"  runs {count}, tokens {total['before']:,} -> {total['after']:,} ({total['after'] / total['before']:.0%})")
    print(f"  prohibition verbatim in the view   {total['prohibition']} of {count}")
    print(f"  blocked step verbatim in the view  {total['blocked']} of {count}")
    print(f"  identifiers in the view {total['in view']} of {wanted}, by rehydrate {total['comes back']} of {wanted}")
    print(f"  runs with all identifiers in the view or by rehydrate  {total['whole']} of {count}")
    print("  neither of the two, in runs: " + (", ".join(f"{value} {n}" for value, n in lost.items()) or "none"))
    refused = total["asked"] - total["accepted"]
    print(f"  model texts {total['asked']}, accepted {total['accepted']}, rejected {refused}")
    print("  replies by code (one reply may have several): " + ", ".join(f"{c} {n}" for c, n in codes.most_common()))
    return not total["prohibition"] == total["blocked"] == total["whole"] == count


def _show(asked: Asked) -> None:
    print(f"  {asked.case.name} {asked.seed} accepted={asked.verdict.accepted}")
    for line in asked.reply.text.splitlines():
        print(f"    | {line}")
    for rejection in asked.verdict.rejections:
        print(f"    {rejection.code.value} line {rejection.line}: {rejection.evidence[:100]!r}")
