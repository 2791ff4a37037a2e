"""The replacement itself: whether it is a summary at all, what it makes up, and what it does not point back to.

A text is no summary if it says nothing, answers somebody, calls a tool, breaks off, is an error, a form that
nobody filled in, one message said again, or tells of something else. Who is said to have agreed or ordered
something must have said so. What can be shown is shown; how a text reads is a heuristic, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from cenotaph.core.audit.model import Code, Event, Finding, Mechanism, Tier
from cenotaph.core.audit.statements import is_prose
from cenotaph.core.audit.verdict_words import word_set
from cenotaph.core.claims import normal, quotes_in, stem
from cenotaph.core.handles import extract
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance
from cenotaph.core.statements import common, sentences, words
from cenotaph.core.wording import IMPERATIVES, PERSONS, REPLY_OPENINGS

__all__ = ["replacement_findings"]

_HUMAN: Final = frozenset({Provenance.user, Provenance.system, Provenance.developer})
_SHORT_CHARS: Final = 400
_ECHO_SHARE: Final = 0.9
_RAPID_CALLS: Final = 4
_KNOWN_SHARE_MIN: Final = 0.25
_OWN_WORDS_MIN: Final = 6


def replacement_findings(event: Event, previous: Event | None = None) -> list[Finding]:
    """What is wrong with what stands for the removed region.

    Args:
        event: A compaction.
        previous: The one before it in the same history; None if it is the first.
    """
    found = [*_rapid(event, previous), *_torn(event), *_request(event)]
    if event.opaque or not event.removed:
        return found
    text = "\n".join(part.text for part in _parts_of(event))
    if not event.replacement:
        return found + ([] if event.pointer or _clears(event) else [_no_pointer(event)])
    told = _Told(event, text)
    kinds = list(_is_none(told))
    found += kinds
    if not kinds:
        found += _consents(told)
        found += _orders(told)
        found += _promoted(told)
        found += _of_a_summary(told)
    if not event.pointer and not kinds and not _POINTING.search(text):
        found.append(_no_pointer(event))
    return found


def _clears(event: Event) -> bool:
    """Results were cleared in place: what stands there says so, and the call that brings them back stands beside it."""
    return event.mechanism in (Mechanism.claude_code_micro, Mechanism.opencode_prune, Mechanism.anthropic_clearing)


def _no_pointer(event: Event) -> Finding:
    note = "nothing that stands afterwards says where the originals are"
    return Finding(Code.no_back_pointer, event.tier, 8, note)


_POINTING: Final = re.compile(r"\bcx:[0-9a-f]{16}|\S+\.jsonl?\b|full transcript|rehydrate", re.IGNORECASE)


def _parts_of(event: Event) -> Iterator[Part]:
    for at in event.replacement:
        yield from (part for part in event.after[at].parts if part.kind is Kind.text)


class _Told:
    """The replacement and what it was made from."""

    def __init__(self, event: Event, text: str) -> None:
        self.event = event
        self.text = text
        self.bare = " ".join(text.split())

    @property
    def removed(self) -> Iterator[tuple[tuple[int, int], Part]]:
        for ref in self.event.removed:
            yield ref, self.event.before[ref[0]].parts[ref[1]]

    @cached_property
    def human(self) -> str:
        """All that people said before, their acts in results too; case folded, white space evened."""
        acts = {Mark.answer, Mark.approval, Mark.rejection}
        texts = [
            part.text
            for message in self.event.before
            for part in message.parts
            if (part.kind is Kind.text and part.provenance in _HUMAN) or part.marks & acts
        ]
        return " ".join(" ".join(texts).casefold().split())

    @cached_property
    def before(self) -> str:
        return " ".join("\n".join(p.text for m in self.event.before for p in m.parts).split())

    @cached_property
    def units(self) -> list[tuple[str, int, int, int, int]]:
        """(sentence, message, part, start, end) of the replacement."""
        return [
            (part.text[one.start : one.end], at, index, one.start, one.end)
            for at in self.event.replacement
            for index, part in enumerate(self.event.after[at].parts)
            if part.kind is Kind.text
            for one in sentences(part.text)
        ]


# No summary -----------------------------------------------------------------------------------------

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
    r"(?:<!doctype html|<html\b|traceback \(most recent call last\)"
    r"|(?:api |internal |server |request |fatal |unexpected )?(?:error|exception)\b[\s:(]"
    r"|\{?\s*\"?(?:type\"?\s*:\s*\"?)?error\"?\s*:|\w*(?:error|exception):\s"
    r"|(?:http )?(?:4\d\d|5\d\d)[ :]|rate limit|too many requests|overloaded|service unavailable|bad gateway"
    r"|request timed out|connection (?:refused|reset|error)|prompt is too long|context length exceeded"
    r"|this model's maximum context|input is too long|invalid api key|unauthorized|insufficient (?:quota|credits)"
    r"|failed to (?:generate|create|produce) (?:a )?summary|summari[sz]ation failed|something went wrong)",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(
    r"\{\{[^{}\n]{0,80}\}\}"
    r"|<\s*(?:your |insert |the )?(?:summary|conversation summary|content)(?: here| goes here)?\s*>"
    r"|\[\s*(?:insert |your |the )?(?:summary|conversation summary|content|redacted|omitted|truncated)"
    r"(?: here| goes here| of (?:the )?conversation)?\s*\]|\blorem ipsum\b|\bTODO:? (?:write|add|fill)"
    r"|\$\{[^{}\n]{1,60}\}|%\([a-z_]+\)s",
    re.IGNORECASE,
)
_REMOVED: Final = re.compile(
    r"[\W_]*(?:(?:previous|earlier|prior|older|the above|some) "
    r"(?:messages?|conversation|history|context|turns?|content)"
    r"(?: (?:history|content))? (?:was|were|has been|have been|is|are)? ?(?:removed|truncated|omitted|cleared|trimmed"
    r"|compacted|summari[sz]ed|dropped|elided|hidden|condensed)[^\n]{0,120}"
    r"|conversation (?:summary|history) (?:goes here|placeholder|unavailable)|summary (?:unavailable|pending)|\.{3,}"
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


def _is_none(told: _Told) -> Iterator[Finding]:
    """The way in which it is no summary; the first that applies."""
    event, text = told.event, told.bare
    place = _whole_place(event)

    def finding(code: Code, tier: Tier, weight: int, note: str) -> Finding:
        return Finding(code, tier, weight, note, {"became": text[:400]}, after=place)

    sure = Tier.proven
    if _EMPTY.fullmatch(text):
        yield finding(Code.summary_empty, sure, 85, "the summary says nothing")
    elif _REMOVED.fullmatch(text) or (len(text) < _SHORT_CHARS and _PLACEHOLDER.search(text)):
        yield finding(Code.summary_placeholder, sure, 82, "a placeholder stands where a summary should")
    elif _PLACEHOLDER.search(text) and "{{" in text and len(_PLACEHOLDER.findall(text)) > 1:
        yield finding(Code.summary_placeholder, sure, 70, "slots of a template stand in it, not filled in")
    elif _ERROR.match(text.lstrip("[({*`#> ")) and len(text) < 4 * _SHORT_CHARS:
        yield finding(Code.summary_error, sure, 85, "the text of an error stands where a summary should")
    elif _TOOL_CALL.search(text) and _mostly_call(text):
        yield finding(Code.summary_tool_call, sure, 84, "a call of a tool stands where a summary should")
    elif _half_json(told.text):
        yield finding(Code.summary_truncated, sure, 80, "JSON that does not end")
    elif (echoed := _echoed(told)) is not None:
        yield finding(Code.summary_echo, sure, 80, f"it is one message said again ({echoed})")
    elif _replies(text):
        yield finding(Code.summary_reply, Tier.inferred, 78, "it answers the conversation in place of telling of it")
    elif _unrelated(told):
        yield finding(Code.summary_unrelated, Tier.inferred, 80, "it names nothing of what it stands for")
    elif len(text) > 80 and not _WHOLE_ENDS.search(told.text) and _breaks_off(told.text):
        yield finding(Code.summary_truncated, Tier.inferred, 55, "it breaks off in the middle of a sentence")


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
    return len(lead.strip("`{[ \n\"")) < 160 and (text.rstrip("` ")[-1:] in "}]>)" or text.lstrip("` \n")[:1] in "{[<")


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
    return quoted or depth > 0


def _echoed(told: _Told) -> str | None:
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


def _replies(text: str) -> bool:
    """It opens or ends like an answer to somebody, and tells nothing."""
    opening = text.strip("*_#> ").casefold().replace("’", "'")
    greets = any(opening.startswith(one) and not opening[len(one) :][:1].isalpha() for one in _GREETINGS)
    short = len(text) < 2 * _SHORT_CHARS
    offers = _OFFERS.search(text) is not None
    tells = len(set(map(str.casefold, _SUMMARIZING.findall(text)))) > 2
    return short and ((greets and not tells) or (offers and not tells) or (text.rstrip().endswith("?") and not tells))


_GREETINGS: Final = tuple(one for one in REPLY_OPENINGS if one not in ("summary", "the following", "in summary"))


def _unrelated(told: _Told) -> bool:
    """Of the words and things that it holds nearly none stands in what it was made from."""
    known = told.before.casefold()
    handles = {one.value.casefold() for one in extract(told.text) if len(one.value) > 3}
    rare = {word for word in words(told.text) if len(word) > 5 and not common(word)} - _STOCK
    if len(rare) + len(handles) < _OWN_WORDS_MIN:
        return False
    if any(one in known for one in handles):
        return False
    standing = sum(stem(word) in known for word in rare)
    return standing < _KNOWN_SHARE_MIN * len(rare)


_STOCK: Final = word_set("""
    summary summarize conversation session context previous continued continue following current currently pending
    completed progress history message messages request requested primary technical concepts sections section files
    problem solving errors fixes before during please because should without important details detailed""")


def _breaks_off(text: str) -> bool:
    last = text.rstrip().rsplit("\n", 1)[-1].strip()
    told = words(last)
    if len(last) <= 30 or not told or last.startswith(("#", "|")):
        return False
    return told[-1] in _MIDDLE or (len(last) > 60 and re.match(r"(?:[-*+•]|\d+[.)])\s", last) is None)


_MIDDLE: Final = word_set(
    "the a an of to and or for with in on at by from as is are was were that which this but not if"
)


# Made up --------------------------------------------------------------------------------------------

_AGREED: Final = re.compile(
    r"\b(?:users?|humans?|customers?|clients?|owners?|operators?|managers?|team|they)\b[^.\n]{0,60}?\b"
    r"(?:has |have |had )?"
    r"(?:already |explicitly |also |now )?(approved|authorized|authorised|agreed|consented|confirmed|permitted|allowed"
    r"|granted|signed off|accepted|gave (?:permission|approval|consent|the go-ahead|the green light))\b"
    r"|\b(?:approval|permission|consent|sign-off|authorization) (?:was|has been|were|is) "
    r"(granted|given|received|obtained)\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:not|never|no|until|unless|if|pending|awaiting|waits?|before|needs?|required?)\b", re.IGNORECASE
)
_AGREEING: Final = re.compile(
    r"\b(?:yes|yep|yeah|ok(?:ay)?|sure|go ahead|do it|please do|sounds good|lgtm|approved?|confirm(?:ed)?|agreed?"
    r"|accept|fine|allow(?:ed)?|permit|proceed|ship it|go for it|looks good|good|correct|right|ja|oui|sí|sim|да"
    r"|好|はい)\b",
    re.IGNORECASE,
)


def _consents(told: _Told) -> Iterator[Finding]:
    """Agreement that is put into somebody's mouth."""
    if told.event.tier is Tier.at_risk:
        return
    for sentence, at, index, start, end in told.units:
        found = _AGREED.search(sentence)
        if found is None or _OPEN.search(sentence):
            continue
        act = stem((found[1] or found[2]).split()[0].casefold())
        if act in told.human or _AGREEING.search(told.human) or _acted(told.event):
            continue
        note = "an agreement stands that nobody gave before"
        yield Finding(
            Code.consent_fabricated, Tier.inferred, 88, note, {"became": sentence}, after=(at, index, start, end)
        )


