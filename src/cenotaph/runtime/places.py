"""Where this user's things are: the one reader of the environment.

Nothing here opens a store or a transcript; it only says where they lie.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cenotaph.errors import StoreUnavailable

__all__ = [
    "SessionFile",
    "claude_sessions",
    "claude_sessions_folder",
    "codex_sessions",
    "codex_sessions_folder",
    "colour_refused",
    "default_store_url",
    "make_state_folder",
    "state_folder",
    "store_file",
    "traceback_wanted",
]

_STORE_NAME: Final = "store.db"


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A session file of another client.

    Attributes:
        path: Where it lies.
        size: In bytes.
        modified: Seconds since the epoch.
    """

    path: Path
    size: int
    modified: float


def _absolute(name: str) -> Path | None:
    """A folder that a variable names; None where it is unset, empty or relative (which is no place)."""
    value = os.environ.get(name, "")
    return Path(value) if value and os.path.isabs(value) else None


def state_folder() -> Path:
    """The folder for what outlives a run of a program: by the rules of the platform, never guessed."""
    if sys.platform == "win32":
        base = _absolute("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = _absolute("XDG_STATE_HOME") or Path.home() / "Library" / "Application Support"
    else:
        base = _absolute("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return base / "cenotaph"


def make_state_folder() -> None:
    """The state folder exists, for its owner only.

    Raises:
        StoreUnavailable: It can't be made; says which.
    """
    folder = state_folder()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the state folder {folder} can't be made: {error.strerror or error}.",
            next_step="Name a store that can be written with --store.",
            path=str(folder),
        ) from error


def default_store_url() -> str:
    """The store that the command line uses when none is named."""
    return f"sqlite:///{state_folder() / _STORE_NAME}"


def store_file(url: str) -> Path | None:
    """The file behind a store's URL; None for one that lies in no file."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return Path(url)
    return Path(rest[1:]) if scheme.lower() == "sqlite" and rest.startswith("/") else None


def claude_sessions_folder() -> Path:
    """Where Claude Code keeps its sessions."""
    return (_absolute("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "projects"


def claude_sessions() -> list[SessionFile]:
    """This user's Claude Code sessions, newest first; sub-agents' own files are none."""
    paths = claude_sessions_folder().glob("*/*.jsonl")
    return _newest_first(path for path in paths if not path.name.startswith("agent-"))


def codex_sessions_folder() -> Path:
    """Where Codex keeps its sessions."""
    return (_absolute("CODEX_HOME") or Path.home() / ".codex") / "sessions"


def codex_sessions() -> list[SessionFile]:
    """This user's Codex sessions, newest first."""
    return _newest_first(codex_sessions_folder().glob("*/*/*/rollout-*.jsonl"))


def _newest_first(paths: Iterable[Path]) -> list[SessionFile]:
    found: list[SessionFile] = []
    for path in paths:
        try:
            facts = path.stat()
        except FileNotFoundError:
            continue  # The client removed it while we looked.
        found.append(SessionFile(path, facts.st_size, facts.st_mtime))
    return sorted(found, key=lambda item: (-item.modified, str(item.path)))


def colour_refused() -> bool:
    """The user wants no colour: `NO_COLOR` is set and not empty, or the terminal is a dumb one."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def traceback_wanted() -> bool:
    """The user wants to see where an internal error came from."""
    return os.environ.get("CENOTAPH_TRACEBACK") == "1"
