"""The opencode dialect: exports and storage of opencode sessions, read as what comes next.

An export is `{"info": session, "messages": [{"info": message, "parts": [...]}]}`. The storage folder has
the same records in a file each; their list (session, messages, parts, in the order of their names) is
read alike. A tool part holds call and result; `step-start` parts divide a message into requests.

The view is in the form of the provider of the newest message: `anthropic` for Anthropic, Chat
Completions for all others, because opencode keeps a neutral form and writes it anew for each provider.

Compaction is a person-role message with a `compaction` part, answered by an agent message whose
`summary` is true (an object there only counts changed files). The view begins at the newest one that
is complete, or where its `tail_start_id` says. Pruning sets `state.time.compacted`: the output stays in
the file, the model reads a placeholder. `region="all"` undoes both: outputs as they were, what a
summary replaced marked `summarized`.

Text that is `synthetic` in a person's role was put in by the client: harness, never a person's word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Mark, Transcript
from cenotaph.dialects.content import string_of
from cenotaph.dialects.session_draft import FOREIGN_SUMMARY, HARNESS, PLAIN, Voice, settled
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

__all__ = ["OPENCODE", "OpenCode"]

_CLEARED: Final = "[Old tool result content cleared]"
_INTERRUPTED: Final = "[Tool execution was interrupted]"
_ASKED_FOR_SUMMARY: Final = "What did we do so far?"
_RAN_BY_USER: Final = "The following tool was executed by the user"
_REFUSED: Final = "The user rejected permission to use this specific tool call"
_TEXT_FILES: Final = frozenset({"text/plain", "application/x-directory"})
"""Files that the client writes out as synthetic text beside the part."""
_NOT_SENT: Final = frozenset({"agent", "patch", "retry", "snapshot", "step-finish", "step-start"})
_PART_TYPES: Final = _NOT_SENT | {"compaction", "file", "reasoning", "subtask", "text", "tool"}
_QUESTIONS: Final = frozenset({"question"})
_ENDED: Final = frozenset({"completed", "success"})
_EXPECTED: Final = "an export of an opencode session, or the list of the records of its storage"


@dataclass(frozen=True, slots=True)
class _Said:
    """A message with its parts."""

    info: Mapping[str, JSON]
    parts: tuple[Mapping[str, JSON], ...]

    @property
    def id(self) -> str:
        return text_of(self.info.get("id"))

    @property
    def where(self) -> str:
        return f"message {self.id}"

    def has(self, kind: str) -> Mapping[str, JSON] | None:
        return next((part for part in self.parts if part.get("type") == kind), None)


class OpenCode:
    """Sessions of opencode.

    Attributes:
        name: Name of the dialect.
    """

    name = "opencode"

    def recognise(self, value: JSON) -> bool:
        """The value is an export or a list of storage records, by the fields of its messages.

        Args:
            value: File content as bytes, an export, or a list of records.
        """
        content = peeked(value)
        if isinstance(content, Mapping):
            messages = records_of(content.get("messages"))
            return "info" in content and bool(messages) and all(_is_exported(item) for item in messages)
        records = records_of(content)
        return any(_is_info(item) for item in records) and all(_is_record(item) for item in records)

    def parse(self, value: JSON, *, region: Literal["last", "all"] = "last") -> Transcript:
        """The messages that the model would be sent next.

        Args:
            value: As for `recognise`. Never changed.
            region: "last" from the newest compaction on and with what was pruned, "all" the whole history.

        Returns:
            The transcript; its `defects` name everything that was odd and survived.

        Raises:
            InputError: A line can't be read, or nothing in it is a message.
            DialectError: The value has another shape.
            ConfigurationError: `region` is neither.
        """
        everything = check_region(region)
        defects: list[Defect] = []
        content = decoded(value, self.name, defects.append)
        said = _messages(content, defects.append)
        if said is None:
            raise refused(self.name, content, _EXPECTED)
        provider, model = _in_force(said)
        wire = "anthropic" if provider == "anthropic" else "openai-chat"
        reader = _Reader(wire, defects.append, cleared=not everything, force=(provider, model))
        start, replaced = _boundary(said, defects.append)
        for index, message in enumerate(said):
            if everything or index >= start:
                reader.read(message, last=index == len(said) - 1, summarized=everything and index < replaced)
        if not reader.writer.drafts:
            raise nothing_understood(self.name, (str(m.info.get("role")) for m in said))
        return settled(
            reader.writer.drafts,
            dialect=self.name,
            wire=wire,
            source=value,
            defects=defects,
            model=model,
            session=next((text_of(m.info.get("sessionID")) for m in said if m.info.get("sessionID")), None),
        )

    def emit(self, transcript: Transcript) -> JSON:
        """Exactly what came in: the same bytes, the same object.

        Args:
            transcript: Made by `parse`.
        """
        return transcript.source


# Records -----------------------------------------------------------------------------------------


def _is_info(item: JSON) -> bool:
    info = mapping_of(item)
    return info.get("role") in ("user", "assistant") and string_of(info.get("sessionID")) is not None and "id" in info


def _is_exported(item: JSON) -> bool:
    return _is_info(mapping_of(item).get("info")) and isinstance(mapping_of(item).get("parts"), list)


def _is_part(item: JSON) -> bool:
    """A part; older storage names its message only in the folder, so that nobody can say whose it is."""
    part = mapping_of(item)
    named = any(isinstance(part.get(key), str) for key in ("messageID", "id"))
    return string_of(part.get("type")) in _PART_TYPES and named and "role" not in part


def _is_session(item: JSON) -> bool:
    session = mapping_of(item)
    return "projectID" in session and "directory" in session and "role" not in session


def _is_record(item: JSON) -> bool:
    return _is_info(item) or _is_part(item) or _is_session(item)


def _messages(content: JSON, report: Report) -> list[_Said] | None:
    """The messages in order; None where the value holds none."""
    if isinstance(content, Mapping):
        exported = records_of(content.get("messages"))
        odd = [index for index, item in enumerate(exported) if not _is_exported(item)]
        for index in odd:
            report(Defect("unknown-record", f"message {index}", "not a message with parts; kept, not shown"))
        held = [mapping_of(item) for index, item in enumerate(exported) if index not in odd]
        return [_Said(mapping_of(m["info"]), _parts(m["parts"])) for m in held] or None
    records = records_of(content)
    infos = [mapping_of(item) for item in records if _is_info(item)]
    parts: dict[str, list[JSON]] = {}
    known = {text_of(info["id"]) for info in infos}
    for index, item in enumerate(records):
        if _is_part(item):
            owner = text_of(item.get("messageID"))
            parts.setdefault(owner, []).append(item)
            if owner not in known:
                note = f"its message {owner!r} is not among the records; kept, not shown"
                report(Defect("orphan-part", f"record {index}", note))
        elif not _is_info(item) and not _is_session(item):
            report(Defect("unknown-record", f"record {index}", "neither session, message nor part; kept, not shown"))
    return [_Said(info, _parts(parts.get(text_of(info["id"]), []))) for info in infos] or None


def _parts(parts: Sequence[JSON]) -> tuple[Mapping[str, JSON], ...]:
    return tuple(part for part in parts if isinstance(part, Mapping))


def _in_force(said: Sequence[_Said]) -> tuple[str | None, str | None]:
    """Provider and model of the newest message that names them."""
    for message in reversed(said):
        holder = message.info if message.info.get("providerID") else mapping_of(message.info.get("model"))
        provider, model = string_of(holder.get("providerID")), string_of(holder.get("modelID"))
        if provider is not None:
            return provider, model
    return None, None


def _boundary(said: Sequence[_Said], report: Report) -> tuple[int, int]:
    """(index of the first message of the view, index of the first one that no summary replaces)."""
    done = {
        text_of(m.info.get("parentID"))
        for m in said
        if m.info.get("role") == "assistant" and _is_summary(m) and m.info.get("finish") and not m.info.get("error")
    }
    for index in reversed(range(len(said))):
        message = said[index]
        compaction = message.has("compaction") if message.info.get("role") == "user" else None
        if compaction is None or message.id not in done:
            continue
        tail = string_of(compaction.get("tail_start_id"))
        if tail is None:
            return index, index
        start = next((i for i in range(index + 1) if said[i].id == tail), None)
        if start is None:
            report(
                Defect("missing-tail", message.where, f"its tail begins at {tail!r}, which is not here; all is shown")
            )
            return 0, 0
        return start, start
    return 0, 0


def _is_summary(message: _Said) -> bool:
    """The agent's summary of a compaction; as an object the field counts changed files."""
    return message.info.get("summary") is True


