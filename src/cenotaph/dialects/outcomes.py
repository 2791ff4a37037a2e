"""Whether a result says that its call failed, in formats that have no field for it.

A result taken for failed is one-shot: it is protected, covers no earlier read, and its write or plan
change counts as not made. So a doubt counts as failed; the cost is tokens. Only the opening of the
text is looked at, where tools put the word, or a JSON object's own fields.
"""

from __future__ import annotations

import json
import re
from typing import Final

from cenotaph.core.ids import JSON

_OPENINGS: Final = re.compile(
    r"\W{0,8}(?:(?:tool|command|request|api|http|fatal|internal)\W{1,3})?"
    r"(?:errors?|err|exception|traceback|fail(?:ed|ure)?|fatal|rejected|refused|denied|forbidden|unauthorized|"
    r"invalid|cannot|can't|could ?n[o']t|unable|no such|not found|not permitted|permission denied|timed? ?out|"
    r"aborted|cancell?ed|e(?:noent|acces|perm|exist|timedout|connrefused)|[a-z_.]{2,60}(?:error|exception))\b",
    re.IGNORECASE,
)
_NONZERO: Final = re.compile(
    r"\W{0,4}(?:exit(?:ed)?(?: with)?(?: code| status)?|returncode|status)\W{1,4}[1-9]", re.IGNORECASE
)
_OBJECT_CHARS_MAX: Final = 4_096


def _object(text: str) -> dict[str, JSON] | None:
    """The JSON object that the text is; None for text that only begins like one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def says_it_failed(text: str) -> bool:
    """True if a result opens with a word of failure, or is an object that says so in its own fields."""
    head = text[:256].lstrip()
    value = _object(text) if head.startswith("{") and len(text) <= _OBJECT_CHARS_MAX else None
    if value is None:
        return bool(_OPENINGS.match(head) or _NONZERO.match(head))
    bad = any(value.get(key) for key in ("error", "errors", "is_error", "isError"))
    return (
        bad or any(value.get(key) is False for key in ("ok", "success")) or value.get("status") in ("error", "failed")
    )
