"""JSON Lines as real clients leave them: bytes in, values out, and every oddity named.

A session file is appended to by a process that may die at any byte, so a torn last line is survived
and reported, and two values glued together on one line are two values. Everything else that can't be
read is refused with its line, what was found there and what was expected: a line that is skipped in
silence is a fact that is lost in silence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect
from cenotaph.errors import InputError
from cenotaph.limits import input_bytes_max, json_depth_max, line_bytes_max

__all__ = ["Loads", "check_bytes", "check_depth", "decode_document", "read_values"]

Loads = Callable[[bytes], JSON]
"""Decodes the one JSON value that some bytes are, in UTF-8; ValueError where it does not, which refuses nothing:
then the standard library's decoder is asked. Its values are those of the standard library, save that an integer
of more than 64 bits may come as the nearest float."""

_BOM: Final = b"\xef\xbb\xbf"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_FOUND_CHARS_MAX: Final = 60
_DECODER: Final = json.JSONDecoder()
_TAIL_BYTES: Final = 4_096
_SPACE: Final = " \t\r\n"
_ROUNDED_MIN: Final = 2.0**63
"""From here on an integer may be a float that a decoder made of it."""


def check_bytes(data: bytes) -> None:
    """Data is UTF-8 text of a size that can be read, or it is refused in one clear sentence.

    Args:
        data: The whole file.

    Raises:
        InputError: Empty, nothing but blank space, UTF-16, binary, or larger than `input_bytes_max`.
    """
    if len(data) > input_bytes_max:
        raise InputError(
            f"The input has {len(data)} bytes; at most {input_bytes_max} are read.",
            next_step="Split the session or pass its newer part.",
            bytes=len(data),
            bytes_max=input_bytes_max,
        )
    if data[:2] in _UTF16_MARKS:
        raise InputError(
            "The input is UTF-16 text; UTF-8 was expected.", next_step="Convert it to UTF-8.", found="utf-16"
        )
    zero = data.find(b"\0")
    if zero >= 0:
        line = data.count(b"\n", 0, zero) + 1
        raise InputError(
            f"Line {line}: a NUL byte at offset {zero}, so this is binary, UTF-16 or damaged; UTF-8 JSON was expected.",
            next_step="Pass the session file itself, as UTF-8 text.",
            line=line,
            found="nul-byte",
        )
    if not data or data == _BOM or data.isspace() or (data.startswith(_BOM) and data[len(_BOM) :].isspace()):
        what = "empty" if not data else "nothing but blank space"
        raise InputError(f"The input is {what}; JSON records were expected.", found="empty")


def check_depth(value: JSON, where: str) -> None:
    """A value nests no deeper than `json_depth_max`; walked level by level, so it can't overflow.

    Raises:
        InputError: It does.
    """
    level: list[JSON] = [value]
    for _ in range(json_depth_max + 1):
        below: list[JSON] = []
        for container in level:
            children = container.values() if isinstance(container, dict) else container
            below += [child for child in children if isinstance(child, dict | list)]
        if not below:
            return
        level = below
    raise _too_deep(where)


def read_values(
    data: bytes,
    report: Callable[[Defect], None],
    *,
    loads: Loads | None = None,
) -> Iterator[tuple[int, JSON]]:
    """Each JSON value with the number of its line, in file order.

    Lines are decoded one at a time, so beside the file itself only one line and its value are held.

    Args:
        data: The whole file; `check_bytes` is applied first.
        report: Takes what was odd and survived: `torn-line`, `glued-objects`.
        loads: A faster decoder for lines that are one object; None takes the standard library's for all.

    Yields:
        (line from 1, value).

    Raises:
        InputError: A line that is neither JSON nor a torn last one; JSON nested too deep.
    """
    check_bytes(data)
    end_of_data = len(data)
    last = _end_of_content(data)
    position = len(_BOM) if data.startswith(_BOM) else 0
    number = 0
    while position < last:
        number += 1
        end = data.find(b"\n", position)
        if end < 0:
            end = end_of_data
        if end - position > line_bytes_max:
            raise InputError(
                f"Line {number} has {end - position} bytes; at most {line_bytes_max} are read.",
                line=number,
                bytes_max=line_bytes_max,
            )
        line = data[position:end]
        position = end + 1
        if loads is not None and line[:1] == b"{":
            value = _quickly(line, loads)
            if value is not None:
                yield number, value
                continue
        if line.isspace() or not line:
            continue
        yield from _values_of(line, number, position >= last, report)


def decode_document(data: bytes) -> JSON:
    """The one JSON value that the whole file is.

    Raises:
        InputError: It is not JSON, or nests too deep.
    """
    check_bytes(data)
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text)
    except RecursionError:
        raise _too_deep("the document") from None
    except UnicodeDecodeError as error:
        raise InputError(f"The document is not UTF-8: byte {error.start} can't be read.", found="not-utf-8") from error
    except ValueError as error:
        raise InputError(f"The document is not JSON: {error}.", found="not-json") from error
    if isinstance(value, dict | list):
        check_depth(value, "the document")
    return value


def _quickly(line: bytes, loads: Loads) -> Mapping[str, JSON] | None:
    """The object that a line is; None where the exact walk must say what it is."""
    try:
        value = loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and _is_plain(value) else None


def _is_plain(value: JSON) -> bool:
    """Whether a value nests no deeper than `json_depth_max`, and no number in it may be rounded; level by level."""
    level = [value]
    for _ in range(json_depth_max + 1):
        below: list[JSON] = []
        for container in level:
            for child in container.values() if type(container) is dict else container:
                kind = type(child)
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    below.append(child)
                elif kind is float and not -_ROUNDED_MIN < child < _ROUNDED_MIN:
                    return False
        if not below:
            return True
        level = below
    return False


def _values_of(line: bytes, number: int, is_last: bool, report: Callable[[Defect], None]) -> Iterator[tuple[int, JSON]]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        # A last line that is closed was written to its end: a bad byte in it is damage, not a torn line.
        if not (is_last and line.lstrip().startswith(b"{")) or line.rstrip().endswith(b"}"):
            raise _bad_line(number, f"bytes that are not UTF-8 (offset {error.start} in the line)") from error
        line = line[: error.start]
        text = line.decode("utf-8")
        report(_torn(number))
        report = _unheard  # one report for one torn line
    # Brackets inside strings count too: this only decides whether the exact walk is needed.
    suspicious = text.count("[") + text.count("{") > json_depth_max
    position, end, found = 0, len(text.rstrip(_SPACE)), 0
    while position < end:
        while text[position] in _SPACE:
            position += 1
        try:
            value, stop = _DECODER.raw_decode(text, position)
        except RecursionError:
            raise _too_deep(f"line {number}") from None
        except ValueError as error:
            if is_last and text.startswith("{", position):
                report(_torn(number))
                return
            raise _bad_line(number, repr(text[position : position + _FOUND_CHARS_MAX])) from error
        if suspicious and isinstance(value, dict | list):
            check_depth(value, f"line {number}")
        found += 1
        if found == 2:
            note = "more than one JSON value on the line; all were read"
            report(Defect("glued-objects", f"line {number}", note))
        position = stop
        yield number, value


def _end_of_content(data: bytes) -> int:
    """Where the last byte that is no blank space ends; a whole `rstrip` would copy the file."""
    end = len(data)
    while end > 0:
        start = max(0, end - _TAIL_BYTES)
        tail = data[start:end].rstrip()
        if tail:
            return start + len(tail)
        end = start
    return 0


def _torn(number: int) -> Defect:
    return Defect("torn-line", f"line {number}", "the last line breaks off; what is whole in it was read")


def _unheard(_: Defect) -> None:
    """Takes the second report about a line that is already reported."""


def _bad_line(number: int, found: str) -> InputError:
    return InputError(
        f"Line {number}: found {found}, expected one JSON object per line.",
        next_step="Repair or remove that line; only a last line that breaks off is survived.",
        line=number,
        found=found,
        expected="json-object",
    )


def _too_deep(where: str) -> InputError:
    return InputError(
        f"JSON in {where} nests deeper than {json_depth_max} levels.",
        next_step="No client writes such data; check where the input comes from.",
        where=where,
        depth_max=json_depth_max,
    )
