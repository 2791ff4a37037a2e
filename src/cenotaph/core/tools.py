"""What is known of a tool: declarations, never guesses at run time.

An unknown tool is one-shot, and may have written anything.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.errors import ToolSpecError

__all__ = ["PROFILES", "ToolSpec", "Tools", "fill_template", "read_toml", "toml_string", "write_toml"]

_FIELD = re.compile(r"\{([A-Za-z0-9_|.-]+)(\?)?\}")
_TEMPLATE = re.compile(r"(?:[a-z][a-z0-9+.-]*:|\{)\S.*", re.DOTALL)
_BRACE = re.compile(r"[{}]")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class _Condition(Mapping[str, tuple[str, ...]]):
    """Argument -> the values that fit: immutable, hashable, and equal however it was written."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Iterable[str]]) -> None:
        self._values = {name: tuple(sorted(set(values[name]))) for name in sorted(values)}

    def __getitem__(self, name: str) -> tuple[str, ...]:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)


def _condition(tool: str, when: object) -> _Condition:
    """What was given as `when`; refuses what names no argument or no value, by its key."""
    if not isinstance(when, Mapping) or not when:
        raise ToolSpecError(
            f"tool {tool!r}: when = {when!r} names no argument.",
            next_step='Write when = { argument = "value" }, or leave it out for a declaration that always holds.',
        )
    values: dict[str, tuple[str, ...]] = {}
    for name, value in when.items():
        listed = (value,) if isinstance(value, str) else value
        if not isinstance(name, str) or not isinstance(listed, list | tuple) or not listed:
            raise ToolSpecError(f"tool {tool!r}: when.{name} must be a text or a list of texts, not {value!r}")
        if not all(isinstance(item, str) for item in listed):
            raise ToolSpecError(f"tool {tool!r}: when.{name} must hold texts only, not {value!r}")
        values[name] = tuple(listed)
    return _Condition(values)


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
        when: Argument -> value or values: the declaration holds for calls in which every argument named here
            has one of its values. None: for every call. Several declarations may have one name; `Tools.for_call`
            says which holds.
    """

    name: str
    handle: str | None = None
    repeatable: bool = False
    writes: str | None = None
    plan: bool = False
    answers_human: bool = False
    max_age: int | None = None
    when: Mapping[str, str | tuple[str, ...]] | None = None

    def __post_init__(self) -> None:
        if not self.name or not isinstance(self.name, str):
            raise ToolSpecError(f"a tool needs a name, not {self.name!r}")
        for key in ("handle", "writes"):
            value = getattr(self, key)
            if value is None or (key == "writes" and value in ("none", "unknown")):
                continue
            if not isinstance(value, str) or not _is_template(value):
                raise ToolSpecError(
                    f"tool {self.name!r}: {key} = {value!r} is no handle template.",
                    next_step="Write a scheme and arguments, e.g. file:{path}.",
                )
        for key in ("repeatable", "plan", "answers_human"):
            if not isinstance(getattr(self, key), bool):
                raise ToolSpecError(f"tool {self.name!r}: {key} must be true or false")
        if self.max_age is not None and (not isinstance(self.max_age, int) or self.max_age < 0):
            raise ToolSpecError(f"tool {self.name!r}: max_age counts turns, from 0; not {self.max_age!r}")
        if self.when is not None:
            object.__setattr__(self, "when", _condition(self.name, self.when))

    def holds_for(self, args: Mapping[str, JSON] | None) -> bool:
        """Whether it speaks of a call with these arguments; None, arguments that can't be read, fit no condition."""
        if self.when is None:
            return True
        return args is not None and all(args.get(name) in values for name, values in self.when.items())

    def as_json(self) -> dict[str, JSON]:
        """Every key with its value; `when` only where there is a condition, each value of it a list."""
        plain: dict[str, JSON] = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "when"}
        if self.when is not None:
            plain["when"] = {name: list(values) for name, values in self.when.items()}
        return plain

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


