"""The gemini-cli dialect: session files of the Gemini CLI, read as what the model would be sent next.

A session is a JSON document (`session-*.json`) or, from 0.40 on, a log of JSON lines: a header, message
records, `{"$set": ...}` and `{"$rewindTo": id}`. `parse` gives contents in Gemini form; `emit` gives back
exactly what came in. The file itself is never edited.

How the log is read, as the client itself reads it when it resumes a session (its chatRecordingService and
sessionUtils): a record replaces the earlier one of its id, in that one's place; `$set` with `messages`
replaces all messages (a compression, an aborted turn), any other `$set` only tells about the session;
`$rewindTo` takes the message of that id and all after it away, and all messages if no message has the id.

What is not sent, and so is not in the view: `info`, `warning` and `error` records, what the person typed
to the client itself (one of its commands: `/chat save x`, `?`), and thoughts: the file holds headlines of
them, which are never sent again. A call and its result stand in one record; in the view they are two contents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cenotaph.core.ids import JSON, canonical_json
from cenotaph.core.model import Defect, Kind, Mark, Message, Part, Provenance, Transcript, Usage
from cenotaph.dialects.content import string_of
from cenotaph.dialects.envelope import MESSAGES_KEY, depth_within, describe
from cenotaph.dialects.gemini import GEMINI, read_contents
from cenotaph.dialects.gemini_fields import calls_in, responses_in
from cenotaph.errors import DialectError, InputError
from cenotaph.limits import json_depth_max

__all__ = ["GEMINI_CLI", "GeminiCli"]

Report = Callable[[Defect], None]

_HEADER_KEYS = frozenset({"sessionId", "projectHash"})
_AGENT_TYPES = frozenset({"gemini", "model"})
_SILENT_TYPES = frozenset({"info", "warning", "error"})
_COMMAND = re.compile(r"/([a-z][a-z-]*)(?:\s|\Z)|\?\Z")
_COMMANDS = frozenset(
    {
        "about",
        "agents",
        "auth",
        "background",
        "bashes",
        "bg",
        "bug",
        "chat",
        "clear",
        "commands",
        "compact",
        "compress",
        "copy",
        "corgi",
        "debug",
        "dir",
        "directory",
        "docs",
        "editor",
        "exit",
        "export-logs",
        "extensions",
        "footer",
        "help",
        "hooks",
        "ide",
        "init",
        "mcp",
        "memory",
        "model",
        "oncall",
        "permissions",
        "plan",
        "policies",
        "privacy",
        "profile",
        "quit",
        "restore",
        "resume",
        "rewind",
        "settings",
        "setup-github",
        "shells",
        "shortcuts",
        "skills",
        "stats",
        "summarize",
        "tasks",
        "terminal-setup",
        "theme",
        "tools",
        "upgrade",
        "usage",
        "vim",
    }
)
"""The client's own commands and their other names (gemini-cli, BuiltinCommandLoader); any other word after a slash
begins what a person says, like the path of a file."""
_SNAPSHOT_OPENING, _SNAPSHOT_CLOSING = "<state_snapshot>", "</state_snapshot>"


class GeminiCli:
    """Session files of the Gemini CLI; the view is in Gemini form.

    Attributes:
        name: Name of the dialect.
        wire: Wire format of the view's messages.
    """

    name = "gemini-cli"
    wire = GEMINI.name

    def recognise(self, value: JSON) -> bool:
        """The value is a session of this client, by the structure of its records.

        Args:
            value: The document, or the list of decoded records of a log. Anything else is not.
        """
        if isinstance(value, Mapping):
            return _is_header(value) and isinstance(value.get(MESSAGES_KEY), list)
        if not isinstance(value, list | tuple) or not value or not _is_header(value[0]):
            return False
        return all(isinstance(record, Mapping) for record in value)

    def parse(self, value: JSON) -> Transcript:
        """The contents that the model would be sent next.

        Args:
            value: As for `recognise`. Never changed.

        Returns:
            The transcript; its `defects` name everything that was odd and survived.

        Raises:
            InputError: Nothing was understood.
            DialectError: The value has another shape, or is nested too deep to walk.
        """
        if not self.recognise(value):
            raise DialectError(
                f"gemini-cli cannot read {describe(value)}.",
                next_step="Give a session document, or the list of records of a session log.",
                dialect=self.name,
                seen=describe(value),
            )
        if not depth_within(value, json_depth_max):
            raise DialectError(
                f"gemini-cli refuses JSON that is nested deeper than {json_depth_max} levels.",
                next_step="No client writes such data; check where the file comes from.",
                dialect=self.name,
                depth_max=json_depth_max,
            )
        defects: list[Defect] = []
        log = _replayed(value, defects.append)
        view = _View(defects.append, _answered_elsewhere(log.messages.values()))
        for record in log.messages.values():
            view.add(record, in_checkpoint=_id_of(record) in log.checkpoint)
        if not view.contents:
            raise _nothing_understood(log)
        messages, odd = read_contents(view.contents)
        return Transcript(
            dialect=self.name,
            wire=self.wire,
            messages=tuple(view.marked(messages)),
            model=view.model,
            session=string_of(log.about.get("sessionId")),
            usage=tuple(view.usage),
            defects=(*defects, *odd),
            source=value,
        )

    def emit(self, transcript: Transcript) -> JSON:
        """Exactly what came in.

        Args:
            transcript: Made by `parse`.
        """
        return transcript.source


# The log -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Log:
    """What a session holds after its whole log was read.

    Attributes:
        about: What it says about the session.
        messages: Records by id, in the order in which their ids first came.
        checkpoint: Ids that came in with the last `$set` of all messages.
    """

    about: dict[str, JSON] = field(default_factory=dict)
    messages: dict[str, Mapping[str, JSON]] = field(default_factory=dict)
    checkpoint: frozenset[str] = frozenset()


def _id_of(record: Mapping[str, JSON]) -> str | None:
    return string_of(record.get("id"))


def _is_header(record: JSON) -> bool:
    return isinstance(record, Mapping) and record.keys() >= _HEADER_KEYS and "type" not in record


def _replayed(value: JSON, report: Report) -> _Log:
    log = _Log()
    if isinstance(value, Mapping):
        _take_header(log, value, "the document", report)
        return log
    for number, record in enumerate(value, 1):
        where = f"record {number}"
        if isinstance(record.get("$rewindTo"), str):
            _rewind(log, record["$rewindTo"])
        elif isinstance(record.get("$set"), Mapping):
            _set(log, record["$set"], where, report)
        elif _is_header(record):
            _take_header(log, record, where, report)
        elif _id_of(record) is not None and isinstance(record.get("type"), str):
            log.messages[str(record["id"])] = record
        else:
            keys = ", ".join(sorted(map(str, record))[:8])
            report(Defect("unknown-record", where, f"a record with keys {keys}; kept in the file, not in the view"))
    return log


def _take_header(log: _Log, header: Mapping[str, JSON], where: str, report: Report) -> None:
    log.about.update({key: value for key, value in header.items() if key != MESSAGES_KEY})
    if isinstance(header.get(MESSAGES_KEY), list):
        _take_messages(log, header[MESSAGES_KEY], where, report)


def _take_messages(log: _Log, records: list[JSON], where: str, report: Report) -> None:
    for index, record in enumerate(records):
        if isinstance(record, Mapping) and isinstance(record.get("type"), str):
            log.messages[_id_of(record) or f"#{where}.{index}"] = record
        else:
            report(Defect("unknown-record", f"{where}, message {index}", "no message record; not in the view"))


def _set(log: _Log, told: Mapping[str, JSON], where: str, report: Report) -> None:
    log.about.update({key: value for key, value in told.items() if key != MESSAGES_KEY})
    if isinstance(told.get(MESSAGES_KEY), list):
        log.messages.clear()
        _take_messages(log, told[MESSAGES_KEY], where, report)
        log.checkpoint = frozenset(log.messages)


def _rewind(log: _Log, target: str) -> None:
    if target not in log.messages:
        log.messages.clear()
    while target in log.messages:
        log.messages.popitem()


# The view ------------------------------------------------------------------------------------


def _parts_in(content: JSON) -> list[JSON]:
    """A record's content as parts: a text, a part, or a list of either."""
    if isinstance(content, str):
        return [{"text": content}] if content else []
    if isinstance(content, list):
        return [{"text": item} if isinstance(item, str) else item for item in content]
    return [content] if isinstance(content, Mapping) else []


