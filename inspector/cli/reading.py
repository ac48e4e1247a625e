"""Opening the log that an argument names."""

import sys

from inspector.core.source import Source


def source_of(path: str) -> Source:
    """The log at `path`, or standard input for "-". Raises UnreadableLog."""
    if path == "-":
        return Source.of_bytes(sys.stdin.buffer.read())
    return Source.open(path)
