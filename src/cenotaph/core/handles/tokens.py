"""The grammar of one chunk: what stands between spaces, quotes and brackets, read without its neighbours.

A text repeats its chunks (in real code 30 times on average), so each is read once and remembered. Every rule here looks
at the chunk alone; what needs the words around it (a number, a date with a space in it) is only given a shape, and
`sentences` decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

from cenotaph.core.handles import words
from cenotaph.core.handles.kinds import Found
from cenotaph.limits import handle_chars_max

__all__ = ["CHUNK", "OPEN_NAME", "Chunk", "Shape", "read_chunk"]

SEPARATORS: Final = (
    r"\x00-\x09\x0b-\x20\"'`(){}\[\]<>|,;\x7f-\xa0\u2000-\u200d\u2028\u2029\u202f\u205f\u3000\ufeff\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb\u2039\u203a\u300c-\u300f"
    r"\u3001\u3002\uff01\uff1f\uff1b\uff1a\uff0c\uff08\uff09\u3010\u3011\u300a\u300b\u2026\u2192\u2190\u00b7\u2022"
)
"""What ends a chunk, and a line feed does too; as the inside of a character class."""

CHUNK: Final = re.compile(
    rf"([{SEPARATORS}]*+(?:[A-Za-z]?[a-z]*+[.:]?+(?=[{SEPARATORS}])[{SEPARATORS}]++)*+)(\n|[^\n{SEPARATORS}]*+)"
)
"""A line feed or the next chunk that may hold a handle (group 2), empty at the end; and what stands before it (group
1): separators, and the plain words that are passed over. It matches everywhere, so no place is tried twice."""

OPEN_NAME: Final = re.compile(r"(?:--?)?[A-Za-z_][\w.-]{0,80}=")
"""The name of a setting whose value is quoted."""


class Shape:
    """What of a chunk only its line can decide. Plain numbers: of tuples of those the collector keeps no track."""

    WHOLE: Final = 0
    """Nothing: its handles are final."""
    NUMBER: Final = 1
    """Begins like a number, a date or a time."""
    URL: Final = 2
    """Holds `://`; a URL may run on past the chunk's end."""
    SLASH: Final = 3
    """Begins with a slash: an endpoint, if a method stands before it."""
    OPEN: Final = 4
    """Ends in `=`: a quoted value may follow."""
    BRACKET: Final = 5
    """An IPv6 address, which may stand in brackets with a port behind."""
    OUTLINE: Final = 6
    """Three numbers with dots: a version, or the number of a section."""
    UNIT: Final = 7
    """The name of a system unit, or an attribute (`app.mount`)."""
    LINE: Final = 8
    """No chunk: a line begins."""


Chunk = tuple[int, tuple[Found, ...]]
"""One chunk, read: its shape, and its handles with offsets in the chunk."""

_A_NUMBER: Final[Chunk] = Shape.NUMBER, ()

_LOCATION: Final = r"(?:\#L\d+(?:-L?\d+)?|(?:::\w+)++|:\d+(?:[:-]\d+)?+)?+(?![\w])"

