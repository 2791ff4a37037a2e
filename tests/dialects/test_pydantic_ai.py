"""The Pydantic AI dialect: what is read, what is kept, what is left to send."""

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
from cenotaph.dialects.pydantic_ai import PYDANTIC_AI
from cenotaph.errors import BudgetExhausted, DialectError
from cenotaph.testing.conversations_pydantic_ai import generate_pydantic_ai, pydantic_ai_conversations

SHARED = Path(__file__).parents[2].parent / "shared"
BINARY = {"data": "aGVsbG8=", "media_type": "image/png", "kind": "binary", "identifier": "1f"}
URL = {"url": "https://x/y.png", "kind": "image-url"}


def request(*parts: JSON, **fields: JSON) -> JSON:
    return {"parts": list(parts), "kind": "request", **fields}


def response(*parts: JSON, **fields: JSON) -> JSON:
    return {"parts": list(parts), "kind": "response", **fields}


def part(kind: str, content: JSON = "x", **fields: JSON) -> JSON:
    return {"part_kind": kind, "content": content, **fields}


def call(call_id: str = "c1", args: JSON = None, tool: str = "read", kind: str = "tool-call") -> JSON:
    return {"part_kind": kind, "tool_name": tool, "tool_call_id": call_id, "args": args}


def result(call_id: str = "c1", content: JSON = "ok", **fields: JSON) -> JSON:
    return {"part_kind": "tool-return", "tool_name": "read", "tool_call_id": call_id, "content": content, **fields}


def parts_of(message: JSON) -> tuple[Part, ...]:
    return PYDANTIC_AI.parse_messages([message])[0].parts


def part_of(message: JSON) -> Part:
    (found,) = parts_of(message)
    return found


def codes(*messages: JSON) -> list[str]:
    return [defect.code for defect in PYDANTIC_AI.parse(list(messages)).defects]


# Round trip ----------------------------------------------------------------------------------


@given(pydantic_ai_conversations())
def test_emit_gives_back_what_was_parsed_and_leaves_it_untouched(messages: list[JSON]) -> None:
    before = copy.deepcopy(messages)
    transcript = PYDANTIC_AI.parse(messages)
    assert PYDANTIC_AI.emit(transcript) is messages
    assert messages == before
    assert transcript.defects == ()
    assert PYDANTIC_AI.breaches(messages) == []


@given(pydantic_ai_conversations(), st.randoms(use_true_random=False))
def test_whatever_is_torn_out_the_rest_is_read_and_comes_back(messages: list[JSON], rng: Random) -> None:
    torn = damaged(messages, rng)
    transcript = PYDANTIC_AI.parse(torn)
    assert PYDANTIC_AI.emit(transcript) is torn
    for raw, message in zip(torn, transcript.messages, strict=True):
        blocks = [found.block for found in message.parts]
        assert len(set(blocks)) == len(blocks)
        for found in message.parts:
            at(raw, found.block)
            at(raw, found.path)
        PYDANTIC_AI.tidy(raw)
    PYDANTIC_AI.breaches(torn)


def test_an_object_around_the_messages_comes_back_with_exchanged_messages() -> None:
    body = {"messages": [request(part("user-prompt"))], "user": "u"}
    transcript = PYDANTIC_AI.parse(body)
    assert PYDANTIC_AI.emit(transcript) is body
    assert PYDANTIC_AI.emit(replace(transcript, messages=())) == {"messages": [], "user": "u"}


def test_a_value_without_messages_is_refused_by_name() -> None:
    with pytest.raises(DialectError) as caught:
        PYDANTIC_AI.parse({"parts": []})
    assert caught.value.details["dialect"] == "pydantic-ai"


# Detection -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_a_history_is_this_dialects_and_no_others(seed: int) -> None:
    messages = generate_pydantic_ai(seed)
    for value in (messages, {"messages": messages}):
        assert [name for name, dialect in DIALECTS.items() if dialect.recognise(value)] == ["pydantic-ai"]


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"messages": []},
        [{"role": "user", "content": "x"}],
        [{"role": "user", "parts": [{"text": "x"}]}],
        [{"info": {}, "parts": [{"type": "text", "text": "x"}]}],
        [{"kind": "request", "parts": [{"type": "text"}]}],
        [{"kind": "MessageEvent", "parts": []}],
        [{"parts": [part("user-prompt")]}],
        [request(part("user-prompt")), {"role": "user", "content": "x"}],
        [{**request(part("user-prompt")), "role": "user"}],
        [{"type": "human", "data": {"content": "x"}}],
        request(part("user-prompt")),
    ],
)
def test_nothing_else_is(value: JSON) -> None:
    assert not PYDANTIC_AI.recognise(value)


