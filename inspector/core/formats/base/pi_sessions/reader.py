"""The lines of a pi session as rows of columns, and the evidence of a call that has no result.

Facts: @mariozechner/pi-coding-agent 0.73.1 and @earendil-works/pi-coding-agent 0.87.1, `core/session-manager.ts`
(`sessionEntryToContextMessages`) and `core/messages.ts` (`convertToLlm`). Every entry but the header is a node of the
tree, whatever its type. Messages of the system, answers that failed or were stopped, and commands that the user kept
from the model (`!!`) are never sent unchanged. A content of another kind, or a text that is not a string, stops every
request (0.73.1: "text.replace is not a function"), and null for a message stops the load. An unknown role and an empty
message are left out. pi also stops if its newest answer has no `usage`. That is not judged, because OpenClaw's logs
have none.
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.formats.base import block_list_formats
from inspector.core.formats.base.call_evidence import TOOL_STARTED, EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.anthropic import schema
from inspector.core.providers.block_schema import CallSpec, ResultSpec, typed_text_list_encoder
from inspector.core.providers.message_fields import (
    DECODE_ERRORS,
    EMPTY_RAW,
    LenientDecoder,
    decode_fitting_members,
    is_blank_json,
    result_content_flags,
)
from inspector.core.providers.message_misfits import TEXT, FieldSchema, ObjectSchema, object_schema_by_type
from inspector.core.storage.json_text import parse_json, text_at
from inspector.core.translation import tr

# The form of a record, in the bits of `RecordMark.VARIANT_MASK`: it says which member holds the blocks.
INJECTED_FORM, SUMMARY_FORM, MESSAGE_FORM = (number << RecordMark.VARIANT_SHIFT for number in (1, 2, 3))
CONTENT_POINTERS = {0: "/message/content", INJECTED_FORM: "/content", SUMMARY_FORM: "", MESSAGE_FORM: "/message"}
HEADER_TYPE, TITLE_TYPE = "session", "title"
SUMMARY_LINK_KEYS = {"compaction": "firstKeptEntryId", "branch_summary": "fromId"}
UNSENT_STOP_REASONS = frozenset({"error", "aborted"})
_INJECTED_ROLES = frozenset({"custom", "hookMessage"})
_WHOLE_ROLES = frozenset({"bashExecution", "branchSummary", "compactionSummary"})
ENTRY_BLOCK_SCHEMA = replace(
    schema.BLOCK_SCHEMA,
    kinds={
        "text": BlockKind.TEXT,
        "thinking": BlockKind.THINKING,
        "toolCall": BlockKind.CALL,
        "image": BlockKind.MEDIA,
    },
    served=None,
    calls=(CallSpec(input=("/arguments",)),),
    results=(
        ResultSpec(
            id="/message/toolCallId",
            name="/message/toolName",
            content="/message/content",
            told=typed_text_list_encoder("text"),
            status="/message/isError",
        ),
    ),
    kept_in=("message",),
)


_TEXT_MESSAGE_SCHEMA = ObjectSchema({"content": block_list_formats.TEXT_OR_BLOCKS_FIELD_SCHEMA})
_LIST_MESSAGE_SCHEMA = ObjectSchema({"content": block_list_formats.BLOCK_LIST_FIELD_SCHEMA})


def entry_schema(has_listed_results: bool = False, needs_role: bool = False) -> ObjectSchema:
    """Return the schema of an entry for a program that takes results only as lists, or needs the role of a message."""
    message = ObjectSchema(
        {"role": FieldSchema((TEXT,), needed=True, non_empty=True)} if needs_role else {},
        type_key="role",
        variants={
            "user": _TEXT_MESSAGE_SCHEMA,
            "custom": _TEXT_MESSAGE_SCHEMA,
            "assistant": _LIST_MESSAGE_SCHEMA,
            "toolResult": _LIST_MESSAGE_SCHEMA if has_listed_results else _TEXT_MESSAGE_SCHEMA,
        },
        default_variant="nobody",
    )
    return object_schema_by_type(
        {
            "message": block_list_formats.record_schema_with_message("message", message, needed=True),
            "custom_message": _TEXT_MESSAGE_SCHEMA,
        }
    )


ENTRY_SCHEMA = entry_schema()


class ContentBlock(schema.AnthropicBlock, gc=False):
    arguments: Raw = EMPTY_RAW


class _Message(Struct, gc=False):
    role: str | None = None
    content: Raw = EMPTY_RAW
    stopReason: str | None = None
    toolCallId: str | None = None
    toolName: str | None = None
    isError: bool = False
    excludeFromContext: bool = False


class _Entry(Struct, gc=False):
    """The fields of a line that the index needs; the decoder skips all others."""

    type: str | None = None
    id: str | None = None
    parentId: str | None = None
    message: _Message | None = None
    content: Raw = EMPTY_RAW
    summary: str | None = None
    firstKeptEntryId: str | None = None
    fromId: str | None = None
    targetId: str | None = None
    replacement: Raw = EMPTY_RAW


def add_record(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one record. A compaction has the mark COMPACTION, and an edit that omits an entry TURN_EVENT.

    The group of a summary or an edit is the id that it names. pi puts every record but a header into its tree, whatever
    its type, and continues after the last one.
    """
    row = _DECODE(raw)
    row.id, row.parentId = row.id or None, row.parentId or None  # to pi an empty id is no id
    if row.type == HEADER_TYPE or (row.id is None and row.type in (None, TITLE_TYPE)):
        columns.add_record(start, end, Role.OPAQUE)
    elif row.type == "message" and row.message is not None:
        _add_message(columns, row, row.message, start, end)
    elif row.type == "message":
        columns.add_record(start, end, Role.USER, RecordMark.MAYBE_MALFORMED, row.id, row.parentId)
    elif row.type == "custom_message":
        columns.add_record(start, end, Role.USER, INJECTED_FORM, row.id, row.parentId)
        _add_content(columns, row.content)
    elif row.type == "compaction" or (row.type == "branch_summary" and row.summary):
        is_compaction = row.type == "compaction"
        mark, linked_id = (
            (SUMMARY_FORM | RecordMark.COMPACTION, row.firstKeptEntryId)
            if is_compaction
            else (SUMMARY_FORM, row.fromId)
        )
        columns.add_record(start, end, Role.USER, mark, row.id, row.parentId, linked_id)
        columns.add_block(BlockKind.TEXT)
    elif row.type == "context_edit":
        omits = bytes(row.replacement) == b"null"
        columns.add_record(
            start, end, Role.LINK, RecordMark.TURN_EVENT if omits else 0, row.id, row.parentId, row.targetId
        )
    elif row.type == "leaf":
        # What hangs off this record of OpenClaw hangs off the entry that it names.
        columns.add_record(start, end, Role.LINK, RecordMark.LEAF_POINTER, row.id, row.targetId or None)
    else:
        columns.add_record(start, end, Role.LINK, 0, row.id, row.parentId)


