"""The reference algorithm: the decision table on bare spans, with its refusal. No floor, no net rule.

The planner proper (`plan`) decides about transcripts; this one is the contract that it grew from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cenotaph.core.policy import Action, SpanClass
from cenotaph.errors import CompactionInvariantError

__all__ = ["plan_compaction"]


def plan_compaction(spans: Iterable[Mapping[str, Any]], target_tokens: int) -> list[tuple[Any, Action]]:
    """The reference algorithm: reclaims `target_tokens` from disposable, then recoverable spans.

    Args:
        spans: Mappings with `id, cls, tokens, handle_valid` (None as False) and, optionally,
            `surrogate_tokens` (else 0). `cls` is a `SpanClass` or its value. Read once.
        target_tokens: Tokens to reclaim; 0 or less gives an empty plan.

    Returns:
        (id, action) in the order of planning: disposable spans as given (`summarize`), then
        recoverable ones as given (`evict`, or `evict_with_tombstone` without a valid handle), none
        skipped, ending as soon as the target is met. Each counts max(0, tokens - surrogate_tokens).

    Raises:
        ValueError: A `cls` that is none of the three, named, before any planning.
        CompactionInvariantError: The target is unmet; authoritative spans are never planned.
    """
    given = [(span, _class_of(span)) for span in spans]
    plan: list[tuple[Any, Action]] = []
    reclaimed = 0
    for wanted in (SpanClass.disposable, SpanClass.recoverable):
        for span, cls in given:
            if reclaimed >= target_tokens:
                return plan
            if cls is not wanted:
                continue
            if wanted is SpanClass.disposable:
                action = Action.summarize
            else:
                action = Action.evict if span.get("handle_valid") else Action.evict_with_tombstone
            plan.append((span["id"], action))
            reclaimed += max(0, span["tokens"] - (span.get("surrogate_tokens") or 0))
    if reclaimed >= target_tokens:
        return plan
    protected = [span["id"] for span, cls in given if cls is SpanClass.authoritative]
    raise CompactionInvariantError(
        f"budget-exhaustion: {target_tokens} tokens were to be reclaimed, {reclaimed} can be; "
        f"authoritative spans are neither summarized nor evicted silently: {protected}.",
        target_tokens=target_tokens,
        reclaimed=reclaimed,
        protected=protected,
        next_step="Raise the budget, release a span, or go on in a fresh window.",
    )


def _class_of(span: Mapping[str, Any]) -> SpanClass:
    try:
        return SpanClass(span["cls"])
    except (KeyError, ValueError):
        known = ", ".join(repr(cls.value) for cls in SpanClass)
        raise ValueError(f"span {span.get('id')!r}: cls {span.get('cls')!r} is none of {known}") from None
