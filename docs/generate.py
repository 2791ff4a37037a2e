"""Writes the pages that are made of the code.

`docs/cli.md` is made of the parsers, `docs/table.md` of the tables, `docs/rules.md` of the rules' docstrings.

python docs/generate.py            writes them
python docs/generate.py --check    exits with 1 if one is not up to date
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from cenotaph.core.classify import RULES
from cenotaph.core.policy import ALLOWED, Action, Policy, Shelf
from cenotaph.dialects.rule_books import BOOKS, RuleBook
from cenotaph.dialects.rule_text import RuleText, text_of
from cenotaph.surfaces.cli.parsers import build_parser

DOCS = Path(__file__).resolve().parent
NOTE = "<!-- Made by docs/generate.py; change the code, not this page. -->\n"


def pages() -> dict[str, str]:
    """File name -> content."""
    return {"cli.md": cli_page(), "table.md": table_page(), "rules.md": rules_page()}


# The command line ---------------------------------------------------------------------------


def cli_page() -> str:
    parser = build_parser()
    parts = [NOTE, "# Command line\n", f"{parser.description}\n", f"{parser.epilog}\n"]
    parts += [_section(words, verb) for words, verb in _verbs(parser, "cenotaph")]
    return "\n".join(parts)


def _verbs(parser: argparse.ArgumentParser, words: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                if any(isinstance(a, argparse._SubParsersAction) for a in inner._actions):
                    yield from _verbs(inner, f"{words} {name}")
                else:
                    yield f"{words} {name}", inner


def _section(words: str, parser: argparse.ArgumentParser) -> str:
    actions = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    places = [action for action in actions if not action.option_strings]
    flags = [action for action in actions if action.option_strings]
    usage = " ".join([words, *(_place(action) for action in places), *(["[options]"] if flags else [])])
    lines = [f"## {words.removeprefix('cenotaph ')}\n", f"{parser.description}\n", f"    {usage}\n"]
    lines += ["| argument | meaning |", "|---|---|"]
    lines += [f"| `{_name(action)}` | {_cell(action.help or '')} |" for action in (*places, *flags)]
    return "\n".join(lines) + "\n"


def _place(action: argparse.Action) -> str:
    name = str(action.metavar)
    return {"?": f"[{name}]", "+": f"{name}..."}.get(str(action.nargs), name)


def _name(action: argparse.Action) -> str:
    if not action.option_strings:
        return str(action.metavar)
    flags = ", ".join(action.option_strings)
    if action.nargs == 0:
        return flags
    return f"{flags} {action.metavar or _choices(action)}"


def _choices(action: argparse.Action) -> str:
    return "\\|".join(map(str, action.choices or ()))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


# The tables ---------------------------------------------------------------------------------


def table_page() -> str:
    lines = [
        NOTE,
        "# Classification\n",
        "A span is classified by its structure and provenance: what kind of thing it is, who wrote it,",
        "whether a handle gets it again. No row reads its text to judge its weight. First match wins.\n",
        "| row | structure | class | why |",
        "|---|---|---|---|",
        *(f"| `{row.id}` | {_cell(row.structure)} | {row.shelf.value} | {_cell(row.why)} |" for row in RULES),
        "\n# What may be done\n",
        "`strict` is the default. `archive` is chosen by name; where it may do more, it says so.\n",
        "| class | strict | archive |",
        "|---|---|---|",
        *(
            f"| {shelf.value} | {_actions('strict', shelf)} | {_actions('archive', shelf)} |"
            for shelf in Shelf
        ),
    ]
    return "\n".join(lines) + "\n"


def _actions(policy: str, shelf: Shelf) -> str:
    permitted = ALLOWED[Policy(policy).name, shelf]
    return ", ".join(f"`{action.value}`" for action in Action if action in permitted)


# The rules of the providers -----------------------------------------------------------------


def rules_page() -> str:
    books: dict[str, tuple[RuleBook, list[str]]] = {}
    for wire, book in BOOKS.items():
        books.setdefault(book.title, (book, []))[1].append(f"`{wire}`")
    lines = [
        NOTE,
        "# Rules of the providers\n",
        "What a request must satisfy so that its provider takes it. A cut may break none that its input did not",
        "break; `cenotaph explain FILE` shows which an input breaks. A rule marked *cut* compares what is sent with",
        "what was sent before.\n",
        *(line for book, wires in books.values() for line in _book(book, wires)),
    ]
    return "\n".join(lines)


def _book(book: RuleBook, wires: list[str]) -> list[str]:
    lines = [f"## {book.title} ({', '.join(wires)})\n", "| rule | what it asks for | source |", "|---|---|---|"]
    lines += [_rule(text_of(rule)) for rule in book.request]
    lines += [_rule(text_of(rule), " *cut*") for rule in book.cut]
    return [*lines, ""]


def _rule(text: RuleText, mark: str = "") -> str:
    said = _cell(" ".join(filter(None, (text.says, text.note))))
    return f"| `{text.id}`{mark} | {said} | {_cell(text.source)} |"


def main(argv: list[str]) -> int:
    stale = [
        name
        for name, text in pages().items()
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text
    ]
    if "--check" in argv:
        for name in stale:
            sys.stderr.write(f"docs/{name} is not up to date; run python docs/generate.py\n")
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).write_text(pages()[name], encoding="utf-8")
        sys.stderr.write(f"wrote docs/{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
