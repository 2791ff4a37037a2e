"""The view of a Codex session: its rollout replayed as the client itself would resume it.

Items are the history; events are its mirror for people, and each message stands in both, so only items
are shown. From events comes what no item says: which text a person typed, how many turns were rolled
back, what the provider counted. `compacted` puts another history in the place of all before it.

Who wrote a text in the user's role is decided in this order: it is the client's summary; an event says that
a person typed it; a form of the client fills it. All else is a person's, with or without an event: a file may
end before the event is written, a client may change how it mirrors a text, a compaction may shorten it.

Every record is read once, and what it changes is known without a walk over the history before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Kind, Mark, Message, Part, Provenance, Usage
from cenotaph.dialects.codex_forms import SUMMARY_OPENING, is_client_text, is_image_label, is_instruction_text
from cenotaph.dialects.codex_records import COMPACTED, ITEM, Record
from cenotaph.dialects.content import blocks_of, string_of
from cenotaph.dialects.openai_responses import read_items
from cenotaph.dialects.openai_responses_items import COMPACTIONS, TEXT_TYPES, is_agent_item, kind_of

__all__ = ["View", "assemble", "compactions"]

Report = Callable[[Defect], None]

_NOT_SENT = frozenset({"ghost_snapshot"})
"""Items that the client keeps for itself, to undo what was done to files."""


@dataclass(frozen=True, slots=True)
class View:
    """What `assemble` made.

    Attributes:
        messages: One per item, in order.
        usage: In order; only where the request behind it was a prefix of this view.
        model: The last model that a turn was run with.
        session: The thread's id; None if the file has no metadata.
    """

    messages: tuple[Message, ...]
    usage: tuple[Usage, ...]
    model: str | None
    session: str | None


@dataclass(frozen=True, slots=True)
class _Entry:
    """One item of the history.

    Attributes:
        item: As it came in.
        kept: It stands in a replacement history.
        summary: It is the compaction's own summary.
    """

    item: JSON
    kept: bool = False
    summary: bool = False


class _History:
    """The items as they stand, and what is asked of them again and again."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self._outputs: list[int] = []  # for each length of the history from 1: where its newest output begins
        self._turns: list[int] = []

    def __len__(self) -> int:
        return len(self.entries)

    def append(self, entry: _Entry, *, speaks: bool) -> None:
        """Appends an entry; `speaks`: a person says something in it."""
        if speaks:
            self._turns.append(len(self.entries))
        start = self.newest_output()
        self.entries.append(entry)
        continues = is_agent_item(entry.item) and not entry.kept
        self._outputs.append(start if continues else len(self.entries))

    def newest_output(self) -> int:
        """Index of the first item of the output at the end; the length where none stands there."""
        return self._outputs[-1] if self._outputs else 0

    def turn_from_end(self, count: int) -> int | None:
        """Index of the entry in which a person began the turn, counted from the end; the first if there are fewer."""
        return self._turns[-min(count, len(self._turns))] if self._turns else None

    def cut(self, length: int) -> list[_Entry]:
        """Takes away and gives back all entries from an index on."""
        gone = self.entries[length:]
        del self.entries[length:], self._outputs[length:]
        while self._turns and self._turns[-1] >= length:
            self._turns.pop()
        return gone


def assemble(records: Sequence[Record], *, everything: bool, report: Report) -> View:
    """The items that the model would be sent next, and what was counted of them.

    Args:
        records: Of the whole file.
        everything: The whole history, with no regard to compactions.
        report: Takes what was odd and survived.
    """
    replay = _Replay(_typed_texts(records), everything, report)
    for record in records:
        replay.add(record)
    replay.settle()
    return replay.view(report)


def compactions(records: Sequence[Record], report: Report) -> Iterator[tuple[Record | None, View, View]]:
    """What the model was sent before and after each compaction, in one replay.

    Args:
        records: Of the whole file.
        report: Takes what was odd and survived.

    Yields:
        (its record, the view before it, the view after it); at the end (None, the last view, the last view).
    """
    replay = _Replay(_typed_texts(records), False, report)
    for record in records:
        if record.type == COMPACTED:
            replay.settle()
            before = replay.view(_unheard)
            replay.add(record)
            yield record, before, replay.view(_unheard)
        else:
            replay.add(record)
    replay.settle()
    last = replay.view(report)
    yield None, last, last


def _unheard(_: Defect) -> None:
    """What is odd in a view is reported of the last one only."""


def _typed_texts(records: Iterable[Record]) -> frozenset[str]:
    """What a person typed, as the client's events say it, for comparison."""
    texts: set[str] = set()
    for record in records:
        if record.type != "event_msg":
            continue
        if record.kind == "user_message" and isinstance(record.payload.get("message"), str):
            texts.add(_plain(record.payload["message"]))
        item = record.payload.get("item")
        if record.kind == "item_completed" and isinstance(item, Mapping) and item.get("type") == "UserMessage":
            blocks = [block.get("text") for block in blocks_of(item)]
            texts.add(_plain("".join(text for text in blocks if isinstance(text, str))))
    return frozenset(texts - {""})