def _add_message(columns: Columns, row: _Entry, message: _Message, start: int, end: int) -> None:
    role = message.role
    if role == "toolResult":
        columns.add_record(start, end, Role.TOOL, 0, row.id, row.parentId)
        content = message.content
        flags = result_content_flags(content) | schema.media_flag(content) | (BlockFlag.ERROR if message.isError else 0)
        columns.add_block(BlockKind.RESULT, flags, message.toolCallId, message.toolName)
        _note_odd(columns, content, _blocks(content))
    elif role == "user" or role in _INJECTED_ROLES:
        columns.add_record(start, end, Role.USER, 0, row.id, row.parentId)
        _add_content(columns, message.content)
    elif role == "assistant" and message.stopReason not in UNSENT_STOP_REASONS:
        columns.add_record(start, end, Role.ASSISTANT, 0, row.id, row.parentId)
        _add_content(columns, message.content)
    elif role in _WHOLE_ROLES and not message.excludeFromContext:
        columns.add_record(start, end, Role.USER, MESSAGE_FORM, row.id, row.parentId)
        columns.add_block(BlockKind.TEXT)
    else:
        failed = role == "assistant" and message.stopReason == "error"
        has_calls = role == "assistant" and bool(_calls(message))
        mark = (RecordMark.API_ERROR if failed else 0) | (RecordMark.NOT_SENT if has_calls else 0)
        columns.add_record(start, end, Role.LINK, mark, row.id, row.parentId)


