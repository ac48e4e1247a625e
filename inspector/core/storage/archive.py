"""Reading an archive, zip or tar (plain, gzip or Zstandard), member by member with the standard library's readers.

Nothing in an archive is trusted: a name that leads out of it, a link, a device, an encrypted member, and one that is
too large or grows too much is named, and not read.

Merged; to be rewritten:
`kinds`: Which files are archives, and which paths lead into one: told by how they begin, so that no reader is loaded.
"""

import gzip
import io
import lzma
import os
import re
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Container, Iterable, Iterator
from importlib import import_module
from typing import IO, Any, NamedTuple

from inspector.core.errors import UnreadableLog
from inspector.core.storage import temporary
from inspector.core.storage.source import Source, file_stamp, file_starts_with

MAX_MEMBER_SIZE = 256 * 1024 * 1024  # bytes of a member
MAX_EXPANSION = 200  # times its packed size
MAX_MEMBERS = 20_000  # members
MAX_HELD_BYTES = 256 * 1024 * 1024  # bytes of members that wait for their turn
_AT_ONCE = 1024 * 1024
_OUT = "its name leads out of the archive"
_LARGE = f"it is larger than {MAX_MEMBER_SIZE // 1024**2} MB"
_GROWS = f"it would grow more than {MAX_EXPANSION}-fold"
_NOT_A_FILE_REASON = "it is a link or a device"
# The library unpacks the others without a limit, a thousand bytes to a gigabyte.
_SAFE_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PACKED = "it is packed by another method than deflate"
_LEADS_OUT = re.compile(r"[/\\]|[A-Za-z]:|(?:.*[/\\])?\.\.(?:[/\\]|$)", re.DOTALL)


class ArchiveEntry(NamedTuple):
    """A member of an archive. `data` is None where it was not read; `why` says the reason."""

    name: str
    data: bytes | None
    reason: str = ""


class ArchivedSource(Source):
    """A log in an archive, in memory. Its path is that of the archive and, behind it, its name there."""

    def __init__(self, archive: str, name: str, data: bytes) -> None:
        super().__init__(f"{archive}/{name}", io.BytesIO(data), len(data), {archive: file_stamp(archive)})
        self.bytes_path, self.archive = "", archive


class SpooledArchiveMember(temporary.SpooledSource):
    """The same in a temporary file, from which another process reads its records."""

    def __init__(self, packed: Source) -> None:
        spool = temporary.SpoolFile()
        try:
            spool.write(packed.read(0, packed.size))
            super().__init__(packed.path, spool, packed.stamps)
        except BaseException:
            spool.close()
            raise
        self.archive = packed.archive


def read_entries(path: str, wanted: Container[str] | None = None) -> Iterator[ArchiveEntry]:
    """The members in the order of the archive, or those that are `wanted`. Raises UnreadableLog."""
    try:
        yield from (_zip_entries if file_starts_with(path, *ZIP_MAGICS) else _tar_entries)(path, wanted)
    except _ExpansionError as error:
        raise UnreadableLog(
            f"{path} was not read to its end: from there on it grows more than {MAX_EXPANSION}-fold, which no log does."
        ) from error
    except _NotTarError as error:
        raise UnreadableLog(f"{path} is a compressed file and no archive: unpack it first, and open that.") from error
    except _errors() as error:
        raise UnreadableLog(f"{path} is a damaged archive: {error}. Ask for it once more.") from error


def read_member(archive: str, name: str) -> ArchivedSource:
    """The log that lies in an archive under a name. Raises UnreadableLog."""
    return source_of_entry(
        archive, name, next((each for each in read_entries(archive, {name}) if each.name == name), None)
    )


