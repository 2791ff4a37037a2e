"""Posts compacted requests to a strict fake of each provider: how many, and what was refused.

    python benchmarks/providers.py --count 1000 [--provider anthropic] [--first 0]

Each conversation is hostile on purpose (see `cenotaph.testing`). It is posted whole over HTTP, perhaps
gone on with from the answer, compacted under a policy, a binding and a target that its seed draws, and
posted again in the same conversation. The fakes (tests/providers) share nothing with this package: they
are a second reading of the providers' rules. The exit status is 1 if one refused anything, or if a cut
broke a law of its own.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "providers"))

from askers import ASKERS
from rounds import Tally, run


def main(argv: list[str] | None = None) -> int:
    names = [asker.name for asker in ASKERS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=1_000, help="compacted requests of each provider")
    parser.add_argument("--provider", choices=names, action="append", help="this one only; may be repeated")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    args = parser.parse_args(argv)
    problems = 0
    for asker in ASKERS:
        if args.provider and asker.name not in args.provider:
            continue
        started = time.perf_counter()
        tally = run(asker, args.count, first=args.first)
        _report(asker.name, tally, time.perf_counter() - started)
        problems += len(tally.problems)
    return 1 if problems else 0


def _report(name: str, tally: Tally, elapsed: float) -> None:
    freed = 1 - tally.tokens_after / max(1, tally.tokens_before)
    drawn = ", ".join(f"{words} {count}" for words, count in sorted(tally.by.items()))
    broken = sum(": cut: " in problem for problem in tally.problems)
    found = f"{len(tally.problems) - broken} refused, {broken} cuts that the library took for broken"
    print(f"{name}: {tally.posted:,} compacted requests posted in {elapsed:,.0f} s; {found}")
    print(f"  of {tally.conversations:,} conversations: {tally.halts} halted, {tally.unchanged} were small enough")
    print(f"  {freed:.1%} of {tally.tokens_before:,} tokens freed; {drawn}")
    for problem in tally.problems:
        print(f"  {problem}")


if __name__ == "__main__":
    sys.exit(main())
