"""The pi dialect: session files of the pi coding agent, read as what comes next.

A session is JSON Lines: a `session` header, then entries. Entries of version 2 and later form a tree by
`id` and `parentId`, whose newest leaf is the last entry; older ones are a line. What the client sends
is built as its own `buildSessionContext` builds it: the newest compaction's summary, the entries from
`firstKeptEntryId` (older: `firstKeptEntryIndex`, counted among all entries with the header) up to the
compaction, then all behind it.

The view is in the form of the provider in force (the newest of header, `model_change` and agent
message): `anthropic` for Anthropic, Chat Completions for all others, because pi keeps a neutral form
and writes it anew for each provider. Reasoning of another model is sent as text, as pi does it.

Not sent, and so not in the view: agent messages that were aborted or failed, commands run with `!!`,
changes of model and of thinking level, labels, entries of extensions. A command that a person ran with
`!` is one block of the client with the command's output: harness text, never a person's word. A call
without a result gets the one that pi makes up for it as soon as the conversation goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.content import string_of
from cenotaph.dialects.session_draft import FOREIGN_SUMMARY, HARNESS, PLAIN, settled
from cenotaph.dialects.session_input import (
    Report,
    check_region,
    decoded,
    is_whole,
    mapping_of,
    nothing_understood,
    peeked,
    records_of,
    refused,
    text_of,
)
from cenotaph.dialects.session_writer import Block, Call, Picture, Result, Text, Thought, Writer

__all__ = ["PI", "Pi"]

_ENTRY_TYPES: Final = frozenset(
    {
        "branch_summary", "compaction", "custom", "custom_message", "label", "message", "model_change", "session_info",
        "thinking_level_change",
    }
)  # fmt: skip
_ROLES: Final = frozenset(
    {
        "assistant", "bashExecution", "branchSummary", "compactionSummary", "custom", "hookMessage", "toolResult",
        "user",
    }
)  # fmt: skip
_UNSENT: Final = frozenset({"aborted", "error"})
_NO_RESULT: Final = "No result provided"
_EXPECTED: Final = "a pi session: a `session` header and its entries, as JSON Lines or as a list"


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the path.

    Attributes:
        index: Among all records, with the header.
        raw: As it stands in the file.
    """

    index: int
    raw: Mapping[str, JSON]

    @property
    def where(self) -> str:
        return f"entry {self.index}"


@dataclass(frozen=True, slots=True)
class _Force:
    """Provider, API and model that the next request goes to; None where nothing says so."""

    provider: str | None = None
    api: str | None = None
    model: str | None = None

    @property
    def wire(self) -> str:
        anthropic = self.provider == "anthropic" or (self.api or "").startswith("anthropic")
        return "anthropic" if anthropic else "openai-chat"


class Pi:
    """Session files of pi.

    Attributes:
        name: Name of the dialect.
    """

    name = "pi"

    def recognise(self, value: JSON) -> bool:
        """The value begins with a session header and holds an entry of a type that pi writes.

        Args:
            value: File content as bytes, or a list of decoded records.
        """
        records = records_of(peeked(value))
        return bool(records) and _is_header(records[0]) and any(_is_entry(record) for record in records[1:])

    def parse(self, value: JSON, *, region: Literal["last", "all"] = "last") -> Transcript:
        """The messages that the model would be sent next.

        Args:
            value: As for `recognise`. Never changed.
            region: "last" with the newest compaction applied, "all" the whole branch.

        Returns:
            The transcript; its `defects` name everything that was odd and survived.

        Raises:
            InputError: A line can't be read, or no entry is a message.
            DialectError: The value has another shape.
            ConfigurationError: `region` is neither.
        """
        everything = check_region(region)
        defects: list[Defect] = []
        content = decoded(value, self.name, defects.append)
        records = records_of(content)
        if not records or not _is_header(records[0]):
            raise refused(self.name, content, _EXPECTED)
        path = _path(records, defects.append)
        force = _in_force(records[0], path)
        reader = _Reader(force, defects.append)
        reader.read(path, everything=everything)
        if not reader.writer.drafts:
            raise nothing_understood(self.name, (str(mapping_of(record).get("type")) for record in records))
        return settled(
            reader.writer.drafts,
            dialect=self.name,
            wire=force.wire,
            source=value,
            defects=defects,
            model=force.model,
            session=string_of(mapping_of(records[0]).get("id")),
        )

    def emit(self, transcript: Transcript) -> JSON:
        """Exactly what came in: the same bytes, the same list.

        Args:
            transcript: Made by `parse`.
        """
        return transcript.source


def _is_header(record: JSON) -> bool:
    head = mapping_of(record)
    return head.get("type") == "session" and isinstance(head.get("id"), str) and "timestamp" in head


def _is_entry(record: JSON) -> bool:
    entry = mapping_of(record)
    if entry.get("type") == "message":
        message = mapping_of(entry.get("message"))
        return string_of(message.get("role")) in _ROLES
    return string_of(entry.get("type")) in _ENTRY_TYPES


