"""A second opinion on a compaction, from outside: it imports nothing of the package under test.

It sees what a stranger sees: the messages that came in, the messages that were handed out, and the
store (a SQLite file, or bytes). It knows the two provider formats, the grammar of our markers and the
layout of the store from their documentation, and writes its own reading of each.

`check` returns what is wrong, one sentence each; an empty list means that nothing authoritative left,
order was kept, every pointer resolves, and the messages that came in can be had again to the byte.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Stored", "check", "check_records"]

TOMBSTONE = re.compile(r"\[EVICTED:([a-z_]+)@t(\d+)(?:\.(\d+))?:recover=([^\]\n]+)\]")
PAGE = "[CENOTAPH:page: not from the user]"
REMINDER = re.compile(r"\s*<system-reminder>.*</system-reminder>\s*", re.DOTALL)
UNHASHED = ("record_id", "at", "actor", "model", "sent")
REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
REQUIRED_FIELDS = (
    *("record_id", "session", "seq", "previous", "status", "semantics", "policy", "recall_by", "engine"),
    *(
        "token_profile",
        "tokens_before",
        "tokens_after",
        "entries",
        "surrogates",
        "handles",
        "tombstones",
        "laws",
    ),
    *("source_sha256", "view_sha256", "at", "actor", "model", "schema_version"),
)


# Bytes and hashes ----------------------------------------------------------------------------


def _utf8(text: str) -> bytes:
    return re.sub("[\ud800-\udfff]", lambda m: f"\\u{ord(m[0]):04x}", text).encode()


def _bytes(value: Any) -> bytes:
    """JSON in the order of its own keys."""
    return _utf8(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _hash(value: Any) -> str:
    """Of the JSON with sorted keys."""
    return hashlib.sha256(
        _utf8(json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True))
    ).hexdigest()


def _pointer(key: bytes, session: str, data: bytes) -> str:
    whole = b"".join(
        len(part).to_bytes(8, "big") + part for part in (key, session.encode("utf-8", "surrogatepass"))
    )
    return "cx:" + hashlib.sha256(whole + data).hexdigest()[:16]


# The store -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stored:
    """What a store holds for one session.

    Attributes:
        session: The session's name.
        key: The store's key.
        objects: Bytes by handle.
        records: Oldest first.
        names: (value, span id) of every name by which a span can be asked for.
        spans: Span id -> handle of its bytes.
    """

    session: str
    key: bytes
    objects: Mapping[str, bytes]
    records: Sequence[Mapping[str, Any]]
    names: Sequence[tuple[str, str]] = ()
    spans: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, session: str) -> Stored:
        """Reads a SQLite file with nothing but SQL and the three documented codecs."""
        con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            (number,) = con.execute("SELECT id FROM sessions WHERE name = ?", (session,)).fetchone()
            (key,) = con.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()
            objects = {}
            for handle, codec, size, digest, body in con.execute(
                "SELECT handle, codec, size, digest, body FROM objects WHERE session = ?", (number,)
            ):
                data = _decoded(codec, body, size)
                if len(data) != size or hashlib.sha256(data).digest() != digest:
                    raise ValueError(f"object {handle} is not what was written")
                objects[handle] = data
            records = [
                json.loads(body)
                for (body,) in con.execute(
                    "SELECT body FROM records WHERE session = ? ORDER BY id", (number,)
                )
            ]
            names = con.execute("SELECT value, span_id FROM handles WHERE session = ?", (number,)).fetchall()
            spans = dict(
                con.execute("SELECT span_id, handle FROM spans WHERE session = ?", (number,)).fetchall()
            )
        finally:
            con.close()
        return cls(session, key, objects, records, names, spans)


def _decoded(codec: int, body: bytes, size: int) -> bytes:
    if codec == 0:
        return body
    if codec == 1:
        return zlib.decompress(body)
    if codec == 2:
        import zstandard

        return zstandard.ZstdDecompressor().decompress(body, max_output_size=size)
    raise ValueError(f"codec {codec}")


# Messages as blocks --------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """One block of a message, whatever the format.

    Attributes:
        role: Of its message.
        kind: text, call, result, thought, or other.
        value: The whole block, or for Chat Completions the field that is it.
        words: Its text, if it is text or a result that is one string.
        identity: Call id of a call or result.
    """

    role: str
    kind: str
    value: Any
    words: str | None
    identity: str | None = None


def _blocks(message: Any) -> list[Block]:
    role = message.get("role", "")
    if role in ("tool", "function"):
        content = message.get("content")
        words = content if isinstance(content, str) else None
        return [Block(role, "result", message, words, message.get("tool_call_id"))]
    found = [Block(role, "thought", message[name], None) for name in REASONING if message.get(name)]
    content = message.get("content")
    if isinstance(content, str):
        found += [Block(role, "text", content, content)] if content else []
    for item in content if isinstance(content, list) else []:
        found.append(_block(role, item))
    found += [Block(role, "text", message["refusal"], message["refusal"])] if message.get("refusal") else []
    for item in message.get("tool_calls") or []:
        found.append(Block(role, "call", item, None, item.get("id")))
    return found


def _block(role: str, item: Any) -> Block:
    name = item.get("type") if isinstance(item, dict) else None
    if name == "text":
        return Block(role, "text", item, item["text"])
    if name == "tool_use":
        return Block(role, "call", item, None, item["id"])
    if name == "tool_result":
        content = item.get("content")
        words = content if isinstance(content, str) else None
        return Block(role, "result", item, words, item["tool_use_id"])
    if name in ("thinking", "redacted_thinking"):
        return Block(role, "thought", item, None)
    if name == "document" and item.get("source", {}).get("type") == "text":
        return Block(role, "text", item, item["source"]["data"])
    return Block(role, "other", item, None)


def _frame(message: Any) -> dict[str, Any]:
    """A message without what holds its blocks."""
    content = {"content", "tool_calls", "refusal", *REASONING}
    return {key: value for key, value in message.items() if key not in content}


def _is_page(message: Any) -> bool:
    content = message.get("content")
    return message.get("role") == "user" and isinstance(content, str) and content.startswith(PAGE)


# The check -----------------------------------------------------------------------------------


class _Check:
    def __init__(self, before: Sequence[Any], after: Sequence[Any], stored: Stored | None) -> None:
        self.before, self.after, self.stored = before, after, stored
        self.problems: list[str] = []
        self.pages = [message for message in after if _is_page(message) and message not in before]
        self.whole = self._exchanges_on_pages()

    def _exchanges_on_pages(self) -> int:
        """How many exchanges the pages say have left whole."""
        lines = [line for page in self.pages for line in page["content"].split("\n")[1:]]
        for line in lines:
            if not TOMBSTONE.match(line):
                self.problems.append(f"a page holds something that is no tombstone: {line[:80]!r}")
        return sum(line.startswith(("[EVICTED:tool_exchange@", "[EVICTED:plan@")) for line in lines)

    def run(self) -> list[str]:
        rest = [message for message in self.after if not any(message is page for page in self.pages)]
        at = 0
        gone: list[Block] = []
        for index, message in enumerate(self.before):
            here = rest[at] if at < len(rest) else None
            if here is not None and self._stands_for(message, here):
                self._compare(index, message, here, gone)
                at += 1
            else:
                gone += _blocks(message)
        for message in rest[at:]:
            self.problems.append(f"a message that was not there before, or out of order: {str(message)[:80]}")
        self._may_be_gone(gone)
        self.problems += _unpaired(self.after, _unpaired(self.before, []))
        if self.stored is not None:
            self._pointers()
            self._rebuild()
        return self.problems

    def _stands_for(self, message: Any, here: Any) -> bool:
        """Whether `here` is the message, or what a cut may have left of it."""
        if message is here or _bytes(message) == _bytes(here):
            return True
        if _frame(message) != _frame(here):
            return False
        old, new = _blocks(message), _blocks(here)
        return bool(new) and self._aligned(old, new) is not None

    def _aligned(self, old: list[Block], new: list[Block]) -> list[tuple[Block, Block | None]] | None:
        """Each old block with what stands for it, as many as can be with themselves; None if it can't be."""
        best: dict[tuple[int, int], tuple[int, tuple[int, ...]] | None] = {(len(old), len(new)): (0, ())}
        best |= {(len(old), at): None for at in range(len(new))}
        for here in reversed(range(len(old))):
            for at in range(len(new) + 1):
                options = []
                gone = best[here + 1, at]
                if gone is not None:
                    options.append((gone[0], (-1, *gone[1])))
                kept = best[here + 1, at + 1] if at < len(new) else None
                if kept is not None and self._same_or_marked(old[here], new[at]):
                    itself = _bytes(old[here].value) == _bytes(new[at].value)
                    options.append((kept[0] + itself, (at, *kept[1])))
                best[here, at] = max(options, default=None)
        found = best[0, 0]
        if found is None:
            return None
        return [(block, new[at] if at >= 0 else None) for block, at in zip(old, found[1], strict=True)]

    def _same_or_marked(self, old: Block, new: Block) -> bool:
        if old.kind == new.kind and _bytes(old.value) == _bytes(new.value):
            return True
        if new.words is None:
            return False
        if old.kind == "result":
            return old.identity == new.identity and TOMBSTONE.fullmatch(new.words) is not None
        if old.kind == "other":
            return TOMBSTONE.fullmatch(new.words) is not None
        return old.kind == "text" and old.words is not None and _cut_out_of(old.words, new.words)

    def _compare(self, index: int, message: Any, here: Any, gone: list[Block]) -> None:
        if message is here or _bytes(message) == _bytes(here):
            return
        pairs = self._aligned(_blocks(message), _blocks(here))
        if pairs is None:
            self.problems.append(f"message {index} is neither itself nor a cut of itself")
            return
        gone += [old for old, new in pairs if new is None]
        for old, new in pairs:
            if new is not None and _bytes(old.value) != _bytes(new.value):
                self._may_be_marked(index, old, new)

    def _may_be_marked(self, index: int, old: Block, new: Block) -> None:
        """A block in whose place (or in a part of whose place) a line of ours stands."""
        if old.kind == "text" and old.role != "user":
            self.problems.append(f"message {index}: text of role {old.role} was replaced")
        if isinstance(old.value, dict) and isinstance(new.value, dict) and old.kind == "result":
            lost = [k for k in old.value if k != "content" and old.value[k] != new.value.get(k)]
            if lost:
                self.problems.append(f"message {index}: a result lost {lost}")

    def _may_be_gone(self, gone: list[Block]) -> None:
        calls = [block for block in gone if block.kind == "call"]
        answers = {block.identity for block in gone if block.kind == "result"}
        for block in gone:
            if block.kind == "text" and not (block.words or "").strip():
                continue
            if block.kind == "text" and not (block.role == "user" and REMINDER.fullmatch(block.words or "")):
                self.problems.append(f"text of role {block.role} is gone: {(block.words or '')[:60]!r}")
            if block.kind == "other":
                self.problems.append(f"a block of no kind that may leave is gone: {str(block.value)[:60]}")
            if block.kind == "result" and block.identity not in {call.identity for call in calls}:
                self.problems.append(f"result {block.identity} is gone without its call")
        for call in calls:
            if call.identity not in answers:
                self.problems.append(f"call {call.identity} is gone without its result")
        if bool(calls) > bool(self.whole) or len(calls) < self.whole:
            self.problems.append(f"{len(calls)} calls are gone, the pages name {self.whole} exchanges")

    def _pointers(self) -> None:
        assert self.stored is not None
        known = {line for message in self.before for line in _lines(message)}
        for message in self.after:
            for line in _lines(message):
                if line in known:
                    continue
                for match in TOMBSTONE.finditer(line):
                    for handle in match[4].split("|"):
                        if handle.startswith("cx:"):
                            self._resolves(handle)

    def _resolves(self, handle: str) -> None:
        assert self.stored is not None
        data = self.stored.objects.get(handle)
        if data is None:
            self.problems.append(f"{handle} points at nothing")
        elif _pointer(self.stored.key, self.stored.session, data) != handle:
            self.problems.append(f"{handle} points at other bytes")

    def _rebuild(self) -> None:
        """The newest record's messages, before and after, from the store alone."""
        assert self.stored is not None
        verified = [record for record in self.stored.records if record["status"] == "verified"]
        if not verified:
            self.problems.append("the store has no record of the compaction")
            return
        record = verified[-1]
        try:
            source = [
                _filled(step, self.stored.objects)
                for step in json.loads(self.stored.objects[record["source_ref"]])["source"]
            ]
            manifest = json.loads(self.stored.objects[record["view_ref"]])["view"]
            shown = [source[value] if kind == "s" else value for kind, value in manifest]
        except (KeyError, IndexError, TypeError) as error:
            self.problems.append(f"the messages can't be rebuilt: {error!r}")
            return
        if [_bytes(m) for m in source] != [_bytes(m) for m in self.before]:
            self.problems.append("the messages rebuilt from the store are not those that came in")
        if [_bytes(m) for m in shown] != [_bytes(m) for m in self.after]:
            self.problems.append("the view rebuilt from the store is not the one that was handed out")
        if record["source_sha256"] != _hash(list(self.before)):
            self.problems.append("the record's source hash is of other messages")
        if record["view_sha256"] != _hash(list(self.after)):
            self.problems.append("the record's view hash is of another view")


