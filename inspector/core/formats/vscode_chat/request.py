"""The messages that Copilot sends for a chat of VS Code, and what VS Code does with a damaged log.

Facts: microsoft/vscode-copilot-chat @31acd00, `agentConversationHistory.tsx`, `summarizedConversationHistory.tsx`,
`toolCalling.tsx` and `conversation.ts`. Each request of the chat gives a prompt and its rounds of calls, each round an
answer with its results. A call without a result is left out, and so is a round all of whose calls are; a result without
a call is never looked at. If a request broke off at the limit of calls, its results may be with the next one. A round
with a summary replaces everything up to it. A request without rounds gives the text that was shown.

VS Code 1.128.1 reads a log line by line with `JSON.parse`, and opens nothing of the chat if one line fails. It replaces
bytes that are not UTF-8.
"""

from collections.abc import Iterable
from typing import Any

from inspector.core.formats.base.agent_behavior import ResumeBehavior
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.vscode_chat.loader import Chat, RequestRecords
from inspector.core.formats.vscode_chat.reader import is_operation, round_ids_and_rows
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_text import (
    javascript_can_parse,
    object_at,
    objects_at,
    parse_json,
    replace_invalid_characters,
    text_at,
    value_at,
)
from inspector.core.storage.source import BOM
from inspector.core.translation import tr

AGENT_LABEL = "VS Code"
_WIRE = "openai-chat"
_NOT_READ = "Malformed session data"
_WHOLE_CHAT_LOST = (tr("the whole chat"),)
# VS Code reads a line with bytes that are not UTF-8 (F5), and half of a surrogate pair (F7).
_STOPS = frozenset({"F1", "F2", "F3", "F4", "F6", "F8", "G1"})


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what VS Code does with findings of these rules, see `Agent`."""
    if rules & _STOPS:
        return ResumeBehavior("vscode-chat", "refuses", _WHOLE_CHAT_LOST, AGENT_LABEL, error=_NOT_READ)
    return ResumeBehavior("vscode-chat", "as-is", (), AGENT_LABEL)


def build_request(chat: Chat, session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that Copilot sends before the next prompt."""
    bad = (record for record in session.records if columns.marks[record] & RecordMark.UNREADABLE)
    if session.main_thread.damaged_links or any(_stops(raw(record)) for record in bad):
        return ResumeRequest(_WIRE, [], stop_reason=_NOT_READ)
    answers = [parse_json(raw(each.result)) if each.result >= 0 else {} for each in chat.requests]
    summaries = _summaries(answers)
    sent: list[RequestMessage] = []
    for number, request in enumerate(chat.requests):
        if request.message >= 0:
            sent.append(RequestMessage(Role.USER, _blocks(columns.block_rows(request.message))))
        if request.result < 0:
            sent += _shown(request, columns)
            continue
        results = _results(columns, request.result)
        if answers[number].get("maxToolCallsExceeded") and number + 1 < len(answers):
            results |= _results(columns, chat.requests[number + 1].result)
        for round_id, rows in round_ids_and_rows(answers[number], columns, request.result):
            if summary := summaries.get(round_id):
                sent = [RequestMessage(Role.USER, [RequestBlock(rows[0], stored_form=_in_tag(summary))])]
            else:
                sent += _round(columns, rows, results)
    return ResumeRequest(_WIRE, sent)


def _stops(line: bytes) -> bool:
    if line.startswith(BOM) or not javascript_can_parse(line):
        return True
    return not is_operation(parse_json(replace_invalid_characters(line)))


def _blocks(rows: Iterable[int]) -> list[RequestBlock]:
    return [RequestBlock(row) for row in rows]


def _shown(request: RequestRecords, columns: Columns) -> list[RequestMessage]:
    """Return the answer of a request without rounds: its texts that were shown."""
    rows = [
        row
        for record, kept in request.shown
        if record >= 0
        for row in columns.block_rows(record)[:kept]
        if columns.block_kinds[row] == BlockKind.TEXT
    ]
    return [RequestMessage(Role.ASSISTANT, _blocks(rows), separator="")] if rows else []


def _results(columns: Columns, record: int) -> dict[str | None, int]:
    rows = columns.block_rows(record) if record >= 0 else ()
    return {columns.call_ids[row]: row for row in rows if columns.block_kinds[row] == BlockKind.RESULT}


def _round(columns: Columns, rows: range, results: dict[str | None, int]) -> list[RequestMessage]:
    """Return the answer of a round with the calls that have results, and the results, [] if no call of it has one."""
    kinds = columns.block_kinds
    calls = [row for row in rows if kinds[row] == BlockKind.CALL]
    answered = [row for row in calls if columns.call_ids[row] in results]
    if calls and not answered:
        return []
    said = [row for row in rows if kinds[row] == BlockKind.TEXT]
    found = (results[columns.call_ids[row]] for row in answered)
    return [
        RequestMessage(Role.ASSISTANT, _blocks([*said, *answered])),
        *(RequestMessage(Role.TOOL, [RequestBlock(row)]) for row in found),
    ]


def _summaries(answers: list[dict[str, Any]]) -> dict[str, str]:
    """Return the summaries by the id of their round: in the round, or in the metadata of this or a later request."""
    found = {}
    for answer in answers:
        for each in objects_at(answer, "/toolCallRounds"):
            if summary := text_at(each, "/summary"):
                found[text_at(each, "/id")] = summary
        newest = (objects_at(answer, "/summaries") or [object_at(answer, "/summary")])[-1]
        if summary := text_at(newest, "/text"):
            found[str(value_at(newest, "/toolCallRoundId"))] = summary
    return found


def _in_tag(summary: str) -> str:
    return f"<conversation-summary>\n{summary}\n</conversation-summary>"
