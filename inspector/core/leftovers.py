"""Temporary files that a killed run left behind: noted while they are there, removed at the next start.

Each is noted by a small file of its own, named after the process, which holds its path and nothing else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

_NUMBERS = count(1)


def notes_folder() -> Path:
    """Where the notes lie: what the platform keeps for the state of programs."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(base, "transcript-inspector", "unfinished")


@contextmanager
def noted(path: Path) -> Iterator[None]:
    """Note a temporary file while it is in use. Where no note can be made, the file is used without one."""
    note = notes_folder() / f"{os.getpid()}-{next(_NUMBERS)}"
    try:
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        note.write_bytes(os.fsencode(os.path.abspath(path)))
    except OSError:
        pass
    try:
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)


def remove_leftovers() -> None:
    """Remove the temporary files of processes that are no longer there."""
    try:
        notes = list(os.scandir(notes_folder()))
    except OSError:
        return
    for note in notes:
        process = note.name.partition("-")[0]
        if process.isdecimal() and not _is_running(int(process)):
            with suppress(OSError):
                _remove(Path(os.fsdecode(Path(note.path).read_bytes())))
                os.unlink(note.path)


def _remove(path: Path) -> None:
    """Remove a file that this program named, and nothing else that may lie there by now."""
    if path.suffix == ".part" and path.name.startswith(".") and not path.is_symlink() and path.is_file():
        path.unlink()


def _is_running(process: int) -> bool:
    if sys.platform == "win32":
        return False  # a file that is still open cannot be removed there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
