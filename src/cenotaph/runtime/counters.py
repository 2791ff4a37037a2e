"""Which counter a request is counted with: exact for OpenAI's vocabularies, the nearest there is for others.

    OpenAI            exact, by `quicktok` and the vocabulary inside its package
    Claude            the estimate of its generation; by name also `ctok`, a reconstruction of its tokenizer
    all others        the estimate that is at least the most of all vocabularies that could be counted:
                      for Gemini, Qwen, Llama, DeepSeek and Mistral no package brings its vocabulary along;
                      their own ones load it from a network

`ctok` (the extra of that name; Python 3.12 or later) is never chosen by itself. It counts the texts of a
message nearly as Anthropic's endpoint does, but on real sessions it is no nearer to the reported usage than
the estimate, and below it where the estimate is above: what calls and results cost beside their text is in
neither, and only the estimate has a margin. It takes about fifteen times as long (`benchmarks/tokens.py`).

An engine is loaded at the first count, never at import. Where it can't be, the safe-side estimate of
`core.tokens` counts, and the counter's name says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final

from cenotaph.core.model import Counter, Part
from cenotaph.core.tokens import EstimatedCounter, Vocabulary, media_tokens
from cenotaph.errors import ConfigurationError

__all__ = ["EXACT_ENCODINGS", "BytePairCounter", "ReconstructedCounter", "bare_model", "counter_for"]

EXACT_ENCODINGS: Final = ("o200k_base", "cl100k_base")
"""Vocabularies that are counted exactly."""

_CTOK: Final = "ctok"

_SURROGATE: Final = re.compile("[\ud800-\udfff]")

_LONG_S_CONTRACTION: Final = "'\u017f'"
_READ_AS_LETTERS: Final = (
    (0x088F, 0x088F), (0x0C5C, 0x0C5C), (0x0CDC, 0x0CDC), (0x1ACF, 0x1ADD), (0x1AE0, 0x1AEB),
    (0xA7CE, 0xA7CF), (0xA7D2, 0xA7D2), (0xA7D4, 0xA7D4), (0xA7F1, 0xA7F1), (0x10940, 0x10959),
    (0x10EC5, 0x10EC7), (0x10EFA, 0x10EFB), (0x11B60, 0x11B67), (0x11DB0, 0x11DDB), (0x11DE0, 0x11DE9),
    (0x16EA0, 0x16EB8), (0x16EBB, 0x16ED3), (0x16FF2, 0x16FF6), (0x187F8, 0x187FF), (0x18D09, 0x18D1E),
    (0x18D80, 0x18DF2), (0x1E6C0, 0x1E6DE), (0x1E6E0, 0x1E6F5), (0x1E6FE, 0x1E6FF), (0x2B73A, 0x2B73F),
    (0x2CEA2, 0x2CEAD), (0x323B0, 0x33479),
)  # fmt: skip
_UNSURE: Final = re.compile(
    "|".join(
        (
            _LONG_S_CONTRACTION,
            "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in _READ_AS_LETTERS) + "]",
        )
    )
)
"""Where engine and reference part, found by comparing every code point in 24 contexts and by fuzzing.

The engine takes characters that its newer Unicode tables assign for letters, where the reference still
has them unassigned, and it reads a long s between two apostrophes otherwise than the reference does
(o200k_base). One of them was seen to make a count too low by one token, and by two beside contractions.
"""

_UNSURE_TOKENS: Final = 2
"""Added for each of them: a count that is too high by it is safe, one that is too low is not."""

_MODELS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), encoding)
    for pattern, encoding in (
        (r"(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-[5-9]|gpt-oss|chatgpt-4o|codex-mini)", "o200k_base"),
        (r"o[1-9](?![\w.])", "o200k_base"),
        (r"(?:gpt-4(?![\w.])|gpt-3\.5|gpt-35|text-embedding-3|text-embedding-ada-002)", "cl100k_base"),
    )
)
"""First match at the start of the model's name, provider prefixes and `ft:` taken off."""

_CLAUDE: Final = re.compile(r"(?:^|[./:@-])claude(?:-|$)")
_CLAUDE_VERSION: Final = re.compile(r"(?:^|-)(\d{1,2})(?:[.-](\d{1,2}))?(?=$|[-@:v])")
_DATED: Final = re.compile(r"[-@]\d{6,8}\b")
_CLAUDE_NEW_FROM: Final = (4, 7)


@cache
def _engine(encoding: str) -> Any:
    """The engine's tokenizer with the vocabulary inside its package; ImportError if it can't be had."""
    from quicktok import Tokenizer

    # `get_encoding` would fall back to a vocabulary in the user's cache folder; this never does.
    return Tokenizer(encoding, "")


