"""What the agent did, call by call: how each ended, what it read and wrote by declaration or by its own form.

A declared tool says what it touches. A tool that the history's profile does not know is taken for the one of that name
that clients have in common. Of a command only what its own words show is believed (`calls_programs`).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cenotaph.core.audit.calls.files import patched, scripted
from cenotaph.core.audit.calls.programs import SHELLS, targets_of
from cenotaph.core.audit.calls.services import stated
from cenotaph.core.audit.calls.words import Target, in_folder
from cenotaph.core.audit.verdicts.words import word_set
from cenotaph.core.ids import JSON, canonical_json
from cenotaph.core.model import Kind, Mark, Message, Part
from cenotaph.core.tools import PROFILES, Tools, ToolSpec, fill_template
from cenotaph.limits import audit_command_chars_max

__all__ = ["Act", "Target", "acts_in", "command_of", "file_of", "only_reads", "same_call", "written_by"]

_FILE: Final = "file:"
_COMMAND_KEYS: Final = ("command", "cmd", "commands", "script")
_FOLDER_KEYS: Final = ("workdir", "cwd", "working_directory", "directory", "dir_path")
_SQL_KEYS: Final = ("sql", "query", "statement")
_PATH_KEYS: Final = (
    *("path", "file_path", "filepath", "filename", "file", "target_file", "notebook_path"),
    *("destination", "new_path", "dest"),
)
_WRITING: Final = word_set("write edit create delete remove move rename save append replace update patch insert put")
_DELETING: Final = word_set("delete remove")


@dataclass(frozen=True, slots=True)
class Act:
    """One call with its outcome.

    Attributes:
        message: Index of its message.
        part: Index of the call in it.
        call: The call itself.
        results: Its results, in order; empty if none stands in the history.
        reads: The native handle that it read, by declaration; None if none is declared, or it may have written.
        writes: The native handle that it wrote, likewise.
        opaque: Nothing declares that it writes nothing, or what it writes: its form is looked at.
        answered: A result of it stands in the history.
        failed: It was carried out, and its client says that it failed.
        rejected: A person refused it.
    """

    message: int
    part: int
    call: Part
    results: tuple[Part, ...] = field(repr=False)
    reads: str | None
    writes: str | None
    opaque: bool
    answered: bool
    failed: bool
    rejected: bool

    @property
    def tool(self) -> str:
        """The tool's name; "" if the call has none."""
        return self.call.tool or ""

    @property
    def shown(self) -> str:
        """The call for a person."""
        return f"{self.tool} {command_of(self.call.args) or self.call.text}"


def acts_in(messages: Sequence[Message], tools: Tools) -> list[Act]:
    """Every call in order, with what is declared of it."""
    results: dict[str, list[Part]] = {}
    for message in messages:
        for part in message.parts:
            if part.kind is Kind.result and part.call_id is not None:
                results.setdefault(part.call_id, []).append(part)
    return [
        _act(at, index, part, results.get(part.call_id or "", ()), tools)
        for at, message in enumerate(messages)
        for index, part in enumerate(message.parts)
        if part.kind is Kind.call
    ]


def _act(at: int, index: int, part: Part, results: Sequence[Part], tools: Tools) -> Act:
    spec = tools.for_call(part.tool, part.args) if tools.declares(part.tool) else _common(part)
    writes = reads = None
    if spec is not None and spec.writes_handle is not None:
        writes = fill_template(spec.writes_handle, part.args)
    elif spec is not None and spec.writes_nothing and spec.handle is not None:
        reads = fill_template(spec.handle, part.args)
    opaque = writes is None and (spec is None or not spec.writes_nothing)
    rejected = any(Mark.rejection in result.marks for result in results)
    failed = not rejected and any(result.failed for result in results)
    return Act(at, index, part, tuple(results), reads, writes, opaque, bool(results), failed, rejected)


_COMMON: Final = tuple(Tools.of((), profile=name) for name in sorted(PROFILES))


