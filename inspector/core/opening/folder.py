"""The logs in a folder: every file that a format is sure of by its head, and every store that is one log."""

import os
import re
from collections.abc import Iterator

from inspector.core.containers.archive.kinds import looks_like_archive
from inspector.core.errors import InspectorError
from inspector.core.formats import RAW, detect
from inspector.core.formats.bases.head import Head
from inspector.core.opening.opening import gatherer_of, head_source

# What a save leaves beside a log is no log of its own.
_LEFT_BY_US = re.compile(r"\.(backup|quarantine)(-\d+)?$")


def files_in(folder: str) -> Iterator[tuple[str, bool]]:
    """Every file in `folder` and below it, by name, and whether it is a log; a store that is one log comes whole."""
    return ((path, _is_log(path)) for path in names_in(folder))


def names_in(folder: str) -> Iterator[str]:
    """Every file in `folder` and below it, by name; a store that is one log comes whole. No file is read."""
    # Folders can lie in one another deeper than Python calls itself.
    waiting = [_entries(folder)]
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
        elif entry.is_dir(follow_symlinks=False):
            if gatherer_of(entry.path) is not None:
                yield entry.path
            else:
                waiting.append(_entries(entry.path))
        elif os.path.isfile(entry.path):
            yield entry.path


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """What lies in a folder, by name, but for what a save left there; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return iter(())
    return (entry for entry in entries if not _LEFT_BY_US.search(entry.name))


def _is_log(path: str) -> bool:
    if gatherer_of(path) is not None:
        return True
    if looks_like_archive(path):
        return False  # though a log may be plain to see in it
    try:
        with head_source(path) as source:
            head = Head(source)
            # What a format fails over is looked at for that to be told.
            return detect(head) is not RAW or bool(head.faults)
    except InspectorError:
        return False
