"""One line of a session: what pi takes it for.

Facts: @mariozechner/pi-coding-agent 0.73.1 and @earendil-works/pi-coding-agent 0.87.1, `core/session-manager.ts`
(`sessionEntryToContextMessages`) and `core/messages.ts` (`convertToLlm`). Every entry but the header is a node of the
tree, whatever its type. Messages of the system, answers that failed or were stopped, and commands that the person kept
from the model (`!!`) are never sent as they stand. A content of another kind, or a text that is none, stops every
request (0.73.1: "text.replace is not a function"), and null for a message the load; an unknown role, and an empty
message, are left out. Without `usage` in its newest answer pi stops, too, which is not judged: logs of
OpenClaw that people keep have none.
"""

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.bytes.json_text import parse_json
from inspector.core.formats.bases import handed_on
from inspector.core.index.columns import BlockFlag, Columns, RecordMark, Role
from inspector.core.index.views import BlockKind
from inspector.core.wire import anthropic
from inspector.core.wire.fields import (
    DECODE_ERRORS,
    EMPTY_RAW,
    LenientDecoder,
    decode_lenient,
    is_blank_json,
    result_content_flags,
)
from inspector.core.wire.shapes.shape import ObjectSchema
from inspector.core.wire.spelling.rows import CallSpec, ResultSpec
from inspector.core.wire.spelling.tables import ANTHROPIC
from inspector.core.wire.told import typed_text_list_encoder

