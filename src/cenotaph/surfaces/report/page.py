"""The page around the sessions: what was audited, sums by tier, filters, and what the browser may load."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter as Tally
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any, Final

from cenotaph.surfaces.report.session import TIERS, findings_in, session_section
from cenotaph.surfaces.report.words import shown

__all__ = ["html_report"]

JSON = Any

_MEANING: Final = {
    "proven": "both sides can be read",
    "at_risk": "one side cannot be read, or is not whole in the file",
    "inferred": "a heuristic says so",
}


def html_report(value: Mapping[str, JSON]) -> str:
    """The whole page.

    Args:
        value: The JSON form of a run's report.
    """
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    sessions: Sequence[Mapping[str, JSON]] = value["sessions"]
    body = "\n".join(
        (
            *_opening(value, sessions),
            *_filters(sessions),
            "<main id='sessions'>",
            *(session_section(session, number) for number, session in enumerate(sessions, 1)),
            *_failed(value["failed"]),
            "</main>",
        )
    )
    return (
        "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        "<meta name='color-scheme' content='light dark'>\n"
        f"<title>Compaction audit</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _opening(value: Mapping[str, JSON], sessions: Sequence[Mapping[str, JSON]]) -> Iterator[str]:
    cuts = sum(len(session["compactions"]) for session in sessions)
    form = "words of the transcripts, secrets masked" if value["excerpts"] else "counts and shortened hashes only"
    yield "<header>"
    yield "<h1>Compaction audit</h1>"
    yield f"<p>{len(sessions):,} session(s), {cuts:,} compaction(s). This file holds {form}.</p>"
    yield "<ul class='tiers'>"
    for tier, name in TIERS.items():
        tally: Tally[str] = Tally()
        for session in sessions:
            tally.update(session.get("findings_by_tier", {}).get(tier) or {})
        first = ", ".join(f"{escape(code)} {count:,}" for code, count in tally.most_common(3))
        yield (
            f"<li class='tier {tier}'><strong>{sum(tally.values()):,}</strong> <span class='tag {tier}'>{name}</span>"
            f"<small>{_MEANING[tier]}</small><small>{first or 'none'}</small></li>"
        )
    yield "</ul>"
    yield "</header>"


def _filters(sessions: Sequence[Mapping[str, JSON]]) -> Iterator[str]:
    codes = sorted({one["code"] for session in sessions for one in findings_in(session)})
    if not codes:
        return
    yield "<form id='filters' aria-label='Which findings are shown'>"
    yield "<fieldset><legend>Tier</legend>"
    for tier, name in TIERS.items():
        yield f"<label><input type='checkbox' name='tier' value='{tier}' checked> {name}</label>"
    yield "</fieldset>"
    yield "<label>Finding <select name='code'><option value=''>all</option>"
    for code in codes:
        yield f"<option>{escape(code)}</option>"
    yield "</select></label>"
    yield "<label>Words <input type='search' name='words' autocomplete='off'></label>"
    yield "<output id='count' aria-live='polite'></output>"
    yield "</form>"


def _failed(failed: Sequence[Mapping[str, JSON]]) -> Iterator[str]:
    if failed:
        yield f"<section class='failed'><h2>{len(failed):,} file(s) could not be audited</h2><ul>"
        for one in failed:
            yield f"<li>{shown(one['error']) if one['name'] else 'a file'}</li>"
        yield "</ul></section>"
