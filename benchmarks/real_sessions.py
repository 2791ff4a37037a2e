"""Real sessions, compacted to a share of their last view under both policies, and checked from outside.

    python benchmarks/real_sessions.py FOLDER [--share 0.45] [--min-tokens 40000] [--region last|all]

For each session file: what each policy reaches; for each halt the shares of what stays; and for each compaction, from
the store file alone: `verify(read_data=True)` is clean, the messages that came in are rebuilt byte for byte, and every
text of a person or the system stands unchanged in the view. `floor` is what no strict cut can touch: protected text,
calls that stay, agent text, and results no larger than their own tombstone.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from cenotaph import BudgetExhausted, CenotaphError, Policy, compact, verify
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.policy import LEAVING, allowed
from cenotaph.runtime.replay import messages_before

SMALL_RESULT_TOKENS = 40
"""A result up to this size is about as large as its tombstone."""


def floor_of(readout: Any) -> int:
    """Tokens that `strict` can't free, whatever it does."""
    strict, total = Policy.strict(), 0
    for span, row in zip(readout.classified.spans, readout.classified.rows, strict=True):
        small = span.kind is Kind.result and span.tokens <= SMALL_RESULT_TOKENS
        if small or not allowed(strict, row.shelf) & LEAVING or row.id == "arg":
            total += span.tokens
    frame = readout.framing
    calls = sum(s.kind is Kind.call for s in readout.classified.spans)
    return (
        total + frame.request + frame.message * len(readout.transcript.messages) + (frame.call + frame.result) * calls
    )


def spoken(readout: Any) -> list[str]:
    """Texts of people and of the system, payloads aside."""
    voices = (Provenance.user, Provenance.system, Provenance.developer)
    return [
        s.text for s in readout.classified.spans if s.provenance in voices and s.kind is Kind.text and not s.payload
    ]


def one(path: Path, policy: Policy, target: int, region: str, folder: str) -> dict[str, Any]:
    data = path.read_bytes()
    store = f"sqlite:///{folder}/{policy.name}-{path.stem[:60]}.db"
    try:
        result = compact(data, to_tokens=target, policy=policy, store=store, region=region)
    except BudgetExhausted as halt:
        return {"ok": False, "reachable": halt.reachable, **halt.report["shares"]}
    shown = json.dumps(result.messages, ensure_ascii=False)
    missing = [t for t in spoken(result.readout) if json.dumps(t, ensure_ascii=False)[1:-1] not in shown]
    report = verify(store, read_data=True)
    record = result.record.to_dict() if result.record else {}
    rebuilt = messages_before(result.store, result.session, record)
    same = json.dumps(rebuilt) == json.dumps([m.raw for m in result.readout.transcript.messages])
    return {
        "ok": True,
        "after": result.tokens_after,
        "own": record["token_profile"]["own_text"],
        "laws": all(law["holds"] for law in record["laws"]),
        "verify": report.ok,
        "rebuilt": same,
        "spoken": not missing,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--share", type=float, default=0.45)
    parser.add_argument("--min-tokens", type=int, default=40_000)
    parser.add_argument("--region", default="last", choices=("last", "all"))
    args = parser.parse_args()
    totals: Counter[str] = Counter()
    print(f"{'session':14} {'tokens':>8} {'floor':>6}  strict                          archive")
    for path in sorted(args.folder.rglob("*.jsonl")):
        try:
            plain = compact(path.read_bytes(), to_tokens=1 << 60, region=args.region)
        except CenotaphError as error:
            totals[f"unreadable: {type(error).__name__}"] += 1
            print(f"{path.stem[:14]:14} {type(error).__name__}: {str(error)[:90]}", file=sys.stderr)
            continue
        if plain.tokens_before < args.min_tokens:
            totals["below the size"] += 1
            continue
        totals["sessions"] += 1
        tokens = plain.tokens_before
        floor = floor_of(plain.readout) / tokens
        cells = []
        with tempfile.TemporaryDirectory() as folder:
            for policy in (Policy.strict(), Policy.archive()):
                row = one(path, policy, int(tokens * args.share), args.region, folder)
                if row["ok"]:
                    clean = all(row[key] for key in ("laws", "verify", "rebuilt", "spoken"))
                    totals[f"{policy.name} compacted"] += 1
                    totals[f"{policy.name} {'clean' if clean else 'NOT CLEAN'}"] += 1
                    cells.append(
                        f"{row['after'] / tokens:4.0%} own {row['own'] / tokens:4.1%} {'clean' if clean else row}"
                    )
                else:
                    totals[f"{policy.name} halted"] += 1
                    if policy.name == "strict" and floor < args.share - 0.05:
                        totals["strict halted below the floor"] += 1
                    cells.append(
                        f"halt {row['reachable'] / tokens:4.0%}: one-shot {row['one_shot_results']:.0%} arguments "
                        f"{row['arguments']:.0%} human {row['human_text']:.0%}"
                    )
        print(f"{path.stem[:14]:14} {tokens:8,} {floor:6.0%}  {cells[0]:31} {cells[1]}", flush=True)
    print(dict(totals))


if __name__ == "__main__":
    main()
