"""What is known of a tool: declarations, never guesses at run time.

An unknown tool is one-shot, and may have written anything.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.errors import ToolSpecError

__all__ = ["PROFILES", "ToolSpec", "Tools", "fill_template", "read_toml"]

_FIELD = re.compile(r"\{([A-Za-z0-9_|.-]+)(\?)?\}")
_TEMPLATE = re.compile(r"(?:[a-z][a-z0-9+.-]*:|\{)\S.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The facts about one tool that decide what may leave.

    Attributes:
        name: The tool's name as the model calls it.
        handle: Template over the arguments of what it reads, e.g. `file:{path}` or `{url}`. `{a|b}` takes
            the first argument that is there, `{a?}` may be missing. None: it reads nothing by name; if
            it is repeatable all the same, only the store names what it gave.
        repeatable: Asking again with the same arguments gives the same thing, unless it was written.
        writes: Template of what it writes; "none"; or "unknown" (anything). None means "none" if the
            tool is repeatable, a plan tool or answers for a human, else "unknown".
        plan: Its arguments are a plan: a list of steps with states, or changes to one.
        answers_human: Its result is a human's act.
        max_age: Turns after which a result no longer counts as current; None: never by age.
    """

    name: str
    handle: str | None = None
    repeatable: bool = False
    writes: str | None = None
    plan: bool = False
    answers_human: bool = False
    max_age: int | None = None

    def __post_init__(self) -> None:
        if not self.name or not isinstance(self.name, str):
            raise ToolSpecError(f"a tool needs a name, not {self.name!r}")
        for key in ("handle", "writes"):
            value = getattr(self, key)
            if value is None or (key == "writes" and value in ("none", "unknown")):
                continue
            if not isinstance(value, str) or not _TEMPLATE.fullmatch(value) or value.startswith(("cx:", "call:")):
                raise ToolSpecError(
                    f"tool {self.name!r}: {key} = {value!r} is no handle template.",
                    next_step="Write a scheme and arguments, e.g. file:{path}.",
                )
        for key in ("repeatable", "plan", "answers_human"):
            if not isinstance(getattr(self, key), bool):
                raise ToolSpecError(f"tool {self.name!r}: {key} must be true or false")
        if self.max_age is not None and (not isinstance(self.max_age, int) or self.max_age < 0):
            raise ToolSpecError(f"tool {self.name!r}: max_age counts turns, from 0; not {self.max_age!r}")

    @property
    def writes_nothing(self) -> bool:
        if self.writes is None:
            return self.repeatable or self.plan or self.answers_human
        return self.writes == "none"

    @property
    def writes_handle(self) -> str | None:
        """The template of what it writes, None if it writes nothing or anything."""
        return None if self.writes in (None, "none", "unknown") else self.writes


def fill_template(template: str, args: Mapping[str, JSON] | None) -> str | None:
    """The handle that a call names, or None if an argument that the template needs is missing."""
    if args is None:
        return None
    missing = False

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        for name in match[1].split("|"):
            found = args.get(name)
            if isinstance(found, (str, int, float)) and not isinstance(found, bool) and found != "":
                return str(found)
        if not match[2]:
            missing = True
        return ""

    filled = _FIELD.sub(value, template)
    return None if missing else filled


def template_fields(template: str) -> frozenset[str]:
    """Names of the arguments that a template uses."""
    return frozenset(name for match in _FIELD.finditer(template) for name in match[1].split("|"))


# Profiles -----------------------------------------------------------------------------------
# No profile declares as repeatable a command that reaches a network, runs project code or writes.

_CLAUDE_CODE: Final = (
    ToolSpec("Read", handle="file:{file_path|path}", repeatable=True),
    ToolSpec("LS", handle="dir:{path}", repeatable=True),
    ToolSpec("Glob", handle="glob:{pattern}@{path?}", repeatable=True),
    ToolSpec("Grep", handle="grep:{pattern}@{path?}", repeatable=True),
    ToolSpec("NotebookRead", handle="file:{notebook_path}", repeatable=True),
    ToolSpec("Edit", handle="file:{file_path}", writes="file:{file_path}"),
    ToolSpec("MultiEdit", handle="file:{file_path}", writes="file:{file_path}"),
    ToolSpec("Write", handle="file:{file_path}", writes="file:{file_path}"),
    ToolSpec("NotebookEdit", handle="file:{notebook_path}", writes="file:{notebook_path}"),
    ToolSpec("TodoWrite", plan=True),
    ToolSpec("TaskCreate", plan=True),
    ToolSpec("TaskUpdate", plan=True),
    ToolSpec("TaskList", writes="none"),
    ToolSpec("TaskGet", writes="none"),
    ToolSpec("AskUserQuestion", answers_human=True),
    ToolSpec("ExitPlanMode", answers_human=True),
    ToolSpec("exit_plan_mode", answers_human=True),
    ToolSpec("EnterPlanMode", writes="none"),
    ToolSpec("TaskOutput", writes="none"),
    ToolSpec("BashOutput", writes="none"),
    ToolSpec("WebFetch", writes="none"),
    ToolSpec("WebSearch", writes="none"),
    ToolSpec("ToolSearch", writes="none"),
)

