"""One session of the report: its pictures, its compactions, what was found, and what became of each statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from cenotaph.surfaces.report.pictures import bar, timeline
from cenotaph.surfaces.report.words import plain, shown

__all__ = ["TIERS", "findings_in", "session_section"]

JSON = Any

TIERS: Final = {"proven": "proven", "at_risk": "at risk", "inferred": "inferred"}
_VERDICTS: Final = ("contradicted", "mutated", "weakened", "dropped", "unverifiable", "paraphrased", "preserved")
_NOTHING: Final = "<em>nothing stands</em>"
_OPEN_MAX: Final = 3
"""Sessions that stand open when the page is opened; the others are a click away."""


def findings_in(session: Mapping[str, JSON]) -> Iterator[Mapping[str, JSON]]:
    """Every finding of a session."""
    for compaction in session["compactions"]:
        yield from compaction["findings"]
    yield from (session.get("aftermath") or {}).get("findings") or ()


def session_section(session: Mapping[str, JSON], number: int) -> str:
    """A session as HTML; one without a compaction is a line."""
    name = shown(session["name"]) or "two lists"
    cuts: Sequence[Mapping[str, JSON]] = session["compactions"]
    if not cuts:
        return f"<p class='quiet'>{name}: {escape(session['dialect'])}, no compaction.</p>"
    open_ = " open" if number <= _OPEN_MAX else ""
    return "\n".join(
        (
            f"<details class='session'{open_}><summary><h2>{name}</h2> <small>{escape(session['dialect'])}, "
            f"{len(cuts)} compaction(s), {session.get('messages', 0):,} messages</small></summary>",
            timeline(session),
            *(_compaction(cut, number) for cut in cuts),
            *_aftermath(session.get("aftermath")),
            "</details>",
        )
    )


def _compaction(cut: Mapping[str, JSON], session: int) -> str:
    name = f"s{session}c{cut['number']}"
    sizes = [f"{cut[key]:,}" for key in ("tokens_before", "tokens_after") if cut[key] is not None]
    told = [
        escape(cut["mechanism"]),
        escape(cut["trigger"] or ""),
        " → ".join(sizes) + (" tokens" if sizes else ""),
        escape(cut["where"]),
        escape(cut["when"]),
    ]
    kept = [
        f"<li>{escape(kind)}: {pair['kept']:,} of {pair['of']:,} verbatim</li>"
        for kind, pair in cut["kept"].items()
        if pair["of"]
    ]
    return "\n".join(
        (
            f"<article class='compaction' aria-labelledby='{name}'>",
            f"<h3 id='{name}'>Compaction {cut['number']} {_tag(cut['tier'])}</h3>",
            f"<p class='facts'>{' · '.join(filter(None, told))}</p>",
            bar(cut["shares"], "What was removed, by class (tokens, estimated)"),
            bar(
                {verdict: cut["verdicts"][verdict] for verdict in _VERDICTS},
                f"What became of {sum(cut['verdicts'].values()):,} statements",
            ),
            f"<ul class='kept'>{''.join(kept)}</ul>" if kept else "",
            *(_finding(one) for one in cut["findings"]),
            *_statements(cut["statements"]),
            "</article>",
        )
    )


def _tag(tier: str) -> str:
    return f"<span class='tag {tier}'>{TIERS[tier]}</span>"


def _finding(one: Mapping[str, JSON]) -> str:
    words = dict(one["shown"])
    original, became = words.pop("original", None), words.pop("became", None)
    times = f" <small>× {one['count']:,}</small>" if one["count"] > 1 else ""
    place = "" if one.get("turn") is None else f" <small>turn {one['turn']}</small>"
    sides = ""
    if original is not None:
        sides = (
            f"<div class='sides'><div><h5>Original</h5><blockquote>{shown(original)}</blockquote></div>"
            f"<div><h5>What became of it</h5><blockquote>{shown(became) or _NOTHING}</blockquote></div>"
            "</div>"
        )
    elif became is not None:
        words["stands"] = became
    rest = "".join(f"<dt>{escape(label)}</dt><dd>{shown(told)}</dd>" for label, told in words.items())
    figures = "".join(
        f"<dt>{escape(label.replace('_', ' '))}</dt><dd>{escape(str(value))}</dd>"
        for label, value in one["data"].items()
        if not isinstance(value, list | dict)
    )
    command = one.get("rehydrate")
    way = ""
    if command is not None:
        way = f"<p class='way'>Bring it back: <code>{escape(plain(command))}</code></p>"
    return (
        f"<section class='finding' data-tier='{one['tier']}' data-code='{escape(one['code'])}'>"
        f"<h4>{escape(one['code'])} {_tag(one['tier'])}{times}{place}</h4><p>{escape(one['note'])}</p>{sides}"
        f"{f'<dl>{rest}{figures}</dl>' if rest or figures else ''}{way}</section>"
    )


def _statements(statements: Sequence[Mapping[str, JSON]]) -> Iterator[str]:
    if not statements:
        return
    yield f"<details class='statements'><summary>{len(statements):,} statements, each with its verdict</summary>"
    yield "<div class='scroll' tabindex='0' role='region' aria-label='Statements'><table>"
    yield "<thead><tr><th>Verdict</th><th>Said by</th><th>Turn</th><th>Statement</th><th>What stands</th></tr></thead>"
    yield "<tbody>"
    for one in sorted(statements, key=lambda told: (_VERDICTS.index(told["verdict"]), not told["binds"])):
        turn = "" if one["turn"] is None else str(one["turn"])
        stands = next((place["text"] for place in one["evidence"] if place["text"] is not None), None)
        yield (
            f"<tr><td><span class='verdict {one['verdict']}'>{one['verdict']}</span></td>"
            f"<td>{escape(one['provenance'])}</td><td>{turn}</td><td>{shown(one['text'])}</td><td>{shown(stands)}</td></tr>"
        )
    yield "</tbody></table></div></details>"


def _aftermath(later: Mapping[str, JSON] | None) -> Iterator[str]:
    if not later:
        return
    yield "<article class='aftermath'><h3>What happened afterwards</h3>"
    yield from _figures(later)
    yield from (_finding(one) for one in later.get("findings") or ())
    yield "</article>"


def _figures(later: Mapping[str, JSON]) -> Iterator[str]:
    rows = [(name, value) for name, value in later.items() if isinstance(value, int | float | str)]
    if rows:
        yield "<dl class='figures'>"
        for name, value in rows:
            yield f"<dt>{escape(name.replace('_', ' '))}</dt><dd>{escape(_number(value))}</dd>"
        yield "</dl>"


def _number(value: int | float | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"
