"""Token estimates on the safe side, their calibration, and the tokens around the text.

An exact count exists for few families (`runtime.counters`); for all others this module estimates.
The estimate is a linear model over counts of character shapes: letters, digits, starts and ends of
words, changes of case, consonant clusters, and the scripts of the text. Each count is one pass of a
compiled `bytes` method over the text or over a copy whose characters are replaced by their class,
so the cost is linear in the text, whatever it holds, and no Python loop walks the characters.

The weights are hundredths of a token. They were fitted by quantile regression with the condition
that no ordinary kind of text is under-counted as a whole; those of some scripts were then raised by
hand. `benchmarks/tokens.py` measures them; `docs/benchmarks.md` has the numbers. Only integers are
added, so equal text gives an equal count on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import Final

from cenotaph.core.media_tokens import CLAUDE_HIGH, CLAUDE_STANDARD, Formula, formulas_for, tokens_of_media
from cenotaph.core.model import Counter, Kind, Media, Part

__all__ = [
    "CalibratedCounter",
    "Calibration",
    "EstimatedCounter",
    "Vocabulary",
    "calibrate",
    "estimate_tokens",
    "media_tokens",
    "message_framing",
]


class Vocabulary(StrEnum):
    """The vocabularies that the estimate tells apart."""

    claude_3 = "claude-3"
    """Claude 3 up to Opus 4.6, Sonnet 4.x and Haiku 4.x."""
    claude_4_7 = "claude-4.7"
    """Opus 4.7 and everything later: about a third more tokens for the same text."""
    unknown = "unknown"
    """The most of both Claude vocabularies and of the byte-pair vocabularies that we can count."""


# Shapes -------------------------------------------------------------------------------------------
# Two copies of the text in which each byte is its class. Coarse: letters by case, digits, spaces,
# punctuation, bytes above ASCII. Fine: what costs more than its class says.

_COSTLY_PUNCTUATION: Final = b"'(|$%+~)"
_JOINING_PUNCTUATION: Final = b'_=\\[]"}'
_RARE_LETTERS: Final = b"jqxzkwv"
_VOWELS: Final = b"aeiouy"
_COLLAPSED: Final = b"-=*#_~"
"""Rules and underlines: 16 of one of these cost a vocabulary at most what 9 scattered ones do."""


def _coarse(byte: int) -> str:
    char = chr(byte)
    if byte >= 128:
        return "x"
    if char.islower():
        return "l"
    if char.isupper():
        return "U"
    if char.isdigit():
        return "0"
    if char in " \t\n\r\v\f":
        return "s"
    return "p" if char.isprintable() else "-"


def _fine(byte: int) -> str:
    if byte in _RARE_LETTERS:
        return "z"
    if byte in _COSTLY_PUNCTUATION:
        return "D"
    if byte in _JOINING_PUNCTUATION:
        return "M"
    return "n" if byte == 0x0A else "-"


def _consonant(byte: int) -> str:
    return "c" if 97 <= byte <= 122 and byte not in _VOWELS else "-"


_COARSE: Final = bytes(ord(_coarse(b)) for b in range(256))
_FINE: Final = bytes(ord(_fine(b)) for b in range(256))
_CONSONANTS: Final = bytes(ord(_consonant(b)) for b in range(256))

_ASCII: Final = bytes(range(128))

_Weights = tuple[int, int, int]
"""Hundredths of a token, in the order of `Vocabulary`."""

_COARSE_WEIGHTS: Final[tuple[tuple[bytes, _Weights], ...]] = (
    (b"l", (3, 19, 13)),
    (b"0", (38, 35, 100)),  # Qwen and Gemini spend a token on each digit
    (b"p", (30, 30, 30)),
    (b"lU", (150, 46, 93)),
    (b"l0", (150, 134, 6)),
    (b"ls", (103, 55, 94)),
    (b"Ul", (67, 150, 150)),
    (b"UU", (90, 129, 123)),
    (b"U0", (150, 150, 69)),
    (b"0l", (36, 19, 88)),
    (b"0s", (150, 83, 58)),
    (b"sU", (60, 150, 150)),
    (b"s0", (53, 150, 100)),
    (b"pl", (147, 108, 150)),
    (b"p0", (117, 107, 60)),
    (b"ss", (17, 21, 11)),
    (b"l" * 24, (2000, 2000, 2000)),  # no word is this long: a run of letters, up to a token each
    (b"U" * 16, (367, 510, 558)),
)

_FINE_WEIGHTS: Final[tuple[tuple[bytes, _Weights], ...]] = (
    (b"z", (81, 130, 105)),
    (b"D", (107, 130, 130)),
    (b"M", (42, 63, 30)),
    (b"n", (200, 135, 194)),
)

_CLUSTER_WEIGHT: Final[_Weights] = (90, 187, 99)
"""Three consonants in a row: names, hashes and abbreviations rather than words."""

_SCRIPT_WEIGHTS: Final[tuple[tuple[range, _Weights], ...]] = (
    # First byte of a character in UTF-8, and what one such character costs.
    (range(0xC2, 0xC3), (100, 116, 200)),  # Latin-1 signs
    (range(0xC3, 0xC4), (200, 200, 124)),  # Latin-1 letters
    (range(0xC4, 0xCE), (200, 192, 183)),  # Latin extended, phonetic, combining marks
    (range(0xCE, 0xD0), (78, 83, 92)),  # Greek
    (range(0xD0, 0xD2), (51, 54, 49)),  # Cyrillic
    (range(0xD2, 0xD4), (300, 300, 300)),  # Cyrillic of Central Asia and older letters
    (range(0xD4, 0xD8), (79, 85, 196)),  # Armenian, Hebrew
    (range(0xD8, 0xDC), (102, 104, 100)),  # Arabic
    (range(0xDC, 0xE0), (180, 180, 180)),  # Syriac, Thaana, N'Ko
    (range(0xE0, 0xE1), (201, 205, 201)),  # Indic scripts, Thai, Lao, Tibetan
    (range(0xE1, 0xE2), (130, 130, 151)),  # Khmer, Ethiopic, Mongolian, Vietnamese letters
    (range(0xE2, 0xE3), (160, 160, 160)),  # arrows, mathematics, signs
    (range(0xE3, 0xE4), (88, 88, 88)),  # kana, CJK punctuation
    (range(0xE4, 0xEA), (108, 108, 108)),  # CJK ideographs
    (range(0xEA, 0xEE), (140, 140, 140)),  # Hangul; a lone surrogate
    (range(0xEE, 0xF0), (320, 320, 320)),  # private use, full width, compatibility
    (range(0xF0, 0xF5), (420, 420, 420)),  # emoji, rare ideographs
)

_BLOCK_WEIGHTS: Final[tuple[tuple[int, range, _Weights], ...]] = (
    # First byte, second bytes, and what a character there costs *more* than its script row says.
    (0xE0, range(0xA4, 0xA6), (-115, -115, -73)),  # Devanagari
    (0xE0, range(0xB8, 0xBA), (-107, -105, -107)),  # Thai
    (0xE0, range(0xA6, 0xA8), (-105, -102, -13)),  # Bengali
    (0xE0, range(0xB0, 0xB2), (-105, -102, -13)),  # Telugu
    (0xE0, range(0xAE, 0xB0), (-74, -76, -32)),  # Tamil
    (0xE0, range(0xB4, 0xB6), (-74, -76, -32)),  # Malayalam
    (0xE1, range(0x82, 0x84), (-56, -54, 46)),  # Georgian
    (0xE2, range(0x80, 0x81), (-25, -25, -25)),  # dashes, quotes
    (0xE2, range(0x98, 0x9F), (220, 220, 220)),  # check marks, crosses, warning signs
    (0xE2, range(0x94, 0x96), (-90, -90, -90)),  # box drawing
)

_COLUMN: Final = {vocabulary: column for column, vocabulary in enumerate(Vocabulary)}


def estimate_tokens(text: str, vocabulary: Vocabulary) -> int:
    """Tokens of `text`, rather too many than too few; 0 only for empty text.

    Args:
        text: Any text. A lone surrogate counts as one character of its own.
        vocabulary: Whose tokens.

    Returns:
        A count that is deterministic and linear in time. Counting two halves of a text apart
        differs from counting it whole by what stands across the cut, at most about twenty tokens
        inside a run of letters that is no word, and one or two elsewhere.
    """
    if not text:
        return 0
    column = _COLUMN[vocabulary]
    data = text.encode("utf-8", "surrogatepass")
    hundredths = 0 if text.isascii() else _beyond_ascii(data, column)
    for byte in _COLLAPSED:
        run = bytes((byte,)) * 16
        data = data.replace(run, run[:9])
    coarse = data.translate(_COARSE)
    for pattern, weights in _COARSE_WEIGHTS:
        hundredths += coarse.count(pattern) * weights[column]
    fine = data.translate(_FINE)
    for pattern, weights in _FINE_WEIGHTS:
        hundredths += fine.count(pattern) * weights[column]
    hundredths += data.translate(_CONSONANTS).count(b"ccc") * _CLUSTER_WEIGHT[column]
    return max(1, -(-hundredths // 100))


def _beyond_ascii(data: bytes, column: int) -> int:
    """Hundredths of a token for the characters above ASCII; never negative."""
    data = data.translate(None, _ASCII)  # what is left is whole characters: no pair spans two of them
    hundredths = 0
    for firsts, weights in _SCRIPT_WEIGHTS:
        hundredths += sum(data.count(first) for first in firsts) * weights[column]
    for first, seconds, weights in _BLOCK_WEIGHTS:
        if first in data:
            found = sum(data.count(bytes((first, second))) for second in seconds)
            hundredths += found * weights[column]
    return hundredths


# Counters -----------------------------------------------------------------------------------------

_MEMO_CHARS_MAX: Final = 256
_MEMO_ENTRIES_MAX: Final = 16_384


class EstimatedCounter:
    """Counts by `estimate_tokens`; short texts, which come again and again, are counted once.

    Attributes:
        name: Which estimate, and why no exact count, for the record.
        basis: "estimated".
    """

    __slots__ = ("_memo", "_model", "_vocabulary", "_wire", "basis", "name")

    def __init__(
        self, vocabulary: Vocabulary, *, name: str | None = None, wire: str = "", model: str | None = None
    ) -> None:
        """Make a counter.

        Args:
            vocabulary: Whose tokens.
            name: For the record; None for the vocabulary's own name.
            wire: Wire format of the request, for what media cost; "" for the highest of all.
            model: Bare name of the model, likewise; None if it is not known.
        """
        self.name = name if name is not None else f"{vocabulary.value} estimate"
        self.basis = "estimated"
        self._vocabulary = vocabulary
        self._wire = wire
        self._model = model
        self._memo: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Tokens of `text`, rather too many than too few."""
        if len(text) > _MEMO_CHARS_MAX:
            return estimate_tokens(text, self._vocabulary)
        known = self._memo.get(text)
        if known is None:
            known = estimate_tokens(text, self._vocabulary)
            if len(self._memo) >= _MEMO_ENTRIES_MAX:
                self._memo.clear()
            self._memo[text] = known
        return known

    def media(self, part: Part) -> int:
        """Tokens of the media in a part, see `media_tokens`."""
        return media_tokens(part, self._wire, self._vocabulary, self._model)


