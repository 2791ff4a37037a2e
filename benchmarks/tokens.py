"""Measures the token counters and prints Markdown tables; `docs/benchmarks.md` shows them.

    python benchmarks/tokens.py exact DATA         needs bpe-openai: equality, speed, hostile runs
    python benchmarks/tokens.py truth DATA OUT     needs ctok (Python >= 3.12): writes true Claude counts
    python benchmarks/tokens.py estimate OUT       estimate / truth, per kind of text
    python benchmarks/tokens.py calibration DATA [--counter ctok]
                                                   real sessions: reported usage against the estimate

DATA is a folder of transcripts (JSON and JSON Lines in any depth). Texts are drawn with a fixed
seed. `truth` and `estimate` need only this checkout on PYTHONPATH=src, so that they also run in an
environment of their own.
"""

from __future__ import annotations

import argparse
import ast
import base64
import glob
import hashlib
import importlib
import importlib.util
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cenotaph.core.tokens import Vocabulary, calibrate, estimate_tokens

SEED = 20
LANGUAGES = [
    "ru",
    "uk",
    "ar",
    "fa",
    "he",
    "th",
    "zh_Hans",
    "zh_Hant",
    "ja",
    "ko",
    "hi",
    "vi",
    "el",
    "tr",
    "de",
    "fr",
    "es",
    "it",
    "pl",
    "cs",
    "pt_BR",
    "nl",
    "sv",
    "fi",
]
UNITS = ["a", "A", " ", "\n", "\t", "0", "=", "-", "'", "中", "👍", "\0", "\u0301", "\r\n", "ab", "aA"]


# Texts --------------------------------------------------------------------------------------------


def values(path: Path) -> Iterator[Any]:
    """Every JSON value of a file; torn lines are passed over, they are no text to count."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        yield json.loads(text)
    except ValueError:
        for line in text.split("\n"):
            try:
                yield json.loads(line)
            except ValueError:
                continue


def strings(value: Any) -> Iterator[str]:
    """The strings inside a JSON value; signatures are opaque to every counter."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(v for k, v in item.items() if k not in ("signature", "encrypted_content"))


def session_texts(data: Path) -> dict[str, list[str]]:
    """Distinct strings of the transcripts by their first folder."""
    seen: set[str] = set()
    found: dict[str, list[str]] = {}
    for path in sorted(p for p in data.rglob("*") if p.suffix in (".json", ".jsonl", ".traj")):
        kind = path.relative_to(data).parts[0]
        for text in (t for value in values(path) for t in strings(value)):
            if text not in seen:
                seen.add(text)
                found.setdefault(kind, []).append(text)
    return found


def cuts(rng: random.Random, text: str, count: int, size: int) -> Iterator[str]:
    for _ in range(count):
        start = rng.randrange(max(1, len(text) - size))
        yield text[start : start + size]


