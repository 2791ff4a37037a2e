"""A shell command, taken apart: its simple commands, with their words, redirections and what is handed to them.

This is no shell. Quotation, here-documents, variables that the command itself sets, and loops over names that it
lists are understood; what a substitution gives is not known, and a word that hangs on it keeps its `$`.
One pass; a quotation that does not end ends with the command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

__all__ = ["Simple", "simple_commands"]


@dataclass(slots=True)
class Simple:
    """One simple command.

    Attributes:
        words: The program and its arguments, without quotation marks.
        settings: Variables that are set for it alone.
        written: Files that its output is sent to.
        handed: Texts that it reads as its input: here-documents, here-strings.
        piped: The command whose output it reads; None if there is none.
    """

    words: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    handed: list[str] = field(default_factory=list)
    piped: Simple | None = None

    @property
    def program(self) -> str:
        """Its name without a folder; "" if there is none."""
        return self.words[0].rsplit("/", 1)[-1].removesuffix(".exe") if self.words else ""


_HERE: Final = re.compile(r"(?<!<)<<(-?)[ \t]*(?:\\?([A-Za-z_]\w*)|'([^'\n]+)'|\"([^\"\n]+)\")(?!<)")
_HERE_WORD: Final = "\x01"
_LITERAL_DOLLAR: Final = "\x02"
_TOKEN: Final = re.compile(
    r"(?P<space>(?:[ \t\r]|\\\r?\n)++)"
    r"|(?P<comment>(?<![^\s;|&(`])\#[^\n]*+)"
    r"|(?P<write>\d?(?:&>>?|>>|>\||>&?)|<>)"
    r"|(?P<read>\d?<<<|\d?<<|\d?<&?)"
    r"|(?P<split>&&|\|&|\|\||[|;&\n()`]|\$\()"
    r"|(?P<word>(?:[^\s|;&()<>`'\"\\$]|\$(?!\()|\\[\s\S]|'[^']*+'?|\"(?:[^\"\\]|\\[\s\S])*+\"?|\\)++)"
)
_PIECE: Final = re.compile(r"\$?'([^']*)'?|\$?\"((?:[^\"\\]|\\[\s\S])*)\"?|\\([\s\S]?)|[^'\"\\$]+|\$")
_ESCAPED: Final = re.compile(r"\\([\"\\$`\n])")
_SETTING: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE: Final = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
_WINDOWS: Final = re.compile(r"[A-Za-z]:\\|\.{1,2}\\|\\\\")
_BRACES: Final = re.compile(r"([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)")
_OPENERS: Final = frozenset("then do else elif if while until ! { time".split())  # noqa: SIM905
_UNKNOWN: Final = "$()"
"""What stands for the output of a substitution."""
_DEPTH_MAX: Final = 40
_EXPANDED_CHARS_MAX: Final = 2_000
_VARIABLES_MAX: Final = 8
"""Variables of one word that are replaced."""
_VALUES_MAX: Final = 64
"""Names that a loop or a pair of braces stands for; more of them are not looked at."""


def simple_commands(command: str) -> list[Simple]:
    """The simple commands of a command, in order, those inside a substitution before the one that holds it.

    Args:
        command: As the call has it; linear in its length.
    """
    text, bodies = _without_here_documents(command)
    reader = _Reader(bodies)
    for kind, token in _tokens(text):
        reader.take(kind, token)
    return reader.ended()


class _Reader:
    """Puts tokens together to simple commands; one that a substitution interrupts waits for its end."""

    def __init__(self, bodies: Sequence[str]) -> None:
        self._bodies = bodies
        self._variables: dict[str, list[str]] = {}
        self._found: list[Simple] = []
        self._current = Simple()
        self._waiting: list[tuple[str, Simple]] = []
        self._spaced = True

    def take(self, kind: str, token: str) -> None:
        if kind == "word":
            self._word(token)
        elif kind in ("read", "write"):
            self._current.words += [f"\0{kind}", token]
        elif token in ("$(", "(") or (token == "`" and not self._closes("`")):
            self._open(token)
        elif (token == ")" and self._waiting) or token == "`":
            self._close()
        elif kind == "split":
            self._split(token)
        self._spaced = kind != "word" and not (kind == "split" and token in (")", "`"))

    def ended(self) -> list[Simple]:
        """All that was found; what is still open ends here."""
        while self._waiting:
            self._close()
        self._split("\n")
        return self._found

    def _word(self, token: str) -> None:
        words = self._current.words
        if self._spaced or not words or len(words[-1]) > _EXPANDED_CHARS_MAX:
            words.append(token)
        else:
            words[-1] += token  # it follows a substitution without a space

    def _closes(self, sign: str) -> bool:
        return bool(self._waiting) and self._waiting[-1][0] == sign

    def _open(self, token: str) -> None:
        if len(self._waiting) >= _DEPTH_MAX:
            self._split(token)
            return
        if token != "(":
            self._word(_UNKNOWN)
        self._waiting.append((token, self._current))
        self._current = Simple()

    def _close(self) -> None:
        self._split(")")
        _, self._current = self._waiting.pop()

    def _split(self, token: str) -> None:
        done = _finished(self._current, self._bodies, self._variables)
        self._current = Simple()
        if done is not None:
            self._found.append(done)
            self._current.piped = done if token in ("|", "|&") else None


def _without_here_documents(command: str) -> tuple[str, list[str]]:
    """The command without its here-documents, each with a word in its place, and the documents."""
    if "<<" not in command:
        return command, []
    lines = command.split("\n")
    last = {line.strip(): at for at, line in enumerate(lines)}
    kept: list[str] = []
    bodies: list[str] = []
    waiting: list[tuple[str, int]] = []  # the words that end the documents that are open, and where each begins

    def opened(at: int, match: re.Match[str]) -> str:
        end = match[2] or match[3] or match[4]
        if last.get(end, -1) <= at:
            return match.group()  # nothing ends it, so it is none
        bodies.append("")
        waiting.append((end, len(bodies) - 1))
        return f"<< {_HERE_WORD}{len(bodies) - 1}"

    body: list[str] = []
    for at, line in enumerate(lines):
        if not waiting:
            kept.append(_HERE.sub(partial(opened, at), line) if "<<" in line else line)
        elif line.strip() == waiting[0][0]:
            bodies[waiting.pop(0)[1]] = "\n".join(body)
            body = []
        else:
            body.append(line)
    return "\n".join(kept), bodies


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            at += 1
            continue
        at = match.end()
        kind = match.lastgroup or ""
        if kind != "comment":
            yield kind, match.group()


def _finished(raw: Simple, bodies: Sequence[str], variables: dict[str, list[str]]) -> Simple | None:
    """The command with its redirections apart, without quotation marks, variables replaced; None if nothing is left."""
    done = Simple(piped=raw.piped)
    words = iter(raw.words)
    for word in words:
        if word == "\0write":
            operator, target = next(words), next(words, "")
            if not (operator.endswith("&") and target.isdigit()) and not target.startswith("&"):
                done.written += filter(None, _expanded(target, variables))
        elif word == "\0read":
            operator, target = next(words), next(words, "")
            if target.startswith(_HERE_WORD):
                done.handed.append(bodies[int(target[1:])])
            elif operator.endswith("<<<"):
                done.handed += _expanded(target, variables)
        else:
            done.words += _expanded(word, variables)
    while done.words and done.words[0] in _OPENERS:
        del done.words[0]
    if done.words[:1] == ["for"] and done.words[2:3] == ["in"]:
        variables[done.words[1]] = done.words[3 : 3 + _VALUES_MAX]
        return None
    if done.words[:1] == ["export"] and len(done.words) > 1:
        del done.words[0]
    while done.words and (setting := _SETTING.fullmatch(done.words[0])):
        done.settings[setting[1]] = setting[2]
        del done.words[0]
    if not done.words:
        variables.update({name: [value] for name, value in done.settings.items()})
    if done.words[:1] == ["[["]:
        done.written.clear()  # a comparison
    return done if done.words or done.written else None


def _expanded(word: str, variables: Mapping[str, Sequence[str]]) -> list[str]:
    """What a word stands for: one text, or several where it is a variable of a loop or holds braces."""
    if word.isalnum():
        return [word]
    texts = [word if _WINDOWS.match(word) else "".join(map(_piece, _PIECE.finditer(word)))]
    for _ in range(_VARIABLES_MAX):
        known = _known(texts[0], variables)
        if known is None:
            break
        name, values = known
        texts = [_replaced(text, name, value) for text in texts for value in values][:_VALUES_MAX]
        if not texts:
            return []
    if "{" in word and len(word) <= _EXPANDED_CHARS_MAX and "'" not in word and '"' not in word:
        texts = [text for one in texts for text in _braces(one)]
    return [text.replace(_LITERAL_DOLLAR, "$") for text in texts]


def _piece(match: re.Match[str]) -> str:
    text = match.group()
    if text.startswith(("'", "$'")):
        return match[1].replace("$", _LITERAL_DOLLAR)
    if text.startswith(('"', '$"')):
        return _ESCAPED.sub(lambda one: _LITERAL_DOLLAR if one[1] == "$" else one[1].strip("\n"), match[2])
    if text.startswith("\\"):
        return _LITERAL_DOLLAR if match[3] == "$" else match[3].strip("\n")
    return text


def _known(text: str, variables: Mapping[str, Sequence[str]]) -> tuple[str, Sequence[str]] | None:
    """The first variable in a text whose value is known and holds no variable itself."""
    if "$" not in text or not variables or len(text) > _EXPANDED_CHARS_MAX:
        return None
    for match in _VARIABLE.finditer(text):
        values = variables.get(match[1] or match[2])
        if values is not None and all("$" not in one and len(one) < _EXPANDED_CHARS_MAX for one in values):
            return match[1] or match[2], values
    return None


def _replaced(text: str, name: str, value: str) -> str:
    return re.sub(rf"\$(?:{name}(?!\w)|\{{{name}\}})", lambda _: value, text)


def _braces(text: str) -> list[str]:
    match = _BRACES.fullmatch(text)
    if match is None:
        return [text]
    return [match[1] + one + match[3] for one in match[2].split(",")[:_VALUES_MAX]]