def _path(records: Sequence[JSON], report: Report) -> list[_Entry]:
    """The entries from the root to the newest leaf; in file order where they form no tree."""
    entries: list[_Entry] = []
    unknown: dict[str, list[int]] = {}
    for index, record in enumerate(records):
        entry = mapping_of(record)
        if entry.get("type") == "session":
            continue
        entries.append(_Entry(index, entry))
        if string_of(entry.get("type")) not in _ENTRY_TYPES:
            unknown.setdefault(str(entry.get("type")), []).append(index)
    for kind, places in unknown.items():
        report(Defect("unknown-record", f"entry {places[0]}", f"{len(places)} of type {kind}; kept, not shown"))
    by_id = {e.raw["id"]: place for place, e in enumerate(entries) if isinstance(e.raw.get("id"), str)}
    if not any("parentId" in e.raw for e in entries):
        return entries
    path: list[_Entry] = []
    seen: set[int] = set()
    place = len(entries) - 1
    while place >= 0 and entries[place].index not in seen:
        current = entries[place]
        seen.add(current.index)
        path.append(current)
        parent = current.raw.get("parentId")
        if parent is None or parent == mapping_of(records[0]).get("id"):
            break
        if not isinstance(parent, str) or parent not in by_id:
            note = f"its parent {parent!r} is not in the file; read on from the entry before it"
            report(Defect("missing-parent", current.where, note))
            place -= 1
        else:
            place = by_id[parent]
    path.reverse()
    aside = sum(e.index not in seen and e.raw.get("type") == "message" for e in entries)
    if aside:
        report(Defect("rewound-branch", "the file", f"{aside} message(s) of branches that were left; not shown"))
    return path


def _in_force(header: JSON, path: Sequence[_Entry]) -> _Force:
    head = mapping_of(header)
    force = _Force(string_of(head.get("provider")), None, string_of(head.get("modelId")))
    for entry in path:
        if entry.raw.get("type") == "model_change":
            provider = string_of(entry.raw.get("provider"))
            api = force.api if provider == force.provider else None
            force = _Force(provider, api, string_of(entry.raw.get("modelId")))
        message = mapping_of(entry.raw.get("message"))
        if message.get("role") == "assistant":
            force = _Force(*(string_of(message.get(key)) for key in ("provider", "api", "model")))
    return force