_GENERIC_READS: Final = ("read_file", "read", "view_file", "open_file", "cat_file", "get_file_contents")
_GENERIC_WRITES: Final = (
    "write_file",
    "write",
    "edit_file",
    "create_file",
    "save_file",
    "str_replace",
    "insert_lines",
    "edit",
)
_GENERIC_PLANS: Final = (
    "write_todos",
    "todo_write",
    "todowrite",
    "update_plan",
    "update_todos",
    "write_plan",
    "set_plan",
)
_ANY_PATH: Final = "file:{path|file_path|filepath|filename|file|target_file}"

_GENERIC: Final = (
    *(ToolSpec(name, handle=_ANY_PATH, repeatable=True) for name in _GENERIC_READS),
    ToolSpec("list_directory", handle="dir:{path|directory|dir}", repeatable=True),
    ToolSpec("list_dir", handle="dir:{path|directory|dir}", repeatable=True),
    ToolSpec("list_files", handle="dir:{path|directory|dir}", repeatable=True),
    ToolSpec("glob", handle="glob:{pattern}@{path?}", repeatable=True),
    ToolSpec("grep", handle="grep:{pattern|query|regex}@{path?}", repeatable=True),
    ToolSpec("search_files", handle="grep:{pattern|query|regex}@{path?}", repeatable=True),
    *(ToolSpec(name, handle=_ANY_PATH, writes=_ANY_PATH) for name in _GENERIC_WRITES),
    *(ToolSpec(name, plan=True) for name in _GENERIC_PLANS),
)

_CODEX: Final = (
    *(ToolSpec(name, writes="unknown") for name in ("shell", "shell_command", "local_shell", "container.exec")),
    *(ToolSpec(name, writes="unknown") for name in ("exec_command", "write_stdin", "unified_exec")),
    ToolSpec("apply_patch", handle="file:{path}", writes="file:{path}"),
    ToolSpec("read_file", handle="file:{file_path}", repeatable=True),
    ToolSpec("list_dir", handle="dir:{dir_path}", repeatable=True),
    ToolSpec("grep_files", handle="grep:{pattern}@{path?}", repeatable=True),
    ToolSpec("view_image", handle="file:{path}", repeatable=True),
    ToolSpec("update_plan", plan=True),
    ToolSpec("request_user_input", answers_human=True),
    ToolSpec("tool_search", writes="none"),
    ToolSpec("web_search", writes="none"),
)
"""A patch of several files has no `path`, so it may have written anything. MCP tools are the caller's to declare."""

_BY_ARGUMENT: Final = ("str_replace_editor", "file_editor", "planning_file_editor")
"""Editors that read or write by their argument `command`. A declaration has no condition on arguments:
as writers their reads would count as changes of the file, as readers their writes as nothing. So they
are what an unknown tool is: one-shot, and may have written anything."""

_OPENHANDS: Final = (
    *(ToolSpec(name, writes="unknown") for name in ("execute_bash", "terminal", "execute_ipython_cell", *_BY_ARGUMENT)),
    *(ToolSpec(name, writes="unknown") for name in ("apply_patch", "delegate", "task", "browser")),
    ToolSpec("edit_file", handle="file:{path}", writes="file:{path}"),
    ToolSpec("glob", handle="glob:{pattern}@{path}", repeatable=True),
    ToolSpec("grep", handle="grep:{pattern}@{path}", repeatable=True),
    ToolSpec("task_tracker", plan=True),
    ToolSpec("think", writes="none"),
    ToolSpec("finish", writes="none"),
    ToolSpec("request_condensation", writes="none"),
    ToolSpec("web_read", writes="none"),
    *(ToolSpec(f"browser_{name}", writes="none") for name in ("navigate", "go_back", "get_state", "get_content")),
    *(ToolSpec(f"browser_{name}", writes="none") for name in ("scroll", "list_tabs", "switch_tab", "close_tab")),
    *(ToolSpec(f"browser_{name}", writes="unknown") for name in ("click", "type")),
)
"""A page may differ at the next visit, so nothing of a browser is repeatable. `browser` runs a program.
`glob` and `grep` without `path` search the working folder, which the arguments don't name: one-shot."""

