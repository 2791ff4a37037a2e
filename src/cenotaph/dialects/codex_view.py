"""The view of a Codex session: its rollout replayed as the client itself would resume it.

Items are the history; events are its mirror for people, and each message stands in both, so only items
are shown. From events comes what no item says: which text a person typed, how many turns were rolled
back, what the provider counted. `compacted` puts another history in the place of all before it.

Who wrote a text in the user's role is decided in this order: an event says that a person typed it; the
client's summary; a form of the client fills it; the file has such events, and none for this text: the
client wrote it. A text that a compaction kept and that nothing else explains is a person's, perhaps
shortened: compaction keeps nothing else. In a file without such events an unexplained text is a person's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Kind, Mark, Message, Part, Provenance, Usage
from cenotaph.dialects.codex_records import ITEM, Record
from cenotaph.dialects.content import blocks_of, string_of
from cenotaph.dialects.openai_responses import read_items
from cenotaph.dialects.openai_responses_forms import SUMMARY_OPENING, is_harness_text
from cenotaph.dialects.openai_responses_items import COMPACTIONS, TEXT_TYPES, is_agent_item, kind_of

__all__ = ["View", "assemble"]

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
        replaced: A later compaction replaces it; only in a view of the whole history.
    """

    item: JSON
    kept: bool = False
    summary: bool = False
    replaced: bool = False


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
    messages, defects = read_items([entry.item for entry in replay.history])
    for defect in defects:
        report(defect)
    voiced = [replay.voiced(message, entry) for message, entry in zip(messages, replay.history, strict=True)]
    return View(tuple(voiced), tuple(replay.usage), replay.model, replay.session)


def _typed_texts(records: Iterable[Record]) -> frozenset[str]:
    """What a person typed, as the client's events say it; without the space around it."""
    texts: set[str] = set()
    for record in records:
        if record.type != "event_msg":
            continue
        if record.kind == "user_message" and isinstance(record.payload.get("message"), str):
            texts.add(record.payload["message"].strip())
        item = record.payload.get("item")
        if record.kind == "item_completed" and isinstance(item, Mapping) and item.get("type") == "UserMessage":
            blocks = [block.get("text") for block in blocks_of(item)]
            texts.add("".join(text for text in blocks if isinstance(text, str)).strip())
    return frozenset(texts - {""})