def _plain(text: str) -> str:
    """A text for comparison: without the space around it, with one kind of line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


@dataclass(slots=True)
class _Replay:
    """The state of one walk over the records, in order."""

    typed: frozenset[str]
    everything: bool
    report: Report
    history: _History = field(default_factory=_History)
    carried: int = 0
    replaced: int = 0
    usage: list[Usage] = field(default_factory=list)
    model: str | None = None
    session: str | None = None
    counted: JSON = None
    replaying: list[JSON] = field(default_factory=list)
    pending: list[_Entry] = field(default_factory=list)
    boundaries: int = 0

    def add(self, record: Record) -> None:
        if record.type == ITEM:
            self._item(record)
        elif record.type == COMPACTED:
            self._compacted(record)
        elif record.type == "turn_context":
            model = record.payload.get("model")
            self.model = model if isinstance(model, str) else self.model
        elif record.type == "session_meta":
            self._meta(record)
        elif record.type == "event_msg" and record.kind == "thread_rolled_back":
            self._roll_back(record)
        elif record.type == "event_msg" and record.kind == "token_count":
            self._count(record)

    def _meta(self, record: Record) -> None:
        """The first is the file's own; a fork repeats those of the threads that it came from."""
        if self.session is None:
            identity = record.payload.get("id")
            self.session = identity if isinstance(identity, str) and identity else None
            base = record.payload.get("history_base")
            if isinstance(base, Mapping):
                note = f"it goes on from thread {base.get('thread_id')!r}, whose file holds what came before"
                self.report(Defect("partial-log", record.where, note))

    def view(self, report: Report) -> View:
        """The history as it stands, without what still looks like the beginning of a replay."""
        entries = self.history.entries
        messages, defects = read_items([entry.item for entry in entries])
        for defect in defects:
            report(defect)
        voiced = [self.voiced(message, entry) for message, entry in zip(messages, entries, strict=True)]
        voiced[: self.replaced] = map(_replaced, voiced[: self.replaced])
        return View(tuple(voiced), tuple(self.usage), self.model, self.session)

    # Items ---------------------------------------------------------------------------------

    def _item(self, record: Record) -> None:
        item = record.payload
        if kind_of(item) in _NOT_SENT:
            return
        if self.replaying and item == self.replaying[len(self.pending)]:
            self.pending.append(_Entry(item))
            if len(self.pending) == len(self.replaying):
                note = "the client wrote its replacement history again, item by item; shown once"
                self.report(Defect("replayed-history", record.where, note))
                self.pending, self.replaying = [], []
            return
        self.settle()
        self._append(_Entry(item))

    def _append(self, entry: _Entry) -> None:
        self.history.append(entry, speaks=self._speaks(entry))

    def settle(self) -> None:
        """Ends the search for a replay: what looked like its beginning is history after all."""
        for entry in self.pending:
            self._append(entry)
        self.pending, self.replaying = [], []

    # Compaction ----------------------------------------------------------------------------

    def _compacted(self, record: Record) -> None:
        held = record.payload.get("replacement_history")
        said = record.payload.get("message")
        said = said if isinstance(said, str) else ""
        self.boundaries += 1
        self.settle()
        if not isinstance(held, list):
            self.report(Defect("rebuilt-history", record.where, "no replacement history: rebuilt from its messages"))
            self._rebuild([_Entry(_summary_message(said), kept=True, summary=True)] if said else [])
            return
        sent = [item for item in held if kind_of(item) not in _NOT_SENT]
        entries = _kept_entries(sent, said, self.typed)
        if len(entries) > 1 or any(entry.summary for entry in entries):  # one message may be said twice
            self.replaying = [entry.item for entry in entries]
        if self.everything:
            entries = [entry for entry in entries if entry.summary]
        self._replace(0, entries)
        self.carried = 0

    def _rebuild(self, summary: list[_Entry]) -> None:
        """Replaces the history by what of it is carried on; what was carried before needs no second look."""
        newer = [] if self.everything else self.history.entries[self.carried :]
        kept = [replace(entry, kept=True) for entry in newer if _is_carried(entry)]
        self._replace(self.carried, kept + summary)
        self.carried += len(kept)

    def _replace(self, start: int, entries: list[_Entry]) -> None:
        """Puts entries in the place of all from an index on; in a view of everything behind them."""
        if self.everything:
            self.replaced = len(self.history)
        else:
            self.history.cut(start)
            self.usage = []
        for entry in entries:
            self._append(entry)

    def _roll_back(self, record: Record) -> None:
        """The newest turns are taken back: the history ends before the person's message that began them."""
        self.settle()
        count = record.payload.get("num_turns")
        if not isinstance(count, int) or isinstance(count, bool) or count <= 0:
            return
        cut = self.history.turn_from_end(count)
        if cut is None:
            return
        self.history.cut(cut)
        self.carried, self.replaced = min(self.carried, cut), min(self.replaced, cut)
        while self.usage and self.usage[-1].message >= cut:
            self.usage.pop()

    # Counts --------------------------------------------------------------------------------

    def _count(self, record: Record) -> None:
        """What the provider counted for the newest output; the client writes each count about twice."""
        info = record.payload.get("info")
        if not isinstance(info, Mapping) or info == self.counted:
            return
        self.counted = info
        last = info.get("last_token_usage")
        tokens = last.get("input_tokens") if isinstance(last, Mapping) else None
        behind = self.everything and self.boundaries > 0
        # Up to version 0.58 the client writes a count before the items of its output, later ones behind them:
        # a history that ends in an agent's item has them already.
        start = self.history.newest_output()
        if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 and start > 0 and not behind:
            self.usage.append(Usage(start, tokens, self.model))

    # Voices --------------------------------------------------------------------------------

    def voiced(self, message: Message, entry: _Entry) -> Message:
        """The message with the authors that only the session knows."""
        if message.role != "user":
            return message
        if entry.summary:
            parts = tuple(map(_as_summary, message.parts))
        else:
            spoken = _spoken_texts(entry.item)
            whole = self._is_typed_whole(spoken)
            beside = Provenance.user if not spoken or self._speaks(entry) else Provenance.harness
            parts = tuple(self._voiced_part(part, whole, beside) for part in message.parts)
        return message if parts == message.parts else replace(message, parts=parts)

    def _voiced_part(self, part: Part, whole: bool, beside: Provenance) -> Part:
        """A part with its author.

        Args:
            part: Of a message in the user's role.
            whole: A person typed the message as a whole.
            beside: Who attached what stands beside the texts: pictures and the client's labels of them.
        """
        if part.kind is not Kind.text or is_image_label(part.text):
            return replace(part, provenance=beside)
        voice = self._voice(part.text, whole)
        instructs = voice is Provenance.harness and is_instruction_text(part.text)
        return replace(part, provenance=voice, marks=part.marks | _INSTRUCTION if instructs else part.marks)

    def _voice(self, text: str, whole: bool) -> Provenance:
        """Who wrote one text of an item in the user's role."""
        if whole or _plain(text) in self.typed:
            return Provenance.user
        return Provenance.harness if is_client_text(text) else Provenance.user

    def _speaks(self, entry: _Entry) -> bool:
        """A person says something in it."""
        spoken = [] if entry.summary else _spoken_texts(entry.item)
        whole = self._is_typed_whole(spoken)
        return any(self._voice(text, whole) is Provenance.user for text in spoken)

    def _is_typed_whole(self, spoken: list[str]) -> bool:
        """A person typed the message that these texts are the blocks of."""
        return len(spoken) > 1 and any(_plain(between.join(spoken)) in self.typed for between in ("", "\n"))


