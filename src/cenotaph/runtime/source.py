"""From a file to a value for the dialects, and from a view back to a file of the same shape.

Whatever can't be read is refused with the file's name, the line, what was found and what was
expected. A view is written as its input was: a list as a list, a request as that request, one
message per line as one message per line, with the input's own indentation and escapes.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import BinaryIO, Final

from cenotaph import limits
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.dialects.cline import CLINE
from cenotaph.dialects.codex import CODEX
from cenotaph.dialects.codex_records import refuse_packed
from cenotaph.dialects.gemini_cli import GEMINI_CLI
from cenotaph.dialects.jsonl import check_bytes, check_depth, read_values
from cenotaph.dialects.mini_swe_agent import MINI_SWE_AGENT
from cenotaph.dialects.opencode import OPENCODE
from cenotaph.dialects.openhands import OPENHANDS
from cenotaph.dialects.pi import PI
from cenotaph.dialects.swe_agent import SWE_AGENT
from cenotaph.errors import InputError

__all__ = ["Shape", "Source", "decode", "named", "read_source", "read_text", "view_bytes"]

SESSION_DIALECTS: Final = frozenset(
    dialect.name
    for dialect in (CLAUDE_CODE, CODEX, GEMINI_CLI, OPENHANDS, SWE_AGENT, MINI_SWE_AGENT, PI, OPENCODE, CLINE)
)
"""Dialects of session files: what they hold is a log, so their view is written as `{"messages": [...]}`."""

_BOM: Final = b"\xef\xbb\xbf"
_INDENT = re.compile(rb"\s*[\[{]\r?\n([ \t]+)")
_SNIFFED_BYTES: Final = 65_536
_chunk_bytes: Final = 1 << 20


class Shape(StrEnum):
    """How the messages lie in the file."""

    document = "one JSON value"
    lines = "one message per line"
    session = "a session file"


@dataclass(frozen=True, slots=True)
class Source:
    """A file, read.

    Attributes:
        name: For a person: its path, or "standard input".
        data: Its bytes.
        value: What the dialects are given: a JSON value, or the bytes of a session file.
        shape: How the messages lie in it.
        defects: What was odd and survived while decoding; a session's own come with its transcript.
    """

    name: str
    data: bytes
    value: JSON
    shape: Shape
    defects: tuple[Defect, ...] = ()


@contextmanager
def named(name: str) -> Iterator[None]:
    """Every `InputError` inside says which file it speaks of."""
    try:
        yield
    except InputError as error:
        message = str(error).removesuffix(error.next_step).rstrip()
        if message.startswith(name):
            raise
        details = {**error.details, "file": name}
        raise type(error)(f"{name}: {message}", next_step=error.next_step, **details) from error


def read_source(path: str, *, dialect: str | None = None, stdin: BinaryIO | None = None) -> Source:
    """The value in a file, for the dialects.

    Args:
        path: A file; `-` is standard input.
        dialect: Name of the format if the caller knows it; only those of session files change the reading.
        stdin: What `-` reads; None takes the process's own.

    Raises:
        InputError: Missing, a folder, unreadable, empty, too large, not text, not JSON: which, where,
            and what was expected.
    """
    name = "standard input" if path == "-" else path
    if path == "-":
        data = _stream_bytes(stdin or sys.stdin.buffer)
    else:
        data = _bytes_of(path)
    return decode(data, name, dialect=dialect)


def read_text(path: str) -> str:
    """The text of a file in UTF-8, its line ends as they are.

    Raises:
        InputError: Missing, a folder, unreadable, too large, or no UTF-8.
    """
    data = _bytes_of(path)
    with named(path):
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(
                f"byte {error.start} is no UTF-8 text.", next_step="Convert it to UTF-8.", found="not-utf-8"
            ) from error


def _bytes_of(path: str) -> bytes:
    try:
        facts = os.stat(path)
        if stat.S_ISDIR(facts.st_mode):
            raise InputError(
                f"{path} is a folder; a file with messages was expected.",
                next_step="Name one file in it.",
                file=path,
            )
        if facts.st_size > limits.input_bytes_max:
            raise InputError(
                f"{path} has {facts.st_size:,} bytes; at most {limits.input_bytes_max:,} are read.",
                next_step="Pass its newer part.",
                file=path,
                bytes=facts.st_size,
                bytes_max=limits.input_bytes_max,
            )
        with open(path, "rb") as file:
            return file.read() if stat.S_ISREG(facts.st_mode) else _stream_bytes(file)
    except FileNotFoundError as error:
        raise _missing(path) from error
    except OSError as error:
        raise InputError(
            f"{path} can't be read: {error.strerror or error}.",
            next_step="Check its access rights.",
            file=path,
        ) from error


def _stream_bytes(stream: BinaryIO) -> bytes:
    """All of a stream whose size nobody knows; one byte too many is enough to refuse it."""
    data = bytearray()
    while chunk := stream.read(_chunk_bytes):
        data += chunk
        if len(data) > limits.input_bytes_max:
            break
    return bytes(data)


def _missing(path: str) -> InputError:
    folder, wanted = os.path.split(path)
    here = folder or "."
    if not os.path.isdir(here):
        return InputError(f"{path} does not exist, nor does the folder {here}.", next_step="Check the path.", file=path)
    try:
        near = difflib.get_close_matches(wanted, sorted(os.listdir(here)), n=3, cutoff=0.6)
    except OSError:
        near = []  # A folder that can be entered but not listed: there is nothing to suggest.
    candidates = " or ".join(os.path.join(folder, name) for name in near)
    hint = f"Did you mean {candidates}?" if near else "Check the path."
    return InputError(f"{path} does not exist.", next_step=hint, file=path, near=near)


def decode(data: bytes, name: str, *, dialect: str | None = None) -> Source:
    """The value behind a file's bytes; see `read_source`.

    Raises:
        InputError: Likewise; every one names the file.
    """
    with named(name):
        refuse_packed(data)
        check_bytes(data)
        _check_lines(data)
        if dialect in (CLAUDE_CODE.name, CODEX.name) or (dialect is None and _is_session(data)):
            return Source(name, data, data, Shape.session)
        lines = _first_line_is_whole(data)
        if not lines:
            return _source_of(name, data, _document(data))
        defects: list[Defect] = []
        values = [value for _, value in read_values(data, defects.append)]
        if len(values) == 1 and not _is_message(values[0]):
            return _source_of(name, data, values[0], defects)
        return Source(name, data, values, Shape.lines, tuple(defects))


def _source_of(name: str, data: bytes, value: JSON, defects: Sequence[Defect] = ()) -> Source:
    messages = value.get("messages") if isinstance(value, dict) else value
    if isinstance(messages, list) and not messages:
        raise InputError("there is no message in it; at least one was expected.", found="no-message")
    return Source(name, data, value, Shape.document, tuple(defects))


def _is_session(data: bytes) -> bool:
    head = data[: len(_BOM) + 64].removeprefix(_BOM).lstrip()
    return head.startswith(b"{") and (CLAUDE_CODE.recognise(data) or CODEX.recognise(data))


def _is_message(value: JSON) -> bool:
    return isinstance(value, dict) and "role" in value and "messages" not in value


def _check_lines(data: bytes) -> None:
    """No line is longer than `line_bytes_max`: a document on one line takes many times its size to read."""
    if len(data) <= limits.line_bytes_max:
        return
    number, position = 0, 0
    while position < len(data):
        number += 1
        end = data.find(b"\n", position)
        end = len(data) if end < 0 else end
        if end - position > limits.line_bytes_max:
            raise InputError(
                f"line {number} has {end - position:,} bytes; at most {limits.line_bytes_max:,} are read.",
                next_step="No provider takes a message of that size; check where the file comes from.",
                line=number,
                bytes=end - position,
                bytes_max=limits.line_bytes_max,
            )
        position = end + 1


def _first_line_is_whole(data: bytes) -> bool:
    """The first line that is not blank is a whole JSON object, so that each line is a value."""
    text = data.removeprefix(_BOM).lstrip()
    line = text.split(b"\n", 1)[0].strip()
    if not (line.startswith(b"{") and line.endswith(b"}")):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _document(data: bytes) -> JSON:
    """The one JSON value of a file; where it breaks is said by line and column."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"line {line}: byte {error.start} is no UTF-8 text; JSON in UTF-8 was expected.",
            next_step="Pass the transcript itself, as UTF-8.",
            line=line,
            found="not-utf-8",
        ) from error
    try:
        value = json.loads(text)
    except RecursionError:
        raise InputError(
            f"its JSON nests deeper than {limits.json_depth_max} levels.",
            next_step="No client writes such data; check where the file comes from.",
            depth_max=limits.json_depth_max,
        ) from None
    except json.JSONDecodeError as error:
        found = text[error.pos : error.pos + 40].split("\n", 1)[0]
        raise InputError(
            f"line {error.lineno}, column {error.colno}: {error.msg[0].lower()}{error.msg[1:]}, found "
            f"{repr(found) if found else 'the end of the file or line'}.",
            next_step="Expected is one JSON value (a list of messages or a request with `messages`), one "
            "message per line, or a session file.",
            line=error.lineno,
            column=error.colno,
        ) from error
    except ValueError as error:  # a number of more digits than Python reads
        raise InputError(
            f"its JSON can't be read: {error}.", next_step="Check the numbers in the file.", found="not-json"
        ) from error
    if isinstance(value, dict | list):
        check_depth(value, "the file")
    return value


