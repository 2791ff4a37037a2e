"""Classification: one table, first match wins, every row has an id that plans and records show.

The table is data. A row's condition sees `Facts`, which are structure and provenance; none reads a
span's text to judge its weight. It is total: a test walks every combination of facts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cenotaph.core.facts import Facts, Loop, PlanRole, Reading, State
from cenotaph.core.ids import hash_of
from cenotaph.core.model import Kind, Provenance
from cenotaph.core.policy import Shelf, SpanClass
from cenotaph.core.spans import Span, Structure

__all__ = ["RULES", "Classified", "Row", "classify_structure", "row_for", "table_hash"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        id: Three letters, stable.
        structure: What it matches, in words: what `explain` and the documentation show.
        shelf: Class and how a span of it may leave.
        applies: The condition.
        why: What the row protects, or why the span may leave, in words.
    """

    id: str
    structure: str
    shelf: Shelf
    applies: Callable[[Facts], bool]
    why: str

    @property
    def cls(self) -> SpanClass:
        return self.shelf.cls


def _speech(f: Facts) -> bool:
    return f.provenance is Provenance.user and f.kind in (Kind.text, Kind.media, Kind.other)


def _exchanged(f: Facts) -> bool:
    """A call or a result, not a line of ours that stands for a result."""
    return f.kind in (Kind.call, Kind.result) and f.provenance is not Provenance.compactor


def _tool_result(f: Facts) -> bool:
    ours = f.provenance in (Provenance.compactor, Provenance.foreign)
    return f.kind is Kind.result and not ours


def _may_be_released(f: Facts) -> bool:
    """A call, an open exchange, system text and the newest request stay whatever anybody lets go."""
    ours = f.provenance in (Provenance.system, Provenance.developer, Provenance.compactor)
    return f.kind in (Kind.text, Kind.media, Kind.result) and f.loop is not Loop.open and not ours and not f.request