class BytePairCounter:
    """Counts as OpenAI's own tokenizer does: special tokens are plain text, every text has a count.

    A lone surrogate, which UTF-8 can't carry, is counted as U+FFFD, the character that replaces it
    on the wire. Not exact but on the safe side, by about two tokens each: a character that the
    reference's Unicode tables leave unassigned and the engine's do not, and a long s between
    apostrophes. Time is linear in the text (measured on runs of one character up to 1 MB).

    Attributes:
        name: The vocabulary; with a note where the model is not certain or the engine is missing.
        basis: "exact", or "estimated" when the model is not named or the engine can't be loaded.
    """

    __slots__ = ("_certain", "_encoding", "_engine", "_fallback", "_model", "_wire", "basis", "name")

    name: str
    basis: str

    def __init__(
        self, encoding: str, *, wire: str = "openai-chat", certain: bool = True, model: str | None = None
    ) -> None:
        """Make a counter; nothing is loaded yet.

        Args:
            encoding: One of `EXACT_ENCODINGS`.
            wire: Wire format of the request, for what media cost.
            certain: False if the model was not named and this vocabulary is the likeliest.
            model: Bare name of the model, for what media cost; None if it is not known.

        Raises:
            ConfigurationError: No such vocabulary.
        """
        if encoding not in EXACT_ENCODINGS:
            raise ConfigurationError(
                f"no exact vocabulary {encoding!r}: known are {', '.join(EXACT_ENCODINGS)}.",
                encoding=encoding,
            )
        self._encoding = encoding
        self._wire = wire
        self._model = model
        self._certain = certain
        self._engine: Any = None
        self._fallback: EstimatedCounter | None = None

    def __getattr__(self, attribute: str) -> str:
        """Load the engine when `name` or `basis` is asked for before any count, so that they are true."""
        if attribute not in ("name", "basis"):
            raise AttributeError(f"{type(self).__name__} has no attribute {attribute!r}")
        self._load()
        return str(getattr(self, attribute))

    def _load(self) -> None:
        """Load the engine, or settle on the estimate; `name` and `basis` are final from here on."""
        try:
            self._engine = _engine(self._encoding)
        except (ImportError, OSError, RuntimeError) as error:
            why = f"{type(error).__name__}: {error}"
            self.name = f"unknown estimate (no {self._encoding}: quicktok not loaded, {why})"
            self.basis = "estimated"
            self._fallback = EstimatedCounter(
                Vocabulary.unknown, name=self.name, wire=self._wire, model=self._model
            )
            return
        self.name = self._encoding if self._certain else f"{self._encoding} (model not named)"
        self.basis = "exact" if self._certain else "estimated"

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        if self._engine is None and self._fallback is None:
            self._load()
        if self._fallback is not None:
            return self._fallback.count(text)
        try:
            tokens = int(self._engine.count(text))
        except TypeError:
            tokens = int(self._engine.count(_SURROGATE.sub("\ufffd", text)))
        return tokens if text.isascii() else tokens + _UNSURE_TOKENS * len(_UNSURE.findall(text))

    def media(self, part: Part) -> int:
        """Tokens of the media in a part, see `core.tokens.media_tokens`."""
        return media_tokens(part, self._wire, model=self._model)


@cache
def _ctok() -> Callable[[str, str], int]:
    """The reconstruction's count of a message with one text; ImportError if it is not installed."""
    count: Callable[[str, str], int] = import_module("ctok").token_count
    return count


_CTOK_FRAMES: Final = {Vocabulary.claude_3: ("3.0", 7), Vocabulary.claude_4_7: ("4.8", 6)}
"""The version to ask for, and what a message costs there beside the tokens of its text."""


class ReconstructedCounter:
    """Counts with `ctok`, which gives what Anthropic's endpoint answers for nearly every text; without a margin.

    A text costs 1 token at least, also one that the endpoint strips. Texts of a transcript stand behind
    roles and tags, which a text alone does not show: framing is counted elsewhere.

    Attributes:
        name: The vocabulary, and `ctok`, for the record.
        basis: "estimated": it is no tokenizer of Anthropic's.
    """

    __slots__ = ("_frame", "_token_count", "_version", "_vocabulary", "_wire", "basis", "name")

    def __init__(self, vocabulary: Vocabulary, *, wire: str = "anthropic") -> None:
        """Make a counter; `ctok` is imported now, its vocabulary is loaded at the first count.

        Args:
            vocabulary: `claude_3` or `claude_4_7`.
            wire: Wire format of the request, for what media cost.

        Raises:
            ConfigurationError: `ctok` is not installed, or has no such vocabulary.
        """
        if vocabulary not in _CTOK_FRAMES:
            raise ConfigurationError(f"ctok has no vocabulary {vocabulary.value!r}: it is of Claude.", family=_CTOK)
        try:
            self._token_count = _ctok()
        except ImportError as error:
            raise ConfigurationError(
                f"token counter {_CTOK!r} is not installed ({error}).",
                next_step="pip install 'cenotaph[ctok]', with Python 3.12 or later.",
                family=_CTOK,
            ) from error
        self._version, self._frame = _CTOK_FRAMES[vocabulary]
        self._vocabulary = vocabulary
        self._wire = wire
        self.name = f"{vocabulary.value} by ctok"
        self.basis = "estimated"

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        if not text:
            return 0
        return max(1, self._token_count(_SURROGATE.sub("\ufffd", text), self._version) - self._frame)

    def media(self, part: Part) -> int:
        """Tokens of the media in a part, see `core.tokens.media_tokens`."""
        return media_tokens(part, self._wire, self._vocabulary)


