"""The data types of a log's layout and of its edits: sequences of records, splices, and containers of members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.storage.source import FileStamp, file_stamp_if_present

if TYPE_CHECKING:
    from pathlib import Path


class RecordSequence(Struct):
    """Records `low..high` that follow one another: the lines of a file, or the elements of one JSON array.

    * `array_start` is the offset of the array's `[`, None for lines.
    * `enclosing_object` is the span of the object around the array (a request body, a conversation's line), None if
      there is none. `outermost_object` is the span of the outermost one.
    * `is_single_message`: the sequence is one message outside of an array (a provider's response), to which nothing
      can be added.
    * `is_response`: the records are a provider's newest response.
    * `pointer` is the JSON pointer to the array or single message, from the start of the document or of its line.
    * `shares_line`: whether the messages share a line, None if this is not known yet.
    """

    low: int
    high: int
    array_start: int | None = None
    enclosing_object: tuple[int, int] | None = None
    outermost_object: tuple[int, int] | None = None
    is_single_message: bool = False
    is_response: bool = False
    pointer: str = ""
    shares_line: bool | None = None


class Truncation(Struct, frozen=True):
    """The end of a document that breaks off: the text after `offset` is torn, and `closers` closes what is open."""

    offset: int
    closers: bytes


class Splice(Struct, frozen=True):
    """A replacement of the bytes `start..end` of the log as read by `value`."""

    start: int
    end: int
    value: bytes


class RecordEdits(Struct):
    """The changes that a repair makes to records, by their number in the log as read.

    `inserted_after` holds new records by the record they follow. `inserted_before` holds, by the number of a sequence,
    the new records that come before its first one.
    """

    replaced: dict[int, bytes]
    deleted: set[int]
    inserted_after: dict[int, list[bytes]]
    inserted_before: dict[int, list[bytes]]


class MemberChanges(Struct):
    """What a save changes of the members of a log.

    `members` has the new bytes of each changed member by its name, None for a member that is removed. `added_before`
    and `added_after` have new members, by the name of the member next to them.
    """

    members: dict[str, bytes | None] = {}
    added_before: dict[str, list[bytes]] = {}
    added_after: dict[str, list[bytes]] = {}

    def is_empty(self) -> bool:
        return not (self.members or self.added_before or self.added_after)


class MemberContainer:
    """A log of many files or rows: a folder, or a database (`is_file`), at `path`.

    `stamps` are the stamps of all files and folders that were read.
    """

    is_file = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamps: dict[str, FileStamp | None] = {}

    def remember_stamp(self, path: str | Path) -> None:
        """Record the stamp of a file or folder. Call this before it is read."""
        self.stamps[str(path)] = file_stamp_if_present(path)
