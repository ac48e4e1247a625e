"""The size of an image in pixels, read from the head of its data.

Sources of the layouts: PNG (W3C, 11.2.2 IHDR), GIF89a (18), JPEG (ITU-T T.81, B.2.2 frame header), WebP (RFC 9649,
2.5-2.7). What is no base64, or of another kind, has no size.
"""

import binascii
from collections.abc import Callable

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