def _acted(event: Event) -> bool:
    """A person approved something by the client's own means."""
    return any(Mark.approval in part.marks for message in event.before for part in message.parts)


def _orders(told: _Told) -> Iterator[Finding]:
    """Words in quotation marks that are put down to a person who never wrote them."""
    if told.event.tier is Tier.at_risk:
        return
    for sentence, at, index, start, end in told.units:
        folded = set(words(sentence))
        if not folded & (PERSONS | {"user's"}):
            continue
        for quote in quotes_in(sentence):
            plain = " ".join(quote.casefold().split()).strip(" .!?…")
            if len(plain.split()) < 3 or plain in told.human or plain in told.before.casefold():
                continue
            if _pieces_stand(plain, told.human) or _nearly_stands(plain, told.human):
                continue
            note = "words stand in quotation marks that the person named never wrote"
            yield Finding(
                Code.instruction_fabricated, Tier.inferred, 60, note, {"became": quote}, after=(at, index, start, end)
            )


def _pieces_stand(quote: str, human: str) -> bool:
    """A quotation with an omission: each piece of it stands."""
    pieces = [piece.strip() for piece in re.split(r"\.{3}|…|\[[^\]]*\]", quote)]
    return len(pieces) > 1 and all(piece in human for piece in pieces if piece)