# Around the text ----------------------------------------------------------------------------------

_FRAMING: Final = {
    "openai-chat": (4, 3, 0, 0),
    "openai-responses": (4, 3, 8, 6),
    "anthropic": (3, 3, 0, 0),
    "gemini": (5, 3, 8, 6),
}
"""Tokens per message, per request, per call and per result that no text shows.

OpenAI publishes 3 per message, its role, which is one token, and 3 for the reply; for Claude a plain message was
seen to cost 3 to 4. What a call and a result cost beside their text nobody publishes for these two. A regression
over 1,775 differences of reported usage gives Claude 33 and 62, but that holds reminders which the client keeps
out of its file; so they are 0 here, the estimate's own margin (15 to 19 % at the median) stands for them, and
reported usage, where there is any, makes up for the rest, see `calibrate`.

Responses: each item is a message of its own, framed as the published Harmony format has it (github.com/openai/harmony,
docs/format.md): a call has a channel, a recipient and a content type beside start, message and end, a result a
recipient and a channel. Gemini: the turn markers of the published Gemma template (two markers, the role and two
line ends); what it wraps around a function call is not published, so it is taken to be as much as Harmony does.
"""


def message_framing(wire: str) -> tuple[int, int, int, int]:
    """Tokens that the provider adds per message, request, call, result; for an unknown wire the most of all."""
    if wire in _FRAMING:
        return _FRAMING[wire]
    message, request, call, result = (max(column) for column in zip(*_FRAMING.values(), strict=True))
    return message, request, call, result


