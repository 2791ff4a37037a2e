"""Sessions that are compacted again and again: what still stands, and what a call costs.

    python benchmarks/longrun.py rounds [--cuts 100] [--window 40000] [--restart-every 15]
    python benchmarks/longrun.py turns [--turns 10000] [--window 200000] [--sample 1000]

`rounds`: so many cuts of one growing session, for a client that resends its whole history and for one that sends the
last view with what came since; the program starts anew every so many cuts. After each cut every check of
`cenotaph.testing.longrun.Client` is made: lifted statements, pins, the plan, pointers, own text, the unchanged prefix.

`turns`: one session without checks between, for the cost of a call as it grows; then a sample of the tool results that
were written is asked for, by the pointer in the line that stood for each and by its turn, and compared byte for byte.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from random import Random
from statistics import median
from typing import Any

from quicktok import Tokenizer

from cenotaph import Budget, CenotaphError, Policy, Session, Tombstone, rehydrate, verify
from cenotaph.testing.longrun import MODEL, PINNED, STYLES, Client, LongRun, Original, digest


def opened(store: str, name: str, window: int) -> Session:
    return Session(
        name,
        store=store,
        budget=Budget(window=window),
        policy=Policy.archive("benchmark"),
        tools=["claude-code"],
        pins=PINNED,
        dialect="anthropic",
        model=MODEL,
    )


def rss_mb() -> float:
    """Memory of this process now, in MB; the highest so far where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize() / 1e6
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from texts(child)
    elif isinstance(value, list):
        for child in value:
            yield from texts(child)


# Rounds --------------------------------------------------------------------------------------


