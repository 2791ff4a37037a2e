"""The view of a Claude Code session: records made into the messages that the model is sent next.

The client sends one message per API message although the file holds one line per block, and all
results of a batch in one message right behind its calls although they come back in any order, with
other records between. Here likewise: an agent message owns its results, and whatever else stands
between them in the file comes after. So no human text can ever stand between a call and its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Message, Usage
from cenotaph.dialects.claude_code_branches import Selection, message_text
from cenotaph.dialects.claude_code_forms import CLEARED, is_command
from cenotaph.dialects.claude_code_parts import (
    Call,
    Calls,
    Origin,
    content_parts,
    starts_background,
)
from cenotaph.dialects.claude_code_queue import Delivery, queued_prompt
from cenotaph.dialects.claude_code_records import Record, is_machine_origin
from cenotaph.dialects.content import content_text

__all__ = ["View", "assemble"]

Report = Callable[[Defect], None]


@dataclass(frozen=True, slots=True)
class View:
    """What `assemble` made.

    Attributes:
        messages: In order.
        usage: In order; only where the request behind it was a prefix of this view.
        model: The last real model.
    """

    messages: tuple[Message, ...]
    usage: tuple[Usage, ...]
    model: str | None


@dataclass(slots=True)
class _Slot:
    """A message in the making, and the message of results that follows it.

    Attributes:
        message: As it came in where nothing is merged, else None.
        role: Wire role.
        blocks: Content blocks (one string where the content is a string).
        origins: One per block.
        results: Result blocks of this agent message's calls, with their origins.
        extras: Blocks that stood beside the results, sent after them.
        usage: The provider's last count for this message.
    """

    role: str
    message: Mapping[str, JSON] | None = None
    blocks: list[JSON] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    results: list[tuple[JSON, Origin]] = field(default_factory=list)
    extras: list[tuple[JSON, Origin]] = field(default_factory=list)
    usage: Mapping[str, JSON] | None = None
    model: str | None = None
    last: Record | None = None


def assemble(selection: Selection, queued: Sequence[Delivery], *, clear: bool, report: Report) -> View:
    """The messages that the selected records stand for.

    Args:
        selection: The records of the conversation.
        queued: Texts that stand only in queue records of the whole file.
        clear: Put the placeholder where a microcompaction cleared a result.
        report: Takes what was odd and survived.
    """
    assembly = _Assembly(selection, _cleared_ids(selection.records) if clear else frozenset(), report)
    present = {record.index for record in selection.records}
    at: dict[int, list[Delivery]] = {}
    carried: list[Delivery] = []
    for delivery in queued:
        if delivery.at in present:
            at.setdefault(delivery.at, []).append(delivery)
        elif delivery.waiting and delivery.at < selection.start:
            carried.append(delivery)
    for record in selection.records:
        assembly.add(record)
        for delivery in at.get(record.index, ()):
            assembly.add_queued(record, delivery.text)
        if carried and record.is_summary:
            for delivery in carried:  # typed before the boundary, not yet delivered behind it
                assembly.add_queued(record, delivery.text)
            carried = []
    for delivery in carried:
        assembly.add_queued(Record(selection.start, 0, "queue-operation"), delivery.text)
    return assembly.view()


def _cleared_ids(records: Sequence[Record]) -> frozenset[str]:
    """Call ids whose results a microcompaction took out of what the client sends."""
    ids: set[str] = set()
    for record in records:
        if record.subtype == "microcompact_boundary" and record.detail is not None:
            listed = record.detail.get("compactedToolIds")
            ids.update(i for i in listed if isinstance(i, str)) if isinstance(listed, list) else None
    return frozenset(ids)


class _Assembly:
    def __init__(self, selection: Selection, cleared: frozenset[str], report: Report) -> None:
        self.selection = selection
        self.cleared = cleared
        self.report = report
        self.slots: list[_Slot] = []
        self.by_message_id: dict[str, _Slot] = {}
        self.newest_agent: _Slot | None = None
        self.slot_of_call: dict[str | None, _Slot] = {}
        self.answered: dict[str, JSON] = {}
        self.calls = Calls()
        self.by_uuid = {r.uuid: r for r in selection.records if r.uuid is not None}
        records = selection.records
        self.last_clearing = max((r.index for r in records if r.subtype == "microcompact_boundary"), default=-1)
        self.first_cleared = self.last_clearing
        self.first_boundary = next((r.index for r in records if r.is_boundary or r.is_summary), -1)

    # Records -------------------------------------------------------------------------------

    def add(self, record: Record) -> None:
        if record.message is not None:
            self._add_message(record, record.message)
        elif record.type == "attachment" and record.detail is not None:
            prompt = queued_prompt(record.detail)
            if prompt is not None:
                self._stand_alone(prompt, self._origin(record, machine=_is_machine(record.detail)))
        elif record.type == "system" and record.subtype == "local_command" and record.content:
            # The client sends these as user messages, so that the model can refer to their output.
            self._stand_alone(record.content, self._origin(record))

    def add_queued(self, record: Record, text: str) -> None:
        self._stand_alone(text, self._origin(_without_flags(record)))

    def _add_message(self, record: Record, message: Mapping[str, JSON]) -> None:
        if record.synthetic or (record.hidden and not record.summary):
            return
        if not message["content"]:
            self.report(Defect("empty-message", record.where, "its content is empty; kept, not shown"))
        elif record.type == "assistant":
            self._add_agent(record, message)
        elif any(_is_result(block) for block in record.blocks()):
            self._add_results(record, message)
        else:
            self._stand_alone(message["content"], self._origin(record), message)

    def _origin(self, record: Record, *, agent: bool = False, machine: bool = False) -> Origin:
        selection = self.selection
        return Origin(
            record,
            agent,
            machine or record.machine_origin,
            record.meta and self._follows_command(record),
            record.index < selection.replaced_before and record.index not in selection.exempt,
        )

    def _follows_command(self, record: Record) -> bool:
        above = self.by_uuid.get(record.parent) if record.parent is not None else None
        text = message_text(above.message) if above is not None and above.message is not None else None
        return text is not None and is_command(text)

    def _stand_alone(self, content: JSON, origin: Origin, message: Mapping[str, JSON] | None = None) -> None:
        blocks = content if isinstance(content, list) else [content]
        self.slots.append(
            _Slot(
                "user",
                message if message is not None else {"role": "user", "content": content},
                list(blocks),
                [origin] * len(blocks),
            )
        )

    def _add_agent(self, record: Record, message: Mapping[str, JSON]) -> None:
        slot = self.by_message_id.get(record.message_id) if record.message_id is not None else None
        if slot is not None and slot is not self.newest_agent:
            note = f"a piece of message {record.message_id} after another agent message; shown as its own"
            self.report(Defect("split-message", record.where, note))
            slot = None
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        # Blank text that a model wrote is not sent back: the API refuses it.
        shown = [block for block in blocks if not _is_blank(block)]
        if not shown:
            return
        if slot is None:
            mergeable = record.message_id is not None or len(shown) < len(blocks)
            slot = _Slot("assistant", None if mergeable else message)
            self.slots.append(slot)
            if record.message_id is not None:
                self.by_message_id[record.message_id] = slot
        origin = self._origin(record, agent=True)
        for block in shown:
            self._add_agent_block(slot, block, origin)
        self.newest_agent = slot
        slot.model = record.model or slot.model
        slot.usage = record.usage if record.usage is not None else slot.usage
        slot.last = record

    def _add_agent_block(self, slot: _Slot, block: JSON, origin: Origin) -> None:
        if _is_call(block):
            identity = block.get("id")
            known = self.slot_of_call.get(identity) if isinstance(identity, str) else None
            if known is not None:
                note = f"call {identity} stands twice"
                if known is slot and slot.message is None and block in slot.blocks:
                    self.report(Defect("duplicate-call", origin.record.where, note + "; shown once"))
                    return
                self.report(Defect("duplicate-call", origin.record.where, note + "; both are shown"))
            if identity is None or isinstance(identity, str):
                self.slot_of_call[identity] = slot
            name, args = block.get("name"), block.get("input")
            if isinstance(identity, str) and isinstance(name, str):
                self.calls.known[identity] = Call(name, args if isinstance(args, dict) else {})
        slot.blocks.append(block)
        slot.origins.append(origin)

    def _add_results(self, record: Record, message: Mapping[str, JSON]) -> None:
        origin = self._origin(record)
        owner: _Slot | None = None
        orphans: list[JSON] = []
        others: list[JSON] = []
        for block in message["content"]:
            if not _is_result(block):
                others.append(block)
                continue
            identity = block.get("tool_use_id")
            slot = self.slot_of_call.get(identity) if identity is None or isinstance(identity, str) else None
            if slot is None:
                orphans.append(block)
                note = f"a result of call {identity!r}, which no message before it in the view makes"
                self.report(Defect("orphan-result", record.where, note))
            elif not self._repeats(identity, block, record):
                owner = slot
                slot.results.append(self._shown(block, origin))
                self._note_background(identity, block, record)
            else:
                owner = slot
        if owner is not None:
            owner.extras += [(block, origin) for block in others]
        elif others:
            orphans += others
        if orphans:
            whole = len(orphans) == len(message["content"])
            self._stand_alone(orphans, origin, message if whole else None)

    def _repeats(self, identity: str | None, block: JSON, record: Record) -> bool:
        """The call is answered already, in the same words; other words are a second result."""
        if identity is None:
            return False
        if identity not in self.answered:
            self.answered[identity] = block
            return False
        same = bool(self.answered[identity] == block)
        note = f"call {identity} is answered twice; " + ("shown once" if same else "both are shown")
        self.report(Defect("duplicate-result", record.where, note))
        return same

    def _shown(self, block: JSON, origin: Origin) -> tuple[JSON, Origin]:
        if block.get("tool_use_id") not in self.cleared or origin.record.index > self.last_clearing:
            return block, origin
        self.first_cleared = min(self.first_cleared, origin.record.index)
        placeholder = Origin(origin.record, False, origin.machine, False, origin.summarized, cleared=True)
        return {**block, "content": CLEARED}, placeholder

    def _note_background(self, identity: str | None, block: JSON, record: Record) -> None:
        outcome = record.outcome if len(record.result_ids()) == 1 else None
        call = self.calls.of(block, "tool_use_id")
        text, _ = content_text(block.get("content"))
        began = starts_background(call, text, block.get("is_error") is True, outcome)
        if began and identity is not None:
            self.calls.background.add(identity)

    # The view -------------------------------------------------------------------------------

    def view(self) -> View:
        messages: list[Message] = []
        usage: list[Usage] = []
        model: str | None = None
        for slot in self.slots:
            counted = self._usage(slot, len(messages))
            if counted is not None:
                usage.append(counted)
            model = slot.model or model
            raw = slot.message if slot.message is not None else {"role": slot.role, "content": slot.blocks}
            messages.append(Message(raw, slot.role, content_parts(raw["content"], slot.origins, self.calls)))
            if slot.results or slot.extras:
                pairs = [*slot.results, *slot.extras]
                blocks = [block for block, _ in pairs]
                origins = [origin for _, origin in pairs]
                parts = content_parts(blocks, origins, self.calls)
                messages.append(Message({"role": "user", "content": blocks}, "user", parts))
        return View(tuple(messages), tuple(usage), model)

    def _usage(self, slot: _Slot, message: int) -> Usage | None:
        """The provider's count, where the request that it counted is the view up to this message.

        It is not where the message was sent before the region's boundary (preserved messages), or
        behind a boundary in a view of the whole history, or before a microcompaction that took out
        results that stand before it.
        """
        if slot.usage is None or slot.last is None:
            return None
        index, selection = slot.last.index, self.selection
        if index < selection.start:
            return None
        if selection.replaced_before and index > self.first_boundary:
            return None
        if self.first_cleared < index < self.last_clearing:
            return None
        fields = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        counts = [slot.usage.get(name) for name in fields]
        total = sum(n for n in counts if isinstance(n, int) and not isinstance(n, bool))
        return Usage(message, total, slot.model) if total > 0 else None


def _is_result(block: JSON) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _is_call(block: JSON) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_use"


def _is_blank(block: JSON) -> bool:
    """Text of nothing but blank space; a text block without a string in it is odd, not blank."""
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return isinstance(text, str) and not text.strip()


def _is_machine(attachment: Mapping[str, JSON]) -> bool:
    """A queued command that a field says no person typed."""
    origin = attachment.get("origin")
    by_origin = isinstance(origin, dict) and is_machine_origin(origin)
    notification = attachment.get("commandMode") == "task-notification"
    return by_origin or notification or attachment.get("isMeta") is True


def _without_flags(record: Record) -> Record:
    """A stand-in for a queued text's origin: only the place counts, not what a summary record is."""
    return Record(record.index, record.line, "queue-operation")
