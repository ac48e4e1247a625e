"""The items that the OpenAI Agents SDK sends when a session goes on, without a limit and without a callback.

Facts: openai-agents 0.24.0, run_internal/items.py (`drop_orphan_function_calls`, then
`deduplicate_input_items_preferring_latest`), models/openai_responses.py and models/chatcmpl_converter.py. A call whose
output is nowhere in the session is dropped, together with the reasoning right before it (since 0.8.0). An output
without a call is sent. Of items with one id, the last one is sent: a call or reasoning in the place of the first, an
output in its own place. A row that is not JSON is skipped. One that is not UTF-8 stops the run, and so does half of a
surrogate pair.
"""

from collections.abc import Iterable, Iterator

from inspector.core.formats.base.request import RequestMessage, ResumeRequest, messages_from_records
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.openai_responses import schema
from inspector.core.storage.json_text import has_lone_surrogate, is_utf8, is_valid_json, parse_json, text_at

# The own id of each item that a model without the Responses API made (models/fake_id.py).
PLACEHOLDER_ID = "__fake_id__"
_RESPONSES_WIRE, _CHAT_WIRE = "openai-responses", "openai-chat"
_CALL, _RESULT, _THINKING = int(BlockKind.CALL), int(BlockKind.RESULT), int(BlockKind.THINKING)
_KEPT_IN_FIRST_PLACE = (_CALL, _THINKING)
_IDENTIFIED_KINDS = frozenset({*_KEPT_IN_FIRST_PLACE, _RESULT, int(BlockKind.SERVER_CALL)})
_UNDECODABLE_ROW_ERROR = "Could not decode to UTF-8 column 'message_data'"
_UNENCODABLE_TEXT_ERROR = "surrogates not allowed"
_ItemKey = tuple[int, int, str]


def profile_of(columns: Columns, path: Iterable[int], raw: ReadRecord) -> tuple[str, bool]:
    """Return the profile of the API that made the newest item of the assistant, and whether that is a guess."""
    newest = next((record for record in reversed(list(path)) if columns.roles[record] == Role.ASSISTANT), None)
    if newest is None or not is_valid_json(raw(newest)):
        return _RESPONSES_WIRE, True
    own_id = text_at(parse_json(raw(newest)), "/id")
    return _CHAT_WIRE if own_id == PLACEHOLDER_ID else _RESPONSES_WIRE, not own_id


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the items of a session that are sent; for a model without the Responses API, as chat messages."""
    wire = _CHAT_WIRE if session.profile == _CHAT_WIRE else _RESPONSES_WIRE
    path = session.main_thread.path
    if any(columns.marks[record] & RecordMark.UNREADABLE and not is_utf8(raw(record)) for record in path):
        return ResumeRequest(wire, [], stop_reason=_UNDECODABLE_ROW_ERROR)
    records = _without_repeats(columns, _without_open_calls(columns, path))
    if any(has_lone_surrogate(raw(record)) for record in records if not columns.marks[record] & RecordMark.UNREADABLE):
        return ResumeRequest(wire, [], stop_reason=_UNENCODABLE_TEXT_ERROR)
    if wire == _CHAT_WIRE:
        return ResumeRequest(wire, list(_chat_messages(columns, records)), as_stored=False)
    return ResumeRequest(wire, messages_from_records(columns, records))


def _without_open_calls(columns: Columns, path: Iterable[int]) -> list[int]:
    """Return the records without calls that have no output, and without the reasoning that led to such a call."""
    records = list(path)
    keys = {record: _key(columns, record) for record in records}
    answered = {key[1:] for key in keys.values() if key is not None and key[0] == _RESULT}
    kept: list[int] = []
    follows_dropped = False
    for record in reversed(records):
        kind, key = _kind(columns, record), keys[record]
        if kind != _THINKING:
            is_open = key is None or key[1:] not in answered
            follows_dropped = kind == _CALL and is_open and _needs_output(columns, record)
        if not follows_dropped:
            kept.append(record)
    return kept[::-1]


def _without_repeats(columns: Columns, records: list[int]) -> list[int]:
    """Return the last of the records with the same id, a call or reasoning in the place of the first."""
    last: dict[_ItemKey, int] = {}
    place: dict[_ItemKey, int] = {}
    for record in records:
        if (key := _key(columns, record)) is not None:
            last[key] = record
            if key[0] not in _KEPT_IN_FIRST_PLACE or key not in place:
                place[key] = record
    keys = ((record, _key(columns, record)) for record in records)
    return [record if key is None else last[key] for record, key in keys if key is None or place[key] == record]


def _chat_messages(columns: Columns, records: Iterable[int]) -> Iterator[RequestMessage]:
    """Yield chat messages: a text of the assistant with the calls right before or after it."""
    answer: RequestMessage | None = None
    for message in messages_from_records(columns, records):
        kinds = {columns.block_kinds[block.row] for block in message.blocks}
        if _THINKING in kinds:
            continue
        is_call = _CALL in kinds
        if answer is not None and message.role == Role.ASSISTANT and (is_call or not _has_text(columns, answer)):
            answer.blocks = [*answer.blocks, *message.blocks]
            continue
        if answer is not None:
            yield answer
        answer = message if message.role == Role.ASSISTANT else None
        if answer is None:
            yield message
    if answer is not None:
        yield answer


def _has_text(columns: Columns, message: RequestMessage) -> bool:
    return any(columns.block_kinds[block.row] == BlockKind.TEXT for block in message.blocks)


def _kind(columns: Columns, record: int) -> int:
    rows = columns.block_rows(record)
    return columns.block_kinds[rows[0]] if rows else -1


def _needs_output(columns: Columns, record: int) -> bool:
    return BlockFlag.call_type(columns.block_flags[columns.first_block[record]]) != schema.APPROVAL


def _key(columns: Columns, record: int) -> _ItemKey | None:
    """Return what identifies an item, None for a message, and for an item without an id."""
    kind = _kind(columns, record)
    row = columns.first_block[record]
    if kind not in _IDENTIFIED_KINDS or columns.call_ids[row] is None:
        return None
    family = BlockFlag.call_type(columns.block_flags[row]) if kind in (_CALL, _RESULT) else 0
    return kind, family, columns.call_ids[row] or ""
