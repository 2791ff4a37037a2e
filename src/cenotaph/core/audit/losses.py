"""Handles and states: which things the agent can no longer name, which it names wrongly, which steps lost their state.

What the agent acted on weighs: what a person named, what was written, what was asked for by name. What only
stood in a listing is counted, in one line, and the grammar of handles is not run over it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from cenotaph.core.audit.model import Code, Event, Finding, Mechanism, Ref, Tier
from cenotaph.core.claims import stem
from cenotaph.core.handles import extract
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Part, Provenance
from cenotaph.core.plans import PlanCall, fold_plan
from cenotaph.core.statements import sentences, words

__all__ = ["Losses", "loss_findings"]

_KINDS: Final = frozenset({"path", "url", "endpoint", "host", "ip", "uuid", "hash", "id", "version", "setting"})
"""Handles that are missed; plain numbers and times are judged with the statements that hold them."""
_ARG_CHARS_MAX: Final = 500
_PATH: Final = re.compile(r"(?<![\w/.:@-])(?:~|\.{1,2})?/?(?:[\w@+-][\w.@+-]*/)+[\w@+-][\w.@+-]*")
_HUMAN: Final = frozenset({Provenance.user, Provenance.system, Provenance.developer})
_SHOWN_MAX: Final = 8
_NEAR_RATIO: Final = 0.86
_CANDIDATES_MAX: Final = 400


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
    region = _Region(event)
    kept, lost = region.split()
    findings = [*_lost(event, region, lost)]
    if event.replacement and not event.opaque:
        findings += _made_up(event, region)
        findings += _numbers_elsewhere(event, region)
    findings += _steps(event, region)
    paths = region.paths
    figures = {
        "acted": (len(kept), len(kept) + len(lost)),
        "path": (sum(path in region.standing for path in paths), len(paths)),
    }
    return Losses(tuple(findings), figures)


class _Region:
    """What was removed and what stands, read once."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self.removed: list[tuple[Ref, Part]] = [(ref, event.before[ref[0]].parts[ref[1]]) for ref in event.removed]

    @cached_property
    def after_text(self) -> str:
        return "\n".join(part.text for message in self.event.after for part in message.parts)

    @cached_property
    def before_text(self) -> str:
        return "\n".join(part.text for message in self.event.before for part in message.parts)

    @cached_property
    def standing(self) -> frozenset[str]:
        """Paths that stand afterwards."""
        return frozenset(_PATH.findall(self.after_text))

    @cached_property
    def acted(self) -> dict[str, tuple[str, int, Ref]]:
        """Handle -> (kind, weight, where it stands first): what people and the agent named."""
        found: dict[str, tuple[str, int, Ref]] = {}
        for ref, part in self.removed:
            weight = _weight(part)
            if weight:
                for text in _told(part):
                    for handle in extract(text):
                        if handle.kind in _KINDS and _names_something(handle.kind, handle.value):
                            known = found.get(handle.value)
                            if known is None or known[1] < weight:
                                found[handle.value] = (handle.kind, weight, ref)
        return found

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every path that stands in what was removed."""
        found: set[str] = set()
        for _, part in self.removed:
            if part.kind is not Kind.reasoning and "/" in part.text:
                found.update(_PATH.findall(part.text))
        return frozenset(found)

    def split(self) -> tuple[list[str], list[str]]:
        """The handles that stand afterwards, and those that do not."""
        kept: list[str] = []
        lost: list[str] = []
        for value in self.acted:
            (kept if value.rstrip("/") in self.after_text else lost).append(value)
        return kept, lost


def _weight(part: Part) -> int:
    """How much a handle weighs by where it stands; 0 where it only was shown."""
    if part.kind is Kind.call:
        return 2
    if part.kind is not Kind.text:
        return 0
    return 3 if part.provenance in _HUMAN else 1 if part.provenance is Provenance.agent else 0


def _told(part: Part) -> Iterator[str]:
    """The texts of a part in which a name was spoken: of a call its short arguments, never what it writes."""
    if part.kind is Kind.text:
        yield part.text
    else:
        for value in (part.args or {}).values():
            yield from _short(value)


def _short(value: JSON) -> Iterator[str]:
    if isinstance(value, str) and len(value) <= _ARG_CHARS_MAX and "\n" not in value:
        yield value
    elif isinstance(value, list):
        for one in value[:20]:
            if isinstance(one, str) and len(one) <= _ARG_CHARS_MAX and "\n" not in one:
                yield one


def _names_something(kind: str, value: str) -> bool:
    """A path of one piece and a version of one number are words in most texts."""
    return len(value) > 3 and (kind != "path" or "/" in value.strip("/") or value.startswith(("/", "~")))


def _lost(event: Event, region: _Region, lost: Sequence[str]) -> Iterator[Finding]:
    groups = {3: "that people named", 2: "that calls were made with", 1: "that the agent wrote of"}
    for weight, said in groups.items():
        values = [value for value in lost if region.acted[value][1] == weight]
        if values:
            shown = {"handle": ", ".join(values[:_SHOWN_MAX])}
            ref = region.acted[values[0]][2]
            note = f"{len(values):,} handles {said} stand nowhere afterwards"
            yield Finding(Code.handle_lost, event.tier, 15 + 10 * weight, note, shown, len(values), ref)
    listed = region.paths - region.standing - set(lost)
    if listed:
        note = f"{len(listed):,} further paths, which only stood in output, stand nowhere afterwards"
        yield Finding(Code.handle_lost, event.tier, 5, note, {}, len(listed))


# Made up --------------------------------------------------------------------------------------------


def _made_up(event: Event, region: _Region) -> Iterator[Finding]:
    """Handles in the replacement that stand nowhere before: another one's near relative, or nobody's."""
    sure = event.tier if event.mechanism is Mechanism.pair else Tier.inferred
    if event.tier is Tier.at_risk:
        return  # what it was made from is not all here
    known = list(region.acted)
    for at in event.replacement:
        for index, part in enumerate(event.after[at].parts):
            if part.kind is not Kind.text:
                continue
            for handle in extract(part.text):
                if handle.kind not in _KINDS or not _names_something(handle.kind, handle.value):
                    continue
                if handle.value.endswith(_TRANSCRIPTS):
                    continue
                if handle.kind == "setting" and not _SETTING.match(handle.value):
                    continue
                if _stood(handle.value, region):
                    continue
                near = _nearest(handle.value, handle.kind, region, known)
                place = (at, index, handle.start, handle.end)
                if near is not None:
                    shown = {"original": near, "became": handle.value}
                    note = f"a {handle.kind} stands that never stood; one that differs a little did"
                    yield Finding(Code.handle_mutated, sure, 72, note, shown, 1, region.acted[near][2], place)
                elif handle.kind != "version":
                    note = f"a {handle.kind} stands that never stood before"
                    yield Finding(Code.handle_fabricated, sure, 50, note, {"became": handle.value}, 1, None, place)


_TRANSCRIPTS: Final = (".jsonl", ".jsonl.zst")
"""Where a client keeps the originals: what points there was not told before."""
_SETTING: Final = re.compile(r"[A-Za-z_][\w.-]*=\S")


def _stood(value: str, region: _Region) -> bool:
    """Whether a handle stood before, in this or another spelling, or is put together from what did."""
    text = region.before_text
    bare = value.rstrip("/").removeprefix("./").removeprefix("~/").lstrip("#")
    if bare in text or bare.lstrip("/") in text or bare.replace("\\", "/") in text:
        return True
    without_line = re.sub(r"(?::\d+(?:-\d+)?)+$|#L\d+(?:-L?\d+)?$", "", bare)
    if without_line != bare and without_line in text:
        return True
    pieces = [piece for piece in re.split(r"[/\\:=@?&#]+", without_line) if piece]
    return len(pieces) > 1 and all(piece in text for piece in pieces) and "=" not in bare


def _nearest(value: str, kind: str, region: _Region, known: Sequence[str]) -> str | None:
    """The handle of the same kind that differs from one a little; None if none does."""
    same = [one for one in known if region.acted[one][0] == kind][:_CANDIDATES_MAX]
    if kind == "setting" and "=" in value:
        name = value.split("=", 1)[0]
        return next((one for one in same if one.split("=", 1)[0] == name), None)
    found = difflib.get_close_matches(value, same, 1, _NEAR_RATIO)
    return found[0] if found and found[0] != value else None


_ASCRIBED: Final = re.compile(
    r"\b([^\W\d_]{4,})\s+([^\W\d_]{4,})\s*(?:\(|=\s*|:\s*|(?:is|of|was)\s+)`?(\d[\d.,]*[A-Za-z%]{0,3})`?\b(?!\))?",
)


def _numbers_elsewhere(event: Event, region: _Region) -> Iterator[Finding]:
    """A number that is ascribed to something beside which it never stood in any one text before."""
    if event.tier is Tier.at_risk:
        return
    for at in event.replacement:
        for index, part in enumerate(event.after[at].parts):
            if part.kind is not Kind.text:
                continue
            for found in _ASCRIBED.finditer(part.text):
                name, number = found[1].casefold(), found[3].rstrip(".,")
                root = stem(name)[:4]
                beside = [one for one in _texts(event) if re.search(rf"(?<![\w.]){re.escape(number)}(?![\w])", one)]
                naming = [one for one in _texts(event) if root in one.casefold()]
                if not naming or any(root in one.casefold() for one in beside):
                    continue
                note = "a number is given of something beside which it never stood"
                shown = {"became": found.group()}
                place = (at, index, found.start(), found.end())
                yield Finding(Code.handle_fabricated, Tier.inferred, 40, note, shown, 1, None, place)


def _texts(event: Event) -> list[str]:
    return [part.text for message in event.before for part in message.parts if part.text]


# Steps ----------------------------------------------------------------------------------------------

_UNFINISHED: Final = frozenset({"blocked", "in_progress", "pending"})
_STEP_SHARE: Final = (1, 2)


def _steps(event: Event, region: _Region) -> Iterator[Finding]:
    """Unfinished steps of the plan tool that no text and no call names afterwards."""
    calls = [
        PlanCall(order, part.tool or "", part.args, None, part.failed)
        for order, (_, part) in enumerate(region.removed)
        if part.kind is Kind.call and part.args is not None and _is_plan(part.args)
    ]
    if not calls or event.opaque:
        return
    fold = fold_plan(calls)
    said = {stem(word) for sentence in _sentences(region.after_text) for word in words(sentence)}
    open_steps = [step for step in fold.steps if step.state in _UNFINISHED]
    gone = [step for step in open_steps if not _is_named(step.label, said)]
    if gone:
        ref = region.removed[calls[-1].order][0]
        blocked = any(step.state == "blocked" for step in gone)
        note = f"{len(gone)} of {len(open_steps)} unfinished steps of the plan are named nowhere afterwards"
        shown = {"original": f"{gone[0].label} [{gone[0].words}]"}
        yield Finding(Code.state_collapsed, event.tier, 70 if blocked else 35, note, shown, len(gone), ref)


def _is_plan(args: Mapping[str, JSON]) -> bool:
    return any(isinstance(args.get(key), list) for key in ("todos", "plan", "task_list", "items", "steps"))


def _sentences(text: str) -> Iterable[str]:
    return (text[one.start : one.end] for one in sentences(text))


def _is_named(label: str, said: set[str]) -> bool:
    told = [stem(word) for word in words(label) if len(word) > 3]
    return sum(word in said for word in told) * _STEP_SHARE[1] >= len(told) * _STEP_SHARE[0]