def _cut_out_of(old: str, new: str) -> bool:
    """`new` is `old` with whole stretches replaced by our lines."""
    pieces = TOMBSTONE.split(new)
    literal = pieces[:: TOMBSTONE.groups + 1]
    if len(literal) < 2:
        return False
    pattern = ".+?".join(re.escape(piece) for piece in literal)
    return re.fullmatch(pattern, old, re.DOTALL) is not None


def _lines(message: Any) -> Iterator[str]:
    """Every line of text that stands anywhere in a message."""
    if isinstance(message, str):
        yield from message.split("\n")
    elif isinstance(message, dict):
        for value in message.values():
            yield from _lines(value)
    elif isinstance(message, list):
        for value in message:
            yield from _lines(value)


def _filled(step: Any, objects: Mapping[str, bytes]) -> Any:
    """A message from its shell and the bytes that go into it."""
    kind, shell, slots = step
    if kind != "m":
        raise KeyError(kind)
    whole = json.loads(json.dumps(shell))
    for path, source in slots:
        value = (
            "".join(json.loads(objects[handle]) for handle in source)
            if isinstance(source, list)
            else json.loads(objects[source])
        )
        if not path:
            whole = value
            continue
        holder = whole
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value
    return whole


def _unpaired(messages: Sequence[Any], known: list[str]) -> list[str]:
    """Calls without results right behind them and results without calls right before, in either format."""
    found = []
    for index, message in enumerate(messages):
        blocks = _blocks(message)
        calls = {b.identity for b in blocks if b.kind == "call"}
        if calls and index + 1 < len(messages):
            answers: list[str | None] = []
            for later in messages[index + 1 :]:
                here = [b.identity for b in _blocks(later) if b.kind == "result"]
                if not here:
                    break
                answers += here
                if later["role"] == "user":
                    break
            if calls - set(answers):
                found.append(
                    f"calls {sorted(map(str, calls - set(answers)))} have no result right behind them"
                )
        results = {b.identity for b in blocks if b.kind == "result"}
        back = index - 1
        while results and back >= 0 and messages[back]["role"] == "tool":
            back -= 1
        asked = (
            {b.identity for b in _blocks(messages[back]) if b.kind == "call"}
            if results and back >= 0
            else set()
        )
        if results - asked:
            found.append(f"results {sorted(map(str, results - asked))} have no call right before them")
    return [problem for problem in found if problem not in known]


