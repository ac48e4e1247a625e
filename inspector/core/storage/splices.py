"""Which spans of a log can be spliced together: the sequences of records that a container holds.

Merged; to be rewritten:
`members`: What keeps the members of a log that is many files or rows, and what a repair does to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from inspector.core.storage.source import FileStamp, file_stamp_if_present

if TYPE_CHECKING:
    from pathlib import Path


class RecordSequence(Struct):
    """Records `low..high` that follow one another: the lines of a file, or the elements of one JSON array.

    `array` is the offset of the array's `[`, None for lines. `context` is the span of the object around the array
    (a request body, a conversation's line), where there is one, `root` that of the outermost one. `single` is one
    message that stands by itself (a provider's response): nothing can be put beside it. `reply`: a provider has just
    answered these. `pointer` is the JSON pointer to the array, or to the one message, from the beginning of the
    document or of its line; `one_line` tells whether the messages share a line, None where nobody has looked yet.
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
    """A document that breaks off: what lies behind `at` is torn; `closers` would close what is open there."""

    offset: int
    closers: bytes


class Splice(Struct, frozen=True):
    """Bytes `start..end` of the log as read become `value`."""

    start: int
    end: int
    value: bytes


class RecordEdits(Struct):
    """What a repair does to records, by their number in the log as read.

    `replaced` and `deleted` name records; `after` holds new records by the record they follow, and `before` those that
    come before the first record of a sequence (by sequence number).
    """

    replaced: dict[int, bytes]
    deleted: set[int]
    inserted_after: dict[int, list[bytes]]
    inserted_before: dict[int, list[bytes]]


# What keeps the members of a log that is many files or rows, and what a repair does to them.

# By the name of a member: its new bytes, or None when it goes.
MemberChanges: TypeAlias = dict[str, bytes | None]


class MemberContainer:
    """A folder, or a database (`is_file`), at `path`. `stamps` are those of everything that was read of it."""

    is_file = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamps: dict[str, FileStamp | None] = {}

    def remember_stamp(self, path: str | Path) -> None:
        """Remember the state of a file or folder, before it is read."""
        self.stamps[str(path)] = file_stamp_if_present(path)
