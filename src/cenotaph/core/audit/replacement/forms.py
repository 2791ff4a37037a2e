"""The ways in which a text is no summary.

It says nothing, answers somebody, calls a tool, breaks off, is an error, a form that nobody filled in, one
message said again, or tells of something else. What can be read off is shown; how a text reads is inferred.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from cenotaph.core.audit.model import Code, Event, Finding, Tier
from cenotaph.core.audit.replacement.told import SHORT_CHARS, Told, rare_words, same_language
from cenotaph.core.audit.verdicts.words import word_set
from cenotaph.core.claims import stem
from cenotaph.core.model import Kind, Mark
from cenotaph.core.statements import sentences, words
from cenotaph.core.wording import PERSONS, REPLY_OPENINGS

__all__ = ["no_summary"]

_ECHO_SHARE: Final = 0.9
_KNOWN_SHARE_MIN: Final = 0.25
_OWN_WORDS_MIN: Final = 6

_EMPTY: Final = re.compile(
    r"[\W_]*(?:\(?\s*(?:no|empty)\s+(?:summary|content)(?:\s+(?:available|generated|provided))?\s*\)?|none|null|n/a"
    r"|undefined|\(empty\))?[\W_]*",
    re.IGNORECASE,
)
_TOOL_CALL: Final = re.compile(
    r"<\|?(?:tool_calls?|function_calls?|python_tag|invoke|tool_use)\b|\[TOOL_CALLS?\]|<function[=_]"
    r"|\"(?:tool_calls|function_call)\"\s*:|\"name\"\s*:\s*\"[^\"]*\"\s*,\s*\"(?:arguments|parameters|input)\"\s*:"
    r"|\"type\"\s*:\s*\"(?:tool_use|function_call)\""
)
_ERROR: Final = re.compile(
    r"(?:<!doctype html|<html\b|traceback \(most recent call last\)|api error\b"
    r"|\"?(?:type\"?\s*:\s*\"?)?error\"\s*[:,}]"
    r"|(?:http )?(?:error )?(?:4\d\d|5\d\d)[ :]*(?:too many requests|bad gateway|service unavailable"
    r"|internal server error|unauthorized|forbidden|gateway time-?out|overloaded)"
    r"|prompt is too long|context length exceeded"
    r"|this model's maximum context|input is too long"
    r"|(?:failed|unable|could not|couldn't|cannot)(?: to)? (?:generate|create|produce|write) (?:a |the )?summary"
    r"|(?:context )?summari[sz]ation failed|something went wrong)",
    re.IGNORECASE,
)
"""How an error begins, and nothing that tells of a conversation."""
_LIKE_ERROR: Final = re.compile(
    r"(?:(?:internal |server |request |fatal |unexpected )*(?:error|exception)\b[\s:(]|[\w.]*(?:error|exception):\s"
    r"|(?:http )?(?:4\d\d|5\d\d)[ :]|rate limit|too many requests|overloaded|service unavailable|bad gateway"
    r"|request timed out|connection (?:refused|reset|error)|invalid api key|unauthorized"
    r"|insufficient (?:quota|credits))",
    re.IGNORECASE,
)
"""How an error begins, or what was said of one."""
_PLACEHOLDER: Final = re.compile(
    r"\{\{[^{}\n]{0,80}\}\}"
    r"|<\s*(?:your |insert |the )?(?:summary|conversation summary|content)(?: here| goes here)?\s*>"
    r"|\[\s*(?:insert |your |the )?(?:summary|conversation summary|content)"
    r"(?: here| goes here| of (?:the )?conversation)?\s*\]|\blorem ipsum\b|\bTODO:? (?:write|add|fill)"
    r"|\$\{[^{}\n]{1,60}\}|%\([a-z_]+\)s",
    re.IGNORECASE,
)
_REMOVED: Final = re.compile(
    r"(?:\[[^\[\]\n]{0,60}\b(?:summary|redacted|omitted|truncated|trimmed|elided)\b[^\[\]\n]{0,60}\][\s.]*)+"
    r"|[\W_]*(?:(?:previous|earlier|prior|older|the above|some) "
    r"(?:messages?|conversation|history|context|turns?|content)"
    r"(?: (?:history|content))? (?:was|were|has been|have been|is|are)? ?(?:removed|truncated|omitted|cleared|trimmed"
    r"|compacted|summari[sz]ed|dropped|elided|hidden|condensed)[^\n]{0,120}"
    r"|conversation (?:summary|history) (?:goes here|placeholder|unavailable)|summary (?:unavailable|pending)"
    r"|placeholder(?: summary)?|conversation (?:compacted|summari[sz]ed|condensed))[\W_]*",
    re.IGNORECASE,
)
_OFFERS: Final = re.compile(
    r"(?:let me know|would you like|do you want|shall i|should i|can i help|how can i|what would you like"
    r"|i'?ll (?:now|go ahead|start|begin|proceed|get)"
    r"|i will (?:now|go ahead|start|begin|proceed)|i'd be happy|happy to help|i'm ready"
    r"|please (?:provide|share|clarify|confirm)|feel free)\b",
    re.IGNORECASE,
)
_SUMMARIZING: Final = re.compile(
    r"summar|the user|user (?:asked|wants|requested)|conversation|so far|task|progress|context|pending|completed|state"
    r"|key (?:points|facts|files)|next step|remaining",
    re.IGNORECASE,
)
_WHOLE_ENDS: Final = re.compile(r"[.!?…。！？:;)\]}>\"'`*_|~-]\s*$")


def no_summary(told: Told) -> Iterator[Finding]:
    """The way in which it is no summary; the first that applies."""
    event, text = told.event, told.bare
    place = _whole_place(event)

    def finding(code: Code, tier: Tier, weight: int, note: str) -> Finding:
        return Finding(code, tier, weight, note, {"became": text[:400]}, after=place)

    sure = Tier.proven
    if _says_nothing(told):
        yield finding(Code.summary_empty, sure, 85, "the summary says nothing")
    elif len(text) < 4 * SHORT_CHARS and _is_error(told):
        yield finding(Code.summary_error, sure, 85, "the text of an error stands where a summary should")
    elif len(text) < SHORT_CHARS and (
        _REMOVED.fullmatch(text) or (_PLACEHOLDER.search(text) is not None and not told.tells)
    ):
        yield finding(Code.summary_placeholder, sure, 82, "a placeholder stands where a summary should")
    elif "{{" in text and len(_PLACEHOLDER.findall(text)) > 1 and not told.tells:
        yield finding(Code.summary_placeholder, sure, 70, "slots of a template stand in it, not filled in")
    elif _TOOL_CALL.search(text) and _mostly_call(text):
        yield finding(Code.summary_tool_call, sure, 84, "a call of a tool stands where a summary should")
    elif _half_json(told.own):
        yield finding(Code.summary_truncated, sure, 80, "JSON that does not end")
    elif (echoed := _echoed(told)) is not None:
        yield finding(Code.summary_echo, sure, 80, f"it is one message said again ({echoed})")
    elif _replies(told):
        yield finding(Code.summary_reply, Tier.inferred, 78, "it answers the conversation in place of telling of it")
    elif _unrelated(told):
        yield finding(Code.summary_unrelated, Tier.inferred, 80, "it names nothing of what it stands for")
    elif len(text) > 80 and not _WHOLE_ENDS.search(told.own) and _breaks_off(told.own):
        yield finding(Code.summary_truncated, Tier.inferred, 55, "it breaks off in the middle of a sentence")


def _says_nothing(told: Told) -> bool:
    """It has no word, or is a form whose every slot says that there is nothing."""
    text = told.bare
    if len(text) >= SHORT_CHARS:
        return not any(map(str.isalnum, text))
    lines = [line for line in told.own.splitlines() if not _HEADING.match(line)]
    return _EMPTY.fullmatch(text) is not None or all(_NOTHING.fullmatch(line) for line in lines)


_HEADING: Final = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]{1,60}\*\*:?\s*$|<[/\w-]{1,40}>\s*$)")
_NOTHING: Final = re.compile(
    r"[\W_]*(?:[\w ]{1,40}:)?[\W_]*(?:none(?: yet)?|nothing(?: yet)?|n/a|null|empty|tbd|unknown"
    r"|not (?:available|specified|applicable|provided))?[\W_]*",
    re.IGNORECASE,
)
"""A line that says that there is nothing, with or without the name of a slot."""


def _is_error(told: Told) -> bool:
    start = told.bare.lstrip("[({*`#> ")
    return _ERROR.match(start) is not None or (_LIKE_ERROR.match(start) is not None and not told.tells)


def _whole_place(event: Event) -> tuple[int, int, int, int] | None:
    for at in event.replacement:
        for index, part in enumerate(event.after[at].parts):
            if part.kind is Kind.text:
                return at, index, 0, len(part.text)
    return None


def _mostly_call(text: str) -> bool:
    """Nothing but a call, perhaps with a few words before it."""
    found = _TOOL_CALL.search(text)
    lead = text[: found.start()] if found else text
    if set(_KEY.findall(lead)) - _CALL_KEYS:
        return False  # a value that tells of a call among other things
    return len(lead.strip('`{[ \n"')) < 160 and (text.rstrip("` ")[-1:] in "}]>)" or text.lstrip("` \n")[:1] in "{[<")


_KEY: Final = re.compile(r"\"(\w+)\"\s*:")
_CALL_KEYS: Final = word_set("id type role content index function tool_calls call_id status text annotations")


def _half_json(text: str) -> bool:
    bare = text.strip().removeprefix("```json").removeprefix("```").strip()
    if bare[:1] not in "{[" or not re.match(r"[{\[]\s*(?:[{\[\"\]}]|-?\d|true|false|null)", bare):
        return False
    depth, quoted, escaped = 0, False, False
    for sign in bare:
        if escaped:
            escaped = False
        elif quoted:
            escaped = sign == "\\"
            quoted = sign != '"'
        elif sign == '"':
            quoted = True
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
            if not depth:
                return False  # it ends; what follows is something else
    return quoted or depth > 0


def _echoed(told: Told) -> str | None:
    """Whose message the whole of it is, nearly word for word; None if nobody's."""
    if len(told.bare) < 2:
        return None
    for _, part in reversed(list(told.removed)):
        if part.kind is not Kind.text or Mark.summary in part.marks:
            continue
        said = " ".join(part.text.split())
        shorter, longer = sorted((told.bare, said), key=len)
        if shorter and len(shorter) >= _ECHO_SHARE * len(longer) and shorter in longer:
            return part.provenance.value
    return None


