"""Joining: a format that takes no two messages of one role in a row is sent them as one, and nothing is lost by it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph import Policy, Session, Tombstone, compact, rehydrate, verify
from cenotaph.core.ids import JSON
from cenotaph.core.joining import Standing, joined, joined_messages, standing_of
from cenotaph.core.model import Origin, Provenance, Wire
from cenotaph.core.tombstone import PAGE_HEADER
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.bedrock import BEDROCK_CONVERSE
from cenotaph.dialects.gemini import GEMINI
from cenotaph.store.memory import MemoryStore

Messages = list[Any]
RULES = ("Never touch {n}/prod/ without a signed request.", "Report part {n} in {n} lines, and ask before you write.")
"""What a person says in two messages in a row, once per turn."""


@dataclass(frozen=True)
class Form:
    """How a client of one format writes its messages.

    Attributes:
        wire: The format.
        agent: Role of the model.
        blocks: Field of a message's contents.
        step: A call and its result, from an id, a tool, its arguments and its output.
    """

    wire: Wire
    agent: str
    blocks: str
    step: Callable[[str, str, JSON, str], Messages]

    def said(self, role: str, *texts: str) -> JSON:
        return {"role": self.agent if role == "agent" else role, self.blocks: [{"text": text} for text in texts]}

    def texts(self, message: JSON) -> list[str]:
        return [block["text"] for block in message[self.blocks] if "text" in block]

    def turn(self, n: int) -> Messages:
        """Two messages of a person in a row, a write that may leave with its call, reads, and the answer.

        What stands beside the write is, in turn: a person before it, a result before it and the answer behind
        it, a person on both sides.
        """
        spoken = [self.said("user", rule.format(n=n)) for rule in RULES]
        written = {"path": f"new_{n}.py", "content": "c" * 2_000}
        write = self.step(f"w{n}", "write_file", written, "written")
        reads: Messages = []
        for k in range(3):
            reads += self.step(f"r{n}_{k}", "read_file", {"path": f"src/{n}_{k}.py"}, f"{n}.{k} line\n" * 200)
        between = [self.said("user", f"Wait. I mean part {n} of the old layout, as it stood last week.")]
        work = ([*write, *reads], [*reads, *write], [*write, *between, *reads])[n % 3]
        return [*spoken, *work, self.said("agent", f"Part {n} works on port {5000 + n}.")]


def _bedrock_step(identity: str, tool: str, arguments: JSON, output: str) -> Messages:
    call = {"toolUseId": identity, "name": tool, "input": arguments}
    answer = {"toolUseId": identity, "content": [{"text": output}], "status": "success"}
    return [
        {"role": "assistant", "content": [{"toolUse": call}]},
        {"role": "user", "content": [{"toolResult": answer}]},
    ]


def _gemini_step(identity: str, tool: str, arguments: JSON, output: str) -> Messages:
    call = {"id": identity, "name": tool, "args": arguments}
    answer = {"id": identity, "name": tool, "response": {"output": output}}
    signed = {"functionCall": call, "thoughtSignature": "c2lnbmVk"}
    return [{"role": "model", "parts": [signed]}, {"role": "user", "parts": [{"functionResponse": answer}]}]


FORMS = {
    "bedrock-converse": Form(BEDROCK_CONVERSE, "assistant", "content", _bedrock_step),
    "gemini": Form(GEMINI, "model", "parts", _gemini_step),
}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Form:
    return FORMS[request.param]


# Any messages ------------------------------------------------------------------------------------


def neighbours(first: Standing, second: Standing) -> bool:
    """The client itself sent the two in a row: its own words, and nothing between them in its history."""
    return not first[1] and not second[1] and second[0] - first[0] == 1


@st.composite
def views(draw: st.DrawFn) -> tuple[str, Messages, list[Standing]]:
    """A view: messages of either role, some with a result, gaps where something left, and pages of ours."""
    name = draw(st.sampled_from(sorted(FORMS)))
    form, raws, standings, index = FORMS[name], list[Any](), list[Standing](), -1
    for n in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["user", "user", "agent", "result", "page"]))
        if kind == "page":
            raws.append(form.said("user", f"{PAGE_HEADER}\nline {n}"))
            standings.append((draw(st.sampled_from([-1, index])), True))
            continue
        index += draw(st.sampled_from([1, 1, 2, 3]))
        raws.append(form.step(f"i{n}", "t", {}, f"out {n}")[1] if kind == "result" else form.said(kind, f"words {n}"))
        if draw(st.booleans()):
            raws[-1][f"field {n}"] = n
        standings.append((index, False))
    return name, raws, standings


def groups(raws: Messages, standings: list[Standing], sizes: list[int]) -> Iterator[list[tuple[JSON, Standing]]]:
    at = 0
    for size in sizes:
        yield list(zip(raws[at : at + size], standings[at : at + size], strict=True))
        at += size


def contents(form: Form, messages: Messages) -> Messages:
    return [block for message in messages for block in message[form.blocks]]


def holds_result(message: JSON) -> bool:
    return any("functionResponse" in block for block in message.get("parts", ()))


@given(views())
def test_what_is_sent_holds_all_contents_in_order_and_a_message_alone_is_the_object_itself(
    drawn: tuple[str, Messages, list[Standing]],
) -> None:
    name, raws, standings = drawn
    form, before = FORMS[name], copy.deepcopy(raws)
    sent, sizes = joined(raws, standings, form.wire)
    assert sum(sizes) == len(raws)
    assert contents(form, sent) == contents(form, raws)
    assert raws == before, "a message of the client was changed"
    for one, members in zip(sent, groups(raws, standings, sizes), strict=True):
        if len(members) == 1:
            assert one is members[0][0]
        assert {key for raw, _ in members for key in raw} == set(one), "a field was lost"
        assert {raw["role"] for raw, _ in members} == {one["role"]}


@given(views())
def test_neighbours_of_the_client_stay_apart_and_no_others_of_one_role_do(
    drawn: tuple[str, Messages, list[Standing]],
) -> None:
    name, raws, standings = drawn
    _, sizes = joined(raws, standings, FORMS[name].wire)
    found = list(groups(raws, standings, sizes))
    for members in found:
        assert not any(neighbours(a[1], b[1]) for a, b in pairwise(members))
    for first, second in pairwise(found):
        (raw, standing), (after, following) = first[-1], second[0]
        as_sent = neighbours(standing, following)
        assert as_sent or raw["role"] != after["role"] or holds_result(raw) != holds_result(after)


def test_a_format_that_takes_neighbours_is_sent_each_message_as_it_is() -> None:
    raws = [{"role": "user", "content": f"words {n}"} for n in range(4)]
    sent, sizes = joined(raws, [(-1, True), (0, False), (5, False), (7, False)], ANTHROPIC)
    assert all(one is raw for one, raw in zip(sent, raws, strict=True))
    assert sizes == [1, 1, 1, 1]


# Messages that were read ---------------------------------------------------------------------------


def test_messages_that_a_client_sends_are_sent_as_they_came(form: Form) -> None:
    raws = [*form.turn(0), *form.turn(1), form.said("agent", "And more."), form.said("agent", "Done.")]
    sent, sizes = joined_messages(form.wire.parse_messages(raws), form.wire)
    assert len(sent) == len(raws)
    assert all(one is raw for one, raw in zip(sent, raws, strict=True))
    assert sizes == [1] * len(raws)


def test_what_comes_behind_a_message_stands_behind_it_in_the_history(form: Form) -> None:
    """Only the first of what came since has an origin: those after it are neighbours all the same."""
    raws = [form.said("user", f"words {n}") for n in range(4)]
    first, second, *rest = form.wire.parse_messages(raws)
    messages = [replace(first, origin=Origin(2, 1, 0, True)), replace(second, origin=Origin(9, 3, 0, False)), *rest]
    sent, sizes = joined_messages(messages, form.wire)
    assert sizes == [2, 1, 1], "something left between the first two, and nothing between the others"
    assert form.texts(sent[0]) == ["words 0", "words 1"]
    assert sent[1:] == raws[2:]


@pytest.mark.parametrize("by", list(Provenance))
def test_only_a_page_of_ours_is_one_whatever_a_text_says(form: Form, by: Provenance) -> None:
    (message,) = form.wire.parse_messages([form.said("user", f"{PAGE_HEADER}\nwords")])
    message = replace(message, parts=tuple(replace(part, provenance=by) for part in message.parts))
    assert standing_of(message, 7) == (7, by is Provenance.compactor)
    assert standing_of(replace(message, origin=Origin(3, 1, 0, True)), 7) == (3, by is Provenance.compactor)


def test_a_line_of_ours_in_the_place_of_a_text_is_no_page(form: Form) -> None:
    line = Tombstone("user_message", 1, None, ()).render()
    (message,) = form.wire.parse_messages([form.said("user", line)])
    message = replace(message, parts=tuple(replace(part, provenance=Provenance.compactor) for part in message.parts))
    assert standing_of(message, 0) == (0, False)


# Several cuts --------------------------------------------------------------------------------------


class KeyedStore(MemoryStore):
    """Every one has the same key, so that what two of them give can be compared to the byte."""

    def key(self) -> bytes:
        return b"k" * 32


def how_of(form: Form, policy: Policy) -> dict[str, Any]:
    return {"dialect": form.wire.name, "tools": ["generic"], "policy": policy, "binding": "none"}


@dataclass(frozen=True)
class Cut:
    """What one cut of a growing session was shown, and showed."""

    history: Messages
    fresh: Messages
    target: int
    view: Messages


def cuts_of(form: Form, policy: Policy, rounds: int, store: MemoryStore) -> list[Cut]:
    """A session that grows by a turn and is cut after each; its client resends the whole history."""
    made, history = list[Cut](), list[Any]()
    how = {**how_of(form, policy), "store": store, "session": "s"}
    share = 0.8 if policy == Policy.strict() else 0.3
    for n in range(rounds):
        fresh = form.turn(n)
        history = [*history, *fresh]
        size = compact(history, to_tokens=1 << 40, **how).tokens_before
        done = compact(history, to_tokens=int(size * share), **how)
        assert done.reason == ""
        made.append(Cut(history, fresh, int(size * share), list(done.messages)))
    return made


def joined_in(form: Form, cut: Cut) -> list[JSON]:
    """The messages of a view that hold a page of ours and something of the client."""
    return [m for m in cut.view if len(m[form.blocks]) > 1 and any(is_ours(text) for text in form.texts(m))]


def is_ours(text: str) -> bool:
    return text.startswith(PAGE_HEADER)


def name_of(block: JSON) -> JSON:
    """What tells a block from others: its words, or the id of its call."""
    inner = block.get("toolResult", block.get("functionResponse", {}))
    return block.get("text", inner.get("toolUseId", inner.get("id")))


POLICIES = pytest.mark.parametrize("policy", [Policy.strict(), Policy.archive("test")], ids=["strict", "archive"])
ROUNDS = 5


@POLICIES
def test_whoever_sends_and_wherever_the_session_is_taken_up_each_cut_shows_the_same_bytes(
    form: Form, policy: Policy
) -> None:
    stores = [KeyedStore() for _ in range(4)]
    how, made = how_of(form, policy), cuts_of(form, policy, ROUNDS, stores[0])
    assert any(joined_in(form, cut) for cut in made), "nothing was joined"
    shown: Messages = []
    for cut in made:
        adopted = compact([*shown, *cut.fresh], to_tokens=cut.target, store=stores[1], session="s", **how)
        reopened = Session("s", store=stores[2], to_tokens=cut.target, **how).view(copy.deepcopy(cut.history))
        from_view = Session("s", store=stores[3], to_tokens=cut.target, **how).view(copy.deepcopy([*shown, *cut.fresh]))
        for view in (adopted.messages, reopened, from_view):
            assert json.dumps(list(view)) == json.dumps(cut.view)
        shown = cut.view
    names = ("view_sha256", "source_sha256")
    assert len({json.dumps([[r[name] for name in names] for r in store.records("s")]) for store in stores}) == 1


@POLICIES
def test_between_two_cuts_both_clients_are_sent_the_last_view_and_what_came_since(form: Form, policy: Policy) -> None:
    store = KeyedStore()
    *_, last = cuts_of(form, policy, ROUNDS, store)
    fresh = [form.said("user", "Go on, and say when it is done."), form.said("agent", "It is done.")]
    for sent in ([*last.history, *fresh], [*last.view, *fresh]):
        view = Session("s", store=store, to_tokens=1 << 40, **how_of(form, policy)).view(copy.deepcopy(sent))
        assert json.dumps(list(view)) == json.dumps([*last.view, *fresh])


@POLICIES
def test_what_a_client_sent_as_two_messages_in_a_row_stands_as_two_in_every_view(form: Form, policy: Policy) -> None:
    stood = 0
    for cut in cuts_of(form, policy, ROUNDS, KeyedStore()):
        for n in range(ROUNDS):
            first, second = (rule.format(n=n) for rule in RULES)
            at = [[i for i, m in enumerate(cut.view) if words in form.texts(m)] for words in (first, second)]
            if all(at):
                stood += 1
                assert (len(at[0]), at[1]) == (1, [at[0][0] + 1])
    assert stood > ROUNDS


@POLICIES
def test_a_view_has_no_two_messages_of_one_role_in_a_row_that_the_client_did_not_send_so(
    form: Form, policy: Policy
) -> None:
    joined_pages = 0
    for cut in cuts_of(form, policy, ROUNDS, KeyedStore()):
        names = [(name_of(m[form.blocks][0]), name_of(m[form.blocks][-1])) for m in cut.history]
        sent_so = {(first[1], second[0]) for first, second in pairwise(names)}
        for first, second in pairwise(cut.view):
            if first["role"] == second["role"] and holds_result(first) == holds_result(second):
                assert (name_of(first[form.blocks][-1]), name_of(second[form.blocks][0])) in sent_so
        joined_pages += len(joined_in(form, cut))
    assert joined_pages > ROUNDS


@POLICIES
def test_what_was_joined_is_undone_to_the_byte_and_its_pointers_resolve(form: Form, policy: Policy) -> None:
    store = KeyedStore()
    *_, before, last = cuts_of(form, policy, ROUNDS, store)
    for line in {line for message in last.view for text in form.texts(message) for line in Tombstone.find(text)}:
        for pointer in line.recover:
            assert rehydrate(pointer, store=store, session="s")
    assert verify(store, read_data=True).findings == ()
    session = Session("s", store=store, to_tokens=1 << 40, **how_of(form, policy))
    session.view(last.view)
    assert json.dumps(session.undo()) == json.dumps(last.history)
    for sent in (last.history, [*before.view, *last.fresh]):
        again = Session("s", store=store, to_tokens=1 << 40, **how_of(form, policy)).view(copy.deepcopy(sent))
        assert json.dumps(list(again)) == json.dumps([*before.view, *last.fresh]), "the earlier sent form"
