"""What a media block says of itself, and what the header of its bytes says: never a decoded pixel.

Only headers are read, each with a bound on its steps, and of the base64 only the parts that hold them.
Bytes that lie, end early or are none of these formats give None for what they should have said: no
input raises, and no number is made up. Each format is read as its public specification has it: PNG (W3C),
JPEG (ITU-T T.81), GIF89a, WebP (RFC 9649), BMP, TIFF 6.0, HEIF (ISO/IEC 23008-12), PDF (ISO 32000), WAV,
FLAC (RFC 9639), Ogg (RFC 3533, RFC 7845), MP3 (ISO/IEC 11172-3), MP4 (ISO/IEC 14496-12).
"""

from __future__ import annotations

import binascii
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from cenotaph.core.model import Media
from cenotaph.limits import (
    header_steps_max,
    image_side_pixels_max,
    media_seconds_max,
    pdf_bytes_max,
    pdf_inflated_bytes_max,
)

__all__ = ["media_of"]

_KINDS: Final = ("image", "audio", "video")
_DATA_URL: Final = re.compile(r"data:([^;,\s]{0,127})(?:;[^,]{0,255})?,", re.IGNORECASE)
_URL_SAFE: Final = str.maketrans("-_", "+/")


class _Facts(NamedTuple):
    """What a header says; None is what it does not say, or says wrongly."""

    kind: str
    width: int | None = None
    height: int | None = None
    pages: int | None = None
    seconds: float | None = None


def media_of(mime: str | None, data: str | None = None, *, detail: str | None = None) -> Media:
    """What is known of one media block.

    Args:
        mime: Its type, e.g. "image/png"; None if the block does not say. A `data:` prefix says it too.
        data: Its bytes in base64, with or without a `data:` prefix; None if the block only names them.
        detail: What it asks for, e.g. "low"; None if nothing.

    Returns:
        The kind by the bytes where they are of a known format, else by the type. Sizes and durations
        are None where no header says them; nothing here ever raises on what `data` holds.
    """
    if data is None:
        return Media(_kind_of(mime), mime, detail=detail)
    prefix = _DATA_URL.match(data)
    if prefix is not None:
        mime = mime or prefix[1] or None
    encoded = _Encoded(data[prefix.end() :] if prefix is not None else data)
    facts = _facts_of(encoded)
    if facts is None:
        return Media(_kind_of(mime), mime, size=encoded.size, detail=detail)
    kind, width, height, pages, seconds = facts
    return Media(kind, mime, width, height, pages, seconds, encoded.size, detail)


def _kind_of(mime: str | None) -> str:
    kind = (mime or "").partition("/")[0].lower()
    return kind if kind in _KINDS else "document" if mime else "other"


