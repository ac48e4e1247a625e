"""Images and documents in a message, in the spelling of any provider: where they stand, how large they are.

The size in pixels is read from the head of the data. Sources of the layouts: PNG (W3C, 11.2.2 IHDR), GIF89a (18),
JPEG (ITU-T T.81, B.2.2 frame header), WebP (RFC 9649, 2.5-2.7). What is no base64, or of another kind, has no size.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

_HEAD, _FRAME = 256, 64 * 1024  # characters; the frame of a JPEG comes behind previews and profiles of any length
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})  # markers of a JPEG that no length follows
_DEEPEST = 3  # a result of a tool holds a list of blocks; no provider nests them further
_HOLDERS = ("content", "toolResult", "functionResponse", "parts")  # members that media stand in


class Medium(Struct, frozen=True):
    """One image or document. `pointer` is relative to where the search began, `encoded` its length as base64.

    `width` and `height` are pixels, 0 where they are not known; `type` is its media type, or the kind of the block.
    """

    pointer: str
    type: str
    is_image: bool
    encoded: int = 0
    width: int = 0
    height: int = 0

    @property
    def longest_side(self) -> int:
        return max(self.width, self.height)

    @property
    def words(self) -> str:
        """Type, pixels and size, as far as they are known."""
        pixels = [f"{self.width}×{self.height} pixels"] if self.width else []
        size = [f"{self.encoded * 3 // 4:,} bytes"] if self.encoded else []
        return ", ".join([self.type, *pixels, *size])


def media_in(value: Any, at: str = "", deepest: int = _DEEPEST) -> Iterator[Medium]:
    """The media in a parsed block or result, in order."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, dict):
                yield from media_in(item, f"{at}/{number}", deepest)
    elif isinstance(value, dict):
        found = _medium(value, at)
        if found is not None:
            yield found
            return
        for key in _HOLDERS if deepest else ():
            if isinstance(value.get(key), list | dict):
                yield from media_in(value[key], f"{at}/{key}", deepest - 1)


def _medium(block: dict[str, Any], at: str) -> Medium | None:
    """The medium that a block is, None when it is something else."""
    kind = block.get("type")
    if kind in ("image", "document") and isinstance(block.get("source"), dict):
        source = block["source"]
        return _measured(at, source.get("media_type") or kind, kind == "image", source.get("data"))
    if kind in ("image_url", "input_image"):
        url = block.get("image_url")
        return _of_url(at, url.get("url") if isinstance(url, dict) else url)
    for key, name in (("inlineData", "mimeType"), ("inline_data", "mime_type")):
        inline = block.get(key)
        if isinstance(inline, dict):
            form = str(inline.get(name) or inline.get("mimeType") or "media")
            return _measured(at, form, form.startswith("image/"), inline.get("data"))
    image = block.get("image")
    if isinstance(image, dict) and isinstance(image.get("source"), dict):
        return _measured(at, f"image/{image.get('format') or 'unknown'}", True, image["source"].get("bytes"))
    return None


def _of_url(at: str, url: Any) -> Medium:
    if not isinstance(url, str) or not url.startswith("data:"):
        return Medium(at, "image at an address", True)
    head, _, data = url.partition(",")
    return _measured(at, head[len("data:") :].partition(";")[0] or "image", True, data)


def _measured(at: str, form: Any, is_image: bool, data: Any) -> Medium:
    if not isinstance(data, str):
        return Medium(at, str(form), is_image)
    width, height = size_of(data) if is_image else (0, 0)
    return Medium(at, str(form), is_image, len(data), width, height)


def size_of(data: str) -> tuple[int, int]:
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
