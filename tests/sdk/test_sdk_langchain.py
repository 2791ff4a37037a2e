"""The package `langchain-core` reads each view into its own messages, and they hold what the view holds."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, cast

import pytest
from views import pairs, size_of

from cenotaph.testing import strategies
from cenotaph.testing.conversations_langchain import FormName, generate_langchain

client = pytest.importorskip("langchain_core.messages", reason="needs the package langchain-core")
loading = pytest.importorskip("langchain_core.load", reason="needs the package langchain-core")
pytestmark = pytest.mark.filterwarnings("ignore")  # the loader is in beta, and says so


def of_dumpd(messages: list[Any]) -> list[Any]:
    return [loading.load(message) for message in messages]


Read = Callable[[list[Any]], list[Any]]
FORMS: dict[FormName, tuple[Read, Callable[[Any], Any], str]] = {
    "langchain": (client.messages_from_dict, client.message_to_dict, "data"),
    "langchain-dumpd": (of_dumpd, loading.dumpd, "kwargs"),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_view_is_read_and_dumps_to_the_contents_and_calls_that_it_has(form: FormName) -> None:
    read, dump, field = FORMS[form]

    def made(seed: int) -> dict[str, Any]:
        return {"messages": generate_langchain(form, seed, size_of(seed))}

    def held(messages: list[Any]) -> list[Any]:
        bodies = [message[field] for message in messages]
        return [(body["content"], body.get("tool_calls") or [], body.get("tool_call_id")) for body in bodies]

    cuts = 0
    for _seed, _, left in pairs(made, tools=["generic"]):
        if left is not None:
            dumped = [dump(one) for one in read(copy.deepcopy(left["messages"]))]
            assert held(dumped) == held(left["messages"])
            cuts += 1
    assert cuts > 20


def chat_request(seed: int) -> dict[str, Any]:
    """Without torn arguments, which the package reads in no message."""
    body = strategies.generate_request("openai-chat", seed, size_of(seed))
    for call in [call for message in body["messages"] for call in message.get("tool_calls", [])]:
        if not call["function"]["arguments"].endswith("}"):
            call["function"]["arguments"] += "}"
    return body


def test_each_view_of_chat_messages_is_converted_with_the_calls_and_results_that_it_has() -> None:
    cuts = 0
    for seed, _, left in pairs(chat_request, tools=["generic"]):
        if left is None:
            continue
        # The package wants the key `content` on each message; the API, only where there are no calls.
        whole = [{"content": None, **message} for message in copy.deepcopy(left["messages"])]
        read = cast(list[Any], client.convert_to_messages(whole))
        calls = [call["id"] for one in read for call in getattr(one, "tool_calls", [])]
        sent = [call["id"] for message in left["messages"] for call in message.get("tool_calls", [])]
        assert sorted(calls) == sorted(sent), seed
        results = [one.tool_call_id for one in read if one.type == "tool"]
        assert results == [message["tool_call_id"] for message in left["messages"] if message["role"] == "tool"]
        cuts += 1
    assert cuts > 20


BAD: dict[str, Any] = {
    "a type that is none": {"type": "person", "data": {"content": "hi"}},
    "no content": {"type": "human", "data": {}},
    "content that is a number": {"type": "human", "data": {"content": 1}},
    "a result without its call": {"type": "tool", "data": {"content": "done"}},
}


@pytest.mark.parametrize("message", BAD.values(), ids=BAD)
def test_a_message_that_is_wrong_is_not_read(message: Any) -> None:
    assert client.messages_from_dict([{"type": "human", "data": {"content": "hi"}}])
    with pytest.raises((ValueError, KeyError)):
        client.messages_from_dict([message])
