"""Files, folders and the terminal of the person at this machine."""

from __future__ import annotations

from cenotaph.runtime.out_file import OutFile, reserved
from cenotaph.runtime.places import (
    SessionFile,
    claude_sessions,
    claude_sessions_folder,
    codex_sessions,
    codex_sessions_folder,
    colour_refused,
    default_store_url,
    make_state_folder,
    store_file,
    traceback_wanted,
)
from cenotaph.runtime.rehearsal import Rehearsal
from cenotaph.runtime.source import Shape, Source, named, read_source, view_bytes

__all__ = [
    "OutFile",
    "Rehearsal",
    "SessionFile",
    "Shape",
    "Source",
    "claude_sessions",
    "claude_sessions_folder",
    "codex_sessions",
    "codex_sessions_folder",
    "colour_refused",
    "default_store_url",
    "make_state_folder",
    "named",
    "read_source",
    "reserved",
    "store_file",
    "traceback_wanted",
    "view_bytes",
]