def generated(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Kinds that no file here holds in bulk."""
    raw = rng.randbytes
    for _ in range(8):
        yield "base64", base64.b64encode(raw(2_500)).decode()
        yield "base64 in lines", base64.encodebytes(raw(2_500)).decode()
        yield "hex", raw(1_500).hex()
        yield "hashes", "\n".join(f"{hashlib.sha256(raw(8)).hexdigest()}  src/file{i}.py" for i in range(30))
        yield "digits", "".join(rng.choices("0123456789", k=2_500))
        yield (
            "numbers in lines",
            "\n".join(",".join(str(rng.randrange(10**6)) for _ in range(8)) for _ in range(50)),
        )
        rows = [
            {"id": rng.randrange(10**9), "name": f"user{rng.randrange(999)}", "v": [rng.random(), None, True]}
            for _ in range(25)
        ]
        yield "JSON", json.dumps(rows)
        yield "JSON, compact", json.dumps(rows, separators=(",", ":"))
        yield "JSON, indented", json.dumps(rows, indent=2)
        yield "indented code", "\n".join(" " * rng.choice([4, 8, 12, 16]) + "return x" for _ in range(120))
        faces = [chr(c) for c in range(0x1F600, 0x1F640)] + ["✅", "❌", "🚀", "👍🏽", "❤️"]
        yield "emoji between words", " ".join(f"{rng.choice(faces)} done" for _ in range(200))
        yield (
            "log",
            "\n".join(
                f"2026-01-05 08:{i:02d}:11,{rng.randrange(999):03d} INFO [w-{i % 5}] "
                f"id={raw(6).hex()} took={rng.random():.2f}ms"
                for i in range(40)
            ),
        )


def installed_kinds(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Source code of this Python, and natural text in many languages if Django is installed."""
    sources = sorted(glob.glob(f"{Path(json.__file__).parents[1]}/*.py"))
    for path in rng.sample(sources, 80):
        yield from (("Python", t) for t in cuts(rng, Path(path).read_text(errors="ignore"), 1, 4_000))
    for kind, pattern in (("C headers", "/usr/include/**/*.h"), ("JavaScript", "/usr/share/nodejs/**/*.js")):
        paths = sorted(glob.glob(pattern, recursive=True))
        for path in rng.sample(paths, min(60, len(paths))):
            if Path(path).is_file():
                yield from ((kind, t) for t in cuts(rng, Path(path).read_text(errors="ignore"), 1, 4_000))
    spec = importlib.util.find_spec("django")
    if spec is None or spec.origin is None:
        print("Django is not installed: no texts in other languages", file=sys.stderr)
        return
    for language in LANGUAGES:
        source = Path(spec.origin).parent / "conf" / "locale" / language / "LC_MESSAGES" / "django.po"
        entries = re.findall(r'^msgstr(?:\[\d\])? ((?:".*"\n?)+)', source.read_text(encoding="utf-8"), re.M)
        text = "\n".join("".join(ast.literal_eval(line) for line in e.strip().split("\n")) for e in entries)
        yield from ((f"language {language}", t) for t in cuts(rng, text[1_500:], 6, 2_500))


def sample(data: Path) -> list[tuple[str, str]]:
    rng = random.Random(SEED)
    rows = [*generated(rng), *installed_kinds(rng)]
    for kind, texts in session_texts(data).items():
        long = [t for t in texts if len(t) >= 400]
        drawn = rng.choices(long, weights=[min(len(t), 20_000) for t in long], k=min(400, len(long))) if long else []
        rows += [(f"session {kind}", cut) for t in drawn for cut in cuts(rng, t, 1, 3_500)]
    return [(kind, text) for kind, text in rows if text.strip()]


# Measurements -------------------------------------------------------------------------------------


def clock(count: Callable[[str], object], texts: list[str]) -> float:
    """CPU seconds to count all texts: on a busy machine wall time says little."""
    start = time.process_time()
    for text in texts:
        count(text)
    return time.process_time() - start


def exact(data: Path) -> None:
    from cenotaph.runtime.counters import EXACT_ENCODINGS, BytePairCounter

    reference = importlib.import_module("bpe_openai")  # no stubs; only this command needs it

    texts = [t for group in session_texts(data).values() for t in group]
    megabytes = sum(len(t.encode("utf-8", "replace")) for t in texts) / 1e6
    print(f"{len(texts):,} distinct texts, {megabytes:.1f} MB\n")
    print("| vocabulary | texts that differ | ours MB/s | bpe-openai MB/s |\n|---|---|---|---|")
    for name in EXACT_ENCODINGS:
        ours, theirs = BytePairCounter(name), reference.get_encoding(name)
        ours.count("load")
        differ = sum(ours.count(t) != len(theirs.encode_ordinary(t)) for t in texts)
        mine = clock(ours.count, texts)
        other = clock(theirs.encode_ordinary, texts)
        print(f"| {name} | {differ} | {megabytes / mine:.0f} | {megabytes / other:.0f} |")
    print("\n| run of | 62.5 kB | 250 kB | 1 MB (o200k_base, ms) |\n|---|---|---|---|")
    counter = BytePairCounter("o200k_base")
    for unit in UNITS:
        times = [clock(counter.count, [unit * (size // len(unit))]) for size in (62_500, 250_000, 10**6)]
        print(f"| {unit!a} | " + " | ".join(f"{t * 1e3:.1f}" for t in times) + " |")


def truth(data: Path, out: Path) -> None:
    ctok = importlib.import_module("ctok")  # Python >= 3.12; only this command needs it
    frames = {version: ctok.token_count("", version) for version in ("3.0", "4.8")}
    frames["3.0"] -= 1  # an empty message pays for the word boundary that a text brings along
    rows = [
        [kind, text, *(ctok.token_count(text, v) - frame for v, frame in frames.items())] for kind, text in sample(data)
    ]
    out.write_text(json.dumps(rows), encoding="utf-8")
    print(f"{len(rows):,} texts, {sum(len(r[1]) for r in rows) / 1e6:.1f} M characters -> {out}")


def quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def estimate(truths: Path) -> None:
    rows = json.loads(truths.read_text(encoding="utf-8"))
    for column, vocabulary in ((2, Vocabulary.claude_3), (3, Vocabulary.claude_4_7)):
        kinds: dict[str, list[tuple[int, int]]] = {}
        for row in rows:
            kinds.setdefault(row[0], []).append((estimate_tokens(row[1], vocabulary), max(1, row[column])))
        print(f"\n`{vocabulary}`: estimate / truth\n\n| kind | texts | as a whole | lowest | median | highest |")
        print("|---|---|---|---|---|---|")
        for kind, pairs in sorted(kinds.items()):
            ratios = sorted(e / t for e, t in pairs)
            whole = sum(e for e, _ in pairs) / sum(t for _, t in pairs)
            shown = (whole, ratios[0], quantile(ratios, 0.5), ratios[-1])
            print(f"| {kind} | {len(pairs)} | " + " | ".join(f"{r:.2f}" for r in shown) + " |")
        flat = sorted(e / t for kind, pairs in kinds.items() if kind.startswith("session") for e, t in pairs)
        print(
            f"\nsessions, single texts: 1 % {quantile(flat, 0.01):.3f}, 5 % {quantile(flat, 0.05):.3f}, ",
            end="",
        )
        print(f"median {quantile(flat, 0.5):.3f}, 95 % {quantile(flat, 0.95):.3f}")
    for name, text in (
        ("ASCII", "".join(r[1] for r in rows if r[1].isascii())),
        ("all", "".join(r[1] for r in rows)),
    ):
        seconds = clock(lambda whole: estimate_tokens(whole, Vocabulary.claude_3), [text])
        print(f"speed, {name}: {len(text.encode()) / 1e6 / seconds:.0f} MB/s")


def regions(path: Path) -> Iterator[Any]:
    """What a file holds at each of its compactions and at its end: regions in which a request only grows."""
    records = list(values(path))
    if path.suffix != ".jsonl":
        yield from records
        return
    for index, record in enumerate(records):
        if isinstance(record, dict) and record.get("subtype") == "compact_boundary":
            yield records[:index]
    yield records


def reported_runs(data: Path, counter: str | None) -> Iterator[list[tuple[int, int]]]:
    """(estimated, reported) tokens of the requests of each region, read as the library reads them."""
    from cenotaph.api.counting import count_tokens
    from cenotaph.errors import CenotaphError

    for path in sorted(p for p in data.rglob("*") if p.suffix in (".json", ".jsonl")):
        for region in regions(path):
            try:
                calls = count_tokens(region, counter=counter).calls
            except CenotaphError as error:
                print(f"{path.name}: {error}", file=sys.stderr)
                continue
            if len(calls) > 1:
                yield [(call.estimated, call.reported) for call in calls]


def calibration(data: Path, counter: str | None) -> None:
    runs = list(reported_runs(data, counter))
    if not runs:
        print(f"{data}: no transcript has the usage of two requests or more")
        return
    errors: dict[str, list[float]] = {
        "texts alone": [],
        "overhead from the first request": [],
        "calibrated, the next request": [],
        "calibrated, the next 20 requests": [],
    }
    alone, first, following, later = errors.values()
    factors = []
    for run in runs:
        alone += [x / y - 1 for x, y in run]
        first += [(x - run[0][0] + run[0][1]) / y - 1 for x, y in run[1:]]
        for known in range(1, len(run)):
            found = calibrate(run[:known])
            factors.append(found.factor)
            ahead = [found.of(x) / y - 1 for x, y in run[known : known + 20]]
            following.append(ahead[0])
            later += ahead
    print(f"{len(runs)} regions, {len(alone):,} requests; each is calibrated by the requests before it alone\n")
    print("| signed error | counts | worst | 1 % | 5 % | median | 95 % | below -5 % |")
    print("|---|---|---|---|---|---|---|---|")
    for name, found_errors in errors.items():
        ordered = sorted(found_errors)
        shown = [f"{ordered[0]:+.1%}", *(f"{quantile(ordered, q):+.1%}" for q in (0.01, 0.05, 0.5, 0.95))]
        under = sum(e < -0.05 for e in ordered) / len(ordered)
        print(f"| {name} | {len(ordered):,} | " + " | ".join(shown) + f" | {under:.2%} |")
    scaled = sorted(f for f in factors if f != 1)
    if scaled:
        print("\nfactor: " + ", ".join(f"{q:.0%} {quantile(scaled, q):.3f}" for q in (0.05, 0.25, 0.5, 0.75, 0.95)))
    print(f"too few requests for a factor, overhead alone: {1 - len(scaled) / len(factors):.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("exact", "truth", "estimate", "calibration"):
        command = commands.add_parser(name)
        command.add_argument("path", type=Path)
        if name == "truth":
            command.add_argument("out", type=Path)
        if name == "calibration":
            command.add_argument("--counter", help="by name, e.g. ctok; if left out, that of each transcript's model")
    chosen = parser.parse_args()
    if chosen.command == "truth":
        truth(chosen.path, chosen.out)
    elif chosen.command == "calibration":
        calibration(chosen.path, chosen.counter)
    else:
        {"exact": exact, "estimate": estimate}[chosen.command](chosen.path)


if __name__ == "__main__":
    main()
