"""A plan and a window as lines: what stays, what leaves, and what it costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final

from cenotaph.api import Result
from cenotaph.api.doctrine import LEAVING, RULES, Budget, Entry, Readout, Row, Shelf, Span, SpanClass
from cenotaph.surfaces.cli.render import (
    Line,
    Share,
    bars,
    cells,
    clean,
    clip,
    clip_left,
    headed,
    line,
    table,
    wrapped,
)

__all__ = ["class_style", "picture", "plan_lines", "rows_table", "what_is"]

class_style: Final = {
    SpanClass.authoritative: "cyan",
    SpanClass.recoverable: "green",
    SpanClass.disposable: "yellow",
}
"""Colours of the classes; every place that uses one also has a letter or a word."""

class_word: Final = {
    SpanClass.authoritative: "authoritative",
    SpanClass.recoverable: "recoverable",
    SpanClass.disposable: "disposable",
}

_parts: Final = (
    ("A", class_word[SpanClass.authoritative], class_style[SpanClass.authoritative]),
    ("R", class_word[SpanClass.recoverable], class_style[SpanClass.recoverable]),
    ("D", class_word[SpanClass.disposable], class_style[SpanClass.disposable]),
    ("T", "our text", "magenta"),
    ("F", "framing and tool definitions", "blue"),
)
_biggest_shown: Final = 8


def _class_of(shelf: Shelf) -> str:
    return "our text" if shelf is Shelf.own else class_word[shelf.cls]


def _sizes_before(readout: Readout) -> Counter[str]:
    sizes: Counter[str] = Counter()
    for span, row in zip(readout.classified.spans, readout.classified.rows, strict=True):
        sizes[_class_of(row.shelf)] += span.tokens
    return sizes


def _sizes_after(result: Result) -> Counter[str]:
    sizes: Counter[str] = Counter()
    spans = result.readout.classified.spans
    assert result.plan is not None
    assert result.record is not None
    for entry in result.plan.entries:
        if entry.action not in LEAVING:
            sizes[_class_of(entry.shelf)] += spans[entry.order].tokens
    sizes["our text"] += result.record.token_profile["own_text"]
    return sizes


def picture(result: Result, budget: Budget | None, width: int) -> list[Line]:
    """The window before and after, by class; the whole is the window, else what came in."""
    columns = [_sizes_before(result.readout)]
    totals, labels = [result.tokens_before], ["now"]
    if result.changed:
        columns.append(_sizes_after(result))
        totals, labels = [result.tokens_before, result.tokens_after], ["before", "after"]
    for sizes, total in zip(columns, totals, strict=True):
        sizes["framing and tool definitions"] = max(0, total - sum(sizes.values()))
    shares = [Share(mark, name, style, tuple(sizes[name] for sizes in columns)) for mark, name, style in _parts]
    marks: list[tuple[str, int]] = []
    whole = max(totals)
    if budget is not None:
        whole = max(whole, budget.window)
        marks = [("target", budget.target_tokens), ("trigger", budget.trigger_tokens - budget.overhead)]
    elif result.record is not None:
        marks = [("target", result.record.target)]
    return bars(labels, shares, whole=whole, width=width, marks=marks)


def plan_lines(result: Result, width: int) -> list[Line]:
    """What a compaction would do: by row, the biggest spans, and the price."""
    if result.plan is None or result.record is None:
        return [line(f"nothing to do: {result.reason}")]
    cache = result.record.cache
    rewritten = cache["tokens_rewritten"]
    messages = len(result.readout.transcript.messages)
    return [
        *headed("Plan by row"),
        *rows_table(result.readout, width, result.plan.entries),
        *headed("Biggest spans leaving"),
        *_biggest(result, width),
        *headed("Prompt cache"),
        line(
            f"first changed message: {cache['first_changed_message']} of {messages}; "
            f"{rewritten:,} tokens from there on are read anew"
        ),
    ]


def rows_table(readout: Readout, width: int, entries: tuple[Entry, ...] | None = None) -> list[Line]:
    """Tokens by row of the table, with what a plan does to them if there is one."""
    spans, rows = readout.classified.spans, readout.classified.rows
    count: Counter[Row] = Counter(rows)
    tokens: Counter[Row] = Counter()
    leaving: Counter[Row] = Counter()
    actions: dict[Row, Counter[str]] = defaultdict(Counter)
    for span, row in zip(spans, rows, strict=True):
        tokens[row] += span.tokens
    for entry in entries or ():
        row = rows[entry.order]
        actions[row][entry.action.value] += 1
        if entry.action in LEAVING:
            leaving[row] += spans[entry.order].tokens
    order = [row for row in RULES if count[row]]
    total, gone = sum(tokens.values()), sum(leaving.values())
    if entries is None:
        listed = [(row.id, class_word[row.cls], f"{count[row]:,}", f"{tokens[row]:,}", row.structure) for row in order]
        listed.append(("", "", f"{len(spans):,}", f"{total:,}", "all"))
        header = ("row", "class", "spans", "tokens", "what it is")
        styles = {class_word[cls]: style for cls, style in class_style.items()}
        return table(header, listed, width=width, right=(2, 3), flex=4, styles=styles)
    planned = [
        (
            row.id,
            row.structure,
            f"{tokens[row]:,}",
            f"{leaving[row]:,}",
            f"{tokens[row] - leaving[row]:,}",
            _actions(actions[row]),
        )
        for row in order
    ]
    planned.append(("", "all", f"{total:,}", f"{gone:,}", f"{total - gone:,}", ""))
    header_ = ("row", "what it is", "tokens", "leaving", "staying", "spans by action")
    return table(header_, planned, width=width, right=(2, 3, 4), flex=1)


_short_action: Final = {"evict_with_tombstone": "tombstone"}


def _actions(counts: Counter[str]) -> str:
    return ", ".join(f"{_short_action.get(action, action)} {n}" for action, n in counts.most_common())


def _biggest(result: Result, width: int) -> list[Line]:
    assert result.plan is not None
    readout = result.readout
    spans = readout.classified.spans
    leaving = [entry for entry in result.plan.entries if entry.action in LEAVING]
    biggest = sorted(leaving, key=lambda entry: -spans[entry.order].tokens)[:_biggest_shown]
    listed = [
        (
            f"{spans[entry.order].tokens:,}",
            f"t{spans[entry.order].turn}",
            entry.row,
            _short_action.get(entry.action.value, entry.action.value),
            what_is(readout, spans[entry.order], max(26, width // 3)),
            clean(spans[entry.order].text[:200]),
        )
        for entry in biggest
    ]
    lines = table(
        ("tokens", "turn", "row", "action", "what it is", "first words"),
        listed,
        width=width, right=(0,), flex=5,
    )  # fmt: skip
    if len(leaving) > len(biggest):
        lines.append(line((f"and {len(leaving) - len(biggest):,} more", "dim")))
    return lines


def what_is(readout: Readout, span: Span, width: int) -> str:
    """A span in a few words, in at most `width` columns: its tool and the end of its handle, or its kind."""
    structure = readout.classified.structure
    call = structure.call_of.get(span.order)
    tool = clean((span.part.tool if call is None else structure.spans[call].part.tool) or "")
    handle = readout.classified.reading.handles.get(span.order)
    if handle is None:
        return clip(f"{tool} {span.kind.value}".strip(), width)
    room = max(8, width - cells(tool) - 1)
    return clip(f"{tool} {clip_left(clean(handle), room)}".strip(), width)


def paragraph(text: str, width: int, indent: str = "") -> list[Line]:
    """Prose in lines."""
    return [line(words) for words in wrapped(text, width, indent)]
