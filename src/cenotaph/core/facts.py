"""Facts: everything that the classification table may know of a span, and nothing else.

All of it is structure: who wrote it, what kind of thing it is, how its call ended, which declared
handle it read and what was written since. No fact rests on what a text says about itself.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

from cenotaph.core.handles import extract
from cenotaph.core.ids import HANDLE_PREFIX, JSON, verbatim_json
from cenotaph.core.model import Kind, Mark, Provenance
from cenotaph.core.plans import Fold, PlanCall, checklist, fold_plan
from cenotaph.core.spans import Exchange, Span, Structure, human_text
from cenotaph.core.tombstone import Tombstone
from cenotaph.core.tools import Tools, ToolSpec, fill_template, template_fields
from cenotaph.limits import frame_lines_max, reads_compared_max, short_request_chars_max

__all__ = ["Facts", "Loop", "PlanRole", "Pins", "State", "collect_facts"]

_INSTRUCTION_FILES: Final = frozenset(
    {
        "claude.md",
        "claude.local.md",
        "agents.md",
        "gemini.md",
        "skill.md",
        ".cursorrules",
        "copilot-instructions.md",
    }
)
_INSTRUCTION_FOLDERS = re.compile(r"/\.(?:claude|cursor|codex)/(?:rules|skills|commands|agents)/")


CALL_SCHEME: Final = "call:"
"""A repeatable tool without a declared handle: known by its call, which is never named in a view."""


class State(StrEnum):
    """Whether the handle of a recoverable span still gives what it gave."""

    none = "none"
    live = "live"
    dead = "dead"
    unknown = "unknown"


class Loop(StrEnum):
    """Whether the exchange of a span is closed."""

    closed = "closed"
    open = "open"
    abandoned = "abandoned"


class PlanRole(StrEnum):
    none = "none"
    live = "live"
    spent = "spent"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the table sees. Two spans with equal facts are classified alike.

    Attributes:
        kind, provenance: As the dialect said.
        pinned: The caller, a person or a declared pattern pinned it.
        released: The caller lets it go.
        human_act: A result that carries a human's act, or its call.
        request: It belongs to the newest request of a human.
        instruction: It is the content of an instruction file.
        payload: A part of a human message that is not speech.
        plan: Whether the live plan needs it.
        loop: Whether its exchange is still open.
        resource: It is the start or the latest state of something that still runs.
        superseded: A later read covers it.
        read: A successful result of a repeatable tool with a handle.
        state: Of the handle that it read or wrote.
        write: Arguments or result of a successful write to a declared handle.
        last_word: The agent's last text of its turn.
        reinjected: Harness text that comes again on each turn.
        region_present: A foreign summary whose region stands in the same input.
    """

    kind: Kind
    provenance: Provenance
    pinned: bool = False
    released: bool = False
    human_act: bool = False
    request: bool = False
    instruction: bool = False
    payload: bool = False
    plan: PlanRole = PlanRole.none
    loop: Loop = Loop.closed
    resource: bool = False
    superseded: bool = False
    read: bool = False
    state: State = State.none
    write: bool = False
    last_word: bool = False
    reinjected: bool = False
    region_present: bool = False


@dataclass(slots=True)
class _Draft:
    """Facts while they are being collected; `settled` freezes them."""

    kind: Kind
    provenance: Provenance
    pinned: bool = False
    released: bool = False
    human_act: bool = False
    request: bool = False
    instruction: bool = False
    payload: bool = False
    plan: PlanRole = PlanRole.none
    loop: Loop = Loop.closed
    resource: bool = False
    superseded: bool = False
    read: bool = False
    state: State = State.none
    write: bool = False
    last_word: bool = False
    reinjected: bool = False
    region_present: bool = False

    def settled(self) -> Facts:
        return Facts(*[getattr(self, name) for name in _FIELDS])


_FIELDS: Final = tuple(field.name for field in fields(Facts))


