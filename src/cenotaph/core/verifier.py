"""The verifier: what a summarizer wrote stands in a view only if structure can vouch for it.

A reply is taken whole or not at all. Each line names one source and is one whole sentence of it. What is
wrong with any other line is said by a code of its own where structure shows it: a name that the source
does not hold, a prohibition, a state or a condition that is lost, consent or an order that nobody gave, a
quotation of words that nobody wrote. Where it shows nothing, the line is reworded, and refused all the
same: a word that was left out may be the one that turned the sentence round, and no check of prose finds
them all. That costs little: the structural text is always there, and it cannot say anything false.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cenotaph.core.claims import Claim, claim_of, claims_of, normal, quotes_in, stem
from cenotaph.core.model import Provenance
from cenotaph.core.statements import common, polarity, ranked_word, states
from cenotaph.core.surrogate import Count, Reply, Source, cite, cited
from cenotaph.core.tombstone import looks_like_marker
from cenotaph.core.wording import (
    ACCESS,
    ACTS,
    APPROVAL_SIGNS,
    APPROVALS,
    CONDITIONS,
    FIRST_PERSON,
    IMPERATIVES,
    ORDERS,
    PAST_FORMS,
    PERSONS,
    REPLY_OPENINGS,
    REPORTING,
)
from cenotaph.limits import summary_line_chars_max, summary_lines_max

__all__ = ["Code", "Rejection", "Verdict", "judge"]


class Code(StrEnum):
    """Why a reply is refused."""

    empty = "empty"
    """It says nothing."""
    cut_off = "cut_off"
    """It did not end by itself: the limit, a filter, or an end without a reason."""
    too_long = "too_long"
    """It is larger than the room that it was given."""
    tool_call = "tool_call"
    """It calls a tool."""
    reply_to_conversation = "reply_to_conversation"
    """It answers somebody instead of stating what the sources hold."""
    repeats_loop = "repeats_loop"
    """It says the same over and over."""
    marker_forged = "marker_forged"
    """A line looks like something that only we or a client write, or hides characters."""
    no_source = "no_source"
    """A line names no source, or no one sentence of it bears the line."""
    unknown_source = "unknown_source"
    """A line names a source that was not shown."""
    foreign_handle = "foreign_handle"
    """A line holds a name, a number, a path or a right that its source lacks."""
    invented_quote = "invented_quote"
    """A line quotes words that nobody wrote."""
    prohibition_lost_polarity = "prohibition_lost_polarity"
    """A line touches a prohibition and does not hold it verbatim."""
    state_changed = "state_changed"
    """A line gives a step another state, or leaves its state out."""
    qualifier_lost = "qualifier_lost"
    """A line leaves out a negation or a condition of its sentence."""
    invented_approval = "invented_approval"
    """A line holds a consent, a permission or a person that its sentence lacks."""
    reworded = "reworded"
    """A line is no whole sentence of its source: the words that it leaves out may be those that change it."""
    instruction = "instruction"
    """A line tells somebody to do something, and no source that may do so does."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """One reason for a refusal.

    Attributes:
        code: Which.
        line: Number of the line among those that are not blank, from 1; None for the whole reply.
        evidence: The words that gave the reason, verbatim where there are any.
    """

    code: Code
    line: int | None
    evidence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a reply.

    Attributes:
        accepted: Whether all of it may stand.
        lines: The lines for the surrogate, each ending with its source; empty if not accepted.
        rejections: For each line the reasons of the first check that it fails; empty if accepted.
    """

    accepted: bool
    lines: tuple[str, ...]
    rejections: tuple[Rejection, ...]


_REPORTING_STEMS: Final = frozenset(map(stem, REPORTING))
_ACT_STEMS: Final = frozenset(map(stem, ACTS))

_WISHED: Final = frozenset(("want", "wants", "asked"))
"""Beside these an act is still to be done, in whatever form it stands."""

_TRUSTED: Final = frozenset((Provenance.system, Provenance.developer, Provenance.user))
"""Whose words may be consent."""

_ORDERING: Final = _TRUSTED | {Provenance.agent}
"""Whose imperatives may be told in other words, or at all."""

