"""Whether a result says that its call failed, in formats that have no field for it.

A result taken for failed is one-shot: it is protected, covers no earlier read, and its write or plan
change counts as not made. So a doubt counts as failed; the cost is tokens, and few, since errors are
short: a word of failure anywhere counts in a short result, in a long one only where it opens.
"""

from __future__ import annotations

import json
import re
from typing import Final

from cenotaph.core.ids import JSON

_WORDS: Final = (
    r"errors?|err|exception|traceback|fail(?:ed|ure|s)?|fatal|rejected|refused|denied|forbidden|unauthorized|"
    r"invalid|cannot|can't|could ?n[o']t|unable|no such|no match(?:es)?|nothing was|timed? ?out|aborted|"
    r"not (?:found|permitted|allowed|changed|written|applied)|cancell?ed|blocked by|skipped|conflict|"
    r"modified since|awaiting|pending approval|"
    r"exit(?:ed)?(?: with)?(?: code| status)? ?[:=]? ?[1-9]\d*|(?:http|status)\S* [45]\d\d|[45]\d\d [A-Z][a-z]+|"
    r"e(?:noent|acces|perm|exist|timedout|connrefused)|\w{2,60}(?:error|exception)"
)
_OPENING: Final = re.compile(rf"\W{{0,8}}(?:\w+\W{{1,3}}){{0,3}}(?:{_WORDS})\b", re.IGNORECASE)
_ANYWHERE: Final = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)
_HARMLESS: Final = re.compile(
    r"\b(?:0|no|without|zero)[ \t]+(?:\w+[ \t]+)?(?:errors?|failures?|failed|exceptions?|conflicts?|skipped|matches)\b"
    r"|\b(?:errors?|failures?|failed|skipped)[ \t]*[:=][ \t]*(?:0|none|null|false|\[\])\b",
    re.IGNORECASE,
)
_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
_SHORT_CHARS_MAX: Final = 600
_HEAD_CHARS: Final = 200
_OBJECT_CHARS_MAX: Final = 4_096
_GOOD_STATES: Final = ("ok", "success", "succeeded", "done", "completed", "complete", "200", "0", "running", "")


def says_it_failed(text: str) -> bool:
    """True if a result says in its words, or in the fields of an object, that its call failed."""
    value = _json(text) if text.lstrip()[:1] in "{[" and len(text) <= _OBJECT_CHARS_MAX else None
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return any(_object_failed(item) for item in value)
    if isinstance(value, dict):
        return _object_failed(value)
    plain = _HARMLESS.sub("", _ANSI.sub("", text[:_SHORT_CHARS_MAX]))
    if len(text) <= _SHORT_CHARS_MAX:
        return bool(_ANYWHERE.search(plain))
    return bool(_OPENING.match(plain[:_HEAD_CHARS].lstrip()))


def _json(text: str) -> JSON:
    """The value that the text is; None for text that only begins like one."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _object_failed(value: dict[str, JSON]) -> bool:
    if any(value.get(key) for key in ("error", "errors", "is_error", "isError")) or value.get("type") == "error":
        return True
    if any(value.get(key) is False for key in ("ok", "success")):
        return True
    if any(value.get(key) not in (None, 0, "0", "") for key in ("exit_code", "exitCode", "returncode", "return_code")):
        return True
    status = value.get("status")
    if isinstance(status, int) and not isinstance(status, bool) and status >= 400:
        return True
    if isinstance(status, str) and status.lower() not in _GOOD_STATES and _ANYWHERE.search(status):
        return True
    said = [value[key] for key in ("message", "text", "detail", "output") if isinstance(value.get(key), str)]
    return any(says_it_failed(words) for words in said if not words.lstrip().startswith(("{", "[")))