_MEDIA_UNKNOWN: Final = Media("image")
"""A block of which the dialect says nothing is counted as an image of unknown size."""


def media_tokens(
    part: Part, wire: str = "", vocabulary: Vocabulary | None = None, model: str | None = None
) -> int:
    """Tokens of all media in a part, by its provider's published formulas; see `core.media_tokens`.

    Args:
        part: A media part, or a result that holds media: then the sum of them.
        wire: Wire format of the request; "" or an unknown one gives the dearest of all formulas.
        vocabulary: The counter's: a Claude vocabulary tells which of Claude's two sizes holds.
        model: Bare name of the model in lower case, e.g. "gpt-4o"; None if it is not known.

    Returns:
        0 only for a part without media.
    """
    if vocabulary is Vocabulary.claude_3:
        formulas: tuple[Formula, ...] = (CLAUDE_STANDARD,)
    elif vocabulary is Vocabulary.claude_4_7:
        formulas = (CLAUDE_HIGH,)
    else:
        formulas = formulas_for(wire, model)
    blocks = max(1 if part.kind is Kind.media else 0, part.images)
    unknown = (_MEDIA_UNKNOWN,) * (blocks - len(part.media))
    return sum(tokens_of_media(media, formulas) for media in (*part.media, *unknown))


# Calibration --------------------------------------------------------------------------------------

