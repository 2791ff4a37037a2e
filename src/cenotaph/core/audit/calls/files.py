"""Programs that write files, each by its own arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from cenotaph.core.audit.calls.shell import Simple
from cenotaph.core.audit.calls.words import DRY, NO_FILES, Handler, Target, arguments, fed, has_flag, in_folder, option
from cenotaph.core.audit.verdicts.words import word_set

__all__ = ["FILE_PROGRAMS", "POWERSHELL", "patched", "powershell", "scripted"]


# Files -----------------------------------------------------------------------------------------------


def _all_arguments(how: str, valued: str = "", skipped: int = 0) -> Handler:
    """A program that writes everything that it names, after so many arguments."""
    takes = word_set(valued)

    def handler(simple: Simple) -> Iterator[Target]:
        args = simple.words[1:]
        deep = has_flag(args, "rR", "--recursive") or (how == "delete" and simple.program == "rmdir")
        skip = 0 if any(arg.startswith("--reference") for arg in args) else skipped
        named = arguments(args, takes)[skip:]
        yield from (Target("path", name, how, deep=deep or name.endswith("*")) for name in named if name != "-")

    return handler


def _copying(how: str) -> Handler:
    """`cp`, `mv`, `scp`: the last argument is written; what is moved leaves its place."""

    def handler(simple: Simple) -> Iterator[Target]:
        args = simple.words[1:]
        if not DRY.isdisjoint(args) or (simple.program == "rsync" and has_flag(args, "n")):
            return
        folder = option(args, ("-t", "--target-directory")) if simple.program in ("cp", "mv", "ln", "install") else None
        valued = word_set("-t -S -m -o -g -P -i -F -e -l -c -J --suffix --rsh --exclude --include --chmod --chown")
        named = arguments(args, valued)
        sources, target = (named, folder) if folder is not None else (named[:-1], named[-1] if len(named) > 1 else None)
        if target is not None:
            yield _maybe_elsewhere(target)
        if how == "move":
            yield from (replace(_maybe_elsewhere(name), how="move", deep=True) for name in sources)

    return handler


def _maybe_elsewhere(name: str) -> Target:
    """A path, also on another host: `host:path`."""
    remote = re.fullmatch(r"(?:[\w.-]+@)?([\w.-]{2,}):(.*)", name)
    return Target("path", remote[2] or "~", host=remote[1]) if remote and "://" not in name else Target("path", name)


def _in_place(simple: Simple) -> Iterator[Target]:
    """`sed -i`, `perl -pi`: the first argument is the script, unless an option holds it."""
    args = simple.words[1:]
    if not any(re.fullmatch(r"-[a-zA-Z]*i\S*|--in-place\S*", arg) for arg in args):
        return
    holding = [arg for arg in args if re.fullmatch(r"-[a-zA-Z]*[ef]", arg)]
    scripted = bool(holding) or any(arg.startswith(("--expression", "--file")) for arg in args)
    named = [name for name in arguments(args, holding) if name]
    yield from (Target("path", name) for name in named[not scripted :])


def _link(simple: Simple) -> Iterator[Target]:
    named = arguments(simple.words[1:], ("-t", "-S"))
    if len(named) > 1:
        yield Target("path", named[-1], "create")


def _option_path(*names: str, how: str = "write") -> Handler:
    """A program that writes what one of its options names."""

    def handler(simple: Simple) -> Iterator[Target]:
        value = option(simple.words[1:], names)
        if value is not None and value not in NO_FILES:
            yield Target("path", value, how)

    return handler


def _dd(simple: Simple) -> Iterator[Target]:
    yield from (Target("path", arg[3:]) for arg in simple.words[1:] if arg.startswith("of="))


def _tar(simple: Simple) -> Iterator[Target]:
    args = simple.words[1:]
    first = args[0].lstrip("-") if args else ""
    if "x" in first or "--extract" in args:
        folder = option(args, ("-C", "--directory"))
        if folder is not None:
            yield Target("path", folder)
    elif "c" in first and "f" in first and len(args) > 1:
        yield Target("path", args[1])


def _patch(simple: Simple) -> Iterator[Target]:
    folder = option(simple.words[1:], ("-d", "--directory")) or ""
    for text in fed(simple):
        yield from (replace(one, name=in_folder(folder, one.name), certain=False) for one in patched(text))
    named = arguments(simple.words[1:], ("-i", "-d", "-p", "-o"))
    yield from (Target("path", name) for name in named[:1])


def _apply_patch(simple: Simple) -> Iterator[Target]:
    for text in (*simple.words[1:], *simple.handed):
        yield from patched(text)


_PATCHED: Final = re.compile(
    r"^\*\*\* (?P<act>Add|Update|Delete|Move to)(?: File)?: *(?P<name>[^\n]+?)[ \t\r]*$"
    r"|^\+\+\+ (?:b/)?(?P<diff>[^\t\n]+?)[ \t\r]*(?:\t[^\n]*)?$",
    re.MULTILINE,
)
_PATCH_ACTS: Final = {"Add": "create", "Update": "write", "Delete": "delete", "Move to": "write"}


def patched(text: str) -> Iterator[Target]:
    """The files that a patch changes."""
    for match in _PATCHED.finditer(text):
        name = match["name"] or match["diff"]
        if name != "/dev/null":
            yield Target("path", name, _PATCH_ACTS.get(match["act"] or "", "write"))


POWERSHELL: Final[Mapping[str, str]] = {
    "remove-item": "delete",
    "del": "delete",
    "erase": "delete",
    "rd": "delete",
    "set-content": "write",
    "add-content": "write",
    "clear-content": "write",
    "out-file": "write",
    "new-item": "create",
    "rename-item": "move",
    "move-item": "move",
    "copy-item": "write",
}


def powershell(words: Sequence[str]) -> Iterator[Target]:
    args = words[1:]
    lowered = [arg.lower() for arg in args]
    named = arguments(args, [arg for arg in args if arg.startswith("-") and arg.lower() not in ("-force", "-recurse")])
    values = [args[at + 1] for at in range(len(args) - 1) if lowered[at] in ("-path", "-filepath", "-literalpath")]
    program = words[0].lower()
    if program == "copy-item":
        aimed = [args[at + 1] for at in range(len(args) - 1) if lowered[at] == "-destination"]
        yield from (Target("path", name) for name in aimed or named[1:2])
        return
    for name in values or named[:1]:
        yield Target("path", name, POWERSHELL[program], deep="-recurse" in lowered)


_WRITING_PYTHON: Final = re.compile(
    r"open\(\s*[rbf]?(?P<q>['\"])(?P<name>[^'\"\n]{1,400})(?P=q)\s*,\s*(?:mode\s*=\s*)?['\"](?P<mode>[rb]?[wax+][^'\"]*)['\"]"
    r"|Path\(\s*(?P<q2>['\"])(?P<path>[^'\"\n]{1,400})(?P=q2)\s*\)\.(?P<act>write_text|write_bytes|unlink|touch|mkdir)"
    r"|(?P<call>os\.remove|os\.unlink|shutil\.rmtree|os\.makedirs|fs\.writeFileSync|fs\.unlinkSync|fs\.rmSync)"
    r"\(\s*(?P<q3>['\"])(?P<file>[^'\"\n]{1,400})(?P=q3)"
)
_DELETING: Final = word_set("unlink os.remove os.unlink shutil.rmtree fs.unlinkSync fs.rmSync")


def scripted(script: str) -> Iterator[Target]:
    """Files that a script opens for writing or removes by name; whether it gets there is not known."""
    for match in _WRITING_PYTHON.finditer(script):
        name = match["name"] or match["path"] or match["file"]
        done = match["act"] or match["call"] or ""
        yield Target("path", name, "delete" if done in _DELETING else "write", certain=False)


def _script(simple: Simple) -> Iterator[Target]:
    code = option(simple.words[1:], ("-c", "-e", "--eval"))
    for text in [code] if code is not None else simple.handed:
        yield from scripted(text)


FILE_PROGRAMS: Final[Mapping[str, Handler]] = {
    **dict.fromkeys(("rm", "unlink", "shred", "rmdir", "trash"), _all_arguments("delete")),
    "touch": _all_arguments("create", "-d -t -r --date --reference"),
    "mkdir": _all_arguments("create", "-m --mode"),
    **dict.fromkeys(("chmod", "chown", "chgrp"), _all_arguments("mode", skipped=1)),
    "setfacl": _all_arguments("mode", "-m -x"),
    "truncate": _all_arguments("write", "-s -r --size --reference"),
    **dict.fromkeys(("tee", "sponge"), _all_arguments("write")),
    **dict.fromkeys(("cp", "install", "rsync", "scp"), _copying("write")),
    "mv": _copying("move"),
    "ln": _link,
    **dict.fromkeys(("sed", "gsed", "perl"), _in_place),
    "dd": _dd,
    **dict.fromkeys(("tar", "bsdtar"), _tar),
    "unzip": _option_path("-d"),
    "sort": _option_path("-o", "--output"),
    "patch": _patch,
    **dict.fromkeys(("apply_patch", "applypatch"), _apply_patch),
    **dict.fromkeys(("python", "python3", "node", "ruby", "deno"), _script),
}
"""What each program writes, by its own arguments."""
