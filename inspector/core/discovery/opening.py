"""Opening a log: find its format and read it into columns; or only its head, so that the first rows show at once.

Merged; to be rewritten:
`folder`: The logs in a folder: every file that a format is sure of by its head, and every store that is one log.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.core.errors import InspectorError, UnreadableLog, WrongFormat
from inspector.core.formats import FORMATS, UNKNOWN_FORMAT, certain_format, detect, format_named
from inspector.core.formats.base.detection import Head, is_plausible
from inspector.core.formats.base.format import Format, IsCancelled, MultiFileFormat, ReadOptions
from inspector.core.formats.base.registry import safe_claims, safe_score
from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.model.columns import Role
from inspector.core.model.session import Log
from inspector.core.storage.archive import is_archive, split_archive_path
from inspector.core.storage.lines import decompress, decompress_head, is_zstd_file, starts_with_zstd_frame
from inspector.core.storage.source import HEAD_SIZE, SHORT_HEAD_SIZE, Source, require_utf8_lines

if TYPE_CHECKING:
    import pathlib

    from inspector.core.discovery import archives as packed_stores
else:
    pathlib = LazyModule("pathlib")
    packed_stores = LazyModule("inspector.core.discovery.archives")

DEEP_CHECK_LIMIT = 16 * 1024 * 1024
# So much is read at once, and not asked for piece by piece.
_SMALL = 1024 * 1024
# What ends so is a log by itself: no format needs to be asked whether it is one of many files.
_SINGLE = (".jsonl", ".zst")


def multi_file_format_at(path: str) -> Format | None:
    """The format whose log of many files or rows lies at `path`, told by names and tables alone."""
    if path.endswith(_SINGLE):
        return None
    place = pathlib.Path(path)
    possible = (FORMATS[name] for name, row in FORMATS.entries.items() if row.is_multi_file)
    return next((each for each in possible if safe_claims(each, place, FORMATS.faults)), None)


def is_multi_file_format(name: str) -> bool:
    """Whether the logs of a format can be many files or rows."""
    return bool(name) and FORMATS.entries[name].is_multi_file


def open_source(path: str, cancelled: IsCancelled | None = None) -> Source:
    """The bytes of the log at `path`: a file, a compressed one, or a store of many files or rows that is one log.

    Raises UnreadableLog, Cancelled.
    """
    format = multi_file_format_at(path)
    if isinstance(format, MultiFileFormat):
        return format.assemble(pathlib.Path(path))
    if (member := split_archive_path(path)) is not None:
        return packed_stores.open_archived_log(*member)
    if is_archive(path):
        raise UnreadableLog(
            f"{path} is an archive, and no log: `transcript-inspector check` goes through the logs in it; "
            "unpack the one that you want to see, and open that."
        )
    if os.path.isdir(path):
        raise UnreadableLog(f"{path} is a folder, and no store that is one log: open one log in it.")
    return decompress(path, cancelled) if is_zstd_file(path) else Source.open(path)


def open_head(path: str) -> Source:
    """What a head is read of: the file at `path`, or how a compressed one begins. Raises UnreadableLog."""
    source = Source.open(path)
    if not starts_with_zstd_frame(source):
        return source
    source.close()
    return decompress_head(path, HEAD_SIZE + 1)


class FormatProbe:
    """A look at the head of a log: a short one, where a format is sure of its lines by that."""

    def __init__(self, source: Source) -> None:
        source.load_into_memory(_SMALL)
        self.head = Head(source, SHORT_HEAD_SIZE)
        self._sure = None
        if not self.head.is_complete:
            self._sure = certain_format(self.head) if self.head.is_lines and not self.head.is_in_first_line else None
            self.head = self.head if self._sure else Head(source)

    @cached_property
    def format(self) -> Format:
        """The format that claims the log, RAW where none does."""
        return self._sure or detect(self.head)

    @property
    def is_log(self) -> bool:
        """Whether one does. What a format fails over is taken for a log, too, for that to be told."""
        return self.format is not UNKNOWN_FORMAT or bool(self.head.faults)


def open_log(
    source: Source, format_name: str = "", reading: ReadOptions | None = None, probe: FormatProbe | None = None
) -> Log:
    """Find the format (unless it is named) and read the log. Raises UnreadableLog, UnknownName, Cancelled.

    `look` is one that was taken of it already.

    A format that is named, and knows nothing of what is there, is not taken for one whose history is empty. One that
    does not understand the messages that it claimed gives the log up.
    """
    probe = probe or FormatProbe(source)
    head = probe.head
    if head.is_empty:
        raise UnreadableLog(f"{source.path} is empty: there is nothing to read in it.")
    require_utf8_lines(head.text, source.path)
    log = _read(source, probe, format_name, reading or ReadOptions())
    log.faults += [*FORMATS.faults, *head.faults]
    return log


def _read(source: Source, look: FormatProbe, format_name: str, reading: ReadOptions) -> Log:
    name = format_name or source.format
    format = format_named(name) if name else look.format
    deep = reading.deep or source.size <= DEEP_CHECK_LIMIT
    reading = replace(reading, deep=deep, valid_up_to=look.head.valid_up_to)
    try:
        log = format.index(source, reading)
    except WrongFormat:
        if name:
            raise
        return UNKNOWN_FORMAT.index(source, reading)
    foreign = format is not UNKNOWN_FORMAT and not is_plausible(log)
    if foreign and not name:
        return UNKNOWN_FORMAT.index(source, reading)
    strange = (
        bool(format_name)
        and format is not UNKNOWN_FORMAT
        and len(log.columns) > 0
        and not safe_score(format, look.head)
    )
    if foreign or (strange and not _holds_messages(log)):
        # Nothing that this format knows: to call that an empty history would be to call it healthy.
        raise WrongFormat(f"{source.path} holds nothing that {format.label} knows: choose another format.")
    return log


def _holds_messages(log: Log) -> bool:
    return any(role in log.columns.roles for role in (Role.USER, Role.ASSISTANT, Role.TOOL))


# The logs in a folder: every file that a format is sure of by its head, and every store that is one log.

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