def test_the_dialect_is_a_wire_that_the_core_can_write() -> None:
    wire: Wire = PYDANTIC_AI
    assert wire.name == "pydantic-ai"


# Requests ------------------------------------------------------------------------------------


def test_system_text_is_the_systems_and_a_prompt_a_persons() -> None:
    system, prompt = parts_of(request(part("system-prompt", "rules"), part("user-prompt", "hi")))
    place = ("parts", 0)
    assert system == Part(Kind.text, Provenance.system, place, (*place, "content"), "rules")
    assert (prompt.provenance, prompt.path, prompt.text) == (Provenance.user, ("parts", 1, "content"), "hi")


def test_a_prompt_may_be_a_list_of_texts_media_and_marks_that_nobody_reads() -> None:
    note = {"kind": "text-content", "content": "note", "metadata": {"a": 1}}
    odd = {"kind": "hologram", "data": "x"}
    content = ["look", URL, BINARY, note, {"kind": "cache-point", "ttl": "5m"}, odd]
    found = parts_of(request(part("user-prompt", content)))
    assert [(p.kind, p.block[-1], p.text) for p in found] == [
        (Kind.text, 0, "look"),
        (Kind.media, 1, ""),
        (Kind.media, 2, ""),
        (Kind.text, 3, "note"),
        (Kind.other, 5, json.dumps(odd, separators=(",", ":"))),
    ]
    assert found[3].path == ("parts", 0, "content", 3, "content")
    assert {p.provenance for p in found} == {Provenance.user}
    assert [(m.kind, m.mime) for p in found for m in p.media] == [("image", None), ("image", "image/png")]


def test_a_reminder_that_fills_a_text_is_the_harness_s() -> None:
    text = "<system-reminder>No todos.</system-reminder>"
    assert part_of(request(part("user-prompt", text))).provenance is Provenance.harness
    assert part_of(request(part("user-prompt", [text]))).provenance is Provenance.harness
    assert part_of(request(part("user-prompt", f"{text} yes"))).provenance is Provenance.user


def test_a_result_is_its_content_as_the_model_reads_it() -> None:
    found = part_of(request(result(content={"rows": [1, {"shot": BINARY}], "n": None})))
    assert (found.kind, found.provenance, found.tool) == (Kind.result, Provenance.tool, "read")
    assert found.text == '{"rows":[1,{"shot":{"kind":"binary","identifier":"1f"}}],"n":null}'
    assert (found.images, [m.mime for m in found.media]) == (1, ["image/png"])
    assert (found.block, found.path) == (("parts", 0), ("parts", 0, "content"))
    listed = part_of(request(result(content=["a", URL, "b"])))
    assert (listed.text, listed.images) == ("a\nb", 1)
    assert part_of(request(result(content=BINARY))).text == ""
    assert part_of(request(result(content={"kind": "binary", "label": "mine"}))).images == 0


@pytest.mark.parametrize(
    ("outcome", "failed", "marks"),
    [
        ("success", False, []),
        ("failed", True, []),
        ("retried", True, []),
        ("interrupted", True, []),
        ("denied", True, [Mark.rejection]),
    ],
)
def test_the_outcome_says_how_a_call_ended(outcome: str, failed: bool, marks: list[Mark]) -> None:
    found = part_of(request(result(outcome=outcome)))
    assert (found.failed, found.marks) == (failed, frozenset(marks))


def test_a_tool_that_only_words_its_failure_failed() -> None:
    assert part_of(request(result(content="Error: no such file", outcome="success"))).failed


