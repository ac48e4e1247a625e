"""Logs that are no plain file: their bytes are put together in a temporary file, and read there by offset."""

from __future__ import annotations

import os
from bisect import bisect_right
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from weakref import WeakSet, finalize

from msgspec import Struct

from inspector.core.bytes.leftovers import TemporaryPath
from inspector.core.bytes.members import MemberContainer
from inspector.core.bytes.source import FileStamp, Source
from inspector.core.errors import UnreadableLog


class SpoolFile:
    """A temporary file that a text is written to, readable by this user alone.

    It goes when it is closed, with its last owner, or at the end of the program, whichever comes first.
    """

    def __init__(self) -> None:
        """Raises UnreadableLog where no temporary file can be made."""
        import tempfile  # noqa: PLC0415 - loads much that a check of a plain file never needs

        try:
            made = TemporaryPath(Path(tempfile.gettempdir()), "transcript-inspector")
            self.path = str(made.path)
            try:
                self.file: BinaryIO = open(made.path, "w+b")  # noqa: SIM115 - it is open as long as the spool is
            except OSError:
                made.discard()
                raise
        except OSError as error:
            raise _disk_full_error(error) from error
        self.size = 0
        self.close = finalize(self, _discard, self.file, made)
        _SPOOLS.add(self)

    def write(self, data: bytes) -> None:
        """Raises UnreadableLog."""
        try:
            self.file.write(data)
        except OSError as error:
            raise _disk_full_error(error) from error
        self.size += len(data)

    def flush(self) -> None:
        """All that was written can be read from now on. Raises UnreadableLog."""
        try:
            self.file.flush()
        except OSError as error:
            raise _disk_full_error(error) from error


def _disk_full_error(error: OSError) -> UnreadableLog:
    return UnreadableLog(
        f"There is no room to put the log together in the folder for temporary files: {error.strerror or error}. "
        "Make room there, or name another folder with TMPDIR."
    )


def discard_all_spools() -> None:
    """Remove every spool of this process: for one that ends without any further ceremony."""
    for spool in list(_SPOOLS):
        spool.close()


def _discard(file: BinaryIO, made: TemporaryPath) -> None:
    with suppress(OSError):  # what could not be written is not needed any more
        file.close()
    # The window may have taken it already; Windows keeps it while the window has it open.
    made.discard()


_SPOOLS: WeakSet[SpoolFile] = WeakSet()


class SpooledSource(Source):
    """A log read from a spool, which it owns. `stamps` are those of the files that it was made from."""

    def __init__(self, path: str, spool: SpoolFile, stamps: dict[str, FileStamp | None]) -> None:
        self._spool = spool
        spool.flush()
        super().__init__(path, spool.file, spool.size, stamps)
        self.bytes_path = spool.path

    def close(self) -> None:
        self._spool.close()


class DecompressedSource(SpooledSource):
    """A compressed log."""

    def __init__(self, path: str, spool: SpoolFile, stamps: dict[str, FileStamp | None]) -> None:
        super().__init__(path, spool, stamps)
        self.compressed_path = path

    @property
    def copy_name(self) -> str:
        stem, suffix = os.path.splitext(os.path.basename(self.path).removesuffix(".zst"))
        return f"{stem}.repaired{suffix}"


class LogMember(Struct, frozen=True):
    """A file or a row of an assembled log: its name, its span in the text, how many of its bytes were added for it.

    The bytes that are `given` at its start say what the container keeps beside the JSON (the ids of a row).
    """

    name: str
    start: int
    end: int
    given: int = 0

    def stored_bytes(self, text: bytes) -> bytes:
        """The bytes that the container keeps of a text of this member."""
        return b"{" + text[self.given :] if self.given else text


class AssembledSource(SpooledSource):
    """Many files or rows as one text. `arrays` are its sequences of records: offset of the `[`, spans, context."""

    has_lines = False

    def __init__(
        self,
        path: str,
        format: str,
        spool: SpoolFile,
        container: MemberContainer,
        members: list[LogMember],
        arrays: list[tuple[int, list[tuple[int, int]], tuple[int, int]]],
    ) -> None:
        super().__init__(path, spool, container.stamps)
        self.format = format
        self.container = container
        self.members = members
        self.arrays = arrays
        self._starts = [member.start for member in members]

    def members_in(self, start: int, end: int) -> list[LogMember]:
        """The members of a span, in order; an empty file is one, too."""
        low = bisect_right(self._starts, start - 1)
        return self.members[low : bisect_right(self._starts, max(start, end - 1))]

    def is_whole_member(self, start: int, end: int) -> bool:
        """Whether a span is that of one member, and of nothing else."""
        return [(member.start, member.end) for member in self.members_in(start, end)] == [(start, end)]

    def member_containing(self, start: int, end: int) -> str | None:
        number = bisect_right(self._starts, start) - 1
        if number < 0 or self.members[number].end < max(start, self.members[number].start):
            number += 1
        here = number < len(self.members) and self.members[number].start <= end
        return self.members[number].name if here else None

    @property
    def copy_name(self) -> str:
        place = self.archive if self.path == f"{self.archive}/." else self.path
        stem, suffix = os.path.splitext(os.path.basename(place))
        return f"{stem}.repaired{suffix if self.container.is_file else ''}"
