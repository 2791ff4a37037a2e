"""What goes to which stream: results to standard output, talk to standard error, colour to terminals only."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

from cenotaph.api.places import colour_refused
from cenotaph.errors import BudgetExhausted, CenotaphError, IrreversibleCompactionError, OutputError
from cenotaph.surfaces.cli.render import Line, cells, clean, line, plain, wrapped

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["draw", "failure", "give", "give_json", "progress", "say", "say_failure", "warn", "width_of"]

wide_columns: Final = 160
"""Columns that are used where there is no terminal: enough for any table, short enough to read."""

_rows_shown: Final = 6

_ascii = str.maketrans({"·": ".", "…": "~", "→": ">", "\ufffd": "?"})


def on_terminal(stream: TextIO) -> bool:
    return stream.isatty()


def width_of(stream: TextIO) -> int:
    """Columns to draw in."""
    return shutil.get_terminal_size((80, 24)).columns if on_terminal(stream) else wide_columns


def say(text: str) -> None:
    """A line of talk; a terminal that is too narrow for it gets it broken between words."""
    if on_terminal(sys.stderr) and cells(text) > width_of(sys.stderr):
        first, *rest = wrapped(text, width_of(sys.stderr) - 2)
        draw([line(first), *(line("  ", words) for words in rest)], sys.stderr)
    else:
        draw([line(text)], sys.stderr)


def warn(text: str) -> None:
    """Something that a person should know, and that stopped nothing."""
    _labelled("warning", "yellow", clean(text))


def draw(lines: Sequence[Line], stream: TextIO) -> None:
    """Draws lines: with colour on a terminal that wants it, else as plain text."""
    encoding = (stream.encoding or "ascii").lower().replace("-", "")
    shown = lines
    if not encoding.startswith("utf"):
        shown = [tuple((text.translate(_ascii), style) for text, style in pieces) for pieces in lines]
    if on_terminal(stream) and not colour_refused():
        from rich.console import Console

        console = Console(file=stream, highlight=False, soft_wrap=True)
        for pieces in shown:
            console.print(_styled(pieces))
    else:
        stream.write(plain(shown))
    stream.flush()


def _styled(pieces: Line) -> Text:
    from rich.text import Text

    text = Text(no_wrap=True, end="")
    for piece, style in pieces:
        text.append(piece, style)
    text.rstrip()
    return text


def give(data: bytes) -> None:
    """A result, byte for byte.

    Raises:
        OutputError: Standard output can't take it.
        BrokenPipeError: Its reader has gone; the caller ends in silence.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard_stdout()
        raise OutputError(
            f"standard output can't be written: {error.strerror or error}.",
            next_step="Free some space or name a file with -o.",
        ) from error


def _discard_stdout() -> None:
    """What is still buffered must not fail once more when the interpreter ends."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)


def give_json(value: Mapping[str, Any]) -> None:
    """A result for a program, on one line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    give(text.encode("utf-8", "backslashreplace") + b"\n")


def failure(error: CenotaphError) -> dict[str, Any]:
    """An error for a program."""
    told: dict[str, Any] = {"code": error.code, "message": _message(error), "next_step": error.next_step}
    if isinstance(error, BudgetExhausted):
        ways = {"target": error.target, "reachable": error.reachable, "ways_out": error.ways_out}
        return {"error": told, **ways}
    if isinstance(error, IrreversibleCompactionError):
        told["hints"] = error.hints
    return {"error": {**told, "details": dict(error.details)}}


def say_failure(error: CenotaphError) -> None:
    """An error for a person: what was refused, then what to do."""
    kind, style = ("halted", "yellow") if isinstance(error, BudgetExhausted) else ("error", "red")
    if isinstance(error, IrreversibleCompactionError):
        kind, style = "gap", "yellow"
    _labelled(kind, style, clean(_message(error)))
    if isinstance(error, BudgetExhausted):
        _say_halt(error)
    elif error.next_step:
        _paragraph(clean(error.next_step), "  ")


def _say_halt(error: BudgetExhausted) -> None:
    from cenotaph.api.doctrine import RULES
    from cenotaph.surfaces.cli.render import table

    rows = list(error.report.get("protected_by_row", {}).items())[:_rows_shown]
    if rows:
        words = {row.id: row.structure for row in RULES}
        cells_of = [(f"  {tokens:,}", row, words.get(row, "")) for row, tokens in rows]
        say("  What may not leave, by row of the table:")
        draw(table(None, cells_of, width=width_of(sys.stderr), right=(0,), flex=2), sys.stderr)
    tools = error.report.get("tools_by_weight", {})
    if tools:
        weights = ", ".join(f"{clean(name)} {tokens:,}" for name, tokens in list(tools.items())[:5])
        _paragraph(f"What weighs most, by tool: {weights}.", "  ")
    say("  Ways out:")
    for number, way in enumerate(error.ways_out, 1):
        _paragraph(clean(way), f"  {number}. ")


def _message(error: CenotaphError) -> str:
    text = str(error)
    return text.removesuffix(error.next_step).rstrip() if error.next_step else text


def _labelled(label: str, style: str, text: str) -> None:
    head = f"cenotaph: {label}: "
    lines = wrapped(head + text, width_of(sys.stderr)) if on_terminal(sys.stderr) else [head + text]
    first = lines[0].removeprefix("cenotaph: ").removeprefix(f"{label}:")
    drawn = [line(("cenotaph: ", "dim"), (f"{label}:", style), first)]
    draw([*drawn, *(line(f"  {rest}") for rest in lines[1:])], sys.stderr)


def _paragraph(text: str, lead: str) -> None:
    if not on_terminal(sys.stderr):
        say(lead + text)
        return
    lines = wrapped(text, width_of(sys.stderr) - len(lead))
    for number, words in enumerate(lines):
        say((lead if not number else " " * len(lead)) + words)


@contextmanager
def progress(text: str, *, size: int = 0, size_min: int = 500_000) -> Iterator[None]:
    """Says what is going on, on a terminal, while something large is worked on; leaves no trace."""
    if size < size_min or not on_terminal(sys.stderr) or colour_refused():
        yield
        return
    from rich.console import Console

    with Console(file=sys.stderr).status(clean(text), spinner="line"):
        yield
