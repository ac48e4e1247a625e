"""Which files are archives, and which paths lead into one.

The first bytes of a file decide, so that no archive reader is loaded.
"""

import os

from inspector.core.storage.compression import ZSTD, ExpansionError, compression_of, decompressed, decompression_errors
from inspector.core.storage.source import file_head

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_TAR_SUFFIXES = (".tgz", ".tar.gz", ".tar.zst", ".tzst", ".txz", ".tar.xz", ".tbz2", ".tar.bz2")
# An `.eval` is a zip of inspect_ai.
ARCHIVE_SUFFIXES = (".zip", ".eval", ".tar", *_TAR_SUFFIXES)
WHOLE_ARCHIVE_NAME = "."
"""The member name of an archive whose whole content is one log."""
_TAR_AT, _TAR = 257, b"ustar"
ARCHIVE_HEAD_SIZE = _TAR_AT + len(_TAR)
"""How many bytes of a file show whether it is an archive."""


def is_archive(path: str) -> bool:
    """Return whether the file at `path` is an archive, judged by its first bytes."""
    return is_archive_head(path, file_head(path, ARCHIVE_HEAD_SIZE))


def is_archive_head(path: str, head: bytes) -> bool:
    """Return whether a file that begins with `head`, at least ARCHIVE_HEAD_SIZE bytes of it, is an archive.

    A compressed file is an archive if its name says so, or a tar is in it. The others are logs.
    """
    if head.startswith(ZIP_MAGICS) or _is_tar_head(head):
        return True
    compression = compression_of(head)
    if compression is None or path.lower().endswith(_TAR_SUFFIXES):
        return compression is not None
    return compression != ZSTD and _holds_tar(path)


def is_archived_archive(name: str, data: bytes) -> bool:
    """Return whether a member of an archive is itself one, by its name as well as by its first bytes."""
    if not is_archive_name(name):
        return False
    is_packed_tar = compression_of(data) is not None and name.lower().endswith(_TAR_SUFFIXES)
    return data.startswith(ZIP_MAGICS) or is_packed_tar or _is_tar_head(data[:ARCHIVE_HEAD_SIZE])


def is_archive_name(name: str) -> bool:
    """Return whether a name ends like that of an archive."""
    return name.lower().endswith(ARCHIVE_SUFFIXES)


def _is_tar_head(head: bytes) -> bool:
    return head.startswith(_TAR, _TAR_AT)


def _holds_tar(path: str) -> bool:
    try:
        with open(path, "rb") as packed, decompressed(packed) as file:
            return _is_tar_head(file.read(ARCHIVE_HEAD_SIZE))
    except ExpansionError:
        return False
    except decompression_errors():
        return False


def is_archive_with_suffix(path: str) -> bool:
    """Return whether a file in a folder is an archive by its name as well as by its first bytes."""
    return is_archive_name(path) and is_archive(path)


def split_archive_path(path: str) -> tuple[str, str] | None:
    """Split a path into the archive and the member name; None if the path is a file or leads to nothing."""
    if os.path.lexists(path):
        return None
    archive, _, name = path.rpartition("/")
    while archive and not os.path.lexists(archive):
        archive, _, folder = archive.rpartition("/")
        name = f"{folder}/{name}"
    return (archive, name) if archive and name and is_archive(archive) else None
