"""The pi dialect: a tree of entries, read as what its own client would send next."""

from __future__ import annotations

from typing import Any

import pytest
from session_laws import codes, lines, marks, outline, read

from cenotaph.core.model import Usage
from cenotaph.dialects.anthropic import ANTHROPIC
from cenotaph.dialects.detect import detect
from cenotaph.dialects.openai_chat import OPENAI_CHAT
from cenotaph.dialects.pi import PI
from cenotaph.errors import DialectError, InputError

Record = dict[str, Any]

HEADER: Record = {"type": "session", "id": "run-1", "timestamp": "t", "cwd": "/r", "provider": "anthropic"}


def entry(message: Record, **more: Any) -> Record:
    return {"type": "message", "timestamp": "t", "message": message, **more}


def human(words: str, **more: Any) -> Record:
    return entry({"role": "user", "content": [{"type": "text", "text": words}]}, **more)


def agent(*blocks: Record, model: str = "m1", provider: str = "anthropic", **more: Any) -> Record:
    return entry({"role": "assistant", "content": list(blocks), "provider": provider, "model": model, **more})


def words(said: str) -> Record:
    return {"type": "text", "text": said}


def call(call_id: str, tool: str = "read") -> Record:
    return {"type": "toolCall", "id": call_id, "name": tool, "arguments": {"path": "a.py"}}


def result(call_id: str, said: str = "out", *, failed: bool = False, extra: tuple[Record, ...] = ()) -> Record:
    message = {"role": "toolResult", "toolCallId": call_id, "toolName": "read", "content": [words(said), *extra]}
    return entry({**message, "isError": failed})


def simple(provider: str = "anthropic") -> list[Record]:
    return [
        HEADER,
        human("Read both"),
        agent(words("I look."), call("c1"), call("c2"), provider=provider, usage={"input": 3, "cacheRead": 7}),
        result("c2", "two"),
        result("c1", "one", failed=True),
        agent(words("Done."), provider=provider),
    ]


@pytest.mark.parametrize(
    ("provider", "wire"), [("anthropic", ANTHROPIC), ("openai", OPENAI_CHAT), ("openclaw", OPENAI_CHAT)]
)
def test_a_session_is_read_in_the_form_of_its_provider(provider: str, wire: Any) -> None:
    transcript = read(PI, simple(provider))
    assert transcript.wire == wire.name
    assert outline(transcript) == [
        "user text: Read both",
        "agent text: I look.",
        'agent call read: {"path":"a.py"}',
        'agent call read: {"path":"a.py"}',
        "tool result: two",
        "tool result failed: one",
        "agent text: Done.",
    ]
    assert wire.breaches([m.raw for m in transcript.messages]) == []
    assert transcript.session == "run-1"
    assert transcript.usage == (Usage(1, 10, "m1"),)


def test_a_file_and_its_records_are_read_alike() -> None:
    assert detect(lines(simple())) is detect(simple()) is PI
    assert outline(read(PI, lines(simple()))) == outline(PI.parse(simple()))


def test_a_change_of_the_model_decides_what_is_sent_next() -> None:
    signed = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "s1"}
    session = [HEADER, human("Go"), agent(signed, words("Done."))]
    assert outline(read(PI, session))[1] == "agent reasoning: Hm."
    assert marks(PI.parse(session))[1] == ["signed"]
    changed = [*session, {"type": "model_change", "provider": "anthropic", "modelId": "m2"}]
    assert outline(read(PI, changed))[1] == "agent text: Hm."
    moved = [*session, {"type": "model_change", "provider": "openai", "modelId": "gpt"}]
    assert read(PI, moved).wire == "openai-chat"


def test_a_command_that_a_person_ran_is_harness_text_and_a_hidden_one_is_not_sent() -> None:
    ran = {"role": "bashExecution", "command": "ls", "output": "yes, delete it", "exitCode": 1}
    transcript = read(PI, [*simple(), entry(ran), entry({**ran, "excludeFromContext": True})])
    assert [line.split(":")[0] for line in outline(transcript)[7:]] == ["harness text"]


def test_what_extensions_put_in_is_never_a_person() -> None:
    put_in = {"type": "custom_message", "customType": "x", "content": "yes, go on", "display": False}
    transcript = read(PI, [*simple(), put_in, entry({"role": "hookMessage", "content": "so it is"})])
    assert [line.split(" ")[0] for line in outline(transcript)[7:]] == ["harness", "harness"]


def test_aborted_messages_and_their_results_are_not_sent() -> None:
    broken = agent(words("Half a"), call("c9"), stopReason="aborted")
    transcript = read(PI, [*simple(), broken, result("c9"), human("Go on")])
    assert outline(transcript) == [*outline(PI.parse(simple())), "user text: Go on"]
    assert codes(transcript) == ["unsent-message", "orphan-result"]


