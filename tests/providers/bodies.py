"""Small request bodies around each rule of each provider: one that breaks it, and a near miss that does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

JSONObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One body, or several of one conversation; the last one is the one in question.

    Attributes:
        name: What is wrong with it, or what is nearly wrong.
        path: Of the POST.
        bodies: In the order in which they are posted; all before the last are accepted.
        rule: Id of the rule that the last one breaks; "" if it breaks none.
        headers: Of each POST.
        alone: Whether the rule is one about a list of messages, and one list shows it.
    """

    name: str
    path: str
    bodies: tuple[JSONObject, ...]
    rule: str
    headers: Mapping[str, str] = field(default_factory=dict)
    alone: bool = True


# Anthropic -----------------------------------------------------------------------------------

MESSAGES: Final = "/v1/messages"
OLD: Final = "claude-opus-4-5"
NEWER: Final = "claude-opus-4-6"
BOUND: Final = "claude-opus-5-5"
_TOOL: Final = {"name": "Read", "description": "Read", "input_schema": {"type": "object", "properties": {}}}
_THINKS: Final = {"type": "enabled", "budget_tokens": 1024}
_DROPS: Final = {**_THINKS, "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
_BINDING: Final = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}
_COMPACT: Final = {"anthropic-beta": "compact-2026-09-04"}


def person(*blocks: Any) -> Any:
    return {"role": "user", "content": list(blocks)}


def agent(*blocks: Any) -> Any:
    return {"role": "assistant", "content": list(blocks)}


def said(text: str, **more: Any) -> Any:
    return {"type": "text", "text": text, **more}


def use(call_id: str) -> Any:
    return {"type": "tool_use", "id": call_id, "name": "Read", "input": {}}


def told(call_id: str, **more: Any) -> Any:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "done", **more}


def thought(number: int) -> Any:
    return {"type": "thinking", "thinking": f"Thought {number}.", "signature": f"sig{number}"}


def request(*messages: Any, model: str = OLD, **more: Any) -> JSONObject:
    return {"model": model, "max_tokens": 64, "tools": [_TOOL], "messages": list(messages), **more}


def _messages(
    name: str, rule: str, *bodies: JSONObject, headers: Mapping[str, str] | None = None, alone: bool = True
) -> Case:
    return Case(name, MESSAGES, bodies, rule, headers or {}, alone and len(bodies) == 1)


_MARK: Final = {"cache_control": {"type": "ephemeral"}}
_HOUR: Final = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
_LOOP: Final = (
    person(said("Read both.")),
    agent(thought(1), use("a")),
    person(told("a")),
    agent(thought(2), said("Half way."), use("b")),
    person(told("b")),
)
_WITHOUT_FIRST: Final = (_LOOP[0], agent(use("a")), *_LOOP[2:])
_PAGED: Final = (person(said("page"), said("Read both.")), *_LOOP[1:])
_DONE: Final = (*_LOOP, agent(said("Read.")), person(said("Thanks.")))
_SHOUT: Final = {**thought(2), "thinking": "THOUGHT 2."}
_SUMMARISE: Final = {"compaction": {"type": "summarize"}}
_BLOCK: Final = {"type": "compaction", "content": "Summary 2.", "encrypted_content": "sealed-2"}
_KEPT: Final = (agent(thought(2), said("Half way.")), person(said("And now?")))
_HISTORY: Final = (person(said("One.")), agent(thought(1), said("First.")), person(said("Two.")), *_KEPT)


def _bound(*messages: Any, **more: Any) -> JSONObject:
    return request(*messages, model=BOUND, thinking=_THINKS, **more)


def _newest(*messages: Any) -> JSONObject:
    return request(*messages, thinking=_THINKS)


def _summarised(*messages: Any, model: str = BOUND, head: Mapping[str, Any] | None = None) -> tuple[JSONObject, ...]:
    """A conversation, its first three messages summarised by the server, and what is sent then."""
    return (_bound(*_HISTORY), {**request(*_HISTORY[:3], model=model), **_SUMMARISE}, _bound(*messages, **(head or {})))


