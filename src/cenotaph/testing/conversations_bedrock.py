"""Hostile messages of Bedrock's Converse: every request valid, and all else that a compactor may meet there.

On purpose: parallel batches whose results come in any order with a person's words behind them, results
of text, JSON, images and documents, empty ones and failed ones, signed and redacted reasoning, cache
points, guarded and cited text, documents of plain text, a turn of 300 calls, and an end at every point
of a tool loop.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from cenotaph.core.ids import JSON
from cenotaph.testing.strategies import _HUGE, _PIXEL, _REMINDER, _batch_width, _Draw, _loop_length

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["bedrock_conversations", "generate"]

_IMAGE: JSON = {"image": {"format": "png", "source": {"bytes": _PIXEL}}}
_VIDEO: JSON = {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://bucket/clip.mp4"}}}}


def _document(text: str) -> JSON:
    return {"document": {"format": "txt", "name": "paste", "source": {"text": text}}}


def _pdf() -> JSON:
    return {"document": {"format": "pdf", "name": "report", "source": {"bytes": _PIXEL}}}


def _reasoning(draw: _Draw) -> JSON:
    if draw.chance(15):
        return {"reasoningContent": {"redactedContent": draw.next_id("Eo8B")}}
    return {"reasoningContent": {"reasoningText": {"text": draw.prose(), "signature": draw.next_id("EqQB")}}}


def _user(draw: _Draw) -> JSON:
    blocks: list[JSON] = [{"text": draw.human()}]
    roll = draw.below(12)
    if roll == 0:
        blocks.append(dict(_IMAGE))
    elif roll == 1:
        blocks.insert(0, {"text": _REMINDER})
    elif roll == 2:
        blocks.append({"cachePoint": {"type": "default"}})
    elif roll == 3:
        blocks.append({"guardContent": {"text": {"text": draw.sentence(), "qualifiers": ["query"]}}})
    elif roll == 4:
        blocks.append(_document(_HUGE[:900]) if draw.chance(50) else _pdf())
    elif roll == 5:
        blocks.append(dict(_VIDEO))
    return {"role": "user", "content": blocks}


def _call(draw: _Draw) -> JSON:
    name, arguments = (
        ("read_file", {"path": draw.path()}),
        ("read_file", {"path": draw.path()}),
        ("write_file", {"path": draw.path(), "content": draw.output()}),
        ("write_todos", {"todos": [{"content": draw.sentence(), "status": "pending"}]}),
        ("run", {"command": "make test", "background": draw.chance(20)}),
        ("frobnicate", {}),
    )[draw.below(6)]
    return {"toolUse": {"toolUseId": draw.next_id("tooluse_"), "name": name, "input": arguments}}


def _result(draw: _Draw, call: JSON) -> JSON:
    """A result in one of its forms; an empty one has no block, since blank text is refused."""
    output = draw.output()
    said: list[JSON] = [{"text": output}] if output.strip() else []
    result: dict[str, JSON] = {"toolUseId": call["toolUse"]["toolUseId"], "content": said}
    roll = draw.below(12)
    if roll == 0:
        result |= {"content": said or [{"text": "failed"}], "status": "error"}
    elif roll == 1:
        result["content"] = [*said, dict(_IMAGE)]
    elif roll == 2:
        result["content"] = [{"json": {"lines": output.split("\n")[:40], "exit_code": draw.below(2)}}]
    elif roll == 3:
        result["content"] = [*said, _document(_HUGE[:400])]
    elif roll < 8:
        result["status"] = "success"
    return {"toolResult": result}


def _step(draw: _Draw, width: int, thinks: bool) -> list[JSON]:
    """An agent message with a batch of calls, and the one message with all their results."""
    blocks: list[JSON] = [_reasoning(draw)] if thinks else []
    if draw.chance(40):
        blocks.append({"text": draw.prose()})
    calls = [_call(draw) for _ in range(width)]
    answer = draw.shuffled([_result(draw, call) for call in calls])
    if draw.chance(12):
        answer.append({"text": _REMINDER if draw.chance(50) else draw.human()})
    if draw.chance(10):
        answer.append({"cachePoint": {"type": "default"}})
    return [{"role": "assistant", "content": blocks + calls}, {"role": "user", "content": answer}]


def _closing(draw: _Draw, thinks: bool) -> JSON:
    blocks: list[JSON] = [_reasoning(draw)] if thinks else []
    if draw.chance(15):
        source = {"title": "paste", "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 20}}}
        blocks.append({"citationsContent": {"content": [{"text": draw.prose()}], "citations": [source]}})
    return {"role": "assistant", "content": [*blocks, {"text": draw.prose()}]}


def _ended(draw: _Draw, messages: list[JSON], thinks: bool) -> list[JSON]:
    """Stops anywhere: at a person's words, an answer, results that nobody read yet, or open calls."""
    roll = draw.below(4)
    if roll == 0:
        return [*messages, _closing(draw, thinks)]
    if roll == 1:
        return [*messages, _closing(draw, thinks), _user(draw)]
    in_loop = "toolResult" in messages[-1]["content"][0]
    return messages[:-1] if roll == 2 and in_loop else messages


def _build(rng: Random, size: int, surrogates: bool) -> list[JSON]:
    draw = _Draw(rng, surrogates)
    thinks = draw.chance(50)
    messages: list[JSON] = []
    while True:
        messages.append(_user(draw))
        loop = _loop_length(draw, size)
        size -= loop + 1
        while loop > 0:
            width = min(_batch_width(draw), loop)
            messages.extend(_step(draw, width, thinks))
            loop -= width
        if size <= 0:
            return _ended(draw, messages, thinks)
        messages.append(_closing(draw, thinks))


def generate(seed: int, size: int = 8, *, surrogates: bool = False) -> list[JSON]:
    """Messages that Converse would take, however odd; the same for the same arguments.

    Args:
        seed: Any integer.
        size: About how many calls and turns; at most 300 calls stand in one turn.
        surrogates: Put lone surrogates into the text, which UTF-8 cannot carry.
    """
    return _build(Random(seed), size, surrogates)


def bedrock_conversations(*, size_max: int = 20, surrogates: bool = False) -> SearchStrategy[list[JSON]]:
    """A Hypothesis strategy of what `generate` makes; needs the `test` extra.

    Args:
        size_max: Largest `size` that is drawn.
        surrogates: Put lone surrogates into the text.
    """
    from hypothesis import strategies as st

    sizes = st.integers(min_value=0, max_value=size_max)
    return st.builds(_build, st.randoms(use_true_random=False), sizes, st.just(surrogates))
