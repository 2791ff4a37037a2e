"""What happened afterwards: what was paid twice, what failed, what was tried again, and what was done against a rule.

The agent's calls are walked once. Every figure has its numerator and its denominator, and each stands by
the distance from the compaction. A violation is certain only where a person's plain prohibition of changes
names the thing, nothing in it makes an exception, nobody took it back, and the call's own form shows the write.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from cenotaph.core.audit.calls import Act, Target, acts_in, command_of
from cenotaph.core.audit.model import Chronicle, Code, Finding, Judgement, Tier
from cenotaph.core.audit.statements import turns_of
from cenotaph.core.audit.verdict_words import CANCELLING, PERMITTING, word_set
from cenotaph.core.claims import claim_of, stem
from cenotaph.core.handles import extract, extract_outer
from cenotaph.core.ids import JSON, canonical_json
from cenotaph.core.model import Kind, Message, Provenance
from cenotaph.core.statements import polarity, sentences, words
from cenotaph.core.tools import Tools

__all__ = ["Aftermath", "Window", "aftermath"]

_WINDOW_CALLS: Final = 20
"""Calls before and right after a compaction whose outcomes are compared with the rest."""
_SHOWN_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class Window:
    """Outcomes of calls.

    Attributes:
        calls: How many were answered.
        failed: How many of them failed.
        rejected: How many of them a person refused.
    """

    calls: int = 0
    failed: int = 0
    rejected: int = 0

    @classmethod
    def of(cls, acts: Sequence[Act]) -> Window:
        answered = [act for act in acts if act.answered]
        return cls(
            len(answered), sum(act.failed for act in answered), sum(act.rejected for act in answered)
        )

    def __add__(self, other: Window) -> Window:
        return Window(self.calls + other.calls, self.failed + other.failed, self.rejected + other.rejected)

    def to_dict(self) -> dict[str, JSON]:
        return {"calls": self.calls, "failed": self.failed, "rejected": self.rejected}


@dataclass(frozen=True, slots=True)
class After:
    """What followed one compaction.

    Attributes:
        number: Of the compaction, from 1.
        before: The last calls before it.
        at: The first calls after it.
        rest: All later ones, up to the next compaction.
        read_again: Things that were read again though nothing had changed them.
        read_again_tokens: Tokens of those second readings, estimated.
        read_after_change: Things that were read again after the agent had written them.
        first_trouble_calls: Calls until the first one that failed or was refused; None if none did.
        first_trouble_turns: Turns until then; None likewise.
        first_trouble_tokens: Tokens of messages until then, estimated; None likewise.
    """

    number: int
    before: Window
    at: Window
    rest: Window
    read_again: int = 0
    read_again_tokens: int = 0
    read_after_change: int = 0
    first_trouble_calls: int | None = None
    first_trouble_turns: int | None = None
    first_trouble_tokens: int | None = None

    def to_dict(self) -> dict[str, JSON]:
        return {
            "number": self.number,
            "before": self.before.to_dict(),
            "at": self.at.to_dict(),
            "rest": self.rest.to_dict(),
            "read_again": self.read_again,
            "read_again_tokens": self.read_again_tokens,
            "read_after_change": self.read_after_change,
            "first_trouble_calls": self.first_trouble_calls,
            "first_trouble_turns": self.first_trouble_turns,
            "first_trouble_tokens": self.first_trouble_tokens,
        }


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What happened after the compactions of one history.

    Attributes:
        events: One per compaction.
        findings: Worst first.
    """

    events: tuple[After, ...]
    findings: tuple[Finding, ...]

    def to_dict(self, written: Callable[[str], JSON]) -> JSON:
        """As JSON; `written` says how words of the transcript are written down."""
        sums = {name: sum((getattr(one, name) for one in self.events), Window()) for name in ("before", "at", "rest")}
        return {
            "read_again": sum(one.read_again for one in self.events),
            "read_again_tokens": sum(one.read_again_tokens for one in self.events),
            "read_after_change": sum(one.read_after_change for one in self.events),
            "outcomes": {name: window.to_dict() for name, window in sums.items()},
            "events": [one.to_dict() for one in self.events],
            "findings": [one.to_dict(written) for one in self.findings],
        }


