"""One hundred questions on facts that left: answered from our view, and from the model's own summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from small_model_client import Model
from small_model_ours import Run, run
from small_model_prompts import question_request, raw_request, summary_context
from small_model_rules import ANSWERS, judged, stands
from small_model_transcripts import CASES

from cenotaph import IrreversibleCompactionError, rehydrate

SEED = 1
"""Of the summary and of the compaction that are asked about."""


def questions(model: Model, *, show: bool) -> None:
    """Prints right, asked for, named as a gap, invented; by context."""
    print("questions on facts of the transcript; temperature 0")
    _over_summaries(model, show=show)
    _over_views(model, show=show)


def _over_summaries(model: Model, *, show: bool) -> None:
    seen: Counter[str] = Counter()
    for case in CASES:
        context = summary_context(model.ask(raw_request(case, SEED)).text, case)
        for question, truth in case.questions:
            answer = model.ask(question_request(context, question, way_back=False)).text
            kind = judged(answer, truth).kind
            seen[kind] += 1
            seen["there"] += stands(truth, context)
            if show:
                print(f"  summary {case.name}: {question} {truth!r}: {kind} {answer!r}")
    _table("its own summary", seen)


def _over_views(model: Model, *, show: bool) -> None:
    seen: Counter[str] = Counter()
    for case in CASES:
        made = run(model, case, SEED)
        for question, truth in case.questions:
            answer = model.ask(question_request(made.view, question, way_back=True)).text
            found = judged(answer, truth)
            seen[found.kind] += 1
            seen["there"] += stands(truth, made.view)
            seen["led back"] += found.kind == "asked" and _leads_back(found.handles, truth, made)
            if show:
                print(f"  view {case.name}: {question} {truth!r}: {found.kind} {answer!r}")
    _table("our view", seen)
    print(f"    of those asked for, the handle named gives an original with the true value: {seen['led back']}")


def _leads_back(handles: Sequence[str], truth: str, made: Run) -> bool:
    for handle in handles:
        try:
            found = rehydrate(handle, store=made.store, session=made.result.session)
        except IrreversibleCompactionError:
            continue
        if any(stands(truth, item.text) for item in found):
            return True
    return False


def _table(name: str, seen: Counter[str]) -> None:
    counts = ", ".join(f"{kind} {seen[kind]}" for kind in ANSWERS)
    print(f"  over {name:<16} {counts}; the true value stands in the context of {seen['there']}")
