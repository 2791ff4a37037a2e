"""Damage: valid conversations with values torn out or swapped, as other people's writers leave them."""

from __future__ import annotations

import copy
from random import Random

from cenotaph.core.ids import JSON

ODD_VALUES: tuple[JSON, ...] = (None, "", 7, 1.0, True, [], {}, ["x", None], {"type": "odd"}, "words", [[{}]])


def damaged(messages: list[JSON], rng: Random) -> list[JSON]:
    """A copy in which up to four values, however deep, are removed, repeated or replaced by odd ones."""
    torn: list[JSON] = copy.deepcopy(messages)
    for _ in range(1 + rng.randrange(4)):
        _damage(torn, rng)
    return torn


def _damage(value: JSON, rng: Random) -> None:
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = rng.choice(keys)
    if isinstance(value[key], dict | list) and value[key] and rng.randrange(5):
        _damage(value[key], rng)
    elif rng.randrange(3) == 0:
        del value[key]
    elif isinstance(value, list) and rng.randrange(3) == 0:
        value.insert(key, copy.deepcopy(value[key]))
    else:
        value[key] = copy.deepcopy(rng.choice(ODD_VALUES))


def at(value: JSON, path: tuple[str | int, ...]) -> JSON:
    """The value at a path; a path that leads nowhere is an error."""
    for step in path:
        value = value[step]
    return value
