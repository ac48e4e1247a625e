"""The messages that DeepSeek Harness sends on resume, and what it does with a damaged log.

Facts: deepseek-ai/deepseek-harness 0.1.1-rc.2, `session-persistence-jsonl/src/index.ts`, `session/src/repair.ts` and
`llm-deepseek/src/serialize.ts`. It closes a turn at the end of the log in the log itself: each call of the step that is
open gets a result, which says whether the log shows that the tool was started. All other calls and results go out as
they are. A row that is not valid JSON ends the log like a wrong number does.
"""

from inspector.core.formats.base.agent_behavior import ResumeBehavior
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest, messages_from_records
from inspector.core.formats.dsh.loader import header_of, log_end, open_turn
from inspector.core.formats.dsh.reader import EVENT_SCHEMA, RESULT_CONTENT
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import result_text
from inspector.core.providers.message_misfits import find_misfits
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import is_valid_json, parse_json, text_at, value_at
from inspector.core.translation import tr

AGENT_LABEL = "DeepSeek Harness"
_NOT_STARTED, _STARTED = (PLACEHOLDER_WORDINGS[name].text for name in ("dsh", "dsh-started"))
_EMPTY_RESULT = "(no output)"
_HEADER_ERROR = "corrupt session log: first line is not a session header"
_FRAME_ERROR = "corrupt Zstandard session log: first frame is not exactly one header line"
_ROW_ERROR = "corrupt session log: unparsable committed event"
_GAP_ERROR = "corrupt session log: seq gap in committed region"
_MESSAGE_ERROR = "invalid seed event"
_CLOSES_TURN = tr("closes the interrupted turn in the log")
_REMOVES_TAIL = tr("truncates the log at the damaged row")
_TAIL_LOSS = tr("everything from the damaged row onward")
_DAMAGED_ROWS = frozenset({"F1", "F2", "F3", "F4", "F6", "F8", "G1", "G8"})


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that a resume of the session sends."""
    thread = session.main_thread
    links = thread.damaged_links
    if any(link.record == 0 for link in links):
        is_framing = bool(header_of(columns, raw))
        return ResumeRequest("openai-chat", [], stop_reason=_FRAME_ERROR if is_framing else _HEADER_ERROR)
    end = log_end(columns, session.ordinal_breaks, links)
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
        lost=(_TAIL_LOSS,) if is_cut else (),
        as_stored=False,
        sends_reasoning=True,
    )


def call_with_parsed_arguments(block: bytes) -> bytes:
    """Return a call with the JSON that the text of its arguments holds. The text goes out as it is."""
    arguments = text_at(parse_json(block), "/arguments").encode("utf-8", "surrogatepass")
    return json_edits.replace_value(block, "/arguments", arguments) if is_valid_json(arguments) else block


def sent_result_text(kind: BlockKind, block: bytes) -> str | None:
    """Return the text of a result, which must not be empty; None for another block."""
    if kind != BlockKind.RESULT:
        return None
    return result_text(value_at(parse_json(block), RESULT_CONTENT)) or _EMPTY_RESULT


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what the Harness does with findings of these rules, see `Agent`. The request says what is lost."""
    is_damaged = not rules.isdisjoint(_DAMAGED_ROWS)
    return ResumeBehavior("dsh", "mends" if is_damaged else "as-is", (), AGENT_LABEL)
