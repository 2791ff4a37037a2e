"""Looking up: which stored spans a question names, and which of them come first.

Order, each rule deciding where those before it leave two spans equal:

1. More of the question's handles before fewer.
2. The name as it stands, then another spelling of it, then a path of which it is the tail.
3. The span whose own handle it is, then spans that only mention it.
4. Of those that only mention it: a person's words, then all else.
5. The session itself, then its ancestors.
6. Newest first; inside one exchange the call before its result.

Liveness does not count: the store answers what was seen, newest first, and each answer says whether its
native handle was live when it was recorded. A path is the tail of another only by whole segments, and
answers for it only where it is the tail of no second one; a bare file name never answers for a longer
path that was asked for, since nothing says that it is the same file.

A question is put to the session first, and what it does not know to its ancestors, as far as they had
got when it was forked off; of what it only mentions they are asked for the original. The same span in
two of them is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, Protocol

from cenotaph.core.asking import (
    PATH_SCHEMES,
    Question,
    is_tail,
    path_of,
    spellings,
)
from cenotaph.core.effects import HandleRow, SpanRow
from cenotaph.core.handles import redacted
from cenotaph.core.ids import HANDLE_PREFIX, JSON
from cenotaph.core.lineage import Ancestor, ancestors, known_records, records_of
from cenotaph.core.manifest import Manifest, is_manifest
from cenotaph.core.model import Provenance
from cenotaph.core.tombstone import Tombstone
from cenotaph.errors import AmbiguousHandle, StoreDamaged
from cenotaph.limits import hints_max

__all__ = ["Found", "Match", "SpanSource", "look_up"]

_OWN_KINDS: Final = frozenset({"native", "tombstone"})
"""Kinds of handle rows that say what a span is, not what stands in it."""


class SpanSource(Protocol):
    """What rehydration needs of a store; see `cenotaph.store.base` for the promises of each."""

    def key(self) -> bytes: ...
    def get(self, session: str, handle: str) -> bytes | None: ...
    def span_rows(
        self,
        session: str,
        *,
        handle: str | None = None,
        span_ids: Sequence[str] | None = None,
        turn: int | None = None,
    ) -> list[SpanRow]: ...
    def find(self, session: str, value: str) -> list[HandleRow]: ...
    def handle_values(self, session: str) -> list[str]: ...
    def objects(self, session: str) -> Iterable[str]: ...
    def records(self, session: str, *, start: int = 0, count: int | None = None) -> list[dict[str, JSON]]: ...


class Match(IntEnum):
    """How closely a name in a question meets a stored one; less is closer."""

    exact = 0
    alias = 1
    tail = 2


@dataclass(slots=True)
class Found:
    """One stored span that a question names.

    Attributes:
        row: What it was.
        session: Whose it is: the session that was asked, or an ancestor.
        depth: 0 for the session that was asked, 1 for its parent, and so on.
        asked: Names in the question that lead to it, as they stand there.
        match: The closest of them.
        own: It is what the name names, not a span that mentions it.
    """

    row: SpanRow
    session: str
    depth: int
    asked: tuple[str, ...]
    match: Match
    own: bool

    def rank(self) -> tuple[int, ...]:
        """Sorts ascending by the order at the head of this module."""
        mentions = 0 if self.own or self.row.provenance == Provenance.user.value else 1
        within = self.row.position if self.row.exchange else -self.row.position
        place = (self.depth, -self.row.turn, -self.row.exchange, within)
        return (-len(self.asked), self.match, not self.own, mentions, *place)


def look_up(question: Question, source: SpanSource, session: str) -> list[Found]:
    """Every span that the question names, each once, in the order in which they are given.

    Raises:
        AmbiguousHandle: Nothing is named for certain, and a name is the beginning or tail of several.
        StoreDamaged: A manifest or an ancestor that the store promises is not there.
        StoreError: The store failed.
    """
    look = _Look(source, session)
    for tombstone in question.tombstones:
        look.tombstone(tombstone)
    for handle in question.stored:
        look.stored(handle)
    if not question.of_markers:
        look.words(question)
    if look.ambiguous and not look.found:
        asked, names = next(iter(look.ambiguous.items()))
        raise AmbiguousHandle(
            f"{asked!r} names {len(names)} things in session {session!r}: {', '.join(names[:hints_max])}.",
            hints=names[:hints_max],
            next_step="Ask for one of them.",
            what=asked,
            session=session,
        )
    return sorted(look.found.values(), key=Found.rank)


@dataclass(frozen=True, slots=True)
class _Hit:
    """A row that a name leads to; `depth` says in which session of the line it stands."""

    row: SpanRow
    match: Match
    own: bool
    depth: int


@dataclass(slots=True)
class _Look:
    """One question put to one store."""

    source: SpanSource
    session: str
    found: dict[str, Found] = field(default_factory=dict)
    ambiguous: dict[str, list[str]] = field(default_factory=dict)
    _line: list[_Ancestor] | None = None
    _key: bytes | None = None

    # What is asked --------------------------------------------------------------------------

    def tombstone(self, tombstone: Tombstone) -> None:
        """All spans of what left under the line, else what its handles name.

        Where it names a store's handle only that is asked for: another version under the native one is
        not what stood here.
        """
        asked = tombstone.render()
        for depth, session in self._sessions():
            named = [row.span_id for row in self.source.find(session, asked)]
            hits = self._expanded(depth, session, self._named_rows(session, named))
            stored = [handle for handle in tombstone.recover if handle.startswith(HANDLE_PREFIX)]
            for handle in stored or tombstone.recover:
                if hits:
                    break
                hits = _here(tombstone, self._recovered(depth, session, handle))
            if self._add(asked, hits):
                return

    def stored(self, handle: str) -> None:
        """What lies under a store handle, or under the one that begins so."""
        for depth, session in self._sessions():
            rows = self.source.span_rows(session, handle=handle)
            if not rows:
                known = [name for name in self.source.objects(session) if name.startswith(handle)]
                by_name = {name: self.source.span_rows(session, handle=name) for name in known}
                by_name = {name: rows for name, rows in by_name.items() if rows}
                if len(by_name) > 1:
                    self.ambiguous[handle] = list(by_name)
                    return
                rows = next(iter(by_name.values()), [])
            if self._add(handle, self._expanded(depth, session, rows)):
                return

    def words(self, question: Question) -> None:
        """A place, else the words as they stand, else each handle in them."""
        if question.turn is not None and self._place(question.text, *question.turn):
            return
        if not question.text:
            return
        if self._name(question.text):
            return
        unknown = [name for name in question.named if not self._name(name)]
        if not any(map(str.isspace, question.text)):
            unknown.append(question.text)
        for name in unknown:
            self._spelled_otherwise(name)

    def _place(self, asked: str, turn: int, exchange: int | None) -> bool:
        for depth, session in self._sessions():
            rows = self.source.span_rows(session, turn=turn)
            here = [row for row in rows if exchange in (None, row.exchange)]
            if self._add(asked, [_Hit(row, Match.exact, True, depth) for row in _originals(here)]):
                return True
        return False

    def _name(self, name: str) -> bool:
        """The spans under a name in any spelling, in the first session that knows it.

        Where that one only mentions it, what it is the name of comes from the next that has it: a fork may hold
        the call that names a file, and the session before it what was read there.
        """
        added = False
        for depth, session in self._sessions():
            hits = self._named(depth, session, name)
            owned = [hit for hit in hits if hit.own]
            added |= self._add(name, owned if added else hits)
            if owned:
                break
        return added

    def _named(self, depth: int, session: str, name: str) -> list[_Hit]:
        best: dict[str, tuple[Match, bool]] = {}
        for value, match in _spelled(name):
            for row in self.source.find(session, self._redacted(value)):
                found = (Match.alias if row.kind == "alias" else match, row.kind not in _OWN_KINDS)
                best[row.span_id] = min(found, best.get(row.span_id, found))
        return self._hits(depth, session, best)

    def _hits(self, depth: int, session: str, best: Mapping[str, tuple[Match, bool]]) -> list[_Hit]:
        rows = _originals(self._named_rows(session, list(best)))
        return [_Hit(row, best[row.span_id][0], not best[row.span_id][1], depth) for row in rows]

    def _spelled_otherwise(self, name: str) -> None:
        """Last of all every stored name is looked at: another spelling of it, or a path with the same tail."""
        asked = self._redacted(name)
        for depth, session in self._sessions():
            spelled, tails = _similar(asked, self.source.handle_values(session))
            if len(tails) > 1:
                self.ambiguous.setdefault(name, [value for values in tails.values() for value in values[:1]])
                tails = {}
            values = dict.fromkeys(spelled, Match.alias)
            values |= {value: Match.tail for group in tails.values() for value in group if value not in values}
            best: dict[str, tuple[Match, bool]] = {}
            for value, match in values.items():
                for row in self.source.find(session, value):
                    found = (match, row.kind not in _OWN_KINDS)
                    best[row.span_id] = min(found, best.get(row.span_id, found))
            if self._add(name, self._hits(depth, session, best)):
                return

    # Rows -----------------------------------------------------------------------------------

    def _redacted(self, value: str) -> str:
        if self._key is None:
            self._key = self.source.key()
        return redacted(value, self._key)

    def _rows(self, session: str, span_ids: Sequence[str]) -> list[SpanRow]:
        return self.source.span_rows(session, span_ids=span_ids) if span_ids else []

    def _named_rows(self, session: str, span_ids: Sequence[str]) -> list[SpanRow]:
        """Rows of spans that names of the session lead to, so each must be there."""
        rows = self._rows(session, span_ids)
        missing = set(span_ids) - {row.span_id for row in rows}
        if missing:
            raise StoreDamaged(
                f"names of session {session!r} lead to span {min(missing)}, which has no row any more.",
                next_step="Run cenotaph verify --read-data; restore the store from a copy.",
                session=session,
                span_id=min(missing),
            )
        return rows

    def _recovered(self, depth: int, session: str, handle: str) -> list[_Hit]:
        """What a handle of a tombstone names: an object, or the spans whose own handle it is."""
        if handle.startswith(HANDLE_PREFIX):
            return self._expanded(depth, session, self.source.span_rows(session, handle=handle))
        return [hit for hit in self._named(depth, session, handle) if hit.own]

    def _expanded(self, depth: int, session: str, rows: Iterable[SpanRow]) -> list[_Hit]:
        """The rows, and in the place of each manifest all that it stands for; each manifest is read once."""
        originals: dict[str, _Hit] = {}
        waiting, seen = [_Hit(row, Match.exact, True, depth) for row in rows], set[str]()
        while waiting:
            hit = waiting.pop()
            if not is_manifest(hit.row):
                originals[hit.row.span_id] = hit
            elif hit.row.handle not in seen:
                seen.add(hit.row.handle)
                waiting += self._behind(hit.depth, hit.row.handle)
        return [hit for hit in originals.values() if _is_original(hit.row)]

    def _behind(self, depth: int, handle: str) -> list[_Hit]:
        """What a manifest names; of what left before its session was forked an ancestor has the rows."""
        manifest_of = self._session_at(depth)
        data = self.source.get(manifest_of, handle)
        if data is None:
            raise _dangling(manifest_of, handle, "itself")
        contents = Manifest.decode(data, handle)
        hits: list[_Hit] = []
        spans, folds = list(contents.spans), list(contents.folds)
        for at, session in self._sessions():
            if at < depth:
                continue
            rows = self._rows(session, spans)
            by_fold = {fold: self.source.span_rows(session, handle=fold) for fold in folds}
            rows += [row for behind in by_fold.values() for row in behind]
            hits += [_Hit(row, Match.exact, True, at) for row in rows]
            known = {row.span_id for row in rows}
            spans = [span for span in spans if span not in known]
            folds = [fold for fold, behind in by_fold.items() if not behind]
            if not spans and not folds:
                return hits
        raise _dangling(manifest_of, handle, min([*spans, *folds]))

    def _session_at(self, depth: int) -> str:
        return self._ancestors()[depth - 1].session if depth else self.session

    def _add(self, asked: str, hits: Iterable[_Hit]) -> bool:
        """Takes what was found under a name; whether that was anything."""
        added = False
        for hit in hits:
            if hit.depth and hit.row.span_id in self._ancestors()[hit.depth - 1].later:
                continue
            added = True
            fresh = Found(hit.row, self._session_at(hit.depth), hit.depth, (), hit.match, hit.own)
            known = self.found.setdefault(hit.row.span_id, fresh)
            if known.depth == hit.depth:
                known.row = hit.row
            known.asked = tuple(dict.fromkeys((*known.asked, asked)))
            known.match, known.own = min(known.match, hit.match), known.own or hit.own
        return added

    # Ancestors ------------------------------------------------------------------------------

    def _sessions(self) -> Iterator[tuple[int, str]]:
        """The session, then its ancestors, nearest first; looked for only when they are needed."""
        yield 0, self.session
        for depth, ancestor in enumerate(self._ancestors(), 1):
            yield depth, ancestor.session

    def _ancestors(self) -> list[_Ancestor]:
        if self._line is None:
            line = ancestors(self.source, self.session)
            self._line = [_Ancestor(one.session, _later(self.source, one)) for one in line]
        return self._line


@dataclass(frozen=True, slots=True)
class _Ancestor:
    """A session from which another was forked off.

    Attributes:
        session: Its name.
        later: Span ids that it first named after the fork.
    """

    session: str
    later: frozenset[str]


def _later(source: SpanSource, ancestor: Ancestor) -> frozenset[str]:
    """Span ids that only records after the fork name."""
    before = frozenset(_entered(known_records(source, ancestor)))
    return frozenset(_entered(records_of(source, ancestor.session))) - before


def _entered(records: Iterable[Mapping[str, JSON]]) -> Iterator[str]:
    for record in records:
        for entry in record.get("entries") or ():
            if isinstance(entry, Mapping) and isinstance(entry.get("span"), str):
                yield entry["span"]


def _here(tombstone: Tombstone, hits: list[_Hit]) -> list[_Hit]:
    """Of equal content at several places that which stood at the tombstone's."""
    here = [hit for hit in hits if hit.row.turn == tombstone.turn and tombstone.n in (None, hit.row.exchange)]
    return here or hits


