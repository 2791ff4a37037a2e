"""The words of a sentence, with the things that it names as one word each: paths, hosts, databases, branches.

A person names a thing by its form (`/etc/prod`, `*.lock`, `db-1.internal`), by quoting it, or by the noun beside it
(`the main branch`, `database orders`). What has none of these is an ordinary word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from cenotaph.core.audit.verdicts.words import word_set
from cenotaph.core.handles import extract
from cenotaph.core.statements import common

__all__ = ["NOUNS", "Item", "act_of", "items_of"]


@dataclass(frozen=True, slots=True)
class Item:
    """A word, a sign or a name.

    Attributes:
        text: Folded; of a name as it stands, without quotation marks.
        kind: "word", "sign", "path" or "name".
        noun: What a name is said to be: a kind of `NOUNS`; "" if nothing says it.
        quoted: It stands in quotation marks.
    """

    text: str
    kind: str
    noun: str = ""
    quoted: bool = False

    @property
    def names(self) -> bool:
        """It is the name of a thing."""
        return self.kind in ("path", "name")


NOUNS: Final[dict[str, str]] = {
    **dict.fromkeys(("database", "databases", "db", "dbs"), "database"),
    **dict.fromkeys(("host", "hosts", "server", "servers", "machine", "machines", "box", "instance", "node"), "host"),
    **dict.fromkeys(("branch", "branches"), "branch"),
    **dict.fromkeys(("cluster", "clusters", "context", "environment", "env"), "cluster"),
    **dict.fromkeys(("namespace", "namespaces"), "namespace"),
    **dict.fromkeys(("table", "tables", "schema", "schemas", "collection", "collections"), "table"),
    **dict.fromkeys(("folder", "folders", "directory", "directories", "dir", "dirs", "subfolder", "tree"), "folder"),
}
"""Nouns that say what the word beside them names, and the kind of it."""

_ACTS: Final = (
    ("change", r"modif\w*|chang\w+|edit\w*|alter\w*|writ(?:e|es|ing|ten)|touch\w*|updat\w+|patch(?:es|ed|ing)?"
     r"|overwrit\w+|rewrit\w+|tweak\w*|tamper\w*|mess(?:es|ed|ing)?|fiddl\w+|refactor\w*|adjust\w*|mutat\w+|replac\w+"
     r"|re?format(?:s|ted|ting)?|interfer\w+|fix(?:es|ing)?"),
    ("delete", r"delet\w+|remov\w+|eras\w+|wip(?:e|es|ed|ing)|drop(?:s|ped|ping)?|truncat\w+|destroy\w*|purg\w+|rm"
     r"|nuk(?:e|es|ed|ing)|clean(?:s|ed|ing)?|unlink\w*"),
    ("create", r"creat\w+|add(?:s|ed|ing|itions?)?|insert\w*|put(?:s|ting)?|plac(?:e|es|ed|ing)|generat\w+"),
    ("move", r"mov(?:e|es|ed|ing)|renam\w+|relocat\w+"),
    ("deploy", r"deploy\w*|releas(?:e|es|ed|ing)|ship(?:s|ped|ping)?|appl(?:y|ies|ied|ying)|migrat\w+|publish\w*"
     r"|provision\w*|install\w*|rollouts?|upgrad\w+"),
    ("push", r"push(?:es|ed|ing)?|merg(?:e|es|ed|ing)"),
    ("force", r"force(?:[ds]|-push\w*)?|forcing"),
    ("commit", r"commit(?:s|ted|ting)?"),
    ("run", r"run(?:s|ning)?|execut\w+|restart\w*|launch\w*"),
    ("access", r"access\w*|connect\w*|ssh|enter(?:s|ed|ing)?|quer(?:y|ies|ying)|log(?:in|-in|ging)|sen[dt](?:s|ing)?"),
)  # fmt: skip
_ACT: Final = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _ACTS))


@lru_cache(maxsize=8_192)
def act_of(word: str) -> str:
    """The kind of act that a folded word speaks of; "" if none."""
    match = _ACT.fullmatch(word)
    return (match.lastgroup or "") if match else ""


_ENVIRONMENTS: Final = word_set("main master production prod staging live develop trunk")
_FILES: Final = word_set("""
    makefile dockerfile jenkinsfile procfile gemfile rakefile vagrantfile caddyfile brewfile license readme changelog
    codeowners""")
_ADJECTIVES: Final = word_set("""
    remote local whole entire shared existing old new current actual real right wrong source target following above
    below given said named called external internal public private single other same different separate any every each
    all no my our your their his her the a an this that these those which whose sql""")
_QUOTED: Final = r"`([^`\n]{1,300})`|\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|(?<![\w'])'([^'\n]{1,300})'(?!\w)"
_CHUNK: Final = re.compile(rf"{_QUOTED}|(\S+)")
_BOLD: Final = re.compile(r"\*\*([^*\s][^*\n]{0,300}?)\*\*|(?<![\w*/])__([^_\s][^_\n]{0,300}?)__(?!\w)")
_OPENING: Final = "([{<\"'“‘„«*_`"
_CLOSING: Final = ")]}>\"'”’“»,;:!?.*_`"
_BULLET: Final = re.compile(r"\s*(?:[-*+•·>#]+|\(?\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_PATH: Final = re.compile(
    r"(?:[/~]|\.{1,2}/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]*://)\S+|/|\.[A-Za-z]\w*(?:[./-]\S*)?|\S+/|[^/\s]*\*\S+"
    r"|[\w@+.\-\[\]$*]+(?:[/\\][\w@+.\-\[\]$*]+)+|[\w@+\-\[\]$]+(?:\.[\w@+\-\[\]]+)*\.[A-Za-z][A-Za-z0-9]{0,9}"
)
_SYMBOLIC: Final = re.compile(r"[A-Za-z_][\w.-]*(?:_|[A-Za-z]\d|\d[A-Za-z])[\w.-]*|[A-Za-z]\d[\w.-]*")
_NAMELESS: Final = re.compile(r"[^A-Za-z]*|[a-z]\.[a-z]\.?|.*[→\"{}<>|].*|.*\\n.*")
"""What is no name, though it looks like a path: an abbreviation, a comment sign, a piece of data."""
_HYPHENED: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_UNSPACED: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SCRIPTS: Final = re.compile(rf"(?<=[!-~])(?=[{_UNSPACED}])|(?<=[{_UNSPACED}])(?=[!-~])")
"""Where a script that is written without spaces meets another."""
_APOSTROPHES: Final = str.maketrans("’ʼ＇", "'''")


def items_of(sentence: str) -> list[Item]:
    """The items of a sentence, in order; a bullet before it is none.

    Args:
        sentence: On one line.
    """
    bare = _BOLD.sub(lambda match: f" {match[1] or match[2]} ", sentence.translate(_APOSTROPHES))
    bare = bare if bare.isascii() else _SCRIPTS.sub(" ", bare)
    bullet = _BULLET.match(bare)
    bare = bare[bullet.end() :] if bullet else bare
    known = {handle.value: handle.kind for handle in extract(bare)}
    items = [item for match in _CHUNK.finditer(bare) for item in _read(match, known)]
    return _by_nouns(items)


def _read(match: re.Match[str], known: dict[str, str]) -> Iterator[Item]:
    quoted = match[1] or match[2] or match[3] or match[4]
    if quoted is not None:
        yield from _quotation(quoted.strip(), known)
        return
    chunk = match[5]
    start, end = 0, len(chunk)
    while start < end and chunk[start] in _OPENING and not _is_glob(chunk, start):
        start += 1
    while end > start and chunk[end - 1] in _CLOSING and not (chunk[end - 1] == "*" and _is_glob(chunk, end - 1)):
        end -= 1
    yield from (Item(sign, "sign") for sign in chunk[:start] if sign in "([{<")
    if start < end:
        yield from _word(chunk[start:end], known)
    yield from (Item(sign, "sign") for sign in chunk[end:] if sign in ",;:!?.)]}>")


def _is_glob(chunk: str, at: int) -> bool:
    return chunk[at] == "*" and bool(re.match(r"\*+[./]", chunk[at:]) or (at and chunk[at - 1] in "/*."))


def _quotation(text: str, known: dict[str, str]) -> Iterator[Item]:
    """A quotation that is one name; any other is a sentence that somebody else says."""
    if " " not in text or (text.startswith(("/", "~", "./")) and text.count(" ") <= 4):
        kind = "path" if _is_path(text, known) or " " in text else "name"
        yield Item(text, kind if re.search(r"[^\W\d_]", text) else "word", quoted=True)
    else:
        yield Item('"', "sign")
        yield from (replace(item, quoted=True) for word in text.split() for item in _word(word, known))
        yield Item('"', "sign")


def _word(text: str, known: dict[str, str]) -> Iterator[Item]:
    folded = text.casefold()
    if text in ("-", "--", "–", "—", "→", "->", "=>"):
        yield Item("-", "sign")
    elif text in ("/", "&", "|"):
        yield Item("/", "sign")
    elif "—" in text or "…" in text:
        pieces = re.split(r"[—…]+", text)
        for number, piece in enumerate(pieces):
            if number:
                yield Item("-", "sign")
            if piece:
                yield from _word(piece, known)
    elif folded.isalpha() or "'" in text:
        yield Item(text, "path") if folded in _FILES else Item(folded, "word")
    elif re.fullmatch(r"[A-Za-z]+(?:/[A-Za-z]+)+", text) and all(map(_spoken, folded.split("/"))):
        for number, piece in enumerate(folded.split("/")):
            if number:
                yield Item("/", "sign")
            yield Item(piece, "word")
    elif _is_path(text, known):
        yield Item(text, "path")
    elif known.get(text) in ("host", "ip", "id", "identifier", "email", "uuid", "hash") or _SYMBOLIC.fullmatch(text):
        yield Item(text, "name")
    else:
        yield Item(folded, "word")


def _spoken(word: str) -> bool:
    return common(word) or bool(act_of(word)) or word in _ALTERNATIVES


_ALTERNATIVES: Final = word_set("read reads files folders file folder client server input output frontend backend")


def _is_path(text: str, known: dict[str, str]) -> bool:
    if known.get(text) in ("host", "ip", "email", "version", "number", "time") or _NAMELESS.fullmatch(text):
        return False
    return known.get(text) in ("path", "url") or _PATH.fullmatch(text) is not None


def _by_nouns(items: Sequence[Item]) -> list[Item]:
    """The items with what a noun says of the word beside it: `the main branch`, `database orders`."""
    found: list[Item] = []
    at = 0
    while at < len(items):
        item = items[at]
        noun = NOUNS.get(item.text, "") if item.kind == "word" else ""
        following = items[at + 1] if at + 1 < len(items) else None
        if noun and found and _may_be_named(found[-1], noun, before=True) and not found[-1].noun:
            found[-1] = _named(found[-1], noun)
        elif noun and following is not None and _may_be_named(following, noun, before=False):
            found += [item, _named(following, noun)]
            at += 1
        else:
            found.append(item)
        at += 1
    return [_alone(item, found, at) for at, item in enumerate(found)]


def _may_be_named(item: Item, noun: str, *, before: bool) -> bool:
    if item.names:
        return True
    if item.kind != "word" or item.text in _ADJECTIVES or item.text in NOUNS or "'" in item.text:
        return False
    if item.text in _ENVIRONMENTS or _HYPHENED.fullmatch(item.text):
        return True
    plain = len(item.text) > 2 and not common(item.text) and not act_of(item.text)
    return plain and (before or noun != "folder")


def _named(item: Item, noun: str) -> Item:
    if noun == "folder":
        return replace(item, kind="path", noun=noun)
    return replace(item, kind="path" if item.kind == "path" and noun == "host" else "name", noun=noun)


def _alone(item: Item, items: Sequence[Item], at: int) -> Item:
    """`push to main`, `deploy to prod-eu`: a name by what follows it: nothing that it could be said of."""
    if item.kind != "word" or (item.text not in _ENVIRONMENTS and not _HYPHENED.fullmatch(item.text)):
        return item
    before = items[at - 1].text if at else ""
    following = items[at + 1] if at + 1 < len(items) else None
    ends = following is None or following.kind == "sign" or common(following.text)
    if item.text in _ENVIRONMENTS:
        return replace(item, kind="name") if ends else item
    return replace(item, kind="name") if ends and before in _PREPOSITIONS else item


_PREPOSITIONS: Final = word_set("to on onto into in at against from of touch")