_SAMPLES_MIN: Final = 6
_SAMPLES_MAX: Final = 64
_SPREAD_TOKENS_MIN: Final = 8_000
_PAIR_TOKENS_MIN: Final = 2_000
_FACTOR_MIN: Final = 0.75
_FACTOR_MAX: Final = 1.6
_FACTOR_QUANTILE: Final = 0.6
_OVERHEAD_SAMPLES: Final = 10


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the provider's own counts say about an estimate.

    Attributes:
        factor: What an estimated count is multiplied by; 1.0 if there was too little to go by.
        overhead: Tokens of the request beside the estimated texts (system prompt, tools, what the client
            adds and does not record); 0 if unknown.
        samples: How many reported counts were used; 0 if there was none.
        basis: In words, for the record.
    """

    factor: float
    overhead: int
    samples: int
    basis: str

    def of(self, tokens: int) -> int:
        """What a request is likely to be reported as at most, of whose texts so many tokens are estimated."""
        return ceil(self.factor * tokens + self.overhead)


def calibrate(samples: Sequence[tuple[int, int]], *, scaled: bool = True) -> Calibration:
    """The factor and overhead under which the next reported counts are rarely above the estimate.

    The reported count holds an unknown amount beside the texts. It is constant for long stretches and
    then jumps, as a client adds reminders, instructions or tools that its file does not hold: so only
    differences between samples tell the factor, and only the newest samples the overhead. The factor
    is a high quantile (0.6) of the slopes over all pairs of samples that lie far enough apart: a jump
    bends single pairs, not the quantile. The overhead is the largest that any of the ten newest
    samples leaves. So one jump is missed once, by the request that it comes with; no history can tell
    of it before.

    Args:
        samples: (estimated tokens of all before an agent message, reported input tokens of that
            request), in order, from one region: no compaction between them.
        scaled: The counter is an estimate; False for an exact one, whose factor stays 1.0.

    Returns:
        A factor of 1.0 with fewer than 6 samples, or when they span under 8,000 tokens: then the
        overhead alone is known, from the first reported count on. Without any sample nothing is.
    """
    used = [(x, y) for x, y in samples if x >= 0 and y > 0]
    if not used:
        return Calibration(1.0, 0, 0, "uncalibrated: no reported counts")
    slope = _factor(used) if scaled else None
    factor = 1.0 if slope is None else slope
    overhead = max(0, ceil(max(y - factor * x for x, y in used[-_OVERHEAD_SAMPLES:])))
    what = "overhead" if slope is None else "calibrated"
    return Calibration(factor, overhead, len(used), f"{what} by {len(used)} reported counts")


def _factor(samples: Sequence[tuple[int, int]]) -> float | None:
    """A high quantile of the slopes between the samples; None if there are too few, or too close together."""
    if len(samples) < _SAMPLES_MIN or max(samples)[0] - min(samples)[0] < _SPREAD_TOKENS_MIN:
        return None
    if len(samples) > _SAMPLES_MAX:
        step = (len(samples) - 1) / (_SAMPLES_MAX - 1)
        samples = [samples[round(i * step)] for i in range(_SAMPLES_MAX)]
    slopes = sorted(
        (later[1] - sooner[1]) / (later[0] - sooner[0])
        for i, sooner in enumerate(samples)
        for later in samples[i + 1 :]
        if abs(later[0] - sooner[0]) >= _PAIR_TOKENS_MIN
    )
    if not slopes:
        return None
    slope = slopes[min(len(slopes) - 1, int(_FACTOR_QUANTILE * len(slopes)))]
    return round(min(_FACTOR_MAX, max(_FACTOR_MIN, slope)), 4)


class CalibratedCounter:
    """An estimate scaled by what the provider reported; an exact counter is never scaled.

    Attributes:
        name: The counter's name and the factor, for the record; the name alone for a factor of 1.
        basis: "estimated": a scaled estimate is still one.
    """

    __slots__ = ("_counter", "_ten_thousandths", "basis", "calibration", "name")

    def __init__(self, counter: Counter, calibration: Calibration) -> None:
        """Wrap a counter.

        Args:
            counter: An estimating counter.
            calibration: From `calibrate`.

        Raises:
            ValueError: `counter` is exact, or the factor is not above 0.
        """
        if counter.basis != "estimated":
            raise ValueError(f"{counter.name} is {counter.basis}: only an estimate may be scaled")
        if not calibration.factor > 0:
            raise ValueError(f"calibration factor {calibration.factor} refused: it must be above 0")
        self._counter = counter
        self._ten_thousandths = round(calibration.factor * 10_000)
        self.calibration = calibration
        self.basis = "estimated"
        scaled = calibration.factor != 1
        self.name = f"{counter.name} x {calibration.factor:g} ({calibration.basis})" if scaled else counter.name

    def count(self, text: str) -> int:
        """Tokens of `text`: the estimate times the factor, rounded up."""
        return -(-self._counter.count(text) * self._ten_thousandths // 10_000)

    def media(self, part: Part) -> int:
        """Tokens of the media in a part: a formula is not scaled."""
        return self._counter.media(part)
