"""Each fake refuses what breaks a rule of its provider, by that rule's id, and takes what nearly does."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bodies import CASES, MESSAGES, RULES, Case, person, request, said
from fake_anthropic import BODY_BYTES_MAX
from loopback import CONVERSATION, Client, Response
from rounds import server

from cenotaph.api.reading import parsed, wire_of

HERE = Path(__file__).parent
FAKES = ("loopback", "handed_out", "fake_anthropic", "fake_chat", "fake_responses", "fake_gemini", "fake_bedrock")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with server() as loopback:
        found = Client(loopback.port)
        yield found
        found.close()


def posted(case: Case) -> Response:
    """What the last body of a case gets from a server that has seen no other."""
    with server() as loopback:
        client = Client(loopback.port)
        headers = {**case.headers, CONVERSATION: "c"}
        *before, last = case.bodies
        for body in before:
            response = client.post(case.path, body, headers)
            assert response.status == 200, response.text
        response = client.post(case.path, last, headers)
        client.close()
    return response


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path.split('/')[2]}: {case.name}")
def test_a_body_is_refused_by_the_rule_that_it_breaks_and_taken_if_it_breaks_none(case: Case) -> None:
    assert posted(case).rule == case.rule


def test_every_rule_has_a_body_that_breaks_it_and_each_provider_has_near_misses() -> None:
    refused = {case.rule for case in CASES} | {"A14"}
    assert set(RULES) <= refused
    assert {case.path for case in CASES if not case.rule} >= {case.path for case in CASES if len(case.rule) == 2}


def test_a_body_above_32_mb_is_refused_and_one_just_below_is_not(client: Client) -> None:
    room = BODY_BYTES_MAX - 1_000
    assert client.post(MESSAGES, request(person(said("x" * BODY_BYTES_MAX))), {}).rule == "A14"
    assert client.post(MESSAGES, request(person(said("x" * room))), {}).status == 200


def test_each_error_has_the_shape_of_its_provider(client: Client) -> None:
    shapes = {
        "/v1/messages": {"type", "error"},
        "/v1/chat/completions": {"error"},
        "/v1/responses": {"error"},
        "/v1beta/models/gemini-3-pro-preview:generateContent": {"error"},
        "/model/anthropic.claude-opus-4-5-v1:0/converse": {"message"},
    }
    for path, keys in shapes.items():
        response = client.post(path, {}, {})
        assert (response.status, set(response.body)) == (400, keys)
        assert response.rule in ("A0", "O0", "G0", "B0")


def test_what_the_server_answers_goes_back_only_as_it_was_answered(client: Client) -> None:
    headers = {CONVERSATION: "answers"}
    asks = {"model": "claude-opus-5-5", "thinking": {"type": "enabled", "budget_tokens": 1024}}
    opening = [person(said("Hello."))]
    blocks = client.post(MESSAGES, request(*opening) | asks, headers).body["content"]
    assert [block["type"] for block in blocks] == ["thinking", "text"]
    more = person(said("And then?"))
    whole = [*opening, {"role": "assistant", "content": blocks}, more]
    assert client.post(MESSAGES, request(*whole) | asks, headers).status == 200
    other = {**blocks[0], "signature": "of somebody else"}
    forged = [*opening, {"role": "assistant", "content": [other, blocks[1]]}, more]
    assert client.post(MESSAGES, request(*forged) | asks, headers).rule == "A5"
    moved = [person(said("Hullo.")), *whole[1:]]
    assert client.post(MESSAGES, request(*moved) | asks, headers).rule == "A6"


@pytest.mark.parametrize("name", FAKES)
def test_a_fake_imports_the_standard_library_and_other_fakes_only(name: str) -> None:
    tree = ast.parse((HERE / f"{name}.py").read_text())
    imported = {
        top.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for top in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
    }
    assert imported <= sys.stdlib_module_names | set(FAKES)


DIFFER = frozenset({"a call that nothing answers"})
"""Where the library lets be what a fake refuses: a transcript at rest may end at open calls, a request may not."""


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.alone], ids=lambda case: f"{case.path.split('/')[2]}: {case.name}"
)
def test_the_librarys_own_rules_refuse_the_same_messages(case: Case) -> None:
    (body,) = case.bodies
    transcript = parsed(body, None, "last")
    wire = wire_of(transcript)
    breaches = wire.breaches([message.raw for message in transcript.messages], tools=True)
    assert (bool(breaches) != bool(case.rule)) == (case.name in DIFFER), breaches