@dataclass(frozen=True, slots=True)
class Pins:
    """What is pinned.

    Attributes:
        ids: Span ids.
        literals: A span whose text holds one of these is pinned.
        patterns: Likewise, as compiled expressions.
        handles: What was read or written under one of these native handles is pinned, with its call.
        released: Ids of spans, or texts that stand in them, which the caller lets go.
    """

    ids: frozenset[str] = frozenset()
    literals: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()
    handles: frozenset[str] = frozenset()
    released: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        pins: Iterable[str | re.Pattern[str]],
        known_ids: Collection[str],
        keep: Iterable[str] = (),
        released: Iterable[str] = (),
    ) -> Pins:
        """Sorts what a caller names: ids of spans that exist, expressions, else literal text.

        A wish in `keep` is taken by the handles in it, or by its words if it has none. A bare string is one.
        """
        pins = (pins,) if isinstance(pins, (str, re.Pattern)) else pins
        keep = (keep,) if isinstance(keep, str) else keep
        found = {wish: [handle.value for handle in extract(wish)] for wish in keep}
        values = [value for handles in found.values() for value in handles]
        named = [*pins, *values, *(wish for wish, handles in found.items() if not handles)]
        ids = frozenset(pin for pin in named if isinstance(pin, str) and pin in known_ids)
        literals = tuple(pin for pin in named if isinstance(pin, str) and pin not in ids and pin)
        natives = frozenset(normal_handle(name) for value in values for name in (value, f"file:{value}"))
        patterns = tuple(pin for pin in named if isinstance(pin, re.Pattern))
        return cls(ids, literals, patterns, natives, frozenset(name for name in released if name))

    def release(self, span: Span) -> bool:
        return span.id in self.released or any(name in span.text for name in self.released)

    def hold(self, span: Span) -> bool:
        if span.provenance is Provenance.compactor:
            return False
        if span.id in self.ids or Mark.pinned in span.part.marks:
            return True
        if any(literal in span.text for literal in self.literals):
            return True
        return any(pattern.search(span.text) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Reading:
    """The facts of all spans, and what the planner needs beside them.

    Attributes:
        facts: By span order.
        handles: Span order -> native handle that it read or wrote (results, and calls of writes).
        covered_by: Order of a superseded result -> orders of the reads that cover it.
        fallback: Order of a superseded result -> its facts if no covering read stays.
        plan: The fold of the plan tool's calls; a checklist in agent text if there is no such call.
        writes: What may have changed a handle, the newest of each: a later cut must know it after the
            calls have left.
    """

    facts: tuple[Facts, ...]
    handles: dict[int, str]
    covered_by: dict[int, tuple[int, ...]]
    fallback: dict[int, Facts]
    plan: Fold
    writes: tuple[Write, ...] = ()

    def changed_since(self, path: str, turn: int, n: int) -> Write | None:
        """The newest certain write, after a place of the history, to the file that a text calls so.

        A relative path is taken for every written file that ends in it by whole segments.
        """
        wanted = normal_handle(f"file:{path}").removeprefix("file:")
        later = [
            w
            for w in self.writes
            if w.certain and w.handle is not None and (w.turn, w.n) > (turn, n) and _names(w.handle, wanted)
        ]
        return max(later, key=lambda w: (w.turn, w.n), default=None)


def _names(handle: str, path: str) -> bool:
    written = handle.partition(":")[2]
    return written == path or written.endswith(f"/{path}")


@dataclass(frozen=True, slots=True)
class Write:
    """Something that may have changed a handle.

    Attributes:
        turn: Its turn.
        n: The number of its exchange in that turn; 0 before the first.
        handle: Normal native handle; None means anything.
        certain: It succeeded; else it may have.
    """

    turn: int
    n: int
    handle: str | None
    certain: bool


@dataclass(frozen=True, slots=True)
class _Write:
    """A write at its place among the spans: after the span of order `order`, or half-way behind it."""

    order: float
    handle: str | None
    certain: bool


class _Collector:
    """One pass per question; each sets one group of facts."""

    def __init__(
        self,
        structure: Structure,
        tools: Tools,
        pins: Pins,
        tool_names: frozenset[str] | None,
        past: Sequence[Write] | None,
    ) -> None:
        self.structure = structure
        self.past = past
        self.writes: tuple[Write, ...] = ()
        self.spans = structure.spans
        self.tools = tools
        self.tool_names = tool_names
        self.facts = [
            _Draft(
                kind=span.kind,
                provenance=span.provenance,
                pinned=pins.hold(span),
                released=pins.release(span),
                payload=span.payload,
                reinjected=Mark.reinjected in span.part.marks,
                instruction=Mark.instruction in span.part.marks,
            )
            for span in self.spans
        ]
        self.handles: dict[int, str] = {}
        self.covered_by: dict[int, tuple[int, ...]] = {}
        self.fallback: dict[int, Facts] = {}

    def _set(self, order: int, **changes: object) -> None:
        draft = self.facts[order]
        for name, value in changes.items():
            setattr(draft, name, value)

    def pairs(self) -> Iterable[tuple[Exchange, Span, tuple[Span, ...], ToolSpec | None]]:
        """(exchange, call, its results, its declaration) for every call."""
        for exchange in self.structure.exchanges:
            for call, results in zip(exchange.calls, exchange.results, strict=True):
                span = self.spans[call]
                yield (
                    exchange,
                    span,
                    tuple(self.spans[order] for order in results),
                    self.tools.for_call(span.part.tool, span.part.args),
                )

    def pinned_handles(self, pins: Pins) -> None:
        """A wish for a file keeps what was read of it, though the text does not name the file."""
        for order, handle in self.handles.items():
            if normal_handle(handle) in pins.handles:
                self._set(order, pinned=True)
                self._set(self.structure.call_of.get(order, order), pinned=True)

    # The human -------------------------------------------------------------------------------

    def requests(self) -> None:
        humans = self.structure.human_messages
        if not humans:
            first = next((s for s in self.spans if s.provenance is Provenance.harness), None)
            if first is not None:
                self._request(first.message)
            return
        newest = humans[-1]
        self._request(newest)
        earlier = [s for s in self.spans if s.message < newest]
        agent = next((s for s in reversed(earlier) if s.provenance is Provenance.agent and s.kind is Kind.text), None)
        if agent is None or not self._leans(newest, agent):
            return
        for order in self.structure.by_message[agent.message]:
            if self.spans[order].kind is Kind.text:
                self._set(order, request=True)
        if len(humans) > 1:
            self._request(humans[-2])

    def _leans(self, newest: int, agent: Span) -> bool:
        """The newest message is short, or answers a question: it means little without what it follows."""
        if len(human_text(self.structure, newest)) < short_request_chars_max:
            return True
        return agent.text.rstrip(" \n\t*_`)\"'").endswith(("?", "？", "؟"))

    def _request(self, message: int) -> None:
        for order in self.structure.by_message[message]:
            if self.spans[order].provenance in (Provenance.user, Provenance.harness):
                self._set(order, request=self.spans[order].kind in (Kind.text, Kind.media, Kind.other))

    # Calls and their ends --------------------------------------------------------------------

    def loops(self) -> None:
        last = self.spans[-1].order if self.spans else -1
        for exchange, call, results, _ in self.pairs():
            if results:
                continue
            open_ = max(exchange.members) == last or all(
                order in exchange.members for order in range(call.order + 1, last + 1)
            )
            if open_:
                for order in exchange.members:
                    self._set(order, loop=Loop.open)
            else:
                self._set(call.order, loop=Loop.abandoned)

    def human_acts(self) -> None:
        acts = {Mark.rejection, Mark.answer, Mark.approval}
        for _, call, results, spec in self.pairs():
            declared = spec is not None and spec.answers_human
            marked = [r for r in results if declared or acts & r.part.marks]
            for span in marked:
                self._set(span.order, human_act=True)
            if marked:
                self._set(call.order, human_act=True)

    def plans(self) -> Fold:
        calls: list[PlanCall] = []
        results_of: dict[int, tuple[Span, ...]] = {}
        for _, call, results, spec in self.pairs():
            if spec is None or not spec.plan:
                continue
            results_of[call.order] = results
            text = results[-1].text if results else None
            failed = any(r.part.failed for r in results) or any(Mark.rejection in r.part.marks for r in results)
            calls.append(PlanCall(call.order, call.part.tool or "", call.part.args, text, failed))
        fold = fold_plan(calls)
        for order, results in results_of.items():
            role = PlanRole.live if order in fold.needed else PlanRole.spent
            for member in (order, *(r.order for r in results)):
                self._set(member, plan=role)
        newest_call = max(results_of, default=-1)
        for span in reversed(self.spans):
            if span.order < newest_call:
                break
            if span.provenance is Provenance.agent and span.kind is Kind.text and (steps := checklist(span.text)):
                self._set(span.order, plan=PlanRole.live)
                return fold if fold.steps else Fold(steps, frozenset(), frozenset())
        return fold

    def resources(self) -> None:
        """Start and latest state of what runs in the background, until its end is seen."""
        for exchange, call, results, _ in self.pairs():
            starts = Mark.background in call.part.marks or any(Mark.background in r.part.marks for r in results)
            if not starts or (results and results[-1].provenance is Provenance.compactor):
                continue  # what still ran never left
            ids = {i for span in (call, *results) for i in span.part.live_ids}
            if not ids and results:
                ids = self._ids_asked_for(results[-1])
            if any(ids & set(s.part.ended_ids) for s in self.spans[call.order + 1 :] if s.part.ended_ids):
                continue
            live = [call.order, *(r.order for r in results)]
            latest = max(self._asking(exchange, ids), key=lambda e: e.message, default=None)
            if latest is not None:
                live += latest.members
            for order in live:
                self._set(order, resource=True)

    def _ids_asked_for(self, result: Span) -> set[str]:
        """Without a field of the client: values of later calls' arguments that stand in the start's result."""
        found: set[str] = set()
        for span in self.spans[result.order + 1 :]:
            if span.kind is Kind.call and span.part.args:
                found |= {v for v in map(_id_of, span.part.args.values()) if len(v) > 3 and v in result.text}
        return found

    def _asking(self, start: Exchange, ids: set[str]) -> Iterable[Exchange]:
        for exchange in self.structure.exchanges:
            if exchange.message <= start.message:
                continue
            for order in exchange.calls:
                args = self.spans[order].part.args or {}
                if any(_id_of(value) in ids for value in args.values()):
                    yield exchange
                    break

    # Reads and writes ------------------------------------------------------------------------

    def reads_and_writes(self) -> None:
        writes: list[_Write] = []
        reads: list[tuple[Span, Span, ToolSpec, str]] = []
        own_writes: list[tuple[tuple[int, ...], int, str]] = []
        running = any(fact.resource for fact in self.facts)
        for _, call, results, spec in self.pairs():
            done = [r for r in results if Mark.interim not in r.part.marks]
            rejected = any(Mark.rejection in r.part.marks for r in results)
            shown = bool(done) and done[-1].provenance is Provenance.tool
            ok = shown and not rejected and not any(r.part.failed for r in done)
            last = max((r.order for r in results), default=call.order)
            if spec is None or not spec.writes_nothing:
                target = spec and spec.writes_handle
                handle = fill_template(target, call.part.args) if target else None
                writes.append(_Write(last, handle, certain=ok))
                if handle is not None and ok:
                    own_writes.append(((call.order, *(r.order for r in results)), last, handle))
            if spec is not None and spec.repeatable and ok:
                handle = _asked(spec, call)
                if handle is not None and Mark.cleared not in done[-1].part.marks:
                    reads.append((call, done[-1], spec, handle))
        for span in self.spans:
            if span.part.ended_ids:
                writes.append(_Write(span.order, None, certain=False))
            if span.provenance is Provenance.compactor and self.past is None:
                writes += self._writes_of_page(span)
        writes += self._past_writes()
        self.writes = self._newest(writes)
        if running and self.spans:
            writes.append(_Write(self.spans[-1].order + 1, None, certain=False))
        index = _WriteIndex(writes)
        for call, result, spec, handle in reads:
            self._read(call, result, spec, handle, index)
        for members, last, handle in own_writes:
            state = index.state(handle, last)
            for order in members:
                self._set(order, write=True, state=state)
                self.handles[order] = handle
        self._supersede(reads)

    def _past_writes(self) -> Iterable[_Write]:
        """What earlier cuts knew of writes whose results no longer stand here."""
        shown = {
            (e.turn, e.n)
            for e in self.structure.exchanges
            if all(self.spans[o].provenance is not Provenance.compactor for o in e.members)
        }
        for write in self.past or ():
            if write.handle is not None and (write.turn, write.n) in shown:
                continue
            done = [max(e.members) for e in self.structure.exchanges if (e.turn, e.n) <= (write.turn, write.n)]
            yield _Write(max(done, default=-1) + 0.5, write.handle, write.certain)

    def _newest(self, writes: Iterable[_Write]) -> tuple[Write, ...]:
        """The newest write of each kind to each handle, by its place in the history."""
        ends = sorted((max(e.members), e.turn, e.n) for e in self.structure.exchanges)
        orders = [end for end, _, _ in ends]
        newest: dict[tuple[str | None, bool], tuple[int, int]] = {}
        for known in self.past or ():
            newest[known.handle, known.certain] = (known.turn, known.n)
        for write in writes:
            at = bisect_right(orders, write.order)
            turn, n = ends[at - 1][1:] if at else (0, 0)
            handle = None if write.handle is None else normal_handle(write.handle)
            newest[handle, write.certain] = max(newest.get((handle, write.certain), (0, 0)), (turn, n))
        return tuple(Write(turn, n, handle, certain) for (handle, certain), (turn, n) in newest.items())

    def _writes_of_page(self, page: Span) -> list[_Write]:
        """Writes that left in an earlier cut: a page says which, not when, so they count as the latest thing."""
        end = self.spans[-1].order + 1
        writes: list[_Write] = []
        for tombstone in Tombstone.find(page.text):
            if tombstone.kind != "tool_exchange":
                continue
            natives: list[str | None] = [h for h in tombstone.recover if not h.startswith(HANDLE_PREFIX)]
            # A line that names no path may stand for a write to any.
            writes += [_Write(end, handle, certain=False) for handle in natives or [None]]
        return writes

    def _read(self, call: Span, result: Span, spec: ToolSpec, handle: str, index: _WriteIndex) -> None:
        state = index.state(handle, result.order)
        if state is State.live and spec.max_age is not None and self.structure.turns - result.turn > spec.max_age:
            state = State.unknown
        if state is State.live and self.tool_names is not None and spec.name not in self.tool_names:
            state = State.unknown
        path = handle.partition(":")[2].replace("\\", "/")
        self.handles[result.order] = handle
        self._set(
            result.order,
            read=True,
            state=state,
            instruction=self.facts[result.order].instruction or is_instruction_file(path),
        )

    def _supersede(self, reads: Sequence[tuple[Span, Span, ToolSpec, str]]) -> None:
        by_handle: dict[str, list[tuple[Span, Span, ToolSpec]]] = {}
        for call, result, spec, handle in reads:
            by_handle.setdefault(normal_handle(handle), []).append((call, result, spec))
        for group in by_handle.values():
            for position, (call, result, spec) in enumerate(group):
                later_reads = group[position + 1 :][-reads_compared_max:]
                covers = tuple(
                    later_result.order
                    for later_call, later_result, later_spec in later_reads
                    if later_spec == spec
                    and later_result.exchange != result.exchange
                    and _covers(later_call, later_result, call, spec)
                )
                if covers:
                    self.covered_by[result.order] = covers
                    self.fallback[result.order] = self.facts[result.order].settled()
                    self._set(result.order, superseded=True)

    # The agent's text ------------------------------------------------------------------------

    def last_words(self) -> None:
        last: dict[int, int] = {}
        for span in self.spans:
            if span.provenance is Provenance.agent and span.kind in (Kind.text, Kind.call):
                last[span.turn] = span.order
        final_output = {turn: self.spans[order].output for turn, order in last.items()}
        for span in self.spans:
            if span.provenance is Provenance.agent and span.kind is Kind.text:
                ends_turn = self.spans[last[span.turn]].kind is Kind.text
                if ends_turn and span.output == final_output[span.turn]:
                    self._set(span.order, last_word=True)

    def foreign_regions(self) -> None:
        summarized = [s.message for s in self.spans if Mark.summarized in s.part.marks]
        for span in self.spans:
            summary = Mark.summary in span.part.marks
            if summary and any(message < span.message for message in summarized):
                self._set(span.order, region_present=True)


def _id_of(value: JSON) -> str:
    """The id that an argument may be; "" if it is none."""
    number = isinstance(value, int) and not isinstance(value, bool)
    return value if isinstance(value, str) else str(value) if number else ""


class _WriteIndex:
    """Answers what happened to a handle after a place in the transcript."""

    def __init__(self, writes: Sequence[_Write]) -> None:
        self.last_unknown = max((w.order for w in writes if w.handle is None), default=-1.0)
        self.last_any = max((w.order for w in writes), default=-1.0)
        self.certain: dict[str, float] = {}
        self.attempted: dict[str, float] = {}
        self.by_name: dict[str, float] = {}
        for write in writes:
            if write.handle is None:
                continue
            handle = normal_handle(write.handle)
            kept = self.certain if write.certain else self.attempted
            kept[handle] = max(kept.get(handle, -1), write.order)
            for name in _names_along(handle):
                self.by_name[name] = max(self.by_name.get(name, -1), write.order)

    def state(self, handle: str, since: float) -> State:
        handle = normal_handle(handle)
        if self.certain.get(handle, -1) > since:
            return State.dead
        if self.last_unknown > since or self.attempted.get(handle, -1) > since:
            return State.unknown
        if not handle.startswith("file:"):
            return State.unknown if self.last_any > since else State.live
        return State.unknown if self.by_name.get(loose_name(handle), -1) > since else State.live


def _asked(spec: ToolSpec, call: Span) -> str | None:
    """The handle that a read asks by; the call itself where the tool declares none."""
    if spec.handle:
        return fill_template(spec.handle, call.part.args)
    return f"{CALL_SCHEME}{spec.name}({verbatim_json(call.part.args).decode('utf-8', 'surrogatepass')})"


_ESCAPE = re.compile(r"%([0-7][0-9A-Fa-f])")
_PLACE_IN_FILE = re.compile(r"(?::\d+[-:\d]*|#.*)$")


def loose_name(handle: str) -> str:
    """A file's name without what may differ between two spellings of one path.

    A folder may be a link, a home, or one that the other path is relative to; case, form, quotes, a line
    number and escapes may differ too. So equal names may be one file.
    """
    path = handle.partition(":")[2].replace(chr(92), "/").strip("\"'` ").rstrip("/")
    name = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), posixpath.basename(path))
    name = _PLACE_IN_FILE.sub("", name).strip()
    return unicodedata.normalize("NFKC", name).casefold()