# The view ----------------------------------------------------------------------------------------


class _Reader:
    def __init__(self, wire: str, report: Report, *, cleared: bool, force: tuple[str | None, str | None]) -> None:
        self.writer = Writer(wire)
        self.report = report
        self.cleared = cleared
        self.force = force

    def read(self, message: _Said, *, last: bool, summarized: bool) -> None:
        odd = sorted({str(part.get("type")) for part in message.parts} - _PART_TYPES)
        if odd:
            self.report(Defect("unknown-part", message.where, f"part(s) of type {', '.join(odd)}; kept, not shown"))
        if message.info.get("role") == "user":
            self.writer.speak([block for part in message.parts for block in _spoken(part)], summarized=summarized)
        elif _is_lost(message):
            note = "the agent's message ended in an error; the client does not send it"
            self.report(Defect("unsent-message", message.where, note))
        else:
            self._agent(message, last=last, summarized=summarized)

    def _agent(self, message: _Said, *, last: bool, summarized: bool) -> None:
        steps: list[list[Mapping[str, JSON]]] = [[]]
        for part in message.parts:
            if part.get("type") == "step-start" and steps[-1]:
                steps.append([])
            steps[-1].append(part)
        same = (string_of(message.info.get("providerID")), string_of(message.info.get("modelID"))) == self.force
        tokens = _input_tokens(message.info.get("tokens")) if len(steps) == 1 else None
        voice = FOREIGN_SUMMARY if _is_summary(message) else PLAIN
        for number, step in enumerate(steps):
            blocks: list[Block] = []
            results: list[Result] = []
            for part in step:
                blocks += self._acted(part, same)
                result = self._result(part, open_end=last and number == len(steps) - 1)
                results += [] if result is None else [result]
            model = string_of(message.info.get("modelID"))
            self.writer.act(blocks, voice=voice, summarized=summarized, input_tokens=tokens, model=model)
            self.writer.answer(results, summarized=summarized)

    def _acted(self, part: Mapping[str, JSON], same_model: bool) -> list[Block]:
        kind = part.get("type")
        if kind == "text":
            return [Text(text_of(part.get("text")))]
        if kind == "reasoning":
            return [Thought(text_of(part.get("text")), _signature(part) if same_model else "")]
        if kind == "tool" and string_of(part.get("callID")) and string_of(part.get("tool")):
            return [Call(part["callID"], part["tool"], mapping_of(part.get("state")).get("input", {}))]
        return []

    def _result(self, part: Mapping[str, JSON], *, open_end: bool) -> Result | None:
        """What answers a tool part's call; None while it may still be answered, or for another part."""
        call_id = string_of(part.get("callID")) if part.get("type") == "tool" else None
        if call_id is None or string_of(part.get("tool")) is None:
            return None
        state = mapping_of(part.get("state"))
        status = string_of(state.get("status"))
        if status in _ENDED:
            if self.cleared and mapping_of(state.get("time")).get("compacted"):
                return Result(call_id, _CLEARED, failed=False, voice=Voice(marks=frozenset({Mark.cleared})))
            marks = frozenset({Mark.answer} if part["tool"] in _QUESTIONS else ())
            pictures = tuple(p for a in records_of(state.get("attachments")) for p in _picture(mapping_of(a)))
            code = mapping_of(state.get("metadata")).get("exit")
            failed = is_whole(code) and code != 0
            output = text_of(state.get("output"))
            return Result(call_id, output, failed, pictures, Voice(marks=marks), flagged=False)
        if status == "error":
            metadata = mapping_of(state.get("metadata"))
            kept = string_of(metadata.get("output")) if metadata.get("interrupted") is True else None
            error = text_of(state.get("error"))
            marks = frozenset({Mark.rejection} if error.startswith(_REFUSED) else ())
            return Result(call_id, kept or error, failed=kept is None, voice=Voice(marks=marks))
        return None if open_end else Result(call_id, _INTERRUPTED, failed=True)


