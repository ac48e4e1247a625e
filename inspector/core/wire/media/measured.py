"""What a provider measures of an image or a document: its type, its pixels, its length as base64."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from inspector.core.wire.media.pixels import image_size
from inspector.core.wire.media.reading import locate_media
from inspector.core.wire.spelling.rows import BlockSchema


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
