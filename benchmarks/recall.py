"""What left a transcript, asked for again: by paths, and by what a summary would say of it.

    python benchmarks/recall.py --shared DATA [--share 0.25] [--questions 500] [--summaries FILE]

Every file under DATA that a dialect reads, and every list of messages inside a file, is compacted under archive to a
share of its tokens, or where that halts to what the halt says is reachable. Then:

- each path in what left, found by an expression of this file's own and by the library's grammar, is asked for; what
  comes back must hold the very span;
- questions on facts of what left are asked twice: by the fact's own handle, and in the words of a summary. These are
  made by a rule (a fact's line without its identifiers, its first clause); FILE holds recorded summaries, one JSON
  object `{"messages": [...], "summary": "..."}` to a line.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from corpus import SUFFIXES, readable, strings

from cenotaph import (
    BudgetExhausted,
    CenotaphError,
    IndexBudgetExceeded,
    IrreversibleCompactionError,
    Policy,
    Rehydrated,
    compact,
    rehydrate,
)
from cenotaph.core.handles import extract
from cenotaph.core.policy import LEAVING

PATH = re.compile(
    r"(?<![\w/.\\:@%~${}-])"
    r"(?:(?:~|\.{1,2})?/(?:[\w.@+-]+/)+[\w.@+-]+"  # from a root, two names or more
    r"|(?:[\w@+-][\w.@+-]*/)+[\w.@+-]+)"  # from here; counts only with a suffix
)
"""What may be a path, see `path_of`; white space, quotes and brackets end it."""

SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}$")
LINE_OF_A_LISTING = re.compile(r"(\.[A-Za-z]\w{0,5})-\d+(?:-.*)?$")
"""`grep -C` writes `src/app.py-31-text`: the path ends at its suffix."""

IDENTIFIER = re.compile(
    rf"(?P<path>{PATH.pattern})|(?P<url>https?://[^\s\"'<>)\]}}]+)|(?P<ticket>\b[A-Z]{{2,6}}-\d{{2,6}}\b)"
    r"|(?P<hex>(?<![\w@/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w@-]))"
    r"|(?P<version>(?<![\w.=-])v?\d+\.\d+\.\d+(?![\w.-]))"
    r"|(?P<variable>\b[A-Z][A-Z0-9_]{3,}=[^\s\"'\\,;$(]+)"
)
COMMON_NAMES = {
    "path": "the file",
    "url": "the page",
    "ticket": "the ticket",
    "hex": "the commit",
    "version": "the version",
    "variable": "the setting",
}
"""What a summary writes in place of an identifier."""

PLAIN_WORD = re.compile(r"[(\"'“]*[^\W\d_]+(?:['’-][^\W\d_]+)*[)\"'”.,;:!?]*")
"""A word as prose has it: letters, and the marks around them. Anything else a summary in plain words calls "it"."""

CLAUSE_WORDS_MAX = 18


@dataclass
class Left:
    """One span that left.

    Attributes:
        span_id: Its id.
        call_texts: Strings of the arguments of the call that it answers; empty for anything but a result.
        texts: What it says: one text, or the strings of a call's arguments.
        text: What the model read of it; None for a call, which has no one text.
    """

    span_id: str
    texts: list[str]
    text: str | None
    call_texts: list[str] = field(default_factory=list)

    def holds(self, words: str) -> bool:
        return any(words in one for one in self.texts)


@dataclass
class Case:
    """One transcript after its compaction."""

    name: str
    session: str
    left: list[Left] = field(default_factory=list)


# Reading and compacting ----------------------------------------------------------------------


def left_of(result: Any) -> list[Left]:
    """The spans that a record says have left."""
    gone = {entry["span"] for entry in result.record.entries if entry["action"] in LEAVING}
    structure = result.readout.classified.structure
    found = []
    for span in structure.spans:
        if span.id not in gone:
            continue
        if span.kind.value == "call":
            found.append(Left(span.id, argument_texts(span.text), None))
            continue
        call = structure.call_of.get(span.order)
        asked_with = [] if call is None else argument_texts(structure.spans[call].text)
        found.append(Left(span.id, [span.text], span.text, asked_with))
    return found


def argument_texts(arguments: str) -> list[str]:
    """The strings in a call's arguments; the arguments as they are where they are no JSON."""
    try:
        return list(strings(json.loads(arguments)))
    except ValueError:
        return [arguments]


