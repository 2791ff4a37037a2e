"""`cenotaph demo`: one agent, one world, the same turns over a rolling summary and over Cenotaph."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cenotaph.surfaces.cli import talk
from cenotaph.surfaces.cli.render import Line, cells, headed, line, wrapped

if TYPE_CHECKING:
    from cenotaph.api.doctrine import Store
    from cenotaph.testing.story.play import Beat, Failure, Run, Story

__all__ = ["run", "story_lines"]

_columns_min: Final = 72
_columns_max: Final = 120
_label: Final = 6
_between: Final = " | "
_outcomes: Final = {True: "green", False: "red"}


def run(args: Namespace) -> int:
    """Plays the story and shows what came of it; nothing but the named store outlives it.

    Args:
        args: `json`: the numbers instead of the picture. `store`: URL of a store that keeps the
            originals; None for a file that is removed at the end. `write`: write the transcript
            there, its tool declarations beside it, and play nothing.

    Returns:
        0, or 2 if the story did not come out as it is told.
    """
    target = getattr(args, "write", None)
    if target is not None:
        return _write(target)
    from cenotaph.testing.story.play import tell

    url = getattr(args, "store", None)
    with _store(url) as store:
        story = tell(store, _free_name(store))
    if getattr(args, "json", False):
        talk.give_json(story.to_dict() if url else {**story.to_dict(), "store": None})
    else:
        talk.draw(story_lines(story, talk.width_of(sys.stdout), keeps=bool(url)), sys.stdout)
    return 0 if story.as_told else 2


@contextmanager
def _store(url: str | None) -> Iterator[Store]:
    from cenotaph.api.doctrine import open_store

    with tempfile.TemporaryDirectory(prefix="cenotaph-demo-") as folder:
        store = open_store(url or f"sqlite:///{Path(folder) / 'demo.db'}")
        try:
            yield store
        finally:
            store.close()


def _free_name(store: Store) -> str:
    """A session name that the store does not have: what an earlier demo left there stays."""
    taken = set(store.sessions())
    number = 1
    while (name := "demo" if number == 1 else f"demo-{number}") in taken:
        number += 1
    return name


def _write(target: str) -> int:
    """Writes the story's transcript, and the declarations of its tools beside it."""
    from cenotaph.api.places import reserved
    from cenotaph.testing.story.transcript import opening_request, tools_toml

    path = Path(target)
    tools = path.with_suffix(".tools.toml")
    with reserved(str(path)) as transcript, reserved(str(tools)) as declarations:
        declarations.write(tools_toml().encode())
        transcript.write((json.dumps(opening_request(), indent=1) + "\n").encode())
    command = f"cenotaph compact {shlex.quote(str(path))} --window 200k --tools {shlex.quote(str(tools))}"
    talk.say(f"Wrote {path} and {tools}. Compact it with:")
    talk.say(f"  {command} -o view.json")
    return 0


# The picture --------------------------------------------------------------------------------


def story_lines(story: Story, columns: int, *, keeps: bool) -> list[Line]:
    """The story for people, in at most `columns` columns, but no fewer than 72.

    Args:
        story: What happened.
        columns: Of the terminal.
        keeps: The store outlives the demo, so that it can be asked.
    """
    width = max(_columns_min, min(columns, _columns_max))
    return [
        *_opening(story, width),
        *_side_by_side(story, width),
        *_verdict(story, width),
        *_closing(story, width, keeps=keeps),
    ]


def _paragraph(text: str, width: int) -> list[Line]:
    return [line(words) for words in wrapped(text, width)]


