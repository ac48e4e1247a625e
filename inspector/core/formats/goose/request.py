"""The messages that Goose sends when it resumes a session, before the new prompt.

Facts: aaif-goose/goose, crates/goose/src/conversation/mod.rs @006bd23 (`fix_conversation`), read and not run. Of the
messages that the agent sees, empty ones are dropped; results that do not follow their call, or come twice, calls
without a result, calls of the user and reasoning of the user are dropped; neighbors of one role are joined, where
results are a role of their own; and an answer at the beginning is dropped.
"""

from msgspec import Struct

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.goose.reader import MESSAGE_SCHEMA
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_misfits import find_misfits
from inspector.core.storage.json_text import dump_json, parse_json, text_at
from inspector.core.translation import tr

NOT_LOADED = tr("Goose does not load a session that contains a message that it cannot read")
_TEXT, _CALL, _RESULT = int(BlockKind.TEXT), int(BlockKind.CALL), int(BlockKind.RESULT)
_THINKING = int(BlockKind.THINKING)
_WIRES = frozenset({"anthropic", "bedrock-converse", "gemini", "openai-chat", "openai-responses"})
_WITH_REASONING = frozenset({"anthropic", "bedrock-converse"})
_SENT = frozenset({_TEXT, _CALL, _RESULT, _THINKING, int(BlockKind.MEDIA)})
_ALONE = Role.TOOL


class _Message(Struct):
    role: int
    rows: list[int]


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return what is sent before the new prompt."""
    wire = session.profile if session.profile in _WIRES else "openai-chat"
    marks = columns.marks
    for record in session.records:
        is_odd = marks[record] & RecordMark.MAYBE_MALFORMED
        if marks[record] & RecordMark.UNREADABLE or (is_odd and find_misfits(parse_json(raw(record)), MESSAGE_SCHEMA)):
            return ResumeRequest(wire, [], stop_reason=NOT_LOADED)
    path = session.main_thread.path
    spoken = (record for record in path if columns.roles[record] in (Role.USER, Role.ASSISTANT))
    messages = [_Message(columns.roles[record], list(columns.block_rows(record))) for record in spoken]
    messages = _without_strays(columns, _without_empty(columns, messages))
    messages = _joined(columns, _without_empty(columns, messages))
    if messages and messages[0].role == Role.ASSISTANT:
        del messages[0]
    sent = [
        RequestMessage(message.role, [RequestBlock(row) for row in message.rows if _is_sent(columns, row, wire)])
        for message in messages
    ]
    return ResumeRequest(wire, sent, as_stored=False, sends_reasoning=wire in _WITH_REASONING)


def _is_sent(columns: Columns, row: int, wire: str) -> bool:
    kind = columns.block_kinds[row]
    return kind in _SENT and (kind != _THINKING or wire in _WITH_REASONING)


def _without_empty(columns: Columns, messages: list[_Message]) -> list[_Message]:
    """Return the messages without those that have no block, or only texts that are blank."""
    kinds, flags = columns.block_kinds, columns.block_flags
    return [
        message
        for message in messages
        if not all(kinds[row] == _TEXT and flags[row] & BlockFlag.BLANK for row in message.rows)
    ]


def _without_strays(columns: Columns, messages: list[_Message]) -> list[_Message]:
    """Return the messages after `fix_tool_calling`."""
    kinds, ids = columns.block_kinds, columns.call_ids
    waiting: set[str | None] = set()
    for message in messages:
        kept = []
        for row in message.rows:
            if message.role == Role.USER:
                if kinds[row] == _RESULT and ids[row] in waiting:
                    waiting.discard(ids[row])
                elif kinds[row] in (_RESULT, _CALL, _THINKING):
                    continue
            elif kinds[row] == _RESULT:
                continue
            elif kinds[row] == _CALL:
                waiting.add(ids[row])
            kept.append(row)
        message.rows = kept
    for message in messages:
        if message.role == Role.ASSISTANT:
            message.rows = [row for row in message.rows if kinds[row] != _CALL or ids[row] not in waiting]
    return messages


def _joined(columns: Columns, messages: list[_Message]) -> list[_Message]:
    """Return the messages with neighbors of one role joined. Messages of the user with results are a role."""
    joined: list[_Message] = []
    last = -1
    for message in messages:
        has_result = any(columns.block_kinds[row] == _RESULT for row in message.rows)
        role = _ALONE if message.role == Role.USER and has_result else message.role
        if role == last:
            joined[-1].rows += message.rows
        else:
            joined.append(message)
        last = role
    return joined


def thinking_block(block: bytes) -> bytes:
    """Return reasoning as a block of Anthropic's API."""
    value = parse_json(block)
    if text_at(value, "/type") == "redactedThinking":
        return dump_json({"type": "redacted_thinking", "data": text_at(value, "/data")})
    thinking, signature = text_at(value, "/thinking"), text_at(value, "/signature")
    return dump_json({"type": "thinking", "thinking": thinking, "signature": signature})