_INSTRUCTION: Final = frozenset({Mark.instruction})


def _as_summary(part: Part) -> Part:
    return replace(part, provenance=Provenance.foreign, marks=part.marks | {Mark.summary})


def _replaced(message: Message) -> Message:
    """A message in the place of which a later compaction put its summary."""
    return replace(message, parts=tuple(replace(p, marks=p.marks | {Mark.summarized}) for p in message.parts))


def _is_carried(entry: _Entry) -> bool:
    """A rebuilt history has the messages that are not the agent's, save an older summary."""
    item = entry.item
    if not isinstance(item, Mapping) or kind_of(item) != "message" or entry.summary:
        return False
    return item.get("role") in ("user", "developer", "system")


def _spoken_texts(item: JSON) -> list[str]:
    """The texts of a message in the user's role, without the client's labels of pictures."""
    if not isinstance(item, Mapping) or kind_of(item) != "message" or item.get("role") != "user":
        return []
    return [text for text in _texts_of(item) if not is_image_label(text)]


def _texts_of(item: Mapping[str, JSON]) -> list[str]:
    """The texts of a message, block by block."""
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    blocks = [block for block in blocks_of(item) if string_of(block.get("type")) in TEXT_TYPES]
    return [block["text"] for block in blocks if isinstance(block.get("text"), str)]


def _kept_entries(items: list[JSON], said: str, typed: frozenset[str]) -> list[_Entry]:
    """The entries of a replacement history.

    Its summary is the opaque item, if the provider made it; else the last message, if it is what the record
    says (`said`), or opens as a summary where the record says nothing. What an event says that a person typed
    is that person's, whatever it opens with.
    """
    opaque = any(kind_of(item) in COMPACTIONS for item in items)
    last = next((index for index in range(len(items) - 1, -1, -1) if kind_of(items[index]) == "message"), -1)
    return [
        _Entry(
            item,
            kept=True,
            summary=kind_of(item) in COMPACTIONS or (not opaque and index == last and _is_summary(item, said, typed)),
        )
        for index, item in enumerate(items)
    ]


def _is_summary(item: JSON, said: str, typed: frozenset[str]) -> bool:
    if not isinstance(item, Mapping) or item.get("role") != "user":
        return False
    text = "\n".join(_texts_of(item))
    if _plain(text) in typed:
        return False
    return text == said if said else text.lstrip().startswith(SUMMARY_OPENING)


def _summary_message(said: str) -> JSON:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": said}]}
