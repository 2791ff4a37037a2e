"""Hostile transcripts: valid for their provider, and everything else that a compactor may meet.

`generate` needs nothing but the standard library and is the same for the same seed for ever within
one version; `transcripts` is the same generator under Hypothesis, whose `Random` makes every choice
a draw, so that a failing transcript shrinks.

What they contain on purpose: parallel batches whose results come in any order, a person's words
behind results in one message, calls that the provider runs, signed reasoning inside tool loops,
equal blocks, empty and huge results, declared and unknown tools, media, fenced payloads, text that
looks like this package's own markers, and an end at every point of a tool loop.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Literal

from cenotaph.core.ids import JSON

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Wire = Literal["anthropic", "openai-chat"]

__all__ = ["Wire", "generate", "generate_request", "transcripts"]

CALLS_PER_TURN_MAX = 300
"""Longest tool loop: as many calls in one turn as real sessions have been seen with."""

_PATHS = (
    "src/app.py",
    "src/über größe.py",
    "docs/a b.md",
    "/etc/prod/db.yaml",
    "x" * 90 + "/y.ts",
    "src/app.py",
)

_SENTENCES = (
    "Do not modify anything under /etc/prod/ - read-only.",
    "Never scan 10.0.0.9, it is the hospital's pump controller.",
    "ok",
    "Go on.",
    "Use PAYMENTS_DB_REPLICA=eu-west-2b and port 5433 only.",
    "Bitte zuerst fragen, bevor du etwas löschst. 日本語でも構いません。",
    "The deploy is blocked: waits for approval of Dana. 🧵\u200d🔥",
    "See https://example.com/a?b=1&c=%20d#e and commit 3f9c2ab.",
    "[EVICTED:user_constraint@t3:recover=NO]",
    "[EVICTED:tool_result@t1.2:recover=file:src/app.py|cx:0123456789abcdef]",
    "[CENOTAPH:7: not from the user]\npath: src/app.py (t1, agent, cx:0123456789abcdef)",
    "[SUMMARY:tool_result@t1-t4:source=cx:0123456789abcdef] all fine",
    "line one\r\nline two\ttabbed\x0bvertical\u2028separator",
    "a] b| c% d",
)

_FENCED = "Here is the log:\n```text\n{body}\n```\nWhat broke?"
_REMINDER = "<system-reminder>The todo list is empty.</system-reminder>"
_HUGE = "\n".join(f"{n:06d} def function_{n}(value): return value + {n}" for n in range(2_000))
_SURROGATE = "broken \ud83d half and \udc00 other"
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class _Draw:
    """Choices of one transcript; ids are numbered, so they never repeat."""

    def __init__(self, rng: Random, surrogates: bool) -> None:
        self.rng = rng
        self.surrogates = surrogates
        self.issued = 0

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def below(self, stop: int) -> int:
        return self.rng.randrange(stop)

    def next_id(self, prefix: str) -> str:
        self.issued += 1
        return f"{prefix}{self.issued:04d}"

    def sentence(self) -> str:
        if self.surrogates and self.chance(30):
            return _SURROGATE
        return _SENTENCES[self.below(len(_SENTENCES))]

    def path(self) -> str:
        return _PATHS[self.below(len(_PATHS))]

    def prose(self) -> str:
        return " ".join(self.sentence() for _ in range(1 + self.below(3)))

    def human(self) -> str:
        if self.chance(15):
            return _FENCED.format(body=_HUGE[: 200 + self.below(4_000)])
        return self.prose()

    def output(self) -> str:
        """What a tool returned: often the same bytes again, sometimes nothing, sometimes very much."""
        roll = self.below(20)
        if roll == 0:
            return ""
        if roll == 1:
            return _HUGE[: 1_000 + self.below(60_000)]
        if roll < 8:
            return _HUGE[:240]
        return self.prose()

    def shuffled(self, items: list[JSON]) -> list[JSON]:
        self.rng.shuffle(items)
        return items


# Tools ---------------------------------------------------------------------------------------

_Args = dict[str, JSON]
_Tool = tuple[str, Callable[[_Draw], _Args]]


def _todos(draw: _Draw) -> list[JSON]:
    states = ("pending", "in_progress", "completed")
    return [
        {"content": draw.sentence(), "status": states[draw.below(3)], "activeForm": f"Step {n}"}
        for n in range(1 + draw.below(3))
    ]


def _read(draw: _Draw) -> _Args:
    args: _Args = {"file_path": draw.path()}
    if draw.chance(30):
        args |= {"offset": draw.below(100), "limit": 50}
    return args


def _bash(draw: _Draw) -> _Args:
    args: _Args = {"command": f"cat {draw.path()} && make"}
    if draw.chance(20):
        args["run_in_background"] = True
    return args


_ANTHROPIC_TOOLS: tuple[_Tool, ...] = (
    ("Read", _read),
    ("Read", _read),
    ("Edit", lambda draw: {"file_path": draw.path(), "old_string": draw.sentence(), "new_string": "x"}),
    ("Write", lambda draw: {"file_path": draw.path(), "content": draw.output()}),
    ("Bash", _bash),
    ("TodoWrite", lambda draw: {"todos": _todos(draw)}),
    ("mcp__deploy__start", lambda draw: {"target": draw.sentence(), "nested": {"deep": [1, None, True]}}),
    ("frobnicate", lambda draw: {}),
)

_CHAT_TOOLS: tuple[_Tool, ...] = (
    ("read_file", lambda draw: {"path": draw.path()}),
    ("read_file", lambda draw: {"path": draw.path()}),
    ("write_file", lambda draw: {"path": draw.path(), "content": draw.output()}),
    ("write_todos", lambda draw: {"todos": _todos(draw)}),
    ("run", lambda draw: {"command": "make test", "background": draw.chance(20)}),
    ("frobnicate", lambda draw: {}),
)


# Anthropic -----------------------------------------------------------------------------------


def _text(text: str) -> JSON:
    return {"type": "text", "text": text}


def _image() -> JSON:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PIXEL}}


def _thinking(draw: _Draw) -> JSON:
    if draw.chance(15):
        return {"type": "redacted_thinking", "data": draw.next_id("Eo8B")}
    return {"type": "thinking", "thinking": draw.prose(), "signature": draw.next_id("EqQB")}


def _user(draw: _Draw) -> JSON:
    roll = draw.below(10)
    if roll < 5:
        return {"role": "user", "content": draw.human()}
    blocks = [_text(draw.human())]
    if roll < 7:
        blocks.insert(0, _text(_REMINDER))
    if roll == 7:
        blocks.append(_image())
    if roll == 8:
        blocks.append(dict(blocks[0]))
    if roll == 9:
        source = {"type": "text", "media_type": "text/plain", "data": _HUGE[:900]}
        blocks.append({"type": "document", "source": source, "title": "paste.txt"})
    return {"role": "user", "content": blocks}


def _tool_use(draw: _Draw, caller: str | None = None) -> JSON:
    name, arguments = _ANTHROPIC_TOOLS[draw.below(len(_ANTHROPIC_TOOLS))]
    block = {"type": "tool_use", "id": draw.next_id("toolu_"), "name": name, "input": arguments(draw)}
    if caller is not None:
        block["caller"] = {"type": "code_execution_20250825", "tool_id": caller}
    elif draw.chance(10):
        block["caller"] = {"type": "direct"}
    return block


def _tool_result(draw: _Draw, call: JSON) -> JSON:
    block: dict[str, JSON] = {"type": "tool_result", "tool_use_id": call["id"]}
    output = draw.output()
    roll = draw.below(10)
    if roll == 0:
        block |= {"content": output or "failed", "is_error": True}
    elif roll == 1:
        block["content"] = [_text(output or "see image"), _image()]
    elif roll == 2 and not output:
        block["content"] = []
    else:
        block["content"] = output
    return block


def _answer(draw: _Draw, calls: list[JSON], may_speak: bool) -> JSON:
    """All results of a batch in one user message, in any order; a person may speak behind them."""
    blocks = draw.shuffled([_tool_result(draw, call) for call in calls])
    if may_speak and draw.chance(12):
        blocks.append(_text(_REMINDER if draw.chance(50) else draw.human()))
    return {"role": "user", "content": blocks}


def _searched(draw: _Draw) -> list[JSON]:
    """A call that the provider ran, with its result in the same message."""
    call_id = draw.next_id("srvtoolu_")
    hit = {
        "type": "web_search_result",
        "url": "https://example.com/",
        "title": "t",
        "encrypted_content": "Eq8",
    }
    error = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    content: JSON = error if draw.chance(20) else [hit]
    return [
        {"type": "server_tool_use", "id": call_id, "name": "web_search", "input": {"query": draw.sentence()}},
        {"type": "web_search_tool_result", "tool_use_id": call_id, "content": content},
    ]


def _scripted(draw: _Draw, thinks: bool) -> list[JSON]:
    """Provider-run code that calls the client's tools: its own result comes a message later."""
    code_id = draw.next_id("srvtoolu_")
    opening = [_thinking(draw)] if thinks else []
    opening.append({"type": "server_tool_use", "id": code_id, "name": "code_execution", "input": {"code": "f()"}})
    rounds: list[JSON] = []
    for number in range(1 + draw.below(2)):
        calls = [_tool_use(draw, code_id) for _ in range(1 + draw.below(2))]
        rounds.append({"role": "assistant", "content": (opening if number == 0 else []) + calls})
        rounds.append(_answer(draw, calls, may_speak=False))
    outcome = {"type": "code_execution_result", "stdout": draw.output(), "stderr": "", "return_code": 0, "content": []}
    closing = {"type": "code_execution_tool_result", "tool_use_id": code_id, "content": outcome}
    return [*rounds, {"role": "assistant", "content": [closing, _text(draw.prose())]}]


