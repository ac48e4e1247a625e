"""Where something stands in a log, in the terms that a person finds it by."""

from msgspec import Struct


class RecordLocation(Struct, frozen=True, gc=False):
    """Where something stands in the log: record from 0, line from 1, bytes as (start, end) offsets.

    `line` and `bytes` are None where the container has none, `member` names the file or row where it has many.
    `pointer` is an RFC 6901 JSON pointer into the record ("" is the record itself). Where records share a line, `index`
    is the number of the record in its array, from 0, and `document` the pointer from the beginning of that line.
    """

    record: int
    line: int | None = None
    bytes: tuple[int, int] | None = None
    pointer: str = ""
    member: str | None = None
    index: int | None = None
    document: str | None = None


def one_based(record: int) -> int:
    """A record's number as people are told it, from 1 as lines are; JSON and the code count records from 0."""
    return record + 1
