"""The messages that Copilot CLI sends on resume, and what it does with a damaged log.

Facts: @github/copilot 1.0.102, run against a provider on the loopback address with one thing in a sound log changed at
a time. It answers calls without a result in memory. Those of the last answers, which it takes for interrupted, it
answers in other words, which it writes into the log. Later calls with an id that is taken are sent under a hash of the
id, which is not known and is shown here as the id and a number.

Lines that are not JSON, lines with invalid UTF-8, and two events on one line are skipped, and removed from the log with
the next write. A line break within a string makes two such lines. U+2028 and U+2029 do no harm.

1.0.80, which was run, too, stopped at the first line that is not JSON, and so did 1.0.57 and 1.0.48. Lines of NUL bytes
are skipped since 1.0.57 (github/copilot-cli#3593). 1.0.57 and 1.0.80 answered all open calls in memory, behind the
results that the log holds, in the order of their events; of calls with one id, only the first got its result. 1.0.48
sent the events as they stand, apart from second results and results without a call, and answered the calls of the last
answers in memory. The versions between were not run.
"""

from collections.abc import Iterator, Sequence

from inspector.core.formats.base.agent_behavior import (
    INVALID_JSON_LOSSES,
    REMOVES_DAMAGED_LINES,
    ResumeBehavior,
    losses_of_rules,
)
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.copilot_cli.loader import Pairs, pair_calls
from inspector.core.formats.copilot_cli.reader import EVENT_SCHEMA, SUMMARY_POINTER
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_misfits import find_misfits
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage.json_text import parse_json, text_at
from inspector.core.text import is_older_version
from inspector.core.translation import tr

