"""What is judged: the authoritative statements of what was removed, sentence by sentence.

A person's words, system and developer text, a person's acts inside results, and what the agent said of the
state of a step. Text of tools, of the machinery around an agent and payloads that a person pasted bind
nobody, so they are no statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from cenotaph.core.audit.model import Event, Passage, Ref, Statement
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance
from cenotaph.core.payloads import payload_ranges
from cenotaph.core.statements import sentences, states, words

__all__ = ["is_prose", "passages_of", "said_before", "statements_in", "statements_of", "turns_of"]

_BINDING: Final = frozenset({Provenance.user, Provenance.system, Provenance.developer})
_ACTS: Final = frozenset({Mark.rejection, Mark.answer, Mark.approval})
_SPEAKING: Final = _BINDING | {Provenance.agent, Provenance.foreign, Provenance.compactor, Provenance.harness}


def statements_of(
    event: Event, turns: Sequence[int | None], span_ids: Mapping[Ref, str] | None = None
) -> list[Statement]:
    """The authoritative statements of what an event removed, in order, equal ones of one speaker once.

    Args:
        event: A compaction.
        turns: Turn of each message of `event.before`; None where it is not known.
        span_ids: Ids of spans by part; None leaves `Statement.span` None.
    """
    last = _last_words(event.before)
    seen: set[tuple[str, Provenance]] = set()
    found: list[Statement] = []
    for ref in event.removed:
        part = event.before[ref[0]].parts[ref[1]]
        for start, end in _places(part, ref in last):
            text = part.text[start:end]
            known = (" ".join(text.split()), part.provenance)
            if known not in seen:
                seen.add(known)
                found.append(_statement(part, ref, start, end, turns, span_ids))
    return found


def statements_in(
    before: Sequence[Message],
    texts: Iterable[str],
    turns: Sequence[int | None],
    span_ids: Mapping[Ref, str] | None = None,
) -> list[Statement]:
    """Words that a caller gave, judged as a person's, each where it first stands in what a person said.

    Args:
        before: What the model was sent before.
        texts: In the order in which they are to be judged.
        turns, span_ids: As for `statements_of`.
    """
    return [_given(before, text, turns, span_ids) for text in texts]


def _given(
    before: Sequence[Message], text: str, turns: Sequence[int | None], span_ids: Mapping[Ref, str] | None
) -> Statement:
    wanted = " ".join(text.split())
    for ref, part in _parts(before):
        if part.provenance is not Provenance.user or wanted[:1] not in part.text:
            continue
        start = part.text.find(text)
        if start >= 0:
            return Statement(
                text, Provenance.user, ref, start, start + len(text), (span_ids or {}).get(ref), turns[ref[0]]
            )
    for ref, part in _parts(before):
        if part.provenance is Provenance.user and wanted in " ".join(part.text.split()):
            return Statement(text, Provenance.user, ref, 0, len(part.text), (span_ids or {}).get(ref), turns[ref[0]])
    return Statement(text, Provenance.user, end=len(text))


def passages_of(event: Event, counted: Callable[[Message], bool] = lambda _: True) -> list[Passage]:
    """Every text that a statement can stand in after an event, with who says it.

    Args:
        event: A compaction.
        counted: Which messages of `after` are looked at.
    """
    replacing = set(event.replacement)
    return [
        Passage(part.text, part.provenance, message, index, message in replacing)
        for message, read in enumerate(event.after)
        if counted(read)
        for index, part in enumerate(read.parts)
        if part.text and (_speaks(part) or part.marks & _ACTS)
    ]


def said_before(event: Event) -> frozenset[str]:
    """Every sentence that people and the system said before, evened: none of these is another one, changed."""
    return frozenset(
        " ".join(part.text[one.start : one.end].split())
        for message in event.before
        for part in message.parts
        if part.kind is Kind.text and part.provenance in _BINDING
        for one in sentences(part.text)
    )


_PASTED: Final = ("{", "[", "|", "│", "//", "/*", "$", "<", "at ", "+", "@@", "---", "===", ">>>", '"')
_LOG_LINE: Final = re.compile(
    r"[\w./\\-]+\.\w{1,5}:\d+\b|\d{4}-\d\d-\d\d[T ]\d\d:|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE)\b[\]:]"
)
_PROSE_SHARE: Final = 0.8


def is_prose(text: str) -> bool:
    """What somebody says, and no line of a log, a table, a diff or code."""
    bare = text.strip().removeprefix("- ").removeprefix("* ")
    if _LOG_LINE.match(bare):
        return False
    told = sum(sign.isalpha() or sign.isspace() for sign in bare)
    return not bare.startswith(_PASTED) and told >= _PROSE_SHARE * len(bare) and not bare.endswith(("{", ";"))


def turns_of(messages: Sequence[Message]) -> list[int]:
    """The turn in which each message stands: 0 before a person spoke; what a person says in a row is one turn."""
    turns: list[int] = []
    turn, after_human = 0, False
    for message in messages:
        for part in message.parts:
            if part.provenance is Provenance.user and part.kind in (Kind.text, Kind.media):
                turn += not after_human
                after_human = True
            elif part.provenance in (Provenance.agent, Provenance.tool):
                after_human = False
        turns.append(turn)
    return turns


def _speaks(part: Part) -> bool:
    return part.kind is Kind.text and part.provenance in _SPEAKING


def _parts(messages: Sequence[Message]) -> Iterator[tuple[Ref, Part]]:
    for at, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if part.text and part.kind is Kind.text:
                yield (at, index), part


def _last_words(messages: Sequence[Message]) -> set[Ref]:
    """The agent's last texts of each turn: what it told a person, not what it said to itself on the way."""
    found: set[Ref] = set()
    open_turn = False  # something of the same turn was done after this place
    for at in range(len(messages) - 1, -1, -1):
        for index in range(len(messages[at].parts) - 1, -1, -1):
            part = messages[at].parts[index]
            if part.provenance is Provenance.user and part.kind in (Kind.text, Kind.media):
                open_turn = False
            elif part.kind in (Kind.call, Kind.result):
                open_turn = True
            elif part.provenance is Provenance.agent and part.kind is Kind.text and not open_turn:
                found.add((at, index))
    return found


