"""The Responses API's rules on the items of a request: one function per rule, each with its source.

A breach is data: an input may break rules before we ever touch it, and with `previous_response_id` its
outputs may answer calls that the server holds. The end of the list is treated as the present: calls
that nothing follows but outputs are open, which is no breach until another item follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from cenotaph.core.ids import JSON
from cenotaph.core.model import Breach
from cenotaph.dialects.content import role_of, string_of
from cenotaph.dialects.openai_responses_items import (
    COMPACTIONS,
    ROLES,
    answers,
    call_id_of,
    is_agent_item,
    is_client_call,
    kind_of,
)

__all__ = ["RULES", "breaches", "replay_breaches", "request_breaches"]

Rule = Callable[[Sequence[JSON]], list[Breach]]

_INPUT_BLOCKS = frozenset({"input_text", "input_image", "input_file", "input_audio"})
_OUTPUT_BLOCKS = frozenset({"output_text", "refusal"})
_RETAINED = frozenset({"user", "system", "developer"})
_HOSTED_SEARCH = "server"


# Calls and their outputs ---------------------------------------------------------------------


def _calls(items: Sequence[JSON]) -> Iterator[tuple[int, str]]:
    for index, item in enumerate(items):
        if is_client_call(item):
            call_id = call_id_of(item)
            if call_id is not None:
                yield index, call_id


def _answered_ids(item: Mapping[str, JSON]) -> list[str]:
    """The ids by which an output may name its call; the local shell's may name the item instead."""
    return [str(item[key]) for key in ("call_id", "approval_request_id", "id") if isinstance(item.get(key), str)]


def _is_hosted(item: JSON) -> bool:
    """An output that the provider wrote itself: it answers no call of the client."""
    return isinstance(item, Mapping) and item.get("execution") == _HOSTED_SEARCH


def calls_answered(items: Sequence[JSON]) -> list[Breach]:
    """O2: each call that the client runs has an output of its call id after it.

    Source: the API's error text "No tool output found for function call" (lace-ai/gai#49,
    openai/openai-agents-python#673). Other items may stand between the two. A request for a person's
    approval is no call: a person may go on without deciding it.
    """
    present = len(items)
    while present and answers(items[present - 1]):
        present -= 1
    while present and is_agent_item(items[present - 1]):
        present -= 1
    answered = {name: index for index, item in enumerate(items) if answers(item) for name in _answered_ids(item)}
    return [
        Breach("O2", index, f"call {call_id!r} has no output after it")
        for index, call_id in _calls(items)
        if index < present
        and kind_of(items[index]) != "mcp_approval_request"
        and answered.get(call_id, answered.get(_item_id(items[index]), -1)) < index
    ]


def _item_id(item: JSON) -> str:
    """The id of a call of the local shell, by which its output may name it; "" for any other."""
    return str(item.get("id")) if kind_of(item) == "local_shell_call" else ""


def outputs_have_calls(items: Sequence[JSON]) -> list[Breach]:
    """O2: an output answers, once, a call that stands before it.

    Source: the API's error text "No tool call found for function call output with call_id"
    (agentjido/req_llm#426, vercel/ai#18537).
    """
    found: list[Breach] = []
    open_calls: set[str] = set()
    for index, item in enumerate(items):
        if is_client_call(item):
            open_calls.update(name for name in (call_id_of(item), _item_id(item)) if name)
        elif answers(item) and not _is_hosted(item):
            call_id = call_id_of(item)
            if call_id not in open_calls:
                found.append(Breach("O2", index, f"output {call_id!r} answers no open call before it"))
            else:
                open_calls.discard(call_id)
    return found


def call_ids_unique(items: Sequence[JSON]) -> list[Breach]:
    """O-unique-call: a call id names one call of the request.

    Source: as O2: an output names its call by nothing else.
    """
    found: list[Breach] = []
    seen: set[str] = set()
    for index, call_id in _calls(items):
        if call_id in seen:
            found.append(Breach("O-unique-call", index, f"call id {call_id!r} is used by an earlier call"))
        seen.add(call_id)
    return found


def item_ids_unique(items: Sequence[JSON]) -> list[Breach]:
    """O-unique-item: an item's own id occurs once.

    Source: the API's error text "Duplicate item found with id ..." (vercel/ai#15492).
    """
    found: list[Breach] = []
    seen: set[str] = set()
    for index, item in enumerate(items):
        own = item.get("id") if isinstance(item, Mapping) else None
        if not isinstance(own, str) or answers(item) or kind_of(item) == "item_reference":
            continue
        if own in seen:
            found.append(Breach("O-unique-item", index, f"item id {own!r} stands twice"))
        seen.add(own)
    return found


