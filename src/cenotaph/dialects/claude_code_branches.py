"""Which records of a session are the conversation that goes on: region, replays, branches.

The file is append-only and holds more than the conversation: what an earlier compaction replaced,
turns written a second time under new uuids, branches that a person rewound, sub-agents. Parallel
calls branch the tree too (a result hangs on its own call's line), so a walk from the newest leaf to
the root would lose sibling results. Therefore nothing is chosen by a walk: everything in the region
stays except what a field proves to be out.

- *Region.* From the last boundary on. A boundary that nothing follows is a compaction that broke off
  and does not count. Records that the boundary names as preserved stand behind its anchor.
- *Replay.* Same parent, same timestamp, same message: written twice, shown once.
- *Rewind.* Two prompts on one parent with different timestamps: the person went back and asked
  something else. The branch that leads to the newest record stays; the others are out. Roots without
  any parent count as one fork only where the other records of the region are linked, because some
  tools write records without links.
- *Missing parent.* The record before it in the file takes its place; two records that name one missing
  parent are no fork, since what stood between them is not known.

In doubt a record stays: shown too much costs tokens, shown too little loses a person's words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect
from cenotaph.dialects.claude_code_forms import harness_forms
from cenotaph.dialects.claude_code_records import MESSAGE_TYPES, Record

__all__ = ["Log", "Selection", "cuts", "select"]

Report = Callable[[Defect], None]

_ROOT: Final = "\0root"
"""Key of the fork at records without a parent; no uuid can equal it."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The records that the view is made from, in the order in which they stand in it.

    Attributes:
        records: In order; queue and system records stay among them for their place.
        start: Index of the first record of the region; preserved records have smaller ones.
        replaced_before: Records with a smaller index were replaced by a summary that stands in the
            selection too; 0 if none were.
        exempt: Indices below `replaced_before` that no summary replaces.
    """

    records: tuple[Record, ...]
    start: int
    replaced_before: int
    exempt: frozenset[int]


def select(records: Sequence[Record], *, everything: bool, report: Report) -> Selection:
    """The records of the conversation as it would go on.

    Args:
        records: All records of the file.
        everything: True ignores boundaries: the whole history.
        report: Takes what was survived or left out.
    """
    log = Log(records, report)
    if not everything:
        return log.newest(report)
    whole, copies = log.region(0, len(log.chain), report)
    replaced_before, exempt = _replaced(log, copies, report)
    return Selection(whole.records, whole.start, replaced_before, exempt)


class Log:
    """The conversation of a file, of which stretches are asked for: each costs its own length only.

    Attributes:
        chain: The records that are of the conversation, branches and replays still among them.
    """

    def __init__(self, records: Sequence[Record], report: Report) -> None:
        """Args: the records of the file; what takes that every message in it is a sub-agent's."""
        self.chain = _main_chain(records, report)
        self._in_file = {record.uuid for record in records}
        self._places: dict[str, list[int]] | None = None

    @property
    def goes_on(self) -> bool:
        """Whether it goes on from another file: its first linked record hangs on one that this file does not hold."""
        first = next((record for record in self.chain if record.uuid is not None), None)
        return first is not None and first.parent is not None and first.parent not in self._in_file

    def newest(self, report: Report) -> Selection:
        """The records from the last compaction on; the arguments are as for `stretch`."""
        return self.stretch(_region_start(self.chain, report), len(self.chain), report)

    def stretch(self, start: int, end: int, report: Report) -> Selection:
        """The records between two places of the chain as they would go on, had the file ended there.

        Args:
            start: Place of a boundary, of a summary that has none, or 0: where a region begins.
            end: One past the last.
            report: Takes what was survived or left out.
        """
        return self.region(start, end, report)[0]

    def region(self, start: int, end: int, report: Report) -> tuple[Selection, list[tuple[Record, Record]]]:
        """As `stretch`, and (first, copy) for each record that stands there twice."""
        region = self.chain[start:end]
        if region and region[0].is_boundary:
            region = _spliced(region, self._preserved(start, region, report), region[0])
        region, copies = _without_copies(region, report)
        region = _without_rewound(region, self._in_file, report)
        first = self.chain[start].index if start < len(self.chain) else 0
        return Selection(tuple(region), first, 0, frozenset()), copies

    def named_by(self, at: int, after: Sequence[Record], report: Report) -> list[Record]:
        """The earlier records that a boundary preserves, in file order.

        Args:
            at: Place of the boundary.
            after: What stands from it on.
            report: Takes what it names and the file does not hold.
        """
        boundary = self.chain[at]
        detail = boundary.detail or {}
        messages, segment = detail.get("preservedMessages"), detail.get("preservedSegment")
        if isinstance(messages, dict) and isinstance(messages.get("uuids"), list):
            wanted = [uuid for uuid in messages["uuids"] if isinstance(uuid, str)]
            places = {uuid: self._place_before(uuid, at) for uuid in wanted}
            later = {r.uuid for r in after}
            for uuid in wanted:
                if places[uuid] is None and uuid not in later:
                    note = f"it preserves {uuid}, which is not in the file"
                    report(Defect("preserved-missing", boundary.where, note))
            return [self.chain[place] for place in sorted(p for p in places.values() if p is not None)]
        if isinstance(segment, dict):
            ends = [str(segment.get(name)) for name in ("headUuid", "tailUuid")]
            head, tail = (self._place_before(end, at) for end in ends)
            if head is not None and tail is not None:
                # A range of the file, not a walk along parents: a walk loses the results of parallel calls.
                return self.chain[head : tail + 1]
            if not {r.uuid for r in after}.issuperset(ends):
                note = "the segment that it preserves is not in the file"
                report(Defect("preserved-missing", boundary.where, note))
        return []

    def _preserved(self, at: int, region: Sequence[Record], report: Report) -> list[Record]:
        """What a boundary preserves and the region does not hold itself."""
        named = self.named_by(at, region, report)
        if not named:
            return []
        uuids = {r.uuid for r in region if r.uuid is not None}
        stamps: dict[tuple[str | None, str], Record] = {
            (r.timestamp, r.type): r for r in region if r.is_message and r.timestamp is not None
        }
        kept = []
        for record in named:
            twin = stamps.get((record.timestamp, record.type))
            if record.uuid in uuids or (twin is not None and _same(record, twin)):
                continue
            if not record.is_summary and not record.is_boundary:
                kept.append(record)
        return kept

    def _place_before(self, uuid: str, at: int) -> int | None:
        """Place of the newest record with a uuid before a place of the chain; None if there is none."""
        if self._places is None:
            self._places = {}
            for place, record in enumerate(self.chain):
                if record.uuid is not None:
                    self._places.setdefault(record.uuid, []).append(place)
        places = self._places.get(uuid, [])
        before = bisect_left(places, at)
        return places[before - 1] if before else None