def test_a_retry_answers_a_call_only_if_it_names_the_tool() -> None:
    bound = part_of(request(part("retry-prompt", "bad args", tool_name="read", tool_call_id="c1")))
    assert (bound.kind, bound.failed, bound.call_id, bound.text) == (Kind.result, True, "c1", "bad args")
    errors = [{"type": "missing", "loc": ["path"]}]
    assert part_of(request(part("retry-prompt", errors, tool_name="read", tool_call_id="c1"))).text.startswith("[{")
    loose = part_of(request(part("retry-prompt", "say it again", tool_call_id="c1")))
    assert (loose.kind, loose.provenance) == (Kind.text, Provenance.harness)
    feedback = part_of(request(part("retry-feedback", errors)))
    assert (feedback.kind, feedback.provenance) == (Kind.other, Provenance.harness)


def test_results_that_the_client_reads_again_are_held() -> None:
    found = part_of(request(result(tool_kind="tool-search", content={"tools": []})))
    assert found.marks == frozenset({Mark.pinned})
    assert part_of(request(result(tool_kind="inventory.lookup"))).marks == frozenset()


def test_a_foreign_summary_is_marked_readable_or_not() -> None:
    text = part_of(request(part("compaction", "so far")))
    assert (text.kind, text.provenance, text.marks) == (Kind.text, Provenance.foreign, frozenset({Mark.summary}))
    opaque = part_of(response(part("compaction", None, provider_details={"encrypted_content": "z"})))
    assert (opaque.kind, opaque.text, opaque.provenance) == (Kind.other, "", Provenance.foreign)


def test_an_operators_change_is_system_text_and_a_baseline_is_never_sent() -> None:
    assert part_of(request(part("instruction-delta", "now in French"))).provenance is Provenance.system
    delta = part_of(request({"part_kind": "tool-availability-delta", "tools_added": ["x"]}))
    assert (delta.kind, delta.provenance) == (Kind.other, Provenance.system)
    assert parts_of(request({"part_kind": "instruction-baseline", "instructions": []})) == ()


def test_an_unknown_part_is_kept_and_never_taken_for_a_person() -> None:
    found = part_of(request(part("telepathy")))
    assert (found.kind, found.provenance, found.block) == (Kind.other, Provenance.harness, ("parts", 0))
    assert part_of(response(part("telepathy"))).provenance is Provenance.agent
    assert codes({"kind": "note", "parts": []}, 7) == ["unknown-role", "not-a-message"]


def test_speech_is_read_by_its_transcript() -> None:
    said = part_of(request({"part_kind": "speech", "speaker": "user", "transcript": "stop", "audio": BINARY}))
    assert (said.kind, said.provenance, said.text) == (Kind.text, Provenance.user, "stop")
    mute = part_of(response({"part_kind": "speech", "speaker": "assistant", "transcript": None, "audio": BINARY}))
    assert (mute.kind, mute.provenance, len(mute.media)) == (Kind.media, Provenance.agent, 1)


@pytest.mark.parametrize("holder", [{"pinned": True}, {"metadata": {"pinned": True}}])
def test_a_pin_of_the_message_marks_its_parts(holder: dict[str, JSON]) -> None:
    assert part_of(request(part("user-prompt"), **holder)).marks == frozenset({Mark.pinned})


# Responses -----------------------------------------------------------------------------------


@pytest.mark.parametrize("args", [{"p": 1}, '{"p":1}'])
def test_arguments_are_an_object_or_its_text(args: JSON) -> None:
    found = part_of(response(call(args=args)))
    assert (found.kind, found.call_id, found.tool) == (Kind.call, "c1", "read")
    assert (found.text, found.args) == ('{"p":1}', {"p": 1})
    assert (found.block, found.path) == (("parts", 0), ("parts", 0, "args"))


def test_reasoning_is_signed_by_its_signature_and_bound_as_an_item_of_responses() -> None:
    plain = part_of(response(part("thinking", "hm")))
    assert (plain.kind, plain.text, plain.path, plain.marks) == (Kind.reasoning, "hm", ("parts", 0), frozenset())
    assert part_of(response(part("thinking", "", signature="s"))).marks == frozenset({Mark.signed})
    item = part_of(response(part("thinking", "", signature="s", id="rs_1", provider_name="openai")))
    assert item.marks == frozenset({Mark.signed, Mark.bound})


