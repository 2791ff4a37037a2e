"""A second opinion on a compaction, from outside: it imports nothing of the package under test.

It sees what a stranger sees: the messages that came in, the messages that were handed out, and the
store (a SQLite file, or bytes). It knows the two provider formats, the grammar of our markers and the
layout of the store from their documentation, and writes its own reading of each.

`check` returns what is wrong, one sentence each; an empty list means that nothing authoritative left
unless a line of ours says so and leads back to it, that every sentence on our pages was said by whom it
is ascribed to, that order was kept, every pointer resolves, and the messages that came in can be had
again to the byte. What came in is the whole history: pages and lines of all cuts are judged at once.
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
WHOLE = ("tool_exchange", "plan", "tool_result")
VOICES = {"user": "user", "agent": "assistant"}
TEXT_KINDS = {"user_message": "user", "agent_text": "agent"}
COUNTS = re.compile(r" (\d+) of (\d+) sentences here")
LIFT = re.compile(r"(user|agent) t(\d+): (.+)")
AS_OF = re.compile(r" \(as of t(\d+); source changed at t(\d+)\)$")
PIN = "pinned by the caller: "
FINGERPRINT = re.compile(r"hmac:[0-9a-f]{16}")
BEFORE_A_SENTENCE = re.compile(
    r"(?:^|[\x00-\x1f\x7f-\x9f\u2028\u2029]|[.!?…؟۔։።][\"'”’»›)\]}*_`」』）】》〉]*\s|[。！？｡．।॥][\"'”’»›)\]}*_`」』）】》〉]*)\s*$"
)
AFTER_A_SENTENCE = re.compile(r"\s*(?:$|[\x00-\x1f\x7f-\x9f\u2028\u2029])")
END_OF_A_SENTENCE = re.compile(r"[.!?…؟۔։።。！？｡．।॥][\"'”’»›)\]}*_`」』）】》〉]*$")
REMINDER = re.compile(r"\s*<system-reminder>.*</system-reminder>\s*", re.DOTALL)
HARNESS = re.compile(r"\s*(?:<[a-z-]+>|\[Request interrupted|Caveat:)")
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
class Row:
    """What the store says that one object was."""

    span: str
    handle: str
    turn: int
    exchange: int
    kind: str
    provenance: str


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
        rows: What each stored object was.
    """

    session: str
    key: bytes
    objects: Mapping[str, bytes]
    records: Sequence[Mapping[str, Any]]
    names: Sequence[tuple[str, str]] = ()
    spans: Mapping[str, str] = field(default_factory=dict)
    rows: Sequence[Row] = ()

    def behind(self, handle: str) -> set[bytes]:
        """Everything that a handle leads to: an object, the exchange that it is of, or what a manifest names."""
        own = [row for row in self.rows if row.handle == handle]
        if any((row.kind, row.provenance) == ("manifest", "compactor") for row in own):
            manifest = json.loads(self.objects[handle])
            found = {self.objects[self.spans[span]] for span in manifest["spans"]}
            return found.union(*(self.behind(fold) for fold in manifest["folds"]))
        places = {(row.turn, row.exchange) for row in own if row.exchange}
        beside = {row.handle for row in self.rows if (row.turn, row.exchange) in places}
        return {self.objects[name] for name in {handle, *beside}}

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
            columns = "span_id, handle, turn, exchange, kind, provenance"
            rows = [
                Row(*row)
                for row in con.execute(f"SELECT {columns} FROM spans WHERE session = ?", (number,)).fetchall()
            ]
            spans = {row.span: row.handle for row in rows}
        finally:
            con.close()
        return cls(session, key, objects, records, names, spans, rows)


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
        content: What of it the store is to hold: a text, arguments, a result's content, or all of it.
        tool: Name of the tool that a call calls.
    """

    role: str
    kind: str
    value: Any
    words: str | None
    identity: str | None = None
    content: Any = None
    tool: str | None = None


def _blocks(message: Any) -> list[Block]:
    role = message.get("role", "")
    content = message.get("content")
    if role in ("tool", "function"):
        words = content if isinstance(content, str) else None
        return [Block(role, "result", message, words, message.get("tool_call_id"), content)]
    found = [Block(role, "thought", message[name], None) for name in REASONING if message.get(name)]
    if isinstance(content, str):
        found += [Block(role, "text", content, content, None, content)] if content else []
    for item in content if isinstance(content, list) else []:
        found.append(_block(role, item))
    refusal = message.get("refusal")
    found += [Block(role, "text", refusal, refusal, None, refusal)] if refusal else []
    for item in message.get("tool_calls") or []:
        asked = item.get("function") or item.get("custom") or {}
        arguments = asked.get("arguments", asked.get("input"))
        found.append(Block(role, "call", item, None, item.get("id"), arguments, asked.get("name")))
    return found


def _block(role: str, item: Any) -> Block:
    name = item.get("type") if isinstance(item, dict) else None
    if name == "text":
        return Block(role, "text", item, item["text"], None, item["text"])
    if name == "tool_use":
        return Block(role, "call", item, None, item["id"], item["input"], item["name"])
    if name == "tool_result":
        content = item.get("content")
        words = content if isinstance(content, str) else None
        return Block(role, "result", item, words, item["tool_use_id"], content)
    if name in ("thinking", "redacted_thinking"):
        return Block(role, "thought", item, None)
    if name == "document" and item.get("source", {}).get("type") == "text":
        return Block(role, "text", item, item["source"]["data"], None, item["source"]["data"])
    return Block(role, "other", item, None, None, item)


def _frame(message: Any) -> dict[str, Any]:
    """A message without what holds its blocks."""
    content = {"content", "tool_calls", "refusal", *REASONING}
    return {key: value for key, value in message.items() if key not in content}


def _is_page(message: Any) -> bool:
    content = message.get("content")
    return message.get("role") == "user" and isinstance(content, str) and content.startswith(PAGE)


# The check -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Gone:
    """A block that no longer stands in the view, and the message that it stood in."""

    message: int
    block: Block


def _word(tool: str | None) -> str:
    """A tool's name as it may stand behind a tombstone."""
    joined = "_".join((tool or "?").split())
    escape = re.compile("[%|\\]\x00-\x1f\x7f-\x9f\u2028\u2029]")
    return escape.sub(lambda m: "".join(f"%{b:02X}" for b in m[0].encode("utf-8", "surrogatepass")), joined)


