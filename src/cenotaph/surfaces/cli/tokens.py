"""`cenotaph tokens`: how many tokens a file has, of what, and how near that is to what was reported."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from cenotaph.api.counting import TEXT_CLASSES, TokenCount, UsageErrors, count_tokens
from cenotaph.api.places import named, read_source
from cenotaph.surfaces.cli import inputs, talk
from cenotaph.surfaces.cli.render import Line, clean, clip, headed, line, table

if TYPE_CHECKING:
    from cenotaph.api.doctrine import JSON

__all__ = ["run"]


def run(args: argparse.Namespace) -> int:
    """Shows; writes nothing."""
    source = read_source(args.file, dialect=args.dialect)
    with talk.progress(f"reading {source.name}", size=len(source.data)), named(source.name):
        count = count_tokens(
            source.value,
            dialect=args.dialect,
            model=args.model,
            counter=args.counter,
            region=inputs.region_of(args.region, source),
        )
    if args.json:
        talk.give_json(_as_json(count))
    else:
        talk.draw(_lines(count, talk.width_of(sys.stdout)), sys.stdout)
    return 0


def _as_json(count: TokenCount) -> dict[str, JSON]:
    usage = None
    if count.before is not None:
        usage = {
            "before": asdict(count.before),
            "after": None if count.after is None else asdict(count.after),
            "calls": [asdict(call) for call in count.calls],
        }
    return {
        "tokens": count.tokens,
        "classes": count.by_class,
        "counter": count.counter,
        "basis": count.basis,
        "dialect": count.dialect,
        "model": count.model,
        "messages": count.messages,
        "expected": count.expected,
        "calibration": asdict(count.calibration),
        "usage": usage,
    }


def _lines(count: TokenCount, width: int) -> list[Line]:
    model = clean(count.model) if count.model else "model not named"
    head = f"{count.dialect}, {count.messages:,} messages, {model}: {count.tokens:,} tokens"
    drawn = [line((clip(head, width), "bold")), line(clip(f"{count.basis}, {clean(count.counter)}", width)), ()]
    rows = [
        (name, f"{tokens:,}", f"{tokens / max(1, count.tokens):.1%}", TEXT_CLASSES[name])
        for name, tokens in count.by_class.items()
        if tokens
    ]
    drawn += table(("class", "tokens", "share", "what it is"), rows, width=width, right=(1, 2), flex=3)
    return [*drawn, *_usage_lines(count, width)]


def _usage_lines(count: TokenCount, width: int) -> list[Line]:
    if count.before is None:
        return [(), line(("No request in it has its usage recorded: nothing to hold the count against.", "dim"))]
    rows = [_row("the file's own texts", count.before)]
    if count.after is not None:
        rows.append(_row("calibrated by earlier calls", count.after))
    header = ("signed error of a call", "calls", "5 %", "median", "95 %", "worst under", "below -5 %")
    found = count.calibration
    more = f"factor {found.factor:g}, {found.overhead:,} tokens beside the texts ({found.basis})"
    return [
        *headed("Against what the provider reported"),
        *table(header, rows, width=width, right=range(1, 7), flex=0),
        (),
        line(clip(more, width)),
        line(clip(f"the next request: at most {count.expected:,} tokens, if nothing unseen is added to it", width)),
    ]


def _row(name: str, errors: UsageErrors) -> tuple[str, ...]:
    shown = (errors.p5, errors.median, errors.p95, errors.worst_under)
    return (name, f"{errors.calls:,}", *(f"{error:+.1%}" for error in shown), f"{errors.under_share:.2%}")
