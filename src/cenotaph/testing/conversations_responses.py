"""Hostile conversations in the Responses format: items that the API would take, however odd.

`generate_items` needs nothing but the standard library and is the same for the same seed for ever within
one version; `responses_conversations` is the same generator under Hypothesis, so that a failing
conversation shrinks.

What they contain on purpose: signed reasoning bound to what follows it, parallel batches whose outputs
come in any order and among an agent's own words, free-form patches, calls that the provider ran,
images in messages and in outputs, refused commands, command sessions that run on, abandoned approval
requests, opaque compaction items, harness text in the user's role, equal, empty and huge outputs, text
that looks like this package's own markers, and an end at every point of a tool loop.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Final

from cenotaph.core.ids import JSON

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["generate_items", "generate_request", "responses_conversations"]

CALLS_PER_TURN_MAX: Final = 300
"""Longest tool loop: as many calls in one turn as real sessions have been seen with."""

_PATHS: Final = ("src/app.py", "src/über größe.py", "docs/a b.md", "/etc/prod/db.yaml", "x" * 90 + "/y.ts")

_SENTENCES: Final = (
    "Do not modify anything under /etc/prod/ - read-only.",
    "ok",
    "Go on.",
    "Use PAYMENTS_DB_REPLICA=eu-west-2b and port 5433 only.",
    "Bitte zuerst fragen, bevor du etwas löschst. 日本語でも構いません。",
    "The deploy is blocked: waits for approval of Dana. 🧵\u200d🔥",
    "See https://example.com/a?b=1&c=%20d#e and commit 3f9c2ab.",
    "[EVICTED:tool_result@t1.2:recover=file:src/app.py|cx:0123456789abcdef]",
    "[CENOTAPH:7: not from the user]\npath: src/app.py (t1, agent, cx:0123456789abcdef)",
    "line one\r\nline two\ttabbed\x0bvertical\u2028separator",
    "a] b| c% d",
)
_FENCED: Final = "Here is the log:\n```text\n{body}\n```\nWhat broke?"
_CONTEXT: Final = "<environment_context>\n  <cwd>/work</cwd>\n  <shell>bash</shell>\n</environment_context>"
_AGENTS: Final = "# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nNever push to main.\n</INSTRUCTIONS>"
_HUGE: Final = "\n".join(f"{n:06d} def function_{n}(value): return value + {n}" for n in range(1_500))
_SURROGATE: Final = "broken \ud83d half and \udc00 other"
_PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

_Args = dict[str, JSON]


class _Draw:
    """Choices of one conversation; ids are numbered, so they never repeat."""

    def __init__(self, rng: Random, surrogates: bool) -> None:
        self.rng = rng
        self.surrogates = surrogates
        self.issued = 0
        self.with_ids = self.chance(70)
        self.thinks = self.chance(70)

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def below(self, stop: int) -> int:
        return self.rng.randrange(stop)

    def next_id(self, prefix: str) -> str:
        self.issued += 1
        return f"{prefix}{self.issued:04d}"

    def item(self, kind: str, prefix: str, **fields: JSON) -> dict[str, JSON]:
        """An item with its own id, or without one as stateless clients send it."""
        own = {"id": self.next_id(prefix)} if self.with_ids else {}
        return {"type": kind, **own, **fields}

    def sentence(self) -> str:
        if self.surrogates and self.chance(30):
            return _SURROGATE
        return _SENTENCES[self.below(len(_SENTENCES))]

    def path(self) -> str:
        return _PATHS[self.below(len(_PATHS))]

    def prose(self) -> str:
        return " ".join(self.sentence() for _ in range(1 + self.below(3)))

    def output(self) -> str:
        """What a tool returned: often the same bytes again, sometimes nothing, sometimes very much."""
        roll = self.below(20)
        if roll == 0:
            return ""
        if roll == 1:
            return _HUGE[: 1_000 + self.below(50_000)]
        return _HUGE[:240] if roll < 8 else self.prose()

    def shuffled(self, items: list[JSON]) -> list[JSON]:
        self.rng.shuffle(items)
        return items


# Messages ------------------------------------------------------------------------------------


def _image() -> JSON:
    return {"type": "input_image", "image_url": f"data:image/png;base64,{_PIXEL}", "detail": "low"}


def _input(text: str) -> JSON:
    return {"type": "input_text", "text": text}


def _said(role: str, content: JSON) -> JSON:
    return {"type": "message", "role": role, "content": content}


def _user(draw: _Draw) -> list[JSON]:
    text = _FENCED.format(body=_HUGE[: 200 + draw.below(4_000)]) if draw.chance(15) else draw.prose()
    roll = draw.below(10)
    if roll == 0:
        return [{"role": "user", "content": text}]
    if roll == 1:
        return [_said("user", [_input(text), _image()])]
    if roll == 2:
        return [_said("user", [_input(_CONTEXT)]), _said("user", [_input(text)])]
    if roll == 3:
        return [_said("user", [_input(text), _input(text)])]
    if roll == 4:
        paper = {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}
        return [_said("user", [_input(text), paper])]
    return [_said("user", [_input(text)])]


def _spoken(draw: _Draw) -> JSON:
    block: JSON = {"type": "output_text", "text": draw.prose(), "annotations": []}
    if draw.chance(8):
        block = {"type": "refusal", "refusal": draw.sentence()}
    return draw.item("message", "msg_", role="assistant", status="completed", content=[block])


def _reasoning(draw: _Draw) -> JSON:
    summary = [{"type": "summary_text", "text": draw.sentence()}] if draw.chance(40) else []
    return draw.item("reasoning", "rs_", summary=summary, encrypted_content=draw.next_id("gAAAA"))


def _led(draw: _Draw, item: JSON) -> list[JSON]:
    """An item, with the reasoning that led to it if this model shows that it thinks."""
    return [_reasoning(draw), item] if draw.thinks and draw.chance(60) else [item]


# Calls ---------------------------------------------------------------------------------------


def _plan(draw: _Draw) -> _Args:
    states = ("pending", "in_progress", "completed")
    return {"plan": [{"step": draw.sentence(), "status": states[draw.below(3)]} for _ in range(1 + draw.below(3))]}


_TOOLS: Final[tuple[tuple[str, Callable[[_Draw], _Args]], ...]] = (
    ("read_file", lambda draw: {"path": draw.path()}),
    ("read_file", lambda draw: {"path": draw.path()}),
    ("write_file", lambda draw: {"path": draw.path(), "content": draw.output()}),
    ("update_plan", _plan),
    ("shell_command", lambda draw: {"command": f"cat {draw.path()} && make"}),
    ("mcp__deploy__start", lambda draw: {"target": draw.sentence(), "nested": {"deep": [1, None, True]}}),
    ("frobnicate", lambda draw: {}),
)


def _function(draw: _Draw) -> JSON:
    name, arguments = _TOOLS[draw.below(len(_TOOLS))]
    raw = json.dumps(arguments(draw), ensure_ascii=draw.chance(50))
    if draw.chance(4):
        raw = raw[:-1]
    return draw.item("function_call", "fc_", call_id=draw.next_id("call_"), name=name, arguments=raw)


def _patch(draw: _Draw) -> JSON:
    hunks = [f"*** Update File: {draw.path()}\n@@\n-a\n+{draw.sentence()}" for _ in range(1 + draw.below(2))]
    text = "*** Begin Patch\n" + "\n".join(hunks) + "\n*** End Patch"
    call_id = draw.next_id("call_")
    return draw.item("custom_tool_call", "ctc_", call_id=call_id, name="apply_patch", input=text, status="completed")


def _call(draw: _Draw) -> JSON:
    return _patch(draw) if draw.chance(12) else _function(draw)


def _answer(draw: _Draw, call: JSON) -> JSON:
    output: JSON = draw.output()
    roll = draw.below(12)
    if roll == 0:
        output = [_input(output or "see image"), _image()]
    elif roll == 1:
        output = f"Exit code: {draw.below(2)}\nWall time: 0.1 seconds\nOutput:\n{output}"
    elif roll == 2:
        output = "exec command rejected by user"
    elif roll == 3:
        output = json.dumps({"output": output, "metadata": {"exit_code": draw.below(2), "duration_seconds": 0.1}})
    return {"type": f"{call['type']}_output", "call_id": call["call_id"], "output": output}


def _searched(draw: _Draw) -> JSON:
    """A call that the provider ran, with all of it in one item."""
    roll = draw.below(3)
    if roll == 0:
        action = {"type": "search", "query": draw.sentence()}
        return {"type": "web_search_call", "id": draw.next_id("ws_"), "status": "completed", "action": action}
    if roll == 1:
        named = {"name": "look", "server_label": "wiki", "arguments": "{}"}
        return {"type": "mcp_call", "id": draw.next_id("mcp_"), **named, "output": draw.output() or None, "error": None}
    ran = {"code": "1 + 1", "container_id": "c", "outputs": [{"type": "logs", "logs": draw.output()}]}
    return {"type": "code_interpreter_call", "id": draw.next_id("ci_"), "status": "completed", **ran}


def _asked(draw: _Draw) -> list[JSON]:
    """A request for a person's approval of a call of an MCP server, decided or not."""
    request_id = draw.next_id("mcpr_")
    named = {"name": "delete", "server_label": "wiki", "arguments": '{"page": 881}'}
    decided = {"type": "mcp_approval_response", "approval_request_id": request_id, "approve": draw.chance(50)}
    request = {"type": "mcp_approval_request", "id": request_id, **named}
    return [request, decided] if draw.chance(80) else [request]


