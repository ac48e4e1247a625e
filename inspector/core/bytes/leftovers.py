"""Temporary files and folders of this program; what a killed run left of them goes at the next start.

Each is noted before it is made, by a small file named after the process, which holds its path and nothing else. The
note goes when it is gone.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.core.later import LazyModule

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
