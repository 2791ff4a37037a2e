"""The settings of one line: `key: value`, `key = value`, `"key": value`, and a pair inside a sentence or a longer line.

A colon is punctuation far more often than it is the sign of a setting. So inside a line the key must stand where a
clause begins, or be no word of prose; the value must have a form of its own (a handle, a price, a quotation); and it
must end its clause, or the sentence goes on about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cenotaph.core.handles import words
from cenotaph.core.handles.kinds import Found
from cenotaph.limits import setting_value_chars_max

__all__ = ["QUOTED", "settings"]

QUOTED: Final = rf"\"[^\"\n]{{0,{setting_value_chars_max}}}+\"|'[^'\n]{{0,{setting_value_chars_max}}}+'"
_SCALAR: Final = r"-?\d[\w.]{0,60}+|true|false|null"
_JSON: Final = re.compile(rf"\"[^\"\n\\]{{1,80}}+\"\s?:\s?(?:{QUOTED}|(?:{_SCALAR})(?![\w.]))")
_YAML: Final = re.compile(
    rf"[ \t+]*+(?:-[ \t]++)?(?P<key>[A-Za-z_][\w./-]{{0,80}}+):[ \t]{{1,40}}+(?P<value>{QUOTED}"
    r"|\d[\d.,]{0,20}+[ \t](?P<unit>[A-Za-z%]{1,8}+)|[^\s\"'`#&|>\[\]{},;]\S{0,200}+)[ \t]*+,?(?:\s#.*+)?\s*+\Z"
)
_EQUAL: Final = re.compile(
    rf"(?<![\w.$/-])(?P<key>[A-Za-z_][\w.-]{{0,80}}+)[ \t]{{1,40}}+=[ \t]{{1,40}}+(?P<value>{QUOTED}"
    r"|-?\d[\w.%]{0,60}+(?![\w(])|true\b|false\b|True\b|False\b|None\b|null\b|nil\b|[~/][\w./~+%-]{1,200}+)"
)
_ASSIGNED: Final = re.compile(r"=[ \t]{1,40}+(?:[\"'\d~/-]|[tT]rue|[fF]alse|None|null|nil)")
"""What stands in every match of `_EQUAL`, behind its name."""
_MARKED: Final = re.compile(r"[\d_/.@:=-]")
_LEFT: Final = 48
"""How many characters to the left of a key are read for what it follows."""


def _is_pair(key: str, value: str, unit: str | None) -> bool:
    """Whether `key: value`, alone on its line, is a setting and not a remark or a type."""
    if key.lower() in words.KEYS_OF_PROSE or value in words.TYPE_NAMES:
        return False
    if unit is not None:
        return unit in words.UNITS
    if value[-1] in ":({[,;":
        return False
    if not _MARKED.search(key) and key[0].isupper():
        return bool(_MARKED.search(value[:-1])) or value[-1].isdigit()
    return value[-1] not in "?!" and (value[-1] != "." or value.count(".") > 1)


_INLINE: Final = re.compile(r"(?<![\w.$/@:-])(?P<key>[A-Za-z_][\w-]{0,31}+):[ ]{1,2}(?=[\w\"'`$€£¥~/.+-])")
_INLINE_QUOTED: Final = re.compile(rf"{QUOTED}|`[^`\n\"{{}}]{{1,{setting_value_chars_max}}}+`")
"""Code between backticks that holds names and values of its own is a quotation, and they are read alone."""
_PRICE: Final = re.compile(r"\d{1,3}(?:[.,]\d{3})*+[.,]\d\d[ ]?(?:EUR|USD|GBP|CHF|€|\$|£)(?!\w)")
_SIGNATURE: Final = re.compile(r"\s*+(?:async\s|export\s|pub\s|public\s|static\s)*+(?:def|fn|func|function|class)\s")
_VALUES: Final = frozenset(
    {"quote", "number", "id", "hash", "uuid", "path", "ip", "email", "version", "package", "time"}
)
"""Kinds that may be the value of a setting inside a sentence."""
_HEADS: Final = frozenset({"time", "hash", "id", "ip"})
"""Kinds that head a line of a log, and behind which a setting can begin."""
_CHOICE: Final = re.compile(r"\s*+(?:\||(?:,\s*+(?:or\s++)?+|or\s++)[\"'`])")
"""What follows a quotation that is one of several."""
_OVER: Final = re.compile(r"\s*+(?:[,;)\]}|]|\.(?!\w)|[-–—(]\s?|\Z)|  |\t|[ ](?P<word>[\w&]++)")


_NO_VALUE: Final = "", 0


def _within(line: str, found: list[Found]) -> list[Found]:
    """The settings inside a longer line: a key where a clause begins, and a value that has the form of one."""
    settings: list[Found] = []
    values: dict[int, tuple[str, int]] | None = None
    heads: set[int] = set()
    for match in _INLINE.finditer(line):
        key, at = match["key"], match.end()
        if key.lower() in words.KEYS_OF_REMARKS:
            continue
        if values is None:
            if _SIGNATURE.match(line):
                break  # types, not values
            values = {start: (kind, end) for kind, start, end in found}
            heads = {end for kind, _, end in found if kind in _HEADS}
        if values.get(match.start(), _NO_VALUE)[0] not in ("", "identifier"):
            continue  # a name of something, and a remark on it: `3f2a91c: 12 files`
        kind, end = _value(line, at, values)
        if kind in _VALUES and _leads(line, match.start(), key, heads) and _is_over(line, kind, key, at, end):
            settings.append(("setting", match.start(), end))
    return settings


def _value(line: str, at: int, values: dict[int, tuple[str, int]]) -> tuple[str, int]:
    """The kind and the end of what stands at the place of a value; no kind where it has no form of its own."""
    if quoted := _INLINE_QUOTED.match(line, at):
        return "quote", quoted.end()
    if price := _PRICE.match(line, at):
        return "number", price.end()
    return values.get(at, _NO_VALUE)


def _leads(line: str, start: int, key: str, heads: set[int]) -> bool:
    """Whether a clause begins at a key, or the key cannot be a word of the sentence before it."""
    floor = max(0, start - _LEFT)
    left = line[floor:start].rstrip(" \t")
    if not left or left[-1] in ",;:|([{.-–—*>" or _MARKED.search(key) or floor + len(left) in heads:
        return True
    return left.rsplit(None, 1)[-1].lower() in words.CLAUSE_LEADS


def _is_over(line: str, kind: str, key: str, start: int, end: int) -> bool:
    """Whether the value ends its clause, so that it is not the subject of a sentence behind the colon."""
    if line[end : end + 1] == ":":
        return False
    if kind == "number":
        return True
    marked = _MARKED.search(key) is not None
    if kind == "quote":
        plain = key[0].isupper() and not marked
        if _CHOICE.match(line, end) or (plain and not _MARKED.search(line[start:end])):
            return False
    behind = _OVER.match(line, end)
    if behind is None or (key[-1] == "s" and kind != "quote" and line.startswith(",", end)):
        return False  # the second is a list: `plugins: one, two`
    sure = marked or (kind == "id" and key.lower() in words.LONG_ID_NOUNS)
    return sure or behind["word"] is None or behind["word"].lower() in words.JOINTS


def _stated(line: str, found: list[Found]) -> list[Found]:
    """The settings of a line with a colon: the line itself, or what stands in it as JSON or inside a sentence."""
    settings: list[Found] = []
    if ": " in line or ":\t" in line:
        pair = _YAML.match(line)
        if pair is not None and _is_pair(pair["key"], pair["value"], pair["unit"]):
            return [("setting", pair.start("key"), pair.end("value"))]
        settings = _within(line, found)
    if '":' in line or '" :' in line:
        settings += [("setting", *item.span()) for item in _JSON.finditer(line)]
    return settings


def _assigned(line: str) -> Iterator[Found]:
    """The settings of a line that are written with ` = `."""
    begin = len(line) - len(line.lstrip(" \t+"))
    for pair in _EQUAL.finditer(line):
        at = pair.start()
        if _MARKED.search(pair["key"]) or (at - begin <= _LEFT and _opens(line[begin:at])):
            yield "setting", *pair.span()


def _opens(before: str) -> bool:
    """Whether what stands before a name at the head of a line leaves it there: nothing, or a declaration."""
    return not before.strip(" \t+-") or _DECLARED.fullmatch(before) is not None


_DECLARED: Final = re.compile(r"(?:export|const|let|var|final|static|set|SET|local|readonly|- )\s*")


def settings(line: str, found: list[Found]) -> list[Found]:
    """The settings of a line; they may overlap one another and the other handles.

    Args:
        line: One line, without its end.
        found: The handles of its chunks: the values that a setting inside a sentence can have.
    """
    pairs = _stated(line, found) if ":" in line else []
    if " = " in line and _ASSIGNED.search(line):
        pairs.extend(_assigned(line))
    return pairs
