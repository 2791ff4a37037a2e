"""What a replacement makes up: agreements that nobody gave, orders that no person gave.

Who is said to have agreed or ordered something must have said so. Words in quotation marks must stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from cenotaph.core.audit.model import Code, Event, Finding, Tier
from cenotaph.core.audit.replacement.told import HUMAN, Told, Unit, rare_words, same_language
from cenotaph.core.audit.statements import is_prose
from cenotaph.core.audit.verdicts.words import word_set
from cenotaph.core.claims import normal, quotes_in, stem
from cenotaph.core.model import Kind, Mark, Part, Provenance
from cenotaph.core.statements import sentences, words
from cenotaph.core.wording import IMPERATIVES, PERSONS

__all__ = ["made_up"]

_EACH_MAX: Final = 20
"""So many things of one kind that a replacement makes up are told; a person has seen enough by then."""


_LOOKED_AT_MAX: Final = 1_000
"""So many claims of one kind are looked for in what a replacement was made from."""


def made_up(told: Told) -> Iterator[Finding]:
    """Agreements, quotations and orders in the replacement that nobody gave."""
    for finder in (_consents, _approvals, _quotations, _orders, _bans, _promoted):
        yield from islice(finder(told), _EACH_MAX)


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
_LEAVE: Final = re.compile(
    r"\b(?:i (?:approve|authori[sz]e|agree|consent|confirm|permit|allow|grant|accept)|(?:approv|agre|authori[sz])ed"
    r"|(?:confirm|permitt|allow|grant|accept)ed|signed off|go ahead|green light|do it|go for it|ship it|please do"
    r"|proceed|lgtm|sounds good|looks good|you may|feel free|up to you)\b",
    re.IGNORECASE,
)
"""How a person gives leave."""
_YES: Final = re.compile(
    r"\W*(?:(?:yes|yep|yeah|yup|ok(?:ay)?|k|sure|fine|good|great|perfect|correct|right|exactly|absolutely|of course"
    r"|do it|please do|ja|oui|sí|si|sim|да|хорошо)\b|好|はい|可以|네)",
    re.IGNORECASE,
)
"""How a person's message begins that says yes to what came before it."""
_REPORTED: Final = word_set("confirmed allowed permitted accepted")
"""Acts of which a person may be said who only told how things are."""
_PLACES_MAX: Final = 50
_AGREED_WORDS_MIN: Final = 2
_CLAIM_WORDS_MIN: Final = 3
_ANSWERED_CHARS_MAX: Final = 2_000
_ACTS: Final = frozenset({Mark.answer, Mark.approval})


def _consents(told: Told) -> Iterator[Finding]:
    """Agreement that is put into somebody's mouth: nobody agreed to anything, or to nothing of that kind."""
    if told.event.tier is Tier.at_risk:
        return
    claims = [(unit, found) for unit in told.units if (found := _AGREED.search(unit[0])) and not _OPEN.search(unit[0])]
    if not claims:
        return
    agreed = list(_agreements(told.event))
    for (sentence, at, index, start, end), found in claims[:_LOOKED_AT_MAX]:
        act = found[1] or found[2]
        named = _named(sentence, act)
        if not agreed:
            if act.casefold() in _REPORTED and _stands_in(named, told.human, 2):
                continue
            weight, note = 88, "an agreement stands that nobody gave before"
        elif len(named) >= _AGREED_WORDS_MIN and not any(one in text for one in named for text in agreed):
            weight, note = 80, "an agreement stands, and nothing that it names was spoken of where somebody agreed"
        else:
            continue
        shown = {"became": sentence}
        yield Finding(Code.consent_fabricated, Tier.inferred, weight, note, shown, after=(at, index, start, end))


_PASSIVE: Final = re.compile(
    r"\b(?:was|were|is|are|has been|have been) (?:(?:already|explicitly|now|also) ){0,2}"
    r"(approved|authori[sz]ed|signed off|green-?lit)\b",
    re.IGNORECASE,
)


