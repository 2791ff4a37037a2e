"""What the agent did, call by call: what each read and wrote by declaration, what a command writes by its form.

A declared tool says what it touches. Of a command only what its own words show is believed: redirections, the
arguments of programs that write what they name, the statements handed to a database client, the host that it
is run on. What a script does inside is not looked at.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.audit.verdict_words import word_set
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Part
from cenotaph.core.tools import Tools, fill_template

__all__ = ["Act", "Target", "acts_in", "command_of", "targets_of"]

_COMMAND_KEYS: Final = ("command", "cmd", "script", "input", "code")
_FILE: Final = "file:"
_COMMAND_CHARS_MAX: Final = 20_000


@dataclass(frozen=True, slots=True)
class Target:
    """Something that is written to.

    Attributes:
        kind: "path", "host", "database", "branch" or "cluster".
        name: As the call names it.
        certain: The call's form leaves no doubt that it writes there.
        host: The host that a path lies on; "" for this one.
    """

    kind: str
    name: str
    certain: bool = True
    host: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """One call with its outcome.

    Attributes:
        message: Index of its message.
        part: Index of the call in it.
        tool: Name of the tool, "" if the call has none.
        args: As sent; None if they can't be read.
        text: The arguments as sent.
        reads: The native handle that it read, by declaration; None if none is declared.
        writes: The native handle that it wrote, likewise.
        targets: What it writes to, by declaration or by the form of its command.
        failed: Its result is an error.
        rejected: A person refused it.
        answered: A result of it stands in the history.
        result_chars: Characters of its results.
    """

    message: int
    part: int
    tool: str
    args: Mapping[str, JSON] | None
    text: str
    reads: str | None
    writes: str | None
    targets: tuple[Target, ...]
    failed: bool
    rejected: bool
    answered: bool
    result_chars: int


def acts_in(messages: Sequence[Message], tools: Tools) -> list[Act]:
    """Every call in order, with what is known of it."""
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
    spec = tools.for_call(part.tool, part.args)
    template = None if spec is None else spec.writes_handle
    writes = None if template is None else fill_template(template, part.args)
    reads = None
    if spec is not None and spec.handle is not None and spec.writes_nothing:
        reads = fill_template(spec.handle, part.args)
    targets: tuple[Target, ...] = ()
    if writes is not None:
        targets = (Target("path", writes.removeprefix(_FILE)),) if writes.startswith(_FILE) else ()
    elif spec is None or not spec.writes_nothing:
        command = command_of(part.args)
        targets = () if command is None else tuple(targets_of(command))
    return Act(
        message=at,
        part=index,
        tool=part.tool or "",
        args=part.args,
        text=part.text,
        reads=reads,
        writes=writes,
        targets=targets,
        failed=any(result.failed for result in results),
        rejected=any(Mark.rejection in result.marks for result in results),
        answered=bool(results),
        result_chars=sum(len(result.text) for result in results),
    )


def command_of(args: Mapping[str, JSON] | None) -> str | None:
    """The shell command of a call; None if it has none."""
    for key in _COMMAND_KEYS:
        value = None if args is None else args.get(key)
        if isinstance(value, str):
            return value[:_COMMAND_CHARS_MAX]
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            if len(value) == 3 and value[0].rsplit("/", 1)[-1] in _SHELLS and value[1].startswith("-"):
                return str(value[2])[:_COMMAND_CHARS_MAX]
            return shlex.join(value)[:_COMMAND_CHARS_MAX]
    return None


# Commands -----------------------------------------------------------------------------------------

_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_BETWEEN: Final = frozenset({"&&", "||", ";", "|", "&", "\n", "|&", ";;"})
_INTO: Final = frozenset({">", ">>", ">|", "&>", "&>>"})
_ALL_ARGS: Final = word_set("rm rmdir unlink touch chmod chown chgrp truncate mkdir shred tee")
_MODES_FIRST: Final = frozenset({"chmod", "chown", "chgrp"})
_LAST_ARG: Final = word_set("cp mv install ln rsync scp")
_PREFIXES: Final = word_set("sudo doas env nohup time nice exec command stdbuf")
_DATABASES: Final = word_set("psql mysql mariadb sqlite3 mongosh mongo redis-cli clickhouse-client sqlcmd")
_SQL_WRITES: Final = re.compile(
    r"\b(?:insert\s+into|update|delete\s+from|drop|truncate|alter|create|replace\s+into|grant|revoke|vacuum"
    r"|flushall|flushdb|deletemany|deleteone|updatemany|updateone|insertone)\b",
    re.IGNORECASE,
)
_CLUSTER_WRITES: Final = word_set("""
    apply delete create replace patch scale edit set rollout drain cordon uncordon annotate label
    upgrade install uninstall rollback""")
_NO_FILES: Final = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


def targets_of(command: str) -> Iterator[Target]:
    """What a shell command writes to, as far as its words show it; linear in the command."""
    yield from _targets(command, "", 0)


def _targets(command: str, host: str, depth: int) -> Iterator[Target]:
    here = host
    folder = ""
    for words in _simple_commands(command):
        plain, written = _redirected(words)
        yield from (Target("path", _in(folder, name), host=here) for name in written if name not in _NO_FILES)
        while plain and (plain[0] in _PREFIXES or re.fullmatch(r"\w+=.*", plain[0])):
            plain = plain[1:]
        if not plain:
            continue
        program = plain[0].rsplit("/", 1)[-1]
        if program == "cd" and len(plain) > 1:
            folder = _in(folder, plain[1])
        elif program in _SHELLS and depth < 2:
            yield from _inner(plain, here, depth)
        elif program == "ssh" and depth < 2:
            yield from _remote(plain, depth)
        else:
            for one in _of_program(program, plain[1:]):
                name = _in(folder, one.name) if one.kind == "path" else one.name
                yield Target(one.kind, name, one.certain, here)


def _in(folder: str, name: str) -> str:
    return name if not folder or name.startswith(("/", "~", "$")) else f"{folder.rstrip('/')}/{name}"


def _simple_commands(command: str) -> Iterator[list[str]]:
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=";|&<>\n")
        lexer.whitespace_split = True
        lexer.whitespace = " \t\r"
        lexer.commenters = ""
        words = list(lexer)
    except ValueError:  # an open quotation: its words are looked at as they stand
        words = command.split()
    current: list[str] = []
    for word in words:
        if word in _BETWEEN or set(word) <= {"\n", ";"}:
            if current:
                yield current
            current = []
        else:
            current.append(word)
    if current:
        yield current


def _redirected(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words without redirections, and the files that are written by them."""
    plain: list[str] = []
    written: list[str] = []
    skip = False
    for at, word in enumerate(words):
        if skip:
            skip = False
        elif word in _INTO or word.lstrip("12") in _INTO:
            following = words[at + 1] if at + 1 < len(words) else ""
            skip = True
            if following and not following.startswith("&"):
                written.append(following)
            if plain and plain[-1] in ("1", "2"):
                plain.pop()
        elif word in ("<", "<<", "<<<", ">&"):
            skip = True
        else:
            plain.append(word)
    return plain, written