def _originals(rows: Iterable[SpanRow]) -> list[SpanRow]:
    return [row for row in rows if _is_original(row)]


def _is_original(row: SpanRow) -> bool:
    """Our own text is no original."""
    return row.provenance != Provenance.compactor.value


def _dangling(session: str, manifest: str, missing: str) -> StoreDamaged:
    return StoreDamaged(
        f"the manifest {manifest} of session {session!r} names {missing}, which the store does not have.",
        next_step="Run cenotaph verify --read-data.",
        session=session,
        handle=manifest,
        missing=missing,
    )


# Spellings ----------------------------------------------------------------------------------


def _spelled(name: str) -> Iterator[tuple[str, Match]]:
    """The values under which rows may stand for a name, the closest first; a path also with its scheme."""
    scheme = next((prefix for prefix in PATH_SCHEMES if name.startswith(prefix)), "")
    plain = name[len(scheme) :]
    exact = [name, plain] if scheme else [name, *(prefix + name for prefix in PATH_SCHEMES)]
    others = [*spellings(name)]
    path = path_of(name)
    if path is not None:
        others += [path, *(prefix + path for prefix in ([scheme] if scheme else PATH_SCHEMES))]
    for value in dict.fromkeys(value for value in exact if value):
        yield value, Match.exact
    for value in dict.fromkeys(value for value in others if value and value not in exact):
        yield value, Match.alias


