"""The files of a Strands session as rows of columns: the file of an agent, and its messages.

Facts: strands-agents 1.62.0, types/session.py. A message is stored as it is sent to Bedrock; bytes are objects with
`__bytes_encoded__`. A message that a guardrail replaced has the replacement in `redact_message`, which is sent instead.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.providers.bedrock_converse import schema
from inspector.core.providers.message_fields import LenientDecoder
from inspector.core.providers.message_misfits import (
    NUMBER,
    OBJECT,
    TEXT,
    FieldSchema,
    Misfit,
    ObjectSchema,
    find_misfits,
)
from inspector.core.storage.json_text import list_at, value_at

MESSAGE, REPLACEMENT = "message", "redact_message"
AGENT_FILE, REPLACED = 1 << RecordMark.VARIANT_SHIFT, 2 << RecordMark.VARIANT_SHIFT
"""The variants of a record: the file of an agent, and a message that a guardrail replaced."""
SKIPPED = "SDK_UNKNOWN_MEMBER"
_NUMBER = FieldSchema((NUMBER, TEXT), needed=True, nullable=False)
_NAME = FieldSchema((TEXT,), nullable=False)
# What models/bedrock.py passes on. It stops at another block.
_BLOCK = replace(
    schema.BLOCK,
    fields=schema.BLOCK.fields | {"toolUse": FieldSchema((OBJECT,), of=ObjectSchema({"name": _NAME}))},
    exclusive_keys=schema.BLOCK.exclusive_keys - {"searchResult", "toolAddition", "toolRemoval"} | {SKIPPED},
    is_closed=True,
)
_RESULT_OF_ANTHROPIC = ObjectSchema({"status": FieldSchema((TEXT,), needed=True, made=b'"success"')})


def _file_schema(block: ObjectSchema, member: str) -> ObjectSchema:
    """Return the schema of a message file with such blocks, of which a member is sent."""
    sent = FieldSchema((OBJECT,), needed=True, of=schema.message_schema_of(block), nullable=False)
    return ObjectSchema({MESSAGE: FieldSchema((OBJECT,), needed=True), "message_id": _NUMBER} | {member: sent})


def _with_required_status(block: ObjectSchema) -> ObjectSchema:
    """Return the schema of a block for the model of Anthropic, which stops at a result without a status."""
    held = block.fields["toolResult"]
    assert held.of is not None
    result = replace(held.of, fields=held.of.fields | _RESULT_OF_ANTHROPIC.fields)
    return replace(block, fields=block.fields | {"toolResult": replace(held, of=result)})


# By the member that is sent, and whether the results are for Anthropic's API.
_FILE_SCHEMAS = {
    (member, for_anthropic): _file_schema(_with_required_status(_BLOCK) if for_anthropic else _BLOCK, member)
    for member in (MESSAGE, REPLACEMENT)
    for for_anthropic in (False, True)
}


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
    is_whole = file.message is not None and file.message_id is not None and message.content is not None
    lacks_status = any(
        block.result is not None and block.result.status is None and is_for_anthropic(block.result.id)
        for block in message.content or ()
    )
    if known is None or not is_whole or lacks_status or schema.may_be_malformed(message):
        mark |= RecordMark.MAYBE_MALFORMED
    number = None if file.message_id is None else str(file.message_id)
    columns.add_record(start, end, schema.ROLE_BY_NAME.get(message.role or "", Role.OPAQUE), mark, group=number)
    schema.add_blocks(columns, message)


BLOCK_KEYS = _BLOCK.exclusive_keys


def is_agent_file(columns: Columns, record: int) -> bool:
    return columns.marks[record] & RecordMark.VARIANT_MASK == AGENT_FILE


def sent_member(value: dict[str, Any]) -> str:
    """Return the member of a parsed message file whose message is sent."""
    return MESSAGE if value.get(REPLACEMENT) is None else REPLACEMENT


def is_for_anthropic(call_id: Any) -> bool:
    """Return whether the id of a call comes from Anthropic's own API."""
    return isinstance(call_id, str) and call_id.startswith("toolu_") and not call_id.startswith("toolu_bdrk_")


def file_misfits(message: Any) -> list[Misfit]:
    """Return the parts of a parsed message file at which Strands or the API stops."""
    member = sent_member(message) if isinstance(message, dict) else MESSAGE
    blocks = list_at(message, f"/{member}/content")
    for_anthropic = any(is_for_anthropic(value_at(block, "/toolResult/toolUseId")) for block in blocks)
    return find_misfits(message, _FILE_SCHEMAS[member, for_anthropic])
