"""The model: what a transcript is, once a dialect has read it.

A dialect turns foreign JSON into a `Transcript` of `Message`s, each with `Part`s; nothing behind
this line knows a wire format. A `Part` says what kind of thing stands where, who wrote it and which
structural marks the client put on it. It never says how important it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from cenotaph.core.ids import JSON

Path = tuple[str | int, ...]
"""Keys and indices from a message object down to a value; `()` is the message itself."""


class Provenance(StrEnum):
    """Who wrote a span, by structure. `harness` is machine text in a human's role."""

    system = "system"
    developer = "developer"
    user = "user"
    agent = "agent"
    tool = "tool"
    harness = "harness"
    compactor = "compactor"
    foreign = "foreign"


class Kind(StrEnum):
    """What kind of thing a span is."""

    text = "text"
    call = "call"
    result = "result"
    reasoning = "reasoning"
    media = "media"
    other = "other"


class Mark(StrEnum):
    """Structural facts that only the dialect can know; each comes from a field, never from prose."""

    rejection = "rejection"
    """A result that carries a person's refusal of the call."""
    answer = "answer"
    """A result that carries a person's answer to a question."""
    approval = "approval"
    """A result that carries a person's decision on a plan."""
    summary = "summary"
    """Somebody else's compaction summary."""
    summarized = "summarized"
    """A span of a region that a foreign summary in the same input replaces."""
    reinjected = "reinjected"
    """Harness text that the client puts in again on each turn."""
    instruction = "instruction"
    """Text of an instruction file or a skill, put in by the client."""
    signed = "signed"
    """Reasoning with a signature or encrypted content."""
    cleared = "cleared"
    """A result whose content another tool's compaction has replaced by a placeholder."""
    background = "background"
    """A call that starts something which goes on after its result."""
    interim = "interim"
    """A result that is not the last word of its call."""
    server = "server"
    """A call that the provider runs itself; its result stands in the agent's own message."""
    pinned = "pinned"
    """The message itself carries a pin of its client."""
    bound = "bound"
    """Reasoning and the item after it are refused one without the other: they leave together or not at all."""


