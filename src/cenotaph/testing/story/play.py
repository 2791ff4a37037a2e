"""Plays the rest of the story over a compactor, and says what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Protocol

from cenotaph.api import Session, compact, explain, verify
from cenotaph.core.policy import Budget, Policy
from cenotaph.errors import BudgetExhausted, IrreversibleCompactionError
from cenotaph.store.base import Store
from cenotaph.testing.story.agent import decide, read_context
from cenotaph.testing.story.gauge import Gauge
from cenotaph.testing.story.rolling import RollingSummary
from cenotaph.testing.story.transcript import (
    ASKS,
    CHECKSUM,
    DROP,
    ENV_LITERAL,
    MODEL,
    PLAN,
    RULE,
    TOOLS,
    UNREAD,
    Call,
    assistant,
    human,
    opening_request,
    result,
)
from cenotaph.testing.story.world import AWAITING_HUMAN, REJECTED, World

__all__ = [
    "Beat",
    "Compacted",
    "Compactor",
    "Failure",
    "Run",
    "Story",
    "Strict",
    "play",
    "play_lossy",
    "story_budget",
    "tell",
]

WINDOW: Final = 200_000
TRIGGER: Final = 0.70
TARGET: Final = 0.45
RECALL_BY: Final = "demo agent"
_STEPS_MAX: Final = 8
"""Model calls that one ask may take; the agent needs three."""


class Compactor(Protocol):
    """What stands between an agent's history and its model.

    Attributes:
        name: For the report.
        cuts: How often something left so far.
    """

    name: str
    cuts: int

    def view(self, messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """The messages to send in place of the history."""


class Compacted:
    """Cenotaph as a compactor: a session over a store."""

    name = "Cenotaph"

    def __init__(self, session: Session) -> None:
        self.cuts = 0
        self.session = session
        self.summaries: list[str] = []

    def view(self, messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        shown = self.session.view(messages)
        assert self.session.last is not None
        if self.session.last.changed:
            self.cuts += 1
            self.summaries.append(self.session.last.summary())
        return shown

    def recall(self, what: str) -> str:
        """The rehydrate tool: the newest original, or a reported gap."""
        try:
            found = self.session.rehydrate(what)
        except IrreversibleCompactionError as gap:
            return f"GAP: {gap}"
        return found[0].text


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that went wrong, and how far from its cause it showed.

    Attributes:
        kind: "forbidden write", "stall" or "gap".
        turn: In which it showed.
        turns_since_cut: Turns between the compaction and it.
        tokens_since_cut: Tokens of all messages between the compaction and it.
        what: What was tried, and what came of it.
    """

    kind: str
    turn: int
    turns_since_cut: int
    tokens_since_cut: int
    what: str


@dataclass(frozen=True, slots=True)
class Beat:
    """One turn after the compaction.

    Attributes:
        turn: Its number.
        ask: What the human said.
        steps: What the agent said and called on the way, one sentence or call each.
        reply: Its last word.
    """

    turn: int
    ask: str
    steps: tuple[str, ...]
    reply: str


@dataclass(slots=True)
class Run:
    """What came of the rest of the story over one compactor.

    Attributes:
        name: The compactor's.
        cut_turn: Turn of the compaction.
        tokens_before, tokens_after: Of the view, at the compaction.
        failures: In order.
        beats: Turns after the compaction.
        tool_calls: Of the whole session.
        model_calls: After the crossing.
        rule_verbatim: The rule's words stand in every view since the compaction.
        blocked_kept: The step reads as blocked, with what it waits for, in every view since.
        drop_back: The whole one-shot result stood in a view since, every byte as it was.
        literal, checksum: What the agent answered; None if it had nothing to answer.
    """

    name: str
    cut_turn: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    failures: list[Failure] = field(default_factory=list)
    beats: list[Beat] = field(default_factory=list)
    tool_calls: int = 0
    model_calls: int = 0
    rule_verbatim: bool = True
    blocked_kept: bool = True
    drop_back: bool = False
    literal: str | None = None
    checksum: str | None = None

    def failed(self, kind: str) -> Failure | None:
        """The first failure of a kind."""
        return next((failure for failure in self.failures if failure.kind == kind), None)

    def count(self, kind: str) -> int:
        """How many failures of a kind."""
        return sum(failure.kind == kind for failure in self.failures)