def _similar(asked: str, values: Iterable[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Stored values that are another spelling of what was asked, and those that share its tail, by path.

    Several paths that are tails of each other are one; of tails of what was asked the longest counts.
    """
    names, path = frozenset(spellings(asked)), path_of(asked)
    # Whatever shares a name or a tail holds one of these; most values hold none, and are passed over.
    needles = [(name if path is None else name.rsplit("/", 1)[-1]).lower() for name in names]
    spelled: list[str] = []
    longer: dict[str, list[str]] = {}
    shorter: dict[str, list[str]] = {}
    for value in values:
        lowered = value.lower()
        if not any(needle in lowered for needle in needles):
            continue
        if not names.isdisjoint(spellings(value)):
            spelled.append(value)
        elif path is not None and (other := path_of(value)) is not None and is_tail(other, path):
            if len(other) > len(path):
                longer.setdefault(other, []).append(value)
            elif "/" in other:
                shorter.setdefault(other, []).append(value)
    if longer:
        return spelled, _one_chain(longer)
    longest = max(shorter, key=len, default=None)
    return spelled, {} if longest is None else {longest: shorter[longest]}


def _one_chain(paths: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """All values under one path if each path is a tail of the longest; else as they are."""
    longest = max(paths, key=len)
    if all(path == longest or is_tail(path, longest) for path in paths):
        return {longest: [value for values in paths.values() for value in values]}
    return dict(paths)
