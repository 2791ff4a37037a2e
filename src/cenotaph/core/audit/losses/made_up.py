"""Names and numbers that a replacement makes up: another one's near relative, or nobody's."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from cenotaph.core.audit.losses.region import Region, is_missed
from cenotaph.core.audit.model import Code, Event, Finding, Mechanism, Tier
from cenotaph.core.claims import stem
from cenotaph.core.handles import Handle, extract
from cenotaph.core.model import Kind

__all__ = ["made_up_names", "made_up_numbers"]

_NEAR_RATIO: Final = 0.86
_CANDIDATES_MAX: Final = 400
_LOOKED_AT_MAX: Final = 2_000
"""So many different names of one replacement are looked for in what it was made from."""
_EACH_MAX: Final = 20
"""So many made-up names are told one by one; the rest is one line."""

Place = tuple[int, int, int, int]
"""Message, part, start and end in `Event.after`."""


def made_up_names(region: Region) -> Iterator[Finding]:
    """Handles in the replacement that stand nowhere before, each once; none where words before are missing."""
    event = region.event
    if event.tier is Tier.at_risk:
        return
    named = islice(_named_afterwards(event).items(), _LOOKED_AT_MAX)
    strange = [(kind, value, places) for (kind, value), places in named if not _stood(kind, value, region)]
    for kind, value, places in strange[:_EACH_MAX]:
        yield from _strange(region, kind, value, places)
    rest = strange[_EACH_MAX:]
    if rest:
        note = f"{len(rest):,} further names stand that never stood before"
        yield Finding(Code.handle_fabricated, Tier.inferred, 45, note, count=len(rest), after=rest[0][2][0])


def _strange(region: Region, kind: str, value: str, places: Sequence[Place]) -> Iterator[Finding]:
    sure = region.event.tier if region.event.mechanism is Mechanism.pair else Tier.inferred
    near = _nearest(value, kind, region)
    if near is not None:
        shown = {"original": near, "became": value}
        note = f"a {kind} stands that never stood; one that differs a little did"
        yield Finding(Code.handle_mutated, sure, 72, note, shown, len(places), region.acted[near][2], places[0])
    elif kind != "version":
        note = f"a {kind} stands that never stood before"
        yield Finding(Code.handle_fabricated, sure, 50, note, {"became": value}, len(places), None, places[0])


def _named_afterwards(event: Event) -> dict[tuple[str, str], list[Place]]:
    """(kind, handle) -> its places in the replacement, of the kinds that are missed."""
    found: dict[tuple[str, str], list[Place]] = {}
    for at in event.replacement:
        for index, part in enumerate(event.after[at].parts):
            for handle in extract(part.text) if part.kind is Kind.text else ():
                if _is_told(handle):
                    found.setdefault((handle.kind, handle.value), []).append((at, index, handle.start, handle.end))
    return found


_TRANSCRIPTS: Final = (".jsonl", ".jsonl.zst")
"""Where a client keeps the originals: what points there was not told before."""
_ASSIGNED: Final = re.compile(r"([A-Za-z_][\w.-]*)\s*=\s*(\S.*)", re.DOTALL)


def _is_told(handle: Handle) -> bool:
    if not is_missed(handle) or handle.value.endswith(_TRANSCRIPTS):
        return False
    return handle.kind != "setting" or _ASSIGNED.match(handle.value) is not None


def _stood(kind: str, value: str, region: Region) -> bool:
    """Whether a handle stood before, in this or another spelling, or is put together from what did."""
    text = region.before_text
    bare = value.rstrip("/").removeprefix("./").removeprefix("~/").lstrip("#")
    if bare in text or bare.lstrip("/") in text or bare.replace("\\", "/") in text:
        return True
    if kind == "setting":
        return _assigned_before(value, text)
    without_line = re.sub(r"(?::\d+(?:-\d+)?)+$|#L\d+(?:-L?\d+)?$", "", bare)
    if without_line != bare and without_line in text:
        return True
    if kind == "id" and _is_range(bare, text):
        return True
    pieces = [piece for piece in re.split(r"[/\\:=@?&#]+", without_line) if piece]
    return len(pieces) > 1 and all(piece in text for piece in pieces) and "=" not in bare


def _assigned_before(value: str, text: str) -> bool:
    """The same name stood with the same value, with other spaces or signs between them."""
    found = _ASSIGNED.match(value)
    if found is None or found[1] not in text:
        return False
    bare = found[2].strip("\"'`")
    return (
        re.search(rf"{re.escape(found[1])}[\"']?\s{{0,4}}[:=]{{1,2}}\s{{0,4}}[\"']?{re.escape(bare)}", text) is not None
    )


def _is_range(value: str, text: str) -> bool:
    """`WP14-WP20` or `WP14-20`, and both of its ends stood."""
    ends = re.fullmatch(r"([A-Za-z]+[-_]?)(\d+)-(?:\1)?(\d+)", value)
    return ends is not None and ends[1] + ends[2] in text and ends[1] + ends[3] in text


def _nearest(value: str, kind: str, region: Region) -> str | None:
    """The handle of the same kind that differs from one a little; None if none does."""
    same = list(islice((one for one in region.acted if region.acted[one][0] == kind), _CANDIDATES_MAX))
    if kind == "setting" and "=" in value:
        name = value.split("=", 1)[0].strip()
        return next((one for one in same if one.split("=", 1)[0].strip() == name), None)
    found = difflib.get_close_matches(value, same, 1, _NEAR_RATIO)
    return found[0] if found and found[0] != value else None


# Numbers --------------------------------------------------------------------------------------------

_ASCRIBED: Final = re.compile(
    r"\b([^\W\d_]{4,})[ \t]+([^\W\d_]{4,})[ \t]*(?:\(|=[ \t]*|:[ \t]*|(?:is|of|was)[ \t]+)"
    r"`?(\d[\d.,]*[A-Za-z%]{0,3})`?\b"
)
"""A thing of two words and its number."""


def made_up_numbers(region: Region) -> Iterator[Finding]:
    """A number that is ascribed to something beside which it never stood in any one text before; each once."""
    event = region.event
    if event.tier is Tier.at_risk:
        return
    seen: set[tuple[str, str]] = set()
    for at in event.replacement:
        for index, part in enumerate(event.after[at].parts):
            for found in _ASCRIBED.finditer(part.text) if part.kind is Kind.text else ():
                told = (stem(found[1].casefold())[:4], found[3].rstrip(".,"))
                if told in seen or len(seen) >= _ASCRIBED_MAX:
                    continue
                seen.add(told)
                if region.stands_apart(*told):
                    note = "a number is given of something beside which it never stood"
                    shown = {"became": found.group()}
                    place = (at, index, found.start(), found.end())
                    yield Finding(Code.handle_fabricated, Tier.inferred, 40, note, shown, 1, None, place)


_ASCRIBED_MAX: Final = 500
"""So many different numbers of one replacement are looked for in what it was made from."""