RULES: Final[tuple[Row, ...]] = (
    Row("pin", "pinned by the caller, a person or a declared pattern", Shelf.never, lambda f: f.pinned,
        "somebody said that it stays"),
    Row("rel", "released by the caller", Shelf.invalidated,
        lambda f: f.released and _may_be_released(f), "somebody said that it need not stay"),
    Row("sys", "system or developer text", Shelf.never,
        lambda f: f.provenance in (Provenance.system, Provenance.developer), "it is the agent's standing order"),
    Row("ans", "a tool result that carries a human's act, and its call", Shelf.never,
        lambda f: f.human_act and _exchanged(f), "a person's refusal, answer or approval exists nowhere else"),
    Row("req", "the newest human message, and what it leans on", Shelf.never,
        lambda f: f.request and not _exchanged(f), "it is what the agent is to do now"),
    Row("ins", "the content of an instruction file", Shelf.authoritative,
        lambda f: f.instruction, "rules of the project"),
    Row("pay", "a payload inside a human message", Shelf.evictable,
        lambda f: f.payload and _speech(f), "quoted or attached matter, exact in the store"),
    Row("usr", "any other human text", Shelf.authoritative, _speech, "a person said it"),
    Row("pln", "what the live plan needs", Shelf.never,
        lambda f: f.plan is PlanRole.live, "steps, states and their qualifiers"),
    Row("plo", "plan calls that the plan no longer needs", Shelf.disposable_drop,
        lambda f: f.plan is PlanRole.spent and _exchanged(f), "later plan calls say it anew"),
    Row("opn", "a call whose result is still to come, with its batch", Shelf.never,
        lambda f: f.loop is Loop.open and _exchanged(f), "the provider expects its result"),
    Row("abd", "an older call without a result", Shelf.never,
        lambda f: f.loop is Loop.abandoned and _exchanged(f), "nobody knows what it did"),
    Row("liv", "start and latest state of what still runs", Shelf.never,
        lambda f: f.resource and _exchanged(f), "its id is the only way to it"),
    Row("sup", "a read that a later read covers", Shelf.disposable_drop,
        lambda f: f.superseded and _tool_result(f), "the later read says it anew"),
    Row("rec", "result of a repeatable tool, nothing since could have changed it", Shelf.live,
        lambda f: f.read and f.state is State.live and _tool_result(f), "asking again gives it back"),
    Row("ded", "result of a repeatable tool, changed or perhaps changed since", Shelf.invalidated,
        lambda f: f.read and _tool_result(f), "only the store has it as it was seen"),
    Row("wrt", "arguments and result of a successful write", Shelf.invalidated,
        lambda f: f.write and f.state is not State.live and (_tool_result(f) or f.kind is Kind.call),
        "what was written is at its handle, the call is in the store"),
    Row("wrt", "arguments and result of a successful write, nothing since could have changed it", Shelf.live,
        lambda f: f.write and (_tool_result(f) or f.kind is Kind.call), "what was written is at its handle"),
    Row("one", "a result of any other tool, and failed results", Shelf.evictable,
        lambda f: _tool_result(f) or (f.provenance is Provenance.tool and f.kind is not Kind.call
                                      and f.kind is not Kind.reasoning),
        "one-shot: it can't be had again"),
    Row("arg", "arguments of any other call", Shelf.with_exchange,
        lambda f: f.kind is Kind.call, "what the agent did; never edited in place"),
    Row("thk", "reasoning", Shelf.disposable_drop,
        lambda f: f.kind is Kind.reasoning, "scratch work, dropped whole, never edited"),
    Row("nar", "agent text followed by more work in the same turn", Shelf.disposable_lift,
        lambda f: f.provenance is Provenance.agent and f.kind is Kind.text and not f.last_word,
        "narration of steps; what weighs in it is lifted"),
    Row("rep", "the agent's last text of a turn", Shelf.authoritative,
        lambda f: f.provenance is Provenance.agent, "its answer, commitments, decisions"),
    Row("hrn", "harness text that comes again on each turn", Shelf.disposable_drop,
        lambda f: f.provenance is Provenance.harness and f.reinjected, "the harness puts it in again"),
    Row("hrn", "any other harness text", Shelf.evictable,
        lambda f: f.provenance is Provenance.harness, "machine text in a human's role"),
    Row("for", "a foreign summary whose whole region stands in the same input", Shelf.disposable_drop,
        lambda f: f.provenance is Provenance.foreign and f.region_present, "its sources are all here"),
    Row("for", "a foreign summary, or a marker of ours without a record", Shelf.authoritative,
        lambda f: f.provenance is Provenance.foreign, "it is all that is left; unverified"),
    Row("own", "our own pages and tombstones", Shelf.own,
        lambda f: f.provenance is Provenance.compactor, "they name what left"),
)  # fmt: skip
"""First match wins. `wrt`, `hrn` and `for` stand twice: their halves differ in how a span may leave."""


def row_for(facts: Facts) -> Row:
    """The row of these facts.

    Raises:
        LookupError: No row matches: the table is not total. Can't happen; a test walks all facts.
    """
    for row in RULES:
        if row.applies(facts):
            return row
    raise LookupError(f"the classification table has no row for {facts}")


@dataclass(frozen=True, slots=True)
class Classified:
    """A transcript with a row for each span.

    Attributes:
        structure: Spans and exchanges.
        reading: The facts behind the rows.
        rows: By span order.
    """

    structure: Structure
    reading: Reading
    rows: tuple[Row, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        return self.structure.spans


def classify_structure(structure: Structure, reading: Reading) -> Classified:
    """Gives every span its row."""
    seen: dict[Facts, Row] = {}
    rows = []
    for facts in reading.facts:
        row = seen.get(facts)
        if row is None:
            row = seen[facts] = row_for(facts)
        rows.append(row)
    return Classified(structure, reading, tuple(rows))


def table_hash() -> str:
    """Identity of the table for records: what each row is called, says and allows."""
    return hash_of([[row.id, row.structure, row.shelf.value] for row in RULES])
