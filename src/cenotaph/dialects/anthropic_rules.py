"""The Messages API's rules on a request body: one function per rule, each with its source.

A breach is data: an input may break rules before we ever touch it. A rule looks only at what is
in the messages; an odd value (a message that is no object, content of a wrong type) is the business
of the rule about shapes and is passed over by the others.

The end of the list is treated as the present: calls of a final assistant message are not yet
answered, which is no breach until some message follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final, Literal

from cenotaph.core.ids import JSON, verbatim_json
from cenotaph.core.model import Breach
from cenotaph.dialects import anthropic_compaction_rules as compaction
from cenotaph.dialects.anthropic_blocks import call_ids, is_thinking, of_type, result_ids
from cenotaph.dialects.anthropic_compaction_rules import opens_with_summary
from cenotaph.dialects.content import blocks_of, is_blank_text, role_of, string_of
from cenotaph.dialects.rule_text import Check, asked, found_by, messages_in
from cenotaph.limits import anthropic_body_bytes_max, anthropic_cache_breakpoints_max

__all__ = [
    "CUT_RULES",
    "RULES",
    "WHOLE_RULES",
    "Binding",
    "breaches",
    "checks",
    "is_thinking",
    "request_breaches",
    "thinking_breaches",
]

Binding = Literal["none", "newest", "prefix"]
Rule = Callable[[Sequence[JSON]], list[Breach]]

_ROLES = frozenset({"user", "assistant", "system"})
_AGENT_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "thinking", "redacted_thinking"})
_SERVER_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})


def _is_server_result(block: Mapping[str, JSON]) -> bool:
    return str(block.get("type")).endswith("_tool_result")


# Calls and results ---------------------------------------------------------------------------


def calls_answered_next(messages: Sequence[JSON]) -> list[Breach]:
    """A1: each `tool_use` has exactly one `tool_result` of its id in the very next message, a user's.

    Source: Anthropic's page on handling tool calls.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages[:-1]):
        following = messages[index + 1]
        answers = result_ids(following) if role_of(following) == "user" else []
        for call_id in call_ids(message):
            count = answers.count(call_id)
            if count != 1:
                found.append(Breach("A1", index, f"call {call_id!r} has {count} results in the next message"))
    return found


def results_come_first(messages: Sequence[JSON]) -> list[Breach]:
    """A2: in a message with results, all `tool_result` blocks stand before every other block.

    Source: Anthropic's page on handling tool calls.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        kinds = [block.get("type") == "tool_result" for block in blocks_of(message)]
        if any(later and not earlier for earlier, later in pairwise(kinds)):
            found.append(Breach("A2", index, "a tool_result stands after another kind of block"))
    return found


def results_have_calls(messages: Sequence[JSON]) -> list[Breach]:
    """A3: no `tool_result` whose id is not a call of the immediately preceding assistant message.

    Source: the API's own error text, in github/copilot-cli#102 and apify/tester-mcp-client#12.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        calls = call_ids(messages[index - 1]) if index else []
        for call_id in result_ids(message):
            if call_id not in calls:
                found.append(Breach("A3", index, f"tool_result {call_id!r} has no call in the message before it"))
    return found


def tools_declared(messages: Sequence[JSON], tools: bool | None) -> list[Breach]:
    """A4: with any call or result in the messages the request must declare `tools`.

    Checked only where that is known. Source: an error report of a gateway (portkey 10488).
    """
    if tools is not False:
        return []
    for index, message in enumerate(messages):
        if of_type(message, "tool_use", "tool_result"):
            return [Breach("A4", index, "tool blocks in a request that declares no tools")]
    return []


def call_ids_unique(messages: Sequence[JSON]) -> list[Breach]:
    """A-unique-id: a `tool_use` id occurs once in the whole request.

    Source: the API's error text "`tool_use` ids must be unique".
    """
    found: list[Breach] = []
    seen: set[str] = set()
    for index, message in enumerate(messages):
        for block in of_type(message, "tool_use", *_SERVER_CALLS):
            call_id = str(block.get("id"))
            if call_id in seen:
                found.append(Breach("A-unique-id", index, f"id {call_id!r} is used by an earlier call"))
            seen.add(call_id)
    return found