# Reasoning and compaction --------------------------------------------------------------------


def reasoning_followed(items: Sequence[JSON]) -> list[Breach]:
    """O3: a reasoning item is directly followed by an item of the same output, never sent without it.

    Source: the API's error text "... of type 'reasoning' was provided without its required following
    item" (vercel/ai#7099, TanStack/ai#1212).
    """
    return [
        Breach("O3", index, "a reasoning item without the item that followed it")
        for index, item in enumerate(items)
        if kind_of(item) == "reasoning" and not (index + 1 < len(items) and is_agent_item(items[index + 1]))
    ]


def compaction_whole(items: Sequence[JSON]) -> list[Breach]:
    """O4: a compaction item carries its encrypted content.

    Source: OpenAI's guide on compaction: the item is opaque and goes back as it came.
    """
    return [
        Breach("O4", index, "a compaction item without its encrypted content")
        for index, item in enumerate(items)
        if kind_of(item) in COMPACTIONS and not _has_text(item, "encrypted_content")
    ]


def compacted_window(items: Sequence[JSON]) -> list[Breach]:
    """O5: what `/responses/compact` returns is the messages that it kept and then one compaction item.

    Source: CompactedResponse of OpenAI's SDK. A rule on that response, not on a request.
    """
    found = [
        Breach("O5", index, "an item that is neither a kept message nor the closing compaction item")
        for index, item in enumerate(items[:-1])
        if kind_of(item) != "message" or role_of(item) not in _RETAINED
    ]
    if not items or kind_of(items[-1]) not in COMPACTIONS:
        found.append(Breach("O5", len(items) - 1, "the last item is no compaction item"))
    return found


def compaction_readable(items: Sequence[JSON], made_by: str, sent_to: str) -> list[Breach]:
    """O6: a compaction item is sent only to the provider that made it.

    Args:
        items: The items of the request.
        made_by: Name of the provider that made its compaction items.
        sent_to: Name of the provider that the request goes to.

    Source: OpenRouter's page on compaction in the Responses API.
    """
    if made_by == sent_to:
        return []
    return [
        Breach("O6", index, f"a compaction item made by {made_by} for {sent_to}")
        for index, item in enumerate(items)
        if kind_of(item) in COMPACTIONS
    ]


# Shapes --------------------------------------------------------------------------------------


def _has_text(item: Mapping[str, JSON], key: str, *, empty: bool = False) -> bool:
    value = item.get(key)
    return isinstance(value, str) and (empty or bool(value))


def items_typed(items: Sequence[JSON]) -> list[Breach]:
    """O-item: an item is an object with a type; only a message may do with its role alone.

    Source: the Responses API reference: `type` is optional for messages.
    """
    return [
        Breach("O-item", index, "neither an object with a type nor one with a role")
        for index, item in enumerate(items)
        if not kind_of(item)
    ]


def calls_well_formed(items: Sequence[JSON]) -> list[Breach]:
    """O-call-shape: a call has its id and name, its arguments or input as a string; an output has its call's id.

    Source: the types of the Responses API's request parameters.
    """
    found: list[Breach] = []
    for index, item in enumerate(items):
        field = {"function_call": "arguments", "custom_tool_call": "input"}.get(kind_of(item))
        if field is not None and not (
            _has_text(item, "call_id") and _has_text(item, "name") and _has_text(item, field, empty=True)
        ):
            found.append(Breach("O-call-shape", index, f"a {kind_of(item)} without its id, name or {field} string"))
        if kind_of(item) in ("function_call_output", "custom_tool_call_output"):
            output = item.get("output")
            blocks = output if isinstance(output, list) else []
            fits = isinstance(output, str) or (isinstance(output, list) and all(_is_input(b) for b in blocks))
            if not _has_text(item, "call_id") or not fits:
                found.append(Breach("O-call-shape", index, "an output without its call id, or of a wrong form"))
    return found


def _is_input(block: JSON) -> bool:
    return isinstance(block, Mapping) and string_of(block.get("type")) in _INPUT_BLOCKS


def roles_known(items: Sequence[JSON]) -> list[Breach]:
    """O-role: a message has a role of this API; results are items, not messages.

    Source: the Responses API reference.
    """
    return [
        Breach("O-role", index, f"role {item.get('role')!r} is not one of {', '.join(sorted(ROLES))}")
        for index, item in enumerate(items)
        if kind_of(item) == "message" and role_of(item) not in ROLES
    ]


