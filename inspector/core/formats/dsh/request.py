"""The messages that DeepSeek Harness sends on resume, and what it does with a damaged log.

Facts: deepseek-ai/deepseek-harness 0.1.1-rc.2, `session-persistence-jsonl/src/index.ts`, `session/src/repair.ts` and
`llm-deepseek/src/serialize.ts`. It closes a turn at the end of the log in the log itself: each call of the step that is
open gets a result, which says whether the log shows that the tool was started. All other calls and results go out as
they are. A row that is not valid JSON ends the log like a wrong number does.
"""

from inspector.core.formats.base.agent_behavior import UNREADABLE_LINE_LOSSES, ResumeBehavior, losses_for
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest, messages_from_records
from inspector.core.formats.dsh.loader import log_end, open_turn
from inspector.core.formats.dsh.reader import EVENT_SCHEMA, RESULT_CONTENT
from inspector.core.model.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import result_text
from inspector.core.providers.message_misfits import find_misfits
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage.json_text import parse_json, value_at
from inspector.core.translation import tr

AGENT_LABEL = "DeepSeek Harness"
_NOT_STARTED, _STARTED = (PLACEHOLDER_WORDINGS[name].text for name in ("dsh", "dsh-started"))
_EMPTY_RESULT = "(no output)"
_HEADER_ERROR = "corrupt session log: first line is not a session header"
_ROW_ERROR = "corrupt session log: unparsable committed event"
_GAP_ERROR = "corrupt session log: seq gap in committed region"
_MESSAGE_ERROR = "invalid seed event"
_CLOSES_TURN = tr("closes the interrupted turn in the log")
_REMOVES_TAIL = tr("removes everything from the damaged row on")
_TAIL_LOSS = tr("everything from the row with the wrong sequence number on")


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that a resume of the session sends."""
    thread = session.main_thread
    if thread.damaged_links:
        return ResumeRequest("openai-chat", [], stop_reason=_HEADER_ERROR)
    end = log_end(columns, session.ordinal_breaks)
    if end.is_refused:
        return ResumeRequest("openai-chat", [], stop_reason=_GAP_ERROR if session.ordinal_breaks else _ROW_ERROR)
    odd = (record for record in thread.path if columns.marks[record] & RecordMark.MAYBE_MALFORMED)
    if any(find_misfits(parse_json(raw(record)), EVENT_SCHEMA) for record in odd):
        return ResumeRequest("openai-chat", [], stop_reason=_MESSAGE_ERROR)
    turn = open_turn(columns, end.record, raw)
    answers = [
        RequestMessage(Role.TOOL, [RequestBlock(row, _STARTED if started else _NOT_STARTED)])
        for row, started in turn.calls.items()
    ]
    is_cut = end.record < len(columns)
    return ResumeRequest(
        "openai-chat",
        [*messages_from_records(columns, thread.path), *answers],
        _REMOVES_TAIL if is_cut else _CLOSES_TURN if turn.is_open else "",
        lost=(_TAIL_LOSS,) if session.ordinal_breaks else (),
        as_stored=False,
        sends_reasoning=True,
    )


def sent_block_text(kind: BlockKind, block: bytes) -> str | None:
    """Return the text of a result, which must not be empty; None for another block."""
    if kind != BlockKind.RESULT:
        return None
    return result_text(value_at(parse_json(block), RESULT_CONTENT)) or _EMPTY_RESULT


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what the Harness does with findings of these rules, see `Agent`."""
    damage = rules & UNREADABLE_LINE_LOSSES.keys() - {"F5"}
    losses = losses_for(UNREADABLE_LINE_LOSSES, damage)
    if damage:
        return ResumeBehavior("dsh", "mends", losses, AGENT_LABEL, file_changes=_REMOVES_TAIL)
    return ResumeBehavior("dsh", "as-is", losses, AGENT_LABEL)