def _places(part: Part, last_words: bool) -> Iterator[tuple[int, int]]:
    """Where the statements of a part stand in its text."""
    if part.kind is Kind.text and part.provenance in _BINDING:
        payloads = payload_ranges(part.text, _roughly) if part.provenance is Provenance.user else []
        for sentence in sentences(part.text):
            inside = any(start <= sentence.start < end for start, end in payloads)
            told = part.text[sentence.start : sentence.end]
            if not inside and words(told) and not _is_data(told):
                yield sentence.start, sentence.end
    elif part.kind is Kind.result and part.marks & _ACTS:
        for first, last in _said_in(part):
            for sentence in sentences(part.text[first:last]):
                yield first + sentence.start, first + sentence.end
    elif part.kind is Kind.text and part.provenance is Provenance.agent:
        form = _STATUS if last_words else _LISTED
        yield from _unfinished(part.text, _UNFINISHED if last_words else _BLOCKED, form)


_DATED: Final = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_CODE: Final = re.compile(
    r"^\s*(?:if|elif|for|while|return|def|class|import|with|try|except|raise|const|let|var|func)\b.*[(:;{)]\s*$"
    r"|^\s*[\w.]+\s*(?:[-+*/|&]?=)\s*\S.*[)\]}]\s*;?$|^\s*[\w.]+\(.*\)\s*;?$"
)
_TOLD_SHARE: Final = 0.55


