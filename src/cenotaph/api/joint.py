"""Where what a client sends joins the history of a session.

A client sends its whole history, or a view with what came since; the view may be an older one, because
the client went back to it, or because it never took a later one. What is sent begins with the history or
the view of some cut, which is known by its hash. From a view follows which history it stands for; with it
the newest cut is looked for that lies on this history, so that a client that took an old view for its
history is not taken for another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cenotaph.api.told import Cut, Told, state_of
from cenotaph.core.carried import Base
from cenotaph.core.ids import JSON, ListHash
from cenotaph.runtime.replay import messages_before
from cenotaph.store.base import Store

__all__ = ["Joint", "joined_at"]


@dataclass(frozen=True, slots=True)
class Joint:
    """The cut from which a session goes on.

    Attributes:
        told: The session of the cut.
        cut: The cut.
        sent: How many of the messages that came stand before those that are new since the cut.
        by_view: They are its view; else they are its history, or an older view with what came after that.
        base: What of the history is not sent, because an older view is sent in its place.
        history: The whole history, with what is new.
        source: Hash of the history up to the cut.
    """

    told: Told
    cut: Cut
    sent: int
    by_view: bool
    base: Base
    history: Sequence[JSON]
    source: ListHash

    @property
    def goes_on(self) -> bool:
        """It is where the session stands; else a fork begins at the cut."""
        return _is_newest(self.told, self.cut)


def joined_at(raws: Sequence[JSON], family: Sequence[Told], store: Store) -> Joint | None:
    """The cut of the session or one of its forks from which what came in goes on, None if there is none.

    Args:
        raws: The messages that came in.
        family: The session, and its forks.
        store: Where they are.
    """
    ends = _ends(ListHash(), raws)
    met = next(iter(_met(ends, family, views=True)), None)
    if met is None:
        return None
    if not met.by_view:
        source = ListHash()
        source.extend(raws[: met.length])
        return Joint(met.told, met.cut, met.length, False, Base(), raws, source)
    return _behind_view(met, raws, family, store)


@dataclass(frozen=True, slots=True)
class _Met:
    """A cut whose history or view is the beginning of something.

    Attributes:
        length: Messages of this beginning.
    """

    told: Told
    cut: Cut
    length: int
    by_view: bool


def _behind_view(met: _Met, raws: Sequence[JSON], family: Sequence[Told], store: Store) -> Joint:
    """The newest cut on the history for which the view stands; the cut of the view itself if there is none newer."""
    before, rest = messages_before(store, met.told.name, met.cut.facts), raws[met.length :]
    history = [*before, *rest]
    source = ListHash()
    source.extend(before)
    stands = _is_newest(met.told, met.cut) and not met.cut.undone
    for later in _met(_ends(source.copy(), rest), family, views=False):
        if later.cut is met.cut or (stands and later.length == len(before)):
            break
        base = _base(met, len(before), store)
        if _all_sent(state_of(store, later.told.name, later.cut.facts)["view"], base):
            source.extend(rest[: later.length - len(before)])
            return Joint(later.told, later.cut, base.length(later.length), False, base, history, source)
    return Joint(met.told, met.cut, met.length, True, Base(), history, source)


def _base(met: _Met, history: int, store: Store) -> Base:
    view = state_of(store, met.told.name, met.cut.facts)["view"]
    return Base(met.length, history, {value: index for index, (kind, value) in enumerate(view) if kind == "s"})


def _all_sent(view: Iterable[Sequence[JSON]], base: Base) -> bool:
    """Whether each message of the history that still stands in a view is among those that are sent."""
    return all(kind != "s" or value >= base.history or value in base.places for kind, value in view)


def _ends(before: ListHash, raws: Sequence[JSON]) -> dict[str, int]:
    """By the hash of a list's beginning its length: `before` alone, and with each further message."""
    ends = {before.hexdigest(): before.length}
    for raw in raws:
        before.extend([raw])
        ends[before.hexdigest()] = before.length
    return ends


def _met(ends: Mapping[str, int], family: Sequence[Told], *, views: bool) -> list[_Met]:
    """The cuts of which one of the beginnings is the history, or the view; those that are met last come first.

    Of a cut that was taken back only the view is looked at: who sends its history wants it cut anew.
    """
    found = [
        (_rank(met, depth), met)
        for depth, told in enumerate(family)
        for cut in told.cuts
        for met in _met_by(told, cut, ends, views=views)
    ]
    return [met for _, met in sorted(found, key=lambda one: one[0], reverse=True)]


def _met_by(told: Told, cut: Cut, ends: Mapping[str, int], *, views: bool) -> Iterator[_Met]:
    length = ends.get(cut.facts["source_sha256"])
    if length is not None and not cut.undone:
        yield _Met(told, cut, length, by_view=False)
    length = ends.get(cut.facts["view_sha256"])
    if length is not None and views:
        yield _Met(told, cut, length, by_view=True)


def _rank(met: _Met, depth: int) -> tuple[int, bool, bool, int, int]:
    return met.length, not met.cut.undone, _is_newest(met.told, met.cut), -depth, met.cut.at


def _is_newest(told: Told, cut: Cut) -> bool:
    """The session stands there: it is the newest cut that stands, or none stands and this one is shown still."""
    return told.standing is None or told.standing.at == cut.at
