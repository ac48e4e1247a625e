"""Archives: reading a zip or tar (plain or compressed) by member, also one that is a member of another archive.

Nothing in an archive is trusted. A member is reported and not read if its name leads out of the archive, if it is a
link, a device or encrypted, if it is too large, or if it expands too much.
"""

import io
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Container, Iterable, Iterator
from typing import IO, NamedTuple, cast
from zlib import crc32

from inspector.core.errors import CutOffFile, DamagedFile, UnreadableLog
from inspector.core.storage import compression, temporary_files
from inspector.core.storage.archive_paths import ZIP_MAGICS, is_archive_name, is_archived_archive
from inspector.core.storage.compression import MAX_EXPANSION_RATIO, ExpansionError, decompressed
from inspector.core.storage.member_names import decoded_names
from inspector.core.storage.source import Source, file_stamp
from inspector.core.storage.wrappers import unwrapped_source
from inspector.core.translation import tr

MAX_MEMBER_SIZE = 256 * 1024 * 1024  # bytes of a member
MAX_MEMBERS = 20_000  # members read from an archive
MAX_HELD_BYTES = 256 * 1024 * 1024  # bytes of members held in memory until they are requested
_OUT = tr("the path points outside the archive")
_LARGE = tr("the file is larger than {max_member_size} MB", max_member_size=MAX_MEMBER_SIZE // 1024**2)
_GROWS = tr(
    "the file would be more than {max_expansion_ratio} times as large when unpacked",
    max_expansion_ratio=MAX_EXPANSION_RATIO,
)
ENCRYPTED = tr("it is encrypted")
CUT_OFF = tr("the file is cut off")
DAMAGED = tr("it is damaged")
_TOO_DEEP = tr("the file is nested in too many archives")
MAX_DEPTH = 2  # archives around an archive that is read
_NOT_A_FILE_REASON = tr("the file is a link or a device")
# Python's library knows it from 3.14 on.
_ZIP_ZSTD = 93
# The library unpacks the other methods without a limit: a thousand bytes can become a gigabyte.
_SAFE_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZIP_ZSTD)
_PACKED = tr("the compression method is not supported")
_LEADS_OUT = re.compile(r"[/\\]|[A-Za-z]:|(?:.*[/\\])?\.\.(?:[/\\]|$)", re.DOTALL)


class ArchiveMemberBytes(NamedTuple):
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


def read_archive_members(path: str, wanted: Container[str] | None = None) -> Iterator[ArchiveMemberBytes]:
    """Yield the members in the order of the archive; only those in `wanted` if it is given. Raises UnreadableLog.

    The members of an archive in the archive are yielded in its place, with its name before theirs.
    """
    try:
        with open(path, "rb") as file:
            yield from _ArchiveReader(wanted, file_stamp(file.fileno()).size).entries(file)
    except ExpansionError as error:
        raise DamagedFile(
            tr(
                "{path} was not read completely, because the rest would be more than {max_expansion_ratio} "
                "times as large when unpacked. No log compresses that well.",
                path=path,
                max_expansion_ratio=MAX_EXPANSION_RATIO,
            )
        ) from error
    except _errors() as error:
        if _is_cut_off(error):
            raise CutOffFile(tr("The archive {path} is cut off at the end. Get a new copy.", path=path)) from error
        raise DamagedFile(
            tr("{path} is a damaged archive: {error}. Get a new copy.", path=path, error=error)
        ) from error


def _is_cut_off(error: Exception) -> bool:
    """Return whether an error says that the end is missing, where a zip has its directory, and a tar has zeros."""
    return "not a zip file" in str(error) or compression.is_truncation_error(error)


def open_archive_member(archive: str, name: str) -> Source:
    """Return the log that an archive holds under a name. Raises UnreadableLog."""
    return source_of_archive_member(
        archive, name, next((entry for entry in read_archive_members(archive, {name}) if entry.name == name), None)
    )


class ArchivePass:
    """One pass over an archive, for members that are requested in about the order in which they are stored.

    Members that come before they are requested are held in memory up to a limit. The others are read again by
    themselves when they are requested.
    """

    def __init__(self, archive: str, names: Iterable[str]) -> None:
        self._archive, self._entries = archive, read_archive_members(archive, frozenset(names))
        self._held: dict[str, ArchiveMemberBytes] = {}
        self._passed: set[str] = set()
        self._room = MAX_HELD_BYTES
        self._failed: UnreadableLog | None = None

    def read(self, name: str) -> Source:
        """Return the same as `open_archive_member`. Raises UnreadableLog."""
        while name not in self._passed:
            entry = self._next()
            if entry is None:
                return source_of_archive_member(self._archive, name, None)
            size = len(entry.data or b"")
            if entry.name not in self._passed and (size <= self._room or entry.name == name):
                self._held[entry.name], self._room = entry, self._room - size
            self._passed.add(entry.name)
        held_entry = self._held.pop(name, None)
        if held_entry is None:
            return open_archive_member(self._archive, name)
        self._room += len(held_entry.data or b"")
        return source_of_archive_member(self._archive, name, held_entry)

    def _next(self) -> ArchiveMemberBytes | None:
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