class _Check:
    def __init__(self, before: Sequence[Any], after: Sequence[Any], stored: Stored | None) -> None:
        self.before, self.after, self.stored = before, after, stored
        self.problems: list[str] = []
        self.pages = [message for message in after if _is_page(message) and message not in before]
        self.lifts: list[tuple[str, int, str]] = []
        self.whole = 0
        self.named: dict[str, list[str]] = {"whole": [], "user": [], "agent": [], "fold": []}
        for page in self.pages:
            self._read_page(page["content"].split("\n"))

    def _read_page(self, lines: list[str]) -> None:
        """Takes a page apart; whatever is none of the lines that a page may hold is a problem."""
        tools = {_word(b.tool) for message in self.before for b in _blocks(message) if b.kind == "call"}
        spoken = {"user": 0, "agent": 0}
        counted: dict[str, int] = {}
        for line in lines[1:]:
            mark, lift = TOMBSTONE.match(line), LIFT.fullmatch(line)
            if mark is not None:
                rest = line[mark.end() :]
                counts = COUNTS.fullmatch(rest)
                if mark[1] in WHOLE and set(rest.split()) <= tools:
                    self.whole += mark[1] != "tool_result"
                    self.named["whole"] += mark[4].split("|")
                elif mark[1] == "tombstones" and not rest:
                    self.named["fold"] += mark[4].split("|")
                elif mark[1] in TEXT_KINDS and counts is not None and int(counts[1]) <= int(counts[2]):
                    voice = TEXT_KINDS[mark[1]]
                    if voice in counted:
                        self.problems.append(f"two lines of one page for the text of the {voice}")
                    counted[voice] = int(counts[1])
                    self.named[voice] += mark[4].split("|")
                else:
                    self.problems.append(f"a line of a page says something beside what left: {line[:80]!r}")
            elif lift is not None:
                spoken[lift[1]] += 1
                self.lifts.append((lift[1], int(lift[2]), lift[3]))
            elif not line.startswith(PIN):
                self.problems.append(f"a page holds something that is no line of a page: {line[:80]!r}")
        for voice, number in counted.items():
            if spoken[voice] != number:
                self.problems.append(f"a page counts {number} sentences of the {voice} and holds {spoken[voice]}")
        uncounted = [voice for voice in spoken if spoken[voice] and voice not in counted]
        if uncounted and any(TOMBSTONE.match(line) for line in lines):
            self.problems.append(f"a page holds sentences of the {uncounted[0]} and no line for the text")

    def run(self) -> list[str]:
        rest = [message for message in self.after if not any(message is page for page in self.pages)]
        gone: list[_Gone] = []
        for index, message in reversed(list(enumerate(self.before))):  # of two equal ones the older has left
            if rest and self._stands_for(message, rest[-1]):
                self._compare(index, message, rest.pop(), gone)
            else:
                gone += [_Gone(index, block) for block in _blocks(message)]
        for message in rest:
            self.problems.append(f"a message that was not there before, or out of order: {str(message)[:80]}")
        self._may_be_gone([one.block for one in gone])
        self._may_be_silent(gone)
        self._was_said(gone)
        self.problems += _unpaired(self.after, _unpaired(self.before, []))
        if self.stored is not None:
            self._pointers()
            if not any("points at" in problem for problem in self.problems):
                self._leads_back([one.block for one in gone])
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
        """It is itself, or lines of ours stand in it that lead back to what it was."""
        if old.kind == new.kind and _bytes(old.value) == _bytes(new.value):
            return True
        if new.words is None:
            return False
        if old.kind == "text" and old.words is not None:
            return _cut_out_of(old.words, new.words) and self._restored(old, new.words)
        alone = TOMBSTONE.fullmatch(new.words) is not None and old.kind in ("result", "other")
        return alone and (old.kind == "other" or old.identity == new.identity) and self._restored(old, new.words)

    def _restored(self, old: Block, words: str) -> bool:
        """What the lines of ours in the words point to is, in their place, what was there; True without a store."""
        if self.stored is None:
            return True
        texts: list[Any] = []
        for match in TOMBSTONE.finditer(words):
            handles = [h for h in match[4].split("|") if h.startswith("cx:") and h in self.stored.objects]
            if old.kind == "text" and match[0] in (old.words or ""):
                texts.append(match[0])  # somebody else's: it stood there before
            elif handles:
                texts.append(json.loads(self.stored.objects[handles[0]]))
            else:
                return False
        if old.kind == "text":
            pieces = iter(texts)
            return TOMBSTONE.sub(lambda match: str(next(pieces)), words) == old.words
        return any(_bytes(value) == _bytes(texts[0]) for value in (old.content, *_values(old.value)))

    def _compare(self, index: int, message: Any, here: Any, gone: list[_Gone]) -> None:
        if message is here or _bytes(message) == _bytes(here):
            return
        pairs = self._aligned(_blocks(message), _blocks(here))
        if pairs is None:
            self.problems.append(f"message {index} is neither itself nor a cut of itself")
            return
        gone += [_Gone(index, old) for old, new in pairs if new is None]
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
        """Exchanges are gone whole, and no more of them than lines of ours say."""
        calls = [block for block in gone if block.kind == "call"]
        answers = {block.identity for block in gone if block.kind == "result"}
        for block in gone:
            if block.kind == "result" and block.identity not in {call.identity for call in calls}:
                self.problems.append(f"result {block.identity} is gone without its call")
        for call in calls:
            if call.identity not in answers:
                self.problems.append(f"call {call.identity} is gone without its result")
        if len(calls) < self.whole or (calls and not self.whole and not self.named["fold"]):
            self.problems.append(f"{len(calls)} calls are gone, the pages name {self.whole} exchanges and no fold")

    def _may_be_silent(self, gone: list[_Gone]) -> None:
        """Whose text may be gone at all, and that a line of ours says so."""
        newest = {role: self._newest(role) for role in ("user", "assistant")}
        for one in gone:
            block, words = one.block, one.block.words or ""
            if block.kind == "other" and not (self.named["user"] or self.named["fold"]):
                self.problems.append(f"a block of no kind that may leave is gone: {str(block.value)[:60]}")
            if block.kind != "text" or not words.strip() or (block.role == "user" and REMINDER.fullmatch(words)):
                continue
            voice = {"user": "user", "assistant": "agent"}.get(block.role)
            if voice is None or not (self.named[voice] or self.named["fold"]):
                self.problems.append(f"text of role {block.role} is gone: {words[:60]!r}")
            elif one.message == newest[block.role] and not HARNESS.match(words) and self._must_stand(one.message):
                self.problems.append(f"the newest message of role {block.role} lost its text: {words[:60]!r}")

    def _must_stand(self, newest: int) -> bool:
        """The newest message of a role stays; the agent's may leave once it is answered and nothing binds it."""
        blocks = _blocks(self.before[newest])
        answered = newest < self._newest("user")
        return blocks[0].role == "user" or not answered or any(block.kind == "thought" for block in blocks)

    def _newest(self, role: str) -> int:
        """The last message in which somebody of this role speaks or, for the agent, acts."""
        found = -1
        for index, message in enumerate(self.before):
            texts = [b for b in _blocks(message) if b.kind == "text" and not HARNESS.match(b.words or "")]
            acts = role == "assistant" and _blocks(message)
            if message.get("role") == role and (texts or acts):
                found = index
        return found

    def _was_said(self, gone: list[_Gone]) -> None:
        """Each sentence on a page stands, whole, in a text that is gone, and whoever is named said it."""
        for voice, turn, line in self.lifts:
            role = VOICES[voice]
            words = AS_OF.sub("", line) if voice == "agent" else line
            texts = [one for one in gone if one.block.kind == "text" and one.block.role == role]
            places = [one.message for one in texts if _holds_sentence(one.block.words or "", words)]
            if TOMBSTONE.search(words) or PAGE in words:
                self.problems.append(f"lifted words look like a marker: {words[:60]!r}")
            if not places:
                self.problems.append(f"a page says that the {voice} said what nobody said: {words[:60]!r}")
            elif turn > max(sum(m.get("role") == "user" for m in self.before[: at + 1]) for at in places):
                self.problems.append(f"a page names a turn that had not begun: t{turn}")

    def _leads_back(self, gone: list[Block]) -> None:
        """From the pages' pointers everything that is gone, dropped text aside, can be had again."""
        assert self.stored is not None
        handles = {h for named in self.named.values() for h in named if h.startswith("cx:")}
        try:
            found = set().union(*(self.stored.behind(handle) for handle in handles))
        except KeyError as error:
            self.problems.append(f"a manifest names what is not there: {error}")
            return
        texts = sorted((t for t in map(json.loads, found) if isinstance(t, str)), key=len, reverse=True)
        for block in gone:
            words = block.words or ""
            if block.kind == "thought" or (block.kind == "text" and not words.strip()):
                continue
            if block.kind == "text":
                if block.role == "user" and REMINDER.fullmatch(words):
                    continue
                if _bytes(words) not in found and _without(words, texts).strip():
                    self.problems.append(f"no line of ours leads back to a text of role {block.role}: {words[:60]!r}")
            elif not any(_bytes(value) in found for value in (block.content, *_values(block.value))):
                self.problems.append(f"no line of ours leads back to a {block.kind}: {str(block.value)[:80]}")

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
            source = self._source(record["source_ref"])
            state = json.loads(self.stored.objects[record["view_ref"]])
            shown = [source[value] if kind == "s" else value for kind, value in state["view"]]
        except (KeyError, IndexError, TypeError) as error:
            self.problems.append(f"the messages can't be rebuilt: {error!r}")
            return
        if state["history"] != len(source):
            self.problems.append(f"the state speaks of {state['history']} messages, {len(source)} came in")
        if [_bytes(m) for m in source] != [_bytes(m) for m in self.before]:
            self.problems.append("the messages rebuilt from the store are not those that came in")
        if [_bytes(m) for m in shown] != [_bytes(m) for m in self.after]:
            self.problems.append("the view rebuilt from the store is not the one that was handed out")
        if record["source_sha256"] != _hash(list(self.before)):
            self.problems.append("the record's source hash is of other messages")
        if record["view_sha256"] != _hash(list(self.after)):
            self.problems.append("the record's view hash is of another view")


    def _source(self, handle: str) -> list[Any]:
        """The history up to a cut: what the cut before had, and what came since."""
        assert self.stored is not None
        steps: list[Any] = []
        name: str | None = handle
        while name is not None:
            manifest = json.loads(self.stored.objects[name])
            steps = [*manifest["source"], *steps]
            name = manifest["previous"]
        return [_filled(step, self.stored.objects) for step in steps]


def _holds_sentence(text: str, words: str) -> bool:
    """The words stand in the text from the start to the end of a sentence, a fingerprint for each secret."""
    pattern = ".+?".join(re.escape(piece) for piece in FINGERPRINT.split(words))
    for match in re.finditer(f"(?={pattern})", text, re.DOTALL):
        whole = re.compile(pattern, re.DOTALL).match(text, match.start())
        assert whole is not None
        begins = BEFORE_A_SENTENCE.search(text[: whole.start()])
        ends = END_OF_A_SENTENCE.search(whole[0]) or AFTER_A_SENTENCE.match(text, whole.end())
        if begins and ends:
            return True
    return False


def _without(words: str, pieces: Sequence[str]) -> str:
    """What no piece accounts for."""
    for piece in pieces:
        if piece.strip():
            words = words.replace(piece, "")
    return words


def _values(value: Any) -> Iterator[Any]:
    """Everything that stands anywhere in a JSON value."""
    yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _values(child)


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