def _text_in(parts: list[JSON]) -> str:
    return "".join(part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))


def _content_of(record: Mapping[str, JSON]) -> list[JSON]:
    return _parts_in(record.get("content")) or _parts_in(record.get("parts"))


def _calls_of(record: Mapping[str, JSON]) -> list[Mapping[str, JSON]]:
    calls = record.get("toolCalls")
    return [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []


def _answered_elsewhere(records: Iterable[Mapping[str, JSON]]) -> frozenset[str]:
    """Ids of calls whose responses stand in a user record of their own: not to be written twice."""
    answers = (answer for record in records for answer in responses_in({"parts": _content_of(record)}))
    return frozenset(str(answer["id"]) for answer in answers if string_of(answer.get("id")))


class _View:
    """Contents, record by record, and what the client's own fields say of their parts."""

    def __init__(self, report: Report, answered: frozenset[str]) -> None:
        self.report = report
        self.answered = answered
        self.contents: list[JSON] = []
        self.usage: list[Usage] = []
        self.model: str | None = None
        self._states: dict[int, list[JSON]] = {}
        self._snapshots: set[int] = set()
        self._goes_on = False

    def add(self, record: Mapping[str, JSON], *, in_checkpoint: bool) -> None:
        """Appends what the model is sent of a record: nothing, one content, or a call's and its result's."""
        kind = record.get("type")
        if kind == "user":
            self._add_user(record, in_checkpoint)
        elif kind in _AGENT_TYPES:
            self._add_agent(record)
        elif kind not in _SILENT_TYPES:
            self.report(Defect("unknown-record", _where(record), f"a record of type {kind!r}; not in the view"))

    def _add_user(self, record: Mapping[str, JSON], in_checkpoint: bool) -> None:
        parts = _content_of(record)
        text = _text_in(parts).strip()
        if _is_command(text):
            self.report(Defect("client-command", _where(record), "typed to the client itself; not in the view"))
            return
        if in_checkpoint and text.startswith(_SNAPSHOT_OPENING) and text.endswith(_SNAPSHOT_CLOSING):
            self._snapshots.add(len(self.contents))
        self._append("user", parts)

    def _add_agent(self, record: Mapping[str, JSON]) -> None:
        self.model = string_of(record.get("model")) or self.model
        calls = _calls_of(record)
        parts = _content_of(record)
        parts += [{"functionCall": _function_call(call)} for call in _not_in(parts, calls)]
        tokens = record.get("tokens")
        counted = tokens.get("input") if isinstance(tokens, Mapping) else None
        before = len(self.contents)
        self._append("model", parts)
        if len(self.contents) > before and isinstance(counted, int) and not isinstance(counted, bool) and counted > 0:
            self.usage.append(Usage(before, counted, string_of(record.get("model"))))
        results = [(part, call.get("status")) for call in calls for part in self._results(call)]
        if results:
            self._states[len(self.contents)] = [state for _, state in results]
        self._append("user", [part for part, _ in results])

    def _results(self, call: Mapping[str, JSON]) -> list[JSON]:
        call_id, result = string_of(call.get("id")), call.get("result")
        if call_id in self.answered:
            return []
        if isinstance(result, str):
            return [{"functionResponse": {**_named(call), "response": {"output": result}}}] if result else []
        return _parts_in(result)

    def _append(self, role: str, parts: list[JSON]) -> None:
        """Appends a content; what the model said in two records without a call between them is one turn."""
        if not parts:
            return
        if self._goes_on and role == "model":
            self.contents[-1]["parts"].extend(parts)  # a list of ours
        else:
            self.contents.append({"role": role, "parts": parts})
        self._goes_on = role == "model" and not calls_in({"parts": parts})

    def marked(self, messages: Iterable[Message]) -> Iterator[Message]:
        """The messages of the contents, with what only the session's own fields say of their parts."""
        for index, message in enumerate(messages):
            if index in self._snapshots:
                yield replace(message, parts=tuple(map(_as_snapshot, message.parts)))
            elif index in self._states:
                states = self._states[index]
                yield replace(message, parts=tuple(map(_with_state, message.parts, states)))
            else:
                yield message


def _is_command(text: str) -> bool:
    """Typed to the client itself: it is of its own list, and alone in its first word."""
    typed = _COMMAND.match(text)
    return typed is not None and (typed[1] is None or typed[1] in _COMMANDS)


def _where(record: Mapping[str, JSON]) -> str:
    return f"message {_id_of(record) or '(no id)'}"


def _named(call: Mapping[str, JSON]) -> dict[str, JSON]:
    return {key: call[key] for key in ("id", "name") if string_of(call.get(key)) is not None}


def _function_call(call: Mapping[str, JSON]) -> JSON:
    return {**_named(call), **({"args": call["args"]} if "args" in call else {})}


def _not_in(parts: list[JSON], calls: list[Mapping[str, JSON]]) -> list[Mapping[str, JSON]]:
    """The calls that the content does not hold already, by id, else by name and arguments."""
    held = calls_in({"parts": parts})
    ids = {call["id"] for call in held if string_of(call.get("id")) is not None}
    nameless = {_asked(call) for call in held if string_of(call.get("id")) is None}
    return [call for call in calls if string_of(call.get("id")) not in ids and _asked(call) not in nameless]


def _asked(call: Mapping[str, JSON]) -> bytes:
    """What a call asks for, whatever its id."""
    return canonical_json([call.get("name"), call.get("args")])


def _with_state(part: Part, state: JSON) -> Part:
    """A result as its record's status has it; a cancelled call is a person's refusal of it."""
    if part.kind is not Kind.result or state not in ("success", "error", "cancelled"):
        return part
    marks = part.marks | {Mark.rejection} if state == "cancelled" else part.marks
    return replace(part, failed=state != "success", marks=marks)


def _as_snapshot(part: Part) -> Part:
    """The summary that a compression of this client leaves in a person's role."""
    if part.kind is not Kind.text:
        return part
    return replace(part, provenance=Provenance.foreign, marks=part.marks | {Mark.summary})


def _nothing_understood(log: _Log) -> InputError:
    kinds = sorted({str(record.get("type")) for record in log.messages.values()})
    held = f"{len(log.messages)} message(s) of type {', '.join(kinds)}" if kinds else "no message"
    return InputError(
        f"The session holds {held}, but none that a model would be sent; a user or gemini message with content "
        "was expected.",
        next_step="Check that this is the session's own file.",
        messages=len(log.messages),
        types=kinds,
    )


GEMINI_CLI = GeminiCli()