class _Reader:
    def __init__(self, force: _Force, report: Report) -> None:
        self.force = force
        self.report = report
        self.writer = Writer(force.wire)
        self.open: dict[str, str] = {}
        self.results: list[Result] = []
        self.summarized = False
        self.results_summarized = False
        self.unsent: set[str] = set()

    def read(self, path: Sequence[_Entry], *, everything: bool) -> None:
        newest = next((i for i in reversed(range(len(path))) if path[i].raw.get("type") == "compaction"), None)
        kept = 0 if newest is None else self._first_kept(path, newest)
        first = next((i for i, e in enumerate(path) if e.raw.get("type") == "compaction"), len(path))
        if everything or newest is None:
            for place, entry in enumerate(path):
                self.summarized = place < kept
                self._entry(entry, counted=place < first)
        else:
            self._summary(path[newest])
            for place in range(kept, len(path)):
                if place < newest and path[place].raw.get("type") == "compaction":
                    continue
                if place != newest:
                    self._entry(path[place], counted=place > newest)
        self._flush(goes_on=False)

    def _first_kept(self, path: Sequence[_Entry], at: int) -> int:
        """Place in the path of the first entry that a compaction keeps; its own place if it keeps none."""
        compaction = path[at].raw
        name, index = compaction.get("firstKeptEntryId"), compaction.get("firstKeptEntryIndex")
        for place in range(at):
            entry = path[place]
            if (isinstance(name, str) and entry.raw.get("id") == name) or (is_whole(index) and entry.index == index):
                return place
        self.report(Defect("missing-tail", path[at].where, "the first entry that it kept is not before it"))
        return at

    def _entry(self, entry: _Entry, *, counted: bool) -> None:
        kind = entry.raw.get("type")
        if kind == "message":
            self._message(entry, mapping_of(entry.raw.get("message")), counted=counted)
        elif kind == "custom_message":
            self._speak(_blocks(entry.raw.get("content"), own=False))
        elif kind in ("compaction", "branch_summary"):
            self._summary(entry)

    def _summary(self, entry: _Entry) -> None:
        summary = text_of(entry.raw.get("summary"))
        if summary.strip():
            self._speak([Text(f"<summary>\n{summary}\n</summary>", FOREIGN_SUMMARY)])

    def _speak(self, blocks: Sequence[Block]) -> None:
        self._flush(goes_on=True)
        self.writer.speak(blocks, summarized=self.summarized)

    def _message(self, entry: _Entry, message: Mapping[str, JSON], *, counted: bool) -> None:
        role = message.get("role")
        if role == "user":
            self._speak(_blocks(message.get("content"), own=True))
        elif role == "assistant":
            self._agent(entry, message, counted=counted)
        elif role == "toolResult":
            self._result(entry, message)
        elif role == "bashExecution":
            if message.get("excludeFromContext") is not True:
                self._speak([Text(_command_text(message), HARNESS)])
        elif role in ("custom", "hookMessage"):
            self._speak(_blocks(message.get("content"), own=False))
        elif role in ("branchSummary", "compactionSummary"):
            self._summary(_Entry(entry.index, message))
        else:
            self.report(Defect("unknown-role", entry.where, f"role {role!r}; kept, not shown"))

    def _agent(self, entry: _Entry, message: Mapping[str, JSON], *, counted: bool) -> None:
        content = [mapping_of(block) for block in records_of(message.get("content"))]
        calls = {str(b["id"]): str(b.get("name")) for b in content if b.get("type") == "toolCall" and b.get("id")}
        if string_of(message.get("stopReason")) in _UNSENT:
            self.unsent.update(calls)
            note = f"the agent's message ended as {message['stopReason']!r}; the client does not send it"
            self.report(Defect("unsent-message", entry.where, note))
            return
        self._flush(goes_on=True)
        model = string_of(message.get("model"))
        same = (string_of(message.get("provider")), model) == (self.force.provider, self.force.model)
        blocks: list[Block] = []
        for block in content:
            kind = block.get("type")
            if kind == "text":
                blocks.append(Text(text_of(block.get("text"))))
            elif kind == "thinking":
                blocks += _thought(block, same)
            elif kind == "toolCall" and string_of(block.get("id")) and string_of(block.get("name")):
                blocks.append(Call(block["id"], block["name"], block.get("arguments", {})))
            else:
                self.report(Defect("unknown-block", entry.where, f"a block of type {kind!r}; kept, not shown"))
        tokens = _input_tokens(message.get("usage")) if counted else None
        said = self.writer.act(blocks, summarized=self.summarized, input_tokens=tokens, model=model)
        if said:
            self.open = {block.call_id: block.tool for block in blocks if isinstance(block, Call)}

    def _result(self, entry: _Entry, message: Mapping[str, JSON]) -> None:
        call_id = text_of(message.get("toolCallId"))
        if call_id not in self.open:
            what = "of a message that is not sent" if call_id in self.unsent else "without a call before it"
            self.report(Defect("orphan-result", entry.where, f"result of call {call_id!r} {what}; kept, not shown"))
            return
        del self.open[call_id]
        blocks = _blocks(message.get("content"), own=True)
        text = "\n".join(block.text for block in blocks if isinstance(block, Text))
        pictures = tuple(block for block in blocks if isinstance(block, Picture))
        self.results.append(Result(call_id, text, message.get("isError") is True, pictures))
        self.results_summarized = self.summarized

    def _flush(self, *, goes_on: bool) -> None:
        """Writes the results of the agent's message; those that never came if the conversation goes on."""
        if goes_on:
            self.results += [Result(call_id, _NO_RESULT, failed=True) for call_id in self.open]
            self.open = {}
        self.writer.answer(self.results, summarized=self.results_summarized)
        self.results = []


def _blocks(content: JSON, *, own: bool) -> list[Block]:
    """Text and pictures of a message; `own` is False where an extension put it in."""
    voice = PLAIN if own else HARNESS
    if isinstance(content, str):
        return [Text(content, voice)]
    blocks: list[Block] = []
    for block in records_of(content):
        fields = mapping_of(block)
        if fields.get("type") == "text":
            blocks.append(Text(text_of(fields.get("text")), voice))
        elif fields.get("type") == "image":
            blocks.append(Picture(text_of(fields.get("mimeType")), data=text_of(fields.get("data")), voice=voice))
    return blocks


def _thought(block: Mapping[str, JSON], same_model: bool) -> list[Block]:
    """Reasoning; of another model its words alone, without what only that one can read."""
    text, signature = text_of(block.get("thinking")), text_of(block.get("thinkingSignature"))
    if not same_model:
        return [] if block.get("redacted") is True else [Text(text)]
    return [Thought(text, signature, opaque=block.get("redacted") is True)]


def _command_text(message: Mapping[str, JSON]) -> str:
    output = text_of(message.get("output"))
    text = f"Ran `{text_of(message.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    code = message.get("exitCode")
    if message.get("cancelled") is True:
        text += "\n\n(command cancelled)"
    elif is_whole(code) and code != 0:
        text += f"\n\nCommand exited with code {code}"
    full = string_of(message.get("fullOutputPath"))
    return text + (f"\n\n[Output truncated. Full output: {full}]" if full and message.get("truncated") is True else "")


def _input_tokens(usage: JSON) -> int | None:
    counts = [mapping_of(usage).get(key) for key in ("input", "cacheRead", "cacheWrite")]
    total = sum(count for count in counts if is_whole(count) and count > 0)
    return total or None


PI = Pi()