def aftermath(
    chronicle: Chronicle,
    tools: Tools,
    lost: Sequence[Sequence[Judgement]] = (),
    count: Callable[[int], int] = lambda chars: chars // 4,
) -> Aftermath:
    """What happened after each compaction.

    Args:
        chronicle: The history.
        tools: What a call reads and writes.
        lost: For each compaction the judgements of what it lost.
        count: Tokens of so many characters.
    """
    if not chronicle.events:
        return Aftermath((), ())
    acts = acts_in(chronicle.messages, tools)
    turns = turns_of(chronicle.messages)
    starts = [event.at for event in chronicle.events] + [len(chronicle.messages)]
    events: list[After] = []
    findings: list[Finding] = []
    for number, (start, end) in enumerate(pairwise(starts)):
        earlier = [act for act in acts if act.message < start]
        later = [act for act in acts if start <= act.message < end]
        events.append(_after(number + 1, chronicle, earlier, later, turns, count))
        findings += _failing_again(number + 1, earlier, later)
        told = lost[number] if number < len(lost) else ()
        findings += _amnesia(number + 1, told, later)
    findings += _violations(chronicle, acts, turns, lost)
    findings += _paid_twice(events)
    ordered = sorted(findings, key=lambda one: (-one.weight, one.message or 0))
    return Aftermath(tuple(events), tuple(ordered))


# Figures --------------------------------------------------------------------------------------------


def _after(
    number: int,
    chronicle: Chronicle,
    earlier: Sequence[Act],
    later: Sequence[Act],
    turns: Sequence[int],
    count: Callable[[int], int],
) -> After:
    again, tokens, changed = _read_again(earlier, later)
    start = chronicle.events[number - 1].at
    trouble = next((at for at, act in enumerate(later) if act.failed or act.rejected), None)
    since = None if trouble is None else later[trouble].message
    chars = 0 if since is None else sum(len(p.text) for m in chronicle.messages[start:since] for p in m.parts)
    return After(
        number=number,
        before=Window.of(earlier[-_WINDOW_CALLS:]),
        at=Window.of(later[:_WINDOW_CALLS]),
        rest=Window.of(later[_WINDOW_CALLS:]),
        read_again=again,
        read_again_tokens=count(tokens),
        read_after_change=changed,
        first_trouble_calls=None if trouble is None else trouble + 1,
        first_trouble_turns=None if since is None else turns[since] - turns[min(start, len(turns) - 1)],
        first_trouble_tokens=None if since is None else count(chars),
    )


def _read_again(earlier: Sequence[Act], later: Sequence[Act]) -> tuple[int, int, int]:
    """(things read again for nothing, characters of that, things read again after the agent wrote them)."""
    read: dict[str, int] = {}
    wrote: dict[str, int] = {}
    order = 0
    for order, act in enumerate(earlier):
        if act.reads is not None and not act.failed:
            read[act.reads] = order
        if act.writes is not None and not act.failed:
            wrote[act.writes] = order
    again, chars, changed = 0, 0, 0
    seen: set[str] = set()
    for order, act in enumerate(later, len(earlier)):
        if act.reads is not None and not act.failed and act.reads in read and act.reads not in seen:
            seen.add(act.reads)
            if wrote.get(act.reads, -1) > read[act.reads]:
                changed += 1
            else:
                again += 1
                chars += act.result_chars
        if act.writes is not None and not act.failed:
            wrote[act.writes] = order
    return again, chars, changed


def _paid_twice(events: Sequence[After]) -> Iterator[Finding]:
    total = sum(one.read_again for one in events)
    if total:
        tokens = sum(one.read_again_tokens for one in events)
        note = f"{total:,} things were read again though nothing had changed them: about {tokens:,} tokens paid twice"
        yield Finding(Code.read_again, Tier.proven, 15, note, count=total, data={"tokens": tokens})


def _failing_again(number: int, earlier: Sequence[Act], later: Sequence[Act]) -> Iterator[Finding]:
    """The same call with the same arguments, failed before and failed again."""
    failed = {_same(act) for act in earlier if act.failed}
    again: defaultdict[bytes, list[Act]] = defaultdict(list)
    for act in later:
        if act.failed and _same(act) in failed:
            again[_same(act)].append(act)
    for acts in again.values():
        first = acts[0]
        note = f"a call that had failed before compaction {number} was made again, and failed again"
        shown = {"call": _call(first)}
        yield Finding(Code.failing_again, Tier.proven, 35, note, shown, len(acts), message=first.message)


