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
heading: harness text, as any command's output in that role. The first block of a result is never a
person's, whatever it says. A person's are the task, and what stands in the client's own elements
behind it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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

_HEADING = re.compile(r"\[[a-z][\w-]*(?: for .*?)?\] Result:[ \t]*(?P<more>\n)?", re.DOTALL)
_FEEDBACK = re.compile(r".{0,200}<(feedback|answer|user_message)>\n.*</\1>\s*", re.DOTALL)
_BY_CLIENT: Final = ("[ERROR] ", "[TASK RESUMPTION] ")
_DENIED: Final = "The user denied this operation"
_ASKING: Final = frozenset({"ask_followup_question", "plan_mode_respond"})
_REINJECTED: Final = Voice(Provenance.harness, frozenset({Mark.reinjected}))
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
    in_result = first_of_result = False
    for index, block in enumerate(blocks):
        place: Path = ("content", index)
        text = block.get("text") if block.get("type") == "text" else None
        if block.get("type") == "tool_result":
            marks = _act(block, tools)
            if marks:
                voices[place] = Voice(marks=marks)
        elif not isinstance(text, str):
            if in_result:
                voices[place] = HARNESS
        elif is_harness(text, ENVIRONMENT):
            in_result = False
            voices[place] = _REINJECTED
        elif (heading := _HEADING.match(text)) is not None:
            in_result, first_of_result = True, heading["more"] is None
            voices[place] = HARNESS
        elif in_result and (first_of_result or not _FEEDBACK.fullmatch(text)):
            first_of_result = False
            voices[place] = HARNESS
        elif text.startswith(_BY_CLIENT) and not _FEEDBACK.fullmatch(text):
            voices[place] = HARNESS
    return voices


def _act(block: Mapping[str, JSON], tools: Mapping[str, str]) -> frozenset[Mark]:
    """The mark of a result that carries what a person decided."""
    text = content_text(block.get("content"))[0]
    if text.startswith(_DENIED):
        return frozenset({Mark.rejection})
    asked = tools.get(str(block.get("tool_use_id"))) in _ASKING
    return frozenset({Mark.answer}) if asked and "<answer>" in text else frozenset()


CLINE = Cline()