def _main_chain(records: Sequence[Record], report: Report) -> list[Record]:
    """Without sub-agents' records, unless the file is a sub-agent's own session."""
    messages = [record for record in records if record.is_message]
    if not messages or any(not record.sidechain for record in messages):
        return [record for record in records if not record.sidechain]
    note = "every message belongs to a sub-agent: its conversation is the view"
    report(Defect("sidechain-only", messages[0].where, note))
    return list(records)


def cuts(chain: Sequence[Record]) -> list[int]:
    """Places where regions begin: boundaries, and rootless summaries that have none of their own."""
    found: list[int] = []
    fresh = False
    for place, record in enumerate(chain):
        if record.is_boundary:
            found.append(place)
            fresh = True
        elif record.is_summary and not fresh and record.parent is None:
            found.append(place)
        elif record.is_message:
            fresh = False
    return found


def _region_start(chain: Sequence[Record], report: Report) -> int:
    newest = max((place for place, r in enumerate(chain) if r.is_message), default=-1)
    summary = max((place for place, r in enumerate(chain) if r.is_summary), default=-1)
    for cut in reversed(cuts(chain)):
        if newest >= cut:
            if summary < cut:
                note = "no summary follows this boundary; the region begins at it all the same"
                report(Defect("boundary-without-summary", chain[cut].where, note))
            return cut
        note = "nothing follows this boundary: the compaction broke off and the region before it is shown"
        report(Defect("boundary-without-summary", chain[cut].where, note))
    return 0


def _spliced(region: list[Record], kept: Sequence[Record], boundary: Record) -> list[Record]:
    """The region with the preserved records behind their anchor, else behind its summary."""
    if not kept:
        return region
    detail = boundary.detail or {}
    anchors = [
        part.get("anchorUuid")
        for part in (detail.get("preservedMessages"), detail.get("preservedSegment"))
        if isinstance(part, dict)
    ]
    places = [i for i, r in enumerate(region) if r.uuid is not None and r.uuid in anchors]
    places = places or [i for i, r in enumerate(region) if r.is_summary] or [0]
    return [*region[: places[0] + 1], *kept, *region[places[0] + 1 :]]


