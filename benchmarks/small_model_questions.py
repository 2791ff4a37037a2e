"""One hundred questions on facts that left: answered from our view, and from the model's own summary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from small_model_client import Model
from small_model_ours import Run, compacted, run
from small_model_prompts import question_request, raw_request, summary_context
from small_model_rules import ANSWERS, judged, stands
from small_model_transcripts import CASES

from cenotaph import IrreversibleCompactionError, rehydrate

SEED = 1
"""Of the summary and of the compaction that are asked about."""


def questions(model: Model, *, show: bool) -> None:
    """Prints right, asked for, named as a gap, invented; by context."""
    print("questions on facts of the transcript; temperature 0")
    _without_a_model()
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


def _without_a_model() -> None:
    """Where the true values are for an agent that asks: in the view, behind its handles, behind the question."""
    seen: Counter[str] = Counter()
    for case in CASES:
        made = compacted(case, SEED, None)
        for question, truth in case.questions:
            seen["asked"] += 1
            if stands(truth, made.view):
                seen["there"] += 1
                continue
            seen["behind"] += _leads_back(handles_in(made.view), truth, made)
            seen["by words"] += _leads_back([question], truth, made)
    print(f"  without a model, of {seen['asked']}: the true value stands in the view of {seen['there']};")
    print(f"    of the others, a store handle in the view gives {seen['behind']},")
    print(f"    and the question itself, put to rehydrate, gives {seen['by words']}")


def handles_in(view: str) -> list[str]:
    """The store handles that stand in a view."""
    return list(dict.fromkeys(re.findall(r"cx:[0-9a-f]{6,}", view)))


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
