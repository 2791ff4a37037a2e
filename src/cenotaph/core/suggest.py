"""Drafts of tool declarations from real calls: evidence for a person, never a decision.

What a tool did in some transcripts proves nothing about what it may do. So a draft is written as
comments, says what was seen, and counts only once a person has checked it and taken the marks off.
Three things are never drafted: a shell as anything, what reaches a network as repeatable, and any
tool as repeatable on less evidence than `pairs_min` equal questions with equal answers to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.ids import JSON, canonical_json, sha256_hex
from cenotaph.core.spans import Structure
from cenotaph.core.tools import Tools, toml_string

__all__ = ["Observation", "ToolUse", "draft_toml", "observe", "uncommented", "weigh"]

pairs_min: Final = 3
"""Equal questions with equal answers that it takes to propose `repeatable`."""

_SHELL_WORDS: Final = frozenset(
    {
        "bash",
        "sh",
        "zsh",
        "fish",
        "shell",
        "terminal",
        "console",
        "powershell",
        "pwsh",
        "cmd",
        "exec",
        "execute",
    }
    | {
        "command",
        "commands",
        "run",
        "script",
        "python",
        "ipython",
        "node",
        "repl",
        "jupyter",
        "eval",
        "process",
    }
)
_SHELL_ARGUMENTS: Final = frozenset({"command", "cmd", "commands", "script", "code", "program", "argv", "keystrokes"})
_NETWORK_WORDS: Final = frozenset(
    {"web", "http", "https", "fetch", "browser", "browse", "url", "curl", "request", "internet", "download"}
)
_NETWORK_ARGUMENTS: Final = frozenset({"url", "urls", "uri", "href", "endpoint"})
_WRITE_WORDS: Final = frozenset(
    {
        "write",
        "edit",
        "create",
        "update",
        "delete",
        "remove",
        "insert",
        "replace",
        "patch",
        "apply",
        "save",
        "set",
    }
    | {"put", "post", "send", "move", "rename", "append", "add", "cancel", "submit", "book", "modify"}
)
_SCHEMES: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    (
        "file",
        frozenset({"path", "file_path", "filepath", "filename", "file", "target_file", "notebook_path"}),
    ),
    ("dir", frozenset({"directory", "dir", "folder", "dir_path", "directory_path"})),
    ("url", _NETWORK_ARGUMENTS),
)
_IDENTIFIER = re.compile(r"(?:^|_)(?:id|key|name|code|number|slug|uuid|sku|query|pattern)$", re.IGNORECASE)
_ARGUMENT = re.compile(r"[A-Za-z0-9_.-]+")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_MARK: Final = "# "


@dataclass(frozen=True, slots=True)
class Observation:
    """One call, as it went.

    Attributes:
        tool: Its name.
        args: Its arguments; None if they can't be read.
        answer: Digest of what came back; None if nothing did, or the call failed.
        tokens: Of the call and its results.
        where: The transcript: only calls of one transcript are compared.
    """

    tool: str
    args: Mapping[str, JSON] | None
    answer: str | None
    tokens: int
    where: int


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What was seen of a tool.

    Attributes:
        name: The tool.
        calls: How often it was called.
        tokens: Of all its calls and results.
        share: Of all tokens of the transcripts, 0 to 1.
        pairs: How often a call had the same arguments as the last such call before it.
        equal: How many of those gave the same bytes.
        handle: A template over its arguments; None if none of them names a thing.
        shell: It runs whatever it is given.
        network: It reaches out of the machine.
        writes: Its name says that it changes something.
        declared: A declaration in force speaks of it already.
    """

    name: str
    calls: int
    tokens: int
    share: float
    pairs: int
    equal: int
    handle: str | None
    shell: bool
    network: bool
    writes: bool
    declared: bool

    @property
    def repeatable(self) -> bool:
        """The evidence is there, and nothing speaks against it."""
        if self.shell or self.network or self.writes or self.handle is None:
            return False
        return self.pairs >= pairs_min and self.equal == self.pairs


def observe(structure: Structure, where: int = 0) -> list[Observation]:
    """Every call of a transcript with what came back.

    Args:
        structure: Its spans and exchanges.
        where: A number for the transcript.
    """
    found = []
    for exchange in structure.exchanges:
        for order, results in zip(exchange.calls, exchange.results, strict=True):
            call = structure.spans[order]
            answers = [structure.spans[result] for result in results]
            failed = not answers or any(answer.part.failed for answer in answers)
            digest = sha256_hex(b"\0".join(answer.data for answer in answers))
            found.append(
                Observation(
                    tool=call.part.tool or "?",
                    args=call.part.args,
                    answer=None if failed else digest,
                    tokens=call.tokens + sum(answer.tokens for answer in answers),
                    where=where,
                )
            )
    return found


def weigh(observations: Iterable[Observation], total_tokens: int, tools: Tools) -> list[ToolUse]:
    """What was seen of each tool, the heaviest first.

    Args:
        observations: Calls, in the order in which they were made.
        total_tokens: Of all transcripts they come from.
        tools: Declarations in force.
    """
    by_tool: dict[str, list[Observation]] = {}
    for item in observations:
        by_tool.setdefault(item.tool, []).append(item)
    uses = [_use(name, calls, total_tokens, tools) for name, calls in by_tool.items()]
    return sorted(uses, key=lambda use: (-use.tokens, use.name))


