"""What Pydantic AI and the providers behind it refuse: one function per rule, each with its source.

The client itself repairs a broken history before it sends it: it drops a result without a call and
makes up a result for a call without one, which tells the model something that nobody measured. So
both count as breaches here. The end of the list is treated as the present: calls of the last
response are open, which is no breach until another response follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects.content import string_of
from cenotaph.dialects.pydantic_ai_parts import CACHE_POINT, REQUEST_PARTS, RESPONSE_PARTS, is_result
from cenotaph.dialects.rule_text import Check, asked, found_by, messages_in

Rule = Callable[[Sequence[JSON]], list[Breach]]


def _kind_of(message: JSON) -> str | None:
    return string_of(message.get("kind")) if isinstance(message, Mapping) else None


def _parts_of(message: JSON) -> list[Mapping[str, JSON]]:
    parts = message.get("parts") if isinstance(message, Mapping) else None
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []


def _of_kind(message: JSON, *kinds: str) -> list[Mapping[str, JSON]]:
    return [part for part in _parts_of(message) if part.get("part_kind") in kinds]


def _calls(message: JSON) -> list[str]:
    if _kind_of(message) != "response":
        return []
    return [str(part.get("tool_call_id")) for part in _of_kind(message, "tool-call")]


def _results(message: JSON) -> list[str]:
    if _kind_of(message) != "request":
        return []
    return [str(part.get("tool_call_id")) for part in _parts_of(message) if is_result(part)]


def _rounds(messages: Sequence[JSON]) -> Iterator[tuple[int, list[str], list[tuple[int, str]], bool]]:
    """(index of a response, its calls, results before the next response, whether one follows)."""
    calls: list[str] = []
    results: list[tuple[int, str]] = []
    at = -1
    for index, message in enumerate(messages):
        if _kind_of(message) == "response":
            yield at, calls, results, True
            at, calls, results = index, _calls(message), []
        results.extend((index, call_id) for call_id in _results(message))
    yield at, calls, results, False


def calls_answered(messages: Sequence[JSON]) -> list[Breach]:
    """P1: each call of a response has a result of its id before the next response.

    Source: `_repair_dangling_tool_calls` of pydantic_ai/messages.py ("Providers reject histories with
    dangling tool calls"); the error text "Cannot provide a new user prompt when the message history
    contains unprocessed tool calls".
    """
    found: list[Breach] = []
    for at, calls, results, followed in _rounds(messages):
        answered = {call_id for _, call_id in results}
        for call_id in calls:
            if followed and call_id not in answered:
                found.append(Breach("P1", at, f"call {call_id!r} has no result before the next response"))
    return found


def results_have_calls(messages: Sequence[JSON]) -> list[Breach]:
    """P2: a result answers, once, a call of the newest response before it.

    Source: `_drop_orphaned_tool_results` of pydantic_ai/messages.py ("Providers reject a tool result
    without a matching tool call").
    """
    found: list[Breach] = []
    for _, calls, results, _ in _rounds(messages):
        waiting = Counter(calls)
        for index, call_id in results:
            if waiting[call_id] > 0:
                waiting[call_id] -= 1
            else:
                found.append(Breach("P2", index, f"result {call_id!r} answers no open call of the response before it"))
    return found


def call_ids_unique(messages: Sequence[JSON]) -> list[Breach]:
    """P-unique-id: an id names one call of a response.

    Source: the providers' rule (A-unique-id, O-unique-id); the client hands ids on as they are.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        found.extend(
            Breach("P-unique-id", index, f"call id {call_id!r} is used {count} times")
            for call_id, count in Counter(_calls(message)).items()
            if count > 1
        )
    return found


def native_results_have_calls(messages: Sequence[JSON]) -> list[Breach]:
    """P-native: a `builtin-tool-return` stands after the `builtin-tool-call` of its id.

    A result may come in a later response than its call.
    Source: rule A3 for calls that the provider runs; `_clean_message_history` leaves both as they are.
    """
    found: list[Breach] = []
    called: set[str] = set()
    for index, message in enumerate(messages):
        for part in _of_kind(message, "builtin-tool-call", "builtin-tool-return"):
            call_id = str(part.get("tool_call_id"))
            if part["part_kind"] == "builtin-tool-call":
                called.add(call_id)
            elif call_id not in called:
                found.append(Breach("P-native", index, f"result {call_id!r} of a provider's tool has no call"))
    return found


def messages_known(messages: Sequence[JSON]) -> list[Breach]:
    """P-kind: a message is an object with `parts` and the kind `request` or `response`.

    Source: `ModelMessagesTypeAdapter`, which refuses every other value.
    """
    return [
        Breach("P-kind", index, f"kind {_kind_of(message)!r}, or parts that are no list")
        for index, message in enumerate(messages)
        if _kind_of(message) not in ("request", "response") or not isinstance(message.get("parts"), list)
    ]


_PARTS = {"request": REQUEST_PARTS, "response": RESPONSE_PARTS}


def parts_known(messages: Sequence[JSON]) -> list[Breach]:
    """P-part: each part is of a kind that its message may hold.

    Source: the tagged unions `ModelRequestPart` and `ModelResponsePart` of pydantic_ai/messages.py.
    """
    return [
        Breach("P-part", index, f"a part of kind {kind!r} in a {_kind_of(message)}")
        for index, message in enumerate(messages)
        if (known := _PARTS.get(str(_kind_of(message)))) is not None
        for kind in _kinds_in(message)
        if not isinstance(kind, str) or kind not in known
    ]


def _kinds_in(message: Mapping[str, JSON]) -> list[JSON]:
    """The kind of each part, None for a part that is no object."""
    parts = message.get("parts")
    listed = parts if isinstance(parts, list) else []
    return [part.get("part_kind") if isinstance(part, Mapping) else None for part in listed]


_STRINGS: Mapping[str, tuple[str, ...]] = {
    "system-prompt": ("content",),
    "text": ("content",),
    "thinking": ("content",),
    "tool-call": ("tool_name",),
    "builtin-tool-call": ("tool_name",),
    "tool-return": ("tool_name",),
    "builtin-tool-return": ("tool_name",),
}
"""Fields that must be strings, by kind of part."""


def parts_well_formed(messages: Sequence[JSON]) -> list[Breach]:
    """P-shape: a part has the fields of its kind: texts, a tool's name, arguments, a prompt's content.

    Source: the dataclasses of pydantic_ai/messages.py.
    """
    return [
        Breach("P-shape", index, f"a {part.get('part_kind')} part whose {field} is missing or of a wrong type")
        for index, message in enumerate(messages)
        for part in _parts_of(message)
        for field in _torn_fields(part)
    ]


def _torn_fields(part: Mapping[str, JSON]) -> Iterator[str]:
    kind = str(part.get("part_kind"))
    for field in _STRINGS.get(kind, ()):
        if not isinstance(part.get(field), str):
            yield field
    if kind in ("tool-call", "builtin-tool-call") and not isinstance(part.get("args"), str | Mapping | None):
        yield "args"
    if kind in ("tool-return", "builtin-tool-return") and "content" not in part:
        yield "content"
    if kind == "user-prompt" and not isinstance(part.get("content"), str | list):
        yield "content"


def cache_points_follow(messages: Sequence[JSON]) -> list[Breach]:
    """P-cache-point: a cache point stands after something that can be cached.

    Source: the client's error texts "CachePoint cannot be the first content in a user message" and
    "CachePoint cannot be preceded by another CachePoint" (pydantic_ai/models/bedrock.py).
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        for part in _of_kind(message, "user-prompt"):
            content = part.get("content")
            marks = [is_cache_point(item) for item in content] if isinstance(content, list) else []
            if any(mark and (at == 0 or marks[at - 1]) for at, mark in enumerate(marks)):
                found.append(Breach("P-cache-point", index, "a cache point with nothing before it"))
    return found


def is_cache_point(item: JSON) -> bool:
    return isinstance(item, Mapping) and item.get("kind") == CACHE_POINT


RULES: tuple[Rule, ...] = (
    calls_answered,
    results_have_calls,
    call_ids_unique,
    native_results_have_calls,
    messages_known,
    parts_known,
    parts_well_formed,
    cache_points_follow,
)
"""Every rule that the messages alone can break."""


def checks(
    messages: Sequence[JSON], body: Mapping[str, JSON] | None = None, *, tools: bool | None = None
) -> Iterator[Check]:
    """Asks every rule in order; the client makes the request of the messages alone."""
    return asked(RULES, messages)


def breaches(messages: Sequence[JSON]) -> list[Breach]:
    """Every rule that the messages break, rule by rule."""
    return found_by(checks(messages))


def request_breaches(body: Mapping[str, JSON]) -> list[Breach]:
    """Every rule that a whole request body breaks."""
    messages = messages_in(body, "messages")
    if messages is None:
        return [Breach("P-kind", -1, "the body has no list of messages")]
    return found_by(checks(messages, body))
