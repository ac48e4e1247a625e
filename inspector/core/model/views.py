"""The views of a record and its blocks, as the tree, the details pane and the reports show them, and its location."""

from enum import IntEnum

from msgspec import Struct

from inspector.core.translation import tr


class BlockKind(IntEnum):
    """The kind of a block. The numbers are stored in columns, so they never change and new ones are added at the end.

    TOLD_RESULT: a text block, to the provider, in which the agent reports a result without an id. The format knows the
    call.
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
UNNAMED_TOOL = tr("an unnamed tool")  # in a sentence, if the name is not known


class BlockView(Struct, frozen=True):
    """One block. `text` is its plain text; a call's input and a structured result are indented JSON."""

    kind: BlockKind
    text: str
    pointer: str
    name: str = ""
    call_id: str = ""
    is_error: bool = False


class RecordView(Struct, frozen=True):
    """One record. `role` and `time` are spelled as in the log ("" if absent); tokens are None if not recorded.

    An opaque record (metadata, an unreadable line) has no blocks; `summary` then says what it is.
    """

    role: str
    summary: str
    blocks: tuple[BlockView, ...] = ()
    time: str = ""
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class RecordLocation(Struct, frozen=True, gc=False):
    """The location of something in a log: record from 0, line from 1, bytes as (start, end) offsets.

    * `line` and `bytes` are None if the container has none.
    * `pointer` is a JSON pointer (RFC 6901) into the record; "" is the record itself.
    * `member` names the file or row in a container of many.
    * If records share a line, `index` is the number of the record in its array, from 0, and `document` the pointer from
      the beginning of that line.
    """

    record: int
    line: int | None = None
    bytes: tuple[int, int] | None = None
    pointer: str = ""
    member: str | None = None
    index: int | None = None
    document: str | None = None


def one_based(record: int) -> int:
    """Return a record's number as it is shown to users, from 1 as for lines. JSON and the code count from 0."""
    return record + 1
