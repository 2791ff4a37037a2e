"""The Responses API's rules on the items of a request: one function per rule, each with its source.

A breach is data: an input may break rules before we ever touch it, and with `previous_response_id` or
`conversation` its outputs may answer calls that the server holds. The end of the list is treated as the present: calls
that nothing follows but outputs are open, which is no breach until another item follows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise

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
from cenotaph.dialects.rule_text import Check, asked, found_by, messages_in

__all__ = ["BODY_RULES", "CUT_RULES", "RULES", "breaches", "checks", "replay_breaches", "request_breaches"]

Rule = Callable[[Sequence[JSON]], list[Breach]]

_INPUT_BLOCKS = frozenset({"input_text", "input_image", "input_file", "input_audio"})
_OUTPUT_BLOCKS = frozenset({"output_text", "refusal"})
_RETAINED = frozenset({"user", "system", "developer"})
_HOSTED_SEARCH = "server"
_COMPACTED = "response.compaction"


# Calls and their outputs ---------------------------------------------------------------------


def _calls(items: Sequence[JSON]) -> Iterator[tuple[int, str]]:
    for index, item in enumerate(items):
        if is_client_call(item):
            call_id = call_id_of(item)
            if call_id is not None:
                yield index, call_id


def _names_of_call(item: Mapping[str, JSON]) -> set[str]:
    """The ids by which an output may name a call: its call id, for the local shell also the item's own."""
    own = item.get("id") if kind_of(item) == "local_shell_call" else None
    return {name for name in (call_id_of(item), own) if isinstance(name, str)}


def _names_in_answer(item: Mapping[str, JSON]) -> set[str]:
    """The ids by which an output may name its call; the local shell's may name the item instead."""
    return {item[key] for key in ("call_id", "id") if isinstance(item.get(key), str)}


def calls_answered(items: Sequence[JSON]) -> list[Breach]:
    """O2: each call that the client runs has an output of its call id after it.

    Other items may stand between the two. A request for a person's approval is no call: a person may go
    on without deciding it.
    Source: the API's error text "No tool output found for function call" (lace-ai/gai#49,
    openai/openai-agents-python#673).
    """
    present = len(items)
    while present and answers(items[present - 1]):
        present -= 1
    while present and is_agent_item(items[present - 1]):
        present -= 1
    found: list[Breach] = []
    answered: set[str] = set()
    for index, item in reversed(list(enumerate(items))):
        if answers(item):
            answered |= _names_in_answer(item)
        elif index < present and is_client_call(item) and kind_of(item) != "mcp_approval_request":
            names = _names_of_call(item)
            if names and names.isdisjoint(answered):
                found.append(Breach("O2", index, f"call {call_id_of(item)!r} has no output after it"))
    return found[::-1]


def outputs_have_calls(items: Sequence[JSON]) -> list[Breach]:
    """O2: an output answers, once, a call that stands before it.

    Source: the API's error text "No tool call found for function call output with call_id"
    (agentjido/req_llm#426, vercel/ai#18537).
    """
    found: list[Breach] = []
    open_calls: set[str] = set()
    for index, item in enumerate(items):
        if is_client_call(item):
            open_calls |= _names_of_call(item)
        elif answers(item) and item.get("execution") != _HOSTED_SEARCH:
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


def trigger_last(items: Sequence[JSON]) -> list[Breach]:
    """O-trigger: a `compaction_trigger` is the last item.

    Source: CompactionTrigger of OpenAI's SDK ("Must be the final input item").
    """
    return [
        Breach("O-trigger", index, "a compaction_trigger that is not the last item")
        for index, item in enumerate(items[:-1])
        if kind_of(item) == "compaction_trigger"
    ]


