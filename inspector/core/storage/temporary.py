"""Logs that are no plain file: their bytes are put together in a temporary file, and read there by offset.

Merged; to be rewritten:
`leftovers`: Temporary files and folders of this program; what a killed run left of them goes at the next start.
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
from inspector.core.storage.source import FileStamp, Source
from inspector.core.storage.splices import MemberContainer

# Temporary files and folders of this program; what a killed run left of them goes at the next start.
#
# Each is noted before it is made, by a small file named after the process, which holds its path and nothing else. The
# note goes when it is gone.

if TYPE_CHECKING:
    import shutil
else:
    shutil = LazyModule("shutil")

_NUMBERS = count(1)
_SUFFIX = ".part"
_QUERY, _STILL_ACTIVE = 0x1000, 259  # PROCESS_QUERY_LIMITED_INFORMATION; the exit code of what has not ended
_LONGEST = 100  # of a name, as far as a temporary one begins with it


def leftover_notes_folder() -> Path:
    """Where the notes lie: what the platform keeps for the state of programs."""
    return Path(_leftover_notes_path())


def _leftover_notes_path() -> str:
    """The same as a text: every start looks there, and hardly one of them finds a note."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(base, "transcript-inspector", "unfinished")


class TemporaryPath:
    """A new empty file in `folder`, or a new folder there, which this user alone may read; gone at the end of a `with`.

    Whoever is done with it may move it away. Raises OSError.
    """

    def __init__(self, folder: Path, name: str, is_folder: bool = False) -> None:
        self.path = Path(folder, f".{name[:_LONGEST]}.{os.urandom(6).hex()}{_SUFFIX}")
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
        """Remove it where it still is. Where that fails, the next start does it."""
        _remove(self.path)
        if self._note is not None and not os.path.lexists(self.path):
            with suppress(OSError):
                self._note.unlink(missing_ok=True)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.discard()


def _write_note(path: Path) -> Path | None:
    """The note of a path that is about to be used; None where none can be made: then it is used without one."""
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
    """A temporary file or folder that is noted: of a process that is `running` it is in use."""

    note_path: str
    path: Path
    is_in_use: bool


def find_leftovers() -> list[Leftover]:
    """What is noted, and not gone yet."""
    try:
        notes = [note for note in os.scandir(_leftover_notes_path()) if note.name.partition("-")[0].isdecimal()]
    except OSError:
        return []
    found = []
    for note in notes:
        with suppress(OSError):
            path = Path(os.fsdecode(Path(note.path).read_bytes()))
            found.append(Leftover(note.path, path, _is_running(int(note.name.partition("-")[0]))))
    return found


def remove_leftovers() -> list[Path]:
    """Remove the temporary files and folders of processes that are no longer there; those that were there."""
    gone = []
    for note, path, running in find_leftovers():
        if running:
            continue
        with suppress(OSError):
            was_there = path.is_absolute() and os.path.lexists(path) and _is_ours(path)
            if path.is_absolute():
                _remove(path)
            if not os.path.lexists(path) or not _is_ours(path):
                os.unlink(note)
                gone += [path] if was_there else []
    return gone


def _remove(path: Path) -> None:
    """Remove what this program made under that name, and nothing else that may lie there by now."""
    with suppress(OSError):
        if not _is_ours(path):
            return
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def _is_ours(path: Path) -> bool:
    """Whether it is a file or folder, and no link, with a name of ours. Raises OSError where nothing is."""
    mode = os.lstat(path).st_mode
    return path.suffix == _SUFFIX and path.name.startswith(".") and (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _is_running_on_windows(process: int) -> bool:
    """Windows has no signal that only asks: processthreadsapi.h, OpenProcess and GetExitCodeProcess."""
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
    """A temporary file that a text is written to, readable by this user alone.

    It goes when it is closed, with its last owner, or at the end of the program, whichever comes first.
    """

    def __init__(self) -> None:
        """Raises UnreadableLog where no temporary file can be made."""
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
        """Raises UnreadableLog."""
        try:
            self.file.write(data)
        except OSError as error:
            raise _disk_full_error(error) from error
        self.size += len(data)

    def flush(self) -> None:
        """All that was written can be read from now on. Raises UnreadableLog."""
        try:
            self.file.flush()
        except OSError as error:
            raise _disk_full_error(error) from error


def _disk_full_error(error: OSError) -> UnreadableLog:
    return UnreadableLog(
        f"There is no room to put the log together in the folder for temporary files: {error.strerror or error}. "
        "Make room there, or name another folder with TMPDIR."
    )


def discard_all_spools() -> None:
    """Remove every spool of this process: for one that ends without any further ceremony."""
    for spool in list(_SPOOLS):
        spool.close()


def _discard(file: BinaryIO, made: TemporaryPath) -> None:
    with suppress(OSError):  # what could not be written is not needed any more
        file.close()
    # The window may have taken it already; Windows keeps it while the window has it open.
    made.discard()


_SPOOLS: WeakSet[SpoolFile] = WeakSet()


class SpooledSource(Source):
    """A log read from a spool, which it owns. `stamps` are those of the files that it was made from."""

    def __init__(self, path: str, spool: SpoolFile, stamps: dict[str, FileStamp | None]) -> None:
        self._spool = spool
        spool.flush()
        super().__init__(path, spool.file, spool.size, stamps)
        self.bytes_path = spool.path

    def close(self) -> None:
        self._spool.close()


class DecompressedSource(SpooledSource):
    """A compressed log."""

    def __init__(self, path: str, spool: SpoolFile, stamps: dict[str, FileStamp | None]) -> None:
        super().__init__(path, spool, stamps)
        self.compressed_path = path

    @property
    def copy_name(self) -> str:
        stem, suffix = os.path.splitext(os.path.basename(self.path).removesuffix(".zst"))
        return f"{stem}.repaired{suffix}"


class LogMember(Struct, frozen=True):
    """A file or a row of an assembled log: its name, its span in the text, how many of its bytes were added for it.

    The bytes that are `given` at its start say what the container keeps beside the JSON (the ids of a row).
    """

    name: str
    start: int
    end: int
    given: int = 0

    def stored_bytes(self, text: bytes) -> bytes:
        """The bytes that the container keeps of a text of this member."""
        return b"{" + text[self.given :] if self.given else text


class AssembledSource(SpooledSource):
    """Many files or rows as one text. `arrays` are its sequences of records: offset of the `[`, spans, context."""

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
        """The members of a span, in order; an empty file is one, too."""
        low = bisect_right(self._starts, start - 1)
        return self.members[low : bisect_right(self._starts, max(start, end - 1))]

    def is_whole_member(self, start: int, end: int) -> bool:
        """Whether a span is that of one member, and of nothing else."""
        return [(member.start, member.end) for member in self.members_in(start, end)] == [(start, end)]

    def member_containing(self, start: int, end: int) -> str | None:
        number = bisect_right(self._starts, start) - 1
        if number < 0 or self.members[number].end < max(start, self.members[number].start):
            number += 1
        here = number < len(self.members) and self.members[number].start <= end
        return self.members[number].name if here else None

    @property
    def copy_name(self) -> str:
        place = self.archive if self.path == f"{self.archive}/." else self.path
        stem, suffix = os.path.splitext(os.path.basename(place))
        return f"{stem}.repaired{suffix if self.container.is_file else ''}"
