"""The cline dialect: what Cline and its kin keep of a task, read as what comes next.

`api_conversation_history.json` is a list of Messages-API messages, sometimes with fields of the client
beside role and content. The view is in Anthropic form. Cline cuts old messages out of a request
without a record in this file (`conversationHistoryDeletedRange` stands in `ui_messages.json`), so the
view is the history as it is kept.

`ui_messages.json` is what was shown to a person. It lacks what the model was sent, so it is recognised
and refused by name.

Much in a person's role is not a person's. Each message ends in `<environment_details>`, which the
client writes anew each time. Without native calls the agent's text holds its calls, and a result is
text in a person's role: a heading `[tool for '...'] Result:`, and what follows it up to the next
heading: harness text, as any command's output in that role. The first block of such a result is never
a person's, whatever it says, save a refusal of the call. A person's are the task, what stands in the
client's own elements behind a result, and the results of the tools by which the agent asks: the
heading names the tool. What the client says on its own account is told by the whole of its form, never
by how it begins.

A refusal says only that, on one line; older versions put the person's words into the same text. A file that
holds such a text cannot be told from it, so from tools that bring in text from elsewhere it is not believed:
there the words of a person who refuses a read are kept as the client's, not lifted, and nobody can plant any.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Mark, Path, Provenance, Transcript
from cenotaph.dialects.client_lists import ENVIRONMENT, is_cline_history
from cenotaph.dialects.content import content_text, string_of
from cenotaph.dialects.forms import is_harness
from cenotaph.dialects.session_draft import HARNESS, PLAIN, Draft, Voice, settled
from cenotaph.dialects.session_input import decoded, is_whole, mapping_of, peeked, records_of, refused
from cenotaph.errors import InputError

__all__ = ["CLINE", "Cline"]

_BRINGING: Final = frozenset(
    {
        "access_mcp_resource",
        "browser_action",
        "codebase_search",
        "fetch_instructions",
        "list_code_definition_names",
        "list_files",
        "load_mcp_documentation",
        "read_command_output",
        "read_file",
        "search_files",
        "use_mcp_tool",
        "use_skill",
        "web_fetch",
        "web_search",
    }
)
"""Tools whose result is text from elsewhere, with nothing of the client before it."""
_COMMAND: Final = "execute_command"
_OTHERS: Final = frozenset(
    {
        _COMMAND,
        "apply_diff",
        "apply_patch",
        "focus_chain",
        "generate_explanation",
        "generate_image",
        "insert_content",
        "new_rule",
        "replace_in_file",
        "run_slash_command",
        "search_and_replace",
        "switch_mode",
        "update_todo_list",
        "use_subagents",
        "write_to_file",
    }
)
"""All others, those that ask a person aside."""
_SAID = re.compile(r".{0,200}?<(feedback|answer|user_message)>\n", re.DOTALL)
_DENIED_ALONE: Final = "The user denied this operation."
_DENIED = re.compile(r'(?:\{"status":\s*"denied",\s*"message":\s*")?The user denied this operation[^\n]{0,400}\s*')
_DENIED_IN_WORDS = re.compile(
    r"The user denied this operation and provided the following feedback:\n<feedback>\n.*</feedback>\s*", re.DOTALL
)
_STILL_RUNNING = re.compile(
    r"Command is still running in (?:the user's terminal|terminal [^\n]{1,400})\.(?:\n.*)?\n"
    r"The user provided the following feedback:\n<feedback>\n.*\n</feedback>\s*",
    re.DOTALL,
)
"""A person spoke while a command ran: without that the text ends in what the client will do (cline, core/task)."""
_ASKING: Final = frozenset({"ask_followup_question", "plan_mode_respond", "plan_mode_response"})
"""Tools whose result is what a person says to them."""
_REVIEWED: Final = frozenset({"attempt_completion", "condense", "new_task", "report_bug", "summarize_task"})
"""Tools whose result may be what a person says instead of going on; a command's output stands there as well."""
_TOOLS: Final = _BRINGING | _OTHERS | _ASKING | _REVIEWED
_HEADING = re.compile(
    rf"\[(?P<tool>{'|'.join(sorted(_TOOLS, key=len, reverse=True))})(?: for .*?)?\] Result:[ \t]*(?:(?P<more>\n)|\Z)",
    re.DOTALL,
)
_UNASKED: Final = (
    "[The user has switched to ACT MODE, so you may now proceed with the task.]",
    "[You have indicated that you need more exploration. Proceed with calling tools to continue the planning process.]",
    "(tool did not return anything)",
)
"""Whole results of asking tools that the client writes without a word of a person (cline, core/task)."""
_ERRORS: Final = ("The tool execution failed with the following error:", "Missing value for required parameter ")
_BY_CLIENT = re.compile(
    r"(?:Skipping tool |Tool )\[[^\n]*\](?: for [^\n]*)? was not executed because [^\n]*"
    r"|Skipping tool \[[^\n]*\] due to user rejecting a previous tool\.[^\n]*"
    r"|\[ERROR\] You did not use a tool in your previous response!.*"
    r"\(This is an automated message, so do not respond to it conversationally\.\)\s*"
    r"|\[TASK RESUMPTION\] (?:Resuming task\.\.\.|This task was interrupted [^\n.]{1,60}\. "
    r"(?:It may or may not be complete, so please reassess the task context|The conversation may have been incomplete)"
    r"\. Be aware that the project state may have changed since then\."
    r"(?: The current working directory is now '[^\n']*'\.)?"
    r"(?: If the task has not been completed, retry the last step before interruption and proceed with completing"
    r" the task\.)?"
    r"(?:\n\nNote: If you previously attempted a tool use that the user did not provide a result for, you should"
    r" assume the tool use was not successful[^\n]*)?"
    r"(?:\n\nIMPORTANT: If the last tool use was a replace_in_file or write_to_file that was interrupted,[^\n]*)?)\s*",
    re.DOTALL,
)
"""What the client says on its own account, whole (cline, core/prompts/responses.ts)."""
_REINJECTED: Final = Voice(Provenance.harness, frozenset({Mark.reinjected}))
_REFUSED: Final = Voice(Provenance.user, frozenset({Mark.rejection}))
_EXPECTED: Final = "the list of messages of an api_conversation_history.json"