def _approvals(told: Told) -> Iterator[Finding]:
    """What is said to be approved, by nobody in particular, where nothing before says so and nobody agreed to it."""
    if told.event.tier is Tier.at_risk:
        return
    claims = [
        (unit, found)
        for unit in told.units
        if (found := _PASSIVE.search(unit[0])) and not _OPEN.search(unit[0]) and not _AGREED.search(unit[0])
    ]
    if not claims or any(_agreements(told.event)):
        return
    for (sentence, at, index, start, end), found in claims[:_LOOKED_AT_MAX]:
        if not any(_OPEN.search(said) is None for said in _sayings(stem(found[1].split()[0].casefold()), told.before)):
            note = "something stands as approved that nothing before says was approved"
            shown = {"became": sentence}
            yield Finding(Code.consent_fabricated, Tier.inferred, 84, note, shown, after=(at, index, start, end))


def _sayings(word: str, text: str) -> Iterator[str]:
    """The surroundings of a word in a text, to the ends of its sentence; of a very frequent word the first ones."""
    at = text.find(word)
    for _ in range(_PLACES_MAX):
        if at < 0:
            return
        left, right = max(0, at - _AROUND_CHARS), at + _AROUND_CHARS
        start = max(text.rfind(sign, left, at) for sign in (". ", "! ", "? ", "; "))
        ends = [end for sign in (". ", "! ", "? ", "; ") if (end := text.find(sign, at, right)) >= 0]
        yield text[max(start, left) : min(ends, default=right)]
        at = text.find(word, at + 1)


_AROUND_CHARS: Final = 160


def _named(sentence: str, *but: str) -> set[str]:
    """Stems of what a sentence speaks of, without who is said to have said it and how."""
    left_out = PERSONS | _WAYS | {word for one in but for word in words(one)}
    return {stem(word.removesuffix("'s").removesuffix("’s")) for word in rare_words(sentence, 3) - left_out}


_WAYS: Final = word_set("approval permission consent authorization explicitly already team manager managers verbatim")


def _stands_in(named: set[str], text: str, one_in: int) -> bool:
    return one_in * sum(one in text for one in named) >= len(named)


def _agreements(event: Event) -> Iterator[str]:
    """What each agreement speaks of, case folded: the words themselves and what they answer."""
    calls = {part.call_id: part.text for message in event.before for part in message.parts if part.kind is Kind.call}
    asked = ""
    for message in event.before:
        for part in message.parts:
            if part.marks & _ACTS:
                yield f"{calls.get(part.call_id, '')} {part.text}".casefold()
            elif part.kind is Kind.call or (part.kind is Kind.text and part.provenance is Provenance.agent):
                asked = f"{asked} {part.text}"[-_ANSWERED_CHARS_MAX:]
            elif part.kind is Kind.text and part.provenance in HUMAN:
                if _agrees(part):
                    yield f"{asked} {part.text}".casefold()
                asked = asked if part.provenance is not Provenance.user else ""


def _agrees(part: Part) -> bool:
    """A person says yes to what was asked, or gives leave; what is asked, denied or still open is neither."""
    own = part.provenance is Provenance.user
    if own and _YES.match(part.text):
        return True
    leave = _LEAVE if own else _AGREED  # of what a system tells, only that a person agreed
    if leave.search(part.text) is None:
        return False
    told = (part.text[one.start : one.end] for one in sentences(part.text))
    return any(leave.search(one) and not _OPEN.search(one) and not one.rstrip().endswith("?") for one in told)


def _quotations(told: Told) -> Iterator[Finding]:
    """Words in quotation marks that are put down to a person who never wrote them."""
    if told.event.tier is Tier.at_risk:
        return
    for sentence, at, index, start, end in told.units:
        folded = set(words(sentence))
        if not folded & (PERSONS | {"user's"}):
            continue
        for quote in quotes_in(sentence):
            plain = " ".join(quote.casefold().split()).strip(" .!?…")
            if len(plain.split()) < 3 or plain in told.before or _ASKS_FOR_SUMMARY.search(plain):
                continue
            if _pieces_stand(plain, told.human) or _nearly_stands(plain, told):
                continue
            note = "words stand in quotation marks that the person named never wrote"
            yield Finding(
                Code.instruction_fabricated, Tier.inferred, 60, note, {"became": quote}, after=(at, index, start, end)
            )


