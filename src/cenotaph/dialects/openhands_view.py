"""How OpenHands puts its events into the messages of a request; both generations do it alike.

A response of the model with calls is sent only once each of its calls is answered, together with the
answers in the order of the calls (`conversation_memory.py` of V0, `View` and `events_to_messages` of
the SDK). A response that never is goes unsent. Here one is shown nevertheless where nothing followed
it: its calls are still to be answered.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from cenotaph.core.ids import JSON
from cenotaph.core.model import Defect
from cenotaph.dialects.content import json_text, string_of
from cenotaph.dialects.session_draft import Draft, Voice
from cenotaph.dialects.session_input import Report, is_whole, mapping_of, text_of

__all__ = [
    "Assembly",
    "Response",
    "call_of",
    "calls_in",
    "chat_blocks",
    "command_text",
    "image_blocks",
    "result_draft",
    "with_summary",
]


@dataclass(slots=True)
class Response:
    """A response of the model whose calls are being answered.

    Attributes:
        head: Its message without the calls.
        calls: In Chat Completions form, in order.
        where: For a person.
        summarized, input_tokens, model: As in `Draft`.
        key: What names it among the open ones.
        after: Messages that stood in the view when it was opened.
        results: Call id -> the message that answers it.
        expected: How many of them it waits for.
    """

    head: Mapping[str, JSON]
    calls: Sequence[Mapping[str, JSON]]
    where: str
    summarized: bool = False
    input_tokens: int | None = None
    model: str | None = None
    key: str = ""
    after: int = 0
    results: dict[str, Draft] = field(default_factory=dict)
    expected: int = field(init=False)

    def __post_init__(self) -> None:
        self.expected = len(set(self.ids()))

    def ids(self) -> list[str]:
        return [str(call["id"]) for call in self.calls]

    @property
    def complete(self) -> bool:
        return len(self.results) == self.expected

    def drafts(self) -> list[Draft]:
        """The message, and the answers that it has, in the order of the calls."""
        raw = {**self.head, "tool_calls": list(self.calls)}
        agent = Draft(raw, summarized=self.summarized, input_tokens=self.input_tokens, model=self.model)
        answers = [self.results[call_id] for call_id in dict.fromkeys(self.ids()) if call_id in self.results]
        return [agent, *answers]


class Assembly:
    """The view in the making."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.drafts: list[Draft] = []
        self.waiting: dict[str, Response] = {}
        self.owner: dict[str, Response] = {}

    def say(self, draft: Draft) -> None:
        self.drafts.append(draft)

    def respond(self, key: str, response: Response) -> None:
        """Opens a response; one that is open already is the same one, told once per call."""
        if key in self.waiting:
            return
        if any(call_id in self.owner for call_id in response.ids()):
            note = f"call {', '.join(response.ids())} is made twice; shown once"
            self.report(Defect("duplicate-call", response.where, note))
            return
        response.key, response.after = key, len(self.drafts)
        self.waiting[key] = response
        self.owner.update(dict.fromkeys(response.ids(), response))

    def answer(self, call_id: str, draft: Draft, where: str) -> None:
        """A call's result; without a call in the view it is not sent, and said to be so."""
        response = self.owner.get(call_id)
        if response is None:
            self.report(Defect("orphan-result", where, f"no call {call_id!r} in the view; kept, not shown"))
            return
        if call_id in response.results:
            self.report(Defect("duplicate-result", where, f"call {call_id!r} is answered twice; the first is shown"))
            return
        response.results[call_id] = draft
        if response.complete:
            del self.waiting[response.key]
            self.drafts += response.drafts()

    def close(self) -> list[Draft]:
        """The view; what still waits for answers stands at its end if nothing came after it."""
        waiting = list(self.waiting.values())
        for response in waiting:
            if response is waiting[-1] and response.after == len(self.drafts):
                self.drafts += response.drafts()
                break
            ids = ", ".join(call_id for call_id in response.ids() if call_id not in response.results)
            note = f"call {ids} was never answered and the conversation went on; the client does not send it"
            self.report(Defect("unanswered-call", response.where, note))
        return self.drafts


def call_of(call_id: str, name: str, arguments: str) -> Mapping[str, JSON]:
    """A call in Chat Completions form."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls_in(calls: JSON) -> list[Mapping[str, JSON]]:
    """Calls, flat or nested, in Chat Completions form; what has no id or no name is none."""
    found: list[Mapping[str, JSON]] = []
    for call in calls if isinstance(calls, list) else ():
        outer = mapping_of(call)
        inner = mapping_of(outer.get("function")) or outer
        call_id, name, sent = string_of(outer.get("id")), string_of(inner.get("name")), inner.get("arguments")
        if call_id is not None and name is not None:
            found.append(call_of(call_id, name, sent if isinstance(sent, str) else json_text(sent)))
    return found


def chat_blocks(content: JSON) -> JSON:
    """Content blocks of the client as blocks of Chat Completions; a lone text as a string.

    Cache marks are left out: the client sets them anew on each request. An image block of the client
    may hold several pictures; each becomes a block of its own. A block that is not known stays as it is.
    """
    if not isinstance(content, list):
        return content
    blocks: list[JSON] = []
    for block in content:
        kind = string_of(block.get("type")) if isinstance(block, Mapping) else None
        if kind == "text" and isinstance(block.get("text"), str):
            blocks.append({"type": "text", "text": block["text"]})
        elif kind == "image" and isinstance(block.get("image_urls"), list):
            blocks += image_blocks(block["image_urls"])
        else:
            blocks.append(block)
    alone = blocks[0] if len(blocks) == 1 and isinstance(blocks[0], Mapping) else {}
    if alone.get("type") == "text" and isinstance(alone.get("text"), str):
        return alone["text"]
    return blocks or ""


def image_blocks(urls: JSON) -> list[JSON]:
    """A block per picture that has an address."""
    found = [url for url in urls if isinstance(url, str) and url.strip()] if isinstance(urls, list) else []
    return [{"type": "image_url", "image_url": {"url": url}} for url in found]


def command_text(content: str, metadata: JSON) -> str:
    """What the model reads of a command's output: with prefix, suffix, folder, interpreter and exit code."""
    known = mapping_of(metadata)
    text = text_of(known.get("prefix")) + content + text_of(known.get("suffix"))
    if string_of(known.get("working_dir")):
        text += f"\n[Current working directory: {known['working_dir']}]"
    if string_of(known.get("py_interpreter_path")):
        text += f"\n[Python interpreter: {known['py_interpreter_path']}]"
    code = known.get("exit_code")
    if is_whole(code) and code != -1:
        text += f"\n[Command finished with exit code {code}]"
    return text


def result_draft(call_id: str, name: str | None, content: JSON, voice: Voice, *, summarized: bool) -> Draft:
    """The message that answers a call."""
    raw: dict[str, JSON] = {"role": "tool", "tool_call_id": call_id, "content": content}
    if name:
        raw["name"] = name
    return Draft(raw, voice, summarized=summarized)


def with_summary(
    events: Sequence[JSON], forgotten: Collection[int], summary: JSON, offset: JSON
) -> list[tuple[int, JSON]]:
    """The events that are left, and the newest summary at its place among them.

    Args:
        events: Those that reach a model at all, in order.
        forgotten: Places of those that a condensation took out.
        summary: What stands for the summary.
        offset: Where, counted among the events that are left; None: there is no summary.

    Returns:
        (place, event) for each; the summary's place is -1.
    """
    kept = [(place, event) for place, event in enumerate(events) if place not in forgotten]
    if is_whole(offset) and offset >= 0:
        kept.insert(offset, (-1, summary))
    return kept