_NEARLY: Final = (7, 10)


def _nearly_stands(quote: str, human: str) -> bool:
    """A quotation that mends a spelling or leaves out a word: most of its words stand close together."""
    told = words(quote)
    wanted = set(told)
    for rare in sorted(wanted, key=len, reverse=True)[:2]:
        at = human.find(rare)
        while at >= 0:
            around = set(words(human[max(0, at - 2 * len(quote)) : at + 2 * len(quote)]))
            if len(wanted & around) * _NEARLY[1] >= len(wanted) * _NEARLY[0]:
                return True
            at = human.find(rare, at + 1)
    return False


def _promoted(told: _Told) -> Iterator[Finding]:
    """An order that only the text of a tool gave, and that stands as anybody's."""
    results = [part.text for _, part in told.removed if part.kind is Kind.result and not part.marks]
    if not results:
        return
    data = " ".join(" ".join(results).split()).casefold()
    for sentence, at, index, start, end in told.units:
        plain = normal(sentence).casefold().strip("\"'`*_ ")
        if len(plain) < 20 or not is_prose(sentence) or not _orders_something(sentence):
            continue
        core = _without_lead(plain)
        if len(core) < 16 or core not in data or core in told.human:
            continue
        if re.search(r"\b(?:tool|output|file|page|result|log|readme|says|said|contains|returned|reads)\b", plain):
            continue  # it says where it has it from
        if any(core in " ".join(p.text.casefold().split()) for _, p in told.removed if p.provenance in _OWN_VOICE):
            continue
        note = "an order that only the output of a tool gave stands as a rule"
        shown = {"became": sentence}
        yield Finding(Code.tool_text_promoted, told.event.tier, 86, note, shown, after=(at, index, start, end))


