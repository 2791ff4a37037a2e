"""The scripted agent: it acts on what its context says, and on nothing else.

It is given messages and the names of its tools, as a model is. By reading rules that never change it
takes from them the rules it was told, the state of its plan, and what tombstones stand where; a table
of skills then says what to do about the newest thing a human asked. It does not know what wrote
its context, and it has no memory beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cenotaph.testing.story.transcript import Call

__all__ = ["Act", "Context", "Step", "decide", "read_context"]

_RULE: Final = re.compile(
    r"(?:do not|don't|never) (?:modify|change|write|touch) anything under (?P<place>/[\w./-]*\w)/?",
    re.IGNORECASE,
)
_STEP: Final = re.compile(
    r"(?P<id>\d+)\. (?P<label>[^()]+?) \((?P<state>pending|in_progress|blocked|done)(?P<rest>[^()]*)\)"
)
_TOMBSTONE: Final = "[EVICTED:"
_PAGE: Final = "[CENOTAPH:"
_GAP: Final = "GAP:"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the plan as the context has it; `note` holds what qualifies its state."""

    id: str
    label: str
    state: str
    note: str


@dataclass(frozen=True, slots=True)
class Context:
    """What the agent reads off its messages.

    Attributes:
        ask: The newest human message; "" if there is none.
        done: What was called since then, with its results.
        rules: Folders under which nothing may be modified.
        plan: Steps by the newest statement of the plan.
        texts: Every text that says something: not the ask, no tombstone, no reported gap.
        gone: Calls whose result is a tombstone, with that line.
    """

    ask: str
    done: tuple[tuple[Call, str], ...]
    rules: tuple[str, ...]
    plan: tuple[Step, ...]
    texts: tuple[str, ...]
    gone: tuple[tuple[Call, str], ...]

    def forbids(self, path: str) -> bool:
        return any(path.startswith(place + "/") for place in self.rules)

    def newest(self, pattern: str) -> re.Match[str] | None:
        """The last match in the newest text that has one."""
        for text in reversed(self.texts):
            found = list(re.finditer(pattern, text, re.MULTILINE))
            if found:
                return found[-1]
        return None

    def lost_result(self) -> str | None:
        """The tombstone whose call shares most words with the ask, None if none shares any."""
        wanted = _words(self.ask)
        scored = [(len(wanted & _words(f"{call.tool} {json.dumps(call.args)}")), line) for call, line in self.gone]
        score, line = max(scored, key=lambda pair: pair[0], default=(0, ""))
        return line if score else None


@dataclass(frozen=True, slots=True)
class Act:
    """The agent's next message: words, and calls if it is not finished."""

    words: str
    calls: tuple[Call, ...] = ()


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]{3,}", text.lower()))


def read_context(messages: Sequence[Mapping[str, Any]]) -> Context:
    """Reads messages as they were sent; the same rules whoever compacted them."""
    ask, since = "", -1
    rules: list[str] = []
    plan: tuple[Step, ...] = ()
    texts: list[tuple[int, str]] = []
    calls: dict[str, tuple[int, Call]] = {}
    results: list[tuple[int, Call, str]] = []
    for index, message in enumerate(messages):
        content = message.get("content") or ""
        if message["role"] == "tool":
            called_at, call = calls[message["tool_call_id"]]
            results.append((called_at, call, content))
        elif content and message["role"] in ("user", "system"):
            rules += [match["place"] for match in _RULE.finditer(content)]
            plan = _steps_in(content) or plan
            if message["role"] == "user" and not content.startswith(_PAGE):
                ask, since = content, index
        for asked in message.get("tool_calls") or ():
            call = Call(asked["function"]["name"], json.loads(asked["function"]["arguments"]))
            calls[asked["id"]] = (index, call)
            if call.tool == "update_plan":
                plan = tuple(Step(s["id"], s["step"], s["status"], s.get("note", "")) for s in call.args["steps"])
        if content and not content.startswith((_TOMBSTONE, _GAP)):
            texts.append((index, content))
    return Context(
        ask=ask,
        done=tuple((call, content) for at, call, content in results if at > since),
        rules=tuple(dict.fromkeys(rules)),
        plan=plan,
        texts=tuple(text for index, text in texts if index != since),
        gone=tuple((call, content) for _, call, content in results if content.startswith(_TOMBSTONE)),
    )


def _steps_in(text: str) -> tuple[Step, ...]:
    found = tuple(Step(m["id"], m["label"], m["state"], m["rest"].lstrip(": ")) for m in _STEP.finditer(text))
    return found if len(found) > 1 else ()


# Skills: what to do about an ask, given what was done about it already ------------------------

Skill = Callable[[re.Match[str], Context, Collection[str]], Act]


def _read(ask: re.Match[str], context: Context, tools: Collection[str]) -> Act:
    if not context.done:
        return Act("", (Call("read_file", {"path": ask["path"]}),))
    return Act(f"{ask['path']} says: {context.done[-1][1].splitlines()[4]}")


