"""Summarizers: who may be asked, how a reply is read, and that a failure is one error with a reason."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from cenotaph.core.surrogate import Reply, SummaryRequest
from cenotaph.errors import CenotaphError, ConfigurationError, SummarizerError
from cenotaph.limits import summarizer_reply_bytes_max
from cenotaph.runtime.endpoints import AnthropicSummarizer, OpenAISummarizer
from cenotaph.runtime.summarizers import Summarizer, summarizer_of
from cenotaph.testing.summarizers import Answer, LoopbackModel, ScriptedSummarizer

REQUEST = SummaryRequest("Condense.", "the sources", 128)
KEY = "sk-test-0123456789abcdef"
KINDS = ("openai", "anthropic")


def asked(kind: str, url: str, **how: Any) -> Summarizer:
    if kind == "openai":
        return OpenAISummarizer(f"{url}/v1", "tiny", **how)
    return AnthropicSummarizer(url, "tiny", **how)


def failure(summarizer: Summarizer) -> SummarizerError:
    with pytest.raises(SummarizerError) as caught:
        summarizer.summarize(REQUEST)
    return caught.value


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("finish", ["stop", "length", "tool", "filtered", "unknown"])
def test_a_reply_says_why_it_ended_and_where_it_was_asked(kind: str, finish: Any) -> None:
    with LoopbackModel(Answer("Three tests failed (cx:8f3a91)", finish)) as model:
        reply = asked(kind, model.url).summarize(REQUEST)
        host = model.url.removeprefix("http://")
    assert reply == Reply("Three tests failed (cx:8f3a91)", finish, host)


def test_an_openai_endpoint_gets_the_request_with_a_bearer_token() -> None:
    with LoopbackModel(Answer("x")) as model:
        asked("openai", model.url, api_key=KEY, extra={"seed": 1}, limit_field="max_completion_tokens").summarize(
            REQUEST
        )
    (sent,) = model.sent
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body["messages"] == [
        {"role": "system", "content": "Condense."},
        {"role": "user", "content": "the sources"},
    ]
    assert (sent.body["model"], sent.body["max_completion_tokens"], sent.body["seed"]) == ("tiny", 128, 1)
    assert "max_tokens" not in sent.body


def test_an_anthropic_endpoint_gets_the_request_with_its_own_headers() -> None:
    with LoopbackModel(Answer("x")) as model:
        asked("anthropic", model.url, api_key=KEY).summarize(REQUEST)
    (sent,) = model.sent
    assert sent.path == "/v1/messages"
    assert (sent.headers["x-api-key"], sent.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert (sent.body["system"], sent.body["max_tokens"]) == ("Condense.", 128)
    assert sent.body["messages"] == [{"role": "user", "content": "the sources"}]


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_key_no_credential_is_sent(kind: str) -> None:
    with LoopbackModel(Answer("x")) as model:
        asked(kind, model.url).summarize(REQUEST)
    assert not {"authorization", "x-api-key"} & set(model.sent[0].headers)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(status=500), "status"),
        (Answer(status=401, body=KEY.encode()), "status"),
        (Answer(body=b"<html>busy</html>"), "not_json"),
        (Answer(body=b""), "not_json"),
        (Answer(body=b"\xff\xfe{"), "not_json"),
        (Answer(body=b"[" * 200_000), "not_json"),
        (Answer(body=b"[]"), "shape"),
        (Answer(body=b"null"), "shape"),
        (Answer(body=b'{"choices": "stop", "content": "stop"}'), "shape"),
        (Answer(body=b'{"choices": [3], "content": [3]}'), "shape"),
        (Answer(body=b'{"choices": [{"message": {"content": 3}}], "content": [{"type": "text"}]}'), "shape"),
        (Answer(status=302, headers={"Location": "http://localhost:1/v1/x"}), "redirect"),
        (Answer(status=307, headers={"Location": "http://example.invalid/"}), "redirect"),
        (Answer(body=b" " * (summarizer_reply_bytes_max + 1)), "too_large"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_failure_is_one_error_with_its_reason_and_without_the_key(kind: str, answer: Answer, reason: str) -> None:
    with LoopbackModel(answer) as model:
        error = failure(asked(kind, model.url, api_key=KEY))
        host = model.url.removeprefix("http://")
    assert (error.reason, error.code, error.host) == (reason, "summarizer", host)
    assert isinstance(error, CenotaphError)
    assert KEY not in repr(error) + str(error) + repr(error.details)
    assert error.status == (answer.status if reason in ("status", "redirect") else None)


def test_an_answer_without_a_choice_is_told_apart() -> None:
    with LoopbackModel(Answer(body=b'{"choices": []}')) as model:
        assert failure(asked("openai", model.url)).reason == "empty_choices"


@pytest.mark.parametrize("kind", KINDS)
def test_an_endpoint_that_stays_silent_is_a_timeout(kind: str) -> None:
    with LoopbackModel(Answer(silent=True)) as model:
        assert failure(asked(kind, model.url, timeout_s=0.2)).reason == "timeout"


@pytest.mark.parametrize("kind", KINDS)
def test_an_endpoint_that_nobody_serves_is_refused(kind: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        error = failure(asked(kind, url))
    assert (error.reason, error.host) == ("refused", url.removeprefix("http://"))


def test_a_redirect_to_the_same_host_is_followed_with_the_same_request() -> None:
    with LoopbackModel(Answer(status=307, headers={"Location": "/v1/elsewhere"}), Answer("moved")) as model:
        assert asked("openai", model.url, api_key=KEY).summarize(REQUEST).text == "moved"
    first, second = model.sent
    assert (first.path, second.path) == ("/v1/chat/completions", "/v1/elsewhere")
    assert second.body == first.body
    assert second.headers["authorization"] == f"Bearer {KEY}"


def test_a_redirect_to_another_port_takes_no_request_there() -> None:
    with LoopbackModel(Answer("stolen")) as other:
        moved = Answer(status=307, headers={"Location": f"{other.url}/v1/chat/completions"})
        with LoopbackModel(moved) as model:
            assert failure(asked("openai", model.url, api_key=KEY)).reason == "redirect"
        assert other.sent == []


def test_redirects_without_end_are_an_error() -> None:
    with LoopbackModel(Answer(status=307, headers={"Location": "/v1/again"})) as model:
        assert failure(asked("openai", model.url)).reason == "status"
    assert len(model.sent) < 20


@pytest.mark.parametrize("kind", KINDS)
def test_a_summarizer_describes_itself_without_its_key(kind: str) -> None:
    summarizer = asked(kind, "http://localhost:9", api_key=KEY)
    assert summarizer.describe() == {"kind": kind, "host": "localhost:9", "model": "tiny"}
    assert KEY not in repr(summarizer)


@pytest.mark.parametrize(
    ("url", "how"),
    [
        ("localhost:9", {}),
        ("file:///etc/passwd", {}),
        ("http://", {}),
        ("https://user:secret@api.example.org", {}),
        ("https://api.example.org?key=secret", {}),
        ("http://api.example.org", {"api_key": KEY}),
        ("https://api.example.org", {"api_key": "sk\nX-Other: 1"}),
    ],
)
@pytest.mark.parametrize("make", [OpenAISummarizer, AnthropicSummarizer])
def test_an_endpoint_that_would_leak_or_is_none_is_refused_before_it_is_asked(make: Any, url: str, how: Any) -> None:
    with pytest.raises(ConfigurationError) as caught:
        make(url, "tiny", **how)
    assert "secret" not in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("wire", ["choices", "content"])
def test_calls_and_refusals_are_seen_whatever_the_reason_to_end_says(wire: str) -> None:
    block = {"type": "tool_use", "id": "1", "name": "run", "input": {}}
    message = {"content": None, "tool_calls": [{"id": "1"}]}
    called: dict[str, Any] = {
        "choices": {"choices": [{"message": message, "finish_reason": "stop"}]},
        "content": {"content": [{"type": "text", "text": "x"}, block], "stop_reason": "end_turn"},
    }
    assert summarizer_of(lambda request: called[wire]).summarize(REQUEST).finish == "tool"
    refused = {"choices": [{"message": {"content": "", "refusal": "no"}, "finish_reason": "stop"}]}
    assert summarizer_of(lambda request: refused).summarize(REQUEST).finish == "filtered"


@pytest.mark.parametrize(
    ("value", "reply"),
    [
        ("text", Reply("text")),
        (None, Reply("")),
        ({"text": "t", "finish": "length"}, Reply("t", "length")),
        ({"text": "t"}, Reply("t")),
        (Reply("r", "tool"), Reply("r", "tool")),
        ({"content": [{"type": "text", "text": "a"}], "stop_reason": "end_turn"}, Reply("a")),
    ],
)
def test_a_function_may_return_text_a_mapping_or_nothing(value: Any, reply: Reply) -> None:
    assert summarizer_of(lambda request: value).summarize(REQUEST) == reply


@pytest.mark.parametrize("value", [3, ["t"], {"text": 3}, {"text": "t", "finish": "done"}, {}, b"t"])
def test_a_function_that_returns_something_else_is_an_error(value: Any) -> None:
    assert failure(summarizer_of(lambda request: value)).reason == "shape"


def test_a_function_that_raises_is_one_error_and_its_cause_is_kept() -> None:
    cause = KeyError("gone")

    def summarize(request: SummaryRequest) -> str:
        raise cause

    error = failure(summarizer_of(summarize))
    assert error.reason == "callable"
    assert error.__cause__ is cause
    assert failure(summarizer_of(ScriptedSummarizer([SummarizerError("x", reason="timeout")]))).reason == "timeout"


async def coroutine(request: SummaryRequest) -> str:
    return ""


@pytest.mark.parametrize("value", [3, "gpt", None, coroutine, OpenAISummarizer])
def test_what_can_not_summarize_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ConfigurationError):
        summarizer_of(value)


def test_a_function_is_described_by_its_name_and_a_summarizer_is_itself() -> None:
    def mine(request: SummaryRequest) -> str:
        return ""

    assert summarizer_of(mine).describe()["model"].endswith("mine")
    ours = OpenAISummarizer("http://localhost:9/v1", "m")
    assert summarizer_of(ours) is ours


def test_a_request_with_any_character_reaches_the_endpoint() -> None:
    odd = SummaryRequest("s", "\ud800 \x00 \U0001f600 </x>", 5)
    with LoopbackModel(Answer("x")) as model:
        asked("openai", model.url).summarize(odd)
    assert model.sent[0].body["messages"][1]["content"] == odd.prompt
    assert json.dumps(model.sent[0].body).isascii()