def test_a_providers_own_call_and_its_result_stand_in_the_response() -> None:
    native = call("b1", {"q": 1}, "web_search", "builtin-tool-call")
    answer = {"part_kind": "builtin-tool-return", "tool_name": "web_search", "tool_call_id": "b1", "content": [1]}
    first, second = parts_of(response(native, answer))
    assert (first.kind, first.marks) == (Kind.call, frozenset({Mark.server}))
    assert (second.kind, second.provenance, second.marks) == (Kind.result, Provenance.tool, frozenset({Mark.server}))
    assert codes(response(native, answer), request(part("user-prompt"))) == []


def test_a_file_of_the_agent_is_media() -> None:
    found = part_of(response(part("file", BINARY)))
    assert (found.kind, found.provenance, found.text, len(found.media)) == (Kind.media, Provenance.agent, "", 1)


# Around the messages -------------------------------------------------------------------------


def test_only_the_newest_instructions_are_sent_so_only_they_are_read() -> None:
    history = [
        request(part("user-prompt"), instructions="old"),
        response(part("text")),
        request(part("user-prompt"), instructions="new"),
        response(part("text")),
        request(part("user-prompt"), instructions=None),
    ]
    (found,) = PYDANTIC_AI.parse(history).preamble
    assert (found.provenance, found.text) == (Provenance.system, "new")
    (found,) = PYDANTIC_AI.parse({"messages": history}).preamble
    assert found.path == ("messages", 2, "instructions")
    assert PYDANTIC_AI.parse([request(part("user-prompt"))]).preamble == ()


def test_usage_model_and_conversation_come_from_the_newest_messages() -> None:
    history = [
        request(part("user-prompt"), conversation_id="k1"),
        response(part("text"), usage={"request_tokens": 5}, model_name="gpt-4o"),
        response(part("text"), usage={"input_tokens": 70, "cache_read_tokens": 60}, model_name="gpt-5"),
        response(part("text"), usage={"input_tokens": 0}, conversation_id=None),
    ]
    transcript = PYDANTIC_AI.parse(history)
    assert transcript.usage == (Usage(1, 5, "gpt-4o"), Usage(2, 70, "gpt-5"))
    assert (transcript.model, transcript.session) == ("gpt-5", "k1")


def test_results_pair_by_id_in_any_order_and_over_several_requests() -> None:
    history = [
        request(part("user-prompt")),
        response(call("a"), call("b"), call("c")),
        request(result("c"), result("a")),
        request(result("b"), part("user-prompt")),
        response(part("text")),
    ]
    transcript = PYDANTIC_AI.parse(history)
    ids = [found.call_id for message in transcript.messages for found in message.parts if found.call_id]
    assert ids == ["a", "b", "c", "c", "a", "b"]
    assert transcript.defects == ()


def test_what_does_not_pair_is_reported() -> None:
    assert codes(request(result("z"))) == ["orphan-result"]
    assert codes(response(call()), response(part("text"))) == ["unanswered-call"]
    assert codes(response(call()), request(result(), result())) == ["duplicate-id"]
    nameless = {key: value for key, value in call().items() if key != "tool_call_id"}
    assert codes(response(nameless)) == ["missing-id"]


# Writing -------------------------------------------------------------------------------------


def test_what_can_be_sent_is_left_the_same_object() -> None:
    for message in (request(part("user-prompt")), response(call()), request(result(content="")), "odd", request(3)):
        assert PYDANTIC_AI.tidy(message) is message


def test_tidy_drops_what_lost_its_content() -> None:
    point = {"kind": "cache-point", "ttl": "5m"}
    cut = request(
        part("user-prompt", []), part("user-prompt", [point, " ", "a", point, point]), part("user-prompt", "")
    )
    assert PYDANTIC_AI.tidy(cut) == request(part("user-prompt", ["a", point]))
    assert cut["parts"][0]["content"] == []
    assert PYDANTIC_AI.tidy(response(part("text", " "), call())) == response(call())
    for nothing in (request(), response(part("thinking")), request(part("user-prompt", [point]))):
        assert PYDANTIC_AI.tidy(nothing) is None