def compacted_window(items: Sequence[JSON]) -> list[Breach]:
    """O5: what `/responses/compact` returns is the messages that it kept and then one compaction item.

    A rule on that response, not on a request. Source: CompactedResponse of OpenAI's SDK.
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


# What a request asks for ---------------------------------------------------------------------

_MAKER = "openai"


def compaction_at_home(items: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """O6: a request with a compaction item names no model of a vendor other than OpenAI.

    An item does not say who made it: OpenAI or Azure, for no other provider makes them. So only a model
    with another vendor's name before a slash, as routers spell it, is refused here; between OpenAI and Azure,
    and between deployments, `compaction_readable` decides if both are known.
    Source: OpenRouter's page on compaction in the Responses API.
    """
    vendor, slash, _ = str(body.get("model")).partition("/")
    return compaction_readable(items, _MAKER, vendor) if slash and vendor != "azure" else []


def compaction_settings(items: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """O4: `context_management` lists entries of type `compaction`, each threshold a number of tokens or left out.

    Source: ContextManagement of OpenAI's SDK ("Currently only 'compaction' is supported").
    """
    entries = body.get("context_management")
    if entries is None:
        return []
    if not isinstance(entries, list):
        return [Breach("O4", -1, "context_management is not a list")]
    return [Breach("O4", -1, "an entry of context_management that is no compaction") for e in entries if not _fits(e)]


def _fits(entry: JSON) -> bool:
    if not isinstance(entry, Mapping) or entry.get("type") != "compaction":
        return False
    threshold = entry.get("compact_threshold")
    return threshold is None or (isinstance(threshold, int) and not isinstance(threshold, bool))


def chain_repeats_nothing(items: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """O4: with `previous_response_id` the server holds what was compacted: no compaction item is sent beside it.

    That nothing was pruned from such a chain is seen from both sides of a cut only (`chain_kept`).
    Source: OpenAI's guide on compaction: in a chain only what is new is sent.
    """
    if not body.get("previous_response_id"):
        return []
    return [
        Breach("O4", index, "a compaction item beside previous_response_id")
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
            fits = isinstance(output, str) or (isinstance(output, list) and all(map(_is_input, output)))
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
    trigger_last,
    items_typed,
    calls_well_formed,
    roles_known,
    content_present,
    blocks_in_place,
)
"""Every rule that the items of a request alone can break."""


BODY_RULES = (compaction_at_home, compaction_settings, chain_repeats_nothing)
"""What a whole request can break."""


def checks(
    items: Sequence[JSON], body: Mapping[str, JSON] | None = None, *, tools: bool | None = None
) -> Iterator[Check]:
    """Asks every rule that can be asked, in order.

    Args:
        items: The items of a request, or of a response of `/responses/compact`.
        body: The request or that response; None if only the items are known. With `previous_response_id` or
            `conversation` an output may answer a call that the server holds.
        tools: No rule asks for them.
    """
    if body is None:
        yield from asked(RULES, items)
    elif body.get("object") == _COMPACTED:
        yield from asked((compacted_window,), items)
    else:
        partial = bool(body.get("previous_response_id") or body.get("conversation"))
        yield from asked((rule for rule in RULES if not (partial and rule is outputs_have_calls)), items)
        yield from ((rule, rule(items, body)) for rule in BODY_RULES)


def breaches(items: Sequence[JSON]) -> list[Breach]:
    """Every rule that the items break, rule by rule."""
    return found_by(checks(items))


def request_breaches(body: Mapping[str, JSON]) -> list[Breach]:
    """Every rule that a request body breaks, or a response object with what the model put out."""
    kind = str(body.get("object"))
    key = "output" if kind.startswith("response") else "input"
    items = [] if isinstance(body.get(key), str) else messages_in(body, key)
    if items is None:
        return [Breach("O5" if kind == _COMPACTED else "O-item", -1, "the body has no list of items")]
    return found_by(checks(items, body))


# Before and after a compaction ---------------------------------------------------------------


def replay_breaches(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    """Every rule on replayed reasoning and compaction items that a cut from `before` to `after` breaks."""
    rules = (reasoning_whole, reasoning_unchanged, compaction_unchanged)
    return [breach for rule in rules for breach in rule(before, after)]


def reasoning_whole(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    """O3 on a cut: a reasoning item and the item that followed it go back together or not at all.

    Source: TanStack/ai#1212, vercel/ai#7099.
    """
    bound = {
        at for at, (item, next_) in enumerate(pairwise(before)) if kind_of(item) == "reasoning" and is_agent_item(next_)
    }
    places = [None, *_places(before, after), None]
    found: list[Breach] = []
    for index, (earlier, was, later) in enumerate(zip(places, places[1:], places[2:], strict=False)):
        if was is not None and was in bound and later != was + 1:
            found.append(Breach("O3", index, "a reasoning item without the item that followed it"))
        if was is not None and was - 1 in bound and earlier != was - 1:
            found.append(Breach("O3", index, "an item without the reasoning that led to it"))
    return found


def _places(before: Sequence[JSON], after: Sequence[JSON]) -> list[int | None]:
    """Where each item stood before, in order, so that equal items are told apart; None for a new one."""
    stood: dict[tuple[str, str], list[int]] = {}
    for index, item in enumerate(before):
        stood.setdefault(_name(item), []).append(index)
    places: list[int | None] = []
    start = 0
    for item in after:
        place = next((index for index in stood.get(_name(item), ()) if index >= start), None)
        places.append(place)
        if place is not None:
            start = place + 1
    return places


def _name(item: JSON) -> tuple[str, str]:
    """What makes an item the same before and after: its id or its call's, else all of it."""
    own = (item.get("id") or item.get("call_id")) if isinstance(item, Mapping) else None
    return kind_of(item), str(own) if own else repr(item)


def reasoning_unchanged(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    """O3 on a cut: a reasoning item goes back with every field as it came.

    Source: TanStack/ai#1212, vercel/ai#7099.
    """
    return _changed(before, after, "O3", frozenset({"reasoning"}))


def compaction_unchanged(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    """O4 on a cut: a compaction item goes back with every field as it came.

    Source: OpenAI's guide on compaction.
    """
    return _changed(before, after, "O4", COMPACTIONS)


def _changed(before: Sequence[JSON], after: Sequence[JSON], rule: str, kinds: Collection[str]) -> list[Breach]:
    return [
        Breach(rule, index, f"a {kind_of(item)} item that is not one of the original's")
        for index, item in enumerate(after)
        if kind_of(item) in kinds and item not in before
    ]


def chain_kept(before: Sequence[JSON], after: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """O4 on a cut: nothing is pruned from a request that goes on from `previous_response_id`.

    Args:
        before: The items as they were.
        after: The items to send.
        body: The request around them.

    Source: OpenAI's guide on compaction: no pruning in a chain.
    """
    if not body.get("previous_response_id") or all(item in after for item in before):
        return []
    return [Breach("O4", -1, "items were pruned from a request with previous_response_id")]


CUT_RULES = (reasoning_whole, reasoning_unchanged, compaction_unchanged, chain_kept)
"""What a cut can break, seen from both sides."""
