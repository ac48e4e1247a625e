"""Compressed files: recognizing them by their first bytes, and unpacking them up to a limit.

Nothing is ever compressed.
"""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from inspector.core.lazy import LazyModule

if TYPE_CHECKING:
    import bz2
    import gzip
    import lzma
    import zlib
else:
    bz2, gzip, lzma, zlib = map(LazyModule, ("bz2", "gzip", "lzma", "zlib"))

MAX_EXPANSION_RATIO = 200  # unpacked size of a file, as a multiple of its packed size
READ_SIZE = 1024 * 1024
_MAX_XZ_MEMORY = 256 * 1024 * 1024  # bytes that the dictionary of an xz file may need; `xz -9` needs 65 MB


class Compression(NamedTuple):
    """A compression: its name, and the bytes that a file begins with."""

    name: str
    magic: bytes


ZSTD = Compression("zstd", b"\x28\xb5\x2f\xfd")
COMPRESSIONS = (
    Compression("gzip", b"\x1f\x8b"),
    ZSTD,
    Compression("xz", b"\xfd7zXZ\x00"),
    Compression("bzip2", b"BZh"),
)


class ExpansionError(Exception):
    """The unpacked bytes exceed the limit."""


def compression_of(head: bytes) -> Compression | None:
    """Return the compression of a file with this head, None for a file that is not compressed."""
    return next((each for each in COMPRESSIONS if head.startswith(each.magic)), None)


def decompressed(packed: IO[bytes]) -> IO[bytes]:
    """Return the unpacked bytes of a compressed file, or the file itself if it is not compressed.

    Reading raises ExpansionError once they exceed the limit, and one of `errors` if they are damaged. Closing the
    result closes the file.
    """
    found = compression_of(packed.read(max(len(each.magic) for each in COMPRESSIONS)))
    packed.seek(0)
    if found is None:
        return packed
    return io.BufferedReader(_ExpansionGuard(_unpacked(found.name, packed), packed))


def _unpacked(name: str, packed: IO[bytes]) -> Any:
    if name == "gzip":
        return gzip.GzipFile(fileobj=packed)
    if name == "zstd":
        return zstd_library().ZstdFile(packed)
    return bz2.BZ2File(packed) if name == "bzip2" else _XzFile(packed)


def decompression_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that the libraries raise for damaged data."""
    return (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zstd_library().ZstdError)


def is_truncation_error(error: Exception) -> bool:
    """Return whether an error of a library says that the end of the data is missing."""
    return isinstance(error, EOFError) or "unexpected end" in str(error)


def zstd_library() -> Any:
    """Import the standard library's module, or its backport."""
    return import_module("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")


class _XzFile:
    """The unpacked bytes of an xz file. The standard library's LZMAFile sets no limit to the memory of a dictionary."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed, self._rest = packed, b""
        self._stream = _new_xz_stream()

    def read(self, size: int) -> bytes:
        while True:
            if self._stream.eof:
                # A file can hold several streams, padded with zeros.
                self._rest = (self._stream.unused_data.lstrip(b"\0") or self._packed.read(READ_SIZE)).lstrip(b"\0")
                if not self._rest:
                    return b""
                self._stream = _new_xz_stream()
            elif self._stream.needs_input and not self._rest:
                self._rest = self._packed.read(READ_SIZE)
                if not self._rest:
                    raise EOFError("the compressed data ends before its end marker")
            data, self._rest = self._stream.decompress(self._rest, size), b""
            if data:
                return data

    def close(self) -> None:
        self._packed.close()


def _new_xz_stream() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_XZ_MEMORY)


class _ExpansionGuard(io.RawIOBase):
    """The unpacked bytes of a compressed file. Reading raises ExpansionError once they exceed the limit."""

    def __init__(self, unpacked: Any, packed: IO[bytes]) -> None:
        self._unpacked, self._packed, self._size = unpacked, packed, 0

    def readable(self) -> bool:
        return True

    def readinto(self, place: Any) -> int:
        data = self._unpacked.read(min(len(place), READ_SIZE))
        self._size += len(data)
        # A tar is padded with zeros, which compress to almost nothing.
        if self._size > max(MAX_EXPANSION_RATIO * self._packed.tell(), READ_SIZE):
            raise ExpansionError
        place[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._unpacked.close()
        self._packed.close()
        super().close()
