"""Compactions in session files of pi: entries of type `compaction`, and summaries of branches that were left.

A compaction keeps the entries from `firstKeptEntryId` (version 1: `firstKeptEntryIndex`, counted among all
entries with the header) and puts its summary before them; a branch summary stands for what was said on the
branch that the person left. Nothing is deleted from the file. The names of read and modified files in
`details` stand in the summary's own text as well.

The view before a compaction is that of its parent entry, the view after it that of itself. Only the entries
that take part in a view are read for it.

Source: pi-mono, coding-agent: session-manager.ts (`buildSessionContext`, `branchWithSummary`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.compactions.chain import Chain
from cenotaph.dialects.compactions.moments import iso_of
from cenotaph.dialects.content import string_of
from cenotaph.dialects.pi import PI
from cenotaph.dialects.session_input import decoded, is_whole, mapping_of, records_of
from cenotaph.errors import InputError

__all__ = ["SIGNS", "chronicle"]

SIGNS: Final = (b"compaction", b"branch_summary")
"""One of them stands in every file with a compaction."""

_COMPACTION: Final = "compaction"
_BRANCH: Final = "branch_summary"
_ASIDE: Final = frozenset({"label", "session_info"})
"""Entries that say something of others: no conversation ends with one."""


def chronicle(value: JSON) -> Chronicle:
    """A session with its compactions.

    Args:
        value: As `PI.parse` takes it.

    Raises:
        InputError, DialectError: As `PI.parse`.
    """
    defects: list[Defect] = []
    content = decoded(value, PI.name, defects.append)
    view = _view(content)
    whole = view or PI.parse(content, region="all")
    tree = _Tree(records_of(content))
    chain = Chain()
    newest: int | None = None  # the compaction that made the view which the chain shows
    for at, entry in enumerate(tree.entries):
        if entry.get("type") == _COMPACTION:
            before = tree.lineage(tree.parent_of(at), tree.kept_by(entry))
            _show(chain, tree.view(before), held=newest in before)
            _compact(chain, tree, at, tree.view([*before, at]))
            newest = at
        elif entry.get("type") == _BRANCH:
            _show(chain, tree.view(tree.lineage(tree.last_before(at))), held=False)
            _compact(chain, tree, at, tree.view(tree.lineage(at)))
            newest = None
    _show(chain, view, held=newest in tree.lineage(len(tree.entries) - 1))
    return chain.chronicle(
        PI.name,
        whole.wire,
        session=whole.session,
        defects=(*defects, *whole.defects),
        records=len(tree.entries),
    )


def _view(content: JSON) -> Transcript | None:
    """What the model is sent; None where that is nothing."""
    try:
        return PI.parse(content)
    except InputError:  # no entry is a message, or none was kept
        return None


def _show(chain: Chain, view: Transcript | None, *, held: bool) -> None:
    if view is not None:
        chain.show(view.messages, view.usage, held=len(chain.shown) if held else 0)


def _compact(chain: Chain, tree: _Tree, at: int, after: Transcript | None) -> None:
    entry = tree.entries[at]
    tokens = entry.get("tokensBefore")
    trigger = "hook" if entry.get("fromHook") is True else None
    chain.compact(
        Mechanism.pi_compaction,
        () if after is None else after.messages,
        () if after is None else after.usage,
        complete=not tree.torn,
        trigger=_BRANCH if entry.get("type") == _BRANCH else trigger,
        tokens_before=tokens if is_whole(tokens) else None,
        where=tree.where(at),
        when=iso_of(entry.get("timestamp")),
        wire="" if after is None else after.wire,
    )


class _Tree:
    """The entries of a session, and how they hang together.

    Attributes:
        entries: All records but the header, in file order; a place is an index in it.
        torn: The parent of an entry that was looked at is not in the file.
    """

    def __init__(self, records: Sequence[JSON]) -> None:
        self.header = records[0]
        own = [(index, mapping_of(record)) for index, record in enumerate(records)]
        own = [(index, entry) for index, entry in own if entry.get("type") != "session"]
        self.entries: list[Mapping[str, JSON]] = [entry for _, entry in own]
        self.torn = False
        self._records = [index for index, _ in own]
        self._place_of_record = {index: place for place, index in enumerate(self._records)}
        self._place_of_id = {e["id"]: place for place, e in enumerate(self.entries) if isinstance(e.get("id"), str)}
        self._is_tree = any("parentId" in entry for entry in self.entries)

    def where(self, at: int) -> str:
        return f"entry {self._records[at]}"

    def parent_of(self, at: int) -> int:
        """The place of the entry before one on its path; -1 before the first, the one before it if it is missing."""
        parent = self.entries[at].get("parentId")
        if not self._is_tree:
            return at - 1
        if parent is None or parent == mapping_of(self.header).get("id"):
            return -1
        place = self._place_of_id.get(parent) if isinstance(parent, str) else None
        if place is None:
            self.torn = True
            return at - 1
        return place

    def last_before(self, at: int) -> int:
        """The place where the conversation stood when an entry was written; -1 at the beginning."""
        last = at - 1
        while last >= 0 and string_of(self.entries[last].get("type")) in _ASIDE:
            last -= 1
        return last

    def kept_by(self, compaction: Mapping[str, JSON]) -> int | None:
        """The place of the first entry that a compaction keeps; None if it keeps none that is here."""
        name, index = compaction.get("firstKeptEntryId"), compaction.get("firstKeptEntryIndex")
        if isinstance(name, str):
            return self._place_of_id.get(name)
        return self._place_of_record.get(index) if is_whole(index) else None

    def lineage(self, last: int, wanted: int | None = None) -> list[int]:
        """The places on the path that ends with one, from where its view begins.

        Args:
            last: -1 gives an empty path.
            wanted: A place on the path that has to be there as well.
        """
        path: dict[int, None] = {}
        missing = {wanted} - {None}
        compacted = False
        at = last
        while at >= 0 and at not in path:
            path[at] = None
            missing.discard(at)
            if not compacted and self.entries[at].get("type") == _COMPACTION:
                compacted = True
                missing |= {self.kept_by(self.entries[at])} - {None}
            if compacted and not missing:
                break
            at = self.parent_of(at)
        return list(path)[::-1]

    def view(self, path: Sequence[int]) -> Transcript | None:
        """What the model is sent at the end of a path; None where that is nothing."""
        index_of = {self._records[place]: index for index, place in enumerate(path, 1)}
        entries = [_renumbered(self.entries[place], index_of) for place in path]
        return _view([self.header, *entries])


def _renumbered(entry: Mapping[str, JSON], index_of: Mapping[int, int]) -> Mapping[str, JSON]:
    """The entry as it stands among those of a path; version 1 counts records."""
    index = entry.get("firstKeptEntryIndex")
    return {**entry, "firstKeptEntryIndex": index_of.get(index, -1)} if is_whole(index) else entry
