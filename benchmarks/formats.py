"""Every transcript of a folder, in every format that a dialect reads: read, written back, compacted, rebuilt.

    python benchmarks/formats.py DATA [--share 0.45]

For each dialect: how many transcripts it reads, how many come back byte for byte from `emit(parse(x))`, and of those
that are compacted under archive to the share of their tokens how many are clean: every law holds, `verify` is clean,
the messages that came in are rebuilt byte for byte from view and store, the view breaks no rule of its provider that
the input did not break. A halt is counted by what it weighs most. Files that no dialect reads are listed by folder.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from corpus import SUFFIXES, readable

from cenotaph import BudgetExhausted, CenotaphError, IndexBudgetExceeded, Policy, compact, verify
from cenotaph.api.reading import wire_of
from cenotaph.core.apply import same_bytes
from cenotaph.dialects.detect import detect
from cenotaph.runtime.replay import messages_before
from cenotaph.store.memory import MemoryStore

PROFILES = frozenset({"claude-code", "codex", "openhands", "swe-agent", "mini-swe-agent", "gemini-cli"})
"""Dialects whose own tools are known; elsewhere the generic names are declared."""


def whole(value: Any) -> bool:
    """Whether the value comes back from its dialect byte for byte."""
    dialect = detect(value)
    emitted = dialect.emit(dialect.parse(value))
    return emitted == value if isinstance(value, bytes) else same_bytes(emitted, value)


def outcome(value: Any, tokens: int, dialect: str, share: float) -> str:
    """What became of one transcript."""
    store = MemoryStore()
    tools = () if dialect in PROFILES else ("generic",)
    target = max(1, int(tokens * share))
    try:
        result = compact(
            value, to_tokens=target, store=store, session="s", policy=Policy.archive("benchmark"), tools=tools
        )
    except IndexBudgetExceeded:
        return "halted: our own text"
    except BudgetExhausted as halt:
        rows = halt.report["protected_by_row"]
        return f"halted, most in {max(rows, key=rows.__getitem__)}" if rows else "halted"
    wire = wire_of(result.readout.transcript)
    originals = [message.raw for message in result.readout.transcript.messages]
    known = Counter(breach.rule for breach in wire.breaches(originals))
    after = Counter(breach.rule for breach in wire.breaches(list(result.messages)))
    record = result.record.to_dict()
    sound = {
        "laws": all(law["holds"] for law in record["laws"]),
        "target": result.tokens_after <= target,
        "valid": not after - known,
        "verify": verify(store, read_data=True).ok,
        "rebuilt": json.dumps(messages_before(store, "s", record)) == json.dumps(originals),
    }
    broken = [name for name, holds in sound.items() if not holds]
    return f"NOT CLEAN: {', '.join(broken)}" if broken else "compacted, clean"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--share", type=float, default=0.45)
    args = parser.parse_args()
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    unread: Counter[str] = Counter()
    for path in sorted(args.folder.rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        area = path.relative_to(args.folder).parts[0]
        values, why = readable(path)
        if not values:
            unread[f"{area} ({why})"] += 1
        for value, tokens, dialect in values:
            row = found[dialect]
            row["transcripts"] += 1
            row["byte for byte"] += whole(value)
            try:
                row[outcome(value, tokens, dialect, args.share)] += 1
            except CenotaphError as error:
                row[f"BROKEN: {type(error).__name__}"] += 1
                print(f"{path.name[:60]}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    for dialect, row in sorted(found.items()):
        print(f"{dialect:18} {dict(row)}")
    print(f"read by no dialect {dict(unread)}")


if __name__ == "__main__":
    main()
