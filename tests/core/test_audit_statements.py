"""What is judged: what bound somebody in what was removed, and nothing that bound nobody."""

from __future__ import annotations

from cenotaph.core.audit.model import Event, Mechanism
from cenotaph.core.audit.statements import passages_of, statements_in, statements_of, turns_of
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance
from cenotaph.limits import payload_tokens_min

USER, AGENT, TOOL = Provenance.user, Provenance.agent, Provenance.tool


def part(text: str, provenance: Provenance = USER, kind: Kind = Kind.text, *marks: Mark) -> Part:
    return Part(kind=kind, provenance=provenance, block=(), path=(), text=text, marks=frozenset(marks))


def messages(*parts: Part) -> tuple[Message, ...]:
    return tuple(Message({}, one.provenance.value, (one,)) for one in parts)


def removed(*parts: Part) -> Event:
    before = messages(*parts)
    return Event(Mechanism.pair, len(before), before, (), tuple((at, 0) for at in range(len(before))))


def told(event: Event) -> list[str]:
    return [one.text for one in statements_of(event, turns_of(event.before))]


def test_each_sentence_of_a_person_is_one_with_its_place() -> None:
    event = removed(part("Hello there.\nNever push to main. Use port 5433."))
    found = statements_of(event, [1])
    assert [one.text for one in found] == ["Hello there.", "Never push to main.", "Use port 5433."]
    assert all(event.before[0].parts[0].text[one.start : one.end] == one.text and one.turn == 1 for one in found)


def test_tools_clients_and_strangers_state_nothing() -> None:
    event = removed(
        part("Never push.", TOOL, Kind.result),
        part("Never push.", Provenance.harness),
        part("Never push.", Provenance.foreign),
        part("Never push.", AGENT, Kind.reasoning),
    )
    assert told(event) == []


def test_what_a_person_pasted_states_nothing() -> None:
    log = "2026-01-02 10:11:12 never do this again and again\n" * payload_tokens_min
    assert told(removed(part(f"Look at this.\n```\n{log}```\nNever push."))) == ["Look at this.", "Never push."]


def test_a_persons_act_inside_a_result_is_quoted() -> None:
    event = removed(part("No, keep the old name.", TOOL, Kind.result, Mark.rejection))
    (one,) = statements_of(event, [1])
    assert (one.text, one.provenance, one.quoted) == ("No, keep the old name.", USER, True)


def test_of_the_agent_only_unfinished_states_in_its_last_words_of_a_turn() -> None:
    blocked = "Step 5: deploy - blocked: waits for approval of CHG-9931."
    working = removed(
        part("Step 4: tests - pending.", AGENT), part("{}", AGENT, Kind.call), part("ok", TOOL, Kind.result)
    )
    assert told(working) == []
    told_a_person = removed(part(f"I looked around. {blocked} Step 4 is done.", AGENT), part("Fine."))
    assert told(told_a_person)[:1] == [blocked]


def test_equal_words_of_one_speaker_are_one_statement() -> None:
    event = removed(part("Never push."), part("Never  push."), part("Never push.", Provenance.system))
    assert [one.provenance for one in statements_of(event, [1, 1, 1])] == [USER, Provenance.system]


def test_given_words_are_found_where_a_person_said_them() -> None:
    before = messages(part("Never push.", AGENT), part("Hi. Never\npush to main."), part("Ok."))
    found = statements_in(before, ["push to main.", "Never push to main.", "Unheard of."], turns_of(before))
    assert [one.ref for one in found] == [(1, 0), (1, 0), None]
    assert before[1].parts[0].text[found[0].start : found[0].end] == "push to main."
    assert all(one.provenance is USER for one in found)


def test_turns_begin_where_a_person_speaks_after_the_agent() -> None:
    machine = part("d", Provenance.harness)
    parts = (part("a", AGENT), part("b"), part("c"), machine, part("e"), part("f", AGENT), part("g"))
    assert turns_of(messages(*parts)) == [0, 1, 1, 1, 1, 1, 2]


def test_passages_are_what_somebody_says() -> None:
    after = messages(
        part("S", Provenance.foreign),
        part("out", TOOL, Kind.result),
        part("no", TOOL, Kind.result, Mark.rejection),
        part("{}", AGENT, Kind.call),
        part("g"),
    )
    event = Event(Mechanism.pair, 0, (), after, (), replacement=(0,))
    assert [(one.text, one.replacement) for one in passages_of(event)] == [("S", True), ("no", False), ("g", False)]
