"""A surrogate in a plan: what a summarizer is asked, and what of its answer may stand.

The agent's narration that leaves may be summarized beside what is lifted of it. The plan is complete
without a surrogate, and one is added only whole: its lines, and an index line for each handle of its
sources that neither they nor a lifted sentence carry. Whatever goes wrong with a summarizer leaves the
plan as it was, with the structural text in its room if that says anything.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cenotaph.core.classify import Classified
from cenotaph.core.effects import Answer, Effect, Summarize
from cenotaph.core.handles import INDEX_KINDS, extract
from cenotaph.core.ids import JSON, sha256_hex
from cenotaph.core.lines import SURROGATE_MARK, LineKind, Namer, PageLine, Pointer
from cenotaph.core.model import Mark
from cenotaph.core.plan import Limits, Plan
from cenotaph.core.policy import Action
from cenotaph.core.spans import Span
from cenotaph.core.statements import polarity, sentences
from cenotaph.core.surrogate import (
    Reply,
    Source,
    Step,
    SummaryRequest,
    Surrogate,
    make_request,
    short_handles,
    structural,
)
from cenotaph.core.tombstone import encode_handle
from cenotaph.core.verifier import judge
from cenotaph.limits import surrogate_line_tokens, surrogate_tokens_max, surrogate_tokens_min

__all__ = ["Amendment", "index_line", "steps_of", "summarized"]

KIND = "agent_text"


@dataclass(frozen=True, slots=True)
class Amendment:
    """What is added to a plan.

    Attributes:
        lines: Of the page: header, text and index.
        orders: Spans that are summarized.
        pointer: By which they come back; None if that is a span's own handle.
        tokens: Of the lines.
        told: The surrogate as the record has it; what was tried, if none stands.
        sent: What went to which host; empty if nothing left the process.
    """

    lines: tuple[PageLine, ...] = ()
    orders: frozenset[int] = frozenset()
    pointer: Pointer | None = None
    tokens: int = 0
    told: tuple[Mapping[str, JSON], ...] = ()
    sent: tuple[Mapping[str, JSON], ...] = field(default=())

    @property
    def structural(self) -> frozenset[str]:
        """Its lines, if no model wrote them."""
        plain = any(told["by"] == "structural" for told in self.told)
        return frozenset(line.text for line in self.lines if line.kind is LineKind.surrogate) if plain else frozenset()

    def amended(self, plan: Plan) -> Plan:
        """The plan with the surrogate in it."""
        if not self.lines:
            return plan
        kinds = [line.kind for line in plan.page]
        at = next((i for i, kind in enumerate(kinds) if kind in (LineKind.fold, LineKind.exchange)), len(kinds))
        return replace(
            plan,
            entries=tuple(replace(e, action=Action.summarize) if e.order in self.orders else e for e in plan.entries),
            page=(*plan.page[:at], *self.lines, *plan.page[at:]),
            pointers=(*plan.pointers, *([self.pointer] if self.pointer is not None else [])),
            tokens_after=plan.tokens_after + self.tokens,
            own_after=plan.own_after + self.tokens,
        )


def summarized(
    classified: Classified, plan: Plan, limits: Limits, namer: Namer, count: Callable[[str], int], room: int
) -> Generator[Effect, Answer, Amendment]:
    """Asks for a surrogate of the narration that leaves, and judges it.

    Args:
        classified: The spans.
        plan: What was decided.
        limits: For the bound of our own text.
        namer: Names the sources.
        count: Tokens of a text.
        room: Tokens between the view and its target.

    Yields:
        One `Summarize`, if there is something to summarize and room for it.
    """
    spans = [classified.spans[e.order] for e in plan.entries if e.row == "nar" and e.order in plan.removed]
    if limits.own_max is not None:
        room = min(room, limits.own_max - plan.own_after)
    room = min(room, surrogate_tokens_max)
    lifted = [line.text for line in plan.page if line.kind is LineKind.lift]
    spans = [span for span in spans if not _unlifted_rule(span, lifted, namer)]
    if not spans or room < surrogate_tokens_min:
        return Amendment()
    writer = _Writer(classified, plan, namer, count, spans, room)
    request = writer.request(limits)
    if request is None:
        return Amendment()
    answer = yield Summarize(request)
    sent: tuple[Mapping[str, JSON], ...] = ()
    if isinstance(answer, Reply):
        verdict = judge(answer, request.sources, max_tokens=request.max_tokens, count=count)
        sent = _sent(request, answer.host)
        rejections = [{"code": r.code.value, "line": r.line, "evidence": r.evidence} for r in verdict.rejections]
        lines: Sequence[str] = verdict.lines
    else:
        reason = "none" if answer is None else str(answer.details.get("reason", answer.code))
        rejections = [{"code": f"summarizer-{reason}", "line": None, "evidence": ""}]
        lines = ()
    tried = {"accepted": not rejections, "rejections": rejections}
    if lines and (amendment := writer.standing(lines, "model", tried)) is not None:
        return replace(amendment, sent=sent)
    if lines:
        tried = {"accepted": False, "rejections": [{"code": "no-room", "line": None, "evidence": ""}]}
    plain = structural(writer.steps, max_tokens=room - writer.head, count=count)
    amendment = writer.standing(plain, "structural", tried) if plain else None
    if amendment is None:
        amendment = Amendment(told=({"text": "", "sources": [s.id for s in spans], "by": "none", "verdict": tried},))
    return replace(amendment, sent=sent)


def _sent(request: SummaryRequest, host: str | None) -> tuple[Mapping[str, JSON], ...]:
    if host is None:
        return ()
    body = f"{request.system}\n{request.prompt}".encode("utf-8", "surrogatepass")
    return ({"host": host, "sha256": sha256_hex(body), "sources": [source.handle for source in request.sources]},)


def _unlifted_rule(span: Span, lifted: Sequence[str], namer: Namer) -> bool:
    """A prohibition of a source is not lifted: then nothing may stand in for the source."""
    text = namer.redact(span.text)
    told = (text[place.start : place.end] for place in sentences(text))
    return any(polarity(words) == "must_not" and not any(words in line for line in lifted) for words in told)


class _Writer:
    """One surrogate: its sources and everything that stands with it."""

    def __init__(
        self,
        classified: Classified,
        plan: Plan,
        namer: Namer,
        count: Callable[[str], int],
        spans: Sequence[Span],
        room: int,
    ) -> None:
        self.classified, self.plan, self.namer, self.count = classified, plan, namer, count
        self.spans, self.room = spans, room
        self.short = short_handles(namer.handle(span) for span in classified.spans)
        self.pointer = namer.pointer(spans) if len(spans) > 1 else None
        self.source = self.pointer.handle if self.pointer is not None else namer.handle(spans[0])
        self.steps = steps_of(classified, spans, namer, self.short)
        self.head = count("\n" + self._header().header)

    def _header(self, lines: Sequence[str] = ()) -> Surrogate:
        turns = [span.turn for span in self.spans]
        return Surrogate(KIND, min(turns), max(turns), self.source, tuple(lines))

    def request(self, limits: Limits) -> SummaryRequest | None:
        newest = self.spans[-max(1, self.room // surrogate_line_tokens) :]
        sources = [Source(self.short[self.namer.handle(s)], s.turn, s.provenance, s.text) for s in newest]
        return make_request(
            sources,
            nonce=self.source,
            window_tokens=limits.summary_window,
            max_tokens=self.room - self.head,
            count=self.count,
            redact=self.namer.redact,
        )

    def standing(self, lines: Sequence[str], by: str, verdict: Mapping[str, JSON]) -> Amendment | None:
        """The surrogate with its index; None if both do not fit."""
        index = self._index(lines)
        surrogate = self._header(lines)
        orders = tuple(span.order for span in self.spans)
        told = [surrogate.header, *(f"{SURROGATE_MARK}{line}" for line in surrogate.lines)]
        page = [PageLine(LineKind.surrogate, text, orders) for text in told]
        page += [PageLine(LineKind.entry, text, (order,)) for order, text in index]
        tokens = sum(self.count("\n" + line.text) for line in page)
        if tokens > self.room:
            return None
        record = {
            "text": surrogate.render(),
            "sources": [span.id for span in self.spans],
            "by": by,
            "verdict": verdict,
            "index": [text for _, text in index],
            "semantics": "eviction",
            "semantics_failed": [],
        }
        return Amendment(tuple(page), frozenset(orders), self.pointer, tokens, (record,))

    def _index(self, lines: Sequence[str]) -> list[tuple[int, str]]:
        """A line for each handle of an index kind that nothing else on the page carries verbatim."""
        carried = "\n".join((*lines, *(line.text for line in self.plan.page if line.kind is LineKind.lift)))
        found: dict[str, tuple[int, str]] = {}
        for span in self.spans:
            text = self.namer.redact(span.text)
            for handle in extract(text):
                if handle.kind in INDEX_KINDS and handle.value not in carried and handle.value not in found:
                    line = index_line(handle.kind, handle.value, span, self.short[self.namer.handle(span)])
                    found[handle.value] = (span.order, line)
        return list(found.values())


def index_line(kind: str, value: str, span: Span, source: str) -> str:
    """`path: src/app.py (t4, agent, cx:8f3a91)`."""
    return f"{kind}: {encode_handle(value)} (t{span.turn}, {span.provenance.value}, {source})"


def steps_of(classified: Classified, spans: Sequence[Span], namer: Namer, short: Mapping[str, str]) -> list[Step]:
    """The exchanges that the narration stood beside, for the structural text."""
    messages = {span.message for span in spans}
    steps = []
    for exchange in classified.structure.exchanges:
        if exchange.message not in messages:
            continue
        for call, results in zip(exchange.calls, exchange.results, strict=True):
            span = classified.spans[call]
            ends = [classified.spans[order].part for order in results]
            failed = not ends or any(end.failed or Mark.rejection in end.marks for end in ends)
            named = [n for order in (*results, call) if (n := namer.native(classified.spans[order])) is not None]
            steps.append(
                Step(
                    turn=exchange.turn,
                    n=exchange.n,
                    tool=span.part.tool or "?",
                    handle=named[0][0] if named else None,
                    outcome="failed" if failed else "ok",
                    source=short[namer.handle(span)],
                )
            )
    return steps