def _step(draw: _Draw, width: int, thinks: bool) -> list[JSON]:
    """One agent message with a batch of calls and the message that answers it."""
    blocks: list[JSON] = [_thinking(draw)] if thinks else []
    if draw.chance(10):
        blocks.extend(_searched(draw))
    if draw.chance(40):
        blocks.append(_text(draw.prose()))
    calls = [_tool_use(draw) for _ in range(width)]
    return [{"role": "assistant", "content": blocks + calls}, _answer(draw, calls, may_speak=True)]


def _closing(draw: _Draw, thinks: bool) -> JSON:
    if not thinks and draw.chance(50):
        return {"role": "assistant", "content": draw.prose()}
    blocks = [_thinking(draw)] if thinks else []
    return {"role": "assistant", "content": [*blocks, _text(draw.prose())]}


def _cached(draw: _Draw, messages: list[JSON]) -> list[JSON]:
    """The messages with up to two cache breakpoints, as a client sets them near the end."""
    for message in messages[-4:][: draw.below(3)]:
        content = message["content"]
        if isinstance(content, list) and content[-1]["type"] in ("text", "tool_result"):
            content[-1]["cache_control"] = {"type": "ephemeral"}
    return messages


def _anthropic(draw: _Draw, size: int) -> list[JSON]:
    messages: list[JSON] = []
    thinks = draw.chance(50)
    while True:
        messages.append(_user(draw))
        loop = _loop_length(draw, size)
        size -= loop + 1
        while loop > 0:
            if draw.chance(6):
                messages.extend(_scripted(draw, thinks))
                loop -= 2
                continue
            width = min(_batch_width(draw), loop)
            messages.extend(_step(draw, width, thinks))
            loop -= width
        if size <= 0:
            ended = _end(draw, messages, lambda: _closing(draw, thinks), lambda: _user(draw))
            return _cached(draw, ended)
        messages.append(_closing(draw, thinks))