# Order is precedence: at one place the first alternative that matches is asked, and no other. All quantifiers over the
# same characters are possessive or bounded and every alternative has a left edge that a run crosses once, so a chunk
# costs a bounded number of steps per character. Beside each stands a mark without which it cannot match ("0": a digit,
# "@": one of `_SIGNS`, ":": a colon or one of those, "": none), so that `_tokens` can leave out what no chunk with
# other marks can hold.
_ALTERNATIVES: Final[tuple[tuple[str, str], ...]] = (
    ("-", r"""(?P<uuid> (?<![\w-]) [0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12} (?![\w-]) )"""),
    ("-", r"""(?P<card> (?<![\w-]) (?=[\d-]*+[A-Fa-f]) [0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5} (?![\w-]) )"""),
    (
        ":",
        r"""(?P<pairs> (?<![\w:.-]) (?>(?:(?i:md5|sha-?(?:1|256|384|512)):)?+ [0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){3,63}+)
        (?![\w:]|[.-]\w) )""",
    ),
    (":", r"""(?P<print> (?<![\w:.-]) SHA256:[A-Za-z0-9+/]{43} (?![\w+/]) )"""),
    (":", r"""(?P<arn> (?<![\w:-]) arn:aws[a-z-]*+:[\w:/.*+@-]++ )"""),
    (
        ":",
        r"""(?P<package> (?<![\w@./-])
        (?:@[\w.-]{1,80}/)? (?>[A-Za-z][\w.-]{0,80}) (?>(?:/[\w.-]{1,80}){0,4})
        (?: @[\^~]?v?\d[\w.+-]*+ | ==\d++[.*][\w.*+-]*+ | :v\d[\w.+-]*+ | :\d++(?:\.[\w.+-]++|-[a-z][\w.+-]*+) )
        (?![\w@/:]) )""",
    ),
    ("@", r"""(?P<git> (?<![\w.@-]) [\w.-]{1,64}+@[\w.-]{1,255}+:(?=[\w.~-]*+/)[\w.~/-]++ )"""),
    ("@", r"""(?P<email> (?<![\w.+@:/-]) [\w.+-]{1,64}+@[A-Za-z0-9][\w-]{0,62}+(?:\.[\w-]{1,63}+)++ )"""),
    ("@", r"""(?P<setting> (?<![\w.$/@?&=:-]) (?:--?)?[A-Za-z_][\w.-]{0,80}+=(?![=>~]).++ )"""),
    ("-", r"""(?P<flag> (?<![\w-]) --[a-z][\w-]{0,60}+ (?![\w./=]) )"""),
    (
        "",
        r"""(?P<hash> (?<![\w-])(?:(?<!\.)|(?<=\.\.))
        (?:(?:sha(?:1|256|384|512)|md5):[0-9a-fA-F]{6,128}+ | 0x[0-9a-fA-F]{6,64}+
        | [0-9a-f]{7,128}+ | [0-9A-F]{7,128}+) (?![\w-]|\.\w) )""",
    ),
    (
        ".",
        r"""(?P<ipv4> (?<![\w.-]) \d{1,3}(?:\.\d{1,3}){3} (?:/\d{1,2}(?![\d.]))?+
        (?::\d{1,5})?+ (?![\w-]|\.\d) )""",
    ),
    (
        ":",
        r"""(?P<ipv6> (?<![\w:.]) (?:[0-9a-fA-F]{0,4}:){2,7}(?:[0-9a-fA-F]{1,4})?+ (?:%\w+)? (?:/\d{1,3})?+
        (?![\w:.]) )""",
    ),
    (
        "0",
        r"""(?P<date> ^ [+-]?\d{4}[-/.]\d\d[-/.]\d\d(?![\d.]) | ^ \d{1,2}[./]\d{1,2}[./]\d{4}(?!\d)
        | ^ \d{1,2}/[A-Z][a-z]{2}/\d{4} | ^ \d{1,2}:\d\d(?!\d) )""",
    ),
    (
        "@",
        rf"""(?P<drive> (?<![\w]) [A-Za-z]:\\[\w.\\$~@%+-]++ {_LOCATION}
        | (?<![\w\\]) \\\\(?>[\w.-]+)\\[\w.\\$~@%+-]++ )""",
    ),
    (
        "/",
        rf"""(?P<path> (?<![\w.~@%*\\/+]) (?>(?:[\w.~@%+$][\w.~@%+$-]{{0,255}})?)
        (?>(?:/[\w.@%+~-]*+)++) (?<![.-]) {_LOCATION} )""",
    ),
    (
        "0",
        r"""(?P<version> (?<![\w.+-]) (?: v\d++(?:\.\d++){0,3} | \d++\.\d++\.\d++(?:\.\d++)? )
        (?:[-+.]?(?:rc|alpha|beta|dev|post|pre|a|b|canary|next|nightly|snapshot|SNAPSHOT)[\w.+-]*+)?+ (?:\+[\w.]++)?+
        (?![\w-]|[.:/]\w) )""",
    ),
    ("@", r"""(?P<bound> (?<![\w.<>=)]) \^\d++\.\d++ (?![\w.%]) )"""),
    (
        "0",
        r"""(?P<model> (?<![\w.-])
        (?:gpt|claude|gemini|llama|mistral|mixtral|qwen|deepseek|grok|phi|gemma|codex|whisper|kimi
        |text-embedding|command|glm|titan|nova)
        (?:-(?:sonnet|opus|haiku|pro|flash|ultra|large|small|medium|tiny|mini|nano
        |turbo|coder|chat|instruct|embedding|instant|vision|lite|code)){0,3} -?[vrkoR]?\d[\w.-]{0,60}+ (?![\w/]) )""",
    ),
    (
        "-",
        r"""(?P<release> (?<![\w.@-]) (?>[A-Za-z][A-Za-z0-9_]{2,40}(?:-[A-Za-z][A-Za-z0-9_]{0,40}){0,4})
        -v?\d++\.\d++[\w.+]*+
        (?![\w/:-]) )""",
    ),
    ("-", r"""(?P<change> (?<![\w#/-]) (?:CVE-\d{4}-\d{4,7} | [A-Z]{2,10}+-\d{1,18}+) (?![\w-]|\.\d) )"""),
    ("@", r"""(?P<ref> (?<![\w\#&/]) [#!]\d{1,7} (?![\w.-]) )"""),
    (
        "-",
        r"""(?P<resource> (?<![\w.-]) (?:i|vol|sg|vpc|subnet|ami|eni|snap|rtb|igw|acl|eipalloc)-[0-9a-f]{8,17}
        (?![\w-]) )""",
    ),
    (":", r"""(?P<named> (?<![\w.-]) [A-Za-z][a-z_]{2,20}+[:=]\d++ (?![\w.:/]) )"""),
    (":", r"""(?P<port> (?<![\w.-]) (?>[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,8}):\d{2,5} (?![\w.:]) )"""),
    (
        ".",
        r"""(?P<dotted> (?<![\w.@$-]) (?>[A-Za-z_][\w-]{0,80}(?:\.[A-Za-z_][\w-]{0,80})+)
        (?: (?<=\w):[A-Za-z_]\w*+)? (?![\w@]|\.\w) )""",
    ),
    ("", rf"""(?P<file> (?<![\w.@$/\\-]) \.?(?>[\w@+%~-][\w.@+%~-]{{0,200}}) (?<=\w) {_LOCATION} )"""),
)
_SIGNS: Final = frozenset("@=^#!\\")
_ALL_MARKS: Final = "@:0.-/"
_DIGIT: Final = re.compile(r"\d")


