"""Session files of other clients: from a file's bytes, or from what was read of them, to records.

A client keeps its session as JSON Lines or as one JSON document. A caller may have the bytes or the
decoded value; both are read alike, and what came in is what `emit` gives back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeGuard

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect
from cenotaph.dialects import jsonl
from cenotaph.dialects.envelope import depth_within, describe
from cenotaph.errors import ConfigurationError, DialectError, InputError
from cenotaph.limits import json_depth_max

__all__ = [
    "Report",
    "check_region",
    "decoded",
    "is_whole",
    "mapping_of",
    "nothing_understood",
    "peeked",
    "records_of",
    "refused",
    "text_of",
]

Report = Callable[[Defect], None]

REGIONS = ("last", "all")


def decoded(value: JSON, dialect: str, report: Report) -> JSON:
    """The value behind bytes: one document, or the list of the values of its lines.

    Args:
        value: Bytes of a file, or a decoded value, which is given back as it is.
        dialect: Name for the error.
        report: Takes what was odd and survived in the bytes.

    Raises:
        InputError: The bytes are neither a JSON document nor JSON Lines.
        DialectError: The value nests deeper than `json_depth_max`.
    """
    if isinstance(value, bytes | bytearray):
        data = bytes(value)
        jsonl.check_bytes(data)
        if _is_document(data):
            return jsonl.decode_document(data)
        return [item for _, item in jsonl.read_values(data, report)]
    if not depth_within(value, json_depth_max):
        raise DialectError(
            f"{dialect} refuses JSON that is nested deeper than {json_depth_max} levels.",
            next_step="Store the deep value as a JSON string instead.",
            dialect=dialect,
            depth_max=json_depth_max,
        )
    return value


def peeked(value: JSON) -> JSON:
    """As `decoded`, for a predicate: None where the bytes can't be read, which `parse` then names."""
    if not isinstance(value, bytes | bytearray):
        return value
    try:
        return decoded(value, "", _unheard)
    except (InputError, DialectError):
        return None


def _unheard(_: Defect) -> None:
    """A predicate reports nothing."""


def _is_document(data: bytes) -> bool:
    """Whether the file is one value: its first line is not a whole one."""
    text = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith(b"{"):
        return True
    first, _, rest = text.partition(b"\n")
    return not first.rstrip().endswith(b"}") or not rest.strip()


def records_of(value: JSON) -> Sequence[JSON]:
    """The items of a list; of anything else none."""
    return value if isinstance(value, list | tuple) else ()


def mapping_of(value: JSON) -> Mapping[str, JSON]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def text_of(value: JSON) -> str:
    """The value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def is_whole(value: JSON) -> TypeGuard[int]:
    """Whether a value is a whole number; JSON's true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def check_region(region: str) -> bool:
    """Whether the whole history is asked for.

    Raises:
        ConfigurationError: `region` is neither "last" nor "all".
    """
    if region not in REGIONS:
        raise ConfigurationError(f'region is {region!r}; "last" or "all" was expected.', region=region)
    return region == "all"


def refused(dialect: str, value: JSON, expected: str) -> DialectError:
    """The error for a value of another shape.

    Args:
        dialect: Whose.
        value: What was given; only its structure is named.
        expected: What would have been read, in words.
    """
    seen = describe(value)
    return DialectError(f"{dialect} cannot read {seen}.", next_step=f"Give {expected}.", dialect=dialect, seen=seen)


def nothing_understood(dialect: str, kinds: Iterable[str]) -> InputError:
    """The error for a session without a message; never an empty view in silence.

    Args:
        dialect: Whose.
        kinds: The kind of each of its records.
    """
    found = list(kinds)
    types = sorted(set(found))
    held = f"{len(found)} record(s) of kind {', '.join(types)}" if found else "no record"
    return InputError(
        f"The {dialect} session holds {held}, but no message that a model would be sent.",
        next_step="Check that this is the session's own file.",
        records=len(found),
        types=types,
    )
