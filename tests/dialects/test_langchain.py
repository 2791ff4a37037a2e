"""The LangChain dialect: three serialisations, one reading; what is kept and what is left to send."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from damaged import at, damaged
from hypothesis import given
from hypothesis import strategies as st

from cenotaph import Policy, Session, compact
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Part, Provenance, Usage, Wire
from cenotaph.dialects.detect import DIALECTS, detect
from cenotaph.dialects.langchain import LANGCHAIN, WIRES
from cenotaph.dialects.langchain_forms import Form, written
from cenotaph.errors import BudgetExhausted, DialectError
from cenotaph.testing.conversations_langchain import FormName, generate_langchain, langchain_conversations

SHARED = Path(__file__).parents[2].parent / "shared"
FORMS: tuple[FormName, ...] = ("langchain", "langchain-dumpd", "langchain-flat")
FLAT = WIRES["langchain-flat"]
IMAGE = {"type": "image", "base64": "aGVsbG8=", "mime_type": "image/png"}


def flat(kind: str, /, content: JSON = "x", **fields: JSON) -> JSON:
    return written(Form.flat, kind, {"content": content, **fields})


def call(call_id: str = "c1", args: JSON = None, name: str = "read") -> JSON:
    return {"name": name, "args": {} if args is None else args, "id": call_id, "type": "tool_call"}


def agent(*calls: JSON, content: JSON = "", **fields: JSON) -> JSON:
    return flat("ai", content, tool_calls=list(calls), **fields)


def tool(call_id: str = "c1", content: JSON = "ok", **fields: JSON) -> JSON:
    return flat("tool", content, tool_call_id=call_id, **fields)


def parts_of(message: JSON) -> tuple[Part, ...]:
    return FLAT.parse_messages([message])[0].parts


def part_of(message: JSON) -> Part:
    (found,) = parts_of(message)
    return found


def codes(*messages: JSON) -> list[str]:
    return [defect.code for defect in LANGCHAIN.parse(list(messages)).defects]


# Round trip ----------------------------------------------------------------------------------


@given(langchain_conversations())
def test_emit_gives_back_what_was_parsed_and_leaves_it_untouched(messages: list[JSON]) -> None:
    before = copy.deepcopy(messages)
    transcript = LANGCHAIN.parse(messages)
    assert LANGCHAIN.emit(transcript) is messages
    assert messages == before
    assert transcript.defects == ()
    assert WIRES[transcript.wire].breaches(messages) == []


@given(langchain_conversations(), st.randoms(use_true_random=False))
def test_whatever_is_torn_out_the_rest_is_read_and_comes_back(messages: list[JSON], rng: Random) -> None:
    torn = damaged(messages, rng)
    transcript = LANGCHAIN.parse(torn)
    assert LANGCHAIN.emit(transcript) is torn
    for raw, message in zip(torn, transcript.messages, strict=True):
        blocks = [block for found in message.parts for block in (found.block, *found.copies)]
        assert len(set(blocks)) == len(blocks)
        for found in message.parts:
            for path in (found.block, found.path, *found.copies):
                at(raw, path)
        FLAT.tidy(raw)
    FLAT.breaches(torn)


@pytest.mark.parametrize("seed", range(30))
def test_the_three_serialisations_say_the_same(seed: int) -> None:
    readings = [
        [
            (message.role, [(p.kind, p.provenance, p.text, p.call_id, p.failed, p.marks) for p in message.parts])
            for message in LANGCHAIN.parse(generate_langchain(form, seed)).messages
        ]
        for form in FORMS
    ]
    assert readings[0] == readings[1] == readings[2]


def test_every_wire_reads_every_serialisation() -> None:
    for wire in WIRES.values():
        for form in FORMS:
            messages = generate_langchain(form, 5)
            assert wire.parse_messages(messages) == LANGCHAIN.parse(messages).messages


def test_a_state_a_snapshot_and_its_history_come_back_with_exchanged_messages() -> None:
    inner = [flat("human"), agent(content="a")]
    state = {"messages": inner, "next": []}
    snapshot = {"values": {"messages": inner, "n": 1}, "config": {"configurable": {"thread_id": "t9"}}}
    history = [snapshot, {"values": {}, "config": {}}]
    for value in (state, snapshot, history):
        transcript = LANGCHAIN.parse(value)
        assert LANGCHAIN.recognise(value)
        assert [message.raw for message in transcript.messages] == inner
        assert LANGCHAIN.emit(transcript) is value
    assert LANGCHAIN.parse(history).session == "t9"
    shorter = [replace(LANGCHAIN.parse(value), messages=()) for value in (state, snapshot, history)]
    first, second, third = (LANGCHAIN.emit(transcript) for transcript in shorter)
    assert first == {"messages": [], "next": []}
    assert second == {**snapshot, "values": {"messages": [], "n": 1}}
    assert third == [second, history[1]]


def test_a_value_without_messages_is_refused_by_name() -> None:
    refused: tuple[JSON, ...] = ({"content": "x"}, 3, {"values": {}})
    for value in refused:
        with pytest.raises(DialectError) as caught:
            LANGCHAIN.parse(value)
        assert caught.value.details["dialect"] == "langchain"


# Detection -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_list_is_this_dialects_and_no_others(form: FormName) -> None:
    for seed in range(40):
        messages = generate_langchain(form, seed)
        for value in (messages, {"messages": messages}, {"values": {"messages": messages}}):
            assert [name for name, dialect in DIALECTS.items() if dialect.recognise(value)] == ["langchain"]
        assert LANGCHAIN.parse(messages).wire == form


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"messages": []},
        [{"role": "user", "content": "x"}],
        [{"type": "message", "role": "user", "content": "x"}],
        [{"type": "system", "content": "x", "uuid": "u"}],
        [{"type": "user", "message": {"role": "user", "content": "x"}}],
        [{"type": "chat", "role": "user", "content": "x"}],
        [{"type": "human", "data": {"text": "x"}}],
        [flat("human"), {"role": "user", "content": "x"}],
        [flat("human"), {"type": "human", "data": {"content": "x"}}],
        [{"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "Prompt"], "kwargs": {}}],
        [{"kind": "request", "parts": []}],
        flat("human"),
    ],
)
def test_nothing_else_is(value: JSON) -> None:
    assert not LANGCHAIN.recognise(value)


def test_each_serialisation_is_a_wire_that_the_core_can_write() -> None:
    wires: list[Wire] = list(WIRES.values())
    assert [wire.name for wire in wires] == list(FORMS)


# Who wrote it --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "provenance"),
    [
        (flat("human"), "user"),
        (flat("ai"), "agent"),
        (flat("system"), "system"),
        (flat("system", additional_kwargs={"__openai_role__": "developer"}), "developer"),
        (flat("chat", role="user"), "user"),
        (flat("chat", role="assistant"), "agent"),
        (flat("chat", role="critic"), "harness"),
        (flat("oracle"), "harness"),
        (flat("human", "<system-reminder>x</system-reminder>"), "harness"),
        ({"type": "AIMessageChunk", "content": "x"}, "agent"),
    ],
)
def test_the_type_says_who_wrote_the_text(message: JSON, provenance: str) -> None:
    found = part_of(message)
    assert (found.kind, found.provenance, found.text[-3:]) == (Kind.text, provenance, message["content"][-3:])


def test_a_message_that_a_feature_put_in_is_no_persons() -> None:
    notice = part_of(flat("human", additional_kwargs={"lc_source": "async_subagent"}))
    assert (notice.provenance, notice.marks) == (Provenance.harness, frozenset())
    summary = part_of(flat("human", additional_kwargs={"lc_source": "summarization"}))
    assert (summary.provenance, summary.marks) == (Provenance.foreign, frozenset({Mark.summary}))
    assert part_of(flat("ai", additional_kwargs={"lc_source": "summarization"})).provenance is Provenance.agent


def test_a_removal_is_kept_and_reported_and_carries_nothing() -> None:
    transcript = LANGCHAIN.parse([flat("human"), flat("remove", "", id="__remove_all__")])
    assert transcript.messages[1].parts == ()
    assert [defect.code for defect in transcript.defects] == ["state-update"]


def test_what_dumpd_could_not_write_never_leaves() -> None:
    """No line of ours fits into the place of an object that only its writer can read."""

    def ran(number: int) -> list[JSON]:
        return WIRES["langchain-dumpd"].exchange(f"c{number}", "read", {"n": number}, "line\n" * 2_000)

    human = written(Form.constructor, "human", {"content": "hi"})
    agent_says = written(Form.constructor, "ai", {"content": "done"})
    stub = {"lc": 1, "type": "not_implemented", "id": ["app", "Note"], "repr": f"Note({'words ' * 500})"}
    before = [human, *ran(1), stub, *ran(2), agent_says, human, agent_says, human]
    result = compact(before, to_tokens=2_500, policy=Policy.archive())
    assert stub in result.messages
    assert result.tokens_after < result.tokens_before
    with pytest.raises(BudgetExhausted):
        compact(before, to_tokens=300, policy=Policy.archive())


def test_what_dumpd_could_not_write_is_kept_whole() -> None:
    stub = {"lc": 1, "type": "not_implemented", "id": ["app", "Note"], "repr": "Note()"}
    transcript = LANGCHAIN.parse([written(Form.constructor, "human", {"content": "x"}), stub])
    found = transcript.messages[1].parts[0]
    assert (found.kind, found.provenance, found.path) == (Kind.other, Provenance.harness, ())
    assert [defect.code for defect in transcript.defects] == ["not-a-message"]


@pytest.mark.parametrize("holder", [{"pinned": True}, {"additional_kwargs": {"pinned": True}}])
def test_a_pin_of_the_message_marks_its_parts(holder: dict[str, JSON]) -> None:
    assert part_of(flat("human", **holder)).marks == frozenset({Mark.pinned})
    assert part_of(tool(**holder)).marks == frozenset({Mark.pinned})


# Content -------------------------------------------------------------------------------------


def test_blocks_of_every_kind_are_read_where_they_stand() -> None:
    odd = {"type": "hologram", "x": 1}
    content = ["bare", {"type": "text", "text": "a"}, {"type": "text-plain", "text": "doc"}, IMAGE, odd, 7]
    found = parts_of(flat("human", content))
    assert [(p.kind, p.block, p.path, p.text) for p in found] == [
        (Kind.text, ("content", 0), ("content", 0), "bare"),
        (Kind.text, ("content", 1), ("content", 1, "text"), "a"),
        (Kind.text, ("content", 2), ("content", 2, "text"), "doc"),
        (Kind.media, ("content", 3), ("content", 3), ""),
        (Kind.other, ("content", 4), ("content", 4), '{"type":"hologram","x":1}'),
        (Kind.other, ("content", 5), ("content", 5), "7"),
    ]


@pytest.mark.parametrize(
    ("block", "kind", "mime"),
    [
        (IMAGE, "image", "image/png"),
        ({"type": "image", "source_type": "base64", "data": "aGk=", "mime_type": "image/gif"}, "image", "image/gif"),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
            "image",
            "image/png",
        ),
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}, "image", "image/png"),
        ({"type": "image_url", "image_url": "https://x/y"}, "image", None),
        ({"type": "file", "file": {"file_data": "data:application/pdf;base64,aGk="}}, "document", "application/pdf"),
        ({"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}, "audio", None),
        ({"type": "media", "mime_type": "video/mp4", "data": "aGk="}, "video", "video/mp4"),
        ({"type": "video", "file_id": "f1"}, "video", None),
    ],
)
def test_media_are_known_in_every_shape_that_adapters_write(block: JSON, kind: str, mime: str | None) -> None:
    found = part_of(flat("human", [block]))
    assert (found.kind, found.text) == (Kind.media, "")
    assert [(media.kind, media.mime) for media in found.media] == [(kind, mime)]
    in_result = part_of(tool(content=[{"type": "text", "text": "see"}, block]))
    assert (in_result.text, in_result.images, len(in_result.media)) == ("see", 1, 1)


@pytest.mark.parametrize(
    ("block", "text", "marks"),
    [
        ({"type": "thinking", "thinking": "hm", "signature": "s"}, "hm", [Mark.signed]),
        ({"type": "redacted_thinking", "data": "z"}, "z", [Mark.signed]),
        ({"type": "reasoning", "reasoning": "hm"}, "hm", []),
        ({"type": "reasoning", "reasoning": "hm", "extras": {"signature": "s"}}, "hm", [Mark.signed]),
        ({"type": "reasoning_content", "reasoning_content": {"text": "hm", "signature": "s"}}, "hm", [Mark.signed]),
        (
            {"type": "reasoning", "id": "rs_1", "summary": [{"text": "a"}, {"text": "b"}], "encrypted_content": "z"},
            "a\nb",
            [Mark.signed, Mark.bound],
        ),
        ({"type": "reasoning", "id": "rs_1", "summary": []}, "", [Mark.bound]),
    ],
)
def test_reasoning_is_read_in_every_shape_that_adapters_write(block: JSON, text: str, marks: list[Mark]) -> None:
    found, _ = parts_of(agent(content=[block, "said"]))
    assert (found.kind, found.text, found.path) == (Kind.reasoning, text, ("content", 0))
    assert found.marks == frozenset(marks)


def test_reasoning_a_refusal_and_the_words_of_a_recording_may_stand_beside_the_content() -> None:
    kwargs = {"reasoning_content": "hm", "refusal": "no", "audio": {"id": "a", "transcript": "hello"}}
    found = parts_of(agent(content="said", additional_kwargs=kwargs))
    assert [(p.kind, p.text, p.block) for p in found] == [
        (Kind.reasoning, "hm", ("additional_kwargs", "reasoning_content")),
        (Kind.text, "said", ("content",)),
        (Kind.text, "no", ("additional_kwargs", "refusal")),
        (Kind.text, "hello", ("additional_kwargs", "audio")),
    ]


def test_a_providers_own_call_and_its_result_stand_in_the_agents_message() -> None:
    asked = {"type": "server_tool_call", "id": "s1", "name": "web_search", "args": {"q": 1}}
    told = {"type": "server_tool_result", "tool_call_id": "s1", "status": "success", "output": ["hit"]}
    first, second = parts_of(agent(content=[asked, told]))
    assert (first.kind, first.args, first.marks) == (Kind.call, {"q": 1}, frozenset({Mark.server}))
    assert (second.kind, second.provenance, second.text) == (Kind.result, Provenance.tool, "hit")
    foreign = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "text", "text": "x"}]}
    assert parts_of(agent(content=[asked, foreign]))[1].call_id == "s1"


def test_a_result_is_its_whole_message_and_its_artifact_is_never_sent() -> None:
    found = part_of(tool("a", "ok", name="read", artifact={"stdout": "long"}))
    expected = Part(Kind.result, Provenance.tool, (), ("content",), "ok", call_id="a", tool="read")
    assert found == expected
    typed = WIRES["langchain"].parse_messages([written(Form.typed, "tool", {"content": "ok", "tool_call_id": "a"})])
    assert (typed[0].parts[0].block, typed[0].parts[0].path) == ((), ("data", "content"))


def test_a_result_failed_by_its_status_or_by_its_words() -> None:
    assert part_of(tool(status="error")).failed
    assert part_of(tool(content="Error: no such file", status="success")).failed
    assert not part_of(tool(status="success")).failed


def test_the_older_function_format_pairs_by_place() -> None:
    asked = flat("ai", "", additional_kwargs={"function_call": {"name": "f", "arguments": '{"a":1}'}})
    found = part_of(asked)
    assert (found.tool, found.args, found.block) == ("f", {"a": 1}, ("additional_kwargs", "function_call"))
    messages = FLAT.parse_messages([asked, flat("function", name="f")])
    assert messages[0].parts[0].call_id == messages[1].parts[0].call_id


def test_usage_and_model_come_from_the_agents_messages() -> None:
    usage = {"input_tokens": 7, "output_tokens": 1, "total_tokens": 8}
    messages = [
        flat("human"),
        agent(content="a", usage_metadata=usage, response_metadata={"model_name": "gpt-5"}),
        agent(content="b", usage_metadata=None, response_metadata={}),
    ]
    transcript = LANGCHAIN.parse(messages)
    assert (transcript.usage, transcript.model) == ((Usage(1, 7, "gpt-5"),), "gpt-5")


def test_what_does_not_pair_is_reported() -> None:
    assert codes(flat("human"), tool("z")) == ["orphan-result"]
    assert codes(agent(call()), flat("human")) == ["unanswered-call"]
    assert codes(agent(call()), tool(), tool()) == ["duplicate-id"]
    assert codes(agent(call("a"), call("b")), tool("b"), tool("a"), flat("human")) == []


# Writing -------------------------------------------------------------------------------------


def test_what_can_be_sent_is_left_the_same_object() -> None:
    for message in (flat("human"), agent(call()), tool(content=""), flat("remove", ""), agent(call(), content=[]), 7):
        assert FLAT.tidy(message) is message


def test_tidy_gives_empty_text_for_content_that_is_gone_where_a_call_stays() -> None:
    without = {key: value for key, value in agent(call()).items() if key != "content"}
    assert FLAT.tidy(without) == agent(call(), content="")
    typed = {"type": "ai", "data": {"tool_calls": [call()]}}
    assert FLAT.tidy(typed) == {"type": "ai", "data": {"content": "", "tool_calls": [call()]}}


def test_tidy_drops_blank_texts_and_an_empty_list_of_raw_calls() -> None:
    cut = agent(content=[" ", {"type": "text", "text": ""}, "a"], additional_kwargs={"tool_calls": [], "x": 1})
    assert FLAT.tidy(cut) == agent(content=["a"], additional_kwargs={"x": 1})
    assert FLAT.tidy(tool(content=[])) == tool(content=[])


@pytest.mark.parametrize(
    "message",
    [
        flat("human", ""),
        flat("human", [" "]),
        {"type": "human"},
        agent(content=""),
        agent(content=[{"type": "thinking", "thinking": "t"}]),
        agent(content="", additional_kwargs={"reasoning_content": "t", "tool_calls": []}),
        {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": {}},
    ],
)
def test_a_message_of_nothing_or_of_reasoning_alone_is_not_sent(message: JSON) -> None:
    assert FLAT.tidy(message) is None


@pytest.mark.parametrize("form", FORMS)
def test_a_page_and_an_exchange_are_written_in_the_form_of_the_list(form: FormName) -> None:
    wire = WIRES[form]
    ours = [wire.page("our page"), *wire.exchange("k", "recall", {"q": 1}, "found", [IMAGE, {"type": "text"}])]
    assert LANGCHAIN.parse(ours).wire == form
    page, asked, told = (message.parts[0] for message in wire.parse_messages(ours))
    assert (page.kind, page.text) == (Kind.text, "our page")
    assert (asked.kind, asked.call_id, asked.tool, asked.args) == (Kind.call, "k", "recall", {"q": 1})
    assert (told.kind, told.call_id, told.text, told.images) == (Kind.result, "k", "found", 1)
    assert wire.breaches(ours) == []


@given(langchain_conversations())
def test_a_line_that_stands_in_for_a_part_reads_as_that_line(messages: list[JSON]) -> None:
    for number, message in enumerate(FLAT.parse_messages(messages)):
        for index, found in enumerate(message.parts):
            if found.kind not in (Kind.result, Kind.media, Kind.text):
                continue
            path, value = FLAT.stand_in(found, "[LINE]")
            changed = copy.deepcopy(messages[number])
            at(changed, path[:-1])[path[-1]] = value
            assert FLAT.parse_messages([changed])[0].parts[index].text == "[LINE]"


# Compaction ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(12))
def test_a_compacted_list_breaks_no_rule_and_keeps_its_form(form: FormName, seed: int) -> None:
    messages = generate_langchain(form, seed, 14)
    tokens = compact(messages, to_tokens=10**9).tokens_before
    for share in (0.7, 0.3):
        try:
            done = compact(messages, to_tokens=max(50, int(tokens * share)), policy=Policy.archive(), tools=["generic"])
        except BudgetExhausted:
            continue
        assert done.changed
        assert WIRES[form].breaches(done.messages) == []
        assert detect(done.messages).parse(done.messages).wire == form


def test_enough_of_those_lists_could_be_cut() -> None:
    cut = 0
    for seed in range(12):
        messages = generate_langchain("langchain-flat", seed, 14)
        tokens = compact(messages, to_tokens=10**9).tokens_before
        try:
            cut += compact(messages, to_tokens=int(tokens * 0.7), policy=Policy.archive(), tools=["generic"]).changed
        except BudgetExhausted:
            continue
    assert cut >= 6


@pytest.mark.parametrize("form", FORMS)
def test_a_session_goes_on_from_a_cut_and_undoes_it(form: FormName) -> None:
    rows = "\n".join(f"row {n}: value {n * 7}" for n in range(400))
    said: list[tuple[str, dict[str, JSON]]] = [("system", {"content": "You are a clerk."})]
    said.append(("human", {"content": "Read all orders."}))
    for n in range(8):
        block = {"type": "tool_use", "id": f"c{n}", "name": "read_file", "input": {"path": f"orders/{n}.csv"}}
        asked = call(f"c{n}", {"path": f"orders/{n}.csv"}, "read_file")
        said.append(("ai", {"content": [block], "tool_calls": [asked]}))
        said.append(("tool", {"content": rows, "tool_call_id": f"c{n}"}))
    said.append(("ai", {"content": "All read; order 55012 has shipped."}))
    history = [written(Form(form), name, body) for name, body in said]
    session = Session("clerk", to_tokens=9_000, policy=Policy.archive(), tools=["generic"])
    first = session.view(history)
    assert len(json.dumps(first)) < len(json.dumps(history)) // 2
    grown = [*history, written(Form(form), "human", {"content": "Which one has shipped?"})]
    second = session.view(grown)
    assert second[-1] is grown[-1]
    assert WIRES[form].breaches(second) == []
    assert session.undo() == history


# Real data -----------------------------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no transcripts at {SHARED}")
def test_dumps_of_the_client_come_back_as_they_were() -> None:
    paths = sorted(SHARED.glob("data/generated/lang*.json"))
    assert paths
    for path in paths:
        value = json.loads(path.read_text())
        assert detect(value) is LANGCHAIN, path.name
        transcript = LANGCHAIN.parse(value)
        assert LANGCHAIN.emit(transcript) is value
        assert WIRES[transcript.wire].breaches([message.raw for message in transcript.messages]) == []
        for message in transcript.messages:
            assert message.parts, path.name
            for found in message.parts:
                at(message.raw, found.path)
