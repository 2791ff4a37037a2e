"""The Messages API's rules on its own compaction and context editing: one function per rule, each with its source.

Two mechanisms make summaries. *On demand*: a request with a top-level `compaction` is answered by a signed
`compaction` block alone, which later requests send first. *At a threshold*: the edit `compact_20260112` in
`context_management` makes one in the middle of an ordinary answer, and what stands before it is ignored.

Not decided here, because a request does not hold it: which model wrote a summary (A7), whether the betas that
a mechanism needs are named in the request's headers (they are checked where the body names its betas), and
what the last summarised message was (A7; a swap, seen from both sides, shows it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from cenotaph.core.ids import JSON, verbatim_json
from cenotaph.core.model import Breach
from cenotaph.dialects.anthropic_blocks import call_ids, is_thinking, of_type
from cenotaph.dialects.content import blocks_of, role_of, string_of
from cenotaph.limits import anthropic_compact_trigger_tokens_min

__all__ = [
    "BODY_RULES",
    "MESSAGE_RULES",
    "compaction_blocks_unchanged",
    "kept_turns_valid",
    "opens_with_summary",
]

Rule = Callable[[Sequence[JSON]], list[Breach]]
BodyRule = Callable[[Sequence[JSON], Mapping[str, JSON]], list[Breach]]

_ON_DEMAND_BETA = "compact-2026-09-04"
_THRESHOLD_BETA = "compact-2026-01-12"
_EDITING_BETA = "context-management-2025-06-27"
_COMPACT = "compact_20260112"
_CLEAR_TOOLS = "clear_tool_uses_20250919"
_CLEAR_THINKING = "clear_thinking_20251015"
_TOKENS = ("input_tokens",)
_TOOL_USES = ("tool_uses",)


# Summaries in the messages -------------------------------------------------------------------


def opens_with_summary(message: JSON) -> bool:
    """Whether a message is the agent's and its first block is a `compaction` block."""
    first = next(iter(blocks_of(message)), None)
    return role_of(message) == "assistant" and first is not None and first.get("type") == "compaction"


def compaction_content(messages: Sequence[JSON]) -> list[Breach]:
    """A9: a `compaction` block's content is text or null, never the empty string.

    Source: BetaCompactionBlockParam of Anthropic's SDK.
    """
    return [
        Breach("A9", index, "a compaction block whose content is neither text nor null")
        for index, message in enumerate(messages)
        for block in of_type(message, "compaction")
        if block.get("content") == "" or not isinstance(block.get("content"), str | None)
    ]


def summary_first(messages: Sequence[JSON]) -> list[Breach]:
    """A10: a signed `compaction` block is the first block of the first message.

    Blocks without a signature come from a threshold and stand where they were written.
    Source: BetaCompactionConfigParam of Anthropic's SDK ("sends back first in `messages`").
    """
    return [
        Breach("A10", index, "a signed compaction block with something before it")
        for index, message in enumerate(messages)
        for at, block in enumerate(blocks_of(message))
        if block.get("type") == "compaction" and block.get("signature") is not None and (index or at)
    ]


def kept_turns_open(messages: Sequence[JSON]) -> list[Breach]:
    """A7: behind a summary, kept reasoning is valid only if the first kept message is no `system` message.

    The API would merge it with the last summarised message. Nothing is asked where no reasoning was kept.
    Source: Anthropic's page on compaction and preserved thinking.
    """
    kept = messages[1:]
    if not kept or not opens_with_summary(messages[0]) or role_of(kept[0]) != "system":
        return []
    if not any(is_thinking(block) for message in kept for block in blocks_of(message)):
        return []
    return [Breach("A7", 1, "kept turns with reasoning open with a system message")]


MESSAGE_RULES: tuple[Rule, ...] = (compaction_content, summary_first, kept_turns_open)
"""What the messages alone can break."""


# What a request asks for ---------------------------------------------------------------------


