"""Small inputs made from public bug reports, compacted to their own budgets, and each halt with its reason.

    python benchmarks/cases.py CASES [--policy archive|strict]

CASES is a folder of `*.json` with `format, messages, budget_hint, expected`, beside a `checklib.py` with `load`
and `check`. Counted are cases compacted or left alone, halts where what may never leave (system text, the newest
request with what it leans on, plans, pins, open and abandoned calls) is more than the budget, other halts, and
checkable properties that fail.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from collections import Counter
from pathlib import Path
from typing import Any

from cenotaph import BudgetExhausted, Policy, compact

NEVER_LEAVE = frozenset({"pin", "sys", "ans", "req", "ins", "pln", "opn", "abd", "liv", "for"})
"""Rows that stay under every policy."""

FRAMING = 4
"""Tokens that a message costs beside its text."""

UNREAD = frozenset({"adk_events", "ai_sdk"})
"""Formats of cases that no dialect reads."""


def checklib(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location("checklib", folder / "checklib.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--policy", choices=("archive", "strict"), default="archive")
    args = parser.parse_args()
    lib = checklib(args.folder)
    policy = Policy.archive("benchmark") if args.policy == "archive" else Policy.strict()
    totals: Counter[str] = Counter()
    for path in sorted(args.folder.glob("*.json")):
        case = lib.load(str(path))
        if case["format"] in UNREAD:
            totals[f"not read: {case['format']}"] += 1
            continue
        totals["cases"] += 1
        hint = case["budget_hint"]
        target = hint.get("max_tokens") or hint.get("trigger_tokens") or hint.get("context_window")
        try:
            result = compact(case["messages"], to_tokens=target, policy=policy, store="memory://", tools=["generic"])
        except BudgetExhausted as halt:
            rows = halt.report["protected_by_row"]
            never = sum(tokens for row, tokens in rows.items() if row in NEVER_LEAVE)
            held = never + FRAMING * len(case["messages"]) <= target
            totals["halted, though what may never leave fits" if held else "halted: what may never leave is more"] += 1
            kept = ", ".join(f"{row} {tokens}" for row, tokens in rows.items())
            print(f"{path.stem[:44]:44} halted at {halt.reachable:5} > {target:5}: {kept}")
            continue
        totals["compacted" if result.changed else "left alone"] += 1
        record = json.dumps(result.record.to_dict(), ensure_ascii=False) if result.record else ""
        for name, holds, note in lib.check(case, result.messages, record, False):
            totals[f"properties that hold: {holds}"] += 1
            if holds is False:
                print(f"{path.stem[:44]:44} {name} FAILS: {note}")
    print(dict(totals))


if __name__ == "__main__":
    main()
