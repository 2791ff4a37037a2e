"""The openhands dialect: event logs of both generations of OpenHands, read as what comes next.

V0 keeps a trajectory (`{"trajectory": [...]}`, a bare list of events, or `history` in an evaluation's
output), V1 and the agent SDK one typed event per line or file. `parse` gives the messages that the
model would be sent next, in Chat Completions form, which is what the client hands to its provider
library; `emit` gives back exactly what came in.

Which events are one message, and when it is sent: `openhands_view`. Fields: `openhands_v0`,
`openhands_v1`.

A condensation takes events out and puts a summary in their place; the events stay in the file. The
view has the newest summary, `foreign`. `region="all"` is the whole history: nothing is taken out,
what a summary replaced is marked `summarized`, each summary stands where it was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.envelope import offered_tools
from cenotaph.dialects.openhands_v0 import is_v0_event, offered_by_v0, read_v0
from cenotaph.dialects.openhands_v1 import is_v1_event, model_of_v1, offered_by_v1, read_v1
from cenotaph.dialects.session_draft import settled
from cenotaph.dialects.session_input import (
    check_region,
    decoded,
    nothing_understood,
    peeked,
    records_of,
    refused,
)

__all__ = ["OPENHANDS", "OpenHands"]

_HOLDERS = ("trajectory", "history", "events")
_EXPECTED = "an OpenHands trajectory, a list of its events, or an events.jsonl"


class OpenHands:
    """Event logs of OpenHands; the view is in Chat Completions form.

    Attributes:
        name: Name of the dialect.
        wire: Wire format of the view's messages.
    """

    name = "openhands"
    wire = "openai-chat"

    def recognise(self, value: JSON) -> bool:
        """The value is a log of this client, by the fields of its events: most of them, and the first.

        Args:
            value: File content as bytes, a list of events, or an object that holds one.
        """
        events = _events(peeked(value))
        if not events or not (is_v0_event(events[0]) or is_v1_event(events[0]) or _some_kind(events[0])):
            return False
        known = sum(is_v0_event(event) or is_v1_event(event) for event in events)
        return 2 * known > len(events)

    def parse(self, value: JSON, *, region: Literal["last", "all"] = "last") -> Transcript:
        """The messages that the model would be sent next.

        Args:
            value: As for `recognise`. Never changed.
            region: "last" with condensations applied, "all" the whole history.

        Returns:
            The transcript; its `defects` name everything that was odd and survived.

        Raises:
            InputError: A line can't be read, or no event is a message.
            DialectError: The value has another shape.
            ConfigurationError: `region` is neither.
        """
        everything = check_region(region)
        defects: list[Defect] = []
        content = decoded(value, self.name, defects.append)
        events = _events(content)
        if not events:
            raise refused(self.name, content, _EXPECTED)
        typed = any(is_v1_event(event) for event in events)
        drafts = (read_v1 if typed else read_v0)(events, everything=everything, report=defects.append)
        if not drafts:
            raise nothing_understood(self.name, (_kind(event) for event in events))
        tools = offered_by_v1(events) if typed else offered_by_v0(events)
        names, tools_text = offered_tools(None if tools is None else {"tools": tools})
        return settled(
            drafts,
            dialect=self.name,
            wire=self.wire,
            source=value,
            defects=defects,
            model=model_of_v1(events) if typed else None,
            tool_names=names,
            tools_text=tools_text,
        )

    def emit(self, transcript: Transcript) -> JSON:
        """Exactly what came in: the same bytes, the same object.

        Args:
            transcript: Made by `parse`.
        """
        return transcript.source


def _events(value: JSON) -> Sequence[JSON]:
    if isinstance(value, dict):
        return next((records_of(value[key]) for key in _HOLDERS if records_of(value.get(key))), ())
    return records_of(value)


def _some_kind(event: JSON) -> bool:
    """A typed event of a kind that is not known."""
    return isinstance(event, dict) and isinstance(event.get("kind"), str) and "source" in event and "id" in event


def _kind(event: JSON) -> str:
    if not isinstance(event, dict):
        return type(event).__name__
    return next((str(event[key]) for key in ("kind", "action", "observation") if event.get(key)), "(no kind)")


OPENHANDS = OpenHands()
