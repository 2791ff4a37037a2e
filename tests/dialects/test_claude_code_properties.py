"""Laws of the claude-code dialect over sessions that nobody thought of."""

from __future__ import annotations

import json
from typing import Any

from claude_code_session import Session
from hypothesis import given, settings
from hypothesis import strategies as st

from cenotaph.core.model import Kind, Provenance
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.errors import InputError

UUIDS = st.sampled_from([f"u{i}" for i in range(12)])
CALLS = st.sampled_from(["c1", "c2", "c3", None])
WORDS = st.text(max_size=12) | st.sampled_from(
    ["yes", "<system-reminder>x</system-reminder>", "[Request interrupted by user]", "\ud800"]
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
BLOCKS = st.one_of(
    st.builds(lambda t: {"type": "text", "text": t}, WORDS),
    st.builds(lambda i, a: {"type": "tool_use", "id": i, "name": "Bash", "input": a}, CALLS, JSON_VALUES),
    st.builds(
        lambda i, c: {"type": "tool_result", "tool_use_id": i, "content": c}, CALLS, WORDS | JSON_VALUES
    ),
    st.builds(lambda t: {"type": "thinking", "thinking": t, "signature": "s"}, WORDS),
    st.dictionaries(st.sampled_from(["type", "id", "text", "input", "tool_use_id", "source"]), JSON_VALUES),
    JSON_VALUES,
)
CONTENT = WORDS | st.lists(BLOCKS, max_size=3)


def record(kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": content}
    if fields.get("id") and kind == "assistant":
        message["id"] = fields["id"]
    extra = {k: v for k, v in fields.items() if v is not None and k != "id"}
    return {"type": kind, "message": message, "sessionId": "s", **extra}


MESSAGES = st.builds(
    record,
    st.sampled_from(["user", "assistant"]),
    CONTENT,
    id=st.sampled_from(["m1", "m2", None]),
    uuid=UUIDS | st.none(),
    parentUuid=UUIDS | st.none(),
    timestamp=st.sampled_from(["t1", "t2", "t3", None]),
    isMeta=st.sampled_from([True, None]),
    isSidechain=st.sampled_from([True, None, None]),
    isCompactSummary=st.sampled_from([True, None, None, None]),
    toolUseResult=st.none() | WORDS | JSON_VALUES,
)
PRESERVED = st.fixed_dictionaries(
    {"preservedMessages": st.fixed_dictionaries({"uuids": st.lists(UUIDS, max_size=4)})}
) | st.fixed_dictionaries({"preservedSegment": st.fixed_dictionaries({"headUuid": UUIDS, "tailUuid": UUIDS})})
BOUNDARIES = st.fixed_dictionaries(
    {
        "type": st.just("system"),
        "subtype": st.just("compact_boundary"),
        "uuid": UUIDS,
        "parentUuid": UUIDS | st.none(),
        "compactMetadata": PRESERVED | JSON_VALUES,
    }
)
CLEARINGS = st.fixed_dictionaries(
    {
        "type": st.just("system"),
        "subtype": st.just("microcompact_boundary"),
        "microcompactMetadata": st.fixed_dictionaries({"compactedToolIds": st.lists(CALLS, max_size=3)}),
    }
)
QUEUED = st.fixed_dictionaries(
    {
        "type": st.just("queue-operation"),
        "operation": st.sampled_from(["enqueue", "dequeue", "remove", "popAll"]),
        "content": WORDS | st.none(),
    }
)
TICKS = st.fixed_dictionaries({"type": st.just("progress"), "uuid": UUIDS, "parentUuid": UUIDS})
STRANGE = st.dictionaries(st.sampled_from(["type", "uuid", "message", "x"]), JSON_VALUES, max_size=3)
OTHERS = BOUNDARIES | CLEARINGS | QUEUED | TICKS | STRANGE
FIELDS = [
    "type", "subtype", "uuid", "parentUuid", "timestamp", "sessionId", "isMeta", "isSidechain", "message",
    "toolUseResult", "toolDenialKind", "origin", "sourceToolUseID", "operation", "content", "attachment",
    "compactMetadata", "microcompactMetadata",
]  # fmt: skip
BROKEN = st.builds(
    lambda record, noise: record | noise,
    MESSAGES | OTHERS,
    st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, max_size=2),
)
RECORDS = st.lists(MESSAGES | OTHERS | BROKEN, max_size=14)


@settings(max_examples=300, deadline=None)
@given(RECORDS, st.sampled_from(["last", "all"]))
def test_any_list_of_records_comes_back_and_every_path_in_its_view_resolves(
    records: list[Any], region: Any
) -> None:
    before = json.dumps(records)
    try:
        transcript = CLAUDE_CODE.parse(records, region=region)
    except InputError:
        return  # nothing was understood: allowed, and the only way not to give a view
    assert CLAUDE_CODE.emit(transcript) is records
    assert json.dumps(records) == before
    assert transcript.messages
    for message in transcript.messages:
        content = message.raw["content"]
        assert len(message.parts) == (1 if isinstance(content, str) else len(content))
        for part in message.parts:
            for path in (part.block, part.path):
                value: Any = message.raw
                for step in path:
                    value = value[step]


@settings(max_examples=200, deadline=None)
@given(
    RECORDS,
    st.sampled_from([b"\n", b"\r\n", b"\n\n", b""]),
    st.sampled_from([b"", b'{"type":"user","mess', b'{"x":1}{"y":2}', b"\n \n"]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
)
def test_any_file_comes_back_byte_for_byte(
    records: list[Any], newline: bytes, tail: bytes, head: bytes
) -> None:
    data = head + b"".join(json.dumps(r).encode() + newline for r in records) + tail
    try:
        transcript = CLAUDE_CODE.parse(data)
    except InputError:
        return
    assert CLAUDE_CODE.emit(transcript) == data


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.binary(max_size=40).map(lambda b: b'{"type":"user"}\n' + b))
def test_any_bytes_are_read_or_refused_by_name(data: bytes) -> None:
    CLAUDE_CODE.recognise(data)
    try:
        transcript = CLAUDE_CODE.parse(data)
    except InputError:
        return
    assert CLAUDE_CODE.emit(transcript) == data


STEPS = st.lists(st.sampled_from(["say", "type", "deliver", "call", "answer", "tick"]), max_size=25)


@settings(max_examples=300, deadline=None)
@given(STEPS, st.randoms(use_true_random=False))
def test_no_human_text_is_lost_and_none_ever_stands_between_a_call_and_its_result(
    steps: list[str], random: Any
) -> None:
    session = Session()
    said, waiting, made = ["hello 0"], list[str](), 0
    open_calls: list[tuple[str, str]] = []
    session.human("hello 0")
    for number, step in enumerate(steps, 1):
        if step == "say" and not open_calls:
            said.append(f"hello {number}")
            session.human(said[-1])
        elif step == "type":
            said.append(f"hello {number}")
            waiting.append(said[-1])
            session.queue("enqueue", said[-1])
        elif step == "deliver" and waiting:
            waiting.pop(0)
            session.queue("remove")
        elif step == "call" and not open_calls:
            for _ in range(random.randint(1, 3)):
                made += 1
                block = {"type": "tool_use", "id": f"c{made}", "name": "Bash", "input": {}}
                open_calls.append((f"c{made}", session.agent(block, message_id=f"m{number}")))
        elif step == "answer" and open_calls:
            identity, parent = open_calls.pop(random.randrange(len(open_calls)))
            session.result(identity, parent=parent)
        elif step == "tick":
            session.add("progress", data={})
    transcript = session.parse()
    texts = [p.text for m in transcript.messages for p in m.parts if p.provenance is Provenance.user]
    assert sorted(texts) == sorted(said)
    for message, following in zip(transcript.messages, transcript.messages[1:], strict=False):
        calls = {part.call_id for part in message.parts if part.kind is Kind.call}
        answers = [part.call_id for part in following.parts if part.kind is Kind.result]
        assert set(answers) <= calls
        assert len(answers) == len(calls - {identity for identity, _ in open_calls})
