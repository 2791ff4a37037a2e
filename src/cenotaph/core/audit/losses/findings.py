"""Handles and states: which things the agent can no longer name, which it names wrongly, which steps lost their state.

What the agent acted on weighs: what a person named, what was written, what was asked for by name. What only
stood in a listing is counted, in one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.audit.losses.made_up import made_up_names, made_up_numbers
from cenotaph.core.audit.losses.region import AGENT, CALLS, PEOPLE, WRITTEN, Region
from cenotaph.core.audit.losses.steps import collapsed_steps
from cenotaph.core.audit.model import Code, Event, Finding

__all__ = ["Losses", "loss_findings"]

_SHOWN_MAX: Final = 8
_GROUPS: Final = (
    (PEOPLE, 45, "people named"),
    (WRITTEN, 40, "calls wrote to"),
    (CALLS, 35, "calls were made with"),
    (AGENT, 25, "the agent wrote of"),
)
"""Who named a handle, the weight of its loss, and how that is said."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What became of handles and states.

    Attributes:
        findings: In no order.
        kept: Kind -> (how many stand verbatim afterwards, how many there were): `path` of all paths that stood
            in what was removed, `acted` of the handles that the agent worked with.
    """

    findings: tuple[Finding, ...]
    kept: Mapping[str, tuple[int, int]]


def loss_findings(event: Event) -> Losses:
    """What became of the handles and states of what was removed."""
    region = Region(event)
    kept, lost = region.split()
    findings = [*_lost(region, lost)]
    if event.replacement and not event.opaque:
        findings += made_up_names(region)
        findings += made_up_numbers(region)
    findings += collapsed_steps(event, region.after_text)
    figures = {
        "acted": (len(kept), len(kept) + len(lost)),
        "path": (sum(path in region.standing for path in region.paths), len(region.paths)),
    }
    return Losses(tuple(findings), figures)


def _lost(region: Region, lost: Sequence[str]) -> Iterator[Finding]:
    """What no spelling names afterwards, by who had named it; what was only listed in one line."""
    tier = region.event.tier
    missed = [value for value in lost if not region.stands_shorter(value)]
    for group, weight, said in _GROUPS:
        values = [value for value in missed if region.weight(value) == group]
        if values:
            shown = {"handle": ", ".join(values[:_SHOWN_MAX])}
            ref = region.acted[values[0]][2]
            note = f"{_stand(len(values), 'handle', f'that {said}')} nowhere afterwards"
            yield Finding(Code.handle_lost, tier, weight, note, shown, len(values), ref)
    listed = region.paths - region.standing - set(lost)
    if listed:
        note = f"{_stand(len(listed), 'further path', 'that only stood in output')} nowhere afterwards"
        yield Finding(Code.handle_lost, tier, 5, note, {}, len(listed))


def _stand(count: int, name: str, said: str) -> str:
    return f"{count:,} {name} {said} stands" if count == 1 else f"{count:,} {name}s {said} stand"
