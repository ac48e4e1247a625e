"""Writing a file so that it is there whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from inspector.core.errors import CannotWrite
from inspector.core.source import is_special


def write_whole(
    target: Path,
    pieces: Iterable[bytes],
    mode_of: Path | None = None,
    judge: Callable[[Path], None] | None = None,
    last_look: Callable[[], None] | None = None,
) -> None:
    """Write `pieces` to `target` by way of a temporary file beside it, flushed to disk before it takes the name.

    A link is followed: the file that it points to is replaced, the link stays. The mode is that of `mode_of`.
    `judge` is called with the temporary file, `last_look` right before the name is taken; when one raises, nothing
    has happened. Raises CannotWrite.
    """
    target = Path(os.path.realpath(target))
    refuse_special(target)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise CannotWrite(f"Nothing can be written in {target.parent}: {error.strerror or error}.") from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            with ThreadPoolExecutor(1) as flusher:
                # The disk is waited for while the file is read again: both take long for a large log.
                flushed = flusher.submit(os.fsync, file.fileno())
                _take_mode(part, mode_of)
                if judge is not None:
                    judge(part)
                flushed.result()
        if last_look is not None:
            last_look()
        os.replace(part, target)
        _flush_folder(target.parent)
    except OSError as error:
        raise CannotWrite(
            f"{target} could not be written: {error.strerror or error}. The file that was there is untouched."
        ) from error
    finally:
        part.unlink(missing_ok=True)


def refuse_special(target: Path) -> None:
    """Raises CannotWrite where a file would take the place of a pipe or a device."""
    if is_special(target):
        raise CannotWrite(f"{target} is a pipe, a socket or a device: give the name of a file, or - for the output.")


def _take_mode(part: Path, mode_of: Path | None) -> None:
    if mode_of is not None and os.path.exists(mode_of):
        shutil.copymode(mode_of, part)
        return
    mask = os.umask(0)
    os.umask(mask)
    part.chmod(0o666 & ~mask)


def _flush_folder(folder: Path) -> None:
    """Make the new name last; Windows cannot open folders, and does not need to."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def free_name(path: Path, suffix: str) -> Path:
    """`path` with a suffix, and a number where that name is taken."""
    candidate, number = path.with_name(path.name + suffix), 1
    while os.path.exists(candidate):
        number += 1
        candidate = path.with_name(f"{path.name}{suffix}-{number}")
    return candidate
