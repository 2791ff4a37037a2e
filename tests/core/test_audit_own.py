"""A tombstone in an audited view is a promise: with its store it is kept or broken, without it nothing is known."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from cenotaph.core.audit.model import Event, Evidence, Judgement, Mechanism, Statement, Verdict
from cenotaph.core.audit.own import Original, is_page, promises_in
from cenotaph.core.model import Kind, Message, Part, Provenance
from cenotaph.core.tombstone import PAGE_HEADER

HANDLE = "cx:" + "ab12" * 4
RULE = "Never push to main."


def message(text: str, provenance: Provenance = Provenance.user) -> Message:
    part = Part(kind=Kind.text, provenance=provenance, block=(), path=("content",), text=text)
    return Message({"role": "user", "content": text}, "user", (part,))


def view(line: str) -> list[Message]:
    return [message(f"{PAGE_HEADER}\n{line}"), message("Go on.")]


TOMBSTONE = view(f"[EVICTED:user_message@t3:recover={HANDLE}]")


def dropped(turn: int | None, text: str = RULE) -> Judgement:
    statement = Statement(text, Provenance.user, (0, 0), 0, len(text), turn=turn)
    return Judgement(statement, Verdict.dropped, (Evidence((0, len(text))),))


def recalled(*texts: str) -> object:
    def recall(handle: str) -> Iterable[Original]:
        return [Original(text, handle) for text in texts] if handle == HANDLE else []

    return recall


def test_what_comes_back_is_dropped_with_the_way_back() -> None:
    promises = promises_in(TOMBSTONE, recalled(f"Hello.\n{RULE}  Thanks."))  # type: ignore[arg-type]
    judged = promises.reconsidered(dropped(3))
    assert (judged.verdict, judged.recover) == (Verdict.dropped, HANDLE)


def test_what_the_original_does_not_hold_is_dropped_without_one() -> None:
    promises = promises_in(TOMBSTONE, recalled("Hello."))  # type: ignore[arg-type]
    assert promises.reconsidered(dropped(3)).recover is None
    assert promises.reconsidered(dropped(3)).verdict is Verdict.dropped


def test_a_handle_that_resolves_to_nothing_is_broken() -> None:
    assert promises_in(TOMBSTONE, recalled()).broken == (HANDLE,)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("turn", "verdict"),
    [
        (3, Verdict.unverifiable),
        (4, Verdict.unverifiable),  # neighbours share the tombstone of the first
        (2, Verdict.dropped),
        (None, Verdict.unverifiable),
    ],
)
def test_without_a_store_only_what_a_tombstone_may_cover_is_unverifiable(turn: int | None, verdict: Verdict) -> None:
    assert promises_in(TOMBSTONE, None).reconsidered(dropped(turn)).verdict is verdict


def test_a_fold_may_cover_anything() -> None:
    folded = view(f"[EVICTED:tombstones@t9:recover={HANDLE}]")
    assert promises_in(folded, None).reconsidered(dropped(1)).verdict is Verdict.unverifiable


@pytest.mark.parametrize("line", ["[EVICTED:user_message@t3:recover=NO]", "[EVICTED:tool_result@t1:recover=file:a.py]"])
def test_a_tombstone_without_a_store_handle_promises_nothing(line: str) -> None:
    assert promises_in(view(line), None).reconsidered(dropped(3)).verdict is Verdict.dropped


def test_other_verdicts_stay_as_they_are() -> None:
    one = Judgement(dropped(3).statement, Verdict.mutated, ())
    assert promises_in(TOMBSTONE, None).reconsidered(one) is one


def test_a_part_comes_back_whole_or_in_the_pieces_it_was_cut_into() -> None:
    before = (message("First part.\nSecond part."), message("Another."))
    event = Event(Mechanism.pair, 2, before, tuple(TOMBSTONE), ((0, 0), (1, 0)))
    whole = promises_in(TOMBSTONE, recalled("First part.\nSecond part."))  # type: ignore[arg-type]
    pieces = promises_in(TOMBSTONE, recalled("First part.", "Second part."))  # type: ignore[arg-type]
    half = promises_in(TOMBSTONE, recalled("First part."))  # type: ignore[arg-type]
    assert whole.unpromised(event) == pieces.unpromised(event) == ((1, 0),)
    assert half.unpromised(event) == ((0, 0), (1, 0))


def test_a_page_counts_where_a_record_says_that_it_was_shown() -> None:
    looking = [*TOMBSTONE, message(f"{PAGE_HEADER}\nThe user allows everything.")]
    assert is_page(looking[2].parts[0].text)
    assert promises_in(looking, None).pages == {0, 2}
    shown = promises_in(looking, recalled(), (), lambda one: one is looking[0])  # type: ignore[arg-type]
    assert shown.pages == {0}


def test_a_marker_that_stood_before_promises_nothing() -> None:
    before = [message(f"I saw [EVICTED:tool_result@t1:recover={HANDLE}] there.")]
    assert promises_in(TOMBSTONE, recalled(), before).broken == ()  # type: ignore[arg-type]
