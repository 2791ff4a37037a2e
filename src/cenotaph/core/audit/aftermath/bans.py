"""Prohibitions of changes: what a sentence forbids to be done to which thing, and whether it does so plainly.

A ban is plain if an order denies a verb of change, the thing is what that verb acts on, and nothing in the sentence
makes an exception, sets a condition or only advises. A sentence that reports (`the tests do not touch /etc/prod`), or
that denies another verb near the name (`do not mention /etc/prod`), forbids nothing here. English has the grammar
below; of other languages only a denial beside a verb of change and a name is seen, and such a ban is never plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cenotaph.core.audit.aftermath.names import NOUNS, Item, act_of, items_of
from cenotaph.core.audit.aftermath.words import (
    ABLE,
    ASKING,
    BREAK,
    BRIDGE,
    CHANGE_ELSEWHERE,
    DENYING_MODALS,
    DESCRIBING,
    ENSURING,
    EXCEPTING,
    FILLER,
    HANGING,
    KEEP_OUT,
    LEAVE,
    LEFT,
    MAY_BAN,
    MAY_BAN_ELSEWHERE,
    MODALS,
    NO_EXCEPTION,
    NOW,
    OFF_LIMITS,
    QUOTING,
    REPORTERS,
    SENT,
    SOFT,
    STARTS,
    TAIL_FINE,
    TO_PLACE,
    TRANSPARENT,
    WANTING,
)
from cenotaph.core.audit.verdicts.words import word_set
from cenotaph.core.handles import extract_outer
from cenotaph.core.statements import polarity

__all__ = ["Ban", "Named", "acts_of", "bans_in", "changes", "may_ban"]


@dataclass(frozen=True, slots=True)
class Named:
    """A thing that a ban names.

    Attributes:
        text: As it stands.
        kind: "path" or "name".
        noun: What it is said to be, a kind of `NOUNS`; "" if nothing says it.
        sure: The verb acts on it, and not on something in it.
    """

    text: str
    kind: str
    noun: str = ""
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Ban:
    """What one sentence forbids.

    Attributes:
        text: The sentence.
        named: What may not be changed.
        acts: Kinds of acts: "change", "delete", "create", "move", "deploy", "push", "commit", "run", "access".
        plain: It is an order, and hangs on nothing.
        exempt: What the sentence itself takes out.
    """

    text: str
    named: tuple[Named, ...]
    acts: frozenset[str]
    plain: bool
    exempt: tuple[Named, ...] = ()


def acts_of(items: Sequence[Item]) -> frozenset[str]:
    """Every kind of act that a sentence speaks of."""
    return frozenset(act for item in items if item.kind == "word" and (act := act_of(item.text)))


def changes(items: Sequence[Item]) -> bool:
    """Whether a sentence speaks of an act that changes something."""
    return bool(acts_of(items) - {"access", "run"})


def may_ban(text: str) -> Iterator[int]:
    """Where words stand without which a text forbids nothing, in order for each of the two kinds of script."""
    for pattern in (MAY_BAN,) if text.isascii() else (MAY_BAN, MAY_BAN_ELSEWHERE):
        yield from (match.start() for match in pattern.finditer(text))


# Sentences ----------------------------------------------------------------------------------------------


_DATA: Final = re.compile(r"\s*(?:[{\[<|$+]|//|/\*|>>>|\d+→|#include|#!|[\w.-]+: cannot )|.*\":[\"{\[]")


def bans_in(sentence: str, before: str = "") -> list[Ban]:
    """What a sentence forbids to be changed; empty if it forbids no such thing.

    Args:
        sentence: On one line.
        before: The sentence before it, for `it` and `there`; "" if there is none.
    """
    if _DATA.match(sentence):
        return []
    items = items_of(sentence)
    found = list(dict.fromkeys(ban for at in range(len(items)) for ban in _at(sentence, items, at, before)))
    if not found:
        found = list(_foreign(sentence, items))
    asks = sentence.rstrip("\"'`*_) ").endswith("?")
    if asks and ((items and items[0].text in ASKING) or not found):
        return []
    return [replace(ban, plain=False) for ban in found] if asks else found


def _at(sentence: str, items: Sequence[Item], at: int, before: str) -> Iterator[Ban]:
    """The ban that begins with the word at a place, if one does."""
    item = items[at]
    if item.kind != "word":
        return
    denial = _denial(items, at)
    if denial is not None:
        start, plain = denial
        verb = _verb(items, start)
        if verb is not None:
            yield from _of_verb(sentence, items, at, verb, plain, before)
        elif item.text == "never":
            yield from _without_verb(sentence, items, at)
        return
    yield from _fixed(sentence, items, at)


def _denial(items: Sequence[Item], at: int) -> tuple[int, bool] | None:
    """(where what is denied begins, whether it is an order that does not only advise) of a denial at a word."""
    word = items[at].text
    previous = items[at - 1].text if at else ""
    if word in ("don't", "dont", "never") or (word == "do" and _word(items, at + 1) == "not"):
        start = at + (2 if word == "do" else 1)
        wanting = previous in ("i", "we") and _word(items, start) in WANTING
        if word == "never" and _word(items, start).endswith("ed"):
            return (start, False) if previous in ("is", "are") else None
        if previous in MODALS or previous in DENYING_MODALS:
            return start, previous not in ("is", "are", "will")
        return (start, True) if wanting or _begins_clause(items, at) else None
    if word in DENYING_MODALS or (word == "not" and previous in MODALS - {"do"}):
        return _modal(items, at, word if word != "not" else previous)
    if word == "not" and previous == "did" and not SOFT.isdisjoint(item.text for item in items[:at]):
        return at + 1, False
    if word == "not" and _word(items, at + 1) in ("to", "allowed", "permitted", "supposed"):
        return at + 1, previous not in SOFT
    if word == "no":
        made = previous == "make" and _begins_clause(items, at - 1)
        led = not at or items[at - 1].kind != "word" or previous in STARTS | {"absolutely", "be", "under", "at"}
        if _word(items, at + 1) == "one" and _word(items, at + 2) in MODALS:
            return at + 3, True
        return (at + 1, True) if (made or led) and _none_of_it(items, at + 1) else None
    if word in ("nobody", "none") and _word(items, at + 1) in MODALS:
        return at + 2, True
    if word in ("avoid", "refrain", "stop", "forbid") and (previous == "to" or _begins_clause(items, at)):
        return at + 1 + (_word(items, at + 1) == "from"), word != "avoid"
    if word in ("forbidden", "prohibited", "banned") and _word(items, at + 1) in ("to", "from"):
        return at + 2, True
    return None


def _none_of_it(items: Sequence[Item], at: int) -> bool:
    """`no changes to X`, `under no circumstances change X`; what tells that there were none is no order."""
    if _word(items, at) in ("circumstances", "circumstance", "point", "time"):
        return True
    while _word(items, at) in _SORTS:
        at += 1
    following = _word(items, at + 1)
    allowed = following in ("are", "is") and _word(items, at + 2) in ("allowed", "permitted")
    return bool(act_of(_word(items, at))) and (allowed or not (following in _TOLD or following.endswith("ed")))


_SORTS: Final = word_set("more further direct manual new additional other any such code file automatic")
_TOLD: Final = word_set("made found yet since were was are is have has between been")


def _modal(items: Sequence[Item], at: int, modal: str) -> tuple[int, bool] | None:
    """`must not`, `cannot`, `is not to be`: an order unless it says of somebody what they can't or don't do."""
    before = at - (2 if items[at].text == "not" else 1)
    subject = items[before].text if before >= 0 else ""
    following = _word(items, at + 1)
    if modal in _BEING:
        ensured = not ENSURING.isdisjoint(item.text for item in items[:at])
        return (at + 1, True) if ensured or following in ("to", "allowed", "permitted", "supposed") else None
    if modal in ABLE and (subject in REPORTERS or (subject != "you" and following != "be")):
        return None
    return at + 1, modal not in ("will", "won't")


_BEING: Final = word_set("is are isn't aren't were be")


def _begins_clause(items: Sequence[Item], at: int) -> bool:
    if at == 0 or items[at - 1].kind == "sign" or items[at - 1].names:
        return True
    return items[at - 1].text in STARTS


def _word(items: Sequence[Item], at: int) -> str:
    return items[at].text if 0 <= at < len(items) and items[at].kind == "word" else ""


_FILLER_MAX: Final = 10


def _verb(items: Sequence[Item], at: int) -> int | None:
    """Where the verb of change stands that is denied; None if another one is."""
    for place in range(at, min(len(items), at + _FILLER_MAX)):
        item = items[place]
        logs = _word(items, place) == "log" and _word(items, place + 1) in ("in", "into", "on", "onto")
        if item.kind == "word" and (act_of(item.text) or logs):
            return place
        comma = (
            item.text == "," and place > at and _word(items, place - 1) in ("ever", "circumstances", "again", "please")
        )
        if not comma and (item.names or (item.text not in FILLER and not _between(items, at, place))):
            wanted = item.names and _word(items, at) in WANTING
            return _verb(items, place + 1) if wanted else None
    return None


def _between(items: Sequence[Item], at: int, place: int) -> bool:
    """`do not, under any circumstances, ...`"""
    return items[place].text == "," and (place == at or _word(items, place - 1) in ("circumstances", "ever", "reason"))


def _without_verb(sentence: str, items: Sequence[Item], at: int) -> Iterator[Ban]:
    """`edit src/, but never tests/`: the verb is the one before."""
    acts = acts_of(items[:at]) - {"run", "access"}
    named, end, _ = _objects(items, at + 1, acts)
    if acts and named and named[0].sure:
        yield _ban(sentence, items, at, end, tuple(named), acts, False)


# What the verb acts on ------------------------------------------------------------------------------------


def _of_verb(sentence: str, items: Sequence[Item], denial: int, verb: int, plain: bool, before: str) -> Iterator[Ban]:
    acts, at = _acts_at(items, verb)
    named, end, more = _objects(items, at, acts)
    acts |= more
    if not named:
        bare = items[denial].text == "no" and not (denial and items[denial - 1].text in (":", "-"))
        named = [] if bare else _listed_before(items, denial, verb) or _meant(items, at, before)
        end = at
        while _word(items, end) in TRANSPARENT:
            end += 1
        plain = plain and not (named and before and not any(item.names for item in items))
    between = [item for item in items[denial:verb] if item.names]
    named = named or [_thing(item, sure=True) for item in between]
    if named:
        yield _ban(sentence, items, denial, end, tuple(named), acts, plain)


def _acts_at(items: Sequence[Item], verb: int) -> tuple[frozenset[str], int]:
    """The acts of a verb and of those that are listed after it, and where what follows begins."""
    acts = {act_of(items[verb].text) or "access"}
    at = verb + 1
    while at < len(items):
        skip = at
        while skip < len(items) and (items[skip].text in (",", "/", "or", "and", "nor") and not items[skip].names):
            skip += 1
        act = act_of(_word(items, skip)) if skip > at or act_of(_word(items, at)) in ("change", "delete") else ""
        if not act:
            break
        acts.add(act)
        at = skip + 1
    return frozenset(acts), at


_CONTENT_MAX: Final = 4


def _objects(items: Sequence[Item], at: int, acts: frozenset[str]) -> tuple[list[Named], int, frozenset[str]]:
    """What follows a verb as its object, where that ends, and further acts that are named on the way."""
    content = 0
    more: set[str] = set()
    sends = bool(acts & SENT)
    while at < len(items):
        item = items[at]
        if item.names:
            placed = sends and _word(items, at - 1) in TO_PLACE | {"the"}
            return *_list(items, at, content == 0 or (placed and content <= 2), acts), frozenset(more)
        if item.kind == "sign" and item.text not in "([":
            break
        act = act_of(item.text)
        if act in ("change", "delete") and item.text not in ("fix", "break"):
            more.add(act)
        elif _ends_object(items, at, content):
            break
        elif item.kind == "word" and item.text not in BRIDGE and item.text != "or":
            content += 1
            if content > _CONTENT_MAX:
                break
        at += 1
    return [], at, frozenset(more)


def _ends_object(items: Sequence[Item], at: int, content: int) -> bool:
    word = items[at].text
    if word == "to":
        return not _is_place(items, at + 1)
    return word in BREAK and not (word == "or" and content == 0)


def _is_place(items: Sequence[Item], at: int) -> bool:
    """Whether `to` leads to a thing and not to a verb."""
    while at < len(items) and items[at].kind == "word" and items[at].text in BRIDGE:
        at += 1
    return at < len(items) and items[at].names


def _list(items: Sequence[Item], at: int, sure: bool, acts: frozenset[str]) -> tuple[list[Named], int]:
    """The names that stand in a row from a place: `A, B and the branch C`, `app.conf in /etc/prod`."""
    found = [_thing(items[at], sure=sure)]
    at += 1
    while at < len(items):
        if items[at].kind == "word" and (items[at].text in NOUNS or items[at].text in ("file", "files")):
            at += 1
            continue
        skip = at
        while skip < len(items) and items[skip].text in (",", "/", "(", ")", "and", "or", "nor", "plus"):
            skip += 1
        joined = skip > at
        place = not joined and _word(items, at) in TO_PLACE | {"of", "from"}
        while skip < len(items) and items[skip].kind == "word" and (items[skip].text in BRIDGE):
            skip += 1
        if skip >= len(items) or not items[skip].names or not (joined or place):
            break
        if joined:
            found.append(_thing(items[skip], sure=sure))
        else:
            found = _in_place(found, items[skip], _word(items, at), acts)
        at = skip + 1
    return found, at


def _in_place(found: Sequence[Named], place: Item, by: str, acts: frozenset[str]) -> list[Named]:
    """`push feature to main` is of main; `app.conf in /etc/prod` is of that file only; `A from B` of A."""
    last = found[-1]
    inside = by in ("in", "under", "inside", "within", "of") or (by in ("to", "into") and "create" in acts)
    if inside and place.kind == last.kind == "path" and last.text[:1] not in "/~":
        return [*found[:-1], replace(last, text=f"{place.text.rstrip('/')}/{last.text}")]
    if acts & SENT and by in ("to", "into", "onto"):
        return [_thing(place, sure=True)]
    if acts & SENT and by in TO_PLACE:
        return [*found, _thing(place, sure=True)]
    return [*found[:-1], replace(last, sure=False)]


def _thing(item: Item, *, sure: bool) -> Named:
    return Named(item.text, item.kind, item.noun, sure)


def _listed_before(items: Sequence[Item], denial: int, verb: int, *, nominal: bool = False) -> list[Named]:
    """The names before a denial that has no object of its own: `/etc/prod must not be changed`.

    Args:
        items: Of the sentence.
        denial: Where it begins.
        verb: The verb that is denied.
        nominal: The verb of change may stand before the names: `writes to /etc/prod are forbidden`.
    """
    following = [item for item in items[verb + 1 :] if item.kind == "word"][:1]
    if following and following[0].text not in _OBJECTLESS:
        return []
    at = denial - 1
    while at >= 0 and not items[at].names:
        if act_of(_word(items, at)):
            return []  # another verb is nearer
        at -= 1
    if {_word(items, place) for place in range(at + 1, denial)} & {"and", "but"}:
        first = next((item for item in items[:denial] if item.names), None)
        return [] if first is None else [_thing(first, sure=False)]
    found: list[Named] = []
    while at >= 0 and (items[at].names or items[at].text in (",", "/", "and", "or", "&") or items[at].text in NOUNS):
        found += [_thing(items[at], sure=True)] if items[at].names else []
        at -= 1
    begins = next((place for place in range(at, -1, -1) if items[place].text in (":", "-")), -1)
    lead = [item.text for item in items[begins + 1 : at + 1] if item.kind == "word"]
    if lead and any(map(act_of, lead)) and not nominal:
        return [] if act_of(lead[0]) else [replace(one, sure=False) for one in found]
    plain = all(word in BRIDGE or word in STARTS or word in _ORDERING or (nominal and act_of(word)) for word in lead)
    return found if plain else [replace(one, sure=False) for one in found]


_ORDERING: Final = word_set("treat consider regard for make sure ensure see have needs has keep leave")
_OBJECTLESS: Final = word_set("""
    at under in there it them this that ever please again by for because since as without unless until when if during
    anymore inside anything everything files directly manually yet or and to any now""")
_PRONOUNS: Final = word_set("it them there this that those these")


def _meant(items: Sequence[Item], at: int, before: str) -> list[Named]:
    """What `it` and `there` stand for: the one thing that this sentence or the one before it names; never sure."""
    words = [item.text for item in items[at : at + 5] if item.kind == "word"]
    if _PRONOUNS.isdisjoint(words) or (
        words[0] not in _PRONOUNS and words[0] not in TRANSPARENT | {"in", "under", "to"}
    ):
        return []
    here = [item for item in items[:at] if item.names] or [item for item in items_of(before) if item.names]
    return [_thing(here[0], sure=False)] if len(here) == 1 else []


# Fixed forms ------------------------------------------------------------------------------------------------

_CHANGE: Final = frozenset({"change"})


def _fixed(sentence: str, items: Sequence[Item], at: int) -> Iterator[Ban]:
    """`leave X alone`, `keep out of X`, `hands off X`, `X is off-limits`, `changes to X are forbidden`."""
    word, previous = items[at].text, _word(items, at - 1)
    if word in ("leave", "keep") and _begins_clause(items, at):
        named, end, _ = _objects(items, at + 1, _CHANGE)
        following = " ".join(_word(items, place) for place in range(end, end + 3))
        left = LEFT.match(following) is not None
        if named and (left or (word == "keep" and OFF_LIMITS.match(following))):
            yield _ban(sentence, items, at, end + 1 + following.startswith("as "), tuple(named), _CHANGE, True)
            return
    if word in ("keep", "stay", "hands", "steer") and (previous in ("your", "my") or _begins_clause(items, at)):
        start = at + 1
        led = [lead for lead in KEEP_OUT if " ".join(_word(items, start + i) for i in range(len(lead.split()))) == lead]
        if led:
            start += max(len(lead.split()) for lead in led)
            named, end, _ = _objects(items, start, _CHANGE | {"access"})
            if named:
                yield _ban(sentence, items, at, end, tuple(named), _CHANGE, True)
            return
    if word == "nothing":
        yield from _nothing(sentence, items, at)
    if at > 1 and items[at - 1].text in (":", "-", "(") and _off_limits(items, at):
        yield from _predicate(sentence, items, at - 1)
    if word in ("is", "are", "as", "stay", "stays", "remain", "remains", "be"):
        yield from _predicate(sentence, items, at)
    if (word in ("off-limits", "forbidden", "protected", "read-only", "frozen", "untouchable") and at <= 1) or (
        at <= 1 and word in ("paths", "files", "folders", "directories") and at and items[0].text in _LABELS
    ):
        yield from _label(sentence, items, at)


def _off_limits(items: Sequence[Item], at: int) -> bool:
    following = " ".join(_word(items, place) for place in range(at, at + 4))
    return OFF_LIMITS.match(following) is not None


_REACH: Final = 10


def _nothing(sentence: str, items: Sequence[Item], at: int) -> Iterator[Ban]:
    """`change nothing under X`, `nothing under X may be changed`."""
    act = act_of(_word(items, at - 1))
    named, end, _ = _objects(items, at + 1, _CHANGE)
    if not act or not named:
        modal = next((i for i in range(at, min(len(items), at + _REACH)) if _word(items, i) in MODALS), len(items))
        verb = next((i for i in range(modal, min(len(items), modal + 3)) if act_of(_word(items, i))), None)
        if verb is None or not named or end > modal:
            return
        act, end = act_of(items[verb].text), verb + 1
    yield _ban(sentence, items, at, end, tuple(named), frozenset({act}), True)


_LABELS: Final = word_set("off-limits forbidden protected read-only frozen untouchable")


def _label(sentence: str, items: Sequence[Item], at: int) -> Iterator[Ban]:
    """`Off-limits: /etc/prod, /srv`."""
    signs = [place for place in range(at, min(len(items), at + 3)) if items[place].text in (":", "-")]
    if signs:
        named, end, _ = _objects(items, signs[0] + 1, _CHANGE)
        if named:
            yield _ban(sentence, items, at, end, tuple(named), _CHANGE, True)


def _predicate(sentence: str, items: Sequence[Item], at: int) -> Iterator[Ban]:
    """`X is off-limits`, `treat X as read-only`, `X must stay untouched`."""
    following = " ".join(_word(items, place) for place in range(at + 1, at + 5)).strip()
    state = OFF_LIMITS.match(following) or re.match(r"(?:untouched|unchanged|as (?:is|it is)|intact)\b", following)
    if state is None:
        return
    named = _listed_before(items, at, len(items), nominal=True)
    if not named:
        return
    lead = [item.text for item in items[:at] if item.kind == "word"]
    ordered = bool({"must", "should", "treat", "consider", "has", "have", "needs"} & set(lead))
    acts = frozenset(act for word in lead if (act := act_of(word))) or _CHANGE
    plain = ordered or not DESCRIBING.match(state.group())
    yield _ban(sentence, items, at, at + 1 + len(state.group().split()), tuple(named), acts, plain)


def _ban(
    sentence: str,
    items: Sequence[Item],
    at: int,
    end: int,
    named: tuple[Named, ...],
    acts: frozenset[str],
    plain: bool,
) -> Ban:
    """The ban with what the rest of its sentence says of it."""
    folded = NO_EXCEPTION.sub(" ", sentence.casefold())
    lead = [item.text for item in items[:at] if item.kind == "word"]
    rest = items[at:]
    kept = set(re.findall(r"[a-z'-]+", folded))
    after = {item.text for item in rest if item.kind == "word"} & kept
    cut = next((place for place in range(at, len(items)) if _excepts(items, place)), None)
    exempt = () if cut is None else tuple(_thing(item, sure=True) for item in items[cut:] if item.names)
    hangs = bool(after & (HANGING | EXCEPTING)) or cut is not None or NOW.search(folded) is not None
    leads = bool({"if", "unless", "until", "when", "while", "before"} & set(lead)) or bool(SOFT & {*lead, *after})
    quoted = items[at].quoted or (bool(QUOTING & set(lead)) and not {"i", "as"} & set(lead))
    tail = items[end] if end < len(items) else None
    fine = tail is None or tail.kind == "sign" or tail.text in TAIL_FINE or tail.text in NOUNS or tail.text in LEAVE
    named = tuple(one for one in named if all(one.text != other.text for other in exempt))
    return Ban(sentence, named, acts, plain and fine and not (hangs or leads or quoted), exempt)


def _excepts(items: Sequence[Item], at: int) -> bool:
    word, following = _word(items, at), _word(items, at + 1)
    if word in EXCEPTING:
        return _word(items, at - 1) not in ("no", "without", "zero")
    return (word == "but") or (word, following) in {("other", "than"), ("apart", "from"), ("outside", "of")}


# Other languages ----------------------------------------------------------------------------------------------


def _foreign(sentence: str, items: Sequence[Item]) -> Iterator[Ban]:
    named = tuple(_thing(item, sure=False) for item in items if item.names)
    spoken = {item.text for item in items if item.kind == "word"}
    if not named or spoken & _ENGLISH or not _ELSEWHERE.search(sentence) or not CHANGE_ELSEWHERE.search(sentence):
        return
    if polarity(sentence) == "must_not" or any(one.kind == "prohibition" for one in extract_outer(sentence)):
        yield Ban(sentence, named, _CHANGE, False)


_ELSEWHERE: Final = re.compile(
    r"[^\W\d_a-zA-Z]|\b(?:nichts?|kein\w*|niemals|verboten|jamais|ne \w+ (?:pas|rien)|interdit\w*|nunca|prohibido|niet"
    r"|nooit|vietato|no (?:se )?(?:toc|toqu|modifi|cambi|edit[ea]|borr|escrib)\w+"
    r"|non (?:modific|tocc|cancell|scriv)\w+)\b",
    re.IGNORECASE,
)
_ENGLISH: Final = word_set("the do not to and you is it this please don't never any of for with that be are my")
"""A sentence that holds one of these is in English, and the grammar above has decided."""
