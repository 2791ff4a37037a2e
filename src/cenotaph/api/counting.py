"""Counting: how many tokens a transcript has, of what, and how near that is to what its provider reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from cenotaph.api.reading import parsed
from cenotaph.core.model import Counter, Kind, Provenance
from cenotaph.core.plan import Framing
from cenotaph.core.readout import Memo
from cenotaph.core.spans import Span, build_structure, tokens_of
from cenotaph.core.tokens import CalibratedCounter, Calibration, calibrate, message_framing
from cenotaph.core.usage import Call, UsageErrors, calls_of, errors_of
from cenotaph.runtime.counters import counter_for

__all__ = ["TEXT_CLASSES", "Calibration", "Call", "TokenCount", "UsageErrors", "count_tokens"]

TEXT_CLASSES: Final = {
    "system": "system and developer text",
    "tools": "definitions of the tools that the request offers",
    "human": "what people wrote",
    "client": "what the client put in, and other compactors' summaries",
    "agent": "what the model wrote",
    "calls": "names and arguments of calls",
    "results": "text of results",
    "reasoning": "reasoning, as far as the transcript holds it",
    "media": "images, documents and recordings, also inside results",
    "framing": "what the provider puts around messages, calls and results",
}
"""Class of text -> what is in it; each token of a count is in one of them."""


@dataclass(frozen=True, slots=True)
class TokenCount:
    """How many tokens a transcript has.

    Attributes:
        tokens: Of all that the transcript holds, by the calibrated counter: what a compaction goes by.
        by_class: Class of text -> tokens, in the order of `TEXT_CLASSES`; they sum to `tokens`.
        counter: The counter's name.
        basis: "exact" or "estimated".
        dialect: Name of the format.
        model: The model that the transcript or the caller names; None if neither does.
        messages: How many.
        calibration: What the reported counts say; `samples` is 0 where there are none.
        expected: What the next request is likely to be reported as at most, with all that the transcript
            does not hold of it; None where no count was reported.
        calls: The requests that the provider counted, in order.
        before: Errors of the counter alone: low by all that the transcript does not hold; None without calls.
        after: Errors when each call is calibrated by the calls before it; None with fewer than two calls.
    """

    tokens: int
    by_class: dict[str, int]
    counter: str
    basis: str
    dialect: str
    model: str | None
    messages: int
    calibration: Calibration
    expected: int | None
    calls: tuple[Call, ...]
    before: UsageErrors | None
    after: UsageErrors | None


def count_tokens(
    messages: Any,
    *,
    dialect: str | None = None,
    model: str | None = None,
    counter: str | None = None,
    region: str = "last",
) -> TokenCount:
    """Counts a transcript, and holds the counts against the usage that it reports.

    Args:
        messages: A list of messages, a request, or the records of a session file.
        dialect: Name of the format; None to go by its structure.
        model: The model, if the transcript does not name it: decides how tokens count.
        counter: Name of a counter, e.g. "o200k_base" or "ctok"; None for the model's.
        region: "last" for what the model sees next, or "all" of a session file.

    Raises:
        InputError: The messages can't be read.
        ConfigurationError: There is no such counter, or it is not installed.
    """
    transcript = parsed(messages, dialect, region)
    plain = Memo(counter_for(model=model or transcript.model, wire=transcript.wire, family=counter))
    framing = Framing(*message_framing(transcript.wire))
    spans = build_structure(transcript, plain, named=False).spans
    tools = plain.count(transcript.tools_text) if transcript.tools_text else 0
    exact = plain.basis == "exact"
    calls = calls_of(transcript, spans, framing, tools, scaled=not exact)
    calibration = calibrate([(call.estimated, call.reported) for call in calls], scaled=not exact)
    scaled: Counter = plain if calibration.factor == 1 else Memo(CalibratedCounter(plain, calibration))
    by_class = _by_class(spans, scaled, framing, transcript.tools_text)
    alone = sum(_by_class(spans, plain, framing, transcript.tools_text).values())
    return TokenCount(
        tokens=sum(by_class.values()),
        by_class=by_class,
        counter=scaled.name,
        basis=scaled.basis,
        dialect=transcript.dialect,
        model=model or transcript.model,
        messages=len(transcript.messages),
        calibration=calibration,
        expected=calibration.of(alone) if calls else None,
        calls=calls,
        before=errors_of([(call.estimated, call.reported) for call in calls]),
        after=errors_of([(call.expected, call.reported) for call in calls if call.expected is not None]),
    )


def _by_class(spans: Sequence[Span], counter: Counter, framing: Framing, tools_text: str) -> dict[str, int]:
    found = dict.fromkeys(TEXT_CLASSES, 0)
    found["tools"] = counter.count(tools_text) if tools_text else 0
    found["framing"] = framing.request + framing.message * len({s.message for s in spans if s.message >= 0})
    for span in spans:
        tokens = tokens_of(span.part, span.text, counter)
        text = counter.count(span.text) if span.part.images else tokens
        found["media"] += tokens - text
        found[_class_of(span)] += text
        found["framing"] += framing.of(span.kind)
    return found


_BY_KIND: Final = {Kind.call: "calls", Kind.result: "results", Kind.reasoning: "reasoning", Kind.media: "media"}
_BY_PROVENANCE: Final = {
    Provenance.system: "system",
    Provenance.developer: "system",
    Provenance.user: "human",
    Provenance.agent: "agent",
    Provenance.tool: "results",
}


def _class_of(span: Span) -> str:
    return _BY_KIND.get(span.kind) or _BY_PROVENANCE.get(span.provenance, "client")
