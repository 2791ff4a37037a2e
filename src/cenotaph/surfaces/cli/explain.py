"""`cenotaph explain`: a file's spans with their classes, the table in words, what its provider would refuse."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from cenotaph.api.doctrine import ALLOWED, JSON, RULES, Action, Policy, Readout, Row, allowed
from cenotaph.api.places import read_source
from cenotaph.api.provider_rules import BrokenRule, RulesReport, RuleText, broken_rules
from cenotaph.errors import ConfigurationError
from cenotaph.surfaces.cli import inputs, talk
from cenotaph.surfaces.cli.plan_view import class_style, class_word, paragraph, rows_table, what_is
from cenotaph.surfaces.cli.render import Line, clean, clip, headed, line, table

__all__ = ["actions_of", "run", "table_lines"]

_words_chars_max: Final = 200
_places_shown_max: Final = 3
"""Places of one broken rule that are listed; the others are counted."""


def run(args: argparse.Namespace) -> int:
    """Shows; writes nothing."""
    if args.limit is not None and args.limit < 0:
        raise ConfigurationError(f"--limit {args.limit}: a number of spans, from 0.")
    if args.table:
        if args.json:
            talk.give_json({"rows": [_row_json(row) for row in RULES]})
        else:
            talk.draw(table_lines(talk.width_of(sys.stdout)), sys.stdout)
        return 0
    if args.file is None:
        raise ConfigurationError("no FILE was named.", next_step="Name one, or see the table itself with --table.")
    source = read_source(args.file, dialect=args.dialect)
    with talk.progress(f"reading {source.name}", size=len(source.data)):
        readout = inputs.understood(
            source,
            dialect=args.dialect,
            tools=inputs.declared(args.tools),
            pins=args.pin,
            model=args.model,
            region=args.region,
        )
    for defect in (*source.defects, *readout.transcript.defects):
        talk.warn(f"{defect.code} ({defect.where}): {defect.note}")
    if args.json:
        talk.give_json(_as_json(readout, args.limit, rows_only=args.rows))
    else:
        lines = _lines(readout, talk.width_of(sys.stdout), args.limit, rows_only=args.rows)
        talk.draw(lines, sys.stdout)
    return 0


def table_lines(width: int) -> list[Line]:
    """The classification table: made of the rules, never written beside them."""
    drawn: list[Line] = [line("First match wins. What a policy lets leave stands under each row.")]
    for row in RULES:
        drawn += [(), line((row.id, "bold"), "  ", (row.shelf.value, class_style[row.cls]))]
        drawn += paragraph(f"{row.structure}: {row.why}", width, "     ")
        drawn.append(line(f"     strict: {actions_of(Policy.strict(), row)}"))
        if ALLOWED["strict", row.shelf] != ALLOWED["archive", row.shelf]:
            drawn.append(line(f"     archive: {actions_of(Policy.archive(), row)}"))
    return drawn


def actions_of(policy: Policy, row: Row) -> str:
    """What a policy may do with spans of a row, the mildest first."""
    return ", ".join(_actions(policy, row))


def _actions(policy: Policy, row: Row) -> list[str]:
    permitted = allowed(policy, row.shelf)
    return [action.value for action in Action if action in permitted]


def _row_json(row: Row) -> dict[str, JSON]:
    return {
        "id": row.id,
        "class": row.cls.value,
        "shelf": row.shelf.value,
        "structure": row.structure,
        "why": row.why,
        "strict": _actions(Policy.strict(), row),
        "archive": _actions(Policy.archive(), row),
    }


def _as_json(readout: Readout, limit: int | None, *, rows_only: bool) -> dict[str, JSON]:
    classified = readout.classified
    spans = [] if rows_only else _span_json(readout, limit)
    sums: dict[str, dict[str, JSON]] = {}
    for span, row in zip(classified.spans, classified.rows, strict=True):
        entry = sums.setdefault(
            row.id, {"class": row.cls.value, "spans": 0, "tokens": 0, "why": f"{row.structure}: {row.why}"}
        )
        entry["spans"] += 1
        entry["tokens"] += span.tokens
    given: dict[str, JSON] = {} if rows_only else {"spans": spans}
    return {
        **given,
        "rows": sums,
        "dialect": readout.transcript.dialect,
        "messages": len(readout.transcript.messages),
        "counter": readout.counter.name,
        "basis": readout.counter.basis,
        "provider_rules": _rules_json(broken_rules(readout)),
    }


def _rules_json(report: RulesReport) -> dict[str, JSON]:
    broken = [
        {
            "rule": one.rule.id,
            "message": one.message,
            "note": clean(one.note),
            "says": one.rule.says,
            "source": one.rule.source,
        }
        for one in report.broken
    ]
    return {"wire": report.wire, "looked_at": report.looked_at, "broken": broken}


def _span_json(readout: Readout, limit: int | None) -> list[JSON]:
    classified = readout.classified
    structure, facts = classified.structure, classified.reading.facts
    found: list[JSON] = []
    for span, row in list(zip(classified.spans, classified.rows, strict=True))[:limit]:
        call = structure.call_of.get(span.order)
        found.append(
            {
                "id": span.id,
                "turn": span.turn,
                "message": span.message,
                "row": row.id,
                "class": row.cls.value,
                "kind": span.kind.value,
                "provenance": span.provenance.value,
                "tokens": span.tokens,
                "tool": span.part.tool if call is None else structure.spans[call].part.tool,
                "handle": classified.reading.handles.get(span.order),
                "state": facts[span.order].state.value,
                "first_words": clean(span.text[:_words_chars_max]),
                "why": f"{row.structure}: {row.why}",
            }
        )
    return found


def _lines(readout: Readout, width: int, limit: int | None, *, rows_only: bool) -> list[Line]:
    transcript = readout.transcript
    spans = readout.classified.spans
    head = (
        f"{transcript.dialect}, {len(transcript.messages):,} messages, {len(spans):,} spans, "
        f"{sum(span.tokens for span in spans):,} tokens ({readout.counter.basis}, {readout.counter.name})"
    )
    drawn: list[Line] = [line(clip(head, width))]
    if not rows_only:
        drawn += [(), *_span_table(readout, width, limit)]
        drawn += headed("Rows")
    else:
        drawn.append(())
    drawn += rows_table(readout, width)
    drawn += [(), *_in_words(list(readout.classified.rows), width)]
    return [*drawn, *_rules_lines(broken_rules(readout), width)]


def _rules_lines(report: RulesReport, width: int) -> list[Line]:
    """Each broken rule in words with its source, and where it is broken."""
    drawn = headed("Rules of the provider")
    if not report.broken:
        return [*drawn, line(f"breaks no rule of {report.wire}: {report.looked_at} were looked at")]
    by_rule: dict[RuleText, list[BrokenRule]] = {}
    for one in report.broken:
        by_rule.setdefault(one.rule, []).append(one)
    drawn.append(line(f"breaks {len(by_rule)} of {report.looked_at} rules of {report.wire}"))
    for rule, places in by_rule.items():
        first, *rest = paragraph(f"{rule.says} Source: {rule.source}", width - 5)
        drawn.append(line((rule.id, "bold"), "  ", *first))
        drawn += [line("     ", *more) for more in rest]
        drawn += [line("     ", (clip(_place(one), width - 5), "red")) for one in places[:_places_shown_max]]
        if len(places) > _places_shown_max:
            drawn.append(line((f"     and {len(places) - _places_shown_max:,} more; see them with --json", "dim")))
    return drawn


def _place(one: BrokenRule) -> str:
    where = f"message {one.message}" if one.message >= 0 else "the request"
    return clean(f"{where}: {one.note}")


def _span_table(readout: Readout, width: int, limit: int | None) -> list[Line]:
    classified = readout.classified
    pairs = list(zip(classified.spans, classified.rows, strict=True))
    shown = pairs if limit is None else pairs[:limit]
    rows = [
        (
            str(span.turn),
            str(span.message) if span.message >= 0 else "-",
            row.id,
            class_word[row.cls],
            span.provenance.value,
            f"{span.tokens:,}",
            what_is(readout, span, max(22, width // 4)),
            clean(span.text[:_words_chars_max]) if span.kind.value != "media" else "",
        )
        for span, row in shown
    ]
    lines = table(
        ("turn", "msg", "row", "class", "from", "tokens", "what it is", "first words"),
        rows,
        width=width,
        right=(0, 1, 5),
        flex=7,
        styles={class_word[cls]: style for cls, style in class_style.items()},
    )
    if len(shown) < len(pairs):
        lines.append(line((f"and {len(pairs) - len(shown):,} more; see them without --limit", "dim")))
    return lines


def _in_words(rows: Sequence[Row], width: int) -> list[Line]:
    drawn: list[Line] = []
    used = dict.fromkeys(row for row in RULES if row in set(rows))
    for row in used:
        first, *rest = paragraph(f"{row.structure}: {row.why} ({row.shelf.value})", width - 5)
        drawn.append(line((row.id, "bold"), "  ", *first))
        drawn += [line("     ", *more) for more in rest]
    return drawn
