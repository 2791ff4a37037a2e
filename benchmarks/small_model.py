"""A real small model as the summarizer: what its prose loses, and what a compaction with it keeps.

    python benchmarks/small_model.py --recordings FILE [--url http://127.0.0.1:18182] [--part raw] [--show]

Ten transcripts of agents at work (`small_model_transcripts.py`), five seeds each. Any OpenAI-compatible server on the
machine will do; the figures in the docs come from Qwen2.5-Coder-1.5B-Instruct (Q4_K_M). Every request and reply is kept
in FILE, so that all figures can be worked out again in seconds, without a model, when the rules or the library change.

Parts, in this order:

raw        50 summaries by an ordinary compaction prompt: what became of prohibition, blocked step and identifiers.
ours       50 compactions with the model as summarizer: the same three in the view, and what the verifier said.
replies    The summarizer's own request over four texts of the agent: what the verifier says of each reply and line.
plants     Invented paths, permissions and approvals put into the model's replies: each must be rejected.
questions  100 questions on facts that left: over our view, and over the model's own summary of the same transcript.

The exit status is 1 if a view lost one of the three, or if a plant was accepted; 2 if a reply is needed that FILE does
not hold and no server was named.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from small_model_client import Model, NotRecordedError
from small_model_ours import ours, replies
from small_model_plants import plants
from small_model_prompts import raw_request
from small_model_questions import questions
from small_model_rules import FATES, STATES, blocked_fate, identifiers_kept, prohibition_fate
from small_model_transcripts import CASES, IDENTIFIERS

PARTS = ("raw", "ours", "replies", "plants", "questions")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--recordings", type=Path, required=True, help="JSON lines: every request with its reply")
    parser.add_argument("--url", help="the server's root; without it only what is recorded is used")
    parser.add_argument("--seeds", type=int, default=5, help="runs per transcript")
    parser.add_argument("--part", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--show", action="store_true", help="print the texts behind the counts")
    args = parser.parse_args(argv)
    try:
        return _measured(args)
    except NotRecordedError as error:
        print(f"{error}\nThe library now asks something else than what was recorded.", file=sys.stderr)
        return 2


def _measured(args: argparse.Namespace) -> int:
    model = Model(args.recordings, args.url)
    seeds = range(1, args.seeds + 1)
    failed = False
    if args.part in ("raw", "all"):
        raw(model, seeds, show=args.show)
    if args.part in ("ours", "all"):
        failed |= ours(model, seeds, show=args.show)
    if args.part in ("replies", "all"):
        replies(model, seeds, show=args.show)
    if args.part in ("plants", "all"):
        failed |= plants(model, seeds, show=args.show)
    if args.part in ("questions", "all"):
        questions(model, show=args.show)
    _cost(model)
    return 1 if failed else 0


def raw(model: Model, seeds: Iterable[int], *, show: bool) -> None:
    """Prints what the model's own summaries keep."""
    fates: Counter[str] = Counter()
    states: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    runs = kept = cut = 0
    print("raw summaries: prohibition, blocked step and identifiers by transcript")
    for case in CASES:
        numbers, here = [], Counter[str]()
        for seed in seeds:
            answer = model.ask(raw_request(case, seed))
            fate, by = prohibition_fate(answer.text, case)
            state, at = blocked_fate(answer.text, case)
            numbers.append(len(identifiers_kept(answer.text, case)))
            here[fate] += 1
            here[f"step {state}"] += 1
            fates[fate] += 1
            states[state] += 1
            runs += 1
            cut += answer.finish == "length"
            if answer.finish != "length":
                whole.update((fate, f"step {state}"))
            if show:
                print(f"  {case.name} {seed} prohibition {fate}: {by!r}")
                print(f"  {case.name} {seed} step {state}: {at!r}")
        kept += sum(numbers)
        print(f"  {case.name:<10} identifiers {numbers} of {IDENTIFIERS}; {dict(here)}")
    rule, step = whole["verbatim"] + whole["reworded"], whole["step blocked"] + whole["step waiting"]
    print(f"  runs {runs}, cut at the limit {cut}; of the others, rule verbatim or reworded {rule}, step kept {step}")
    print("  prohibition  " + ", ".join(f"{fate} {fates[fate]}" for fate in FATES))
    print("  blocked step " + ", ".join(f"{state} {states[state]}" for state in STATES))
    print(f"  identifiers  {kept} of {runs * IDENTIFIERS} ({kept / max(1, runs):.1f} of {IDENTIFIERS} per summary)")


def _cost(model: Model) -> None:
    read = sum(answer.prompt_tokens - answer.cached_tokens for answer in model.used)
    cached = sum(answer.cached_tokens for answer in model.used)
    written = sum(answer.completion_tokens for answer in model.used)
    seconds = sum(answer.seconds for answer in model.used)
    print(
        f"requests {len(model.used):,}, asked now {model.asked:,}; prompt tokens read {read:,}, "
        f"from the cache {cached:,}, written {written:,}; model time {seconds:,.0f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
