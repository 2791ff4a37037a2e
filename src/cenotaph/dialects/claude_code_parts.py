"""Parts of Claude Code messages: Anthropic content blocks plus what the records say beside them.

Who wrote a block comes from a field of its record or from a form that fills it; whether a result
carries a person's act comes from the client's own copy of the result, or from the fixed sentence with
which it opens where that copy was trimmed and the client marked an error. What a block says otherwise
decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Part, Path, Provenance
from cenotaph.dialects import claude_code_forms as forms
from cenotaph.dialects.claude_code_records import Outcome, Record
from cenotaph.dialects.content import (
    MEDIA_BLOCKS,
    content_text,
    json_text,
    media_in,
    media_of_content,
    plain_document,
    string_of,
)

__all__ = ["Call", "Calls", "Origin", "content_parts"]

_LAUNCHERS: Final = {"Bash": forms.LAUNCH_SHELL, "Task": forms.LAUNCH_AGENT, "Agent": forms.LAUNCH_AGENT}
_PLAN_TOOLS: Final = frozenset({"ExitPlanMode", "exit_plan_mode"})
_QUESTION_TOOLS: Final = frozenset({"AskUserQuestion"})
_OUTPUT_TOOLS: Final = frozenset({"TaskOutput", "AgentOutputTool", "BashOutput"})
_STOP_TOOLS: Final = frozenset({"KillShell", "KillBash", "TaskStop"})
_SKILL_TOOLS: Final = frozenset({"Skill"})
_REFUSED_COPY: Final = ("User rejected tool use", "Error: The user doesn't want to ")
_TASK_ID_ARGS: Final = ("task_id", "shell_id", "bash_id", "agentId")
_STATUS: Final = re.compile(r"<status>(\w+)</status>")
_ALREADY_OVER: Final = re.compile(r"\(status: (\w+)\)\s*\Z")
_SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_STATUS_CHARS_MAX: Final = 2_000
_EMPTY: Final[frozenset[Mark]] = frozenset()
_REJECTION: Final = frozenset({Mark.rejection})
_ANSWER: Final = frozenset({Mark.answer})
_APPROVAL: Final = frozenset({Mark.approval})
_NO_OUTCOME: Final = Outcome()


@dataclass(frozen=True, slots=True)
class Call:
    """A call that stands in the view: its tool and the arguments as sent."""

    tool: str
    args: Mapping[str, JSON]


@dataclass(slots=True)
class Calls:
    """What is known of the calls of a view by the time its parts are made.

    Attributes:
        known: Call id -> call.
        background: Ids of calls whose result names something that goes on.
    """

    known: dict[str, Call] = field(default_factory=dict)
    background: set[str] = field(default_factory=set)

    def of(self, block: Mapping[str, JSON], key: str) -> Call | None:
        identity = block.get(key)
        return self.known.get(identity) if isinstance(identity, str) else None


@dataclass(slots=True, eq=False)
class Origin:
    """Where a block comes from; never changed, and not frozen as `Record` is not.

    Attributes:
        record: Its record.
        agent: It stands in the agent's role.
        machine: A field says that the client wrote it, though it stands in a person's role.
        command_body: The client put it in for the slash command before it.
        summarized: A summary in the same view replaces it.
        cleared: What stands here is the placeholder of a microcompaction.
    """

    record: Record
    agent: bool = False
    machine: bool = False
    command_body: bool = False
    summarized: bool = False
    cleared: bool = False

    @property
    def marks(self) -> frozenset[Mark]:
        return frozenset({Mark.summarized}) if self.summarized else _EMPTY


def content_parts(content: JSON, origins: Iterable[Origin], calls: Calls) -> tuple[Part, ...]:
    """The parts of one message of the view.

    Args:
        content: Its content: a string or a list of blocks.
        origins: One per block (one for a string), in order.
        calls: The calls of the whole view.
    """
    if isinstance(content, str):
        path: Path = ("content",)
        return tuple(_text_part(content, path, path, origin, calls) for origin in origins)
    pairs = zip(content, origins, strict=True)
    return tuple([_block_part(block, index, origin, calls) for index, (block, origin) in enumerate(pairs)])


def _block_part(block: JSON, index: int, origin: Origin, calls: Calls) -> Part:
    place: Path = ("content", index)
    if isinstance(block, str):
        return _text_part(block, place, place, origin, calls)
    kind = string_of(block.get("type")) if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return _text_part(block["text"], place, (*place, "text"), origin, calls)
    if kind == "tool_use" or kind in _SERVER_CALLS:
        return _call_part(block, place, origin, calls)
    if kind is not None and (kind == "tool_result" or kind.endswith("_tool_result")):
        return _result_part(block, place, origin, calls)
    if kind in ("thinking", "redacted_thinking"):
        signed = bool(block.get("signature") or block.get("data"))
        text = block.get("thinking", block.get("data"))
        marks = origin.marks | ({Mark.signed} if signed else _EMPTY)
        return Part(Kind.reasoning, Provenance.agent, place, place, text if isinstance(text, str) else "", marks=marks)
    provenance = _provenance(origin)
    plain = plain_document(block) if isinstance(block, dict) else None
    if plain is not None:
        return Part(Kind.text, provenance, place, (*place, "source", "data"), plain, marks=origin.marks)
    if kind in MEDIA_BLOCKS:
        return Part(Kind.media, provenance, place, place, "", marks=origin.marks, media=(media_in(block),))
    return Part(Kind.other, provenance, place, place, json_text(block), marks=origin.marks)


def _provenance(origin: Origin) -> Provenance:
    if origin.agent:
        return Provenance.agent
    if origin.record.is_summary:
        return Provenance.foreign
    return Provenance.harness if origin.machine or origin.record.meta else Provenance.user


def _text_part(text: str, block: Path, path: Path, origin: Origin, calls: Calls) -> Part:
    provenance = _provenance(origin)
    marks = origin.marks
    ended: tuple[str, ...] = ()
    if provenance is Provenance.foreign:
        marks |= {Mark.summary}
    elif provenance is not Provenance.agent:
        filled = forms.harness_forms(text)
        if filled:
            provenance = Provenance.harness
            # A mark holds for the block only if each stretch of it has the mark.
            shared = frozenset.intersection(*(form.marks for form in filled))
            marks |= shared | {m for form in filled for m in form.marks if m is Mark.instruction}
        if provenance is Provenance.harness:
            ended = forms.ended_in_notification(text)
            if origin.record.meta and not filled and _is_instruction(text, origin, calls):
                marks |= {Mark.instruction}
    return Part(Kind.text, provenance, block, path, text, marks=marks, ended_ids=ended)


def _is_instruction(text: str, origin: Origin, calls: Calls) -> bool:
    """A skill's or a command's body: by its fixed opening, the call that asked, or the command before it."""
    source = calls.known.get(origin.record.tool_source or "")
    by_skill = source is not None and source.tool in _SKILL_TOOLS
    return by_skill or origin.command_body or forms.is_skill_body(text)


def _call_part(block: Mapping[str, JSON], place: Path, origin: Origin, calls: Calls) -> Part:
    arguments = block.get("input")
    identity, name = block.get("id"), block.get("name")
    marks = origin.marks
    if block["type"] in _SERVER_CALLS:
        marks |= {Mark.server}
    runs_on = isinstance(arguments, dict) and arguments.get("run_in_background") is True
    if runs_on or (isinstance(identity, str) and identity in calls.background):
        marks |= {Mark.background}
    return Part(
        Kind.call,
        Provenance.agent,
        place,
        (*place, "input") if "input" in block else place,
        json_text(arguments) if "input" in block else "",
        call_id=identity if isinstance(identity, str) else None,
        tool=name if isinstance(name, str) else None,
        args=arguments if isinstance(arguments, dict) else None,
        marks=marks,
    )


def _result_part(block: Mapping[str, JSON], place: Path, origin: Origin, calls: Calls) -> Part:
    identity = block.get("tool_use_id")
    text, images = content_text(block.get("content"))
    call = calls.of(block, "tool_use_id")
    failed = block.get("is_error") is True
    # With several results in one record nothing says which of them the client's copy belongs to.
    outcome = origin.record.outcome if len(origin.record.result_ids()) == 1 else None
    live, ended = background_ids(call, text, failed, outcome)
    marks = origin.marks | _human_act(call, text, failed, outcome)
    if live and not _only_looks(call):
        marks |= {Mark.background}
    if origin.cleared or text == forms.CLEARED:
        marks |= {Mark.cleared}
    if block["type"] != "tool_result":
        marks |= {Mark.server}
    return Part(
        Kind.result,
        Provenance.tool,
        place,
        (*place, "content") if "content" in block else place,
        text,
        call_id=identity if isinstance(identity, str) else None,
        failed=failed,
        images=images,
        media=media_of_content(block.get("content")),
        marks=marks,
        live_ids=live,
        ended_ids=ended,
    )


def _human_act(call: Call | None, text: str, failed: bool, outcome: Outcome | None) -> frozenset[Mark]:
    """The marks of a result that carries what a person decided."""
    said = outcome if outcome is not None else _NO_OUTCOME
    if said.denied or said.text.startswith(_REFUSED_COPY) or (failed and forms.REFUSALS.match(text)):
        return _REJECTION
    if failed:
        return _EMPTY
    tool = call.tool if call is not None else None
    trimmed = outcome is None
    if (said.answers and (tool in _QUESTION_TOOLS or tool is None)) or (trimmed and tool in _QUESTION_TOOLS):
        return _ANSWER
    if tool in _PLAN_TOOLS and (said.plan or trimmed):
        return _APPROVAL
    return _EMPTY


def background_ids(
    call: Call | None, text: str, failed: bool, outcome: Outcome | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(ids of what goes on after this result, ids of what it reports as over).

    Args:
        call: The call that it answers, None if it is not in the view.
        text: What the model reads of the result.
        failed: The client marked it as an error.
        outcome: The client's own copy, None where it is missing.
    """
    fields = outcome.fields if outcome is not None else {}
    tool = call.tool if call is not None else ""
    if tool in _OUTPUT_TOOLS:
        return _reported(call, text, failed, fields)
    if tool in _STOP_TOOLS:
        identity = _named_task(call, fields)
        over = _ALREADY_OVER.search(text[-_STATUS_CHARS_MAX:]) if failed else None
        stopped = not failed or (over is not None and forms.has_ended(over[1]))
        return (), (identity,) if identity and stopped else ()
    if "backgroundTaskId" in fields:
        return (fields["backgroundTaskId"],), ()
    if fields.get("status") == "async_launched" and "agentId" in fields:
        return (fields["agentId"],), ()
    launcher = _LAUNCHERS.get(tool) if outcome is None and not failed else None
    match = launcher.match(text) if launcher is not None else None
    return ((match["id"],), ()) if match is not None else ((), ())


def _only_looks(call: Call | None) -> bool:
    """The call looks at something that goes on; another one began it."""
    return call is not None and call.tool in _OUTPUT_TOOLS


def starts_background(call: Call | None, text: str, failed: bool, outcome: Outcome | None) -> bool:
    """The result says that its call began something that goes on."""
    return not _only_looks(call) and bool(background_ids(call, text, failed, outcome)[0])


def _reported(
    call: Call | None, text: str, failed: bool, fields: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Live or ended, as a look at a background task's output says."""
    identity = _named_task(call, fields)
    status = fields.get("status")
    if status is None and not failed:
        match = _STATUS.search(text[:_STATUS_CHARS_MAX])
        status = match[1] if match is not None else None
    if not identity or status is None:
        return (), ()
    return ((), (identity,)) if forms.has_ended(status) else ((identity,), ())


def _named_task(call: Call | None, fields: Mapping[str, str]) -> str:
    for name in ("task_id", "shellId", "shell_id"):
        if name in fields:
            return fields[name]
    args = call.args if call is not None else {}
    return next((args[name] for name in _TASK_ID_ARGS if isinstance(args.get(name), str)), "")
