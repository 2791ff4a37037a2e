"""Chats: what a person states stands after a compaction to a third, and what does not comes back."""

from __future__ import annotations

from collections import Counter

import pytest
from quicktok import Tokenizer

from cenotaph import IrreversibleCompactionError, Policy, Result, compact, rehydrate, verify
from cenotaph.testing.chat_phrases import LANGUAGES
from cenotaph.testing.chats import KINDS, Chat, Statement, as_anthropic, chats, detached, generate, stands, texts

SEEDS = range(10)
SHARE = 0.30
IN_VIEW_MIN = 0.95


def exact_tokens(messages: list[dict[str, str]]) -> int:
    """By the provider's published account: content, role and three tokens a message, three for the reply."""
    tokenizer = Tokenizer("o200k_base", "")
    return 3 + sum(3 + int(tokenizer.count(m["role"])) + int(tokenizer.count(m["content"])) for m in messages)


# The generator -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_chat_has_the_size_and_the_share_of_human_text_that_it_promises(seed: int) -> None:
    chat = generate(seed)
    tokenizer = Tokenizer("o200k_base", "")
    spoken = sum(tokenizer.count(m["content"]) for m in chat.messages if m["role"] == "user")
    total = exact_tokens(chat.messages)
    assert 40 <= sum(m["role"] == "user" for m in chat.messages) <= 120
    assert 15_000 <= total <= 60_000
    assert 0.3 <= spoken / total <= 0.6


@pytest.mark.parametrize("seed", SEEDS)
def test_each_statement_stands_verbatim_in_the_turn_that_it_names_and_once_only(seed: int) -> None:
    chat = generate(seed)
    said = [m["content"] for m in chat.messages if m["role"] == "user"]
    for statement in chat.statements:
        assert statement.text in said[statement.turn - 1]
        if statement.request is None:
            assert sum(statement.text in words for words in said) == 1, statement
        else:
            answered = chat.messages[2 * statement.turn - 2]
            assert answered["role"] == "assistant"
            assert answered["content"].endswith(statement.request)
            assert said[statement.turn - 1].startswith(statement.text)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_correction_comes_after_what_it_corrects_and_shares_its_subject(seed: int) -> None:
    chat = generate(seed)
    turns = {statement.text: statement.turn for statement in chat.statements}
    for statement in chat.statements:
        assert (statement.corrects is not None) == (statement.kind == "correction")
        if statement.corrects is not None:
            assert turns[statement.corrects] < statement.turn


def test_the_phrasings_are_many_and_in_five_languages() -> None:
    phrasings = {
        phrase
        for language in LANGUAGES.values()
        for group in (
            *language.statements.values(),
            language.consents,
            *((pair.first, pair.second) for pair in language.pairs),
        )
        for phrase in group
    }
    assert len(phrasings) >= 150
    assert set(LANGUAGES) == {"en", "de", "fr", "es", "ja"}
    made = Counter((s.kind, s.language) for chat in chats(40) for s in chat.statements)
    assert {kind for kind, _ in made} == set(KINDS)
    assert all(any(language == code for _, language in made) for code in LANGUAGES)


def test_the_same_seed_gives_the_same_chat_and_another_one_another() -> None:
    assert generate(3) == generate(3)
    assert generate(3).messages != generate(4).messages


def test_the_request_of_the_messages_api_says_the_same() -> None:
    chat = generate(1)
    request = as_anthropic(chat)
    assert [request["system"], *texts(request["messages"])] == list(texts(chat.messages))
    assert compact(request, to_tokens=1 << 40).messages == request["messages"]


# The oracle ----------------------------------------------------------------------------------


def test_an_approval_stands_only_behind_its_own_question() -> None:
    asked = [Statement("yes", "approval", "en", 2, "May I?"), Statement("yes", "approval", "en", 4, "Shall I?")]
    chat = Chat(0, "en", [], asked)
    assert stands(asked[0], "May I?\nyes")
    assert not stands(asked[0], "yes\nMay I?")
    assert not stands(asked[0], "yes")
    assert detached(chat, "May I?\nyes\nShall I?\nyes") == []
    assert detached(chat, "May I?\nShall I?\nyes") == [asked[0]]


def test_a_correction_stands_only_behind_what_it_corrects() -> None:
    statement = Statement("No, 9.", "correction", "en", 9, corrects="It is 8.")
    assert stands(statement, "It is 8.\nNo, 9.")
    assert not stands(statement, "No, 9.\nIt is 8.")
    assert not stands(statement, "No, 9.")


# The law -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('chats') / 'chats.db'}"


@pytest.fixture(scope="module")
def compacted(store: str) -> list[tuple[Chat, Result]]:
    """Ten chats, each at a third of its size."""
    found = []
    for seed in SEEDS:
        chat = generate(seed)
        result = compact(
            chat.messages,
            to_tokens=int(exact_tokens(chat.messages) * SHARE),
            model="gpt-4o",
            store=store,
            session=f"chat-{seed}",
            policy=Policy.archive("test"),
        )
        found.append((chat, result))
    return found


@pytest.mark.slow
def test_no_view_is_above_its_target_by_a_count_of_its_own(compacted: list[tuple[Chat, Result]]) -> None:
    for chat, result in compacted:
        target = int(exact_tokens(chat.messages) * SHARE)
        assert result.tokens_after <= target
        assert exact_tokens(result.messages) <= target


@pytest.mark.slow
def test_what_was_stated_stands_in_the_view_or_comes_back_by_its_handle_or_turn(
    compacted: list[tuple[Chat, Result]], store: str
) -> None:
    standing, stated, lost = 0, 0, []
    for chat, result in compacted:
        view = "\n".join(texts(result.messages))
        assert detached(chat, view) == []
        for statement in chat.statements:
            stated += 1
            if stands(statement, view):
                standing += 1
            elif not comes_back(statement, store, result.session):
                lost.append((chat.seed, statement))
    assert lost == []
    assert standing / stated >= IN_VIEW_MIN


@pytest.mark.slow
def test_the_store_of_the_chats_is_clean_to_the_byte(compacted: list[tuple[Chat, Result]], store: str) -> None:
    assert compacted
    assert verify(store, read_data=True).findings == ()


def comes_back(statement: Statement, store: str, session: str) -> bool:
    for what in (statement.handle, f"t{statement.turn}"):
        if what is None:
            continue
        try:
            found = rehydrate(what, store=store, session=session)
        except IrreversibleCompactionError:
            continue
        if any(statement.text in one.text for one in found):
            return True
    return False