def test_a_page_and_an_exchange_read_as_what_they_are() -> None:
    page = part_of(PYDANTIC_AI.page("our page"))
    assert (page.kind, page.text) == (Kind.text, "our page")
    messages = PYDANTIC_AI.exchange("k", "recall", {"q": 1}, "found", [BINARY, {"type": "image"}])
    asked, told = (message.parts[0] for message in PYDANTIC_AI.parse_messages(messages))
    assert (asked.kind, asked.call_id, asked.tool, asked.args) == (Kind.call, "k", "recall", {"q": 1})
    assert (told.kind, told.call_id, told.text, told.images) == (Kind.result, "k", "found", 1)
    assert PYDANTIC_AI.breaches([*messages, PYDANTIC_AI.page("p")]) == []


@given(pydantic_ai_conversations())
def test_a_line_that_stands_in_for_a_part_reads_as_that_line(messages: list[JSON]) -> None:
    for number, message in enumerate(PYDANTIC_AI.parse_messages(messages)):
        for index, found in enumerate(message.parts):
            if found.kind not in (Kind.result, Kind.media, Kind.text):
                continue
            path, value = PYDANTIC_AI.stand_in(found, "[LINE]")
            changed = copy.deepcopy(messages[number])
            at(changed, path[:-1])[path[-1]] = value
            assert PYDANTIC_AI.parse_messages([changed])[0].parts[index].text == "[LINE]"


# Compaction ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("share", [0.7, 0.3])
def test_a_compacted_history_breaks_no_rule(seed: int, share: float) -> None:
    messages = generate_pydantic_ai(seed, 14)
    tokens = compact(messages, to_tokens=10**9).tokens_before
    try:
        done = compact(messages, to_tokens=max(50, int(tokens * share)), policy=Policy.archive(), tools=["generic"])
    except BudgetExhausted:
        return
    assert done.changed
    assert PYDANTIC_AI.breaches(done.messages) == []
    assert detect(done.messages) is PYDANTIC_AI


def test_enough_of_those_histories_could_be_cut() -> None:
    cut = 0
    for seed in range(12):
        messages = generate_pydantic_ai(seed, 14)
        tokens = compact(messages, to_tokens=10**9).tokens_before
        try:
            cut += compact(messages, to_tokens=int(tokens * 0.7), policy=Policy.archive(), tools=["generic"]).changed
        except BudgetExhausted:
            continue
    assert cut >= 6


def test_a_session_goes_on_from_a_cut_and_undoes_it() -> None:
    rows = "\n".join(f"row {n}: value {n * 7}" for n in range(400))
    history = [request(part("system-prompt", "You are a clerk."), part("user-prompt", "Read all orders."))]
    for n in range(8):
        history += [response(call(f"c{n}", {"path": f"orders/{n}.csv"}, "read_file")), request(result(f"c{n}", rows))]
    history.append(response(part("text", "All read; order 55012 has shipped.")))
    session = Session("clerk", to_tokens=9_000, policy=Policy.archive(), tools=["generic"])
    first = session.view(history)
    assert len(json.dumps(first)) < len(json.dumps(history)) // 2
    grown = [*history, request(part("user-prompt", "Which one has shipped?"))]
    second = session.view(grown)
    assert second[-1] is grown[-1]
    assert PYDANTIC_AI.breaches(second) == []
    assert session.undo() == history


# Real data -----------------------------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no transcripts at {SHARED}")
def test_dumps_of_the_client_come_back_as_they_were() -> None:
    paths = sorted(SHARED.glob("data/generated/pydantic_ai_*.json"))
    assert paths
    for path in paths:
        value = json.loads(path.read_text())
        assert detect(value) is PYDANTIC_AI, path.name
        transcript = PYDANTIC_AI.parse(value)
        assert PYDANTIC_AI.emit(transcript) is value
        assert PYDANTIC_AI.breaches(value) == []
        for message in transcript.messages:
            assert message.parts, path.name
            for found in message.parts:
                at(message.raw, found.path)


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no cases at {SHARED}")
def test_cases_of_this_format_are_read_and_their_bad_output_is_refused() -> None:
    read = 0
    for path in sorted(SHARED.glob("cases/*.json")):
        case = json.loads(path.read_text())
        if case["format"] != "pydantic_ai":
            continue
        read += 1
        assert PYDANTIC_AI.parse(case["messages"]).defects == (), path.name
        assert PYDANTIC_AI.breaches(case["messages"]) == [], path.name
        assert PYDANTIC_AI.breaches(case["bad_output"]) != [], path.name
    assert read
