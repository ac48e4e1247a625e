"""Which files are archives, and which paths lead into one.

The first bytes of a file decide, so that no archive reader is loaded.
"""

import os

from inspector.core.storage.source import file_starts_with

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ARCHIVE_SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst", ".tzst")
WHOLE_ARCHIVE_NAME = "."
"""The member name of an archive whose whole content is one log."""
# A file compressed with Zstandard is a log, unless its name says that it is an archive.
_TAR_ZST = (".tar.zst", ".tzst")
_TAR_AT, _TAR = 257, b"ustar"


def is_archive(path: str) -> bool:
    """Return whether the file at `path` is an archive, judged by its first bytes."""
    if file_starts_with(path, *ZIP_MAGICS, GZIP_MAGIC) or (
        path.lower().endswith(_TAR_ZST) and file_starts_with(path, ZSTD_MAGIC)
    ):
        return True
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(_TAR_AT + len(_TAR))[_TAR_AT:] == _TAR
    except OSError:
        return False


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
