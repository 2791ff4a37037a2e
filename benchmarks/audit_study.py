"""What real compactions lost: every compaction in a folder of sessions, as a table with median and worst.

    python benchmarks/audit_study.py FOLDER... [--sample N --seed S]

With --sample, findings and preserved statements are drawn at random and printed with their words, to be read.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter as Tally
from collections.abc import Sequence
from statistics import median

from cenotaph.api.audit_files import files_in
from cenotaph.api.auditing import Report, audit_history
from cenotaph.api.places import read_source
from cenotaph.errors import CenotaphError


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    reports: list[Report] = []
    refused: Tally[str] = Tally()
    for name, _ in files_in(args.folders):
        try:
            report = audit_history(read_source(name).value, name=name)
        except CenotaphError as error:
            refused[type(error).__name__] += 1
            continue
        if report.compactions:
            reports.append(report)
    _table(reports)
    print(f"\nrefused by name: {dict(refused)}")
    if args.sample:
        _samples(reports, args.sample, random.Random(args.seed))


def _table(reports: Sequence[Report]) -> None:
    kinds = Tally(one.event.mechanism.value for report in reports for one in report.compactions)
    tiers = Tally(one.event.tier.value for report in reports for one in report.compactions)
    print(f"{len(reports)} sessions, {sum(kinds.values())} compactions: {dict(kinds)}; {dict(tiers)}")
    cuts = [one for report in reports for one in report.compactions if one.event.removed and not one.event.opaque]
    whole = [one for one in cuts if not one.event.mechanism.value.endswith(("micro", "prune", "clearing"))]
    print(f"{len(whole)} of them replaced text that can be read on both sides:\n")
    print("| per compaction | median | worst |\n|---|---|---|")
    shares = {
        "statements of people and the system, removed": ([len(one.judgements) for one in whole], max),
        "of these preserved or in other words": (
            [_share(one.judgements, ("preserved", "paraphrased")) for one in whole],
            min,
        ),
        "of these not to be told": ([_share(one.judgements, ("unverifiable",)) for one in whole], max),
        "paths that stood, kept verbatim": ([_kept(one.kept, "path") for one in whole], min),
        "handles that people and the agent named, kept verbatim": ([_kept(one.kept, "acted") for one in whole], min),
    }
    for label, (values, worst) in shares.items():
        told = [value for value in values if value is not None]
        shown = (lambda v: f"{v:.0%}") if any(isinstance(v, float) for v in told) else (lambda v: f"{v:,.0f}")
        print(f"| {label} | {shown(median(told))} | {shown(worst(told))} |")
    later = [event for report in reports if report.aftermath for event in report.aftermath.events]
    again = [one.read_again for one in later]
    tokens = [one.read_again_tokens for one in later]
    print(f"| things read again though nothing had changed them | {median(again):,.0f} | {max(again):,} |")
    print(f"| tokens of that, estimated | {median(tokens):,.0f} | {max(tokens):,} |")
    for name in ("before", "at", "rest"):
        windows = [getattr(one, name) for one in later]
        calls, failed, rejected = (sum(getattr(w, field) for w in windows) for field in ("calls", "failed", "rejected"))
        share = failed / max(1, calls)
        print(f"\ncalls {name}: {calls:,}, failed {failed:,} ({share:.1%}), rejected {rejected:,}", end="")
    print("\n\nfindings by tier and code:")
    tally = Tally((one.tier.value, one.code.value) for report in reports for one in report.findings)
    for (tier, code), count in sorted(tally.items()):
        print(f"  {tier:9} {code:26} {count}")
    verdicts = Tally(one.verdict.value for report in reports for one in report.statements)
    print(f"verdicts: {dict(verdicts)}")


def _share(judgements: Sequence[object], wanted: tuple[str, ...]) -> float | None:
    told = [one.verdict.value for one in judgements]  # type: ignore[attr-defined]
    return sum(verdict in wanted for verdict in told) / len(told) if told else None


def _kept(kept: object, kind: str) -> float | None:
    pair = kept.get(kind)  # type: ignore[attr-defined]
    return pair[0] / pair[1] if pair and pair[1] else None


def _samples(reports: Sequence[Report], count: int, dice: random.Random) -> None:
    findings = [(one, report.name) for report in reports for one in report.findings if one.shown]
    preserved = [(one, report.name) for report in reports for one in report.statements if one.verdict == "preserved"]
    for one, name in dice.sample(findings, min(count, len(findings))):
        print(f"\nFINDING {one.code.value} [{one.tier.value}] {one.note} ({name[-40:]})")
        for label, words in one.shown.items():
            print(f"    {label}: {' '.join(words.split())[:260]}")
    for judged, name in dice.sample(preserved, min(count, len(preserved))):
        print(f"\nPRESERVED {' '.join(judged.text.split())[:200]} ({name[-40:]}) {judged.evidence[0].note}")


if __name__ == "__main__":
    main()