def check(before: Sequence[Any], after: Sequence[Any], *, stored: Stored | None = None) -> list[str]:
    """What is wrong with a compaction of `before` into `after`.

    Args:
        before: The messages that came in: of the Messages API or Chat Completions.
        after: The messages that were handed out.
        stored: The session in its store; None checks the messages alone.
    """
    return _Check(before, after, stored).run()


def check_records(stored: Stored) -> list[str]:
    """What is wrong with a session's records and with the names in its store."""
    problems = []
    previous = None
    for number, record in enumerate(stored.records, 1):
        missing = [name for name in REQUIRED_FIELDS if name not in record]
        if missing:
            problems.append(f"record {number} lacks {missing}")
        body = {key: value for key, value in record.items() if key not in UNHASHED}
        if record.get("record_id") != _hash(body):
            problems.append(f"record {number}: its id is not the hash of what it says")
        if record.get("previous") != previous:
            problems.append(f"record {number} does not follow the one before it")
        if record.get("seq") != number:
            problems.append(f"record {number} says that it is number {record.get('seq')}")
        previous = record.get("record_id")
    for handle, data in stored.objects.items():
        if _pointer(stored.key, stored.session, data) != handle:
            problems.append(f"{handle} holds other bytes than its name says")
    problems += [
        f"span {span} has no bytes" for span, handle in stored.spans.items() if handle not in stored.objects
    ]
    problems += [f"{value!r} names no span" for value, span in stored.names if span not in stored.spans]
    return problems