_SWE_AGENT: Final = (
    *(ToolSpec(name, writes="unknown") for name in ("bash", "submit", *_BY_ARGUMENT)),
    *(ToolSpec(name, writes="unknown") for name in ("edit", "insert", "append", "undo_edit")),
    ToolSpec("create", handle="file:{filename}", writes="file:{filename}"),
    ToolSpec("open", writes="none"),
    ToolSpec("goto", writes="none"),
    ToolSpec("scroll_up", writes="none"),
    ToolSpec("scroll_down", writes="none"),
    ToolSpec("search_file", handle="grep:{search_term}@{file}", repeatable=True),
    ToolSpec("search_dir", handle="grep:{search_term}@{dir}", repeatable=True),
    ToolSpec("find_file", handle="glob:{file_name}@{dir}", repeatable=True),
    ToolSpec("filemap", writes="none"),
    ToolSpec("view_image", writes="none"),
)
"""`open`, `goto` and the scrolls show a window of the file that is open: the same arguments show
another one elsewhere, so they are one-shot; `edit` and `insert` change it without naming it. A search
without its place looks in the open file or the working folder, and has no handle."""

_MINI_SWE_AGENT: Final = (ToolSpec("bash", writes="unknown"),)

PROFILES: Final[Mapping[str, tuple[ToolSpec, ...]]] = {
    "claude-code": _CLAUDE_CODE,
    "codex": _CODEX,
    "generic": _GENERIC,
    "mini-swe-agent": _MINI_SWE_AGENT,
    "openhands": _OPENHANDS,
    "swe-agent": _SWE_AGENT,
}
"""By name. A dialect's own profile is on by default; any other counts only when named."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The declarations in force, by tool name; a later one replaces an earlier one."""

    specs: Mapping[str, ToolSpec]

    @classmethod
    def of(cls, declared: Iterable[ToolSpec | str | Mapping[str, JSON]] = (), *, profile: str | None = None) -> Tools:
        """Joins a dialect's profile with what the caller declares.

        Args:
            declared: `ToolSpec`s, mappings with the same keys, or names of profiles; a bare name is one.
            profile: The dialect's own profile, None if it has none.

        Raises:
            ToolSpecError: An unknown profile, or something that is no declaration.
        """
        specs: dict[str, ToolSpec] = {}
        for spec in PROFILES.get(profile or "", ()):
            specs[spec.name] = spec
        for item in (declared,) if isinstance(declared, str) else declared:
            for spec in _specs_of(item):
                specs[spec.name] = spec
        return cls(specs)

    def get(self, name: str | None) -> ToolSpec | None:
        return None if name is None else self.specs.get(name)

    @property
    def any_handle(self) -> bool:
        return any(spec.repeatable for spec in self.specs.values())

    def as_json(self) -> list[dict[str, JSON]]:
        """For hashing and for the record: sorted by name."""
        return [
            {f.name: getattr(spec, f.name) for f in fields(spec)}
            for spec in sorted(self.specs.values(), key=lambda s: s.name)
        ]


def _specs_of(item: ToolSpec | str | Mapping[str, JSON]) -> Iterable[ToolSpec]:
    if isinstance(item, ToolSpec):
        return (item,)
    if isinstance(item, str):
        if item not in PROFILES:
            raise ToolSpecError(
                f"no tool profile is called {item!r}.",
                next_step=f"Profiles: {', '.join(sorted(PROFILES))}; or declare a ToolSpec.",
            )
        return PROFILES[item]
    if isinstance(item, Mapping):
        return (_spec_from(item, "declaration"),)
    raise ToolSpecError(f"{item!r} is neither a ToolSpec, a mapping with its keys, nor the name of a profile")


def _spec_from(table: Mapping[str, JSON], where: str) -> ToolSpec:
    known = {f.name for f in fields(ToolSpec)}
    unknown = sorted(set(table) - known)
    if unknown:
        raise ToolSpecError(
            f"{where}: unknown key{'s' if len(unknown) > 1 else ''} {', '.join(map(repr, unknown))}.",
            next_step=f"Known keys: {', '.join(sorted(known))}.",
        )
    if "name" not in table:
        raise ToolSpecError(f"{where}: a tool needs a name")
    return ToolSpec(**table)


def read_toml(text: str, where: str = "tools") -> list[ToolSpec]:
    """The `[[tool]]` tables of a TOML text.

    Raises:
        ToolSpecError: Names `where`, the table and the key.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ToolSpecError(f"{where}: not TOML: {error}") from error
    extra = sorted(set(data) - {"tool"})
    tables = data.get("tool", [])
    if extra or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ToolSpecError(f"{where}: expected only [[tool]] tables, found {extra or 'another shape'}")
    return [_spec_from(table, f"{where}, [[tool]] {number}") for number, table in enumerate(tables, 1)]
