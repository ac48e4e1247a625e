"""Images and documents as a wire spells them, with their data, and where they stand in a parsed value.

Merged; to be rewritten:
`measured`: What a provider measures of an image or a document: its type, its pixels, its length as base64.
`pixels`: The size of an image in pixels, read from the head of its data.
"""

import binascii
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from inspector.core.providers.block_schema import BlockSchema
from inspector.core.storage.json_text import value_at

_DEEPEST_IN_A_BLOCK, _DEEPEST = 3, 6  # no provider nests them further


class Media(Struct, frozen=True):
    """An image, document or sound: its base64 text, or the address it lies at ("" where there is none).

    `type` is its media type, or the kind of the block where that is not told.
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
        """Its media type; where it is not told, the likeliest one."""
        return {"image": "image/png", "document": "application/pdf"}.get(self.type, self.type)

    @property
    def label(self) -> str:
        size = f", {len(self.data) * 3 // 4:,} bytes" if self.data else ""
        return f"[{self.type or 'media'}{size}]"


def parse_media(part: Any, spelling: BlockSchema) -> Media | None:
    """The media that a parsed part is, None when it is something else."""
    row = next((row for row in spelling.media if row.matches(part)), None)
    if row is None:
        return None
    form = _first(part, row.media_type) or row.default_type or str(part["type"])
    data, url, name = (_first(part, places) for places in (row.data, row.url, row.name))
    if url.startswith("data:"):
        head, _, data = url.partition(",")
        form, url = head[len("data:") :].partition(";")[0] or form, ""
    return Media(row.type_prefix + form, data, url, name)


def _first(part: Any, places: tuple[str, ...]) -> str:
    """The first text at some places, "" for none."""
    found = (value_at(part, place) for place in places)
    return next((text for text in found if isinstance(text, str) and text), "")


def text_and_media_parts(content: Any, spelling: BlockSchema) -> tuple[str | Media, ...] | None:
    """The texts and media of a parsed content in order, None where it is no list of such parts."""
    if isinstance(content, str):
        return (content,)
    if not isinstance(content, list):
        alone = parse_media(content, spelling)
        return None if alone is None else (alone,)
    found: list[str | Media] = []
    for part in content:
        text = part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None
        media = parse_media(part, spelling)
        if media is not None:
            found.append(media)
        elif isinstance(text, str):
            found.append(text)
        else:
            return None
    return tuple(found)


def find_media(value: Any, spelling: BlockSchema) -> list[Media]:
    """All media in a parsed result, whatever an agent keeps around them, in order."""
    holders = (*spelling.media_keys, *spelling.kept_in)
    return [media for _, media in _placed(value, "", spelling, holders, _DEEPEST)]


def locate_media(block: Any, spelling: BlockSchema) -> Iterator[tuple[str, Media]]:
    """The media in a parsed block or result with the pointer to each, in order."""
    return _placed(block, "", spelling, spelling.media_keys, _DEEPEST_IN_A_BLOCK)


def _placed(
    value: Any, at: str, spelling: BlockSchema, holders: tuple[str, ...], deepest: int
) -> Iterator[tuple[str, Media]]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, dict):
                yield from _placed(item, f"{at}/{number}", spelling, holders, deepest)
    elif isinstance(value, dict):
        found = parse_media(value, spelling)
        if found is not None:
            yield at, found
            return
        for key in holders if deepest else ():
            if isinstance(value.get(key), list | dict):
                yield from _placed(value[key], f"{at}/{key}", spelling, holders, deepest - 1)


# What a provider measures of an image or a document: its type, its pixels, its length as base64.


class MeasuredMedia(Struct, frozen=True):
    """One image or document. `pointer` is relative to where the search began, `encoded` its length as base64.

    `width` and `height` are pixels, 0 where they are not known; `type` is its media type, or the kind of the block.
    """

    pointer: str
    type: str
    is_image: bool
    base64_length: int = 0
    width: int = 0
    height: int = 0

    @property
    def longest_side(self) -> int:
        return max(self.width, self.height)

    @property
    def description(self) -> str:
        """Type, pixels and size, as far as they are known."""
        pixels = [f"{self.width}×{self.height} pixels"] if self.width else []
        size = [f"{self.base64_length * 3 // 4:,} bytes"] if self.base64_length else []
        return ", ".join([self.type, *pixels, *size])


def measure_media(block: Any, spelling: BlockSchema) -> Iterator[MeasuredMedia]:
    """The media in a parsed block or result, in order."""
    for pointer, media in locate_media(block, spelling):
        form = "image at an address" if media.is_image and media.url else media.type
        width, height = image_size(media.data) if media.is_image else (0, 0)
        yield MeasuredMedia(pointer, form, media.is_image, len(media.data), width, height)


# The size of an image in pixels, read from the head of its data.
#
# Sources of the layouts: PNG (W3C, 11.2.2 IHDR), GIF89a (18), JPEG (ITU-T T.81, B.2.2 frame header), WebP (RFC 9649,
# 2.5-2.7). What is no base64, or of another kind, has no size.

_HEAD, _FRAME = 256, 64 * 1024  # characters; the frame of a JPEG comes behind previews and profiles of any length
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})  # markers of a JPEG that no length follows


def image_size(data: str) -> tuple[int, int]:
    """Width and height of an image in base64, (0, 0) when they cannot be told."""
    for length in (_HEAD, _FRAME, len(data)):
        head = _decoded(data[:length])
        measure = next((each for mark, each in _MEASURES.items() if head.startswith(mark)), None)
        width, height = measure(head) if measure is not None else (0, 0)
        if width and height:
            return width, height
        if measure is not _jpeg or length >= len(data):
            break
    return 0, 0


def _decoded(text: str) -> bytes:
    """As much of a base64 text as makes whole bytes."""
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
    """The frame header, behind segments of which each says how long it is."""
    at = 2
    while at + 9 <= len(head):
        if head[at] != 0xFF:
            return 0, 0
        marker = head[at + 1]
        if marker in _FRAMES:
            return int.from_bytes(head[at + 7 : at + 9], "big"), int.from_bytes(head[at + 5 : at + 7], "big")
        if marker == 0xFF:
            at += 1
        else:
            at += 2 if marker in _ALONE else 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return 0, 0


_MEASURES: dict[bytes, Callable[[bytes], tuple[int, int]]] = {
    b"\x89PNG\r\n\x1a\n": _png,
    b"GIF8": _gif,
    b"\xff\xd8": _jpeg,
    b"RIFF": _webp,
}
