"""Laws of the choice of a counter and of the exact one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cenotaph.core.model import Kind, Media, Part, Provenance
from cenotaph.core.tokens import CalibratedCounter, Calibration, Vocabulary, estimate_tokens
from cenotaph.errors import ConfigurationError
from cenotaph.runtime import counters
from cenotaph.runtime.counters import (
    EXACT_ENCODINGS,
    BytePairCounter,
    ReconstructedCounter,
    bare_model,
    counter_for,
)

O200K = BytePairCounter("o200k_base")
CL100K = BytePairCounter("cl100k_base")

VECTORS = [
    ("", 0, 0),
    ("a", 1, 1),
    ("hello world", 2, 2),
    ("Hello, World! I'm sure they'll've DON'T", 9, 12),
    ("def f(x):\n    return [i**2 for i in range(100)]  # 1+2+3==6\n", 28, 28),
    ('{"id": 12345678, "ok": true, "ratio": 0.3333}', 22, 22),
    ("   leading\n\ttabs and  spaces   \r\n windows lines \r\n\n\n", 14, 14),
    ("日本語のトークナイザー 中文 한국어", 11, 19),
    (
        "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e "
        "\u043f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440 \u0645\u0631\u062d\u0628\u0627",
        9,
        23,
    ),
    (
        "emoji \U0001f680\U0001f525\U0001f44d\U0001f3fd"
        " \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \u2764\ufe0f",
        19,
        32,
    ),
    ("<|endoftext|>", 7, 7),
    ("0123456789" * 3, 10, 10),
    ("camelCaseHTTPServer snake_case_name SCREAMING_CASE", 11, 11),
    ("https://example.com/a/b?q=1&x=2#frag", 15, 15),
    ("é café İstanbul ß ǅ Ⅷ ½ ²", 17, 18),
    ("'\u017fa a'\u017fb", 7, 9),
    ("\u0000\u0001\u200b\ufeff\u2028\u3000\u00a0", 7, 8),
    ("a" * 100 + " " * 100 + "\n" * 100 + "=" * 100, 24, 22),
]
"""Text, o200k_base, cl100k_base: computed with bpe-openai 0.1.4, an independent implementation."""

encodings = pytest.mark.parametrize("encoding", EXACT_ENCODINGS)


@pytest.mark.parametrize(("text", "o200k", "cl100k"), VECTORS)
def test_counts_are_those_of_an_independent_implementation(text: str, o200k: int, cl100k: int) -> None:
    assert (O200K.count(text), CL100K.count(text)) == (o200k, cl100k)


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),  # computed with bpe-openai 0.1.4
    [
        ("'ll\U00033206'll'S'SKB  a\u4e2d", 14, 13),
        ("B'\u017f'SK", 5, 6),
        ("\U00032db4'w", 6, 6),
        ("\U0003337c-S", 5, 6),
        ("\u088f-a", 5, 5),
        ("\ua7ce'wX", 6, 6),
    ],
)
def test_where_the_engine_reads_a_character_otherwise_the_count_is_not_too_low(
    text: str, o200k: int, cl100k: int
) -> None:
    assert o200k <= O200K.count(text) <= o200k + 2
    assert cl100k <= CL100K.count(text) <= cl100k + 2


def test_a_special_token_in_the_text_is_plain_text() -> None:
    for special in ("<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<|im_start|>"):
        assert O200K.count(special) > 1
        assert CL100K.count(special) > 1


@encodings
def test_a_lone_surrogate_counts_as_the_character_that_replaces_it(encoding: str) -> None:
    counter = BytePairCounter(encoding)
    assert counter.count("a\ud800b\udfff") == counter.count("a\ufffdb\ufffd")


@encodings
@settings(deadline=None)
@given(st.text(alphabet=st.characters(), max_size=200), st.text(alphabet=st.characters(), max_size=200))
def test_every_text_has_a_count_and_a_join_never_adds_tokens_beyond_a_few(
    encoding: str, left: str, right: str
) -> None:
    counter = BytePairCounter(encoding)
    whole, parts = counter.count(left + right), counter.count(left) + counter.count(right)
    assert 0 <= whole <= 6 * len(left + right)
    assert whole <= parts + 6


@encodings
@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_a_count_is_at_most_the_bytes_of_the_text(encoding: str, text: str) -> None:
    assert BytePairCounter(encoding).count(text) <= len(text.encode()) + 2 * len(text)


@encodings
@pytest.mark.parametrize("unit", ["a", " ", "\n", "0", "=", "中", "ab", "\u0301"])
def test_a_run_is_counted_as_its_tokens_repeated(encoding: str, unit: str) -> None:
    # linear growth of the count is what a tokenizer that scans a run once gives; 1 MB must come back at all
    counter = BytePairCounter(encoding)
    short, long = counter.count(unit * 10_000), counter.count(unit * 1_000_000)
    assert abs(long - 100 * short) <= 100


# Which counter


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5.6-sol", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini-2025-04-16", "o200k_base"),
        ("openai/gpt-5-codex", "o200k_base"),
        ("OpenAI/GPT-4o", "o200k_base"),
        ("openai.gpt-oss-20b-1:0", "o200k_base"),
        ("ft:gpt-4o-mini:acme/team::7p4lURel", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo-16k", "cl100k_base"),
        ("gpt-35-turbo", "cl100k_base"),
        ("text-embedding-3-large", "cl100k_base"),
    ],
)
def test_an_openai_model_is_counted_exactly(model: str, encoding: str) -> None:
    counter = counter_for(model=model, wire="openai-chat")
    assert (counter.name, counter.basis) == (encoding, "exact")


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("claude-3-5-sonnet-20241022", Vocabulary.claude_3),
        ("claude-opus-4-20250514", Vocabulary.claude_3),
        ("claude-opus-4-1", Vocabulary.claude_3),
        ("claude-sonnet-4@20250514", Vocabulary.claude_3),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", Vocabulary.claude_3),
        ("anthropic/claude-opus-4.6", Vocabulary.claude_3),
        ("claude-opus-4-7", Vocabulary.claude_4_7),
        ("anthropic/claude-opus-4.8", Vocabulary.claude_4_7),
        ("claude-sonnet-5", Vocabulary.claude_4_7),
        ("claude-haiku-5-5-20260901", Vocabulary.claude_4_7),
        ("claude-latest", Vocabulary.claude_4_7),
        ("global.anthropic.claude-opus-4-7-v1", Vocabulary.claude_4_7),
        ("openrouter/anthropic/claude-sonnet-4.5:beta", Vocabulary.claude_3),
        ("publishers/anthropic/models/claude-3-haiku", Vocabulary.claude_3),
    ],
)
def test_a_claude_model_is_estimated_for_its_generation(model: str, vocabulary: Vocabulary) -> None:
    counter = counter_for(model=model, wire="anthropic")
    assert (counter.name, counter.basis) == (f"{vocabulary.value} estimate", "estimated")


@pytest.mark.parametrize(
    "model",
    [
        "gemini-3-pro", "models/gemini-3-pro", "qwen3-coder", "Qwen/Qwen3-Coder-30B", "deepseek-chat", "olmo-2",
        "us.amazon.nova-lite-v1:0", "meta.llama4-scout-17b-instruct-v1:0", "mistral-large-latest", "gpt-2", "my-o1",
        "gpt-44",
    ],
)  # fmt: skip
def test_any_other_model_gets_the_safest_estimate_and_its_name_says_why(model: str) -> None:
    counter = counter_for(model=model, wire="openai-chat")
    assert counter.basis == "estimated"
    assert counter.name == f"unknown estimate (no offline vocabulary for {model})"


@pytest.mark.parametrize("model", [None, ""])
def test_without_a_model_name_no_count_calls_itself_exact(model: str | None) -> None:
    chat = counter_for(model=model, wire="openai-chat")
    assert (chat.name, chat.basis) == ("o200k_base (model not named)", "estimated")
    assert chat.count("hello world") == O200K.count("hello world")
    claude = counter_for(model=model, wire="anthropic")
    assert (claude.name, claude.basis) == ("claude-4.7 estimate (model not named)", "estimated")
    responses = counter_for(model=model, wire="openai-responses")
    assert (responses.name, responses.basis) == ("o200k_base (model not named)", "estimated")
    other = counter_for(model=model, wire="gemini")
    assert (other.name, other.basis) == ("unknown estimate (model not named)", "estimated")


@pytest.mark.parametrize("family", [*EXACT_ENCODINGS, *Vocabulary])
def test_a_family_that_is_named_overrides_the_model(family: str) -> None:
    counter = counter_for(model="gpt-4o", wire="openai-chat", family=str(family))
    assert counter.name in (family, f"{family} estimate")
    assert counter.basis == ("exact" if family in EXACT_ENCODINGS else "estimated")


def test_a_family_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError) as caught:
        counter_for(model=None, wire="openai-chat", family="r50k_base")
    assert caught.value.details == {"family": "r50k_base"}
    with pytest.raises(ConfigurationError) as caught:
        BytePairCounter("p50k_base")
    assert caught.value.details == {"encoding": "p50k_base"}


@pytest.mark.parametrize(
    ("model", "bare"),
    [
        ("gpt-4o", "gpt-4o"),
        ("OpenAI/GPT-4o", "gpt-4o"),
        ("ft:gpt-4o-mini:acme/team::7p4lURel", "gpt-4o-mini"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929-v1:0"),
        ("us-gov.amazon.nova-pro-v1:0", "nova-pro-v1:0"),
        ("openai.gpt-oss-20b-1:0", "gpt-oss-20b-1:0"),
        (" models/gemini-3-pro ", "gemini-3-pro"),
        ("openrouter/google/gemini-2.5-flash", "gemini-2.5-flash"),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/eu.meta.llama3-2-3b", "llama3-2-3b"),
        ("gpt-4.1-nano", "gpt-4.1-nano"),
        ("", ""),
    ],
)
def test_a_model_has_one_bare_name_whoever_serves_it(model: str, bare: str) -> None:
    assert bare_model(model) == bare


def test_a_gpt_model_behind_a_bedrock_name_is_counted_exactly() -> None:
    assert counter_for(model="us.openai.gpt-5.6-sol", wire="bedrock-converse").basis == "exact"


def test_an_image_costs_what_its_model_says() -> None:
    block = Media("image", width=512, height=512)
    picture = Part(Kind.media, Provenance.user, ("content", 0), ("content", 0), "", media=(block,))
    assert counter_for(model="openai/gpt-4o", wire="openai-chat").media(picture) == 85 + 170
    assert counter_for(model="models/gemini-3-pro", wire="gemini").media(picture) == 1_120
    assert counter_for(model="us.anthropic.claude-opus-4-7", wire="bedrock-converse").media(picture) == 19 * 19
    assert O200K.media(picture) == counter_for(model=None, wire="openai-chat").media(picture) > 85 + 170


# Claude by `ctok`


def pretended(text: str, version: str) -> int:
    """A stand-in that refuses what UTF-8 can't carry, and counts a token a character and the frame."""
    text.encode()
    return len(text) + {"3.0": 7, "4.8": 6}[version]