AGENT_LABEL = "Copilot CLI"
_IN_MEMORY, _ON_RESUME = (PLACEHOLDER_WORDINGS[name].text for name in ("copilot-cli", "copilot-cli-resume"))
_MENDS_IN_MEMORY_SINCE = "1.0.49"  # 1.0.48 was seen not to
_WRITES_ANSWERS_SINCE = "1.0.81"  # 1.0.80 was seen not to
_NO_ERROR_TEXT = "Tool execution failed"
_NO_HEADER_ERROR, _CORRUPTED_ERROR = "Session file is corrupted or incompatible", "Session file is corrupted"
_WRITES_ANSWERS = tr("writes its own results for the interrupted calls into the log")
_SUMMARY_HEAD = (
    "Some of the conversation history has been summarized to free up context.\n\nYou were originally given "
    "instructions from a user over one or more turns. Here were the user messages:\n"
)


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that a resume of the session sends."""
    path = session.main_thread.path
    if session.main_thread.damaged_links:
        return ResumeRequest("openai-chat", [], stop_reason=_NO_HEADER_ERROR)
    if columns.has_mark(RecordMark.MAYBE_MALFORMED) and any(
        _stops(raw(record)) for record in path if columns.marks[record] & RecordMark.MAYBE_MALFORMED
    ):
        return ResumeRequest("openai-chat", [], stop_reason=_CORRUPTED_ERROR)
    if is_older_version(session.version, _MENDS_IN_MEMORY_SINCE):
        return ResumeRequest(
            "openai-chat", _messages_of_older_version(columns, path, raw), as_stored=False, replaces_surrogates=True
        )
    pairs = pair_calls(columns, path)
    new_ids = _new_ids(columns, path)
    if in_order_of_events := is_older_version(session.version, _WRITES_ANSWERS_SINCE):
        pairs.results = {call: result for call, result in pairs.results.items() if call not in new_ids}
        new_ids = {}
    interrupted = set() if in_order_of_events else _interrupted_calls(columns, path, pairs)
    sent: list[RequestMessage] = []
    for record in path:
        rows, role = columns.block_rows(record), columns.roles[record]
        if columns.marks[record] & RecordMark.COMPACTION:
            sent.append(_summary_message(columns, record, raw))
        elif role in (Role.USER, Role.ASSISTANT):
            said = [row for row in rows if columns.block_kinds[row] != BlockKind.THINKING]
            sent.append(RequestMessage(role, [RequestBlock(row, id=new_ids.get(row, "")) for row in said]))
            results = [
                _answer(row, pairs, interrupted, new_ids) for row in said if columns.block_kinds[row] == BlockKind.CALL
            ]
            if in_order_of_events:
                results.sort(key=lambda block: (bool(block.answer), block.row))
            if results := [block for block in results if columns.call_ids[block.row]]:
                sent.append(RequestMessage(Role.TOOL, results))
    return ResumeRequest(
        "openai-chat", sent, _WRITES_ANSWERS if interrupted else "", as_stored=False, replaces_surrogates=True
    )


def _messages_of_older_version(columns: Columns, path: Sequence[int], raw: ReadRecord) -> list[RequestMessage]:
    """Return the messages of 1.0.48: in the order of their events, and only the calls of the last answers answered."""
    known = {columns.call_ids[row] for record in path for row in _calls_of(columns, record)}
    answered: set[str | None] = set()
    sent: list[RequestMessage] = []

    def close() -> None:
        at = len(sent) - 1
        while at >= 0 and sent[at].role != Role.ASSISTANT:
            at -= 1
        while at >= 0 and (calls := [b.row for b in sent[at].blocks if columns.block_kinds[b.row] == BlockKind.CALL]):
            open_calls = [row for row in calls if columns.call_ids[row] not in answered]
            answered.update(columns.call_ids[row] for row in open_calls)
            sent.extend(RequestMessage(Role.TOOL, [RequestBlock(row, _IN_MEMORY)]) for row in open_calls)
            at -= 1

    for record in path:
        rows, role = columns.block_rows(record), columns.roles[record]
        if columns.marks[record] & RecordMark.TURN_EVENT:
            close()
        elif columns.marks[record] & RecordMark.COMPACTION:
            sent.append(_summary_message(columns, record, raw))
        elif role in (Role.USER, Role.ASSISTANT):
            said = [RequestBlock(row) for row in rows if columns.block_kinds[row] != BlockKind.THINKING]
            sent.append(RequestMessage(role, said))
        elif role == Role.TOOL and (call_id := columns.call_ids[rows[0]]) in known - answered:
            answered.add(call_id)
            sent.append(RequestMessage(role, [RequestBlock(rows[0])]))
    close()
    return sent


def _stops(raw: bytes) -> bool:
    """Return whether the load stops at an event. `ephemeral` is not in its schema."""
    return bool(find_misfits(parse_json(raw), EVENT_SCHEMA))


def _answer(call: int, pairs: Pairs, interrupted: set[int], new_ids: dict[int, str]) -> RequestBlock:
    new_id = new_ids.get(call, "")
    if call in pairs.results:
        return RequestBlock(pairs.results[call], id=new_id)
    return RequestBlock(call, _ON_RESUME if call in interrupted else _IN_MEMORY, id=new_id)


def _interrupted_calls(columns: Columns, path: Sequence[int], pairs: Pairs) -> set[int]:
    """Return the open calls of the last answers: those in a row before the last messages that are not answers."""
    messages = [record for record in path if columns.roles[record] in (Role.USER, Role.ASSISTANT, Role.TOOL)]
    while messages and columns.roles[messages[-1]] != Role.ASSISTANT:
        messages.pop()
    found: set[int] = set()
    while messages and (calls := _calls_of(columns, messages.pop())):
        found.update(row for row in calls if row not in pairs.results and row not in pairs.closed)
    return found


def _calls_of(columns: Columns, record: int) -> list[int]:
    """Return the calls of an answer, none for another message."""
    rows = columns.block_rows(record) if columns.roles[record] == Role.ASSISTANT else range(0)
    return [row for row in rows if columns.block_kinds[row] == BlockKind.CALL]


def _new_ids(columns: Columns, path: Sequence[int]) -> dict[int, str]:
    """Return the new ids of calls that reuse the id of an earlier answer, by row."""
    new: dict[int, str] = {}
    uses: dict[str | None, int] = {}
    for record in path:
        calls = _calls_of(columns, record)
        for call_id in {columns.call_ids[row] for row in calls}:
            uses[call_id] = uses.get(call_id, 0) + 1
        new |= {
            row: f"{call_id}-{uses[call_id]}" for row in calls if uses[call_id := columns.call_ids[row]] > 1 and call_id
        }
    return new


def _summary_message(columns: Columns, compaction: int, raw: ReadRecord) -> RequestMessage:
    """Return the message that a compaction leaves: the user's words before it, and its summary."""
    words = "".join(f"<user_message>\n{text}\n</user_message>\n" for text in _words_before(columns, compaction, raw))
    summary = text_at(parse_json(raw(compaction)), SUMMARY_POINTER)
    text = f"{_SUMMARY_HEAD}{words}\nHere is a summary of the prior context:\n<summary>\n{summary}\n</summary>\n"
    return RequestMessage(Role.USER, [RequestBlock(row, stored_form=text) for row in columns.block_rows(compaction)])


