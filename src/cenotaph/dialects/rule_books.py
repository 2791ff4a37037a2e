"""Which rules hold for which wire format: the one place where whoever shows or counts them looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cenotaph.core.ids import JSON
from cenotaph.dialects import (
    anthropic_compaction_rules,
    anthropic_rules,
    bedrock_rules,
    gemini_rules,
    langchain_rules,
    openai_rules,
    pydantic_ai_rules,
    responses_rules,
)
from cenotaph.dialects.langchain_forms import Form
from cenotaph.dialects.rule_text import Check, RuleText, text_of

__all__ = ["BOOKS", "RuleBook"]


class _Checks(Protocol):
    def __call__(
        self, messages: Sequence[JSON], body: Mapping[str, JSON] | None = None, /, *, tools: bool | None = None
    ) -> Iterator[Check]: ...


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules of one provider.

    Attributes:
        title: Whose rules these are.
        checks: Asks every rule that messages, and the request around them if it is known, can be asked.
        request: The rules on a request, in order.
        cut: The rules on what changed between two requests.
    """

    title: str
    checks: _Checks
    request: tuple[Callable[..., Any], ...]
    cut: tuple[Callable[..., Any], ...] = ()

    def texts(self) -> list[RuleText]:
        """All rules in words: those on a request, then those on a cut."""
        return [text_of(rule) for rule in (*self.request, *self.cut)]


_LANGCHAIN = RuleBook("LangChain", langchain_rules.checks, langchain_rules.RULES)

BOOKS: Mapping[str, RuleBook] = {
    "anthropic": RuleBook(
        "Anthropic Messages",
        anthropic_rules.checks,
        (
            *anthropic_rules.RULES,
            anthropic_rules.tools_declared,
            *anthropic_rules.WHOLE_RULES,
            *anthropic_compaction_rules.BODY_RULES,
            anthropic_rules.ends_in_user,
        ),
        anthropic_rules.CUT_RULES,
    ),
    "openai-chat": RuleBook("OpenAI Chat Completions", openai_rules.checks, openai_rules.RULES),
    "openai-responses": RuleBook(
        "OpenAI Responses",
        responses_rules.checks,
        (*responses_rules.RULES, *responses_rules.BODY_RULES, responses_rules.compacted_window),
        responses_rules.CUT_RULES,
    ),
    "gemini": RuleBook("Gemini", gemini_rules.checks, gemini_rules.RULES, gemini_rules.CUT_RULES),
    "bedrock-converse": RuleBook(
        "Bedrock Converse",
        bedrock_rules.checks,
        (*bedrock_rules.RULES, bedrock_rules.tools_declared, *bedrock_rules.BODY_RULES),
        bedrock_rules.CUT_RULES,
    ),
    "pydantic-ai": RuleBook("Pydantic AI", pydantic_ai_rules.checks, pydantic_ai_rules.RULES),
    **{form.value: _LANGCHAIN for form in Form},
}
"""By name of the wire."""
