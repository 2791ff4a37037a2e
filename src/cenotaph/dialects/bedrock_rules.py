"""Rules of Bedrock's Converse on the messages of a request: one function per rule, each with its source.

A breach is data: an input may break rules before we ever touch it. The end of the list is treated as
the present: calls of a final agent message are not yet answered, which is no breach until a message
follows. Where a rule is that of the models behind Converse, its docstring says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from cenotaph.core.ids import JSON, verbatim_json
from cenotaph.core.model import Breach
from cenotaph.dialects.content import blocks_of, role_of, string_of
from cenotaph.dialects.rule_text import Check, asked, found_by, messages_in

Rule = Callable[[Sequence[JSON]], list[Breach]]
Binding = Literal["none", "newest", "prefix"]

_ROLES = frozenset({"user", "assistant"})


# What stands in a message --------------------------------------------------------------------


def held(message: JSON, name: str) -> list[Mapping[str, JSON]]:
    """What the blocks of one kind hold, in order: `toolUse`, `toolResult`, ..."""
    found = (block.get(name) for block in blocks_of(message))
    return [value for value in found if isinstance(value, Mapping)]


def is_reasoning(block: JSON) -> bool:
    """Whether a block is reasoning, readable or redacted."""
    return isinstance(block, Mapping) and block.get("reasoningContent") is not None


def is_client_tool(value: Mapping[str, JSON]) -> bool:
    """Whether a `toolUse` or `toolResult` is the client's: what the provider runs has a `type`."""
    return value.get("type") is None


def _calls(message: JSON) -> list[JSON]:
    if role_of(message) != "assistant":
        return []
    return [call.get("toolUseId") for call in held(message, "toolUse") if is_client_tool(call)]


def _results(message: JSON) -> list[JSON]:
    return [result.get("toolUseId") for result in held(message, "toolResult") if is_client_tool(result)]


# Calls and results ---------------------------------------------------------------------------


def roles_alternate(messages: Sequence[JSON]) -> list[Breach]:
    """B1: no two messages of one role in a row.

    Source: crewAIInc/crewAI#4766; the API's error text "roles must alternate".
    """
    return [
        Breach("B1", index + 1, f"two messages of role {role_of(later)!r} in a row")
        for index, (earlier, later) in enumerate(pairwise(messages))
        if role_of(earlier) == role_of(later)
    ]


def calls_answered_next(messages: Sequence[JSON]) -> list[Breach]:
    """B1: each `toolUse` has exactly one `toolResult` of its id, all of them in the one message after it.

    Source: crewAIInc/crewAI#4766.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages[:-1]):
        answers = _results(messages[index + 1])
        for call_id in _calls(message):
            count = answers.count(call_id)
            if count != 1:
                found.append(Breach("B1", index, f"call {call_id!r} has {count} results in the next message"))
    return found


def results_have_calls(messages: Sequence[JSON]) -> list[Breach]:
    """B2: each `toolResult` has the id of a `toolUse` in the message before it.

    Source: the API's error text "toolResult blocks ... exceeds the number of toolUse blocks of previous turn".
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        calls = _calls(messages[index - 1]) if index else []
        found.extend(
            Breach("B2", index, f"result {call_id!r} has no call in the message before it")
            for call_id in _results(message)
            if call_id not in calls
        )
    return found


def results_come_first(messages: Sequence[JSON]) -> list[Breach]:
    """B-results-first: in a message with results, they stand before every other block.

    Source: rule A2 of the models that most requests go to (Claude), which Converse passes them on to.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        kinds = ["toolResult" in block for block in blocks_of(message) if "cachePoint" not in block]
        if any(later and not earlier for earlier, later in pairwise(kinds)):
            found.append(Breach("B-results-first", index, "a toolResult stands after another kind of block"))
    return found


def call_ids_unique(messages: Sequence[JSON]) -> list[Breach]:
    """B-unique-id: inside one message every call has an id of its own. Source: as B1, one result for each."""
    found: list[Breach] = []
    for index, message in enumerate(messages):
        ids = _calls(message)
        if len(ids) != len({str(call_id) for call_id in ids}):
            found.append(Breach("B-unique-id", index, "two calls of one message have the same id"))
    return found


def tools_declared(messages: Sequence[JSON], tools: bool | None) -> list[Breach]:
    """B-tools: with any tool block in the messages the request must have a `toolConfig`.

    Checked only where that is known. Source: the API's error text "The toolConfig field must be defined
    when using toolUse and toolResult content blocks" (strands-agents/harness-sdk#998).
    """
    if tools is not False:
        return []
    for index, message in enumerate(messages):
        if _calls(message) or _results(message):
            return [Breach("B-tools", index, "tool blocks in a request without toolConfig")]
    return []


# Shapes --------------------------------------------------------------------------------------


def first_is_user(messages: Sequence[JSON]) -> list[Breach]:
    """B-first-user: the first message is the user's.

    Source: the API's error text "A conversation must start with a user message".
    """
    if messages and role_of(messages[0]) != "user":
        return [Breach("B-first-user", 0, f"the first message has role {role_of(messages[0])!r}")]
    return []


def roles_known(messages: Sequence[JSON]) -> list[Breach]:
    """B-role: a message is an object with the role user or assistant. Source: the API reference of Message."""
    return [
        Breach("B-role", index, f"role {role_of(message)!r} is neither user nor assistant")
        for index, message in enumerate(messages)
        if role_of(message) not in _ROLES
    ]


def blocks_in_place(messages: Sequence[JSON]) -> list[Breach]:
    """B-block-role: calls and reasoning stand in the agent's messages, the client's results in the user's.

    Source: the API reference of ContentBlock.
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        role = role_of(message)
        if role != "assistant" and (held(message, "toolUse") or any(map(is_reasoning, blocks_of(message)))):
            found.append(Breach("B-block-role", index, f"a call or reasoning in a message of role {role!r}"))
        if role != "user" and _results(message):
            found.append(Breach("B-block-role", index, f"a toolResult in a message of role {role!r}"))
    return found


