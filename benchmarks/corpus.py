"""The files of a folder of real transcripts, and every list of messages or request inside one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cenotaph import CenotaphError, compact

SUFFIXES = (".json", ".jsonl", ".traj", ".yaml")
LIST_KEYS = ("messages", "history", "query", "input", "contents")
"""Under these keys a file may hold a list of messages."""


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from strings(child)
    elif isinstance(value, list):
        for child in value:
            yield from strings(child)


def lists_in(value: Any, depth: int = 0) -> Iterator[Any]:
    """Lists under the keys that hold messages, at any depth."""
    if depth > 8:
        return
    if isinstance(value, dict):
        for key, child in value.items():
            if key in LIST_KEYS and isinstance(child, list) and child and isinstance(child[0], dict):
                yield child
            else:
                yield from lists_in(child, depth + 1)
    elif isinstance(value, list):
        for child in value:
            yield from lists_in(child, depth + 1)


def values_of(path: Path) -> Iterator[Any]:
    """A file as it is, as JSON, and the lists of messages in it; of a recording of HTTP the bodies of its requests."""
    data = path.read_bytes()
    if path.suffix == ".yaml":
        yield from _recorded(data)
        return
    yield data
    try:
        whole = json.loads(data)
    except ValueError:
        return
    yield whole
    yield from lists_in(whole)


def _recorded(data: bytes) -> Iterator[Any]:
    import yaml

    for interaction in yaml.safe_load(data)["interactions"]:
        body = interaction["request"].get("parsed_body") or interaction["request"].get("body")
        try:
            body = json.loads(body) if isinstance(body, (str, bytes)) else body
        except ValueError:
            continue
        if isinstance(body, dict):
            yield body


def readable(path: Path) -> tuple[list[tuple[Any, int, str]], str]:
    """The values of a file that a dialect reads, each with its tokens and dialect; why not, if none is."""
    found: list[tuple[Any, int, str]] = []
    why = ""
    for value in values_of(path):
        try:
            plain = compact(value, to_tokens=1 << 60)
        except CenotaphError as error:
            why = why or type(error).__name__
            continue
        found.append((value, plain.tokens_before, plain.readout.transcript.dialect))
        if isinstance(value, (bytes, dict)) and path.suffix != ".yaml":
            break  # the lists inside are this one's own
    return found, why