def _names_along(handle: str) -> Iterator[str]:
    """The loose name of a file and of each folder above it: a listing of one of those is no longer sure."""
    yield loose_name(handle)
    while handle := posixpath.dirname(handle.rstrip("/")):
        yield loose_name(handle)


def normal_handle(handle: str) -> str:
    """A handle under which two spellings of one path meet."""
    scheme, _, rest = handle.partition(":")
    if scheme in ("file", "dir"):
        return f"{scheme}:{posixpath.normpath(rest.replace(chr(92), '/'))}"
    return handle


def is_instruction_file(path: str) -> bool:
    """A file whose content is standing instruction, by its name and place."""
    return posixpath.basename(path).lower() in _INSTRUCTION_FILES or bool(_INSTRUCTION_FOLDERS.search("/" + path))


def _covers(later_call: Span, later: Span, earlier_call: Span, spec: ToolSpec) -> bool:
    """The later result holds what the earlier one asked for: equal arguments, or the whole of a range.

    Both calls fit one declaration; the arguments of its `when` must then be the same ones.
    """
    later_args, args = dict(later_call.part.args or {}), dict(earlier_call.part.args or {})
    if later_args == args:
        return True
    chosen = frozenset(spec.when or ())
    named = template_fields(spec.handle or "") | chosen
    if set(later_args) - named or any(later_args.get(key) != args.get(key) for key in chosen):
        return False
    ends = [_last_line(value) for key, value in args.items() if key not in named]
    last_line = sum(end for end in ends if end is not None)
    return bool(ends) and None not in ends and last_line <= later.text.count("\n") + 1


