"""The reader of Claude Code's lines, which adds them to columns, and the view of progress records.

This part of the reader decides how fast a log is checked.
"""

from sys import intern
from typing import Any

import msgspec
from msgspec import Raw, Struct

from inspector.core.formats.base import block_list_formats
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.record_tree import encode_non_string_id
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.anthropic import schema
from inspector.core.providers.block_schema import typed_text_list_encoder
from inspector.core.providers.malformed_precheck import STRING_START, first_byte
from inspector.core.providers.message_fields import decode_fitting_members
from inspector.core.providers.message_misfits import Misfit, ObjectSchema, find_misfits
from inspector.core.storage.json_text import object_at, pretty_json, value_at
from inspector.core.text import version_numbers
from inspector.core.translation import tr

_ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.LINK,
    "attachment": Role.LINK,
    "progress": Role.LINK,
}
_SPEAKERS = {"user": int(Role.USER), "assistant": int(Role.ASSISTANT)}
_CALL, _RESULT, _SIDECHAIN, _BAD_INPUT = (
    int(BlockKind.CALL),
    int(BlockKind.RESULT),
    RecordMark.SIDE_THREAD,
    BlockFlag.BAD_INPUT,
)
_SHORT_TEXT = 600
_MESSAGE_SCHEMA = block_list_formats.record_schema_with_message(
    "message", ObjectSchema({"content": schema.CONTENT_FIELD}), needed=True
)
# Blocks go out as they stand; a text that is none stops the load (2.1.112: "Failed to resume session"), and so does a
# record without a message (`DtY` looks into those of all records).
LINE_SCHEMA = ObjectSchema(type_key="type", variants=dict.fromkeys(_SPEAKERS, _MESSAGE_SCHEMA))
_NEWER_SINCE = (2, 1, 330)
_LIST_REQUIRED = tr("the content is text, but Claude Code versions before 2.1.330 require a list of blocks")


def is_newer_generation(version: str) -> bool:
    """Return whether a version is taken for 2.1.330 and not for 2.1.112, as all between them are."""
    return version_numbers(version) >= _NEWER_SINCE


def schema_misfits(line: Any) -> list[Misfit]:
    """Return the parts of a line that stop the load in the version that wrote it, or are refused."""
    content = value_at(line, "/message/content")
    answers = isinstance(content, str) and value_at(line, "/type") == "assistant"
    # An answer that is a text stopped the load (2.1.112: "_.message.content.find is not a function").
    if answers and not is_newer_generation(str(line.get("version") or "")):
        where = "/message/content"
        return [Misfit(where, _LIST_REQUIRED, where, typed_text_list_encoder("text"))]
    return find_misfits(line, LINE_SCHEMA)


class TranscriptLine(Struct, gc=False):
    """The fields of a line that the index needs; everything else is skipped, not built."""

    type: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    isSidechain: bool | None = None
    sessionId: str | None = None
    message: schema.AnthropicMessage | None = None
    subtype: str | None = None
    isApiErrorMessage: bool | None = None
    parentToolUseID: str | None = None
    attachment: Raw = Raw(b"")
    timestamp: str | None = None


def decode_line(line: Any) -> TranscriptLine:
    """Decode the members of a line that fit.

    The loader accepts an id of any kind. As a parent, only a false value names none.
    """
    row = decode_fitting_members(TranscriptLine, line)
    row.uuid = row.uuid or encode_non_string_id(value_at(line, "/uuid"))
    if row.message is not None:
        row.message.id = row.message.id or encode_non_string_id(value_at(line, "/message/id"))
    if row.parentUuid is None and (parent := value_at(line, "/parentUuid")):
        row.parentUuid = encode_non_string_id(parent) or pretty_json(parent)
    return row


def add_lines(columns: Columns, rows: list[TranscriptLine], ends: list[int], offset: int, ids: dict[str, int]) -> None:
    """Append the rows of a chunk with their offsets.

    The common records are appended here, column by column: a call for each would double the time of the whole check.
    """
    _note_sessions(rows, len(columns), ids)
    _note_time_order(columns, rows)
    start, group = 0, None
    add_start, add_end = columns.starts.append, columns.ends.append
    add_uuid, add_parent, add_group = columns.uuids.append, columns.parents.append, columns.groups.append
    add_role, add_mark, add_blocks = columns.roles.append, columns.marks.append, columns.blocks.append
    add_kind, add_flag = columns.block_kinds.append, columns.block_flags.append
    add_id, add_name = columns.call_ids.append, columns.names.append
    for row, end in zip(rows, ends, strict=True):
        message, role = row.message, _SPEAKERS.get(row.type or "")
        content = None if message is None else message.content
        if message is None or role is None or content.__class__ is not list or row.isApiErrorMessage:
            add_line(columns, row, offset + start, offset + end)
            start = end + 1
            continue
        add_start(offset + start)
        add_end(offset + end)
        start = end + 1
        add_uuid(row.uuid or None)
        add_parent(row.parentUuid or None)
        if message.id != group:
            group = message.id
        add_group(group)  # fragments share one string
        add_role(role)
        add_mark(_SIDECHAIN if row.isSidechain else 0)
        add_blocks(len(content))
        for block in content:
            form = block.type
            if schema.has_unusual_member(block):
                columns.marks[-1] |= RecordMark.MAYBE_MALFORMED
            if form == "tool_use":
                add_kind(_CALL)
                add_flag(_BAD_INPUT if block.input is None else 0)
                add_id(block.id)
                add_name(intern(block.name) if block.name else block.name)
                continue
            if form == "tool_result":
                add_kind(_RESULT)
                whole = len(block.content) < _SHORT_TEXT or block.is_error
                add_flag(schema.result_flags(block) if whole else schema.media_flag(block.content))
                add_id(block.tool_use_id)
                add_name(None)
                words = block.content
                if not (len(words) and first_byte(words) == STRING_START) and schema.may_be_malformed_block(block):
                    columns.marks[-1] |= RecordMark.MAYBE_MALFORMED
                continue
            words = block.text
            is_plain = form == "text" and len(words) and first_byte(words) == STRING_START
            if not is_plain and schema.may_be_malformed_block(block):
                columns.marks[-1] |= RecordMark.MAYBE_MALFORMED
            code, flag, call_id, name = schema.block_row(block)
            add_kind(code)
            add_flag(flag)
            add_id(call_id)
            add_name(name)


