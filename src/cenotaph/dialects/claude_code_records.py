"""Records of a Claude Code session, reduced to the fields that decide anything.

The file keeps every field; here only those stay that the view, its parts and their marks are made
from, so that the client's second copies of tool output (whole files, progress ticks) don't stay in
memory. Reading never changes a record that the caller passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect
from cenotaph.dialects import jsonl
from cenotaph.errors import DialectError, InputError

__all__ = ["Outcome", "Record", "looks_like_session", "read_records"]

Report = Callable[[Defect], None]

MESSAGE_TYPES: Final = frozenset({"user", "assistant"})

KNOWN_TYPES: Final = MESSAGE_TYPES | {
    "agent-name", "ai-title", "atis-latch", "attachment", "bridge-session", "custom-title",
    "file-history-snapshot", "frame-link", "last-prompt", "mode", "permission-mode", "pr-link",
    "progress", "queue-operation", "relocated", "result", "started", "summary", "system", "tag",
    "worktree-state",
}  # fmt: skip
"""Record types that a client was seen to write; any other is kept, not shown, and reported."""

_MARKS_OF_A_SESSION: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    "summary": (frozenset({"summary", "leafUuid"}),),
    "file-history-snapshot": (frozenset({"snapshot", "messageId"}),),
    "queue-operation": (frozenset({"operation", "sessionId"}),),
    "progress": (frozenset({"data", "uuid"}),),
    "system": (frozenset({"subtype", "uuid"}), frozenset({"sessionId", "uuid"})),
    "attachment": (frozenset({"attachment", "uuid"}),),
    "permission-mode": (frozenset({"permissionMode", "sessionId"}),),
}
"""Fields that, with its type, make a record this client's."""
_ENVELOPE: Final = frozenset({"uuid", "parentUuid", "timestamp", "sessionId", "isSidechain"})
"""Fields that records of every kind share."""
_WRAPPED: Final = frozenset({"ordinal", "payload", "timestamp", "type"})
"""All fields of a record of another client, which wraps everything in a payload."""
_LOOKED_AT_MAX: Final = 2_000
_RESULT_CHARS_MAX: Final = 200
_HARNESS_ORIGINS: Final = frozenset(
    {"agent", "auto-continuation", "coordinator", "peer", "task-notification", "teammate"}
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the client's own copy of a result says about it (`toolUseResult`, `toolDenialKind`).

    Attributes:
        text: Its first characters where it is a string, else "".
        fields: The scalar fields that marks are made from, plus `task` reduced likewise.
        answers: It holds a person's answers to questions.
        plan: It holds a decided plan of the main agent.
        denied: The client says that a person denied the call.
    """

    text: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    answers: bool = False
    plan: bool = False
    denied: bool = False


@dataclass(slots=True, eq=False)
class Record:
    """One record; never changed. It is not frozen, which would cost more than all else that is done to make one.

    Attributes:
        index: Place among all records, from 0.
        line: Line in the file, from 1; the place in the list, from 1, where there is no file.
        type: The record's type, "" if it has none.
        subtype: Of a system record, else "".
        uuid: None where the type has none.
        parent: The uuid that it hangs on.
        timestamp: As written; only compared for equality.
        session: Id of its session.
        message: `{role, content}` of a user or assistant record with readable content, else None.
        message_id: The provider's id of the API message that this line is a piece of.
        model: Model that wrote it.
        usage: The provider's usage object.
        content: Of a system or queue record: its text.
        meta: Written by the client in a person's role.
        sidechain: Belongs to a sub-agent's conversation.
        summary: Carries a compaction's summary.
        hidden: Shown to a person only, never sent.
        synthetic: Of an assistant record: written by the client, not by a model.
        machine_origin: Its origin field names a machine.
        tool_source: The call that the client put it in for.
        operation: Of a queue record.
        outcome: See `Outcome`.
        detail: Metadata of a boundary, or the attachment.
    """

    index: int
    line: int
    type: str
    subtype: str = ""
    uuid: str | None = None
    parent: str | None = None
    timestamp: str | None = None
    session: str | None = None
    message: Mapping[str, JSON] | None = None
    message_id: str | None = None
    model: str | None = None
    usage: Mapping[str, JSON] | None = None
    content: str | None = None
    meta: bool = False
    sidechain: bool = False
    summary: bool = False
    hidden: bool = False
    synthetic: bool = False
    machine_origin: bool = False
    tool_source: str | None = None
    operation: str = ""
    outcome: Outcome | None = None
    detail: Mapping[str, JSON] | None = None
    _results: list[JSON] | None = None

    @property
    def is_message(self) -> bool:
        """A piece of conversation, whoever wrote it."""
        return self.message is not None

    @property
    def is_boundary(self) -> bool:
        return self.type == "system" and self.subtype == "compact_boundary"

    @property
    def is_clearing(self) -> bool:
        """Where results were cleared in place."""
        return self.type == "system" and self.subtype == "microcompact_boundary"

    @property
    def is_summary(self) -> bool:
        return self.summary and self.message is not None

    @property
    def where(self) -> str:
        return f"line {self.line}"

    def blocks(self) -> list[JSON]:
        """The content blocks; a string content counts as none."""
        content = self.message["content"] if self.message is not None else None
        return content if isinstance(content, list) else []

    def result_ids(self) -> list[JSON]:
        """The call ids that the results in it answer."""
        if self._results is None:
            self._results = [b.get("tool_use_id") for b in self.blocks() if _is_block(b, "tool_result")]
        return self._results


def read_records(value: JSON, report: Report, *, loads: jsonl.Loads | None = None) -> list[Record]:
    """All records of a session in file order.

    Args:
        value: File content as bytes, a list of decoded records, or a web export with `loglines`.
        report: Takes what was odd and survived.
        loads: A faster decoder for the lines of a file; what is accepted and read stays the same.

    Raises:
        InputError: Nothing readable; see `jsonl.read_values`.
        DialectError: The value is of another shape.
    """
    unknown: dict[str, list[int]] = {}
    records: list[Record] = []
    for line, item in _values(value, report, loads):
        if not isinstance(item, dict):
            report(Defect("not-a-record", f"line {line}", f"a JSON {type(item).__name__}; kept, not shown"))
            continue
        record = _record(item, len(records), line, report)
        if record.type not in KNOWN_TYPES:
            unknown.setdefault(record.type, []).append(line)
        records.append(record)
    for kind, lines in unknown.items():
        note = f"{len(lines)} record(s) of type {kind!r}; kept, not shown"
        report(Defect("unknown-record", f"line {lines[0]}", note))
    return records


def looks_like_session(value: JSON) -> bool:
    """The value is shaped like a Claude Code session; decided by its records, never by a name."""
    if isinstance(value, dict):
        return isinstance(value.get("loglines"), list) and looks_like_session(value["loglines"])
    if not isinstance(value, list | bytes | bytearray):
        return False
    try:
        return _looks_like(_values(value, _unheard))
    except InputError:
        # Not a refusal: a predicate only says whether this dialect reads it; `parse` names the line.
        return False


def _looks_like(values: Iterable[tuple[int, JSON]]) -> bool:
    hinted = False
    for seen, (_, item) in enumerate(values):
        if seen >= _LOOKED_AT_MAX:
            break
        if not isinstance(item, dict):
            continue
        kind, message = item.get("type"), item.get("message")
        if not isinstance(kind, str):
            continue
        if kind in MESSAGE_TYPES and isinstance(message, dict):
            if isinstance(message.get("content"), str | list):
                return bool(message.get("role", kind) == kind)
            if "parts" in message:  # a client of another family writes the same envelope around it
                return False
        if not hinted and "payload" in item and item.keys() <= _WRAPPED:
            return False
        hinted = hinted or any(keys <= item.keys() for keys in _MARKS_OF_A_SESSION.get(kind, ()))
    return hinted


def _unheard(_: Defect) -> None:
    """A predicate reports nothing."""


def _values(value: JSON, report: Report, loads: jsonl.Loads | None = None) -> Iterator[tuple[int, JSON]]:
    if isinstance(value, bytes | bytearray):
        export = _export_in(bytes(value))
        if export is None:
            yield from jsonl.read_values(bytes(value), report, loads=loads)
            return
        value = export
    if isinstance(value, dict) and isinstance(value.get("loglines"), list):
        value = value["loglines"]
    if not isinstance(value, list):
        raise DialectError(
            f"A {type(value).__name__} is no Claude Code session; bytes, a list of records or an object with "
            "`loglines` was expected.",
            expected="claude-code",
        )
    for line, item in enumerate(value, 1):
        if isinstance(item, dict):
            jsonl.check_depth(item, f"record {line}")
        yield line, item


def _export_in(data: bytes) -> JSON | None:
    """The web export inside a file, if the file is one: a single object that holds `loglines`.

    A session file starts with a whole record on its first line, so only a first line that is not one,
    or that is itself the export, makes the whole file worth decoding.
    """
    end = data.find(b"\n")
    first_line = data[:end] if end >= 0 else data
    if _is_record(first_line) or b'"loglines"' not in data:
        return None
    document = jsonl.decode_document(data)
    return document if isinstance(document, dict) and isinstance(document.get("loglines"), list) else None


def _is_record(line: bytes) -> bool:
    """Whether a first line is a whole object, and not an export."""
    try:
        _, first = next(jsonl.read_values(line + b"\n{}", _unheard))
    except (InputError, StopIteration):
        return False
    return isinstance(first, dict) and "loglines" not in first


def _is_block(block: JSON, kind: str) -> bool:
    return isinstance(block, dict) and block.get("type") == kind


def _parent(value: JSON) -> str | None:
    """The parent's uuid; one of another type names no record, which is not the same as having no parent."""
    return value if value is None or isinstance(value, str) else f"not a uuid: {value!r}"


def _text(value: JSON) -> str | None:
    return value if isinstance(value, str) else None


def _record(item: dict[str, JSON], index: int, line: int, report: Report) -> Record:
    get = item.get
    kind = get("type")
    if not isinstance(kind, str):
        kind = ""
    message = get("message") if kind in MESSAGE_TYPES else None
    if isinstance(message, dict) and isinstance(message.get("content"), str | list):
        return _message_record(item, kind, message, index, line)
    if kind in MESSAGE_TYPES:
        report(Defect("malformed-message", f"line {line}", "its message has no readable content; kept, not shown"))
        item = {name: value for name, value in item.items() if name in _ENVELOPE}
        get = item.get
    detail = get("compactMetadata") or get("microcompactMetadata") or get("attachment")
    return Record(
        index,
        line,
        kind,
        subtype=_text(get("subtype")) or "",
        uuid=_text(get("uuid")),
        parent=_parent(get("parentUuid")),
        timestamp=_text(get("timestamp")),
        session=_text(get("sessionId")),
        content=_text(get("content")),
        sidechain=get("isSidechain") is True,
        operation=_text(get("operation")) or "",
        detail=detail if isinstance(detail, dict) else None,
    )


def _message_record(item: dict[str, JSON], kind: str, message: dict[str, JSON], index: int, line: int) -> Record:
    get = item.get
    usage, model, origin = message.get("usage"), _text(message.get("model")), get("origin")
    as_sent = len(message) == 2 and message.get("role") == kind
    agent = kind == "assistant"
    return Record(
        index,
        line,
        kind,
        uuid=_text(get("uuid")),
        parent=_parent(get("parentUuid")),
        timestamp=_text(get("timestamp")),
        session=_text(get("sessionId")),
        message=message if as_sent else {"role": kind, "content": message["content"]},
        message_id=_text(message.get("id")),
        model=model,
        usage=usage if isinstance(usage, dict) else None,
        meta=get("isMeta") is True,
        sidechain=get("isSidechain") is True,
        summary=get("isCompactSummary") is True,
        hidden=get("isVisibleInTranscriptOnly") is True,
        synthetic=agent and (model == "<synthetic>" or get("isApiErrorMessage") is True),
        machine_origin=isinstance(origin, dict) and is_machine_origin(origin),
        tool_source=_text(get("sourceToolUseID")),
        outcome=None if agent else _outcome(item),
    )


def is_machine_origin(origin: Mapping[str, JSON]) -> bool:
    """An origin field that names a machine; an unknown kind may be a person."""
    kind = origin.get("kind")
    return isinstance(kind, str) and kind in _HARNESS_ORIGINS


def _outcome(item: Mapping[str, JSON]) -> Outcome | None:
    denied = item.get("toolDenialKind") == "user-rejected"
    copy = item.get("toolUseResult")
    if isinstance(copy, str):
        return Outcome(text=copy[:_RESULT_CHARS_MAX], denied=denied)
    if not isinstance(copy, dict):
        return Outcome(denied=True) if denied else None
    kept = ("backgroundTaskId", "agentId", "status", "shellId", "shell_id", "task_id")
    fields = {name: copy[name] for name in kept if isinstance(copy.get(name), str)}
    task = copy.get("task")
    if isinstance(task, dict):
        fields |= {name: task[name] for name in ("task_id", "status") if isinstance(task.get(name), str)}
    return Outcome(
        fields=fields,
        answers="answers" in copy,
        plan="plan" in copy and copy.get("isAgent") is not True,
        denied=denied,
    )
