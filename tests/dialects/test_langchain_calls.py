"""A call that is written down several times is one call, and leaves everywhere at once."""

from __future__ import annotations

import pytest

from cenotaph import Policy, compact
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Path
from cenotaph.dialects.langchain import WIRES
from cenotaph.dialects.langchain_calls import calls_of
from cenotaph.dialects.langchain_forms import Form, body_of, written


def listed(call_id: str) -> JSON:
    return {"name": "read", "args": {"p": call_id}, "id": call_id, "type": "tool_call"}


def raw(call_id: str) -> JSON:
    return {"id": call_id, "type": "function", "function": {"name": "read", "arguments": f'{{"p": "{call_id}"}}'}}


def block(call_id: str) -> JSON:
    return {"type": "tool_use", "id": call_id, "name": "read", "input": {"p": call_id}}


def item(call_id: str) -> JSON:
    return {"type": "function_call", "id": "fc_1", "call_id": call_id, "name": "read", "arguments": "{}"}


def chunk(call_id: str) -> JSON:
    return {"name": "read", "args": "{}", "id": call_id, "index": 0}


def torn(call_id: str) -> JSON:
    return {"name": "read", "args": "{", "id": call_id, "error": None}


def of(**body: JSON) -> list[tuple[str | None, Path, list[Path]]]:
    return [(call.call_id, call.block, call.copies) for call in calls_of({"content": "", **body})]


def raws(*calls: JSON) -> dict[str, JSON]:
    return {"tool_calls": list(calls)}


def test_the_list_is_what_counts_and_everything_of_the_same_id_is_a_copy() -> None:
    found = of(
        tool_calls=[listed("A"), listed("B")],
        content=["x", block("B"), item("A")],
        additional_kwargs=raws(raw("A"), raw("B")),
        tool_call_chunks=[chunk("A")],
    )
    in_kwargs = ("additional_kwargs", "tool_calls")
    assert found == [
        ("A", ("tool_calls", 0), [("content", 2), (*in_kwargs, 0), ("tool_call_chunks", 0)]),
        ("B", ("tool_calls", 1), [("content", 1), (*in_kwargs, 1)]),
    ]


def test_a_call_whose_arguments_do_not_parse_is_one_too() -> None:
    found = of(tool_calls=[], invalid_tool_calls=[torn("A")], additional_kwargs=raws(raw("A")))
    assert found == [("A", ("invalid_tool_calls", 0), [("additional_kwargs", "tool_calls", 0)])]


def test_without_a_list_the_other_places_are_calls_themselves_once_each() -> None:
    assert of(content=[block("A")], additional_kwargs=raws(raw("A"))) == [
        ("A", ("content", 0), [("additional_kwargs", "tool_calls", 0)])
    ]
    assert of(additional_kwargs=raws(raw("A")), tool_call_chunks=[chunk("A"), chunk("B")]) == [
        ("A", ("additional_kwargs", "tool_calls", 0), [("tool_call_chunks", 0)]),
        ("B", ("tool_call_chunks", 1), []),
    ]


def test_a_block_that_no_list_names_is_sent_and_so_it_is_a_call() -> None:
    assert of(tool_calls=[listed("A")], content=[block("Z")]) == [
        ("A", ("tool_calls", 0), []),
        ("Z", ("content", 0), []),
    ]


def test_a_raw_call_that_no_list_names_would_come_back_and_leaves_with_the_first() -> None:
    found = of(tool_calls=[listed("A"), listed("B")], additional_kwargs=raws(raw("Z")))
    assert found == [
        ("A", ("tool_calls", 0), [("additional_kwargs", "tool_calls", 0)]),
        ("B", ("tool_calls", 1), []),
    ]


def test_one_id_twice_pairs_with_its_copies_in_order() -> None:
    found = of(tool_calls=[listed("A"), listed("A")], content=[block("A"), block("A")])
    assert found == [("A", ("tool_calls", 0), [("content", 0)]), ("A", ("tool_calls", 1), [("content", 1)])]


def test_a_call_is_counted_once_and_read_where_its_block_stands() -> None:
    body = {"content": [block("A"), "then"], "tool_calls": [listed("A"), listed("B")]}
    for form in Form:
        (message,) = WIRES[form.value].parse_messages([written(form, "ai", body)])
        assert [(p.kind, p.call_id or p.text) for p in message.parts] == [
            (Kind.call, "A"),
            (Kind.text, "then"),
            (Kind.call, "B"),
        ]


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("also", ["content", "raw", "chunks", "all"])
def test_when_a_write_leaves_nothing_of_its_call_is_left_anywhere(form: Form, also: str) -> None:
    """Batches of a write and another call leave whole: every place where one of their calls stands is cleared."""
    history = [written(form, "human", {"content": "Write the notes."})]
    for n in range(6):
        history += written_and_asked(form, n, also)
    history += [
        written(form, "ai", {"content": "Done."}),
        written(form, "human", {"content": "Thanks. Anything open?"}),
    ]
    tokens = compact(history, to_tokens=10**9).tokens_before
    done = compact(history, to_tokens=tokens // 3, policy=Policy.archive(), tools=["generic"])
    assert WIRES[form.value].breaches(done.messages) == []
    bodies = [body_of(message) or {} for message in done.messages]
    results = {body["tool_call_id"] for body in bodies if "tool_call_id" in body}
    assert 0 < len(results) < 12, "some batches leave and some stay, or the test shows nothing"
    text = repr(done.messages)
    for n in range(6):
        for call_id in (f"call-w{n}", f"call-x{n}"):
            assert (f"'{call_id}'" in text) == (call_id in results)


def written_and_asked(form: Form, n: int, also: str) -> list[JSON]:
    """One message of the agent with a write and another call, each written down again; and both results."""
    pairs = [
        (f"call-w{n}", "write_file", {"path": "notes.md", "content": f"line {n} " * 400}),
        (f"call-x{n}", "frobnicate", {}),
    ]
    body: dict[str, JSON] = {"content": f"Step {n}.", "tool_calls": [], "additional_kwargs": {}}
    body["tool_calls"] = [{"name": name, "args": args, "id": key, "type": "tool_call"} for key, name, args in pairs]
    if also in ("content", "all"):
        blocks = [{"type": "tool_use", "id": key, "name": name, "input": args} for key, name, args in pairs]
        body["content"] = [{"type": "text", "text": f"Step {n}."}, *blocks]
    if also in ("raw", "all"):
        body["additional_kwargs"] = raws(*(raw(key) for key, _, _ in pairs))
    if also in ("chunks", "all"):
        body["tool_call_chunks"] = [chunk(key) for key, _, _ in pairs]
    results = [written(form, "tool", {"content": f"ok {key}", "tool_call_id": key}) for key, _, _ in pairs]
    return [written(form, "ai", body), *results]