@dataclass(slots=True)
class _Replay:
    """The state of one walk over the records, in order."""

    typed: frozenset[str]
    everything: bool
    report: Report
    history: list[_Entry] = field(default_factory=list)
    usage: list[Usage] = field(default_factory=list)
    model: str | None = None
    session: str | None = None
    counted: JSON = None
    machine: set[str] = field(default_factory=set)
    replaying: list[JSON] = field(default_factory=list)
    pending: list[_Entry] = field(default_factory=list)
    boundaries: int = 0

    def add(self, record: Record) -> None:
        if record.type == ITEM:
            self._item(record)
        elif record.type == "compacted":
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

    # Items ---------------------------------------------------------------------------------

    def _item(self, record: Record) -> None:
        item = record.payload
        if kind_of(item) in _NOT_SENT:
            return
        if item.get("role") == "user" and self.typed:
            self.machine.update(text.strip() for text in _texts_of(item) if not self._is_typed(item, text))
        if self.replaying and item == self.replaying[len(self.pending)]:
            self.pending.append(_Entry(item))
            if len(self.pending) == len(self.replaying):
                note = "the client wrote its replacement history again, item by item; shown once"
                self.report(Defect("replayed-history", record.where, note))
                self.pending, self.replaying = [], []
            return
        self.settle()
        self.history.append(_Entry(item))

    def settle(self) -> None:
        """Ends the search for a replay: what looked like its beginning is history after all."""
        self.history += self.pending
        self.pending, self.replaying = [], []

    # Compaction ----------------------------------------------------------------------------

    def _compacted(self, record: Record) -> None:
        held = record.payload.get("replacement_history")
        said = record.payload.get("message")
        said = said if isinstance(said, str) else ""
        self.boundaries += 1
        if not isinstance(held, list):
            self.report(Defect("rebuilt-history", record.where, "no replacement history: rebuilt from its messages"))
            self.settle()
            kept = [entry for entry in self.history if self._is_carried(entry)]
            summary = [_Entry(_summary_message(said), kept=True, summary=True)] if said else []
            self._replace_with([replace(entry, kept=True) for entry in kept], summary)
            return
        items = [item for item in held if kind_of(item) not in _NOT_SENT]
        last = next((i for i in range(len(items) - 1, -1, -1) if kind_of(items[i]) == "message"), -1)
        entries = [
            _Entry(item, kept=True, summary=_is_summary(item, said if index == last else ""))
            for index, item in enumerate(items)
        ]
        self.settle()
        if len(entries) > 1 or any(entry.summary for entry in entries):  # one message may be said twice
            self.replaying = [entry.item for entry in entries]
        self._replace_with([e for e in entries if not e.summary], [e for e in entries if e.summary], entries)

    def _replace_with(self, kept: list[_Entry], summary: list[_Entry], in_order: list[_Entry] | None = None) -> None:
        if self.everything:
            self.history = [replace(entry, replaced=True) for entry in self.history] + summary
            return
        self.history = in_order if in_order is not None else kept + summary
        self.usage = []

    def _is_carried(self, entry: _Entry) -> bool:
        """A rebuilt history has what people said and the context that the client puts in anew."""
        item = entry.item
        if not isinstance(item, Mapping) or kind_of(item) != "message" or entry.summary:
            return False
        if item.get("role") == "user":
            return self._speaks(entry) or all(is_harness_text(text) for text in _texts_of(item))
        return item.get("role") in ("developer", "system")

    def _speaks(self, entry: _Entry) -> bool:
        """A person says something in it."""
        item = entry.item
        if not isinstance(item, Mapping) or kind_of(item) != "message" or item.get("role") != "user":
            return False
        if entry.summary:
            return False
        return any(self._voice(entry, text) is Provenance.user for text in _texts_of(item))

    def _roll_back(self, record: Record) -> None:
        """The newest turns are taken back: the history ends before the person's message that began them."""
        self.settle()
        count = record.payload.get("num_turns")
        if not isinstance(count, int) or isinstance(count, bool) or count <= 0:
            return
        spoken = [index for index, entry in enumerate(self.history) if self._speaks(entry)]
        if spoken:
            cut = spoken[-count] if count <= len(spoken) else spoken[0]
            del self.history[cut:]
            self.usage = [item for item in self.usage if item.message < cut]

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
        start = self._newest_output()
        if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 and start > 0 and not behind:
            self.usage.append(Usage(start, tokens, self.model))

    def _newest_output(self) -> int:
        """Index of the first item of the output that was counted.

        Up to version 0.58 the client writes a count before the items of its output, later ones behind them:
        a history that ends in an agent's item has them already.
        """
        start = len(self.history)
        while start and is_agent_item(self.history[start - 1].item) and not self.history[start - 1].kept:
            start -= 1
        return start

    # Voices --------------------------------------------------------------------------------

    def voiced(self, message: Message, entry: _Entry) -> Message:
        """The message with the authors that only the session knows."""
        user = message.role == "user"
        parts = tuple(self._voiced_part(part, message.raw, entry) if user else part for part in message.parts)
        if entry.replaced:
            parts = tuple(replace(part, marks=part.marks | {Mark.summarized}) for part in parts)
        return message if parts == message.parts else replace(message, parts=parts)

    def _voiced_part(self, part: Part, raw: JSON, entry: _Entry) -> Part:
        if entry.summary:
            return replace(part, provenance=Provenance.foreign, marks=part.marks | {Mark.summary})
        if part.kind is not Kind.text:
            speaks = not isinstance(raw, Mapping) or not _texts_of(raw) or self._speaks(entry)
            return part if speaks else replace(part, provenance=Provenance.harness)
        voice = self._voice(entry, part.text)
        if voice is part.provenance:
            return part
        return replace(part, provenance=voice, marks=part.marks - {Mark.instruction})

    def _voice(self, entry: _Entry, text: str) -> Provenance:
        """Who wrote one text of an item in the user's role."""
        if isinstance(entry.item, Mapping) and self._is_typed(entry.item, text):
            return Provenance.user
        if is_harness_text(text):
            return Provenance.harness
        if entry.kept:
            return Provenance.harness if text.strip() in self.machine else Provenance.user
        return Provenance.harness if self.typed else Provenance.user

    def _is_typed(self, item: Mapping[str, JSON], text: str) -> bool:
        """A person typed the text, or the whole message that it is a block of."""
        if text.strip() in self.typed:
            return True
        texts = _texts_of(item)
        return len(texts) > 1 and any(joined.strip() in self.typed for joined in ("".join(texts), "\n".join(texts)))


def _texts_of(item: Mapping[str, JSON]) -> list[str]:
    """The texts of a message, block by block."""
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    blocks = [block for block in blocks_of(item) if string_of(block.get("type")) in TEXT_TYPES]
    return [block["text"] for block in blocks if isinstance(block.get("text"), str)]


def _is_summary(item: JSON, said: str) -> bool:
    """The compaction's own summary: the opaque item, or the message that holds what the record says (`said`)."""
    if kind_of(item) in COMPACTIONS:
        return True
    if not isinstance(item, Mapping) or item.get("role") != "user":
        return False
    texts = _texts_of(item)
    return any((said and text == said) or text.lstrip().startswith(SUMMARY_OPENING) for text in texts)


def _summary_message(said: str) -> JSON:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": said}]}
