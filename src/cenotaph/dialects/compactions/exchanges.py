"""Logs of requests: what a model was sent, call by call, and what it answered where the log says so.

Read are: a list of requests or of message lists, the oldest first; `{"request": ..., "response": ...}` objects in
a list; a logged request with its `response` beside the messages; a recording of HTTP with `interactions`, as
VCR writes it once its YAML is read. A request that names the response before it (`previous_response_id`) is
joined to what that one was sent and answered.

One log may hold several conversations: an agent's, its helpers', a title that was asked for. A request belongs
to a conversation of which it repeats something, or whose session it names. The history is that of the largest
one; how many requests belong to others is said as a defect.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cenotaph.core.audit.model import Chronicle, Mechanism
from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Message, Provenance, Transcript, Usage
from cenotaph.dialects.compactions import anthropic, openai, pydantic_ai
from cenotaph.dialects.compactions.chain import Chain, reading, unmarked
from cenotaph.dialects.compactions.inline import Form, follow, viewed
from cenotaph.dialects.compactions.moments import iso_of
from cenotaph.dialects.compactions.streams import streamed
from cenotaph.dialects.content import string_of
from cenotaph.dialects.detect import Dialect, by_name, detect
from cenotaph.dialects.envelope import input_tokens_of
from cenotaph.dialects.session_input import mapping_of, records_of
from cenotaph.errors import DialectError, InputError

__all__ = ["chronicle", "is_log"]

_LISTS: Final = ("messages", "input", "contents")
"""Where a request holds its messages."""
_FORMS: Final[Mapping[str, Form]] = {form.wire: form for form in (anthropic.FORM, openai.FORM, pydantic_ai.FORM)}
_MECHANISMS: Final[Mapping[str, Mechanism]] = {"langchain": Mechanism.langchain_summary}
"""Whose a summary is that stands in another list of messages."""


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One call.

    Attributes:
        request: Its body; or the bare list of messages.
        response: The answer; empty if the log does not hold it.
        where: For a person.
        when: ISO time stamp; "" if the log has none.
    """

    request: JSON
    response: Mapping[str, JSON]
    where: str
    when: str = ""


@dataclass(slots=True)
class _Read:
    """One call, read.

    Attributes:
        call: As logged.
        dialect: Whose.
        transcript: What was sent, as it stands in the log.
    """

    call: _Exchange
    dialect: Dialect
    transcript: Transcript


@dataclass(slots=True)
class _Conversation:
    """Calls that belong together.

    Attributes:
        calls: In order.
        said: What was said in them, by what a model reads of it.
        sessions: Sessions and responses that they name.
    """

    calls: list[_Read] = field(default_factory=list)
    said: set[Hashable] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)


def is_log(value: JSON) -> bool:
    """Whether a decoded value is a log of requests; one request without its answer is none."""
    if isinstance(value, Mapping):
        return isinstance(value.get("interactions"), list) or (_is_request(value) and _is_answered(value))
    items = records_of(value)
    return bool(items) and all(_is_request(item) or _is_call(item) or _is_list(item) for item in items)


def chronicle(value: JSON, dialect: str | None = None) -> Chronicle:
    """The largest conversation of a log, with what was compacted or edited in it.

    Args:
        value: As for `is_log`.
        dialect: Name of the format of its requests; None detects it, call by call.

    Raises:
        InputError: Nothing in it was understood.
        DialectError: No request in it is in a known format.
    """
    read, defects = _read_all(_exchanges(value), dialect)
    conversations = _conversations(read)
    main = max(conversations, key=lambda one: sum(len(call.transcript.messages) for call in one.calls))
    others = len(read) - len(main.calls)
    if others:
        note = f"{others} request(s) of {len(conversations) - 1} other conversation(s); not audited here"
        defects.append(Defect("other-conversation", "the log", note))
    chain = Chain()
    _replay(chain, main.calls)
    newest = main.calls[-1].transcript
    return chain.chronicle(
        newest.dialect,
        newest.wire,
        session=newest.session,
        defects=(*defects, *newest.defects),
        records=len(main.calls),
    )


# The log -----------------------------------------------------------------------------------------


def _is_request(item: JSON) -> bool:
    """A body with a list of messages; a message of its own has a role, a session's export its facts beside it."""
    body = mapping_of(item)
    held = any(isinstance(body.get(key), list | tuple) for key in _LISTS) or isinstance(body.get("input"), str)
    return held and not body.keys() & {"role", "info", "sessionId", "type", "kind"}


def _is_answered(body: Mapping[str, JSON]) -> bool:
    return isinstance(body.get("response"), Mapping)


def _is_call(item: JSON) -> bool:
    return _is_request(mapping_of(item).get("request"))


def _is_list(item: JSON) -> bool:
    return bool(records_of(item)) and all(isinstance(message, Mapping) for message in records_of(item))


def _exchanges(value: JSON) -> list[_Exchange]:
    held = mapping_of(value).get("interactions")
    if isinstance(held, list):
        return [call for number, item in enumerate(held, 1) if (call := _recorded(mapping_of(item), number))]
    items = [value] if isinstance(value, Mapping) else records_of(value)
    return [_logged(item, f"request {number}") for number, item in enumerate(items, 1)]


def _logged(item: JSON, where: str) -> _Exchange:
    if _is_call(item):
        when = iso_of(item.get("timestamp") or item.get("created_at"))
        return _Exchange(item["request"], mapping_of(_body(item.get("response"))), where, when)
    return _Exchange(item, mapping_of(mapping_of(item).get("response")), where)


