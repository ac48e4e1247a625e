"""The images, documents and sounds in a parsed value: where they are, and their type, pixels and size."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.providers.block_schema import BlockSchema
from inspector.core.storage.json_text import text_at, value_at
from inspector.core.translation import joined, tr, tr_plural

if TYPE_CHECKING:
    import binascii
else:
    binascii = LazyModule("binascii")

_LONGEST_ADDRESS = 200  # of one without a scheme, such as the id of a file
_DEEPEST_IN_A_BLOCK, _DEEPEST = 3, 6  # no provider nests them further


class Media(Struct, frozen=True):
    """An image, document or sound: its base64 text, or its address, "" where there is none.

    `type` is its media type, or the kind of the block where that is not given.
    """

    type: str
    data: str = ""
    url: str = ""
    name: str = ""

    @property
    def is_image(self) -> bool:
        return self.type.startswith("image")

    @property
    def media_type(self) -> str:
        """Its media type, or the likeliest one where it is not given."""
        return {"image": "image/png", "document": "application/pdf"}.get(self.type, self.type)

    @property
    def label(self) -> str:
        size = f", {len(self.data) * 3 // 4:,} bytes" if self.data else ""
        return f"[{self.type or 'media'}{size}]"


def parse_media(part: Any, spelling: BlockSchema) -> Media | None:
    """Return the media that a parsed part is, None when it is something else."""
    row = next((row for row in spelling.media if row.matches(part)), None)
    if row is None:
        return None
    form = _first(part, row.media_type) or row.default_type or str(part["type"])
    data, url, name = (_first(part, places) for places in (row.data, row.url, row.name))
    if url.startswith("data:"):
        head, _, data = url.partition(",")
        form, url = head[len("data:") :].partition(";")[0] or form, ""
    elif len(url) > _LONGEST_ADDRESS and "://" not in url:  # some APIs take data in the place of an address
        data, url = url, ""
    return Media(row.type_prefix + form, data, url, name)


def _first(part: Any, places: tuple[str, ...]) -> str:
    """Return the first text at some places, "" for none."""
    values = (value_at(part, place) for place in places)
    return next((text for text in values if isinstance(text, str) and text), "")


def text_and_media_parts(content: Any, spelling: BlockSchema) -> tuple[str | Media, ...] | None:
    """Return the texts and media of a parsed content in order, None where it has other parts."""
    if isinstance(content, str):
        return (content,)
    if not isinstance(content, list):
        single = parse_media(content, spelling)
        return None if single is None else (single,)
    parts: list[str | Media] = []
    for part in content:
        text = part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None
        media = parse_media(part, spelling)
        if media is not None:
            parts.append(media)
        elif isinstance(text, str):
            parts.append(text)
        else:
            return None
    return tuple(parts)


def find_media(value: Any, spelling: BlockSchema) -> list[Media]:
    """Return all media in a parsed result in order, including those in members that an agent puts around them."""
    holders = (*spelling.media_keys, *spelling.kept_in)
    return [media for _, media in _placed(value, "", spelling, holders, _DEEPEST)]


def locate_media(block: Any, spelling: BlockSchema) -> Iterator[tuple[str, Media]]:
    """Yield the media in a parsed block or result with the pointer to each, in order."""
    return _placed(block, "", spelling, spelling.media_keys, _DEEPEST_IN_A_BLOCK)


def _placed(
    value: Any, at: str, spelling: BlockSchema, holders: tuple[str, ...], deepest: int
) -> Iterator[tuple[str, Media]]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, dict):
                yield from _placed(item, f"{at}/{number}", spelling, holders, deepest)
    elif isinstance(value, dict):
        media = parse_media(value, spelling)
        if media is not None:
            yield at, media
            return
        for key in holders if deepest else ():
            if isinstance(value.get(key), list | dict):
                yield from _placed(value[key], f"{at}/{key}", spelling, holders, deepest - 1)


class MeasuredMedia(Struct, frozen=True):
    """One image or document. `pointer` is relative to the value that was searched.

    `width` and `height` are pixels, 0 where they are not known. `type` is its media type, or the kind of the block.
    `source_type` is the type of its source in the form of Anthropic ("base64", "url"), "" in any other form.
    `detected_type` is the media type that its first bytes show, UNKNOWN_TYPE where they show none that is known here,
    "" where it has no bytes, or none that can be read. `is_empty`: its data in that form are an empty text.
    """

    pointer: str
    type: str
    is_image: bool
    base64_length: int = 0
    width: int = 0
    height: int = 0
    source_type: str = ""
    detected_type: str = ""
    is_empty: bool = False

    @property
    def longest_side(self) -> int:
        return max(self.width, self.height)

    @property
    def description(self) -> str:
        """Type, pixels and size, as far as they are known."""
        size = self.base64_length * 3 // 4
        parts = [self.type]
        if self.width:
            parts.append(tr("{width}×{height} pixels", width=self.width, height=self.height))
        if size:
            parts.append(tr_plural("{number:,} byte", "{number:,} bytes", size))
        return joined(", ", parts)


def measure_media(block: Any, spelling: BlockSchema) -> Iterator[MeasuredMedia]:
    """Yield the measured media in a parsed block or result, in order."""
    for pointer, media in locate_media(block, spelling):
        form = tr("image at a URL") if media.is_image and media.url else media.type
        width, height = image_size(media.data) if media.is_image else (0, 0)
        part, detected = value_at(block, pointer), detect_media_type(media.data)
        source, is_empty = text_at(part, "/source/type"), value_at(part, "/source/data") == ""
        yield MeasuredMedia(pointer, form, media.is_image, len(media.data), width, height, source, detected, is_empty)


def describe_media(part: dict[str, Any], spelling: BlockSchema) -> str:
    """Return the address of a part with media, or the id of its file, else its type, pixels and size."""
    media, measured = parse_media(part, spelling), next(measure_media(part, spelling), None)
    if media is None or measured is None:
        return str(part.get("type") or next(iter(part), ""))
    return media.url or measured.description


# The signatures of files, in the sources of the image layouts below and in ISO 32000-1 (7.5.2 File header). Readers
# find the header of a PDF anywhere in the first 1024 bytes (Adobe's implementation note 13).
UNKNOWN_TYPE = "unknown"
_WEBP, _PDF = b"WEBP", b"%PDF"
_SIGNATURE_HEAD = 1368  # characters: 1024 bytes, and the last group of base64
_BASE64_HEAD = lazy_regex(r"[A-Za-z0-9+/\s]*={0,2}\s*")


def detect_media_type(data: str) -> str:
    """Return the media type that the first bytes of base64 data show: UNKNOWN_TYPE for another one, "" for no base64.

    Only images that providers take and PDF are known.
    """
    text = data[:_SIGNATURE_HEAD]
    head = _decoded(text) if _BASE64_HEAD.fullmatch(text) else b""
    if not head:
        return ""
    known = next((form for signature, (form, _) in _IMAGES.items() if head.startswith(signature)), "")
    if known == "image/webp" and head[8:12] != _WEBP:
        known = ""
    return known or ("application/pdf" if _PDF in head else UNKNOWN_TYPE)


# Sources of the image layouts: PNG (W3C, 11.2.2 IHDR), GIF89a (18), JPEG (ITU-T T.81, B.2.2 frame header), WebP (RFC
# 9649, 2.5-2.7). Data of another kind, or that is not base64, has no size.
#
# The package imagesize is not used: 2.0 imports an HTTP client with OpenSSL and an XML parser, so that a check of a
# small log with one image takes a quarter more time; 1.4 measures extended WebP a pixel too small.

# In characters. The frame of a JPEG comes after previews and profiles of any length.
_HEAD, _FRAME = 256, 64 * 1024
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})  # markers of a JPEG that no length follows


def image_size(data: str) -> tuple[int, int]:
    """Return width and height of an image in base64, (0, 0) when they are not known."""
    for length in (_HEAD, _FRAME, len(data)):
        head = _decoded(data[:length])
        measure = next((reader for signature, (_, reader) in _IMAGES.items() if head.startswith(signature)), None)
        width, height = measure(head) if measure is not None else (0, 0)
        if width and height:
            return width, height
        if measure is not _jpeg or length >= len(data):
            break
    return 0, 0


def _decoded(text: str) -> bytes:
    """Decode the part of a base64 text that makes whole bytes."""
    try:
        return binascii.a2b_base64(text[: len(text) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _png(head: bytes) -> tuple[int, int]:
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def _gif(head: bytes) -> tuple[int, int]:
    return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")


def _webp(head: bytes) -> tuple[int, int]:
    form = head[8:16]
    if form == b"WEBPVP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if form == b"WEBPVP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"WEBPVP8 ":
        return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF
    return 0, 0


def _jpeg(head: bytes) -> tuple[int, int]:
    """Read the frame header, which comes after segments that each name their length."""
    position = 2
    while position + 9 <= len(head):
        if head[position] != 0xFF:
            return 0, 0
        marker = head[position + 1]
        if marker in _FRAMES:
            return int.from_bytes(head[position + 7 : position + 9], "big"), int.from_bytes(
                head[position + 5 : position + 7], "big"
            )
        if marker == 0xFF:
            position += 1
        else:
            position += 2 if marker in _ALONE else 2 + int.from_bytes(head[position + 2 : position + 4], "big")
    return 0, 0


# The media type of each signature, and what reads the size of such an image.
_IMAGES: dict[bytes, tuple[str, Callable[[bytes], tuple[int, int]]]] = {
    b"\x89PNG\r\n\x1a\n": ("image/png", _png),
    b"\xff\xd8": ("image/jpeg", _jpeg),
    b"GIF8": ("image/gif", _gif),
    b"RIFF": ("image/webp", _webp),
}
