"""Audits of files and folders: which there are, read on several cores, each reported as JSON, worst first.

A worker gives back only what is reported, never the history that it read, so memory is bounded by the
largest session of each worker. What is written of a text is decided there too: hashed with a key that is
drawn once per run and kept nowhere, or the words with secrets masked.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cenotaph import limits
from cenotaph.api.audit_rows import write_rows
from cenotaph.api.auditing import Report, audit_history
from cenotaph.api.reading import Tool
from cenotaph.core.audit.report import Writer, run_json, session_json
from cenotaph.core.handles import redacted
from cenotaph.core.ids import JSON
from cenotaph.dialects.compactions.finding import may_hold
from cenotaph.dialects.detect import detect
from cenotaph.errors import CenotaphError, DialectError, InputError
from cenotaph.runtime.entropy import fresh_key
from cenotaph.runtime.pool import cores, in_order_of_arrival
from cenotaph.runtime.source import Source, named, read_source, read_text

__all__ = [
    "FileAudit",
    "Options",
    "audit_files",
    "cores",
    "files_in",
    "fresh_key",
    "hashed",
    "masked",
    "read_side",
    "report_json",
    "run_json",
    "write_rows",
]

_SUFFIXES: Final = frozenset({".jsonl", ".json", ".traj", ".ndjson"})
_SENT: Final = "api_conversation_history.json"
_SHOWN: Final = "ui_messages.json"
"""The two files of a task of Cline: what was sent, and what was shown, which alone tells what was cut."""


@dataclass(frozen=True, slots=True)
class Options:
    """How files are audited.

    Attributes:
        dialect: Name of the format; None detects it, file by file.
        tools: Declarations beside each dialect's own profile.
        excerpts: Words of the transcripts are kept, with secrets masked; else shortened hashes.
        shares: Say how much of each class was removed.
        key: What hashes and fingerprints are made with.
        strays: A file that is no transcript is passed over, as in a folder; else it is an error.
    """

    dialect: str | None = None
    tools: tuple[Tool, ...] = ()
    excerpts: bool = False
    shares: bool = False
    key: bytes = b""
    strays: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FileAudit:
    """What came of one file.

    Attributes:
        name: Its path.
        size: In bytes.
        session: Its report; None if it could not be audited, or is no transcript.
        worst: Weight of its worst finding; 0 if it has none.
        error: Why it could not be audited; None if it was.
        stray: It is no transcript, and was found in a folder.
    """

    name: str
    size: int
    session: JSON = None
    worst: int = 0
    error: str | None = None
    stray: bool = False


def hashed(key: bytes) -> Writer:
    """Words as a shortened keyed hash and their length: equal words have equal hashes within one run."""

    def written(text: str) -> JSON:
        digest = hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return {"sha256": digest[: limits.audit_hash_hex_chars], "characters": len(text)}

    return written


def masked(key: bytes) -> Writer:
    """Words as they stand, secrets masked, the end of long ones left out and said so."""

    def written(text: str) -> JSON:
        shown = redacted(text, key)
        cut = len(shown) > limits.audit_excerpt_chars
        return {"text": shown[: limits.audit_excerpt_chars] + ("…" if cut else ""), "characters": len(text)}

    return written


def files_in(paths: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """(file, whether it was found in a folder) for each path that a person names; a folder gives what is in it.

    Raises:
        InputError: A path does not exist.
    """
    for name in paths:
        path = Path(name)
        if path.is_dir():
            for found in sorted(path.rglob("*")):
                if found.suffix in _SUFFIXES and found.is_file() and not _is_half(found):
                    yield str(found), True
        elif path.exists() or name == "-":
            yield name, False
        else:
            raise InputError(
                f"{name} does not exist; a session file or a folder of them was expected.",
                next_step="Check the path; without one this user's own sessions are looked at.",
                file=name,
            )


def _is_half(path: Path) -> bool:
    """What was shown of a task whose other file lies beside it: both are read under that one's name."""
    return path.name == _SHOWN and path.with_name(_SENT).is_file()


def _with_its_half(source: Source, name: str) -> JSON:
    """The value of a file; of a task that lies in two files, both."""
    path = Path(name)
    if path.name not in (_SENT, _SHOWN) or not all(path.with_name(one).is_file() for one in (_SENT, _SHOWN)):
        return source.value
    other = read_source(str(path.with_name(_SENT if path.name == _SHOWN else _SHOWN)))
    ui, sent = (source, other) if path.name == _SHOWN else (other, source)
    return {"ui": ui.value, "api": sent.value}


def audit_files(
    names: Sequence[str],
    options: Options,
    *,
    jobs: int = 1,
    seconds: float | None = None,
    told: Callable[[FileAudit], None] = lambda _: None,
) -> list[FileAudit]:
    """Audits files, worst first; one that can't be read stops no other.

    Args:
        names: Paths.
        options: How.
        jobs: Processes that work at once; 1 works in this one.
        seconds: No file is begun after this time; those are not in the answer. None begins all.
        told: Is given each as it arrives, for progress.
    """
    found: list[FileAudit] = []
    for one in in_order_of_arrival(_Worker(options), names, jobs, seconds):
        told(one)
        found.append(one)
    return sorted(found, key=lambda one: (-one.worst, one.name))


@dataclass(frozen=True, slots=True)
class _Worker:
    options: Options

    def __call__(self, name: str) -> FileAudit:
        size = 0
        try:
            source = read_source(name, dialect=self.options.dialect)
            size = len(source.data)
            with named(source.name):
                dialect = self.options.dialect
                value = _with_its_half(source, name)
                if isinstance(value, bytes):
                    dialect = dialect or _dialect_of(value)
                    if dialect is not None and not may_hold(source.data, dialect):
                        return FileAudit(name, size, _nothing_in(dialect, self._written(name)))
                report = audit_history(
                    value,
                    name=name,
                    dialect=dialect,
                    tools=self.options.tools,
                    shares=self.options.shares,
                )
        except DialectError as error:
            stray = name in self.options.strays
            return FileAudit(name, size, error=None if stray else str(error), stray=stray)
        except CenotaphError as error:
            return FileAudit(name, size, error=str(error))
        return FileAudit(name, size, session_json(report, self._written), report.worst)

    def _written(self, text: str) -> JSON:
        key = self.options.key
        return (masked(key) if self.options.excerpts else hashed(key))(text)


def _dialect_of(value: JSON) -> str | None:
    """The format of a transcript; None for what may be a log of calls, or is none."""
    try:
        return detect(value).name
    except DialectError:
        return None


def _nothing_in(dialect: str, name: JSON) -> JSON:
    """The report of a session without a compaction, of which nothing more was read."""
    return {"name": name, "session": None, "dialect": dialect, "compactions": [], "aftermath": None}


def report_json(report: Report, *, excerpts: bool) -> JSON:
    """One report as the JSON of a run with one history."""
    key = fresh_key()
    return session_json(report, masked(key) if excerpts else hashed(key))


def read_side(path: str, *, dialect: str | None = None, text: bool = False) -> JSON:
    """One side of a pair: messages, or where `text` allows it the text of a summary that is no JSON.

    Raises:
        InputError: It can't be read.
    """
    try:
        return read_source(path, dialect=dialect).value
    except InputError:
        if not text or path == "-" or path.endswith((".json", ".jsonl")):
            raise
        return read_text(path)
