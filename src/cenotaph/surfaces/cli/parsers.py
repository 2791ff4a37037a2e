"""Every verb with its words and flags. Nothing heavy is imported here: hooks start once per call."""

from __future__ import annotations

import argparse
from typing import Final, NoReturn

from cenotaph.errors import ConfigurationError

__all__ = ["HOME", "Parser", "UsageError", "build_parser"]

HOME: Final = {
    "compact": "compact",
    "explain": "explain",
    "rehydrate": "recall",
    "verify": "recall",
    "sessions": "recall",
    "pin": "control",
    "unpin": "control",
    "rules": "control",
    "undo": "control",
    "handoff": "control",
    "tools": "tools",
    "tokens": "tokens",
    "audit": "audit",
    "demo": "demo",
}
"""Verb -> the module that does it, imported once the verb is known."""

_FILE = "a session file, a list of messages, a request body, or one message per line; `-` is standard input"
_STORE = "where originals live, e.g. sqlite:///agent.db (default: one file in your state folder)"


class UsageError(ConfigurationError):
    """The command line itself can't be understood."""

    code = "usage"


class Parser(argparse.ArgumentParser):
    """Raises instead of leaving, so that every failure takes the one way out."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}.", next_step=f"See {self.prog} --help.")


def tokens(text: str) -> int:
    """A number of tokens as people write it: 200000, 200_000, 200,000, 200k, 1m."""
    digits = text.strip().lower().replace(",", "").replace("_", "")
    factor = {"k": 1_000, "m": 1_000_000}.get(digits[-1:], 1)
    try:
        number = float(digits[:-1]) * factor if factor > 1 else int(digits)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tokens, e.g. 40000, 40_000 or 40k") from None
    if number != int(number):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of tokens")
    return int(number)


def share(text: str) -> float:
    """A share of the window: 0.7 or 70%."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no share of the window, e.g. 0.7 or 70%") from None