def _same(act: Act) -> bytes:
    return canonical_json([act.tool, act.text if act.args is None else dict(act.args)])


def _call(act: Act) -> str:
    return f"{act.tool} {command_of(act.args) or act.text}"[:_SHOWN_CHARS]


# Against a rule -------------------------------------------------------------------------------------

_CHANGING: Final = frozenset(
    map(
        stem,
        word_set("""
        modify change edit alter write touch delete remove overwrite update rename move create add chmod drop truncate
        insert patch replace reset erase wipe destroy break mess apply commit push deploy migrate restart run execute
        install save put copy format refactor fix"""),
    )
)
_OFF: Final = re.compile(
    r"read[- ]only|off[- ]limits|hands off|keep (?:out|off|away)|stay (?:out|away)|frozen|locked|untouched",
    re.IGNORECASE,
)
_BANNING: Final = re.compile(
    rf"\b(?:not|never|no|cannot|avoid|stop|without|dont|nobody|none|forbid\w*|prohibit\w*)\b|n['’]t\b|{_OFF.pattern}",
    re.IGNORECASE,
)
"""One of these stands in every English ban."""
_EXCEPTING: Final = word_set("except unless until without but if when before besides apart other only yet while")
_EVERYWHERE: Final = word_set("database db branch host server cluster namespace schema table machine production prod")


@dataclass(frozen=True, slots=True)
class _Ban:
    """A prohibition of changes that a person put.

    Attributes:
        text: Its words.
        message: Where it was said.
        paths: Paths that it names.
        names: Other things that it names: hosts, databases, branches.
        plain: Nothing in it makes an exception.
    """

    text: str
    message: int
    paths: tuple[str, ...]
    names: frozenset[str]
    plain: bool


def _bans(messages: Sequence[Message]) -> Iterator[_Ban]:
    for at, message in enumerate(messages):
        for part in message.parts:
            if part.kind is not Kind.text or part.provenance is not Provenance.user:
                continue
            for one in sentences(part.text):
                sentence = part.text[one.start : one.end]
                ban = _ban(sentence, at)
                if ban is not None:
                    yield ban


def _ban(sentence: str, at: int) -> _Ban | None:
    if sentence.isascii() and not _BANNING.search(sentence):
        return None
    off = _OFF.search(sentence) is not None
    if polarity(sentence) != "must_not" and not off and not extract_outer(sentence):
        return None
    told = words(sentence)
    denied = _denied(told)
    if not off and not denied & _CHANGING:
        return None
    found = extract(sentence)
    paths = tuple(one.value for one in found if one.kind == "path")
    names = {one.value for one in found if one.kind in ("host", "ip", "id")}
    names |= {told[at] for at in range(len(told)) if _is_name(told, at)}
    if not paths and not names:
        return None
    plain = not set(told) & _EXCEPTING and sentence.rstrip()[-1:] != "?"
    return _Ban(sentence, at, paths, frozenset(names), plain)


def _denied(told: Sequence[str]) -> set[str]:
    """Stems of the verbs that follow a denial closely."""
    found: set[str] = set()
    for at, word in enumerate(told):
        if word in ("not", "never", "no", "cannot", "don't", "dont", "avoid", "stop", "without", "mustn't"):
            found.update(stem(one) for one in told[at + 1 : at + 5])
    return found


def _is_name(told: Sequence[str], at: int) -> bool:
    """`main branch`, `database orders`, `push to main`: a name by the word beside it."""
    beside = set(told[max(0, at - 1) : at]) | set(told[at + 1 : at + 2])
    if told[at] in ("main", "master", "production", "prod"):
        return True
    return bool(beside & _EVERYWHERE) and told[at] not in _EVERYWHERE and len(told[at]) > 3 and told[at].isalpha()