def _opening(story: Story, width: int) -> list[Line]:
    from cenotaph.testing.story.transcript import ENV_LITERAL, PLAN, RULE

    run = story.kept
    drawn = headed("One agent plays the same turns twice")
    drawn += _paragraph(
        f"A scripted operations agent that acts on what its context says, {run.tool_calls} tool calls, no "
        f"network. Its context crosses 70 % of a 200,000 token window at turn {run.cut_turn}, inside an open "
        "tool loop: "
        f"{run.tokens_before:,} tokens ({story.counter}, {story.basis}). What stands in it by then:",
        width,
    )
    facts = (
        ("t2", f"a setting: {ENV_LITERAL}; the file is rendered anew at t14"),
        ("t3", f'a rule: "{RULE}"'),
        ("t11", "a result that can be had once: a checksum and a partial listing"),
        ("t18", f"a plan of three steps; step 2 is {PLAN[1]['status']}: {PLAN[1]['note']}"),
    )
    for turn, words in facts:
        for number, text in enumerate(wrapped(words, width - _label)):
            drawn.append(line((turn.rjust(4) if not number else "    ", "dim"), "  ", text))
    return drawn


def _side_by_side(story: Story, width: int) -> list[Line]:
    from cenotaph.testing.story.transcript import PLAN

    column = (width - _label - len(_between)) // 2
    drawn = headed("What happens next")
    drawn += _row("turn", (("Rolling summary", "bold"),), (("Cenotaph", "bold"),), column)
    drawn.append(line(("-" * (_label + 2 * column + len(_between)), "dim")))
    drawn += _row(
        f"t{story.lossy.cut_turn}",
        (_tokens(story.lossy), "The oldest 30 % became a summary. It says:",
         '"The user prefers careful changes in production."', f'"2. {PLAN[1]["step"]} (pending)"'),
        (_tokens(story.kept), "By structure: reads, writes, then old one-shot results, each with a line that "
            f"names it. {story.summary.split(';')[0].capitalize()}."),
        column,
    )  # fmt: skip
    alike: list[int] = []
    for left, right in zip(story.lossy.beats, story.kept.beats, strict=True):
        failures = [[f for f in run.failures if f.turn == left.turn] for run in (story.lossy, story.kept)]
        if (left.steps, left.reply) == (right.steps, right.reply) and not any(failures):
            alike.append(left.turn)
            continue
        drawn.append(())
        drawn += _asked(left, width)
        drawn += _row("", _told(left, failures[0]), _told(right, failures[1]), column)
    turns = ", ".join(f"t{turn}" for turn in alike)
    return [*drawn, (), *[line((text, "dim")) for text in wrapped(f"The same in both: {turns}.", width)]]


def _tokens(run: Run) -> tuple[str, str]:
    return f"{run.tokens_before:,} -> {run.tokens_after:,} tokens", "bold"


def _asked(beat: Beat, width: int) -> list[Line]:
    texts = wrapped(f'"{beat.ask}"', width - _label)
    return [
        line(
            (f"t{beat.turn}" if not number else "", "dim"),
            " " * (_label - len(f"t{beat.turn}") * (not number)),
            (text, "bold"),
        )
        for number, text in enumerate(texts)
    ]


def _told(beat: Beat, failures: Sequence[Failure]) -> tuple[tuple[str, str] | str, ...]:
    told: list[tuple[str, str] | str] = [(step, "dim") for step in beat.steps]
    told.append(beat.reply)
    for failure in failures:
        far = f"{failure.turns_since_cut} turns and {failure.tokens_since_cut:,} tokens after the loss"
        told.append((f"{failure.kind.upper()}, {far}", "red"))
    return tuple(told)


Cell = Sequence[tuple[str, str] | str]


def _row(label: str, left: Cell, right: Cell, column: int) -> list[Line]:
    """Two cells beside each other; each piece begins a line of its own."""
    a, b = _fitted(left, column), _fitted(right, column)
    drawn = []
    for number in range(max(len(a), len(b))):
        text, style = a[number] if number < len(a) else ("", "")
        other = b[number] if number < len(b) else ("", "")
        head = (label if not number else "").ljust(_label)
        drawn.append(line((head, "dim"), (text, style), " " * (column - cells(text)), (_between, "dim"), other))
    return drawn


