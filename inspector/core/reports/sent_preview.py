"""What an agent will send, block by block, for a person who looks at it beside the log."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.core.index.columns import Columns, Role
from inspector.core.index.place import Place
from inspector.core.index.views import BlockKind
from inspector.core.judging.check import Report
from inspector.core.sent.sending import KEPT, Marked, Sending
from inspector.core.showing.copies import SentBlock, SentPreview

ADDED = "added by the repair"
_OTHER = BlockKind.OTHER.name.lower()
_CALL = BlockKind.CALL.name.lower()


class _Head(msgspec.Struct):
    """What a message, or an item, says of itself."""

    role: Any = ""
    type: Any = ""


def sent_preview(report: Report, sending: Sending, columns: Columns) -> SentPreview:
    """`columns` are those that the sending was worked out from: the log's own, or those of its planned repair."""
    return SentPreview(
        wire=sending.wire,
        outcome=sending.outcome.outcome,
        sentence=sending.outcome.sentence,
        messages=len(sending.messages),
        bytes=sum(map(len, sending.messages)),
        blocks=tuple(_blocks(report, sending, columns)),
    )


def _blocks(report: Report, sending: Sending, columns: Columns) -> Iterator[SentBlock]:
    names: dict[str, str] = {}
    calls: dict[str, Place | None] = {}
    for message, mark in _in_order(sending):
        place = _place(report, columns, mark)
        if mark.kind == _CALL:
            names[mark.id], calls[mark.id] = mark.name, place
        yield SentBlock(
            mark=ADDED if mark.mark == KEPT and place is None else mark.mark,
            message=message,
            role=_role(columns, mark) if message is None else _role_of(sending.messages[message]),
            kind=mark.kind,
            name=mark.name or names.get(mark.id, ""),
            text=mark.text,
            place=place,
            call=None if place else calls.get(mark.id),
        )


def _in_order(sending: Sending) -> Iterator[tuple[int | None, Marked]]:
    """Each block with the number of its message; what is dropped (None) before what follows it in the log."""
    dropped = deque(sorted(sending.dropped, key=lambda mark: mark.row))
    for number, marks in enumerate(sending.marks):
        for mark in marks or (Marked("", -1, _OTHER),):
            while mark.record >= 0 and dropped and dropped[0].row < mark.row:
                yield None, dropped.popleft()
            yield number, mark
    yield from ((None, mark) for mark in dropped)


def _place(report: Report, columns: Columns, mark: Marked) -> Place | None:
    """Where a block stands in the log, None for the agent's own words and for what a repair added."""
    read = report.log.columns
    slot = columns.slots[mark.record] if mark.record >= 0 else len(read)
    if slot >= len(read):
        return None
    # A repair may have changed the blocks of the record: then the record alone is the place.
    is_whole = columns is read or _outline(columns, mark.record) == _outline(read, slot)
    ordinal = mark.row - columns.first[mark.record]
    return Place(slot, pointer=report.format.pointer(read, slot, ordinal) if is_whole else "")


def _outline(columns: Columns, record: int) -> tuple[bytes, list[str | None]]:
    """The kinds of a record's blocks, and their ids."""
    rows = columns.rows(record)
    return bytes(columns.block_kinds[rows.start : rows.stop]), columns.call_ids[rows.start : rows.stop]


def _role(columns: Columns, mark: Marked) -> str:
    return Role(columns.roles[mark.record]).name.lower()


def _role_of(message: bytes) -> str:
    """Who speaks, in the words of the wire; of an item that nobody speaks, its type."""
    head = msgspec.json.decode(message, type=_Head)
    return str(head.role or head.type)
