"""The files of a Strands session as rows of columns: the file of an agent, and its messages.

Facts: strands-agents 1.62.0, types/session.py. A message is stored as it is sent to Bedrock; bytes are objects with
`__bytes_encoded__`. A message that a guardrail replaced has the replacement in `redact_message`, which is sent instead.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.providers.bedrock_converse import schema
from inspector.core.providers.message_fields import LenientDecoder
from inspector.core.providers.message_misfits import NUMBER, OBJECT, FieldSchema, ObjectSchema

MESSAGE, REPLACEMENT = "message", "redact_message"
AGENT_FILE, REPLACED = 1 << RecordMark.VARIANT_SHIFT, 2 << RecordMark.VARIANT_SHIFT
"""The spellings of a record: the file of an agent, and a message that a guardrail replaced."""
_NUMBER = FieldSchema((NUMBER,), needed=True, nullable=False)
_SENT = FieldSchema((OBJECT,), needed=True, of=schema.MESSAGE_SCHEMA, nullable=False)
MESSAGE_SCHEMA = ObjectSchema({MESSAGE: _SENT, "message_id": _NUMBER})
REPLACED_SCHEMA = ObjectSchema(
    {MESSAGE: FieldSchema((OBJECT,), needed=True), REPLACEMENT: _SENT, "message_id": _NUMBER}
)


class ManagerState(Struct, gc=False):
    """The state of a conversation manager: how many messages it removed, and what it put in their place."""

    removed_message_count: int = 0
    summary_message: schema.ConverseMessage | None = None


class StoredFile(Struct, gc=False):
    """The file of a message or of an agent."""

    message: schema.ConverseMessage | None = None
    redact_message: schema.ConverseMessage | None = None
    message_id: int | None = None
    agent_id: str | None = None
    conversation_manager_state: ManagerState | None = None


decode_file = LenientDecoder(StoredFile)


def add_file(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Append the file of an agent, or a message.

    As its group, a message has its number, and an agent how many of its messages its conversation manager removed.
    """
    known = decode_file.decode_strict(raw)
    file = known or decode_file(raw)
    if file.agent_id is not None and file.message is None:
        state = file.conversation_manager_state or ManagerState()
        columns.add_record(start, end, Role.OPAQUE, AGENT_FILE, group=str(state.removed_message_count))
        return
    message, mark = file.redact_message or file.message or schema.ConverseMessage(), 0
    if file.redact_message is not None:
        mark |= REPLACED
    if known is None or file.message is None or file.message_id is None or schema.may_be_malformed(message):
        mark |= RecordMark.MAYBE_MALFORMED
    number = None if file.message_id is None else str(file.message_id)
    columns.add_record(start, end, schema.ROLE_BY_NAME.get(message.role or "", Role.OPAQUE), mark, group=number)
    schema.add_blocks(columns, message)


def is_agent_file(columns: Columns, record: int) -> bool:
    return columns.marks[record] & RecordMark.VARIANT_MASK == AGENT_FILE


def sent_member(value: dict[str, Any]) -> str:
    """Return the member of a parsed message file whose message is sent."""
    return MESSAGE if value.get(REPLACEMENT) is None else REPLACEMENT
