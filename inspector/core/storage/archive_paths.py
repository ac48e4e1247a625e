"""Which files are archives, and which paths lead into one.

The first bytes of a file decide, so that no archive reader is loaded.
"""

import os

from inspector.core.storage.source import file_head

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ARCHIVE_SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst", ".tzst")
WHOLE_ARCHIVE_NAME = "."
"""The member name of an archive whose whole content is one log."""
# A file compressed with Zstandard is a log, unless its name says that it is an archive.
_TAR_ZST = (".tar.zst", ".tzst")
_TAR_AT, _TAR = 257, b"ustar"
ARCHIVE_HEAD_SIZE = _TAR_AT + len(_TAR)
"""How many bytes of a file show whether it is an archive."""


def is_archive(path: str) -> bool:
    """Return whether the file at `path` is an archive, judged by its first bytes."""
    return is_archive_head(path, file_head(path, ARCHIVE_HEAD_SIZE))


def is_archive_head(path: str, head: bytes) -> bool:
    """Return whether a file that begins with `head`, at least ARCHIVE_HEAD_SIZE bytes of it, is an archive."""
    if head.startswith(ZSTD_MAGIC):
        return path.lower().endswith(_TAR_ZST)
    return head.startswith((*ZIP_MAGICS, GZIP_MAGIC)) or head.startswith(_TAR, _TAR_AT)


def looks_like_archive(path: str) -> bool:
    """Return whether a file in a folder is an archive by its name as well as by its first bytes."""
    return path.lower().endswith(ARCHIVE_SUFFIXES) and is_archive(path)


def split_archive_path(path: str) -> tuple[str, str] | None:
    """Split a path into the archive and the member name; None if the path is a file or leads to nothing."""
    if os.path.lexists(path):
        return None
    archive, _, name = path.rpartition("/")
    while archive and not os.path.lexists(archive):
        archive, _, folder = archive.rpartition("/")
        name = f"{folder}/{name}"
    return (archive, name) if archive and name and is_archive(archive) else None
