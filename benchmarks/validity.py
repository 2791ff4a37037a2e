"""Compacts generated transcripts and looks at every view from outside: how many, and what was wrong.

    python benchmarks/validity.py --count 100000 --wire anthropic [--first 0] [--seconds 600]

Each transcript is hostile on purpose (see `cenotaph.testing.strategies`). Policy, binding and target
are drawn from its seed. A view is checked by the provider's rules, by the rules on replayed reasoning,
by its size counted anew, and by a checker that imports nothing of this package. A halt is no failure;
anything else that is not a sound view is. The exit status is 1 if there was any.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "core")]

from hunt import WIRES, Finding, Tally, hunted  # noqa: E402

from cenotaph.core.ids import sha256_hex  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="transcripts")
    parser.add_argument("--wire", choices=[*WIRES, "all"], default="all")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    args = parser.parse_args(argv)
    wires = tuple(WIRES) if args.wire == "all" else (args.wire,)
    tally, findings, last = Tally(), [], args.first - 1
    started = time.perf_counter()
    for seed in range(args.first, args.first + args.count):
        if time.perf_counter() - started > args.seconds:
            break
        last = seed
        for wire in wires:
            try:
                findings += hunted(wire, seed, tally, surrogates=seed % 10 == 9)
            except Exception as error:  # noqa: BLE001 - any error that is no halt is what is looked for
                findings.append(Finding(f"{wire} seed {seed}", f"{type(error).__name__}: {error}"))
    elapsed = time.perf_counter() - started
    _report(wires, args.first, last, tally, findings, elapsed)
    return 1 if findings else 0


def _report(
    wires: tuple[str, ...], first: int, last: int, tally: Tally, findings: list[Finding], elapsed: float
) -> None:
    source = sha256_hex((TESTS.parent / "src/cenotaph/testing/strategies.py").read_bytes())[:12]
    shares = ", ".join(f"{policy} {count:,}" for policy, count in sorted(tally.halts_by.items()))
    freed = 1 - tally.tokens_after / max(1, tally.tokens_before)
    print(f"wire          {' + '.join(wires)} (seeds {first} to {last}, generator {source})")
    rate = tally.transcripts / max(elapsed, 1e-9)
    print(f"transcripts   {tally.transcripts:,} in {elapsed:,.0f} s ({rate:,.0f}/s)")
    print(f"views         {tally.views:,} ({freed:.1%} of {tally.tokens_before:,} tokens freed)")
    print(f"halts         {tally.halts:,} ({shares})")
    print(f"unchanged     {tally.unchanged:,}")
    print(f"findings      {len(findings):,}")
    for finding in findings[:20]:
        print(f"  {finding.where}: {finding.what[:300]}")


if __name__ == "__main__":
    sys.exit(main())