def rounds(args: argparse.Namespace, style: str, folder: str) -> None:
    """A hundred cuts with all checks; prints one line for every tenth of them."""
    store = f"sqlite:///{folder}/rounds-{style}.db"
    run = LongRun(args.seed, talk=args.talk, states=args.states)
    client = Client(run, lambda: opened(store, f"rounds-{style}", args.window), store, args.window, style)
    restarts, lowest = 0, 1.0
    print(f"\n{style}: cut  turn  view messages  own text  statements, lifted, missing  faults")
    while client.cuts < args.cuts and run.turn < args.turns_max:
        for step in run.steps(1):
            if not client.step(step):
                continue
            missing = len(client.missing())
            lowest = min(lowest, 1 - missing / max(1, len(run.statements)))
            if client.cuts % max(1, args.cuts // 10) == 0:
                own = client.session.last.record.token_profile["own_text"] if client.session.last else 0
                print(
                    f"{'':9}{client.cuts:4} {run.turn:5} {len(client.view):14,} {own:9,} "
                    f"{len(run.statements):11}, {len(client.lifted):6}, {missing:7} {len(client.faults):7}",
                    flush=True,
                )
            if client.cuts % args.restart_every == 0:
                client.restart()
                restarts += 1
    report = verify(store, read_data=True)
    print(
        f"{style}: {client.cuts} cuts in {run.turn} turns, {restarts} restarts, {client.calls} calls, "
        f"{client.halts} halts; statements in the view: at least {lowest:.1%}; faults: {len(client.faults)}; "
        f"verify: {'clean' if report.ok else report.findings[:3]}"
    )
    print("\n".join(f"  {fault}" for fault in client.faults[: args.show]))


# Turns ---------------------------------------------------------------------------------------


class Sample:
    """So many of the originals, each with the same chance, and the line that came to stand for each."""

    def __init__(self, size: int, seed: int) -> None:
        self.kept: list[Original] = []
        self.lines: dict[tuple[int, int], set[str]] = {}
        self._size, self._dice, self._seen = size, Random(f"sample {seed}"), 0

    def add(self, original: Original) -> None:
        self._seen += 1
        if len(self.kept) < self._size:
            self.kept.append(original)
            return
        at = self._dice.randrange(self._seen)
        if at < self._size:
            self.kept[at] = original

    def note(self, record: Any) -> None:
        """Remembers a record's tombstones by where they stand."""
        for entry in record.tombstones:
            for tombstone in Tombstone.find(entry["line"]):
                if tombstone.n is not None:
                    self.lines.setdefault((tombstone.turn, tombstone.n), set()).add(tombstone.render())

    def ask(self, store: str, session: str, view: Sequence[Any]) -> dict[str, int]:
        """How each comes back: by a line of its exchange, by its turn, or not; what never left is only counted.

        A line may stand for another result of the same exchange, so fewer come back by it than lines are known.
        """
        ways = ("still in the view", "a line of its exchange known", "by its line", "by its turn", "not at all")
        found = dict.fromkeys(ways, 0)
        standing = {digest(words) for words in texts(list(view))}
        for original in self.kept:
            if original.sha256 in standing:
                found["still in the view"] += 1
                continue
            known = self.lines.get((original.turn, original.n), set())
            found["a line of its exchange known"] += bool(known)
            by_line = any(returned(line, original, store, session) for line in sorted(known))
            by_turn = returned(f"t{original.turn}.{original.n}", original, store, session)
            found["by its line"] += by_line
            found["by its turn"] += by_turn
            found["not at all"] += not (by_line or by_turn)
        return found


def returned(what: str, original: Original, store: str, session: str) -> bool:
    try:
        brought = rehydrate(what, store=store, session=session)
    except CenotaphError as error:
        print(f"  {what}: {type(error).__name__}: {str(error)[:120]}", file=sys.stderr)
        return False
    return any(digest(one.text) == original.sha256 for one in brought)


def turns(args: argparse.Namespace, folder: str) -> None:
    """One long session; per thousand turns the cost of a call, memory, size of the view, cuts."""
    store, name = f"sqlite:///{folder}/turns.db", "turns"
    run = LongRun(args.seed, talk=args.talk, states=args.states, exchanges=3)
    client = Client(run, lambda: opened(store, name, args.window), store, args.window, args.style, checks=False)
    tokenizer, sample = Tokenizer("o200k_base", ""), Sample(args.sample, args.seed)
    part = max(1, args.turns // 10)
    tokens, costs, medians = 0, [], []
    print("  turns    tokens  median ms  mean ms  most ms  view tokens  RSS MB  cuts  halts")
    while run.turn < args.turns:
        for step in run.steps(1):
            tokens += sum(tokenizer.count(words) for words in texts(step.messages))
            for original in step.originals:
                sample.add(original)
            started = time.perf_counter()
            cut = client.step(step)
            costs.append(time.perf_counter() - started)
            if cut and client.session.last is not None and client.session.last.record is not None:
                sample.note(client.session.last.record)
        if run.turn % part == 0:
            medians.append((median(costs), sum(costs) / len(costs)))
            size = client.session.last.tokens_after if client.session.last else 0
            print(
                f"{run.turn:7,} {tokens / 1e6:8.2f}M {medians[-1][0] * 1e3:10.2f} {medians[-1][1] * 1e3:8.2f} "
                f"{max(costs) * 1e3:8.0f} {size:12,} {rss_mb():7.0f} {client.cuts:5} {client.halts:6}",
                flush=True,
            )
            costs = []
    (first, first_mean), (last, last_mean) = medians[0], medians[-1]
    print(f"last tenth / first tenth: median {last / first:.2f}, mean {last_mean / first_mean:.2f}")
    print(f"statements: {len(run.statements)}, missing in the last view: {len(client.missing())}")
    print(f"{len(sample.kept)} sampled results: {sample.ask(store, name, client.view)}")
    print("\n".join(f"  {fault}" for fault in client.faults[: args.show]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("rounds", "turns"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--window", type=int, help="tokens; 40,000 for rounds and 200,000 for turns if not given")
    parser.add_argument("--cuts", type=int, default=100)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--turns-max", type=int, default=5_000, help="rounds end here, whatever the cuts")
    parser.add_argument("--restart-every", type=int, default=15, help="cuts")
    parser.add_argument("--sample", type=int, default=1_000)
    parser.add_argument("--style", choices=STYLES, help="rounds: both if not given; turns: history if not given")
    parser.add_argument("--talk", type=float, help="share of turns with words; 0.5 for rounds, 0.1 for turns")
    parser.add_argument("--states", type=float, help="share of turns with a statement; 0.2 and 0.02")
    parser.add_argument("--show", type=int, default=10)
    args = parser.parse_args()
    many = args.what == "turns"
    args.window = args.window or (200_000 if many else 40_000)
    args.talk = args.talk if args.talk is not None else (0.1 if many else 0.5)
    args.states = args.states if args.states is not None else (0.02 if many else 0.2)
    with tempfile.TemporaryDirectory() as folder:
        if many:
            args.style = args.style or "history"
            turns(args, folder)
            return
        for style in STYLES if args.style is None else (args.style,):
            rounds(args, style, folder)


if __name__ == "__main__":
    main()