def _is_data(text: str) -> bool:
    """A line of a log, of data or of a diff that a person pasted: nobody says it."""
    told = sum(sign.isalpha() or sign.isspace() for sign in text)
    opens = text.startswith(("{", "}", '"', "@@ ", "+++ ", "--- ", "|-", "|:"))
    ends = text.endswith((",", "}", "{", "|", '"'))
    formed = _CODE.search(text) or _DATED.match(text)
    return (opens and ends) or formed is not None or told < _TOLD_SHARE * len(text)


_ANSWERED: Final = re.compile(r"\"=\"(.*?)\"(?=, \"|\. |\.?$|\.\n)", re.DOTALL)
_TOLD: Final = re.compile(r"the user said:\s*|<feedback>\s*|<answer>\s*|<user_message>\s*")
_ACT_CHARS_MAX: Final = 600
_BY_CLIENT: Final = (
    "The user doesn't want to",
    "[Request interrupted",
    "The user denied this",
    "User has approved your plan",
    "The user wants to clarify",
    "User has answered your questions",
)


def _said_in(part: Part) -> list[tuple[int, int]]:
    """Where a person's own words stand in a result that carries their act; nowhere if the client says it all.

    What follows an approval is the plan that was approved: the agent's words.
    """
    answers = [found.span(1) for found in _ANSWERED.finditer(part.text)]
    if answers:
        return answers
    told = _TOLD.search(part.text)
    if told is not None:
        return [(told.end(), len(part.text))]
    if Mark.approval in part.marks or part.text.startswith(_BY_CLIENT) or len(part.text) > _ACT_CHARS_MAX:
        return []
    return [(0, len(part.text))]


def _unfinished(text: str, wanted: frozenset[str], form: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The sentences that give a step a state on which somebody acts."""
    if not form.search(text):
        return
    named = [(start, end) for start, end, state in states(text) if state in wanted]
    at = 0
    for sentence in sentences(text) if named else ():
        while at < len(named) and named[at][1] <= sentence.start:
            at += 1
        if at < len(named) and named[at][0] < sentence.end:
            told = text[sentence.start : sentence.end]
            if form.search(told) and not told.endswith("?"):
                yield sentence.start, sentence.end


_STATUS: Final = re.compile(
    r"\b(?:status|state)\s*[:=-]"
    r"|\b(?:blocked|pending|awaiting|waiting|on hold|paused|held)\b\s+(?:on|for|until|by|your)\b"
    r"|\[[ xX~!/-]\]|\((?:blocked|pending|in progress|waiting|on hold)\b|[-–—:]\s*\**(?:blocked|pending|in progress)\b"
    r"|[^\x00-\x7f]",
    re.IGNORECASE,
)
"""How the state of a step is told, and not that something in the world blocks or waits."""
_LISTED: Final = re.compile(
    r"\b(?:status|state)\s*[:=-]\s*\**(?:blocked|on hold|waiting)|\[!\]|\(blocked\b|[-–—:]\s*\**BLOCKED\b"
    r"|[^\x00-\x7f].*[:：]",
    re.IGNORECASE,
)
"""The same in a list of steps: what the agent says on its way is told so, or it is no state."""
_UNFINISHED: Final = frozenset({"blocked", "pending", "in_progress"})
"""States that somebody acts on; that a step is done is told by what was done."""
_BLOCKED: Final = frozenset({"blocked"})
"""The state that holds wherever it was said: nobody may go on."""


def _roughly(text: str) -> int:
    return len(text) // 4


def _statement(
    part: Part, ref: Ref, start: int, end: int, turns: Sequence[int | None], span_ids: Mapping[Ref, str] | None
) -> Statement:
    quoted = part.kind is Kind.result
    return Statement(
        text=part.text[start:end],
        provenance=Provenance.user if quoted else part.provenance,
        ref=ref,
        start=start,
        end=end,
        span=(span_ids or {}).get(ref),
        turn=turns[ref[0]],
        quoted=quoted,
    )
