"""Reading an archive, zip or tar (plain, gzip or Zstandard), member by member with the standard library's readers.

Nothing in an archive is trusted: a name that leads out of it, a link, a device, an encrypted member, and one that is
too large or grows too much is named, and not read.
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

from inspector.core.bytes import temporary
from inspector.core.bytes.source import Source, begins_with, stamp_of
from inspector.core.containers.archive.kinds import GZIP, ZIP, ZSTD
from inspector.core.errors import UnreadableLog

LARGEST = 256 * 1024 * 1024  # bytes of a member
GROWTH = 200  # times its packed size
MOST = 20_000  # members
HELD = 256 * 1024 * 1024  # bytes of members that wait for their turn
_AT_ONCE = 1024 * 1024
_OUT = "its name leads out of the archive"
_LARGE = f"it is larger than {LARGEST // 1024**2} MB"
_GROWS = f"it would grow more than {GROWTH}-fold"
_ODD = "it is a link or a device"
# The library unpacks the others without a limit, a thousand bytes to a gigabyte.
_LIMITED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PACKED = "it is packed by another method than deflate"
_LEADS_OUT = re.compile(r"[/\\]|[A-Za-z]:|(?:.*[/\\])?\.\.(?:[/\\]|$)", re.DOTALL)


class Entry(NamedTuple):
    """A member of an archive. `data` is None where it was not read; `why` says the reason."""

    name: str
    data: bytes | None
    why: str = ""


class Packed(Source):
    """A log in an archive, in memory. Its path is that of the archive and, behind it, its name there."""

    def __init__(self, archive: str, name: str, data: bytes) -> None:
        super().__init__(f"{archive}/{name}", io.BytesIO(data), len(data), {archive: stamp_of(archive)})
        self.bytes_at, self.archive = "", archive


class Spooled(temporary.Spooled):
    """The same in a temporary file, from which another process reads its records."""

    def __init__(self, packed: Source) -> None:
        spool = temporary.Spool()
        try:
            spool.write(packed.read(0, packed.size))
            super().__init__(packed.path, spool, packed.stamps)
        except BaseException:
            spool.close()
            raise
        self.archive = packed.archive


def entries(path: str, wanted: Container[str] | None = None) -> Iterator[Entry]:
    """The members in the order of the archive, or those that are `wanted`. Raises UnreadableLog."""
    try:
        yield from (_zipped if begins_with(path, *ZIP) else _tarred)(path, wanted)
    except _TooMuchError as error:
        raise UnreadableLog(
            f"{path} was not read to its end: from there on it grows more than {GROWTH}-fold, which no log does."
        ) from error
    except _NoTarError as error:
        raise UnreadableLog(f"{path} is a compressed file and no archive: unpack it first, and open that.") from error
    except _errors() as error:
        raise UnreadableLog(f"{path} is a damaged archive: {error}. Ask for it once more.") from error


def read_member(archive: str, name: str) -> Packed:
    """The log that lies in an archive under a name. Raises UnreadableLog."""
    return packed(archive, name, next((each for each in entries(archive, {name}) if each.name == name), None))


class Pass:
    """One pass over an archive, for members that are asked for in about the order in which they lie there.

    What comes before its turn is held in memory up to a limit, and is otherwise looked for by itself.
    """

    def __init__(self, archive: str, names: Iterable[str]) -> None:
        self._archive, self._entries = archive, entries(archive, frozenset(names))
        self._held: dict[str, Entry] = {}
        self._passed: set[str] = set()
        self._room = HELD
        self._failed: UnreadableLog | None = None

    def read(self, name: str) -> Packed:
        """What `read_member` answers. Raises UnreadableLog."""
        while name not in self._passed:
            entry = self._next()
            if entry is None:
                return packed(self._archive, name, None)
            size = len(entry.data or b"")
            if entry.name not in self._passed and (size <= self._room or entry.name == name):
                self._held[entry.name], self._room = entry, self._room - size
            self._passed.add(entry.name)
        found = self._held.pop(name, None)
        if found is None:
            return read_member(self._archive, name)
        self._room += len(found.data or b"")
        return packed(self._archive, name, found)

    def _next(self) -> Entry | None:
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


def packed(archive: str, name: str, entry: Entry | None) -> Packed:
    """What was found under a name. Raises UnreadableLog."""
    if entry is None:
        raise NoSuchMember(f"{archive}/{name} cannot be read: no such member is in it.")
    if entry.data is None:
        raise UnreadableLog(f"{archive}/{name} cannot be read: {entry.why}.")
    return Packed(archive, name, entry.data)


def _zipped(path: str, wanted: Container[str] | None) -> Iterator[Entry]:
    with zipfile.ZipFile(path) as archive:
        for number, info in enumerate(archive.infolist()):
            if number >= MOST:
                yield Entry(f"… and {len(archive.infolist()) - MOST} more", None, f"only {MOST} members are looked at")
                return
            if not info.filename.endswith("/") and (wanted is None or info.filename in wanted):
                yield _zip_entry(archive, info)


def _zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Entry:
    kind = stat.S_IFMT(info.external_attr >> 16)
    odd = _ODD if kind not in (0, stat.S_IFREG) else "it is encrypted" if info.flag_bits & 1 else ""
    other = "" if info.compress_type in _LIMITED else _PACKED
    why = odd or other or _refusal(info.filename, info.file_size, info.compress_size)
    if why:
        return Entry(info.filename, None, why)
    try:
        with archive.open(info) as file:
            # What the directory says of its size may be a lie.
            data = file.read(info.file_size + 1)
    except _errors() as error:
        return Entry(info.filename, None, f"it is damaged, or packed in another way: {error}")
    return Entry(info.filename, data) if len(data) <= info.file_size else Entry(info.filename, None, _GROWS)


def _tarred(path: str, wanted: Container[str] | None) -> Iterator[Entry]:
    with _opened(path) as file, _tar(file) as archive:
        for number, info in enumerate(archive):
            if number >= MOST:
                yield Entry("… and all that follows", None, f"only {MOST} members are looked at")
                return
            if info.size < 0:
                raise tarfile.ReadError(f"the size of {info.name} is negative")
            if info.isdir():
                continue
            if wanted is not None and info.name not in wanted:
                if info.size > LARGEST:
                    return
                continue
            why = _refusal(info.name, info.size, None) if info.isfile() and not info.issparse() else _ODD
            if why:
                yield Entry(info.name, None, why)
                if info.size > LARGEST:
                    yield Entry("… and all that follows", None, "what lies before it is too large to be passed over")
                    return
                continue
            content = archive.extractfile(info)
            yield Entry(info.name, content.read() if content else b"")


def _refusal(name: str, size: int, packed: int | None) -> str:
    """Why a member is not read, "" where nothing speaks against it."""
    if _LEADS_OUT.match(name):
        return _OUT
    if size > LARGEST:
        return _LARGE
    return _GROWS if packed is not None and size > GROWTH * packed else ""


class _NoTarError(Exception):
    """What is compressed is no tar."""


class _TooMuchError(Exception):
    """A compressed tar grows without end."""


class _Measured(io.RawIOBase):
    """What comes out of a compressed file, until it is too much for what went in."""

    def __init__(self, unpacked: Any, packed: IO[bytes]) -> None:
        self._unpacked, self._packed, self._size = unpacked, packed, 0

    def readable(self) -> bool:
        return True

    def readinto(self, place: Any) -> int:
        data = self._unpacked.read(min(len(place), _AT_ONCE))
        self._size += len(data)
        # A tar is padded with zeros, of which some come out of next to nothing.
        if self._size > max(GROWTH * self._packed.tell(), _AT_ONCE):
            raise _TooMuchError
        place[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._unpacked.close()
        self._packed.close()
        super().close()


def _opened(path: str) -> IO[bytes]:
    """A tar as it is before it was compressed."""
    packed = open(path, "rb")  # noqa: SIM115 - whoever asks closes it
    magic = packed.read(len(ZSTD))
    packed.seek(0)
    if magic.startswith(GZIP):
        return io.BufferedReader(_Measured(gzip.GzipFile(fileobj=packed), packed))
    if magic == ZSTD:
        return io.BufferedReader(_Measured(_zstd().ZstdFile(packed), packed))
    return packed


class _Member(tarfile.TarInfo):
    """A member of a tar. One of negative size is refused here: later Pythons would take it for the archive's end."""

    def _block(self, count: int) -> int:
        if count < 0:
            raise tarfile.TarError(f"the size of {self.name} is negative")
        blocks: int = super()._block(count)  # type: ignore[misc]
        return blocks


def _tar(file: IO[bytes]) -> tarfile.TarFile:
    try:
        return tarfile.open(fileobj=file, mode="r|", bufsize=_AT_ONCE, tarinfo=_Member)
    except tarfile.ReadError as error:
        raise _NoTarError from error


def _zstd() -> Any:
    return import_module("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")


def _errors() -> tuple[type[Exception], ...]:
    """What the libraries raise over damaged or locked data."""
    own = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)
    return (OSError, EOFError, ValueError, RuntimeError, *own, _zstd().ZstdError)
