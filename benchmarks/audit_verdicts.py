"""What the judge of an audit says of pairs whose right verdict is known.

    python benchmarks/audit_verdicts.py [--set open|held] [--pairs 4000] [--seed 1] [--show N]

Prints a confusion matrix (operator x verdict), false certifications (a statement that was changed or dropped and is
called preserved or paraphrased), false accusations (one that stands and is called lost), and the share of
`unverifiable`. Of the held set only counts are printed, unless `--show` asks for examples. Exits with 1 if a
certification is false, or if `unverifiable` is said of more than 20 % of the verbatim, reordered or moved pairs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field

from cenotaph.core.audit.model import Verdict
from cenotaph.core.audit.verdicts import judge
from cenotaph.testing.audit_pairs import ACCUSING, CERTIFYING, KEEPING, Operator, Pair, asked, pairs, passages

UNVERIFIABLE_SHARE_MAX = 0.20
"""Of the pairs of each operator in `BOUND`."""

BOUND = (Operator.verbatim, Operator.reordered, Operator.moved)

SHORT = {verdict: verdict.value[:8] for verdict in Verdict}


@dataclass
class Tally:
    """Counts over pairs: how often each verdict was given per operator, and the pairs with a wrong one."""

    verdicts: dict[Operator, Counter[Verdict]] = field(default_factory=lambda: {o: Counter() for o in Operator})
    expected: Counter[Operator] = field(default_factory=Counter)
    certified: list[tuple[Pair, Verdict]] = field(default_factory=list)
    accused: list[tuple[Pair, Verdict]] = field(default_factory=list)
    other: list[tuple[Pair, Verdict]] = field(default_factory=list)

    def add(self, pair: Pair, verdict: Verdict) -> None:
        self.verdicts[pair.operator][verdict] += 1
        self.expected[pair.operator] += verdict in pair.expected
        if verdict in pair.forbidden:
            (self.accused if pair.operator in KEEPING else self.certified).append((pair, verdict))
        elif verdict not in pair.expected:
            self.other.append((pair, verdict))

    def unverifiable(self, operator: Operator) -> float:
        """Share of this operator's pairs, 0.0 to 1.0."""
        return self.verdicts[operator][Verdict.unverifiable] / max(1, self.verdicts[operator].total())

    def untold(self) -> float:
        """Share of the pairs of all bound operators together, 0.0 to 1.0."""
        verdicts = [self.verdicts[operator] for operator in BOUND]
        return sum(one[Verdict.unverifiable] for one in verdicts) / max(1, sum(one.total() for one in verdicts))


def tallied(which: str, seed: int, count: int) -> Tally:
    tally = Tally()
    for pair in pairs(seed, count, "held" if which == "held" else "open"):
        tally.add(pair, judge([asked(pair)], passages(pair))[0].verdict)
    return tally


def matrix(tally: Tally) -> str:
    lines = [f"{'operator':18}" + "".join(f"{SHORT[verdict]:>9}" for verdict in Verdict) + f"{'right':>8}{'unver.':>8}"]
    for operator, counts in tally.verdicts.items():
        cells = "".join(f"{counts[verdict] or '.':>9}" for verdict in Verdict)
        right = tally.expected[operator] / max(1, counts.total())
        lines.append(f"{operator:18}{cells}{right:8.0%}{tally.unverifiable(operator):8.0%}")
    return "\n".join(lines)


def example(pair: Pair, verdict: Verdict) -> str:
    return f"  {pair.operator}, called {verdict} ({pair.wording.language})\n    {pair.statement!r}\n    {pair.became!r}"


def worst(wrong: list[tuple[Pair, Verdict]], count: int) -> list[str]:
    """Examples of different operators and wordings first."""
    seen: Counter[tuple[Operator, str]] = Counter()
    ranked = []
    for place, (pair, verdict) in enumerate(wrong):
        key = (pair.operator, pair.wording.text)
        ranked.append((seen[key], place, example(pair, verdict)))
        seen[key] += 1
    return [shown for _, _, shown in sorted(ranked)[:count]]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--set", dest="which", choices=("open", "held"), default="open")
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, help="examples of each kind of error; 10 of the open set, 0 of the held")
    args = parser.parse_args()
    shown = args.show if args.show is not None else 10 * (args.which == "open")
    tally = tallied(args.which, args.seed, args.pairs)
    print(f"{args.pairs} pairs, set {args.which}, seed {args.seed}\n\n{matrix(tally)}\n")
    changed = sum(c.total() for operator, c in tally.verdicts.items() if operator not in KEEPING)
    kept = args.pairs - changed
    for name, wrong, of, good in (
        ("false certifications", tally.certified, changed, CERTIFYING),
        ("false accusations", tally.accused, kept, ACCUSING),
        ("other verdicts than expected", tally.other, args.pairs, frozenset(Verdict)),
    ):
        assert all(verdict in good for _, verdict in wrong)
        print(f"{name}: {len(wrong)} of {of}", *worst(wrong, shown), sep="\n")
    print(f"unverifiable on {tally.untold():.1%} of what stands, at most {UNVERIFIABLE_SHARE_MAX:.0%}")
    return int(bool(tally.certified) or tally.untold() > UNVERIFIABLE_SHARE_MAX)


if __name__ == "__main__":
    sys.exit(main())