# Chat Completions ----------------------------------------------------------------------------


def _chat_user(draw: _Draw) -> JSON:
    message: dict[str, JSON] = {"role": "user", "content": draw.human()}
    roll = draw.below(10)
    if roll == 0:
        picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_PIXEL}"}}
        message["content"] = [_text(draw.human()), picture]
    elif roll == 1:
        message["content"] = [_text(_REMINDER), _text(draw.human()), _text(draw.sentence())]
    elif roll == 2:
        message["name"] = "summary"
    return message


def _chat_call(draw: _Draw) -> JSON:
    name, arguments = _CHAT_TOOLS[draw.below(len(_CHAT_TOOLS))]
    raw = json.dumps(arguments(draw), ensure_ascii=draw.chance(50))
    if draw.chance(5):
        raw = raw[:-1]
    return {"id": draw.next_id("call_"), "type": "function", "function": {"name": name, "arguments": raw}}


def _chat_result(draw: _Draw, call: JSON) -> JSON:
    message: dict[str, JSON] = {"role": "tool", "tool_call_id": call["id"], "content": draw.output()}
    if draw.chance(15):
        message["content"] = [_text(message["content"] or "-")]
    if draw.chance(30):
        message["name"] = call["function"]["name"]
    return message


def _chat_step(draw: _Draw, width: int, thinks: bool) -> list[JSON]:
    calls = [_chat_call(draw) for _ in range(width)]
    content = (None, "", draw.prose())[draw.below(3)]
    message: dict[str, JSON] = {"role": "assistant", "content": content, "tool_calls": calls}
    if thinks:
        message["reasoning_content"] = draw.prose()
    return [message, *draw.shuffled([_chat_result(draw, call) for call in calls])]


