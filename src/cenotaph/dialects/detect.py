"""Which dialect a value is in: every dialect by its name, and detection by structure alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from cenotaph.core.ids import JSON
from cenotaph.core.model import Transcript
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.bedrock import BEDROCK_CONVERSE
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.dialects.cline import CLINE
from cenotaph.dialects.codex import CODEX
from cenotaph.dialects.envelope import describe, is_ai_sdk
from cenotaph.dialects.gemini import GEMINI
from cenotaph.dialects.gemini_cli import GEMINI_CLI
from cenotaph.dialects.langchain import LANGCHAIN
from cenotaph.dialects.mini_swe_agent import MINI_SWE_AGENT
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.dialects.openai_responses import OPENAI_RESPONSES
from cenotaph.dialects.opencode import OPENCODE
from cenotaph.dialects.openhands import OPENHANDS
from cenotaph.dialects.pi import PI
from cenotaph.dialects.pydantic_ai import PYDANTIC_AI
from cenotaph.dialects.swe_agent import SWE_AGENT
from cenotaph.errors import DialectError


class Dialect(Protocol):
    """Reads one foreign format and writes it back without loss."""

    name: str

    def recognise(self, value: JSON) -> bool:
        """Whether the value has the structure of this format."""

    def parse(self, value: JSON) -> Transcript:
        """The transcript of a value; raises `DialectError` where it has none."""

    def emit(self, transcript: Transcript) -> JSON:
        """The value of a transcript: `emit(parse(x)) == x`."""


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        dialect.name: dialect
        for dialect in (
            CLAUDE_CODE,
            CODEX,
            GEMINI_CLI,
            OPENHANDS,
            SWE_AGENT,
            MINI_SWE_AGENT,
            PI,
            OPENCODE,
            CLINE,
            GEMINI,
            BEDROCK_CONVERSE,
            OPENAI_RESPONSES,
            PYDANTIC_AI,
            LANGCHAIN,
            ANTHROPIC,
            OPENAI_CHAT,
        )
    }
)
"""Every dialect by name, in the order in which they are asked."""


_WAY_OUT: Final = (
    "Give a list of messages, a request body with `messages`, `input` or `contents`, or a session file's records."
)
_PLAIN_JSON: Final = (
    "Give plain JSON: model_dump() of an SDK's objects, messages_to_dict() of LangChain's, "
    "ModelMessagesTypeAdapter.dump_python(..., mode='json') of Pydantic AI's."
)
_SENT_BY_AI_SDK: Final = "Give the request body that the SDK sends to its provider, e.g. `result.request.body`."


def _is_plain(value: JSON) -> bool:
    """Whether the value, and each item of a list, is of a type that JSON has."""
    items = value if isinstance(value, list | tuple) else [value]
    return all(isinstance(item, dict | list | tuple | str | bytes | int | float | None) for item in items)


def detect(value: JSON) -> Dialect:
    """The first dialect that recognises a value; never a guess from words in its content.

    Raises:
        DialectError: None does; says what was seen and what would have been accepted.
    """
    for dialect in DIALECTS.values():
        if dialect.recognise(value):
            return dialect
    seen = describe(value)
    sdk = is_ai_sdk(value)
    whose = " of the Vercel AI SDK, which no provider is sent" if sdk else ""
    raise DialectError(
        f"No dialect recognises {seen}{whose}; accepted are {', '.join(DIALECTS)}.",
        next_step=_SENT_BY_AI_SDK if sdk else _WAY_OUT if _is_plain(value) else _PLAIN_JSON,
        seen=seen,
        accepted=list(DIALECTS),
    )


def by_name(name: str) -> Dialect:
    """The dialect of that name.

    Raises:
        DialectError: There is none; lists those that exist.
    """
    dialect = DIALECTS.get(name)
    if dialect is None:
        raise DialectError(
            f"There is no dialect {name!r}.",
            next_step=f"Use one of {', '.join(DIALECTS)}, or leave it out to have it detected.",
            dialect=name,
            accepted=list(DIALECTS),
        )
    return dialect
