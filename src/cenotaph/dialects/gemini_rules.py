"""Rules of the Gemini API on the contents of a request: one function per rule, each with its source.

A breach is data: an input may break rules before we ever touch it. The end of the list is treated as
the present: calls of a final model turn are not yet answered, which is no breach until a content
follows.

Two turns of one role in a row are no breach: the API takes a person's turn after a turn of function
responses. What it does not take is a call that follows the model's own turn (G1), and any count of
responses but that of the calls (G2).
"""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Callable, Iterator, Mapping, Sequence

from cenotaph.core.ids import JSON, verbatim_json
from cenotaph.core.model import Breach
from cenotaph.dialects.content import role_of, string_of
from cenotaph.dialects.gemini_fields import (
    calls_in,
    data_keys,
    field_of,
    has_responses,
    parts_of,
    responses_in,
    signature_of,
)
from cenotaph.dialects.rule_text import Check, asked, found_by, messages_in

Rule = Callable[[Sequence[JSON]], list[Breach]]

SENTINEL = "skip_thought_signature_validator"
"""What may stand for the signature of a call that no model made (G5); the one that is written here."""

SENTINELS = frozenset({SENTINEL, "context_engineering_is_the_way_to_go"})
"""Both words that the API takes there."""

_ROLES = frozenset({"user", "model", "function", ""})


def _is_model(content: JSON) -> bool:
    return role_of(content) == "model"


# Calls and responses -------------------------------------------------------------------------


def calls_follow_the_other_side(contents: Sequence[JSON]) -> list[Breach]:
    """G1: a model turn with a call comes right after a user turn or a function-response turn.

    Source: the API's error text "function call turn comes immediately after a user turn or after a
    function response turn" (langchain-ai/langchainjs#9272).
    """
    return [
        Breach("G1", index, "a call whose content follows no turn of the user or of responses")
        for index, content in enumerate(contents)
        if calls_in(content) and (index == 0 or _is_model(contents[index - 1]))
    ]


def calls_answered_next(contents: Sequence[JSON]) -> list[Breach]:
    """G2: the next content has exactly as many responses as there are calls, matched by id, else by name.

    Source: the API's error text "the number of function response parts is equal to the number of function
    call parts of the function call turn" (TanStack/ai#894, maximhq/bifrost#1387).
    """
    found: list[Breach] = []
    for index, content in enumerate(contents[:-1]):
        calls, answers = calls_in(content), responses_in(contents[index + 1])
        if not calls:
            continue
        if Multiset(_matches(calls, answers)) != Multiset(_matches(answers, calls)):
            note = f"{len(calls)} calls, and the {len(answers)} responses in the next content are not theirs"
            found.append(Breach("G2", index, note))
    return found


def _matches(mine: Sequence[Mapping[str, JSON]], others: Sequence[Mapping[str, JSON]]) -> list[str]:
    """By what each is matched: its id where both sides give ids, else its name."""
    by_id = all(string_of(item.get("id")) for item in (*mine, *others))
    return [str(item.get("id" if by_id else "name")) for item in mine]


def responses_follow_their_calls(contents: Sequence[JSON]) -> list[Breach]:
    """G3: a function-response turn comes right after the turn of its calls.

    Source: the API's error text, in google-gemini/gemini-cli#26691.
    """
    return [
        Breach("G3", index, "responses in a content that follows no turn with calls")
        for index, content in enumerate(contents)
        if has_responses(content) and (index == 0 or not calls_in(contents[index - 1]))
    ]


# Thought signatures --------------------------------------------------------------------------


def _current_turn(contents: Sequence[JSON]) -> int:
    """Index of the newest content in which somebody other than the model and the tools speaks."""
    speaks = (
        index
        for index, content in enumerate(contents)
        if not _is_model(content) and not has_responses(content) and parts_of(content)
    )
    return max(speaks, default=0)


def _first_call(content: JSON) -> Mapping[str, JSON] | None:
    calls = (part for part in parts_of(content) if isinstance(field_of(part, "functionCall"), Mapping))
    return next(calls, None) if _is_model(content) else None


def steps_signed_alike(contents: Sequence[JSON]) -> list[Breach]:
    """G4: in the current turn the first call of each step is signed, if any model signed one there.

    Gemini 3 signs the first call of each step and refuses a step without; older models may sign none,
    and earlier turns are not checked. A sentinel (G5) counts as signed, and asks nothing of the others.
    Source: ai.google.dev/gemini-api/docs/thought-signatures, spring-projects/spring-ai#4977.
    """
    start = _current_turn(contents)
    after = list(enumerate(contents))[start:]
    steps = [(index, call) for index, content in after if (call := _first_call(content)) is not None]
    signatures = {signature_of(call) for _, call in steps}
    if not signatures - {None, *SENTINELS}:
        return []
    unsigned = [index for index, call in steps if signature_of(call) is None]
    return [Breach("G4", index, "a step whose first call is not signed") for index in unsigned]