def _marks(chunk: str) -> str:
    """Which marks of `_ALTERNATIVES` a chunk holds; one with a sign is taken to hold all, which keeps patterns few."""
    if not _SIGNS.isdisjoint(chunk):
        return _ALL_MARKS
    marks = ":" if ":" in chunk else ""
    if _DIGIT.search(chunk):
        marks += "0"
    if "." in chunk:
        marks += "."
    if "-" in chunk:
        marks += "-"
    return marks + "/" if "/" in chunk else marks


@cache
def _tokens(marks: str) -> re.Pattern[str]:
    """The pattern of what a chunk with these marks may hold, one of 33."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(one for mark, one in _ALTERNATIVES if mark in marks)})", re.VERBOSE)


_HEX_TAIL: Final = re.compile(r"\d+[eE]\d+")
_SNAKE: Final = re.compile(r"[A-Za-z0-9]_+[A-Za-z0-9]")
_CAMEL: Final = re.compile(
    r"[a-z]++(?:[A-Z]++[a-z0-9]++)++[A-Z]*+|(?:[A-Z][a-z0-9]++){2,}+[A-Z]*+|[A-Z]{2,}+[a-z]++[A-Z][a-z]\w*+"
)
_PREFIXED: Final = re.compile(r"[a-z]{2,10}_(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{8,64}")
_CODE: Final = re.compile(
    r"E\d{3,5}|[WCR]\d{4}|F[4-9]\d\d|W[1-6]\d\d|TS\d{4,5}|CS\d{4}|SC\d{4}|(?:RUF|PLR|PLW|PLC|PLE|SIM|UP|PT|ANN|BLE)\d{3,4}"
    r"|ERR_[A-Z_]{3,60}|AADSTS\d+|C\d{4}|LNK\d{4}|MSB\d{4}|NU\d{4}|NETSDK\d{4}"
)
_ERROR_IDS: Final = frozenset({"ORA", "PLS", "TNS", "SQL", "ERR", "MYSQL"})
_POD: Final = re.compile(r"[a-z][a-z0-9-]*-(?=[a-f]*\d)[0-9a-f]{8,10}-[a-z0-9]{5}")
_LETTER: Final = re.compile(r"[^\W\d_]")
_LOCATED: Final = re.compile(r":|#L?")
_ENCODED: Final = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[A-Za-z0-9+=]+")
"""Base64 and its kin: long, of all kinds of characters, and of no other."""
_GREP: Final = re.compile(r"(.*\.[A-Za-z0-9]{1,8})-\d*\Z")
"""A path with the mark that `grep` puts after it on a line of context."""
_ESCAPE: Final = re.compile(r"\\[nrt]")
_GLUE: Final = re.compile(
    r"(?<=[A-Za-z0-9])[\u2e80-\u9fff\uac00-\ud7ff]+(?=[A-Za-z0-9~/]|\Z)|\A[\u2e80-\u9fff\uac00-\ud7ff]+(?=[A-Za-z0-9~/])"
)
"""Chinese, Japanese or Korean words written against a name without a space: they end it, unless inside a path."""
_SERIAL: Final = re.compile(r"(?=(?:[A-Z]++\d++){2}|(?:\d++[A-Z]++){2})[A-Z0-9]{8,24}")
"""Capitals and digits that alternate, as on a label of a device; with fewer turns it is a name (`AES256GCM`)."""
_COMPACT: Final = re.compile(r"\d{8}T\d{4}(?:\d\d)?Z?")
"""A time in the basic format (ISO 8601)."""
_PAIRS_OF_DIGESTS: Final = (16, 20, 28, 32, 48, 64)
"""How many pairs of hexadecimal digits a digest has: MD5, SHA-1, SHA-2."""
_PAIRS_OF_CARD: Final = 6
"""Those of the address of a network card (IEEE 802, MAC-48)."""
_OUTLINE: Final = re.compile(r"\d+\.\d+\.\d+")
_JOINING: Final = frozenset("_-.")
_PRODUCT: Final = re.compile(r"[A-Z][A-Za-z]*/\d[\d.]*")
_TRAIL: Final = ".:!?*~&\\-"


def _word(text: str) -> str | None:
    """The kind of a chunk of letters, digits and underscores."""
    if "_" in text:
        if text.startswith("ERR_") and text.isupper():
            return "error"
        if text[:2] == "__":
            return "identifier" if text in words.DUNDERS else None
        if _PREFIXED.fullmatch(text):
            return "id"
        return "identifier" if _SNAKE.search(text) else None
    if text in words.ERRNOS:
        return "error"
    if text.islower() or (text.istitle() and text.isalpha()):
        return "hash" if _is_hash(text) else None
    if text.isupper():
        if _CODE.fullmatch(text):
            return "error"
        return "hash" if _is_hash(text) else _serial(text)
    return "identifier" if _CAMEL.fullmatch(text) and text not in words.BRANDS else None


def _serial(text: str) -> str | None:
    if _COMPACT.fullmatch(text):
        return "time"
    return "id" if _SERIAL.fullmatch(text) else None


def _is_hash(text: str) -> bool:
    """Hexadecimal that no word and no number is: letters and digits both, or too long for either."""
    if len(text) < 7:
        return False
    digits = text.rpartition(":")[2].removeprefix("0x")
    if len(digits) < 7 or digits.strip("0123456789abcdefABCDEF"):
        return False
    if text != digits:
        return True
    if digits.isalpha():
        return len(digits) >= 16
    if digits.isdigit():
        return len(digits) in (32, 40, 64)
    return not _HEX_TAIL.fullmatch(digits)


def _suffix(name: str) -> bool:
    """A known file suffix, or the whole name of a known file."""
    head, dot, tail = name.rpartition(".")
    if name in words.FILE_NAMES:
        return True
    if tail not in words.SUFFIXES and not (tail.isupper() and tail.lower() in words.SUFFIXES):
        return False
    return bool(dot and head.strip(".")) and name.lower() not in words.PRODUCTS


def _is_unit(name: str) -> bool:
    """Whether a dotted name is one of a system unit (systemd.unit(5)), and not an attribute.

    A suffix that is an attribute as often counts behind a name that no identifier can be, or a known one.
    """
    head, _, tail = name.rpartition(".")
    if not head or head in ("self", "this", "cls"):
        return False
    if "-" in head or "@" in head:
        return tail in words.UNIT_SUFFIXES or tail in words.LOOSE_UNIT_SUFFIXES
    return "." not in head and (tail in words.UNIT_SUFFIXES or name in words.UNIT_NAMES)


def _is_host(name: str, *, port: bool = False) -> bool:
    parts = name.split(".")
    if len(parts) == 1:
        return port and (name in words.SERVICES or "-" in name) and name[-1] != "-"
    last = parts[-1].lower()
    if last not in words.TLDS or not all(parts) or parts[0] in ("self", "this", "cls"):
        return False
    if any("_" in part for part in parts):
        return False
    if any(part != part.lower() for part in parts):
        return False
    return last not in words.LOOSE_TLDS or port or len(parts) > 2 or "-" in name


def _is_path(text: str) -> bool:
    """Whether a run with a slash in it is a path, and not an alternative (`and/or`), a date or a unit."""
    parts = [part for part in text.split("/") if part]
    if not parts or (text[0].isupper() and _PRODUCT.fullmatch(text)):
        return False
    if len(text) > 64 and any(len(part) > 64 and _ENCODED.fullmatch(part) for part in parts):
        return False
    if not _LETTER.search(text):
        return text[0] in "~." and len(text) > 2
    if text[0] in "/~" or text.startswith(("./", "../")) or (text[0] == "$" and len(parts) > 1):
        return len(text.strip("/.~")) > 1 or len(parts) > 1
    if _suffix(parts[-1]) or len(parts) == 1:
        return len(parts) > 1 or (len(text) > 3 and text.islower())
    if parts[0] in words.ROOTS:
        return True
    if len(parts) > 3:
        return True
    if max(map(len, parts)) < 2:
        return False
    marked = [part for part in parts if not part.isalpha()]
    return bool(marked) and not any(part[0].isdigit() and _JOINING.isdisjoint(part) for part in marked)


# One function for each alternative that a pattern alone cannot decide: (text) -> kind, or None for no handle.


def _email(text: str) -> str | None:
    if _is_unit(text):
        return "path"  # an instance of a template: `getty@tty1.service`
    return "email" if text.rpartition(".")[2][:2].isalpha() else None


def _ipv4(text: str) -> str | None:
    octets = text.partition(":")[0].partition("/")[0].split(".")
    return "ip" if all(int(octet) < 256 for octet in octets) else "version"


def _ipv6(text: str) -> str | None:
    groups = text.partition("/")[0].partition("%")[0].split(":")
    full = len(groups) == 8 and all(groups)
    short = text.count("::") == 1 and sum(bool(group) for group in groups) >= 2
    return "ip" if (full or short) and any(c.isdigit() for c in text) else None


def _pairs(text: str) -> str | None:
    """Pairs of hexadecimal digits: a digest where its name or its length says so, or the address of a card."""
    named = text[2] != ":"
    count = text.count(":") + (not named)
    if named or count in _PAIRS_OF_DIGESTS:
        return "hash"
    return "id" if count == _PAIRS_OF_CARD else _ipv6(text)


def _setting(text: str) -> str | None:
    name, _, value = text.partition("=")
    return "setting" if value.strip("$%{}=&*") and not value.startswith("$") and name.strip("-") else None


def _package(text: str) -> str | None:
    if _is_unit(text):
        return "path"
    name = re.split(r"[:=~><!]|(?<=.)@", text)[0]
    return None if ":" in text and _suffix(name) else "package"


def _change(text: str) -> str | None:
    prefix = text.partition("-")[0]
    if prefix in _ERROR_IDS:
        return "error"
    return None if prefix in words.NOT_TICKETS else "id"


def _named(text: str) -> str | None:
    name = text.partition(":")[0].partition("=")[0].lower()
    return "number" if name in words.NUMBER_NOUNS else _port(text)


def _port(text: str) -> str | None:
    name, _, _ = text.rpartition(":")
    if _suffix(name):
        return "path"
    return "host" if _is_host(name, port=True) else None


def _dotted(text: str) -> str | None:
    name, _, _ = text.partition(":")
    parts = name.split(".")
    if _suffix(name) and not (len(parts) == 2 and parts[0] in ("self", "this")):
        return "path"
    if _is_unit(name):
        return "path" if name == text else None
    if name.lower() in words.PRODUCTS or all(len(part) == 1 for part in parts):
        return None
    if _is_host(name):
        return "host" if name == text else None
    if "-" in name:
        return None
    return "identifier"


def _file(text: str) -> str | None:
    name = _unlocated(text)
    if "." not in name:
        if name in words.FILE_NAMES:
            return "path"
    elif _suffix(name) or _is_unit(name) or ("-" in name and (grep := _GREP.match(name)) and _suffix(grep[1])):
        return "path"
    if text != name:
        return None
    if text.isidentifier():
        return _word(text) if text.isascii() else None
    if "-" in text:
        return "id" if _POD.fullmatch(text) else None
    return _serial(text) if text.isascii() else None


def _path(text: str) -> str | None:
    bare = _unlocated(text)
    first = bare.partition("/")[0]
    if "." in first[1:] and _is_host(first):
        return "url"
    return "path" if _is_path(bare) else None


def _unlocated(text: str) -> str:
    """A path without the line number or the test behind it."""
    return _LOCATED.split(text, 1)[0] if ":" in text or "#" in text else text


_DECIDE: Final[dict[str, Callable[[str], str | None]]] = {
    "uuid": lambda text: "uuid",
    "card": lambda text: "id",
    "pairs": _pairs,
    "print": lambda text: "hash",
    "arn": lambda text: "id",
    "git": lambda text: "url",
    "flag": lambda text: "identifier",
    "hash": lambda text: "hash" if _is_hash(text) else None,
    "drive": lambda text: "path",
    "version": lambda text: "version",
    "bound": lambda text: "version",
    "model": lambda text: "package",
    "release": lambda text: None if text.partition("-")[0] in words.LICENCES else "package",
    "resource": lambda text: "id",
    "date": lambda text: None,
    "email": _email,
    "ipv4": _ipv4,
    "ipv6": _ipv6,
    "setting": _setting,
    "package": _package,
    "change": _change,
    "named": _named,
    "port": _port,
    "dotted": _dotted,
    "file": _file,
    "path": _path,
    "ref": lambda text: "id" if len(text) > 2 and text[0] == "#" else None,
}


def _pieces(chunk: str, lead: int) -> tuple[Found, ...]:
    """The handles of a chunk; `lead` is how many characters were taken off before it, for the places."""
    if not chunk.isascii():
        chunk = _GLUE.sub(lambda glue: " " * len(glue.group()), chunk)
    if "\\" in chunk and ":\\" not in chunk and not chunk.startswith("\\\\"):
        chunk = _ESCAPE.sub("  ", chunk)  # a line break as JSON writes it: "one\ntwo.py"
    pieces: list[Found] = []
    for match in _tokens(_marks(chunk)).finditer(chunk):
        name = match.lastgroup or ""
        text = match.group()
        kind = _DECIDE[name](text)
        if kind is None:
            continue
        start, end = match.span()
        if name == "bound":
            start += 1
        elif kind == "path" and "-" in text and (grep := _GREP.match(text)) and _suffix(grep[1].rpartition("/")[2]):
            end = start + len(grep[1])
        pieces.append((kind, start + lead, end + lead))
    return tuple(pieces)


def _numeric(chunk: str) -> bool:
    return chunk[0].isdigit() or (len(chunk) > 1 and chunk[0] in "$€£¥+-" and chunk[1].isdigit())


_COUNTED: Final = re.compile(
    r"(?P<stamp>\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?)|(?P<measure>\d+(?:\.\d+)?[a-zA-Zµμ%]{0,3})"
    r"|(?P<address>\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d{1,5})?)"
)


def _counted(text: str) -> Chunk | None:
    """What begins most lines of a log, read at once: a time, a measure, an address; None for anything else."""
    match = _COUNTED.fullmatch(text)
    if match is None:
        return None
    if match.lastgroup == "address":
        return (Shape.WHOLE, (("ip", 0, len(text)),)) if _ipv4(text) == "ip" else None
    return None if match.lastgroup == "measure" and _is_hash(text) else _A_NUMBER


_NAME_WITH_DIGITS: Final = re.compile(
    r"(?=[A-Za-z0-9-]{0,60}\d)(?=[A-Za-z0-9]{0,40}[A-Za-z])(?>[A-Za-z][A-Za-z0-9]{0,40})(?>(?:-[A-Za-z0-9]{1,40}){1,6})(?=[\"'`)\]}>,;:.!?]*\Z)"
)
"""A name in parts with a number in it, as hosts, zones, runs, jobs and devices have: `eu-west-2b`, `r-5562`."""


_TITLED: Final = re.compile(r"[A-Z][a-z]*-\d{1,2}")


def _no_name(name: str) -> bool:
    """A standard, a word with a prefix, or a title with a small number: `utf-8`, `pre-1990`, `Catch-22`."""
    first = name.partition("-")[0].casefold()
    return name.casefold() in words.STANDARDS or first in words.PREFIXES or _TITLED.fullmatch(name) is not None


_DOTTED: Final = re.compile(r"[A-Za-z_]{1,81}(?:\.[A-Za-z_]{1,81})+")
"""The commonest chunk of code, of which no other alternative than `dotted` takes a part."""


def _signed(text: str) -> Chunk | None:
    """A chunk with a sign in it, without the punctuation behind it."""
    if _DOTTED.fullmatch(text) is not None:
        kind = _dotted(text)
        shape = Shape.UNIT if kind == "path" and _is_unit(text) else Shape.WHOLE
        return None if kind is None else (shape, ((kind, 0, len(text)),))
    if text[0].isdigit() and (counted := _counted(text)) is not None:
        return counted
    lead = len(text) - len(text.lstrip("*"))
    found = _pieces(text[lead:], lead)
    if text[0] == "/":
        return Shape.SLASH, found
    if not found:
        name = _NAME_WITH_DIGITS.match(text, lead)
        if name is not None and not _no_name(name[0]):
            return Shape.WHOLE, (("id", lead, name.end()),)
        return _A_NUMBER if _numeric(text) else None
    if found[0][0] == "version" and _OUTLINE.fullmatch(text):
        return Shape.OUTLINE, found
    if found[0][0] == "ip" and text.count(":") > 1:
        return Shape.BRACKET, found
    if found[0][0] == "path" and _is_unit(text):
        return Shape.UNIT, found
    return Shape.WHOLE, found


def _named_alone(text: str) -> str | None:
    """The kind of a chunk of Latin letters behind which punctuation stood."""
    return "path" if text in words.FILE_NAMES else _word(text)


_WORD_CHARS_MAX: Final = 16
"""Letters alone, of which at most the first is a capital, are a handle (a hash) only from here on."""
_LETTERS_MAX: Final = 64
_DIGEST_DIGITS_MIN: Final = 32
"""Digits alone are a hash only from here on."""


def read_chunk(chunk: str) -> Chunk | None:
    """The handles of one chunk, and what its line has still to decide; None where no line makes it a handle.

    Args:
        chunk: What stands between two of `SEPARATORS`.
    """
    if chunk.isalpha() and len(chunk) < _WORD_CHARS_MAX and chunk.isascii() and (chunk.islower() or chunk.istitle()):
        return None
    if chunk.isdigit() and len(chunk) < _DIGEST_DIGITS_MIN:
        return _A_NUMBER
    if len(chunk) > handle_chars_max:
        return (Shape.URL, ()) if "://" in chunk else None
    if chunk.isascii() and chunk.isidentifier():
        kind = _word(chunk)
        return (Shape.WHOLE, ((kind, 0, len(chunk)),)) if kind else None
    if "://" in chunk:
        return Shape.URL, ()
    text = chunk.rstrip(_TRAIL)
    if not text:
        return (Shape.SLASH, ()) if chunk == "/" else None
    if text[-1] == "=":
        return (Shape.OPEN, ()) if OPEN_NAME.fullmatch(chunk) else None
    if text.isalpha() and text.isascii() and len(text) <= _LETTERS_MAX:
        kind = _named_alone(text)
        return (Shape.WHOLE, ((kind, 0, len(text)),)) if kind else None
    return _signed(text)
