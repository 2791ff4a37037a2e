"""What the judge of an audit says of pairs that were written by hand.

    python benchmarks/audit_verdicts_by_hand.py [--set open|held] [--show N]

Prints a confusion matrix (operator x verdict), false certifications (something changed or dropped that is called
preserved or in other words), false accusations (something that stands and is called lost or changed), and the share of
`unverifiable` on what was kept verbatim, moved or reordered. What the pairs are: benchmarks/verdict_pairs/README.md.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cenotaph.core.audit.model import Passage, Statement, Verdict
from cenotaph.core.audit.verdicts import judge
from cenotaph.core.model import Provenance

FOLDER = Path(__file__).with_name("verdict_pairs")
OPERATORS = {
    "v": ("verbatim", "preserved"),
    "m": ("moved", "preserved"),
    "q": ("quoted", "preserved"),
    "r": ("reordered", "preserved paraphrased"),
    "so": ("softened", "weakened"),
    "qu": ("questioned", "weakened"),
    "nd": ("negation dropped", "contradicted mutated"),
    "nm": ("negation moved", "contradicted mutated"),
    "an": ("exchanged", "contradicted mutated"),
    "nu": ("number changed", "mutated contradicted"),
    "h": ("handle changed", "mutated contradicted"),
    "st": ("state changed", "mutated contradicted"),
    "sw": ("scope wider", "mutated weakened"),
    "sn": ("scope narrower", "mutated weakened"),
    "qd": ("qualifier dropped", "weakened mutated"),
    "a": ("attributed", "mutated"),
    "c": ("contradicted", "contradicted"),
    "ce": ("contradicted", "contradicted weakened"),
    "cv": ("contradicted", "contradicted mutated"),
    "d": ("dropped", "dropped"),
}
KEPT = ("verbatim", "moved", "quoted", "reordered")
BOUND = ("verbatim", "moved", "reordered")
CERTIFYING = {"preserved", "paraphrased"}


@dataclass
class Base:
    """A statement with its context and variants."""

    speaker: str
    statement: list[str] = field(default_factory=list)
    context: list[str] = field(default_factory=list)
    variants: list[tuple[str, list[str]]] = field(default_factory=list)


def bases() -> dict[str, Base]:
    found: dict[str, Base] = {}
    for path in sorted(FOLDER.glob("*.txt")):
        base, section = Base(""), list[str]()
        for line in path.read_text(encoding="utf-8").split("\n"):
            if opened := re.fullmatch(r"@@(\+?) (\w+)(?: (\w+))?", line):
                base = found[opened[2]] if opened[1] else found.setdefault(opened[2], Base(opened[3]))
                section = base.statement if not opened[1] else []
            elif line == "@C":
                section = base.context
            elif variant := re.fullmatch(r"@(\w+(?: [a-z,]+)?)", line):
                section = []
                base.variants.append((variant[1], section))
            else:
                section.append(line)
    return found


def pairs(which: str) -> Iterator[tuple[str, str, set[str], Statement, str]]:
    """(name, operator, right verdicts, statement, what stands afterwards)."""
    for number, (name, base) in enumerate(bases().items()):
        if (number % 3 == 2) != (which == "held"):
            continue
        text, context = "\n".join(base.statement).strip(), "\n".join(base.context).strip()
        for kind, body in base.variants:
            short, _, further = kind.partition(" ")
            operator, right = OPERATORS[short]
            after = "\n".join(body).strip("\n").rstrip().replace("{C}", context).replace("{S}", text)
            verdicts = {*right.split(), *filter(None, further.split(","))}
            yield name, operator, verdicts, Statement(text, Provenance(base.speaker)), after


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--set", dest="which", choices=("open", "held"), default="open")
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    matrix: dict[str, Counter[str]] = {}
    certified: list[str] = []
    accused: list[str] = []
    for name, operator, right, statement, after in pairs(args.which):
        verdict = judge([statement], [Passage(after, Provenance.foreign)])[0].verdict.value
        matrix.setdefault(operator, Counter())[verdict] += 1
        told = f"  {name}, {operator}, called {verdict}\n    {statement.text!r}\n    {after!r}"
        if operator not in KEPT and verdict in CERTIFYING:
            certified.append(told)
        elif operator in KEPT and verdict not in {*right, "unverifiable", "paraphrased"}:
            accused.append(told)
    print(f"{'operator':18}" + "".join(f"{verdict.value[:9]:>11}" for verdict in Verdict))
    for operator, counts in sorted(matrix.items()):
        print(f"{operator:18}" + "".join(f"{counts[verdict.value] or '.':>11}" for verdict in Verdict))
    total = sum(counts.total() for counts in matrix.values())
    kept = sum(matrix[operator].total() for operator in KEPT)
    bound = [matrix[operator] for operator in BOUND]
    untold = sum(counts["unverifiable"] for counts in bound) / sum(counts.total() for counts in bound)
    for named, wrong, of in (("certifications", certified, total - kept), ("accusations", accused, kept)):
        print(f"false {named}: {len(wrong)} of {of}", *wrong[: args.show], sep="\n")
    print(f"unverifiable on {untold:.1%} of what was kept verbatim, moved or reordered")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
