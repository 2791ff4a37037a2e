"""The one door: everything that a caller, an adapter or the command line uses.

    compacting, session, reading, recall    what a program calls
    auditing, audit_files                   what other tools' compactions lost
    doctrine                                the tables and the words that a surface shows
    places                                  files and folders of the person at this machine

Names are loaded when they are first asked for; a command that needs none of them starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cenotaph.api.auditing import Report, audit, audit_history, audit_session
    from cenotaph.api.compacting import Result, compact
    from cenotaph.api.doctrine import mcp_tools
    from cenotaph.api.reading import ClassifiedSpan, classify, explain
    from cenotaph.api.recall import rehydrate, rehydrate_from, rehydrate_tool, verify
    from cenotaph.api.session import Session, way_in

__all__ = [
    "ClassifiedSpan",
    "Report",
    "Result",
    "Session",
    "audit",
    "audit_history",
    "audit_session",
    "classify",
    "compact",
    "explain",
    "mcp_tools",
    "rehydrate",
    "rehydrate_from",
    "rehydrate_tool",
    "verify",
    "way_in",
]

_HOME = {
    "ClassifiedSpan": "reading",
    "Report": "auditing",
    "Result": "compacting",
    "Session": "session",
    "audit": "auditing",
    "audit_history": "auditing",
    "audit_session": "auditing",
    "classify": "reading",
    "compact": "compacting",
    "explain": "reading",
    "mcp_tools": "doctrine",
    "rehydrate": "recall",
    "rehydrate_from": "recall",
    "rehydrate_tool": "recall",
    "verify": "recall",
    "way_in": "session",
}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'cenotaph.api' has no attribute {name!r}")
    value = getattr(import_module(f"cenotaph.api.{home}"), name)
    globals()[name] = value
    return value
