"""What LangChain and the providers behind it refuse: one function per rule, each with its source.

The rules on calls and results are those of Chat Completions, checked on a reduced copy of the
messages. The end of the list is treated as the present, as there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects import openai_rules
from cenotaph.dialects.content import string_of
from cenotaph.dialects.langchain_calls import calls_of
from cenotaph.dialects.langchain_forms import TYPES, body_of, form_of, type_of
from cenotaph.dialects.rule_text import Check, asked, found_by, messages_in

Rule = Callable[[Sequence[JSON]], list[Breach]]

def _reduced(messages: Sequence[JSON]) -> list[JSON]:
    """Each message as Chat Completions would have its calls and results; nothing else of it."""
    return [_skeleton(message) for message in messages]


def _skeleton(message: JSON) -> JSON:
    name, body = type_of(message), body_of(message) or {}
    found: dict[str, JSON] = {
        "role": "assistant" if name == "ai" else name,
        "tool_call_id": body.get("tool_call_id"),
        "name": body.get("name"),
    }
    if name == "ai":
        calls = calls_of(body)
        legacy = next((call for call in calls if call.block == ("additional_kwargs", "function_call")), None)
        found["tool_calls"] = [{"id": call.call_id} for call in calls if call is not legacy]
        if legacy is not None:
            found["function_call"] = {"name": legacy.tool}
    return found


def _as(rule: str, breaches: Sequence[Breach]) -> list[Breach]:
    return [replace(breach, rule=rule) for breach in breaches]


def calls_answered(messages: Sequence[JSON]) -> list[Breach]:
    """L1: each call of an `ai` message has a `tool` message of its id before any other message.

    Calls whose arguments don't parse count: adapters send them back too.
    Source: LangChain's error INVALID_TOOL_RESULTS; rule O1.
    """
    return _as("L1", openai_rules.calls_answered(_reduced(messages)))


def results_have_calls(messages: Sequence[JSON]) -> list[Breach]:
    """L2: a `tool` message answers, once, a call of the `ai` message that its run follows.

    Source: LangChain's error INVALID_TOOL_RESULTS; rule O1.
    """
    return _as("L2", openai_rules.results_have_calls(_reduced(messages)))


def function_results_have_calls(messages: Sequence[JSON]) -> list[Breach]:
    """L2: a `function` message follows the call of its name at once. Source: rule O1, older form."""
    return _as("L2", openai_rules.function_results_have_calls(_reduced(messages)))


def call_ids_unique(messages: Sequence[JSON]) -> list[Breach]:
    """L-unique-id: an id names one call of a message. Source: rule O-unique-id."""
    return _as("L-unique-id", openai_rules.call_ids_unique(_reduced(messages)))


def messages_known(messages: Sequence[JSON]) -> list[Breach]:
    """L-type: a message is of a known type, in one of the serialisations.

    Source: `messages_from_dict`, `load` and the tagged union `AnyMessage` of langchain_core.
    """
    return [
        Breach("L-type", index, f"type {type_of(message)!r} is not one of {', '.join(sorted(TYPES))}")
        for index, message in enumerate(messages)
        if body_of(message) is None or type_of(message) not in TYPES
    ]


def one_form(messages: Sequence[JSON]) -> list[Breach]:
    """L-form: all messages are in the serialisation of the first.

    Source: each of `messages_from_dict`, `load` and `AnyMessage` reads one of them.
    """
    first = form_of(messages[0]) if messages else None
    return [
        Breach("L-form", index, f"the message is in the form {form_of(message)}, the first in {first}")
        for index, message in enumerate(messages)
        if form_of(message) is not first
    ]


def no_removals(messages: Sequence[JSON]) -> list[Breach]:
    """L-remove: a `remove` message is an update of the state and is never sent.

    Source: `RemoveMessage` ("responsible for deleting other messages"); `AnyMessage` does not hold it.
    """
    return [
        Breach("L-remove", index, "a message that removes another one")
        for index, message in enumerate(messages)
        if type_of(message) == "remove"
    ]


def bodies_well_formed(messages: Sequence[JSON]) -> list[Breach]:
    """L-shape: content is text or a list of texts and objects; calls and results have what they need.

    A call in `tool_calls` has a name and arguments in an object, one in `invalid_tool_calls` has the
    key `args`; a `tool` message has the id of its call, a `chat` message a role.
    Source: `BaseMessage.content`, `create_tool_call`, `ToolMessage` and `ChatMessage` of langchain_core.
    """
    return [
        Breach("L-shape", index, note)
        for index, message in enumerate(messages)
        if (body := body_of(message)) is not None
        for note in _torn(type_of(message), body)
    ]


def _torn(name: str, body: Mapping[str, JSON]) -> Iterator[str]:
    content = body.get("content")
    if not isinstance(content, str | list):
        yield "content is neither text nor a list"
    elif not all(isinstance(block, str | Mapping) for block in content):
        yield "a block of the content is neither text nor an object"
    if name == "tool" and string_of(body.get("tool_call_id")) is None:
        yield "a tool message without tool_call_id"
    if name == "chat" and not isinstance(body.get("role"), str):
        yield "a chat message without a role"
    if name == "ai":
        yield from _torn_calls(body)


def _torn_calls(body: Mapping[str, JSON]) -> Iterator[str]:
    for key in ("tool_calls", "invalid_tool_calls"):
        calls = body.get(key)
        if calls is not None and not isinstance(calls, list):
            yield f"{key} is not a list"
            continue
        for at, call in enumerate(calls or []):
            parsed = key == "tool_calls"
            named = isinstance(call, Mapping) and (isinstance(call.get("name"), str) or not parsed)
            if not named or (not isinstance(call.get("args"), Mapping) if parsed else "args" not in call):
                yield f"{key}[{at}] lacks a name or arguments"


def something_said(messages: Sequence[JSON]) -> list[Breach]:
    """L-empty: a message that is no result says something.

    Source: rules O-empty-assistant and A-empty-content; adapters hand empty messages on.
    """
    return [
        Breach("L-empty", index, f"a message of type {type_of(message)} with nothing in it")
        for index, message in enumerate(messages)
        if type_of(message) in ("human", "ai", "system") and not says_something(type_of(message), body_of(message))
    ]


def says_something(name: str, body: Mapping[str, JSON] | None) -> bool:
    """Whether a message holds content, a call, a refusal or a recording; a result may be empty text.

    Args:
        name: Its type.
        body: Its body; None counts as said, for nobody knows what it holds.
    """
    if body is None or name in ("tool", "remove", "function"):
        return True
    if body.get("content"):
        return True
    kwargs = body.get("additional_kwargs")
    beside = isinstance(kwargs, Mapping) and any(kwargs.get(key) for key in ("refusal", "audio"))
    return bool(beside or calls_of(body))


RULES: tuple[Rule, ...] = (
    calls_answered,
    results_have_calls,
    function_results_have_calls,
    call_ids_unique,
    messages_known,
    one_form,
    no_removals,
    bodies_well_formed,
    something_said,
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
        return [Breach("L-type", -1, "the body has no list of messages")]
    return found_by(checks(messages, body))