def _inner(words: Sequence[str], host: str, depth: int) -> Iterator[Target]:
    """What `bash -c '...'` runs."""
    for at, word in enumerate(words[1:-1], 1):
        if word.startswith("-") and "c" in word:
            yield from _targets(words[at + 1], host, depth + 1)
            return


_SSH_VALUES: Final = word_set("-p -i -l -o -F -J -L -R -D -b -c -E -e -m -S -W -w")


def _remote(words: Sequence[str], depth: int) -> Iterator[Target]:
    """What is run on another host; that something is run there says nothing of writing."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _SSH_VALUES else 1
    if at >= len(words):
        return
    host = words[at].rsplit("@", 1)[-1]
    inner = list(_targets(" ".join(words[at + 1 :]), host, depth + 1))
    yield from inner
    if inner:
        yield Target("host", host)


def _of_program(program: str, args: Sequence[str]) -> Iterator[Target]:
    named = [arg for arg in args if not arg.startswith("-")]
    if program in _ALL_ARGS:
        yield from (Target("path", arg) for arg in named[program in _MODES_FIRST :])
    elif program in _LAST_ARG and len(named) > 1:
        yield from (_place(arg) for arg in (named if program == "mv" else named[-1:]))
    elif program in ("sed", "perl") and any(re.fullmatch(r"-\w*i\S*|--in-place\S*", arg) for arg in args):
        scripted = any(re.fullmatch(r"-\w*e|--expression\S*", arg) for arg in args)
        yield from (Target("path", arg) for arg in named[not scripted :])
    elif program == "dd":
        yield from (Target("path", arg[3:]) for arg in args if arg.startswith("of="))
    elif program in _DATABASES:
        yield from _database(args, named)
    elif program in ("kubectl", "helm", "oc") and named and set(named[:2]) & _CLUSTER_WRITES:
        name = _option(args, ("--context", "--kube-context")) or _option(args, ("-n", "--namespace")) or ""
        yield Target("cluster", name, certain=bool(name))
    elif program == "git" and named[:1] == ["push"]:
        branches = [arg.rsplit(":", 1)[-1] for arg in named[2:]]
        yield from (Target("branch", branch.removeprefix("refs/heads/").lstrip("+")) for branch in branches)
    elif program == "git" and named[:1] in (["rm"], ["mv"], ["checkout"], ["restore"]) and "--" in args:
        yield from (Target("path", arg) for arg in args[args.index("--") + 1 :])


def _place(name: str) -> Target:
    """A path, also on another host: `host:path`."""
    remote = re.fullmatch(r"(?:[\w.-]+@)?([\w.-]+):(.+)", name)
    return Target("path", remote[2], host=remote[1]) if remote else Target("path", name)


def _option(args: Sequence[str], names: Iterable[str]) -> str | None:
    for at, arg in enumerate(args):
        for name in names:
            if arg == name and at + 1 < len(args):
                return args[at + 1]
            if arg.startswith(f"{name}="):
                return arg[len(name) + 1 :]
    return None


def _database(args: Sequence[str], named: Sequence[str]) -> Iterator[Target]:
    """A client that is handed a statement that writes; what it is connected to, by its options."""
    if not any(_SQL_WRITES.search(arg) for arg in args):
        return
    host = _option(args, ("-h", "--host")) or ""
    name = _option(args, ("-d", "--dbname", "-D", "--database", "-n")) or ""
    loose = [arg for arg in named if not _SQL_WRITES.search(arg) and arg not in (host, name)]
    for one in (name, *loose):
        if one:
            url = re.match(r"\w+://(?:[^@/]*@)?([\w.-]*)(?::\d+)?/([\w.-]+)", one)
            if url:
                yield Target("database", url[2])
                yield Target("host", url[1])
            else:
                yield Target("database", one.rsplit("/", 1)[-1] if one.endswith((".db", ".sqlite")) else one)
    if host:
        yield Target("host", host)
