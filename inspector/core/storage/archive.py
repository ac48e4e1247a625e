"""Archives: recognizing them by their first bytes, and reading a zip or tar (plain, gzip or Zstandard) by member.

Nothing in an archive is trusted. A member is reported and not read if its name leads out of the archive, if it is a
link, a device or encrypted, if it is too large, or if it expands too much.
"""

import gzip
import io
import lzma
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
from inspector.core.storage import temporary_files
from inspector.core.storage.archive_paths import GZIP_MAGIC, ZIP_MAGICS, ZSTD_MAGIC
from inspector.core.storage.source import Source, file_stamp, file_starts_with
from inspector.core.translation import tr

MAX_MEMBER_SIZE = 256 * 1024 * 1024  # bytes of a member
MAX_EXPANSION_RATIO = 200  # unpacked size of a member, as a multiple of its packed size
MAX_MEMBERS = 20_000  # members read from an archive
MAX_HELD_BYTES = 256 * 1024 * 1024  # bytes of members held in memory until they are requested
_AT_ONCE = 1024 * 1024
_OUT = tr("its path leads outside the archive")
_LARGE = tr("it is larger than {max_member_size} MB", max_member_size=MAX_MEMBER_SIZE // 1024**2)
_GROWS = tr(
    "unpacked, it would be more than {max_expansion_ratio} times as large", max_expansion_ratio=MAX_EXPANSION_RATIO
)
ENCRYPTED = tr("it is encrypted")
_NOT_A_FILE_REASON = tr("it is a link or a device")
# The library unpacks the other methods without a limit: a thousand bytes can become a gigabyte.
_SAFE_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PACKED = tr("its compression method is not supported")
_LEADS_OUT = re.compile(r"[/\\]|[A-Za-z]:|(?:.*[/\\])?\.\.(?:[/\\]|$)", re.DOTALL)


class ArchiveEntry(NamedTuple):
    """A member of an archive. `data` is None if it was not read; `reason` then says why."""

    name: str
    data: bytes | None
    reason: str = ""


class ArchivedSource(Source):
    """A log in an archive, held in memory. Its path is the path of the archive followed by the member's name."""

    def __init__(self, archive: str, name: str, data: bytes) -> None:
        super().__init__(f"{archive}/{name}", io.BytesIO(data), len(data), {archive: file_stamp(archive)})
        self.bytes_path, self.archive = "", archive


class SpooledArchiveMember(temporary_files.SpooledSource):
    """A log in an archive, unpacked to a temporary file so that another process can read its records."""

    def __init__(self, packed: Source) -> None:
        spool = temporary_files.SpoolFile()
        try:
            spool.write(packed.read(0, packed.size))
            super().__init__(packed.path, spool, packed.stamps)
        except BaseException:
            spool.close()
            raise
        self.archive = packed.archive


def read_entries(path: str, wanted: Container[str] | None = None) -> Iterator[ArchiveEntry]:
    """Yield the members in the order of the archive; only those in `wanted` if it is given. Raises UnreadableLog."""
    try:
        yield from (_zip_entries if file_starts_with(path, *ZIP_MAGICS) else _tar_entries)(path, wanted)
    except _ExpansionError as error:
        raise UnreadableLog(
            tr(
                "{path} was not read completely, because the rest would be more than {max_expansion_ratio} "
                "times as large when unpacked. No log compresses that well.",
                path=path,
                max_expansion_ratio=MAX_EXPANSION_RATIO,
            )
        ) from error
    except _NotTarError as error:
        raise NotAnArchive(
            tr("{path} is a compressed file, not an archive. Unpack it first, and open that file.", path=path)
        ) from error
    except _errors() as error:
        # A zip has its directory at its end, and a tar ends with zeros.
        is_cut_off = "not a zip file" in str(error) or isinstance(error, EOFError) or "unexpected end" in str(error)
        raise (CutOffArchive if is_cut_off else UnreadableLog)(
            tr("{path} is a damaged archive: {error}. Get a new copy.", path=path, error=error)
        ) from error


def read_member(archive: str, name: str) -> ArchivedSource:
    """Return the log that an archive holds under a name. Raises UnreadableLog."""
    return source_of_entry(
        archive, name, next((entry for entry in read_entries(archive, {name}) if entry.name == name), None)
    )


class NotAnArchive(UnreadableLog):
    """A compressed file contains no archive."""


class CutOffArchive(UnreadableLog):
    """The end of an archive is missing, as after an upload that was interrupted."""


class ArchivePass:
    """One pass over an archive, for members that are requested in about the order in which they are stored.

    Members that come before they are requested are held in memory up to a limit. The others are read again by
    themselves when they are requested.
    """

    def __init__(self, archive: str, names: Iterable[str]) -> None:
        self._archive, self._entries = archive, read_entries(archive, frozenset(names))
        self._held: dict[str, ArchiveEntry] = {}
        self._passed: set[str] = set()
        self._room = MAX_HELD_BYTES
        self._failed: UnreadableLog | None = None

    def read(self, name: str) -> ArchivedSource:
        """Return the same as `read_member`. Raises UnreadableLog."""
        while name not in self._passed:
            entry = self._next()
            if entry is None:
                return source_of_entry(self._archive, name, None)
            size = len(entry.data or b"")
            if entry.name not in self._passed and (size <= self._room or entry.name == name):
                self._held[entry.name], self._room = entry, self._room - size
            self._passed.add(entry.name)
        held_entry = self._held.pop(name, None)
        if held_entry is None:
            return read_member(self._archive, name)
        self._room += len(held_entry.data or b"")
        return source_of_entry(self._archive, name, held_entry)

    def _next(self) -> ArchiveEntry | None:
        """Return the next member, None at the end.

        Raises UnreadableLog if the archive is damaged, and again on every later call.
        """
        if self._failed is not None:
            raise self._failed
        try:
            return next(self._entries, None)
        except UnreadableLog as error:
            self._failed = error
            raise


class NoSuchMember(UnreadableLog):
    """An archive has no member with this name. The name may still be a folder of members."""


def source_of_entry(archive: str, name: str, entry: ArchiveEntry | None) -> ArchivedSource:
    """Return the log in an entry that was found under a name. Raises UnreadableLog if it is None or was not read."""
    if entry is None:
        raise NoSuchMember(
            tr("{archive}/{name} cannot be read, because the archive has no such member.", archive=archive, name=name)
        )
    if entry.data is None:
        raise UnreadableLog(
            tr("{archive}/{name} cannot be read: {reason}.", archive=archive, name=name, reason=entry.reason)
        )
    return ArchivedSource(archive, name, entry.data)


def _zip_entries(path: str, wanted: Container[str] | None) -> Iterator[ArchiveEntry]:
    with zipfile.ZipFile(path) as archive:
        for number, info in enumerate(archive.infolist()):
            if number >= MAX_MEMBERS:
                yield ArchiveEntry(
                    tr("… and {number} more", number=len(archive.infolist()) - MAX_MEMBERS),
                    None,
                    tr("only {max_members} members are read", max_members=MAX_MEMBERS),
                )
                return
            if not info.filename.endswith("/") and (wanted is None or info.filename in wanted):
                yield _zip_entry(archive, info)


def _zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> ArchiveEntry:
    kind = stat.S_IFMT(info.external_attr >> 16)
    odd = _NOT_A_FILE_REASON if kind not in (0, stat.S_IFREG) else ENCRYPTED if info.flag_bits & 1 else ""
    other = "" if info.compress_type in _SAFE_COMPRESSIONS else _PACKED
    why = odd or other or _refusal(info.filename, info.file_size, info.compress_size)
    if why:
        return ArchiveEntry(info.filename, None, why)
    try:
        with archive.open(info) as file:
            # The size in the directory may be false, so read one byte more.
            data = file.read(info.file_size + 1)
    except _errors() as error:
        return ArchiveEntry(
            info.filename, None, tr("it is damaged or compressed in an unsupported way: {error}", error=error)
        )
    return (
        ArchiveEntry(info.filename, data) if len(data) <= info.file_size else ArchiveEntry(info.filename, None, _GROWS)
    )


def _tar_entries(path: str, wanted: Container[str] | None) -> Iterator[ArchiveEntry]:
    with _open_decompressed(path) as file, _open_tar(file) as archive:
        for number, info in enumerate(archive):
            if number >= MAX_MEMBERS:
                yield ArchiveEntry(
                    tr("… and everything after it"),
                    None,
                    tr("only {max_members} members are read", max_members=MAX_MEMBERS),
                )
                return
            if info.size < 0:
                raise tarfile.ReadError(tr("the size of {name} is negative", name=info.name))
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
                        tr("… and everything after it"), None, tr("the data before it is too large to skip")
                    )
                    return
                continue
            content = archive.extractfile(info)
            yield ArchiveEntry(info.name, content.read() if content else b"")