_HIDDEN: Final = re.compile("[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_MARKER_LIKE: Final = re.compile(
    r"\[?\s*(?:evicted|summary|cenotaph)\s*:\s*[a-z_]+\s*@|\[\s*(?:evicted|summary|cenotaph)\b|not from the user\]"
    r"|</?\s*source-[0-9a-f]|recover\s*=\s*(?:cx:|no\b)|<\|[a-z_]+\|>|</?system|\(t\d+, [a-z]+, cx:"
    r"|^\W*(?:system|developer|user|human|assistant|agent|tool|function)\W*(?:t\d+\W*)?[:>]|^\W*pinned by the caller"
)
_TOOL_CALL: Final = re.compile(
    r"<\|?(?:tool_call|function_calls?|python_tag|invoke|tool_use)\b|\[TOOL_CALLS?\]|</?function=|\"tool_calls\"\s*:"
    r"|\"function_call\"\s*:|\"name\"\s*:\s*\"[^\"]*\"\s*,\s*\"(?:arguments|parameters|input)\"\s*:"
)
_CITATION: Final = re.compile(r"cx:[0-9a-f]{4,}")
_BULLET: Final = re.compile(r"(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_BACKTICKED: Final = re.compile(r"`([^`]{1,400})`")
_TIMES_MAX: Final = 2
"""How often a line, or three words of one, may stand before they are a loop."""
_SUPPORT: Final = (2, 3)
"""Of the words of a line that say something, all stand in its source and this share in its sentence."""


def judge(reply: Reply, sources: Sequence[Source], *, max_tokens: int, count: Count) -> Verdict:
    """Whether a summarizer's reply may stand.

    Args:
        reply: What it wrote.
        sources: What it was shown (`SummaryRequest.sources`); each line is held against its own.
        max_tokens: Most tokens that the text may have.
        count: Tokens of a text.

    Returns:
        All lines, or none and the reasons of each line that may not stand.
    """
    lines = [line for line in reply.text.splitlines() if line.strip()]
    found = [Rejection(code, None, evidence) for code, evidence in _whole(reply, lines, max_tokens, count)]
    taken: list[str] = []
    if not any(rejection.code in (Code.empty, Code.too_long) for rejection in found):
        read = {source.handle: _Read(source) for source in sources}
        for number, line in enumerate(lines, 1):
            statement, reasons = _line(line, read)
            first = dict(reversed(reasons))
            found.extend(Rejection(code, number, first[code]) for code in dict.fromkeys(code for code, _ in reasons))
            taken.append(statement)
    return Verdict(not found, () if found else tuple(taken), tuple(found))


_Reason = tuple[Code, str]


def _whole(reply: Reply, lines: Sequence[str], max_tokens: int, count: Count) -> Iterator[_Reason]:
    if reply.finish == "tool":
        yield Code.tool_call, "the reply ends with a call of a tool"
    elif reply.finish != "stop":
        yield Code.cut_off, f"the reply ended by {reply.finish!r}"
    if not lines:
        yield Code.empty, ""
        return
    if len(lines) > summary_lines_max or max(map(len, lines)) > summary_line_chars_max:
        yield Code.too_long, f"{len(lines)} lines, the longest of {max(map(len, lines))} characters"
        return
    tokens = count(reply.text)
    if tokens > max_tokens:
        yield Code.too_long, f"{tokens} tokens where {max_tokens} are allowed"
        return
    said = Tally(normal(line) for line in lines)
    line, times = said.most_common(1)[0]
    if times > _TIMES_MAX:
        yield Code.repeats_loop, line


@dataclass(slots=True)
class _Read:
    """A source with its claims; they are read once, when a line first needs them."""

    source: Source
    _claims: list[Claim] | None = None
    _verbatim: frozenset[str] | None = None

    @property
    def claims(self) -> list[Claim]:
        if self._claims is None:
            self._claims = claims_of(self.source.text)
        return self._claims

    @property
    def verbatim(self) -> frozenset[str]:
        if self._verbatim is None:
            whole = (normal(line) for line in self.source.text.splitlines())
            self._verbatim = frozenset((*(claim.normal for claim in self.claims), *whole)) - {""}
        return self._verbatim


def _line(line: str, read: dict[str, _Read]) -> tuple[str, list[_Reason]]:
    """The line as it would stand, and why it may not."""
    line = line.strip()
    forged = list(_forged(line))
    named = cited(line)
    if named is None:
        return line, forged or [_uncited(line)]
    statement, handle = named
    found = read.get(handle)
    if forged or found is None:
        return line, forged or [(Code.unknown_source, handle)]
    foreign = [m.group() for m in _CITATION.finditer(statement) if m.group() not in found.source.text]
    if foreign:
        return line, [(Code.marker_forged, foreign[0])]
    copied = normal(statement) in found.verbatim
    if not copied:
        bullet = _BULLET.match(statement)
        statement = statement[bullet.end() :] if bullet else statement
    reasons = list(_commands(statement, found)) if copied else _told(statement, found)
    reasons += list(_consents(statement, found)) if copied and not reasons else []
    if not copied and not reasons:
        reasons = [(Code.reworded, statement)]
    return cite(statement, handle), reasons


def _forged(line: str) -> Iterator[_Reason]:
    hidden = _HIDDEN.search(line)
    if hidden:
        yield Code.marker_forged, f"character U+{ord(hidden.group()):04X}"
    plain = unicodedata.normalize("NFKC", line).replace("【", "[").casefold()
    found = _MARKER_LIKE.search(plain)
    if found or looks_like_marker(line):
        yield Code.marker_forged, found.group() if found else line[:80]


def _uncited(line: str) -> _Reason:
    if _TOOL_CALL.search(line):
        return Code.tool_call, line[:80]
    if _opens_a_reply(line) or line.rstrip("*_ ").endswith(("?", "？")):
        return Code.reply_to_conversation, line[:80]
    return Code.no_source, line[:80]


def _opens_a_reply(line: str) -> bool:
    plain = line.strip("*_#> ").casefold().replace("’", "'")
    return any(plain.startswith(opening) and not plain[len(opening) :][:1].isalpha() for opening in REPLY_OPENINGS)


# A line in other words ----------------------------------------------------------------------------


def _told(statement: str, read: _Read) -> list[_Reason]:
    """Why a line that is no copy may not stand: the reasons of the first check that has any."""
    claim = claim_of(statement)
    checks = (
        _called(statement),
        _spoken(claim, read),
        _loops(statement),
        _quoted(statement, read),
        _touched(claim, read),
        _commands(statement, read),
        _persons(claim, read),
        _exact(claim, read),
        _rests(claim, read),
    )
    return next((reasons for check in checks if (reasons := list(check))), [])


def _called(statement: str) -> Iterator[_Reason]:
    if _TOOL_CALL.search(statement):
        yield Code.tool_call, statement[:80]


def _exact(claim: Claim, read: _Read) -> Iterator[_Reason]:
    """Names, numbers, paths and rights that stand nowhere in the source."""
    for _, value in claim.exact:
        if not any(value in other.values for other in read.claims):
            yield Code.foreign_handle, value
    for word in claim.words:
        if word in ACCESS and not _said(word, read):
            yield Code.foreign_handle, word


def _said(word: str, read: _Read) -> bool:
    return any(word in claim.words for claim in read.claims)


def _spoken(claim: Claim, read: _Read) -> Iterator[_Reason]:
    """A reply to somebody, or words of an `I` that the source does not speak as."""
    if _opens_a_reply(claim.text) or claim.text.rstrip("*_ ").endswith(("?", "？")):
        yield Code.reply_to_conversation, claim.text[:80]
        return
    first = next((word for word in claim.words if word in FIRST_PERSON and not _said(word, read)), None)
    if first:
        yield Code.reply_to_conversation, first


def _loops(statement: str) -> Iterator[_Reason]:
    told = statement.casefold().split()
    runs = Tally(zip(told, told[1:], told[2:], strict=False))
    run, times = runs.most_common(1)[0] if runs else ((), 0)
    if times > _TIMES_MAX:
        yield Code.repeats_loop, " ".join(run)


def _quoted(statement: str, read: _Read) -> Iterator[_Reason]:
    whole = " ".join(read.source.text.split())
    for quote in quotes_in(statement):
        if " ".join(quote.split()) not in whole:
            yield Code.invented_quote, quote
    for literal in _BACKTICKED.findall(statement):
        if " ".join(literal.split()) not in whole:
            yield Code.foreign_handle, literal


def _touched(claim: Claim, read: _Read) -> Iterator[_Reason]:
    """Prohibitions and unfinished states of the things that a line names: it holds them, or it goes."""
    for other in read.claims:
        shares = _share_a_handle(claim.handles, other.handles)
        if other.polarity == "must_not" and (shares or _overlap(claim, other)) and other.normal not in claim.text:
            yield Code.prohibition_lost_polarity, other.text
        elif shares and not (other.states - {"done"}) <= claim.states:
            yield Code.state_changed, other.text


def _share_a_handle(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether both name one thing, or one names what the other holds (`/etc/prod` and a file in it)."""
    return any(a == b or a.startswith(b + "/") or b.startswith(a + "/") for a in ours for b in theirs)


def _overlap(claim: Claim, other: Claim) -> bool:
    shared = len(claim.stems & other.stems)
    return shared >= _TIMES_MAX and 2 * shared >= min(len(other.stems), len(claim.stems))


def _commands(statement: str, read: _Read) -> Iterator[_Reason]:
    """An order that no source gives, or one whose source may not give any."""
    plain = statement.strip("*_#>- ").casefold().replace("’", "'")
    verb = re.match(r"(?:(?:please|then|now|also|first|finally|always)[, ]+)*([^\W\d_]+)", plain)
    word = verb[1] if verb else ""
    ordered = next((order for order in ORDERS if re.search(rf"\b{re.escape(order)}\b", plain)), None)
    if word not in IMPERATIVES and ordered is None:
        return
    if read.source.provenance not in _ORDERING:
        yield Code.instruction, statement[:80]
    elif word in IMPERATIVES and not any(word in claim.words for claim in read.claims):
        yield Code.instruction, word
    elif ordered is not None and ordered not in " ".join(read.source.text.casefold().replace("’", "'").split()):
        yield Code.instruction, ordered


def _consents(statement: str, read: _Read) -> Iterator[_Reason]:
    """The agent's own word that a person agreed: only that person's words could say so."""
    words = claim_of(statement).words
    word = next((word for word in words if word in APPROVALS), None)
    if word and read.source.provenance is not Provenance.user and any(other in PERSONS for other in words):
        yield Code.invented_approval, word


def _persons(claim: Claim, read: _Read) -> Iterator[_Reason]:
    if read.source.provenance is Provenance.user:
        return
    named = next((word for word in claim.words if word in PERSONS and not _said(word, read)), None)
    if named:
        yield Code.invented_approval, named


def _rests(claim: Claim, read: _Read) -> Iterator[_Reason]:
    """Why no sentence of the source bears the line: the reasons of the one that comes nearest."""
    bearing = [other for other in read.claims if other.holds_in_order(claim.exact)]
    if not bearing:
        yield Code.no_source, "no one sentence of the source names all of this in this order"
        return
    nearest = max(bearing, key=lambda other: (len(claim.stems & other.stems), -len(other.stems)))
    reasons = [*_added(claim, nearest, read), *_left_out(claim, nearest)]
    yield from reasons
    told = claim.stems - _REPORTING_STEMS
    unheard = told - frozenset().union(*(other.stems for other in read.claims))
    if not reasons and (unheard or _SUPPORT[1] * len(told & nearest.stems) < _SUPPORT[0] * len(told)):
        yield Code.no_source, " ".join(sorted(unheard or told - nearest.stems))


def _added(claim: Claim, nearest: Claim, read: _Read) -> Iterator[_Reason]:
    """What a line claims beyond its sentence."""
    for word in claim.words:
        if word in APPROVALS and (word not in nearest.words or read.source.provenance not in _TRUSTED):
            yield Code.invented_approval, word
    for sign in APPROVAL_SIGNS:
        if sign in claim.text.casefold() and sign not in nearest.text.casefold():
            yield Code.invented_approval, sign
    permits = next((word for word in claim.words if polarity(word) == "may"), None)
    if permits and claim.polarity == "may" and nearest.polarity != "may" and permits not in nearest.words:
        yield Code.invented_approval, permits
    if not claim.states <= nearest.states:
        yield Code.state_changed, ", ".join(sorted(claim.states - nearest.states))
    stems = {stem(word) for word in nearest.words}
    wished = bool(_WISHED & set(claim.words))
    for at, word in enumerate(claim.words):
        known = stem(word) in stems or word in REPORTING
        if stem(word) in _ACT_STEMS and not wished:
            known = word in nearest.words  # `raise the request` is not `raised the request`
        if known or word in APPROVALS or word == permits or states(word):
            continue
        if stem(word) in _ACT_STEMS or ranked_word(word):
            yield Code.no_source, word
        elif at == 0 and claim.text[:1].isupper() and not (common(word) or word.endswith("ed") or word in PAST_FORMS):
            yield Code.foreign_handle, word


def _left_out(claim: Claim, nearest: Claim) -> Iterator[_Reason]:
    """What a line leaves out that turns its sentence round."""
    if nearest.polarity == "must_not" and nearest.normal not in claim.text:
        yield Code.prohibition_lost_polarity, nearest.text
    elif claim.denials != nearest.denials:
        yield Code.qualifier_lost, nearest.text
    if not nearest.states <= claim.states:
        yield Code.state_changed, ", ".join(sorted(nearest.states - claim.states))
    lost = [word for word in nearest.words if word in CONDITIONS and word not in claim.words]
    if lost:
        yield Code.qualifier_lost, lost[0]
