"""The messages that an agent of LangGraph sends when its thread goes on with a new message, or with None.

Facts: langgraph-prebuilt 1.1.3 (`_validate_chat_history`), langchain 1.5.2 (agents/factory.py
`_patch_invalid_tool_calls`), deepagents 0.7.32 (`PatchToolCallsMiddleware`), langchain-openai 1.7.4 and
langchain-anthropic 1.7.10. Calls whose tools run next are carried out before anything is sent.
"""

from collections.abc import Iterator

from inspector.core.formats.base.langchain import reader
from inspector.core.formats.base.message_arrays import call_ids_of_newest_answer
from inspector.core.formats.base.request import (
    RUNS_FIRST,
    RequestBlock,
    RequestMessage,
    ResumeRequest,
    merge_same_role,
    messages_from_records,
)
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.translation import tr

DEEP_AGENTS, CREATE_AGENT, REACT_AGENT, OTHER_GRAPH = "deepagents", "create_agent", "create_react_agent", "langgraph"
DAMAGED_ROW = tr("a row of the thread cannot be decoded")
_OPEN_CALLS_ERROR = (
    "INVALID_CHAT_HISTORY: Found AIMessages with tool_calls that do not have a corresponding ToolMessage"
)
_UNFINISHED = (
    "Tool call {} with id {} did not complete - no result was recorded. It may have been cancelled or interrupted."
)
_MALFORMED = "Tool call {} with id {} could not be executed - arguments were malformed or truncated."
_ANTHROPIC = "anthropic"


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages of a thread that are sent, in the wire format of its provider."""
    path = session.main_thread.path
    wire = _ANTHROPIC if session.profile.startswith(_ANTHROPIC) else "openai-chat"
    if any(columns.marks[record] & RecordMark.UNREADABLE for record in session.records):
        return ResumeRequest(wire, [], stop_reason=DAMAGED_ROW)
    waiting = call_ids_of_newest_answer(columns, path) if session.stops_before_tool_calls else set()
    rows = [row for record in path for row in columns.block_rows(record)]
    answered = {columns.call_ids[row] for row in rows if columns.block_kinds[row] == BlockKind.RESULT}
    if session.agent == REACT_AGENT and any(
        _is_call(columns, row)
        and not columns.block_flags[row] & (reader.INVALID | reader.IN_CONTENT)
        and columns.call_ids[row] not in answered | waiting
        for row in rows
    ):
        return ResumeRequest(wire, [], stop_reason=_OPEN_CALLS_ERROR)
    messages = list(_messages(session, columns, answered, waiting))
    request = ResumeRequest(
        wire, merge_same_role(messages) if wire == _ANTHROPIC else messages, as_stored=wire == _ANTHROPIC
    )
    if session.agent == DEEP_AGENTS and request.placeholder_results:
        request.file_changes = tr("saves it as a new checkpoint")
    return request


def _messages(
    session: Session, columns: Columns, answered: set[str | None], waiting: set[str]
) -> Iterator[RequestMessage]:
    """Yield the messages, with the results that the program adds right behind the calls."""
    for message in messages_from_records(columns, session.main_thread.path):
        answers = []
        if message.role == Role.ASSISTANT:
            message.blocks = [block for block in message.blocks if _is_sent(session, columns, block.row)]
            calls = (block.row for block in message.blocks if _is_call(columns, block.row))
            for row in calls:
                call_id = columns.call_ids[row]
                answer = "" if call_id is None or call_id in answered else _answer(session, columns, row, waiting)
                answers += [RequestBlock(row, answer)] if answer else []
        yield message
        if answers:
            yield RequestMessage(Role.TOOL, answers)


def _answer(session: Session, columns: Columns, row: int, waiting: set[str]) -> str:
    """Return the result that the program adds for a call without one, "" if it adds none."""
    name, call_id = columns.names[row] or "unknown", columns.call_ids[row]
    is_invalid = bool(columns.block_flags[row] & reader.INVALID)
    if call_id in waiting and not is_invalid:
        return RUNS_FIRST
    patches = session.agent == DEEP_AGENTS and not session.stops_before_tool_calls  # before a run, not when it goes on
    if patches and not columns.block_flags[row] & reader.IN_CONTENT:
        return (_MALFORMED if is_invalid else _UNFINISHED).format(name, call_id)
    return _MALFORMED.format(name, call_id) if session.agent in (CREATE_AGENT, DEEP_AGENTS) and is_invalid else ""


def _is_call(columns: Columns, row: int) -> bool:
    return columns.block_kinds[row] == BlockKind.CALL


def _is_sent(session: Session, columns: Columns, row: int) -> bool:
    """Return whether a block of an answer is sent: copies of calls are not, and to OpenAI no call in the content."""
    if columns.block_kinds[row] == BlockKind.OTHER:
        return columns.call_ids[row] is None
    return session.profile.startswith(_ANTHROPIC) or not (
        _is_call(columns, row) and columns.block_flags[row] & reader.IN_CONTENT
    )