def content_present(items: Sequence[JSON]) -> list[Breach]:
    """O-empty-content: a message has content: a string, or a list with a block in it.

    Source: the Responses API reference: content is required.
    """
    found: list[Breach] = []
    for index, item in enumerate(items):
        if kind_of(item) == "message":
            content = item.get("content")
            if not isinstance(content, str | list) or content == []:
                found.append(Breach("O-empty-content", index, "a message without content"))
    return found


def blocks_in_place(items: Sequence[JSON]) -> list[Breach]:
    """O-block-role: an agent's message holds output blocks, every other message input blocks.

    Source: the API's error text "Invalid value: 'input_text'. Supported values are: 'output_text' and
    'refusal'" (jeremychone/rust-genai#119).
    """
    found: list[Breach] = []
    for index, item in enumerate(items):
        content = item.get("content") if kind_of(item) == "message" else None
        allowed = _OUTPUT_BLOCKS if role_of(item) == "assistant" else _INPUT_BLOCKS
        for block in content if isinstance(content, list) else []:
            kind = string_of(block.get("type")) if isinstance(block, Mapping) else None
            if kind not in allowed:
                found.append(Breach("O-block-role", index, f"a {kind!r} block in a message of role {item.get('role')}"))
    return found


RULES: tuple[Rule, ...] = (
    calls_answered,
    outputs_have_calls,
    call_ids_unique,
    item_ids_unique,
    reasoning_followed,
    compaction_whole,
    items_typed,
    calls_well_formed,
    roles_known,
    content_present,
    blocks_in_place,
)
"""Every rule that the items of a request alone can break."""


def breaches(items: Sequence[JSON]) -> list[Breach]:
    """Every rule that the items break, rule by rule."""
    return [breach for rule in RULES for breach in rule(items)]


def request_breaches(body: Mapping[str, JSON]) -> list[Breach]:
    """Every rule that a request body, or a response of `/responses/compact`, breaks.

    With `previous_response_id` or `conversation` an output may answer a call that the server holds.
    """
    if body.get("object") == "response.compaction":
        output = body.get("output")
        return compacted_window(output) if isinstance(output, list) else [Breach("O5", -1, "no list of items")]
    items = body.get("input")
    if isinstance(items, str):
        return []
    if not isinstance(items, list):
        return [Breach("O-item", -1, "the body has no items")]
    partial = bool(body.get("previous_response_id") or body.get("conversation"))
    return [breach for rule in RULES if not (partial and rule is outputs_have_calls) for breach in rule(items)]


# Before and after a compaction ---------------------------------------------------------------


def replay_breaches(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    """Every rule on replayed reasoning and compaction items that a cut from `before` to `after` breaks.

    O3: reasoning is replayed byte-identical with the item that followed it, and that item with it.
    O4: compaction items go back as they came.
    """
    return [*_torn_from_reasoning(before, after), *_changed(before, after)]


def _torn_from_reasoning(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    found: list[Breach] = []
    for index, (item, was) in enumerate(zip(after, _places(before, after), strict=True)):
        if was is None:
            continue
        if kind_of(item) == "reasoning" and was + 1 < len(before) and is_agent_item(before[was + 1]):
            follows = index + 1 < len(after) and _name(after[index + 1]) == _name(before[was + 1])
            if not follows:
                found.append(Breach("O3", index, "a reasoning item without the item that followed it"))
        if was and kind_of(before[was - 1]) == "reasoning" and is_agent_item(item):
            led = index > 0 and _name(after[index - 1]) == _name(before[was - 1])
            if not led:
                found.append(Breach("O3", index, "an item without the reasoning that led to it"))
    return found


def _places(before: Sequence[JSON], after: Sequence[JSON]) -> list[int | None]:
    """Where each item stood before, in order, so that equal items are told apart; None for a new one."""
    stood: dict[tuple[str, str], list[int]] = {}
    for index, item in enumerate(before):
        stood.setdefault(_name(item), []).append(index)
    places: list[int | None] = []
    newest = -1
    for item in after:
        place = next((index for index in stood.get(_name(item), ()) if index > newest), None)
        newest = newest if place is None else place
        places.append(place)
    return places


def _name(item: JSON) -> tuple[str, str]:
    """What makes an item the same before and after: its id or its call's, else all of it."""
    kind = kind_of(item)
    if not isinstance(item, Mapping):
        return kind, repr(item)
    own = item.get("id") or (call_id_of(item) if is_client_call(item) else None)
    return kind, str(own) if own else repr(item)


def _changed(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    kept = {"reasoning": "O3", **dict.fromkeys(COMPACTIONS, "O4")}
    known = [item for item in before if kind_of(item) in kept]
    return [
        Breach(kept[kind_of(item)], index, f"a {kind_of(item)} item that is not one of the original's")
        for index, item in enumerate(after)
        if kind_of(item) in kept and item not in known
    ]