class ArchivePass:
    """One pass over an archive, for members that are asked for in about the order in which they lie there.

    What comes before its turn is held in memory up to a limit, and is otherwise looked for by itself.
    """

    def __init__(self, archive: str, names: Iterable[str]) -> None:
        self._archive, self._entries = archive, read_entries(archive, frozenset(names))
        self._held: dict[str, ArchiveEntry] = {}
        self._passed: set[str] = set()
        self._room = MAX_HELD_BYTES
        self._failed: UnreadableLog | None = None

    def read(self, name: str) -> ArchivedSource:
        """What `read_member` answers. Raises UnreadableLog."""
        while name not in self._passed:
            entry = self._next()
            if entry is None:
                return source_of_entry(self._archive, name, None)
            size = len(entry.data or b"")
            if entry.name not in self._passed and (size <= self._room or entry.name == name):
                self._held[entry.name], self._room = entry, self._room - size
            self._passed.add(entry.name)
        found = self._held.pop(name, None)
        if found is None:
            return read_member(self._archive, name)
        self._room += len(found.data or b"")
        return source_of_entry(self._archive, name, found)

    def _next(self) -> ArchiveEntry | None:
        """Raises UnreadableLog: where the archive is damaged, of all that would follow."""
        if self._failed is not None:
            raise self._failed
        try:
            return next(self._entries, None)
        except UnreadableLog as error:
            self._failed = error
            raise


class NoSuchMember(UnreadableLog):
    """Nothing lies in an archive under a name, but it may be above that of others."""


def source_of_entry(archive: str, name: str, entry: ArchiveEntry | None) -> ArchivedSource:
    """What was found under a name. Raises UnreadableLog."""
    if entry is None:
        raise NoSuchMember(f"{archive}/{name} cannot be read: no such member is in it.")
    if entry.data is None:
        raise UnreadableLog(f"{archive}/{name} cannot be read: {entry.reason}.")
    return ArchivedSource(archive, name, entry.data)


def _zip_entries(path: str, wanted: Container[str] | None) -> Iterator[ArchiveEntry]:
    with zipfile.ZipFile(path) as archive:
        for number, info in enumerate(archive.infolist()):
            if number >= MAX_MEMBERS:
                yield ArchiveEntry(
                    f"… and {len(archive.infolist()) - MAX_MEMBERS} more",
                    None,
                    f"only {MAX_MEMBERS} members are looked at",
                )
                return
            if not info.filename.endswith("/") and (wanted is None or info.filename in wanted):
                yield _zip_entry(archive, info)


def _zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> ArchiveEntry:
    kind = stat.S_IFMT(info.external_attr >> 16)
    odd = _NOT_A_FILE_REASON if kind not in (0, stat.S_IFREG) else "it is encrypted" if info.flag_bits & 1 else ""
    other = "" if info.compress_type in _SAFE_COMPRESSIONS else _PACKED
    why = odd or other or _refusal(info.filename, info.file_size, info.compress_size)
    if why:
        return ArchiveEntry(info.filename, None, why)
    try:
        with archive.open(info) as file:
            # What the directory says of its size may be a lie.
            data = file.read(info.file_size + 1)
    except _errors() as error:
        return ArchiveEntry(info.filename, None, f"it is damaged, or packed in another way: {error}")
    return (
        ArchiveEntry(info.filename, data) if len(data) <= info.file_size else ArchiveEntry(info.filename, None, _GROWS)
    )


def _tar_entries(path: str, wanted: Container[str] | None) -> Iterator[ArchiveEntry]:
    with _open_decompressed(path) as file, _open_tar(file) as archive:
        for number, info in enumerate(archive):
            if number >= MAX_MEMBERS:
                yield ArchiveEntry("… and all that follows", None, f"only {MAX_MEMBERS} members are looked at")
                return
            if info.size < 0:
                raise tarfile.ReadError(f"the size of {info.name} is negative")
            if info.isdir():
                continue
            if wanted is not None and info.name not in wanted:
                if info.size > MAX_MEMBER_SIZE:
                    return
                continue
            why = _refusal(info.name, info.size, None) if info.isfile() and not info.issparse() else _NOT_A_FILE_REASON
            if why:
                yield ArchiveEntry(info.name, None, why)
                if info.size > MAX_MEMBER_SIZE:
                    yield ArchiveEntry(
                        "… and all that follows", None, "what lies before it is too large to be passed over"
                    )
                    return
                continue
            content = archive.extractfile(info)
            yield ArchiveEntry(info.name, content.read() if content else b"")