def source_of_archive_member(archive: str, name: str, entry: ArchiveMemberBytes | None) -> Source:
    """Return the log in an entry that was found under a name. Raises UnreadableLog if it is None or was not read."""
    if entry is None:
        raise NoSuchMember(
            tr("{archive}/{name} cannot be read, because the archive does not contain it.", archive=archive, name=name)
        )
    if entry.data is None:
        raise UnreadableLog(
            tr("{archive}/{name} cannot be read: {reason}.", archive=archive, name=name, reason=entry.reason)
        )
    return source_of_member_bytes(archive, name, entry.data)


def source_of_member_bytes(archive: str, name: str, data: bytes) -> Source:
    """Return the log in a member with these bytes; one in a wrapper is unwrapped. Raises UnreadableLog."""
    wrapped = unwrapped_source(f"{archive}/{name}", data, {archive: file_stamp(archive)}, archive)
    return wrapped or ArchivedSource(archive, name, data)


class _ArchiveReader:
    """Reads an archive and the archives in it. The limits hold for all of them together."""

    def __init__(self, wanted: Container[str] | None, size: int) -> None:
        self._wanted = wanted
        self._room = MAX_HELD_BYTES  # for archives in the archive
        self._left = max(MAX_EXPANSION_RATIO * size, MAX_HELD_BYTES)  # bytes that their members may unpack to
        self._number = 0

    def entries(self, file: IO[bytes], prefix: str = "", depth: int = 0) -> Iterator[ArchiveMemberBytes]:
        """Yield the wanted members of an archive, whose name with a `/` is the `prefix` of their names."""
        is_zip = file.read(len(ZIP_MAGICS[0])).startswith(ZIP_MAGICS)
        file.seek(0)
        for entry in self._zip_entries(file, prefix) if is_zip else self._tar_entries(file, prefix):
            is_wanted = self._wanted is None or entry.name in self._wanted
            data = entry.data
            if data is None or not is_archived_archive(entry.name, data):
                # Where a member is missing, it is not known what else is.
                if is_wanted or (data is None and is_archive_name(entry.name)):
                    yield self._counted(entry, depth)
            elif depth == MAX_DEPTH:
                yield ArchiveMemberBytes(entry.name, None, _TOO_DEEP)
            elif len(data) > self._room:
                yield ArchiveMemberBytes(entry.name, None, _LARGE)
            else:
                yield from self._nested_entries(entry.name, data, depth)

    def _counted(self, entry: ArchiveMemberBytes, depth: int) -> ArchiveMemberBytes:
        """Return a member, without its data if it is in an archive in the archive and these expand too much."""
        if not depth or entry.data is None:
            return entry
        self._left -= len(entry.data)
        return entry if self._left >= 0 else ArchiveMemberBytes(entry.name, None, _GROWS)

    def _nested_entries(self, name: str, data: bytes, depth: int) -> Iterator[ArchiveMemberBytes]:
        self._room -= len(data)
        number = self._number
        try:
            yield from self.entries(io.BytesIO(data), f"{name}/", depth + 1)
            if number == self._number:
                yield ArchiveMemberBytes(name, data)  # it is empty
        except ExpansionError:
            yield ArchiveMemberBytes(name, None, _GROWS)
        except _errors() as error:
            yield ArchiveMemberBytes(name, None, CUT_OFF if _is_cut_off(error) else DAMAGED)
        finally:
            self._room += len(data)

    def _is_skipped(self, name: str) -> bool:
        """Return whether a member is neither wanted nor an archive in which a wanted one can be."""
        return self._wanted is not None and name not in self._wanted and not is_archive_name(name)

    def _is_full(self) -> bool:
        self._number += 1
        return self._number > MAX_MEMBERS

    def _zip_entries(self, file: IO[bytes], prefix: str) -> Iterator[ArchiveMemberBytes]:
        with zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
            names = decoded_names(infos)
            for number, (info, name) in enumerate(zip(infos, names, strict=True)):
                if self._is_full():
                    yield ArchiveMemberBytes(
                        tr("… and {number} more", number=len(infos) - number),
                        None,
                        tr("only the first {max_members} members of an archive are read", max_members=MAX_MEMBERS),
                    )
                    return
                if not name.endswith("/") and not self._is_skipped(prefix + name):
                    yield _zip_entry(archive, info, name, prefix)

    def _tar_entries(self, packed: IO[bytes], prefix: str) -> Iterator[ArchiveMemberBytes]:
        with decompressed(packed) as file, _open_tar(file) as archive:
            for info in archive:
                if self._is_full():
                    yield ArchiveMemberBytes(
                        tr("… and the rest of the archive"),
                        None,
                        tr("only the first {max_members} members of an archive are read", max_members=MAX_MEMBERS),
                    )
                    return
                if info.size < 0:
                    raise tarfile.ReadError(tr("the size of {name} is negative", name=info.name))
                if info.isdir():
                    continue
                name = prefix + info.name
                if self._is_skipped(name):
                    if info.size > MAX_MEMBER_SIZE:
                        return
                    continue
                is_file = info.isfile() and not info.issparse()
                why = _refusal(info.name, info.size, None) if is_file else _NOT_A_FILE_REASON
                if why:
                    yield ArchiveMemberBytes(name, None, why)
                    if info.size > MAX_MEMBER_SIZE:
                        yield ArchiveMemberBytes(
                            tr("… and the rest of the archive"),
                            None,
                            tr("the preceding file in the archive is too large to skip"),
                        )
                        return
                    continue
                content = archive.extractfile(info)
                yield ArchiveMemberBytes(name, content.read() if content else b"")


