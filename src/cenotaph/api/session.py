"""A client that sends its growing history before each model call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from cenotaph.api.compacting import How, Result, compacted, opened_store, session_name
from cenotaph.api.reading import Pin, Tool, binding_of, counter_of, parsed, read_out
from cenotaph.core.ids import JSON
from cenotaph.core.markers import known_markers, resolve_markers
from cenotaph.core.model import Transcript
from cenotaph.core.plan import NOTHING_STANDS
from cenotaph.core.policy import Budget, Policy
from cenotaph.core.readout import Readout
from cenotaph.core.record import CompactionRecord
from cenotaph.core.rehydrate import Rehydrated, resolve
from cenotaph.core.session import Identity, Outcome, standing_view
from cenotaph.core.spans import tokens_of
from cenotaph.errors import BudgetExhausted, ConfigurationError
from cenotaph.runtime.occasion import occasion
from cenotaph.store.base import Store
from cenotaph.store.memory import MemoryStore

_REREAD_SHARE: Final = 1.1
_REREAD_TOKENS: Final = 1_000
"""A history that grew by a tenth and this much is read anew, so that its warnings are early."""


class Session:
    """A client's growing history, compacted the same way each time it is sent.

    What left stays left, byte for byte, until the next cut; messages that no cut touched are the
    client's own objects. Work per call is proportional to what is new. What stands lives in this
    object: one made anew for the same name starts from the whole history, with a cut of its own.

    `mode`: "act"; "observe" returns every history as it is and leaves in `last` what would have been
    done; "off" does nothing.

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
        self._how = How(policy or Policy.strict(), budget, to_tokens, "none", drop_block)
        self._tools, self._pins = tuple(tools), tuple(pins)
        self._dialect, self._model = dialect, model
        self._binding = binding
        self._standing = NOTHING_STANDS
        self._handles: frozenset[str] = frozenset()
        self._seen: list[JSON] = []
        self._shown: list[JSON] = []
        self._tokens = 0
        self._read_at = 0
        self._cut_at = 0

    def view(self, messages: Sequence[JSON]) -> Sequence[JSON]:
        """The messages to send in place of `messages`; the same object if nothing ever left.

        Args:
            messages: The whole history, or the last view with what came since.

        Raises:
            BudgetExhausted, CompactionInvariantError, InputError, StoreError: As `compact`; what stood
                before still stands. Under `observe` a halt is only noted, in `last.reason`.
        """
        if self._mode == "off":
            return messages
        since_history = self._since(messages, self._seen)
        since_view = None if since_history is not None else self._since(messages, self._shown)
        new = since_history if since_history is not None else since_view
        if new is None:
            return self._whole(messages, diverged=self._common(messages) < self._cut_at)
        grown = self._tokens + self._tokens_of(new)
        if grown <= self._limit() and grown <= self._read_at * _REREAD_SHARE + _REREAD_TOKENS:
            return self._extended(messages, new, grown)
        return self._whole(messages if since_view is None else [*self._seen, *new], diverged=False)

    def _since(self, messages: Sequence[JSON], before: list[JSON]) -> list[JSON] | None:
        """What came after `before`; None if the messages don't begin with it."""
        if not before or len(messages) < len(before) or list(messages[: len(before)]) != before:
            return None
        return list(messages[len(before) :])

    def _common(self, messages: Sequence[JSON]) -> int:
        """Messages at the beginning that are as they were last time."""
        pairs = enumerate(zip(messages, self._seen, strict=False))
        return next((index for index, (one, other) in pairs if one != other), min(len(messages), len(self._seen)))

    def _limit(self) -> int:
        """Tokens up to which there is nothing to do."""
        if self._to_tokens is not None:
            return self._to_tokens
        return 0 if self._budget is None else self._budget.trigger_tokens - self._budget.overhead

    def _tokens_of(self, new: list[JSON]) -> int:
        assert self.last is not None
        readout = self.last.readout
        total = 0
        for message in readout.wire.parse_messages(new):
            total += readout.framing.message
            for part in message.parts:
                total += readout.framing.of(part.kind) + tokens_of(part, part.text, readout.counter)
        return total

    def _extended(self, messages: Sequence[JSON], new: list[JSON], grown: int) -> Sequence[JSON]:
        """Nothing is due: what stands, and the new part behind it."""
        assert self.last is not None
        self._tokens = grown
        self._seen += snapshot(new)
        self._shown += snapshot(new)
        shown: Sequence[JSON] = messages
        if self._standing.actions:
            shown = [*self.last.messages, *new]
        self.last = replace(
            self.last,
            messages=shown,
            record=None,
            tokens_before=grown,
            tokens_after=grown,
            changed=False,
            reason=f"{grown:,} tokens: nothing to do",
            plan=None,
        )
        return shown

    def _whole(self, messages: Sequence[JSON], *, diverged: bool) -> Sequence[JSON]:
        """Reads everything anew and cuts if it is due."""
        warnings: tuple[str, ...] = ()
        if diverged:
            if self._standing.actions:
                warnings = ("history-diverged: what is sent differs before the last cut; this view starts afresh",)
            self._standing, self._handles, self._cut_at = NOTHING_STANDS, frozenset(), 0
        transcript = parsed(messages, self._dialect, "last")
        records = self.store.records(self.name)
        transcript = resolve_markers(transcript, known_markers(records))
        readout = read_out(transcript, counter_of(transcript, self._model), self._tools, self._pins, ())
        observed = self._mode == "observe"
        who = Identity(
            session=self.name,
            key=self.store.key(),
            stored=self._stored,
            seq=len(records) + 1,
            previous=records[-1]["record_id"] if records else None,
            known=frozenset() if observed else self._handles,
            standing=self._standing,
            occasion=occasion("session", self._model or transcript.model),
        )
        decide = replace(self._how, binding=binding_of(readout, self._binding, self._model))
        if observed:
            return self._observed(messages, readout, who, decide)
        result, outcome = compacted(messages, readout, who, self.store, decide)
        return self._settle(messages, readout, replace(result, warnings=(*warnings, *result.warnings)), outcome)

    def _observed(self, messages: Sequence[JSON], readout: Readout, who: Identity, decide: How) -> Sequence[JSON]:
        """What would have been done stands in `last`; nothing is written and nothing is raised for its size."""
        rehearsal = MemoryStore()
        try:
            self.last = compacted(messages, readout, replace(who, seq=1, previous=None), rehearsal, decide)[0]
        except BudgetExhausted as halt:
            within = replace(decide, to_tokens=1 << 62)
            result = compacted(messages, readout, who, rehearsal, within)[0]
            self.last = replace(result, reason=f"would halt: {halt}")
        return messages

    def _settle(
        self, messages: Sequence[JSON], readout: Readout, result: Result, outcome: Outcome | None
    ) -> Sequence[JSON]:
        if outcome is not None:
            self._standing, self._handles = outcome.standing, outcome.handles
            self._cut_at = len(messages)
        elif self._standing.actions:
            result = replace(result, messages=standing_view(readout, self._standing))
        self._seen = snapshot(list(messages))
        self._shown = snapshot(list(result.messages))
        self._tokens = self._read_at = result.tokens_after
        self.last = result
        shown: Sequence[JSON] = result.messages
        return shown

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
