"""Ranking: of the sentences that weigh, which leave last when there is no room for all.

A grade adds up what structure shows: names of things, a rule or a permission, a wish or a decision, a
number with its unit. An aside in brackets adds nothing, and a line of a log or of code, which is not
spoken, counts least. A grade orders; that a sentence weighs at all is said by `weights`.
"""

from __future__ import annotations

import re
from typing import Final

from cenotaph.core.handles import extract
from cenotaph.core.statements import common, polarity, weights

__all__ = ["MACHINE", "grade"]

_ASIDE: Final = re.compile(r"[ \t]*[(（][^()（）]{1,80}[)）]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ENDS: Final = (".", "!", "?", "。", "！", "？", "…")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")

_CODE_KINDS: Final = frozenset({"setting", "identifier", "time", "hash", "uuid"})
"""Kinds of handles that lines of logs and code are full of."""

_NAMES: Final = frozenset(
    {"path", "url", "endpoint", "host", "ip", "email", "uuid", "hash", "id", "version", "package", "setting", "error"}
)
"""Kinds of handles that name one thing."""

MACHINE: Final = 1
"""The grade of a line that nobody spoke."""

_RULE: Final = 3
_NAME: Final = 4
_WISH: Final = 3
_AMOUNT: Final = 2


def grade(sentence: str) -> int:
    """How late a sentence leaves: 0 if it does not weigh, `MACHINE` for a line of code, more for what binds."""
    if not weights(sentence):
        return 0
    core = _ASIDE.sub("", sentence)
    core = core if _WORD.search(core) else sentence
    reasons = weights(core)
    kinds = {handle.kind for handle in extract(core)}
    if not reasons or _is_code(core, kinds):
        return MACHINE
    points = MACHINE + sum(reason in reasons for reason in ("modality", "negation", "number"))
    points += _NAME if kinds & _NAMES else 0
    points += _WISH if reasons & {"preference", "decision"} else 0
    points += _RULE if polarity(core) != "none" else 0
    points += _AMOUNT if "number" in kinds else 0
    points += _AMOUNT if "unknown_language" in reasons else 0
    return points


def _is_code(line: str, kinds: set[str]) -> bool:
    """Next to no word of any language that we know, no end of a sentence, and the handles of code."""
    if _UNSPACED.search(line) or line.rstrip("*_`\"')").endswith(_ENDS):
        return False
    spoken = sum(map(common, _WORD.findall(line)))
    return spoken < 2 and (bool(kinds & _CODE_KINDS) or (not kinds and "unknown_language" in weights(line)))
