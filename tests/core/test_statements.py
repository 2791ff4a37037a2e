"""Sentences, why one ranks, what one forbids, and which states of a plan a text names."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.plans import STATES
from cenotaph.core.statements import REASONS, denials, polarity, sentences, states, weights
from cenotaph.core.wording import LANGUAGES, PLAN_STATES

BREAKS = "\n\r\t\v\f\x1c\x1d\x1e\x85\u2028\u2029"
PIECES = (
    ". ",
    "! ",
    "? ",
    "。",
    "e.g. ",
    "Dr. ",
    "3.5 ",
    "a",
    "B",
    "1. ",
    "| ",
    "# ",
    "`",
    "```",
    "~~~",
    "- ",
    "(",
    ")",
)
TEXTS = st.one_of(
    st.text(), st.lists(st.sampled_from((*PIECES, *BREAKS, " ", '"', "”", "\x00", "\u3000"))).map("".join)
)


def split(text: str) -> list[str]:
    return [text[sentence.start : sentence.end] for sentence in sentences(text)]


@given(TEXTS)
def test_every_character_that_is_no_space_lies_in_exactly_one_sentence(text: str) -> None:
    found = sentences(text)
    covered = [at for sentence in found for at in range(sentence.start, sentence.end)]
    assert covered == sorted(set(covered))
    left = [c for at, c in enumerate(text) if at not in set(covered)]
    assert all(c.isspace() or unicodedata.category(c) == "Cc" for c in left)


@given(TEXTS)
def test_a_sentence_is_one_line_without_space_around_it(text: str) -> None:
    for sentence in split(text):
        assert sentence
        assert sentence == sentence.strip()
        assert not any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in sentence)


@given(TEXTS)
def test_a_state_lies_in_its_text_and_none_overlaps_another(text: str) -> None:
    last = 0
    for start, end, state in states(text):
        assert last <= start < end <= len(text)
        assert state in STATES
        last = end


@given(st.text())
def test_reasons_and_polarities_are_among_those_that_are_named(text: str) -> None:
    assert weights(text) <= set(REASONS)
    assert polarity(text) in ("must_not", "must", "may", "none")
    assert denials(text) >= 0


@pytest.mark.parametrize(
    "text",
    [
        "See src/app.py and https://example.org/a.b?c=d. for more.",
        "It needs v1.2.3 or 3.11 at 3.5 s.",
        "Use a cache, e.g. Redis, i.e. not a file.",
        "Ask Dr. Smith vs. Mr. Jones about approx. 5 of them.",
        "Am 3. Mai und im 2. Quartal, z.B. Berlin.",
        "Write to a.b@example.org today.",
        "Call foo.bar() and ./run.sh now.",
        "He waited... and then left.",
        '"Stop!" he said.',
        "No. 5 and Fig. 3 are wrong.",
        "The U.S. Navy and J. Smith agree.",
        "1. Do it",
        "a) Do it",
        "| a. B | c. D |",
        "## 1. Title. And more",
        "x = 1. + y;  // Ends. Here;",
        "$ echo Done. Next",
    ],
)
def test_abbreviations_names_numbers_and_whole_lines_do_not_split(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("It is v1.2. Ship it! Really? Yes.", ["It is v1.2.", "Ship it!", "Really?", "Yes."]),
        ("Edit src/app.py. Then stop.", ["Edit src/app.py.", "Then stop."]),
        ("Set it to 500. Then restart.", ["Set it to 500.", "Then restart."]),
        ("He said “no.” She left.", ["He said “no.”", "She left."]),
        ("(It failed.) We retried.", ["(It failed.)", "We retried."]),
        ("Should I? No. Use main.", ["Should I?", "No.", "Use main."]),
        ("it works on staging. then we waited.", ["it works on staging.", "then we waited."]),
        ("- one\n- two. Three\n\n# Head\ntext", ["- one", "- two.", "Three", "# Head", "text"]),
        ("别动生产。先跑测试！好吗？好", ["别动生产。", "先跑测试！", "好吗？", "好"]),
        ("触らないで。「はい。」次へ", ["触らないで。", "「はい。」", "次へ"]),
        ("यह मत करो। फिर बताओ।", ["यह मत करो।", "फिर बताओ।"]),
        ("هل تم؟ نعم.", ["هل تم؟", "نعم."]),
        ("a\r\nb\rc\x0bd\u2028e\x85f\tg\x00h", list("abcdefgh")),
        ("```\nx. Y\n```\nx. Yes no. Go", ["```", "x. Y", "```", "x. Yes no.", "Go"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_sentences_end_where_a_reader_would_say_so(text: str, parts: list[str]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize(
    "sentence",
    [
        "The weather was lovely and we walked along the river.",
        "Thanks, that looks great!",
        "Das Wetter war schön und wir gingen am Fluss entlang.",
        "Nous avons marché le long de la rivière avec les enfants.",
        "Ela trabalha no banco com os amigos.",
        "El tren llegó con mucho ruido a la estación.",
        "Il treno arriva dalla montagna con la neve.",
        "De trein reed langs het water en de bomen.",
        "Поезд шёл вдоль реки и леса.",
        "昨天我和他去了河边。",
        "昨日は川のそばを歩きました。",
        "어제 우리는 강가를 걸었습니다.",
        "---",
        "",
        "}",
    ],
)
def test_what_says_nothing_of_weight_may_go_first(sentence: str) -> None:
    assert weights(sentence) == frozenset()


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("We never do that.", "negation"),
        ("It doesn’t matter to them.", "negation"),
        ("Das ist nicht so.", "negation"),
        ("Ce n'est pas le cas.", "negation"),
        ("Eso nunca pasa.", "negation"),
        ("Isso não é assim.", "negation"),
        ("Non è così.", "negation"),
        ("Dat is niet zo.", "negation"),
        ("Это не так.", "negation"),
        ("这不是我的。", "negation"),
        ("それは違うので使わない。", "negation"),
        ("그것은 하지 않습니다.", "negation"),
        ("هذا ليس صحيحا.", "negation"),
        ("यह नहीं है।", "negation"),
        ("🚫", "negation"),
        ("You must do this.", "modality"),
        ("Das muss so sein.", "modality"),
        ("Il faut le faire.", "modality"),
        ("There are 12 of them.", "number"),
        ("There are twelve of them.", "number"),
        ("It is in src/app.py here.", "handle"),
        ("I would rather have tea.", "preference"),
        ("Ich möchte lieber Tee.", "preference"),
        ("We decided on tea.", "decision"),
        ("yes", "decision"),
        ("It is still pending.", "state"),
        ("Das ist noch ausstehend.", "state"),
        ("It failed again.", "outcome"),
        ("✅", "outcome"),
        ("Üretim veritabanına dokunma", "unknown_language"),
        ("Nie wdrażaj tego w piątek", "unknown_language"),
        ("Μην αγγίξεις τη βάση", "unknown_language"),
        ("ห้ามแก้ไขฐานข้อมูล", "unknown_language"),
    ],
)
def test_a_sentence_ranks_by_the_kind_of_its_words(sentence: str, reason: str) -> None:
    assert reason in weights(sentence)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
@pytest.mark.parametrize("field", ["negation", "modality", "preference", "decision", "state", "outcome"])
def test_every_entry_of_every_list_ranks(language: object, field: str) -> None:
    innocent = {word for other in LANGUAGES for word in other.innocent.split()}  # a lone word may be another language's
    for entry in getattr(language, field).split():
        word = entry.removesuffix("*").replace("_", " ")
        word += "est" if word.endswith("'") else ""
        assert field in weights(word) or word.strip() in innocent, entry


def test_a_language_takes_back_what_another_one_ranks() -> None:
    assert "negation" not in weights("Ela trabalha no banco com os amigos")
    assert "negation" in weights("no, that is not it")


@pytest.mark.parametrize(
    ("sentence", "reading"),
    [
        ("Do not modify anything under `/etc/prod/` - read-only", "must_not"),
        ("do not modify anything under /etc/prod/", "must_not"),
        ("Please don’t touch it.", "must_not"),
        ("You cannot deploy on Fridays.", "must_not"),
        ("Never push to main.", "must_not"),
        ("No deploys on Friday.", "must_not"),
        ("Nobody is allowed to log in.", "must_not"),
        ("You may read it but must not write it.", "must_not"),
        ("Avoid the old cluster.", "must_not"),
        ("Bitte nichts unter /etc/prod ändern.", "must_not"),
        ("Die Datei darf nicht geändert werden.", "must_not"),
        ("Ne touchez pas à la base.", "must_not"),
        ("No modifiques nada.", "must_not"),
        ("Não altere o banco.", "must_not"),
        ("Non modificare il database.", "must_not"),
        ("Raak de database niet aan, dat mag niet.", "must_not"),
        ("Не трогай базу.", "must_not"),
        ("Базу сегодня не трогайте.", "must_not"),
        ("不要修改生产数据库。", "must_not"),
        ("本番データベースには書き込まないでください。", "must_not"),
        ("데이터베이스를 수정하지 마세요.", "must_not"),
        ("لا تعدل قاعدة البيانات", "must_not"),
        ("डेटाबेस को मत बदलो", "must_not"),
        ("Always run the tests.", "must"),
        ("You have to run it.", "must"),
        ("Do not forget to run it.", "must"),
        ("Du musst es tun.", "must"),
        ("必须先运行测试", "must"),
        ("You may edit it.", "may"),
        ("You do not need to run it.", "may"),
        ("Feel free to look.", "may"),
        ("你可以修改", "may"),
        ("I do not know why.", "none"),
        ("They don't agree.", "none"),
        ("The tests passed.", "none"),
        ("", "none"),
    ],
)
def test_a_sentence_is_read_as_strictly_as_its_words_allow(sentence: str, reading: str) -> None:
    assert polarity(sentence) == reading


@pytest.mark.parametrize("state", STATES)
def test_every_word_of_every_state_names_it(state: str) -> None:
    for entry in PLAN_STATES[state].split():
        text = entry.removesuffix("*").replace("_", " ")
        assert [found for _, _, found in states(text)] == [state], entry


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("blocked: waits for approval of X", [("blocked: waits for approval of X", "blocked")]),
        ("Step 3 is BLOCKED on human approval (CHG-1). Next.", [("BLOCKED on human approval (CHG-1)", "blocked")]),
        ("pending (needs a window), later", [("pending (needs a window)", "pending")]),
        ("1 done, 2 blocked: waits; 3 in_progress", [("done", "done"), ("blocked: waits", "blocked"),
                                                      ("in_progress", "in_progress")]),
        ("- [x] a\n- [ ] b\n- [~] c\n- [!] d\n- [-] e", [("[x]", "done"), ("[ ]", "pending"), ("[~]", "in_progress"),
                                                        ("[!]", "blocked"), ("[-]", "cancelled")]),
        ("pending (needs a window", [("pending", "pending")]),
        ("It is not done yet", [("not done", "pending")]),
        ("It isn't blocked", []),
        ("It is no longer blocked", []),
        ("a[x] and [x]", []),
        ("阻塞", [("阻塞", "blocked")]),
        ("erledigt; storniert", [("erledigt", "done"), ("storniert", "cancelled")]),
    ],
)  # fmt: skip
def test_a_state_is_found_with_the_words_that_qualify_it(text: str, named: list[tuple[str, str]]) -> None:
    assert [(text[start:end], state) for start, end, state in states(text)] == named
