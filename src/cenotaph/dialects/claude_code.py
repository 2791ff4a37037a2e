"""The claude-code dialect: session files of the Claude Code client, read as what comes next.

A session is an append-only log (`~/.claude/projects/<folder>/<session>.jsonl`): one JSON record per
line, a tree by `uuid` and `parentUuid`, with much in it that is never sent to a model. `parse` gives
the messages that the model would be sent next, in Anthropic form; `emit` gives back exactly what came
in. The file itself is never edited.

How it is read, and where each rule is argued:

- `jsonl`: bytes to values; torn last lines, glued objects, what is refused;
- `claude_code_records`: the fields that count;
- `claude_code_branches`: region, replays, rewound branches, sub-agents;
- `claude_code_queue`: what a person typed while the agent ran, and what `dequeue`, `remove` and
  `popAll` mean, as measured on real sessions;
- `claude_code_view`: one message per API message, results right behind their calls;
- `claude_code_parts`, `claude_code_forms`: who wrote a block, and the table of the client's forms.

What is not sent, and so is not in the view: progress, snapshots, titles, links, hook and timing
records, sub-agents' records, what the client wrote in the agent's role (`<synthetic>`, API errors),
what is shown to a person only. Attachments other than `queued_command` are not in the view either: the
client builds a reminder from each anew, and its words are not in the file.

`region="all"` is the whole history: no boundary and no microcompaction counts, spans that a later
summary replaces are marked `summarized`, the summary stays in its place, `foreign`.
"""

from __future__ import annotations

from typing import Literal

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.claude_code_branches import select
from cenotaph.dialects.claude_code_queue import deliveries
from cenotaph.dialects.claude_code_records import Record, looks_like_session, read_records
from cenotaph.dialects.claude_code_view import assemble
from cenotaph.errors import ConfigurationError, InputError

__all__ = ["CLAUDE_CODE", "ClaudeCode"]

Region = Literal["last", "all"]


class ClaudeCode:
    """Session files of Claude Code; the view is in Anthropic form.

    Attributes:
        name: Name of the dialect.
        wire: Wire format of the view's messages.
    """

    name = "claude-code"
    wire = "anthropic"

    def recognise(self, value: JSON) -> bool:
        """The value is a session of this client, by the structure of its records.

        Args:
            value: File content as bytes, a list of decoded records, or a web export (an object with
                `loglines`). Anything else is not.
        """
        return looks_like_session(value)

    def parse(self, value: JSON, *, region: Region = "last") -> Transcript:
        """The messages that the model would be sent next.

        Args:
            value: As for `recognise`. Never changed.
            region: "last" from the last compaction on; "all" the whole history.

        Returns:
            The transcript; its `defects` name everything that was odd and survived.

        Raises:
            InputError: Nothing was understood, or a line can't be read.
            DialectError: The value has another shape.
            ConfigurationError: `region` is neither.
        """
        if region not in ("last", "all"):
            raise ConfigurationError(f'region is {region!r}; "last" or "all" was expected.', region=region)
        defects: list[Defect] = []
        records = read_records(value, defects.append)
        everything = region == "all"
        selection = select(records, everything=everything, report=defects.append)
        view = assemble(selection, deliveries(records), clear=not everything, report=defects.append)
        if not view.messages:
            raise _nothing_understood(records)
        return Transcript(
            dialect=self.name,
            wire=self.wire,
            messages=view.messages,
            model=view.model,
            session=next((r.session for r in reversed(records) if r.is_message and r.session), None),
            usage=view.usage,
            defects=tuple(defects),
            source=value,
        )

    def emit(self, transcript: Transcript) -> JSON:
        """Exactly what came in: the same bytes, the same list.

        Args:
            transcript: Made by `parse`.
        """
        return transcript.source


def _nothing_understood(records: list[Record]) -> InputError:
    kinds = sorted({record.type or "(no type)" for record in records})
    held = f"{len(records)} record(s) of type {', '.join(kinds)}" if records else "no record"
    return InputError(
        f"The session holds {held}, but no message that a model would be sent; a user or assistant record "
        "with content was expected.",
        next_step="Check that this is the session's own file.",
        records=len(records),
        types=kinds,
    )


CLAUDE_CODE = ClaudeCode()
