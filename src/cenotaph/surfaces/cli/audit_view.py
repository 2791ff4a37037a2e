"""A report of an audit as lines: an overview of files, one file's compactions, the worst losses."""

from __future__ import annotations

import sys
from collections import Counter as Tally
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from cenotaph import limits
from cenotaph.api.places import colour_refused
from cenotaph.surfaces.cli import talk
from cenotaph.surfaces.cli.render import Line, clean, clip, clip_left, headed, line, table, wrapped

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from cenotaph.api.audit_files import FileAudit
    from cenotaph.api.doctrine import JSON

__all__ = ["Progress", "overview", "worst"]

_FILES_SHOWN: Final = 20
_FINDINGS_SHOWN: Final = 8
_TIERS: Final = {"proven": "proven", "at_risk": "at risk", "inferred": "inferred"}
_STYLES: Final = {"proven": "red", "at risk": "yellow", "inferred": "cyan"}
_VERDICTS: Final = ("preserved", "paraphrased", "weakened", "mutated", "contradicted", "dropped", "unverifiable")


class Progress:
    """How many of the files are done, on a terminal; leaves no trace."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._bar: Bar | None = None

    def __enter__(self) -> Progress:
        if self._total > 1 and talk.on_terminal(sys.stderr) and not colour_refused():
            from rich.console import Console
            from rich.progress import MofNCompleteColumn, Progress, TextColumn

            columns = (TextColumn("auditing"), MofNCompleteColumn())
            self._bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("auditing", total=self._total)
        return self

    def told(self, _: FileAudit) -> None:
        if self._bar is not None:
            self._bar.advance(self._task)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()


def overview(named: Sequence[tuple[str, Mapping[str, JSON]]], width: int) -> list[Line]:
    """Files, worst first; of a single one everything.

    Args:
        named: (path, its report), worst first.
        width: Columns.
    """
    if len(named) == 1:
        return _session(*named[0], width)
    cut = [(name, session) for name, session in named if session["compactions"]]
    quiet = len(named) - len(cut)
    lines: list[Line] = []
    if cut:
        rows = [_row(name, session) for name, session in cut[:_FILES_SHOWN]]
        header = ("worst", "compactions", *_TIERS.values(), "session")
        lines += table(header, rows, width=width, right=(1, 2, 3, 4), flex=5)
        if len(cut) > _FILES_SHOWN:
            lines.append(line((f"and {len(cut) - _FILES_SHOWN} more with compactions", "dim")))
    lines.append(line(f"{len(named):,} sessions: {len(cut):,} with compactions, {quiet:,} without any."))
    if cut:
        name, session = cut[0]
        lines += [(), *_session(name, session, width)]
    return lines


def _row(name: str, session: Mapping[str, JSON]) -> tuple[str, ...]:
    tiers = [sum((session["findings_by_tier"].get(tier) or {}).values()) for tier in _TIERS]
    first = next((one["code"] for one in _findings(session)), "-")
    return (first, f"{len(session['compactions'])}", *(f"{count:,}" for count in tiers), clean(name))


def _findings(session: Mapping[str, JSON]) -> list[Mapping[str, JSON]]:
    later = (session.get("aftermath") or {}).get("findings") or []
    found = [
        {**one, "compaction": compaction}
        for compaction in session["compactions"]
        for one in compaction["findings"]
    ]
    everything = [*found, *({**one, "compaction": None} for one in later)]
    return sorted(everything, key=lambda one: -one["weight"])


def _session(name: str, session: Mapping[str, JSON], width: int) -> list[Line]:
    lines = headed(clip_left(clean(name), width))
    if not session["compactions"]:
        return [*lines, line(f"{session['dialect']}: no compaction in it.")]
    for one in session["compactions"]:
        lines += _compaction(one, width)
    findings = _findings(session)
    if not findings:
        return [*lines, (), line(("nothing was lost that an audit can see", "green"))]
    lines += [(), *headed("Findings, worst first")]
    for one in findings[:_FINDINGS_SHOWN]:
        lines += _finding(one, width)
    rest = Tally(one["code"] for one in findings[_FINDINGS_SHOWN:])
    if rest:
        told = ", ".join(f"{code} {count}" for code, count in sorted(rest.items()))
        lines += [line(("  ", ""), (text, "dim")) for text in wrapped(f"and {told}", width - 2)]
    return lines


def _compaction(one: Mapping[str, JSON], width: int) -> list[Line]:
    sizes = ""
    if one["tokens_before"] is not None and one["tokens_after"] is not None:
        sizes = f", {one['tokens_before']:,} -> {one['tokens_after']:,} tokens"
    elif one["tokens_before"] is not None:
        sizes = f", at {one['tokens_before']:,} tokens"
    trigger = f", {clean(one['trigger'])}" if one["trigger"] else ""
    head = f"{one['number']}. {one['mechanism']}{trigger}{sizes} ({clean(one['where'])}, {_TIERS[one['tier']]})"
    verdicts = ", ".join(f"{one['verdicts'][name]} {name}" for name in _VERDICTS if one["verdicts"][name])
    kept = ", ".join(f"{kind} {pair['kept']} of {pair['of']}" for kind, pair in one["kept"].items() if pair["of"])
    lines = [line((clip(head, width), "bold"))]
    for label, told in (("statements", verdicts or "none was removed"), ("kept verbatim", kept)):
        if told:
            lines += [line(("   ", ""), text) for text in wrapped(f"{label}: {told}", width - 3)]
    return lines


def _finding(one: Mapping[str, JSON], width: int) -> list[Line]:
    tier = _TIERS[one["tier"]]
    times = f" ({one['count']:,})" if one["count"] > 1 else ""
    lines = [line((f"[{tier}]", _STYLES[tier]), " ", (one["code"], "bold"), times)]
    lines += [line("  ", text) for text in wrapped(clean(one["note"]), width - 2)]
    for label, told in one["shown"].items():
        if isinstance(told, Mapping) and "text" in told:
            lines += _words(label, told["text"], width)
    command = one.get("rehydrate")
    if isinstance(command, Mapping) and "text" in command:
        lines += _words("bring back", command["text"], width)
    return lines


def _words(label: str, text: str, width: int) -> Iterator[Line]:
    lead = f"  {label:<11} "
    for number, told in enumerate(wrapped(clean(" ".join(text.split())), width - len(lead))):
        yield line((lead if not number else " " * len(lead), "dim"), told)


def worst(audited: Sequence[FileAudit], known: int, failed: int, width: int) -> list[Line]:
    """The worst losses of all, each with its words, what became of them and the way back.

    Args:
        audited: What was looked at, worst first.
        known: Sessions that there are.
        failed: Files that could not be audited.
        width: Columns.
    """
    sessions: list[tuple[str, Any]] = [(one.name, one.session) for one in audited]
    cuts = sum(len(session["compactions"]) for _, session in sessions)
    looked = f"Looked through {len(audited):,} of {known:,} sessions, newest first: {cuts:,} compactions."
    lines: list[Line] = [line((clip(looked, width), "bold"))]
    if failed:
        lines.append(line((f"{failed} could not be read.", "yellow")))
    losses = [
        (one, name)
        for name, session in sessions
        for one in _findings(session)
        if "original" in one["shown"] or "call" in one["shown"]
    ]
    losses.sort(key=lambda pair: -pair[0]["weight"])
    if not losses:
        return [*lines, line(("Nothing was lost that an audit can see.", "green"))]
    for number, (one, name) in enumerate(losses[: limits.audit_worst_shown], 1):
        place = one["compaction"]
        where = f", compaction {place['number']} ({place['where']})" if place else ""
        lines += [(), line((f"{number}. ", "bold"), (clip_left(clean(name) + clean(where), width - 3), "dim"))]
        lines += _finding(one, width)
    more = len(losses) - limits.audit_worst_shown
    if more > 0:
        lines += [(), line((f"{more:,} more; cenotaph audit PATH shows a session whole.", "dim"))]
    return lines
