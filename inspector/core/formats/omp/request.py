"""The messages that omp sends on resume: it pairs calls and results itself, and quotes results without a call.

Facts: @oh-my-pi/pi-coding-agent 18.2.3, `buildSessionContext` in src/session/session-context.ts, and @oh-my-pi/pi-ai
18.2.3, src/providers/transform-messages.ts, run against a provider on the loopback address. A call whose id no result
has is dropped when the session is loaded. Failed and stopped answers are not sent, and neither are their results. A
result that is not behind its call is moved to it, unless it precedes the call. A result whose call is gone is quoted as
a text of the user, unless it stands between a call and its result. An id that several calls have gets a suffix.

Facts about damage: src/session/session-loader.ts and session-manager.ts. A line that is not JSON is skipped, and the
next write of the session leaves it out. A file without a header is not opened and not changed.
"""

from collections import defaultdict

from msgspec import Struct, field

from inspector.core.formats.base.agent_behavior import (
    CYCLE_LOSSES,
    INVALID_JSON_LOSSES,
    ResumeBehavior,
    losses_of_rules,
)
from inspector.core.formats.base.pi_sessions import reader
from inspector.core.formats.base.pi_sessions.loader import header_of
from inspector.core.formats.base.pi_sessions.request import (
    DAMAGE_LOSSES,
    add_message,
    has_unreadable_message,
    is_sent,
    profile_and_wire_format,
    sent_block_text,
)
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import result_text
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage.json_text import object_at, parse_json
from inspector.core.translation import tr

_MISSING_RESULT = PLACEHOLDER_WORDINGS["pi"].text
_MALFORMED_STOPS = tr("omp stops at a record that has no message or whose content is neither text nor a list")
_INVALID_SESSION_ERROR = "the session header is missing or malformed"
_LEAVES_LINES_OUT = tr("drops the damaged lines the next time it writes the log")
_SUMMARY_WRAPPERS = {
    "compaction": (
        "Prior model work/tool state available.\nMUST build on prior work; NEVER duplicate prior work.",
        "\n</summary>",
    ),
    "branch_summary": ("Branch-return summary:", "\n</summary>"),
}
_RESPONSES = "openai-responses"
_LONGEST_ID = 64