def content_not_empty(messages: Sequence[JSON]) -> list[Breach]:
    """B-empty-content: each message has a block that is no cache point.

    Source: the API reference of Message: content is required; its error text "The content field in the
    Message object is empty".
    """
    return [
        Breach("B-empty-content", index, "a message without content")
        for index, message in enumerate(messages)
        if all("cachePoint" in block for block in blocks_of(message))
    ]


def text_not_blank(messages: Sequence[JSON]) -> list[Breach]:
    """B-empty-text: no text is blank, in a message or in a result.

    Source: the API's error texts "The text field in the ContentBlock object is blank"
    (earendil-works/pi#4975) and "text content blocks must contain non-whitespace text"
    (NousResearch/hermes-agent#61318).
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        inner = [block for result in held(message, "toolResult") for block in blocks_of(result)]
        blank = sum(is_blank_text(block) for block in (*blocks_of(message), *inner))
        found.extend(Breach("B-empty-text", index, "a blank text block") for _ in range(blank))
    return found


def is_blank_text(block: JSON) -> bool:
    """Whether a block is text of nothing but white space."""
    if not isinstance(block, Mapping) or "text" not in block:
        return False
    text = block["text"]
    return not isinstance(text, str) or not text.strip()


def errors_say_something(messages: Sequence[JSON]) -> list[Breach]:
    """B-empty-error: a result of status "error" has content.

    Source: the API's error text "The content field ... toolResult cannot be empty when status value is
    error" (aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15).
    """
    return [
        Breach("B-empty-error", index, "a failed result without content")
        for index, message in enumerate(messages)
        for result in held(message, "toolResult")
        if result.get("status") == "error" and not result.get("content")
    ]


def reasoning_not_last(messages: Sequence[JSON]) -> list[Breach]:
    """B-final-reasoning: the last block of an agent message is never reasoning.

    Source: rule A-final-thinking of the models behind Converse that reason and call tools (Claude).
    """
    found: list[Breach] = []
    for index, message in enumerate(messages):
        blocks = [block for block in blocks_of(message) if "cachePoint" not in block]
        if role_of(message) == "assistant" and blocks and is_reasoning(blocks[-1]):
            found.append(Breach("B-final-reasoning", index, "the message ends in reasoning"))
    return found


RULES: tuple[Rule, ...] = (
    roles_alternate,
    calls_answered_next,
    results_have_calls,
    results_come_first,
    call_ids_unique,
    first_is_user,
    roles_known,
    blocks_in_place,
    content_not_empty,
    text_not_blank,
    errors_say_something,
    reasoning_not_last,
)
"""Every rule that the messages alone can break; `tools_declared` also asks for the request."""


# The request as a whole ----------------------------------------------------------------------

_COMPACTION = "compact"
_MODEL_FIELDS = "additionalModelRequestFields"


def no_compaction_asked(messages: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """B4: the compaction of Claude's own API is not asked for: Converse has neither of its mechanisms.

    Neither `compaction` nor a `compact_...` edit in `context_management` stands in the body or in
    `additionalModelRequestFields`, nor a `compact-...` beta in `anthropic_beta`. Edits that only clear are no
    business of this rule. Source: docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-compaction.md.
    """
    fields = body.get(_MODEL_FIELDS)
    holders = [body, fields] if isinstance(fields, Mapping) else [body]
    return [
        Breach("B4", -1, f"{asked_for}: Converse has no compaction, only InvokeModel has")
        for holder in holders
        for asked_for in _compactions_in(holder)
    ]


def _compactions_in(fields: Mapping[str, JSON]) -> Iterator[str]:
    if fields.get("compaction") is not None:
        yield "compaction"
    management = fields.get("context_management")
    edits = management.get("edits") if isinstance(management, Mapping) else None
    kinds = [string_of(edit.get("type")) for edit in _listed(edits) if isinstance(edit, Mapping)]
    for name in (*kinds, *_listed(fields.get("anthropic_beta"))):
        if isinstance(name, str) and name.startswith(_COMPACTION):
            yield name


def _listed(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


BODY_RULES = (no_compaction_asked,)
"""What a whole request can break."""

_REQUEST_KEYS = frozenset({"toolConfig", "modelId", "inferenceConfig", _MODEL_FIELDS})


def _declares_tools(body: Mapping[str, JSON] | None) -> bool | None:
    """Whether a request declares tools; None if there is none, or only an object that holds messages."""
    if body is None or not body.keys() & _REQUEST_KEYS:
        return None
    config = body.get("toolConfig")
    return isinstance(config, Mapping) and bool(config.get("tools"))


def checks(
    messages: Sequence[JSON], body: Mapping[str, JSON] | None = None, *, tools: bool | None = None
) -> Iterator[Check]:
    """Asks every rule that can be asked, in order.

    Args:
        messages: The messages of a request.
        body: The request; None if only its messages are known.
        tools: Whether it has a `toolConfig` with tools; None if the body says, or nobody knows.
    """
    yield from asked(RULES, messages)
    declared = _declares_tools(body) if tools is None else tools
    if declared is not None:
        yield tools_declared, tools_declared(messages, declared)
    if body is not None:
        yield from ((rule, rule(messages, body)) for rule in BODY_RULES)


def breaches(messages: Sequence[JSON], *, tools: bool | None = None) -> list[Breach]:
    """Every rule that the messages break, rule by rule.

    Args:
        messages: The messages of a request.
        tools: Whether the request has a `toolConfig` with tools; None if that is not known.
    """
    return found_by(checks(messages, tools=tools))


def request_breaches(body: Mapping[str, JSON]) -> list[Breach]:
    """Every rule that a whole request body breaks."""
    messages = messages_in(body, "messages")
    if messages is None:
        return [Breach("B-role", -1, "the body has no list of messages")]
    return found_by(checks(messages, body))


# Before and after a compaction ---------------------------------------------------------------


def reasoning_breaches(before: Sequence[JSON], after: Sequence[JSON], binding: Binding) -> list[Breach]:
    """B3: reasoning goes back whole and byte-identical or not at all, and what binds it is unchanged.

    Args:
        before: The messages as they were.
        after: The messages to send.
        binding: "none"; "newest": the newest agent message that still stands keeps all of its reasoning;
            "prefix": no reasoning stands behind the first message that changed, and in an open tool loop the
            newest keeps its own, so nothing before it may change.

    Source: the note at ReasoningTextBlock in botocore's service description; rules A5 and A6 for Claude.
    """
    known = {verbatim_json(block) for message in before for block in _reasoning(message)}
    found = [
        Breach("B3", index, "a reasoning block that is not one of the original's")
        for index, message in enumerate(after)
        for block in _reasoning(message)
        if verbatim_json(block) not in known
    ]
    if binding == "none":
        return found
    if binding == "newest":
        return found + _newest_reasoning(before, after)
    if _loop_open(before):
        found += _newest_reasoning(before, after)
    return found + _bound_reasoning(before, after)


def cut_breaches(before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
    """Every rule on a cut; what is no binding is taken for the strictest."""
    bound: Binding = "none" if binding == "none" else "newest" if binding == "newest" else "prefix"
    return reasoning_breaches(before, after, bound)


def _loop_open(messages: Sequence[JSON]) -> bool:
    """Whether the newest agent message's calls are still being worked on: only results follow."""
    newest = max((at for at, message in enumerate(messages) if role_of(message) == "assistant"), default=-1)
    if newest < 0 or not any("toolUse" in block for block in blocks_of(messages[newest]) if isinstance(block, Mapping)):
        return False
    return all(
        isinstance(block, Mapping) and "toolResult" in block
        for message in messages[newest + 1 :]
        for block in blocks_of(message)
    )