def _refusal(name: str, size: int, packed: int | None) -> str:
    """Return why a member is not read, "" if it can be read. `packed` is its packed size, None if it has none."""
    if _LEADS_OUT.match(name):
        return _OUT
    if size > MAX_MEMBER_SIZE:
        return _LARGE
    return _GROWS if packed is not None and size > MAX_EXPANSION_RATIO * packed else ""


class _NotTarError(Exception):
    """The content of a compressed file is not a tar."""


class _ExpansionError(Exception):
    """A compressed tar expands beyond the limit."""


class _ExpansionGuard(io.RawIOBase):
    """The unpacked bytes of a compressed file. Reading raises _ExpansionError once they exceed the limit."""

    def __init__(self, unpacked: Any, packed: IO[bytes]) -> None:
        self._unpacked, self._packed, self._size = unpacked, packed, 0

    def readable(self) -> bool:
        return True

    def readinto(self, place: Any) -> int:
        data = self._unpacked.read(min(len(place), _AT_ONCE))
        self._size += len(data)
        # A tar is padded with zeros, which compress to almost nothing.
        if self._size > max(MAX_EXPANSION_RATIO * self._packed.tell(), _AT_ONCE):
            raise _ExpansionError
        place[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._unpacked.close()
        self._packed.close()
        super().close()


def _open_decompressed(path: str) -> IO[bytes]:
    """Open a tar, decompressed if it is compressed."""
    packed = open(path, "rb")  # noqa: SIM115 - the caller closes it
    magic = packed.read(len(ZSTD_MAGIC))
    packed.seek(0)
    if magic.startswith(GZIP_MAGIC):
        return io.BufferedReader(_ExpansionGuard(gzip.GzipFile(fileobj=packed), packed))
    if magic == ZSTD_MAGIC:
        return io.BufferedReader(_ExpansionGuard(_zstd().ZstdFile(packed), packed))
    return packed


class _Member(tarfile.TarInfo):
    """A member of a tar. A negative size is refused here, because later Pythons take it for the end of the archive."""

    def _block(self, count: int) -> int:
        if count < 0:
            raise tarfile.TarError(tr("the size of {name} is negative", name=self.name))
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
    """Return the exceptions that the libraries raise for damaged or encrypted data."""
    own = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)
    return (OSError, EOFError, ValueError, RuntimeError, *own, _zstd().ZstdError)
