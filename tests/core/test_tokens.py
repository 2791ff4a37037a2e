"""Laws of the estimate, its calibration and what stands around the text."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.model import Kind, Media, Part, Provenance
from cenotaph.core.tokens import (
    CalibratedCounter,
    Calibration,
    EstimatedCounter,
    Vocabulary,
    calibrate,
    estimate_tokens,
    media_tokens,
    message_framing,
)

PROSE = (
    "The deployment failed because the migration had locked the accounts table for eleven minutes. "
    "We rolled it back, and the on-call engineer asked that nobody run schema changes during business hours. "
) * 6
CODE = (
    "def merge(left: list[int], right: list[int]) -> list[int]:\n"
    "    out: list[int] = []\n"
    "    while left and right:\n"
    "        out.append(left.pop(0) if left[0] <= right[0] else right.pop(0))\n"
    "    return out + left + right\n\n"
) * 5
MINIFIED = (
    "!function(t,e){var n=t.length;for(var r=0;r<n;r++){e(t[r],r)}"
    "return{a:n,b:function(i){return i*2}}}(x,y);" * 8
)
DATA = b"".join(hashlib.sha256(bytes((i,))).digest() for i in range(24))
UUIDS = "\n".join(hashlib.md5(bytes((i,))).hexdigest() for i in range(24))
JSON_TEXT = json.dumps(
    [
        {
            "id": i * 7919,
            "name": f"user{i}",
            "ok": True,
            "score": i / 7,
            "at": f"2026-01-{i + 1:02d}T08:00:00Z",
        }
        for i in range(20)
    ]
)
RUSSIAN = "Развёртывание не удалось, потому что миграция заблокировала таблицу на одиннадцать минут. " * 8
CHINESE = "部署失败了，因为迁移把账户表锁定了十一分钟。我们已经回滚，请不要在工作时间修改数据库结构。" * 8
JAPANESE = "マイグレーションがテーブルを十一分間ロックしたため、デプロイは失敗しました。" * 8
KOREAN = "마이그레이션이 테이블을 십일 분 동안 잠갔기 때문에 배포가 실패했습니다. " * 8
ARABIC = "فشل النشر لأن عملية الترحيل أغلقت جدول الحسابات لمدة إحدى عشرة دقيقة. " * 8
THAI = "การติดตั้งล้มเหลวเพราะการย้ายข้อมูลล็อกตารางบัญชีเป็นเวลาสิบเอ็ดนาที " * 8
HINDI = "तैनाती विफल रही क्योंकि माइग्रेशन ने खातों की तालिका को ग्यारह मिनट तक बंद रखा। " * 8
EMOJI = "✅ done 🚀 shipped 🎉 👍🏽 ❤️ 🔥 " * 20
INDENTED = "".join("    " * (i % 6) + ("return x\n" if i % 3 else "if a:\n") for i in range(120))
LOG = "\n".join(
    f"2026-01-05 08:{i:02d}:11,042 INFO [worker-{i % 5}] status=200 took={i * 1.37:.2f}ms" for i in range(40)
)

KINDS: dict[str, tuple[str, int, int, int]] = {
    "prose": (PROSE, 217, 343, 343),
    "code": (CODE, 374, 409, 409),
    "minified": (MINIFIED, 464, 488, 488),
    "json": (JSON_TEXT, 1004, 1084, 1370),
    "base64": (base64.b64encode(DATA).decode(), 885, 963, 963),
    "hex": (DATA.hex(), 884, 988, 1338),
    "hashes in lines": (UUIDS, 463, 521, 688),
    "russian": (RUSSIAN, 289, 289, 289),
    "chinese": (CHINESE, 393, 392, 393),
    "japanese": (JAPANESE, 272, 272, 280),
    "korean": (KOREAN, 345, 344, 345),
    "arabic": (ARABIC, 385, 385, 393),
    "thai": (THAI, 489, 489, 489),
    "hindi": (HINDI, 433, 433, 640),
    "emoji": (EMOJI, 640, 679, 679),
    "indented": (INDENTED, 519, 519, 519),
    "log": (LOG, 1280, 1439, 1711),
}
"""Text, and its tokens in the vocabularies of `Vocabulary`, in order. Claude's by an independent
reconstruction of its tokenizer (ctok 1.3.0, frame of the message taken off); the last is the most
of these and of o200k_base, cl100k_base, Llama 3 and Qwen 3."""

vocabularies = pytest.mark.parametrize("vocabulary", list(Vocabulary))
text_without_surrogates = st.text(max_size=300)


@vocabularies
@pytest.mark.parametrize("kind", KINDS)
def test_no_ordinary_kind_of_text_is_under_counted_by_more_than_two_percent(
    kind: str, vocabulary: Vocabulary
) -> None:
    text, *true = KINDS[kind]
    assert estimate_tokens(text, vocabulary) >= 0.98 * true[list(Vocabulary).index(vocabulary)]


@vocabularies
def test_the_estimate_of_all_kinds_together_is_at_most_a_third_above_the_truth(
    vocabulary: Vocabulary,
) -> None:
    column = list(Vocabulary).index(vocabulary)
    ratios = [estimate_tokens(text, vocabulary) / true[column] for text, *true in KINDS.values()]
    assert sum(ratios) / len(ratios) <= 1.34


@vocabularies
def test_only_empty_text_is_free(vocabulary: Vocabulary) -> None:
    assert estimate_tokens("", vocabulary) == 0
    for character in ("a", " ", "\n", "\0", "\ud800", "中", "👍"):
        assert estimate_tokens(character, vocabulary) >= 1


@vocabularies
@given(st.text(alphabet=st.characters(), max_size=200))
def test_every_text_even_with_lone_surrogates_has_the_same_count_twice(
    vocabulary: Vocabulary, text: str
) -> None:
    first = estimate_tokens(text, vocabulary)
    assert first == estimate_tokens(text, vocabulary)
    assert (first > 0) == bool(text)


@vocabularies
@given(text_without_surrogates, text_without_surrogates)
def test_counting_in_two_parts_differs_from_counting_whole_only_by_the_join(
    vocabulary: Vocabulary, left: str, right: str
) -> None:
    whole = estimate_tokens(left + right, vocabulary)
    parts = estimate_tokens(left, vocabulary) + estimate_tokens(right, vocabulary)
    assert abs(whole - parts) <= 24


@vocabularies
@given(text_without_surrogates, text_without_surrogates)
def test_more_text_never_counts_less_than_the_part_it_begins_with(
    vocabulary: Vocabulary, left: str, right: str
) -> None:
    # 16 rule characters collapse to 9, and the end of a word is counted where the word ends
    assert estimate_tokens(left + right, vocabulary) >= estimate_tokens(left, vocabulary) - 4


@pytest.mark.parametrize("unit", ["a", "A", " ", "\n", "0", "=", "-", "中", "ab ", "\u0301", "'"])
@vocabularies
def test_a_run_ten_times_as_long_counts_at_most_ten_times_as_much(vocabulary: Vocabulary, unit: str) -> None:
    assert estimate_tokens(unit * 20_000, vocabulary) <= 10 * estimate_tokens(unit * 2_000, vocabulary) + 200


@vocabularies
def test_no_text_counts_more_than_four_tokens_per_byte(vocabulary: Vocabulary) -> None:
    for text in (PROSE, EMOJI, "aB1'" * 500, "'|'" * 500, "\n" * 500, THAI):
        assert estimate_tokens(text, vocabulary) <= 4 * len(text.encode())


def test_letters_that_form_no_word_cost_nearly_a_token_each() -> None:
    assert estimate_tokens("a" * 4_800, Vocabulary.claude_4_7) >= 4_600


def test_newer_claude_vocabulary_counts_prose_a_third_higher_than_the_older_one() -> None:
    older, newer = (estimate_tokens(PROSE, v) for v in (Vocabulary.claude_3, Vocabulary.claude_4_7))
    assert newer >= 1.25 * older


def test_the_counter_agrees_with_the_function_also_for_texts_it_has_seen() -> None:
    counter = EstimatedCounter(Vocabulary.claude_3)
    for text in ("ok", "ok", PROSE, PROSE, "ok"):
        assert counter.count(text) == estimate_tokens(text, Vocabulary.claude_3)


def test_a_short_text_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def spy(text: str, vocabulary: Vocabulary) -> int:
        calls.append(text)
        return 7

    monkeypatch.setattr("cenotaph.core.tokens.estimate_tokens", spy)
    counter = EstimatedCounter(Vocabulary.claude_3)
    assert [counter.count("ok") for _ in range(50)] == [7] * 50
    assert calls == ["ok"]


def test_the_memory_of_short_texts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cenotaph.core.tokens._MEMO_ENTRIES_MAX", 10)
    counter = EstimatedCounter(Vocabulary.claude_3)
    for i in range(100):
        counter.count(f"text {i}")
    assert len(counter._memo) <= 10


def test_an_estimate_never_calls_itself_exact() -> None:
    for vocabulary in Vocabulary:
        counter = EstimatedCounter(vocabulary)
        assert counter.basis == "estimated"
        assert counter.name == f"{vocabulary.value} estimate"


# Around the text


def picture() -> Part:
    return Part(Kind.media, Provenance.user, ("content", 0), ("content", 0), "")


def pictures(*media: Media, images: int = 0) -> Part:
    kind = Kind.result if images else Kind.media
    return Part(kind, Provenance.tool, ("content", 0), ("content", 0), "", images=images, media=media)


WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse")


def test_an_unknown_wire_is_framed_by_the_most_of_all() -> None:
    unknown = message_framing("something-else")
    for wire in WIRES:
        assert all(a >= b >= 0 for a, b in zip(unknown, message_framing(wire), strict=True))


def test_an_image_of_an_unknown_provider_costs_the_most() -> None:
    for wire in WIRES:
        assert media_tokens(picture()) >= media_tokens(picture(), wire) > 0


def test_an_image_costs_an_older_claude_less_than_a_newer_one() -> None:
    older, newer = (
        EstimatedCounter(v, wire="anthropic") for v in (Vocabulary.claude_3, Vocabulary.claude_4_7)
    )
    assert 1_568 <= older.media(picture()) < newer.media(picture())


def test_a_claude_model_behind_another_wire_still_costs_what_claude_does() -> None:
    assert media_tokens(picture(), "openai-chat", Vocabulary.claude_4_7) == media_tokens(picture(), "anthropic")


def test_the_models_name_decides_before_the_wire() -> None:
    small = pictures(Media("image", width=512, height=512))
    assert media_tokens(small, "openai-chat", None, "gpt-4o") == 85 + 170
    assert media_tokens(small, "openai-chat", None, "gemini-3-pro") == 1_120
    assert EstimatedCounter(Vocabulary.unknown, wire="gemini", model="gemini-2.5-pro").media(small) == 258 * 4


@pytest.mark.parametrize("wire", ["", *WIRES])
def test_a_result_costs_the_sum_of_its_media_and_one_that_says_nothing_an_unknown_image_each(wire: str) -> None:
    one, other = Media("image", width=300, height=200), Media("image", width=1_000, height=900)
    both = media_tokens(pictures(one, other, images=2), wire)
    assert both == media_tokens(pictures(one), wire) + media_tokens(pictures(other), wire)
    assert media_tokens(pictures(one, images=3), wire) == (
        media_tokens(pictures(one), wire) + 2 * media_tokens(picture(), wire)
    )
    assert media_tokens(replace(pictures(images=1), images=0), wire) == 0


# Calibration


def line(factor: float, overhead: int, points: int = 20, step: int = 3_000) -> list[tuple[int, int]]:
    return [(i * step, round(factor * i * step) + overhead) for i in range(points)]


@given(st.floats(0.8, 1.5), st.integers(100, 60_000), st.integers(6, 200))
def test_factor_and_overhead_of_a_straight_line_are_found(factor: float, overhead: int, points: int) -> None:
    found = calibrate(line(factor, overhead, points))
    assert found.factor == pytest.approx(factor, abs=0.001)
    assert found.overhead == pytest.approx(overhead, abs=0.001 * 3_000 * points + 2)
    assert found.samples == points
    assert found.basis == f"calibrated by {points} reported counts"


@pytest.mark.parametrize("few", [line(1.2, 9_000, points=5), line(1.2, 9_000, points=50, step=10)])
def test_with_too_little_to_go_by_the_overhead_is_learned_and_nothing_is_scaled(few: list[tuple[int, int]]) -> None:
    found = calibrate(few)
    assert found.factor == 1.0
    assert found.overhead == max(y - x for x, y in few[-10:])
    assert found.basis == f"overhead by {len(few)} reported counts"


@pytest.mark.parametrize("none", [[], [(100, 0)], [(-1, 50)]])
def test_without_any_reported_count_nothing_is_known(none: list[tuple[int, int]]) -> None:
    found = calibrate(none)
    assert (found.factor, found.overhead, found.samples) == (1.0, 0, 0)
    assert found.basis.startswith("uncalibrated: ")


def test_one_reported_count_gives_the_overhead() -> None:
    assert calibrate([(400, 21_400)]).of(900) == 21_900


def test_a_fifth_of_wild_samples_does_not_move_the_factor() -> None:
    samples = line(1.1, 20_000, points=30)
    for i in range(2, 30, 6):
        samples[i] = (samples[i][0], samples[i][1] + 60_000)
    assert calibrate(samples).factor == pytest.approx(1.1, abs=0.03)


@pytest.mark.parametrize(("factor", "clamped"), [(0.2, 0.75), (5.0, 1.6), (-1.0, 0.75)])
def test_the_factor_stays_in_its_bounds(factor: float, clamped: float) -> None:
    assert calibrate(line(factor, 200_000)).factor == clamped


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=60))
def test_whatever_was_reported_the_overhead_is_never_negative_and_the_factor_bounded(
    samples: list[tuple[int, int]],
) -> None:
    found = calibrate(samples)
    assert found.overhead >= 0
    assert 0.75 <= found.factor <= 1.6


def test_the_newest_samples_lie_at_or_below_the_calibrated_line() -> None:
    samples = [(x, y + (x // 3_000 * 7_919) % 2_000) for x, y in line(1.05, 18_000, points=50)]
    found = calibrate(samples)
    assert all(y <= found.of(x) for x, y in samples[-10:])


@pytest.mark.parametrize("jump", [9_000, 60_000])
def test_what_a_client_adds_unseen_is_missed_once_and_known_from_then_on(jump: int) -> None:
    before, after = line(1.1, 20_000, points=40)[:30], line(1.1, 20_000 + jump, points=40)[30:]
    x, y = after[0]
    assert calibrate(before).of(x) < y  # nobody can know
    for known in range(1, 10):
        x, y = after[known]
        assert y <= calibrate([*before, *after[:known]]).of(x) <= 1.05 * y


def test_what_a_client_takes_back_is_known_after_ten_requests() -> None:
    samples = line(1.1, 60_000, points=40)[:20] + line(1.1, 20_000, points=40)[20:30]
    assert calibrate(samples).overhead == pytest.approx(20_000, abs=5_000)


def test_a_calibrated_count_is_the_estimate_times_the_factor_rounded_up() -> None:
    plain = EstimatedCounter(Vocabulary.claude_3)
    scaled = CalibratedCounter(plain, Calibration(1.25, 100, 9, "calibrated on 9 reported counts"))
    assert scaled.count(PROSE) == -(-plain.count(PROSE) * 5 // 4)
    assert scaled.count("") == 0
    assert scaled.media(picture()) == plain.media(picture())
    assert scaled.basis == "estimated"
    assert scaled.name == "claude-3 estimate x 1.25 (calibrated on 9 reported counts)"
    assert CalibratedCounter(plain, Calibration(1.0, 100, 1, "")).name == plain.name


def test_an_exact_counter_is_never_scaled() -> None:
    counter = EstimatedCounter(Vocabulary.claude_3)
    counter.basis = "exact"
    with pytest.raises(ValueError):
        CalibratedCounter(counter, Calibration(1.1, 0, 9, ""))


def test_a_factor_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError):
        CalibratedCounter(EstimatedCounter(Vocabulary.claude_3), Calibration(0.0, 0, 9, ""))