def _refusal(name: str, size: int, packed: int | None) -> str:
    """Why a member is not read, "" where nothing speaks against it."""
    if _LEADS_OUT.match(name):
        return _OUT
    if size > MAX_MEMBER_SIZE:
        return _LARGE
    return _GROWS if packed is not None and size > MAX_EXPANSION * packed else ""


class _NotTarError(Exception):
    """What is compressed is no tar."""


class _ExpansionError(Exception):
    """A compressed tar grows without end."""


class _ExpansionGuard(io.RawIOBase):
    """What comes out of a compressed file, until it is too much for what went in."""

    def __init__(self, unpacked: Any, packed: IO[bytes]) -> None:
        self._unpacked, self._packed, self._size = unpacked, packed, 0

    def readable(self) -> bool:
        return True

    def readinto(self, place: Any) -> int:
        data = self._unpacked.read(min(len(place), _AT_ONCE))
        self._size += len(data)
        # A tar is padded with zeros, of which some come out of next to nothing.
        if self._size > max(MAX_EXPANSION * self._packed.tell(), _AT_ONCE):
            raise _ExpansionError
        place[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._unpacked.close()
        self._packed.close()
        super().close()


def _open_decompressed(path: str) -> IO[bytes]:
    """A tar as it is before it was compressed."""
    packed = open(path, "rb")  # noqa: SIM115 - whoever asks closes it
    magic = packed.read(len(ZSTD_MAGIC))
    packed.seek(0)
    if magic.startswith(GZIP_MAGIC):
        return io.BufferedReader(_ExpansionGuard(gzip.GzipFile(fileobj=packed), packed))
    if magic == ZSTD_MAGIC:
        return io.BufferedReader(_ExpansionGuard(_zstd().ZstdFile(packed), packed))
    return packed


class _Member(tarfile.TarInfo):
    """A member of a tar. One of negative size is refused here: later Pythons would take it for the archive's end."""

    def _block(self, count: int) -> int:
        if count < 0:
            raise tarfile.TarError(f"the size of {self.name} is negative")
        blocks: int = super()._block(count)  # type: ignore[misc]
        return blocks


def _open_tar(file: IO[bytes]) -> tarfile.TarFile:
    try:
        return tarfile.open(fileobj=file, mode="r|", bufsize=_AT_ONCE, tarinfo=_Member)
    except tarfile.ReadError as error:
        raise _NotTarError from error


def _zstd() -> Any:
    return import_module("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")


def _errors() -> tuple[type[Exception], ...]:
    """What the libraries raise over damaged or locked data."""
    own = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)
    return (OSError, EOFError, ValueError, RuntimeError, *own, _zstd().ZstdError)


# Which files are archives, and which paths lead into one: told by how they begin, so that no reader is loaded.

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ARCHIVE_SUFFIXES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst", ".tzst")
WHOLE_ARCHIVE = "."
"""The name of what an archive holds as a whole, where that is one log."""
# What is compressed with Zstandard is a log, unless its name says otherwise.
_TAR_ZST = (".tar.zst", ".tzst")
_TAR_AT, _TAR = 257, b"ustar"


def is_archive(path: str) -> bool:
    """Whether the file at `path` is an archive."""
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
    """Whether a file of a folder is one that somebody sent: its name says so, too."""
    return path.lower().endswith(ARCHIVE_SUFFIXES) and is_archive(path)


def split_archive_path(path: str) -> tuple[str, str] | None:
    """The archive and the name in it that a path leads to; None where it leads to a file, or to nothing."""
    if os.path.lexists(path):
        return None
    archive, _, name = path.rpartition("/")
    while archive and not os.path.lexists(archive):
        archive, _, last = archive.rpartition("/")
        name = f"{last}/{name}"
    return (archive, name) if archive and name and is_archive(archive) else None