def _same(a: Record, b: Record) -> bool:
    if a.message == b.message:
        return True
    results = a.result_ids()
    return bool(results) and None not in results and results == b.result_ids()


def _likeness(record: Record) -> Hashable:
    """Equal for any two that are the same."""
    content = record.message["content"] if record.message is not None else None
    if isinstance(content, str):
        return content
    return tuple(map(str, record.result_ids())) or tuple(
        str(block.get("text")) if isinstance(block, dict) else "" for block in record.blocks()
    )


def _without_copies(region: Sequence[Record], report: Report) -> tuple[list[Record], list[tuple[Record, Record]]]:
    """Each message once; the copies come back as (first, copy)."""
    by_uuid: dict[str, Record] = {}
    by_place: dict[tuple[str | None, str, str], Record] = {}
    alike: dict[tuple[tuple[str | None, str, str], Hashable], list[Record]] = {}
    alias: dict[str, str] = {}
    kept: list[Record] = []
    copies: list[tuple[Record, Record]] = []
    for record in region:
        if record.type not in MESSAGE_TYPES or not record.is_message:
            kept.append(record)
            continue
        twin = by_uuid.get(record.uuid) if record.uuid is not None else None
        if twin is not None:
            equal = _same(twin, record)
            note = "shown once" if equal else "its messages differ: both are shown"
            report(Defect("duplicate-uuid", record.where, f"uuid {record.uuid} stands twice; {note}"))
            if equal:
                copies.append((twin, record))
                continue
        elif record.timestamp is not None:
            parent = alias.get(record.parent, record.parent) if record.parent is not None else None
            here = (parent, record.timestamp, record.type)
            other = by_place.setdefault(here, record)
            if other is not record:
                alike.setdefault((here, _likeness(other)), [other])
                same = alike.setdefault((here, _likeness(record)), [])
                first = next((r for r in same if _same(r, record)), None)
                if first is not None:
                    copies.append((first, record))
                    if record.uuid is not None and first.uuid is not None:
                        alias[record.uuid] = first.uuid
                    continue
                same.append(record)
        if record.uuid is not None:
            by_uuid.setdefault(record.uuid, record)
        kept.append(record)
    replayed = [copy for first, copy in copies if first.uuid != copy.uuid]
    if replayed:
        note = f"{len(replayed)} record(s) with parent, time and message of an earlier one; shown once"
        report(Defect("replayed-records", replayed[0].where, note))
    return _rehung(kept, alias), copies


def _rehung(records: Sequence[Record], alias: Mapping[str, str]) -> list[Record]:
    """The records with parents that name a dropped copy pointed at what the copy repeats."""
    if not alias:
        return list(records)
    rehung: list[Record] = []
    for record in records:
        parent = alias.get(record.parent) if record.parent is not None else None
        rehung.append(record if parent is None else replace(record, parent=parent))
    return rehung


class _Tree:
    """Parents of the region's records, with file order where a parent is missing."""

    def __init__(self, region: Sequence[Record]) -> None:
        self.region = region
        self.place = {r.uuid: i for i, r in enumerate(region) if r.uuid is not None}
        self.parents = self._parents()

    def _parents(self) -> list[int]:
        """For each place the place of its parent, -1 for a root and for a record outside the tree."""
        parents: list[int] = []
        stand_in: dict[str, int] = {}  # siblings under one missing parent stay siblings
        before = -1
        for place, record in enumerate(self.region):
            if record.uuid is None or record.parent is None:
                parents.append(-1)
            else:
                known = self.place.get(record.parent, -1)
                # A parent that stands later would make a circle; no client writes one.
                parents.append(known if 0 <= known < place else stand_in.setdefault(record.parent, before))
            if record.is_message:
                before = place
        return parents

    def fork_key(self, place: int) -> str | int:
        """What two records share when they hang on the same message, other records between ignored."""
        record = self.region[place]
        while record.parent is not None:
            if record.parent not in self.place:
                return record.parent
            above = self.parents[place]
            if above < 0 or above >= place:
                return record.parent
            place, record = above, self.region[above]
            if record.is_message or record.is_boundary:
                return place
        return _ROOT

    def line_of(self, place: int) -> set[int]:
        """The place and all places above it."""
        line: set[int] = set()
        while place >= 0 and place not in line:
            line.add(place)
            place = self.parents[place]
        return line

    def below(self, roots: Iterable[int]) -> set[int]:
        """The roots and everything that hangs on them."""
        out = set(roots)
        for place, parent in enumerate(self.parents):  # parents stand before their children
            if parent in out:
                out.add(place)
        return out


