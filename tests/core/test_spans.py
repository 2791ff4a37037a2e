"""Spans: what has a name, a turn, a place and a price, whatever stands around it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from cuts import LONG, Characters, readout_of

from cenotaph.core.model import Kind, Provenance
from cenotaph.core.spans import Span, Structure, build_structure, tokens_of
from cenotaph.dialects.gemini import GEMINI
from cenotaph.dialects.openai_responses import OPENAI_RESPONSES
from talk import agent, answer, call, human, image, result, results, said, text, thinking


def structure_of(messages: Any) -> Structure:
    return readout_of(messages).classified.structure


def by_text(structure: Structure, words: str) -> Span:
    (span,) = [span for span in structure.spans if words in span.text]
    return span


def test_equal_things_have_each_a_name_of_their_own() -> None:
    twice = [text("Go on."), text("Go on.")]
    messages = [human(*twice), agent(*twice, call("a", "LS"), call("b", "LS")), results(answer("a"), answer("b"))]
    spans = structure_of([*messages, human(*twice), human(*twice)]).spans
    ids = [span.id for span in spans]
    assert len(spans) == 12
    assert len(set(ids)) == len(ids)
    assert [span.id for span in structure_of(messages).spans] == ids[: len(structure_of(messages).spans)]


def test_what_is_thought_and_what_is_said_in_the_same_words_have_two_names() -> None:
    both = said("assistant", "I look.", reasoning_content="I look.")
    thought, spoken = readout_of([said("user", LONG), both], wire="openai-chat").classified.spans[1:]
    assert {thought.kind, spoken.kind} == {Kind.reasoning, Kind.text}
    assert thought.data == spoken.data
    assert thought.id != spoken.id


def test_a_result_belongs_to_the_turn_of_its_call_however_late_it_comes() -> None:
    late = [human("Start."), agent(call("a", "Bash", command="make")), human("Meanwhile:"), result("a", "out")]
    structure = structure_of([*late, agent(text("So.")), human(LONG)])
    assert [by_text(structure, words).turn for words in ("Start.", "Meanwhile:", "out", "So.")] == [1, 2, 1, 2]
    assert by_text(structure, "out").exchange == by_text(structure, "make").exchange == 0


def test_a_result_without_a_call_belongs_to_no_exchange() -> None:
    structure = structure_of([human("Start."), result("gone", "out"), agent(text("So.")), human(LONG)])
    orphan = by_text(structure, "out")
    assert (orphan.exchange, structure.call_of) == (-1, {})


def test_the_newest_output_of_the_agent_is_found_wherever_it_stands() -> None:
    assert structure_of([human(LONG)]).last_agent_message == -1
    assert structure_of([agent(text("Hello.")), human(LONG)]).last_agent_message == 0
    assert structure_of([human(LONG), agent(text("Hello.")), human(LONG)]).last_agent_message == 1


def test_the_messages_of_people_are_told_in_order() -> None:
    """A transcript of some length: a set of numbers happens to be in order only while they are small."""
    messages = [human(f"{n}.") if n in (1, 16, 33, 40) else agent(text(f"{n}.")) for n in range(41)]
    assert structure_of(messages).human_messages == (1, 16, 33, 40)


def test_a_call_costs_its_tools_name_and_nothing_else_costs_one() -> None:
    """By characters: what the model reads of a thing, and the name for a call."""
    messages = [human("Start."), agent(text("I look."), call("a", "ReadTheFile", file_path="a")), result("a", "out")]
    for span in structure_of(messages).spans:
        name = len("ReadTheFile") if span.kind is Kind.call else 0
        assert span.tokens == len(span.text) + name


def test_what_a_provider_keeps_hidden_in_a_part_is_counted_with_it() -> None:
    part = structure_of([human("Start.")]).spans[0].part
    assert tokens_of(replace(part, hidden=7), part.text, Characters()) == len("Start.") + 7


def test_a_picture_in_a_result_costs_what_a_picture_costs() -> None:
    shown = [{"type": "text", "text": "Seen:"}, image()]
    asked = [human("Start."), agent(call("a", "Read", file_path="a.png"))]
    with_picture = structure_of([*asked, result("a", shown)]).spans[-1]
    without = structure_of([*asked, result("a", shown[:1])]).spans[-1]
    assert with_picture.part.images
    assert with_picture.tokens - len(with_picture.text) == without.tokens - len(without.text) + 100


def test_only_a_persons_picture_is_a_payload() -> None:
    drawn = {"inlineData": {"mimeType": "image/png", "data": "aaaa"}}
    contents = [{"role": role, "parts": [{"text": "Look:"}, drawn]} for role in ("user", "model")]
    spans = build_structure(GEMINI.parse(contents), Characters()).spans
    media = {span.provenance: span.payload for span in spans if span.kind is Kind.media}
    assert media == {Provenance.user: True, Provenance.agent: False}


@pytest.mark.parametrize("between", [[], [{"type": "message", "role": "user", "content": "Wait."}]])
def test_items_of_one_output_are_one_output_and_a_word_between_them_ends_it(between: list[Any]) -> None:
    calls = [{"type": "function_call", "call_id": name, "name": "run", "arguments": "{}"} for name in ("a", "b")]
    items = [{"type": "message", "role": "user", "content": "Start."}, calls[0], *between, calls[1]]
    structure = build_structure(OPENAI_RESPONSES.parse(items), Characters())
    outputs = [span.output for span in structure.spans if span.kind is Kind.call]
    assert outputs == ([1, 1] if not between else [1, 3])
    assert [len(exchange.calls) for exchange in structure.exchanges] == ([2] if not between else [1, 1])


def test_reasoning_and_what_it_led_to_are_one_output() -> None:
    structure = structure_of([human("Start."), agent(thinking("hm"), text("So."), call("a", "LS")), result("a", "x")])
    assert {len(orders) for output, orders in structure.by_output.items() if output == 1} == {3}
