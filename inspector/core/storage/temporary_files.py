"""Temporary files and folders of this program, and logs that are assembled or unpacked in a temporary file.

A note is written before a temporary file or folder is created: a small file, named after the process, that holds only
the path. The note is removed with the file or folder. What a killed run left is removed at the next start.
"""

from __future__ import annotations

import os
import stat
import sys
from bisect import bisect_right
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from weakref import WeakSet, finalize

from msgspec import Struct

from inspector.core.errors import UnreadableLog
from inspector.core.lazy import LazyModule
from inspector.core.storage.log_layout import MemberContainer
from inspector.core.storage.source import FileStamp, Source
from inspector.core.translation import tr

if TYPE_CHECKING:
    import shutil
else:
    shutil = LazyModule("shutil")

_NUMBERS = count(1)
_SUFFIX = ".part"
_QUERY, _STILL_ACTIVE = 0x1000, 259  # PROCESS_QUERY_LIMITED_INFORMATION; the exit code of a running process
_LONGEST = 100  # characters of a name that a temporary name begins with


def leftover_notes_folder() -> Path:
    """Return the folder of the notes, in the platform's folder for the state of programs."""
    return Path(_leftover_notes_path())


def _leftover_notes_path() -> str:
    """Return the folder of the notes as a string. Every start looks there, and hardly ever finds a note."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(base, "transcript-inspector", "unfinished")


class TemporaryPath:
    """A new empty file or folder in `folder`, readable by this user alone. It is removed at the end of a `with` block.

    The caller may move it elsewhere. Raises OSError.
    """

    def __init__(self, folder: Path, name: str, is_folder: bool = False) -> None:
        self.path = Path(folder, f".{name[:_LONGEST]}.{os.urandom(6).hex()}{_SUFFIX}")
        self._owner = os.getpid()
        self._note = _write_note(self.path)
        try:
            if is_folder:
                self.path.mkdir(mode=0o700)
            else:
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove the file or folder if it is still there. If this fails, the next start does it."""
        if self._owner != os.getpid():  # a copy in a forked process
            return
        _remove(self.path)
        if self._note is not None and not os.path.lexists(self.path):
            with suppress(OSError):
                self._note.unlink(missing_ok=True)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.discard()


def _write_note(path: Path) -> Path | None:
    """Write the note of a path that is about to be created. Return None if this fails: the path has no note then."""
    note = leftover_notes_folder() / f"{os.getpid()}-{next(_NUMBERS)}"
    try:
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        note.write_bytes(os.fsencode(os.path.abspath(path)))
    except OSError:
        with suppress(OSError):
            note.unlink(missing_ok=True)
        return None
    return note


class Leftover(NamedTuple):
    """A temporary file or folder with a note. It is in use if its process is running."""

    note_path: str
    path: Path
    process: int
    is_in_use: bool


def find_leftovers() -> list[Leftover]:
    """Return the temporary files and folders that have a note."""
    try:
        notes = [note for note in os.scandir(_leftover_notes_path()) if note.name.partition("-")[0].isdecimal()]
    except OSError:
        return []
    leftovers = []
    for note in notes:
        with suppress(OSError):
            path = Path(os.fsdecode(Path(note.path).read_bytes()))
            process = int(note.name.partition("-")[0])
            leftovers.append(Leftover(note.path, path, process, _is_running(process)))
    return leftovers


def remove_leftovers(also_own: bool = False) -> list[Path]:
    """Remove the temporary files and folders of processes that no longer run, and return their paths.

    With `also_own`, those of this process count as well.
    """
    removed = []
    for note, path, process, running in find_leftovers():
        if running and not (also_own and process == os.getpid()):
            continue
        with suppress(OSError):
            was_there = path.is_absolute() and os.path.lexists(path) and _is_ours(path)
            if path.is_absolute():
                _remove(path)
            if not os.path.lexists(path) or not _is_ours(path):
                os.unlink(note)
                removed += [path] if was_there else []
    return removed


