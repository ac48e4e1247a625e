"""The request of Codex on resume: the list that it rebuilds, with an output for every call and no other outputs.

Facts: openai/codex, codex-rs/core/src/context_manager/normalize.rs @0803cc5 (`ensure_call_outputs_present`, then
`remove_orphan_outputs`, before every request). Both go by sets of ids, one for each kind of call: neither order nor
repetition matters to them, and an output of another kind answers nothing. The outputs that they add directly follow
their call, and are not saved. A custom tool's or a local shell's missing output, and every orphan, goes through
`error_or_panic` (util.rs), which ends a debug build, and for long ended an alpha build. 0.169.0 was run on some fifty
broken rollouts; 24 of its requests are kept, and agree.

A line whose item has another shape (arguments that are no text, a call without name or id, null for an output) is
skipped, see `item_schemas`; a function's output without an id is sent. Not told here: what one agent wrote to another
(`inter_agent_communication`), which goes out as a message; images, which go only to models that see them; a compaction
with such an item, which is skipped whole, so that the older history is sent instead of it.
"""

from collections.abc import Iterable, Iterator

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.codex.item_schemas import is_read
from inspector.core.formats.codex.rollout_metadata import metadata_of, starts_with_meta
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.openai_responses import schema
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage.json_text import parse_json
from inspector.core.translation import tr

LINES_WITHOUT_ENVELOPE_REASON = tr("Codex does not read lines in this old format")
_WIRE_NAME = "openai-responses"
_ABORTED_OUTPUT, _EMPTY_SEARCH_OUTPUT = PLACEHOLDER_WORDINGS["codex"].text, "[]"
_CALL, _RESULT = BlockKind.CALL, BlockKind.RESULT
_SHELL = "local_shell_call"  # may have no id, and then no output answers it
_SENT_LINKS = frozenset({"compaction", "additional_tools"})  # items that are no messages
_NO_METADATA_ERROR = "rollout does not start with session metadata"
_NO_ORDINAL_ERROR = "final paginated rollout record is missing an ordinal"
_DEBUG_BUILD_STOPS = tr("a debug or alpha build stops at this point and reports the missing call or output")

_PairKey = tuple[int, str | None]


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the items that a resume of the session sends, each a message of its own."""
    if metadata_of(columns, raw).is_bare:
        return ResumeRequest(_WIRE_NAME, [], stop_reason=LINES_WITHOUT_ENVELOPE_REASON)
    if not starts_with_meta(columns, raw):
        return ResumeRequest(_WIRE_NAME, [], stop_reason=_NO_METADATA_ERROR)
    if not all(link.agent_continues for link in session.ordinal_breaks):
        return ResumeRequest(_WIRE_NAME, [], stop_reason=_NO_ORDINAL_ERROR)
    if session.unread_base is not None and session.unread_base.agent_error:
        return ResumeRequest(_WIRE_NAME, [], stop_reason=session.unread_base.agent_error)
    messages = [
        RequestMessage(columns.roles[record] if columns.roles[record] != Role.LINK else Role.SYSTEM, blocks)
        for record in session.main_thread.path
        if (blocks := _sent_blocks(columns, record)) is not None and _has_required_members(columns, record, raw)
    ]
    calls = {_pair_key(columns, row): row for row in _rows(columns, messages, _CALL)}
    outputs = {_pair_key(columns, row): row for row in _rows(columns, messages, _RESULT)}
    orphans = {key for key in outputs.keys() - calls.keys() if key[1] is not None}
    missing = [row for key, row in calls.items() if key not in outputs]
    if "alpha" in session.version and (orphans or not all(_is_function(columns, row) for row in missing)):
        return ResumeRequest(_WIRE_NAME, [], stop_reason=_DEBUG_BUILD_STOPS)
    sent: list[RequestMessage] = []
    for message in messages:
        row = message.blocks[0].row if message.blocks else -1  # The one block of an item that is no message.
        kind = columns.block_kinds[row] if row >= 0 else -1
        if kind == _RESULT and _pair_key(columns, row) in orphans:
            continue
        sent.append(message)
        if kind == _CALL and columns.call_ids[row] is not None and _pair_key(columns, row) not in outputs:
            sent.append(RequestMessage(Role.TOOL, [RequestBlock(row, _answer(columns, row))]))
    return ResumeRequest(_WIRE_NAME, sent)


def rows_handled_in_base(columns: Columns, path: Iterable[int]) -> frozenset[int]:
    """Return the calls without an output and the outputs without a call among the inherited records.

    Codex answers the former and leaves out the latter, and nobody else can: a fork does not change its base.
    """
    if not columns.has_mark(RecordMark.INHERITED):
        return frozenset()
    kinds, rows = columns.block_kinds, [row for record in path for row in columns.block_rows(record)]
    calls = {_pair_key(columns, row) for row in rows if kinds[row] == _CALL}
    outputs = {_pair_key(columns, row) for row in rows if kinds[row] == _RESULT}
    unmatched = {int(_CALL): calls - outputs, int(_RESULT): outputs - calls}
    first = columns.first_block[columns.first_with_mark(RecordMark.INHERITED)]
    return frozenset(
        row
        for row in rows
        if row >= first
        and columns.call_ids[row] is not None
        and _pair_key(columns, row) in unmatched.get(kinds[row], frozenset())
    )


def _sent_blocks(columns: Columns, record: int) -> list[RequestBlock] | None:
    """Return the blocks of a record, None for one that is not sent."""
    rows, role = columns.block_rows(record), columns.roles[record]
    is_sent = role not in (Role.LINK, Role.OPAQUE) or (bool(rows) and columns.names[rows[0]] in _SENT_LINKS)
    return [RequestBlock(row) for row in rows] if is_sent else None


def _has_required_members(columns: Columns, record: int, raw: ReadRecord) -> bool:
    """Return whether the item has all members that its type requires."""
    if columns.marks[record] & RecordMark.MAYBE_MALFORMED and not is_read(parse_json(raw(record))):
        return False
    for row in columns.block_rows(record):
        kind, named = columns.block_kinds[row], columns.call_ids[row] is not None
        if kind == _CALL:
            named = named or columns.names[row] == _SHELL
            sound = named and columns.names[row] is not None and not columns.block_flags[row] & BlockFlag.BAD_INPUT
        else:
            sound = kind != _RESULT or named or _family(columns, row) == schema.FUNCTION
        if not sound:
            return False
    return True


def _rows(columns: Columns, messages: list[RequestMessage], kind: BlockKind) -> Iterator[int]:
    for message in messages:
        yield from (block.row for block in message.blocks if columns.block_kinds[block.row] == kind)


def _pair_key(columns: Columns, row: int) -> _PairKey:
    return _family(columns, row), columns.call_ids[row]


def _family(columns: Columns, row: int) -> int:
    return BlockFlag.call_type(columns.block_flags[row])


def _is_function(columns: Columns, row: int) -> bool:
    """Return whether a missing output of the call is a note to Codex, not an error."""
    family = _family(columns, row)
    return family == schema.SEARCH or (family == schema.FUNCTION and columns.names[row] != _SHELL)


def _answer(columns: Columns, row: int) -> str:
    return _EMPTY_SEARCH_OUTPUT if _family(columns, row) == schema.SEARCH else _ABORTED_OUTPUT