# How a record is spelled, as `Mark.FORM` numbers it: where its blocks stand.
INJECTED, SUMMARY, AT_MESSAGE = (number << RecordMark.VARIANT_SHIFT for number in (1, 2, 3))
CONTENT = {0: "/message/content", INJECTED: "/content", SUMMARY: "", AT_MESSAGE: "/message"}
HEADER = "session"
SUMMARIES = {"compaction": "firstKeptEntryId", "branch_summary": "fromId"}
STOPPED = frozenset({"error", "aborted"})
_INJECTED_ROLES = frozenset({"custom", "hookMessage"})
_WHOLE_ROLES = frozenset({"bashExecution", "branchSummary", "compactionSummary"})
SPELLING = replace(
    ANTHROPIC,
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


_SPOKEN = ObjectSchema({"content": handed_on.WORDS})
_LISTED = ObjectSchema({"content": handed_on.LISTED})
_MESSAGE = ObjectSchema(
    type_key="role",
    variants={"user": _SPOKEN, "custom": _SPOKEN, "assistant": _LISTED, "toolResult": _SPOKEN},
    default_variant="nobody",
)
SHAPE = ObjectSchema(
    type_key="type", variants={"message": handed_on.within("message", _MESSAGE, needed=True), "custom_message": _SPOKEN}
)


class Block(anthropic.AnthropicBlock, gc=False):
    arguments: Raw = EMPTY_RAW


class _Message(Struct, gc=False):
    role: str | None = None
    content: Raw = EMPTY_RAW
    stopReason: str | None = None
    toolCallId: str | None = None
    toolName: str | None = None
    isError: bool = False
    excludeFromContext: bool = False


class _Row(Struct, gc=False):
    """The fields of a line that the index needs; everything else is skipped, not built."""

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


def add(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one record. A compaction is the BOUNDARY, and an edit that leaves an entry out is a TURN.

    The group of a summary or an edit is the id that it names. pi puts every record but a header into its tree, whatever
    its type, and goes on behind the last one.
    """
    row = _DECODE(raw)
    row.id, row.parentId = row.id or None, row.parentId or None  # an empty id is none to pi
    if row.type == HEADER or (row.type is None and row.id is None):
        columns.add_record(start, end, Role.OPAQUE)
    elif row.type == "message" and row.message is not None:
        _add_message(columns, row, row.message, start, end)
    elif row.type == "message":
        columns.add_record(start, end, Role.USER, RecordMark.MAYBE_MALFORMED, row.id, row.parentId)
    elif row.type == "custom_message":
        columns.add_record(start, end, Role.USER, INJECTED, row.id, row.parentId)
        _add_content(columns, row.content)
    elif row.type == "compaction" or (row.type == "branch_summary" and row.summary):
        compacts = row.type == "compaction"
        mark, named = (SUMMARY | RecordMark.COMPACTION, row.firstKeptEntryId) if compacts else (SUMMARY, row.fromId)
        columns.add_record(start, end, Role.USER, mark, row.id, row.parentId, named)
        columns.add_block(BlockKind.TEXT)
    elif row.type == "context_edit":
        omits = bytes(row.replacement) == b"null"
        columns.add_record(
            start, end, Role.LINK, RecordMark.TURN_EVENT if omits else 0, row.id, row.parentId, row.targetId
        )
    else:
        columns.add_record(start, end, Role.LINK, 0, row.id, row.parentId)


def _add_message(columns: Columns, row: _Row, message: _Message, start: int, end: int) -> None:
    role = message.role
    if role == "toolResult":
        columns.add_record(start, end, Role.TOOL, 0, row.id, row.parentId)
        content = message.content
        flags = (
            result_content_flags(content) | anthropic.media_flag(content) | (BlockFlag.ERROR if message.isError else 0)
        )
        columns.add_block(BlockKind.RESULT, flags, message.toolCallId, message.toolName)
        if not handed_on.is_text(content):
            _note_odd(columns, content, _blocks(content))
    elif role == "user" or role in _INJECTED_ROLES:
        columns.add_record(start, end, Role.USER, 0, row.id, row.parentId)
        _add_content(columns, message.content)
    elif role == "assistant" and message.stopReason not in STOPPED:
        columns.add_record(start, end, Role.ASSISTANT, 0, row.id, row.parentId)
        _add_content(columns, message.content)
    elif role in _WHOLE_ROLES and not message.excludeFromContext:
        columns.add_record(start, end, Role.USER, AT_MESSAGE, row.id, row.parentId)
        columns.add_block(BlockKind.TEXT)
    else:
        failed = role == "assistant" and message.stopReason == "error"
        columns.add_record(start, end, Role.LINK, RecordMark.API_ERROR if failed else 0, row.id, row.parentId)


def _add_content(columns: Columns, content: Raw) -> None:
    """The blocks of a message; one text where its content is a string."""
    if _begins(content) == b'"':
        columns.add_block(BlockKind.TEXT, BlockFlag.PLAIN_STRING | (BlockFlag.BLANK if is_blank_json(content) else 0))
        if columns.roles[-1] == Role.ASSISTANT:
            columns.add_marks(len(columns) - 1, RecordMark.MAYBE_MALFORMED)
        return
    blocks = _blocks(content)
    _note_odd(columns, content, blocks)
    for block in blocks:
        kind = SPELLING.kinds.get(block.type or "", BlockKind.OTHER)
        if kind == BlockKind.CALL:
            flag = 0 if _begins(block.arguments) == b"{" else BlockFlag.BAD_INPUT
            columns.add_block(kind, flag, block.id, block.name)
        elif kind == BlockKind.TEXT:
            blank = handed_on.is_text(block.text) and is_blank_json(block.text)
            columns.add_block(kind, BlockFlag.BLANK if blank else 0)
        else:
            # Reasoning without a signature goes out as text: no provider misses one.
            columns.add_block(kind, BlockFlag.SIGNED if kind == BlockKind.THINKING else 0)


def _note_odd(columns: Columns, content: Raw, blocks: list[Block]) -> None:
    """Whether a message whose content is to be a list needs a closer look."""
    if _begins(content) != b"[" or handed_on.is_odd(blocks):
        columns.add_marks(len(columns) - 1, RecordMark.MAYBE_MALFORMED)


def _begins(value: Raw) -> bytes:
    return bytes(memoryview(value)[:1])


def _blocks(content: Raw) -> list[Block]:
    try:
        return _DECODE_BLOCKS(content) if _begins(content) == b"[" else []
    except DECODE_ERRORS:
        return [decode_lenient(Block, item) for item in parse_json(bytes(content))]


_DECODE = LenientDecoder(_Row)
_DECODE_BLOCKS = msgspec.json.Decoder(list[Block]).decode
