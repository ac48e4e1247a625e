"""Compressing what a test writes, by the library that the running Python has for it."""

import sys

if sys.version_info < (3, 14):
    from backports import zstd
else:
    from compression import zstd


def packed(data: bytes) -> bytes:
    return zstd.compress(data)
