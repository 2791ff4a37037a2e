"""Copies of a statement's own words, and what the words around each make of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from cenotaph.core.audit.model import Evidence, Verdict
from cenotaph.core.audit.verdicts.against import against
from cenotaph.core.audit.verdicts.reads import BULLET, DENYING, REPORTS, TURN_LABEL
from cenotaph.core.audit.verdicts.texts import (
    HARMLESS,
    PRECEDENCE,
    Asked,
    Index,
    Text,
    Unit,
    evidence_of,
    is_another,
    place_in,
)
from cenotaph.core.audit.verdicts.words import ADDED, CANCELLING, CONDITIONS, NEUTRAL, OTHERS, SOFT, word_set
from cenotaph.core.model import Provenance
from cenotaph.core.statements import words
from cenotaph.core.tombstone import looks_like_marker

__all__ = ["of_copies"]

_FRAME_WORDS_MAX: Final = 12
"""More words before or after a copy are a statement of their own and no frame of it."""


_OPENERS: Final = "\"'([{<*_-+•·#> \t\n"


_ENDS: Final = ".!?…。！？ \t\n\"')]}*_`;,:"


_ENDS_OF_QUOTES: Final = " \t\n\"')]}*_`.”’»"


def of_copies(one: Asked, index: Index) -> tuple[Verdict | None, tuple[Evidence, ...]]:
    """What the copies of a statement's words say; None if no words of it stand whole."""
    found: list[tuple[Verdict, Evidence]] = []
    clean: list[tuple[Text, int, int]] = []
    copies: list[tuple[Text, int, int]] = []
    whole = Verdict.preserved
    for wanted in dict.fromkeys((one.bare, one.core)):
        for text in index.texts:
            for start, end in text.copies(wanted):
                if is_another(one, text.units[text.unit_at(start)], index):
                    continue  # words of another statement that hold these
                verdict, note = _around(one, text, start, end)
                passage = text.passage
                place = Evidence(place_in(one.statement), (start, end), passage.message, passage.part, note)
                found.append((verdict, place))
                copies.append((text, start, end))
                if verdict is Verdict.preserved:
                    clean.append((text, start, end))
        if found:
            whole = Verdict.preserved if wanted == one.bare else Verdict.paraphrased
            break
    if not found:
        return None, ()
    if places := evidence_of(found, Verdict.contradicted):
        return Verdict.contradicted, places
    opposed = against(one, index, clean, copies)
    if clean and opposed is not None:
        verdict, evidence = opposed
        return verdict, (evidence, *evidence_of(found, Verdict.preserved))
    if clean:
        return whole, evidence_of(found, Verdict.preserved)
    for verdict in (*PRECEDENCE[:3], Verdict.unverifiable):
        if places := evidence_of(found, verdict):
            return verdict, places
    return Verdict.unverifiable, ()


def _around(one: Asked, text: Text, start: int, end: int) -> tuple[Verdict, str]:
    """What the words around a copy make of it."""
    passage = text.passage
    if passage.provenance not in (one.provenance, Provenance.foreign, Provenance.compactor):
        return Verdict.mutated, f"said by {passage.provenance.value}"
    first, last = text.units[text.unit_at(start)], text.units[text.unit_at(end - 1)]
    if looks_like_marker(passage.text[first.start : last.end]):
        return Verdict.unverifiable, "inside a marker"
    before, after = passage.text[first.start : start], passage.text[end : _line_end(text, last)]
    if "~~" in before or "~~" in after:
        return Verdict.contradicted, "struck out"
    ours = TURN_LABEL.fullmatch(before.strip() + " ")
    if ours is not None:
        speaker = before.split(" ", 1)[0]
        same = speaker == one.provenance.value
        return (Verdict.preserved, "") if same else (Verdict.mutated, f"put down to {speaker}")
    if _asks(passage.text[start : _line_end(text, last)]) and not one.read.question:
        return Verdict.weakened, "turned into a question"
    lead = _lead(text, first) if not _bare(before) or not BULLET.match(before + "x") else ""
    verdict, note = _prefix(one, f"{lead} {before}".strip().rsplit(". ", 1)[-1])
    if verdict is Verdict.preserved:
        verdict, note = _suffix(one, after)
    if verdict is Verdict.preserved:
        verdict, note = _headed(one, text, first)
    return verdict, note


def _asks(told: str) -> bool:
    """A copy, or the sentence that goes on behind it, ends with a question mark."""
    return told.rstrip(_ENDS_OF_QUOTES)[-1:] in ("?", "？", "؟")


def _line_end(text: Text, last: Unit) -> int:
    """Where the sentence of a copy ends: one that goes on after a quotation ends with it."""
    if last.at + 1 == len(text.units):
        return last.end
    following = text.units[last.at + 1]
    gap = text.passage.text[last.end : following.start]
    return following.end if "\n" not in gap and following.words_of[:1].islower() else last.end


def _bare(before: str) -> str:
    """What stands before a copy without bullets, brackets and quotation marks."""
    return BULLET.sub("", before.strip()).strip(_OPENERS)


