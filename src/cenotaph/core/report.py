"""Sizes in words: what a halt weighs, what a compaction kept, what stands in the view."""

from __future__ import annotations

from collections import Counter as Multiset

from cenotaph.core.classify import Classified
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.plan import Plan
from cenotaph.core.policy import LEAVING, Policy, allowed
from cenotaph.core.tools import Tools

__all__ = ["halt_report", "kept_line", "reachable", "token_profile", "ways_out"]

_STANDING_RULES = ("pin", "sys", "req", "ins", "usr")
_VOICES = (Provenance.system, Provenance.developer, Provenance.user, Provenance.harness)


def token_profile(classified: Classified, plan: Plan, own_tokens: int) -> dict[str, JSON]:
    """Tokens by class before and after, and our own text."""
    before: Multiset[str] = Multiset()
    after: Multiset[str] = Multiset()
    for entry in plan.entries:
        tokens = classified.spans[entry.order].tokens
        name = classified.rows[entry.order].cls.value
        before[name] += tokens
        if entry.action not in LEAVING:
            after[name] += tokens
    return {"before": dict(before), "after": dict(after), "own_text": own_tokens}


def by_row(classified: Classified) -> dict[str, int]:
    """Tokens of each row."""
    rows: Multiset[str] = Multiset()
    for span, row in zip(classified.spans, classified.rows, strict=True):
        rows[row.id] += span.tokens
    return dict(rows)


def reachable(reached: Plan) -> int:
    """Tokens of the smallest view: with everything gone that may go, or as it stands where that would have more."""
    return min(reached.tokens_after, reached.tokens_before)


def halt_report(classified: Classified, reached: Plan, tokens: int) -> dict[str, JSON]:
    """Why nothing more can leave: what is protected, and what weighs most.

    Args:
        classified: The spans.
        reached: The plan with everything gone that may go.
        tokens: Of the messages now.

    Returns:
        `cause` in one sentence, sizes by row and by tool in tokens, and shares of `tokens`.
    """
    protected: Multiset[str] = Multiset()
    tools: Multiset[str] = Multiset()
    human = 0
    for span, row, entry in zip(classified.spans, classified.rows, reached.entries, strict=True):
        if entry.action not in LEAVING:
            protected[row.id] += span.tokens
        if span.provenance is Provenance.user:
            human += span.tokens
        if span.kind is Kind.call:
            tools[span.part.tool or "?"] += span.tokens
        elif span.kind is Kind.result:
            call = classified.structure.call_of.get(span.order)
            tools[(classified.spans[call].part.tool if call is not None else None) or "?"] += span.tokens
    rows = by_row(classified)
    total = max(tokens, 1)
    return {
        "cause": _cause(reached, protected),
        "protected_by_row": dict(protected.most_common()),
        "protected_tokens": sum(protected.values()),
        "tools_by_weight": dict(tools.most_common(8)),
        "shares": {
            "one_shot_results": round(rows.get("one", 0) / total, 4),
            "arguments": round(rows.get("arg", 0) / total, 4),
            "human_text": round(human / total, 4),
            "agent_text": round((rows.get("nar", 0) + rows.get("rep", 0)) / total, 4),
        },
    }


def _cause(reached: Plan, protected: Multiset[str]) -> str:
    """In one sentence what keeps the view from being smaller."""
    if reached.changes and reached.tokens_after >= reached.tokens_before:
        return (
            "nothing would be freed net: with everything gone that may go the view has "
            f"{reached.tokens_after:,} tokens, {reached.own_after:,} of them our own lines on what left"
        )
    if not protected:
        return f"nothing is protected: what would be left is our own lines on what left, {reached.own_after:,} tokens"
    row, tokens = protected.most_common(1)[0]
    return f"{sum(protected.values()):,} tokens are protected, most in row {row} ({tokens:,})"


def ways_out(
    plan: Plan,
    policy: Policy,
    tools: Tools,
    report: dict[str, JSON],
    archive_reaches: int | None,
    model: str | None = None,
) -> list[str]:
    """What a caller can do about a halt, the cheapest first."""
    ways = [f"raise the budget: {reachable(plan):,} tokens are reachable"]
    if plan.own_refused and plan.tokens_after <= plan.target:
        ways = [f"raise the window: our own lines would have {plan.own_after:,} tokens, more than their bound"]
    if plan.blocked_by_binding:
        if model is None:
            ways.insert(0, "name the model (model=...): an unknown one is taken for the strictest kind")
        ways.insert(
            model is None,
            "the newest agent message holds signed reasoning that is bound to all before it, and its tool loop is "
            "open: pass drop_block=True if the provider may drop such blocks, or send without thinking, or cut when "
            "the loop ends",
        )
    if policy.name == "strict" and archive_reaches is not None and archive_reaches < reachable(plan):
        ways.append(f"Policy.archive() (--policy archive): it reaches {archive_reaches:,} tokens")
    heavy = [name for name in report["tools_by_weight"] if not tools.declares(name) and name != "?"]
    if heavy:
        ways.append(f"declare what these tools read and write, if they can be repeated: {', '.join(heavy[:5])}")
    if not tools.any_handle:
        ways.append(
            "no_stable_handles: no tool declares a handle, so nothing can be fetched again; let results leave to the "
            "store, each with its tombstone (archive)"
        )
    if plan.target <= 0:
        ways.insert(0, "the overhead alone is above the target: raise the window, or send fewer or shorter tools")
    ways += ["release a span that need not stay", "hand off to a fresh window (session.handoff, cenotaph handoff)"]
    return ways


def kept_line(classified: Classified, plan: Plan, tokens_before: int, tokens_after: int) -> str:
    """The one plain line after each compaction."""
    kept, rules = plan.rules
    files: set[str] = set()
    for entry in plan.entries:
        span = classified.spans[entry.order]
        stands = entry.action not in LEAVING
        if stands and classified.rows[entry.order].id in _STANDING_RULES and span.provenance in _VOICES:
            rules += 1
            kept += 1
        if entry.action in LEAVING:
            handle = classified.reading.handles.get(entry.order)
            if handle is not None and handle.startswith("file:"):
                files.add(handle[5:])
    steps = classified.reading.plan.steps
    parts = [f"kept {kept} of {rules} rules"]
    if steps:
        parts.append(f"plan {classified.reading.plan.done}/{len(steps)}")
    parts.append(f"{len(files)} files recoverable")
    return f"{', '.join(parts)}; {tokens_before:,} -> {tokens_after:,} tokens"


def protected_warning(classified: Classified, policy: Policy, window: int, share: float) -> str | None:
    """Names what may not move once it passes its share of the window; None below it.

    Args:
        classified: The spans.
        policy: By which they may.
        window: Tokens.
        share: Of the window, from which on it is said.
    """
    protected: Multiset[str] = Multiset()
    for span, row in zip(classified.spans, classified.rows, strict=True):
        if span.message < 0 or not allowed(policy, row.shelf) & LEAVING:
            protected[row.id] += span.tokens
    total = sum(protected.values())
    if total <= share * window:
        return None
    rows = ", ".join(f"{row} {tokens:,}" for row, tokens in protected.most_common(5))
    return (
        f"protected-budget: {total:,} tokens may not move under {policy.name}, above {share:.0%} of the "
        f"{window:,} token window ({rows})"
    )
