"""What images, documents and recordings cost, by the formulas that their providers publish.

A formula is a value with the numbers of one family of models. Which one holds is decided by the model's
name, else by the wire format; where several may, the dearest counts. What a block does not say is taken
as large: an image of unknown size as one of 12.6 megapixels. Sources, as they stood in autumn 2026:

OpenAI      developers.openai.com/api/docs/guides/images-vision ("Calculating costs", "Model sizing behavior")
Anthropic   platform.claude.com/docs/en/build-with-claude/vision and .../pdf-support
Google      ai.google.dev/gemini-api/docs/tokens, .../media-resolution; cloud.google.com "Image understanding"
Amazon      docs.aws.amazon.com/nova/latest/userguide/modalities-image.html and modalities-video.html

The formulas for GPT-5.5, GPT-6, Claude 4.5 and Claude 5.5 were held against a public table of counted
images (huggingface.co/datasets/JOHNISKING/image-token-cost): they give its counts, or more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import Final, Protocol

from cenotaph.core.model import Media

__all__ = ["CLAUDE_HIGH", "CLAUDE_STANDARD", "Formula", "formulas_for", "tokens_of_media"]

_SIDES_UNKNOWN: Final = ((4_096, 3_072), (6_144, 2_048))
"""Sizes in pixels of an image that does not say: more than a phone's photo of 12 megapixels, and one as large
in the proportions that cost most where an image is cut into tiles."""

_PAGE_SIDES: Final = (1_700, 2_200)
"""Size in pixels at which a page of a document is taken to be drawn: US Letter at 200 dots per inch."""

_PAGE_TEXT_TOKENS: Final = 3_000
"""Text of a page beside its image: Anthropic's documentation says 1,500 to 3,000."""


