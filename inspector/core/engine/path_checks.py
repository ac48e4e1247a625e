"""Which paths contain many logs, which file on the disk a path leads to, and whether files have changed."""

import os
from collections.abc import Iterable

from inspector.core.discovery.opening import is_log_of_many_files
from inspector.core.storage.archive_paths import is_archive, split_archive_path
from inspector.core.storage.source import FileStamp, file_stamp_if_present


def contains_logs(path: str) -> bool:
    """Return whether `path` is an archive, or a folder of logs that is not itself a log.

    Only names and first bytes are examined.
    """
    return (os.path.isdir(path) and not is_log_of_many_files(path)) or is_archive(path)


def containing_file_on_disk(path: str) -> str:
    """Return the file on disk that a path leads to: for a log in an archive, the archive."""
    member = split_archive_path(path)
    return member[0] if member else path


def any_changed(known: Iterable[tuple[str | bytes, FileStamp | None]]) -> bool:
    """Return whether one of these files and folders has changed since its stamp was taken."""
    return any(file_stamp_if_present(path) != stamp for path, stamp in known)
