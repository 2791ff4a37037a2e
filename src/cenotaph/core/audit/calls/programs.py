"""What a shell command writes to, as far as its own words show it.

Redirections, the arguments of programs that write what they name, the statements handed to a database client, the host
that something is run on, the branch that is pushed. What a script does inside is not looked at, and what hangs on a
name that is not known, on a file with statements, on another program's output, is marked as not certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from cenotaph.core.audit.calls.files import FILE_PROGRAMS, POWERSHELL, powershell
from cenotaph.core.audit.calls.services import SERVICE_PROGRAMS
from cenotaph.core.audit.calls.shell import Simple, simple_commands
from cenotaph.core.audit.calls.words import NO_FILES, Target, arguments, fed, first_argument, host_of, in_folder
from cenotaph.core.audit.verdicts.words import word_set

__all__ = ["SHELLS", "targets_of"]

SHELLS: Final = word_set("sh bash zsh dash ksh")
_DEPTH_MAX: Final = 3


def targets_of(command: str, folder: str = "") -> Iterator[Target]:
    """What a shell command writes to; linear in the command.

    Args:
        command: As the call has it.
        folder: Where it is run, if the call says so.
    """
    yield from _run(command, folder, "", 0)


def _run(command: str, folder: str, host: str, depth: int) -> Iterator[Target]:
    here = folder
    for simple in simple_commands(command):
        for name in simple.written:
            if name not in NO_FILES:
                yield Target("path", in_folder(here, name), host=host)
        inner = _bare(simple)
        if not inner.words:
            continue
        if inner.program in ("cd", "pushd") and len(inner.words) > 1:
            here = in_folder(here, inner.words[1])
            continue
        if inner.program in _NESTING:
            yield from _nested(inner, here, host, depth)
            continue
        for one in _written(inner):
            placed = replace(one, name=in_folder(here, one.name)) if one.kind == "path" else one
            yield placed if one.host or not host else replace(placed, host=host)


_NESTING: Final = SHELLS | {"eval", "ssh"}


def _nested(simple: Simple, folder: str, host: str, depth: int) -> Iterator[Target]:
    """What the commands inside a command write."""
    if depth >= _DEPTH_MAX:
        return
    if simple.program == "ssh":
        yield from _remote(simple, depth)
    else:
        for script in _scripts(simple):
            yield from _run(script, folder, host, depth + 1)


def _written(simple: Simple) -> Iterator[Target]:
    """What one program writes by its arguments."""
    program = simple.program
    if program == "xargs":
        yield from _handed_on(simple)
    elif program == "find":
        yield from _find(simple.words[1:])
    elif program in FILE_PROGRAMS:
        yield from FILE_PROGRAMS[program](simple)
    elif program in SERVICE_PROGRAMS:
        yield from SERVICE_PROGRAMS[program](simple)
    elif program.lower() in POWERSHELL:
        yield from powershell(simple.words)


# What stands before a program ----------------------------------------------------------------------

_PREFIXES: Final[Mapping[str, frozenset[str]]] = {
    "sudo": word_set("-u -g -h -p -C -T -U --user --group --host"),
    "doas": word_set("-u -C"),
    "env": word_set("-u -C -S --unset --chdir"),
    "nice": word_set("-n --adjustment"),
    "ionice": word_set("-c -n -p"),
    "timeout": word_set("-k -s --kill-after --signal"),
    "stdbuf": word_set("-i -o -e"),
    **dict.fromkeys(("nohup", "time", "exec", "command", "builtin", "setsid", "unbuffer"), frozenset[str]()),
}
"""Programs that run another, with those of their options that take a value."""
_CONTAINERS: Final = word_set("docker podman kubectl oc nerdctl")


def _bare(simple: Simple) -> Simple:
    """The command without the programs that only run it."""
    words = simple.words
    settings = simple.settings
    while words:
        program = words[0].rsplit("/", 1)[-1]
        if program in _PREFIXES:
            at = first_argument(words, 1, _PREFIXES[program])
            words = words[at + (program == "timeout") :]
        elif program in _CONTAINERS and words[1:2] == ["exec"]:
            words = _in_container(words)
        elif re.match(r"[A-Za-z_]\w*=", words[0]):
            name, _, value = words[0].partition("=")
            settings = {**settings, name: value}
            words = words[1:]
        else:
            break
    return replace(simple, words=words, settings=settings)


def _in_container(words: Sequence[str]) -> list[str]:
    """What is run inside a container: what follows `--`, or the container's name."""
    if "--" in words:
        return list(words[words.index("--") + 1 :])
    return list(words[first_argument(words, 2, word_set("-e -u -w -n -c --env --user --workdir --namespace")) + 1 :])


# Commands inside commands --------------------------------------------------------------------------


def _scripts(simple: Simple) -> Iterator[str]:
    """What `bash -c '...'` runs, `eval ...`, or a shell that reads its commands."""
    if simple.program == "eval":
        yield " ".join(simple.words[1:])
        return
    for at, word in enumerate(simple.words[1:-1], 1):
        if re.fullmatch(r"-\w*c", word):
            yield simple.words[at + 1]
            return
    yield from fed(simple)


_SSH_VALUED: Final = word_set("-p -i -l -o -F -J -L -R -D -b -c -E -e -m -S -W -w -B -I -O -Q")


def _remote(simple: Simple, depth: int) -> Iterator[Target]:
    """What is run on another host; that something is run there says nothing of writing."""
    at = first_argument(simple.words, 1, _SSH_VALUED)
    if at >= len(simple.words):
        return
    host = host_of(simple.words[at])
    given = " ".join(simple.words[at + 1 :])
    inner = [one for script in ([given] if given else fed(simple)) for one in _run(script, "", host, depth + 1)]
    if inner:
        yield Target("host", host, "remote", any(one.certain for one in inner))
    yield from inner


def _handed_on(simple: Simple) -> Iterator[Target]:
    """`find ... | xargs rm`: where the names come from, if the command says so."""
    valued = word_set("-I -n -P -L -d -E -s --max-args --max-procs --delimiter")
    inner = simple.words[first_argument(simple.words, 1, valued) :]
    if not inner or simple.piped is None:
        return
    hows = {one.how for one in _written(_bare(Simple([*inner, "{}"]))) if one.kind == "path"}
    source = simple.piped
    if source.program == "find":
        roots = _roots(source.words[1:])
    elif source.program in ("ls", "grep", "rg", "fd"):
        roots = arguments(source.words[1:])[source.program != "ls" :]
    elif source.program in ("echo", "printf"):
        roots = arguments(source.words[1:])
    else:
        return
    for how in hows:
        yield from (Target("path", root, how, certain=source.program in ("echo", "printf")) for root in roots)


def _roots(args: Sequence[str]) -> list[str]:
    roots: list[str] = []
    for arg in args:
        if arg.startswith(("-", "(", "!")) and not re.fullmatch(r"-[HLPO]\d?", arg):
            break
        if not arg.startswith("-"):
            roots.append(arg)
    return roots


def _find(args: Sequence[str]) -> Iterator[Target]:
    roots = _roots(args)
    if "-delete" in args:
        yield from (Target("path", root, "delete", certain=False) for root in roots)
    for at, arg in enumerate(args):
        if arg in ("-exec", "-execdir", "-ok"):
            end = next((i for i in range(at, len(args)) if args[i] in (";", "+", "\\;")), len(args))
            for one in _written(_bare(Simple(list(args[at + 1 : end])))):
                if one.kind == "path" and "{}" in one.name:
                    yield from (Target("path", root, one.how, certain=False) for root in roots)
                else:
                    yield one