def _note_sessions(rows: list[TranscriptLine], first: int, ids: dict[str, int]) -> None:
    """Note the first record of each session; nearly always no row names a new one."""
    if not {row.sessionId for row in rows} <= ids.keys():
        for number, row in enumerate(rows, first):
            if row.sessionId is not None:
                ids.setdefault(row.sessionId, number)


def _note_time_order(columns: Columns, rows: list[TranscriptLine]) -> None:
    """Note that the messages of a chunk that follows are in the order of their times, which they nearly always are."""
    times = [row.timestamp or "" for row in rows if row.type in _SPEAKERS]
    if times == sorted(times):
        columns.note_time_order(len(rows))


def add_line(columns: Columns, row: TranscriptLine, start: int, end: int) -> None:
    kind = row.type
    mark = RecordMark.SIDE_THREAD if row.isSidechain else 0
    message, uuid, parent = row.message, row.uuid or None, row.parentUuid or None
    if message is not None and (kind == "user" or kind == "assistant"):
        if row.isApiErrorMessage:
            # The agent shows these and never sends them.
            columns.add_record(start, end, Role.LINK, mark | RecordMark.API_ERROR, uuid, parent, message.id)
            return
        mark |= RecordMark.MAYBE_MALFORMED if _is_odd(kind, message.content) else 0
        columns.add_record(start, end, _ROLES[kind], mark, uuid, parent, message.id)
        schema.add_blocks(columns, message.content)
        return
    role = _ROLES.get(kind or "")
    if uuid is None or role is None:
        # The loader keeps no record of a type that it does not know: its children hang off nothing (2.1.112, 2.1.330).
        columns.add_record(start, end, Role.OPAQUE, mark | (RecordMark.LEAF_POINTER if kind == "last-prompt" else 0))
        return
    if kind in _SPEAKERS:
        columns.add_record(start, end, role, mark | RecordMark.MAYBE_MALFORMED, uuid, parent)
        return
    if kind == "system":
        if row.subtype == "compact_boundary":
            mark |= RecordMark.COMPACTION
        elif row.subtype == "api_error":
            mark |= RecordMark.API_ERROR
    elif kind == "attachment":
        if b"hook_deferred_tool" in bytes(row.attachment)[:200]:
            mark |= RecordMark.DEFERRED
    elif kind == "progress":
        mark |= RecordMark.TRANSIENT
    # What a call reports while it runs belongs to that call; a subagent's pairs in it are none of this thread's.
    owner = intern(row.parentToolUseID) if row.parentToolUseID and mark & RecordMark.TRANSIENT else None
    columns.add_record(start, end, Role.LINK, mark, uuid, parent, owner)


def _is_odd(kind: str, content: str | list[schema.AnthropicBlock] | None) -> bool:
    if isinstance(content, list):
        return any(map(schema.may_be_malformed_block, content))
    return isinstance(content, str) and kind == "assistant"


LINE_DECODER = msgspec.json.Decoder(TranscriptLine)


# The members with what a call reports while it runs.
_OUTPUT_KEYS = ("output", "command", "query", "taskDescription", "prompt")


def progress_view(row: dict[str, Any], when: str) -> RecordView:
    """Return a `progress` record for showing. The subagent's message in an `agent_progress` is shown block by block."""
    data = object_at(row, "/data")
    inner = value_at(data, "/message/message")
    if isinstance(inner, dict):
        role = tr("subagent {inner}", inner=inner.get("role") or "").strip()
        views = schema.views_of_content(inner.get("content"), "/data/message/message/content")
        return RecordView(role, "", views, when, str(inner.get("model") or ""))
    output = next((str(data[key]) for key in _OUTPUT_KEYS if isinstance(data.get(key), str) and data[key].strip()), "")
    kind = str(data.get("type") or "progress").replace("_", " ")
    return RecordView("progress", f"{kind}: {output.strip().splitlines()[-1]}" if output else kind, (), when)
