"""Compactions in histories of Pydantic AI."""

from __future__ import annotations

from typing import Any

from compaction_laws import gone, lawful, said, stands_for_it, survives_damage

from cenotaph.core.audit.model import Mechanism, Tier
from cenotaph.core.model import Provenance
from cenotaph.dialects.compactions.finding import chronicle_of
from cenotaph.dialects.compactions.pydantic_ai import chronicle

Record = dict[str, Any]
MARK = "pydantic-ai-harness.compaction.summary.v1"


def asked(*texts: str) -> Record:
    return {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text} for text in texts]}


def answered(*parts: Record | str) -> Record:
    told = [{"part_kind": "text", "content": part} if isinstance(part, str) else part for part in parts]
    return {"kind": "response", "parts": told, "usage": {}}


def compaction(content: str | None, **more: Any) -> Record:
    return {"part_kind": "compaction", "content": content, **more}


def harness_summary(text: str) -> Record:
    content = [{"kind": "text-content", "content": text, "metadata": {MARK: True}}]
    return {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": content}]}


TALK = [asked("never push"), answered("ok"), asked("go on")]


def test_a_providers_part_cuts_off_all_before_it_in_its_response_too() -> None:
    found = lawful(chronicle([*TALK, answered("first ", compaction("SUM"), "then"), asked("next")]))
    (event,) = found.events
    assert event.mechanism is Mechanism.pydantic_ai_summary
    assert gone(event) == ["never push", "ok", "go on", "first "]
    assert stands_for_it(event) == ["SUM"]
    assert said(found.messages[event.at :]) == ["then", "next"]
    assert event.complete
    assert not event.opaque


def test_an_encrypted_part_is_opaque() -> None:
    sealed = compaction(None, provider_name="openai", provider_details={"encrypted_content": "x"})
    (event,) = lawful(chronicle([*TALK, answered(sealed)])).events
    assert event.opaque
    assert event.tier is Tier.at_risk


def test_a_summary_of_the_application_in_a_request_is_one() -> None:
    request = {"kind": "request", "parts": [compaction("SUM"), *asked("next")["parts"]]}
    (event,) = lawful(chronicle([*TALK, request])).events
    assert gone(event) == ["never push", "ok", "go on"]
    assert "SUM" in stands_for_it(event)


def test_a_marked_prompt_is_a_summary_and_no_persons_word() -> None:
    (event,) = lawful(chronicle([harness_summary("Summary: x"), *TALK[1:]])).events
    assert event.after[0].parts[0].provenance is Provenance.foreign
    assert not event.complete
    assert event.removed == ()


def test_two_histories_show_both_sides() -> None:
    replaced = [harness_summary("Summary: x"), TALK[2]]
    (event,) = lawful(chronicle_of([TALK, [*replaced, answered("done")]])).events
    assert event.mechanism is Mechanism.pydantic_ai_summary
    assert gone(event) == ["never push", "ok"]
    assert said(event.after) == ["Summary: x", "go on"]
    assert event.complete


def test_a_history_without_a_summary_holds_no_event() -> None:
    assert lawful(chronicle(TALK)).events == ()


def test_torn_values_are_survived_or_refused() -> None:
    value: Any = [*TALK, answered("first ", compaction("SUM"), "then"), harness_summary("S"), asked("next")]
    survives_damage("pydantic-ai", value)