def _logs(ask: re.Match[str], context: Context, tools: Collection[str]) -> Act:
    if not context.done:
        return Act("", (Call("service_logs", {"service": ask["service"], "since": ask["since"]}),))
    return Act(f"{context.done[-1][1].count(' WARN ')} warnings since then, none of them new.")


def _search(ask: re.Match[str], context: Context, tools: Collection[str]) -> Act:
    if not context.done:
        return Act("", (Call("grep", {"pattern": ask["name"], "path": "/etc"}),))
    return Act("Here: " + context.done[-1][1].splitlines()[0])


def _state(ask: re.Match[str], context: Context, tools: Collection[str]) -> Act:
    return Act("; ".join(f"{s.id} {s.state}" + (f": {s.note}" if s.note else "") for s in context.plan))


def _carry_on(ask: re.Match[str], context: Context, tools: Collection[str]) -> Act:
    """Runs the first step that is pending; a blocked one is not."""
    if not context.done:
        step = next((step for step in context.plan if step.state == "pending"), None)
        if step is not None:
            return Act(f"Next is step {step.id}: {step.label}.", (Call("run_step", {"id": step.id}),))
        return Act("No step is pending. " + _state(ask, context, tools).words)
    call, answer = context.done[-1]
    if call.tool == "run_step" and answer.startswith("DONE"):
        steps = [
            {"id": s.id, "step": s.label, "status": "done" if s.id == call.args["id"] else s.state}
            | ({"note": s.note} if s.note else {})
            for s in context.plan
        ]
        return Act("", (Call("update_plan", {"steps": steps}),))
    if call.tool == "run_step":
        return Act(f"Step {call.args['id']} did not run, I am stuck on it. The tool says: {answer}")
    return Act("That step is done and the plan says so.")


def _raise_limit(ask: re.Match[str], context: Context, tools: Collection[str]) -> Act:
    """Writes the file that sets the limit, or a proposal where a rule forbids it."""
    if context.done:
        call, answer = context.done[-1]
        if answer.startswith("REJECTED"):
            return Act(f"The write was refused: {answer}")
        return Act(f"It stands in {call.args['path']}.")
    place = context.newest(rf"^(?P<path>/\S+?):\d+:.*\b{ask['name']}\b")
    if place is None:
        return Act(f"I do not know where {ask['name']} is set.")
    path, words = place["path"], "I raise the limit where it is set."
    if context.forbids(path):
        words = f"I may not modify {path}; I write a proposal for whoever may."
        path = f"proposals/{path.rsplit('/', 1)[-1]}"
    lines = [f"{ask['user']} {kind} {ask['name']} {ask['value']}" for kind in ("soft", "hard")]
    return Act(words, (Call("write_file", {"path": path, "content": "\n".join([*lines, ""])}),))


def _recall(pattern: str, context: Context, tools: Collection[str]) -> Act:
    """What the context has verbatim; else by the handle of a tombstone; else nothing."""
    known = context.newest(pattern)
    if known is not None:
        return Act(known.group())
    line = context.lost_result()
    if line is not None and "rehydrate" in tools and not context.done:
        return Act("It left my context; I ask for it by its handle.", (Call("rehydrate", {"what": line}),))
    return Act("I do not have it: nothing in my context says it or names where it is.")


def _setting(ask: re.Match[str], context: Context, tools: Collection[str]) -> Act:
    return _recall(rf"\b{ask['name']}=[^\s,;]+\w", context, tools)


def _checksum(ask: re.Match[str], context: Context, tools: Collection[str]) -> Act:
    return _recall(r"\bbundle_sha256: [0-9a-f]{64}\b", context, tools)


_SKILLS: Final[tuple[tuple[re.Pattern[str], Skill], ...]] = (
    (re.compile(r"^Read (?P<path>[\w./-]+\w)"), _read),
    (re.compile(r"^Show me the logs of (?P<service>[\w-]+) since (?P<since>[\d:]+)"), _logs),
    (re.compile(r"^Where is (?P<name>\w+) set"), _search),
    (re.compile(r"^Where does the plan stand"), _state),
    (re.compile(r"^Carry on with the plan"), _carry_on),
    (re.compile(r"raise the (?P<name>\w+) limit for the (?P<user>\w+) user to (?P<value>\d+)"), _raise_limit),
    (re.compile(r"^What was (?P<name>[A-Z_]+) set to"), _setting),
    (re.compile(r"[Gg]ive me the checksum"), _checksum),
)


def decide(messages: Sequence[Mapping[str, Any]], tools: Collection[str]) -> Act:
    """The agent's next message, from its context alone.

    Args:
        messages: What a model would be sent.
        tools: Names of the tools that it is offered.
    """
    context = read_context(messages)
    for pattern, skill in _SKILLS:
        found = pattern.search(context.ask)
        if found is not None:
            return skill(found, context, tools)
    if messages[-1]["role"] == "tool":
        return Act("I have gone through it; nothing speaks against the drill, and the plan stands as written.")
    return Act("All right.")