_VENDORS: Final = re.compile(
    r"(?:(?:us-gov|us|eu|apac|ap|jp|au|ca|global)\.)?"
    r"(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|nvidia|openai|qwen|writer|zai)\."
)
"""How Amazon Bedrock writes whose model it is: an inference region and the vendor, each with a dot behind it."""


def bare_model(model: str) -> str:
    """A model's own name in lower case: no provider, region, router, resource path or fine-tune around it.

    `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is `claude-sonnet-4-5-20250929-v1:0`,
    `models/gemini-3-pro` is `gemini-3-pro`, `ft:gpt-4o-mini:acme::7p4l` is `gpt-4o-mini`.
    """
    name = model.strip().lower()
    if name.startswith("ft:"):
        name = name.split(":", 2)[1]
    name = name.rsplit("/", 1)[-1]
    return name[found.end() :] if (found := _VENDORS.match(name)) is not None else name


def counter_for(*, model: str | None, wire: str, family: str | None = None) -> Counter:
    """The best counter for a request: exact if the vocabulary is known, else the safest estimate.

    Args:
        model: Model name as the request or the data has it; None or "" if it is not known. Provider
            prefixes (`openai/`, `us.anthropic.`), dates and fine-tune names are understood.
        wire: Wire format of the messages; decides when there is no model name, and what media cost.
        family: Overrides the model name: one of `EXACT_ENCODINGS`, a value of `Vocabulary`, or "ctok" for
            the reconstruction of the named Claude model's vocabulary.

    Returns:
        A counter whose `basis` is "exact" only if the vocabulary of the named model is counted.

    Raises:
        ConfigurationError: No such family, or it is not installed.
    """
    if family is not None:
        return _by_family(family, wire, model or "")
    if not model or not model.strip():
        return _by_wire(wire)
    name = model.strip().lower()
    if _CLAUDE.search(name):
        return EstimatedCounter(_claude_generation(name), wire=wire)
    bare = bare_model(model)
    for pattern, encoding in _MODELS:
        if pattern.match(bare):
            return BytePairCounter(encoding, wire=wire, model=bare)
    why = f"unknown estimate (no offline vocabulary for {model.strip()})"
    return EstimatedCounter(Vocabulary.unknown, name=why, wire=wire, model=bare)


def _by_wire(wire: str) -> Counter:
    """The counter for a request that names no model."""
    if wire in ("openai-chat", "openai-responses"):
        return BytePairCounter("o200k_base", wire=wire, certain=False)
    if wire == "anthropic":
        return EstimatedCounter(Vocabulary.claude_4_7, name="claude-4.7 estimate (model not named)", wire=wire)
    return EstimatedCounter(Vocabulary.unknown, name="unknown estimate (model not named)", wire=wire)


def _by_family(family: str, wire: str, model: str) -> Counter:
    bare = bare_model(model) or None
    if family in EXACT_ENCODINGS:
        return BytePairCounter(family, wire=wire, model=bare)
    if family == _CTOK:
        return ReconstructedCounter(_claude_generation(model.strip().lower()), wire=wire)
    if family in tuple(Vocabulary):
        return EstimatedCounter(Vocabulary(family), wire=wire, model=bare)
    known = ", ".join((*EXACT_ENCODINGS, *Vocabulary, _CTOK))
    raise ConfigurationError(f"no token counter family {family!r}: known are {known}.", family=family)


def _claude_generation(name: str) -> Vocabulary:
    """The vocabulary of a Claude model; without a version that can be read, the newer and larger one."""
    found = _CLAUDE_VERSION.search(_DATED.sub("", name.rpartition("claude")[2]))
    if found is None:
        return Vocabulary.claude_4_7
    version = (int(found[1]), int(found[2] or 0))
    return Vocabulary.claude_4_7 if version >= _CLAUDE_NEW_FROM else Vocabulary.claude_3