_ASKS_FOR_SUMMARY: Final = re.compile(r"\b(?:create|write|provide|generate|produce)\b.{0,40}\bsummary\b")
"""The order to write the replacement stands in no history."""
_ORDERED: Final = re.compile(
    r"\b(?:users?|customers?|clients?|humans?|owners?|operators?)\s+"
    r"(?:(?:has|have|had|then|also|later|explicitly|now|further)\s+){0,4}"
    r"(?:asked|wants?|wanted|requested|instructed|told|ordered|requires?|required|demanded|demands|directed"
    r"|insisted|insists|decided|specified)\b",
    re.IGNORECASE,
)


def _orders(told: Told) -> Iterator[Finding]:
    """What a person is said to have ordered, of which neither people nor the agent ever spoke."""
    if told.event.tier is Tier.at_risk:
        return
    claims = [(unit, found) for unit in told.units if (found := _ORDERED.search(unit[0])) is not None]
    if not claims or not same_language(told.own, told.spoken):
        return
    for (sentence, at, index, start, end), found in claims[:_LOOKED_AT_MAX]:
        named = _named(sentence[found.end() :])
        if len(named) < _CLAIM_WORDS_MIN or _STRANGE_SHARE * sum(one in told.spoken for one in named) > len(named):
            continue
        shown, place = {"became": sentence}, (at, index, start, end)
        if _stands_in(named, told.before, 1):
            note = "what only the output of a tool speaks of stands as a person's order"
            yield Finding(Code.tool_text_promoted, Tier.inferred, 75, note, shown, after=place)
        elif not any(quote for quote in quotes_in(sentence)):
            note = "an order is put down to a person of which nobody spoke"
            yield Finding(Code.instruction_fabricated, Tier.inferred, 62, note, shown, after=place)


_BAN: Final = re.compile(r"\b(?:never|must not|mustn't|do not|don't|may not|forbidden|prohibited)\b", re.IGNORECASE)
_AS_A_RULE: Final = re.compile(
    r"\b(?:constraints?|rules?|requirements?|instructions?|polic(?:y|ies)|restrictions?|prohibitions?)\b", re.IGNORECASE
)
_BOUND: Final = re.compile(
    r"n't\b|\b(?:not|never|no|only|avoid|leave|alone|keep|stay|off|skip|without|stop|except|unless|until|forbid\w*"
    r"|prohibit\w*|ban\w*|read-only|must|refrain|exclude\w*|ignore\w*)\b"
)


def _bans(told: Told) -> Iterator[Finding]:
    """A prohibition that is called a rule, where nothing that stood before binds anybody in what it speaks of."""
    if told.event.tier is Tier.at_risk:
        return
    claims = [(unit, found) for unit in told.units if (found := _BAN.search(unit[0])) and _AS_A_RULE.search(unit[0])]
    if not claims or not same_language(told.own, told.before):
        return
    for (sentence, at, index, start, end), found in claims[:_LOOKED_AT_MAX]:
        named = _named(sentence[found.end() :])
        if named and not any(_BOUND.search(said) for word in named for said in _sayings(word, told.before)):
            note = "a prohibition stands as a rule, and nothing before forbids anything of that kind"
            shown = {"became": sentence}
            yield Finding(Code.instruction_fabricated, Tier.inferred, 70, note, shown, after=(at, index, start, end))


_STRANGE_SHARE: Final = 4
"""One in so many of the words of an order may stand by chance."""


def _pieces_stand(quote: str, human: str) -> bool:
    """A quotation with an omission: each piece of it stands."""
    pieces = [piece.strip() for piece in re.split(r"\.{3}|…|\[[^\]]*\]", quote)]
    return len(pieces) > 1 and all(piece in human for piece in pieces if piece)


_NEARLY: Final = (7, 10)


