"""The logs in a folder: every file that a format is sure of by its head, and every store that is one log."""

import os
from collections.abc import Iterator
from contextlib import ExitStack

from inspector.core.bytes.source import Source
from inspector.core.errors import InspectorError
from inspector.core.later import lazy_regex
from inspector.core.opening.opening import FormatProbe, multi_file_format_at, open_head, open_source

# What a save leaves beside a log is no log of its own.
_LEFT_BY_US = lazy_regex(r"\.(backup|quarantine)(-\d+)?$")


def is_backup_or_quarantine(name: str) -> bool:
    """Whether a file or folder of this name is what a save left beside a log."""
    return _LEFT_BY_US.search(name) is not None


def paths_in_folder(folder: str) -> Iterator[str]:
    """Every file in `folder` and below it, by name; a store that is one log comes whole. No file is read."""
    # Folders can lie in one another deeper than Python calls itself.
    waiting = [_entries(folder)]
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
        elif entry.is_dir(follow_symlinks=False):
            if multi_file_format_at(entry.path) is not None:
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
    return (entry for entry in entries if not is_backup_or_quarantine(entry.name))


def open_if_log(path: str) -> tuple[Source, FormatProbe | None] | None:
    """The bytes of the log that a file of a folder is, with a look at them if one was taken; None where it is no log.

    Raises UnreadableLog for a log that cannot be read whole.
    """
    if multi_file_format_at(path) is not None:
        return open_source(path), None
    try:
        source = open_head(path)
    except InspectorError:
        return None
    with ExitStack() as unless_kept:
        unless_kept.enter_context(source)
        try:
            look = FormatProbe(source)
            if not look.is_log:
                return None
        except InspectorError:
            return None
        if source.bytes_path:
            unless_kept.pop_all()
            return source, look
    # Of a compressed one, only the head was unpacked.
    return open_source(path), None
