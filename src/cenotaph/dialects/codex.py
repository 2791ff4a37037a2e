"""The codex dialect: session files of the Codex client, read as what comes next.

A session is an append-only rollout (`~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`). `parse`
gives the items that the model would be sent next, in Responses form; `emit` gives back exactly what came
in. The file itself is never edited.

How it is read, and where each rule is argued:

- `jsonl`: bytes to values; torn last lines, glued objects, what is refused;
- `codex_records`: wrapped and bare records, what makes a file a rollout;
- `codex_view`: the replay: compactions, rolled-back turns, who typed what, what the provider counted;
- `openai_responses_items`: the items themselves.

What is not sent, and so is not in the view: events, turn contexts, snapshots for undo, the client's own
state. The system prompt stands outside the items, in the metadata, and is not in the view either.

After a compaction the view is its replacement history and what follows. Where the provider made it,
that is every user message and one opaque item: nobody but the provider knows what the item says of the
rest, which still stands in the file before the boundary. `region="all"` is that whole history: no
boundary counts, what a later summary replaces is marked `summarized`, the summary stays in its place.
"""

from __future__ import annotations

from typing import Literal

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect, Transcript
from cenotaph.dialects.codex_records import Record, looks_like_session, read_records
from cenotaph.dialects.codex_view import assemble
from cenotaph.errors import ConfigurationError, InputError

__all__ = ["CODEX", "Codex"]

Region = Literal["last", "all"]


class Codex:
    """Session files of the Codex client; the view is in Responses form.

    Attributes:
        name: Name of the dialect.
        wire: Wire format of the view's messages.
    """

    name = "codex"
    wire = "openai-responses"

    def recognise(self, value: JSON) -> bool:
        """The value is a rollout, by the structure of its records.

        Args:
            value: File content as bytes, or a list of decoded records. Anything else is not.
        """
        return looks_like_session(value)

    def parse(self, value: JSON, *, region: Region = "last") -> Transcript:
        """The items that the model would be sent next.

        Args:
            value: As for `recognise`. Never changed.
            region: "last" from the last compaction on; "all" the whole history.

        Returns:
            The transcript; its `defects` name everything that was odd and survived.

        Raises:
            InputError: Nothing was understood, a line can't be read, or the file is packed.
            DialectError: The value has another shape.
            ConfigurationError: `region` is neither.
        """
        if region not in ("last", "all"):
            raise ConfigurationError(f'region is {region!r}; "last" or "all" was expected.', region=region)
        defects: list[Defect] = []
        records = read_records(value, defects.append)
        view = assemble(records, everything=region == "all", report=defects.append)
        if not view.messages:
            raise _nothing_understood(records)
        return Transcript(
            dialect=self.name,
            wire=self.wire,
            messages=view.messages,
            model=view.model,
            session=view.session,
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
    kinds = sorted({record.type for record in records})
    held = f"{len(records)} record(s) of type {', '.join(kinds)}" if records else "no record"
    return InputError(
        f"The session holds {held}, but no item that a model would be sent; a response_item record was expected.",
        next_step="Check that this is the session's own rollout file.",
        records=len(records),
        types=kinds,
    )


CODEX = Codex()
