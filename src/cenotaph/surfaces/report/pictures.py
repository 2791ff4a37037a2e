"""Pictures of a session: how large its context was at each call, and what each compaction took out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

__all__ = ["bar", "timeline"]

JSON = Any

_WIDTH: Final = 1_000
_HEIGHT: Final = 160
_FOOT: Final = 18
_POINTS_MAX: Final = 800


def timeline(session: Mapping[str, JSON]) -> str:
    """The context size per call, with a line where each compaction happened; "" where no size is known."""
    points: list[tuple[int, int]] = [(at, tokens) for at, tokens in session.get("context") or []]
    cuts: Sequence[Mapping[str, JSON]] = session["compactions"]
    if len(points) < 2:
        return ""
    last = max(1, points[-1][0], *(cut["at"] for cut in cuts)) if cuts else max(1, points[-1][0])
    top = max(1, *(tokens for _, tokens in points), *(cut["tokens_before"] or 0 for cut in cuts), 1)
    title = f"Context size over {len(points):,} calls, at most {top:,} tokens, {len(cuts)} compaction(s)"
    return "\n".join(
        (
            f"<figure><svg class='timeline' viewBox='0 0 {_WIDTH} {_HEIGHT + _FOOT}' role='img' "
            f"preserveAspectRatio='none' aria-label='{escape(title)}'>",
            f"<path class='area' d='{_area(points, last, top)}'/>",
            *_cut_lines(cuts, last),
            "</svg>",
            f"<figcaption>{escape(title)}. Lines are compactions, in their order.</figcaption></figure>",
        )
    )


def _area(points: Sequence[tuple[int, int]], last: int, top: int) -> str:
    step = max(1, len(points) // _POINTS_MAX)
    kept = [max(points[at : at + step], key=lambda one: one[1]) for at in range(0, len(points), step)]
    drawn = " ".join(f"L{_x(at, last)} {_HEIGHT - tokens / top * (_HEIGHT - 8):.1f}" for at, tokens in kept)
    return f"M{_x(kept[0][0], last)} {_HEIGHT} {drawn} L{_x(kept[-1][0], last)} {_HEIGHT} Z"


def _x(at: int, last: int) -> str:
    return f"{at / last * _WIDTH:.1f}"


def _cut_lines(cuts: Sequence[Mapping[str, JSON]], last: int) -> Iterator[str]:
    for cut in cuts:
        x = _x(min(cut["at"], last), last)
        yield f"<line class='cut {cut['tier']}' x1='{x}' x2='{x}' y1='0' y2='{_HEIGHT}'/>"


def bar(shares: Mapping[str, int], label: str) -> str:
    """One bar whose pieces are shares of a whole, with a legend that says each in words; "" for an empty whole."""
    whole = sum(shares.values())
    if not whole:
        return ""
    parts = [(name, count, count / whole) for name, count in shares.items() if count]
    x, pieces = 0.0, []
    for at, (name, count, share) in enumerate(parts):
        pieces.append(
            f"<rect class='s{at % 6}' x='{x * _WIDTH:.1f}' y='0' width='{share * _WIDTH:.1f}' height='20'>"
            f"<title>{escape(name)}: {count:,}</title></rect>"
        )
        x += share
    legend = "".join(
        f"<li><span class='key s{at % 6}'></span>{escape(name.replace('_', ' '))} {share:.0%} ({count:,})</li>"
        for at, (name, count, share) in enumerate(parts)
    )
    return (
        f"<figure class='shares'><svg viewBox='0 0 {_WIDTH} 20' preserveAspectRatio='none' role='img' "
        f"aria-label='{escape(label)}'>{''.join(pieces)}</svg><figcaption>{escape(label)}<ul class='legend'>{legend}"
        "</ul></figcaption></figure>"
    )