def _cells(width: float, height: float, side: int) -> int:
    """Squares of `side` pixels that cover an image."""
    return -int(-width // side) * -int(-height // side)


class Formula(Protocol):
    """What one family of models counts for media."""

    __slots__ = ()

    def image(self, width: int, height: int, detail: str | None) -> int:
        """Tokens of an image of so many pixels; `detail` is what its block asks for, None if nothing."""

    def page(self, detail: str | None) -> int:
        """Tokens of a page of a document: its text, and the image that is made of it."""
        return _PAGE_TEXT_TOKENS + self.image(*_PAGE_SIDES, detail)

    def film_second(self) -> int:
        """Tokens of a second of film with its sound."""
        return 300


@dataclass(frozen=True, slots=True)
class Tiles(Formula):
    """OpenAI's older models: fit into 2,048 pixels, short side to 768, then squares of 512.

    Attributes:
        base: Tokens of each image, and all of one with `detail` "low".
        tile: Tokens of each square.
    """

    base: int
    tile: int

    def image(self, width: int, height: int, detail: str | None) -> int:
        if detail == "low":
            return self.base
        scale = min(1.0, 2_048 / max(width, height))
        scale *= min(1.0, 768 / (min(width, height) * scale))
        return self.base + self.tile * _cells(width * scale, height * scale, 512)


@dataclass(frozen=True, slots=True)
class Patches(Formula):
    """OpenAI's newer models: squares of 32 pixels times a factor; above the most, the image is scaled down.

    Attributes:
        hundredths: The factor, in hundredths.
        most: Squares that an image may have.
        most_high: Likewise with `detail` "high"; None if it makes no difference.
        low: Squares of an image with `detail` "low"; None if it makes no difference.
    """

    hundredths: int
    most: int
    most_high: int | None = None
    low: int | None = None

    def image(self, width: int, height: int, detail: str | None) -> int:
        if detail == "low" and self.low is not None:
            cells = self.low
        else:
            most = self.most_high if detail == "high" and self.most_high is not None else self.most
            cells = min(most, _cells(width, height, 32))
        return -(-cells * self.hundredths // 100)


@dataclass(frozen=True, slots=True)
class Grid(Formula):
    """Squares of 28 pixels, one token each: Claude, Qwen-VL.

    Attributes:
        most: Tokens that an image may cost: a larger one is scaled down.
        edge: Longest side in pixels above which an image is scaled down; None for no such bound.
    """

    most: int
    edge: int | None = None

    def image(self, width: int, height: int, detail: str | None) -> int:
        scale = 1.0 if self.edge is None else min(1.0, self.edge / max(width, height))
        return min(self.most, _cells(max(1.0, width * scale), max(1.0, height * scale), 28))


@dataclass(frozen=True, slots=True)
class NovaGrid(Formula):
    """Amazon Nova: squares of 28 pixels, after the image was fitted to one of some fixed proportions.

    Its table of examples (900 x 450: 515, 900 x 900: 1,035, 1,300 x 1,300: 2,155) is that of such squares;
    a tenth is added for the fit. An image below 896 pixels is scaled up to them, none is scaled down.
    """

    def image(self, width: int, height: int, detail: str | None) -> int:
        scale = max(1.0, 896 / max(width, height))
        return -(-_cells(width * scale, height * scale, 28) * 11 // 10)


@dataclass(frozen=True, slots=True)
class GeminiTiles(Formula):
    """Gemini up to 2.5: 258 for a small image and for a page, else 258 for each tile.

    A tile's side is two thirds of the image's shorter side, kept between 256 and 768 pixels.
    """

    def image(self, width: int, height: int, detail: str | None) -> int:
        if max(width, height) <= 384:
            return 258
        return 258 * _cells(width, height, min(768, max(256, int(min(width, height) / 1.5))))

    def page(self, detail: str | None) -> int:
        return 258


@dataclass(frozen=True, slots=True)
class GeminiLevels(Formula):
    """Gemini 3 and later: a number for each level of media resolution, whatever the size.

    Without a level an image costs at most 1,120. A page costs 560 and a frame (one each second) 70, but
    1,120 and 280 if the request asks for it outside the messages; so these count.
    """

    def image(self, width: int, height: int, detail: str | None) -> int:
        level = (detail or "").lower().removeprefix("media_resolution_")
        return {"low": 280, "medium": 560, "ultra_high": 2_240}.get(level, 1_120)

    def page(self, detail: str | None) -> int:
        return self.image(*_PAGE_SIDES, detail)

    def film_second(self) -> int:
        return 280 + 32


CLAUDE_STANDARD: Final = Grid(1_600, edge=1_568)
"""Claude before 4.7: at most 1,568 by one page of the documentation, about 1,600 by another."""

CLAUDE_HIGH: Final = Grid(4_784, edge=2_576)
"""Claude 4.7 and later."""

_GPT_4O: Final = Tiles(85, 170)
_GPT_ORIGINAL: Final = Patches(120, 30_000, most_high=2_500, low=256)
"""GPT-5.6 and later, where no `detail` means the image's own size; above 30,000 squares it is refused."""
_GPT_CAPPED: Final = Patches(246, 6_144)
"""The dearest of the models that scale an image down, by the largest factor and the largest cap."""
_QWEN: Final = Grid(16_384)

_BY_MODEL: Final[tuple[tuple[re.Pattern[str], tuple[Formula, ...]], ...]] = tuple(
    (re.compile(pattern), formulas)
    for pattern, formulas in (
        (r"gpt-4o-mini", (Tiles(2_833, 5_667),)),
        (r"gpt-(?:4\.1|5)-mini", (Patches(162, 1_536),)),
        (r"gpt-5\.4-mini", (Patches(162, 10_000, most_high=2_500, low=256),)),
        (r"gpt-(?:4\.1|5)-nano", (Patches(246, 1_536),)),
        (r"o4-mini", (Patches(172, 1_536),)),
        (r"gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-4-(?:turbo|vision)", (_GPT_4O,)),
        (r"gpt-5(?:-chat-latest|-\d{4}-\d\d-\d\d)?$", (Tiles(70, 140),)),
        (r"o[13](?:-pro)?(?:-\d{4}-\d\d-\d\d)?$", (Tiles(75, 150),)),
        (r"computer-use-preview", (Tiles(65, 129),)),
        (r"gpt-5\.5(?!-(?:mini|nano))", (Patches(120, 10_000, most_high=2_500, low=256),)),
        (r"gpt-(?:5\.[6-9]|[6-9])(?!.*-(?:mini|nano))", (_GPT_ORIGINAL,)),
        (r"gemini-(?:1|2)\b", (GeminiTiles(),)),
        (r"gemini-(?:[3-9])\b", (GeminiLevels(),)),
        (r"gemini", (GeminiTiles(), GeminiLevels())),
        (r"nova", (NovaGrid(),)),
        (r"qwen", (_QWEN,)),
        (r"claude", (CLAUDE_HIGH,)),
        (r"gpt|o\d|codex", (_GPT_4O, _GPT_ORIGINAL, _GPT_CAPPED)),
    )
)
"""First match at the start of the bare name. Where a family does not say which of its formulas holds, all do."""

_BY_WIRE: Final[dict[str, tuple[Formula, ...]]] = {
    "openai-chat": (_GPT_4O, _GPT_ORIGINAL, _GPT_CAPPED),
    "openai-responses": (_GPT_4O, _GPT_ORIGINAL, _GPT_CAPPED),
    "anthropic": (CLAUDE_HIGH,),
    "gemini": (GeminiTiles(), GeminiLevels()),
    "bedrock-converse": (CLAUDE_HIGH, NovaGrid()),
}
"""Without a model's name; gpt-4o-mini, which costs 30 times what the others do, only counts where it is named."""

_ALL: Final[tuple[Formula, ...]] = (
    _GPT_4O, _GPT_ORIGINAL, _GPT_CAPPED, CLAUDE_HIGH, GeminiTiles(), GeminiLevels(), NovaGrid(), _QWEN,
)  # fmt: skip


def formulas_for(wire: str, model: str | None) -> tuple[Formula, ...]:
    """The formulas that may hold; the dearest of them counts.

    Args:
        wire: Wire format of the request; an unknown one, or "", leaves every provider possible.
        model: Bare name of the model in lower case, without provider prefixes; None if it is not known.
    """
    if model:
        for pattern, formulas in _BY_MODEL:
            if pattern.match(model):
                return formulas
        return _ALL
    return _BY_WIRE.get(wire, _ALL)


# What it comes to ---------------------------------------------------------------------------------

_AUDIO_TOKENS_SECOND: Final = 32
"""Gemini, in the dearer of two places of its documentation; OpenAI counts 10."""

_PAGES_UNKNOWN: Final = 10
_PAGES_MAX: Final = 1_000
_PAGE_BYTES_MIN: Final = 1_024
"""A document that is only named is taken to have 10 pages, which is a guess; one whose page objects can't be
counted a page for each kilobyte, which is fewer bytes than a page of words takes. 1,000 pages are the most
that any provider takes."""

_SECONDS_UNKNOWN: Final = 600.0
_BYTES_SECOND_MIN: Final = {"audio": 2_000, "video": 12_500}
"""A recording that is only named is taken to last ten minutes, which is a guess; one whose header does not
say as long as its bytes would at 16 (sound) or 100 (film) kilobits a second."""

_TEXT_TYPES: Final = re.compile(r"text/|application/(?:json|xml|yaml|x-yaml|javascript|toml|sql|csv)", re.I)
_TEXT_BYTES_TOKEN: Final = 2
"""A text file is counted at two bytes a token: fewer only for digits, hashes and rare scripts."""


def tokens_of_media(media: Media, formulas: Iterable[Formula]) -> int:
    """Tokens of one media block, by the dearest of the formulas that may hold.

    Args:
        media: What is known of it. What is not is taken as large, see this module's constants.
        formulas: From `formulas_for`.
    """
    return max(_tokens(media, formula) for formula in formulas)


def _tokens(media: Media, formula: Formula) -> int:
    if media.kind == "document":
        return _document_tokens(media, formula)
    if media.kind == "audio":
        return ceil(_seconds(media) * _AUDIO_TOKENS_SECOND)
    if media.kind == "video":
        return ceil(_seconds(media) * formula.film_second())
    if media.width is None or media.height is None:
        return max(formula.image(width, height, media.detail) for width, height in _SIDES_UNKNOWN)
    return formula.image(media.width, media.height, media.detail)


def _document_tokens(media: Media, formula: Formula) -> int:
    if media.size is not None and media.mime is not None and _TEXT_TYPES.match(media.mime):
        return -(-media.size // _TEXT_BYTES_TOKEN)
    return _pages(media) * formula.page(media.detail)


def _pages(media: Media) -> int:
    if media.pages is not None:
        return min(media.pages, _PAGES_MAX)
    if media.size is None:
        return _PAGES_UNKNOWN
    return min(_PAGES_MAX, max(1, media.size // _PAGE_BYTES_MIN))


def _seconds(media: Media) -> float:
    if media.seconds is not None:
        return media.seconds
    if media.size is None:
        return _SECONDS_UNKNOWN
    return media.size / _BYTES_SECOND_MIN[media.kind]