def compaction_closed(messages: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """A8: a request for a compaction does not end in a call without its result.

    That each call and its result are on the same side of the cut is seen in the request after it: rule A3.
    Source: Anthropic's page on compaction that keeps recent turns.
    """
    if body.get("compaction") is None or not messages or not call_ids(messages[-1]):
        return []
    return [Breach("A8", len(messages) - 1, "a compaction request that ends in an unanswered call")]


def compaction_alone(messages: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """A10: top-level `compaction` is of type `summarize`, names its beta and stands without `context_management`.

    Source: BetaCompactionConfigParam of Anthropic's SDK and the note at the parameter.
    """
    config = body.get("compaction")
    if config is None:
        return []
    found = list(_without_beta("A10", body, _ON_DEMAND_BETA))
    if not isinstance(config, Mapping) or config.get("type") != "summarize":
        found.append(Breach("A10", -1, "compaction is not of type 'summarize'"))
    if body.get("context_management") is not None:
        found.append(Breach("A10", -1, "compaction cannot be combined with context_management"))
    return found


def threshold_settings(messages: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """A11: the edit `compact_20260112` has a trigger of at least 50,000 input tokens.

    Its instructions are text, `pause_after_compaction` is a yes or no. Each may be left out; the trigger is
    then 150,000 tokens. The edit needs its beta.
    Source: Anthropic's pages on compaction, BetaCompact20260112EditParam of its SDK.
    """
    found: list[Breach] = []
    for edit in _edits(body, _COMPACT):
        found += _without_beta("A11", body, _THRESHOLD_BETA)
        if not _is_amount(edit.get("trigger"), _TOKENS, anthropic_compact_trigger_tokens_min):
            note = f"the trigger is not an amount of at least {anthropic_compact_trigger_tokens_min} input_tokens"
            found.append(Breach("A11", -1, note))
        if not isinstance(edit.get("instructions"), str | None):
            found.append(Breach("A11", -1, "the instructions are not text"))
        if "pause_after_compaction" in edit and not isinstance(edit["pause_after_compaction"], bool):
            found.append(Breach("A11", -1, "pause_after_compaction is neither true nor false"))
    return found


def clearing_settings(messages: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """A12: the edit `clear_tool_uses_20250919` counts its trigger, what it keeps and its least in their units.

    The trigger in input tokens or tool uses, `keep` in tool uses, `clear_at_least` in input tokens.
    What is left out has its default (100,000 tokens, 3 uses, no least). `exclude_tools` lists names;
    `clear_tool_inputs` is a yes or no, or lists names. The edit needs its beta.
    Source: Anthropic's page on context editing, BetaClearToolUses20250919EditParam of its SDK.
    """
    found: list[Breach] = []
    for edit in _edits(body, _CLEAR_TOOLS):
        found += _without_beta("A12", body, _EDITING_BETA)
        for field, units in (("trigger", _TOKENS + _TOOL_USES), ("keep", _TOOL_USES), ("clear_at_least", _TOKENS)):
            if not _is_amount(edit.get(field), units, 0):
                found.append(Breach("A12", -1, f"{field} is not an amount of {' or '.join(units)}"))
        if not _are_names(edit.get("exclude_tools")):
            found.append(Breach("A12", -1, "exclude_tools is not a list of names"))
        inputs = edit.get("clear_tool_inputs")
        if not isinstance(inputs, bool) and not _are_names(inputs):
            found.append(Breach("A12", -1, "clear_tool_inputs is neither true, false nor a list of names"))
    return found


def thinking_edit_first(messages: Sequence[JSON], body: Mapping[str, JSON]) -> list[Breach]:
    """A-edit-order: `clear_thinking_20251015` stands before every other edit.

    Source: Anthropic's page on context editing, on combining strategies.
    """
    if any(string_of(edit.get("type")) == _CLEAR_THINKING for edit in _all_edits(body)[1:]):
        return [Breach("A-edit-order", -1, f"{_CLEAR_THINKING} stands behind another edit")]
    return []


def _all_edits(body: Mapping[str, JSON]) -> list[Mapping[str, JSON]]:
    management = body.get("context_management")
    edits = management.get("edits") if isinstance(management, Mapping) else None
    return [edit for edit in edits if isinstance(edit, Mapping)] if isinstance(edits, list) else []


def _edits(body: Mapping[str, JSON], kind: str) -> list[Mapping[str, JSON]]:
    """The edits of one type; types that are not known here are passed over."""
    return [edit for edit in _all_edits(body) if edit.get("type") == kind]


def _is_amount(value: JSON, units: Sequence[str], least: int) -> bool:
    """Whether a value is left out, or a whole number of at least so many of one of the units."""
    if value is None:
        return True
    amount = value.get("value") if isinstance(value, Mapping) and value.get("type") in units else None
    return isinstance(amount, int) and not isinstance(amount, bool) and amount >= least


def _are_names(value: JSON) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(name, str) for name in value))


def _without_beta(rule: str, body: Mapping[str, JSON], needed: str) -> Iterator[Breach]:
    """A breach if the body names its betas and this one is not among them; a header is not seen here."""
    for key in ("betas", "anthropic_beta"):
        named = body.get(key)
        listed = named.split(",") if isinstance(named, str) else named
        if isinstance(listed, list) and needed not in [name.strip() for name in listed if isinstance(name, str)]:
            yield Breach(rule, -1, f"the body names its betas and {needed} is not among them")


BODY_RULES: tuple[BodyRule, ...] = (
    compaction_closed,
    compaction_alone,
    threshold_settings,
    clearing_settings,
    thinking_edit_first,
)
"""What a whole request can break."""


# Before and after ----------------------------------------------------------------------------


def kept_turns_valid(before: Sequence[JSON], after: Sequence[JSON], *, head_changed: bool = False) -> list[Breach]:
    """A7: reasoning in kept turns is valid only if these directly follow the summarised ones, unchanged.

    The first of them has another role than the last summarised message and is no `system` message; system
    text and tools are as they were. Which model wrote the summary is not known here.

    Args:
        before: The history whose older messages were summarised.
        after: The messages to send: the summary in the first, then the kept turns, then new ones.
        head_changed: System text or tools that are not deferred differ.

    Source: Anthropic's page on compaction and preserved thinking.
    """
    if not after or not opens_with_summary(after[0]):
        return []
    kept = after[1:]
    returned = {verbatim_json(block) for message in before for block in blocks_of(message) if is_thinking(block)}
    reasoned = [index for index, message in enumerate(kept, 1) if _replays(message, returned)]
    if not reasoned:
        return []
    cut = next(at for at in range(1, len(before) + 1) if list(before[at:]) == list(kept[: len(before) - at]))
    if not head_changed and _joins(before, cut, reasoned):
        return []
    return [Breach("A7", index, "reasoning in a kept turn that the summary does not lead up to") for index in reasoned]


def _replays(message: JSON, returned: set[bytes]) -> bool:
    return any(verbatim_json(block) in returned for block in blocks_of(message))


def _joins(before: Sequence[JSON], cut: int, reasoned: Sequence[int]) -> bool:
    """Whether the message at the cut can follow the summary, and all replayed reasoning is of kept turns."""
    if max(reasoned) > len(before) - cut:
        return False
    return role_of(before[cut]) not in ("system", role_of(before[cut - 1]))


def compaction_blocks_unchanged(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    """A9: a `compaction` block goes back with every field as it came.

    Source: BetaCompactionBlockParam of Anthropic's SDK.
    """
    known = [block for message in before for block in of_type(message, "compaction")]
    return [
        Breach("A9", index, "a compaction block that is not one of the original's")
        for index, message in enumerate(after)
        for block in of_type(message, "compaction")
        if block not in known
    ]
