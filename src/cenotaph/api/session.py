"""A client that sends its growing history before each model call."""

from __future__ import annotations

import hashlib
import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from cenotaph.api.compacting import (
    How,
    OnHalt,
    OnPlan,
    Reader,
    Result,
    compacted,
    fork_record,
    identity_of,
    is_unnamed_fork,
    opened_store,
    pins_of,
    recall_of,
    session_name,
    texts_of,
)
from cenotaph.api.control import last_cut
from cenotaph.api.reading import Pin, Tool, counter_of, parsed, wire_of
from cenotaph.api.thread import Log, Thread, gone_on, log_of, resumed
from cenotaph.core.carried import Base, Carried
from cenotaph.core.ids import JSON, canonical_json
from cenotaph.core.model import Message, Transcript
from cenotaph.core.policy import Budget, Policy
from cenotaph.core.recalled import recall_text
from cenotaph.core.record import CompactionRecord
from cenotaph.core.rehydrate import Rehydrated, resolve
from cenotaph.core.session import Identity, Outcome, controlled
from cenotaph.core.spans import tokens_of
from cenotaph.errors import BudgetExhausted, ConfigurationError, InvalidCursor, IrreversibleCompactionError
from cenotaph.limits import answer_chars
from cenotaph.runtime.driver import drive
from cenotaph.runtime.occasion import occasion
from cenotaph.runtime.summarizers import Summarizer, SummaryFunction, summarizer_of
from cenotaph.runtime.telemetry import observed, way_in
from cenotaph.store.base import Store
from cenotaph.store.memory import MemoryStore

__all__ = ["Session", "snapshot", "way_in"]

_REREAD_SHARE: Final = 1.25
_REREAD_TOKENS: Final = 1_000
"""A history that grew by a quarter and this much is read anew, so that its warnings are early."""