def _named(call: Call) -> str:
    """A call with the argument that tells it from others."""
    first = next(iter(call.args.values()))
    return f"{call.tool}({first})" if isinstance(first, str) else f"{call.tool}(...)"


class _Play:
    def __init__(self, compactor: Compactor, world: World, gauge: Gauge) -> None:
        self.compactor, self.world, self.gauge = compactor, world, gauge
        self.history: list[Mapping[str, Any]] = list(opening_request()["messages"])
        self.turn = sum(message["role"] == "user" for message in self.history)
        self.calls = sum(len(message.get("tool_calls", ())) for message in self.history)
        self.cut_at = 0
        self.run = Run(compactor.name)

    def all(self) -> Run:
        self._answer("")
        for ask in ASKS:
            self.history.append(human(ask))
            self.turn += 1
            self._answer(ask)
        self.run.tool_calls = self.calls
        return self.run

    def _answer(self, ask: str) -> None:
        """Model calls until the agent has no more to call."""
        steps: list[str] = []
        for _ in range(_STEPS_MAX):
            act = decide(self._view(), self.world.offered)
            ids = [f"call_{self.calls + n:03d}" for n in range(1, len(act.calls) + 1)]
            self.calls += len(ids)
            self.history.append(assistant(act.words, act.calls, ids))
            for call, id_ in zip(act.calls, ids, strict=True):
                answer = self.world.answer(call)
                self._watch(call, answer)
                self.history.append(result(id_, answer))
            if not act.calls:
                self._replied(ask, act.words)
                self.run.beats.append(Beat(self.turn, ask, tuple(steps), act.words))
                return
            steps += [act.words] if act.words else []
            steps += [_named(call) for call in act.calls]
        raise RuntimeError(f"the agent did not finish {ask!r} in {_STEPS_MAX} model calls")

    def _view(self) -> Sequence[Mapping[str, Any]]:
        before = self.gauge.total(self.history)
        cuts = self.compactor.cuts
        view = self.compactor.view(self.history)
        self.run.model_calls += 1
        if self.compactor.cuts > cuts and not cuts:
            self.cut_at = len(self.history)
            self.run.cut_turn = self.turn
            self.run.tokens_before, self.run.tokens_after = before, self.gauge.total(view)
        if self.compactor.cuts:
            self._check(view)
        return view

    def _check(self, view: Sequence[Mapping[str, Any]]) -> None:
        context = read_context(view)
        self.run.rule_verbatim &= any(RULE in (message.get("content") or "") for message in view)
        self.run.drop_back |= any(message.get("content") == DROP for message in view)
        blocked = PLAN[1]
        self.run.blocked_kept &= any(
            (step.id, step.state, step.note) == (blocked["id"], "blocked", blocked["note"]) for step in context.plan
        )

    def _fail(self, kind: str, what: str) -> None:
        since = sum(self.gauge.tokens(message) for message in self.history[self.cut_at :])
        self.run.failures.append(Failure(kind, self.turn, self.turn - self.run.cut_turn, since, what))

    def _watch(self, call: Call, answer: str) -> None:
        if answer.startswith(REJECTED):
            self._fail("forbidden write", f"{call.tool} {call.args['path']} -> {answer}")
        elif answer.startswith(AWAITING_HUMAN):
            self._fail("stall", f"{call.tool} {call.args['id']} -> {answer}")

    def _replied(self, ask: str, reply: str) -> None:
        for name, sign in (("literal", "PAYMENTS_DB_REPLICA"), ("checksum", "checksum")):
            if sign not in ask:
                continue
            if reply in (ENV_LITERAL, f"bundle_sha256: {CHECKSUM}"):
                setattr(self.run, name, reply)
            else:
                self._fail("gap", f"{name}: {reply}")