def _zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, prefix: str) -> ArchiveMemberBytes:
    kind = stat.S_IFMT(info.external_attr >> 16)
    odd = _NOT_A_FILE_REASON if kind not in (0, stat.S_IFREG) else ENCRYPTED if info.flag_bits & 1 else ""
    other = "" if info.compress_type in _SAFE_COMPRESSIONS else _PACKED
    why = odd or other or _refusal(name, info.file_size, info.compress_size)
    name = prefix + name
    if why:
        return ArchiveMemberBytes(name, None, why)
    try:
        with _zstd_member(archive, info) if info.compress_type == _ZIP_ZSTD else archive.open(info) as file:
            # The size in the directory may be false, so read one byte more.
            data = file.read(info.file_size + 1)
        if info.compress_type == _ZIP_ZSTD and crc32(data) != info.CRC:
            raise zipfile.BadZipFile(tr("its checksum is wrong"))
    except _errors() as error:
        return ArchiveMemberBytes(
            name, None, tr("the file is damaged or compressed in an unsupported way: {error}", error=error)
        )
    return ArchiveMemberBytes(name, data) if len(data) <= info.file_size else ArchiveMemberBytes(name, None, _GROWS)


def _zstd_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """Return the unpacked bytes of a member that is compressed with Zstandard."""
    file = archive.fp
    assert file is not None, "the archive is open"
    # A local header has 30 bytes. Its last fields are the lengths of the name and the extra field, which come before
    # the data.
    file.seek(info.header_offset + 26)
    file.seek(sum(int.from_bytes(file.read(2), "little") for _ in range(2)), os.SEEK_CUR)
    return cast("IO[bytes]", compression.zstd_library().ZstdFile(io.BytesIO(file.read(info.compress_size))))


def _refusal(name: str, size: int, packed: int | None) -> str:
    """Return why a member is not read, "" if it can be read. `packed` is its packed size, None if it has none."""
    if _LEADS_OUT.match(name):
        return _OUT
    if size > MAX_MEMBER_SIZE:
        return _LARGE
    return _GROWS if packed is not None and size > MAX_EXPANSION_RATIO * packed else ""


class _Member(tarfile.TarInfo):
    """A member of a tar. A negative size is refused here, because later Pythons take it for the end of the archive."""

    def _block(self, count: int) -> int:
        if count < 0:
            raise tarfile.TarError(tr("the size of {name} is negative", name=self.name))
        blocks: int = super()._block(count)  # type: ignore[misc]
        return blocks


def _open_tar(file: IO[bytes]) -> tarfile.TarFile:
    return tarfile.open(fileobj=file, mode="r|", bufsize=compression.READ_SIZE, tarinfo=_Member)


def _errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that the libraries raise for damaged or encrypted data."""
    return (RuntimeError, zipfile.BadZipFile, tarfile.TarError, *compression.decompression_errors())
