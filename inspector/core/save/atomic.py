"""Writing a file so that it is there whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from inspector.core.errors import CannotWrite


def write_whole(
    target: Path,
    pieces: Iterable[bytes],
    mode_of: Path | None = None,
    before_replace: Callable[[Path], None] | None = None,
) -> None:
    """Write `pieces` to `target` by way of a temporary file beside it, flushed to disk before it takes the name.

    A link is followed: the file that it points to is replaced, the link stays. The mode is that of `mode_of`.
    `before_replace` is called with the temporary file as the last thing before the name is taken; when it raises,
    nothing has happened. Raises CannotWrite.
    """
    target = Path(os.path.realpath(target))
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
            os.fsync(file.fileno())
        _take_mode(part, mode_of)
        if before_replace is not None:
            before_replace(part)
        os.replace(part, target)
        _flush_folder(target.parent)
    except OSError as error:
        raise CannotWrite(
            f"{target} could not be written: {error.strerror or error}. The file that was there is untouched."
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _take_mode(part: Path, mode_of: Path | None) -> None:
    if mode_of is not None and mode_of.exists():
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