class Session:
    """A client's growing history, compacted the same way each time it is sent.

    What left stays left, byte for byte, until the next cut; messages that no cut touched are the
    client's own objects. Work per call is proportional to what is new. A session that is opened again
    on its store, in this process or another, goes on where it was. A history that differs before the
    last cut goes on as a child session, whose name is then `name`.

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
        on_plan: OnPlan | None = None,
        on_halt: OnHalt | None = None,
        summarizer: Summarizer | SummaryFunction | None = None,
        rehydrate: bool | int = False,
    ) -> None:
        if mode not in ("act", "observe", "off"):
            raise ConfigurationError(f"mode={mode!r}: act, observe or off")
        if budget is None and to_tokens is None and mode != "off":
            raise ConfigurationError(
                "neither budget nor to_tokens was given.", next_step="Pass budget=Budget(window=...)."
            )
        self.name = self._root = session_name(name, Transcript("", "", ()))
        self.store, self._stored = opened_store(store)
        self.last: Result | None = None
        self._budget, self._to_tokens, self._mode = budget, to_tokens, mode
        self._how = How(policy or Policy.strict(), budget, to_tokens, binding, drop_block, model, on_plan, on_halt)
        self._how = replace(self._how, recall=recall_of(rehydrate))
        if summarizer is not None:
            self._how = replace(self._how, summarizer=summarizer_of(summarizer))
        self._tools, self._pins = (tools,) if isinstance(tools, str) else tuple(tools), pins_of(pins)
        self._dialect, self._model = dialect, model
        self._thread: Thread | None = None
        self._carried: Carried | None = None
        self._history = _History()
        self._unread: tuple[Sequence[JSON], int, bool] | None = None
        self._tokens = 0
        self._read_at = 0

    def view(self, messages: Sequence[JSON], *, keep: Iterable[str] = ()) -> Sequence[JSON]:
        """The messages to send in place of `messages`; the same object if nothing ever left.

        Args:
            messages: The whole history, or the last view with what came since.
            keep: Wishes for this round: spans that share a handle (or else the words) with one stay.

        Raises:
            BudgetExhausted, CompactionInvariantError, InputError, StoreError: As `compact`; what stood
                before still stands. Under `observe` a halt is only noted, in `last.reason`.
        """
        if self._mode == "off":
            return messages
        shown = self._viewed(messages, texts_of(keep))
        return messages if self._mode == "observe" else shown

    def _viewed(self, messages: Sequence[JSON], wishes: tuple[str, ...]) -> Sequence[JSON]:
        if self._thread is None:
            return self._opened(messages, wishes)
        found = self._history.since(messages)
        if found is None:
            return self._opened(messages, wishes)
        new, adopted = found
        grown = self._tokens + self._tokens_of(new)
        if grown <= self._limit() and grown <= self._read_at * _REREAD_SHARE + _REREAD_TOKENS:
            return self._extended(messages, new, grown, adopted=adopted)
        self._unread = (messages, len(messages), adopted)
        self._catch_up()
        return self._whole(messages, wishes)

    # What came -------------------------------------------------------------------------------

    def _opened(self, messages: Sequence[JSON], keep: tuple[str, ...]) -> Sequence[JSON]:
        """The first call, or a history that is not the one that was cut: as the store knows it."""
        transcript = parsed(messages, self._dialect, "last")
        self._thread = resumed(transcript, self._root, self.store, wire_of(transcript))
        self._history, self._unread = _History(self._thread.base), None
        self.name = self._thread.name
        self._carried = self._thread.carried
        return self._whole(messages, keep)

    def _catch_up(self) -> None:
        """Reads what came since the thread was read: calls with nothing to do leave it for later."""
        if self._thread is None or self._unread is None:
            return
        messages, count, adopted = self._unread
        fresh = self._fresh(messages[:count], adopted)
        self._thread = gone_on(self._thread, self._carried, fresh, adopted=adopted)
        self._unread = None

    def _fresh(self, messages: Sequence[JSON], adopted: bool) -> list[Message]:
        """The messages behind the last cut, read."""
        assert self._thread is not None
        since = messages[self._history.length(adopted) :]
        return list(wire_of(self._thread.transcript).parse_messages(list(since)))

    def _limit(self) -> int:
        """Tokens up to which there is nothing to do."""
        if self._to_tokens is not None:
            return self._to_tokens
        return 0 if self._budget is None else self._budget.trigger_tokens - self._budget.overhead

    def _tokens_of(self, new: Sequence[JSON]) -> int:
        assert self.last is not None
        readout = self.last.readout
        total = 0
        for message in readout.wire.parse_messages(list(new)):
            total += readout.framing.message
            for part in message.parts:
                total += readout.framing.of(part.kind) + tokens_of(part, part.text, readout.counter)
        return total

    def _extended(self, messages: Sequence[JSON], new: Sequence[JSON], grown: int, *, adopted: bool) -> Sequence[JSON]:
        """Nothing is due: what stands, and the new part behind it."""
        assert self.last is not None
        self._tokens = grown
        self._history.grew(new)
        self._unread = (messages, len(messages), adopted)
        shown: Sequence[JSON] = messages
        if self._carried is not None and not adopted:
            shown = [*self._history.view(messages), *messages[self._history.length(adopted=False) :]]
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

    # Cutting ---------------------------------------------------------------------------------

    def _whole(self, messages: Sequence[JSON], keep: tuple[str, ...]) -> Sequence[JSON]:
        """Reads what stands and what is new, and cuts if it is due."""
        assert self._thread is not None
        reader = self._reader(keep)
        how = self._how
        if self._mode == "observe":
            return self._observed(messages, reader, how)
        return self._settle(messages, *self._cut(messages, reader, how, "session"))

    def _cut(self, messages: Sequence[JSON], reader: Reader, how: How, actor: str) -> tuple[Result, Outcome | None]:
        """A cut. What fails, a hook of the caller's included, may have written: then the store is asked again."""
        try:
            return compacted(messages, reader, self._identity(actor), self.store, how)
        except BudgetExhausted as halt:
            self._logged(halt.record)
            raise
        except BaseException:
            self._forget()
            raise

    def _forget(self) -> None:
        """The next call asks the store where the session is."""
        self._thread, self._carried, self._history, self._unread = None, None, _History(), None

    def _reader(self, keep: tuple[str, ...]) -> Reader:
        thread = self._now
        pins = (*thread.log.named, *self._pins)
        counter = counter_of(thread.transcript, self._model)
        return Reader(thread, counter, self._tools, pins, keep, thread.log.released)

    def _identity(self, actor: str) -> Identity:
        thread = self._now
        return identity_of(thread, self.store, self._stored, occasion(actor, self._model or thread.transcript.model))

    def answer(self, what: str, cursor: str | None = None, *, limit_chars: int = answer_chars) -> str:
        """What the agent's call of the rehydrate tool is answered with; see `rehydrate_tool`.

        Args:
            what: The call's argument.
            cursor: Likewise; None to begin.
            limit_chars: Characters of originals in one answer, from 1. More comes by the cursor in its last line.

        Returns:
            The originals, verbatim, each under a line that says what it is. Of a gap, or of a handle or cursor that
            can't be read, what is known, for the agent to say so.

        Raises:
            StoreError: The store can't be asked, or does not hold what it promised.
        """
        try:
            return recall_text(self.rehydrate(what, limit_chars=limit_chars, cursor=cursor))
        except (IrreversibleCompactionError, InvalidCursor) as gap:
            return f"[nothing recalled] {gap}"

    @property
    def _now(self) -> Thread:
        """Where the session stands.

        Raises:
            ConfigurationError: No history was seen yet.
        """
        if self._thread is None:
            raise ConfigurationError("this session has seen no messages yet.", next_step="Call view(messages) first.")
        return self._thread

    def _logged(self, record: CompactionRecord) -> None:
        thread = self._now
        self._thread = replace(thread, log=thread.log.after(record.to_dict()), parent=None)

    def _observed(self, messages: Sequence[JSON], reader: Reader, how: How) -> Sequence[JSON]:
        """What would have been done stands in `last`; nothing is written and nothing is raised for its size."""
        rehearsal = MemoryStore()
        who = replace(self._identity("observe"), seq=1, previous=None)
        try:
            self.last = compacted(messages, reader, who, rehearsal, replace(how, on_halt=None))[0]
        except BudgetExhausted as halt:
            within = replace(how, to_tokens=1 << 62, budget=None, on_halt=None)
            result = compacted(messages, reader, who, rehearsal, within)[0]
            self.last = replace(result, reason=f"would halt: {halt}")
        self._history.began(messages, self._carried, adopted=self._now.adopted)
        self._tokens = self._read_at = self.last.tokens_before
        return messages

    def _settle(self, messages: Sequence[JSON], result: Result, outcome: Outcome | None) -> Sequence[JSON]:
        assert self._thread is not None
        adopted = self._thread.adopted
        if outcome is not None:
            before, self._carried = self._carried, outcome.carried
            self._logged(outcome.record)
            self._thread = replace(self._thread, standing=outcome.record.to_dict(), warnings=())
            self._history.cut(messages, before if adopted else None, outcome.carried)
        else:
            self._history.began(messages, self._carried, adopted=adopted)
            if is_unnamed_fork(self._thread):
                steps = fork_record(self._thread, occasion("session", self._model))
                self._logged(drive(steps, self.store, self.name))
        self._tokens = self._read_at = result.tokens_after
        self.last = result
        shown: Sequence[JSON] = result.messages
        return shown

    # Control ---------------------------------------------------------------------------------

    def pin(self, what: Pin) -> None:
        """From the next cut on, every span that holds it stays; words that no message says stand on our page.

        Args:
            what: Text, a pattern, or a span id. It is kept in the store, and holds in every later process.
        """
        self._control({"pin": [_pin_json(what)]})

    def unpin(self, what: Pin) -> None:
        """Takes a pin back; from the next cut on.

        Raises:
            ConfigurationError: Nothing of the kind is pinned in the session.
        """
        wanted = _pin_json(what)
        if wanted not in self._log().pins:
            raise ConfigurationError(f"{what!r} is not pinned in session {self.name!r}.")
        self._control({"unpin": [wanted]})

    def release(self, what: str) -> None:
        """Lets go what need not stay, whatever its class: it leaves with a tombstone when the next cut needs it.

        Args:
            what: A span id, or text that stands in the span.
        """
        if not isinstance(what, str) or not what.strip():
            raise ConfigurationError(f"release({what!r}): a span id or a text, not empty")
        if what in self._log().pins:
            raise ConfigurationError(f"{what!r} is pinned in session {self.name!r}.", next_step="Unpin it first.")
        self._control({"release": [what]})

    def undo(self) -> list[JSON]:
        """Takes the last cut back: the messages as they came in to it. The next `view` goes on from there.

        Raises:
            ConfigurationError: No cut of this session stands.
            StoreError: The messages can't be had from the store.
        """
        cut = last_cut(self.store, self.name)
        try:
            cut.take_back(actor="session")
        finally:
            self._forget()
        return cut.messages

    def handoff(self) -> list[JSON]:
        """The smallest view that loses nothing: for a fresh window. It is a cut like any other.

        Everything leaves that `Policy.archive()` lets go; pins, rules, the plan and the request stay.

        Raises:
            ConfigurationError: No history was seen yet.
        """
        self._catch_up()
        reader = self._reader(())
        policy = self._how.policy if self._how.policy.name == "archive" else Policy.archive(recall_by="handoff")
        how = replace(self._how, policy=policy, handoff=True, on_halt=None)
        result, outcome = self._cut((), reader, how, "handoff")
        if outcome is not None:
            self._carried = outcome.carried
            self._logged(outcome.record)
            thread = replace(self._now, standing=outcome.record.to_dict(), warnings=())
            self._thread = gone_on(thread, outcome.carried, (), adopted=False)
            self._history, self._unread = _History(), None
            self.last = result
        return list(result.messages) if outcome is not None else reader.thread.shown

    def _log(self) -> Log:
        return self._thread.log if self._thread is not None else log_of(self.store.records(self.name))

    def _control(self, control: dict[str, Any]) -> None:
        log = self._log()
        parent = None if self._thread is None else self._thread.parent
        steps = controlled(self.name, log.seq, log.previous, control, occasion("session", self._model), parent)
        try:
            record = drive(steps, self.store, self.name)
        except BaseException:
            self._forget()
            raise
        if self._thread is not None:
            self._logged(record)

    def rehydrate(self, what: str, *, limit_chars: int | None = None, cursor: str | None = None) -> list[Rehydrated]:
        """See `rehydrate`."""
        with observed("rehydrate", session=self.name) as told:
            found = resolve(what, self.store, self.name, limit_chars=limit_chars, cursor=cursor)
            told["outcome"] = "found"
        return found

    def records(self) -> list[CompactionRecord]:
        """Every record of this session, oldest first."""
        return [CompactionRecord.from_dict(fields) for fields in self.store.records(self.name)]


