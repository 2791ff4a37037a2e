"""What a command line says, word by word: options and their values, arguments, texts that are handed over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.audit.calls.shell import Simple
from cenotaph.core.audit.verdicts.words import word_set

__all__ = [
    "DRY",
    "NO_FILES",
    "Handler",
    "Target",
    "arguments",
    "fed",
    "first_argument",
    "has_flag",
    "host_of",
    "in_folder",
    "option",
]


@dataclass(frozen=True, slots=True)
class Target:
    """Something that is written to.

    Attributes:
        kind: "path", "host", "database", "table", "branch", "cluster" or "namespace".
        name: As the call names it; a path with the folder that the call says it is run in.
        how: What is done: "write", "create", "delete", "move", "mode", "sql", "apply", "remote", "push", "force" or
            "commit".
        certain: The call's form leaves no doubt that it does so there.
        host: The host that a path lies on; "" for this one.
        deep: All that lies in it is meant too.
    """

    kind: str
    name: str
    how: str = "write"
    certain: bool = True
    host: str = ""
    deep: bool = False


Handler = Callable[[Simple], Iterator[Target]]
"""What one program writes, by its arguments."""
NO_FILES: Final = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-")
DRY: Final = word_set("--dry-run --dryrun --check --diff-only --noop")
_ELSEWHERE: Final = re.compile(r"[/~$\\]|[A-Za-z]:[\\/]|[a-z0-9+.-]+://")


def in_folder(folder: str, name: str) -> str:
    """A path as it is meant in a folder; "" is a folder that nobody named."""
    return name if not folder or _ELSEWHERE.match(name) else f"{folder.rstrip('/')}/{name}"


def first_argument(words: Sequence[str], at: int, valued: Iterable[str]) -> int:
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    return at


def arguments(args: Sequence[str], valued: Iterable[str] = ()) -> list[str]:
    """The arguments that are no options and no values of options."""
    named: list[str] = []
    at = 0
    while at < len(args):
        if args[at] == "--":
            return named + list(args[at + 1 :])
        if args[at].startswith("-") and len(args[at]) > 1:
            at += args[at] in valued
        else:
            named.append(args[at])
        at += 1
    return named


def option(args: Sequence[str], names: Iterable[str]) -> str | None:
    """The value of the first of these options that stands there; None if none does."""
    for at, arg in enumerate(args):
        for name in names:
            if arg == name and at + 1 < len(args):
                return args[at + 1]
            if arg.startswith(f"{name}=") and name.startswith("--"):
                return arg[len(name) + 1 :]
            if not name.startswith("--") and len(name) == 2 and arg.startswith(name) and len(arg) > 2:
                return arg[2:]
    return None


def has_flag(args: Iterable[str], letters: str, *names: str) -> bool:
    """Whether one of the letters stands in a short option, or one of the long ones is given."""
    return any(
        arg in names or (arg.startswith("-") and not arg.startswith("--") and not set(letters).isdisjoint(arg[1:]))
        for arg in args
    )


def fed(simple: Simple) -> Iterator[str]:
    """The text that a command reads, where the whole command shows it."""
    yield from simple.handed
    before = simple.piped
    if before is not None and before.program in ("echo", "printf"):
        yield " ".join(word for word in before.words[1:] if not re.fullmatch(r"-\w", word))
    elif before is not None and before.program == "cat":
        yield from before.handed


def host_of(name: str) -> str:
    """The host of `user@host:port` or of a URL."""
    bare = re.sub(r"^[a-z][a-z0-9+.-]*://", "", name, flags=re.IGNORECASE)
    return re.split(r"[/?#]", bare)[0].rsplit("@", 1)[-1].split(":")[0]