def _words_before(columns: Columns, compaction: int, raw: ReadRecord) -> Iterator[str]:
    """Yield what the user typed before a compaction began."""
    starts = (record for record in range(compaction, -1, -1) if columns.marks[record] & RecordMark.GROUP_START)
    for record in range(next(starts, compaction)):
        if columns.roles[record] == Role.USER and not columns.marks[record] & RecordMark.COMPACTION:
            event = parse_json(raw(record))
            if text_at(event, "/type") == "user.message":
                yield text_at(event, "/data/content")


def sent_result_text(kind: BlockKind, block: bytes) -> str | None:
    """Return the text of a result: its error if it failed, else its content; None for another block."""
    if kind != BlockKind.RESULT:
        return None
    event = parse_json(block)
    if text_at(event, "/data/toolCallId") and event["data"].get("success") is False:
        return text_at(event, "/data/error/message") or _NO_ERROR_TEXT
    return text_at(event, "/data/result/content")


# what Copilot does with damage in a file

_SKIPS_NULS_SINCE, _SKIPS_DAMAGE_SINCE = "1.0.57", "1.0.102"
_STOPS_AT_NULS_BEFORE, _STOPS_BEFORE = "1.0.49", "1.0.81"  # up to the last versions that were seen to stop
_LOSSES = {
    **INVALID_JSON_LOSSES,
    "F2": tr("all events on a line that contains several events"),
    "F4": tr("the event that is split across several lines"),
    "F5": tr("the line with invalid UTF-8"),
}
_DAMAGED_LINES = frozenset({"F1", "F2", "F4", "F5", "F6"})
_WHOLE_SESSION_LOST = tr("the whole session, because this version does not load a log with a damaged line")


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what Copilot does with findings of these rules, see `Agent`. An unknown version counts as a newer one."""
    version, agent = session.version, f"copilot-cli {session.version}".strip()
    label = session.agent or AGENT_LABEL
    damage, nul_lines = rules & _DAMAGED_LINES, "F3" in rules
    loses = losses_of_rules(_LOSSES, rules - {"F3"})
    if (damage and is_older_version(version, _STOPS_BEFORE)) or (
        nul_lines and is_older_version(version, _STOPS_AT_NULS_BEFORE)
    ):
        return ResumeBehavior(agent, "refuses", (_WHOLE_SESSION_LOST,), label, error=_CORRUPTED_ERROR)
    if damage and is_older_version(version, _SKIPS_DAMAGE_SINCE):
        return ResumeBehavior(agent, "unknown", loses, label)
    if nul_lines and is_older_version(version, _SKIPS_NULS_SINCE):
        return ResumeBehavior(agent, "unknown", loses, label)
    if damage:
        return ResumeBehavior(agent, "mends", loses, label, file_changes=REMOVES_DAMAGED_LINES)
    return ResumeBehavior(agent, "as-is", loses, label)
