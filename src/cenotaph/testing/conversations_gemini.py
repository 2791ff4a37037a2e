"""Hostile contents of the Gemini API: every request valid, and all else that a compactor may meet there.

On purpose: calls with and without ids, parallel batches whose responses come in any order, thought
signatures on calls, on text and on an empty text, thoughts, code that the provider runs, media in a
person's turn, beside a response and inside one, responses of every form, both spellings of the fields,
the role `function`, blank text, a turn of 300 calls, and an end at every point of a tool loop.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

from cenotaph.core.ids import JSON
from cenotaph.testing.strategies import _PIXEL, _REMINDER, _batch_width, _Draw, _loop_length

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["gemini_conversations", "generate"]

_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


def _image(draw: _Draw) -> JSON:
    if draw.chance(30):
        return {"fileData": {"fileUri": "https://example.com/files/x", "mimeType": "application/pdf"}}
    part = {"inlineData": {"mimeType": "image/png", "data": _PIXEL}}
    return {**part, "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"}} if draw.chance(20) else part


class _Conversation:
    """What one conversation keeps to throughout: a model that signs, a client that gives ids."""

    def __init__(self, draw: _Draw) -> None:
        self.draw = draw
        self.signs = draw.chance(50)
        self.ids = draw.chance(50)
        self.role = "function" if draw.chance(15) else "user"

    def signed(self, part: dict[str, JSON]) -> JSON:
        return {**part, "thoughtSignature": self.draw.next_id("Cq8B")} if self.signs else part

    def user(self) -> JSON:
        parts: list[JSON] = [{"text": self.draw.human()}]
        roll = self.draw.below(10)
        if roll == 0:
            parts.append(_image(self.draw))
        elif roll == 1:
            parts = [{"text": _REMINDER}, {"text": ""}, *parts]
        elif roll == 2:
            parts.append(dict(parts[0]))
        return {"role": "user", "parts": parts}

    def call(self, *, first: bool) -> JSON:
        draw = self.draw
        name, args = (
            ("read_file", {"path": draw.path()}),
            ("read_file", {"path": draw.path()}),
            ("write_file", {"path": draw.path(), "content": draw.output()}),
            ("write_todos", {"todos": [{"content": draw.sentence(), "status": "pending"}]}),
            ("run", {"command": "make test", "background": draw.chance(20)}),
            ("frobnicate", {}),
        )[draw.below(6)]
        call: dict[str, JSON] = {"id": draw.next_id("fc-")} if self.ids else {}
        call |= {"name": name, "args": args} if args or draw.chance(50) else {"name": name}
        return self.signed({"functionCall": call}) if first else {"functionCall": call}

    def response(self, call: JSON) -> list[JSON]:
        """The response to a call, and media beside it."""
        draw, output = self.draw, self.draw.output()
        bodies: tuple[JSON, ...] = (
            *({"output": output},) * 5,
            {"result": output},
            {"error": output or "failed"},
            {"lines": output.split("\n")[:40], "exit_code": draw.below(2)},
            {},
        )
        response = {key: value for key, value in call["functionCall"].items() if key != "args"}
        response["response"] = bodies[draw.below(len(bodies))]
        roll = draw.below(20)
        if roll == 0:
            response["parts"] = [{"inlineData": {"mimeType": "image/png", "data": _PIXEL}}]
        return [{"functionResponse": response}, *([_image(draw)] if roll == 1 else [])]

    def opening(self) -> list[JSON]:
        """What stands in a model turn before its calls: thoughts, text, code that the provider ran."""
        draw = self.draw
        parts: list[JSON] = [{"text": draw.prose(), "thought": True}] if draw.chance(40) else []
        if draw.chance(40):
            parts.append({"text": draw.prose() if draw.chance(80) else "\n"})
        if draw.chance(8):
            outcome = "OUTCOME_FAILED" if draw.chance(30) else "OUTCOME_OK"
            parts.append({"executableCode": {"language": "PYTHON", "code": "print(f())"}})
            parts.append({"codeExecutionResult": {"outcome": outcome, "output": draw.output()}})
        return parts

    def step(self, width: int) -> list[JSON]:
        """A model turn with a batch of calls, and the turn of their responses."""
        calls = [self.call(first=number == 0) for number in range(width)]
        answers = [self.response(call) for call in calls]
        if self.ids:
            self.draw.rng.shuffle(answers)
        responses = [part for answer in answers for part in answer]
        return [{"role": "model", "parts": [*self.opening(), *calls]}, {"role": self.role, "parts": responses}]

    def closing(self) -> JSON:
        parts = [*self.opening(), {"text": self.draw.prose()}]
        if self.signs and self.draw.chance(50):
            parts.append(self.signed({"text": ""}))
        elif self.signs:
            parts[-1] = self.signed(parts[-1])
        return {"role": "model", "parts": parts}

    def contents(self, size: int) -> list[JSON]:
        contents: list[JSON] = []
        while True:
            contents.append(self.user())
            loop = _loop_length(self.draw, size)
            size -= loop + 1
            while loop > 0:
                width = min(_batch_width(self.draw), loop)
                contents.extend(self.step(width))
                loop -= width
            if size <= 0:
                return self.ended(contents)
            contents.append(self.closing())

    def ended(self, contents: list[JSON]) -> list[JSON]:
        """Stops anywhere: at a person's words, an answer, responses that nobody read yet, or open calls."""
        roll = self.draw.below(4)
        if roll == 0:
            return [*contents, self.closing()]
        if roll == 1:
            return [*contents, self.closing(), self.user()]
        in_loop = len(contents) > 1 and "functionResponse" in contents[-1]["parts"][0]
        return contents[:-1] if roll == 2 and in_loop else contents


def _in_snake_case(value: JSON) -> JSON:
    """Contents as the Python SDK dumps them; arguments and responses are nobody's fields and stay."""
    if isinstance(value, list):
        return [_in_snake_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        _CAPITAL.sub(lambda found: f"_{found[0].lower()}", key): inner
        if key in ("args", "response")
        else _in_snake_case(inner)
        for key, inner in value.items()
    }


def _build(rng: Random, size: int, surrogates: bool) -> list[JSON]:
    draw = _Draw(rng, surrogates)
    contents = _Conversation(draw).contents(size)
    return [_in_snake_case(content) for content in contents] if draw.chance(20) else contents


def generate(seed: int, size: int = 8, *, surrogates: bool = False) -> list[JSON]:
    """Contents that the API would take, however odd; the same for the same arguments.

    Args:
        seed: Any integer.
        size: About how many calls and turns; at most 300 calls stand in one turn.
        surrogates: Put lone surrogates into the text, which UTF-8 cannot carry.
    """
    return _build(Random(seed), size, surrogates)


def gemini_conversations(*, size_max: int = 20, surrogates: bool = False) -> SearchStrategy[list[JSON]]:
    """A Hypothesis strategy of what `generate` makes; needs the `test` extra.

    Args:
        size_max: Largest `size` that is drawn.
        surrogates: Put lone surrogates into the text.
    """
    from hypothesis import strategies as st

    sizes = st.integers(min_value=0, max_value=size_max)
    return st.builds(_build, st.randoms(use_true_random=False), sizes, st.just(surrogates))