def signature_breaches(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    """G4 on a cut: every call part of `after` is one of `before` to the byte, its signature with it.

    Args:
        before: The contents as they were.
        after: The contents to send. Calls that carry a sentinel are the business of G5.

    Source: as G4: a signature goes back exactly where and as it was returned.
    """
    known = {verbatim_json(part) for content in before for part in parts_of(content)}
    return [
        Breach("G4", index, "a call that is not one of the original's, or whose signature is not its own")
        for index, content in enumerate(after)
        for part in parts_of(content)
        if field_of(part, "functionCall") is not None
        and signature_of(part) not in SENTINELS
        and verbatim_json(part) not in known
    ]


def sentinels_on_calls(contents: Sequence[JSON]) -> list[Breach]:
    """G5: a sentinel stands for the signature of a call, never for that of another part.

    Whether a model made the call is not in the request; a cut shows it. Source: the questions at the end of
    ai.google.dev/gemini-api/docs/thought-signatures (quoted in elastic/kibana#243463); erain/glue v1.8.0.
    """
    return [
        Breach("G5", index, "a sentinel in place of a signature on a part that is no call")
        for index, content in enumerate(contents)
        for part in parts_of(content)
        if signature_of(part) in SENTINELS and field_of(part, "functionCall") is None
    ]


def sentinel_breaches(before: Sequence[JSON], after: Sequence[JSON]) -> list[Breach]:
    """G5 on a cut: a call that a model signed goes back with its signature, not with a sentinel.

    Args:
        before: The contents as they were.
        after: The contents to send.

    Source: as G4 and G5: the sentinel is for calls that no model made.
    """
    signed = [
        field_of(part, "functionCall")
        for content in before
        for part in parts_of(content)
        if signature_of(part) not in (None, *SENTINELS)
    ]
    return [
        Breach("G5", index, "a sentinel in place of the signature that the model gave")
        for index, content in enumerate(after)
        for part in parts_of(content)
        if signature_of(part) in SENTINELS and field_of(part, "functionCall") in signed
    ]


# Shapes --------------------------------------------------------------------------------------


def first_is_user(contents: Sequence[JSON]) -> list[Breach]:
    """G-first-user: the contents start with a user's turn. Source: as G1; a responses' turn breaks G3."""
    if contents and _is_model(contents[0]):
        return [Breach("G-first-user", 0, "the first content is the model's")]
    return []


def roles_known(contents: Sequence[JSON]) -> list[Breach]:
    """G-role: a content is an object with the role user, model or function; without one it is the user's.

    Source: the API's error text "Please use a valid role: user, model"; `function` is the SDKs' older name.
    """
    return [
        Breach("G-role", index, f"role {role_of(content)!r} is not one of user, model, function")
        for index, content in enumerate(contents)
        if not _has_known_role(content)
    ]


def _has_known_role(content: JSON) -> bool:
    if not isinstance(content, Mapping):
        return False
    role = content.get("role")
    return role is None or (isinstance(role, str) and role in _ROLES)


def parts_present(contents: Sequence[JSON]) -> list[Breach]:
    """G-empty-parts: each content has a part. Source: the API's error text "contents.parts must not be empty"."""
    return [
        Breach("G-empty-parts", index, "a content without parts")
        for index, content in enumerate(contents)
        if not parts_of(content)
    ]


def parts_hold_data(contents: Sequence[JSON]) -> list[Breach]:
    """G-empty-part: each part holds data; a field that is not known here counts as data.

    Source: the API's error text "required oneof field 'data' must have one initialized field".
    """
    return [
        Breach("G-empty-part", index, "a part that holds nothing")
        for index, content in enumerate(contents)
        for part in parts_of(content)
        if not data_keys(part)
    ]


def functions_well_formed(contents: Sequence[JSON]) -> list[Breach]:
    """G-part-shape: a call has a name and stands in a model turn; a response has a name and an object.

    Source: the API reference of FunctionCall and FunctionResponse: both fields are required.
    """
    found: list[Breach] = []
    for index, content in enumerate(contents):
        model = _is_model(content)
        for part in parts_of(content):
            call, response = field_of(part, "functionCall"), field_of(part, "functionResponse")
            if call is not None and not (model and isinstance(call, Mapping) and string_of(call.get("name"))):
                found.append(Breach("G-part-shape", index, "a call without a name, or not in a model turn"))
            if response is not None and (model or not _is_response(response)):
                note = "a response without a name or an object, or in a model turn"
                found.append(Breach("G-part-shape", index, note))
    return found


def _is_response(value: JSON) -> bool:
    if not isinstance(value, Mapping) or string_of(value.get("name")) is None:
        return False
    return isinstance(value.get("response"), Mapping)


RULES: tuple[Rule, ...] = (
    calls_follow_the_other_side,
    calls_answered_next,
    responses_follow_their_calls,
    steps_signed_alike,
    sentinels_on_calls,
    first_is_user,
    roles_known,
    parts_present,
    parts_hold_data,
    functions_well_formed,
)
"""Every rule that the contents alone can break."""


CUT_RULES = (signature_breaches, sentinel_breaches)
"""What a cut can break, seen from both sides."""


def checks(
    contents: Sequence[JSON], body: Mapping[str, JSON] | None = None, *, tools: bool | None = None
) -> Iterator[Check]:
    """Asks every rule in order; nothing of the request around them is asked for."""
    return asked(RULES, contents)


def breaches(contents: Sequence[JSON]) -> list[Breach]:
    """Every rule that the contents break, rule by rule."""
    return found_by(checks(contents))


def request_breaches(body: Mapping[str, JSON]) -> list[Breach]:
    """Every rule that a whole request body breaks."""
    contents = messages_in(body, "contents")
    if contents is None:
        return [Breach("G-role", -1, "the body has no list of contents")]
    return found_by(checks(contents, body))
