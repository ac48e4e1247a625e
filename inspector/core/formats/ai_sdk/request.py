"""The messages that the AI SDK sends of model messages.

Facts: `ai` 4.3.19, 5.0.277, 6.0.326 and 7.0.173, run on broken histories. All versions but 7 validate the messages: a
call or result without an id or a name stops them. A part that its role does not have stops every version.
"""

from collections.abc import Iterator
from typing import Any

from inspector.core.formats.ai_sdk import reader
from inspector.core.formats.base import ai_sdk
from inspector.core.formats.base.ai_sdk import APPROVED_TEXT, DENIED_TEXT
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_text import list_at, parse_json, text_at, value_at
from inspector.core.translation import tr

# What the versions that validate messages say.
_SCHEMA_ERRORS = {
    4: "AI_InvalidPromptError: Invalid prompt: message must be a CoreMessage or a UI message",
    5: "AI_InvalidPromptError: Invalid prompt: The messages must be a ModelMessage[].",
    6: "AI_InvalidPromptError: Invalid prompt: The messages do not match the ModelMessage[] schema.",
}
_MALFORMED_STOPS = tr("the SDK stops at a message with an invalid structure")
_MUST_BE_READ = (BlockKind.OTHER, BlockKind.THINKING)


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that are sent, or the error with which the SDK stops."""
    if error := _error(session, columns, raw):
        return ResumeRequest(ai_sdk.wire_of(session), [], stop_reason=error)
    carried_out: set[int] = set()
    messages = list(_messages(session, columns, raw, carried_out))
    return ai_sdk.request_of(session, columns, messages, carried_out)


def _error(session: Session, columns: Columns, raw: ReadRecord) -> str:
    path, schema_error = session.main_thread.path, _SCHEMA_ERRORS.get(ai_sdk.major_version(session), "")
    if reason := ai_sdk.reason_not_to_send(session, columns, raw):
        return reason
    rows = (row for record in path for row in columns.block_rows(record))
    tools = (row for row in rows if columns.block_kinds[row] in reader.TOOL_KINDS)
    if schema_error and any(columns.call_ids[row] is None or columns.names[row] is None for row in tools):
        return schema_error
    odd = (record for record in path if columns.marks[record] & RecordMark.MAYBE_MALFORMED)
    if any(reader.misfits_of(parse_json(raw(record))) for record in odd):
        return schema_error or _MALFORMED_STOPS
    return ""


def _messages(session: Session, columns: Columns, raw: ReadRecord, carried_out: set[int]) -> Iterator[RequestMessage]:
    """Yield the messages, with the answers that approvals lead to. Their calls are added to `carried_out`."""
    calls: dict[str, int] = {}
    approvals: dict[str, str] = {}
    for record in session.main_thread.path:
        role, blocks = columns.roles[record], list[RequestBlock]()
        for row, part in _parts(columns, record, raw) if role != Role.OPAQUE else ():
            kind, approval = columns.block_kinds[row], text_at(part, "/approvalId")
            if kind == BlockKind.CALL:
                calls[columns.call_ids[row] or ""] = row
            if value_at(part, "/type") == reader.APPROVAL_REQUEST:
                approvals[approval] = text_at(part, "/toolCallId")
            elif value_at(part, "/type") == reader.APPROVAL_RESPONSE:
                if (call := calls.get(approvals.get(approval, ""), -1)) >= 0:
                    carried_out.add(call)
                    blocks.append(RequestBlock(call, _answer_to_approval(part)))
            elif _is_sent(kind, part, session):
                blocks.append(RequestBlock(row))
        if role != Role.OPAQUE:
            yield RequestMessage(Role.TOOL if role == Role.LINK else role, blocks)


def _parts(columns: Columns, record: int, raw: ReadRecord) -> Iterator[tuple[int, Any]]:
    """Yield the blocks of a record, with their parts where these must be read to know what is sent."""
    rows = columns.block_rows(record)
    if any(columns.block_kinds[row] in _MUST_BE_READ for row in rows):
        yield from zip(rows, list_at(parse_json(raw(record)), "/content"), strict=True)
    else:
        yield from ((row, {}) for row in rows)


def _is_sent(kind: int, part: Any, session: Session) -> bool:
    if kind == BlockKind.THINKING:
        return ai_sdk.wire_of(session) == "anthropic" and ai_sdk.is_signed(part)
    return kind != BlockKind.OTHER


def _answer_to_approval(response: Any) -> str:
    return APPROVED_TEXT if response.get("approved") is True else text_at(response, "/reason") or DENIED_TEXT