def _use(name: str, calls: Sequence[Observation], total_tokens: int, tools: Tools) -> ToolUse:
    tokens = sum(call.tokens for call in calls)
    pairs, equal = _repetitions(calls)
    arguments = {key for call in calls for key in (call.args or {})}
    words = {word.lower() for word in _WORD.findall(name)}
    shell = bool(words & _SHELL_WORDS or arguments & _SHELL_ARGUMENTS)
    return ToolUse(
        name=name,
        calls=len(calls),
        tokens=tokens,
        share=tokens / max(total_tokens, 1),
        pairs=pairs,
        equal=equal,
        handle=None if shell else _handle(name, calls),
        shell=shell,
        network=bool(words & _NETWORK_WORDS or arguments & _NETWORK_ARGUMENTS),
        writes=bool(words & _WRITE_WORDS),
        declared=tools.declares(name),
    )


def _repetitions(calls: Sequence[Observation]) -> tuple[int, int]:
    """(equal questions, those with equal answers), each against the last such question before it."""
    last: dict[tuple[int, bytes], str] = {}
    pairs = equal = 0
    for call in calls:
        if call.args is None or call.answer is None:
            continue
        question = (call.where, canonical_json(dict(call.args)))
        before = last.get(question)
        if before is not None:
            pairs += 1
            equal += before == call.answer
        last[question] = call.answer
    return pairs, equal


def _handle(name: str, calls: Sequence[Observation]) -> str | None:
    """A template over the arguments that every call gives: what it reads, by the usual names."""
    given = [_nameable(call.args) for call in calls]
    always = frozenset.intersection(*given) if given else frozenset()
    for scheme, known in _SCHEMES:
        for argument in sorted(always):
            if argument.lower() in known:
                return f"{scheme}:{{{argument}}}"
    named = sorted(argument for argument in always if _IDENTIFIER.search(argument))
    if not named:
        return None
    scheme = "-".join(word.lower() for word in _WORD.findall(name)) or "tool"
    scheme = scheme if scheme[0].isalpha() else f"tool-{scheme}"
    return f"{scheme}:{'@'.join(f'{{{argument}}}' for argument in named)}"


def _nameable(args: Mapping[str, JSON] | None) -> frozenset[str]:
    """Arguments whose value can stand in a handle."""
    return frozenset(
        key
        for key, value in (args or {}).items()
        if _ARGUMENT.fullmatch(key)
        and isinstance(value, str | int)
        and not isinstance(value, bool)
        and value != ""
        and (isinstance(value, int) or (len(value) <= 256 and "\n" not in value))
    )


def draft_toml(uses: Sequence[ToolUse], files: int) -> str:
    """A draft to edit: entries behind `# `, words for the reader behind `## `.

    As it stands it declares nothing. `uncommented` of it, or of any entry in it, is what `read_toml`
    takes.

    Args:
        uses: What was seen.
        files: In how many transcripts.
    """
    calls = sum(use.calls for use in uses)
    seen = f"{_times(calls, 'call')} in {_times(files, 'transcript')}"
    lines = [
        f"## Draft of tool declarations from {seen}.",
        "## It declares nothing as it stands. Check an entry against what the tool",
        '## really does, then take the "# " off its lines.',
        "##   handle      what it reads, by its arguments",
        "##   repeatable  asking again gives the same, unless it was written",
        '##   writes      a handle, "none", or "unknown" (anything; the default)',
    ]
    for use in uses:
        if not use.declared:
            lines += ["", *_entry(use)]
    return "\n".join(lines) + "\n"


def _entry(use: ToolUse) -> list[str]:
    weight = f"{_times(use.calls, 'call')}, {use.share:.1%} of all tokens"
    lines = [f"## {_comment(use.name)}: {weight}; {evidence(use)}"]
    if use.shell:
        return [*lines, "## It runs what it is given, so it may write anything: nothing is proposed."]
    if use.handle is None:
        return [*lines, "## No argument names what it reads: nothing is proposed."]
    if use.network:
        lines.append("## It reaches out of the machine: not proposed as repeatable.")
    elif use.writes:
        lines.append("## Its name says that it writes: if that is its handle, say so under writes.")
    elif not use.repeatable:
        lines.append(f"## Not proposed as repeatable: that takes {pairs_min} repeats, all with equal bytes.")
    entry = ["[[tool]]", f"name = {toml_string(use.name)}", f"handle = {toml_string(use.handle)}"]
    if use.repeatable:
        entry.append("repeatable = true")
    return [*lines, *(_MARK + line for line in entry)]


def evidence(use: ToolUse) -> str:
    """How often equal arguments gave equal bytes, in words."""
    if not use.pairs:
        return "never repeated"
    return f"{_times(use.pairs, 'repeat')}, {use.equal:,} with equal bytes"


def _times(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _comment(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def uncommented(draft: str) -> str:
    """The draft with every entry's marks taken off, as a person would who keeps them all."""
    return "".join(
        line.removeprefix(_MARK) if not line.startswith("##") else line for line in draft.splitlines(keepends=True)
    )
