"""The contents that Gemini CLI sends on resume: every loaded message, and the results that its calls hold.

Facts: @google/gemini-cli 0.61.0, `convertSessionToClientHistory` (sessionUtils), `extractCuratedHistory`,
`stripThoughts`, `coalesceConsecutiveRoles`, `stripToolCallIdPrefixes`, `closeUnansweredToolResponseTurn` (geminiChat).
Twenty-one recorded resumes agree. The responses in `toolCalls` are sent after their message, and the user's message
that repeats them is sent as well. That happens to every sound chat. Each resume writes all of them once more, so the
next one sends them four times. Whether the API minds is not known. If one message in a run of the model's messages
holds an empty part, the whole run is left out. The environment comes first, as the user's words. If a chat ends with a
response, the program adds a sentence of its own.

Parts and calls are sent as they are stored, also those that the API rejects. The program itself stops at a part that is
no object, and at a name or an id that is no string. A thought may be anything, because it is not sent.

Missing responses are filled in (historyHardening) only if the experimental context management is on. It is off by
default, and this module does not model it.
"""

from typing import Any

from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.gemini_cli.loader import loaded_records
from inspector.core.formats.gemini_cli.reader import is_valid_part, parts_of, response_of
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import string_in
from inspector.core.storage.json_text import objects_at, parse_json, value_at
from inspector.core.translation import tr

# The label of a chat in one document, the form before the program wrote JSON Lines.
SINGLE_DOCUMENT_AGENT_LABEL = tr("Gemini CLI (single JSON document)")
INVALID_DOCUMENT_REASON = tr("a document that is not valid JSON is not loaded")
NO_SESSION_ID_REASON = tr("no line contains the session id")
_WIRE_NAME = "gemini"
_WRITTEN_ON_RESUME = {
    True: tr("writes the chat as JSON Lines to a new file next to the log"),
    False: tr("writes the history to the file in the form in which it is sent"),
}
_DEFAULT_TOOL_NAME = "generic_tool"


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the contents that the program sends when it resumes the chat."""
    whole = session.agent == SINGLE_DOCUMENT_AGENT_LABEL
    if whole and any(columns.marks[record] & RecordMark.UNREADABLE for record in session.records):
        return ResumeRequest(_WIRE_NAME, [], stop_reason=INVALID_DOCUMENT_REASON)
    if not whole and not any(columns.uuids):
        return ResumeRequest(_WIRE_NAME, [], stop_reason=NO_SESSION_ID_REASON)
    turns: list[RequestMessage] = []
    run: list[RequestMessage] = []
    is_valid = True
    for record in loaded_records(columns, whole):
        if columns.roles[record] == Role.USER:
            turns += run if is_valid else []
            run, is_valid = [], True
            turns.append(RequestMessage(Role.USER, [RequestBlock(row) for row in columns.block_rows(record)]))
        elif columns.roles[record] == Role.ASSISTANT:
            message = parse_json(raw(record))
            run.append(RequestMessage(Role.ASSISTANT, _model_blocks(columns, record)))
            is_valid = is_valid and all(map(is_valid_part, parts_of(message.get("content"))))
            if responses := _responses(columns, record, message):
                turns += run if is_valid else []
                run, is_valid = [], True
                turns.append(RequestMessage(Role.USER, responses))
    turns += run if is_valid else []
    return ResumeRequest(
        _WIRE_NAME, _merge_turns(columns, turns), file_changes=_WRITTEN_ON_RESUME[whole], begins_with_user=True
    )


def _model_blocks(columns: Columns, record: int) -> list[RequestBlock]:
    """Return the model's blocks that are sent: no thoughts, and no entries of `toolCalls` that only hold a response."""
    kinds, flags = columns.block_kinds, columns.block_flags
    response_kinds = (BlockKind.RESULT, BlockKind.OTHER)
    return [
        RequestBlock(row)
        for row in columns.block_rows(record)
        if kinds[row] != BlockKind.THINKING
        and not (kinds[row] in response_kinds and flags[row] & BlockFlag.PLAIN_STRING)
    ]


def _responses(columns: Columns, record: int, message: dict[str, Any]) -> list[RequestBlock]:
    """Return the responses that the calls of a message hold.

    A call may hold the responses of all calls of its turn; all of them are sent each time.
    """
    flags, kinds = columns.block_flags, columns.block_kinds
    rows = [
        row
        for row in columns.block_rows(record)
        if kinds[row] == BlockKind.RESULT and flags[row] & BlockFlag.PLAIN_STRING
    ]
    entries = [entry for entry in objects_at(message, "/toolCalls") if response_of(entry) is not None]
    row_of = {columns.call_ids[row]: row for row in reversed(rows)}
    blocks: list[RequestBlock] = []
    for row, entry in zip(rows, entries, strict=True):
        responses = (value_at(part, "/functionResponse") for part in parts_of(entry.get("result")))
        ids = [string_in(response, "id") for response in responses if isinstance(response, dict)]
        blocks += [RequestBlock(row_of.get(call_id, row)) for call_id in ids or (None,)]
    return blocks


def _merge_turns(columns: Columns, turns: list[RequestMessage]) -> list[RequestMessage]:
    """Join neighbouring turns of one role, and mark all but the first response of an id in a turn as repeats."""
    joined: list[RequestMessage] = []
    seen: set[str] = set()
    for turn in turns:
        if not turn.blocks:
            continue
        if not joined or joined[-1].role != turn.role:
            joined.append(RequestMessage(turn.role, []))
            seen = set()
        for block in turn.blocks:
            call_id = columns.call_ids[block.row] or ""
            is_response = columns.block_kinds[block.row] == BlockKind.RESULT and bool(call_id)
            is_repeat = is_response and call_id in seen
            joined[-1].blocks.append(
                RequestBlock(block.row, id=_id_sent(columns, block.row, call_id), is_repeat=is_repeat)
            )
            if is_response:
                seen.add(call_id)
    return joined


def _id_sent(columns: Columns, row: int, call_id: str) -> str:
    """Return the id without the tool name that the program puts before it, "" if it is sent unchanged."""
    prefix = f"{(columns.names[row] or '').strip() or _DEFAULT_TOOL_NAME}__"
    return call_id.removeprefix(prefix) if call_id.startswith(prefix) else ""
