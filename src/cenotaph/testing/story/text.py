"""The bulk of the story: files, logs and search results as an agent on call reads them.

Made from small tables by a generator of its own, so that the text is the same byte for byte on every
machine and every Python, and so that the package ships none of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, TypeVar

__all__ = ["Dice", "log", "manifest", "matches", "module", "runbook"]

T = TypeVar("T")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_NOUNS: Final = _words(
    "pool replica lease ledger session charge refund payout window shard cursor batch quota route probe "
    "token socket worker queue snapshot region tenant voucher invoice balance schedule retry "
    "deadline backoff mirror"
)
_VERBS: Final = _words("acquire release drain promote demote verify settle replay open close merge split mark reserve")
_ADJECTIVES: Final = _words("idle stale warm cold pending remote local healthy lagging orphaned expired partial")
_TYPES: Final = ("int", "float", "str", "bytes", "Lease", "Replica", "Charge", "datetime", "tuple[str, ...]")
_REGIONS: Final = ("eu-west-1a", "eu-west-1c", "eu-central-1b", "us-east-1d")


class Dice:
    """A generator whose throws depend on its name alone."""

    def __init__(self, name: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit` - 1."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self._state >> 33) % limit

    def one(self, of: Sequence[T]) -> T:
        return of[self.below(len(of))]

    def hex(self, digits: int) -> str:
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(digits))


def module(path: str, functions: int) -> str:
    """A Python file: its docstring, a dataclass and so many functions, about 190 tokens each."""
    dice = Dice(path)
    name = path.rsplit("/", 1)[-1].removesuffix(".py")
    about = f"{name.replace('_', ' ').capitalize()}: how a {dice.one(_NOUNS)} meets its {dice.one(_NOUNS)}."
    lines = [
        f'"""{about}"""',
        "",
        "from __future__ import annotations",
        "",
        "import logging",
        "from dataclasses import dataclass",
        "from datetime import datetime, timedelta",
        "",
        f"log = logging.getLogger({name!r})",
        "",
        "",
        "@dataclass",
        f"class {dice.one(_ADJECTIVES).capitalize()}{dice.one(_NOUNS).capitalize()}:",
    ]
    for noun in dict.fromkeys(dice.one(_NOUNS) for _ in range(7)):
        lines.append(f"    {noun}: {dice.one(_TYPES)}")
    for number in range(functions):
        lines += ["", "", *_function(dice, number)]
    return "\n".join(lines) + "\n"


def _function(dice: Dice, number: int) -> list[str]:
    verb, noun, other, how = dice.one(_VERBS), dice.one(_NOUNS), dice.one(_NOUNS), dice.one(_ADJECTIVES)
    limit, share = dice.below(900) + 20, dice.below(80) + 10
    return [
        f"def {verb}_{how}_{noun}_{number}({noun}_id: str, {other}s: list[str], *, at: datetime) "
        f"-> {dice.one(_TYPES)}:",
        f'    """{verb.capitalize()} the {how} {noun}, unless more than {limit} {other}s wait for it."""',
        f"    waiting = [each for each in {other}s if not each.startswith({dice.hex(4)!r})]",
        f"    if len(waiting) > {limit}:",
        f'        log.warning("%s: %d {other}s wait, limit {limit}", {noun}_id, len(waiting))',
        f'        raise OverflowError(f"{{{noun}_id}}: {{len(waiting)}} {other}s wait, {limit} may")',
        f"    until = at + timedelta(seconds={dice.below(300) + 5}, milliseconds={dice.below(999)})",
        f"    found = {dice.one(_VERBS)}_{dice.one(_NOUNS)}({noun}_id, until=until, share={share / 100})",
        f"    for each in waiting[:{dice.below(40) + 2}]:",
        f"        found = found.with_{dice.one(_NOUNS)}(each, weight={dice.below(97) + 1})",
        f"    return found.{dice.one(_VERBS)}()",
    ]


def log(service: str, lines: int, hour: int = 9) -> str:
    """What a service wrote: so many lines, about 50 tokens each."""
    dice = Dice(f"log of {service} at {hour}")
    at, found = 0, []
    for _ in range(lines):
        at += dice.below(4_000) + 11
        second, milli = divmod(at, 1_000)
        level = dice.one(("INFO", "INFO", "INFO", "DEBUG", "WARN"))
        found.append(
            f"2026-11-11T{hour + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{milli:03d}Z "
            f"{level:<5} {service}-{dice.hex(4)} {dice.one(_VERBS)}.{dice.one(_NOUNS)} req={dice.hex(10)} "
            f"{dice.one(_NOUNS)}={dice.one(_ADJECTIVES)} region={dice.one(_REGIONS)} "
            f"took={dice.below(900) + 1}ms left={dice.below(240)}"
        )
    return "\n".join(found) + "\n"


def manifest(path: str, services: int) -> str:
    """A YAML file that describes so many services, about 150 tokens each."""
    dice = Dice(path)
    found = [f"# {path}", "apiVersion: platform/v2", "kind: ServiceSet", "services:"]
    for number in range(services):
        found += [
            f"  - name: {dice.one(_ADJECTIVES)}-{dice.one(_NOUNS)}-{number}",
            f"    image: registry.internal/payments/{dice.one(_NOUNS)}:{dice.below(9)}.{dice.below(30)}",
            f"    digest: {dice.hex(40)}",
            f"    replicas: {dice.below(9) + 1}",
            f"    region: {dice.one(_REGIONS)}",
            "    resources:",
            f"      cpu: {dice.below(4000) + 100}m",
            f"      memory: {dice.below(8000) + 128}Mi",
            f"    probes: {{path: /{dice.one(_VERBS)}/{dice.one(_NOUNS)}, seconds: {dice.below(60) + 1}}}",
            f"    owner: team-{dice.one(_NOUNS)}",
        ]
    return "\n".join(found) + "\n"


def runbook(path: str, sections: int) -> str:
    """A Markdown page of so many sections, about 120 tokens each."""
    dice = Dice(path)
    title = path.rsplit("/", 1)[-1].removesuffix(".md").replace("_", " ").replace("-", " ")
    found = [f"# {title.capitalize()}", ""]
    for number in range(1, sections + 1):
        verb, noun = dice.one(_VERBS), dice.one(_NOUNS)
        found += [f"## {number}. {verb.capitalize()} the {noun}", ""]
        for _ in range(4):
            found.append(
                f"- When the {dice.one(_ADJECTIVES)} {dice.one(_NOUNS)} holds more than "
                f"{dice.below(90) + 10} {dice.one(_NOUNS)}s, {dice.one(_VERBS)} it within "
                f"{dice.below(50) + 5} minutes and tell team-{dice.one(_NOUNS)}."
            )
        found.append("")
    return "\n".join(found)


def matches(pattern: str, root: str, lines: int) -> str:
    """Result of a search: so many lines, about 35 tokens each."""
    dice = Dice(f"{pattern} in {root}")
    return "".join(
        f"{root}/{dice.one(_NOUNS)}/{dice.one(_VERBS)}_{dice.one(_NOUNS)}.py:{dice.below(600) + 1}:    "
        f"{dice.one(_NOUNS)} = {pattern}({dice.one(_NOUNS)}_id, {dice.one(_ADJECTIVES)}={dice.below(500)})\n"
        for _ in range(lines)
    )
