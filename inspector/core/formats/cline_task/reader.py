"""The reader of the messages of `api_conversation_history.json`, with results that are told as text.

Facts: RooCodeInc/Roo-Code `src/core/task-persistence/apiMessages.ts` (the members beside role and content);
cline/cline `src/core/task/tools/utils/ToolResultUtils.ts` (a result whose call id is not known is pushed as text, one
block or two), `src/core/prompts/responses.ts` (`toolAlreadyUsed`) and `src/core/task/index.ts` (a rejected tool),
`src/shared/messages/content.ts` (`modelInfo` of an answer, which the other two do not write).
"""

import re
from functools import partial

import msgspec
from msgspec import Raw

from inspector.core.formats.base.message_arrays import newest_provider_and_model
from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.anthropic import schema
from inspector.core.providers.message_fields import LenientDecoder
from inspector.core.providers.placeholders import BLOCK_NOTE_HEADING, RESULT_NOTE_HEADING


class CondenseTags(msgspec.Struct, gc=False):
    """The notes of Roo Code and Kilo Code in a message when they condense or truncate."""

    isSummary: bool | None = None
    isTruncationMarker: bool | None = None
    truncationId: str | None = None
    truncationParent: str | None = None


class TaskMessage(schema.AnthropicMessage, gc=False):
    """A message. A reasoning item has a type instead of content."""

    type: str | None = None
    isSummary: bool | None = None
    isTruncationMarker: bool | None = None
    truncationId: str | None = None


def is_condense_boundary(row: CondenseTags | TaskMessage) -> bool:
    """Return whether a message is a summary, or the marker of a truncation."""
    return bool(row.isSummary or (row.isTruncationMarker and row.truncationId))


def condense_tags_of(raw: bytes) -> CondenseTags:
    """Return the tags of a message, none where it has an unexpected shape."""
    return _decode_tags.decode_strict(raw) or CondenseTags()


newest_model = partial(newest_provider_and_model, provider="/modelInfo/providerId", model="/modelInfo/modelId")


def add_message(columns: Columns, start: int, end: int, row: TaskMessage, odd: bool) -> None:
    """Append a message. A result in a text of the user is a block of its own kind. `odd`: its shape did not fit."""
    role = Role.LINK if row.type == "reasoning" and row.content is None else schema.ROLE_BY_NAME.get(row.role or "")
    mark = RecordMark.COMPACTION if is_condense_boundary(row) else 0
    if role != Role.LINK and (odd or schema.may_be_malformed(row)):
        mark |= RecordMark.MAYBE_MALFORMED
    columns.add_record(start, end, role or Role.OPAQUE, mark)
    if role != Role.USER or not isinstance(row.content, list):
        schema.add_blocks(columns, row.content)
        return
    for block in row.content:
        tool = _tool_of_text_result(block.text) if block.type == "text" else None
        if tool is None:
            columns.add_block(*schema.block_row(block))
        else:
            columns.add_block(BlockKind.TOLD_RESULT, 0, None, tool)


_SEARCHED_BYTES = 200  # enough for the name of a tool
_TOOL_HEADER = re.compile(rb'"\[([\w.-]+)[\] ]')
_NOT_RUN = re.compile(rb'"(?:Skipping tool|Tool) \[([\w.-]+)[\] ]')
_NOT_RUN_REASONS = (
    b"due to user rejecting a previous tool",
    b"was not executed because a tool has already been used",
)
_QUOTED_RESULT = re.compile(
    b"|".join(map(re.escape, (RESULT_NOTE_HEADING.encode(), BLOCK_NOTE_HEADING.encode())))
)  # heads of our own notes
# The same for a text as it is read, with the person's own data in groups.
TEXT_RESULT_PATTERNS = (
    r"\[([\w.-]+)(?:\]|\s(.*?)\]) Result:",
    *(rf"(?:Skipping tool|Tool) \[([\w.-]+)(?:\]|\s(.*?)\]) {re.escape(why.decode())}" for why in _NOT_RUN_REASONS),
)
# Content of several parts is written down as JSON, without a heading.
_PARTS_AS_TEXT = re.compile(rb'"\[\\n  \{\\n    \\"type\\": \\"(?:text|image)\\"')


def _tool_of_text_result(text: Raw) -> str | None:
    """Return the tool whose result this text is ("" where it names none), None when it is an ordinary text."""
    start = bytes(memoryview(text)[:_SEARCHED_BYTES])
    headed, skipped = _TOOL_HEADER.match(start), _NOT_RUN.match(start)
    if headed is not None and b"] Result:" in bytes(text) and not _QUOTED_RESULT.search(bytes(text)):
        return headed[1].decode()
    if skipped is not None and any(why in bytes(text) for why in _NOT_RUN_REASONS):
        return skipped[1].decode()
    return "" if _PARTS_AS_TEXT.match(start) else None


def pair_text_results(columns: Columns) -> None:
    """Give each result in a text the id of its call: one of its tool, else the first open one.

    These results have no ids, and the calls of a message are run in their order.
    """
    if _TEXT_RESULT not in columns.block_kinds:
        return
    calls: list[int] = []
    text_results: list[int] = []
    answered: set[str | None] = set()
    for record, role in enumerate(columns.roles):
        if role == Role.ASSISTANT:
            _pair_with_call(columns, calls, text_results, answered)
            calls = [row for row in columns.block_rows(record) if columns.block_kinds[row] == BlockKind.CALL]
            text_results, answered = [], set()
        elif role == Role.USER:
            for row in columns.block_rows(record):
                if columns.block_kinds[row] == _TEXT_RESULT:
                    text_results.append(row)
                elif columns.block_kinds[row] == BlockKind.RESULT:
                    answered.add(columns.call_ids[row])
    _pair_with_call(columns, calls, text_results, answered)


def _pair_with_call(columns: Columns, calls: list[int], text_results: list[int], answered: set[str | None]) -> None:
    open_calls = [row for row in calls if columns.call_ids[row] not in answered]
    for row in text_results:
        of_same_tool = (call for call in open_calls if columns.names[call] == columns.names[row])
        call = next(of_same_tool, open_calls[0] if open_calls else None)
        columns.call_ids[row] = None if call is None else columns.call_ids[call]
        if call is not None:
            open_calls.remove(call)


_TEXT_RESULT = int(BlockKind.TOLD_RESULT)
decode_message = LenientDecoder(TaskMessage)
_decode_tags = LenientDecoder(CondenseTags)
