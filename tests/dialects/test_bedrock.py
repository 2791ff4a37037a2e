"""The bedrock-converse dialect: what is read, what is kept, what is left to send."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Media, Message, Part, Provenance, Usage, Wire
from cenotaph.core.spans import value_at
from cenotaph.dialects.bedrock import BEDROCK_CONVERSE
from cenotaph.dialects.detect import DIALECTS, detect
from cenotaph.errors import DialectError
from cenotaph.testing import conversations_bedrock
from cenotaph.testing.conversations_bedrock import bedrock_conversations

CASES = Path(__file__).parents[2].parent / "shared" / "cases"
ASK = {"role": "user", "content": [{"text": "q"}]}
SAID = {"role": "assistant", "content": [{"text": "a"}]}
IMAGE = {"image": {"format": "png", "source": {"bytes": "AAAA"}}}
TEXT = {"text": "x"}
POINT = {"cachePoint": {"type": "default"}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
LINE = "[EVICTED:tool_result@t1.1:recover=NO]"


def user(*blocks: JSON) -> JSON:
    return {"role": "user", "content": list(blocks)}


def agent(*blocks: JSON) -> JSON:
    return {"role": "assistant", "content": list(blocks)}


def call(call_id: str = "c1", name: str = "read", **arguments: JSON) -> JSON:
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}


def result(call_id: str = "c1", *blocks: JSON, **fields: JSON) -> JSON:
    return {"toolResult": {"toolUseId": call_id, "content": list(blocks) or [{"text": "ok"}], **fields}}


def read(*messages: JSON) -> tuple[Message, ...]:
    return BEDROCK_CONVERSE.parse_messages(list(messages))


def part_of(block: JSON, role: str = "user") -> Part:
    (found,) = read({"role": role, "content": [block]})[0].parts
    return found


def codes(*messages: JSON) -> list[str]:
    return [defect.code for defect in BEDROCK_CONVERSE.parse(list(messages)).defects]


# Whose value it is ---------------------------------------------------------------------------

SHAPES: dict[str, JSON] = {
    "messages": [ASK, SAID],
    "a body": {"modelId": "anthropic.claude-opus-4-5-v1:0", "messages": [ASK], "system": [{"text": "s"}]},
    "calls": [ASK, agent(call()), user(result())],
    "an unknown block beside": [user({"text": "q"}, {"futureContent": {}})],
    "an empty message beside": [user(), ASK],
    "a block of media": [user(IMAGE)],
}

OTHERS: dict[str, JSON] = {
    "nothing": None,
    "no messages": [],
    "messages without blocks": [user()],
    "blocks of no known key": [user({"futureContent": {}})],
    "string content": [{"role": "user", "content": "q"}],
    "typed blocks": [{"role": "user", "content": [{"type": "text", "text": "q"}]}],
    "one typed block": [user({"text": "q"}, {"type": "text", "text": "q"})],
    "gemini": [{"role": "user", "parts": [{"text": "q"}]}],
    "a system message": [{"role": "system", "content": [{"text": "q"}]}],
    "a number among messages": [ASK, 7],
}


@pytest.mark.parametrize("name", SHAPES)
def test_its_shapes_are_recognised_by_it_alone_and_come_back_as_the_same_object(name: str) -> None:
    value = SHAPES[name]
    assert [d for d in DIALECTS if DIALECTS[d].recognise(value)] == ["bedrock-converse"]
    assert BEDROCK_CONVERSE.emit(detect(value).parse(value)) is value


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_its_own_is_not_recognised(name: str) -> None:
    assert not BEDROCK_CONVERSE.recognise(OTHERS[name])


def test_it_is_a_wire_that_the_core_can_write() -> None:
    wire: Wire = BEDROCK_CONVERSE
    assert wire.name == "bedrock-converse"


@pytest.mark.parametrize("value", [3, {"contents": []}, None])
def test_what_holds_no_messages_is_refused_by_name(value: JSON) -> None:
    with pytest.raises(DialectError) as caught:
        BEDROCK_CONVERSE.parse(value)
    assert caught.value.details["dialect"] == "bedrock-converse"


@pytest.mark.parametrize(
    "block",
    [
        {"image": {"format": "png", "source": {"bytes": b"\x89"}}},
        {"guardContent": {"image": {"format": "png", "source": {"bytes": b"\x89"}}}},
        {"reasoningContent": {"redactedContent": b"\x00"}},
        {"toolResult": {"toolUseId": "c", "content": [{"document": {"format": "pdf", "source": {"bytes": b"x"}}}]}},
    ],
)
def test_raw_bytes_of_an_sdk_are_refused_by_message_and_way_out(block: JSON) -> None:
    with pytest.raises(DialectError) as caught:
        BEDROCK_CONVERSE.parse([ASK, SAID, user(block)])
    assert caught.value.details["index"] == 2
    assert "base64" in caught.value.next_step


# The request ---------------------------------------------------------------------------------


def test_a_body_tells_its_system_text_tools_model_and_usage() -> None:
    tools = [{"toolSpec": {"name": "read", "inputSchema": {"json": {}}}}, POINT, {"systemTool": {"name": "search"}}]
    guarded = {"guardContent": {"text": {"text": "second"}}}
    body = {
        "modelId": "m",
        "messages": [ASK],
        "system": [{"text": "first"}, POINT, guarded],
        "toolConfig": {"tools": tools, "toolChoice": {"auto": {}}},
        "response": {"usage": {"inputTokens": 5, "cacheReadInputTokens": 7, "outputTokens": 100}},
    }
    transcript = BEDROCK_CONVERSE.parse(body)
    assert [(p.provenance, p.text) for p in transcript.preamble] == [
        (Provenance.system, "first"),
        (Provenance.system, "second"),
    ]
    assert [value_at(body, part.path) for part in transcript.preamble] == ["first", "second"]
    assert (transcript.tool_names, json.loads(transcript.tools_text)) == (frozenset({"read"}), tools)
    assert (transcript.model, transcript.usage) == ("m", (Usage(1, 12, "m"),))
    assert BEDROCK_CONVERSE.emit(replace(transcript, messages=())) == {**body, "messages": []}


def test_without_a_list_of_tools_nothing_is_known_of_them() -> None:
    assert BEDROCK_CONVERSE.parse([ASK]).tool_names is None
    assert BEDROCK_CONVERSE.parse({"messages": [ASK], "toolConfig": None}).tool_names is None
    assert BEDROCK_CONVERSE.parse({"messages": [ASK], "toolConfig": {"tools": []}}).tool_names == frozenset()


# Parts ---------------------------------------------------------------------------------------


def test_text_is_whose_role_it_is_and_guarded_text_too() -> None:
    assert part_of({"text": "x"}).provenance is Provenance.user
    assert part_of({"text": "x"}, "assistant").provenance is Provenance.agent
    assert part_of({"text": "x"}, "oracle").provenance is Provenance.harness
    assert codes({"role": "oracle", "content": [{"text": "x"}]}) == ["unknown-role"]
    guarded = part_of({"guardContent": {"text": {"text": "x", "qualifiers": ["query"]}}})
    assert (guarded.provenance, guarded.path) == (Provenance.user, ("content", 0, "guardContent", "text", "text"))
    assert part_of({"text": "<system-reminder>x</system-reminder>"}).provenance is Provenance.harness


@pytest.mark.parametrize(
    ("block", "text", "marks"),
    [
        (THOUGHT, "hm", {Mark.signed}),
        ({"reasoningContent": {"reasoningText": {"text": "hm"}}}, "hm", set()),
        ({"reasoningContent": {"redactedContent": "AAAA"}}, "AAAA", {Mark.signed}),
        ({"reasoningContent": {}}, "", set()),
    ],
)
def test_reasoning_leaves_whole_and_says_whether_it_is_signed(block: JSON, text: str, marks: set[Mark]) -> None:
    found = part_of(block, "assistant")
    assert (found.kind, found.text, found.path) == (Kind.reasoning, text, ("content", 0))
    assert found.marks == marks


def test_a_call_is_its_input() -> None:
    found = part_of(call(path="a"), "assistant")
    assert (found.kind, found.tool, found.call_id, found.text) == (Kind.call, "read", "c1", '{"path":"a"}')
    assert (found.args, found.path) == ({"path": "a"}, ("content", 0, "toolUse", "input"))
    served = part_of({"toolUse": {"toolUseId": "s", "name": "search", "type": "server_tool_use"}}, "assistant")
    assert (served.path, served.args) == (("content", 0, "toolUse"), None)
    assert served.marks == frozenset({Mark.server})


@pytest.mark.parametrize(
    ("block", "text", "failed"),
    [
        (result(), "ok", False),
        (result("c1", {"text": "Error: no such file"}), "Error: no such file", True),
        (result("c1", {"text": "Error: no such file"}, status="success"), "Error: no such file", False),
        (result("c1", {"text": "ok"}, status="error"), "ok", True),
        (result("c1", {"json": {"a": [1]}}), '{"a":[1]}', False),
        (result("c1", {"text": "a"}, {"text": "b"}, {"new": 1}), 'a\nb\n{"new":1}', False),
        ({"toolResult": {"toolUseId": "c1", "content": []}}, "", False),
        ({"toolResult": {"toolUseId": "c1", "content": "bare"}}, "bare", False),
    ],
)
def test_a_result_is_all_its_text_and_its_status_says_whether_it_failed(block: JSON, text: str, failed: bool) -> None:
    found = part_of(block)
    assert (found.kind, found.provenance, found.call_id) == (Kind.result, Provenance.tool, "c1")
    assert (found.text, found.failed) == (text, failed)


def test_a_result_is_replaced_in_its_one_text_else_in_its_content() -> None:
    content = ("content", 0, "toolResult", "content")
    assert part_of(result()).path == (*content, 0, "text")
    for block in (result("c1", TEXT, TEXT), result("c1", {"json": {}}), result("c1", {"text": "x", "new": 1})):
        assert part_of(block).path == content
    bare = part_of({"toolResult": {"toolUseId": "c1"}})
    assert bare.path == content[:-1]
    assert BEDROCK_CONVERSE.stand_in(bare, LINE) == (content, [{"text": LINE}])


def test_media_in_a_result_are_counted_and_plain_documents_are_read() -> None:
    plain = {"document": {"format": "txt", "name": "n", "source": {"text": "long"}}}
    found = part_of(result("c1", IMAGE, plain, {"text": "x"}))
    assert (found.images, found.text) == (1, "long\nx")
    assert found.media == (Media("image", "image/png", size=3),)


@pytest.mark.parametrize(
    ("block", "media"),
    [
        (IMAGE, Media("image", "image/png", size=3)),
        ({"document": {"format": "pdf", "source": {"bytes": "AAAA"}}}, Media("document", "application/pdf", size=3)),
        ({"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://b/k"}}}}, Media("video", "video/mp4")),
        ({"guardContent": {"image": {"format": "jpeg", "source": {}}}}, Media("image", "image/jpeg")),
    ],
)
def test_media_are_parts_of_their_own(block: JSON, media: Media) -> None:
    found = part_of(block)
    assert (found.kind, found.text, found.path, found.media) == (Kind.media, "", ("content", 0), (media,))


def test_a_document_of_plain_text_is_text_and_cited_text_leaves_with_its_citations() -> None:
    plain = part_of({"document": {"format": "txt", "name": "n", "source": {"text": "long"}}})
    assert (plain.kind, plain.text, plain.path) == (Kind.text, "long", ("content", 0, "document", "source", "text"))
    cited = {"citationsContent": {"content": [{"text": "green"}], "citations": [{}]}}
    found = part_of(cited, "assistant")
    assert (found.kind, found.text, found.block) == (Kind.text, "green", ("content", 0))
    assert BEDROCK_CONVERSE.stand_in(found, LINE) == (("content", 0), {"text": LINE})
    two = {"citationsContent": {"content": [{"text": "a"}, {"text": "b"}], "citations": []}}
    assert (part_of(two, "assistant").kind, part_of(two, "assistant").text) == (Kind.other, "ab")


def test_a_cache_point_is_no_part_and_an_unknown_block_is_one() -> None:
    parts = read(user({"text": "a"}, POINT, {"futureContent": {"x": 1}}))[0].parts
    assert [(part.kind, part.block) for part in parts] == [(Kind.text, ("content", 0)), (Kind.other, ("content", 2))]
    assert parts[1].text == '{"futureContent":{"x":1}}'


def test_results_find_their_calls_in_any_order_and_what_does_not_pair_is_named() -> None:
    messages = read(ASK, agent(call("a"), call("b")), user(result("b"), result("a")))
    assert [part.call_id for message in messages[1:] for part in message.parts] == ["a", "b", "b", "a"]
    assert codes(ASK, agent(call("a")), user(result("b"))) == ["orphan-result"]
    assert codes(ASK, agent(call("a")), ASK) == ["unanswered-call"]
    assert codes(ASK, agent({"toolUse": {"name": "x"}})) == ["missing-id"]
    twice = [agent(call("a")), user(result("a"))]
    assert codes(ASK, *twice, *twice) == ["duplicate-id"]


# Writing -------------------------------------------------------------------------------------


def test_tidy_drops_blank_text_and_sends_no_reasoning_or_cache_point_alone() -> None:
    assert BEDROCK_CONVERSE.tidy(agent(THOUGHT, {"text": " \n"}, call())) == agent(THOUGHT, call())
    for rest in ([], [THOUGHT], [POINT], [THOUGHT, {"text": ""}, POINT]):
        assert BEDROCK_CONVERSE.tidy(agent(*rest)) is None
    whole = user({"text": "a"}, POINT)
    assert BEDROCK_CONVERSE.tidy(whole) is whole
    assert BEDROCK_CONVERSE.tidy({"role": "user"}) is None


def test_neighbours_of_one_role_become_one_message_of_all_their_blocks() -> None:
    first, second = {**user(result()), "x": 1}, {**BEDROCK_CONVERSE.page("p"), "y": 2}
    assert BEDROCK_CONVERSE.join(first, second) == {
        "role": "user",
        "content": [result(), {"text": "p"}],
        "x": 1,
        "y": 2,
    }
    assert BEDROCK_CONVERSE.join(ASK, SAID) is None


def test_an_exchange_of_ours_is_valid_and_reads_as_a_call_and_its_result() -> None:
    exchange = BEDROCK_CONVERSE.exchange("own", "rehydrate", {"what": "cx:1"}, "the original", [IMAGE])
    assert BEDROCK_CONVERSE.breaches([ASK, *exchange], tools=True) == []
    (asked,), (got,) = (message.parts for message in read(*exchange))
    assert (asked.call_id, asked.args, got.call_id, got.text) == ("own", {"what": "cx:1"}, "own", "the original")
    assert (got.images, got.failed) == (1, False)
    assert BEDROCK_CONVERSE.holds(IMAGE)
    assert not BEDROCK_CONVERSE.holds({"audio": {}})


def test_a_tool_is_offered_with_its_json_schema() -> None:
    tool = BEDROCK_CONVERSE.tool_definition("rehydrate", "brings back", {"type": "object"})
    assert BEDROCK_CONVERSE.parse({"messages": [ASK], "toolConfig": {"tools": [tool]}}).tool_names == frozenset(
        {"rehydrate"}
    )
    assert tool["toolSpec"]["inputSchema"] == {"json": {"type": "object"}}


def with_line(raw: Any, part: Part) -> JSON:
    """The message with our line in the place of one part."""
    path, value = BEDROCK_CONVERSE.stand_in(part, LINE)
    raw = copy.deepcopy(raw)
    value_at(raw, path[:-1])[path[-1]] = value
    return raw


def test_a_result_that_left_keeps_its_id_and_status() -> None:
    message = user(result("c1", {"json": {}}, IMAGE, status="error"))
    assert with_line(message, read(message)[0].parts[0]) == user(result("c1", {"text": LINE}, status="error"))


# Laws ----------------------------------------------------------------------------------------


@given(bedrock_conversations())
def test_generated_conversations_are_valid_lossless_and_without_defects(messages: list[JSON]) -> None:
    before = copy.deepcopy(messages)
    transcript = BEDROCK_CONVERSE.parse(messages)
    assert BEDROCK_CONVERSE.emit(transcript) is messages
    assert messages == before
    assert BEDROCK_CONVERSE.breaches(messages, tools=True) == []
    assert transcript.defects == ()


@given(bedrock_conversations(surrogates=True))
def test_lone_surrogates_are_read_and_given_back(messages: list[JSON]) -> None:
    assert BEDROCK_CONVERSE.emit(BEDROCK_CONVERSE.parse(messages)) == messages


@given(bedrock_conversations(size_max=6))
def test_a_line_in_the_place_of_a_part_is_read_as_its_text_and_breaks_no_rule(messages: list[JSON]) -> None:
    for index, message in enumerate(BEDROCK_CONVERSE.parse_messages(messages)):
        for number, part in enumerate(message.parts):
            if part.kind not in (Kind.result, Kind.media, Kind.text):
                continue
            view = [*messages[:index], with_line(message.raw, part), *messages[index + 1 :]]
            found = BEDROCK_CONVERSE.parse_messages(view)[index].parts[number]
            assert found.text == LINE
            assert (found.kind is Kind.result) == (part.kind is Kind.result)
            assert found.images == 0
            assert BEDROCK_CONVERSE.breaches(view) == []


def test_one_turn_may_hold_300_calls() -> None:
    assert max(len(conversations_bedrock.generate(seed, 300)) for seed in range(10)) > 200


ODD = st.sampled_from([None, 3, True, "", "x", [], {}, [None], {"text": 3}, {"text": ""}, POINT])
KEYS = st.sampled_from(
    [
        *("text", "image", "document", "video", "audio", "toolUse", "toolResult", "reasoningContent"),
        *("cachePoint", "guardContent", "citationsContent", "searchResult", "futureContent"),
    ]
)
HOLDERS = st.fixed_dictionaries(
    {},
    optional={
        "toolUseId": st.sampled_from(["1", "2", "1#2", "", 3, None]),
        "name": st.sampled_from(["a", None, 3]),
        "input": ODD,
        "content": ODD | st.lists(ODD | st.just(IMAGE), max_size=3),
        "status": st.sampled_from(["success", "error", 3, None]),
        "type": st.sampled_from([None, "server_tool_use"]),
        "source": st.sampled_from([None, 3, {}, {"bytes": "AA"}, {"bytes": 3}, {"text": "plain"}]),
        "format": st.sampled_from(["png", 3, None]),
        "text": ODD,
        "image": ODD | st.just(IMAGE["image"]),
        "reasoningText": ODD,
        "redactedContent": ODD,
    },
)
BLOCKS = st.lists(ODD | st.dictionaries(KEYS, ODD | HOLDERS, max_size=2), max_size=4)
ROLES = st.sampled_from(["user", "assistant", "system", None, 3])
HOSTILE = st.lists(ODD | st.fixed_dictionaries({}, optional={"role": ROLES, "content": BLOCKS | ODD}), max_size=6)


@given(HOSTILE)
def test_whatever_stands_there_is_kept_and_judged_and_never_an_exception(messages: list[JSON]) -> None:
    before = copy.deepcopy(messages)
    transcript = BEDROCK_CONVERSE.parse(messages)
    assert BEDROCK_CONVERSE.emit(transcript) is messages
    assert BEDROCK_CONVERSE.parse({"messages": messages}).messages == transcript.messages
    for raw, message in zip(messages, transcript.messages, strict=True):
        blocks = [part.block for part in message.parts]
        assert len(set(blocks)) == len(blocks)
        for part in message.parts:
            value_at(raw, part.path)
            BEDROCK_CONVERSE.stand_in(part, LINE)
        BEDROCK_CONVERSE.tidy(raw)
    for first, second in pairwise(messages):
        BEDROCK_CONVERSE.join(first, second)
    BEDROCK_CONVERSE.breaches(messages, tools=False)
    BEDROCK_CONVERSE.recognise(messages)
    assert messages == before


@pytest.mark.shared
@pytest.mark.skipif(not CASES.is_dir(), reason=f"no cases at {CASES}")
def test_every_shared_case_of_this_format_is_read_and_comes_back() -> None:
    read_cases = 0
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text())
        if case["format"] != "bedrock_converse":
            continue
        read_cases += 1
        messages = case["messages"]
        assert detect(messages) is BEDROCK_CONVERSE, path.name
        transcript = BEDROCK_CONVERSE.parse(messages)
        assert BEDROCK_CONVERSE.emit(transcript) is messages
        assert transcript.defects == ()
        assert BEDROCK_CONVERSE.breaches(messages) == []
    assert read_cases