def _is_words(record: Record) -> bool:
    """Text in a person's role: what a branch that a person began starts with."""
    return (
        record.type == "user"
        and record.is_message
        and not record.summary
        and not record.hidden
        and not record.result_ids()
    )


def _is_prompt(record: Record) -> bool:
    if not _is_words(record) or record.meta or record.machine_origin or record.message is None:
        return False
    content = record.message["content"]
    blocks = [{"text": content}] if isinstance(content, str) else record.blocks()
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return not all(isinstance(text, str) and harness_forms(text) for text in texts)


def _without_rewound(region: Sequence[Record], in_file: set[str | None], report: Report) -> list[Record]:
    tree = _Tree(region)
    for record in region:
        if record.is_message and record.parent is not None and record.parent not in in_file:
            note = f"its parent {record.parent} is not in the file; the record before it takes its place"
            report(Defect("missing-parent", record.where, note))
    messages = [i for i, r in enumerate(region) if r.is_message]
    if not messages:
        return list(region)
    forks: dict[str | int, list[int]] = {}
    for place in messages:
        if _is_words(region[place]):
            forks.setdefault(tree.fork_key(place), []).append(place)
    forks = {key: fork for key, fork in forks.items() if len(fork) > 1}
    if not forks:
        return list(region)
    newest = tree.line_of(messages[-1])
    rootless = [region[i] for i in messages if region[i].parent is None]
    linked = not any(record.type == "assistant" or record.result_ids() for record in rootless)
    roots = [
        place
        for key, fork in forks.items()
        if isinstance(key, int) or (key == _ROOT and linked)
        for place in _left_behind(fork, region, newest)
    ]
    if not roots:
        return list(region)
    out = tree.below(roots)
    gone = [i for i in messages if i in out]
    note = f"{len(gone)} record(s) of a branch that was rewound; kept in the file, not shown"
    report(Defect("rewound-branch", region[min(gone)].where, note))
    out |= _queued_inside(region, out)
    return [r for i, r in enumerate(region) if i not in out]


def _left_behind(fork: Sequence[int], region: Sequence[Record], newest: set[int]) -> list[int]:
    """The members of a fork that lead away from the newest record."""
    lead = [i for i in fork if i in newest]
    if len(lead) != 1 or not _is_prompt(region[lead[0]]):
        return []
    stamps = {i: region[i].timestamp for i in fork}
    stamp = stamps[lead[0]]
    if stamp is None:
        return []
    return [i for i in fork if stamps[i] is not None and stamps[i] != stamp]


def _queued_inside(region: Sequence[Record], out: set[int]) -> set[int]:
    """Queue records between two records of a rewound branch belong to it."""
    inside: set[int] = set()
    before, waiting = False, list[int]()
    for place, record in enumerate(region):
        if record.type == "queue-operation":
            waiting.append(place)
        elif record.is_message:
            if before and place in out:
                inside.update(waiting)
            before, waiting = place in out, []
    return inside


def _replaced(log: Log, copies: Sequence[tuple[Record, Record]], report: Report) -> tuple[int, frozenset[int]]:
    """(first index that no summary replaces, indices below it that none replaces)."""
    newest = max((place for place, r in enumerate(log.chain) if r.is_summary), default=-1)
    places = [place for place in cuts(log.chain) if place <= newest]
    if not places:
        return 0, frozenset()
    cut = log.chain[places[-1]]
    exempt = {first.index for first, copy in copies if first.index < cut.index <= copy.index}
    if cut.is_boundary:
        named = log.named_by(places[-1], log.chain[places[-1] :], report)
        exempt |= {r.index for r in named if not r.is_summary}
    return cut.index, frozenset(exempt)


def message_text(message: Mapping[str, JSON]) -> str | None:
    """The text of a message that is text alone."""
    content = message["content"]
    if isinstance(content, str):
        return content
    blocks = [b.get("text") if isinstance(b, dict) and b.get("type") == "text" else None for b in content]
    texts = [text for text in blocks if isinstance(text, str)]
    return "\n".join(texts) if texts and len(texts) == len(blocks) else None