def build_parser() -> Parser:
    """The whole command line."""
    from cenotaph import __version__

    parser = Parser(
        prog="cenotaph",
        description="Safe context compaction for agents: what leaves is named and can be had again, what is "
        "authoritative stays word for word, or the command halts.",
        epilog="Exit codes: 0 fine, 1 findings or a gap, 2 could not do it, 3 halted by the budget. "
        "Results go to standard output, talk to standard error.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"cenotaph {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs", parser_class=Parser)
    _compact(verbs)
    _explain(verbs)
    _rehydrate(verbs)
    _verify(verbs)
    _sessions(verbs)
    _pin(verbs)
    _unpin(verbs)
    _rules(verbs)
    _undo(verbs)
    _handoff(verbs)
    _tools(verbs)
    _tokens(verbs)
    _audit(verbs)
    _demo(verbs)
    return parser


def _verb(verbs: argparse._SubParsersAction[Parser], name: str, text: str, more: str = "") -> Parser:
    sentence = f"{text[0].upper()}{text[1:]}."
    return verbs.add_parser(name, help=text, description=f"{sentence} {more}".strip(), allow_abbrev=False)


def _reading(parser: Parser) -> None:
    parser.add_argument("--dialect", metavar="D", help="name of the input's format (default: by its structure)")
    parser.add_argument(
        "--tools", metavar="T", action="append", default=[],
        help="a TOML file with [[tool]] tables, or the name of a profile; may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--pin", metavar="TEXT", action="append", default=[],
        help="whatever holds this text never leaves; may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--model", metavar="M", help="the model, if the input does not name it: decides how tokens count"
    )
    parser.add_argument(
        "--region", choices=("last", "all"), default="last",
        help="of a session file: what the model sees next, or its whole history (default: last)",
    )  # fmt: skip


def _bound(parser: Parser) -> None:
    parser.add_argument(
        "--binding", choices=("none", "newest", "prefix"),
        help="how the provider binds signed reasoning (default: by the model's name)",
    )  # fmt: skip
    parser.add_argument(
        "--drop-block",
        action="store_true",
        help="the provider drops reasoning whose prefix changed, it does not refuse",
    )


def _json(parser: Parser, text: str) -> None:
    parser.add_argument("--json", action="store_true", help=text)


def _compact(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "compact", "bring messages under a budget, or halt",
        "Writes the view to OUT, else to standard output, in the input's own shape. The input is never "
        "changed. A halt writes no view, says what stays and what the ways out are, and exits with 3.",
    )  # fmt: skip
    parser.add_argument("file", metavar="FILE", help=_FILE)
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--window",
        metavar="N",
        type=tokens,
        help="the model's window; acts above the trigger, ends at the target",
    )
    size.add_argument("--to-tokens", metavar="N", type=tokens, help="acts whenever there are more, ends at most there")
    parser.add_argument(
        "--policy", choices=("strict", "archive"), default="strict",
        help="archive: evictable authoritative spans may move to the store, after all else (default: strict)",
    )  # fmt: skip
    parser.add_argument("--store", metavar="URL", help=_STORE)
    parser.add_argument("--session", metavar="S", help="name in the store (default: the transcript's own id)")
    _reading(parser)
    parser.add_argument(
        "--keep", metavar="TEXT", action="append", default=[],
        help="for this round: what shares a path, id or these words stays; may be given again",
    )  # fmt: skip
    parser.add_argument("--trigger", metavar="SHARE", type=share, help="of the window, above which it acts (0.70)")
    parser.add_argument("--target", metavar="SHARE", type=share, help="of the window, at which it ends (0.45)")
    parser.add_argument(
        "--overhead", metavar="N", type=tokens, help="tokens of the request that FILE does not hold (0)"
    )
    _bound(parser)
    parser.add_argument("--dry-run", action="store_true", help="write nothing anywhere and show the plan")
    parser.add_argument("-o", "--out", metavar="OUT", help="write the view there: whole, or not at all")
    _json(parser, "one JSON object on standard output: messages, record, tokens and store")


def _explain(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "explain", "show each span with its class, and the row of the table in words",
        "Decides and writes nothing.",
    )  # fmt: skip
    parser.add_argument("file", metavar="FILE", nargs="?", help=_FILE)
    parser.add_argument("--table", action="store_true", help="the classification table itself; needs no FILE")
    parser.add_argument("--rows", action="store_true", help="only the sums of each row")
    parser.add_argument("--limit", metavar="N", type=int, help="show at most N spans")
    _reading(parser)
    _json(parser, "one JSON object on standard output")


def _rehydrate(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "rehydrate", "print an original that left, byte for byte",
        "The newest one, or with --all each. Where no handle resolves it reports the gap and exits with 1; "
        "it never reconstructs. An original that was pruned or erased is no gap: it says so and exits with 2.",
    )  # fmt: skip
    parser.add_argument(
        "what",
        metavar="WHAT",
        help="a store handle (cx:...), a handle (file:src/app.py), a line that stands where something left, "
        "a turn (t12, t3.2), or a text with handles",
    )
    parser.add_argument("--store", metavar="URL", help=_STORE)
    parser.add_argument("--session", metavar="S", help="name in the store; needed if it holds several")
    parser.add_argument(
        "--from", dest="history", metavar="FILE", help="ask a session file of another client in place of a store"
    )
    parser.add_argument("--all", action="store_true", help="every original that the handle names, newest first")
    parser.add_argument(
        "--limit-chars", metavar="N", type=int,
        help="print at most N characters: what is larger comes in pieces, and a cursor says how to go on",
    )  # fmt: skip
    parser.add_argument("--cursor", metavar="C", help="go on where the answer before ended; with the same WHAT")
    _json(parser, "one JSON object on standard output, with blocks and their provenance")


def _verify(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "verify", "check what a store promises; exits with 1 if something does not hold",
        "Records, their chain and every pointer; with --read-data also every byte and every view.",
    )  # fmt: skip
    parser.add_argument("--store", metavar="URL", help=_STORE)
    parser.add_argument("--session", metavar="S", help="only this one")
    parser.add_argument(
        "--read-data", action="store_true", help="decode every original, rebuild every view to the byte"
    )
    _json(parser, "one JSON object on standard output")


def _sessions(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "sessions", "list the sessions of a store, and this user's Claude Code sessions")
    parser.add_argument("--store", metavar="URL", help=_STORE)
    parser.add_argument(
        "--limit", metavar="N", type=int, default=20, help="Claude Code sessions to show (20; 0 is all)"
    )
    _json(parser, "one JSON object on standard output")


def _pinning(parser: Parser) -> None:
    parser.add_argument("text", metavar="TEXT", help="the words, or with --regex a pattern of Python's `re`")
    parser.add_argument("--regex", action="store_true", help="TEXT is a pattern: what it matches stays")
    _stored(parser)
    _json(parser, "one JSON object on standard output, with every pin of the session")


def _stored(parser: Parser) -> None:
    parser.add_argument("--store", metavar="URL", help=_STORE)
    parser.add_argument("--session", metavar="S", help="name in the store; needed if it holds several")


def _pin(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "pin", "have words stay in every view of a session, from its next cut on",
        "What holds them never leaves; words that no message holds stand on our page.",
    )  # fmt: skip
    _pinning(parser)


def _unpin(verbs: argparse._SubParsersAction[Parser]) -> None:
    _pinning(_verb(verbs, "unpin", "take a pin back, from the session's next cut on"))


def _rules(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "rules", "show what stands in a session: its pins, and what its last view states",
        "Each sentence that weighs, by tier (system, developer, user, agent) and in the order in which it was "
        "said, with its turn and the message of the view that holds it. Writes nothing.",
    )  # fmt: skip
    _stored(parser)
    _json(parser, "one JSON object on standard output: pins and statements")


def _undo(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "undo", "take the last cut of a session back",
        "Writes the messages as they came in to it, as a JSON list, to OUT, else to standard output; a record "
        "says so, and nothing is removed from the store.",
    )  # fmt: skip
    _stored(parser)
    parser.add_argument("-o", "--out", metavar="OUT", help="write the messages there: whole, or not at all")
    _json(parser, "one JSON object on standard output: messages, the record that was taken back, store and session")


def _handoff(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "handoff", "the smallest view that loses nothing, for a fresh window",
        "Everything leaves that the policy lets go; pins, rules, the plan and the request stay. It is a cut of "
        "the session like any other. Writes the view to OUT, else to standard output, in the input's own shape.",
    )  # fmt: skip
    parser.add_argument("file", metavar="FILE", help=_FILE)
    parser.add_argument(
        "--policy", choices=("strict", "archive"), default="archive",
        help="strict: authoritative spans stay in the view too (default: archive)",
    )  # fmt: skip
    parser.add_argument("--store", metavar="URL", help=_STORE)
    parser.add_argument("--session", metavar="S", help="name in the store (default: the transcript's own id)")
    _reading(parser)
    _bound(parser)
    parser.add_argument("-o", "--out", metavar="OUT", help="write the view there: whole, or not at all")
    _json(parser, "one JSON object on standard output: messages, record, tokens and store")


def _tools(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "tools", "show what is declared of tools, or declare more from calls or a server's list")
    parser.set_defaults(json=False)
    inner = parser.add_subparsers(dest="act", metavar="list|suggest|mcp", required=True, parser_class=Parser)
    shown = _verb(inner, "list", "show the declarations of a profile or a TOML file")
    shown.add_argument(
        "profile",
        metavar="PROFILE",
        nargs="?",
        help="name of a profile or a TOML file (default: all profiles)",
    )
    _json(shown, "one JSON object on standard output")
    draft = _verb(
        inner, "suggest", "draft declarations from the calls of transcripts",
        "Every entry is written as a comment: nothing counts until a person has checked it and kept it.",
    )  # fmt: skip
    draft.add_argument("paths", metavar="PATH", nargs="+", help="a transcript, or a folder of them")
    draft.add_argument("-o", "--out", metavar="T.toml", help="write the draft there (default: standard output)")
    draft.add_argument("--dialect", metavar="D", help="name of the input's format (default: by its structure)")
    draft.add_argument(
        "--tools", metavar="T", action="append", default=[],
        help="what is declared already: a TOML file or the name of a profile; may be given again",
    )  # fmt: skip
    _json(draft, "what was seen, as one JSON object on standard output")
    _tools_mcp(inner)


def _tools_mcp(inner: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        inner, "mcp", "declare the tools of an MCP server by what it says of them",
        "Writes [[tool]] tables to standard output. Without --trusted there is none: a server's annotations are its "
        "own word. A read-only tool writes nothing; it is repeatable only with --handle, and only if the server says "
        "that it reaches no open world.",
    )  # fmt: skip
    parser.add_argument(
        "listing", metavar="LISTING", help="what the server answered to tools/list, as JSON; `-` is standard input"
    )
    parser.add_argument("--trusted", action="store_true", help="you answer for what the server says of its tools")
    parser.add_argument(
        "--server", metavar="NAME", help="the server's name in the client (default: its tools go by their own names)"
    )
    parser.add_argument(
        "--name", metavar="PATTERN", default="mcp__{server}__{tool}",
        help="how the client calls a tool of a named server (default: mcp__{server}__{tool})",
    )  # fmt: skip
    parser.add_argument(
        "--handle", metavar="TOOL=TEMPLATE", action="append", default=[],
        help="under which handle the result of a tool can be had again, e.g. read=file:{path}; may be given again",
    )  # fmt: skip
    _json(parser, "the declarations, as one JSON object on standard output")


def _tokens(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "tokens", "count a transcript, and hold the count against what its provider reported",
        "By class of text, with the counter's name. Where the transcript has the usage of its requests, the "
        "signed error of each, before and after calibration by the requests before it. Decides and writes nothing.",
    )  # fmt: skip
    parser.add_argument("file", metavar="FILE", help=_FILE)
    parser.add_argument("--dialect", metavar="D", help="name of the input's format (default: by its structure)")
    parser.add_argument(
        "--model", metavar="M", help="the model, if the input does not name it: decides how tokens count"
    )
    parser.add_argument(
        "--counter", metavar="C",
        help="count with this one: o200k_base, cl100k_base, claude-3, claude-4.7, unknown, or ctok if it is installed "
        "(default: by the model's name)",
    )  # fmt: skip
    parser.add_argument(
        "--region", choices=("last", "all"), default="last",
        help="of a session file: what the model sees next, or its whole history (default: last)",
    )  # fmt: skip
    _json(parser, "one JSON object on standard output, with every call")


def _audit(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs, "audit", "say what other tools' compactions lost, softened, changed or made up",
        "Without PATH it looks through this user's Claude Code and Codex sessions, newest first, for some seconds and "
        "shows the worst losses: the words beside what became of them, and the command that brings them back. "
        "Exits with 1 if there are findings. Nothing is changed.",
    )  # fmt: skip
    parser.add_argument("paths", metavar="PATH", nargs="*", help="session files, or folders of them")
    parser.add_argument("--before", metavar="A", help="the messages before a compaction; needs --after")
    parser.add_argument("--after", metavar="B", help="the messages after it, or a text file with the summary")
    parser.add_argument("--store", metavar="URL", help="with --session or --before: the store that is asked")
    parser.add_argument("--session", metavar="S", help="audit our own compactions of this session of the store")
    parser.add_argument("--dialect", metavar="D", help="the format, if it should not be detected")
    parser.add_argument(
        "--tools", metavar="T", action="append", default=[], help="declarations of tools: a profile or a TOML file"
    )
    parser.add_argument(
        "--with-excerpts", action="store_true",
        help="show words of the transcripts, secrets masked; without it every form holds counts and hashes only",
    )  # fmt: skip
    parser.add_argument("--html", metavar="OUT", help="write one HTML file that needs no network")
    parser.add_argument("--rows", metavar="OUT", help="write one row per compaction: OUT.csv or OUT.parquet")
    parser.add_argument("--jobs", metavar="N", type=int, help="processes (as many as there are cores)")
    parser.add_argument(
        "--fail-on", choices=("any", "proven", "never"), default="any",
        help="which findings make the exit code 1 (any)",
    )  # fmt: skip
    _json(parser, "one JSON object on standard output")


def _demo(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(
        verbs,
        "demo",
        "the whole story on a transcript that comes with the package; no network",
        "One scripted agent plays the same turns over a rolling summary and over Cenotaph.",
    )
    parser.add_argument("--store", metavar="URL", help="keep the originals there (default: a file that is removed)")
    parser.add_argument("--write", metavar="FILE", help="write the transcript there, play nothing")
    _json(parser, "the numbers instead of the picture, as one JSON object")