def _common(part: Part) -> ToolSpec | None:
    """What clients have in common of a tool that this history's profile does not know; None if they know none."""
    name = (part.tool or "").rsplit("__", 1)[-1]
    for tools in _COMMON:
        spec = tools.for_call(name, part.args)
        template = None if spec is None else spec.writes_handle or (spec.handle if spec.writes_nothing else None)
        if template is not None and fill_template(template, part.args) is not None:
            return spec
    return None


def same_call(act: Act) -> bytes:
    """What two calls share that are the same: the tool and the arguments, in any order."""
    args = act.call.args
    return canonical_json([act.tool, act.call.text if args is None else dict(args)])


def file_of(handle: str | None) -> str | None:
    """The path of a native handle that names a file; None if it names none."""
    return handle.removeprefix(_FILE) if handle is not None and handle.startswith(_FILE) else None


def command_of(args: Mapping[str, JSON] | None) -> str | None:
    """The shell command of a call; None if it has none."""
    for key in _COMMAND_KEYS:
        value = None if args is None else args.get(key)
        if isinstance(value, str):
            return value[:audit_command_chars_max]
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            if len(value) == 3 and value[0].rsplit("/", 1)[-1] in SHELLS and value[1].startswith("-"):
                return str(value[2])[:audit_command_chars_max]
            if key == "commands":
                return "\n".join(value)[:audit_command_chars_max]
            return shlex.join(value)[:audit_command_chars_max]
    return None


_READERS: Final = re.compile(
    r"\s*(?:cd [^;&|]+&&\s*)?(?:cat|less|head|tail|grep|rg|ls|find|sed -n|wc|stat|file|diff|tree|awk|bat"
    r"|git (?:diff|log|show|status|blame))\b"
)


def only_reads(act: Act) -> bool:
    """Whether a call runs a command whose first program reads, and that writes nothing by its form."""
    command = command_of(act.call.args)
    return command is not None and _READERS.match(command) is not None and not written_by(act)


def written_by(act: Act) -> tuple[Target, ...]:
    """What a call writes to, by declaration or by its form; empty if neither shows anything."""
    path = file_of(act.writes)
    if path is not None:
        return (Target("path", path),)
    return tuple(_by_form(act)) if act.opaque else ()


def _by_form(act: Act) -> Iterator[Target]:
    args: Mapping[str, JSON] = act.call.args or {}
    folder = _text(args, _FOLDER_KEYS)
    command = command_of(args)
    if command is not None:
        yield from targets_of(command, folder)
        return
    if "*** Begin Patch" in act.call.text:
        sent = next((value for value in args.values() if isinstance(value, str) and "*** Begin" in value), None)
        yield from (replace(one, name=in_folder(folder, one.name)) for one in patched(sent or act.call.text))
    code = args.get("code")
    if isinstance(code, str):
        yield from scripted(code[:audit_command_chars_max])
    statement = _text(args, _SQL_KEYS)
    if statement:
        yield from _by_statement(statement[:audit_command_chars_max], args)
    yield from _by_name(act.tool, args)


def _text(args: Mapping[str, JSON], keys: Sequence[str]) -> str:
    return next((value for key in keys if isinstance(value := args.get(key), str)), "")


def _by_statement(statement: str, args: Mapping[str, JSON]) -> Iterator[Target]:
    """A statement that is sent to a database by a tool that is not declared."""
    writes = list(stated(statement))
    for how, table in writes:
        if table:
            yield Target("table", table, how)
    for kind, keys in (("database", ("database", "db", "dbname")), ("host", ("host", "server"))):
        name = _text(args, keys)
        if writes and name:
            yield Target(kind, name, writes[0][0])


def _by_name(tool: str, args: Mapping[str, JSON]) -> Iterator[Target]:
    """A tool that is not declared, and whose name says that it writes: never certain."""
    spoken = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", tool).lower()))
    if spoken.isdisjoint(_WRITING):
        return
    how = "write" if spoken.isdisjoint(_DELETING) else "delete"
    for key in _PATH_KEYS:
        value = args.get(key)
        if isinstance(value, str) and value:
            yield Target("path", value, how, certain=False)
    branch = args.get("branch")
    if isinstance(branch, str) and branch:
        yield Target("branch", branch, "push", certain=False)
