"""Opening a log: find its format and read it into columns; or only its head, so that the first rows show at once."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.core.bytes.encodings import require_utf8_lines
from inspector.core.bytes.source import HEAD_SIZE, SHORT_HEAD_SIZE, Source
from inspector.core.containers.archive.kinds import is_archive, split_archive_path
from inspector.core.containers.zstd import decompress, decompress_head, is_zstd_file, starts_with_zstd_frame
from inspector.core.errors import UnreadableLog, WrongFormat
from inspector.core.formats import FORMATS, RAW, detect, format_named, surely
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.gathering import Gathering
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.isolated import gathers_at, score_of
from inspector.core.formats.bases.reading import IsCancelled, Reading
from inspector.core.formats.bases.understanding import understood
from inspector.core.index.columns import Role
from inspector.core.index.session import Log
from inspector.core.later import LazyModule

if TYPE_CHECKING:
    import pathlib

    from inspector.core.opening import packed_stores
else:
    pathlib = LazyModule("pathlib")
    packed_stores = LazyModule("inspector.core.opening.packed_stores")

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
    return next((each for each in possible if gathers_at(each, place, FORMATS.faults)), None)


def is_multi_file_format(name: str) -> bool:
    """Whether the logs of a format can be many files or rows."""
    return bool(name) and FORMATS.entries[name].is_multi_file


def open_source(path: str, cancelled: IsCancelled | None = None) -> Source:
    """The bytes of the log at `path`: a file, a compressed one, or a store of many files or rows that is one log.

    Raises UnreadableLog, Cancelled.
    """
    format = multi_file_format_at(path)
    if isinstance(format, Gathering):
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
            self._sure = surely(self.head) if self.head.is_lines and not self.head.is_in_first_line else None
            self.head = self.head if self._sure else Head(source)

    @cached_property
    def format(self) -> Format:
        """The format that claims the log, RAW where none does."""
        return self._sure or detect(self.head)

    @property
    def is_log(self) -> bool:
        """Whether one does. What a format fails over is taken for a log, too, for that to be told."""
        return self.format is not RAW or bool(self.head.faults)


def open_log(
    source: Source, format_name: str = "", reading: Reading | None = None, probe: FormatProbe | None = None
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
    log = _read(source, probe, format_name, reading or Reading())
    log.faults += [*FORMATS.faults, *head.faults]
    return log


def _read(source: Source, look: FormatProbe, format_name: str, reading: Reading) -> Log:
    name = format_name or source.format
    format = format_named(name) if name else look.format
    deep = reading.deep or source.size <= DEEP_CHECK_LIMIT
    reading = replace(reading, deep=deep, valid_up_to=look.head.valid_up_to)
    try:
        log = format.index(source, reading)
    except WrongFormat:
        if name:
            raise
        return RAW.index(source, reading)
    foreign = format is not RAW and not understood(log)
    if foreign and not name:
        return RAW.index(source, reading)
    strange = bool(format_name) and format is not RAW and len(log.columns) > 0 and not score_of(format, look.head)
    if foreign or (strange and not _holds_messages(log)):
        # Nothing that this format knows: to call that an empty history would be to call it healthy.
        raise WrongFormat(f"{source.path} holds nothing that {format.label} knows: choose another format.")
    return log


def _holds_messages(log: Log) -> bool:
    return any(role in log.columns.roles for role in (Role.USER, Role.ASSISTANT, Role.TOOL))