def _calls(message: _Message) -> list[ContentBlock]:
    return [
        block for block in _blocks(message.content) if ENTRY_BLOCK_SCHEMA.kinds.get(block.type or "") == BlockKind.CALL
    ]


def _add_content(columns: Columns, content: Raw) -> None:
    """Add the blocks of a message; a content that is a string is one text."""
    if _first_byte(content) == b'"':
        columns.add_block(BlockKind.TEXT, BlockFlag.PLAIN_STRING | (BlockFlag.BLANK if is_blank_json(content) else 0))
        if columns.roles[-1] == Role.ASSISTANT:
            columns.add_marks(len(columns) - 1, RecordMark.MAYBE_MALFORMED)
        return
    blocks = _blocks(content)
    _note_odd(columns, content, blocks)
    for block in blocks:
        kind = ENTRY_BLOCK_SCHEMA.kinds.get(block.type or "", BlockKind.OTHER)
        if kind == BlockKind.CALL:
            flag = 0 if _first_byte(block.arguments) == b"{" else BlockFlag.BAD_INPUT
            columns.add_block(kind, flag, block.id, block.name)
        elif kind == BlockKind.TEXT:
            blank = block_list_formats.is_string_token(block.text) and is_blank_json(block.text)
            columns.add_block(kind, BlockFlag.BLANK if blank else 0)
        else:
            # Reasoning without a signature is sent as text, so no provider misses one.
            columns.add_block(kind, BlockFlag.SIGNED if kind == BlockKind.THINKING else 0)


def _note_odd(columns: Columns, content: Raw, blocks: list[ContentBlock]) -> None:
    """Mark a message whose content should be a list if it needs a closer look."""
    if _first_byte(content) != b"[" or block_list_formats.has_suspect_block(blocks):
        columns.add_marks(len(columns) - 1, RecordMark.MAYBE_MALFORMED)


def _first_byte(value: Raw) -> bytes:
    return bytes(memoryview(value)[:1])


def _blocks(content: Raw) -> list[ContentBlock]:
    try:
        return _DECODE_BLOCKS(content) if _first_byte(content) == b"[" else []
    except DECODE_ERRORS:
        return [decode_fitting_members(ContentBlock, item) for item in parse_json(bytes(content))]


_DECODE = LenientDecoder(_Entry)
_DECODE_BLOCKS = msgspec.json.Decoder(list[ContentBlock]).decode


def ids_of_calls_in_message(raw: bytes) -> list[str | None]:
    """Return the ids of the calls in the message of an entry."""
    message = _DECODE(raw).message
    return [block.id for block in _calls(message)] if message is not None else []


def evidence_in_entry(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return what an entry shows of a call without a result, see `CallEvidenceSource`.

    pi and OpenClaw record only the result. omp also writes `custom` entries, which are never sent: of the type
    `tool_execution_start` for each tool that began (18.2.3), and of the type `tool_execution` for each one that ended
    (letta-ai/trajectory, fixtures/omp).
    """
    if own or not isinstance(row, dict) or row.get("type") != "custom":
        return None
    if row.get("customType") == "tool_execution_start" and text_at(row, "/data/toolCallId") == call.id:
        return EvidenceItem(EvidenceStrength.STARTED, TOOL_STARTED)
    if row.get("customType") != "tool_execution" or row.get("toolCallId") != call.id:
        return None
    code = row.get("exitCode")
    return EvidenceItem(
        EvidenceStrength.RAN,
        tr("The log shows that the command ended with exit code {code}.", code=code)
        if code is not None
        else tr("The log shows that the command ended."),
    )