def server_calls_closed(messages: Sequence[JSON]) -> list[Breach]:
    """A-server-pair: a call that the provider runs has its result later in the same agent message.

    A client call made from its code (`caller.tool_id`) interrupts it: then the result comes in a
    later agent message of the same loop, before the user says anything but results. A paused final
    message may end without it. Source: Anthropic's pages on server tools and programmatic calls.
    """
    found: list[Breach] = []
    waiting: dict[str, int] = {}
    for index, message in enumerate(messages):
        if role_of(message) != "assistant":
            if any(block.get("type") != "tool_result" for block in blocks_of(message)) or _has_string(message):
                found.extend(_unfinished(waiting))
                waiting = {}
            continue
        for block in blocks_of(message):
            if string_of(block.get("type")) in _SERVER_CALLS:
                waiting[str(block.get("id"))] = index
            elif _is_server_result(block):
                call_id = str(block.get("tool_use_id"))
                if waiting.pop(call_id, None) is None:
                    found.append(Breach("A-server-pair", index, f"server result {call_id!r} has no open call"))
        if index < len(messages) - 1:
            callers = _callers(message)
            stale = {call_id: at for call_id, at in waiting.items() if at == index and call_id not in callers}
            found.extend(_unfinished(stale))
            waiting = {call_id: at for call_id, at in waiting.items() if call_id not in stale}
    return found


def _has_string(message: JSON) -> bool:
    return isinstance(message, Mapping) and isinstance(message.get("content"), str)


def _unfinished(waiting: Mapping[str, int]) -> Iterator[Breach]:
    for call_id, at in waiting.items():
        yield Breach("A-server-pair", at, f"server call {call_id!r} has no result")


def _callers(message: JSON) -> list[str]:
    callers = (block.get("caller") for block in of_type(message, "tool_use"))
    return [str(c["tool_id"]) for c in callers if isinstance(c, Mapping) and c.get("tool_id") is not None]


def callers_present(messages: Sequence[JSON]) -> list[Breach]:
    """A-caller: a call with `caller.tool_id` needs the server call of that id before it.

    Source: Anthropic's page on programmatic tool calling.
    """
    found: list[Breach] = []
    seen: set[str] = set()
    for index, message in enumerate(messages):
        seen.update(str(block.get("id")) for block in of_type(message, *_SERVER_CALLS))
        for caller in _callers(message):
            if caller not in seen:
                found.append(Breach("A-caller", index, f"caller {caller!r} of a call is not in the request"))
    return found


# Shapes --------------------------------------------------------------------------------------


def first_is_user(messages: Sequence[JSON]) -> list[Breach]:
    """A-first-user: the first message has the role `user`, or it is the agent's and opens with a summary of the API.

    Source: the Messages API reference; BetaCompactionConfigParam of Anthropic's SDK for the summary.
    """
    if messages and role_of(messages[0]) != "user" and not opens_with_summary(messages[0]):
        return [Breach("A-first-user", 0, f"the first message has role {role_of(messages[0])!r}")]
    return []


def roles_known(messages: Sequence[JSON]) -> list[Breach]:
    """A-role: a message is an object with the role user, assistant or (mid-conversation) system.

    Source: the Messages API reference; A7 for `system`.
    """
    return [
        Breach("A-role", index, f"role {role_of(message)!r} is not one of {', '.join(sorted(_ROLES))}")
        for index, message in enumerate(messages)
        if role_of(message) not in _ROLES
    ]


def blocks_in_place(messages: Sequence[JSON]) -> list[Breach]:
    """A-block-role: calls and reasoning stand in assistant messages, results in user messages.

    Source: the block types of the Messages API's request parameters.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        role = role_of(message)
        for block in blocks_of(message):
            kind = string_of(block.get("type"))
            agents = kind in _AGENT_BLOCKS or _is_server_result(block)
            if (agents and role != "assistant") or (kind == "tool_result" and role != "user"):
                found.append(Breach("A-block-role", index, f"a {kind} block in a message of role {role!r}"))
    return found


def content_not_empty(messages: Sequence[JSON]) -> list[Breach]:
    """A-empty-content: no message is empty, but a final assistant message may be.

    Source: the API's error text "all messages must have non-empty content except for the optional
    final assistant message".
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        if index == len(messages) - 1 and role_of(message) == "assistant":
            break
        content = message.get("content") if isinstance(message, Mapping) else None
        if not content or (isinstance(content, str) and not content.strip()):
            found.append(Breach("A-empty-content", index, "the message has no content"))
    return found