class _Encoded:
    """Bytes that stand in base64; only what is asked for is decoded."""

    def __init__(self, text: str) -> None:
        if any(char in text for char in "\n\r \t"):
            text = "".join(text.split())
        self._text = text.rstrip("=")
        self.size = len(self._text) * 3 // 4

    def read(self, start: int, count: int) -> bytes:
        """Up to `count` bytes from `start`; fewer at the end, and where a character is no base64."""
        first = start // 3 * 4
        quads = -(-(start % 3 + count) // 3)
        piece = self._text[first : first + quads * 4].translate(_URL_SAFE)
        if len(piece) % 4 == 1:
            piece = piece[:-1]
        try:
            decoded = binascii.a2b_base64(piece + "=" * (-len(piece) % 4))
        except ValueError:  # binascii.Error, and a character above ASCII
            return b""
        return decoded[start % 3 :][:count]


def _facts_of(encoded: _Encoded) -> _Facts | None:
    head = encoded.read(0, 32)
    for recognise, read in _FORMATS:
        if recognise(head):
            try:
                return read(encoded, head)
            except (struct.error, IndexError, ZeroDivisionError):  # it ends before its header does
                return read.torn
    return None


# Reading ------------------------------------------------------------------------------------------


class _Reader:
    """A reader of one format, and what is left to say of a file that ends in its header."""

    def __init__(self, kind: str, read: Callable[[_Encoded, bytes], _Facts]) -> None:
        self.torn = _Facts(kind)
        self._read = read

    def __call__(self, encoded: _Encoded, head: bytes) -> _Facts:
        return self._read(encoded, head)


def _image(width: int, height: int) -> _Facts:
    if 0 < width <= image_side_pixels_max and 0 < height <= image_side_pixels_max:
        return _Facts("image", width, height)
    return _Facts("image")


def _recording(kind: str, seconds: float) -> _Facts:
    seconds = round(seconds, 3)
    return _Facts(kind, seconds=seconds if 0 < seconds <= media_seconds_max else None)


def _png(encoded: _Encoded, head: bytes) -> _Facts:
    """Its size; unknown where no chunk follows the header: then it is no picture, whatever the header says."""
    following = encoded.read(33, 8)
    length, name = struct.unpack(">I4s", following) if len(following) == 8 else (0, b"IEND")
    sound = head[12:16] == b"IHDR" and name.isalpha() and 33 + 12 + length <= max(encoded.size + 3, 45)
    return _image(*struct.unpack_from(">II", head, 16)) if sound else _Facts("image")


def _gif(encoded: _Encoded, head: bytes) -> _Facts:
    return _image(*struct.unpack_from("<HH", head, 6))


def _bmp(encoded: _Encoded, head: bytes) -> _Facts:
    if struct.unpack_from("<I", head, 14)[0] == 12:  # the header of OS/2
        return _image(*struct.unpack_from("<HH", head, 18))
    width, height = struct.unpack_from("<ii", head, 18)
    return _image(width, abs(height))


def _webp(encoded: _Encoded, head: bytes) -> _Facts:
    chunk = head[12:16]
    if chunk == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", head, 26)
        return _image(width & 0x3FFF, height & 0x3FFF)
    if chunk == b"VP8L" and head[20] == 0x2F:
        bits = struct.unpack_from("<I", head, 21)[0]
        return _image((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if chunk == b"VP8X" and len(head) >= 30:
        return _image(int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1)
    return _Facts("image")


_NO_FRAME_HEADER: Final = frozenset({0xC4, 0xC8, 0xCC})
"""Markers among C0 to CF that are no start of a frame: Huffman tables, an extension, arithmetic coding."""


def _jpeg(encoded: _Encoded, head: bytes) -> _Facts:
    position = 2
    for _ in range(header_steps_max):
        marker = encoded.read(position, 9)
        if marker[0] != 0xFF:
            break
        if marker[1] == 0xFF or marker[1] == 0x01 or 0xD0 <= marker[1] <= 0xD8:  # filling, or without a length
            position += 1 if marker[1] == 0xFF else 2
            continue
        if 0xC0 <= marker[1] <= 0xCF and marker[1] not in _NO_FRAME_HEADER:
            height, width = struct.unpack_from(">HH", marker, 5)
            return _image(width, height)
        if marker[1] in (0xD9, 0xDA):
            break
        position += 2 + max(2, struct.unpack_from(">H", marker, 2)[0])
    return _Facts("image")


def _tiff(encoded: _Encoded, head: bytes) -> _Facts:
    order = "<" if head[:2] == b"II" else ">"
    (directory,) = struct.unpack_from(f"{order}I", head, 4)
    (entries,) = struct.unpack(f"{order}H", encoded.read(directory, 2))
    sides: dict[int, int] = {}
    for index in range(min(entries, header_steps_max)):
        entry = encoded.read(directory + 2 + 12 * index, 12)
        tag, form = struct.unpack_from(f"{order}HH", entry)
        if tag in (256, 257):
            sides[tag] = struct.unpack_from(f"{order}H" if form == 3 else f"{order}I", entry, 8)[0]
    return _image(sides.get(256, 0), sides.get(257, 0))


_HEIF_HEAD_BYTES: Final = 65_536


def _heif(encoded: _Encoded, head: bytes) -> _Facts:
    """The largest of its items: a picture may be stored in tiles, each with a size of its own."""
    largest = _Facts("image")
    found = re.finditer(rb"ispe\0\0\0\0(.{8})", encoded.read(0, _HEIF_HEAD_BYTES), re.DOTALL)
    for facts in (_image(*struct.unpack(">II", match[1])) for match in found):
        if (facts.width or 0) * (facts.height or 0) > (largest.width or 0) * (largest.height or 0):
            largest = facts
    return largest


# Documents ----------------------------------------------------------------------------------------

_PAGE: Final = re.compile(rb"/Type[\s\0]{0,16}/Page(?![A-Za-z0-9])")
_OBJECT_STREAM: Final = re.compile(rb"/Type[\s\0]{0,16}/ObjStm")
_DICTIONARY_BYTES_MAX: Final = 2_048
"""Within so many bytes after its type the dictionary of an object stream ends and the stream begins."""


def _pdf(encoded: _Encoded, head: bytes) -> _Facts:
    """Its page objects, also those in compressed object streams; an update may make them a few too many."""
    if encoded.size > pdf_bytes_max:
        return _Facts("document")
    data = encoded.read(0, encoded.size)
    pages = len(_PAGE.findall(data))
    room, position = pdf_inflated_bytes_max, 0
    while found := _OBJECT_STREAM.search(data, position):
        begin = data.find(b"stream", found.end(), found.end() + _DICTIONARY_BYTES_MAX)
        position = data.find(b"endstream", begin)
        objects = _inflated(data[begin + 6 : position].lstrip(b"\r\n"), room) if 0 <= begin < position else None
        if objects is None:
            return _Facts("document")  # encrypted, torn, or larger than anybody needs
        room -= len(objects)
        pages += len(_PAGE.findall(objects))
    return _Facts("document", pages=pages or None)


def _inflated(data: bytes, room: int) -> bytes | None:
    """What a Flate stream holds; None if it is none, ends early, or holds more than `room` bytes."""
    stream = zlib.decompressobj()
    try:
        objects = stream.decompress(data, room + 1)
    except zlib.error:
        return None
    return objects if stream.eof and len(objects) <= room else None


# Recordings ---------------------------------------------------------------------------------------


def _wav(encoded: _Encoded, head: bytes) -> _Facts:
    position, rate = 12, 0
    for _ in range(header_steps_max):
        chunk = encoded.read(position, 20)
        name, (size,) = chunk[:4], struct.unpack_from("<I", chunk, 4)
        if name == b"fmt ":
            (rate,) = struct.unpack_from("<I", chunk, 16)
        elif name == b"data":
            return _recording("audio", min(size, encoded.size - position - 8) / rate)
        position += 8 + size + size % 2
    return _Facts("audio")


def _flac(encoded: _Encoded, head: bytes) -> _Facts:
    (bits,) = struct.unpack_from(">Q", head, 18)  # 20 of the rate, 3 of the channels, 5 of the depth, 36 of the samples
    return _recording("audio", (bits & (1 << 36) - 1) / (bits >> 44))


_OGG_TAIL_BYTES: Final = 65_536 + 282
"""The largest page: the last one begins in so many bytes before the end."""


def _ogg(encoded: _Encoded, head: bytes) -> _Facts:
    begin = encoded.read(0, 128)
    opus = begin.find(b"OpusHead")
    vorbis = begin.find(b"\x01vorbis")
    if opus >= 0:
        rate, skipped = 48_000, struct.unpack_from("<H", begin, opus + 10)[0]
    elif vorbis >= 0:
        rate, skipped = struct.unpack_from("<I", begin, vorbis + 12)[0], 0
    else:
        return _Facts("audio")
    tail = encoded.read(max(0, encoded.size - _OGG_TAIL_BYTES), _OGG_TAIL_BYTES)
    (samples,) = struct.unpack_from("<q", tail, tail.rfind(b"OggS") + 6)
    return _recording("audio", (samples - skipped) / rate)


_MP3_KILOBITS: Final = {
    True: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    False: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
}
"""Rates of layer III by their index, for version 1 and for versions 2 and 2.5; 0 is free or forbidden."""
_MP3_HERTZ: Final = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}


def _mp3(encoded: _Encoded, head: bytes) -> _Facts:
    start = 0
    if head[:3] == b"ID3":
        start = 10 + (head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9])
    frame = encoded.read(start, 192)
    version = frame[1] >> 3 & 3
    if frame[0] != 0xFF or frame[1] & 0xE6 != 0xE2 or version not in _MP3_HERTZ or frame[2] >> 2 & 3 == 3:
        return _Facts("audio")
    hertz = _MP3_HERTZ[version][frame[2] >> 2 & 3]
    table = max(frame.find(b"Xing"), frame.find(b"Info"))
    if table >= 0 and frame[table + 7] & 1:
        frames = struct.unpack_from(">I", frame, table + 8)[0]
        return _recording("audio", frames * (1_152 if version == 3 else 576) / hertz)
    kilobits = _MP3_KILOBITS[version == 3][frame[2] >> 4]
    return _recording("audio", (encoded.size - start) / (kilobits * 125))


def _mp4(encoded: _Encoded, head: bytes) -> _Facts:
    kind = "audio" if head[8:11] in (b"M4A", b"M4B") else "video"
    for name, body, end in _boxes(encoded, 0, encoded.size):
        if name != b"moov":
            continue
        for inner, place, _ in _boxes(encoded, body, end):
            if inner == b"mvhd":
                return _recording(kind, _movie_seconds(encoded.read(place, 32)))
    return _Facts(kind)


def _movie_seconds(header: bytes) -> float:
    long = header[0] == 1
    timescale, duration = struct.unpack_from(">IQ" if long else ">II", header, 20 if long else 12)
    return float(duration / timescale)


def _boxes(encoded: _Encoded, position: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """(name, first byte, end) of the boxes that stand side by side; ends at one that goes nowhere."""
    for _ in range(header_steps_max):
        header = encoded.read(position, 16)
        if position >= end or len(header) < 8:
            return
        (size,) = struct.unpack_from(">I", header)
        body = position + 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", header, 8)
            body += 8
        size = end - position if size == 0 else size
        if size < body - position:
            return
        yield header[4:8], body, min(end, position + size)
        position += size


# Which format -------------------------------------------------------------------------------------

_HEIF_BRANDS: Final = (b"heic", b"heix", b"heif", b"mif1", b"msf1", b"avif", b"avis")


def _is_mp3(head: bytes) -> bool:
    return head[:3] == b"ID3" or (head[:1] == b"\xff" and len(head) > 1 and head[1] & 0xE6 == 0xE2)


_FORMATS: Final[tuple[tuple[Callable[[bytes], bool], _Reader], ...]] = (
    (lambda head: head.startswith(b"\x89PNG\r\n\x1a\n"), _Reader("image", _png)),
    (lambda head: head.startswith(b"\xff\xd8\xff"), _Reader("image", _jpeg)),
    (lambda head: head.startswith((b"GIF87a", b"GIF89a")), _Reader("image", _gif)),
    (lambda head: head.startswith(b"RIFF") and head[8:12] == b"WEBP", _Reader("image", _webp)),
    (lambda head: head.startswith((b"II*\0", b"MM\0*")), _Reader("image", _tiff)),
    (lambda head: head.startswith(b"BM") and head[6:10] == bytes(4), _Reader("image", _bmp)),
    (lambda head: head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS, _Reader("image", _heif)),
    (lambda head: b"%PDF-" in head, _Reader("document", _pdf)),
    (lambda head: head.startswith(b"RIFF") and head[8:12] == b"WAVE", _Reader("audio", _wav)),
    (lambda head: head.startswith(b"fLaC"), _Reader("audio", _flac)),
    (lambda head: head.startswith(b"OggS"), _Reader("audio", _ogg)),
    (lambda head: head[4:8] == b"ftyp" and len(head) >= 12, _Reader("video", _mp4)),
    (_is_mp3, _Reader("audio", _mp3)),
)
"""How each format begins, first match wins; MP3 last, since its mark is eleven bits."""