def _fitted(cell: Cell, column: int) -> list[tuple[str, str]]:
    """Every piece in lines of at most `column` columns; a word that is longer is cut, never lost."""
    found = []
    for piece in cell:
        text, style = (piece, "") if isinstance(piece, str) else piece
        words = [word[at : at + column] for word in text.split() for at in range(0, len(word), column)]
        found += [(part, style) for part in wrapped(" ".join(words), column)]
    return found


def _verdict(story: Story, width: int) -> list[Line]:
    left, right = story.lossy, story.kept
    records = f"{story.records} record, {story.objects} originals read, {story.findings} findings"
    rows: list[tuple[str, bool | int | str, bool | int | str]] = [
        ("the rule, word for word, in every view", left.rule_verbatim, right.rule_verbatim),
        ("step 2 blocked, with its reason, in every view", left.blocked_kept, right.blocked_kept),
        ("writes proposed under /etc/prod/", left.count("forbidden write"), right.count("forbidden write")),
        ("stalls on AWAITING_HUMAN", left.count("stall"), right.count("stall")),
        ("the setting of t2 recovered", left.literal is not None, right.literal is not None),
        ("the checksum of t11, byte for byte", left.checksum is not None, right.checksum is not None),
        ("the whole result of t11, byte for byte", left.drop_back, right.drop_back),
        ("tokens before", f"{left.tokens_before:,}", f"{right.tokens_before:,}"),
        ("tokens after", f"{left.tokens_after:,}", f"{right.tokens_after:,}"),
    ]
    first = max(len(name) for name, _, _ in rows) + 2
    drawn = headed("Verdict")
    drawn.append(line((f"{'':{first}}{'summary':>9}  {'Cenotaph':>9}", "dim")))
    for name, one, other in rows:
        drawn.append(line(name.ljust(first), _mark(one), "  ", _mark(other)))
    drawn += _paragraph(f"Cenotaph's record, verified with every byte read and the view replayed: {records}.", width)
    far = [
        f"{failure.kind} {failure.turns_since_cut} turns and {failure.tokens_since_cut:,} tokens"
        for failure in (left.failed("stall"), left.failed("forbidden write"))
        if failure is not None
    ]
    if far:
        drawn += _paragraph(f"From the loss to its error, in the summary's run: {'; '.join(far)}.", width)
    return drawn


def _mark(value: bool | int | str) -> tuple[str, str]:
    """A cell of the verdict: yes or NO, how many failures, or a number that is neither good nor bad."""
    if isinstance(value, str):
        return f"{value:>9}", ""
    if isinstance(value, bool):
        return f"{'yes' if value else 'NO':>9}", _outcomes[value]
    return f"{value:>9}", _outcomes[not value]


def _closing(story: Story, width: int, *, keeps: bool) -> list[Line]:
    strict = story.strict
    if strict.tokens_after is None:
        other = "Policy.strict(), the default, halts here and says so."
    else:
        other = (
            f"Policy.strict(), the default, meets the target too ({strict.tokens_after:,} tokens): the "
            f"result of t11 stays, and {strict.unread_evicted} of the files that it has just asked for "
            "leave before the agent saw them (they can be read again)."
        )
    drawn = [
        (),
        *_paragraph(f"This run used {story.policy}: the agent has the rehydrate tool. {other}", width),
        (),
    ]
    if keeps:
        store = f"--store {shlex.quote(story.store)} --session {story.session}"
        drawn += [
            line("Ask the store yourself:"),
            line(f"  cenotaph rehydrate {_last_handle(story)} {store}"),
            line(f"  cenotaph verify {store} --read-data"),
        ]
    else:
        drawn.append(line("Keep the store: cenotaph demo --store sqlite:///demo.db"))
    return [*drawn, line("Take the transcript: cenotaph demo --write demo.json"), ()]


def _last_handle(story: Story) -> str:
    """The store handle that the agent asked for last: of the result that could be had once."""
    from cenotaph import Tombstone

    asked = [line for beat in story.kept.beats for step in beat.steps for line in Tombstone.find(step)]
    return asked[-1].recover[-1]