def _pin_json(pin: Pin) -> JSON:
    """A pin as a record keeps it."""
    if isinstance(pin, re.Pattern) and isinstance(pin.pattern, str):
        return {"pattern": pin.pattern, "flags": pin.flags}
    if not isinstance(pin, str) or not pin.strip():
        raise ConfigurationError(f"pin {pin!r}: a text or a pattern, not empty")
    return pin


class _History:
    """What a client sent so far, as far as it takes to know it again.

    It may send the last view, or go on with what it sent before the last cut: its whole history, or an
    older view (the base) with all that came after that. Of what stood before the last cut and left, a digest
    of each message is kept, and the client's own objects as long as it sends them; of all that is still sent,
    a copy of the structure that shares its texts, so that an edit in place is seen as one.
    """

    def __init__(self, base: Base | None = None) -> None:
        self._base = base or Base()
        self._known = False
        self._carried: Carried | None = None
        self._objects: list[JSON] | None = []
        self._digests: list[bytes] = []
        self._shown: list[JSON] = []
        self._fresh: list[JSON] = []

    def length(self, adopted: bool) -> int:
        """How many messages of what a client sends stand before what came since the last cut."""
        return len(self._shown) if adopted else len(self._digests)

    def since(self, messages: Sequence[JSON]) -> tuple[list[JSON], bool] | None:
        """(what is new, whether it sends the view).

        None if the messages begin neither with what was sent before the cut nor with the view, or if what came
        since was edited: they may go on from another view, which the store knows.
        """
        if not self._known:
            return None
        adopted = self._carried is not None and self._is_view(messages)
        if not adopted and not self._is_history(messages):
            return None
        rest = list(messages[self.length(adopted) :])
        same = len(rest) >= len(self._fresh) and rest[: len(self._fresh)] == self._fresh
        return (rest[len(self._fresh) :], adopted) if same else None

    def _is_view(self, messages: Sequence[JSON]) -> bool:
        return len(messages) >= len(self._shown) and list(messages[: len(self._shown)]) == self._shown

    def _is_history(self, messages: Sequence[JSON]) -> bool:
        cut_at = self._base.length(self._carried.source.length) if self._carried is not None else 0
        if len(self._digests) != cut_at or len(messages) < cut_at:
            return False  # taken up from a view, and nothing was cut since
        objects = self._objects
        if objects is not None and len(objects) == cut_at and all(map(operator.is_, messages, objects)):
            return self._kept_stand(messages)
        for index, digest in enumerate(self._digests):
            if (objects is None or messages[index] is not objects[index]) and _digest(messages[index]) != digest:
                return False
        return self._kept_stand(messages)

    def _kept_stand(self, messages: Sequence[JSON]) -> bool:
        """What of the history still stands in the view was not edited in place."""
        kept = self._carried.kept_sent if self._carried is not None else ()
        place = self._base.place
        return all(index is None or messages[place(index)] == one for index, one in zip(kept, self._shown, strict=True))

    def view(self, messages: Sequence[JSON]) -> list[JSON]:
        """The last view, with the client's own objects where they stand in it."""
        assert self._carried is not None
        told = zip(self._carried.sent, self._carried.kept_sent, strict=True)
        return [raw if kept is None else messages[self._base.place(kept)] for raw, kept in told]

    def grew(self, new: Sequence[JSON]) -> None:
        self._fresh += snapshot(list(new))

    def cut(self, messages: Sequence[JSON], adopted: Carried | None, carried: Carried) -> None:
        """Everything that was sent stands before a cut now.

        Args:
            messages: What was sent.
            adopted: The state of the view with which it begins; None if it begins with what was sent before.
            carried: The state after the cut.
        """
        if adopted is not None and not self._digests:
            self._base = _as_base(adopted)  # from now on it may go on sending this view, or take the next one
        since = messages[self.length(adopted is not None) :] if self._digests else messages
        self._digests += [_digest(message) for message in since]
        self._objects = list(messages) if len(since) == len(messages) or adopted is None else None
        self._stands(carried)
        self._fresh = []

    def began(self, messages: Sequence[JSON], carried: Carried | None, *, adopted: bool) -> None:
        """What was sent is known, and nothing was cut."""
        if not self._known and carried is not None:
            before = [] if adopted else messages[: self._base.length(carried.source.length)]
            self._objects = None if adopted else list(before)
            self._digests = [_digest(message) for message in before]
        if carried is not None:
            self._stands(carried)
        self._known = True
        self._fresh = snapshot(list(messages[self.length(adopted) :]))

    def _stands(self, carried: Carried) -> None:
        self._known, self._carried = True, carried
        self._shown = snapshot(list(carried.sent))


def _as_base(carried: Carried) -> Base:
    """The view, as what stands in the place of the history for a client that goes on sending it."""
    places = {kept: place for place, kept in enumerate(carried.kept_sent) if kept is not None}
    return Base(len(carried.sent), carried.source.length, places)


def _digest(message: JSON) -> bytes:
    return hashlib.blake2b(canonical_json(message), digest_size=16).digest()


def snapshot(value: list[JSON]) -> list[JSON]:
    """A copy of the structure that shares the texts: a caller's later edit in place is seen as one."""
    return [_copied(item) for item in value]


def _copied(value: JSON) -> JSON:
    if isinstance(value, dict):
        return {key: _copied(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_copied(child) for child in value]
    return value