def _last_line(value: JSON) -> int | None:
    """The most that an argument of a range adds to its last line; None if it tells of no range that ends.

    A pair is first and last line. What shows the whole may frame it, so a pair's last line has to lie as
    many lines before the end.
    """
    if _is_count(value):
        return int(value)
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_count, value)):
        return None
    first, last = value
    return last + frame_lines_max if first <= last else None


def _is_count(value: JSON) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def collect_facts(
    structure: Structure,
    tools: Tools,
    pins: Pins = Pins(),
    tool_names: frozenset[str] | None = None,
    past: Sequence[Write] | None = None,
) -> Reading:
    """Reads the facts of all spans off the structure.

    Args:
        structure: The transcript.
        tools: Declarations in force.
        pins: What the caller pinned.
        tool_names: Tools that the request offers, None if it does not say. A missing one can't be asked again.
        past: Writes whose calls may have left in an earlier cut; None if no earlier cut is known, and then
            what our pages name counts as written at the end.
    """
    collector = _Collector(structure, tools, pins, tool_names, past)
    collector.requests()
    collector.human_acts()
    collector.loops()
    plan = collector.plans()
    collector.resources()
    collector.reads_and_writes()
    collector.pinned_handles(pins)
    collector.last_words()
    collector.foreign_regions()
    facts = tuple(draft.settled() for draft in collector.facts)
    return Reading(facts, collector.handles, collector.covered_by, collector.fallback, plan, collector.writes)
