"""What a provider measures of an image or a document: its type, its pixels, its length as base64."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from inspector.core.wire.media.pixels import size_of
from inspector.core.wire.media.reading import placed_media
from inspector.core.wire.spelling.rows import Spelling


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


def media_in(block: Any, spelling: Spelling) -> Iterator[Medium]:
    """The media in a parsed block or result, in order."""
    for pointer, media in placed_media(block, spelling):
        form = "image at an address" if media.is_image and media.url else media.type
        width, height = size_of(media.data) if media.is_image else (0, 0)
        yield Medium(pointer, form, media.is_image, len(media.data), width, height)
