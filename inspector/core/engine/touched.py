"""Whether files are as they were; apart from `followed`, which a window's own process never needs."""

from collections.abc import Iterable

from inspector.core.bytes.source import FileStamp, file_stamp_if_present


def any_changed(known: Iterable[tuple[str, FileStamp | None]]) -> bool:
    """Whether one of these files and folders is in another state than it was."""
    return any(file_stamp_if_present(path) != stamp for path, stamp in known)