# Writing ------------------------------------------------------------------------------------


def view_bytes(source: Source, transcript: Transcript, view: Sequence[JSON], *, changed: bool) -> bytes:
    """A view in the shape of the file that it was made from; an unchanged one is that file's own bytes.

    Args:
        source: What was read.
        transcript: What was understood of it.
        view: The messages to send.
        changed: Whether they differ from those of the source.
    """
    style = _Style.of(source.data)
    if transcript.dialect in SESSION_DIALECTS:
        return _Style().written({"messages": list(view)})
    if not changed and not source.defects:
        return source.data
    if source.shape is Shape.lines:
        return b"".join(style.written(message) for message in view)
    if isinstance(transcript.request, dict):
        return style.written({**transcript.request, transcript.messages_key: list(view)})
    return style.written(list(view))


@dataclass(frozen=True, slots=True)
class _Style:
    """How a file writes its JSON: the indentation, the spaces and the escapes."""

    indent: str | None = None
    spaced: bool = False
    ascii_only: bool = False

    @classmethod
    def of(cls, data: bytes) -> _Style:
        head = data[:_SNIFFED_BYTES].removeprefix(_BOM)
        found = _INDENT.match(head)
        return cls(
            indent=found[1].decode() if found else None,
            spaced=re.search(rb'": ["\[{\dtfn]', head) is not None,
            ascii_only=data.isascii() and b"\\u" in data,
        )

    def written(self, value: JSON) -> bytes:
        separators = (",", ": ") if self.indent else (", ", ": ") if self.spaced else (",", ":")
        text = json.dumps(value, ensure_ascii=self.ascii_only, indent=self.indent, separators=separators)
        # A lone surrogate has no UTF-8; its backslash form is at the same time its JSON escape.
        return text.encode("utf-8", "backslashreplace") + b"\n"