def play(compactor: Compactor, world: World, gauge: Gauge) -> Run:
    """The turns from the crossing to the end, with the same agent, asks and world whatever compacts."""
    return _Play(compactor, world, gauge).all()


# The whole story ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Strict:
    """What `Policy.strict()` does at the same crossing: `tokens_after` None means that it halts."""

    tokens_after: int | None
    drop_stays: bool
    unread_evicted: int


@dataclass(frozen=True, slots=True)
class Story:
    """Both runs, and what was checked of the second one's store.

    Attributes:
        lossy, kept: The run over the rolling summary, and the one over Cenotaph.
        summary: Cenotaph's own line about its cut.
        policy: Name of the policy, and who answers for the recall.
        strict: The same cut under the other policy.
        records, objects, findings: What `verify(read_data=True)` looked at, and found.
        store, session: Where the originals lie.
        counter, basis: What counted tokens.
    """

    lossy: Run
    kept: Run
    summary: str
    policy: str
    strict: Strict
    records: int
    objects: int
    findings: int
    store: str
    session: str
    counter: str
    basis: str

    @property
    def as_told(self) -> bool:
        """Cenotaph's run lost nothing, everything came back, and the store holds what its records promise."""
        run = self.kept
        kept = run.rule_verbatim and run.blocked_kept and run.drop_back and not run.failures
        return kept and run.literal == ENV_LITERAL and self.records > 0 and not self.findings

    def to_dict(self) -> dict[str, Any]:
        return {
            "as_told": self.as_told,
            "window": WINDOW,
            "trigger": TRIGGER,
            "target": TARGET,
            **asdict(self),
        }


def story_budget() -> Budget:
    """A 200k window, cut at 70 % to 45 %; the tool definitions are the overhead."""
    overhead = explain(opening_request(), tools=TOOLS).other_tokens
    return Budget(window=WINDOW, trigger=TRIGGER, target=TARGET, overhead=overhead)


def play_lossy(gauge: Gauge, budget: Budget, repaired: Sequence[str] = ()) -> Run:
    """The rest of the story over a rolling summary that makes all losses but the repaired ones."""
    compactor = RollingSummary(gauge, budget.trigger_tokens - budget.overhead, repaired=repaired)
    return play(compactor, World(), gauge)


def tell(store: Store, session: str = "demo") -> Story:
    """Plays the rest of the story twice.

    Args:
        store: Where Cenotaph's run keeps the originals.
        session: A name that the store does not have yet.

    Raises:
        CenotaphError: A compaction or the store failed.
    """
    gauge, budget = Gauge(MODEL), story_budget()
    lossy = play_lossy(gauge, budget)
    policy = Policy.archive(recall_by=RECALL_BY)
    compactor = Compacted(
        Session(
            session,
            store=store,
            budget=budget,
            policy=policy,
            tools=TOOLS,
            model=MODEL,
            dialect="openai-chat",
        )
    )
    kept = play(compactor, World(compactor.recall), gauge)
    report = verify(store, session=session, read_data=True)
    return Story(
        lossy=lossy,
        kept=kept,
        summary=compactor.summaries[0],
        policy=f"{policy.name} (recall by: {policy.recall_by})",
        strict=_strict(budget),
        records=report.records,
        objects=report.objects,
        findings=len(report.findings),
        store=store.url,
        session=session,
        counter=gauge.name,
        basis=gauge.basis,
    )


def _strict(budget: Budget) -> Strict:
    messages = opening_request()["messages"]
    unread = {message["tool_call_id"] for message in messages[-len(UNREAD) :]}
    try:
        shown = compact(
            messages,
            budget=budget,
            policy=Policy.strict(),
            tools=TOOLS,
            model=MODEL,
            store="memory://",
            session="strict",
        )
    except BudgetExhausted:
        return Strict(None, drop_stays=True, unread_evicted=0)
    contents = {m["tool_call_id"]: m["content"] for m in shown.messages if m["role"] == "tool"}
    return Strict(
        tokens_after=shown.tokens_after,
        drop_stays=DROP in contents.values(),
        unread_evicted=sum(contents[id_].startswith("[EVICTED:") for id_ in unread),
    )
