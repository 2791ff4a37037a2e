"""What an audit is about: a whole history, the compactions in it, and what is said of each.

A dialect gives a `Chronicle`: every message that ever stood, in order, and an `Event` for each
compaction with what the model read before and after. Everything behind this line works on those alone,
so a finding means the same in each client's files.

Evidence has a tier that never changes by counting: what both sides show is *proven*, what one side hides
is *at risk*, what rests on a heuristic is *inferred*. Sums are made within a tier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Message, Provenance, Usage

__all__ = [
    "Chronicle",
    "Code",
    "Event",
    "Evidence",
    "Finding",
    "Judgement",
    "Mechanism",
    "Passage",
    "Ref",
    "Statement",
    "Tier",
    "Verdict",
]


class Tier(StrEnum):
    """How far a finding can be checked; figures of two tiers are never added."""

    proven = "proven"
    """Both sides can be read."""
    at_risk = "at_risk"
    """The replacement is opaque, or the region is not whole in the file: it may be lost, nobody can see."""
    inferred = "inferred"
    """A heuristic says so; it is labelled wherever it is shown."""


class Verdict(StrEnum):
    """What became of one statement."""

    preserved = "preserved"
    """Verbatim up to white space, or so quoted from the same speaker."""
    paraphrased = "paraphrased"
    """Other words or order; the same handles, numbers, polarity, modality, states, scope and speaker."""
    weakened = "weakened"
    """Modality or a condition is lost, or it was turned into a question."""
    mutated = "mutated"
    """A handle, a number, a state, the scope or the speaker is another."""
    contradicted = "contradicted"
    """Its opposite is asserted, also where a verbatim copy stands."""
    dropped = "dropped"
    """Nothing about it stands."""
    unverifiable = "unverifiable"
    """Structure cannot tell."""


class Mechanism(StrEnum):
    """Whose compaction an event is, and which of its kinds."""

    claude_code_full = "claude-code.full"
    claude_code_micro = "claude-code.micro"
    codex_local = "codex.local"
    codex_remote = "codex.remote"
    openhands_condensation = "openhands.condensation"
    pi_compaction = "pi.compaction"
    cline_truncation = "cline.truncation"
    gemini_cli_compress = "gemini-cli.compress"
    opencode_compaction = "opencode.compaction"
    opencode_prune = "opencode.prune"
    langchain_summary = "langchain.summary"
    pydantic_ai_summary = "pydantic-ai.summary"
    openai_agents_session = "openai-agents.session"
    anthropic_compaction = "anthropic.compaction"
    anthropic_clearing = "anthropic.clearing"
    openai_compaction = "openai.compaction"
    cenotaph = "cenotaph"
    pair = "pair"
    """Two message lists, or a list and a text, that a caller says stand for each other."""
    prefix_change = "prefix-change"
    """A later request whose beginning is not the earlier one: somebody edited in silence."""


class Code(StrEnum):
    """Stable codes of findings."""

    constraint_dropped = "constraint-dropped"
    constraint_softened = "constraint-softened"
    constraint_changed = "constraint-changed"
    constraint_contradicted = "constraint-contradicted"
    statement_lost = "statement-lost"
    """Human or system words that are no constraint and stand nowhere; one line for all of them."""
    state_collapsed = "state-collapsed"
    handle_lost = "handle-lost"
    handle_mutated = "handle-mutated"
    handle_fabricated = "handle-fabricated"
    consent_fabricated = "consent-fabricated"
    instruction_fabricated = "instruction-fabricated"
    tool_text_promoted = "tool-text-promoted"
    summary_empty = "summary-empty"
    summary_reply = "summary-reply"
    """Hijacked: an answer to the conversation in the place of a summary."""
    summary_tool_call = "summary-tool-call"
    summary_truncated = "summary-truncated"
    summary_error = "summary-error"
    summary_placeholder = "summary-placeholder"
    summary_echo = "summary-echo"
    """The last message again, or another single message, and nothing else."""
    summary_unrelated = "summary-unrelated"
    """It tells of another conversation."""
    summary_of_summary = "summary-of-summary"
    no_back_pointer = "no-back-pointer"
    exchange_broken = "exchange-broken"
    request_lost = "request-lost"
    view_invalid = "view-invalid"
    recompacted_rapidly = "recompacted-rapidly"
    read_again = "read-again"
    failing_again = "failing-again"
    amnesia = "amnesia"
    violation = "violation"


Ref = tuple[int, int]
"""A part of a history: index of the message, index of the part in it."""


@dataclass(frozen=True, slots=True)
class Event:
    """One compaction: what the model read before, and what it read after.

    Attributes:
        mechanism: Whose it is.
        at: Index in the chronicle's messages of the first one that came after it; their number if none did.
        before: What the model was sent before, in order.
        after: What it was sent after, in order: the replacement, what was kept, and nothing that came later.
        removed: Parts of `before` that are not in `after` as they were, in order; a result whose content was
            cleared is one of them.
        replacement: Indices in `after` of the messages that stand for what was removed; empty: nothing does.
        opaque: The replacement, or a part of it, cannot be read (encrypted).
        complete: All that was removed stands in the file; False makes every loss *at risk*.
        trigger: As the client says, e.g. "auto"; None if it does not.
        tokens_before: As the client reports, else None.
        tokens_after: Likewise.
        pointer: The replacement says where the originals are, in a form that can be followed.
        where: For a person: `line 812`, `event 234`.
        when: ISO time stamp as in the file; "" if it has none.
        wire: Wire format of `before` and `after`, for the rules of its provider; "" if they have none.
    """

    mechanism: Mechanism
    at: int
    before: tuple[Message, ...]
    after: tuple[Message, ...]
    removed: tuple[Ref, ...]
    replacement: tuple[int, ...] = ()
    opaque: bool = False
    complete: bool = True
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    pointer: bool = False
    where: str = ""
    when: str = ""
    wire: str = ""

    @property
    def tier(self) -> Tier:
        """The best tier that a loss of this event can have."""
        return Tier.proven if self.complete and not self.opaque else Tier.at_risk


@dataclass(frozen=True, slots=True)
class Chronicle:
    """A whole history with its compactions.

    Attributes:
        dialect: Name of the dialect that read it.
        wire: Wire format of the messages; "" where the parts are all there is.
        session: The session's own id; None if it has none.
        messages: Every message that ever stood, each once, in order; replacements where they came.
        events: In order.
        usage: What the provider reported per call, in order (`message` is an index in `messages`).
        defects: What was odd in the file and survived.
        records: How many records of the file were understood; 0 never leaves a finder without an error.
    """

    dialect: str
    wire: str
    session: str | None
    messages: tuple[Message, ...]
    events: tuple[Event, ...]
    usage: tuple[Usage, ...] = ()
    defects: tuple[Defect, ...] = ()
    records: int = 0


@dataclass(frozen=True, slots=True)
class Statement:
    """Words that bind: what is judged.

    Attributes:
        text: Verbatim.
        provenance: Who said it.
        ref: The part of `before` that it stands in; None where a caller gave only the words and they stand nowhere.
        start: First character in that part's text.
        end: One past the last.
        span: Id of the span that it stands in; None as for `ref`.
        turn: Turn that it was said in; None as for `ref`.
        quoted: It is a person's act inside a tool's result (an answer, a refusal): told as quoted, never as consent.
    """

    text: str
    provenance: Provenance
    ref: Ref | None = None
    start: int = 0
    end: int = 0
    span: str | None = None
    turn: int | None = None
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """Text that the model reads after a compaction.

    Attributes:
        text: All of one part.
        provenance: Who wrote it; `foreign` for a summary.
        message: Index in `Event.after`.
        part: Index of the part in that message.
        replacement: It stands for what was removed.
    """

    text: str
    provenance: Provenance
    message: int = 0
    part: int = 0
    replacement: bool = True


@dataclass(frozen=True, slots=True)
class Evidence:
    """Two places that a person can lay side by side.

    Attributes:
        before: (start, end) in the text of the statement's part; for words that a caller gave and that stand
            nowhere, in those words.
        after: (start, end) in the passage's text; None if nothing is there.
        message: Index in `Event.after` of the passage's message; None as for `after`.
        part: Index of the part there; None as for `after`.
        note: What they show, in a few words: `negation lost`, `eu-west-2b became eu-west-2a`.
    """

    before: tuple[int, int]
    after: tuple[int, int] | None = None
    message: int | None = None
    part: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one statement.

    Attributes:
        statement: Which.
        verdict: As fixed.
        evidence: The places that decided, the deciding one first; one without `after` for `dropped`.
        recover: What brings it back: a store handle that resolves; None if nothing is known to.
    """

    statement: Statement
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    recover: str | None = None

    @property
    def text(self) -> str:
        """The statement, verbatim."""
        return self.statement.text

    @property
    def span(self) -> str | None:
        """Id of the span that it stands in; None as for `Statement.span`."""
        return self.statement.span


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a person should know.

    Attributes:
        code: Stable.
        tier: How far it can be checked.
        weight: For the order, worst first: 100 a violation or a prohibition turned round, 0 a remark.
        note: One sentence for a person, without text of the transcript: that is in `shown`.
        shown: Words of the transcript by name (`original`, `became`, `handle`, `call`, ...): only shown with excerpts.
        count: How many such things this one line stands for.
        ref: Part of `Event.before` that it is about; None if it is about the event.
        after: Message, part, start and end in `Event.after`; None if nothing is there.
        message: Index in the chronicle's messages, for what happened later; None otherwise.
        data: Figures (turns, tokens), by name.
    """

    code: Code
    tier: Tier
    weight: int
    note: str
    shown: Mapping[str, str] = field(default_factory=dict)
    count: int = 1
    ref: Ref | None = None
    after: tuple[int, int, int, int] | None = None
    message: int | None = None
    data: Mapping[str, JSON] = field(default_factory=dict)

    def to_dict(self, written: Callable[[str], JSON]) -> JSON:
        """The finding as JSON; `written` says how words of the transcript are written down."""
        return {
            "code": self.code.value,
            "tier": self.tier.value,
            "weight": self.weight,
            "note": self.note,
            "count": self.count,
            "shown": {name: written(words) for name, words in self.shown.items()},
            "ref": None if self.ref is None else list(self.ref),
            "after": None if self.after is None else list(self.after),
            "message": self.message,
            "data": dict(self.data),
        }
