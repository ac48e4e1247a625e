"""Whether files are as they were; apart from `followed`, which a window's own process never needs."""

from collections.abc import Iterable

from inspector.core.bytes.source import Stamp, stamp_if_there


def touched(known: Iterable[tuple[str, Stamp | None]]) -> bool:
    """Whether one of these files and folders is in another state than it was."""
    return any(stamp_if_there(path) != stamp for path, stamp in known)