@dataclass(frozen=True, slots=True)
class Media:
    """What is known of an image, a document or a recording without decoding it.

    Attributes:
        kind: "image", "document", "audio", "video", or "other".
        mime: As the block says; None if it does not.
        width: In pixels, read from the file's own header; None if it is elsewhere or unreadable.
        height: Likewise.
        pages: Of a PDF; None if unknown.
        seconds: Of a recording; None if unknown.
        size: Decoded bytes; None if the block only names them (a URL, a file id).
        detail: What the block asks for, e.g. "low"; None if nothing.
    """

    kind: str
    mime: str | None = None
    width: int | None = None
    height: int | None = None
    pages: int | None = None
    seconds: float | None = None
    size: int | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One content block, or a structural part of a text block.

    Attributes:
        kind: What it is.
        provenance: Who wrote it.
        block: Path of the whole block inside the message: what is removed when it leaves whole.
        path: Path of the value that holds its content: what a tombstone replaces.
        text: What the model reads of it. For a call: the arguments as sent. For media: "".
        call_id: The call that a call or result belongs to; None where the format has no id.
        tool: Name of the tool of a call; for a result only if the format repeats it.
        args: Parsed arguments of a call; None if there are none or they don't parse.
        failed: For a result: the client marked it as an error.
        images: Media blocks inside a result (a media part of its own has 0).
        media: What is known of each media block in it, in order; for a media part that one. Empty: nothing is.
        marks: See `Mark`.
        live_ids: Ids of background resources that the client's own fields name here.
        ended_ids: Ids of background resources whose end this part reports.
        hidden: Tokens that its text does not show, as its dialect estimates them: encrypted reasoning.
        copies: Paths of further copies of the block that its client keeps in the message: they leave with it.
        own: (start, end) of the lines of ours that stand in its text, in order; no dialect sets them.
    """

    kind: Kind
    provenance: Provenance
    block: Path
    path: Path
    text: str
    call_id: str | None = None
    tool: str | None = None
    args: Mapping[str, JSON] | None = None
    failed: bool = False
    images: int = 0
    marks: frozenset[Mark] = frozenset()
    live_ids: tuple[str, ...] = ()
    ended_ids: tuple[str, ...] = ()
    own: tuple[tuple[int, int], ...] = ()
    media: tuple[Media, ...] = ()
    hidden: int = 0
    copies: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where in the whole history a message stands: what is before it may have left the view.

    Attributes:
        index: Its index in the client's history; for a page of ours that of the message it stands before.
        turn: Turns that had begun before it.
        n: Exchanges of that turn before it.
        after_human: A person's message stands before it, and nothing of the agent since.
    """

    index: int
    turn: int
    n: int
    after_human: bool


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the view.

    Attributes:
        raw: The JSON object as it is sent. Never mutated; an untouched one is emitted as it is.
        role: The wire role.
        parts: In order. A message without parts carries nothing that a plan could act on.
        origin: None where it follows from the message before it.
        continues: It is of the same output of the model as the message before it: formats in which each
            item is a message of its own. Its calls are of the same parallel batch.
    """

    raw: JSON
    role: str
    parts: tuple[Part, ...]
    origin: Origin | None = None
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider counted: input tokens of the request that produced message `message`.

    Attributes:
        message: Index of the agent message in the view; all before it was the request.
        input_tokens: Prompt tokens including cached ones, as reported.
        model: The model that counted.
    """

    message: int
    input_tokens: int
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Defect:
    """Something odd in the input that was survived: reported, never hidden.

    Attributes:
        code: Stable, e.g. `orphan-result`, `torn-line`, `unknown-record`.
        where: For a person: `line 12`, `message 3`.
        note: What was found and what was done with it.
    """

    code: str
    where: str
    note: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation as the model would be sent it next.

    Attributes:
        dialect: Name of the dialect that read it.
        wire: Name of the wire format of the messages, e.g. "anthropic".
        messages: In order.
        preamble: System text that is sent outside the messages, and where it stands (path from `around`).
        request: The whole request object if there was one, else None. `messages` sits under
            `messages_key` in it.
        tool_names: Names of the tools that the request offers; None if it does not say.
        tools_text: The request's tool definitions as JSON text, "" if it has none; counted, never cut.
        model: Model name from the data; None if it does not say.
        session: The transcript's own id; None if it has none.
        usage: In order.
        defects: In order.
        source: Whatever the dialect needs for `emit`; opaque to everybody else.
    """

    dialect: str
    wire: str
    messages: tuple[Message, ...]
    preamble: tuple[Part, ...] = ()
    request: JSON = None
    messages_key: str = "messages"
    tool_names: frozenset[str] | None = None
    tools_text: str = ""
    model: str | None = None
    session: str | None = None
    usage: tuple[Usage, ...] = ()
    defects: tuple[Defect, ...] = ()
    source: JSON = field(default=None, repr=False, compare=False)

    @property
    def around(self) -> JSON:
        """The value that the paths of the preamble lead from: the request, or a bare list that holds it inside."""
        return self.source if self.request is None else self.request


@dataclass(frozen=True, slots=True)
class Breach:
    """One broken rule of a provider.

    Attributes:
        rule: Id in the provider's rule table, e.g. `A1`.
        message: Index of the message, -1 for the request as a whole.
        note: What is wrong there.
    """

    rule: str
    message: int
    note: str


class Wire(Protocol):
    """What the core must know of a wire format to write a view; implemented by the dialects."""

    name: str

    def tidy(self, message: JSON) -> JSON | None:
        """The message after blocks were cut out of it, or None if nothing is left to send."""

    def page(self, text: str) -> JSON:
        """A message in a person's role that carries our own page."""

    def stand_in(self, part: Part, line: str) -> tuple[Path, JSON]:
        """Where in the message, and as what value, a line of ours stands for a part that left.

        Only for results, media and text whose whole value leaves. Read again, the value gives a part
        whose text is the line.
        """

    def join(self, first: JSON, second: JSON) -> JSON | None:
        """Two neighbours as one message, where the format has no two of one role in a row; None where it has.

        The contents of the first come first, each block as it was.
        """

    def tool_definition(self, name: str, description: str, parameters: Mapping[str, JSON]) -> JSON:
        """A tool as a request of this format offers it; `parameters` is a JSON schema."""

    def exchange(
        self, call_id: str, tool: str, arguments: Mapping[str, JSON], text: str, media: Sequence[JSON] = ()
    ) -> list[JSON]:
        """A call and its result as messages, to be put in next to each other; `media` as `holds` allows them."""

    def holds(self, block: JSON) -> bool:
        """Whether a result of this format can hold the media block as it is."""

    def parse_messages(self, messages: Sequence[JSON]) -> tuple[Message, ...]:
        """Messages of this wire format, read without any session file around them."""

    def breaches(
        self, messages: Sequence[JSON], *, tools: bool | None = None, body: Mapping[str, JSON] | None = None
    ) -> list[Breach]:
        """Every rule of the provider that the messages break; `tools` None means unknown.

        With the request's `body` also those on the request around the messages; what it holds of them itself
        is not looked at.
        """

    def cut_breaches(self, before: Sequence[JSON], after: Sequence[JSON], binding: str) -> list[Breach]:
        """Every rule of the provider that a cut from one list of messages to another breaks.

        Args:
            before: The messages as they were.
            after: The messages to send.
            binding: How signed reasoning is bound to what stands before it: `none`, `newest` or `prefix`.
        """


class Counter(Protocol):
    """Counts tokens of text.

    Attributes:
        name: Which counter, for the record.
        basis: "exact" or "estimated".
    """

    name: str
    basis: str

    def count(self, text: str) -> int:
        """Tokens of `text`; never negative; additive only up to a token per join."""

    def media(self, part: Part) -> int:
        """Tokens of all media in a part."""