class _Sent(Struct):
    """One message of the history. `ids` are those under which its calls or its result go out, by block."""

    record: int
    role: int
    rows: list[int]
    ids: dict[int, str] = field(default_factory=dict)


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that omp sends when it resumes the session."""
    path = list(session.main_thread.path)
    wire = profile_and_wire_format(columns, path, raw)[1] or "openai-chat"
    if not header_of(columns, raw):
        return ResumeRequest(wire, [], stop_reason=_INVALID_SESSION_ERROR)
    if has_unreadable_message(columns, path, raw):
        return ResumeRequest(wire, [], stop_reason=_MALFORMED_STOPS)
    history = _history(columns, path, raw)
    _set_ids(columns, history, wire)
    sent: list[RequestMessage] = []
    for role, blocks in _paired(columns, history, raw):
        add_message(sent, role, [block for block in blocks if block.answer or is_sent(columns, block.row, wire)])
    return ResumeRequest(wire, sent, as_stored=False, sends_reasoning=wire != "openai-chat")


def _history(columns: Columns, path: list[int], raw: ReadRecord) -> list[_Sent]:
    """Return the messages without the calls and results that omp drops when it loads a session."""
    kinds, ids = columns.block_kinds, columns.call_ids
    answered = {ids[row] for record in path if columns.roles[record] == Role.TOOL for row in columns.block_rows(record)}
    dropped: set[str | None] = set()
    found = []
    for record in path:
        role, rows = columns.roles[record], list(columns.block_rows(record))
        if role == Role.ASSISTANT:
            rows = [row for row in rows if kinds[row] != BlockKind.CALL or ids[row] in answered]
        if columns.marks[record] & RecordMark.NOT_SENT:
            dropped.update(reader.ids_of_calls_in_message(raw(record)))
        if role in (Role.USER, Role.ASSISTANT) or (role == Role.TOOL and ids[rows[0]] not in dropped):
            found.append(_Sent(record, role, rows))
    return _without_malformed_calls(columns, found)


def _without_malformed_calls(columns: Columns, history: list[_Sent]) -> list[_Sent]:
    """Return the messages without calls that have no id or no name, and without the results behind them."""
    kinds, found = columns.block_kinds, []
    drops: defaultdict[str | None, list[bool]] = defaultdict(list)
    for message in history:
        if message.role == Role.TOOL:
            waiting = drops[columns.call_ids[message.rows[0]]]
            if waiting and waiting.pop(0):
                continue
        else:
            drops.clear()
            for row in [row for row in message.rows if kinds[row] == BlockKind.CALL]:
                is_malformed = not all((text or "").strip() for text in (columns.call_ids[row], columns.names[row]))
                drops[columns.call_ids[row]].append(is_malformed)
                if is_malformed:
                    message.rows.remove(row)
        found.append(message)
    return found


def _set_ids(columns: Columns, history: list[_Sent], wire: str) -> None:
    """Set the ids of calls and results. An id that a call before it has gets a suffix, and so does its result."""
    used: dict[str, int] = {}
    waiting: defaultdict[str, list[str]] = defaultdict(list)
    for message in history:
        touched: set[str] = set()
        for row in message.rows:
            own = _id_of(columns, row, wire)
            if message.role == Role.TOOL:
                message.ids[row] = waiting[own].pop(0) if waiting[own] else own
            elif columns.block_kinds[row] == BlockKind.CALL:
                if own not in touched:
                    waiting[own].clear()
                    touched.add(own)
                message.ids[row] = _unique(own, used)
                waiting[own].append(message.ids[row])


def _id_of(columns: Columns, row: int, wire: str) -> str:
    own = columns.call_ids[row] or ""
    first = own.partition("|")[0]
    return first if first and wire == _RESPONSES else own


def _unique(own: str, used: dict[str, int]) -> str:
    number, new = used.get(own, 0), own
    while new in used:
        suffix = f"_dup{number}"
        new = own[: _LONGEST_ID - len(suffix)] + suffix
        number += 1
    used[own], used[new] = max(number, 1), 1 if new != own else max(number, 1)
    return new


def _paired(columns: Columns, history: list[_Sent], raw: ReadRecord) -> list[tuple[int, list[RequestBlock]]]:
    """Return role and blocks of each message, with each result behind its call, as `transformMessages` orders them."""
    results: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, message in enumerate(history):
        if message.role == Role.TOOL:
            results[message.ids[message.rows[0]]].append((at, message.rows[0]))
    calls = {own for message in history if message.role == Role.ASSISTANT for own in message.ids.values()}
    found: list[tuple[int, list[RequestBlock]]] = []
    done: set[str] = set()
    waiting: dict[str, int] = {}
    begun = -1

    def answer_waiting() -> None:
        for own, call in waiting.items():
            if own not in done:
                row = next((row for at, row in results[own] if at > begun), -1)
                block = RequestBlock(row, id=own) if row >= 0 else RequestBlock(call, _MISSING_RESULT, id=own)
                found.append((Role.TOOL, [block]))
                done.add(own)
        waiting.clear()

    for at, message in enumerate(history):
        if message.role != Role.TOOL:
            answer_waiting()
            found.append((message.role, [RequestBlock(row, id=message.ids.get(row, "")) for row in message.rows]))
            waiting.update((own, row) for row, own in message.ids.items())
            begun = at
            continue
        row = message.rows[0]
        own = message.ids[row]
        if own in done:
            continue
        if own in waiting:
            found.append((Role.TOOL, [RequestBlock(row, id=own)]))
            done.add(own)
        elif own not in calls and done.issuperset(waiting) and (text := _quoted(columns, row, raw(message.record))):
            found.append((Role.USER, [RequestBlock(row, stored_form=text)]))
    answer_waiting()
    return found


def _quoted(columns: Columns, row: int, raw: bytes) -> str:
    """Return the text in which omp quotes a result whose call is gone, "" for a result without text."""
    message = object_at(parse_json(raw), "/message")
    text = result_text(message.get("content"))
    failed = ' is-error="true"' if message.get("isError") else ""
    head = f'<stale-tool-result tool="{columns.names[row] or ""}" id="{columns.call_ids[row] or ""}"{failed}>'
    return f"{head}\n{text}\n</stale-tool-result>" if text.strip() else ""


def sent_text(role: int, kind: BlockKind, block: bytes) -> str | None:
    """Return the text of a block as omp sends it, see `sent_block_text`."""
    return sent_block_text(role, kind, block, _SUMMARY_WRAPPERS)


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what omp does with findings of these rules, see `Agent`."""
    agent, label = f"omp {session.version}".strip(), session.agent or "omp"
    # What is lost with a damaged line depends on the line, see `session_as_loaded`.
    loses = losses_of_rules({**DAMAGE_LOSSES, **CYCLE_LOSSES}, rules - INVALID_JSON_LOSSES.keys())
    if rules & INVALID_JSON_LOSSES.keys():
        return ResumeBehavior(agent, "mends", loses, label, file_changes=_LEAVES_LINES_OUT)
    return ResumeBehavior(agent, "as-is", loses, label)