class Cline:
    """Task histories of Cline; the view is in Anthropic form.

    Attributes:
        name: Name of the dialect.
        wire: Wire format of the view's messages.
    """

    name = "cline"
    wire = "anthropic"

    def recognise(self, value: JSON) -> bool:
        """The value is a task's history or what was shown of it, by the client's own elements and fields.

        Args:
            value: File content as bytes, or the decoded list.
        """
        content = peeked(value)
        return _is_shown(content) or is_cline_history(content)

    def parse(self, value: JSON) -> Transcript:
        """The messages that the model would be sent next.

        Args:
            value: As for `recognise`. Never changed.

        Returns:
            The transcript; its `defects` name everything that was odd and survived.

        Raises:
            InputError: The file can't be read, or is the one that was shown to a person.
            DialectError: The value has another shape.
        """
        defects: list[Defect] = []
        content = decoded(value, self.name, defects.append)
        if _is_shown(content):
            raise InputError(
                "This is a ui_messages.json: what Cline showed to a person, without what the model was sent.",
                next_step="Pass the api_conversation_history.json beside it.",
                found="ui-messages",
            )
        messages = records_of(content)
        if not messages or not all(isinstance(item, Mapping) for item in messages):
            raise refused(self.name, content, _EXPECTED)
        return settled(
            _read(messages), dialect=self.name, wire=self.wire, source=value, defects=defects, model=_model(messages)
        )

    def emit(self, transcript: Transcript) -> JSON:
        """Exactly what came in: the same bytes, the same list.

        Args:
            transcript: Made by `parse`.
        """
        return transcript.source


def _is_shown(content: JSON) -> bool:
    """A list of what was said and asked on the screen."""
    shown = [mapping_of(item) for item in records_of(content)]
    return bool(shown) and all(item.get("type") in ("say", "ask") and is_whole(item.get("ts")) for item in shown)


def _model(messages: Sequence[Mapping[str, JSON]]) -> str | None:
    """The newest model that a message names."""
    named = (string_of(mapping_of(item.get("modelInfo")).get("modelId")) for item in reversed(messages))
    return next((name for name in named if name is not None), None)


