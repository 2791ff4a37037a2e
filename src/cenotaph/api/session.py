"""A client that sends its growing history before each model call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from cenotaph.api.compacting import Result, compacted, opened_store, session_name
from cenotaph.api.reading import Pin, Tool, binding_of, counter_of, parsed, read_out
from cenotaph.core.ids import JSON
from cenotaph.core.markers import known_markers, resolve_markers
from cenotaph.core.model import Transcript
from cenotaph.core.plan import Standing
from cenotaph.core.policy import Budget, Policy
from cenotaph.core.record import CompactionRecord
from cenotaph.core.rehydrate import Rehydrated, resolve
from cenotaph.core.session import (
    Identity,
    Memo,
    Outcome,
    Readout,
    standing_view,
)
from cenotaph.core.spans import tokens_of
from cenotaph.errors import ConfigurationError
from cenotaph.runtime.occasion import occasion
from cenotaph.store.base import Store


class Session:
    """A client's growing history, compacted the same way each time it is sent.

    What left stays left, byte for byte, until the next cut; messages that no cut touched are the
    client's own objects. Work per call is proportional to what is new.

    Attributes:
        name: Session name in the store.
        store: Where originals and records live.
        last: The `Result` of the newest `view`, None before the first.
    """

    def __init__(
        self,
        name: str,
        *,
        store: str | Store | None = None,
        budget: Budget | None = None,
        to_tokens: int | None = None,
        mode: str = "act",
        policy: Policy | None = None,
        tools: Iterable[Tool] = (),
        pins: Iterable[Pin] = (),
        dialect: str | None = None,
        model: str | None = None,
        binding: str | None = None,
        drop_block: bool = False,
    ) -> None:
        if mode not in ("act", "observe", "off"):
            raise ConfigurationError(f"mode={mode!r}: act, observe or off")
        if budget is None and to_tokens is None and mode != "off":
            raise ConfigurationError(
                "neither budget nor to_tokens was given.", next_step="Pass budget=Budget(window=...)."
            )
        self.name = session_name(name, Transcript("", "", ()))
        self.store, self._stored = opened_store(store)
        self.last: Result | None = None
        self._budget, self._to_tokens, self._mode = budget, to_tokens, mode
        self._policy = policy or Policy.strict()
        self._tools, self._pins = tuple(tools), tuple(pins)
        self._dialect, self._model = dialect, model
        self._binding, self._drop_block = binding, drop_block
        self._counter: Memo | None = None
        self._standing = Standing()
        self._handles: frozenset[str] = frozenset()
        self._seen: list[JSON] = []
        self._shown: list[JSON] = []
        self._tokens = 0
        self._read_at = 0

    def view(self, messages: Sequence[JSON]) -> Sequence[JSON]:
        """The messages to send in place of `messages`; the same object if nothing ever left.

        Raises:
            BudgetExhausted, CompactionInvariantError, InputError, StoreError: As `compact`.
        """
        if self._mode == "off":
            return messages
        new = self._new_part(messages)
        if new is not None and not self._due(new):
            return self._extended(messages, new)
        return self._whole(messages, diverged=new is None)

    def _new_part(self, messages: Sequence[JSON]) -> list[JSON] | None:
        """What was not there last time; None if the history before it is another one."""
        seen = len(self._seen)
        if not seen or len(messages) < seen or self.last is None or list(messages[:seen]) != self._seen:
            return None
        return list(messages[seen:])

    def _due(self, new: list[JSON]) -> bool:
        """Whether the new part takes the history over the trigger, or far enough to be read anew."""
        assert self._counter is not None
        assert self.last is not None
        self._grown = self._tokens + self._tokens_of(new)
        limit = self._to_tokens if self._to_tokens is not None else 0
        if self._budget is not None and self._to_tokens is None:
            limit = self._budget.trigger_tokens - self._budget.overhead
        return self._grown > limit or self._grown > self._read_at * 1.1 + 1_000

    def _tokens_of(self, new: list[JSON]) -> int:
        assert self._counter is not None
        assert self.last is not None
        wire = self.last.readout.wire
        frame = self.last.readout.framing
        total = 0
        for message in wire.parse_messages(new):
            total += frame.message
            for part in message.parts:
                total += frame.of(part.kind) + tokens_of(part, part.text, self._counter)
        return total

    def _extended(self, messages: Sequence[JSON], new: list[JSON]) -> Sequence[JSON]:
        assert self.last is not None
        self._tokens = self._grown
        self._seen += snapshot(new)
        untouched = not self._standing.actions
        self._shown = list(messages) if untouched else self._shown + new
        shown = messages if untouched else list(self._shown)
        self.last = replace(
            self.last,
            messages=shown,
            record=None,
            tokens_before=self._tokens,
            tokens_after=self._tokens,
            changed=False,
            reason=f"{self._tokens:,} tokens: nothing to do",
            plan=None,
        )
        return shown

    def _whole(self, messages: Sequence[JSON], *, diverged: bool) -> Sequence[JSON]:
        warnings: tuple[str, ...] = ()
        if diverged and self._seen:
            if self._standing.actions:
                warnings = ("history-diverged: what is sent differs before the last cut; this view starts afresh",)
            self._standing, self._handles = Standing(), frozenset()
        transcript = parsed(messages, self._dialect, "last")
        records = self.store.records(self.name)
        transcript = resolve_markers(transcript, known_markers(records))
        if self._counter is None:
            self._counter = counter_of(transcript, self._model)
        readout = read_out(transcript, self._counter, self._tools, self._pins, ())
        who = Identity(
            session=self.name,
            key=self.store.key(),
            stored=self._stored,
            seq=len(records) + 1,
            previous=records[-1]["record_id"] if records else None,
            known=self._handles,
            standing=self._standing,
            occasion=occasion("session", self._model or transcript.model),
        )
        binding = binding_of(readout, self._binding, self._model)
        result, outcome = compacted(
            messages,
            readout,
            who,
            self.store,
            self._policy,
            self._budget,
            self._to_tokens,
            binding,
            self._drop_block,
        )
        result = replace(result, warnings=(*warnings, *result.warnings))
        if self._mode == "observe":
            self.last = result
            return messages
        return self._settle(messages, readout, result, outcome)

    def _settle(
        self, messages: Sequence[JSON], readout: Readout, result: Result, outcome: Outcome | None
    ) -> Sequence[JSON]:
        self._counter = readout.counter if isinstance(readout.counter, Memo) else Memo(readout.counter)
        self._seen = snapshot(list(messages))
        if outcome is not None:
            self._standing, self._handles = outcome.standing, outcome.handles
        elif self._standing.actions:
            result = replace(result, messages=standing_view(readout, self._standing))
        self._shown = list(result.messages)
        self._tokens = self._read_at = result.tokens_after
        self.last = result
        return result.messages  # type: ignore[no-any-return]

    def rehydrate(self, what: str) -> list[Rehydrated]:
        """See `rehydrate`."""
        return resolve(what, self.store, self.name)

    def records(self) -> list[CompactionRecord]:
        """Every record of this session, oldest first."""
        return [CompactionRecord.from_dict(fields) for fields in self.store.records(self.name)]


def snapshot(value: list[JSON]) -> list[JSON]:
    """A copy of the structure that shares the texts: a caller's later edit in place is seen as one."""
    return [_copied(item) for item in value]


def _copied(value: JSON) -> JSON:
    if isinstance(value, dict):
        return {key: _copied(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_copied(child) for child in value]
    return value
