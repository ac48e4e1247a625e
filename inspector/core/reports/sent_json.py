"""What an agent will send, as JSON: its messages in its own wire, and beside them where each block comes from."""

from typing import Any

from inspector.core.bytes.json_text import text_of
from inspector.core.index.columns import Columns
from inspector.core.reports.head import HEAD
from inspector.core.sent.sending import Marked, Sending


def sent_json(path: str, format: str, sending: Sending, columns: Columns) -> bytes:
    """`messages`, `input` or `contents` hold just what is sent; `marks` has a list of blocks for each of them."""
    told = sending.outcome
    head = HEAD | {
        "path": path,
        "session": sending.session,
        "format": format,
        "agent": told.agent,
        "outcome": told.outcome,
        "loses": list(told.loses),
        "answers": list(told.answers),
        "writes": told.writes,
        "error": told.error,
        "wire": sending.wire,
    }
    tail = {
        "marks": [[_fields(mark, columns) for mark in marks] for marks in sending.marks],
        "dropped": [_fields(mark, columns) for mark in sending.dropped],
    }
    messages = b"[" + b",\n".join(sending.messages) + b"]"
    member = text_of(sending.member)
    return text_of(head)[:-1] + b",\n" + member + b":" + messages + b",\n" + text_of(tail)[1:] + b"\n"


def _fields(mark: Marked, columns: Columns) -> dict[str, Any]:
    """`record` is the block's record in the log (or in the planned one), null for the agent's own words."""
    record = None if mark.record < 0 else columns.slots[mark.record]
    fields = {"mark": mark.mark, "record": record, "kind": mark.kind}
    named = {"id": mark.id, "name": mark.name} if mark.kind in ("call", "result") else {}
    return {**fields, **named, "text": mark.text}