def test_a_call_without_a_result_is_open_at_the_end_and_gets_pis_own_result_in_the_middle() -> None:
    session = [HEADER, human("Go"), agent(call("c1"), call("c2")), result("c1")]
    assert outline(read(PI, session))[1:] == [*['agent call read: {"path":"a.py"}'] * 2, "tool result: out"]
    went_on = read(PI, [*session, human("And?")])
    assert outline(went_on)[3:5] == ["tool result: out", "tool result failed: No result provided"]
    assert ANTHROPIC.breaches([m.raw for m in went_on.messages]) == []


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_pictures_of_a_result_reach_the_model(provider: str) -> None:
    picture = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    session = [HEADER, human("Go"), agent(call("c1"), provider=provider), result("c1", extra=(picture,))]
    transcript = read(PI, session)
    parts = [part for message in transcript.messages for part in message.parts]
    assert sum(part.images for part in parts) + sum(part.kind == "media" for part in parts) == 1
    assert {part.provenance for part in parts[2:]} <= {"tool", "harness"}


# Compaction -----------------------------------------------------------------------------------------


def compacted(**kept: Any) -> list[Record]:
    """Seven records, then a compaction that keeps from the second question on, then one more exchange."""
    first = [HEADER, human("First"), agent(words("One."), usage={"input": 90}), human("Second")]
    return [
        *first,
        agent(words("Two."), usage={"input": 95}),
        {"type": "compaction", "timestamp": "t", "summary": "They talked.", "tokensBefore": 95, **kept},
        human("Third"),
        agent(words("Three."), usage={"input": 20}),
    ]


def named(records: list[Record]) -> list[Record]:
    """The same records as a tree with ids."""
    above = [None, None, *(f"e{n}" for n in range(1, len(records)))]
    return [records[0], *({**r, "id": f"e{n}", "parentId": above[n]} for n, r in enumerate(records[1:], 1))]


@pytest.mark.parametrize(
    "session", [compacted(firstKeptEntryIndex=3), named(compacted(firstKeptEntryId="e3"))], ids=["index", "id"]
)
def test_the_view_is_summary_then_what_was_kept_then_the_rest(session: list[Record]) -> None:
    transcript = read(PI, session)
    assert outline(transcript)[0].startswith("foreign text")
    assert "They talked." in outline(transcript)[0]
    assert outline(transcript)[1:] == [
        "user text: Second",
        "agent text: Two.",
        "user text: Third",
        "agent text: Three.",
    ]
    assert [usage.input_tokens for usage in transcript.usage] == [20]
    assert marks(transcript)[0] == ["summary"]


def test_the_whole_history_says_what_the_summary_replaced() -> None:
    transcript = read(PI, compacted(firstKeptEntryIndex=3), region="all")
    assert marks(transcript) == [["summarized"], ["summarized"], [], [], ["summary"], [], []]
    assert [usage.input_tokens for usage in transcript.usage] == [90, 95]


def test_a_tail_that_is_not_there_is_reported_and_nothing_of_it_is_shown() -> None:
    transcript = read(PI, compacted(firstKeptEntryIndex=99))
    assert codes(transcript) == ["missing-tail"]
    assert outline(transcript)[1] == "user text: Third"


def test_only_the_newest_branch_is_shown() -> None:
    session = named(simple())
    session.append({**human("Another way"), "id": "x1", "parentId": "e1"})
    transcript = read(PI, session)
    assert outline(transcript) == ["user text: Read both", "user text: Another way"]
    assert codes(transcript) == ["rewound-branch"]


def test_a_summary_of_a_branch_that_was_left_is_foreign() -> None:
    session = named([*simple(), {"type": "branch_summary", "fromId": "z", "summary": "It failed."}])
    assert outline(read(PI, session))[-1].startswith("foreign text:")


# What is odd ------------------------------------------------------------------------------------------


def test_a_parent_that_is_not_there_loses_no_message() -> None:
    session = named(simple())
    session[4]["parentId"] = "gone"
    transcript = read(PI, session)
    assert outline(transcript) == outline(PI.parse(simple()))
    assert codes(transcript) == ["missing-parent"]


def test_a_ring_of_parents_ends() -> None:
    session = named(simple())
    session[1]["parentId"] = "e5"
    assert outline(read(PI, session)) == outline(PI.parse(simple()))


def test_unknown_records_roles_and_blocks_are_kept_out_and_reported() -> None:
    odd = [{"type": "telepathy"}, entry({"role": "oracle", "content": "x"}), agent({"type": "novel"}, words("Hm."))]
    assert codes(read(PI, [*simple(), *odd])) == ["unknown-record", "unknown-role", "unknown-block"]


def test_a_session_without_messages_is_an_error_that_says_so() -> None:
    with pytest.raises(InputError) as caught:
        PI.parse([HEADER, {"type": "model_change", "provider": "p", "modelId": "m"}])
    assert caught.value.details["types"] == ["model_change", "session"]
    with pytest.raises(DialectError):
        PI.parse([human("no header")])


@pytest.mark.parametrize("value", [[HEADER], [{**HEADER, "type": "meta"}, human("x")], [human("x")], {}, None, b"x"])
def test_other_values_are_not_claimed(value: Any) -> None:
    assert not PI.recognise(value)
