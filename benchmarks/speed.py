"""Speed of a cold compaction and of the next view, as ratios within one run; and peak memory.

    python benchmarks/speed.py [--tokens 1000000]

Prints: seconds of processor time to only count the o200k tokens of all texts; the cold `compact` (read, classify,
plan, write to a real SQLite file, every law checked) as a multiple of it; how much of that is the search for handles;
the next `Session.view` with one new message as a share of the cold one; peak memory above the loaded input as a
multiple of the transcript's size.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

WORDS = [
    "request",
    "handler",
    "returns",
    "the",
    "cached",
    "value",
    "when",
    "nothing",
    "changed",
    "since",
    "the",
    "last",
    "write",
    "of",
    "this",
    "file",
    "and",
    "the",
    "lock",
    "is",
    "held",
    "by",
    "another",
    "worker",
    "so",
    "we",
    "retry",
    "after",
    "a",
    "short",
    "delay",
    "def",
    "class",
    "import",
    "self",
    "return",
    "None",
    "error",
    "timeout",
    "config",
]

SYLLABLES = [
    "ba",
    "con",
    "der",
    "exi",
    "fu",
    "gra",
    "hel",
    "in",
    "ja",
    "kor",
    "lim",
    "mu",
    "nor",
    "op",
    "pre",
    "qua",
    "ret",
    "sto",
    "ter",
    "uni",
    "ver",
    "wal",
    "xen",
    "yo",
    "zi",
]


def transcript(tokens: int, seed: int = 7) -> list[dict[str, Any]]:
    """A coding session in chat form: reads, shells, edits, narration; about `tokens` o200k tokens."""
    rng = random.Random(seed)

    def word() -> str:
        kind = rng.random()
        if kind < 0.62:
            return rng.choice(WORDS)
        if kind < 0.86:  # identifiers, as code has them
            return "_".join(
                "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(1, 4))) for _ in range(rng.randint(1, 3))
            )
        if kind < 0.94:
            return str(rng.randint(0, 99_999))
        if kind < 0.97:
            return f"src/{rng.choice(WORDS)}/{rng.choice(SYLLABLES)}{rng.randint(0, 99)}.py:{rng.randint(1, 900)}"
        return f"{rng.getrandbits(48):012x}"

    def text(words: int) -> str:
        lines = []
        while words > 0:
            n = rng.randint(4, 14)
            end = rng.choice((":", "()", ";", "", " = None", ", {"))
            lines.append(" " * rng.choice((0, 4, 8)) + " ".join(word() for _ in range(n)) + end)
            words -= n
        return "\n".join(lines)

    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a careful engineer. Never push to main."},
        {"role": "user", "content": "Refactor the payment module. Do not touch anything under /etc/prod/."},
    ]
    written, step = 0, 0
    while written < tokens:
        step += 1
        name = rng.choices(("read_file", "shell", "edit_file"), (6, 3, 2))[0]
        path = f"src/payments/module_{rng.randint(0, 400)}.py"
        args: dict[str, Any] = {"path": path}
        words = rng.randint(80, 2_400)
        if name == "shell":
            args = {"cmd": f"pytest -q tests/test_{step}.py"}
            words = rng.randint(20, 900)
        if name == "edit_file":
            args |= {"old": text(60), "new": text(90)}
            words = 8
        body = text(words)
        messages.append(
            {
                "role": "assistant",
                "content": f"Step {step}: looking at {path}." if step % 3 == 0 else None,
                "tool_calls": [
                    {
                        "id": f"c{step}",
                        "type": "function",
                        "function": {"name": name, "arguments": json.dumps(args)},
                    }
                ],
            }
        )
        messages.append({"role": "tool", "tool_call_id": f"c{step}", "content": body})
        written += int(words * 2.55) + 60
        if step % 40 == 0:
            messages.append({"role": "assistant", "content": "Done with this part."})
            messages.append({"role": "user", "content": f"Go on with part {step // 40}."})
    return messages


def rss_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def measure(path: Path) -> None:
    """One measurement in this process, printed as JSON."""
    from cenotaph import Session
    from cenotaph.core import lines
    from cenotaph.core.handles import Handle, every
    from cenotaph.core.tools import ToolSpec
    from cenotaph.dialects.openai_chat import OPENAI_CHAT
    from cenotaph.runtime.counters import counter_for

    counter = counter_for(model="gpt-4o", wire="openai-chat")
    counter.count("warm")
    messages = json.loads(path.read_bytes())
    texts = [part.text for message in OPENAI_CHAT.parse(messages).messages for part in message.parts]
    started = time.process_time()
    total = sum(counter.count(text) for text in texts)
    counting = time.process_time() - started
    del texts
    seeking: list[float] = []

    def timed(text: str) -> list[Handle]:
        began = time.process_time()
        found = every(text)
        seeking.append(time.process_time() - began)
        return found

    setattr(lines, "every", timed)  # noqa: B010 (a name that the module does not export)
    loaded = rss_mb()
    tools: list[ToolSpec | str] = ["generic", ToolSpec("shell", writes="unknown")]
    with tempfile.TemporaryDirectory() as folder:
        session = Session(
            "bench",
            store=f"sqlite:///{folder}/bench.db",
            to_tokens=int(total * 0.45),
            tools=tools,
            model="gpt-4o",
        )
        started = time.process_time()
        session.view(messages)
        cold = time.process_time() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6 - loaded
        nexts = []
        for number in range(9):
            messages = [*messages, {"role": "user", "content": f"And now part {number}?"}]
            session._to_tokens = 10**9  # the new message alone, far below any trigger
            started = time.process_time()
            session.view(messages)
            nexts.append(time.process_time() - started)
        assert session.last is not None
    print(
        json.dumps(
            {
                "tokens": total,
                "mb": path.stat().st_size / 1e6,
                "counting": counting,
                "cold": cold,
                "seeking": sum(seeking),
                "next": sorted(nexts)[len(nexts) // 2],
                "peak": peak,
            }
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(args.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "transcript.json"
        path.write_text(json.dumps(transcript(args.tokens)))
        rows = [
            json.loads(
                subprocess.run([sys.executable, __file__, "--measure", path], capture_output=True, check=True).stdout
            )
            for _ in range(args.runs)
        ]
    first = rows[0]
    print(f"transcript: {first['tokens']:,} o200k tokens, {first['mb']:.1f} MB; {args.runs} runs, min / median / max")
    for label, values in (
        ("counting only, seconds of processor time", [r["counting"] for r in rows]),
        ("cold compact / counting", [r["cold"] / r["counting"] for r in rows]),
        ("search for handles / counting", [r["seeking"] / r["counting"] for r in rows]),
        ("next view / cold compact, %", [100 * r["next"] / r["cold"] for r in rows]),
        ("peak memory above input / transcript size", [r["peak"] / r["mb"] for r in rows]),
    ):
        values.sort()
        print(f"{label:45} {values[0]:8.3f} {values[len(values) // 2]:8.3f} {values[-1]:8.3f}")


if __name__ == "__main__":
    main()