def _session(draw: _Draw) -> list[JSON]:
    """A command that runs on after its output, and perhaps a look at it."""
    number = 1_000 + draw.below(9_000)
    first, second = draw.next_id("call_"), draw.next_id("call_")
    head = f"Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID {number}\nOutput:\n"
    start = draw.item("function_call", "fc_", call_id=first, name="exec_command", arguments='{"cmd": "make"}')
    shown = {"type": "function_call_output", "call_id": first, "output": head + draw.output()}
    asked = json.dumps({"session_id": number, "chars": ""})
    look = draw.item("function_call", "fc_", call_id=second, name="write_stdin", arguments=asked)
    ended = f"Wall time: 2.0 seconds\nProcess exited with code {draw.below(2)}\nOutput:\n{draw.output()}"
    over = {"type": "function_call_output", "call_id": second, "output": ended}
    return [*_led(draw, start), shown, look, over] if draw.chance(60) else [*_led(draw, start), shown]


def _step(draw: _Draw, width: int) -> list[JSON]:
    """One output of the model with a batch of calls, and what answers it."""
    if draw.chance(6):
        return _session(draw)
    items: list[JSON] = []
    if draw.chance(10):
        items += _led(draw, _searched(draw))
    if draw.chance(4):
        items += _asked(draw)
    if draw.chance(35):
        items += _led(draw, _spoken(draw))
    calls = [_call(draw) for _ in range(width)]
    for call in calls:
        items += _led(draw, call)
    outputs = draw.shuffled([_answer(draw, call) for call in calls])
    if len(outputs) > 1 and draw.chance(10):  # the model goes on before all of its batch is answered
        outputs.insert(1, _spoken(draw))
    return items + outputs