def _reasoning(message: JSON) -> list[JSON]:
    return [block for block in blocks_of(message) if is_reasoning(block)]


def _newest_agent(messages: Sequence[JSON]) -> JSON:
    """None where the agent says nothing."""
    return next((message for message in reversed(messages) if role_of(message) == "assistant"), None)


def _newest_reasoning(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    old, new = _newest_agent(before), _newest_agent(after)
    if not _same_message(old, new):
        return []
    was, now = _reasoning(old), _reasoning(new)
    # Messages that were joined bring their reasoning with them, before that of the newest.
    if was == now[len(now) - len(was) :]:
        return []
    note = f"the newest agent message returned {len(was)} other reasoning blocks"
    return [Breach("B3", list(after).index(new), note)]


def _same_message(old: JSON, new: JSON) -> bool:
    """Whether `new` is what a cut left of `old`: they share a block that is not reasoning."""
    rest = [block for block in blocks_of(old) if not is_reasoning(block)]
    return any(block in rest for block in blocks_of(new))


def _bound_reasoning(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    changed = (index for index, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    first = next(changed, len(after))
    return [
        Breach("B3", index, f"reasoning after the first change, at message {first}")
        for index in range(first, len(after))
        if _reasoning(after[index])
    ]


CUT_RULES = (reasoning_breaches,)
"""What a cut can break, seen from both sides."""
