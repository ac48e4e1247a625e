"""What an agent will send, as JSON: its messages in its own wire, and beside them where each block comes from."""

from typing import Any

from inspector.core.bytes.json_text import dump_json
from inspector.core.index.columns import Columns
from inspector.core.reports.head import JSON_HEADER
from inspector.core.sent.sending import EncodedRequest, MarkedBlock


def request_json(path: str, format: str, sending: EncodedRequest, columns: Columns) -> bytes:
    """`messages`, `input` or `contents` hold just what is sent; `marks` has a list of blocks for each of them."""
    told = sending.outcome
    head = JSON_HEADER | {
        "path": path,
        "session": sending.session,
        "format": format,
        "agent": told.agent,
        "outcome": told.outcome,
        "loses": list(told.losses),
        "answers": list(told.answered_calls),
        "writes": told.file_changes,
        "error": told.error,
        "wire": sending.wire,
    }
    tail = {
        "marks": [[_fields(mark, columns) for mark in marks] for marks in sending.marks],
        "dropped": [_fields(mark, columns) for mark in sending.dropped],
    }
    messages = b"[" + b",\n".join(sending.messages) + b"]"
    member = dump_json(sending.messages_key)
    return dump_json(head)[:-1] + b",\n" + member + b":" + messages + b",\n" + dump_json(tail)[1:] + b"\n"


def _fields(mark: MarkedBlock, columns: Columns) -> dict[str, Any]:
    """`record` is the block's record in the log (or in the planned one), null for the agent's own words."""
    record = None if mark.record < 0 else columns.stable_numbers[mark.record]
    fields = {"mark": mark.mark, "record": record, "kind": mark.kind}
    named = {"id": mark.id, "name": mark.name} if mark.kind in ("call", "result") else {}
    return {**fields, **named, "text": mark.text}
