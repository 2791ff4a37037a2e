"""The report of one history, and how it is written down so that it can be shared.

A report holds words of the transcript. What is written of it holds counts, places and shortened keyed
hashes; the words themselves only where they are asked for, with secrets masked. One function makes both
forms, so that a field cannot be forgotten in the safe one.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.audit.aftermath import Aftermath
from cenotaph.core.audit.judging import Audited, binds
from cenotaph.core.audit.model import Chronicle, Finding, Judgement, Tier, Verdict
from cenotaph.core.ids import JSON

__all__ = ["SCHEMA_VERSION", "Report", "Writer", "run_json", "session_json"]

SCHEMA_VERSION: Final = "1.0"
"""Of the JSON form: a field that goes or changes its meaning makes the first number larger."""

Writer = Callable[[str], JSON]
"""How words of a transcript are written down: hashed, or masked."""


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit says of one history.

    Attributes:
        name: Where the history lies, for a person: a path, or "" for a pair of lists.
        chronicle: The history, with its compactions.
        compactions: One per compaction, in order.
        aftermath: What happened after them; None where nothing that came later is known.
    """

    name: str
    chronicle: Chronicle
    compactions: tuple[Audited, ...]
    aftermath: Aftermath | None = None

    @property
    def statements(self) -> list[Judgement]:
        """Every judgement, compaction by compaction, each in the order of its statements."""
        return [one for audited in self.compactions for one in audited.judgements]

    @property
    def findings(self) -> list[Finding]:
        """Every finding, worst first."""
        later = () if self.aftermath is None else self.aftermath.findings
        everything = [*(one for audited in self.compactions for one in audited.findings), *later]
        return sorted(everything, key=lambda one: (-one.weight, one.tier.value, one.code.value))

    @property
    def verdicts(self) -> Mapping[Verdict, int]:
        """How many statements came to which verdict."""
        return Tally(one.verdict for one in self.statements)

    @property
    def worst(self) -> int:
        """The weight of the worst finding; 0 if there is none."""
        return max((one.weight for one in self.findings), default=0)

    def counted(self, tier: Tier) -> Mapping[str, int]:
        """How many findings of one tier there are, by code. Figures of two tiers are never added."""
        tally: Tally[str] = Tally()
        for one in self.findings:
            if one.tier is tier:
                tally[one.code.value] += one.count
        return dict(sorted(tally.items()))

    def way_back(self, turn: int | None) -> str | None:
        """The command that brings back what was said in a turn; None where the history lies in no file."""
        if turn is None or not self.name:
            return None
        return f"cenotaph rehydrate t{turn} --all --from {_quoted(self.name)}"


def session_json(report: Report, written: Writer) -> JSON:
    """A report as JSON; its schema is in the documentation.

    Args:
        report: What is written down.
        written: How words of the transcript, and names of files, are written down.
    """
    chronicle = report.chronicle
    return {
        "name": written(report.name),
        "session": None if chronicle.session is None else written(chronicle.session),
        "dialect": chronicle.dialect,
        "messages": len(chronicle.messages),
        "records": chronicle.records,
        "defects": len(chronicle.defects),
        "context": [[one.message, one.input_tokens] for one in chronicle.usage],
        "findings_by_tier": {tier.value: report.counted(tier) for tier in Tier},
        "verdicts": _verdicts(report.statements),
        "compactions": [_compaction(report, one, written) for one in report.compactions],
        "aftermath": None if report.aftermath is None else report.aftermath.to_dict(written),
    }


def run_json(sessions: Iterable[JSON], *, excerpts: bool, failed: Iterable[JSON]) -> JSON:
    """Reports of one run as one JSON value.

    Args:
        sessions: Each as `session_json` gives it, worst first.
        excerpts: Whether they hold words of the transcripts.
        failed: Name and error of each file that could not be audited.
    """
    return {
        "kind": "cenotaph-audit",
        "schema_version": SCHEMA_VERSION,
        "excerpts": excerpts,
        "sessions": list(sessions),
        "failed": list(failed),
    }


def _compaction(report: Report, audited: Audited, written: Writer) -> JSON:
    event = audited.event
    removed = [event.before[message].parts[part] for message, part in event.removed]
    return {
        "number": audited.number,
        "mechanism": event.mechanism.value,
        "trigger": event.trigger,
        "where": event.where,
        "when": event.when,
        "at": event.at,
        "tier": event.tier.value,
        "opaque": event.opaque,
        "complete": event.complete,
        "pointer": event.pointer,
        "tokens_before": event.tokens_before,
        "tokens_after": event.tokens_after,
        "messages_before": len(event.before),
        "messages_after": len(event.after),
        "removed_parts": len(removed),
        "removed_characters": sum(len(part.text) for part in removed),
        "shares": dict(audited.shares),
        "kept": {kind: {"kept": kept, "of": total} for kind, (kept, total) in sorted(audited.kept.items())},
        "verdicts": _verdicts(audited.judgements),
        "statements": [_judgement(report, audited, one, written) for one in audited.judgements],
        "findings": [_finding(report, audited, one, written) for one in audited.findings],
    }


def _verdicts(judgements: Sequence[Judgement]) -> dict[str, int]:
    tally = Tally(one.verdict for one in judgements)
    return {verdict.value: tally[verdict] for verdict in Verdict}


def _judgement(report: Report, audited: Audited, one: Judgement, written: Writer) -> JSON:
    statement = one.statement
    return {
        "verdict": one.verdict.value,
        "provenance": statement.provenance.value,
        "turn": statement.turn,
        "binds": binds(statement),
        "quoted": statement.quoted,
        "text": written(statement.text),
        "evidence": [
            {
                "before": list(place.before),
                "after": None if place.after is None else list(place.after),
                "message": place.message,
                "part": place.part,
                "text": None if (told := _words_at(audited, place.message, place.part, place.after)) is None
                else written(told),
                "note": written(place.note) if place.note else None,
            }
            for place in one.evidence
        ],
        "recover": one.recover,
    }


def _words_at(
    audited: Audited, message: int | None, part: int | None, place: tuple[int, int] | None
) -> str | None:
    if message is None or part is None or place is None:
        return None
    return audited.event.after[message].parts[part].text[place[0] : place[1]]


def _finding(report: Report, audited: Audited, one: Finding, written: Writer) -> JSON:
    turn = audited.turn_of(one)
    command = report.way_back(turn)
    return {**one.to_dict(written), "turn": turn, "rehydrate": None if command is None else written(command)}


def _quoted(name: str) -> str:
    plain = all(sign.isalnum() or sign in "/._-+=:@%" for sign in name)
    return name if plain else "'" + name.replace("'", "'\\''") + "'"