def compacted(value: Any, tokens: int, dialect: str, share: float, store: str, session: str) -> tuple[Any, str]:
    """The result, or None and why: to the share, else to what is reachable."""
    target = max(1, int(tokens * share))
    tools = () if dialect == "claude-code" else ("generic",)
    how = "to the share"
    for _ in range(4):
        try:
            policy = Policy.archive("benchmark")
            result = compact(value, to_tokens=target, store=store, session=session, policy=policy, tools=tools)
        except BudgetExhausted as halt:
            if halt.reachable >= tokens or halt.reachable <= target:
                return None, "left alone: nothing may leave" if halt.reachable >= tokens else "halts"
            target, how = halt.reachable, "to what is reachable"
            continue
        except IndexBudgetExceeded:
            return None, "halts: index"
        return (result, how) if result.changed else (None, f"left alone: {result.reason[:60]}")
    return None, "halts again at what a halt called reachable"


def cases(root: Path, share: float, store: str, limit: int | None) -> tuple[list[Case], Counter[str]]:
    made: list[Case] = []
    totals: Counter[str] = Counter()
    for path in sorted(root.rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        area = path.relative_to(root).parts[0]
        values, why = readable(path)
        if not values:
            totals[f"{area}: file that no dialect reads ({why})"] += 1
        for number, (value, tokens, dialect) in enumerate(values):
            if limit is not None and totals["transcripts"] >= limit:
                continue
            totals["transcripts"] += 1
            session = f"{path.relative_to(root)}#{number}"
            try:
                result, how = compacted(value, tokens, dialect, share, store, session)
            except CenotaphError as error:
                totals[f"{dialect}: BROKEN {type(error).__name__}"] += 1
                print(f"  {session}: {type(error).__name__}: {str(error)[:300]}")
                continue
            totals[f"{dialect}: {how}"] += 1
            if result is not None:
                made.append(Case(session, session, left_of(result)))
    return made, totals


# Paths ---------------------------------------------------------------------------------------


def path_of(words: str) -> str | None:
    """The path in a match of `PATH`, without what a listing or a sentence puts behind it; None if it is none."""
    path = LINE_OF_A_LISTING.sub(r"\1", words).rstrip(".-+")
    rooted = path.startswith(("/", "~", "."))
    return path if rooted or SUFFIX.search(path) else None


def paths_of(texts: Iterable[str]) -> tuple[set[str], set[str]]:
    """Paths by this file's expression, and by the library's grammar."""
    own: set[str] = set()
    theirs: set[str] = set()
    for text in texts:
        own.update(path for match in PATH.finditer(text) if (path := path_of(match.group())) is not None)
        theirs.update(handle.value for handle in extract(text) if handle.kind == "path")
    return own, theirs


def asked(what: str, store: str, session: str) -> list[Rehydrated]:
    """What comes back; nothing where there is a gap."""
    try:
        return rehydrate(what, store=store, session=session)
    except IrreversibleCompactionError:
        return []


def brings(found: list[Rehydrated], spans: list[Left]) -> tuple[bool, int]:
    """Whether one of the spans came back as it was, and how many of them did."""
    known = {span.span_id: span for span in spans}
    exact = 0
    for one in found:
        span = known.get(one.span_id)
        exact += span is not None and (span.text is None or span.text == one.text)
    return exact > 0, exact


def by_path(made: list[Case], store: str) -> tuple[Counter[str], list[str]]:
    """Asks for every path in what left.

    Returns:
        How many were asked and brought back a span that holds them, by who found them; how many of the others
        brought back what a call on them gave; and those that brought back neither.
    """
    tally: Counter[str] = Counter()
    misses: list[str] = []
    for case in made:
        spans_of: dict[str, list[Left]] = {}
        source: dict[str, str] = {}
        for span in case.left:
            own, theirs = paths_of(span.texts)
            for path in own | theirs:
                spans_of.setdefault(path, []).append(span)
                source[path] = "both" if path in own & theirs else "own" if path in own else "library"
        for path, spans in spans_of.items():
            found = asked(path, store, case.session)
            one, all_of = brings(found, spans)
            tally["asked"] += 1
            tally[f"asked, found by {source[path]}"] += 1
            tally["brought back"] += one
            tally[f"brought back, found by {source[path]}"] += one
            behind = not one and brings(found, [span for span in case.left if path in span.call_texts])[0]
            tally["brought back what a call on it gave"] += behind
            tally["spans that hold one"] += len(spans)
            tally["of them brought back"] += min(all_of, len(spans))
            if not one and not behind:
                misses.append(f"{case.session}: {path!r} ({source[path]})")
    return tally, misses


# Questions -----------------------------------------------------------------------------------


@dataclass
class Question:
    """A fact of what left, and two ways to ask for it."""

    session: str
    span: Left
    value: str
    kind: str
    in_words: str


def clause(line: str) -> str:
    """A line as a summary says it: identifiers generalised, the first clause."""
    plain = IDENTIFIER.sub(lambda match: COMMON_NAMES[str(match.lastgroup)], line)
    first = re.split(r"(?<=\w)[;:.!?](?:\s|$)|,\s| - ", plain.strip(), maxsplit=1)[0]
    words = [word if PLAIN_WORD.fullmatch(word) else "it" for word in first.split()]
    return " ".join(words[:CLAUSE_WORDS_MAX])


def facts_of(case: Case) -> list[Question]:
    """Each identifier of what left once, with the line that it stands in."""
    found: dict[str, Question] = {}
    for span in case.left:
        for text in span.texts:
            for line in text.splitlines():
                if len(line) > 400:
                    continue
                for match in IDENTIFIER.finditer(line):
                    kind = str(match.lastgroup)
                    value = path_of(match.group()) if kind == "path" else match.group().rstrip(".,;:")
                    if value is not None and value not in found:
                        found[value] = Question(case.session, span, value, kind, clause(line))
    return list(found.values())


def hit(what: str, question: Question, store: str) -> bool:
    """Whether what comes back holds the fact."""
    if not what.strip():
        return False
    return any(
        question.value in text
        for one in asked(what, store, question.session)
        for text in (one.text, *strings(one.block))
    )


def by_question(questions: list[Question], store: str) -> tuple[Counter[str], Counter[str]]:
    """Hits by kind of fact: asked by its own handle, and in the summary's words."""
    handles: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for question in questions:
        handles[question.kind] += hit(question.value, question, store)
        words[question.kind] += hit(question.in_words, question, store)
    return handles, words


def print_questions(questions: list[Question], store: str, title: str) -> None:
    kinds: Counter[str] = Counter(question.kind for question in questions)
    handles, words = by_question(questions, store)
    total = max(1, len(questions))
    by_handle, by_words = handles.total() / total, words.total() / total
    print(f"\n{len(questions)} questions on what left, {title}")
    print(f"  by the fact's own handle {by_handle:6.1%}, in the summary's words {by_words:6.1%}")
    for kind, count in kinds.most_common():
        print(f"  {kind:9} {count:4}: {handles[kind] / count:6.1%}  {words[kind] / count:6.1%}")


def best_sentence(summary: str, line: str) -> str:
    """The sentence of a summary that shares most words with a line."""
    wanted = set(re.findall(r"\w{3,}", line.lower()))
    sentences = [one for one in re.split(r"(?<=[.!?])\s+|\n+", summary) if one.strip()]
    return max(sentences, key=lambda one: len(wanted & set(re.findall(r"\w{3,}", one.lower()))), default="")


def recorded(path: Path, share: float, store: str) -> list[Question]:
    """Questions in the words of recorded summaries."""
    questions: list[Question] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        item = json.loads(line)
        plain = compact(item["messages"], to_tokens=1 << 60)
        dialect = plain.readout.transcript.dialect
        session = f"{path.name}#{number}"
        result, _ = compacted(item["messages"], plain.tokens_before, dialect, share, store, session)
        if result is None:
            continue
        for question in facts_of(Case(path.name, session, left_of(result))):
            question.in_words = best_sentence(item["summary"], question.in_words)
            questions.append(question)
    return questions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--shared", type=Path, required=True, help="folder of transcripts")
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--summaries", type=Path)
    parser.add_argument("--limit", type=int, help="no more transcripts than this")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/recall.db"
        made, totals = cases(args.shared, args.share, store, args.limit)
        for what, count in sorted(totals.items()):
            print(f"{count:5}  {what}")
        tally, misses = by_path(made, store)
        print(f"\npaths in what left, each asked for in its session: {tally['brought back']:,} of {tally['asked']:,}")
        print(f"  and {tally['brought back what a call on it gave']:,} what a call on them gave: {dict(tally)}")
        print("\n".join(f"  missed: {miss}" for miss in misses[: args.show]))
        dice = Random(f"questions {args.seed}")
        facts = [question for case in made for question in facts_of(case)]
        print_questions(dice.sample(facts, min(args.questions, len(facts))), store, "words by rule")
        if args.summaries is not None:
            facts = recorded(args.summaries, args.share, store)
            print_questions(dice.sample(facts, min(args.questions, len(facts))), store, "words of recorded summaries")


if __name__ == "__main__":
    main()
