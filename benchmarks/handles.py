"""The grammar of handles: how much of a labelled set it finds, how fast it reads, and what hostile text costs.

    python benchmarks/handles.py [DATA] [--held-out]

Prints: precision and recall by kind over `tests/core/labelled` (without the quarter that is held out, or that alone);
megabytes per second of processor time, cold (nothing remembered) and warm, on logs, code and prose, for the inner
handles and for a partition with each engine, with what bounds them: how much of a text is in lines that differ, handles
per megabyte, and nanoseconds per handle, cold; and for each hostile text its time as a multiple of as much natural
prose, and of as much prose in which no word and no line comes twice. Both pass over plain words, and most hostile
texts do not, so a multiple says how dense such a text is, not that its cost grows faster than its length. The texts
that take longer than `SECONDS_MAX` are named at the end.

DATA is a folder of transcripts (JSON, JSONL) whose texts are read, beside the generated ones: two logs in which every
line differs, and the sources beside this file.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from cenotaph.core.handles import KINDS, Engine, extract, extract_outer, partition
from cenotaph.core.handles.sentences import forget
from cenotaph.runtime.engines import fastest_engine

ROOT = Path(__file__).resolve().parents[1]
LABELLED = ROOT / "tests" / "core" / "labelled"
SIZE = 1_000_000
SECONDS_MAX = 0.6
"""Processor time that a hostile text of `SIZE` characters is to stay below."""


def labelled(held_out: bool) -> Iterator[tuple[str, Counter[tuple[str, str]]]]:
    """Each text of the labelled set with its (kind, value) pairs."""
    for path in sorted(LABELLED.glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if (number % 4 == 3) is held_out:
                text, *labels = line.split(" ¦ ")
                pairs = [label.split(" ", 1) for label in labels]
                yield text, Counter((kind, value) for kind, value in pairs)


def quality(held_out: bool) -> None:
    right: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    texts = traps = 0
    for text, wanted in labelled(held_out):
        found = Counter((h.kind, h.value) for h in [*extract(text), *extract_outer(text)])
        right.update(kind for kind, _ in (wanted & found).elements())
        extra.update(kind for kind, _ in (found - wanted).elements())
        missed.update(kind for kind, _ in (wanted - found).elements())
        texts += 1
        traps += not wanted
    print(f"{texts} texts, {traps} of them without a handle; held out: {held_out}")
    print("| kind | labelled | recall | precision |")
    print("|---|---|---|---|")
    for kind in [*sorted(KINDS), ""]:
        r, e, m = (sum(c.values()) if not kind else c[kind] for c in (right, extra, missed))
        recall = f"{r / (r + m):.1%}" if r + m else "-"
        precision = f"{r / (r + e):.1%}" if r + e else "-"
        print(f"| {kind or 'all'} | {r + m} | {recall} | {precision} |")


def seconds(read: Callable[[str], object], text: str, *, warm: bool = False) -> float:
    """Processor time of one reading of `text`; the best of three."""
    best = float("inf")
    for _ in range(3):
        if not warm:
            forget()
        start = time.process_time()
        read(text)
        best = min(best, time.process_time() - start)
    return best


def strings(data: object) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, list):
        for item in data:
            yield from strings(item)
    elif isinstance(data, dict):
        for item in data.values():
            yield from strings(item)


def generated() -> dict[str, str]:
    rng = random.Random(7)
    lines = []
    for number in range(12_000):
        host, took = f"10.0.{rng.randrange(256)}.{rng.randrange(256)}", rng.randrange(3_000)
        clock = f"2024-05-{1 + number % 28:02d}T{number % 24:02d}:{number % 60:02d}:{rng.randrange(60):02d}Z"
        request = f"GET /v1/users/{rng.randrange(10**6)}"
        lines.append(f"{clock} INFO [worker-{number % 8}] {request} from {host} took {took}ms")
    access = "\n".join(_request(rng, number) for number in range(10_000))
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    prose = re.sub(r"[^a-zA-Z ,.\n]", "", " ".join(re.findall(r'"""(.*?)"""', code, re.S)))
    return {"generated log": "\n".join(lines), "access log": access, "sources": code, "prose of sources": prose}


def _request(rng: random.Random, number: int) -> str:
    """A line of a web server's log, in the combined format."""
    address = ".".join(str(rng.randrange(256)) for _ in range(4))
    clock = f"{1 + number % 28:02d}/May/2024:{number % 24:02d}:{number % 60:02d}:{rng.randrange(60):02d} +0000"
    target = f"/v1/items/{rng.randrange(10**6)}?page={rng.randrange(99)}"
    return f'{address} - - [{clock}] "GET {target} HTTP/1.1" 200 {rng.randrange(90_000)} "-" "Mozilla/5.0 (X11; Linux)"'