def _lead(text: Text, first: Unit) -> str:
    """The sentence before, if its line runs on into this one: a text that was wrapped."""
    if first.at == 0:
        return ""
    before = text.units[first.at - 1]
    gap = text.passage.text[before.end : first.start]
    told = before.words_of.rstrip()
    own = any(form.match(first.words_of) for form in (BULLET, TURN_LABEL)) or first.words_of[:1].isupper()
    runs_on = gap.count("\n") == 1 and told[-1:] not in ".!?:;。！？" and not own and not told.startswith("#")
    return told if runs_on else ""


def _prefix(one: Asked, before: str) -> tuple[Verdict, str]:
    told = words(_bare(before))
    if not told:
        odd = any(not (sign.isascii() or sign in HARMLESS or sign.isspace()) for sign in before) or "~" in before
        return (Verdict.unverifiable, "behind a sign") if odd else (Verdict.preserved, "")
    said = set(told)
    note = f"after: {before.strip()[-80:]}"
    others = said & OTHERS - one.speakers
    if len(told) > _FRAME_WORDS_MAX:
        return Verdict.unverifiable, note  # a sentence of its own: what it makes of the copy nobody can tell
    if said & CANCELLING or _denied_report(told):
        return Verdict.contradicted, f"taken back: {before.strip()[-80:]}"
    if others and not said & one.speakers:
        return Verdict.mutated, f"put down to another: {before.strip()[-80:]}"
    if said & ADDED or said & SOFT:
        return Verdict.weakened, f"bound by: {before.strip()[-80:]}"
    if said <= NEUTRAL | one.speakers | set(words(one.text)) and not others:
        return Verdict.preserved, ""
    if said & one.speakers and not others and _QUOTING.search(before) and said <= _FRAMING | one.speakers | NEUTRAL:
        return Verdict.preserved, ""
    return Verdict.unverifiable, note


_FRAMING: Final = word_set("""
    put style reads read was were message messages stated by my our own own's it plan user's monday tuesday
    wednesday thursday friday saturday sunday yesterday today morning evening quote answer reply voice words literally
    verbatim     dit dijo sagte schrieb demande écrit escribió a le la el der die das il de du del
    exact exactly typed speaking told message's prompt's goes""")
"""Words of a frame that quotes its speaker and makes nothing of what is quoted."""
_QUOTING: Final = re.compile(r"[:\"“„«「]\s*[\"“„«「(\[*_]*\s*$")
"""A frame ends as one that quotes: with a colon, or with what opens a quotation."""


def _denied_report(told: Sequence[str]) -> bool:
    """`did not say`, `never asked`, `no longer`, `not true that`."""
    folded = " ".join(told)
    return re.search(r"\b(?:no|not|never|nobody|none|nothing|\w+n't)\b", folded) is not None


def _suffix(one: Asked, after: str) -> tuple[Verdict, str]:
    rest = after.strip(_ENDS + "([{-")
    told = words(rest)
    if not told:
        plain = all(sign.isdigit() or (sign.isascii() and not sign.isalnum()) or sign in HARMLESS for sign in rest)
        return (Verdict.preserved, "") if plain and "~" not in after else (Verdict.unverifiable, "before a sign")
    said = set(told)
    note = f"before: {rest[:80]}"
    if len(told) > _FRAME_WORDS_MAX:
        return Verdict.unverifiable, note
    if said & CANCELLING or (said & DENYING and said & {"longer", "anymore"}):
        return Verdict.contradicted, note
    if said & OTHERS - one.speakers and not said & one.speakers:
        attributed = bool(said & (REPORTS | {"by"}))
        return (Verdict.mutated if attributed else Verdict.unverifiable), note
    if said & (ADDED | CONDITIONS | SOFT):
        return Verdict.weakened, note
    if said <= NEUTRAL | one.speakers:
        return Verdict.preserved, ""
    return Verdict.unverifiable, note


def _headed(one: Asked, text: Text, unit: Unit) -> tuple[Verdict, str]:
    """What the heading, or the line that opens the list, says of what stands under it."""
    for at in range(unit.at - 1, -1, -1):
        told = text.units[at].words_of.strip()
        if not (told.endswith(":") or told.startswith("#") or (told.startswith("**") and told.endswith("**"))):
            continue
        said = set(words(told))
        note = f"under: {told[:80]}"
        if said & CANCELLING or _denied_report(words(told)):
            return Verdict.contradicted, note
        if said & OTHERS - one.speakers - _TITLES - _PEOPLE and not said & one.speakers:
            return Verdict.mutated, note
        if said & _QUESTIONING:
            return Verdict.weakened, note
        if said & _OVER:
            return Verdict.unverifiable, note
        break
    return Verdict.preserved, ""


_TITLES: Final = word_set("my our we i summary model file tool tools log documentation")
"""Words of headings that name no speaker."""


_PEOPLE: Final = word_set("user users human person developer system client customer owner operator")
"""Whom a list of rules may be put down to: a heading over it says what it is, not who said each."""


_OVER: Final = word_set("""
    dropped removed gone over ended closed resolved settled archived retired dead ruled shelved parked scrapped earlier
    previously once initially considered considering options alternatives ideas""")
"""Words of headings over what may hold no more."""


_QUESTIONING: Final = word_set("question questions optional suggestion suggestions idea ideas proposal proposals maybe")
