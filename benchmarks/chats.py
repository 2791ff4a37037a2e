"""Chats, compacted to shares of their size under archive: what a person stated, and where it is afterwards.

    python benchmarks/chats.py [--count 200] [--first 0] [--share 0.30] [--share 0.20] [--show 5]

For each generated conversation and share, with a store in a file: the size of the view, by the library and by a
count of its own; whether each marked statement stands in the view verbatim (an approval: behind the question that it
answers, a correction: behind what it corrects); and for each that does not, whether `rehydrate` returns it, by an
identifier in it or else by its turn. At the end `verify(read_data=True)` over the whole file.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from quicktok import Tokenizer

from cenotaph import (
    BudgetExhausted,
    CenotaphError,
    IndexBudgetExceeded,
    IrreversibleCompactionError,
    Policy,
    compact,
    rehydrate,
    verify,
)
from cenotaph.testing.chats import KINDS, Chat, Statement, chats, detached, stands, texts

MODEL = "gpt-4o"
TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST = 3, 3
"""By the provider's own published account of what it adds to role and content."""


@dataclass
class Tally:
    """What was seen at one share of the size.

    Attributes:
        outcomes: compacted, halted, broken.
        where: (kind, language, place) -> statements; place is view, handle, turn or lost.
        faults: Sentences about what must not be.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    where: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0


def recount(messages: list[Any], tokenizer: Any) -> int:
    """Tokens of a request, without the library."""
    counted = sum(tokenizer.count(words) for words in texts(messages))
    roles = sum(tokenizer.count(message["role"]) for message in messages)
    return int(counted) + roles + TOKENS_PER_MESSAGE * len(messages) + TOKENS_PER_REQUEST


def brought_back(statement: Statement, store: str, session: str) -> str:
    """How the statement comes back: "handle", "turn" or "lost"."""
    ways = [("handle", statement.handle)] if statement.handle is not None else []
    for way, what in [*ways, ("turn", f"t{statement.turn}")]:
        assert what is not None
        try:
            found = rehydrate(what, store=store, session=session)
        except IrreversibleCompactionError:
            continue
        if any(statement.text in original.text for original in found):
            return way
    return "lost"


def one(chat: Chat, share: float, store: str, tokenizer: Any, tally: Tally) -> None:
    """Compacts one chat and notes where each of its statements is."""
    session = f"chat-{chat.seed}-{share}"
    before = recount(chat.messages, tokenizer)
    target = int(before * share)
    started = time.perf_counter()
    try:
        policy = Policy.archive("benchmark")
        result = compact(chat.messages, to_tokens=target, model=MODEL, store=store, session=session, policy=policy)
    except (BudgetExhausted, IndexBudgetExceeded) as halt:
        tally.outcomes["halted"] += 1
        tally.faults.append(f"seed {chat.seed}: {type(halt).__name__} at {getattr(halt, 'reachable', 0) / before:.0%}")
        return
    except CenotaphError as error:
        tally.outcomes["broken"] += 1
        tally.faults.append(f"seed {chat.seed}: {type(error).__name__}: {str(error)[:300]}")
        return
    tally.seconds += time.perf_counter() - started
    tally.outcomes["compacted"] += 1
    counted = recount(result.messages, tokenizer)
    if max(result.tokens_after, counted) > target:
        tally.faults.append(f"seed {chat.seed}: {result.tokens_after} and {counted} tokens, above the target {target}")
    view = "\n".join(texts(result.messages))
    for statement in chat.statements:
        place = "view" if stands(statement, view) else brought_back(statement, store, session)
        tally.where[statement.kind, statement.language, place] += 1
        if place == "lost":
            tally.faults.append(f"seed {chat.seed} t{statement.turn}: lost: {statement.text!r}")
    tally.faults += [
        f"seed {chat.seed} t{one.turn}: {one.text!r} no longer follows {one.request!r}" for one in detached(chat, view)
    ]


def share_in(tally: Tally, place: str, **only: str) -> tuple[int, int]:
    """(in that place, all) of the statements of a kind or language."""
    chosen = {
        key: count
        for key, count in tally.where.items()
        if only.get("kind", key[0]) == key[0] and only.get("language", key[1]) == key[1]
    }
    return sum(count for key, count in chosen.items() if key[2] == place), sum(chosen.values())


def table(tally: Tally) -> None:
    """Shares in the view by kind and language, and how the rest comes back."""
    languages = sorted({language for _, language, _ in tally.where})
    print(f"{'in the view':12} {'all':>7} {'of':>6} " + " ".join(f"{code:>7}" for code in languages))
    for kind in (*KINDS, ""):
        only = {"kind": kind} if kind else {}
        held, of = share_in(tally, "view", **only)
        cells = [share_in(tally, "view", language=code, **only) for code in languages]
        row = " ".join(f"{part / whole:7.1%}" if whole else f"{'-':>7}" for part, whole in cells)
        print(f"{kind or 'all':12} {held / of if of else 0:7.1%} {of:6} {row}")
    places = {place: share_in(tally, place)[0] for place in ("view", "handle", "turn", "lost")}
    print(f"where they are: {places}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--share", type=float, action="append", help="of the tokens; more than one may be given")
    parser.add_argument("--show", type=int, default=10, help="so many faults are printed for each share")
    args = parser.parse_args()
    tokenizer = Tokenizer("o200k_base", "")
    with tempfile.TemporaryDirectory() as folder:
        for share in args.share or (0.30, 0.20):
            store = f"sqlite:///{folder}/chats-{share}.db"
            tally = Tally()
            for chat in chats(args.count, args.first):
                one(chat, share, store, tokenizer, tally)
            print(f"\nto {share:.0%}: {dict(tally.outcomes)}; {tally.seconds:.1f} s in compact")
            if tally.where:
                table(tally)
            report = verify(store, read_data=True)
            print(f"verify: {'clean' if report.ok else report.findings[:3]}")
            print(f"faults: {len(tally.faults)}")
            print("\n".join(f"  {fault}" for fault in tally.faults[: args.show]), flush=True)


if __name__ == "__main__":
    main()