def _is_template(text: str) -> bool:
    """A scheme and arguments, each in whole braces; `cx:` and `call:` are names that this package gives."""
    open_brace = _BRACE.search(_FIELD.sub("", text))
    return bool(_TEMPLATE.fullmatch(text)) and open_brace is None and not text.startswith(("cx:", "call:"))


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
    ToolSpec("rehydrate", repeatable=True),  # this package's own: the store gives the same again
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

_CHANGES: Final = ("create", "str_replace", "insert", "undo_edit")


def _editor(name: str) -> tuple[ToolSpec, ...]:
    """An editor that reads or writes by its argument `command`; with any other command it is unknown."""
    return (
        ToolSpec(name, handle="file:{path}", repeatable=True, when={"command": "view"}),
        ToolSpec(name, handle="file:{path}", writes="file:{path}", when={"command": _CHANGES}),
        ToolSpec(name, writes="unknown"),
    )


_OPENHANDS: Final = (
    *(ToolSpec(name, writes="unknown") for name in ("execute_bash", "terminal", "execute_ipython_cell")),
    *(ToolSpec(name, writes="unknown") for name in ("apply_patch", "delegate", "task", "browser")),
    *(spec for name in ("str_replace_editor", "file_editor", "planning_file_editor") for spec in _editor(name)),
    ToolSpec("edit_file", handle="file:{path}", writes="file:{path}"),
    ToolSpec("glob", handle="glob:{pattern}@{path}", repeatable=True),
    ToolSpec("grep", handle="grep:{pattern}@{path}", repeatable=True),
    ToolSpec("task_tracker", plan=True),
    ToolSpec("task_tracker", writes="none", when={"command": "view"}),
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
    *(ToolSpec(name, writes="unknown") for name in ("bash", "submit")),
    *_editor("str_replace_editor"),
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

_GEMINI_CLI: Final = (
    ToolSpec("run_shell_command", writes="unknown"),
    ToolSpec("read_file", handle="file:{file_path|absolute_path|path}", repeatable=True),
    ToolSpec("list_directory", handle="dir:{dir_path|path}", repeatable=True),
    ToolSpec("glob", handle="glob:{pattern}@{dir_path|path}", repeatable=True),
    ToolSpec("grep_search", handle="grep:{pattern}@{dir_path|path}", repeatable=True),
    ToolSpec("search_file_content", handle="grep:{pattern}@{dir_path|path}", repeatable=True),
    ToolSpec("read_many_files", writes="none"),
    ToolSpec("write_file", handle="file:{file_path}", writes="file:{file_path}"),
    ToolSpec("replace", handle="file:{file_path}", writes="file:{file_path}"),
    ToolSpec("write_todos", plan=True),
    ToolSpec("ask_user", answers_human=True),
    ToolSpec("exit_plan_mode", answers_human=True),
    ToolSpec("enter_plan_mode", writes="none"),
    ToolSpec("get_internal_docs", writes="none"),
    ToolSpec("google_web_search", writes="none"),
    ToolSpec("web_fetch", writes="none"),
)
"""Names and arguments as in the client's documentation and its declarations of tools; older versions call
the path `absolute_path` or `path`. A search without its place looks in the workspace, which the arguments
don't name: one-shot. What a memory or a skill writes is not said, so those stay unknown."""

PROFILES: Final[Mapping[str, tuple[ToolSpec, ...]]] = {
    "claude-code": _CLAUDE_CODE,
    "codex": _CODEX,
    "gemini-cli": _GEMINI_CLI,
    "generic": _GENERIC,
    "mini-swe-agent": _MINI_SWE_AGENT,
    "openhands": _OPENHANDS,
    "swe-agent": _SWE_AGENT,
}
"""By name. A dialect's own profile is on by default; any other counts only when named."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The declarations in force.

    Attributes:
        specs: Tool name -> its declarations, in the order in which they are asked.
    """

    specs: Mapping[str, tuple[ToolSpec, ...]]

    @classmethod
    def of(cls, declared: Iterable[ToolSpec | str | Mapping[str, JSON]] = (), *, profile: str | None = None) -> Tools:
        """Joins a dialect's profile with what the caller declares.

        Profiles and the caller's own declarations between them are groups. What a later group says of a tool
        replaces all that an earlier one says of it, so a caller who declares an editor anew is not left with
        half of a profile's. Within a group a later declaration replaces the earlier one with the same `when`.

        Args:
            declared: `ToolSpec`s, mappings with the same keys, or names of profiles; a bare name is one.
            profile: The dialect's own profile, None if it has none.

        Raises:
            ToolSpecError: An unknown profile, or something that is no declaration.
        """
        specs = _by_name(PROFILES.get(profile or "", ()))
        items = (declared,) if isinstance(declared, str) else declared
        for _, group in groupby(items, key=lambda item: item if isinstance(item, str) else None):
            specs |= _by_name(spec for item in group for spec in _specs_of(item))
        return cls(specs)

    def get(self, name: str | None) -> ToolSpec | None:
        """The declaration that holds for every call of a tool; None if there is none, or only some with `when`."""
        return next((spec for spec in self.specs.get(name or "", ()) if spec.when is None), None)

    def for_call(self, name: str | None, args: Mapping[str, JSON] | None) -> ToolSpec | None:
        """The declaration that holds for one call.

        Args:
            name: The tool, None if the call names none.
            args: Its arguments, None if they can't be read.

        Returns:
            The first whose `when` fits, else the one without `when`; None if neither is there: an unknown tool.
        """
        conditional = (spec for spec in self.specs.get(name or "", ()) if spec.when is not None)
        return next((spec for spec in conditional if spec.holds_for(args)), None) or self.get(name)

    def declares(self, name: str | None) -> bool:
        """Whether any declaration speaks of the tool, be it for some of its calls only."""
        return (name or "") in self.specs

    @property
    def any_handle(self) -> bool:
        return any(spec.repeatable for specs in self.specs.values() for spec in specs)

    def as_json(self) -> list[dict[str, JSON]]:
        """For hashing and for the record: sorted by name, those of one tool in the order in which they are asked."""
        return [spec.as_json() for name in sorted(self.specs) for spec in self.specs[name]]


def _by_name(specs: Iterable[ToolSpec]) -> dict[str, tuple[ToolSpec, ...]]:
    """One group of declarations; the later of two for the same calls of a tool holds."""
    found: dict[str, dict[Mapping[str, str | tuple[str, ...]] | None, ToolSpec]] = {}
    for spec in specs:
        found.setdefault(spec.name, {})[spec.when] = spec
    return {name: tuple(of_tool.values()) for name, of_tool in found.items()}


def _specs_of(item: ToolSpec | str | Mapping[str, JSON]) -> tuple[ToolSpec, ...]:
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


def write_toml(specs: Iterable[ToolSpec]) -> str:
    """Declarations as `[[tool]]` tables that `read_toml` reads; a key with its default is left out."""
    return "\n".join(map(_table, specs))


def _table(spec: ToolSpec) -> str:
    default = ToolSpec(spec.name)
    said = {f.name: getattr(spec, f.name) for f in fields(spec)}
    keys = [key for key, value in said.items() if key == "name" or value != getattr(default, key)]
    return "".join(line + "\n" for line in ("[[tool]]", *(f"{key} = {_toml_value(said[key])}" for key in keys)))


def _toml_value(value: str | bool | int | Mapping[str, tuple[str, ...]]) -> str:
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return f"{{ {', '.join(f'{_toml_key(name)} = {_toml_texts(texts)}' for name, texts in value.items())} }}"


def _toml_key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else toml_string(name)


def _toml_texts(texts: tuple[str, ...]) -> str:
    """One text alone, several as an array."""
    shown = [toml_string(text) for text in texts]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"


def toml_string(text: str) -> str:
    """A basic string of TOML; a lone surrogate, which TOML can't hold, becomes U+FFFD."""
    pieces = []
    for char in text:
        if char in '"\\':
            pieces.append("\\" + char)
        elif "\ud800" <= char <= "\udfff":
            pieces.append("\\uFFFD")
        elif char.isprintable():
            pieces.append(char)
        else:
            pieces.append(f"\\U{ord(char):08X}")
    return f'"{"".join(pieces)}"'