def _read(messages: Sequence[Mapping[str, JSON]]) -> list[Draft]:
    drafts: list[Draft] = []
    tools: dict[str, str] = {}
    for item in messages:
        raw = {key: item[key] for key in ("role", "content") if key in item}
        blocks = [mapping_of(block) for block in records_of(item.get("content"))]
        tools |= {str(b.get("id")): str(b.get("name")) for b in blocks if b.get("type") == "tool_use"}
        voices = _voices(blocks, tools) if item.get("role") == "user" else {}
        drafts.append(Draft(item if len(raw) == len(item) else raw, PLAIN, voices))
    return drafts


def _voices(blocks: Sequence[Mapping[str, JSON]], tools: Mapping[str, str]) -> dict[Path, Voice]:
    """Who wrote each block of a message in a person's role; a block that is not named is a person's."""
    voices: dict[Path, Voice] = {}
    result = _NO_RESULT
    for index, block in enumerate(blocks):
        text = block.get("text") if block.get("type") == "text" else None
        if block.get("type") == "tool_result":
            voice = Voice(marks=_act(block, tools))
        elif not isinstance(text, str):
            voice = PLAIN if result.tool in (None, *_ASKING) else HARNESS
        elif is_harness(text, ENVIRONMENT):
            result, voice = _NO_RESULT, _REINJECTED
        elif (heading := _HEADING.match(text)) is not None:
            result = _Result(heading["tool"], begun=heading["more"] is not None)
            voice = _in_result(text[heading.end() :], _Result(heading["tool"])) if result.begun else HARNESS
        elif result.tool is not None:
            voice = _in_result(text, result)
            result = _Result(result.tool, begun=True)
        else:
            voice = HARNESS if _BY_CLIENT.fullmatch(text) else PLAIN
        if voice != PLAIN:
            voices["content", index] = voice
    return voices


@dataclass(frozen=True, slots=True)
class _Result:
    """The result in whose blocks the reading stands.

    Attributes:
        tool: As its heading names it; None outside any result.
        begun: A block of it was read.
    """

    tool: str | None
    begun: bool = False


_NO_RESULT: Final = _Result(None)


def _in_result(text: str, result: _Result) -> Voice:
    """Who wrote a text of a result: of a tool that asks a person, behind the first block of any other the client."""
    if _refuses(text, result.tool):
        return _REFUSED
    if result.tool in _ASKING:
        return HARNESS if text.strip() in _UNASKED or text.startswith(_ERRORS) else PLAIN
    speaks = result.begun or result.tool in _REVIEWED
    return PLAIN if (speaks and _speaks(text)) or _interrupts(text, result.tool) else HARNESS


def _refuses(text: str, tool: str | None) -> bool:
    """A person's refusal, as the client tells it; see above for what a tool may only pretend."""
    if tool in _BRINGING:
        return text.strip() == _DENIED_ALONE
    return _DENIED.fullmatch(text) is not None or _DENIED_IN_WORDS.fullmatch(text) is not None


def _interrupts(text: str, tool: str | None) -> bool:
    """A person's words while a command runs."""
    return tool == _COMMAND and _STILL_RUNNING.fullmatch(text) is not None


def _speaks(text: str) -> bool:
    """One of the client's elements for a person's words; the client may put files behind it that it names."""
    opened = _SAID.match(text)
    return opened is not None and f"</{opened[1]}>" in text[opened.end() :]


def _act(block: Mapping[str, JSON], tools: Mapping[str, str]) -> frozenset[Mark]:
    """The mark of a result that carries what a person decided or said."""
    text = content_text(block.get("content"))[0]
    tool = tools.get(str(block.get("tool_use_id")))
    if _refuses(text, tool):
        return frozenset({Mark.rejection})
    if _interrupts(text, tool):
        return frozenset({Mark.answer})
    asked = tool in _ASKING and text.strip() not in _UNASKED and not text.startswith(_ERRORS)
    return frozenset({Mark.answer}) if asked or (tool in _REVIEWED and _speaks(text)) else frozenset()


CLINE = Cline()
