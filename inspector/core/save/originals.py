"""What is made of a log never takes the log's place."""

import os
from collections.abc import Iterable
from pathlib import Path

from inspector.core.bytes.source import Source
from inspector.core.errors import CannotWrite


def refuse_overwriting_log(target: str, source: Source) -> None:
    """Raises CannotWrite where `target` is the log, a file of it, or the archive that it lies in."""
    refuse_overwriting(target, (source.path, *source.stamps))


def refuse_overwriting(target: str, paths: Iterable[str]) -> None:
    """Raises CannotWrite where something is at `target` that is one of these, or lies in one of them.

    "-" is standard input, and no file.
    """
    if os.path.exists(target) and any(_is_of(target, path) for path in paths if path != "-"):
        raise CannotWrite(f"{target} is the log itself, or holds a part of it: choose another name.")


def _is_of(target: str, path: str) -> bool:
    try:
        if os.path.samefile(target, path):
            return True
    except OSError:
        return False  # no file any more, or what lies in an archive
    return os.path.isdir(path) and Path(target).resolve().is_relative_to(Path(path).resolve())