def _remove(path: Path) -> None:
    """Remove a file or folder of this program. Anything else that has this path by now is kept."""
    with suppress(OSError):
        if not _is_ours(path):
            return
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def _is_ours(path: Path) -> bool:
    """Return whether a path is a file or folder, not a link, with a name that this program gives.

    Raises OSError if nothing is there.
    """
    mode = os.lstat(path).st_mode
    return path.suffix == _SUFFIX and path.name.startswith(".") and (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _is_running_on_windows(process: int) -> bool:
    """Return whether a process runs on Windows, which has no signal for it.

    Source: processthreadsapi.h, OpenProcess and GetExitCodeProcess.
    """
    import ctypes  # noqa: PLC0415 - only where a note was left

    kernel: Any = ctypes.windll.kernel32  # type: ignore[attr-defined]
    handle = kernel.OpenProcess(_QUERY, False, process)
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == _STILL_ACTIVE


def _is_running(process: int) -> bool:
    if sys.platform == "win32":
        return _is_running_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


class SpoolFile:
    """A temporary file to which the bytes of a log are written, readable by this user alone.

    It is removed when it is closed, with its last owner, or at the end of the program, whichever comes first.
    """

    def __init__(self) -> None:
        """Create the file. Raises UnreadableLog if no temporary file can be created."""
        import tempfile  # noqa: PLC0415 - loads much that a check of a plain file never needs

        try:
            made = TemporaryPath(Path(tempfile.gettempdir()), "transcript-inspector")
            self.path = str(made.path)
            try:
                self.file: BinaryIO = open(made.path, "w+b")  # noqa: SIM115 - it is open as long as the spool is
            except OSError:
                made.discard()
                raise
        except OSError as error:
            raise _disk_full_error(error) from error
        self.size = 0
        self.close = finalize(self, _discard, self.file, made)
        _SPOOLS.add(self)

    def write(self, data: bytes) -> None:
        """Append bytes to the file. Raises UnreadableLog."""
        try:
            self.file.write(data)
        except OSError as error:
            raise _disk_full_error(error) from error
        self.size += len(data)

    def flush(self) -> None:
        """Make all written bytes readable. Raises UnreadableLog."""
        try:
            self.file.flush()
        except OSError as error:
            raise _disk_full_error(error) from error


def _disk_full_error(error: OSError) -> UnreadableLog:
    return UnreadableLog(
        tr(
            "The folder for temporary files does not have enough space for this log: {strerror}. Free up some "
            "space there, or set TMPDIR to another folder.",
            strerror=error.strerror or error,
        )
    )


def discard_temporary_files() -> None:
    """Remove all temporary files of this process, for a process that ends without its usual cleanup."""
    for spool in list(_SPOOLS):
        spool.close()
    remove_leftovers(also_own=True)


def _discard(file: BinaryIO, made: TemporaryPath) -> None:
    with suppress(OSError):  # bytes that could not be written are no longer needed
        file.close()
    # The window may have removed it already. Windows keeps it while the window has it open.
    made.discard()


_SPOOLS: WeakSet[SpoolFile] = WeakSet()


class SpooledSource(Source):
    """A log read from a spool, which it owns. `stamps` are the stamps of the files that it was made from."""

    def __init__(self, path: str, spool: SpoolFile, stamps: dict[str, FileStamp | None]) -> None:
        self._spool = spool
        spool.flush()
        super().__init__(path, spool.file, spool.size, stamps)
        self.bytes_path = spool.path

    def close(self) -> None:
        self._spool.close()
        self._close_attached()


class DecompressedSource(SpooledSource):
    """A compressed log, unpacked into a spool.

    `is_torn`: its last batch is incomplete, and was read as far as it goes.
    """

    is_torn = False

    def __init__(self, path: str, spool: SpoolFile, stamps: dict[str, FileStamp | None]) -> None:
        super().__init__(path, spool, stamps)
        self.compressed_path = path

    @property
    def copy_name(self) -> str:
        stem, suffix = os.path.splitext(os.path.basename(self.path).removesuffix(".zst").removesuffix(".zstd"))
        return f"{stem}.repaired{suffix}"


class LogMember(Struct, frozen=True):
    """A file or a row of an assembled log: its name, and its span in the text.

    `given` is the number of bytes added at its start. They hold what the container keeps next to the JSON (the ids of
    a row).
    """

    name: str
    start: int
    end: int
    given: int = 0

    def stored_bytes(self, text: bytes) -> bytes:
        """Return the bytes of this member's text that the container stores."""
        return b"{" + text[self.given :] if self.given else text


class AssembledSource(SpooledSource):
    """A log of many files or rows, assembled into one text.

    `arrays` are its sequences of records: the offset of the `[`, the spans of the records, and the span of the object
    around the array.
    """

    has_lines = False

    def __init__(
        self,
        path: str,
        format: str,
        spool: SpoolFile,
        container: MemberContainer,
        members: list[LogMember],
        arrays: list[tuple[int, list[tuple[int, int]], tuple[int, int]]],
    ) -> None:
        super().__init__(path, spool, container.stamps)
        self.format = format
        self.container = container
        self.members = members
        self.arrays = arrays
        self._starts = [member.start for member in members]

    def members_in(self, start: int, end: int) -> list[LogMember]:
        """Return the members in a span, in order. Empty files are included."""
        low = bisect_right(self._starts, start - 1)
        return self.members[low : bisect_right(self._starts, max(start, end - 1))]

    def is_whole_member(self, start: int, end: int) -> bool:
        """Return whether a span is exactly the span of one member."""
        return [(member.start, member.end) for member in self.members_in(start, end)] == [(start, end)]

    def member_containing(self, start: int, end: int) -> str | None:
        number = bisect_right(self._starts, start) - 1
        if number < 0 or self.members[number].end < max(start, self.members[number].start):
            number += 1
        here = number < len(self.members) and self.members[number].start <= end
        return self.members[number].name if here else None

    @property
    def copy_name(self) -> str:
        path = self.archive if self.path == f"{self.archive}/." else self.path
        stem, suffix = os.path.splitext(os.path.basename(path))
        return f"{stem}.repaired{suffix if self.container.is_file else ''}"
