"""Gemini's generateContent, as strict as rules G1 to G5 say.

What one body shows: G1 to G3, and of G4 whether a signature is there. What only a memory shows: whether a
signature of the current turn is the one that was handed out with that call (G4); G5's sentinel passes. G4
holds for Gemini 3 and later, which the path names; earlier turns are not looked at.

The current turn begins at the last content of a user that answers no call. Fields are read in both
spellings, as every JSON reader of protocol buffers does. `G0` is the shape of a body: contents with parts,
and each part with one kind of data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from loopback import Call, Refusal, canonical

SENTINEL: Final = "skip_thought_signature_validator"
_PATH: Final = re.compile(r"/v1beta/models/gemini-(?P<major>\d+)[^/]*:generateContent")
_ROLES: Final = frozenset({"user", "model", "function"})
_DATA: Final = frozenset(
    {"text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"}
)
_BESIDE: Final = frozenset({"thought", "thoughtSignature", "mediaResolution", "videoMetadata"})
_UNDERSCORE: Final = re.compile(r"_([a-z])")


def _camel(value: Any) -> Any:
    """The field names as they are documented; what a tool is given and gives is left alone."""
    if isinstance(value, list):
        return [_camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        _UNDERSCORE.sub(lambda found: found[1].upper(), key): inner if key in ("args", "response") else _camel(inner)
        for key, inner in value.items()
    }


# The rules of one body -----------------------------------------------------------------------


def _shape(body: Any) -> Iterator[Refusal]:
    if not isinstance(body, dict) or not isinstance(body.get("contents"), list) or not body["contents"]:
        yield Refusal("G0", "contents", "at least one content is required")
        return
    for at, content in enumerate(body["contents"]):
        where = f"contents[{at}]"
        if not isinstance(content, dict) or content.get("role") not in _ROLES:
            yield Refusal("G0", where, f"a content with one of the roles {sorted(_ROLES)} is required")
        elif not isinstance(content.get("parts"), list) or not content["parts"]:
            yield Refusal("G0", where, "must include at least one parts field")
        else:
            for place, part in enumerate(content["parts"]):
                yield from _part_shape(part, f"{where}.parts[{place}]")


def _part_shape(part: Any, where: str) -> Iterator[Refusal]:
    keys = set(part) if isinstance(part, dict) else set()
    if len(keys & _DATA) != 1 or keys - _DATA - _BESIDE:
        yield Refusal("G0", where, f"one field of {sorted(_DATA)} is required: {sorted(keys)}")
        return
    for kind in ("functionCall", "functionResponse"):
        if kind in part and not isinstance(part[kind].get("name"), str):
            yield Refusal("G0", where, f"{kind} without a name")
    if "functionResponse" in part and not isinstance(part["functionResponse"].get("response"), dict):
        yield Refusal("G0", where, "functionResponse without an object as its response")


def _of(content: Any, kind: str) -> list[Any]:
    return [part[kind] for part in content["parts"] if kind in part]


def _name(called: Any) -> tuple[str, str]:
    """What a response is matched by: the id, or without one the tool's name."""
    return ("id", called["id"]) if called.get("id") else ("name", called["name"])


def _order(contents: Sequence[Any]) -> Iterator[Refusal]:
    """G1, G2 and G3."""
    if contents[0]["role"] != "user":
        yield Refusal("G1", "contents[0]", "the contents start with a user turn")
    for at, content in enumerate(contents):
        where = f"contents[{at}]"
        calls, responses = _of(content, "functionCall"), _of(content, "functionResponse")
        if calls and (content["role"] != "model" or not at or contents[at - 1]["role"] == "model"):
            yield Refusal("G1", where, "a function call turn comes right after a user or a function response turn")
        if responses:
            before = _of(contents[at - 1], "functionCall") if at else []
            if content["role"] == "model" or not before:
                yield Refusal("G3", where, "a function response turn comes right after its function call turn")
        if calls:
            given = _of(contents[at + 1], "functionResponse") if at + 1 < len(contents) else []
            if Counter(map(_name, calls)) != Counter(map(_name, given)):
                note = f"{len(calls)} function call parts and {len(given)} responses that match them"
                yield Refusal("G2", where, f"{note}: the next turn has one for each")


# What needs a memory -------------------------------------------------------------------------


@dataclass(slots=True)
class Memory:
    """One conversation: the signatures that went out with each call."""

    begun: bool = False
    signed: dict[str, set[str]] = field(default_factory=dict)

    def take(self, contents: Sequence[Any]) -> None:
        """What is signed in these contents counts as handed out."""
        for content in contents:
            for part in content["parts"]:
                if "functionCall" in part and "thoughtSignature" in part:
                    self.signed.setdefault(canonical(part["functionCall"]), set()).add(part["thoughtSignature"])


def _signatures(contents: Sequence[Any], memory: Memory) -> Iterator[Refusal]:
    """G4 and G5."""
    starts = [n for n, c in enumerate(contents) if c["role"] == "user" and not _of(c, "functionResponse")]
    first = starts[-1] if starts else 0
    for at in range(first, len(contents)):
        part = next((one for one in contents[at]["parts"] if "functionCall" in one), None)
        if part is None:
            continue
        signature = part.get("thoughtSignature")
        if signature is None:
            yield Refusal("G4", f"contents[{at}]", "function call is missing a thought_signature in functionCall parts")
        elif signature not in (SENTINEL, *memory.signed.get(canonical(part["functionCall"]), ())) and memory.begun:
            yield Refusal("G4", f"contents[{at}]", "the thought signature is not the one of this call")


# The endpoint --------------------------------------------------------------------------------


class Gemini:
    """`POST /v1beta/models/{model}:generateContent`."""

    def serves(self, path: str) -> bool:
        return _PATH.fullmatch(path) is not None

    def memory(self) -> Memory:
        return Memory()

    def refusals(self, call: Call, memory: Memory) -> list[Refusal]:
        body = _camel(call.body)
        broken = list(_shape(body))
        if broken:
            return broken
        found = list(_order(body["contents"]))
        return found + (list(_signatures(body["contents"], memory)) if _signs(call.path) else [])

    def answer(self, call: Call, memory: Memory, number: int) -> Any:
        if not memory.begun:
            memory.begun = True
            memory.take(_camel(call.body)["contents"])
        part: Any = {"text": f"Answer {number}."}
        if _signs(call.path):
            part["thoughtSignature"] = f"signed-{number}"
        candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        return {"candidates": [candidate], "modelVersion": call.path.split("/")[-1].partition(":")[0]}

    def error(self, refusal: Refusal) -> tuple[Mapping[str, str], Any]:
        return {}, {"error": {"code": 400, "message": str(refusal), "status": "INVALID_ARGUMENT"}}


def _signs(path: str) -> bool:
    found = _PATH.fullmatch(path)
    return found is not None and int(found["major"]) >= 3
