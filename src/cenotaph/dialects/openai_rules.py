"""Chat Completions' rules on a request: one function per rule, each with its source.

A breach is data: an input may break rules before we ever touch it. The end of the list is treated
as the present: calls that nothing follows but results of the same batch are open, which is no
breach until another message follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects.content import role_of
from cenotaph.dialects.rule_text import Check, asked, found_by, messages_in

Rule = Callable[[Sequence[JSON]], list[Breach]]

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def _call_ids(message: JSON) -> list[str]:
    calls = message.get("tool_calls") if role_of(message) == "assistant" else None
    return [str(call.get("id")) for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []


def _run_after(messages: Sequence[JSON], index: int) -> list[str]:
    """Call ids of the tool messages that follow a message without a break."""
    ids: list[str] = []
    for message in messages[index + 1 :]:
        if role_of(message) != "tool":
            break
        ids.append(str(message.get("tool_call_id")))
    return ids


def says_something(message: Mapping[str, JSON]) -> bool:
    """Whether a message holds content, a call, a refusal or audio; a result may be empty text."""
    content = message.get("content")
    if message.get("role") in ("tool", "function"):
        return content is not None
    if content:
        return True
    return any(message.get(key) for key in ("tool_calls", "function_call", "refusal", "audio"))


def calls_answered(messages: Sequence[JSON]) -> list[Breach]:
    """O1: each call of an assistant message has a tool message of its id before any other message.

    Source: error reports of a gateway (portkey 6610000, 10034), LangChain's INVALID_TOOL_RESULTS.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        ids = _call_ids(message)
        answered = _run_after(messages, index) if ids else []
        if index + len(answered) == len(messages) - 1:
            break
        found.extend(
            Breach("O1", index, f"call {call_id!r} has no tool message before the next message")
            for call_id in ids
            if call_id not in answered
        )
    return found


def results_have_calls(messages: Sequence[JSON]) -> list[Breach]:
    """O1: a tool message answers, once, a call of the assistant message that its run follows.

    Source: the API's error text "messages with role 'tool' must be a response to a preceding
    message with 'tool_calls'"; portkey 10034.
    """
    found: list[Breach] = []
    asked: list[str] = []
    for index, message in enumerate(messages):
        if role_of(message) != "tool":
            asked = _call_ids(message)
            continue
        call_id = message.get("tool_call_id")
        if call_id not in asked:
            found.append(Breach("O1", index, f"tool message {call_id!r} answers no open call before it"))
        else:
            asked.remove(call_id)
    return found


def function_results_have_calls(messages: Sequence[JSON]) -> list[Breach]:
    """O1: a legacy function message directly follows the `function_call` of its name.

    Source: as O1; the legacy form has no id, so its place and its name are all that pairs it.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        if role_of(message) != "function":
            continue
        earlier = messages[index - 1] if index else None
        call = earlier.get("function_call") if isinstance(earlier, Mapping) else None
        if not isinstance(call, Mapping) or call.get("name") != message.get("name"):
            found.append(Breach("O1", index, f"function message {message.get('name')!r} follows no such call"))
    return found


def call_ids_unique(messages: Sequence[JSON]) -> list[Breach]:
    """O-unique-id: inside one message every call has an id of its own.

    Across messages ids may repeat. Source: as O1: one tool message per `tool_call_id`.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        ids = _call_ids(message)
        found.extend(
            Breach("O-unique-id", index, f"id {call_id!r} names {ids.count(call_id)} calls of one message")
            for call_id in dict.fromkeys(ids)
            if ids.count(call_id) > 1
        )
    return found


def calls_well_formed(messages: Sequence[JSON]) -> list[Breach]:
    """O-call-shape: a call has an id, a name and its arguments as a string; calls are never `[]`.

    Source: the API's error texts "Invalid 'messages[1].tool_calls': empty array" (home-assistant
    core#118577) and "...function.name: empty string" (continuedev/continue#11645).
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        calls = message.get("tool_calls") if isinstance(message, Mapping) else None
        if calls is None:
            continue
        if role_of(message) != "assistant":
            found.append(Breach("O-call-shape", index, f"tool_calls in a message of role {role_of(message)!r}"))
        if not isinstance(calls, list) or not calls:
            found.append(Breach("O-call-shape", index, "tool_calls is not a list with a call in it"))
            continue
        found.extend(
            Breach("O-call-shape", index, f"call {at} lacks an id, a name or string arguments")
            for at, call in enumerate(calls)
            if not _well_formed(call)
        )
    return found


def _well_formed(call: JSON) -> bool:
    if not isinstance(call, Mapping) or not isinstance(call.get("id"), str) or not call["id"]:
        return False
    for key, field in (("function", "arguments"), ("custom", "input")):
        inner = call.get(key)
        if isinstance(inner, Mapping):
            name = inner.get("name")
            return isinstance(name, str) and bool(name) and isinstance(inner.get(field), str)
    return False


def assistants_not_empty(messages: Sequence[JSON]) -> list[Breach]:
    """O-empty-assistant: an assistant message holds content, a call, a refusal or audio.

    Source: the Chat Completions reference: content is required unless there are calls.
    """
    return [
        Breach("O-empty-assistant", index, "an assistant message with nothing in it")
        for index, message in enumerate(messages)
        if role_of(message) == "assistant" and not says_something(message)
    ]


def content_present(messages: Sequence[JSON]) -> list[Breach]:
    """O-empty-content: every other message has content: a string, or a list with a part in it.

    Source: the Chat Completions reference: content is required for these roles.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        if role_of(message) in _ROLES - {"assistant"}:
            content = message.get("content")
            if not isinstance(content, str | list) or content == []:
                found.append(Breach("O-empty-content", index, f"a {role_of(message)} message without content"))
    return found


def roles_known(messages: Sequence[JSON]) -> list[Breach]:
    """O-role: a message is an object with a role of the API. Source: the Chat Completions reference."""
    return [
        Breach("O-role", index, f"role {role_of(message)!r} is not one of {', '.join(sorted(_ROLES))}")
        for index, message in enumerate(messages)
        if role_of(message) not in _ROLES
    ]


RULES: tuple[Rule, ...] = (
    calls_answered,
    results_have_calls,
    function_results_have_calls,
    call_ids_unique,
    calls_well_formed,
    assistants_not_empty,
    content_present,
    roles_known,
)
"""Every rule that the messages alone can break."""


def checks(
    messages: Sequence[JSON], body: Mapping[str, JSON] | None = None, *, tools: bool | None = None
) -> Iterator[Check]:
    """Asks every rule in order; nothing of the request around the messages is asked for."""
    return asked(RULES, messages)


def breaches(messages: Sequence[JSON]) -> list[Breach]:
    """Every rule that the messages break, rule by rule."""
    return found_by(checks(messages))


def request_breaches(body: Mapping[str, JSON]) -> list[Breach]:
    """Every rule that a whole request body breaks."""
    messages = messages_in(body, "messages")
    if messages is None:
        return [Breach("O-role", -1, "the body has no list of messages")]
    return found_by(checks(messages, body))