def _nearly_stands(quote: str, told: Told) -> bool:
    """A quotation that mends a spelling or leaves out a word: most of its words stand close together."""
    wanted = set(words(quote))
    standing = wanted & told.human_words
    if len(standing) * _NEARLY[1] < len(wanted) * _NEARLY[0]:
        return False
    human = told.human
    for rare in sorted(standing, key=len, reverse=True)[:2]:
        at = human.find(rare)
        for _ in range(_PLACES_MAX):
            if at < 0:
                break
            around = set(words(human[max(0, at - 2 * len(quote)) : at + 2 * len(quote)]))
            if len(wanted & around) * _NEARLY[1] >= len(wanted) * _NEARLY[0]:
                return True
            at = human.find(rare, at + 1)
    return False


def _promoted(told: Told) -> Iterator[Finding]:
    """An order that only the text of a tool gave, and that stands as anybody's."""
    orders = list(islice(_order_units(told), _LOOKED_AT_MAX))
    known = set(words(told.before)) if len(orders) > _ORDERS_FEW else None
    for core, plain, (sentence, at, index, start, end) in orders:
        if known is not None and not known.issuperset(words(core)):
            continue
        if core not in told.before or core in told.spoken or core not in told.data:
            continue
        text = told.event.after[at].parts[index].text
        if _SOURCE.search(plain.replace(core, " ")) or _SOURCE.search(_heading(text, start).casefold()):
            continue  # it says where it has it from
        note = "an order that only the output of a tool gave stands as a rule"
        shown = {"became": sentence}
        yield Finding(Code.tool_text_promoted, told.event.tier, 86, note, shown, after=(at, index, start, end))


_ORDERS_FEW: Final = 100
"""With more orders than this it pays to know all words that stood first."""


def _order_units(told: Told) -> Iterator[tuple[str, str, Unit]]:
    """(the order itself, its whole sentence evened, the unit) of each sentence of the replacement that orders, once."""
    seen: set[str] = set()
    for unit in told.units:
        plain = normal(unit[0]).casefold().strip("\"'`*_ ")
        core = _without_lead(plain)
        if core in seen or len(plain) < 20 or len(core) < 16 or not is_prose(unit[0]) or _DIAGNOSTIC.match(plain):
            continue
        seen.add(core)
        if _orders_something(unit[0]) or _orders_something(core):
            yield core, plain, unit


_SOURCE: Final = re.compile(r"\b(?:tool|output|file|page|result|log|readme|docs?|says|said|contains|returned|reads)\b")
_HEADING_CHARS_MAX: Final = 2_000


def _heading(text: str, at: int) -> str:
    """The nearest line before a place that opens a list or a section; "" if none does."""
    lines = text[max(0, at - _HEADING_CHARS_MAX) : at].rstrip(" -*+•").split("\n")
    return next((line for line in reversed(lines) if line.startswith("#") or line.rstrip("* ").endswith(":")), "")


def _without_lead(plain: str) -> str:
    """An order without who is said to give it."""
    return re.sub(
        r"^(?:(?:the )?user (?:wants|asked|said|requires|instructed)(?: us| you| the agent)?(?: that| to)?:?"
        r"|[a-z ]{1,24}(?:\([a-z ]{1,24}\))?:)\s*[\"']?",
        "",
        plain,
    ).strip("\"' .")


_DIAGNOSTIC: Final = re.compile(r"\S+:\d+:|[\w.]+\([\"'(]|[\w.]*(?:error|exception|warning)\b", re.IGNORECASE)
"""How a line begins that a compiler, a test or a call prints: what should be, and no order."""
_ADDRESSED: Final = word_set("you your agent assistant we users developers")


def _orders_something(sentence: str) -> bool:
    told = words(sentence)
    folded = set(told)
    first = next((word for word in told if word not in ("please", "always", "then", "now", "also")), "")
    if first in IMPERATIVES or folded & {"must", "always", "never"}:
        return True
    return bool(folded & {"should", "shall"}) and bool(folded & _ADDRESSED)