def _recorded(interaction: Mapping[str, JSON], number: int) -> _Exchange | None:
    """One recorded exchange; None where its request is no call of a model."""
    request = _body(interaction.get("request"))
    if not _is_request(request):
        return None
    return _Exchange(request, mapping_of(_body(interaction.get("response"))), f"interaction {number}")


def _body(held: JSON) -> JSON:
    """The JSON of a recorded request or response; None where it is none."""
    recorded = mapping_of(held)
    if not recorded.keys() & {"parsed_body", "body"}:
        return held
    body = recorded.get("parsed_body") or recorded.get("body")
    if isinstance(body, Mapping) and "string" in body:
        body = body["string"]
    if not isinstance(body, str | bytes):
        return body
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return streamed(body if isinstance(body, str) else body.decode("utf-8", "replace"))


def _read_all(calls: Sequence[_Exchange], dialect: str | None) -> tuple[list[_Read], list[Defect]]:
    read: list[_Read] = []
    defects: list[Defect] = []
    error: DialectError | InputError | None = None
    for call in calls:
        try:
            chosen = by_name(dialect) if dialect is not None else detect(call.request)
            read.append(_Read(call, chosen, chosen.parse(call.request)))
        except (DialectError, InputError) as refused:
            error = error or refused
            defects.append(Defect("unknown-request", call.where, "in no format that is known; passed over"))
    if not read:
        raise error or InputError("The log holds no request to a model.", next_step="Check that it is the right file.")
    return read, defects


def _conversations(read: Sequence[_Read]) -> list[_Conversation]:
    found: list[_Conversation] = []
    for one in read:
        said = {reading(m) for m in unmarked(one.transcript.messages) if not _is_systems(m)}
        named = {str(one.transcript.session)} if one.transcript.session else set()
        previous = string_of(mapping_of(one.call.request).get("previous_response_id"))
        named |= {previous} if previous else set()
        home = next((c for c in reversed(found) if c.said & said or c.sessions & named), None)
        if home is None:
            home = _Conversation()
            found.append(home)
        home.calls.append(one)
        home.said |= said
        answered = string_of(one.call.response.get("id"))
        home.sessions |= named | ({answered} if answered else set())
    return found


def _is_systems(message: Message) -> bool:
    return all(part.provenance in (Provenance.system, Provenance.developer) for part in message.parts)


# The conversation --------------------------------------------------------------------------------


def _replay(chain: Chain, calls: Sequence[_Read]) -> None:
    """Takes each call into the history: what was sent, what the server says of it, what was answered."""
    known: dict[str, list[JSON]] = {}  # response id -> what was sent for it, and itself
    cleared = 0
    for one in calls:
        form = _FORMS.get(one.transcript.wire)
        request, response = mapping_of(one.call.request), one.call.response
        facts: dict[str, Any] = {"where": one.call.where, "when": one.call.when}
        previous = string_of(request.get("previous_response_id"))
        before = known.get(previous, []) if previous else []
        sent = [*before, *(message.raw for message in one.transcript.messages)]
        whole = previous is None or previous in known
        read = _read(one, sent) if before else one.transcript.messages
        usage = [replace(u, message=u.message + len(before)) for u in one.transcript.usage if u.message < len(sent)]
        wire: dict[str, Any] = {}
        if form is None:
            wire = {
                "wire": one.transcript.wire,
                "mechanism": _MECHANISMS.get(one.dialect.name, Mechanism.prefix_change),
            }
        follow(chain, form, viewed(form, read, usage), complete=whole, **facts, **wire)
        if one.transcript.wire == anthropic.FORM.wire:
            cleared = anthropic.clear(chain, request, response, cleared, **facts)
        answer = _answer(one.transcript.wire, response)
        if response.get("object") == "response.compaction":
            _compacted(chain, one, answer, whole, facts)
            sent = answer
        elif answer:
            counted = input_tokens_of(response.get("usage"))
            model = string_of(response.get("model"))
            usage = [] if counted is None else [Usage(len(sent), counted, model)]
            sent = [*sent, *answer]
            told = viewed(form, _read(one, sent), usage)
            follow(chain, form, told, complete=whole, **facts, **wire, **anthropic.facts_of(response))
        answered = string_of(response.get("id"))
        if answered is not None:
            known[answered] = sent


def _compacted(chain: Chain, one: _Read, answer: Sequence[JSON], whole: bool, facts: Mapping[str, Any]) -> None:
    """An answer of `/responses/compact`: it stands for all that was sent."""
    chain.compact(
        Mechanism.openai_compaction,
        unmarked(_read(one, answer)),
        opaque=True,
        complete=whole,
        tokens_before=input_tokens_of(one.call.response.get("usage")),
        wire=one.transcript.wire,
        **facts,
    )


def _read(one: _Read, raws: Sequence[JSON]) -> tuple[Message, ...]:
    """Messages in the format of a call."""
    form = _FORMS.get(one.transcript.wire)
    return form.read(raws) if form is not None else one.dialect.parse(list(raws)).messages


def _answer(wire: str, response: Mapping[str, JSON]) -> list[JSON]:
    """The messages that a response adds to the conversation; none where it holds none."""
    if wire == "anthropic" and isinstance(response.get("content"), list):
        return [{"role": "assistant", "content": response["content"]}]
    if wire == "openai-responses":
        return list(records_of(response.get("output")))
    if wire == "openai-chat":
        return [m for choice in records_of(response.get("choices"))[:1] if (m := mapping_of(choice).get("message"))]
    if wire == "gemini":
        return [c for one in records_of(response.get("candidates"))[:1] if (c := mapping_of(one).get("content"))]
    message = mapping_of(response.get("output")).get("message")
    return [message] if wire == "bedrock-converse" and isinstance(message, Mapping) else []
