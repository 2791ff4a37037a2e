"""What a provider reported for each request of a transcript, beside what was estimated of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.model import Transcript
from cenotaph.core.plan import Framing
from cenotaph.core.spans import Span
from cenotaph.core.tokens import calibrate

__all__ = ["Call", "UsageErrors", "calls_of", "errors_of"]


@dataclass(frozen=True, slots=True)
class Call:
    """One request that the provider counted.

    Attributes:
        message: Index of the agent message that answered it; all before it was the request.
        reported: Input tokens as reported.
        estimated: Tokens of all that the transcript holds of the request, by a counter that is not calibrated.
        expected: The same, calibrated by the calls before it alone; None for the first.
    """

    message: int
    reported: int
    estimated: int
    expected: int | None


def calls_of(
    transcript: Transcript, spans: Sequence[Span], framing: Framing, other_tokens: int = 0, *, scaled: bool = True
) -> tuple[Call, ...]:
    """The requests whose usage the transcript has, in order.

    Args:
        transcript: With its `usage`.
        spans: Of the transcript, in order, in tokens of a counter that is not calibrated.
        framing: What the provider adds to the texts.
        other_tokens: Tokens of the request's tool definitions.
        scaled: The counter is an estimate; an exact one only has its overhead learned.
    """
    upto = _tokens_before(transcript, spans, framing)
    calls: list[Call] = []
    samples: list[tuple[int, int]] = []
    for usage in transcript.usage:
        if not 0 <= usage.message < len(upto) or usage.input_tokens <= 0:
            continue
        estimated = framing.request + other_tokens + upto[usage.message]
        expected = calibrate(samples, scaled=scaled).of(estimated) if samples else None
        calls.append(Call(usage.message, usage.input_tokens, estimated, expected))
        samples.append((estimated, usage.input_tokens))
    return tuple(calls)


def _tokens_before(transcript: Transcript, spans: Sequence[Span], framing: Framing) -> list[int]:
    """For each message, and for the end, the tokens of all before it."""
    upto, position = [0], 0
    for index in range(len(transcript.messages)):
        tokens = framing.message
        while position < len(spans) and spans[position].message <= index:
            tokens += spans[position].tokens + framing.of(spans[position].kind)
            position += 1
        upto.append(upto[-1] + tokens)
    return upto


@dataclass(frozen=True, slots=True)
class UsageErrors:
    """How far counts are from what was reported: (count - reported) / reported, below 0 for too few.

    Attributes:
        calls: How many.
        median, p5, p95: Quantiles of the error.
        worst_under: The lowest error; 0.0 if no count was too low.
        under_share: Share of the calls that were counted too low by more than 5 %.
    """

    calls: int
    median: float
    p5: float
    p95: float
    worst_under: float
    under_share: float


_UNDER_MAX: Final = 0.05


def errors_of(counts: Sequence[tuple[int, int]]) -> UsageErrors | None:
    """The distribution of (count, reported) pairs; None for none."""
    if not counts:
        return None
    errors = sorted(count / reported - 1 for count, reported in counts)

    def quantile(share: float) -> float:
        return errors[min(len(errors) - 1, int(share * len(errors)))]

    under = sum(error < -_UNDER_MAX for error in errors) / len(errors)
    return UsageErrors(len(errors), quantile(0.5), quantile(0.05), quantile(0.95), min(0.0, errors[0]), under)