def _spoken(part: Mapping[str, JSON]) -> list[Block]:
    """What a part of a person-role message is sent as."""
    kind = part.get("type")
    if kind == "text" and part.get("ignored") is not True:
        return [Text(text_of(part.get("text")), HARNESS if part.get("synthetic") is True else PLAIN)]
    if kind == "file":
        return list(_picture(part))
    if kind == "compaction":
        return [Text(_ASKED_FOR_SUMMARY, HARNESS)]
    if kind == "subtask":
        return [Text(_RAN_BY_USER, HARNESS)]
    return []


def _picture(part: Mapping[str, JSON]) -> list[Picture]:
    mime, url = text_of(part.get("mime")), text_of(part.get("url"))
    if not url or mime in _TEXT_FILES:
        return []
    if url.startswith("data:") and "," in url:
        return [Picture(mime, data=url.partition(",")[2])]
    return [Picture(mime, url=url)]


def _signature(part: Mapping[str, JSON]) -> str:
    """The signature that a provider's library left in the metadata of a reasoning part."""
    for held in mapping_of(part.get("metadata")).values():
        signature = string_of(mapping_of(held).get("signature"))
        if signature is not None:
            return signature
    return ""


def _is_lost(message: _Said) -> bool:
    """A message that ended in an error; one that was aborted counts as far as it got."""
    error = message.info.get("error")
    if not error:
        return False
    aborted = mapping_of(error).get("name") == "MessageAbortedError"
    return not (aborted and any(part.get("type") not in ("step-start", "reasoning") for part in message.parts))


def _input_tokens(tokens: JSON) -> int | None:
    cache = mapping_of(mapping_of(tokens).get("cache"))
    counts = [mapping_of(tokens).get("input"), cache.get("read"), cache.get("write")]
    return sum(count for count in counts if is_whole(count) and count > 0) or None


OPENCODE = OpenCode()