@pytest.mark.parametrize(
    ("model", "vocabulary"), [("claude-sonnet-4-5", "claude-3"), ("claude-opus-5", "claude-4.7"), (None, "claude-4.7")]
)
def test_ctok_counts_only_where_it_is_named_and_is_never_called_exact(
    model: str | None, vocabulary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "_ctok", lambda: pretended)
    counter = counter_for(model=model, wire="anthropic", family="ctok")
    assert (counter.name, counter.basis) == (f"{vocabulary} by ctok", "estimated")
    assert [counter.count(text) for text in ("", "a", "abc", "a\ud800")] == [0, 1, 3, 2]
    assert counter.media(Part(Kind.media, Provenance.user, (), (), "")) > 0
    assert "ctok" not in counter_for(model=model, wire="anthropic").name


def test_without_ctok_its_name_is_refused_and_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise ModuleNotFoundError("No module named 'ctok'", name="ctok")

    monkeypatch.setattr(counters, "_ctok", absent)
    with pytest.raises(ConfigurationError) as caught:
        counter_for(model="claude-opus-5", wire="anthropic", family="ctok")
    assert caught.value.details == {"family": "ctok"}
    assert "cenotaph[ctok]" in (caught.value.next_step or "")
    with pytest.raises(ConfigurationError):
        ReconstructedCounter(Vocabulary.unknown)


