"""Outer handles: prohibitions, and quoted literals. They are made of words, and may hold other handles.

A prohibition is found by a word that can begin one (`TRIGGERS`: English, German, French, Spanish, Chinese, Japanese,
Korean), which an engine may look for; a small rule for its language then decides. It ends with its sentence. Neither
it nor a quotation crosses a line. What a rule looks for around the word (the ends of the sentence, a German verb, a
syllable of Japanese) is read once for a line and not again for each word (`_Ahead`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from cenotaph.core.handles import words
from cenotaph.core.handles.kinds import Found
from cenotaph.limits import prohibition_chars_max, quote_chars_max

__all__ = ["MARKS", "TRIGGERS", "Engine", "find_triggers", "prohibitions", "quotes"]

TRIGGERS: Final = (
    r"[^A-Za-z](?:[Dd](?:o (?:not|NOT)|on[’']t)|D(?:O NOT|ON[’']T)|[Mm](?:ust(?: not| never| NOT|n[’']t)|ay not)"
    r"|M(?:UST N(?:OT|EVER)|AY NOT)|[Ss](?:hould(?: not| never|n[’']t)|hall not|ans |in )|SH(?:OULD|ALL) NOT"
    r"|[Nn](?:ever|ot (?:allowed|permitted) to|o |iemals|ichts?|e |[’']|unca)|NEVER|[Cc]annot be"
    r"|[Ff](?:orbidden to|inger weg)|[Aa](?:void |uf keinen Fall)|[Ww]ithout |[Rr]efrain from|[Hh]ands off"
    r"|[Kk](?:eep away from|ein)|[Ll]eave |[Oo]hne |[Vv]erboten|[Jj]amais|[Ii]nterdi|[Pp]rohib)"
    r"|不要|请勿|切勿|严禁|禁止|不得|不可|不许|不准|不能|别|しないで|ないでください|てはいけ|てはなら|ではいけ"
    r"|てはだめ|ちゃだめ|하지 마|금지"
)
"""What can begin a prohibition, with the character before a Latin word; in the syntax that `re` and RE2 read alike: no
look-around, no class that differs, no line break but as that first character."""

_TRIGGER: Final = re.compile(TRIGGERS)
_EAST_ASIAN: Final = "\u2e80"
_WHOLE_WORDS: Final = (
    *("no ", "No ", "ne ", "Ne ", "n'", "n’", "N'", "N’", "sin ", "Sin ", "sans ", "Sans ", "kein", "Kein"),
)
"""Each match of `TRIGGERS` is one of these after no Latin letter, or holds one of `_INSIDE_WORDS`, or of
`_BEYOND_ASCII`: strings, which are found far sooner than a pattern is."""
_INSIDE_WORDS: Final = (
    *(" not", " NOT", "ot allowed to", "ot permitted to", "n't", "N'T", "ever", "EVER", "annot be", "orbidden to"),
    *("efrain from", "eep away from", "ands off", "void ", "ithout ", "eave ", "iemals", "icht", "inger weg"),
    *("uf keinen Fall", "hne ", "erboten", "unca", "amais", "nterdi", "rohib"),
)
_BEYOND_ASCII: Final = (
    *("n’t", "N’T", "不", "请勿", "切勿", "严禁", "禁止", "别", "しないで"),
    *("ないでください", "ては", "ではいけ", "ちゃだめ", "하지 마", "금지"),
)


class Engine(Protocol):
    """Another regular-expression engine, for rare words in much text; its answer equals that of `re`."""

    def spans(self, pattern: str, text: str) -> Iterable[tuple[int, int]]:
        """(start, end) of each match of `pattern` in `text`, in characters, ascending and disjoint."""
        ...


def find_triggers(text: str, engine: Engine | None = None) -> Iterator[tuple[int, int]]:
    """(start, end) of each word that can begin a prohibition, ascending and disjoint.

    Args:
        text: Any text.
        engine: Who looks; None for the standard library.
    """
    padded = "\n" + text  # the word before a Latin one may be missing, its character may not
    spans = _spans(padded) if engine is None else engine.spans(TRIGGERS, padded)
    return ((start - (padded[start] >= _EAST_ASIAN), end - 1) for start, end in spans)


def _spans(padded: str) -> Iterator[tuple[int, int]]:
    """The matches of `TRIGGERS`, looked for only in lines that hold a string without which there is none."""
    for start in sorted(_lines_with_words(padded)):
        end = padded.find("\n", start + 1)  # a match may begin with the line feed before its line
        for match in _TRIGGER.finditer(padded, start, len(padded) if end < 0 else end):
            yield match.span()


def _lines_with_words(padded: str) -> set[int]:
    """Where the lines begin (at the line feed before them) in which a prohibition may stand."""
    lines: set[int] = set()
    inside = _INSIDE_WORDS if padded.isascii() else _INSIDE_WORDS + _BEYOND_ASCII
    for word in _WHOLE_WORDS + inside:
        whole = word in _WHOLE_WORDS
        at = padded.find(word, 1)
        while at >= 0:
            before = padded[at - 1]
            if whole and before.isalpha() and before.isascii():
                at = padded.find(word, at + 1)
                continue
            lines.add(padded.rfind("\n", 0, at))
            end = padded.find("\n", at)
            at = padded.find(word, end) if end >= 0 else -1
    return lines


# What follows reads one line ------------------------------------------------------------------


class _Ahead:
    """The first match of a pattern from a place on; the places asked for only grow, so a line is read once."""

    __slots__ = ("_from", "_line", "_match", "_pattern")

    def __init__(self, pattern: re.Pattern[str], line: str) -> None:
        self._pattern = pattern
        self._line = line
        self._from = -1
        self._match: re.Match[str] | None = None

    def after(self, place: int) -> re.Match[str] | None:
        """The first match that begins at `place` or behind it."""
        unread = self._from < 0 or (self._match is not None and self._match.start() < place)
        if unread:
            self._from = place
            self._match = self._pattern.search(self._line, place)
        return self._match


class _Sentences:
    """What the rules ask about the sentences of a line, at places that only grow."""

    __slots__ = ("_end", "_kana", "_last", "_line", "_second", "_start", "_verb")

    def __init__(self, line: str) -> None:
        self._line = line
        self._end = _Ahead(_END, line)
        self._start = _Ahead(_SENTENCE, line)
        self._last = 0
        self._verb = _Ahead(_GERMAN_VERB, line)
        self._second = _Ahead(_GERMAN_VERB, line)
        self._kana = _Ahead(_KANA, line)

    def start(self, at: int, floor: int) -> int:
        """Where the sentence around `at` begins: not before `floor`, at most `prohibition_chars_max` to the left."""
        while (match := self._start.after(self._last)) is not None and match.end() <= at:
            self._last = match.end()
        return max(floor, at - prohibition_chars_max, self._last)

    def stop(self, at: int, end: int) -> int:
        """Where the sentence ends, or `prohibition_chars_max` behind `at`."""
        match = self._end.after(end)
        limit = min(len(self._line), at + prohibition_chars_max)
        return limit if match is None else min(limit, match.start())

    def german_verb(self, floor: int, at: int) -> int | None:
        """Where a verb of German orders begins between `floor` and `at`; the one after a `bitte`, if there is one."""
        first = self._verb.after(floor)
        if first is None or first.end() > at:
            return None
        if first.group().lower() == "bitte":
            second = self._second.after(first.end())
            if second is not None and second.end() <= at:
                return second.start()
        return first.start()

    def has_kana(self, floor: int, stop: int) -> bool:
        """Whether there is a syllable of hiragana between the two."""
        match = self._kana.after(floor)
        return match is not None and match.start() < stop


_WORD: Final = re.compile(r"[ \t*_]{0,8}([^\W\d_]{1,40}+(?:[’'][^\W\d_]{1,8}+)?)")
_END: Final = re.compile(r"[.!?](?=[\s\"'”’)*_`]|\Z)|[。！？；;]|\\n")
_SENTENCE: Final = re.compile(r"[.!?](?=\s)|[。！？；;]")
_CLOSING: Final = " \t\r*_\"'`”’)」』"
_OPENING: Final = " \t*_\"'`([>#-«¡"


def _next_word(line: str, at: int) -> str:
    match = _WORD.match(line, at)
    return match[1].lower() if match else ""


def _last_word(line: str, at: int, floor: int) -> str:
    """The word before `at` in its sentence, in lower case; empty where the clause begins at `at`."""
    left = line[max(floor, at - 40) : at].rstrip(_OPENING)
    if not left or not left[-1].isalnum():
        return ""
    return left.split()[-1].lower().lstrip("\"'(*_`")


def _begins_clause(line: str, at: int, floor: int) -> bool:
    word = _last_word(line, at, floor)
    return not word or word[-1].isdigit() or word in words.ORDER_LEADS


_LEAVE: Final = re.compile(r"[Ll]eave [^.!?]{1,80}? (?:alone|untouched|unchanged|as (?:it|they) (?:is|are)|as is)\b")
_ENGLISH_NO: Final = re.compile(
    r"[Nn]o (?:changes|writes|edits|pushes|commits|deploys|access) (?:to|in|on|under|outside|before|after)\b"
)
_UNCHANGEABLE: Final = frozenset({"changed", "modified", "touched", "deleted", "edited"})


def _english(line: str, at: int, end: int, floor: int) -> bool:
    word = line[at:end].lower().replace("’", "'").rstrip()
    following = _next_word(line, end)
    if word == "cannot be":
        return following in _UNCHANGEABLE
    if word == "leave":
        return _LEAVE.match(line, at) is not None
    if word in ("without", "avoid"):
        acts = following in words.ACTIONS_WITHOUT
        return acts or (word == "avoid" and following.endswith("ing") and _begins_clause(line, at, floor))
    if word.startswith("must"):
        return bool(following)
    if word == "may not" and _last_word(line, at, floor) not in words.ADDRESSED:
        return False
    if word.startswith(("may", "should", "shall")):
        return bool(following) and following not in words.STATE_VERBS
    if word.startswith(("not ", "forbidden", "refrain", "hands", "keep")):
        return bool(following)
    if word == "never" and (following.endswith("ed") or (following.endswith("s") and not following.endswith("ss"))):
        return False  # it tells what happens
    return bool(following) and following not in words.REMARK_VERBS and _begins_clause(line, at, floor)


_GERMAN_VERB: Final = re.compile(
    r"\b(?:[Dd]arf(?:st)?|[Dd]ürf(?:en|t)|[Ss]oll(?:st|en|te|ten)?|[Mm]uss(?:t)?|[Bb]itte|[Ää]nder\w*|[Ll]ösch\w*"
    r"|[Ff]ass\w*|[Vv]erwend\w*|[Nn]utz\w*|[Bb]enutz\w*|[Ss]chreib\w*|[Üü]berschreib\w*|[Ss]tart\w*|[Pp]ush\w*"
    r"|[Mm]ach\w*|[Ee]ntfern\w*|[Bb]erühr\w*|[Bb]earbeit\w*|[Mm]odifizier\w*|[Vv]eränder\w*|[Ll]ass\w*|[Rr]ühr\w*"
    r"|[Dd]eploy\w*|[Cc]ommitt?\w*)\b"
)
_GERMAN_OHNE: Final = re.compile(
    r"[Oo]hne [^.!?]{0,60}? ?zu \w{1,40}en\b|[Oo]hne \w{1,40}(?:genehmigung|rücksprache)\b"
)


def _german(line: str, at: int, end: int, floor: int, sentences: _Sentences) -> int | None:
    word = line[at:end].lower()
    if word in ("niemals", "auf keinen fall", "finger weg"):
        return at
    if word == "ohne ":
        return at if _GERMAN_OHNE.match(line, at) else None
    return sentences.german_verb(floor, at)


_FRENCH: Final = re.compile(
    r"[Nn](?:e |[’'])(?:(?:la |le |les |l[’']|y |en )?\w{1,40}(?:ez|ons|s|e|re) )?(?:pas|jamais|rien|plus|touche)\b"
)
_FRENCH_RULE: Final = re.compile(
    r"[Nn]e (?:faut|doit|doivent|dois|devez|peut|peuvent|pouvez) (?:pas|jamais|rien|plus)\b"
)
_FRENCH_LEADS: Final = frozenset({"", "svp", "merci", "et", "mais", "donc", "plaît"})


def _french(line: str, at: int, floor: int) -> int | None:
    if _FRENCH_RULE.match(line, at):
        return at - len(line[floor:at].lstrip(_OPENING))
    return at if _FRENCH.match(line, at) and _last_word(line, at, floor) in _FRENCH_LEADS else None


_SPANISH: Final = re.compile(
    r"[Nn]o (?:(?:lo|la|los|las|se|me|le|te) )?(?:deb(?:es?|en|emos)|pued(?:es?|en)|toques?|borres?|modifiques?"
    r"|elimines?|cambies?|hagas?|subas?|uses?|ejecutes?|escribas?|reinicies?|despliegues?|edites?|muevas?|alteres?"
    r"|sobrescribas?|instales?|renombres?|copies?|fusiones?|publiques?|envíes?|abras?|cierres?|apagues?|quites?"
    r"|rompas?|empujes?)\b"
)
_SPANISH_LEADS: Final = frozenset({"", "y", "pero", "favor", "por", "usted", "se"})
_FORBIDDEN: Final = re.compile(r"(?:[Vv]erboten|[Ii]nterdit|[Ii]nterdiction|[Pp]rohibid[oa]|[Pp]rohibited)\b")
_CHINESE_OTHERWISE: Final = ("不要紧", "别人", "别的", "别名", "不得不", "不可能", "不能不")
_KANA: Final = re.compile(r"[\u3040-\u309f]")


def _east_asian(line: str, at: int, floor: int, stop: int, sentences: _Sentences) -> int | None:
    """In Japanese and Korean the verb stands last, so all of the sentence; in Chinese what follows the word."""
    if line[at] >= "\uac00" or sentences.has_kana(floor, stop):
        lead = line[floor:at].lstrip()
        return at - len(lead) if lead else None
    if line[at] == "别" and at > floor and line[at - 1] >= _EAST_ASIAN:
        return None  # the second half of another word
    if line.startswith(_CHINESE_OTHERWISE, at):
        return None
    return at + 1 if line.startswith("请", at) else at


def _begin(line: str, at: int, end: int, floor: int, stop: int, sentences: _Sentences) -> int | None:
    """Where the prohibition of the trigger at (at, end) begins; None where it is none.

    Args:
        line: One line.
        at: First character of the trigger.
        end: One past its last.
        floor: Where its sentence begins.
        stop: Where its sentence ends.
        sentences: The sentences of the line.
    """
    if line[at] >= _EAST_ASIAN:
        return _east_asian(line, at, floor, stop, sentences)
    if at and line[at - 1].isalnum():
        return None  # the end of a word with a letter beyond ASCII
    word = line[at:end].lower()
    if word.startswith(("niemals", "auf k", "nicht", "kein", "ohne", "finger")):
        return _german(line, at, end, floor, sentences)
    if word in ("ne ", "n'", "n’"):
        return _french(line, at, floor)
    if word == "no ":
        spanish = _SPANISH.match(line, at) and _last_word(line, at, floor) in _SPANISH_LEADS
        return at if spanish or _ENGLISH_NO.match(line, at) else None
    if word in ("sans ", "sin "):
        return at if _next_word(line, end) in (words.ACTIONS_SANS | words.ACTIONS_SIN) else None
    if word in ("nunca", "jamais"):
        return at if _next_word(line, end) and _begins_clause(line, at, floor) else None
    if word in ("verboten", "interdi", "prohib"):
        return at if _FORBIDDEN.match(line, at) else None
    return at if _english(line, at, end, floor) else None


def prohibitions(line: str, triggers: Iterable[tuple[int, int]]) -> Iterator[Found]:
    """The prohibitions of one line, ascending and disjoint.

    Args:
        line: One line, without its end.
        triggers: (start, end) in the line of each match of `TRIGGERS`, as `find_triggers` gives them.
    """
    done = 0
    sentences: _Sentences | None = None
    for at, end in triggers:
        if at < done:
            continue
        sentences = sentences or _Sentences(line)
        stop = sentences.stop(at, end)
        begin = _begin(line, at, end, sentences.start(at, done), stop, sentences)
        if begin is None:
            continue
        stop = begin + len(line[begin:stop].rstrip(_CLOSING))
        if stop > begin:
            yield "prohibition", begin, stop
            done = stop


MARKS: Final = frozenset("\"'`“„”‘‚«「『")
"""With one of these a quotation opens."""
_INSIDE: Final = f"{{1,{quote_chars_max}}}+"
_QUOTE: Final = re.compile(
    f"[{''.join(sorted(MARKS))}](?:"
    rf"(?<=\")[^\"]{_INSIDE}\"(?!\s?:)|(?<![\w'’]')(?<=')[^']{_INSIDE}'(?!\w)|(?<!``)(?<=`)[^`]{_INSIDE}`(?!`)"
    rf"|(?<=[“„”])[^“”„]{_INSIDE}[”“]|(?<!\w[‘‚])(?<=[‘‚])[^‘’‚]{_INSIDE}[’‘](?!\w)|(?<=«)[^«»]{_INSIDE}»"
    rf"|(?<=[「『])[^「」『』]{_INSIDE}[」』])"
)


def quotes(line: str) -> Iterator[Found]:
    """The quoted literals of one line, without their marks and the space inside them; ascending and disjoint."""
    for match in _QUOTE.finditer(line):
        start, end = match.start() + 1, match.end() - 1
        inner = line[start:end]
        start += len(inner) - len(inner.lstrip())
        end -= len(inner) - len(inner.rstrip())
        if start < end and any(char.isalnum() for char in inner):
            yield "quote", start, end