_ANTHROPIC: Final = (
    _messages("a call that nothing answers", "A1", request(person(said("hi")), agent(use("a")))),
    _messages(
        "a message between call and result",
        "A1",
        request(person(said("hi")), agent(use("a")), agent(said("wait")), person(told("a"))),
    ),
    _messages(
        "one of two calls answered", "A1", request(person(said("hi")), agent(use("a"), use("b")), person(told("a")))
    ),
    _messages(
        "one call answered twice", "A1", request(person(said("hi")), agent(use("a")), person(told("a"), told("a")))
    ),
    _messages(
        "results in another order than calls",
        "",
        request(person(said("hi")), agent(use("a"), use("b")), person(told("b"), told("a"))),
    ),
    _messages(
        "words before a result", "A2", request(person(said("hi")), agent(use("a")), person(said("x"), told("a")))
    ),
    _messages("words behind a result", "", request(person(said("hi")), agent(use("a")), person(told("a"), said("x")))),
    _messages("a result without its call", "A3", request(person(said("hi")), person(told("a")))),
    _messages(
        "a result two messages behind its call",
        "A3",
        request(person(said("hi")), agent(use("a")), person(told("a")), agent(said("so")), person(told("a"))),
    ),
    _messages("two people's messages in a row", "", request(person(said("hi")), person(said("again")))),
    _messages(
        "tool blocks without tools",
        "A4",
        {
            key: value
            for key, value in request(person(said("hi")), agent(use("a")), person(told("a"))).items()
            if key != "tools"
        },
        alone=False,
    ),
    _messages(
        "no tool blocks and no tools",
        "",
        {key: value for key, value in request(person(said("hi"))).items() if key != "tools"},
        alone=False,
    ),
    _messages(
        "a word of the newest thinking changed",
        "A5",
        _newest(*_LOOP),
        _newest(*_LOOP[:3], agent(_SHOUT, said("Half way."), use("b")), _LOOP[4]),
    ),
    _messages(
        "the text beside the newest thinking gone",
        "A5",
        _newest(*_LOOP),
        _newest(*_LOOP[:3], agent(thought(2), use("b")), _LOOP[4]),
    ),
    _messages(
        "the newest thinking gone in a tool loop",
        "A5",
        _newest(*_LOOP),
        _newest(*_LOOP[:3], agent(said("Half way."), use("b")), _LOOP[4]),
    ),
    _messages("a word before the newest thinking changed", "", _newest(*_LOOP), _newest(*_PAGED)),
    _messages("older thinking gone", "", _newest(*_LOOP), _newest(*_WITHOUT_FIRST)),
    _messages(
        "a thought that this server did not have",
        "A5",
        _newest(*_LOOP),
        _newest(*_LOOP, agent(thought(3), use("c")), person(told("c"))),
    ),
    _messages(
        "changed thinking, and none asked for",
        "",
        request(*_LOOP),
        request(*_LOOP[:3], agent(_SHOUT, said("Half way."), use("b")), _LOOP[4]),
    ),
    _messages("a message before bound thinking changed", "A6", _bound(*_LOOP), _bound(*_PAGED)),
    _messages("earlier thinking gone before bound thinking", "A6", _bound(*_LOOP), _bound(*_WITHOUT_FIRST)),
    _messages("system text before bound thinking changed", "A6", _bound(*_LOOP), _bound(*_LOOP, system="More.")),
    _messages(
        "the same before bound thinking, another cache mark",
        "",
        _bound(*_LOOP),
        _bound(person(said("Read both.", **_MARK)), *_LOOP[1:]),
    ),
    _messages(
        "a message before bound thinking changed, and it is dropped",
        "",
        _bound(*_LOOP),
        {**_bound(*_PAGED), "thinking": _DROPS},
        headers=_BINDING,
    ),
    _messages("dropping without its beta", "A6", {**_bound(*_LOOP), "thinking": _DROPS}, alone=False),
    _messages(
        "all thinking stripped behind a change, no loop open",
        "",
        _bound(*_DONE),
        _bound(
            person(said("page"), said("Read both.")),
            agent(use("a")),
            person(told("a")),
            agent(said("Half way."), use("b")),
            *_DONE[4:],
        ),
    ),
    _messages("kept turns behind a summary of the server", "", *_summarised(agent(_BLOCK), *_KEPT), headers=_COMPACT),
    _messages(
        "a kept turn behind a summary changed",
        "A7",
        *_summarised(agent(_BLOCK), person(said("hm")), *_KEPT),
        headers=_COMPACT,
    ),
    _messages(
        "system changed behind a summary",
        "A7",
        *_summarised(agent(_BLOCK), *_KEPT, head={"system": "x"}),
        headers=_COMPACT,
    ),
    _messages(
        "a summary of a model that does not preserve thinking",
        "A7",
        *_summarised(agent(_BLOCK), *_KEPT, model=OLD),
        headers=_COMPACT,
    ),
    _messages(
        "a changed turn behind a summary, its thinking stripped",
        "",
        *_summarised(agent(_BLOCK), person(said("hm")), agent(said("Half way.")), _KEPT[1]),
        headers=_COMPACT,
    ),
    _messages(
        "a summary asked for with a call open",
        "A8",
        {**request(person(said("hi")), agent(use("a"))), **_SUMMARISE},
        headers=_COMPACT,
        alone=False,
    ),
    _messages(
        "a summary asked for behind a result",
        "",
        {**request(person(said("hi")), agent(use("a")), person(told("a"))), **_SUMMARISE},
        headers=_COMPACT,
        alone=False,
    ),
    _messages(
        "a compaction block changed",
        "A9",
        *_summarised(agent({**_BLOCK, "content": "Summary two."}), _KEPT[1]),
        headers=_COMPACT,
    ),
    _messages("a compaction block of empty text", "A9", request(agent({**_BLOCK, "content": ""}), person(said("x")))),
    _messages(
        "a failed compaction block",
        "",
        request(person(said("hi")), agent({"type": "compaction", "content": None}), person(said("x"))),
    ),
    _messages(
        "a summary and context management at once",
        "A10",
        {**request(person(said("hi"))), **_SUMMARISE, "context_management": {"edits": []}},
        headers=_COMPACT,
        alone=False,
    ),
    _messages("a summary without its beta", "A10", {**request(person(said("hi"))), **_SUMMARISE}, alone=False),
    _messages(
        "compaction with a trigger below the least",
        "A11",
        request(
            person(said("hi")),
            context_management={
                "edits": [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 49_999}}]
            },
        ),
        headers={"anthropic-beta": "compact-2026-01-12"},
        alone=False,
    ),
    _messages(
        "compaction with the least trigger",
        "",
        request(
            person(said("hi")),
            context_management={
                "edits": [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}]
            },
        ),
        headers={"anthropic-beta": "compact-2026-01-12"},
        alone=False,
    ),
    _messages(
        "five cache breakpoints",
        "A13",
        request(person(*(said(str(n), **_MARK) for n in range(4))), system=[said("s", **_MARK)]),
        alone=False,
    ),
    _messages(
        "four breakpoints and the automatic one",
        "A13",
        {**request(person(*(said(str(n), **_MARK) for n in range(4)))), **_MARK},
        alone=False,
    ),
    _messages(
        "four cache breakpoints",
        "",
        request(person(*(said(str(n), **_MARK) for n in range(3))), system=[said("s", **_MARK)]),
        alone=False,
    ),
    _messages(
        "an hour behind five minutes",
        "A13",
        request(person(said("x", **_HOUR)), system=[said("s", **_MARK)]),
        alone=False,
    ),
    _messages(
        "an hour before five minutes", "", request(person(said("x", **_MARK)), system=[said("s", **_HOUR)]), alone=False
    ),
    _messages(
        "an end at the agent's words, for a model without prefill",
        "A15",
        request(person(said("hi")), agent(said("so")), model=NEWER),
        alone=False,
    ),
    _messages(
        "an end at the agent's words, for a model with prefill",
        "",
        request(person(said("hi")), agent(said("so"))),
        alone=False,
    ),
    _messages("a blank text", "A0", request(person(said("hi")), agent(said("")), person(said("x")))),
    _messages("a message without content", "A0", request(person(said("hi")), agent(), person(said("x")))),
)