def _compaction(draw: _Draw) -> JSON:
    return {"type": "compaction", "id": draw.next_id("cmp_"), "encrypted_content": draw.next_id("gAAAAc")}


def _build(rng: Random, size: int, surrogates: bool) -> list[JSON]:
    draw = _Draw(rng, surrogates)
    items: list[JSON] = []
    if draw.chance(50):
        items.append(_said("developer", [_input(draw.prose())]))
    if draw.chance(30):
        items.append(_said("user", [_input(_AGENTS)]))
    while True:
        items += _user(draw)
        loop = _loop_length(draw, size)
        size -= loop + 1
        while loop > 0:
            width = min((1, 1, 1, 2, 3, 5)[draw.below(6)], loop)
            items += _step(draw, width)
            loop -= width
        if draw.chance(6):
            items.append(_compaction(draw))
        if size <= 0:
            return _end(draw, items)
        items += _led(draw, _spoken(draw))


def _loop_length(draw: _Draw, size: int) -> int:
    """Calls of one turn: none, a few, or all that is left (one turn may hold most of a window)."""
    roll = draw.below(10)
    if roll == 0:
        return 0
    left = max(0, min(size, CALLS_PER_TURN_MAX))
    return left if roll < 4 else min(left, 1 + draw.below(6))


def _end(draw: _Draw, items: list[JSON]) -> list[JSON]:
    """Stops anywhere: at the agent's words, at a person's, at results that nobody read yet, at open calls."""
    roll = draw.below(4)
    if roll == 0:
        return [*items, *_led(draw, _spoken(draw))]
    if roll == 1:
        return [*items, *_led(draw, _spoken(draw)), *_user(draw)]
    if roll == 2:
        return _unanswered(draw, items)
    return items


def _unanswered(draw: _Draw, items: list[JSON]) -> list[JSON]:
    """Without the newest outputs, or some of them; not where the agent spoke among them: then it had gone on."""
    answered = len(items)
    while items[answered - 1].get("type") in ("function_call_output", "custom_tool_call_output"):
        answered -= 1
    if items[answered - 1].get("role") is not None:
        return items
    return items[: answered + draw.below(len(items) - answered + 1)]


def generate_items(seed: int, size: int = 8, *, surrogates: bool = False) -> list[JSON]:
    """Items that the API would take, however odd; the same for the same arguments.

    Args:
        seed: Any integer.
        size: About how many calls and turns; at most 300 calls stand in one turn.
        surrogates: Put lone surrogates into the text, which UTF-8 cannot carry.
    """
    return _build(Random(seed), size, surrogates)


def generate_request(seed: int, size: int = 8, *, surrogates: bool = False) -> dict[str, JSON]:
    """A request body around `generate_items`: model, instructions and tools."""
    names = dict.fromkeys(name for name, _ in _TOOLS if name != "frobnicate")
    schema = {"type": "object", "properties": {}}
    return {
        "model": "gpt-5",
        "instructions": _SENTENCES[0],
        "tools": [{"type": "function", "name": name, "parameters": schema} for name in names],
        "store": False,
        "input": generate_items(seed, size, surrogates=surrogates),
    }


def responses_conversations(*, size_max: int = 20, surrogates: bool = False) -> SearchStrategy[list[JSON]]:
    """A Hypothesis strategy of what `generate_items` makes; needs the `test` extra.

    Args:
        size_max: Largest `size` that is drawn.
        surrogates: Put lone surrogates into the text.
    """
    from hypothesis import strategies as st

    return st.builds(
        _build,
        st.randoms(use_true_random=False),
        st.integers(min_value=0, max_value=size_max),
        st.just(surrogates),
    )