_OWN_VOICE: Final = _HUMAN | {Provenance.agent}


def _without_lead(plain: str) -> str:
    """An order without who is said to give it."""
    return re.sub(
        r"^(?:(?:the )?user (?:wants|asked|said|requires|instructed)(?: us| you| the agent)?(?: that| to)?:?"
        r"|[a-z ]{1,24}:)\s*[\"']?",
        "",
        plain,
    ).strip("\"' .")


def _orders_something(sentence: str) -> bool:
    told = words(sentence)
    folded = set(told)
    first = next((word for word in told if word not in ("please", "always", "then", "now", "also")), "")
    return first in IMPERATIVES or bool(folded & {"must", "always", "never", "should", "shall"})


def _of_a_summary(told: _Told) -> Iterator[Finding]:
    """What it was made from was a summary already."""
    for ref, part in told.removed:
        if Mark.summary in part.marks or part.provenance is Provenance.foreign:
            note = "it was made from an earlier summary: what that had lost cannot be in it"
            yield Finding(Code.summary_of_summary, Tier.proven, 20, note, ref=ref)
            return


# The view -------------------------------------------------------------------------------------------


def _rapid(event: Event, previous: Event | None) -> Iterator[Finding]:
    """It came right after the one before."""
    if previous is None or event.mechanism is not previous.mechanism or _clears(event):
        return
    fresh = sum(1 for message in event.before[len(previous.after) :] if message.role == "assistant")
    agents = fresh if event.before[: len(previous.after)] == previous.after else event.at - previous.at
    if agents < _RAPID_CALLS:
        note = f"{agents} answers of the agent after the compaction before it"
        yield Finding(Code.recompacted_rapidly, Tier.proven, 30, note, data={"answers": agents})


def _torn(event: Event) -> Iterator[Finding]:
    """A call or a result whose other half was there before, and is not now."""
    for kind, other, name in ((Kind.call, Kind.result, "result"), (Kind.result, Kind.call, "call")):
        whole = _ids(event.before, Kind.call) & _ids(event.before, Kind.result)
        torn = (_ids(event.after, kind) - _ids(event.after, other)) & whole
        if torn:
            note = f"{len(torn)} exchanges stand without their {name}"
            yield Finding(Code.exchange_broken, Tier.proven, 74, note, count=len(torn))


def _ids(messages: Sequence[Message], kind: Kind) -> set[str]:
    return {
        part.call_id
        for message in messages
        for part in message.parts
        if part.kind is kind and part.call_id is not None
    }


def _request(event: Event) -> Iterator[Finding]:
    """The newest thing that a person asked for is not there, neither in its words nor by what it names."""
    newest = next(
        (
            (at, index, part)
            for at in range(len(event.before) - 1, -1, -1)
            for index, part in reversed(list(enumerate(event.before[at].parts)))
            if part.kind is Kind.text and part.provenance is Provenance.user
        ),
        None,
    )
    if newest is None or event.opaque or (newest[0], newest[1]) not in set(event.removed):
        return
    at, index, part = newest
    after = " ".join("\n".join(p.text for m in event.after for p in m.parts).split()).casefold()
    said = " ".join(part.text.split()).casefold()
    if said in after:
        return
    handles = [one.value.casefold() for one in extract(part.text) if len(one.value) > 3]
    if handles and any(one in after for one in handles):
        return
    rare = {stem(word) for word in words(part.text) if len(word) > 3 and not common(word)}
    standing = sum(word in after for word in rare)
    if rare and standing * 2 >= len(rare):
        return
    note = "the newest request stands neither in its words nor by what it names"
    tier = Tier.inferred if rare or handles else event.tier
    if not rare and not handles:
        return  # `yes, do it`: nothing to look for but the words, and they may be told in others
    yield Finding(Code.request_lost, tier, 65, note, {"original": part.text}, ref=(at, index))

