"""The output for one log, which is printed when the whole log is checked. It is kept small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.core.lazy import LazyModule

if TYPE_CHECKING:
    import zlib
else:
    zlib = LazyModule("zlib")

_BLOCK = 1024 * 1024
_FASTEST = 1  # a report compresses to about a twentieth at any level


class CompressedBuffer:
    """Bytes that are written, then read in blocks, of which each begins and ends where a write does.

    All but the last megabyte or so is kept compressed. `first` is read before what was written.
    """

    def __init__(self) -> None:
        self.first = b""
        self._compressed: list[bytes] = []
        self._last = bytearray()

    def write(self, data: bytes | bytearray) -> None:
        """Append bytes."""
        self._last += data
        if len(self._last) >= _BLOCK:
            self._compressed.append(zlib.compress(self._last, _FASTEST))
            self._last = bytearray()

    def __bool__(self) -> bool:
        return bool(self.first or self._compressed or self._last)

    def __iter__(self) -> Iterator[bytes]:
        first = self.first
        for block in self._compressed:
            yield first + zlib.decompress(block)
            first = b""
        if first or self._last:
            yield first + self._last
