"""One record, parsed to be looked at: what the tree, the details pane and the reports show of it.

Merged; to be rewritten:
`place`: Where something stands in a log, in the terms that a person finds it by.
"""

from enum import IntEnum

from msgspec import Struct


class BlockKind(IntEnum):
    """What a block is; the numbers are stored in columns, so they only ever grow.

    TOLD_RESULT: plain text to the provider, in which the agent tells a result without an id; the format knows the call.
    """

    OTHER = 0
    TEXT = 1
    THINKING = 2
    CALL = 3
    RESULT = 4
    SERVER_CALL = 5
    SERVER_RESULT = 6
    MEDIA = 7
    TOLD_RESULT = 8


CALL_KINDS = frozenset({BlockKind.CALL, BlockKind.SERVER_CALL})
UNNAMED_TOOL = "an unnamed tool"  # in a sentence, where nothing tells the name


class BlockView(Struct, frozen=True):
    """One block: `text` is its plain text (a call's input and a structured result as indented JSON)."""

    kind: BlockKind
    text: str
    pointer: str
    name: str = ""
    call_id: str = ""
    is_error: bool = False


class RecordView(Struct, frozen=True):
    """One record: `role` as the log spells it, `time` as the log wrote it ("" when absent), tokens when recorded.

    An opaque record (metadata, an unreadable line) has no blocks; `summary` then says what it is.
    """

    role: str
    summary: str
    blocks: tuple[BlockView, ...] = ()
    time: str = ""
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


# Where something stands in a log, in the terms that a person finds it by.


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
