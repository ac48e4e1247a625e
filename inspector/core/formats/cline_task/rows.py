"""One message of `api_conversation_history.json`: what the index needs of it.

Facts: RooCodeInc/Roo-Code `src/core/task-persistence/apiMessages.ts` (the members beside role and content);
cline/cline `src/core/task/tools/utils/ToolResultUtils.ts` (a result whose call id is not known is pushed as text, one
block or two), `src/core/prompts/responses.ts` (`toolAlreadyUsed`) and `src/core/task/index.ts` (a rejected tool),
`src/shared/messages/content.ts` (`modelInfo` of an answer, which the other two do not write).
"""

import re
from functools import partial

import msgspec
from msgspec import Raw

from inspector.core.formats.bases.message_arrays import named_in
from inspector.core.index.columns import Columns, RecordMark, Role
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.placeholders import QUOTED_BLOCK_HEAD, QUOTED_RESULT_HEAD
from inspector.core.wire import anthropic
from inspector.core.wire.fields import LenientDecoder
from inspector.core.wire.shapes import suspicion


class Tags(msgspec.Struct, gc=False):
    """What Roo Code and Kilo Code note beside a message when they condense or truncate."""

    isSummary: bool | None = None
    isTruncationMarker: bool | None = None
    truncationId: str | None = None
    truncationParent: str | None = None


class Row(anthropic.AnthropicMessage, gc=False):
    """A message. A reasoning item has a type instead of content."""

    type: str | None = None
    isSummary: bool | None = None
    isTruncationMarker: bool | None = None
    truncationId: str | None = None


def is_boundary(row: Tags | Row) -> bool:
    """Whether it is a summary, or the marker of a truncation."""
    return bool(row.isSummary or (row.isTruncationMarker and row.truncationId))


def tags_of(raw: bytes) -> Tags:
    """The tags of a message, none where it is of an unexpected shape."""
    return _TAGS.decode_strict(raw) or Tags()


named = partial(named_in, provider="/modelInfo/providerId", model="/modelInfo/modelId")


def add_row(columns: Columns, start: int, end: int, row: Row, odd: bool) -> None:
    """Append a message; a result that a text of the user's tells is a block of its own kind. `odd`: it did not fit."""
    role = Role.LINK if row.type == "reasoning" and row.content is None else anthropic.ROLES.get(row.role or "")
    mark = RecordMark.COMPACTION if is_boundary(row) else 0
    if role != Role.LINK and (odd or suspicion.is_suspect_anthropic_message(row)):
        mark |= RecordMark.MAYBE_MALFORMED
    columns.add_record(start, end, role or Role.OPAQUE, mark)
    if role != Role.USER or not isinstance(row.content, list):
        anthropic.add_content(columns, row.content)
        return
    for block in row.content:
        tool = _tool_of(block.text) if block.type == "text" else None
        if tool is None:
            columns.add_block(*anthropic.block_row(block))
        else:
            columns.add_block(BlockKind.TOLD_RESULT, 0, None, tool)


_START = 200  # as far as the name of a tool can reach
_HEADED = re.compile(rb'"\[([\w.-]+)[\] ]')
_NOT_RUN = re.compile(rb'"(?:Skipping tool|Tool) \[([\w.-]+)[\] ]')
_NOT_RUN_WHY = (
    b"due to user rejecting a previous tool",
    b"was not executed because a tool has already been used",
)
_NOTED = re.compile(
    b"|".join(map(re.escape, (QUOTED_RESULT_HEAD.encode(), QUOTED_BLOCK_HEAD.encode())))
)  # heads of our own notes
# The same of a text as it is read, with what is somebody's in groups.
SIGNS = (
    r"\[([\w.-]+)(?:\]|\s(.*?)\]) Result:",
    *(rf"(?:Skipping tool|Tool) \[([\w.-]+)(?:\]|\s(.*?)\]) {re.escape(why.decode())}" for why in _NOT_RUN_WHY),
)
# Content of several parts is written down as JSON, without a heading.
_PARTS = re.compile(rb'"\[\\n  \{\\n    \\"type\\": \\"(?:text|image)\\"')


def _tool_of(text: Raw) -> str | None:
    """The tool whose result this text tells ("" where it does not name one), None when it is a text like any other."""
    start = bytes(memoryview(text)[:_START])
    headed, skipped = _HEADED.match(start), _NOT_RUN.match(start)
    if headed is not None and b"] Result:" in bytes(text) and not _NOTED.search(bytes(text)):
        return headed[1].decode()
    if skipped is not None and any(why in bytes(text) for why in _NOT_RUN_WHY):
        return skipped[1].decode()
    return "" if _PARTS.match(start) else None


def pair_told(columns: Columns) -> None:
    """Give each result told as text the id of the call that it answers: one of its tool's, else the first open one.

    They carry no ids, and the calls of a message are run in their order.
    """
    if _TOLD not in columns.block_kinds:
        return
    calls: list[int] = []
    told: list[int] = []
    answered: set[str | None] = set()
    for record, role in enumerate(columns.roles):
        if role == Role.ASSISTANT:
            _bind(columns, calls, told, answered)
            calls = [row for row in columns.block_rows(record) if columns.block_kinds[row] == BlockKind.CALL]
            told, answered = [], set()
        elif role == Role.USER:
            for row in columns.block_rows(record):
                if columns.block_kinds[row] == _TOLD:
                    told.append(row)
                elif columns.block_kinds[row] == BlockKind.RESULT:
                    answered.add(columns.call_ids[row])
    _bind(columns, calls, told, answered)


def _bind(columns: Columns, calls: list[int], told: list[int], answered: set[str | None]) -> None:
    open_calls = [row for row in calls if columns.call_ids[row] not in answered]
    for row in told:
        same = (call for call in open_calls if columns.names[call] == columns.names[row])
        call = next(same, open_calls[0] if open_calls else None)
        columns.call_ids[row] = None if call is None else columns.call_ids[call]
        if call is not None:
            open_calls.remove(call)


_TOLD = int(BlockKind.TOLD_RESULT)
DECODE = LenientDecoder(Row)
_TAGS = LenientDecoder(Tags)
