"""The grammar of one line: the handles of its chunks, and those that a chunk has only together with its neighbours.

Settings (`key: value`, `key = value`, `"key": value`), numbers with a name or a unit, dates with a space in them,
endpoints, URLs. Each is looked for where its rare part stands (a sign, a digit, a method), so a line is passed once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, compress, count, islice
from typing import Final, TypeVar

from cenotaph.core.handles import words
from cenotaph.core.handles.kinds import Found
from cenotaph.core.handles.settings import QUOTED, settings
from cenotaph.core.handles.tokens import CHUNK, OPEN_NAME, Chunk, Shape, read_chunk
from cenotaph.limits import (
    chunk_chars_remembered_max,
    chunks_remembered_max,
    handle_chars_max,
    lines_at_once_max,
)

__all__ = ["forget", "read_line", "read_lines"]

# Numbers, dates and times -------------------------------------------------------------------

_CLOCK: Final = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?"
_TIME: Final = re.compile(
    rf"(?:\d{{4}}[-/.]\d\d[-/.]\d\d(?:[T ]{_CLOCK})?|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}}(?:[ ]{_CLOCK})?"
    rf"|\d{{1,2}}/[A-Z][a-z]{{2}}/\d{{4}}(?::{_CLOCK})?|(?P<clock>{_CLOCK})(?:[ ]?(?P<half>[ap]\.?m\b))?)"
    r"(?:[ ]?Z\b|[ ]?[+-]\d\d:?\d\d\b|[ ]UTC\b)?(?![\w:/]|[.,-]\d)"
)
_MONTH_DATE: Final = re.compile(rf"[A-Z][a-z]{{2,8}}\.?[ ]{{1,2}}\d{{1,2}}(?:(?:,[ ]|[ ]){_CLOCK})?(?:,?[ ]\d{{4}}\b)?")
_DAY_DATE: Final = re.compile(r"\d{1,2}\.?[ ](?P<month>[A-Z][a-z]{2,8})\.?[ ]\d{4}\b")
_NUMBER: Final = re.compile(r"[+-]?(?P<sign>[$€£¥])?\d++(?:,\d{3}(?!\d))*+(?:\.\d++)?+")
_DURATION: Final = re.compile(r"\d{1,4}(?:h\d{1,2}m?|m\d{1,2}(?:\.\d+)?s|h\d{1,2}m\d{1,2}s)(?![\w.])")
_UNIT: Final = re.compile(r"([ ])?([^\W\d_]{1,15}(?:/s)?|[%$€£¥]|°[CF])(?![\w/]|[.-]\w)")
_VERSIONED: Final = re.compile(r"\d++\.\d++(?:\.x)?(?![\w-]|\.\w)")
_REASON: Final = re.compile(rf"[45]\d\d (?:{words.REASONS})(?!\w)")
_STATUS: Final = re.compile(r"[1-5]\d\d")
_CODES: Final = frozenset({"exit", "status", "error", "return", "response"})
_SQLSTATE: Final = re.compile(r"[0-9A-Z]{5}(?!\w)")
_LEFT: Final = 48
"""How many characters to the left of a number are read for its name."""
_ENDS_CLAUSE: Final = frozenset(".;,|()\"'!?")
_NAMES: Final = (
    words.MONTHS
    | words.VERSION_NOUNS
    | words.LONG_ID_NOUNS
    | words.COUNTERS
    | words.NUMBER_NOUNS
    | words.LINKS
    | {"the", "http", "status", "errno", "code", "sqlstate", ""}
)
_NAME_PARTS: Final = words.NUMBER_MODIFIERS | words.NUMBER_NOUNS
_BEFORE_PARTS: Final = words.MONTHS | words.VERSION_NOUNS | {"sqlstate"}
_BEFORE_CODES: Final = words.LONG_ID_NOUNS | words.COUNTERS | {"errno", "code", "status", "http"}


class _Role:
    """What the word before a number may make of it; bits."""

    SOME: Final = 1
    """Anything: the words before the number are to be read."""
    PART: Final = 2
    """A date, a version or a state (`_after_word`)."""
    CODE: Final = 4
    """An error code or an id (`_coded`)."""
    NAME: Final = 8
    """A named number (`_name_length`)."""


def _role(word: str) -> int:
    low = word.lower()
    if low.strip(":=#.,") not in _NAMES:
        return 0
    role = _Role.SOME
    if low.rstrip(".,:") in _BEFORE_PARTS:
        role |= _Role.PART
    if low.rstrip(":#") in _BEFORE_CODES:
        role |= _Role.CODE
    if low in words.LINKS or low.strip(":=") in words.NUMBER_NOUNS:
        role |= _Role.NAME
    return role


def _words_before(line: str, start: int) -> list[str]:
    """Up to five words before `start`, nearest first, none beyond its clause; empty where the nearest names nothing."""
    left = line[max(0, start - _LEFT) : start].rsplit(None, 5)
    if not left or not _ROLES[left[-1]]:
        return []
    left.reverse()
    for place, word in enumerate(left[:5]):
        if word[-1] in _ENDS_CLAUSE and word.lower() not in words.LINKS:
            return left[:place] if place else ([word] if word[-1] == "." and word[:-1].lower() in words.MONTHS else [])
    return left[:5]


def _place_of(line: str, start: int, before: list[str], count: int) -> int:
    """Where the `count`-th word before `start` begins."""
    for word in before[:count]:
        start = line.rindex(word, 0, start)
    return start


def _name_length(before: list[str]) -> int:
    """How many words before a number are its name, with what links them (`budget cap is`); 0 for none."""
    at = 0
    while at < len(before) and at < 3 and before[at].lower() in words.LINKS:
        at += 1
    if at == len(before) or before[at].strip(":=").lower() not in words.NUMBER_NOUNS:
        return 0
    at += 1
    while at < len(before) and before[at].lower() in _NAME_PARTS:
        at += 1
    return at


def _coded(before: list[str], number: str) -> tuple[str, int] | None:
    """What the word before a plain number makes of it, an error code or an id; and how many words belong to it."""
    low = before[0].lower().rstrip(":#")
    second = before[1].lower() if len(before) > 1 else ""
    if low == "errno" or (before[0] in ("HTTP", "status", "Status", "status:") and _STATUS.fullmatch(number)):
        return "error", 1
    if low in ("code", "status") and second in _CODES:
        return "error", 2
    if not number.isdigit():
        return None
    if low in words.ID_NOUNS:
        return "id", 2 if low == "request" and second == "pull" else 1
    length = _long_named(before, number)
    return ("id", length) if length else None


def _long_named(before: list[str], number: str) -> int:
    """How many words before a long number are its name (`customer number`, `serial no.`); 0 for none."""
    if len(number) < _ID_DIGITS_MIN:
        return 0
    at = 0
    while at < len(before) and before[at].lower().rstrip(":") in words.COUNTERS:
        at += 1
    if at < len(before) and before[at].lower().rstrip(":#") in words.LONG_ID_NOUNS:
        return at + 1
    return at if at and before[0].lower().rstrip(":") == "id" else 0


_ID_DIGITS_MIN: Final = 6
_SURE_DIGITS_MIN: Final = 8
"""Digits from which a number before a word in -s is a name all the same, and the word a verb."""
_THINGS: Final = re.compile(r"[ ](?P<thing>[a-z]{2,40}+)(?!\w)(?P<whole>[ ]\d)?")
_MONTH_BEHIND: Final = re.compile(r"[ ]([A-Z][a-z]{2})[ ]{1,2}\d")
_RISING: Final = "01234567890123456789"
_FALLING: Final = _RISING[::-1]


def _long(number: str, line: str, end: int) -> str | None:
    """What a plain number is by its length alone: an id, or a day; None for a short one and for a count.

    Round numbers, digits that count up or down, and one digit repeated are no names.
    """
    if len(number) < _ID_DIGITS_MIN or not (number.isascii() and number.isdigit()):
        return None
    if number.endswith("000") or number in words.FILE_MODES or number in _RISING or number in _FALLING:
        return None
    if len(set(number)) == 1 or _counts(line, end, len(number)):
        return None
    day = len(number) == 8 and number[:2] in ("19", "20") and "01" <= number[4:6] <= "12" and "01" <= number[6:] <= "31"
    return "time" if day else "id"


def _counts(line: str, end: int, digits: int) -> bool:
    """Whether what follows a number makes it a count of things, or the size before a date in a list of files."""
    word = _THINGS.match(line, end)
    if word is None:
        month = _MONTH_BEHIND.match(line, end)
        return month is not None and month[1].lower() in words.MONTHS
    thing = word["thing"]
    if thing == "people" or (thing == "of" and word["whole"]):
        return True
    return digits < _SURE_DIGITS_MIN and thing[-1] == "s" and thing[-2] != "s" and thing not in words.VERBS_IN_S


def _time(line: str, start: int) -> Found | None:
    match = _TIME.match(line, start)
    if match is None:
        return None
    if (clock := match["clock"]) is not None:
        hour, minute, *rest = clock.split(":")
        if int(hour) > 23 or int(minute) > 59 or (len(hour) == 1 and not match["half"] and not rest):
            return None
    return "time", start, match.end()


def _number(line: str, start: int, end: int) -> Found | None:
    """What a chunk that begins like a number is, by the words around it; None for a bare number."""
    plain = line[start:end].isdigit()
    if not plain:
        if (time := _time(line, start)) is not None:
            return time
        if (duration := _DURATION.match(line, start)) is not None:
            return "number", start, duration.end()
    elif end - start < 3 and (day := _DAY_DATE.match(line, start)) and day["month"].lower() in words.MONTHS:
        return "time", start, day.end()
    elif end - start == 3 and (reason := _REASON.match(line, start)):
        return "error", start, reason.end()
    before = _words_before(line, start)
    role = _ROLES[before[0]] if before else 0
    if role & _Role.PART and (named := _after_word(line, start, before)) is not None:
        return named
    match = _NUMBER.match(line, start)
    return None if match is None else _amount(line, match, before, role)


def _after_word(line: str, start: int, before: list[str]) -> Found | None:
    """A date by its month, a version by its product, a state by `SQLSTATE`."""
    low = before[0].lower().rstrip(".,:")
    if low in words.MONTHS and (month := _MONTH_DATE.match(line, first := _place_of(line, start, before, 1))):
        return "time", first, month.end()
    if low in words.VERSION_NOUNS and (version := _VERSIONED.match(line, start)):
        return "version", start, version.end()
    if low == "sqlstate" and (state := _SQLSTATE.match(line, start)):
        return "error", _place_of(line, start, before, 1), state.end()
    return None


def _amount(line: str, match: re.Match[str], before: list[str], role: int) -> Found | None:
    """A number with a code word, a name, a unit or a currency."""
    start, end = match.span()
    sign = match["sign"]
    unit = _unit(line, end)
    if not unit and _continues(line, end):
        return None
    if role & _Role.CODE:
        number = match.group()
        if not unit and not sign and (coded := _coded(before, number)):
            return coded[0], _place_of(line, start, before, coded[1]), end
        if line.startswith(" ", end) and number.isdigit() and (length := _long_named(before, number)):
            return "id", _place_of(line, start, before, length), end  # `case 5512907 failed`
    if role & _Role.NAME:
        if before[0] == "of" and len(before) > 1 and before[1][0].isdigit():
            return None  # the whole of a fraction: "3 of 11 files"
        if length := _name_length(before):
            return "number", _place_of(line, start, before, length), unit or end
    if not (unit or sign):
        kind = _long(match.group(), line, end)
        return None if kind is None else (kind, start, end)
    if _is_decade(line[start : unit or end], before):
        return None
    if sign == "$" and end - start == 2 and not unit:
        return None  # `$1` is a parameter
    return "number", start, unit or end


def _is_decade(text: str, before: list[str]) -> bool:
    """`1990s`, `the 80s`, and the generations of mobile networks."""
    if text[-1] == "G" and len(text) == 2:
        return True
    return text[-2:] == "0s" and (len(text) == 5 or (bool(before) and before[0] == "the"))


def _unit(line: str, end: int) -> int:
    """Where the unit behind a number ends, or 0."""
    match = _UNIT.match(line, end)
    if match is None or match[2] not in words.UNITS or (match[1] and match[2] in words.ATTACHED_ONLY):
        return 0
    return match.end()


def _continues(line: str, end: int) -> bool:
    """Whether what looks like a number is the beginning of something else."""
    rest = line[end : end + 2]
    if not rest:
        return False
    return rest[0].isalnum() or rest[0] in "_:/-%+*=#@~\\" or (rest[0] == "." and rest[1:].isalnum())


# Chunks with neighbours ---------------------------------------------------------------------

_URL: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{0,30}://(?=[\w\[~/%-])[^\s\"'`<>\\^{}|\u3001\u3002\uff0c\uff09]{1,2048}+"
)
_OPEN_VALUE: Final = re.compile(QUOTED)
_METHOD: Final = re.compile(r"(?<![\w-])(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE)[ ]{1,2}\Z")
_TARGET: Final = re.compile(r"/[^\s\"'`<>\\]{0,2048}+")
_PORT: Final = re.compile(r"\]:\d{1,5}(?!\d)|\]")
_CALL: Final = re.compile(r"(?<![\w.$-])[A-Za-z_][\w.]{0,255}+\(\)")
_REQUIRED: Final = re.compile(r"(?<![\w.$-])[A-Za-z][\w.-]{2,80}+(?:\[[\w,-]{1,60}\])?[><~!]=\d++\.\d[\w.*]*+")
_AT_LEAST: Final = re.compile(r"(?<=[\s\"'(,])[><~]=(\d++(?:\.\d++){1,3})(?![\w.%])")
_TRAILING: Final = ".,;:!?)]}>*_~"
_PAIRS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}


def _trimmed(line: str, start: int, end: int) -> int:
    """The end without the punctuation of the sentence around; a bracket that the value itself opened stays."""
    counts: dict[str, int] = {}
    while end > start and (closing := line[end - 1]) in _TRAILING:
        opening = _PAIRS.get(closing)
        if opening:
            if closing not in counts:
                counts[closing] = line.count(closing, start, end) - line.count(opening, start, end)
            if counts[closing] <= 0:
                break
            counts[closing] -= 1
        end -= 1
    return end


def _method(line: str, start: int) -> int | None:
    """Where the HTTP method before a target begins, or None."""
    if line[start - 1 : start] != " ":
        return None
    floor = max(0, start - 10)
    match = _METHOD.search(line[floor:start])
    return None if match is None else floor + match.start()


def _url(line: str, start: int, end: int) -> Iterator[Found]:
    """The URLs of a chunk that holds `://`, each to its end in the line, with the name or method before it."""
    while (at := line.find("://", start, end)) >= 0:
        match = _URL.search(line, max(start, at - 31))
        if match is None or match.start() > at:
            yield from _before_comment(line, start, at)
        if match is None:
            return
        begin = match.start()
        if begin > at:
            start = at + 3
            continue
        stop = _trimmed(line, begin, match.end())
        name = line[start:begin]
        if name.endswith("=") and OPEN_NAME.fullmatch(name):
            yield "setting", start, stop
        elif (method := _method(line, begin)) is not None:
            yield "endpoint", method, stop
        elif stop > at + 3:
            yield "url", begin, stop
        start = max(stop, at + 3)


def _before_comment(line: str, start: int, end: int) -> Iterator[Found]:
    """What stands before `://` that begins no URL, as in the finds of a search: `src/app.go:113:// text`."""
    read = read_chunk(line[start:end])
    if read is not None and read[0] == Shape.WHOLE:
        yield from ((kind, start + first, start + last) for kind, first, last in read[1])


_SECTION: Final = re.compile(
    r"(?:[Ss]ec(?:tion|tions|\.)|[Cc]hapter|[Ff]ig(?:ure|\.)|[Tt]able|[Aa]ppendix|[Cc]lause|§)\s{0,3}\Z"
)
_TITLE: Final = re.compile(r"\.?[ \t]+[A-Z][a-z]")


def _is_section(line: str, start: int, end: int) -> bool:
    """Whether three numbers with dots count a part of a document: by the word before, or at the head of a title."""
    if _SECTION.search(line[max(0, start - 16) : start]):
        return True
    return not line[max(0, start - 9) : start].strip("# \t") and start < 9 and _TITLE.match(line, end) is not None


def _neighbours(line: str, start: int, end: int, chunk: Chunk) -> Iterator[Found]:
    """The handles of a chunk whose line decides."""
    shape, found = chunk
    if shape == Shape.URL:
        yield from _url(line, start, end)
        return
    if shape == Shape.OPEN:
        value = _OPEN_VALUE.match(line, end)
        if value is not None:
            yield "setting", start, value.end()
        return
    if shape == Shape.SLASH and line[start - 1 : start] == "<":
        return  # a closing tag
    if shape == Shape.SLASH and (method := _method(line, start)) is not None:
        target = _TARGET.match(line, start)
        yield "endpoint", method, end if target is None else _trimmed(line, start, target.end())
        return
    if shape == Shape.UNIT and (line.startswith("(", end) or line.startswith(" = ", end)):
        yield "identifier", start, end  # it is called, or assigned
        return
    if shape == Shape.OUTLINE and _is_section(line, start, end):
        return
    for kind, first, last in found:
        begin, stop = start + first, start + last
        if shape == Shape.BRACKET and line[begin - 1 : begin] == "[" and (port := _PORT.match(line, stop)):
            begin, stop = begin - 1, port.end()
        yield kind, begin, stop


# Lines ----------------------------------------------------------------------------------------

_Read = TypeVar("_Read")


class _Remembered(dict[str, _Read]):
    """What a function says of short strings, each asked once.

    Of two halves the older one is forgotten when the younger is full; what is asked for again moves to the younger.
    """

    def __init__(self, read: Callable[[str], _Read]) -> None:
        super().__init__()
        self._read = read
        self._older: dict[str, _Read] = {}

    def __missing__(self, text: str) -> _Read:
        read = self._older[text] if text in self._older else self._read(text)
        if len(text) <= chunk_chars_remembered_max:
            if len(self) >= chunks_remembered_max // 2:
                self._older = dict(self)
                super().clear()
            self[text] = read
        return read

    def clear(self) -> None:
        super().clear()
        self._older = {}


_LINE: Final[Chunk] = Shape.LINE, ()


def _chunk(text: str) -> Chunk | None:
    """A chunk, as it stands alone: a number with what it is where the words beside it say nothing."""
    if text == "\n":
        return _LINE
    read = read_chunk(text)
    if read is None or read[0] != Shape.NUMBER or (len(text) < _ID_DIGITS_MIN and text.isdigit()):
        return read
    number = _number(text, 0, len(text))
    return Shape.NUMBER, () if number is None else (number,)


def _names(before: str) -> bool:
    """Whether a number behind this text may be read with the words before it (see `_words_before`)."""
    if before == "\n" or not (before[-1:].isspace() or before[-1:] == ","):
        return False
    left = before[-_LEFT:].rsplit(None, 1)
    return not left or bool(_ROLES[left[-1]])


def _follows(behind: str) -> bool:
    """Whether a number before this text may be read with it: a unit, or more of a number, a date or a time."""
    first = behind[1:2]
    if behind[:1] == ",":
        return first.isdigit()
    if behind[:1] != " ":
        return False
    half = first in ("a", "p") and behind[2:3] in ("m", ".")
    if half or first.isdigit() or first.isupper() or first in ("+", "-"):
        return True
    return bool(_unit(behind, 0)) or _counts(behind, 0, _ID_DIGITS_MIN)


_ROLES: Final = _Remembered(_role)
_CHUNKS: Final = _Remembered(_chunk)
_NAMING: Final = _Remembered(_names)
_FOLLOWING: Final = _Remembered(_follows)


def forget() -> None:
    """Drops what is remembered between texts; the next text is read as the first one was."""
    for remembered in (_ROLES, _CHUNKS, _NAMING, _FOLLOWING):
        remembered.clear()


def _has_context(gaps: Sequence[str], chunks: Sequence[str], index: int) -> bool:
    """Whether what stands beside the number at `index` may change what it is."""
    gap = gaps[index]
    if len(gap) > 1:
        if _NAMING[gap]:
            return True
    elif gap:
        before = chunks[index - 1]
        if not before[-1].isdigit() and _NAMING[before + gap]:  # no name ends in a digit
            return True
    gap = gaps[index + 1]
    if len(gap) > 1:
        return _FOLLOWING[gap]
    behind = chunks[index + 1]
    return gap in (" ", ",") and (behind[:1].isdigit() or _FOLLOWING[gap + behind])


def _together(line: str, found: list[Found], plain: bool) -> list[Found]:
    """The handles of a line, from those of its chunks and those that are made of several."""
    if ":" not in line and "=" not in line and "()" not in line:
        return found if plain else _disjoint(found)
    wide = settings(line, found)
    if ">=" in line or "<=" in line or "~=" in line:
        wide.extend(("package", *match.span()) for match in _REQUIRED.finditer(line))
        wide.extend(("version", *match.span(1)) for match in _AT_LEAST.finditer(line))
    if "()" in line:
        wide.extend(("identifier", *match.span()) for match in _CALL.finditer(line))
    if wide:
        return _disjoint(wide + found)
    return found if plain else _disjoint(found)


_LINE_BEGINS: Final = Shape.LINE
_NUMBER_BEGINS: Final = Shape.NUMBER
_SETTLED: Final = (Shape.WHOLE, Shape.NUMBER)


def _read_together(lines: Sequence[str]) -> Iterator[list[Found]]:
    """The handles of each line."""
    parts = CHUNK.split("\n".join(["", *lines, ""]))  # nothing, a gap, a chunk; and so on
    gaps, chunks = parts[1::3], parts[2::3]
    reads = list(map(_CHUNKS.__getitem__, chunks))
    starts = islice(accumulate(map(len, parts)), 1, None, 3)
    remaining = iter(lines)
    base, line = 0, ""
    found: list[Found] = []
    plain = True  # whether the handles so far are ascending and disjoint for certain
    for index, place, chunk in compress(zip(count(), starts, reads, strict=False), reads):
        assert chunk is not None  # `compress` leaves those out
        shape, alone = chunk
        start = place - base
        if shape == _LINE_BEGINS:
            if index:
                yield _together(line, found, plain)
            base, line = place + 1, next(remaining, "")
            found, plain = [], True
        elif shape == _NUMBER_BEGINS and _has_context(gaps, chunks, index):
            end = start + len(chunks[index])
            number = _number(line, start, end)
            if number is not None:
                plain = plain and number[1] >= start and number[2] <= end
                found.append(number)
        elif shape in _SETTLED:
            for kind, first, last in alone:
                found.append((kind, start + first, start + last))
        else:
            plain = False
            found.extend(_neighbours(line, start, start + len(chunks[index]), chunk))


def read_lines(lines: Iterable[str]) -> dict[str, list[Found]]:
    """The handles of each line that has any: ascending, disjoint; of two that overlap the one that begins first, then
    the longer. Equal lines are read once.

    Args:
        lines: Lines without their ends.
    """
    known: dict[str, list[Found]] = {}
    distinct = list(dict.fromkeys(lines))
    for first in range(0, len(distinct), lines_at_once_max):
        some = distinct[first : first + lines_at_once_max]
        known.update(pair for pair in zip(some, _read_together(some), strict=True) if pair[1])
    return known


def read_line(line: str) -> list[Found]:
    """The handles of one line, as `read_lines` gives them."""
    return next(_read_together([line]))


def _disjoint(found: list[Found]) -> list[Found]:
    """Of handles that overlap the one that begins first, then the longer; none beyond `handle_chars_max`."""
    done = 0
    for _, start, end in found:
        if start < done or end - start > handle_chars_max:
            break
        done = end
    else:
        return found  # as most lines are
    found.sort(key=_place)
    kept: list[Found] = []
    done = 0
    for handle in found:
        if handle[1] >= done and handle[2] - handle[1] <= handle_chars_max:
            kept.append(handle)
            done = handle[2]
    return kept


def _place(handle: Found) -> tuple[int, int]:
    return handle[1], -handle[2]
