"""Laws of what is read from media: what a header says, and None for whatever does not say."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.model import Media
from cenotaph.dialects.media import media_of


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def read(data: bytes, mime: str | None = None) -> Media:
    return media_of(mime, encoded(data))


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x06\0\0\0\x1f\x15\xc4\x89"


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\xf0\0\0"


def bmp(width: int, height: int) -> bytes:
    return b"BM" + struct.pack("<IIIIii", 90, 0, 54, 40, width, -height) + bytes(28)


def old_bmp(width: int, height: int) -> bytes:
    return b"BM" + struct.pack("<IIIIHH", 90, 0, 26, 12, width, height) + bytes(12)


def segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body


def jpeg(width: int, height: int, frame: int = 0xC0, before: bytes = b"") -> bytes:
    sizes = struct.pack(">BHHB", 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + before + segment(0xC4, bytes(20)) + segment(frame, sizes) + b"\xff\xda"


def progressive_jpeg(width: int, height: int) -> bytes:
    return jpeg(width, height, 0xC2)


def exif_jpeg(width: int, height: int) -> bytes:
    thumbnail = b"Exif\0\0" + jpeg(160, 120) + bytes(40_000)
    return jpeg(width, height, before=segment(0xE1, thumbnail) + segment(0xE2, bytes(65_000)) + b"\xff\xff")


def riff(name: bytes, *chunks: tuple[bytes, bytes]) -> bytes:
    body = b"".join(kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for kind, data in chunks)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + name + body


def lossy_webp(width: int, height: int) -> bytes:
    return riff(b"WEBP", (b"VP8 ", b"\x30\x01\0\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(20)))


def lossless_webp(width: int, height: int) -> bytes:
    bits = (width - 1) | (height - 1) << 14
    return riff(b"WEBP", (b"VP8L", b"\x2f" + struct.pack("<I", bits) + bytes(20)))


def extended_webp(width: int, height: int) -> bytes:
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return riff(b"WEBP", (b"VP8X", b"\x10\0\0\0" + sides), (b"ALPH", bytes(8)))


def tiff(width: int, height: int, order: str = "<") -> bytes:
    rows = ((254, 4, 1, 0), (256, 4, 1, width), (257, 4, 1, height))
    table = b"".join(struct.pack(f"{order}HHII", *row) for row in rows)
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}I", 5_000)
    return head + bytes(4_992) + struct.pack(f"{order}H", 3) + table + bytes(4)


def big_endian_tiff(width: int, height: int) -> bytes:
    return tiff(width, height, ">")


def heic(width: int, height: int) -> bytes:
    def item(w: int, h: int) -> bytes:
        return struct.pack(">I4sIII", 20, b"ispe", 0, w, h)

    return b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100) + item(1, 1) + item(width, height)


PICTURES = [
    png, gif, bmp, old_bmp, jpeg, progressive_jpeg, exif_jpeg, lossy_webp, lossless_webp, extended_webp, tiff,
    big_endian_tiff, heic,
]  # fmt: skip


@pytest.mark.parametrize("make", PICTURES)
@given(width=st.integers(1, 16_383), height=st.integers(1, 16_383))
def test_the_size_of_a_picture_is_read_from_its_header(make: object, width: int, height: int) -> None:
    data = make(width, height)  # type: ignore[operator]
    found = read(data)
    assert (found.kind, found.width, found.height, found.size) == ("image", width, height, len(data))


@pytest.mark.parametrize("make", PICTURES)
def test_a_picture_that_ends_early_is_still_one_and_never_has_a_wrong_size(make: object) -> None:
    data = make(800, 600)  # type: ignore[operator]
    for length in range(min(len(data), 200)):
        found = read(data[:length], "image/png")
        assert found.kind == "image"
        assert (found.width, found.height) in ((None, None), (800, 600), (1, 1))


@pytest.mark.parametrize("size", [(0, 10), (10, 0), (2**31, 10), (70_000, 70_000), (2**32 - 1, 2**32 - 1)])
def test_a_size_that_no_picture_has_is_none(size: tuple[int, int]) -> None:
    found = read(png(*size))
    assert (found.kind, found.width, found.height) == ("image", None, None)


def test_bytes_are_believed_before_the_type_and_the_type_before_nothing() -> None:
    assert read(png(3, 4), "application/octet-stream").kind == "image"
    assert read(b"plain words", "image/png").kind == "image"
    assert read(b"plain words", "text/plain").kind == "document"
    assert read(b"plain words").kind == "other"
    assert media_of("audio/mpeg").kind == "audio"
    assert media_of(None) == Media("other")


def test_what_only_names_its_bytes_has_neither_size_nor_sides() -> None:
    assert media_of("image/png", detail="low") == Media("image", "image/png", detail="low")


@pytest.mark.parametrize("form", ["{0}", "data:image/png;base64,{0}", "data:image/png;charset=utf-8;base64,{0}"])
@pytest.mark.parametrize("width", [7, 62_000])
def test_base64_comes_with_a_prefix_in_lines_in_the_other_alphabet_and_without_padding(form: str, width: int) -> None:
    data = png(width, 63_000) + b"\xff\xfe\xfd"
    for text in (
        encoded(data),
        encoded(data).rstrip("="),
        base64.urlsafe_b64encode(data).decode(),
        base64.encodebytes(data).decode(),
    ):
        found = media_of(None, form.format(text))
        assert (found.width, found.height, found.size) == (width, 63_000, len(data))
        assert found.mime == ("image/png" if form.startswith("data:") else None)


# Documents


def object_stream(*objects: bytes, data: bytes | None = None) -> bytes:
    body = zlib.compress(b" ".join(objects)) if data is None else data
    return b"7 0 obj <</Type /ObjStm /N 3 /Filter /FlateDecode>>\nstream\r\n" + body + b"\nendstream endobj\n"


def pdf(*objects: bytes) -> bytes:
    return b"%PDF-1.7\n" + b"\n".join(objects) + b"\n%%EOF"


def test_pages_of_a_pdf_are_its_page_objects_wherever_they_stand() -> None:
    plain = [b"1 0 obj <</Type /Pages /Count 3>>", b"2 0 obj <</Type /Page>>", b"3 0 obj <</Type/Page/Parent 1 0 R>>"]
    assert read(pdf(*plain)).pages == 2
    assert read(pdf(object_stream(b"<</Type /Page>>", b"<</Type\n/Page >>", b"<</Type /Pages>>"))).pages == 2
    assert read(pdf(*plain, object_stream(b"<</Type /Page>>"), object_stream(b"<</Type /Page>>"))).pages == 4


@pytest.mark.parametrize(
    "data",
    [
        pdf(),
        pdf(b"<</Type /Page>>", object_stream(data=b"encrypted")),
        pdf(b"<</Type /Page>>", object_stream(b"<</Type /Page>>")[:60]),
        pdf(object_stream(data=zlib.compress(b"<</Type /Page>>")[:-6])),
        pdf(object_stream(data=zlib.compress(bytes(40 * 1024**2)))),
        pdf(b"<</Type /ObjStm >>" * 5_000),
    ],
)
def test_pages_that_can_not_all_be_counted_are_none(data: bytes) -> None:
    found = read(data)
    assert (found.kind, found.pages) == ("document", None)


# Recordings


def wav(seconds: float, rate: int = 32_000) -> bytes:
    form = struct.pack("<HHIIHH", 1, 1, rate // 2, rate, 2, 16)
    return riff(b"WAVE", (b"LIST", b"odd"), (b"fmt ", form), (b"data", bytes(int(seconds * rate))))


def streaming_wav(seconds: float) -> bytes:
    whole = wav(seconds)
    place = whole.index(b"data") + 4
    return whole[:place] + b"\xff\xff\xff\xff" + whole[place + 4 :]


def flac(seconds: float) -> bytes:
    packed = 44_100 << 44 | 1 << 41 | 15 << 36 | int(seconds * 44_100)
    return b"fLaC\0\0\0\x22" + bytes(10) + packed.to_bytes(8, "big") + bytes(16)


def ogg(first: bytes, samples: int) -> bytes:
    page = b"OggS\0" + bytes(22) + b"\x01\x13" + first
    return page + bytes(70_000) + b"OggS\0\x04" + struct.pack("<q", samples) + bytes(40)


def opus(seconds: float) -> bytes:
    return ogg(b"OpusHead\x01\x02" + struct.pack("<HI", 312, 16_000) + bytes(3), int(seconds * 48_000) + 312)


def vorbis(seconds: float) -> bytes:
    return ogg(b"\x01vorbis" + struct.pack("<IBI", 0, 2, 22_050) + bytes(14), int(seconds * 22_050))


def mp3(seconds: float) -> bytes:
    return b"\xff\xfb\x90\x00" + bytes(int(seconds * 16_000) - 4)


def tagged_mp3(seconds: float) -> bytes:
    return b"ID3\x04\0\0\0\x01\x00\x00" + bytes(16_384) + mp3(seconds)


def variable_mp3(seconds: float) -> bytes:
    frames = struct.pack(">II", 1, round(seconds * 44_100 / 1_152))
    return b"\xff\xfb\x90\x00" + bytes(32) + b"Xing" + frames + bytes(5_000)


def box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body) + 8) + name + body


def movie(seconds: float, brand: bytes = b"isom", version: int = 0) -> bytes:
    times = struct.pack(">QQIQ" if version else ">IIII", 0, 0, 600, int(seconds * 600))
    header = box(b"mvhd", bytes((version, 0, 0, 0)) + times + bytes(80))
    media = struct.pack(">I4sQ", 1, b"mdat", 200_016) + bytes(200_000)
    return box(b"ftyp", brand + bytes(4)) + media + box(b"moov", box(b"udta", b"") + header)


def long_movie(seconds: float) -> bytes:
    return movie(seconds, version=1)


def sound_movie(seconds: float) -> bytes:
    return movie(seconds, b"M4A ")


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (wav, "audio"), (streaming_wav, "audio"), (flac, "audio"), (opus, "audio"), (vorbis, "audio"), (mp3, "audio"),
        (tagged_mp3, "audio"), (variable_mp3, "audio"), (sound_movie, "audio"), (movie, "video"), (long_movie, "video"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("seconds", [0.5, 12.25])
def test_a_recording_lasts_as_long_as_its_header_says(make: object, kind: str, seconds: float) -> None:
    found = read(make(seconds))  # type: ignore[operator]
    assert found.kind == kind
    assert found.seconds == pytest.approx(seconds, abs=0.03)


@pytest.mark.parametrize(
    "data",
    [
        movie(10**6), wav(1, rate=0), flac(0), flac(1)[:20], mp3(1)[:3], b"\xff\xfb\xf0\0" + bytes(400),
        b"OggS\0" + bytes(400), ogg(b"OpusHead", -5), box(b"ftyp", b"isom") + bytes(64),
        box(b"ftyp", b"isom") + box(b"moov", b"") * 600, b"RIFF\0\0\0\0WAVE" + b"junk\0\0\0\0" * 600,
    ],
)  # fmt: skip
def test_a_duration_that_is_missing_or_absurd_is_none(data: bytes) -> None:
    assert read(data).seconds is None


# Anything


BEGINNINGS = [
    b"", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\xff\xd8\xff", b"GIF89a", b"BM" + bytes(8),
    b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0/", b"RIFF\0\0\0\0WEBPVP8 ", b"RIFF\0\0\0\0WEBPVP8X",
    b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08", b"\0\0\0\x18ftypheic", b"%PDF-1.7 /Type /ObjStm stream\n",
    b"RIFF\0\0\0\0WAVEfmt ", b"fLaC\0", b"OggS\0\x01vorbis", b"OggS\0OpusHead", b"\0\0\0\x18ftypmp42",
    b"\0\0\0\x08ftypM4A \0\0\0\0moov", b"ID3\x03\0\0", b"\xff\xfb\x90",
]  # fmt: skip


@given(st.sampled_from(BEGINNINGS), st.binary(max_size=200), st.sampled_from([None, "image/png", "video/mp4", "?"]))
def test_no_bytes_raise_and_no_number_is_out_of_its_range(begin: bytes, rest: bytes, mime: str | None) -> None:
    found = read(begin + rest, mime)
    assert found.size == len(begin + rest)
    assert (found.width is None) == (found.height is None)
    assert found.width is None or 1 <= found.width <= 65_535
    assert found.height is None or 1 <= found.height <= 65_535
    assert found.seconds is None or 0 <= found.seconds <= 86_400
    assert found.pages is None or found.pages >= 1


@given(st.text(max_size=200), st.booleans())
def test_what_is_no_base64_raises_nothing(text: str, prefixed: bool) -> None:
    found = media_of("image/png", f"data:image/png;base64,{text}" if prefixed else text)
    assert found.size is not None
    assert found.size >= 0