def _replies(told: Told) -> bool:
    """It opens or ends like an answer to somebody, and tells nothing."""
    text = told.bare
    if len(text) >= 2 * SHORT_CHARS or len(set(map(str.casefold, _SUMMARIZING.findall(text)))) > 2:
        return False
    opening = text.strip("*_#> ").casefold().replace("’", "'")
    greets = any(opening.startswith(one) and not opening[len(one) :][:1].isalpha() for one in _GREETINGS)
    return greets or _OFFERS.search(text) is not None or (text.rstrip().endswith("?") and _asks_somebody(text))


_TO_SOMEBODY: Final = re.compile(r"\b(?:you|your)\b|^\W*(?:shall|should|may|can|do|which)\b", re.IGNORECASE)


def _asks_somebody(text: str) -> bool:
    """The question at its end is put to a reader, and is not one that a person had put."""
    last = text[sentences(text)[-1].start :]
    return _TO_SOMEBODY.search(last) is not None and not PERSONS & set(words(last))


_GREETINGS: Final = tuple(one for one in REPLY_OPENINGS if one not in ("summary", "the following", "in summary"))


def _unrelated(told: Told) -> bool:
    """Of the words and things that it holds nearly none stands in what it was made from."""
    rare = rare_words(told.own, 5) - _STOCK
    enough = max(1, math.ceil(_KNOWN_SHARE_MIN * len(rare)))
    if sum(1 for _ in islice((word for word in rare if stem(word) in told.before), enough)) == enough:
        return False
    if len(rare) + len(told.handles) < _OWN_WORDS_MIN or any(one in told.before for one in told.handles):
        return False
    return same_language(told.own, told.before)


_STOCK: Final = word_set("""
    summary summarize conversation session context previous continued continue following current currently pending
    completed progress history message messages request requested primary technical concepts sections section files
    problem solving errors fixes before during please because should without important details detailed""")


def _breaks_off(text: str) -> bool:
    """Its last line stops at a word that another must follow, or without a full stop where its writer sets them."""
    last = text.rstrip().rsplit("\n", 1)[-1].strip()
    told = words(last)
    if len(last) <= 30 or not told or last.startswith(("#", "|")) or not last.rsplit(None, 1)[-1].isalpha():
        return False
    listed = re.match(r"(?:[-*+•]|\d+[.)])\s", last) is not None
    return told[-1] in _MIDDLE or (len(last) > 60 and not listed and _SENTENCE_END.search(last) is not None)


_SENTENCE_END: Final = re.compile(r"[a-z)\]`\"'][.!?] +[A-Z]")


_MIDDLE: Final = word_set(
    "the a an of to and or for with in on at by from as is are was were that which this but not if"
)