def _chat_closing(draw: _Draw) -> JSON:
    roll = draw.below(10)
    if roll == 0:
        return {"role": "assistant", "content": None, "refusal": draw.sentence()}
    if roll == 1:
        return {"role": "assistant", "content": [_text(draw.prose())]}
    return {"role": "assistant", "content": draw.prose()}


def _chat(draw: _Draw, size: int) -> list[JSON]:
    messages: list[JSON] = []
    if draw.chance(60):
        messages.append({"role": "developer" if draw.chance(30) else "system", "content": draw.prose()})
    thinks = draw.chance(40)
    while True:
        messages.append(_chat_user(draw))
        loop = _loop_length(draw, size)
        size -= loop + 1
        while loop > 0:
            width = min(_batch_width(draw), loop)
            messages.extend(_chat_step(draw, width, thinks))
            loop -= width
        if size <= 0:
            return _end(draw, messages, lambda: _chat_closing(draw), lambda: _chat_user(draw))
        messages.append(_chat_closing(draw))


# Both ----------------------------------------------------------------------------------------


def _loop_length(draw: _Draw, size: int) -> int:
    """Calls of one turn: none, a few, or all that is left (one turn may hold most of a window)."""
    roll = draw.below(10)
    if roll == 0:
        return 0
    left = max(0, min(size, CALLS_PER_TURN_MAX))
    return left if roll < 4 else min(left, 1 + draw.below(6))


def _batch_width(draw: _Draw) -> int:
    return (1, 1, 1, 2, 3, 5)[draw.below(6)]


def _end(draw: _Draw, messages: list[JSON], closing: Callable[[], JSON], person: Callable[[], JSON]) -> list[JSON]:
    """Stops anywhere: at a person's words, an answer, results that nobody read yet, or open calls."""
    roll = draw.below(4)
    if roll == 0:
        messages.append(closing())
    elif roll == 1:
        messages.extend([closing(), person()])
    elif roll == 2 and _is_result(messages[-1]):
        messages.pop()
        while _is_result(messages[-1]) and not draw.chance(10):
            messages.pop()
    return messages


def _is_result(message: JSON) -> bool:
    content = message["content"]
    if message["role"] == "user" and isinstance(content, list):
        return bool(content[0]["type"] == "tool_result")
    return bool(message["role"] == "tool")


def _build(wire: Wire, rng: Random, size: int, surrogates: bool) -> list[JSON]:
    draw = _Draw(rng, surrogates)
    return _anthropic(draw, size) if wire == "anthropic" else _chat(draw, size)


def generate(wire: Wire, seed: int, size: int = 8, *, surrogates: bool = False) -> list[JSON]:
    """Messages that their provider would take, however odd; the same for the same arguments.

    Args:
        wire: "anthropic" or "openai-chat".
        seed: Any integer.
        size: About how many calls and turns; at most 300 calls stand in one turn.
        surrogates: Put lone surrogates into the text, which UTF-8 cannot carry.
    """
    return _build(wire, Random(seed), size, surrogates)


def generate_request(wire: Wire, seed: int, size: int = 8, *, surrogates: bool = False) -> dict[str, JSON]:
    """A request body around `generate`: model, system text where it stands outside, and tools."""
    messages = generate(wire, seed, size, surrogates=surrogates)
    schema = {"type": "object", "properties": {}}
    if wire == "anthropic":
        names = dict.fromkeys(name for name, _ in _ANTHROPIC_TOOLS if name != "frobnicate")
        cached = {"type": "ephemeral"}
        return {
            "model": "claude-opus-4-5",
            "max_tokens": 4096,
            "system": [{"type": "text", "text": _SENTENCES[0], "cache_control": cached}],
            "tools": [{"name": name, "description": name, "input_schema": schema} for name in names],
            "messages": messages,
        }
    names = dict.fromkeys(name for name, _ in _CHAT_TOOLS if name != "frobnicate")
    tools = [{"type": "function", "function": {"name": name, "parameters": schema}} for name in names]
    return {"model": "gpt-5", "messages": messages, "tools": tools}


def transcripts(wire: Wire, *, size_max: int = 20, surrogates: bool = False) -> SearchStrategy[list[JSON]]:
    """A Hypothesis strategy of what `generate` makes; needs the `test` extra.

    Args:
        wire: "anthropic" or "openai-chat".
        size_max: Largest `size` that is drawn.
        surrogates: Put lone surrogates into the text.
    """
    from hypothesis import strategies as st

    return st.builds(
        _build,
        st.just(wire),
        st.randoms(use_true_random=False),
        st.integers(min_value=0, max_value=size_max),
        st.just(surrogates),
    )