@pytest.mark.parametrize("vocabulary", [Vocabulary.claude_3, Vocabulary.claude_4_7])
def test_the_real_ctok_is_near_the_estimate_and_counts_every_text(vocabulary: Vocabulary) -> None:
    pytest.importorskip("ctok", reason="the extra `ctok` is not installed (it needs Python 3.12)")
    counter = ReconstructedCounter(vocabulary)
    prose = "The migration had locked the accounts table, so we rolled the deployment back. " * 20
    assert 0.6 <= counter.count(prose) / estimate_tokens(prose, vocabulary) <= 1.0
    assert [counter.count(text) >= 1 for text in ("\n", " ", "\0", "\ud800", "\ue000", "👍")] == [True] * 6
    assert counter.count("") == 0


def test_an_exact_counter_is_never_scaled() -> None:
    with pytest.raises(ValueError):
        CalibratedCounter(O200K, Calibration(1.2, 0, 9, ""))


# The engine


def test_importing_and_choosing_loads_no_engine_and_the_first_count_does() -> None:
    script = (
        "import sys\n"
        "from cenotaph.runtime.counters import counter_for\n"
        "counter = counter_for(model='gpt-4o', wire='openai-chat')\n"
        "before = 'quicktok' in sys.modules\n"
        "counter.count('x')\n"
        "print(before, 'quicktok' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize(
    "error", [ImportError("no such module"), OSError("bad library"), RuntimeError("no vocabulary")]
)
def test_without_the_engine_the_safest_estimate_counts_and_says_why(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(encoding: str) -> None:
        raise error

    monkeypatch.setattr(counters, "_engine", broken)
    counter = counter_for(model="gpt-4o", wire="openai-chat")
    assert counter.count("hello world") == estimate_tokens("hello world", Vocabulary.unknown)
    assert counter.basis == "estimated"
    assert "o200k_base" in counter.name
    assert str(error) in counter.name


def test_name_and_basis_are_true_before_the_first_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(encoding: str) -> None:
        raise ImportError("none")

    monkeypatch.setattr(counters, "_engine", broken)
    assert counter_for(model="gpt-4o", wire="openai-chat").basis == "estimated"


def test_a_misspelt_attribute_is_still_an_error() -> None:
    with pytest.raises(AttributeError):
        _ = BytePairCounter("o200k_base").bias


# Real texts

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    return []


@pytest.mark.shared
def test_real_transcripts_count_as_the_independent_implementation_does() -> None:
    if not SHARED.is_dir():
        pytest.skip("no transcripts beside the checkout (../shared/data)")
    reference = pytest.importorskip("bpe_openai", reason="bpe-openai is not installed")
    by_name = {name: reference.get_encoding(name) for name in EXACT_ENCODINGS}
    texts = 0
    for path in sorted(SHARED.rglob("*.json"))[:60]:
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue  # some are lines of JSON under this ending
        for text in _strings(value)[:400]:
            texts += 1
            for name, encoding in by_name.items():
                expected = len(encoding.encode_ordinary(text))
                assert BytePairCounter(name).count(text) == expected, (path.name, text[:80])
    assert texts > 1_000
