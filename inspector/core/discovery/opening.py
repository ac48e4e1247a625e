"""Opening logs: find the format of a log and read it, wholly or only its head; and find the logs in a folder.

The logs in a folder are the files whose format is certain by their heads, and the stores that are one log.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.core.discovery.unread_files import require_possible_log
from inspector.core.errors import (
    ChangedMeanwhile,
    Inaccessible,
    InspectorError,
    NotDivisible,
    UnreadableLog,
    WrongFormat,
)
from inspector.core.formats import FORMATS, UNKNOWN_FORMAT, certain_format, detect_format, format_named
from inspector.core.formats.base.databases import SQLITE_MAGIC
from inspector.core.formats.base.format import Format, IsCancelled, MultiFileFormat, ReadOptions
from inspector.core.formats.base.json_lines import JsonLines
from inspector.core.formats.base.log_head import Head, messages_fit_format
from inspector.core.formats.base.registry import safe_claims, safe_score
from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.model.columnar_index import Role
from inspector.core.model.session import Log
from inspector.core.storage.archive_paths import is_archive_head, split_archive_path
from inspector.core.storage.json_lines import decompress_file_head, decompress_to_temporary_file, is_zstd_head
from inspector.core.storage.session_parts import is_part_name, is_parts_folder, open_parts
from inspector.core.storage.source import (
    HEAD_SIZE,
    SHORT_HEAD_SIZE,
    Source,
    file_head,
    file_starts_with,
    is_special_file,
    require_utf8_lines,
)
from inspector.core.storage.wrappers import WRAPPER_HEAD_SIZE, may_be_wrapped, open_wrapped, unwrapped_source
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.discovery import archives
else:
    archives = LazyModule("inspector.core.discovery.archives")

DEEP_CHECK_LIMIT = 16 * 1024 * 1024
# A log of up to this size is read at once, and not piece by piece.
_SMALL = 1024 * 1024
# Suffixes of logs that are single files, so that no format has to check whether it is a log of many files.
_SINGLE = (".jsonl", ".zst")
# What a save leaves next to a log is not a log of its own.
_LEFT_BY_US = lazy_regex(r"\.(backup|quarantine)(-\d+)?$")


def multi_file_format_at(path: str) -> Format | None:
    """Return the format whose log of many files or rows is at `path`, None if there is none.

    It is recognized by the names of files and tables alone.
    """
    if path.endswith(_SINGLE):
        return None
    log_path, is_database = Path(path), file_starts_with(path, SQLITE_MAGIC)
    rows = (row for row in FORMATS.entries.values() if row.is_multi_file and (is_database or not row.is_database))
    formats = (FORMATS[row.name] for row in rows)
    return next((format for format in formats if safe_claims(format, log_path, FORMATS.faults)), None)


def is_log_of_many_files(path: str) -> bool:
    """Return whether a log of many files or rows is at `path`, judged by the names of files and tables alone."""
    return multi_file_format_at(path) is not None or is_parts_folder(path)


def is_multi_file_format(name: str) -> bool:
    """Return whether the logs of a format can be many files or rows."""
    return bool(name) and FORMATS.entries[name].is_multi_file


def open_source(path: str, cancelled: IsCancelled | None = None) -> Source:
    """Open the log at `path`: a file, a wrapped file, a log of many files or rows, or a log in an archive.

    Raises UnreadableLog, Cancelled.
    """
    format = multi_file_format_at(path)
    if isinstance(format, MultiFileFormat):
        return format.assemble(Path(path))
    if is_parts_folder(path):
        return open_parts(path)
    if (member := split_archive_path(path)) is not None:
        return archives.open_archived_log(*member)
    head = file_head(path, WRAPPER_HEAD_SIZE)
    if is_archive_head(path, head):
        raise UnreadableLog(
            tr(
                "{path} is an archive, not a log. `transcript-inspector check` checks the logs in an archive. "
                "To open a log, unpack the archive first.",
                path=path,
            )
        )
    if os.path.isdir(path):
        raise UnreadableLog(tr("{path} is a folder, not a log. Open one of the logs in the folder.", path=path))
    if is_zstd_head(head):
        return decompress_to_temporary_file(path, cancelled)
    return (may_be_wrapped(head) and open_wrapped(path)) or Source.open(path)


def source_of_bytes(data: bytes) -> Source:
    """Open a log that is in memory; one in a wrapper is unwrapped. Raises UnreadableLog."""
    return unwrapped_source("-", data, {}, "") or Source.of_bytes(data)


def open_head(path: str) -> Source:
    """Open the file at `path` to read its head; a Zstandard file is unpacked that far. Raises UnreadableLog."""
    source = Source.open(path)
    head = source.read(0, WRAPPER_HEAD_SIZE)
    if is_zstd_head(head):
        source.close()
        return decompress_file_head(path, HEAD_SIZE + 1)
    if may_be_wrapped(head) and not is_archive_head(path, head) and (wrapped := open_wrapped(path)):
        source.close()
        return wrapped
    return source


class FormatProbe:
    """The format of a log as its head shows it. The short head is used if a format is certain of its lines by it.

    `path` is where the log will be, if not where it is.
    """

    def __init__(self, source: Source, path: str = "") -> None:
        source.load_into_memory(_SMALL)
        path = path or source.path
        self.head = Head(source, SHORT_HEAD_SIZE, path)
        self._sure = None
        if not self.head.is_complete:
            self._sure = certain_format(self.head) if self.head.is_lines and not self.head.is_in_first_line else None
            self.head = self.head if self._sure else Head(source, HEAD_SIZE, path)

    @cached_property
    def format(self) -> Format:
        """The format that claims the log, UNKNOWN_FORMAT if none does."""
        return self._sure or detect_format(self.head)

    @property
    def is_log(self) -> bool:
        """Whether a format claims the log. A file on which a format fails counts as well, so that this is reported."""
        return self.format is not UNKNOWN_FORMAT or bool(self.head.faults)


def open_log(
    source: Source, format_name: str = "", reading: ReadOptions | None = None, probe: FormatProbe | None = None
) -> Log:
    """Find the format (unless it is named) and read the log. Raises UnreadableLog, UnknownName, Cancelled.

    `probe` is a probe of the same source, if there is one already.

    If the named format knows nothing in the log, this raises WrongFormat: the log is not taken for an empty history. If
    a format that was found does not understand the messages that it claimed, the log is read in UNKNOWN_FORMAT.
    """
    probe = probe or FormatProbe(source)
    head = probe.head
    if head.is_empty:
        raise UnreadableLog(tr("{path} is empty.", path=source.path))
    require_utf8_lines(head.text, source.path)
    if probe.format is UNKNOWN_FORMAT:
        require_possible_log(head.text, source.path)
    log = _read(source, probe, format_name, reading or ReadOptions())
    log.faults += [*FORMATS.faults, *head.faults]
    return log


def open_log_in_parts(source: Source, format_name: str, reading: ReadOptions, probe: FormatProbe) -> Iterator[Log]:
    """Yield a large log of very many conversations as logs of some conversations each, any other log not at all.

    Raises NotDivisible where only a look at the whole log shows what it is, also after some parts; and UnreadableLog,
    UnknownName, Cancelled.
    """
    if source.size <= DEEP_CHECK_LIMIT:
        return
    name = format_name or source.format
    format = format_named(name) if name else probe.format
    if name and not safe_score(format, probe.head):
        return
    for log in format.index_in_parts(source, reading):
        if not messages_fit_format(log):
            raise NotDivisible(source.path)
        log.faults += [*FORMATS.faults, *probe.head.faults]
        yield log


def _read(source: Source, probe: FormatProbe, format_name: str, reading: ReadOptions) -> Log:
    name = format_name or source.format
    format = format_named(name) if name else probe.format
    deep = reading.deep or source.size <= DEEP_CHECK_LIMIT
    reading = replace(reading, deep=deep, valid_up_to=probe.head.valid_up_to)
    try:
        log = format.index(source, reading)
    except WrongFormat:
        if name:
            raise
        return UNKNOWN_FORMAT.index(source, reading)
    foreign = format is not UNKNOWN_FORMAT and not messages_fit_format(log)
    if foreign and not name:
        return UNKNOWN_FORMAT.index(source, reading)
    unclaimed = (
        bool(format_name)
        and format is not UNKNOWN_FORMAT
        and len(log.columns) > 0
        and not safe_score(format, probe.head)
    )
    is_document = isinstance(format, JsonLines) and not probe.head.is_lines and probe.head.value is not None
    if foreign or (unclaimed and (is_document or not _holds_messages(log))):
        # The format knows nothing in this log. As an empty history it would be reported as healthy.
        raise WrongFormat(
            tr(
                "{path} is not a log in the {label} format. Choose another format.",
                path=source.path,
                label=format.label,
            )
        )
    return log


def _holds_messages(log: Log) -> bool:
    return any(role in log.columns.roles for role in (Role.USER, Role.ASSISTANT, Role.TOOL))


def is_backup_or_quarantine(name: str) -> bool:
    """Return whether this is the name of a file or folder that a save left next to a log."""
    return _LEFT_BY_US.search(name) is not None


def paths_in_folder(folder: str) -> Iterator[str]:
    """Yield every file in `folder` and below it, by name. A store that is one log is one path. No file is read.

    Links to folders are not followed. A folder that cannot be listed is yielded itself.
    """
    if (entries := _entries(folder)) is None:
        yield folder
        return
    # A stack of iterators, because folders can be nested deeper than Python's recursion limit.
    open_folders = [entries]
    while open_folders:
        entry = next(open_folders[-1], None)
        if entry is None:
            open_folders.pop()
        elif entry.is_dir(follow_symlinks=False):
            if multi_file_format_at(entry.path) is not None:
                yield entry.path
                continue
            if is_parts_folder(entry.path):
                yield entry.path  # The folders below it are logs of subagents.
            if (entries := _entries(entry.path)) is None:
                yield entry.path
            else:
                open_folders.append(entries)
        elif (os.path.isfile(entry.path) or is_special_file(entry.path)) and not is_part_name(entry.name):
            yield entry.path


def _entries(folder: str) -> Iterator[os.DirEntry[str]] | None:
    """Return the entries of a folder by name, without what a save left there; None if the folder cannot be listed."""
    try:
        with os.scandir(folder) as unsorted_entries:
            entries = sorted(unsorted_entries, key=lambda entry: entry.name)
    except OSError:
        return None
    return (entry for entry in entries if not is_backup_or_quarantine(entry.name))


def open_if_log(path: str) -> tuple[Source, FormatProbe | None] | None:
    """Open a file in a folder if it is a log. Return its source and its probe, or None if it is not a log.

    The probe is None if none was made. Raises UnreadableLog and ChangedMeanwhile for a log that cannot be read
    completely, and for a file that cannot be read at all: it may be a log.
    """
    if is_log_of_many_files(path):
        return open_source(path), None
    try:
        source = open_head(path)
    except (Inaccessible, ChangedMeanwhile):
        raise
    except InspectorError:
        return None
    with ExitStack() as unless_kept:
        unless_kept.enter_context(source)
        try:
            probe = FormatProbe(source)
            if not probe.is_log:
                return None
        except (Inaccessible, ChangedMeanwhile):
            raise
        except InspectorError:
            return None
        if source.bytes_path:
            unless_kept.pop_all()
            return source, probe
    # Only the head of a compressed log was unpacked.
    return open_source(path), None
