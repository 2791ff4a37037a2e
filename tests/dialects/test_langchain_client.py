"""LangChain itself takes what is generated, what is cut and what is ours, and finds the calls that we find."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable

import pytest

from cenotaph import Policy, compact
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark
from cenotaph.dialects.langchain import LANGCHAIN, WIRES
from cenotaph.errors import BudgetExhausted
from cenotaph.testing.conversations_langchain import FormName, generate_langchain

FORMS: tuple[FormName, ...] = ("langchain", "langchain-dumpd", "langchain-flat")

client = pytest.importorskip("langchain_core.messages", reason="needs langchain-core to ask the client itself")
loading = pytest.importorskip("langchain_core.load")
utils = pytest.importorskip("langchain_core.messages.utils")
pydantic = pytest.importorskip("pydantic")
FLAT = pydantic.TypeAdapter(list[utils.AnyMessage])  # type: ignore[name-defined]


def _from_dumpd(messages: list[JSON]) -> list[JSON]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the loader is in beta, and says so
        return [loading.load(message) for message in messages]


LOADERS: dict[str, Callable[[list[JSON]], list[JSON]]] = {
    "langchain": client.messages_from_dict,
    "langchain-dumpd": _from_dumpd,
    "langchain-flat": FLAT.validate_python,
}
DUMPERS: dict[str, Callable[[JSON], JSON]] = {
    "langchain": client.message_to_dict,
    "langchain-dumpd": loading.dumpd,
    "langchain-flat": lambda message: message.model_dump(mode="json"),
}


def loaded(form: FormName, messages: list[JSON]) -> list[JSON]:
    """The client's own objects."""
    return LOADERS[form](copy.deepcopy(messages))


def calls_of_the_client(objects: list[JSON]) -> list[list[str]]:
    agents = [one for one in objects if isinstance(one, client.AIMessage)]
    return [sorted(str(call["id"]) for call in (*one.tool_calls, *one.invalid_tool_calls)) for one in agents]


def calls_of_ours(form: FormName, messages: list[JSON]) -> list[list[str]]:
    return [
        sorted(str(p.call_id) for p in message.parts if p.kind is Kind.call and Mark.server not in p.marks)
        for message in WIRES[form].parse_messages(messages)
        if message.role == "ai"
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(20))
def test_the_client_takes_what_is_generated_and_its_dump_reads_the_same(form: FormName, seed: int) -> None:
    messages = generate_langchain(form, seed)
    dumped = [DUMPERS[form](one) for one in loaded(form, messages)]
    transcript = LANGCHAIN.parse(dumped)
    assert (transcript.wire, transcript.defects) == (form, ())
    assert LANGCHAIN.emit(transcript) is dumped
    before = [[(p.kind, p.text, p.call_id) for p in m.parts] for m in WIRES[form].parse_messages(messages)]
    after = [[(p.kind, p.text, p.call_id) for p in m.parts] for m in transcript.messages]
    assert [len(parts) for parts in after] == [len(parts) for parts in before]
    assert calls_of_ours(form, dumped) == calls_of_ours(form, messages)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(20))
def test_the_client_takes_what_is_left_and_finds_no_call_that_left(form: FormName, seed: int) -> None:
    messages = generate_langchain(form, seed, 14)
    tokens = compact(messages, to_tokens=10**9).tokens_before
    for share in (0.7, 0.35):
        try:
            done = compact(messages, to_tokens=max(50, int(tokens * share)), policy=Policy.archive(), tools=["generic"])
        except BudgetExhausted:
            continue
        left = list(done.messages)
        assert calls_of_the_client(loaded(form, left)) == calls_of_ours(form, left)


def test_without_its_copies_a_call_that_left_would_come_back() -> None:
    raw = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    body = {"content": "said", "type": "ai", "tool_calls": [], "additional_kwargs": {"tool_calls": [raw]}}
    assert calls_of_the_client(loaded("langchain-flat", [body])) == [["c1"]]


@pytest.mark.parametrize("form", FORMS)
def test_the_client_takes_our_page_and_our_exchange(form: FormName) -> None:
    wire = WIRES[form]
    picture = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}
    page, asked, told = loaded(form, [wire.page("p"), *wire.exchange("k", "recall", {"q": 1}, "found", [picture])])
    assert (page.type, page.content) == ("human", "p")
    assert asked.tool_calls[0]["args"] == {"q": 1}
    assert (told.tool_call_id, told.content[1]) == ("k", picture)