def text_not_blank(messages: Sequence[JSON]) -> list[Breach]:
    """A-empty-text: no text block is blank; inside a result none is empty.

    Source: the API's error text "text content blocks must be non-empty".
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        for block in blocks_of(message):
            if is_blank_text(block):
                found.append(Breach("A-empty-text", index, "a blank text block"))
            inner = blocks_of(block) if block.get("type") == "tool_result" else []
            if any(item.get("type") == "text" and item.get("text") == "" for item in inner):
                found.append(Breach("A-empty-text", index, "an empty text block inside a tool_result"))
    return found


def thinking_not_last(messages: Sequence[JSON]) -> list[Breach]:
    """A-final-thinking: the last block of an assistant message is never reasoning.

    Source: the API's error text "The final block in an assistant message cannot be `thinking`"
    (tailcallhq/forgecode#2107).
    """
    return [
        Breach("A-final-thinking", index, "the message ends in reasoning")
        for index, message in enumerate(messages)
        if role_of(message) == "assistant" and blocks_of(message) and is_thinking(blocks_of(message)[-1])
    ]


# The request as a whole ----------------------------------------------------------------------

_NOTHING: Final[Mapping[str, JSON]] = {}


def cache_breakpoints(messages: Sequence[JSON], body: Mapping[str, JSON] = _NOTHING) -> list[Breach]:
    """A13: at most four `cache_control` breakpoints; top-level caching takes one of them.

    Args:
        messages: The messages.
        body: The request around them (`system`, `tools`, `cache_control`); empty if it is not known.

    Source: Anthropic's page on prompt caching.
    """
    count = sum(1 for _ in _cache_marks(messages, body))
    if count <= anthropic_cache_breakpoints_max:
        return []
    return [Breach("A13", -1, f"{count} cache breakpoints, at most {anthropic_cache_breakpoints_max}")]


def cache_lives_fall(messages: Sequence[JSON], body: Mapping[str, JSON] = _NOTHING) -> list[Breach]:
    """A13: no cache breakpoint of an hour stands behind one of five minutes, from tools over system to messages.

    Args:
        messages: The messages.
        body: The request around them; empty if it is not known.

    Source: Anthropic's page on prompt caching, on mixing lifetimes.
    """
    lives = [mark.get("ttl") == "1h" for mark in _cache_marks(messages, body) if isinstance(mark, Mapping)]
    if any(later and not earlier for earlier, later in pairwise(lives)):
        return [Breach("A13", -1, "a cache breakpoint of an hour behind one of five minutes")]
    return []


def _cache_marks(messages: Sequence[JSON], body: Mapping[str, JSON]) -> Iterator[JSON]:
    """The breakpoints in the order in which the API reads a request; top-level caching marks its end."""
    contents = (message.get("content") for message in messages if isinstance(message, Mapping))
    for blocks in chain((body.get("tools"), body.get("system")), contents):
        yield from _marks_in(blocks)
    if body.get("cache_control") is not None:
        yield body["cache_control"]


def _marks_in(blocks: JSON) -> Iterator[JSON]:
    for block in blocks if isinstance(blocks, list) else []:
        if isinstance(block, Mapping):
            if block.get("type") == "tool_result":
                yield from _marks_in(block.get("content"))
            if block.get("cache_control") is not None:
                yield block["cache_control"]


def body_size(messages: Sequence[JSON], body: Mapping[str, JSON] = _NOTHING) -> list[Breach]:
    """A14: a request body has at most 32 MB. Source: Claude Code's changelog, 2.1.229.

    Args:
        messages: The messages; counted alone where the request around them is not known.
        body: The request around them; empty if it is not known.
    """
    size = len(verbatim_json({**body, "messages": list(messages)}))
    if size <= anthropic_body_bytes_max:
        return []
    return [Breach("A14", -1, f"the body has {size} bytes, at most {anthropic_body_bytes_max}")]


def ends_in_user(messages: Sequence[JSON]) -> list[Breach]:
    """A15: the conversation ends in a user message; only models without prefill ask for it, from Claude 4.6 on.

    A request for a compaction may end in the agent's turn.
    Source: an error page on Claude 4.6 and later (developersdigest).
    """
    if messages and role_of(messages[-1]) == "user":
        return []
    return [Breach("A15", len(messages) - 1, "the last message is not a user's")]


_VERSION = re.compile(r"claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?!\d)")
_NO_PREFILL_FROM: Final = (4, 6)


def _takes_prefill(body: Mapping[str, JSON]) -> bool:
    """Whether a request may end in an agent message, by its model's name; yes if the name does not say."""
    named = _VERSION.search(str(body.get("model")))
    if named is None or body.get("compaction") is not None:
        return True
    return (int(named[1]), int(named[2] or 0)) < _NO_PREFILL_FROM


RULES: tuple[Rule, ...] = (
    calls_answered_next,
    results_come_first,
    results_have_calls,
    call_ids_unique,
    server_calls_closed,
    callers_present,
    first_is_user,
    roles_known,
    blocks_in_place,
    content_not_empty,
    text_not_blank,
    thinking_not_last,
    *compaction.MESSAGE_RULES,
)
"""Every rule on the messages one by one or in pairs."""

WHOLE_RULES: tuple[compaction.BodyRule, ...] = (cache_breakpoints, cache_lives_fall, body_size)
"""What is counted over the whole request; the messages alone can break them too."""


def _declares_tools(body: Mapping[str, JSON] | None) -> bool | None:
    """Whether a request declares tools; None if there is none, or only an object that holds messages."""
    if body is None or not body.keys() & {"tools", "model", "max_tokens"}:
        return None
    return bool(body.get("tools"))


def checks(
    messages: Sequence[JSON],
    body: Mapping[str, JSON] | None = None,
    *,
    tools: bool | None = None,
    prefill: bool | None = None,
) -> Iterator[Check]:
    """Asks every rule that can be asked, in order.

    Args:
        messages: The messages of a request.
        body: The request; None if only its messages are known.
        tools: Whether it declares tools; None if the body says, or nobody knows.
        prefill: Whether the model takes a final assistant message (A15); None asks the body's model name.
    """
    yield from asked(RULES, messages)
    declared = _declares_tools(body) if tools is None else tools
    if declared is not None:
        yield tools_declared, tools_declared(messages, declared)
    around = _NOTHING if body is None else body
    yield from ((rule, rule(messages, around)) for rule in WHOLE_RULES)
    if body is not None:
        yield from ((rule, rule(messages, body)) for rule in compaction.BODY_RULES)
    if not (_takes_prefill(around) if prefill is None else prefill):
        yield ends_in_user, ends_in_user(messages)


def breaches(messages: Sequence[JSON], *, tools: bool | None = None, prefill: bool = True) -> list[Breach]:
    """Every rule that the messages break, rule by rule.

    Args:
        messages: The messages of a request.
        tools: Whether the request declares tools; None if that is not known.
        prefill: Whether the model takes a final assistant message (A15); most do.
    """
    return found_by(checks(messages, tools=tools, prefill=prefill))


def request_breaches(body: Mapping[str, JSON], *, prefill: bool | None = None) -> list[Breach]:
    """Every rule that a whole request body breaks.

    Args:
        body: The request.
        prefill: As for `checks`.
    """
    messages = messages_in(body, "messages")
    if messages is None:
        return [Breach("A-role", -1, "the body has no list of messages")]
    return found_by(checks(messages, body, prefill=prefill))


# Before and after a compaction ---------------------------------------------------------------


def thinking_breaches(
    before: Sequence[JSON], after: Sequence[JSON], binding: Binding, *, head_changed: bool = False
) -> list[Breach]:
    """Every rule on replayed reasoning that a cut from `before` to `after` breaks.

    A block is replayed whole and byte-identical or not at all, under every binding. With
    `drop_block` the API itself drops what the prefix invalidates: check that request as `newest`.

    Args:
        before: The messages as they were.
        after: The messages to send.
        binding: How signed reasoning is bound to what stands before it.
        head_changed: System text or tools differ too (they stand before every message).
    """
    found = _edited_thinking(before, after)
    if binding == "none":
        return found
    found.extend(_newest_thinking(before, after, may_drop=binding == "prefix"))
    if binding == "prefix":
        found.extend(_bound_thinking(before, after, head_changed))
    return found


def cut_breaches(before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
    """Every rule on a cut: those on replayed reasoning, and those on compaction blocks.

    Args:
        before, after: As for `thinking_breaches`.
        binding: Likewise; what is no binding is taken for the strictest.
    """
    bound: Binding = "none" if binding == "none" else "newest" if binding == "newest" else "prefix"
    found = thinking_breaches(before, after, bound)
    found += compaction.kept_turns_valid(before, after)
    return found + compaction.compaction_blocks_unchanged(before, after)


def _thinking(message: JSON) -> list[JSON]:
    return [block for block in blocks_of(message) if is_thinking(block)]


def _edited_thinking(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    """A5: a reasoning block is replayed byte-identical or not at all.

    Source: Anthropic's page on extended thinking.
    """
    known = {verbatim_json(block) for message in before for block in _thinking(message)}
    return [
        Breach("A5", index, "a reasoning block that is not one of the original's")
        for index, message in enumerate(after)
        for block in _thinking(message)
        if verbatim_json(block) not in known
    ]


def _newest_agent(messages: Sequence[JSON]) -> int:
    return max((i for i, message in enumerate(messages) if role_of(message) == "assistant"), default=-1)


def _newest_thinking(before: Sequence[JSON], after: Sequence[JSON], *, may_drop: bool) -> list[Breach]:
    """A5: the newest agent message's reasoning is sent as it was returned, all of it and in order.

    Where its tool loop is closed and the prefix changed, all of it may be left out (A6 asks for that).
    If the message itself is gone, nothing of it was modified.
    Source: Anthropic's page on extended thinking.
    """
    old, new = _newest_agent(before), _newest_agent(after)
    if old < 0 or new < 0:
        return []
    was, now = _thinking(before[old]), _thinking(after[new])
    if was == now:
        return []
    if not _same_message(before[old], after[new]):
        as_returned = not now or any(now == _thinking(message) for message in before)
    else:
        as_returned = not now and may_drop and not _loop_open(before, old)
    if as_returned:
        return []
    return [Breach("A5", new, f"the newest agent message returned {len(was)} other reasoning blocks")]


def _same_message(old: JSON, new: JSON) -> bool:
    """Whether `new` is what a cut left of `old`: they share a block that is not reasoning."""
    rest = [block for block in blocks_of(old) if not is_thinking(block)]
    return any(block in rest for block in blocks_of(new))


def _loop_open(messages: Sequence[JSON], newest: int) -> bool:
    """Whether the newest agent message's calls are still being worked on: only results follow."""
    following = messages[newest + 1 :]
    if not call_ids(messages[newest]) or any(_has_string(message) for message in following):
        return False
    return all(block.get("type") == "tool_result" for message in following for block in blocks_of(message))


def _bound_thinking(before: Sequence[JSON], after: Sequence[JSON], head_changed: bool) -> list[Breach]:
    """A6: no reasoning block is replayed once anything before it changed.

    Source: Anthropic's page on preserved thinking, BetaThinkingBlockBindingParam of its SDK.
    """
    change = (0, 0) if head_changed else _first_change(before, after)
    if change is None:
        return []
    first, block_at = change
    found: list[Breach] = []
    for index in range(first, len(after)):
        start = block_at if index == first else 0
        count = sum(is_thinking(block) for block in blocks_of(after[index])[start:])
        if count:
            found.append(Breach("A6", index, f"{count} reasoning blocks after the first change at message {first}"))
    return found


def _first_change(before: Sequence[JSON], after: Sequence[JSON]) -> tuple[int, int] | None:
    """The first message of `after` that differs, and the first block in it that does; None if none."""
    for index, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            was, now = blocks_of(old), blocks_of(new)
            same = (at for at, pair in enumerate(zip(was, now, strict=False)) if pair[0] != pair[1])
            return index, next(same, min(len(was), len(now)))
    return None


CUT_RULES = (
    _edited_thinking,
    _newest_thinking,
    _bound_thinking,
    compaction.kept_turns_valid,
    compaction.compaction_blocks_unchanged,
)
"""What a cut can break, seen from both sides."""
