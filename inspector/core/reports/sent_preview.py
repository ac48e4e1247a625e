"""What an agent will send, block by block, for a person who looks at it beside the log."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.core.index.columns import Columns, Role
from inspector.core.index.place import RecordLocation
from inspector.core.index.views import BlockKind
from inspector.core.judging.check import Report
from inspector.core.sent.sending import SENT_UNCHANGED, EncodedRequest, MarkedBlock
from inspector.core.showing.copies import RequestPreview, RequestPreviewBlock

ADDED_BY_REPAIR = "added by the repair"
_OTHER = BlockKind.OTHER.name.lower()
_CALL = BlockKind.CALL.name.lower()


class _MessageHeader(msgspec.Struct):
    """What a message, or an item, says of itself."""

    role: Any = ""
    type: Any = ""


def request_preview(report: Report, sending: EncodedRequest, columns: Columns) -> RequestPreview:
    """`columns` are those that the sending was worked out from: the log's own, or those of its planned repair."""
    return RequestPreview(
        wire=sending.wire,
        outcome=sending.outcome.outcome,
        sentence=sending.outcome.sentence,
        messages=len(sending.messages),
        bytes=sum(map(len, sending.messages)),
        blocks=tuple(_blocks(report, sending, columns)),
    )


def _blocks(report: Report, sending: EncodedRequest, columns: Columns) -> Iterator[RequestPreviewBlock]:
    names: dict[str, str] = {}
    calls: dict[str, RecordLocation | None] = {}
    for message, mark in _in_order(sending):
        place = _place(report, columns, mark)
        if mark.kind == _CALL:
            names[mark.id], calls[mark.id] = mark.name, place
        yield RequestPreviewBlock(
            mark=ADDED_BY_REPAIR if mark.mark == SENT_UNCHANGED and place is None else mark.mark,
            message=message,
            role=_role(columns, mark) if message is None else _role_of(sending.messages[message]),
            kind=mark.kind,
            name=mark.name or names.get(mark.id, ""),
            text=mark.text,
            place=place,
            call=None if place else calls.get(mark.id),
        )


def _in_order(sending: EncodedRequest) -> Iterator[tuple[int | None, MarkedBlock]]:
    """Each block with the number of its message; what is dropped (None) before what follows it in the log."""
    dropped = deque(sorted(sending.dropped, key=lambda mark: mark.row))
    for number, marks in enumerate(sending.marks):
        for mark in marks or (MarkedBlock("", -1, _OTHER),):
            while mark.record >= 0 and dropped and dropped[0].row < mark.row:
                yield None, dropped.popleft()
            yield number, mark
    yield from ((None, mark) for mark in dropped)


def _place(report: Report, columns: Columns, mark: MarkedBlock) -> RecordLocation | None:
    """Where a block stands in the log, None for the agent's own words and for what a repair added."""
    read = report.log.columns
    slot = columns.stable_numbers[mark.record] if mark.record >= 0 else len(read)
    if slot >= len(read):
        return None
    # A repair may have changed the blocks of the record: then the record alone is the place.
    is_whole = columns is read or _outline(columns, mark.record) == _outline(read, slot)
    ordinal = mark.row - columns.first_block[mark.record]
    return RecordLocation(slot, pointer=report.format.pointer(read, slot, ordinal) if is_whole else "")


def _outline(columns: Columns, record: int) -> tuple[bytes, list[str | None]]:
    """The kinds of a record's blocks, and their ids."""
    rows = columns.block_rows(record)
    return bytes(columns.block_kinds[rows.start : rows.stop]), columns.call_ids[rows.start : rows.stop]


def _role(columns: Columns, mark: MarkedBlock) -> str:
    return Role(columns.roles[mark.record]).name.lower()


def _role_of(message: bytes) -> str:
    """Who speaks, in the words of the wire; of an item that nobody speaks, its type."""
    head = msgspec.json.decode(message, type=_MessageHeader)
    return str(head.role or head.type)