# OpenAI --------------------------------------------------------------------------------------

CHAT: Final = "/v1/chat/completions"


def chat_call(*ids: str, content: Any = None) -> Any:
    calls = [{"id": one, "type": "function", "function": {"name": "read", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def chat_result(call_id: str) -> Any:
    return {"role": "tool", "tool_call_id": call_id, "content": "done"}


def _chat(name: str, rule: str, *messages: Any) -> Case:
    return Case(name, CHAT, ({"model": "gpt-5", "messages": list(messages)},), rule)


_HI: Final = {"role": "user", "content": "hi"}
_CHAT: Final = (
    _chat("a call that nothing answers", "O1", _HI, chat_call("a")),
    _chat("one of two calls answered", "O1", _HI, chat_call("a", "b"), chat_result("a"), _HI),
    _chat("a message between call and result", "O1", _HI, chat_call("a"), _HI, chat_result("a")),
    _chat("a message between two results", "O1", _HI, chat_call("a", "b"), chat_result("a"), _HI, chat_result("b")),
    _chat("one call answered twice", "O1", _HI, chat_call("a"), chat_result("a"), chat_result("a")),
    _chat("a tool message first", "O1", chat_result("a"), _HI),
    _chat(
        "a result of an older call among those of a batch",
        "O1",
        _HI,
        chat_call("a"),
        chat_result("z"),
        chat_result("a"),
    ),
    _chat("results in another order than calls", "", _HI, chat_call("a", "b"), chat_result("b"), chat_result("a")),
    _chat("an end at results that nobody read", "", _HI, chat_call("a"), chat_result("a")),
    _chat("two people's messages in a row", "", _HI, _HI),
    _chat("an empty list of calls", "O0", _HI, {"role": "assistant", "content": "x", "tool_calls": []}),
    _chat("an agent's message of nothing", "O0", _HI, {"role": "assistant", "content": None}),
    _chat("a refusal", "", _HI, {"role": "assistant", "content": None, "refusal": "no"}),
)

RESPONSES: Final = "/v1/responses"
COMPACT: Final = "/v1/responses/compact"


def item_said(role: str, text: str) -> Any:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def item_call(call_id: str, **more: Any) -> Any:
    return {"type": "function_call", "call_id": call_id, "name": "read", "arguments": "{}", **more}


def item_output(call_id: str) -> Any:
    return {"type": "function_call_output", "call_id": call_id, "output": "done"}


def item_reasoning(number: int, sealed: str = "") -> Any:
    sealed = sealed or f"sealed{number}"
    return {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": sealed}


def items(*values: Any, **more: Any) -> JSONObject:
    return {"model": "gpt-5", "store": False, "input": list(values), **more}


def _responses(name: str, rule: str, *bodies: JSONObject, alone: bool = True) -> Case:
    return Case(name, RESPONSES, bodies, rule, {}, alone and len(bodies) == 1)


_ASKED: Final = item_said("user", "hi")
_CALL: Final = item_call("a", id="fc_1")
_REASONED: Final = (_ASKED, item_reasoning(1), _CALL, item_output("a"))
_SEALED: Final = {"type": "compaction", "id": "cmp_1", "encrypted_content": "closed"}
_RESPONSES: Final = (
    _responses("a call that nothing answers", "O2", items(_ASKED, item_call("a"))),
    _responses("an output without its call", "O2", items(_ASKED, item_output("a"), _ASKED)),
    _responses("an output before its call", "O2", items(_ASKED, item_output("a"), item_call("a"))),
    _responses(
        "words between call and output",
        "",
        items(_ASKED, item_call("a"), item_said("assistant", "wait"), item_output("a")),
    ),
    _responses(
        "an output of a call that the server holds",
        "",
        items(_ASKED, store=True),
        items(item_output("a"), previous_response_id="resp_1", store=True),
    ),
    _responses("reasoning at the end", "O3", items(_ASKED, item_reasoning(1))),
    _responses("reasoning before a person's words", "O3", items(_ASKED, item_reasoning(1), _ASKED)),
    _responses("reasoning before its call", "", items(*_REASONED)),
    _responses(
        "reasoning before another item than its own",
        "O3",
        items(*_REASONED, item_call("b"), item_output("b")),
        items(_ASKED, item_reasoning(1), item_call("b"), item_output("b")),
    ),
    _responses("a call without its reasoning", "O3", items(*_REASONED), items(_ASKED, _CALL, item_output("a"))),
    _responses("reasoning changed", "O3", items(*_REASONED), items(_ASKED, item_reasoning(1, "other"), *_REASONED[2:])),
    _responses("reasoning and call gone together", "", items(*_REASONED, _ASKED), items(_ASKED)),
    _responses(
        "a compaction item changed",
        "O4",
        items(_ASKED, _SEALED, _ASKED),
        items({**_SEALED, "encrypted_content": "opened"}, _ASKED),
    ),
    _responses("all before a compaction item gone", "", items(_ASKED, _SEALED, _ASKED), items(_SEALED, _ASKED)),
    _responses(
        "a compaction item of another provider", "O6", items(_ASKED), items(_ASKED, {**_SEALED, "id": "cmp_2"}, _ASKED)
    ),
    _responses(
        "on from a response that was not stored", "O4", items(_ASKED), items(_ASKED, previous_response_id="resp_1")
    ),
    _responses("an item of no known type", "O0", items(_ASKED, {"type": "tool_result", "call_id": "a"}), alone=False),
)

# Gemini --------------------------------------------------------------------------------------

GEMINI: Final = "/v1beta/models/gemini-2.5-pro:generateContent"
GEMINI_3: Final = "/v1beta/models/gemini-3-pro-preview:generateContent"


def turn(role: str, *parts: Any) -> Any:
    return {"role": role, "parts": list(parts)}


def words(text: str) -> Any:
    return {"text": text}


def asks(call_id: str, signature: str = "") -> Any:
    call = {"functionCall": {"id": call_id, "name": "read", "args": {"n": call_id}}}
    return {**call, "thoughtSignature": signature} if signature else call


def responds(call_id: str) -> Any:
    return {"functionResponse": {"id": call_id, "name": "read", "response": {"output": "done"}}}


def _gemini(name: str, rule: str, *contents: Sequence[Any], path: str = GEMINI, alone: bool = True) -> Case:
    bodies = tuple({"contents": list(value)} for value in contents)
    return Case(name, path, bodies, rule, {}, alone and len(bodies) == 1)


_USER: Final = turn("user", words("hi"))
_STEP: Final = (turn("model", asks("a", "s1")), turn("user", responds("a")))
_UNSIGNED: Final = (turn("model", asks("a")), _STEP[1])
_GEMINI: Final = (
    _gemini("a call first", "G1", _STEP),
    _gemini("the model's words first", "G1", [turn("model", words("so")), _USER]),
    _gemini("a call behind the model's words in another turn", "G1", [_USER, turn("model", words("so")), *_STEP]),
    _gemini("a call behind responses", "", [_USER, *_UNSIGNED, turn("model", asks("b")), turn("user", responds("b"))]),
    _gemini(
        "two calls and one response", "G2", [_USER, turn("model", asks("a"), asks("b")), turn("user", responds("a"))]
    ),
    _gemini(
        "one call and two responses",
        "G2",
        [_USER, turn("model", asks("a")), turn("user", responds("a"), responds("a"))],
    ),
    _gemini("a response with another id", "G2", [_USER, turn("model", asks("a")), turn("user", responds("b"))]),
    _gemini("a call that nothing answers", "G2", [_USER, turn("model", asks("a"))]),
    _gemini(
        "responses in another order than calls",
        "",
        [_USER, turn("model", asks("a"), asks("b")), turn("user", responds("b"), responds("a"))],
    ),
    _gemini(
        "a turn between call and response", "G2", [_USER, turn("model", asks("a")), _USER, turn("user", responds("a"))]
    ),
    _gemini("a response without a call", "G3", [_USER, turn("user", responds("a"))]),
    _gemini("a response twice", "G3", [_USER, *_STEP, turn("user", responds("a"))]),
    _gemini("a person's turn behind a response turn", "", [_USER, *_STEP, _USER]),
    _gemini(
        "no signature in the current turn",
        "G4",
        [_USER, turn("model", asks("a")), _STEP[1]],
        path=GEMINI_3,
        alone=False,
    ),
    _gemini("no signature in an earlier turn", "", [_USER, turn("model", asks("a")), _STEP[1], _USER], path=GEMINI_3),
    _gemini(
        "no signature on the second call of a step",
        "",
        [_USER, turn("model", asks("a", "s1"), asks("b")), turn("user", responds("a"), responds("b"))],
        path=GEMINI_3,
    ),
    _gemini(
        "a signature changed", "G4", [_USER, *_STEP], [_USER, turn("model", asks("a", "s2")), _STEP[1]], path=GEMINI_3
    ),
    _gemini(
        "a signature on another call",
        "G4",
        [_USER, *_STEP],
        [_USER, turn("model", asks("b", "s1")), turn("user", responds("b"))],
        path=GEMINI_3,
    ),
    _gemini(
        "the sentinel on a call that no model made",
        "",
        [_USER, *_STEP],
        [_USER, turn("model", asks("b", "skip_thought_signature_validator")), turn("user", responds("b"))],
        path=GEMINI_3,
    ),
    _gemini("a content without parts", "G0", [_USER, turn("model"), _USER]),
)

# Bedrock -------------------------------------------------------------------------------------

CONVERSE: Final = f"/model/anthropic.{OLD}-v1:0/converse"
CONVERSE_BOUND: Final = f"/model/anthropic.{BOUND}-v1:0/converse"


def uses(call_id: str) -> Any:
    return {"toolUse": {"toolUseId": call_id, "name": "read", "input": {}}}


def result(call_id: str) -> Any:
    return {"toolResult": {"toolUseId": call_id, "content": [{"text": "done"}]}}


def reasons(number: int) -> Any:
    return {"reasoningContent": {"reasoningText": {"text": f"Thought {number}.", "signature": f"sig{number}"}}}


def converse(*messages: Any, **more: Any) -> JSONObject:
    tools = [{"toolSpec": {"name": "read", "inputSchema": {"json": {"type": "object"}}}}]
    return {"messages": list(messages), "toolConfig": {"tools": tools}, **more}


def _thinking(*messages: Any) -> JSONObject:
    return converse(*messages, additionalModelRequestFields={"thinking": _THINKS})


def _dropping(*messages: Any) -> JSONObject:
    return converse(*messages, additionalModelRequestFields={"thinking": _DROPS})


def _converse(name: str, rule: str, *bodies: JSONObject, path: str = CONVERSE, alone: bool = True) -> Case:
    return Case(name, path, bodies, rule, {}, alone and len(bodies) == 1)


_ROUND: Final = (person(words("hi")), agent(reasons(1), words("Half way."), uses("a")), person(result("a")))
_LOUD: Final = {"reasoningContent": {"reasoningText": {"text": "THOUGHT 1.", "signature": "sig1"}}}
_NEW_HEAD: Final = (person(words("page"), words("hi")), *_ROUND[1:])
_BEDROCK: Final = (
    _converse("two people's messages in a row", "B1", converse(person(words("hi")), person(words("x")))),
    _converse("the agent first", "B1", converse(agent(words("so")), person(words("x")))),
    _converse(
        "results of one turn in two messages",
        "B1",
        converse(
            person(words("hi")),
            agent(uses("a"), uses("b")),
            person(result("a")),
            agent(words("so")),
            person(result("b")),
        ),
    ),
    _converse("a call that nothing answers", "B1", converse(person(words("hi")), agent(uses("a")))),
    _converse(
        "results in another order, with words behind",
        "",
        converse(person(words("hi")), agent(uses("a"), uses("b")), person(result("b"), result("a"), words("x"))),
    ),
    _converse("a result with another id", "B2", converse(person(words("hi")), agent(words("so")), person(result("b")))),
    _converse("a result of an earlier turn", "B2", converse(*_ROUND, agent(words("so")), person(result("a")))),
    _converse(
        "reasoning changed",
        "B3",
        _thinking(*_ROUND),
        _thinking(_ROUND[0], agent(_LOUD, words("Half way."), uses("a")), _ROUND[2]),
    ),
    _converse(
        "reasoning gone in a tool loop",
        "B3",
        _thinking(*_ROUND),
        _thinking(_ROUND[0], agent(words("Half way."), uses("a")), _ROUND[2]),
    ),
    _converse(
        "something before the newest reasoning in its message",
        "B3",
        _thinking(*_ROUND),
        _thinking(_ROUND[0], agent(words("more"), *_ROUND[1]["content"]), _ROUND[2]),
    ),
    _converse("a message before reasoning changed", "", _thinking(*_ROUND), _thinking(*_NEW_HEAD)),
    _converse(
        "a message before bound reasoning changed", "B3", _thinking(*_ROUND), _thinking(*_NEW_HEAD), path=CONVERSE_BOUND
    ),
    _converse(
        "a message before bound reasoning changed, and it is dropped",
        "",
        _thinking(*_ROUND),
        _dropping(*_NEW_HEAD),
        path=CONVERSE_BOUND,
    ),
    _converse(
        "the compaction of another way in",
        "B4",
        converse(person(words("hi")), additionalModelRequestFields={"compaction": {"type": "summarize"}}),
        alone=False,
    ),
    _converse(
        "a field that is no compaction",
        "",
        converse(person(words("hi")), additionalModelRequestFields={"top_k": 5}),
        alone=False,
    ),
    _converse("tool blocks without a tool configuration", "B0", {"messages": list(_ROUND)}, alone=False),
    _converse("a blank text", "B0", converse(person(words(" ")))),
)

CASES: Final[tuple[Case, ...]] = (*_ANTHROPIC, *_CHAT, *_RESPONSES, *_GEMINI, *_BEDROCK)
"""Every rule that a request can break has at least one of each kind."""

RULES: Final = (
    *("A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11", "A13", "A14", "A15"),
    *("O1", "O2", "O3", "O4", "O6", "G1", "G2", "G3", "G4", "B1", "B2", "B3", "B4"),
)
"""The rules that a request can break: A12 and O5 say what the server does, and G5 is what G4 lets pass."""