def unrepeated_prose() -> str:
    """`SIZE` characters of words in lines, no word twice."""
    rng = random.Random(5)
    words: dict[str, None] = {}
    while len(words) < SIZE // 7:
        words["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(4, 11)))] = None
    told = list(words)
    return "\n".join(" ".join(told[at : at + 12]) + "." for at in range(0, len(told), 12))[:SIZE]


def collected(data: Path) -> dict[str, str]:
    """Real texts: files that were read, output that has times or test results in it, and the rest."""
    texts: dict[str, dict[str, None]] = {"log": {}, "code": {}, "prose": {}}
    for path in sorted(p for p in data.rglob("*.json*") if p.stat().st_size < 12_000_000):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if not line.startswith(("{", "[")) or not line.endswith(("}", "]")):
                continue
            for text in strings(json.loads(line)) if _is_json(line) else ():
                if len(text) > 200:
                    head = text[:600]
                    if re.search(r"^\s*\d+→", head, re.M):
                        texts["code"][re.sub(r"(?m)^\s*\d+→", "", text)] = None
                    elif re.search(r"\d\d:\d\d:\d\d|PASS|FAIL|passed|^ok ", head):
                        texts["log"][text] = None
                    else:
                        texts["prose"][text] = None
    return {name: "\n".join(found) for name, found in texts.items()}


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def hostile() -> dict[str, str]:
    """Texts made to be slow, each of `SIZE` characters."""
    rng = random.Random(11)
    units = {
        "a": "a",
        "slashes": "/",
        "a.a": "a.a.",
        "brackets": "((((",
        "1:1": "1:1:",
        "equals": "=",
        "at": "@",
        "backslashes": "\\\\",
        "://": "://",
        "a-1": "a-1-",
        "hex": "deadbeef0",
        "digits": "1",
        "dots": ".",
        "dashes": "-",
        "quotes": "\"'`",
        "double quotes": '"',
        "open quotes": '"a ',
        "colons": ": ",
        "a/b": "a/b/",
        "a=b": "a=b=",
        "a@b": "a@b.",
        "A-1 ": "AB-1 ",
        "10:10 ": "10:10 ",
        "1.1.1 ": "1.1.1 ",
        "do not": "do not ",
        "never": "never",
        "without": "without a ",
        "umlauts": "äöü",
        "han": "不要修改",
        "kana": "しないで",
        "x = ": "x = ",
        "key: ": 'k": "v',
        "camel": "aB",
        "snake": "a_",
        "v1": "v1",
        "GET /": "GET /",
        "http://": "http://a",
        "[::]": "[::",
        "$1": "$1 ",
        "port 1": "port 1 ",
        "a():": "a()",
        ">=1.0": "a>=1.",
        "newlines": "\n",
        "a lines": "a\n",
        "tabs": "\t",
        "surrogates": "\ud800",
        "nul": "\0",
        "x = 1": "x = 1 ",
        "url)": "http://a" + ")" * 1_900 + " ",
        "a: 1 s": "a: 1 s ",
        "a: 'b'": "a: 'b' ",
        "x_y: 5 GB": "x_y: 5 GB ",
        "1,000": "1,000 ",
        "482113": "482113 users ",
        "customer no.": "customer no. 482113 ",
        "00:11": "00:11:",
        "0a-0b": "0a-0b-",
        "SHA256:": "SHA256:",
        "a.timer": "a.timer ",
        "nicht": "nicht ",
        "bitte nicht": "bitte nicht ",
        "ne pas": "ne pas ",
        "leave": "leave ",
        "bie": "别 ",
    }
    texts = {name: (unit * (SIZE // len(unit) + 1))[:SIZE] for name, unit in units.items()}
    marks = "/.:=@#-_\\'\"`()[]{}<>|,;$%~ \n1aA"
    texts["random marks"] = "".join(rng.choices(marks, k=SIZE))
    texts["random words"] = "".join(rng.choices("abcXYZ019_-./:=@ ", k=SIZE))
    texts["unique ids"] = " ".join(f"AB-{n}" for n in range(200_000))[:SIZE]
    texts["unique paths"] = " ".join(f"/a{n}/b.py:{n}" for n in range(100_000))[:SIZE]
    texts["long tokens"] = " ".join("a.b/c-d_e:f=" * 160 + str(n) for n in range(600))[:SIZE]
    texts["long dotted"] = " ".join("a." * 1_000 + str(n) for n in range(600))[:SIZE]
    texts["long kebab"] = " ".join("ab-" * 600 + str(n) for n in range(600))[:SIZE]
    texts["long slashes"] = " ".join("a/" * 1_000 + str(n) for n in range(600))[:SIZE]
    texts["long at"] = " ".join("a@" * 1_000 + str(n) for n in range(600))[:SIZE]
    return texts


def speed(texts: dict[str, str], engine: Engine | None) -> float:
    """Prints the rates, and gives the seconds of one megabyte of natural prose, the last of the texts."""
    print(
        "| text | MB | lines differ | handles/MB | ns/handle | extract, cold | warm | partition, re | partition, RE2 |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, text in texts.items():
        text = text[: 4 * SIZE]
        size = len(text) / 1e6
        rates = [seconds(extract, text), seconds(extract, text, warm=True), seconds(partition, text)]
        if engine is not None:
            rates.append(seconds(lambda t: partition(t, engine=engine), text))
        cells = " | ".join(f"{size / rate:.1f} MB/s" for rate in rates)
        found = len(extract(text))
        differ = sum(len(line) + 1 for line in set(text.split("\n"))) / (len(text) + 1)
        bounds = f"{size:.1f} | {differ:.0%} | {found / size:.0f} | {rates[0] / max(found, 1) * 1e9:.0f}"
        print(f"| {name} | {bounds} | {cells} |", flush=True)
    return seconds(extract, text[:SIZE]) * SIZE / len(text[:SIZE])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, help="a folder of transcripts")
    parser.add_argument("--held-out", action="store_true", help="only the quality, on the quarter held out")
    arguments = parser.parse_args()
    quality(arguments.held_out)
    if arguments.held_out:
        return
    print()
    texts = generated()
    if arguments.data is not None:
        texts = {**collected(arguments.data), **texts}
    natural = speed(texts, fastest_engine())
    unrepeated = seconds(extract, unrepeated_prose())
    print(
        f"\n1 MB of natural prose: {natural * 1e3:.0f} ms; of prose without a word twice: {unrepeated * 1e3:.0f} ms\n"
    )
    print("| hostile text (1 MB) | inner handles | partition | times natural prose | times unrepeated prose |")
    print("|---|---|---|---|---|")
    taken = {}
    for name, text in hostile().items():
        inner, whole = seconds(extract, text), seconds(partition, text)
        taken[name] = max(inner, whole)
        ratios = f"{inner / natural:.2f} | {inner / unrepeated:.2f}"
        print(f"| {name} | {inner * 1e3:.0f} ms | {whole * 1e3:.0f} ms | {ratios} |", flush=True)
    worst = max(taken, key=lambda name: taken[name])
    print(f"worst: {worst}, {taken[worst]:.2f} s")
    print("above the bound:", ", ".join(name for name, took in taken.items() if took > SECONDS_MAX) or "none")


if __name__ == "__main__":
    main()