def _violations(
    chronicle: Chronicle, acts: Sequence[Act], turns: Sequence[int], lost: Sequence[Sequence[Judgement]]
) -> Iterator[Finding]:
    bans = list(_bans(chronicle.messages))
    if not bans:
        return
    first = chronicle.events[0].at
    gone = {" ".join(one.statement.text.split()) for told in lost for one in told}
    seen: set[tuple[str, str]] = set()
    lifts: list[tuple[int, str]] | None = None
    for act in acts:
        if act.message < first or not act.targets or act.rejected:
            continue
        for ban in bans:
            if ban.message >= act.message:
                continue
            hit = next((one for one in act.targets if _covers(ban, one)), None)
            if hit is None or (ban.text, hit.name) in seen:
                continue
            lifts = list(_lifts(chronicle.messages)) if lifts is None else lifts
            if any(ban.message < at < act.message and _speaks_of(told, hit, ban) for at, told in lifts):
                continue
            seen.add((ban.text, hit.name))
            was_lost = " ".join(ban.text.split()) in gone
            sure = ban.plain and hit.certain and not act.failed
            tail = "that a compaction had lost" if was_lost else "that stood where it was said"
            note = f"a call writes to what a person's prohibition names, {tail} (said in turn {turns[ban.message]})"
            yield Finding(
                Code.violation,
                Tier.proven if sure else Tier.inferred,
                100 if sure and was_lost else 90 if sure else 55,
                note,
                {"original": ban.text, "call": _call(act), "handle": hit.name},
                message=act.message,
                data={"turn": turns[act.message], "lost": was_lost},
            )


def _covers(ban: _Ban, target: Target) -> bool:
    if target.kind == "path":
        return any(_inside(target.name, path) for path in ban.paths) or (bool(target.host) and target.host in ban.names)
    return target.name.casefold() in ban.names or target.name in ban.names


def _inside(name: str, folder: str) -> bool:
    """Whether a path is the other or lies in it; a relative one is taken to be where the other ends in it."""
    inner, outer = _pieces(name), _pieces(folder)
    if not inner or not outer:
        return False
    if folder.startswith(("/", "~")) == name.startswith(("/", "~")):
        return inner[: len(outer)] == outer
    if name.startswith(("/", "~")):  # the ban names a path in the project
        spots = range(len(inner) - len(outer) + 1)
        return len(outer) > 1 and any(inner[at : at + len(outer)] == outer for at in spots)
    return False


def _pieces(path: str) -> list[str]:
    bare = posixpath.normpath(path.strip("`'\"").rstrip("*").rstrip("/") or "/")
    return [piece for piece in bare.split("/") if piece not in ("", ".")]


def _lifts(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    """Sentences by which a person takes something back, allows it, or orders it."""
    for at, message in enumerate(messages):
        for part in message.parts:
            if part.kind is Kind.text and part.provenance is Provenance.user:
                for one in sentences(part.text):
                    sentence = part.text[one.start : one.end]
                    if polarity(sentence) != "must_not":
                        yield at, sentence


def _speaks_of(sentence: str, target: Target, ban: _Ban) -> bool:
    """A later sentence of a person that names the target and does not forbid it, or takes the ban back."""
    named = {one.value for one in extract(sentence) if one.kind in ("path", "host", "id")}
    if any(_inside(target.name, path) or _inside(path, target.name) for path in named):
        return True
    told = set(words(sentence))
    if target.kind != "path" and target.name.casefold() in told:
        return True
    return bool(told & (CANCELLING | PERMITTING)) and bool(told & ban.names)


def _amnesia(number: int, lost: Sequence[Judgement], later: Sequence[Act]) -> Iterator[Finding]:
    """A call that acts on a thing of which a lost statement speaks, without having looked at it again."""
    for one in lost:
        claim = claim_of(one.statement.text)
        paths = [value for value in claim.handles if "/" in value]
        if claim.polarity == "none" or not paths:
            continue
        looked = False
        for act in later:
            if act.reads is not None and any(_inside(act.reads.removeprefix("file:"), path) for path in paths):
                looked = True
            hit = next((t for t in act.targets if t.kind == "path" and any(_inside(t.name, p) for p in paths)), None)
            if hit is not None and not looked and not act.rejected:
                note = f"after compaction {number} a call writes to what a lost statement speaks of, unseen since"
                shown = {"original": one.statement.text, "call": _call(act), "handle": hit.name}
                yield Finding(Code.amnesia, Tier.inferred, 62, note, shown, message=act.message)
                break
